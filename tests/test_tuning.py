"""Which settings are tried on which machine, and how a gain is distinguished from noise."""

import json
import math
import random
import sys

import pytest

from devicekit import Selection
from devicekit.machine import Fact
from devicekit.machine.facts import Gpu
from devicekit.machine.probe import read_machine
from devicekit.measure import TunedOption, Tuning
from devicekit.measure.tuning import cache
from devicekit.measure.tuning.applying import Tuned, finish, prepare
from devicekit.measure.tuning.options import NAMES, Option, candidates, wanted
from devicekit.measure.tuning.racing import gain_of, noise_of
from devicekit.measure.tuning.tune import installed_allocators, physical_cores
from devicekit.report.benchmark import tuning_text
from devicekit.report.terminal import Style
from devicekit.runtime.speed_cache import this_state
from devicekit.selection.plan import Plan
from devicekit.selection.request import parse_request

SECOND = "32 24 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
HASWELL = "fpu sse sse2 avx avx2 fma f16c"
TF2 = {"tensorflow": "2.21.0", "keras": "3.12.0"}
JAX = {"jax": "0.10.0", "jaxlib": "0.10.0", "keras": "3.12.0"}
TORCH = {"torch": "2.13.0", "keras": "3.12.0"}
FRAMEWORK = {"tensorflow": TF2, "jax": JAX, "torch": TORCH}


def machine(make_machine, installed, count=4, quota=None, flags=HASWELL, files=None, **host):
    """Return a Linux machine with this many processors."""
    text = "".join("processor\t: %d\nmodel name\t: X\nflags\t\t: %s\n\n" % (number, flags) for number in range(count))
    every = {"/proc/cpuinfo": text, "/proc/self/cgroup": "0::/\n", "/proc/self/mountinfo": SECOND}
    if quota is not None:
        every["/sys/fs/cgroup/cpu.max"] = "%d 100000\n" % (quota * 100000)
    every.update(files or {})
    host.setdefault("affinity", count)
    python = {"version": "3.12.1", "installed": dict(installed)}
    return read_machine(make_machine(files=every, python=python, architecture="x86_64", **host))


def with_gpu(made, capability):
    gpu = Gpu("nvidia", "NVIDIA", 0, compute_capability=Fact.of(capability) if capability else Fact.unknown("no"))
    return made.replace(driver=made.driver.replace(gpus=Fact.of((gpu,))))


def on(platform, framework="tensorflow"):
    return Selection("cpu" if platform == "cpu" else "gpu:0", framework, platform)


def tried(made, framework="tensorflow", platform="cpu", environ=(), **more):
    found, decided = candidates(made, framework, on(platform, framework), environ=dict(environ), **more)
    assert all(item.name in NAMES and item.why for item in found)
    return ["%s %s" % (item.name, item.setting) for item in found], decided


@pytest.mark.parametrize(
    "count, affinity, quota, physical, expected",
    [
        (64, 64, 1.0, 32, ["intra=1 inter=1"]),
        (64, 64, 2.0, None, ["intra=2 inter=2"]),
        (64, 64, 1.5, None, ["intra=2 inter=2", "intra=1 inter=1"]),
        (2, 2, 1.0, None, ["intra=1 inter=1"]),
        (2, 2, 0.5, None, ["intra=1 inter=1"]),
        # Frameworks see an affinity by themselves, so that a quota is one only where it grants less.
        (64, 2, 2.0, None, ["intra=2 inter=1", "intra=1 inter=1"]),
        (64, 2, 1.0, None, ["intra=1 inter=1"]),
        (8, 8, None, 4, ["intra=4 inter=4", "intra=8 inter=1", "intra=1 inter=1"]),
        (8, 8, None, 8, ["intra=8 inter=1", "intra=1 inter=1"]),
        (2, 2, None, None, ["intra=2 inter=1", "intra=1 inter=1"]),
        (64, 1, None, None, []),
        (1, 1, 0.5, None, []),
    ],
)
def test_threads_follow_quota_affinity_and_cores(make_machine, count, affinity, quota, physical, expected):
    made = machine(make_machine, TF2, count, quota, affinity=affinity)
    found, _ = tried(made, physical=physical)
    assert [text for text in found if text.startswith("threads")] == ["threads " + text for text in expected]


