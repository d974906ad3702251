"""Apple silicon."""

from typing import Iterable

from ..findings import Evidence, Finding, Fix
from . import rule
from .mending import add
from .view import View

_URL = "https://developer.apple.com/metal/tensorflow-plugin/"


@rule("rosetta-python")
def rosetta_python(view: View) -> Iterable[Finding]:
    """An x86-64 Python that runs translated on Apple silicon."""
    metal = view.machine.metal
    if not metal.rosetta.value:
        return
    yield Finding(
        "rosetta-python",
        "warning",
        "This Python was built for Intel processors and runs translated on Apple silicon: no GPU, and wheels for the wrong "
        "processor.",
        (
            Evidence("translated", metal.rosetta.source),
            Evidence("an interpreter for %s" % view.machine.python.architecture, view.machine.python.executable),
        ),
        (Fix("Install a Python for arm64 and make a new environment with it", "arch -arm64 python3 -m venv ~/keras"),),
        ("metal",),
        _URL,
    )


@rule("metal-plugin-missing", hidden_by=("rosetta-python",))
def metal_plugin_missing(view: View) -> Iterable[Finding]:
    """Apple silicon and TensorFlow without the Metal plug-in."""
    python, metal = view.machine.python, view.machine.metal
    if not metal.chip.value or not view.has_tensorflow or python.distribution("tensorflow-metal"):
        return
    yield Finding(
        "metal-plugin-missing",
        "warning",
        "TensorFlow uses the GPU of this Mac only with Apple's plug-in tensorflow-metal, which is not installed.",
        (Evidence(metal.chip.value, metal.chip.source), Evidence("no tensorflow-metal", python.distributions.source)),
        add(view, "Install the plug-in", "tensorflow-metal"),
        ("metal",),
        _URL,
    )
