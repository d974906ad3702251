"""What `resolve` prints under "Possible instead": each command, typed as it stands, gives exactly what it announced."""

import json
import os
import re
import shlex
import subprocess

import pytest

import devicekit
from devicekit.cli.main import main
from devicekit.matrix.target import PLATFORMS
from devicekit.report.resolution import resolution_text
from devicekit.resolver.alternatives import announced
from devicekit.resolver.result import Pin, quoted
from devicekit.testing import load


def file_of(name, folder):
    """Return the path of a file with a bundled machine."""
    path = folder / (name + ".json")
    path.write_text(json.dumps(load(name).to_dict()))
    return str(path)


#: Arguments of the command for which there is no set on some of the platforms and machines.
ASKED = (
    ("directml",),
    ("metal", "--framework", "torch"),
    ("cuda", "--keep", "numpy<1.20"),
    ("cuda", "--keep", "tensorflow==2.4.*", "--keep", "numpy<2"),
    ("gpu", "--gpu", "GeForce GTX 1080", "--keep", "tensorflow==2.21.*", "--with", "torch", "--keep", "torch==2.11.*"),
    ("gpu", "--gpu", "6.1", "--framework", "jax", "--keep", "jax==0.4.13"),
    ("rocm", "--gpu", "amd", "--with", "jax"),
    ("xpu", "--keep", "tensorflow>=2.16,<2.18"),
    ("cpu", "--framework", "keras", "--keep", "tensorflow==2.3.*", "--keep", "keras>=3"),
)


def resolved(arguments, capsys):
    main(["resolve", *arguments, "--json"])
    return json.loads(capsys.readouterr().out)


def pins_of(data):
    pins = tuple(Pin(pin["name"], pin["version"], "", extras=tuple(pin["extras"])) for pin in data["pins"])
    return announced(pins)


def check(arguments, capsys):
    """Run each alternative of a question; return how many there were."""
    alternatives = resolved(arguments, capsys)["alternatives"]
    for item in alternatives:
        line = " ".join(map(quoted, item["arguments"]))
        again = resolved(shlex.split(line), capsys)
        assert again["possible"], line
        assert item["text"].endswith(": " + pins_of(again)), (line, item["text"], pins_of(again))
        given_up = item["text"].partition("without keeping ")[2].partition(": ")[0].split(", ")
        for option in ("--keep", "--gpu"):
            asked = [arguments[i + 1] for i, text in enumerate(arguments) if text == option]
            assert [text for text in asked if text not in item["arguments"] and text not in given_up] == []
    return len(alternatives)


@pytest.mark.parametrize("asked", ASKED, ids=" ".join)
def test_a_command_gives_what_it_announced_on_every_platform(asked, capsys):
    count = sum(
        check((*asked, "--platform", platform, "--python", python), capsys)
        for platform in PLATFORMS
        for python in ("3.7", "3.13")
    )
    assert count > 0


@pytest.mark.parametrize("name", ["linux-amd-stock-tf", "windows-nvidia-tf-2.10", "mac-intel", "wsl2-nvidia"])
def test_a_command_gives_what_it_announced_on_a_machine(name, capsys, tmp_path):
    machine = ("--machine", file_of(name, tmp_path))
    assert sum(check((*asked, *machine), capsys) for asked in (*ASKED, ("gpu", "--keep", "tensorflow>=2.16"))) > 5


def test_wsl_is_offered_with_the_gpu_that_is_there(capsys, tmp_path):
    machine = ("--machine", file_of("windows-nvidia-tf-2.10", tmp_path))
    alternatives = resolved(("cuda", "--framework", "jax", *machine), capsys)["alternatives"]
    (wsl,) = [item["arguments"] for item in alternatives if item["text"].startswith("in WSL 2")]
    assert wsl[wsl.index("--platform") + 1] == "linux-x86_64"
    assert wsl[wsl.index("--gpu") + 1] == "nvidia"
    machine = ("--machine", file_of("windows-laptop-three-gpus", tmp_path))
    texts = [
        " ".join(item["arguments"])
        for item in resolved(("cuda", "--framework", "jax", *machine), capsys)["alternatives"]
    ]
    assert any("--gpu" in text for text in texts)


@pytest.mark.parametrize(
    "argument",
    [
        "numpy==1.26.4",
        "numpy<2,>=1.20",
        "a>1; python_version < '3.9'",
        "GeForce GTX 1080",
        "tensorflow[and-cuda]",
        "a|b",
    ],
)
def test_an_argument_is_the_same_in_every_shell(argument):
    text = quoted(argument)
    assert shlex.split(text) == [argument]
    if os.name == "posix":
        assert subprocess.check_output(["sh", "-c", 'printf "%%s" %s' % text]).decode("utf-8") == argument
    # PowerShell and cmd: plain signs stand alone, everything else is in double quotes without what is read inside them.
    assert re.match(r"[A-Za-z0-9_.:/=+-]+\Z|\"[^\"$`%]*\"\Z", text)


def test_what_is_printed_is_what_can_be_typed(capsys):
    arguments = ("cuda", "--platform", "windows-amd64", "--python", "3.13", "--keep", 'numpy<2; python_version>"3"')
    main(["resolve", *arguments])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines() if "devicekit resolve" in line]
    assert lines
    for line in lines:
        main([*shlex.split(line)[1:], "--json"])
        assert json.loads(capsys.readouterr().out)["possible"], line


def test_a_keep_of_a_framework_that_is_given_up_is_named():
    answer = devicekit.resolve(
        "directml", python="3.12", platform="windows-amd64", keep=("tensorflow==2.10.*", "numpy<2")
    )
    texts = [item.text for item in answer.alternatives]
    (jax,) = [text for text in texts if text.startswith("in WSL 2, if the GPU is NVIDIA's: JAX")]
    assert "without keeping tensorflow==2.10.*" in jax
    assert "numpy" not in jax
    assert 'devicekit resolve cuda --framework jax --keep "numpy<2"' in resolution_text(answer, "3.12")
