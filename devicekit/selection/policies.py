"""Which one of several usable accelerators: the named policies, and what a function of the user's may do. Pure.

Every policy takes what is known to work before what only a trial can judge, and ends with the framework's own order, so
that the same facts always give the same device. What is compared is what the driver said when the machine was looked at.
"""

from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple, Union

from ..diagnosis.findings import Candidate
from ..errors import did_you_mean, one_line

Policy = Union[None, str, Callable[[Sequence[Candidate]], Candidate]]

#: Names of policies. ``index``: the first usable device in the framework's own order. ``least-memory``: the one of whose
#: memory the fewest bytes are used. ``least-utilization``: the one that was least busy. ``fastest``: the one that a benchmark
#: showed to be the fastest; where nothing was measured, as ``index``.
POLICIES = ("index", "least-memory", "least-utilisation", "fastest")

_SPELLINGS = {"least-utilization": "least-utilisation"}

#: Up to so much of a device's memory belongs to a desktop, to the driver's own reserve, or to a forgotten notebook: a device
#: with less in use counts as free when no policy is named. (An idle A100 shows 0.5 GiB, a desktop up to 2 of 24 GiB.)
_FREE_BYTES = 1 << 30
_FREE_PART = 0.1

#: Less than so many percent are a glance of the desktop or of a monitoring tool.
_IDLE_PERCENT = 10

_GIB = 1 << 30


class Order(NamedTuple):
    """Accelerators, the best first, and why that one is the first of several ("" where only its number decided)."""

    candidates: Tuple[Candidate, ...]
    reason: str = ""


def checked_policy(policy: Policy) -> Policy:
    """Return a policy as it is called in `POLICIES`.

    Raises
    ------
    ValueError
        Where there is none of that name; the message lists those there are.
    """
    if policy is None or (callable(policy) and not isinstance(policy, type)):
        return policy
    if isinstance(policy, str):
        name = _SPELLINGS.get(policy, policy)
        if name in POLICIES:
            return name
    near = did_you_mean(policy, POLICIES) or "; accepted are %s or a function" % ", ".join(POLICIES)
    raise ValueError("unknown policy %r%s" % (policy, near))


def ordered(
    candidates: Sequence[Candidate], policy: Policy = None, fastest: Sequence[str] = (), count: int = 1
) -> Order:
    """Return usable accelerators in the order in which a policy would take them.

    Parameters
    ----------
    candidates : sequence of Candidate
        Usable accelerators in the framework's order.
    policy : None, str or callable
        None: free devices first (little memory used, hardly busy), of those the one that was measured to be the fastest,
        then by number; devices in use come after all free ones, the least used memory and then the least busy first.
        A name of `POLICIES`, or a function from the candidates to one of them.
    fastest : sequence of str
        The devices that were measured, the fastest first.
    count : int
        How many are wanted: so often a function is asked, each time without those that it has taken. The others follow in
        the framework's order.

    Raises
    ------
    ValueError
        Where a function fails, or returns something else than one of the candidates.
    """
    if callable(policy):
        return _by_function(candidates, policy, count)
    # One of which only a trial can tell whether it works comes after those that are known to.
    sure = [item for item in candidates if item.usable]
    unsure = [item for item in candidates if not item.usable]
    first, reason = _ranked(sure or unsure, policy, fastest)
    rest = _ranked(unsure, policy, fastest)[0] if sure else []
    return Order(tuple(first + rest), reason if len(candidates) > 1 else "")


def used_bytes(candidate: Candidate) -> Optional[int]:
    """Return how much of a device's memory is in use, None where that is not known."""
    if candidate.memory_used_bytes is not None:
        return candidate.memory_used_bytes
    if candidate.memory_bytes is None or candidate.memory_free_bytes is None:
        return None
    return max(0, candidate.memory_bytes - candidate.memory_free_bytes)


