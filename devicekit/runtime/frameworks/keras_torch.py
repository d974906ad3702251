"""Keras 3 on PyTorch, and PyTorch alone: visible devices, memory, default device, smoke operation, scope.

Keras on PyTorch has a placement of its own, which PyTorch's default device does not touch, and the other way round
(measured with Keras 3.0 to 3.15 on PyTorch 2.13). Everything of Keras, ``model.fit`` included, goes to the device of
``keras.device``, which belongs to the thread, and otherwise to one that Keras settles at its import:
``KERAS_TORCH_DEVICE`` (from 3.14 on), else the first of ``mps``, ``cuda``, ``xpu`` that is available. PyTorch's default
device is left alone, for under it a shuffled `DataLoader`, and with it ``model.fit``, fails: it wants its random numbers
from the CPU.
"""

import importlib.util
import os
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch

from ...children.locks import ForkSafeLock
from ...selection.request import Request
from ...selection.selection import Change
from .interface import MATRIX, Keras3Adapter, check_place, check_product
from .torch_keras import CORE, keras_core, keras_default, same_device, scope_of, uses_keras

_PLATFORMS = {"cuda": "cuda", "mps": "metal", "xpu": "xpu"}


class _Shown(NamedTuple):
    """What `TorchAdapter.set_visible` has left visible."""

    variable: str
    value: str
    total: int
    numbers: Tuple[int, ...]


#: Of this process, whichever adapter is asked: what is visible, the parts of memory that were set, Keras's default device.
_shown: Optional[_Shown] = None
_parts: Dict[int, float] = {}
_default: Optional[str] = None
_lock = ForkSafeLock()


