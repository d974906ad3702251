"""How a program failed, for what no signature knows: the first exception or failed command of a log, and whose code it is."""

import re
from collections import deque
from typing import Deque, List, NamedTuple, Optional, Sequence, Tuple

from ..diagnosis.findings import Evidence
from .deduction import Claim
from .lines import Line
from .scrub import scrub
from .signatures import SAYS

#: Import packages whose import makes a framework usable.
_FRAMEWORKS = {
    "tensorflow": "TensorFlow", "tensorflow_core": "TensorFlow", "keras": "Keras", "tf_keras": "Keras", "jax": "JAX",
    "jaxlib": "JAX", "torch": "PyTorch", "onnxruntime": "ONNX Runtime",
}  # fmt: skip

#: What is installed next to a framework and has native code, or follows its releases.
_ADD_ONS = {
    "PyTorch": (
        "torchvision", "torchaudio", "torchtext", "triton", "xformers", "flash_attn", "bitsandbytes", "deepspeed", "apex",
        "vllm", "sglang", "transformers", "accelerate", "diffusers", "peft", "trl", "lightning", "pytorch_lightning", "timm",
        "torch_scatter", "torch_sparse", "torch_geometric", "detectron2", "mmcv", "intel_extension_for_pytorch",
        "torch_directml", "ultralytics", "unsloth",
    ),
    "TensorFlow": (
        "tensorflow_text", "tensorflow_addons", "tensorflow_hub", "tensorflow_io", "tensorflow_probability",
        "tensorflow_datasets", "tensorflow_decision_forests", "object_detection", "tf_slim", "tfx", "tf_agents",
        "tensorflow_estimator", "tensorboard", "keras_cv", "keras_hub", "keras_nlp", "keras_tuner",
    ),
    "JAX": ("flax", "optax", "chex", "orbax", "haiku", "equinox", "numpyro", "brax"),
}  # fmt: skip

#: Exceptions that mean an error of the code that raises them, where that is the program's own.
_OWN = frozenset(
    (
        "ValueError", "TypeError", "KeyError", "IndexError", "NameError", "UnboundLocalError", "AttributeError",
        "ZeroDivisionError", "AssertionError", "FileNotFoundError", "IsADirectoryError", "NotADirectoryError",
        "SyntaxError", "IndentationError", "TabError", "StopIteration", "JSONDecodeError", "UnicodeDecodeError",
        "RecursionError", "OverflowError", "EOFError", "NotImplementedError",
    )
)  # fmt: skip

#: How a program ends that was told to.
_ASKED = frozenset(("KeyboardInterrupt", "SystemExit", "GeneratorExit"))

#: What a launcher, a container or a logger prints before the program's own text.
_PREFIX = re.compile(
    r"^(?:\([\w.:-]{1,60} (?:pid|ip)=[^)]{1,60}\) ?|\[(?:rank ?)?\d{1,5}\]: ?|[\w.-]{1,40} {0,20}\| ?"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\w.,:+-]{0,16} (?:(?:ERROR|CRITICAL|stderr F) )?"
    r"|(?:ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d \[[\w./-]{1,60}:\d{1,6}\] ?){1,2}"
)
_BEGIN = "Traceback (most recent call last)"
_FRAMES = (
    re.compile(r'^\s{0,12}File "(?P<path>[^"]{1,400})", line \d{1,7}(?:, in (?P<function>[^\s(]{1,120}))?'),
    re.compile(r"^File (?P<path>\S{1,400}?\.pyx?):\d{1,7}(?:, in (?P<function>[^\s(]{1,120}))?"),
    re.compile(r"^\[?(?P<path>[~/A-Za-z]\S{0,400}?\.pyx?)(?:\]\(\S{1,100}\))? in (?P<function>[^\s(]{1,120})(?:\(|$)"),
)
_RAISED = re.compile(
    r"^(?:E\s{1,8})?(?P<name>(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,60}(?:Error|Exception|Interrupt|Exit|Failure|Iteration))"
    r"(?: \(see above for traceback\))?(?:: (?P<message>.{0,1000}))?$"
)
_COMMAND = re.compile(
    r"^\s{0,8}(?:error: subprocess-exited-with-error|error: metadata-generation-failed"
    r"|ERROR: Failed (?:building wheel for|to build installable wheels)|ERROR: Could not build wheels for"
    r"|error: command .{1,300} failed|make(?:\[\d\])?: \*\*\* |CMake Error|ninja: build stopped"
    r"|[\w./\\-]{1,200}:\d{1,6}:\d{0,6}:? (?:fatal )?error: "
    r"|[\w./\\:() -]{1,200}: (?:fatal )?error [A-Z]{1,4}\d{1,5}: |collect2: error: |nvcc fatal)"
    r"|^thread '.{1,80}' panicked at|^\*\*\* Received signal \d|^panic: "
    r"|^Unhandled exception\b|^# A fatal error has been detected by the Java"
)
_LAST = re.compile(
    r"^(?:[\w./\\-]{1,40}: )?(?:ERROR|Error|error|FATAL|Fatal|fatal|CRITICAL)(?: \w{1,20})?: \S|^E: \w"
    r"|^(?:\S{1,40} ){0,3}\[(?:TRT\] \[E|E|ERROR)\] .|\blevel=(?i:error|fatal) "
    r"|returned non-zero exit status [1-9]|(?i:exited with(?: exit)? code|finished with exit code|exit status) -?[1-9]"
)

