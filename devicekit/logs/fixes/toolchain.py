"""Fixes where what compiles for CUDA is missing or too old. Pure."""

import re

from ...matrix.matrix import BUNDLED, minor_of
from .cuda import needs_of, of_conda
from .situation import Situation
from .steps import Steps

#: Lines about code that XLA could not use since its ptxas is older than the GPU.
_PTXAS_TOO_OLD = ("xla-ptxas-too-old", "cuda-error-invalid-image", "xla-ptx-kernel-not-found")


def _old_ptxas(about: Situation, steps: Steps) -> bool:
    """If ptxas is older than the GPU, name the CUDA that knows it; return whether the line is about that."""
    named = re.search(r"Value 'sm_(\d+)(\d)\w?' is not defined", about.line)
    if not named and about.signature not in _PTXAS_TOO_OLD:
        return False
    capability = ".".join(named.groups()) if named else about.capability
    row = BUNDLED.first_toolkit(capability) if capability else None
    if row is not None:
        text = "ptxas knows compute capability %s from CUDA %s on: put the bin folder of such a toolkit first on PATH"
        steps.say(text % (capability, row.cuda), "admin", "system")
    elif named:
        return False  # what it does not know may be newer than the data, or dropped
    else:
        steps.say("Use the ptxas of a newer CUDA toolkit: put its bin folder first on PATH", "admin", "system")
    if about.framework == "jax" and not about.windows:
        steps.upgrade("Or update JAX, which brings a ptxas of its own", "jax[cuda12]", instead=True)
    else:
        steps.say("Or use a newer release of %s, built for that CUDA" % about.title, instead=True)
    return True


def _unknown_architecture(about: Situation, steps: Steps) -> bool:
    """If nvcc is older than the GPU, name the CUDA that knows it; return whether the line is about that."""
    named = re.search(r"[Uu]nsupported gpu architecture '?(?:compute|sm)_(\d+)(\d)", about.line)
    if not named:
        return False
    capability = ".".join(named.groups())
    row = BUNDLED.first_toolkit(capability)
    if row is not None:
        text = (
            "nvcc knows compute capability %s from CUDA %s on: install such a toolkit, and set CUDA_HOME to its folder"
        )
        steps.say(text % (capability, row.cuda), "admin", "system")
    if about.framework == "torch":
        steps.say("Or compile for what it knows: TORCH_CUDA_ARCH_LIST names the compute capabilities", instead=True)
    return True


def xla_toolchain_missing(about: Situation, steps: Steps) -> None:
    """No ptxas or no libdevice."""
    if about.signature == "ptxas-future-architecture":
        _newer_than_ptxas(about, steps)
        return
    if _old_ptxas(about, steps) or _unknown_architecture(about, steps):
        return
    needed = needs_of(about)[0]
    if about.signature == "xla-searched-on-windows":
        _folder_on_windows(about, steps)
        return
    if "libdevice-in-lib" in about.words and "conda" in about.words and not about.windows:
        _conda_libdevice(steps)
        return
    if about.windows:
        which = " %s" % needed if needed else " of the release that the build was made for"
        steps.say("Install the CUDA toolkit%s, with its bin folder on PATH" % which, "admin", "system")
    elif of_conda(about):
        old = about.is_at_least("2.11") is False
        package = "cudatoolkit-dev" if old else "cuda-nvcc"
        text = "Install NVIDIA's compiler (ptxas, libdevice) into the conda environment"
        steps.run(text, "conda install -c conda-forge %s" % package, changes="packages")
        steps.set("Let XLA look there", "XLA_FLAGS", "--xla_gpu_cuda_data_dir=$CONDA_PREFIX")
        return
    else:
        cuda = needed or about.fact("cuda")
        major = cuda.partition(".")[0]
        text = "Install NVIDIA's compiler (ptxas, libdevice) with pip"
        # An older one may be there, which pip would leave.
        put = steps.upgrade if about.signature == "xla-ptxas-unsupported-ptx" else steps.install
        if major in ("11", "12"):
            put(text, "nvidia-cuda-nvcc-cu%s" % major)
        elif not major:
            put("%s (cu11 for builds for CUDA 11)" % text, "nvidia-cuda-nvcc-cu12")
        else:
            steps.say("Install the CUDA toolkit %s: it has ptxas and libdevice" % cuda, "admin", "system")
        if "conda" in about.words:
            text = "Or, if the framework is conda's own build, install it with conda"
            steps.run(text, "conda install -c conda-forge cuda-nvcc", changes="packages", instead=True)
    by_pip = needed.partition(".")[0] in ("", "11", "12")
    if about.linux and about.framework == "tensorflow" and by_pip and not about.is_at_least("2.14"):
        # Before 2.14, TensorFlow does not look into the packages of NVIDIA.
        code = "import nvidia.cuda_nvcc as m; print(m.__path__[0])"
        command = "export XLA_FLAGS=--xla_gpu_cuda_data_dir=$(python -c '%s')" % code
        steps.run("TensorFlow before 2.14 has to be told where that is", command, changes="variables")
    steps.say(
        "Name the folder of a CUDA toolkit in XLA_FLAGS: --xla_gpu_cuda_data_dir=FOLDER (it has "
        "nvvm/libdevice and bin/ptxas)"
    )


