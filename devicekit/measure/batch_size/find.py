"""`find_batch_size`: the largest batch that fits, searched in processes that may run out of memory."""

from typing import Any, Dict, List, Optional, Tuple, Union

from ...errors import DevicekitError, check_positive, log, unknown_name
from ...machine.detect import real_machine
from ...runtime.current import clean_environment
from ...selection.request import parse_memory, parse_request
from ...selection.selection import fallback_causes
from ..memory.estimate import MemoryEstimate
from .search import Found, Limits, rounded, search

#: Where the examples are not counted (a data set): larger batches than this are not tried.
_MOST = 1 << 16

#: The batch whose memory is estimated, to begin near the largest.
_SAMPLE = 32

#: If so many times as much is expected to fit, and the weights are so large a part of what a batch needs, that is estimated as
#: well: what every batch needs, such as gradients, counts as if it grew in one estimate.
_FAR, _LARGE_WEIGHTS = 2, 0.2

#: The part of the memory that is for the step itself: what is limited has the framework's own and its compiler in it. A batch
#: that fits tells more than one that does not, which costs another process.
_SHARE = 0.65

_TRIAL = "devicekit.measure.batch_size.trial:try_model"


def find_batch_size(
    model: Any,
    x: Any,
    y: Any = None,
    *,
    device: Optional[str] = None,
    framework: Optional[str] = None,
    mode: str = "training",
    margin: float = 0.1,
    min_batch_size: int = 1,
    max_batch_size: Optional[int] = None,
    memory: Union[int, str, None] = None,
    timeout_s: float = 600.0,
) -> int:
    """Return the largest batch with which a model can be trained on a device.

    Batches are tried in separate processes, so that running out of memory leaves this one as it is. The first is what
    `devicekit.estimate_memory` expects to fit, where it knows, else the smallest; then more examples each time until that
    fails, and between the largest that went well and the smallest that did not. On the CPU under Linux,
    the memory that the last batches took says how many more to try; elsewhere it is twice as many. Each process makes up
    examples like the given ones; the model's weights and the examples stay untouched.

    Parameters
    ----------
    model : Keras model or callable or str
        A compiled model of Keras 2 or 3; or a function that returns one, from a module that can be imported, also as
        ``"module:function"``. That is how a model goes whose classes another process cannot find.
    x, y : array, or list, tuple or dictionary of arrays
        Examples along the first axis, as for ``model.fit``. Only shapes, dtypes and the largest of integers are looked at.
        ``x`` may be a data set that yields batches of examples and targets (``tf.data``, Keras, PyTorch): one is taken.
    device : str or None
        See `devicekit.select_device`; one device. By default what `devicekit.auto` chose in this process, or would.
    framework : {"tensorflow", "jax", "torch"} or None
        For a function: what Keras computes with. A model has its own.
    mode : {"training", "inference"}
        Whether steps of training or predictions are tried.
    margin : float
        Part of the largest batch that fits by which the result stays below it, from 0 to below 1: memory gets fragmented,
        and other programs come along.
    min_batch_size : int
        Where to begin; nothing smaller is tried.
    max_batch_size : int or None
        Nothing larger is returned. By default as many examples as there are; of a data set 65536.
    memory : int or str or None
        The most that may be used: a number of bytes, or a text such as ``"4GiB"``. By default what is free.
    timeout_s : float
        Seconds for the search. What is known by then is returned, or raised where not one batch was done.

    Returns
    -------
    int
        A multiple of 8 from 16 on, except where it is the limit.

    Raises
    ------
    DevicekitError
        If not even the smallest batch fits, or it fails for another reason, with what the framework said; if the
        model cannot be handed to another process.
    DeviceUnavailableError
        If the device cannot be used.
    ValueError
        If an argument is not one of the accepted.

    Notes
    -----
    What this process holds of the device's memory is not free: search before training. TensorFlow without memory growth
    and JAX take nearly all of a GPU at their start; `devicekit.auto` leaves both to grow.

    On the CPU a tenth of the free memory (256 MiB at least) is left to others, within the limits of the container. On
    Linux the trying process cannot take more (``RLIMIT_DATA``), on macOS it is ended when it does; on Windows its
    allocations fail only where the system's own limit is.
    """
    from .model_transfer import examples_of

    least = _count(min_batch_size, "min_batch_size")
    _check(mode, margin, timeout_s, framework)
    examples = examples_of(x, y)
    most = _most(max_batch_size, examples.count, least)
    device_name, chosen = _target(device, framework)
    _warn_of_fallback(model, device_name, chosen)
    limit = None if memory is None else parse_memory(memory, "memory")
    task: Dict[str, Any] = {
        "x": examples.x,
        "y": examples.y,
        "mode": mode,
        "device": device_name,
        "memory_bytes": limit,
        "device_memory": limit if limit is not None else "grow",
        "framework": chosen,
    }
    # What is returned fits with the margin on top of it.
    limits = Limits(start=least, least=least, most=max(least, int(-(-most // (1.0 - margin)))))
    if mode == "training":
        limits = limits._replace(start=_start(model, limits, limit or _free_bytes(device_name)))
    found = _search(model, task, limits, timeout_s)
    if not found.size:
        raise DevicekitError(_nothing_fits(found.why, device_name, least))
    return rounded(found.size, margin, least, most)


def _start(model: Any, limits: Limits, memory_bytes: Optional[int]) -> int:
    """Return where to begin: with what `estimate_memory` expects to fit, where it knows."""
    from ...runtime.frameworks.keras_model import is_model
    from ..memory.estimate import estimate_memory

    if memory_bytes is None or not is_model(model) or limits.most < _SAMPLE:
        return limits.least
    room = int(_SHARE * memory_bytes)
    try:
        estimate = estimate_memory(model, _SAMPLE)
        expected = min(estimate.batch_for(room), limits.most)
        grows = estimate.inputs_bytes + estimate.activations_bytes + estimate.workspace_bytes
        if expected > _FAR * _SAMPLE and estimate.parameters_bytes > _LARGE_WEIGHTS * grows:
            expected = batch_between(estimate, estimate_memory(model, expected), room)
    except (DevicekitError, ValueError) as error:
        log("info", "the batch size has to be found without an estimate: %s", error)
        return limits.least
    return max(limits.least, min(expected, limits.most))


def batch_between(small: MemoryEstimate, large: MemoryEstimate, memory_bytes: int) -> int:
    """Return the batch that should fit in so much memory, less a tenth, by what two batches need."""
    grown = large.total_bytes - small.total_bytes
    if grown <= 0:  # it says nothing of larger ones
        return large.batch_size
    each = grown / (large.batch_size - small.batch_size)
    return max(small.batch_size, int(small.batch_size + 0.9 * (memory_bytes - small.total_bytes) / each))


def _free_bytes(device: str) -> Optional[int]:
    """Return how much memory of a device is free, None if no one knows."""
    from ...diagnosis.diagnose import diagnose
    from .host_memory import RESERVE, available_bytes

    candidates = diagnose().candidates
    if device == "cpu" or (device == "auto" and all(item.device == "cpu" for item in candidates)):
        free = available_bytes()
        return None if free is None else int(free * (1 - RESERVE))
    return next((item.memory_free_bytes for item in candidates if item.device == device), None)


def _search(model: Any, task: Dict[str, Any], limits: Limits, timeout_s: float) -> Found:
    """Hand the model over in a folder, and search."""
    from ...children.progress import Progress
    from ...diagnosis.findings import name_of
    from ...runtime.scratch import scratch_folder
    from ...runtime.settings import read_settings
    from .model_transfer import packed

    line = Progress("finding the batch size", read_settings().quiet)
    with scratch_folder() as folder, line as progress:
        packed_model = packed(model, folder, task["mode"])
        framework = packed_model.get("framework") or task["framework"]
        variables: List[Tuple[str, Optional[str]]] = list(clean_environment())
        if framework:
            variables.append(("KERAS_BACKEND", name_of(framework)))
        return search(
            _TRIAL,
            dict(task, model=packed_model, framework=framework),
            limits,
            timeout_s=timeout_s,
            environment=variables,
            tick=lambda what: progress.say("finding the batch size for %s: %s" % (task["device"], what)),
        )


def _check(mode: str, margin: float, timeout_s: float, framework: Optional[str]) -> None:
    from ...diagnosis.frameworks import BACKENDS

    if mode not in ("training", "inference"):
        raise ValueError("unknown mode=%r; accepted are 'training', 'inference'" % (mode,))
    if isinstance(margin, bool) or not isinstance(margin, (int, float)) or not 0.0 <= margin < 1.0:
        raise ValueError("margin must be a number from 0 to below 1, not %r" % (margin,))
    check_positive(timeout_s, "timeout_s")
    if framework is not None and framework not in BACKENDS:
        raise ValueError(unknown_name("framework", framework, BACKENDS))


def _most(max_batch_size: Optional[int], count: Optional[int], least: int) -> int:
    """Return the largest batch to return."""
    if max_batch_size is not None:
        most = _count(max_batch_size, "max_batch_size")
    else:
        most = count if count is not None else _MOST
    if most < least:
        raise ValueError("max_batch_size (%d) is less than min_batch_size (%d)" % (most, least))
    return most


def _count(value: Any, name: str) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or not 1 <= int(value) <= 1 << 30:
        raise ValueError("%s must be a whole number of at least 1, not %r" % (name, value))
    return int(value)


def _target(device: Optional[str], framework: Optional[str]) -> Tuple[str, Optional[str]]:
    """Return the device and the framework, by default those that are in effect."""
    from ...runtime.current import current_selection

    chosen = current_selection()
    if device is not None:
        if parse_request(device).count > 1:
            raise ValueError("%r are several devices; a batch is found for one" % device)
        return device, framework
    if chosen is None or chosen.device == "auto":
        return "auto", framework
    if framework is None and chosen.framework is not None:
        framework = chosen.framework
    return chosen.device.partition(",")[0], framework


def _warn_of_fallback(model: Any, device: str, framework: Optional[str]) -> None:
    """Say why the batch is not found for a better device, if that is left open: the result is a mere number."""
    from ...errors import FallbackWarning, notify
    from ...runtime.decide import plan_for
    from ...runtime.frameworks.keras_model import is_model, keras_of
    from ...runtime.settings import read_settings

    request = parse_request(device)
    if request.kind != "auto":
        return
    plan = plan_for(request, keras_of(model).framework if is_model(model) else framework, real_machine())
    for finding in fallback_causes(plan.selection()):
        notify(finding, FallbackWarning, read_settings().quiet)


def _nothing_fits(why: str, device: str, least: int) -> str:
    examples = "one example" if least == 1 else "%d examples" % least
    return (
        "not even a batch of %s fits on '%s' (%s): free memory there (other programs, and this process itself, where it has"
        " used the device), make the model or its inputs smaller, or use mixed precision" % (examples, device, why)
    )
