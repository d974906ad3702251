"""What a monitor concludes from what was measured: records of trainings, and one change in each."""

import gc
import json
import signal
import subprocess
import sys

import pytest

from devicekit.machine.probe.cgroup import read_throttling
from devicekit.machine.probe.host_load import HostLoad, read_host_load
from devicekit.watch import MonitorReport, NanRecord, NanReport, TrainingRecord
from devicekit.watch.causes import findings
from devicekit.watch.gpu_loads import own_loads, sample_of
from devicekit.watch.keras_callback import FitEnd, operations, speaks
from devicekit.watch.recorder import StepClock, merged
from devicekit.watch.result import LiveFigures
from devicekit.watch.training_record import (
    DataSource,
    DeviceMemory,
    GpuSample,
    HostSample,
    StepSample,
    StepWindow,
)

GIB = 2**30
GPU = GpuSample(
    1.0, 0, 93, 20 * GIB, 80 * GIB, 1900, 1980, 71, 690.0, 700.0, 700.0, ("power-cap",), 16, 16, others=0
)  # fmt: skip


def samples(wait_s=0.0005, compute_s=0.05, shapes=("32x8",), device_s=None):
    return tuple(StepSample(4 + 9 * n, n, wait_s, compute_s, shapes[n % len(shapes)], device_s) for n in range(8))


def windows(step_s=0.05, wait_s=None):
    return tuple(StepWindow(n, 20, 20 * step_s, None if wait_s is None else 20 * wait_s) for n in range(10))


def hosts(own=30.0, busy=40.0, idle=60.0, periods=None, throttled=None, queued=2.0, stolen=1.0):
    later = HostLoad(own, busy, idle, 3, periods, throttled, 4 * GIB, queued, stolen)
    return (
        HostSample(
            0.0, HostLoad(0.0, 0.0, 0.0, 3, 0 if periods else None, 0 if periods else None, queued_s=0.0, stolen_s=0.0)
        ),
        HostSample(50.0, later),
    )


#: A training on a GPU that nothing slows down: at its power limit, in a full memory that the framework took at its start.
HEALTHY = TrainingRecord(
    framework="tensorflow", model="resnet", parameters=25000000, jit=True, selected="gpu:0", accelerators=("GPU:0",),
    variable_devices=("cpu:0", "gpu:0"), result_devices=("gpu:0",), source=DataSource("tf.data", operations=("Prefetch",)),
    seconds=50.0, steps=208, first_step_s=20.0, samples=samples(), windows=windows(), longest_steps_s=(0.2, 0.06),
    programs=(("5", 2), ("10", 2), ("208", 3)), hosts=hosts(), gpus=(GPU,) * 40,
    memory=DeviceMemory(60 * GIB, 80 * GIB, 0), memory_granted_bytes=64 * GIB, ended="finished",
)  # fmt: skip
CPU = HEALTHY.replace(
    selected="", accelerators=(), variable_devices=("cpu:0",), result_devices=("cpu:0",), gpus=(), memory=None
)


def with_gpus(*gpus):
    """Return the training on several GPUs, each looked at 40 times."""
    numbered = [gpu.replace(index=index) for index, gpu in enumerate(gpus)]
    return HEALTHY.replace(gpus=tuple(gpu.replace(at_s=float(at_s)) for at_s in range(40) for gpu in numbered))


