"""JAX's and PyTorch's builds against the GPU: findings, fixes, and what each framework would use.

Whole machines stand in ``machines``; these are variants of them.
"""

import json
import os

import pytest
from recorded_machines import FOLDER

from devicekit import diagnose
from devicekit.diagnosis.findings import Candidate, Diagnosis, Finding
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import host_data
from devicekit.report.terminal import Style, doctor_text
from devicekit.selection.selection import Selection

SITE = "/venv/lib/python3.11/site-packages"


def variant(make_machine, name, without=(), env=None, installed=None, **texts):
    """Return a machine like a recorded one: other variables and distributions, ``texts`` replaced by others."""
    text = json.dumps(host_data(os.path.join(FOLDER, name)))
    for old, new in texts.get("replace", ()):
        assert old in text
        text = text.replace(old, new)
    host = json.loads(text)
    host["files"] = {path: item for path, item in host["files"].items() if not any(part in path for part in without)}
    host["env"].update(env or {})
    host["python"]["installed"].update(installed or {})
    return read_machine(make_machine(**host))


def commands(machine, code):
    """Return the commands that install something; None where nothing that can be installed helps."""
    fixes = diagnose(machine).by_code(code).fix
    return [fix.command for fix in fixes if fix.packages is not None] or [None]


def codes(machine):
    return [finding.code for finding in diagnose(machine).findings]


TORCH_CPU, TORCH_PIP = "linux-nvidia-torch-cpu", "python -m pip uninstall -y torch && python -m pip install "
INDEX = " --index-url https://download.pytorch.org/whl/"


@pytest.mark.parametrize(
    "version, driver, gpu, command",
    [
        ("2.9.1", "550.54.15", "NVIDIA L4", TORCH_PIP + "torch==2.9.1"),  # the registry's has CUDA 12.8
        ("2.15.0", "580.82.07", "NVIDIA L4", TORCH_PIP + "torch==2.15.0"),  # the registry's has CUDA 13.2
        ("2.15.0", "550.54.15", "NVIDIA L4", TORCH_PIP + "torch" + INDEX + "cu126"),
        # The registry's has no code for Pascal.
        ("2.10.0", "580.82.07", "NVIDIA GeForce GTX 1080", TORCH_PIP + "torch==2.10.0" + INDEX + "cu126"),
        ("2.5.1", "470.256.02", "NVIDIA GeForce RTX 3060", TORCH_PIP + "torch==2.5.1" + INDEX + "cu118"),
        ("2.9.1", "470.256.02", "NVIDIA GeForce RTX 3060", TORCH_PIP + "torch" + INDEX + "cu118"),
        ("2.6.0", "580.82.07", "NVIDIA GeForce RTX 5090", TORCH_PIP + "torch" + INDEX + "cu130"),
        ("2.9.1", "440.33.01", "NVIDIA L4", None),
        ("2.9.1", "470.256.02", "NVIDIA L4", None),  # the driver does not know the card: 520 is the first for it
        ("2.9.1", "550.54.15", "NVIDIA GeForce RTX 5090", None),  # 570
    ],
)
def test_which_pytorch_replaces_one_without_cuda(make_machine, version, driver, gpu, command):
    replace = (("2.9.1+cpu", version + "+cpu"), ("550.54.15", driver), ("NVIDIA L4", gpu))
    machine = variant(make_machine, TORCH_CPU, replace=replace)
    assert commands(machine, "cpu-only-build") == [command]


@pytest.mark.parametrize(
    "version, driver, gpu, command",
    [
        ("0.7.2", "580.82.07", "NVIDIA L4", 'python -m pip install "jax[cuda13]==0.7.2"'),
        ("0.7.2", "550.54.15", "NVIDIA L4", 'python -m pip install "jax[cuda12]==0.7.2"'),
        ("0.7.2", "580.82.07", "NVIDIA GeForce GTX 1080", 'python -m pip install "jax[cuda12]==0.7.2"'),
        ("0.4.30", "580.82.07", "NVIDIA L4", 'python -m pip install "jax[cuda12]==0.4.30"'),
        ("0.4.10", "550.54.15", "NVIDIA L4", 'python -m pip install "jax[cuda12]"'),
        ("0.7.2", "470.256.02", "NVIDIA L4", None),
    ],
)
def test_which_plugin_joins_jax(make_machine, version, driver, gpu, command):
    replace = (("0.7.2", version), ("580.82.07", driver), ("NVIDIA L4", gpu))
    machine = variant(make_machine, "linux-nvidia-jax-cpu-only", replace=replace)
    assert commands(machine, "cpu-only-build") == [command]


@pytest.mark.parametrize(
    "version, expected",
    [
        ("2.7.1", ("12.6", "")), ("2.9.1+cu128", ("12.8", "")), ("2.9.1+cu130", ("13.0", "")), ("2.9.1+cpu", ("", "")),
        ("2.8.0+rocm6.4", ("", "6.4")), ("1.9.0", ("10.2", "")), ("2.99.0", None),
    ],
)  # fmt: skip
def test_what_only_the_version_of_pytorch_tells(make_machine, version, expected):
    from devicekit.diagnosis.rules.frameworks import gpu_build
    from devicekit.diagnosis.view import View
    from devicekit.matrix.matrix import BUNDLED

    machine = variant(make_machine, TORCH_CPU, without=["torch/"], replace=[("2.9.1+cpu", version)])
    found = gpu_build(View(machine, BUNDLED), "torch")
    assert ((found.cuda, found.rocm) if found.known else None) == expected
    assert found.label == "PyTorch " + version


