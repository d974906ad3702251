"""Plug-ins that add a platform and do not work. Pure."""

from typing import Iterable

from ...machine.facts import PlatformFacts
from ..findings import Evidence, Finding, Fix, Kind
from ..view import View
from .registry import rule


@rule("plugin-broken")
def plugin_broken(view: View) -> Iterable[Finding]:
    """Plug-ins that cannot be loaded, or whose probe did something that it must not."""
    for facts in view.machine.platforms:
        for problem in facts.problems:
            yield broken(facts, problem)


def broken(facts: PlatformFacts, problem: str) -> Finding:
    """Return the finding about a plug-in. It is only a warning: everything else works without the plug-in."""
    of = " for the platform '%s'" % facts.name if facts.name else ""
    fixes = (
        Fix(
            "Upgrade it; if that does not help, report it to its authors",
            "python -m pip install --upgrade %s" % facts.distribution,
        ),
        Fix("Or disable plug-ins: set DEVICEKIT_PLUGINS=0"),
    )
    return Kind("plugin-broken", "warning", (facts.name,) if facts.name else ()).finding(
        "The plug-in %s%s does not work: %s." % (facts.label, of, problem.rstrip(".")),
        (Evidence(problem, "entry point %s of %s" % (facts.entry, facts.distribution)),),
        fixes,
    )
