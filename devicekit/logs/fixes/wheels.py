"""Nothing to install: no wheel for this Python or platform, no framework, the wrong processor, several distributions."""

import re
from typing import Dict, List, Sequence, Set, Tuple

from ...matrix.matrix import BUNDLED, TENSORFLOW_OWNERS, accepts, minor_of, version_at_least
from ...matrix.projects import sort_key
from ..context import PLATFORM_OF, Known
from .installations import SHOW_BITS, distribution_of, same_release
from .other_packages import importer, model_maker
from .others import TORCH_WINDOWS, WITHOUT_ROCM_ON_WINDOWS
from .situation import PLATFORM_TITLES, PYTHONS, Situation, known_specifier, listed, requirement_of, wildcard
from .steps import Steps, conda_spec, tensorflow_in_wsl
from .torch_builds import another_index, asked_index


def _asked(about: Situation) -> Tuple[str, str]:
    """What the user wanted to install: its name and bounds; ("", "") if the line does not say."""
    text = about.groups.get("requirement") or about.groups.get("module") or ""
    said = re.search(r"(?:satisfies the requirement|distribution found for) ([^\s(]+)", about.line)
    text = text or (said.group(1) if said else "")
    name, bounds = requirement_of(text)
    if about.groups.get("version") and not bounds:
        bounds = "==%s" % about.groups["version"]
    name = name or about.distribution
    bounds = bounds.partition("+")[0]
    release = about.packages.get(name) or about.known.sources.get(name)
    if not bounds and release:
        bounds = "==%s" % release
    return name, wildcard(bounds)


def learn_offer(known: Known, requirement: str, found: str) -> bool:
    """Learn from the releases that pip finds for which Python and system it looks: they are all that have a wheel for these.

    Return whether the release that is asked for has one as well, which this pip is too old to know.
    """
    name, bounds = requirement_of(requirement)
    project, about = BUNDLED.project(name), Situation("", known, {})
    usable = known_specifier(wildcard(bounds.partition("+")[0]))
    if project is None:
        return False
    exists = bool(usable and about.releases(name, usable))
    there = set(re.split(r",\s*", found.strip())) & set(project.versions)
    # From 1.15 on, TensorFlow's wheels for Linux are for manylinux2010: pip 19.
    old = exists and not there and name in TENSORFLOW_OWNERS and re.search(r"\b1\.1[34]\.\d", found) is not None
    places, lacking = _places(known, about, name, there - project.yanked), []
    for system, processor, python in places:
        if not exists or not about.releases(name, usable, PLATFORM_OF[system, processor], python):
            lacking.append((system, processor, python))
    if old or (places and not lacking and "+" not in bounds):
        known.words.add("old-pip")
    if places:
        systems, processors, pythons = (set(items) for items in zip(*(lacking or places)))
        if len(pythons) == 1:
            known.versions.setdefault("python", pythons.pop())
        if len(systems) == 1 == len(processors):
            known.learn({"os": systems.pop()}, {})
            known.architecture = processors.pop()
    return "old-pip" in known.words


def _places(known: Known, about: Situation, name: str, there: Set[str]) -> List[Tuple[str, str, str]]:
    """For which systems, processors and Pythons some releases are all until the last of them."""
    last, python = max(map(sort_key, there), default=()), about.python
    return [
        (*place, item)
        for place, platform in PLATFORM_OF.items()
        if place[0] == (known.system or place[0])
        for item in ((python,) if python else PYTHONS)
        # A Mac with Apple silicon may run the Python for Intel.
        if place[1] == (known.architecture or place[1]) or (place[0] == "macos" and sort_key(item) >= (3, 10))
        if there
        and there == {one.version for one in about.releases(name, "", platform, item) if sort_key(one.version) <= last}
    ]


def _whole(about: Situation) -> Tuple[str, str]:
    """What the user installs, which pip's error may not be about."""
    for_it = "tensorflow" in about.words and about.signature.startswith("pip-bad-build")
    return requirement_of(about.known.asked or "tensorflow" * for_it)


def _not_of_a_registry(about: Situation, steps: Steps, name: str, bounds: str) -> bool:
    """What conda, a lock or a file says, and not the wheels of a registry; False for all else."""
    if about.signature.startswith("conda-"):
        _conda_python(about, steps, name, bounds)
    elif about.signature == "poetry-python-range":
        _python_range(about, steps, name)
    elif _of_another_processor(about, steps) or (_file_of_another_python(about, steps) and about.jetson):
        return True
    elif about.signature == "py-tf-async-syntax" and not about.version:
        steps.upgrade("Or, if the program runs with TensorFlow 2: install the newest for this Python", "tensorflow")
    elif about.groups.get("platform", "").startswith("linux_armv"):
        _of_someone(about, steps)
    else:
        return False
    return True


#: Modules and names by the release that brought them, and kinds of expressions ("What's New in Python").
_CAME = (
    ("3.7.2", r"OrderedDict' from 'typing"),
    ("3.8", r"(?:Literal|Protocol|Final|TypedDict|get_args|get_origin|cached_property)' from|importlib\.metadata"),
    ("3.9", r"(?:Annotated|cache)' from|zoneinfo|graphlib|attribute 'remove(?:pre|suf)fix|not subscriptable"),
    (
        "3.10",
        r"(?:ParamSpec|TypeAlias|Concatenate|TypeGuard|pairwise|NoneType|UnionType)' from|operand type\(s\) for \|"
        "|^SyntaxError",
    ),
    ("3.12", r"(?:override|batched)' from"),
    ("3.11", r"' from '(?:typing|enum|datetime|contextlib)'|tomllib"),
)


#: Modules and names by the release that removed them.
_WENT = (
    ("3.10", r"'(?:Iterable|Mapping|Callable|Sequence|Sized|Container|Hashable|Iterator|Mutable\w+|Set|\w+View)'"),
    ("3.11", r"'(?:getargspec|formatargspec|coroutine|ArgSpec)'"),
    ("3.13", r"'?(?:cgi|cgitb|crypt|imghdr|sndhdr|telnetlib|pipes|audioop|lib2to3|nntplib|uu|xdrlib|mailcap)\b"),
    ("3.12", r"'?\b(?:imp|asyncore|asynchat|smtpd|SafeConfigParser|ImpImporter)\b"),
)


def _newer_python(about: Situation, steps: Steps) -> None:
    """The code uses what a later Python brought."""
    since = next((release for release, pattern in _CAME if re.search(pattern, about.line)), "3.12")
    python = since if version_at_least(since, "3.12") else "3.11"
    steps.run("Make an environment with Python %s or later" % since, "uv venv --python %s" % python, changes="files")
    by = importer(about)
    text = "Or install an older release of %s; an up-to-date pip chooses one for this Python"
    steps.say(text % (by or "the package whose file the traceback names"), changes="packages", instead=True)


def removed_from_python(about: Situation, steps: Steps) -> bool:
    """A package uses what this Python no longer has; False if the line is about something else."""
    if about.signature != "py-stdlib-typing":
        return False
    since, by = next((row[0] for row in _WENT if re.search(row[1], about.line)), ""), importer(about)
    gone = "Python has it no longer" + (", from %s on" % since if since else "")
    if by in ("", "tensorflow", "keras"):
        text = "%s: update the package whose file the traceback names, or use an older Python" % gone
        steps.say(text, changes="packages")
    else:
        steps.upgrade("%s: update %s, which uses it" % (gone, by), by)
    if since:
        older = "3.%d" % (int(since[2:]) - 1)
        text = "Or make an environment with Python %s" % older
        steps.run(text, "uv venv --python %s" % older, changes="files", instead=True)
    return True


