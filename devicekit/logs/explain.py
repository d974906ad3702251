"""`explain`: the findings of a log or an exception, alone or together with those of the machine."""

import re
import traceback
from typing import IO, Any, Collection, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ..diagnosis.diagnose import diagnose
from ..diagnosis.findings import Finding
from ..errors import DevicekitError
from ..machine.facts import Machine, check_machine
from .context import Known, known_from_facts, known_from_machine
from .engine import Explanation, read_log
from .lines import chunks_of_stream

#: What may be explained: a text, or what was raised.
Explicable = Union[str, BaseException]


def explain(
    log_or_exception: Explicable, machine: Optional[Machine] = None, *, facts: Optional[Mapping[str, Any]] = None
) -> Tuple[Finding, ...]:
    """Explain a log or an exception: return its findings, the likeliest root cause first.

    Parameters
    ----------
    log_or_exception : str or BaseException
        The text of a log, a traceback or a command's output; or an exception, with its causes and traceback.
    machine : Machine or None
        The machine that it comes from: ``devicekit.detect()`` for this one, or a snapshot. By default nothing is assumed,
        as logs often come from another machine; only if this one has the very file of a package that a traceback ends in, the
        package's metadata are read.
    facts : mapping or None
        Known facts about that machine if there is no snapshot: ``{"os": "windows", "python": "3.11", "packages":
        {"tensorflow": "2.15.0"}, "gpu": "GeForce RTX 3060"}``. Keys: ``os``, ``python``, ``packages``, ``gpu``,
        ``driver``, ``cuda``, ``cudnn``, ``rocm``, ``arch``, ``env``.

    Returns
    -------
    tuple of Finding
        Empty if no line is known. The lines are in ``evidence``, without user names and secrets.

    Raises
    ------
    TypeError
        If it is neither a text nor an exception.
    DevicekitError
        If a fact has a wrong type.
    """
    if isinstance(log_or_exception, BaseException):
        text, source = traceback_text(log_or_exception), "exception"
    elif isinstance(log_or_exception, str):
        text, source = log_or_exception, "log"
    else:
        raise TypeError(
            "explain() takes the text of a log or an exception, not a %s; for a file, pass its content, or use "
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
    """Explain a log, including its harmless lines.

    Parameters
    ----------
    log : str or iterable of bytes or binary file
        A file is read to its end in pieces, in constant memory.
    machine, facts
        See `explain`.
    source : str
        The name of the log in the evidence.
    """
    if not (isinstance(log, str) or hasattr(log, "read") or hasattr(log, "__iter__")):
        raise TypeError(
            "explain_log() takes a text, chunks of bytes, or a file opened in binary mode, not a %s"
            % type(log).__name__
        )
    check_machine(machine)
    if machine is not None and facts is not None:
        raise DevicekitError("pass a machine or facts, not both: a machine has all facts")
    known = known_from_facts(facts) if facts is not None else Known()
    known.here = facts is None and machine is None
    if machine is not None:
        known = known_from_machine(machine)
    if not isinstance(log, str) and hasattr(log, "read"):
        if isinstance(log.read(0), str):  # type: ignore[union-attr,unused-ignore]
            raise TypeError("explain_log() reads bytes: open the file with mode 'rb'")
        log = chunks_of_stream(log)  # type: ignore[arg-type,unused-ignore]
    found = read_log(log, known, source)  # type: ignore[arg-type,unused-ignore]
    if machine is None:
        return found
    findings = merged(found.findings, diagnose(machine).findings, found.certain, known.words)
    return Explanation(findings, found.harmless, found.certain)


def traceback_text(error: BaseException) -> str:
    """Return an exception's traceback as Python prints it."""
    try:
        return "".join(traceback.format_exception(type(error), error, error.__traceback__))
    except Exception as second:  # an exception whose message raises: only its type is left
        return "%s (its text cannot be read: %s)" % (type(error).__name__, type(second).__name__)


def _hidden_by(rule: Finding, item: Finding) -> bool:
    """Whether what hides this machine's GPUs is why the log's program found none."""
    said = " ".join(seen.text for seen in item.evidence)
    found = re.search(r"(?i)cuda_?(?:error_?)?no_?device|no cuda|(no (?:rocm|hip)|hip_?error_?no_?device)", said)
    return found is not None and ("rocm" if found.group(1) else "cuda") in rule.blocks


def merged(
    from_log: Sequence[Finding], from_machine: Sequence[Finding], explained: bool, words: Collection[str]
) -> Tuple[Finding, ...]:
    """Return the findings of a log together with those of the rules for the machine.

    Parameters
    ----------
    from_log, from_machine : sequence of Finding
    explained : bool
        Whether the log names a cause or a clear symptom. If not, the machine's errors come first.
    words : collection of str
        The frameworks and programs that the log names.
    """
    known: Dict[str, Finding] = {item.code: item for item in from_machine}
    both: List[Finding] = []
    alone: List[Finding] = []
    for item in from_log:
        rule = known.get("device-hidden")
        if rule is None or not _hidden_by(rule, item):
            rule = known.get(item.code)
        past = item.code == "driver-unhealthy" and rule is not None and rule.severity == "info"
        if rule is None or past or (item.code == "framework-missing" and not set(rule.blocks) & set(words)):
            alone.append(item)
            continue
        # The rule knows this machine's versions and shell: use its summary and fix, with the log's lines as evidence.
        severity = min(item.severity, rule.severity, key=("error", "warning", "info").index)
        both.append(
            Finding(rule.code, severity, rule.summary, item.evidence + rule.evidence, rule.fix, rule.blocks, rule.url)
        )
    codes = {item.code for item in (*from_log, *both)}
    rest = [item for item in from_machine if item.code not in codes]
    errors = [item for item in rest if item.severity == "error"]
    others = [item for item in rest if item.severity != "error"]
    warnings = [item for item in others if item.severity == "warning"]
    notes = [item for item in others if item.severity == "info"]
    if explained:
        return tuple(both + alone + errors + warnings + notes)
    # The findings of rules are stronger than a weak hint in a log.
    return tuple(both + errors + warnings + alone + notes)
