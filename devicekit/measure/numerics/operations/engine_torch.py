"""Runs the suite's operations in PyTorch, one after the other, and hears of those that fall back to the processor."""

from typing import Any, List, Sequence, Tuple

import numpy as np

from ..functions.caller import FLOATS, describe
from ..functions.callers_torch import heard_fallbacks
from ..missing import fallbacks, is_missing_kernel
from .engine import Engine, Outcome
from .kinds_torch import KINDS
from .operation import Operation, cotangent

__all__ = ["TorchEngine"]

#: Devices without float64: Apple's Metal has none, and DirectML has it for a few operations only.
_NO_FLOAT64 = ("mps", "privateuseone", "dml")


class TorchEngine(Engine):
    """PyTorch 2. Its switches for TF32 and reduced precision are left as the user has them."""

    framework = "torch"

    def devices(self) -> Tuple[str, ...]:
        from ....runtime.frameworks import adapter

        return ("cpu:0",) + adapter("torch").visible()

    def kinds(self) -> Tuple[str, ...]:
        return tuple(KINDS)

    def dtypes(self, device: str) -> Tuple[str, ...]:
        every = super().dtypes(device)
        return every[1:] if device.partition(":")[0] in _NO_FLOAT64 else every

    def run(
        self, operation: Operation, arrays: Sequence[np.ndarray], dtype: str, device: str, seed: int = 0
    ) -> Outcome:
        place = "cpu" if device == "cpu:0" else device
        try:
            with heard_fallbacks() as heard:
                outputs, gradients = _compute(operation, arrays, dtype, place, seed)
                read = [_read(item) for item in outputs], [_read(item) for item in gradients]
        except Exception as error:  # of PyTorch's own, with no class of theirs
            return Outcome(error=describe(error), unsupported=is_missing_kernel(error))
        names = fallbacks([str(item.message) for item in heard])
        if names:
            text = "no kernel on %s for %s: run on the processor instead" % (device, ", ".join(names))
            return Outcome(tuple(read[0]), tuple(read[1]), "cpu:0", text, True)
        places = sorted({_place(item) for item in [*outputs, *gradients]})
        return Outcome(tuple(read[0]), tuple(read[1]), ", ".join(places))


def _compute(
    operation: Operation, arrays: Sequence[np.ndarray], dtype: str, device: str, seed: int
) -> Tuple[List[Any], List[Any]]:
    import torch

    kind, wanted = getattr(torch, dtype), operation.differentiated
    inputs = [
        _tensor(torch, array, kind if item.kind == "float" else torch.int32, device)
        for item, array in zip(operation.inputs, arrays)
    ]
    with torch.set_grad_enabled(bool(wanted)):
        sources = [inputs[number].requires_grad_() for number in wanted]
        found = KINDS[operation.operation](dict(operation.options, dtype=kind, device=device), *inputs)
        outputs = list(found) if isinstance(found, (tuple, list)) else [found]
        if not wanted:
            return outputs, []
        numbers = [number for number, item in enumerate(outputs) if _name(item) in FLOATS]
        targets = [outputs[number] for number in numbers]
        weights = [
            _tensor(torch, cotangent(operation, tuple(item.shape), seed, number, dtype), item.dtype, device)
            for number, item in zip(numbers, targets)
        ]
        return outputs, list(torch.autograd.grad(targets, sources, weights))


def _tensor(torch: Any, array: np.ndarray, dtype: Any, device: str) -> Any:
    """Rounded on the processor, so that the device sees just these numbers; Metal has no float64 to begin with."""
    return torch.from_numpy(np.array(array)).to(dtype).to(device)


def _name(tensor: Any) -> str:
    return str(tensor.dtype).rpartition(".")[2]


def _place(tensor: Any) -> str:
    device = tensor.device
    return "%s:%d" % (device.type, device.index or 0)


def _read(tensor: Any) -> np.ndarray:
    found = tensor.detach().cpu()
    values: np.ndarray = np.array((found.float() if _name(found) == "bfloat16" else found).numpy())
    return values
