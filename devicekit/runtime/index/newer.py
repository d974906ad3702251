"""The bundled data together with newer releases: asked in a child process within a time limit, cached for a day."""

import hashlib
import time
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ...children.call import run_child
from ...machine.live_host import LiveHost
from ...matrix.derive import project_rules
from ...matrix.matrix import Matrix
from ...resolver.result import DataSource
from ..cache import JsonCache
from ..settings import cache_folder, read_settings
from .configuration import Configuration, read_configuration, shown

#: What a user who waits for an answer accepts; what was read until then is cached.
LIMIT_S = 3.0

#: Rows of a project's newer releases. A day: what is released today may be asked for today with an empty cache only.
_CACHE = JsonCache("index", 1, 86400.0)

#: A new release may require others that are new, and these others again.
_MOST_ROUNDS = 3

#: A child that does not end by itself is ended after that.
_PATIENCE_S = 0.3


class _Cached(NamedTuple):
    """What is cached of a project. ``complete``: nothing was left unread."""

    requires: Dict[str, List[str]]
    rows: List[Dict[str, Any]]
    complete: bool


def newer_matrix(
    matrix: Matrix, names: Sequence[str], exact: Optional[Mapping[str, str]] = None, timeout_s: float = LIMIT_S
) -> Tuple[Matrix, DataSource]:
    """Return the data with the releases that the index has beyond them, and where what came from.

    Parameters
    ----------
    matrix : Matrix
        The bundled data.
    names : sequence of str
        The projects that matter for the question.
    exact : mapping of str to str, optional
        Releases that are asked for by name and have no row, by project: they are read as well, however old.
    timeout_s : float
        For everything together.
    """
    deadline = time.monotonic() + timeout_s
    if read_settings().offline:
        return matrix, DataSource(matrix.date, problems=("DEVICEKIT_OFFLINE is set",))
    configuration = read_configuration(LiveHost())
    if configuration.offline:
        return matrix, DataSource(matrix.date, problems=(*configuration.problems, configuration.offline))
    rules = project_rules()
    asked = _Asked(configuration, matrix.date, exact or {})
    names = [name for name in names if name in rules]
    for _ in range(_MOST_ROUNDS):
        asked.ask(names, deadline)
        joined = Matrix(newer=asked.rows())
        names = [name for name in _unmet(joined, asked.rows()) if name in rules and name not in asked.projects]
        if not names:
            break
    return joined, asked.source(matrix)


