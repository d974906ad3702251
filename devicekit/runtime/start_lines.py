"""Holds back what a framework prints at its start that calls for nothing; the messages are in ``start_lines.json``.

An error, or a line that is not known word for word, is never held back.
"""

import json
import os
import pkgutil
import sys
from typing import Any, Dict, Iterable, List, Optional, Set

from ..children.progress import is_watched
from ..children.stderr_filter import StderrFilter
from ..errors import log
from ..selection.plan import Plan
from .settings import read_settings

#: How TensorFlow and XLA begin a line, before and after they log by absl. Folders are in the older form only.
_PREFIX = (
    r"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}: %(level)s [\w./-]*?|%(level)s\d{4} \d\d:\d\d:\d+\.\d+ +\d+ )"
    r"\b%(file)s:\d+\] "
)

#: Variables by which users say what TensorFlow prints.
_CHOSEN = ("TF_CPP_MIN_LOG_LEVEL", "TF_CPP_MAX_VLOG_LEVEL", "TF_CPP_MIN_VLOG_LEVEL", "TF_CPP_VMODULE")


def held_back(plan: Plan, quiet: Optional[bool]) -> StderrFilter:
    """Return a context manager for the start of a plan's framework.

    Parameters
    ----------
    plan : Plan
    quiet : bool or None
        See `devicekit.auto`.
    """
    wanted = is_watched(sys.stderr) if quiet is None else quiet
    if not wanted or read_settings().in_trial or any(name in os.environ for name in _CHOSEN):
        return StderrFilter(())
    if plan.framework != "tensorflow":  # the others print nothing, nor does TensorFlow 1.15 before its first session
        return StderrFilter(())
    return StderrFilter(known_forms({finding.code for finding in plan.findings}))


def log_held(lines: Iterable[str]) -> None:
    """Log what was held back, for those who look for it."""
    for line in lines:
        log("debug", "held back: %s", line)


def known_forms(codes: Set[str]) -> List[List[str]]:
    """Return the messages that are harmless on a machine with these findings, in the form that `StderrFilter` takes."""
    data = pkgutil.get_data("devicekit", "runtime/start_lines.json")
    assert data is not None
    rows = json.loads(data.decode("utf-8"))["rows"]
    return [
        [row["has"], _first_line(row), *row.get("then", ())]
        for row in rows
        if row.get("if") is None or row["if"] in codes
    ]


def _first_line(row: Dict[str, Any]) -> str:
    text: str = row["text"]
    return _PREFIX % row + text if "file" in row else text
