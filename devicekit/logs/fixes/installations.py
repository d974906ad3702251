"""Fixes of what is installed and not whole: two distributions with the same files, files missing or hidden. Pure."""

import re
from typing import Sequence

from ...matrix.matrix import BUNDLED, TENSORFLOW_OWNERS, minor_of, version_at_least
from ...matrix.projects import sort_key
from ...matrix.queries import goes_with
from .situation import Situation, newest
from .steps import Steps

#: Import names of distributions that are called otherwise.
_DISTRIBUTIONS = {
    "torch.dml": "torch-directml", "pyannote": "pyannote-audio",
    "cv2": "opencv-python", "skimage": "scikit-image", "sklearn": "scikit-learn", "PIL": "pillow", "yaml": "pyyaml",
    "google.protobuf": "protobuf", "tensorflow_hub": "tensorflow-hub", "pkg_resources": "setuptools",
    "distutils": "setuptools", "tensorflow_text": "tensorflow-text", "tf_keras": "tf-keras", "attr": "attrs",
    "absl": "absl-py", "tensorflow_core": "tensorflow", "pasta": "google-pasta", "tree": "dm-tree",
    "yggdrasil_decision_forests": "tensorflow-decision-forests", "tf_slim": "tf-slim", "kerastuner": "keras-tuner",
    "umap": "umap-learn", "haiku": "dm-haiku", "grpc": "grpcio", "dateutil": "python-dateutil", "bs4": "beautifulsoup4",
    "official": "tf-models-official", "dotenv": "python-dotenv", "git": "gitpython",
}  # fmt: skip


SHOW_BITS = (
    'python -c "import platform, struct; '
    "print(platform.python_version(), platform.machine(), 8 * struct.calcsize('P'))\""
)


def known_module(module: str) -> bool:
    """Return whether it is known which distribution brings an import name."""
    return module in _DISTRIBUTIONS or BUNDLED.project(distribution_of(module)) is not None


def distribution_of(module: str) -> str:
    """Return the distribution that brings an import name."""
    first = module.partition(".")[0]
    return _DISTRIBUTIONS.get(module) or _DISTRIBUTIONS.get(first) or first.replace("_", "-")


#: The packages of onnxruntime that compute on GPUs and the like; all own the folder that the one for the CPU owns, too.
_ORT = tuple("onnxruntime-%s" % name for name in ("gpu", "directml", "openvino", "rocm", "migraphx", "qnn"))


def preload_dlls(steps: Steps) -> None:
    """Let ONNX Runtime find the libraries that its extras bring."""
    steps.say(
        "Then call onnxruntime.preload_dlls() before the session is made, or import torch built for the same CUDA first",
        changes="code",
    )


def onnxruntime_requirement(about: Situation) -> str:
    """Return which package of onnxruntime serves this GPU, in the release that is there; of -gpu, one that runs on it."""
    if about.macos:
        return "onnxruntime"
    others = about.vendor in ("amd", "intel")
    name = next((item for item in _ORT[others:] if item in about.packages), "")
    if not name and "openvino" in about.line.lower():
        name = "onnxruntime-openvino"
    elif not name and (re.search("(?i)dml|directml", about.line) or (about.windows and others)):
        name = "onnxruntime-directml"
    name = name or {"intel": "onnxruntime-openvino", "amd": "onnxruntime"}.get(about.vendor, "onnxruntime-gpu")
    release = re.match(r"1\.\d+", about.packages.get(name, ""))
    # From 1.27 on onnxruntime-gpu is for CUDA 13, which drivers before 580 do not run, and GPUs before 7.5 not at all. The
    # extras of 1.27 itself need what no release of nvidia-cuda-nvrtc-cu13 is; those of older ones are left out by pip.
    if name == _ORT[0] and (not release or (sort_key(release.group()) > (1, 26) and about.driver_before(580))):
        runs = sort_key(about.fact("driver") or "0") >= (580,) and sort_key(about.capability or "0") >= (7, 5)
        new = runs and sort_key(about.python or "3.11") >= (3, 11)
        return name + "[cuda,cudnn]" + (">=1.28" if new else "<1.27")
    return "%s==%s.*" % (name, release.group()) if release else name


