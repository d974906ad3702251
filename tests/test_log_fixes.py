"""The fixes of a log: for this framework, system, GPU and release, and for no other."""

import itertools
import re

import pytest
from log_rows import (
    builds,
    cuda,
    dependencies,
    drivers,
    installation,
    keras,
    memory,
    numpy_protobuf,
    plugins,
    programs,
    pythons,
    rocm,
    visibility,
)
from log_rows.texts import (
    CUDNN,
    DLL,
    HIP,
    JAX_METAL,
    LINUX,
    METAL,
    NO_CUDA_TORCH,
    NO_JAX,
    NO_KERNEL,
    NO_TF,
    NO_WHEEL,
    NUMPY,
    PROTO,
    WINDOWS,
)

from devicekit import explain
from devicekit.logs.context import known_from_facts
from devicekit.logs.fixes.providers import PROVIDERS, fixes_for
from devicekit.logs.fixes.situation import Situation, requirement_of
from devicekit.logs.fixes.steps import Steps
from devicekit.machine.facts import Fact
from devicekit.matrix import has_wheel
from devicekit.matrix.matrix import BUNDLED, accepts
from devicekit.matrix.projects import sort_key
from devicekit.testing import load

#: By the code of the answer.
MODULES = (
    builds, cuda, dependencies, drivers, installation, keras, memory, numpy_protobuf, plugins, programs, pythons,
    rocm, visibility,
)  # fmt: skip
ROWS = [row for module in MODULES for row in module.ROWS]


def answer(log, facts):
    """The first finding above info, as a person reads it."""
    finding = next(item for item in explain(log, facts=facts) if item.severity != "info")
    return "\n".join([finding.summary, *(line for step in finding.fix for line in (step.text, step.command) if line)])


@pytest.mark.parametrize("log, facts, must, must_not", ROWS)
def test_a_fix_is_for_this_user(log, facts, must, must_not):
    text = answer(log, facts)
    missing = [item for item in must if not re.search(item, text, re.IGNORECASE)]
    misleading = [item for item in must_not if re.search(item, text, re.IGNORECASE)]
    assert not missing, text
    assert not misleading, text


#: Systems, GPUs and frameworks, each as facts, for every code; what a command of each kind never names.
SYSTEMS = (
    {},
    {"os": "linux", "os_version": "Ubuntu 24.04"},
    {"os": "linux", "os_version": "openSUSE Leap 15.6"},
    {"os": "linux", "arch": "aarch64"},
    {"os": "windows"},
    {"os": "windows", "arch": "32-bit"},
    {"os": "macos", "arch": "arm64"},
    {"os": "macos", "arch": "x86_64"},
    {"os": "wsl2"},
    {"os": "container"},
)
GPUS = (
    "",
    "GeForce RTX 5090",
    "GeForce GTX 1060",
    "Jetson Nano",
    "Radeon RX 6600",
    "Radeon RX 580",
    "Arc A770",
    "Apple M2",
)
FRAMEWORKS = (
    {},
    {"tensorflow": "2.6.0"},
    {"tensorflow": "2.19.1", "keras": None},
    {"tensorflow-gpu": "1.15"},
    {"jax": "0.4.30", "jaxlib": "0.4.30"},
    {"torch": "2.3.0+cu121", "torchvision": None},
    {"onnxruntime-gpu": "1.20.0"},
    {"tfjs-node-gpu": None},
)
NAMED = {
    "tensorflow": r"tensorflow|\bTF_|\btf\.",
    "jax": r"\bjax|XLA_PYTHON",
    "torch": r"torch|PYTORCH_",
    "onnxruntime": "onnx",
}
ELSEWHERE = {
    "windows": r"\b(sudo|apt|dnf|modprobe|dmesg|ldconfig|export|unset|grep)\b|LD_LIBRARY_PATH|/(dev|etc|opt|usr)/|-metal",
    "linux": r"\$env:|winget|\.exe\b|\bsetx\b|Remove-Item|tensorflow-metal|\bbrew\b|py -3",
    "macos": r"\b(sudo apt|dnf|modprobe|dmesg|ldconfig)\b|\$env:|winget|nvidia-smi|and-cuda|whl/cu|--gpus|directml|/dev/",
}


def test_an_index_that_the_cpu_refuses_as_well_is_the_programs():
    (found,) = explain(
        "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`\n"
        "IndexError: index out of range in self"
    )
    assert found.code == "user-code-error"
    assert "vocab_size" in found.fix[0].text


