"""How fast a model runs on a device: pure data, with the statistics that the field uses. `devicekit.benchmark` measures it."""

from typing import Optional, Tuple

from ..records import Pairs, Record


class Throughput(Record):
    """How fast a model runs on a device, in one way.

    Attributes
    ----------
    model : str
        ``"resnet50"``, ...
    device : str
        As in `Selection.device`.
    framework : str
    mode : {"training", "inference"}
    precision : str
        Keras's dtype policy: ``"float32"``, ``"mixed_float16"``, ``"mixed_bfloat16"``.
    xla : bool or None
        Whether the steps were compiled by XLA; None where the framework has no choice.
    batch_size : int
        Examples in a step.
    unit : {"images", "sequences", "examples"}
    step_seconds : tuple of float
        Seconds of each step that counts.
    warmup_seconds : tuple of float
        Seconds of each step before: tracing, compilation, caches.
    input_pipeline : bool
        Whether each step takes another batch through the framework's input pipeline; otherwise all take the same one,
        which is on the device.
    memory_peak_bytes : int or None
        The most that was in use on the device (on the CPU: by the process), None where the framework does not say.
    steady : bool
        Whether the steps that count show no trend: warm-up was long enough.
    platform, name : str
        Of the device.
    problem : str
        Why there are no figures; "" where there are.
    parameters : int or None
        How many weights the model has; None where it was not made.
    versions : tuple of (str, str)
        Releases of Python, Keras, NumPy and the framework.
    """

    _json = (
        "model", "device", "framework", "mode", "precision", "xla",
        "batch_size", "unit", "step_seconds", "warmup_seconds", "input_pipeline", "memory_peak_bytes",
        "steady", "platform", "name", "problem", "parameters", "versions",
        "per_second", "uncertainty", "deviation", "jitter",
    )  # fmt: skip

    model: str
    device: str
    framework: str
    mode: str
    precision: str
    xla: Optional[bool]
    batch_size: int
    unit: str
    step_seconds: Tuple[float, ...] = ()
    warmup_seconds: Tuple[float, ...] = ()
    input_pipeline: bool = False
    memory_peak_bytes: Optional[int] = None
    steady: bool = True
    platform: str = ""
    name: str = ""
    problem: str = ""
    parameters: Optional[int] = None
    versions: Pairs[str] = ()

    @property
    def rates(self) -> Tuple[float, ...]:
        """Examples per second of each step."""
        return tuple(self.batch_size / seconds for seconds in self.step_seconds if seconds > 0)

    @property
    def per_second(self) -> Optional[float]:
        """Examples per second over all steps: as many as were computed by the time that took. None without figures."""
        total = sum(self.step_seconds)
        return len(self.step_seconds) * self.batch_size / total if total > 0 else None

    @property
    def uncertainty(self) -> Optional[float]:
        """Standard error of the mean of `rates`: the figure after ``+/-`` of tf_cnn_benchmarks."""
        rates = self.rates
        if not rates:
            return None
        mean = sum(rates) / len(rates)
        return float((sum((rate - mean) ** 2 for rate in rates) / len(rates)) ** 0.5 / len(rates) ** 0.5)

    @property
    def deviation(self) -> Optional[float]:
        """Standard deviation of `rates`."""
        uncertainty = self.uncertainty
        return None if uncertainty is None else uncertainty * len(self.rates) ** 0.5

    @property
    def jitter(self) -> Optional[float]:
        """1.4826 times the median absolute deviation of `rates`: their deviation without outliers (tf_cnn_benchmarks)."""
        rates = self.rates
        if not rates:
            return None
        middle = _median(rates)
        return 1.4826 * _median(tuple(abs(rate - middle) for rate in rates))


def _median(values: Tuple[float, ...]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
