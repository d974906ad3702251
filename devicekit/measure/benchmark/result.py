"""What a benchmark measured, and figures to compare with in a file: of other machines, or of another time."""

from typing import Any, Dict, List, Optional, Tuple

from ...diagnosis.findings import Finding
from ...errors import DevicekitError
from ...records import Pairs, Record, Seconds, ShownAsReport, parse_json
from ...selection.throughput import Throughput


class Figure(Record):
    """A figure to compare with: how fast a model ran on a device at some time.

    Attributes
    ----------
    model : str
    name : str
        The device's product name.
    device, framework, mode, precision, xla, input_pipeline, batch_size, unit
        As in `Throughput`.
    per_second : float
    low, high : float or None
        Ends of `Throughput.interval`.
    versions : tuple of (str, str)
    """

    model: str
    name: str
    device: str
    framework: str
    mode: str
    precision: str
    xla: Optional[bool]
    input_pipeline: bool
    batch_size: int
    unit: str
    per_second: float
    low: Optional[float] = None
    high: Optional[float] = None
    versions: Pairs[str] = ()

    def same_work(self, row: Throughput) -> bool:
        """Return whether a row did the same work; framework, compiler and batch size may differ."""
        own = (self.model, self.mode, self.precision, self.input_pipeline)
        return own == (row.model, row.mode, row.precision, row.input_pipeline)

    def clearly_differs(self, row: Throughput) -> bool:
        """Return whether a row's interval and this one's do not overlap."""
        if self.low is None or self.high is None or row.interval is None or row.under_load:
            return False
        return row.interval[1] < self.low or row.interval[0] > self.high


class BenchmarkResult(ShownAsReport, Record):
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
    interrupted : bool
        Whether it ended before everything was measured.
    against : tuple of Figure
        Figures to compare with.
    """

    _json = (
        "rows", "findings", "seconds", "cached", "settings", "interrupted", "against", "undecided",
    )  # fmt: skip

    rows: Tuple[Throughput, ...]
    findings: Tuple[Finding, ...] = ()
    seconds: Seconds = 0.0
    cached: bool = False
    settings: Pairs[Any] = ()
    interrupted: bool = False
    against: Tuple[Figure, ...] = ()

    @property
    def measured(self) -> Tuple[Throughput, ...]:
        """The rows that have figures."""
        return tuple(row for row in self.rows if row.per_second)

    @property
    def fastest(self) -> Optional[Throughput]:
        """The row that is faster than all others; None if none has figures, or `undecided` says why it can't be told."""
        rows = self.measured
        return max(rows, key=_speed) if rows and not self.undecided else None

    @property
    def undecided(self) -> str:
        """Why the figures don't say which row is the fastest, in a sentence; "" if they do, or there is nothing to compare."""
        rows = sorted(self.measured, key=_speed, reverse=True)
        if len(rows) < 2:
            return ""
        loaded = [row for row in rows if row.under_load]
        if loaded:
            share = max(row.load or 0.0 for row in loaded)
            return "other programs used %.0f %% of the processors while %s" % (100 * share, _were_measured(loaded))
        alone = [row for row in rows if row.interval is None]
        if alone:
            return "a single process does not show how much processes differ: repeat the measurement at least 3 times"
        best, others = rows[0], rows[1:]
        near = [row for row in others if _ends(row)[1] >= _ends(best)[0]]
        if near:
            names = _names([best, *near])
            return "the intervals of %s overlap: more repetitions or seconds make them narrower" % names
        return ""

    def relative_to_cpu(self, row: Throughput) -> Optional[float]:
        """Return a row's examples per second as a ratio to the CPU's at the same work; None without such a row.

        The batch size may differ: each device may have the one that suits it.
        """
        for other in self.rows:
            if other.device == "cpu" and _work(other) == _work(row) and other.per_second and row.per_second:
                return row.per_second / other.per_second
        return None


def _work(row: Throughput) -> Tuple[Any, ...]:
    return row.model, row.framework, row.mode, row.precision, row.input_pipeline


def _speed(row: Throughput) -> float:
    return row.per_second or 0.0


def _ends(row: Throughput) -> Tuple[float, float]:
    return row.interval or (0.0, float("inf"))


def _names(rows: List[Throughput]) -> str:
    names = list(dict.fromkeys(row.device for row in rows))
    if len(names) < len(rows):
        return "%d rows" % len(rows)
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _were_measured(rows: List[Throughput]) -> str:
    return "%s %s measured" % (_names(rows), "was" if len(rows) == 1 else "were")


class BenchmarkInterrupted(KeyboardInterrupt):
    """The user interrupted `devicekit.benchmark`.

    Attributes
    ----------
    result : BenchmarkResult
        The rows that were finished.
    """

    def __init__(self, result: BenchmarkResult) -> None:
        super().__init__("interrupted after %d rows" % len(result.measured))
        self.result = result


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
