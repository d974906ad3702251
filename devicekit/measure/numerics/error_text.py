"""Whether an exception of a framework says that the device has no kernel for the operation."""

from typing import Union


def is_missing_kernel(error: Union[BaseException, str]) -> bool:
    """Return whether an error of something that runs on the CPU says that the device has no kernel for it, or its dtype."""
    from ...logs.errors import NO_KERNEL, classify_error

    return classify_error(error, arguments_valid=True) in NO_KERNEL
