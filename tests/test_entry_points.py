"""Which distributions have entry points for devicekit: all may, and the look at them is quick."""

import os
import sys
import time
import types

import pytest

from devicekit.machine.entry_points import distributions_with
from devicekit.machine.live_host import LiveHost, this_interpreter
from devicekit.machine.simulated import SimulatedHost

OURS = "[console_scripts]\nacme = acme:main\n\n[devicekit.platforms]\nnpu = acme:P\n"


def install(folder, name, text):
    entry = "%s-1.0.dist-info" % name
    (folder / entry).mkdir(parents=True)
    if text is not None:
        (folder / entry / "entry_points.txt").write_text(text, encoding="utf-8")
    return entry


def look(folder):
    return distributions_with(LiveHost(this_interpreter()), str(folder), sorted(os.listdir(str(folder))))


def test_of_any_name(tmp_path):
    install(tmp_path, "plain", None)
    install(tmp_path, "scripts", "[console_scripts]\nx = a:b\n")
    assert look(tmp_path) == []
    acme = install(tmp_path, "acme_runtime", OURS)
    assert look(tmp_path) == [acme]


def test_what_is_installed_later_is_found_and_what_is_removed_is_gone(tmp_path):
    acme = install(tmp_path, "acme", OURS)
    long_ago = time.time() - 100
    os.utime(str(tmp_path), (long_ago, long_ago))
    assert look(tmp_path) == look(tmp_path) == [acme]
    other = install(tmp_path, "other", OURS)
    assert look(tmp_path) == [acme, other]
    (tmp_path / acme / "entry_points.txt").unlink()
    (tmp_path / acme).rmdir()
    assert look(tmp_path) == [other]


def test_the_files_are_not_opened_again_where_nothing_was_installed(tmp_path):
    acme = install(tmp_path, "acme", OURS)
    long_ago = time.time() - 100
    os.utime(str(tmp_path), (long_ago, long_ago))
    assert look(tmp_path) == [acme]
    (tmp_path / acme / "entry_points.txt").write_text("", encoding="utf-8")  # the folder's own time stays
    assert look(tmp_path) == [acme]


def test_some_alone_when_they_are_named_and_none_when_switched_off(tmp_path, monkeypatch):
    acme, other = install(tmp_path, "Acme.Runtime", OURS), install(tmp_path, "other", OURS)
    assert look(tmp_path) == [acme, other]
    monkeypatch.setenv("DEVICEKIT_PLUGINS", "acme-runtime")
    assert look(tmp_path) == [acme]
    monkeypatch.setenv("DEVICEKIT_PLUGINS", "0")
    assert look(tmp_path) == []


@pytest.mark.only_on("posix", reason="FIFOs are POSIX")
def test_odd_things_in_place_of_the_file(tmp_path):
    install(tmp_path, "folder", None)
    (tmp_path / "folder-1.0.dist-info" / "entry_points.txt").mkdir()
    install(tmp_path, "fifo", None)
    os.mkfifo(str(tmp_path / "fifo-1.0.dist-info" / "entry_points.txt"))
    (tmp_path / "file.egg-info").write_text("Metadata-Version: 1.0\n", encoding="utf-8")
    acme = install(tmp_path, "acme", OURS)
    assert look(tmp_path) == [acme]


def test_a_machine_that_is_a_folder(make_machine):
    host = make_machine(files={"/usr/lib/python3/site-packages/acme-1.0.dist-info/entry_points.txt": OURS})
    assert isinstance(host, SimulatedHost)
    folder = "/usr/lib/python3/site-packages"
    assert distributions_with(host, folder, ["acme-1.0.dist-info", "none-1.0.dist-info"]) == ["acme-1.0.dist-info"]


def test_the_machine_names_them(tmp_path):
    install(tmp_path, "Acme_Runtime", OURS)
    from devicekit.machine.probe.python import read_python

    interpreter = this_interpreter().replace(sys_path=(str(tmp_path),))
    python = read_python(LiveHost(interpreter))
    assert python.plugin_distributions == ("acme-runtime",)
    assert [item.name for item in python.distributions.value] == ["acme-runtime"]


def test_an_imported_framework_is_in_the_description_of_this_interpreter(monkeypatch):
    module = types.ModuleType("torch")
    module.__version__ = "2.13.0"
    monkeypatch.setitem(sys.modules, "torch", module)
    assert ("torch", "2.13.0") in this_interpreter().modules
