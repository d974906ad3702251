"""The framework to set up for a request, and what Keras needs to compute with it. Pure."""

from typing import List, NamedTuple, Optional, Tuple

from ..diagnosis.commands import Shell, place_of
from ..diagnosis.findings import Candidate, Diagnosis, Evidence, Finding, Fix, Kind, name_of
from ..diagnosis.frameworks import BACKENDS, TITLES, choose_framework, is_installed, keras_backend, keras_is_free
from ..machine.facts import Machine
from .device_ids import is_named
from .request import Request


class FrameworkChoice(NamedTuple):
    """The framework to set up, the variables that Keras needs for it, and the findings about that.

    ``unsupported``: Keras computes with something that devicekit cannot set up. ``aside``: it is not the framework that
    this machine's findings are about, where what keeps it from a device is only a note.
    """

    name: Optional[str]
    environment: Tuple[Tuple[str, str], ...] = ()
    findings: Tuple[Finding, ...] = ()
    unsupported: bool = False
    aside: bool = False


def choose_target(machine: Machine, diagnosis: Diagnosis, request: Request, asked: Optional[str]) -> FrameworkChoice:
    """Decide which framework is set up for a request.

    ``asked="any"`` takes another installed framework if the default one cannot use the requested device and the other may,
    as long as Keras has no backend yet. The user's ``KERAS_BACKEND`` is never changed.

    Raises
    ------
    ValueError
        If ``asked`` is not a framework that devicekit supports.
    """
    target = _target(machine, diagnosis, request, asked)
    return target._replace(aside=asked is not None and name_of(target.name) != name_of(choose_framework(machine)))


def _target(machine: Machine, diagnosis: Diagnosis, request: Request, asked: Optional[str]) -> FrameworkChoice:
    chosen = choose_framework(machine, asked)
    if chosen is None and asked in BACKENDS:
        return FrameworkChoice(None, findings=(_missing(machine, str(asked)),))
    backend = keras_backend(machine)
    if asked in (None, "keras", "any") and backend not in (None, *BACKENDS) and _decides(machine, asked):
        if is_installed(machine, str(backend)) or backend == "numpy":
            return FrameworkChoice(backend, findings=(_unsupported(str(backend)),), unsupported=True)
    if asked == "any":
        other = _better(machine, diagnosis, request, chosen)
        if other is not None and (keras_is_free(machine) or backend in (None, other)):
            return FrameworkChoice(other, _keras_setting(machine, other))
        if other is not None:
            return FrameworkChoice(chosen, findings=(_differs(machine, other, str(backend), better=True),))
    if asked is None and chosen is not None and _is_a_mere_default(machine, backend):
        return FrameworkChoice(chosen, _keras_setting(machine, chosen))
    if asked is None or chosen is None or backend in (None, name_of(chosen)):
        return FrameworkChoice(chosen)
    if keras_is_free(machine):
        return FrameworkChoice(chosen, _keras_setting(machine, chosen))
    if name_of(chosen) != asked:  # "keras" or "any" was requested: Keras decides, and has decided
        return FrameworkChoice(chosen)
    return FrameworkChoice(chosen, findings=(_differs(machine, chosen, str(backend)),))


def _is_a_mere_default(machine: Machine, backend: Optional[str]) -> bool:
    """Whether Keras would take TensorFlow, which is not installed, only because it is the default."""
    config = machine.python.keras_config.or_none()
    # Keras itself writes the file at its first import, with its default in it: that names nothing.
    named = config is not None and config.backend not in (None, "", "tensorflow")
    return keras_is_free(machine) and backend == "tensorflow" and not named and not is_installed(machine, "tensorflow")


def _decides(machine: Machine, asked: Optional[str]) -> bool:
    """Whether Keras's backend decides which framework is set up: not if a framework is imported without Keras."""
    imported = {module.name for module in machine.process.modules}
    return asked == "keras" or "keras" in imported or not imported.intersection(BACKENDS)


def _keras_setting(machine: Machine, framework: str) -> Tuple[Tuple[str, str], ...]:
    wanted = name_of(framework)
    return (("KERAS_BACKEND", wanted),) if keras_is_free(machine) and keras_backend(machine) != wanted else ()


def _better(machine: Machine, diagnosis: Diagnosis, request: Request, chosen: Optional[str]) -> Optional[str]:
    """Return another installed framework that may use the requested device, if the default one cannot."""
    if request.kind not in ("auto", "gpu") or (chosen is not None and _can_use(diagnosis, request, chosen)):
        return None
    for name in BACKENDS:
        if name != name_of(chosen) and is_installed(machine, name) and _can_use(diagnosis, request, name):
            return choose_framework(machine, name)
    return None


def _can_use(diagnosis: Diagnosis, request: Request, framework: str) -> bool:
    status = diagnosis.framework(name_of(framework))
    if status is not None and status.will_import is False:
        return False
    return any(_fits(item, request) and item.usable is not False for item in diagnosis.candidates_for(framework))


def _fits(candidate: Candidate, request: Request) -> bool:
    if candidate.platform in ("", "cpu") or request.platform not in (None, candidate.platform):
        return False
    if candidate.device_type and request.platform is None and request.kind == "gpu":
        return False
    if request.identifiers:
        return is_named(request, candidate)
    return not request.indices or int(candidate.device.partition(":")[2]) in request.indices


def _missing(machine: Machine, framework: str) -> Finding:
    title = TITLES[framework]
    there = [TITLES[name] for name in BACKENDS if is_installed(machine, name)]
    return Kind("framework-missing", "error", (framework,)).finding(
        "%s was asked for and is not installed in this Python environment." % title,
        (Evidence("installed: %s" % (", ".join(there) or "no framework"), "distributions"),),
        (
            Shell(place_of(machine)).run_fix(
                "See which release fits here, and how to install it", "devicekit", "resolve", "--framework", framework
            ),
        ),
    )


def _unsupported(backend: str) -> Finding:
    return Kind("framework-unsupported", "info").finding(
        "Keras computes with %s here, which devicekit does not set up: nothing was changed." % backend,
        (Evidence("the backend is %s" % backend, "KERAS_BACKEND, keras.json, or the Keras that is imported"),),
        (Fix("Let Keras compute with one of %s" % ", ".join(TITLES[name] for name in BACKENDS)),),
    )


def _differs(machine: Machine, framework: str, backend: str, better: bool = False) -> Finding:
    """Keras computes with another framework than the requested one, or (``better``) than one that could use the device."""
    title, bound = TITLES[framework], TITLES.get(backend, backend)
    shell = Shell(place_of(machine))
    evidence = Evidence("KERAS_BACKEND=%s" % backend, "environment")
    fixes: List[Fix] = [shell.set_fix("Let Keras compute with %s" % title, "KERAS_BACKEND", name_of(framework))]
    if any(module.name == "keras" for module in machine.process.modules):
        evidence = Evidence("it was imported with the backend %s" % backend, "keras.backend.backend()")
        first = Fix("Call devicekit.auto() before anything imports Keras", changes="code")
        fixes = [first, fixes[0].replace(instead=True)]
    elif not machine.process.env("KERAS_BACKEND"):
        evidence = Evidence("Keras before 3 computes with TensorFlow only", "distributions")
        fixes = [Fix("Use Keras 3, which computes with %s as well" % title)]
    summary = "Keras computes with %s here: what is set up for %s does not hold for it." % (bound, title)
    if better:
        summary = "%s could use the device that was asked for, but Keras is bound to %s." % (title, bound)
    return Finding("keras-backend-differs", "warning", summary, (evidence,), tuple(fixes))
