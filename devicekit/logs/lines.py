"""From a stream of bytes to the few lines that could match a signature, in constant memory and linear time.

A log of 100 MB is mostly the same few lines with other numbers. So lines are first compared without their digits, and only
the first few of each shape are examined: a piece of every literal of all signatures is in one set, in which every piece of a
line is looked up; what that costs for a character does not depend on what the log says.
"""

import codecs
import html
import json
import re
from collections import Counter
from typing import IO, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

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

#: Characters of the piece by which a literal is searched; no literal is shorter.
_PIECE = 4

#: Bytes that are kept of an unfinished line.
_KEPT_BYTES = 1 << 16

#: Nothing that writes lines writes one like this; a device and a file with a hole may have no other, and no end.
_LONGEST_BYTES = 1 << 28

#: Of the line before an interpreter's answer: the two are one line then.
_BEFORE_ANSWER = 1000

#: Characters that a literal of a signature has at least.
SHORTEST_LITERAL = 6

#: Interpreter answers that belong to the line before.
_ANSWERS = frozenset(
    (b"[]", b"False", b"0", b"None", b"''", b'""', b"cpu", b"'cpu'", b"['CPU']", b"[CpuDevice(id=0)]", b"tensor([])")
)

#: A command whose answer, whatever it is or if it is a crash, belongs to its line.
_QUESTION = re.compile(rb"prime-select query\s*\n|nvidia-smi\s*\nSegm")

#: What pip says of an installed distribution below its name.
_SHOWN = b"Version: "

#: What writes several values in one line, and what is asked for most.
_PRINT = b"print("
_VERSION = re.compile(b"version")
_CALL = ord("(")
_BACKEND = b".backend()"

#: What asks which devices there are.
_ASKS = re.compile(rb"print\(|_available\(\)|list_physical_devices\(|gpu_device_name\(\)|devices\(\)")

#: Python up to 3.6 does not say from which module; the source line above does.
_NOT_IMPORTED = b"ImportError: cannot import name"
_NOT_THERE = re.compile(rb"ImportError: cannot import name '?(\w{1,60})'?\s*$")
_FROM = re.compile(rb"\s+from ([A-Za-z_][\w.]{0,80}) import ")

_RELEASE = re.compile(rb"'?\d\.\d{1,2}\.\d{1,2}[\w.+]{0,12}'?\s*$")

#: Parts of lines that TensorFlow logs.
_LOGGED = (b".cc:", b"rebuild TensorFlow")

#: A question of a form for an issue, whose answer is below it.
_HEADING = b"### "

#: How long a line is where a terminal or a notebook breaks an error in the middle of its sentence: the rest is below.
_SHORTEST_BROKEN, _LONGEST_BROKEN = 30, 250
#: How another line begins than one that goes on: a record of a logger, a bar of Keras, a traceback.
_BEGINS = re.compile(rb"\d{4}-\d\d-\d\d[ T]|[IWEF]\d{4} \d\d:|Epoch \d|Traceback ")
#: What the system says last: nothing goes on with it.
_COMPLETE = (b"No such file or directory", b"Permission denied")
_ERRORS = re.compile(rb"Error: |ERROR: |ERROR  |Warning: |CuDNN library: ")

#: The widths of terminals that break a line wherever it is.
_WIDTHS = frozenset((80, 100, 120))

_DIGITS = b"0123456789"

_ESCAPE = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|\x1b.")

