"""AMD's compute stack against the build that uses it."""

import re
from typing import Iterable, Optional, Tuple

from ..findings import Evidence, Finding, Fix
from ..matrix import RocmRow
from . import rule
from .view import View

_INSTALL = "https://rocm.docs.amd.com/projects/install-on-linux/en/latest/"
_HIDDEN = ("rocm-missing", "wsl-without-gpu")


def _row(view: View) -> Optional[RocmRow]:
    owner = view.tensorflow
    if owner is None or not view.uses_rocm:
        return None
    return view.matrix.rocm(owner.version.or_none() or "")


@rule("rocm-version-mismatch", hidden_by=_HIDDEN)
def rocm_version_mismatch(view: View) -> Iterable[Finding]:
    """ROCm is there, of another release than the build was made for.

    The names of its libraries carry the major number, so that another one cannot be loaded; with another minor number
    some releases work together and some do not.
    """
    row, rocm = _row(view), view.machine.rocm
    if row is None or rocm.version.value is None:
        return
    found, wanted = _numbers(rocm.version.value), _numbers(row.rocm)
    if not found or found[:2] == wanted[:2]:
        return
    fatal = found[0] != wanted[0]
    yield Finding(
        "rocm-version-mismatch",
        "error" if fatal else "warning",
        "%s was built for ROCm %s; ROCm %s is installed%s."
        % (
            view.tensorflow_label,
            row.rocm,
            rocm.version.value.partition("-")[0],
            ", whose libraries have other names: its import fails" if fatal else "",
        ),
        (
            Evidence("ROCm %s" % rocm.version.value, rocm.version.source),
            Evidence("built for ROCm %s" % row.rocm, "devicekit's matrix"),
        ),
        (
            Fix("Install ROCm %s, following AMD's documentation of that release" % row.rocm),
            Fix("Or, in a new environment, the tensorflow-rocm that was built for ROCm %d.%d" % found[:2]),
        ),
        ("rocm", "tensorflow", "keras") if fatal else (),
        "https://rocm.docs.amd.com/projects/install-on-linux/en/latest/install/3rd-party/tensorflow-install.html",
    )


def _numbers(text: str) -> Tuple[int, ...]:
    parts = re.match(r"(\d+)\.(\d+)", text)
    return (int(parts.group(1)), int(parts.group(2))) if parts else ()


@rule("gfx-unsupported", hidden_by=(*_HIDDEN, "rocm-version-mismatch", "device-hidden"))
def gfx_unsupported(view: View) -> Iterable[Finding]:
    """TensorFlow ignores every GPU whose target is not in the list that it was built with."""
    row, rocm = _row(view), view.machine.rocm
    if row is None or not row.gfx:
        return
    found = rocm.gfx.value or ()
    override = view.machine.process.env("HSA_OVERRIDE_GFX_VERSION")
    seen = tuple(dict.fromkeys(found))
    if override and seen:
        told = _target(override)
        if told is None:
            return  # ROCm itself refuses it; what it then does is not known
        seen = (told,)
    if not seen or any(target in row.gfx for target in seen):
        return
    evidence = [Evidence(", ".join(seen), "HSA_OVERRIDE_GFX_VERSION" if override else rocm.gfx.source)]
    evidence.append(Evidence("%s has %s" % (view.tensorflow_label, ", ".join(row.gfx)), "devicekit's matrix"))
    yield Finding(
        "gfx-unsupported",
        "warning",
        "%s has no code for %s: it ignores the GPU." % (view.tensorflow_label, " and ".join(seen)),
        tuple(evidence),
        _fixes(row, seen),
        ("rocm",),
        _INSTALL + "reference/system-requirements.html",
    )


#: A target of the same family whose code such a GPU runs, as users report; AMD supports none of this.
_RELATIVES = (("gfx103", "gfx1030", "10.3.0"), ("gfx110", "gfx1100", "11.0.0"))


def _fixes(row: RocmRow, seen: Tuple[str, ...]) -> Tuple[Fix, ...]:
    fixes = [Fix("Use a release of tensorflow-rocm that was built for this GPU")]
    for family, relative, version in _RELATIVES:
        if seen[0].startswith(family) and seen[0] != relative and relative in row.gfx:
            text = "Let ROCm treat the GPU as %s, which often works and which AMD does not support" % relative
            fixes.insert(0, Fix(text, "export HSA_OVERRIDE_GFX_VERSION=%s" % version))
    return tuple(fixes)


def _target(version: str) -> Optional[str]:
    """The target that HSA_OVERRIDE_GFX_VERSION names: 10.3.0 is gfx1030, 9.0.10 is gfx90a."""
    parts = re.match(r"(\d+)\.(\d+)\.(\d+)$", version.strip())
    return "gfx%d%x%x" % tuple(int(part) for part in parts.groups()) if parts else None
