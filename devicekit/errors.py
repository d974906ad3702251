"""Exceptions and warnings. Each message says what was requested, what was found, and what to do.

Warnings are structured: one class per family, the finding on the warning, once per cause, mirrored to the logger
``devicekit``.
"""

import contextlib
import errno
import sys
import warnings
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple, Type

# Known to type checkers only: this module imports nothing of devicekit.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import devicekit

__all__ = [
    "CompatibilityWarning", "ConfigurationWarning", "DeviceUnavailableError", "DeviceWarning", "DevicekitError",
    "FallbackWarning", "LeaseError", "LeaseTimeoutError", "MachineFileError", "RemedyError", "UnknownFactError",
]  # fmt: skip


def printable(text: str, ascii_only: bool = False, lines: bool = False) -> str:
    r"""Return a text without control characters, and without those that change the writing direction.

    Names come from drivers, files and other programs: an escape sequence in one must not reach the terminal. With ``lines``,
    line feeds stay.

    >>> printable("GPU\x1b[31m")
    'GPU?[31m'
    """
    if not text.isprintable():
        kept = "\n" if lines else ""
        text = "".join(
            item if item.isprintable() or item in kept else " " if item in ("\t", "\xa0") else "?" for item in text
        )
    return text.encode("ascii", "replace").decode("ascii") if ascii_only else text


def first_line(error: BaseException, most: int = 300) -> str:
    """Return an exception's type and the first line of its text, for messages; also of one whose own text raises."""
    lines = text_of(error).strip().splitlines()
    return _after_type(error, lines[0][:most] if lines else "")


def one_line(error: BaseException, most: int = 400) -> str:
    """Return an exception's type and its whole text in one line: frameworks give the cause in a later one, Keras in bold."""
    text = text_of(error).replace("\x1b[1m", "").replace("\x1b[0m", "")
    return _after_type(error, " ".join(text.split())[:most])


def text_of(error: BaseException) -> str:
    """Return an exception's text, "" if asking for it raises."""
    return _text(error) or ""


def _after_type(error: BaseException, text: str) -> str:
    return (type(error).__name__ + (": " + text if text else "")).rstrip(".")


def _text(error: BaseException) -> Optional[str]:
    """Return an exception's text, None if asking for it raises."""
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:  # the class of another program, which may raise anything
        return None


@contextlib.contextmanager
def foreign_code() -> Iterator[None]:
    """Let code of others raise nothing but exceptions that can be caught as such and shown.

    A `SystemExit`, a `GeneratorExit`, a `BaseException` of its own and one whose text raises become an `ImportError` with the
    original as its cause. The user's Ctrl-C passes.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, Exception) and _text(error) is not None:
            raise
        raise ImportError("it raised " + first_line(error)) from error


@contextlib.contextmanager
def lost_if_unheard() -> Iterator[None]:
    """Tell the user something: what streams and log handlers of the program raise is dropped.

    Standard error may be closed, None, or an object that cannot write. Ctrl-C passes, and a warning that the program's filters
    make an error.
    """
    try:
        with foreign_code():
            yield
    except Exception as error:
        if isinstance(error, Warning):
            raise


def is_without_reader(error: BaseException) -> bool:
    """Return whether writing failed since the reader of the pipe has ended: Windows calls that an invalid argument."""
    return isinstance(error, BrokenPipeError) or (
        sys.platform == "win32" and getattr(error, "errno", None) == errno.EINVAL
    )


class DevicekitError(Exception):
    """Base of all exceptions of devicekit."""

    def __str__(self) -> str:
        return printable(super().__str__(), lines=True)


class DeviceUnavailableError(DevicekitError, RuntimeError):
    """The required device cannot be used here.

    Attributes
    ----------
    findings : tuple of Finding
        The findings that a `Selection` would have, the blocking one first.
    """

    def __init__(self, message: str, findings: "Sequence[devicekit.Finding]" = ()) -> None:
        super().__init__(message)
        self.findings: "Tuple[devicekit.Finding, ...]" = tuple(findings)


class LeaseError(DevicekitError):
    """Devices cannot be leased: the folder for the locks is unusable, or a process would wait for itself."""


class LeaseTimeoutError(LeaseError, TimeoutError):
    """No device became free in time. The message names the processes that hold them.

    Attributes
    ----------
    holders : tuple of str
        One line for each holder of a requested device: which devices, which process, and since when.
    """

    def __init__(self, message: str, holders: "Sequence[str]" = ()) -> None:
        super().__init__(message)
        self.holders: "Tuple[str, ...]" = tuple(holders)


class MachineFileError(DevicekitError, ValueError):
    """A machine file cannot be read: not JSON, truncated, too large, of a newer schema, or of the wrong shape."""


class RemedyError(DevicekitError):
    """An environment cannot be fixed or restored: another fix is at work, it cannot be written, there is no installer."""


class UnknownFactError(DevicekitError, LookupError):
    """The value of a fact was read that could not be determined on this machine."""


class DeviceWarning(UserWarning):
    """Base of devicekit's warnings. The text begins with the code: ``filterwarnings("ignore", message="no-gpu")``.

    Attributes
    ----------
    finding : Finding
        The cause.
    """

    def __init__(self, finding: "devicekit.Finding", message: Optional[str] = None) -> None:
        super().__init__(message or _message_of(finding))
        self.finding = finding

    def __str__(self) -> str:
        return printable(super().__str__(), lines=True)

    def to_dict(self) -> Dict[str, Any]:
        """Return the warning as plain data for JSON."""
        return {"category": type(self).__name__, "finding": self.finding.to_dict()}


class FallbackWarning(DeviceWarning):
    """The device in use is not the best one, or not the requested one."""


class CompatibilityWarning(DeviceWarning):
    """Installed components do not go together: the framework does not work, or not as it should."""


class ConfigurationWarning(DeviceWarning):
    """A setting is invalid, or comes too late to be applied."""


def did_you_mean(name: object, names: Iterable[str], end: str = "?") -> str:
    """Return "; did you mean ...?" for a name that is not known, "" if no known one is near, or it is not a string.

    Of a short name two letters in the wrong order are a third: they are near, another letter is not (``npu``, ``gpu``).
    ``end``: "" where the sentence goes on.

    >>> did_you_mean("tensorflw", ("keras", "tensorflow"))
    '; did you mean tensorflow?'
    """
    from difflib import get_close_matches

    if not isinstance(name, str):
        return ""
    known, text = list(names), name[:60].lower().replace("_", "-")
    near = get_close_matches(text, known, 1, 0.75) or [item for item in known if sorted(item) == sorted(text)]
    return "; did you mean %s%s" % (near[0], end) if near else ""


def unknown_name(what: str, name: object, names: Iterable[str]) -> str:
    """Return the message about a name that is not known: the nearest known one, else all of them.

    >>> unknown_name("framework", "tensorflw", ("keras", "tensorflow"))
    "unknown framework 'tensorflw'; did you mean tensorflow?"
    """
    known = list(names)
    return "unknown %s %r%s" % (
        what,
        name[:60] if isinstance(name, str) else name,
        did_you_mean(name, known) or "; accepted are %s" % ", ".join(known),
    )


def listed(values: Any, what: str, of: str) -> List[Any]:
    """Return values in a list; raise ValueError if they are not several, such as one string or number."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise ValueError("%s is a list of %s, not %r" % (what, of, values))
    return list(values)


