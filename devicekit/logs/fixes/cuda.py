"""CUDA's libraries, tools and GPU code: which release a build needs, and how to get it on this system."""

import re
from typing import Tuple

from ...matrix.matrix import BUNDLED, accepts, minor_of
from ...matrix.projects import sort_key
from ...resolver.goals import LOADER_PATH
from ..signatures import cudnn_version
from .add_ons import add_on_of_frames, ctranslate2_libraries, new_vllm, of_another_torch
from .builds import (
    compute_capability_unsupported,
    cpu_only_windows,
    driver_for_cuda_12,
    gpu_vendor_unsupported,
    too_old_for_gpu,
)
from .containers import MACHINE_WITH_GPU
from .drivers import too_old_gpu
from .installations import preload_dlls
from .jax_releases import JAX_PAGE, install_jax_cuda
from .releases import old_tensorflow
from .situation import Situation, listed
from .steps import Steps
from .torch_builds import LAST
from .wheels import jetson_build

#: The CUDA release in the name of a library: ``cudart64_101.dll``, ``libcublas.so.9.0``, ``libcudart.so.11.0``.
_DLL = re.compile(r"(?i)(cudart|cublas(?:lt)?|cufft|curand|cusolver|cusparse)(?:32|64)_(\d{1,3})\.dll")
_SO = re.compile(
    r"lib(cudart|cublas(?:Lt)?|cufft|curand|cusolver|cusparse|nvrtc|cupti|nvjitlink)\.so\.(\d+)(?:\.(\d+))?"
)

#: The oldest cuDNN of a CUDA that TensorFlow takes (its list of tested builds).
OLDEST_CUDNN = {
    "12.5": "9.3", "12.3": "8.9", "12.2": "8.9",
    "11.8": "8.6", "11.2": "8.1", "11.0": "8.0", "10.1": "7.6", "10.0": "7.4", "9.0": "7", "8.0": "6",
}  # fmt: skip

#: What TensorFlow 1 up to 1.14 asks for at its import on Windows; later ones load it when it is needed.
_CHECKED = "build_info.cud"

#: Where TensorFlow 2.4 says that a library is missing.
_FOUR = "dso_loader.cc:60]"


def library_of(about: Situation) -> str:
    """Return the library that the line is about, "" if it names none."""
    name = about.groups.get("library", "") or about.groups.get("value", "")
    if re.match(r"(?i)(lib)?(cud|cub|cuf|cur|cus|cupti|nv|nccl)", name):
        return name.replace("\\", "/").rpartition("/")[2].rstrip(".:")
    match = (
        _DLL.search(about.line)
        or _SO.search(about.line)
        or re.search(r"(?i)cudnn\w*?64_\d+\.dll|libcudnn\w*\.so\.\d+", about.line)
    )
    return match.group() if match else ""


def release_of(library: str) -> str:
    """Return the CUDA release that a library's name tells: ``"10.1"``, ``"11"``; "" if it tells none.

    >>> [release_of(name) for name in ("cudart64_101.dll", "libcublas.so.9.0", "libcusolver.so.11", "cudart64_12.dll")]
    ['10.1', '9.0', '11', '12']
    """
    dll, library_so = _DLL.search(library), _SO.search(library)
    if dll:
        digits = dll.group(2)
        if len(digits) == 3:
            return "11" if digits == "110" else "%s.%s" % (digits[:2], digits[2])
        if digits == "10" and dll.group(1).lower() in ("cufft", "curand"):
            return ""  # as below
        return "%s.%s" % (digits[0], digits[1]) if len(digits) == 2 and digits[0] in "6789" else digits
    if library_so:
        name, major, minor = library_so.groups()
        if name in ("cufft", "curand") and int(major) == 10 and minor != "0":
            return ""  # CUDA 10.1 to 11 all have one of this name
        return "%s.%s" % (major, minor) if minor and int(major) < 11 else major
    return ""


def needs_of(about: Situation) -> Tuple[str, str]:
    """Return which CUDA and cuDNN the build needs, as far as its version or the library's name tells; "" if not."""
    version = about.version
    if _CHECKED in about.line and not version:
        return "10.0", "7.4"
    library = library_of(about)
    cuda = release_of(library)
    if about.framework == "tensorflow" and version and "dev" not in version:  # a nightly's is of the next release
        if about.windows and about.is_at_least("2.5"):
            return "11.2", "8.1"
        row, needs = about.row, old_tensorflow(about)
        if row is not None:
            needs = row.linux_cuda, OLDEST_CUDNN.get(row.linux_cuda, row.linux_cudnn)
        # Of the same major version, it is a build of someone's own: for 10.1, where the official one is for 10.0.
        if needs[0] and not ("." in cuda and cuda != needs[0] and cuda.split(".")[0] == needs[0].split(".")[0]):
            return needs
    if about.framework == "tensorflow":
        cuda = cuda or about.fact("runtime")
        # CUDA 11.0 still has cuSOLVER 10, as has 10.1; the number of the line is that of TensorFlow 2.4. Where all is
        # missing, cuSOLVER is not the first: alone it is what 11.1 and later lack.
        loaded = about.fact("runtime") or ("" if "dso_loader" in about.line else about.fact("cuda") or "11")
        if _FOUR in about.line or ("cusolver" in library and cuda == "10" and loaded.startswith("11")):
            return "11.0", "8.0"
        if cuda in ("11", "11.0"):
            return "11.2", "8.1"
        cuda = "10.1" if cuda == "10" else cuda
    cudnn = OLDEST_CUDNN.get(cuda, "")
    return cuda, cudnn


def _wheels_do(about: Situation) -> bool:
    """Whether pip can bring CUDA's libraries to this build: TensorFlow from 2.14 on, on Linux and x86-64."""
    if not (about.linux or about.system is None) or about.jetson or about.arch not in ("", "x86_64"):
        return False
    old = re.search(
        r"Could not (?:load dynamic|dlopen) library|couldn't open CUDA library|/stream_executor/platform/default/dso_loader",
        about.line,
    )
    if about.version:
        return about.is_at_least("2.14") is True
    number = re.search(r"gpu_device\.cc:(\d+)\]", about.line)  # 1960 in TensorFlow 2.13, 2211 in 2.14
    if number and int(number.group(1)) < 2000 and "cuda-wheels" not in about.words:
        return False
    cuda = release_of(library_of(about))
    return (
        not old
        and not about.tensorflow_1
        and about.python not in ("2.7", "3.5", "3.6", "3.7", "3.8")
        and not cuda.startswith(("8", "9", "10", "11"))
    )


def _other_makers(about: Situation) -> bool:
    """Whether the GPUs that are known are all from other makers than NVIDIA: then CUDA's libraries are of no use."""
    known = about.known.vendors - {"other"}
    return bool(known) and "nvidia" not in known and not about.embedded


def _needs_another_build(about: Situation, steps: Steps) -> bool:
    """Write the steps where no package of CUDA helps, another maker's GPU or a Jetson; return whether it is one."""
    if _other_makers(about):
        gpu_vendor_unsupported(about, steps)
    elif about.jetson:
        if not about.container:
            text = "Install the CUDA of its JetPack, which pip's packages do not replace"
            steps.run(text, "sudo apt-get install -y nvidia-jetpack", on="linux", changes="system")
        jetson_build(about, steps)
    elif too_old_for_gpu(about):
        compute_capability_unsupported(about, steps)
    else:
        return False
    return True


