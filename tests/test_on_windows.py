"""What Windows does in its own way: consoles and their code pages, names of users, cmd, processes without streams.

Elsewhere there is nothing to look at; `nox -s windows-3.8 windows-3.11` runs these on Windows Pythons under Wine.
"""

import ctypes
import errno
import json
import os
import signal
import subprocess
import sys
import threading

import pytest
from checks import WINE, lacks_in_wine

from devicekit.children.call import run_child
from devicekit.children.foreground import run_listening
from devicekit.children.locks import try_lock
from devicekit.children.windows_job import end_job, processes_of_job, start_in_job, usage_of_job
from devicekit.cli.inputs import clipboard
from devicekit.diagnosis.commands import Place, Shell
from devicekit.diagnosis.shells import CMD
from devicekit.errors import DevicekitError
from devicekit.machine.live_host import LiveHost
from devicekit.machine.probe.directml import read_directml
from devicekit.machine.probe.native import find_libraries
from devicekit.machine.probe.nvml_question import NvmlQuestion
from devicekit.remedy.journal import FixFolder, Journal
from devicekit.remedy.layout import Layout
from devicekit.remedy.snapshot import keep, restore
from devicekit.runtime.cache import JsonCache
from devicekit.watch.command_watch import CommandWatch

pytestmark = pytest.mark.only_on("windows", reason="Windows only")


def test_a_lock_is_taken_whatever_number_an_earlier_call_has_left(tmp_path):
    """Wine's C library sets none."""
    path = tmp_path / "lock"
    path.write_text("x")
    with open(str(path), "r+") as first, open(str(path), "r+") as second:
        assert try_lock(first.fileno())
        ctypes.CDLL("ucrtbase")._set_errno(errno.ENOENT)
        assert not try_lock(second.fileno())


USER = "Łukasz Żółć 東京"


@pytest.fixture
def home(tmp_path):
    """The profile of a user whose name has characters of several code pages, and the environment of that user."""
    folder = tmp_path / USER
    for name in ("Temp", "Local", "Roaming"):
        (folder / name).mkdir(parents=True)
    environment = dict(
        os.environ,
        USERPROFILE=str(folder),
        USERNAME=USER,
        LOCALAPPDATA=str(folder / "Local"),
        APPDATA=str(folder / "Roaming"),
        TEMP=str(folder / "Temp"),
        TMP=str(folder / "Temp"),
    )
    return folder, environment


