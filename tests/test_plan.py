"""What `devicekit fix` would change: each way is the smallest that the diagnosis of the changed machine calls working."""

import os

import pytest
import recorded_machines

from devicekit import select_device
from devicekit.diagnosis.diagnose import run_rules
from devicekit.diagnosis.findings import Packages
from devicekit.machine.facts import Fact
from devicekit.machine.probe import read_machine
from devicekit.matrix.matrix import BUNDLED
from devicekit.matrix.target import target_of
from devicekit.remedy.layout import Layout, why_not_changed
from devicekit.remedy.plan import plan
from devicekit.remedy.predicted import exact, import_name, predict, predict_new
from devicekit.remedy.run import _free_folder, plan_separate
from devicekit.report.screen import doctor_screen
from devicekit.report.terminal import Style
from devicekit.testing import load

#: Machines with what the first attempt does: (remove, install, reinstall, aside), and whether the release stays.
FIRST = {
    "linux-numpy-2-under-2.10": ((), ("numpy==1.",), (), (), True),
    "linux-protobuf-4-under-2.10": ((), ("protobuf==3.",), (), (), True),
    "linux-keras-3-under-2.10": ((), ("keras==2.10.",), (), (), True),
    "linux-install-corrupt": ((), (), ("tensorflow-cpu==2.20.0",), (), True),
    "linux-shadowed": ((), (), (), ("/project/tensorflow.py",), True),
    "linux-directml-plugin-under-2.15": (("tensorflow-directml-plugin",), (), (), (), True),
    "linux-nothing-installed": ((), ("tensorflow-cpu==",), (), (), True),
    "linux-jaxlib-no-avx2": ((), ("jaxlib==0.11.",), (), (), True),
    "linux-glibc-too-old": (("tensorflow-cpu",), ("tensorflow-cpu==2.20.0",), (), (), False),
}

#: Machines where something is wrong and no installer helps: it is the system, the hardware, a variable.
LEFT = (
    "linux-alpine", "linux-amd-rocm-missing", "linux-intel-no-compute-runtime", "linux-jax-platforms-cuda", "linux-no-avx",
    "windows-32-bit", "windows-no-msvc-runtime", "wsl2-directml-bridge-fails", "wsl2-without-dxg",
)  # fmt: skip


def installed(name):
    return recorded_machines.load_machine(name)


def after(machine, packages, **brought):
    return predict(machine, BUNDLED, target_of(machine, BUNDLED), packages, brought)


@pytest.mark.parametrize("name", sorted(FIRST))
def test_the_first_attempt_is_the_smallest_change(name):
    remove, install, reinstall, aside, keeps = FIRST[name]
    remedy = plan(installed(name))
    assert remedy.outcome == "planned"
    first = remedy.attempts[0]
    assert first.packages.remove == remove
    assert first.packages.reinstall == reinstall
    assert first.aside == aside
    assert first.keeps_release is keeps
    for beginning in install:
        assert any(text.startswith(beginning) for text in first.packages.install), first.packages.install
    assert bool(first.packages.install) == bool(install)


@pytest.mark.parametrize("name", LEFT)
def test_what_no_installer_can_do_is_left_to_the_user(name):
    remedy = plan(installed(name))
    assert remedy.outcome == "no-plan"
    assert remedy.attempts == ()
    assert remedy.left


@pytest.mark.slow
def test_nothing_is_changed_where_nothing_is_wrong_and_every_attempt_is_predicted_to_work():
    wrong = []
    for name in recorded_machines.NAMES:
        machine, before = installed(name), recorded_machines.diagnosis(name)
        failing = [item.framework for item in before.frameworks if False in (item.will_import, item.will_run_keras)]
        idle = [item for item in before.findings if any(map(item.keeps_from_gpus, ("tensorflow", "jax", "torch")))]
        remedy = plan(machine)
        if not failing and not idle and remedy.outcome != "nothing-wrong":
            wrong.append("%s: nothing fails, and %s is planned" % (name, remedy.attempts[:1]))
        for attempt in remedy.attempts if not any(item.environment for item in remedy.attempts) else ():
            if attempt.aside:
                continue
            brought = {item.name: item.after for item in attempt.changes if item.after and not item.before}
            changed = after(machine, attempt.packages, **brought)
            environ = tuple(item for item in changed.process.environ if item[0] not in attempt.unset)
            diagnosis = run_rules(changed.replace(process=changed.process.replace(environ=environ)), BUNDLED)
            works = {item.framework: item.will_import for item in diagnosis.frameworks}
            if False in works.values() and "dependency-incompatible" not in {
                item.cause for item in diagnosis.frameworks
            }:
                wrong.append("%s: %s leaves %s" % (name, attempt.reason, works))
        order = [item.keeps_release for item in remedy.attempts]
        if order != sorted(order, reverse=True):
            wrong.append("%s: an attempt that changes the release comes before one that keeps it" % name)
    assert wrong == []


