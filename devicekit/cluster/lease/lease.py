"""`lease`: devices for this process alone, among all that ask devicekit for theirs.

A lease belongs to the process that took it, and ends with it at the latest. Threads count like processes: what one has
leased, another one waits for. A lease is not re-entrant: a thread that asks for what it holds itself gets another device or,
where there is none, an error instead of waiting for itself. What a process starts shares its lease, where it is given
`Lease.environment`: there a lease of those devices is granted at once.
"""

import secrets
import time
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union
from urllib.parse import quote, unquote

from ...diagnosis.findings import Candidate
from ...diagnosis.rules.cuda_order import parse_visible
from ...diagnosis.rules.rocm_devices import number_in_hip
from ...errors import DeviceUnavailableError, LeaseError, LeaseTimeoutError
from ...machine.facts import Machine, Process
from ...runtime.settings import read_settings
from ...selection.plan import number_of
from ...selection.policies import Policy
from ...selection.request import parse_request
from .eligible_devices import candidates_of, checked_count, checked_timeout, machine_now, plan_of
from .folder import open_folder
from .held import Lease, held_by_this_thread
from .holder_records import described
from .queue import Queue, own_record
from .schedule import conflict, keys_of, pick


def visible(machine: Machine, devices: Sequence[Candidate]) -> Tuple[Dict[str, str], str]:
    """Return the variables that make only these devices of one platform visible, and why there are none, "" if there are."""
    platform = devices[0].platform if devices else ""
    process = machine.process
    if platform == "cuda":
        return {"CUDA_VISIBLE_DEVICES": ",".join(_cuda(process, devices))}, ""
    if platform == "rocm":
        named = [item.uuid or number_in_hip(machine, item.location) for item in devices]
        if all(named):
            return {"HIP_VISIBLE_DEVICES": ",".join(named)}, ""
        return {}, "the order in which ROCm numbers %s is unknown" % ", ".join(item.device for item in devices)
    if platform == "xpu":
        mask = [entry.strip() for entry in (process.env("ZE_AFFINITY_MASK") or "").split(",") if entry.strip()]
        return {"ZE_AFFINITY_MASK": ",".join(_entry(mask, number_of(item)) for item in devices)}, ""
    if platform == "directml" and all(item.location.startswith("adapter ") for item in devices):
        return {"DML_VISIBLE_DEVICES": ",".join(item.location[len("adapter ") :] for item in devices)}, ""
    return {}, "no variable restricts a process to one device of the platform %s" % (platform or "of these devices")


def _cuda(process: Process, devices: Sequence[Candidate]) -> List[str]:
    """Identifiers; where they are not all known, numbers as the user's own variable has them: both kinds do not mix."""
    if all(item.uuid for item in devices):
        return [item.uuid for item in devices]
    value = process.env("CUDA_VISIBLE_DEVICES")
    if value is None:
        return [str(number_of(item)) for item in devices]
    names, numbers = parse_visible(value)
    entries = list(names) or [str(number) for number in numbers]
    return [_entry(entries, number_of(item)) for item in devices]


def _entry(entries: Sequence[str], number: int) -> str:
    return entries[number] if number < len(entries) else str(number)


#: How often the progress of a wait is reported to a callback, and how often it is logged.
_TELL_S = 1.0
_LOG_S = 60.0


class Progress(NamedTuple):
    """How a wait goes: seconds so far, how many wait ahead of this process, and who holds what it waits for."""

    seconds: float
    ahead: int
    holders: Tuple[str, ...]


def lease(
    device: str = "gpu",
    count: Optional[int] = None,
    *,
    timeout_s: Optional[float] = None,
    framework: Optional[str] = None,
    machine: Optional[Machine] = None,
    min_memory: Union[int, str, None] = None,
    exclude: Iterable[str] = (),
    policy: Policy = None,
) -> Lease:
    """Take devices for this process alone, as soon as they are free, and return them as a context manager.

    It excludes those that ask devicekit as well, by `lease`, ``auto(exclusive=True)`` or ``devicekit run``: other processes,
    threads and users of this machine. Programs that do not ask are not excluded. The devices are released at the end of the
    ``with`` block, by `Lease.release`, or by the kernel when the process is gone, even by SIGKILL. First come,
    first served.

    Parameters
    ----------
    device : str
        See `devicekit.select_device`; an accelerator.
    count : int or None
        How many of the devices that fit; by default as many as ``device`` names, or one.
    timeout_s : float or None
        How many seconds to wait; None: as long as it takes, 0: not at all.
    framework, machine, min_memory, exclude, policy
        See `devicekit.select_device`; the policy gives the order in which free devices are taken.

    Returns
    -------
    Lease
        Already taken; no framework is touched. Inside the block ``devicekit.auto(held.device)`` uses it.

    Raises
    ------
    LeaseTimeoutError
        If they do not become free in time; the message says who holds them.
    DeviceUnavailableError
        If this machine has no such devices, or not so many.
    LeaseError
        If the folder for the locks cannot be used (``DEVICEKIT_LEASE_DIR`` names another), or if this very thread
        holds what it asks for.
    ValueError
        If an argument is not one of the accepted.
    """
    request = parse_request(device)
    wanted = checked_count(count, request)
    checked_timeout(timeout_s)
    machine = machine if machine is not None else machine_now()
    plan = plan_of(request, wanted, machine, framework, min_memory, exclude, policy)
    return take_devices(candidates_of(plan, wanted), wanted, machine, plan.framework, timeout_s)


