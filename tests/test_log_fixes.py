"""The fixes of a log: for this framework, system, GPU and release, and for no other."""

import re

import pytest

from devicekit import explain
from devicekit.logs.context import known_from_facts
from devicekit.logs.fixes.providers import PROVIDERS, fixes_for
from devicekit.logs.fixes.situation import Situation

NO_TF = "No module named 'tensorflow'"
NO_CUDA_TORCH = "AssertionError: Torch not compiled with CUDA enabled"
NO_WHEEL = "ERROR: No matching distribution found for %s"
NVIDIA_SMI = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
CUINIT = "E cuda_driver.cc:271] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
HIP = "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"
PTX = "CUDA error: the provided PTX was compiled with an unsupported toolchain."
CUDNN = (
    "E cuda_dnn.cc:378] Loaded runtime CuDNN library: %s but source was compiled with: %s.  CuDNN library needs to have"
)
OLD_DRIVER = (
    "RuntimeError: The NVIDIA driver on your system is too old (found version %s). Please update your GPU driver"
)
DLL = "W dso_loader.cc:64] Could not load dynamic library '%s'; dlerror: %s not found"
SHM = (
    "RuntimeError: DataLoader worker (pid 411) is killed by signal: Bus error. It is possible that "
    "dataloader's workers are out of shared memory."
)
ORT = (
    "[W:onnxruntime:Default, onnxruntime_pybind_state.cc:965] Failed to create CUDAExecutionProvider. Require cuDNN 9.* and "
    "CUDA 12.*. Please install all dependencies as mentioned in the GPU requirements page"
)
METAL = (
    "NotFoundError: dlopen(/u/lib/python3.9/site-packages/tensorflow-plugins/libmetal_plugin.dylib, "
    "6): Symbol not found: _TF_NewThing"
)
OP = "NotImplementedError: The operator 'aten::eig' is not currently implemented for the MPS device."
OOM_TORCH = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 8.00 GiB"
)
OOM_TF = (
    "ResourceExhaustedError: OOM when allocating tensor with shape[64,512] and type float on "
    "/job:localhost/device:GPU:0 by allocator GPU_0_bfc"
)
OOM_JAX = "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4294967296 bytes."
GLIBCXX = (
    "ImportError: /lib64/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by "
    "/e/site-packages/torch/lib/libtorch.so)"
)
AVX = (
    "F cpu_feature_guard.cc:37] The TensorFlow library was compiled to use AVX instructions, but "
    "these aren't available on your machine."
)
DOCKER = 'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].'
NUMPY = "AttributeError: module 'numpy' has no attribute 'object'."
PROTO = "TypeError: Descriptors cannot be created directly."
JAX_METAL = "XlaRuntimeError: UNIMPLEMENTED: default_memory_space is not supported. platform METAL jax_metal"

WINDOWS, LINUX, MAC = {"os": "windows"}, {"os": "linux"}, {"os": "macos"}
ANY_INSTALL = r"\b(pip|conda|uv) (pip )?install"

