"""Benchmarks: statistics on numbers that are known, what is asked for, what failed, and the report. No framework runs."""

import importlib.util
import json
import random

import pytest

import devicekit
from devicekit import DevicekitError
from devicekit.children.call import ChildReport
from devicekit.measure import BenchmarkResult, Throughput, TunedOption, Tuning
from devicekit.measure.benchmark.benchmark import _what
from devicekit.measure.benchmark.models import MODELS, NAMES, model_named
from devicekit.measure.benchmark.outcome import joined, problem_of, row_of
from devicekit.measure.benchmark.result import figures_data, read_figures
from devicekit.measure.benchmark.taking_steps import (
    LOAD_LIMIT,
    EnergyMeter,
    Load,
    busy_seconds,
    is_steady,
    still_warming,
    take_steps,
    trend,
)
from devicekit.report.benchmark import benchmark_line, benchmark_text, tuning_line, tuning_text
from devicekit.report.terminal import Style


def throughput(**changes):
    values = {
        "model": "resnet50",
        "device": "cpu",
        "framework": "tensorflow",
        "mode": "training",
        "precision": "float32",
        "xla": False,
        "batch_size": 32,
        "unit": "images",
        "step_seconds": (0.5, 0.5, 0.5),
    }
    return Throughput(**dict(values, **changes))


# Statistics


def test_statistics_are_those_of_tf_cnn_benchmarks():
    # Rates 10, 20, 40: mean 23.33, population deviation 12.47; median 20, absolute deviations 10, 0, 20: median 10.
    row = throughput(batch_size=10, step_seconds=(1.0, 0.5, 0.25))
    assert row.rates == (10.0, 20.0, 40.0)
    assert row.per_second == pytest.approx(30 / 1.75)  # examples by time, not the mean of the rates
    assert row.deviation == pytest.approx(12.4722, abs=1e-4)
    assert row.uncertainty == pytest.approx(12.4722 / 3**0.5, abs=1e-4)
    assert row.jitter == pytest.approx(14.826)


def test_one_outlier_moves_the_deviation_and_not_the_jitter():
    calm = throughput(step_seconds=(0.5,) * 9)
    row = throughput(step_seconds=(0.5,) * 9 + (5.0,))
    assert calm.deviation == calm.jitter == 0
    assert row.jitter == 0
    assert row.deviation > 10


def test_a_row_without_figures_has_no_statistics():
    row = throughput(step_seconds=(), problem="out of memory")
    assert (row.per_second, row.uncertainty, row.deviation, row.jitter) == (None, None, None, None)
    assert BenchmarkResult((row,)).fastest is None


def test_rows_survive_json():
    row = throughput(warmup_seconds=(3.0,), memory_peak_bytes=5, parameters=7, versions=(("keras", "3.15.1"),))
    data = json.loads(json.dumps(row.to_dict()))
    assert data["per_second"] == 64.0
    assert data["versions"] == {"keras": "3.15.1"}
    assert Throughput.from_dict(data) == row


def test_the_ratio_to_the_cpu_is_of_the_same_work():
    cpu, gpu = throughput(), throughput(device="gpu:0", step_seconds=(0.25,))
    mixed = throughput(device="gpu:0", precision="mixed_float16", step_seconds=(0.1,))
    result = BenchmarkResult((cpu, gpu, mixed))
    assert result.relative_to_cpu(gpu) == pytest.approx(2.0)
    assert result.relative_to_cpu(cpu) == pytest.approx(1.0)
    assert result.relative_to_cpu(mixed) is None
    assert result.fastest is None  # of one process each: nothing is known of how much processes differ


# Warm-up and steady state


def test_warming_up_is_told_from_steady():
    # The first step compiles and does not count.
    assert still_warming([30.0, 9.0, 6.0, 4.0, 3.0, 2.5])
    assert not still_warming([30.0, 2.5, 2.6, 2.4, 2.5, 2.5])
    assert not still_warming([30.0])
    assert not still_warming([30.0, 2.0, 2.0])
    # Faster by less than what matters.
    assert not still_warming([30.0, 1.004, 1.003, 1.002, 1.001, 1.0])
    # Earlier steps are forgotten.
    assert not still_warming([30.0, 9.0, 6.0, 4.0, 2.0, 2.1, 1.9, 2.0, 2.1])


