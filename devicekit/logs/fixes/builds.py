"""Another build of the framework: with support for GPUs, for the GPU's maker, with code for its generation."""

import re
from typing import List, Optional, Tuple

from ...diagnosis import pages
from ...matrix.gpu_names import relative_of
from ...matrix.gpu_support import capability_number
from ...matrix.matrix import BUNDLED, accepts, minor_of
from ...matrix.projects import sort_key
from ...matrix.windows_gpu import ways_on_windows
from ...resolver.goals import LOADER_PATH
from .add_ons import fitting_add_on, new_vllm, pyg
from .drivers import batch_job, install_nvidia, intel_driver, too_old_gpu
from .installations import onnxruntime_requirement, preload_dlls
from .jax_releases import JAX_PAGE, jax_before_maxwell, jax_for_older_cuda, jax_metal, jax_rocm
from .others import (
    TORCH_WINDOWS,
    WITHOUT_ROCM_ON_WINDOWS,
    gfx_unsupported,
    pass_as_relative,
    rocm_in_wsl,
    rocm_missing,
)
from .plugin_pairs import metal_plugin_missing
from .situation import Situation
from .steps import Steps, tensorflow_in_wsl
from .torch_builds import beside_torch, conda_build, intel_computes
from .wheels import arm_index, directml_set, jetson_build, last_with_cuda


def cpu_only_windows(about: Situation, steps: Steps) -> None:
    """TensorFlow from 2.11 on for native Windows has no GPU support: what serves best first."""
    nvidia = about.vendor in ("", "nvidia")
    if nvidia and about.row is not None and about.is_at_least("2.1") and about.is_at_least("2.11") is False:
        text = (
            "PyPI's tensorflow of that release has CUDA on Windows; conda's, and tensorflow-cpu, have not: install it"
        )
        steps.install(text, "tensorflow==%s.*" % about.row.minor, remove=_wheel_owners(about))
        needs = ("11.2", "8.1") if about.is_at_least("2.5") else (about.row.linux_cuda, about.row.linux_cudnn)
        steps.say("It needs CUDA %s and cuDNN %s, with their bin folders on PATH" % needs, "admin", "system")
    elif nvidia:
        steps.run("Use WSL 2, where current TensorFlow has CUDA", "wsl --install", on="windows", changes="system")
        steps.add(tensorflow_in_wsl(about))
        text = "On native Windows, TensorFlow 2.10 is the last with CUDA (Python 3.7 to 3.10, CUDA 11.2, cuDNN 8.1)"
        last_with_cuda(about, steps, text, _wheel_owners(about))
    if nvidia:
        return
    for way in ways_on_windows(about.vendor, about.gfx or about.known.gpu_name, about.framework, BUNDLED):
        first = not steps.fixes
        if way.goal != "directml":
            steps.say("%s%s: %s" % ("" if first else "Or ", way.text, way.url), changes="packages", instead=not first)
    first = not steps.fixes
    text = "%s DirectML, which is no longer developed, with TensorFlow 2.10 and Python 3.10" % (
        "Use" if first else "Or"
    )
    steps.new_environment(text, "3.10", directml_set(), instead=not first)


def _wheel_owners(about: Situation) -> List[str]:
    return [name for name in ("tensorflow", "tensorflow-cpu", "tensorflow-intel") if name in about.packages]


_TORCH_INDEX = "https://download.pytorch.org/whl"


def compute_capability_unsupported(about: Situation, steps: Steps) -> None:
    """The build has no code for this generation of NVIDIA GPUs."""
    if re.search(r"(?i)bfloat16|\bbf16\b", about.line):
        text = "Use float16 (half precision) in place of bfloat16, which needs compute capability 8.0"
        how = ': --dtype half, or dtype="half" in Python' if "--dtype" in about.line else ""
        steps.say(text + how, changes="code")
        return
    if about.macos:
        steps.say("No current framework computes on NVIDIA GPUs in macOS: use the CPU, or Metal on Apple silicon")
        return
    if about.vendor == "intel" or about.signature.startswith("xpu-"):
        intel_driver(about, steps)
        steps.say("If the driver is new: install the newest release of what was compiled for Intel's GPUs")
        return
    if "bitsandbytes" in about.line:
        steps.upgrade("Update bitsandbytes: what fails is a kernel of its own", "bitsandbytes")
        steps.say("Or use an optimizer that is not of 8 bits (AdamW)", changes="code", instead=True)
        return
    capability = about.capability
    number = about.compute_capability or (0, 0)
    if about.vendor == "amd" or re.search(r"(?i)rocm|\bhip", about.version + about.line):
        gfx_unsupported(about, steps)
        return
    if about.jetson:
        jetson_build(about, steps)
        return
    if too_old_gpu(about, steps):
        return
    if about.library == "CuPy":
        _cupy_build(about, steps, number)
    elif _of_extension(about, steps, number):
        return
    elif number >= (10, 0) or (
        not capability and about.signature in ("cuda-error-invalid-ptx", "tf-no-kernel-binaries")
    ):
        _newer_gpu(about, steps, capability)
    elif _before(about, number):
        _newer_build(about, steps, number)
    elif _torch_before(about, number):
        _torch_build(about, steps)
    elif number > (0, 0) and about.signature == "tf-no-kernel-binaries":
        _between(about, steps, capability)
    elif number > (0, 0):
        _older_gpu(about, steps, capability)
    else:
        _any_gpu(about, steps)