PLANTED = {
    "slow-pipeline": ("input-bound", HEALTHY.replace(windows=windows(0.12), samples=samples(0.06, 0.05))),
    # Workers deliver several batches at once: most steps wait for nothing.
    "bursts": (
        "input-bound",
        CPU.replace(windows=windows(0.02), samples=samples(0.0005, 0.003)[:6] + samples(0.075, 0.003)[:4]),
    ),
    "slow-loader": ("input-bound", CPU.replace(framework="torch", windows=windows(0.12, 0.06), samples=samples(None))),
    "tiny-model": ("launch-bound", CPU.replace(windows=windows(0.0012), samples=samples(0.0002, 0.0008))),
    "tiny-model-on-jax": (
        "launch-bound",
        CPU.replace(framework="jax", windows=windows(0.0006), samples=samples(0.0002, 0.0003, device_s=0.00001)),
    ),
    "many-kernels": ("launch-bound", HEALTHY.replace(gpus=(GPU.replace(utilization_percent=20),) * 40)),
    "scope-of-the-cpu": ("device-unused", HEALTHY.replace(result_devices=("cpu:0",))),
    "gpu-not-chosen": ("device-unused", CPU.replace(accelerators=("GPU:0",))),
    "hot": ("clocks-limited", HEALTHY.replace(gpus=(GPU.replace(limited_by=("thermal",), temperature_c=92),) * 40)),
    "low-power": ("clocks-limited", HEALTHY.replace(gpus=(GPU.replace(clock_mhz=700, power_limit_w=200.0),) * 40)),
    "narrow-slot": ("clocks-limited", HEALTHY.replace(gpus=(GPU.replace(pcie_width=4),) * 40)),
    "one-of-eight-hot": (
        "clocks-limited",
        with_gpus(*[GPU] * 7, GPU.replace(limited_by=("thermal",), temperature_c=92)),
    ),
    "one-of-two-at-low-power": ("clocks-limited", with_gpus(GPU, GPU.replace(clock_mhz=700, power_limit_w=200.0))),
    "one-of-two-in-a-narrow-slot": ("clocks-limited", with_gpus(GPU, GPU.replace(pcie_width=4))),
    "one-of-four-shared": ("shared-device", with_gpus(GPU, GPU, GPU.replace(others=1), GPU)),
    "two-idle-gpus": ("launch-bound", with_gpus(*[GPU.replace(utilization_percent=20)] * 2)),
    "new-shapes": ("retracing", HEALTHY.replace(programs=tuple((str(n), n) for n in range(5, 60, 5)))),
    "function-of-ones-own": ("retracing", CPU.replace(traced=(("rare (a.py:1)", 3), ("cut (train.py:8)", 190)))),
    "xla-and-shapes": (
        "retracing",
        HEALTHY.replace(
            samples=samples(shapes=("32x7", "32x9", "32x11", "32x12")), longest_steps_s=(3.1, 2.9, 2.8, 2.2, 1.9)
        ),
    ),
    # A step that always compiles is no longer than the others.
    "xla-and-always-new-shapes": (
        "retracing",
        HEALTHY.replace(
            samples=samples(shapes=tuple("32x%d" % size for size in range(40))), longest_steps_s=(0.3, 0.3)
        ),
    ),
    "quota": ("host-starved", CPU.replace(hosts=hosts(periods=500, throttled=300))),
    "hog": ("host-starved", CPU.replace(hosts=hosts(own=30.0, busy=98.0, idle=2.0, queued=40.0))),
    "busy-hypervisor": ("host-starved", CPU.replace(hosts=hosts(own=30.0, busy=32.0, stolen=20.0))),
    "two-programs": ("shared-device", HEALTHY.replace(gpus=(GPU.replace(others=1),) * 40)),
    "full-device": ("memory-bound", HEALTHY.replace(memory=DeviceMemory(79 * GIB, 80 * GIB))),
    "retries": ("memory-bound", HEALTHY.replace(memory=DeviceMemory(60 * GIB, 80 * GIB, 7))),
    "full-machine": ("memory-bound", CPU.replace(memory_granted_bytes=4 * GIB)),
}

