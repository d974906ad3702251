"""Asks the index for projects and derives rows of their newer releases: the body of a child process.

The child keeps the credentials: it reads the configuration itself, so that they are in no argument and no answer.
"""

import json
import re
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Sequence, Set, Tuple

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from ...machine.live_host import LiveHost
from ...matrix.derive import (
    Files,
    Link,
    chosen_files,
    is_yanked,
    make_row,
    project_rules,
    releases_of,
    ungrouped,
    with_same,
)
from ...matrix.matrix import Matrix
from ...matrix.wheel_files import Reading
from .client import Client, IndexProblem
from .configuration import read_configuration

#: As many requests run at the same time. A server sees no more than from an installer.
_WORKERS = 8

#: The newest releases of a project that are read; a project has about ten a year.
_MOST_RELEASES = 12

#: Of one build; a project of the data has less than a hundred, with those of its extras.
_MOST_REQUIREMENTS = 1000

#: Of the time limit, for the answer itself.
_RESERVE_S = 0.2

Say = Callable[..., None]


class _Job(NamedTuple):
    """A question to the index.

    Attributes
    ----------
    about : str
        The project or release that is asked for.
    ask : callable
        Runs in a thread.
    take : callable
        Gets the answer in the main thread; returns what is to be asked next.
    """

    about: str
    ask: Callable[[], Any]
    take: "Callable[[Any], Sequence[_Job]]"


def read_newer(task: Dict[str, Any], say: Say) -> None:
    """Say what the index has beyond the bundled data: a message for each project, and for each release that was read.

    Parameters
    ----------
    task : dict
        ``names`` of projects, ``cached``: rows of some that were read before, ``exact``: by name, a release that is read
        although another one with the same wheels is known, or only newer ones, ``until``: when time is up, on the clock of
        both processes (starting this one took a part).
    say : callable
    """
    deadline = time.monotonic() + task["until"] - time.time() - _RESERVE_S
    try:
        client = Client(read_configuration(LiveHost()), deadline)
    except IndexProblem as problem:
        say(problem=problem.reason, about=task["names"])
        return
    matrix = Matrix(newer=task["cached"])
    rules = project_rules()
    exact = task["exact"]
    jobs = [_Project(name, rules[name], matrix, client, say, exact.get(name, "")).job() for name in task["names"]]
    # Not closed: what does not answer in time ends with the process.
    pool = ThreadPoolExecutor(_WORKERS)
    running: Dict[Future[Any], _Job] = {pool.submit(job.ask): job for job in jobs}
    while running:
        done, _ = wait(running, max(0.0, deadline - time.monotonic()), FIRST_COMPLETED)
        if not done:
            say(problem="not answered in time", about=[job.about for job in running.values()])
            return
        for future in done:
            job = running.pop(future)
            try:
                following = job.take(future.result())
            except IndexProblem as problem:
                say(problem=problem.reason, about=[job.about])
                continue
            running.update((pool.submit(item.ask), item) for item in following)


class _Project:
    """What is asked of a project: which releases there are, then what is in each that is new."""

    def __init__(
        self, name: str, rule: Mapping[str, Any], matrix: Matrix, client: Client, say: Say, exact: str = ""
    ) -> None:
        project = matrix.project(name)
        assert project is not None  # only projects of the data are asked for
        self._name, self._client, self._say = name, client, say
        data = project.data
        self._rows: Dict[str, Dict[str, Any]] = {row["version"]: row for row in data["rows"]}
        self._requires: Dict[str, List[str]] = data["requires"]
        self._exact, self._unread = exact, project.unread
        # Those that an exact requirement named when the data were made stay; one wheel for each platform says enough.
        pinned = (*self._rows, exact) if exact else tuple(self._rows)
        self._rule = dict(rule, pinned=pinned, read="platform" if rule["read"] == "all" else rule["read"])

    def job(self) -> _Job:
        """Return the first question."""
        return _Job(self._name, lambda: self._client.links(self._name), self._releases)

    def _releases(self, links: Sequence[Link]) -> Sequence[_Job]:
        """Say which releases are new, and which were withdrawn; ask for the new ones, the newest first."""
        releases = releases_of(links, self._rule)
        new = [version for version, files in releases.items() if self._is_new(version, files)]
        new.sort(key=lambda version: version == self._exact)  # it is read, however many are newer
        changed = [
            dict(self._rows[version], yanked=is_yanked(files))
            for version, files in releases.items()
            if version in self._rows and version not in new
            and bool(self._rows[version].get("yanked")) != is_yanked(files)
        ]  # fmt: skip
        left = len(new) - _MOST_RELEASES
        if left > 0:
            self._say(problem="%d more releases are not read" % left, about=[self._name])
        requires = {key: self._requires[key] for row in changed for key in (item["requires"] for item in row["builds"])}
        self._say(project=self._name, versions=new, rows=changed, requires=requires)
        return [job for version in reversed(new[-_MOST_RELEASES:]) for job in self._reads(version, releases[version])]

    def _is_new(self, version: str, files: Files) -> bool:
        """Return whether there are wheels that no row has. A company's index may well have fewer than are known."""
        if version == self._exact:
            return version not in self._rows
        if version in self._unread:  # an older patch release: the data name the one with the same wheels
            return False
        row = self._rows.get(version)
        held: Set[Tuple[str, str]] = set()
        for build in row["builds"] if row is not None else ():
            held |= ungrouped(build["wheels"])
        return not {pair for _, pairs in files for pair in pairs} <= held

    def _reads(self, version: str, files: Files) -> Sequence[_Job]:
        """Return the questions for a release, one for each wheel that is read."""
        links = chosen_files(files, self._rule)
        readings: Dict[str, Reading] = {}

        def job(link: Link) -> _Job:
            def take(reading: Reading) -> Sequence[_Job]:
                readings[link.filename] = reading
                if len(readings) == len(links):
                    self._row(version, files, readings)
                return ()

            return _Job("%s %s" % (self._name, version), lambda: self._client.read(link, self._rule), take)

        return [job(link) for link in links]

    def _row(self, version: str, files: Files, readings: Mapping[str, Reading]) -> None:
        """Say the row of a release all of whose wheels were read."""
        about = ["%s %s" % (self._name, version)]
        sets = dict(self._requires)
        try:
            row = make_row(version, files, readings, self._rule, sets)
            _check(row, sets)
        except ValueError:
            raise IndexProblem("what its wheels declare is not valid") from None
        before = self._rows.get(version, {})
        row = with_same(row, {field: text for field, text in before.items() if field.startswith("same")})
        for reason in sorted({item["metadata_only"] for item in readings.values() if "metadata_only" in item}):
            self._say(problem="what its wheels were built for cannot be read (%s)" % reason, about=about)
        self._say(
            project=self._name,
            row=row,
            requires={build["requires"]: sets[build["requires"]] for build in row["builds"]},
        )


def _check(row: Mapping[str, Any], sets: Mapping[str, Sequence[str]]) -> None:
    """Raise ValueError if the search could not read a row, or a terminal should not print it."""
    lists = [sets[build["requires"]] for build in row["builds"]]
    if any(len(texts) > _MOST_REQUIREMENTS for texts in lists):
        raise ValueError("too many requirements")
    # A control character, one beyond ASCII, or a number that Python does not read.
    if re.search(r'\\[^"\\]|[0-9]{100}', json.dumps([row, lists])):
        raise ValueError("not plain text")
    SpecifierSet(row["requires_python"])
    for text in (text for texts in lists for text in texts):
        marker = Requirement(text).marker
        if marker is not None:
            marker.evaluate({"extra": ""})
