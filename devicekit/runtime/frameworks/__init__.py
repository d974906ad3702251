"""The only package that imports a framework, each at its first use.

`adapter` returns the `Adapter` of a framework: devices, memory, default device, precision, seed. `tensors_of` returns its
`Tensors`: arrays, gradients, placement and random state.
"""

from typing import TYPE_CHECKING, Optional, Sequence

from ...errors import foreign_code
from .interface import Adapter

if TYPE_CHECKING:  # it imports NumPy
    from .tensors import Tensors

__all__ = ["Adapter", "adapter", "is_running", "tensors_of"]


def adapter(framework: Optional[str], device_type: str = "", others: Sequence[str] = ()) -> Adapter:
    """Return the adapter of a framework; this imports the framework.

    Parameters
    ----------
    framework : str or None
        ``"tensorflow"``, ``"tensorflow1"``, ``"jax"`` or ``"torch"``.
    device_type, others
        See `Adapter`.

    Raises
    ------
    ImportError
        Or whatever other `Exception` the framework's import raises.
    """
    with foreign_code():
        found = _adapter(framework)
    found.device_type, found.others = device_type, tuple(others)
    return found


def is_running(framework: Optional[str]) -> bool:
    """Return whether a framework that is imported has fixed its devices; False if it is broken, which its import will show."""
    try:
        with foreign_code():
            return adapter(framework).initialized()
    except Exception:  # half imported, or something else of that name
        return False


def _adapter(framework: Optional[str]) -> Adapter:
    if framework == "jax":
        from .keras_jax import JaxAdapter

        return JaxAdapter()
    if framework == "torch":
        from .keras_torch import TorchAdapter

        return TorchAdapter()
    if framework == "tensorflow1":
        from .tensorflow1 import TensorFlow1Adapter

        return TensorFlow1Adapter()
    from .tensorflow import TensorFlowAdapter

    return TensorFlowAdapter()


def tensors_of(framework: Optional[str]) -> "Tensors":
    """Return the `Tensors` of a framework; this imports the framework.

    Raises
    ------
    ImportError
        Or whatever else the framework's import raises.
    """
    if framework == "jax":
        from .tensors_jax import JaxTensors

        return JaxTensors()
    if framework == "torch":
        from .tensors_torch import TorchTensors

        return TorchTensors()
    from .tensors_tensorflow import GraphTensors, TensorFlowTensors

    return GraphTensors() if framework == "tensorflow1" else TensorFlowTensors()
