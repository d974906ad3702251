"""The queue: processes take their turns at looking, and each takes what is due to it and nothing else.

Everything that decides is done by one process at a time, which holds the lock ``turn.lock`` for some milliseconds. If a
process is stopped in its turn, the others go on after a minute with the lock ``turn.1.lock``, and so on: the last one that is
there counts. When the stopped one goes on, two have their turn at once for a moment: that may change who is served first,
never give a device twice. In the folder there are besides

- ``device.KEY.lock``: held by the process that has the device;
- ``place.NUMBER.lock``: held by a process that waits, with its wish in the record next to it. A place whose lock is free is
  free, whether its process has been served, has given up or was killed, and the next one takes it. So there are never more
  files than there were processes waiting at a time, and no user has to remove another user's;
- ``changes``: it grows whenever a device is taken or given back, so that those who wait need only look at its size.
"""

import hashlib
import os
import sys
import time
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar
from urllib.parse import quote, unquote

from ...errors import LeaseError
from .folder import LeaseFolder
from .holder_records import (
    command_name,
    integer,
    is_fresh,
    modified,
    pid_of,
    printable,
    read_record,
    touch,
    write_record,
)
from .locks import Lock, is_held, open_shared, take
from .schedule import Wish, grant, least_changes


def identity(pid: int) -> Dict[str, Any]:
    """Return what distinguishes a process from a later one of its number, and from one of another container."""
    found: Dict[str, Any] = {}
    started, namespace = _started(pid), _namespace()
    if started is not None:
        found["started"] = started
    if namespace:
        found["pid_namespace"] = namespace
    return found


def actual_holder(record: Mapping[str, Any], lock: str) -> Dict[str, Any]:
    """Return a record with the process that has the lock now.

    Parameters
    ----------
    record : mapping
        What the process that took the lock has written.
    lock : str
        The file of the lock, which is held.
    """
    pid, found = pid_of(record), dict(record)
    if pid is None or record.get("pid_namespace", "") != _namespace() or not _has_ended(pid, record.get("started")):
        return found
    others = _with_file(lock)
    if others:
        found["pid"], found["command"] = others[0]
    else:
        found["pid"] = None
        found["command"] = "a process that process %d (%s) started" % (pid, printable(record.get("command", "")))
    return found


def _namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:  # not Linux
        return ""


