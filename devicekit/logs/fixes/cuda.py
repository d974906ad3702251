"""CUDA's libraries, tools and GPU code: which release a build needs, and how to get it on the system at hand."""

import re
from typing import List, Tuple

from ...diagnosis import pages
from ...matrix.gpu_support import capability_number
from ...matrix.matrix import BUNDLED, accepts
from ...matrix.projects import sort_key
from ...resolver.goals import LOADER_PATH
from .situation import Situation, listed
from .steps import Steps
from .wheels import jetson_build

#: The CUDA release in the name of a library: ``cudart64_101.dll``, ``libcublas.so.9.0``, ``libcudart.so.11.0``.
_DLL = re.compile(r"(?i)(cudart|cublas(?:lt)?|cufft|curand|cusolver|cusparse)(?:32|64)_(\d{1,3})\.dll")
_SO = re.compile(
    r"lib(cudart|cublas(?:Lt)?|cufft|curand|cusolver|cusparse|nvrtc|cupti|nvjitlink)\.so\.(\d+)(?:\.(\d+))?"
)

#: Which CUDA a TensorFlow is built with, before the data's oldest row (tensorflow.org/install/source#gpu).
_OLD_TENSORFLOW = (("1.13", "10.0", "7.4"), ("1.5", "9.0", "7"), ("1.3", "8.0", "6"), ("1.0", "8.0", "5.1"))


def library_of(about: Situation) -> str:
    """Return the library that the line is about, "" if it names none."""
    name = about.groups.get("library", "") or about.groups.get("value", "")
    if re.match(r"(?i)(lib)?(cud|cub|cuf|cur|cus|cupti|nv|nccl)", name):
        return name.replace("\\", "/").rpartition("/")[2]
    match = (
        _DLL.search(about.line)
        or _SO.search(about.line)
        or re.search(r"(?i)cudnn\w*?64_\d+\.dll|libcudnn\w*\.so\.\d+", about.line)
    )
    return match.group() if match else ""


def release_of(library: str) -> str:
    """Return the CUDA release that a library's name tells: ``"10.1"``, ``"11"``; "" if it tells none.

    >>> release_of("cudart64_101.dll"), release_of("libcublas.so.9.0"), release_of("libcusolver.so.11"), release_of("cudart64_12.dll")
    ('10.1', '9.0', '11', '12')
    """
    dll, library_so = _DLL.search(library), _SO.search(library)
    if dll:
        digits = dll.group(2)
        if len(digits) == 3:
            return "11" if digits == "110" else "%s.%s" % (digits[:2], digits[2])
        return "%s.%s" % (digits[0], digits[1]) if len(digits) == 2 and digits[0] in "6789" else digits
    if library_so:
        name, major, minor = library_so.groups()
        if name in ("cufft", "curand") and int(major) == 10:
            return ""  # CUDA 10 and 11 both have one of this name
        return "%s.%s" % (major, minor) if minor and int(major) < 11 else major
    return ""


def needs_of(about: Situation) -> Tuple[str, str]:
    """Return which CUDA and cuDNN the build needs, as far as its version or the library's name tells; "" if not."""
    version = about.version
    if about.framework == "tensorflow" and version:
        if about.windows and about.is_at_least("2.5"):
            return "11.2", "8.1"
        if about.row is not None:
            return about.row.linux_cuda, about.row.linux_cudnn
        for oldest, cuda, cudnn in _OLD_TENSORFLOW:
            if about.is_at_least(oldest):
                return cuda, cudnn
    cuda = release_of(library_of(about))
    if cuda in ("11", "11.0") and about.framework == "tensorflow":
        return "11.2", "8.1"
    cudnn = {"10.1": "7.6", "10.0": "7.4", "9.0": "7", "8.0": "6"}.get(cuda, "")
    return cuda, cudnn


