"""What a device takes, as its driver counts it. Only for worker processes.

NVIDIA's driver counts the energy of a GPU since Volta (`nvmlDeviceGetTotalEnergyConsumption`, in millijoules). Of
processors Linux counts that of each package (RAPL), which only an administrator may read.
"""

import glob
from typing import Callable, List, Optional

_RAPL = "/sys/class/powercap/intel-rapl:[0-9]"


class EnergyMeter:
    """Reads a counter of energy.

    Parameters
    ----------
    read : callable or None
        Returns joules since some time in the past, None if it cannot.
    """

    def __init__(self, read: Optional[Callable[[], Optional[float]]] = None) -> None:
        self._read = read

    def joules(self) -> Optional[float]:
        """Return what the counter shows; None if there is none."""
        return None if self._read is None else self._read()


def meter_of(platform: str, uuid: str) -> EnergyMeter:
    """Return the meter of a device.

    Parameters
    ----------
    platform : str
        As in `Selection.platform`.
    uuid : str
        Of an NVIDIA GPU; without it there is no meter.
    """
    if platform == "cuda" and uuid:
        return EnergyMeter(_nvml(uuid))
    if platform == "cpu":
        paths = sorted(glob.glob(_RAPL + "/energy_uj"))
        return EnergyMeter((lambda: _rapl(paths)) if paths and _rapl(paths) is not None else None)
    return EnergyMeter()


def _rapl(paths: List[str]) -> Optional[float]:
    """Return the joules of all packages."""
    total = 0
    for path in paths:
        try:
            with open(path, encoding="ascii") as stream:
                total += int(stream.read())
        except (OSError, ValueError):
            return None
    return total / 1e6


def _nvml(uuid: str) -> Optional[Callable[[], Optional[float]]]:
    try:
        import pynvml  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByUUID(uuid.encode("ascii"))
        pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)
    except pynvml.NVMLError:
        return None

    def read() -> Optional[float]:
        try:
            return float(pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)) / 1000.0
        except pynvml.NVMLError:
            return None

    return read