def _newer_than_ptxas(about: Situation, steps: Steps) -> None:
    if about.framework == "jax" and not about.windows:
        steps.upgrade("Update JAX, whose release is older than this GPU", "jax[cuda12]")
    else:
        steps.say("Use a newer release of %s, whose CUDA knows this GPU" % about.title, changes="packages")


def _folder_on_windows(about: Situation, steps: Steps) -> None:
    """CUDA is on PATH with its folder bin, which XLA takes for CUDA's own."""
    folder = about.groups["value"].replace("\\", "/")
    text = "Name CUDA's own folder to XLA, which has nvvm/libdevice (the quotes keep a path with blanks together)"
    steps.set(text, "XLA_FLAGS", "--xla_gpu_cuda_data_dir='%s'" % folder)


def _conda_libdevice(steps: Steps) -> None:
    """The package cudatoolkit has libdevice in lib, where XLA does not look."""
    text = "conda's libdevice is not in a folder that XLA searches: copy it into one, and name that"
    copied = "cd $CONDA_PREFIX/lib && mkdir -p nvvm/libdevice && cp libdevice.10.bc nvvm/libdevice/"
    steps.run(text, copied, on="linux", changes="files")
    steps.set("Let XLA look there", "XLA_FLAGS", "--xla_gpu_cuda_data_dir=$CONDA_PREFIX/lib")
    text = "If ptxas is missing then, install NVIDIA's compiler"
    steps.run(text, "conda install -c conda-forge cuda-nvcc", changes="packages")


def cuda_toolkit_missing(about: Situation, steps: Steps) -> None:
    """Something is compiled for CUDA, and there is no nvcc."""
    if about.vendor == "amd":
        steps.say("This is compiled for CUDA, which is for NVIDIA's GPUs: take the version for ROCm, if it has one")
        if "+rocm" not in about.packages.get("torch", "") and about.framework == "torch":
            text = "An extension follows PyTorch: if this prints None, install PyTorch's build for ROCm first"
            steps.run(text, 'python -c "import torch; print(torch.version.hip)"')
        if about.named("flash-attn", "flash_attn"):
            steps.set(
                "flash-attn has a part for AMD's GPUs, written in Triton", "FLASH_ATTENTION_TRITON_AMD_ENABLE", "TRUE"
            )
            command = "python -m pip install --no-build-isolation flash-attn"
            steps.run("Then install it; AMD's own version is at https://github.com/ROCm/flash-attention", command)
        return
    label = re.search(r"\+cu(\d{2})(\d)\b", about.version)
    cuda = "%s.%s" % label.groups() if label else minor_of(about.fact("cuda"))
    release = (
        " %s" % cuda
        if cuda
        else " of the release that the framework was built for (torch.version.cuda)"
        if about.framework == "torch"
        else ""
    )
    text = "Install the CUDA toolkit%s: the wheels bring its libraries, not its compiler (nvcc)" % release
    if about.container:
        text += "; of an image whose tag says runtime, take the one with devel"
    if about.windows:
        steps.say(
            "%s, and set CUDA_HOME (CUDA_PATH) to its folder; Visual Studio's C++ compiler is needed, too" % text,
            "admin",
            "system",
        )
    else:
        steps.say(text, "admin", "system")
        built = '$(python -c "import torch; print(torch.version.cuda)")' if about.framework == "torch" else ""
        package = "cuda-nvcc=%s" % (cuda or built) if cuda or built else "cuda-nvcc"
        text = "In a conda environment, whose folder ($CONDA_PREFIX) is CUDA_HOME then"
        steps.run(text, "conda install -c nvidia %s" % package, changes="packages")
        if "conda" in about.words:
            steps.set("Say where it is", "CUDA_HOME", "$CONDA_PREFIX", linux_only=True)
        else:
            steps.set("Say where the system's is", "CUDA_HOME", "/usr/local/cuda")
    steps.say(
        "Or install a wheel that is already compiled for your PyTorch, CUDA and Python, if there is one", instead=True
    )
