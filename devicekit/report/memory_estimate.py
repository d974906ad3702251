"""The report of `devicekit.estimate_memory`."""

from typing import List, Tuple

from ..measure.memory.estimate import MemoryEstimate
from .amounts import framework_title, memory
from .terminal import Style, findings_lines

#: So many layers are named in a text: those that need most.
_LAYERS = 8


def memory_text(estimate: MemoryEstimate) -> str:
    """Return an estimate as text, without colors."""
    style = Style(width=100, unicode=True)
    lines = ["devicekit: " + heading(estimate)]
    lines += ["  %-24s%10s" % (name, size) for name, size in parts(estimate)]
    rows = sorted(layers(estimate), key=lambda row: -row[0])[:_LAYERS]
    if rows:
        width = max(len(name) for _, name, _, _ in rows)
        row = "  %%-%ds%%12s%%12s" % max(width, 21)
        lines += ["", row % ("Layers that need most", "variables", "outputs")]
        lines += [row % (name, held, output) for _, name, held, output in rows]
    if estimate.findings:
        lines += ["", *findings_lines(estimate.findings, style)]
    return "\n".join(lines).rstrip("\n")


def heading(estimate: MemoryEstimate) -> str:
    """Return what was estimated, and the sum."""
    return "%s with %s, a batch of %d, %s, %s: about %s" % (
        estimate.model, framework_title(estimate.framework), estimate.batch_size, estimate.optimizer, estimate.precision,
        memory(estimate.total_bytes),
    )  # fmt: skip


def parts(estimate: MemoryEstimate) -> List[Tuple[str, str]]:
    """Return what the memory is for."""
    known = [
        ("Parameters", estimate.parameters_bytes),
        ("Optimizer state", estimate.optimizer_bytes),
        ("Inputs and targets", estimate.inputs_bytes),
        ("Activations", estimate.activations_bytes),
        ("Gradients at the peak", estimate.gradients_bytes),
        ("Workspace", estimate.workspace_bytes),
    ]
    rows = [(name, memory(size)) for name, size in known]
    rows.append(("The framework's own", memory(estimate.framework_bytes) or "not known"))
    return rows + [("There is", memory(estimate.device_bytes))] * (estimate.device_bytes is not None)


def layers(estimate: MemoryEstimate) -> List[Tuple[int, str, str, str]]:
    """Return the layers: bytes to order them by, name, and what it holds and returns."""
    rows = []
    for item in estimate.layers:
        held = item.parameters_bytes + item.gradients_bytes + item.optimizer_bytes
        name = "%s (%s)" % (item.name, item.kind)
        rows.append((held + item.outputs_bytes, name, memory(held), memory(item.outputs_bytes)))
    return rows
