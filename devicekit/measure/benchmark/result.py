"""What a benchmark measured. Pure data, and the statistics that the field uses."""

from dataclasses import dataclass, field, fields
from typing import Any, Dict, Mapping, Optional, Tuple

from ...diagnosis.findings import Finding

__all__ = ["BenchmarkResult", "Throughput"]


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


@dataclass(frozen=True)
class BenchmarkResult:
    """What was measured, device by device.

    Attributes
    ----------
    rows : tuple of Throughput
        In the order in which they were asked for.
    findings : tuple of Finding
        ``slower-than-cpu``, and what else was met.
    seconds : float
        How long all of it took.
    cached : bool
        Whether the figures come from an earlier measurement of the same state of this machine.
    settings : tuple of (str, object)
        What was asked for: numbers of batches, seed, time limits, ...
    """

    rows: Tuple[Throughput, ...]
    findings: Tuple[Finding, ...] = field(default=())
    seconds: float = 0.0
    cached: bool = False
    settings: Tuple[Tuple[str, Any], ...] = ()

    @property
    def fastest(self) -> Optional[Throughput]:
        """The row with the most examples per second, None where none has figures."""
        measured = [row for row in self.rows if row.per_second]
        return max(measured, key=lambda row: row.per_second or 0.0) if measured else None

    def to_dict(self) -> Dict[str, Any]:
        """Return the result as plain data for JSON."""
        return {
            "rows": [row.to_dict() for row in self.rows],
            "findings": [item.to_dict() for item in self.findings],
            "seconds": round(self.seconds, 3),
            "cached": self.cached,
            "settings": dict(self.settings),
        }

    def relative_to_cpu(self, row: Throughput) -> Optional[float]:
        """Return a row's examples per second as a ratio to the CPU's at the same work; None without such a row.

        The batch size may differ: each device may have the one that suits it.
        """
        for other in self.rows:
            if other.device == "cpu" and _work(other) == _work(row) and other.per_second and row.per_second:
                return row.per_second / other.per_second
        return None

    def __str__(self) -> str:
        from ...report.benchmark import benchmark_line

        return benchmark_line(self)

    def _repr_html_(self) -> str:
        from ...report.html import benchmark_html

        return benchmark_html(self)


def _work(row: Throughput) -> Tuple[Any, ...]:
    return row.model, row.framework, row.mode, row.precision, row.input_pipeline


def _median(values: Tuple[float, ...]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
