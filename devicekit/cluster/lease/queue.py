"""The queue: processes take their turns at looking, and each takes what is due to it and nothing else.

Everything that decides is done by one process at a time, which holds the lock ``turn.lock`` for some milliseconds. In the
folder there are besides

- ``device.KEY.lock``: held by the process that has the device;
- ``place.NUMBER.lock``: held by a process that waits, with its wish in the record next to it. A place whose lock is free is
  free, whether its process has been served, has given up or was killed, and the next one takes it. So there are never more
  files than there were processes waiting at a time, and no user has to remove another user's;
- ``changes``: it grows whenever a device is taken or given back, so that those who wait need only look at its size.
"""

import hashlib
import os
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple
from urllib.parse import quote, unquote

from ...errors import LeaseError
from .folder import LeaseFolder
from .holder_records import command_name, is_fresh, read_record, touch, write_record
from .locks import is_held, open_shared, take
from .schedule import Wish, grant, least_changes

#: How long to wait for one's turn to look: everybody's takes milliseconds.
_TURN_S = 30.0

#: The file of changes is emptied when it has grown to this size.
_LONGEST_BYTES = 1 << 16

_PLACES = 10000

#: How often to look whether something has changed, and whether a holder was killed, which changes nothing: the first ones
#: in the queue sooner.
_GLANCE_S = 0.05
_LOOK_S = 0.5
_FAR_LOOK_S = 2.0
_FRONT = 4


class Holding(NamedTuple):
    """A device that is held: its key, and what its holder has written."""

    key: str
    record: Dict[str, Any]


class Waiter(NamedTuple):
    """A process that waits: its wish, and what it has written."""

    wish: Wish
    record: Dict[str, Any]


class Queue:
    """The processes of this machine that hold devices or wait for some; the locks are in ``folder``. See the module."""

    def __init__(self, folder: LeaseFolder) -> None:
        self.folder = folder
        self._place: Optional[Tuple[int, Any]] = None  # this process's, and its lock
        self.number: int = 0
        self.ahead: int = 0
        self.changes_needed: int = 0

    def attempt(self, keys: Sequence[str], count: int, records: Dict[str, Dict[str, Any]]) -> Optional[List[Any]]:
        """Take ``count`` of these devices if it is this process's turn; otherwise queue and return None.

        ``keys``: the devices that would do, the preferred ones first; ``records``: what to write next to each lock. The
        caller has to release the locks that are returned. Raises LeaseError if the folder cannot be used.
        """
        turn = self._turn()
        try:
            others = self._waiters(self.number)
            self.ahead = len(others)
            self.changes_needed = least_changes(keys, [item.wish for item in others])
            wish = Wish(self.number or 1 << 60, tuple(keys), count)
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
            taken = self.attempt(keys, count, records)
            if taken is not None:
                return taken
            now = time.monotonic()
            if timeout_s is not None and now - start >= timeout_s:
                return None
            if tell is not None and now >= next_telling:
                next_telling = now + every_s
                tell(now - start)
            until = now + (_LOOK_S if self.ahead < _FRONT else _FAR_LOOK_S)
            if timeout_s is not None:
                until = min(until, start + timeout_s)
            while time.monotonic() < until and 0 <= self.state() - state < self.changes_needed:
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
            _log(error)
        finally:
            _release(taken)
        try:
            self._changed()
        except LeaseError as error:  # those who wait look all the same after some time
            _log(error)

    def holdings(self) -> List[Holding]:
        """Return the devices that are held."""
        turn = self._turn()
        try:
            return self._holdings()
        finally:
            turn.release()

    def waiters(self) -> List[Waiter]:
        """Return the processes that wait, the first one first."""
        turn = self._turn()
        try:
            return self._waiters()
        finally:
            turn.release()

    def is_held_with(self, key: str, token: str) -> bool:
        """Return whether a device is held by the lease of this token."""
        if not token or read_record(self.folder.join(_file("device", key, "json"))).get("token") != token:
            return False
        turn = self._turn()  # no other process may find a device held because it is checked here
        try:
            return is_held(self.folder.join(_file("device", key, "lock")))
        finally:
            turn.release()

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

    def _turn(self) -> Any:
        lock = take(self.folder, "turn.lock", _TURN_S)
        if lock is None:
            raise LeaseError(
                "no access to the leases within %.0f s: the process that holds the lock %s is stopped"
                % (_TURN_S, self.folder.join("turn.lock"))
            )
        return lock

    def _names(self, kind: str) -> List[str]:
        """What stands between the kind and the ending of the names of locks."""
        names = [name for name in self.folder.names() if name.startswith(kind + ".") and name.endswith(".lock")]
        return [name[len(kind) + 1 : -len(".lock")] for name in names]

    def _holdings(self) -> List[Holding]:
        found = []
        for middle in self._names("device"):
            if is_held(self.folder.join("device.%s.lock" % middle)):
                record = read_record(self.folder.join("device.%s.json" % middle))
                found.append(Holding(_key(middle, record), record))
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
            if is_held(self.folder.join("place.%s.lock" % middle)):
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
                write_record(self.folder.join(_file("device", key, "json")), record, self.folder.file_mode)
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
                lock = take(self.folder, "place.%s.lock" % middle)
                free = (int(middle), lock) if lock is not None else None
        for place in range(_PLACES):
            if free is not None:
                break
            if "%04d" % place not in known:
                lock = take(self.folder, "place.%04d.lock" % place)
                free = (place, lock) if lock is not None else None
        if free is None:
            raise LeaseError("more than %d processes are waiting for devices" % _PLACES)
        self._place, self.number = free, max(numbers) + 1
        first = records[keys[0]]
        record: Dict[str, Any] = {name: first[name] for name in ("pid", "command") if name in first}
        record.update(number=self.number, keys=list(keys), wanted=count, since=time.time())
        write_record(self.folder.join("place.%04d.json" % free[0]), record, self.folder.file_mode)

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
            raise LeaseError("cannot write to the folder for leases: %s" % error.strerror) from error
        finally:
            os.close(handle)


def _log(error: LeaseError) -> None:
    from ...errors import own_logger

    own_logger().warning("releasing devices: %s", error)


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
    number, keys, wanted = record.get("number"), record.get("keys"), record.get("wanted")
    if not isinstance(number, int) or not isinstance(wanted, int) or not isinstance(keys, list) or not number > 0:
        return None
    return Wish(number, tuple(str(key) for key in keys[:1000]), wanted)


def own_record(token: str) -> Dict[str, Any]:
    """Return what this process writes next to a lock that it holds."""
    return {"pid": os.getpid(), "command": command_name(), "token": token}
