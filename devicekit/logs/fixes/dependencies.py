"""Something that the framework or the program needs is missing, or of a release that does not fit."""

import re

from ...matrix.matrix import BUNDLED, TENSORFLOW_OWNERS, accepts, minor_of
from ...matrix.projects import sort_key
from .add_ons import (
    ADD_ONS,
    NOT_ON_PYPI,
    fitting_add_on,
    gone,
    new_in_torch,
    of_another_torch,
    pyg,
    requires,
    with_torch,
)
from .installations import distribution_of, full_version, known_module, onnxruntime_requirement
from .jax_releases import jax_incompatible
from .keras_releases import keras_incompatible, keras_preprocessing
from .numpy_protobuf import ml_dtypes
from .other_packages import importer, model_maker, update_importer
from .releases import bounds_of, older_release
from .situation import Situation, known_specifier, listed, newest, requirement_of
from .steps import Steps
from .wheels import removed_from_python

#: The TensorFlow that brought a name of tf itself or of its modules, by module and name.
_SINCE_TENSORFLOW = {
    "distribute.TPUStrategy": "2.3", "data.AUTOTUNE": "2.4", "types": "2.4", "experimental.numpy": "2.4",
    "data.experimental.service": "2.3", "experimental.ExtensionType": "2.7", "experimental.dtensor": "2.9",
    "config.experimental.enable_op_determinism": "2.8", "keras.utils.set_random_seed": "2.7", "random.split": "2.12",
    "io.gfile": "1.14", "data.Dataset.save": "2.10", "config.experimental.enable_tensor_float_32_execution": "2.4",
}  # fmt: skip


#: RAPIDS' modules: NVIDIA's index has them, under names with their CUDA.
_RAPIDS = ("cudf", "cuml", "cugraph", "cuspatial", "cuxfilter", "dask_cudf", "rmm", "pylibraft", "cucim")


def _gpu_library(about: Situation, steps: Steps) -> bool:
    """A library for GPUs is not installed, whose distribution has another name; return whether it is one."""
    asked = re.sub(r"-cu\d\d$", "", requirement_of(about.groups.get("requirement", ""))[0]).replace("-", "_")
    module, cuda = about.groups.get("module") or asked, "11" if about.driver_before(525) else "12"
    # pyarrow's part is for old releases of cuDF.
    first = "cudf" if module == "pyarrow._cuda" else module.partition(".")[0].lower()
    if first in _RAPIDS and (about.windows or about.macos):
        steps.say("RAPIDS is for NVIDIA's GPUs on Linux: use WSL 2, or another machine")
    elif first in _RAPIDS:
        command = "python -m pip install --extra-index-url=https://pypi.nvidia.com %s-cu%s"
        text = "Install it from NVIDIA's index, with its CUDA in its name"
        steps.run(text, command % (distribution_of(first), cuda), changes="packages")
    elif first == "cupy" and about.vendor != "amd":
        steps.install("Install CuPy's build for this CUDA", "cupy-cuda%sx%s" % (cuda, "[ctk]" if cuda == "12" else ""))
    elif first == "onnxruntime":
        with_gpu = about.vendor in ("nvidia", "amd", "intel") and not about.macos
        steps.install("Install it", onnxruntime_requirement(about) if with_gpu else first)
    elif first == "numba":
        steps.install("Install it", "numba-cuda[cu%s]" % cuda if "." in module else first)
    return bool(steps.fixes)


#: Where names are from that a package uses even if its import of them failed, mostly in a ``try``; and of which framework.
_LEFT_OUT = {
    "torch": ("torch", "torch"), "nn": ("torch", "torch"), "tf": ("tensorflow", "tensorflow"), "jax": ("jax", "jax"),
    "jnp": ("jax", "jax"), "xformers": ("xformers", "torch"), "init_empty_weights": ("accelerate", "torch"),
}  # fmt: skip