def devicekit(home, *arguments, **variables):
    folder, environment = home
    done = subprocess.run(
        [sys.executable, "-m", "devicekit", *arguments],
        cwd=str(folder), env=dict(environment, **variables), stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


@pytest.mark.parametrize("encoding", ["cp437", "cp932", "utf-8"])
def test_no_code_page_and_no_name_ends_the_command(home, encoding):
    status, out, err = devicekit(home, "doctor", "--verbose", PYTHONIOENCODING=encoding)
    assert (status, "Traceback" in err) == (1, False), err  # without a framework nothing works
    assert "framework-missing" in out.decode(encoding)


def test_the_name_of_the_user_is_not_printed(home):
    status, out, err = devicekit(home, "snapshot", DEVICEKIT_CACHE_DIR=str(home[0] / "cache"), KERAS_HOME=str(home[0]))
    assert status == 0, err
    data = json.loads(out.decode("utf-8"))
    assert data["native"]["system"] == "windows"
    text = json.dumps(data, ensure_ascii=False)
    assert USER not in text
    assert "Żółć" not in text


WITHOUT_STREAMS = """
import json, sys
answer = {"streams": [repr(sys.stdout), repr(sys.stderr)]}
try:
    import devicekit
    from devicekit.cli.main import main
    answer["device"] = devicekit.auto().device
    answer["doctor"] = main(["doctor"])
    answer["run"] = main(["run", "--gpus", "1", "--", "python"])
except BaseException as error:
    answer["error"] = repr(error)
with open("answer.json", "w") as stream:
    json.dump(answer, stream)
"""


def test_a_program_without_a_console_has_no_streams(home):
    """As the Explorer starts a ``.pyw`` file."""
    folder, environment = home
    (folder / "program.pyw").write_text(WITHOUT_STREAMS, encoding="utf-8")
    python = os.path.join(os.path.dirname(sys.executable), "pythonw.exe")
    process = subprocess.Popen([python, "program.pyw"], cwd=str(folder), env=environment, creationflags=0x8)
    assert process.wait(300) == 0
    answer = json.loads((folder / "answer.json").read_text())
    assert answer["streams"] == ["None", "None"]
    assert (answer.get("error"), answer["device"]) == (None, "cpu")
    assert (answer["doctor"], answer["run"]) == (2, 1)  # no stream for what doctor prints, and no GPU


NASTY = ["numpy<2", "a b", "x&y", "1|2", "^", "(z)", "tensorflow; python_version < '3.11'", "C:\\a b\\c", "Żółć"]


def test_cmd_takes_words_as_they_are_meant():
    code = "import json, sys; print(json.dumps(sys.argv[1:]))"
    line = CMD.run([sys.executable, "-c", code, *NASTY])
    done = subprocess.run(line, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=100)
    assert json.loads(done.stdout.decode()) == NASTY, line


def test_cmd_sets_variables_for_what_follows():
    code = "import json, os; print(json.dumps([os.environ.get(name) for name in ('DK_A', 'DK_B')]))"
    pairs = (("DK_A", "1 & 2"), ("DK_B", "$DK_C;a"))
    line = CMD.joint.join([CMD.set(pairs), CMD.run([sys.executable, "-c", code])])
    environment = dict(os.environ, DK_C="c")
    done = subprocess.run(line, shell=True, env=environment, stdout=subprocess.PIPE, timeout=100)
    assert json.loads(done.stdout.decode()) == ["1 & 2", "c;a"], line
    gone = CMD.joint.join([CMD.unset("DK_A"), CMD.run([sys.executable, "-c", code])])
    done = subprocess.run(gone, shell=True, env=dict(environment, DK_A="1"), stdout=subprocess.PIPE, timeout=100)
    assert json.loads(done.stdout.decode())[0] is None, gone


def test_the_step_that_ends_a_program_ends_one_without_a_window():
    forms = dict(Shell(Place("windows")).end_processes_fix("", [4711]).commands)
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        line = forms["cmd"].replace("4711", str(process.pid))
        done = subprocess.run(line, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=100)
        assert done.returncode == 0, done.stdout
        process.wait(100)
    finally:
        process.kill()


@pytest.mark.skipif(not WINE, reason="writes to the registry, for all users")
def test_adapters_are_read_from_the_registry():
    """As DXGI writes them, which Wine does not: below a key that every Windows has."""
    import winreg

    key = "SOFTWARE\\Microsoft\\DirectX"
    values = {"Description": "Radeon VII", "VendorId": 0x1002, "DeviceId": 0x66AF, "LastSeen": (1 << 63) - 1}
    kinds = {str: winreg.REG_SZ, int: winreg.REG_QWORD}
    with winreg.CreateKey(winreg.HKEY_LOCAL_MACHINE, key + "\\{devicekit-test}") as handle:
        for name, value in values.items():
            winreg.SetValueEx(handle, name, 0, kinds[type(value)], value)
    try:
        (adapter,) = read_directml(LiveHost()).adapters.content
    finally:
        winreg.DeleteKey(winreg.HKEY_LOCAL_MACHINE, key + "\\{devicekit-test}")
    assert (adapter.name, adapter.vendor_id, adapter.device_id) == ("Radeon VII", "1002", "66af")


def test_a_library_of_the_system_is_listed_once():
    found = find_libraries(LiveHost(), lambda name: name.lower() == "kernel32.dll")
    assert len(found.content) == 1


def test_where_the_clipboard_cannot_be_read_the_keys_are_those_of_windows(monkeypatch, tmp_path):
    monkeypatch.setenv("SYSTEMROOT", str(tmp_path))  # without PowerShell
    with pytest.raises(DevicekitError, match="end with Ctrl-Z and Enter"):
        clipboard()


def test_a_path_that_is_too_long_raises_nothing(tmp_path):
    folder = os.path.join(str(tmp_path), *["long-%s" % ("x" * 60)] * 6)
    cache = JsonCache("bench", 1, 1000.0)
    problem = cache.write(folder, "bench-x.json", "x", {"a": 1})
    assert (cache.read(folder, "bench-x.json", "x", dict) is None) == bool(problem)


def read_for_a_moment(path):
    """Have a file open, as another process does that reads it."""
    stream = open(path, "rb")  # noqa: SIM115 - closed by the timer
    threading.Timer(0.5, stream.close).start()


def test_the_journal_of_a_fix_is_replaced_and_removed_after_its_reader(tmp_path):
    path = str(tmp_path)
    journal = Journal("applying", "1", "2026-11-28T00:00:00Z", Layout(*[path] * 3, (path,), path, path))
    folder = FixFolder(str(tmp_path / "fix-1"))
    os.mkdir(folder.path)
    folder.write(journal)
    name = os.path.join(folder.path, "journal.json")
    read_for_a_moment(name)
    folder.write(journal.replace(state="applied"))
    assert folder.read().state == "applied"
    read_for_a_moment(name)
    folder.discard()
    assert not os.path.exists(folder.path)


def test_a_file_is_restored_after_its_reader(tmp_path):
    prefix, kept = str(tmp_path / "environment"), str(tmp_path / "kept")
    site = os.path.join(prefix, "Lib")
    os.makedirs(site)
    changed, added = os.path.join(site, "a.py"), os.path.join(site, "b.py")
    with open(changed, "w") as stream:
        stream.write("1")
    layout = Layout(*[prefix] * 3, (site,), site, site)
    manifest = keep(layout, kept)
    os.unlink(changed)
    for path in (changed, added):
        with open(path, "w") as stream:
            stream.write("22")
        read_for_a_moment(path)
    restore(layout, kept, manifest)
    assert os.listdir(site) == ["a.py"]
    with open(changed) as stream:
        assert stream.read() == "1"


#: Starts another process as its first action, and ends.
STARTS = """
import subprocess, sys
print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"]).pid, flush=True)
"""


def test_what_a_process_starts_at_once_is_in_its_job():
    process, job = start_in_job([sys.executable, "-c", STARTS], os.environ, stdout=subprocess.PIPE)
    with process:
        assert job
        assert int(process.stdout.readline())
        assert process.wait(100) == 0
        end_job(job)
        assert process.stdout.read() == b""  # which what it started has open as well


@lacks_in_wine("a process that is started without a terminal has no console, whose Ctrl-Break others could get")
def test_ctrl_break_ends_the_command_and_the_lease(tmp_path):
    from devicekit.cluster.lease.folder import open_folder
    from devicekit.cluster.lease.queue import Queue

    folder = str(tmp_path / "leases")
    code = "import time; print('on', flush=True); time.sleep(300)"
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "devicekit", "run", "--gpus", "1", "--machine", "linux-eight-gpus"),
            *("--", sys.executable, "-c", code),
        ],
        env=dict(os.environ, DEVICEKIT_LEASE_DIR=folder), stdout=subprocess.PIPE, cwd=str(tmp_path),
        creationflags=subprocess.CREATE_NEW_PROCESS_GROUP,
    )  # fmt: skip
    try:
        assert process.stdout.readline().strip() == b"on"
        assert len(Queue(open_folder(folder)).holdings()) == 1
        process.send_signal(signal.CTRL_BREAK_EVENT)
        assert process.wait(100) == 0xC000013A  # the command's status: STATUS_CONTROL_C_EXIT
        assert Queue(open_folder(folder)).holdings() == []
    finally:
        process.kill()
        process.communicate()