def _ranked(group: List[Candidate], policy: Policy, fastest: Sequence[str]) -> Tuple[List[Candidate], str]:
    if len(group) < 2 or policy == "index":
        return list(group), ""
    if policy == "fastest":
        found = _sorted(group, [_speed(item, fastest) for item in group])
        return found, "%s is the fastest that was measured" % found[0].device if found[0].device in fastest else ""
    if policy == "least-memory":
        return _by_amount(group, [used_bytes(item) for item in group], _memory_reason, "how much memory is in use")
    if policy == "least-utilisation":
        return _by_amount(group, [item.utilization_percent for item in group], _busy_reason, "how busy they are")
    memory = _classes([used_bytes(item) for item in group], [_free_up_to(item) for item in group])
    busy = _classes([item.utilization_percent for item in group], [_IDLE_PERCENT - 1] * len(group))
    speed = [_speed(item, fastest) for item in group]
    keys = list(zip(memory, busy, speed))
    found = _sorted(group, keys)
    if len(set(keys)) == 1:
        return found, ""
    # What decided: where it differs from the one that would have been taken by number, else from the next best.
    other = group[0] if found[0] is not group[0] else found[1]
    mine, others = (keys[next(n for n, item in enumerate(group) if item is one)] for one in (found[0], other))
    if mine[0] != others[0]:
        return found, _memory_reason(found[0])
    if mine[1] != others[1]:
        return found, _busy_reason(found[0])
    return found, "%s is the fastest of the free ones that were measured" % found[0].device if mine != others else ""


def _sorted(group: Sequence[Candidate], keys: Sequence[object]) -> List[Candidate]:
    """Sort by keys; equal ones stay in the framework's order."""
    order = sorted(range(len(group)), key=lambda number: keys[number])  # type: ignore[arg-type,return-value]
    return [group[number] for number in order]


def _free_up_to(item: Candidate) -> int:
    return max(_FREE_BYTES, int(_FREE_PART * (item.memory_bytes or 0)))


def _classes(amounts: Sequence[Optional[int]], idle_up_to: Sequence[int]) -> List[int]:
    """Return 0 for what counts as free, else the amount; nothing is compared where one amount is not known."""
    known = [amount for amount in amounts if amount is not None]
    if len(known) < len(amounts):
        return [0] * len(amounts)
    return [0 if amount <= idle else amount for amount, idle in zip(known, idle_up_to)]


def _speed(item: Candidate, fastest: Sequence[str]) -> int:
    return fastest.index(item.device) if item.device in fastest else len(fastest)


def _by_amount(
    group: List[Candidate], amounts: List[Optional[int]], say: Callable[[Candidate], str], what: str
) -> Tuple[List[Candidate], str]:
    """Sort by an amount; those of which it is not known come last."""
    keys = [(amount is None, amount or 0, -(item.memory_free_bytes or 0)) for item, amount in zip(group, amounts)]
    if all(amount is None for amount in amounts):
        return list(group), "%s is the first: %s is not known" % (group[0].device, what)
    found = _sorted(group, keys)
    return found, say(found[0])


def _memory_reason(item: Candidate) -> str:
    used = (used_bytes(item) or 0) / _GIB
    total = " of %.1f" % (item.memory_bytes / _GIB) if item.memory_bytes is not None else ""
    return "%s has the least used memory: %.1f%s GiB" % (item.device, used, total)


def _busy_reason(item: Candidate) -> str:
    return "%s is the least busy: %d %%" % (item.device, item.utilization_percent or 0)


def _by_function(
    candidates: Sequence[Candidate], policy: Callable[[Sequence[Candidate]], Candidate], count: int
) -> Order:
    left = list(candidates)
    found: List[Candidate] = []
    while left and len(found) < count:
        try:
            pick = policy(tuple(left))
        except Exception as error:
            raise ValueError("the policy function failed on %s: %s" % (_listed(left), one_line(error))) from error
        number = next((n for n, item in enumerate(left) if item is pick or item == pick), None)
        if number is None:
            raise ValueError(
                "a policy function returns one of the candidates that it is given (%s), not %.100r"
                % (_listed(left), pick)
            )
        found.append(left.pop(number))
    name = getattr(policy, "__name__", "")
    by = "your policy" if name in ("", "<lambda>") else "your policy %s" % name
    return Order(tuple(found + left), "%s was taken by %s" % (found[0].device, by) if len(candidates) > 1 else "")


def _listed(candidates: Sequence[Candidate]) -> str:
    return ", ".join(item.device for item in candidates)
