"""`explain`, as it is called and as it is typed: logs that the tests make, and what is said of them."""

import importlib.util
import io
import itertools
import json
import os
import subprocess
import sys

import pytest

import devicekit
from devicekit import DevicekitError, explain
from devicekit.logs import explain_log
from devicekit.logs.errors import classify_error
from devicekit.logs.lines import Effort, candidate_lines
from devicekit.logs.signatures import signatures
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import SimulatedHost

TESTS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(TESTS)

NO_CUDART = (
    "2022-11-01 10:00:00.000000: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] "
    "Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object "
    "file: No such file or directory"
)
NO_CUDNN = "ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory"
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch"
NO_GPU_LISTED = ">>> tf.config.list_physical_devices('GPU')\n[]"
FACTORY = (
    "2024-01-01 10:00:00.000000: E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:9261] "
    "Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered"
)
GPU = {"os": "linux", "gpu": "NVIDIA GeForce RTX 3060"}


def codes(log, machine=None, **options):
    return [item.code for item in explain_log(log, machine, **options).findings]


def machine_of(name):
    return read_machine(SimulatedHost(os.path.join(TESTS, "machines", name)), deep=True)


MISSING = "Traceback (most recent call last):\n%sModuleNotFoundError: No module named '%s'\n"
IN_KERAS = (
    '  File "/venv/lib/python3.12/site-packages/keras/src/backend/common/__init__.py", line 1, in <module>\n'
    "    import tensorflow as tf\n"
)


def test_keras_is_blamed_only_where_it_is_in_the_log(make_machine):
    def first(frames, module):
        return explain_log(MISSING % (frames, module), machine).findings[0]

    installed = {"jax": "0.6.2", "jaxlib": "0.6.2", "scipy": "1.15.0", "keras": "3.15.1", "numpy": "2.2.0"}
    machine = read_machine(make_machine(python={"version": "3.12.1", "installed": installed}), deep=True)
    for module in ("tensorflow", "torch"):
        found = first('  File "train.py", line 1, in <module>\n    import %s\n' % module, module)
        assert found.code == "framework-missing"
        assert "Keras" not in found.summary
        assert "pip install %s" % module in found.fix[0].command
    assert first(IN_KERAS, "tensorflow").summary.startswith("Keras uses TensorFlow by default")


# What counts.


JAX_WITHOUT_GPU = (
    "Jax plugin configuration error: Exception when calling jax_plugins.xla_cuda13.initialize()\n"
    "RuntimeError: jaxlib/cuda/versions_helpers.cc:135: operation cuInit(0) failed: %s\n"
    "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.\n"
    "RuntimeError: Unknown backend: 'gpu' requested, but no platforms that are instances of gpu are present. Platforms "
    "present are: cpu\n"
)


def test_directml_is_there_for_a_gpu():
    finding = explain("W tensorflow/c/logging.cc:37] Could not load DirectML.")[0]
    assert (finding.code, finding.severity) == ("directml-missing", "warning")


def test_a_plugin_that_fails_is_installed():
    found = explain_log(JAX_WITHOUT_GPU % "CUDA_ERROR_NO_DEVICE").findings
    assert [item.code for item in found] == ["driver-unhealthy"]
    assert any("CUDA_VISIBLE_DEVICES" in item.text for item in found[0].fix[:2])
    assert codes(JAX_WITHOUT_GPU % "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH") == ["driver-mismatch"]
    assert "cpu-only-build" not in codes(JAX_WITHOUT_GPU.replace("operation cuInit(0) failed: %s", "?"))


@pytest.mark.parametrize(
    "line, code",
    [
        ("RuntimeError: No CUDA GPUs are available", "device-hidden"),
        ("RuntimeError: CUDA failure 100: no CUDA-capable device is detected", "device-hidden"),
        ("RuntimeError: No HIP GPUs are available", "gpu-vendor-unsupported"),
        ("AssertionError: Torch not compiled with CUDA enabled", "cpu-only-build"),
    ],
)
def test_a_variable_hides_the_gpu_on_this_machine(line, code):
    machine = machine_of("linux-nvidia-hidden-by-a-wrong-number")
    assert codes(line, machine)[0] == code


def test_a_cause_stands_before_its_symptom():
    for text in (NO_CUDART + "\n" + MISMATCH, MISMATCH + "\n" + NO_CUDART):
        found = explain_log(text, facts=GPU)
        assert found.findings[0].code == "driver-mismatch"
        assert found.certain


def test_a_hint_counts_only_where_nothing_stronger_is_there():
    alone = explain_log("Num GPUs Available:  0", facts=GPU)
    assert alone.findings
    assert not alone.certain
    explained = explain_log("Num GPUs Available:  0\n" + NO_CUDNN, facts=GPU)
    assert [item.code for item in explained.findings] == ["cudnn-missing"]
    assert explained.certain


def test_harmless_lines_are_told_as_harmless():
    found = explain_log("Epoch 1/2\n" + FACTORY + "\n")
    assert found.findings == ()
    assert {item.number for item in found.harmless} == {2}
    assert all(item.because.endswith(".") for item in found.harmless)
    assert "cuDNN" in found.harmless[0].line
    explained = explain_log(FACTORY + "\n" + NO_CUDNN, facts=GPU)
    assert explained.findings[0].code == "cudnn-missing"
    assert explained.harmless


def test_a_library_that_nothing_depends_on_is_harmless():
    assert codes(NO_CUDART.replace("libcudart.so.11.0", "libnvinfer.so.7"), facts=GPU) == []


@pytest.mark.parametrize("newest, wanted", [("12.0", []), ("9.0", ["compute-capability-unsupported"])])
def test_a_gpu_runs_the_code_for_an_older_one_of_its_generation(newest, wanted):
    found = "UserWarning: \n    Found GPU0 NVIDIA GB10 which is of cuda capability 12.1.\n"
    range_of = "    Minimum and Maximum cuda capability supported by this version of PyTorch is\n    (8.0) - (%s)\n"
    assert codes(found + range_of % newest) == wanted


def test_a_program_on_a_tpu_needs_no_gpu():
    no_gpu = "E cuda_driver.cc:266] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
    tpu = "\nAll devices: [LogicalDevice(name='/job:worker/task:0/device:TPU:0', device_type='TPU')]"
    assert explain_log(no_gpu).findings[0].severity == "warning"
    assert all(finding.severity == "info" for finding in explain_log(no_gpu + tpu).findings)