def test_a_release_that_stays_is_said_to_stay():
    remedy = plan(installed("linux-numpy-2-under-2.10"))
    for attempt in remedy.attempts:
        changed = {item.name for item in attempt.changes}
        assert attempt.keeps_release is ("tensorflow-cpu" not in changed)
        assert ("release changes" in attempt.reason) is not attempt.keeps_release


@pytest.mark.parametrize(
    "name, beginning",
    [
        ("linux-nvidia-no-cuda-libraries", "tensorflow[and-cuda]==2.20.0"),
        ("linux-nvidia-jax-cpu-only", "jax[cuda13]==0.7.2"),
        ("linux-nvidia-jax-no-cudnn", "jax[cuda12]==0.6.2"),
        ("macos-apple-silicon", "tensorflow-metal==1.1.0"),
    ],
)
def test_a_gpu_that_is_idle_is_brought_in_without_another_release(name, beginning):
    first = plan(installed(name)).attempts[0]
    assert first.packages.install[0] == beginning
    assert first.keeps_release
    # For the CPU alone nothing has to be changed.
    assert plan(installed(name), "cpu").outcome == "nothing-wrong"


def test_a_missing_driver_is_left_to_an_administrator():
    remedy = plan(installed("linux-nvidia-driver-missing"))
    assert remedy.outcome == "no-plan"
    assert remedy.left[0].who == "admin"


def test_a_variable_is_not_worked_around_by_another_release():
    machine = installed("linux-xla-flags-unknown")
    remedy = plan(machine)
    (attempt,) = remedy.attempts
    assert (attempt.unset, attempt.packages, attempt.keeps_release) == (("TF_XLA_FLAGS",), Packages(), True)
    assert next(step.command for step in remedy.left) == "unset TF_XLA_FLAGS"
    fixed = machine.replace(process=machine.process.replace(environ=()))
    assert plan(fixed).outcome == "nothing-wrong"


def test_of_an_environment_that_works_a_warning_is_left_to_the_user():
    remedy = plan(installed("linux-nvidia-torch-numpy-2"))
    assert (remedy.outcome, remedy.attempts) == ("nothing-wrong", ())
    assert [(step.command, step.who) for step in remedy.left] == [('python -m pip install "numpy<2"', "user")]
    assert "warnings are left to you" in remedy.summary
    # What is wrong with a framework that is not used is left out.
    other = plan(installed("linux-nvidia-jax-beside-broken-tensorflow"))
    assert (other.left, other.summary) == ((), "Nothing has to be changed.")


def test_what_is_not_known_is_not_said_to_need_nothing():
    machine = installed("wsl2-nvidia")
    found = machine.python.distributions.value
    assert plan(machine).summary == "Nothing has to be changed."
    later = Fact.of(
        tuple(item.replace(version=Fact.of("2.99.0")) if item.name == "tensorflow" else item for item in found)
    )
    remedy = plan(machine.replace(python=machine.python.replace(distributions=later)))
    assert remedy.outcome == "nothing-wrong"
    assert remedy.summary.startswith("Nothing is known to be wrong; whether all of it works is not known:")


def test_what_chooses_a_device_or_a_backend_is_never_unset():
    machine = installed("linux-jax-platforms-cuda")
    remedy = plan(machine)
    assert remedy.attempts == ()
    assert next(step.command for step in remedy.left) == "unset JAX_PLATFORMS"


def test_two_distributions_of_one_package_are_removed_before_one_is_installed():
    machine = installed("linux-numpy-2-under-2.10")
    found = machine.python.distributions.value
    own = next(item for item in found if item.name == "tensorflow-cpu")
    broken = own.replace(missing_files=("tensorflow/__init__.py",), missing_count=1)
    other = broken.replace(name="tensorflow", version=Fact.of("2.12.0"), location=own.location.replace("_cpu", ""))
    rest = tuple(item for item in found if item is not own)
    python = machine.python.replace(distributions=Fact.of((*rest, broken, other)), builds=())
    first = plan(machine.replace(python=python)).attempts[0]
    assert set(first.packages.remove) == {"tensorflow", "tensorflow-cpu"}
    assert len([text for text in first.packages.install if text.startswith("tensorflow")]) == 1


