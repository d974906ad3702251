"""`devicekit.lease` as a program uses it: what it yields, what it refuses, threads, children, and what it says."""

import logging
import os
import shutil
import subprocess
import sys
import threading

import pytest
from leasing_tools import answer_of, until
from recorded_machines import load_machine

import devicekit
from devicekit import DeviceUnavailableError, LeaseError, LeaseTimeoutError, lease
from devicekit.cli.leases import leases_text
from devicekit.cluster import Lease
from devicekit.cluster.lease.folder import open_folder
from devicekit.cluster.lease.listing import read_leases
from devicekit.cluster.lease.queue import Queue
from devicekit.report.terminal import Style

SERVER = load_machine("linux-nvidia-server")
UUID = "GPU-11111111-2222-3333-4444-00000000000%d"


def test_a_lease_is_a_context_manager_with_what_was_leased(folder):
    with lease("gpu", count=2, machine=SERVER) as held:
        assert isinstance(held, Lease)
        assert (held.devices, held.device, str(held)) == (("gpu:0", "gpu:1"), "gpu:0,1", "gpu:0,1")
        assert [item.uuid for item in held.candidates] == [UUID % 0, UUID % 1]
        assert held.environment["CUDA_VISIBLE_DEVICES"] == "%s,%s" % (UUID % 0, UUID % 1)
        assert set(held.environment) == {"CUDA_VISIBLE_DEVICES", "DEVICEKIT_LEASED"}
        selection = devicekit.select_device(held.device, machine=SERVER)
        assert (selection.device, selection.fallback) == ("gpu:0,1", False)
        assert "CUDA_VISIBLE_DEVICES" not in os.environ or os.environ["CUDA_VISIBLE_DEVICES"] != UUID % 0
    assert Queue(open_folder()).holdings() == []
    assert repr(held) == "<Lease of gpu:0, gpu:1, given back>"
    held.release()  # once more does nothing
    with pytest.raises(LeaseError, match="was released"), held:
        pass


@pytest.mark.parametrize(
    "arguments, devices",
    [
        ({"device": "gpu:3"}, ("gpu:3",)),
        ({"device": "gpu:5,2"}, ("gpu:5", "gpu:2")),
        ({"device": "gpu:5,2", "count": 1}, ("gpu:5",)),
        ({"device": "gpu:" + UUID % 6}, ("gpu:6",)),
        ({"device": "auto"}, ("gpu:0",)),
        ({"device": "cuda", "exclude": ("gpu:0",)}, ("gpu:1",)),
        ({"policy": lambda items: items[-1], "count": 2}, ("gpu:7", "gpu:6")),
        ({"min_memory": "30GiB"}, ("gpu:0",)),
        ({"count": 8}, tuple("gpu:%d" % number for number in range(8))),
    ],
)
def test_what_is_asked_for_is_leased(folder, arguments, devices):
    with lease(machine=SERVER, **arguments) as held:
        assert held.devices == devices


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"device": "cpu"}, ValueError, "only accelerators can be leased"),
        ({"device": "banana"}, ValueError, "accepted are"),
        ({"count": 0}, ValueError, "at least 1, got 0"),
        ({"count": True}, ValueError, "got True"),
        ({"count": 1.5}, ValueError, "whole number"),
        ({"device": "gpu:1", "count": 2}, ValueError, "cannot lease 2 devices of 'gpu:1', which names 1"),
        ({"timeout_s": -1}, ValueError, "timeout_s must be a number of seconds"),
        ({"timeout_s": "1"}, ValueError, "got '1'"),
        ({"timeout_s": float("nan")}, ValueError, "got nan"),
        ({"policy": "best"}, ValueError, "unknown policy"),
        (
            {"count": 9},
            DeviceUnavailableError,
            "9 devices were requested for 'gpu', but only 8 can be used here: gpu:0,",
        ),
        ({"device": "gpu:9"}, DeviceUnavailableError, "'gpu:9' was required"),
        ({"device": "gpu:7,8"}, DeviceUnavailableError, "'gpu:7,8' was required"),
        ({"device": "GPU-9"}, DeviceUnavailableError, "there is no GPU-9 here; gpu:0 is GPU-1111"),
        ({"min_memory": "100GiB"}, DeviceUnavailableError, "was required"),
        ({"machine": load_machine("linux-no-gpu")}, DeviceUnavailableError, r"\[no-gpu\]"),
    ],
)
def test_what_cannot_be_leased_is_told_before_anything_is_waited_for(folder, arguments, error, message):
    with pytest.raises(error, match=message):
        lease(**dict({"machine": SERVER}, **arguments))
    assert not os.path.exists(folder)