def _started(pid: int) -> Optional[int]:
    """Return when a process began, in ticks since the system was started: no clock changes that."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as stream:
            fields = stream.read(4096).rpartition(b")")[2].split()
        return None if fields[0] in (b"Z", b"X") else int(fields[19])
    except (OSError, IndexError, ValueError):
        return None


def _has_ended(pid: int, started: Any) -> bool:
    """Return whether a process is surely gone; one that this user may not see is not."""
    now = _started(pid)
    if now is not None:
        return isinstance(started, int) and started != now
    if sys.platform.startswith("linux") and not os.path.isdir("/proc/self"):
        return False  # not mounted: the number may be one of another container
    # On Windows the signal 0 of `_is_hidden` is Ctrl-C.
    return os.name == "posix" and not _is_hidden(pid)


def _is_hidden(pid: int) -> bool:
    """Return whether a process may be there that ``/proc`` does not show to this user (``hidepid``, macOS)."""
    if os.path.lexists("/proc/%d/stat" % pid):
        return False  # a zombie: its files are closed
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # there is one
        pass
    return True


def _with_file(path: str) -> List[Tuple[int, str]]:
    """Return the processes that have a file open, as far as this user may know, with their names."""
    found: List[Tuple[int, str]] = []
    try:
        wanted = os.lstat(path)
        names = sorted((int(name) for name in os.listdir("/proc") if name.isdigit()), reverse=True)
    except OSError:
        return found
    for pid in names:
        folder = "/proc/%d/fd" % pid
        try:
            if pid != os.getpid() and any(_is_same(os.path.join(folder, name), wanted) for name in os.listdir(folder)):
                found.append((pid, _name(pid)))
        except OSError:  # it has ended, or is another user's
            continue
    return found[::-1]


def _name(pid: int) -> str:
    """Return the name that ``ps`` shows of a process, without its arguments."""
    try:
        with open("/proc/%d/comm" % pid, "rb") as stream:
            return stream.read(64).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _is_same(path: str, wanted: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(path), wanted)
    except OSError:
        return False


#: A process that has kept its turn for so long is stopped: everybody's takes milliseconds.
_STOPPED_S = 60.0

#: A turn is waited for beyond the limit of a wait: this long if it is one process's, so long while they take their turns.
_SAME_TURN_S = 1.0
_LONGEST_WAIT_S = 30.0

#: How often a process that waits for its turn says that it still looks.
_ALIVE_S = 5.0

#: How often to try to get the turn: the more rarely, the longer it takes, as a crowd that only tries keeps the machine from
#: those who have it.
_TURN_POLL_S = 0.005
_CROWD_POLL_S = 0.1
_POLL_PER_S = 0.02

#: The file of changes is emptied when it has grown to this size.
_LONGEST_BYTES = 1 << 16

_PLACES = 10000

#: How often to look whether something has changed, and whether a holder was killed, which changes nothing: the first ones
#: in the queue sooner.
_GLANCE_S = 0.05
_LOOK_S = 0.5
_FAR_LOOK_S = 2.0
_FRONT = 4

#: The further behind, the more rarely: who looks reads what all others wrote, and would keep those in front from their turn.
_LOOK_PER_PLACE_S = 0.1
_RAREST_LOOK_S = 20.0


#: Numbers of places are below this one, whatever others have written.
_LARGEST = 1 << 60

_T = TypeVar("_T")


class Holding(NamedTuple):
    """A device that is held: its key, what its holder has written, and where."""

    key: str
    record: Dict[str, Any]
    path: str


class Waiter(NamedTuple):
    """A process that waits: its wish, and what it has written."""

    wish: Wish
    record: Dict[str, Any]


class Queue:
    """The processes of this machine that hold devices or wait for some; the locks are in ``folder``. See the module."""

    def __init__(self, folder: LeaseFolder, stopped_s: float = _STOPPED_S) -> None:
        self.folder = folder
        self._stopped_s = stopped_s
        self._place: Optional[Tuple[int, Any]] = None  # this process's, and its lock
        self.number: int = 0
        self.ahead: int = 0
        self.changes_needed: int = 0
        #: The file of the turn that could not be had at last, "" if there was none.
        self.stopped_turn: str = ""
        self._turns = 0  # how many were passed over
        self._turn_seen: Tuple[Any, float] = (None, 0.0)  # whose turn it is, and since when that was seen

    def attempt(
        self, keys: Sequence[str], count: int, records: Dict[str, Dict[str, Any]], until: Optional[float] = None
    ) -> Optional[List[Any]]:
        """Take ``count`` of these devices if it is this process's turn; otherwise queue and return None.

        ``keys``: the devices that would do, the preferred ones first; ``records``: what to write next to each lock. The
        caller has to release the locks that are returned; ``until``: when to give up waiting for the turn, as
        `time.monotonic` has it. Raises LeaseError if the folder cannot be used.
        """
        turn = self._turn(until)
        if turn is None:
            return None
        try:
            others = self._waiters(self.number)
            self.ahead = len(others)
            self.changes_needed = least_changes(keys, [item.wish for item in others])
            wish = Wish(self.number or _LARGEST, tuple(keys), count)
            found = grant(wish, [item.wish for item in others], [item.key for item in self._holdings()])
            taken = None if found is None else self._take(found, records)
            if taken is None:
                self._wait_here(keys, count, records)
            else:
                self._leave()
                self._changed()
            return taken
        finally:
            turn.release()

    def wait(
        self,
        keys: Sequence[str],
        count: int,
        records: Dict[str, Dict[str, Any]],
        timeout_s: Optional[float] = None,
        tell: Optional[Callable[[float], None]] = None,
        every_s: float = 1.0,
    ) -> Optional[Sequence[Tuple[str, Any]]]:
        """Return so many of these devices with their locks, None if they do not become free in time; see `attempt`.

        The place in the queue is held until `leave`. ``tell`` is called with the seconds waited, at once when it is clear
        that there is a wait if ``every_s`` is short, and then every that many seconds.
        """
        start = time.monotonic()
        next_telling = start + (every_s if every_s > 1.0 else 0.0)
        while True:
            state = self.state()
            limit = time.monotonic() + _FAR_LOOK_S
            taken = self.attempt(keys, count, records, limit if timeout_s is None else min(limit, start + timeout_s))
            if taken is not None:
                return taken
            now = time.monotonic()
            if timeout_s is not None and now - start >= timeout_s:
                return None
            if tell is not None and now >= next_telling:
                next_telling = now + every_s
                tell(now - start)
            far_s = min(_RAREST_LOOK_S, max(_FAR_LOOK_S, self.ahead * _LOOK_PER_PLACE_S))
            until = now + (_LOOK_S if self.ahead < _FRONT else far_s)
            if timeout_s is not None:
                until = min(until, start + timeout_s)
            while (
                not self.stopped_turn and time.monotonic() < until and 0 <= self.state() - state < self.changes_needed
            ):
                time.sleep(min(_GLANCE_S, max(0.0, until - time.monotonic())))

    def leave(self) -> None:
        """Give the place in the queue up, if there is one."""
        if self._place is not None:
            self._leave()
            self._changed()

    def give_back(self, taken: Sequence[Tuple[str, Any]]) -> None:
        """Free devices. What cannot be written for it does no harm: a record counts only while its lock is held."""
        try:
            for key, _ in taken:
                write_record(self.folder.join(_file("device", key, "json")), {}, self.folder.file_mode)
        except LeaseError as error:
            _log("releasing devices", error)
        finally:
            _release(taken)
        try:
            self._changed()
        except LeaseError as error:  # those who wait look all the same after some time
            _log("releasing devices", error)

    def holdings(self) -> List[Holding]:
        """Return the devices that are held."""
        return self._looking(self._holdings)

    def holders(self) -> List[Holding]:
        """Return the devices that are held, each with the process that has it now; see `actual_holder`."""
        held = self.holdings()
        return [item._replace(record=actual_holder(item.record, item.path[: -len("json")] + "lock")) for item in held]

    def waiters(self) -> List[Waiter]:
        """Return the processes that wait, the first one first."""
        return self._looking(self._waiters)

    def is_held_with(self, key: str, token: str) -> bool:
        """Return whether a device is held by the lease of this token."""
        if not token or read_record(self.folder.join(_file("device", key, "json"))).get("token") != token:
            return False
        return self._looking(lambda: _is_held(self.folder.join(_file("device", key, "lock"))))

    def state(self) -> int:
        """Return a number that differs when a device was taken or given back; of one whose holder was killed it does not."""
        try:
            return os.stat(self.folder.join("changes")).st_size
        except OSError:  # nothing was ever taken
            return -1

    def alive(self) -> None:
        """Tell the others that this process still looks."""
        if self._place is not None:
            touch(self.folder.join("place.%04d.json" % self._place[0]))

    def _looking(self, look: Callable[[], _T]) -> _T:
        """Look in this process's turn, as another one could find a device held because it is checked; else without it."""
        turn = self._turn(time.monotonic())
        try:
            return look()
        finally:
            if turn is not None:
                turn.release()

    def _turn(self, until: Optional[float]) -> Optional[Lock]:
        """Return the lock of the turn, None if it cannot be had until then; pass over a process that is stopped in it."""
        start = time.monotonic()
        alive = start
        while True:
            name = self._turn_name()
            lock = take(self.folder, name)
            if lock is not None and name == self._turn_name():
                touch(self.folder.join(name))
                self.stopped_turn = ""
                return lock
            if lock is not None:
                lock.release()
                continue
            now = time.monotonic()
            seen = (name, modified(self.folder.join(name)))
            if seen != self._turn_seen[0]:
                self._turn_seen = (seen, now)
            same_s = now - self._turn_seen[1]
            if same_s >= self._stopped_s:
                os.close(open_shared(self.folder.join(_turn_file(self._turns + 1)), self.folder.file_mode))
                continue
            if until is not None and now >= until and (same_s >= _SAME_TURN_S or now - start >= _LONGEST_WAIT_S):
                self.stopped_turn = self.folder.join(name)
                return None
            if now - alive >= _ALIVE_S:
                alive = now
                self.alive()
            time.sleep(min(_CROWD_POLL_S, max(_TURN_POLL_S, (now - start) * _POLL_PER_S)))

    def _turn_name(self) -> str:
        while os.path.lexists(self.folder.join(_turn_file(self._turns + 1))):
            self._turns += 1
        return _turn_file(self._turns)

    def _names(self, kind: str) -> List[str]:
        """What stands between the kind and the ending of the names of locks."""
        names = [name for name in self.folder.names() if name.startswith(kind + ".") and name.endswith(".lock")]
        return [name[len(kind) + 1 : -len(".lock")] for name in names]

    def _holdings(self) -> List[Holding]:
        found = []
        for middle in self._names("device"):
            if _is_held(self.folder.join("device.%s.lock" % middle)):
                path = self.folder.join("device.%s.json" % middle)
                record = read_record(path)
                found.append(Holding(_key(middle, record), record, path))
        return found

    def _waiters(self, before: int = 0) -> List[Waiter]:
        """The living ones in their order; with ``before`` only those that came earlier than this number."""
        found, now = [], time.time()
        for middle in self._names("place"):
            if self._place is not None and middle == "%04d" % self._place[0]:
                continue
            path = self.folder.join("place.%s.json" % middle)
            record = read_record(path)
            wish = _wish(record)
            if wish is None or (before and wish.number >= before) or not is_fresh(path, now):
                continue
            if _is_held(self.folder.join("place.%s.lock" % middle), False):
                found.append(Waiter(wish, record))
        return sorted(found, key=lambda item: item.wish)

    def _take(self, keys: Sequence[str], records: Dict[str, Dict[str, Any]]) -> Optional[List[Any]]:
        taken: List[Any] = []
        try:
            for key in keys:
                lock = take(self.folder, _file("device", key, "lock"))
                if lock is None:  # by something that keeps no turn
                    break
                taken.append((key, lock))
                record = dict(records[key], key=key, since=time.time())
                try:
                    write_record(self.folder.join(_file("device", key, "json")), record, self.folder.file_mode)
                except LeaseError as error:  # the lock counts; who has it is not shown
                    _log("leasing", error)
            else:
                return taken
        except BaseException:
            _release(taken)
            raise
        _release(taken)
        return None

    def _wait_here(self, keys: Sequence[str], count: int, records: Dict[str, Dict[str, Any]]) -> None:
        if self._place is not None:
            self.alive()
            return
        numbers = [0]
        free: Optional[Tuple[int, Any]] = None
        known = self._names("place")
        for middle in known:
            wish = _wish(read_record(self.folder.join("place.%s.json" % middle)))
            numbers.append(wish.number if wish is not None else 0)
            if free is None and middle.isdigit():
                free = self._place_at(int(middle))
        for place in range(_PLACES):
            if free is not None:
                break
            if "%04d" % place not in known:
                free = self._place_at(place)
        if free is None:
            raise LeaseError("more than %d processes are waiting for devices" % _PLACES)
        self._place, self.number = free, min(max(numbers), _LARGEST - 2) + 1
        first = records[keys[0]]
        record: Dict[str, Any] = {
            name: first[name] for name in ("pid", "command", "started", "pid_namespace") if name in first
        }
        record.update(number=self.number, keys=list(keys), wanted=count, since=time.time())
        write_record(self.folder.join("place.%04d.json" % free[0]), record, self.folder.file_mode)

    def _place_at(self, place: int) -> Optional[Tuple[int, Any]]:
        """Return a place with its lock, None if a process has it or its files are not ours to use."""
        lock = None
        try:
            lock = take(self.folder, "place.%04d.lock" % place)
            if lock is not None:
                write_record(self.folder.join("place.%04d.json" % place), {}, self.folder.file_mode)
                return place, lock
        except LeaseError as error:
            if lock is not None:
                lock.release()
            if not os.path.lexists(self.folder.join("place.%04d.json" % place)) and not os.path.lexists(
                self.folder.join("place.%04d.lock" % place)
            ):
                raise  # nothing can be made here
            _log("waiting for devices", error)
        return None

    def _leave(self) -> None:
        if self._place is not None:
            place, lock = self._place
            self._place, self.number = None, 0
            try:
                write_record(self.folder.join("place.%04d.json" % place), {}, self.folder.file_mode)
            finally:
                lock.release()

    def _changed(self) -> None:
        handle = open_shared(self.folder.join("changes"), self.folder.file_mode)
        try:
            size = os.fstat(handle).st_size
            if size > _LONGEST_BYTES:
                os.ftruncate(handle, 0)
            os.lseek(handle, 0, os.SEEK_END)
            os.write(handle, b".")
        except OSError as error:
            raise LeaseError(
                "cannot write to the folder for leases %s: %s" % (self.folder.path, error.strerror)
            ) from error
        finally:
            os.close(handle)