def test_a_python_without_wheels_gets_a_new_environment():
    machine = installed("linux-nothing-installed")
    numpy_runs = machine.native.replace(cpu_flags=Fact.unknown("not asked"))
    python = machine.python.replace(version="3.15.0")
    (attempt,) = plan(machine.replace(python=python, native=numpy_runs)).attempts
    assert attempt.python == "3.13"
    assert attempt.environment.endswith("-3.13")
    assert "no wheel for Python 3.15" in attempt.reason


@pytest.mark.parametrize(
    "text, name, version",
    [("numpy==1.26.4", "numpy", "1.26.4"), ("jax[cuda12]==0.6.2", "jax", "0.6.2"), ("numpy<2", "numpy", ""),
     ("tensorflow==2.10.*", "tensorflow", ""), ("ml_dtypes==0.5.0", "ml-dtypes", "0.5.0")],
)  # fmt: skip
def test_what_a_requirement_installs(text, name, version):
    assert exact(text) == (name, version)


def test_the_import_package_of_a_distribution():
    assert import_name("tensorflow-cpu") == "tensorflow"
    assert import_name("protobuf") == "google.protobuf"
    assert import_name("ml-dtypes") == "ml_dtypes"


def test_a_predicted_machine_has_the_packages_and_whole_files():
    machine = installed("linux-install-corrupt")
    whole = after(machine, Packages(reinstall=("tensorflow-cpu==2.20.0",)))
    assert whole.python.distribution("tensorflow-cpu").missing_count == 0
    # An installer leaves alone what is there in this version, damaged or not.
    same = after(machine, Packages(install=("tensorflow-cpu==2.20.0",)))
    assert same.python.distribution("tensorflow-cpu").missing_count > 0
    gone = after(machine, Packages(remove=("tensorflow-cpu",)))
    assert gone.python.distribution("tensorflow-cpu") is None
    assert gone.python.package("tensorflow") is None
    assert gone.python.build("tensorflow") is None


def test_a_predicted_release_says_what_it_was_built_for():
    machine = installed("linux-numpy-2-under-2.10")
    changed = after(machine, Packages(remove=("tensorflow-cpu",), install=("tensorflow==2.15.1",)))
    build = changed.python.build("tensorflow")
    assert (build.version.value, build.cuda.value) == ("2.15.1", True)
    assert changed.python.version_of("tensorflow") == "2.15.1"


def test_a_new_environment_is_empty_and_has_the_other_python():
    machine = predict_new(installed("linux-install-corrupt"), "3.9")
    assert machine.python.version == "3.9.0"
    assert machine.python.distributions.value == ()
    assert machine.python.package("tensorflow") is None


def test_a_backend_that_does_not_train_is_its_users_choice():
    machine = installed("linux-jax-platforms-cuda")
    environ = (("KERAS_BACKEND", "numpy"),)
    remedy = plan(machine.replace(process=machine.process.replace(environ=environ)))
    (step,) = remedy.left
    assert step.command == "export KERAS_BACKEND=jax"
    assert "does not train" in step.text


@pytest.mark.parametrize("goal", ["gpu", "cuda", "xpu"])
def test_no_release_makes_up_for_a_gpu_that_is_not_there(goal):
    remedy = plan(load("linux-cpu"), goal)
    assert (remedy.outcome, remedy.attempts) == ("no-plan", ())
    assert [item.code for item in remedy.findings] == ["no-gpu"]


def test_the_cpu_is_the_fastest_where_there_is_no_gpu():
    assert plan(load("linux-cpu"), "fastest").outcome == "nothing-wrong"
    assert plan(load("linux-cpu-only-build"), "fastest").outcome == "planned"


def test_a_goal_that_no_release_reaches_says_where_the_reason_is():
    remedy = plan(load("linux-nvidia"), "directml")
    assert remedy.outcome == "no-plan"
    assert "'devicekit resolve directml --python 3.11' says why" in remedy.summary


def test_an_unknown_goal_is_an_error():
    with pytest.raises(ValueError, match="unknown goal 'cudda'; did you mean cuda"):
        plan(load("linux-cpu"), "cudda")


