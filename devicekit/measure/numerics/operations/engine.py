"""What runs an operation of the suite in one framework."""

from typing import Optional, Sequence, Tuple

import numpy as np

from ....records import Record
from .operation import Operation

__all__ = ["Engine", "Outcome", "engine"]


class Outcome(Record):
    """What became of one operation.

    Attributes
    ----------
    outputs : tuple of numpy.ndarray
        In the dtype that the framework gave; bfloat16 as float32.
    gradients : tuple of numpy.ndarray
        One for each of ``operation.differentiated``, of ``sum(output * cotangent)`` over all float outputs.
    ran_on : str
        Where the framework says that it ran (its own name of the device); "" where it does not say. Where parts of it
        ran elsewhere than on the device that was asked for, the name of that other device.
    error : str
        What was raised, "" where nothing was.
    unsupported : bool
        Whether the device has no kernel for it, or not in this dtype: then ``error`` says so, and ``outputs`` and
        ``gradients`` hold what came out elsewhere, where it could be run at all.
    """

    outputs: Tuple[np.ndarray, ...] = ()
    gradients: Tuple[np.ndarray, ...] = ()
    ran_on: str = ""
    error: str = ""
    unsupported: bool = False


class Engine:
    """Runs the operations of `devicekit.measure.numerics.operations.catalog` in one framework, in this process.

    An engine is made in a worker of its own, where `devicekit.auto` has set the device, and may change global state.

    Attributes
    ----------
    framework : str
        As in `Selection.framework`.
    """

    framework: str = ""

    def devices(self) -> Tuple[str, ...]:
        """Return the framework's own names of the devices that it can use, the processor first."""
        raise NotImplementedError

    def device_name(self, device: str) -> str:
        """Return the framework's own name for one of devicekit's: ``"cpu"``, ``"gpu:0"``.

        Raises
        ------
        LookupError
            Where the framework has no such device.
        """
        from ....runtime.frameworks import adapter
        from ....selection.request import parse_request

        name = adapter(self.framework).device_name(parse_request(device))
        if name is None:
            raise LookupError("%s has no device %r; it has %s" % (self.framework, device, ", ".join(self.devices())))
        return name

    def kinds(self) -> Tuple[str, ...]:
        """Return what it can compute, as in `devicekit.measure.numerics.operations.catalog.KINDS`."""
        raise NotImplementedError

    def dtypes(self, device: str) -> Tuple[str, ...]:
        """Return the dtypes to try on a device (the framework's own name); ``"float64"`` where it has that."""
        return ("float64", "float32", "float16", "bfloat16")

    def run(
        self, operation: Operation, arrays: Sequence[np.ndarray], dtype: str, device: str, seed: int = 0
    ) -> Outcome:
        """Compute an operation and its gradients on a device.

        Nothing is raised for what the device or the framework cannot do: that is an `Outcome`.

        Parameters
        ----------
        operation : Operation
        arrays : sequence of numpy.ndarray
            The inputs, as `measure.numerics.operations.arrays` gives them: float64, to be cast to ``dtype``, or int32.
        dtype : str
            ``"float64"``, ``"float32"``, ``"float16"`` or ``"bfloat16"``.
        device : str
            The framework's own name, such as ``"/device:GPU:0"``.
        seed : int
            For `cotangent`.
        """
        raise NotImplementedError


def engine(framework: Optional[str]) -> Engine:
    """Return the engine of a framework; this imports the framework.

    Raises
    ------
    ImportError
        Or whatever else the framework's import raises.
    """
    if framework == "jax":
        from .engine_jax import JaxEngine

        return JaxEngine()
    if framework == "torch":
        from .engine_torch import TorchEngine

        return TorchEngine()
    if framework == "tensorflow1":
        from .engine_tensorflow1 import TensorFlow1Engine

        return TensorFlow1Engine()
    from .engine_tensorflow import TensorFlowEngine

    return TensorFlowEngine()
