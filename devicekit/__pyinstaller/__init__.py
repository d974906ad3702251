"""What PyInstaller finds by the entry point ``pyinstaller40``: the hook next to this file."""

import os
from typing import List


def hook_dirs() -> List[str]:
    """Return the folder of the hook."""
    return [os.path.dirname(os.path.abspath(__file__))]