def cuda_library_missing(about: Situation, steps: Steps) -> None:
    """A library of CUDA cannot be loaded."""
    if "libcudss" in about.line:
        text = "cuDSS is not part of the CUDA toolkit: install it from NVIDIA's package repository"
        steps.run(text, "sudo apt-get install -y cudss", on="linux", changes="system")
        steps.install("Or with pip, where the build looks into its packages", "nvidia-cudss-cu12", instead=True)
        return
    if about.signature == "tf-no-gpu-listed" and about.hosted:
        steps.say(MACHINE_WITH_GPU)
        return
    if _needs_another_build(about, steps) or (about.framework == "tensorflow" and too_old_gpu(about, steps)):
        return
    if _on_cuda(about, steps):
        return
    if _of_a_module(about, steps):
        return
    if about.macos:
        text = "CUDA for macOS ended with 10.13 and NVIDIA's drivers for it, TensorFlow's builds with it with 1.1 (CUDA 8.0)"
        steps.say(text + ": uninstall the CUDA build, and use the CPU or Metal", changes="packages")
        return
    _found_elsewhere(about, steps)
    if about.signature == "xla-ld-no-stub":
        _for_the_linker(about, steps)
    elif about.signature == "cuda-win-library-cannot-be-loaded":
        ctranslate2_libraries(about, steps, library_of(about))
    elif about.library == "CuPy":
        _cupy_libraries(about, steps)
    elif about.signature == "cuda-nvvm-missing" or about.library == "Numba" or "libnvvm" in about.line:
        _numba_libraries(about, steps)
    elif about.library == "RAPIDS":
        _rapids_libraries(about, steps)
    elif about.framework == "torch":
        _torch_libraries(about, steps)
    elif about.framework == "jax":
        _jax_libraries(about, steps)
    elif about.framework == "onnxruntime":
        onnxruntime_cuda(about, steps)
    elif about.framework == "tensorflow" or not about.framework:
        _tensorflow_libraries(about, steps)


def _of_a_module(about: Situation, steps: Steps) -> bool:
    """On a cluster whose modules bring the program, another one has its libraries; return whether it is one."""
    if "cluster-modules" not in about.words:
        return False
    name, release = "cuDNN" if about.code.startswith("cudnn") else "CUDA", release_of(library_of(about))
    text = "A module of the cluster brings this program: load its %s too, in the job as well (module avail %s)"
    command = "module load %s%s" % (name, "/" + release if "." in release else "")
    steps.run(text % (name, name), command, on="linux", changes="variables")
    steps.say("If it is loaded, the module of that program is broken: ask those who run the cluster")
    return True


def _on_cuda(about: Situation, steps: Steps) -> bool:
    """Write the steps for DGL and MXNet; return whether it is one."""
    major = release_of(library_of(about)).partition(".")[0]
    if "dgl" in about.words:
        text = "This DGL is for %s: see which CUDA PyTorch has" % ("CUDA " + major if major else "another CUDA")
        steps.run(text, "python -c 'import torch; print(torch.__version__, torch.version.cuda)'")
        found = re.search(r"\+(cu\d{2,3})\b", about.packages.get("torch", ""))
        build = found.group(1) if found else "cu121"
        text = "Install the DGL for the same CUDA (cu121: 12.1); which there are for a PyTorch: %s"
        command = "python -m pip install --force-reinstall --no-deps dgl -f https://data.dgl.ai/wheels/%s/repo.html"
        steps.run(text % "https://www.dgl.ai/pages/start.html", command % build, changes="packages")
        return True
    nccl = "libnccl" in about.line
    if nccl and (about.linux or "mxnet" in about.words) and not about.framework:
        text = "NCCL is not part of the CUDA toolkit: install it from NVIDIA's package repository"
        steps.run(text, "sudo apt-get install -y libnccl2", on="linux", changes="system")
        steps.run("Or with conda, into the same environment", "conda install -c conda-forge nccl", changes="packages")
    if "mxnet" in about.words and not about.framework:
        if not nccl:
            text = "mxnet-cu.. brings no CUDA: install the release in its name (mxnet-cu112: 11.2) with cuDNN and NCCL"
            steps.say(text + ", with lib64 on LD_LIBRARY_PATH", "admin", "system")
        steps.install("Or use the CPU: take off mxnet-cu.., and install the plain package", "mxnet", instead=True)
    return (nccl or "mxnet" in about.words) and bool(steps.fixes)


def _found_elsewhere(about: Situation, steps: Steps) -> None:
    """The very file is on this machine, in a folder where the loader does not look."""
    folder = about.known.library_folders.get(library_of(about))
    if folder:
        path = "export LD_LIBRARY_PATH=%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" % folder
        text = "%s is there: put its folder on the loader's path before Python starts" % library_of(about)
        steps.run(text, path, on="linux", changes="variables")


def _for_the_linker(about: Situation, steps: Steps) -> None:
    """What the linker looks for has no number at its end: libcuda.so is of the driver, the others of the toolkit."""
    folder = "/usr/lib/wsl/lib" if about.wsl else "/usr/lib64-nvidia" if about.hosted else ""
    folder = folder if re.search(r"-lcuda\b", about.line) else "/usr/local/cuda/lib64"
    if "conda-linux" in about.line:
        folder = folder or "$(dirname $(ldconfig -p | grep -m1 -o '/.*libcuda.so'))"
    if folder:
        text = "Name the folder of that library to the linker, if it is there; else install the toolkit"
        path = "export LIBRARY_PATH=%s${LIBRARY_PATH:+:$LIBRARY_PATH}" % folder
        steps.run(text, path, on="linux", changes="variables")
    else:
        text = "libcuda belongs to NVIDIA's driver: see whether it is there, as libcuda.so.1"
        steps.run(text, "ldconfig -p | grep libcuda", on="linux")
        command = "f=$(ldconfig -p | grep -m1 'libcuda.so.1 (libc6,' | sed 's/.*=> //') && sudo ln -s $f ${f%.1}"
        text = "If it is, without libcuda.so: make that link, which the linker looks for"
        steps.run(text, command, on="linux", who="admin", changes="system")
    if about.groups.get("linked"):
        text = "If the compiler's own message, further up, is about Python.h: install Python's header files"
        package = "python%s-dev" % (about.python or "3")
        steps.run(text, "sudo apt-get install -y " + package, on="linux", who="admin", changes="system")


def _of_another_tensorflow(about: Situation, steps: Steps, cuda: str) -> bool:
    """Say so if a TensorFlow for another CUDA than that of the one at issue opened the library."""
    opened = release_of(library_of(about)) if "cudart" in library_of(about) else ""
    if not (about.version and opened and cuda) or opened.split(".")[0] == cuda.split(".")[0]:
        return False
    text = "A TensorFlow for CUDA %s printed this, not %s: see which one runs (programs such as tfjs bring their own)"
    show = 'python -c "import tensorflow; print(tensorflow.__version__, tensorflow.__file__)"'
    steps.run(text % (opened, about.label), show)
    steps.say("The one that printed it needs that CUDA, and its cuDNN, on the loader's path", "admin", "system")
    return True


