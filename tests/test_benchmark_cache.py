"""Figures of benchmarks that are kept: under which state, ignored when damaged or not ours, replaced as a whole."""

import json
import os
import subprocess
import sys
import time

import pytest

import devicekit
from devicekit.machine.facts import Fact
from devicekit.measure.benchmark.benchmark import SpeedCache, is_cacheable
from devicekit.runtime.speed_cache import LIFE_S, load, rows_of, save, state_of, this_state
from devicekit.selection.selection import Change
from devicekit.selection.throughput import Throughput

POSIX = os.name == "posix"
TASK = {
    "model": "mlp", "device": "cpu", "framework": "tensorflow", "mode": "training", "precision": "float32", "xla": None,
    "batch_size": None, "input_pipeline": False, "num_batches": 20, "seconds": 60.0, "settings": {},
}  # fmt: skip


def row(device="cpu", **more):
    values = {
        "step_seconds": (0.5,) * 20,
        "warmup_seconds": (2.0,),
        "name": "AMD EPYC",
        "versions": (("keras", "3.9.0"),),
    }
    values.update(more)
    return Throughput("mlp", device, "tensorflow", "training", "float32", True, 128, "examples", **values)


def saved(folder, state="s", task=TASK, **more):
    assert save(str(folder), state, task, row(task["device"], **more)) is None
    (path,) = [path for path in folder.iterdir() if path.name.startswith("bench-%s-" % state)]
    return path


def test_what_was_measured_comes_back(tmp_path):
    saved(tmp_path, parameters=5, memory_peak_bytes=1 << 33)
    assert load(str(tmp_path), "s", TASK) == row(parameters=5, memory_peak_bytes=1 << 33)
    # What is ranked says of the compiler what was asked for: devices may differ in what comes of that.
    (ranked,) = rows_of(str(tmp_path), "s")
    assert (ranked.xla, ranked.replace(xla=True)) == (None, load(str(tmp_path), "s", TASK))


@pytest.mark.parametrize(
    "name, value",
    [
        ("model", "lstm"),
        ("device", "gpu:0"),
        ("framework", "jax"),
        ("mode", "inference"),
        ("precision", "mixed_float16"),
    ]
    + [("xla", True), ("xla", False), ("batch_size", 64), ("batch_size", "auto"), ("input_pipeline", True)],
)
def test_something_else_was_not_measured(tmp_path, name, value):
    saved(tmp_path)
    assert load(str(tmp_path), "s", dict(TASK, **{name: value})) is None
    assert load(str(tmp_path), "another state", TASK) is None


@pytest.mark.parametrize(
    "asked, counts",
    [({"num_batches": 20}, True), ({"num_batches": 5}, True), ({"num_batches": 100}, False)]
    + [({"num_batches": 20, "seconds": None}, True), ({"num_batches": 21, "seconds": 10.0}, False)],
)
def test_a_shorter_measurement_does_not_stand_for_a_longer_one(tmp_path, asked, counts):
    saved(tmp_path)
    assert (load(str(tmp_path), "s", dict(TASK, **asked)) is not None) is counts


def test_one_that_was_ended_by_its_time_stands_for_the_same_time(tmp_path):
    slow = dict(TASK, num_batches=100, seconds=10.0)
    saved(tmp_path, task=slow, step_seconds=(3.0,) * 3)
    assert load(str(tmp_path), "s", slow) is not None
    assert load(str(tmp_path), "s", dict(slow, seconds=5.0)) is not None
    assert load(str(tmp_path), "s", dict(slow, seconds=60.0)) is None
    assert load(str(tmp_path), "s", dict(slow, seconds=None)) is None


@pytest.mark.parametrize(
    "more", [{"architecture": "{}"}, {"model": "my.module:make"}, {"shape": [64, 64, 3]}, {"settings": {"tf32": True}}]
)
def test_what_no_fingerprint_covers_is_not_cached(tmp_path, monkeypatch, more):
    monkeypatch.setenv("DEVICEKIT_CACHE_DIR", str(tmp_path))
    task = dict(TASK, **more)
    assert not is_cacheable(task)
    cache = SpeedCache([task])
    cache.save([row()])
    assert list(tmp_path.iterdir()) == []
    assert cache.load() is None


