"""What a line or a fact suggests: a finding code, how strongly, and the general fixes for it."""

from typing import NamedTuple, Tuple

from ..diagnosis.findings import Evidence, Fix
from .context import Known
from .signatures import remedy

#: Codes that mean that no GPU is used; they say nothing about a machine without one.
GPU_UNUSED = frozenset(
    (
        "no-gpu", "cpu-only-build", "cuda-library-missing", "driver-missing", "gpu-vendor-unsupported",
        "metal-plugin-missing", "directml-missing", "directml-unsupported", "driver-unhealthy",
    )
)  # fmt: skip


class Claim(NamedTuple):
    """A match with the code that it stands for on this machine."""

    code: str
    weight: float
    severity: str
    summary: str
    fix: Tuple[Fix, ...]
    number: int
    evidence: Tuple[Evidence, ...]
    expects_gpu: bool = False


def remedies(code: str, known: Known) -> Tuple[Fix, ...]:
    """Return the general fixes for a code that apply to the machine as far as it is known."""
    fixes = []
    for item in remedy(code).get("fix", ()):
        if "if" in item and not known.holds(item["if"], {}, {}):
            continue
        fixes.append(Fix(item["text"], item.get("command")))
    return tuple(fixes)
