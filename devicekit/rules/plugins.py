"""Pluggable devices: libraries that TensorFlow loads at its import, wherever they come from."""

from typing import Iterable

from ..findings import Evidence, Finding, Fix, LazyFixes
from . import UNLOADABLE, rule
from .mending import replace_by_goal
from .view import View

#: What makes the TensorFlow package itself unusable, so that its plug-ins do not matter.
_BROKEN = ("framework-missing", "python-unsupported", "install-corrupt", "module-shadowed", *UNLOADABLE)

#: Libraries that Intel's oneAPI brings.
_ONEAPI = ("libimf", "libsycl", "libsvml", "libmkl", "libintlc")

#: What a library of each system begins with.
_FORMATS = {"linux": "elf", "windows": "pe", "macos": "macho"}


def damaged_plugins(view: View) -> Iterable[Finding]:
    """Files in ``tensorflow-plugins`` that are no libraries of this system: TensorFlow's import fails on them."""
    expected = _FORMATS.get(view.machine.native.system)
    for item in view.machine.python.plugins.or_none() or ():
        if item.format == expected:
            continue
        what = "is empty" if item.format == "empty" else "is no library of this system"
        yield Finding(
            "install-corrupt",
            "error",
            "TensorFlow loads every file in the folder tensorflow-plugins at its import, and %s %s."
            % (item.path.replace("\\", "/").rpartition("/")[2], what),
            (Evidence("%s, %d bytes" % (what, item.size_bytes), item.path),),
            (Fix("Delete the file, or write the plug-in that it belongs to anew"),),
            ("tensorflow",),
        )


def lacking_plugins(view: View) -> Iterable[Finding]:
    """Plug-ins that need libraries which the loader would not find: TensorFlow's import fails on them."""
    for item in view.machine.python.plugins.or_none() or ():
        if not item.missing_libraries or "tfdml_plugin" in item.path:
            continue
        name = item.path.rpartition("/")[2]
        oneapi = any(text.startswith(_ONEAPI) for text in item.missing_libraries)
        fix = Fix("Install the libraries that it needs, or remove the plug-in", view.uninstall(*_owner(view, name)))
        first = Fix("Install Intel's oneAPI and load it in this shell", "source /opt/intel/oneapi/setvars.sh")
        yield Finding(
            "dependency-incompatible",
            "error",
            "The plug-in %s needs %s, which the loader does not find; TensorFlow itself then cannot be imported."
            % (name, ", ".join(item.missing_libraries[:4])),
            tuple(Evidence("%s not found" % text, item.path) for text in item.missing_libraries[:4]),
            (first, fix) if oneapi else (fix,),
            ("tensorflow",),
        )


def _owner(view: View, name: str) -> Iterable[str]:
    installed = [item.name for item in view.machine.python.distributions.or_none() or ()]
    if "itex" in name:
        return [item for item in installed if item.startswith("intel-extension-for-tensorflow")]
    return [item for item in installed if item.endswith("-plugin")] or ["PLUGIN"]


@rule("plugin-version-mismatch", hidden_by=_BROKEN)
def plugin_version_mismatch(view: View) -> Iterable[Finding]:
    """The DirectML plug-in beside another TensorFlow than the one that it was built for."""
    plugin = view.machine.python.distribution("tensorflow-directml-plugin")
    version = view.tensorflow_version
    if plugin is None or version is None:
        return
    row = next(item for item in view.matrix.directml() if item.distribution == "tensorflow-directml-plugin")
    if view.matrix.tensorflow(version) == view.matrix.tensorflow(row.tensorflow):
        return
    otherwise = ("tensorflow-cpu==%s.0" % row.tensorflow, "numpy<2")
    yield Finding(
        "plugin-version-mismatch",
        "error",
        "tensorflow-directml-plugin %s was built for TensorFlow %s; beside %s, TensorFlow itself cannot be imported."
        % (plugin.version.or_none() or "", row.tensorflow, view.tensorflow_label),
        (Evidence("tensorflow-directml-plugin", plugin.location), Evidence(view.tensorflow_label)),
        LazyFixes(
            lambda: (
                *replace_by_goal(view, "Install the TensorFlow that it was built for", "directml", *otherwise),
                Fix("Or remove the plug-in", view.uninstall("tensorflow-directml-plugin")),
            )
        ),
        ("tensorflow",),
    )
