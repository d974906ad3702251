"""What AMD's GPUs do now, from the files of the kernel driver amdgpu: no library and no child process is needed.

Documented in the kernel's own pages ("GPU Power/Thermal Controls and Monitoring", "amdgpu driver: memory"). What holds the
clocks down is only in the binary ``gpu_metrics``, whose layout differs by generation: it is left out.
"""

import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from ..host import Host
from .rocm import parse_properties

_KFD = "/sys/class/kfd/kfd"


class AmdGpuFiles(NamedTuple):
    """A GPU: its number in ROCm's order, the driver's for it, the folder of its device, and that of its sensors."""

    number: int
    gpu_id: str
    device: str
    sensors: str


def find_amd_gpus(host: Host) -> Tuple[AmdGpuFiles, ...]:
    """Return the GPUs that can compute, of which a container may see some only (Linux)."""
    found: List[AmdGpuFiles] = []
    nodes = host.join(_KFD, "topology", "nodes")
    names = host.names_if_any(nodes) if host.system == "linux" else []
    for name in sorted(names, key=lambda text: (len(text), text)):
        minor = parse_properties(host.text_or_none(host.join(nodes, name, "properties"), 8192) or "").get(
            "drm_render_minor", 0
        )
        if minor:
            device = "/sys/class/drm/renderD%d/device" % minor
            folders = [host.join(device, "hwmon", item) for item in host.names_if_any(host.join(device, "hwmon"))]
            gpu_id = (host.text_or_none(host.join(nodes, name, "gpu_id"), 64) or "").strip()
            found.append(AmdGpuFiles(len(found), gpu_id, device, min(folders, default="")))
    return tuple(found)


def read_amd_loads(host: Host, gpus: Tuple[AmdGpuFiles, ...]) -> List[Dict[str, Any]]:
    """Return what ``nvml_child.py`` reports of NVIDIA's GPUs, as far as the files say."""
    return [_load(host, gpu) for gpu in gpus]


def _load(host: Host, gpu: AmdGpuFiles) -> Dict[str, Any]:
    def number(folder: str, name: str) -> Optional[int]:
        text = (host.text_or_none(host.join(folder, name), 64) or "").strip() if folder else ""
        return int(text) if re.match(r"\d{1,18}$", text) else None

    total, used = (number(gpu.device, "mem_info_vram_%s" % name) for name in ("total", "used"))
    power = number(gpu.sensors, "power1_average")
    power = number(gpu.sensors, "power1_input") if power is None else power
    clock, clock_max = parse_clocks(host.text_or_none(host.join(gpu.device, "pp_dpm_sclk"), 4096) or "")
    hertz = number(gpu.sensors, "freq1_input")
    load: Dict[str, Any] = {
        "index": gpu.number,
        "source": "amdgpu",
        "utilization_percent": number(gpu.device, "gpu_busy_percent"),
        "memory": [total, total - used, used] if total is not None and used is not None else None,
        "clock_mhz": clock if hertz is None else hertz // 10**6,
        "clock_max_mhz": clock_max,
        "temperature_c": _part(number(gpu.sensors, "temp1_input"), 10**3),
        "power_w": _watts(power),
        "power_limit_w": _watts(number(gpu.sensors, "power1_cap")),
        "power_default_w": _watts(number(gpu.sensors, "power1_cap_default")),
        "pids": _processes(host, gpu.gpu_id),
    }
    return {name: value for name, value in load.items() if value is not None}


def _part(value: Optional[int], unit: int) -> Optional[int]:
    return None if value is None else value // unit


def _watts(value: Optional[int]) -> Optional[float]:
    return None if value is None else value / 1e6


def parse_clocks(text: str) -> Tuple[Optional[int], Optional[int]]:
    """Return the clock that is set and the highest one, in MHz.

    ::

        0: 500Mhz
        1: 1265Mhz *
        2: 2615Mhz
    """
    lines = re.findall(r"^\w+: (\d{1,6})Mhz ?(\*?)", text, re.M | re.I)
    now = [int(clock) for clock, mark in lines if mark]
    return (now[0] if now else None), max((int(clock) for clock, _ in lines), default=None)


def _processes(host: Host, gpu_id: str) -> Optional[List[int]]:
    """Return the processes that hold memory of a GPU: each has a file for each GPU, with bytes; None if that is not known."""
    folder = host.join(_KFD, "proc")
    if not gpu_id or not host.is_dir(folder):
        return None
    held = {
        name: host.text_or_none(host.join(folder, name, "vram_" + gpu_id), 64) for name in host.names_if_any(folder)
    }
    return [int(name) for name, text in held.items() if name.isdecimal() and (text or "0").strip() != "0"]