def _owners(about: Situation) -> Sequence[str]:
    """The distributions of the framework to uninstall: those that are known, else those that are usual here."""
    if about.framework == "onnxruntime":
        there = [name for name in _ORT if name in about.packages]
        return ["onnxruntime", *(there or ["onnxruntime-gpu"])]
    if about.framework != "tensorflow":
        return [about.distribution] if about.distribution else []
    seen = [name for name in about.packages if name in TENSORFLOW_OWNERS or name.startswith("tf-nightly")]
    named = about.groups.get("name", "")
    if re.match(r"(tensorflow[-_]|tf[-_]nightly)", named):
        seen.append(named.replace("_", "-"))
    usual = ["tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tf-nightly"]
    usual += {"windows": ["tensorflow-intel"], "macos": ["tensorflow-macos"]}.get(about.system or "", [])
    return list(dict.fromkeys(seen + usual if len(seen) < 2 else seen))


def same_release(about: Situation) -> str:
    """Which one to install again, with the version that is known."""
    if about.framework == "onnxruntime":
        return onnxruntime_requirement(about) if about.vendor or set(_ORT) & set(about.packages) else about.distribution
    if about.framework != "tensorflow":
        version = about.version.partition("+")[0]
        return "%s==%s" % (about.distribution, version) if version else about.distribution
    order = (
        "tensorflow-directml",
        "tensorflow-rocm",
        "tensorflow-gpu",
        "tensorflow",
        "tensorflow-cpu",
        "tensorflow-macos",
    )
    held = [name for name in order if about.packages.get(name)]
    # tensorflow-gpu is the same from 2.1 on (and 1.15), and ended with 2.11.
    if "tensorflow" in held and (about.macos or version_at_least(about.packages["tensorflow"], "2.1")):
        held.sort(key=lambda name: (not name.endswith(("directml", "rocm")), name != "tensorflow"))
    if not held:
        return next((name for name in order if name in about.packages and name != "tensorflow-gpu"), "tensorflow")
    version = newest([about.packages[held[0]]])
    known = re.match(r"\d+(\.\d+)+$", version)
    return "%s==%s%s" % (held[0], version, ".*" * (version.count(".") == 1)) if known else held[0]


def distributions_conflict(about: Situation, steps: Steps) -> None:
    """Two distributions own the same folder: remove all, install one."""
    if not about.framework:
        steps.say(
            "Uninstall all distributions that bring the package, then install only one of them", changes="packages"
        )
        return
    names, keep = _owners(about), same_release(about)
    itex = about.packages.get("intel-extension-for-tensorflow", "")
    if itex:
        partner = {"1": "tensorflow==2.10.*"}.get(itex.partition(".")[0], "tensorflow==%s.*" % itex.rpartition(".")[0])
        if itex.startswith("1.") and itex >= "1.2":
            partner = "tensorflow==2.12.*"
        keep = partner
    steps.uninstall("Uninstall all of them: removing one alone takes files of the others", *names)
    steps.install("Then install only the one that you want", keep)
    if "jupyter" in about.words:
        steps.say("Then restart the notebook's kernel")


def full_version(version: str) -> str:
    """Return a release of TensorFlow that the data hold: of 2.6, the newest known 2.6.

    >>> full_version("2.6"), full_version("2.6.0")
    ('2.6.5', '2.6.0')
    """
    project = BUNDLED.project("tensorflow")
    if version.count(".") > 1 or project is None:
        return version
    return newest(item for item in project.versions if item.startswith(version + ".")) or version


def newest_beside(about: Situation, wrong: str) -> str:
    """Return the newest release of a dependency that is known to work with this TensorFlow, "" if none is."""
    version = about.version.partition("+")[0]
    project = BUNDLED.project(wrong)
    if about.framework != "tensorflow" or not re.match(r"\d+\.\d+", version) or project is None:
        return ""
    owner = "tensorflow" if BUNDLED.project(about.distribution) is None else about.distribution
    works = ""
    platform = about.platform or ("macos-arm64" if about.macos else "")  # the Mac with fewer wheels
    for release in reversed(project.versions):
        if about.python and not about.releases(wrong, "==%s" % release, platform, about.python):
            continue
        answer = goes_with(owner, full_version(version), wrong, release, about.python, BUNDLED)
        if answer.status == "compatible":
            works = works or release
            if not answer.because:  # else it works against what is declared, and pip says that it does not fit
                return release
    return works