def test_a_healthy_log_says_nothing():
    lines = ["Epoch %d/5" % number for number in range(1, 6)]
    lines += [
        "1875/1875 [==============================] - 3s 2ms/step - loss: 0.21%d - accuracy: 0.93" % n for n in range(9)
    ]
    lines += ["Successfully opened dynamic library libcudart.so.11.0", "Test accuracy: 0.97", "saved to /srv/model.h5"]
    found = explain_log("\n".join(lines))
    assert found.findings == ()
    assert not found.certain


def test_evidence_is_the_line_with_its_number():
    finding = explain_log("Epoch 1\n\n%s\n" % NO_CUDNN, source="train.log").findings[0]
    assert finding.evidence[0].source == "train.log, line 3"
    assert "libcudnn.so.8" in finding.evidence[0].text
    assert finding.summary.endswith(".")
    assert finding.fix


def test_a_thousand_equal_lines_are_one_finding():
    found = explain_log("\n".join([NO_CUDNN] * 1000))
    assert [item.code for item in found.findings] == ["cudnn-missing"]
    assert 1 <= len(found.findings[0].evidence) <= 5


# The same log on different machines.


@pytest.mark.parametrize(
    "facts, code, severity",
    [
        (
            {"os": "windows", "packages": {"tensorflow": "2.15.0"}, "gpu": "GeForce RTX 3060"},
            "cpu-only-build",
            "warning",
        ),
        ({"os": "linux", "packages": {"tensorflow-cpu": "2.15.0"}, "gpu": "Tesla T4"}, "cpu-only-build", "warning"),
        (
            {"os": "linux", "packages": ["tensorflow==2.15.0"], "gpu": "AMD Radeon RX 6800"},
            "gpu-vendor-unsupported",
            "warning",
        ),
        ({"os": "linux", "gpu": "Tesla T4", "env": {"CUDA_VISIBLE_DEVICES": "-1"}}, "device-hidden", "warning"),
        ({"os": "macos", "arch": "arm64", "packages": {"tensorflow": "2.15.0"}}, "metal-plugin-missing", "warning"),
        ({"os": "linux", "gpu": "none"}, "no-gpu", "info"),
    ],
)
def test_facts_decide(facts, code, severity):
    finding = explain_log(NO_GPU_LISTED, facts=facts).findings[0]
    assert (finding.code, finding.severity) == (code, severity)


CRASH = "Segmentation fault (core dumped)\n"


@pytest.mark.parametrize(
    "facts, code",
    [
        ({"gpu": "Radeon RX 6600 XT", "packages": {"torch": "2.4.1+rocm6.1"}}, "gfx-unsupported"),
        ({"gpu": "Radeon RX 5500M", "rocm": "5.7"}, "gfx-unsupported"),
        ({"gpu": "Radeon RX 6800", "packages": {"torch": "2.4.1+rocm6.1"}}, "framework-broken"),
        ({"gpu": "Radeon RX 6600 XT", "packages": {"torch": "2.4.1"}}, "framework-broken"),
    ],
)
def test_a_crash_on_a_gpu_that_rocm_has_no_code_for(facts, code):
    assert [finding.code for finding in explain(CRASH, facts=facts)] == [code]


@pytest.mark.parametrize(
    "log", ["['AzureExecutionProvider', 'CPUExecutionProvider']", "providers: ['CPUExecutionProvider']"]
)
def test_two_builds_of_onnxruntime_in_one_folder(log):
    both = {"onnxruntime": "1.20.1", "onnxruntime-gpu": "1.20.1"}
    assert [item.code for item in explain(log, facts={"packages": both})] == ["distributions-conflict"]
    gpu = {"gpu": "GeForce RTX 3060", "packages": {"onnxruntime": "1.20.1"}}
    assert [item.code for item in explain(log, facts=gpu)] == ["cpu-only-build"]
    assert all(item.severity == "info" for item in explain(log))


@pytest.mark.parametrize(
    "log",
    [
        "tool 1.0.0 requires attrs==20.3, but you have attrs 24.2.0 which is incompatible.",
        "WARNING: Ignoring invalid distribution -ttrs (/opt/e/lib/python3.9/site-packages)",
        "ModuleNotFoundError: No module named 'utils.metrics'",
    ],
)
def test_what_concerns_no_framework_is_a_note(log):
    assert [finding.severity for finding in explain(log)] == ["info"]


def test_paths_say_whose_commands_are_of_use():
    hidden = "Exporting CUDA_VISIBLE_DEVICES=-1\n" + NO_GPU_LISTED
    line = '  File "%s", line 3, in <module>\n'
    everywhere, linux = explain(hidden)[0], explain(line % "/home/u/train.py" + hidden)[0]
    assert any("$env:" in (step.command or "") or "Remove-Item" in (step.command or "") for step in everywhere.fix)
    assert not any("$env:" in (step.command or "") or "Remove-Item" in (step.command or "") for step in linux.fix)


def test_what_no_fact_says_is_not_assumed():
    """The same lines without facts: no build, vendor, system or absence is made up."""
    made_up = {
        "cpu-only-build",
        "gpu-vendor-unsupported",
        "device-hidden",
        "metal-plugin-missing",
        "no-gpu",
        "wsl-without-gpu",
    }
    for facts in (None, {}, {"os": None, "gpu": "unknown", "packages": {}, "env": {}}):
        assert not made_up & set(codes(NO_GPU_LISTED, facts=facts))


@pytest.mark.parametrize(
    "name, code",
    [
        ("windows-nvidia-tensorflow-2.15", "cpu-only-build"),
        ("linux-nvidia-hidden", "device-hidden"),
        ("linux-amd-stock-tensorflow", "gpu-vendor-unsupported"),
        ("macos-apple-silicon", "metal-plugin-missing"),
    ],
)
def test_the_machine_decides(name, code):
    assert codes(NO_GPU_LISTED, machine_of(name))[0] == code


def test_what_both_say_comes_first_with_the_evidence_of_both():
    finding = explain_log(MISMATCH, machine_of("linux-nvidia-driver-mismatch"), source="smi.txt").findings[0]
    assert finding.code == "driver-mismatch"
    sources = [item.source for item in finding.evidence]
    assert sources[0] == "smi.txt, line 1"
    assert len(sources) > 1


def test_a_clear_line_stands_before_what_else_is_wrong_with_the_machine():
    found = codes(
        "Could not install packages due to an OSError: [Errno 28] No space left on device\n" + NO_CUDNN,
        machine_of("linux-two-tensorflows"),
    )
    assert found[0] == "cudnn-missing"
    assert "distributions-conflict" in found


