"""The scope in which a layer computes: a device, in float64 or in the model's own dtype."""

import contextlib
import sys
from typing import Any, Iterator, Optional

import numpy as np

from ....runtime.frameworks.tensors import HostArray, Tensors


@contextlib.contextmanager
def computing_on(device: str, tensors: Tensors, double: bool) -> Iterator[None]:
    """Make tensors, and compute with them, on a device; in float64 if requested."""
    from ....diagnosis.findings import name_of
    from ....runtime.scope import device_scope

    wide = tensors.double_precision() if double else contextlib.nullcontext()
    with wide, _keeping_float64(double), device_scope(device, framework=name_of(tensors.framework)):
        yield


def make(tensors: Tensors, array: HostArray, double: bool) -> Any:
    """Return a tensor on the device of the open scope; floats in float64 if requested."""
    return tensors.to_tensor(array.array, "float64" if double and array.is_float else array.dtype)


def held(tensors: Tensors, value: Any) -> Optional[HostArray]:
    """Return the values of a tensor or of a NumPy array; None for anything else, or if it has no values yet."""
    if isinstance(value, np.ndarray):
        return HostArray(value, str(value.dtype))
    if not tensors.is_tensor(value) or tensors.is_traced(value):
        return None
    return HostArray(tensors.to_numpy(value), tensors.dtype_of(value))


@contextlib.contextmanager
def _keeping_float64(double: bool) -> Iterator[None]:
    """Let Keras 3 compute products of float64 in float64: its rules of promotion, private, make float32 of it (as of 3.0)."""
    table = getattr(sys.modules.get("keras.src.backend.common.dtypes"), "BIT64_TO_BIT32_DTYPE", None)
    before = table.get("float64") if double and isinstance(table, dict) else None
    if table is None or before is None:
        yield
        return
    table["float64"] = "float64"
    try:
        yield
    finally:
        table["float64"] = before