def test_a_warning_is_no_error_and_a_driver_that_does_not_start_lacks_no_kernel():
    old = "W asm_compiler.cc:235] Your CUDA software stack is old. We fallback to the NVIDIA driver for some compilation. The "
    first = explain(old + "ptxas error was: ptxas fatal   : Value 'sm_86' is not defined for option 'gpu-name'")[0]
    assert first.severity == "warning"
    found = explain("E cuda_driver.cc:282] failed call to cuInit: CUDA_ERROR_NOT_FOUND: named symbol not found")
    assert [item.code for item in found] == ["driver-mismatch"]


def situations():
    """Every code on every system, with every GPU and framework."""
    for code in sorted(PROVIDERS):
        for system in SYSTEMS:
            for gpu in GPUS:
                for packages in FRAMEWORKS:
                    facts = dict(system, packages=packages, python="3.9", driver="470.82", cuda="11.4")
                    yield code, dict(facts, **({"gpu": gpu} if gpu else {}))


def test_no_command_is_for_another_framework_or_system():
    """Computed for every code, system, GPU and framework: nothing fails, and no command is someone else's."""
    wrong = []
    for number, (code, facts) in enumerate(situations()):
        if number % 7:  # a sample; what is left out differs only in what other rows have
            continue
        about = Situation(code, known_from_facts(facts), {}, "", "", "")
        fixes = fixes_for(about, ())
        assert all(step.text for step in fixes)
        system = {"container": "linux", "wsl2": ""}.get(facts.get("os", ""), facts.get("os", ""))
        for command in filter(None, (step.command for step in fixes)):
            for name, pattern in NAMED.items():
                if about.framework and name != about.framework and re.search(pattern, command):
                    wrong.append((code, facts, command))
            # What is typed in WSL or in Windows says so in its words.
            if system in ELSEWHERE and re.search(ELSEWHERE[system], command):
                said = next(step.text for step in fixes if step.command == command)
                if "WSL" not in said:
                    wrong.append((code, facts, command))
    assert not wrong, "\n".join(map(str, wrong[:20]))


#: Logs whose fix installs something, for each of the mechanisms that choose a release.
INSTALLING = (
    NO_WHEEL % "tensorflow==2.4.1",
    NO_WHEEL % "jax==0.4.30",
    NO_WHEEL % "torch==1.7.1",
    NO_WHEEL % "tensorflow-gpu",
    NO_TF,
    NO_JAX,
    NO_CUDA_TORCH,
    NUMPY,
    PROTO,
    JAX_METAL,
    METAL,
    HIP,
    NO_KERNEL,
    CUDNN % ("8.0.5", "8.6.0"),
    "zsh: no matches found: jax[cuda12]==0.4.30",
    "RuntimeError: jaxlib is version 0.4.20, but this version of jax requires version >= 0.4.30.",
    "AttributeError: module 'tensorflow' has no attribute 'Session'",
    "Ignoring visible gpu device with Cuda compute capability 2.1. The minimum required Cuda capability is 3.5.",
    "tensorflow.python.framework.errors_impl.InternalError: Blas GEMM launch failed : a.shape=(32, 64), b.shape=(64, 10)",
    "Num GPUs Available: 0",
)


def test_a_command_has_the_form_of_each_shell():
    """PowerShell 5 has no &&, and no shell of Windows knows what POSIX has."""
    wrong = []
    for number, (code, facts) in enumerate(situations()):
        if number % 5 or facts.get("os") != "windows":
            continue
        for step in fixes_for(Situation(code, known_from_facts(facts), {}), ()):
            for shell, form in step.commands:
                bad = r"\bexport |\bunset |/dev/|\bsudo |/usr/" + (r"|&&" if shell == "powershell" else r"|^\$env:")
                if shell in ("powershell", "cmd") and re.search(bad, form):
                    wrong.append((shell, form))
    steps = explain(
        "ERROR: No matching distribution found for tensorflow==1.15.5", facts={**WINDOWS, "python": "3.11"}
    )[0].fix
    wrong += [item for step in steps for item in step.commands if item[0] == "powershell" and "&&" in item[1]]
    about = Situation("cause-unknown", known_from_facts(WINDOWS), {})
    steps = Steps(about)
    steps.run("Do both", "conda create -y -n env && conda run -n env python")
    assert dict(steps.fixes[0].commands)["powershell"] == "conda create -y -n env; conda run -n env python"
    assert " && " in dict(steps.fixes[0].commands)["cmd"]
    steps.run("See", "ls /usr/local/cuda")
    assert len(steps.fixes) == 1
    assert not wrong, wrong[:10]


