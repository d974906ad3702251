"""Fixes of findings: sets that work as a whole, worked out when someone looks."""

import os
import pickle
import re

import pytest
from packaging.requirements import Requirement

from devicekit.diagnosis.diagnose import run_rules
from devicekit.diagnosis.findings import Fix, LazyFixes
from devicekit.diagnosis.install_fixes import repair_install
from devicekit.diagnosis.view import View
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import SimulatedHost
from devicekit.matrix.matrix import Matrix
from devicekit.matrix.target import target_for
from devicekit.remedy.plan import plan
from devicekit.resolver.resolve import repair

KERAS = {
    "absl-py": "2.1.0", "h5py": "3.14.0", "markdown-it-py": "3.0.0", "ml-dtypes": "0.5.1", "namex": "0.0.8",
    "numpy": "1.26.4", "optree": "0.16.0", "packaging": "24.2", "pygments": "2.18.0", "rich": "13.9.4",
}  # fmt: skip

MACHINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines")


def commands(machine, code):
    diagnosis = run_rules(read_machine(SimulatedHost(os.path.join(MACHINES, machine)), deep=True), Matrix())
    (finding,) = [item for item in diagnosis.findings if item.code == code]
    return [fix.command for fix in finding.fix]


def installed_by(command):
    """Return name -> exact version of what a command installs."""
    words = re.findall(r'"([^"]+)"|(\S+)', command.rpartition(" install ")[2])
    requirements = [Requirement(quoted or plain) for quoted, plain in words]
    assert all(str(item.specifier).startswith("==") for item in requirements), command
    return {item.name: str(item.specifier)[2:] for item in requirements}


@pytest.mark.parametrize(
    "machine, code, expected",
    [
        ("linux-numpy-2-under-2.10", "numpy-incompatible", {"numpy": "1.26.4"}),
        ("linux-protobuf-4-under-2.10", "protobuf-incompatible", {"protobuf": "3.19.6"}),
        ("linux-keras-3-under-2.10", "keras-incompatible", {"keras": "2.10.0"}),
        ("linux-nvidia-no-cuda-libraries", "cuda-library-missing", {"tensorflow": "2.20.0"}),
        ("linux-two-tensorflows", "distributions-conflict", {"tensorflow": "2.15.1"}),
    ],
)
def test_as_little_as_possible_is_changed(machine, code, expected):
    assert installed_by(commands(machine, code)[0]) == expected


def test_a_step_installs_what_its_text_names(make_machine):
    """TensorFlow 2.15 needs another setuptools as well; of NumPy the data see nothing wrong, and the rule does."""
    installed = {"tensorflow-cpu": "2.15.1", "keras": "2.15.0", "numpy": "1.26.4", "setuptools": "84.2.1"}
    host = make_machine(python={"version": "3.11.7", "installed": installed})
    (fix,) = repair_install(View(read_machine(host), Matrix()), "Install a compatible NumPy", "numpy<2")
    assert "setuptools==81.0.0" in fix.command
    assert '"numpy<2"' in fix.command


@pytest.mark.parametrize("there, major", [("1.26.4", "1"), ("2.1.3", "2")])
def test_what_was_built_for_numpy_1_keeps_it(make_machine, there, major):
    python = {"version": "3.10.13", "installed": {"numpy": there, "onnxruntime": "1.17.3"}}
    machine = read_machine(make_machine(python=python, files={"/etc/os-release": 'PRETTY_NAME="Debian"\n'}))
    (fix,) = run_rules(machine, Matrix()).by_code("framework-missing").fix
    packages = installed_by(fix.command)
    assert packages["numpy"].partition(".")[0] == major
    assert packages["tensorflow-cpu"].startswith("2.")


@pytest.mark.parametrize("name", ["jax", "torch"])
def test_keras_gets_the_framework_that_its_user_chose(make_machine, name):
    python = {"version": "3.10.13", "installed": dict(KERAS, keras="3.10.0")}
    files = {"/etc/os-release": 'PRETTY_NAME="Debian"\n'}
    machine = read_machine(make_machine(python=python, files=files, env={"KERAS_BACKEND": name}))
    (fix,) = run_rules(machine, Matrix()).by_code("framework-missing").fix
    assert installed_by(fix.command.partition(" --index-url")[0])[name]
    assert ("--index-url https://download.pytorch.org/" in fix.command) == (name == "torch")
    # What PyTorch's index has comes with what the release requires: it helps in this environment.
    remedy = plan(machine)
    assert not remedy.attempts[0].environment
    assert remedy.attempts[0].packages == fix.packages


