"""The suite: what models use, each with its shapes, dtypes and accumulation lengths. Data only.

An engine computes what tests/numerics/operation_kinds.py defines, from the inputs in their order and the attributes, so that
all of them compute the same where frameworks have different defaults. Shapes are channels-last, kernels are Keras's.
``padding="same"`` is that of `devicekit.runtime.frameworks.tensors.same_padding`. Every output of a float dtype has the dtype
that is tried, unless the definition says otherwise.
"""

from fnmatch import fnmatchcase
from typing import Iterable, Tuple, Union

from .catalog_layers import LAYERS
from .catalog_linear import LINEAR
from .catalog_math import DATA, MATH
from .operation import Operation

#: In the order in which they are run: what a model cannot do without comes first.
OPERATIONS: Tuple[Operation, ...] = LINEAR + LAYERS + MATH + DATA


def select(patterns: Union[str, Iterable[str], None] = None) -> Tuple[Operation, ...]:
    """Return the operations whose name or kind matches one of the patterns; all by default.

    Parameters
    ----------
    patterns : str, iterable of str or None
        As in a shell: ``"conv2d*"``, ``"*softmax*"``; upper and lower case count.

    Raises
    ------
    ValueError
        If nothing matches a pattern.
    """
    if patterns is None:
        return OPERATIONS
    wanted = (patterns,) if isinstance(patterns, str) else tuple(patterns)
    for pattern in wanted:
        if not any(_matches(item, pattern) for item in OPERATIONS):
            known = ", ".join(dict.fromkeys(item.operation for item in OPERATIONS))
            raise ValueError("no operation matches %r; there are: %s" % (pattern, known))
    return tuple(item for item in OPERATIONS if any(_matches(item, pattern) for pattern in wanted))


def magnitudes(operation: Operation) -> Operation:
    """Return the same operation on absolute values, whose results are the size of the terms of each sum."""
    return operation.replace(scale="magnitude")


def _matches(item: Operation, pattern: str) -> bool:
    return fnmatchcase(item.name, pattern) or fnmatchcase(item.operation, pattern)
