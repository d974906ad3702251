"""The devices that a thread's open ``with torch.device(...)`` scopes have set, to be taken away and restored.

PyTorch keeps open scopes, and other ways to change what its functions do, on a stack of the thread. It has no public way to
put a stack back as it was; these are the functions that its own default device is made with.
"""

from typing import Any, Tuple

import torch


def open_devices() -> Tuple[Any, ...]:
    """Return the device scopes that are open in this thread, the outer ones first."""
    if not torch._C._len_torch_function_stack():
        return ()
    from torch.overrides import _get_current_function_mode_stack
    from torch.utils._device import DeviceContext

    return tuple(mode for mode in _get_current_function_mode_stack() if isinstance(mode, DeviceContext))


def put_back(wanted: Tuple[Any, ...]) -> None:
    """Leave just these device scopes open in this thread, and everything else on the stack as it is."""
    present = open_devices()
    if present == wanted:
        return
    from torch.overrides import _get_current_function_mode_stack, _pop_mode, _push_mode

    modes = _get_current_function_mode_stack()
    for _ in modes:
        _pop_mode()
    for mode in list(wanted) + [mode for mode in modes if mode not in present]:
        _push_mode(mode)
