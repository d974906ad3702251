"""What a training step needs of a device's memory, by what it is for. Pure data."""

from typing import Optional, Tuple

from ...diagnosis.findings import Evidence, Finding, Fix
from ...records import Record, ShownAsReport


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
    """

    _json = ("model", "framework", "optimizer", "precision", "batch_size", "total_bytes", "parameters_bytes",
             "gradients_bytes", "optimizer_bytes", "inputs_bytes", "activations_bytes", "workspace_bytes",
             "framework_bytes", "device_bytes", "findings", "layers")  # fmt: skip

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
        if self.precision == "float32":
            text = "Train in half precision, which saves up to %s" % _size(self.activations_bytes // 2)
            call = "devicekit.auto(precision='mixed_bfloat16')"
            fixes.append(Fix(text, call, (("python", call),), changes="code", instead=bool(fixes)))
        return fixes or [Fix("Use a smaller model, or an optimizer that keeps less", changes="code")]


def _size(size_bytes: int) -> str:
    if 0 < size_bytes < 1 << 20:
        return "%.0f KiB" % max(1.0, size_bytes / (1 << 10))
    return "%.1f GiB" % (size_bytes / (1 << 30)) if size_bytes >= 1 << 30 else "%.0f MiB" % (size_bytes / (1 << 20))