JUST_NOT = {
    "healthy": HEALTHY,
    "on-the-cpu": CPU,
    "cpu-chosen": CPU.replace(selected="cpu", accelerators=("GPU:0",)),
    "short-waits": HEALTHY.replace(windows=windows(0.058), samples=samples(0.008)),
    # TensorFlow does not say where time that is neither waiting nor computing goes: other callbacks.
    "slow-callback": HEALTHY.replace(windows=windows(0.5), samples=samples(0.001)),
    "one-long-wait": CPU.replace(windows=windows(0.03), samples=samples(0.0005, 0.003) + samples(0.3, 0.003)[:1]),
    "few-lengths": HEALTHY.replace(samples=samples(shapes=("32x8", "32x16", "32x24", "32x32") * 2)),
    "batches-that-are-there": HEALTHY.replace(windows=windows(0.0045), samples=samples(0.0015, 0.003)),
    # A small LSTM: started in 0.2 ms, computed in 1.5.
    "short-steps-that-compute": CPU.replace(
        framework="jax", windows=windows(0.002), samples=samples(0.0002, 0.0017, device_s=0.0015)
    ),
    "few-steps": HEALTHY.replace(steps=5, result_devices=("cpu:0",)),
    "nothing-known": TrainingRecord("tensorflow1", steps=500),
    "function-for-each-of-nine-lengths": HEALTHY.replace(traced=(("cut (train.py:8)", 9),)),
    "function-made-in-each-epoch": HEALTHY.replace(steps=2080, traced=(("show (train.py:8)", 40),)),
    "last-batch-is-smaller": HEALTHY.replace(programs=(("5", 1), ("100", 2), ("200", 2))),
    "idle-gpu-saves-power": HEALTHY.replace(
        gpus=(GPU,) * 40 + (GPU.replace(utilization_percent=0, pcie_width=1, clock_mhz=210),) * 10
    ),
    # TensorFlow and JAX open all GPUs, whichever they use.
    "opened-and-never-used": with_gpus(
        GPU, *[GPU.replace(utilization_percent=0, pcie_width=1, clock_mhz=210, limited_by=())] * 3
    ),
    "peak-of-the-larger-gpu": with_gpus(GPU, GPU.replace(memory_bytes=24 * GIB)).replace(memory=DeviceMemory(60 * GIB)),
    "busy-machine-with-room": CPU.replace(hosts=hosts(own=30.0, busy=75.0, idle=25.0)),
    "own-workers": CPU.replace(hosts=hosts(own=97.0, busy=99.0, idle=1.0, queued=300.0)),
    "others-of-low-priority": CPU.replace(hosts=hosts(own=30.0, busy=98.0, idle=2.0, queued=3.0)),
    "little-to-do-on-a-full-machine": HEALTHY.replace(hosts=hosts(own=4.0, busy=98.0, idle=2.0, queued=6.0)),
    "stolen-from-others": CPU.replace(hosts=hosts(own=6.0, busy=60.0, stolen=30.0)),
    "hypervisor-that-does-not-count": CPU.replace(hosts=hosts(stolen=None)),
    "kernel-that-does-not-count": CPU.replace(hosts=hosts(own=30.0, busy=98.0, idle=2.0, queued=None)),
}


@pytest.mark.parametrize("name", sorted(PLANTED))
def test_a_planted_cause_is_found_and_none_other(name):
    code, record = PLANTED[name]
    assert [finding.code for finding in findings(record)] == [code]
    finding = findings(record)[0]
    assert finding.evidence
    assert finding.fix


@pytest.mark.parametrize("name", sorted(JUST_NOT))
def test_a_healthy_training_has_no_finding(name):
    assert [finding.code for finding in findings(JUST_NOT[name])] == []


def test_the_gpu_is_named_that_is_held_down():
    (finding,) = findings(PLANTED["one-of-two-in-a-narrow-slot"][1])
    assert [(item.text, item.source) for item in finding.evidence] == [("4 of 16 PCIe lanes are in use", "NVML, GPU 1")]
    (finding,) = findings(PLANTED["one-of-four-shared"][1])
    assert finding.evidence[0].text == "1 other process computed on GPU 2 in 40 of 40 looks"


def test_a_page_has_each_gpu_for_itself():
    page = MonitorReport.of(with_gpus(GPU, GPU.replace(utilization_percent=4)))._repr_html_()
    rows = [row for row in page.split("<tr") if ">GPU " in row]
    assert [part in row for row, part in zip(rows, ("utilization 93 %", "utilization 4 %"))] == [True, True]


@pytest.mark.parametrize("cause", ["function-of-ones-own", "hog"])
def test_what_makes_a_training_wait_for_its_data_comes_before_that(cause):
    code, record = PLANTED[cause]
    waits = record.replace(windows=windows(0.12), samples=samples(0.06, 0.05))
    assert [finding.code for finding in findings(waits)] == [code, "input-bound"]


def test_the_time_of_a_tiny_step_is_without_its_wait():
    seen = [findings(PLANTED["tiny-model"][1].replace(samples=samples(wait_s, 0.0008)))[0] for wait_s in (0.0002, None)]
    assert [finding.evidence[0].text for finding in seen] == [
        "1 ms a step without the wait for its batch",
        "1.2 ms a step",
    ]


