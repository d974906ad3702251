"""What tuning tried, what it kept, and by how much each paid. Pure data."""

from typing import Any, Optional, Tuple

from ...diagnosis.findings import Finding
from ...records import Pairs, Record, Seconds, ShownAsReport

#: A larger noise than this hides what most settings bring.
NOISY = 1.15


class TunedOption(Record):
    """One setting that was tried on its own.

    Attributes
    ----------
    name : str
        ``"threads"``, ``"onednn"``, ``"precision"``, ``"xla"``, ``"tf32"``, ``"allocator"``, ``"prefetch"``.
    setting : str
        What it was set to, such as ``"mixed_bfloat16"`` or ``"intra=1 inter=1"``.
    gain : float or None
        Its speed as a ratio to the speed without it, measured side by side; None if it could not be measured.
    kept : bool
        Whether it won by more than the noise, and the results stayed within what `devicekit.compare` allows.
    reason : str
        Why it was kept or not.
    environment : tuple of (str, str)
        Variables that it takes, which must be set before the framework is imported.
    calls : tuple of str
        Calls of the framework that it takes, as one would write them.
    settings : tuple of (str, object)
        The same calls as data: ``precision``, ``xla``, ``intra_op_threads``, ``tf32``, ``prefetch``, ``torch_compile``.
    """

    name: str
    setting: str
    gain: Optional[float]
    kept: bool
    reason: str = ""
    environment: Pairs[str] = ()
    calls: Tuple[str, ...] = ()
    settings: Pairs[Any] = ()


class Tuning(ShownAsReport, Record):
    """What makes training faster on a device.

    Attributes
    ----------
    device, framework : str
        What was tuned.
    model : str
        What was trained for it.
    options : tuple of TunedOption
        All that were tried, in order.
    gain : float or None
        Speed with all that were kept together, as a ratio to the framework's defaults, measured side by side.
    findings : tuple of Finding
    seconds : float
    cached : bool
        Whether it comes from an earlier measurement of the same state of this machine.
    noise : float or None
        The ratio of speeds that says nothing: by this much two processes with the same settings differed.
    """

    _json = ("device", "framework", "model", "gain", "noise", "undecided", "options", "findings", "seconds", "cached")

    device: str
    framework: str
    model: str
    options: Tuple[TunedOption, ...] = ()
    gain: Optional[float] = None
    findings: Tuple[Finding, ...] = ()
    seconds: Seconds = 0.0
    cached: bool = False
    noise: Optional[float] = None

    @property
    def undecided(self) -> str:
        """Why the measurements don't say whether other settings are faster, in a sentence; "" if they do."""
        if self.noise is not None and self.noise > NOISY:
            return "two processes with the same settings differ by up to %.0f %% here" % (100 * (self.noise - 1))
        return ""

    @property
    def kept(self) -> Tuple[TunedOption, ...]:
        """The options that pay."""
        return tuple(item for item in self.options if item.kept)