def _wheels_do(about: Situation) -> bool:
    """Whether pip can bring CUDA's libraries to this build: TensorFlow from 2.14 on, on Linux and x86-64."""
    if not (about.linux or about.system is None) or about.jetson or about.arch not in ("", "x86_64"):
        return False
    old = re.search(
        r"Could not load dynamic library|couldn't open CUDA library|/stream_executor/platform/default/dso_loader",
        about.line,
    )
    if about.version:
        return about.is_at_least("2.14") is True
    cuda = release_of(library_of(about))
    return (
        not old
        and about.python not in ("2.7", "3.5", "3.6", "3.7", "3.8")
        and not cuda.startswith(("8", "9", "10", "11"))
    )


def cuda_library_missing(about: Situation, steps: Steps) -> None:
    """A library of CUDA cannot be loaded."""
    if about.jetson:
        jetson_build(about, steps)
        return
    if about.macos:
        steps.say("macOS has no CUDA: uninstall the CUDA build, and use the CPU or Metal")
        return
    if about.framework == "torch":
        _torch_libraries(about, steps)
    elif about.framework == "jax":
        _jax_libraries(about, steps)
    elif about.framework == "onnxruntime":
        onnxruntime_cuda(about, steps)
    elif about.framework == "tensorflow" or not about.framework:
        _tensorflow_libraries(about, steps)


def _tensorflow_libraries(about: Situation, steps: Steps) -> None:
    cuda, cudnn = needs_of(about)
    if about.windows:
        _windows_libraries(about, steps, cuda, cudnn)
        return
    if _wheels_do(about) and about.framework == "tensorflow":
        _and_cuda(about, steps)
        return
    if cuda:
        _system_libraries(about, steps, cuda, cudnn)
    elif about.embedded or not about.framework:
        steps.say(
            "Install the CUDA release that the program was built for, and put its lib64 folder on the library path"
        )
    else:
        steps.say(
            "Install the CUDA and cuDNN that this TensorFlow was built for: https://www.tensorflow.org/install/source#gpu"
        )
    if about.framework and about.system in (None, "linux") and not about.embedded and not about.version and not cuda:
        _newer_tensorflow(about, steps)


def _and_cuda(about: Situation, steps: Steps) -> None:
    """CUDA's libraries by pip, for the installed release."""
    version = about.version
    keep = ["%s==%s" % (about.distribution, version)] if version and about.distribution == "tensorflow" else []
    found = about.requirements("cuda", keep=keep) if keep else None
    if found is not None:
        steps.install_set("Let pip install the CUDA libraries of %s" % about.label, found)
    else:
        pinned = "==%s" % version if version and version.count(".") > 1 else "==%s.*" % version if version else ""
        text = "Let pip install the CUDA libraries that %s was built with" % about.label
        steps.install(text, "tensorflow[and-cuda]%s" % pinned)
    if not version:
        steps.say("Before 2.14, TensorFlow needs CUDA and cuDNN from NVIDIA, of the release that it was built for")
    steps.run(
        "If a library is still not found, put pip's folders on the loader's path before Python starts",
        LOADER_PATH,
        on="linux",
    )


def _newer_tensorflow(about: Situation, steps: Steps) -> None:
    steps.install(
        "Or use TensorFlow 2.14 or later, for which pip installs CUDA's libraries", "tensorflow[and-cuda]", instead=True
    )


def _system_libraries(about: Situation, steps: Steps, cuda: str, cudnn: str) -> None:
    """CUDA on the system (or in conda) for a build that looks for it on the loader's path."""
    both = "CUDA %s%s" % (_release(cuda), " and cuDNN %s" % cudnn if cudnn else "")
    installed = about.fact("cuda")
    there = (
        "; CUDA %s is there, whose libraries have other names" % installed
        if installed and not installed.startswith(cuda)
        else ""
    )
    steps.say(
        "%s needs %s, with lib64 on LD_LIBRARY_PATH%s" % (about.label[:1].upper() + about.label[1:], both, there),
        "admin",
        "system",
    )
    if about.embedded:
        return
    if cuda.startswith("11") and about.python not in ("2.7", "3.5"):
        steps.run(
            "With conda, into the same environment",
            "conda install -c conda-forge cudatoolkit=11.2 cudnn=8.1"
            if cuda != "11.8"
            else "conda install -c conda-forge cudatoolkit=11.8 cudnn=8.6",
            changes="packages",
        )
        found = (
            about.requirements("cuda", keep=["%s==%s" % (about.distribution, about.version)]) if about.version else None
        )
        if found is not None:
            steps.install_set("Or as wheels of pip (nvidia-...-cu11)", found, instead=True)
            steps.run("Put their folders on the loader's path before Python starts", LOADER_PATH, on="linux")
    elif cuda in ("10.0", "10.1", "9.0"):
        channel = {"10.0": "7.6", "10.1": "7.6", "9.0": "7.6"}[cuda]
        command = "conda install cudatoolkit=%s cudnn=%s" % (cuda, channel)
        steps.run("With conda, into the same environment", command, changes="packages")
    _fitting_release(about, steps)