def test_a_timeout_names_who_holds_what_and_who_waits(start, folder, server):
    holder = start("gpu", 8)
    assert len(answer_of(holder)["devices"]) == 8
    waiting = start("gpu:0")
    queue = Queue(open_folder(folder))
    until(lambda: len(queue.waiters()) == 1)
    with pytest.raises(LeaseTimeoutError) as raised:
        lease("gpu:0,1", machine=SERVER, timeout_s=0.2)
    message = str(raised.value)
    assert "gpu:0, gpu:1 did not become free within 0.2 s" in message
    assert "gpu:0, gpu:1 are held by process %d (holder.py) for" % holder.pid in message
    assert "1 process is waiting ahead" in message
    assert "devicekit leases" in message
    assert len(raised.value.holders) == 1
    assert isinstance(raised.value, TimeoutError)
    found = read_leases(SERVER)
    assert [row.holder_pid for row in found.devices] == [holder.pid] * 8
    (row,) = found.waiting
    assert (row.pid, row.command, row.wanted, row.devices) == (waiting.pid, "holder.py", 1, ("gpu:0",))
    text = leases_text(found, Style())
    assert "gpu:7    NVIDIA A100-SXM4-40GB: held by process %d (holder.py)" % holder.pid in text
    assert "1.       process %d (holder.py) waits" % waiting.pid in text
    assert "maria" not in str(found.to_dict())


def test_a_thread_waits_for_another_one_and_never_for_itself(folder):
    seen = []
    with lease("gpu:0", machine=SERVER):
        with pytest.raises(LeaseError, match="this thread already holds gpu:0"):
            lease("gpu:0", machine=SERVER)
        with lease("gpu", machine=SERVER) as other:  # another one will do
            assert other.devices == ("gpu:1",)

        def ask():
            try:
                lease("gpu:0", machine=SERVER, timeout_s=0)
            except LeaseTimeoutError:
                seen.append("busy")
            with lease("gpu:0", machine=SERVER, timeout_s=100) as held:
                seen.append(held.device)

        thread = threading.Thread(target=ask)
        thread.start()
        # Also the first question, which is not to wait, is in the queue for a moment.
        until(lambda: seen and len(Queue(open_folder()).waiters()) == 1)
        assert seen == ["busy"]
    thread.join()
    assert seen == ["busy", "gpu:0"]


def test_one_thread_may_give_back_what_another_has_taken(folder):
    held = lease("gpu:0", machine=SERVER)
    thread = threading.Thread(target=held.release)
    thread.start()
    thread.join()
    with lease("gpu:0", machine=SERVER, timeout_s=0):
        pass


def test_a_process_that_is_started_with_the_variables_shares_the_lease(start, folder):
    with lease("gpu:2", machine=SERVER) as held:
        child = start("gpu:2", timeout=0, env={"DEVICEKIT_LEASED": held.environment["DEVICEKIT_LEASED"]})
        assert answer_of(child)["devices"] == ["gpu:2"]
        child.stdin.close()
        assert child.wait() == 0  # its end gives nothing back
        stranger = start("gpu:2", timeout=0)
        assert answer_of(stranger)["error"] == "LeaseTimeoutError"
    # What is left of a lease that is over lets no one in: another process has the device now.
    other = start("gpu:2")
    assert answer_of(other)["devices"] == ["gpu:2"]
    late = start("gpu:2", timeout=0, env={"DEVICEKIT_LEASED": held.environment["DEVICEKIT_LEASED"]})
    assert answer_of(late)["error"] == "LeaseTimeoutError"


