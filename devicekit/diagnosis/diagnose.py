"""`diagnose`: run the rules over a machine in the order of the codes, then predict from the findings."""

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..errors import UnknownFactError, one_line
from ..machine.facts import Machine, check_machine
from ..matrix.matrix import BUNDLED, Matrix
from ..records import seam
from .candidates import candidates, frameworks_in
from .codes import CODES
from .findings import SEVERITIES, Candidate, Diagnosis, Finding, Fix, FrameworkStatus, LazyFixes, NotEvaluated, name_of
from .frameworks import BACKENDS, TITLES, choose_framework
from .platform_report import PlatformReport, not_asked
from .prediction import statuses
from .rules import (  # noqa: F401 - they register themselves
    access,
    cpu_builds,
    cuda,
    dependencies,
    device_use,
    directml,
    driver,
    driver_health,
    fatal_variables,
    gpu_code,
    keras,
    known_defects,
    metal,
    native,
    plugins,
    processor,
    python,
    rocm,
    several_gpus,
)
from .rules.alternatives import another_could
from .rules.keras import backend, has_backend
from .rules.libraries import repairs
from .rules.registry import Rule, registered
from .view import View


def diagnose(machine: Optional[Machine] = None) -> Diagnosis:
    """Return findings and candidate devices; each device is usable or blocked by the findings it names.

    Parameters
    ----------
    machine : Machine or None
        The machine to diagnose; this one by default.
    """
    check_machine(machine)
    if machine is None:
        from ..machine.detect import detect_now

        machine = detect_now()
    if not machine.platforms:
        return run_rules(machine, BUNDLED)
    return run_rules(machine, BUNDLED, seam("plug-in findings")(machine))


def rules() -> Tuple[Rule, ...]:
    """Return all rules in their order."""
    by_code = registered()
    return tuple(by_code[code] for code in CODES)


def run_rules(machine: Machine, matrix: Matrix, report: Optional[PlatformReport] = None) -> Diagnosis:
    """Run all rules over a machine.

    Parameters
    ----------
    machine : Machine
        The facts.
    matrix : Matrix
        The compatibility data.
    report : PlatformReport or None
        What third-party platforms report; by default, that no plug-in is at work.
    """
    view = View(machine, matrix)
    selected = name_of(choose_framework(machine))
    findings, undecided = _run(view, selected)
    report = not_asked(machine) if report is None else report
    findings += report.findings
    order = {severity: number for number, severity in enumerate(SEVERITIES)}
    findings.sort(key=lambda finding: order[finding.severity])  # stable: the rules' order stays within a severity
    devices, unlisted = _devices(view, tuple(findings), undecided, report)
    undecided += unlisted.get(selected, [])
    findings += [item for item in report.device_problems if item not in findings]
    undecided += report.not_evaluated
    frameworks: Tuple[FrameworkStatus, ...] = ()
    try:
        frameworks = statuses(view, tuple(findings), devices)
        findings += another_could(view, selected, devices, frameworks)
    except UnknownFactError as error:
        undecided.append(NotEvaluated("framework-missing", "cannot predict what each framework will do: %s" % error))
    return Diagnosis(
        findings=tuple(findings),
        candidates=devices[selected],
        frameworks=frameworks,
        not_evaluated=tuple(undecided),
        by_framework=tuple(devices.items()),
        libraries=repairs(view),
    )


def _run(view: View, selected: str) -> Tuple[List[Finding], List[NotEvaluated]]:
    """Run the rules in their order; symptoms of what fired before are left out."""
    findings: List[Finding] = []
    undecided: List[NotEvaluated] = []
    fired: List[Cause] = []
    keras_backend = backend(view).name
    noted = _noted(view)
    for item in rules():
        if hides_all(fired, item.hidden_by):
            continue
        found: List[Finding] = []
        try:
            for finding in item.function(view):
                found.append(finding)
        except UnknownFactError as error:
            if not any(cause.code in item.hidden_by for cause in fired):
                undecided.append(NotEvaluated(item.code, str(error)))
        except Exception as error:  # a defect of one rule must not take the others down; it is reported
            undecided.append(NotEvaluated(item.code, "the rule failed: %s" % one_line(error)))
        causes = [finding for finding in found if not is_symptom(finding, fired, item.hidden_by, keras_backend, noted)]
        findings += [as_seen_from(_from_path(view, finding), selected) for finding in causes]
        # A note that blocks nothing explains nothing either.
        fired += [
            cause_of(finding, keras_backend) for finding in causes if finding.blocks or finding.severity != "info"
        ]
    return findings, undecided


