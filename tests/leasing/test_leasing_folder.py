"""Where the locks lie, what is refused there, and what files of others cannot do."""

import itertools
import json
import os
import signal
import stat
import subprocess
import sys
import time

import pytest
from recorded_machines import load_machine

from devicekit import LeaseError, LeaseTimeoutError, lease
from devicekit.cluster.lease import folder as places
from devicekit.cluster.lease.folder import (
    default_path,
    file_system,
    is_remote,
    open_folder,
    parse_mount_command,
    parse_mountinfo,
)
from devicekit.cluster.lease.holder_records import command_name, described, printable, read_record, span, write_record
from devicekit.cluster.lease.locks import is_held, open_shared, take
from devicekit.cluster.lease.queue import Queue, actual_holder, own_record

posix = pytest.mark.only_on("posix", reason="permissions and links of POSIX")


def test_the_default_does_not_depend_on_who_asks(monkeypatch):
    first = default_path()
    monkeypatch.setenv("TMPDIR", "/home/other/tmp")
    monkeypatch.setenv("HOME", "/home/other")
    assert default_path() == first
    assert os.path.isabs(first)
    assert "devicekit" in first


@posix
def test_the_folder_is_open_to_all_whatever_the_umask(tmp_path):
    before = os.umask(0o077)
    try:
        made = open_folder(str(tmp_path / "leases"))
        lock = take(made, "a.lock")
        write_record(made.join("a.json"), {"pid": 1}, made.file_mode)
        lock.release()
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(made.path).st_mode) == 0o1777
    assert {stat.S_IMODE(os.stat(made.join(name)).st_mode) for name in made.names()} == {0o666}


@posix
@pytest.mark.parametrize("mode, files", [(0o700, 0o600), (0o2770, 0o660), (0o1777, 0o666)])
def test_a_folder_of_one_s_own_keeps_its_permissions(tmp_path, mode, files):
    (tmp_path / "own").mkdir()
    os.chmod(str(tmp_path / "own"), mode)
    made = open_folder(str(tmp_path / "own"))
    take(made, "a.lock").release()
    assert stat.S_IMODE(os.stat(made.path).st_mode) == mode
    assert stat.S_IMODE(os.stat(made.join("a.lock")).st_mode) == files


def test_the_variable_names_another_one(tmp_path, monkeypatch):
    monkeypatch.setenv("DEVICEKIT_LEASE_DIR", str(tmp_path / "elsewhere"))
    assert open_folder().path == os.path.join(os.path.realpath(str(tmp_path)), "elsewhere")


def test_what_is_no_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LeaseError, match="is not a folder .*DEVICEKIT_LEASE_DIR"):
        open_folder(str(tmp_path / "file"))
    with pytest.raises(LeaseError, match="cannot create .*DEVICEKIT_LEASE_DIR"):
        open_folder(str(tmp_path / "missing" / "folder"))
    with pytest.raises(LeaseError, match="cannot create|is not a folder"):
        open_folder(str(tmp_path / "file" / "folder"))


@posix
def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "real").mkdir()
    os.symlink(str(tmp_path / "real"), str(tmp_path / "link"))
    with pytest.raises(LeaseError, match="links are not followed"):
        open_folder(str(tmp_path / "link"))
    made = open_folder(str(tmp_path / "leases"))
    precious = tmp_path / "precious"
    precious.write_text("mine")
    os.symlink(str(precious), made.join("turn.lock"))
    with pytest.raises(LeaseError, match="it is a link"):
        Queue(made).holdings()
    os.unlink(made.join("turn.lock"))
    os.link(str(precious), made.join("device.a.json"))  # and neither is another name
    with pytest.raises(LeaseError, match="is not a file of devicekit"):
        write_record(made.join("device.a.json"), {}, 0o666)
    os.mkfifo(made.join("device.b.lock"))
    with pytest.raises(LeaseError, match="is not a file of devicekit"):
        open_shared(made.join("device.b.lock"), 0o666)
    assert read_record(made.join("device.b.lock")) == {}
    assert precious.read_text() == "mine"