def test_the_factor_counts_only_what_waiting_takes():
    (finding,) = findings(HEALTHY.replace(windows=windows(0.2), samples=samples(0.15, 0.01)))
    assert "4.0 times as fast" in finding.summary  # 50 ms are left: other callbacks


@pytest.mark.parametrize(
    "source, words",
    [
        (DataSource("generator"), "PyDataset"),
        (DataSource("PyDataset", 1, False), "use_multiprocessing=True"),
        (DataSource("DataLoader", 0), "num_workers=4"),
        (DataSource("tf.data", operations=("Batch", "Map", "TensorSlice")), "num_parallel_calls"),
        (DataSource("tf.data", operations=("Batch", "ParallelMap", "TensorSlice")), "prefetch"),
        (DataSource(), "tf.data with prefetch"),
    ],
)
def test_the_first_fix_is_for_what_fit_was_given(source, words):
    record = PLANTED["slow-pipeline"][1].replace(source=source)
    fix = findings(record)[0].fix[0]
    assert words in fix.text + str(fix.command)


@pytest.mark.parametrize(
    "parts, moved",
    [
        ("Prefetch Batch Shuffle ParallelMap TensorSlice", True),
        ("Shuffle FlatMap TensorSlice", True),
        ("Prefetch Batch ParallelMap Shuffle TensorSlice", False),
        ("Prefetch Batch ParallelMap TensorSlice", False),
    ],
)
def test_shuffle_goes_before_what_decodes(parts, moved):
    record = PLANTED["slow-pipeline"][1].replace(source=DataSource("tf.data", operations=tuple(parts.split())))
    (finding,) = findings(record)
    assert any(".shuffle(" in str(fix.command) for fix in finding.fix) is moved


@pytest.mark.parametrize("framework, said", [("tensorflow", True), ("jax", False)])
def test_many_steps_in_a_call_hide_waits_on_tensorflow(framework, said):
    (finding,) = findings(PLANTED["tiny-model"][1].replace(framework=framework))
    (fix,) = [item for item in finding.fix if "steps_per_execution" in str(item.command)]
    assert ("look for input-bound before" in fix.text) is said


@pytest.mark.parametrize("name", sorted(PLANTED))
def test_a_record_is_judged_again_after_json(name):
    record = PLANTED[name][1]
    data = json.loads(json.dumps(MonitorReport.of(record).to_dict(), allow_nan=False))
    again = TrainingRecord.from_dict(data["record"])
    assert again == record
    assert [item.code for item in MonitorReport.of(again).findings] == [PLANTED[name][0]]


def test_a_report_shows_itself():
    report = MonitorReport.of(PLANTED["slow-pipeline"][1].replace(model="<b>\x1b[31m"))
    assert "input-bound" in str(report)
    assert "120 ms each: 60 ms waiting for data, 50 ms computing" in " ".join(str(report).split())
    assert "\x1b" not in str(report)
    page = report._repr_html_()
    assert "input-bound" in page
    assert "<b>" not in page
    assert "Nothing slows it down." in str(MonitorReport.of(HEALTHY))
    assert "Too few steps" in str(MonitorReport.of(TrainingRecord("jax", steps=2)))
    assert "Too few steps" in str(MonitorReport.of(HEALTHY.replace(steps=8)))
    # The wait for data is judged by synchronized steps, and by no fewer than three.
    assert "Too few steps" in str(MonitorReport.of(HEALTHY.replace(steps=12, samples=samples()[:2])))
    assert "Nothing that was measured slows it down." in str(MonitorReport.of(HEALTHY.replace(samples=samples(None))))
    slow = MonitorReport.of(JUST_NOT["slow-callback"])
    assert "449 ms in callbacks and in Keras itself" in " ".join(str(slow).split())
    assert "Nothing slows it down" not in str(slow)


@pytest.mark.parametrize("in_some, told", [(0.00002, False), (0.0015, True)])
def test_a_step_may_be_too_short_to_tell_what_it_does(in_some, told):
    record = JUST_NOT["short-steps-that-compute"]
    mixed = record.samples[:5] + samples(0.0002, 0.0017, device_s=in_some)[:3]
    report = str(MonitorReport.of(record.replace(samples=mixed)))
    assert ("Nothing slows it down." in report) is told
    assert ("too short to tell" in report) is not told


