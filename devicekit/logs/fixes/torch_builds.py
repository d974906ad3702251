"""PyTorch's builds of one release for several CUDA releases: which of them a driver runs."""

import re
from typing import Iterator, List, Tuple

from ...matrix.gpu_support import needed_driver
from ...matrix.matrix import BUNDLED, accepts, minor_of, version_at_least
from ...matrix.projects import sort_key
from .situation import PYTHONS, Situation, known_specifier
from .steps import Steps

#: The oldest driver for the CUDA releases before those of the data, on Linux and on Windows (CUDA release notes, table of
#: toolkit driver versions).
OLD_DRIVERS = {
    "10.2": ("440.33", "441.22"), "10.1": ("418.39", "418.96"), "10.0": ("410.48", "411.31"), "9.2": ("396.26", "397.44"),
    "9.1": ("390.46", "391.29"), "9.0": ("384.81", "385.54"), "8.0": ("375.26", "376.51"), "7.5": ("352.31", "353.66"),
}  # fmt: skip

#: Builds of the releases before those of the data; the first one is the registry's, which has no label (PyTorch, previous
#: versions).
OLD_BUILDS = {
    "1.12": ("10.2", "11.3", "11.6"), "1.11": ("10.2", "11.3", "11.5"), "1.10": ("10.2", "11.1", "11.3"),
    "1.9": ("10.2", "11.1"), "1.8": ("10.2", "10.1", "11.1"),
    "1.7": ("10.2", "9.2", "10.1", "11.0"), "1.6": ("10.2", "9.2", "10.1"), "1.5": ("10.2", "9.2", "10.1"),
    "1.4": ("10.1", "9.2"), "1.3": ("10.1", "9.2"), "1.2": ("10.0", "9.2"),
}  # fmt: skip

#: Where pip finds the files of those releases.
_OLD_FILES = "https://download.pytorch.org/whl/torch_stable.html"


def intel_computes(about: Situation) -> bool:
    """Whether the Intel GPU, as far as its name is known, is one that PyTorch's build for XPU is made for."""
    return re.search(r"(?i)\b(u?hd|iris)\b", about.known.gpu_name) is None


def old_driver(cuda: str, system: str) -> str:
    """Return the oldest driver for a CUDA release before those of the data, "" for others."""
    drivers = OLD_DRIVERS.get(minor_of(cuda))
    return drivers[system == "windows"] if drivers else ""


def for_older_driver(about: Situation, steps: Steps, own: str, newest: str) -> bool:
    """Add that the same release of PyTorch is installed in the newest build that the driver runs, as another way.

    Parameters
    ----------
    about : Situation
    steps : Steps
    own : str
        The CUDA release of the build that is there.
    newest : str
        The newest CUDA release that the driver supports, "" if the log does not say so.

    Returns
    -------
    bool
        Whether there is one.
    """
    version = about.version.partition("+")[0]
    if about.framework != "torch" or not version or about.platform not in ("linux-x86_64", "windows-amd64"):
        return False
    running = [
        (cuda, url)
        for cuda, url in _builds(version, about.platform)
        if not (own and sort_key(cuda) >= sort_key(own)) and _runs(about, cuda, newest) and _knows(about, cuda)
    ]
    if not running:
        return False
    cuda, url = max(running, key=lambda item: sort_key(item[0]))
    driver = "driver %s" % about.fact("driver") if about.fact("driver") else "the driver"
    text = "Or install the build of PyTorch %s for CUDA %s, which %s runs" % (version, cuda, driver)
    if url:
        steps.install(text, "torch==%s" % version, remove=["torch"], index_url=url, instead=True)
        return True
    label = "" if cuda == OLD_BUILDS[minor_of(version)][0] else "+cu%s" % cuda.replace(".", "")
    steps.run(text, "python -m pip install torch==%s%s -f %s" % (version, label, _OLD_FILES), "", instead=True)
    return True


