"""The tools that derive the data, on texts and names that the tests make: what a wheel says becomes which row."""

import importlib.util
import json
import os
import re
import subprocess
import sys

TOOLS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools")


def tool(name, monkeypatch):
    monkeypatch.syspath_prepend(TOOLS)
    spec = importlib.util.spec_from_file_location(name, os.path.join(TOOLS, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_saving_is_deterministic(tmp_path, monkeypatch):
    refresh = tool("refresh_matrix", monkeypatch)
    monkeypatch.setattr(refresh, "DATA", str(tmp_path))
    sets = {"bbbbbb": ["b"], "aaaaaa": ["a"], "unused": []}
    rows = [{"version": "1", "builds": [{"requires": "bbbbbb"}]}, {"version": "2", "builds": [{"requires": "aaaaaa"}]}]
    refresh.save("x", rows, sets, "2026-01-01")
    first = (tmp_path / "x.json").read_bytes()
    refresh.save("x", rows, dict(reversed(list(sets.items()))), "2026-01-01")
    assert (tmp_path / "x.json").read_bytes() == first
    data = json.loads(first.decode("utf-8"))
    assert list(data["requires"]) == ["aaaaaa", "bbbbbb"]
    assert first.count(b'{"version"') == 2
    assert all(line.count(b'"version"') <= 1 for line in first.splitlines())


def test_the_check_of_a_gpu_runs_from_a_checkout_and_says_what_is_missing(tmp_path):
    """Here without a framework, so that only what needs none is checked; the live tests have the parts that do."""
    frameworks = [name for name in ("tensorflow", "jax", "torch") if importlib.util.find_spec(name) is not None]
    only = ["--framework", "tensorflow"] if frameworks and "tensorflow" not in frameworks else []
    if frameworks and not only:
        only = ["--framework", next(name for name in ("jax", "torch") if name not in frameworks)]
    done = subprocess.run(
        [sys.executable, os.path.join(TOOLS, "gpu_check.py"), "--vendor", str(tmp_path)] + only,
        cwd=str(tmp_path),
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        timeout=300,
    )
    found = json.loads(done.stdout.decode())
    checks = {check["name"]: check for check in found["checks"]}
    assert (done.returncode, found["failed"]) == (0, []), done.stderr
    assert list(checks) == ["packages", "doctor", "time of detect()"]
    assert "cpu" in [item["device"] for item in checks["doctor"]["seen"]["devices"]]
    assert checks["time of detect()"]["seen"]["repeated_ms"] > 0


def test_files_that_sessions_name_are_there():
    """A renamed test file must not fall out of the gate."""
    root = os.path.dirname(TOOLS)
    with open(os.path.join(root, "noxfile.py"), encoding="utf-8") as stream:
        text = stream.read()
    paths = re.findall(r'"(tests/[\w/]+(?:\.py)?)"', text)
    paths += [
        "tests/live/test_live_%s.py" % name
        for names in re.findall(r"live_files\(([^)]*)\)", text)
        for name in re.findall(r'"(\w+)"', names)
    ]
    assert len(paths) > 40
    assert [path for path in paths if not os.path.exists(os.path.join(root, path))] == []
    # And no live test is in none of them.
    live = {name for name in os.listdir(os.path.join(root, "tests", "live")) if name.startswith("test_")}
    assert sorted(live - {os.path.basename(path) for path in paths}) == []
