"""Harmless lines of a framework's start are held back from standard error, and nothing else is, whatever happens."""

import os
import re
import subprocess
import sys
import threading

import pytest

from devicekit import explain
from devicekit.children.stderr_filter import StderrFilter
from devicekit.children.stderr_filter_child import Filter
from devicekit.runtime.start_lines import known_forms, log_held

posix_only = pytest.mark.only_on("posix", reason="signals, exec and fork are POSIX's")

FORMS = [["harm", "harmless \\d+"], ["begin", "begin", "follows"]]

#: Each program below runs between these; `say` writes past Python, as native code does.
PRELUDE = """
import os, sys, time
from devicekit.children.stderr_filter import StderrFilter
def say(text): os.write(2, text.encode())
def is_open(number):
    try: return bool(os.fstat(number))
    except OSError: return False
def state(): return (os.fstat(2)[:3], [number for number in range(200) if is_open(number)])
before = state()
"""
START = PRELUDE + "filtered = StderrFilter(%r)\n" % FORMS
RESTORED = """
assert state() == before, (before, state())
try:
    pid = os.waitpid(-1, os.WNOHANG) if os.name == "posix" else None
except ChildProcessError:
    pid = None
assert pid is None, "a process is left"
"""


@pytest.fixture
def run(tmp_path):
    """Return a function that runs a program and returns its status and its standard error."""

    def run(code, **options):
        root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=dict(os.environ, PYTHONPATH=root, TMPDIR=str(tmp_path)),
            cwd=str(tmp_path),
            capture_output=True,
            timeout=60,
            **options,
        )
        assert os.listdir(str(tmp_path)) == []
        return done.returncode, done.stderr

    return run


def test_all_else_is_passed_on_in_order_and_unchanged(run):
    body = r"""
with filtered:
    say("one\nharmless 1\ntwo\n")
    print("three", file=sys.stderr, flush=True)
    say("harmless 2 and more\nbegin\nfollows\nfollows\n")
    os.write(2, b"10%\r20%\r\xff\xfe\n")
    say("prompt> "); time.sleep(0.5); say("harmless 3\nharmless 4\n")
    say("no end")
say("\nafter\n")
assert filtered.held == ("harmless 1", "begin", "follows", "harmless 4"), filtered.held
"""
    expected = b"one\ntwo\nthree\nharmless 2 and more\nfollows\n10%\r20%\r\xff\xfe\nprompt> harmless 3\nno end\nafter\n"
    expected = expected.replace(b"three\n", b"three" + os.linesep.encode())  # as Python prints it
    assert run(START + body + RESTORED) == (0, expected)


@pytest.mark.parametrize(
    ("ends", "status"),
    [
        ("raise SystemExit(3)", 3),
        ("os._exit(4)", 4),
        ("os.kill(os.getpid(), 9)", -9 if os.name == "posix" else 9),
        pytest.param("os.abort()", -6, marks=posix_only),
        pytest.param("import ctypes; ctypes.string_at(0)", -11, marks=posix_only),
        pytest.param("os.execv(sys.executable, [sys.executable, '-c', 'raise SystemExit(5)'])", 5, marks=posix_only),
    ],
)
def test_what_was_held_back_is_shown_if_the_program_ends(run, ends, status):
    code, shown = run(START + "with filtered:\n    say('harmless 1\\nlast words\\n')\n    %s\n" % ends)
    assert (code, sorted(shown.splitlines())) == (status, [b"harmless 1", b"last words"])


def test_an_exception_shows_it_and_restores_the_descriptor(run):
    body = """
try:
    with filtered:
        say("harmless 1\\n")
        raise KeyError
except KeyError:
    say("caught\\n")
"""
    assert run(START + body + RESTORED) == (0, b"harmless 1\ncaught\n")


@posix_only
def test_an_interrupt_from_the_terminal_ends_the_block_and_not_the_filter(run):
    body = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
try:
    with filtered:
        say("harmless 1\\n")
        os.killpg(os.getpgid(0), signal.SIGINT)
        time.sleep(30)
