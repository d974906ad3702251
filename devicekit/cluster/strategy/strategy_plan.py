"""`StrategyPlan`: which devices and processes train together and how they exchange gradients. Pure.

Facts behind the decisions that are not documented were measured:

- ``NcclAllReduce`` exists in TensorFlow's Linux builds only (Windows has none; tensorflow.org, "Distributed training with
  TensorFlow", names ``HierarchicalCopyAllReduce`` for it). Both others work on two devices of a plug-in (TensorFlow 2.21).
- ``model.fit`` of Keras 3.15 fails with MultiWorkerMirroredStrategy in TensorFlow 2.21, in all workers at once, with a
  ValueError (``PerReplica``); a custom loop with Keras 3 works there, ``fit`` does with tf-keras 2.21 and in TensorFlow 2.10.
- Keras 3.15 has no ``distribution`` for PyTorch; for JAX it has ``DataParallel``, also across processes.
"""

from typing import List, Mapping, Optional, Sequence, Tuple, Union

from ...diagnosis.commands import Shell, place_of, this_shell
from ...diagnosis.findings import Candidate, Diagnosis, Evidence, Finding, Fix, Kind, name_of
from ...diagnosis.rules.several_gpus import alike, described
from ...machine.facts import Machine
from ...records import Record
from ...selection.plan import Plan, number_of
from .cluster_environment import Cluster
from .device_shares import own_share

#: ``refused``: nothing is set up, and the first of the findings says why.
KINDS = ("one-device", "mirrored", "multi-worker-mirrored", "data-parallel", "refused")


class StrategyPlan(Record):
    """What `devicekit.strategy` would set up.

    Attributes
    ----------
    kind : str
        ``"one-device"``, ``"mirrored"``, ``"multi-worker-mirrored"``, ``"data-parallel"`` or ``"refused"``.
    framework : str or None
        As in `Selection.framework`.
    devices : tuple of str
        Of this process: ``("gpu:0", "gpu:1")`` or ``("cpu",)``.
    platform : str
        Of these devices.
    cross_device_ops : {"nccl", "hierarchical-copy", "reduction-to-one-device"} or None
        How `MirroredStrategy` adds up the gradients of its devices.
    communication : {"ring", "nccl"} or None
        How `MultiWorkerMirroredStrategy` adds up those of its workers.
    cluster : Cluster or None
        The processes that train together, None for one alone.
    fallback : bool
        Whether this is less than what was asked for, or than what is there.
    reason : str
        Why, in one sentence.
    findings : tuple of Finding
        What was found, the deciding one first.
    """

    kind: str
    framework: Optional[str]
    devices: Tuple[str, ...]
    platform: str
    cross_device_ops: Optional[str] = None
    communication: Optional[str] = None
    cluster: Optional[Cluster] = None
    fallback: bool = False
    reason: str = ""
    findings: Tuple[Finding, ...] = ()

    def __str__(self) -> str:
        return "devicekit: %s on %s: %s" % (self.kind, ", ".join(self.devices) or "nothing", self.reason)


def plan_for_devices(
    machine: Machine,
    diagnosis: Diagnosis,
    base: Plan,
    cluster: Optional[Cluster] = None,
    variables: Optional[Mapping[str, str]] = None,
) -> Tuple[StrategyPlan, Plan]:
    """Return what would be set up, and the plan that sets up its devices.

    ``base`` is what `devicekit.selection.choose.choose` decided: the framework, and the first device. ``variables`` is
    the environment, which also says which Keras is used, and whether the devices were distributed before.
    """
    # Whether the devices of this machine differ matters only of those that are chosen here.
    base = base.replace(findings=tuple(item for item in base.findings if item.code != "devices-unlike"))
    framework = base.framework
    if not base.importable or framework is None:
        return _refused(base, base.findings[:1], base.reason), base
    chosen = set_of_devices(diagnosis, base)
    if isinstance(chosen, Finding):
        return _refused(base, (chosen,), chosen.summary), base
    devices, notes = chosen
    if cluster is not None:
        devices = list(own_share(devices, cluster, variables or {}))
    if base.indices:
        # The first device is the one that the plan decided on; the others follow it.
        indices = tuple(number_of(item) for item in devices)
        label = "%s:%s" % (base.device.partition(":")[0], ",".join(map(str, indices)))
        base = base.replace(indices=indices, device=label, alternatives=())
    names = tuple(item.device for item in devices) or (base.device,)
    plan = StrategyPlan(
        "one-device", framework, names, base.platform, cluster=cluster, fallback=base.fallback, reason=base.reason,
        findings=tuple(notes) + base.findings,
    )  # fmt: skip
    if cluster is not None and cluster.role == "evaluator":
        return plan.replace(cluster=None, reason="an evaluator runs alone, on one device", devices=names[:1]), base
    if framework == "torch":
        return _torch(plan, base)
    if framework == "jax":
        return plan.replace(kind="data-parallel", reason=_counted(plan)), base
    if cluster is not None:
        return _multi_worker(plan, machine, diagnosis, base, variables or {})
    if len(names) > 1:
        ops, why = _cross_device_ops(machine, diagnosis, plan.platform)
        return plan.replace(kind="mirrored", cross_device_ops=ops, reason="%s; %s" % (_counted(plan), why)), base
    return plan, base


