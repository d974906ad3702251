"""`auto()` on the real TensorFlow."""

import os
import random
import subprocess
import sys

import pytest
from live_prelude import PRELUDE, VERSION, only_tf1, only_tf2

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")

AUTO = """
import json, sys, warnings
import devicekit
assert "tensorflow" not in sys.modules
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    selection = devicekit.auto(*sys.argv[1:])
told = [w for w in caught if issubclass(w.category, devicekit.DeviceWarning)]
assert "tensorflow" in sys.modules
"""
REPORT = """
import tensorflow as tf
config = tf.config.experimental if tf.__version__.startswith("1.") else tf.config
visible = [d.device_type for d in config.get_visible_devices() if not d.device_type.startswith("XLA")]
keras = tf.keras
model = keras.Sequential([keras.layers.Dense(4, activation="relu", input_shape=(3,)), keras.layers.Dense(1)])
options = {} if tf.__version__.startswith("1.") or int(tf.__version__.split(".")[1]) < 4 else {"jit_compile": False}
model.compile("sgd", "mse", **options)
import numpy as np
history = model.fit(np.ones((8, 3), "float32"), np.ones((8, 1), "float32"), epochs=2, verbose=0)
print(json.dumps({
    "selection": selection.to_dict(), "visible": visible, "losses": history.history["loss"],
    "warnings": [[type(w.message).__name__, w.message.finding.code, w.filename, w.lineno] for w in told],
}))
"""


@pytest.mark.smoke
def test_without_a_gpu_it_trains_on_the_cpu(program):
    data = program(AUTO + REPORT)
    selection = data["selection"]
    assert (selection["device"], selection["verified"]) == ("cpu", True)
    assert data["visible"] == ["CPU"]
    assert data["losses"][1] < data["losses"][0]
    codes = [finding["code"] for finding in selection["findings"]]
    assert "no-gpu" in codes
    import devicekit

    missing = devicekit.diagnose().by_code("directml-missing")
    if missing is None or missing.severity == "info":  # on a machine without a GPU nothing is lost
        assert (data["warnings"], selection["fallback"]) == ([], False)
    if missing is not None and missing.severity == "info":
        assert codes[0] == "directml-missing"
    elif missing is not None:
        # A DirectML build where DirectX is not: predicted without importing TensorFlow, and said once.
        assert codes[0] == "directml-missing"
        assert "libd3d12.so" in selection["findings"][0]["evidence"][0]["text"]
        assert [item[:2] for item in data["warnings"]] == [["FallbackWarning", "directml-missing"]]
        assert data["warnings"][0][3] == 7  # the line of the program that called auto()


def test_twice_does_nothing_the_second_time(program):
    code = (
        AUTO + "again = devicekit.auto()\nprint(json.dumps([again is selection, again.changes == selection.changes]))"
    )
    assert program(code) == [True, True]


def test_each_device_that_is_asked_for_in_vain_is_answered(program):
    """As in the cells of a notebook: the first call is content with the CPU, the others ask for more."""
    code = """
import json, warnings
import devicekit
devicekit.auto()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for device in ("gpu:7", "rocm", "gpu:7"):
        devicekit.auto(device)
    for device in ("gpu:8", "gpu:8"):
        with devicekit.device_scope(device):
            pass
messages = [str(item.message) for item in caught if issubclass(item.category, devicekit.FallbackWarning)]
print(json.dumps([device for message in messages for device in ("gpu:7", "rocm", "gpu:8") if repr(device) in message]))
"""
    assert program(code) == ["gpu:7", "rocm", "gpu:8"]


@only_tf2
def test_a_processor_that_is_not_there_is_missed(program):
    code = """
import json, warnings
import devicekit
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    first = devicekit.auto("cpu:0")
    other = devicekit.auto("cpu:7")
    with devicekit.device_scope("cpu:6"):
        pass
try:
    devicekit.auto("cpu:7", require=True)
except devicekit.DeviceUnavailableError as error:
    code = error.findings[0].code
messages = [str(item.message) for item in caught if issubclass(item.category, devicekit.FallbackWarning)]
print(json.dumps([first.fallback, other.fallback, other.device, code, [text[:50] for text in messages]]))
"""
    start = "device-not-found: The requested device 'cpu:%d' was"
    assert program(code) == [False, True, "cpu", "device-not-found", [start % 7, start % 6]]


