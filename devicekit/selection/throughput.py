"""How fast a model runs on a device: pure data, with the statistics that the field uses. `devicekit.benchmark` measures it."""

import math
from statistics import mean, stdev
from typing import Optional, Sequence, Tuple

from ..records import Pairs, Record

#: The 97.5 % quantile of Student's t for 1, 2, ... degrees of freedom (NIST/SEMATECH e-Handbook of Statistical Methods,
#: section 1.3.6.7.2).
_QUANTILES = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


def confidence_interval(values: Sequence[float]) -> Optional[Tuple[float, float]]:
    """Return the ends of the 95 % confidence interval of a mean; None for fewer than two values."""
    if len(values) < 2:
        return None
    middle, freedom = mean(values), len(values) - 1
    # Beyond the table the quantile falls by about 2.5 / freedom towards the normal distribution's.
    quantile = _QUANTILES[freedom - 1] if freedom <= len(_QUANTILES) else 1.96 + 2.5 / freedom
    half = quantile * stdev(values) / len(values) ** 0.5
    return middle - half, middle + half


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
    runs : tuple of int
        How many of `step_seconds` each process took, in their order; empty: all are of one process.
    load : float or None
        Share of the processors, from 0 to 1, that other programs used during the steps that count. None where that is
        not known.
    under_load : bool
        Whether other programs used so much that the figures say little about the device.
    loaded_steps : int
        Steps that don't count, because other programs were busy while they were taken.
    threads : int or None
        Threads for one operation, as the framework says; None where it does not.
    flops_per_step : float or None
        Floating-point operations in a step, as the framework counts them; None where it can't.
    peak_flops : float or None
        What the device can compute at most in this precision, in floating-point operations per second, as its maker says.
    energy_joules : float or None
        What the device took for the steps that count, as its driver says.
    """

    _json = (
        "model", "device", "framework", "mode", "precision", "xla",
        "batch_size", "unit", "step_seconds", "warmup_seconds", "input_pipeline", "memory_peak_bytes",
        "steady", "platform", "name", "problem", "parameters", "versions",
        "runs", "load", "under_load", "loaded_steps", "threads", "flops_per_step", "peak_flops", "energy_joules",
        "per_second", "uncertainty", "deviation", "jitter", "interval", "latency", "flop_per_second", "share_of_peak",
        "joules_per_example",
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
    runs: Tuple[int, ...] = ()
    load: Optional[float] = None
    under_load: bool = False
    loaded_steps: int = 0
    threads: Optional[int] = None
    flops_per_step: Optional[float] = None
    peak_flops: Optional[float] = None
    energy_joules: Optional[float] = None

    @property
    def rates(self) -> Tuple[float, ...]:
        """Examples per second of each step."""
        return tuple(self.batch_size / seconds for seconds in self.step_seconds if seconds > 0)

    @property
    def run_rates(self) -> Tuple[float, ...]:
        """Examples per second of each process: as many as it computed by the time that took."""
        rates, start = [], 0
        for count in self.runs or (len(self.step_seconds),):
            seconds = sum(self.step_seconds[start : start + count])
            start += count
            if seconds > 0:
                rates.append(count * self.batch_size / seconds)
        return tuple(rates)

    @property
    def per_second(self) -> Optional[float]:
        """Examples per second: the mean of the processes. None without figures."""
        rates = self.run_rates
        return sum(rates) / len(rates) if rates else None

    @property
    def interval(self) -> Optional[Tuple[float, float]]:
        """In what range another measurement would find `per_second`: the 95 % confidence interval of the processes' mean.

        Student's t over processes, because steps of one process resemble each other more than those of the next one
        (Georges, Buytaert and Eeckhout 2007, "Statistically rigorous Java performance evaluation"). None for a single
        process.
        """
        return confidence_interval(self.run_rates)

    @property
    def latency(self) -> Pairs[float]:
        """Seconds of a step that half, 90 % and 99 % of the steps don't exceed: ``p50``, ``p90``, ``p99``."""
        ordered = sorted(self.step_seconds)
        if not ordered:
            return ()
        return tuple(
            (name, ordered[max(0, math.ceil(share * len(ordered)) - 1)])
            for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99))
        )

    @property
    def flop_per_second(self) -> Optional[float]:
        """Floating-point operations per second; None where those of a step are not known."""
        rate = self.per_second
        if rate is None or self.flops_per_step is None or not self.batch_size:
            return None
        speed = self.flops_per_step * (rate / self.batch_size)
        return speed if math.isfinite(speed) else None

    @property
    def share_of_peak(self) -> Optional[float]:
        """`flop_per_second` as a share of `peak_flops`."""
        speed = self.flop_per_second
        share = None if speed is None or not self.peak_flops else speed / self.peak_flops
        return share if share is not None and math.isfinite(share) else None

    @property
    def joules_per_example(self) -> Optional[float]:
        """Energy of the device for one example, in joules."""
        examples = len(self.step_seconds) * self.batch_size
        return None if self.energy_joules is None or not examples else self.energy_joules / examples

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
