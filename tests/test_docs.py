"""The code in README and guide runs, and the commands that they name exist."""

import os
import re

import pytest

from devicekit.cli import main

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = [
    "README.md",
    "docs/guide.md",
    "docs/platforms.md",
    "docs/resolve.md",
    "docs/benchmark.md",
    "docs/numerics.md",
    "docs/index.md",
    "docs/codes.md",
    "docs/reports.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "benchmarks/README.md",
]


def read(name):
    with open(os.path.join(ROOT, *name.split("/")), encoding="utf-8") as stream:
        return stream.read()


BLOCKS = [(name, block) for name in PAGES for block in re.findall(r"```python\n(.*?)```", read(name), re.S)]


@pytest.mark.parametrize("name, block", BLOCKS, ids=["%s-%d" % (name, n) for n, (name, _) in enumerate(BLOCKS)])
def test_code_blocks_run(python, name, block, tmp_path):
    # As a program of its own, on whatever this machine has; a fall to the CPU is a warning and no failure.
    python(block, flags=["-W", "ignore"], env={"TF_CPP_MIN_LOG_LEVEL": "3", "DEVICEKIT_CACHE_DIR": str(tmp_path)})


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    folder = os.path.dirname(os.path.join(ROOT, *name.split("/")))
    for target in re.findall(r"\]\(([^)#]+)\)", read(name)):
        if "://" not in target:
            assert os.path.exists(os.path.join(folder, target)), target


def test_the_commands_of_the_readme_are_commands(capsys):
    listing = "".join(re.findall(r"```text\n(.*?)```", read("README.md"), re.S))
    verbs = set(re.findall(r"^devicekit (\w+)", listing, re.M))
    assert verbs == {
        "bench", "devices", "doctor", "explain", "matrix", "resolve", "snapshot", "tune", "verify",
    }  # fmt: skip
    for verb in verbs:
        with pytest.raises(SystemExit) as end:
            main([verb, "--help"])
        assert end.value.code == 0
        assert "--json" in capsys.readouterr().out


def test_the_version_is_in_the_changelog():
    import devicekit

    assert "## %s" % devicekit.__version__ in read("CHANGELOG.md")