def _of_extension(about: Situation, steps: Steps, number: Tuple[int, int]) -> bool:
    """Whether an extension to PyTorch has no code for the GPU: the line names its source file, or PyTorch itself has code."""
    named = re.search(r"[/\\](?!torch[/\\])(\w+)[/\\]csrc[/\\]", about.line)
    if named:
        text = "What has no code for the GPU is %s: install a build of it that was made for the installed PyTorch and this GPU"
        steps.say(text % named.group(1), changes="packages")
        text = "Or compile it here for its compute capability (TORCH_CUDA_ARCH_LIST=%s)"
        steps.say(text % (about.capability or "X.Y, as nvidia-smi --query-gpu=compute_cap says"), instead=True)
        return True
    xformers = about.named("xformers")
    known = _torch_has_code(about) or (xformers and not about.version and (7, 5) <= number < (10, 0))
    if number == (0, 0) or about.signature != "cuda-error-no-kernel-image" or not known:
        return False
    text = "%s has code for this GPU: what has none is %s. Install its newest release, or compile it again on this machine, "
    text += "with TORCH_CUDA_ARCH_LIST=%s"
    steps.say(text % (about.label, "xFormers" if xformers else "an extension (see the traceback)", about.capability))
    return True


def _torch_has_code(about: Situation) -> bool:
    """Whether the installed build of PyTorch is known to have code for the GPU."""
    label = re.match(r"cu(\d+)(\d)$", about.version.partition("+")[2]) if about.framework == "torch" else None
    code = BUNDLED.gpu_code("torch", about.version.partition("+")[0], ".".join(label.groups())) if label else ()
    return bool(code) and _has_code(about, code)


def _cupy_build(about: Situation, steps: Steps, number: Tuple[int, int]) -> None:
    """CuPy compiles with the CUDA that it is for: 11 knows GPUs up to 9.0, 12 also newer ones, 13 those from 7.5 on."""
    release = "12" if number >= (10, 0) or not about.driver_before(525) else "11"
    release = "10.1" if release == "11" and about.driver_before(450) else release
    package = {"12": "cupy-cuda12x[ctk]", "11": "cupy-cuda11x"}.get(release, "cupy-cuda101")
    there = [item for item in about.packages if item.startswith("cupy")] or ["cupy"]
    steps.install("Install the CuPy for CUDA %s, which knows the GPU, and no other" % release, package, remove=there)
    if release != "12":
        text = "It needs that CUDA's toolkit; with NVIDIA's driver 525 or later, cupy-cuda12x[ctk] brings its own"
        steps.say(text, "admin", "system")


def _before(about: Situation, number: Tuple[int, int]) -> bool:
    """Whether the GPU came after the CUDA that an old TensorFlow was built with."""
    if about.framework != "tensorflow":
        return False
    opened = sort_key(about.fact("runtime") or "99")  # by CUDA's own library
    if about.signature == "tf-cuda-older-than-gpu":  # it compares the two
        return (7, 5) <= number < (10, 0)
    unknown = not about.version and about.signature == "cublas-execution-failed"
    return (number >= (8, 0) and (unknown or about.is_at_least("2.4") is False or opened < (11,))) or (
        number >= (7, 5) and about.is_at_least("1.13") is False
    )


#: The first PyTorch whose builds have code for a compute capability.
_TORCH_SINCE = (((9, 0), "2.0"), ((8, 0), "1.7"), ((7, 5), "1.2"))


def _torch_before(about: Situation, number: Tuple[int, int]) -> bool:
    """Whether the GPU came after an old PyTorch."""
    since = next((release for least, release in _TORCH_SINCE if number >= least), "")
    return about.framework == "torch" and bool(since) and about.is_at_least(since) is False


def too_old_for_gpu(about: Situation) -> bool:
    """Whether this TensorFlow has no code for the GPU, whatever CUDA is installed."""
    number = about.compute_capability
    return number is not None and _before(about, number)


