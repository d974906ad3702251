"""Asks plug-ins what follows from a machine: their findings, their devices, and the variables for them.

Pure as far as the plug-ins are; whatever they do wrong comes back as a problem, together with what could be used.
"""

import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..diagnosis.codes import CODES, MEASURED_CODES
from ..diagnosis.findings import SEVERITIES, Candidate, Evidence, Finding, Fix, NotEvaluated
from ..diagnosis.frameworks import BACKENDS
from ..diagnosis.platform_report import PlatformReport, not_asked, reason_not_asked
from ..diagnosis.rules.plugins import broken
from ..errors import UnknownFactError
from ..machine.facts import Machine, PlatformFacts
from .calls import PluginError, call, inside
from .interface import Platform, PlatformDevice, PlatformView
from .loading import at_hand
from .matrix_rows import checked_rows


class Judged(NamedTuple):
    """What a plug-in says. ``undecided``: why a part of it could not be decided; ``problems``: what the plug-in did wrong."""

    items: Tuple[Any, ...] = ()
    undecided: Tuple[str, ...] = ()
    problems: Tuple[str, ...] = ()


class Judge:
    """One plug-in in front of one machine."""

    def __init__(self, platform: Platform, reported: PlatformFacts, view: PlatformView, codes: Sequence[str]) -> None:
        self.reported = reported
        self._platform, self._view, self._codes = platform, view, tuple(codes)

    def findings(self) -> Judged:
        """Return what is wrong; what comes before a mistake counts."""
        made: List[Finding] = []

        def run() -> None:
            for finding in self._platform.rules(self._view):
                self._check_finding(finding)
                made.append(finding)

        judged = _judged("its rules", run)
        return judged._replace(items=tuple(made))

    def devices(self, framework: str) -> Judged:
        """Return pairs of a device and the variables for it."""
        made: List[Tuple[PlatformDevice, Tuple[Tuple[str, str], ...]]] = []

        def run() -> None:
            for index, device in enumerate(self._platform.devices(self._view, framework)):
                _check_device(device)
                if len(made) >= _MOST_DEVICES:
                    raise PluginError("it names more than %d devices" % _MOST_DEVICES)
                environment = self._platform.environment(self._view, framework, index)
                made.append((device, self._variables(environment)))

        judged = _judged("its devices for %s" % framework, run)
        return judged._replace(items=() if judged.problems or judged.undecided else tuple(made))

    def _variables(self, environment: Any) -> Tuple[Tuple[str, str], ...]:
        if not isinstance(environment, dict):
            raise PluginError("its 'environment' returned a %s, not a dictionary" % type(environment).__name__)
        for name, value in environment.items():
            if name not in self.reported.variables:
                raise PluginError("it sets %.60r, which its 'variables' do not name" % (name,))
            if not isinstance(value, str) or "\0" in value:
                raise PluginError("it sets %s to %.60r, which is not a string" % (name, value))
        return tuple(pair for pair in environment.items() if self._view.env(pair[0]) is None)

    def _check_finding(self, finding: Any) -> None:
        if not isinstance(finding, Finding):
            raise PluginError("one of its rules yields a %s, not a devicekit.Finding" % type(finding).__name__)
        code = finding.code
        own = isinstance(code, str) and code.startswith(self.reported.name + "-") and _CODE.match(code) is not None
        if not own and code not in self._codes:
            raise PluginError(
                "its code %.60r is none of devicekit's and does not begin with '%s-'" % (code, self.reported.name)
            )
        if own and not str(finding.url).startswith(("https://", "http://")):
            raise PluginError("its finding %s has no url, where people could read more" % code)
        parts = (finding.summary, finding.url, *finding.blocks)
        if finding.severity not in SEVERITIES or not finding.summary or not all(isinstance(x, str) for x in parts):
            raise PluginError("its finding %s is not of the form of devicekit.Finding" % code)
        if not all(isinstance(item, Evidence) for item in finding.evidence):
            raise PluginError("the evidence of its finding %s is not made of devicekit.diagnosis.Evidence" % code)
        if not all(isinstance(item, Fix) for item in finding.fix):
            raise PluginError("the fixes of its finding %s are not made of devicekit.diagnosis.Fix" % code)


#: No machine has so many accelerators of a kind.
_MOST_DEVICES = 1024


