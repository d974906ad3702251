"""`explain`: what a log or an exception says, alone or beside what is known of the machine."""

import sys
from types import TracebackType
from typing import IO, Any, Iterable, Mapping, Optional, Tuple, Type, Union

from ..diagnosis.findings import Finding
from ..errors import DevicekitError
from ..machine.facts import Machine
from . import Explanation, read_log

__all__ = ["explain", "explain_log", "install_excepthook", "uninstall_excepthook"]

#: What may be explained: a text, or what was raised.
Explicable = Union[str, BaseException]


def explain(
    log_or_exception: Explicable, machine: Optional[Machine] = None, *, facts: Optional[Mapping[str, Any]] = None
) -> Tuple[Finding, ...]:
    """Return what a log or an exception says, the likeliest root cause first.

    Parameters
    ----------
    log_or_exception : str or BaseException
        The text of a log, of a traceback or of a command's output; or an exception, whose causes and traceback are read too.
    machine : Machine or None
        The machine that it comes from: ``devicekit.detect()`` for this one, or a snapshot. A log is often somebody else's, so
        nothing is assumed.
    facts : mapping or None
        What else is known of that machine, where there is no snapshot: ``{"os": "windows", "python": "3.11", "packages":
        {"tensorflow": "2.15.0"}, "gpu": "GeForce RTX 3060"}``. Keys: ``os``, ``python``, ``packages``, ``gpu``,
        ``driver``, ``cuda``, ``cudnn``, ``rocm``, ``arch``, ``env``.

    Returns
    -------
    tuple of Finding
        Empty where no line is known. The lines are in ``evidence``, without user names and secrets.

    Raises
    ------
    TypeError
        Where it is neither a text nor an exception.
    DevicekitError
        Where the facts are not such.
    """
    if isinstance(log_or_exception, BaseException):
        text, source = _traceback(log_or_exception), "exception"
    elif isinstance(log_or_exception, str):
        text, source = log_or_exception, "log"
    else:
        raise TypeError(
            "explain() takes the text of a log or an exception, not a %s; for a file, pass what it holds, or use "
            "'devicekit explain FILE'" % type(log_or_exception).__name__
        )
    return explain_log(text, machine, facts=facts, source=source).findings


def explain_log(
    log: Union[str, Iterable[bytes], "IO[bytes]"],
    machine: Optional[Machine] = None,
    *,
    facts: Optional[Mapping[str, Any]] = None,
    source: str = "log",
) -> Explanation:
    """Return what a log says, the harmless lines included.

    Parameters
    ----------
    log : str or iterable of bytes or binary file
        A file is read to its end in pieces, in constant memory.
    machine, facts
        See `explain`.
    source : str
        What to call the log in the evidence.
    """
    from .context import known_from_facts, known_from_machine
    from .lines import chunks_of_stream

    if not (isinstance(log, str) or hasattr(log, "read") or hasattr(log, "__iter__")):
        raise TypeError(
            "explain_log() takes a text, pieces of bytes, or a file opened for reading bytes, not a %s"
            % type(log).__name__
        )
    if machine is not None and not isinstance(machine, Machine):
        raise TypeError(
            "machine is a devicekit.Machine (devicekit.detect(), or a snapshot), not a %s" % type(machine).__name__
        )
    if machine is not None and facts is not None:
        raise DevicekitError("pass a machine or facts, not both: a machine holds all of them")
    known = known_from_facts(facts) if facts is not None else None
    if machine is not None:
        known = known_from_machine(machine)
    if not isinstance(log, str) and hasattr(log, "read"):
        if isinstance(log.read(0), str):  # type: ignore[union-attr,unused-ignore]
            raise TypeError("explain_log() reads bytes: open the file with mode 'rb'")
        log = chunks_of_stream(log)  # type: ignore[arg-type,unused-ignore]
    found = read_log(log, known, source)  # type: ignore[arg-type,unused-ignore]
    if machine is None:
        return found
    from ..diagnosis.diagnose import diagnose
    from .snapshot_context import merged

    findings = merged(found.findings, diagnose(machine).findings, found.certain)
    return Explanation(findings, found.harmless, found.certain)


def _traceback(error: BaseException) -> str:
    import traceback

    try:
        return "".join(traceback.format_exception(type(error), error, error.__traceback__))
    except Exception as second:  # an exception whose own text raises: what is left of it is its type
        return "%s (its text cannot be read: %s)" % (type(error).__name__, type(second).__name__)


_previous: Any = None


def _hook(kind: Type[BaseException], error: BaseException, trace: Optional[TracebackType]) -> None:
    (_previous or sys.__excepthook__)(kind, error, trace)
    if issubclass(kind, Exception):
        _tell(error)


def _tell(error: BaseException) -> None:
    """Print the first finding under a traceback. It must never hide the error that it explains."""
    try:
        findings = explain(error)
        if findings and sys.stderr is not None:
            from ..report.explanation import short_text

            sys.stderr.write(short_text(findings[0]))
    except Exception as second:
        import logging

        logging.getLogger("devicekit").debug("an exception could not be explained: %s", second, exc_info=True)


def install_excepthook() -> None:
    """Have uncaught exceptions explained under their traceback, in programs and in IPython and Jupyter.

    What was installed as `sys.excepthook` before is still called, first. A second call changes nothing.
    """
    global _previous
    shell = _ipython()
    if shell is not None:
        callbacks = shell.events.callbacks.get("post_run_cell", ())
        if _after_cell not in callbacks:
            shell.events.register("post_run_cell", _after_cell)
    if sys.excepthook is not _hook:
        _previous = sys.excepthook
        sys.excepthook = _hook


def uninstall_excepthook() -> None:
    """Take back what `install_excepthook` did; where another hook was put over it, that one stays."""
    global _previous
    shell = _ipython()
    if shell is not None and _after_cell in shell.events.callbacks.get("post_run_cell", ()):
        shell.events.unregister("post_run_cell", _after_cell)
    if sys.excepthook is _hook:
        sys.excepthook = _previous or sys.__excepthook__
        _previous = None


def _ipython() -> Any:
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None else None


def _after_cell(result: Any) -> None:
    error = getattr(result, "error_in_exec", None)
    if isinstance(error, Exception):
        _tell(error)