def keras_generation(diagnosis: Diagnosis, variables: Mapping[str, str]) -> int:
    """Return which Keras ``tf.keras`` is, 2 or 3: Keras 3 from TensorFlow 2.16 on, unless ``TF_USE_LEGACY_KERAS`` is set."""
    status = diagnosis.framework("tensorflow")
    version = (status.version if status is not None else None) or ""
    numbers = [int(part) for part in version.split(".")[:2] if part.isdigit()]
    legacy = variables.get("TF_USE_LEGACY_KERAS", "").lower() in ("1", "true")
    return 2 if legacy or (len(numbers) == 2 and tuple(numbers) < (2, 16)) else 3


def _refused(base: Plan, findings: Sequence[Finding], reason: str) -> StrategyPlan:
    codes = [item.code for item in findings]
    others = tuple(item for item in base.findings if item.code not in codes)
    return StrategyPlan(
        "refused", base.framework, (), base.platform, fallback=True, reason=reason.rstrip("."),
        findings=tuple(findings) + others,
    )  # fmt: skip


def _counted(plan: StrategyPlan) -> str:
    count = len(plan.devices)
    kind = "unlike devices" if any(item.code == "devices-unlike" for item in plan.findings) else "devices of one kind"
    here = "%d %s" % (count, kind) if count > 1 else "one device" + (": " + plan.reason if plan.reason else "")
    if plan.cluster is None:
        return here
    return "%d processes (%s), each with %s" % (plan.cluster.size, plan.cluster.source, here)


def _cross_device_ops(machine: Machine, diagnosis: Diagnosis, platform: str) -> Tuple[str, str]:
    if platform == "cuda" and machine.native.system == "linux":
        missing = diagnosis.by_code("cuda-library-missing")
        if missing is None or "nccl" not in missing.summary.lower():
            return "nccl", "NCCL sums the gradients (CUDA on Linux)"
        return "hierarchical-copy", "gradients are summed by copies, because NCCL is not installed"
    if platform in ("cuda", "rocm"):
        where = "TensorFlow has no NCCL on Windows" if platform == "cuda" else "NCCL needs CUDA"
        return "hierarchical-copy", "gradients are summed by copies, because %s" % where
    return "reduction-to-one-device", "gradients are summed on one device, because NCCL needs CUDA"


def _multi_worker(
    plan: StrategyPlan, machine: Machine, diagnosis: Diagnosis, base: Plan, variables: Mapping[str, str]
) -> Tuple[StrategyPlan, Plan]:
    cluster = plan.cluster
    assert cluster is not None
    if plan.framework == "tensorflow1":
        finding = Kind("framework-unsupported", "error", ("tensorflow",)).finding(
            "With TensorFlow 1.15, devicekit sets up several devices in one process, but not several processes.",
            (Evidence("%d processes" % cluster.size, cluster.source),),
            (Fix("Start one process for all devices of this machine, or use TensorFlow 2"),),
        )
        return _refused(base, (finding,), finding.summary), base
    if not cluster.workers:
        finding = Finding(
            "setting-invalid",
            "error",
            "TensorFlow needs the addresses of all %d workers, but the variables (%s) name only the first one."
            % (cluster.size, cluster.source),
            (Evidence("TF_CONFIG is not set", "environment"),),
            (
                Fix("Set TF_CONFIG in every process, as Kubeflow's TFJob does"),
                _launch("Start the processes with devicekit", "--workers", str(cluster.size)).replace(instead=True),
            ),
            ("tensorflow",),
            "https://www.tensorflow.org/tutorials/distribute/multi_worker_with_keras",
        )
        return _refused(base, (finding,), finding.summary), base
    findings = plan.findings
    if keras_generation(diagnosis, variables) == 3:
        findings += (_fit_of_keras_3(machine),)
    nccl = plan.platform == "cuda" and machine.native.system == "linux"
    why = "NCCL (CUDA on Linux)" if nccl else "RING, because NCCL needs CUDA on Linux"
    plan = plan.replace(
        kind="multi-worker-mirrored",
        communication="nccl" if nccl else "ring",
        findings=findings,
        reason="%s; gradients by %s" % (_counted(plan), why),
    )
    return plan, base