def test_a_program_can_still_split_the_cpu_afterwards(program):
    code = (
        AUTO + PRELUDE + "split_cpu()\nprint(json.dumps([len(config.list_logical_devices('CPU')), selection.verified]))"
    )
    assert program(code) == [3, True]


THREADS = """
import glob, json, sys
import tensorflow as tf
if len(sys.argv) > 1:
    tf.config.threading.set_intra_op_parallelism_threads(int(sys.argv[1]))
%s
with tf.compat.v1.Session(graph=tf.Graph()) as session:
    with session.graph.as_default():
        product = tf.matmul(tf.ones((999, 999)), tf.ones((999, 999)))
    session.run(product)
print(json.dumps(len(glob.glob("/proc/self/task/*"))))
"""


@pytest.mark.parametrize("arguments", [(), ("5",)])
def test_the_check_leaves_kernels_as_many_threads_as_without_it(program, arguments):
    """TensorFlow makes its pool of threads with the first CPU device: the check must not make it smaller, or larger."""
    plain = program(THREADS % "", *arguments)
    assert abs(program(THREADS % "import devicekit; devicekit.auto('cpu')", *arguments) - plain) <= 1


@only_tf2
def test_thread_counts_can_be_set_after_the_check_too(program):
    code = """
import glob, json, sys
import devicekit, tensorflow as tf
selection = devicekit.auto("cpu")
count = lambda: len(glob.glob("/proc/self/task/*"))
before = count()
tf.config.threading.set_intra_op_parallelism_threads(40)
tf.matmul(tf.ones((999, 999)), tf.ones((999, 999)))
print(json.dumps([selection.verified, count() - before >= 39]))
"""
    assert program(code) == [True, True]


@pytest.mark.smoke
def test_require_raises_with_the_same_findings(program):
    code = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
import devicekit
before = dict(os.environ)
try:
    devicekit.auto("gpu", require=True)
except devicekit.DeviceUnavailableError as error:
    raised = error
untouched = "tensorflow" not in sys.modules and before == dict(os.environ)
fallback = devicekit.auto("gpu")
print(json.dumps([raised.findings == fallback.findings, fallback.fallback, str(raised), untouched]))
"""
    same, fallback, message, untouched = program(code)
    assert same
    assert untouched  # what is known without importing TensorFlow is said at once
    assert fallback
    assert "'gpu' was required, only cpu can be used" in message


def test_options_and_settings(program):
    code = """
import json, warnings
import devicekit
selection = devicekit.auto("cpu", seed=7, verbose=True)
print(json.dumps([str(change) for change in selection.changes]))
"""
    assert program(code) == ["tensorflow: random seed = 7"]
    for wrong in ("verify='sometimes'", "memory='lots'", "framework='caffe'", "device='banana'"):
        code = (
            "import devicekit, json\ntry: devicekit.auto(%s)\nexcept ValueError as e: print(json.dumps(str(e)))" % wrong
        )
        assert "accepted are" in program(code) or "such as '8GiB'" in program(code)


def test_a_wrong_setting_in_the_environment_is_a_warning_not_an_error(program):
    data = program(AUTO + REPORT, env={"DEVICEKIT_DEVICE": "banana", "DEVICEKIT_VERIFY": "maybe"})
    assert [item[1] for item in data["warnings"]].count("setting-invalid") == 2
    quiet = program(AUTO + REPORT, env={"DEVICEKIT_DEVICE": "banana", "DEVICEKIT_QUIET": "1"})
    assert quiet["warnings"] == []
    chosen = program(AUTO + REPORT, env={"DEVICEKIT_DEVICE": "cpu"})
    assert chosen["selection"]["requested"] == "cpu"


def test_a_read_only_home_and_cache(program, tmp_path):
    (tmp_path / "file").write_text("")
    home = str(tmp_path / "file")
    data = program(AUTO + REPORT, env={"HOME": home, "DEVICEKIT_CACHE_DIR": home})
    assert data["selection"]["verified"] is True


@only_tf2
def test_prediction_and_reality_agree(program):
    import devicekit

    status = devicekit.diagnose().framework("tensorflow")
    listed = program(PRELUDE + "print(json.dumps([d.name[17:] for d in tf.config.list_physical_devices()]))")
    assert (status.will_import, status.will_run_keras, list(status.devices)) == (True, True, listed)
    assert status.version == program(PRELUDE + "print(json.dumps(tf.__version__))")


@only_tf2
def test_after_tensorflow_was_initialised_it_says_what_stays(program, simulated_gpu):
    code = """