@pytest.mark.parametrize(
    "framework, environment, settings, calls",
    [
        ("tensorflow", (("TF_NUM_INTRAOP_THREADS", "2"), ("TF_NUM_INTEROP_THREADS", "2")), (), ()),
        ("tensorflow1", (("TF_NUM_INTRAOP_THREADS", "2"), ("TF_NUM_INTEROP_THREADS", "2")), (), ()),
        ("jax", (("NPROC", "2"),), (), ()),
        ("torch", (), (("intra_op_threads", 2),), ("torch.set_num_threads(2)",)),
    ],
)
def test_threads_in_the_way_of_each_framework(make_machine, framework, environment, settings, calls):
    made = machine(make_machine, FRAMEWORK.get(framework, {"tensorflow": "1.15.5"}), 64, 2.0)
    (option,) = wanted(candidates(made, framework, on("cpu", framework), environ={})[0], ["threads"])
    assert (option.environment, option.settings, option.calls) == (environment, settings, calls)


@pytest.mark.parametrize(
    "capability, precision", [("6.1", []), ("7.0", ["float16"]), ("7.5", ["float16"]), ("8.0", ["bfloat16", "float16"]),
                              ("9.0", ["bfloat16", "float16"]), (None, [])],
)  # fmt: skip
def test_mixed_precision_as_the_gpu_has_it(make_machine, capability, precision):
    for framework, installed in FRAMEWORK.items():
        made = with_gpu(machine(make_machine, installed), capability)
        found, _ = tried(made, framework, "cuda")
        names = [text for text in found if text.startswith("precision")]
        assert names == ["precision mixed_" + kind for kind in precision]
        # TensorFlow and JAX multiply in TF32 by themselves.
        assert ("tf32 on" in found) == (framework == "torch" and "bfloat16" in precision)
        assert ("xla off" in found) == (framework == "tensorflow")
        assert ("allocator cuda_malloc_async" in found) == (framework == "tensorflow")


@pytest.mark.parametrize(
    "flags, framework, expected",
    [
        (HASWELL, "tensorflow", []),
        (HASWELL + " avx512f avx512_bf16", "tensorflow", ["precision mixed_bfloat16", "fpmath bf16"]),
        (HASWELL + " amx_bf16", "torch", ["precision mixed_bfloat16", "fpmath bf16"]),
        (HASWELL + " amx_bf16 amx_fp16", "jax", ["precision mixed_bfloat16", "precision mixed_float16"]),
    ],
)
def test_reduced_precision_as_the_processor_has_it(make_machine, flags, framework, expected):
    found, _ = tried(machine(make_machine, FRAMEWORK[framework], flags=flags), framework)
    assert [text for text in found if text.startswith(("precision", "fpmath"))] == expected


@pytest.mark.parametrize(
    "installed, platform, expected",
    [
        (TF2, "cpu", ["onednn off", "xla on"]),
        (TF2, "cuda", ["xla off"]),
        ({"tensorflow": "2.15.1", "keras": "2.15.0"}, "cuda", ["xla on"]),
        ({"tensorflow": "2.6.5", "keras": "2.6.0"}, "cpu", ["onednn on"]),
        ({"tensorflow": "2.4.4"}, "cpu", []),
        ({"tensorflow-cpu": "2.21.0", "keras": "3.12.0"}, "cpu", ["onednn off", "xla on"]),
        ({"tensorflow-cpu": "2.10.0", "keras": "2.10.0"}, "directml", []),
    ],
)
def test_onednn_and_xla_by_release(make_machine, installed, platform, expected):
    found, _ = tried(machine(make_machine, installed), "tensorflow", platform)
    assert [text for text in found if text.startswith(("onednn", "xla"))] == expected


