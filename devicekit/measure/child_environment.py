"""The variables of the processes in which devicekit measures."""

from typing import Optional, Tuple

from ..runtime.current import current_selection


def clean_environment() -> Tuple[Tuple[str, Optional[str]], ...]:
    """Return the variables that `devicekit.auto` has set in this process, as they were before, for `run_child`."""
    chosen = current_selection()
    changes = chosen.changes if chosen is not None else ()
    # Of several changes of one variable the first knows what was before.
    return tuple((item.name, item.before) for item in reversed(changes) if item.what == "environment")
