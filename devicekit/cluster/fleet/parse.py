"""What comes from a node, and how snapshots are found in what a command prints. Pure."""

import re
from typing import Dict, Iterable, Iterator, List, NamedTuple, Tuple

from ..strategy.hostlist import expand_hosts
from .groups import LIMIT_BYTES

__all__ = ["Reading", "node_names", "snapshots_in"]

#: What Slurm (``srun --label``), pdsh, clush and MPI put before each line, and ``devicekit snapshot --line`` before its one:
#: the node or the number of the task. A line of a snapshot never begins so.
_LABEL = re.compile(rb"\s*(?:\[\d+,)?([A-Za-z0-9][A-Za-z0-9_.@-]*)(?:\]<stdout>)?:(?: |$)")

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:@-]*\Z")


class Reading(NamedTuple):
    """A node's snapshot, or why there is none."""

    node: str
    content: bytes = b""
    problem: str = ""


def snapshots_in(lines: Iterable[bytes]) -> Iterator[Reading]:
    """Yield the snapshots in the output of a command that ran on many nodes, each as soon as it is complete.

    The output of the nodes may be mixed line by line where each line says where it comes from; a snapshot is one line, or
    begins with a line ``{`` and ends with a line ``}``. Anything else is passed over: modules and login scripts print, too.

    ::

        node07: {"schema": 1, ...}
        12: node07: {"schema": 1, ...}
        node07: {
        node08: {
        node07:  "schema": 1,
    """
    parts: Dict[Tuple[str, ...], List[bytes]] = {}
    sizes: Dict[Tuple[str, ...], int] = {}
    unnamed = 0
    for line in lines:
        labels, rest = _labels(line)
        rest = rest.rstrip(b"\r\n")
        if labels not in parts:
            if not rest.lstrip().startswith(b"{"):
                continue
            parts[labels], sizes[labels] = [], 0
        sizes[labels] += len(rest)
        if sizes[labels] <= LIMIT_BYTES + 1:  # the rest of what is too large is read and forgotten
            parts[labels].append(rest)
        whole = len(parts[labels]) == 1 and rest.endswith(b"}") and rest.lstrip().startswith(b'{"')
        if whole or rest == b"}":
            unnamed += not labels
            yield Reading(labels[-1] if labels else "snapshot %d" % unnamed, b"\n".join(parts.pop(labels)))
    for labels, begun in parts.items():
        yield Reading(labels[-1] if labels else "snapshot %d" % (unnamed + 1), b"\n".join(begun))


def _labels(line: bytes) -> Tuple[Tuple[str, ...], bytes]:
    labels: List[str] = []
    while len(labels) < 3:
        found = _LABEL.match(line)
        if found is None:
            break
        labels.append(found.group(1).decode("ascii"))
        line = line[found.end() :]
    return tuple(labels), line


def node_names(text: str) -> Tuple[str, ...]:
    """Return the nodes of a list such as ``login,gpu[01-03,07],10.0.0.5``, each once, in this order.

    Raises
    ------
    ValueError
        Where it is no such list.
    """
    names = expand_hosts(text) if text.strip() else []
    for name in names:
        if not _NAME.match(name):
            raise ValueError("%r is no name of a node; write them as: a,b,gpu[01-20]" % name)
    return tuple(dict.fromkeys(names))
