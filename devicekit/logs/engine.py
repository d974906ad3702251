"""From a log to findings: matches lines with signatures, collects context, and weighs the matches."""

import re
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from ..diagnosis.findings import Finding
from ..records import Record
from .causes import Match, weigh
from .context import WORDS, Known
from .failures import Failures
from .fixes.wheels import learn_offer
from .lines import Effort, Line, candidate_lines, chunks_of_text
from .scrub import scrub
from .signatures import SAYS, Signature, filled, library_code, signatures

#: Maximum number of lines for one signature.
_OF_ONE_SIGNATURE = 6

#: The signature of lines that a running program prints.
_RUNS = "ctx-program-runs"

#: That of what is optional and absent, which logs the traceback of its import as well.
_ABSENT = "torch-optional-package-missing"

#: Maximum number of harmless lines that are reported.
_HARMLESS = 50

#: What TensorFlow prints before a line; XLA in JAX's library does the same, with another path.
_DATED = re.compile(rb"\b(20[12]\d-[01]\d)-\d\d [\d:.]{15}: [iwef] (?!external/)\S{0,60}\btensorflow[/\\]")

#: How many bytes of a log are searched for names of frameworks and programs.
_NAMED_BYTES = 1 << 21


class HarmlessLine(Record):
    """A line that looks alarming but is harmless.

    Attributes
    ----------
    line : str
        As in the log.
    number : int
        Its number, from 1.
    because : str
        Why it is harmless.
    """

    line: str
    number: int
    because: str


class Explanation(Record):
    """The findings and the harmless lines of a log.

    Attributes
    ----------
    findings : tuple of Finding
        The likeliest root cause first; each with the lines that showed it.
    harmless : tuple of HarmlessLine
        Lines that look alarming but are harmless.
    certain : bool
        Whether a line names a cause or a clear symptom; false if there is nothing, or only a weak hint.
    """

    _json = ("findings", "harmless")

    findings: Tuple[Finding, ...] = ()
    harmless: Tuple[HarmlessLine, ...] = ()
    certain: bool = False


def read_log(log: "str | Iterable[bytes]", known: Optional[Known] = None, source: str = "log") -> Explanation:
    """Return the findings and the harmless lines of a log.

    Parameters
    ----------
    log : str or iterable of bytes
        The text, or its chunks, which are never held together.
    known : Known, optional
        Known facts about the machine that wrote it.
    source : str
        The name of the log in the evidence.
    """
    known = known if known is not None else Known()
    effort = Effort()
    reading = _Reading(known, effort)
    chunks = chunks_of_text(log) if isinstance(log, str) else log
    for line in candidate_lines(_named(chunks, known), signatures(), effort):
        reading.read(line)
    if "wddm" in known.words and "linux-path" not in known.words:
        known.learn({"os": "windows"}, {})  # only there nvidia-smi prints it
    if (
        known.system == "linux"
        and not known.system_stated
        and any(match.signature.id.startswith("dml-") and match.signature.says != "hint" for match in reading.matches)
    ):
        known.learn({"wsl": True}, {})  # the only Linux with DirectML
    for offer in [match.groups for match in reading.matches if match.signature.id == "pip-from-versions-some"]:
        if learn_offer(known, offer["requirement"], offer["found"]):
            reading.counts["pip-too-old"] = 1
        offer["found"] = re.sub(r",.*,", " to", offer["found"].strip())
    failure = reading.failures.first(effort.lines)
    known.frames = [frame.path for frame in reading.failures.frames_of(failure)]
    findings, weight = weigh(reading.matches, known, reading.counts, source, bool(reading.harmless), failure)
    return Explanation(tuple(findings), tuple(reading.harmless), weight >= SAYS["symptom"])


class _Reading:
    """What the lines read so far say."""

    def __init__(self, known: Known, effort: Effort) -> None:
        self.known = known
        self.matches: List[Match] = []
        self._positions: Dict[str, List[int]] = {}  # in the matches, by signature
        self.harmless: List[HarmlessLine] = []
        self.counts: Dict[str, int] = {}
        self.failures = Failures()
        self._effort = effort

    def read(self, line: Line) -> None:
        """Compare a line with its signatures."""
        length = len(line.text)
        found = []
        for signature in line.signatures:
            groups = signature.match(line.text)
            if groups is not None:
                found.append((signature, groups))
        # Patterns with many repeats take time with the square of the length.
        weights = sum(signature.weight for signature in line.signatures)
        self._effort.spend(300 + len(line.signatures) * (60 + length) + weights * length * (length // 100))
        overruled = _overruled(found) if found else ()
        for signature, groups in found:
            self._add(line, signature, groups, signature.id in overruled)
        runs = any(signature.id == _RUNS for signature, _ in found)
        self.failures.note(line, runs, any(signature.id == _ABSENT for signature, _ in found))

    def _add(self, line: Line, signature: Signature, groups: Dict[str, str], overruled: bool) -> None:
        # Every line may add context; of a finding's lines, the first few are enough.
        self.known.learn(signature.sets, groups)
        counts = self.counts
        if signature.says == "context":
            counts[signature.id] = 1
            return
        key = "%s %s" % (signature.id, groups.get("library", ""))
        counts[key] = counts.get(key, 0) + 1
        if counts[key] > _OF_ONE_SIGNATURE:
            return
        counts[signature.id] = counts.get(signature.id, 0) + 1
        if counts[signature.id] > 8 * _OF_ONE_SIGNATURE:
            return
        self._effort.spend(4000)  # to scrub and to weigh it
        if signature.says == "harmless" or overruled:
            reported = bool(self.harmless) and self.harmless[-1].number == line.number  # one reason per line is enough
            if counts[key] == 1 and len(self.harmless) < _HARMLESS and signature.says == "harmless" and not reported:
                because = scrub(filled(signature.summary, groups))
                self.harmless.append(HarmlessLine(scrub(line.text), line.number, because))
            return
        match = Match(signature, groups, line.number, scrub(line.text))
        positions = self._positions.setdefault(signature.id, [])
        for position in positions:
            begun, number = self.matches[position].line, self.matches[position].number
            if match.line.startswith(begun + " ") or (match.line.startswith(begun) and match.number == number + 1):
                # The line that a terminal has broken, with what is below it: of use if that says more.
                if self.matches[position].groups != groups:
                    self.matches[position] = match
                return
        positions.append(len(self.matches))
        self.matches.append(match)


def _named(chunks: Iterable[bytes], known: Known) -> Iterator[bytes]:
    """Pass the chunks on, and note which frameworks and programs the beginning of the log names."""
    seen = 0
    for chunk in chunks:
        if seen < _NAMED_BYTES:
            text = chunk.lower()
            known.words.update(noted for word, noted in WORDS.items() if word.encode() in text)
            if not known.dated:
                known.dated = b"".join(_DATED.findall(text)[:1]).decode()
            seen += len(chunk)
        yield chunk


def _overruled(found: Sequence[Tuple[Signature, Dict[str, str]]]) -> Tuple[str, ...]:
    """Return the signatures that a harmless one on the same line overrules.

    A line that names a library nothing depends on is harmless, whatever else says that a library is missing.
    """
    if any(signature.says == "harmless" for signature, _ in found):
        return tuple(signature.id for signature, _ in found if signature.says in ("symptom", "hint", "guess"))
    named = [(signature, groups["library"]) for signature, groups in found if "library" in groups]
    return tuple(signature.id for signature, library in named if library_code(library) == "harmless")