def take_devices(
    candidates: Sequence[Candidate],
    count: int,
    machine: Machine,
    framework: Optional[str],
    timeout_s: Optional[float] = None,
    tell: Optional[Callable[[Progress], None]] = None,
    command: Optional[str] = None,
) -> Lease:
    """Wait for so many of these devices; see `lease`.

    ``tell`` is called about once a second while it waits; ``command``: what the holder is called, where that is not this
    program.
    """
    from ...diagnosis.diagnose import diagnose

    queue = Queue(open_folder())
    listed = list(diagnose(machine).candidates_for(framework))
    names = [item.device for item in listed]
    # Devices of a plug-in may be known only because they were asked for.
    everything = keys_of(listed + [item for item in candidates if item.device not in names])
    by_key: Dict[str, Candidate] = {}
    for item in candidates:
        by_key.setdefault(everything[item.device], item)
    if len(pick(list(by_key), count, ())) < count:
        raise DeviceUnavailableError(
            "%d devices were requested, but %s are fewer physical devices"
            % (count, ", ".join(item.device for item in candidates))
        )
    tokens = _inherited(queue, list(by_key), count)
    keys = [key for key in by_key if not any(conflict(key, other) for other in tokens)]
    missing = count - len(tokens)
    taken: Sequence[Tuple[str, Any]] = ()
    if missing:
        _refuse_own(keys, missing, by_key)
        record = own_record(secrets.token_hex(8))
        if command is not None:
            record["command"] = command
        records = {key: dict(record, name=by_key[key].name, uuid=by_key[key].uuid) for key in keys}
        taken = _wait(queue, keys, missing, records, timeout_s, tell, by_key)
        tokens.update((key, record["token"]) for key, _ in taken)
    try:
        chosen = [by_key[key] for key in by_key if key in tokens]
        environment, why_not = visible(machine, chosen)
        environment["DEVICEKIT_LEASED"] = ";".join(
            "%s=%s" % (quote(key, safe="+"), token) for key, token in sorted(tokens.items())
        )
    except BaseException:
        queue.give_back(taken)
        raise
    return Lease(chosen, environment, queue, taken, why_not)


def _inherited(queue: Queue, keys: Sequence[str], count: int) -> Dict[str, str]:
    """What of these is held by a process that has started this one, or by this one for its children, with its token."""
    pairs = [entry.partition("=") for entry in read_settings().leased.split(";")]
    given = {unquote(key): token for key, _, token in pairs if token}
    found = [key for key in keys if key in given and queue.is_held_with(key, given[key])]
    return {key: given[key] for key in found[:count]}


def _refuse_own(keys: Sequence[str], count: int, by_key: Dict[str, Candidate]) -> None:
    """Raise instead of waiting for this very thread."""
    own = held_by_this_thread()
    if len(pick(keys, count, own)) < count:
        names = ", ".join(by_key[key].device for key in keys if any(conflict(key, other) for other in own))
        raise LeaseError(
            "this thread already holds %s and would wait for itself: use its lease, or release it first" % names
        )


def _wait(
    queue: Queue,
    keys: Sequence[str],
    count: int,
    records: Dict[str, Dict[str, Any]],
    timeout_s: Optional[float],
    tell: Optional[Callable[[Progress], None]],
    by_key: Dict[str, Candidate],
) -> Sequence[Tuple[str, Any]]:
    def report(seconds: float) -> None:
        progress = Progress(seconds, queue.ahead, _holders(queue, keys, by_key))
        if tell is not None:
            tell(progress)
        else:
            _log(progress)

    try:
        taken = queue.wait(keys, count, records, timeout_s, report, _LOG_S if tell is None else _TELL_S)
        if taken is None:
            raise _timeout(queue, keys, count, timeout_s or 0.0, by_key)
        return taken
    finally:
        queue.leave()


def _log(progress: Progress) -> None:
    from ...errors import log

    log(
        "info",
        "waiting for a device for %.0f s, %d ahead; %s",
        progress.seconds,
        progress.ahead,
        "; ".join(progress.holders),
    )


def _holders(queue: Queue, keys: Sequence[str], by_key: Dict[str, Candidate]) -> Tuple[str, ...]:
    """Who holds what this process waits for, a line for each holder."""
    now = time.time()
    devices: Dict[str, List[str]] = {}
    described_once: Dict[Any, str] = {}
    for holding in queue.holders():
        # What one process has taken at one time was not written in one second.
        process = holding.record.get("pid") or holding.path
        who = described_once.setdefault(process, described(holding.record, now, holding.path))
        devices.setdefault(who, []).extend(by_key[key].device for key in keys if conflict(key, holding.key))
    lines = tuple(
        "%s %s held by %s" % (_shortened(names), "are" if len(names) > 1 else "is", who)
        for who, names in devices.items()
        if names
    )
    if queue.stopped_turn:
        lines += ("the process that holds %s is stopped: it is passed over after a minute" % queue.stopped_turn,)
    return lines


def _shortened(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) < 4 else "%s and %d more" % (names[0], len(names) - 1)


def _timeout(
    queue: Queue, keys: Sequence[str], count: int, timeout_s: float, by_key: Dict[str, Candidate]
) -> LeaseTimeoutError:
    holders = _holders(queue, keys, by_key)
    ahead = queue.ahead
    names = _shortened([by_key[key].device for key in keys])
    what = names if len(keys) == count else "%d of %s" % (count, names if len(keys) < 4 else "%d devices" % len(keys))
    text = "%s did not become free within %g s: %s." % (what, timeout_s, "; ".join(holders) or "it is kept for others")
    if ahead:
        text += " %d %s waiting ahead." % (ahead, "process is" if ahead == 1 else "processes are")
    return LeaseTimeoutError(
        text + " Wait longer (timeout_s=None: as long as it takes), or see who holds what: devicekit leases", holders
    )
