"""DirectML for real: the plug-in's own DLLs on Windows' Python, Direct3D 12 in software, a device that computes wrong values.

Each process takes a minute or two to import TensorFlow there, so that each does much. ``DEVICEKIT_TEST_WINDOWS`` is the folder
that ``tools/windows_environment.py`` made.
"""

import json
import os
import re
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tools"), os.path.join(ROOT, "tests", "hardware")]

import build  # noqa: E402
from windows_environment import Windows, windows_path  # noqa: E402

#: So long may a process take that imports TensorFlow twice, itself and in a child.
LIMIT_S = 420

#: DirectX may take longer than the two seconds that `detect` gives it, on a machine that is busy: the facts without a hurry.
FACTS = """
import json, warnings
from devicekit.machine.live_host import LiveHost
from devicekit.machine.probe import read_machine
import devicekit
machine = read_machine(LiveHost(deadline_s=60.0))
diagnosis = devicekit.diagnose(machine)
answer = {
    "adapters": [[item.name, item.direct3d, item.directml] for item in machine.directml.adapters.or_none() or ()],
    "codes": [item.code for item in diagnosis.findings],
    "summaries": [item.summary for item in diagnosis.findings],
    "predicted": list(diagnosis.framework("tensorflow").devices),
}
"""

#: What a user's program does, and what TensorFlow does in it afterwards.
AUTO = """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    selection = devicekit.auto(framework="tensorflow", quiet=True)
import tensorflow as tf
answer.update({
    "device": selection.device,
    "warned": [item.message.finding.code for item in caught if issubclass(item.category, devicekit.DeviceWarning)],
    "found": [item.code for item in selection.findings],
    "evidence": [str(part.text) for item in selection.findings for part in item.evidence],
    "logical": [item.name for item in tf.config.list_logical_devices()],
    "product": tf.matmul(tf.ones((3, 3)), tf.ones((3, 3))).numpy().tolist(),
})
print("ANSWER " + json.dumps(answer), flush=True)
"""


@pytest.fixture(scope="module")
def windows():
    """The environment, with nothing cached."""
    with Windows(os.environ["DEVICEKIT_TEST_WINDOWS"]) as environment:
        yield environment


#: Wrong numbers or none: the simulated device returns what was in that memory, and every run is another one.
WRONG = re.compile(r"a matrix product is (off by|not a number)")


def answer_of(windows, code, direct3d, tmp_path):
    """Run a program, and return what it answers; it has to end by itself, and well."""
    status, output = windows.run(
        ["-c", code], LIMIT_S, WINEDLLOVERRIDES="d3d12=" + direct3d, DEVICEKIT_CACHE_DIR=windows_path(str(tmp_path))
    )
    lines = [line for line in output.splitlines() if line.startswith("ANSWER ")]
    assert lines, output[-3000:]
    assert status == 0, output[-3000:]
    return dict(json.loads(lines[-1][len("ANSWER ") :]), output=output)


def test_auto_survives_a_device_that_computes_wrong_values(windows, tmp_path):
    answer = answer_of(windows, FACTS + AUTO, "n", tmp_path)
    assert [item[1:] for item in answer["adapters"]] == [[True, True]]
    assert answer["predicted"] == ["CPU:0", "GPU:0"]
    assert (answer["device"], answer["logical"]) == ("cpu", ["/device:CPU:0"])
    assert answer["product"] == [[3.0] * 3] * 3
    assert answer["found"][0] == "numerics-divergent"
    assert "numerics-divergent" in answer["warned"]
    assert WRONG.search(answer["evidence"][0])
    # The start of the plug-in's DLLs, which print by the C library: only what is known to be harmless is held back.
    assert "DirectML device enumeration: found 1 compatible adapters" in answer["output"]
    assert "Successfully opened dynamic library" not in answer["output"]


def test_an_adapter_that_directml_refuses_is_named_and_not_tried(windows, tmp_path):
    answer = answer_of(windows, FACTS + AUTO, "b", tmp_path)
    assert [item[1:] for item in answer["adapters"]] == [[True, False]]
    assert answer["predicted"] == ["CPU:0"]
    assert "directml-unsupported" in answer["codes"]
    assert "no-gpu" not in answer["codes"]
    assert "float16" in "".join(answer["summaries"])
    assert (answer["device"], answer["logical"]) == ("cpu", ["/device:CPU:0"])
    assert "numerics-divergent" not in answer["found"]


#: What TensorFlow's own library and the plug-in list, without the minute that the import of the package takes.
LISTS = """
import ctypes, json, os, sys
folder = os.path.join(sys.prefix, "Lib", "site-packages")
library = os.path.join(folder, "tensorflow", "python")
os.add_dll_directory(library)
library = ctypes.CDLL(os.path.join(library, "_pywrap_tensorflow_internal.pyd"))
def call(name, *arguments, returns=ctypes.c_void_p):
    function = getattr(library, name)
    function.restype = returns
    return function(*[item if isinstance(item, (bytes, int)) else ctypes.c_void_p(item.value) for item in arguments])
def new(name, *arguments): return ctypes.c_void_p(call(name, *arguments))
status = new("TF_NewStatus")
call("TF_LoadPluggableDeviceLibrary", os.path.join(folder, "tensorflow-plugins", "tfdml_plugin.dll").encode(), status)
context = new("TFE_NewContext", new("TFE_NewContextOptions"), status)
devices = new("TFE_ContextListDevices", context, status)
count = call("TF_DeviceListCount", devices, returns=ctypes.c_int)
names = [call("TF_DeviceListName", devices, index, status, returns=ctypes.c_char_p).decode() for index in range(count)]
with open(sys.argv[1], "w") as stream:
    json.dump([name.partition("device:")[2] for name in names], stream)
os._exit(0)  # this device hangs at the end
"""

