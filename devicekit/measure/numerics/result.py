"""What a comparison of devices found: figures, verdicts and divergence. Pure data."""

from dataclasses import dataclass, field
from typing import Any, Dict, Optional, Tuple

from ...diagnosis.findings import Finding

__all__ = ["VERDICTS", "Comparison", "Difference", "Divergence", "Measure"]

#: From best to worst. ``agrees``: within the tolerance of its dtype. ``reduced-precision``: within that of a coarser
#: arithmetic that is recognised and named (TF32, bfloat16, float16 accumulation). ``unsupported``: no kernel, so that it
#: ran elsewhere or not at all. ``failed``: it raised. ``differs``: outside every tolerance.
VERDICTS = ("agrees", "reduced-precision", "unsupported", "failed", "differs")


@dataclass(frozen=True)
class Measure:
    """How far an array is from its reference.

    Attributes
    ----------
    dtype : str
        Of the array that is judged, such as ``"float32"``.
    shape : tuple of int
    max_relative_error : float
        Largest difference of two elements, relative to the size of the reference: see `devicekit.measure.numerics.measures`.
    mean_relative_error : float
        Mean difference, relative to the same.
    max_ulp : float
        Largest difference in units in the last place of ``dtype`` at the reference's value.
    cosine : float
        Cosine similarity of the two as vectors; 1 where they are proportional, or both are zero.
    nonfinite : int
        Elements that are infinite or not a number in one of the two only, or infinite with another sign.
    tolerance : float
        What ``max_relative_error`` may be.
    """

    dtype: str
    shape: Tuple[int, ...]
    max_relative_error: float
    mean_relative_error: float
    max_ulp: float
    cosine: float
    nonfinite: int
    tolerance: float

    def to_dict(self) -> Dict[str, Any]:
        """Return the figures as plain data for JSON; what is no finite number is a text."""
        return {
            "dtype": self.dtype,
            "shape": list(self.shape),
            "max_relative_error": _number(self.max_relative_error),
            "mean_relative_error": _number(self.mean_relative_error),
            "max_ulp": _number(self.max_ulp),
            "cosine": _number(self.cosine),
            "nonfinite": self.nonfinite,
            "tolerance": _number(self.tolerance),
        }


@dataclass(frozen=True)
class Difference:
    """One thing that was compared on one device.

    Attributes
    ----------
    kind : {"operation", "layer", "gradient", "model", "function"}
        ``layer``: a layer's output for the reference's input; ``gradient``: of a layer's weights and inputs for the
        reference's input; ``model``: output, loss and gradients of the whole model from end to end.
    name : str
        Operation with its case, or path of the layer in the model, such as ``"encoder/block_2/attention"``.
    operation : str
        What it computes: ``"conv2d"``, or the class of the layer.
    what : str
        ``"output"``, ``"gradient of kernel"``, ``"gradient of input 0"``, ``"loss"``.
    device : str
        As in `Selection.device`.
    framework : str
    verdict : str
        One of `VERDICTS`.
    measure : Measure or None
        None where nothing could be measured.
    ran_on : str
        Where it really ran, as the framework says; "" where that is not known.
    arithmetic : str
        The arithmetic that explains the error: ``"float32"``, ``"tf32"``, ``"bfloat16"``, ``"float16"``, or "".
    detail : str
        What is recognised (stale result, shifted by one, silent NaN, wrong sign, ...), or the error's message.
    depth : int
        Place of the layer in the model, from 0; -1 where that means nothing.
    """

    kind: str
    name: str
    operation: str
    what: str
    device: str
    framework: str
    verdict: str
    measure: Optional[Measure] = None
    ran_on: str = ""
    arithmetic: str = ""
    detail: str = ""
    depth: int = -1

    def to_dict(self) -> Dict[str, Any]:
        """Return the difference as plain data for JSON."""
        values = dict(vars(self))
        values["measure"] = self.measure.to_dict() if self.measure is not None else None
        return values


@dataclass(frozen=True)
class Divergence:
    """How training on a device drifts from training on the reference, step by step.

    Attributes
    ----------
    optimizer : str
        ``"sgd"``, ``"momentum"``, ``"adam"`` or ``"adamw"``.
    device, framework : str
    loss : tuple of float
        Loss on the device, before each step.
    reference_loss : tuple of float
    weights : tuple of float
        Relative distance of all weights from the reference's, after each step.
    rounding : tuple of float
        The same distance for the reference itself with one weight moved by one unit in the last place.
    seed : tuple of float
        The same distance for the reference itself with another seed for order and dropout.
    verdict : {"agrees", "differs", "failed"}
        ``differs``: further than what rounding explains at some step.
    first_step : int or None
        The first step, from 1, at which it is further than that.
    detail : str
    """

    optimizer: str
    device: str
    framework: str
    loss: Tuple[float, ...]
    reference_loss: Tuple[float, ...]
    weights: Tuple[float, ...]
    rounding: Tuple[float, ...]
    seed: Tuple[float, ...]
    verdict: str
    first_step: Optional[int] = None
    detail: str = ""

    def to_dict(self) -> Dict[str, Any]:
        """Return the divergence as plain data for JSON."""
        values = dict(vars(self))
        for name in ("loss", "reference_loss", "weights", "rounding", "seed"):
            values[name] = [_number(item) for item in values[name]]
        return values


@dataclass(frozen=True)
class Comparison:
    """Whether devices compute what the reference computes.

    Attributes
    ----------
    reference : str
        What all are compared with, such as ``"cpu in float64 with tensorflow"``.
    devices : tuple of str
        What was compared; with a framework in front (``"jax cpu"``) where there is more than one framework.
    differences : tuple of Difference
        In the order in which they were computed.
    divergences : tuple of Divergence
    findings : tuple of Finding
        ``numerics-divergent``, ``op-unsupported`` and what else was met.
    subject : str
        What was compared: ``"operations"``, the model's name, or the function's.
    seed : int
    seconds : float
        How long it took.
    """

    reference: str
    devices: Tuple[str, ...]
    differences: Tuple[Difference, ...] = ()
    divergences: Tuple[Divergence, ...] = ()
    findings: Tuple[Finding, ...] = field(default=())
    subject: str = ""
    seed: int = 0
    seconds: float = 0.0

    @property
    def agrees(self) -> bool:
        """Whether nothing is outside its tolerance, and nothing failed."""
        wrong = ("differs", "failed")
        return not any(item.verdict in wrong for item in self.differences + self.divergences)

    @property
    def first_difference(self) -> Optional[Difference]:
        """The first that is outside its tolerance, in the order of computation; None where there is none."""
        return next((item for item in self.differences if item.verdict == "differs"), None)

    def to_dict(self) -> Dict[str, Any]:
        """Return the comparison as plain data for JSON."""
        return {
            "reference": self.reference,
            "devices": list(self.devices),
            "agrees": self.agrees,
            "subject": self.subject,
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
            "findings": [item.to_dict() for item in self.findings],
            "differences": [item.to_dict() for item in self.differences],
            "divergences": [item.to_dict() for item in self.divergences],
        }

    def __str__(self) -> str:
        from ...records import seam

        return str(seam("record as text")(self))

    def _repr_html_(self) -> str:
        from ...records import seam

        return str(seam("record as HTML")(self))


def _number(value: float) -> Any:
    """Return a number that JSON has, or its name."""
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return value
