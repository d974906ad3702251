"""`tools/new_finding.py` in a copy of the tree: what it makes is complete, and fails the tests until it is filled in."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CODE = "disk-full"


@pytest.fixture
def tree(tmp_path):
    """Return a copy of what the tool and the tests of codes need, with the new finding in it."""
    skip = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in ("devicekit", "tools"):
        shutil.copytree(os.path.join(ROOT, name), str(tmp_path / name), ignore=skip)
    (tmp_path / "tests").mkdir()
    for name in ("conftest.py", "checks.py", "recorded_machines.py", "test_codes.py", "test_machines.py"):
        shutil.copy(os.path.join(ROOT, "tests", name), str(tmp_path / "tests" / name))
    shutil.copytree(os.path.join(ROOT, "tests", "machines"), str(tmp_path / "tests" / "machines"))
    run(tmp_path, "tools/new_finding.py", CODE, "--package", "disk")
    return tmp_path


def run(tree, *arguments):
    """Run Python in the copy, which is found before what is installed."""
    environment = dict(
        os.environ, PYTHONPATH=os.pathsep.join((str(tree), str(tree / "tests"))), PYTHONDONTWRITEBYTECODE="1"
    )
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=str(tree),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout


def check(tree, *tests):
    return run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)


def fill_in(tree):
    """Do what a contributor does: give every marked place its content."""
    rule = tree / "devicekit" / "diagnosis" / "rules" / "disk.py"
    text = rule.read_text(encoding="utf-8")
    text = re.sub(r"fact = .*", "fact = view.machine.native.libc", text)
    text = text.replace('fact.value != "FILL IN: the condition"', 'view.machine.process.env("PATH") != "full"')
    rule.write_text(text, encoding="utf-8")
    for name, value in (("linux-disk-full", "full"), ("linux-no-disk-full", "half full")):
        host = {"like": "linux-no-gpu", "env": {"PATH": value}}
        path = tree / "tests" / "machines" / name / "host.json"
        path.write_text(json.dumps(host), encoding="utf-8")
    for path in run(tree, "-c", "import test_codes; print('\\n'.join(test_codes.left_to_fill_in()))")[1].splitlines():
        path = tree / path.partition(":")[0]
        text = path.read_text(encoding="utf-8")
        # As bytes: the lines end as they did on every system.
        path.write_bytes(text.replace("FILL IN: ", "").replace("FILL IN", "Something.").encode("utf-8"))


def test_what_is_not_filled_in_fails_the_tests(tree):
    status, output = check(tree, "tests/test_codes.py")
    assert status == 1
    for path in (
        "devicekit/diagnosis/codes.py", "devicekit/diagnosis/rules/disk.py", "devicekit/diagnosis/codes.md",
        "tests/machines/linux-disk-full/host.json", "tests/machines/linux-disk-full/expected.json",
        "tests/machines/linux-no-disk-full/host.json", "tests/machines/linux-no-disk-full/expected.json",
    ):  # fmt: skip
        assert path + ":" in output


def test_what_is_filled_in_passes_them(tree):
    fill_in(tree)
    status, output = check(tree, "tests/test_codes.py", "tests/test_machines.py")
    assert status == 0, output


def test_it_refuses_what_is_no_new_code(tree):
    for arguments, message in (
        ((CODE,), "the code disk-full exists"),
        (("Disk",), "a code is kebab-case"),
        (("disk-slow", "--like", "linux-no-such"), "there is no machine linux-no-such"),
        (("disk-slow", "--before", "no-such"), "there is no code no-such"),
        (("disk-slow", "--package", "adapters"), "has no rules"),
    ):
        status, output = run(tree, "tools/new_finding.py", *arguments)
        assert status == 1
        assert message in output