def _apart(about: Situation, steps: Steps) -> None:
    """A package calls what another release of it, or of what it builds on, has."""
    name = distribution_of(about.groups.get("apart") or "tensorflow_estimator")
    left_out = re.match(r"NameError: name '(\w+)' is not defined", about.line)
    missing, framework = _LEFT_OUT.get(left_out.group(1) if left_out else "", ("", ""))
    if missing and about.framework in ("", framework):
        steps.upgrade(
            "Install %s, or update it: it is missing here, or older than %s requires" % (missing, name), missing
        )
    if name == "tensorflow-estimator":
        text = "Install the tensorflow-estimator of TensorFlow's own minor release"
        if about.version:
            steps.install(text, "tensorflow-estimator==%s.*" % minor_of(about.version))
        else:
            steps.say(text + ' (pip install "tensorflow-estimator==1.13.*" for 1.13)', changes="packages")
        return
    if name.startswith("tensorflow-"):
        text = "Install the %s that was released for this very TensorFlow, or update TensorFlow" % name
        steps.say(text, changes="packages")
        return
    steps.upgrade("Update %s, with what it requires" % name, name)
    text = "Or install the releases that the program was made for (its requirements), of %s too" % name
    steps.say(text, changes="packages", instead=True)
    steps.run("See which installed packages do not fit together", "python -m pip check")


def _of_its_own(about: Situation, steps: Steps) -> bool:
    """What the line itself decides, whatever the framework; return whether it does."""
    if model_maker(about, steps):
        return True
    if about.signature in _CONFLICTS:
        _conflict(about, steps)
    elif about.groups.get("apart") or about.known.in_estimator or "tensorflow-estimator is of" in about.summary:
        _apart(about, steps)
    elif about.known.built and (about.groups.get("sdist") or about.signature == "py-no-module-distutils"):
        _build_failed(about, steps)
    elif about.signature == "pip-conflict-other" and about.groups["name"].startswith("tensorflow"):
        _another_framework(about, steps)
    elif about.signature in ("build-needs-compiler", "cmake-no-compiler") and not about.windows:
        _compiler(about, steps)
    elif re.search(
        r"torch_(?:scatter|sparse|cluster|spline_conv)\b.*(?:undefined sym|Symbol not|different CUDA)", about.line
    ):
        pyg(about, steps)
    elif about.signature == "gen-import-asks-to-install" and about.groups.get("asked_for"):
        _asked_for(about, steps)
    elif about.signature == "ort-model-newer":
        _newer_onnxruntime(about, steps)
    elif about.signature == "triton-other-release":
        name = "triton-windows" if about.windows else "triton"
        there = about.packages.get(name, "").startswith(about.triton)
        if sort_key(about.triton or "0") > (3,) and about.system in ("linux", "windows") and not there:
            steps.fixes = []
            steps.install("Install the Triton of %s" % about.label, "%s==%s.*" % (name, about.triton))
    elif about.signature in ("torch-add-on-dll", "torch-so-missing") and re.search(
        r"torch_(?:sc|sp|cl)\w+[\\/]__init__", "".join(about.known.frames)
    ):
        pyg(about, steps)
    elif about.signature == "torch-add-on-dll":
        found = re.findall("torchvision|torchaudio|bitsandbytes", " ".join((*about.known.frames, about.line)))
        fitting_add_on(about, steps, ("torchvision", *found)[-1], about.version.partition("+")[0])
    elif "newer TensorFlow than this 1.x" in about.summary:
        steps.install("1.15 is the last of TensorFlow 1 (Python 3.5 to 3.7)", "tensorflow==1.15.*", "protobuf<3.21")
        text = "Or install the release of that package for TensorFlow %s" % about.version
        steps.say(text, changes="packages", instead=True)
    elif "tf.estimator" in about.summary:
        _hub_estimator(about, steps)
    elif about.signature == "tf-v1-api-sub" and _path_in_tensorflow(about) in _SINCE_TENSORFLOW:
        _came_with(about, steps, _path_in_tensorflow(about))
    elif "TensorFlow Addons" in about.summary:
        fitting_add_on(about, steps, "tensorflow-addons", about.version.partition("+")[0])
    else:
        return gone(about, steps) or (
            about.signature in ("gen-no-module", "pip-requirement-any", "gpu-needs-cupy") and _gpu_library(about, steps)
        )
    return True


def _came_with(about: Situation, steps: Steps, name: str) -> None:
    """A name of TensorFlow that this release does not have yet."""
    since = _SINCE_TENSORFLOW[name]
    steps.install("tf.%s came with TensorFlow %s" % (name, since), "tensorflow>=%s" % since)
    text = "Or install the release of what asks for it that this TensorFlow was for"
    steps.say(text, changes="packages", instead=True)