def installed(steps, python):
    """The requirements of each command of pip without an index, and the Python that it is run with."""
    own = python
    for step in steps:
        command, python = step.command or "", own if step.instead else python
        made = re.search(r"--python (3\.\d+) env|py -(3\.\d+)|python=(3\.\d+)", command)
        python = next(filter(None, made.groups())) if made else python
        if made is None and step.text.startswith(("In WSL", "In Windows", "In it")):  # in another environment
            continue
        found = re.search(r"pip install (?!.*(?:-url|-f) )(.*)", command)
        if found:
            yield step, python, [item.strip("\"'") for item in found.group(1).split() if re.match(r"[\"'a-z]", item)]


def test_what_a_command_installs_has_a_wheel_for_its_python_and_system():
    """As far as the bundled matrix knows: of a release that the bounds take, and, for JAX, of a jaxlib that goes with it."""
    wrong = set()
    systems = [facts for facts in SYSTEMS if facts.get("os") and facts.get("arch") != "32-bit"]
    for number, (log, facts, packages) in enumerate(itertools.product(INSTALLING, systems, FRAMEWORKS)):
        python, gpu = "3.%d" % (7 + number % 7), GPUS[number % len(GPUS)]
        facts = dict(facts, packages=packages, python=python, **({"gpu": gpu} if gpu else {}))
        platform = known_from_facts(facts).platform
        for finding in explain(log, facts=facts):
            for step, its, requirements in installed(finding.fix, python):
                for item in requirements:
                    lacking = lacks_wheel(item, its, platform)
                    if lacking:
                        wrong.add("%s on %s: %s (%s)" % (lacking, platform, step.command, step.text))
    assert not wrong, "%d: %s" % (len(wrong), "\n".join(sorted(wrong)[:20]))


def lacks_wheel(requirement, python, platform):
    """The name of what has releases in some bounds, and none of them with a wheel; "" if there is one, or no data."""
    name, bounds = requirement_of(requirement)
    project = BUNDLED.project(name)
    releases = [item for item in (project.versions if project else ()) if accepts(bounds or ">=0", item) is True]
    if not releases or platform is None:
        return ""
    fitting = [item for item in releases if has_wheel(name, item, python, platform).status == "compatible"]
    if name == "jax" and fitting and (sort_key(fitting[-1]) >= (0, 4, 18) or python in ("3.12", "3.13")):
        least = "<=" + fitting[-1]
        return lacks_wheel("jaxlib" + least, python, platform) if accepts(least, "0.4.18") else "jaxlib"
    return "" if fitting else "%s for Python %s" % (requirement, python)


def test_every_step_says_who_does_it_and_what_it_changes():
    """``devicekit`` can do exactly what says what to install; a command has a form for each shell that it is for."""
    for code, facts in list(situations())[::13]:
        for step in fixes_for(Situation(code, known_from_facts(facts), {}), ()):
            assert (step.who == "devicekit") == (step.packages is not None), step
            assert step.command is None or dict(step.commands).get("posix") or dict(step.commands).get("powershell"), (
                step
            )
            assert (step.command is None) == (not step.commands), step


@pytest.mark.parametrize(
    "facts, wanted",
    [({"os": "macos"}, "tensorflow-metal"), ({"os": "windows"}, "WSL")],
)
def test_the_extra_for_cuda_where_there_is_no_cuda(facts, wanted):
    log = NO_WHEEL % 'nvidia-nccl-cu12==2.16.5; extra == "and-cuda"'
    found = explain(log, facts=facts)[0]
    assert any(wanted in step.text + (step.command or "") for step in found.fix)


@pytest.mark.parametrize("name, build", [("tensorflow", "cpu_py39h4655687_0"), ("pytorch", "cpu_generic_py311_1")])
def test_conda_names_the_package_that_it_installed_without_cuda(name, build):
    found = explain("%s    2.7.0    %s    conda-forge" % (name, build), facts={"gpu": "GeForce RTX 3060"})[0]
    assert 'conda install -c conda-forge "%s=*=*cuda*"' % name in [step.command for step in found.fix]


def test_tensors_on_two_devices_are_no_index_out_of_range():
    log = "RuntimeError: Expected all tensors to be on the same device, but found cuda:0 and cpu! (argument index)"
    text = " ".join(step.text for step in explain(log)[0].fix)
    assert "model.to(device)" in text
    assert "out of range" not in text