except KeyboardInterrupt:
    say("interrupted\\n")
"""
    assert run(START + body + RESTORED, start_new_session=True) == (0, b"harmless 1\ninterrupted\n")


def test_a_process_that_was_started_meanwhile_prints_on(run):
    body = """
import subprocess
with filtered:
    say("harmless 1\\n")
    later = "import os, sys, time; os.write(2, b'child\\\\n'); sys.stdin.read(); os.write(2, b'harmless 2\\\\n')"
    child = subprocess.Popen([sys.executable, "-c", later], stdin=subprocess.PIPE)
    forked = os.fork() if hasattr(os, "fork") else None
    if forked == 0:
        time.sleep(0.5)
        os.write(2, b"forked\\n")
        os._exit(0)
if forked:
    os.waitpid(forked, 0)
else:
    say("forked\\n")
child.communicate()
assert filtered.held == ("harmless 1",), filtered.held
assert state() == before
"""
    code, shown = run(START + body)
    assert (code, sorted(shown.splitlines())) == (0, [b"child", b"forked", b"harmless 2"])


def test_native_code_that_holds_pythons_lock_can_print_more_than_a_pipe_takes(run):
    body = """
import ctypes
text = b"a line that is not known\\n" * 20000
write = ctypes.PyDLL(None).write if os.name == "posix" else ctypes.PyDLL("ucrtbase")._write
with filtered:
    while text:
        text = text[write(2, text, len(text)):]
"""
    code, shown = run(START + body + RESTORED)
    assert (code, shown) == (0, b"a line that is not known\n" * 20000)


def test_threads_print_meanwhile(run):
    body = """
import threading
def work(name):
    for number in range(200):
        say("%s %d\\nharmless %d\\n" % (name, number, number))
with filtered:
    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""
    code, shown = run(START + body + RESTORED)
    lines = shown.decode().splitlines()
    assert code == 0
    assert [line for line in lines if line[0] == "a"] == ["a %d" % number for number in range(200)]
    assert len(lines) == 400


def test_what_the_program_redirects_meanwhile_stays(run):
    body = """
with filtered:
    say("harmless 1\\nshown\\n")
    os.dup2(1, 2)
say("on standard output\\n")
"""
    assert run(START + body) == (0, b"shown\n")


@pytest.mark.parametrize(
    "lacking",
    [
        "os.close(2)",
        "sys.__stderr__ = sys.stderr = None",
        "sys.executable = ''",
        pytest.param("sys.executable = '/bin/true'", marks=posix_only),
    ],
)
def test_without_standard_error_or_an_interpreter_nothing_is_touched(run, lacking):
    body = "%s\ndef before():\n    try: return os.fstat(2)\n    except OSError: pass\nfirst = before()\n" % lacking
    body += "with StderrFilter(%r):\n    assert before() == first\n" % FORMS
    assert run(PRELUDE + body) == (0, b"")


def test_within_pytests_capture(capfd):
    before = set(threading.enumerate())  # an earlier test may have left one that is about to end
    with StderrFilter(FORMS) as filtered:
        os.write(2, b"harmless 1\nshown\n")
        print("printed", file=sys.stderr)
    # pytest's sys.stderr does not write to the descriptor.
    assert sorted(capfd.readouterr().err.splitlines()) == ["printed", "shown"]
    assert filtered.held == ("harmless 1",)
    assert set(threading.enumerate()) <= before


def test_more_than_the_bound_is_passed_on():
    lines = Filter([["x", "x+"]], b"\1mark ")
    line = b"x" * 1000 + b"\n"
    assert lines.take(line * 100) == line * 35
    assert lines.take(b"y" * (1 << 17)) == b"y" * (1 << 17)
    assert lines.take(b"\n\1mark show\nrest") == b"\nrest"
    assert lines.end == b"show"


# What is known

ABSL = "I0000 00:00:1795405620.321073   12932 "
DATED = "2026-11-23 03:46:48.556913: "

