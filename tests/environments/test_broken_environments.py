"""Broken environments as users have them: installed from the registry, examined from outside, fixed by typing the fix.

Nothing is simulated: each test makes a real environment, asks `devicekit doctor --python`, types what it says, and
imports the real framework before and after.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys

import pytest

UV = shutil.which("uv")


class Environment:
    """A virtual environment that is installed into with uv, as fast as the registry allows."""

    def __init__(self, folder, version):
        self.python = os.path.join(folder, "bin", "python")
        interpreter = shutil.which("python" + version)
        assert interpreter is not None, "python%s is not on PATH" % version
        self._run([UV, "venv", "--quiet", "--python", interpreter, folder])

    def install(self, *requirements):
        self._run([UV, "pip", "install", "--quiet", "--python", self.python, *requirements])

    def uninstall(self, *names):
        self._run([UV, "pip", "uninstall", "--quiet", "--python", self.python, *names])

    def doctor(self, *arguments):
        """Return exit status and JSON of devicekit, run from this test's environment."""
        command = [sys.executable, "-m", "devicekit", "doctor", "--json", "--python", self.python, *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.stderr == ""
        return done.returncode, json.loads(done.stdout)

    def imports(self, code="import tensorflow as tf; tf.constant(1.0)"):
        """Return whether the real framework can be imported, and what it printed."""
        done = subprocess.run([self.python, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode == 0, done.stdout

    def explained(self, output):
        """Return the code that devicekit names first for what a program printed."""
        command = [sys.executable, "-m", "devicekit", "explain", "-", "--json"]
        done = subprocess.run(command, input=output, capture_output=True, text=True)
        assert done.stderr == ""
        return json.loads(done.stdout)["findings"][0]["code"]

    def verify(self):
        """Return the exit status of `devicekit verify`, and whether TensorFlow did what was predicted."""
        command = [sys.executable, "-m", "devicekit", "verify", "--json", "--python", self.python]
        done = subprocess.run([*command, "--framework", "tensorflow"], capture_output=True, text=True)
        (row,) = json.loads(done.stdout)["frameworks"]
        return done.returncode, row["agrees"]

    def type(self, command):
        """Type a command as it was printed; its parts are joined by ``&&``."""
        for part in command.split(" && "):
            words = [os.path.expanduser(word) for word in shlex.split(part)]
            self._run([UV if words[0] == "uv" else words[0], *words[1:]])

    @staticmethod
    def _run(command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, (command, done.stdout)


@pytest.fixture
def environment(tmp_path):
    assert UV is not None, "uv is needed to make environments"
    return lambda version: Environment(str(tmp_path / "environment"), version)


def one_error(data):
    (finding,) = [item for item in data["findings"] if item["severity"] == "error"]
    return finding


def prediction(data):
    (status,) = [item for item in data["prediction"] if item["framework"] == "tensorflow"]
    return status


def test_numpy_2_under_tensorflow_2_10(environment):
    """Nothing pinned: the installer brings NumPy 2 and the import crashes."""
    there = environment("3.10")
    there.install("tensorflow-cpu==2.10.1")
    works, output = there.imports()
    assert not works
    assert "numpy" in output.lower()
    status, data = there.doctor()
    finding = one_error(data)
    assert (status, finding["code"]) == (1, "numpy-incompatible")
    assert prediction(data)["will_import"] is False
    assert there.explained(output) == "numpy-incompatible"
    assert there.verify() == (1, True)
    # The set as a whole: NumPy, and the setuptools that its TensorBoard can use.
    assert " numpy==1." in finding["fix"][0]["command"]
    there.type(finding["fix"][0]["command"])
    works, output = there.imports()
    assert works, output
    assert there.verify() == (0, True)
    status, data = there.doctor()
    assert status == 0
    predicted = prediction(data)
    assert [(item["device"], item["usable"]) for item in predicted.pop("candidates")] == [("cpu", True)]
    assert predicted == {
        "framework": "tensorflow", "version": "2.10.1", "will_import": True, "will_run_keras": True,
        "devices": ["CPU:0"], "cause": None,
    }  # fmt: skip


def test_two_distributions_and_one_is_uninstalled(environment):
    """tensorflow and tensorflow-directml share their folders; removing one takes files of the other along."""
    there = environment("3.7")
    there.install("tensorflow==1.15.5", "protobuf<4", "numpy<1.19")
    there.install("--no-deps", "tensorflow-directml==1.15.8", "tensorflow-estimator==1.15.1")
    _, data = there.doctor()
    codes = [item["code"] for item in data["findings"]]
    assert "distributions-conflict" in codes
    there.uninstall("tensorflow")
    works, _ = there.imports("import tensorflow as tf; tf.constant(1.0)")
    assert not works
    status, data = there.doctor()
    finding = one_error(data)
    assert (status, finding["code"]) == (1, "install-corrupt")
    assert prediction(data)["will_import"] is False
    there.type(finding["fix"][0]["command"])
    works, output = there.imports()
    assert works, output
    status, data = there.doctor()
    assert status == 0
    assert prediction(data)["will_import"] is True


def test_a_library_is_gone(environment):
    there = environment("3.11")
    there.install("tensorflow-cpu==2.15.1")
    assert there.doctor()[0] == 0
    site = os.path.join(os.path.dirname(os.path.dirname(there.python)), "lib", "python3.11", "site-packages")
    os.unlink(os.path.join(site, "tensorflow", "libtensorflow_framework.so.2"))
    status, data = there.doctor()
    finding = one_error(data)
    assert (status, finding["code"]) == (1, "install-corrupt")
    assert "libtensorflow_framework.so.2" in finding["evidence"][0]["text"]
    works, output = there.imports()
    assert not works
    assert there.explained(output) == "install-corrupt"
    there.type(finding["fix"][0]["command"])
    assert there.doctor()[0] == 0
    assert there.imports()[0]