def _build_failed(about: Situation, steps: Steps) -> None:
    """A package has no wheel for this Python and system, and its sources cannot be built here."""
    name, _, version = about.known.built.partition(" ")
    newer = about.releases(name, ">" + version, about.platform, about.python) if about.python else ()
    if newer:
        text = "%s has wheels for Python %s from %s on: take that, in a newer release of what asks for %s if need be"
        steps.install(text % (name, about.python, newer[0].version, version), "%s>=%s" % (name, newer[0].version))
    else:
        text = "Let pip take a release of %s that has a wheel, if there is one" % name
        steps.run(text, "python -m pip install --only-binary=:all: %s" % name, changes="packages")
    pythons = about.pythons(name, "==" + version, about.platform)
    older = listed(pythons[::-1]) if pythons else "mostly 3.10 to 3.12"
    text = "Or use, in a new environment, a Python that this release of %s was made for (%s)"
    steps.say(text % (name, older), instead=True)
    if not newer and not pythons:
        steps.say(
            "Or build it: the first error of its output names what is missing (a compiler, headers)", instead=True
        )


def dependency_incompatible(about: Situation, steps: Steps) -> None:
    """Something that is needed is missing or of another version."""
    module = about.groups.get("module", "") or about.groups.get("addon", "")
    if _of_its_own(about, steps) or new_in_torch(about, steps) or removed_from_python(about, steps):
        return
    if module == "keras_preprocessing":
        keras_preprocessing(about, steps)
        return
    if re.search(r"compat\.v2|__internal__|\bkeras\b", module + about.line) and about.framework == "tensorflow":
        keras_incompatible(about, steps)
        return
    if re.search(r"/opt/intel|oneapi|libsycl|libur_|libze_", about.line):
        _oneapi(about, steps)
        return
    name = distribution_of(module) if module else ""
    version = about.version.partition("+")[0] or about.groups.get("tensorflow", "")
    # The file that asks is as telling as the line; transformers has names of its own with "flash_attn".
    asks = about.known.frames[-1:] if about.framework == "tensorflow" else ()
    text = "".join((about.line, about.summary, *asks))
    for add_on in () if module.startswith("transformers") else ADD_ONS.get(about.framework, ()):
        if name == add_on or add_on in re.sub("[_ ]", "-", text).lower():
            fitting_add_on(about, steps, add_on, version)
            return
    if "ml_dtypes" in about.line:
        ml_dtypes(about, steps)
        return
    if about.framework == "jax":
        jax_incompatible(about, steps)
        return
    if "wanted" in about.groups and "package" in about.groups:
        return  # the signature names it
    if about.signature in ("tf-undefined-any", "tf-add-on-ops-missing", "metal-flat-namespace-tf"):
        _built_for_another(about, steps)
        return
    missing = about.signature.startswith("py-no-module") or (
        about.signature == "gen-no-module" and known_module(module) and ("." not in module or name == "torch-directml")
    )
    if name == "triton" and missing and not about.linux and not about.macos:
        _triton(about, steps)
        return
    if of_another_torch(about, steps) or with_torch(about, steps) or _openvino(about, steps):
        return
    if name and name not in ("tensorflow", "torch", "keras") and missing:
        other = "Install it" if module != "torch.dml" else "DirectML's module is torch_directml: install it"
        steps.install(other, _as_required(about, name))
    elif steps.fixes:
        return
    elif about.signature == "gen-no-module" and "." in module and BUNDLED.project(name) is not None:
        steps.reinstall("A part of %s is missing: write its files again" % name, name)
    elif not (_unknown_module(about, steps) or _of_a_library(about, steps)):
        _other_version(about, steps, version)


def _built_for_another(about: Situation, steps: Steps) -> None:
    """A library with TensorFlow's symbols, which this release has not."""
    package = re.search(r"(?:site|dist)-packages/(\w+)", about.line)
    if package is None:
        steps.say("Compile that library again, with the headers and flags of the installed TensorFlow")
        flags = "*tf.sysconfig.get_compile_flags(), *tf.sysconfig.get_link_flags()"
        steps.run("Its flags, and those to link with", 'python -c "import tensorflow as tf; print(%s)"' % flags)
        if "cxx11" in about.line:  # in the wheels before 2.9, as in their flags from 1.5 on
            steps.say("TensorFlow's build has C++'s old strings: -D_GLIBCXX_USE_CXX11_ABI=0 has to be among them")
        return
    name = distribution_of(package.group(1))
    steps.say("Install the %s that was released for %s, if there is one" % (name, about.label), changes="packages")
    steps.say("Or the TensorFlow that this %s was built for; its page on PyPI names it" % name, instead=True)