#: As TensorFlow prints them, by whether they are harmless everywhere.
ALWAYS = [
    "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR",
    ABSL + "port.cc:153] oneDNN custom operations are on. You may see slightly different numerical results due to "
    "floating-point round-off errors from different computation orders. To turn them off, set the environment variable "
    "`TF_ENABLE_ONEDNN_OPTS=0`.",
    ABSL + "cpu_feature_guard.cc:227] This TensorFlow binary is optimized to use available CPU instructions in "
    "performance-critical operations.\nTo enable the following instructions: AVX2 AVX512F AVX512_VNNI FMA, in other "
    "operations, rebuild TensorFlow with the appropriate compiler flags.",
    DATED
    + "I tensorflow/core/platform/cpu_feature_guard.cc:193] This TensorFlow binary is optimized with oneAPI Deep Neural "
    "Network Library (oneDNN) to use the following CPU instructions in performance-critical operations:  AVX2 FMA\n"
    "To enable them in other operations, rebuild TensorFlow with the appropriate compiler flags.",
    DATED
    + "I tensorflow/core/util/util.cc:169] oneDNN custom operations are on. You may see slightly different numerical "
    "results due to floating-point round-off errors from different computation orders. To turn them off, set the "
    "environment variable `TF_ENABLE_ONEDNN_OPTS=0`.",
    DATED
    + "E tensorflow/stream_executor/cuda/cuda_blas.cc:2981] Unable to register cuBLAS factory: Attempting to register "
    "factory for plugin cuBLAS when one has already been registered",
    "E0000 00:00:1764324767.560890   25327 cuda_dnn.cc:8579] Unable to register cuDNN factory: Attempting to register "
    "factory for plugin cuDNN when one has already been registered",
    "W0000 00:00:1764324767.605893   25327 computation_placer.cc:177] computation placer already registered. Please check "
    "linkage and avoid linking the same target more than once.",
    DATED + "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library "
    "'libnvinfer_plugin.so.7'; dlerror: libnvinfer_plugin.so.7: cannot open shared object file: No such file or directory",
    DATED
    + "W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Cannot dlopen some TensorRT libraries. "
    "If you would like to use Nvidia GPU with TensorRT, please make sure the missing libraries mentioned above are installed "
    "properly.",
    DATED + "W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Could not find TensorRT",
    DATED
    + "I tensorflow/core/platform/cpu_feature_guard.cc:142] Your CPU supports instructions that this TensorFlow binary "
    "was not compiled to use: AVX2 AVX512F FMA",
    DATED + "I tensorflow/core/platform/profile_utils/cpu_utils.cc:94] CPU Frequency: 2596150000 Hz",
    DATED
    + "I tensorflow/compiler/xla/service/service.cc:168] XLA service 0x55910d5ba4b0 initialized for platform Host (this "
    "does not guarantee that XLA will be used). Devices:",
    DATED + "I tensorflow/compiler/xla/service/service.cc:176]   StreamExecutor device (0): Host, Default Version",
    ABSL + "mlir_graph_optimization_pass.cc:437] MLIR V1 optimization pass is not enabled",
    DATED
    + "I tensorflow/compiler/mlir/mlir_graph_optimization_pass.cc:116] None of the MLIR optimization passes are enabled "
    "(registered 2)",
    DATED
    + "I tensorflow/compiler/jit/xla_cpu_device.cc:41] Not creating XLA devices, tf_xla_enable_xla_devices not set",
    DATED
    + "I tensorflow/c/logging.cc:34] Successfully opened dynamic library C:\\Program Files\\tensorflow-plugins/directml/"
    "directml.d6f03b30.dll",
    DATED
    + "I tensorflow/stream_executor/platform/default/dso_loader.cc:49] Successfully opened dynamic library libcuda.so.1",
    ABSL
    + "cuda_executor.cc:1015] successful NUMA node read from SysFS had negative value (-1), but there must be at least "
    "one NUMA node, so returning NUMA node zero. See more at "
    "https://github.com/torvalds/linux/blob/v6.0/Documentation/ABI/testing/sysfs-bus-pci#L344-L355",
]
WITHOUT_GPU = [
    ABSL + "cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used.",
    DATED
    + "I external/local_xla/xla/tsl/cuda/cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be "
    "used.",
    "E0000 00:00:1795405630.582640   12932 cuda_platform.cc:52] failed call to cuInit: INTERNAL: CUDA error: Failed call to "
    "cuInit: UNKNOWN ERROR (303)",
    DATED + "W tensorflow/stream_executor/cuda/cuda_driver.cc:263] failed call to cuInit: UNKNOWN ERROR (303)",
    DATED
    + "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcuda.so.1'; "
    "dlerror: libcuda.so.1: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/lib",
    DATED
    + "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'cudart64_110.dll'; "
    "dlerror: cudart64_110.dll not found",
    DATED
    + "I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:169] retrieving CUDA diagnostic information for host: vm",
    DATED + "I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:176] hostname: vm",
    DATED
    + "I tensorflow/stream_executor/cuda/cudart_stub.cc:29] Ignore above cudart dlerror if you do not have a GPU set up "
    "on your machine.",
    DATED
    + "I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:156] kernel driver does not appear to be running on this "
    "host (vm): /proc/driver/nvidia/version does not exist",
]
NEVER = [
    "E0000 00:00:1795405630.582640   12932 cuda_platform.cc:52] failed call to cuInit: INTERNAL: CUDA error: Failed call to "
    "cuInit: CUDA_ERROR_UNKNOWN: unknown error",
    DATED
    + "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudnn.so.8'; "
    "dlerror: libcudnn.so.8: cannot open shared object file: No such file or directory",
    DATED + "W tensorflow/core/common_runtime/gpu/gpu_device.cc:1934] Cannot dlopen some GPU libraries.",
    "Fatal Python error: Segmentation fault",
    "To enable the following instructions: AVX2, in other operations, rebuild TensorFlow with the appropriate compiler flags.",
    "WARNING:tensorflow:From a.py:1: The name tf.Session is deprecated.",
]


