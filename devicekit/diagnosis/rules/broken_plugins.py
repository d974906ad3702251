"""Plug-ins that add a platform and do not work. Pure."""

from typing import Iterable

from ...machine.facts import PlatformFacts
from ..findings import Evidence, Finding, Fix
from ..view import View
from .registry import rule

__all__ = ["broken", "plugin_broken"]


@rule("plugin-broken")
def plugin_broken(view: View) -> Iterable[Finding]:
    """Plug-ins that cannot be loaded, or whose probe did something that it must not."""
    for told in view.machine.platforms:
        for problem in told.problems:
            yield broken(told, problem)


def broken(told: PlatformFacts, problem: str) -> Finding:
    """Return the finding about a plug-in. It alarms nobody who does not ask for its devices: all else works as without it."""
    of = " for the platform '%s'" % told.name if told.name else ""
    fixes = (
        Fix(
            "Upgrade it; if that does not help, report it to its authors",
            "python -m pip install --upgrade %s" % told.distribution,
        ),
        Fix("Or disable plug-ins: set DEVICEKIT_PLUGINS=0"),
    )
    return Finding(
        "plugin-broken",
        "warning",
        "The plug-in %s%s does not work: %s." % (told.label, of, problem.rstrip(".")),
        (Evidence(problem, "entry point %s of %s" % (told.entry, told.distribution)),),
        fixes,
        (told.name,) if told.name else (),
    )