def _unknown_module(about: Situation, steps: Steps) -> bool:
    """A module of which the data know nothing; False if it is about something else."""
    module = about.groups.get("module", "")
    if about.signature != "gen-no-module" or not module or "." in module:
        return False
    if "-packages" in "".join(about.known.frames[-1:]):
        steps.install("A package imports it and left it to you: install it", distribution_of(module))
        return True
    text = "Install what the program's README names for it: on PyPI it may have another name"
    steps.say(text, changes="packages")
    steps.say("If it is a file of the program: start that from its folder, or add that to PYTHONPATH", instead=True)
    return True


def _path_in_tensorflow(about: Situation) -> str:
    return ".".join((about.groups.get("module", ""), about.groups.get("name", "")))


def _hub_estimator(about: Situation, steps: Steps) -> None:
    """What asks for tf.estimator, which is a distribution of its own up to TensorFlow 2.15; mostly tensorflow-hub."""
    minor = minor_of(about.version)
    old = about.is_at_least("2.16") is False
    if not old:
        hub = "hub" in about.line or any("hub" in item for item in about.known.frames[-1:])
        user = "tensorflow-hub" if hub else importer(about)
        text = "TensorFlow from 2.16 on has no estimator: %s"
        if user:
            steps.upgrade(text % "update %s%s" % (user, ", which does without it from 0.16 on" * hub), user)
        else:
            steps.say(text % "update the package whose file the traceback names, or use TensorFlow 2.15")
    if old or not minor:
        text = "%snstall the tensorflow-estimator of TensorFlow's own minor release" % (
            "I" if minor else "Before 2.16: i"
        )
        steps.install(text, "tensorflow-estimator==%s.*" % (minor or "2.15"))


def _asked_for(about: Situation, steps: Steps) -> None:
    """What a message says to install, which may be there since after the import that looked for it."""
    wanted = re.search(r"requires `([\w-]+)(>=[\d.]*\d)`", about.line)
    there = about.packages.get(wanted.group(1), "") if wanted else ""
    if wanted and there and accepts(wanted.group(2), there):
        text = "%s %s is there; if it was installed after the first import: restart Python, or the notebook's kernel"
        steps.say(text % (wanted.group(1), there))
        return
    if about.groups["asked_for"] == "tensorflow-text":
        fitting_add_on(about, steps, "tensorflow-text", about.version.partition("+")[0])
        return
    add = steps.upgrade if re.search("install (?:-U|--upgrade)", about.line) else steps.install
    add("Install what the message names, then restart Python", about.groups["asked_for"])


def _newer_onnxruntime(about: Situation, steps: Steps) -> None:
    """A model of a newer ONNX: the package that is installed, as another one would share its folder."""
    there = [item for item in about.packages if re.match("onnxruntime-(?:gpu|directml|openvino|migraphx|qnn)$", item)]
    text = "Update ONNX Runtime" if there else "Update ONNX Runtime (onnxruntime-gpu or another, if that is installed)"
    name = "".join(there[:1]) or "onnxruntime"
    # From 1.27 on it is for CUDA 13, which not every driver runs.
    steps.upgrade(text, name + "[cuda,cudnn]<1.27" * (name == "onnxruntime-gpu"))
    value, opset = about.groups.get("value"), about.groups.get("name")
    older = "save the model with ir_version = %s (onnx.load, onnx.save)" % value
    steps.say("Or %s" % (older if value else "export it with opset_version=%s" % opset), instead=True)


def _compiler(about: Situation, steps: Steps) -> None:
    """A package, or torch.compile, compiles something here."""
    text = "Install a C compiler and the headers of this Python (%s)"
    if about.linux_distribution in ("", "ubuntu", "debian"):
        command = "sudo apt-get install -y build-essential python%s-dev" % (about.python or "3")
        if about.container:  # its user is root, and its lists of packages are mostly deleted
            text += "; in a Dockerfile: RUN, above the line that installs the package"
            command = command.replace("sudo ", "apt-get update && ")
        steps.run(text % "Debian, Ubuntu", command, on="linux", changes="system")
    if not steps.fixes or about.system is None:
        steps.say(text % "Fedora: gcc and python3-devel; Windows: Build Tools for Visual Studio", "admin", "system")
    steps.say("Or look for a wheel of the package for this Python: then nothing is compiled", instead=True)


