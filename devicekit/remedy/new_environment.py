"""Makes a new environment: the right Python, a set of releases, and a check that it works. Nothing half-made is left."""

import glob
import os
import re
import shutil
import sys
import time
from contextlib import contextmanager, suppress
from typing import Callable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..children.tool import run_long_tool, run_tool
from ..errors import RemedyError
from ..machine.interpreter import other_interpreter
from ..machine.live_host import LiveHost
from ..machine.pip_settings import constraints
from ..runtime.verify import verify_interpreter
from .installers import complaint, find_uv, uv_options, variables
from .result import NewEnvironment

#: A slow line needs long for a gigabyte.
_TIMEOUT_S = 4 * 3600.0

#: A first import after an installation compiles thousands of files.
_TRIAL_S = 300.0

_QUESTION_S = 20.0

#: Called with what is going on.
Say = Callable[[str], None]


class Order(NamedTuple):
    """What to make. ``options``: of the installer, such as an index; ``settings``: variables under which it has to work."""

    folder: str
    version: str
    requirements: Tuple[str, ...]
    options: Tuple[str, ...] = ()
    settings: Tuple[Tuple[str, str], ...] = ()
    frameworks: Tuple[str, ...] = ()


def make_environment(order: Order, say: Say) -> NewEnvironment:
    """Make an environment and try it; where anything fails on the way, the folder is as it was before.

    Raises
    ------
    RemedyError
        If the folder is not empty, there is no such Python, or the installer fails.
    KeyboardInterrupt
        If the user interrupts it; what was made is gone then, too.
    """
    started = time.monotonic()
    folder = os.path.abspath(os.path.expanduser(order.folder))
    existed, above = _check_empty(folder), _missing_above(folder)
    uv, python = find_uv(), find_python(order.version)
    if uv is None and python is None:
        raise RemedyError(_no_python(order.version))
    done = False
    try:
        say("making an environment with Python %s" % order.version)
        if uv is not None:
            _run([uv, "venv", "--python", python or order.version, folder], say)
        else:
            _run([str(python), "-I", "-m", "venv", folder], say)
        inside = _interpreter_in(folder)
        start = [inside, "-I", "-m", "pip", "install"]
        if uv is not None:
            start = [uv, "pip", "install", "--python", inside, *uv_options(LiveHost())]
        say("installing %s" % ", ".join(order.requirements[:3]))
        _run([*start, *order.options, *order.requirements], say)
        done = True
    finally:
        # Also when the user interrupts it.
        if not done:
            _clear(folder, existed, above)
    say("trying it")
    with _settings(order.settings):
        found = verify_interpreter(other_interpreter(inside), order.frameworks or None, _TRIAL_S)
    works = bool(found.frameworks) and all(item.works for item in found.frameworks)
    seconds = time.monotonic() - started
    return NewEnvironment(folder, inside, order.version, order.requirements, works, found.frameworks, seconds)


def accepted_versions() -> Mapping[str, str]:
    """Return what the installer of a new environment is configured to accept of projects."""
    host = LiveHost()
    return (constraints(host, "uv") if find_uv() else {}) or constraints(host, "pip")


def _check_empty(folder: str) -> bool:
    """Return whether a folder is there, empty.

    Raises
    ------
    RemedyError
        If it is not empty, or not a folder.
    """
    if not os.path.lexists(folder):
        return False
    try:
        names = os.listdir(folder)
    except OSError as error:
        raise RemedyError("%s cannot be used: %s" % (folder, error.strerror or error)) from error
    if names:
        raise RemedyError(
            "%s is not empty: nothing is installed over what is there; name another folder with --into" % folder
        )
    return True


def _missing_above(folder: str) -> List[str]:
    """Return the folders above one that are not there, the lowest first."""
    found = []
    while not os.path.lexists(os.path.dirname(folder)):
        folder = os.path.dirname(folder)
        found.append(folder)
    return found


def _clear(folder: str, existed: bool, above: Sequence[str]) -> None:
    """Remove what was made, and leave an empty folder that was there before."""
    shutil.rmtree(folder, ignore_errors=True)
    if existed and not os.path.isdir(folder):
        os.mkdir(folder)
    for path in above:
        with suppress(OSError):  # another program uses it by now
            os.rmdir(path)