class _Asked:
    """What was answered so far, from the cache and by the index."""

    def __init__(self, configuration: Configuration, date: str, exact: Mapping[str, str]) -> None:
        self._date = date
        self._exact = exact
        self.projects: Dict[str, _Cached] = {}
        self._oldest = time.time()
        self._problems: Dict[str, List[str]] = {problem: [] for problem in configuration.problems}
        self._index = ", ".join(map(shown, configuration.indexes))
        self._names: Set[str] = set()
        text = "\n".join((date, *map(shown, configuration.indexes)))
        self._state = hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]

    def ask(self, names: Sequence[str], deadline: float) -> None:
        """Take projects from the cache, and ask the index for the others."""
        folder, cached = cache_folder(), {}
        self._names.update(names)
        for name in names:
            held = _CACHE.read(folder, _CACHE.name(self._state, name), self._state, _decoded)
            if held is not None:
                cached[name] = held[1]
                self._oldest = min(self._oldest, held[0])
        self.projects.update(cached)
        left = [name for name in names if name not in cached or not self._has_all(name, cached[name])]
        seconds = deadline - time.monotonic()
        if not left:
            return
        if seconds <= 0:
            self._problem("not answered in time", left)
            return
        task = {
            "names": left,
            "until": time.time() + seconds,
            "exact": {name: version for name, version in self._exact.items() if name in left},
            "cached": {name: {"requires": item.requires, "rows": item.rows} for name, item in cached.items()},
        }
        report = run_child("devicekit.runtime.index.child:read_newer", task, timeout_s=seconds + _PATIENCE_S)
        self._take(report.said, cached)
        if report.outcome != "done":
            silent = [name for name in left if name not in self.projects or not self.projects[name].complete]
            late = report.outcome == "hung"
            # Not the message of an exception, which may have what it was raised for in it.
            what = report.error if report.outcome == "raised" else report.detail
            self._problem("not answered in time" if late else "not asked (%s)" % what, silent)
        for name in left:
            if name in self.projects:
                data = self.projects[name]._asdict()
                _CACHE.write(folder, _CACHE.name(self._state, name), self._state, data)

    def _has_all(self, name: str, cached: _Cached) -> bool:
        exact = self._exact.get(name)
        return cached.complete and (exact is None or any(row["version"] == exact for row in cached.rows))

    def _take(self, messages: Iterable[Mapping[str, Any]], cached: Mapping[str, _Cached]) -> None:
        unread: Dict[str, Set[str]] = {}
        for message in messages:
            name = message.get("project")
            if "problem" in message:
                self._problem(message["problem"], message["about"])
            elif name is not None and "versions" in message:
                before = cached.get(name)
                changed = {row["version"] for row in message["rows"]}
                rows = [row for row in before.rows if row["version"] not in changed] if before else []
                requires = dict(before.requires if before else {}, **message["requires"])
                self.projects[name] = _Cached(requires, rows + message["rows"], False)
                unread[name] = set(message["versions"])
            elif name is not None and "row" in message:
                held = self.projects[name]
                unread[name].discard(message["row"]["version"])
                rows = [row for row in held.rows if row["version"] != message["row"]["version"]]
                self.projects[name] = held._replace(
                    requires=dict(held.requires, **message["requires"]), rows=rows + [message["row"]]
                )
        for name, versions in unread.items():
            self.projects[name] = self.projects[name]._replace(complete=not versions)

    def _problem(self, reason: str, about: Sequence[str]) -> None:
        self._problems.setdefault(reason, []).extend(about)

    def _label(self, about: Set[str]) -> str:
        """Return what a problem is about: the index itself if that holds for all that it was asked."""
        return self._index if about >= self._names else ", ".join(sorted(about))

    def rows(self) -> Dict[str, Dict[str, Any]]:
        """Return what `Matrix` takes."""
        return {
            name: {"requires": item.requires, "rows": item.rows} for name, item in self.projects.items() if item.rows
        }

    def source(self, matrix: Matrix) -> DataSource:
        """Return where what came from; ``matrix`` is the bundled data."""
        projects = [project for project in map(matrix.project, self.rows()) if project is not None]
        bundled = {"%s %s" % (project.name, version) for project in projects for version in project.versions}
        rows = [
            ("%s %s" % (name, row["version"]), row) for name in sorted(self.rows()) for row in self.projects[name].rows
        ]
        newer = tuple(label for label, row in rows if not row.get("yanked"))
        withdrawn = tuple(label for label, row in rows if row.get("yanked") and label in bundled)
        problems = tuple(
            "%s: %s" % (self._label(set(about)), reason) if about else reason
            for reason, about in self._problems.items()
        )
        date = time.strftime("%Y-%m-%d", time.gmtime(self._oldest)) if self.projects else ""
        return DataSource(self._date, date, self._index, newer, withdrawn, problems)


def _decoded(data: Dict[str, Any]) -> _Cached:
    requires, rows = dict(data["requires"]), list(data["rows"])
    builds = [build for row in rows for build in row["builds"]]
    if not all(isinstance(build["wheels"], dict) and build["requires"] in requires for build in builds):
        raise ValueError("not rows")
    return _Cached(requires, rows, bool(data["complete"]))


def _unmet(matrix: Matrix, newer: Mapping[str, Mapping[str, Any]]) -> List[str]:
    """Return the projects of which new releases require one that the data do not have."""
    names: List[str] = []
    for data in newer.values():
        for texts in data["requires"].values():
            for requirement in map(Requirement, texts):
                name = canonicalize_name(requirement.name)
                project = matrix.project(name)
                if project is None or name in names:
                    continue
                if not any(requirement.specifier.contains(version, prereleases=True) for version in project.versions):
                    names.append(name)
    return names
