"""What a line or a fact suggests: a finding code, how strongly, and what its fix depends on."""

from types import MappingProxyType
from typing import Any, Mapping, NamedTuple, Sequence, Tuple

from ..diagnosis.findings import Evidence

#: Codes that mean that no GPU is used; they say nothing about a machine without one.
GPU_UNUSED = frozenset(
    (
        "no-gpu", "cpu-only-build", "cuda-library-missing", "driver-missing", "gpu-vendor-unsupported",
        "metal-plugin-missing", "directml-missing", "directml-unsupported", "driver-unhealthy",
    )
)  # fmt: skip


class Claim(NamedTuple):
    """A match with the code that it stands for on this machine.

    ``fix`` has the steps that the signature itself names, ``alone`` says whether these are all; ``groups``, ``line`` and
    ``signature`` are what the computed steps depend on.
    """

    code: str
    weight: float
    severity: str
    summary: str
    number: int
    evidence: Tuple[Evidence, ...]
    expects_gpu: bool = False
    fix: Sequence[Mapping[str, Any]] = ()
    alone: bool = False
    groups: Mapping[str, str] = MappingProxyType({})
    line: str = ""
    signature: str = ""
