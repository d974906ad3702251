"""What is around the packages: PYTHON* variables, files cut short, folders without metadata; all seen in real environments."""

import os
import shutil
import subprocess
import sys

import packaging
import platformdirs
import pytest
import resolvelib

import devicekit
from devicekit import select_device
from devicekit.diagnosis.diagnose import run_rules
from devicekit.diagnosis.rules.python import SHADOW_BLOCKS
from devicekit.machine.interpreter import InterpreterError, other_interpreter
from devicekit.machine.live_host import LiveHost
from devicekit.machine.probe import read_machine
from devicekit.machine.probe.python import PACKAGES, parse_version
from devicekit.matrix.matrix import BUNDLED, Matrix
from devicekit.report.screen import doctor_screen
from devicekit.report.terminal import Style

COMMON = {
    "absl-py": "2.1.0", "astunparse": "1.6.3", "certifi": "2024.7.4", "flatbuffers": "24.3.25", "gast": "0.5.4",
    "h5py": "3.12.1", "idna": "3.7", "ml-dtypes": "0.5.1", "namex": "0.0.8", "numpy": "2.1.3", "opt-einsum": "3.4.0",
    "optree": "0.13.1", "packaging": "24.2", "protobuf": "5.29.3", "requests": "2.32.3", "rich": "13.9.4",
    "six": "1.17.0", "termcolor": "2.5.0", "typing-extensions": "4.12.2", "urllib3": "2.3.0", "wrapt": "1.17.0",
    "keras": "3.10.0", "tensorflow-cpu": "2.19.1",
}  # fmt: skip
OLD = {"tensorflow-cpu": "2.10.1", "keras": "2.10.0", "numpy": "1.26.4", "protobuf": "3.19.6"}
SITE = "/venv/lib/python3.12/site-packages/"


def examine(make_machine, installed=COMMON, env=None, files=None, version="3.12.1", host=None, **python):
    """Return the diagnosis of a Linux machine, without what was measured of single versions."""
    files = dict({"/etc/os-release": 'PRETTY_NAME="Debian"\n'}, **(files or {}))
    python = dict(python, version=version, installed=installed)
    host = make_machine(python=python, files=files, env=env or {}, **(host or {}))
    return run_rules(read_machine(host, deep=True), Matrix({"bounds": []}))


def said(diagnosis, framework="tensorflow"):
    """Return what is predicted: import, Keras, cause."""
    status = diagnosis.framework(framework)
    return status.will_import, status.will_run_keras, status.cause


WORKS = (True, True, None)
FATAL = (False, False, "environment-variable-fatal")


@pytest.mark.parametrize(
    "name, value, version, expected",
    [
        ("PYTHONOPTIMIZE", "2", "2.19.1", FATAL),
        ("PYTHONOPTIMIZE", "2", "2.21.0", WORKS),
        ("PYTHONOPTIMIZE", "1", "2.19.1", WORKS),
        ("PYTHONOPTIMIZE", "yes", "2.19.1", WORKS),
        ("PYTHONWARNINGS", "error", "2.19.1", WORKS),
        ("PYTHONWARNINGS", "error", "2.17.1", (None, None, None)),
        ("PYTHONWARNINGS", "error::ResourceWarning", "2.17.1", WORKS),
        ("PYTHONWARNINGS", "ignore", "2.17.1", WORKS),
        ("PYTHONDONTWRITEBYTECODE", "1", "2.17.1", WORKS),
    ],
)
def test_variables_of_python(make_machine, name, value, version, expected):
    packages = dict(COMMON, **{"tensorflow-cpu": version, "protobuf": "6.33.6", "setuptools": "75.0.0"})
    if version == "2.17.1":
        packages.update({"numpy": "1.26.4", "protobuf": "4.25.8", "ml-dtypes": "0.4.1"})
    diagnosis = examine(make_machine, packages, env={name: value})
    assert said(diagnosis) == expected
    found = diagnosis.by_code("environment-variable-fatal")
    assert (found is None) == (expected == WORKS)
    if found is not None:
        assert name in found.summary
        assert "unset " + name in found.fix[0].command


def test_another_standard_library(make_machine):
    diagnosis = examine(make_machine, env={"PYTHONHOME": "/opt/python"}, problem="PYTHONHOME")
    assert said(diagnosis) == said(diagnosis, "keras") == FATAL
    # The same folder, in which everything is found: that is allowed.
    assert said(examine(make_machine, env={"PYTHONHOME": "/opt/python"})) == WORKS


@pytest.mark.parametrize("module, header", [("_ctypes", "libffi-dev"), ("zlib", "zlib1g-dev")])
def test_a_python_without_a_part_of_its_library(make_machine, module, header):
    diagnosis = examine(make_machine, lacking=[module])
    assert said(diagnosis) == said(diagnosis, "keras") == (False, False, "dependency-incompatible")
    found = diagnosis.by_code("dependency-incompatible")
    assert module in found.summary
    assert header in found.fix[1].text
    assert other_interpreter(sys.executable).lacking == ()


def test_an_interpreter_that_does_not_start_is_examined_without_the_variable(monkeypatch, tmp_path):
    assert other_interpreter(sys.executable).problem == ""
    monkeypatch.setenv("PYTHONHOME", str(tmp_path))
    found = other_interpreter(sys.executable)
    assert (found.problem, found.version) == ("PYTHONHOME", "%d.%d.%d" % sys.version_info[:3])
    # Modules of another Python, or backports, in the place of its own; what the variable says is still known.
    monkeypatch.delenv("PYTHONHOME")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert other_interpreter(sys.executable).problem == ""
    (tmp_path / "json.py").write_text("raise AssertionError('SRE module mismatch')\n")
    found = other_interpreter(sys.executable)
    assert (found.problem, str(tmp_path) in found.sys_path, "PYTHONPATH" in found.unset) == ("PYTHONPATH", False, False)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="PYTHONSAFEPATH came with Python 3.11")
def test_a_safe_path_has_no_working_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert str(tmp_path) in other_interpreter(sys.executable).sys_path
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    assert str(tmp_path) not in other_interpreter(sys.executable).sys_path


def wheel(tag):
    return "Wheel-Version: 1.0\nTag: %s\n" % tag


@pytest.mark.parametrize(
    "tag, expected",
    [
        ("cp312-cp312-manylinux_2_17_x86_64", WORKS),
        ("cp39-abi3-manylinux_2_17_x86_64", WORKS),
        ("py3-none-any", WORKS),
        ("cp310-cp310-manylinux_2_17_x86_64", (False, False, "module-shadowed")),
        ("cp313-abi3-manylinux_2_17_x86_64", (False, False, "module-shadowed")),
    ],
)
def test_packages_of_another_python(make_machine, tag, expected):
    """PYTHONPATH=.../python3.10/site-packages."""
    info = SITE + "numpy-2.1.3.dist-info"
    diagnosis = examine(
        make_machine, files={info + "/WHEEL": wheel(tag), info + "/RECORD": ""}, env={"PYTHONPATH": SITE[:-1]}
    )
    assert said(diagnosis) == expected
    if expected != WORKS:
        assert "PYTHONPATH" in diagnosis.by_code("module-shadowed").fix[0].command