def python_unsupported(about: Situation, steps: Steps) -> None:
    """A release has no wheel for this Python: name those it has, or the releases that this Python has."""
    if about.signature in ("py-typing-too-old", "py-newer-expression") or about.groups.get("later_python"):
        _newer_python(about, steps)
        return
    name, bounds = _asked(about)
    if model_maker(about, steps) or _not_of_a_registry(about, steps, name, bounds):
        return
    project, usable = BUNDLED.project(name), known_specifier(bounds)
    if _ended(name, usable) and "old-pip" not in about.words:
        tensorflow_gpu_removed(about, steps)
    if "old-pip" in about.words or _ended(name, usable):
        return
    if _of_apple_silicon(about, steps) or _before_the_data(about, steps, name, usable):
        return
    if _plain_name(about, steps, name, usable) or another_index(about, steps, name, usable):
        return
    if _local_label(about, steps, name, bounds):
        return
    if about.jetson and name.partition("-")[0] in ("tensorflow", "torch", "torchvision", "onnxruntime"):
        _jetson(about, steps)
    if about.raspberry and about.known.architecture not in ("aarch64", "x86_64") and name.startswith("tensorflow"):
        platform_unsupported(about, steps)
        return
    if project is None:
        _unknown_project(about, steps, name)
        return
    label, pythons = ("%s %s" % (name, bounds.lstrip("="))).strip(), about.pythons(name, usable, about.platform)
    if usable and not about.releases(name, usable):
        _unknown_release(about, steps, name, bounds)
        return
    if not pythons:
        _no_platform(about, steps, name, usable, label)
        return
    if _range_of_a_lock(about, steps, label, pythons):
        return
    whole = _whole(about)
    for_all = [item for item in pythons if item in about.pythons(whole[0], known_specifier(whole[1]), about.platform)]
    if for_all and whole[0] != name:  # it is needed by what the user installs
        pythons, name, bounds = tuple(for_all), *whole
    if about.python in pythons:
        if not _perhaps_arm(about, steps, name, usable):
            _python_fits(about, steps, name, label, "" if bounds else pythons[1 if len(pythons) > 2 else 0])
        return
    _another_python(about, steps, name, bounds, pythons)


def _another_python(about: Situation, steps: Steps, name: str, bounds: str, pythons: Sequence[str]) -> None:
    """A new environment with a Python that has wheels, or the newest release for this one."""
    usable, label = known_specifier(bounds), ("%s %s" % (name, bounds.lstrip("="))).strip()
    if not usable:  # else a program was written for that release: it stays, and another one is the second choice
        _other_release(about, steps, name, usable)
    where = " on %s" % PLATFORM_TITLES[about.platform] if about.platform else ""
    text = "%s has wheels for Python %s%s" % (label, listed(sorted(pythons, key=sort_key)), where)
    names = _with_pins(about, name, bounds, pythons[0])
    text += ": make an environment with Python %s" % pythons[0]
    steps.new_environment(text, pythons[0], names, instead=bool(steps.fixes))
    if not about.manager and "conda" not in str(steps.fixes[-1].command):
        steps.run("Or with conda", "conda create -n env python=%s" % pythons[0], changes="files", instead=True)
    if usable:
        _other_release(about, steps, name, usable, instead=True)
    if name == "tensorflow-directml" and not about.macos:
        text = "Or for TensorFlow 2.10 (Python 3.7 to 3.10): its plug-in for DirectML"
        steps.install(text, *directml_set(), instead=True)


def _with_pins(about: Situation, name: str, bounds: str, python: str) -> Sequence[str]:
    """Return a requirement, of an old TensorFlow with the NumPy and the like that its metadata do not ask for."""
    if name == "tensorflow-directml-plugin":
        return directml_set()
    wanted = "%s%s" % (name, bounds)
    old = name in TENSORFLOW_OWNERS and (bounds or "directml" in name)
    found = about.requirements("cpu", "tensorflow", [wanted], python) if old else None
    return [item for item in found[0] if re.match("tensorflow(?!-e)|numpy|proto|h5py", item)] if found else [wanted]


def directml_set() -> Tuple[str, ...]:
    """Return TensorFlow's plug-in for DirectML with the one TensorFlow that it works with, and the NumPy of that."""
    rows = [row for row in BUNDLED.directml() if row.distribution == "tensorflow-directml-plugin"]
    return "tensorflow-cpu==2.10.0", "tensorflow-directml-plugin==%s" % rows[0].version, "numpy<2"


def _local_label(about: Situation, steps: Steps, name: str, bounds: str) -> bool:
    """A release with a label for CUDA or ROCm, which the registry never has; whether there is no more to say."""
    local = re.search(r"(torch\w*|jaxlib)==[\d.]+\+(cu\d+|cpu|cuda\d+|rocm[\d.]+)", about.line)
    if local and local.group(1) == "jaxlib":
        if about.macos or about.windows:
            steps.install("JAX has builds for CUDA on Linux alone (on Windows in WSL 2); here it has the CPU", "jax")
            if about.windows:
                text = 'For the GPU: use WSL 2, and install there: pip install "jax[cuda12]"'
                steps.run(text, "wsl --install", changes="system", instead=True)
        elif about.python in ("3.7", "3.8"):
            steps.run(
                "JAX of this Python's time has its builds for CUDA on its own page",
                'python -m pip install --upgrade "jax[cuda12_pip]" -f '
                "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html",
                changes="packages",
            )
        else:
            steps.install("JAX's builds for CUDA are plug-ins of its ordinary wheels now, on Linux", "jax[cuda12]")
        return True
    if local and about.arch == "aarch64" and not about.jetson and local.group(2).startswith("cu"):
        _arm_builds(about, steps, name, bounds.lstrip("="))
        return True
    if local and about.windows and local.group(2).startswith("rocm"):
        text = "PyTorch's own builds for ROCm are for Linux; AMD has some for Windows, for GPUs that it supports: %s"
        steps.say(text % TORCH_WINDOWS, changes="packages")
        steps.say("For older GPUs: " + WITHOUT_ROCM_ON_WINDOWS, instead=True)
        return True
    if local and about.python and not about.releases(name, bounds, "", about.python):
        return False  # no build of it is for this Python, wherever it is
    if local:
        url = "https://download.pytorch.org/whl/%s" % local.group(2)
        steps.say("Releases with +%s are on PyTorch's own index: --index-url %s" % (local.group(2), url))
    return False


def _range_of_a_lock(about: Situation, steps: Steps, label: str, pythons: Sequence[str]) -> bool:
    """Say that the project allows a Python without wheels, if it is not this one that lacks them."""
    tag = re.match(r"cp3(\d{1,2})$", about.groups.get("value", ""))
    if not about.manager or tag is None or "3." + tag.group(1) == about.python:
        return False
    after = int(sorted(pythons, key=sort_key)[-1].partition(".")[2]) + 1
    text = "The project allows Python 3.%s, for which %s has no wheel" % (tag.group(1), label)
    steps.say('%s: set requires-python in pyproject.toml, such as ">=3.10,<3.%d"' % (text, after), changes="files")
    return True


def _file_of_another_python(about: Situation, steps: Steps) -> bool:
    """Say which Python a file of a wheel is for, if it is not this one."""
    version = re.match(r"cp(\d)(\d{1,2})$", about.groups.get("tag", ""))
    if version is None:
        return False
    newer_mac = re.match(r"macosx_1[1-9]_\d+_(?:x86_64|universal2)$", about.groups.get("platform", ""))
    if newer_mac and about.macos and about.known.architecture != "aarch64":
        _as_macos_11(steps)
    if about.python == "%s.%s" % version.groups():
        return False
    text = "That file is for Python %s.%s: install it with the pip of that Python" % version.groups()
    steps.say("%s (python%s.%s -m pip install FILE)" % (text, *version.groups()), changes="packages")
    return True


def _of_someone(about: Situation, steps: Steps) -> None:
    """A file from the page of someone who builds for ARM: the registry has none for 32 bits, and none as old for 64."""
    text = "The file is for %s on %s: see what this Python is, and take the file for that from the same page"
    steps.run(text % (about.groups["tag"], about.groups["platform"]), SHOW_BITS)
    if "armv" in about.groups["platform"]:
        steps.say("Or use a 64-bit system (Raspberry Pi OS, 64-bit), on a Pi 3 or later: PyPI has wheels for aarch64")


def _of_apple_silicon(about: Situation, steps: Steps) -> bool:
    """A file that a Python for Intel processors, which macOS runs as well, does not take; False for others."""
    mine = re.match(r"macosx_\d+_\d+_arm64$", about.groups.get("platform", "")) is not None
    if mine:
        text = "It is for a Python of Apple silicon, which prints arm64 here; one for Intel processors does not take it"
        steps.run(text, 'python -c "import platform; print(platform.machine())"')
    return mine


def _as_macos_11(steps: Steps) -> None:
    """Let pip before 24.1 see the macOS that is there, whatever the one that Python was built for."""
    steps.set(
        "A Python that was built for macOS 10 takes newer ones for 10.16, and refuses wheels for macOS 11: tell it the "
        "real version, then install",
        "SYSTEM_VERSION_COMPAT",
        "0",
    )


