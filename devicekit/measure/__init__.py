"""What a device really computes, and how fast: numerics, benchmarks, tuning, batch sizes."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..selection.throughput import Throughput as Throughput
    from .benchmark.result import BenchmarkInterrupted as BenchmarkInterrupted
    from .benchmark.result import BenchmarkResult as BenchmarkResult
    from .benchmark.result import Figure as Figure
    from .memory.estimate import LayerMemory as LayerMemory
    from .memory.estimate import MemoryEstimate as MemoryEstimate
    from .numerics.reproducer import write_reproducer as write_reproducer
    from .numerics.result import Comparison as Comparison
    from .numerics.result import Difference as Difference
    from .numerics.result import Divergence as Divergence
    from .numerics.result import LeftToCpu as LeftToCpu
    from .numerics.result import Measure as Measure
    from .tuning.result import TunedOption as TunedOption
    from .tuning.result import Tuning as Tuning

if not TYPE_CHECKING:
    from .. import _lazy_names

    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "BenchmarkInterrupted": "benchmark.result",
            "BenchmarkResult": "benchmark.result",
            "Comparison": "numerics.result",
            "Difference": "numerics.result",
            "Divergence": "numerics.result",
            "Figure": "benchmark.result",
            "LeftToCpu": "numerics.result",
            "LayerMemory": "memory.estimate",
            "Measure": "numerics.result",
            "MemoryEstimate": "memory.estimate",
            "Throughput": "..selection.throughput",
            "TunedOption": "tuning.result",
            "Tuning": "tuning.result",
            "write_reproducer": "numerics.reproducer",
        },
    )
