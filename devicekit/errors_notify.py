"""Structured warnings: one class per family, the finding on the warning, each cause once, mirrored to the logger."""

import sys
import warnings
from typing import Any, Dict, Optional, Set, Tuple, Type

from .diagnosis.findings import Finding

__all__ = ["CompatibilityWarning", "ConfigurationWarning", "DeviceWarning", "FallbackWarning", "notify"]


class DeviceWarning(UserWarning):
    """Base of devicekit's warnings. The text begins with the code: ``filterwarnings("ignore", message="no-gpu")``.

    Attributes
    ----------
    finding : Finding
        What it is about.
    """

    def __init__(self, finding: Finding, message: Optional[str] = None) -> None:
        super().__init__(message or message_of(finding))
        self.finding = finding

    def to_dict(self) -> Dict[str, Any]:
        """Return the warning as plain data for JSON."""
        return {"category": type(self).__name__, "finding": self.finding.to_dict()}


class FallbackWarning(DeviceWarning):
    """Another device than the best or the asked one is used."""


class CompatibilityWarning(DeviceWarning):
    """Installed things do not go together: the framework itself does not work, or not as it should."""


class ConfigurationWarning(DeviceWarning):
    """A setting cannot be applied any more, or is not one."""


def message_of(finding: Finding) -> str:
    """Return the text of a warning: code, cause, and the shortest fix."""
    text = "%s: %s" % (finding.code, finding.summary)
    if finding.fix:
        fix = finding.fix[0]
        text += " %s%s" % (fix.text, ": " + fix.command if fix.command else ".")
    return text


_seen: Set[Tuple[str, str]] = set()


def notify(finding: Finding, category: Type[DeviceWarning], quiet: bool = False) -> None:
    """Warn about a finding, once per cause, at the line of the caller outside of devicekit, and log it.

    With ``quiet`` only the logger hears of it.
    """
    key = (finding.code, finding.summary)
    if key in _seen:
        return
    _seen.add(key)
    import logging

    level = {"error": logging.ERROR, "warning": logging.WARNING}.get(finding.severity, logging.INFO)
    own_logger().log(level, "%s", message_of(finding), extra={"finding": finding.to_dict()})
    if not quiet:
        warnings.warn(category(finding), stacklevel=_stack_level())


def own_logger() -> Any:
    """Return devicekit's logger, which prints nothing where the program has not set up logging."""
    import logging

    logger = logging.getLogger("devicekit")
    if not any(isinstance(handler, logging.NullHandler) for handler in logger.handlers):
        # A library does not print: without this, logging's last resort would write to standard error.
        logger.addHandler(logging.NullHandler())
    return logger


def _stack_level() -> int:
    """Return the stack level, as seen from `notify`, of the first frame that is not devicekit's."""
    level = 1
    frame = sys._getframe(1)  # `notify` itself
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "devicekit":
        # Code that runs as the program or as a test of another package has another name.
        level += 1
        if frame.f_back is None:
            break
        frame = frame.f_back
    return level


def forget() -> None:
    """Warn again about causes that were warned about (for tests of programs that use devicekit)."""
    _seen.clear()
