"""What every adapter's smoke operation computes: [[1, 2], [3, 4]] squared; every float format has these values exactly."""

from typing import Any

MATRIX = [[1.0, 2.0], [3.0, 4.0]]


def check_product(product: Any) -> None:
    """Compare rows of numbers with what `MATRIX` squared is.

    Raises
    ------
    ArithmeticError
        Where they differ.
    """
    rows = [[float(item) for item in row] for row in product]
    if rows != [[7.0, 10.0], [15.0, 22.0]]:
        raise ArithmeticError("[[1, 2], [3, 4]] squared came out as %s" % rows)


class NoKernel(Exception):
    """The operation has no kernel on the device: the framework has run it on the CPU."""


def check_place(device: str) -> None:
    """See that an operation which was meant for an accelerator ran on one.

    Raises
    ------
    NoKernel
        If it ran on the CPU.
    """
    if device.rpartition("device:")[2].lower().startswith("cpu"):
        raise NoKernel("a matrix product has no kernel on the accelerator: it ran on %s" % device)
