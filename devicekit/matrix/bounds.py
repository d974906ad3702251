"""Does a release go with a version of something that it imports: what was measured, then what else is known. Pure.

The table (data/bounds.json) says between which versions of a dependency a release was imported and trained, and how it
fails outside them. It counts more than what metadata declare, which are wrong in both directions.
"""

import re
from functools import lru_cache
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .matrix import BY_PATCH, TENSORFLOW_OWNERS, Matrix, accepts, minor_of
from .projects import Release
from .tables import Bound
from .target import target_for

#: What each stage of the measuring does, as a failure of it is reported.
STAGES = {
    "import": "the import fails",
    "dense": "training a dense network fails",
    "lstm": "training an LSTM fails",
    "convolution": "training a convolution fails",
    "hdf5": "saving and loading a model as HDF5 fails",
    "tensorboard": "the TensorBoard callback fails",
    "arrays": "taking arrays of NumPy and giving them back fails",
    "use": "using it fails",
}

_Numbers = Tuple[int, ...]


class Fit(NamedTuple):
    """Whether a release works with a version of a dependency.

    Attributes
    ----------
    state : {"works", "fails", "unknown"}
    stage : str
        Of a failure: the first of `STAGES` that fails, "" if that is not known.
    because : str
        Of a measured failure: its error. Of another one: the reason, in a sentence. Of "unknown": why, "" if nothing is known.
    source : str
        What it was tried with, or where it is written.
    measured : bool
        Whether the table says so.
    exact : bool
        Whether this minor release of the dependency was tried. Further away, an earlier stage may fail already.
    """

    state: str
    stage: str = ""
    because: str = ""
    source: str = ""
    measured: bool = False
    exact: bool = True

    @property
    def error(self) -> str:
        """The name of the exception of a measured failure; "" if it is not known, or the process was killed."""
        name = self.because.partition(":")[0] if self.measured else ""
        return name if name.isidentifier() else ""


_UNKNOWN = Fit("unknown")

_SEEN = "imports tried with the wheels"


def fit(
    matrix: Matrix,
    project: str,
    version: str,
    python: str,
    dependency: str,
    installed: str,
    backend: str = "",
    pure: Optional[bool] = None,
) -> Fit:
    """Return whether a release works with a version of a dependency on a Python version.

    Parameters
    ----------
    matrix : Matrix
    project, version : str
        The release.
    python : str
        ``"3.11"``; "" for any: then the measurements on all Python versions have to agree.
    dependency, installed : str
        The dependency and its version.
    backend : str
        Of Keras 3: ``"jax"`` or ``"torch"``.
    pure : bool, optional
        Whether the installed one is without native code; by default as its wheel for that Python version is.
    """
    rows = _rows_for(matrix.bounds(project, version, dependency, backend), python)
    if dependency == "protobuf" and rows and (python or pure is not None):
        here = _is_pure(matrix, installed, python) if pure is None else pure
        rows = tuple(row for row in rows if _is_pure(matrix, installed, row.python) == here)
    found = _measured(rows, installed)
    if found.state != "unknown":
        return found
    label = "%s %s" % (project, version)
    loads = _loads(matrix, project, version, dependency)
    refused = bool(loads) and accepts(loads, installed) is False
    for hold in matrix.holds(project, version, python):
        for text in hold.needs if not hold.goal else ():
            name, bounds = requirement_parts(text)
            if name == dependency and accepts(bounds, installed) is False:
                because = "%s needs %s: %s" % (label, text, hold.because)
                return Fit("fails", "import" if refused else "", because, hold.seen)
    if refused:
        return Fit("fails", "import", "%s can load %s%s only" % (label, dependency, loads), _SEEN)
    # Where the table has the pair and not this version, bounds that are known less well cannot say that it works.
    return Fit("works", source=_SEEN) if loads and not rows else found


def _is_pure(matrix: Matrix, protobuf: str, python: str) -> bool:
    """Return whether protobuf has no wheel with native code for a Python version: its implementation in Python differs.

    TensorFlow 2.19 crashes with the native code of 3.20.3, which there is up to Python 3.10, and works without it.
    """
    project = matrix.project("protobuf")
    release = project.nearest(protobuf) if project is not None else None
    return release is not None and not _has_native_code(release, python)


@lru_cache(maxsize=4096)
def _has_native_code(release: Release, python: str) -> bool:
    target = target_for("linux-x86_64", python)
    return any(
        platform != "any" and target.takes_platform(platform) and any(target.takes_python(tag) for tag in tags)
        for build in release.builds
        for platform, tags in build.wheels
    )