#: pip's heading of the output of a build that failed, which has the error.
_BUILD = re.compile(
    "subprocess-exited-with-error|metadata-generation-failed|[Ff]ailed (?:building|to build)|not build wheels"
)

#: The error in that output, if a tool only says it.
_IN_BUILD = re.compile(r"^[\s\u2502|]{0,12}(?:error|ERROR|Error|fatal error): \S")

#: An exception after this is reported by the interpreter and changes nothing; one after the others was caught by a logger.
_IGNORED = ("Exception ignored in", "Error in atexit._run_exitfuncs", "--- Logging error ---")

#: Ends an error of transformers, which has the one that caused it in its next line.
_BELOW = "because of the following error (look up to see its traceback):"

#: Source that an earlier Python had, or none: a print, an ``async`` that is a name, what a merge or a web page has left.
_EARLIER = re.compile(
    r"\s*(?:print|exec) [^(=]|\s*(?:except [\w.]+|raise [\w.]+), |\s*<|.*(?:<>|`|\b(?:async|await)\s*[=,).]|\b0\d|\bur['\"])"
)

#: An error of a launcher that only quotes what the command it ran has printed, which has the error.
_QUOTES = re.compile(r"Error running command\b|Couldn't (?:install|determine|checkout|fetch) |NVCC returned an error\b")

#: What Python prints between two exceptions, of which the second was raised while the first was handled.
_CHAINED = ("The above exception was the direct cause", "During handling of the above exception")
_PACKAGE = re.compile(r"(?:site|dist)-packages[\\/](?P<package>[A-Za-z_][\w.-]{0,80}?)(?:\.py)?(?=[\\/]|$)")
_LIBRARY = re.compile(
    r"[\\/]lib(?:64)?[\\/]python\d|[\\/]Lib[\\/](?!site-packages)|^<(?:frozen |string>|pip-)|[\\/]setup\.py$"
    r"|[\\/]pip-[a-z]+-[^\\/]+[\\/]|\.framework[\\/]|[\\/]python\d\.\d+[\\/]\w+\.py$"
)

#: More lines than this after an error mean that the program went on.
_WENT_ON = 150

#: Maximum number of failures that are kept.
_ENOUGH = 100

#: The signatures of lines that tell a failure even outside of a traceback.
_FAILS = ("trace-line", "failed-command-line")

#: Lines that are kept: those after an error, and its traceback.
_KEPT_LINES = 1000

#: An error that is only said, without a traceback, counts among a log's last lines.
_AT_THE_END = 5


class Frame(NamedTuple):
    """A line of a traceback."""

    path: str
    function: str

    @property
    def package(self) -> str:
        """The installed import package that the file belongs to; "" if it is the program's own, or Python's."""
        found = _PACKAGE.search(self.path)
        return found.group("package") if found is not None else ""

    @property
    def folder(self) -> str:
        """The path up to the file's name."""
        return self.path[: max(self.path.rfind("/"), self.path.rfind("\\")) + 1]

    @property
    def own(self) -> bool:
        """Whether it is a file of the program itself."""
        return not self.package and not _LIBRARY.search(self.path)


