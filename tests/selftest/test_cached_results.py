"""The cache of results: ignored when it is damaged or not ours, replaced as a whole, and what its key depends on."""

import json
import os
import subprocess
import sys
import time

import pytest

import devicekit
from devicekit.machine.facts import Distribution, Fact, Gpu, ImportPackage, Library, PluginLibrary
from devicekit.runtime.decide import plan_for
from devicekit.runtime.settings import cache_folder
from devicekit.runtime.trial.fingerprint import fingerprint
from devicekit.runtime.trial.once import find_out, load_result, save_result
from devicekit.runtime.trial.result import Trial
from devicekit.runtime.trial.try_plan import recall
from devicekit.selection.request import parse_request
from devicekit.testing import load

TRIAL = Trial("works", "product", devices=("GPU:0",))
FAILED = Trial("died", "import", "it was ended by signal SIGSEGV", output="the cause\n\ufffd")
POSIX = os.name == "posix"


def saved(folder, trial=TRIAL):
    assert save_result(str(folder), "k", trial) is None
    return folder / "self-test-k.json"


def test_a_failure_is_kept_with_what_was_printed(tmp_path):
    saved(tmp_path, FAILED)
    assert load_result(str(tmp_path), "k") == FAILED


WRONG = [
    ("outcome", "splendid"), ("outcome", "not-run"), ("outcome", None), ("outcome", ["works"]), ("stage", 5),
    ("detail", None), ("devices", "GPU:0"), ("devices", [1]), ("devices", None), ("output", {}), ("error", 1.5),
]  # fmt: skip


@pytest.mark.parametrize("name, value", WRONG)
def test_a_trial_of_wrong_types_is_ignored(tmp_path, name, value):
    path = saved(tmp_path)
    data = json.loads(path.read_text())
    data["trial"][name] = value
    path.write_text(json.dumps(data))
    assert load_result(str(tmp_path), "k") is None


@pytest.mark.parametrize(
    "name, value",
    [("schema", 1), ("schema", None), ("state", "other"), ("time", None), ("time", "soon"), ("time", [])]
    + [("time", float("nan")), ("time", 10**400), ("time", -1), ("time", 1e99), ("trial", None), ("trial", [])]
    + [("files", None), ("files", [1]), ("files", [["/x", "a", 1]]), ("files", {"a": 1})],
)
def test_a_file_of_wrong_types_is_ignored(tmp_path, name, value):
    path = saved(tmp_path)
    path.write_text(json.dumps(dict(json.loads(path.read_text()), **{name: value})))
    assert load_result(str(tmp_path), "k") is None


def test_every_cut_and_flipped_byte_is_survived(tmp_path):
    path = saved(tmp_path)
    whole = path.read_bytes()
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        assert load_result(str(tmp_path), "k") is None
        path.write_bytes(whole[:end] + bytes([whole[end] ^ 0x80]) + whole[end + 1 :])
        assert load_result(str(tmp_path), "k") is None


# Numbers for their names: pytest puts a test's name into a variable, whose length Windows limits.
@pytest.mark.parametrize(
    "content", [b"[" * 100000, b"\0" * 5000, b"9" * 100000, b"\xff\xfe", b'"' * 2, b"x" * (2 << 20)], ids=range(6)
)
def test_garbage_is_ignored_and_replaced(tmp_path, content):
    path = tmp_path / "self-test-k.json"
    path.write_bytes(content)
    assert load_result(str(tmp_path), "k") is None
    saved(tmp_path)
    assert load_result(str(tmp_path), "k") == TRIAL


@pytest.mark.only_on("posix", reason="links, FIFOs and owners as POSIX has them")
def test_what_is_no_file_of_ours_is_ignored(tmp_path):
    path = saved(tmp_path)
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    assert load_result(str(tmp_path), "k") is None
    saved(tmp_path)  # takes the place of the link
    assert not path.is_symlink()
    assert load_result(str(tmp_path), "k") == TRIAL
    for mode in (0o620, 0o602, 0o666):
        path.chmod(mode)
        assert load_result(str(tmp_path), "k") is None
    path.unlink()
    os.mkfifo(str(path))  # opening it would wait for a writer
    assert load_result(str(tmp_path), "k") is None
    path.unlink()
    path.mkdir()
    assert load_result(str(tmp_path), "k") is None
    assert "directory" in save_result(str(tmp_path), "k", TRIAL)
    assert set(os.listdir(str(tmp_path))) == {"moved", path.name}


