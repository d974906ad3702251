"""An engine of NumPy's for the tests of the suite: a few operations, and devices with one fault each."""

import os
import time

import numpy as np

from devicekit.measure.numerics.operations.engine import Engine, OperationOutcome
from devicekit.measure.numerics.operations.operation import cotangent

#: What is wrong with a device.
FAULTS = {
    "cpu": "",
    "gpu:0": "",
    "gpu:1": "gradient",
    "gpu:2": "crash",
    "gpu:3": "hang",
    "gpu:4": "missing",
    "gpu:5": "tf32",
    "gpu:6": "bit",
    "gpu:7": "always crash",
    "gpu:8": "raise",
    "gpu:9": "no device",
}


class NumPyEngine(Engine):
    """Computes matrix products, relu, sums and reversal."""

    framework = "numpy"

    def devices(self):
        return tuple(FAULTS)

    def device_name(self, device):
        if FAULTS[device] == "no device":
            raise LookupError("there is no %s" % device)
        return device

    def kinds(self):
        return ("matmul", "relu", "sum", "reverse")

    def dtypes(self, device):
        return ("float64", "float32", "float16")

    def run(self, operation, arrays, dtype, device, seed=0):
        fault = FAULTS[device]
        if (fault == "crash" and operation.operation == "relu") or fault == "always crash":
            os.abort()
        if fault == "hang" and operation.operation == "relu":
            time.sleep(600)
        if fault == "raise" and operation.operation == "relu":
            return OperationOutcome(error="RuntimeError: the kernel failed")
        inputs = [array.astype(dtype) for array in arrays]
        outputs, gradients = getattr(self, operation.operation)(operation, inputs, dtype, fault, seed)
        if fault == "gradient" and operation.operation == "matmul":
            gradients[1] = gradients[1] * np.asarray(0.5, dtype)
        if fault == "bit" and operation.operation == "reverse":
            outputs = np.nextafter(outputs, np.asarray(np.inf, dtype))
        missing = fault == "missing" and operation.operation == "matmul"
        return OperationOutcome(
            (outputs,),
            tuple(gradients),
            "cpu" if missing else device,
            "NotFoundError: MatMul: no kernel" if missing else "",
            missing,
        )

    def matmul(self, operation, inputs, dtype, fault, seed):
        if fault == "tf32":
            inputs = [cut(item) for item in inputs]
        a, b = inputs
        options = operation.options
        left = np.swapaxes(a, -1, -2) if options["transpose_a"] else a
        right = np.swapaxes(b, -1, -2) if options["transpose_b"] else b
        product = left @ right
        weights = cotangent(operation, product.shape, seed, dtype=dtype).astype(dtype)
        if fault == "tf32":
            weights = cut(weights)
        to_left, to_right = weights @ np.swapaxes(right, -1, -2), np.swapaxes(left, -1, -2) @ weights
        return product, [
            np.swapaxes(to_left, -1, -2) if options["transpose_a"] else to_left,
            np.swapaxes(to_right, -1, -2) if options["transpose_b"] else to_right,
        ]

    def relu(self, operation, inputs, dtype, fault, seed):
        (x,) = inputs
        found = np.maximum(x, 0)
        if not operation.differentiable:
            return found, []
        return found, [np.where(x > 0, cotangent(operation, x.shape, seed, dtype=dtype).astype(dtype), 0)]

    def sum(self, operation, inputs, dtype, fault, seed):
        (x,) = inputs
        axes = operation.options["axes"]
        found = np.asarray(x.sum(axis=axes))
        if not operation.differentiable:
            return found, []
        weights = cotangent(operation, found.shape, seed, dtype=dtype).astype(dtype)
        return found, [np.broadcast_to(np.expand_dims(weights, axes[0]), x.shape)]

    def reverse(self, operation, inputs, dtype, fault, seed):
        axis = operation.options["axis"]
        found = np.flip(inputs[0], axis)
        return found, [np.flip(cotangent(operation, found.shape, seed, dtype=dtype).astype(dtype), axis)]


def cut(array):
    """Take 13 bits away from float32's 23, as TF32 does."""
    if array.dtype != np.float32:
        return array
    bits = np.ascontiguousarray(array).view(np.uint32)
    return (bits & np.uint32(0xFFFFE000)).view(np.float32).reshape(array.shape)