#: Saving a model as HDF5 fails with this h5py, and nothing else does.
SAVES_NOT = {
    "tensorflow": "1.15.0", "numpy": "1.19.5", "protobuf": "3.20.3", "h5py": "3.8.0", "six": "1.16.0", "wrapt": "1.16.0",
    "absl-py": "1.4.0", "astor": "0.8.1", "gast": "0.2.2", "google-pasta": "0.2.0", "grpcio": "1.62.3", "termcolor": "2.3.0",
    "keras-applications": "1.0.8", "keras-preprocessing": "1.1.2", "opt-einsum": "3.3.0", "tensorboard": "1.15.0",
    "tensorflow-estimator": "1.15.1", "wheel": "0.42.0", "setuptools": "67.0.0", "werkzeug": "2.2.3", "markdown": "3.4.4",
}  # fmt: skip


@pytest.mark.parametrize("changed, fixes", [({}, False), ({"protobuf": "4.21.6"}, True)])
def test_the_doctor_names_fix_where_fix_does_something(make_machine, changed, fixes):
    installed = dict(SAVES_NOT, **changed)
    machine = read_machine(make_machine(python={"version": "3.7.16", "installed": installed}), deep=True)
    diagnosis = run_rules(machine, BUNDLED)
    assert diagnosis.findings[0].severity == ("error" if fixes else "warning")
    text = doctor_screen(machine, diagnosis, select_device(machine=machine), Style(width=160))
    assert "pip install" in text
    assert ("devicekit fix" in text) is fixes
    assert (plan(machine).outcome == "planned") is fixes


#: What TensorFlow 2.19, and Keras on PyTorch, need.
NEEDED = {
    "absl-py": "2.1.0", "astunparse": "1.6.3", "certifi": "2024.7.4", "idna": "3.7",
    "flatbuffers": "24.3.25", "gast": "0.5.4", "google-pasta": "0.2.0",
    "grpcio": "1.66.0", "h5py": "3.12.1", "libclang": "18.1.1", "ml-dtypes": "0.5.1", "namex": "0.0.8", "numpy": "2.1.3",
    "opt-einsum": "3.4.0", "optree": "0.13.1", "packaging": "24.2", "protobuf": "5.29.3", "requests": "2.32.3",
    "rich": "13.9.4", "setuptools": "75.0.0", "six": "1.17.0", "termcolor": "2.5.0", "typing-extensions": "4.12.2",
    "urllib3": "2.3.0", "wrapt": "1.17.0", "keras": "3.10.0",
}  # fmt: skip
TENSORFLOW = dict(NEEDED, **{"tensorflow-cpu": "2.19.1"})
TORCH = dict(
    NEEDED,
    torch="2.6.0",
    filelock="3.13.1",
    jinja2="3.1.4",
    fsspec="2024.6.1",
    networkx="3.3",
    sympy="1.13.1",
    mpmath="1.3.0",
)


def machine_with(make_machine, installed, env=None, files=None, **python):
    python = dict({"version": "3.12.1"}, installed=installed, **python)
    return read_machine(make_machine(python=python, env=env or {}, home="/h", files=files or {}), deep=True)


@pytest.mark.parametrize(
    "installed, chosen, command",
    [
        (TENSORFLOW, "openvino", "unset KERAS_BACKEND"),
        (TENSORFLOW, "theano", "unset KERAS_BACKEND"),
        (TENSORFLOW, "pytorch", "unset KERAS_BACKEND"),
        (TENSORFLOW, "TensorFlow", "unset KERAS_BACKEND"),
        (TORCH, None, "export KERAS_BACKEND=torch"),
        (TORCH, "PyTorch", "export KERAS_BACKEND=torch"),
        (dict(TORCH, **{"tensorflow-cpu": "2.19.1"}), "pytorch", "export KERAS_BACKEND=torch"),
    ],
)
def test_a_backend_that_is_there_costs_nothing(make_machine, installed, chosen, command):
    machine = machine_with(make_machine, installed, {"KERAS_BACKEND": chosen} if chosen else {})
    (finding,) = [item for item in run_rules(machine, BUNDLED).findings if item.severity == "error"]
    assert finding.fix[0].command == command
    # The shell's variable is its user's, and no package replaces it.
    remedy = plan(machine)
    assert (remedy.outcome, remedy.attempts) == ("no-plan", ())
    assert [step.command for step in remedy.left] == [command]
    assert "Nothing has to be installed" in remedy.summary


