"""What each framework will do when it is imported, as far as that follows from the findings. Pure."""

from typing import List, Optional, Tuple

from ..findings import Candidate, Finding, FrameworkStatus
from ..matrix import version_at_least
from .keras import Backend, backend, has_backend, is_keras3, keras_version, standalone_keras
from .view import View

__all__ = ["blocking", "statuses"]

#: Backends that compute and do not train (keras: "`fit` is not supported").
_NO_TRAINING = ("numpy", "openvino")


def blocking(findings: Tuple[Finding, ...], what: Tuple[str, ...]) -> Tuple[str, ...]:
    """Return the codes of the findings that block one of these, in their order, each once."""
    codes = [finding.code for finding in findings if any(item in finding.blocks for item in what)]
    return tuple(dict.fromkeys(codes))


def statuses(view: View, findings: Tuple[Finding, ...], devices: Tuple[Candidate, ...]) -> Tuple[FrameworkStatus, ...]:
    """Return what each installed framework will do; where there is none at all, that TensorFlow will not import."""
    python = view.machine.python
    found: List[FrameworkStatus] = []
    package = python.package("tensorflow")
    has_tensorflow = view.has_tensorflow or (package is not None and (package.in_site or package.kind != "namespace"))
    others = [name for name in ("jax", "torch") if has_backend(view, name)]
    keras = _keras(view, findings, devices)
    if has_tensorflow or not (others or keras is not None):
        found.append(_tensorflow(view, findings, devices, keras))
    if keras is not None:
        found.append(keras)
    found += [_other(view, findings, name) for name in others]
    return tuple(found)


def _tensorflow(
    view: View, findings: Tuple[Finding, ...], devices: Tuple[Candidate, ...], keras: Optional[FrameworkStatus]
) -> FrameworkStatus:
    broken = blocking(findings, ("tensorflow",))
    version = view.tensorflow_version
    known = view.tensorflow_row is not None
    no_keras = blocking(findings, ("tensorflow", "keras", "keras.fit"))
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
        devices=() if listed else _tensorflow_devices(view, devices),
        cause=cause,
    )


def _tensorflow_devices(view: View, devices: Tuple[Candidate, ...]) -> Tuple[str, ...]:
    version = view.tensorflow_version or ""
    kind = "DML" if view.directml_flavour == "fork" else "GPU"
    gpus = [item for item in devices if item.usable and item.platform != "cpu"]
    # Up to 2.3 XLA's own devices were listed beside the others (seen with 1.15.5; tf_xla_enable_xla_devices since 2.4).
    xla = ("XLA_CPU:0",) if version_at_least(version, "2.4") is False and kind == "GPU" else ()
    return ("CPU:0",) + xla + tuple("%s:%d" % (kind, index) for index in range(len(gpus)))


def _keras(view: View, findings: Tuple[Finding, ...], devices: Tuple[Candidate, ...]) -> Optional[FrameworkStatus]:
    python = view.machine.python
    version = keras_version(view)
    package = python.package("keras")
    if not standalone_keras(view) and not (package is not None and package.in_site and version):
        return None
    chosen = backend(view) if is_keras3(version) else Backend("tensorflow", "")
    name = chosen.name
    what = {"tensorflow": ("tensorflow", "tensorflow.devices")}.get(name, (name,))
    blocked = blocking(findings, ("keras", *what))
    untrained = blocked or blocking(findings, ("keras.fit",))
    known = version is not None and (view.tensorflow_row is not None if name == "tensorflow" else True)
    imports = False if blocked else True if known else None
    runs = False if untrained or name in _NO_TRAINING else imports
    listed: Tuple[str, ...] = ()
    if not blocked:
        listed = _tensorflow_devices(view, devices) if name == "tensorflow" else _other_devices(view, name)
    return FrameworkStatus("keras", version, imports, runs, listed, (untrained or (None,))[0])


def _other(view: View, findings: Tuple[Finding, ...], name: str) -> FrameworkStatus:
    version = view.machine.python.version_of(name)
    blocked = blocking(findings, (name,))
    keras = keras_version(view)
    runs: Optional[bool] = None
    if keras is not None and is_keras3(keras):
        runs = not blocking(findings, (name, "keras", "keras.fit")) if backend(view).name == name else None
    return FrameworkStatus(
        framework=name,
        version=version,
        will_import=False if blocked else True if version is not None else None,
        will_run_keras=False if blocked else runs,
        devices=() if blocked else _other_devices(view, name),
        cause=(blocked or (None,))[0],
    )


def _other_devices(view: View, name: str) -> Tuple[str, ...]:
    """What a framework calls the processor; its accelerators are not predicted yet."""
    if name == "jax":
        jaxlib = view.machine.python.version_of("jaxlib") or ""
        # The name that XLA's client gives the device (str(jax.devices()[0])).
        return ("TFRT_CPU_0",) if version_at_least(jaxlib, _JAX_PLAIN_NAMES) is False else ("cpu:0",)
    return {"torch": ("cpu",), "openvino": ("CPU",)}.get(name, ())


#: From this release of jaxlib on, a processor is called cpu:0 (seen: 0.9.0 and older, 0.10.2 and newer).
_JAX_PLAIN_NAMES = "0.10"
