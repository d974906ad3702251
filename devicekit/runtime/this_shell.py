"""The shell that this program was started from, for steps about this process."""

import sys

from ..diagnosis.commands import Place, Shell

_SYSTEMS = {"win32": "windows", "darwin": "macos"}


def this_shell() -> Shell:
    """Return what writes commands for this system's shells."""
    return Shell(Place(_SYSTEMS.get(sys.platform, "linux")))