import json, warnings
import tensorflow as tf
tf.constant(1.0) + 1.0
import devicekit
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    selection = devicekit.auto("cpu")
print(json.dumps([selection.to_dict(), [type(w.message).__name__ for w in caught]]))
"""
    selection, categories = program(code, env=simulated_gpu)
    assert selection["findings"][0]["code"] == "runtime-already-initialized"
    assert "GPU:0" in selection["findings"][0]["summary"]
    assert categories == ["ConfigurationWarning"]
    # Where nothing would have to be changed there is nothing to complain of.
    selection, categories = program(code)
    assert (selection["device"], categories) == ("cpu", []) or categories == ["FallbackWarning"]


def test_examples_run():
    names = ["tensorflow1_graph.py"] if VERSION < (2, 0) else ["train_digits.py", "scoped_fit.py", "library_author.py"]
    for name in names:
        done = subprocess.run(
            [sys.executable, os.path.join(EXAMPLES, name)],
            capture_output=True,
            env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3"),
        )
        assert done.returncode == 0, (name, done.stdout, done.stderr[-3000:])


@only_tf1
@pytest.mark.parametrize("adapters", [["AMD Radeon RX 6700 XT|1002|73df|1.0|12000000000|0|1|0|1|1|1"]])
def test_a_directml_device_that_crashes_falls_back_for_real(program, simulated_directx, adapters):
    """The stubs list an adapter, as the real wheel sees it; creating a device on them kills the process."""
    data = program(AUTO + REPORT, env=simulated_directx(adapters))
    assert (data["selection"]["device"], data["selection"]["fallback"]) == ("cpu", True)
    assert data["visible"] == ["CPU"]
    assert data["losses"][1] < data["losses"][0]
    assert [item[0] for item in data["warnings"]] == ["FallbackWarning"]


@only_tf1
def test_dxcore_that_aborts_is_survived(program, simulated_directx):
    """DXCore without its device aborts the process when devices are listed: seen in the child, kept out of this one."""
    data = program(AUTO + REPORT, env=simulated_directx("fail"))
    assert (data["selection"]["device"], data["visible"]) == ("cpu", ["CPU"])
    # What the child printed goes through explain, which knows DXCore's message.
    assert data["warnings"][0][1] == "wsl-without-gpu"


INTERRUPTED = """
import json, os, sys, warnings
import devicekit
point = sys.argv[1]
class CtrlC:
    come = False
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == point and not cls.come:
            cls.come = True
            raise KeyboardInterrupt
def returned(frame, event, argument):
    if event == "return" and frame.f_code.co_name == "load_pluggable_device_library":
        CtrlC.come = True
        sys.setprofile(None)
        raise KeyboardInterrupt
sys.meta_path.insert(0, CtrlC)
sys.setprofile(returned if point == "plug-ins" else None)
before = dict(os.environ)
try:
    devicekit.auto(verify="never")
except KeyboardInterrupt:
    pass
data = {"come": CtrlC.come, "changed": sorted(set(before.items()) ^ set(os.environ.items()))}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    selection = devicekit.auto()
data["warnings"] = [str(item.message) for item in caught if issubclass(item.category, devicekit.DeviceWarning)]
data["selection"] = selection.to_dict()
print(json.dumps(data))
"""


@pytest.mark.parametrize("point", ["numpy.linalg", "tensorflow.python.framework.ops"])
def test_after_an_interrupt_it_works_or_says_what_is_half_imported(program, point):
    data = program(INTERRUPTED, point)
    assert (data["come"], data["changed"]) == (True, [])
    if not data["selection"]["verified"]:
        first = data["selection"]["findings"][0]
        assert (first["code"], first["severity"]) == ("framework-broken", "error")
        assert "half imported" in first["summary"]
        assert "Restart the process" in first["fix"][0]["text"]
        assert ["half imported" in warning for warning in data["warnings"]] == [True]


@only_tf2
def test_after_an_interrupt_behind_the_plug_ins_it_says_so_and_the_process_lives(program, simulated_gpu):
    """TensorFlow loads them at the end of its import; a second time, it would abort: they are registered already."""
    data = program(INTERRUPTED, "plug-ins", env=simulated_gpu)
    assert (data["come"], data["changed"], data["selection"]["verified"]) == (True, [], False)
    assert "half imported" in data["selection"]["findings"][0]["summary"]
    assert ["half imported" in warning for warning in data["warnings"]] == [True]


#: The program is interrupted after so many seconds; it says what was left behind then, and what comes of the next `auto()`.
ANY_MOMENT = """
import json, os, signal, sys, threading, time, warnings
import devicekit
from devicekit.children.locks import try_lock

