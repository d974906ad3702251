"""Add-ons, which are released for one release of their framework, or compiled for it: MMCV, PyTorch Geometric, CTranslate2."""

import re
from typing import Any, Mapping, Tuple

from ...matrix.matrix import BUNDLED, accepts, minor_of, version_at_least
from ...matrix.projects import Release, sort_key
from ...resolver.goals import LOADER_PATH
from ..signatures import filled
from .installations import distribution_of, full_version
from .other_packages import importer
from .situation import Situation, newest
from .steps import Steps
from .torch_builds import LAST, beside_torch, intel_computes

#: Add-ons that are released for one release of their framework, by the beginning of the import name.
ADD_ONS = {
    "tensorflow": (
        "tensorflow-text", "tensorflow-addons", "tensorflow-io", "tensorflow-decision-forests", "tensorflow-probability",
    ),
    "torch": ("torchvision", "torchaudio", "torchtext", "xformers", "flash-attn", "bitsandbytes", "torch-scatter"),
}  # fmt: skip

#: What SciPy and others do not have any more: from a module, since which release, and where it is now (release notes,
#: wheels). "edit", "keep": where what uses it is seldom updated.
_GONE = (
    (r"tri[lu]? scipy\.linalg", "SciPy", "1.13", "numpy has them: numpy.triu"),
    (
        r"(?:gaussian|hann|hamming|blackman|kaiser|bartlett|tukey|triang|boxcar) scipy\.signal", "SciPy", "1.13",
        "it is in scipy.signal.windows",
    ),
    (r"(?:simps|trapz|cumtrapz) scipy\.integrate", "SciPy", "1.14", "simpson, trapezoid and cumulative_trapezoid"),
    (
        r"(?:interp|array|zeros|ones|arange|linspace|histogram|sqrt|mean|log|exp|randn?|pi|ndarray|float\d\d) scipy", "SciPy",
        "1.12", "numpy has it",
    ),
    (r"\w+ scipy\.misc", "SciPy", "", "imageio and Pillow read and resize images, scipy.special has comb and logsumexp"),
    (r"(?:joblib|six) sklearn\.externals", "scikit-learn", "", "import joblib or six itself"),
    (r"is_flash_attn_available transformers\.utils", "transformers", "4.35", "is_flash_attn_2_available"),
    (
        r"(?:cached_download|url_to_filename|filename_to_url) huggingface_hub[\w.]*", "huggingface-hub", "0.26",
        "hf_hub_download",
    ),
    (r"AdamW transformers(?:\.optimization)?", "transformers", "4.50", "torch.optim.AdamW", "keep"),
    (r"(?:\w*Beam\w*Scorer|AutoModelWithLMHead|AutoModelForVision2Seq) transformers", "transformers", "5", "", "keep"),
    (
        r"functional_tensor torchvision\.transforms", "torchvision", "0.17",
        "import from torchvision.transforms.functional", "edit",
    ),
    (r"utils torchvision\.models", "torchvision", "", "import load_state_dict_from_url from torch.hub", "edit"),
    (
        r"(?:AudioMetaData|info|list_audio_backends|[gs]et_audio_backend|io|sox_effects|backend) torchaudio"
        r"|\w+ torchaudio\.(?:io|backend)", "torchaudio", "2.9", "torchaudio.load needs no backend", "keep",
    ),
    (r"_compare_version torchmetrics\.utilities\.imports", "torchmetrics", "1.0", "packaging.version", "keep"),
    (
        r"(?:rank_zero_only|EPOCH_OUTPUT|distributed|cloud_io) pytorch_lightning\.utilities(?:\.\w+)?", "pytorch-lightning",
        "2.0", "import rank_zero_only from pytorch_lightning.utilities.rank_zero", "edit",
    ),
    (
        r"(?:runner|parallel|fileio|engine|Config\w*|load|dump|build_from_cfg|mkdir_or_exist) mmcv"
        r"|(?:TORCH_VERSION|Registry|Config\w*|build_from_cfg|get_(?:root_)?logger|print_log|\w*path\w*) mmcv\.utils"
        r"|\w+ mmcv\.(?:runner|parallel)", "mmcv", "2", "import it from mmengine", "keep",
    ),
    (r"compatibility gymnasium\.wrappers", "gymnasium", "1.0", "", "keep"),
    (r"metrics pytorch_lightning", "pytorch-lightning", "", "install and import torchmetrics", "edit"),
    (r"_six torch|\w+ torch\._six", "PyTorch", "", "torch.inf, str, collections.abc"),
    (r"(?:ANTIALIAS|LINEAR|CUBIC) PIL\.Image", "Pillow", "10", "LANCZOS, BILINEAR, BICUBIC", "keep"),
    (r"packaging pkg_resources", "setuptools", "70", "import packaging itself"),
    (r"legacy torchtext|\w*Field torchtext\.data", "torchtext", "0.12", "read the data with torch.utils.data", "edit"),
)  # fmt: skip