def test_the_release_of_tensorflow_that_needs_avx2_by_mistake():
    log = "Illegal instruction (core dumped)\nimport tensorflow"
    wanted = 'python -m pip install tensorflow==2.4.1 "protobuf<4.21"'
    for version in ("2.4.0", "2.4.1"):
        commands = [step.command for step in explain(log, facts={"packages": {"tensorflow": version}})[0].fix]
        assert (wanted in commands) == (version == "2.4.0")


@pytest.mark.parametrize("flags, has", [(("avx", "avx2"), True), (("sse4_2",), False)])
def test_a_processor_that_has_avx_is_not_sent_for_another(flags, has):
    machine = load("linux-cpu")
    machine = machine.replace(native=machine.native.replace(cpu_flags=Fact.of(flags, "/proc/cpuinfo")))
    text = " ".join(step.text for step in explain("Illegal instruction (core dumped)", machine)[0].fix)
    assert ("compiled for another one" in text) == has
    assert ("processor that has them" in text) != has
    assert "another computer" not in text


def test_a_fix_of_tensorflow_names_no_jax():
    """TensorFlow 2.12 requires JAX: its installer finds it."""
    log = "W gpu_device.cc:1956] Cannot dlopen some GPU libraries. Please make sure the missing libraries"
    facts = {"os": "linux", "python": "3.10", "gpu": "GeForce RTX 3060", "packages": {"tensorflow": "2.12.0"}}
    commands = [step.command or "" for step in explain(log, facts=facts)[0].fix]
    assert any("tensorflow==2.12.0" in command for command in commands)
    assert not any("jax" in command for command in commands)


def test_errors_that_only_pytorch_words_so_are_its_own():
    log = "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`"
    found = explain(log)[0]
    assert found.code == "out-of-memory"
    assert not any("TensorFlow" in step.text for step in found.fix)


def test_jax_on_windows_is_for_the_cpu():
    log = (
        "RuntimeError: Unable to initialize backend 'cuda': UNIMPLEMENTED: LoadPjrtPlugin is not implemented on windows"
    )
    found = explain(log)[0]
    assert found.code == "platform-unsupported"
    assert "Remove-Item Env:JAX_PLATFORMS" in [step.command for step in found.fix]


def test_the_framework_that_the_log_names_is_stronger_than_a_signatures_own_words():
    """Signatures of lines that all frameworks print name the one that most of them are from."""
    log = "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:439] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR"
    fix = explain(log)[0].fix
    assert any("XLA_PYTHON_CLIENT_PREALLOCATE" in (step.command or "") for step in fix)
    assert not any("TF_FORCE" in (step.command or "") or "TensorFlow" in step.text for step in fix)
    known = known_from_facts({})
    about = Situation("out-of-memory", known, {}, "no memory", summary="TensorFlow takes it all.")
    assert about.framework == "tensorflow"
    known.words.add("jax")
    assert about.framework == "jax"


def test_an_extension_is_told_the_cuda_that_pytorch_was_compiled_with():
    log = (
        "      RuntimeError:\n      The detected CUDA version (12.3) mismatches the version that was used to compile\n"
        "      PyTorch (11.7). Please make sure to use the same CUDA versions."
    )
    found = explain(log)[0]
    assert found.code == "cuda-version-mismatch"
    assert "CUDA toolkit 11.7" in found.fix[0].text


@pytest.mark.parametrize(
    "line", ["RuntimeError: No CUDA GPUs are available", "ValueError: fp16 mixed precision requires a GPU"]
)
def test_a_program_that_ends_for_want_of_a_gpu_is_told_so(line):
    finding = explain(line)[0]
    assert finding.severity == "error"
    assert finding.code in ("no-gpu", "cpu-only-build")


@pytest.mark.parametrize(
    "line", ["CUDA error: an illegal memory access was encountered", "CUDA error: unspecified launch failure"]
)
def test_a_kernel_that_fails_is_looked_for_in_the_program_first(line):
    first = explain("RuntimeError: " + line)[0].fix[0]
    assert "CUDA_LAUNCH_BLOCKING" in first.command
    assert "program" in first.text


def test_cudnn_errors_in_pytorchs_words_name_no_tensorflow():
    for status in ("NOT_INITIALIZED", "INTERNAL_ERROR", "MAPPING_ERROR"):
        fix = explain("RuntimeError: cuDNN error: CUDNN_STATUS_" + status)[0].fix
        assert fix
        assert not any(re.search("TensorFlow|JAX|TF_", step.text + (step.command or "")) for step in fix)


