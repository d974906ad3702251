"""`devicekit run` without a lease: output that passes unchanged, the command's own end, and the explanation below it."""

import os
import signal
import subprocess
import sys

import pytest

from devicekit.children.foreground import run_listening
from devicekit.machine.live_host import LiveHost
from devicekit.machine.probe import read_machine
from devicekit.machine.probe.cgroup import read_oom_kills
from devicekit.machine.simulated import SimulatedHost
from devicekit.watch.failed_command import Heard, KernelWatch, explain_failure

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENVIRON = dict(os.environ, PYTHONPATH=ROOT)
RUN = [sys.executable, "-m", "devicekit", "run"]
NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device"

posix = pytest.mark.only_on("posix", reason="signals, shells and terminals of POSIX")


def ran(*words, options=(), **streams):
    streams = dict({"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}, **streams)
    process = subprocess.Popen([*RUN, *options, "--", *words], env=ENVIRON, **streams)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def python(code):
    return [sys.executable, "-c", code]


def test_bytes_and_status_are_the_commands_own():
    code = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 999); sys.stderr.buffer.write(b'\\0\\xff'); sys.exit(%d)"
    for status in (0, 3):
        assert ran(*python(code % status)) == (status, bytes(range(256)) * 999, b"\0\xff")


@pytest.mark.only_on("posix", reason="on Windows each stream is passed on by itself")
def test_one_pipe_for_both_streams_keeps_their_order():
    code = "import os\nfor number in range(500): os.write(1 + number % 2, b'%d\\n' % number)"
    status, out, _ = ran(*python(code), stderr=subprocess.STDOUT)
    assert (status, out.split()) == (0, [b"%d" % number for number in range(500)])


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_failure_that_is_known_is_explained_below_the_output(stream):
    status, out, err = ran(*python("import sys; print(%r, file=sys.%s); sys.exit(9)" % (NO_KERNEL, stream)))
    shown = (out if stream == "stdout" else err).decode().splitlines()
    assert (status, shown[0]) == (9, NO_KERNEL)
    text = err.decode().replace(os.linesep, "\n")
    assert "devicekit: python" in text
    assert " ended with status 9\n" in text
    assert "compute-capability-unsupported" in text
    assert len(out.splitlines()) == (1 if stream == "stdout" else 0)


@pytest.mark.parametrize(
    "code",
    [
        "print(%r)" % NO_KERNEL,  # it was printed, and did not end the program
        "raise SystemExit(1)",
        "{}['key']",
        "raise ValueError('a fault of the program itself')",
        "import sys; sys.exit('no match')",
    ],
)
def test_nothing_is_said_where_nothing_failed_or_the_program_says_it_itself(code):
    _, out, err = ran(*python(code))
    assert b"devicekit" not in out + err


def test_quiet_explains_nothing():
    assert ran(*python("raise SystemExit(%r)" % NO_KERNEL), options=["-q"])[::2] == (
        1,
        (NO_KERNEL + os.linesep).encode(),
    )


def test_json_is_one_line():
    import json

    status, _, err = ran(*python("raise SystemExit(%r)" % NO_KERNEL), options=["--json"])
    assert status == 1
    first, second = err.decode().splitlines()
    assert first == NO_KERNEL
    assert json.loads(second)["findings"][0]["code"] == "compute-capability-unsupported"


@posix
def test_a_signal_that_ends_the_command_ends_this_process(signals):
    for name, code in (("SIGILL", "cpu-instructions-missing"), ("SIGTERM", ""), ("SIGINT", "")):
        number = int(getattr(signal, name))
        status, _, err = ran("/bin/sh", "-c", "kill -%d $$" % number)
        assert status == -number
        assert (code in err.decode()) if code else err == b""


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGUSR1"])
def test_signals_are_passed_on_once(signals, name):
    number = getattr(signal, name)
    code = (
        "import signal, sys, time\nseen = []\nsignal.signal(%d, lambda *now: seen.append(1))\nprint('on', flush=True)\n"
        "end = time.monotonic() + 60\nwhile not seen and time.monotonic() < end: time.sleep(0.01)\n"
        "time.sleep(0.3); print(len(seen)); sys.exit(4)" % number
    )
    process = subprocess.Popen(
        [*RUN, "--", *python(code)], env=ENVIRON, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout.readline() == b"on\n"
    process.send_signal(number)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (4, b"1\n", b"")


@posix
def test_a_reader_that_has_seen_enough_ends_the_command():
    process = subprocess.Popen([*RUN, "--", "yes"], env=ENVIRON, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.read(4) == b"y\ny\n"
    process.stdout.close()
    assert process.wait(60) == -signal.SIGPIPE
    assert process.stderr.read() == b""
    process.stderr.close()


@posix
def test_what_is_left_in_the_background_goes_on_printing(tmp_path):
    go = str(tmp_path / "go")
    shell = '(while [ ! -e "$0" ]; do sleep 0.1; done; echo late) & echo soon'
    process = subprocess.Popen([*RUN, "--", "/bin/sh", "-c", shell, go], env=ENVIRON, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"soon\n"
    assert process.wait(60) == 0
    open(go, "w").close()
    assert process.stdout.read() == b"late\n"
    process.stdout.close()


@pytest.mark.only_on("linux", reason="elsewhere the terminal goes with its first process")
def test_what_is_left_goes_on_printing_on_a_terminal_whose_first_process_has_ended(tmp_path):
    from terminal_tools import start_on_terminal

    go = str(tmp_path / "go")
    shell = "trap '' HUP; (while [ ! -e \"$0\" ]; do sleep 0.1; done; echo late) & echo soon"
    process, terminal = start_on_terminal([*RUN, "--", "/bin/sh", "-c", shell, go], ENVIRON)
    assert os.read(terminal, 100) == b"soon\r\n"
    assert os.waitpid(process, 0)[1] == 0
    open(go, "w").close()
    assert os.read(terminal, 100) == b"late\r\n"
    os.close(terminal)


@posix
def test_a_closed_or_full_stream_does_not_keep_the_command_from_running(tmp_path):
    mark = str(tmp_path / "ran")
    shell = '"$0" -m devicekit run -- /bin/sh -c \'echo x; echo y >&2; : > "$0"\' "$1" %s'
    for redirection in (">&-", "2>&-", "<&- >&- 2>&-", "> /dev/null 2>&1"):
        subprocess.run(
            ["/bin/sh", "-c", shell % redirection, sys.executable, mark], env=ENVIRON, timeout=60, capture_output=True
        )
        assert os.path.exists(mark), redirection
        os.unlink(mark)


@posix
def test_on_a_terminal_the_command_has_one_of_the_same_size():
    from terminal_tools import shown_on_terminal

    code = (
        "import os, sys; print(sys.stdin.isatty(), sys.stdout.isatty(), sys.stderr.isatty(), *os.get_terminal_size(1))\n"
        "sys.stderr.write('\\033[31mred\\033[0m\\rover\\n'); sys.stdout.flush(); sys.exit(7)"
    )
    direct = shown_on_terminal(python(code), columns=101)
    assert direct == (7, b"True True True 101 24\r\n\x1b[31mred\x1b[0m\rover\r\n")
    assert shown_on_terminal([*RUN, "--", *python(code)], ENVIRON, columns=101) == direct


@posix
def test_ctrl_c_on_a_terminal_reaches_the_command_once():
    from terminal_tools import start_on_terminal

    code = (
        "import signal, time\nseen = []\nsignal.signal(signal.SIGINT, lambda *now: seen.append(1))\nprint('on', flush=True)\n"
        "end = time.monotonic() + 60\nwhile not seen and time.monotonic() < end: time.sleep(0.01)\n"
        "time.sleep(0.3); print('got', len(seen)); input()"
    )
    # Where the tests themselves run in the background, a shell has let them ignore Ctrl-C.
    start = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.executable, sys.argv[1:])"
    )
    words = [sys.executable, "-c", start, *RUN, "--", *python(code)]
    pid, terminal = start_on_terminal(words, ENVIRON)
    seen = b""
    for key, until in ((b"", b"on\r\n"), (b"\x03", b"got 1\r\n"), (b"\n", b"")):
        os.write(terminal, key)
        while until not in seen:
            seen += os.read(terminal, 100)
    assert (os.waitpid(pid, 0)[1], seen) == (0, b"on\r\n^Cgot 1\r\n")
    os.close(terminal)


def test_the_memory_that_output_takes_is_bounded():
    heard = Heard()
    for number in range(100000):
        heard.listen(b"%06d " % number * 20)
    kept = b"".join(heard.parts())
    assert kept.startswith(b"000000 000000")
    assert kept.endswith(b"099999 ")
    assert len(kept) < 2 << 20


def test_a_line_is_cut_only_where_something_was_left_out():
    heard = Heard()
    for _ in range(10):
        heard.listen(b"x" * 100000)
    assert b"".join(heard.parts()) == b"x" * 1000000


def test_what_was_heard_is_what_was_printed():
    parts = []
    assert run_listening(python("print('x' * 100000)"), ENVIRON, parts.append) == 0
    assert b"".join(parts) in (b"", b"x" * 100000 + os.linesep.encode())  # b"": a console of Windows


def make_kernel(make_machine, number):
    files = {
        "/proc/self/cgroup": "0::/job\n",
        "/proc/self/mountinfo": "32 24 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n",
        "/sys/fs/cgroup/job/memory.events": "low 0\nhigh 0\nmax 12\noom %d\noom_kill %d\n" % (number, number),
    }
    return make_machine(files=files)


def test_processes_that_the_kernel_has_ended_for_memory(make_machine):
    assert read_oom_kills(make_kernel(make_machine, 3)) == 3
    first = {
        "/proc/self/cgroup": "9:memory:/docker/5f\n",
        "/proc/self/mountinfo": "36 31 0:31 /docker/5f /sys/fs/cgroup/memory ro,nosuid - cgroup cgroup rw,memory\n",
        "/sys/fs/cgroup/memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
    }
    assert read_oom_kills(make_machine(files=first)) == 2
    assert read_oom_kills(make_machine(files={})) is None


@pytest.mark.only_on("posix", reason="control groups of Linux")
def test_memory_is_the_cause_only_if_the_kernel_counted_it(make_machine):
    def explained(before, after):
        kernel = KernelWatch(before)
        kernel._host = after
        found = explain_failure(-signal.SIGKILL, Heard(), kernel, this_machine)
        kernel.close()
        return found

    found = explained(make_kernel(make_machine, 4), make_kernel(make_machine, 5))
    assert (found.findings[0].code, found.certain) == ("host-memory-exhausted", True)
    sources = {item.text: item.source for item in found.findings[0].evidence}
    assert sources["memory.events: oom_kill 1"] == "operating system"
    # It counted none: someone has ended the command.
    assert explained(make_kernel(make_machine, 4), make_kernel(make_machine, 4)) is None
    found = explained(make_machine(files={}), make_machine(files={}))
    assert (found.findings[0].code, found.certain) == ("host-memory-exhausted", False)


def test_a_cause_that_is_none_on_this_machine_is_shown_all_the_same(make_machine):
    kernel, heard = KernelWatch(make_machine(system="windows")), Heard()
    heard.listen(b"RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU\n")
    found = explain_failure(1, heard, kernel, this_machine)
    kernel.close()
    assert [item.code for item in found.findings][:1] == ["driver-missing"]


ASSERTION = (
    "/pytorch/aten/src/ATen/native/cuda/IndexKernel.cu:111: operator(): block: [0,0,0], thread: [3,0,0] Assertion "
    '`-sizes[i] <= index && index < sizes[i] && "index out of bounds"` failed.\n'
    "torch.AcceleratorError: CUDA error: device-side assert triggered\n"
)


def failed(make_machine, text, here, said=()):
    """What is said of a command with this output, on a machine."""
    kernel, heard = KernelWatch(make_machine(files={})), Heard()
    heard.listen(text.encode())
    kernel._log_lines = lambda: list(said)
    found = explain_failure(1, heard, kernel, here)
    kernel.close()
    return found


def test_a_fault_of_the_program_is_explained_where_that_helps(make_machine):
    found = failed(make_machine, ASSERTION, this_machine)
    assert [item.code for item in found.findings] == ["user-code-error"]
    assert "An index is outside of its tensor" in found.findings[0].summary
    steps = " ".join(item.text for item in found.findings[0].fix)
    assert "CUDA_LAUNCH_BLOCKING=1" in steps
    assert "number of classes" in steps


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: No CUDA GPUs are available\n",
        "Jax plugin configuration error: Exception when calling jax_plugins.xla_cuda13.initialize()\n"
        "RuntimeError: jaxlib/cuda/versions_helpers.cc:135: operation cuInit(0) failed: CUDA_ERROR_NO_DEVICE\n"
        "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.\n"
        "RuntimeError: Unknown backend: 'gpu' requested, but no platforms that are instances of gpu are present. "
        "Platforms present are: cpu\n",
    ],
)
def test_a_gpu_that_a_variable_hides_here_is_the_cause(make_machine, text):
    found = failed(make_machine, text, lambda: recorded("linux-nvidia-hidden-by-a-wrong-number"))
    assert [item.code for item in found.findings] == ["device-hidden"]
    assert found.findings[0].fix[0].command.startswith("unset CUDA_VISIBLE_DEVICES")
    assert found.findings[0].evidence[0].source.startswith("output")


