"""A child that never starts, and a process that is in a bad state when it starts one: always a result, nothing left."""

import json
import os
import signal
import sys

import pytest

SAYS_IT_WORKS = "print(json.dumps({'protocol': 1, 'result': {'outcome': 'works'}}), flush=True)\n"

#: Another user, whose processes are none but these; root is not bound by the number of processes.
AS_NOBODY = """
import resource
resource.setrlimit(resource.RLIMIT_NPROC, (%d, %d))
os.setuid(61234)
"""
only_root = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="has to become another user")


def test_the_interpreter_is_gone(harness, tmp_path):
    for command in (str(tmp_path / "python"), str(tmp_path), __file__):  # not there, a folder, not a program
        result = harness(command=[command, "x"])
        assert result["outcome"] == "not-run"
        assert "could not be started" in result["detail"]


def test_the_interpreter_does_not_come_up(harness):
    for command in (["/bin/false"], [sys.executable, "-S", "-c", "import os; os.abort()"]):
        result = harness(command=command)
        assert (result["outcome"], result["stage"]) == ("not-run", "start")
        assert "did not begin" in result["detail"]


@only_root
def test_no_process_slot_is_left(harness):
    result = harness(setup=AS_NOBODY % (1, 1))
    assert result["outcome"] == "not-run"


@only_root
def test_a_process_slot_is_left_but_none_for_what_reads_its_output(harness):
    result = harness(command=["/bin/sleep", "600"], setup=AS_NOBODY % (2, 2), limit_s=5.0)
    assert result["outcome"] == "not-run"


def test_no_memory_is_left(harness):
    # For the trial alone: what the harness looks at afterwards needs memory, too.
    main = """
import resource
with open("/proc/self/statm") as stream:
    size = int(stream.read().split()[0]) * resource.getpagesize() + (%d << 20)
before = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (size, before[1]))
try:
    result["outcome"] = run().outcome
finally:
    resource.setrlimit(resource.RLIMIT_AS, before)
"""
    tasks = {more: {"body": SAYS_IT_WORKS, "main": main % more} for more in (0, 1, 20, 60, 400)}
    for more, result in harness.all(tasks).items():
        assert result["outcome"] in (("works",) if more == 400 else ("not-run", "died", "works")), more


def test_no_descriptor_is_left(harness):
    main = """
import resource
used = max(int(name) for name in os.listdir("/proc/self/fd"))
outcomes = []
for more in range(0, 14):
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + more, 4096))
    outcomes.append(run().outcome)
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 4096))
result["outcomes"] = outcomes
"""
    outcomes = harness(SAYS_IT_WORKS, main=main)["outcomes"]
    assert outcomes[0] == "not-run"
    assert outcomes[-1] == "works"
    assert set(outcomes) == {"not-run", "works"}


STATES = {
    "no streams": "sys.stdin = sys.stdout = sys.stderr = None; os.closerange(0, 3)",
    "no stdin": "os.close(0)",
    "no stdout": "os.close(1)",
    "no stderr": "os.close(2)",
    "no terminal": "os.setsid() if os.getpid() != os.getsid(0) else None",
    "no TMPDIR": "os.environ['TMPDIR'] = '/nonexistent'",
    "no folder": "os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')",
    "SIGCHLD ignored": "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "signals blocked": "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))",
    "SIGCHLD handled": "import signal; signal.signal(signal.SIGCHLD, lambda *_: None)",
    "no environment": "os.environ.clear(); os.environ['HARNESS_ID'] = 'none-of-this-name'",
    "little stack": "sys.setrecursionlimit(120)",
}