MOUNTS = r"""22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/root rw
25 22 0:22 / /run/lock rw,nosuid shared:5 - tmpfs tmpfs rw,size=5120k
90 22 0:50 / /home rw,relatime shared:60 - nfs4 server:/home rw,vers=4.2
91 90 0:51 / /home/me/scratch rw - tmpfs tmpfs rw
92 22 0:52 / /mnt/with\040space rw shared:7 master:1 - fuse.sshfs me@host: rw
93 22 0:53 / /lustre rw - lustre mds@tcp:/fs rw,flock
94 22 0:54 / /data rw - ext4 /dev/sdb rw
95 94 0:55 / /data rw - cifs //server/share rw
"""


@pytest.mark.parametrize(
    "path, kind, remote",
    [
        ("/run/lock/devicekit", "tmpfs", False), ("/tmp", "ext4", False), ("/home/me", "nfs4", True), ("/home", "nfs4", True),
        ("/home/me/scratch/x", "tmpfs", False), ("/homes", "ext4", False), ("/mnt/with space/x", "fuse.sshfs", True),
        ("/lustre/a", "lustre", True), ("/data/a", "cifs", True),
    ],
)  # fmt: skip
def test_on_what_a_folder_lies(path, kind, remote):
    assert file_system(path, parse_mountinfo(MOUNTS)) == kind
    assert is_remote(kind) == remote


@pytest.mark.parametrize(
    "kind, remote",
    [
        ("9p", True), ("fuse.glusterfs", True), ("fuse", True), ("ceph", True), ("smb3", True), ("nfs", True),
        ("fuseblk", False), ("overlay", False), ("btrfs", False), ("xfs", False), ("zfs", False), ("apfs", False), ("", False),
    ],
)  # fmt: skip
def test_kinds_of_file_systems(kind, remote):
    assert is_remote(kind) == remote


def test_mounts_of_a_mac():
    text = (
        "/dev/disk3s1s1 on / (apfs, sealed, local)\nmap auto_home on /System/Volumes/Data/home (autofs, automounted)\n"
    )
    mounts = parse_mount_command(text + "server:/x on /Volumes/my disk (nfs, nodev, nosuid)\n")
    assert file_system("/Volumes/my disk/a", mounts) == "nfs"
    assert file_system("/private/tmp", mounts) == "apfs"


def test_a_folder_that_machines_share_is_refused(tmp_path):
    mounts = [("/", "ext4"), (os.path.realpath(str(tmp_path)), "nfs4")]
    with pytest.raises(LeaseError) as raised:
        open_folder(str(tmp_path / "leases"), mounts)
    assert "machines share (nfs4): locks there are not reliable" in str(raised.value)
    assert "DEVICEKIT_LEASE_DIR" in str(raised.value)
    assert not (tmp_path / "leases").exists()
    assert open_folder(str(tmp_path / "leases"), [("/", "ext4")]).path.endswith("leases")
    if os.name == "nt":
        with pytest.raises(LeaseError, match="a network drive"):
            open_folder(r"\\server\share\leases")


def test_a_lease_in_such_a_folder_is_refused_and_not_pretended(tmp_path, monkeypatch):
    from recorded_machines import load_machine

    monkeypatch.setenv("DEVICEKIT_LEASE_DIR", str(tmp_path / "missing" / "leases"))
    with pytest.raises(LeaseError, match="cannot create"):
        lease(machine=load_machine("linux-nvidia-server"))
    assert places.open_folder is open_folder


