"""Training with Keras 3 on PyTorch."""

import sys
from typing import Any, Dict, Optional

import torch

from .training import Training


class TorchTraining(Training):
    """Keras gets the batch, and then calls ``train_function(batch)``."""

    framework = "torch"
    fetches_before = True

    def synchronize(self, outputs: Any = None) -> None:
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            torch.cuda.synchronize()
        elif hasattr(torch, "mps") and torch.backends.mps.is_available():
            torch.mps.synchronize()
        elif hasattr(torch, "xpu") and torch.xpu.is_available():
            torch.xpu.synchronize()

    def programs(self, function: Any) -> Optional[int]:
        dynamo = sys.modules.get("torch._dynamo.utils")  # there once something was compiled
        return int(dynamo.counters["stats"]["unique_graphs"]) if dynamo is not None else None

    def memory(self) -> Dict[str, Optional[int]]:
        if not (torch.cuda.is_available() and torch.cuda.is_initialized()):
            return {}
        stats = torch.cuda.memory_stats()
        limit = torch.cuda.get_device_properties(torch.cuda.current_device()).total_memory
        return {
            "peak_bytes": torch.cuda.max_memory_reserved(),
            "limit_bytes": int(limit),
            "retries": int(stats.get("num_alloc_retries", 0)),
        }