def _of_another_processor(about: Situation, steps: Steps) -> bool:
    """An Intel Python on Apple silicon, or one of 32 bits, which refuses a file for it on 64-bit Windows; False if neither."""
    if about.macos and about.arch == "x86_64" and "apple" in about.known.vendors:
        rosetta_python(about, steps)
        return True
    tag = "cp" + about.python.replace(".", "")
    if not about.windows or (about.groups.get("tag"), about.groups.get("platform")) != (tag, "win_amd64"):
        return False
    text = "The file is for 64-bit Python %s: see whether this one has 32 bits" % about.python
    steps.run(text, SHOW_BITS)
    text = "There are no wheels for 32-bit Python: install the 64-bit (x64) Python %s from python.org, then the file with it"
    steps.say(text % about.python, changes="system")
    return True


def _conda_python(about: Situation, steps: Steps, name: str, bounds: str) -> None:
    """Let conda make a new environment, with a Python that it has builds for."""
    pythons = sorted(about.known.pythons, key=sort_key, reverse=True)
    wanted = re.match(r"(3\.\d{1,2})\.\*$", about.groups.get("wanted", ""))
    builds = re.match(r">=(3\.\d{1,2}),<3[^|]*$", about.groups.get("wanted", ""))
    if builds and not pythons:
        text = (
            "Builds of what is asked for are for Python %s: make an environment with it, and repeat the command there"
        )
        steps.run(text % builds.group(1), "conda create -n env python=%s" % builds.group(1), changes="files")
        return
    pythons = pythons or ([wanted.group(1)] if wanted else [])
    if not pythons:
        ranges = re.findall(r"(?:^|\|)(?:>=|==?)?(\d\.\d{1,2})", about.groups.get("wanted", ""))
        pythons = sorted((item for item in ranges if item != about.python), key=sort_key, reverse=True)
    if not pythons:
        have = about.pythons(name, known_specifier(bounds), about.platform)
        older = [item for item in have if about.python and sort_key(item) < sort_key(about.python)]
        pythons = list(older or have[1:] or have)
    if not bounds and name in about.known.sought:
        bounds = wildcard("==" + about.known.sought[name])
    what = "%s%s" % (name, bounds) if name else "PACKAGES"
    if not pythons:
        text = "Let conda choose the Python: name all packages in one command for a new environment"
        steps.run(text, "conda create -n env -c conda-forge python %s" % conda_spec(what), changes="files")
        return
    text = "Make an environment with Python %s, and name all packages that you need in the same command" % pythons[0]
    steps.new_environment(text, pythons[0], [what])


def _python_range(about: Situation, steps: Steps, name: str) -> None:
    """The project's range of Pythons is wider than a package's."""
    wanted = about.groups.get("wanted", "")
    text = "In pyproject.toml, narrow the project's range (requires-python; before Poetry 2 python under dependencies)"
    if wanted and name:
        steps.say('%s to what %s supports: "%s"' % (text, name, wanted), changes="files")
    else:
        steps.say('%s to what the framework supports, such as ">=3.10,<3.13"' % text, changes="files")
    steps.run("Then resolve again", "poetry lock", changes="files")


def _ended(name: str, bounds: str) -> bool:
    """Whether it is tensorflow-gpu, in bounds that newer releases would be in: it ended with 2.10.1, 2.11 is empty."""
    return name == "tensorflow-gpu" and any(accepts(bounds, "2.%d.0" % minor) for minor in (11, 12, 15, 20))


def _before_the_data(about: Situation, steps: Steps, name: str, bounds: str) -> bool:
    """TensorFlow 1.14 and before, of which the data hold nothing: the registry has wheels for x86-64 and few Pythons."""
    numbers = ["1.%d.%d" % divmod(number, 4) for number in range(59, -1, -1)] + ["0.12.1", "0.12.0"]
    newest_meant = next((item for item in numbers if bounds and accepts(bounds, item)), "")
    other = about.jetson or about.raspberry or about.arch not in ("", "x86_64") or "armv" in about.line
    if not newest_meant or other or name not in ("tensorflow", "tensorflow-gpu") or about.releases(name, bounds):
        return False
    pythons = ["3.7", "3.6", "3.5"][sort_key(newest_meant) < (1, 13) :][
        about.windows and sort_key(newest_meant) < (1, 2) :
    ]
    if about.python in pythons and not (about.macos and name == "tensorflow-gpu"):
        text = "%s%s has wheels for Python %s on x86-64: see whether this Python is a 64-bit one for that processor"
        steps.run(text % (name, bounds, about.python), SHOW_BITS)
        steps.run("An old pip does not know all wheels: update it", "python -m pip install --upgrade pip")
        return True
    text = "%s%s has wheels up to Python %s: make an environment with it" % (name, bounds, pythons[0])
    if about.macos and name == "tensorflow-gpu":
        name, text = "tensorflow", "%s (leave -gpu out, which is not for macOS)" % text
    steps.new_environment(text, pythons[0], ["%s%s" % (name, bounds), "numpy<1.20", "protobuf<4", "h5py<3"])
    return True


def _unknown_release(about: Situation, steps: Steps, name: str, bounds: str) -> None:
    """A release that the data do not hold."""
    if name == "torch" and "a0" in bounds and (about.vendor == "intel" or "+git" in about.line):
        text = "That is Intel's own build, from its index for Linux; PyTorch has one for Intel GPUs itself from 2.5 on"
        steps.install(text, "torch", index_url="https://download.pytorch.org/whl/xpu")
        return
    match = re.match(r"[=~<]=?=?(\d+)\.(\d+)", bounds)
    if about.groups.get("platform") == "linux_aarch64":
        _of_someone(about, steps)
        return
    if name == "tensorflow-rocm":
        steps.say(
            "The registry ends at 2.14.0.600; AMD has later ones in https://repo.radeon.com/rocm/manylinux/, in a folder for "
            "each ROCm: choose the ROCm that is there, see for which Python its files are (cp310), and name it with pip's -f"
        )
    else:
        known = about.releases(name)
        older = match and known and sort_key(bounds.lstrip("=~<")) < sort_key(known[0].version)
        text = (
            "devicekit's data begin with %s %s" % (name, known[0].version)
            if older
            else "devicekit knows no such release"
        )
        steps.say("%s: see https://pypi.org/project/%s/#history, and there the files for this system" % (text, name))
    _other_release(about, steps, name, "")


def _unknown_project(about: Situation, steps: Steps, name: str) -> None:
    """What the data do not know: where to look, and that nothing is known of it."""
    if name == "onnxruntime-gpu" and (about.macos or about.arch == "aarch64"):
        where = "macOS" if about.macos else "Linux on ARM"
        steps.install("onnxruntime-gpu has no wheels for %s; onnxruntime has" % where, "onnxruntime")
        return
    if name == "pytorch-directml":
        text = "torch-directml replaced it; in the program: import torch_directml, device torch_directml.device()"
        if about.pythons("torch-directml", "", about.platform):
            steps.install(text, "torch-directml")
        else:
            steps.say("No release of torch-directml, which replaced it, is for this system")
        return
    if name in ("onnxruntime-silicon", "onnxruntime-coreml"):
        steps.install("It has ended: onnxruntime itself has wheels for macOS, with CoreML", "onnxruntime")
        return
    if _ort_python(about, steps, name):
        return
    pin, user = _asked(about)[1], re.search(r"\(from (?!versions)([\w.-]+)", about.line)
    release = re.escape(re.sub(r"^>=?[\d.]+$|=|\.\*", "", pin))  # of a bound, the newest
    left_out = re.match(r".*\b%s\S* Requires-Python ([^;\s]+)" % release, about.line)
    wanted = left_out.group(1) if left_out else about.groups.get("wanted", "")
    match = re.search(r">=\s*(3\.\d{1,2})|<\s*(3\.\d{1,2})", wanted)
    if match:
        bounds = re.sub(r"\s", "", wanted.replace(" and ", ",").strip("'\" "))
        fitting = [item for item in PYTHONS[1:] if accepts(bounds, item + ".5") is True]
        if fitting:
            text = "It needs Python %s: make an environment with one of these" % bounds
            whole = user.group(1) if user else name + pin
            steps.new_environment(text, fitting[min(1, len(fitting) - 1)], [whole] if name else [])
            return
    where = "https://pypi.org/project/%s/#files" % name if name else "pypi.org"
    text = "See for which Pythons and systems %s has wheels (cp311 in a name means Python 3.11): %s"
    steps.say(text % (name or "the package", where))
    here = " than %s" % about.python if about.python else ""
    newest = _newest_found(about)
    asked = re.search(r"==([\d.]+)$", about.groups.get("requirement", ""))
    newer = newest and asked and sort_key(asked.group(1)) > sort_key(newest)
    age = "a newer" if newer else "an older"
    steps.say("Make an environment with such a Python, mostly %s one%s, and install there" % (age, here))
    _take_newest(about, steps, name)