def _from_path(view: View, finding: Finding) -> Finding:
    """Return a finding on what PYTHONPATH puts before the environment: what is installed would come after that again."""
    environment, windows = view.machine.python, view.shell.windows
    separator = "\\" if windows else "/"
    path = (view.machine.process.env("PYTHONPATH") or "").split(";" if windows else ":")
    folders = [part.rstrip("/\\") for part in path if part and not part.startswith(environment.prefix + separator)]
    if not folders:
        return finding
    seen = [item.source for item in finding.evidence]
    own: List[str] = []
    foreign: List[Tuple[str, str]] = []
    for item in environment.distributions.or_none() or ():
        there = item.location.rpartition(separator)[0]
        if there not in folders:
            own.append(item.name)
        elif item.location in seen:
            foreign.append((item.name, there))
    for name, there in foreign:
        # Where the environment has no framework of its own, that folder is the environment.
        if name in own or ("tensorflow" in finding.blocks and not {*own}.isdisjoint(view.tensorflow_names)):
            summary = "%s PYTHONPATH puts this %s before the environment's own packages." % (finding.summary, name)
            kept = [part for part in path if part and part.rstrip("/\\") != there]
            fix = view.shell.only_folders_fix("Take %s out of PYTHONPATH" % there, "PYTHONPATH", kept)
            return finding.replace(summary=summary, fix=(fix,))
    return finding


def _devices(
    view: View,
    findings: Tuple[Finding, ...],
    undecided: Sequence[NotEvaluated],
    report: PlatformReport,
) -> Tuple[Dict[str, Tuple[Candidate, ...]], Dict[str, List[NotEvaluated]]]:
    """Return the candidate devices for each framework, and why some could not be listed."""
    unsettled = frozenset(item.code for item in undecided)
    devices, unlisted = {}, {}
    for name in BACKENDS:
        devices[name], unlisted[name] = candidates(view, findings, unsettled, name)
        devices[name] = devices[name][:-1] + report.candidates_for(name, findings) + devices[name][-1:]
    return devices, unlisted


class Cause(NamedTuple):
    """A code that fired. ``frameworks``: the only ones that it is about, () if it is about all."""

    code: str
    frameworks: Tuple[str, ...]


def cause_of(finding: Finding, backend: str) -> Cause:
    """Return what a finding can hide; ``backend``: what Keras computes with, which what is about Keras is about."""
    return Cause(finding.code, _about(finding, backend))


def _about(finding: Finding, backend: str) -> Tuple[str, ...]:
    own = [backend if block.startswith(("keras", "tf.")) else block for block in finding.blocks]
    return frameworks_in(tuple(own)) if backend in BACKENDS else frameworks_in(finding.blocks)


def _noted(view: View) -> Tuple[str, ...]:
    """Return what a finding that blocks nothing is a note on: TensorFlow, or what is there instead."""
    try:
        return tuple(name for name in BACKENDS if has_backend(view, name))[:1] or ("tensorflow",)
    except UnknownFactError:
        return ("tensorflow",)


def hides_all(causes: Sequence[Cause], hidden_by: Tuple[str, ...]) -> bool:
    """Return whether everything that a rule could say is a symptom."""
    return any(cause.code in hidden_by and not cause.frameworks for cause in causes)


def is_symptom(
    finding: Finding, causes: Sequence[Cause], hidden_by: Tuple[str, ...], backend: str, noted: Tuple[str, ...]
) -> bool:
    """Return whether a finding is a symptom of what fired before: every framework that it is about is hit by that."""
    about = _about(finding, backend) if finding.blocks else noted
    hit: List[str] = []
    for cause in causes:
        if cause.code in hidden_by:
            hit += cause.frameworks or BACKENDS
    return bool(about) and all(name in hit for name in about)


def as_seen_from(finding: Finding, selected: str) -> Finding:
    """Return a finding with the severity that it has for the selected framework.

    What is wrong with another framework is only a note for anyone who does not use it.
    """
    about = frameworks_in(finding.blocks)
    if finding.severity == "info" or not about or selected in about:
        return finding
    if finding.severity == "warning":
        return finding.replace(severity="info")
    # What would fix the other one may change what the selected one needs.
    text = "No action needed while you use %s; otherwise install %s in a separate environment"
    leave = Fix(text % (TITLES[selected], " and ".join(TITLES[name] for name in about)))
    # A variable and a file of the user's own are there in every environment.
    apart = finding.code not in ("environment-variable-fatal", "module-shadowed")
    return finding.replace(severity="warning", fix=LazyFixes(lambda: (leave, *finding.fix)) if apart else finding.fix)