def test_locks(tmp_path):
    made = open_folder(str(tmp_path / "leases"))
    assert not is_held(made.join("a.lock"))
    lock = take(made, "a.lock")
    assert is_held(made.join("a.lock"))
    assert take(made, "a.lock") is None
    lock.release()
    assert not is_held(made.join("a.lock"))
    # A file that was removed and created again is another lock: it is not held.
    if os.name != "nt":
        lock = take(made, "a.lock")
        os.unlink(made.join("a.lock"))
        again = take(made, "a.lock")
        assert again is not None
        again.release()
        lock.release()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "7",
        '"x"',
        '{"number": "x"}',
        '{"number": 1, "keys": "a", "wanted": 1}',
        "\x00" * 100,
        "9" * 9000,
        "[" * 60000,
        '{"since": -Infinity, "pid": NaN}',
        '{"since": %s, "pid": %s, "number": 1}' % ("9" * 4000, "9" * 4000),
        '{"number": %s, "keys": ["a"], "wanted": 1}' % ("9" * 4000),
        '{"number": %d, "keys": ["a"], "wanted": 1}' % ((1 << 60) - 1),
        '{"number": 1, "keys": [{}], "wanted": true}',
        '{"pid": true, "since": true, "command": ["x"]}',
    ],
    ids=lambda text: text[:20],  # Windows has room for 32,767 characters in the variable that pytest sets
)
def test_what_others_have_written_is_not_trusted(tmp_path, text):
    made = open_folder(str(tmp_path / "leases"))
    queue = Queue(made)
    taken = queue.attempt(["a"], 1, {"a": {"pid": 7}})
    other = Queue(made)
    assert other.attempt(["a"], 1, {"a": {}}) is None
    for name in ("device.a.json", "place.0000.json"):
        with open(made.join(name), "w", encoding="utf-8") as stream:
            stream.write(text)
    third = Queue(made)
    assert [item.key for item in third.holdings()] == ["a"]
    assert described(third.holders()[0].record, 0.0, "PATH")
    assert third.attempt(["a", "b"], 1, {"a": {}, "b": {}}) is not None
    # Two that come after it keep their places, and wait in their order.
    later = [Queue(made), Queue(made)]
    assert [item.attempt(["a"], 1, {"a": {}}) for item in later] == [None, None]
    assert later[1].number in [item.wish.number for item in later[0].waiters()]
    for item in [other, *later]:
        item.leave()
    queue.give_back(taken)
    assert other.attempt(["a"], 1, {"a": {}}) is not None


@posix
@pytest.mark.parametrize("name", ["device.a.lock", "device.a.json", "place.0000.lock", "place.0000.json"])
@pytest.mark.parametrize("kind", ["folder", "link", "pipe", "names"])
def test_one_bad_file_stops_nobody(tmp_path, name, kind):
    """Not even those who want that device, if only its record is bad."""
    made = open_folder(str(tmp_path / "leases"))
    path = made.join(name)
    if kind == "folder":
        os.mkdir(path)
    elif kind == "link":
        os.symlink("/dev/null", path)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        open(path, "w").close()
        os.link(path, str(tmp_path / "another name"))
    first, second = Queue(made), Queue(made)
    device = "b" if name == "device.a.lock" else "a"
    taken = first.attempt(["a", "b"], 1, {"a": {"pid": 1}, "b": {"pid": 1}})
    assert [key for key, _ in taken] == [device]
    assert second.attempt([device], 1, {device: {}}) is None
    assert [item.wish.keys for item in first.waiters()] == [(device,)]
    assert device in [item.key for item in first.holders()]
    first.give_back(taken)
    assert second.attempt([device], 1, {device: {}}) is not None