def _release(cuda: str) -> str:
    return "11 (11.2)" if cuda == "11" else cuda


def _fitting_release(about: Situation, steps: Steps) -> None:
    """The TensorFlow that was built for the CUDA that is there."""
    installed = ".".join(about.fact("cuda").split(".")[:2])
    if "." not in installed or about.framework != "tensorflow":
        return
    rows = [row for row in BUNDLED.tensorflow_rows() if row.linux_cuda == installed]
    names = [row.minor for row in rows if not about.python or accepts(row.python, about.python + ".5") is not False]
    if names:
        steps.say(
            "Or use TensorFlow %s, which was built for CUDA %s"
            % (listed(sorted(names, key=sort_key), "or"), installed),
            instead=True,
        )


def _windows_libraries(about: Situation, steps: Steps, cuda: str, cudnn: str) -> None:
    if about.framework != "tensorflow" or about.embedded:
        both = (
            "CUDA %s%s" % (cuda, " and cuDNN %s" % cudnn if cudnn else "")
            if cuda
            else "the CUDA release that it was built for"
        )
        steps.say("Install %s, and put the folder with its DLLs (bin) on PATH" % both, "admin", "system")
        return
    if about.version and about.is_at_least("2.11"):
        cpu_only_windows(about, steps)
        return
    cuda, cudnn = cuda or "11.2", cudnn or "8.1"
    which = {
        "10.1": "TensorFlow 2.1 to 2.3",
        "10.0": "TensorFlow 1.13 to 2.0",
        "9.0": "TensorFlow 1.5 to 1.12",
        "11.2": "TensorFlow 2.5 to 2.10",
    }
    name = about.label if about.version else which.get(cuda, "This TensorFlow")
    steps.say(
        "%s needs CUDA %s and cuDNN %s from NVIDIA's archive, with their bin folders on PATH; then open a new terminal"
        % (name, cuda, cudnn),
        "admin",
        "system",
    )
    steps.run("See whether Windows finds the DLL", "where %s" % (library_of(about) or "cudart64_110.dll"), on="windows")
    steps.say("Or use WSL 2 with a current TensorFlow, for which pip installs the CUDA libraries", instead=True)


def cpu_only_windows(about: Situation, steps: Steps) -> None:
    """TensorFlow from 2.11 on for native Windows has no GPU support: what serves best first."""
    nvidia = about.vendor in ("", "nvidia")
    if nvidia:
        steps.run("Use WSL 2, where current TensorFlow has CUDA", "wsl --install", on="windows", changes="system")
        steps.add(
            _in_wsl("In WSL, in a new environment", 'python3 -m pip install "tensorflow[and-cuda]"'),
        )
        text = "On native Windows, TensorFlow 2.10 is the last with CUDA (Python 3.7 to 3.10, CUDA 11.2, cuDNN 8.1)"
        if about.python in ("3.7", "3.8", "3.9", "3.10"):
            steps.install(text, "tensorflow==2.10.1", "numpy<2", remove=_wheel_owners(about), instead=True)
        else:
            steps.new_environment(text, "3.10", ["tensorflow==2.10.1", "numpy<2"], instead=True)
        return
    amd = about.vendor == "amd"
    steps.say(
        "Use Keras 3 on PyTorch, whose builds %s run on Windows: %s"
        % (
            (
                "from AMD (ROCm)",
                "https://rocm.docs.amd.com/projects/radeon-ryzen/en/latest/docs/install/installrad/windows/install-pytorch.html",
            )
            if amd
            else ("for Intel GPUs (XPU)", "https://docs.pytorch.org/docs/stable/notes/get_start_xpu.html")
        )
    )
    steps.say(
        "Or use WSL 2 with %s"
        % ("ROCm, for GPUs that it supports: %s" % pages.ROCM_WSL if amd else "Intel's extension"),
        instead=True,
    )
    plugin = "tensorflow-directml-plugin==0.4.0.dev230202"
    text = "Or DirectML, which is no longer developed, with TensorFlow 2.10 and Python 3.10"
    steps.new_environment(text, "3.10", ["tensorflow-cpu==2.10.0", plugin], instead=True)


