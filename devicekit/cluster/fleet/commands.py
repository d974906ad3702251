"""Runs the command lines that a user gives to reach other machines: one for all of them, or one for each.

No shell: a command line is taken apart once, as a shell would, and a node's name is put into the arguments afterwards, so
that nothing in a name can become a command.
"""

import os
import shlex
import shutil
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from typing import IO, Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from ...children.process_tree import MARK, end_all
from ...errors import DevicekitError
from .groups import LIMIT_BYTES
from .parse import Reading, snapshots_in

__all__ = ["arguments_of", "readings_of_all", "readings_of_each"]

_LONGEST_LINE = LIMIT_BYTES + (1 << 16)


def arguments_of(command: str, node: bool) -> List[str]:
    """Return the arguments of a command line; ``node``: whether ``{node}`` has to stand in it.

    Raises
    ------
    ValueError
        Where it is empty, has an open quote, names no program that exists, or lacks ``{node}``.
    """
    try:
        arguments = shlex.split(command, posix=os.name == "posix")
    except ValueError as error:
        raise ValueError("the command %r cannot be taken apart: %s" % (command, error)) from None
    if os.name != "posix":  # backslashes are parts of paths there, and quotes stay
        arguments = [item[1:-1] if len(item) > 1 and item[0] == item[-1] == '"' else item for item in arguments]
    if not arguments:
        raise ValueError("the command is empty; for example: --each 'ssh {node} devicekit snapshot'")
    if node and not any("{node}" in item for item in arguments[1:]):
        raise ValueError("%r does not say where the node's name goes: write {node} there" % command)
    program = shutil.which(arguments[0])
    if program is None:
        raise ValueError("there is no program %r here" % arguments[0])
    return [os.path.abspath(program)] + arguments[1:]


class _Started:
    """A process of the user's with a time limit; ``ending`` says how it ended, "" for well."""

    def __init__(self, arguments: Sequence[str], timeout_s: float) -> None:
        self._token = os.urandom(8).hex()
        self._timeout_s = timeout_s
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self.ending = ""
        self.overdue = False
        options: Dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {}
        try:
            self._process = subprocess.Popen(
                list(arguments),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=dict(os.environ, **{MARK: self._token}),
                **options,
            )
        except BaseException:
            self._errors.close()
            raise
        self._timer = threading.Timer(timeout_s, self._expire)
        self._timer.daemon = True
        self._timer.start()

    def _expire(self) -> None:
        self.overdue = True
        end_all(self._process, self._token)

    def lines(self) -> Iterator[bytes]:
        """Yield what it prints; a line without an end is cut."""
        assert self._process.stdout is not None
        while True:
            line = self._process.stdout.readline(_LONGEST_LINE)
            if not line:
                return
            yield line

    def close(self) -> None:
        """End it, and all that it started, and say how it ended."""
        self._timer.cancel()
        try:
            status: Optional[int] = self._process.wait(0.0 if self.overdue else 5.0)
        except subprocess.TimeoutExpired:  # it closed its output, and is still there
            status = None
        end_all(self._process, self._token)
        assert self._process.stdout is not None
        self._process.stdout.close()
        said = self._last_words()
        self._errors.close()
        if self.overdue:
            self.ending = "no answer within %g s" % self._timeout_s
        elif status:
            self.ending = "it ended with status %d%s" % (status, ": " + said if said else "")
        elif status is None:
            self.ending = "it closed its output and did not end"
        elif said:
            self.ending = said if not self.ending else self.ending

    def _last_words(self) -> str:
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - 4000))
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1].strip()[:300] if lines else ""


def readings_of_all(command: str, timeout_s: float) -> Iterator[Reading]:
    """Run one command that asks all nodes, and yield the snapshots in what it prints as they come.

    A last reading without a node's name says what went wrong with the command itself.

    Raises
    ------
    ValueError
        See `arguments_of`.
    DevicekitError
        Where the command cannot be started.
    """
    arguments = arguments_of(command, node=False)
    try:
        started = _Started(arguments, timeout_s)
    except (OSError, ValueError) as error:
        raise DevicekitError("%s cannot be started: %s" % (arguments[0], error)) from error
    number = 0
    try:
        for reading in snapshots_in(started.lines()):
            number += 1
            yield reading
    finally:
        started.close()
    if started.ending and (started.overdue or not number or "status" in started.ending):
        yield Reading("", problem="%s: %s" % (os.path.basename(arguments[0]), started.ending))


def readings_of_each(
    command: str,
    nodes: Sequence[str],
    timeout_s: float,
    parallel: int,
    tick: Callable[[int], None],
) -> Iterator[Reading]:
    """Run a command for each node, some at a time, and yield what each printed as it ends.

    ``tick`` is called about once a second with the number of those that have ended.

    Raises
    ------
    ValueError
        See `arguments_of`.
    """
    arguments = arguments_of(command, node=True)
    running: Set[_Started] = set()
    lock = threading.Lock()
    stopped = threading.Event()

    def ask(node: str) -> Reading:
        if stopped.is_set():
            return Reading(node, problem="it was not asked any more")
        return _ask(node, [item.replace("{node}", node) for item in arguments], timeout_s, running, lock)

    with ThreadPoolExecutor(max_workers=max(1, min(parallel, len(nodes)))) as pool:
        pending = {pool.submit(ask, node) for node in nodes}
        done = 0
        try:
            while pending:
                finished, pending = wait(pending, timeout=1.0, return_when="FIRST_COMPLETED")
                done += len(finished)
                for item in finished:
                    yield item.result()
                tick(done)
        finally:
            # The user has interrupted it: nobody waits for the rest.
            stopped.set()
            with lock:
                left = list(running)
            for started in left:
                started._expire()


def _ask(
    node: str, arguments: Sequence[str], timeout_s: float, running: "Set[_Started]", lock: threading.Lock
) -> Reading:
    began = time.monotonic()
    try:
        started = _Started(arguments, timeout_s)
    except (OSError, ValueError) as error:
        return Reading(node, problem="it cannot be asked: %s" % (getattr(error, "strerror", None) or error))
    with lock:
        running.add(started)
    try:
        found, printed = _first(started)
    finally:
        with lock:
            running.discard(started)
        started.close()
    if found is not None:
        return Reading(node, found)
    if started.ending:
        return Reading(node, problem=started.ending)
    what = "what it printed is no snapshot" if printed else "it printed nothing"
    return Reading(node, problem="%s (after %.0f s)" % (what, time.monotonic() - began))


def _first(started: _Started) -> Tuple[Optional[bytes], bool]:
    """Return the first snapshot in what a process prints, and whether it printed anything."""
    printed: List[bool] = []

    def watched() -> Iterator[bytes]:
        for line in started.lines():
            printed.append(True)
            del printed[1:]
            yield line

    found: Optional[bytes] = None
    for reading in snapshots_in(watched()):
        if found is None:
            found = reading.content
    return found, bool(printed)
