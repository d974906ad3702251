"""Keras on PyTorch: whether it is in use, its default device, and its scope."""

import importlib.util
import os
import sys
from typing import Any, Callable, Optional

import torch

from ...records import parse_json

#: The module in which Keras keeps its `DEFAULT_DEVICE`; private, and the same from 3.0 to 3.15.
CORE = "keras.src.backend.torch.core"


def uses_keras() -> bool:
    """Whether Keras computes with PyTorch in this process, or will once it is imported."""
    if CORE in sys.modules:
        return True
    if "keras" in sys.modules:
        return False
    backend = os.environ.get("KERAS_BACKEND") or _configured_backend()
    return backend == "torch" and importlib.util.find_spec("keras") is not None


def _configured_backend() -> Optional[str]:
    """The backend that keras.json names; Keras looks for it in the same places."""
    folder = os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")
    try:
        with open(os.path.join(folder, "keras.json"), "rb") as stream:
            content = parse_json(stream.read(1 << 20))
    except (OSError, ValueError):
        return None
    backend = content.get("backend") if isinstance(content, dict) else None
    return str(backend) if backend else None


def keras_core() -> Any:
    """Import Keras and return its module for PyTorch."""
    import keras  # noqa: F401

    return sys.modules[CORE]


def scope_of(core: Any) -> Callable[[str], Any]:
    """Keras's scope. It is entered often, so what it does is done here without a generator, if it still does just that."""
    read, write = core.global_state.get_global_attribute, core.global_state.set_global_attribute
    before = read("torch_device")
    with core.device_scope("meta"):
        inside = read("torch_device")
    if inside != "meta" or read("torch_device") != before:
        scope: Callable[[str], Any] = core.device_scope
        return scope

    class Scope:
        __slots__ = ("_before", "_name")

        def __init__(self, name: str) -> None:
            self._name = name

        def __enter__(self) -> None:
            self._before = read("torch_device")
            write("torch_device", self._name)

        def __exit__(self, *error: Any) -> None:
            write("torch_device", self._before)

    return Scope


def keras_default() -> str:
    """The device that Keras uses when no one names one, or will use: found out without importing it."""
    core = sys.modules.get(CORE)
    if core is not None:
        return str(core.DEFAULT_DEVICE)
    if os.environ.get("KERAS_TORCH_DEVICE"):
        return str(keras_core().DEFAULT_DEVICE)  # whether this Keras reads it depends on its release
    if torch.backends.mps.is_available():
        return "mps"
    if torch.cuda.is_available():
        return "cuda"
    if hasattr(torch, "xpu") and torch.xpu.is_available():
        return str(keras_core().DEFAULT_DEVICE)  # likewise
    return "cpu"


def same_device(one: str, other: str) -> bool:
    """Whether two names mean the same device; one without a number means the current one of its type."""
    first, second = torch.device(one), torch.device(other)
    if first.type != second.type or first.index == second.index or first.type in ("cpu", "mps"):
        return bool(first.type == second.type)
    current = getattr(getattr(torch, first.type), "current_device", lambda: 0)()
    numbers = [current if device.index is None else device.index for device in (first, second)]
    return bool(numbers[0] == numbers[1])