def _wheel_owners(about: Situation) -> List[str]:
    return [name for name in ("tensorflow", "tensorflow-cpu", "tensorflow-intel") if name in about.packages]


def _in_wsl(text: str, command: str):  # type: ignore[no-untyped-def]
    from ...diagnosis.findings import Fix

    return Fix(text, command, changes="packages")


def _torch_libraries(about: Situation, steps: Steps) -> None:
    """PyTorch's wheels bring their own libraries."""
    version = about.version.partition("+")[0]
    name = "torch==%s" % version if re.match(r"\d+(\.\d+)+$", version) else "torch"
    add_on = next(
        (item for item in ("bitsandbytes", "xformers", "flash-attn") if item in about.line.replace("_", "-")), ""
    )
    if add_on == "bitsandbytes":
        steps.upgrade("Update bitsandbytes: its releases have code for the CUDA that PyTorch brings", "bitsandbytes")
        steps.run("See what it finds", "python -m bitsandbytes")
        return
    steps.reinstall("Install PyTorch again together with its CUDA packages", name)
    if about.linux or about.system is None:
        text = "Remove folders of other CUDA releases from LD_LIBRARY_PATH: PyTorch brings its own"
        steps.run(text, "unset LD_LIBRARY_PATH", on="linux", changes="variables")


def _jax_libraries(about: Situation, steps: Steps) -> None:
    if about.windows:
        steps.say("JAX has no GPU support on native Windows: use WSL 2")
        return
    steps.upgrade("Install JAX together with its CUDA libraries", "jax[cuda12]")
    steps.run("They must not be displaced by others", "unset LD_LIBRARY_PATH", on="linux", changes="variables")


def onnxruntime_cuda(about: Situation, steps: Steps) -> None:
    """ONNX Runtime's GPU package and the CUDA and cuDNN that it was built for (onnxruntime.ai, CUDA execution provider)."""
    said = re.search(r"[Rr]equires? cuDNN (\d+)\.?\*? and CUDA (\d+)\.?\*?", about.line)
    cuda = said.group(2) if said else release_of(library_of(about)).partition(".")[0]
    cudnn = said.group(1) if said else ""
    if cuda == "11":
        text = (
            "onnxruntime-gpu up to 1.18 is built for CUDA 11.8 and cuDNN 8: install these, or a newer onnxruntime-gpu"
        )
        steps.say("%s; put their folders on %s" % (text, "PATH" if about.windows else "LD_LIBRARY_PATH"))
        return
    both = "CUDA %s and cuDNN %s" % (cuda or "12", cudnn or "9")
    steps.say(
        "onnxruntime-gpu from 1.19 on needs %s (and on Windows the Visual C++ runtime)" % both
        if not about.linux
        else "onnxruntime-gpu from 1.19 on needs %s" % both
    )
    steps.install("Let pip install it with these libraries", "onnxruntime-gpu[cuda,cudnn]")
    steps.say(
        "Then call onnxruntime.preload_dlls() before the session is made, or import torch built for the same CUDA first",
        changes="code",
    )
    if about.windows:
        steps.say("Or install them from NVIDIA, with their bin folders on PATH", instead=True)