def test_what_is_not_known_is_one_line():
    said = " ".join(str(MonitorReport.of(HEALTHY.replace(gpus=(), variable_devices=()))).split())
    assert "Unknown variables, GPU" in said
    assert "GPU" not in str(MonitorReport.of(CPU))
    assert "Unknown" not in str(MonitorReport.of(CPU))
    page = MonitorReport.of(HEALTHY.replace(gpus=(GPU.replace(power_w=None, pcie_width=None),)))
    for shown in (str(page), page._repr_html_()):
        assert "utilization 93 %, memory 20.0 GiB of 80.0 GiB at most" in " ".join(shown.split())
        assert "clocks held down in 1 of 1 looks: power-cap; unknown: power, PCIe" in " ".join(shown.split())


def test_what_is_shown_while_it_trains():
    figures = LiveFigures(PLANTED["slow-pipeline"][1].replace(gpus=(GPU,), hosts=hosts()[-1:]))
    assert str(figures) == (
        "step 208, 120 ms each; waiting for data: 50 %; GPU 0: 93 %, 20.0 GiB of 80.0 GiB, 71 \u00b0C"
    )
    page = figures._repr_html_()
    assert "120 ms each" in page
    assert "71 \u00b0C" in page
    scalars = figures.scalars()
    assert scalars.pop("step/seconds") == pytest.approx(0.12)
    assert scalars == {
        "step/wait_percent": pytest.approx(50.0), "host/memory_bytes": 4 * GIB, "gpu_0/utilization_percent": 93,
        "gpu_0/memory_used_bytes": 20 * GIB, "gpu_0/clock_mhz": 1900, "gpu_0/temperature_c": 71, "gpu_0/power_w": 690,
    }  # fmt: skip
    early = LiveFigures(TrainingRecord("jax", steps=2, gpus=(GpuSample(1.0, 3),)))
    assert str(early) == "step 2; waiting for data: unknown; GPU 3: unknown"
    assert early.scalars() == {}


def test_a_nan_comes_before_what_is_slow():
    nan = NanReport.of(NanRecord("jax", step=5, start=("net/kernel",)))
    report = MonitorReport.of(PLANTED["slow-pipeline"][1], nan)
    assert [finding.code for finding in report.findings] == ["weights-not-finite", "input-bound"]
    assert str(report).index("weights-not-finite") < str(report).index("input-bound")
    data = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert NanRecord.from_dict(data["nan"]["record"]) == nan.record
    assert MonitorReport.of(HEALTHY).nan is None


# Steps.


def train(clock, steps, step_s=0.1, wait_s=0.01, begin=0.0, extra_s=0.0):
    now = begin
    for _ in range(steps):
        now += step_s
        if clock.due():
            clock.sampled(StepSample(clock.steps, now, wait_s, step_s), now, extra_s)
        else:
            clock.stepped(now - step_s, now, wait_s)
    return now


def test_warm_up_and_synchronized_steps_are_in_no_window():
    clock = StepClock()
    clock.stepped(0.0, 30.0, None)
    assert clock.first_step_s == 30.0
    train(clock, 99, begin=30.0)
    assert clock.steps == 100
    taken = sum(window.steps for window in clock.windows())
    # Of the others, the two steps of the warm-up and the one after each sample.
    assert taken == 100 - 3 - 2 * len(clock.samples)
    assert 5 <= len(clock.samples) <= 10
    assert all(abs(window.seconds / window.steps - 0.1) < 1e-9 for window in clock.windows())
    assert abs(clock.longest()[0] - 0.1) < 1e-9


def test_a_long_training_keeps_a_bounded_number_of_figures():
    clock = StepClock()
    train(clock, 400000, wait_s=0.05)
    assert len(clock.windows()) <= 402
    assert len(clock.samples) <= 401
    assert len(clock.longest()) == 20
    waited = [window.wait_s / window.steps for window in clock.windows()]
    assert max(waited) - min(waited) < 1e-9