def judge_of(
    platform: Platform, reported: PlatformFacts, machine: Machine, codes: Sequence[str]
) -> Tuple[Judge, Judged]:
    """Return the judge of a plug-in for a machine, and what is wrong with the rows that it adds to the matrix.

    Parameters
    ----------
    platform : Platform
    reported : PlatformFacts
        What its probe found there.
    machine : Machine
    codes : sequence of str
        Devicekit's own, which it may use.
    """
    rows: List[Any] = []
    judged = _judged("its rows", lambda: rows.extend(checked_rows(platform.rows())))
    return Judge(platform, reported, PlatformView(machine, reported, rows), codes), judged


def _judged(what: str, run: Callable[[], None]) -> Judged:
    try:
        _, printed = call(what, run)
    except UnknownFactError as error:
        return Judged(undecided=(str(error),))
    except PluginError as error:
        return Judged(problems=(str(error),))
    return Judged(problems=("%s: it prints: %s" % (what, printed.splitlines()[0][:100]),) if printed else ())


_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+$")


def _check_device(device: Any) -> None:
    if not isinstance(device, PlatformDevice):
        raise PluginError("it names a device by a %s, not a devicekit.plugins.PlatformDevice" % type(device).__name__)
    sizes = (device.memory_bytes, device.memory_free_bytes)
    if (
        not all(isinstance(text, str) for text in (device.name, device.uuid, device.remark, *device.blocked_by))
        or not all(size is None or (isinstance(size, int) and size >= 0) for size in sizes)
        or device.usable not in (True, False, None)
    ):
        raise PluginError("its device %.60r is not of the form of devicekit.plugins.PlatformDevice" % (device.name,))


def report_of(machine: Machine, platforms: Optional[Sequence[Platform]] = None) -> PlatformReport:
    """Return what plug-ins report of a machine.

    Parameters
    ----------
    machine : Machine
        With the facts that the plug-ins' probes found.
    platforms : sequence of Platform or None
        The plug-ins to ask; by default the installed ones that reported facts.
    """
    if platforms is None:
        if inside():  # a plug-in's rule that asks for a diagnosis would be asked by that again, without end
            return not_asked(machine)
        platforms = at_hand(machine.platforms)
    return _Report(machine, platforms).report()


class _Report:
    """Collects what the plug-ins of a machine report; each mistake is noted once, whichever framework shows it."""

    def __init__(self, machine: Machine, platforms: Sequence[Platform]) -> None:
        self._findings: List[Finding] = []
        self._undecided: List[NotEvaluated] = []
        self._judges: List[Judge] = []
        by_name: Dict[str, Platform] = {item.name: item for item in platforms}
        for facts in machine.platforms:
            platform = by_name.get(facts.name)
            if facts.problems and not facts.facts.known:
                continue
            reason = reason_not_asked(facts, platform is not None)
            if reason or platform is None:
                self._undecided.append(NotEvaluated(facts.name, reason))
                continue
            judge, rows = judge_of(platform, facts, machine, CODES + MEASURED_CODES)
            self._note(facts, rows)
            self._judges.append(judge)

    def _note(self, facts: PlatformFacts, judged: Judged) -> None:
        problems = [broken(facts, problem) for problem in judged.problems]
        self._findings += [item for item in problems if item not in self._findings]
        notes = [NotEvaluated(facts.name, text) for text in judged.undecided]
        self._undecided += [item for item in notes if item not in self._undecided]

    def report(self) -> PlatformReport:
        """Ask the rules, then for the devices."""
        for judge in self._judges:
            judged = judge.findings()
            self._findings += judged.items
            self._note(judge.reported, judged)
        findings = tuple(self._findings)
        candidates = {framework: self._candidates(framework) for framework in BACKENDS}
        return PlatformReport(findings, tuple(self._findings[len(findings) :]), tuple(self._undecided), candidates)

    def _candidates(self, framework: str) -> Tuple[Candidate, ...]:
        """Return the devices of all plug-ins that the framework's build supports."""
        devices: List[Candidate] = []
        for judge in self._judges:
            kind = judge.reported.device_type(framework)
            if kind is None:
                continue
            judged = judge.devices(framework)
            self._note(judge.reported, judged)
            for number, (device, environment) in enumerate(judged.items):
                name = "%s:%d" % (judge.reported.name, number)
                said = dict(device._asdict(), blocked_by=tuple(device.blocked_by))
                devices.append(
                    Candidate(
                        device=name,
                        platform=judge.reported.name,
                        device_type=kind,
                        environment=environment,
                        numbering="plug-in",
                        **said,
                    )
                )
        return tuple(devices)