def _tensorflow_libraries(about: Situation, steps: Steps) -> None:
    missing = re.search(r"dlerror: (lib[\w-]+)\.so\.(\d+)[\w.]*: cannot open", about.line)
    if missing and not library_of(about).startswith(missing.group(1)):
        text = "%s is there; what is missing is %s.so.%s, which it needs: put its folder on LD_LIBRARY_PATH"
        steps.say(text % ((library_of(about),) + missing.groups()))
        if missing.group(1) == "libnvJitLink":
            steps.install("It comes with CUDA 12 or later, or by pip", "nvidia-nvjitlink-cu%s" % missing.group(2))
        return
    cuda, cudnn = needs_of(about)
    if _of_another_tensorflow(about, steps, cuda):
        return
    if about.windows:
        _windows_libraries(about, steps, cuda, cudnn)
        return
    if _wheels_do(about) and about.framework == "tensorflow":
        _and_cuda(about, steps)
        return
    if "r" in about.words and not about.windows:
        text = "RStudio Server does not read the shell's files: where R finds it in a terminal, name the folder in %s, and %s"
        where = "/etc/rstudio/rserver.conf (rsession-ld-library-path=/usr/local/cuda/lib64)"
        steps.say(text % (where, "restart it (sudo rstudio-server restart)"), "admin", "system")
    if (library_of(about), about.fact("runtime"), about.hosted) == ("libcublas.so.10", "10.1", False):
        _cublas_alone(steps)
    elif cuda:
        _system_libraries(about, steps, cuda, cudnn)
    elif about.embedded or not about.framework:
        steps.say(
            "Install the CUDA release that the program was built for, and put its lib64 folder on the library path"
        )
    else:
        _built_for(about, steps)
    if about.framework and about.system in (None, "linux") and not about.embedded and not about.version and not cuda:
        _newer_tensorflow(about, steps)


def _cublas_alone(steps: Steps) -> None:
    """CUDA 10.1 without cuBLAS, a package of its own whose newer releases belong to CUDA 10.2."""
    command = "sudo apt-get install --allow-downgrades libcublas10=10.2.1.243-1"
    steps.run("CUDA 10.1 is there without cuBLAS. On Ubuntu, from NVIDIA's repository", command, changes="system")
    path = "export LD_LIBRARY_PATH=/usr/local/cuda-10.2/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    steps.run("Or use the one of a newer package, in the folder of CUDA 10.2", path, changes="variables", instead=True)


def _built_for(about: Situation, steps: Steps) -> None:
    _of_the_image(about, steps, "those that it was built for")
    if about.tensorflow_1 and not re.search("open CUDA library|DSO", about.line):
        text = "Up to 1.14, the package tensorflow has no GPU, and tensorflow-gpu has: see which one is installed"
        steps.run(text, "python -m pip list")
    steps.say(
        "Install the CUDA and cuDNN that this TensorFlow was built for: https://www.tensorflow.org/install/source#gpu; a "
        "hosted notebook (Colab, Kaggle) has those of its own TensorFlow: restart it, and leave that release installed"
    )


def _and_cuda(about: Situation, steps: Steps) -> None:
    """CUDA's libraries by pip, for the installed release."""
    version = about.version
    if not version and "XLA_GPU" in about.line:
        steps.say(
            "Only TensorFlow 1.14 to 2.3 list XLA_GPU: these need CUDA 10.0 (from 2.1 on: 10.1) and cuDNN 7 from NVIDIA, with "
            "their folders on the loader's path"
        )
        return
    if not needs_of(about)[0].startswith("11"):
        driver_for_cuda_12(about, steps)
    if "cuda-wheels" in about.words:  # pip has installed them already
        steps.run("Put pip's CUDA libraries on the loader's path before Python starts", LOADER_PATH, on="linux")
        _found_later(about, steps)
        return
    keep = ["%s==%s" % (about.distribution, version)] if version and about.distribution == "tensorflow" else []
    found = about.requirements("cuda", keep=keep) if keep else None
    if found is not None:
        steps.install_set("Let pip install the CUDA libraries of %s" % about.label, found)
    else:
        text = "Let pip install the CUDA libraries that %s was built with" % about.label
        exact = version.count(".") > 1 and version != "2.15.0"  # whose extra asks for what PyPI has not
        pinned = "tensorflow[and-cuda]==%s" % (version if exact else minor_of(version) + ".*")
        nightly = ".dev" in version.replace("-", ".")  # PyPI keeps none of these for long
        pinned = "tensorflow[and-cuda]==%s.*" % minor_of(version) if nightly else pinned
        wanted = (pinned,) if version else about.tensorflow_with_cuda(python=about.python)
        steps.install(text, *wanted, remove=("tf-nightly",) if nightly else ())
    if not version:
        steps.say("Before 2.14, TensorFlow needs CUDA and cuDNN from NVIDIA, of the release that it was built for")
        if "colab" in about.words:
            text = "Or, on Colab: Runtime, Disconnect and delete runtime; leave the TensorFlow that it brings installed"
            steps.say(text, instead=True)
    steps.run(
        "If a library is still not found, put pip's folders on the loader's path before Python starts",
        LOADER_PATH,
        on="linux",
    )
    _found_later(about, steps)
    if about.container and "gpus-all" not in about.words:
        steps.run("And start the container with the GPU", "docker run --gpus all IMAGE", on="linux")


def _found_later(about: Situation, steps: Steps) -> None:
    """The one release that looks for pip's libraries in one folder of seven (data/runpaths.json)."""
    if about.version == "2.16.1":
        text = "Or update TensorFlow: 2.16.1 does not look into the folders of pip's libraries, 2.16.2 does"
        steps.install(text, "tensorflow[and-cuda]==2.16.2", instead=True)


def _newer_tensorflow(about: Situation, steps: Steps) -> None:
    text = "Or use TensorFlow 2.14 or later, for which pip installs CUDA's libraries"
    steps.install(text, *about.tensorflow_with_cuda(python=about.python), instead=True)


def _system_libraries(about: Situation, steps: Steps, cuda: str, cudnn: str) -> None:
    """CUDA on the system (or in conda) for a build that looks for it on the loader's path."""
    both = "CUDA %s%s" % (_release(cuda), " and cuDNN %s" % cudnn if cudnn else "")
    if "." in cudnn:
        both += " or a later %s" % cudnn.partition(".")[0]
    installed = _installed(about)
    there = (
        "; CUDA %s is there, whose libraries have other names" % installed
        if installed and _names(installed) != _names(cuda)
        else ""
    )
    if cuda == "11.0" and "cusolver" in about.line:
        there = there or "; CUDA 11.1 and later are for TensorFlow from 2.5 on"
    _of_the_image(about, steps, both)
    name = about.label[:1].upper() + about.label[1:]
    name += " 2.4" if cuda == "11.0" and name == "TensorFlow" else ""
    steps.say(
        "%s needs %s, with lib64 on LD_LIBRARY_PATH%s" % (name, both, there),
        "admin",
        "system",
    )
    if about.embedded:
        return
    _usual_folder(about, steps, cuda)
    if about.hosted:
        steps.say(_OF_NOTEBOOK)
        wanted = about.tensorflow_with_cuda(python=about.python)
        steps.install("Its CUDA libraries come with pip", *wanted, instead=True)
        return
    if cuda.startswith("11") and about.python not in ("2.7", "3.5"):
        # conda-forge has no cuDNN 8.6: 8.8 came after 8.4.
        pair = {"11.8": ("11.8", "8.8"), "11.0": ("11.0", "8.0")}.get(cuda, ("11.2", "8.1"))
        command = "conda install -c conda-forge cudatoolkit=%s cudnn=%s" % pair
        steps.run("With conda, into the same environment", command, changes="packages")
        path = "export LD_LIBRARY_PATH=$CONDA_PREFIX/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
        steps.run("A TensorFlow of pip then has to be told where they are", path, on="linux", changes="variables")
        _for_kernels(about, steps)
        found = (
            about.requirements("cuda", keep=["%s==%s" % (about.distribution, about.version)]) if about.version else None
        )
        if found is not None and "nvidia-" in " ".join(found[0]):  # those of CUDA 11.0 are none
            steps.install_set("Or as wheels of pip (nvidia-...-cu11)", found, instead=True)
            steps.run("Put their folders on the loader's path before Python starts", LOADER_PATH, on="linux")
    elif cuda in ("10.0", "10.1", "9.0"):
        command = "conda install cudatoolkit=%s cudnn=7.6" % cuda
        steps.run("With conda, into the same environment", command, changes="packages")
    _fitting_release(about, steps, cuda)


