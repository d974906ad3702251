"""The process of a child: reads its order, calls one function, writes the answer. Run by its path, not imported.

Whatever interpreter runs it: standard library only, Python 3.6 and later, imports nothing of devicekit by itself. The
order is a JSON object, the first argument or, where that is missing, standard input:

- ``function``: ``"devicekit.module:name"``, or the path of a script that has a function ``main``; it is called with the
  task and with ``say(**values)``, and returns plain data;
- ``task``: plain data;
- ``path``: the module search path, None to leave it as it is without this file's folder;
- ``limit_s``: the process ends by itself after that time.

JSON objects go to the standard output that the process was started with, one per line: ``{"say": ...}`` on the way,
``{"result": ...}`` or ``{"error": type, "message": ...}`` last. Anything else that is printed goes to standard error.
"""

import json
import os
import sys

#: Part of every line; raised when the form of orders or answers changes.
PROTOCOL = 1

# The types are comments, which this name is for: `typing` is left to the framework.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable  # noqa: F401


def main():  # type: () -> None
    """Do what the order says."""
    # Native code prints to file descriptor 1 without asking Python: keep the real one for ourselves.
    private = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    order = json.loads(sys.argv[1] if len(sys.argv) > 1 else sys.stdin.buffer.read().decode("utf-8"))

    def emit(values):  # type: (dict[str, Any]) -> None
        private.write(json.dumps(dict(values, protocol=PROTOCOL)) + "\n")
        private.flush()

    def say(**values):  # type: (**Any) -> None
        emit({"say": values})

    say(stage="start")
    prepare_for_the_worst(order["limit_s"])
    set_path(order["path"])
    sys.argv = [""]
    try:
        result = function_of(order["function"])(order["task"], say)
        emit({"result": result})
    except Exception as error:
        import traceback

        traceback.print_exc()
        emit({"error": type(error).__name__, "message": str(error)[:4000]})


def set_path(path):  # type: (list[str] | None) -> None
    """Search modules where the order says, and never in the folder of this file, whose modules have plain names."""
    if path is not None:
        sys.path[:] = path
        return
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != own]


def function_of(text):  # type: (str) -> Callable[..., Any]
    """Return what to call."""
    module, _, name = text.partition(":")
    if module.startswith("devicekit."):
        from importlib import import_module

        return getattr(import_module(module), name)  # type: ignore[no-any-return]
    if not text.endswith("_child.py"):
        raise ValueError("a child calls functions of devicekit and its own scripts only, not %r" % text)
    # Not imported: another interpreter would write its byte code next to the script.
    names = {"__name__": "devicekit_child", "__file__": text}  # type: dict[str, Any]
    # By the loader of this file, which reads from an archive too.
    exec(compile(globals()["__loader__"].get_data(text), text, "exec"), names)  # noqa: S102 - a file of this package
    return names["main"]  # type: ignore[no-any-return]


def prepare_for_the_worst(limit_s):  # type: (float) -> None
    """Report where the process crashes or hangs; do not outlive the process that waits for the answer."""
    import faulthandler
    import signal

    try:
        faulthandler.enable()
        # Its timer runs in a thread that does not need Python's lock, which a call that hangs may hold for ever.
        faulthandler.dump_traceback_later(limit_s, exit=True)
        if hasattr(faulthandler, "register"):
            faulthandler.register(signal.SIGUSR1)
        if sys.platform.startswith("linux"):
            import ctypes

            ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
    except Exception:  # an interpreter without one of these: the parent's limit holds all the same
        pass


def flush():  # type: () -> None
    """Write out what Python and native code have buffered."""
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        import ctypes

        ctypes.CDLL(None).fflush(None)
    except Exception:  # Windows, or a static interpreter
        pass


if __name__ == "__main__":
    main()
    flush()
    # Some plug-ins and drivers crash, or wait for ever, while the process shuts down; all that counts is written.
    os._exit(0)