STUB = "RUN ln -s /usr/local/cuda/lib64/stubs/libcuda.so /usr/local/cuda/lib64/stubs/libcuda.so.1\n"
OPENED = "I tensorflow/stream_executor/platform/default/dso_loader.cc:50] Successfully opened dynamic library libcudart.so.12"
INSUFFICIENT = (
    "InternalError: cudaGetDevice() failed. Status: CUDA driver version is insufficient for CUDA runtime version"
)
RNN = (
    "E tensorflow/stream_executor/dnn.cc:616] CUDNN_STATUS_BAD_PARAM\nin tensorflow/stream_executor/cuda/cuda_dnn.cc(1496): "
    "'cudnnSetRNNDataDescriptor( data_desc.get(), data_type, layout)'"
)
PTXAS = "W asm_compiler.cc:235] ptxas fatal   : Value 'sm_86' is not defined for option 'gpu-name'"


@pytest.mark.parametrize(
    "log, facts, code, word",
    [
        (
            STUB + "E cuda_driver.cc:397] failed call to cuInit: CUresult(-1)",
            {"os": "container"},
            "driver-shadowed",
            "stubs",
        ),
        (OPENED + "\n" + INSUFFICIENT, {"os": "linux", "gpu": "RTX 3060"}, "driver-too-old", "525"),
        (RNN, {"packages": {"tensorflow": "2.4.1"}}, "user-code-error", "drop_remainder"),
        (PTXAS, {"os": "linux", "packages": {"tensorflow": "2.4.1"}}, "xla-toolchain-missing", "CUDA 11.1"),
    ],
)
def test_what_the_log_shows_decides_the_fix(log, facts, code, word):
    first = explain(log, facts=facts)[0]
    assert first.code == code
    assert word in "\n".join("%s\n%s" % (fix.text, fix.command) for fix in first.fix)


@pytest.mark.parametrize(
    "facts, wanted",
    [({}, "protobuf<6"), ({"os": "windows", "python": "3.12", "packages": {"tensorflow": "2.18.0"}}, "protobuf==5")],
)
def test_protobuf_has_what_the_generated_code_calls(facts, wanted):
    first = explain("AttributeError: 'MessageFactory' object has no attribute 'GetPrototype'", facts=facts)[0]
    assert first.code == "protobuf-incompatible"
    assert wanted in first.fix[0].command


def test_an_abort_in_cudnn_names_the_release_that_tensorflow_needs():
    facts = {"os": "windows", "packages": {"tensorflow": "2.4.0"}, "gpu": "RTX 3070"}
    first = explain("Process finished with exit code -1073740791 (0xC0000409)", facts=facts)[0]
    assert any("CUDA 11.0 and cuDNN 8" in fix.text for fix in first.fix)


def test_the_file_that_the_loader_misses_is_named():
    line = DLL % ("libcusolver.so.11", "libnvJitLink.so.12: cannot open shared object file: No such file or directory;")
    fixes = explain(line, facts={"os": "linux", "gpu": "RTX 3060"})[0].fix
    assert "libnvJitLink.so.12" in fixes[0].text
    assert "nvidia-nvjitlink-cu12" in fixes[1].command


def test_a_traceback_in_an_add_on_is_about_the_add_on():
    log = (
        '  File "/x/lib/python3.9/site-packages/tensorflow_probability/python/internal/auto.py", line 419, in f\n'
        "AttributeError: module 'tensorflow.python.framework.type_spec' has no attribute '_NAME_TO_TYPE_SPEC'"
    )
    first = explain(log)[0]
    assert first.code == "dependency-incompatible"
    assert "tensorflow-probability" in first.fix[0].text


@pytest.mark.parametrize(("version", "code"), [("'2.4.1+cu121'", "driver-missing"), ("'2.4.1'", "cpu-only-build")])
def test_who_asks_pytorch_for_cuda_wants_it(version, code):
    log = ">>> import torch\n>>> torch.__version__\n%s\n>>> torch.cuda.is_available()\nFalse\n" % version
    finding = explain(log)[0]
    assert (finding.code, finding.severity) == (code, "warning")
    assert "nvidia-smi" in [step.command for step in finding.fix]


def test_jax_metal_is_named_by_the_summary_too():
    log = "XlaRuntimeError: UNIMPLEMENTED: default_memory_space is not supported.\njax 0.6.2\njax-metal 0.1.1\n"
    assert not any("cuda" in (step.command or "") for step in explain(log)[0].fix)