# Exceptions.


def raised(make):
    try:
        make()
    except BaseException as error:
        return error
    raise AssertionError("it did not raise")


def test_an_exception_is_explained_with_its_causes():
    def fails():
        try:
            raise ImportError("libcudnn.so.8: cannot open shared object file: No such file or directory")
        except ImportError as error:
            raise RuntimeError("the model cannot be made") from error

    def fails_in_an_answer():
        try:
            raise ImportError("libcudnn.so.8: cannot open shared object file: No such file or directory")
        except ImportError:
            raise KeyError("backend")  # noqa: B904 - this is what is tried

    for make in (fails, fails_in_an_answer):
        finding = explain(raised(make))[0]
        assert finding.code == "cudnn-missing"
        assert finding.evidence[0].source.startswith("exception, line ")


def test_an_exception_that_was_never_raised_has_no_traceback():
    assert explain(ImportError(NO_CUDNN.partition(": ")[2]))[0].code == "cudnn-missing"
    assert [item.code for item in explain(ValueError("x"))] == ["cause-unknown"]
    assert explain(KeyboardInterrupt()) == ()


def test_an_exception_whose_text_raises():
    class Bad(Exception):
        def __str__(self):
            raise RuntimeError("no text")

        __repr__ = __str__

    assert isinstance(explain(Bad()), tuple)
    assert isinstance(explain(raised(lambda: (_ for _ in ()).throw(Bad()))), tuple)


def test_a_chained_traceback_as_text():
    text = (
        "Traceback (most recent call last):\n"
        '  File "a.py", line 1, in <module>\n    from tensorflow.python import pywrap\n%s\n\n'
        "During handling of the above exception, another exception occurred:\n\n"
        'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    import tensorflow\n'
        "ImportError: Failed to load the native TensorFlow runtime.\n"
    ) % NO_CUDNN
    finding = explain(text)[0]
    assert finding.code == "cudnn-missing"
    assert "line 4" in finding.evidence[0].source


# What is not a log.


@pytest.mark.parametrize("value", [None, 42, b"bytes", ["a"], {"a": 1}, ImportError, devicekit])
def test_explain_takes_a_text_or_an_exception(value):
    with pytest.raises(TypeError, match="the text of a log or an exception"):
        explain(value)


@pytest.mark.parametrize(
    "facts, message",
    [
        ([1], "JSON object"),
        ("linux", "JSON object"),
        ({"os": {}}, "'os' must be a string"),
        ({"packages": 3}, "'packages'"),
        ({"env": ["A=1"]}, "'env'"),
        ({"python": [[]]}, None),
        ({"gpu": True}, None),
    ],
)
def test_facts_that_are_none(facts, message):
    if message is None:
        assert isinstance(explain("x", facts=facts), tuple)
        return
    with pytest.raises(DevicekitError, match=message):
        explain("x", facts=facts)


def test_odd_versions_among_the_facts():
    for version in ("3", "3.", "", "3.11.0rc1", "9" * 5000, "not a version", "3.x"):
        facts = {"os": "linux", "packages": {"tensorflow": version, "numpy": version, "protobuf": None}, "gpu": "T4"}
        for name in ("python", "driver", "cuda", "cudnn", "rocm"):
            text = "ERROR: No matching distribution found for tensorflow==2.15.0\n"
            assert isinstance(explain(text, facts=dict(facts, **{name: version})), tuple)
            assert isinstance(explain(NO_GPU_LISTED, facts=dict(facts, **{name: version})), tuple)


def test_machine_and_facts_together():
    with pytest.raises(DevicekitError, match="not both"):
        explain("x", machine_of("linux-no-gpu"), facts={})


# What a file may hold.


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom", "utf-16-be-bom", "utf-16-le", "utf-16-be", "latin-1"]
)
def test_encodings(encoding):
    marks = {"utf-16-le-bom": b"\xff\xfe", "utf-16-be-bom": b"\xfe\xff"}
    text = NO_CUDNN + "\r\nd\xe9j\xe0 vu\r\n"
    content = marks.get(encoding, b"") + text.encode(encoding.replace("-bom", ""))
    found = explain_log(io.BytesIO(content)).findings
    assert found[0].code == "cudnn-missing"
    assert found[0].evidence[0].source == "log, line 1"
    assert found[0].evidence[0].text == NO_CUDNN


def test_a_log_whose_beginning_is_blank_is_still_text():
    content = io.BytesIO(bytes(4096) + b"\n" + NO_CUDNN.encode("ascii"))
    assert explain_log(content).findings[0].code == "cudnn-missing"


def test_a_log_of_escape_sequences_says_nothing():
    for log in (b"\x1b\x00", b"\x1b[31m", b"\x1b]0;a title\nof two lines\x07"):
        assert explain_log(iter([log])).findings == ()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 4096])
def test_pieces_of_any_size_say_the_same(size):
    """A carriage return and its line feed, an escape sequence, a character: all may be cut by the end of a piece."""
    text = "Epoch 1/2\r\n\x1b[31m%s\x1b[0m\r\n10%%\r20%%\r\n\n\u2588\u2588 %s\n" % (NO_CUDNN, MISMATCH)
    content = text.encode("utf-8")
    pieces = (content[start : start + size] for start in range(0, len(content), size))
    assert explain_log(pieces).to_dict() == explain_log(text).to_dict()
    evidence = {item.code: item.evidence[0] for item in explain_log(text).findings}
    assert evidence["cudnn-missing"].text == NO_CUDNN
    assert evidence["cudnn-missing"].source == "log, line 2"
    assert evidence["driver-mismatch"].source == "log, line 6"


def test_progress_bars_and_colors():
    bar = "".join("\r%d/1875 [>.....] - ETA: 3s - loss: 0.%d" % (number, number) for number in range(3000))
    text = (
        bar
        + "\r\n\x1b[1;31mImportError\x1b[0m: libcudnn.so.8: cannot open shared object file: No such file or directory\n"
    )
    finding = explain_log(text).findings[0]
    assert finding.code == "cudnn-missing"
    assert finding.evidence[0].text == NO_CUDNN


