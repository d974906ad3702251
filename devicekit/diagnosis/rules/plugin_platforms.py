"""Platforms of plug-ins: what their rules find, and their devices as candidates. Pure, as far as the plug-ins are."""

from dataclasses import replace
from typing import Dict, List, Sequence, Tuple

from ...machine.facts import Machine, PlatformFacts
from ...plugins.interface import Platform, PlatformDevice
from ...plugins.rules import Judge, Judged, judge_of
from ..findings import Candidate, Finding, NotEvaluated
from ..prediction import blocking
from .broken_plugins import broken

__all__ = ["Plugins"]


class Plugins:
    """The plug-ins that are at hand for a machine, and what they say of it."""

    def __init__(self, machine: Machine, platforms: Sequence[Platform], codes: Sequence[str]) -> None:
        self.findings: List[Finding] = []
        self.undecided: List[NotEvaluated] = []
        self._judges: List[Judge] = []
        self._told = machine.platforms
        by_name: Dict[str, Platform] = {item.name: item for item in platforms}
        for told in machine.platforms:
            platform = by_name.get(told.name)
            if told.problems and not told.facts.known:
                continue
            if platform is None or not told.facts.known:
                why = told.facts.problem or "the plug-in %s is not installed here" % told.label
                self.undecided.append(NotEvaluated(told.name, "its rules were not asked: %s" % why))
                continue
            judge, rows = judge_of(platform, told, machine, codes)
            self._note(told, rows)
            self._judges.append(judge)

    def _note(self, told: PlatformFacts, judged: Judged) -> None:
        # The same mistake is made for each framework anew.
        found = [broken(told, problem) for problem in judged.problems]
        self.findings += [item for item in found if item not in self.findings]
        notes = [NotEvaluated(told.name, text) for text in judged.undecided]
        self.undecided += [item for item in notes if item not in self.undecided]

    def judge(self) -> None:
        """Ask the rules."""
        for judge in self._judges:
            judged = judge.findings()
            self.findings += judged.items
            self._note(judge.told, judged)

    def candidates(self, framework: str, findings: Tuple[Finding, ...]) -> List[Candidate]:
        """Return the devices as a framework would use them, those that its build has no support for left out."""
        found: List[Candidate] = []
        for judge in self._judges:
            kind = judge.told.device_type(framework)
            if kind is None:
                continue
            judged = judge.devices(framework)
            self._note(judge.told, judged)
            name = judge.told.name
            for number, (device, environment) in enumerate(judged.items):
                found.append(_candidate(name, number, device, kind, environment, framework, findings))
        return found


def _candidate(
    name: str,
    number: int,
    device: PlatformDevice,
    kind: str,
    environment: Tuple[Tuple[str, str], ...],
    framework: str,
    findings: Tuple[Finding, ...],
) -> Candidate:
    word = "%s:%d" % (name, number)
    what = (name, word, "%s.%s" % (framework, name), "%s.%s" % (framework, word), framework, framework + ".devices")
    blocks = tuple(dict.fromkeys((*blocking(findings, what), *device.blocked_by)))
    usable = False if blocks else device.usable
    candidate = Candidate(word, name, device.name, usable, blocks, device.memory_bytes, device.memory_free_bytes)
    return replace(
        candidate,
        uuid=device.uuid,
        remark=device.remark,
        device_type=kind,
        environment=environment,
        numbering="plug-in",
    )
