"""From a stream of bytes to the few lines that could match a signature, in constant memory.

A log of 100 MB is mostly the same few lines with other numbers. So lines are first compared without their digits, and only
the first few of each shape are examined. The rest consists mostly of words that were seen before: each word is examined
once, for literals that share a piece with it, and a line is only compared with the literals of its words.
"""

import codecs
import re
from collections import Counter
from typing import IO, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from .signatures import Signature

_CHUNK_BYTES = 1 << 20

#: Characters of a line that are examined. Longer lines are cut: no program prints its error after that.
LONGEST_LINE = 4000

#: Maximum number of examined lines that only differ in digits.
_OF_ONE_SHAPE = 8

#: Lines after a line of a traceback that may be the exception: the source line and its markers come between.
_AFTER_A_FRAME = 4

#: How many shapes are remembered before all are forgotten. For longer ones, only the hash is remembered.
_SHAPES = 1 << 17
_LONG_SHAPE = 100

#: How many bytes of words are remembered before all are forgotten.
_WORDS_BYTES = 1 << 20

#: Bytes of the piece by which a literal is searched; fewer if its words are short.
_PIECES = (4, 3, 2, 1)

#: Bytes that are kept of an unfinished line.
_KEPT_BYTES = 1 << 16

#: Interpreter answers that belong to the line before.
_ANSWERS = frozenset(
    (b"[]", b"False", b"0", b"None", b"''", b'""', b"cpu", b"['CPU']", b"[CpuDevice(id=0)]", b"tensor([])")
)

_DIGITS = b"0123456789"

#: Separators of words in addition to blanks: the parts of a path are repeated, whole paths are not.
_SEPARATORS = b"/\\,;=()[]{}<>'\"|"
_SEPARATED = bytes.maketrans(_SEPARATORS, b" " * len(_SEPARATORS))
_ESCAPE = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|\x1b.")


class Line(NamedTuple):
    """A line without the blanks around it, and the signatures with a literal in it."""

    number: int
    text: str
    signatures: Tuple[Signature, ...]
    indented: bool = False


def chunks_of_text(text: str) -> Iterator[bytes]:
    """Return a text in the form that `candidate_lines` reads."""
    for start in range(0, len(text), _CHUNK_BYTES):
        yield text[start : start + _CHUNK_BYTES].encode("utf-8", "replace")


def chunks_of_stream(stream: "IO[bytes]") -> Iterator[bytes]:
    """Return a binary stream in chunks, as UTF-8. Windows PowerShell writes redirected output as UTF-16."""
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
        else:  # an unfinished line: only its beginning is kept
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


class Counted:
    """How many lines were read."""

    def __init__(self) -> None:
        self.lines = 0


def candidate_lines(
    chunks: Iterable[bytes], known: Sequence[Signature], counted: Optional[Counted] = None
) -> Iterator[Line]:
    """Yield the lines with a literal of a signature, and those after a line of a traceback, which may be the exception.

    Parameters
    ----------
    chunks : iterable of bytes
        The log in chunks, as UTF-8; invalid bytes are replaced.
    known : sequence of Signature
    counted : Counted, optional
        Gets the number of lines.
    """
    index = _Index(known)
    shapes: Dict[object, int] = {}
    number, last, after = 0, b"", 0
    for lines in _blocks(chunks):
        first, number = number, number + len(lines)
        if counted is not None:
            counted.lines = number
        for position, raw in enumerate(lines):
            answer = raw.strip()
            if answer in _ANSWERS:
                # An interpreter's answer means nothing without the line before: "[]" after list_physical_devices().
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
            if found is None and after:
                found = raw.decode("utf-8", "replace")[:LONGEST_LINE].strip(), ()
            if found is not None:
                yield Line(first + position + 1, *found, raw[:1].isspace())
                after = _AFTER_A_FRAME if b'File "' in raw else max(0, after - 1)


class _Literal:
    """A literal, its position among all literals, and its signatures."""

    __slots__ = ("number", "owners", "text")

    def __init__(self, text: str, number: int) -> None:
        self.text = text
        self.number = number
        self.owners: List[Signature] = []


#: Literals by their search piece, by the length of the piece.
_Table = List[Tuple[int, Dict[bytes, List[_Literal]]]]

#: The last table and its signatures: building it costs more than reading a short log.
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
    # A piece that is rare among the literals is rare in logs: then few lines need a close look.
    counts = Counter(piece for pieces in possible.values() for piece in pieces)
    by_length: Dict[int, Dict[bytes, List[_Literal]]] = {}
    for text, literal in literals.items():
        piece = min(possible[text], key=lambda item: (counts[item], item))
        by_length.setdefault(len(piece), {}).setdefault(piece, []).append(literal)
    table = sorted(by_length.items())
    _LAST["table"] = (known, table)
    return table


class _Index:
    """Finds the literals in a line by its words: for each word, the possible literals are determined once."""

    def __init__(self, known: Sequence[Signature]) -> None:
        self._table = _table(known)
        #: Examined words, and the possible literals of each.
        self._known: Set[bytes] = set()
        self._size = 0
        self._hot: Dict[bytes, Set[_Literal]] = {}

    def find(self, raw: bytes) -> Optional[Tuple[str, Tuple[Signature, ...]]]:
        """Return a line's text and the signatures with a literal in it, None if there is none."""
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
    """Return the possible search pieces of a literal: all of the greatest length.

    >>> _pieces("no GPU")
    [b'GPU']
    """
    words = literal.encode("utf-8").translate(_SEPARATED).split()
    for length in _PIECES:
        found = [word[start : start + length] for word in words for start in range(len(word) - length + 1)]
        if found:
            return found
    raise ValueError("a literal is blank")