def test_one_line_of_five_megabytes():
    long = "x" * (5 << 20)
    found = explain_log("Epoch 1\n" + long + "\n" + NO_CUDNN).findings
    assert [item.code for item in found] == ["cudnn-missing"]
    assert found[0].evidence[0].source == "log, line 3"
    found = explain_log(NO_CUDNN + " " + long).findings
    assert [item.code for item in found] == ["cudnn-missing"]
    assert all(len(item.text) <= 500 for item in found[0].evidence)
    assert explain_log(io.BytesIO(long.encode() + NO_CUDNN.encode())).findings == ()


def test_a_line_without_an_end_ends_the_log():
    endless = itertools.chain([NO_CUDNN.encode() + b"\n"], itertools.repeat(b"\0" * (1 << 20)))
    assert [item.code for item in explain_log(endless).findings] == ["cudnn-missing"]


@pytest.fixture(scope="module")
def crafted_logs():
    path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "benchmarks", "crafted_logs.py")
    spec = importlib.util.spec_from_file_location("crafted_logs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_crafted_log_takes_much_longer_than_another(crafted_logs):
    """The budget itself, on more of each kind, is `nox -s bench`'s: here a machine may be busy, and slow."""
    made = crafted_logs.logs(crafted_logs.Lines(1), 300000)
    usual = made["every_example"]
    explain_log([usual])  # compiles the patterns
    measure = crafted_logs.seconds_per_megabyte
    limit = 4 * max(0.05, min(measure(usual) for _ in range(3)))
    slow = {kind: log for kind, log in made.items() if measure(log) > limit}
    slow = {kind: min(measure(log) for _ in range(3)) / limit for kind, log in slow.items()}
    assert not {kind for kind, times in slow.items() if times > 1.0}, slow


CAUSE = "W tensorflow/tsl/dso_loader.cc:64] Could not load dynamic library 'libcudnn.so.8'; dlerror: x: cannot open"


def different(number):
    """A number in letters: digits do not make a line another one."""
    return "".join(chr(97 + int(digit)) for digit in "%06d" % number)


def test_the_end_of_a_log_that_is_made_to_be_slow_is_examined():
    """Of more lines like a signature's than any program prints, not all are compared; the first and the last ones are."""
    near = "Adding visible gpu devices Could not load dynamic library libfoo %s"
    dense = "\n".join(near % different(number) * 30 for number in range(4000))
    assert codes("%s\n%s" % (CAUSE, dense)) == codes("%s\n%s" % (dense, CAUSE)) == ["cudnn-missing"]


def test_short_lines_leave_less_to_be_examined():
    """Each line takes time to be read, whatever its length: that much less is left to compare it."""
    short = min((literal for item in signatures() for literal in item.literals), key=len)
    log = "\n".join(short + different(number) for number in range(50000)).encode()
    assert 20000 < len(list(candidate_lines([log], signatures()))) < 45000


def test_effort_that_is_spent_leaves_the_end_and_the_order_of_lines():
    lines = ["Could not load dynamic library 'lib%s.so.1'" % different(number) for number in range(5000)]
    effort, found = Effort(), []
    for line in candidate_lines(["\n".join(lines).encode()], signatures(), effort):
        effort.spend(30000)
        found.append(line.number)
    assert found == sorted(set(found))
    assert found[0] == 1
    assert found[-1] == 5000
    assert len(found) < 2000


@pytest.mark.parametrize("answer", ["[]", "False"])
def test_answers_in_a_row_do_not_grow(answer):
    log = ">>> tf.config.list_physical_devices('GPU')\n" + "%s\n" % answer * 50000
    assert codes(log) == codes(">>> tf.config.list_physical_devices('GPU')\n%s\n" % answer)


def test_every_literal_is_found_wherever_it_is():
    known = signatures()
    for text in sorted({literal for item in known for literal in item.literals}):
        expected = {item.id for item in known for literal in item.literals if literal in text}
        for line in (text, "x%sy" % text, text[:3] + text):
            (found,) = candidate_lines([line.encode()], known)
            assert expected <= {item.id for item in found.signatures}, text


def test_what_is_no_log_at_all():
    code = "import tensorflow as tf\n\n\ndef main():\n    print(tf.config.list_physical_devices())\n\n\nmain()\n"
    for content in (
        b"",
        b"\n\n\n",
        bytes(range(256)) * 500,
        b"\x00" * 10000,
        b"\x7fELF\x02\x01" + bytes(range(256)),
        code.encode(),
    ):
        found = explain_log(io.BytesIO(content))
        assert [item for item in found.findings if item.severity == "error"] == []
        assert not found.certain


# Nothing personal.


@pytest.mark.parametrize(
    "line, word",
    [
        (
            "ImportError: /home/berta/env/lib/libcudnn.so.8: cannot open shared object file: No such file or directory",
            "berta",
        ),
        (
            "ImportError: /Users/berta/env/lib/libcudnn.so.8: cannot open shared object file: No such file or directory",
            "berta",
        ),
        (
            "OSError: [WinError 126] C:\\Users\\Berta Beck\\env\\cudnn64_8.dll: Could not load library cudnn64_8.dll",
            "Beck",
        ),
        (NO_CUDNN + " (ask berta@example.org)", "berta"),
        ("berta@tower:~$ python a.py; " + NO_CUDNN, "tower"),
        (NO_CUDNN + " https://berta:geheim@example.org/simple", "geheim"),
        (NO_CUDNN + " HF_TOKEN=hf_abcdefghijklmnopqrstuvwx", "abcdefghijkl"),
        (NO_CUDNN + " api_key: 0123456789abcdef", "0123456789abcdef"),
        (NO_CUDNN + " password=sesam123", "sesam"),
        (NO_CUDNN + " WANDB_API_KEY=sesam123", "sesam"),
        (NO_CUDNN + " https://conda.anaconda.org/t/ab-12345-sesam/x", "sesam"),
        (NO_CUDNN + " --hub-token sesam123", "sesam"),
        (NO_CUDNN + " Authorization: Bearer sesam123", "sesam"),
        (NO_CUDNN + " SharedAccessKey=sesam123=", "sesam"),
        (NO_CUDNN + " file=%2Fhome%2Fberta%2Fx", "berta"),
        (NO_CUDNN + " S-1-5-21-1234567890-1234567890-1234567890-1001", "1234567890"),
        (NO_CUDNN + " glpat-" + 20 * "q", 16 * "q"),
        (NO_CUDNN + " github_pat_" + 30 * "q", 16 * "q"),
        (NO_CUDNN + " AKIA" + 16 * "Q", 16 * "Q"),
        (NO_CUDNN + " eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.qqqqqqqqqqqq", "qqqqqq"),
    ],
)
def test_nothing_personal_leaves(line, word):
    found = explain_log(line)
    assert found.findings, "the line must be known for this to show anything"
    assert word not in json.dumps(found.to_dict())
    assert "cudnn" in json.dumps(found.to_dict())


def test_nothing_personal_leaves_in_summaries_and_harmless_lines():
    text = (
        FACTORY
        + " in /home/berta/x\n"
        + NO_CUDART.replace("'libcudart.so.11.0'", "'/home/berta/lib/libcudart.so.11.0'")
    )
    found = explain_log(text)
    assert found.findings
    assert found.harmless
    assert "berta" not in json.dumps(found.to_dict())


# As it is typed.


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "devicekit", "explain", *arguments],
        env=dict(os.environ, PYTHONPATH=ROOT, PYTHONIOENCODING="utf-8", **options.pop("env", {})),
        stdin=options.pop("stdin", subprocess.DEVNULL) if "input" not in options else None,
        capture_output=True,
        **options,
    )


