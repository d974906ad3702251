"""A libstdc++ on LD_LIBRARY_PATH that is older than the system's: what frameworks need and only the system's has."""

import os
import pathlib
import sys

import pytest

from devicekit import diagnose
from devicekit.machine.probe import read_machine
from devicekit.machine.probe.elf import defined_versions, needed_versions

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hardware"))

import build

pytestmark = pytest.mark.only_on("linux", reason="builds ELF files")

SITE = "/venv/lib/python3.12/site-packages"
NAME = "libstdc++.so.6"
OLD, NEW = ("GLIBCXX_3.4", "GLIBCXX_3.4.19"), ("GLIBCXX_3.4", "GLIBCXX_3.4.19", "GLIBCXX_3.4.22")
USER = {
    "tensorflow": ("tensorflow/libtensorflow_framework.so.2", {"tensorflow-cpu": "2.19.1"}),
    "jax": ("jaxlib/libjax_common.so", {"jax": "0.6.2", "jaxlib": "0.6.2"}),
    "torch": ("torch/lib/libc10.so", {"torch": "2.9"}),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The content of a new and an old libstdc++, of one without versions, and of a library that needs the new one."""
    folder = str(tmp_path_factory.mktemp("cxx"))
    new = build.build_versioned_library(os.path.join(folder, "new", NAME), NEW)
    made = {
        "new": new,
        "old": build.build_versioned_library(os.path.join(folder, "old", NAME), OLD),
        "bare": build.build_empty_library(os.path.join(folder, "bare", NAME)),
        "user": build.build_versioned_library(os.path.join(folder, "libuser.so"), (), 3, [new]),
        "modest": build.build_versioned_library(os.path.join(folder, "libmodest.so"), (), 2, [new]),
    }
    return {name: pathlib.Path(path).read_bytes() for name, path in made.items()}


def examine(make_machine, files, path, framework="tensorflow", user="user", system="new", env=None, **places):
    name, installed = USER[framework]
    host = make_machine(
        python={"version": "3.12.1", "installed": dict(installed, numpy="2.1.3")},
        env=dict({"LD_LIBRARY_PATH": path}, **(env or {})),
        loader_cache={NAME: "/usr/lib/x86_64-linux-gnu/" + NAME},
    )
    host._add("%s/%s" % (SITE, name), files[user])
    host._add("/usr/lib/x86_64-linux-gnu/" + NAME, files[system])
    for folder, kind in dict({"/opt/old": "old", "/opt/new": "new", "/opt/bare": "bare"}, **places).items():
        host._add(folder + "/" + NAME, files[kind])
    return diagnose(read_machine(host))


def test_versions_of_symbols_are_read_from_the_files(make_machine, files):
    host = make_machine()
    for name, content in files.items():
        host._add("/x/" + name, content)
    assert set(OLD) < set(defined_versions(host, "/x/old"))
    assert "GLIBCXX_3.4.22" in defined_versions(host, "/x/new")
    assert defined_versions(host, "/x/bare") is None
    assert set(needed_versions(host, "/x/user", NAME)) == set(NEW)
    assert set(needed_versions(host, "/x/modest", NAME)) == set(OLD)
    assert needed_versions(host, "/x/user", "libc.so.6") == needed_versions(host, "/x/bare", NAME) == ()
    for cut in range(0, len(files["user"]), 97):  # a file that was cut short is no reason to fail
        host._add("/x/cut", files["user"][:cut])
        needed_versions(host, "/x/cut", NAME)
        host._add("/x/cut", files["old"][:cut])
        defined_versions(host, "/x/cut")


@pytest.mark.parametrize("framework", sorted(USER))
def test_an_older_one_before_the_systems(make_machine, files, framework):
    diagnosis = examine(make_machine, files, "/opt/old", framework)
    found = diagnosis.by_code("system-library-too-old")
    assert (found.severity, found.blocks) == ("error", (framework,))
    assert "/opt/old/libstdc++.so.6" in found.summary
    assert "GLIBCXX_3.4.22" in found.evidence[0].text
    assert found.fix[0].command == "unset LD_LIBRARY_PATH"
    assert diagnosis.framework(framework).will_import is False


def test_the_other_folders_stay(make_machine, files):
    found = examine(make_machine, files, "/opt/cuda:/opt/old/:/opt/x").by_code("system-library-too-old")
    assert found.fix[0].command == "export LD_LIBRARY_PATH=/opt/cuda:/opt/x"


@pytest.mark.parametrize(
    "path, other",
    [
        ("/opt/new:/opt/old", {}),
        ("/usr/lib/x86_64-linux-gnu:/opt/old", {}),
        ("/opt/nothing", {}),
        ("/opt/bare", {}),
        ("/opt/old", {"user": "modest"}),
        # The system's is no better: leaving the variable out helps nothing.
        ("/opt/old", {"system": "old"}),
        ("/opt/old", {"env": {"LD_PRELOAD": "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"}}),
    ],
)
def test_what_is_no_reason(make_machine, files, path, other):
    assert examine(make_machine, files, path, **other).by_code("system-library-too-old") is None
