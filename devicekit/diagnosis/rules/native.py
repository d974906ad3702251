"""What a wheel needs of the C library and the Visual C++ runtime before it can be loaded at all."""

import re
from typing import Iterable, List, Optional, Sequence, Tuple

from ...machine.facts import Distribution
from ...matrix.matrix import version_at_least
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind
from ..frameworks import TITLES
from ..install_fixes import replace_by_goal
from ..view import View
from .registry import rule


@rule("msvc-runtime-missing", hidden_by=("python-unsupported", "platform-unsupported"))
def msvc_runtime_missing(view: View) -> Iterable[Finding]:
    """Windows without the Visual C++ runtime libraries that TensorFlow's extension is linked with."""
    native, version = view.machine.native, view.tensorflow_version
    if native.system != "windows" or not view.has_tensorflow or version is None:
        return
    needed = ["msvcp140.dll", "vcruntime140.dll"]
    if version_at_least(version, "2.1"):  # built with Visual Studio 2019 from then on
        needed += ["msvcp140_1.dll", "vcruntime140_1.dll"]
    found = native.msvc.value or ()
    names = {item.name.lower() for item in found}
    missing = [name for name in needed if name not in names]
    if not missing:
        return
    yield Kind("msvc-runtime-missing", "error", ("tensorflow",), pages.MSVC).finding(
        "%s cannot be imported: the Visual C++ runtime lacks %s." % (view.tensorflow_label, " and ".join(missing)),
        tuple(Evidence("%s not found" % name, native.msvc.source) for name in missing)
        + tuple(Evidence("%s is there" % item.name, item.path) for item in found[:2]),
        (
            view.shell.windows_fix(
                "Install Microsoft's Visual C++ Redistributable for x64",
                ("winget", "install", "--id", "Microsoft.VCRedist.2015+.x64", "--exact"),
            ),
            Fix(
                "Download it from https://aka.ms/vs/17/release/vc_redist.x64.exe and run it",
                who="admin",
                changes="system",
                instead=True,
            ),
        ),
    )


@rule("system-library-too-old", hidden_by=("python-unsupported", "platform-unsupported"))
def system_library_too_old(view: View) -> Iterable[Finding]:
    """A glibc older than the wheel was built for, or a variable that leads to an older libstdc++ than the system's."""
    native = view.machine.native
    if native.system != "linux":
        return
    yield from _older_libstdcxx(view)
    libc = (native.libc.value or "").split()
    if len(libc) != 2 or libc[0] != "glibc":
        return
    python = view.machine.python
    for owner in filter(None, (view.tensorflow, python.distribution("jaxlib"))):
        needed = _needed_glibc(owner)
        if needed is None or version_at_least(libc[1], needed) is not False:
            continue
        tensorflow = owner is view.tensorflow
        yield Kind("system-library-too-old", "error", ("tensorflow",) if tensorflow else ("jax",), pages.GLIBC).finding(
            "%s %s cannot be imported: it needs glibc %s or later, and this system has %s."
            % (owner.name, owner.version.or_none() or "", needed, libc[1]),
            (
                Evidence("glibc %s" % libc[1], native.libc.source),
                Evidence(", ".join(owner.platform_tags), "%s/WHEEL" % owner.location),
            ),
            _older(view)
            if tensorflow
            else (view.shell.install_fix("Install a jaxlib for this system", "jax", "jaxlib"),),
        )
    if view.has_tensorflow or python.distribution("jax", "torch"):
        return
    needed = _least_glibc(view)
    if needed is not None:
        yield Kind("system-library-too-old", "error", ("tensorflow", "keras"), pages.GLIBC).finding(
            "No TensorFlow wheel for Python %s supports this system's glibc %s: %s or later is needed."
            % (python.version, libc[1], needed),
            (Evidence("glibc %s" % libc[1], native.libc.source),),
            (
                Fix("Use a newer system or container image", changes="system"),
                view.shell.run_fix(
                    "See which Python and releases fit this system", "devicekit", "resolve", "cpu", instead=True
                ),
            ),
        )


def _older_libstdcxx(view: View) -> Iterable[Finding]:
    """LD_LIBRARY_PATH leads to a libstdc++ without versions of symbols that a framework was linked with."""
    library = view.machine.native.cxx.or_none()
    if library is None or not library.lacking:
        return
    frameworks = [need.framework for need in library.lacking]
    blocks = tuple(frameworks)
    folder = library.path.rpartition("/")[0]
    kept = [part for part in (view.machine.process.env("LD_LIBRARY_PATH") or "").split(":") if part]
    kept = [part for part in kept if part.rstrip("/") != folder]
    text = "Take the folder out of LD_LIBRARY_PATH: the system has a newer libstdc++"
    yield Kind("system-library-too-old", "error", blocks).finding(
        "%s cannot be imported: LD_LIBRARY_PATH leads to a libstdc++ that is too old, %s."
        % (" and ".join(TITLES[name] for name in frameworks), library.path),
        tuple(Evidence("%s is needed and not in it" % need.version, need.path) for need in library.lacking),
        (view.shell.only_folders_fix(text, "LD_LIBRARY_PATH", kept),),
    )


#: The names that the tags had before PEP 600.
_OLD_TAGS = {"manylinux1": "2.5", "manylinux2010": "2.12", "manylinux2014": "2.17"}


def _needed_glibc(owner: Distribution) -> Optional[str]:
    """The oldest glibc that one of a wheel's platform tags allows, None if they do not say."""
    found: List[Tuple[int, int]] = []
    for tag in owner.platform_tags:
        match = re.match(r"manylinux_(\d+)_(\d+)_", tag)
        old = _OLD_TAGS.get(tag.partition("_")[0])
        if match is not None:
            found.append((int(match.group(1)), int(match.group(2))))
        elif old is not None:
            found.append((int(old.partition(".")[0]), int(old.partition(".")[2])))
    return "%d.%d" % min(found) if found else None


def _older(view: View) -> Sequence[Fix]:
    goal = "cuda" if view.uses_cuda and "nvidia" in view.target.vendors else "cpu"
    name = "tensorflow" if goal == "cuda" else "tensorflow-cpu"
    return replace_by_goal(view, "Install the newest TensorFlow that supports this system's glibc", goal, name)


def _least_glibc(view: View) -> Optional[str]:
    """The oldest glibc with which a wheel installs on this Python, None if one does already, or where none ever would."""
    project = view.matrix.project("tensorflow")
    here = view.target
    anywhere = here.replace(libc=None)
    least: List[Tuple[int, int]] = []
    for version in reversed(project.versions if project is not None else ()):
        release = project.release(version) if project is not None else None
        for build in release.builds if release is not None else ():
            for platform, pythons in build.wheels:
                match = re.match(r"manylinux_(\d+)_(\d+)_", platform)
                if match is None or not any(here.takes_python(tag) for tag in pythons):
                    continue
                if here.takes_platform(platform):
                    return None
                if anywhere.takes_platform(platform):
                    least.append((int(match.group(1)), int(match.group(2))))
    return "%d.%d" % min(least) if least else None