def _knows(about: Situation, cuda: str) -> bool:
    """Whether a CUDA release came after the GPU, as far as that is known."""
    least = {"12": (12, 8), "10": (12, 8), "9": (11, 8), "8": (11,)}.get(about.capability.partition(".")[0], (0,))
    return sort_key(cuda) >= least


def _builds(version: str, platform: str) -> Iterator[Tuple[str, str]]:
    """Yield the CUDA release and the index of each build of a release; "" where one list of files has it."""
    for cuda in OLD_BUILDS.get(minor_of(version), ()):
        yield cuda, ""
    for row in BUNDLED.indexes("torch", "cuda", platform):
        if accepts(row.versions, version):
            yield row.cuda, row.url


#: The newest index of each major release of CUDA that its drivers run: the minor ones go together.
LAST = {"11": "11.8", "12": "12.6", "13": "13.0"}


def beside_torch(about: Situation) -> Tuple[str, ...]:
    """What belongs to one build of PyTorch, and is replaced with it."""
    names = about.words | set(about.packages)
    if not about.known.complete:  # what a program requires of them is there
        names |= {"torchvision", "torchaudio"} if "comfyui" in names else {"torchvision"} if "webui" in names else set()
    return tuple(name for name in ("torchvision", "torchaudio") if name in names)


def asked_index(about: Situation) -> str:
    """Return which of PyTorch's builds for CUDA pip was asked for (``"cu117"``), by its index or a label; "" if none."""
    said = re.search(r"/whl/(cu\d+)", about.known.index) or re.search(r"torch\w*==[\d.]+\+(cu\d+)\b", about.line)
    return said.group(1) if said else ""


def another_index(about: Situation, steps: Steps, name: str, bounds: str) -> bool:
    """A build for CUDA which its index does not have for this Python: another index has; return whether that is all.

    The registry would give a user of Windows the build for the CPU.
    """
    rocm = re.search(r"/whl/(rocm[\d.]+)", about.known.index)
    if rocm and name == "torch" and known_specifier(bounds):
        return _another_rocm(about, steps, rocm.group(1), bounds)
    asked, bounds = asked_index(about), bounds if name == "torch" else ""
    if not asked or about.macos or about.manager or about.jetson or about.arch not in ("", "x86_64"):
        return False
    of_asked = {
        item: [row for row in about.torch_indexes(bounds, item) if row.url.endswith("/" + asked)] for item in PYTHONS
    }
    pythons = sorted((item for item, rows in of_asked.items() if rows), key=sort_key)
    builds = OLD_BUILDS.get(minor_of(bounds[2:]), ()) if not pythons else ()
    if asked in ["cu" + cuda.replace(".", "") for cuda in builds]:
        if _old_build(about, steps, "torch%s+%s" % (bounds, asked), bounds):
            return True
    labeled = "/whl/" not in about.known.index
    if (about.python in pythons and not labeled) or (labeled and not bounds):
        return False
    names = ["%s%s" % (name, bounds), *(item for item in beside_torch(about) if item != name)]
    url = "https://download.pytorch.org/whl/%s" % asked
    label = " ".join(filter(None, (name, bounds.lstrip("="))))
    has = "%s for Python %s to %s" % (label, pythons[0], pythons[-1]) if pythons else "no %s" % label
    text = "PyTorch's index %s has %s" % (asked, has)
    if labeled and pythons and (not about.python or about.python in pythons):
        steps.install("%s: ask it" % text, *names, index_url=url)
    elif about.python or PYTHONS[0] not in pythons:
        _newer_index(about, steps, text, names, bounds)
    if pythons and about.python not in pythons and not about.capability.startswith("1"):
        newer, pinned = list(steps.fixes), bounds.startswith("==")
        steps.fixes = [] if pinned else steps.fixes
        text = "%s an environment with a Python that %s has wheels for (%s to %s)" % (
            "Or make" if steps.fixes else "Make",
            asked,
            pythons[0],
            pythons[-1],
        )
        steps.new_environment(text, pythons[-1], [*names, "--index-url", url], instead=bool(steps.fixes))
        steps.fixes += [fix.replace(instead=True) for fix in newer] if pinned else []
    return bool(steps.fixes)


