"""Pluggable devices: libraries that TensorFlow loads at its import, wherever they come from."""

import re
from typing import Iterable, Tuple

from ...machine.facts import PlatformFacts
from ...matrix.matrix import accepts, version_at_least
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind, LazyFixes
from ..install_fixes import replace_by_goal
from ..view import View
from .directml_others import torch_directml_mismatch
from .jax_plugins import jax_mismatch
from .metal import jax_metal_mismatch
from .oneapi import DRIVER_LIBRARIES, oneapi_fixes
from .registry import BROKEN_INSTALL, rule

#: Libraries that Intel's oneAPI brings.
_ONEAPI = ("libimf", "libsycl", "libsvml", "libmkl", "libintlc")

#: What a library of each system begins with.
FORMATS = {"linux": "elf", "windows": "pe", "macos": "macho"}


def damaged_plugins(view: View) -> Iterable[Finding]:
    """Files in ``tensorflow-plugins`` that are no libraries of this system: TensorFlow's import fails on them."""
    expected = FORMATS.get(view.machine.native.system)
    for item in view.machine.python.plugins.or_none() or ():
        if item.format == expected:
            continue
        what = "is empty" if item.format == "empty" else "is not a library for this system"
        yield Kind("install-corrupt", "error", ("tensorflow",)).finding(
            "TensorFlow cannot be imported: it loads every file in the folder tensorflow-plugins, and %s %s."
            % (item.path.replace("\\", "/").rpartition("/")[2], what),
            (Evidence("%s, %d bytes" % (what, item.size_bytes), item.path),),
            (Fix("Delete the file, or reinstall the plug-in it belongs to", changes="files", undoable=False),),
        )


def lacking_plugins(view: View) -> Iterable[Finding]:
    """Plug-ins that need libraries that the dynamic linker would not find: TensorFlow's import fails on them."""
    plugins = view.machine.python.plugins
    extension = view.machine.python.distribution("intel-extension-for-tensorflow")
    for item in (plugins.value if extension is not None else plugins.or_none()) or ():
        missing = item.missing_libraries
        if "libitex" in item.path and view.vendor("intel"):  # what its GPU's driver lacks is a finding of its own
            missing = tuple(text for text in missing if text not in DRIVER_LIBRARIES)
        if not missing or "tfdml_plugin" in item.path:
            continue
        name = item.path.rpartition("/")[2]
        oneapi = any(text.startswith(_ONEAPI) for text in missing)
        text = "Uninstall the plug-in" if oneapi else "Install the missing libraries, or uninstall the plug-in"
        fix = view.shell.uninstall_fix(text, *_owner(view, name), instead=oneapi)
        yield Kind("dependency-incompatible", "error", ("tensorflow",)).finding(
            "TensorFlow cannot be imported: libraries of its plug-in %s are missing (%s)."
            % (name, ", ".join(missing[:4])),
            tuple(Evidence("%s not found" % text, item.path) for text in missing[:4]),
            (*oneapi_fixes(view, missing), fix) if oneapi else (fix,),
        )


def _owner(view: View, name: str) -> Iterable[str]:
    installed = [item.name for item in view.machine.python.distributions.or_none() or ()]
    if "itex" in name:
        return [item for item in installed if item.startswith("intel-extension-for-tensorflow")]
    return [item for item in installed if item.endswith("-plugin")] or ["PLUGIN"]


@rule("plugin-version-mismatch", hidden_by=BROKEN_INSTALL)
def plugin_version_mismatch(view: View) -> Iterable[Finding]:
    """A plug-in with another TensorFlow than the one it was built for; torch-directml with another torch."""
    yield from torch_directml_mismatch(view)
    yield from jax_mismatch(view)
    yield from jax_metal_mismatch(view)
    version = view.tensorflow_version
    if version is None:
        return
    for name, goal in _PLUGINS:
        plugin = view.machine.python.distribution(name)
        release = plugin.version.or_none() or "" if plugin is not None else ""
        built = _built_for(view, name, release)
        if plugin is None or not built or accepts(built, version) is not False:
            continue
        if name == "intel-extension-for-tensorflow" and not view.machine.python.plugins.value:
            continue  # without its library, an extra of the distribution, nothing loads it
        loads = built if goal == "directml" else view.matrix.plugin_loads(name, release)
        fails = accepts(loads, version) is False if loads else None
        if fails is False and goal == "metal":
            continue  # many use it so
        otherwise = "tensorflow" + built
        if goal == "directml":
            otherwise = "tensorflow-cpu" + built.replace("*", "0")
        words = "%s %s is for TensorFlow %s" % (name, release, _in_words(built))
        if fails:
            words += "; with it, %s cannot be imported." % view.tensorflow_label
        elif fails is None:
            words += "; whether %s can be imported with it is unknown." % view.tensorflow_label
        else:
            words += "; it loads in %s, but that combination is not supported." % view.tensorflow_label
        blocks = ("tensorflow",) if fails else ()
        yield Kind("plugin-version-mismatch", "error" if fails else "warning", blocks).finding(
            words,
            (Evidence(name, plugin.location), Evidence(view.tensorflow_label)),
            _other_tensorflow(view, name, goal, otherwise),
        )
        return


