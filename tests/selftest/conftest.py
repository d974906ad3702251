"""What the tests of the trial share: a program that looks at what a trial leaves behind, and patients to be tried."""

import json
import os
import signal
import subprocess
import sys
import time
import uuid

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))


@pytest.fixture
def harness(tmp_path):
    """A `Harness`."""
    return Harness(tmp_path)


class Harness:
    """Runs trials in programs of their own (harness.py), sees that nothing is left of them, and returns the results."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, body="", **task):
        return self.all({"": dict(task, body=body)})[""]

    def all(self, tasks):
        """Run several at once, by name: most of them only wait."""
        started = {name: self._start(task) for name, task in tasks.items()}
        for _, process in started.values():  # all of them: where one fails, none of the others is left
            process.wait(120)
        return {name: self._finish(name, *started[name], task=tasks[name]) for name in tasks}

    def _start(self, task):
        folder = self.folder / uuid.uuid4().hex
        (folder / "tmp").mkdir(parents=True)
        (folder / "task.json").write_text(json.dumps(task))
        environ = dict(os.environ, TMPDIR=str(folder / "tmp"), HARNESS_ID=uuid.uuid4().hex)
        arguments = [os.path.join(HERE, "harness.py"), str(folder / "task.json"), str(folder / "result.json")]
        process = subprocess.Popen([sys.executable, *arguments], stdin=subprocess.DEVNULL, cwd=str(folder), env=environ)
        return folder, process

    def _finish(self, name, folder, process, task):
        assert process.returncode == 0, name
        result = json.loads((folder / "result.json").read_text())
        assert result.pop("zombies") is None, name
        assert result.pop("processes") == [], name
        assert result.pop("threads") == [], name
        assert result.pop("descriptors") <= 0, name  # not exact: some of the setups close what was open
        assert os.listdir(str(folder / "tmp")) == [], name
        assert result.pop("took_s") < task.get("limit_s", 20.0) + 30, name
        return result


#: A TensorFlow that has the functions which devicekit calls. What it does at its import, when it lists its devices and
#: when it computes comes from the variable PATIENT, a line of Python each; in a trial, it notes that it was tried.
TENSORFLOW = '''
import ctypes, json, os, signal, sys, time

__version__ = "99.0.0"


def act(stage):
    with open(os.environ["PATIENT_LOG"], "a") as stream:
        stream.write("%s %s\\n" % ("trial" if "DEVICEKIT_TRIAL" in os.environ else "process", stage))
    exec(json.loads(os.environ.get("PATIENT", "{}")).get(stage, ""))


act("import")


class Anything:
    """Takes every question and every call."""

    def __init__(self, *arguments, **options):
        pass

    def __getattr__(self, name):
        return Anything()

    def __call__(self, *arguments, **options):
        return Anything()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def as_default(self):
        return self

    def run(self, product):
        return [[7.0, 10.0], [15.0, 22.0]]


class Config(Anything):
    def list_physical_devices(self):
        act("list")
        return []

    get_visible_devices = list_physical_devices


class V1:
    Session = ConfigProto = Anything


class Compat:
    v1 = V1


config, compat, Graph, device, constant, matmul = Config(), Compat, Anything, Anything, Anything, Anything()
'''


#: What every TensorFlow imports, installed in name only: the patient imports none of it.
NEEDED = (
    "numpy", "protobuf", "typing_extensions", "packaging", "requests", "urllib3", "idna", "certifi", "ml_dtypes",
    "absl_py", "astunparse", "flatbuffers", "gast", "google_pasta", "opt_einsum", "six", "termcolor", "wrapt",
)  # fmt: skip


@pytest.fixture
def patient(tmp_path):
    """A folder with a TensorFlow of an unknown release, and the environment of processes that would import it."""
    return Patient(tmp_path)


class Patient:
    """A TensorFlow that misbehaves."""

    def __init__(self, folder):
        site = folder / "site-packages"
        package, info = site / "tensorflow", site / "tensorflow-99.0.0.dist-info"
        for item in (package / "python" / "eager", info):
            item.mkdir(parents=True)
        (package / "__init__.py").write_text(TENSORFLOW)
        (package / "python" / "__init__.py").write_text("")
        (package / "python" / "eager" / "__init__.py").write_text("")
        (package / "python" / "eager" / "context.py").write_text("_context = None\n")
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tensorflow\nVersion: 99.0.0\n")
        (info / "RECORD").write_text("tensorflow/__init__.py,,\n")
        for name in NEEDED:  # or it would be known, without a trial, why it cannot be imported
            needed = site / ("%s-9.9.dist-info" % name)
            needed.mkdir()
            (needed / "METADATA").write_text("Metadata-Version: 2.1\nName: %s\nVersion: 9.9\n" % name)
        self.folder, self.site = folder, site
        self.log, self.cache = folder / "log", folder / "cache"
        # Its own folder comes first, so that a TensorFlow that is really installed here does not matter.
        path = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
        self.environ = dict(
            os.environ,
            PYTHONPATH=os.pathsep.join(path),
            PATIENT_LOG=str(self.log),
            DEVICEKIT_CACHE_DIR=str(self.cache),
            PYTHONDONTWRITEBYTECODE="1",
        )
        for name in ("DEVICEKIT_QUIET", "DEVICEKIT_VERIFY", "DEVICEKIT_DEVICE", "KERAS_BACKEND"):
            self.environ.pop(name, None)

    def behaves(self, **stages):
        """Say what it does at each stage."""
        self.environ["PATIENT"] = json.dumps(stages)

    def start(self, code, *arguments):
        """Start a program; returns the process."""
        return subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            cwd=str(self.folder),
            env=self.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, code, *arguments):
        """Run a program and return the JSON on its last line."""
        process = self.start(code, *arguments)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, "status %s\n%s\n%s" % (process.returncode, out, err.decode()[-3000:])
        return json.loads(out.decode().strip().splitlines()[-1])

    def notes(self):
        """Return what it noted, line by line."""
        return self.log.read_text().splitlines() if self.log.exists() else []

    def wait_for(self, line, limit_s=60.0):
        """Wait until it has noted something."""
        deadline = time.monotonic() + limit_s
        while line not in self.notes():
            assert time.monotonic() < deadline, self.notes()
            time.sleep(0.05)

    def running(self):
        """Return the processes that would note something here."""
        mark, found = ("PATIENT_LOG=%s" % self.log).encode(), []
        for name in os.listdir("/proc"):
            try:
                with open("/proc/%s/environ" % name, "rb") as stream:
                    if mark in stream.read():
                        found.append(int(name))
            except OSError:  # no process, or it has ended
                continue
        return found

    def wait_until_running(self, pids, limit_s=60.0):
        """Wait until these processes and no others are left."""
        deadline = time.monotonic() + limit_s
        while self.running() != pids:
            assert time.monotonic() < deadline, self.running()
            time.sleep(0.05)

    def kill(self, process):
        """Kill a process of this test and collect it."""
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
