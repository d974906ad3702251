"""`estimate_memory`: what a training step will need of a device's memory; nothing is run."""

from typing import Any, List, Optional, Tuple, Union

from ...diagnosis.findings import Evidence, Finding, Fix
from ...errors import DevicekitError, first_line
from ...records import Record, ShownAsReport
from ...selection.request import parse_memory


class LayerMemory(Record):
    """What one layer of a model needs.

    Attributes
    ----------
    name, kind : str
        The layer's name and class.
    parameters_bytes, gradients_bytes, optimizer_bytes : int
        Its variables, their gradients, and what the optimizer keeps of them.
    outputs_bytes : int
        What it returns for the batch. A framework that fuses operations does not keep all of that.
    """

    name: str
    kind: str
    parameters_bytes: int
    gradients_bytes: int
    optimizer_bytes: int
    outputs_bytes: int


class MemoryEstimate(ShownAsReport, Record):
    """What a training step needs of a device's memory when it needs most.

    Attributes
    ----------
    model, framework, optimizer, precision : str
        What was estimated.
    batch_size : int
    parameters_bytes : int
        All variables of the model.
    optimizer_bytes : int
        What the optimizer keeps from step to step.
    inputs_bytes : int
        The batch: examples and targets.
    activations_bytes : int
        Results of the forward pass that the backward pass still reads.
    gradients_bytes : int
        Gradients of variables that are alive at that moment. A framework that applies each as soon as it is known never
        holds all of them.
    workspace_bytes : int
        Everything else: gradients of activations, and what single operations need while they run.
    framework_bytes : int or None
        The framework's own, such as CUDA's context and libraries; None, because no one knows before it runs. With CUDA it
        takes some hundred MiB.
    layers : tuple of LayerMemory
    device_bytes : int or None
        The memory that there is, None if it is unknown.
    recomputed_bytes : int or None
        The part of the activations that gradient checkpointing (``keras.RematScope``) computes again instead of keeping it:
        what is not the output of a layer. None where this Keras has none that works.
    """

    _json = ("model", "framework", "optimizer", "precision", "batch_size", "total_bytes", "parameters_bytes",
             "gradients_bytes", "optimizer_bytes", "inputs_bytes", "activations_bytes", "workspace_bytes",
             "framework_bytes", "device_bytes", "recomputed_bytes", "findings", "layers")  # fmt: skip

    model: str
    framework: str
    optimizer: str
    precision: str
    batch_size: int
    parameters_bytes: int
    gradients_bytes: int
    optimizer_bytes: int
    inputs_bytes: int
    activations_bytes: int
    workspace_bytes: int
    framework_bytes: Optional[int] = None
    layers: Tuple[LayerMemory, ...] = ()
    device_bytes: Optional[int] = None
    recomputed_bytes: Optional[int] = None

    @property
    def total_bytes(self) -> int:
        """All of it together, without the framework's own where that is unknown."""
        return self._fixed + self._growing + (self.framework_bytes or 0)

    @property
    def _fixed(self) -> int:
        return self.parameters_bytes + self.gradients_bytes + self.optimizer_bytes

    @property
    def _growing(self) -> int:
        return self.inputs_bytes + self.activations_bytes + self.workspace_bytes

    @property
    def findings(self) -> Tuple[Finding, ...]:
        """``will-not-fit`` if it needs more than there is."""
        if self.device_bytes is None or self.total_bytes <= self.device_bytes:
            return ()
        summary = "A batch of %d needs about %s; there are %s." % (
            self.batch_size, _size(self.total_bytes), _size(self.device_bytes))  # fmt: skip
        evidence = Evidence("%s for the model and its optimizer, %s for the batch" % (
            _size(self._fixed), _size(self._growing)), "devicekit.estimate_memory")  # fmt: skip
        return (Finding("will-not-fit", "warning", summary, (evidence,), tuple(self._fixes())),)

    def batch_for(self, memory_bytes: int) -> int:
        """Return the largest batch that should fit in so much memory, less a tenth; 0 if none does."""
        room = memory_bytes - self._fixed - (self.framework_bytes or 0)
        return max(0, int(0.9 * room * self.batch_size / max(1, self._growing)))

    def _fixes(self) -> "list[Fix]":
        room = (self.device_bytes or 0) - self._fixed - (self.framework_bytes or 0)
        fits = self.batch_for(self.device_bytes or 0)
        fixes = []
        if fits >= 1:
            steps = -(-self.batch_size // fits)
            text = "Use a batch of about %d; devicekit.find_batch_size() finds the largest that fits" % fits
            fixes.append(Fix(text, changes="code"))
            if room - self.parameters_bytes > 0.5 * room:
                text = (
                    "Keep the effect of %d examples with %d steps for each update: an optimizer with"
                    " gradient_accumulation_steps=%d, which needs another %s"
                    % (self.batch_size, steps, steps, _size(self.parameters_bytes))
                )
                fixes.append(Fix(text, changes="code"))
        if (self.recomputed_bytes or 0) * 20 > self.total_bytes:
            text = (
                "Compute activations again instead of keeping them (gradient checkpointing), which saves about %s and runs"
                " the forward pass twice: build the model below keras.RematScope(mode='full')"
                % _size(self.recomputed_bytes or 0)
            )
            fixes.append(Fix(text, changes="code", instead=bool(fixes)))
        if self.precision == "float32":
            text = "Train in half precision, which saves up to %s" % _size(self.activations_bytes // 2)
            call = "devicekit.auto(precision='mixed_bfloat16')"
            fixes.append(Fix(text, call, (("python", call),), changes="code", instead=bool(fixes)))
        return fixes or [Fix("Use a smaller model, or an optimizer that keeps less", changes="code")]


def _size(size_bytes: int) -> str:
    if 0 < size_bytes < 1 << 20:
        return "%.0f KiB" % max(1.0, size_bytes / (1 << 10))
    return "%.1f GiB" % (size_bytes / (1 << 30)) if size_bytes >= 1 << 30 else "%.0f MiB" % (size_bytes / (1 << 20))


def estimate_memory(
    model: Any,
    batch_size: int,
    optimizer: Any = None,
    precision: Optional[str] = None,
    *,
    memory: Union[int, str, None] = None,
) -> MemoryEstimate:
    """Return what a training step of a model needs of the device's memory, before it runs.

    Nothing is computed, and no array is made: TensorFlow and JAX compile the step for the processor, from shapes, and the
    life of each result is read from the schedule; PyTorch runs it with tensors that have no values. That takes as long as
    the first step of the training, or less.

    Parameters
    ----------
    model : Keras model
        Of Keras 3, sequential or functional, with known sizes of its inputs. It is left as it is.
    batch_size : int
    optimizer : Keras optimizer or str or None
        By default the one that it was compiled with, or ``"adam"``.
    precision : str or None
        A dtype policy of Keras to try, such as ``"mixed_float16"``. By default the model's own.
    memory : int or str or None
        The memory that there is: a number of bytes, or a text such as ``"8GiB"``. By default that of the device that
        `devicekit.auto` chose in this process, if it is known.

    Returns
    -------
    MemoryEstimate

    Raises
    ------
    DevicekitError
        If the framework cannot trace or compile the step.
    ValueError
        If an argument is not one of the accepted.

    Notes
    -----
    Against what training on the processor really took (39 pairs of model and framework, Keras 3.15) it was within 15 %.
    On a GPU it was not measured. What only a GPU needs is not in it: workspace of its libraries, fragmentation, and the
    framework's own. TensorFlow without XLA, and half precision on TensorFlow and JAX, are refused.
    """
    if isinstance(batch_size, bool) or not hasattr(batch_size, "__index__") or int(batch_size) < 1:
        raise ValueError("batch_size must be a whole number of at least 1, not %r" % (batch_size,))
    limit = _device_bytes() if memory is None else parse_memory(memory, "memory")
    from ...children.progress import Progress
    from ...runtime.settings import read_settings

    with Progress("estimating the memory of a training step", read_settings().quiet):
        return _estimate(model, int(batch_size), optimizer, precision).replace(device_bytes=limit)


def _device_bytes() -> Optional[int]:
    """The memory of the device that `auto` chose in this process."""
    from ...diagnosis.diagnose import diagnose
    from ...machine.detect import detect
    from ...runtime.current import current_selection

    chosen = current_selection()
    if chosen is None:
        return None
    if chosen.platform == "cpu":
        return detect().native.usable_memory_bytes
    return next((item.memory_bytes for item in diagnose().candidates if item.device == chosen.device), None)


def _estimate(model: Any, batch_size: int, optimizer: Any, precision: Optional[str]) -> MemoryEstimate:
    from ...runtime.frameworks.keras_model import is_model, keras_of

    if not is_model(model):
        raise ValueError("a Keras model expected, got a %s" % type(model).__name__)
    keras = keras_of(model)
    if keras.generation != 3:
        raise DevicekitError("the memory of models of Keras %d is not known; Keras 3 is needed" % keras.generation)
    from ...runtime.frameworks.memory_keras import can_recompute, layer_outputs, optimizer_of, peak_parts

    chosen = optimizer_of(optimizer or getattr(model, "optimizer", None) or "adam")
    try:
        step, parts = peak_parts(model, batch_size, chosen, precision)
    except ValueError:
        raise
    except Exception as error:  # layers of the user and compilers raise what they like
        raise DevicekitError("%s cannot trace a training step: %s" % (keras.framework, first_line(error))) from error
    name = type(chosen).__name__.lower()  # as Keras takes it; its own name is "adam_3" for the fourth one
    policy = precision or str(model.dtype_policy.name)
    if policy == "float32":  # a sequential model may hold layers of another
        policy = next((item.dtype_policy.name for item in model.layers if item.dtype_policy.name != policy), policy)
    trainable, kept = _bytes(step.trainable), _bytes(step.optimizer)
    layers = _layers(layer_outputs(model, batch_size), kept / max(1, trainable), policy)
    recomputed = max(0, parts["activations"] - sum(item.outputs_bytes for item in layers))
    return MemoryEstimate(
        str(model.name),
        keras.framework,
        name,
        policy,
        batch_size,
        trainable + _bytes(step.others),
        parts["gradients"],
        kept,
        _bytes(step.inputs) + _bytes(step.targets),
        parts["activations"],
        parts["workspace"],
        None,
        layers,
        recomputed_bytes=recomputed if can_recompute() else None,
    )


def _layers(outputs: Any, slots: float, policy: str) -> Tuple[LayerMemory, ...]:
    found: List[LayerMemory] = []
    for layer, elements in outputs.values():
        variables, trained = _bytes(layer.variables), _bytes(layer.trainable_variables)
        dtype = policy if policy.startswith("mixed") else str(layer.compute_dtype)
        width = 2 if "16" in dtype else 8 if "64" in dtype else 4
        found.append(
            LayerMemory(layer.name, type(layer).__name__, variables, trained, int(trained * slots), elements * width)
        )
    return tuple(found)


def _bytes(values: Any) -> int:
    """The size of arrays, from their shapes and dtypes."""
    total = 0
    for value in values:
        digits = "".join(filter(str.isdigit, str(value.dtype).partition("_")[0]))
        size = max(1, int(digits or 8) // 8)
        for length in value.shape:
            size *= int(length)
        total += size
    return total
