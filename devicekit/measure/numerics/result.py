"""What a comparison of devices found: figures, verdicts and divergence. Pure data."""

from typing import Optional, Tuple

from ...diagnosis.findings import Finding
from ...records import Real, Record, Seconds, ShownAsReport

#: From best to worst. ``agrees``: within the tolerance of its dtype. ``not-compared``: there is nothing to compare with, as
#: its detail says. ``reduced-precision``: within the tolerance of a coarser arithmetic that is recognized and named (TF32,
#: bfloat16, float16 accumulation). ``unsupported``: no kernel, so that it ran elsewhere or not at all. ``failed``: it
#: raised. ``differs``: outside every tolerance.
VERDICTS = ("agrees", "not-compared", "reduced-precision", "unsupported", "failed", "differs")


def amount(value: float) -> str:
    """Return an amount with three digits, thousands apart, as people write them.

    >>> [amount(value) for value in (1549.7, 98.71, 0.0123, float("inf"))]
    ['1,550', '98.7', '0.0123', 'inf']
    """
    return "{:,.0f}".format(value) if 1000 <= abs(value) < 1e9 else "%.3g" % value


class Measure(Record):
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
        Cosine similarity of the two as vectors; 1 if they are proportional, or both are zero.
    nonfinite : int
        Elements that are infinite or not a number in one of the two only, or infinite with another sign.
    tolerance : float
        What ``max_relative_error`` may be.
    """

    dtype: str
    shape: Tuple[int, ...]
    max_relative_error: Real
    mean_relative_error: Real
    max_ulp: Real
    cosine: Real
    nonfinite: int
    tolerance: Real


class Difference(Record):
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
        None if nothing could be measured.
    ran_on : str
        If it really ran, as the framework says; "" if that is not known.
    arithmetic : str
        The arithmetic that explains the error: ``"float32"``, ``"tf32"``, ``"bfloat16"``, ``"float16"``, or "".
    detail : str
        What is recognized (stale result, shifted by one, silent NaN, wrong sign, ...), or the error's message.
    depth : int
        Place of the layer in the model, from 0; -1 if that means nothing.
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


class Divergence(Record):
    """How training on a device drifts from training on the reference, step by step.

    Attributes
    ----------
    optimizer : str
        ``"sgd"``, ``"momentum"``, ``"adam"``, ``"adamw"``, or the model's own: ``"RMSprop, as compiled"``.
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
    verdict : {"agrees", "not-compared", "differs", "failed"}
        ``differs``: further than what rounding explains at some step. ``not-compared``: see ``detail``.
    first_step : int or None
        The first step, from 1, at which it is further than that.
    detail : str
    compiled_by : str
        What compiled the steps, as in ``model.fit``: ``"tf.function"``, ``"XLA"``, ``"jax.jit"``, ``"torch.compile"``; "" if
        each operation was computed on its own.
    """

    optimizer: str
    device: str
    framework: str
    loss: Tuple[Real, ...]
    reference_loss: Tuple[Real, ...]
    weights: Tuple[Real, ...]
    rounding: Tuple[Real, ...]
    seed: Tuple[Real, ...]
    verdict: str
    first_step: Optional[int] = None
    detail: str = ""
    compiled_by: str = ""

    @property
    def label(self) -> str:
        """The optimizer, with what compiled the steps, if something did."""
        return "%s, steps compiled by %s" % (self.optimizer, self.compiled_by) if self.compiled_by else self.optimizer


class LeftToCpu(Record):
    """The outcome of a comparison in which the CPU computes the layers that a device has wrong, as with `devicekit.on_cpu`.

    Attributes
    ----------
    device, framework : str
    layers : tuple of str
        Their paths in the model.
    agrees : bool
        Whether these layers, the model from end to end and the trainings that went wrong are within their tolerances then.
    slowdown : float or None
        How many times as long a forward and backward pass of the model takes on the device then; None if that is unknown.
    detail : str
        What is still wrong, or why it could not be tried; "" if it agrees.
    """

    device: str
    framework: str
    layers: Tuple[str, ...]
    agrees: bool
    slowdown: Optional[Real] = None
    detail: str = ""


class Comparison(ShownAsReport, Record):
    """Whether devices compute what the reference computes.

    Attributes
    ----------
    reference : str
        What all are compared with, such as ``"cpu in float64 with tensorflow"``.
    devices : tuple of str
        What was compared; with a framework in front (``"jax cpu"``) if there is more than one framework.
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
    left_to_cpu : tuple of LeftToCpu
        For each device that computes layers wrong: whether `devicekit.on_cpu` around them helps.
    """

    _json = (
        "reference", "devices", "agrees", "subject", "seed", "seconds", "findings", "differences", "divergences",
        "left_to_cpu",
    )  # fmt: skip

    reference: str
    devices: Tuple[str, ...]
    differences: Tuple[Difference, ...] = ()
    divergences: Tuple[Divergence, ...] = ()
    findings: Tuple[Finding, ...] = ()
    subject: str = ""
    seed: int = 0
    seconds: Seconds = 0.0
    left_to_cpu: Tuple[LeftToCpu, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether nothing is outside its tolerance, and nothing failed."""
        wrong = ("differs", "failed")
        return not any(item.verdict in wrong for item in self.differences + self.divergences)

    @property
    def first_difference(self) -> Optional[Difference]:
        """The first that is outside its tolerance, in the order of computation; None if there is none."""
        return next((item for item in self.differences if item.verdict == "differs"), None)
