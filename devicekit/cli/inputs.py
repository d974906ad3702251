"""What the options name: a machine, a log, facts, the clipboard."""

import os
import re
import sys
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, Dict, Iterator, Optional, Tuple

from ..errors import DevicekitError, did_you_mean
from ..machine.facts import Machine
from ..records import parse_json
from ..runtime.settings import read_settings
from .output import print_message, print_note

if TYPE_CHECKING:
    from ..machine.host import Interpreter

_FACTS_LIMIT_BYTES = 4 << 20

#: A single word that is the name of an error and not of a file: ``CUDA_ERROR_NO_DEVICE``, ``cudaErrorNoDevice``, ``SIGILL``.
_ERROR_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|\w*(?:Error|Exception)\w*|SIG[A-Z]{2,8}")

#: Commands that print the clipboard, by absolute path: the working folder is not searched. On Windows below its own folder.
_CLIPBOARDS: Tuple[Tuple[str, ...], ...] = (
    ("/usr/bin/pbpaste",),
    ("/usr/bin/wl-paste", "--no-newline"),
    ("/usr/bin/xclip", "-selection", "clipboard", "-o"),
    ("/usr/bin/xsel", "--clipboard", "--output"),
)
_POWERSHELL = (
    "System32\\WindowsPowerShell\\v1.0\\powershell.exe",
    *("-NoProfile", "-Command", "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw"),
)


def examine(snapshot: Optional[str] = None, python: Optional[str] = None, deep: bool = True) -> Machine:
    """Return the machine of a snapshot, or this one, as another Python interpreter or environment sees it."""
    if snapshot:
        return read_snapshot(snapshot)
    from ..children.progress import Progress
    from ..machine.live_host import LiveHost
    from ..machine.probe import read_machine

    what, quiet = "examining %s" % (python or "this machine"), read_settings().quiet
    if python:
        with Progress(what, quiet):  # it may take its time to answer
            interpreter = interpreter_of(python)
    else:
        interpreter = interpreter_of(None)
    _note_interrupted_fix(interpreter)
    with Progress(what, quiet):
        return read_machine(LiveHost(interpreter), deep=deep)


def _note_interrupted_fix(interpreter: "Interpreter") -> None:
    if os.path.isdir(os.path.join(interpreter.prefix, ".devicekit")):  # else nothing of `remedy` is imported
        from ..remedy.journal import left_by_a_fix
        from ..remedy.run import undo_command

        left = left_by_a_fix(interpreter.prefix)
        if left:
            print_message("%s; this restores what was there before: %s" % (left, undo_command(interpreter.executable)))


def interpreter_of(python: Optional[str]) -> "Interpreter":
    """Return the interpreter to examine: the one that the user names, or this one; that of uvx or pipx is not meant."""
    from ..machine.interpreter import command_interpreter, other_interpreter, users_interpreter

    def ask(path: str) -> "Interpreter":
        from ..children.process_tree import adopting

        with adopting():  # it may be a wrapper, which starts others
            return other_interpreter(path)

    if python:
        return ask(python)
    found, source = users_interpreter(ask) or (command_interpreter(), "")
    active = os.environ.get("VIRTUAL_ENV", "")
    other = ".venv" if source == "PATH" and os.path.isdir(".venv") else "PATH"
    # To standard error, also with --json: this is for a person, data are for a program.
    if source:
        print_note("examines %s (from %s); --python %s examines another one" % (found.executable, source, other))
    elif active and os.path.realpath(active) != os.path.realpath(found.prefix):
        print_note("examines %s, not the active environment: --python %s" % (found.executable, active))
    return found


def read_snapshot(path: str) -> Machine:
    """Return the machine of a snapshot, ``"-"`` for standard input, or the bundled machine of that name.

    Raises
    ------
    DevicekitError
        If there is neither, or the file cannot be read.
    """
    from ..machine.snapshot import load_machine

    if path != "-" and os.path.basename(path) == path and not path.endswith(".json") and not os.path.exists(path):
        from ..testing import load, machines

        if path in machines():
            return load(path)
        near = did_you_mean(path[:60], machines()) or "; make a file with: devicekit snapshot > machine.json"
        raise DevicekitError("there is no file %s, and no bundled machine of that name%s" % (path[:60], near))
    return load_machine(path)


