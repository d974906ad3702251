"""The first screen of ``devicekit doctor``: every bundled machine in a few lines, whatever the terminal."""

import base64
import functools
import os
import random
import re
import socket
import zlib

import pytest

from devicekit import diagnose, select_device
from devicekit.cli.main import main
from devicekit.errors import MachineFileError
from devicekit.machine import Fact
from devicekit.machine.probe import read_machine
from devicekit.machine.snapshot import load_machine, pack, unpack
from devicekit.report.amounts import system_name
from devicekit.report.screen import LIMIT, doctor_screen
from devicekit.report.terminal import Style
from devicekit.testing import load, machines

#: The screens: at 80 columns, then how the narrower and the wider ones differ. To write them again after a change, and then
#: read them: ``python tests/test_doctor_screen.py``.
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "doctor_screens.txt")
COLOR = re.compile(r"\x1b\[[0-9;]*m")
WIDTHS = (60, 80, 120)


@functools.lru_cache(maxsize=None)
def examined(name, device):
    machine = load(name)
    return machine, diagnose(machine), select_device(device, machine=machine)


def screen(name, device="auto", **style):
    style.setdefault("unicode", True)
    return doctor_screen(*examined(name, device), Style(**style))


def test_directml_is_ready_only_when_a_self_test_has_passed():
    machine, diagnosis, selection = examined("windows-amd-directml", "auto")
    assert "gpu:0 (AMD Radeon RX 6700 XT) is listed, but not tested yet." in screen("windows-amd-directml")
    text = doctor_screen(machine, diagnosis, selection.replace(verified=True), Style())
    assert "Ready on gpu:0 (AMD Radeon RX 6700 XT)." in text


def golden():
    """Return the screens as they are now: every bundled machine at each width, and one of each result in color."""
    parts = []
    for width in WIDTHS:
        seen = {}
        for name in machines():
            seen.setdefault(screen(name, width=width), []).append(name)
        for text, names in seen.items():
            parts.append("## %d: %s\n%s" % (width, ", ".join(names), text))
    for name in ("linux-cpu", "linux-cudnn-missing", "linux-gpu-hidden", "linux-tpu"):
        parts.append("## color, ASCII: %s\n%s" % (name, screen(name, unicode=False, color=True).replace("\x1b", "ESC")))
    return "\n".join(parts)


def test_the_screens_are_those_that_were_reviewed():
    with open(GOLDEN, encoding="utf-8") as stream:
        assert golden() == stream.read()


@pytest.mark.parametrize("width", WIDTHS)
def test_it_fits(width):
    """Lines are as wide as the terminal at most; commands are never broken, so they are shown only if they fit."""
    wrong = []
    for name in machines():
        lines = screen(name, width=width).splitlines()
        wrong += [(name, line) for line in lines if len(line) > width]
        if len(lines) > (LIMIT if width >= 80 else LIMIT + 4):
            wrong.append((name, len(lines)))
    assert wrong == []


@pytest.mark.parametrize("width", WIDTHS)
def test_colors_and_signs_are_only_added(width):
    signs = str.maketrans("\u2713\u2717\u2013", "+x-")
    for name in machines():
        plain, colored = screen(name, width=width, unicode=False), screen(name, width=width, unicode=False, color=True)
        assert COLOR.sub("", colored) == plain
        assert all(ord(item) < 128 for item in plain)
        assert plain == screen(name, width=width).translate(signs)


def test_a_machine_is_ready_only_if_nothing_is_hidden_or_blocked():
    for name in machines():
        machine = load(name)
        diagnosis = diagnose(machine)
        first = screen(name).splitlines()[0]
        blocked = [item for item in diagnosis.candidates if item.platform != "cpu" and item.usable is False]
        serious = [item for item in diagnosis.findings if item.severity != "info"]
        if first.startswith("\u2713"):
            assert not blocked, name
            assert not serious, name


@pytest.mark.parametrize("device", ["gpu:9", "rocm:0"])
def test_a_device_that_was_asked_for_in_vain_is_the_result(device):
    text = screen("linux-nvidia", device)
    assert text.startswith("\u2717 The requested device '%s' was not found" % device)
    assert "[device-not-found]" in text


@pytest.mark.parametrize("number, version", [("32.0.15.6094", "560.94"), ("31.0.101.5522", "31.0.101.5522"), ("", "")])
def test_the_driver_of_a_build_that_does_not_use_it(number, version):
    machine, diagnosis, selection = examined("windows-nvidia-stock-tf", "auto")
    (adapter, *others) = machine.directml.adapters.or_none()
    adapters = Fact.of((adapter.replace(driver_version=number), *others), "DirectX")
    machine = machine.replace(directml=machine.directml.replace(adapters=adapters))
    text = doctor_screen(machine, diagnosis, selection, Style(unicode=True))
    assert re.findall(r"driver ([\d.]+)", text) == ([version] if version else [])
    assert "driver" not in screen("windows-laptop-three-gpus")  # which has drivers of three makers