def _run(command: Sequence[str], say: Say) -> None:
    def tick(line: str) -> None:
        if line:
            say(line[:100])

    try:
        values = variables(os.environ, LiveHost())
        done = run_long_tool(command, values, timeout_s=_TIMEOUT_S, token=os.urandom(8).hex(), tick=tick)
    except OSError as error:
        raise RemedyError("%s cannot be started: %s" % (command[0], error.strerror or error)) from error
    if done.status != 0:
        raise RemedyError("%s failed: %s" % (os.path.basename(command[0]), complaint(done.stdout) or done.stderr))


def _interpreter_in(folder: str) -> str:
    parts = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    return os.path.join(folder, *parts)


@contextmanager
def _settings(pairs: Sequence[Tuple[str, str]]) -> "Iterator[None]":
    before = {name: os.environ.get(name) for name, _ in pairs}
    os.environ.update(dict(pairs))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


# Which Python


def find_python(version: str, environment: Optional[Mapping[str, str]] = None) -> Optional[str]:
    """Return an interpreter of a version (``"3.10"``) that is on this machine, None if there is none.

    Looked at are the one that runs this, those on the path, those of pyenv, and on Windows what its launcher knows.
    """
    found = os.environ if environment is None else environment
    own = getattr(sys, "_base_executable", "") or sys.executable
    if version == "%d.%d" % sys.version_info[:2] and own and os.path.isabs(own) and _answers(own, version):
        return os.path.abspath(own)
    for path in (*_on_path(version, found), *_of_pyenv(version, found)):
        if _answers(path, version):
            return path
    return _of_launcher(version) if os.name == "nt" else None


def _on_path(version: str, environment: Mapping[str, str]) -> List[str]:
    folders = [entry for entry in environment.get("PATH", "").split(os.pathsep) if os.path.isabs(entry)]
    # pyenv's shims are scripts that stand for whatever is selected in a folder.
    folders = [entry for entry in folders if not entry.rstrip("/\\").endswith("shims")]
    name = "python%s" % version if os.name != "nt" else "python.exe"
    paths = [os.path.join(folder, name) for folder in folders]
    return [path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)]


def _of_pyenv(version: str, environment: Mapping[str, str]) -> List[str]:
    root = environment.get("PYENV_ROOT") or os.path.join(os.path.expanduser("~"), ".pyenv")
    if os.name == "nt":
        root = os.path.join(root, "pyenv-win") if not environment.get("PYENV_ROOT") else root
    folders = glob.glob(os.path.join(glob.escape(root), "versions", version + ".*"))
    folders = [item for item in folders if re.search(r"%s\.\d+\Z" % re.escape(version), item)]
    folders.sort(key=lambda item: int(item.rpartition(".")[2]), reverse=True)
    parts = ("python.exe",) if os.name == "nt" else ("bin", "python")
    return [os.path.join(folder, *parts) for folder in folders]


def _of_launcher(version: str) -> Optional[str]:
    launcher = os.path.join(LiveHost().system_folder(), "py.exe")
    if not os.path.isfile(launcher):
        return None
    try:
        done = run_tool([launcher, "-" + version, "-c", "import sys; print(sys.executable)"], _QUESTION_S)
    except OSError:  # it is there and cannot be run: then it knows no Python
        return None
    path = done.stdout.strip()
    return path if done.status == 0 and os.path.isabs(path) else None


def _answers(path: str, version: str) -> bool:
    """Return whether an interpreter is of a version and can make environments: some systems split that off."""
    code = "import sys, ensurepip, venv; print('%d.%d' % sys.version_info[:2])"
    try:
        done = run_tool([path, "-I", "-c", code], _QUESTION_S)
    except OSError:  # not a program of this system
        return False
    return done.status == 0 and done.stdout.strip() == version


def _no_python(version: str) -> str:
    text = "there is no Python %s here. Install uv (https://docs.astral.sh/uv), which fetches any Python, or "
    other = "run: pyenv install %s" if os.name != "nt" else "Python %s from https://www.python.org/downloads"
    return (text % version) + (other % version)