@pytest.mark.only_on("posix", reason="owners of POSIX")
@pytest.mark.skipif(POSIX and os.getuid() != 0, reason="has to make a file of another user")
def test_a_file_of_somebody_else_is_ignored(tmp_path):
    path = saved(tmp_path)
    tmp_path.chmod(0o777)  # a folder that everybody may write does no harm: the file is ours
    assert load_result(str(tmp_path), "k") == TRIAL
    os.chown(str(path), 61234, 61234)
    assert load_result(str(tmp_path), "k") is None


@pytest.mark.only_on("posix", reason="owners of POSIX")
@pytest.mark.skipif(POSIX and os.getuid() != 0, reason="has to become another user")
def test_a_folder_of_somebody_else_is_said_and_everybody_tries(tmp_path, run_json):
    code = """
import fcntl, json, os, sys, tempfile  # later they could not be read any more
from devicekit.runtime.trial.once import find_out
from devicekit.runtime.trial.result import Trial
os.setuid(61234)
print(json.dumps([find_out(sys.argv[1], "0abc", lambda: Trial("works"))[1] for _ in range(2)]))
"""
    (tmp_path / "cache").mkdir(mode=0o755)
    for folder in (str(tmp_path / "cache"), "/proc/self", "/sys", "/dev/null"):
        first, second = run_json(code, folder)
        assert first == second
        assert first.startswith(folder)


def test_a_changed_native_file_ends_a_result(tmp_path):
    library = tmp_path / "libx.so"
    library.write_bytes(b"1")
    trial = TRIAL.replace(files=(str(library), "/nonexistent/liby.so"))
    for change in (lambda: library.write_bytes(b"22"), lambda: os.utime(str(library), (1, 1)), library.unlink):
        saved(tmp_path / "cache", trial)
        found = load_result(str(tmp_path / "cache"), "k")
        assert found == trial.replace(files=(str(library),))
        change()
        assert load_result(str(tmp_path / "cache"), "k") is None


def test_old_files_are_removed(tmp_path):
    names = ["self-test-a.json", ".self-test-b", "self-test-a.lock", "something-else"]
    for name in names + ["self-test-new.json", ".self-test-new", "self-test-new.lock"]:
        (tmp_path / name).write_text("")
    for name in names:
        os.utime(str(tmp_path / name), (1, 1))
    path = saved(tmp_path)
    left = {"something-else", "self-test-new.json", ".self-test-new", "self-test-new.lock", path.name}
    assert set(os.listdir(str(tmp_path))) == left


def test_readers_never_see_a_half_written_file(tmp_path):
    """Two processes write long and short results in turns while this one reads."""
    code = """
import sys
from devicekit.runtime.trial.once import save_result
from devicekit.runtime.trial.result import Trial
for n in range(300):
    assert save_result(sys.argv[1], "k", Trial("raised", "import", "x" * (n % 7 * 30000))) is None
"""
    saved(tmp_path, FAILED)
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(2)]
    read = 0
    while any(writer.poll() is None for writer in writers):
        assert load_result(str(tmp_path), "k") is not None
        read += 1
        # Windows replaces no file that is open: without a pause, writers would find it open at every try, for seconds.
        time.sleep(0.005)
    assert [writer.returncode for writer in writers] == [0, 0]
    assert read > 10
    assert os.listdir(str(tmp_path)) == ["self-test-k.json"]


MACHINE = devicekit.detect()


def test_the_fingerprint_is_the_same_in_another_process(run_json):
    code = """
import json, devicekit
from devicekit.runtime.trial.fingerprint import fingerprint
print(json.dumps([fingerprint(devicekit.detect(refresh=True), 0, True) for _ in range(2)]))
"""
    one, two = run_json(code), run_json(code)
    assert len({*one, *two}) == 1


