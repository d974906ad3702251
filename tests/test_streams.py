"""The command and its standard streams: closed, full, gone; and what others wrote must not control a terminal."""

import io
import json
import logging
import os
import re
import subprocess
import sys
import warnings

import pytest

from devicekit import Machine
from devicekit.cli.main import main
from devicekit.diagnosis.findings import Evidence, Finding, Fix
from devicekit.errors import DevicekitError, DeviceWarning, MachineFileError, log, notify
from devicekit.logs.excepthook import short_text
from devicekit.selection.selection import Selection
from devicekit.testing import load, machines

posix = pytest.mark.only_on("posix", reason="closes streams with a POSIX shell")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

linux = pytest.mark.only_on("linux", reason="needs /dev/full")

MACHINE = "linux-eight-gpus"

#: What moves the cursor, sets the title, answers, hides, overwrites, and turns the direction of text around.
PLANTED = "\x1b[2J\x1b]0;title\x07\x9b31m\rover\x08\x7f\u202e\u2028"

#: A color of the command's own, which is not the command's here.
FORGED = "\x1b[31;1mforged"
PLANTED += FORGED


def shell(redirected, tmp_path, script='exec "$@" '):
    """Run the command with redirections of a shell; return status, stdout and stderr."""
    environ = dict(os.environ, PYTHONPATH=ROOT, DEVICEKIT_LEASE_DIR=str(tmp_path / "leases"))
    arguments, _, redirection = redirected.partition(" ;")
    done = subprocess.run(
        ["/bin/sh", "-c", script + redirection, "sh", sys.executable, "-m", "devicekit", *arguments.split()],
        stdin=subprocess.DEVNULL, capture_output=True, cwd=str(tmp_path), env=environ,
        timeout=120,
    )  # fmt: skip
    return done.returncode, done.stdout.decode(), done.stderr.decode()


# Streams.


@posix
@pytest.mark.parametrize(
    ("redirected", "status", "error"),
    [
        ("explain - ;<&-", 2, "devicekit: standard input cannot be read: it is closed\n"),
        ("doctor --machine - ;<&-", 2, "devicekit: standard input cannot be read: it is closed\n"),
        ("explain no-gpu ;>&-", 2, "devicekit: standard output cannot be written: it is closed\n"),
        ("explain no-gpu ;>&- 2>&-", 2, ""),
        ("explain no-gpu ;<&- >&- 2>&-", 2, ""),
        ("--help ;>&-", 2, "devicekit: standard output cannot be written: it is closed\n"),
        ("nonsense ;2>&-", 2, ""),
        ("doctor --machine %s --json ;>&-" % MACHINE, 2, "devicekit: standard output cannot be written: it is closed\n"),
        ("explain no-gpu ;2>&-", 0, ""),
    ],
)  # fmt: skip
def test_a_closed_stream_is_a_status_and_a_line(redirected, status, error, tmp_path):
    assert shell(redirected, tmp_path)[::2] == (status, error)


@linux
@pytest.mark.parametrize("arguments", ["explain no-gpu", "--help", "--version", "doctor --machine %s --json" % MACHINE])
def test_a_full_stream_is_a_status_and_a_line(arguments, tmp_path):
    status, _, error = shell(arguments + " ;>/dev/full", tmp_path)
    assert (status, error) == (2, "devicekit: standard output cannot be written: No space left on device\n")


@linux
def test_what_a_command_has_printed_and_is_lost_is_said(tmp_path):
    status, _, error = shell("run -- /bin/echo x ;>/dev/full", tmp_path)
    assert (status, error) == (
        2, "devicekit: what the command has printed could not be written: No space left on device\n"
    )  # fmt: skip
    assert shell("run -- /bin/false ;>/dev/full", tmp_path)[0] == 1


@linux
def test_errors_that_cannot_be_printed_leave_the_status(tmp_path):
    assert shell("nonsense ;2>/dev/full", tmp_path)[0] == 2
    status, output, _ = shell("explain no-gpu ;2>/dev/full", tmp_path)
    assert (status, output[:4]) == (0, "# no")