def test_what_the_user_has_set_is_left_and_listed(make_machine):
    made = machine(make_machine, TF2, 64, 1.0)
    variables = {"TF_NUM_INTRAOP_THREADS": "3", "TF_ENABLE_ONEDNN_OPTS": "1", "TF_XLA_FLAGS": "--tf_xla_auto_jit=2"}
    found, decided = tried(made, environ=variables)
    assert found == []
    assert [(item.name, item.kept, item.gain) for item in decided] == [
        ("threads", False, None), ("onednn", False, None), ("xla", False, None)
    ]  # fmt: skip
    assert decided[0].reason == "TF_NUM_INTRAOP_THREADS is set to '3' by you, and left as it is"
    made = machine(make_machine, TORCH, 64, 1.0)
    found, decided = tried(made, "torch", environ={"OMP_NUM_THREADS": "8"})
    assert found == []
    assert "OMP_NUM_THREADS is set to '8' by you" in decided[0].reason


def test_prefetch_only_with_an_input_pipeline(make_machine):
    made = machine(make_machine, TF2)
    assert not any(text.startswith("prefetch") for text in tried(made)[0])
    assert tried(made, input_pipeline=True)[0][-1] == "prefetch automatic"


def test_an_installed_allocator_is_preloaded(make_machine):
    files = {"/etc/ld.so.cache": ""}
    made = machine(make_machine, TF2, files=files)
    found, _ = candidates(made, "tensorflow", on("cpu"), environ={}, libraries=["/usr/lib/libtcmalloc_minimal.so.4"])
    (option,) = wanted(found, ["allocator"])
    assert (option.setting, option.environment) == (
        "tcmalloc_minimal", (("LD_PRELOAD", "/usr/lib/libtcmalloc_minimal.so.4"),)
    )  # fmt: skip
    assert tried(made, libraries=["/x/libjemalloc.so.2"], environ={"LD_PRELOAD": "/mine.so"})[1][0].name == "allocator"


def test_physical_cores_from_siblings(make_machine):
    def host(lists, count=4):
        files = {
            "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list" % number: text + "\n"
            for number, text in enumerate(lists)
        }
        return physical_cores(make_machine(files=files), count)

    assert host(["0,2", "1,3", "0,2", "1,3"]) == 2
    assert host(["0", "1", "2", "3"]) == 4
    assert host(["0-1", "0-1", "2-3", "2-3"], count=2) is None  # which of them it may use is not known
    assert host([]) is None
    assert physical_cores(make_machine(system="windows"), 4) is None


def test_allocators_are_found_in_the_loaders_cache(make_machine):
    assert installed_allocators(make_machine()) == ()


def test_only_what_was_asked_for_is_tried(make_machine):
    found, _ = candidates(machine(make_machine, TF2), "tensorflow", on("cpu"), environ={})
    assert {item.name for item in wanted(found, ["xla", "onednn"])} == {"xla", "onednn"}
    assert wanted(found, None) == found
    mine = Option("mine", "on", (("MINE", "1"),))
    assert wanted(found, ["xla", mine])[-1] is mine
    with pytest.raises(ValueError, match=r"unknown option 'xlaa'; did you mean xla\?"):
        wanted(found, ["xlaa"])


def pairs(ratio, spread, count=8, drift=0.0, seed=0):
    """Pairs of blocks on a machine that gets slower, with a setting that is ``ratio`` times as fast."""
    generator = random.Random(seed)
    made = []
    for number in range(count):
        level = math.exp(drift * number)
        made.append(
            (level * math.exp(generator.gauss(0, spread)), level / ratio * math.exp(generator.gauss(0, spread)))
        )
    return made


def test_a_gain_is_seen_through_a_drift_that_is_larger():
    gain = gain_of(pairs(1.2, 0.02, drift=0.3))
    assert gain.ratio == pytest.approx(1.2, rel=0.05)
    assert gain.wins(noise_of(gain_of(pairs(1.0, 0.02, seed=1))))


