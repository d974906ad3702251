"""Google's TPUs: reported, and offered to the framework that has what they need. Pure."""

from typing import Iterable

from .. import pages
from ..findings import Evidence, Finding, Kind
from ..frameworks import TITLES
from ..view import View
from .frameworks import is_there, users, uses
from .unreachable import Denied


def tpu_without_build(view: View) -> Iterable[Finding]:
    """A TPU, and a framework without what it needs for it."""
    chips = view.machine.tpu.chips.or_none() or ()
    python = view.machine.python
    present = [name for name in ("jax", "tensorflow") if is_there(view, name)]
    lacking = [name for name in present if not uses(view, name, "tpu")]
    if not chips or not present or len(lacking) < len(present):
        return
    name = lacking[0]
    missing = "libtpu" if name == "jax" else "tensorflow-tpu"
    version = python.version_of("jax") or ""
    fix = view.shell.install_fix("Install JAX with TPU support", "jax[tpu]%s" % ("==" + version if version else ""))
    if name == "tensorflow":
        fix = view.shell.install_fix("Use Keras on JAX, whose TPU library is on PyPI", "keras", "jax[tpu]")
    yield Kind("cpu-only-build", "info", tuple("%s.tpu" % item for item in lacking), pages.JAX_TPU).finding(
        "This machine has a TPU, but %s is installed without %s."
        % (TITLES["jax"] if name == "jax" else view.tensorflow_label, missing),
        (
            Evidence("%d chips of TPU %s" % (len(chips), chips[0]), view.machine.tpu.chips.source),
            Evidence("no libtpu", view.machine.tpu.library.source),
        ),
        (fix,),
    )


def tpu_denied(view: View) -> Denied:
    """Return the TPU's nodes that this user must not open, if a framework would use them."""
    if not users(view, "tpu"):
        return Denied("tpu")
    return Denied("tpu", tuple(item.path for item in view.machine.tpu.nodes if not item.accessible))
