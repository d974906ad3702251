"""Explains uncaught exceptions below their traceback."""

import logging
import sys
from types import TracebackType
from typing import Any, Optional, Type

from ..diagnosis.findings import Finding
from .explain import explain_log, traceback_text
from .scrub import printable

#: Codes that are given where no signature knows an error.
_UNEXPLAINED = ("cause-unknown", "user-code-error")


def short_text(finding: Finding) -> str:
    """Return the lines to print below a traceback: cause, first fix and link. ASCII, as stderr may have any encoding."""
    lines = ["", "devicekit [%s] %s" % (finding.code, printable(finding.summary, ascii_only=True))]
    for fix in finding.fix[:1]:
        text = "%s: %s" % (fix.text, fix.command) if fix.command else fix.text
        lines.append("  fix: %s" % printable(text, ascii_only=True))
    lines.append("  more: devicekit explain %s" % finding.code)
    return "\n".join(lines) + "\n"


_previous: Any = None


def _hook(kind: Type[BaseException], error: BaseException, trace: Optional[TracebackType]) -> None:
    (_previous or sys.__excepthook__)(kind, error, trace)
    if issubclass(kind, Exception):
        _print_finding(error)


def _print_finding(error: BaseException) -> None:
    """Print the first finding below a traceback. It must never hide the error that it explains."""
    try:
        found = explain_log(traceback_text(error), source="exception")
        # Of an error that no signature knows, the traceback says more.
        findings = [item for item in found.findings if found.certain or item.code not in _UNEXPLAINED]
        if findings and sys.stderr is not None:
            sys.stderr.write(short_text(findings[0]))
    except Exception as second:
        logging.getLogger("devicekit").debug("an exception could not be explained: %s", second, exc_info=True)


def install_excepthook() -> None:
    """Explain uncaught exceptions below their traceback, in programs and in IPython and Jupyter.

    The previous `sys.excepthook` is still called, first. A second call changes nothing.
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
    """Undo `install_excepthook`. A hook that was installed later stays."""
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
        _print_finding(error)