def part(name, **values):
    return MACHINE.replace(**{name: getattr(MACHINE, name).replace(**values)})


def gpu(uuid):
    return Fact.of((Gpu("nvidia", "NVIDIA A100", 0, uuid=uuid),), "/proc")


CHANGES = {
    "interpreter": part("python", executable="/opt/other/bin/python"),
    "python": part("python", version="3.9.99"),
    "distribution": part("python", distributions=Fact.of((Distribution("numpy", Fact.of("1.0"), "/x"),))),
    "plug-in": part("python", plugins=Fact.of((PluginLibrary("/x/libp.so", "elf", 1),))),
    "shadow": part("python", packages=(ImportPackage("numpy", "module", "/x/numpy.py", "/x"),)),
    "driver": part("driver", nvidia_kernel_version=Fact.of("999.1")),
    "driver library": part("driver", libraries=Fact.of((Library("libcuda.so.1", "/x/libcuda.so.1", "cache"),))),
    "device": part("driver", gpus=gpu("GPU-1")),
    "another device": part("driver", gpus=gpu("GPU-2")),
    "CUDA library": part("cuda", libraries=Fact.of((Library("libcudnn.so.9", "/x/libcudnn.so.9", "cache"),))),
    "ROCm": part("rocm", version=Fact.of("99.0")),
    "processor": part("native", cpu_flags=Fact.of(("sse2",))),
    "limit of memory": part("native", memory_limit_bytes=Fact.of(1 << 28)),
    "limit of the address space": part("native", address_space_bytes=Fact.of(1 << 30)),
    "variable": part("process", environ=MACHINE.process.environ + (("XLA_FLAGS", "--x"),)),
    "devicekit": MACHINE.replace(devicekit_version="999"),
}


def test_all_that_a_result_depends_on_is_in_the_fingerprint():
    prints = {name: fingerprint(machine, 0, True) for name, machine in CHANGES.items()}
    prints["nothing"] = fingerprint(MACHINE, 0, True)
    prints["index"], prints["import only"] = fingerprint(MACHINE, 1, True), fingerprint(MACHINE, None, False)
    prints["memory"], prints["set"] = fingerprint(MACHINE, 0, False), fingerprint(MACHINE, 0, True, [("A", "1")])
    assert len(set(prints.values())) == len(prints), prints


def test_the_size_of_the_processor_does_not_matter():
    """A quota, the affinity, and the number of the session in the place where a limit was read."""
    seen = {fingerprint(MACHINE, 0, True)}
    names = ("cpu_count", "cpu_affinity", "memory_bytes", "performance_cores")
    seen |= {fingerprint(part("native", **{name: Fact.of(3)}), 0, True) for name in names}
    seen |= {fingerprint(part("native", **{name: Fact.of(0.5)}), 0, True) for name in ("cpu_quota", "cpu_usable")}
    assert len(seen) == 1
    places = [Fact.of(1 << 28, "/sys/fs/cgroup/session-%d.scope/memory.max" % number) for number in (4, 5)]
    assert len({fingerprint(part("native", memory_limit_bytes=place), 0, True) for place in places}) == 1


def test_files_that_change_in_their_place_change_the_fingerprint(tmp_path):
    record, plugin = tmp_path / "RECORD", tmp_path / "libp.so"
    distributions = Fact.of((Distribution("tensorflow", Fact.of("2.15.0"), str(tmp_path)),))
    plugins = Fact.of((PluginLibrary(str(plugin), "elf", 1),))
    machine = part("python", distributions=distributions, plugins=plugins)
    seen = [fingerprint(machine, 0, True)]
    for path in (record, plugin):
        path.write_text("1")
        seen.append(fingerprint(machine, 0, True))
        os.utime(str(path), (1, 1))
        seen.append(fingerprint(machine, 0, True))
    assert len(set(seen)) == 5