def install_corrupt(about: Situation, steps: Steps) -> None:
    """Files are missing or of another installation: write them again."""
    name = about.distribution
    if _one_package(about, steps):
        return
    if about.framework == "torch" and about.named("directml"):
        text = "Uninstall PyTorch and its plug-in, then install torch-directml, which brings the PyTorch that it needs"
        steps.install(
            text, "torch-directml", remove=["torch", *[item for item in about.packages if "directml" in item]]
        )
        return
    if about.embedded or not name:
        steps.say("Reinstall the program that brings it, without a cache", changes="packages")
        if about.signature == "win-dll-not-win32-app":
            steps.run("See how many bits this Python has: the frameworks are built for 64", SHOW_BITS)
        return
    if about.signature == "pip-bad-download":  # nothing of it is installed yet
        wanted = about.groups.get("requirement") or about.known.asked or same_release(about)
        steps.run("Install it again", "python -m pip install --no-cache-dir %s" % wanted, changes="packages")
        return
    long = re.search(r"Errno 2\b|No such file|too long", about.line) or about.signature.startswith("conda")
    if about.windows and long:
        _long_paths(steps)
    if about.signature.startswith("conda"):
        return
    if about.framework == "tensorflow":
        _estimator(about, steps)
    if about.hosted or "jupyter" in about.words:
        steps.say("Restart the notebook's kernel first: if pip changed the package there, the old one is loaded")
    nightly = any("nightly" in item for item in about.packages)
    if nightly:
        steps.say("A nightly build may be broken: take a stable release, or a newer nightly")
    keep = same_release(about) if not nightly else "tensorflow"
    if about.framework == "tensorflow":
        steps.uninstall("Uninstall every TensorFlow: files of several may be mixed", *_owners(about))
        _left_behind(about, steps)
        steps.install("Then install one", keep)
    else:
        steps.reinstall("Reinstall %s" % name, keep)
    if about.windows and not long:
        steps.say("On Windows, a path of more than 260 characters is cut: allow long paths, or use a shorter folder")
    if "undefined symbol" in about.line and not about.windows:
        text = "Libraries of another %s may come first: see whether a folder with them is named here"
        steps.run(text % about.title, "echo $LD_LIBRARY_PATH", on="linux")
    steps.run("If that fails, make a fresh environment", "python -m venv fresh", changes="files", instead=True)


def _one_package(about: Situation, steps: Steps) -> bool:
    """Another package than the framework, whose files are missing or of two releases; False if it is not so."""
    module, owner = about.groups.get("module", ""), about.groups.get("owner", "")
    if about.signature in ("", "keras-cannot-import-name") and re.match("(?:tf_)?keras", module):
        _keras_again(about, steps)
        return True
    if about.signature == "win-dll-not-win32-app":
        owner = "".join(re.findall(r"-packages[\\/](\w+)", "\n".join(about.known.frames))[-1:])
    found = re.search(r"\b(?:numpy|h5py|scipy|pandas|onnx|grpcio|protobuf)\b", module)
    if (owner or not about.signature) and not re.match("tensorflow|torch$|jax|keras", owner or module):
        found = re.match(r"\w+", owner or module)
    if about.signature == "np-core-import" or (found and found.group() == "numpy"):
        _numpy_again(about, steps)
        if about.signature == "win-dll-not-win32-app":  # NumPy loads every DLL that is in its own folder
            text = (
                "If that fails: uninstall it, delete what is left of the folder numpy (its .libs), and install it again"
            )
            steps.say(text, changes="files")
    elif found:
        name = distribution_of(found.group())
        if owner and not known_module(owner):
            text = (
                "Reinstall the package that brings %s, without pip's cache; or take another release, whose wheel has it"
            )
            steps.say(text % owner, changes="packages")
            return True
        steps.reinstall("Reinstall %s" % name, name)
    else:
        return False
    return True


def _left_behind(about: Situation, steps: Steps) -> None:
    """What pip does not remove from the user's own folder, which comes before the environment's."""
    text = " ".join((*about.known.frames, about.line))
    own = re.search(r"(?:/home/[^/\s]+|/root|~)/\.local(/lib/python3\.\d+/site-packages/tensorflow)/", text)
    if own:
        text = "That one was in ~/.local, before the environment's own: remove what pip left there"
        steps.run(text, "rm -rf ~/.local" + own.group(1), on="linux", changes="files")