@pytest.fixture
def log(tmp_path):
    """Return a function that writes a log and returns its path."""

    def write(content, name="train.log"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return str(path)

    return write


def test_a_file_as_text_and_as_json(log):
    path = log("Epoch 1\n" + NO_CUDNN + "\n" + FACTORY + "\n")
    done = run(path)
    out = done.stdout.decode("utf-8")
    assert "cudnn-missing" in out
    assert "Harmless" in out
    assert "devicekit explain cudnn-missing" in out
    assert done.stderr == b""
    data = json.loads(run(path, "--json").stdout.decode("utf-8"))
    assert set(data) >= {"findings", "harmless"}
    finding = data["findings"][0]
    assert {"code", "severity", "summary", "evidence", "fix"} <= set(finding)
    assert finding["code"] == "cudnn-missing"
    assert finding["evidence"][0]["source"] == "%s, line 2" % path
    assert data["harmless"][0]["number"] == 3


def test_standard_input(log):
    done = run("-", "--json", input=NO_CUDNN.encode())
    assert json.loads(done.stdout.decode())["findings"][0]["code"] == "cudnn-missing"
    assert run("-", input=b"").returncode == 0


def test_exit_statuses(log):
    broken = "ImportError: numpy.core.multiarray failed to import\nImportError: cannot import name 'x' from 'y'\n"
    assert run(log(broken)).returncode == 1
    for text in ("", "Epoch 1\n", FACTORY):
        assert run(log(text)).returncode == 0
    assert run(log(NO_CUDART)).returncode == 0  # it goes on, on the CPU


@pytest.mark.parametrize("color", ["", "1"])
def test_a_report_without_a_terminal_has_no_colors(log, color):
    assert b"\x1b" not in run(log("\x1b[31m" + NO_CUDNN), env={"FORCE_COLOR": color}).stdout


def test_what_cannot_be_read(tmp_path):
    for path in (str(tmp_path / "none.log"), str(tmp_path), str(tmp_path / "a" / "b")):
        done = run(path)
        assert done.returncode == 2
        err = done.stderr.decode("utf-8")
        assert err.startswith("devicekit: ")
        assert "cannot be read" in err
        assert "Traceback" not in err
    done = run()
    assert done.returncode == 2
    assert "nothing to explain" in done.stderr.decode()


def test_a_code_instead_of_a_log(tmp_path):
    page = run("cudnn-missing")
    assert page.returncode == 0
    assert "cuDNN" in page.stdout.decode("utf-8")
    done = run("cudnn-absent", cwd=str(tmp_path))
    assert done.returncode == 2
    err = done.stderr.decode("utf-8")
    assert "unknown finding code 'cudnn-absent'" in err
    assert "cudnn-missing" in err
    (tmp_path / "cudnn-absent").write_text(NO_CUDNN, encoding="utf-8")
    assert "cudnn-missing" in run("cudnn-absent", cwd=str(tmp_path)).stdout.decode("utf-8")


def test_facts_from_a_file(log):
    path = log(NO_GPU_LISTED)
    facts = log('{"os": "windows", "packages": {"tensorflow": "2.15.0"}, "gpu": "RTX 3060"}', "facts.json")
    assert json.loads(run(path, "--facts", facts, "--json").stdout.decode())["findings"][0]["code"] == "cpu-only-build"
    with_mark = log(b"\xef\xbb\xbf" + b'{"os": "linux", "gpu": "none"}', "mark.json")
    assert json.loads(run(path, "--facts", with_mark, "--json").stdout.decode())["findings"][0]["code"] == "no-gpu"


@pytest.mark.parametrize(
    "content",
    ["", "[1]", "{", '{"os": []', '{"packages": 5}', '{"os": {"a": 1}}', b"\xff\xfe\x00", "[" * 100000],
    ids=["empty", "list", "cut", "cut-list", "number", "object", "bytes", "deep"],
)
def test_facts_that_are_no_facts(log, content):
    done = run(log(NO_GPU_LISTED), "--facts", log(content, "facts.json"))
    assert done.returncode == 2
    assert done.stderr.decode("utf-8").startswith("devicekit: ")
    assert len(done.stderr.decode("utf-8").splitlines()) == 1


def test_a_snapshot_of_the_machine(log):
    snapshot = log(json.dumps(machine_of("windows-nvidia-tensorflow-2.15").to_dict()), "machine.json")
    path = log(NO_GPU_LISTED)
    assert (
        json.loads(run(path, "--machine", snapshot, "--json").stdout.decode())["findings"][0]["code"]
        == "cpu-only-build"
    )
    done = run(path, "--facts", snapshot)
    assert done.returncode == 2
    assert "--machine" in done.stderr.decode("utf-8")
    done = run(path, "--machine", path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr.decode("utf-8")
    assert run(path, "--machine", snapshot, "--facts", snapshot).returncode == 2
    assert run(path, "--machine", snapshot, "--here").returncode == 2


def test_the_log_of_this_machine(log):
    done = run(log(NO_CUDNN), "--here", "--json")
    assert done.returncode in (0, 1)
    assert "cudnn-missing" in [item["code"] for item in json.loads(done.stdout.decode())["findings"]]


CLIPBOARDS = ("/usr/bin/pbpaste", "/usr/bin/wl-paste", "/usr/bin/xclip", "/usr/bin/xsel")


@pytest.mark.skipif(
    sys.platform in ("win32", "darwin") or any(map(os.path.exists, CLIPBOARDS)), reason="this machine has a clipboard"
)
def test_no_clipboard_says_what_to_do():
    done = run("--clipboard")
    assert done.returncode == 2
    err = done.stderr.decode("utf-8")
    assert "clipboard" in err
    assert "devicekit explain -" in err
    assert "Traceback" not in err


# Hooks, in real processes.

FAILS = "raise ImportError('libcudnn.so.8: cannot open shared object file: No such file or directory')\n"
INSTALL = "import devicekit\ndevicekit.install_excepthook()\n"


def test_an_uncaught_exception_is_explained_under_its_traceback(python):
    out = python(INSTALL + FAILS, status=1, from_checkout=True)
    traceback, _, told = out.partition("devicekit [cudnn-missing]")
    assert "Traceback (most recent call last)" in traceback
    assert traceback.rstrip().endswith("No such file or directory")
    assert "fix: " in told
    assert "devicekit explain cudnn-missing" in told
    assert len(told.strip().splitlines()) <= 3


def test_what_devicekit_does_not_know_is_left_as_it_is(python):
    # The same line number and, since Python 3.13 shows it for -c too, the same source line.
    plain = python("pass\n" * INSTALL.count("\n") + "raise ValueError('nothing known')", status=1, from_checkout=True)
    hooked = python(INSTALL + "raise ValueError('nothing known')", status=1, from_checkout=True)
    assert hooked == plain
    interrupted = INSTALL + "import sys\ntry:\n    raise KeyboardInterrupt\nexcept KeyboardInterrupt:\n"
    interrupted += "    sys.excepthook(*sys.exc_info())\nsys.exit(3)"
    out = python(interrupted, status=3, from_checkout=True)
    assert "KeyboardInterrupt" in out
    assert "devicekit [" not in out


def test_the_hook_that_was_there_is_called_first_and_comes_back(python):
    code = (
        "import sys\n"
        "def mine(kind, error, trace):\n    sys.stderr.write('MINE %s\\n' % kind.__name__)\n"
        "sys.excepthook = mine\n" + INSTALL + "devicekit.install_excepthook()\n"
        "assert sys.excepthook is not mine\n"
    )
    out = python(code + FAILS, status=1, from_checkout=True)
    assert out.count("MINE ImportError") == 1
    assert out.index("MINE") < out.index("devicekit [cudnn-missing]")
    assert out.count("devicekit [cudnn-missing]") == 1
    out = python(
        code + "devicekit.logs.uninstall_excepthook()\nassert sys.excepthook is mine\n" + FAILS,
        status=1,
        from_checkout=True,
    )
    assert "MINE ImportError" in out
    assert "devicekit [" not in out


def test_a_hook_that_was_put_over_it_stays(python):
    code = INSTALL + (
        "import sys\nbelow = sys.excepthook\n"
        "def over(*what):\n    sys.stderr.write('OVER\\n')\n    below(*what)\n"
        "sys.excepthook = over\ndevicekit.logs.uninstall_excepthook()\nassert sys.excepthook is over\n"
    )
    out = python(code + FAILS, status=1, from_checkout=True)
    assert out.index("OVER") < out.index("Traceback (most recent call last)")


OVER = (
    "import sys, threading\n"
    "def put(name):\n"
    "    below = sys.excepthook\n"
    "    def over(*what):\n        sys.stderr.write(name + '\\n')\n        below(*what)\n"
    "    sys.excepthook = over\n"
)
AGAIN = "devicekit.install_excepthook()\n"
UNINSTALL = "devicekit.logs.uninstall_excepthook()\n"


@pytest.mark.parametrize(
    "code, explained",
    [
        ("put('A')\n" + AGAIN + "put('B')\n" + AGAIN + AGAIN, 1),
        ("put('A')\n" + UNINSTALL + UNINSTALL, 0),
        ("put('A')\n" + UNINSTALL + AGAIN + "put('B')\n" + AGAIN + UNINSTALL + AGAIN, 1),
        ("put('A')\nsys.excepthook = sys.__excepthook__\n" + AGAIN + "put('A')\n" + AGAIN, 1),
        ("sys.excepthook = None\n" + UNINSTALL + AGAIN + "put('A')\n", 1),
        ("del sys.excepthook\n" + AGAIN + "put('A')\n", 1),
        ("del sys.excepthook\nvars(threading).pop('excepthook', 0)\n" + UNINSTALL + AGAIN + "put('A')\n", 1),
    ],
)
def test_another_hook_between_two_installations_is_called_once(python, code, explained):
    out = python(INSTALL + OVER + code + FAILS, status=1, from_checkout=True).replace("\r\n", "\n")
    assert "RecursionError" not in out
    assert out.count("devicekit [cudnn-missing]") == explained
    assert out.count("A\n") == 1
    assert out.count("B\n") == code.count("put('B')")
    assert out.count("Traceback (most recent call last)") == 1


@pytest.mark.parametrize(
    "code, since",
    [
        ("try:\n    %sexcept ImportError as error:\n    raise RuntimeError('it failed') from error\n", (3, 7)),
        ("import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    %sasyncio.run(main())\n", (3, 7)),
        (
            "import threading\ndef main():\n    %sthread = threading.Thread(target=main)\n"
            "thread.start()\nthread.join()\nraise SystemExit(1)\n",
            (3, 8),
        ),
        ("try:\n    %sexcept ImportError as error:\n    raise ExceptionGroup('g', [ValueError(), error])\n", (3, 11)),
        ("try:\n    %sexcept ImportError as error:\n    error.add_note('a note')\n    raise\n", (3, 11)),
        (
            "import asyncio\nasync def part():\n    %sasync def main():\n    async with asyncio.TaskGroup() as tasks:\n"
            "        tasks.create_task(part())\nasyncio.run(main())\n",
            (3, 11),
        ),
    ],
    ids=["cause", "asyncio", "thread", "group", "note", "task-group"],
)
def test_an_exception_is_explained_wherever_it_comes_from(python, code, since):
    if sys.version_info < since:
        pytest.skip("not in this Python")
    out = python(INSTALL + AGAIN + code % FAILS, status=1, from_checkout=True)
    assert out.count("devicekit [cudnn-missing]") == 1


def test_uninstalling_what_was_never_installed(python):
    python(
        "import sys, devicekit\ndevicekit.logs.uninstall_excepthook()\nassert sys.excepthook is sys.__excepthook__",
        from_checkout=True,
    )


def test_the_hook_never_hides_the_error(python):
    """Its exception's text cannot be read, or there is nowhere to write."""
    bad = "class Bad(Exception):\n    def __str__(self):\n        raise RuntimeError('no text')\nraise Bad()\n"
    out = python(INSTALL + bad, status=1, from_checkout=True)
    assert "Bad" in out
    assert "devicekit/logs" not in out
    python(INSTALL + "import sys\nsys.stderr = None\n" + FAILS, status=1, from_checkout=True)


SHELL = """
class Events:
    def __init__(self):
        self.callbacks = {"post_run_cell": []}
    def register(self, name, function):
        self.callbacks[name].append(function)
    def unregister(self, name, function):
        self.callbacks[name].remove(function)

class Shell:
    events = Events()

shell = Shell()

def get_ipython():
    return shell
"""


def test_the_hook_in_a_shell_like_ipython(python, tmp_path):
    """IPython shows tracebacks itself and never calls `sys.excepthook`; a stand-in for it is in a folder of the
    test's."""
    (tmp_path / "IPython.py").write_text(SHELL, encoding="utf-8")
    code = (
        "import sys; sys.path.insert(0, %r)\nimport IPython\n" % str(tmp_path)
        + INSTALL
        + "devicekit.install_excepthook()\n"
        + "from types import SimpleNamespace as Result\n"
        + "(callback,) = IPython.shell.events.callbacks['post_run_cell']\n"
        + "callback(Result(error_in_exec=ImportError('libcudnn.so.8: cannot open shared object file')))\n"
        + "callback(Result(error_in_exec=None, error_before_exec=None))\n"
        + "callback(Result(error_in_exec=KeyboardInterrupt()))\n"
        + "devicekit.logs.uninstall_excepthook()\n"
        + "assert IPython.shell.events.callbacks['post_run_cell'] == []\nsys.exit(3)"
    )
    out = python(code, status=3, from_checkout=True)
    assert out.count("devicekit [cudnn-missing]") == 1


def test_the_hook_in_ipython(python):
    pytest.importorskip("IPython", reason="IPython is not installed")
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n" + INSTALL + "shell.run_cell(%r)\nimport sys; sys.exit(3)" % FAILS
    )
    assert "devicekit [cudnn-missing]" in python(code, status=3, from_checkout=True)


def test_a_hint_counts_less_than_the_machine():
    machine = read_machine(
        SimulatedHost(os.path.join(os.path.dirname(__file__), "machines", "linux-nvidia-driver-missing"))
    )
    found = explain_log("Num GPUs Available:  0", machine)
    assert not found.certain
    assert found.findings[0].code == "driver-missing"


@pytest.mark.parametrize("log, machine", [(42, None), (io.StringIO("x"), None), ("x", "machine")])
def test_what_is_no_log_is_said(log, machine):
    with pytest.raises(TypeError, match=r"explain_log|Machine"):
        explain_log(log, machine)


#: A log whose finding needs the beginning of its lines.
PIP_CHECK = "pip check\ntensorflow 2.10.0 has requirement protobuf<3.20,>=3.9.2, but you have protobuf 4.21.1.\n"


@pytest.mark.parametrize(
    "prefix",
    [
        "> ",
        "#12 34.567 ",
        "trainer-0  | ",
        "[rank0]: ",
        "[1]: ",
        "0: ",
        "(train_fn pid=1234, ip=10.0.0.5) ",
        "stderr: ",
        "[stderr] ",
        "Nov 12 10:11:12 node-7 train[4321]: ",
        "2024-03-01T10:11:12.1234567Z ",
        "2024-03-01T10:11:12.123456+01:00 stderr F ",
        "2024-03-01 10:11:12,123 - INFO - ",
        "[2024-03-01, 10:11:12 UTC] {subprocess.py:93} INFO - ",
    ],
)
def test_what_stands_before_each_line_changes_nothing(prefix):
    plain = explain(PIP_CHECK)
    assert [item.code for item in plain] == ["protobuf-incompatible"]
    assert explain("".join(prefix + line for line in PIP_CHECK.splitlines(True))) == plain


def test_an_interpreter_is_no_quotation():
    log = ">>> import tensorflow as tf\n>>> tf.config.list_physical_devices('GPU')\n[]\n"
    assert explain(log, facts={"os": "linux", "gpu": "RTX 3060"})


def test_the_rows_of_a_table_have_no_labels():
    table = "Package | Version\nkeras | 3.0\n"
    error = "ModuleNotFoundError: No module named 'tensorflow.python'"
    assert explain(table + error) == explain(table.replace("\nkeras |", "\n keras |") + error)


def test_typographic_quotation_marks_are_plain_ones():
    log = "ModuleNotFoundError: No module named %s"
    assert explain(log % "\u2018tensorflow\u2019") == explain(log % "'tensorflow'") != []


@pytest.mark.parametrize("width", [80, 100, 120])
def test_a_line_that_a_terminal_broke_is_whole_again(width):
    line = (
        "2018-03-05 00:00:00.000000: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1283] Ignoring visible gpu device "
        "(device: 0, name: Quadro K2000M, pci bus id: 0000:01:00.0, compute capability: 3.0) with Cuda compute capability "
        "3.0. The minimum required Cuda capability is 3.5."
    )
    broken = "\n".join(line[start : start + width] for start in range(0, len(line), width))
    assert [item.code for item in explain(broken)] == ["compute-capability-unsupported"]


def test_of_a_whole_machine_the_rules_decide():
    folder = os.path.join(os.path.dirname(__file__), "machines", "linux-no-gpu")
    machine = read_machine(SimulatedHost(folder))
    environ = machine.process.environ + (("CUDA_VISIBLE_DEVICES", "-1"),)
    machine = machine.replace(process=machine.process.replace(environ=environ))
    assert not [item for item in explain("hello", machine) if item.severity != "info"]
    assert explain("hello", facts={"env": {"CUDA_VISIBLE_DEVICES": "-1"}})[0].code == "device-hidden"


#: The message of an exception that a framework raises for an operation on a device, and its code.
MESSAGES = {
    "No OpKernel was registered to support Op 'Conv3D' used by node x with these attrs": "op-unsupported",
    "No registered 'Conv2D' OpKernel for 'DML' devices compatible with node": "op-unsupported",
    "Could not satisfy explicit device specification '/device:DML:0'": "op-unsupported",
    "Could not find device for node: {{node Foo}}": "op-unsupported",
    "Could not run 'aten::foo' with arguments from the 'sim' backend.": "op-unsupported",
    "\"lstm_cpu\" not implemented for 'Half'": "op-unsupported",
    "UNIMPLEMENTED: sort is not implemented": "op-unsupported",
    "Value for attr 'T' of half is not in the list of allowed values: float": "op-unsupported",
    "CUDA error: no kernel image is available for execution on the device": "compute-capability-unsupported",
    "CUDA out of memory. Tried to allocate 2 GiB": "out-of-memory",
    "OOM when allocating tensor with shape[64]": "out-of-memory",
    "Dst tensor is not initialized.": "out-of-memory",
    "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered": "device-lost",
    "shapes (3,) and (4,) not aligned": None,
    "Expected all tensors to be on the same device, but found at least two devices": None,
}


def test_messages_of_exceptions_are_classified():
    wrong = {text: classify_error(RuntimeError(text)) for text in MESSAGES}
    assert {text: code for text, code in wrong.items() if code != MESSAGES[text]} == {}
    assert classify_error(NotImplementedError("median")) == "op-unsupported"
    assert classify_error(MemoryError()) == "out-of-memory"


def test_a_refusal_counts_if_the_arguments_are_valid():
    text = "InvalidArgumentError: AvgPool only supports float16"
    assert classify_error(text) is None
    assert classify_error(text, arguments_valid=True) == "op-unsupported"


def test_who_lists_the_gpus_expects_one():
    (found,) = explain(
        "$ pip list | grep tensorflow\ntensorflow 2.15.0\n>>> tf.config.list_physical_devices('GPU')\n[]"
    )
    assert found.severity == "warning"


@pytest.mark.parametrize(
    "log, facts",
    [
        ('[name: "/device:CPU:0" device_type: "CPU", name: "/device:DML:0" device_type: "DML"]', {"os": "windows"}),
        ('name: "/device:CPU:0"\ndevice_type: "CPU"\nname: "/device:XPU:0"\ndevice_type: "XPU"', {"os": "linux"}),
        ("Metal device set to: Apple M1", {"os": "macos", "gpu": "Apple M1", "packages": {"tensorflow-macos": "2.9"}}),
    ],
)
def test_a_device_that_is_listed_is_not_missed(log, facts):
    assert not [item.code for item in explain(log, facts=facts) if item.severity != "info"]


def _of_a_package(folder, error="RuntimeError: no such thing"):
    """Make a package with its metadata, and return a traceback that ends in it."""
    site = folder / "lib" / "python3.11" / "site-packages"
    for name in ("shapes-1.2.dist-info", "old_paper-3.1.dist-info", "shapes"):
        (site / name).mkdir(parents=True)
    (site / "shapes" / "core.py").write_text("")
    wrong = ["old_paper>9; extra == 'x'", "old_paper>9; extra=='x'", "old_paper>9; of the moon", ";"]
    lines = ["Name: shapes", "Version: 1.2", *("Requires-Dist: " + text for text in ["old-paper (<3)", *wrong]), ""]
    (site / "shapes-1.2.dist-info" / "METADATA").write_text("\n".join(lines))
    frames = '  File "/srv/app.py", line 1, in <module>\n  File "%s", line 3, in f\n' % (site / "shapes" / "core.py")
    return "Traceback (most recent call last):\n%s%s" % (frames, error)


@pytest.mark.parametrize(
    "error",
    ["RuntimeError: no such thing", "ImportError: cannot import name 'line' from 'old_paper' (/srv/old_paper.py)"],
)
def test_the_metadata_next_to_the_file_of_a_traceback(tmp_path, error):
    log = _of_a_package(tmp_path, error)
    first = explain(log)[0].fix[0]
    assert "shapes 1.2, which requires old-paper<3; there is old-paper 3.1" in first.text
    assert first.packages.install == ("old-paper<3",)
    # What is known of another machine is not joined with what is here.
    assert "shapes 1.2" not in str([step.text for step in explain(log, facts={"os": "linux"})[0].fix])


def test_metadata_that_are_met(tmp_path):
    log = _of_a_package(tmp_path)
    (tmp_path / "lib" / "python3.11" / "site-packages" / "old_paper-3.1.dist-info").rename(
        tmp_path / "lib" / "python3.11" / "site-packages" / "old_paper-2.0.dist-info"
    )
    assert "What shapes 1.2 requires is met" in str([step.text for step in explain(log)[0].fix])
    (tmp_path / "lib" / "python3.11" / "site-packages" / "shapes" / "core.py").unlink()  # a log of another machine
    assert "shapes 1.2" not in str([step.text for step in explain(log)[0].fix])


def test_the_requirements_of_a_release_that_the_facts_name():
    log = 'Traceback (most recent call last):\n  File "/e/site-packages/flax/core/x.py", line 1, in f\nFooError: no'
    packages = {"flax": "0.8.0", "jax": "0.4.10"}
    fixes = explain(log, facts={"packages": packages})[0].fix
    assert "flax 0.8.0, which requires jax>=0.4.19; there is jax 0.4.10" in fixes[0].text
    assert "flax" not in explain(log, facts={"packages": dict(packages, jax="0.4.30")})[0].fix[0].text


@pytest.mark.parametrize(
    "copied",
    [
        lambda text: text.replace("\n", "\\n"),
        lambda text: "\n".join(json.dumps({"log": line + "\n", "stream": "stderr"}) for line in text.split("\n")),
        lambda text: text.replace("<", "&lt;").replace(">", "&gt;"),
    ],
)
def test_a_log_is_read_as_programs_and_pages_write_it(copied):
    log = (
        "Traceback (most recent call last):\n"
        '  File "/srv/env/lib/python3.11/site-packages/torch/cuda/__init__.py", line 310, in <module>\n'
        "AssertionError: Torch not compiled with CUDA enabled"
    )
    assert [item.code for item in explain(copied(log))] == [item.code for item in explain(log)] == ["cpu-only-build"]


@pytest.mark.parametrize("line", ['{"log": [[[', '{"log": 1}', '{"log": "' + '\\"' * 9, "[" * 2000, '{"log":' * 2000])
def test_what_only_looks_like_json_is_a_line(line):
    log = line + "\nAssertionError: Torch not compiled with CUDA enabled"
    assert [item.code for item in explain(log)] == ["cpu-only-build"]


def test_a_path_of_windows_has_no_end_of_a_line():
    log = "ImportError: Could not find 'nvcuda.dll' in C:\\nvidia\\new.dll"
    assert explain(log)[0].code == "driver-missing"
