"""What a device can compute at most, as its maker says. Pure."""

import re
from typing import Optional

from .matrix import Matrix

#: What drivers' names carry besides the model, and makes no difference to the speed.
_NOISE = re.compile(r"(nvidia|amd|tesla|geforce|instinct|gpu|\d+gb|hbm\d?e?|sxm\d?|pcie|oam)$")


def peak_flops(name: str, precision: str, matrix: Matrix) -> Optional[float]:
    """Return the most floating-point operations per second of a device; None if that is not known.

    Parameters
    ----------
    name : str
        As the driver says.
    precision : {"float32", "tf32", "float16", "bfloat16"}
        TF32 of a device without it is float32.
    matrix : Matrix

    >>> from .matrix import BUNDLED
    >>> peak_flops("NVIDIA A100-SXM4-80GB", "bfloat16", BUNDLED), peak_flops("Tesla T4", "tf32", BUNDLED)
    (312000000000000.0, 8100000000000.0)
    >>> peak_flops("NVIDIA GeForce RTX 4090 Laptop GPU", "float32", BUNDLED), peak_flops("Tesla T4", "bfloat16", BUNDLED)
    (None, None)
    """
    words = re.findall(r"[a-z0-9]+", name.lower())
    best, found = 0, None
    for row in matrix.peaks():
        model = row["name"].lower().split()
        left = [word for word in words if word not in model]
        if all(word in words for word in model) and all(_NOISE.match(word) for word in left) and len(model) > best:
            best, found = len(model), row
    if found is None:
        return None
    speed = found.get(precision, found["float32"] if precision == "tf32" else None)
    return None if speed is None else float(speed) * 1e12