#: log, facts, what the answer must contain, what it must not.
ROWS = [
    # of lines that say the same, the one that names the GPU decides, wherever it is
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
        "NVIDIA GeForce RTX 5070 Ti with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
        {},
        ["sm_120", "cu128"],
        ["nvidia-smi"],
    ),
    # a Python for a pinned release comes from the data
    (
        NO_WHEEL % "tensorflow==2.13.0",
        {**LINUX, "python": "3.12"},
        [r"--python 3\.11", r"3\.8, 3\.9, 3\.10 and 3\.11"],
        [r"--python 3\.12"],
    ),
    (NO_WHEEL % "tensorflow==2.13.0", {**WINDOWS, "python": "3.12"}, [r"py -3\.11"], ["uv venv"]),
    (NO_WHEEL % "tensorflow-directml", {**WINDOWS, "python": "3.9"}, [r"py -3\.7"], [r"py -3\.1"]),
    (NO_WHEEL % "torch==1.13.1", {**LINUX, "python": "3.12"}, [r"--python 3\.1[01]"], ["tensorflow"]),
    (NO_WHEEL % "tensorflow==1.14", {**LINUX, "python": "3.8"}, [r"3\.7"], ["has no wheel for Linux"]),
    (
        NO_WHEEL % "tensorflow==2.6.0",
        {**MAC, "arch": "arm64", "python": "3.9"},
        ["tensorflow-macos==2.6"],
        ["and-cuda"],
    ),
    (NO_WHEEL % "tensorflow==1.15", {**LINUX, "arch": "aarch64", "python": "3.6"}, ["aarch64", "source"], ["and-cuda"]),
    (
        NO_WHEEL % "torch",
        {**LINUX, "gpu": "Jetson Orin Nano", "arch": "aarch64", "python": "3.10"},
        ["JetPack"],
        ["download.pytorch"],
    ),
    (NO_WHEEL % "tensorflow", {**WINDOWS, "python": "3.11", "arch": "32-bit"}, ["64-bit", "winget"], ["sudo"]),
    # builds: for the system and the GPU, of this framework
    (NO_CUDA_TORCH, {**WINDOWS, "gpu": "GeForce RTX 3060"}, [r"whl/cu1\d\d", "torch"], ["tensorflow", "wsl"]),
    (NO_CUDA_TORCH, {**WINDOWS, "gpu": "Radeon RX 7900 XTX"}, ["AMD"], [r"whl/cu", "tensorflow"]),
    (NO_CUDA_TORCH, {**MAC, "gpu": "Apple M2"}, ["mps"], ["whl/cu", "nvidia-smi"]),
    (
        "AssertionError: Torch not compiled with XPU enabled",
        {**LINUX, "gpu": "Arc A770"},
        ["whl/xpu"],
        ["whl/cu", "tensorflow"],
    ),
    (
        "tf.test.is_built_with_cuda() -> False",
        {**WINDOWS, "packages": {"tensorflow": "2.16.1"}, "gpu": "RTX 4070", "python": "3.11"},
        [r"WSL 2", r"2\.10"],
        ["and-cuda]==2.16"],
    ),
    (
        "tf.test.is_built_with_cuda() -> False",
        {**LINUX, "packages": {"tensorflow-cpu": "2.18.0"}, "gpu": "RTX 4070", "python": "3.11"},
        [r"tensorflow\[and-cuda\]==2.18.0", "uninstall -y tensorflow-cpu"],
        ["wsl", "directml"],
    ),
    (
        "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.",
        {**LINUX, "gpu": "RTX 4090"},
        [r"jax\[cuda1[23]\]"],
        ["tensorflow", "torch"],
    ),
    (
        "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.",
        {**WINDOWS, "gpu": "RTX 4090"},
        ["WSL 2"],
        [r"install.*jax\[cuda"],
    ),
    (
        JAX_METAL,
        {**MAC, "packages": {"jax-metal": "0.1.1", "jax": "0.6.0"}, "gpu": "Apple M3"},
        ["jax-metal", r"jax==0\.5"],
        ["cuda"],
    ),
    # what ONNX Runtime asks for is not what TensorFlow needs
    (
        ORT,
        {**WINDOWS, "packages": {"onnxruntime-gpu": "1.19.2"}},
        ["CUDA 12", "cuDNN 9", r"onnxruntime-gpu\[cuda,cudnn\]"],
        ["TensorFlow", r"11\.2"],
    ),
    # CUDA by the name of the library, or by the release
    (
        DLL % ("cudart64_101.dll", "cudart64_101.dll"),
        WINDOWS,
        [r"10\.1", "PATH"],
        ["and-cuda", "LD_LIBRARY_PATH", "sudo"],
    ),
    (
        DLL % ("cudart64_110.dll", "cudart64_110.dll"),
        {**WINDOWS, "packages": {"tensorflow": "2.9.1"}},
        [r"11\.2", r"8\.1"],
        ["and-cuda]"],
    ),
    (
        DLL % ("libcudart.so.10.0", "libcudart.so.10.0"),
        {**LINUX, "gpu": "GTX 1080"},
        [r"10\.0"],
        ["and-cuda", r"\.dll"],
    ),
    (
        "Cannot dlopen some GPU libraries.",
        {**LINUX, "packages": {"tensorflow": "2.18.0"}, "gpu": "RTX 3090", "python": "3.11"},
        [r"and-cuda\]==2\.18\.0"],
        [r"2\.20", "wsl"],
    ),
    (
        "ImportError: libcublas.so.10: cannot open shared object file",
        {**LINUX, "gpu": "Jetson Xavier", "arch": "aarch64"},
        ["JetPack"],
        ["and-cuda"],
    ),
    # numbers as people know them
    (CUDNN % ("7004", "7201"), LINUX, [r"7\.2\.1", r"7\.0\.4"], ["7201", "7004"]),
    (CUDNN % ("9.1.0", "9.3.0"), {**LINUX, "packages": {"tensorflow": "2.19.0"}}, [r"nvidia-cudnn-cu12>=9\.3,<10"], []),
    (OLD_DRIVER % "11040", {**LINUX, "packages": {"torch": "2.4.0"}}, [r"11\.4"], ["11040", "tensorflow"]),
    # drivers, by this distribution
    (
        NVIDIA_SMI,
        {**LINUX, "os_version": "Ubuntu 22.04", "gpu": "RTX 3060"},
        ["ubuntu-drivers install", "modprobe nvidia", "Secure Boot"],
        ["dnf", "pacman"],
    ),
    (NVIDIA_SMI, {**LINUX, "os_version": "Fedora 41", "gpu": "RTX 3060"}, ["akmod-nvidia"], ["apt", "ubuntu"]),
    (NVIDIA_SMI, {**LINUX, "os_version": "Arch Linux", "gpu": "RTX 3060"}, ["pacman"], ["apt-get", "dnf"]),
    (NVIDIA_SMI, {"os": "wsl2", "gpu": "RTX 3060"}, ["In Windows"], ["apt", "modprobe"]),
    (
        PTX,
        {**LINUX, "packages": {"torch": "2.1.0"}, "gpu": "Tesla V100", "driver": "470.57", "cuda": "12.1"},
        [r"530\.30", "branch 580"],
        ["tensorflow"],
    ),
    (PTX, {"os": "container", "packages": {"torch": "2.1.0"}, "cuda": "12.1"}, ["host"], ["apt", "reboot"]),
    # AMD: the override of the GPU's own family, or none
    (
        HIP,
        {**LINUX, "packages": {"torch": None}, "gpu": "Radeon RX 6700 XT"},
        [r"HSA_OVERRIDE_GFX_VERSION=10\.3\.0"],
        [r"=11\.0", "nvidia"],
    ),
    (
        HIP,
        {**LINUX, "packages": {"torch": None}, "gpu": "Radeon RX 7600"},
        [r"HSA_OVERRIDE_GFX_VERSION=11\.0\.0"],
        [r"=10\.3", "nvidia"],
    ),
    (
        HIP,
        {**LINUX, "packages": {"tensorflow-rocm": "2.4.3"}, "gpu": "Radeon RX 580"},
        ["not support"],
        ["HSA_OVERRIDE_GFX_VERSION=", "nvidia"],
    ),
    (HIP, {**LINUX, "packages": {"torch": None}}, ["rocminfo"], ["HSA_OVERRIDE_GFX_VERSION=", "tensorflow"]),
    (
        "RuntimeError: No HIP GPUs are available",
        {"os": "container", "gpu": "AMD Instinct MI210", "packages": {"torch": None}},
        ["/dev/kfd"],
        ["--gpus", "nvidia"],
    ),
    # generations of NVIDIA GPUs
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {**LINUX, "packages": {"torch": "2.3.0"}, "gpu": "GeForce RTX 5090", "python": "3.11"},
        [r"12\.8|whl/cu1[23]\d|torch=="],
        ["tensorflow"],
    ),
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {**WINDOWS, "packages": {"torch": "2.9.0"}, "gpu": "GeForce GTX 1080", "python": "3.11"},
        ["whl/cu12"],
        ["cu130", "tensorflow"],
    ),
    (
        "W gpu_device.cc:2431] TensorFlow was not built with CUDA kernel binaries compatible with compute capability 12.0.",
        {**LINUX, "packages": {"tensorflow": "2.19.0"}, "gpu": "RTX 5080"},
        ["nvcr.io"],
        [ANY_INSTALL + ".*(jax|torch)", "let it finish"],
    ),
    # memory
    (OOM_TORCH, {**LINUX, "packages": {"torch": "2.5.0"}}, ["batch"], ["TF_", "tf\\.config", "XLA"]),
    (OOM_TF, WINDOWS, [r"\$env:TF_FORCE_GPU_ALLOW_GROWTH"], ["export", "torch"]),
    (OOM_JAX, LINUX, ["XLA_PYTHON_CLIENT_PREALLOCATE"], ["TF_FORCE", "torch"]),
    ("RuntimeError: MPS backend out of memory (MPS allocated: 5.05 GB)", MAC, ["batch"], ["nvidia", "CUDA"]),
    (SHM, {"os": "container", "packages": {"torch": None}}, ["--shm-size"], ["nvidia-smi"]),
    (SHM, {**LINUX, "packages": {"torch": None}}, ["/dev/shm"], ["nvidia-smi"]),
    # the rest, by system
    (NO_TF, {**LINUX, "gpu": "RTX 3060"}, [r"tensorflow\[and-cuda\]"], ["wsl"]),
    (NO_TF, WINDOWS, ["install tensorflow"], ["and-cuda", "sudo"]),
    ("ModuleNotFoundError: No module named 'torch'", LINUX, ["install torch"], ["tensorflow", "jax"]),
    (CUINIT, {**WINDOWS, "env": {"CUDA_VISIBLE_DEVICES": "3"}}, ["Remove-Item Env:CUDA_VISIBLE_DEVICES"], ["unset"]),
    (CUINIT, {**LINUX, "env": {"CUDA_VISIBLE_DEVICES": "3"}}, ["unset CUDA_VISIBLE_DEVICES"], ["Remove-Item"]),
    (OP, {**MAC, "packages": {"torch": "2.2.0"}}, ["PYTORCH_ENABLE_MPS_FALLBACK"], [r"tf\.", "nvidia"]),
    (
        METAL,
        {**MAC, "packages": {"tensorflow-macos": "2.9.2"}, "python": "3.9"},
        [r"tensorflow-metal==0\.5\.1"],
        ["cuda", "directml"],
    ),
    (GLIBCXX, {**LINUX, "packages": {"torch": None}}, ["libstdcxx"], ["tensorflow", "winget"]),
    (AVX, {"os": "container", "cpu": "Apple M1 (qemu)"}, ["linux/arm64"], [r"1\.5"]),
    (AVX, {**LINUX, "packages": {"deepspeech": "0.1.0"}}, ["source"], [ANY_INSTALL]),
    (DOCKER, LINUX, ["--gpus all", "nvidia-ctk"], ["winget", "/dev/kfd"]),
    (NUMPY, {**WINDOWS, "packages": {"tensorflow": "2.6"}}, [r"numpy==1\.(19|2[0-3])\."], [r"numpy<2\b"]),
    (
        PROTO,
        {**LINUX, "packages": {"tensorflow": "2.7.1", "protobuf": "4.21.0"}, "python": "3.8"},
        [r"protobuf==3\."],
        [r"tensorflow==2\.15"],
    ),
    (
        "ValueError: Unable to import backend : pytorch",
        {**LINUX, "env": {"KERAS_BACKEND": "pytorch"}},
        ["KERAS_BACKEND=torch"],
        ["install.*tensorflow"],
    ),
    (
        "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The specified module could not be found.",
        WINDOWS,
        ["winget", r"C\+\+"],
        ["sudo", "export"],
    ),
    ("ImportError: libd3d12.so: cannot open shared object file", {"os": "wsl2"}, ["wsl --update"], ["apt"]),
    (
        "ImportError: libd3d12.so: cannot open shared object file",
        {**LINUX, "gpu": "Arc A380", "packages": {"tensorflow-directml-plugin": None}},
        ["WSL"],
        ["apt", "wsl --"],
    ),
    (
        "libze_loader.so.1: cannot open shared object file: No such file or directory",
        {**LINUX, "os_version": "Fedora 40", "packages": {"torch": None}},
        ["level-zero"],
        ["nvidia", "apt"],
    ),
]


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


def test_the_release_of_tensorflow_that_needs_avx2_by_mistake():
    log = "Illegal instruction (core dumped)\nimport tensorflow"
    wanted = "python -m pip install tensorflow==2.4.1"
    for version in ("2.4.0", "2.4.1"):
        commands = [step.command for step in explain(log, facts={"packages": {"tensorflow": version}})[0].fix]
        assert (wanted in commands) == (version == "2.4.0")


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