def test_one_bad_block_changes_nothing():
    blocks = pairs(1.0, 0.01)
    blocks[3] = (blocks[3][0] * 10, blocks[3][1])
    assert not gain_of(blocks).wins(noise_of(gain_of(pairs(1.0, 0.01, seed=1))))


def test_noise_does_not_win():
    wins = 0
    for seed in range(200):
        noise = noise_of(gain_of(pairs(1.0, 0.1, seed=1000 + seed)))
        wins += gain_of(pairs(1.0, 0.1, seed=seed)).wins(noise)
    assert wins <= 10
    # A gain that is sure and tiny is not worth a setting.
    assert not gain_of(pairs(1.01, 0.0001)).wins(noise_of(gain_of(pairs(1.0, 0.0001))))


def test_a_gain_as_large_as_between_two_equal_processes_is_noise():
    noise = noise_of(gain_of(pairs(1.15, 0.01)))
    assert noise.ratio >= 1.15
    assert not gain_of(pairs(1.14, 0.01, seed=2)).wins(noise)
    # It is as much noise where the first process was the faster one.
    assert noise_of(gain_of(pairs(1 / 1.15, 0.01))).ratio >= 1.14


TUNING = Tuning(
    "cpu",
    "tensorflow",
    "mlp",
    (
        TunedOption("threads", "intra=1 inter=1", 1.2, True, "a quota", (("TF_NUM_INTRAOP_THREADS", "1"),)),
        TunedOption("xla", "on", 1.5, True, "", (), ("model.compile(..., jit_compile=True)",), (("xla", True),)),
        TunedOption("onednn", "off", 0.9, False, "slower", (("TF_ENABLE_ONEDNN_OPTS", "0"),)),
    ),
    1.7,
)


def test_a_tuning_is_kept_and_read_again(tmp_path):
    folder = str(tmp_path / "cache")
    assert cache.load(folder, "state", ["mlp"]) is None
    assert cache.save(folder, "state", ["mlp"], TUNING) is None
    assert cache.load(folder, "state", ["mlp"]) == TUNING.replace(cached=True)
    assert cache.load(folder, "state", ["lstm"]) is None
    assert cache.load(folder, "another", ["mlp"]) is None
    assert cache.newest(folder, "state", "tensorflow", "cpu") == TUNING.replace(cached=True)
    assert cache.newest(folder, "state", "jax", "cpu") is None
    assert cache.newest(folder, "state", "tensorflow", "gpu:0") is None


def test_the_newest_tuning_is_taken(tmp_path):
    folder = str(tmp_path)
    cache.save(folder, "state", ["mlp"], TUNING)
    for path in tmp_path.iterdir():
        data = json.loads(path.read_text())
        path.write_text(json.dumps(dict(data, time=data["time"] - 100)))
    cache.save(folder, "state", ["lstm"], TUNING.replace(model="lstm"))
    assert cache.newest(folder, "state", "tensorflow", "cpu").model == "lstm"


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 99},
        {"state": "x"},
        {"time": "yesterday"},
        {"time": 0},
        {"tuning": {}},
        {"tuning": {"options": [{"name": "x"}]}},
        {"tuning": dict(vars(TUNING), gain="fast", options=[])},
    ],
)
def test_a_damaged_tuning_is_none(tmp_path, change):
    cache.save(str(tmp_path), "state", ["mlp"], TUNING)
    (path,) = tmp_path.iterdir()
    path.write_text(json.dumps(dict(json.loads(path.read_text()), **change)))
    assert cache.load(str(tmp_path), "state", ["mlp"]) is None
    path.write_text("{")
    assert cache.load(str(tmp_path), "state", ["mlp"]) is None