def _usual_folder(about: Situation, steps: Steps, cuda: str) -> None:
    if _installed(about) == cuda and about.code == "cuda-library-missing" and not about.hosted:
        path = "export LD_LIBRARY_PATH=/usr/local/cuda-%s/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" % cuda
        steps.run("If CUDA %s is in NVIDIA's usual folder" % cuda, path, on="linux", changes="variables")


def _for_kernels(about: Situation, steps: Steps) -> None:
    if "jupyter" in about.words:
        steps.say(
            "A notebook's kernel does not read a terminal's variables: start Jupyter in that terminal, or add "
            '"env": {"LD_LIBRARY_PATH": "..."} to the kernel.json that jupyter kernelspec list names',
            changes="variables",
        )


def _of_the_image(about: Situation, steps: Steps, both: str) -> None:
    if about.container and not about.hosted:
        text = "The image's CUDA is not the one of its TensorFlow (%s), whatever the host has: take an image in which the two "
        text += "belong together (tensorflow/tensorflow:RELEASE-gpu), or install it in there"
        steps.say(text % both, changes="files")


def _installed(about: Situation) -> str:
    """The CUDA release that is installed: by the facts, or the only one whose folder is on the library path."""
    folders = set(re.findall(r"/cuda-(\d+\.\d)(?=[/:])", about.line.partition("LD_LIBRARY_PATH: ")[2] + ":"))
    return about.fact("cuda") or (folders.pop() if len(folders) == 1 else "")


def _names(cuda: str) -> str:
    """The release that the libraries' names are of: minor releases share them from CUDA 11.1 on."""
    return cuda if sort_key(cuda) < (11, 1) and cuda != "11" else cuda.partition(".")[0]


def _release(cuda: str) -> str:
    return "11 (11.2)" if cuda == "11" else cuda


def _fitting_release(about: Situation, steps: Steps, cuda: str) -> None:
    """The TensorFlow that was built for the CUDA that is there, or for the one that followed."""
    mixed = about.code == "cuda-version-mismatch"
    installed = ".".join((_installed(about) or ("11.2" if cuda == "11.0" and mixed else "")).split(".")[:2])
    if "." not in installed or about.framework != "tensorflow" or (installed == cuda and not mixed):
        return
    rows = [row for row in BUNDLED.tensorflow_rows() if row.linux_cuda == installed]
    rows = [row for row in rows if not about.windows or sort_key(row.minor) < (2, 11)]
    names = [row.minor for row in rows if not about.python or accepts(row.python, about.python + ".5") is not False]
    if names:
        steps.say(
            "Or use TensorFlow %s, which was built for CUDA %s"
            % (listed(sorted(names, key=sort_key), "or"), installed),
            instead=True,
        )


#: The first release of TensorFlow that needs more, and what those before it need on Windows.
_ON_WINDOWS = (
    ("1.11", "9.0", "7", "1.5 to 1.12"), ("1.13", "9.0", "7.2", "1.5 to 1.12"), ("2.1", "10.0", "7.4", "1.13 to 2.0"),
    ("2.4", "10.1", "7.6", "2.1 to 2.3"), ("2.5", "11.0", "8.0", "2.4"), ("2.11", "11.2", "8.1", "2.5 to 2.10"),
)  # fmt: skip


def needs_on_windows(about: Situation, cuda: str = "") -> Tuple[str, str, str]:
    """Return the CUDA and cuDNN that a TensorFlow with GPU needs there, and the releases that do: by a CUDA, or by its own."""
    rows = [row for row in _ON_WINDOWS if (row[1] == cuda if cuda else about.is_at_least(row[0]) is False)]
    return (rows or _ON_WINDOWS[-1:])[0][1:]


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
    needed, own, which = needs_on_windows(about, cuda)
    name = about.label if about.version else "TensorFlow %s" % which if cuda in ("", needed) else "This TensorFlow"
    cuda, cudnn = cuda or needed, cudnn or own
    if _CHECKED in about.line and not about.version and about.python != "3.7":
        name += " (1.5 to 1.12: CUDA 9.0)"
    steps.say(
        "%s needs CUDA %s and cuDNN %s from NVIDIA's archive, with their bin folders on PATH; then open a new terminal"
        % (name, cuda, cudnn),
        "admin",
        "system",
    )
    steps.run("See whether Windows finds the DLL", "where.exe %s" % (library_of(about) or _cudart(cuda)), on="windows")
    if _CHECKED in about.line or about.tensorflow_1:
        steps.say("Or, if the GPU is not needed, uninstall tensorflow-gpu and install tensorflow", instead=True)
        return
    steps.say("Or use WSL 2 with a current TensorFlow, for which pip installs the CUDA libraries", instead=True)


def _cudart(cuda: str) -> str:
    """Return the name of CUDA's runtime library for Windows."""
    row = BUNDLED.cuda(cuda)
    names = dict(row.windows_libraries) if row is not None else {}
    return names.get("cudart", "cudart64_%s.dll" % cuda.replace(".", ""))


def _torch_libraries(about: Situation, steps: Steps) -> None:
    """PyTorch's wheels bring their own libraries."""
    version = about.version.partition("+")[0]
    name = "torch==%s" % version if re.match(r"\d+(\.\d+)+$", version) else "torch"
    if about.signature.startswith("bnb-") or "bitsandbytes" in about.line or "bnb-setup" in about.words:
        steps.upgrade("Update bitsandbytes: its releases have code for the CUDA that PyTorch brings", "bitsandbytes")
        steps.run("See what it finds", "python -m bitsandbytes")
        return
    if about.named("vllm"):
        _vllm_libraries(about, steps)
        return
    add_on = next((item for item in ("torchaudio", "torchvision") if item in about.words), "")
    if about.version.endswith("+cpu") and add_on:
        text = "This PyTorch is the build for the CPU, and %s one for CUDA: install both in one build, for the CPU"
        url = "https://download.pytorch.org/whl/cpu"
        steps.install(text % add_on, name, add_on, remove=[add_on], index_url=url)
        steps.say("Or both in one build for CUDA: https://pytorch.org/get-started/locally/", instead=True)
        return
    names = {"nvidia-nccl-cu" + item: "nccl-" + item in about.words for item in ("11", "12", "13")}
    both = [name for name, seen in names.items() if seen or name in about.packages]
    if "nccl" in about.line and len(both) > 1:
        steps.uninstall(
            "Two packages bring the same libnccl.so.2, and one overwrote the other's: uninstall both", *both
        )
        steps.install("Then let pip install the one that PyTorch needs, which is missing now", "torch")
        return
    imported = add_on_of_frames(about) and release_of(library_of(about)) and not about.windows
    if imported and of_another_torch(about, steps):
        return  # PyTorch itself was imported: its own CUDA is found, and this is another one
    if "lib64" in about.words and not about.windows:
        text = "PyTorch is in lib64, and what it needs may be in lib: in a new environment the two are one folder"
        steps.run(
            text, "python3 -m venv fresh && fresh/bin/python -m pip install %s" % name, on="linux", changes="files"
        )
        return
    again, mixed = "Install PyTorch again together with its CUDA packages", about.code == "cuda-version-mismatch"
    if not mixed:
        steps.reinstall(again, "torch")
    if (about.linux or about.system is None) and not any("LD_LIBRARY" in (fix.command or "") for fix in steps.fixes):
        text = "Remove folders of other CUDA releases from LD_LIBRARY_PATH: PyTorch brings its own"
        steps.run(text, "unset LD_LIBRARY_PATH", on="linux", changes="variables")
    if mixed and about.windows and "conda" in about.words:
        steps.say("If conda installed it: make a new environment, as conda and pip do not see each other's DLLs")
    if mixed:
        steps.reinstall(again, "torch")