def test_a_notebook_service_without_a_gpu_needs_no_driver():
    log = "RuntimeError: Found no NVIDIA driver on your system.\n/content/drive/MyDrive/run.py\n"
    finding = explain(log)[0]
    assert finding.code == "no-gpu"
    assert len(finding.fix) == 1
    assert "Change runtime type" in finding.fix[0].text


@pytest.mark.parametrize(
    "log, facts, word",
    [
        (DLL % ("libcudart.so.10.0", "x"), {"packages": {"tensorflow": "1.15.0"}, "gpu": "RTX 3090"}, "2.5 or newer"),
        (
            "ValueError: decay is deprecated in the new Keras optimizer",
            {"packages": {"tensorflow": "2.12.0"}},
            "schedule",
        ),
        ("<ipython-input-1-cd> in <module>\n%s" % NO_TF, {"os": "linux"}, "kernel"),
        ("RuntimeError: tf.placeholder() is not compatible with eager execution.", {}, "disable_v2_behavior"),
        (
            "ValueError: Trying to load a model of incompatible/unknown type. '/x' contains neither",
            {},
            "Delete the folder",
        ),
        ("ValueError: Unknown layer: MBBLOCK. Please ensure this object is passed", {}, "custom_objects"),
    ],
)
def test_the_fix_has_the_step_that_helps(log, facts, word):
    assert any(word in fix.text for fix in explain(log, facts=facts)[0].fix)


#: TensorFlow's logger, copied from a table of a page: other blanks, and more of them.
PASTED = (
    "2024-01-01  10:00:00.1: W  tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not  load "
    "dynamic\u00a0library 'libcusolver.so.11'; dlerror: libcusolver.so.11: cannot open shared object file"
)
INVALID_PTX = "InternalError: Failed to load PTX text as a module: CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed"
UNMET = "ERROR: tensorflow 2.4.1 has requirement %s, but you'll have %s which is incompatible.\n"