def _other_tensorflow(view: View, name: str, goal: str, otherwise: str) -> LazyFixes:
    return LazyFixes(
        lambda: (
            *replace_by_goal(view, "Install the TensorFlow it was built for", goal, otherwise, "numpy<2"),
            view.shell.uninstall_fix("Uninstall the plug-in", *_with_library(view, name), instead=True),
        )
    )


def _with_library(view: View, name: str) -> Tuple[str, ...]:
    """A plug-in's distribution, and the one that has its library (``intel-extension-for-tensorflow-lib``)."""
    library = name + "-lib"
    return (name, library) if view.machine.python.distribution(library) is not None else (name,)


#: Plug-ins that are built for one release of TensorFlow, and the goal by which a set with them is found.
_PLUGINS = (
    ("tensorflow-directml-plugin", "directml"),
    ("tensorflow-metal", "metal"),
    ("intel-extension-for-tensorflow", "xpu"),
)


def _built_for(view: View, name: str, version: str) -> str:
    """The releases of TensorFlow that a plug-in's release was built for, as bounds; "" if that is not known."""
    if name == "tensorflow-directml-plugin":
        row = next(item for item in view.matrix.directml() if item.distribution == name)
        return "==%s.*" % row.tensorflow
    for hold in view.matrix.holds(name, version, view.machine.python.version):
        bounds = [need[len("tensorflow") :] for need in hold.needs if need.startswith("tensorflow")]
        if hold.code == "plugin-version-mismatch" and bounds:
            return bounds[0]
    parts = version.split(".")
    # From 2.13 on Intel's extension is numbered as the TensorFlow that it is for.
    if name == "intel-extension-for-tensorflow" and version_at_least(version, "2.13"):
        return "==%s.%s.*" % (parts[0], parts[1])
    return ""


def _in_words(bounds: str) -> str:
    """``==2.10.*`` and ``>=2.10,<2.11`` are 2.10; ``>=2.14,<2.18`` is 2.14 to 2.17."""
    numbers = re.findall(r"2\.(\d+)", bounds)
    if not numbers:
        return bounds
    first, last = int(numbers[0]), int(numbers[-1]) - ("<" in bounds)
    return "2.%d" % first if first >= last else "2.%d to 2.%d" % (first, last)


#: Plug-ins of which it is known that TensorFlow aborts where it loads them twice.
_ONCE = ("tfdml_plugin", "libmetal_plugin")


def plugins_twice(view: View) -> Iterable[Finding]:
    """One plug-in in two folders of the path, or in one that is there under two names: its platform is registered twice.

    TensorFlow loads from every folder whose *text* differs (``tensorflow/__init__.py``), and a second registration is fatal:
    ``RegisterPlatform ... platform is already registered with name: "DML"``.
    """
    for mark in _ONCE:
        copies = [item.path for item in view.machine.python.plugins.value or () if mark in item.path]
        if len(copies) < 2:
            continue
        name = "tensorflow-metal" if "metal" in mark else "tensorflow-directml-plugin"
        user = any(folder in path for path in copies for folder in ("/.local/", "\\AppData\\Roaming\\Python\\"))
        text = "Uninstall it until pip says it is not installed, then install it once"
        fixes = [view.shell.uninstall_fix(text, name, instead=user)]
        if user:
            fixes.insert(0, view.shell.set_fix("Exclude the user's site-packages folder", "PYTHONNOUSERSITE", "1"))
        yield Kind("distributions-conflict", "error", ("tensorflow",), pages.DIRECTML_TWICE).finding(
            "TensorFlow's import is aborted: the plug-in of %s is on sys.path twice, and both copies are loaded."
            % name,
            tuple(Evidence("loaded at the import", path) for path in copies),
            tuple(fixes),
        )


@rule("plugin-broken")
def plugin_broken(view: View) -> Iterable[Finding]:
    """Plug-ins that cannot be loaded, or whose probe did something that it must not."""
    for facts in view.machine.platforms:
        for problem in facts.problems:
            yield broken(facts, problem)


def broken(facts: PlatformFacts, problem: str) -> Finding:
    """Return the finding about a plug-in. It is only a warning: everything else works without the plug-in."""
    of = " for the platform '%s'" % facts.name if facts.name else ""
    fixes = (
        Fix("Upgrade %s; if that does not help, report it to its authors" % facts.distribution, changes="packages"),
        Fix("Disable plug-ins: set DEVICEKIT_PLUGINS=0", changes="variables", instead=True),
    )
    return Kind("plugin-broken", "warning", (facts.name,) if facts.name else ()).finding(
        "The plug-in %s%s does not work: %s." % (facts.label, of, problem.rstrip(".")),
        (Evidence(problem, "entry point %s of %s" % (facts.entry, facts.distribution)),),
        fixes,
    )
