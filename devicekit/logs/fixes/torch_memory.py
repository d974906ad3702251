"""What PyTorch says of the GPU's memory in its error: who holds it, and whether it is in pieces."""

import re
from typing import NamedTuple, Optional, Tuple

from .situation import Situation
from .steps import Steps

#: Bytes of PyTorch's units (c10/cuda/CUDACachingAllocator.cpp, format_size).
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

_SIZE = r"(\d{1,9}(?:\.\d{1,4})?) (bytes|KiB|MiB|GiB)"

#: Which share of the memory counts as much: of other processes, and of pieces between what is allocated.
_MUCH = 0.3
_PIECES = 0.05


class TorchMemory(NamedTuple):
    """The figures of an error, in bytes; ``others`` are processes with what each of them holds."""

    requested: float
    total: float
    others: Tuple[Tuple[str, float], ...]
    pieces: Optional[float]


def torch_memory(line: str) -> Optional[TorchMemory]:
    """Return the figures of PyTorch's error, None if the line is another one.

    >>> torch_memory("Tried to allocate 2.00 MiB (GPU 0; 4.00 MiB total capacity; 1.00 MiB already allocated; 0 bytes free; "
    ...              "1.00 MiB reserved in total by PyTorch)").others
    (('', 3145728.0),)
    """
    requested, total = _size(r"Tried to allocate ", line), _size(r"total capacity of |GPU \d+; ", line)
    if requested is None or not total:
        return None
    pieces, reserved = _size("", line, " is reserved by PyTorch but unallocated"), _size("", line, " reserved in total")
    free = _size("of which ", line) if "of which" in line else _size("", line, " free")
    others = tuple(
        (number, float(amount) * _UNITS[unit])
        for number, amount, unit in re.findall(r"Process (\d{1,8}) has %s memory in use" % _SIZE, line)
    )
    # In a container PyTorch does not know its own number: what does not fit next to its memory is its own.
    own = (_size("", line, " is allocated by PyTorch") or 0.0) + (pieces or 0.0)
    others = tuple(item for item in others if item[1] + own <= total)
    if reserved is not None:  # up to PyTorch 2.0: the rest is others' and the driver's own
        pieces = reserved - (_size("", line, " already allocated") or reserved)
        others = (("", max(total - reserved - (free or 0), 0)),)
    return TorchMemory(requested, total, others, pieces)


def _size(before: str, line: str, after: str = "") -> Optional[float]:
    found = re.search("(?:%s)%s%s" % (before, _SIZE, after), line)
    return float(found.group(1)) * _UNITS[found.group(2)] if found else None


def in_words(size: float) -> str:
    """Return a size as people write it.

    >>> in_words(3 * (1 << 29)), in_words(20 << 20)
    ('1.5 GiB', '20 MiB')
    """
    return "%.3g GiB" % (size / (1 << 30)) if size >= 1 << 30 else "%.3g MiB" % (size / (1 << 20))


def held_by_others(about: Situation, steps: Steps, memory: TorchMemory) -> None:
    """Add that other processes are ended, where they hold much of the memory."""
    for number, held in sorted(memory.others, key=lambda item: -item[1]):
        if held < _MUCH * memory.total:
            continue
        shares = (in_words(held), in_words(memory.total))
        if not number:
            steps.say("Other programs hold up to %s of the GPU's %s: end those that are not needed" % shares)
            continue
        text = "Process %s holds %s of the GPU's %s: if that is another program of yours, end it"
        text = text % ((number,) + shares) + (
            " (it has this number outside of the container)" if about.container else ""
        )
        command = "taskkill /PID %s /F" % number if about.windows else "kill %s" % number
        steps.run(text, command, changes="system")


def is_in_pieces(memory: TorchMemory) -> Optional[bool]:
    """Whether enough memory is PyTorch's and free, but not in one piece; None if the error does not say so."""
    if memory.pieces is None:
        return None
    return memory.pieces >= max(memory.requested, _PIECES * memory.total)
