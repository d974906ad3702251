"""`explain`: the root causes in a log or an exception, with or without the facts of the machine it comes from."""

from typing import IO, Any, Iterable, Mapping, Optional, Tuple, Union

from ..diagnosis.findings import Finding
from ..errors import DevicekitError
from ..machine.facts import Machine
from . import Explanation, read_log

__all__ = ["explain", "explain_log"]

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