def _fit_of_keras_3(machine: Machine) -> Finding:
    try:
        version = machine.python.version_of("keras") or ""
    except LookupError:  # the installed distributions could not be read
        version = ""
    blocks, shell = ("keras.fit",), Shell(place_of(machine))
    return Kind("keras-incompatible", "warning", blocks, "https://github.com/keras-team/keras/issues/20585").finding(
        "model.fit of Keras 3 fails with MultiWorkerMirroredStrategy (a ValueError that names PerReplica); a custom training "
        "loop works, and so does model.fit of tf-keras, which is Keras 2, and of Keras 3 on JAX.",
        (Evidence("keras " + version if version else "Keras 3", "installed distributions"),),
        (
            shell.install_fix("Install Keras 2", "tf-keras"),
            shell.set_fix("Let TensorFlow use it", "TF_USE_LEGACY_KERAS", "1"),
            shell.set_fix("Train with Keras 3 on JAX", "KERAS_BACKEND", "jax", instead=True),
            Fix("Write the training loop as in examples/train_distributed.py", changes="code", instead=True),
        ),
    )


def _torch(plan: StrategyPlan, base: Plan) -> Tuple[StrategyPlan, Plan]:
    """Keras has nothing for several devices there, and says so late; one device is PyTorch's own `torch.device`."""
    if plan.cluster is None and len(plan.devices) == 1:
        return plan, base
    if plan.cluster is None and not base.request.indices:  # several were not asked for
        note = "the first of %d devices: Keras trains on one with PyTorch" % len(plan.devices)
        first = plan.devices[:1]
        base = base.replace(indices=base.indices[:1], device=first[0])
        return plan.replace(devices=first, reason=note, findings=(_no_distribution(plan), *plan.findings)), base
    finding = _no_distribution(plan).replace(severity="error")
    return _refused(base, (finding,), finding.summary), base


def _launch(text: str, *options: str) -> Fix:
    return this_shell().run_fix(text, "devicekit", "launch", *options, "SCRIPT")


def _no_distribution(plan: StrategyPlan) -> Finding:
    several = "%d processes" % plan.cluster.size if plan.cluster is not None else ", ".join(plan.devices)
    return Kind("framework-unsupported", "warning", ("keras.fit",), "https://keras.io/api/distribution/").finding(
        "Keras cannot spread training over several devices or processes with PyTorch: keras.distribution has no backend "
        "for it.",
        (Evidence(several, "devices"),),
        (
            _launch(
                "Write the training loop with torch.nn.parallel.DistributedDataParallel, and start it so that "
                "torch.distributed.init_process_group() finds its variables",
                "--framework",
                "torch",
                "--workers",
                str(max(2, len(plan.devices))),
            ),
            this_shell().set_fix(
                "Train with Keras on JAX, which has DataParallel", "KERAS_BACKEND", "jax", instead=True
            ),
        ),
    )


#: A device that one of these blocks is broken, not just excluded.
_BROKEN = ("driver-unhealthy", "device-lost", "device-permission-denied")