def _newest_found(about: Situation) -> str:
    """Return the last release that pip found for this Python, "" if it names none."""
    found: List[str] = re.findall(r"[\d.]+\d", about.groups.get("found", ""))
    return found[-1] if found else ""


def _take_newest(about: Situation, steps: Steps, name: str) -> None:
    newest = _newest_found(about)
    if newest and name:
        steps.install("Or take the newest that this Python has", "%s==%s" % (name, newest), instead=True)


#: The first and the last releases of onnxruntime and onnxruntime-gpu that have wheels for each Python (PyPI, their files).
_ORT_PYTHONS = (
    ("3.7", "1.3", "1.14.1"), ("3.8", "1.5", "1.19.2"), ("3.9", "1.8", "1.19.2"), ("3.10", "1.12", "1.23.2"),
    ("3.11", "1.15", "9"), ("3.12", "1.17", "9"), ("3.13", "1.20", "9"), ("3.14", "1.24", "9"),
)  # fmt: skip


def _ort_python(about: Situation, steps: Steps, name: str) -> bool:
    """ONNX Runtime, of which the data hold nothing: for which Pythons the release has wheels."""
    asked = re.match(r"onnxruntime(?:-gpu)?==([\d.]+)$", about.groups.get("requirement", ""))
    release = sort_key(asked.group(1)) if asked else ()
    fitting = [row[0] for row in _ORT_PYTHONS if release and sort_key(row[1]) <= release <= sort_key(row[2])]
    if not asked or not fitting or about.python in fitting:
        return about.python in fitting and "index-part" in about.words
    text = "%s has wheels for Python %s: make an environment with one of these" % (asked.group(), listed(fitting))
    steps.new_environment(text, fitting[-1] if len(fitting) < 3 else fitting[-2], [asked.group()])
    _take_newest(about, steps, name)
    return True


def _python_fits(about: Situation, steps: Steps, name: str, label: str, newer: str) -> None:
    """There are wheels for this Python and system: then the installer is too old, or the interpreter another one."""
    if about.signature == "pip-requires-different-python" and newer:
        have = about.releases(name, "", about.platform, about.python)[-1].version
        steps.install("The newest %s for Python %s" % (name, about.python), "%s==%s" % (name, have))
        steps.new_environment("Or use a newer Python", newer, [name], instead=True)
        return
    served = about.releases(name, "", about.platform, about.python)
    first = served[0].version if served else ""
    where = PLATFORM_TITLES.get(about.platform, "this system")
    since = ", from %s %s on" % (name, first) if first else ""
    update = ("An old pip does not know new wheels: update it, then install", "python -m pip install --upgrade pip")
    if about.signature == "pip-bad-build-numpy" and about.installer == "pip" and not about.manager:
        steps.run(*update)
    steps.run(
        "%s has wheels for Python %s on %s%s: see whether this Python is a 64-bit one for that processor"
        % (label, about.python, where, since),
        SHOW_BITS,
    )
    if about.macos:
        others = [
            item for item in sorted(about.pythons(name, "", about.platform), key=sort_key) if item != about.python
        ]
        before = "; those before 2.13 for it are in tensorflow-macos" if name == "tensorflow" and not about.arch else ""
        text = "It has wheels for Python %s, too; the newer releases for arm64 (Apple silicon) only%s"
        steps.say(text % (listed(others), before))
        # All of its wheels are for macOS 11 or later.
        if re.match("tensorflow-m", name) and about.platform != "macos-arm64":
            _as_macos_11(steps)
    if about.installer == "pip" and not about.manager:
        steps.run(*update)
    pythons = about.pythons(name, "", about.platform)
    if about.windows and len(pythons) > 1:
        newer = listed([item for item in pythons if item != about.python][:4], "or")
        steps.say(
            "A 32-bit Python or one for ARM gets no wheel: install the 64-bit (x64) Python from "
            "python.org; Python %s do as well" % newer
        )


def _other_release(about: Situation, steps: Steps, name: str, bounds: str, instead: bool = False) -> None:
    """The newest release that has a wheel for this very Python."""
    if not about.python or (about.framework == "tensorflow" and about.embedded):
        return
    have = about.releases(name, "", about.platform, about.python)
    if not have or (bounds and accepts(bounds, have[-1].version)):
        return
    where = " on %s" % PLATFORM_TITLES[about.platform] if about.platform else ""
    text = "%s %s is the newest with a wheel for Python %s%s" % (name, have[-1].version, about.python, where)
    if len(have) > 1:
        text = "%s %s to %s have wheels for Python %s%s" % (
            name,
            have[0].version,
            have[-1].version,
            about.python,
            where,
        )
    steps.install(text, "%s==%s" % (name, have[-1].version), instead=instead)


def _no_platform(about: Situation, steps: Steps, name: str, bounds: str, label: str) -> None:
    """No release in these bounds has a wheel for this platform, whatever the Python."""
    where = PLATFORM_TITLES.get(about.platform, "this platform")
    if about.jetson:
        _jetson(about, steps)
    if name == "triton" and about.windows:
        steps.install("Windows has a community build of it, which PyTorch's compiler takes as well", "triton-windows")
    if name.startswith("jax-cuda") and about.windows:
        steps.run("JAX has CUDA on Linux alone: install it in WSL 2", "wsl --install", on="windows", changes="system")
        steps.install("Or JAX for the CPU, on Windows itself", "jax", instead=True)
        return
    others = about.releases(name, "", about.platform)
    if others:
        old, new = others[0].version, others[-1].version
        pythons = about.pythons(name, "==%s" % new, about.platform)
        text = "%s has no wheel for %s; %s %s to %s have" % (label, where, name, old, new)
        if about.python and about.releases(name, "", about.platform, about.python):
            best = about.releases(name, "", about.platform, about.python)[-1].version
            steps.install("%s, %s for Python %s" % (text, best, about.python), "%s==%s" % (name, best))
        elif pythons:
            text += " (the newest for Python %s)" % listed(sorted(pythons, key=sort_key))
            steps.new_environment(text, pythons[0], ["%s==%s" % (name, new)])
        native = about.pythons(name, bounds, "macos-arm64") if about.platform == "macos-x86_64" else ()
        if native:
            _native_python(about, steps, native[0])
    elif about.platform:
        steps.say("No release of %s has a wheel for %s" % (name, where))
    if name == "tensorflow":
        _tensorflow_macos(about, steps, bounds)
    if about.linux and about.platform == "linux-aarch64" and not about.jetson:
        steps.say(
            "For that very release: take conda-forge's build (Miniforge for aarch64) if it has one, "
            "compile it from source, or "
            "use a machine with an x86-64 processor"
        )
    elif not others or not about.linux:
        steps.say("Or use a machine or a container of a platform that it has wheels for")


def _plain_name(about: Situation, steps: Steps, name: str, bounds: str) -> bool:
    """TensorFlow by a name that has no wheel for this system, where plain tensorflow is the same; False if it is not so."""
    platforms = [item for key, item in PLATFORM_OF.items() if about.platform in ("", item) and key[0] == about.system]
    lacking = [item for item in platforms if not about.releases(name, "", item)]
    if name.endswith("-metal") and about.system in ("linux", "windows"):
        steps.say("Leave it out: it is Apple's plug-in for the GPUs of Macs, and no use on another system")
        return True
    if about.system is None and name in ("tensorflow-macos", "tensorflow-intel") and "(from tensorf" not in about.line:
        text = "%s is for %s alone; the package for all systems is tensorflow (on Apple silicon from 2.13 on)"
        steps.install(text % (name, "Macs" if name[-1] == "s" else "Windows"), "tensorflow" + bounds)
        return True
    names = ("tensorflow-cpu", "tensorflow-gpu", "tensorflow-intel", "tensorflow-macos")
    if name not in names or not lacking or about.jetson:
        return False
    text = "%s has no wheel for %s, where tensorflow is the same: leave it out, and install that"
    text %= name, "this system" if len(lacking) > 1 else PLATFORM_TITLES[lacking[0]]
    have = [item for item in platforms if about.releases("tensorflow", bounds, item, about.python)]
    pythons = about.pythons("tensorflow", bounds, platforms[0])
    newest_here = about.releases("tensorflow", "", platforms[0], about.python)
    if have or not about.python:
        steps.install(text, "tensorflow%s" % (bounds if have else ""))
    elif newest_here and not pythons:
        _tensorflow_macos(about, steps, bounds)
        steps.install(text, "tensorflow==%s" % newest_here[-1].version, instead=bool(steps.fixes))
    else:
        requirement = "tensorflow%s" % (bounds if pythons else "")
        steps.new_environment(text, (pythons or about.pythons("tensorflow", "", platforms[0]))[0], [requirement])
    if about.macos and "macos-arm64" in platforms and not about.releases("tensorflow", bounds, "macos-arm64"):
        _tensorflow_macos(about, steps, bounds)
    return bool(steps.fixes)


