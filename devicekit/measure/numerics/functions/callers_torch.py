"""Calls plain functions and modules in PyTorch."""

import contextlib
import copy
import warnings
from typing import Any, Callable, ContextManager, Dict, Iterator, List, Optional, Tuple

import numpy as np

from ..missing import fallbacks
from ..nests import flatten
from .caller import (
    FLOATS,
    Arguments,
    Called,
    Caller,
    Result,
    Value,
    describe,
    float_value,
    labelled,
    place,
    python_seeds,
    weights_of_sum,
)

__all__ = ["TorchCaller", "heard_fallbacks", "precision_settings", "seeded"]


class TorchCaller(Caller):
    """PyTorch 2. A `torch.nn.Module` is copied, moved to the device, and the gradients of its parameters are given too."""

    framework = "torch"

    def read(self, leaf: Any) -> Optional[Value]:
        import torch

        if not isinstance(leaf, torch.Tensor):
            return super().read(leaf)
        array, dtype, _ = _read(leaf)
        return float_value(array, dtype)

    def call(
        self, function: Callable[..., Any], arguments: Arguments, device: str, seed: int, gradients: bool
    ) -> Called:
        import torch

        with place(device, "torch") as selection, python_seeds(seed), seeded(seed), _listening(device) as heard:
            there = self.device_name(selection.device)
            module, parameters = None, []
            if isinstance(function, torch.nn.Module):
                module = copy.deepcopy(function).to(there, _module_dtype(torch, arguments))
                parameters = [(name, item) for name, item in module.named_parameters() if item.requires_grad]
            leaves = self._leaves(arguments, there, gradients)
            with torch.enable_grad() if gradients else torch.no_grad():
                found = flatten((function if module is None else module)(*arguments.with_leaves(leaves)))
                outputs = tuple(Result(labelled("output", path), *_read(leaf)) for path, leaf in found)
                if not gradients:
                    return Called(outputs, elsewhere=_elsewhere(heard))
                wanted = [
                    (labelled("gradient of input", arguments.labels[number]), leaves[number])
                    for number in arguments.differentiable
                ] + [("gradient of %s" % name, item) for name, item in parameters]
                try:
                    computed = self._gradients(torch, [leaf for _, leaf in found], wanted, seed)
                except Exception as error:  # an operation may have none
                    return Called(outputs, (), describe(error), _elsewhere(heard))
            return Called(outputs, computed, elsewhere=_elsewhere(heard))

    def settings(self, device: str) -> Tuple[str, ...]:
        return () if device.startswith("cpu") else precision_settings()

    def device_name(self, device: str) -> str:
        """Return PyTorch's own name of a device, as in ``"cuda:0"``."""
        from ....runtime.frameworks import adapter
        from ....selection.request import parse_request

        name = adapter("torch").device_name(parse_request(device))
        return "cpu" if name in (None, "cpu:0") else str(name)

    def _leaves(self, arguments: Arguments, there: str, gradients: bool) -> List[Any]:
        import torch

        found: List[Any] = []
        for (_, leaf), value in zip(flatten(arguments.nest), arguments.values):
            if value is None:
                found.append(leaf)
                continue
            tensor = torch.from_numpy(np.array(value.array)).to(getattr(torch, value.dtype)).to(there)
            found.append(tensor.requires_grad_(gradients and value.is_float))
        return found

    def _gradients(
        self, torch: Any, outputs: List[Any], wanted: List[Tuple[str, Any]], seed: int
    ) -> Tuple[Result, ...]:
        tensors = [item for item in outputs if isinstance(item, torch.Tensor) and item.requires_grad]
        tensors = [item for item in tensors if _name(item) in FLOATS]
        if not tensors or not wanted:
            return ()
        weights = [
            torch.from_numpy(weights_of_sum(tuple(item.shape), seed, number, _name(item)))
            .to(item.dtype)
            .to(item.device)
            for number, item in enumerate(tensors)
        ]
        found = torch.autograd.grad(tensors, [item for _, item in wanted], weights, allow_unused=True)
        return tuple(Result(label, *_read(item)) for (label, _), item in zip(wanted, found) if item is not None)


def _module_dtype(torch: Any, arguments: Arguments) -> Any:
    """The dtype that a module is to have: that of the inputs; None, as it is, where they have none."""
    kinds = {value.dtype for value in arguments.values if value is not None and value.is_float}
    return getattr(torch, kinds.pop()) if len(kinds) == 1 else None


def _name(tensor: Any) -> str:
    return str(tensor.dtype).rpartition(".")[2]


def _read(leaf: Any) -> Tuple[np.ndarray, str, str]:
    import torch

    if not isinstance(leaf, torch.Tensor):
        array = np.asarray(leaf)
        return array, str(array.dtype), ""
    tensor, name = leaf.detach(), _name(leaf)
    if tensor.layout != torch.strided:
        tensor = tensor.to_dense()
    tensor = tensor.cpu()
    values = (tensor.float() if name == "bfloat16" else tensor).resolve_conj().resolve_neg().numpy()
    return np.array(values), name, str(leaf.device)


@contextlib.contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed PyTorch's generators, and put them back afterwards."""
    import torch

    before: Dict[str, Any] = {}
    others = {"cuda": torch.cuda, "xpu": getattr(torch, "xpu", None)}
    started = {name: module for name, module in others.items() if module is not None and module.is_initialized()}
    before = {name: module.get_rng_state_all() for name, module in started.items()}
    mps = torch.mps.get_rng_state() if torch.backends.mps.is_available() else None
    processor = torch.get_rng_state()
    torch.manual_seed(seed)
    try:
        yield
    finally:
        torch.set_rng_state(processor)
        for name, module in started.items():
            module.set_rng_state_all(before[name])
        if mps is not None:
            torch.mps.set_rng_state(mps)


@contextlib.contextmanager
def heard_fallbacks() -> Iterator[List[Any]]:
    """Collect what is warned of inside; all but operations that ran on the processor is shown afterwards, as ever.

    PyTorch gives that warning once only in a process, unless it is told otherwise.
    """
    import torch

    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    caught: List[Any] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield caught
    finally:
        torch.set_warn_always(always)
        for item in caught:
            if not fallbacks([str(item.message)]):
                warnings.warn_explicit(item.message, item.category, item.filename, item.lineno, registry=_told)


#: Where each warning was told once already, as a module of its own would keep it.
_told: Dict[Any, Any] = {}


def _listening(device: str) -> ContextManager[List[Any]]:
    """On the processor nothing falls back, so that the user's warnings need not be touched."""
    nothing: List[Any] = []
    return contextlib.nullcontext(nothing) if device == "cpu" else heard_fallbacks()


def _elsewhere(caught: List[Any]) -> Tuple[str, ...]:
    return fallbacks([str(item.message) for item in caught])


def precision_settings() -> Tuple[str, ...]:
    """Return what is set in this process that lowers the precision of float32 on accelerators; nothing is changed."""
    import torch

    found = []
    for name, module in (("cuda.matmul", torch.backends.cuda.matmul), ("cudnn", torch.backends.cudnn)):
        try:
            if module.allow_tf32:
                found.append("torch.backends.%s.allow_tf32 = True" % name)
        except RuntimeError:  # 2.9 and later: set by the newer name, and the older one refuses to answer
            found.append("torch.backends.%s.fp32_precision = %r" % (name, getattr(module, "fp32_precision", "?")))
    return tuple(found)