@pytest.mark.parametrize(
    "name, tag, expected",
    [
        ("numpy-2.1.3", "cp312-cp312-manylinux2014_aarch64", (False, False, "install-corrupt")),
        ("numpy-2.1.3", "cp312-cp312-win_amd64", (False, False, "install-corrupt")),
        ("numpy-2.1.3", "cp312-cp312-macosx_10_13_universal2", (False, False, "install-corrupt")),
        ("tensorflow_cpu-2.19.1", "cp312-cp312-macosx_12_0_arm64", (False, False, "install-corrupt")),
        ("optree-0.13.1", "cp312-cp312-musllinux_1_2_aarch64", (True, False, "install-corrupt")),
        # Keras does without the first, the others have code in Python for the case.
        ("h5py-3.12.1", "cp312-cp312-win_amd64", WORKS),
        ("protobuf-5.29.3", "cp38-abi3-manylinux2014_aarch64", WORKS),
        ("wrapt-1.17.0", "cp312-cp312-macosx_11_0_arm64", WORKS),
        ("numpy-2.1.3", "cp312-cp312-linux_x86_64", WORKS),
        ("numpy-2.1.3", "cp312-cp312-plan9_x86_64", WORKS),
    ],
)
def test_packages_of_another_platform(make_machine, name, tag, expected):
    info = SITE + name + ".dist-info"
    diagnosis = examine(make_machine, files={info + "/WHEEL": wheel(tag), info + "/RECORD": ""})
    assert said(diagnosis) == expected
    found = diagnosis.by_code("install-corrupt")
    assert (found is None) == (tag.endswith(("linux_x86_64", "plan9_x86_64")))
    if found is not None:
        assert found.fix[0].packages.reinstall == ("==".join(name.replace("_", "-").rsplit("-", 1)),)


@pytest.mark.parametrize("name, severity", [("h5py-3.12.1", "warning"), ("wrapt-1.17.0", "info")])
def test_of_another_python_what_training_does_without(make_machine, name, severity):
    info = SITE + name + ".dist-info"
    tag = wheel("cp310-cp310-manylinux_2_17_x86_64")
    diagnosis = examine(make_machine, files={info + "/WHEEL": tag, info + "/RECORD": ""})
    assert said(diagnosis) == WORKS
    assert diagnosis.by_code("module-shadowed").severity == severity


OTHER = "/venv2/lib/python3.12/site-packages"


@pytest.mark.parametrize(
    "name, version, path, command",
    [
        ("numpy", "1.21.6", OTHER, "unset PYTHONPATH"),
        ("numpy", "1.21.6", OTHER + "/:/opt/mine", "export PYTHONPATH=/opt/mine"),
        ("protobuf", "3.19.6", OTHER, "unset PYTHONPATH"),
        ("keras", "2.10.0", OTHER, "unset PYTHONPATH"),
        ("typing_extensions", "4.0.0", OTHER, "unset PYTHONPATH"),
        # The environment has none of its own, and what is installed into it would still come last.
        ("pandas", "2.1.4", OTHER, "unset PYTHONPATH"),
        ("numpy", "1.21.6", "", " install "),
    ],
)
def test_what_pythonpath_brings_is_taken_out_of_it(make_machine, name, version, path, command):
    files = {"%s/%s-%s.dist-info/METADATA" % (OTHER, name, version): "Name: %s\nVersion: %s\n\n" % (name, version)}
    optree = SITE + "optree-0.13.1.dist-info/METADATA"
    files[optree] = "Name: optree\nVersion: 0.13.1\nRequires-Dist: typing-extensions>=4.6.0\n\n"
    entries = ["/project", OTHER, SITE[:-1]]
    found = examine(make_machine, files=files, env={"PYTHONPATH": path}, sys_path=entries).findings[0]
    assert command in found.fix[0].command
    assert ("PYTHONPATH puts this" in found.summary) == bool(path)


def test_a_framework_that_pythonpath_brings_is_left_there(make_machine):
    env = {"PYTHONPATH": SITE[:-1]}
    found = examine(make_machine, dict(COMMON, numpy="1.21.6"), env=env, prefix="/usr").findings[0]
    assert " install " in found.fix[0].command


FRAMEWORK = "tensorflow/libtensorflow_framework.so.2"


@pytest.mark.parametrize(
    "path, version, expected",
    [
        ("/old/tensorflow", "2.19.1", "unset LD_LIBRARY_PATH"),
        ("/opt/cuda:/old/tensorflow/", "2.19.1", "export LD_LIBRARY_PATH=/opt/cuda"),
        ("/usr/local/lib", "2.19.1", "unset LD_LIBRARY_PATH"),
        # The same minor release works; where nothing says which it is, nothing is said.
        ("/old/tensorflow", "2.10.0", None),
        ("/bare/tensorflow", "2.19.1", None),
        (SITE + "tensorflow:/old/tensorflow", "2.19.1", None),
        ("/old", "2.19.1", None),
        # Older ones were not tried, and 1.15 has a DT_RPATH, which comes before the variable.
        ("/old/tensorflow", "2.9.3", None),
    ],
)
def test_the_library_of_another_release_on_the_path(make_machine, path, version, expected):
    files = {"/old/" + FRAMEWORK: "", "/old/tensorflow_cpu-2.10.1.dist-info/RECORD": "", "/bare/" + FRAMEWORK: ""}
    files.update(
        {
            SITE + FRAMEWORK: "",
            SITE + "tensorflow/__init__.py": "",
            "/old/tensorflow_estimator-2.19.0.dist-info/RECORD": "",
        }
    )
    links = {"/usr/local/lib/libtensorflow_framework.so.2": "/usr/local/lib/libtensorflow_framework.so.2.10.1"}
    files[links["/usr/local/lib/libtensorflow_framework.so.2"]] = ""
    installed = dict(COMMON, **{"tensorflow-cpu": version})
    diagnosis = examine(make_machine, installed, {"LD_LIBRARY_PATH": path}, files, host={"links": links})
    found = diagnosis.by_code("environment-variable-fatal")
    assert [item.command for item in (found.fix if found else ())] == ([expected] if expected else [])
    assert (said(diagnosis) == FATAL) == bool(expected)


def test_one_release_of_jaxlib_is_asked_for_as_one(make_machine):
    jax = "Metadata-Version: 2.1\nName: jax\nVersion: 0.6.2\nRequires-Dist: jaxlib<=0.6.2,>=0.6.2\n\n"
    installed = {"jax": "0.6.2", "jaxlib": "0.4.38", "numpy": "2.1.3", "ml-dtypes": "0.5.1", "opt-einsum": "3.4.0"}
    found = examine(make_machine, installed, files={SITE + "jax-0.6.2.dist-info/METADATA": jax})
    assert "jaxlib==0.6.2" in str(found.by_code("dependency-incompatible").evidence)