def test_a_child_of_a_program_without_a_console_answers(home):
    """Its interpreter is pythonw.exe."""
    python = os.path.join(os.path.dirname(sys.executable), "pythonw.exe")
    report = run_child("devicekit.machine.detect:look_at_every_file", {}, timeout_s=100, executable=python)
    # The gate tries again when Wine does not start it (internal error 1359), by the text of the error.
    assert report.outcome in ("done", "raised"), report


#: Computes for half a second, with a process of its own next to it that holds 150 MB, and both end.
WORKS = """
import subprocess, sys, time
held = "held = bytearray(b'x') * (150 << 20); import time; time.sleep(2)"
other = subprocess.Popen([sys.executable, "-c", held])
end = time.process_time() + 0.5
while time.process_time() < end: pass
sys.exit(other.wait())
"""


def watch(code):
    """Watch a program; return the record, and the numbers of the processes that its job had at each look."""
    numbers = []

    class Seen(CommandWatch):
        def look(self):
            numbers.append(set(processes_of_job(self._job)))
            return super().look()

    watcher = Seen(LiveHost(), {}, ("gpu:0",), NvmlQuestion(reason="no driver here"))
    assert run_listening([sys.executable, "-c", code], os.environ, lambda part: None, watcher=watcher) == 0
    return watcher, numbers


def test_what_a_command_starts_is_watched_with_it():
    watcher, numbers = watch(WORKS)
    record = watcher.record("x", 0)
    assert min(record.processes, max(map(len, numbers))) >= 2  # of Wine, the console is one
    assert record.seconds > 2
    # A GPU is used by the command if what it has started uses it: the interpreter behind that of a virtual environment.
    process, job = start_in_job([sys.executable, "-c", STARTS], os.environ, stdout=subprocess.PIPE)
    with process:
        started = int(process.stdout.readline())
        watcher._job = job
        (load,) = watcher._loads([{"index": 0, "pids": [started, 4]}])
        assert (load["own"], load["others"]) == (1, 1)
        end_job(job)


