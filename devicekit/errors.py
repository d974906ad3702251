"""The exceptions that devicekit raises. Each message says what was asked, what was found, and what to do."""

from typing import Sequence, Tuple

# A name that type checkers know: an error is raised where no finding was ever made, too.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .diagnosis.findings import Finding

__all__ = [
    "DeviceUnavailableError", "DevicekitError", "LeaseError", "LeaseTimeoutError", "MachineFileError", "UnknownFactError",
]  # fmt: skip


class DevicekitError(Exception):
    """Base of all exceptions of devicekit."""


class DeviceUnavailableError(DevicekitError, RuntimeError):
    """The device that was required cannot be used here.

    Attributes
    ----------
    findings : tuple of Finding
        The same findings that a `Selection` would carry, the blocking one first.
    """

    def __init__(self, message: str, findings: "Sequence[Finding]" = ()) -> None:
        super().__init__(message)
        self.findings: "Tuple[Finding, ...]" = tuple(findings)


class LeaseError(DevicekitError):
    """Devices cannot be leased: the folder for the locks cannot be used, or a process would wait for itself."""


class LeaseTimeoutError(LeaseError, TimeoutError):
    """No device became free in time. The message names who holds them.

    Attributes
    ----------
    holders : tuple of str
        One line for each holder of what was waited for: which devices, which process, and since when.
    """

    def __init__(self, message: str, holders: "Sequence[str]" = ()) -> None:
        super().__init__(message)
        self.holders: "Tuple[str, ...]" = tuple(holders)


class MachineFileError(DevicekitError, ValueError):
    """A machine file cannot be read: no JSON, cut short, too large, of a newer schema, or of the wrong shape."""


class UnknownFactError(DevicekitError, LookupError):
    """The value of a fact was asked for that could not be determined on this machine."""
