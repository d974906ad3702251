"""What may look at a command while `foreground` runs it."""

from typing import NamedTuple, Optional


class Usage(NamedTuple):
    """What the system counted of a command and all that it started: processor time, and memory of its largest process."""

    cpu_s: Optional[float] = None
    peak_bytes: Optional[int] = None


class Watcher:
    """Looks at a command while it runs. This one does not."""

    def begin(self, number: int, job: int = 0) -> None:
        """Take the number of its process, which has just been started, and of its job on Windows."""

    def look(self) -> Optional[float]:
        """Look if it is time, and return the seconds until the next look, None if there is none."""
        return None

    def end(self, usage: Usage) -> None:
        """Take what the system counted; the command has ended, or could not be started."""