def _newer_build(about: Situation, steps: Steps, number: Tuple[int, int]) -> None:
    """Another TensorFlow, built with a CUDA that knows the GPU."""
    ampere = number >= (8, 0)
    release, cuda = ("2.5", "11.2") if ampere else ("1.13", "10.0")
    steps.say(
        "Use TensorFlow %s or newer, with CUDA %s or the newer one that it needs: older builds have no code for "
        "this GPU" % (release, cuda),
        changes="packages",
    )
    newer = ampere and about.is_at_least("2.0") is not False  # programs for TensorFlow 1 do not run on 2
    if newer and about.windows:
        text = "2.10 is the last one for GPUs on Windows, with CUDA 11.2 and cuDNN 8.1 (Python 3.7 to 3.10)"
        steps.install(text, "tensorflow==2.10.*", "numpy<2")
    elif newer and about.linux and about.arch == "aarch64":
        _linux_gpu(about, steps)
    elif newer and about.linux:
        old = about.python and not about.releases("tensorflow", ">=2.14", "", about.python)
        found = about.requirements("cuda") if old else None
        if found is not None:
            steps.install_set("The newest one for Python %s, with CUDA 11's libraries by pip" % about.python, found)
            steps.run("Put their folders on the loader's path before Python starts", LOADER_PATH, on="linux")
        text = "%sith CUDA's libraries by pip" % ("Or a current one, w" if found is not None else "W")
        steps.install(text, *about.tensorflow_with_cuda(python=about.python), instead=found is not None)
    if ampere and about.is_at_least("2.0") is not True:
        steps.say(
            "For programs of TensorFlow 1%s: NVIDIA's container (nvcr.io/nvidia/tensorflow, tags that end in tf1-py3) has "
            "TensorFlow 1.15 with CUDA 11 and later" % (", in WSL 2" if about.windows else ""),
            instead=True,
        )


def _between(about: Situation, steps: Steps, capability: str) -> None:
    """A GPU for which the driver compiles the build's code at the first use."""
    text = "The first run compiles for compute capability %s and takes minutes: let it finish, with a larger cache"
    steps.set(text % capability, "CUDA_CACHE_MAXSIZE", "4294967296")


def _newer_gpu(about: Situation, steps: Steps, capability: str) -> None:
    if about.framework == "torch" and about.named("vllm"):  # its own kernels are compiled for one PyTorch
        if about.container:
            text = "A current image of vLLM has code for this GPU: take it, and start a new container from it"
            steps.run(text, "docker pull vllm/vllm-openai:latest", changes="system")
        text = "A current vLLM has code for this GPU, with a PyTorch for CUDA 12.8 or later"
        new_vllm(steps, text, instead=bool(steps.fixes))
        return
    if about.framework == "torch":
        if about.container:
            steps.say("Take a newer tag of the image", changes="system")
        text = "Install PyTorch's build for CUDA 12.8 or later, which has code for this GPU"
        index = "%s/%s" % (_TORCH_INDEX, arm_index(about) if about.arch == "aarch64" else "cu128")
        if about.python and not about.releases("torch", ">=2.7", "", about.python):
            _newer_python(about, steps, index)
        elif about.fact("driver"):
            _torch_set(about, steps, text, index)
        else:  # every driver for such a GPU has CUDA 12.8, and not all have what the newest build needs
            also = beside_torch(about)
            steps.install(text, "torch", *also, remove=["torch", *also], index_url=index)
        return
    if about.framework == "jax":
        steps.upgrade("Update JAX with its plug-in for CUDA 12.8 or later", "jax[cuda12]")
        return
    if about.framework == "tensorflow":
        text = (
            "o released TensorFlow has machine code for compute capability %s: use NVIDIA's last container with it "
            "(TensorFlow 2.17 and CUDA 12.8), or compile TensorFlow from source" % (capability or "10.0 and later")
        )
        if not capability:
            steps.run("See which GPU and which driver it is", "nvidia-smi")
            steps.say("For an older GPU: update the driver, which is older than the CUDA that the code was made with")
            text = "For a Blackwell GPU (RTX 50 series): n" + text
        image = "docker run --gpus all -it --rm nvcr.io/nvidia/tensorflow:25.02-tf2-py3"
        steps.run(text if not capability else "N" + text, image, changes="system")
        steps.say(
            "Or use Keras 3 on JAX or PyTorch (CUDA 12.8 or later), whose builds have code for this GPU", instead=True
        )
        return
    if about.packages.get("onnxruntime-gpu", "").startswith("1.23.0"):
        # It is compiled for 90a, which is for Hopper alone (onnxruntime, pull request 26230).
        steps.install(
            "onnxruntime-gpu 1.23.0 has no code for newer GPUs than Hopper; 1.22 has", "onnxruntime-gpu==1.22.0"
        )
        return
    if about.framework == "onnxruntime" and about.is_at_least("1.22") is False:
        steps.install("onnxruntime-gpu has code for this GPU from 1.22 on", "onnxruntime-gpu[cuda,cudnn]>=1.22,<1.27")
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
    if about.framework == "torch" and capability and capability_number(capability) < (3, 7):
        steps.say("No PyTorch for a current Python has code for %s: use the CPU, or another GPU" % what)
        return
    if (
        about.framework == "torch"
        and "conda-torch" in about.words
        and capability
        and capability_number(capability) >= (7, 5)
        and conda_build(about, steps)
    ):
        return
    if about.framework == "torch":
        _torch_set(
            about,
            steps,
            "Install a PyTorch build that has code for %s" % what,
            "https://download.pytorch.org/whl/cu126" if capability >= "5.0" else "",
        )
        if about.hosted and capability == "6.0":
            steps.say("Or, on Kaggle, choose GPU T4 x2 among the notebook's accelerators", instead=True)
        return
    if found is not None and capability >= "3.5":
        steps.install_set("Install the newest release that has code for %s" % what, found)
    newest = _newest_for(about, capability)
    old = about.version if about.framework == "tensorflow" and about.is_at_least("2.3") is False else ""
    if old and capability_number(capability) >= (3, 5) and not about.embedded:
        # What the data do not list: all of these have code for 3.5 and later, and the candidates may not.
        wheel = "tensorflow%s==%s.*" % ("-gpu" * (about.is_at_least("2.1") is False), minor_of(old))
        steps.install("The official wheel of that release has code for %s: install it" % what, wheel)
    elif newest and found is None and not about.embedded:
        steps.say("TensorFlow %s with code for %s" % (newest, what), changes="packages")
    steps.say(
        "This build leaves that GPU out: another build (the official wheel or image, an older "
        "release) may have code for it; else "
        "compile it from source for compute capability %s, or use the CPU" % capability
    )