class TorchAdapter(Keras3Adapter):
    """PyTorch 2; where Keras computes with it, Keras's own placement."""

    name = "torch"
    title = "PyTorch"
    cpu = "cpu:0"
    url = "https://docs.pytorch.org/docs/stable/notes/cuda.html"
    movable = True

    def __init__(self) -> None:
        self._chosen = ""

    def initialized(self) -> bool:
        # Only these two start late and read variables then.
        return torch.cuda.is_initialized() or bool(hasattr(torch, "xpu") and torch.xpu.is_initialized())

    def settled(self) -> bool:
        return self.initialized() or _shown is not None or self._kind() != "cuda" or not self.visible()

    def _kind(self) -> str:
        """The type of the accelerators that are meant, "" if this build has none; but for plug-ins no build has two."""
        if self.device_type:
            return self.device_type if hasattr(getattr(torch, self.device_type, None), "device_count") else ""
        if torch.version.cuda or torch.version.hip:
            return "cuda"
        if torch.backends.mps.is_available():
            return "mps"
        if hasattr(torch, "xpu") and torch.xpu.device_count():
            return "xpu"
        other = _other_backend()
        return other if other and other not in self.others and _module(other).device_count() else ""

    def _count(self, ask_driver: bool) -> Optional[int]:
        """How many are visible; None if only the driver could say, which reads its variables when it is asked."""
        kind = self._kind()
        if kind in ("", "mps"):
            return 1 if kind else 0
        if kind == "cuda" and not ask_driver and not torch.cuda.is_initialized():
            # Private: the public function asks the driver where NVML cannot answer.
            way = "_device_count_amdsmi" if torch.version.hip else "_device_count_nvml"
            found = getattr(torch.cuda, way, lambda: -1)()
            return None if found < 0 else int(found)
        return int(_module(kind).device_count())

    def accelerators(self) -> Optional[Tuple[str, ...]]:
        count = self._count(ask_driver=False)
        ours = _still_shown()
        if ours is not None:
            count = ours.total
        return None if count is None else tuple("%s:%d" % (self._kind(), number) for number in range(count))

    def visible(self) -> Tuple[str, ...]:
        return tuple("%s:%d" % (self._kind(), number) for number in range(self._count(ask_driver=True) or 0))

    def set_visible(self, indices: Sequence[int]) -> Optional[Change]:
        if self._kind() != "cuda" or os.environ.get("KERAS_TORCH_DEVICE", _default) != _default:
            return None  # there is nothing to set it with; or the user's own choice counts the devices as they are now
        if torch.cuda.is_initialized():
            if any(index not in self._numbers() for index in indices):
                raise RuntimeError("PyTorch was started with %s" % (", ".join(self.visible()) or "no accelerator"))
            return None
        return self._show(tuple(indices))

    def _show(self, indices: Tuple[int, ...]) -> Optional[Change]:
        global _shown
        count = self._count(ask_driver=not indices)
        if count is not None and tuple(self._numbers(count)) == indices:
            return None
        variable = "HIP_VISIBLE_DEVICES" if torch.version.hip else "CUDA_VISIBLE_DEVICES"
        ours = _still_shown()
        before = os.environ.get(variable)
        given = before if before is not None else os.environ.get("CUDA_VISIBLE_DEVICES")
        if ours is not None:
            names, total = ours.value.split(","), ours.total
            if any(index not in ours.numbers for index in indices):
                raise RuntimeError("only %s were left visible before" % ours.value)
            chosen = [names[ours.numbers.index(index)] for index in indices]
        else:
            listed = _entries(given) if given is not None else None
            if listed is not None and any(index >= len(listed) for index in indices):
                return None  # the variable hides it: that shows when the devices are listed
            total = len(listed) if listed is not None else max(list(indices) + [(count or 0) - 1]) + 1
            chosen = [listed[index] if listed is not None else str(index) for index in indices]
        value = ",".join(chosen) or "-1"
        if value == before:
            return None
        os.environ[variable] = value
        with _lock:
            _shown = _Shown(variable, value, total if count is None or ours else max(total, count), indices)
        return Change("environment", variable, value, before)

    def _numbers(self, count: Optional[int] = None) -> Sequence[int]:
        """The machine's numbers of what is visible, by PyTorch's.

        If something asked the driver before the variable was set (an import of Keras does), that has no effect, and there
        are more than were shown.
        """
        if count is None:
            count = self._count(ask_driver=True) or 0
        ours = _still_shown()
        return ours.numbers if ours is not None and len(ours.numbers) == count else range(count)

    def set_memory(self, memory: Any, total_bytes: Optional[int] = None) -> List[Change]:
        kind = self._kind()
        if not isinstance(memory, int) or not kind:
            return []  # PyTorch takes memory as it needs it
        module = _module(kind)
        setter = getattr(module, "set_per_process_memory_fraction", None)
        if setter is None:
            raise LookupError("PyTorch can set no limit on the memory of %s" % kind)
        settings = os.environ.get("PYTORCH_CUDA_ALLOC_CONF", "") + os.environ.get("PYTORCH_ALLOC_CONF", "")
        if "per_process_memory_fraction" in settings:
            return []
        if kind == "mps":
            part = min(1.0, memory / module.recommended_max_memory())
            setter(part)
            return [Change("torch", "mps.set_per_process_memory_fraction", "%.4f" % part)]
        if kind == "cuda":
            torch.cuda.init()
        changes = []
        for number in range(len(self.visible())):
            total = int(module.get_device_properties(number).total_memory)
            getter = getattr(module, "get_per_process_memory_fraction", None)
            present = float(getter(number)) if getter is not None else 1.0
            if present not in (1.0, _parts.get(number)):
                continue  # the program has set a limit of its own
            part = min(1.0, memory / total)
            if part != present:
                setter(part, number)
                _parts[number] = part
                text = "%.6f (%d MiB)" % (part, memory // (1 << 20))
                changes.append(Change("torch", "%s.set_per_process_memory_fraction of %d" % (kind, number), text))
        return changes

    def set_default(self, indices: Sequence[int], cpu_number: int = 0) -> Optional[Change]:
        """See `Adapter`. Without Keras nothing is moved: PyTorch's programs name their devices.

        ``cuda`` means the first of the chosen ones then.
        """
        self._chosen = wanted = self._place(indices[0]) if indices else "cpu"
        if not uses_keras():
            number = int(wanted.partition(":")[2] or 0)
            module = _module(wanted.partition(":")[0]) if indices else None
            if (
                module is None
                or not hasattr(module, "set_device")
                or number == (module.current_device() if number else 0)
            ):
                return None
            module.set_device(number)
            return Change("torch", "%s.set_device" % wanted.partition(":")[0], str(number))
        return self._set_keras_default(wanted)

    def _place(self, index: int) -> str:
        """PyTorch's name of an accelerator."""
        kind = self._kind()
        if kind == "cuda":
            torch.cuda.init()  # from here on it counts what there really is, whatever variables say
        numbers = list(self._numbers())
        if index not in numbers:
            raise LookupError("PyTorch lists %s" % (", ".join(self.visible()) or "no accelerator"))
        # Keras knows its default devices by their bare names, and computes some operations another way for others.
        return kind if len(numbers) == 1 else "%s:%d" % (kind, numbers.index(index))

    def _set_keras_default(self, wanted: str) -> Optional[Change]:
        global _default
        asked = os.environ.get("KERAS_TORCH_DEVICE")
        if asked is not None and asked != _default and wanted != "cpu":
            if asked.startswith("cpu"):
                raise LookupError("Keras takes %s from the variable KERAS_TORCH_DEVICE" % asked)
            return None
        before = keras_default()
        if same_device(before, wanted):
            return None
        core = keras_core()
        if same_device(core.DEFAULT_DEVICE, wanted):
            return None
        core.DEFAULT_DEVICE = _default = wanted
        os.environ["KERAS_TORCH_DEVICE"] = wanted  # for processes that this one starts
        return Change("torch", "default device of Keras", wanted, before)

    def reset(self) -> None:
        # What was started cannot be given up: `set_default` moves everything to the CPU.
        if torch.cuda.is_initialized():
            try:
                torch.cuda.empty_cache()
            except RuntimeError:  # after some errors every call raises the same again
                pass

    def smoke(self, accelerator: bool) -> str:
        matrix = torch.tensor(MATRIX, device=(self._chosen or self._kind()) if accelerator else "cpu")
        product = torch.matmul(matrix, matrix)
        check_product(product.tolist())
        if accelerator:
            check_place(str(product.device))
        return str(product.device)

    def device_name(self, request: Request) -> Optional[str]:
        number = request.indices[0] if request.indices else 0
        if request.foreign:
            self.device_type = dict(request.device_types).get("torch", "no such type")
        if request.kind == "cpu" or (request.native and "cpu" in request.text.lower()):
            return "cpu:0" if number == 0 else None
        visible = self.visible() if request.kind != "tpu" else ()
        named = request.platform is not None and not request.foreign
        if named and visible and self.platform(visible[0]) != request.platform:
            return None
        if request.native or not request.indices:
            return visible[number] if number < len(visible) else None
        # A number counts the accelerators of the machine; PyTorch counts those that are visible.
        numbers = list(self._numbers(len(visible)))
        return visible[numbers.index(number)] if number in numbers else None

    def platform(self, name: str) -> str:
        kind = name.partition(":")[0]
        if kind == "cuda" and torch.version.hip:
            return "rocm"
        if kind == "privateuseone" and "torch_directml" in sys.modules:
            return "directml"
        return _PLATFORMS.get(kind, "pluggable")

    def scope_factory(self) -> Callable[[Optional[str]], Any]:
        visible = self.visible()
        # See `_place` for the bare names. A number on the CPU's name would be another device for Keras, too.
        names: Dict[Optional[str], str] = {name: name for name in visible}
        names["cpu:0"] = "cpu"
        if len(visible) == 1:
            names[visible[0]] = self._kind()
        device: Callable[[str], Any] = torch.device
        if uses_keras():
            device = scope_of(keras_core())

        def place(name: Optional[str]) -> Any:
            return device(names[name])

        return place

    def state(self) -> Any:
        core = sys.modules.get(CORE)
        placed = core.global_state.get_global_attribute("torch_device") if core is not None else None
        return placed, open_devices()

    def force(self, state: Any) -> None:
        core = sys.modules.get(CORE)
        if core is not None:
            core.global_state.set_global_attribute("torch_device", state[0])
        put_back(state[1])

    def set_seed(self, seed: int) -> Change:
        if uses_keras():
            return super().set_seed(seed)
        import random

        random.seed(seed)
        if importlib.util.find_spec("numpy") is not None:  # PyTorch runs without
            import numpy

            numpy.random.seed(seed)
        torch.manual_seed(seed)  # of all devices
        return Change("torch", "random seed", str(seed))


def _module(kind: str) -> Any:
    """PyTorch's module for a type of device: torch.cuda, torch.xpu, torch.mps, or what another package has registered."""
    return getattr(torch, kind)


def _other_backend() -> str:
    """The name of a device that another package has registered, "" if there is none."""
    asks = getattr(torch._C, "_get_privateuse1_backend_name", None)
    name = str(asks()) if asks is not None else ""
    return name if name and hasattr(getattr(torch, name, None), "device_count") else ""


def _entries(value: str) -> List[str]:
    """The devices that a variable names; the first that is none ends the list, as CUDA and HIP read it."""
    found: List[str] = []
    for entry in value.split(","):
        if not entry.strip() or entry.strip().startswith("-"):
            break
        found.append(entry.strip())
    return found


def _still_shown() -> Optional[_Shown]:
    """What was left visible, unless the program has changed the variable since."""
    return _shown if _shown is not None and os.environ.get(_shown.variable) == _shown.value else None


# The devices that a thread's open ``with torch.device(...)`` scopes have set, to be taken away and restored. PyTorch keeps
# open scopes, and other ways to change what its functions do, on a stack of the thread. It has no public way to put a stack
# back as it was; these are the functions that its own default device is made with.


def open_devices() -> Tuple[Any, ...]:
    """Return the device scopes that are open in this thread, the outer ones first."""
    if not torch._C._len_torch_function_stack():
        return ()
    from torch.overrides import _get_current_function_mode_stack
    from torch.utils._device import DeviceContext

    return tuple(mode for mode in _get_current_function_mode_stack() if isinstance(mode, DeviceContext))


def put_back(wanted: Tuple[Any, ...]) -> None:
    """Leave just these device scopes open in this thread, and everything else on the stack as it is."""
    present = open_devices()
    if present == wanted:
        return
    from torch.overrides import _get_current_function_mode_stack, _pop_mode, _push_mode

    modes = _get_current_function_mode_stack()
    for _ in modes:
        _pop_mode()
    for mode in list(wanted) + [mode for mode in modes if mode not in present]:
        _push_mode(mode)


def numbered_device(numbers: Sequence[int]) -> Any:
    """Return the one device that Keras trains on, as PyTorch counts what is visible; the CPU if there is none."""
    import torch

    if not numbers:
        return torch.device("cpu")
    kind = "cuda"
    if not torch.cuda.is_available():
        accelerator = getattr(torch, "accelerator", None)
        kind = str(accelerator.current_accelerator().type) if accelerator is not None else "mps"
    return torch.device(kind, numbers[0])
