"""What the command starts leaves no process behind, whatever session and environment that has made for itself."""

import os
import shutil
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


def devicekit(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "devicekit", *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=120, env=dict(os.environ, PYTHONPATH=ROOT),
    )  # fmt: skip


def test_a_worker_leaves_nothing(seconds, tmp_path):
    script, started = tmp_path / "work.py", tmp_path / "started"
    script.write_text(
        "import subprocess, time\n"
        "subprocess.Popen(['setsid', 'env', '-i', %r, '-c', 'echo > %s; exec sleep %s'])\n"
        "while not __import__('os').path.exists(%r): time.sleep(0.01)\n" % ("/bin/sh", started, seconds, str(started))
    )
    done = devicekit("launch", "--workers", "2", "--", str(script))
    assert done.returncode == 0, done.stderr.decode()
    assert started.exists()
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