def _openvino(about: Situation, steps: Steps) -> bool:
    """ONNX Runtime with OpenVINO on Windows, where OpenVINO's DLLs are another distribution's."""
    if about.groups.get("provider") != "openvino":
        return False
    name = "onnxruntime-openvino"
    pin = "==%s" % about.packages[name] if about.packages.get(name) else ""
    steps.say(
        "Install the openvino that its page on PyPI names (1.17: 2023.3), and call "
        "onnxruntime.tools.add_openvino_win_libs.add_openvino_libs_to_path() before the session is made"
    )
    text = "If onnxruntime is there, too: uninstall both, which share a folder, then install only it"
    steps.install(text, name + pin, remove=["onnxruntime", name])
    return True


def _as_required(about: Situation, name: str) -> str:
    """Return a distribution with the bounds that the metadata of the installed framework set."""
    project = BUNDLED.project(about.distribution)
    release = project.release(full_version(about.version)) if project is not None and about.version else None
    for requirement in release.builds[0].requires if release is not None else ():
        bounds = re.match(
            re.escape(name) + r"((?:[<>=!~]=?[\w.*]+,?)*)(?:;|$)", requirement.replace(" ", ""), re.IGNORECASE
        )
        if bounds:
            return name + bounds.group(1)
    return name


def _no_release(about: Situation, steps: Steps) -> None:
    """The index has no release that meets a requirement."""
    found = about.requirements("cpu", "tensorflow") if "(from tensorflow" in about.line else None
    if found is not None:
        steps.install_set("Install the newest TensorFlow for this Python and system", found)
    elif about.groups.get("requirement") in NOT_ON_PYPI:
        source = "git+https://github.com/%s.git" % NOT_ON_PYPI[about.groups["requirement"]]
        text = "PyPI does not have it: install it from its repository, with the installed PyTorch"
        steps.run(text, "python -m pip install --no-build-isolation " + source, changes="packages")
    elif about.groups.get("name"):
        text = "tensorflow-macos before 2.13 needs releases without wheels for Apple silicon: let conda bring those"
        steps.run(text, "conda install -c apple tensorflow-deps", changes="packages")
        text = "Or, on macOS 12 or later, take TensorFlow from 2.13 on, whose requirements all have wheels"
        steps.install(text, "tensorflow>=2.13", instead=True)
    else:
        steps.say("Take another release of what needs it, or the Python that this one was made for")


def _not_in_framework(about: Situation, steps: Steps) -> None:
    """A name that this release of a framework does not have, and another package imports: the same release has no more."""
    own = ("tensorflow", "tf", "keras", "torch", "torchvision", "torchaudio")
    others = [item for item in about.packages if item.partition("-")[0] not in own]
    text = "This release of %s has no such name: update what imports it" % about.title
    if len(others) == 1:
        steps.upgrade(text, others[0])
    else:
        steps.say(text + " (the lines above the error name its file)", changes="packages")
    steps.say("Or install the %s that it was released for" % about.title, changes="packages", instead=True)