cache, temporary = os.environ["DEVICEKIT_CACHE_DIR"], os.environ["TMPDIR"]

def left():
    found = ["thread " + item.name for item in threading.enumerate() if item.name.startswith("devicekit")]
    for thread in os.listdir("/proc/self/task"):
        try:
            with open("/proc/self/task/%s/children" % thread) as stream:
                found += ["child " + pid for pid in stream.read().split()]
        except (FileNotFoundError, ProcessLookupError):  # one of the framework's threads ended meanwhile
            pass
    for folder, _, names in os.walk(cache):
        for name in names:
            with open(os.path.join(folder, name), "r+b") as stream:
                if name.endswith(".lock") and not try_lock(stream.fileno()):
                    found.append("held " + name)
        found += ["file " + name for name in names if not name.endswith((".lock", ".json"))]
    found += ["file " + name for name in os.listdir(temporary)]
    for number in os.listdir("/proc/self/fd"):
        try:
            path = os.readlink("/proc/self/fd/" + number)
        except OSError:  # that of the list itself
            continue
        if number not in descriptors and path.startswith(("pipe:", cache, temporary)):
            found.append("open " + path)
    if not os.path.samestat(os.fstat(2), errors) or sys.stderr is not stream_2:
        found.append("another standard error")
    return found + sorted({"variable " + name for name, _ in set(os.environ.items()) ^ variables})

signal.signal(signal.SIGINT, signal.default_int_handler)
descriptors, errors, stream_2 = os.listdir("/proc/self/fd"), os.fstat(2), sys.stderr
variables, ended, come = set(os.environ.items()), threading.Event(), False

def interrupt():
    if not ended.wait(float(sys.argv[1])):
        os.kill(os.getpid(), signal.SIGINT)

ctrl_c = threading.Thread(target=interrupt)
began = time.monotonic()
try:
    try:
        ctrl_c.start()
        devicekit.auto(quiet=True)
    finally:
        seconds = time.monotonic() - began
        ended.set()
        ctrl_c.join()
except KeyboardInterrupt:
    come = True
# What is killed takes a moment to end.
patience = time.monotonic() + 10.0
while any(not item.startswith("variable") for item in left()) and time.monotonic() < patience:
    time.sleep(0.02)
data = {"seconds": seconds, "come": come, "left": left()}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    selection = devicekit.auto(quiet=True)
first = [item.summary for item in selection.findings[:1]]
data["goes on"] = selection.verified or "half imported" in first[0] or first
print(json.dumps(data))
"""
IMPORTED = """
import json, os
before = set(os.environ.items())
import tensorflow
tensorflow.keras.Sequential
print(json.dumps(sorted({"variable " + name for name, _ in set(os.environ.items()) ^ before})))
"""


@pytest.mark.only_on("linux", reason="what is left is looked for in /proc")
@pytest.mark.parametrize("hardware", ["none", "simulated"])
def test_an_interrupt_at_any_moment_leaves_nothing(program, tmp_path, request, hardware):
    """DEVICEKIT_TEST_INTERRUPTS is how many moments are tried: few in the gate."""
    env = {} if hardware == "none" else request.getfixturevalue("simulated_gpu")
    theirs, moments, wrong, come = program(IMPORTED, env=env), random.Random(20), [], 0

    def interrupted(name, seconds):
        folders = {"DEVICEKIT_CACHE_DIR": str(tmp_path / name / "cache"), "TMPDIR": str(tmp_path / name / "tmp")}
        for path in folders.values():
            os.makedirs(path)
        return program(ANY_MOMENT, "%r" % seconds, env=dict(env, **folders))

    whole = interrupted("whole", 1000.0)
    assert not whole["come"]
    # The first call is the slowest, since it reads files for the first time: a moment lies within the
    # shortest call so far, and more are tried until one interrupt comes before the end.
    wanted, longest = int(os.environ.get("DEVICEKIT_TEST_INTERRUPTS", "3")), whole["seconds"]
    for number in range(wanted + 10):
        if number >= wanted and come:
            break
        moment = moments.uniform(0.0, longest)
        data = interrupted(str(number), moment)
        come += data["come"]
        if not data["come"]:
            longest = min(longest, data["seconds"])
        left = [item for item in data["left"] if item not in theirs]
        if left or data["goes on"] is not True:
            wrong.append((moment, left, data["goes on"]))
    assert wrong == []
    assert come