def _newest_for(about: Situation, capability: str) -> str:
    """The TensorFlow whose wheels have code for a compute capability: the one after the user's, and the newest."""
    if about.framework != "tensorflow":
        return ""
    from ...matrix.queries import has_code_for

    project = BUNDLED.project("tensorflow")
    there = [
        version
        for version in (project.versions if project is not None else ())
        if not (about.windows and accepts(">=2.11", version))
        and has_code_for("tensorflow", version, capability, BUNDLED).status == "compatible"
    ]
    # What older wheels have code for is not known.
    after = [item for item in there if about.is_at_least("2.3") and sort_key(item) > sort_key(about.version)]
    if len(after) > 1:
        return "%s is the next release, %s the newest" % (after[0], after[-1])
    return "%s is the newest release" % there[-1] if there else ""


def _newest(
    about: Situation, goal: str, framework: str, kept: List[str]
) -> Optional[Tuple[Tuple[str, ...], Tuple[str, ...]]]:
    """Return the newest set that keeps a release, or else the newest of all (`Situation.requirements`)."""
    return (about.requirements(goal, framework, kept) if kept else None) or about.requirements(goal, framework)


def _torch_set(about: Situation, steps: Steps, text: str, index: str) -> None:
    release, also = about.version.partition("+")[0], beside_torch(about)
    # Where neither the release nor the driver is known, the newest of that index is as good as any, and easier to read.
    exact = release or about.fact("driver") or not index
    found = _newest(about, "cuda", "torch", ["torch==%s" % release] if release else []) if exact else None
    if found is not None:
        steps.install_set(text, (found[0] + also, found[1]), remove=["torch", *also])
    elif index and (not about.python or about.releases("torch", ">=2.6", "", about.python)):
        steps.install(text, "torch", *also, remove=["torch", *also], index_url=index)
    else:
        steps.say("%s; old GPUs, and old Pythons, need an old PyTorch: %s" % (text, pages.TORCH_BEFORE))


def _any_gpu(about: Situation, steps: Steps) -> None:
    if about.vendor in ("", "nvidia"):
        steps.run("See the GPU's compute capability", "nvidia-smi --query-gpu=name,compute_cap --format=csv")
    if about.framework == "torch":
        steps.run(
            "See which ones this PyTorch has code for", 'python -c "import torch; print(torch.cuda.get_arch_list())"'
        )
        blackwell = (
            "RTX 50 and other Blackwell GPUs need PyTorch 2.7 or later for CUDA 12.8 (--index-url %s/cu128), RTX 40 a build "
            "for CUDA 11.8 or later, RTX 30 and A100 one for CUDA 11, " % _TORCH_INDEX
        )
        old = "GPUs before compute capability 7.5 need a build for CUDA 12.6 (%s/cu126) or older" % _TORCH_INDEX
        if re.search(r"(?i)too old|no longer supports", about.line):
            steps.say(
                "%s; below 5.0 only releases of before 2023 have code: %s; or use the CPU" % (old, pages.TORCH_BEFORE)
            )
        else:
            steps.say(blackwell + old)
        return
    steps.say(
        "Take a build of %s with code for it: for RTX 50 (Blackwell) one for CUDA 12.8 or later, for an old GPU an older one"
        % about.title
    )