def test_a_variable_of_another_framework_is_in_every_environment(make_machine):
    installed = dict(COMMON, jax="0.6.2", jaxlib="0.6.2", scipy="1.15.3")
    for value, named in (("cuda", "names 'cuda'"), ("gpu", "names 'gpu'")):
        found = examine(make_machine, installed, env={"JAX_PLATFORMS": value}).by_code("environment-variable-fatal")
        assert (found.severity, found.blocks) == ("warning", ("jax.devices",))
        assert named in found.summary
        assert found.fix[0].command == "unset JAX_PLATFORMS"


@pytest.mark.parametrize(
    "changed, env, named",
    [
        ({"pandas": "2.1.4"}, {}, "pandas"),
        ({"pandas": "2.2.2", "scikit-learn": "1.4.2"}, {}, None),
        ({"scikit-learn": "1.3.2"}, {}, "scikit-learn"),
        ({"scikit-learn": "1.3.2", "keras": "3.7.0"}, {}, None),
        ({"pandas": "2.1.4", "numpy": "1.26.4"}, {}, None),
        ({"pandas": "1.5.3", "tf-keras": "2.19.0"}, {"TF_USE_LEGACY_KERAS": "1"}, "pandas"),
        ({"scikit-learn": "1.3.2", "tf-keras": "2.19.0"}, {"TF_USE_LEGACY_KERAS": "1"}, None),
    ],
)
def test_what_keras_imports_was_built_for_numpy_1(make_machine, changed, env, named):
    found = examine(make_machine, dict(COMMON, **changed), env)
    if named is None:
        assert said(found) == WORKS
    else:
        assert said(found) == (False, False, "numpy-incompatible")
        assert '"%s>=' % named in found.by_code("numpy-incompatible").fix[0].command


@pytest.mark.parametrize(
    "changed, expected",
    [
        ({"tf-keras": "2.21.0"}, (False, False, "keras-incompatible")),
        ({"tf-keras": "2.21.0", "protobuf": "6.31.1"}, (True, True, "keras-incompatible")),
        # Its import of what protobuf 4 does not have is an ImportError, which TensorFlow catches.
        ({"tf-keras": "2.21.0", "protobuf": "4.25.8"}, (True, True, "keras-incompatible")),
        ({"tf-keras": "2.20.1"}, (True, True, "keras-incompatible")),
        ({"tf-keras": "2.19.0"}, WORKS),
    ],
)
def test_a_tf_keras_whose_generated_code_is_newer_than_protobuf(make_machine, changed, expected):
    diagnosis = examine(make_machine, dict(COMMON, **changed), {"TF_USE_LEGACY_KERAS": "1"})
    assert said(diagnosis) == expected


@pytest.mark.parametrize("release, expected", [("4.9.0", (False, False, "dependency-incompatible")), ("4.10.0", WORKS)])
def test_pytorch_needs_a_newer_typing_extensions(make_machine, release, expected):
    installed = {"torch": "2.13.0", "numpy": "2.1.3", "typing-extensions": release}
    diagnosis = examine(make_machine, installed)
    assert said(diagnosis, "torch")[0] is expected[0]
    assert said(diagnosis, "torch")[2] == expected[2]


TORCH = {"torch": "2.8.0+cu126", "numpy": "2.1.3"}


@pytest.mark.parametrize(
    "installed, name, requires, expected",
    [
        (dict(TORCH, torchvision="0.19.0"), "torchvision-0.19.0", "torch==2.4.0", "torch==2.8.0 torchvision --index"),
        (dict(TORCH, torchvision="0.23.1"), "torchvision-0.23.1", "torch==2.8.1", None),
        (
            dict(COMMON, **{"tensorflow-text": "2.18.1"}),
            "tensorflow_text-2.18.1",
            "tensorflow<2.19,>=2.18.0",
            "tensorflow-cpu==2.19.1 tensorflow-text",
        ),
        (dict(COMMON, **{"tensorflow-hub": "0.16.1"}), "tensorflow_hub-0.16.1", "tf-keras>=2.14.1", None),
        (dict(COMMON, **{"tensorflow-addons": "0.23.0"}), "tensorflow_addons-0.23.0", "packaging", "tensorflow-addons"),
    ],
)
def test_what_was_made_for_another_release_of_the_framework(make_machine, installed, name, requires, expected):
    distribution, version = name.split("-")
    text = "Metadata-Version: 2.1\nName: %s\nVersion: %s\nRequires-Dist: %s\n\n" % (distribution, version, requires)
    found = examine(make_machine, installed, files={SITE + name + ".dist-info/METADATA": text})
    named = [
        item for item in found.findings if item.code == "dependency-incompatible" and "was made for" in item.summary
    ]
    if expected is None:
        assert named == []
    else:
        assert [(item.severity, item.blocks) for item in named] == [("warning", ())]
        assert expected in named[0].fix[0].command


def test_an_add_on_of_pytorch_is_named_next_to_a_backend_that_keras_lacks(make_machine):
    text = "Metadata-Version: 2.1\nName: torchvision\nVersion: 0.19.0\nRequires-Dist: torch==2.4.0\n\n"
    files = {SITE + "torchvision-0.19.0.dist-info/METADATA": text}
    found = examine(make_machine, dict(TORCH, keras="3.15.1", torchvision="0.19.0"), files=files)
    assert found.by_code("framework-missing") is not None
    assert any("torchvision 0.19.0 was made for" in item.summary for item in found.findings), found.findings


@pytest.mark.parametrize(
    "value, named",
    [
        ("--xla_gpu_no_such_flag=true", "--xla_gpu_no_such_flag"),
        ("--xla_gpu_autotune_level=0 --xla_gpu_tpyo=1", "--xla_gpu_tpyo"),
        ("--xla_gpu_autotune_level=0 --xla_force_host_platform_device_count=8", None),
        ("--tf_xla_auto_jit=2", "--tf_xla_auto_jit"),
        ("xla_dump_to=/tmp/x", "does not start with a dash"),
    ],
)
def test_a_flag_of_xla_that_jaxlib_does_not_have(make_machine, monkeypatch, value, named):
    monkeypatch.setattr("devicekit.machine.probe.process._PART", 64)  # its name stands across the border of two parts
    library = {SITE + "jaxlib/libjax_common.so": "x" * 50 + "xla_gpu_autotune_level" + "x" * 100}
    installed = {"jax": "0.6.2", "jaxlib": "0.6.2", "numpy": "2.1.3", "ml-dtypes": "0.5.1", "opt-einsum": "3.4.0"}
    found = examine(make_machine, installed, {"XLA_FLAGS": value}, library).by_code("environment-variable-fatal")
    if named is None:
        assert found is None
    else:
        assert named in found.summary
        assert found.blocks == ("jax.devices",)
        assert found.fix[0].command == "unset XLA_FLAGS"


