"""`strategy`: carries a `StrategyPlan` out; `plan_strategy`: decides only."""

import os
from typing import Any, Mapping, Optional, Tuple

from ...diagnosis.findings import Evidence, Finding, Fix
from ...errors import DeviceUnavailableError, log
from ...machine.detect import real_machine, stand_ins
from ...machine.facts import Machine
from ...runtime.settings import read_settings
from ...selection.plan import Plan
from ...selection.request import parse_request
from ...selection.selection import Selection
from .cluster_environment import Cluster, parse_cluster
from .strategy_plan import StrategyPlan, plan_for_devices


def plan_strategy(
    devices: str = "auto",
    *,
    framework: Optional[str] = None,
    machine: Optional[Machine] = None,
    environ: Optional[Mapping[str, str]] = None,
) -> StrategyPlan:
    """Decide what `strategy` would set up, and do nothing else: no framework is imported, nothing is changed.

    Parameters
    ----------
    devices, framework
        See `strategy`.
    machine : Machine or None
        The machine to decide for; this one by default.
    environ : mapping or None
        The environment that says which processes train together; for this machine its own by default, for another one
        the variables that are known of it.

    Returns
    -------
    StrategyPlan
        What would be set up, and why. Its ``kind`` is ``"refused"`` where `strategy` would raise.

    Raises
    ------
    ValueError
        If an argument is not one of the accepted, or a variable such as ``TF_CONFIG`` is broken.
    """
    others = stand_ins.get()
    if machine is None and others:  # in a test that has put another machine in this one's place
        machine = others[-1]
    return _decide(devices, framework, machine, environ)[0]


def _decide(
    devices: str, framework: Optional[str], machine: Optional[Machine], environ: Optional[Mapping[str, str]]
) -> Tuple[StrategyPlan, Plan]:
    from ...diagnosis.diagnose import diagnose
    from ...runtime.decide import plan_for, requested

    notes: Tuple[Finding, ...] = ()
    if machine is None:
        request, notes = requested(devices)
    else:
        request = parse_request(devices)
    examined = machine if machine is not None else real_machine()
    if environ is None:
        environ = dict(os.environ) if machine is None else dict(machine.process.environ)
    cluster: Optional[Cluster] = parse_cluster(environ)
    base = plan_for(request, framework, examined)
    chosen, base = plan_for_devices(examined, diagnose(examined), base, cluster, environ)
    return chosen.replace(findings=chosen.findings + notes), base


def strategy(
    devices: str = "auto",
    *,
    framework: Optional[str] = None,
    require: bool = False,
    memory: Any = "grow",
    verify: str = "cached",
) -> Any:
    """Set up training on several devices or in several processes, and return the framework's own object for it.

    The devices are made visible, and their memory is set, as `devicekit.auto` does; call this instead of it, before the
    framework's first operation. Which processes belong together is taken from ``TF_CONFIG``, which wins, or from the
    variables that torchrun, Kubeflow, ``devicekit launch`` or Slurm have set.

    Parameters
    ----------
    devices : str
        ``"auto"`` or ``"gpu"``: all usable accelerators of one kind; ``"gpu:0,2"``: these; ``"cpu"``: the processor.
        ``"auto"`` takes the variable ``DEVICEKIT_DEVICE`` where that is set.
    framework : {"tensorflow", "jax", "torch", "keras"} or None
        See `devicekit.select_device`.
    require : bool
        Whether to raise where the asked device (with ``"auto"``: any accelerator) cannot be used.
    memory : "grow", "all", int or str
        See `devicekit.auto`.
    verify : {"cached", "always", "never"}
        See `devicekit.auto`.

    Returns
    -------
    tf.distribute.Strategy, keras.distribution.DataParallel or torch.device
        With TensorFlow `OneDeviceStrategy`, `MirroredStrategy` or `MultiWorkerMirroredStrategy`: build and compile the
        model within its ``scope()``. With Keras on JAX `DataParallel`, which is already active; for several processes
        ``jax.distributed.initialize`` was called. With PyTorch, where Keras trains on one device, that device.

    Raises
    ------
    DeviceUnavailableError
        If a part of the devices is broken, they cannot train together, or the framework cannot do what is asked; with
        ``require=True`` also where there is nothing but the processor. Carries the findings.
    ValueError
        If an argument is not one of the accepted, or a variable such as ``TF_CONFIG`` is broken.

    Notes
    -----
    The reason and the findings are logged on ``logging.getLogger("devicekit")``; `plan_strategy` returns them.
    """
    from ...errors import notify
    from ...runtime.apply import apply_plan
    from ...runtime.decide import Options
    from ...runtime.notices import announce, family_of, unavailable

    options = Options(memory=memory, verify=verify).checked()
    settings = read_settings()
    chosen, base = _decide(devices, framework, None, None)
    if chosen.kind == "refused":
        raise _refusal(chosen, devices)
    # Its operation would start the devices, which several processes must not do before they know of each other.
    apart = chosen.cluster is not None
    if apart and not base.indices:
        options = options.replace(verify="never")
    if apart and chosen.framework == "jax":
        _join_jax(chosen)
    if apart and chosen.framework == "tensorflow":
        _check_not_running(chosen, devices)
    selection = apply_plan(base, real_machine(), options.replace(verify="never") if apart else options)
    from ...runtime.scope import forget_devices

    forget_devices()
    if require and selection.device in ("cpu", "auto") and base.request.kind != "cpu":
        raise unavailable(selection)
    chosen = _as_in_force(chosen, base, selection)
    if chosen.kind == "refused":
        raise _refusal(chosen, devices)
    made = _make(chosen)
    announce(selection, settings.quiet, None)
    for finding in chosen.findings:
        if finding not in selection.findings and finding not in base.findings:  # of the set, or of what it is for
            notify(finding, family_of(finding), quiet=settings.quiet)
    log("info", "%s", chosen)
    return made


