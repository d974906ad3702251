"""What every verb prints: text for this terminal, or JSON."""

import json
import os
import shutil
import sys
from typing import Any, Callable

from ..errors import DevicekitError
from ..report.terminal import Style


def show(as_json: bool, record: Any, text: Callable[[Any, Style], str]) -> None:
    """Print a record as JSON, or as the text that ``text`` makes of it."""
    if as_json:
        print_json(record.to_dict())
    else:
        print_text(text(record, terminal_style()))


def print_json(data: Any) -> None:
    """Print plain data as JSON."""
    print_text(json.dumps(data, indent=1) + "\n")


def print_text(text: str) -> None:
    """Print text; characters that standard output cannot encode become question marks."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))


def write_text(path: str, text: str, mode: str = "w") -> None:
    """Write text to a file; raise DevicekitError if that is not possible."""
    try:
        with open(path, mode, encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise DevicekitError("%s cannot be written: %s" % (path, error.strerror or error)) from error


def terminal_style() -> Style:
    """Return the width of the terminal, and whether it shows colors and characters beyond ASCII."""
    terminal = sys.stdout.isatty()
    color = terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    if color and os.name == "nt":
        # Windows consoles before 10 have no ANSI colors; the newer ones set one of these variables.
        color = any(name in os.environ for name in ("WT_SESSION", "ANSICON", "ConEmuANSI", "TERM_PROGRAM"))
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower()
    columns = shutil.get_terminal_size((100, 24)).columns
    return Style(width=max(40, min(columns, 100)), color=color, unicode="utf" in encoding)