def test_jax_without_files_and_with_cuda_in_jaxlib(make_machine):
    gone = ["/jax/", "/jaxlib/", "jax_plugins", "jax_cuda12_plugin", "jax-0.6.2"]
    machine = variant(make_machine, "linux-nvidia-jax-cuda12", without=gone)
    assert diagnose(machine).candidates[0].platform == "cuda"
    # Of a jaxlib of its own it was the local part of the version that said so.
    replace = [('"jax-cuda12-p', '"x-jax-cuda12-p'), ('"jaxlib": "0.6.2"', '"jaxlib": "0.4.14+cuda12.cudnn89"')]
    old = variant(make_machine, "linux-nvidia-jax-cuda12", without=gone, replace=replace)
    assert diagnose(old).candidates[0].platform == "cuda"


VARIABLES = [
    # JAX_PLATFORMS, JAX_PLATFORM_NAME, codes, devices
    ("", "", [], ("cuda:0", "TFRT_CPU_0")),
    ("cuda", "", [], ("cuda:0",)),
    ("cuda,cpu", "", [], ("cuda:0", "TFRT_CPU_0")),
    ("cpu,cuda", "", [], ("TFRT_CPU_0",)),
    ("cpu", "", ["device-hidden"], ("TFRT_CPU_0",)),
    ("", "cpu", ["device-hidden"], ("TFRT_CPU_0",)),
    ("gpu", "", ["environment-variable-fatal"], ()),
    ("rocm,cpu", "", ["environment-variable-fatal"], ()),
    ("CUDA", "", ["environment-variable-fatal"], ()),
    ("cuda, cpu", "", ["environment-variable-fatal"], ()),
    (",", "", ["environment-variable-fatal"], ()),
    ("tpu", "", ["environment-variable-fatal"], ()),
    ("somebodys_plugin,cuda", "", [], ("cuda:0",)),
    ("", "GPU", [], ("cuda:0", "TFRT_CPU_0")),
    ("", "rocm", ["environment-variable-fatal"], ()),
    ("", "tpu", ["environment-variable-fatal"], ()),
]


@pytest.mark.parametrize("platforms, name, expected, devices", VARIABLES)
def test_variables_of_jax(make_machine, platforms, name, expected, devices):
    chosen = {"JAX_PLATFORMS": platforms, "JAX_PLATFORM_NAME": name}
    diagnosis = diagnose(variant(make_machine, "linux-nvidia-jax-cuda12", env=chosen))
    found = [finding.code for finding in diagnosis.findings]
    if "environment-variable-fatal" in expected:
        found = [code for code in found if code != "device-hidden"]
    assert found == expected
    assert diagnosis.framework("jax").devices == diagnosis.framework("keras").devices == devices
    assert diagnosis.framework("jax").will_import
    assert diagnosis.framework("keras").will_import
    assert diagnosis.candidates[-1].usable is bool(devices)


@pytest.mark.parametrize("value, fatal", [("maybe", True), ("", True), ("True", False), ("0", False)])
def test_switches_of_jax(make_machine, value, fatal):
    diagnosis = diagnose(variant(make_machine, "linux-nvidia-jax-cuda12", env={"JAX_ENABLE_X64": value}))
    found = diagnosis.by_code("environment-variable-fatal")
    assert (found is not None) == fatal
    assert diagnosis.framework("jax").will_import is not fatal
    assert found is None or "unset JAX_ENABLE_X64" in found.fix[0].command