def allowed(matrix: Matrix, project: str, version: str, python: str, dependency: str, backend: str = "") -> str:
    """Return the versions of a dependency that a release is not known to fail with, "" for all."""
    rows = _rows_for(matrix.bounds(project, version, dependency, backend), python)
    if dependency == "protobuf" and len(rows) > 1:
        return _allowed_protobuf(matrix, rows, python)
    other = matrix.project(dependency)
    known = other.versions if other is not None else ()
    return measured_range(rows, known) if rows else _loads(matrix, project, version, dependency)


def _allowed_protobuf(matrix: Matrix, rows: Sequence[Bound], python: str) -> str:
    """The same where wheels with native code and without take turns: every minor release is looked at."""
    project = matrix.project("protobuf")
    states = []
    for version in project.versions if project is not None else ():
        same = tuple(
            row
            for row in rows
            if not python or _is_pure(matrix, version, row.python) == _is_pure(matrix, version, python)
        )
        states.append((version, _measured(same, version).state))
    failing = [version for version, state in states if state == "fails"]
    working = [version for version, state in states if state == "works"]
    if not failing or not working:
        return ""
    first, last = _numbers(working[0]), _numbers(working[-1])
    parts = [">=" + minor_of(working[0])] if _numbers(failing[0]) < first else []
    parts += ["!=%s.*" % minor_of(version) for version in failing if first < _numbers(version) < last]
    above = [version for version in failing if _numbers(version) > last]
    return ",".join(parts + ["<" + _before(above[0])] if above else parts)


def needs(matrix: Matrix, project: str, version: str, python: str, backend: str = "") -> Iterator[Tuple[str, str, str]]:
    """Yield what was measured of a release as requirements: the name, the bounds ("" for any version), and the reason."""
    table: Dict[str, List[Bound]] = {}
    for row in matrix.bounds(project, version, backend=backend):
        table.setdefault(row.dependency, []).append(row)
    for name, found in table.items():
        rows = _rows_for(found, python)
        bounds = allowed(matrix, project, version, python, name, backend) if rows else ""
        if bounds:
            yield name, bounds, "; ".join(_failures(rows)) + " (tried)"
        elif rows and all(row.without.startswith("import: ") for row in rows):
            yield name, "", "it imports it"


def _failures(rows: Sequence[Bound]) -> List[str]:
    texts = []
    for row in rows:
        for limit, error in ((row.below, row.below_fails), (row.above, row.above_fails)):
            if limit:
                texts.append("with %s %s %s" % (row.dependency, limit, STAGES[error.partition(":")[0]]))
    return list(dict.fromkeys(texts))[:2]


def _loads(matrix: Matrix, project: str, version: str, dependency: str) -> str:
    row = matrix.tensorflow(version) if project in TENSORFLOW_OWNERS else None
    return {"numpy": row.numpy, "protobuf": row.protobuf, "keras": row.keras}.get(dependency, "") if row else ""


def requirement_parts(text: str) -> Tuple[str, str]:
    """Return name and bounds of a requirement.

    >>> requirement_parts('numpy<2.0.0,>=1.23.5; python_version < "3.12"'), requirement_parts("tensorflow[and-cuda]==2.20.0")
    (('numpy', '<2.0.0,>=1.23.5'), ('tensorflow', '==2.20.0'))
    """
    plain = text.partition(";")[0].strip()
    name = re.match(r"[A-Za-z0-9._-]+", plain)
    if name is None:
        return "", ""
    rest = re.sub(r"^\[[^\]]*\]", "", plain[name.end() :].strip())
    return name.group(0).lower().replace("_", "-"), rest.strip()


def _measured(rows: Sequence[Bound], version: str) -> Fit:
    """Return what was measured of a version: where it was tried on several Python versions, the results have to agree."""
    numbers = _numbers(version)
    if not numbers or not rows:
        return _UNKNOWN
    votes = [_vote(row, numbers) for row in rows]
    found = [item for item in votes if item is not None]
    if all(item.state == "fails" for item in found):  # further away, it may be earlier: that contradicts nothing
        found = [item for item in found if item.exact] or found
    if len({(item.state, item.stage) for item in found}) == 1 and found[0].state != "unknown":
        return found[0]
    pair = "%s %s with %s %s" % (rows[0].project, rows[0].release, rows[0].dependency, version)
    seen = ["%s on Python %s" % (_result(vote), row.python) for vote, row in zip(votes, rows)]
    return Fit("unknown", because="%s: %s" % (pair, ", ".join(seen)))


def _result(vote: Optional[Fit]) -> str:
    if vote is None or vote.state == "unknown":
        return "not tried"
    return "works" if vote.state == "works" else STAGES[vote.stage]