#: What others put before each line of a program: Docker, Compose, Ray, torchrun, srun, journald, collectors of logs,
#: Python's logging, Airflow, and those who quote (a prompt of Windows or R precedes a command, too).
_BEFORE_EACH = re.compile(
    rb"(?m)^(?:#\d{1,4} \d{1,5}\.\d{1,3} |> (?!pip |library\()|[\w.-]{1,60}[-_]\d{1,3} {1,20}\| |\[(?:rank)?\d{1,4}\]: ?"
    rb"|\d{1,3}: |\(\w{1,60} pid=\d{1,9}[^)\n]{0,40}\) |(?:\[stderr\]|stderr:) ?"
    rb"|[A-Z][a-z]{2} [ \d]\d [\d:]{8} [\w.-]{1,60} [\w./-]{1,60}\[\d{1,9}\]: "
    rb"|\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:?\d\d) {1,9}(?:std(?:err|out) F )?"
    rb"|[\d-]{10} [\d:]{8},\d{3} -? ?[A-Z]{4,8} -? ?|\[\d{4}-[^]\n]{8,30}\] \{[\w.]{1,60}:\d{1,6}\} [A-Z]{4,8} - )"
)

#: How Docker and Kubernetes keep a line.
_JSON = b'{"log":'

#: The end of a line as the two characters that a string in a program has for it; in a path of Windows a name follows.
_WRITTEN_END = re.compile(rb"(?m)\\n(?![a-z]{1,20}(?:[\\.]|\W?$))")

#: Lines at the beginning of a piece of a log that show whether something is before each.
_FIRST_LINES = 8

#: Signs that pages and word processors put in the place of others.
_TYPOGRAPHIC = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")

#: What people write in the place of their names: "/home/$USER/", "/Users/<me>/", "C:\\Users\\***\\".
_PLACEHOLDER = re.compile(r"(/home/|[/\\]Users[/\\])[\w.-]{0,20}[$<>\[\]{}*%@][^\s/\\:'\"]{0,30}(?=[/\\])")

#: What is in the lines of TensorFlow's logger, and the blanks in a line of it that may be more after it was pasted.
_LOGGER = ".cc:"
_BLANKS = re.compile(r"(?<=\S)[ \xa0]{1,80}(?=\S)")


#: What Windows says in other languages where Python prints no number; all that has accents is left out.
_DLL = "DLL load failed"
_WINDOWS = (
    (
        "The paging file is too small",
        r"Auslagerungsdatei|fichier de pagination|archivo de paginaci|file di paging|arquivo de pagina|页面文件|分頁檔|頁面檔"
        r"|Файл подкачки|ページ ?ファイル|페이징 파일|Plik stronicowania|Disk belle|wisselbestand",
    ),
    (
        "A dynamic link library (DLL) initialization routine failed",
        r"Initialisierungsroutine|routine d.{1,3}initial|rutina de inicializ|Routine di inizializ|rotina de inicializ"
        r"|初始化(?:例程|常式)|программе инициализации|初期化ルーチン|초기화 루틴|procedury inicjowania|initialisatieroutine",
    ),
    (
        "The specified procedure could not be found",
        r"Die angegebene Prozedur|La proc\S{1,3}dure|el proceso especificado|la procedura spec|o procedimento esp|指定的程序"
        r"|указанная процедура|指定されたプロシージャ|지정된 프로시저|ślonej procedury|Belirtilen yordam",
    ),
    (
        "The specified module could not be found",
        r"Das angegebene M|Le module sp|el m\S{1,3}dulo esp|il modulo spec|o m\S{1,3}dulo esp|指定的模"
        r"|указанный модуль|指定されたモジュール|지정된 모듈|ślonego modu|Belirtilen mod|opgegeven module",
    ),
)


class Line(NamedTuple):
    """A line without the blanks around it, and the signatures with a literal in it."""

    number: int
    text: str
    signatures: Tuple[Signature, ...]
    indent: int = 0


def chunks_of_text(text: str) -> Iterator[bytes]:
    """Return a text in the form that `candidate_lines` reads."""
    for start in range(0, len(text), _CHUNK_BYTES):
        yield text[start : start + _CHUNK_BYTES].encode("utf-8", "replace")


