"""How records show themselves: text, a fragment of HTML in a notebook, a page. See `devicekit.records.seam`.

And what verbs of the command print for ``--json`` that is more than one record.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Dict

if TYPE_CHECKING:
    from ..diagnosis.findings import Diagnosis
    from ..machine.facts import Machine
    from ..runtime.verification import Verification
    from ..selection.selection import Selection
    from .html.components import Report

#: By the name of a record's class: the module below this package and the function in it. Only what is shown is imported.
_TEXT = {
    "BenchmarkResult": ("benchmark", "benchmark_line"),
    "CommandReport": ("monitor", "command_text"),
    "Comparison": ("comparison", "comparison_report_text"),
    "Diagnosis": ("terminal", "diagnosis_text"),
    "Finding": ("terminal", "finding_text"),
    "LiveFigures": ("monitor", "live_line"),
    "Machine": ("terminal", "machine_line"),
    "MemoryEstimate": ("memory_estimate", "memory_text"),
    "MonitorReport": ("monitor", "monitor_text"),
    "NanReport": ("monitor", "nan_text"),
    "Remedy": ("remedy", "remedy_text"),
    "Resolution": ("resolution", "resolution_text"),
    "Tuning": ("benchmark", "tuning_line"),
    "Verification": ("verification", "verification_text"),
}
_HTML = {
    "BenchmarkResult": ("html.measurements", "benchmark_report"),
    "CommandReport": ("html.measurements", "command_report"),
    "Comparison": ("html.measurements", "comparison_report"),
    "Diagnosis": ("html.diagnosis", "diagnosis_report"),
    "Fleet": ("html.fleet", "fleet_report"),
    "LiveFigures": ("html.measurements", "live_report"),
    "Machine": ("html.diagnosis", "machine_report"),
    "MachineDiff": ("html.fleet", "machine_diff_report"),
    "MemoryEstimate": ("html.measurements", "memory_report"),
    "MonitorReport": ("html.measurements", "monitor_report"),
    "NanReport": ("html.measurements", "nan_report"),
    "Selection": ("html.diagnosis", "selection_report"),
    "Tuning": ("html.measurements", "tuning_report"),
}


def record_text(record: Any) -> str:
    """Return a record as text: what is measured in one line, what is found as its report."""
    module, name = _TEXT[type(record).__name__]
    return str(getattr(import_module("." + module, __package__), name)(record))


def record_html(record: Any) -> str:
    """Return a record as a fragment of HTML, for a notebook."""
    from .html.notebook import fragment

    return fragment(_report(record))


def record_page(record: Any, made: str = "") -> str:
    """Return a record as a page: one file with everything in it; ``made`` is the date shown on it.

    Raises DevicekitError if drawings are needed and matplotlib is not installed.
    """
    from .html.document import page

    return page(_report(record), made)


def _report(record: Any) -> "Report":
    module, name = _HTML[type(record).__name__]
    report: "Report" = getattr(import_module("." + module, __package__), name)(record)
    return report


#: Version of the schema of these documents.
SCHEMA = 1


def _head(machine: "Machine") -> Dict[str, Any]:
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


def doctor_data(machine: "Machine", diagnosis: "Diagnosis", selection: "Selection") -> Dict[str, Any]:
    """Return what ``devicekit doctor --json`` prints."""
    chosen = selection.to_dict()
    chosen.pop("findings")
    plugins = [item.summary() for item in machine.platforms]
    unreadable = list(machine.python.unreadable)
    return dict(_head(machine), selection=chosen, unreadable=unreadable, plugins=plugins, **diagnosis.to_dict())


def devices_data(machine: "Machine", diagnosis: "Diagnosis", selection: "Selection") -> Dict[str, Any]:
    """Return what ``devicekit devices --json`` prints."""
    devices = [item.to_dict() for item in diagnosis.candidates]
    return dict(_head(machine), devices=devices, selected=selection.device)


def verification_data(found: "Verification") -> Dict[str, Any]:
    """Return what ``devicekit verify --json`` prints."""
    return dict(_head(found.machine), **found.to_dict())