@posix
def test_a_reader_that_has_seen_enough(tmp_path):
    script = '{ "$@"; echo $? >status; } | head -n 1'
    status, output, error = shell("doctor --machine %s --json" % MACHINE, tmp_path, script)
    assert (status, output, error) == (0, "{\n", "")
    assert (tmp_path / "status").read_text() in ("0\n", "1\n")


@posix
@pytest.mark.parametrize("redirection", ["2>&-", "<&-", "<&- 2>&-", "2>/dev/null"])
def test_a_leased_command_runs_whatever_is_closed(redirection, tmp_path):
    arguments = "run --machine %s --gpus 1 --timeout 20 -- /bin/echo ran ;%s" % (MACHINE, redirection)
    status, output, _ = shell(arguments, tmp_path)
    assert (status, output) == (0, "ran\n")


@posix
@pytest.mark.parametrize("quiet", ["", "--quiet "])
@pytest.mark.parametrize(("redirection", "closed"), [(">&-", "1"), ("2>&-", "2"), ("<&-", "0"), (">&- 2>&-", "1 2")])
def test_a_closed_stream_is_closed_for_the_command_as_well(redirection, closed, quiet, tmp_path):
    code = "import os\nclosed = []\nfor number in '012':\n"
    code += "    try: os.fstat(int(number))\n    except OSError: closed += [number]\n"
    (tmp_path / "look.py").write_text(code + "with open('closed', 'w') as stream: stream.write(' '.join(closed))\n")
    status, _, error = shell("run %s-- %s -m look ;%s" % (quiet, sys.executable, redirection), tmp_path)
    assert (status, error) == (0, "")
    assert (tmp_path / "closed").read_text() == closed


@posix
def test_what_a_command_prints_on_a_closed_stream_fails_there(tmp_path):
    assert shell("run -- /bin/echo x ;>&-", tmp_path)[0] == shell("run --quiet -- /bin/echo x ;>&-", tmp_path)[0] != 0


# A terminal.


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def controls(text):
    """What a text has beyond characters, line feeds and the command's own colors."""
    # What takes longer than a second says so, and erases it.
    text = re.sub("\r(devicekit: [^\r\n]*)\r *\r", r"\1", text)
    forged = [FORGED] * text.count(FORGED)
    return forged + [
        item for item in re.sub("\033\\[(?:31;1|33;1|36|32;1|1|2|0)m|\n", "", text) if not item.isprintable()
    ]


@pytest.fixture
def typed(monkeypatch):
    """Run the command on a terminal; return its status and all that the terminal got."""

    def run(*arguments):
        out, err = Terminal(), Terminal()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", out)
            patched.setattr(sys, "stderr", err)
            try:
                status = main(list(arguments))
            except SystemExit as error:
                status = error.code
        text = out.getvalue() + err.getvalue()
        assert not controls(text), (arguments, [line for line in text.split("\n") if controls(line)][:3])
        return status, text

    return run


def leaves(data, path=()):
    """The paths of all strings in plain data."""
    if isinstance(data, str):
        yield path
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from leaves(value, (*path, number))


def planted(data, paths):
    """A copy of plain data with control characters at the end of some of its strings."""
    data = json.loads(json.dumps(data))
    for path in paths:
        inside = data
        for key in path[:-1]:
            inside = inside[key]
        inside[path[-1]] += PLANTED
    return data


def planted_machine(name):
    """A machine with control characters in each string that may have them; those that may not are refused, in clean text."""
    data, accepted = load(name).to_dict(), []
    by_kind = {}
    for path in leaves(data):
        by_kind.setdefault(tuple(key for key in path if isinstance(key, str)), []).append(path)
    for paths in by_kind.values():
        try:
            Machine.from_dict(planted(data, paths))
            accepted += paths
        except MachineFileError as error:
            assert not controls(str(error)), str(error)
    assert len(accepted) > 20
    return planted(data, accepted)