def test_a_trend_is_found_with_its_size():
    rising = [1.0 + 0.01 * number for number in range(50)]
    assert trend(rising) == pytest.approx(0.49 / 1.245, rel=1e-6)
    assert not is_steady(rising)
    assert trend(list(reversed(rising))) == pytest.approx(-0.49 / 1.245, rel=1e-6)
    assert trend([1.0] * 50) is None
    # Single slow steps are no trend, wherever they are.
    assert is_steady([1.0] * 40 + [9.0, 9.0])
    assert trend([3.0, 2.0, 1.0]) is None  # too few to tell


def test_a_trend_too_small_to_matter_is_steady():
    assert is_steady([1.0 + 0.0001 * number for number in range(100)])


def test_noise_is_steady_with_few_exceptions():
    generator = random.Random(0)
    found = [is_steady([generator.lognormvariate(0.0, 0.2) for _ in range(30)]) for _ in range(300)]
    # The test allows for 1 %.
    assert found.count(False) <= 9


def test_drift_under_noise_is_found():
    generator = random.Random(0)
    found = [
        is_steady([generator.lognormvariate(0.0, 0.1) * (1.0 + 0.5 * number / 50) for number in range(50)])
        for _ in range(50)
    ]
    assert found.count(True) == 0


# What is asked for

COMMON = {
    "mode": "training",
    "num_batches": 10,
    "num_warmup_batches": 2,
    "seed": 0,
    "seconds": None,
    "input_pipeline": False,
    "shape": None,
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "resnet51"}, "'resnet50', 'mobilenet', 'vgg16'"),
        ({"model": 3}, "not <class 'int'>"),
        ({"devices": "gpu:0,1"}, "name each one in full"),
        ({"devices": "gpu:0, cpux"}, "'cuda:0'"),
        ({"devices": []}, "no device is named"),
        ({"framework": "theano"}, "'tensorflow', 'keras', 'jax'"),
        ({"batch_size": 0}, "from 1 to"),
        ({"batch_size": "large"}, "or 'auto'"),
        ({"batch_size": True}, "not True"),
        ({"precision": "float8"}, "'mixed_bfloat16'"),
        ({"xla": "yes"}, "True, False or None"),
        ({"mode": "sleeping"}, "'inference'"),
        ({"num_batches": 0}, "num_batches must be a whole number from 1"),
        ({"num_warmup_batches": -1}, "num_warmup_batches"),
        ({"seed": 1.5}, "seed"),
        ({"seconds": 0}, "seconds must be more than 0"),
        ({"seconds": "60"}, "seconds must be more than 0, not '60'"),
        ({"timeout_s": None}, "timeout_s must be more than 0, not None"),
        ({"devices": 0}, "devices is a list of names, not 0"),
        ({"framework": 1}, "framework is a list of names, not 1"),
        ({"precision": 16}, "precision is a list of names, not 16"),
        ({"xla": 1}, "xla is a list of True, False or None, not 1"),
        ({"shape": 64}, "shape is a list of sizes, not 64"),
        ({"repeat": 0}, "repeat"),
        ({"timeout_s": -1.0}, "timeout_s"),
        ({"shape": (0, 3)}, "shape"),
        ({"settings": {"speed": 11}}, "intra_op_threads"),
    ],
)
def test_wrong_use_is_told_before_anything_starts(changes, message):
    with pytest.raises(ValueError) as caught:
        devicekit.benchmark(**dict({"model": "mlp", "framework": None}, **changes))
    assert message in str(caught.value)


@pytest.mark.skipif(importlib.util.find_spec("jax") is not None, reason="JAX is installed here")
def test_a_framework_that_is_not_there_is_named_with_what_to_do():
    with pytest.raises(DevicekitError, match="jax is not installed in this environment.* devicekit resolve"):
        devicekit.benchmark("mlp", framework="jax")


def test_the_models_are_known_by_name():
    assert NAMES == ("resnet50", "mobilenet", "vgg16", "transformer", "lstm", "mlp")
    assert [model_named(item.name) for item in MODELS] == list(MODELS)
    assert model_named("alexnet") is None
    # As published.
    assert [item.parameters for item in MODELS[:3]] == [25636712, 4253864, 138357544]


# What failed

