"""From a stream of bytes to the few lines that a signature could be about, in constant memory.

A log of 100 MB is mostly the same few lines with other numbers. So lines are compared without their digits first, and only
the first few of each shape are looked at. What is left consists of words that were seen before, mostly: each word is looked
at once, for the literals of which a piece stands in it, and a line is compared with the literals of its words only.
"""

import codecs
import re
from collections import Counter
from typing import IO, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from .signatures import Signature

__all__ = ["LONGEST_LINE", "Line", "candidate_lines", "chunks_of_text"]

_CHUNK_BYTES = 1 << 20

#: Characters of a line that are looked at. Longer ones are cut: nothing prints its error behind that.
LONGEST_LINE = 4000

#: How many lines that differ in digits only are looked at.
_OF_ONE_SHAPE = 8

#: How many shapes are remembered; then all are forgotten, and seen anew. Of a longer one only the hash is kept.
_SHAPES = 1 << 17
_LONG_SHAPE = 100

#: How many bytes of words are remembered; then all are forgotten.
_WORDS_BYTES = 1 << 20

#: A literal is looked for by a piece of so many bytes, or of fewer where its words are short.
_PIECES = (4, 3, 2, 1)

#: Bytes that are kept of a line without an end.
_KEPT_BYTES = 1 << 16

#: Answers that belong to the line before.
_ANSWERS = frozenset(
    (b"[]", b"False", b"0", b"None", b"''", b'""', b"cpu", b"['CPU']", b"[CpuDevice(id=0)]", b"tensor([])")
)

_DIGITS = b"0123456789"

#: What parts words beside blanks: the parts of a path come again and again, whole paths do not.
_SEPARATORS = b"/\\,;=()[]{}<>'\"|"
_SEPARATED = bytes.maketrans(_SEPARATORS, b" " * len(_SEPARATORS))
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
    rest, first = b"", True
    for chunk in chunks:
        data = rest + chunk
        if first and len(data) >= len(codecs.BOM_UTF8):
            first = False
            if data.startswith(codecs.BOM_UTF8):
                data = data[len(codecs.BOM_UTF8) :]
        # A line feed after a carriage return belongs to it, and may come with the next piece.
        end = data.rfind(b"\n") + 1 or data.rfind(b"\r", 0, -1) + 1
        if end:
            yield _lines(data[:end])
            rest = data[end:]
        else:  # a line without an end: its beginning is kept, memory is not
            rest = data[:_KEPT_BYTES]
    if rest:
        yield _lines(rest)


def _lines(data: bytes) -> List[bytes]:
    if b"\x1b" in data:
        data = _ESCAPE.sub(b"", data)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def candidate_lines(chunks: Iterable[bytes], known: Sequence[Signature]) -> Iterator[Line]:
    """Yield the lines in which a literal of a signature stands.

    Parameters
    ----------
    chunks : iterable of bytes
        The log in pieces, as UTF-8; what is not is replaced.
    known : sequence of Signature
    """
    index = _Index(known)
    shapes: Dict[object, int] = {}
    number, last = 0, b""
    for lines in _blocks(chunks):
        first, number = number, number + len(lines)
        for position, raw in enumerate(lines):
            answer = raw.strip()
            if answer in _ANSWERS:
                # What an interpreter answers to the line before says nothing alone: "[]" after list_physical_devices().
                raw = last[: LONGEST_LINE - 40] + b" -> " + answer
            last = raw
            shape: object = raw[:LONGEST_LINE].translate(None, _DIGITS)
            if len(raw) > _LONG_SHAPE:
                shape = hash(shape)
            seen = shapes.get(shape, 0)
            if seen >= _OF_ONE_SHAPE:
                continue
            if len(shapes) >= _SHAPES:
                shapes.clear()
            shapes[shape] = seen + 1
            found = index.find(raw[: 4 * LONGEST_LINE])
            if found is not None:
                yield Line(first + position + 1, *found)


class _Literal:
    """A literal, its place among all of them, and the signatures that it belongs to."""

    __slots__ = ("number", "owners", "text")

    def __init__(self, text: str, number: int) -> None:
        self.text = text
        self.number = number
        self.owners: List[Signature] = []


#: Literals by the pieces by which they are found, by the pieces' length.
_Table = List[Tuple[int, Dict[bytes, List[_Literal]]]]

#: The table that was made last, and what it was made of: it costs more than a short log.
_LAST: Dict[str, Tuple[Sequence[Signature], _Table]] = {}


def _table(known: Sequence[Signature]) -> _Table:
    made = _LAST.get("table")
    if made is not None and made[0] is known:
        return made[1]
    literals: Dict[str, _Literal] = {}
    for item in known:
        for text in item.literals:
            literals.setdefault(text, _Literal(text, len(literals))).owners.append(item)
    possible = {text: _pieces(text) for text in literals}
    # What is rare among the literals is rare in logs: then few lines must be looked at closely.
    counts = Counter(piece for pieces in possible.values() for piece in pieces)
    by_length: Dict[int, Dict[bytes, List[_Literal]]] = {}
    for text, literal in literals.items():
        piece = min(possible[text], key=lambda item: (counts[item], item))
        by_length.setdefault(len(piece), {}).setdefault(piece, []).append(literal)
    table = sorted(by_length.items())
    _LAST["table"] = (known, table)
    return table


class _Index:
    """Finds the literals in a line by its words: for each word it is found out once which literals it may belong to."""

    def __init__(self, known: Sequence[Signature]) -> None:
        self._table = _table(known)
        #: Words that were looked at, and the literals of those that may belong to some.
        self._known: Set[bytes] = set()
        self._size = 0
        self._hot: Dict[bytes, Set[_Literal]] = {}

    def find(self, raw: bytes) -> Optional[Tuple[str, Tuple[Signature, ...]]]:
        """Return a line's text and the signatures of which a literal stands in it, None where there is none."""
        words = set(raw.translate(_SEPARATED).split())
        fresh = words - self._known
        if fresh:
            if self._size > _WORDS_BYTES:
                self._known.clear()
                self._hot.clear()
                self._size, fresh = 0, words
            self._learn(fresh)
        hot = self._hot.keys() & words
        if not hot:
            return None
        text = raw.decode("utf-8", "replace")[:LONGEST_LINE]
        possible: Set[_Literal] = set().union(*map(self._hot.__getitem__, hot))
        there = [literal for literal in possible if literal.text in text]
        if not there:
            return None
        there.sort(key=lambda literal: literal.number)
        found = {owner.id: owner for literal in there for owner in literal.owners}
        return text.strip(), tuple(found.values())

    def _learn(self, words: Set[bytes]) -> None:
        self._known |= words
        self._size += sum(map(len, words))
        for word in words:
            literals: Set[_Literal] = set()
            for length, pieces in self._table:
                for start in range(len(word) - length + 1):
                    found = pieces.get(word[start : start + length])
                    if found is not None:
                        literals.update(found)
            if literals:
                self._hot[word] = literals


def _pieces(literal: str) -> List[bytes]:
    """Return the pieces by which a literal may be found: all of the greatest length that there are.

    >>> _pieces("no GPU")
    [b'GPU']
    """
    words = literal.encode("utf-8").translate(_SEPARATED).split()
    for length in _PIECES:
        found = [word[start : start + length] for word in words for start in range(len(word) - length + 1)]
        if found:
            return found
    raise ValueError("a literal is blank")