def gone(about: Situation, steps: Steps) -> bool:
    """A newer release does not have it: what imports it is too old; return whether it is known to be so."""
    found = re.search(r"No module named '?([\w.]+)\.(\w+)", about.line)
    module, name = found.groups() if found else (about.groups.get("module", ""), about.groups.get("name", ""))
    row = next((row for row in _GONE if re.fullmatch(row[0], "%s %s" % (name, module))), None)
    there = about.packages.get(row[1].lower(), "") if row else ""
    if row is None or (there and row[2] and sort_key(there) < sort_key(row[2])):
        return False
    _, title, since, now = row[:4]
    last = "".join(about.known.frames[-1:])
    other = {"SciPy": "gensim", "huggingface-hub": "diffusers"}.get(title, "")
    by = importer(about) or (other if other in about.words else "")
    by = by if by != title.lower() else ""
    text = "%s has %s.%s no longer%s: " % (title, module, name, ", from %s on" % since if since else "")
    if row[4:] == ("keep",) and (by or not last):
        _keep(about, steps, title, since, text + "install")
        text = "Or " if steps.fixes else text
    if row[4:] == ("edit",):
        of = re.split(r"[\\/]", last)[-1] or "the file that the traceback names"
        steps.say("%sin %s, %s" % (text, of, now), changes="code")
    elif by and by != "apex":  # NVIDIA's has the name of another project
        steps.upgrade(text + "update %s, which imports it" % by, by, instead=bool(steps.fixes))
    else:
        text += "update the package whose file the traceback names; in your own code: %s" % now
        steps.say(text, changes="packages", instead=bool(steps.fixes))
    _keep(about, steps, title, since, "Or keep", instead=True)
    return True


#: The newest Python that has wheels of what is older.
_UNTIL = {"SciPy": "3.12", "torchtext": "3.9"}


def _keep(about: Situation, steps: Steps, title: str, since: str, text: str, instead: bool = False) -> None:
    """An older release, which still has something; with the PyTorch that it belongs to."""
    name, until = title.lower(), _UNTIL.get(title, "")
    text += " an older %s" % title
    if name == "mmcv":  # whose release 1 with compiled operators is a package of its own
        text += ": OpenMMLab's installer finds its build for this PyTorch"
        steps.install(text, "openmim", remove=["mmcv"], instead=instead)
        steps.run("Then", 'mim install "mmcv-full<2"', changes="packages")
    elif name in ADD_ONS["torch"][:2] and since:
        have = about.releases("torch", "", about.platform, about.python)
        pairs = ((item.version, _companion_of(name, item.version)) for item in have)
        fitting = [torch for torch, pair in pairs if pair and sort_key(pair) < sort_key(since)]
        if fitting:
            _both_again(about, steps, name, fitting[-1], text, instead)
    elif since and not (until and about.python and sort_key(about.python) > sort_key(until)):
        text += " (up to Python %s)" % until if until and not about.python else ""
        steps.install(text, "%s<%s" % (name, since), instead=instead)


def with_torch(about: Situation, steps: Steps) -> bool:
    """Add-ons of another build than PyTorch: take those of its own index."""
    names = [item for item in ("torchvision", "torchaudio") if item in about.words or item in about.packages]
    if about.signature != "torch-so-missing" or not names or not about.torch_index:
        return False
    steps.fixes = []
    for name in names:
        fitting_add_on(about, steps, name, about.version.partition("+")[0])
    return True


#: Distributions by the files that they put next to the packages.
_FILES = {
    "_XLAC": "torch-xla",
    "_XLAC_cuda_functions": "torch-xla",
    "_torch_sox": "torchaudio",
    "selective_scan": "mamba-ssm",
}


#: Where pip gets what PyPI does not have, or has under another's name.
NOT_ON_PYPI = {
    "detectron2": "facebookresearch/detectron2",
    "apex": "NVIDIA/apex",
    "pytorch3d": "facebookresearch/pytorch3d",
}


