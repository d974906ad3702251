"""DirectX 12 and DirectML: on Windows from the registry and DXGI, on WSL from the bridge device and DXCore.

Sources: the search and the filters of TensorFlow's DirectML builds; the registry keys that DXGI keeps of each adapter.
"""

from typing import Any, Dict, Mapping, NamedTuple, Optional, Tuple

from ..driver_query import Question
from ..facts import DeviceNode, DirectMl, DxAdapter, Fact, Library
from ..host import Host
from .native import find_libraries

_DXG = "/dev/dxg"
_NAMES = ("libd3d12.so", "libd3d12core.so", "libdxcore.so", "d3d12.dll", "dxcore.dll", "directml.dll")
_REGISTRY = "SOFTWARE\\Microsoft\\DirectX"

#: torch-directml ships link stubs of a few kilobytes under these names; the real libraries are far larger.
_STUB_FOLDER = "torch_directml"

#: So many seconds may the child take for all adapters; what it did not come to is unknown then.
_ADAPTERS_S = 1.2


class Asked(NamedTuple):
    """What was looked up so far, and the pending question, if there is a driver to ask."""

    bundled: str
    libraries: "Optional[Fact[Tuple[Library, ...]]]" = None
    question: Optional[Question] = None


def ask_directx(host: Host) -> Asked:
    """Start to ask DirectX for its adapters, where a build of a framework is installed that would use them.

    Each adapter takes a few hundred milliseconds (Direct3D has to make a device of it), so no other caller has to wait.
    """
    bundled = _find_bundled(host)
    if host.system not in ("windows", "linux") or not (bundled or _has_others(host)):
        return Asked(bundled)
    libraries = _read_libraries(host)
    question = None
    if host.system == "windows" or any(item.name == "libdxcore.so" for item in libraries.or_none() or ()):
        question = host.ask("directx", {"directml": _library(host, bundled), "seconds": _ADAPTERS_S})
    return Asked(bundled, libraries, question)


def _library(host: Host, bundled: str) -> str:
    """The DirectML library that TensorFlow opens: the one that it brings, or one of a plain name in a folder it is told."""
    chosen = host.environ().get("TF_DIRECTML_PATH", "")
    if not (chosen and bundled):
        return bundled
    return host.join(chosen, "directml.dll" if host.system == "windows" else "libdirectml.so")


def _read_loads(host: Host, bundled: str) -> "Fact[bool]":
    """Whether that library is there at all; whether it loads, DirectX tells."""
    library = _library(host, bundled)
    if not bundled or library == bundled or host.is_file(library):
        return Fact.unknown("not asked")
    return Fact.of(False, "TF_DIRECTML_PATH", "%s is not there" % host.scrub(library))


def read_directml(host: Host, asked: Optional[Asked] = None) -> DirectMl:
    """Return the DirectX bridge, libraries and adapters; ``asked`` is what `ask_directx` returned before."""
    asked = asked or ask_directx(host)
    dxg: Fact[DeviceNode] = Fact.absent(_DXG)
    if host.system == "linux" and host.exists(_DXG):
        dxg = Fact.of(DeviceNode(_DXG, host.accessible(_DXG)), _DXG)
    bundled: Fact[str] = Fact.absent("the TensorFlow distributions' own folders")
    if asked.bundled:
        bundled = Fact.of(host.scrub(asked.bundled), host.scrub(host.path.dirname(asked.bundled)))
    known = DirectMl(
        dxg=dxg,
        libraries=asked.libraries or _read_libraries(host),
        bundled=bundled,
        adapters=_read_adapters(host),
        loads=_read_loads(host, asked.bundled),
    )
    if asked.question is None:
        return known
    try:
        answer = asked.question.answer()
    except OSError as error:
        if host.system == "windows" and known.adapters.or_none():  # what the registry says holds nonetheless
            return known.replace(failure=host.scrub(str(error)))
        source = "DXGI" if host.system == "windows" else "DXCore"
        return known.replace(adapters=Fact.unknown(host.scrub(str(error)), source))
    # The registry has the feature levels of cards of their kind.
    levels = {(item.vendor_id, item.device_id): item.feature_level for item in known.adapters.or_none() or ()}
    found = [
        item.replace(
            name=host.scrub(item.name),
            problem=host.scrub(item.problem),
            feature_level=levels.get((item.vendor_id, item.device_id)),
        )
        for item in parse_directx(answer)
    ]
    source = str(answer.get("source", ""))
    loads = known.loads
    if asked.bundled and not loads.known:
        loads = Fact.of("unloadable" not in answer, source, host.scrub(str(answer.get("unloadable", ""))))
    return known.replace(
        adapters=Fact.of(tuple(found), source),
        ordered=True,
        failure=host.scrub(str(answer.get("failure", ""))),
        loads=loads,
        registered=known.adapters.or_none() or (),
    )


