"""One plug-in of TensorFlow in two folders of the path."""

from typing import Iterable

from .. import pages
from ..findings import Evidence, Finding, Fix, Kind
from ..view import View

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
        fixes = [
            view.shell.uninstall_fix("Uninstall it until pip says it is not installed, then install it once", name)
        ]
        if any(folder in path for path in copies for folder in ("/.local/", "\\AppData\\Roaming\\Python\\")):
            command = view.shell.set_variable("PYTHONNOUSERSITE", "1")
            fixes.insert(0, Fix("Exclude the user's site-packages folder", command))
        yield Kind("distributions-conflict", "error", ("tensorflow",), pages.DIRECTML_TWICE).finding(
            "TensorFlow's import is aborted: the plug-in of %s is on sys.path twice, and both copies are loaded."
            % name,
            tuple(Evidence("loaded at the import", path) for path in copies),
            tuple(fixes),
        )
