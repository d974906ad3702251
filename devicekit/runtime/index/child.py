"""Asks the index for projects and derives rows of their newer releases: the body of a child process.

The child keeps the credentials: it reads the configuration itself, so that they are in no argument and no answer.
"""

import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Callable, Dict, List, Mapping, Sequence, Set

from ...machine.live_host import LiveHost
from ...matrix.derive import Files, chosen_files, is_yanked, make_row, project_rules, releases_of, ungrouped, with_same
from ...matrix.matrix import Matrix
from .client import Client, IndexProblem
from .configuration import read_configuration

#: As many requests run at the same time. A server sees no more than from an installer.
_WORKERS = 8

#: The newest releases of a project that are read; a project has about ten a year.
_MOST_RELEASES = 12

#: Of the time limit, for the answer itself.
_RESERVE_S = 0.2

Say = Callable[..., None]


def read_newer(task: Dict[str, Any], say: Say) -> None:
    """Say what the index has beyond the bundled data: a message for each project, and for each release that was read.

    Parameters
    ----------
    task : dict
        ``names`` of projects, ``cached``: rows of some that were read before, ``seconds``: the time limit.
    say : callable
    """
    deadline = time.monotonic() + task["seconds"] - _RESERVE_S
    lock = threading.Lock()

    def say_alone(**values: Any) -> None:
        with lock:
            say(**values)

    try:
        client = Client(read_configuration(LiveHost()), deadline)
    except IndexProblem as problem:
        say(problem=problem.reason, projects=task["names"])
        return
    matrix = Matrix(newer=task["cached"])
    rules = project_rules()
    # Not closed: what does not answer in time ends with the process.
    pool = ThreadPoolExecutor(_WORKERS)
    running: Dict[Future[Any], str] = {}
    for name in task["names"]:
        work = _Project(name, rules[name], matrix, client, say_alone)
        running[pool.submit(work.list_releases)] = name
    while running:
        done, _ = wait(running, max(0.0, deadline - time.monotonic()), FIRST_COMPLETED)
        if not done:
            say_alone(problem="not answered in time", projects=sorted(set(running.values())))
            return
        for future in done:
            name = running.pop(future)
            for job in future.result():
                running[pool.submit(job)] = name


class _Project:
    """What is done for a project: list it, then read each release that is new."""

    def __init__(self, name: str, rule: Mapping[str, Any], matrix: Matrix, client: Client, say: Say) -> None:
        project = matrix.project(name)
        assert project is not None  # only projects of the data are asked for
        self._name, self._client, self._say = name, client, say
        data = project.data
        self._rows: Dict[str, Dict[str, Any]] = {row["version"]: row for row in data["rows"]}
        self._like = project.unread
        self._requires: Dict[str, List[str]] = dict(data["requires"])
        # Those that an exact requirement named when the data were made stay; one wheel for each platform says enough.
        self._rule = dict(rule, pinned=tuple(self._rows), read="platform" if rule["read"] == "all" else rule["read"])

    def list_releases(self) -> Sequence[Callable[[], Sequence[Any]]]:
        """Ask which releases there are; return what is left to do, the newest release first."""
        try:
            releases = releases_of(self._client.links(self._name), self._rule)
        except IndexProblem as problem:
            self._say(problem=problem.reason, projects=[self._name])
            return ()
        new = [version for version, files in releases.items() if self._is_new(version, files)]
        changed = [
            dict(self._rows[version], yanked=is_yanked(files))
            for version, files in releases.items()
            if version in self._rows and version not in new
            and bool(self._rows[version].get("yanked")) != is_yanked(files)
        ]  # fmt: skip
        left = len(new) - _MOST_RELEASES
        if left > 0:
            self._say(problem="%d releases more are not read" % left, projects=[self._name])
        new = new[-_MOST_RELEASES:]
        self._say(project=self._name, versions=new, rows=changed)
        return [self._reader(version, releases[version]) for version in reversed(new)]

    def _is_new(self, version: str, files: Files) -> bool:
        """Return whether there are wheels that no row has. An index of one's own may well have fewer."""
        row = self._rows.get(version)
        if version in self._like:  # an older patch release: the data name the one with the same wheels
            return False
        held: Set[Any] = {pair for build in row["builds"] for pair in ungrouped(build["wheels"])} if row else set()
        return not {pair for _, pairs in files for pair in pairs} <= held

    def _reader(self, version: str, files: Files) -> Callable[[], Sequence[Any]]:
        def read() -> Sequence[Any]:
            label = "%s %s" % (self._name, version)
            try:
                readings = {
                    link.filename: self._client.read(link, self._rule) for link in chosen_files(files, self._rule)
                }
                sets = dict(self._requires)
                before = self._rows.get(version, {})
                same = {field: text for field, text in before.items() if field.startswith("same")}
                row = with_same(make_row(version, files, readings, self._rule, sets), same)
            except IndexProblem as problem:
                self._say(problem=problem.reason, projects=[label])
                return ()
            except ValueError:  # a requirement that is none
                self._say(problem="what its wheels declare is not valid", projects=[label])
                return ()
            partial = sorted({item["metadata_only"] for item in readings.values() if "metadata_only" in item})
            if partial:
                self._say(problem="what its wheels were built for cannot be read (%s)" % partial[0], projects=[label])
            used = {build["requires"] for build in row["builds"]}
            self._say(project=self._name, row=row, requires={key: sets[key] for key in used})
            return ()

        return read