@pytest.fixture
def in_its_turn(tmp_path):
    """Return a folder and a process that is stopped in its turn."""
    made = open_folder(str(tmp_path / "leases"))
    code = (
        "import os, signal, sys\nfrom devicekit.cluster.lease.folder import open_folder\n"
        "from devicekit.cluster.lease.queue import Queue\n"
        "queue = Queue(open_folder(sys.argv[1]))\nstate = queue._leave\n"
        "def stop():\n    os.kill(os.getpid(), signal.SIGSTOP)\n    state()\n"
        "queue._leave = stop\ntaken = queue.attempt(['a', 'b'], 1, {'a': {}, 'b': {}})\n"
        "print(taken[0][0], flush=True)\n"
        "sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, made.path]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    os.waitpid(process.pid, os.WUNTRACED)
    yield made, process
    process.kill()
    process.communicate()


@posix
def test_a_process_that_is_stopped_in_its_turn(in_its_turn):
    made, process = in_its_turn
    # It makes no one wait longer than he wants, and the message says why.
    queue, began = Queue(made), time.monotonic()
    assert queue.wait(["b"], 1, {"b": {}}, 0.1) is None
    assert time.monotonic() - began < 10.0
    assert queue.stopped_turn == made.join("turn.lock")
    assert [item.key for item in queue.holdings()] == ["a"]
    assert queue.waiters() == []
    # It is passed over, by everyone at once, and has lost nothing of what it has.
    patient = Queue(made, stopped_s=1.5)
    told = []
    taken = patient.wait(["b"], 1, {"b": {}}, None, told.append)
    assert [key for key, _ in taken] == ["b"]
    assert Queue(made).attempt(["a"], 1, {"a": {}}, time.monotonic()) is None
    assert sorted(os.listdir(made.path)).count("turn.1.lock") == 1
    process.send_signal(signal.SIGCONT)
    assert process.stdout.readline() == b"a\n"
    assert sorted(item.key for item in Queue(made).holdings()) == ["a", "b"]
    assert not [name for name in os.listdir(made.path) if name.startswith("turn.2")]


@posix
def test_a_lease_with_a_limit_ends_while_a_process_is_stopped_in_its_turn(in_its_turn, monkeypatch):
    monkeypatch.setenv("DEVICEKIT_LEASE_DIR", in_its_turn[0].path)
    machine, began = load_machine("linux-nvidia-server"), time.monotonic()
    with pytest.raises(LeaseTimeoutError, match="turn.lock is stopped"):
        lease("gpu", machine=machine, timeout_s=1).__enter__()
    assert time.monotonic() - began < 10.0


@posix
def test_a_process_number_that_is_used_again_is_not_named(tmp_path):
    """The process that took it has ended, and its number is another one's: what it left behind has the device."""
    made = open_folder(str(tmp_path / "leases"))
    lock = take(made, "device.a.lock")
    path = made.join("device.a.lock")
    record = dict(own_record("x"), command="train.py")
    assert actual_holder(record, path)["pid"] == os.getpid()
    if not sys.platform.startswith("linux"):
        return
    child = subprocess.Popen(["sleep", "300"], pass_fds=[lock.descriptor])
    try:
        gone = subprocess.Popen(["true"])
        gone.wait()
        for bad in ({"pid": gone.pid}, {"pid": 1, "started": 1}, {"started": record["started"] - 1}):
            found = actual_holder(dict(record, **bad), path)
            assert (found["pid"], found["command"]) == (child.pid, "sleep")
        # A number of another container says nothing here.
        elsewhere = dict(record, pid=gone.pid, pid_namespace="pid:[1]")
        assert actual_holder(elsewhere, path) == elsewhere
    finally:
        child.kill()
        child.wait()
    found = actual_holder(dict(record, pid=gone.pid), path)
    assert described(found, 0.0) == "a process that process %d (train.py) started" % gone.pid


@posix
@pytest.mark.parametrize("system", [sys.platform, "darwin"])
def test_a_holder_that_has_ended_is_known_without_proc_too(tmp_path, monkeypatch, system):
    lock = take(open_folder(str(tmp_path / "leases")), "device.a.lock")
    path = str(tmp_path / "leases" / "device.a.lock")
    record = dict(own_record("x"), command="train.py")
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    monkeypatch.setattr(sys, "platform", system)
    assert actual_holder(record, path) == record
    found = actual_holder(dict(record, pid=gone.pid), path)
    assert described(found, 0.0) == "a process that process %d (train.py) started" % gone.pid
    lock.release()


@pytest.mark.parametrize("jump_s", [-86400.0, 86400.0])
def test_a_clock_that_is_set_changes_no_order(tmp_path, monkeypatch, jump_s):
    made, now = open_folder(str(tmp_path / "leases")), time.time
    holder, first, second = Queue(made), Queue(made), Queue(made)
    with monkeypatch.context() as patched:
        patched.setattr(time, "time", lambda: now() - jump_s)
        taken = holder.attempt(["a"], 1, {"a": {"pid": 7}})
        assert [item.attempt(["a"], 1, {"a": {}}) for item in (first, second)] == [None, None]
    for name in made.names():
        os.utime(made.join(name), (now() - jump_s, now() - jump_s))
    # Who waits is not seen until it looks again, and has its place then.
    assert holder.waiters() == []
    assert [item.attempt(["a"], 1, {"a": {}}) for item in (second, first)] == [None, None]
    assert [item.wish.number for item in holder.waiters()] == [first.number, second.number]
    shown = described(holder.holders()[0].record, now())
    assert shown.endswith(" for 1 d" if jump_s > 0 else " for 0 s"), shown
    holder.give_back(taken)
    assert second.attempt(["a"], 1, {"a": {}}) is None
    assert first.attempt(["a"], 1, {"a": {}}) is not None


def test_no_wait_depends_on_the_clock(tmp_path, monkeypatch):
    made, jumps = open_folder(str(tmp_path / "leases")), itertools.cycle([0.0, 1e6, -1e6])
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + next(jumps))
    holder, waiting = Queue(made), Queue(made)
    taken = holder.attempt(["a"], 1, {"a": {}})
    began = time.monotonic()
    assert waiting.wait(["a"], 1, {"a": {}}, 0.3) is None
    assert 0.25 <= time.monotonic() - began < 10.0
    holder.give_back(taken)
    assert waiting.wait(["a"], 1, {"a": {}}, 60.0) is not None


