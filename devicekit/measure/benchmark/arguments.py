"""What is asked for, turned into tasks for workers: every argument checked before anything is started."""

from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

from ...diagnosis.diagnose import diagnose
from ...diagnosis.findings import Finding, name_of
from ...diagnosis.frameworks import choose_framework
from ...errors import DeviceUnavailableError, did_you_mean, listed
from ...machine.detect import real_machine
from ...runtime.decide import plan_for
from ...selection.request import parse_request
from ...selection.selection import fallback_causes
from .models import NAMES
from .settings import SETTINGS

MODES = ("training", "inference")
PRECISIONS = ("float32", "mixed_float16", "mixed_bfloat16")

#: Larger numbers are mistakes.
_MOST = 1000000


def tasks_for(
    model: Any,
    devices: Union[str, Iterable[str], None],
    framework: Union[str, Iterable[str], None],
    batch_size: Union[int, str, None],
    precision: Union[str, Iterable[str], None],
    xla: Union[bool, Iterable[Optional[bool]], None],
    **others: Any,
) -> List[Dict[str, Any]]:
    """Return one task for each framework, precision, choice of XLA and device, in this order.

    Raises
    ------
    ValueError
        If an argument is not one of the accepted; the message lists those.
    DeviceUnavailableError
        If no framework is installed.
    """
    common = dict(_model(model), batch_size=_batch_size(batch_size), **_checked(others))
    precisions = [_one_of(name, PRECISIONS, "precision") for name in _several(precision, "precision", "float32")]
    asked, choices = None if devices is None else _devices(devices), _xla(xla)
    tasks: List[Dict[str, Any]] = []
    for name in named_frameworks(framework):
        places = default_devices(name) if asked is None else asked
        for policy in precisions:
            for compiled in choices:
                for place in places:
                    tasks.append(dict(common, device=place, framework=name, precision=policy, xla=compiled))
    return tasks


def default_devices(framework: str) -> List[str]:
    """Return the CPU and every accelerator that nothing speaks against, in the framework's order."""
    candidates = diagnose(real_machine()).candidates_for(framework)
    return ["cpu"] + [item.device for item in candidates if item.device != "cpu" and item.usable is not False]


def unused_devices(frameworks: Iterable[str]) -> Tuple[Finding, ...]:
    """Return why `default_devices` leaves accelerators out: the finding that speaks against each of them."""
    machine = real_machine()
    diagnosis = diagnose(machine)
    found: Dict[Finding, None] = {}
    for framework in frameworks:
        plan = plan_for(parse_request("auto"), framework, machine)
        found.update(dict.fromkeys(fallback_causes(plan.selection())))
        for item in diagnosis.candidates_for(framework):
            if item.usable is False:
                causes = [diagnosis.by_code(code, framework) for code in item.blocked_by[:1]]
                found.update((cause, None) for cause in causes if cause is not None)
    return tuple(found)


def named_frameworks(framework: Union[str, Iterable[str], None]) -> List[str]:
    """Return the frameworks that are named, by default the one that Keras uses; raise if one is not installed."""
    machine = real_machine()
    names: List[str] = []
    for asked in _several(framework, "framework"):
        chosen = choose_framework(machine, asked)
        if chosen is None:
            raise DeviceUnavailableError(
                "%s is not installed in this environment, so nothing can be measured with it; devicekit resolve says"
                " what to install" % asked
                if asked
                else "neither TensorFlow nor JAX nor PyTorch is installed in this environment; devicekit resolve says"
                " what to install"
            )
        if name_of(chosen) not in names:
            names.append(name_of(chosen))
    return names


def _devices(devices: Union[str, Iterable[str]]) -> List[str]:
    given = devices.split(",") if isinstance(devices, str) else listed(devices, "devices", "names")
    found: List[str] = []
    for item in given:
        text = str(item).strip()
        if text.isdigit():
            raise ValueError("%r is no device: name each one in full, as in 'cpu,gpu:0,gpu:1'" % text)
        request = parse_request(text)
        if request.count > 1:
            raise ValueError("%r are several devices: name each one in full, as in 'gpu:0,gpu:1'" % text)
        if text not in found:
            found.append(text)
    if not found:
        raise ValueError("no device is named; leave devices out for the CPU and all usable accelerators")
    return found


def _model(model: Any) -> Dict[str, Any]:
    """What the worker needs to make the model."""
    if isinstance(model, str):
        module, colon, name = model.partition(":")
        if model not in NAMES and not (module and colon and name):
            raise ValueError(
                "unknown model %r%s; accepted are %s, 'module:function' for a function that returns a model of Keras, and"
                " such a model itself" % (model, did_you_mean(model, NAMES, ""), ", ".join(map(repr, NAMES)))
            )
        return {"model": model}
    if callable(model) and not hasattr(model, "to_json"):
        place, name = getattr(model, "__module__", None), getattr(model, "__qualname__", "")
        if place not in (None, "__main__") and name and "<" not in name:
            return {"model": "%s:%s" % (place, name)}
        model = model()
    if not hasattr(model, "to_json"):
        raise ValueError("model must be a name, a model of Keras, or a function that returns one, not %r" % type(model))
    from .building import architecture_of

    homes = [base.__module__.partition(".")[0] for base in type(model).__mro__]
    keras = next((home for home in homes if home in ("keras", "tf_keras", "tensorflow")), None)
    if keras == "tensorflow":
        keras = None
    return {"model": str(model.name), "architecture": architecture_of(model), "keras": keras}


def _checked(values: Dict[str, Any]) -> Dict[str, Any]:
    """Check the arguments that every task has."""
    _one_of(values["mode"], MODES, "mode")
    for name, least in (("num_batches", 1), ("num_warmup_batches", 0), ("seed", 0)):
        value = values[name]
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= max(_MOST, least):
            raise ValueError("%s must be a whole number from %d to %d, not %r" % (name, least, _MOST, value))
    for name in values["settings"]:
        _one_of(name, SETTINGS, "setting")
    shape = values["shape"]
    if shape is not None:
        shape = listed(shape, "shape", "sizes")
        if not all(isinstance(size, int) and not isinstance(size, bool) and size > 0 for size in shape):
            raise ValueError("shape must be whole numbers above 0, as in (64, 64, 3), not %r" % (shape,))
        values = dict(values, shape=shape)
    return values


def _batch_size(batch_size: Union[int, str, None]) -> Union[int, str, None]:
    if batch_size is None or batch_size == "auto":
        return batch_size
    if isinstance(batch_size, bool) or not isinstance(batch_size, int) or not 1 <= batch_size <= _MOST:
        raise ValueError("batch_size must be a whole number from 1 to %d, or 'auto', not %r" % (_MOST, batch_size))
    return batch_size


def _xla(xla: Any) -> List[Optional[bool]]:
    values = [xla] if xla is None or isinstance(xla, bool) else listed(xla, "xla", "True, False or None")
    for value in values:
        if value is not None and not isinstance(value, bool):
            raise ValueError("xla must be True, False or None, or several of them, not %r" % (value,))
    return values


def _several(values: Any, what: str, default: Optional[str] = None) -> List[Any]:
    if values is None:
        return [default]
    return [values] if isinstance(values, str) else list(dict.fromkeys(listed(values, what, "names"))) or [default]


def _one_of(value: Any, accepted: Tuple[str, ...], name: str) -> Any:
    if value not in accepted:
        near = did_you_mean(value, accepted, "")
        raise ValueError("unknown %s=%r%s; accepted are %s" % (name, value, near, ", ".join(map(repr, accepted))))
    return value