def test_a_failure_is_kept_for_an_hour_and_never_in_the_place_of_figures(tmp_path):
    failed = row(step_seconds=(), problem="out of memory")
    assert save(str(tmp_path), "s", TASK, failed) is None
    assert load(str(tmp_path), "s", TASK) is None
    assert [item.problem for item in rows_of(str(tmp_path), "s")] == ["out of memory"]
    path = saved(tmp_path)
    assert save(str(tmp_path), "s", TASK, failed) is None
    assert load(str(tmp_path), "s", TASK) == row()
    data = json.loads(path.read_text())
    data["row"] = dict(failed.to_dict())
    for age, count in ((3000, 1), (4000, 0)):
        path.write_text(json.dumps(dict(data, time=time.time() - age)))
        assert len(rows_of(str(tmp_path), "s")) == count


def test_the_newest_comes_first(tmp_path):
    for number, device in enumerate(("gpu:1", "cpu", "gpu:0")):
        path = saved(tmp_path, state="s%d" % number, task=dict(TASK, device=device))
        data = dict(json.loads(path.read_text()), state="s", time=time.time() - 100 * number)
        (tmp_path / ("bench-s-%d.json" % number)).write_text(json.dumps(data))
    if POSIX:
        for path in tmp_path.iterdir():
            path.chmod(0o600)
    assert [item.device for item in rows_of(str(tmp_path), "s")] == ["gpu:1", "cpu", "gpu:0"]


def test_figures_end_with_their_life(tmp_path):
    path = saved(tmp_path)
    data = json.loads(path.read_text())
    for age, there in ((LIFE_S - 100, True), (LIFE_S + 100, False), (-100, False)):
        path.write_text(json.dumps(dict(data, time=time.time() - age)))
        assert (load(str(tmp_path), "s", TASK) is not None) is there


@pytest.mark.parametrize(
    "name, value",
    [("schema", 0), ("schema", None), ("state", "other"), ("time", None), ("time", float("nan")), ("time", 10**400)]
    + [("row", None), ("row", []), ("key", None), ("key", []), ("key", ["mlp"]), ("asked", None), ("asked", [1])]
    + [("asked", ["a", 1]), ("asked", [20, "soon"])],
)
def test_a_file_of_wrong_types_is_ignored(tmp_path, name, value):
    path = saved(tmp_path)
    path.write_text(json.dumps(dict(json.loads(path.read_text()), **{name: value})))
    assert load(str(tmp_path), "s", TASK) is None


@pytest.mark.parametrize(
    "name, value",
    [("model", None), ("device", 5), ("framework", []), ("batch_size", "32"), ("batch_size", -1), ("batch_size", True)]
    + [("step_seconds", None), ("step_seconds", ["a"]), ("step_seconds", [float("inf")]), ("step_seconds", [-1.0])]
    + [("step_seconds", [0.1] * 10001), ("warmup_seconds", {}), ("xla", "yes"), ("steady", None), ("problem", None)]
    + [("memory_peak_bytes", 1.5), ("parameters", "many"), ("versions", [1])],
)
def test_a_row_of_wrong_types_is_ignored(tmp_path, name, value):
    path = saved(tmp_path)
    data = json.loads(path.read_text())
    data["row"][name] = value
    path.write_text(json.dumps(data))
    assert load(str(tmp_path), "s", TASK) is None
    assert rows_of(str(tmp_path), "s") == ()


def test_every_cut_and_flipped_byte_is_survived(tmp_path):
    path = saved(tmp_path, step_seconds=(0.5, 0.25), warmup_seconds=())
    whole = path.read_bytes()
    for position in range(0, len(whole), 3):
        for damaged in (whole[:position], whole[:position] + bytes([whole[position] ^ 4]) + whole[position + 1 :]):
            path.write_bytes(damaged)
            found = rows_of(str(tmp_path), "s")
            assert found == () or isinstance(found[0].per_second, (float, type(None)))
    for content in (b"", b"\xff\xfe", b"[" * 20000, b"null", b'{"row": ' + b"1" * 5000 + b"}"):
        path.write_bytes(content)
        assert load(str(tmp_path), "s", TASK) is None


@pytest.mark.only_on("posix", reason="owners and modes of POSIX")
def test_what_is_not_ours_is_not_read(tmp_path):
    path = saved(tmp_path)
    path.chmod(0o666)  # someone else could have written it
    assert load(str(tmp_path), "s", TASK) is None
    path.chmod(0o600)
    assert load(str(tmp_path), "s", TASK) is not None
    other = tmp_path / "elsewhere.json"
    path.rename(other)
    path.symlink_to(other)
    assert load(str(tmp_path), "s", TASK) is None
    path.unlink()
    os.mkfifo(str(path))
    assert load(str(tmp_path), "s", TASK) is None
    assert rows_of(str(tmp_path), "s") == ()


