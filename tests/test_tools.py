"""The tools that derive the data, on texts and names that the tests make: what a wheel says becomes which row."""

import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest

TOOLS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tools")


def tool(name, monkeypatch):
    monkeypatch.syspath_prepend(TOOLS)
    spec = importlib.util.spec_from_file_location(name, os.path.join(TOOLS, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_saving_is_deterministic(tmp_path, monkeypatch):
    refresh = tool("refresh_matrix", monkeypatch)
    path = tmp_path / "projects.txt"
    path.write_text("date 2026-01-01\n\n= a\n{}\n\n= z\n{}\n", encoding="ascii")
    monkeypatch.setattr(refresh, "DATA", str(path))
    sets = {"bbbbbb": ["b"], "aaaaaa": ["a"], "unused": []}
    rows = [
        {"version": "1", "builds": [{"requires": "bbbbbb", "source": "x-1-py3-none-any.whl"}]},
        {"version": "2", "builds": [{"requires": "aaaaaa", "source": "x-2.tar.gz"}]},
    ]
    refresh.save("x", rows, sets, "2026-01-01")
    first = path.read_bytes()
    refresh.save("x", rows, dict(reversed(list(sets.items()))), "2026-01-01")
    assert path.read_bytes() == first
    assert list(refresh.sections()) == ["a", "x", "z", ""]
    assert refresh.sections()["z"] == "{}\n"
    data = json.loads(refresh.sections()["x"])
    assert data["requires"] == [["b"], ["a"]]
    assert [row["builds"][0]["source"] for row in data["rows"]] == ["-py3-none-any", "x-2.tar.gz"]
    assert first.count(b'{"version"') == 2
    assert all(line.count(b'"version"') <= 1 for line in first.splitlines())


def test_a_file_of_two_distributions_is_a_row_for_the_releases_that_have_it(monkeypatch):
    overlaps = tool("find_overlaps", monkeypatch).overlaps
    files = {
        "a": {"1": {"x/liba.so.1"}, "2": {"x/liba.so.2", "x/libextra.so"}, "3": {"x/liba.so.2"}},
        "b": {"2": {"x/liba.so.2", "x/libextra.so"}, "3": {"x/liba.so.2"}},
        "c": {"1": {"y/liba.so.1"}},
    }
    assert overlaps(files) == [{"file": "x/liba.so.2", "writers": {"a": ">=2", "b": ""}}]
    # What else two releases share says nothing new, what others share does.
    files["c"]["1"].add("x/liba.so.1")
    assert [row["writers"] for row in overlaps(files)] == [{"a": "<2", "c": ""}, {"a": ">=2", "b": ""}]
    files["b"]["3"].discard("x/liba.so.2")
    files["b"]["4"] = {"x/liba.so.2"}
    with pytest.raises(ValueError, match="not in one range"):
        overlaps(files)


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


def versions(*texts):
    from packaging.version import Version

    return [Version(text) for text in texts]


RELEASES = versions(
    "1.19.5", "1.20.0", "1.20.1", "1.20.2", "1.20.3", "1.21.0", "1.21.6", "1.22.0", "1.22.4", "1.23.0", "1.23.5",
    "1.24.0", "1.24.1", "1.24.2", "1.24.3", "1.24.4", "1.25.0", "1.25.2", "1.26.0", "1.26.4", "2.0.0", "2.0.2",
)  # fmt: skip


def search(bounds, points, last, guess):
    """Ask as the tool does, of a dependency that works up to an index; return what was tried."""
    results, tried = {}, []
    while True:
        version = bounds.next_version("numpy", points, results, guess)
        if version is None:
            return results, tried
        assert version not in results, "asked twice"
        tried.append(str(version))
        results[version] = points.index(version) <= last


@pytest.mark.parametrize("upward", [True, False])
def test_a_bound_is_found_wherever_it_is_and_whatever_is_guessed(upward, monkeypatch):
    bounds = tool("try_bounds", monkeypatch)
    points = RELEASES if upward else RELEASES[::-1]
    for last in range(len(points)):
        for guess in [None, *points]:
            results, _ = search(bounds, points, last, guess)
            assert bounds.reached(points, results) == (last, last + 1), (last, guess)


def test_a_bound_takes_few_tries(monkeypatch):
    bounds = tool("try_bounds", monkeypatch)
    newest, right = len(RELEASES) - 1, RELEASES.index(versions("1.23.5")[0])
    assert search(bounds, RELEASES, newest, None)[1] == ["2.0.2"]
    assert search(bounds, RELEASES, newest, RELEASES[-1])[1] == ["2.0.2"]
    # As its neighbor: what works there, and the next one.
    assert search(bounds, RELEASES, right, RELEASES[right])[1] == ["1.23.5", "1.24.0"]
    assert len(search(bounds, RELEASES, right, None)[1]) <= 5


@pytest.mark.parametrize(
    "status, printed, result",
    [
        (0, "@STAGE import\n@TRAINED 2.5.3\n", "ok"),
        (1, "@FAILED AttributeError: no object\n", "import: AttributeError: no object"),
        (1, "@STAGE import\n@STAGE dense\n@FAILED TypeError: x\n", "lstm: TypeError: x"),
        (-11, "", "import: killed by signal 11"),
        (None, "@STAGE import\n", "dense: no answer in time"),
        (3, "@STAGE import\n", "dense: exit status 3: last words"),
        # A framework may print on the same stream, or end the process with 0 before everything is through.
        (0, "@STAGE import\n@STAGE dense\n", "lstm: exit status 0: last words"),
        (1, "@FAILED ImportError: /a/b/site-packages/x/y.so: at 0x7f12ab\n", "import: ImportError: x/y.so: at 0x"),
    ],
)  # fmt: skip
def test_what_came_of_a_try(status, printed, result, monkeypatch):
    assert tool("try_bounds", monkeypatch).outcome(status, printed, "noise\nlast words\n") == result


def test_an_error_about_two_dependencies_is_no_bound(tmp_path, monkeypatch):
    bounds = tool("try_bounds", monkeypatch)
    subject = bounds.Subject("tensorflow", "2.21.0", "tensorflow-cpu", "3.10")
    for folder in ("base", "releases"):
        (tmp_path / folder).mkdir()
    (tmp_path / "base" / (subject.key + ".txt")).write_text("h5py==3.14.0\nnumpy==2.2.6\n")
    tries = {
        "3.14.0": "ok", "3.11.0": "ok", "3.10.0": "import: ValueError: numpy.dtype size changed",
        "3.0.0": "hdf5: TypeError: a bytes-like object is required", "2.10.0": "import: AttributeError: no typeDict",
    }  # fmt: skip
    files = [[version, [["cp310", "manylinux_2_17_x86_64"]], ""] for version in tries]
    (tmp_path / "releases" / "h5py.json").write_text(json.dumps(files))
    search = bounds.Search(str(tmp_path), [subject])
    for version, result in tries.items():
        search.results.add({"subject": subject.key, "changes": {"h5py": version}, "result": result})
    row = search.row(subject, "h5py")
    assert (row["oldest"], row["below"], row["below_fails"][:5]) == ("3.11.0", "3.0.0", "hdf5:")


def test_a_row_is_what_the_tries_say(tmp_path, monkeypatch):
    bounds = tool("try_bounds", monkeypatch)
    subject = bounds.Subject("tensorflow", "2.5.3", "tensorflow-cpu", "3.9")
    for folder in ("base", "releases"):
        (tmp_path / folder).mkdir()
    (tmp_path / "base" / (subject.key + ".txt")).write_text("numpy==1.19.5\nwrapt==1.12.1\n")
    files = [[str(version), [["cp39", "manylinux_2_17_x86_64"]], ""] for version in RELEASES]
    # Not for this Python, not final, not built.
    files += [["1.27.0", [["cp310", "any"]], ""], ["1.27.0rc1", [["py3", "any"]], ""], ["1.28.0", None, ""]]
    (tmp_path / "releases" / "numpy.json").write_text(json.dumps(files))

    def told(version):
        if version < versions("1.20")[0]:
            return "ok"
        return "lstm: no" if version < versions("1.24")[0] else "import: no object"

    search = bounds.Search(str(tmp_path), [subject])
    assert search.row(subject, "numpy") is None
    search.results.add({"subject": subject.key, "changes": {}, "result": "ok"})
    for _ in range(20):
        version = search.wanted(subject, "numpy", True)
        if version is None:
            break
        row = search.row(subject, "numpy")
        assert row is None or (row["newest"], row.get("above_fails", "")[:6]) in (
            ("1.19.5", "import"),
            ("1.19.5", "lstm: "),
        )
        search.results.add({"subject": subject.key, "changes": {"numpy": str(version)}, "result": told(version)})
    # Several that fail together say nothing of one of them.
    search.results.add({"subject": subject.key, "changes": {"numpy": "1.19.5", "wrapt": "2.0"}, "result": "import: no"})
    again = bounds.Search(str(tmp_path), [subject])
    assert again.row(subject, "numpy") == {
        "project": "tensorflow", "release": "2.5.3", "python": "3.9", "dependency": "numpy",
        "oldest": "1.19.5", "newest": "1.19.5", "above": "1.20.0", "above_fails": "lstm: no",
        "imports_above": "1.23.5", "import_above": "1.24.0", "import_above_fails": "import: no object",
    }  # fmt: skip


@pytest.mark.parametrize(
    "subject, before, after, kept",
    [
        ("tensorflow", {"tensorflow": "2.15.1", "tensorflow-cpu": "2.14.0"}, {"tensorflow-cpu": "2.15.1"}, True),
        ("tensorflow", {"tensorflow": "2.15.1"}, {"tensorflow": "2.16.2"}, False),
        ("tensorflow", {"keras": "3.15.1"}, {"keras": "3.15.1", "tensorflow": "2.21.0"}, False),
        ("keras", {"keras": "3.15.1", "jax": "0.4.20"}, {"keras": "3.15.1", "jax": "0.6.2"}, False),
        ("keras", {"keras": "3.15.1", "jax": "0.4.20"}, {"keras": "3.15.1"}, False),
        ("keras", {"keras": "3.15.1"}, {"keras": "3.15.1", "jax": "0.6.2"}, True),
        ("keras", {"keras": "3.15.1", "torch": "2.14.1"}, {"keras": "3.15.1", "torch": "2.14.1+cpu"}, True),
    ],
)
def test_a_cure_keeps_the_release_of_every_framework(subject, before, after, kept, monkeypatch):
    assert tool("cure_rate", monkeypatch).keeps_release(before, after, subject) is kept


def test_a_false_alarm_is_a_finding_that_asks_for_something_or_a_run_that_failed(monkeypatch, tmp_path, capsys):
    false_alarms = tool("false_alarms", monkeypatch)
    warning, info = ({"severity": severity, "summary": severity} for severity in ("warning", "info"))
    rows = [
        {"framework": "tensorflow", "agrees": True, "findings": [], "cpu_seconds": 4.0, "verdicts": {"agrees": 3}},
        {"framework": "jax", "agrees": True, "findings": [info], "cpu_seconds": 10.0, "verdicts": {"agrees": 3}},
        {"framework": "torch", "agrees": True, "findings": [info, warning], "cpu_seconds": 1.0},
        {"framework": "torch", "agrees": False, "findings": []},
        {"framework": "torch", "error": "Traceback\nKeyError: 1\n"},
    ]
    rows = [dict(row, model="m", seed=seed // 2 + seed // 3) for seed, row in enumerate(rows)]
    assert [row["seed"] for row in rows] == [0, 0, 1, 2, 3]
    assert [false_alarms.alarms(row) for row in rows] == [[], [], ["warning"], ["does not agree"], ["KeyError: 1"]]
    path = tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in [dict(rows[0], agrees=False), *rows]), encoding="utf-8")
    read = false_alarms.read(str(path))
    assert list(read.values()) == rows
    assert not false_alarms.report(read)
    text = capsys.readouterr().out
    assert "3 runs of   1 models,   3 with an alarm" in text
    assert "JAX takes 2.5 times the CPU-seconds of TensorFlow (1 runs that both have)" in text
    assert false_alarms.report(dict(list(read.items())[:2]))