def test_what_the_kernel_wrote_is_not_called_output(make_machine):
    xid = "NVRM: Xid (PCI:0000:00:06): 31, pid=999999999, name=python3, channel 0x0000005a. MMU Fault: ENGINE GRAPHICS"
    text = "RuntimeError: CUDA error: an illegal memory access was encountered\n"
    found = failed(make_machine, text, this_machine, [xid])
    sources = {item.text: item.source for item in found.findings[0].evidence}
    assert sources[xid] == "kernel log"
    assert sources[text.strip()] == "output, line 1"


def recorded(name):
    return read_machine(SimulatedHost(os.path.join(ROOT, "tests", "machines", name)), deep=True)


@pytest.mark.parametrize(
    "text, first",
    [
        ("CUDA error: unspecified launch failure\n", "device-lost"),
        ("RuntimeError: CUDA error: an illegal memory access was encountered\n", "device-lost"),
        ("CUDA error: uncorrectable NVLink error detected during the execution\n", "device-lost"),
        ("RuntimeError: NCCL error: unhandled cuda error\n", ""),
    ],
)
def test_what_the_driver_says_now_belongs_to_a_gpu_that_failed(make_machine, text, first):
    found = failed(make_machine, text, lambda: recorded("linux-nvidia-gpu-lost"))
    assert [item.code for item in found.findings] == [*filter(None, [first]), "driver-unhealthy"]
    assert "lost access to NVIDIA L4" in found.findings[-1].summary
    assert found.certain is bool(first)
    healthy = failed(make_machine, text, lambda: recorded("linux-nvidia-two-kinds"))
    assert [item.code for item in (healthy.findings if healthy else ())] == [*filter(None, [first])]