def cuda_version_mismatch(about: Situation, steps: Steps) -> None:
    """Another CUDA is installed than the build needs."""
    if about.jetson:
        jetson_build(about, steps)
        return
    if about.framework in ("torch", "jax", "onnxruntime"):
        cuda_library_missing(about, steps)
        return
    cuda, cudnn = needs_of(about)
    if about.windows:
        _windows_libraries(about, steps, cuda, cudnn)
        _fitting_release(about, steps)
    elif _wheels_do(about) and about.framework == "tensorflow":
        _and_cuda(about, steps)
    elif cuda:
        _system_libraries(about, steps, cuda, cudnn)
    else:
        steps.say("Install the CUDA release that this build names, or a build for the CUDA that is there")


def cudnn_missing(about: Situation, steps: Steps) -> None:
    """cuDNN cannot be loaded."""
    if about.jetson or about.macos:
        cuda_library_missing(about, steps)
        return
    cuda, cudnn = needs_of(about)
    major = re.search(r"(?:64_|\.so\.)(\d+)", library_of(about))
    wanted = cudnn or (major.group(1) if major else "")
    if about.windows:
        of = " %s" % wanted if wanted else ""
        steps.say(
            "Put the folder with the DLLs of cuDNN%s (bin) on PATH, or copy them into CUDA's bin folder; then open a new terminal"
            % of,
            "admin",
            "system",
        )
        if wanted.startswith("8"):
            steps.say("cuDNN 8 also needs zlibwapi.dll (zlib 1.2.3, 64-bit) in a folder of PATH")
        steps.run("See whether Windows finds it", "where %s" % (library_of(about) or "cudnn64_8.dll"), on="windows")
        return
    if about.framework == "tensorflow" and _wheels_do(about):
        _and_cuda(about, steps)
    elif about.framework in ("torch", "jax", "onnxruntime"):
        cuda_library_missing(about, steps)
    elif cuda:
        _system_libraries(about, steps, cuda, wanted)
    else:
        steps.say(
            "Install cuDNN%s, and put its folder on the library path" % (" %s" % wanted if wanted else ""),
            "admin",
            "system",
        )


def cudnn_version_mismatch(about: Situation, steps: Steps) -> None:
    """cuDNN of another release than the build needs is found first."""
    wanted = about.groups.get("wanted", "")
    major = wanted.partition(".")[0] if wanted else ""
    if wanted:
        text = "This build was compiled with cuDNN %s: it needs that one or a newer cuDNN %s" % (wanted, major)
        cuda = "11" if about.fact("cuda").startswith("11") or release_of(library_of(about)) == "11" else "12"
        minor = ".".join(wanted.split(".")[:2])
        if about.windows or about.embedded:
            steps.say("%s, whose DLLs are found first on PATH" % text if about.windows else text, "admin", "system")
        elif sort_key(minor) >= (8, 9):
            steps.install(text, "nvidia-cudnn-cu%s>=%s,<%d" % (cuda, minor, int(major) + 1))
        else:
            steps.say("%s, found first on the library path" % text, "admin", "system")
    elif about.framework == "torch":
        steps.say("Let PyTorch find its own cuDNN: remove folders with another one from the library path")
    else:
        steps.say("Install the cuDNN that this build was compiled with, or a newer one of the same major version")
    if about.linux:
        steps.run(
            "An older copy may come first: see which ones are on the path",
            "ldconfig -p | grep libcudnn; echo $LD_LIBRARY_PATH",
            on="linux",
        )
    elif about.windows:
        steps.run(
            "An older copy may come first: see which ones there are",
            "where cudnn64_%s.dll" % (major or "8"),
            on="windows",
        )