def _tensorflow_macos(about: Situation, steps: Steps, bounds: str) -> None:
    """Before 2.13, TensorFlow for Apple silicon was a distribution of its own."""
    if about.known.architecture == "x86_64" or not about.macos:
        return
    same = about.releases(
        "tensorflow-macos", re.sub(r"^==(\d+\.\d+).*", r"==\1.*", bounds), "macos-arm64", about.python
    )
    if not same:
        same = about.releases("tensorflow-macos", "<2.13", "macos-arm64", about.python)
    if same:
        text = (
            "On Apple silicon TensorFlow before 2.13 is called tensorflow-macos (Python from Miniforge or python.org)"
        )
        steps.install(text, "tensorflow-macos==%s" % same[-1].version, instead=True)


def _jetson(about: Situation, steps: Steps) -> None:
    name = (
        about.framework
        if about.framework in ("tensorflow", "torch")
        else ""
        if about.title[:4] != "the "
        else "tensorflow"
    )
    url = {
        "tensorflow": "https://docs.nvidia.com/deeplearning/frameworks/install-tf-jetson-platform/index.html",
        "torch": "https://docs.nvidia.com/deeplearning/frameworks/install-pytorch-jetson-platform/index.html",
    }.get(name, "https://pypi.jetson-ai-lab.io, or a container of https://github.com/dusty-nv/jetson-containers")
    if about.container and "library" in about.groups:  # what is installed is for it, and lacks the host's files
        text = "Its CUDA libraries are of the host up to JetPack 4: start the container with NVIDIA's runtime"
        steps.run(text, "docker run --runtime nvidia IMAGE")
    text = "On a Jetson, install NVIDIA's wheel (or container) for the JetPack that is there"
    steps.say("%s; the registry's wheels are not made for it: %s" % (text, url), changes="packages")
    if name:
        steps.say(
            "Each is for one Python, the system's: 3.6 in JetPack 4, 3.8 in 5, 3.10 in 6, 3.12 in 7; no other works"
        )
    steps.run("See which JetPack (L4T release) it has", "cat /etc/nv_tegra_release", on="linux")


def jetson_build(about: Situation, steps: Steps) -> None:
    """On a Jetson, only NVIDIA's own builds use the GPU."""
    _jetson(about, steps)


def platform_unsupported(about: Situation, steps: Steps) -> None:
    """No wheel for this system, processor or interpreter."""
    name, bounds = _asked(about)
    label = ("%s %s" % (name, bounds.lstrip("="))).strip()
    if about.known.architecture == "x86" or "is most likely a 32-bit" in about.summary:
        _sixty_four(about, steps, name, bounds)
        return
    if about.jetson:
        _jetson(about, steps)
        return
    if _conda_and_pip(about, steps) or _plain_name(about, steps, name, known_specifier(bounds)):
        return
    if _ended(name, known_specifier(bounds)):
        tensorflow_gpu_removed(about, steps)
        return
    if name == "jaxlib" and _local_label(about, steps, name, bounds):
        return
    if about.raspberry and about.known.architecture not in ("aarch64", "x86_64"):
        board = ", on a Pi 3 or later (this has ARMv6)" if about.known.architecture == "armv6l" else ""
        text = "Use a 64-bit system (Raspberry Pi OS, 64-bit)%s: there are wheels for aarch64, none for 32-bit ARM"
        steps.say(text % board)
        steps.say("For inference alone: tflite-runtime or ai-edge-litert have wheels for small boards")
        return
    if "alpine" in about.words or re.search(r"(?i)alpine|musl", about.line + about.summary + about.known.os_version):
        steps.say("Use an image with glibc (Debian, Ubuntu), such as python:3.11-slim, in place of Alpine: it has musl")
        return
    if about.windows and about.known.architecture == "aarch64":
        steps.say("On Windows for ARM, install the x64 Python from python.org: Windows translates it; or use WSL 2")
    if about.macos and name.startswith(("nvidia-", "jax-cuda", "tensorflow-directml")):
        _no_cuda_on_macs(about, steps, name)
        return
    if about.macos and about.arch == "x86_64" and (name == "tensorflow-macos" or about.signature.startswith("mac-pip")):
        _intel_mac(about, steps, name, bounds)
        return
    if _labelled(about, steps, name, known_specifier(bounds)) or _torch_index(about, steps, label):
        return
    if about.signature == "pip-local-label":
        _own_index(about, steps)
        return
    if about.macos and not about.arch and BUNDLED.project(name) is not None:
        _either_mac(about, steps, name, known_specifier(bounds))
    if about.manager and name == "tensorflow-io-gcs-filesystem":
        _file_systems(about, steps)
    elif BUNDLED.project(name) is not None and about.platform:
        _no_or_other(about, steps, name, known_specifier(bounds), label)
    elif BUNDLED.project(name) is not None and about.system is None and not about.arch:
        _any_platform(about, steps, name, known_specifier(bounds), label)
    if not steps.fixes and name == "onnxruntime-gpu" and about.arch == "aarch64":
        _unknown_project(about, steps, name)
    elif not steps.fixes:
        _ready_or_built(about, steps, name)


def _conda_and_pip(about: Situation, steps: Steps) -> bool:
    """Conda's channels have few releases of tensorflow-gpu, and PyPI has all: with the CUDA of that release, from conda."""
    asked = re.match(r"(tensorflow-gpu) *=+ *(\d+\.\d+(?:\.\d+)?)", about.groups.get("requirement", ""))
    if asked is None or about.macos or about.signature != "conda-missing-spec":
        return False
    row, wanted = BUNDLED.tensorflow(asked.group(2)), asked.group(1) + wildcard("==" + asked.group(2))
    pythons = about.pythons(*requirement_of(wanted), about.platform)
    if row is None or not pythons:
        return False
    python = about.python if about.python in pythons else pythons[0]
    cudnn = {"11.2": "8.1", "11.0": "8.0"}.get(row.linux_cuda, "7.6")
    command = "conda create -n env -c conda-forge python=%s cudatoolkit=%s cudnn=%s" % (python, row.linux_cuda, cudnn)
    steps.run("Make an environment with a Python that it has wheels for, and its CUDA", command, changes="files")
    quoted = " ".join('"%s"' % item for item in (wanted, *about.held_back([wanted], python)))
    steps.run("Then activate that, and install it with pip", "python -m pip install " + quoted, changes="packages")
    return True


def _no_cuda_on_macs(about: Situation, steps: Steps, name: str) -> None:
    """One of NVIDIA's libraries, or JAX's plug-in for them."""
    extra = "and-cuda" in about.line
    if name.startswith("nvidia-") and not extra and not about.words & {"tensorflow", "jax"}:
        text = "NVIDIA's libraries are not for macOS, where only PyTorch 1.13.0 asks for them: take a later one"
        # 2.2 is the last for Intel's processors.
        steps.install(text, "torch>=1.13.1" + ",<2.3" * (about.arch != "aarch64"))
        return
    tensorflow = extra or about.framework == "tensorflow"
    steps.install("Install what a Mac can use", *(("tensorflow", "tensorflow-metal") if tensorflow else ("jax",)))


def _intel_mac(about: Situation, steps: Steps, name: str, bounds: str) -> None:
    """Apple's own TensorFlow, or its plug-in, in a Python for Intel processors."""
    usable, plug_in = known_specifier(bounds), name != "tensorflow-macos"
    have = about.releases(name, usable, about.platform, about.python)
    if have and about.signature.startswith("mac-pip"):
        _as_macos_11(steps)
        steps.install("Its last release for Intel processors is %s" % have[-1].version, name + bounds)
    minor = re.match(r"==(\d+\.\d+)", bounds)
    same = "==%s.*" % minor.group(1) if minor else ""
    same = same if about.releases("tensorflow", same, about.platform, about.python) else ""
    right = name + bounds if plug_in else "tensorflow" + same
    text = "On a Mac with an Intel processor: install tensorflow itself, whose wheels for it end with 2.16.2"
    pythons = (
        about.pythons(name, usable, about.platform) if plug_in else about.pythons("tensorflow", same, about.platform)
    )
    if about.python and pythons and about.python not in pythons:
        text = "Its last wheels for Intel processors are for Python %s" % pythons[0] if plug_in else text
        steps.new_environment(text, pythons[0], [right], instead=bool(steps.fixes))
    elif not plug_in:
        steps.install(text, right, instead=bool(steps.fixes))
    native = about.pythons(name, usable, "macos-arm64")
    if native:
        _native_python(about, steps, about.python if about.python in native else native[0])