def _refusal(chosen: StrategyPlan, devices: str) -> DeviceUnavailableError:
    cause = chosen.findings[0] if chosen.findings else None
    text = "strategy(%r) cannot be set up: %s." % (devices, chosen.reason.rstrip("."))
    if cause is not None:
        text = "[%s] %s" % (cause.code, text)
        for fix in tuple(cause.fix)[:1]:
            text += " %s%s" % (fix.text, ": " + fix.command if fix.command else ".")
    return DeviceUnavailableError(text, chosen.findings)


def _as_in_force(chosen: StrategyPlan, base: Plan, selection: Selection) -> StrategyPlan:
    """Return the plan for what came of the devices: a trial may have decided against them, or they were fixed before."""
    if selection.device == "auto":
        return _nothing(chosen, selection)
    if selection.device == base.device:
        return chosen
    late = any(item.code == "runtime-already-initialized" for item in selection.findings[:1])
    if len(chosen.devices) > 1 and (late or base.request.indices):  # these were named, and not one of them less will do
        return _nothing(chosen, selection)
    names = ("gpu:0",) if selection.device.startswith("gpu") else (selection.device,)
    kind = "one-device" if chosen.kind == "mirrored" else chosen.kind
    communication = "ring" if chosen.communication == "nccl" and selection.platform == "cpu" else chosen.communication
    return chosen.replace(kind=kind, devices=names, platform=selection.platform, cross_device_ops=None, fallback=True,
        communication=communication, reason=selection.reason, findings=selection.findings,
    )  # fmt: skip


def _nothing(chosen: StrategyPlan, selection: Selection) -> StrategyPlan:
    return chosen.replace(kind="refused", findings=selection.findings, reason=selection.reason)


def _check_not_running(chosen: StrategyPlan, devices: str) -> None:
    """Refuse where TensorFlow runs already: MultiWorkerMirroredStrategy then fails with a text that names no cause."""
    import sys

    from ...runtime.frameworks import adapter

    if "tensorflow" not in sys.modules or not adapter("tensorflow").initialized():
        return
    link = "https://www.tensorflow.org/tutorials/distribute/multi_worker_with_keras"
    raise _too_late(chosen, devices, "TensorFlow", Evidence("the context exists", "TensorFlow"), link)


def _too_late(chosen: StrategyPlan, devices: str, name: str, evidence: Evidence, link: str) -> DeviceUnavailableError:
    summary = "%s initialized its devices before devicekit.strategy() was called, so it can no longer join the other "
    summary += "processes."
    fix = Fix("Call devicekit.strategy() before the first operation, best in the first line of the program")
    finding = Finding("runtime-already-initialized", "error", summary % name, (evidence,), (fix,), (), link)
    return _refusal(chosen.replace(kind="refused", findings=(finding,), reason=finding.summary), devices)


def _join_jax(chosen: StrategyPlan) -> None:
    from ...runtime.frameworks.training_jax import join

    cluster = chosen.cluster
    assert cluster is not None
    try:
        join(cluster.coordinator, cluster.size, cluster.index)
    except RuntimeError as error:
        if "before" not in str(error):  # the others could not be met
            raise
        evidence = Evidence(str(error)[:300], "jax.distributed.initialize")
        link = "https://docs.jax.dev/en/latest/multi_process.html"
        raise _too_late(chosen, "auto", "JAX", evidence, link) from error


def _make(chosen: StrategyPlan) -> Any:
    """Return the framework's own object."""
    cluster = chosen.cluster
    numbers = [int(name.partition(":")[2] or 0) for name in chosen.devices if not name.startswith("cpu")]
    if chosen.framework == "jax":
        from ...runtime.frameworks.training_jax import data_parallel

        return data_parallel(numbers, processes=cluster.size if cluster is not None else 1)
    if chosen.framework == "torch":
        from ...runtime.frameworks.keras_torch import numbered_device

        return numbered_device(numbers)
    from ...runtime.frameworks import training_tensorflow

    if chosen.kind == "multi-worker-mirrored":
        assert cluster is not None
        workers = None if cluster.source == "TF_CONFIG" else cluster.workers
        return training_tensorflow.multi_worker(workers, cluster.index, chosen.communication or "ring")
    if chosen.kind == "mirrored":
        return training_tensorflow.mirrored(chosen.cross_device_ops or "reduction-to-one-device")
    return training_tensorflow.one_device()