@pytest.mark.parametrize(
    "installed, chosen, index, otherwise",
    [
        (TENSORFLOW, "jax", "", "unset KERAS_BACKEND"),
        (TENSORFLOW, "torch", "https://download.pytorch.org/whl/cpu", "unset KERAS_BACKEND"),
        (TORCH, "jax", "", "export KERAS_BACKEND=torch"),
    ],
)
def test_the_backend_that_a_variable_names_is_installed(make_machine, installed, chosen, index, otherwise):
    """Its user has chosen it: what is there stays as it is, and another one is named as the other way."""
    machine = machine_with(make_machine, installed, {"KERAS_BACKEND": chosen})
    (finding,) = [item for item in run_rules(machine, BUNDLED).findings if item.severity == "error"]
    install, select = finding.fix
    assert (select.command, select.instead) == (otherwise, True)
    (requirement,) = install.packages.install
    assert (exact(requirement).name, install.packages.index_url) == (chosen, index)
    remedy = plan(machine)
    assert remedy.attempts[0].packages == install.packages
    assert not [item for item in remedy.attempts[0].changes if item.before]
    # A user who cannot reach PyTorch's index gets the same release from the configured one.
    assert [item.packages.index_url for item in remedy.attempts[1:]] == [""]
    assert [step.text[:9] for step in remedy.left] == (["Or unset "] if otherwise.startswith("unset") else [])


def test_a_backend_without_a_wheel_is_not_installed(make_machine):
    """No release of PyTorch is for Python 3.13 on a Mac with an Intel processor."""
    installed = dict(NEEDED, jax="0.4.38", jaxlib="0.4.38", scipy="1.15.3")
    python = {"version": "3.13.1", "installed": installed, "architecture": "x86_64"}
    host = make_machine(system="macos", release="14.0", python=python, env={"KERAS_BACKEND": "torch"})
    machine = read_machine(host, deep=True)
    (finding,) = [item for item in run_rules(machine, BUNDLED).findings if item.severity == "error"]
    assert [step.command for step in finding.fix[:1]] == ["export KERAS_BACKEND=jax"]
    assert plan(machine).attempts == ()


@pytest.mark.parametrize("jaxlib", [{"jaxlib": "0.5.3"}, {}])
def test_of_a_backend_that_is_there_and_broken_only_that_is_repaired(make_machine, jaxlib):
    """Keras takes TensorFlow by default: selecting what is there is its user's step, and no reason to install TensorFlow."""
    installed = dict(TORCH, jax="0.6.2", scipy="1.15.3", **{"opt-einsum": "3.4.0"}, **jaxlib)
    del installed["torch"]
    needs = "Metadata-Version: 2.1\nName: jax\nVersion: 0.6.2\nRequires-Dist: jaxlib<=0.6.2,>=0.6.2\n\n"
    files = {"/venv/lib/python3.12/site-packages/jax-0.6.2.dist-info/METADATA": needs}
    remedy = plan(machine_with(make_machine, installed, files=files))
    assert remedy.attempts[0].packages == Packages(install=("jaxlib==0.6.2",))
    assert [step.command for step in remedy.left] == ["export KERAS_BACKEND=jax"]
    assert [item.code for item in remedy.findings] == ["framework-missing", "dependency-incompatible"]


def test_what_a_variable_brings_in_is_not_repaired_by_packages(make_machine):
    """A NumPy for Python 3.10 that PYTHONPATH names, before the right one."""
    info = "/venv/lib/python3.12/site-packages/numpy-2.1.3.dist-info"
    files = {info + "/WHEEL": "Wheel-Version: 1.0\nTag: cp310-cp310-manylinux_2_17_x86_64\n", info + "/RECORD": ""}
    machine = machine_with(make_machine, TENSORFLOW, {"PYTHONPATH": "/venv/lib/python3.12/site-packages"}, files)
    remedy = plan(machine)
    assert (remedy.outcome, remedy.attempts) == ("no-plan", ())
    assert [step.command for step in remedy.left] == ["unset PYTHONPATH"]


@pytest.mark.parametrize(
    "protobuf, summary", [("5.29.3", "Nothing has to be inst"), ("3.19.6", "A setting of yours has")]
)
def test_what_is_wrong_behind_a_variable_is_said(make_machine, protobuf, summary):
    """The NumPy for Python 3.10 that PYTHONPATH brings in stops everything before the import comes to protobuf."""
    other, site = "/other/lib/python3.10/site-packages", "/venv/lib/python3.12/site-packages"
    info = other + "/numpy-1.26.4.dist-info"
    files = {
        info + "/WHEEL": "Wheel-Version: 1.0\nTag: cp310-cp310-manylinux_2_17_x86_64\n",
        info + "/METADATA": "Metadata-Version: 2.1\nName: numpy\nVersion: 1.26.4\n\n",
        info + "/RECORD": "",
    }
    installed = dict(TENSORFLOW, protobuf=protobuf)
    machine = machine_with(make_machine, installed, {"PYTHONPATH": other}, files, sys_path=["/project", other, site])
    remedy = plan(machine)
    assert (remedy.outcome, remedy.attempts) == ("no-plan", ())
    assert remedy.summary.startswith(summary)
    assert ("protobuf-incompatible" in remedy.summary) == (protobuf == "3.19.6")
    assert [step.command for step in remedy.left] == ["unset PYTHONPATH"]


