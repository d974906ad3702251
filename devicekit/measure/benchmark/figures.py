"""Figures of benchmarks to compare with, in a file: those of other machines, or of this one at another time."""

from typing import Any, Dict, Optional, Tuple

from ...errors import DevicekitError
from ...records import Pairs, parse_json
from ...selection.throughput import Throughput
from .result import BenchmarkResult, Figure

#: What a file begins with; raised if its form changes.
_SCHEMA = 1

_LIMIT_BYTES = 4 << 20
_MOST = 10000


def figures_of(result: BenchmarkResult) -> Tuple[Figure, ...]:
    """Return the rows that have figures, without what other programs disturbed."""
    return tuple(_figure(row) for row in result.measured if not row.under_load)


def _figure(row: Throughput) -> Figure:
    low, high = row.interval or (None, None)
    versions: Pairs[str] = row.versions
    return Figure(
        row.model, row.name, row.device, row.framework, row.mode, row.precision, row.xla, row.input_pipeline,
        row.batch_size, row.unit, float(row.per_second or 0.0), low, high, versions,
    )  # fmt: skip


def figures_data(result: BenchmarkResult) -> Dict[str, Any]:
    """Return the figures of a result as plain data for a file."""
    return {"schema": _SCHEMA, "figures": [figure.to_dict() for figure in figures_of(result)]}


def read_figures(path: str) -> Tuple[Figure, ...]:
    """Return the figures in a file.

    Raises
    ------
    DevicekitError
        If it cannot be read, or has something else.
    """
    try:
        with open(path, "rb") as stream:
            content = stream.read(_LIMIT_BYTES + 1)
    except OSError as error:
        raise DevicekitError("%s cannot be read: %s" % (path, error.strerror or error)) from error
    if len(content) > _LIMIT_BYTES:
        raise DevicekitError("%s is too large for a file of figures (limit: %d MiB)" % (path, _LIMIT_BYTES >> 20))
    try:
        return _decoded(parse_json(content))
    except (KeyError, TypeError, ValueError) as error:
        message = "%s is not a file of figures, as devicekit bench --figures FILE writes it: %s"
        raise DevicekitError(message % (path, error)) from None


def _decoded(data: Any) -> Tuple[Figure, ...]:
    if not isinstance(data, dict) or data.get("schema") != _SCHEMA or not isinstance(data.get("figures"), list):
        raise ValueError('expected {"schema": %d, "figures": [...]}' % _SCHEMA)
    if len(data["figures"]) > _MOST:
        raise ValueError("more than %d figures" % _MOST)
    figures = tuple(Figure.from_dict(item) for item in data["figures"])
    for figure in figures:
        for value in (figure.per_second, figure.low, figure.high):
            _check_rate(value)
    return figures


def _check_rate(value: Optional[float]) -> None:
    if value is not None and not -1e15 < value < 1e15:
        raise ValueError("%r examples per second" % value)