@pytest.mark.parametrize(
    "log, facts, code, words",
    [
        ("No module named 'keras.legacy'", {}, "keras-incompatible", ["keras==2.3.1", "TF_KERAS"]),
        ("AttributeError: module 'keras.backend' has no attribute 'tf'", {}, "keras-incompatible", ["import tensorflow"]),
        (
            "ImportError: keras.optimizers.legacy is not supported in Keras 3. When using tf.keras, install tf_keras",
            {"packages": {"tensorflow": "2.17.0"}, "os": "linux"},
            "keras-incompatible",
            ["tf-keras==2.17.*", "TF_USE_LEGACY_KERAS"],
        ),
        (
            "ValueError: Unrecognized keyword arguments passed to DepthwiseConv2D: {'groups': 1}",
            {},
            "keras-incompatible",
            ["tf-keras", "leave it out"],
        ),
        ("No module named 'tensorflow.keras'", {}, "keras-incompatible", ["tf.__file__", "--force-reinstall"]),
        (
            "No module named 'tensorflow.keras'",
            {"packages": {"tensorflow": "1.5.0"}},
            "dependency-incompatible",
            ["install --upgrade tensorflow"],
        ),
        (PASTED, {"os": "linux", "packages": {"tensorflow": "2.5.0"}}, "cuda-library-missing", ["11.2"]),
        (
            UNMET % ("gast==0.3.3", "gast 0.4.0") + UNMET % ("h5py~=2.10.0", "h5py 3.1.0"),
            {"os": "linux"},
            "dependency-incompatible",
            ["gast==0.3.3 \"h5py~=2.10.0\""],
        ),
        ("step 9/10 - loss: 0.2 - acc: 0.9209Killed", {"os": "linux"}, "host-memory-exhausted", ["RAM"]),
        ("[I] KernelRestarter: restarting kernel (1/5), keep random ports", {}, "framework-broken", ["main memory"]),
        (
            "InternalError: Failed to get device name: HIP_ERROR_InvalidValue",
            {"os": "linux", "gpu": "Radeon RX 570", "packages": {"tensorflow-rocm": "2.4.3"}},
            "gfx-unsupported",
            ["gfx803"],
        ),
        (
            "W tensorflow/compiler/xla/nvptx_compiler.cc:70] Can't find libdevice directory ${CUDA_DIR}/nvvm/libdevice.",
            {"os": "windows", "packages": {"tensorflow-gpu": "2.2.0"}, "gpu": "RTX 2080"},
            "xla-toolchain-missing",
            ["CUDA toolkit 10.1"],
        ),
        (
            DLL % ("libcudart.so.10.2", "x"),
            {"os": "container", "gpu": "Jetson Nano", "arch": "aarch64", "packages": {"tensorflow": "2.5.0"}},
            "cuda-library-missing",
            ["--runtime nvidia"],
        ),
        (
            "Error: Installation of TensorFlow not found.\n\nPython exception encountered:\n"
            " AssertionError: Duplicate registrations for type 'experimentalOptimizer'",
            {},
            "keras-incompatible",
            ["same minor release"],
        ),
        ("Error: Installation of TensorFlow not found.", {}, "framework-missing", ["reticulate::py_config()"]),
        (
            "Error: Python module tensorflow.contrib.keras.python.keras was not found.",
            {},
            "dependency-incompatible",
            ["install_keras()"],
        ),
        ("No module named 'absl'", {"packages": {"tensorflow": "2.15.0"}}, "dependency-incompatible", ["absl-py"]),
        (
            "ImportError: cannot import name '_tf_stack' from 'tensorflow_core.python' (/e/site-packages/t/__init__.py)",
            {},
            "install-corrupt",
            ["Restart Python"],
        ),
        (
            "W op_kernel.cc:1830] OP_REQUIRES failed: Function invoked by the following node is not compilable",
            {"os": "macos"},
            "op-unsupported",
            ["jit_compile=False"],
        ),
        (
            "ValueError: Layer 'cell' expected 3 variables, but received 0 variables during loading. Expected: ['kernel']",
            {"packages": {"tensorflow": "2.18.0"}},
            "keras-incompatible",
            ["build()", "tf-keras==2.18.*"],
        ),
        (
            "NotFoundError: '__inference_init_4' is neither a type of a primitive operation nor a name of a function "
            "registered in binary running on worker-0. Make sure",
            {"packages": {"tensorflow": "2.1.0"}},
            "dependency-incompatible",
            ["same release"],
        ),
        (
            "WARNING:tensorflow:Failed to connect to the Tensorflow master. The TPU worker may not be ready",
            {},
            "device-lost",
            ["tpus list"],
        ),
        (
            "TPU initialization failed: open(/dev/accel0): Operation not permitted",
            {"packages": {"tensorflow": "2.12.0"}},
            "device-permission-denied",
            ["/dev/accel0", "--privileged"],
        ),
        (
            "INFO:tensorflow:Using MirroredStrategy with devices ('/device:GPU:0',)\nloss: nan",
            {"os": "linux", "gpu": "RTX 4090", "packages": {"tensorflow": "2.19.0"}},
            "numerics-divergent",
            ["NCCL_P2P_DISABLE=1"],
        ),
        (
            "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=11.2, please update your driver",
            {"os": "linux", "gpu": "RTX 2080", "cuda": "10.2"},
            "driver-too-old",
            ["CUDA 11.2 (460."],
        ),
        (
            "nvidia-container-cli --compute --require=cuda>=10.0 brand=tesla,driver>=384 --pid=1 /x]\\nnvidia-container-cli: "
            "requirement error: unsatisfied condition: brand = tesla",
            {},
            "driver-too-old",
            ["CUDA 10.0 (410.48"],
        ),
        (
            "WARNING:tensorflow:Your environment has TF_USE_LEGACY_KERAS set to True, but you do not have the tf_keras "
            "package installed. You must install it",
            {"os": "linux", "packages": {"tensorflow": "2.15.0"}},
            "keras-incompatible",
            ["unset TF_USE_LEGACY_KERAS"],
        ),
        ("ImportError: cannot import name 'normalize_data_format'", {}, "keras-incompatible", ["keras==2.1.6"]),
        (
            "  File \"C:\\e\\tensorflow\\python\\pywrap_tensorflow_internal.py\", line 28, in <module>\n"
            "    _pywrap_tensorflow_internal = swig_import_helper()\nImportError: DLL load failed: The specified module could "
            "not be found.",
            {"os": "windows"},
            "msvc-runtime-missing",
            ["cuDNN on PATH"],
        ),
        (
            "node-3:1:2 [4] ibvwrap.c:130 NCCL WARN Call to ibv_create_qp failed",
            {"os": "linux", "packages": {"tensorflow": "2.5.0"}},
            "cause-unknown",
            ["ulimit -l", "NCCL_IB_DISABLE=1"],
        ),
        (
            DLL % ("libcudart.so.11.0", "x"),
            {"os": "linux", "gpu": "Intel Arc A770", "packages": {"intel-extension-for-tensorflow": "1.1.0"}},
            "cause-unknown",
            ["setvars.sh", "XPU"],
        ),
        (
            "Looking in indexes: https://pypi.org/simple, https://www.piwheels.org/simple\n"
            + NO_WHEEL % "tensorflow==1.14.0",
            {"python": "3.9"},
            "python-unsupported",
            ["64-bit system"],
        ),
        (INVALID_PTX, {"os": "linux", "packages": {"tensorflow": "1.15.5"}}, "compute-capability-unsupported", ["nvidia-smi"]),
    ],
)  # fmt: skip
def test_the_cause_and_the_fix_of_more_of_tensorflows_failures(log, facts, code, words):
    first = explain(log, facts=facts)[0]
    text = "\n".join("%s\n%s" % (fix.text, fix.command) for fix in first.fix)
    assert first.code == code
    assert [word for word in words if word not in text] == []