def xla_toolchain_missing(about: Situation, steps: Steps) -> None:
    """ptxas or libdevice."""
    if about.windows:
        steps.say(
            "Install the CUDA toolkit of the release that the build was made for, with its bin folder on PATH",
            "admin",
            "system",
        )
    else:
        cuda, _ = needs_of(about)
        old = cuda.startswith("11")
        steps.install(
            "Install NVIDIA's compiler (ptxas, libdevice) with pip", "nvidia-cuda-nvcc-cu%s" % ("11" if old else "12")
        )
    steps.say(
        "Name the folder of a CUDA toolkit in XLA_FLAGS: --xla_gpu_cuda_data_dir=FOLDER (it has nvvm/libdevice and bin/ptxas)"
    )


def cuda_toolkit_missing(about: Situation, steps: Steps) -> None:
    """Something is compiled for CUDA, and there is no nvcc."""
    label = re.search(r"\+cu(\d{2})(\d)\b", about.version)
    cuda = "%s.%s" % label.groups() if label else ".".join(about.fact("cuda").split(".")[:2])
    release = (
        " %s" % cuda
        if cuda
        else " of the release that the framework was built for (torch.version.cuda)"
        if about.framework == "torch"
        else ""
    )
    text = "Install the CUDA toolkit%s: the wheels bring its libraries, not its compiler (nvcc)" % release
    if about.windows:
        steps.say(
            "%s, and set CUDA_HOME (CUDA_PATH) to its folder; Visual Studio's C++ compiler is needed, too" % text,
            "admin",
            "system",
        )
    else:
        steps.say(text, "admin", "system")
        package = "cuda-nvcc=%s" % cuda if cuda else "cuda-nvcc"
        steps.run("In a conda environment", "conda install -c nvidia %s" % package, changes="packages")
        steps.set("Say where it is", "CUDA_HOME", "/usr/local/cuda")
    steps.say(
        "Or install a wheel that is already compiled for your PyTorch, CUDA and Python, if there is one", instead=True
    )


def compute_capability_unsupported(about: Situation, steps: Steps) -> None:
    """The build has no code for this generation of NVIDIA GPUs."""
    capability = about.capability
    number = capability_number(capability) if re.match(r"\d+\.\d$", capability) else (0, 0)
    if about.vendor == "amd" or re.search(r"(?i)rocm|\bhip", about.version + about.line):
        from .others import gfx_unsupported

        gfx_unsupported(about, steps)
        return
    if about.jetson:
        jetson_build(about, steps)
        return
    if number >= (10, 0) or (not capability and about.signature in ("cuda-error-invalid-ptx", "tf-no-kernel-binaries")):
        _newer_gpu(about, steps, capability)
    elif number > (0, 0):
        _older_gpu(about, steps, capability)
    else:
        _any_gpu(about, steps)


def _newer_gpu(about: Situation, steps: Steps, capability: str) -> None:
    if about.framework == "torch":
        _torch_set(
            about,
            steps,
            "Install PyTorch's build for CUDA 12.8 or later, which has code for this GPU",
            "https://download.pytorch.org/whl/cu128",
        )
        return
    if about.framework == "jax":
        steps.upgrade("Update JAX with its plug-in for CUDA 12.8 or later", "jax[cuda12]")
        return
    if about.framework == "tensorflow":
        steps.say(
            "No released TensorFlow has machine code for compute capability %s: use NVIDIA's TensorFlow container (nvcr.io, "
            "25.02 or later), or compile TensorFlow from source for it" % (capability or "12.0")
        )
        steps.say(
            "Or use Keras 3 on JAX or PyTorch (CUDA 12.8 or later), whose builds have code for this GPU", instead=True
        )
        return
    steps.say("Use a build for CUDA 12.8 or later, or compile it for this GPU")