def _numba_libraries(about: Situation, steps: Steps) -> None:
    home = re.search(r"^/.*?(?=:)|(?<=:)/.*", about.known.environment.get("CUDA_HOME", ""))
    if home:
        steps.set("CUDA_HOME is one folder, not a list", "CUDA_HOME", home.group())
        return
    named = re.search(r"(/\S*cuda\S*?)/nvvm/", about.line)
    if named:
        text = "A variable still names %s, which is not there: CUDA_HOME, in older releases NUMBAPRO_NVVM"
        steps.run(
            text % named.group(1), "unset CUDA_HOME NUMBAPRO_NVVM NUMBAPRO_LIBDEVICE", on="linux", changes="variables"
        )
    cuda = release_of(library_of(about)) or about.fact("cuda")
    major = cuda.partition(".")[0]
    old = major in ("9", "10", "11")
    if not old:
        extra = major if major in ("12", "13") else "12"
        steps.install("Install Numba's part for CUDA with the libraries that it needs", "numba-cuda[cu%s]" % extra)
    package = "cudatoolkit" + ("=%s" % cuda if old and "." in cuda else "")
    steps.run("Or with conda", "conda install -c conda-forge %s" % package, changes="packages", instead=True)


def _rapids_libraries(about: Situation, steps: Steps) -> None:
    """RAPIDS is compiled for one release of CUDA, and conda brings that one (docs.rapids.ai/install)."""
    cuda = release_of(library_of(about))
    old = cuda.partition(".")[0] in ("9", "10", "11")
    package = "cudatoolkit" if old else "cuda-version"
    steps.run(
        "Bring the CUDA that this RAPIDS was compiled for into its conda environment",
        "conda install -c conda-forge %s%s" % (package, "=%s" % cuda if cuda else ""),
        changes="packages",
    )
    text = "Or install the RAPIDS for another CUDA, in a new environment: https://docs.rapids.ai/install"
    steps.say(text, changes="packages", instead=True)


def _cupy_libraries(about: Situation, steps: Steps) -> None:
    """CuPy's packages are for one major release of CUDA each, which the newer ones can bring (docs.cupy.dev, Installation)."""
    library = library_of(about)
    compiler = re.search(r"nvrtc64_(\d\d)\d_\d", library)
    major = compiler.group(1) if compiler else release_of(library).partition(".")[0]
    if major in ("12", "13"):
        text = "Update CuPy, and let pip bring it the libraries of CUDA %s: CuPy 14 and later can"
        steps.upgrade(text % major, "cupy-cuda%sx[ctk]" % major)
    elif major:
        text = "This CuPy is for CUDA %s: install that, with its %s, or the CuPy for the driver's CUDA (see nvidia-smi)"
        steps.say(
            text % (major, "bin folder on PATH" if about.windows else "lib64 on LD_LIBRARY_PATH"), "admin", "system"
        )
    own = re.search(r"nvrtc-builtins64_(\d\d)(\d)\b", library)
    if own:
        folder = r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v%s\bin" % ".".join(own.groups())
        steps.say(
            "If that CUDA is installed: put the folder of the DLL on PATH (%s), then open a new terminal" % folder
        )
    text = "Or take the CuPy for the installed CUDA, only one (cupy-cuda11x, cupy-cuda12x or cupy-cuda13x); see what is there"
    steps.run(text, "python -m pip list", instead=bool(steps.fixes))
    if not own:
        steps.say("If that CUDA is installed: let CUDA_PATH name its folder", changes="variables", instead=True)


def _vllm_libraries(about: Situation, steps: Steps) -> None:
    """The library of vLLM is compiled for one release of PyTorch and its CUDA."""
    major = release_of(library_of(about)).partition(".")[0]
    of = " for CUDA %s" % major if major else ""
    because = "This vLLM was compiled%s with another PyTorch than the one here" % of
    if major != "13" or about.driver_before(525):
        new_vllm(steps, because)
        text = "If the driver is too old for that CUDA: update it, or take vLLM's release for an older CUDA"
        steps.say(text, instead=True)
        return
    # uv takes the PyTorch that the driver runs, and PyPI's vLLM, which is for CUDA 13 alone.
    version = about.packages.get("vllm", "")
    fits = not about.driver_before(580) and not (version and "+cu12" in about.packages.get("torch", ""))
    if fits:
        new_vllm(steps, because)
    what = (
        "vllm==%s --extra-index-url https://wheels.vllm.ai/%s/cu129 --extra-index-url "
        "https://download.pytorch.org/whl/cu129 --index-strategy unsafe-best-match"
    ) % ((version or "VERSION",) * 2)
    text = "PyPI's vLLM is for CUDA 13 (driver 580 or later), and vLLM's own index has one for CUDA 12.9"
    new_vllm(steps, text, what, instead=fits)
    if not about.driver_before(580):
        new_vllm(steps, "With driver 580 or later: PyTorch for CUDA 13", instead=True)


def _jax_libraries(about: Situation, steps: Steps) -> None:
    if about.windows:
        steps.say("JAX has no GPU support on native Windows: use WSL 2")
        return
    own = _jax_with_cuda_11(about, steps)
    if not own:
        driver_for_cuda_12(about, steps)
        if "cuda-wheels" not in about.words:  # pip has installed them already
            install_jax_cuda(about, steps, "Install JAX together with its CUDA libraries")
    steps.run("No other CUDA may displace pip's libraries", "unset LD_LIBRARY_PATH", on="linux", changes="variables")
    if own:
        steps.upgrade("Or install the newest JAX, with CUDA 12's libraries", "jax[cuda12]", instead=True)
    elif "cuda-wheels" in about.words:
        install_jax_cuda(about, steps, "If that is not it: install JAX together with its CUDA libraries again")


def _jax_with_cuda_11(about: Situation, steps: Steps) -> bool:
    """Install the same JAX for CUDA 11, with pip's libraries; return whether it is one."""
    own = re.match(r"0\.4\.(?:9|[12]\d)(?=\+cuda11\.)", about.packages.get("jaxlib", ""))
    if own:
        command = 'python -m pip install "jax[cuda11_pip]==%s" -f %s' % (own.group(), JAX_PAGE)
        text = "Install this JAX with CUDA 11's libraries from pip"
        steps.run(text, command, on="linux", changes="packages")
    return own is not None


#: onnxruntime-gpu for CUDA 12, which drivers from 525 on run; from 1.27 on it is for CUDA 13. Before 1.21 it has no extras.
ORT_CUDA_12 = "onnxruntime-gpu[cuda,cudnn]>=1.21,<1.27"


def _older_onnxruntime(about: Situation, steps: Steps, text: str) -> None:
    """The libraries of a release without extras are NVIDIA's."""
    pair = ["%s %s" % (name, (about.fact(name.lower()) or "?").partition(".")[0]) for name in ("CUDA", "cuDNN")]
    do = "put their folders on" if all(item in text for item in pair) else "install these, with their folders on"
    steps.say("%s: %s %s" % (text, do, "PATH" if about.windows else "LD_LIBRARY_PATH"))
    driver_for_cuda_12(about, steps)
    steps.install("Or a newer release, with which pip brings CUDA 12 and cuDNN 9", ORT_CUDA_12, instead=True)