def test_code_that_no_driver_compiles_is_no_proof_of_a_new_gpu():
    log = INVALID_PTX
    known = explain(log, facts={"gpu": "RTX 5090", "packages": {"tensorflow": "2.20.0"}})[0].fix
    unknown = explain(log, facts={"packages": {"tensorflow": "2.20.0"}})[0].fix
    assert "container" in known[0].text
    assert next(fix.text for fix in unknown if "container" in fix.text).startswith("For a Blackwell GPU")


@pytest.mark.parametrize(
    ("text", "system", "wsl", "version"),
    [
        ("Debian 12", "linux", None, "Debian 12"),
        ("ubuntu", "linux", None, "ubuntu"),
        ("Windows 11", "windows", False, "Windows 11"),
        ("Windows 11, WSL2", "linux", True, "Windows 11, WSL2"),
        ("macOS 14", "macos", False, "macOS 14"),
        ("wsl2", "linux", True, ""),
        ("darwin", "macos", False, ""),
        ("freebsd", "freebsd", False, ""),
    ],
)
def test_the_system_as_people_write_it(text, system, wsl, version):
    known = known_from_facts({"os": text})
    assert (known.system, known.wsl, known.os_version) == (system, wsl, version)


def test_a_build_without_kernels_for_a_gpu_is_no_build_for_the_cpu():
    """The line says what it has no code for; "was not built with CUDA" begins another sentence."""
    log = "TensorFlow was not built with CUDA kernel binaries compatible with compute capability 8.9. CUDA kernels will be"
    assert [finding.code for finding in explain(log, facts=LINUX)][:1] == ["compute-capability-unsupported"]


def test_a_wheel_that_does_not_build_is_named_by_its_first_line_already():
    """pip says "error" at once, and what failed in the end only after some hundred lines."""
    log = "Building wheels for collected packages: h5py\n  Building wheel for h5py (setup.py) ... error\n"
    findings = explain(log, facts={"os": "macos", "arch": "arm64", "python": "3.9"})
    assert findings[0].code == "platform-unsupported"
    assert "h5py" in findings[0].summary


def test_what_jax_tries_and_does_not_need_is_no_cause():
    tried = "INFO:jax._src.xla_bridge:Unable to initialize backend '%s': %s"
    log = [
        tried % ("tpu_driver", "NOT_FOUND: Unable to find driver in registry given worker: "),
        tried % ("tpu", "module 'jaxlib.xla_extension' has no attribute 'get_tpu_client'"),
    ]
    assert not explain("\n".join(log), facts={"os": "linux", "gpu": "RTX 3090"})


def test_a_jax_whose_plug_in_starts_is_no_build_for_the_cpu():
    log = [
        "RuntimeError: Unable to load cuSPARSE. Is it installed?",
        "WARNING:jax._src.xla_bridge:791: An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not "
        "installed. Falling back to cpu.",
    ]
    assert [item.code for item in explain("\n".join(log))] == ["cuda-library-missing"]


def test_a_device_side_assert_without_its_condition_says_what_to_compare():
    found = explain("RuntimeError: CUDA error: device-side assert triggered")[0]
    text = "\n".join(step.text for step in found.fix)
    assert "CUDA_LAUNCH_BLOCKING" in text
    assert re.search(r"labels with the number of classes.*resize_token_embeddings.*runtime", text)


def test_an_index_out_of_range_is_no_want_of_memory():
    log = "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`%s"
    assert explain(log % "")[0].code == "out-of-memory"
    assert explain(log % ", CUDA error: device-side assert triggered")[0].code == "user-code-error"
