"""A plug-in for a device is missing, or not of the release that this framework loads."""

import re

from ...matrix.matrix import BUNDLED, accepts, minor_of
from ...matrix.projects import sort_key
from .jax_releases import jax_cuda, jax_metal, jax_rocm
from .situation import Situation
from .steps import Steps
from .wheels import directml_set

#: Apple's newest plug-in, and the TensorFlow that it was built for.
_NEWEST_PAIR = ("tensorflow-metal==1.2.0", "tensorflow==2.18.*")


def plugin_version_mismatch(about: Situation, steps: Steps) -> None:
    """A plug-in was built for another release of the framework."""
    text = " ".join((about.line, about.signature, about.summary, " ".join(about.packages))).lower()
    if "jax-metal" in text or "jax_metal" in text or (about.framework == "jax" and about.macos):
        jax_metal(about, steps)
    elif about.framework == "jax":
        if about.vendor == "amd" and about.linux:
            jax_rocm(about, steps)
            return
        goal = jax_cuda(about) if about.system in (None, "linux") and about.vendor in ("", "nvidia") else "jax"
        text = "Install jax, jaxlib and the plug-in in one release, in one command"
        jax, plugin = about.packages.get("jax"), about.packages.get("jax-%s-plugin" % jax_cuda(about)[4:-1])
        if "+cuda" in about.packages.get("jaxlib", ""):
            names = ["jax-%s-%s" % (item, part) for item in ("cuda12", "cuda13") for part in ("plugin", "pjrt")]
            steps.uninstall("This jaxlib has CUDA itself: uninstall the plug-in, which is of another release", *names)
            steps.upgrade("Or take the newest of all, in one command", goal, instead=True)
        elif jax and jax != plugin and about.is_at_least("0.4.30") and "[" in goal:  # the plug-in does not belong
            steps.install(text, "%s==%s" % (goal, jax))
        else:
            steps.upgrade(text, goal)
    elif about.framework in ("tensorflow", "") and (about.macos or "metal" in text):
        metal_pair(about, steps)
    elif "dml" in text or "directml" in text:
        directml_pair(about, steps)
    elif about.signature == "xpu-ipex-undefined-symbol":
        _ipex_for(about, steps)
    elif "intel-extension" in text or "itex" in text:
        itex_pair(about, steps)
    else:
        steps.say("Install the release of the framework that the plug-in was built for, or uninstall the plug-in")


def _ipex_for(about: Situation, steps: Steps) -> None:
    """Intel's extension for PyTorch has the first two numbers of its PyTorch; it ended with 2.8."""
    name, there = "intel-extension-for-pytorch", about.packages.get("torch", "")
    minor = minor_of(there)
    wanted = "%s==%s.*" % (name, minor) if minor else "%s with the first two numbers of PyTorch's version" % name
    if minor and sort_key(minor) > (2, 8):
        steps.uninstall(
            "The extension ended with PyTorch 2.8: take its import out of the program, and uninstall it", name
        )
    elif (
        minor and "pt-gpu" not in about.line and not re.search(r"\+(?:xpu|cxx11)", there + about.packages.get(name, ""))
    ):
        text = "Install the extension's release for this PyTorch, both from PyPI: others have another C++ ABI"
        steps.install(text, "torch==%s.*" % minor, wanted, remove=["torch"] * ("+" in there))
    else:
        page = "https://pytorch-extension.intel.com/release-whl/stable/xpu/us/"
        index = "for GPUs from Intel's index, %s" % page
        steps.say("Install PyTorch and its extension (%s) together: %s" % (wanted, index), changes="packages")


def itex_pair(about: Situation, steps: Steps) -> None:
    """Intel's extension and its TensorFlow."""
    version = about.packages.get("intel-extension-for-tensorflow", "")
    if version.startswith("2."):
        minor = minor_of(version)
        steps.install("It belongs to TensorFlow %s" % minor, "tensorflow==%s.*" % minor)
    steps.say(
        "intel-extension-for-tensorflow 2.15 belongs to TensorFlow 2.15, 2.14 to 2.14, 2.13 to 2.13, "
        "1.x to 2.10 to 2.12"
    )


def directml_pair(about: Situation, steps: Steps) -> None:
    """The plug-in for DirectML works with one TensorFlow."""
    owners = [
        name
        for name in ("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-intel")
        if name in about.packages
    ]
    newer = about.is_at_least("2.11") or re.search(r"have tensorflow(?:-cpu)? 2\.1[1-9]", about.line)
    if newer and about.windows:  # there tensorflow and tensorflow-cpu are empty, and tensorflow-intel has the files
        owners = list(dict.fromkeys((*owners, "tensorflow-cpu", "tensorflow-intel")))
    steps.install("The plug-in works with TensorFlow 2.10 alone (Python 3.7 to 3.10)", *directml_set(), remove=owners)


