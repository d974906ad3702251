"""Runs an operation of the suite in one framework, in this process."""

from typing import Any, Callable, Dict, Sequence, Tuple

import numpy as np

from ....records import Record
from .operation import Operation

#: From the name of a kind to the function of its options and inputs.
Kinds = Dict[str, Callable[..., Any]]


class OperationOutcome(Record):
    """The outcome of one operation.

    Attributes
    ----------
    outputs : tuple of numpy.ndarray
        In the dtype that the framework gave; bfloat16 as float32.
    gradients : tuple of numpy.ndarray
        One for each of ``operation.differentiated``, of ``sum(output * cotangent)`` over all float outputs.
    ran_on : str
        If it ran (the framework's own name of the device); "" if the framework does not say. If parts of it ran elsewhere
        than on the requested device, the name of that other device.
    error : str
        The error message, "" if there was none.
    unsupported : bool
        Whether the device has no kernel for it, or not in this dtype: then ``error`` says so, and ``outputs`` and
        ``gradients`` are those from elsewhere, if it could run anywhere.
    """

    outputs: Tuple[np.ndarray, ...] = ()
    gradients: Tuple[np.ndarray, ...] = ()
    ran_on: str = ""
    error: str = ""
    unsupported: bool = False


class Engine:
    """Runs the operations of `devicekit.measure.numerics.operations.catalog` in one framework.

    An engine lives in a worker of its own, where `devicekit.auto` has set the device, and may change global state.

    Attributes
    ----------
    framework : str
        As in `Selection.framework`.
    """

    framework: str = ""

    def devices(self) -> Tuple[str, ...]:
        """Return the framework's own names of the devices that it can use, the CPU first."""
        raise NotImplementedError

    def device_name(self, device: str) -> str:
        """Return the framework's own name for one of devicekit's: ``"cpu"``, ``"gpu:0"``.

        Raises
        ------
        LookupError
            If the framework has no such device.
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
        """Return the dtypes to try on a device (the framework's own name); ``"float64"`` if it has that."""
        return ("float64", "float32", "float16", "bfloat16")

    def run(
        self, operation: Operation, arrays: Sequence[np.ndarray], dtype: str, device: str, seed: int = 0
    ) -> OperationOutcome:
        """Compute an operation and its gradients on a device.

        What the device or the framework cannot do raises nothing: it is an `OperationOutcome`.

        Parameters
        ----------
        arrays : sequence of numpy.ndarray
            The inputs, as `devicekit.measure.numerics.operations.input_values.arrays` returns them: float64, to be cast to
            ``dtype``, or int32.
        dtype : str
            ``"float64"``, ``"float32"``, ``"float16"`` or ``"bfloat16"``.
        device : str
            The framework's own name, such as ``"/device:GPU:0"``.
        seed : int
            For `cotangent`.
        """
        raise NotImplementedError
