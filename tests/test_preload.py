"""The repair for real: libraries are loaded by their path, answer to their name, and what anybody may write is not."""

import json
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "hardware"))

import build

pytestmark = pytest.mark.only_on("linux", reason="builds ELF files")

LOAD = """
import ctypes, json, sys
from devicekit.runtime.preload import load
paths, names = json.loads(sys.argv[1])
changes = load(paths)
found = []
for name in names:
    try:
        ctypes.CDLL(name)
        found.append(name)
    except OSError:
        pass
print(json.dumps({"changes": [[item.what, item.name, item.value] for item in changes], "found": found}))
"""


@pytest.fixture
def files(tmp_path):
    first = build.build_empty_library(str(tmp_path / "a" / "libcublasLt.so.99"))
    second = build.build_empty_library(str(tmp_path / "b" / "libcublas.so.99"), [first])
    return first, second


def run(run_json, paths, names, **env):
    return run_json(LOAD, json.dumps([paths, names]), from_checkout=True, env=env)


def test_what_was_loaded_answers_to_its_name_and_is_recorded(files, run_json):
    names = [os.path.basename(path) for path in files]
    assert run(run_json, [], names)["found"] == []
    told = run(run_json, list(files), names)
    assert told["found"] == names
    assert told["changes"] == [["library", name, path] for name, path in zip(names, files)]


def test_one_that_fails_is_left_out_and_nothing_is_raised(files, run_json):
    paths = [files[1], "/nowhere/libx.so.1", "relative/libx.so.1", files[0]]
    told = run(run_json, paths, [])
    assert [name for _, name, _ in told["changes"]] == [
        "libcublasLt.so.99"
    ]  # the other one needs it, and came too early


def test_a_home_folder_that_a_machine_does_not_name_is_found_again(files, run_json):
    home = os.path.dirname(os.path.dirname(files[0]))
    told = run(run_json, ["~/a/libcublasLt.so.99"], [], HOME=home)
    assert told["changes"] == [["library", "libcublasLt.so.99", files[0]]]


@pytest.mark.parametrize("where", ["file", "folder"])
def test_nothing_is_loaded_that_anybody_may_write(files, run_json, where):
    path = files[0] if where == "file" else os.path.dirname(files[0])
    os.chmod(path, 0o777)
    assert run(run_json, [files[0]], [os.path.basename(files[0])]) == {"changes": [], "found": []}