def _other_version(about: Situation, steps: Steps, version: str) -> None:
    """Something of another version than the framework needs, of which the line says no more."""
    source = re.search(
        r"name(?: '?\w+'? from (?:partially initialized module )?|d (?='tensorflow\.p))'(\w+)", about.line
    )
    if source and source.group(1) == "transformers" and re.search("name '?(?:EncoderDecoder|Hybrid)Cache", about.line):
        steps.install("Transformers has it from 4.44 on", "transformers>=4.44,<5")  # 5 wants a newer PyTorch
        if "packages/peft/" in "".join(about.known.frames[-1:]).replace("\\", "/"):
            steps.install("Or keep transformers, with an older peft", "peft<0.14", instead=True)
        return
    if source and source.group(1) in ("tensorflow", "torch") and about.known.frames:
        if importer(about):
            update_importer(about, steps, importer(about))
            return
        if "-packages" not in about.known.frames[-1]:
            text = "The program was written for another release of %s: its requirements.txt or README names it"
            steps.say(text % about.title, changes="packages")
            return
    if source and source.group(1) in ("tensorflow", "torch") and not about.known.frames and "._" not in about.line:
        _not_in_framework(about, steps)
        return
    if source and source.group(1) not in ("tensorflow", "torch", "jax", "keras"):
        _another_library(about, steps, distribution_of(source.group(1)))
        return
    if about.signature == "pip-requirement-any":
        _no_release(about, steps)
        return
    library = re.match(r"lib(flatbuffers)\.so\.([\d.]*\d)$", about.groups.get("library", ""))
    if library and "conda" in about.words:  # pip has no such library
        command = "conda install -c conda-forge %s=%s" % library.groups()
        steps.run("Install the release that this build needs", command, changes="packages")
        return
    if "exists since 1.13" in about.summary and about.tensorflow_1:
        text = "Install the last TensorFlow 1, which is the smallest step (Python 3.5 to 3.7)"
        steps.install(text, "%s==1.15.*" % about.distribution)
        return
    if "needs a newer TensorFlow" in about.summary:
        have = about.releases("tensorflow", "", about.platform, about.python) if about.python else ()
        pin = "tensorflow==%s" % have[-1].version if have else "tensorflow"
        steps.upgrade("Install the newest TensorFlow for this Python", pin)
        return
    # Where another package asks for what is not there, the same release again changes nothing.
    other = source and re.search(r"-packages[\\/](?!tensorflow|torch|keras|jax)", "".join(about.known.frames[-1:]))
    if about.framework and re.match(r"\d+\.\d+", version) and about.python and not other:
        text = "Install %s again together with what it needs" % about.label
        pin = "%s==%s" % (about.distribution, version if version.count(".") > 1 else version + ".*")
        steps.install(text, pin, index_url=about.torch_index if about.framework == "torch" else "")
    else:
        steps.say("Install what is named in a version that works with %s" % about.title, changes="packages")
    steps.run("See which installed packages do not fit together", "python -m pip check")


def _another_library(about: Situation, steps: Steps, wanted: str) -> None:
    """A name that a library does not have, which a package or the program imports from it."""
    if about.known.frames and "-packages" not in about.known.frames[-1] and not about.line.startswith("cannot"):
        text = (
            "The program was written for another release of %s, mostly an older one: its requirements or README name it"
        )
        steps.run(text % wanted, "python -m pip show %s" % wanted)
        steps.upgrade("Or, if what is installed is older than the program: update it", wanted, instead=True)
        return
    text, user = "Update %s; if that does not help, the package that imports from it" % wanted, importer(about)
    if user and user != wanted:
        text = "Update %s and what it imports from, in one command: so pip chooses releases that fit" % user
        steps.upgrade(text, user, wanted)
        steps.run("See which installed packages do not fit together", "python -m pip check")
        return
    if wanted == "huggingface-hub" and not about.packages.get("transformers", "").startswith("5"):
        wanted += "<1"  # for transformers 4
    steps.upgrade(text, wanted)
    steps.run("See which installed packages do not fit together", "python -m pip check")


def _of_a_library(about: Situation, steps: Steps) -> bool:
    """A name that a library, other than a framework, does not have; False if it is about something else."""
    root, name = about.groups.get("module", "").partition(".")[0], about.groups.get("name", "")
    if about.signature != "gen-attribute-module" or root in ("", "tensorflow", "torch", "jax", "keras", "numpy"):
        return False
    text = (
        "The code was written for another release of %s: install the one that its README or requirements name, or look "
    )
    text = (text + "in the release notes of this one for what replaced %s") % (distribution_of(root), name)
    steps.run(text, "python -m pip show %s" % distribution_of(root))
    return True


def _triton(about: Situation, steps: Steps) -> None:
    if about.system is None:
        steps.install("On Linux, install it", "triton")
    steps.upgrade("On Windows, install the Triton that is made for it, of PyTorch's release", "triton-windows")


#: Signatures of installers that find no set of versions.
_CONFLICTS = (
    "pip-cannot-install-conflict", "pdm-pipenv-resolution", "poetry-version-solving", "poetry-missing-companion",
    "uv-no-solution",
)  # fmt: skip