def chunks_of_stream(stream: "IO[bytes]") -> Iterator[bytes]:
    """Return a binary stream in chunks, as UTF-8. Windows PowerShell redirects output as UTF-16, wsl.exe without a mark."""
    first = stream.read(_CHUNK_BYTES)
    for mark, encoding, high in ((codecs.BOM_UTF16_LE, "utf-16-le", 1), (codecs.BOM_UTF16_BE, "utf-16-be", 0)):
        unmarked = first[high:8:2] == bytes(4) and b"\0" not in first[1 - high : 8 : 2]
        if unmarked or first.startswith(mark):
            decoder = codecs.getincrementaldecoder(encoding)("replace")
            piece = first
            while piece:
                yield decoder.decode(piece).encode("utf-8", "replace")
                piece = stream.read(_CHUNK_BYTES)
            return
    while first:
        yield first
        first = stream.read(_CHUNK_BYTES)


def _blocks(chunks: Iterable[bytes]) -> Iterator[List[bytes]]:
    """Yield lists of whole lines. A carriage return ends a line too: progress bars use it."""
    rest, first, unended = b"", True, 0
    for chunk in _gathered(chunks):
        data = rest + chunk
        if first and len(data) >= len(codecs.BOM_UTF8):
            first = False
            if data.startswith(codecs.BOM_UTF8):
                data = data[len(codecs.BOM_UTF8) :]
        # A line feed after a carriage return belongs to it, and may come with the next piece.
        end = data.rfind(b"\n") + 1 or data.rfind(b"\r", 0, -1) + 1
        if end:
            yield _lines(data[:end])
            rest, unended = data[end:], 0
        else:  # an unfinished line: only its beginning is kept
            rest, unended = data[:_KEPT_BYTES], unended + len(chunk)
            if unended > _LONGEST_BYTES:
                break
    if rest:
        yield _lines(rest)