def new_vllm(steps: Steps, because: str, what: str = "vllm --torch-backend=auto", instead: bool = False) -> None:
    """Install vLLM together with the PyTorch that it needs."""
    command = "uv venv --python 3.12 vllm-env && uv pip install --python vllm-env " + what
    text = because + ": let uv install both into a fresh environment"
    steps.run(text, command, on="linux", changes="packages", instead=instead)


def of_another_torch(about: Situation, steps: Steps) -> bool:
    """Name the distribution of a library that was compiled with another PyTorch; return whether its path tells."""
    found = re.search(r"(?:(?:site|dist)-packages/(?=\w)|/(?=\w+/_C\b))(\w+?)(?:[./]|_cuda\b|_2_cuda\b)", about.line)
    module = found.group(1) if found else add_on_of_frames(about)
    known = about.signature == "torch-undefined-addon" or about.code.startswith("cuda-")
    if not known or module.startswith(("torch_lib", "lib")):
        return False
    name = _FILES.get(module, "") or distribution_of(module.lstrip("_"))
    if not name:  # a library without its path
        others = [item for item in about.packages if item not in ("torch", "torchvision", "torchaudio")]
        name = others[0] if len(others) == 1 else "PACKAGE"
    version = about.version.partition("+")[0]
    if name in ("torchvision", "torchaudio"):
        fitting_add_on(about, steps, name, version)
        return True
    if name == "torch-xla":
        minor = minor_of(version)
        text = "Install PyTorch and torch_xla of the same release, with libtpu for TPUs"
        pin = "~=%s.0" % minor if minor else ""
        steps.install(text, "torch%s" % pin, "torch_xla[tpu]%s" % pin)
        return True
    of = "PyTorch %s" % version if version else "the installed PyTorch"
    if name == "vllm":  # its releases require one PyTorch each
        own = about.packages.get(name, "")
        if re.match(r"\d+(\.\d+)+$", own):
            text = "Install it again, with the PyTorch that it was compiled with"
            steps.run(text, "python -m pip install --force-reinstall vllm==%s" % own, on="linux", changes="packages")
        text = "This vLLM was compiled with another PyTorch than the one here"
        new_vllm(steps, text, instead=bool(steps.fixes))
        return True
    if name == "xformers" and _xformers_of(about, steps):
        return True
    steps.say("Install the %s that was released for %s, or compile it again with that" % (name, of), changes="packages")
    if name == "xformers":
        return True
    source = "git+https://github.com/%s.git" % NOT_ON_PYPI[name] if name in NOT_ON_PYPI else name
    command = "python -m pip install --force-reinstall --no-deps --no-cache-dir --no-build-isolation %s" % source
    steps.run("This takes a wheel if there is one, and compiles otherwise", command, changes="packages")
    return True


def add_on_of_frames(about: Situation) -> str:
    """Return the module that loads a library with PyTorch imported, "" if none does."""
    loads = r"[\\/]ctypes[\\/]|[\\/]torch[\\/]_(?:ops|classes)\.py"
    last = next((path for path in reversed(about.known.frames) if not re.search(loads, path)), "")
    found = re.search(r"-packages[\\/](?!torch[\\/]|tensorflow|jax|nvidia)(\w+)[\\/]", last)
    return found.group(1) if found else ""


