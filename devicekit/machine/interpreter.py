"""Which interpreter the command line examines: its own, as a script would see it, or another one from outside."""

import os
import sys
from importlib.util import find_spec
from typing import Callable, Optional, Tuple

from ..children.call import Child, ChildReport, Command
from ..children.scripts import ARCHIVE, script_path
from ..errors import DevicekitError
from .host import WATCHED_MODULES, Interpreter
from .live_host import this_interpreter
from .probe.process import VARIABLES

_TIMEOUT_S = 20.0


class InterpreterError(DevicekitError):
    """The interpreter that should be examined cannot be started, or is none."""


def command_interpreter() -> Interpreter:
    """Describe this interpreter as a script in the working folder would find it.

    The path of the ``devicekit`` command begins with its own folder, or with nothing; a script's begins with the folder of
    the script, where files may hide real packages.
    """
    found = this_interpreter()
    path = [entry for entry in found.sys_path if entry and entry not in (found.cwd, ARCHIVE)]
    first = os.path.dirname(os.path.abspath(sys.argv[0])) if sys.argv and sys.argv[0] else ""
    if path and path[0] == first and not os.path.isdir(os.path.join(first, "devicekit")):
        del path[0]
    # PYTHONSAFEPATH (3.11): a script's folder is not on its path.
    safe = sys.version_info >= (3, 11) and bool(os.environ.get("PYTHONSAFEPATH"))
    return found.replace(sys_path=((found.cwd,) if found.cwd and not safe else ()) + tuple(path), modules=())


def users_interpreter(ask: Callable[[str], Interpreter]) -> Optional[Tuple[Interpreter, str]]:
    """Describe the user's Python if this one is not the user's: uvx and pipx give each command its own environment.

    Returns the interpreter of the active environment, else the ``python`` on the PATH, and how it was found; None if this
    process runs in an ordinary environment, if there is a framework in it, or if there is no other Python. ``ask``:
    `other_interpreter`, or what does the same.
    """
    if not _is_of_a_tool(sys.prefix) or any(find_spec(name) for name in WATCHED_MODULES):
        return None
    named = [(name, os.environ.get(name, "")) for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    suffix = ".exe" if os.name == "nt" else ""
    # No relative folder: nothing is started that is only in the working folder.
    folders = [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]
    named += [("PATH", os.path.join(folder, name + suffix)) for folder in folders for name in ("python", "python3")]
    for source, path in named:
        if not path or not os.path.exists(path):
            continue
        try:
            found = ask(path)
        except InterpreterError:  # Python 2, or the store's placeholder on Windows
            continue
        if os.path.realpath(found.prefix) != os.path.realpath(sys.prefix):
            return found, source
    return None


def _is_of_a_tool(prefix: str) -> bool:
    """Return whether an environment was made for one command: by uv (``uvx``, ``uv tool``), or by pipx."""
    if any(os.path.exists(os.path.join(prefix, name)) for name in ("uv-receipt.toml", "pipx_metadata.json")):
        return True
    if not os.path.basename(os.path.dirname(prefix)).startswith(("archive-v", "environments-v")):
        return False
    try:
        with open(os.path.join(prefix, "pyvenv.cfg"), encoding="utf-8") as stream:
            # That of `uv run --with` adds to the user's environment, and sees what is in it.
            return "extends-environment" not in stream.read(1 << 16)
    except (OSError, ValueError):
        return False


def other_interpreter(path: str) -> Interpreter:
    """Describe another interpreter by a small child that runs in it; nothing in its environment is changed.

    Parameters
    ----------
    path : str
        The interpreter (Python 3.6 or later), or the folder of a virtual environment.

    Raises
    ------
    InterpreterError
        If it cannot be started, does not answer in time, or is not such a Python.
    """
    executable = _find(path)
    script = script_path("machine/probe/interpreter_child.py")
    # No byte code of devicekit's files: nothing in the other environment is changed.
    report = _ask(script, executable, ())
    problem = ""
    if not isinstance(report.result, dict):
        # With these, Python takes its standard library from elsewhere; what it is without them can still be said.
        present = [name for name in (*_LIBRARY_VARIABLES, "PYTHONPATH") if os.environ.get(name)]
        again = _ask(script, executable, tuple((name, None) for name in present)) if present else report
        if isinstance(again.result, dict):
            report, problem = again, present[0]
    if "no answer within" in report.detail:
        raise InterpreterError("%s gave no answer within %g s" % (path, _TIMEOUT_S))
    if "could not be started" in report.detail:
        raise InterpreterError("%s cannot be started: %s" % (path, report.detail))
    try:
        found = Interpreter.from_dict(report.result)
    except (ValueError, KeyError, TypeError) as error:
        printed = report.output.strip().splitlines()
        detail = report.detail or "its answer is not that of an interpreter: %.200s" % error
        raise InterpreterError(
            "%s does not run as Python 3.6 or later (%s%s)"
            % (path, detail, ": " + printed[-1][:200] if printed else "")
        ) from None
    there = dict(found.preset)
    return found.replace(
        problem=problem,
        unset=tuple(name for name in _ASKED if name in os.environ and name not in (*there, problem)),
        preset=tuple(pair for pair in found.preset if os.environ.get(pair[0]) != pair[1]),
    )


#: Where Python takes its standard library from, whatever it was built with.
_LIBRARY_VARIABLES = ("PYTHONHOME", "PYTHONPLATLIBDIR")


#: The variables that another Python is asked for: the others decide whether it starts.
_ASKED = [name for name in VARIABLES if name not in _LIBRARY_VARIABLES]


def _ask(script: str, executable: str, environment: Tuple[Tuple[str, None], ...]) -> ChildReport:
    # No byte code of devicekit's files: nothing in the other environment is changed.
    command = Command.of(script, {"variables": _ASKED}, limit_s=_TIMEOUT_S, executable=executable, options=("-B",))
    return Child(command.replace(environment=command.environment + environment)).wait(_TIMEOUT_S)


def _find(path: str) -> str:
    full = os.path.abspath(os.path.expanduser(path))
    if os.path.isdir(full):
        for inside in (("bin", "python"), ("bin", "python3"), ("Scripts", "python.exe"), ("python.exe",)):
            candidate = os.path.join(full, *inside)
            if os.path.lexists(candidate):
                full = candidate
                break
        else:
            raise InterpreterError("%s is a folder without an interpreter: give the path of python itself" % path)
    if not os.path.isfile(full):
        text = "%s does not exist: give the path of an interpreter or of a virtual environment"
        if os.path.islink(full):
            text = "%s leads to a Python that was removed: create the environment again"
        try:
            os.stat(full)
        except FileNotFoundError:
            pass
        except OSError as error:  # such as no permission for a folder above it
            text = "%s cannot be reached: " + str(error.strerror)
        raise InterpreterError(text % path)
    return full
