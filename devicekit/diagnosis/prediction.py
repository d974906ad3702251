"""What each framework will do when it is imported, as far as that follows from the findings. Pure."""

import re
from typing import List, Mapping, Optional, Tuple

from ..matrix.matrix import version_at_least
from .candidates import blocking
from .findings import Candidate, Finding, FrameworkStatus
from .rules.adapters import known_listing
from .rules.directml_others import directml_statuses
from .rules.fatal_variables import warnings_may_fail
from .rules.jax_plugins import jax_platforms, listed_first
from .rules.keras import Backend, backend, has_backend, is_keras3, keras3_on, keras_version, standalone_keras
from .rules.measured import may_fail_earlier
from .view import View

#: Backends that compute and do not train (keras: "`fit` is not supported").
_NO_TRAINING = ("numpy", "openvino")


def statuses(
    view: View, findings: Tuple[Finding, ...], by_framework: Mapping[str, Tuple[Candidate, ...]]
) -> Tuple[FrameworkStatus, ...]:
    """Return what each installed framework will do; where there is none at all, that TensorFlow will not import."""
    python = view.machine.python
    found: List[FrameworkStatus] = []
    package = python.package("tensorflow")
    has_tensorflow = view.has_tensorflow or (package is not None and (package.in_site or package.kind != "namespace"))
    others = [name for name in ("jax", "torch") if has_backend(view, name)]
    devices = by_framework["tensorflow"]
    keras = _keras(view, findings, by_framework)
    if has_tensorflow or not (others or keras is not None):
        found.append(_tensorflow(view, findings, devices, keras))
    if keras is not None:
        found.append(keras)
    found += [_other(view, findings, name, by_framework[name]) for name in others]
    found += directml_statuses(view)
    return tuple(found)


def _tensorflow(
    view: View, findings: Tuple[Finding, ...], devices: Tuple[Candidate, ...], keras: Optional[FrameworkStatus]
) -> FrameworkStatus:
    broken = blocking(findings, ("tensorflow",))
    version = view.tensorflow_version
    known = view.tensorflow_row is not None and not _undecided(view, "tensorflow")
    no_keras = blocking(findings, ("tensorflow", "tensorflow.devices", "keras", "keras.fit"))
    listed = blocking(findings, ("tensorflow", "tensorflow.devices"))
    runs: Optional[bool] = False if no_keras else True if known else None
    if keras is not None and not no_keras:
        runs = keras.will_run_keras
    cause = (broken or listed or no_keras or blocking(findings, ("tf.keras",)) or (None,))[0]
    return FrameworkStatus(
        framework="tensorflow",
        version=version,
        will_import=False if broken else True if known else None,
        will_run_keras=runs,
        devices=() if listed else _tensorflow_devices(view, findings, devices),
        cause=cause,
    )


def _undecided(view: View, what: str) -> bool:
    """Return whether something is known to go wrong, and not whether that is the import already."""
    return may_fail_earlier(view, what, keras3_on(view)) or (what == "tensorflow" and warnings_may_fail(view))


def _tensorflow_devices(view: View, findings: Tuple[Finding, ...], devices: Tuple[Candidate, ...]) -> Tuple[str, ...]:
    version = view.tensorflow_version or ""
    kind = "DML" if view.directml_flavor == "fork" else "GPU"
    if any(item.platform == "xpu" for item in devices):  # the type that Intel's extension registers
        kind = "XPU"
    count = len([item for item in devices if item.listed and item.platform != "cpu" and not item.device_type])
    directml = known_listing(view)
    if directml is not None:  # it lists what it would rather not be used for, too
        count = 0 if blocking(findings, ("directml", "gpu")) else len(directml.listed)
    # Up to 2.3 XLA's own devices were listed next to the others (seen with 1.15.5; tf_xla_enable_xla_devices since 2.4).
    xla = ("XLA_CPU:0",) if version_at_least(version, "2.4") is False and kind == "GPU" else ()
    foreign = [item for item in devices if item.usable and item.device_type]
    further = tuple(item.device_type + ":" + item.device.partition(":")[2] for item in foreign)
    return ("CPU:0",) + xla + tuple("%s:%d" % (kind, index) for index in range(count)) + further