def _keras_again(about: Situation, steps: Steps) -> None:
    """Keras' modules are of two releases: of files that are left, or of a notebook that had loaded the one before."""
    name = about.groups["module"].partition(".")[0].replace("_", "-")
    minor = minor_of(about.version)
    if "jupyter" in about.words or about.hosted:
        steps.say("Restart the notebook's kernel, which may hold another release of Keras")
    pin = about.packages.get(name) or (minor + ".*" if about.is_at_least("2.16") is False else "")
    text = "Write Keras' files again"
    if pin:
        steps.reinstall(text, "%s==%s" % (name, pin))
    else:
        text += ", in the release that this names: pip install --force-reinstall %s==RELEASE" % name
        steps.run(text, "python -m pip show %s" % name)


def _numpy_again(about: Situation, steps: Steps) -> None:
    """Write NumPy's files again, of the generation that was there: what was installed with NumPy 1 may not run on NumPy 2."""
    works, paths = newest_beside(about, "numpy"), " ".join((*about.known.frames, about.line))
    old = about.packages.get("numpy", "").startswith("1.") or re.search(
        r"numpy[\\/](?:core[\\/]|_distributor_init)", paths
    )
    bounds = "==%s" % works if works else "<2" if old else ""
    steps.fixes.clear()
    steps.reinstall("Reinstall NumPy", "numpy%s" % bounds)
    if about.macos and "conda" in about.words:
        command = 'conda install -c conda-forge "numpy%s" libcblas' % bounds
        steps.run("Or, if conda installed it, with its BLAS", command, changes="packages", instead=True)
    _numpy_from_elsewhere(about, steps)


def _numpy_from_elsewhere(about: Situation, steps: Steps) -> None:
    """A NumPy that is not among the environment's packages, by PYTHONPATH: mostly one for another Python."""
    found = next((re.match(r"(.+)[\\/]numpy[\\/]", path) for path in about.known.frames if "numpy" in path), None)
    # Functions in a cloud and frozen programs have their packages in such folders.
    if found is None or re.search(r"-packages|^/var/task|^/opt/python|_MEI", found.group(1)):
        return
    steps.fixes.clear()
    text = "That NumPy is in %s, which PYTHONPATH puts before the environment's own packages: unset it"
    steps.unset(text % found.group(1), "PYTHONPATH")


def _long_paths(steps: Steps) -> None:
    """Let Windows have paths of more than 260 characters."""
    steps.run(
        "Allow long paths (as administrator): Windows cuts those of more than 260 characters",
        r"reg add HKLM\SYSTEM\CurrentControlSet\Control\FileSystem /v LongPathsEnabled /t REG_DWORD /d 1 /f",
        on="windows",
        who="admin",
        changes="system",
    )
    steps.say("Or make the environment in a short folder, such as C:\\tf", instead=True)


def _estimator(about: Situation, steps: Steps) -> None:
    """TensorFlow up to 2.15 needs the estimator of its own minor release."""
    version, other = about.version, about.packages.get("tensorflow-estimator", "")
    if version and other and version.split(".")[:2] != other.split(".")[:2]:
        minor = minor_of(version)
        text = "tensorflow-estimator %s does not belong to %s: install the one of the same release" % (
            other,
            about.label,
        )
        steps.install(text, "tensorflow-estimator==%s.*" % minor)
    elif not version and about.groups.get("name") == "compat":
        steps.say("tensorflow-estimator has to be of TensorFlow's own minor release: uninstalling takes it along")


def module_shadowed(about: Situation, steps: Steps) -> None:
    """A file of the user hides the package."""
    if about.signature in ("py-clone-extension-missing", "gen-shared-object"):
        steps.say(
            "Start the program in another folder than the one with the source, so that the installed package is imported"
        )
        steps.run(
            "Or compile and install what is in that folder",
            "python -m pip install -e .",
            changes="packages",
            instead=True,
        )
        return
    path = about.groups.get("path", "")
    what = "Rename %s" % path if path else "Rename your own file or folder that has the package's name"
    compiled = (
        "the __pycache__" if not path.endswith(".py") or about.python[:1] == "3" else "the __pycache__ or %sc" % path
    )
    steps.say("%s, and delete %s next to it" % (what, compiled), changes="files")
    module = about.groups.get("module") or about.framework
    if re.match(r"\w+$", module) and not path:
        steps.run(
            "See which file is imported",
            "python -c \"import importlib.util as u; print(u.find_spec('%s').origin)\"" % module,
        )
