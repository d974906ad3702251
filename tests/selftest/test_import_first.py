"""`auto()` with a framework that was never seen working: its import is tried in a child, and only then done here."""

import json
import os
import sys

import pytest

from devicekit.diagnosis.diagnose import run_rules
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import SimulatedHost
from devicekit.matrix.matrix import Matrix
from devicekit.selection.choose import choose
from devicekit.selection.request import parse_request

MACHINES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "machines")

AUTO = """
import json, sys, warnings
warnings.simplefilter("ignore")
import devicekit
selection = devicekit.auto(*sys.argv[1:2], **json.loads(sys.argv[2] if len(sys.argv) > 2 else "{}"))
data = selection.to_dict()
data["imported"] = "tensorflow" in sys.modules
data["codes"] = [finding["code"] for finding in data["findings"]]
print(json.dumps(data))
"""


@pytest.mark.parametrize("device", ["auto", "cpu"])
def test_an_unknown_release_that_works_is_tried_once(patient, device):
    for expected in (["trial import", "trial list"], []):
        known = len(patient.notes())
        data = patient.run(AUTO, device)
        assert (data["device"], data["imported"], data["verified"], data["fallback"]) == ("cpu", True, True, False)
        new = patient.notes()[known:]
        assert new[: len(expected)] == expected
        assert [line for line in new if line.startswith("trial")] == expected
        assert "process import" in new


@pytest.mark.parametrize(
    "behavior, code, words",
    [
        # What the child printed goes through explain, which knows some of these.
        ("os.kill(os.getpid(), signal.SIGILL)", "cpu-instructions-missing", "Illegal instruction"),
        ("ctypes.string_at(0)", "framework-broken", "SIGSEGV"),
        ("os.abort()", "framework-broken", "SIGABRT"),
        ("os._exit(3)", "framework-broken", "status 3"),
        (
            "raise ImportError('libnothing.so.1: cannot open shared object file')",
            "dependency-incompatible",
            "libnothing",
        ),
        ("raise SystemExit(4)", "framework-broken", "status 4"),
    ],
)
def test_an_import_that_does_not_work_is_not_done_here(patient, behavior, code, words):
    patient.behaves(**{"import": behavior})
    for _ in range(2):  # the second time the result is known, and what it says is the same
        data = patient.run(AUTO)
        assert (data["device"], data["imported"], data["verified"], data["fallback"]) == ("cpu", False, False, True)
        first = data["findings"][0]
        assert (first["code"], first["severity"]) == (code, "error")
        assert words in json.dumps(first)
        assert "tensorflow" in first["blocks"]
        assert patient.notes() == ["trial import"]
        assert not data["changes"]


def test_required_it_raises_instead(patient):
    patient.behaves(**{"import": "os.abort()"})
    code = """
import json, devicekit, warnings
warnings.simplefilter("ignore")
try:
    devicekit.auto("cpu", require=True)
except devicekit.DeviceUnavailableError as error:
    print(json.dumps([finding.code for finding in error.findings][:1]))
"""
    assert patient.run(code) == ["framework-broken"]


def test_one_warning_says_so(patient):
    patient.behaves(**{"import": "os.abort()"})
    code = """
import json, devicekit, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    devicekit.auto()
print(json.dumps([str(item.message)[:60] for item in caught]))
"""
    (message,) = patient.run(code)
    assert message.startswith("framework-broken: Importing TensorFlow")


def test_devices_that_kill_when_they_are_listed_are_hidden(patient):
    patient.behaves(list="os.environ.get('CUDA_VISIBLE_DEVICES') == '-1' or os.abort()")
    data = patient.run(AUTO)
    assert (data["device"], data["imported"], data["verified"], data["fallback"]) == ("cpu", True, True, True)
    assert data["codes"][0] == "driver-unhealthy"
    assert ["CUDA_VISIBLE_DEVICES", "-1"] in [[change["name"], change["value"]] for change in data["changes"]]
    data = patient.run(AUTO, "cpu")
    assert (data["device"], data["imported"], data["fallback"]) == ("cpu", True, False)


def test_devices_that_kill_though_they_are_hidden_keep_it_from_being_imported(patient):
    patient.behaves(list="os.abort()")
    data = patient.run(AUTO)
    assert (data["device"], data["imported"], data["verified"]) == ("cpu", False, False)
    assert data["codes"][0] == "driver-unhealthy"
    assert ["CUDA_VISIBLE_DEVICES", "-1"] in [[change["name"], change["value"]] for change in data["changes"]]
    assert patient.notes() == ["trial import", "trial list"] * 2


def test_an_import_that_hangs_leaves_the_program_the_cpu(patient):
    """It may import the framework all the same, for example where only the limit of time was too short."""
    patient.behaves(**{"import": "time.sleep(600)"})
    shorter = """
import functools
import devicekit.runtime.trial.run as run
run.try_device = functools.partial(run.try_device, timeout_s=10)
"""
    data = patient.run(shorter + AUTO)
    assert (data["device"], data["imported"], data["verified"], data["fallback"]) == ("cpu", False, False, True)
    assert ["CUDA_VISIBLE_DEVICES", "-1"] in [[change["name"], change["value"]] for change in data["changes"]]
    assert patient.notes() == ["trial import"]