def test_the_report_says_how_to_set_it_by_hand():
    text = tuning_text(TUNING, Style(width=100))
    assert "TF_NUM_INTRAOP_THREADS=1" in text
    assert "model.compile(..., jit_compile=True)" in text
    assert "TF_ENABLE_ONEDNN_OPTS" not in text
    assert "1.7" in text
    assert "slower" in text
    assert "1.7" in str(TUNING)
    assert TUNING.to_dict()["options"][1]["settings"] == {"xla": True}


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A tuning of this machine in its present state, under a framework that is not there."""
    monkeypatch.setenv("DEVICEKIT_CACHE_DIR", str(tmp_path))
    for name in ("TF_NUM_INTRAOP_THREADS", "TF_ENABLE_ONEDNN_OPTS"):
        monkeypatch.delenv(name, raising=False)
    from devicekit.machine.detect import detect_now

    def keep(tuning):
        made = detect_now()
        cache.save(str(tmp_path), this_state(), ["mlp"], tuning)
        return made

    return keep


def plan(framework="tensorflow", device="cpu"):
    return Plan(parse_request("cpu"), framework, device, "cpu", "")


def test_auto_sets_variables_and_leaves_the_programs_own_to_it(kept):
    made = kept(TUNING)
    if "tensorflow" in sys.modules:
        pytest.fail("a test has imported TensorFlow into this process")
    planned, tuned = prepare(plan(), made, None)
    assert planned.environment == (("TF_NUM_INTRAOP_THREADS", "1"),)
    selection = finish(planned.selection(verified=True), tuned, None)
    assert "tuned: threads intra=1 inter=1, 1.70 times as fast with mlp" in selection.reason
    assert "yours to write: model.compile(..., jit_compile=True)" in selection.reason
    assert selection.changes == ()  # the variable is recorded by what sets it


def test_without_a_tuning_nothing_changes_and_the_reason_says_so(kept):
    made = kept(TUNING.replace(device="gpu:0"))
    planned, tuned = prepare(plan(), made, None)
    assert planned == plan()
    assert finish(planned.selection(), tuned, None).reason == "nothing was tuned yet (devicekit tune --device cpu)"


def test_a_tuning_without_a_winner_says_so(kept):
    made = kept(TUNING.replace(options=TUNING.options[2:], gain=None))
    planned, tuned = prepare(plan(), made, None)
    assert planned == plan()
    assert finish(planned.selection(), tuned, None).reason == "tuned: the framework's defaults were the fastest"


def test_a_tuning_of_a_device_that_was_lost_is_not_applied(kept):
    made = kept(TUNING.replace(device="gpu:0"))
    planned, tuned = prepare(plan(device="gpu:0"), made, None)
    lost = planned.selection().replace(device="cpu")
    assert finish(lost, tuned, None).reason == "the tuning of gpu:0 is not applied"


def test_auto_wants_a_yes_or_a_no():
    import devicekit

    with pytest.raises(ValueError, match="tune must be True or False, not 'measure'"):
        devicekit.auto(tune="measure")


@pytest.mark.parametrize("argument, message", [
    ({"budget_s": 0}, "budget_s must be more than 0"),
    ({"budget_s": "60"}, "budget_s must be more than 0, not '60'"),
    ({"budget_s": True}, "budget_s must be more than 0, not True"),
    ({"device": "gpu:0,1"}, "several devices"),
    ({"device": "nonsense"}, "unknown device"),
])  # fmt: skip
def test_wrong_arguments_are_told_at_once(argument, message):
    import devicekit

    with pytest.raises(ValueError, match=message):
        devicekit.tune("mlp", **argument)


def test_the_command_tells_wrong_use(capsys):
    from devicekit.cli.main import main

    assert main(["tune", "--device", "gpu:0,1"]) == 2
    assert "are several devices" in capsys.readouterr().err
    assert main(["tune", "--budget", "0"]) == 2
    with pytest.raises(SystemExit) as ended:
        main(["tune", "--budget", "soon"])
    assert ended.value.code == 2


def test_a_tuned_setting_that_the_framework_refuses_is_named_and_auto_goes_on():
    option = TunedOption("threads", "many", 1.5, True, settings=(("intra_op_threads", "many"),))
    tuned = Tuned(Tuning("cpu", "torch", "mlp", (option,), gain=1.5))
    reason = finish(plan("torch").selection(verified=True), tuned, None).reason
    assert reason.startswith("threads cannot be set: ValueError: invalid literal")
    assert "tuned:" not in reason