@pytest.mark.parametrize(
    "env, jax, devices",
    [
        ({"JAX_NUM_CPU_DEVICES": "2"}, "0.12.0", ("cpu:0", "cpu:1")),
        ({"JAX_NUM_CPU_DEVICES": "2"}, "0.4.31", ("TFRT_CPU_0",)),
        ({"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}, "0.4.31", ("TFRT_CPU_0", "TFRT_CPU_1")),
        (
            {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_NUM_CPU_DEVICES": "1"},
            "0.12.0",
            ("cpu:0",),
        ),
    ],
)
def test_several_devices_of_the_processor(make_machine, env, jax, devices):
    newer = [("0.6.2", jax)]
    machine = variant(make_machine, "linux-jax-platforms-cuda", env=dict(env, JAX_PLATFORMS=""), replace=newer)
    assert diagnose(machine).framework("jax").devices == devices


def test_a_plugin_of_rocm_is_not_compared_and_suffixes_do_not_count(make_machine):
    rocm = variant(make_machine, "linux-nvidia-jax-cuda12", installed={"jax-rocm7-plugin": "0.10.0"})
    assert "plugin-version-mismatch" not in codes(rocm)
    same = variant(make_machine, "linux-nvidia-jax-cuda12", installed={"jax-cuda12-plugin": "0.6.2.dev20250701"})
    assert "plugin-version-mismatch" not in codes(same)
    other = variant(make_machine, "linux-nvidia-jax-cuda12", installed={"jax-cuda12-pjrt": "0.6.1"})
    assert "plugin-version-mismatch" in codes(other)


def test_what_is_wrong_with_another_framework_does_not_alarm(make_machine):
    """A PyTorch without CUDA is nothing to warn of where Keras computes with JAX; where it is meant, it is."""
    others = {"torch": "2.9.1+cpu", "sympy": "1.13.3", "mpmath": "1.3.0"}
    machine = variant(make_machine, "linux-nvidia-jax-cuda12", installed=others)
    finding = diagnose(machine).by_code("cpu-only-build")
    assert (finding.severity, finding.blocks) == ("info", ("torch.cuda",))
    assert diagnose(machine).candidates[0].usable
    meant = diagnose(variant(make_machine, "linux-nvidia-jax-cuda12", installed=others, env={"KERAS_BACKEND": "torch"}))
    assert meant.by_code("cpu-only-build").severity == "warning"
    assert not meant.candidates[0].usable
    assert meant.candidates_for("jax")[0].usable
    assert meant.by_code("gpu-vendor-unsupported").summary == (
        "PyTorch 2.9.1+cpu cannot use a GPU here, but JAX 0.6.2, which is also installed, can use the NVIDIA L4."
    )
    # KERAS_BACKEND is the user's own word, which auto() does not change.
    assert [fix.command for fix in meant.by_code("gpu-vendor-unsupported").fix] == ["export KERAS_BACKEND=jax"]


def test_one_framework_s_build_does_not_hide_what_another_lacks(make_machine):
    """TensorFlow without CUDA and JAX without the CUDA libraries: both are said, and a driver that is gone as well."""
    name = "linux-nvidia-jax-no-cuda-libraries"
    others = {"tensorflow-cpu": "2.20.0", "protobuf": "6.33.6"}
    found = codes(variant(make_machine, name, installed=others))
    assert "cuda-library-missing" in found
    assert "cpu-only-build" in found
    gone = [("libcuda.so.1", "libother.so.1")]
    without = diagnose(variant(make_machine, name, installed=others, replace=gone))
    assert without.by_code("driver-missing").blocks == ("cuda",)
    # Where the driver is missing, what would be opened after it does not matter.
    assert without.by_code("cuda-library-missing") is None


def test_hidden_gpus_are_no_reason_to_switch(make_machine):
    hidden = variant(make_machine, "linux-nvidia-tensorflow-cpu-and-torch", env={"CUDA_VISIBLE_DEVICES": ""})
    assert "gpu-vendor-unsupported" not in codes(hidden)
    chosen = variant(make_machine, "linux-nvidia-tensorflow-cpu-and-torch", env={"KERAS_BACKEND": "torch"})
    assert "gpu-vendor-unsupported" not in codes(chosen)


def test_doctor_says_where_each_framework_computes(make_machine):
    machine = variant(make_machine, "linux-nvidia-tensorflow-cpu-and-torch")
    diagnosis = diagnose(machine)
    selection = Selection(device="cpu", framework="tensorflow", platform="cpu", name="", fallback=True, reason="x")
    text = doctor_text(machine, diagnosis, selection, Style())
    assert "TensorFlow 2.20.0, works on cpu\n" in text
    assert "PyTorch 2.7.1+cu126, works on gpu:0 [cuda]\n" in text
    rows = {row["framework"]: row for row in diagnosis.to_dict()["prediction"]}
    assert rows["torch"]["candidates"][0]["usable"] is True
    assert rows["tensorflow"]["candidates"] == diagnosis.to_dict()["devices"]
    assert "candidates" not in rows["keras"]
    alone = variant(make_machine, "linux-nvidia-torch-cu126")
    assert "works on" not in doctor_text(alone, diagnose(alone), selection, Style())


def test_blocks_of_one_framework_and_of_all():
    only = Finding("cpu-only-build", "warning", "A.", blocks=("torch.cuda",))
    driver = Finding("driver-missing", "warning", "B.", blocks=("cuda",))
    one = Finding("cpu-only-build", "warning", "C.", blocks=("tensorflow.gpu:1",))
    assert only.concerns("torch")
    assert not only.concerns("tensorflow1")
    assert driver.concerns("jax")
    assert only.keeps_from_gpus("torch")
    assert not only.keeps_from_gpus("jax")
    assert driver.keeps_from_gpus("jax")
    assert not one.keeps_from_gpus("tensorflow")
    cpu = Candidate("cpu", "cpu", "processor", True)
    diagnosis = Diagnosis(findings=(only, one), candidates=(cpu,), by_framework=(("tensorflow", (cpu,)), ("jax", ())))
    assert diagnosis.by_code("cpu-only-build") is only
    assert diagnosis.by_code("cpu-only-build", "tensorflow") is one
    assert diagnosis.candidates_for("tensorflow1") == diagnosis.candidates_for(None) == (cpu,)
    assert diagnosis.candidates_for("jax") == ()