@pytest.mark.only_on("posix", reason="owners of POSIX")
@pytest.mark.skipif(POSIX and os.geteuid() != 0, reason="only root can give a file away")
def test_another_user_s_file_is_not_read(tmp_path):
    path = saved(tmp_path)
    os.chown(str(path), 12345, 12345)
    assert load(str(tmp_path), "s", TASK) is None


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    path = saved(tmp_path)
    path.write_text(path.read_text() + " " * (1 << 20))
    assert load(str(tmp_path), "s", TASK) is None


def test_what_has_outlived_its_time_is_removed(tmp_path):
    old, left = saved(tmp_path, state="old"), tmp_path / ".bench-left"
    left.write_text("")
    foreign = tmp_path / "notes.txt"
    foreign.write_text("")
    for path in (old, left, foreign):
        os.utime(str(path), (1, 1))
    saved(tmp_path)
    assert not old.exists()
    assert not left.exists()
    assert foreign.exists()


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    assert "file" in save(str(file / "folder"), "s", TASK, row())
    assert rows_of(str(file / "folder"), "s") == ()


WRITER = """
import sys
from devicekit.runtime.speed_cache import save
from devicekit.selection.throughput import Throughput
folder, number = sys.argv[1], int(sys.argv[2])
task = %r
for turn in range(40):
    steps = (0.001 * (number + 1),) * (500 + number)
    row = Throughput("mlp", "cpu", "tensorflow", "training", "float32", True, 128, "examples", steps)
    assert save(folder, "s", task, row) is None
"""


def test_several_writers_leave_one_whole_file(tmp_path):
    environ = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(devicekit.__file__)))
    command = [sys.executable, "-c", WRITER % (TASK,), str(tmp_path)]
    writers = [subprocess.Popen(command + [str(number)], env=environ) for number in range(3)]
    while any(writer.poll() is None for writer in writers):
        found = load(str(tmp_path), "s", TASK)
        assert found is None or len(set(found.step_seconds)) == 1
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    found = load(str(tmp_path), "s", TASK)
    assert len(found.step_seconds) == 499 + round(1000 * found.step_seconds[0])
    assert len(list(tmp_path.iterdir())) == 1


def changed(machine, **facts):
    return machine.replace(native=machine.native.replace(**facts))


def test_the_state_is_all_that_a_speed_depends_on(make_machine):
    from devicekit.machine.probe import read_machine

    found = read_machine(make_machine(env={"TF_ENABLE_ONEDNN_OPTS": "0"}))
    state = state_of(found, variables={})
    assert state == state_of(found, variables={"PATH": "/bin", "HOME": "/h", "DEVICEKIT_QUIET": "1"})
    for name in (
        "OMP_NUM_THREADS",
        "TF_NUM_INTRAOP_THREADS",
        "TF_ENABLE_ONEDNN_OPTS",
        "XLA_FLAGS",
        "CUDA_VISIBLE_DEVICES",
    ):
        assert state != state_of(found, variables={name: "1"}), name
    for name, value in (("cpu_affinity", 1), ("cpu_quota", 0.5), ("cpu_count", 96), ("cpu_usable", 1.0)):
        assert state != state_of(changed(found, **{name: Fact.of(value, "here")}), variables={}), name
    # How much memory there is decides about no speed that was measured.
    assert state == state_of(changed(found, memory_bytes=Fact.of(1, "here")), variables={})
    assert state != state_of(read_machine(make_machine()), variables={})


def test_what_devicekit_has_set_itself_makes_no_other_state(make_machine):
    from devicekit.machine.probe import read_machine

    before = read_machine(make_machine(env={"XLA_FLAGS": "--x"}))
    after = read_machine(make_machine(env={"XLA_FLAGS": "--y", "CUDA_VISIBLE_DEVICES": "1"}))
    changes = [
        Change("environment", "XLA_FLAGS", "--z", "--x"), Change("environment", "XLA_FLAGS", "--y", "--z"),
        Change("environment", "CUDA_VISIBLE_DEVICES", "1", None), Change("tensorflow", "visible_devices", "GPU:1"),
    ]  # fmt: skip
    then, now = {"XLA_FLAGS": "--x"}, {"XLA_FLAGS": "--y", "CUDA_VISIBLE_DEVICES": "1"}
    assert state_of(after, changes, now) == state_of(before, (), then)
    assert state_of(after, (), now) != state_of(before, (), then)


def test_this_machine_has_one_state():
    assert this_state() == this_state() == state_of(devicekit.detect())
