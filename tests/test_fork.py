"""A process that is forked while another thread is inside devicekit can use devicekit, as its parent still can."""

import os
import re
import subprocess
import sys

import pytest

import devicekit
from devicekit.children import locks

pytestmark = pytest.mark.only_on("posix", reason="there is no fork on Windows")

START = """
import os, signal, sys, threading, time, warnings
warnings.simplefilter("ignore")  # Python 3.12 and later advise against forking with threads, which people do all the same
def forked(function, limit_s=60):
    child = os.fork()
    if child == 0:
        try:
            function()
        except BaseException as error:
            print(repr(error), flush=True)
            os._exit(3)
        os._exit(0)
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return "ok" if status == 0 else "status %d" % status
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"
"""


def run(code, timeout=300):
    """Run a program and return the lines that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", START + code], capture_output=True, text=True, timeout=timeout, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_fork_while_another_thread_looks_at_the_machine():
    code = """
import devicekit
from devicekit.children import locks
stop = False
def look():
    while not stop:
        devicekit.detect(refresh=True)
thread = threading.Thread(target=look)
thread.start()
for number in range(4):
    time.sleep(0.02 + 0.03 * number)
    print(forked(devicekit.select_device))
stop = True
thread.join()
devicekit.select_device()
"""
    assert run(code) == ["ok"] * 4


def test_a_lock_that_another_thread_keeps_is_new_in_the_child_and_the_forking_threads_own_is_still_its_own():
    code = """
from devicekit.children import locks
kept, own, free = (locks.ForkSafeLock() for _ in range(3))
locks._PATIENCE_S = 0.2
entered, leave = threading.Event(), threading.Event()
def keep():
    with kept:
        entered.set()
        leave.wait()
thread = threading.Thread(target=keep)
thread.start()
entered.wait()
def take():
    for lock in (kept, own, free):
        with lock:
            pass
with own:
    print(forked(take))
    def another():
        with own:
            print("taken")
    other = threading.Thread(target=another)
    other.start()
    other.join(0.3)
    print("waits", other.is_alive())
other.join()
leave.set()
thread.join()
take()
print("end")
"""
    assert run(code) == ["ok", "waits True", "taken", "end"]


def test_every_lock_of_the_package_survives_a_fork():
    found = []
    for folder, _, names in os.walk(os.path.dirname(devicekit.__file__)):
        for name in names:
            if name.endswith(".py") and os.path.join(folder, name) != locks.__file__:
                with open(os.path.join(folder, name), encoding="utf-8") as stream:
                    text = stream.read()
                found += [
                    "%s: %s" % (name, lock)
                    for lock in re.findall(r"\bthreading\.R?Lock\(|\bCondition\(|\bSemaphore\(", text)
                ]
    assert found == []


@pytest.mark.parametrize("patience_s", [60.0, 0.05])
def test_a_fork_while_another_thread_imports_the_package(patience_s):
    """A file system that is slow at one module keeps the import in progress: the fork waits, or the child repeats it."""
    code = """
import devicekit
from devicekit.children import locks
from devicekit.children import fork_imports
fork_imports._PATIENCE_S = %r
import gc
gc.disable()  # what looks at the locks must not keep one: nothing here frees it
begun = threading.Event()
class Slow:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "devicekit.machine.host" and not begun.is_set():
            begun.set()
            time.sleep(1)
sys.meta_path.insert(0, Slow)
thread = threading.Thread(target=lambda: devicekit.detect)
thread.start()
assert begun.wait(30)
def use():
    assert devicekit.detect(), "nothing"
    devicekit.select_device()
start = time.monotonic()
print(forked(use), thread.is_alive(), time.monotonic() - start < 50)
thread.join()
use()
print(forked(use))
"""
    first, second = run(code % patience_s)
    assert first.split()[0] == "ok" == second
    assert patience_s < 1 or first == "ok False True"  # it waited, for as long as the import took


def test_a_fork_while_another_thread_imports_what_waits_for_the_fork():
    code = """
import devicekit
import importlib.machinery
import logging  # after devicekit: so a fork takes its lock first
from devicekit.testing import load
machine = load("linux-eight-gpus")
class Waiting:
    def find_spec(self, name, path=None, target=None):
        if name != "packaging.version":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        run = spec.loader.exec_module
        def exec_module(module):
            time.sleep(0.5)
            logging.getLogger("what a module does when it is imported")
            run(module)
        spec.loader.exec_module = exec_module
        return spec
sys.meta_path.insert(0, Waiting())
def work():
    devicekit.diagnose(machine)