def fitting_add_on(about: Situation, steps: Steps, add_on: str, version: str) -> None:
    """An add-on of a framework: of the framework's own minor release, or built for it."""
    if about.framework == "torch":
        if _torch_pins_differ(about, steps):
            return
        version += ".0" * (version.count(".") == 1)  # as people write it
        if add_on in ("torchvision", "torchaudio"):
            own = re.match(r"(\d+\.\d+\.\d+)a0$", version)  # in NVIDIA's containers
            pair = _companion_of(add_on, own.group(1) if own else version)
            if about.jetson or own:
                _compiled_with_nvidia(steps, add_on, pair)
            elif pair:
                text = "%s %s belongs to PyTorch %s: install it from the same index as PyTorch"
                index = about.torch_index or _said_index(about, version)
                label = index and "+" + index.rpartition("/")[2]  # without it, pip is content with another build
                pin, remove = "%s==%s%s" % (add_on, pair, label), () if label else (add_on,)
                steps.install(text % (add_on, pair, version), pin, remove=remove, index_url=index)
            elif not _old_torchvision(about, steps, add_on, version):
                _both_again(about, steps, add_on)
        else:
            _torch_add_on(about, steps, add_on)
        return
    version = "" if version.startswith("0.") else version  # Apple's own TensorFlow, which PyPI's add-ons do not know
    minor = minor_of(version)
    versions = [item.version for item in about.releases(add_on, "", about.platform)]
    if add_on == "tensorflow-io" and not about.signature.startswith("pip-"):
        _io(about, steps, minor)
        return
    if minor and add_on == "tensorflow-text":
        if about.platform and not about.releases(add_on, "==%s.*" % minor, about.platform):
            _no_text(about, steps, minor)
            return
        exact = newest(item for item in versions if accepts("==%s.*" % minor, item))
        _pair(about, steps, "Install the %s of the same release as TensorFlow" % add_on, add_on, exact or minor + ".*")
        return
    fitting = [item for item in reversed(versions) if _goes(add_on, item, version)]
    if version and not fitting:
        pinned = about.releases(add_on, "", "", about.python)
        fitting = [item.version for item in reversed(pinned) if requires(item, version)]
    if version and fitting:
        _pair(about, steps, "Install the %s that was released for %s" % (add_on, about.label), add_on, fitting[0])
    elif add_on == "tensorflow-addons":
        _addons_ended(about, steps, minor)
    else:
        steps.say("Install the %s that was released for this very TensorFlow" % add_on, changes="packages")
    wanted = re.match(r">=? ?(\d+\.\d+)", about.groups.get("wanted", ""))
    if add_on == "tensorflow-probability" and wanted:
        if sort_key(wanted.group(1)) < (2, 16):  # up to 2.15 each of its releases is made for one TensorFlow
            steps.install("Or change TensorFlow", "%s==%s.*" % (about.distribution, wanted.group(1)), instead=True)
        else:
            steps.upgrade("Or update TensorFlow, with Keras 2 for it", "tensorflow", "tf-keras", instead=True)


def _torch_pins_differ(about: Situation, steps: Steps) -> bool:
    """Two add-ons that require a PyTorch each, not the same."""
    needs = [text for text in about.known.depends.get("torch", {}).values() if " requires torch==" in text]
    if len({text.partition("==")[2] for text in needs}) < 2:
        return False
    text = "No PyTorch suits all (%s): take releases that agree, or an environment each"
    steps.say(text % "; ".join(needs), changes="packages")
    return True


def _no_text(about: Situation, steps: Steps, minor: str) -> None:
    """The release of tensorflow-text has no wheel here: from 2.11 on none for Windows, before 2.17 none for arm64 Macs."""
    text = "tensorflow-text %s has no wheel for this system: " % minor
    have = about.releases("tensorflow-text", "", about.platform, about.python)
    if about.windows:
        steps.say(text + "use WSL 2", changes="system")
    if have:
        near = next((item for item in have if sort_key(item.version) > sort_key(minor)), have[-1])
        names = ["%s==%s.*" % (name, minor_of(near.version)) for name in ("tensorflow", "tensorflow-text")]
        steps.install(text + "take a pair that has one", *names, instead=about.windows)
    elif not about.windows:
        steps.say(text + "use Linux, or a container of it")


def _compiled_with_nvidia(steps: Steps, add_on: str, release: str) -> None:
    """NVIDIA's PyTorch, for Jetson and in its containers: what it does not bring is compiled with it."""
    text = "Compile %s with NVIDIA's PyTorch, in the release for that: PyPI's is for PyPI's" % add_on
    url = "git+https://github.com/pytorch/%s.git@v%s" % (add_on[5:], release or "RELEASE")
    steps.uninstall("Uninstall the one that does not fit", add_on)
    command = "python -m pip install --no-build-isolation --no-deps %s" % url
    steps.run(text, command, on="linux", changes="packages")


def _said_index(about: Situation, version: str = "") -> str:
    """PyTorch's index for the CUDA that the line says PyTorch, or else its add-on, was built for; "" if it says none."""
    rows = BUNDLED.indexes("torch", "cuda", about.platform or "linux-x86_64")
    builds = (about.groups.get("ours"), about.groups.get("theirs"))
    fitting = [row for row in rows if not version or accepts(row.versions, version)]
    return next((row.url for cuda in builds for row in fitting if row.cuda == cuda), "")


