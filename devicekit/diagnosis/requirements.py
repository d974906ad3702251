"""Requirements as metadata state them: whether they hold on the examined machine, and better bounds. Pure."""

from ..matrix.bounds import allowed
from ..matrix.matrix import minor_of, normal_name
from .view import View


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