FORKED = """
import os, sys
import devicekit
from devicekit.machine.snapshot import load_machine
machine = load_machine(sys.argv[1])
held = devicekit.lease("gpu:0", machine=machine)
child = os.fork()
if child == 0:
    held.release()  # of a copy
    sys.exit(0)     # with all that an interpreter does at its end
assert os.waitpid(child, 0)[1] == 0
ask = '''
import sys, devicekit
from devicekit.machine.snapshot import load_machine
try:
    devicekit.lease("gpu:0", machine=load_machine(sys.argv[1]), timeout_s=0)
except devicekit.LeaseTimeoutError:
    print("busy")
'''
import subprocess
assert subprocess.check_output([sys.executable, "-c", ask, sys.argv[1]]).strip() == b"busy"
# A child that goes on does not keep what its parent gives back, or loses by its death.
ready, done = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    os.write(ready[1], b"1")
    os.read(done[0], 1)
    os._exit(0)
os.read(ready[0], 1)
held.release()
devicekit.lease("gpu:0", machine=machine, timeout_s=0).release()
os.write(done[1], b"1")
print("fine")
"""


@pytest.mark.only_on("posix", reason="it forks")
def test_a_forked_process_neither_holds_nor_frees(folder, server, tmp_path):
    command = [sys.executable, "-W", "ignore", "-c", FORKED, server]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=200, cwd=str(tmp_path))
    assert done.stdout.strip() == b"fine", done.stderr.decode()[-2000:]


def test_a_whole_gpu_waits_for_its_slices(folder, monkeypatch):
    sliced = load_machine("linux-nvidia-mig-newer-driver")
    with lease("MIG-00000000", machine=sliced) as held:
        assert held.environment["CUDA_VISIBLE_DEVICES"] == "MIG-00000000-aaaa-bbbb-cccc-dddddddddddd"
        with lease("MIG-00000002", machine=sliced, timeout_s=0):
            pass
        # The same GPU in the eyes of a process that sees it as a whole.
        queue = Queue(open_folder())
        assert queue.attempt(["0000:07:00.0"], 1, {"0000:07:00.0": {}}) is None
        queue.leave()
        (row,) = [row for row in read_leases(load_machine("linux-nvidia-server")).devices if row.held]
        assert row.device == "gpu:0"


def test_waiting_is_logged_and_nothing_is_printed(start, folder, caplog, capfd):
    from devicekit.cluster.lease.lease import Progress, _log

    with caplog.at_level(logging.INFO, "devicekit"):
        _log(Progress(61.0, 2, ("gpu:0 is held by process 1 (x)",)))
        with lease("gpu:0", machine=SERVER):
            pass
    assert "waiting for a device for 61 s, 2 ahead; gpu:0 is held by process 1 (x)" in caplog.text
    assert capfd.readouterr() == ("", "")


def test_a_gpu_that_a_stranger_holds_is_waited_for_and_not_refused(folder):
    busy = load_machine("linux-nvidia-gpu-busy")
    blocked = [item.device for item in devicekit.diagnose(busy).candidates if item.blocked_by == ("device-busy",)]
    assert blocked
    with lease(blocked[0], machine=busy, timeout_s=0) as held:  # it does not ask devicekit: no one knows for how long
        assert held.devices == (blocked[0],)


@pytest.mark.only_on("posix", reason="Windows removes no file that is open")
def test_a_folder_that_is_removed_meanwhile_raises_nothing_at_the_end(folder, caplog):
    with caplog.at_level(logging.WARNING, "devicekit"), lease("gpu:0", machine=SERVER):
        shutil.rmtree(folder)
    assert "releasing devices" in caplog.text
    with lease("gpu:0", machine=SERVER, timeout_s=0):
        pass
