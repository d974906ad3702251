"""`diagnose`: the findings and candidate devices of a machine, with those of its plug-ins."""

from typing import TYPE_CHECKING, Optional, Sequence

from ..machine.detect import detect_now
from ..machine.facts import Machine
from ..matrix.matrix import BUNDLED
from .findings import Diagnosis

if TYPE_CHECKING:
    from ..plugins.interface import Platform

__all__ = ["diagnose"]


def diagnose(machine: Optional[Machine] = None) -> Diagnosis:
    """Return findings and candidate devices, each usable or blocked by findings.

    Parameters
    ----------
    machine : Machine or None
        The machine to examine; this one by default.
    """
    from .rules import diagnose as run_rules

    examined = machine if machine is not None else detect_now()
    return run_rules(examined, BUNDLED, _plugins_for(examined))


def _plugins_for(machine: Machine) -> "Sequence[Platform]":
    """Return the plug-ins that reported facts of a machine, if they are installed here."""
    if not machine.platforms:
        return ()
    from ..plugins.calls import inside
    from ..plugins.loading import at_hand

    if inside():  # a plug-in's rule that asks for a diagnosis would be asked by that again, without end
        return ()
    return at_hand(machine.platforms)
