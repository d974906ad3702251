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


@pytest.fixture
def environ(tmp_path):
    """Return an environment with the command on its PATH, and a folder with one file, which is the working folder."""
    command = tmp_path / "bin" / "devicekit"
    command.parent.mkdir()
    command.write_text('#!/bin/sh\nexec "%s" -m devicekit "$@"\n' % sys.executable)
    command.chmod(0o755)
    (tmp_path / "own.log").touch()
    folder = os.path.dirname(os.path.dirname(os.path.dirname(sys.modules["devicekit.cli"].__file__)))
    path = str(command.parent) + os.pathsep + os.environ["PATH"]
    return dict(os.environ, PATH=path, PYTHONPATH=folder, HOME=str(tmp_path), TERM="dumb")


def needs(shell):
    return pytest.mark.skipif(shutil.which(shell) is None, reason="%s is not installed" % shell)


@needs("bash")
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
def test_bash_completes(typed, wanted, environ, tmp_path):
    """The script itself, in a real bash, with the words as bash hands them over."""
    words = " ".join("'%s'" % word for word in ["devicekit", *typed])
    program = _SCRIPTS["bash"] % "devicekit completion --current="
    program += "COMP_WORDS=(%s); COMP_CWORD=%d; _devicekit; printf '%%s\\n' \"${COMPREPLY[@]}\"" % (words, len(typed))
    done = subprocess.run(["bash", "-c", program], env=environ, stdout=subprocess.PIPE, timeout=60, cwd=str(tmp_path))
    assert [line for line in done.stdout.decode().splitlines() if line] == wanted


#: What is typed before the Tab key, and the line afterwards.
LINES = (
    ("do", "doctor"), ("explain cudnn-m", "explain cudnn-missing"), ("doctor --device fas", "doctor --device fastest"),
    ("doctor --device=fas", "doctor --device=fastest"), ("doctor --machine mac-i", "doctor --machine mac-intel"),
    ("doctor --python ow", "doctor --python own.log"),
)  # fmt: skip


@needs("fish")
def test_fish_completes(environ, tmp_path):
    program = "devicekit completion fish | source\n"
    program += "".join("complete -C 'devicekit %s'\necho end\n" % typed for typed, _ in LINES)
    program += "complete -C 'devicekit explain '\n"
    done = subprocess.run(
        ["fish", "--no-config", "-c", program], env=environ, stdout=subprocess.PIPE, timeout=300, cwd=str(tmp_path)
    )
    *offered, codes = done.stdout.decode().split("end\n")
    found = [[line.partition("\t")[0] for line in words.splitlines()] for words in offered]
    assert found == [[line.split()[-1]] for _, line in LINES]
    assert set(CODES) <= set(codes.splitlines())
    assert "own.log" not in codes  # no files among the words


@needs("zsh")
def test_zsh_completes(environ, tmp_path):
    """In a terminal, as it is typed."""
    import pty
    import select

    setup = "PS1= RPS1=; cd '%s'; autoload -U compinit; compinit -u -D; eval \"$(devicekit completion zsh)\"" % tmp_path
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe("zsh", ["zsh", "-f", "-i"], environ)

    def await_after(keys, wanted):
        shown = b""
        os.write(terminal, keys.encode())
        while wanted.encode() not in shown and select.select([terminal], [], [], 60.0)[0]:
            shown += os.read(terminal, 1 << 16)
        assert wanted.encode() in shown

    try:
        await_after(setup + "; print rea''dy\n", "ready")
        for typed, line in LINES:
            await_after("devicekit %s\t" % typed, "devicekit %s " % line)
            await_after("\x15print clea''red\n", "cleared")  # Ctrl-U
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)


def test_without_the_extra_the_server_says_how_to_install_it(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert main(["mcp"]) == 2
    assert '-m pip install "devicekit[mcp]"' in capsys.readouterr().err