def onnxruntime_cuda(about: Situation, steps: Steps) -> None:
    """ONNX Runtime's GPU package and the CUDA and cuDNN that it was built for (onnxruntime.ai, CUDA execution provider)."""
    release = sort_key(about.packages.get("onnxruntime-gpu") or "0")[:2]
    said = re.search(r"(?i:requires?) cuDNN (\d+)\.?\*? and CUDA (\d+)\.?\*?", about.line)
    library = library_of(about)
    named = "13" if "cuda-13" in about.words else release_of(library).partition(".")[0]
    cuda = said.group(2) if said else named or ("13" if release >= (1, 27) else "")
    cudnn = said.group(1) if said else "9"
    where = "PATH" if about.windows else "LD_LIBRARY_PATH"
    newer = (about.compute_capability or (0, 0)) >= (10, 0)  # than CUDA 11
    cuda = "12" if newer and cuda == "11" else cuda
    # .NET has no pip.
    if re.search(r"Microsoft\.ML\.|OnnxRuntimeException|[\\/]runtimes[\\/](?:win|linux)-", about.line):
        steps.say(
            "Install from NVIDIA what this Microsoft.ML.OnnxRuntime.Gpu needs, with its folders on %s: CUDA 11.8 and cuDNN 8 "
            "up to 1.18, then CUDA 12 (13 where a library with that number is missing) and cuDNN 9" % where
        )
        return
    if cuda == "13" and about.driver_before(580):
        text = "Driver %s is too old for CUDA 13, which onnxruntime-gpu needs from 1.27 on: take a release for CUDA 12"
        steps.install(text % about.fact("driver"), ORT_CUDA_12)
        cuda = "12"
    elif not newer and (
        cuda == "11"
        or (release < (1,) and about.fact("cuda").startswith("11.") and not (said or library))
        or ((1,) < release < (1, 19) and not said and "9" not in library)
        or re.search(r"cudnn\w*(?:64_|\.so\.)8", library)
    ):
        _older_onnxruntime(about, steps, "onnxruntime-gpu up to 1.18 is built for CUDA 11.8 and cuDNN 8")
        return
    if about.python and sort_key(about.python) < (3, 10) and cuda != "13":
        text = "The last onnxruntime-gpu for this Python is 1.19, for CUDA 12 and cuDNN 9"
        if not said and len(release) < 2:
            steps.run("See which release is installed", "python -m pip show onnxruntime-gpu")
            text = "Up to 1.18 onnxruntime-gpu is for CUDA 11 and cuDNN 8, 1.19 for CUDA 12 and cuDNN 9"
        _older_onnxruntime(about, steps, text)
        return
    both = "CUDA %s and cuDNN %s" % (cuda or "12", cudnn)
    visual = "" if about.linux else " (and on Windows the Visual C++ runtime)"
    steps.say("onnxruntime-gpu from %s on needs %s%s" % ("1.27" if cuda == "13" else "1.19", both, visual))
    wanted = ORT_CUDA_12 if cuda != "13" else "onnxruntime-gpu[cuda,cudnn]>=1.28"
    if release >= (1, 21) and release != (1, 27) and (release >= (1, 27)) == (cuda == "13"):
        wanted = "onnxruntime-gpu[cuda,cudnn]==%d.%d.*" % release
    steps.install("Let pip install it with these libraries", wanted)
    preload_dlls(steps)
    torch, _, label = about.packages.get("torch", "").partition("+")
    if torch and cudnn == "9" and label != "cpu" and sort_key(torch) < (2, 4):
        text = "Or update PyTorch %s, which brings cuDNN 8: from 2.4 on it brings cuDNN 9"
        steps.say(text % torch, changes="packages", instead=True)
    if about.windows:
        steps.say("Or install them from NVIDIA, with their bin folders on PATH", instead=True)


def cuda_version_mismatch(about: Situation, steps: Steps) -> None:
    """Another CUDA is installed than the build needs."""
    if _needs_another_build(about, steps):
        return
    if about.framework == "torch" and re.search(
        r"detected CUDA version|compile PyTorch|binaries were compiled|the same CUDA v|torch was compiled with",
        about.line,
    ):
        _extension(about, steps)
        return
    if about.framework in ("torch", "jax", "onnxruntime") or about.library == "CuPy":
        cuda_library_missing(about, steps)
        return
    if about.library == "RAPIDS":
        if "torch" not in about.packages:
            steps.unset("Let it find its own CUDA: folders of another one come first", "LD_LIBRARY_PATH")
        steps.say(
            "Install RAPIDS and PyTorch for one CUDA, from one place (conda-forge's pytorch with conda's cudf, or wheels for "
            "CUDA 12 with cudf-cu12); until then import RAPIDS first: its CUDA is loaded then",
            changes="packages",
        )
        return
    cuda, cudnn = needs_of(about)
    if _of_another_tensorflow(about, steps, cuda):
        return
    if about.windows:
        _windows_libraries(about, steps, cuda, cudnn)
        _fitting_release(about, steps, cuda)
    elif _wheels_do(about) and about.framework == "tensorflow":
        _and_cuda(about, steps)
    elif cuda:
        _system_libraries(about, steps, cuda, cudnn)
    else:
        steps.say("Install the CUDA release that this build names, or a build for the CUDA that is there")


def _extension(about: Situation, steps: Steps) -> None:
    """An extension is compiled by the nvcc of another CUDA than PyTorch was built with."""
    said = re.search(r"version \((\d+\.\d+)\).{0,80}compile PyTorch \((\d+\.\d+)\)", about.line)
    built = about.groups.get("wanted") or about.groups.get("built", "")
    there, built = said.groups() if said else (about.known.versions.get("cuda", ""), built)
    text = "Install the CUDA toolkit %s, with which PyTorch was built, and set CUDA_HOME to its folder"
    steps.say(text % (built or "of the release"), "admin", "system")
    if built and sort_key(built) >= (11, 3):
        steps.run("In a conda environment", "conda install -c nvidia cuda-nvcc=%s" % built, changes="packages")
    known = {row.cuda for row in BUNDLED.indexes("torch", "cuda", about.platform or "linux-x86_64")}
    cuda = there if there in known else LAST.get(there.partition(".")[0], "")
    if cuda:
        url = "https://download.pytorch.org/whl/cu%s" % cuda.replace(".", "")
        steps.install("Or PyTorch for CUDA %s" % cuda, "torch", remove=["torch"], index_url=url, instead=True)


_CUDNN_OF_PIP = (
    "export LD_LIBRARY_PATH=$(python -c 'import nvidia.cudnn as m; print(m.__path__[0])')/lib:$LD_LIBRARY_PATH"
)
_CUDNN_ON_PATH = "$env:PATH = \"$(python -c 'import nvidia.cudnn as m; print(m.__path__[0])')\\bin;$env:PATH\""


def cudnn_missing(about: Situation, steps: Steps) -> None:
    """The library cuDNN cannot be loaded."""
    if about.jetson or about.macos or about.framework == "onnxruntime" or _other_makers(about):
        cuda_library_missing(about, steps)
        return
    if _of_a_module(about, steps) or (about.framework == "tensorflow" and too_old_gpu(about, steps)):
        return
    cuda, cudnn = needs_of(about)
    major = re.search(r"(?:64_|\.so\.)(\d+)", library_of(about))
    wanted = cudnn or (major.group(1) if major else "")
    if wanted == "8" and about.named("ctranslate2", "faster-whisper", "whisperx"):
        text = "From 4.5 on it uses cuDNN 9, as PyTorch does from 2.4 on: update it"
        steps.upgrade(text, "ctranslate2")
    if about.windows:
        _cudnn_on_windows(about, steps, wanted)
        return
    if about.framework == "tensorflow" and _wheels_do(about):
        _and_cuda(about, steps)
    elif about.framework in ("torch", "jax"):
        _parts_of_cudnn(about, steps)
        cuda_library_missing(about, steps)
    elif cuda:
        _system_libraries(about, steps, cuda, wanted)
    elif about.framework == "tensorflow" and not wanted:
        _built_for(about, steps)
    else:
        if about.container and not about.hosted:
            text = "Start from an image that has cuDNN%s (nvidia/cuda:RELEASE-cudnn...-runtime), or install it in the image"
            steps.say(text % (" " + wanted).rstrip(), changes="files")
        _cudnn_by_pip(steps, wanted.partition(".")[0])
        text = "Install cuDNN%s, and put its folder on the library path" % (" %s" % wanted if wanted else "")
        steps.say(text, "admin", "system", instead=bool(steps.fixes))