TASK = dict(COMMON, model="lstm", device="gpu:0", framework="jax", precision="float32", xla=None, batch_size=None)
SAID = ({"stage": "start"}, {"stage": "import"}, {"stage": "compile", "done": 0, "of": 1})


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (
            ChildReport("raised", error="ResourceExhaustedError", detail="OOM when allocating", said=SAID),
            "out of memory",
        ),
        (ChildReport("died", detail="killed by SIGKILL", said=SAID), "out of memory"),
        (ChildReport("died", detail="killed by SIGSEGV", said=SAID), "SIGSEGV"),
        (ChildReport("hung", detail="no answer within 5 s", said=SAID), "in the first step, which compiles"),
        (ChildReport("raised", error="ValueError", detail="shapes\n  differ", said=SAID), "ValueError: shapes differ"),
        (
            ChildReport("raised", error="InvalidArgumentError", detail="No OpKernel was registered to support Op 'X'"),
            "no kernel on the device",
        ),
        (ChildReport("not-run", detail="no interpreter"), "no interpreter"),
        (ChildReport("raised", error="DeviceUnavailableError", detail="'gpu:0' cannot be used"), "'gpu:0' cannot be"),
    ],
)
def test_a_failure_becomes_a_row(report, words):
    row = row_of(report, TASK)
    assert words in row.problem == problem_of(report)
    assert (row.model, row.device, row.framework, row.batch_size, row.unit) == ("lstm", "gpu:0", "jax", 64, "sequences")
    assert row.per_second is None
    assert not row.steady


def test_a_long_message_is_cut():
    row = row_of(ChildReport("raised", error="ValueError", detail="x" * 5000), TASK)
    assert len(row.problem) <= 300


def test_repeated_measurements_are_one_row():
    first = throughput(step_seconds=(0.5,), warmup_seconds=(9.0,), memory_peak_bytes=10)
    second = throughput(step_seconds=(1.0,), warmup_seconds=(8.0,), memory_peak_bytes=20, steady=False)
    both = joined([first, second])
    assert (both.step_seconds, both.warmup_seconds) == ((0.5, 1.0), (9.0, 8.0))
    assert (both.memory_peak_bytes, both.steady, both.runs) == (20, False, (1, 1))
    failed = throughput(step_seconds=(), problem="out of memory")
    assert joined([failed]) == failed
    assert joined([first, failed]) == first


# The report


def text_of(*rows, **options):
    style = Style(width=options.pop("width", 100))
    return benchmark_text(BenchmarkResult(rows, **options), style)


def test_the_table_says_once_what_all_rows_share():
    text = text_of(throughput(), throughput(device="gpu:0", step_seconds=(0.25, 0.26), name="A100"), seconds=12.0)
    head, _, titles, cpu, gpu = text.splitlines()[:5]
    assert head == "devicekit bench: training of resnet50, TensorFlow, float32, no XLA, batch size 32"
    assert titles.split() == [
        "device",
        "images/sec",
        "95",
        "%",
        "interval",
        "p50",
        "ms",
        "p99",
        "ms",
        "steps",
        "memory",
        "to",
        "CPU",
    ]
    assert cpu.split()[:2] == ["cpu", "64.0"]
    assert gpu.split()[:2] == ["gpu:0", "125.5"]
    assert "1.96" in gpu
    assert "Cannot tell which is the fastest: a single process does not show how much processes differ" in text


def test_what_differs_has_a_column_and_what_failed_a_sentence():
    failed = throughput(framework="jax", xla=None, step_seconds=(), problem="out of memory, in the warm-up")
    text = text_of(throughput(versions=(("tensorflow", "2.21.0"),)), failed, throughput(precision="mixed_bfloat16"))
    assert "TensorFlow 2.21.0" in text
    assert "mixed_bfloat16" in text
    assert "cpu JAX float32: out of memory, in the warm-up." in text


def test_unsteady_and_cached_figures_are_said_to_be_so():
    text = text_of(throughput(steady=False), cached=True)
    assert "changed during the measurement" in text
    assert "cached result" in text


def test_nothing_measured():
    assert "Nothing could be measured." in text_of(throughput(step_seconds=(), problem="no"))
    assert benchmark_line(BenchmarkResult(())) == "devicekit: nothing was measured"