def _another_rocm(about: Situation, steps: Steps, asked: str, bounds: str) -> bool:
    """A release for ROCm that is in another index than the asked one, for each release has few of them."""
    versions = [one.version for one in about.releases("torch", bounds, "linux-x86_64", about.python)]
    known = BUNDLED.indexes("torch", "rocm", "linux-x86_64")
    rows = [row for row in known if any(accepts(row.versions, version) for version in versions)]
    if not rows or any(row.url.endswith("/" + asked) for row in rows):
        return False
    name = rows[0].url.rpartition("/")[2]
    text = "PyTorch's index %s has no torch %s, %s has; its wheels bring their own ROCm"
    names = ["torch%s" % bounds, *beside_torch(about)]
    steps.install(text % (asked, bounds.lstrip("="), name), *names, index_url=rows[0].url)
    return True


def _old_build(about: Situation, steps: Steps, wanted: str, bounds: str) -> bool:
    """A build before those of the data: one list of files has it, for the Pythons of that release."""
    pythons = about.pythons("torch", bounds, about.platform or "linux-x86_64")
    if not pythons and re.match(r"==1\.[4-7]\.", bounds):  # before the data
        pythons = ("3.8", "3.7", "3.6")
    span = "for Python %s to %s" % (pythons[-1], pythons[0]) if pythons else ""
    if pythons and (not about.python or about.python in pythons):
        text = "PyTorch has its old builds in one list, %s: ask that" % span
        steps.run(text, "python -m pip install %s -f %s" % (wanted, _OLD_FILES))
    elif pythons:
        _newer_index(about, steps, "PyTorch had %s %s" % (wanted, span), ["torch"], "")
    if pythons and about.python not in pythons:
        text = "Or make an environment with a Python that it was made for"
        steps.new_environment(text, pythons[0], [wanted, "-f", _OLD_FILES], instead=bool(steps.fixes))
    return bool(steps.fixes)


def _newer_index(about: Situation, steps: Steps, text: str, names: List[str], bounds: str) -> None:
    """The common index, with any one release if it does not have that one."""
    best = about.common_index(bounds)
    if best is None:
        names, best = [re.split("[=<>~!]", names[0])[0], *names[1:]], about.common_index("")
    if best is not None:
        what = "cu%s" % best.cuda.replace(".", "")
        what += " (RTX 50: cu128; drivers before 525: cu118)" if what == "cu126" and not about.capability else ""
        steps.install("%s: ask %s" % (text, what), *names, index_url=best.url)


def conda_build(about: Situation, steps: Steps) -> bool:
    """Let conda install the build of a release for CUDA from PyTorch's own channel, which ended with 2.5; return whether."""
    minor = minor_of(about.version)
    cuda = max(OLD_BUILDS.get(minor, ("",)), key=sort_key)
    cuda = {"1.10": "11.3", "1.12": "11.3", "1.13": "11.7", "2.0": "11.8"}.get(minor, cuda)
    cuda = "12.1" if re.match(r"2\.[1-5]$", minor) else cuda
    if not cuda or not _knows(about, cuda) or (about.fact("driver") and not _runs(about, cuda, "")):
        return False
    name = "pytorch-cuda" if sort_key(minor) > (1, 12) else "cudatoolkit"
    command = "conda install -c pytorch -c nvidia pytorch=%s torchvision %s=%s" % (about.version, name, cuda)
    steps.run("Install PyTorch's build for CUDA of the same release with conda", command, changes="packages")
    return True


def _runs(about: Situation, cuda: str, newest: str) -> bool:
    """Whether the driver is known to run a CUDA release."""
    driver, system = about.fact("driver"), "windows" if about.windows or about.wsl else "linux"
    if not driver:
        return bool(newest) and sort_key(cuda) <= sort_key(newest)
    need = needed_driver(cuda, [about.capability] if about.capability else [], system, BUNDLED, False)
    least = need.version if need is not None else old_driver(cuda, system)
    return bool(least) and version_at_least(driver, least) is True