def check_positive(value: Any, what: str) -> None:
    """Raise ValueError if a value is not a number above 0."""
    try:
        positive = value > 0 and not isinstance(value, bool)
    except TypeError:
        positive = False
    if not positive:
        raise ValueError("%s must be more than 0, not %r" % (what, value))


def _message_of(finding: "devicekit.Finding", requested: str = "") -> str:
    """Return the text of a warning: code, cause, what was requested in vain, and the shortest fix."""
    text = "%s: %s" % (finding.code, finding.summary)
    if requested and repr(requested) not in text:
        text += " '%s' was requested." % requested
    if finding.fix:
        fix = finding.fix[0]
        text += " %s%s" % (fix.text, ": " + fix.command if fix.command else ".")
    return text


#: What was logged, and what was shown: code, summary, and the request that it answers.
_logged: Set[Tuple[str, str, str]] = set()
_shown: Set[Tuple[str, str, str]] = set()


def notify(
    finding: "devicekit.Finding", category: Type[DeviceWarning], quiet: bool = False, requested: str = ""
) -> None:
    """Warn about a finding once per cause, at the caller's line outside of devicekit, and log it.

    Parameters
    ----------
    finding : Finding
    category : type
    quiet : bool
        Whether to log it only. A later call that is not quiet still warns.
    requested : str
        The device that was requested and cannot be had. Each request is answered: the same cause is shown once for each.
    """
    key = (finding.code, finding.summary, requested)
    message = _message_of(finding, requested)
    if key not in _logged:
        _logged.add(key)
        level = finding.severity if finding.severity in ("error", "warning") else "info"
        log(level, "%s", message, extra={"finding": finding.to_dict()})
    if not quiet and key not in _shown:
        level_of_caller = _stack_level()
        warning = category(finding, message)
        ignored = _is_ignored(warning, level_of_caller)
        with lost_if_unheard():
            warnings.warn(warning, stacklevel=level_of_caller)
        if not ignored:
            _shown.update((key, key[:2] + ("",)))


def _is_ignored(warning: DeviceWarning, level: int) -> bool:
    """Whether the program's filters keep a warning back: then a call under other filters still has to warn.

    ``level``: as for `warnings.warn`, as seen from the caller. `warnings` does not say what it did with a warning, and
    `warnings.catch_warnings`, which would, changes the filters of all threads.
    """

    def matches(pattern: Any, text: str) -> bool:
        return pattern is None or (pattern == text if isinstance(pattern, str) else pattern.match(text) is not None)

    try:
        frame: Any = sys._getframe(level)
        module, line = str(frame.f_globals.get("__name__") or "<string>"), frame.f_lineno
    except ValueError:  # no frame is outside of devicekit
        module, line = "sys", 0
    for action, message, category, pattern, number in warnings.filters:
        if (
            isinstance(warning, category)
            and matches(message, str(warning))
            and matches(pattern, module)
            and number in (0, line)
        ):
            return action == "ignore"
    return False


def log(level: str, text: str, *arguments: Any, **options: Any) -> None:
    """Log without control characters, by devicekit's logger, which prints nothing unless the program configures logging."""
    import logging

    logger = logging.getLogger("devicekit")
    if not any(isinstance(handler, logging.NullHandler) for handler in logger.handlers):
        # A library must not print: without this, logging's last resort would write to standard error.
        logger.addHandler(logging.NullHandler())
    with lost_if_unheard():
        getattr(logger, level)("%s", printable(text % arguments, lines=True), **options)


def _stack_level() -> int:
    """Return the stack level, as seen from `notify`, of the first frame outside of devicekit."""
    level = 1
    frame = sys._getframe(1)  # `notify` itself
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "devicekit":
        level += 1
        if frame.f_back is None:
            break
        frame = frame.f_back
    return level


def forget() -> None:
    """Warn again about causes that were already reported (for tests of programs that use devicekit)."""
    _logged.clear()
    _shown.clear()