def _log(doing: str, error: LeaseError) -> None:
    from ...errors import log

    log("warning", "%s: %s", doing, error)


def _is_held(path: str, otherwise: bool = True) -> bool:
    """Return whether a process holds a lock, ``otherwise`` if its file cannot be used, which is one bad file and no more."""
    try:
        return is_held(path)
    except LeaseError:
        return otherwise


def _turn_file(passed: int) -> str:
    return "turn.%d.lock" % passed if passed else "turn.lock"


def _release(taken: Sequence[Tuple[str, Any]]) -> None:
    for _, lock in taken:
        lock.release()


def _file(kind: str, key: str, ending: str) -> str:
    name = quote(key, safe="+")
    if len(name) > 150:
        name = "sha256-" + hashlib.sha256(key.encode("utf-8")).hexdigest()
    return "%s.%s.%s" % (kind, name, ending)


def _key(middle: str, record: Dict[str, Any]) -> str:
    """The key that a file's name stands for."""
    return str(record.get("key", middle)) if middle.startswith("sha256-") else unquote(middle)


def _wish(record: Dict[str, Any]) -> Optional[Wish]:
    number, keys = integer(record.get("number"), 1, _LARGEST - 1), record.get("keys")
    wanted = integer(record.get("wanted"), 1, len(keys)) if isinstance(keys, list) else None
    if number is None or wanted is None:
        return None
    return Wish(number, tuple(str(key) for key in record["keys"][:1000]), wanted)


def own_record(token: str) -> Dict[str, Any]:
    """Return what this process writes next to a lock that it holds."""
    return {"pid": os.getpid(), "command": command_name(), "token": token, **identity(os.getpid())}
