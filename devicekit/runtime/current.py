"""The selection that `devicekit.auto` made in this process."""

from typing import Any, Optional, Tuple

from ..children.locks import ForkSafeLock
from ..selection.selection import Change, Selection

#: Held while a selection is made.
lock = ForkSafeLock()

_current: Optional[Tuple[Any, Selection]] = None


def current_selection() -> Optional[Selection]:
    """Return what `auto` chose in this process, None if it was not called."""
    return _current[1] if _current is not None else None


def current_changes() -> Tuple[Change, ...]:
    """Return what `auto` changed in this process."""
    return _current[1].changes if _current is not None else ()


def clean_environment() -> Tuple[Tuple[str, Optional[str]], ...]:
    """Return the variables that `auto` has set in this process, as they were before, for `run_child`."""
    # Of several changes of one variable the first knows what was before.
    return tuple((item.name, item.before) for item in reversed(current_changes()) if item.what == "environment")


def selection_for(arguments: Any) -> Optional[Selection]:
    """Return the current selection if it was made for these arguments."""
    return _current[1] if _current is not None and _current[0] == arguments else None


def set_current(arguments: Any, selection: Selection) -> None:
    """Make a selection the current one."""
    global _current
    _current = (arguments, selection)