def _older_gpu(about: Situation, steps: Steps, capability: str) -> None:
    """A GPU for which newer builds have no code."""
    found = about.requirements("cuda") if about.framework and not about.windows else None
    what = (
        "%s (compute capability %s)" % (about.known.gpu_name, capability)
        if about.known.gpu_name
        else "compute capability %s" % capability
    )
    if about.framework == "torch":
        _torch_set(
            about,
            steps,
            "Install a PyTorch build that has code for %s" % what,
            "https://download.pytorch.org/whl/cu126" if capability >= "5.0" else "",
        )
        return
    if found is not None and capability >= "3.5":
        steps.install_set("Install the newest release that has code for %s" % what, found)
    newest = _newest_for(about, capability)
    if newest and found is None:
        steps.say("%s is the newest release with code for %s" % (newest, what))
    steps.say(
        "This build leaves that GPU out: another build (the official wheel or image, an older release) may have code for it; else "
        "compile it from source for compute capability %s, or use the CPU" % capability
    )


def _newest_for(about: Situation, capability: str) -> str:
    """The newest TensorFlow whose wheels have code for a compute capability."""
    if about.framework != "tensorflow":
        return ""
    from ...matrix.queries import has_code_for

    project = BUNDLED.project("tensorflow")
    for version in reversed(project.versions if project is not None else ()):
        if has_code_for("tensorflow", version, capability, BUNDLED).status == "compatible":
            return "TensorFlow %s" % version
    return ""


def _torch_set(about: Situation, steps: Steps, text: str, index: str) -> None:
    found = about.requirements("cuda", "torch")
    if found is not None:
        steps.install_set(text, found, remove=["torch"])
    elif index:
        steps.install(text, "torch", remove=["torch"], index_url=index)
    else:
        steps.say("%s; old GPUs need an old PyTorch: %s" % (text, pages.TORCH))


def _any_gpu(about: Situation, steps: Steps) -> None:
    which = {"torch": "PyTorch", "tensorflow": "TensorFlow", "jax": "JAX"}.get(about.framework, "the framework")
    steps.run("See the GPU's compute capability", "nvidia-smi --query-gpu=name,compute_cap --format=csv")
    if about.framework == "torch":
        steps.run(
            "See which ones this PyTorch has code for", 'python -c "import torch; print(torch.cuda.get_arch_list())"'
        )
    steps.say("Take a build of %s with code for it: a newer one for a new GPU, an older one for an old GPU" % which)


def known_defect(about: Situation, steps: Steps) -> None:
    """A combination that computes wrong values."""
    steps.run("Compare the device with the CPU", "devicekit verify --numerics")


def cpu_only_build(about: Situation, steps: Steps) -> None:
    """This build has no GPU support: the one that has it, for the GPU and system at hand."""
    if about.jetson:
        jetson_build(about, steps)
        return
    makers = {
        "torch": _torch_build,
        "jax": _jax_build,
        "onnxruntime": _onnxruntime_build,
        "tensorflow": _tensorflow_build,
    }
    make = makers.get(about.framework)
    if make is None:
        steps.say("Install the build of the framework that has support for this GPU")
        return
    make(about, steps)


def _tensorflow_build(about: Situation, steps: Steps) -> None:
    if about.macos:
        from .dependencies import metal_plugin_missing

        metal_plugin_missing(about, steps)
    elif about.windows and about.embedded:
        steps.say("Take the program's own package with GPU support", changes="packages")
    elif about.windows:
        cpu_only_windows(about, steps)
    elif about.vendor in ("amd", "intel"):
        from .others import gpu_vendor_unsupported

        gpu_vendor_unsupported(about, steps)
    else:
        _linux_gpu(about, steps)


def _linux_gpu(about: Situation, steps: Steps) -> None:
    owners = [name for name in ("tensorflow-cpu", "tensorflow-intel", "intel-tensorflow") if name in about.packages]
    version = about.version
    keep = ["tensorflow==%s" % version] if re.match(r"\d+\.\d+\.\d+$", version) else []
    found = about.requirements("cuda", keep=keep)
    if found is not None:
        steps.install_set("Install the build with CUDA and its libraries", found, remove=owners)
    elif about.is_at_least("2.14") is not False:
        steps.install("Install the build with CUDA and its libraries", "tensorflow[and-cuda]", remove=owners)
    else:
        name = "tensorflow-gpu" if about.is_at_least("2.1") is False else "tensorflow"
        steps.install("Install the GPU build of the same release", "%s==%s" % (name, version), remove=owners)