def _both_again(
    about: Situation, steps: Steps, add_on: str, torch: str = "", text: str = "", instead: bool = False
) -> None:
    """PyTorch and an add-on in builds that are not known: pip is content with what is there, so both are uninstalled.

    ``torch``: another release of it, in place of that.
    """
    text = text or "Uninstall both, and install both from one index, so that they are of one build"
    both: Tuple[str, ...] = ("torch", *dict.fromkeys((*add_on.split(), *beside_torch(about))))
    remove = () if torch else both
    old = bool(torch) and sort_key(torch) < (2, 3)
    if torch:
        both = tuple("%s==%s" % (name, _companion_of(name, torch) or torch) for name in both)
        both += ("numpy<2",) if old else ()
    goal = {"amd": "rocm", "intel": "xpu" if intel_computes(about) else "cpu"}.get(about.vendor, "cuda")
    goal = "cpu" if about.known.no_gpu else goal
    known = BUNDLED.indexes("torch", goal, about.platform or "linux-x86_64")
    rows = [row for row in known if not about.python or about.releases("torch", row.versions, "", about.python)]
    rows = [row for row in rows if not torch or accepts(row.versions, torch)]
    own = re.search(r"[a-z]", about.version.partition("+")[0])  # NVIDIA's container, a nightly build
    index = about.torch_index or _said_index(about)
    index = index if not torch or index.endswith("/cpu") or index in [row.url for row in rows] else ""
    if about.macos or (goal == "cpu" and about.windows and not (own or index)):  # the registry's are for the CPU
        steps.install(text, *both, remove=remove, instead=instead)
    elif own or about.jetson or not (index or rows):
        if not torch:
            steps.say("%s: the one that PyTorch came from" % text, changes="packages")
    else:
        new = about.capability.startswith("1")
        cuda = "12.8" if new else LAST["11" if about.driver_before(525) else "12"]
        index = index or next((row.url for row in rows if row.cuda == cuda), rows[0].url)
        if index.endswith("/cu126") and not about.capability:
            text += " (RTX 50 and other Blackwell GPUs: cu128 in place of cu126)"
        text += " (not for RTX 50)" if old and not about.capability else ""
        if not (new and old):
            steps.install(text, *both, remove=remove, index_url=index, instead=instead)


def newer_torch(about: Situation, steps: Steps, row: Mapping[str, Any]) -> bool:
    """A step that updates PyTorch where PyPI has no such build, to a release that has; return whether it is one."""
    version, there = about.version.partition("+")[0], about.packages.get("torchvision", "").partition("+")[0]
    if there and "register_fake" in about.line and _companion_of("torchvision", version) not in ("", there):
        fitting_add_on(about, steps, "torchvision", version)
        return True
    least = re.search(r"PyTorch\D{1,20}(2\.\d+)", about.summary + row["text"])
    updates = row.get("upgrade") == ["torch"] or row.get("install") == ["torch>={wanted}"]
    intel = about.macos and about.arch == "x86_64"
    if not updates or least is None or not (about.torch_index or about.windows or intel):
        return False
    have = [item.version for item in about.releases("torch", ">=" + least.group(1), about.platform, about.python)]
    if intel and not have:
        text = "PyTorch 2.2.2 is the last one for Macs with Intel processors"
        if "torch.load" in about.line:
            steps.install("%s: keep it, with the last transformers that loads such files" % text, "transformers<4.52")
        else:
            steps.say(text)
            if "transformers" in about.line:
                steps.install(_TRANSFORMERS_4, "transformers<5")
        return True
    enough = (2, 6) if re.search("/(?:cpu|cu118|cu124)$", about.torch_index) and about.capability[:1] != "1" else (2, 7)
    new = [item for item in have if sort_key(item) >= enough] or have[-1:]
    release, before = [item for item in new if item[:4] == new[0][:4]][-1:], len(steps.fixes)
    if release:
        _both_again(about, steps, "torchvision torchaudio", release[0], filled(row["text"], about.groups))
    return len(steps.fixes) > before


_TRANSFORMERS_4 = "For an older PyTorch: the last transformers 4"