def test_verbose_has_the_evidence(capsys):
    main(["doctor", "--machine", "linux-cudnn-missing"])
    short = capsys.readouterr().out
    main(["doctor", "--machine", "linux-cudnn-missing", "--verbose"])
    whole = capsys.readouterr().out
    assert "LD_LIBRARY_PATH" not in short
    assert "LD_LIBRARY_PATH" in whole
    assert 'pip install "nvidia-cudnn-cu12' in short


def test_several_findings_are_one_line_each():
    machine = load("linux-cudnn-missing")
    diagnosis = diagnose(machine)
    finding = diagnosis.findings[0]
    many = tuple(finding.replace(code="code-%d" % number) for number in range(20))
    text = doctor_screen(machine, diagnosis.replace(findings=many), select_device(machine=machine), Style())
    lines = text.splitlines()
    assert len(lines) <= LIMIT
    assert sum("[code-" in line for line in lines) >= 3
    assert any("further findings: devicekit doctor --verbose" in line for line in lines)


def test_systems_have_the_names_that_people_know():
    named = {load(name).native.os_version.or_none(): system_name(load(name)) for name in machines()}
    assert named["10.0.22631"] == "Windows 11 23H2"
    assert named["23.5.0"] == "macOS 14.5"


@pytest.mark.parametrize(
    "release, name",
    [
        ("6.1.7601", "7"), ("6.3.9600", "8.1"), ("10.0.14393", "10 1607"), ("10.0.17763", "10 1809"),
        ("10.0.18362", "10 1903"), ("10.0.20348", "Server 2022"), ("10.0.22000", "11 21H2"),
        ("10.0.27000", "11 (build 27000)"),
    ],
)  # fmt: skip
def test_a_release_of_windows_has_the_name_that_people_know(make_machine, release, name):
    assert system_name(read_machine(make_machine(system="windows", release=release))) == "Windows " + name


# The same for a bug report


@pytest.mark.parametrize("name", ["linux-eight-gpus", "windows-amd-stock-tf", "linux-no-framework"])
def test_a_bug_report_is_the_machine(name, tmp_path, capsys):
    main(["doctor", "--machine", name, "--issue"])
    page = capsys.readouterr().out
    assert len(page.splitlines()) <= 40
    # As it comes back from a mail or a comment: quoted, with other text around it.
    path = tmp_path / "comment.md"
    path.write_text("It does not work:\n" + "".join("> %s\n" % line for line in page.splitlines()), encoding="utf-8")
    assert load_machine(str(path)).to_dict() == load(name).to_dict()


def test_a_damaged_bug_report_is_named(tmp_path, capsys):
    main(["doctor", "--machine", "linux-nvidia", "--issue"])
    lines = capsys.readouterr().out.splitlines()
    start = lines.index("devicekit-machine-1")
    path = tmp_path / "comment.md"
    for damaged in (lines[: start + 1], lines[: start + 4], [*lines[: start + 2], "AAAA", *lines[start + 3 :]]):
        path.write_text("\n".join(damaged), encoding="utf-8")
        with pytest.raises(MachineFileError, match=r"comment\.md"):
            load_machine(str(path))
    bomb = "devicekit-machine-1\n" + base64.b64encode(zlib.compress(b" " * (40 << 20), 9)).decode("ascii")
    path.write_text(bomb, encoding="utf-8")
    with pytest.raises(MachineFileError, match="more than 32 MiB"):
        load_machine(str(path))


def test_a_bug_report_has_at_most_40_lines(capsys):
    for name in machines():
        main(["doctor", "--machine", name, "--issue"])
        assert len(capsys.readouterr().out.splitlines()) <= 40, name
    content = random.Random(0).getrandbits(8 * 60000).to_bytes(60000, "big")  # of thousands of distributions
    assert len(pack(content)) <= 17
    page = "> " + "\n> ".join(pack(content))  # as a mail program quotes it
    assert unpack("page", page.encode("ascii"), 1 << 25) == content


def test_a_bug_report_of_this_machine_has_nothing_private(monkeypatch, capsys, tmp_path):
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home-of-wilhelmina"))
    monkeypatch.setenv("USER", "wilhelmina")
    main(["doctor", "--issue"])
    page = capsys.readouterr().out
    plain = unpack("page", page.encode("utf-8"), 1 << 25).decode("utf-8")
    assert "wilhelmina" not in page + plain
    assert not re.search(r"\b%s\b" % re.escape(socket.gethostname()), plain)


if __name__ == "__main__":
    with open(GOLDEN, "w", encoding="utf-8") as stream:
        stream.write(golden())