def _conflict(about: Situation, steps: Steps) -> None:
    """No set of versions meets all requirements."""
    name, version = about.groups.get("requirement", ""), about.groups.get("version", "")
    if about.signature == "poetry-missing-companion":
        minor = minor_of(version)
        have = [item.version for item in about.releases("tensorflow", "==%s.*" % minor, about.platform, about.python)]
        right = [item for item in have if item != version]
        text = "Take a release of TensorFlow whose %s exists" % name
        steps.install(text, "tensorflow==%s" % right[-1] if right else "tensorflow!=%s" % version)
        return
    if about.manager:
        text = "A lock has to fit all Pythons and systems that pyproject.toml allows: narrow requires-python there"
        if about.manager == "pipenv":
            text = "A lock has to fit the Python of the Pipfile: set python_version under [requires]"
        steps.say('%s to what the framework has wheels for, such as ">=3.10,<3.13"' % text, changes="files")
    if _no_wheel_here(about, steps) or _of_one_package(about, steps):
        return
    if not any(found(about, steps) for found in (_without_bound, _open_version, older_release)):
        steps.say("Loosen the versions that you set yourself of the packages that the lines around this name")
    steps.say("Or install what excludes each other into an environment each", instead=True)


def _of_one_package(about: Situation, steps: Steps) -> bool:
    """All that exclude each other are releases of one package, each of which needs the same: it is not to be had here."""
    items = re.split(r",? and |, ", about.groups.get("requirement", ""))
    names = {requirement_of(item)[0] for item in items}
    if len(names) != 1:
        return False
    if len(about.known.depends) != 1:
        if len(items) < 2:
            return False
        steps.say("Use a Python of the time of %s: what it needs excludes each other for this one" % names.pop())
        return True
    (needed, needs), name = next(iter(about.known.depends.items())), names.pop()
    bounds = known_specifier(bounds_of(needs.get(name, "")))
    if set(needs) != {name} or (bounds and about.releases(needed, bounds, about.platform, about.python)):
        return False  # something else that they need excludes it
    if about.macos and re.search("gpu|cuda|cu1|nvidia|triton|rocm", needed):
        steps.install("%s is not made for macOS: install %s without the extra that asks for it" % (needed, name), name)
        return True
    steps.say("%s, and pip finds no such %s for this Python and system" % (needs[name], needed))
    steps.say("Use a Python that it was released for, or a release of %s that needs another one" % name)
    return True


def _no_wheel_here(about: Situation, steps: Steps) -> bool:
    """What is needed has no wheel for this system and Python: the resolver only says that nothing fits."""
    for needed, needs in about.known.depends.items() if about.platform not in ("", "linux-x86_64") else ():
        for text in needs.values():
            bounds = known_specifier(bounds_of(text))
            if bounds and about.releases(needed, bounds) and not about.releases(needed, bounds, about.platform):
                where = "Linux (WSL 2)" if about.windows else "Linux on x86-64, such as a container of it"
                steps.say("%s, of which no release has a wheel for this system: use %s" % (text, where))
                return True
    return False


def _open_version(about: Situation, steps: Steps) -> bool:
    """Leave pip the release of what excludes TensorFlow's requirement; False if no line says what that is."""
    names = re.findall(r"(?:^|, |and )([\w.-]+)", about.groups.get("requirement", "").lower())
    for needed, needs in about.known.depends.items():
        owner = next((name for name in needs if name in TENSORFLOW_OWNERS), "")
        other = next((name for name in needs if name not in TENSORFLOW_OWNERS and name in names), "")
        if owner and other and needed not in names and re.search("<|[~=]=", needs[owner] + needs[other]):
            steps.say("%s, and %s: leave the version of %s open" % (needs[other], needs[owner], other))
            return True
    return False


def _without_bound(about: Situation, steps: Steps) -> bool:
    """A newer TensorFlow that takes what another package needs; False if none is known to."""
    for needed, needs in about.known.depends.items():
        owner = next((name for name in needs if name in TENSORFLOW_OWNERS and "<" in needs[name]), "")
        least = [re.search(r">=? ?(\d[\d.]*)", text) for name, text in needs.items() if name != owner]
        said = re.match(r"\S+ (\d+\.\d+(?:\.\d+)?) ", needs.get(owner, ""))
        if not said or not any(least):
            continue
        wanted = newest(item.group(1) for item in least if item)
        for release in about.releases(owner, ">" + said.group(1), "", about.python):
            bounds = [
                text for build in release.builds for text in build.requires if re.match(needed + r"\b(?!-)", text)
            ]
            texts = [re.sub(r"^[\w.-]+|;.*| ", "", text) for text in bounds]
            if texts and all(accepts(text or ">=0", wanted) for text in texts):
                minor, name = minor_of(release.version), owner.replace("-intel", "")
                minor = release.version if minor == minor_of(said.group(1)) else minor
                text = "%s from %s on takes %s %s: ask for such a release in the same command or file" % (
                    name,
                    minor,
                    needed,
                    wanted,
                )
                steps.install(text, "%s>=%s" % (name, minor))
                return True
    return False