JAX = {
    "jax": "0.6.2",
    "jaxlib": "0.6.2",
    "numpy": "2.1.3",
    "ml-dtypes": "0.5.1",
    "opt-einsum": "3.4.0",
    "scipy": "1.15.3",
}
KERAS_ON_TORCH = dict(
    COMMON, torch="2.13.0", sympy="1.13.3", mpmath="1.3.0", **{"tensorflow-cpu": None, "keras": "3.15.1"}
)


@pytest.mark.parametrize(
    "installed, env, blocks",
    [
        (JAX, {"JAX_COMPILATION_CACHE_MAX_SIZE": "1GB"}, ("jax",)),
        (JAX, {"JAX_COMPILATION_CACHE_MAX_SIZE": "-1"}, None),
        (JAX, {"JAX_COMPILATION_CACHE_MAX_SIZE": "1.5"}, ("jax",)),
        (JAX, {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.5"}, None),
        (JAX, {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": ".5"}, None),
        (JAX, {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "1e-3"}, None),
        (JAX, {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "inf"}, None),
        (JAX, {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "1s"}, ("jax",)),
        (JAX, {"JAX_DEFAULT_MATMUL_PRECISION": "HIGHEST"}, ("jax",)),
        (JAX, {"JAX_DEFAULT_MATMUL_PRECISION": "TF32_TF32_F32_X3"}, None),
        (JAX, {"JAX_LOGGING_LEVEL": "debug"}, ("jax",)),
        (JAX, {"JAX_NUMPY_RANK_PROMOTION": "raise", "JAX_TRACEBACK_FILTERING": "off"}, None),
        # TensorFlow imports JAX where it is installed.
        (dict(COMMON, **JAX), {"JAX_ENABLE_X64": "2"}, ("jax", "tensorflow")),
        (dict(COMMON, keras="3.10.0"), {"KERAS_MAX_EPOCHS": "two"}, ("keras", "tensorflow")),
        (dict(COMMON, keras="3.9.0"), {"KERAS_MAX_EPOCHS": "two"}, None),
        (COMMON, {"KERAS_MAX_STEPS_PER_EPOCH": "10"}, None),
        (COMMON, {"TF_DETERMINISTIC_OPS": "yes"}, ("keras.fit",)),
        (COMMON, {"TF_DETERMINISTIC_OPS": "True"}, None),
        (KERAS_ON_TORCH, {"PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb=128"}, ("torch",)),
        (KERAS_ON_TORCH, {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True,max_split_size_mb:128"}, None),
        (KERAS_ON_TORCH, {"KERAS_BACKEND": "torch", "KERAS_TORCH_DEVICE": "cuda"}, ("keras.fit",)),
        (KERAS_ON_TORCH, {"KERAS_BACKEND": "torch", "KERAS_TORCH_DEVICE": "gpu"}, ("keras.fit",)),
        (KERAS_ON_TORCH, {"KERAS_BACKEND": "torch", "KERAS_TORCH_DEVICE": "cpu"}, None),
    ],
)
def test_a_value_at_which_a_framework_gives_up(make_machine, installed, env, blocks):
    installed = {name: version for name, version in installed.items() if version}
    found = examine(make_machine, installed, env).by_code("environment-variable-fatal")
    assert (found and found.blocks) == blocks
    if found is not None:
        (name,) = [name for name in env if name != "KERAS_BACKEND"]
        assert found.fix[0].command == "unset " + name


LIBRARY = "/usr/lib/python3.12/"
SHADOWED = (False, False, "module-shadowed")


@pytest.mark.parametrize(
    "name, installed, framework, expected, severity",
    [
        ("types.py", COMMON, "tensorflow", SHADOWED, "error"),
        # Extension modules of the library: those that are files can be hidden, those in the interpreter cannot.
        ("select.py", COMMON, "tensorflow", SHADOWED, "error"),
        ("zlib.py", COMMON, "tensorflow", SHADOWED, "error"),
        ("unicodedata.py", COMMON, "tensorflow", SHADOWED, "error"),
        ("_socket.py", COMMON, "tensorflow", WORKS, None),
        ("time.py", COMMON, "tensorflow", WORKS, None),
        ("syslog.py", COMMON, "tensorflow", WORKS, None),
        # Imported or not, TensorFlow trains.
        ("secrets.py", COMMON, "tensorflow", WORKS, "info"),
        ("secrets.py", dict(COMMON, numpy="1.26.4"), "tensorflow", SHADOWED, "error"),
        ("code.py", COMMON, "tensorflow", WORKS, "info"),
        ("signal.py", COMMON, "tensorflow", WORKS, "info"),
        (
            "cmd.py",
            {"jax": "0.6.2", "jaxlib": "0.6.2", "numpy": "2.1.3", "ml-dtypes": "0.5.1"},
            "jax",
            SHADOWED,
            "error",
        ),
        ("zlib.py", {"jax": "0.6.2", "jaxlib": "0.6.2", "numpy": "2.1.3", "ml-dtypes": "0.5.1"}, "jax", None, "info"),
        ("mmap.py", {"torch": "2.9.1", "numpy": "2.1.3"}, "torch", SHADOWED, "error"),
    ],
)
def test_a_module_of_the_standard_library_is_hidden(make_machine, name, installed, framework, expected, severity):
    library = [
        "types.py",
        "secrets.py",
        "code.py",
        "signal.py",
        "cmd.py",
        "lib-dynload/_socket.so",
        "lib-dynload/syslog.so",
    ]
    library += ["lib-dynload/%s.so" % module for module in ("select", "zlib", "unicodedata", "mmap")]
    files = dict({LIBRARY + item: "" for item in library}, **{"/project/" + name: "x = 1\n"})
    diagnosis = examine(make_machine, installed, files=files)
    found = diagnosis.by_code("module-shadowed")
    assert (found and found.severity) == severity
    status = diagnosis.framework(framework)
    if expected == SHADOWED:
        assert (status.will_import, status.cause) == (False, "module-shadowed")
    else:
        assert status.cause != "module-shadowed"
    if severity == "info":
        assert "training was seen to work" in found.summary


def test_what_is_loaded_before_the_script_is_not_hidden(make_machine):
    """A .pth file of an editable installation imports importlib, re and what they need (seen with setuptools' finder)."""
    started = {"/venv/bin/python -c import sys; print(*sys.modules)": {"stdout": "sys builtins re enum"}}
    files = {LIBRARY + "re.py": "", LIBRARY + "types.py": "", "/project/re.py": "x = 1\n"}
    assert said(examine(make_machine, files=files)) == SHADOWED
    assert said(examine(make_machine, files=files, host={"commands": started})) == WORKS
    env = {"PYTHONPATH": "/project"}
    assert said(examine(make_machine, files=files, env=env, host={"commands": started})) == SHADOWED
    files["/project/types.py"] = ""
    assert said(examine(make_machine, files=files, host={"commands": started})) == SHADOWED


@pytest.mark.parametrize(
    "path, version, expected",
    [
        (SITE + "pandas/core/x.so", "3.15.1", ("install-corrupt", "Delete ")),
        ("/project/pandas/x.csv", "3.15.1", ("module-shadowed", "Rename ")),
        ("/project/pandas.py", "3.15.1", ("module-shadowed", "Rename ")),
        ("/project/pandas/__init__.py", "3.15.1", None),
        (SITE + "jax/_src/x.so", "3.15.1", ("install-corrupt", "Delete ")),
        (SITE + "jax/_src/x.so", "3.10.0", None),
        ("/project/torch/x.csv", "3.15.1", None),
        ("/project/sklearn/x.csv", "3.15.1", None),
    ],
)
def test_keras_takes_a_folder_for_what_it_does_without(make_machine, path, version, expected):
    diagnosis = examine(make_machine, dict(COMMON, keras=version), files={path: ""})
    code, text = expected or (None, "")
    assert diagnosis.framework("tensorflow").will_import is True
    assert diagnosis.framework("keras").will_import is not bool(expected)
    assert diagnosis.framework("keras").cause == code
    if expected:
        assert diagnosis.by_code(code).fix[0].text.startswith(text)
    # A real package comes before a folder, wherever that lies.
    name = path.replace(SITE, "").replace("/project/", "").partition("/")[0]
    real = {path: "", SITE + name + "/__init__.py": ""}
    assert path.endswith(".py") or said(examine(make_machine, dict(COMMON, keras=version), files=real)) == WORKS


def test_every_package_that_is_looked_for_says_what_it_blocks():
    assert set(PACKAGES) <= set(SHADOW_BLOCKS)


@pytest.mark.parametrize(
    "denied, expected, named",
    [
        ("numpy", (False, False, "install-corrupt"), "numpy belongs to root"),
        ("wrapt/__init__.py", (False, False, "install-corrupt"), "wrapt/__init__.py belongs to root"),
        # An ImportError of h5py is caught, this one is not.
        ("h5py/__init__.py", (False, False, "install-corrupt"), "h5py/__init__.py belongs to root"),
        ("keras/src/__init__.py", (False, False, "install-corrupt"), "keras/src/__init__.py belongs to root"),
        ("numpy/tests/x.py", WORKS, "do not need it"),
        ("", WORKS, ""),
    ],
)
def test_files_of_another_user_are_not_missing(make_machine, denied, expected, named):
    """Tried as another user, with a folder of mode 700 and files of mode 600 (TensorFlow 2.19)."""
    names = ["numpy/__init__.py", "numpy/core.py", "numpy/tests/x.py", "wrapt/__init__.py", "h5py/__init__.py"]
    names += ["keras/src/__init__.py"]
    files = {SITE + name: WHOLE for name in names}
    for owner in ("numpy-2.1.3", "wrapt-1.17.0", "h5py-3.12.1", "keras-3.10.0"):
        listed = ["%s,,%d\n" % (name, len(WHOLE)) for name in names if name.startswith(owner.partition("-")[0])]
        files["%s%s.dist-info/RECORD" % (SITE, owner)] = "".join(listed)
    diagnosis = examine(make_machine, files=files, host={"denied": [SITE + denied] if denied else []})
    assert said(diagnosis) == expected
    found = diagnosis.by_code("install-corrupt")
    assert (found is None) == (not denied)
    if found is not None:
        assert named in found.summary
        assert "missing" not in found.summary
        assert found.fix[0].command == "sudo chmod -R a+rX %s%s" % (SITE, denied)


@pytest.mark.only_on("posix", reason="permissions of POSIX")
def test_who_may_read_is_told_by_the_system(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "file").write_text("x", encoding="utf-8")
    host = LiveHost()
    assert host.info(str(closed)).readable
    assert host.info(str(closed / "file")).readable
    closed.chmod(0o600)
    assert host.info(str(closed)).readable is (os.geteuid() == 0)
    closed.chmod(0o700)
    # No user's name: reports are passed on.
    assert host.owner_of(str(closed)) == ("root" if os.geteuid() == 0 else "this user")


WHOLE = "import os\n" * 20


@pytest.mark.parametrize(
    "name, owner, content, expected",
    [
        ("tensorflow/python/framework/ops.py", "tensorflow_cpu-2.19.1", WHOLE[:65], "tensorflow"),
        ("tensorflow/python/framework/ops.py", "tensorflow_cpu-2.19.1", "", "tensorflow"),
        # Edited, in whole lines.
        ("tensorflow/python/framework/ops.py", "tensorflow_cpu-2.19.1", "import os\n", None),
        ("six.py", "six-1.17.0", WHOLE[:65], "tensorflow"),
        ("numpy/_core/fromnumeric.py", "numpy-2.1.3", WHOLE[:65], "tensorflow"),
        ("gast/gast.py", "gast-0.5.4", None, "tensorflow"),
        ("absl/logging/__init__.py", "absl_py-2.1.0", None, None),
        ("absl/flags/__init__.py", "absl_py-2.1.0", None, "tensorflow"),
        ("urllib3/util/__init__.py", "urllib3-2.2.3", None, "tensorflow"),
        ("urllib3/http2/__init__.py", "urllib3-2.2.3", None, None),
        ("requests/adapters.py", "requests-2.32.3", None, "tensorflow"),
        ("rich/console.py", "rich-13.9.4", None, "keras"),
        ("keras/src/models/model.py", "keras-3.10.0", None, "keras"),
        # TensorFlow takes a Keras that is not there for none, but not one with a mistake in it.
        ("keras/src/models/model.py", "keras-3.10.0", WHOLE[:65], "tensorflow"),
        # Without these, Python code takes over, or the package counts as not installed.
        ("google/_upb/_message.abi3.so", "protobuf-5.29.3", None, None),
        ("google/_upb/_message.abi3.so", "protobuf-5.29.3", "short", None),
        ("h5py/h5.cpython-312-x86_64-linux-gnu.so", "h5py-3.12.1", None, None),
        # A longer one is loaded, and kills the process.
        ("google/_upb/_message.abi3.so", "protobuf-5.29.3", "x" * 5000, "tensorflow"),
    ],
)
def test_files_that_are_gone_or_cut_short(make_machine, name, owner, content, expected):
    record = "%s,sha256=abc,%d\n" % (name, 200 if name.endswith(".py") else 400000)
    files = {SITE + owner + ".dist-info/RECORD": record, SITE + name.partition("/")[0] + "/__init__.py": WHOLE}
    if content is not None:
        files[SITE + name] = content
    diagnosis = examine(make_machine, files=files)
    found = diagnosis.by_code("install-corrupt")
    assert {None: WORKS, "keras": (True, False, "install-corrupt")}.get(
        expected, (False, False, "install-corrupt")
    ) == said(diagnosis)
    if expected is not None:
        assert expected in found.blocks
        assert name in found.evidence[0].text
        assert owner.partition("-")[0].replace("_", "-") in found.fix[0].command


IMPORTS = "from tensorflow._api.v2 import audio\nfrom tensorflow.python.ops.math_ops import add as _add\n"


@pytest.mark.parametrize("owned", [True, False])
@pytest.mark.parametrize(
    "there, record, gone",
    [
        (("python/ops/math_ops.py", "_api/v2/audio/__init__.py"), False, None),
        (("python/ops/math_ops.pyc", "_api/v2/audio.pyc"), False, None),
        (("python/ops/math_ops.py",), False, "_api/v2/audio"),
        (("_api/v2/audio/__init__.py",), False, "python/ops/math_ops/add"),
        # What a RECORD lists is known: this build is arranged in another way.
        (("python/ops/math_ops.py",), True, None),
    ],
)
def test_what_tensorflow_imports_is_looked_for_where_no_record_lists_its_files(
    make_machine, there, record, gone, owned
):
    """Both were seen: a RECORD that was lost together with files, and an installation that was stopped half-way."""
    installed = {name: version for name, version in COMMON.items() if owned or record or name != "tensorflow-cpu"}
    files = {SITE + "tensorflow/" + name: "" for name in there}
    files[SITE + "tensorflow/__init__.py"] = IMPORTS
    if record:
        files[SITE + "tensorflow_cpu-2.19.1.dist-info/RECORD"] = "tensorflow/__init__.py,sha256=abc,10\n"
    diagnosis = examine(make_machine, installed, files=files)
    finding = diagnosis.by_code("install-corrupt")
    if gone is None:
        assert finding is None
        assert said(diagnosis) == (WORKS if "tensorflow-cpu" in installed else (None, None, None))
    else:
        assert said(diagnosis) == (False, False, "install-corrupt")
        assert finding.evidence[0].text == "missing: " + SITE + "tensorflow/" + gone


def test_an_uninstall_of_keras_takes_files_of_the_nightly_build(make_machine):
    nightly = "3.16.0.dev2026110103"
    packages = {name: version for name, version in COMMON.items() if name != "keras"}
    files = {
        SITE + "keras_nightly-%s.dist-info/METADATA" % nightly: "Name: keras-nightly\nVersion: %s\n" % nightly,
        SITE + "keras_nightly-%s.dist-info/RECORD" % nightly: "keras/src/models/model.py,sha256=abc,200\n",
        SITE + "keras/__init__.py": WHOLE,
    }
    assert said(examine(make_machine, packages, files=files)) == (True, False, "install-corrupt")
    assert (
        said(examine(make_machine, packages, files=dict(files, **{SITE + "keras/src/models/model.py": WHOLE}))) == WORKS
    )


def test_byte_code_in_the_place_of_its_source_is_imported(make_machine):
    files = {SITE + "gast-0.5.4.dist-info/RECORD": "gast/gast.py,sha256=abc,200\n", SITE + "gast/__init__.py": WHOLE}
    assert said(examine(make_machine, files=dict(files, **{SITE + "gast/gast.pyc": "code"}))) == WORKS
    assert said(examine(make_machine, files=files))[2] == "install-corrupt"
    # What Python caches, in a folder next to it, is not.
    cached = {SITE + "gast/__pycache__/gast.cpython-312.pyc": "code"}
    assert said(examine(make_machine, files=dict(files, **cached)))[2] == "install-corrupt"


@pytest.mark.only_on("posix", reason="a virtual environment has no links there")
def test_an_environment_whose_python_was_removed(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(tmp_path / "python3.10")
    for path in (tmp_path, tmp_path / "bin" / "python"):
        with pytest.raises(InterpreterError, match="leads to a Python that was removed"):
            other_interpreter(str(path))
    (tmp_path / "python3.10").symlink_to(sys.executable)
    assert other_interpreter(str(tmp_path)).version


@pytest.mark.only_on("posix", reason="a virtual environment has no links there")
def test_a_python_that_cannot_be_reached_is_not_called_removed(tmp_path):
    (tmp_path / "python").symlink_to(tmp_path / "python")
    for path, why in ((tmp_path / "python", "symbolic links"), (tmp_path / ("p" * 300), "too long")):
        with pytest.raises(InterpreterError, match="cannot be reached: .*%s" % why):
            other_interpreter(str(path))


@pytest.mark.parametrize(
    "path, left",
    [
        ("/venv/lib/python3.12/site-packages/~ensorflow/__init__.py", "/venv/lib/python3.12/site-packages/~ensorflow"),
        ("/venv/lib/python3.10/site-packages/tensorflow/__init__.py", "/venv/lib/python3.10/site-packages"),
        ("/venv/lib/python3.12/site-packages/tests/__init__.py", None),
        ("/venv/lib/notes/tensorflow.txt", None),
    ],
)
def test_what_an_interrupted_pip_or_an_upgrade_of_python_left_is_named(make_machine, path, left):
    found = examine(make_machine, {"pip": "24.0"}, files={path: ""}).by_code("framework-missing")
    assert [item.source for item in found.evidence[1:]] == ([left] if left else [])


JAX = dict(COMMON, jax="0.4.30", scipy="1.13.1")


@pytest.mark.parametrize(
    "tensorflow, jaxlib, expected",
    [
        ("2.19.1", "0.4.38", (False, False, "dependency-incompatible")),
        ("2.19.1", "0.4.30", WORKS),
        # What JAX has no half of is an ImportError, which TensorFlow lets pass.
        ("2.19.1", None, WORKS),
    ],
)
def test_tensorflow_fails_with_the_jax_that_it_imports(make_machine, tensorflow, jaxlib, expected):
    installed = dict(JAX, **{"tensorflow-cpu": tensorflow})
    metadata = "Name: jax\nVersion: 0.4.30\nRequires-Dist: jaxlib<=0.4.30,>=0.4.27\n\n"
    installed.update({"jaxlib": jaxlib} if jaxlib else {})
    diagnosis = examine(make_machine, installed, files={SITE + "jax-0.4.30.dist-info/METADATA": metadata})
    assert said(diagnosis) == expected
    if not expected[0]:
        found = diagnosis.by_code("dependency-incompatible")
        assert "TensorFlow imports JAX" in found.summary
        assert "jaxlib==0.4.30" in found.fix[0].command


@pytest.mark.parametrize(
    "backend, severity, keras", [("jax", "error", False), (None, "warning", False), ("torch", None, True)]
)
def test_jax_does_without_scipy_and_keras_on_it_does_not(make_machine, backend, severity, keras):
    """SciPy 1.11.4 and NumPy 2.1.3: JAX 0.4.26 to 0.10.2 computes."""
    installed = dict(COMMON, jax="0.4.38", jaxlib="0.4.38", scipy="1.11.4", keras="3.15.1")
    del installed["tensorflow-cpu"]
    installed.update({"torch": "2.8.0", "sympy": "1.13", "mpmath": "1.3"} if backend == "torch" else {})
    python = {"version": "3.11.7", "installed": installed}
    env = {"KERAS_BACKEND": backend} if backend else {}
    host = make_machine(python=python, env=env)
    diagnosis = run_rules(read_machine(host), BUNDLED)
    assert diagnosis.framework("jax").will_import is True
    assert diagnosis.framework("keras").will_import is keras
    found = diagnosis.by_code("dependency-incompatible")
    if severity is not None:
        assert found.severity == severity
        assert found.fix[0].command.endswith('"scipy>=1.13.1"')
    shadow = {"/project/scipy.py": "", "/venv/lib/python3.11/site-packages/scipy/__init__.py": ""}
    sound = dict(installed, numpy="1.26.4")
    local = examine(make_machine, sound, env, shadow, "3.11.7")
    assert local.framework("jax").will_import is True
    assert local.by_code("module-shadowed").blocks == (("keras",) if backend == "jax" else ())


@pytest.mark.parametrize(
    "jax, jaxlib, scipy, wanted",
    [
        ("0.4.20", "0.4.20", "1.12.0", ""),
        # Up to 0.4.29 the metadata of JAX say nothing of jaxlib; its import compares the two.
        ("0.4.20", "0.4.21", "1.12.0", "jaxlib<=0.4.20"),
        ("0.4.20", "0.4.13", "1.12.0", "jaxlib>=0.4.14"),
        # Without scipy.linalg.tril only jax.scipy.linalg cannot be imported: training does without.
        ("0.4.20", "0.4.20", "1.13.0", ""),
    ],
)
def test_what_old_releases_of_jax_do_not_declare(make_machine, jax, jaxlib, scipy, wanted):
    versions = {
        "jax": jax,
        "jaxlib": jaxlib,
        "scipy": scipy,
        "numpy": "1.26.4",
        "ml-dtypes": "0.3.2",
        "opt-einsum": "3.4.0",
    }
    found = examine(make_machine, versions).by_code("dependency-incompatible")
    assert [item.text.rpartition(" ")[2] for item in (found.evidence if found else ())] == ([wanted] if wanted else [])


@pytest.mark.parametrize(
    "name, content, expected",
    [
        ("jax/_src/api.py", WHOLE[:65], (False, False, "install-corrupt")),
        ("jax/_src/api.py", None, WORKS),
        ("jax/experimental/ode.py", WHOLE[:65], WORKS),
    ],
)
def test_a_mistake_in_jax_stops_tensorflow_too(make_machine, name, content, expected):
    files = {SITE + "jax-0.4.30.dist-info/RECORD": "%s,sha256=abc,200\n" % name, SITE + "jax/__init__.py": WHOLE}
    files.update({SITE + name: content} if content else {})
    assert said(examine(make_machine, dict(JAX, jaxlib="0.4.30"), files=files)) == expected


def test_a_framework_without_a_release_is_in_doubt(make_machine):
    python = {"version": "3.12.1", "installed": {}}
    files = {"/etc/os-release": 'PRETTY_NAME="Debian"\n', SITE + "tensorflow/__init__.py": "raise ImportError"}
    machine = read_machine(make_machine(python=python, files=files), deep=True)
    shown = doctor_screen(machine, run_rules(machine, Matrix()), select_device("auto", machine=machine), Style())
    assert shown.startswith("? Whether TensorFlow can be imported is not known"), shown


def test_versions_of_folders_without_metadata(make_machine):
    site = "/venv/lib/python3.10/site-packages/"
    files = {
        site + "numpy/__init__.py": "", site + "numpy/version.py": 'short_version = "2.0.2"\n',
        site + "google/protobuf/__init__.py": "__version__ = '5.29.3'\n",
    }  # fmt: skip
    packages = {name: version for name, version in COMMON.items() if name not in ("numpy", "protobuf")}
    old = dict(packages, **{"tensorflow-cpu": "2.10.1", "keras": "2.10.0"})
    diagnosis = examine(make_machine, old, files=files, version="3.10.1")
    assert said(diagnosis) == (False, False, "numpy-incompatible")
    assert diagnosis.by_code("protobuf-incompatible") is not None
    # Two releases' metadata over one folder: an interrupted upgrade. The files decide.
    twice = dict(files, **{site + "numpy-1.26.4.dist-info/METADATA": "Name: numpy\nVersion: 1.26.4\n\n"})
    twice[site + "numpy-2.0.2.dist-info/METADATA"] = "Name: numpy\nVersion: 2.0.2\n\n"
    assert said(examine(make_machine, old, files=twice, version="3.10.1"))[2] == "numpy-incompatible"
    healthy = dict(twice, **{site + "numpy/version.py": 'version = "1.26.4"\n'})
    healthy[site + "google/protobuf/__init__.py"] = "__version__ = '3.19.6'\n"
    assert said(examine(make_machine, old, files=healthy, version="3.10.1")) == WORKS
    # What that release's RECORD lists has to be there: an upgrade that was interrupted earlier has removed some of it.
    lacking = {site + "numpy-1.26.4.dist-info/RECORD": "numpy/core/_multiarray_umath.so,sha256=abc,7000000\n"}
    assert said(examine(make_machine, old, files=dict(healthy, **lacking), version="3.10.1"))[2] == "install-corrupt"
    other = {site + "numpy-2.0.2.dist-info/RECORD": "numpy/_core/_multiarray_umath.so,sha256=abc,7000000\n"}
    assert said(examine(make_machine, old, files=dict(healthy, **other), version="3.10.1")) == WORKS


@pytest.mark.parametrize(
    "text, expected, severity",
    [
        ("1.21.6", (False, False, "install-corrupt"), "error"),
        ("2.1.2", WORKS, "info"),
        ("2.1.3", WORKS, None),
        ("2.1.3+local", WORKS, None),
        ("2.1.3.post1", WORKS, None),
    ],
)
def test_files_of_another_release_than_the_metadata_say(make_machine, text, expected, severity):
    files = {SITE + "numpy/__init__.py": "", SITE + "numpy/version.py": 'version = "%s"\n' % text}
    diagnosis = examine(make_machine, files=files)
    assert said(diagnosis) == expected
    found = diagnosis.by_code("install-corrupt")
    assert (found and found.severity) == severity
    if found is not None:
        assert text in found.summary
        assert "--force-reinstall" in found.fix[0].command
        assert "numpy==2.1.3" in found.fix[0].command


def test_the_project_of_the_working_folder_is_no_copy(make_machine):
    files = {"/project/numpy/__init__.py": "", "/project/numpy/version.py": 'version = "2.0.2"\n'}
    files[SITE + "numpy/__init__.py"] = ""
    assert said(examine(make_machine, files=files, sys_path=["/project", SITE[:-1]]))[2] == "module-shadowed"


@pytest.mark.parametrize(
    "text, version",
    [
        ('short_version = "1.26.4"\nversion = "1.26.4"\n', "1.26.4"),
        ("__version__: str = '2.15.0+cu132'\n", "2.15.0+cu132"),
        ('{\n "dirty": false,\n "version": "1.21.6"\n}\n', "1.21.6"),
        ('_version = "0.6.2"\n', "0.6.2"),
        ("VERSION = '2.19.0'\n", "2.19.0"),
        ("version = compute()\n", None),
        ("", None),
    ],
)
def test_parse_version(text, version):
    assert parse_version(text) == version


@pytest.fixture
def command_of_a_tool(tmp_path):
    """Return a function that runs the command in an environment with a tool's mark, and returns what it examined and said."""
    for name in ("tool", "users"):
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / name)], check=True)
    modules = tmp_path / "modules"
    modules.mkdir()
    for module in (devicekit, packaging, platformdirs, resolvelib):  # and no framework that is installed next to them
        (modules / module.__name__).symlink_to(os.path.dirname(module.__file__))

    def run(mark, **variables):
        if mark:
            (tmp_path / "tool" / mark).write_text("{}")
        bare = {"PATH": str(tmp_path / "tool" / "bin"), "HOME": str(tmp_path), "PYTHONPATH": str(modules)}
        code = "from devicekit.cli.inputs import interpreter_of; print(interpreter_of(None).prefix)"
        command = [str(tmp_path / "tool" / "bin" / "python"), "-c", code]
        done = subprocess.run(command, env=dict(bare, **variables), cwd=str(tmp_path), capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr.decode()
        return os.path.basename(done.stdout.decode().strip()), done.stderr.decode()

    return run


@pytest.mark.only_on("posix", reason="the folders of a virtual environment have other names there")
@pytest.mark.parametrize("mark", ["uv-receipt.toml", "pipx_metadata.json"])
def test_uv_and_pipx_keep_a_command_apart_from_the_users_environment(command_of_a_tool, tmp_path, mark):
    users = str(tmp_path / "users")
    assert command_of_a_tool("", PATH=users + "/bin") == ("tool", "")
    examined, said = command_of_a_tool("", VIRTUAL_ENV=users)
    assert (examined, "not the active environment: --python " + users in said) == ("tool", True)
    examined, said = command_of_a_tool(mark, VIRTUAL_ENV=users)
    assert (examined, "(from VIRTUAL_ENV)" in said) == ("users", True)
    # uvx puts its own folder first; a relative one is not searched.
    path = os.pathsep.join([str(tmp_path / "tool" / "bin"), "users/bin"])
    assert command_of_a_tool(mark, PATH=path) == ("tool", "")
    examined, said = command_of_a_tool(mark, PATH=path + os.pathsep + users + "/bin")
    assert (examined, "(from PATH)" in said) == ("users", True)
    # An environment with a framework is the one, whatever made it.
    site = next((tmp_path / "tool" / "lib").glob("python*/site-packages"))
    (site / "torch.py").write_text("")
    assert command_of_a_tool(mark, VIRTUAL_ENV=users)[0] == "tool"


@pytest.mark.only_on("linux", reason="orphans are adopted on Linux")
@pytest.mark.skipif(not shutil.which("setsid"), reason="setsid is not installed")
def test_what_the_users_python_starts_does_not_stay(command_of_a_tool, tmp_path):
    wrapper, started = tmp_path / "users" / "bin" / "python", tmp_path / "started"
    wrapper.unlink()
    wrapper.write_text(
        "#!/bin/sh\nPATH=%s\nsetsid env -i /bin/sh -c 'echo $$ > %s; exec %s 60' &\nuntil [ -s %s ]; do sleep 0.01; done\n"
        % (os.environ["PATH"], started, shutil.which("sleep"), started)
    )
    wrapper.chmod(0o755)
    assert command_of_a_tool("uv-receipt.toml", VIRTUAL_ENV=str(tmp_path / "users"))[0] == "tool"
    assert not os.path.exists("/proc/%d" % int(started.read_text()))


#: Shell commands of files that are not a Python interpreter, and the message about each.
ANSWERS = {
    "zeros": ("exec cat /dev/zero", "printed too much"),
    "lines": ("exec yes", "printed too much"),
    "messages": ('exec yes \'{"protocol": 1, "say": {"x": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}\'', "printed too much"),
    "results": ('exec yes \'{"protocol": 1, "result": {}}\'', "printed too much"),
    "deep": ("printf '{\"protocol\": 1, \"result\": '; head -c 200000 /dev/zero | tr '\\0' '['; echo", "no answer"),
    "lists": (
        "exec yes \"$(printf '{\"protocol\": 1, \"say\": {\"x\": [[]'; yes ',[]' | head -n 30000 | tr -d '\\n'; echo ']}}')\"",
        "printed too much",
    ),
    "a long list": (
        "printf '{\"protocol\": 1, \"result\": [[]'; yes ',[]' | head -n 1300000 | tr -d '\\n'; echo ']}'",
        "no answer",
    ),
    "wide strings": (
        'exec yes "$(printf \'{"protocol": 1, "say": {"x": "\\360\\237\\230\\200\'; '
        "yes aaa | head -n 25000 | tr -d '\\n'; echo '\"}}')\"",
        "printed too much",
    ),
    "not of the protocol": (
        "exec yes \"$(printf '{\"x\": [[]'; yes ',[]' | head -n 30000 | tr -d '\\n'; echo ']}')\"",
        "printed too much",
    ),
    "null": ('echo \'{"protocol": 1, "result": {"prefix": null}}\'', "interpreter.prefix should be str"),
    "list": ('echo \'{"protocol": 1, "result": []}\'', "its answer is not that of an interpreter"),
    "number": ('echo \'{"protocol": 1, "result": -Infinity}\'', "no answer"),
}


@pytest.mark.only_on("posix", reason="shell scripts")
@pytest.mark.parametrize("answer", ANSWERS)
def test_what_is_no_interpreter_is_said_in_bounded_memory(python, tmp_path, answer):
    commands, message = ANSWERS[answer]
    path = tmp_path / "python"
    path.write_text("#!/bin/sh\n" + commands + "\n", encoding="utf-8")
    path.chmod(0o755)
    code = (
        "import sys\nfrom devicekit.machine.interpreter import InterpreterError, other_interpreter\n"
        "try:\n    other_interpreter(sys.argv[1])\nexcept InterpreterError as error:\n    print(error)\n"
        "print(open('/proc/self/status').read() if sys.platform == 'linux' else 'VmHWM: 0 kB')"
    )
    said, _, status = python(code, str(path), from_checkout=True).partition("\n")
    assert "does not run as Python 3.6 or later (" in said
    assert message in said
    assert int(status.partition("VmHWM:")[2].split()[0]) < 300000  # KiB
