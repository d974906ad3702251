"""Words for the Tab key: what the command offers, and what bash makes of it."""

import os
import shutil
import subprocess
import sys

import pytest

from devicekit.cli.completion import _SCRIPTS
from devicekit.cli.completion import candidates as candidates_of
from devicekit.cli.main import command_parser, main
from devicekit.diagnosis.codes import CODES
from devicekit.resolver.goals import GOALS
from devicekit.testing import machines


def candidates(words):
    return candidates_of(command_parser().verbs, words)


@pytest.mark.parametrize(
    "words, wanted",
    [
        ([], {"doctor", "fix", "explain", "completion", "--version"}),
        (["doctor"], {"--device", "--python", "--json", "--verbose"}),
        (["explain"], {*CODES, "--clipboard"}),
        (["doctor", "--explain"], set(CODES)),
        (["doctor", "--machine"], set(machines())),
        (["doctor", "--json", "--device"], {"auto", "gpu", "cuda"}),
        (["doctor", "--device", "="], {"auto", "gpu", "cuda"}),
        (["launch", "--devices"], {"auto", "gpu"}),
        (["resolve"], {*GOALS, "--keep"}),
        (["fix", "--goal"], {*GOALS, "auto"}),
        (["resolve", "--framework"], {"tensorflow", "torch"}),
        (["resolve", "--format"], {"pip", "conda"}),
        (["completion"], set(_SCRIPTS)),
    ],
)
def test_what_may_come_next(words, wanted):
    assert wanted <= set(candidates(words))


def test_where_a_file_or_anything_may_come_nothing_is_offered():
    assert candidates(["doctor", "--python"]) == []
    assert candidates(["no-such-verb"]) == []
    assert "cudnn-missing" not in candidates(["doctor"])


def test_every_verb_has_words():
    assert [verb for verb in command_parser().verbs if not candidates([verb])] == []


@pytest.mark.parametrize("shell", sorted(_SCRIPTS))
def test_a_script_calls_the_command(shell, capsys):
    assert main(["completion", shell]) == 0
    assert "devicekit completion --current=" in capsys.readouterr().out


def test_a_misspelled_shell(capsys):
    assert main(["completion", "bsh"]) == 2
    assert "did you mean bash?" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    "typed, wanted",
    [
        (["do"], ["doctor"]),
        (["explain", "cudnn-m"], ["cudnn-missing"]),
        (["doctor", "--device", "=", "f"], ["fastest"]),
        (["doctor", "--machine", "mac-i"], ["mac-intel"]),
        (["doctor", "--python", ""], []),
    ],
)
def test_bash_completes(typed, wanted, tmp_path):
    """The script itself, in a real bash, with the words as bash hands them over."""
    command = tmp_path / "devicekit"
    command.write_text('#!/bin/sh\nexec "%s" -m devicekit "$@"\n' % sys.executable)
    command.chmod(0o755)
    words = " ".join("'%s'" % word for word in ["devicekit", *typed])
    program = _SCRIPTS["bash"] % "devicekit completion --current="
    program += "COMP_WORDS=(%s); COMP_CWORD=%d; _devicekit; printf '%%s\\n' \"${COMPREPLY[@]}\"" % (words, len(typed))
    folder = os.path.dirname(os.path.dirname(os.path.dirname(sys.modules["devicekit.cli"].__file__)))
    environ = dict(os.environ, PATH=str(tmp_path) + os.pathsep + os.environ["PATH"], PYTHONPATH=folder)
    done = subprocess.run(["bash", "-c", program], env=environ, stdout=subprocess.PIPE, timeout=60, cwd=str(tmp_path))
    assert [line for line in done.stdout.decode().splitlines() if line] == wanted


def test_without_the_extra_the_server_says_how_to_install_it(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert main(["mcp"]) == 2
    assert '-m pip install "devicekit[mcp]"' in capsys.readouterr().err
