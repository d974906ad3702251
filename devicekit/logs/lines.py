"""From a stream of bytes to the few lines that a signature could be about, in constant memory.

A log of 100 MB is mostly the same few lines with other numbers. So lines are compared without their digits first, and only
the first few of each shape are looked at; what is left is searched for the literals of all signatures at once.
"""

import codecs
import re
from typing import IO, Dict, Iterable, Iterator, List, NamedTuple, Sequence, Tuple

from .signatures import Signature

__all__ = ["LONGEST_LINE", "Line", "candidate_lines", "chunks_of_text"]

_CHUNK_BYTES = 1 << 20

#: Characters of a line that are looked at. Longer ones are cut: nothing prints its error behind that.
LONGEST_LINE = 4000

#: How many lines that differ in digits only are looked at.
_OF_ONE_SHAPE = 8

#: How many shapes are remembered; then all are forgotten, and seen anew.
_SHAPES = 1 << 17

#: Answers that belong to the line before.
_ANSWERS = frozenset(
    (b"[]", b"False", b"0", b"None", b"''", b'""', b"cpu", b"['CPU']", b"[CpuDevice(id=0)]", b"tensor([])")
)

_DIGITS = b"0123456789"
_ESCAPE = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|\x1b.")


class Line(NamedTuple):
    """A line and the signatures of which a literal stands in it."""

    number: int
    text: str
    signatures: Tuple[Signature, ...]


def chunks_of_text(text: str) -> Iterator[bytes]:
    """Return a text as `candidate_lines` reads it."""
    for start in range(0, len(text), _CHUNK_BYTES):
        yield text[start : start + _CHUNK_BYTES].encode("utf-8", "replace")


def chunks_of_stream(stream: "IO[bytes]") -> Iterator[bytes]:
    """Return a binary stream in pieces, as UTF-8. Windows PowerShell writes redirected output as UTF-16."""
    first = stream.read(_CHUNK_BYTES)
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if first.startswith(mark):
            decoder = codecs.getincrementaldecoder(encoding)("replace")
            piece = first[2:]
            while piece:
                yield decoder.decode(piece).encode("utf-8", "replace")
                piece = stream.read(_CHUNK_BYTES)
            return
    while first:
        yield first
        first = stream.read(_CHUNK_BYTES)


def _blocks(chunks: Iterable[bytes]) -> Iterator[List[bytes]]:
    """Yield lists of whole lines. A carriage return ends a line too: progress bars use it."""
    rest = b""
    for chunk in chunks:
        data = rest + chunk
        if b"\x1b" in data:
            data = _ESCAPE.sub(b"", data)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = data.split(b"\n")
        rest = lines.pop()
        if len(rest) > _CHUNK_BYTES:  # a line without an end: its beginning is kept, memory is not
            lines.append(rest)
            rest = b""
        yield lines
    yield [rest]


def candidate_lines(chunks: Iterable[bytes], known: Sequence[Signature]) -> Iterator[Line]:
    """Yield the lines in which a literal of a signature stands.

    Parameters
    ----------
    chunks : iterable of bytes
        The log in pieces, as UTF-8; what is not is replaced.
    known : sequence of Signature
    """
    by_literal: Dict[str, List[Signature]] = {}
    for item in known:
        for literal in item.literals:
            by_literal.setdefault(literal, []).append(item)
    literals = list(by_literal.items())
    hint = _any_beginning(by_literal)
    shapes: Dict[bytes, int] = {}
    number, last = 0, b""
    for lines in _blocks(chunks):
        first, number = number, number + len(lines)
        for index, raw in enumerate(lines):
            answer = raw.strip()
            if answer in _ANSWERS:
                # What an interpreter answers to the line before says nothing alone: "[]" after list_physical_devices().
                raw = last[: LONGEST_LINE - 40] + b" -> " + answer
            last = raw
            shape = raw[:LONGEST_LINE].translate(None, _DIGITS)
            seen = shapes.get(shape, 0)
            if seen >= _OF_ONE_SHAPE:
                continue
            if len(shapes) >= _SHAPES:
                shapes.clear()
            shapes[shape] = seen + 1
            text = raw[: 4 * LONGEST_LINE].decode("utf-8", "replace")[:LONGEST_LINE]
            if hint.search(text) is None:
                continue
            found: Dict[str, Signature] = {}
            for literal, owners in literals:
                if literal in text:
                    for owner in owners:
                        found[owner.id] = owner
            if found:
                yield Line(first + index + 1, text.strip(), tuple(found.values()))


def _any_beginning(literals: Iterable[str]) -> "re.Pattern[str]":
    """Return a pattern that finds the beginning of any literal: one pass instead of one for each of them."""
    tree: Dict[str, Dict[str, object]] = {}
    for literal in literals:
        node = tree
        for character in literal[:5]:
            node = node.setdefault(character, {})  # type: ignore[assignment]
    return re.compile(_branches(tree))


def _branches(node: Dict[str, Dict[str, object]]) -> str:
    parts = [re.escape(character) + _branches(below) for character, below in sorted(node.items())]  # type: ignore[arg-type]
    if not parts:
        return ""
    return parts[0] if len(parts) == 1 else "(?:%s)" % "|".join(parts)
