"""The guide for authors of small Keras libraries: its files are taken from the page and run."""

import os
import re
import subprocess
import sys

import devicekit

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(devicekit.__file__)))
PAGE = os.path.join(os.path.dirname(HERE), "docs", "how-to", "keras-library.md")


def write_files(folder):
    """Write the files of the guide into a folder and return their names."""
    with open(PAGE, encoding="utf-8") as stream:
        files = re.findall(r'```\w+ title="([^"]+)"\n(.*?)```', stream.read(), re.S)
    for name, text in files:
        path = os.path.join(str(folder), *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
    return [name for name, _ in files]


def run_tests(folder, installed, *arguments, **variables):
    """Run the tests of a folder as the guide does, and return the exit status and what was printed."""
    environ = dict(os.environ, PYTHONPATH=PACKAGE, TF_CPP_MIN_LOG_LEVEL="3", **variables)
    plugin = [] if installed else ["-p", "devicekit.testing.pytest_plugin"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-rs", "-p", "no:cacheprovider", *plugin, *arguments],
        cwd=str(folder),
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=600,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace")


def test_the_library_of_the_guide(tmp_path, pytestconfig):
    assert write_files(tmp_path) == ["pyproject.toml", "tinynet/__init__.py", "tests/test_tinynet.py"]
    installed = pytestconfig.pluginmanager.hasplugin("devicekit")
    # What trains is tried where there is a framework: tests/live/test_live_library.py.
    status, text = run_tests(tmp_path, installed, "-k", "not learns", "--no-header")
    assert status == 0, text
    for name in ("test_plan[linux-nvidia", "test_plan[mac-apple-silicon", "test_plan[linux-cpu", "test_it_says_why"):
        assert re.search(re.escape(name) + r".* PASSED", text), text
    assert re.search(r"test_a_large_model (PASSED|SKIPPED)", text), text