def _native_python(about: Situation, steps: Steps, python: str) -> None:
    """A Python for Apple silicon, on a Mac that may have it: those with AMD's or Intel's GPUs do not."""
    if about.known.vendors & {"amd", "intel"}:
        return
    text = "If the Mac has Apple silicon, this Python is for Intel: make an environment with a native one"
    steps.run(text, "uv venv --python cpython-%s-macos-aarch64" % python, changes="files", instead=True)


def _ready_or_built(about: Situation, steps: Steps, name: str) -> None:
    """What to do if nothing is known of the releases."""
    if about.signature.startswith("pip-bad-build") and not about.manager:
        text = "Take the newest release that has a ready wheel: so pip compiles nothing"
        steps.run(text, "python -m pip install --only-binary :all: %s" % name, changes="packages")
        command = "conda install -c conda-forge %s" % name
        steps.run("In a conda environment, install conda's build", command, changes="packages", instead=True)
        return
    if about.manager == "uv" and about.system:
        _required_environment(about, steps)
    pin = re.search(r"==\s*(\d[\w.]*)", about.groups.get("requirement", ""))
    version = pin.group(1) if pin else about.groups.get("version", "")
    if name and version:
        text = "Ask for an older release, which may have a wheel for this system and processor: %s<%s; or compile it"
        steps.say(text % (name, version), changes="packages")
    else:
        steps.say("Take a release that has a wheel for this system and processor, or compile it from source")
    steps.say("Or use conda-forge, which builds for more platforms, or a container of a platform that has wheels")


def _labelled(about: Situation, steps: Steps, name: str, bounds: str) -> bool:
    """A build with a label (+cu124, +cpu), asked for on a Mac."""
    build = re.search(r"\+(cpu|xpu|(?:cu|rocm)[\d.]+)", about.groups.get("requirement") or about.line)
    if not (about.macos and build) or BUNDLED.project(name) is None:
        return False
    have = about.releases(name, bounds, about.platform, about.python) if about.platform else ()
    if about.platform and not have:
        return False
    text = "+%s names a build for Linux and Windows: on a Mac leave the label out (the one file serves its GPU, too)"
    steps.install(text % build.group(1), "%s%s" % (name, bounds))
    if about.manager in ("uv", "poetry", "pdm") or about.signature.startswith("uv-"):
        steps.say(
            "In a project for several systems, ask for it twice in pyproject.toml: \"%s%s; sys_platform == 'darwin'\" "
            "and the other with sys_platform != 'darwin'" % (name, bounds),
            changes="files",
        )
    return True


def _own_index(about: Situation, steps: Steps) -> None:
    """A release that is there without the label of a build: PyTorch's own index has the labeled ones."""
    name, version, build = about.groups["name"], about.groups["version"], about.groups["label"]
    if about.arch == "aarch64" and build.startswith("cu"):
        _arm_builds(about, steps, name, version)
        return
    url = "https://download.pytorch.org/whl/%s" % build
    steps.install("Ask PyTorch's index for %s" % build, "%s==%s" % (name, version), index_url=url)
    text = "In a file of requirements, put this line above: --extra-index-url %s"
    steps.say(text % url, changes="files")
    steps.say(
        "If it still finds none, that release has no build with +%s: https://pytorch.org/get-started/previous-versions/"
        % build
    )


def _arm_builds(about: Situation, steps: Steps, name: str, version: str) -> None:
    """PyTorch's builds with CUDA for ARM servers: on its own index, since 2.4 (download.pytorch.org/whl/cu124 and later)."""
    url = "https://download.pytorch.org/whl/%s" % arm_index(about)
    text = (
        "%s on ARM: builds with CUDA are on PyTorch's index for cu124 (2.4, 2.5), cu126 (2.6), cu128 and cu130 (later)"
    )
    steps.install("%s. The newest" % (text % name), name, index_url=url)
    steps.say(
        "For an older release (%s): NVIDIA's container (nvcr.io/nvidia/pytorch), which has ARM builds" % version,
        instead=True,
    )


def arm_index(about: Situation) -> str:
    """Return which of PyTorch's indexes serves an ARM server: CUDA 13 for drivers that run it, and for the newest GPUs."""
    driver = about.fact("driver")
    newest_gpu = about.capability in ("11.0", "12.1") or re.search(r"(?i)\bgb10\b|spark|thor", about.known.gpu_name)
    return "cu130" if newest_gpu or (driver and sort_key(driver) >= (580,)) else "cu128"


def _torch_index(about: Situation, steps: Steps, label: str) -> bool:
    """PyTorch's own index has other releases for Macs than for Linux and Windows, which a lock mixes up."""
    index = re.search(r"download\.pytorch\.org/whl/(?:nightly/)?([a-z]+[\d.]*)\b", about.known.index)
    build = index.group(1) if index else ""
    if about.macos and build not in ("", "cpu"):
        text = "PyTorch's index for %s has nothing for Macs: name it for other systems only, then uv lock. In pyproject.toml"
        marker = """[tool.uv.sources] torch = [{ index = "NAME", marker = "sys_platform != 'darwin'" }]"""
        steps.say("%s: %s" % (text % build, marker), changes="files")
        return True
    elsewhere = re.search(r"following platforms?: ((?:`macosx_\w+`(?:, )?)+)$", about.line.strip())
    if not (build and (about.linux or about.windows) and elsewhere and "+" not in label):
        return False
    text = "On that index, %s without a label is the file for Macs; for Linux and Windows it is +%s. Update uv" % (
        label,
        build,
    )
    steps.run("%s, which locks both" % text, "uv self update && uv lock --upgrade-package torch", changes="files")
    steps.say(
        "Or ask for it in pyproject.toml: \"%s+%s; sys_platform != 'darwin'\"" % (label.replace(" ", "=="), build),
        changes="files",
        instead=True,
    )
    return True


def _any_platform(about: Situation, steps: Steps, name: str, bounds: str, label: str) -> None:
    """A system that is not known: for which ones there are wheels, and the newest release for each of the others."""
    have = [platform for platform in PLATFORM_TITLES if about.releases(name, bounds, platform, about.python)]
    if not have:
        if about.releases(name, bounds):
            python_unsupported(about, steps)
        return
    pythons = [about.python] if about.python else sorted(about.pythons(name, bounds), key=sort_key)
    titles = listed([PLATFORM_TITLES[platform] for platform in have])
    text = "%s has wheels for Python %s on %s: see which Python and machine this is"
    steps.run(text % (label, listed(pythons), titles), SHOW_BITS)
    others: Dict[str, List[str]] = {}
    for platform in PLATFORM_TITLES:
        releases = about.releases(name, "", platform, about.python) if platform not in have else ()
        if releases:
            others.setdefault(releases[-1].version, []).append(PLATFORM_TITLES[platform])
    for version, where in others.items():
        text = "On %s the newest is %s" % (listed(where, "or"), version)
        steps.install(text, "%s==%s" % (name, version), instead=True)
    steps.say("Systems with musl (Alpine), 32-bit ones and other processors have none: use another image or machine")


def _either_mac(about: Situation, steps: Steps, name: str, bounds: str) -> None:
    """A Mac whose processor is not known: for which of the two kinds there are wheels."""
    kinds = (("Intel processors", "macos-x86_64"), ("Apple silicon", "macos-arm64"))
    for title, platform in kinds:
        have = about.releases(name, "", platform, about.python)
        if have and not about.releases(name, bounds, platform, about.python):
            text = "On a Mac with %s: %s %s to %s have wheels" % (title, name, have[0].version, have[-1].version)
            steps.install(text, "%s==%s" % (name, have[-1].version))
    steps.run("See which of the two this Python is for (x86_64: Intel)", SHOW_BITS)


