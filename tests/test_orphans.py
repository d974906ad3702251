"""What the command starts leaves no process behind, whatever session and environment that has made for itself."""

import functools
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

pytestmark = [
    pytest.mark.only_on("linux", reason="orphans are adopted on Linux"),
    pytest.mark.skipif(not shutil.which("setsid"), reason="setsid is not installed"),
]


def running(seconds):
    """The processes that sleep for so many seconds."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open("/proc/%s/cmdline" % name, "rb") as stream:
                if stream.read().rstrip(b"\0").endswith(b"sleep\0%s" % seconds.encode()):
                    found.append(int(name))
        except OSError:
            continue
    return found


@pytest.fixture
def seconds():
    """A time that no other process sleeps; what is left of it is ended."""
    value = "%d.%d" % (1000 + os.getpid() % 1000, time.monotonic_ns() % 1000000)
    yield value
    for pid in running(value):
        os.kill(pid, 9)


def devicekit(*arguments, modules="", **options):
    environ = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, (modules, ROOT))))
    return subprocess.run(
        [sys.executable, "-m", "devicekit", *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=120, env=environ, **options,
    )  # fmt: skip


def starter(seconds, started):
    """Python that starts a process which no session and no environment gives away, and waits until it runs."""
    return (
        "import subprocess, time\n"
        "subprocess.Popen(['setsid', 'env', '-i', '/bin/sh', '-c', 'echo > %s; exec sleep %s'])\n"
        "while not __import__('os').path.exists(%r): time.sleep(0.01)\n" % (started, seconds, str(started))
    )


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def test_a_worker_leaves_nothing(seconds, tmp_path):
    script, started = tmp_path / "work.py", tmp_path / "started"
    script.write_text(starter(seconds, started))
    done = devicekit("launch", "--workers", "2", "--", str(script))
    assert done.returncode == 0, done.stderr.decode()
    assert started.exists()
    assert not running(seconds)


def the_child_of(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as stream:
        return int(stream.read().split()[0])


#: What may be killed of a command: the process that was started, its guard, the command itself, and the first group.
VICTIMS = {
    "process": lambda pid: os.kill(pid, signal.SIGKILL),
    "guard": lambda pid: os.kill(the_child_of(pid), signal.SIGKILL),
    "command": lambda pid: os.kill(the_child_of(the_child_of(pid)), signal.SIGKILL),
    "group": lambda pid: os.killpg(pid, signal.SIGKILL),
}


@pytest.mark.parametrize("victim", VICTIMS)
@pytest.mark.parametrize("verb", ["launch", "verify"])
def test_a_command_that_is_killed_leaves_nothing(seconds, tmp_path, verb, victim):
    """At whatever moment, and whatever session and environment it has."""
    started, package = tmp_path / "started", tmp_path / "torch" / "__init__.py"
    package.parent.mkdir()
    package.write_text(starter(seconds, started) + "time.sleep(60)\n")
    (tmp_path / "torch-2.7.0.dist-info").mkdir()
    (tmp_path / "torch-2.7.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.7.0\n")
    arguments = {
        "launch": ["--workers", "1", "--devices", "cpu", "--grace", "0.2", str(package)],
        "verify": ["--framework", "torch"],
    }
    environ = dict(os.environ, PYTHONPATH=os.pathsep.join((str(tmp_path), ROOT)))
    command = [sys.executable, "-m", "devicekit", verb, *arguments[verb]]
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    with subprocess.Popen(command, env=environ, start_new_session=True, **streams) as process:
        assert wait_for(started.exists)
        assert wait_for(lambda: running(seconds))
        VICTIMS[victim](process.pid)
        assert process.wait(60) == -signal.SIGKILL
    assert wait_for(lambda: not running(seconds))


@pytest.mark.parametrize("to_group", [False, True])
def test_a_second_signal_reaches_the_command(tmp_path, to_group):
    started, script = tmp_path / "started", tmp_path / "work.py"
    script.write_text(
        "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nopen(%r, 'w').close()\ntime.sleep(600)\n"
        % str(started)
    )
    command = [sys.executable, "-m", "devicekit", "launch", "--workers", "1", "--devices", "cpu", "--grace", "600"]
    options = {"env": dict(os.environ, PYTHONPATH=ROOT), "start_new_session": True, "stderr": subprocess.PIPE}
    default = functools.partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen([*command, str(script)], preexec_fn=default, **options) as process:
        assert wait_for(started.exists)
        for word in (b"passed on", b"killing"):
            (os.killpg if to_group else os.kill)(process.pid, signal.SIGINT)
            assert word in process.stderr.readline()
    assert process.returncode == 128 + signal.SIGINT


def test_an_interpreter_that_hangs_ends_with_the_command_that_is_killed(seconds, tmp_path):
    wrapper, started = tmp_path / "python", tmp_path / "started"
    wrapper.write_text("#!/bin/sh\nsetsid env -i /bin/sh -c 'echo > %s; exec sleep %s' &\nwait\n" % (started, seconds))
    wrapper.chmod(0o755)
    command = [sys.executable, "-m", "devicekit", "doctor", "--python", str(wrapper)]
    with subprocess.Popen(command, env=dict(os.environ, PYTHONPATH=ROOT), stderr=subprocess.DEVNULL) as process:
        assert wait_for(lambda: started.exists() and running(seconds))
        process.kill()
    assert wait_for(lambda: not running(seconds))


def test_a_shell_that_has_become_a_command_keeps_what_it_has_started(seconds):
    line = "sleep %s & exec %s -m devicekit launch --workers 1 --devices cpu -m this" % (seconds, sys.executable)
    environ = dict(os.environ, PYTHONPATH=ROOT)
    assert subprocess.run(["sh", "-c", line], env=environ, stdout=subprocess.DEVNULL, timeout=60).returncode == 0
    assert running(seconds)


@pytest.mark.parametrize("to_group", [False, True])
def test_a_signal_reaches_the_command_once(tmp_path, to_group):
    """A second one would kill the worker, which takes its time to end."""
    started, ended = tmp_path / "started", tmp_path / "ended"
    script = tmp_path / "work.py"
    script.write_text(
        "import signal, sys, time\n"
        "def end(*_):\n    time.sleep(0.6)\n    open(%r, 'w').close()\n    sys.exit()\n"
        "signal.signal(signal.SIGTERM, end)\nopen(%r, 'w').close()\ntime.sleep(60)\n" % (str(ended), str(started))
    )
    command = [sys.executable, "-m", "devicekit", "launch", "--workers", "1", "--devices", "cpu", str(script)]
    environ = dict(os.environ, PYTHONPATH=ROOT)
    with subprocess.Popen(command, env=environ, start_new_session=True, stderr=subprocess.PIPE) as process:
        assert wait_for(started.exists)
        (os.killpg if to_group else os.kill)(process.pid, signal.SIGTERM)
        errors = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 128 + signal.SIGTERM
    assert errors.count("SIGTERM") == 1, errors
    assert ended.exists()


def test_an_installer_ends_with_the_process_that_waits_for_it(seconds):
    code = "import sys; from devicekit.children.tool import run_long_tool\n"
    code += "run_long_tool(sys.argv[1:], {}, timeout_s=60, token='')"
    command = [sys.executable, "-c", code, shutil.which("sleep"), seconds]
    with subprocess.Popen(command, env=dict(os.environ, PYTHONPATH=ROOT)) as process:
        assert wait_for(lambda: running(seconds)[1:])  # this one, and the installer
        process.kill()
    assert wait_for(lambda: not running(seconds))


def test_what_is_started_while_its_parent_is_killed_ends():
    code = (
        "import os, time\n"
        "from devicekit.children.spawn import end_with_parent\n"
        "prepare, parent = end_with_parent(), os.getpid()\n"
        "if os.fork():\n    os.kill(parent, 9)\n"
        "while os.getppid() == parent:\n    time.sleep(0.01)\n"
        "os.write(1, b'before ')\nprepare()\nos.write(1, b'after')\n"
    )
    command, environ = [sys.executable, "-c", code], dict(os.environ, PYTHONPATH=ROOT)
    assert subprocess.run(command, env=environ, stdout=subprocess.PIPE, timeout=60).stdout == b"before "


def test_an_installation_that_is_asked_to_end_leaves_neither_processes_nor_the_folder(seconds, tmp_path):
    folder, uv = tmp_path / "environment", tmp_path / "uv"
    uv.write_text('#!/bin/sh\nfor last; do :; done\nsetsid env -i sleep %s &\nmkdir "$last"\nwait\n' % seconds)
    uv.chmod(0o755)
    environ = dict(os.environ, PYTHONPATH=ROOT, PATH=os.pathsep.join((str(tmp_path), os.environ["PATH"])))
    command = [sys.executable, "-m", "devicekit", "resolve", "cpu", "--offline", "--install", "--into", str(folder)]
    default = functools.partial(signal.signal, signal.SIGTERM, signal.SIG_DFL)
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, preexec_fn=default) as process:
        assert wait_for(lambda: folder.exists() and running(seconds))
        process.terminate()
        errors = process.communicate(timeout=60)[1]
    assert (process.returncode, errors.decode()) == (130, "devicekit: interrupted\n")
    assert not folder.exists()
    assert not running(seconds)


#: What runs code of a framework or the user's, in children.
VERBS = {
    "verify": ["--framework", "torch", "--python", sys.executable],  # which adopts in turn
    "compare": ["--framework", "torch", "mine:build"],
    "bench": [
        "--framework",
        "torch",
        "--model",
        "mine:build",
        "--batch_size",
        "1",
        "--num_batches",
        "1",
        "--repeat",
        "1",
    ],
    "tune": ["--framework", "torch", "--model", "mine:build", "--batch_size", "1", "--budget", "20"],
    "fix": ["--yes"],
}


@pytest.mark.parametrize(
    "verb", [pytest.param(verb, marks=() if verb == "verify" else pytest.mark.slow) for verb in VERBS]
)
def test_a_framework_leaves_nothing(seconds, tmp_path, verb):
    started, modules = tmp_path / "started", tmp_path / "modules"
    files = {
        "torch/__init__.py": starter(seconds, started) + "__version__ = '2.7.0'\n",
        "torch/version.py": "__version__ = '2.7.0'\ncuda = None\n",
        "torch-2.7.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: torch\nVersion: 2.7.0\n",
        "mine.py": starter(seconds, started) + "def build(): pass\n",
    }
    for name, text in files.items():
        (modules / name).parent.mkdir(parents=True, exist_ok=True)
        (modules / name).write_text(text)
    done = devicekit(verb, *VERBS[verb], modules=str(modules), cwd=str(modules))
    assert done.returncode in (1, 2), done.stderr.decode()  # there is nothing in that framework
    assert started.exists()
    assert not running(seconds)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_command_that_is_asked_to_end_leaves_nothing(seconds, tmp_path, name):
    """As `timeout` and a terminal that is closed do."""
    started = tmp_path / "started"
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text(starter(seconds, started) + "time.sleep(60)\n")
    (tmp_path / "torch-2.7.0.dist-info").mkdir()
    (tmp_path / "torch-2.7.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.7.0\n")
    environ = dict(os.environ, PYTHONPATH=os.pathsep.join((str(tmp_path), ROOT)))
    command = [sys.executable, "-m", "devicekit", "verify", "--framework", "torch"]
    number = getattr(signal, name)
    # What ignores a signal passes that on, as `nohup` does for the tests.
    default = functools.partial(signal.signal, number, signal.SIG_DFL)
    streams = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, env=environ, preexec_fn=default, **streams)
    wait_for(started.exists)
    process.send_signal(number)
    errors = process.communicate(timeout=60)[1]
    assert started.exists()
    assert (process.returncode, errors.decode()) == (130, "devicekit: interrupted\n")
    assert not running(seconds)


@pytest.mark.slow
def test_an_interpreter_that_hangs_leaves_nothing(seconds, tmp_path):
    wrapper, started = tmp_path / "python", tmp_path / "started"
    wrapper.write_text(
        "#!/bin/sh\nsleep %s &\nsetsid env -i /bin/sh -c 'echo > %s; exec sleep %s' &\nwait\n"
        % (seconds, started, seconds)
    )
    wrapper.chmod(0o755)
    done = devicekit("doctor", "--python", str(wrapper))
    assert done.returncode == 2
    assert b"gave no answer" in done.stderr
    assert started.exists()
    assert not running(seconds)
