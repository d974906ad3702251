"""What a release needs: what its metadata require here, and what it imports, whatever they say. Pure."""

from typing import List, NamedTuple

from ...matrix.bounds import allowed
from ...matrix.matrix import accepts, bare_name, minor_of, normal_name
from ...matrix.tables import ImportNeed
from ..view import View

#: Import packages whose name is not the distribution's with underscores.
_IMPORT_NAMES = {"absl-py": "absl", "dm-tree": "tree", "google-pasta": "pasta", "protobuf": "google.protobuf"}


class Unmet(NamedTuple):
    """A need that does not hold. ``state``: "missing" or "wrong"."""

    text: str
    state: str
    need: ImportNeed


def installed(view: View, name: str) -> bool:
    """Return whether a distribution is there, with metadata or without."""
    python = view.machine.python
    if python.distribution(name) is not None:
        return True
    # Installed without metadata (a system package, a copied folder): the import finds it all the same.
    import_name = _IMPORT_NAMES.get(name, name.replace("-", "_"))
    package = python.package(import_name)
    return package is not None and package.kind != "namespace"


def _state(view: View, text: str) -> str:
    """Say of a requirement: "fits", "missing", "wrong", or "unknown"."""
    name = normal_name(text)
    if not installed(view, name):
        return "missing"
    version = view.machine.python.version_of(name)
    bounds = text[len(bare_name(text)) :]
    if not bounds or version is None:
        return "fits" if not bounds else "unknown"
    return "wrong" if accepts(bounds, version) is False else "fits"


def unmet(view: View, project: str, version: str, backend: str = "") -> List[Unmet]:
    """Return what of the known needs of an installed release does not hold here.

    ``backend``: the one that Keras would take; needs of other backends do not count.
    """
    found = []
    for need in view.matrix.imports(project, version, view.machine.python.version):
        if need.backend and need.backend != backend:
            continue
        for text in need.needs:
            state = _state(view, text)
            if state in ("missing", "wrong"):
                found.append(Unmet(text, state, need))
    return found


def bounded(view: View, requirement: str) -> str:
    """Put what a release can really load in place of what it declares: its metadata often has no upper bound."""
    name, version = normal_name(requirement), view.tensorflow_version
    bounds = allowed(view.matrix, "tensorflow", version, view.machine.python.version, name) if version else ""
    return name + bounds if bounds else requirement


def applies(text: str, view: View) -> bool:
    """Return whether a requirement holds here."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(text)
    except InvalidRequirement:  # some old wheels have such: nothing can be said of it
        return False
    if requirement.marker is None:
        return True
    python, native = view.machine.python, view.machine.native
    environment = {
        "python_version": minor_of(python.version),
        "python_full_version": python.version,
        "sys_platform": {"windows": "win32", "macos": "darwin"}.get(native.system, native.system),
        "platform_system": {"windows": "Windows", "macos": "Darwin"}.get(native.system, "Linux"),
        "os_name": "nt" if native.system == "windows" else "posix",
        "platform_machine": python.architecture,
        "implementation_name": python.implementation,
        "platform_python_implementation": "CPython" if python.implementation == "cpython" else python.implementation,
        "extra": "",
    }
    return requirement.marker.evaluate(environment)