def test_another_build_comes_with_what_it_needs():
    (command,) = commands("linux-nvidia-tensorflow-cpu", "cpu-only-build")
    assert "uninstall -y tensorflow-cpu" in command
    assert '"tensorflow[and-cuda]==2.20.0"' in command
    assert "nvidia-cudnn-cu12==" in command
    *better, plugin_command = commands("windows-amd-stock-tensorflow", "gpu-vendor-unsupported")
    assert len(better) == 1  # an RX 6700 XT has AMD's development builds of PyTorch, which are described elsewhere
    plugin = installed_by(plugin_command)
    assert plugin["tensorflow-cpu"] == "2.10.0"
    assert plugin["numpy"].startswith("1.")


def test_metal_changes_the_tensorflow_only_where_it_must():
    # TensorFlow 2.16 is installed there, which an older plug-in goes with.
    assert installed_by(commands("macos-apple-silicon", "metal-plugin-missing")[0]) == {"tensorflow-metal": "1.1.0"}
    target = target_for("macos-arm64", "3.11")
    changed = repair(Matrix(), target, {"tensorflow": "2.20.0"}, ["tensorflow-metal", "tensorflow"])
    assert changed is not None
    assert {item.partition("==")[0] for item in changed} == {"tensorflow", "tensorflow-metal"}


def test_an_environment_that_works_is_left_alone():
    installed = {"tensorflow-cpu": "2.10.1", "numpy": "1.24.2", "protobuf": "3.19.6", "keras": "2.10.0"}
    roots = ["tensorflow-cpu==2.10.1", "keras"]
    assert repair(Matrix(), target_for("linux-x86_64", "3.10"), installed, roots) == ()
    broken = dict(installed, numpy="2.0.1")
    assert repair(Matrix(), target_for("linux-x86_64", "3.10"), broken, roots) == ("numpy==1.26.4",)


def test_what_is_missing_is_chosen_to_go_with_what_is_there():
    # The newest ml-dtypes requires NumPy 2: it would move a NumPy that TensorFlow takes.
    installed = {"tensorflow-cpu": "2.18.1", "numpy": "1.26.4", "protobuf": "5.29.5", "keras": "3.8.0"}
    roots = ["tensorflow-cpu==2.18.1"]
    changed = repair(Matrix(), target_for("linux-x86_64", "3.10"), installed, roots, missing=["ml-dtypes"])
    assert [text.partition("==")[0] for text in changed] == ["ml-dtypes"]
    assert repair(Matrix(), target_for("linux-x86_64", "3.10"), dict(installed, numpy="a"), roots) is not None


def test_no_set_is_no_answer():
    roots = ["tensorflow-cpu==2.10.1"]
    assert repair(Matrix(), target_for("linux-x86_64", "3.12"), {"tensorflow-cpu": "2.10.1"}, roots) is None


def test_fixes_are_worked_out_once_and_only_when_looked_at():
    calls = []

    def make():
        calls.append(1)
        return (Fix("do it", "now"),)

    fixes = LazyFixes(make)
    assert calls == []
    assert fixes[0].command == "now"
    assert len(fixes) == 1
    assert fixes == (Fix("do it", "now"),)
    assert hash(fixes) == hash((Fix("do it", "now"),))
    assert pickle.loads(pickle.dumps(fixes)) == fixes
    assert calls == [1]


def test_the_rules_alone_load_no_resolver(python):
    code = """
import sys
from devicekit.matrix.matrix import Matrix
from devicekit.diagnosis.install_fixes import repair_install
from devicekit.diagnosis.view import View
from devicekit.machine.probe import read_machine
from devicekit.diagnosis.diagnose import run_rules
from devicekit.machine.simulated import SimulatedHost
diagnosis = run_rules(read_machine(SimulatedHost(%r), deep=True), Matrix())
assert diagnosis.findings
print('resolvelib' in sys.modules)
diagnosis.findings[0].fix[0]
print('resolvelib' in sys.modules)
""" % os.path.join(MACHINES, "linux-numpy-2-under-2.10")
    assert python(code).split() == ["False", "True"]


def test_a_report_survives_without_the_engine(python):
    """An odd environment may lack resolvelib, or bring one that does not work: the rule's own bounds are printed then."""
    code = """
import sys
sys.modules['resolvelib'] = None  # its import fails
from devicekit.matrix.matrix import Matrix
from devicekit.diagnosis.install_fixes import repair_install
from devicekit.diagnosis.view import View
from devicekit.machine.probe import read_machine
from devicekit.diagnosis.diagnose import run_rules
from devicekit.machine.simulated import SimulatedHost
diagnosis = run_rules(read_machine(SimulatedHost(%r), deep=True), Matrix())
print(diagnosis.findings[0].fix[0].command)
""" % os.path.join(MACHINES, "linux-numpy-2-under-2.10")
    assert '"numpy<2' in python(code)
