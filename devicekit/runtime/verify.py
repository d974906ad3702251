"""`verify`: try what the diagnosis predicts, each framework in a child process of its own."""

import time
from typing import Iterable, List, Optional, Tuple, Union

from ..children.progress import Progress
from ..children.spawn import isolated
from ..diagnosis.findings import Diagnosis, Finding, FrameworkStatus
from ..errors import listed, unknown_name
from ..machine.facts import Machine
from ..machine.host import Interpreter
from ..machine.live_host import LiveHost, this_interpreter
from .settings import read_settings
from .verification import FrameworkVerification, Observation, Verification

#: What can be tried.
FRAMEWORKS = ("tensorflow", "keras", "jax", "torch")

#: A first import after the installation compiles thousands of files; a first kernel on a new GPU takes as long.
TIMEOUT_S = 120.0

_LONGEST_S = 86400.0
_MOST_FINDINGS = 3


def verify(frameworks: Union[str, Iterable[str], None] = None, *, timeout_s: float = TIMEOUT_S) -> Verification:
    """Try the installed frameworks, and say where they do not do what `diagnose` predicts.

    Each is imported in a child process of its own, lists its devices, and computes on each of them what training touches: a
    matrix product, an elementwise operation, random numbers, a convolution, with their gradients. Then one step of a small
    Keras model is trained, or of a model without Keras where Keras does not compute with JAX or PyTorch, on each device.
    Results are compared with the CPU's. A crash or a hang ends the child and nothing else.

    Parameters
    ----------
    frameworks : str, iterable of str or None
        Which of ``"tensorflow"``, ``"keras"``, ``"jax"`` and ``"torch"``; by default all that are installed.
    timeout_s : float
        Seconds after which a framework that gives no answer is ended. Counted for each.

    Returns
    -------
    Verification

    Raises
    ------
    ValueError
        Where an argument is not one of the accepted; the message lists those.

    See Also
    --------
    diagnose : The prediction alone, without running anything.
    """
    # What this process has imported does not matter to a child.
    return verify_interpreter(this_interpreter().replace(modules=()), frameworks, timeout_s)


def verify_interpreter(
    interpreter: Interpreter, frameworks: Union[str, Iterable[str], None] = None, timeout_s: float = TIMEOUT_S
) -> Verification:
    """Do the same with any interpreter of this machine; see `verify`."""
    from ..diagnosis.diagnose import diagnose
    from ..machine.probe import read_machine

    names = _names(frameworks)
    if not (isinstance(timeout_s, (int, float)) and 0 < timeout_s <= _LONGEST_S):
        raise ValueError("a time limit is a number of seconds above 0 and up to %d, not %r" % (_LONGEST_S, timeout_s))
    # As a program elsewhere would find it: what a file in the working folder hides is the doctor's to say, and nothing that
    # is only there is run.
    elsewhere = interpreter.replace(sys_path=tuple(isolated(interpreter.sys_path, (interpreter.cwd,))))
    host = LiveHost(elsewhere)
    with Progress("examining %s" % interpreter.executable, read_settings().quiet):
        machine = read_machine(host, deep=True)
        shadowed = () if elsewhere.sys_path == interpreter.sys_path else _shadowed(read_machine(LiveHost(interpreter)))
    diagnosis = diagnose(machine)
    statuses: List[FrameworkStatus] = list(diagnosis.frameworks)
    if names:
        found = {status.framework: status for status in statuses}
        # Asked for and not installed: that its import fails is a prediction like any other.
        statuses = [found.get(name) or FrameworkStatus(name, None, False, False) for name in names]
    tried = tuple(_tried(host, machine, diagnosis, status, timeout_s) for status in statuses)
    return Verification(machine, tried, shadowed)


def _shadowed(machine: Machine) -> Tuple[Finding, ...]:
    """Return what files in a folder of the path hide, as far as a framework imports it."""
    from ..diagnosis.diagnose import diagnose

    findings = diagnose(machine).findings
    return tuple(item for item in findings if item.code == "module-shadowed" and item.severity == "error")


def _names(frameworks: Union[str, Iterable[str], None]) -> Tuple[str, ...]:
    if frameworks is None:
        return ()
    names = [frameworks] if isinstance(frameworks, str) else listed(frameworks, "frameworks", "names")
    for name in names:
        if name not in FRAMEWORKS:
            raise ValueError(unknown_name("framework", name, FRAMEWORKS))
    return tuple(dict.fromkeys(names))


def _tried(
    host: LiveHost, machine: Machine, diagnosis: Diagnosis, predicted: FrameworkStatus, timeout_s: float
) -> FrameworkVerification:
    from .trial.run import try_framework

    name, interpreter = predicted.framework, host.interpreter
    keras = name in ("tensorflow", "keras") or _keras_backend(machine) == name
    with Progress("trying %s in a separate process" % name, read_settings().quiet) as progress:
        started = time.monotonic()
        task = {"framework": name, "keras": keras}
        trial = try_framework(task, interpreter.executable, interpreter.sys_path, timeout_s, progress.tick)
        seconds = time.monotonic() - started
    parts = (trial.error, trial.detail.strip()) if trial.outcome != "works" else ()
    error = host.scrub(": ".join(part for part in parts if part))[:1000]
    observed = Observation.of(trial, error, keras, seconds)
    backend = (_keras_backend(machine) or "tensorflow") if name == "keras" else name
    undecided = any(item.usable is None for item in diagnosis.candidates_for(backend))
    result = FrameworkVerification(predicted, observed, undecided_devices=undecided)
    if result.works or observed.outcome == "not-run":
        return result
    return result.replace(findings=_causes(host.scrub(trial.output), result, machine, diagnosis))


def _keras_backend(machine: Machine) -> Optional[str]:
    """What Keras 3 would compute with, None where there is no such Keras."""
    from ..diagnosis.rules.keras import backend, is_keras3, keras_version
    from ..diagnosis.view import View
    from ..matrix.matrix import BUNDLED

    view = View(machine, BUNDLED)
    return backend(view).name if is_keras3(keras_version(view)) else None


def _causes(output: str, result: FrameworkVerification, machine: Machine, diagnosis: Diagnosis) -> Tuple[Finding, ...]:
    """Return the first findings from what a child printed, and what the prediction named."""
    from ..logs.explain import explain_log

    name = result.framework
    source = "output of %s" % name
    # An exception is in the output with its traceback; how a process ended is not.
    text = output if result.observed.outcome in ("raised", "wrong") else "%s\n%s" % (output, result.observed.error)
    used = (_keras_backend(machine) or "tensorflow") if name == "keras" else name
    concerned = {name, used, used + ".devices"}
    concerned |= {"keras", "keras.fit"} if result.observed.keras_runs is False else set()
    found = [
        item
        for item in explain_log(text, machine, source=source).findings
        if item.severity != "info"
        # In addition to what the output shows, only what the diagnosis says of this framework.
        and (concerned & set(item.blocks) or any(seen.source.startswith(source) for seen in item.evidence))
    ]
    cause = diagnosis.by_code(result.predicted.cause, used) if result.predicted.cause else None
    if cause is not None and not any(item.code == cause.code for item in found):
        found.append(cause)
    if result.agrees and cause is not None:
        # What was predicted came true: its cause comes before what the output says of the symptoms.
        found.sort(key=lambda item: item.code != cause.code)
    return tuple(found[:_MOST_FINDINGS])
