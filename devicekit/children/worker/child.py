"""The worker's process: calls one function of devicekit's and writes JSON lines. Run by its path, not imported.

It ends with the process that started it, at the latest after a limit of its own. One JSON object a line goes to the
standard output that it was started with: ``{"say": ...}`` on the way, ``{"result": ...}`` or ``{"error": ...}`` last.
Everything else that is printed goes to standard error.
"""

import json
import os
import sys

PROTOCOL = 1

# The types are comments, which this name is for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any  # noqa: F401


def main():  # type: () -> int
    """Run the task that standard input holds."""
    # Native code prints to file descriptor 1 without asking Python: keep the real one for ourselves.
    private = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    order = json.loads(sys.stdin.buffer.read().decode("utf-8"))
    # The script's own folder, which Python has put first, holds modules of devicekit's under plain names.
    sys.path[:] = order["path"]
    sys.argv = [""]
    from importlib import import_module

    from devicekit.runtime.trial.child import prepare_for_the_worst

    prepare_for_the_worst(order["limit_s"])

    def emit(values):  # type: (dict[str, Any]) -> None
        private.write(json.dumps(dict(values, protocol=PROTOCOL)) + "\n")
        private.flush()

    def say(**values):  # type: (**Any) -> None
        emit({"say": values})

    emit({"say": {"stage": "start"}})
    module, _, name = order["function"].partition(":")
    if not module.startswith("devicekit."):
        raise ValueError("a worker calls functions of devicekit's only, not %r" % module)
    try:
        result = getattr(import_module(module), name)(order["task"], say)
        emit({"result": result})
    except Exception as error:
        import traceback

        traceback.print_exc()
        emit({"error": type(error).__name__, "message": str(error)[:4000]})
    return 0


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    # Some plug-ins crash, or wait for ever, while the interpreter shuts down; all that counts is written.
    os._exit(code)