@pytest.mark.parametrize("name", [MACHINE, "windows-nvidia-tensorflow-2.15", "linux-without-gpu"])
def test_no_string_of_a_machine_controls_the_terminal(typed, tmp_path, name):
    if name not in machines():
        name = machines()[-1]
    path, other = str(tmp_path / "machine.json"), str(tmp_path / "other.json")
    for target, data in ((path, planted_machine(name)), (other, load(MACHINE).to_dict())):
        with open(target, "w", encoding="utf-8") as stream:
            json.dump(data, stream)
    for arguments in (
        ["doctor", "--machine", path], ["doctor", "--machine", path, "--verbose"], ["doctor", "--machine", path, "--json"],
        ["devices", "--machine", path], ["explain", "--machine", path, "CUDA error: no kernel image is available"],
        ["diff", path, other], ["diff", other, path], ["fleet", path, other], ["resolve", "gpu", "--machine", path],
    ):  # fmt: skip
        assert typed(*arguments)[0] in (0, 1, 2)


def test_the_commands_own_colors_reach_the_terminal(typed, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("WT_SESSION", "1")
    assert "\x1b[1mDecision\x1b[0m" in typed("doctor", "--machine", MACHINE, "--verbose")[1]


def test_no_error_controls_the_terminal(typed, tmp_path):
    folder = str(tmp_path / ("a" + PLANTED.replace("\x07", "").replace("/", "")))
    for arguments in (
        ["doctor", "--machine", folder],
        ["explain", folder],
        ["nonsense" + PLANTED],
        ["explain", "x-" + PLANTED],
    ):
        assert typed(*arguments)[0] in (0, 1, 2)
    path = str(tmp_path / "bad.json")
    for content in (
        {"schema" + PLANTED: 1},
        {"schema": PLANTED},
        dict(load(MACHINE).to_dict(), **{PLANTED: 1}),
        PLANTED,
    ):
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(content, stream)
        for arguments in (["doctor", "--machine", path], ["explain", "--facts", path, "x y"], ["diff", path, path]):
            assert typed(*arguments)[0] in (0, 1, 2)


@posix
def test_no_other_interpreter_controls_the_terminal(typed, tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nprintf '\\033[2J\\033]0;t\\007\\r' >&2\nprintf '\\033[2J'\nexit 3\n")
    python.chmod(0o755)
    status, text = typed("doctor", "--python", str(python))
    assert status == 2
    assert str(python) in text.replace("\n", "")


def test_a_log_does_not_control_the_terminal(typed, tmp_path):
    path = tmp_path / "log"
    line = "ImportError: libcudnn.so.8%s: cannot open shared object file: No such file or directory\n"
    path.write_text(line % PLANTED.replace("\r", "").replace("\u2028", ""), encoding="utf-8")
    assert typed("explain", str(path))[0] in (0, 1)


def test_records_warnings_and_errors_show_no_control_characters():
    finding = Finding(
        "no-gpu", "error", "None" + PLANTED, (Evidence(PLANTED, PLANTED),), (Fix("Do" + PLANTED, PLANTED),)
    )
    selection = Selection("cpu", None, "cpu", name="name" + PLANTED, reason="reason" + PLANTED, findings=(finding,))
    for text in (
        str(selection), str(DeviceWarning(finding)), str(DevicekitError("no" + PLANTED)), short_text(finding),
    ):  # fmt: skip
        assert not controls(text), text
        assert "?" in text
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn(DeviceWarning(finding), stacklevel=1)
    assert not controls(warnings.formatwarning(caught[0].message, DeviceWarning, "x.py", 1, ""))


def test_what_is_logged_shows_no_control_characters():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logging.getLogger("devicekit").addHandler(handler)
    try:
        notify(Finding("no-gpu", "error", "logged" + PLANTED), DeviceWarning, quiet=True)
        log("error", "%s", PLANTED)
    finally:
        logging.getLogger("devicekit").removeHandler(handler)
    assert "logged?" in stream.getvalue()
    assert not controls(stream.getvalue())


@pytest.mark.parametrize(
    "arguments",
    ["doctor --html", "bench --model mlp --figures", "bench --model mlp --plot", "launch --dry-run --summary"],
)
def test_standard_output_is_not_the_name_of_a_file(arguments, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main([*arguments.split(), "-"])
    assert ended.value.code == 2
    assert "name a file" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