def _gathered(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Join small chunks: each costs as much as the unfinished line before it."""
    parts: List[bytes] = []
    size = 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size >= _KEPT_BYTES:
            yield b"".join(parts)
            parts, size = [], 0
    if parts:
        yield b"".join(parts)


def _lines(data: bytes) -> List[bytes]:
    if b"\x1b" in data:
        data = _ESCAPE.sub(b"", data)
    if data.startswith(_JSON):
        data = b"\n".join(map(_from_json, data.split(b"\n")))
    elif data.count(b"\\n") > data.count(b"\n") + 1:  # one is in messages of programs, too
        data = _WRITTEN_END.sub(b"\n", data)
    if b"&lt;" in data or b"&gt;" in data or b"&quot;" in data:
        data = html.unescape(data.decode("utf-8", "replace")).encode("utf-8")
    if any(map(_BEFORE_EACH.match, data[:_BEFORE_ANSWER].split(b"\n", _FIRST_LINES)[:_FIRST_LINES])):
        data = _BEFORE_EACH.sub(b"", data)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines or [b""]  # nothing but escape sequences


def _from_json(line: bytes) -> bytes:
    """Return what a program wrote, of a line that Docker keeps as JSON."""
    try:
        text = json.loads(line.decode("utf-8", "replace"))["log"] if line.startswith(_JSON) else None
    except (ValueError, RecursionError):
        text = None
    return text.rstrip("\n").encode("utf-8", "replace") if isinstance(text, str) else line


class Effort:
    """How much may still be examined, so that a log that is made to be slow takes no longer than others of its size.

    A unit is about 15 ns. Usual logs do not come near the limit; of one that does, the beginning of each part and the end of
    the log are examined.

    Attributes
    ----------
    lines : int
        How many lines were read.
    """

    def __init__(self) -> None:
        self.lines = 0
        self._left: float = _UNITS

    def grant(self, lines: Sequence[bytes]) -> None:
        """Add what lines allow, less what reading them takes."""
        self._left += max(0, _UNITS_PER_BYTE * sum(map(len, lines)) - _UNITS_PER_LINE * len(lines))

    def spend(self, units: int) -> bool:
        """Return whether anything was left to be spent."""
        self._left -= units
        return self._left > 0

    def end(self) -> None:
        """Examine whatever still waits: the end of the log, which is short."""
        self._left = float("inf")


#: For a log of any size: those below a megabyte are examined whole.
_UNITS = 3000000
_UNITS_PER_BYTE = 16
_UNITS_PER_LINE = 80

#: Lines at the end of a log that are examined in any case, and at most so many characters of them.
_LAST_LINES = 400
_LAST_CHARACTERS = 40000


def candidate_lines(
    chunks: Iterable[bytes], known: Sequence[Signature], effort: Optional[Effort] = None
) -> Iterator[Line]:
    """Yield the lines with a literal of a signature, and those after a line of a traceback, which may be the exception.

    Parameters
    ----------
    chunks : iterable of bytes
        The log in chunks, as UTF-8; invalid bytes are replaced.
    known : sequence of Signature
    effort : Effort, optional
        What may be spent; gets the number of lines.
    """
    effort = effort if effort is not None else Effort()
    index = _index(known)
    shapes: Dict[object, int] = {}
    waiting: List[Tuple[int, str]] = []
    before, state = _Before(), _State()
    for lines in _blocks(chunks):
        first, effort.lines = effort.lines + 1, effort.lines + len(lines)
        effort.grant(lines)
        fresh = _fresh(lines, before, shapes, effort)
        texts = b"\n".join([raw for _, raw in fresh]).decode("utf-8", "replace").split("\n")
        waiting += [(first + position, text) for (position, _), text in zip(fresh, texts)]
        yield from _examined(waiting, index, effort, state)
    effort.end()
    yield from _examined(waiting, index, effort, state)


class _Before:
    """What was read before a line: the line above it, and the last one that prints something."""

    line = b""
    question = b""
    broken = b""


class _State:
    """How many of the next lines may be the exception of a traceback."""

    after = 0


def _examined(waiting: List[Tuple[int, str]], index: "_Index", effort: Effort, state: _State) -> Iterator[Line]:
    """Yield the lines with a literal from those that wait. What effort is not left for goes on waiting: the last of it."""
    for position, (number, text) in enumerate(waiting):
        if not effort.spend(100 + 12 * len(text)):
            del waiting[: max(position, len(waiting) - _LAST_LINES)]
            size = 0
            for kept in range(len(waiting) - 1, -1, -1):
                size += len(waiting[kept][1])
                if size > _LAST_CHARACTERS:
                    del waiting[: kept + 1]
                    break
            state.after = 0
            return
        if "\xa0" in text or (_LOGGER in text and "  " in text):
            text = _BLANKS.sub(" ", text)  # pasted from a page, which has other blanks
        if not text.isascii():
            text = text.translate(_TYPOGRAPHIC)
        if "/home/" in text or "Users" in text:
            text = _PLACEHOLDER.sub(r"\1user", text)
        if _DLL in text:
            said = [english for english, local in _WINDOWS if re.search(local, text)]
            text += "".join(" (%s)" % english for english in said[:1])
        owners = index.find(text)
        if owners or state.after:
            yield Line(number, text.strip(), owners, len(text) - len(text.lstrip()))
            state.after = _AFTER_A_FRAME if 'File "' in text else max(0, state.after - 1)
    waiting.clear()


def _fresh(
    lines: Sequence[bytes], before: _Before, shapes: Dict[object, int], effort: Effort
) -> List[Tuple[int, bytes]]:
    """Return the position and the beginning of each line of which few had the same shape."""
    fresh: List[Tuple[int, bytes]] = []
    question, broken = before.question, before.broken
    # Each line pays for what is asked here: the questions that few lines pass come first.
    for position, (above, raw) in enumerate(zip([before.line, *lines], lines)):
        size = len(raw)
        if size < SHORTEST_LITERAL and _says_nothing(above, raw, shapes):
            continue
        calls = _CALL in above
        if calls and _ASKS.search(above):
            question = above
        printed = _whole(broken, above, raw)
        broken = printed[0] if printed else b""
        if size <= _LONG_SHAPE:
            if raw.strip() in _ANSWERS or _QUESTION.search(above + b"\n" + raw[:4]):
                raw = _answered(question, above, raw)
            elif position > 1 and not above.strip() and lines[position - 2].startswith(_HEADING):
                # A form for an issue: a question as heading, a blank line, the answer.
                raw = lines[position - 2][:_LONG_SHAPE] + b": " + raw.strip()
            if question and raw.endswith(b"[]") and _PRINT in question:
                label = raw.strip()[:-2].rstrip()
                if label and label in question:  # "GPUs : []" of print("GPUs :", ...)
                    printed += (question[:_BEFORE_ANSWER] + b" -> []",)
            if raw.startswith(_SHOWN) and (above.startswith(b"Name: ") or b"pip show " in above):
                name = above.partition(b"Name: ")[2] or above.partition(b"pip show ")[2]
                printed += (b"%s==%s" % (name.split(b" ")[0].strip(), raw[len(_SHOWN) :].strip()),)
            shape: object = raw.translate(None, _DIGITS)
        else:
            if size > LONGEST_LINE:
                raw = raw[: 4 * LONGEST_LINE].decode("utf-8", "replace")[:LONGEST_LINE].encode()
            shape = hash(raw.translate(None, _DIGITS))
        seen = shapes.get(shape, 0)
        if seen < _OF_ONE_SHAPE:
            if len(shapes) >= _SHAPES:
                shapes.clear()
            shapes[shape] = seen + 1
            shows = _VERSION.search(above) or (calls and (_PRINT in above or _BACKEND in above))
            if shows and effort.spend(300 + 8 * min(len(above), _BEFORE_ANSWER)):
                printed += _printed(above[:_BEFORE_ANSWER], raw)
            if _SHORT_LIST < len(raw) <= _LONG_SHAPE and _LISTS.search(raw) and effort.spend(500):
                printed += _listed(raw)
            if printed:
                fresh += [(position, item) for item in printed]
            fresh.append((position, raw))
            if raw.startswith(_NOT_IMPORTED):
                fresh += [(position, item) for item in _imported(above, raw)]
    before.line, before.question, before.broken = lines[-1], question, broken
    return fresh


def _says_nothing(above: bytes, raw: bytes, shapes: Mapping[object, int]) -> bool:
    """Return whether a line has no literal, as it is too short, and answers no question above it."""
    if not raw:
        return shapes.get(raw, 0) >= _OF_ONE_SHAPE
    return 0 < len(above) < SHORTEST_LITERAL and raw.strip() not in _ANSWERS and not raw.endswith(b"]")


def _answered(question: bytes, above: bytes, raw: bytes) -> bytes:
    """Return an interpreter's answer with the line that asks for it, as "[]" after list_physical_devices() says nothing alone.

    A framework logs between the two, and a cell prints a version first.

    >>> _answered(b"tf.test.is_gpu_available()", b"I tensorflow/core/cpu.cc:1] AVX", b"False")
    b'tf.test.is_gpu_available() -> False'
    """
    asks = question and (any(part in above for part in _LOGGED) or _RELEASE.match(above))
    return (question if asks else above)[:_BEFORE_ANSWER] + b" -> " + raw.strip()


def _whole(broken: bytes, above: bytes, raw: bytes) -> Tuple[bytes, ...]:
    """Return an error together with the next line, if that goes on with its sentence, or with its last word.

    >>> _whole(b"", b"ERROR    Could not load torch: [WinError 126] No module. Error loading", b"     c10.dll or another")
    (b'ERROR    Could not load torch: [WinError 126] No module. Error loading c10.dll or another',)
    >>> _whole(b"", b"ERROR: cannot import the library na", b"med z")
    (b'ERROR: cannot import the library na med z', b'ERROR: cannot import the library named z')
    >>> _whole(b"", b"ImportError: libcudnn.so.9: cannot open it: No such file or directory", b"Aborted (core dumped)")
    ()
    """
    if not above or not (broken or _SHORTEST_BROKEN <= len(above) <= _LONGEST_BROKEN):
        return ()
    cut = len(above) in _WIDTHS or (broken and len(broken) % len(above) == 0)
    if not (
        broken
        or _ERRORS.search(above)
        or (cut and (len(raw) == len(above) or _LOGGED[0] in above or raw[:1].islower()))
    ):
        return ()
    start, rest = (broken or above).rstrip(), raw[:LONGEST_LINE].strip()
    ends = start[-1:].isalnum() or start.endswith((b",", b"(", b"=")) or (start[-1:] == b"'" and raw[:1].islower())
    goes_on = rest and (cut or (ends and not start.endswith(_COMPLETE))) and len(start) < _BEFORE_ANSWER
    if not goes_on or _BEGINS.match(raw):
        return ()
    if cut or len(raw) == len(above):
        return (start + rest,)
    # "na" and "me": not where another sentence or a prompt (me@host) begins.
    word = start[-1:].isalpha() and re.match(rb"[a-z]+(?![\w@]|$)", raw)
    return (start + b" " + rest, start + rest)[: 2 if word else 1]


def _imported(above: bytes, raw: bytes) -> List[bytes]:
    """Return an import's error with the module that the source line above names, as Python 3.7 and later print it.

    >>> _imported(b"    from numba import cuda, six", b"ImportError: cannot import name 'six'")
    [b"ImportError: cannot import name 'six' from 'numba'"]
    """
    name = _NOT_THERE.match(raw)
    module = _FROM.match(above) if name is not None else None
    if name is None or module is None:
        return []
    return [b"ImportError: cannot import name '%s' from '%s'" % (name.group(1), module.group(1))]


#: One value that `print` writes: a list, or a word.
_VALUE = re.compile(rb"\[[^\]]{0,300}\]|[^\s\[\]]{1,100}")


#: An interpreter's prompt, and what a release's number is asked for with.
_PROMPT = re.compile(rb"\s*(?:>>> |In ?\[\d{0,4}\]: )")
_VERSIONS = (b"__version__", b"version.VERSION", b"version.cuda", b"version.hip", _BACKEND)


#: A list of releases is longer.
_SHORT_LIST = 20

#: What parts the items of a list of releases, an item of it, and those that each have a form for an issue.
_LISTS = re.compile(rb", | [/|] ")
_BETWEEN = re.compile(rb", (?:and )?| [/|] | on (?=[A-Z])")
_ITEM = re.compile(
    rb"(?:[^:]{0,40}: {1,3})?(?:(?:I am |I'm )?(?:on|with|using) )?([A-Za-z][\w-]{1,20})[ =]{1,2}v?(\d[\w.+]{0,20})\.?$"
)
_RELEASED = {b"tensorflow", b"tf", b"pytorch", b"torch", b"keras", b"jax", b"numpy", b"python"}
_SYSTEM = re.compile(rb"(?i)\b(?:windows|ubuntu|debian|fedora|centos|macos|arch linux)\b")
#: Words of what is offered or asked for, where a list says nothing of this machine.
_OFFERED = re.compile(
    rb"(?i)\b(?:requires?|needs?|supports?|supported|tested|expected|compatible|works?|worked|versions? of)\b"
)


def _listed(raw: bytes) -> Tuple[bytes, ...]:
    """Return the items of a line that lists a machine's releases in words, each as a form for an issue has it.

    >>> _listed(b"PyTorch 2.5, Windows 11, RTX 3060")
    (b'PyTorch version: 2.5', b'Windows 11', b'RTX 3060')
    """
    items = _BETWEEN.split(raw.strip())
    found = [_ITEM.match(item) for item in items]
    if not 2 < len(items) < 13 or 2 * sum(map(bool, found)) < len(items) or _OFFERED.search(raw):
        return ()
    if sum(_SYSTEM.search(item) is not None for item in items) > 1:
        return ()
    return tuple(
        b"%s version: %s" % match.groups() if match is not None and match.group(1).lower() in _RELEASED else item
        for item, match in zip(items, found)
    )


def _printed(above: bytes, answer: bytes) -> Tuple[bytes, ...]:
    """Return what was printed of each argument, where one line prints several and the next has as many values.

    >>> _printed(b"$ python -c 'print(tf.__version__, tf.config.list_physical_devices(0))'", b"2.20.0 []")
    (b'tf.__version__ = 2.20.0', b'tf.config.list_physical_devices(0) = []')
    """
    prompt = _PROMPT.match(above)
    if _PRINT in above:
        arguments = _arguments(above[above.rfind(_PRINT) + len(_PRINT) :].decode("latin-1"))
    else:
        arguments = [above[prompt.end() :].rpartition(b";")[2]] if prompt is not None else []
    values = _VALUE.findall(answer) if arguments else []
    if (
        not values
        or len(values) != len(arguments)
        or (len(values) < 2 and not any(item.endswith(_VERSIONS) for item in arguments))
    ):
        return ()
    return tuple(b"%s = %s" % (argument.strip(), value) for argument, value in zip(arguments, values))


def _arguments(text: str) -> List[bytes]:
    """Return the arguments of a call from what follows its parenthesis; none if that is not closed.

    >>> _arguments("a, f(b, c)) # d")
    [b'a', b' f(b, c)']
    """
    arguments, depth = [""], 1
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if not depth:
            return [item.encode("latin-1") for item in arguments]
        if letter == "," and depth == 1:
            arguments.append("")
        else:
            arguments[-1] += letter
    return []


class _Index:
    """Finds the literals of all signatures in a text, in one pass."""

    def __init__(self, known: Sequence[Signature]) -> None:
        self._owners: Dict[str, List[Signature]] = {}
        for item in known:
            for literal in item.literals:
                self._owners.setdefault(literal, []).append(item)
        self._order = {literal: number for number, literal in enumerate(self._owners)}
        # A piece that is rare among the literals is rare in logs: then few lines need a close look.
        counts = Counter(text[start : start + _PIECE] for text in self._owners for start in _starts(text))
        self._literals: Dict[str, List[str]] = {}
        for text in self._owners:
            start = min(_starts(text), key=lambda start: (counts[text[start : start + _PIECE]], start))
            self._literals.setdefault(text[start : start + _PIECE], []).append(text)
        self._pieces = frozenset(self._literals)

    def find(self, text: str) -> Tuple[Signature, ...]:
        """Return the signatures with a literal in a text."""
        # At every position, as pieces overlap.
        pieces = self._pieces.intersection(map("".join, zip(*[text[start:] for start in range(_PIECE)])))
        if not pieces:
            return ()
        there = [literal for piece in pieces for literal in self._literals[piece] if literal in text]
        if len(there) < 2:
            return tuple(self._owners[there[0]]) if there else ()
        there.sort(key=self._order.__getitem__)
        return tuple({owner.id: owner for literal in there for owner in self._owners[literal]}.values())


def _starts(text: str) -> range:
    return range(len(text) - _PIECE + 1)


#: The last index and its signatures: building it costs more than reading a short log.
_LAST: Dict[str, Tuple[Sequence[Signature], _Index]] = {}


def _index(known: Sequence[Signature]) -> _Index:
    last = _LAST.get("index")
    if last is None or last[0] is not known:
        last = _LAST["index"] = (known, _Index(known))
    return last[1]
