"""The line of progress on a real terminal, and `-q`."""

import os
import subprocess
import sys

import pytest
from terminal_tools import python, shown_on_terminal

from devicekit.children.progress import _encodable
from devicekit.cli.main import command_parser
from devicekit.cli.run import _Teller
from devicekit.runtime.settings import be_quiet, read_settings

terminal = pytest.mark.only_on("posix", reason="terminals of POSIX")

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def frames(code, *command, columns=80, status=0):
    """Run a program on a terminal and return what it shows, split at its carriage returns."""
    words = python("import time\n" + code) if code else [sys.executable, *command]
    ended, seen = shown_on_terminal(words, dict(os.environ, PYTHONPATH=ROOT), columns)
    assert ended == status, seen
    return seen.decode().split("\r")


@terminal
def test_seconds_go_on_without_a_call_and_nothing_is_left():
    code = """
from devicekit.children.progress import Progress
with Progress("waiting"):
    time.sleep(2.5)
"""
    first, *shown, blank, rest = frames(code)
    assert (first, rest) == ("", "")
    assert shown == ["devicekit: waiting ... 1 s", "devicekit: waiting ... 2 s"]
    assert blank == " " * len(shown[-1])


@terminal
def test_a_line_fits_its_terminal_and_cannot_control_it():
    code = """
from devicekit.children.progress import Progress
with Progress("\\x1b[31mdevices \\n\\u65e5\\u672c\\u8a9e" + 99 * "x"):
    time.sleep(1.5)
"""
    _, shown, blank, _ = frames(code, columns=40)
    assert shown == "devicekit: ?[31mdevices ?\u65e5... ... 1 s"
    assert len(blank) == len(shown) + 1 == 38  # one of its characters is two columns wide


@terminal
def test_of_two_lines_the_inner_one_is_shown():
    code = """
from devicekit.children.progress import Progress
with Progress("outer"):
    time.sleep(1.5)
    with Progress("inner") as inner:
        time.sleep(1.6)
        inner.say("something else")
    time.sleep(1.2)
"""
    shown = [text.strip() for text in frames(code) if text.strip()]
    assert shown[0] == "devicekit: outer ... 1 s"
    assert shown[1:3] == ["devicekit: inner ... 1 s", "devicekit: something else ... 1 s"]
    assert shown[3].startswith("devicekit: outer ... ")


@terminal
def test_a_line_below_another_and_hidden_while_others_write():
    code = """
from devicekit.children.progress import Progress
with Progress("figures", below=True) as line:
    time.sleep(1.5)
    line.hide()
    time.sleep(1.5)
    line.say("others")
    time.sleep(1.2)
"""
    # A terminal writes a carriage return before each line feed.
    shown = [text for text in frames(code) if text.strip("\n")]
    up = "\x1b[A"
    first = "devicekit: figures ... 1 s"
    assert shown[:2] == [first + up, " " * len(first) + up]
    assert shown[2] in ("devicekit: others ... %d s%s" % (second, up) for second in (3, 4))
    assert shown[-1] == " " * (len(shown[2]) - len(up)) + up


@terminal
def test_an_exception_erases_it_and_another_thread_is_not_left():
    code = """
import threading
from devicekit.children.progress import Progress
try:
    with Progress("outer"):
        time.sleep(1.2)
        raise KeyError
except KeyError:
    print(threading.active_count())
"""
    assert frames(code)[-2:] == ["1", "\n"]


@terminal
@pytest.mark.parametrize("quiet", [(), ("-q",), ("--quiet",)])
def test_who_wants_quiet_gets_results_only(quiet, tmp_path):
    """An interpreter that takes its time to answer."""
    slow = tmp_path / "python"
    slow.write_text('#!/bin/sh\nsleep 2\nexec %s "$@"\n' % sys.executable)
    slow.chmod(0o755)
    seen = frames("", "-m", "devicekit", "snapshot", "--python", str(slow), "-o", str(tmp_path / "x.json"), *quiet)
    assert (tmp_path / "x.json").exists()
    assert any(text.startswith("devicekit: examining ") for text in seen) is not bool(quiet)


def test_nothing_of_it_in_a_pipe(tmp_path):
    code = "from devicekit.children.progress import Progress\nimport time\nwith Progress('x'):\n    time.sleep(1.5)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=dict(os.environ, PYTHONPATH=ROOT), capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_every_command_can_be_quiet():
    verbs = command_parser().verbs
    assert [name for name, parser in verbs.items() if "--quiet" not in parser.format_help()] == []
    assert len(verbs) > 14


def test_quiet_is_for_this_process_alone():
    before = dict(os.environ)
    try:
        be_quiet(True)
        assert read_settings().quiet
        assert dict(os.environ) == before
    finally:
        be_quiet(False)


def test_where_no_person_looks_the_wait_for_a_device_is_noted_once_a_minute(capsys):
    class Wait:
        seconds, ahead, holders = 0.0, 1, ("gpu:0 is held by \x1b[31mx",)

    teller = _Teller(2, False)
    for Wait.seconds in (0.0, 30.0, 61.0):
        teller(Wait)
    teller.end()
    start, end = "devicekit: waiting for 2 devices (", " s, 1 ahead): gpu:0 is held by ?[31mx\n"
    assert capsys.readouterr().err == start + "0" + end + start + "61" + end


def test_characters_that_a_stream_does_not_have():
    class Ascii:
        encoding = "ascii"

    assert _encodable("caf\u00e9", Ascii()) == "caf?"