def _perhaps_arm(about: Situation, steps: Steps, name: str, bounds: str) -> bool:
    """A Mac that gets none of the wheels there are for one with an Intel processor: most likely it has Apple silicon."""
    if not about.macos or about.arch or about.releases(name, bounds, "macos-arm64", about.python):
        return False
    _either_mac(about, steps, name, bounds)
    if name == "tensorflow":
        _tensorflow_macos(about, steps, bounds)
    return len(steps.fixes) > 1


def _required_environment(about: Situation, steps: Steps) -> None:
    """Let uv lock releases that this system has wheels of."""
    marker = "sys_platform == '%s'" % {"windows": "win32", "macos": "darwin"}.get(about.system or "", "linux")
    if about.macos and about.arch == "x86_64":
        marker += " and platform_machine == 'x86_64'"
    text = "Let uv choose releases that have wheels for this system; in pyproject.toml, then uv lock"
    steps.say('%s: [tool.uv] required-environments = ["%s"]' % (text, marker), changes="files")


def _file_systems(about: Situation, steps: Steps) -> None:
    """TensorFlow's package for cloud storage has wheels for few systems, and each lock takes one release for all."""
    name = "tensorflow-io-gcs-filesystem"
    have = about.releases(name, "", about.platform, about.python) if about.platform else ()
    if about.manager == "uv":
        _required_environment(about, steps)
    if have:
        text = "%s has wheels for %s up to %s" % (name, PLATFORM_TITLES[about.platform], have[-1].version)
        steps.install("%s: take that" % text, "%s==%s" % (name, have[-1].version))
    elif about.platform:
        steps.say("No release of %s has a wheel for %s" % (name, PLATFORM_TITLES[about.platform]))
    steps.say("Or use Python 3.12 or later with TensorFlow 2.16 or later, which does without it there", instead=True)


def _no_or_other(about: Situation, steps: Steps, name: str, bounds: str, label: str) -> None:
    fits = about.releases(name, bounds, about.platform, about.python)
    newest_here = about.releases(name, "", about.platform)
    if about.signature.startswith("conda-") and fits:
        text = "conda's channels have none for %s; pip has wheels, for the environment of conda"
        steps.install(text % PLATFORM_TITLES[about.platform], "%s%s" % (name, bounds))
    elif not about.releases(name, bounds, about.platform):
        _no_platform(about, steps, name, bounds, label)
    elif not bounds and newest_here[-1].version != about.releases(name)[-1].version:
        _no_platform(about, steps, name, bounds, "%s %s" % (name, about.releases(name)[-1].version))
    elif about.python and not about.releases(name, bounds, about.platform, about.python):
        python_unsupported(about, steps)
    elif about.groups.get("platform") or about.groups.get("tag"):
        newer = about.releases(name, "", about.platform, about.python)
        where = PLATFORM_TITLES[about.platform]
        steps.install(
            "That file is for another Python or system; let pip choose the one for %s" % where,
            "%s==%s" % (name, newer[-1].version) if newer else name,
        )
    elif fits and "istribution found for" in about.line:
        text = "It has wheels for %s from %s on; if pip does not find them, update pip first"
        steps.install(
            text % (PLATFORM_TITLES[about.platform], newest_here[0].version), "%s==%s" % (name, fits[-1].version)
        )


def _sixty_four(about: Situation, steps: Steps, name: str, bounds: str) -> None:
    """A 32-bit Python: which 64-bit one, and what to install into it."""
    if about.known.architecture != "x86":  # as a refused file lets suspect
        _of_another_processor(about, steps)
        return
    where = "windows-amd64" if about.windows else ""
    if not bounds and name in about.known.sought:
        bounds = wildcard("==" + about.known.sought[name])
    if _ended(name, bounds):
        name, bounds = "tensorflow", "==2.10.*"  # the last one with CUDA on native Windows
    pythons = about.pythons(name, known_specifier(bounds), where)
    if bounds and not pythons:  # a candidate of a release, whose files are gone, or no release at all
        bounds = re.sub(r"\.?(?:a|b|rc|dev)\d+$", "", bounds)
        pythons = about.pythons(name, known_specifier(bounds), where)
        bounds = bounds if pythons else ""
    version = pythons[0] if pythons else "3.12"
    version = about.python if about.python in pythons else version
    text = "Install a 64-bit (x64) Python %s: there are no wheels for 32-bit Python" % version
    if about.windows:
        if "conda" in about.words:
            text = "Install the 64-bit Miniconda: conda's Python has as many bits as the installer"
            steps.run(text, "winget install --id Anaconda.Miniconda3 --architecture x64 -e", changes="system")
        else:
            steps.run(text, "winget install --id Python.Python.%s --architecture x64 -e" % version, changes="system")
        requirement, asked = "%s%s" % (name, bounds) if name else "tensorflow", asked_index(about)
        if "webui" in about.words or "launch_utils.py" in " ".join(about.known.frames):
            text = (
                "Delete the program's folder venv, let PYTHON in webui-user.bat name the new python.exe, and start it"
            )
            steps.say(text, changes="files")
            return
        index = ["--index-url", "https://download.pytorch.org/whl/%s" % asked] if asked and name == "torch" else []
        steps.new_environment("Make an environment with it", version, [requirement, *index])
    else:
        steps.say(text)


def framework_missing(about: Situation, steps: Steps) -> None:
    """Nothing is installed, or not into the Python that runs."""
    module = about.groups.get("module", "")
    name = {"": about.framework}.get(module, distribution_of(module))
    if "sudo" in about.words:
        text = "sudo runs the system's Python, not the environment's: repeat without sudo what failed, or what installed it"
        steps.say(text, changes="packages")
    if about.known.architecture == "x86":
        _sixty_four(about, steps, name or "tensorflow", "")
        return
    if about.jetson and name in ("tensorflow", "torch"):
        _jetson(about, steps)
        return
    if about.signature == "zsh-no-matches":
        steps.install("Put it in quotes", about.groups["requirement"])
    elif "externally-managed" in about.line or about.signature == "pip-externally-managed":
        text = "The system's Python is the system's own: make an environment, and install there"
        steps.run(text, "python3 -m venv env && env/bin/python -m pip install %s" % (name or "NAME"), changes="files")
    elif not name:
        steps.say(
            "Install the framework that the program uses with the very Python that runs it: python -m pip install NAME"
        )
        steps.run("See which Python that is", "python -m pip --version")
    else:
        _install_missing(about, steps, name)


def _for_another_python(about: Situation, steps: Steps, name: str) -> None:
    text = "%s %s is installed, for another Python than the one that runs this: run the program with that one; in a "
    text += "notebook, choose its kernel (python -m ipykernel install --user)"
    steps.say(text % (name, about.packages[name]))


def _install_missing(about: Situation, steps: Steps, name: str) -> None:
    known = bool(BUNDLED.project(name) and about.python)
    if known and not about.releases(name, "", about.platform, about.python):
        if (name, about.python, about.windows) == ("tensorflow", "2.7", False):
            steps.run("TensorFlow 2.1 is the last for Python 2.7", "python -m pip install tensorflow==2.1.0")
        python_unsupported(about, steps)
        return
    requirement = _gpu_requirement(about, name)
    if name == "keras" and about.framework == "tensorflow" and about.is_at_least("2.16") is False:
        requirement = "keras==%s.*" % minor_of(about.version)
    others = [item for item in ("torch", "jax") if item in about.packages]
    if name == "tensorflow" and others and _backend_of_keras(about, steps, others[0], requirement):
        return
    of_keras3 = name == "tensorflow" and any(re.search(r"[\\/]keras[\\/]src[\\/]", path) for path in about.known.frames)
    backends = others or [item for item in ("torch", "jax") if item in about.words]
    if of_keras3 and backends:
        steps.set("Tell Keras which framework is installed: it takes TensorFlow unasked", "KERAS_BACKEND", backends[0])
    elif name == "tensorflow" and "keras" in about.line.lower() + about.groups.get("path", ""):
        steps.say("Keras computes with TensorFlow, JAX or PyTorch: install one of them; KERAS_BACKEND names which")
    compiled = next(
        (item for item in ("flash-attn", "mamba-ssm", "auto-gptq") if item in about.words), about.known.sdist
    )
    there = name == "torch" and "isolated-build" in about.words and "torch" in about.packages
    if {"conda-create", "jupyter"} <= about.words:
        text = "The notebook's kernel is not that of the conda environment (ENV): make it one, and choose it in the notebook"
        steps.run(text, "conda install -n ENV ipykernel", changes="packages")
        steps.run("Then", "conda run -n ENV python -m ipykernel install --user --name ENV", changes="packages")
    elif about.packages.get(name) and name != "keras":
        _for_another_python(about, steps, name)
    if "jupyter" in about.words:
        steps.say("In a notebook: %%pip install %s in a cell, then restart the kernel" % name)
    if not there:
        _install_for_the_program(about, steps, name, requirement)
    if name == "torch" and (compiled or there):
        compiled = compiled or "PACKAGE"
        text = "%s is compiled with the installed PyTorch, which pip's isolated build does not see" % compiled
        if about.windows:
            text += " (on Windows that takes CUDA's toolkit and Visual Studio; a wheel for this PyTorch and Python does not)"
        steps.run(text, "python -m pip install %s --no-build-isolation" % compiled, changes="packages")
        if there:
            return
    if of_keras3:
        text = "Or, with JAX or PyTorch installed, set KERAS_BACKEND to jax or torch before Keras is imported"
        steps.say(text, changes="variables", instead=True)
    text = "If it is installed already, see for which Python (for this one: add --force-reinstall above)"
    steps.run(text, "python -m pip --version")