@pytest.mark.parametrize("other, after", [("/usr/lib/python3/dist-packages", True), ("/opt/mine", False)])
def test_of_a_package_that_is_there_twice_the_first_on_the_path_counts(make_machine, other, after):
    """An environment sees the system's packages; or a ``.pth`` puts a folder before its own, and it is not written to."""
    site = "/venv/lib/python3.12/site-packages"
    installed = dict(TENSORFLOW, keras="3.3.3", protobuf="4.25.8", **{"tensorflow-cpu": "2.16.2", "ml-dtypes": "0.3.2"})
    good, bad = "1.26.4", "1.20.3"
    installed["numpy"], hidden = (bad, good) if after else (good, bad)
    files = {"%s/numpy-%s.dist-info/METADATA" % (other, hidden): "Name: numpy\nVersion: %s\n\n" % hidden}
    path = ["/project", site, other] if after else ["/project", other, site]
    first = plan(machine_with(make_machine, installed, files=files, sys_path=path)).attempts[0]
    # What comes before the environment's own stays the first, whatever is installed.
    assert bool(first.environment) is not after
    assert (first.packages.install == ("numpy==" + good,)) is after
    # Nor is the release to blame: another environment gets it as well.
    assert after or any(text.startswith("tensorflow") and "==2.16.2" in text for text in first.packages.install)


def test_an_environment_that_is_read_only_is_not_changed():
    machine = installed("linux-numpy-2-under-2.10")
    layout = Layout("/venv/bin/python", "/venv", "/usr", ("/venv/lib",), "/venv/bin", "/usr/lib")
    python = machine.python.replace(environment="venv")
    for writable, reason in (
        (Fact.of(True, ""), None),
        (Fact.unknown("not asked"), None),
        (Fact.of(False, ""), "read-only"),
    ):
        found = why_not_changed(layout, python.replace(writable=writable))
        assert found is None if reason is None else reason in str(found)


def test_of_a_file_with_a_backend_both_say_the_same(make_machine):
    files = {"/h/.keras/keras.json": '{"backend": "jax"}'}
    machine = machine_with(make_machine, TENSORFLOW, files=files)
    text = doctor_screen(machine, run_rules(machine, BUNDLED), select_device(machine=machine), Style(width=160))
    assert "Fix   Rename ~/.keras/keras.json: Keras then takes TensorFlow, which is installed" in text
    assert "devicekit fix" not in text
    assert [item.aside for item in plan(machine).attempts] == [("~/.keras/keras.json",)]
    # Without the file Keras would take TensorFlow, which is not there.
    remedy = plan(machine_with(make_machine, TORCH, files=files))
    assert remedy.attempts == ()
    assert remedy.left[0].text == 'Set "backend": "torch" in ~/.keras/keras.json: it is installed'


def needs(name, version, *requires):
    """Return the file with what a distribution requires."""
    path = "/venv/lib/python3.12/site-packages/%s-%s.dist-info/METADATA" % (name.replace("-", "_"), version)
    lines = [
        "Metadata-Version: 2.1",
        "Name: " + name,
        "Version: " + version,
        *("Requires-Dist: " + text for text in requires),
    ]
    return {path: "\n".join(lines) + "\n\n"}


CUDA_12 = {"nvidia-nccl-cu12": "2.19.3", "nvidia-cudnn-cu12": "8.9.2.26", "nvidia-cublas-cu12": "12.1.3.1"}


