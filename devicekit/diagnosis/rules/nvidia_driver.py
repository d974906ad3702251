"""Which NVIDIA driver is there, and which one the GPUs and a CUDA release need. Pure."""

from typing import Optional, Tuple

from ...matrix.gpu_support import DriverLimit, DriverNeed, driver_limits, needed_driver
from ..view import View


def driver_version(view: View) -> Tuple[str, str]:
    """Return the version of NVIDIA's driver that programs meet, and where it was seen; "" if it is not known."""
    driver = view.machine.driver
    # In WSL the driver is Windows' own, of which only NVML tells; so on Windows.
    windows = view.machine.native.system == "windows" or bool(view.machine.process.wsl.or_none())
    fact = driver.nvidia_version if windows else driver.nvidia_kernel_version
    return fact.or_none() or "", fact.source


def capabilities_of(view: View) -> Tuple[str, ...]:
    """Return the known compute capabilities of the NVIDIA GPUs."""
    found = [item.compute_capability or view.matrix.compute_capability(item.name) for item in view.vendor("nvidia")]
    return tuple(text for text in found if text)


def driver_need(view: View, cuda: str, compiled: bool = False) -> Optional[DriverNeed]:
    """Return the oldest driver that a build for a CUDA release needs here, None if it is not known.

    ``compiled``: the driver has to compile the build's code for the GPUs.
    """
    windows = view.machine.native.system == "windows" or bool(view.machine.process.wsl.or_none())
    return needed_driver(cuda, capabilities_of(view), "windows" if windows else "linux", view.matrix, compiled)


def driver_limit(view: View) -> Optional[DriverLimit]:
    """Return the last driver branch for the oldest of the NVIDIA GPUs, None where current drivers support all of them."""
    limits = driver_limits(capabilities_of(view), view.matrix)
    return limits[0] if limits else None