def _backend_of_keras(about: Situation, steps: Steps, backend: str, requirement: str) -> bool:
    """Let Keras 3 compute with the backend that is installed; False where the program itself imports TensorFlow."""
    own = "traceback" in about.words and "keras" not in about.words
    if own or not about.packages.get("keras", "").startswith("3"):
        return False
    if about.known.environment.get("KERAS_BACKEND") != backend:
        steps.set("Tell Keras which backend is there, before it is imported", "KERAS_BACKEND", backend)
    steps.upgrade("The first releases of Keras 3 import TensorFlow under every backend: update Keras", "keras")
    steps.install("Or install TensorFlow as well", requirement, instead=True)
    return True


def _install_for_the_program(about: Situation, steps: Steps, name: str, requirement: str) -> None:
    """Install with the interpreter that runs the program, which may be another one than that of ``pip``."""
    runs, pip = about.known.interpreter, about.known.pip_python
    text = "Install %s with the same Python that runs the program" % name
    if pip and about.python and pip != about.python:
        text += ": that is %s, and pip installed for %s" % (about.python, pip)
    if re.match(r"[\w./\\:-]+$", runs) and not re.search(r"(?i)[\\/](?:home|users)[\\/]", runs):
        steps.run(text, '%s -m pip install "%s"' % (runs, requirement), changes="packages")
    else:
        # The registry's wheel for Windows is the one for the CPU.
        wanted = "nvidia" in about.known.vendors or about.words & {"flash-attn", "mamba-ssm", "auto-gptq"}
        best = about.common_index("") if name == "torch" and about.windows and wanted else None
        if best is not None and not about.capability:
            text += " (RTX 50: cu128 in place of %s)" % best.url.rpartition("/")[2]
        steps.install(text, requirement, index_url=best.url if best is not None else "")
    if runs:
        steps.say(
            "Or choose, in the editor, the interpreter for which it is installed (PyCharm: Settings, Python Interpreter; "
            "Visual Studio Code: Python: Select Interpreter)"
        )


def _gpu_requirement(about: Situation, name: str) -> str:
    linux = about.linux and not about.jetson and about.arch in ("", "x86_64")
    if name == "tensorflow" and linux and "nvidia" in about.known.vendors:
        return about.tensorflow_with_cuda(python=about.python)[0]
    if name == "jax" and linux and "nvidia" in about.known.vendors and (about.compute_capability or (9, 0)) >= (5, 0):
        return "jax[cuda12]"
    return name


def last_with_cuda(about: Situation, steps: Steps, text: str, remove: Sequence[str] = ()) -> None:
    """Add the last TensorFlow with CUDA on native Windows; it has wheels for a few Pythons, and pip may be of another."""
    if (about.compute_capability or (0, 0)) >= (10, 0):
        return  # CUDA 11.2 is older than these GPUs
    if about.python:
        steps.install(text, "tensorflow==2.10.1", remove=remove, instead=True)
    else:
        steps.new_environment(text, "3.10", ["tensorflow==2.10.1"], instead=True)


def tensorflow_gpu_removed(about: Situation, steps: Steps) -> None:
    """The distribution tensorflow-gpu ended with 2.11."""
    if about.windows and about.packages.get("tensorflow-gpu", "").startswith("2.10"):
        text = "Keep the tensorflow-gpu %s that is there: no later TensorFlow has a GPU on native Windows"
        steps.say(text % about.packages["tensorflow-gpu"], changes="packages")
        text = "For a newer one, use WSL 2"
        steps.run(text, "wsl --install", on="windows", who="admin", changes="system", instead=True)
        return
    if "conda-file" in about.words:
        right = "" if about.windows or about.macos else "[and-cuda] (without an NVIDIA GPU: tensorflow)"
        steps.say("In the environment's file, write tensorflow%s in place of tensorflow-gpu" % right, changes="files")
        return
    if about.windows and ("nvidia" in about.known.vendors or about.known.toolkit_stated):
        steps.run("Use WSL 2, where current TensorFlow has CUDA", "wsl --install", on="windows", changes="system")
        steps.add(tensorflow_in_wsl(about))
        last_with_cuda(about, steps, "Or TensorFlow 2.10 on native Windows, with CUDA 11.2 and cuDNN 8.1")
        steps.install("Or TensorFlow for the CPU", "tensorflow", instead=True)
        return
    if about.windows:
        steps.install("Install tensorflow; on native Windows it computes on the CPU from 2.11 on", "tensorflow")
        text = (
            "For an NVIDIA GPU on native Windows: TensorFlow 2.10 (Python 3.7 to 3.10, CUDA 11.2, cuDNN 8.1), or WSL 2"
        )
        if about.vendor in ("", "nvidia"):
            steps.install(text, "tensorflow==2.10.1", instead=True)
        return
    cuda = not about.macos and about.arch in ("", "x86_64") and not about.jetson and about.vendor in ("", "nvidia")
    what = about.tensorflow_with_cuda(python=about.python) if cuda else ("tensorflow",)
    text = (
        "Install tensorflow, on Linux with its CUDA libraries"
        if cuda
        else "Install tensorflow, the one name for all builds"
    )
    pythons = about.pythons("tensorflow", ">=2.14" if cuda else "", about.platform)
    if about.python and pythons and about.python not in pythons:
        steps.new_environment("%s, in an environment with a newer Python" % text, pythons[0], what)
    else:
        steps.install(text, *what)


def rosetta_python(about: Situation, steps: Steps) -> None:
    """An Intel Python on Apple silicon."""
    name = about.framework if about.framework in ("tensorflow", "torch", "jax") else ""
    asked, bounds = _asked(about)  # the release that is asked for, else the installed one
    if not bounds and about.version and name == about.distribution:
        asked, bounds = name, "==" + about.version.partition("+")[0]
    pythons = about.pythons(asked, known_specifier(bounds), "macos-arm64") if bounds else ()
    pythons = pythons or (about.pythons(name, "", "macos-arm64") if name else PYTHONS[:7])
    if about.signature.endswith("-arm") and re.search(r"-packages/tensorflow/", about.line):
        keep = same_release(about)
        bounds = requirement_of(keep)[1]
        keep = keep if about.releases("tensorflow", bounds, "macos-arm64", about.python) else "tensorflow"
        if about.releases("tensorflow", "", "macos-arm64", about.python):
            text = "This Python is for arm64, and the TensorFlow is for Intel: uninstall it, and install it with this Python"
            steps.install(text, keep, remove=[item for item in about.packages if item in TENSORFLOW_OWNERS] or [name])
    steady = [item for item in (about.python, "3.12", "3.11", "3.10", *pythons) if item in pythons]
    python = (steady or ["3.12"])[0]
    steps.run(
        "Make an environment with a native Python for arm64 (Apple silicon), and install everything again in it",
        "uv venv --python cpython-%s-macos-aarch64" % python,
        changes="files",
        instead=bool(steps.fixes),
    )
    have = about.releases(asked, "", "macos-arm64", python) if bounds else ()
    if have and not about.releases(asked, known_specifier(bounds), "macos-arm64", python):
        old, new = have[0].version, have[-1].version
        text = "In it: %s %s to %s have wheels for Apple silicon, not %s" % (asked, old, new, bounds.lstrip("="))
        steps.run(text, "uv pip install %s==%s" % (asked, new), changes="packages")
    steps.say("Or install Miniforge for arm64; a terminal that is opened with Rosetta starts the Intel Python again")
    steps.run("It should print arm64", 'python -c "import platform; print(platform.machine())"')