class Failure(NamedTuple):
    """An exception that was printed, or a command that failed."""

    name: str
    message: str
    number: int
    line: str
    frames: Sequence[Frame] = ()
    #: Whether pip or uv built a package.
    build: bool = False
    #: The line of code below the last frame.
    source: str = ""

    @property
    def text(self) -> str:
        """The exception as Python prints it, or the line."""
        name = self.name.rpartition(".")[2]
        return "%s: %s" % (name, self.message) if name and self.message else name or self.message

    @property
    def framework(self) -> str:
        """The framework whose own import was under way; "" if none was."""
        for frame in self.frames:
            if frame.function == "<module>" and re.search(r"[\\/]__init__\.pyc?$", frame.path):
                if frame.package in _FRAMEWORKS and re.search(r"packages[\\/]\w+[\\/]__init__", frame.path):
                    return _FRAMEWORKS[frame.package]
        return ""

    @property
    def of_the_program(self) -> bool:
        """Whether the program's own code raised it, as far as the traceback shows."""
        return bool(self.frames) and self.frames[-1].own and self.name.rpartition(".")[2] in _OWN

    @property
    def of_a_later_python(self) -> str:
        """The installed package with source that this Python cannot read, and no earlier one; "" if nothing shows that."""
        if self.name != "SyntaxError" or not self.frames or not self.source or _EARLIER.match(self.source):
            return ""
        unread = re.match(r"invalid syntax|f-string|future feature|expected '\('", self.message)
        return self.frames[-1].package if unread else ""

    @property
    def mixed(self) -> str:
        """The package whose own files import from each other what is not there: they are of several releases."""
        last = self.frames[-1] if self.frames else None
        found = re.match(r"cannot import name '?(?!_C)\w+'?(?: from '(\w+)[^']*'(?: \(\S+\))?)?$", self.message)
        if last is None or last.function != "<module>" or self.name != "ImportError" or found is None:
            return ""
        return last.package if found.group(1) in (None, last.package) else ""

    @property
    def apart(self) -> str:
        """The package that calls what another release has, deep below the program's own code; "" if nothing shows that."""
        last, caller = ("", "", *(frame.package for frame in self.frames))[-1:-3:-1]
        pattern = r"(?!.*\bforward\(\)).*unexpected keyword argument|(?!'NoneType)'[A-Z]\w+' object has no attribute"
        fits = caller and (
            self.name == "NameError"
            or (self.name in ("TypeError", "AttributeError") and re.match(pattern, self.message))
        )
        if last in _ADD_ONS["TensorFlow"] and self.name.endswith(("ImportError", "NotFoundError", "AttributeError")):
            fits = fits or re.search(r"(?:from|module|named) '?tensorflow(?:_core)?\b", self.message)
        return last if fits and last not in _FRAMEWORKS else ""

    @property
    def hides(self) -> str:
        """The file next to the program that a library's module imported in place of the module of that name; "" if none."""
        for frame, imported in zip(self.frames, self.frames[1:]):
            both = frame.function == imported.function == "<module>"
            name = imported.path[len(imported.folder) :]
            # Before Python 3.9 the script itself has no folder.
            adjacent = imported.folder == self.frames[0].folder or name == self.frames[0].path
            if both and not frame.own and imported.own and adjacent:
                return name
        return ""

    def is_begun_of(self, later: "Failure") -> bool:
        """Whether the later one is this with the lines into which a terminal has broken it."""
        return bool(self.message) and later.text.startswith(self.text + " ") and later.number - self.number < 5

    def passed_on_by(self, later: "Failure") -> bool:
        """Whether the program's own code raises this again: an index that a library does not find (KeyError)."""
        same = self.name.rpartition(".")[2] == later.name.rpartition(".")[2]
        return same and not self.framework and later.of_the_program