def _cudnn_on_windows(about: Situation, steps: Steps, wanted: str) -> None:
    of = " %s" % wanted if wanted else ""
    if wanted == "9":
        steps.install("Install cuDNN 9 with pip", "nvidia-cudnn-cu12==9.*", "nvidia-cublas-cu12")
        text = "In PowerShell: put its folder on PATH before Python starts (or import PyTorch's build for CUDA first)"
        steps.run(text, _CUDNN_ON_PATH, on="windows", changes="variables")
    folder = "bin\\12.9 of NVIDIA's installer, for CUDA 12.9" if wanted == "9" else "bin"
    steps.say(
        "Put the folder with the DLLs of cuDNN%s (%s) on PATH, or copy them into CUDA's bin "
        "folder; then open a new terminal" % (of, folder),
        "admin",
        "system",
    )
    if wanted.startswith("8"):
        steps.say("cuDNN 8 also needs zlibwapi.dll (zlib 1.2.3, 64-bit) in a folder of PATH")
    steps.run(
        "See whether Windows finds it",
        "where.exe %s" % (library_of(about) or "cudnn64_%s.dll" % (wanted.partition(".")[0] or "8")),
        on="windows",
    )


def _parts_of_cudnn(about: Situation, steps: Steps) -> None:
    """Let the parts of cuDNN be found in PyTorch's packages, whatever library loads it."""
    if about.framework == "torch" and about.signature in ("cudnn-unable-to-load-any", "cudnn-could-not-load-library"):
        text = "Let cuDNN find its parts, which PyTorch's packages have, whatever library loads it"
        within = re.search(r"\+cu1[01]", about.version)  # these builds have all libraries in their own folder
        if "so.9" in about.line and "ctranslate2" in about.words and not about.is_at_least("2.4"):
            pin = "ctranslate2==4.4.0"  # the last one for it
            steps.install("PyTorch before 2.4 has cuDNN 8: install CTranslate2 for that", pin)
        command = _CUDNN_OF_PIP.replace("nvidia.cudnn", "torch") if within else _CUDNN_OF_PIP
        steps.run(text, command, on="linux", changes="variables")


def _cudnn_by_pip(steps: Steps, major: str) -> None:
    """Install a cuDNN of which pip has packages, and let it be found."""
    if major not in ("8", "9"):
        return
    other, least = ("11", ">=8.9,<9") if major == "8" else ("13", ">=9,<10")
    text = "Install cuDNN %s into the environment (for a program for CUDA %s: nvidia-cudnn-cu%s)"
    steps.install(text % (major, other, other), "nvidia-cudnn-cu12%s" % least)
    steps.run("Let the dynamic linker find it there", _CUDNN_OF_PIP, on="linux", changes="variables")


def cudnn_version_mismatch(about: Situation, steps: Steps) -> None:
    """A cuDNN of another release than the build needs is found first."""
    if "asked" in about.groups and about.framework == "tensorflow":
        _fused_convolution(about, steps)
        return
    if about.jetson and about.container:
        text = "Start an image for Jetson (l4t) of this JetPack with NVIDIA's runtime, as root or in the group video"
        steps.run(text, "docker run --runtime nvidia --group-add video IMAGE", on="linux")
    elif about.jetson:
        jetson_build(about, steps)
        return
    wanted = ".".join(re.findall(r"\d+", cudnn_version(about.groups.get("wanted", ""))))
    named = re.search(r"(?i)cudnn\w*?64_(\d+)|libcudnn\w*\.so\.(\d+)", library_of(about))
    major = wanted.partition(".")[0] if wanted else (named.group(1) or named.group(2)) if named else ""
    if about.framework == "torch" and not about.windows and "PyTorch was compiled" in about.line:
        steps.unset("Let PyTorch find the cuDNN that it brought, instead of one on the library path", "LD_LIBRARY_PATH")
    if wanted and about.framework == "jax" and about.packages.get("nvidia-cudnn-cu12"):
        _wanted_cudnn(about, steps, wanted, major)  # which keeps this JAX
    if wanted and about.framework == "jax" and not about.windows and not of_conda(about):
        install_jax_cuda(about, steps, "Let pip install JAX with the cuDNN that it was built with")
        text = "An older cuDNN on the library path comes first: take its folder off"
        steps.run(text, "unset LD_LIBRARY_PATH", on="linux", changes="variables")
    if wanted:
        _wanted_cudnn(about, steps, wanted, major)
    elif about.framework == "jax" and not about.windows:
        _cudnn_of_jax(about, steps)
    elif (
        "are mixed" in about.summary
        or re.search(r"not defined in file|undefined symbol|torch\\lib\\", about.line)
        or ("belongs to another" in about.summary and about.framework == "torch")
    ):
        _mixed_cudnn(about, steps)
    elif (
        about.framework in ("", "onnxruntime") and "belongs to another" in about.summary and about.linux and major > "7"
    ):
        _cudnn_by_pip(steps, major)
    elif major:
        cuda, cudnn = needs_of(about) if about.framework == "tensorflow" else ("", "")
        if not cuda and about.windows and major == "8" and about.framework == "tensorflow":
            cuda, cudnn = "11.2", "8.1"
        what = "cuDNN %s for CUDA %s" % (cudnn, cuda) if cuda and cudnn.startswith(major) else "cuDNN %s" % major
        steps.say("This build needs %s: install it where it is found first" % what, "admin", "system")
    elif about.framework == "torch":
        _cudnn_of_torch(about, steps)
    elif needs_of(about)[1]:
        _cudnn_of_tensorflow(about, steps)
    else:
        steps.say("Install the cuDNN that this build was compiled with, or a newer one of the same major version")
    _failed_kernel(about, steps)
    _which_cudnn(about, steps, major)


def _failed_kernel(about: Situation, steps: Steps) -> None:
    """A part of cuDNN failed on the GPU."""
    if about.framework == "torch" and "EXECUTION_FAILED" in about.line:
        steps.say(
            "A PyTorch that is older than the GPU fails like this, too: RTX 20 needs a build for CUDA 10 or later, RTX 30 and "
            "A100 for CUDA 11, RTX 40 for 11.8, RTX 50 for 12.8"
        )
        steps.say("If it comes only after a while: the memory is exhausted, use a smaller batch", changes="code")
    if about.framework == "tensorflow" and re.search(r"EXECUTION_FAILED|MAPPING_ERROR|dnn impl", about.line):
        steps.set(
            "If the memory is taken at once: let it grow; use a smaller batch", "TF_FORCE_GPU_ALLOW_GROWTH", "true"
        )


def _cudnn_of_torch(about: Situation, steps: Steps) -> None:
    steps.say("Let PyTorch find its own cuDNN: remove folders with another one from the library path")
    if "NOT_INITIALIZED" in about.line:
        steps.run("It needs free memory on the GPU: see which programs hold it, and end them", "nvidia-smi")
        if about.version and "nvidia-cudnn-cu" in " ".join(about.packages):  # of another release, maybe
            text = "Install PyTorch again together with the cuDNN that it was built with"
            steps.reinstall(text, "torch==" + about.version.partition("+")[0])
        text = "If neither helps: this build's own cuDNN does not start on this GPU and driver, take a newer build"
        steps.upgrade(text, "torch", "torchvision")


