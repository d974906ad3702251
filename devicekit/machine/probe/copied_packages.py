"""Packages without metadata: copied folders, vendored ones, images whose ``.dist-info`` folders were deleted to save space.

The import finds them all the same, so their versions matter: they are read from the packages' own files.
"""

import re
from typing import List, Optional, Tuple

from ..facts import Distribution, Fact, ImportPackage
from ..host import Host

#: Import package: its distribution, and the files that can name the version, the likeliest first.
_FILES = {
    "numpy": ("numpy", ("version.py", "_version.py")),
    "google.protobuf": ("protobuf", ("__init__.py",)),
    "keras": ("keras", ("src/version.py", "src/__init__.py", "__init__.py")),
    "tf_keras": ("tf-keras", ("src/__init__.py", "__init__.py")),
    "h5py": ("h5py", ("version.py",)),
    "ml_dtypes": ("ml-dtypes", ("__init__.py",)),
    "jax": ("jax", ("version.py",)),
    "jaxlib": ("jaxlib", ("version.py",)),
    "torch": ("torch", ("version.py",)),
    "scipy": ("scipy", ("version.py",)),
    "flatbuffers": ("flatbuffers", ("_version.py",)),
    "optree": ("optree", ("version.py",)),
    "tensorboard": ("tensorboard", ("version.py",)),
}

_VERSION = re.compile(
    r"""^\s*["']?_*(?:(?:full_|short_)?version|VERSION)_*["']?(?:\s*:\s*\w+)?\s*[:=]\s*["'](\d[\w.+-]*)["']""", re.M
)


def parse_version(text: str) -> Optional[str]:
    """Return the first version that a module assigns, None if it assigns none.

    ::

        short_version = "1.26.4"
        __version__ = '4.25.8'
        _version = "0.6.2"
        "version": "1.21.6"
    """
    match = _VERSION.search(text)
    return match.group(1) if match is not None else None


def versions_without_metadata(
    host: Host, packages: Tuple[ImportPackage, ...], distributions: Tuple[Distribution, ...]
) -> Tuple[Tuple[ImportPackage, ...], Tuple[Distribution, ...]]:
    """Return the packages, copies of real ones marked as such, and a distribution for each copy without metadata."""
    known: List[ImportPackage] = []
    found: List[Distribution] = []
    for package in packages:
        name, files = _FILES.get(package.name, ("", ()))
        folders = [item.location.rpartition(host.path.sep)[0] for item in distributions if item.name == name]
        # Several in one folder: an interrupted upgrade left the metadata of the old release.
        # The project in which one works is no copy of a release, whatever its name is.
        local = package.path_entry == host.scrub(host.interpreter.cwd)
        if name and package.kind == "package" and not local and folders.count(package.path_entry) != 1:
            version, source = _read(host, package.location, files)
            if version:
                found.append(Distribution(name=name, version=Fact.of(version, source), location=package.location))
                package = package.replace(in_site=True)
        known.append(package)
    return tuple(known), tuple(found)


def _read(host: Host, location: str, files: Tuple[str, ...]) -> Tuple[str, str]:
    for name in files:
        path = host.join(host.expand(location), *name.split("/"))
        version = parse_version(host.text_or_none(path, 64 << 10) or "")
        if version is not None:
            return version, host.scrub(path)
    return "", ""