def cpu_only_build(about: Situation, steps: Steps) -> None:
    """This build has no GPU support: the one that has it, for this GPU and system."""
    if about.jetson:
        jetson_build(about, steps)
        return
    if about.signature == "extension-without-gpu":
        pyg(about, steps)
        steps.set("Another one: compile it again, with", "FORCE_CUDA", "1")
        return
    if "slurm" in about.words and "gpus-asked" not in about.words:
        batch_job(steps)
    if about.signature == "bnb-no-gpu-support":
        steps.upgrade("Update bitsandbytes: its wheels have GPU code for Windows from 0.43 on", "bitsandbytes")
        steps.run(
            "See whether PyTorch is a build with CUDA; where it prints None, it is not, and bitsandbytes cannot be",
            'python -c "import torch; print(torch.version.cuda)"',
        )
    if about.framework == "torch" and about.known.no_gpu:
        text = 'This machine has no GPU: let the program take the device "cpu" (.to("cpu"), no .cuda(); its own option)'
        steps.say(text, changes="code")
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
    if about.framework == "tensorflow" and too_old_gpu(about, steps):
        return
    make(about, steps)
    if about.wsl and about.vendor == "amd" and about.framework == "torch":
        rocm_in_wsl(about, steps)
    if about.framework == "torch" and "conda" in about.words and about.vendor in ("", "nvidia") and not about.macos:
        text = "Or let conda take conda-forge's build with CUDA, if conda installed PyTorch"
        steps.run(text, 'conda install -c conda-forge "pytorch=*=*cuda*"', changes="packages", instead=True)


def _tensorflow_build(about: Situation, steps: Steps) -> None:
    if about.macos:
        metal_plugin_missing(about, steps)
    elif about.windows and about.embedded:
        steps.say("Take the program's own package with GPU support", changes="packages")
    elif about.vendor in ("", "nvidia") and about.arch != "aarch64" and _in_another_package(about, steps):
        return
    elif about.windows:
        cpu_only_windows(about, steps)
    elif about.vendor in ("amd", "intel"):
        gpu_vendor_unsupported(about, steps)
    else:
        _linux_gpu(about, steps)


def _in_another_package(about: Situation, steps: Steps) -> bool:
    """Up to 2.0 the build with CUDA is tensorflow-gpu, which owns the same folder; False if the release is a newer one."""
    if about.is_at_least("2.1") is False:
        version = about.packages.get("tensorflow-gpu") or about.version
        owners = [name for name in ("tensorflow", "tensorflow-cpu", "tensorflow-gpu") if name in about.packages]
        if "conda" in about.words:
            command = 'conda install "tensorflow=%s=gpu*"' % version
            steps.run("If conda installed it: ask for its build for GPUs", command, changes="packages")
        text = "Install the GPU build of the same release"
        if "tensorflow-gpu" in owners:
            text += ", alone: what is imported is tensorflow, in the same folder"
            owners = ["tensorflow", "tensorflow-gpu"]
        steps.install(text, "tensorflow-gpu==%s" % version, remove=owners, instead=bool(steps.fixes))
    elif not about.version and (
        about.signature in ("dml-cudnnrnn", "tf-no-known-devices") or about.python in ("2.7", "3.4", "3.5")
    ):
        steps.say(
            "Install the GPU build of the same release: for TensorFlow 1 and 2.0 uninstall tensorflow and tensorflow-gpu, "
            "then install tensorflow-gpu==RELEASE alone; from 2.1 on it is tensorflow, in place of tensorflow-cpu",
            changes="packages",
        )
    return bool(steps.fixes)


def _linux_gpu(about: Situation, steps: Steps) -> None:
    if about.arch == "aarch64":
        steps.say("TensorFlow has no such wheel for ARM: use NVIDIA's container, which has (nvcr.io/nvidia/tensorflow)")
        steps.say("Or Keras 3 on PyTorch, which has builds for CUDA on ARM on its own index", instead=True)
        return
    owners = [name for name in ("tensorflow-cpu", "tensorflow-intel", "intel-tensorflow") if name in about.packages]
    version = about.version
    keep = ["tensorflow==%s" % version] if re.match(r"\d+\.\d+\.\d+$", version) else []
    found = about.requirements("cuda", keep=keep)
    if found is not None:
        steps.install_set("Install the build with CUDA and its libraries", found, remove=owners)
    elif about.is_at_least("2.14") is not False:
        wanted = about.tensorflow_with_cuda()
        steps.install("Install the build with CUDA and its libraries", *wanted, remove=owners)
    else:
        steps.install("Install the GPU build of the same release", "tensorflow==%s" % version, remove=owners)