def test_only_variables_that_matter_are_in_the_fingerprint(monkeypatch):
    plain = fingerprint(MACHINE, 0, True)
    for name in ("EDITOR", "TF_CPP_MIN_LOG_LEVEL", "TF_VAR_secret", "OMP_NUM_THREADS", "DEVICEKIT_TRIAL", "TF_CONFIG"):
        monkeypatch.setenv(name, "1")
        assert fingerprint(MACHINE, 0, True) == plain, name
    for name in (
        "TF_FORCE_GPU_ALLOW_GROWTH",
        "CUDA_MODULE_LOADING",
        "LD_BIND_NOW",
        "HSA_ENABLE_SDMA",
        "TF_NEW_SETTING",
    ):
        monkeypatch.setenv(name, "1")
        changed = fingerprint(MACHINE, 0, True)
        assert changed != plain, name
        plain = changed


def test_the_framework_and_what_it_reads_are_in_the_fingerprint(monkeypatch, tmp_path):
    machine, library = MACHINE, tmp_path / "libcusolver.so.11"
    library.write_bytes(b"1")
    paths = (str(library),)
    names = ("tensorflow", "jax", "torch")
    keys = {fingerprint(machine, 0, True, framework=name) for name in names}
    keys.add(fingerprint(machine, 0, True, libraries=paths))
    assert len(keys) == 4
    library.write_bytes(b"22")
    assert fingerprint(machine, 0, True, libraries=paths) not in keys
    # JAX starts what this variable says; the others do not read it.
    monkeypatch.setenv("JAX_PLATFORMS", "cuda")
    assert fingerprint(machine, 0, True) in keys
    assert fingerprint(machine, 0, True, framework="jax") not in keys


def test_no_personal_path_hides_a_changed_file(tmp_path, monkeypatch):
    home = tmp_path / "jane"
    home.mkdir()
    (home / "libp.so").write_text("1")
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    for name in ("USER", "USERNAME"):
        monkeypatch.setenv(name, "jane")
    for shown in ("~/libp.so", str(tmp_path / "<user>" / "libp.so")):
        machine = part("python", plugins=Fact.of((PluginLibrary(shown, "elf", 1),)))
        before = fingerprint(machine, 0, True)
        os.utime(str(home / "libp.so"), (time.time(), len(shown)))
        assert fingerprint(machine, 0, True) != before


def test_what_is_kept_is_not_tried_again_unless_it_shall(tmp_path):
    tried = []

    def run():
        tried.append(1)
        return TRIAL

    folder = str(tmp_path / "cache")
    for cached, count in ((True, 1), (True, 1), (False, 2), (True, 2)):
        assert find_out(folder, "0abc", run, cached) == (TRIAL, None)
        assert len(tried) == count
    assert os.listdir(folder) == ["self-test-0abc.json"]


def test_to_look_up_a_result_loads_nothing_that_starts_processes(run_json):
    code = """
import json, sys, devicekit
machine = devicekit.detect()
before = set(sys.modules)
from devicekit.runtime.trial.once import load_result
from devicekit.runtime.trial.fingerprint import fingerprint
load_result("/nonexistent", fingerprint(machine, 0, True))
print(json.dumps(sorted(set(sys.modules) - before)))
"""
    loaded = run_json(code)
    assert not {"subprocess", "tempfile", "multiprocessing", "logging"} & set(loaded)


def test_doctor_recalls_what_a_self_test_has_shown(tmp_path, monkeypatch):
    monkeypatch.setenv("DEVICEKIT_CACHE_DIR", str(tmp_path))
    machine = load("windows-amd-directml")
    plan = plan_for(parse_request("auto"), None, machine)
    assert (plan.device, recall(plan, machine)) == ("gpu:0", (plan, None))
    key = fingerprint(machine, 0, True, plan.environment, "tensorflow", plan.libraries)
    assert save_result(cache_folder(), key, TRIAL) is None
    assert recall(plan, machine) == (plan, True)
    wrong = Trial("wrong", "product", "a matrix product is off by 9", "ArithmeticError")
    assert save_result(cache_folder(), key, wrong) is None
    changed, verified = recall(plan, machine)
    assert (changed.device, changed.findings[0].code, verified) == ("cpu", "numerics-divergent", None)
