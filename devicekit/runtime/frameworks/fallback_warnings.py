"""PyTorch's warnings that an operator ran on the CPU. Pure."""

import re
from typing import Iterable, Tuple

#: What PyTorch warns of when it runs an operator on the CPU because the device has no kernel for it
#: (aten/src/ATen/mps/MPSFallback.mm; torch-directml uses the same words).
_FALLBACK = re.compile(
    r"[Tt]he operator '([\w:.]+)' is not currently supported on the (\w+) backend and will fall back"
)


def fallback_operators(messages: Iterable[str]) -> Tuple[str, ...]:
    """Return the operators that warnings say ran on the CPU, each once, in order.

    >>> fallback_operators(["The operator 'aten::median' is not currently supported on the MPS backend and will fall back to"
    ...                     " run on the CPU. This may have performance implications."])
    ('aten::median',)
    """
    found = [match.group(1) for match in map(_FALLBACK.search, messages) if match is not None]
    return tuple(dict.fromkeys(found))