def test_what_distributions_require_that_no_framework_has(tmp_path):
    for name, text in (
        ("one-1.0.dist-info", "Name: one\nRequires-Dist: Nvidia_NCCL.cu12>=2; extra == 'a'\n\n"),
        ("two-1.dist-info", "Name: two\nRequires-Dist: six\n\n"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "METADATA").write_text(text)
    layout = Layout("python", str(tmp_path), "", (str(tmp_path),), "", "")
    assert layout.required_by_others({"two"}) == {"nvidia-nccl-cu12"}


@pytest.mark.parametrize("user", [(), ("nvidia-cublas-cu12",), ("nvidia-cudnn-cu12>=8 ; extra == 'cuda'",)])
def test_what_only_the_replaced_release_needed_goes_with_it(make_machine, user):
    """Keras 3.13 needs a PyTorch for CUDA 13, whose NCCL overwrites that of the one for CUDA 12."""
    installed = dict(TORCH, torch="2.2.2", keras="3.15.0", **CUDA_12)
    files = needs("torch", "2.2.2", "numpy", *("%s==%s" % item for item in CUDA_12.items()))
    files.update(needs("nvidia-cudnn-cu12", "8.9.2.26", "nvidia-cublas-cu12"))
    files.update(needs("rich", "13.9.4", *user))
    machine = machine_with(make_machine, installed, {"KERAS_BACKEND": "torch"}, files)
    first = plan(machine).attempts[0]
    assert {item.name: item.before for item in first.changes}["torch"] == "2.2.2"
    # Of what something else requires, nothing goes, nor what that requires.
    kept = ("nvidia-cublas-cu12", *(("nvidia-cudnn-cu12",) if "cudnn" in user[0] else ())) if user else ()
    assert set(first.packages.remove) == set(CUDA_12) - set(kept)
    # What the facts leave out may require some as well.
    assert plan(machine, required=frozenset(CUDA_12)).attempts[0].packages.remove == ()


def test_a_release_stays_where_what_is_not_known_of_a_project_can_be_asked_for(make_machine):
    """Nothing is recorded of wrapt's releases: the requirement is all that there is, and it does not hold yet."""
    machine = machine_with(make_machine, dict(TENSORFLOW, **{"typing-extensions": "4.5.0", "wrapt": "1.10.11"}))
    first = plan(machine).attempts[0]
    assert first.keeps_release
    assert "wrapt>=1.14" in first.packages.install
    assert "install wrapt>=1.14" in first.reason
    assert {item.name for item in first.changes} >= {"typing-extensions"}
    # The command for the first finding would leave the other one.
    text = doctor_screen(machine, run_rules(machine, BUNDLED), select_device(machine=machine), Style(width=160))
    assert "Fix   devicekit fix" in text
    alone = machine_with(make_machine, dict(TENSORFLOW, wrapt="1.10.11"))
    text = doctor_screen(alone, run_rules(alone, BUNDLED), select_device(machine=alone), Style(width=160))
    assert 'pip install "wrapt>=1.14"   or: devicekit fix' in text


@pytest.mark.parametrize("keras", [True, False])
def test_what_a_lost_tensorflow_was_is_installed_again(make_machine, keras):
    """An installation that was stopped half-way: no metadata, and its header says the release."""
    site = "/venv/lib/python3.12/site-packages/tensorflow/"
    header = "".join("#define TF_%s_VERSION %d\n" % item for item in (("MAJOR", 2), ("MINOR", 19), ("PATCH", 1)))
    files = {site + "__init__.py": "from tensorflow.python.ops import math_ops\n"}
    files[site + "include/tensorflow/core/public/version.h"] = header
    machine = machine_with(
        make_machine, {name: NEEDED[name] for name in NEEDED if keras or name != "keras"}, files=files
    )
    assert "tensorflow-cpu==2.19.1" in plan(machine).attempts[0].packages.install


def test_what_keras_declares_comes_in_one_go(make_machine):
    """Installed with --no-deps: it is imported without h5py and namex, and saves no model."""
    installed = {name: version for name, version in TORCH.items() if name not in ("rich", "optree", "h5py", "namex")}
    files = needs("keras", "3.10.0", "absl-py", "numpy", "rich", "namex", "h5py", "optree", "ml-dtypes", "packaging")
    machine = machine_with(make_machine, installed, {"KERAS_BACKEND": "torch"}, files)
    (finding,) = [item for item in run_rules(machine, BUNDLED).findings if item.severity == "error"]
    assert "needs rich, optree, which are not installed" in finding.summary
    for packages in (finding.fix[0].packages, plan(machine).attempts[0].packages):
        assert {"rich", "optree", "h5py", "namex"} <= {exact(text).name for text in packages.install}
    # Where nothing else is missing, nothing is wrong with the import.
    there = dict(installed, rich="13.9.4", optree="0.13.1")
    machine = machine_with(make_machine, there, {"KERAS_BACKEND": "torch"}, files)
    assert plan(machine).outcome == "nothing-wrong"
    # Saving is another matter: it is said, and nothing is called broken.
    (finding,) = [item for item in run_rules(machine, BUNDLED).findings if item.code == "dependency-incompatible"]
    assert (finding.severity, finding.blocks, finding.fix[0].packages.install) == ("warning", (), ("h5py",))
    assert "models can't be saved as HDF5" in finding.summary
    whole = machine_with(make_machine, dict(there, h5py="3.12.1"), {"KERAS_BACKEND": "torch"}, files)
    assert run_rules(whole, BUNDLED).by_code("dependency-incompatible") is None


def test_a_command_that_is_not_enough_is_no_other_way_to_say_fix(make_machine):
    """JAX 0.4.20 needs NumPy 1; this Keras needs a newer JAX, which works with the NumPy that is there."""
    jax = {"jax": "0.4.20", "jaxlib": "0.4.20", "scipy": "1.17.1", "numpy": "2.4.6", "keras": "3.15.0"}
    machine = machine_with(make_machine, dict(NEEDED, **jax), {"KERAS_BACKEND": "jax"}, version="3.11.7")
    text = doctor_screen(machine, run_rules(machine, BUNDLED), select_device(machine=machine), Style(width=160))
    assert "devicekit fix" in text
    assert "or: devicekit fix" not in text


def test_what_is_removed_and_comes_back_with_another_release_is_changed():
    """On Windows tensorflow-cpu is empty and requires the tensorflow-intel of its release."""
    (attempt,) = plan(recorded_machines.load_machine("windows-amd-stock-tensorflow")).attempts
    assert "tensorflow-intel" in attempt.packages.remove
    (change,) = (item for item in attempt.changes if item.name == "tensorflow-intel")
    assert (change.before, change.after) == ("2.15.1", "2.10.0")


def test_a_gpu_that_only_another_python_can_use_gets_a_new_environment():
    machine = recorded_machines.load_machine("windows-amd-stock-tensorflow")
    machine = machine.replace(python=machine.python.replace(version="3.11.9"))
    (attempt,) = plan(machine).attempts
    assert (attempt.python, attempt.environment, attempt.packages.remove) == ("3.10", "C:\\venv-3.10", ())
    assert "tensorflow-directml-plugin" in ";".join(attempt.packages.install)
    assert "TensorFlow for Python 3.11 cannot use the GPU here" in attempt.reason
    text = doctor_screen(machine, run_rules(machine, BUNDLED), select_device(machine=machine), Style(width=160))
    assert "Or    devicekit fix   (The DirectML plug-in needs Python" in text


def test_a_folder_of_the_user_is_not_one_named_tilde(tmp_path, monkeypatch):
    """The facts name folders below the home folder so."""
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    (tmp_path / "venv-3.10").mkdir()
    assert _free_folder(os.path.join("~", "venv-3.10")) == str(tmp_path / "venv-3.10-2")


def test_a_new_environment_has_what_its_installer_accepts():
    machine = recorded_machines.load_machine("windows-amd-stock-tensorflow")
    accepted = BUNDLED.within({"h5py": "==3.7.0"})
    (attempt,) = plan_separate(plan(machine), machine, "tensorflow", "it is the system's", accepted).attempts
    assert "h5py==3.7.0" in attempt.packages.install
    nothing = BUNDLED.within({"h5py": "<0"})
    assert plan_separate(plan(machine), machine, "tensorflow", "it is the system's", nothing).outcome == "no-plan"


def test_a_new_environment_is_for_the_gpu_that_is_not_used():
    """For a Python of the system, as python.org's is on Windows: a set for the processor would change nothing."""
    machine = recorded_machines.load_machine("windows-amd-stock-tensorflow")
    remedy = plan_separate(plan(machine), machine, "tensorflow", "it is a Python of the system")
    (attempt,) = remedy.attempts
    assert "tensorflow-directml-plugin" in ";".join(attempt.packages.install)
    assert (os.path.basename(attempt.environment), attempt.keeps_release) == ("venv-directml", False)
    assert "The framework's release changes." in attempt.reason
    # What else is wrong is fixed even if nothing is for that GPU.
    broken = plan(recorded_machines.load_machine("linux-keras-3-under-2.10"))
    unused = remedy.replace(findings=remedy.findings + broken.findings)
    machine = recorded_machines.load_machine("linux-arm64")  # a set for a GPU cannot be had
    (attempt,) = plan_separate(unused, machine, "tensorflow", "").attempts
    assert os.path.basename(attempt.environment) == "venv-cpu"
    # A set that leaves it unused is not offered as its fix.
    assert plan_separate(remedy, machine, "tensorflow", "").outcome == "no-plan"
