"""The Python half of the simulated PyTorch device: registers it under the name ``sim`` when PyTorch is imported.

PyTorch calls `load` itself, by the entry point ``torch.backends`` of the package that `build.build_torch_device` makes.
"""

import ctypes
import os
import types


def load():
    import torch

    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libdevicekit_simulated_torch.so")
    torch.ops.load_library(path)
    library = ctypes.CDLL(path)
    module = types.ModuleType("torch.sim")
    module.device_count = lambda: int(os.environ.get("DEVICEKIT_SIM_COUNT", "1"))
    module.is_available = lambda: module.device_count() > 0
    module.is_initialized = lambda: True
    module.current_device = library.devicekit_sim_current
    module.set_device = lambda device: library.devicekit_sim_set(
        torch.device(device).index if isinstance(device, str) else device
    )
    module._is_in_bad_fork = lambda: False
    module.manual_seed_all = lambda seed: None
    torch.utils.rename_privateuse1_backend("sim")
    torch._register_device_module("sim", module)
    torch.utils.generate_methods_for_privateuse1_backend()
