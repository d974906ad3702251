"""PyTorch: the one device that Keras trains on there."""

from typing import Any, Sequence

import torch


def device(numbers: Sequence[int]) -> Any:
    """Return the device with this number, as PyTorch counts what is visible; the CPU if there is none."""
    if not numbers:
        return torch.device("cpu")
    kind = "cuda"
    if not torch.cuda.is_available():
        accelerator = getattr(torch, "accelerator", None)
        kind = str(accelerator.current_accelerator().type) if accelerator is not None else "mps"
    return torch.device(kind, numbers[0])
