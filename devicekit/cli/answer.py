"""One run of the command for ``devicekit mcp``, in a process of its own: the command with ``--json``, and what it prints."""

import contextlib
import io
import json
import sys
from typing import Any, Callable, Dict

from ..errors import DevicekitError
from .main import main


def answer(task: Dict[str, Any], say: Callable[..., None]) -> Dict[str, Any]:
    """Run the command with arguments and a standard input, and return what it prints; run by `devicekit.children.call`."""
    printed, errors = io.StringIO(), io.StringIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(task["input"].encode("utf-8", "replace")), "utf-8")
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors):
        try:
            status = main(task["arguments"])
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 2
    if status not in (0, 1):
        raise DevicekitError((errors.getvalue().strip().splitlines() or ["status %d" % status])[-1][:2000])
    text = printed.getvalue()
    return {"page": text} if "--json" not in task["arguments"] else dict(json.loads(text))