#: The first PyTorch with some names that packages ask for.
_SINCE_TORCH = {
    "LRScheduler": "2.0", "xpu": "2.3", "RMSNorm": "2.4", "DTensor": "2.5", "flex_attention": "2.5", "amp": "1.10",
    "frombuffer": "1.10", "inference_mode": "1.9", "mps": "1.12", "set_float32_matmul_precision": "1.12",
    "sdp_kernel": "2.0", "scaled_dot_product_attention": "2.0", "set_default_device": "2.0", "vmap": "2.0", "func": "2.0",
    "device_mesh": "2.2", "attention": "2.3", "custom_fwd": "2.4",
}  # fmt: skip


def new_in_torch(about: Situation, steps: Steps) -> bool:
    """What a package asks for came with a newer PyTorch than the installed one; return whether it is known."""
    found = re.search(r"(?:name '?(\w+)'? from|module) 'torch\b[^']*'(?: has no attribute '(\w+)')?", about.line)
    found = found or re.search(r"No module named '?torch\.[\w.]*?(\w+)\b()(?:'|$)", about.line)
    name = (found.group(1) or found.group(2) or "") if found else ""
    since = _SINCE_TORCH.get(name, "")
    if not since or version_at_least(about.packages.get("torch", "").partition("+")[0] or "0", since):
        return False
    user = re.search(r"-packages[\\/](?!torch[\\/])(\w+)", "".join(about.known.frames[-1:]))
    newest = about.packages.get("transformers", "").startswith("5")
    pinned = newest and "vllm" in about.packages  # to one PyTorch
    if not pinned and (not about.python or about.releases("torch", ">=" + since, "", about.python)):
        text = "%s came with PyTorch %s: upgrade it (with torchvision and torchaudio, where they are installed)"
        row = {"text": text % (name, since), "upgrade": ["torch"]}
        if not newer_torch(about, steps, row):
            steps.of_signature([row])
    if newest:
        steps.install(_TRANSFORMERS_4, "transformers<5", instead=not pinned)
        return True
    text = "Or, where PyTorch must stay, install an older release of %s"
    other = distribution_of(user.group(1)) if user else "what asks for %s" % name
    steps.say(text % other, changes="packages", instead=True)
    return True


#: The last xFormers 0.0.x of a PyTorch, which its metadata name.
_XFORMERS = {
    "2.0.1": "22", "2.1.0": "22.post7", "2.1.1": "23", "2.1.2": "23.post1", "2.2.0": "24", "2.2.1": "25",
    "2.2.2": "25.post1", "2.3.0": "26.post1", "2.3.1": "27", "2.4.0": "27.post2", "2.4.1": "28.post1", "2.5.0": "28.post2",
    "2.5.1": "28.post3", "2.6.0": "29.post3", "2.7.0": "30", "2.7.1": "31.post1", "2.8.0": "32.post2",
}  # fmt: skip


def xformers_pair(about: Situation, steps: Steps) -> None:
    """PyTorch and xFormers of different builds: one of the two changes."""
    wanted, found = about.groups.get("wanted", ""), about.groups.get("torch", "")
    base, _, label = wanted.partition("+")
    mine, _, own = found.partition("+")
    index = "https://download.pytorch.org/whl/%s"
    if about.macos or own.startswith("rocm"):
        steps.uninstall("This xFormers is for NVIDIA's GPUs: PyTorch's own attention does without it", "xformers")
        if not about.macos:
            text = "Or install the xFormers for ROCm, which is in PyTorch's index for ROCm: %s" % index % "rocm6.4"
            steps.say(text, changes="packages", instead=True)
        return
    others = beside_torch(about) if about.known.complete or base == mine else ("torchvision", "torchaudio")
    pins = ["%s==%s" % (name, _companion_of(name, base)) for name in others if _companion_of(name, base)]
    if re.match(r"cu\d+$", label):
        text = "Install the PyTorch that this xFormers was built for: %s for CUDA" % base
        steps.install(text, "torch==%s" % base, *pins, remove=["torch"], index_url=index % label)
    elif own != "cpu":
        steps.install("Install the PyTorch that this xFormers was built for", "torch==%s" % base, *pins)
    else:
        _torch_for(about, steps)
    if own == "cpu" or (base == mine and not own):
        return
    text = "Or keep PyTorch %s, and install the xFormers that was released for it" % found
    if base != mine:
        which = "xformers==0.0.%s" % _XFORMERS[mine] if mine in _XFORMERS else "its release notes say which one that is"
        steps.say("%s: %s" % (text, which), changes="packages", instead=True)
    elif re.match(r"cu\d+$", own):
        version = about.packages.get("xformers", "")
        name = "xformers==%s" % version if version else "xformers"
        text = "Or keep PyTorch %s, and install xFormers for the same CUDA, without another PyTorch" % found
        command = "python -m pip install --force-reinstall --no-deps %s --index-url %s" % (name, index % own)
        steps.run(text, command, changes="packages", instead=True)


