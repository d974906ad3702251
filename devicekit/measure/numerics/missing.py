"""Recognizes that a device has no kernel for an operation, from exceptions and warnings of the frameworks. Pure."""

import re
from typing import Iterable, Tuple

from ...logs.errors import NO_KERNEL, classify_error

__all__ = ["fallbacks", "is_missing_kernel"]

#: PyTorch's warning if an operation has no kernel on the device and runs on the CPU instead
#: (aten/src/ATen/mps/MPSFallback.mm; torch-directml uses the same words).
_FALLBACK = re.compile(
    r"[Tt]he operator '([\w:.]+)' is not currently supported on the (\w+) backend and will fall back"
)


def is_missing_kernel(error: BaseException) -> bool:
    """Return whether an exception says that the device has no kernel for an operation, or not for its dtype."""
    return classify_error(error) in NO_KERNEL


def fallbacks(messages: Iterable[str]) -> Tuple[str, ...]:
    """Return the operators that ran on the CPU according to warnings, each once, in order.

    >>> fallbacks(["The operator 'aten::median' is not currently supported on the MPS backend and will fall back to run "
    ...            "on the CPU. This may have performance implications."])
    ('aten::median',)
    """
    found = [match.group(1) for match in map(_FALLBACK.search, messages) if match is not None]
    return tuple(sorted(set(found), key=found.index))