def set_of_devices(diagnosis: Diagnosis, base: Plan) -> Union[Finding, Tuple[List[Candidate], List[Finding]]]:
    """Return the devices that train together, the first one first, and findings about them; or why there are none."""
    if not base.indices:
        return [], []
    listed = [item for item in diagnosis.candidates_for(base.framework) if item.platform not in ("cpu", "")]
    if base.platform == "pluggable" and base.request.indices:
        # How many devices an unknown plug-in brings shows only when it runs: what is not there is found then.
        return [_device_of(base).replace(device="gpu:%d" % index) for index in base.indices], []
    if base.request.indices:
        asked = [item for item in listed if number_of(item) in base.request.indices]
        asked.sort(key=lambda item: base.request.indices.index(number_of(item)))
        lost = [item for item in asked if item.usable is False]
        missing = set(base.request.indices) - {number_of(item) for item in asked}
        if lost or (missing and len(base.request.indices) > 1):
            return _half_broken(diagnosis, base, lost, sorted(missing))
        if len({item.platform for item in asked}) > 1:
            return _unlike("error", asked, base)
        return asked, [_unlike("warning", asked, base)] if not _alike(asked) else []
    same = [item for item in listed if item.platform == base.platform]
    first = next((item for item in same if number_of(item) == base.indices[0]), None)
    if first is None or first.uuid.startswith("MIG-"):  # CUDA gives a process one slice of a GPU
        return [item for item in same if item is first] or [_device_of(base)], []
    broken = [item for item in same if item.usable is False and set(item.blocked_by) & set(_BROKEN)]
    if broken:
        return _half_broken(diagnosis, base, broken, [])
    usable = [item for item in same if item.usable is not False]
    usable.sort(key=number_of)
    alike = [item for item in usable if _alike([first, item])]
    left = [item for item in usable if item not in alike]
    return alike, [_unlike("warning", [first, *left], base, left_out=left)] if left else []


def _device_of(base: Plan) -> Candidate:
    return Candidate(base.device, base.platform, base.name, None, memory_bytes=base.memory_bytes)


def _alike(devices: Sequence[Candidate]) -> bool:
    return alike((item.name, item.memory_bytes) for item in devices)


def _listed(devices: Sequence[Candidate]) -> str:
    return described((item.device, item.name, item.memory_bytes) for item in devices)


def _unlike(severity: str, devices: Sequence[Candidate], base: Plan, left_out: Sequence[Candidate] = ()) -> Finding:
    fix = Fix("Name devices of one kind", "devicekit.strategy(%r)" % devices[0].device)
    if severity == "error":
        platforms = ", ".join("%s (%s)" % (item.device, item.platform) for item in devices)
        summary = "These devices cannot train together, because they belong to different platforms: %s." % platforms
    elif left_out:
        numbers = ",".join(str(number_of(item)) for item in sorted(devices, key=number_of))
        summary = "Only devices like %s train together; left out: %s." % (devices[0].device, _listed(left_out))
        fix = Fix("Name the devices to use them anyway", "devicekit.strategy('gpu:%s')" % numbers)
    else:
        summary = "The devices differ: the slowest sets the pace, the smallest memory the batch: %s." % _listed(devices)
    evidence = Evidence(_listed(devices), "devices of %s" % base.framework)
    return Finding("devices-unlike", severity, summary, (evidence,), (fix,))


def _half_broken(diagnosis: Diagnosis, base: Plan, lost: List[Candidate], missing: List[int]) -> Finding:
    """Return the finding that blocks some of the devices, with what can be done."""
    listed = diagnosis.candidates_for(base.framework)
    good = [item for item in listed if item.platform == base.platform and item.usable is not False and item not in lost]
    wanted = [number_of(item) for item in good if not base.request.indices or number_of(item) in base.request.indices]
    way: Tuple[Fix, ...] = ()
    if wanted:
        way = (Fix("Train without it", "devicekit.strategy('gpu:%s')" % ",".join(map(str, sorted(wanted)))),)
    for item in lost:
        for code in item.blocked_by:
            found = diagnosis.by_code(code, name_of(base.framework))
            if found is not None:
                summary = "%s cannot be used, so the devices asked for cannot train together: %s" % (
                    item.device, found.summary,
                )  # fmt: skip
                return found.replace(severity="error", summary=summary, fix=way + tuple(found.fix))
    return Finding(
        "no-gpu",
        "error",
        "%s was requested, but there is no %s." % (base.request.text, ", ".join("gpu:%d" % index for index in missing)),
        (Evidence(_listed([item for item in listed if item.platform != "cpu"]) or "no accelerator", "devices"),),
        way,
    )