thread = threading.Thread(target=work)
thread.start()
while "packaging.specifiers" not in sys.modules:
    time.sleep(0.01)
print(forked(work, 30))
thread.join()
"""
    assert run(code) == ["ok"]


@pytest.mark.parametrize("work", ["devicekit.diagnose(machine)", "devicekit.select_device('gpu', machine=machine)"])
def test_a_fork_while_another_thread_imports_what_the_package_needs(work):
    code = """
import devicekit
from devicekit.children import locks
from devicekit.testing import load
machine = load("linux-eight-gpus")
class Slow:  # what a cold or a network disk does
    def find_spec(self, name, path=None, target=None):
        if name == "packaging.version":
            time.sleep(1)
sys.meta_path.insert(0, Slow())
def work():
    %s
thread = threading.Thread(target=work)
thread.start()
while "packaging.specifiers" not in sys.modules:
    time.sleep(0.01)
print(forked(work))
thread.join()
"""
    assert run(code % work) == ["ok"]


def test_a_fork_while_another_thread_is_in_a_plug_in_leaves_the_childs_output_alone():
    code = """
from devicekit.plugins import calls
entered, leave = threading.Event(), threading.Event()
def probe():
    print("of the plug-in")
    entered.set()
    leave.wait()
answers, real = [], sys.stdout
thread = threading.Thread(target=lambda: answers.append(calls.call("its probe", probe)))
thread.start()
entered.wait()
def child():
    assert sys.stdout is real
    for _ in range(4):  # one of them gets the number of the thread that is not here
        other = threading.Thread(target=lambda: print("of the child", calls.inside(), flush=True))
        other.start()
        other.join()
real.write(forked(child) + "\\n")
leave.set()
thread.join()
print(answers, sys.stdout is real)
"""
    assert run(code) == ["of the child False"] * 4 + ["ok", "[(None, 'of the plug-in')] True"]


def test_a_plug_in_that_forks_is_left_in_both_processes():
    code = """
from devicekit.plugins import calls
real = sys.stdout
child, printed = calls.call("its probe", lambda: (print("aside"), os.fork())[1])
if child == 0:
    os._exit(0 if sys.stdout is real and printed == "aside" and not calls.inside() else 3)
print(os.waitpid(child, 0)[1], printed, sys.stdout is real)
"""
    assert run(code) == ["0 aside True"]


PLATFORM = """
import os, threading
import devicekit
from devicekit.plugins import Platform
def forks(look=False):
    child = os.fork()
    if child == 0:
        if look:
            devicekit.detect(refresh=True)
        os._exit(0)
    os.waitpid(child, 0)
class Npu(Platform):
    api_version, name = 1, "npu"
    def probe(self, host):
        %s
"""


@pytest.mark.parametrize(
    "way", ["forks()", "forks(look=True)", "a = threading.Thread(target=forks); a.start(); a.join()"]
)
def test_a_probe_may_fork_and_look_at_the_machine_in_the_child(tmp_path, way):
    """The fork waits for no lock of the thread that waits for the probe, and the child's look asks no probe again."""
    info = tmp_path / "npu-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: npu\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[devicekit.platforms]\nnpu = npu_platform:Npu\n")
    (tmp_path / "npu_platform.py").write_text(PLATFORM % way)
    code = "import sys\nsys.path.append(%r)\nimport devicekit\n" % str(tmp_path)
    code += "print(devicekit.detect().platforms[0].problems)\n"
    assert run(code, timeout=60) == ["()"]


@pytest.mark.parametrize("package", ["devicekit", "plain"])
def test_a_signal_handler_that_forks_in_the_midst_of_an_import_gets_what_python_gives(tmp_path, package):
    """Of a plain package as of this one: neither process hangs, and the parent goes on."""
    (tmp_path / "plain.py").write_text("import plain_part\n\n\ndef detect():\n    return True\n")
    (tmp_path / "plain_part.py").write_text("")
    code = """
sys.path.insert(0, %r)
class Signal:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in ("devicekit.children", "plain_part"):
            signal.raise_signal(signal.SIGUSR1) if hasattr(signal, "raise_signal") else os.kill(os.getpid(), signal.SIGUSR1)
sys.meta_path.insert(0, Signal)
def use():
    import %s as package
    package.detect()
signal.signal(signal.SIGUSR1, lambda number, frame: print(forked(use)))
use()
"""
    lines = run(code % (str(tmp_path), package))
    # Python 3.13 has other words for a module in the folder from which it was started.
    said = re.search("partially initialized module|has no attribute .{8,10} .consider renaming", lines[0])
    assert said or sys.version_info < (3, 8), lines
    assert lines[1:] == ["status 768"]