class Failures:
    """Collects the failures of a log from its lines, in order.

    Only those near its end count: the lines are kept until then, and of a long log the last ones.
    """

    def __init__(self) -> None:
        self.found: List[Failure] = []
        self._lines: Deque[Tuple[Line, bool, bool]] = deque(maxlen=_KEPT_LINES)
        self._said: Optional[Failure] = None
        self._frames: List[Frame] = []
        self._source = ""
        self._open: Optional[Failure] = None
        self._ignored = False
        self._chained = False
        self._progress = self._indent = 0
        self._calm = -9
        #: The line below a frame, where a page has taken the blanks before both: it is the source, and no error.
        self._flat = 0

    def note(self, line: Line, runs: bool, harmless: bool) -> None:
        """Note a line.

        ``runs``: it shows a running program. ``harmless``: the traceback right after it belongs to it, and is harmless.
        """
        self._lines.append((line, runs, harmless))

    def _read_all(self) -> None:
        for line, runs, harmless in self._lines:
            last = self.found[-1] if self.found else None
            if last is not None and last.number == line.number - 1 and last.message.endswith(_BELOW):
                self.found[-1] = last._replace(message=line.text[:400])
            elif self._frames or not line.signatures or any(item.id in _FAILS for item in line.signatures):
                self._read(line.number, line.text, line.indent)
            if runs:
                self._progress = line.number
            if harmless:
                self._calm = line.number
        self._lines.clear()

    def _read(self, number: int, text: str, indent: int) -> None:
        """Read a line: of a traceback, after one, or with an error."""
        plain = _PREFIX.sub("", text)
        if _BEGIN in plain:
            self._ignored = self._ignored or number - self._calm <= 2
            self._frames, self._indent = [], indent  # pip and uv print those of a build further to the right
            return
        if plain.startswith(_IGNORED):
            self._ignored = True
            return
        if plain.startswith(_CHAINED):
            self._chained = True
            return
        frame = _frame(plain) if "File " in plain or ".py" in plain else None
        if frame is not None:
            if len(self._frames) > 200:  # a recursion: the first and the last ones are enough
                del self._frames[100:101]
            self._frames.append(frame)
            self._open = Failure("", "", number, text)
            self._flat = number + 1 if indent <= self._indent else 0
            self._source = ""
            return
        indented = indent > self._indent
        if not self._source and (indented or number == self._flat):
            self._source = plain
        raised = None if indented else _RAISED.match(plain)
        if raised is not None:
            message, frames = raised.group("message") or "", tuple(self._frames)
            self._add(Failure(raised.group("name"), message, number, text, frames, source=self._source))
        elif self._frames and plain and not indented and number != self._flat and plain[0] not in " \t^|-~":
            self._add(Failure("", plain[:400], number, text, tuple(self._frames)))
        elif len(self.found) < _ENOUGH and (_COMMAND.match(plain) or (self._building and _IN_BUILD.match(plain))):
            self._add(Failure("", plain.strip(" \u2502|")[:400], number, text, (), _BUILD.search(plain) is not None))
        elif _LAST.search(plain):
            self._said = Failure("", plain.strip()[:400], number, text)

    @property
    def _building(self) -> bool:
        """Whether the last failure is only the heading of what a build printed."""
        return bool(self.found) and _BUILD.search(self.found[-1].message) is not None

    def _add(self, failure: Failure) -> None:
        asked = failure.name.rpartition(".")[2] in _ASKED
        if not self._ignored and not asked:
            if self._chained and self.found and self.found[-1].passed_on_by(failure):
                self.found.pop()
            elif self.found and self.found[-1].is_begun_of(failure):
                failure = failure._replace(frames=self.found.pop().frames)
            elif self._building and failure.number - self.found[-1].number < _WENT_ON:
                self.found.pop()
                failure = failure._replace(build=True)
            elif self.found and _QUOTES.match(self.found[-1].message):
                self.found.pop()
            if len(self.found) >= _ENOUGH:  # the last ones are those that may have ended the program
                del self.found[_ENOUGH // 2]
            self.found.append(failure)
        self._frames, self._ignored, self._chained = [], False, False

    def first(self, lines: int) -> Optional[Failure]:
        """Return the first failure that the program did not survive, None if there is none.

        ``lines``: how many the log has.
        """
        self._read_all()
        for failure in self.found:
            if self._progress < failure.number and lines - failure.number <= _WENT_ON:
                return failure
        if not self.found and self._said is not None and lines - self._said.number < _AT_THE_END:
            return self._said
        if not self.found and self._open is not None and self._frames and not self._ignored:
            return self._open._replace(frames=tuple(self._frames))
        return None

    def frames_of(self, failure: Optional[Failure]) -> Sequence[Frame]:
        """Return the traceback of a failure; of one that is only quoted, that of the next one."""
        return next((item.frames for item in [failure, *self.found] if item is not None and item.frames), ())


def _frame(text: str) -> Optional[Frame]:
    for pattern in _FRAMES:
        found = pattern.match(text)
        if found is not None:
            # A page takes "<module>" for one of its own tags.
            return Frame(found.group("path"), found.group("function") or "<module>" * text.endswith(", in"))
    return None


def claim_of(failure: Failure, source: str, sdist: str = "") -> Claim:
    """Return what a failure that no signature knows stands for: a broken framework, an error of the program, or unknown.

    ``sdist``: the package that pip built last, with its version.
    """
    framework, text = failure.framework, scrub(failure.text)[:240].rstrip(".")
    hides, mixed, apart, later = failure.hides, failure.mixed, failure.apart, failure.of_a_later_python
    weight = SAYS["guess"]
    if hides:
        code, severity, weight = "module-shadowed", "error", SAYS["cause"]
        summary = "A library imports the program's own file %s in place of the module of that name." % hides
    elif mixed:
        code, severity, weight = "install-corrupt", "error", SAYS["symptom"]
        summary = "The own files of %s do not fit together, as if of several releases: %s." % (mixed, text)
    elif not text:
        code, severity = "cause-unknown", "error"
        where = _raised_in(failure).replace("raised in", "in")
        summary = "The log has a traceback%s without its last line, which names the error." % where
    elif later:
        code, severity = "python-unsupported", "error"
        summary = "%s is written for a later Python: %s." % (later, text)
    elif apart:
        code, severity = "dependency-incompatible", "error"
        what = "%s and what it calls are of releases that do not fit together: %s."
        if failure.name == "NameError":
            what = "%s uses a name that it never imported: what it is from is not installed, or the release has a fault: %s."
        summary = what % (apart, text)
    elif framework:
        code, severity = "framework-broken", "error"
        summary = "Importing %s fails: %s." % (framework, text)
    elif failure.build and sdist:
        code, severity = "dependency-incompatible", "error"
        summary = "pip has no wheel of %s for this Python and system, and cannot build it: %s." % (sdist, text)
    elif failure.of_the_program:
        code, severity = "user-code-error", "info"
        summary = "The program's own code raises an error: %s (%s)." % (text, scrub(_place(failure.frames[-1])))
    else:
        code, severity = "cause-unknown", "error"
        # One that is only said is the last of its kind.
        which = "first" if failure.name or failure.frames or _COMMAND.match(failure.text) else "last"
        summary = "The %s error is: %s%s. What caused it is not known." % (which, text, _raised_in(failure))
    return Claim(
        code=code, weight=weight, severity=severity, summary=summary, number=failure.number,
        groups={"path": hides, "module": mixed, "apart": apart, "sdist": sdist, "later_python": later},
        evidence=(Evidence(scrub(failure.line)[:500], "%s, line %d" % (source, failure.number)),),
        line=scrub(failure.line)[:500],
    )  # fmt: skip


def _place(frame: Frame) -> str:
    return re.split(r"[\\/]", frame.path)[-1]


def _raised_in(failure: Failure) -> str:
    """Return where it was raised, as the end of a sentence: the library of the innermost installed file."""
    package = next((frame.package for frame in reversed(failure.frames) if frame.package), "")
    if not package and "." in failure.name and not failure.of_the_program:
        package = failure.name.partition(".")[0]  # cupy.cuda.compiler.CompileException
    if package in _FRAMEWORKS:
        title = _FRAMEWORKS[package]
    else:
        title = package
        for framework, names in _ADD_ONS.items():
            if package in names:
                title = "%s, which builds on %s" % (package, framework)
    if not title:
        return ""
    return " (raised in %s)" % title