def shown(text, codes=("no-gpu",)):
    return Filter(known_forms(set(codes)), b"\1mark ").take(text.encode() + b"\n").decode()


def test_known_messages_are_held_back_where_they_are_harmless():
    assert [text for text in ALWAYS if shown(text, ())] == []
    assert [text for text in WITHOUT_GPU if shown(text)] == []
    assert [text for text in WITHOUT_GPU if shown(text, ("driver-missing",)) != text + "\n"] == []
    assert [text for text in NEVER if shown(text) != text + "\n"] == []


def test_every_form_has_an_example():
    forms = known_forms({"no-gpu"})
    unseen = [form for form in forms if not any(re.match(form[1] + "$", text, re.M) for text in ALWAYS + WITHOUT_GPU)]
    assert unseen == []


def test_a_message_with_other_words_another_file_or_severity_is_shown():
    for text in ALWAYS + WITHOUT_GPU:
        first = text.partition("\n")[0]
        assert shown(first + " And an error.") == first + " And an error.\n"
        assert shown("x " + first) == "x " + first + "\n"
        for level in "EF":
            other = re.sub(r"^[IW](?=\d{4} )|(?<=\d: )[IW](?= )", level, first)
            if other != first and "cuInit" not in first:
                assert shown(other) == other + "\n"
        other = re.sub(r"\w+\.cc:", "other.cc:", first)
        if other != first:
            assert shown(other) == other + "\n"


def test_explain_finds_no_error_in_what_is_held_back_everywhere():
    assert [text for text in ALWAYS if explain(text)] == []


def test_what_was_held_back_is_logged_for_those_who_ask(caplog):
    with caplog.at_level("DEBUG", logger="devicekit"):
        log_held(("one",))
    assert [record.getMessage() for record in caplog.records] == ["held back: one"]