def test_never_means_never_and_always_means_always(patient):
    assert patient.run(AUTO, "auto", '{"verify": "never"}')["imported"]
    assert not [line for line in patient.notes() if line.startswith("trial")]
    for _ in range(2):
        patient.run(AUTO, "auto", '{"verify": "always"}')
    assert [line for line in patient.notes() if line.startswith("trial")] == ["trial import", "trial list"] * 2


def test_what_is_imported_already_is_not_tried(patient):
    patient.run("import tensorflow\n" + AUTO)
    assert not [line for line in patient.notes() if line.startswith("trial")]


def test_an_import_that_calls_auto_does_not_try_without_end(patient):
    patient.behaves(**{"import": "import devicekit; devicekit.auto()"})
    assert patient.run(AUTO)["device"] == "cpu"
    assert patient.notes().count("trial import") == 1


def test_a_frozen_program_does_what_it_can(patient):
    """One that does not know its interpreter cannot try anything, and goes on."""
    assert patient.run("import sys; sys.executable = ''\n" + AUTO)["imported"]
    assert not [line for line in patient.notes() if line.startswith("trial")]


def test_what_it_prints_does_not_get_into_the_program(patient):
    patient.behaves(**{"import": "if 'DEVICEKIT_TRIAL' in os.environ: print('noise'); os.system('echo noise')"})
    process = patient.start(AUTO)
    out, err = process.communicate(timeout=120)
    assert len(out.splitlines()) == 1
    assert err == b""


#: By machine, whether a plan for the CPU needs a trial, because the import or the driver could kill the process.
DOUBTFUL = {
    "linux-nvidia-server": True,  # a build with CUDA next to GPUs
    "linux-nvidia-restricted": True,
    "linux-nvidia-tensorflow-cpu": False,
    "linux-no-gpu": False,
    "linux-container-without-gpu": False,
    "linux-amd-stock-tensorflow": False,
    "linux-amd-rocm": True,
    "macos-apple-silicon": False,
    "macos-apple-silicon-metal": True,
    "windows-nvidia-tensorflow-2.15": False,
    "windows-nvidia-tensorflow-2.10": True,
    "windows-amd-directml-plugin": True,
    "wsl2-without-dxg": False,
}


@pytest.mark.parametrize("name", sorted(DOUBTFUL))
def test_which_plans_for_the_cpu_need_a_trial(name):
    machine = read_machine(SimulatedHost(os.path.join(MACHINES, name)))
    plan = choose(machine, run_rules(machine, Matrix()), parse_request("cpu"))
    assert plan.device == "cpu"
    assert plan.verify is DOUBTFUL[name]


def test_what_cannot_be_imported_needs_no_trial():
    for name in ("linux-missing-dependency", "linux-nothing-installed", "linux-numpy-2-under-2.10"):
        machine = read_machine(SimulatedHost(os.path.join(MACHINES, name)))
        assert not choose(machine, run_rules(machine, Matrix()), parse_request("auto")).verify


TERMINAL = """
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.executable, [sys.executable, "-c", sys.argv[1]])
seen = b""
while True:
    try:
        chunk = os.read(terminal, 4096)
    except OSError:
        break
    if not chunk:
        break
    seen += chunk
status = os.waitpid(pid, 0)[1]
import json
print(json.dumps([status, seen.decode()]))
"""
QUIET_AUTO = "import warnings; warnings.simplefilter('ignore'); import devicekit; devicekit.auto()"


def test_progress_is_shown_on_a_terminal_and_erased(patient):
    patient.behaves(**{"import": "'DEVICEKIT_TRIAL' in os.environ and time.sleep(3)"})
    status, seen = patient.run(TERMINAL, QUIET_AUTO)
    assert status == 0
    assert "\rdevicekit: trying TensorFlow in a separate process ... 1 s" in seen
    *_, shown, spaces, rest = seen.split("\r")
    assert shown.startswith("devicekit: trying TensorFlow")
    assert spaces == " " * len(shown)
    assert rest == ""
    # Known now: nothing to wait for, nothing to show.
    assert patient.run(TERMINAL, QUIET_AUTO) == [0, ""]


def test_progress_is_not_shown_to_who_wants_quiet(patient):
    patient.behaves(**{"import": "'DEVICEKIT_TRIAL' in os.environ and time.sleep(2)"})
    patient.environ["DEVICEKIT_QUIET"] = "1"
    assert patient.run(TERMINAL, QUIET_AUTO) == [0, ""]
    del patient.environ["DEVICEKIT_QUIET"]
    patient.environ["DEVICEKIT_VERIFY"] = "always"
    process = patient.start(QUIET_AUTO)
    assert process.communicate(timeout=60) == (b"", b"")  # no terminal


def test_progress_in_a_notebook_and_on_odd_streams(monkeypatch):
    from devicekit.children import progress

    written = []

    class OutStream:
        def write(self, text):
            written.append(text)

        def flush(self):
            pass

    def shown(stream, quiet=False):
        monkeypatch.setattr(sys, "stderr", stream)
        with progress.Progress("trying", quiet) as one:
            one._started -= 2
            one.tick()
        return written

    with open(os.devnull) as closed:
        pass
    assert shown(None) == shown(OutStream()) == shown(closed) == []
    OutStream.__module__ = "ipykernel.iostream"
    assert shown(OutStream(), quiet=True) == []
    assert shown(OutStream()) == ["\rdevicekit: trying ... 2 s", "\r%s\r" % (" " * 25)]