def test_what_the_driver_says_now_is_left_out_where_no_gpu_failed(make_machine):
    text = (
        'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\nValueError: no data for the GPU\n'
    )
    assert failed(make_machine, text, lambda: recorded("linux-nvidia-gpu-lost")) is None
    missing = "ModuleNotFoundError: No module named 'tensorflow'\n"
    found = failed(make_machine, missing, lambda: recorded("linux-nvidia-gpu-lost"))
    assert [item.code for item in found.findings] == ["framework-missing"]
    lost = "NVRM: GPU at PCI:0000:08:00: GPU-11111111-2222-3333-4444-000000000001"
    found = failed(make_machine, text, lambda: recorded("linux-nvidia-gpu-lost"), [lost])
    assert [item.code for item in found.findings] == ["driver-unhealthy"]


@posix
def test_whoever_kills_the_command_is_not_the_kernel(signals):
    status, _, err = ran(*python("import os; os.kill(os.getpid(), 9)"))
    assert status == -signal.SIGKILL
    assert "was ended by SIGKILL" in err.decode()
    if read_oom_kills(LiveHost()) is not None:
        assert "the kernel counted no process here that it ended for want of memory" in err.decode()


class _Told(KernelWatch):
    """A kernel that said one line meanwhile."""

    said = ""

    def _log_lines(self):
        return [self.said]


@pytest.mark.only_on("posix", reason="the kernel's log of Linux")
@pytest.mark.parametrize(
    "line, counts",
    [
        (
            "__vm_enough_memory: pid: 999999999, comm: python, bytes: 1204224004096 not enough memory for the allocation",
            False,
        ),
        ("traps: python[999999999] trap invalid opcode ip:7f error:0 in libtensorflow.so", True),
        (
            "traps: python[%d] trap invalid opcode ip:7f error:0 in libtensorflow.so" % os.getpid(),
            not os.path.isdir("/proc/self"),
        ),
        ("NVRM: Xid (PCI:0000:01:00): 79, pid=999999999, GPU has fallen off the bus.", True),
    ],
)
def test_what_the_kernel_says_of_other_processes_is_no_cause(make_machine, line, counts):
    kernel = _Told(make_machine(files={}))
    kernel.said = line
    assert kernel.lines() == ([line] if counts else [])
    kernel.close()


def this_machine():
    from devicekit import detect

    return detect()


def test_the_kernels_log_is_read_where_it_may_be():
    kernel = KernelWatch(LiveHost())
    assert all(isinstance(line, str) for line in kernel.lines())
    kernel.close()
    assert kernel.lines() == []  # nothing was counted meanwhile, and the log is closed