def _xformers_of(about: Situation, steps: Steps) -> bool:
    """The xFormers of the installed PyTorch; False if none is known."""
    last = _XFORMERS.get(about.version)
    if last is None or about.macos or about.vendor == "amd":
        return False
    steps.install("Install the xFormers of PyTorch %s" % about.version, "xformers==0.0." + last)
    return True


def _torch_for(about: Situation, steps: Steps) -> None:
    """PyTorch's build for CUDA, where only the one for the CPU is installed."""
    found = about.requirements("cuda", "torch")
    if found is not None:
        steps.install_set("Replace it by PyTorch's build for CUDA", found, remove=["torch"])
    else:
        rows = BUNDLED.indexes("torch", "cuda", about.platform or "linux-x86_64")
        url = rows[0].url if rows else ""
        steps.install("Replace it by PyTorch's build for CUDA", "torch", remove=["torch"], index_url=url)


def _torch_add_on(about: Situation, steps: Steps, add_on: str) -> None:
    if add_on == "bitsandbytes":
        steps.upgrade("Update bitsandbytes: its current wheels have a library for every CUDA, also on Windows", add_on)
        return
    if add_on == "torchtext" and about.is_at_least("2.4") is not False:
        steps.say("torchtext has ended, with PyTorch 2.3: do without it", changes="code")
        text = "Or install its last release with that PyTorch (Python 3.8 to 3.12)"
        steps.install(text, "torch==2.3.1", "torchtext==0.18.0", "numpy<2", instead=True)
        return
    if add_on == "xformers" and _xformers_of(about, steps):
        return
    of = about.label if about.version else "the installed PyTorch"
    steps.say("Install the %s that was released for %s, or compile it for this PyTorch" % (add_on, of))
    if add_on == "flash-attn":
        # The last releases with wheels for older ones (its releases page).
        pin = {"2.1": "==2.6.3", "2.2": "==2.7.4.post1", "2.3": "==2.7.4.post1"}.get(minor_of(about.version), "")
        command = (
            "python -m pip install --force-reinstall --no-deps --no-cache-dir --no-build-isolation flash-attn" + pin
        )
        steps.run("This takes a wheel for the installed PyTorch if there is one, and compiles otherwise", command)


def _pair(about: Situation, steps: Steps, text: str, add_on: str, pin: str) -> None:
    """Install an add-on's release for the TensorFlow that is there; if it is there, that is another build than PyPI's."""
    there = about.packages.get(add_on, "")
    # A symbol of TensorFlow's own is the same in all patch releases.
    if there != pin and not (minor_of(there or "0.0") == minor_of(pin) and "_ZN10tensorflow" in about.line):
        steps.install(text, "%s==%s" % (add_on, pin))
        return
    text = "%s %s is the one for %s, but not for this build of it (conda's, a cloud's, compiled here): install PyPI's"
    steps.reinstall(text % (add_on, there, about.label), "%s==%s.*" % (about.distribution, minor_of(about.version)))


def _addons_ended(about: Situation, steps: Steps, minor: str) -> None:
    """TensorFlow Addons, whose last release is for TensorFlow 2.13 to 2.15, and on Windows for 2.12 to 2.14."""
    last, newest = ("0.22.0", "2.14") if about.windows else ("0.23.0", "2.15")
    if not minor and "tensorflow_core" in about.line:  # TensorFlow 2.0 and 2.1
        text = "This TensorFlow Addons needs a newer TensorFlow than 2.1: install a pair that fits (Python 3.7 to 3.10)"
        steps.install(text, "tensorflow==2.10.*", "tensorflow-addons==0.19.0")
        return
    if minor and about.is_at_least("2.16") is False:
        own = {"2.0": "0.6.0", "2.1": "0.9.1"}.get(minor, last)
        text = "Install the tensorflow-addons that was released for TensorFlow %s" % minor
        _pair(about, steps, text, "tensorflow-addons", own)
        return
    steps.say(
        "TensorFlow Addons has ended: Keras has most of it now (AdamW, GroupNormalization, F1Score)", changes="code"
    )
    text = "Or install the newest TensorFlow that it works with"
    pair = ["tensorflow==%s.*" % newest, "tensorflow-addons==%s" % last]
    if about.python and about.python not in ("3.9", "3.10", "3.11"):
        steps.new_environment(text, "3.11", pair, instead=True)
    else:
        steps.install(text, *pair, instead=True)


