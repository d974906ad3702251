"""Fifty processes on four devices; holders and waiting processes that are killed; several users."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import pytest
from leasing_tools import HERE, answer_of, until

from devicekit.cluster.lease.folder import open_folder
from devicekit.cluster.lease.queue import Queue

pytestmark = pytest.mark.only_on("posix", reason="it forks")


def run(script, *arguments):
    command = [sys.executable, "-W", "error", os.path.join(HERE, script), *map(str, arguments)]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    crowd = subprocess.Popen(command, start_new_session=True, **pipes)
    try:
        output, errors = crowd.communicate(timeout=300)
    finally:
        if crowd.poll() is None:  # else it would compete with the tests after this one
            os.killpg(crowd.pid, signal.SIGKILL)
            crowd.wait()
    assert crowd.returncode == 0, errors.decode()[-3000:]
    return json.loads(output.decode().splitlines()[-1]), errors.decode()


def test_fifty_processes_on_four_devices(tmp_path):
    witness = tmp_path / "witness"
    witness.mkdir()
    result, errors = run("crowd.py", tmp_path / "leases", witness, 50, 2, 4)
    assert result == {"failed": 0}, errors[-3000:]  # no one found the file of another holder
    rows = [json.loads(line) for line in (witness / "log").read_text().splitlines()]
    assert {row[3] for row in rows} == set(range(50))  # no one starved
    assert len(rows) == 50 * 2 + 20  # a fifth of them took two devices
    for key in {row[0] for row in rows}:
        spans = sorted((row[1], row[2]) for row in rows if row[0] == key)
        assert all(before[1] <= after[0] for before, after in zip(spans, spans[1:]))
    # In the order of their places: who is served while another one waits who came earlier? Mostly no one. On a busy machine
    # many overtake a process that does not run for a while, for which a device is kept; in a random order it would be ten
    # on average. Places are counted from 1 again once no one waits.
    queued = [row[4:] for row in rows if row[4]]
    assert len(queued) > 20
    overtaken = [
        sum(other > place and since < at < served for other, _, at in queued) for place, since, served in queued
    ]
    assert sum(overtaken) <= 3 * len(queued), overtaken
    assert [path for path in os.listdir(str(witness)) if path != "log"] == []
    queue = Queue(open_folder(str(tmp_path / "leases")))
    assert (queue.holdings(), queue.waiters()) == ([], [])


def test_all_of_them_killed_at_once_leave_everything_free(tmp_path):
    witness = tmp_path / "witness"
    witness.mkdir()
    path = str(tmp_path / "leases")
    command = [sys.executable, os.path.join(HERE, "crowd.py"), path, str(witness), "50", "1000", "4"]
    crowd = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        queue = Queue(open_folder(path))
        until(lambda: len(queue.waiters()) > 20 and queue.holdings() != [])
    finally:
        os.killpg(crowd.pid, signal.SIGKILL)
        crowd.wait()
    # The children die at their next instruction; no one has to clean up after them.
    until(lambda: not queue.waiters() and not queue.holdings(), 20.0)
    keys = ["gpu-%d" % number for number in range(4)]
    assert queue.attempt(keys, 4, {key: {} for key in keys}) is not None
    assert len([name for name in os.listdir(path) if name.endswith(".lock")]) <= 1 + 4 + 50  # no more than there were


def test_nothing_is_left_of_holders_and_waiting_processes_that_are_killed(start, folder):
    holders = [start("gpu:%d" % number) for number in range(2)]
    assert [answer_of(process)["devices"] for process in holders] == [["gpu:0"], ["gpu:1"]]
    waiting = [start("gpu:0,1", 2), start("gpu:0")]
    queue = Queue(open_folder(folder))
    until(lambda: len(queue.waiters()) == 2)
    for process in [*waiting[:1], *holders]:
        process.send_signal(signal.SIGKILL)
        process.wait()
    # The second one is served although the first one never left the queue.
    assert answer_of(waiting[1])["devices"] == ["gpu:0"]
    waiting[1].send_signal(signal.SIGKILL)
    waiting[1].wait()
    assert (queue.holdings(), queue.waiters()) == ([], [])
    last = start("gpu:0,1", 2, timeout=0)
    assert answer_of(last)["devices"] == ["gpu:0", "gpu:1"]
    last.stdin.close()
    assert last.wait() == 0


def test_a_stopped_process_in_the_queue_does_not_stop_the_others(start, folder):
    holder = start("gpu:0")
    assert answer_of(holder)["devices"] == ["gpu:0"]
    stopped, behind = start("gpu:0"), None
    queue = Queue(open_folder(folder))
    until(lambda: len(queue.waiters()) == 1)
    stopped.send_signal(signal.SIGSTOP)
    behind = start("gpu:0")
    until(lambda: len(queue.waiters()) == 2)
    # As if a minute had passed since it looked last.
    (place,) = [name for name in os.listdir(folder) if name.startswith("place.0000.json")]
    os.utime(os.path.join(folder, place), (1, 1))
    holder.kill()
    assert answer_of(behind)["devices"] == ["gpu:0"]
    stopped.send_signal(signal.SIGCONT)
    behind.kill()
    assert answer_of(stopped)["devices"] == ["gpu:0"]  # it goes on, and has lost nothing


def test_a_process_that_is_stopped_in_its_turn_is_passed_over_after_a_minute(start, folder):
    """For real: the time, the programs, the message."""
    open_folder(folder)
    code = (
        "import os, signal, sys\nfrom devicekit.cluster.lease.folder import open_folder\n"
        "from devicekit.cluster.lease.locks import take\n"
        "turn = take(open_folder(sys.argv[1]), 'turn.lock')\nos.kill(os.getpid(), signal.SIGSTOP)"
    )
    stopped = subprocess.Popen([sys.executable, "-c", code, folder])
    try:
        os.waitpid(stopped.pid, os.WUNTRACED)
        patient = [start("gpu:0", timeout=200), start("gpu:0", timeout=200)]
        answer = answer_of(start("gpu:0", timeout=1))
        assert answer["error"] == "LeaseTimeoutError"
        assert "the process that holds %s is stopped" % os.path.join(folder, "turn.lock") in answer["message"]
        queue = Queue(open_folder(folder))
        until(lambda: queue.holdings() and queue.waiters(), 120)
        holder, other = sorted(patient, key=lambda item: item.pid != queue.holdings()[0].record["pid"])
        assert answer_of(holder)["devices"] == ["gpu:0"]
        holder.kill()
        assert answer_of(other)["devices"] == ["gpu:0"]
    finally:
        stopped.kill()
        stopped.wait()


def test_two_hundred_processes_on_two_devices(tmp_path):
    witness = tmp_path / "witness"
    witness.mkdir()
    out, err = run("crowd.py", tmp_path / "leases", witness, 200, 1, 2)
    assert out == {"failed": 0}, err[-2000:]
    lines = [json.loads(line) for line in (witness / "log").read_text().splitlines()]
    assert len({number for _, _, _, number, *_ in lines}) == 200
    for device in ("gpu-0", "gpu-1"):
        spans = sorted(line[1:3] for line in lines if line[0] == device)
        assert all(before[1] <= after[0] for before, after in zip(spans, spans[1:]))
    assert Queue(open_folder(str(tmp_path / "leases"))).holdings() == []


OTHER_USER = 65534


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user")
def test_users_share_the_devices():
    home = tempfile.mkdtemp()  # pytest's own folder is closed to others
    os.chmod(home, 0o755)
    try:
        result, errors = run("users.py", os.path.join(home, "leases"), OTHER_USER)
    finally:
        shutil.rmtree(home)
    assert result == {
        "mode": "1777",
        "files": ["666"],
        "made by another user and held": True,
        "free after him": True,
        "taken by root": True,
        "then by him": True,
        "closed to him": True,
    }, errors