def _torch_build(about: Situation, steps: Steps) -> None:
    goal = {"amd": "rocm", "intel": "xpu"}.get(about.vendor, "cuda")
    goal = "xpu" if re.search(r"(?i)\bxpu\b", about.line) else goal
    if "webui-amdgpu" in about.words and "nvidia" not in about.known.vendors and not about.linux:
        _torch_amd_windows(about, steps)
        return
    if about.macos:
        steps.say('macOS has no CUDA: on Apple silicon use the device "mps" in place of "cuda"', changes="code")
        return
    if goal == "cuda" and ("build" in about.groups or "conda-torch" in about.words) and conda_build(about, steps):
        return
    if goal == "rocm" and about.windows:
        _torch_amd_windows(about, steps)
        return
    if about.torch_index and "+cpu" not in about.packages["torch"] and "torchvision" in about.line:
        fitting_add_on(about, steps, "torchvision", about.packages["torch"].partition("+")[0])
        return
    # The release that is there, if it has such a build.
    release = about.packages.get("torch", "").partition("+")[0]
    kept = ["torch==%s" % release] if re.match(r"\d+\.\d+\.\d+$", release) else []
    text = "Replace it by PyTorch's build for %s" % {"cuda": "CUDA", "rocm": "ROCm"}.get(goal, "Intel GPUs (XPU)")
    known = BUNDLED.indexes("torch", goal, about.platform or "linux-x86_64")
    rows = tuple(row for row in known if not about.python or about.releases("torch", row.versions, "", about.python))
    also = beside_torch(about)
    if goal == "xpu" and not intel_computes(about):
        steps.say("PyTorch computes on Intel's Arc, Max and Core Ultra graphics, not on %s: use the CPU" % about.gpu)
        return
    if goal == "rocm" and rows and not any(_has_code(about, row.code) for row in rows):
        gfx_unsupported(about, steps)
        return
    if goal == "cuda" and known and not any(_has_code(about, row.code) for row in rows):
        _for_other_python(about, steps, [(row.url, row.code) for row in known])
        return
    found = _newest(about, goal, "torch", kept)
    if found is not None and found[1]:
        steps.install_set(text, (found[0] + also, found[1]), remove=["torch", *also])
        return
    same = [row for row in rows if kept and accepts(row.versions, release) and _has_code(about, row.code)]
    index = _index(about, [(row.url, row.code) for row in same or rows])
    if goal == "cuda" and about.arch == "aarch64":
        index, text = "%s/%s" % (_TORCH_INDEX, arm_index(about)), "%s (on ARM they are on PyTorch's own index)" % text
    if goal == "cuda" and not re.search(r"/cu1[01]\d$", index) and driver_for_cuda_12(about, steps):
        _or_cuda_11(about, steps, also)
    if index.endswith("/cu126") and not about.capability and not kept:
        text += " (for RTX 50 and other Blackwell GPUs: cu128 in place of cu126)"
    steps.install(text, kept[0] if same else "torch", *also, remove=["torch", *also], index_url=index)
    if goal == "rocm" and not any(about.gfx in row.code for row in rows if row.url == index):
        pass_as_relative(steps, about.gfx)


def _torch_amd_windows(about: Situation, steps: Steps) -> None:
    webui = about.signature == "webui-torch-no-gpu" or "webui" in about.words
    old = bool(about.gfx) and not about.gfx.startswith(("gfx11", "gfx12"))
    if "webui-amdgpu" in about.words:  # which asks for none of PyTorch's own builds
        text = (
            "Delete venv, and start it with --directml (Forge) or --use-directml, or, with AMD's HIP SDK, --use-zluda"
        )
        steps.say(text, changes="files")
        return
    if webui:
        command = "git clone https://github.com/lshqqytiger/stable-diffusion-webui-amdgpu"
        text = "Use the web UI's fork for AMD's GPUs, with --use-directml (or --use-zluda) in its COMMANDLINE_ARGS"
        steps.run(text, command, changes="files")
    if webui and old:
        return
    if about.gfx.startswith(("gfx8", "gfx9", "gfx101")):
        comfy = " (start ComfyUI with --directml)" * about.named("comfyui")
        text = "AMD's builds for Windows have no code for so old a GPU: take DirectML%s, which is no longer developed"
        steps.install(text % comfy, "torch-directml")
        steps.say("Or ZLUDA, or a Linux with a ROCm that supports it", instead=True)
        return
    text = "Install AMD's build of PyTorch for Windows, for GPUs that it supports: %s" % TORCH_WINDOWS
    steps.say(text, instead=webui)
    other = "For older ones: " + WITHOUT_ROCM_ON_WINDOWS
    steps.say(other + (", which ComfyUI takes with --directml" if about.named("comfyui") else ""), instead=True)


def _for_other_python(about: Situation, steps: Steps, rows: List[Tuple[str, Tuple[str, ...]]]) -> None:
    """No build for this Python has code for the GPU: another Python, or, for an old GPU, another PyTorch."""
    if not any(_has_code(about, code) for _, code in rows):
        _older_gpu(about, steps, about.capability)
        return
    _newer_python(about, steps, _index(about, rows))


def _newer_python(about: Situation, steps: Steps, index: str) -> None:
    text = "PyTorch's builds with code for this GPU are for newer Pythons than %s: make an environment with one"
    steps.new_environment(text % about.python, "3.12", [])
    steps.install("In it", "torch", *beside_torch(about), index_url=index)


