"""Confidence intervals of a mean, from few values. Pure."""

from statistics import mean, stdev
from typing import Optional, Sequence, Tuple

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
