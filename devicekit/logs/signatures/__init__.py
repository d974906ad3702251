"""The signatures of log lines: data in ``logs/signatures/*.json``, loaded when the first log is read.

A signature says which line it is about (a literal text that must stand in it, and mostly a pattern), and what that line
says: the cause itself, a symptom of it, a weak hint, something about the machine (context), or nothing (harmless).
"""

import re
from itertools import islice
from typing import Any, Dict, Iterable, List, Mapping, Optional, Pattern, Tuple

from ...matrix.matrix import is_bundled, read_data, read_json

__all__ = ["BY_LIBRARY", "FILES", "SAYS", "Signature", "filled", "library_code", "remedy", "signatures", "unpacked"]

#: The files, each about one area.
FILES = (
    "python", "native", "driver", "cuda", "rocm", "directml", "metal", "xpu", "process", "general", "harmless", "context",
)  # fmt: skip

#: Kinds of evidence, and their weights.
SAYS = {"cause": 3.0, "symptom": 2.0, "hint": 1.0, "guess": 0.5, "context": 0.0, "harmless": 0.0}

#: Instead of a code: the library named in the line decides.
BY_LIBRARY = "by-library"


class Signature:
    """One signature. ``when`` has the exceptions: conditions on known facts, and what changes if they hold."""

    __slots__ = (
        "_compiled", "_pattern", "code", "expects_gpu", "fix", "fix_alone", "id", "literals", "says", "sets", "severity",
        "source", "summary", "weight", "when", "when_of",
    )  # fmt: skip

    def __init__(self, data: Dict[str, Any]) -> None:
        self.id: str = data["id"]
        self.literals: Tuple[str, ...] = tuple(data["literal"])
        self._pattern: Optional[str] = data.get("pattern")
        #: By how much a long line takes longer than one of the same size: the more, the more repeats there are.
        self.weight: int = 2 + (self._pattern or "").count("{")
        self._compiled: Optional[Pattern[str]] = None
        self.says: str = data["says"]
        self.code: Optional[str] = data.get("code")
        self.severity: Optional[str] = data.get("severity")
        self.summary: str = data.get("summary", "")
        self.fix: List[Dict[str, Any]] = data.get("fix", [])
        #: Whether these steps are all; else the computed ones for the code follow.
        self.fix_alone: bool = data.get("fix-alone", False)
        self.when: List[Dict[str, Any]] = data.get("when", [])
        #: The signature whose exceptions follow: another wording of the same symptom.
        self.when_of: str = data.get("when-of", "")
        self.sets: Dict[str, Any] = data.get("sets", {})
        #: Whether the line only matters if a GPU is expected: machines without one print it as well.
        self.expects_gpu: bool = data.get("expects-gpu", False)

    def match(self, line: str) -> Optional[Dict[str, str]]:
        """Return the groups of the pattern if the line matches, otherwise None.

        The caller has checked that the line contains one of the literals.
        """
        if self._pattern is None:
            return {}
        if self._compiled is None:
            self._compiled = re.compile(self._pattern)
        found = self._compiled.search(line)
        if found is None:
            return None
        return {name: self._readable(value) for name, value in found.groupdict().items() if value is not None}

    def _readable(self, value: str) -> str:
        """Return a version that a program prints as one number as people know it."""
        if self.id.startswith(("cudnn-", "torch-cudnn-")):
            return cudnn_version(value)
        return cuda_version(value) if self.id == "torch-driver-too-old" else value


def cudnn_version(text: str) -> str:
    """Return a version of cuDNN as people know it.

    >>> cudnn_version("7004 "), cudnn_version("90100"), cudnn_version("(8, 5, 0)"), cudnn_version("8.9.4")
    ('7.0.4', '9.1.0', '8.5.0', '8.9.4')
    """
    text = text.strip()
    if re.match(r"\(\d+(, \d+)+\)$", text):
        return ".".join(re.findall(r"\d+", text))
    if not re.match(r"\d{4,6}$", text):
        return text
    number, unit = int(text), 1000 if len(text) == 4 else 10000
    return "%d.%d.%d" % (number // unit, number % unit // 100, number % 100)


def cuda_version(text: str) -> str:
    """Return a version of CUDA as people know it.

    >>> cuda_version("11040"), cuda_version("9000")
    ('11.4', '9.0')
    """
    return "%d.%d" % (int(text) // 1000, int(text) % 1000 // 10) if re.match(r"\d{4,5}$", text) else text


class _Groups(Dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "?"


def filled(text: str, groups: Mapping[str, str]) -> str:
    """Fill the groups of a pattern into a text; a group that did not match is a question mark."""
    return text.format_map(_Groups(groups))


_LOADED: Dict[str, Any] = {}


def unpacked(data: Dict[str, Any]) -> Dict[str, List[Dict[str, Any]]]:
    """Return the signatures by their files from the columns that a wheel has (setup.py).

    >>> columns = {"fix": [0, 2], "literal pattern": [["A", ""], ["B", "C", "b"]]}
    >>> unpacked({"files": {"x": 1, "y": 1}, "columns": columns, "when": {}, "fix": {"text": ["Do"]}})
    {'x': [{'literal': ['A']}], 'y': [{'fix': [{'text': 'Do'}], 'literal': ['B', 'C'], 'pattern': 'b'}]}
    """
    rows, when, fixes = (
        [
            {name: item for name, item in zip(columns, row) if item != 0 or item is False}
            for row in zip(*columns.values())
        ]
        for columns in (data["columns"], data["when"], data["fix"])
    )
    for name, parts, those in (("when", when, rows), ("fix", fixes, [*rows, *when])):
        left = iter(parts)
        for row in those:
            if name in row:
                row[name] = list(islice(left, row[name] - 1))
    for row in rows:
        *row["literal"], pattern = row.pop("literal pattern")
        if pattern:
            row["pattern"] = pattern
    files, start = {}, 0
    for name, count in data["files"].items():
        files[name] = rows[start : start + count]
        start += count
    return files


def signatures() -> Tuple[Signature, ...]:
    """Return all signatures, in the order of their files."""
    if "signatures" not in _LOADED:
        folder = "logs/signatures"
        files = unpacked(read_json(folder, "all")) if is_bundled(folder) else None
        rows: Iterable[Dict[str, Any]] = (
            row for name in FILES for row in (files[name] if files else read_json(folder, name)["signatures"])
        )
        loaded = {row["id"]: Signature(row) for row in rows}
        for signature in loaded.values():
            if signature.when_of:
                signature.when = signature.when + loaded[signature.when_of].when
        _LOADED["signatures"] = tuple(loaded.values())
    found: Tuple[Signature, ...] = _LOADED["signatures"]
    return found


def library_code(library: str) -> Optional[str]:
    """Return the code for a native library that cannot be loaded; ``"harmless"`` if nothing depends on it."""
    if "libraries" not in _LOADED:
        rows = read_data("sonames")["rows"]
        _LOADED["libraries"] = [(re.compile(row["pattern"], re.IGNORECASE), row["code"]) for row in rows]
    name = library.replace("\\", "/").rpartition("/")[2]
    for pattern, code in _LOADED["libraries"]:
        if pattern.search(name):
            found: str = code
            return found
    return None


def remedy(code: str) -> Dict[str, Any]:
    """Return the defaults for a code if a signature has none: severity, summary, fixes."""
    if "remedies" not in _LOADED:
        _LOADED["remedies"] = {row["code"]: row for row in read_data("remedies")["rows"]}
    found: Dict[str, Any] = _LOADED["remedies"].get(code, {})
    return found
