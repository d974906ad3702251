"""Rules: pure functions from (Machine, matrix) to findings, one code each.

`diagnose` runs them in an explicit order in which causes come before what they hide. A rule that needs an unknown fact
is "not evaluated, because"; a rule that fails is reported the same way and stops nothing.
"""

from typing import Callable, Dict, Iterable, List, NamedTuple, Set, Tuple

from ..errors import UnknownFactError
from ..facts import Machine
from ..findings import SEVERITIES, Diagnosis, Finding, NotEvaluated
from ..matrix import Matrix
from .view import View

__all__ = ["CODES", "MEASURED_CODES", "UNLOADABLE", "Rule", "diagnose", "rule", "rules"]

RuleFunction = Callable[[View], Iterable[Finding]]


class Rule(NamedTuple):
    """A rule: its code, what hides it, and the function. ``hidden_by``: where one of these fired, it is a symptom."""

    code: str
    hidden_by: Tuple[str, ...]
    function: RuleFunction


_REGISTRY: Dict[str, Rule] = {}

#: Where one of these fired no wheel can be loaded: what else is wrong with the Python layer does not matter yet.
UNLOADABLE = ("system-library-too-old", "cpu-instructions-missing", "msvc-runtime-missing")


def rule(code: str, hidden_by: Tuple[str, ...] = ()) -> Callable[[RuleFunction], RuleFunction]:
    """Register a rule under its code."""

    def register(function: RuleFunction) -> RuleFunction:
        if code in _REGISTRY:
            raise ValueError("two rules for code %s" % code)
        _REGISTRY[code] = Rule(code, hidden_by, function)
        return function

    return register


#: The order of evaluation, and of findings of the same severity: a cause stands before what it can hide.
CODES = (
    "python-unsupported", "platform-unsupported", "system-library-too-old", "cpu-instructions-missing",
    "msvc-runtime-missing", "framework-missing", "install-corrupt", "distributions-conflict", "module-shadowed",
    "keras-incompatible", "numpy-incompatible", "protobuf-incompatible", "dependency-incompatible",
    "plugin-version-mismatch", "rosetta-python", "wsl-without-gpu", "environment-variable-fatal",
    "container-without-gpu", "directml-missing", "directml-unsupported", "cpu-only-build", "metal-plugin-missing",
    "gpu-vendor-unsupported", "device-hidden", "device-permission-denied", "driver-missing", "driver-shadowed",
    "driver-mismatch", "driver-unhealthy", "driver-too-old", "rocm-missing", "rocm-version-mismatch", "gfx-unsupported",
    "compute-capability-unsupported", "cuda-version-mismatch", "cuda-library-missing", "cudnn-missing",
    "cudnn-version-mismatch", "xla-toolchain-missing", "no-gpu",
)  # fmt: skip

#: Codes that only a run can show; `devicekit.selftest` and `devicekit.apply` make these findings.
MEASURED_CODES = (
    "framework-broken", "runtime-already-initialized", "numerics-divergent", "out-of-memory", "device-lost", "op-unsupported",
    "cache-unwritable", "setting-invalid", "framework-unsupported", "device-busy", "slower-than-cpu",
)  # fmt: skip


def rules() -> Tuple[Rule, ...]:
    """Return all rules in their order."""
    # They register themselves.
    from . import cuda, dependencies, directml, driver, keras, metal, native, process, python, rocm  # noqa: F401

    return tuple(_REGISTRY[code] for code in CODES)


def diagnose(machine: Machine, matrix: Matrix) -> Diagnosis:
    """Run all rules over a machine.

    Parameters
    ----------
    machine : Machine
        What is known.
    matrix : Matrix
        What goes together.
    """
    from .outlook import candidates
    from .prediction import statuses

    view = View(machine, matrix)
    findings: List[Finding] = []
    undecided: List[NotEvaluated] = []
    fired: Set[str] = set()
    for item in rules():
        if any(code in fired for code in item.hidden_by):
            continue
        try:
            made = list(item.function(view))
        except UnknownFactError as error:
            undecided.append(NotEvaluated(item.code, str(error)))
            continue
        except Exception as error:  # a defect of one rule must not take the others down; it is reported
            undecided.append(NotEvaluated(item.code, "the rule failed: %s: %s" % (type(error).__name__, error)))
            continue
        findings += made
        # A remark that blocks nothing explains nothing either.
        if any(finding.blocks or finding.severity != "info" for finding in made):
            fired.add(item.code)
    order = {severity: number for number, severity in enumerate(SEVERITIES)}
    findings.sort(key=lambda finding: order[finding.severity])  # stable: the rules' order stays within a severity
    devices, problems = candidates(view, tuple(findings), frozenset(item.code for item in undecided))
    undecided += problems
    try:
        frameworks = statuses(view, tuple(findings), devices)
    except UnknownFactError as error:
        frameworks = ()
        undecided.append(NotEvaluated("framework-missing", "what each framework will do is not known: %s" % error))
    return Diagnosis(
        findings=tuple(findings),
        candidates=devices,
        frameworks=frameworks,
        not_evaluated=tuple(undecided),
    )
