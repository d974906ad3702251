"""Who holds which device of this machine, and who waits: what ``devicekit leases`` shows.

User names are nowhere in it: a process number is enough to ask ``ps``, which shows what the asking user may know.
"""

import time
from typing import Any, ClassVar, Dict, List, Optional, Tuple

from ...diagnosis.findings import Candidate
from ...machine.facts import Machine
from ...records import Record
from .folder import open_folder
from .holder_records import pid_of, printable, seconds_since
from .queue import Queue
from .schedule import conflict, keys_of


class LeaseRow(Record):
    """A device; ``holder_pid`` is None if it is free, or if this user may not know who holds it.

    ``device`` is "" for one that is not seen from here. If the process that took it has ended and left one that still has
    the lock, that is the holder.
    """

    device: str
    name: str
    uuid: str
    held: bool
    holder_pid: Optional[int]
    command: str
    held_s: Optional[float]


class WaitRow(Record):
    """A process that waits for ``wanted`` of these devices."""

    pid: Optional[int]
    command: str
    wanted: int
    devices: Tuple[str, ...]
    waited_s: Optional[float]


class Leases(Record):
    """All devices, and who waits, the first one first."""

    schema: ClassVar[Optional[int]] = 1
    _document = "list of leases"
    _made_by = "devicekit leases --json"

    devices: Tuple[LeaseRow, ...]
    waiting: Tuple[WaitRow, ...]


def read_leases(machine: Machine) -> Leases:
    """Return who holds what now; raise LeaseError if the folder with the locks cannot be used."""
    from ...diagnosis.diagnose import diagnose

    queue = Queue(open_folder())
    candidates = [item for item in diagnose(machine).candidates_for(None) if item.platform != "cpu"]
    keys = keys_of(candidates)
    by_key = {keys[item.device]: item for item in candidates}
    now = time.time()
    holdings = queue.holders()
    rows: List[LeaseRow] = []
    for key, item in by_key.items():
        # A whole GPU is not free while one of its slices is held, and the other way round.
        record = next((other.record for other in holdings if conflict(key, other.key)), None)
        rows.append(_row(item, record, now))
    for holding in holdings:
        if not any(conflict(holding.key, key) for key in by_key):
            name = printable(holding.record.get("name") or holding.key)
            unseen = Candidate("", "", name, None, uuid=printable(holding.record.get("uuid", "")))
            rows.append(_row(unseen, holding.record, now))
    waiting = tuple(
        WaitRow(
            pid_of(waiter.record),
            printable(waiter.record.get("command", "")),
            waiter.wish.wanted,
            tuple(by_key[key].device if key in by_key else printable(key) for key in waiter.wish.keys),
            seconds_since(waiter.record, now),
        )
        for waiter in queue.waiters()
    )
    return Leases(tuple(rows), waiting)


def _row(item: Candidate, record: Optional[Dict[str, Any]], now: float) -> LeaseRow:
    if record is None:
        return LeaseRow(item.device, item.name, item.uuid, False, None, "", None)
    command = printable(record.get("command", ""))
    return LeaseRow(item.device, item.name, item.uuid, True, pid_of(record), command, seconds_since(record, now))