def _read_libraries(host: Host) -> "Fact[Tuple[Library, ...]]":
    libraries = find_libraries(host, lambda name: name.lower() in _NAMES)
    if libraries.known and libraries.content:
        real = tuple(item for item in libraries.content if _STUB_FOLDER not in item.path)
        libraries = Fact.of(real, libraries.source)
    return libraries


def _find_bundled(host: Host) -> str:
    """Return the path of the DirectML library that a TensorFlow distribution brings along, "" where there is none."""
    folders = []
    for entry in dict.fromkeys(host.interpreter.sys_path):
        folders += [
            host.join(entry, "tensorflow_core"),
            host.join(entry, "tensorflow_core", "python"),
            host.join(entry, "tensorflow-plugins", "directml"),
        ]
    for folder in folders:
        for name in host.names_if_any(folder):
            lower = name.lower()
            if lower.startswith(("libdirectml.", "directml.")) and lower.endswith((".so", ".dll")):
                return host.join(folder, name)
    return ""


def _has_others(host: Host) -> bool:
    """Whether torch-directml, or ONNX Runtime with DirectML, is installed."""
    for entry in dict.fromkeys(host.interpreter.sys_path):
        if host.is_dir(host.join(entry, _STUB_FOLDER)):
            return True
        if host.system == "windows" and host.is_file(host.join(entry, "onnxruntime", "capi", "DirectML.dll")):
            return True
    return False


def _read_adapters(host: Host) -> "Fact[Tuple[DxAdapter, ...]]":
    """The adapters as far as they are known without DirectX: the registry's, in no order."""
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
    # There are other keys as well, which may have such a time too.
    cards = [values for _, values in keys if values.get("Description")]
    seen = [values.get("LastSeen") for values in cards]
    newest = max((time for time in seen if isinstance(time, int)), default=None)
    # DXGI keeps entries of cards that are gone; only those seen at the last start are there.
    there = [values for values, time in zip(cards, seen) if time == newest or not isinstance(time, int)]
    return Fact.of(tuple(map(parse_dx_adapter, there)), source)


def parse_directx(answer: Mapping[str, Any]) -> Tuple[DxAdapter, ...]:
    """Return the adapters from the answer of ``directx_child.py``.

    ::

        {"source": "DXCore", "failure": "", "adapters": [
          {"name": "AMD Radeon RX 6700 XT", "vendor_id": 4098, "device_id": 29663, "driver": 8725724278095877,
           "memory": 12868124672, "software": false, "compute_only": false, "neural": false, "direct3d": true,
           "directml": false, "problem": "its driver lacks the data type int16"}]}
    """
    return tuple(
        DxAdapter(
            name=str(item["name"]).rstrip("\0"),
            vendor_id="%04x" % item["vendor_id"],
            device_id="%04x" % item["device_id"],
            driver_version=_version(item.get("driver")),
            memory_bytes=item.get("memory"),
            software=bool(item.get("software")),
            compute_only=bool(item.get("compute_only")),
            neural=bool(item.get("neural")),
            direct3d=item.get("direct3d"),
            directml=item.get("directml"),
            problem=str(item.get("problem", "")),
        )
        for item in answer.get("adapters", ())
    )


def _version(packed: Any) -> str:
    """The driver's version from four 16-bit numbers in one."""
    if not isinstance(packed, int):
        return ""
    return ".".join(str(packed >> shift & 0xFFFF) for shift in (48, 32, 16, 0))


def parse_dx_adapter(values: Dict[str, Any]) -> DxAdapter:
    """Return an adapter from its registry values.

    ::

        {"Description": "AMD Radeon RX 6700 XT", "VendorId": 4098, "DeviceId": 29663, "DriverVersion": 8725724284,
         "DedicatedVideoMemory": 12868124672, "MaxD3D12FeatureLevel": 49664}

    The driver version is four 16-bit numbers in one. Vendor 0x1414, device 0x8c is Microsoft's software renderer.
    """
    vendor, device = int(values.get("VendorId", 0)), int(values.get("DeviceId", 0))
    memory: Optional[int] = values.get("DedicatedVideoMemory")
    level = values.get("MaxD3D12FeatureLevel")
    return DxAdapter(
        name=str(values["Description"]).rstrip("\0"),
        vendor_id="%04x" % vendor,
        device_id="%04x" % device,
        driver_version=_version(values.get("DriverVersion")),
        memory_bytes=memory if isinstance(memory, int) else None,
        software=(vendor, device) == (0x1414, 0x8C),
        feature_level=level if isinstance(level, int) else None,
    )