#: tensorflow-io of each TensorFlow, newest first (its README); Windows has wheels up to 0.31.
_IO = (
    ("2.16", "0.37"), ("2.15", "0.36"), ("2.14", "0.35"), ("2.13", "0.34"), ("2.12", "0.32"), ("2.11", "0.31"),
    ("2.10", "0.27"), ("2.9", "0.26"), ("2.8", "0.25"), ("2.7", "0.23"), ("2.6", "0.21"), ("2.5", "0.19"), ("2.4", "0.17"),
    ("2.3", "0.16"), ("2.2", "0.14"), ("2.1", "0.12"), ("2.0", "0.10"),
)  # fmt: skip


def _io(about: Situation, steps: Steps, minor: str) -> None:
    """tensorflow-io, each release of which is compiled for one TensorFlow."""
    pairs = [pair for pair in _IO if not about.windows or sort_key(pair[1]) <= (0, 31)]
    mine = dict(pairs).get(minor)
    if mine:
        steps.install(
            "Install the tensorflow-io that was compiled for TensorFlow %s" % minor, "tensorflow-io==%s.*" % mine
        )
        return
    tensorflow, own = pairs[0]
    where = "for Windows " if about.windows else ""
    text = "The newest tensorflow-io %sis %s, for TensorFlow %s: install the two" % (where, own, tensorflow)
    steps.install(text, "tensorflow==%s.*" % tensorflow, "tensorflow-io==%s.*" % own)
    steps.say(
        "Or do without it: tf.audio and tf.io decode common formats, and scipy.signal or librosa resample",
        changes="code", instead=True,
    )  # fmt: skip


#: torchvision of each PyTorch before 1.8, whose builds for GPUs are in one list of files (PyTorch, previous versions).
_OLD_TORCHVISION = {
    "1.7.1": "0.8.2", "1.7.0": "0.8.0", "1.6.0": "0.7.0", "1.5.1": "0.6.1", "1.5.0": "0.6.0", "1.4.0": "0.5.0",
    "1.3.1": "0.4.2", "1.3.0": "0.4.1", "1.2.0": "0.4.0",
}  # fmt: skip


def _old_torchvision(about: Situation, steps: Steps, add_on: str, version: str) -> bool:
    """An old PyTorch: its torchvision, of the same build for CUDA."""
    label = "+" * ("+" in about.version) + about.version.partition("+")[2]
    if add_on == "torchaudio":  # without a label of its own, and with the same number but for the first
        pair = "0" + version[1:] if re.match(r"1\.[45689]\.\d$", version) else ""
    else:
        pair = _OLD_TORCHVISION.get(version, "")
    if not pair:
        return False
    names = "torch==%s%s %s==%s%s" % (version, label, add_on, pair, label if add_on == "torchvision" else "")
    command = "python -m pip install --force-reinstall %s -f https://download.pytorch.org/whl/torch_stable.html" % names
    text = "%s %s belongs to PyTorch %s: install both in the same build"
    steps.run(text % (add_on, pair, version), command, changes="packages")
    return True


def _companion_of(add_on: str, torch: str) -> str:
    """Return the torchvision or torchaudio that requires a PyTorch, "" if that is not known."""
    project = BUNDLED.project(add_on)
    for version in reversed(project.versions if project is not None and torch else ()):
        release = project.release(version) if project is not None else None
        if release is not None and any("torch==%s" % torch in build.requires for build in release.builds):
            return version
    return ""


def requires(release: Release, tensorflow: str) -> bool:
    """Whether the metadata of a release name this TensorFlow."""
    texts = (text.partition(";")[0] for text in release.builds[0].requires)
    bounds = [text[len("tensorflow") :] for text in texts if re.match("tensorflow[<>=~]", text)]
    return bool(bounds) and accepts(bounds[0], full_version(tensorflow)) is True


def _goes(project: str, release: str, tensorflow: str) -> bool:
    companion = BUNDLED.companion(project, release)
    return companion is not None and bool(companion.tensorflow) and accepts(companion.tensorflow, tensorflow) is True


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