def is_code(text: str) -> bool:
    """Return whether a text is a finding code, or looks like one and is not a file."""
    from ..diagnosis.codes import CODES, MEASURED_CODES

    code = as_code(text)
    if code in CODES + MEASURED_CODES:
        return text == code or not os.path.exists(text)
    looks = code.replace("-", "").isalpha() and "-" in code.strip("-")
    return looks and not _ERROR_NAME.fullmatch(text) and not os.path.exists(text)


def as_code(text: str) -> str:
    """Return a text in the form of finding codes: ``CUDNN_MISSING`` is ``cudnn-missing``."""
    return text.strip().lower().replace("_", "-")


def is_message(text: str) -> bool:
    """Return whether a text is an error message itself, and not the name of a file that has one."""
    several = bool(text.strip()) and len(text.split()) > 1
    return (several or bool(_ERROR_NAME.fullmatch(text))) and not os.path.exists(text)


def is_word(text: str) -> bool:
    """Return whether a text may be a word of an error message: neither a file, nor like the name of one."""
    return text != "-" and not re.search(r"[/\\]|\.(?:log|txt|out|err|json)\Z", text, re.I) and not os.path.exists(text)


@contextmanager
def open_log(path: str) -> "Iterator[IO[bytes]]":
    """Open a log for reading, ``"-"`` for standard input; raise DevicekitError if it cannot be read."""
    if path == "-":
        try:
            yield sys.stdin.buffer
        except OSError as error:
            raise DevicekitError("standard input cannot be read: %s" % (error.strerror or error)) from error
        return
    try:
        stream = open(path, "rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise DevicekitError(
            "%s cannot be read: %s; name a log file, '-' for standard input, or a finding code"
            % (path, error.strerror or error)
        ) from error
    try:
        with stream:
            yield stream
    except OSError as error:  # a folder opens on some systems, and fails when it is read
        raise DevicekitError("%s cannot be read: %s" % (path, error.strerror or error)) from error


def read_facts(path: str) -> Dict[str, Any]:
    """Read a JSON file of facts about a machine; raise DevicekitError if it cannot be read, or is not a JSON object."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(_FACTS_LIMIT_BYTES + 1)
    except OSError as error:
        raise DevicekitError("%s cannot be read: %s" % (path, error.strerror or error)) from error
    if len(content) > _FACTS_LIMIT_BYTES:
        raise DevicekitError("%s is too large for a file of facts (limit: %d MiB)" % (path, _FACTS_LIMIT_BYTES >> 20))
    try:
        data = parse_json(content)
    except ValueError as error:
        raise DevicekitError("%s is not JSON: %s" % (path, error)) from None
    if not isinstance(data, dict):
        raise DevicekitError('%s is not a JSON object such as {"os": "linux", "python": "3.11"}' % path)
    if "schema" in data and "python" in data and isinstance(data["python"], dict):
        raise DevicekitError("%s is a snapshot of a machine: use --machine" % path)
    return data


def clipboard() -> str:
    """Return the text in the clipboard; raise DevicekitError if there is no clipboard, or no text in it."""
    from ..machine.live_host import LiveHost

    host, problem, commands, end, names = LiveHost(), "", _CLIPBOARDS, "Ctrl-D", "wl-paste, xclip, xsel, pbpaste"
    if host.system == "windows":
        commands = ((host.join(host.system_folder(), _POWERSHELL[0]), *_POWERSHELL[1:]),)
        end, names = "Ctrl-Z and Enter", "powershell.exe"
    for command in commands:
        if not host.is_file(command[0]):
            continue
        done = host.run(command, timeout_s=5.0)
        if done.status == 0 and done.stdout.strip():
            return done.stdout
        problem = (done.stderr.strip().splitlines() or ["it is empty"])[0]
    if problem:
        raise DevicekitError("cannot read the clipboard: %s; paste the text instead: devicekit explain -" % problem)
    raise DevicekitError(
        "no command found that prints the clipboard (%s); paste the text instead: devicekit explain - (end with %s)"
        % (names, end)
    )
