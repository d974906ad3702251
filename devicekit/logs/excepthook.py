"""`install_excepthook`: uncaught exceptions are explained below their traceback."""

import sys
from types import TracebackType
from typing import Any, Optional, Type

from ..diagnosis.findings import Finding
from .explain import explain

__all__ = ["install_excepthook", "uninstall_excepthook"]

_previous: Any = None


def _hook(kind: Type[BaseException], error: BaseException, trace: Optional[TracebackType]) -> None:
    (_previous or sys.__excepthook__)(kind, error, trace)
    if issubclass(kind, Exception):
        _explain_below(error)


def _explain_below(error: BaseException) -> None:
    """Print the first finding below a traceback. It must never hide the error that it explains."""
    try:
        findings = explain(error)
        if findings and sys.stderr is not None:
            sys.stderr.write(_short_text(findings[0]))
    except Exception as second:
        import logging

        logging.getLogger("devicekit").debug("an exception could not be explained: %s", second, exc_info=True)


def _short_text(finding: Finding) -> str:
    """Return three lines at most."""
    lines = ["", "devicekit [%s] %s" % (finding.code, finding.summary)]
    for fix in finding.fix[:1]:
        lines.append("  fix: %s%s" % (fix.text, ": " + fix.command if fix.command else ""))
    lines.append("  more: devicekit explain %s" % finding.code)
    return "\n".join(map(_printable, lines)) + "\n"


def _printable(text: str) -> str:
    """Names come from drivers, files and logs: an escape sequence in one must not reach the terminal."""
    clean = "".join(character if character.isprintable() else "?" for character in text)
    return clean.encode("ascii", "replace").decode("ascii")


def install_excepthook() -> None:
    """Explain uncaught exceptions below their traceback, in programs and in IPython and Jupyter.

    The `sys.excepthook` that was installed before is still called first. A second call changes nothing.
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
    """Undo `install_excepthook`; a hook that was installed over it stays."""
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
        _explain_below(error)
