"""What third-party platforms (plug-ins) report of a machine, as a record: `devicekit.plugins` makes it. Pure."""

from typing import Dict, Mapping, Optional, Tuple

from ..machine.facts import Machine, PlatformFacts
from ..records import Record
from .candidates import blocking
from .findings import Candidate, Finding, NotEvaluated


class PlatformReport(Record):
    """What the plug-ins of a machine report.

    Attributes
    ----------
    findings : tuple of Finding
        What their rules found, and what is wrong with the plug-ins themselves.
    device_problems : tuple of Finding
        What went wrong when they listed their devices.
    not_evaluated : tuple of NotEvaluated
        Why a part could not be decided.
    candidates : mapping of str to tuple of Candidate
        Their devices by framework, each blocked only by what the plug-in itself says.
    """

    findings: Tuple[Finding, ...] = ()
    device_problems: Tuple[Finding, ...] = ()
    not_evaluated: Tuple[NotEvaluated, ...] = ()
    candidates: Optional[Mapping[str, Tuple[Candidate, ...]]] = None

    def candidates_for(self, framework: str, findings: Tuple[Finding, ...]) -> Tuple[Candidate, ...]:
        """Return the devices as a framework would use them, with what blocks them."""
        devices: Dict[str, Tuple[Candidate, ...]] = dict(self.candidates or {})
        return tuple(with_blocks(item, framework, findings) for item in devices.get(framework, ()))


def with_blocks(candidate: Candidate, framework: str, findings: Tuple[Finding, ...]) -> Candidate:
    """Return a plug-in's device, blocked by the findings that are about it, its platform or the framework."""
    name, device = candidate.platform, candidate.device
    what = (name, device, "%s.%s" % (framework, name), "%s.%s" % (framework, device), framework, framework + ".devices")
    blocks = tuple(dict.fromkeys((*blocking(findings, what), *candidate.blocked_by)))
    return candidate.replace(blocked_by=blocks, usable=False if blocks else candidate.usable)


def reason_not_asked(facts: PlatformFacts, installed: bool) -> str:
    """Return why the rules of a plug-in cannot be evaluated, "" if they can."""
    if facts.facts.known and installed:
        return ""
    return "its rules were not evaluated: %s" % (
        facts.facts.problem or "the plug-in %s is not installed here" % facts.label
    )


def not_asked(machine: Machine) -> PlatformReport:
    """Return the report of a machine's platforms if no plug-in is at work here."""
    return PlatformReport(
        not_evaluated=tuple(
            NotEvaluated(facts.name, reason_not_asked(facts, False))
            for facts in machine.platforms
            if facts.facts.known or not facts.problems
        )
    )