_OF_NOTEBOOK = (
    "A hosted notebook has the CUDA and cuDNN of its own TensorFlow: leave that one installed, or take one from 2.14 on"
)


def _wanted_cudnn(about: Situation, steps: Steps, wanted: str, major: str) -> None:
    """The cuDNN that the build names, or a newer one of its major release."""
    text = "This build was compiled with cuDNN %s: it needs that one or a newer cuDNN %s" % (wanted, major)
    old = about.framework == "tensorflow" and (8, 1) <= sort_key(wanted) < (8, 7)
    cuda = "11" if old or about.fact("cuda").startswith("11") or release_of(library_of(about)) == "11" else "12"
    minor = minor_of(wanted)
    if about.hosted and about.framework == "tensorflow":
        steps.say(_OF_NOTEBOOK)
    if "exact" in about.groups:
        text = "This build was compiled with cuDNN %s and takes no other minor release: it needs cuDNN %s"
        text %= (wanted, minor)
    if of_conda(about) and sort_key(minor) >= (8, 9):
        command = 'conda install -c conda-forge "cudnn>=%s,<%d"' % (minor, int(major) + 1)
        steps.run(text, command, changes="packages")
    elif about.windows or about.embedded:
        steps.say("%s, whose DLLs are found first on PATH" % text if about.windows else text, "admin", "system")
    elif old and sort_key(minor) >= (8, 1 if about.linux else 6):
        steps.install(text, "nvidia-cudnn-cu11>=%s,<9" % (minor if sort_key(minor) > (8, 5) else "8.5"))
        steps.run("Put it first on the library path", _CUDNN_OF_PIP, changes="variables")
    elif sort_key(minor) >= (8, 9):
        if not about.fact("cuda") and about.row is None:
            text += " (nvidia-cudnn-cu13 for a build for CUDA 13)"
        steps.install(text, "nvidia-cudnn-cu%s>=%s,<%d" % (cuda, minor, int(major) + 1))
        _cudnn_beside_torch(about, steps, wanted)
    else:
        steps.say("%s, found first on the library path" % text, "admin", "system")
        if "exact" in about.groups:
            if sort_key(minor) > (5, 0):
                steps.run("In a conda environment", "conda install cudnn=%s" % minor, changes="packages")
        elif "conda" in about.words and minor != "8.1" and about.framework == "tensorflow":
            command = 'conda install -c conda-forge "cudnn>=%s,<%d"' % (minor, int(major) + 1)
            steps.run("In the conda environment", command, changes="packages")
    if old and minor == "8.1" and not about.embedded:
        command = "conda install -c conda-forge cudatoolkit=11.2 cudnn=8.1"
        steps.run("In a conda environment, with its CUDA", command, changes="packages", instead=True)


def _cudnn_beside_torch(about: Situation, steps: Steps, wanted: str) -> None:
    """A PyTorch in the same environment requires one exact cuDNN, which its metadata name."""
    pin = r"nvidia-cudnn-cu\d+==([\d.]+)"
    release, project = about.torch_release, BUNDLED.project("torch")
    held = re.search(pin, " ".join(release.builds[0].requires)) if release is not None else None
    if about.framework == "torch" or held is None or sort_key(held.group(1)) >= sort_key(wanted) or project is None:
        return
    own = "PyTorch %s in this environment requires cuDNN %s, and brings it back with each install" % (
        about.packages["torch"].partition("+")[0],
        held.group(1),
    )
    for item in filter(None, map(project.release, project.versions)):
        other = re.search(pin, " ".join(item.builds[0].requires))
        if other and sort_key(other.group(1)) >= sort_key(wanted) and minor_of(other.group(1))[0] == wanted[0]:
            text = "%s: update it to one that brings cuDNN %s (with torchvision and torchaudio, if they are there)"
            steps.install(text % (own, other.group(1)), "torch==%s" % item.version, instead=True)
            return
    steps.say("%s: give the two an environment each" % own, instead=True)


def _cudnn_of_tensorflow(about: Situation, steps: Steps) -> None:
    """The cuDNN that a release of TensorFlow was built with: a newer one of the same major version does as well."""
    cuda, cudnn = needs_of(about)
    text = "%s needs cuDNN %s or a newer one of the same major version, for CUDA %s" % (about.label, cudnn, cuda)
    if _wheels_do(about) and about.is_at_least("2.14") and sort_key(cudnn) > (8, 6):
        # From 9.11 on it has no code for older GPUs.
        below = "9.11" if about.capability and sort_key(about.capability) < (7, 5) else str(int(cudnn[0]) + 1)
        pin = "nvidia-cudnn-cu%s>=%s,<%s" % (cuda.partition(".")[0], cudnn, below)
        steps.install("%s: let pip install it" % text, pin)
    else:
        steps.say(text, "admin", "system")


def _fused_convolution(about: Situation, steps: Steps) -> None:
    """9.5 cannot do it, 9.24 can (aws/deep-learning-containers #6417); from 9.11 on it has no code for older GPUs."""
    if not about.capability or sort_key(about.capability) >= (7, 5):
        text = "Install a newer cuDNN (not for GPUs below compute capability 7.5)"
        steps.install(text, "nvidia-cudnn-cu12>=9.24,<10")
    steps.say("Or do without XLA: model.compile(..., jit_compile=False)", changes="code", instead=bool(steps.fixes))


def _cudnn_of_jax(about: Situation, steps: Steps) -> None:
    if not _jax_with_cuda_11(about, steps) and not driver_for_cuda_12(about, steps):
        install_jax_cuda(about, steps, "Let pip install the cuDNN that JAX was built with")
    if about.signature != "jax-outdated-library":
        text = "If the memory is taken already: let JAX take what it needs, instead of three quarters of it"
        steps.set(text, "XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    elif "conda" in about.words:
        text = "Or, if conda installed it: JAX from 0.4.31 on needs cuDNN 9.1 or newer"
        steps.run(text, 'conda install -c conda-forge "cudnn>=9.1"', changes="packages", instead=True)


def _mixed_cudnn(about: Situation, steps: Steps) -> None:
    if not about.windows:
        steps.unset("Only one cuDNN may be found: take the folders of others off the library path", "LD_LIBRARY_PATH")
    if about.framework == "torch":
        steps.reinstall("Install PyTorch again together with the cuDNN that it was built with", "torch")


def _which_cudnn(about: Situation, steps: Steps, major: str) -> None:
    """Show which copies of cuDNN there are."""
    if about.linux or about.system is None:
        steps.run(
            "Another copy may come first: see which ones are on the path",
            "ldconfig -p | grep libcudnn; echo $LD_LIBRARY_PATH",
            on="linux",
        )
    if about.windows or about.system is None:
        steps.run(
            "Another copy may come first: see which ones there are",
            "where.exe cudnn64_%s.dll" % (major or "8"),
            on="windows",
        )


def of_conda(about: Situation) -> bool:
    """Whether the framework is conda's own build, which does not look into the packages of pip."""
    if "conda" not in about.words:
        return False
    # The registry's tensorflow-gpu ended with 2.11; conda-forge's goes on.
    own = about.packages.get("tensorflow-gpu", "")
    return bool(
        re.search(r"(?:mini|ana)conda|miniforge|mambaforge|/envs/|conda", about.line)
        or "conda-build" in about.words
        or (re.match(r"\d+\.\d+", own) and sort_key(own) >= (2, 11))
    )


def known_defect(about: Situation, steps: Steps) -> None:
    """A combination that computes wrong values."""
    steps.run("Compare the device with the CPU", "devicekit verify --numerics")
