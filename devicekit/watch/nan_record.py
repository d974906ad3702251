"""The first NaN of a training, and where it came from. Pure data: `devicekit.watch.nan_causes` judges it, now or later."""

from typing import Optional, Tuple

from ..records import Pairs, Record
from ..runtime.non_finite import NonFinite


class NanRun(Record):
    """The bad step, repeated eagerly.

    Attributes
    ----------
    device : str
        Where.
    precision : str
        ``"as trained"`` or ``"float64"``.
    first : NonFinite or None
        What is not finite first; None if everything is.
    largest : float
        The largest finite magnitude of activations, gradients and variables.
    problem : str
        Why it could not be repeated, "" if it could.
    """

    device: str
    precision: str
    first: Optional[NonFinite] = None
    largest: float = 0.0
    problem: str = ""


class NanRecord(Record):
    """What is known about the first NaN or infinity of a training.

    Attributes
    ----------
    framework : str
        ``"tensorflow"``, ``"jax"`` or ``"torch"``.
    model : str
        Name of the model.
    device : str
        Where it trains.
    seen_in : str
        ``"loss"`` or ``"weights"``: where it was noticed.
    seen_step : int
        The step at which it was noticed, from 0 on over all epochs.
    good_step : int
        The steps before this one had no NaN: the last good state is from its beginning.
    step, epoch, batch : int or None
        The first step that has it, its epoch, and its number in the epoch, from 0 on; None if that is not known.
    problem : str
        Why the steps could not be repeated, or why that does not show it; "" if it does.
    variables : tuple of str
        Variables that are not finite after the step.
    start : tuple of str
        Weights that were NaN before it.
    inputs : tuple of (str, int)
        Parts of the batch that are not finite, with the number of elements.
    input_rows : tuple of int
        The first examples of the batch that are.
    runs : tuple of NanRun
        The step as trained, on the CPU, and on the CPU in float64.
    norm_start, norm_before : float or None
        The norm of the trainable weights when the training began, and before the step.
    learning_rate : float or None
        The optimizer's.
    loss : str
        The name of the loss function.
    saved : str
        The file with the batch and the state before the step, "" if there is none.
    """

    framework: str
    model: str = ""
    device: str = "cpu"
    seen_in: str = "loss"
    seen_step: int = 0
    good_step: int = 0
    step: Optional[int] = None
    epoch: Optional[int] = None
    batch: Optional[int] = None
    problem: str = ""
    variables: Tuple[str, ...] = ()
    start: Tuple[str, ...] = ()
    inputs: Pairs[int] = ()
    input_rows: Tuple[int, ...] = ()
    runs: Tuple[NanRun, ...] = ()
    norm_start: Optional[float] = None
    norm_before: Optional[float] = None
    learning_rate: Optional[float] = None
    loss: str = ""
    saved: str = ""

    def run(self, precision: str, device: str = "") -> Optional[NanRun]:
        """Return the run of a precision and device, None if there is none or it failed."""
        for run in self.runs:
            if run.precision == precision and (not device or run.device == device) and not run.problem:
                return run
        return None