def test_what_is_dear_to_measure_is_measured_less_often():
    few, many, short = StepClock(), StepClock(), StepClock()
    train(few, 40000, extra_s=0.5)
    train(many, 40000)
    assert 5.0 * (len(few.samples) - 5) <= 40000 / 500
    assert len(few.samples) > 15
    assert len(many.samples) > 300
    # TensorFlow, 300 steps of 12 ms.
    train(short, 300, step_s=0.012, extra_s=0.0045)
    assert 5 <= len(short.samples) <= 7
    alone = StepClock()
    for _ in range(100):  # epochs of one step: what a step usually takes is not known
        alone.pause()
        train(alone, 1, extra_s=0.0045)
    assert len(alone.samples) > 5


def test_a_validation_is_no_part_of_a_step():
    clock = StepClock()
    now = train(clock, 9)
    before = sum(window.steps for window in clock.windows())
    clock.pause()
    assert clock.gap(now + 60.0) is None
    train(clock, 2, begin=now + 60.0)
    assert max(clock.longest()) < 1.0
    assert sum(window.steps for window in clock.windows()) == before  # the first, and a synchronized one


def test_neighbors_become_one_window():
    pair = [StepWindow(0.0, 3, 0.3, 0.1), StepWindow(1.0, 5, 0.5, 0.2)]
    both, last = merged([*pair, StepWindow(2.0, 1, 0.1, None)])
    assert (both.at_s, both.steps, both.seconds, last.steps) == (0.0, 8, 0.8, 1)


# A training that raises outside of a step. The exception is kept, as a notebook does, and with it all frames.


class CallbackList:
    def on_train_batch_end(self, error):
        if error is not None:
            raise error


def fit(callbacks, ended, in_callback=None, after=None):
    end = FitEnd(callbacks, ended.append)
    end.look()
    assert ended == []  # it still runs
    callbacks.on_train_batch_end(in_callback)
    if after is not None:
        after.end = end
        raise after


@pytest.mark.parametrize("kind, how", [(KeyboardInterrupt, "interrupted"), (ValueError, "failed")])
def test_a_callback_raises_and_the_exception_is_kept(kind, how):
    ended, other, callbacks = [], [], CallbackList()
    forgotten = FitEnd(callbacks, other.append)
    forgotten.forget()
    with pytest.raises(kind) as kept:
        fit(callbacks, ended, in_callback=kind())
    assert ended == [how]
    del kept, callbacks
    gc.collect()
    assert (ended, other) == ([how], [])


class Cell:
    """What IPython calls with after a cell."""

    def __init__(self, error_in_exec):
        self.error_in_exec = error_in_exec


@pytest.mark.parametrize(
    "kind, how", [(KeyboardInterrupt, "interrupted"), (ValueError, "failed"), (None, "interrupted")]
)
def test_something_else_raises_and_the_exception_is_kept(kind, how):
    ended, error = [], (kind or KeyboardInterrupt)()
    with pytest.raises(type(error)) as kept:
        fit(CallbackList(), ended, after=error)
    assert ended == []
    kept.value.end.look(Cell(error) if kind else None)
    assert ended == [how]
    kept.value.end.look()
    assert ended == [how]


def test_the_end_is_seen_when_the_exception_goes():
    ended = []
    with pytest.raises(KeyboardInterrupt) as kept:
        fit(CallbackList(), ended, after=KeyboardInterrupt())
    del kept
    gc.collect()
    assert ended == ["gone"]


