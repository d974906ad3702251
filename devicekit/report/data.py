"""Reports as plain data, for ``--json``."""

from typing import Any, Dict

from ..diagnosis.findings import Diagnosis
from ..machine.facts import Machine
from ..runtime.verification import Verification
from ..selection.selection import Selection

#: Version of the schema of these documents.
SCHEMA = 1


def _head(machine: Machine) -> Dict[str, Any]:
    return {
        "schema": SCHEMA,
        "devicekit": machine.devicekit_version,
        "machine": {
            "system": machine.native.system,
            "os_version": machine.native.os_version.or_none(),
            "architecture": machine.native.architecture,
            "python": machine.python.version,
            "executable": machine.python.executable,
        },
    }


def doctor_data(machine: Machine, diagnosis: Diagnosis, selection: Selection) -> Dict[str, Any]:
    """Return what ``devicekit doctor --json`` prints."""
    chosen = selection.to_dict()
    chosen.pop("findings")
    plugins = [item.summary() for item in machine.platforms]
    unreadable = list(machine.python.unreadable)
    return dict(_head(machine), selection=chosen, unreadable=unreadable, plugins=plugins, **diagnosis.to_dict())


def devices_data(machine: Machine, diagnosis: Diagnosis, selection: Selection) -> Dict[str, Any]:
    """Return what ``devicekit devices --json`` prints."""
    devices = [item.to_dict() for item in diagnosis.candidates]
    return dict(_head(machine), devices=devices, selected=selection.device)


def verification_data(found: Verification) -> Dict[str, Any]:
    """Return what ``devicekit verify --json`` prints."""
    return dict(_head(found.machine), **found.to_dict())
