"""Rules: pure functions from (Machine, matrix) to findings, one code each.

`diagnose` runs them in an explicit order in which causes come before what they hide. A rule that needs an unknown fact
is "not evaluated, because"; a rule that fails is reported the same way and stops nothing.
"""

from typing import TYPE_CHECKING, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ...errors import UnknownFactError
from ...machine.facts import Machine
from ...matrix.matrix import Matrix
from ..findings import SEVERITIES, Diagnosis, Finding, NotEvaluated, name_of
from ..framework_choice import choose_framework
from ..view import View

if TYPE_CHECKING:
    from ...plugins.interface import Platform
    from .plugin_platforms import Plugins

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
    "plugin-version-mismatch", "plugin-broken", "rosetta-python", "wsl-without-gpu", "environment-variable-fatal",
    "container-without-gpu", "directml-missing", "directml-unsupported", "cpu-only-build", "metal-plugin-missing",
    "gpu-vendor-unsupported", "device-hidden", "device-permission-denied", "driver-missing", "driver-shadowed",
    "driver-mismatch", "driver-unhealthy", "driver-too-old", "rocm-missing", "rocm-version-mismatch", "gfx-unsupported",
    "compute-capability-unsupported", "cuda-version-mismatch", "cuda-library-missing", "cudnn-missing",
    "cudnn-version-mismatch", "xla-toolchain-missing", "device-busy", "out-of-memory", "memory-limit-too-low",
    "cpu-quota-ignored", "no-gpu",
)  # fmt: skip

#: Codes that only a run can show; `devicekit.runtime.trial` and `devicekit.runtime.apply` make these findings.
MEASURED_CODES = (
    "framework-broken", "runtime-already-initialized", "numerics-divergent", "device-lost", "op-unsupported",
    "cache-unwritable", "setting-invalid", "framework-unsupported", "keras-backend-differs", "slower-than-cpu",
    "devices-unlike",
)  # fmt: skip


def rules() -> Tuple[Rule, ...]:
    """Return all rules in their order."""
    # They register themselves.
    from . import (  # noqa: F401
        broken_plugins,
        cuda,
        dependencies,
        device_use,
        directml,
        driver,
        keras,
        metal,
        native,
        process,
        processor,
        python,
        rocm,
    )

    return tuple(_REGISTRY[code] for code in CODES)


def diagnose(machine: Machine, matrix: Matrix, further: "Sequence[Platform]" = ()) -> Diagnosis:
    """Run all rules over a machine.

    Parameters
    ----------
    machine : Machine
        What is known.
    matrix : Matrix
        What goes together.
    further : sequence of Platform
        The plug-ins at hand, of those that have told something of the machine.
    """
    from ..candidates import candidates
    from ..prediction import statuses
    from ..suppression import Cause, as_seen_from, cause_of, hides_all, is_symptom
    from .alternatives import another_could
    from .keras import backend
    from .libraries import repairs

    view = View(machine, matrix)
    findings: List[Finding] = []
    undecided: List[NotEvaluated] = []
    fired: List[Cause] = []
    meant = name_of(choose_framework(machine))
    keras = backend(view).name
    for item in rules():
        if hides_all(fired, item.hidden_by):
            continue
        made: List[Finding] = []
        try:
            for finding in item.function(view):
                made.append(finding)
        except UnknownFactError as error:
            if not any(cause.code in item.hidden_by for cause in fired):
                undecided.append(NotEvaluated(item.code, str(error)))
        except Exception as error:  # a defect of one rule must not take the others down; it is reported
            undecided.append(NotEvaluated(item.code, "the rule failed: %s: %s" % (type(error).__name__, error)))
        made = [finding for finding in made if not is_symptom(finding, fired, item.hidden_by, keras)]
        findings += [as_seen_from(finding, meant) for finding in made]
        # A remark that blocks nothing explains nothing either.
        fired += [cause_of(finding, keras) for finding in made if finding.blocks or finding.severity != "info"]
    plugins = _plugins(machine, further)
    if plugins is not None:
        findings += plugins.findings
    order = {severity: number for number, severity in enumerate(SEVERITIES)}
    findings.sort(key=lambda finding: order[finding.severity])  # stable: the rules' order stays within a severity
    unsettled = frozenset(item.code for item in undecided)
    by_framework = {}
    for name in ("tensorflow", "jax", "torch"):
        by_framework[name], problems = candidates(view, tuple(findings), unsettled, name)
        undecided += problems if name == meant else []
        if plugins is not None:
            added = tuple(plugins.candidates(name, tuple(findings)))
            by_framework[name] = by_framework[name][:-1] + added + by_framework[name][-1:]
    if plugins is not None:
        findings += [item for item in plugins.findings if item not in findings]
        undecided += plugins.undecided
    try:
        frameworks = statuses(view, tuple(findings), by_framework)
        findings += another_could(view, meant, by_framework, frameworks)
    except UnknownFactError as error:
        frameworks = ()
        undecided.append(NotEvaluated("framework-missing", "what each framework will do is not known: %s" % error))
    return Diagnosis(
        findings=tuple(findings),
        candidates=by_framework[meant],
        frameworks=frameworks,
        not_evaluated=tuple(undecided),
        by_framework=tuple(by_framework.items()),
        libraries=repairs(view),
    )


def _plugins(machine: Machine, further: "Sequence[Platform]") -> "Optional[Plugins]":
    """What plug-ins say of a machine, None where none has told anything of it."""
    if not machine.platforms:
        return None
    from .plugin_platforms import Plugins

    plugins = Plugins(machine, further, CODES + MEASURED_CODES)
    plugins.judge()
    return plugins
