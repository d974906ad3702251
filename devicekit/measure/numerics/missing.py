"""Tells "the device has no kernel for it" from other errors, by what frameworks say. Pure."""

import re
from typing import Iterable, Tuple

__all__ = ["fallbacks", "is_missing_kernel"]

#: What TensorFlow, PyTorch and XLA raise where a device cannot compute something, in the order of the list.
_MISSING = re.compile(
    r"No OpKernel was registered|Could not satisfy (?:explicit )?device specification|no supported kernel for"
    r"|Could not find (?:valid )?device for node|Op type not registered"
    r"|Could not run '[\w:.]+' with arguments from the '\w+' backend|is not currently (?:supported|implemented) (?:on|for)"
    r"|not implemented for '(?:Half|BFloat16|Float|Double|Int|Long|Char)'|doesn't support float64|does not support float64"
    r"|UNIMPLEMENTED|Unimplemented|is not supported on this (?:backend|platform|device)|not supported on (?:MPS|TPU)",
)

#: What PyTorch warns of where an operation of a device without a kernel for it runs on the processor instead
#: (aten/src/ATen/mps/MPSFallback.mm; torch-directml uses the same words).
_FALLBACK = re.compile(
    r"[Tt]he operator '([\w:.]+)' is not currently supported on the (\w+) backend and will fall back"
)


def is_missing_kernel(error: BaseException) -> bool:
    """Return whether an exception says that the device has no kernel for an operation, or not for its dtype."""
    if isinstance(error, NotImplementedError):
        return True
    return type(error).__name__ == "UnimplementedError" or _MISSING.search(str(error)) is not None


def fallbacks(messages: Iterable[str]) -> Tuple[str, ...]:
    """Return the operators that warnings say ran on the processor, each once, in the order in which they came.

    >>> fallbacks(["The operator 'aten::median' is not currently supported on the MPS backend and will fall back to run "
    ...            "on the CPU. This may have performance implications."])
    ('aten::median',)
    """
    found = [match.group(1) for match in map(_FALLBACK.search, messages) if match is not None]
    return tuple(sorted(set(found), key=found.index))
