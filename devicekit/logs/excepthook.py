"""Explains uncaught exceptions below their traceback."""

import sys
import threading
from types import TracebackType
from typing import Any, Optional, Type

from ..diagnosis.findings import Finding
from ..errors import first_line, log, printable
from .explain import explain_log, traceback_text

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


class _Hook:
    """Calls the hooks that were there, then explains, as long as it is the one that is installed.

    A later hook may call this one for as long as the process runs, so that it cannot be taken out of its place: what was
    uninstalled or replaced only passes on.
    """

    def __init__(self) -> None:
        self.previous: Any = getattr(sys, "excepthook", None) or sys.__excepthook__
        # Before Python 3.8 threads print their tracebacks themselves.
        self.previous_of_threads: Any = getattr(threading, "excepthook", None)

    def __call__(self, kind: Type[BaseException], error: BaseException, trace: Optional[TracebackType]) -> None:
        self.previous(kind, error, trace)
        self._explain(error)

    def of_thread(self, report: Any) -> None:
        """Do the same for what a thread did not catch; see `threading.excepthook`."""
        self.previous_of_threads(report)
        self._explain(report.exc_value)

    def _explain(self, error: Optional[BaseException]) -> None:
        if self is _installed and isinstance(error, Exception):
            _print_finding(error)


_installed: Optional[_Hook] = None


def _print_finding(error: BaseException) -> None:
    """Print the first finding below a traceback. It must never hide the error that it explains."""
    try:
        found = explain_log(traceback_text(error), source="exception")
        # Of an error that no signature knows, the traceback says more.
        findings = [item for item in found.findings if found.certain or item.code not in _UNEXPLAINED]
        if findings and sys.stderr is not None:
            sys.stderr.write(short_text(findings[0]))
    except Exception as second:
        log("debug", "an exception could not be explained: %s", first_line(second), exc_info=True)


def install_excepthook() -> None:
    """Explain uncaught exceptions below their traceback, in programs and their threads, in IPython and Jupyter.

    The previous `sys.excepthook` (`threading.excepthook`) is still called, first. A second call changes nothing, also if
    another hook was installed in between; only where `sys.excepthook` is what it was before, Python's own, or None, it
    is installed again.
    """
    global _installed
    shell = _ipython()
    if shell is not None:
        callbacks = shell.events.callbacks.get("post_run_cell", ())
        if _after_cell not in callbacks:
            shell.events.register("post_run_cell", _after_cell)
    # Programs set it to None, or delete it, to have no traceback.
    there = vars(sys).get("excepthook")
    if _installed is not None and there not in (_installed.previous, sys.__excepthook__, None):
        return
    _installed = sys.excepthook = _Hook()
    if _installed.previous_of_threads is not None:
        vars(threading)["excepthook"] = _installed.of_thread  # by a name that Python 3.7 does not have


def uninstall_excepthook() -> None:
    """Undo `install_excepthook`. A hook that was installed later stays."""
    global _installed
    shell = _ipython()
    if shell is not None and _after_cell in shell.events.callbacks.get("post_run_cell", ()):
        shell.events.unregister("post_run_cell", _after_cell)
    hook, _installed = _installed, None
    if hook is None:
        return
    there: Any = vars(sys).get("excepthook")
    if there is hook:
        sys.excepthook = hook.previous
    if hook.previous_of_threads is not None and vars(threading).get("excepthook") == hook.of_thread:
        vars(threading)["excepthook"] = hook.previous_of_threads


def _ipython() -> Any:
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None else None


def _after_cell(result: Any) -> None:
    error = getattr(result, "error_in_exec", None)
    if isinstance(error, Exception):
        _print_finding(error)