def bounded(about: Situation, steps: Steps) -> bool:
    """Whether TensorFlow bounds what another package needs newer, and a newer TensorFlow does not."""
    package, wanted, name = (about.groups[item] for item in ("package", "wanted", "name"))
    project, version = BUNDLED.project("tensorflow"), about.packages.get("tensorflow", "")
    release = project.release(version) if project is not None and version else None
    texts = [text for build in (release.builds if release is not None else ()) for text in build.requires]
    text = next((item for item in texts if re.match(re.escape(name) + r"\b(?!-)[^;]*<", item)), "")
    if not text or accepts(re.sub(r"^[\w.-]+|;.*| ", "", text), about.groups["value"]) is not True:
        return False
    about.known.depends = {name: {"tensorflow": "tensorflow %s depends on %s" % (version, text), package: wanted}}
    if _without_bound(about, steps):
        steps.say("Or an environment each for TensorFlow %s and %s" % (version, package), instead=True)
    return bool(steps.fixes)


def _another_framework(about: Situation, steps: Steps) -> None:
    """A package that requires another TensorFlow than the one that is there: it moves, not the framework."""
    package, found, wanted = (about.groups[name] for name in ("package", "found", "wanted"))
    steps.upgrade("Update %s, if a newer release takes the TensorFlow that is here" % package, package)
    bounds = known_specifier(re.sub(r"^[\w-]+", "", wanted))
    pythons = about.pythons("tensorflow", bounds, about.platform) if bounds else ()
    if pythons:
        text = "Or, if you need it: its own environment, with %s" % wanted
        steps.new_environment(text, pythons[0], ["%s==%s" % (package, found)], instead=True)
    steps.say("Or leave it, if no program here uses it: pip only warns", instead=True)


def _oneapi(about: Situation, steps: Steps) -> None:
    """Two copies of oneAPI's libraries: those of the system and those that PyTorch's wheels bring."""
    if about.framework == "torch" and ("+xpu" in about.version or re.search(r"(site|dist)-packages/torch", about.line)):
        steps.say(
            "PyTorch's wheels for XPU bring oneAPI's libraries: start it in a new shell without setvars.sh, so that those "
            "of /opt/intel/oneapi do not come first"
        )
        steps.run("In this shell", "unset LD_LIBRARY_PATH", on="linux", changes="variables")
    elif not steps.fixes:
        steps.run(
            "Load oneAPI's environment first", "source /opt/intel/oneapi/setvars.sh", on="linux", changes="variables"
        )


def moved_tensorflow(about: Situation, steps: Steps) -> None:
    """Add-ons that require another TensorFlow than pip installed: they follow it, where they have a release."""
    found, wanted = about.groups["found"], about.groups["wanted"]
    pins, newer = [], []
    names = about.groups["packages"].replace("_", "-").split()
    for name in names:
        if name == "tf-keras" or name in ADD_ONS["tensorflow"]:
            have = about.releases(name, "", about.platform, about.python)
            pins += [name + "==" + item.version for item in have if requires(item, found[11:])][-1:]
            newer += [name + "==" + item.version for item in have[-1:]]
    ours = newer and found.startswith("tensorflow ")
    back = about.releases("tensorflow", known_specifier(wanted[10:]), about.platform, about.python)
    rows, steps.fixes = steps.fixes, []
    if ours and len(pins) >= (len(names) if back else 1):
        steps.install("Install what was released for %s" % found, *pins)
        if back and len(names) == 1:
            steps.install("Or go back to the TensorFlow that it requires", wanted, instead=True)
    elif ours and not back:
        text = "There is no such pair for Python %s: install the newest one, with its TensorFlow"
        steps.install(text % about.python, newer[0])
    else:
        steps.fixes = rows
        dependency_incompatible(about, steps)