def _rows_for(rows: Sequence[Bound], python: str) -> Tuple[Bound, ...]:
    """The rows of a Python version, or of the measured ones below and above it; all if none is named."""
    if not python:
        return tuple(rows)
    here = _numbers(minor_of(python))
    same = tuple(row for row in rows if _numbers(row.python) == here)
    if same:
        return same
    lower = [row for row in rows if _numbers(row.python) < here]
    upper = [row for row in rows if _numbers(row.python) > here]
    if not lower or not upper:
        return ()
    return (max(lower, key=lambda row: _numbers(row.python)), min(upper, key=lambda row: _numbers(row.python)))


def _vote(row: Bound, version: _Numbers) -> Optional[Fit]:
    """What one row says of a version: None if the version could not be tried there, because it had no wheel."""
    oldest, newest = _numbers(row.oldest), _numbers(row.newest)
    source = "%s %s on Python %s, tried" % (row.project, row.release, row.python)
    works = Fit("works", source=source, measured=True)

    def near(other: _Numbers) -> bool:
        by_patch = (row.dependency, ".".join(map(str, version[:2]))) in BY_PATCH
        return version == other if by_patch else version[:2] == other[:2]

    if oldest <= version <= newest:
        return works
    newer = version > newest
    edge, limit, error = (newest, row.above, row.above_fails) if newer else (oldest, row.below, row.below_fails)
    if not limit:
        # A patch release is like the others of its minor release.
        return works if near(edge) else None
    if not _beyond(version, limit, newer):
        near_edge, near_limit = near(edge), near(_numbers(limit))
        if near_edge or not near_limit:
            # In the middle of a minor release that fails at one end nothing is known.
            return works if near_edge and not near_limit else _UNKNOWN
    further, its_error = (
        (row.import_above, row.import_above_fails) if newer else (row.import_below, row.import_below_fails)
    )
    close = bool(further) and near(_numbers(further)) and not near(_numbers(limit))
    if further and (_beyond(version, further, newer) or close):
        limit, error = further, its_error
    stage, _, text = error.partition(": ")
    reached = row.imports_above if newer else row.imports_below
    tried = bool(reached) and (version == _numbers(reached) or not _beyond(version, reached, newer))
    exact = stage == "import" or bool(further) or tried or near(_numbers(limit))
    return Fit("fails", stage, text, source, measured=True, exact=exact)


def _beyond(version: _Numbers, limit: str, newer: bool) -> bool:
    return version >= _numbers(limit) if newer else version <= _numbers(limit)


def measured_range(rows: Sequence[Bound], known: Sequence[str] = ()) -> str:
    """Return the bounds of what was not measured to fail, "" if nothing was.

    Where the measured releases end, the bound is named by its minor release: ``>=1.19,<1.24``. Of the known versions,
    those between the newest that fails and the oldest that works were not tried by themselves: they are within the bounds.
    """
    parts = []
    limits = [row.below for row in rows if row.below]
    if limits:
        limit = min(limits, key=_numbers)
        oldest = min((row.oldest for row in rows), key=_numbers)
        between = (item for item in known if _numbers(minor_of(limit)) < _numbers(minor_of(item)))
        oldest = min((oldest, *between), key=_numbers)
        parts.append(">=" + (oldest if minor_of(oldest) == minor_of(limit) else minor_of(oldest)))
    limits = [row.above for row in rows if row.above]
    if limits:
        limit = max(limits, key=_numbers)
        newest = max((row.newest for row in rows), key=_numbers)
        apart = _numbers(minor_of(newest)) < _numbers(minor_of(limit))
        parts.append("<" + _before(limit) if apart else "<=" + newest)
    return ",".join(parts)


def _before(version: str) -> str:
    minor = minor_of(version)
    return minor[:-2] if minor.endswith(".0") else minor


_FINAL = re.compile(r"(\d{1,9}(?:\.\d{1,9})*)(?:\.post\d+)?(?:\+.*)?$")


@lru_cache(maxsize=16384)
def _numbers(version: str) -> _Numbers:
    """The numbers of a final release, without zeros at the end; () of anything else.

    >>> _numbers("1.24.4"), _numbers("2.13.0+cpu"), _numbers("2.0.0rc1"), _numbers("")
    ((1, 24, 4), (2, 13), (), ())
    """
    match = _FINAL.match(version)
    numbers = [int(part) for part in match.group(1).split(".")] if match is not None else []
    while len(numbers) > 2 and numbers[-1] == 0:
        del numbers[-1]
    return tuple(numbers)