def test_this_process_is_in_an_odd_state(harness):
    main = """
start = command[-1]
for body, limit_s in (%r, 20.0), ("ctypes.string_at(0)", 20.0), (%r, 5.0):
    command[-1] = start + body
    trial = run(limit_s)
    result.setdefault("outcomes", []).append([trial.outcome, trial.detail])
"""
    main = main % (SAYS_IT_WORKS, DAEMON_THEN_HANG)
    results = harness.all({name: {"main": main, "setup": setup} for name, setup in STATES.items()})
    for name, result in results.items():
        assert result.get("raised") is None, name
        works, dies, hangs = result["outcomes"]
        assert (works[0], dies[0], hangs[0]) == ("works", "died", "hung"), name
        assert ("SIGCHLD" if name == "SIGCHLD ignored" else "SIGSEGV") in dies[1], name


DAEMON_THEN_HANG = "if os.fork() == 0:\n os.setsid()\n time.sleep(600)\ntime.sleep(600)"


def test_from_a_thread(harness):
    main = """
trials = []
threads = [threading.Thread(target=lambda: trials.append(run().outcome)) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
result["outcomes"] = trials
"""
    assert harness("os.abort()", main=main)["outcomes"] == ["died"] * 8


def test_somebody_else_collects_the_children(harness):
    setup = """
def collect():
    while not result["outcome"]:
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            pass
        time.sleep(0.001)
threading.Thread(target=collect, daemon=True).start()
"""
    assert harness(SAYS_IT_WORKS, setup=setup)["outcome"] == "works"
    assert harness("os.abort()", setup=setup)["outcome"] == "died"


def test_an_interrupt_ends_the_child_and_goes_on(harness):
    # Where this suite runs in the background, the shell has made all of it ignore the signal.
    setup = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    setup += "threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()"
    result = harness(DAEMON_THEN_HANG, setup=setup, limit_s=60.0)
    assert (result["raised"], result["outcome"]) == ("KeyboardInterrupt", None)


TRY = """
import json, sys
from devicekit.runtime.trial.result import DeviceTask
from devicekit.runtime.trial.run import try_device
trial = try_device(DeviceTask(None), timeout_s=float(sys.argv[1]))
print(json.dumps([trial.outcome, trial.stage, trial.detail, trial.output]))
"""


@pytest.mark.parametrize(
    "hang",
    ["time.sleep(600)", "ctypes.PyDLL(None).sleep(600)", "os.kill(os.getpid(), signal.SIGSTOP)"],
    ids=["sleeps", "holds Python's lock", "is stopped"],
)
@pytest.mark.only_on("linux", reason="elsewhere the child ends at its own limit only")
def test_the_child_ends_with_the_process_that_waits_for_it(patient, hang):
    patient.behaves(**{"import": hang})
    process = patient.start(TRY, "300")
    patient.wait_for("trial import")
    patient.kill(process)
    patient.wait_until_running([])


def test_the_child_ends_at_a_limit_of_its_own(patient):
    """Not every system tells it that its parent died; a parent that is stopped does not end it either."""
    patient.behaves(**{"import": "ctypes.PyDLL(None).sleep(600)"})
    process = patient.start(TRY, "3")
    patient.wait_for("trial import")
    os.kill(process.pid, signal.SIGSTOP)
    try:
        patient.wait_until_running([process.pid])
    finally:
        os.kill(process.pid, signal.SIGCONT)
    out, _ = process.communicate(timeout=60)
    assert json.loads(out)[0] in ("died", "hung")


def test_where_it_hangs_is_in_its_output(patient):
    patient.behaves(**{"import": "ctypes.PyDLL(None).sleep(600)"})
    outcome, stage, detail, output = patient.run(TRY, "5")
    assert (outcome, stage) == ("hung", "import")
    assert "no answer within 5 s" in detail
    assert "tensorflow" in output


def test_where_it_dies_is_in_its_output(patient):
    patient.behaves(list="ctypes.string_at(0)")
    outcome, stage, detail, output = patient.run(TRY, "60")
    assert (outcome, stage) == ("died", "list")
    assert "SIGSEGV" in detail
    assert "Segmentation fault" in output