def test_what_is_shown_of_others_is_printable():
    record = {"pid": 4242, "command": "evil\x1b[31m\nname\u202e", "since": 1000.0}
    assert described(record, 1180.0) == "process 4242 (evil?[31m?name?) for 3 min"
    assert described({"pid": "x"}, 0.0) == "a process that has not said which"
    assert described({}, 0.0) == "a process that has not said which"
    assert len(printable("x" * 1000)) == 80
    assert [span(value) for value in (-5, 0.9, 61, 7300, 3e5)] == ["0 s", "0 s", "1 min", "2 h", "3 d"]


def test_records_name_the_program_without_its_arguments(monkeypatch):
    for arguments, name in (
        (["/home/maria/train.py", "--password", "x"], "train.py"),
        (["/x/site-packages/ray/__main__.py"], "ray"),
    ):
        monkeypatch.setattr("sys.argv", arguments)
        assert command_name() == name
    monkeypatch.setattr("sys.argv", ["-c"])
    assert command_name().startswith("py")


def test_a_long_key_is_still_one_device(tmp_path):
    made = open_folder(str(tmp_path / "leases"))
    key = "directx/ö " + "x" * 400
    queue = Queue(made)
    taken = queue.attempt([key], 1, {key: {"pid": 1}})
    assert [item.key for item in queue.holdings()] == [key]
    assert all(len(name) < 200 for name in made.names())
    assert json.dumps(sorted(made.names()))
    queue.give_back(taken)


@pytest.mark.parametrize("by", ["link", "folder"])
@posix
def test_nothing_is_taken_in_a_folder_that_was_replaced(tmp_path, by):
    made = open_folder(str(tmp_path / "leases"))
    held = take(made, "a.lock")
    os.rename(made.path, str(tmp_path / "moved"))
    (tmp_path / "other").mkdir()
    if by == "link":
        os.symlink(str(tmp_path / "other"), made.path)
    else:
        os.mkdir(made.path)
    with pytest.raises(LeaseError, match="was replaced"):
        take(made, "a.lock")
    held.release()