def _keras(
    view: View, findings: Tuple[Finding, ...], by_framework: Mapping[str, Tuple[Candidate, ...]]
) -> Optional[FrameworkStatus]:
    python = view.machine.python
    version = keras_version(view)
    package = python.package("keras")
    if not standalone_keras(view) and not (package is not None and package.in_site and version):
        return None
    chosen = backend(view) if is_keras3(version) else Backend("tensorflow", "")
    name = chosen.name
    # TensorFlow lists its devices as soon as Keras is imported on it; JAX when something is computed (seen).
    what = {"tensorflow": ("tensorflow", "tensorflow.devices")}.get(name, (name,))
    blocked = blocking(findings, ("keras", *what))
    idle = blocking(findings, (name + ".devices",))
    untrained = blocked or idle or blocking(findings, ("keras.fit",))
    known = version is not None and (view.tensorflow_row is not None if name == "tensorflow" else True)
    if _undecided(view, "tensorflow" if name == "tensorflow" else "keras"):
        known = False
    imports = False if blocked else True if known else None
    runs = False if untrained or name in _NO_TRAINING else imports
    listed: Tuple[str, ...] = ()
    if not (blocked or idle):
        devices = by_framework.get(name, ())
        listed = (
            _tensorflow_devices(view, findings, devices)
            if name == "tensorflow"
            else _other_devices(view, name, devices)
        )
    return FrameworkStatus("keras", version, imports, runs, listed, (untrained or (None,))[0])


def _other(view: View, findings: Tuple[Finding, ...], name: str, devices: Tuple[Candidate, ...]) -> FrameworkStatus:
    version = view.machine.python.version_of(name)
    blocked = blocking(findings, (name,))
    idle = blocked or blocking(findings, (name + ".devices",))
    keras = keras_version(view)
    runs: Optional[bool] = None
    if keras is not None and is_keras3(keras):
        runs = not (idle or blocking(findings, ("keras", "keras.fit"))) if backend(view).name == name else None
    return FrameworkStatus(
        framework=name,
        version=version,
        will_import=False if blocked else True if version is not None else None,
        will_run_keras=False if idle else runs,
        devices=() if idle else _other_devices(view, name, devices),
        cause=(idle or (None,))[0],
    )


def _other_devices(view: View, name: str, devices: Tuple[Candidate, ...]) -> Tuple[str, ...]:
    """What a framework calls its devices, in the order in which it lists them."""
    if name == "jax":
        return _jax_devices(view, devices)
    if name == "torch":
        return ("cpu", *_torch_devices(devices))
    return {"openvino": ("CPU",)}.get(name, ())


def _torch_devices(devices: Tuple[Candidate, ...]) -> Tuple[str, ...]:
    """The accelerators of PyTorch, which calls AMD's by CUDA's name, and lists those for which it has no code as well."""
    found: List[str] = []
    for item in devices:
        kind = {"cuda": "cuda", "rocm": "cuda", "xpu": "xpu", "metal": "mps"}.get(item.platform, "")
        listed = item.usable or item.blocked_by == ("compute-capability-unsupported",)
        if kind and listed:
            found.append("%s:%d" % (kind, sum(name.startswith(kind) for name in found)))
    return tuple(found)


#: From this release of jaxlib on, a processor is called cpu:0 (seen: 0.9.0 and older, 0.10.2 and newer).
_JAX_PLAIN_NAMES = "0.10"


def _jax_devices(view: View, devices: Tuple[Candidate, ...]) -> Tuple[str, ...]:
    """JAX's devices as ``str`` of them says: those of its first platform, then the processor."""
    jaxlib = view.machine.python.version_of("jaxlib") or ""
    pattern = "TFRT_CPU_%d" if version_at_least(jaxlib, _JAX_PLAIN_NAMES) is False else "cpu:%d"
    processors = tuple(pattern % index for index in range(_host_devices(view)))
    # It lists GPUs before it asks whether cuDNN has code for them.
    listed = [item for item in devices if item.usable or item.blocked_by == ("cudnn-version-mismatch",)]
    accelerators = [item.platform for item in listed if item.platform in ("cuda", "rocm")]
    first = listed_first(view)
    if first == "cpu" or not accelerators:
        return processors
    chosen = jax_platforms(view)
    if chosen is not None and "cpu" not in chosen:
        processors = ()
    return tuple("%s:%d" % (kind, index) for index, kind in enumerate(accelerators)) + processors


def _host_devices(view: View) -> int:
    """How many devices JAX makes of the processor: one, unless a variable says otherwise (seen with 0.4.31 and 0.12.0)."""
    count = view.machine.process.env("JAX_NUM_CPU_DEVICES") or ""
    if re.match(r"\d{1,4}$", count) and version_at_least(view.machine.python.version_of("jax") or "", "0.5") is True:
        return int(count)
    flags = re.findall(
        r"--xla_force_host_platform_device_count=(\d{1,4})(?!\d)", view.machine.process.env("XLA_FLAGS") or ""
    )
    return max(1, int(flags[-1])) if flags else 1
