"""DirectX 12 and DirectML: on Windows from the registry, on WSL from the bridge device and its libraries.

Sources: the search and the filters of TensorFlow's DirectML builds; the registry keys that DXGI keeps of each adapter.
"""

from typing import Any, Dict, List, Optional, Tuple

from ..facts import DeviceNode, DirectMl, DxAdapter, Fact
from ..host import Host
from .native import find_libraries

__all__ = ["parse_dx_adapter", "read_directml"]

_DXG = "/dev/dxg"
_NAMES = ("libd3d12.so", "libd3d12core.so", "libdxcore.so", "d3d12.dll", "dxcore.dll", "directml.dll")
_REGISTRY = "SOFTWARE\\Microsoft\\DirectX"

#: torch-directml ships link stubs of a few kilobytes under these names; the real libraries are far larger.
_STUB_FOLDER = "torch_directml"


def read_directml(host: Host) -> DirectMl:
    """Return the DirectX bridge, libraries and adapters."""
    dxg: Fact[DeviceNode] = Fact.absent(_DXG)
    if host.system == "linux" and host.exists(_DXG):
        dxg = Fact.of(DeviceNode(_DXG, host.accessible(_DXG)), _DXG)
    libraries = find_libraries(host, lambda name: name.lower() in _NAMES)
    if libraries.known and libraries.content:
        real = tuple(item for item in libraries.content if _STUB_FOLDER not in item.path)
        libraries = Fact.of(real, libraries.source)
    return DirectMl(dxg=dxg, libraries=libraries, bundled=_read_bundled(host), adapters=_read_adapters(host))


def _read_bundled(host: Host) -> "Fact[str]":
    """Find the DirectML library that a TensorFlow distribution brings along."""
    folders = []
    for entry in dict.fromkeys(host.interpreter.sys_path):
        folders += [
            host.join(entry, "tensorflow_core"),
            host.join(entry, "tensorflow_core", "python"),
            host.join(entry, "tensorflow-plugins", "directml"),
        ]
    for folder in folders:
        try:
            names = host.list_dir(folder)
        except OSError:  # not there: this distribution is not installed
            continue
        for entry_ in names:
            lower = entry_.name.lower()
            if lower.startswith(("libdirectml.", "directml.")) and lower.endswith((".so", ".dll")):
                return Fact.of(host.scrub(host.join(folder, entry_.name)), host.scrub(folder))
    return Fact.absent("the TensorFlow distributions' own folders")


def _read_adapters(host: Host) -> "Fact[Tuple[DxAdapter, ...]]":
    if host.system == "linux":
        if host.exists(_DXG):
            return Fact.unknown("the adapters behind the bridge can only be asked through DXCore", _DXG)
        return Fact.absent(_DXG)
    if host.system != "windows":
        return Fact.absent(problem="DirectX exists on Windows and WSL only")
    source = "HKEY_LOCAL_MACHINE\\" + _REGISTRY
    try:
        keys = host.registry(_REGISTRY)
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), source)
    newest = max((values.get("LastSeen", 0) for _, values in keys), default=0)
    adapters: List[DxAdapter] = []
    for _, values in keys:
        # DXGI keeps entries of cards that are gone; only those seen at the last start are there.
        if values.get("Description") and values.get("LastSeen", newest) == newest:
            adapters.append(parse_dx_adapter(values))
    return Fact.of(tuple(adapters), source)


def parse_dx_adapter(values: Dict[str, Any]) -> DxAdapter:
    """Return an adapter from its registry values.

    ::

        {"Description": "AMD Radeon RX 6700 XT", "VendorId": 4098, "DeviceId": 29663, "DriverVersion": 8725724284,
         "DedicatedVideoMemory": 12868124672, "MaxD3D12FeatureLevel": 49664}

    The driver version is four 16-bit numbers in one. Vendor 0x1414, device 0x8c is Microsoft's software renderer.
    """
    vendor, device = int(values.get("VendorId", 0)), int(values.get("DeviceId", 0))
    packed = values.get("DriverVersion")
    version = ""
    if isinstance(packed, int):
        version = ".".join(str(packed >> shift & 0xFFFF) for shift in (48, 32, 16, 0))
    memory: Optional[int] = values.get("DedicatedVideoMemory")
    level = values.get("MaxD3D12FeatureLevel")
    return DxAdapter(
        name=str(values["Description"]).rstrip("\0"),
        vendor_id="%04x" % vendor,
        device_id="%04x" % device,
        driver_version=version,
        memory_bytes=memory if isinstance(memory, int) else None,
        software=(vendor, device) == (0x1414, 0x8C),
        feature_level=level if isinstance(level, int) else None,
    )
