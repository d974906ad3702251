"""`Selection`: which device, why, and what was changed for it."""

from typing import Optional, Tuple

from ..diagnosis.findings import Finding, name_of
from ..records import Record


class Change(Record):
    """One thing that devicekit changed in this process.

    Attributes
    ----------
    what : str
        ``"environment"``, ``"library"``, ``"python"``, or the framework that was called: ``"tensorflow"``, ``"jax"``,
        ``"torch"``.
    name : str
        The variable, function or library.
    value : str
        What it was set to.
    before : str or None
        What it was before, None where it was not set.
    """

    what: str
    name: str
    value: str
    before: Optional[str] = None

    def __str__(self) -> str:
        return "%s: %s = %s" % (self.what, self.name, self.value)


class Selection(Record):
    """The device that was chosen, and everything that explains it.

    Attributes
    ----------
    device : str
        ``"cpu"``, ``"gpu:0"``, or ``"gpu:0,2"`` for several; ``"cpu:1"`` where a framework has more than one and that was
        asked for; ``"tpu:0"``; ``"auto"`` where nothing was set up.
    framework : str or None
        ``"tensorflow"``, ``"tensorflow1"`` (TensorFlow 1.15), ``"jax"``, ``"torch"``; None where none is installed.
    platform : str
        ``"cpu"``, ``"cuda"``, ``"rocm"``, ``"directml"``, ``"metal"``, ``"xpu"``, ``"tpu"`` or ``"pluggable"``.
    name : str
        The product's name.
    fallback : bool
        True where a better or another device was asked for, or is there, and cannot be used.
    findings : tuple of Finding
        What was found, the blocking one first.
    changes : tuple of Change
        What was changed; always empty for `devicekit.select_device`.
    verified : bool or None
        True where an operation really ran on the device, False where that failed, None where nothing was run.
    reason : str
        Why this device, in one sentence.
    requested : str
        What was asked for.
    """

    device: str
    framework: Optional[str]
    platform: str
    name: str = ""
    fallback: bool = False
    findings: Tuple[Finding, ...] = ()
    changes: Tuple[Change, ...] = ()
    verified: Optional[bool] = None
    reason: str = ""
    requested: str = "auto"

    def __str__(self) -> str:
        label = self.device
        if is_stuck(self):
            label = "no usable device"
        elif self.name:
            label += " (%s)" % self.name
        text = "devicekit: %s" % label
        if self.framework:
            text += " with %s" % self.framework
        return text + ": " + self.reason

    def _repr_html_(self) -> str:
        from ..records import seam

        return str(seam("record as HTML")(self))


def fallback_causes(selection: Selection) -> Tuple[Finding, ...]:
    """Return why it is not a better device: the first finding of a fallback, nothing of any other selection."""
    return selection.findings[:1] if selection.fallback else ()


def is_stuck(selection: Selection) -> bool:
    """Whether nothing runs, not even on the CPU: there is no framework, or it fails at its import or with its devices."""
    name = name_of(selection.framework)
    blocked = any(
        item.severity == "error" and {name, name + ".devices"} & set(item.blocks) for item in selection.findings
    )
    return selection.framework is None or (blocked and not selection.verified)