def test_of_processes_that_train_together_the_first_one_speaks():
    torchrun = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}
    assert [speaks(dict(torchrun, RANK=rank)) for rank in "01"] == [True, False]
    evaluator = {"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "evaluator", "index": 0}}
    assert not speaks({"TF_CONFIG": json.dumps(evaluator)})
    assert speaks({})
    assert speaks({"TF_CONFIG": "broken"})


# The machine.


def test_a_gpu_is_this_program_s_by_its_process_or_because_there_is_one():
    loads = [{"index": 0, "pids": [7, 9]}, {"index": 1, "pids": [42, 7]}, {"index": 2, "pids": []}, {}, "garbage"]
    assert [(load["index"], load["others"]) for load in own_loads(loads, 42)] == [(1, 1)]
    assert own_loads(loads, 43) == []
    # A container sees the processes of the machine under other numbers.
    assert [load["others"] for load in own_loads(loads[:1], 43)] == [1]
    assert [load["others"] for load in own_loads([{"index": 0}], 43)] == [None]
    sample = sample_of(
        {"index": 3, "memory": [100, 40, 60], "power_w": 3.5, "limited_by": ["thermal"], "clock_mhz": {}}, 2.0
    )
    assert (sample.memory_bytes, sample.memory_used_bytes, sample.power_w, sample.clock_mhz) == (100, 60, 3.5, None)
    assert sample.limited_by == ("thermal",)


STAT = "%d (%s) S %d 1 1 0 -1 0 0 0 0 0 300 100 20 10 20 0 1 0 5 1000 250 1844 0"


def test_processors_of_a_recorded_machine(make_machine):
    host = make_machine(
        files={
            "/proc/stat": "cpu  100 5 20 900 30 0 1 40 7 0\ncpu0 60 0 0 450 0 0 0\ncpu1 30 0 9 440 10 0 0\nctxt 5\n",
            "/proc/self/stat": STAT % (42, "python", 1),
            "/proc/42/stat": STAT % (42, "python", 1),
            "/proc/42/status": "Name:\tpython\nCpus_allowed:\t2\nCpus_allowed_list:\t1\n",
            "/proc/42/task/42/schedstat": "400000000 2000000000 9\n",
            "/proc/42/task/51/schedstat": "100000000 500000000 7\n",
            "/proc/43/stat": STAT % (43, "a) worker", 42),
            "/proc/43/task/43/schedstat": "100000000 250000000 7\n",
            "/proc/50/stat": STAT % (50, "other", 1),
            "/proc/self/cgroup": "0::/box\n",
            "/proc/self/mountinfo": "32 24 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            "/sys/fs/cgroup/box/cpu.stat": "usage_usec 9\nnr_periods 40\nnr_throttled 12\nthrottled_usec 800\n",
            "/sys/fs/cgroup/cpu.stat": "usage_usec 9\n",
        }
    )
    load = read_host_load(host)
    assert load.processes == 2
    assert load.own_cpu_s / load.busy_cpu_s == pytest.approx(860 / 39)  # of clock ticks, however long one is here
    assert load.idle_cpu_s / load.busy_cpu_s == pytest.approx(450 / 39)
    assert load.queued_s == 2.75
    assert (load.periods, load.throttled_periods) == (40, 12)
    assert read_throttling(host) == (40, 12)


@pytest.mark.parametrize(
    "system, files",
    [
        ("linux", {}),
        # Wine shows Linux's; on Windows any user may make this folder on the drive C.
        (
            "windows",
            {
                "/proc/stat": "cpu  100 5 20 900 30 0 1 40 7 0\n",
                "/proc/self/stat": STAT % (42, "python", 1),
                "/proc/42/stat": STAT % (42, "python", 1),
            },
        ),
    ],
)
def test_other_systems_know_this_process_s_time_only(make_machine, system, files):
    load = read_host_load(make_machine(system=system, files=files))
    assert load.own_cpu_s > 0
    assert (load.busy_cpu_s, load.processes, load.periods, load.queued_s) == (None, None, None, None)


class _MapDataset:
    _input_dataset = None


class _PrefetchDataset:
    _input_dataset = _MapDataset()


def test_the_parts_of_a_pipeline():
    assert operations(_PrefetchDataset()) == ("Prefetch", "Map")


@pytest.mark.only_on("posix", reason="the status of a signal")
@pytest.mark.skipif(sys.version_info < (3, 8), reason="Python 3.7 ends with status 1")
@pytest.mark.parametrize(
    "end, status", [("raise KeyboardInterrupt", -signal.SIGINT), ("raise ValueError", 1), ("pass", 0)]
)
def test_what_is_imported_at_the_exit_leaves_the_status_as_it_is(end, status):
    code = (
        "import atexit\nfrom devicekit.watch.keras_callback import keep_exit_status\n"
        "atexit.register(lambda: (eval('1'), keep_exit_status()))\n" + end
    )
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL, timeout=60)
    assert done.returncode == status
