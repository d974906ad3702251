"""What compiles GPU code of its own next to the framework: MMCV, PyTorch Geometric, CTranslate2."""

import re

from ...matrix.matrix import minor_of
from ...matrix.projects import sort_key
from ...resolver.goals import LOADER_PATH
from .situation import Situation
from .steps import Steps

#: The CUDA releases of MMCV 2's wheels by the minor release of PyTorch (its docs/en/_static/version.json).
_MMCV = {
    "2.4": "118 121", "2.3": "118 121", "2.2": "118 121", "2.1": "118 121", "2.0": "117 118", "1.13": "116 117",
    "1.12": "113 116", "1.11": "113 115", "1.10": "111 113", "1.9": "111", "1.8": "111",
}  # fmt: skip

#: Pythons without a wheel of MMCV 2.1.
_NEW_PYTHON = ("3.12", "3.13", "3.14")


def mmcv(about: Situation, steps: Steps) -> None:
    """MMCV without its operators, or without their code for CUDA: the wheel for this PyTorch."""
    release, _, label = about.packages.get("torch", "").partition("+")
    minor, cuda = minor_of(release), label[2:] if label.startswith("cu") else ""
    have = _MMCV.get(minor, "").split() if minor != "2.4" or not about.windows else []
    version = about.packages.get("mmcv-full") or about.packages.get("mmcv") or ""
    version = "" if minor == "2.1" and version.startswith("2.0") else version  # which has no build for it
    for_1 = re.match(r"[12]\.", about.packages.get("mmdet", "")) or version.startswith("1.")
    name = "mmcv-full" if "mmcv-full" in about.packages or for_1 else "mmcv"
    steps.uninstall("Uninstall the one without that code", "mmcv", "mmcv-full", "mmcv-lite")
    unlabelled = not label and minor in _MMCV and not about.macos
    if not release or unlabelled or (name == "mmcv-full" and (not label or sort_key(minor) > (2, 0))):
        text = "Let OpenMMLab's installer find the build for the installed PyTorch (it has some for PyTorch 1.8 to 2.4)"
        pin = " %s" % name if name == "mmcv-full" else ' "mmcv<2.2"'  # which mmdetection 3 does not take
        steps.install(text, "openmim")
        steps.run("Then let it install MMCV", "mim install%s" % pin, changes="packages")
        return
    newer = minor in ("2.2", "2.3", "2.4")
    if ((label == "cpu" and have) or cuda in have) and not (newer and "mmdet" in about.words):
        pin = "2.2.0" if newer else version or ("1.7.2" if name == "mmcv-full" else "2.1.0")
        _mmcv_wheel(steps, "%s==%s" % (name, pin), label, minor, "Install the build for PyTorch %s" % release)
    elif (
        label[:2] in ("cu", "cp") and about.python[:4] not in _NEW_PYTHON and sort_key(about.capability or "9") < (10,)
    ):
        label = label if label == "cpu" else "cu121" if cuda[:2] in ("12", "13") else "cu118"
        text = "MMCV 2.1, the last that mmdetection 3 takes, has builds up to PyTorch 2.1: install that"
        url = "https://download.pytorch.org/whl/%s" % label
        names = ("torch==2.1.2", "torchvision==0.16.2", "numpy<2")
        steps.run(text, 'python -m pip install %s %s "%s" --extra-index-url %s' % (*names, url), changes="packages")
        _mmcv_wheel(steps, "mmcv==2.1.0", label, "2.1", "Then install its MMCV")
    else:
        text = "No build is for this PyTorch: compile it, with MMCV_WITH_OPS=1 and the toolkit of PyTorch's CUDA"
        command = "python -m pip install --no-binary mmcv --no-build-isolation --no-cache-dir mmcv"
        steps.run(text, command, changes="packages")


def _mmcv_wheel(steps: Steps, requirement: str, label: str, minor: str, text: str) -> None:
    url = "https://download.openmmlab.com/mmcv/dist/%s/torch%s/index.html" % (label, minor)
    steps.run(text, "python -m pip install %s -f %s" % (requirement, url), changes="packages")


def pyg(about: Situation, steps: Steps) -> None:
    """PyTorch Geometric's extensions: PyPI has their sources alone, a page has the wheels for one PyTorch and CUDA."""
    steps.fixes = []
    release, _, label = about.packages.get("torch", "").partition("+")
    minor, label = minor_of(release), "cpu" if about.macos else label
    command = "python -m pip install --force-reinstall --no-deps --only-binary :all: %s -f %s"
    page = "https://data.pyg.org/whl/torch-%s.0+%s.html" % (minor or "X.Y", label or "cuXXX")
    command %= ("torch_scatter torch_sparse torch_cluster torch_spline_conv", page)
    text = "Install PyG's extensions for this PyTorch and its CUDA"
    if minor and label:
        steps.run(text, command, changes="packages")
    else:
        steps.run(
            "See its release and its CUDA", 'python -c "import torch; print(torch.__version__, torch.version.cuda)"'
        )
        steps.say("%s (cpu for None): %s" % (text, command), changes="packages")


def ctranslate2_libraries(about: Situation, steps: Steps, library: str) -> None:
    """CUDA's libraries for CTranslate2 (faster-whisper), which brings none."""
    version = about.packages.get("ctranslate2", "")
    old = "11" in library
    if about.windows:
        cuda = "CUDA 11 and cuDNN 8" if old else "CUDA 12 and cuDNN 9 (before CTranslate2 4.5: cuDNN 8)"
        text = "CTranslate2 needs %s: install them from NVIDIA, and put the folders with their DLLs (bin) on PATH"
        steps.say(text % cuda, "admin", "system")
        return
    suffix, cudnn = ("cu11", "8") if old else ("cu12", "8" if re.match(r"4\.[0-4]\b", version) else "9")
    names = ("nvidia-cublas-%s" % suffix, "nvidia-cudnn-%s==%s.*" % (suffix, cudnn))
    steps.install("Install the libraries of CUDA %s that CTranslate2 needs" % suffix[2:], *names)
    steps.run("Put pip's CUDA libraries on the loader's path before Python starts", LOADER_PATH, on="linux")
    if old and not about.driver_before(525):
        text = "Or update CTranslate2 (and faster-whisper): from 4 on it is for CUDA 12, with a driver from 525 on"
        steps.upgrade(text, "ctranslate2", instead=True)


def older_ctranslate2(about: Situation, steps: Steps) -> None:
    """The last CTranslate2 for CUDA 11, for a driver that is too old for CUDA 12."""
    there = about.packages.get("ctranslate2", "").startswith("3.")
    if there or about.python in ("3.13", "3.14") or about.driver_before(450):
        return
    text = "Or install the last CTranslate2 for CUDA 11, for drivers from 450 on"
    libraries = () if about.windows else ("nvidia-cublas-cu11", "nvidia-cudnn-cu11==8.*")
    steps.install(text, "ctranslate2==3.24.0", *libraries, instead=True)
    if libraries:
        steps.run("Put its CUDA libraries on the loader's path before Python starts", LOADER_PATH, on="linux")