def _torch_build(about: Situation, steps: Steps) -> None:
    goal = {"nvidia": "cuda", "amd": "rocm", "intel": "xpu", "apple": "metal"}.get(about.vendor, "cuda")
    if re.search(r"(?i)\bxpu\b", about.line):
        goal = "xpu"
    if about.macos:
        steps.say('macOS has no CUDA: on Apple silicon use the device "mps" in place of "cuda"', changes="code")
        return
    if goal == "rocm" and about.windows:
        steps.say(
            "Install AMD's build of PyTorch for Windows, for GPUs that it supports: "
            "https://rocm.docs.amd.com/projects/radeon-ryzen/en/latest/docs/install/installrad/windows/install-pytorch.html"
        )
        return
    names = {"cuda": "CUDA", "rocm": "ROCm", "xpu": "Intel GPUs (XPU)"}
    found = about.requirements(goal, "torch")
    text = "Replace it by PyTorch's build for %s" % names.get(goal, goal)
    rows = [row for row in BUNDLED.indexes("torch", goal, about.platform or "linux-x86_64")]
    also = [name for name in ("torchvision", "torchaudio") if name in about.packages or name in about.line]
    if found is not None and found[1] and not also:
        steps.install_set(text, found, remove=["torch"])
        return
    index = _index(about, [(row.url, row.code) for row in rows])
    steps.install(text, "torch", *also, remove=["torch", *also], index_url=index)


def _index(about: Situation, rows: List[Tuple[str, Tuple[str, ...]]]) -> str:
    """PyTorch's index for the GPU: the first whose build has code for it."""
    number = capability_number(about.capability) if re.match(r"\d+\.\d$", about.capability) else None
    for url, code in rows:
        have = [capability_number(item) for item in code if item.startswith("sm_")]
        if number is None or not have or any(item[0] == number[0] and item <= number for item in have):
            driver = about.fact("driver")
            if "cu13" in url and not (driver and sort_key(driver) >= (580,)):
                continue  # CUDA 13 needs a driver from 580 on
            return url
    return rows[0][0] if rows else ""


def _jax_build(about: Situation, steps: Steps) -> None:
    if about.windows:
        steps.run(
            "JAX has no GPU support on native Windows: use WSL 2", "wsl --install", on="windows", changes="system"
        )
    elif about.macos:
        from .dependencies import jax_metal

        jax_metal(about, steps)
    elif about.vendor == "amd":
        steps.say(
            "Install AMD's plug-in for JAX: %s"
            % "https://rocm.docs.amd.com/projects/install-on-linux/en/latest/install/3rd-party/jax-install.html"
        )
    elif about.vendor == "intel":
        steps.say("JAX has Intel's experimental plug-in only: https://github.com/intel/intel-extension-for-openxla")
    else:
        found = about.requirements("cuda", "jax")
        if found is not None:
            steps.install_set("Install JAX with its CUDA plug-in", found)
        else:
            steps.upgrade("Install JAX with its CUDA plug-in", "jax[cuda12]")


def _onnxruntime_build(about: Situation, steps: Steps) -> None:
    if about.macos:
        steps.say("On macOS use the CoreML provider, which onnxruntime's own wheel has", changes="code")
        return
    directml = (
        "directml" in about.line.lower()
        or "dml" in about.line.lower()
        or (about.windows and about.vendor in ("amd", "intel"))
    )
    name = "onnxruntime-directml" if directml else "onnxruntime-gpu"
    if about.vendor == "amd" and not about.windows:
        steps.say(
            "Install AMD's onnxruntime build (MIGraphX): https://onnxruntime.ai/docs/execution-providers/MIGraphX-ExecutionProvider.html"
        )
        return
    text = "The packages own the same folder: uninstall all, then install only %s" % name
    steps.install(text, name, remove=["onnxruntime", name])
    if name == "onnxruntime-gpu":
        steps.say("It needs CUDA 12 and cuDNN 9 (from 1.19 on): pip install onnxruntime-gpu[cuda,cudnn] brings them")