def metal_pair(about: Situation, steps: Steps) -> None:
    """Apple's plug-in and its TensorFlow; it also needs the macOS that it was built for."""
    version, old = about.version, _old_macos(about)
    pair = metal_for(version)
    if old or "OBJC_CLASS" in about.line or "unrecognized selector" in about.line:
        steps.say(
            "Update macOS to 12 (Monterey) or newer: the plug-in uses parts of Metal that older ones lack", who="admin"
        )
    there = about.packages.get("tensorflow-metal")
    minor = "==%s.*" % minor_of(version)
    apple = about.distribution == "tensorflow" and pair and about.is_at_least("2.13") is False
    own = about.releases("tensorflow-macos", minor, about.platform, about.python) if apple else ()
    if own:
        text = "Up to 2.12, the plug-in belongs to Apple's own tensorflow-macos, on macOS 12 or later: install that"
        names = ("tensorflow-macos==%s" % own[-1].version, "tensorflow-metal==%s" % pair)
        steps.install(text, *names, remove=["tensorflow"])
    elif pair and there != pair:
        steps.install("tensorflow-metal %s belongs to %s" % (pair, about.label), "tensorflow-metal==%s" % pair)
    elif about.signature != "metal-xla-platform-id" or not pair:
        text = "Install a pair that belongs together: the newest is this one"
        if pair:  # what is there belongs together by its numbers, and does not load
            text = "tensorflow-metal %s was made for %s, and does not load with it: take the newest pair" % (
                there,
                about.label,
            )
        steps.install(text, *_NEWEST_PAIR)
        steps.say(
            "Others: tensorflow-metal 1.1 belongs to TensorFlow 2.14 to 2.17, 1.0 to 2.13, 0.8 to 2.12, 0.5 to "
            "tensorflow-macos 2.9"
        )
    steps.uninstall("Or compute on the CPU, without the plug-in", "tensorflow-metal")


def _old_macos(about: Situation) -> bool:
    match = re.search(r"macOS (?:Big Sur )?(1[01])\b|Big Sur|Catalina", about.known.os_version)
    return match is not None


def metal_for(version: str) -> str:
    """Return the newest tensorflow-metal that was built for a TensorFlow, "" if there is none.

    >>> metal_for("2.9.1"), metal_for("2.16.1"), metal_for("2.4.0"), metal_for("2.20.0")
    ('0.5.1', '1.1.0', '', '')
    """
    project = BUNDLED.project("tensorflow-metal")
    if not re.match(r"\d+\.\d+", version) or project is None:
        return ""
    for release in reversed(project.versions):
        for hold in BUNDLED.holds("tensorflow-metal", release, "3.9"):
            if any(
                accepts(need.replace("tensorflow", "", 1), version)
                for need in hold.needs
                if need.startswith("tensorflow>")
            ):
                return release
    return ""


def metal_plugin_missing(about: Situation, steps: Steps) -> None:
    """Apple's plug-in, with a TensorFlow that it works with."""
    if about.framework == "jax" and about.macos:
        jax_metal(about, steps)
        return
    if about.framework not in ("tensorflow", "") or about.system not in ("macos", None):
        steps.say("tensorflow-metal is for TensorFlow on a Mac; PyTorch and ONNX Runtime use its GPU by themselves")
        return
    pair, own = metal_for(about.version), about.distribution or "tensorflow"
    if pair:
        steps.install("Install Apple's plug-in for %s" % about.label, "tensorflow-metal==%s" % pair)
    elif about.is_at_least("2.5") is False and not about.known.architecture:
        # There are no wheels of these releases for Apple silicon, so that the Mac is most likely an older one.
        steps.say("Compute on the CPU: take GPU out of tf.device, or allow soft placement", changes="code")
        text = "Or, on a Mac with Apple silicon and macOS 12 or later: a newer TensorFlow, and Apple's plug-in"
        steps.install(text, *_NEWEST_PAIR, instead=True)
        return
    elif about.version:
        keep = about.requirements("metal", "tensorflow")
        text = "No tensorflow-metal was built for %s: install the newest pair" % about.label
        if keep is not None:
            steps.install_set(text, keep, remove=[own] if own != "tensorflow" else [])
        else:
            steps.install(text, *_NEWEST_PAIR)
    else:
        steps.install(
            "Install Apple's plug-in with the TensorFlow that it was built for",
            "tensorflow-metal",
            "tensorflow==2.18.*",
        )
    steps.say("It needs macOS 12 or later and a Python for arm64 (Apple silicon)")