def test_the_usage_of_a_job_is_that_of_all_its_processes():
    """Where the system counts: Wine lists a job's processes, and not what they use."""
    record = watch(WORKS)[0].record("x", 0)
    if WINE:
        assert (record.cpu_s, record.memory_peak_bytes) == (None, None)  # unknown, and not nothing
    else:
        assert 0.5 <= record.cpu_s < 60
        assert 150 << 20 <= record.memory_peak_bytes < 2 << 30
    assert usage_of_job(0) == (None, None)


#: What `devicekit run` is without a standard output, as a program without a window; the command prints twice, with a pause.
WITHOUT_OUTPUT = """
import os, sys
os.close(1)
sys.stdout = None
from devicekit.cli.main import main
code = "import sys, time; print(1, flush=True); time.sleep(1); print(2, flush=True); sys.exit(%d)"
sys.exit(main(["run", "--", sys.executable, "-c", code]))
"""


@pytest.mark.parametrize("status", [0, 5])
def test_a_command_may_print_where_there_is_no_standard_output(tmp_path, status):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_OUTPUT % status], cwd=str(tmp_path), stderr=subprocess.PIPE, timeout=100
    )
    assert (done.returncode, done.stderr) == (status, b"")


#: The same with a standard output on a disk that is full.
ON_FULL_DISK = """
import errno, io, sys
class Full(io.RawIOBase):
    def writable(self): return True
    def write(self, data): raise OSError(errno.ENOSPC, "No space left on device")
sys.stdout = io.TextIOWrapper(Full(), write_through=True)
from devicekit.cli.main import main
sys.exit(main(["run", "--", sys.executable, "-c", "import sys; print('short'); sys.exit(%d)"]))
"""


@pytest.mark.parametrize(
    "status, expected",
    [(0, (2, "devicekit: what the command has printed could not be written: No space left on device")), (5, (5, ""))],
)
def test_a_short_output_that_is_lost_is_said(tmp_path, status, expected):
    done = subprocess.run(
        [sys.executable, "-c", ON_FULL_DISK % status], cwd=str(tmp_path), stderr=subprocess.PIPE, timeout=100
    )
    assert (done.returncode, done.stderr.decode().strip()) == expected


#: Prints through Python, as a logger does that holds its stream, and as native code does, and writes what the console shows.
PRINTS = """
import ctypes, json, sys
from devicekit.children.stderr_filter import StderrFilter
library, kernel = ctypes.CDLL("ucrtbase"), ctypes.WinDLL("kernel32")
library.__acrt_iob_func.restype = kernel.CreateFileW.restype = ctypes.c_void_p
def say(text): library.fputs(text, ctypes.c_void_p(library.__acrt_iob_func(2)))
stream = sys.stderr
with StderrFilter([["harm", "harmless"]]) as filtered:
    say(b"harmless\\n")
    print("\u0141", file=stream, flush=True)
    say(b"unknown\\n")
print("after", file=stream, flush=True)
say(b"at the end\\n")
library.fflush(None)
lines = []
for row in range(8):
    text, count = ctypes.create_unicode_buffer(81), ctypes.c_uint32()
    console = ctypes.c_void_p(kernel.CreateFileW("CONOUT$", 0xC0000000, 3, None, 3, 0, None))
    kernel.ReadConsoleOutputCharacterW(console, text, 80, row << 16, ctypes.byref(count))
    lines.append(text.value.rstrip())
with open("answer.json", "w") as file:
    json.dump([stream is sys.stderr is sys.__stderr__, stream.isatty(), filtered.held, [line for line in lines if line]], file)
"""


def test_lines_are_held_back_on_a_console(tmp_path):
    """Python gives its own texts to the console itself, past the descriptor."""
    process = subprocess.Popen(
        [sys.executable, "-c", PRINTS], cwd=str(tmp_path), creationflags=subprocess.CREATE_NEW_CONSOLE
    )
    assert process.wait(100) == 0
    same, terminal, held, lines = json.loads((tmp_path / "answer.json").read_text())
    assert (same, terminal, held) == (True, True, ["harmless"])
    assert (sorted(lines[:2]), lines[2:]) == (["unknown", "\u0141"], ["after", "at the end"])