@pytest.mark.parametrize("width", [40, 60, 100])
def test_no_line_is_longer_than_the_terminal(width):
    rows = [
        throughput(
            device=device, name="A processor \x1b[31mwith a very long name " * 5, precision=precision, problem=problem
        )
        for device in ("cpu", "gpu:0")
        for precision in ("float32", "mixed_float16")
        for problem in ("", "a word " * 40)
    ]
    text = text_of(*rows, width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text


def test_slower_than_the_cpu_is_told_with_both_figures():
    from devicekit.measure.benchmark.benchmark import findings_of

    cpu, gpu = throughput(), throughput(device="gpu:0", name="Intel UHD 620", step_seconds=(1.0, 1.01, 0.99))
    (finding,) = findings_of([cpu, gpu])
    assert finding.code == "slower-than-cpu"
    text = text_of(cpu, gpu, findings=(finding,))
    assert "slower-than-cpu" in text
    assert "64" in finding.summary
    assert "32" in finding.summary
    assert any(fix.command for fix in finding.fix)
    # Within the noise, and with other work, nothing is said.
    assert findings_of([cpu, throughput(device="gpu:0", step_seconds=(0.3, 0.71, 0.6))]) == ()
    assert findings_of([throughput(precision="mixed_float16"), gpu]) == ()


def test_one_line_for_print():
    result = BenchmarkResult((throughput(), throughput(device="gpu:0", step_seconds=(), problem="out of memory")))
    assert str(result) == "devicekit: resnet50, cpu: 64.0 images/sec; gpu:0: out of memory"


def test_a_tuning_says_what_to_type():
    options = (
        TunedOption("threads", "intra=1 inter=1", 1.84, True, "wins", calls=("tf.config.threading.set_x(1)",)),
        TunedOption("onednn", "off", 0.7, False, "slower", environment=(("TF_ENABLE_ONEDNN_OPTS", "0"),)),
    )
    tuning = Tuning("cpu", "tensorflow", "mlp", options, gain=1.8, seconds=9.0)
    text = tuning_text(tuning, Style(width=80))
    assert "kept  threads intra=1 inter=1  1.84 times" in text
    assert "left  onednn off  0.70 times" in text
    assert "    tf.config.threading.set_x(1)" in text
    assert "ONEDNN_OPTS=0" not in text
    assert "1 setting kept: together 1.80 times as fast" in text
    assert tuning_line(tuning) == str(tuning)
    assert "threads intra=1 inter=1 kept, 1.80 times as fast" in tuning_line(tuning)
    assert "There are no options to try here." in tuning_text(Tuning("cpu", "jax", "mlp"), Style(width=80))


# Several processes


def processes(*rates, **changes):
    """A row of processes with these speeds, of three steps each."""
    steps = tuple(seconds for rate in rates for seconds in (32 / rate,) * 3)
    return throughput(**dict({"step_seconds": steps, "runs": (3,) * len(rates)}, **changes))


def test_the_interval_is_students_of_the_processes():
    row = processes(60.0, 64.0, 68.0)
    assert row.per_second == pytest.approx(64.0)
    # 4.303 is the quantile for two degrees of freedom; the standard deviation is 4.
    assert row.interval == pytest.approx((64.0 - 4.303 * 4 / 3**0.5, 64.0 + 4.303 * 4 / 3**0.5))
    assert throughput().interval is None
    assert processes(*[64.0] * 40).interval == pytest.approx((64.0, 64.0))


def test_intervals_cover():
    generator = random.Random(1)
    for count in (2, 3, 5, 40):
        rows = [processes(*(generator.gauss(100.0, 5.0) for _ in range(count))) for _ in range(400)]
        covered = sum(low <= 100.0 <= high for low, high in (row.interval for row in rows))
        assert covered >= 0.92 * len(rows), count


def test_nothing_is_the_fastest_where_intervals_overlap():
    cpu, gpu = processes(60.0, 64.0, 68.0), processes(65.0, 70.0, 75.0, device="gpu:0")
    result = BenchmarkResult((cpu, gpu))
    assert result.fastest is None
    assert "the intervals of gpu:0 and cpu overlap" in result.undecided
    assert "Cannot tell which is the fastest" in text_of(cpu, gpu)
    assert "cannot tell which is the fastest" in benchmark_line(result)
    clear = BenchmarkResult((cpu, processes(100.0, 101.0, 102.0, device="gpu:0")))
    assert clear.fastest.device == "gpu:0"
    assert "gpu:0 is the fastest." in text_of(*clear.rows)


def test_a_row_under_load_is_marked_and_decides_nothing():
    gpu = processes(100.0, 101.0, 102.0, device="gpu:0")
    cpu = processes(60.0, 61.0, 62.0, under_load=True, load=0.42)
    result = BenchmarkResult((cpu, gpu))
    assert result.fastest is None
    assert "other programs used 42 % of the processors while cpu was measured" in result.undecided
    assert "Under load" in text_of(cpu, gpu)


def test_processes_under_load_do_not_count_where_others_do():
    quiet = [throughput(step_seconds=(0.5,), runs=(1,), load=0.01) for _ in range(2)]
    loaded = throughput(step_seconds=(2.0, 2.0), runs=(2,), under_load=True, load=0.6)
    both = joined([*quiet, loaded])
    assert (both.step_seconds, both.under_load, both.loaded_steps) == ((0.5, 0.5), False, 2)
    assert joined([quiet[0], loaded]).under_load
    assert joined([loaded, loaded]).under_load


def test_latency_operations_and_energy():
    row = processes(
        64.0, 64.0, flops_per_step=32e9, peak_flops=1e12, energy_joules=96.0, threads=2, load=0.03, loaded_steps=1
    )
    assert dict(row.latency) == {"p50": 0.5, "p90": 0.5, "p99": 0.5}
    assert dict(throughput(step_seconds=tuple(range(1, 101))).latency) == {"p50": 50, "p90": 90, "p99": 99}
    assert (row.flop_per_second, row.share_of_peak, row.joules_per_example) == pytest.approx((64e9, 0.064, 0.5))
    text = " ".join(text_of(row).split())
    assert "64.0 GFLOP/s (6.4 % of the device's peak), 2 threads, 0.50 J per image" in text
    assert "other programs used 3 % of the processors, 1 step disturbed by them left out" in text
    assert throughput().flop_per_second is throughput().share_of_peak is throughput().joules_per_example is None


# Steps


class Machine:
    """A machine whose clock stands still except for steps; another program comes and goes."""

    def __init__(self, busy, step_s=0.1):
        self.now, self.busy, self.step_s = 0.0, busy, step_s

    def step(self):
        self.now += self.step_s * (1.8 if self.busy(self.now) else 1.0)

    def begin(self):
        self.began = self.now

    def end(self):
        span = self.now - self.began
        share = sum(self.busy(self.began + span * part / 20) for part in range(20)) / 40
        return Load(share, span, share > LOAD_LIMIT)


def taken(machine, **changes):
    task = dict({"num_batches": 30, "num_warmup_batches": 2, "min_batches": 3, "seconds": 60.0}, **changes)
    meter = EnergyMeter(lambda: 50.0 * machine.now)
    return take_steps(machine, task, lambda **_: None, meter, machine, lambda: machine.now)


def test_disturbed_steps_are_taken_again():
    steps = taken(Machine(lambda now: int(now) // 2 % 2 == 1))
    assert len(steps.seconds) == 30
    assert steps.seconds == pytest.approx([0.1] * 30)
    assert steps.loaded > 0
    assert (steps.under_load, steps.load) == (False, 0.0)
    assert steps.energy_joules == pytest.approx(50.0 * 3.0)


def test_steps_that_are_all_disturbed_count_and_are_marked():
    steps = taken(Machine(lambda now: True), seconds=None)
    assert (len(steps.seconds), steps.loaded, steps.under_load, steps.load) == (120, 0, True, 0.5)
    assert len(taken(Machine(lambda now: True), seconds=1.0).seconds) >= 3


def test_a_benchmark_beside_a_program_that_comes_and_goes_covers_the_quiet_figure():
    generator = random.Random(3)
    told, covered = 0, 0
    for _ in range(20):
        phase, spell = generator.uniform(0.0, 40.0), generator.uniform(3.0, 20.0)
        rows = []
        for process in range(5):
            # What differs from process to process: where memory lies, which processor a thread got.
            step_s = 0.1 * generator.gauss(1.0, 0.03)
            start = phase + process * generator.uniform(15.0, 30.0)
            machine = Machine(lambda now, start=start, spell=spell: int((start + now) / spell) % 2 == 1, step_s)
            steps = taken(machine, seconds=20.0)
            rows.append(
                throughput(
                    step_seconds=tuple(steps.seconds),
                    runs=(len(steps.seconds),),
                    under_load=steps.under_load,
                    load=steps.load,
                )
            )
        row = joined(rows)
        told += row.under_load
        covered += row.under_load or row.interval[0] <= 320.0 <= row.interval[1]
    assert covered >= 18
    assert told <= 10


def test_busy_processors_are_read_from_the_kernels_counters():
    text = "cpu  99 9 9 9 9 9 9 9 0 0\ncpu0 10 1 15 450 5 1 2 1 7 0\ncpu1 20 0 5 450 0 0 0 0 0 0\nintr 1 2\n"
    assert busy_seconds(text, {0}, 100.0) == pytest.approx(0.30)
    assert busy_seconds(text, {0, 1}, 100.0) == pytest.approx(0.55)
    assert busy_seconds(text, {0, 2}, 100.0) is None


# Figures of other machines


def test_figures_are_written_and_read(tmp_path):
    rows = (
        processes(60.0, 64.0, 68.0, name="CPU A"),
        processes(9.0, 9.1, under_load=True),
        throughput(step_seconds=()),
    )
    path = tmp_path / "figures.json"
    path.write_text(json.dumps(figures_data(BenchmarkResult(rows))), encoding="utf-8")
    (figure,) = read_figures(str(path))
    assert (figure.name, figure.model, figure.batch_size) == ("CPU A", "resnet50", 32)
    assert (figure.low, figure.high) == rows[0].interval
    fast = processes(640.0, 641.0, 642.0)
    text = " ".join(text_of(fast, against=(figure,)).split())
    assert "cpu is 10.02 times as fast as CPU A, TensorFlow: 64.0 images/sec (54.1 to 73.9)." in text
    assert "the intervals overlap" in " ".join(text_of(processes(60.0, 61.0, 62.0), against=(figure,)).split())
    other = " ".join(text_of(processes(1.0, 2.0, mode="inference"), against=(figure,)).split())
    assert "times as fast" not in other
    assert "No figure to compare with: those in the file are of another model, mode, precision or input." in other


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"schema": 2, "figures": []}', '{"schema": 1, "figures": [{}]}', '{"schema": 1, "figures": 3}'],
)
def test_what_is_not_a_file_of_figures_is_refused(content, tmp_path):
    path = tmp_path / "figures.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DevicekitError, match="not a file of figures"):
        read_figures(str(path))
    with pytest.raises(DevicekitError, match="cannot be read"):
        read_figures(str(tmp_path / "missing.json"))


# Tuning


def test_a_tuning_in_noise_cannot_tell():
    option = TunedOption("threads", "intra=1", 1.05, False, "no more than noise")
    text = tuning_text(Tuning("cpu", "tensorflow", "mlp", (option,), noise=1.88), Style(width=100))
    assert (
        "Cannot tell whether other settings are faster: two processes with the same settings differ by up to 88 %"
        in text
    )
    assert "defaults are the fastest" not in text
    quiet = tuning_text(Tuning("cpu", "tensorflow", "mlp", (option,), noise=1.04), Style(width=100))
    assert "The framework's defaults are the fastest settings here." in quiet


# The command


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "resnet51"], "resnet50"),
        (["--batch_size", "many"], "batch_size"),
        (["--batch-size", "0"], "from 1 to"),
        (["--device", "gpu:0,1"], "name each one in full"),
        (["--precision", "float8"], "mixed_float16"),
        (["--mode", "sleeping"], "inference"),
        (["--mode", "training", "--inference"], "not allowed with"),
        (["--num_batches", "0"], "num_batches"),
        (["--plot", "figure.gif"], ".svg or .png or .pdf"),
        (["--plot", "nowhere/figure.svg"], "there is no folder"),
        (["--html", "nowhere/page.html"], "there is no folder"),
        (["--shape", "a,b"], "--shape"),
    ],
)
def test_the_command_refuses_wrong_use(arguments, message, capsys):
    from devicekit.cli.main import main

    try:
        status = main(["bench", *arguments])
    except SystemExit as end:
        status = end.code
    captured = capsys.readouterr()
    assert status == 2
    assert captured.out == ""
    assert message in captured.err


@pytest.mark.parametrize(
    "place, rest", [((1, 3), " (1 of 3)"), ((1, 1), ""), ((4, 3), " (again: other programs were busy)")]
)
def test_progress_begins_with_what_changes(place, rest):
    """The end of a line that is too long for the terminal is cut off."""
    task = {"model": "resnet50", "device": "gpu:0", "framework": "jax"}
    text = _what(task, place, {"stage": "measure", "done": 12, "of": 100})
    assert text == "measure 12/100: resnet50 on gpu:0 with jax" + rest
    assert _what(task, place, {}) == "start: resnet50 on gpu:0 with jax" + rest
