"""Apple silicon."""

from typing import Iterable, Optional, Tuple

from ...matrix.matrix import accepts, version_at_least
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind
from ..install_fixes import add
from ..view import View
from .registry import rule


@rule("rosetta-python")
def rosetta_python(view: View) -> Iterable[Finding]:
    """An x86-64 Python that runs translated on Apple silicon."""
    metal = view.machine.metal
    if not metal.rosetta.value:
        return
    yield Kind("rosetta-python", "warning", ("metal",), pages.METAL).finding(
        "This Python is an Intel build and runs translated (Rosetta) on Apple silicon: it cannot use the GPU.",
        (
            Evidence("translated", metal.rosetta.source),
            Evidence("an interpreter for %s" % view.machine.python.architecture, view.machine.python.executable),
        ),
        (
            Fix("Install an arm64 Python, such as that of python.org", changes="system"),
            view.shell.run_fix(
                "Create a new environment with it",
                "arch",
                "-arm64",
                "python3",
                "-m",
                "venv",
                "~/keras",
                changes="files",
            ),
        ),
    )


#: The oldest macOS, by the first release of a plug-in that needs it (the tables in the descriptions of tensorflow-metal 1.2.0
#: and jax-metal 0.1.1 on the package registry).
_SYSTEMS = {
    "tensorflow-metal": (("0.5", "12.1"), ("0", "12.0")),
    "jax-metal": (("0.0.6", "14.4"), ("0.0.5", "14.2"), ("0.0.4", "14.0"), ("0", "13.4.1")),
}

#: The releases of JAX by those of jax-metal: the same table, which names no upper end for the last. That is where users
#: see it fail: https://github.com/jax-ml/jax/issues/27062.
_JAX = ((">=0.1.1", ">=0.4.34,<=0.5.0"), (">=0.0.7,<0.1.1", ">=0.4.26,<=0.4.34"), ("==0.0.6", ">=0.4.22,<0.4.24"))


def metal_too_old(view: View) -> Iterable[Finding]:
    """A macOS that is older than a plug-in for its GPU needs."""
    metal = view.machine.metal
    here = metal.macos.or_none() or view.target.macos
    if view.machine.native.system != "macos" or not here:
        return
    for name, framework in (("tensorflow-metal", "tensorflow"), ("jax-metal", "jax")):
        version = view.version(name)
        least = _least_system(name, version) if version else None
        # Of a macOS that only the kernel's number tells, the second number is not known.
        known = least if metal.macos.or_none() or least is None else least.partition(".")[0]
        if known is None or version_at_least(here, known) is not False:
            continue
        blocks = (framework + ".metal",)
        yield Kind("platform-unsupported", "warning", blocks, "https://pypi.org/project/%s/" % name).finding(
            "%s %s needs macOS %s or later; this is %s." % (name, version, least, here),
            (Evidence("macOS %s" % here, metal.macos.source), Evidence("%s %s" % (name, version))),
            (Fix("Update macOS to %s or later" % least, who="admin", changes="system", undoable=False),),
        )


def _least_system(name: str, version: str) -> Optional[str]:
    return next((least for since, least in _SYSTEMS[name] if version_at_least(version, since)), None)


def jax_metal_mismatch(view: View) -> Iterable[Finding]:
    """Apple's plug-in for JAX, which is no longer made, with another JAX than those it works with."""
    python = view.machine.python
    plugin, jax = python.distribution("jax-metal"), python.version_of("jax")
    version = plugin.version.or_none() if plugin is not None else None
    wanted = next((bounds for ours, bounds in _JAX if version and accepts(ours, version)), "")
    if plugin is None or not wanted or jax is None or accepts(wanted, jax) is not False:
        return
    fixes: Tuple[Fix, ...] = (
        view.shell.set_fix("Run JAX on the CPU", "JAX_PLATFORMS", "cpu"),
        view.shell.install_fix("Install a compatible JAX", "jax%s" % wanted, "jaxlib%s" % wanted, instead=True),
    )
    yield Kind("plugin-version-mismatch", "warning", ("jax.metal",), pages.JAX_METAL).finding(
        "jax-metal %s (Apple's plug-in for JAX) needs jax %s; %s is installed." % (version, wanted, jax),
        (Evidence("jax-metal", plugin.location), Evidence("jax %s" % jax)),
        fixes,
    )


@rule("metal-plugin-missing", hidden_by=("rosetta-python",))
def metal_plugin_missing(view: View) -> Iterable[Finding]:
    """Apple silicon and TensorFlow without the Metal plug-in."""
    python, metal = view.machine.python, view.machine.metal
    if not metal.chip.value or not view.has_tensorflow or python.distribution("tensorflow-metal"):
        return
    yield Kind("metal-plugin-missing", "warning", ("tensorflow.metal",), pages.METAL).finding(
        "TensorFlow cannot use this Mac's GPU: Apple's plug-in tensorflow-metal is not installed.",
        (Evidence(metal.chip.value, metal.chip.source), Evidence("no tensorflow-metal", python.distributions.source)),
        add(view, "Install the plug-in", "tensorflow-metal"),
    )
