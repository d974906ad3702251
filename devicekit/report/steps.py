"""How the steps of a fix are shown: which belong together, who does them, and what to type where."""

from typing import List, Tuple

from ..diagnosis.findings import Fix

_SHELLS = {"powershell": "PowerShell", "cmd": "cmd", "dockerfile": "Dockerfile"}

#: What is said of a step that not every user can do. A command with sudo says it itself, and so does a restart.
_WHO = {"admin": " (needs an administrator)"}


def words(fix: Fix) -> str:
    """Return what a step is, and who has to do it."""
    obvious = (fix.command or "").startswith("sudo ")
    return fix.text + ("" if obvious else _WHO.get(fix.who, ""))


def typed(fix: Fix) -> List[Tuple[str, str]]:
    """Return what to type, with the name of the shell where it is not the same in all: first the most likely one."""
    if not fix.command:
        return []
    forms = [(name, text) for name, text in fix.commands if text != fix.command]
    first = next((name for name, text in fix.commands if text == fix.command), "")
    shells = [name for name, _ in forms if name != "dockerfile"]
    found = [(_SHELLS.get(first, "") if shells else "", fix.command)]
    return found + [(_SHELLS.get(name, name), text) for name, text in forms]