def driver_for_cuda_12(about: Situation, steps: Steps) -> bool:
    """Update a driver that is older than CUDA 12's first release; return whether it is, as far as it is known."""
    if about.jetson or not about.driver_before(525):
        return False
    install_nvidia(about, steps, "Update NVIDIA's driver, which is older than CUDA 12 needs", "525")
    return True


def _or_cuda_11(about: Situation, steps: Steps, also: Tuple[str, ...]) -> None:
    """PyTorch's last build for CUDA 11, for a driver that stays."""
    if sort_key(about.fact("driver")) >= (452, 39):  # of CUDA 11.8 on Windows, on Linux 450.80
        url = _TORCH_INDEX + "/cu118"
        steps.install(
            "Or, with this driver, the last build for CUDA 11.8", "torch", *also, remove=["torch", *also], index_url=url,
            instead=True,
        )  # fmt: skip


def _has_code(about: Situation, code: Tuple[str, ...]) -> bool:
    """Whether a build has code for the GPU, or for one of its family, as far as its capability or target is known."""
    targets = [item for item in code if item.startswith("gfx")]
    if targets and about.gfx:
        return about.gfx in targets or relative_of(about.gfx)[0] in targets
    number = about.compute_capability
    have = [capability_number(item) for item in code if item.startswith("sm_")]
    return number is None or not have or any(item[0] == number[0] and item <= number for item in have)


def _index(about: Situation, rows: List[Tuple[str, Tuple[str, ...]]]) -> str:
    """PyTorch's index for the GPU: the first whose build has code for it."""
    for url, code in rows:
        if _has_code(about, code):
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
        jax_metal(about, steps)
    elif about.vendor == "amd":
        jax_rocm(about, steps)
    elif about.vendor == "intel":
        steps.say("JAX has Intel's experimental plug-in only: https://github.com/intel/intel-extension-for-openxla")
    else:
        # The release stays where it has a plug-in, and is not older than the GPU.
        old, blackwell = about.packages.get("jax"), sort_key(about.capability or "0") >= (10,)
        found = _newest(about, "cuda", "jax", ["jax==%s" % old] if old and not blackwell else [])
        if jax_before_maxwell(about, steps) or jax_for_older_cuda(about, steps):
            return
        driver_for_cuda_12(about, steps)
        if found is not None:
            # Since 0.4.31 JAX's own metadata bring the rest in releases that fit: those that are there stay.
            first = found[0][:1] if re.match(r"jax\[\w+\]==0\.(?:4\.3[1-9]|[5-9]|1\d)", found[0][0]) else found[0]
            steps.install_set("Install JAX with its CUDA plug-in", (first, found[1]))
        elif old and about.is_at_least("0.4.7") and not about.is_at_least("0.4.30"):  # PyPI has none of these
            text = "Install this JAX in its build for CUDA 12, from JAX's own page (for older drivers: cuda11_pip)"
            steps.run(text, 'python -m pip install "jax[cuda12_pip]==%s" -f %s' % (old, JAX_PAGE), changes="packages")
            steps.upgrade("Or take the newest JAX", "jax[cuda12]", instead=True)
        else:
            steps.upgrade("Install JAX with its CUDA plug-in", "jax[cuda12]")
        if "conda" in about.words:
            text = "Or, if conda installed JAX: let it take the build with CUDA"
            steps.run(text, 'conda install -c conda-forge jax "jaxlib=*=*cuda*"', changes="packages", instead=True)


def _onnxruntime_build(about: Situation, steps: Steps) -> None:
    if about.macos:
        steps.say("On macOS use the CoreML provider, which onnxruntime's own wheel has", changes="code")
        return
    if about.vendor == "amd" and not about.windows:
        there = [item for item in about.packages if item.startswith("onnxruntime-")]
        owners = ["onnxruntime", *(there or ["onnxruntime-gpu"])]
        text = "Compute on the CPU: AMD's own build, onnxruntime-migraphx, is for Python 3.10 and later"
        if about.python in ("", "3.10", "3.11", "3.12", "3.13", "3.14"):  # of these PyPI has wheels
            page = "https://onnxruntime.ai/docs/execution-providers/MIGraphX-ExecutionProvider.html"
            text = "With ROCm: install AMD's onnxruntime build (MIGraphX; Python 3.10 and later): %s" % page
            steps.install(text, "onnxruntime-migraphx", remove=owners)
            text = "Or compute on the CPU"
        steps.install(text, "onnxruntime", remove=owners, instead=True)
        return
    wanted = onnxruntime_requirement(about)
    name = re.split(r"[\[=<]", wanted)[0]
    others = [item for item in about.packages if item.startswith("onnxruntime-")]
    remove = list(dict.fromkeys(["onnxruntime", name, *others, "onnxruntime-gpu"]))
    steps.install("The packages own the same folder: uninstall all, then install only %s" % name, wanted, remove=remove)
    if "[" in wanted:
        preload_dlls(steps)
    elif name == "onnxruntime-gpu":
        text = "It needs CUDA 12 and cuDNN 9 from 1.19 on, which its extras bring from 1.21 on; CUDA 13 from 1.27 on"
        cuda = about.fact("cuda")
        if re.search(r"==1\.(?:[789]|1[0-8])\b", wanted):
            older = ", not CUDA %s (1.6 is for 10.2, 1.4 for 10.1)" % cuda if cuda.startswith("10.") else ""
            text = "It needs CUDA 11 (from 1.15 on 11.8) and cuDNN 8%s" % older
        steps.say(text)
    elif about.vendor == "intel" and not about.windows:
        steps.install("Or compute on the CPU", "onnxruntime", remove=remove, instead=True)