#: The same next to what devicekit predicts, for each value of the variable.
VALUES = """
import json, os, subprocess, sys, tempfile
from devicekit.machine.live_host import LiveHost
from devicekit.machine.probe import read_machine
import devicekit
folder, answer = tempfile.mkdtemp(), []
for value in json.loads(sys.argv[2]):
    os.environ["DML_VISIBLE_DEVICES"] = value
    path = os.path.join(folder, "listed.json")
    process = subprocess.Popen([sys.executable, "-c", sys.argv[1], path], stdin=subprocess.DEVNULL)
    diagnosis = devicekit.diagnose(read_machine(LiveHost(deadline_s=60.0)))
    assert process.wait(120) == 0
    with open(path) as stream:
        listed = json.load(stream)
    said = [item.code for item in diagnosis.findings if item.code == "device-hidden"]
    answer.append([value, listed, list(diagnosis.framework("tensorflow").devices), said])
print("ANSWER " + json.dumps(answer), flush=True)
"""


def test_the_variable_of_visible_devices_is_read_as_the_plug_in_reads_it(windows):
    """There is one adapter; the order of several is compared on Linux, where they are simulated."""
    values = ["", "0,0", " 00 ,+0,x,0", "1,0", "-1", "0;0"]
    arguments = ["-c", VALUES, LISTS, json.dumps(values)]
    status, output = windows.run(arguments, LIMIT_S, WINEDLLOVERRIDES="d3d12=n")
    assert status == 0, output[-3000:]
    answer = json.loads(output[output.index("ANSWER ") + 7 :].splitlines()[0])
    assert [item[1] for item in answer] == [item[2] for item in answer]
    assert [(value, len(listed) - 1) for value, listed, *_ in answer] == list(zip(values, [1, 2, 2, 0, 0, 0]))
    # An adapter that is listed twice is said as well.
    assert [len(said) for *_, said in answer] == [0, 1, 1, 1, 1, 1]


def test_verify_names_the_wrong_values(windows, tmp_path):
    status, output = windows.run(
        ["-m", "devicekit", "verify", "--framework", "tensorflow", "--timeout", str(LIMIT_S - 60), "--json"],
        LIMIT_S,
        WINEDLLOVERRIDES="d3d12=n",
        DEVICEKIT_CACHE_DIR=windows_path(str(tmp_path)),
    )
    assert status == 1, output[-3000:]
    assert WRONG.search(output), output[-6000:]
    assert "GPU:0" in output


#: Its weights are drawn on the CPU: this device crashes as it draws them.
MODEL = """
import tensorflow as tf

def model():
    with tf.device("CPU:0"):
        return tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3, name="wide"), tf.keras.layers.Dense(2)])
"""


def test_compare_names_the_layer_with_the_wrong_values(windows, tmp_path):
    (tmp_path / "small.py").write_text(MODEL, encoding="utf-8")
    command = ["compare", "small:model", "--device", "gpu:0", "--steps", "0", "--timeout", str(LIMIT_S - 60), "--json"]
    status, output = windows.run(
        ["-m", "devicekit", *command],
        LIMIT_S,
        cwd=str(tmp_path),
        WINEDLLOVERRIDES="d3d12=n",
        DEVICEKIT_CACHE_DIR=windows_path(str(tmp_path)),
    )
    assert status == 1, output[-3000:]
    assert "wide (Dense) computes" in output, output[-6000:]


#: A child that hangs, after it has started a process that would go on.
HANGS = """
def main(task, say):
    import subprocess, sys, time
    say(stage="begun")
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
    say(stage="started", pid=process.pid)
    time.sleep(300)
"""

#: Whether what it started has ended with it. WaitForSingleObject returns 0 for a process that has ended.
ENDS = """
import ctypes, json, sys
from devicekit.children.call import run_child
report = run_child(sys.argv[1], {}, timeout_s=20)
kernel = ctypes.WinDLL("kernel32")
process = kernel.OpenProcess(0x100000, False, report.said[-1]["pid"])
state = kernel.WaitForSingleObject(process, 5000) if process else 0
print("ANSWER " + json.dumps([report.outcome, report.said[-1]["stage"], state]), flush=True)
"""


def test_what_a_child_started_ends_with_it(windows, tmp_path):
    script = tmp_path / "hangs_child.py"
    script.write_text(HANGS)
    status, output = windows.run(["-c", ENDS, windows_path(str(script))], 120)
    assert status == 0, output[-3000:]
    assert output.splitlines()[-1] == 'ANSWER ["hung", "started", 0]'


def test_the_search_for_cuda_dlls_agrees_with_the_loader(windows):
    """Other layouts each day; ``tools/check_dll_search.py`` goes through many more."""
    from check_dll_search import check

    assert check(windows, 60) == []


def test_the_stand_ins_need_what_nvidias_libraries_do(tmp_path):
    from devicekit.machine.live_host import LiveHost
    from devicekit.machine.probe.cuda_libraries import read_imports

    folder = build.build_cuda_dlls(str(tmp_path))
    for name, needs in build.CUDA_DLLS.items():
        assert sorted(read_imports(LiveHost(), os.path.join(folder, name))) == sorted(needs)
