"""Keras 3 on JAX, and JAX alone: platforms, visible devices, memory, default device, smoke operation, scope.

JAX lists its devices only by starting them, and everything but the default device has to be set before that. Keras on JAX
has no placement of its own: ``keras.device`` is `jax.default_device`, and variables, the optimiser's state and the compiled
training step go to the default device.
"""

import functools
import importlib.util
import os
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import jax

from ...selection.request import Request
from ...selection.selection import Change
from .interface import MATRIX, Keras3Adapter, check_place, check_product

#: What this module has set in this process, which a later call may set again; what the user has set stays.
_ours: Dict[str, Any] = {}

#: What an event loop's thread was set to by `JaxAdapter.force`.
_forced = threading.local()


class JaxAdapter(Keras3Adapter):
    """JAX 0.4 and later."""

    name = "jax"
    title = "JAX"
    cpu = "cpu:0"
    url = "https://docs.jax.dev/en/latest/gpu_memory_allocation.html"
    movable = True

    def __init__(self) -> None:
        # Anyone who started the devices may have arrays on them.
        self._was_running = self.initialized()
        self._given_up = False
        self._table: Dict[Optional[str], Any] = {}

    def initialized(self) -> bool:
        try:  # private: all that is public starts the devices in order to answer
            from jax._src import xla_bridge
        except ImportError:
            return False
        if hasattr(xla_bridge, "backends_are_initialized"):
            return bool(xla_bridge.backends_are_initialized())
        return bool(getattr(xla_bridge, "_backends", None))

    def accelerators(self) -> Optional[Tuple[str, ...]]:
        return tuple(map(str, self._accelerators())) if self.initialized() else None

    def visible(self) -> Tuple[str, ...]:
        return tuple(map(str, self._accelerators()))

    def _accelerators(self) -> List[Any]:
        if self.device_type:
            try:
                return list(jax.local_devices(backend=self.device_type))
            except RuntimeError:  # no such platform
                return []
        return [d for d in jax.local_devices() if d.platform != "cpu" and d.platform not in self.others]

    def _processors(self) -> List[Any]:
        return list(jax.local_devices(backend="cpu"))

    def set_visible(self, indices: Sequence[int]) -> Optional[Change]:
        if self.initialized():
            numbers = list(map(_number, self._accelerators()))
            if any(index not in numbers for index in indices):
                raise RuntimeError("JAX was started with %s" % _listing(jax.local_devices()))
            return None
        if indices and self.device_type:
            return None  # JAX has no list of visible devices for platforms of others: `set_default` is enough
        return self._show(indices) if indices else self._hide_all()

    def _show(self, indices: Sequence[int]) -> Optional[Change]:
        if "jax_platforms" in _ours and jax.config.jax_platforms == "cpu":  # hidden by an earlier call
            jax.config.update("jax_platforms", _ours.pop("jax_platforms"))
        before, value = _visible_devices(), ",".join(str(index) for index in indices)
        if before not in ("all", _ours.get("visible")) or before == value:  # by the user, or by jax.distributed
            return None
        _ours["visible"] = value
        jax.config.update("jax_cuda_visible_devices", value)
        jax.config.update("jax_rocm_visible_devices", value)
        return Change("jax", "jax_cuda_visible_devices, jax_rocm_visible_devices", value, before)

    def _hide_all(self) -> Optional[Change]:
        before = jax.config.jax_platforms
        if before == "cpu" or not (before or _has_accelerator_support()):
            return None
        if before and "cpu" not in before.split(",") and not self._given_up:
            return None  # the user excludes the CPU: whether that works shows in the first operation
        _ours["jax_platforms"] = before
        jax.config.update("jax_platforms", "cpu")
        return Change("jax", "jax_platforms", "cpu", before)

    def set_memory(self, memory: Any, total_bytes: Optional[int] = None) -> List[Change]:
        if "XLA_PYTHON_CLIENT_ALLOCATOR" in os.environ:
            return []
        wanted = [("XLA_PYTHON_CLIENT_PREALLOCATE", "false")]
        if isinstance(memory, int) and "XLA_CLIENT_MEM_FRACTION" not in os.environ:
            if total_bytes is None:
                raise LookupError("JAX takes a part of the device's memory, and how much that has is not known")
            part = max(0.0001, min(1.0, int(10000 * memory / total_bytes) / 10000))
            wanted.append(("XLA_PYTHON_CLIENT_MEM_FRACTION", "%.4f" % part))
        wanted = [item for item in wanted if os.environ.get(item[0], _ours.get(item[0])) == _ours.get(item[0])]
        wanted = [(name, value) for name, value in wanted if os.environ.get(name) != value]
        if wanted and self.initialized():
            raise RuntimeError("JAX reads %s when it starts its devices" % " and ".join(name for name, _ in wanted))
        os.environ.update(wanted)
        _ours.update(wanted)
        return [Change("environment", name, value) for name, value in wanted]

    def set_default(self, indices: Sequence[int], cpu_number: int = 0) -> Optional[Change]:
        if not indices and not cpu_number and not self.initialized():
            return None  # what is visible decides; a program may want to set up more before the devices start
        candidates = self._accelerators() if indices else self._processors()
        if indices:
            wanted = next((device for device in candidates if _number(device) == indices[0]), None)
            # Where the user's list of visible devices names other ones, its first is what JAX has.
            if wanted is None and candidates and _visible_devices() not in ("all", _ours.get("visible")):
                wanted = candidates[0]
        else:
            wanted = candidates[cpu_number] if cpu_number < len(candidates) else None
        if wanted is None:
            raise LookupError("JAX lists %s" % _listing(candidates or jax.local_devices()))
        before = jax.config.jax_default_device
        if (before if before is not None else jax.local_devices()[0]) == wanted:
            return None
        jax.config.update("jax_default_device", wanted)
        return Change("jax", "jax_default_device", str(wanted), None if before is None else str(before))

    def reset(self) -> None:
        if self._was_running:
            return
        self._given_up = True
        self._table = {}
        try:
            from jax.extend.backend import clear_backends
        except ImportError:  # before 0.4.14 (it has been public in one place or the other)
            clear_backends = getattr(jax, "clear_backends", None)
        jax.config.update("jax_default_device", None)
        if clear_backends is not None:
            clear_backends()

    def smoke(self, accelerator: bool) -> str:
        import numpy

        # One compiled program; `jax.numpy` would compile several.
        matrix = numpy.array(MATRIX, dtype="float32")
        product = jax.jit(jax.lax.dot)(matrix, matrix)
        check_product(product.tolist())
        (device,) = product.devices()
        if accelerator:
            check_place(device.platform)
        return str(device)

    def device_name(self, request: Request) -> Optional[str]:
        number = request.indices[0] if request.indices else 0
        if request.foreign:
            self.device_type = dict(request.device_types).get("jax", "no such platform")
        if request.kind == "cpu" or (request.native and "cpu" in request.text.lower()):
            return "cpu:%d" % number if number < len(self._processors()) else None
        visible = self._accelerators()
        if request.kind == "tpu":
            visible = [device for device in visible if device.platform == "tpu"]
        if request.native or not request.indices:
            position: Optional[int] = number if number < len(visible) else None
        else:
            # A number counts the accelerators of the machine; JAX counts those that are visible.
            position = next((here for here, device in enumerate(visible) if _number(device) == number), None)
        return None if position is None else "%s:%d" % (self._kind_of(visible[position]), position)

    def _kind_of(self, device: Any) -> str:
        return self.device_type or ("tpu" if device.platform == "tpu" else "gpu")

    def platform(self, name: str) -> str:
        device = self._devices().get(name)
        return "pluggable" if device is None else _platform(device)

    def _devices(self) -> Dict[Optional[str], Any]:
        if not self._table:
            accelerators = self._accelerators()
            table: Dict[Optional[str], Any] = {
                "%s:%d" % (self._kind_of(device), position): device for position, device in enumerate(accelerators)
            }
            try:
                processors = self._processors()
            except RuntimeError:  # JAX_PLATFORMS leaves it out
                processors = []
            table.update(("cpu:%d" % position, device) for position, device in enumerate(processors))
            self._table = table
        return self._table

    def scope_factory(self) -> Callable[[Optional[str]], Any]:
        table, scope = self._devices(), jax.default_device

        def place(name: Optional[str]) -> Any:
            return scope(table[name])

        return place

    def switch(self, name: str) -> Optional[Tuple[Callable[[], Any], Callable[[Any], Any]]]:
        # What `jax.default_device` does between its checks, in the releases (0.5 and later) in which it does nothing else.
        own: Any = jax.default_device
        if getattr(own, "_update_thread_local_hook", own) is not None:
            return None
        device = self._devices()[name]
        try:
            enter, leave = functools.partial(own.swap_local, device), own.set_local
            before = enter()
            works = jax.config.jax_default_device == device
            leave(before)
        except (AttributeError, TypeError):  # older, or newer than what is known here
            return None
        return (enter, leave) if works else None

    def state(self) -> Any:
        return jax.config.jax_default_device

    def force(self, state: Any) -> None:
        # By JAX's public scope alone: at most one is held open in a thread, and what was below it comes back first.
        held = getattr(_forced, "scope", None)
        if held is not None:
            _forced.scope = None
            held.__exit__(None, None, None)
        if jax.config.jax_default_device != state:
            scope = jax.default_device(state)
            scope.__enter__()
            _forced.scope = scope


def _has_accelerator_support() -> bool:
    """Whether anything but the CPU could be started: plug-ins, or in old releases a jaxlib with CUDA built in.

    A TPU is not hidden: a machine with a TPU has no other device that the program could use.
    """
    if importlib.util.find_spec("jax_plugins") is not None:
        return True
    import jaxlib.version

    return "+" in str(jaxlib.version.__version__)


def _visible_devices() -> str:
    """JAX's own list of visible devices, which the user may have set; it has no attribute."""
    return str(getattr(jax.config, "values", {}).get("jax_cuda_visible_devices", "all"))


def _number(device: Any) -> int:
    """The accelerator's number on the machine; its own number counts what is visible."""
    number = getattr(device, "local_hardware_id", None)
    return int(device.id) if number is None else int(number)


def _platform(device: Any) -> str:
    if device.platform != "gpu":
        return str(device.platform).lower()  # cpu, tpu, metal
    return "rocm" if "rocm" in str(device.client.platform_version).lower() else "cuda"


def _listing(devices: Sequence[Any]) -> str:
    return ", ".join(map(str, devices)) or "no devices"