def _without_cuda(about: Situation) -> str:
    """What a Mac has in place of CUDA."""
    if about.signature.startswith("bnb-"):
        return (
            "This bitsandbytes computes on NVIDIA's GPUs alone: on a Mac do without it (AdamW in place of AdamW8bit, no "
            'load_in_8bit or load_in_4bit), on the device "mps"'
        )
    if "quantiz" in about.line:
        return 'Load the model without load_in_4bit, load_in_8bit and quantization_config, on the device "mps"'
    if "Accelerator" in about.line:
        return 'macOS has no CUDA: accelerator="mps", of PyTorch from 1.12 and Lightning from 1.7 on'
    devices = {"torch": 'the device "mps"', "tensorflow": "tensorflow-metal"}
    device = devices.get(about.framework, 'the device "mps" (PyTorch) or tensorflow-metal')
    return "macOS has no CUDA: use %s on Apple silicon" % device


def gpu_vendor_unsupported(about: Situation, steps: Steps) -> None:
    """The build is for another maker's GPUs."""
    vendor = about.vendor
    if about.macos and vendor == "amd" and about.framework == "tensorflow":
        text = "On Macs with an Intel processor, Apple's plug-in has builds up to 1.0, for TensorFlow 2.13"
        steps.install(text, "tensorflow-metal==1.0.*", "tensorflow==2.13.*")
    elif about.macos:
        steps.say(_without_cuda(about), changes="code")
    elif about.library:
        _other_library(about, steps)
    elif about.framework in ("torch", "jax", "onnxruntime"):
        cpu_only_build(about, steps)
    elif about.windows:
        cpu_only_windows(about, steps)
    elif vendor in ("amd", "intel") and not about.framework and about.packages:
        steps.say("Take its build for this GPU, if there is one, or the CPU")
    elif vendor == "amd":
        _tensorflow_rocm(about, steps)
    elif vendor == "intel" and not intel_computes(about):
        version = about.packages.get("tensorflow-gpu")
        if version and about.is_at_least("2.1") is False:
            text = "No build computes on this Intel GPU: install the one for the CPU, which looks for no CUDA"
            steps.install(text, "tensorflow==%s" % version, remove=("tensorflow-gpu",))
        else:
            steps.say(
                "No build of TensorFlow or PyTorch computes on this Intel GPU (Arc and Core Ultra do): use the CPU"
            )
    elif vendor == "intel":
        found = about.requirements("xpu")
        text = (
            "Use Keras 3 on PyTorch, whose build for Intel GPUs (XPU) is current: "
            "https://docs.pytorch.org/docs/stable/notes/get_start_xpu.html"
        )
        steps.say(text)
        if found is not None:
            steps.install_set("Or Intel's extension, for Arc A, Flex and Max GPUs", found, instead=True)
        else:
            steps.say(
                "Or Intel's extension for TensorFlow 2.15, for Arc A, Flex and Max GPUs: %s" % pages.ITEX, instead=True
            )
    elif vendor == "nvidia":
        cpu_only_build(about, steps)
    else:
        steps.say("No build of %s uses that GPU: it computes on the CPU" % about.title)


def _other_library(about: Situation, steps: Steps) -> None:
    """What computes on GPUs without a framework, and is built for another maker's."""
    if about.library == "llama.cpp":
        steps.say("Take llama.cpp's build for this GPU: Vulkan for any maker's, HIP for AMD's, SYCL for Intel's")
        return
    how = ': device="cpu", compute_type="int8"' if about.library == "CTranslate2" else ""
    steps.say("This build of %s uses NVIDIA's GPUs only: use the CPU%s" % (about.library, how), changes="code")


def _tensorflow_rocm(about: Situation, steps: Steps) -> None:
    if about.wsl:
        rocm_missing(about, steps)
        return
    gfx = about.gfx
    row = BUNDLED.newest_rocm(gfx) if gfx else None
    if row is not None:
        text = "tensorflow-rocm %s has code for %s; it needs ROCm %s" % (row.tensorflow_rocm, gfx, row.rocm)
        steps.install(text, "tensorflow-rocm==%s" % row.tensorflow_rocm)
    steps.say("AMD's current builds of TensorFlow for ROCm are on its own index: %s" % pages.ROCM_TENSORFLOW)
    steps.say("See which GPUs ROCm supports: %s" % pages.ROCM_SYSTEMS)
