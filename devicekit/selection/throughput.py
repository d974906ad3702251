"""How fast a model runs on a device: pure data, with the statistics that the field uses. `devicekit.benchmark` measures it."""

from dataclasses import dataclass, fields
from typing import Any, Dict, Mapping, Optional, Tuple

__all__ = ["Throughput"]


@dataclass(frozen=True)
class Throughput:
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
        which lies on the device.
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
    versions: Tuple[Tuple[str, str], ...] = ()

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Throughput":
        """Return what `to_dict` has written; what it says beyond the attributes is passed over.

        Raises
        ------
        TypeError
            Where one of the first eight attributes is not there.
        """
        known = {item.name for item in fields(cls)}
        given = {name: value for name, value in values.items() if name in known}
        for name in ("step_seconds", "warmup_seconds"):
            given[name] = tuple(float(seconds) for seconds in given.get(name) or ())
        given["versions"] = tuple((str(name), str(value)) for name, value in dict(given.get("versions") or ()).items())
        return cls(**given)

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

    def to_dict(self) -> Dict[str, Any]:
        """Return the figures as plain data for JSON."""
        values = dict(vars(self), step_seconds=list(self.step_seconds), warmup_seconds=list(self.warmup_seconds))
        values["versions"] = dict(self.versions)
        for name in ("per_second", "uncertainty", "deviation", "jitter"):
            values[name] = getattr(self, name)
        return values


def _median(values: Tuple[float, ...]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
