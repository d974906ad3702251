"""Asks DirectX for its adapters, and each adapter what TensorFlow's DirectML builds ask it.

Run in an isolated child process by `devicekit.machine.driver_query`: a driver may crash or hang. On Windows DXGI is
asked, elsewhere DXCore (WSL). Standard library only.

Sources: the search in microsoft/tensorflow-directml-plugin (tfdml/core/dml_adapter_impl.cc, dml_device_cache.cc); positions
in the virtual tables and identifiers from microsoft/DirectX-Headers (dxcore_interface.h) and from dxgi.h to dxgi1_6.h.
"""

import ctypes
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

#: A library by its name; tests give their own.
Load = Callable[[str], Any]

_NOT_FOUND = 0x887A0002  # DXGI_ERROR_NOT_FOUND: the end of a list
_LEVEL_11_0, _LEVEL_CORE = 0xB000, 0x1000
_HIGH_PERFORMANCE = 2  # DXGI_GPU_PREFERENCE_HIGH_PERFORMANCE
_PREFER_PERFORMANCE = 2  # DXCoreAdapterPreference::HighPerformance
#: Microsoft's software renderer.
_BASIC_RENDER = (0x1414, 0x8C)


class Guid(ctypes.Structure):
    """The identifier of an interface or of a property."""

    _fields_ = [("first", ctypes.c_uint32), ("rest", ctypes.c_uint8 * 12)]


def _guid(text: str) -> Guid:
    """Return an identifier from its usual spelling: three numbers, least byte first in memory, then eight bytes."""
    first, second, third, fourth, fifth = text.split("-")
    rest = bytes.fromhex(second)[::-1] + bytes.fromhex(third)[::-1] + bytes.fromhex(fourth + fifth)
    return Guid(int(first, 16), (ctypes.c_uint8 * 12)(*rest))


_DXCORE_FACTORY = _guid("78ee5945-c36e-4b13-a669-005dd11c0f06")
_DXCORE_LIST = _guid("526c7776-40e9-459b-b711-f32ad76dfc28")
_DXCORE_ADAPTER = _guid("f0db4c7f-fe5a-42a2-bd62-f2a6cf6fc83e")
_CORE_COMPUTE = _guid("248e2800-a793-4724-abaa-23a6de1be090")
_GRAPHICS = _guid("0c9ece4d-2f6e-4f01-8c96-e89e331b47b1")
_NEURAL = _guid("d46140c4-add7-451b-9e56-06fe8c3b58ed")
_DXGI_FACTORY1 = _guid("770aae78-f26f-4dba-a829-253c83d1b387")
_DXGI_FACTORY6 = _guid("c1b6694f-ff09-44a9-b03c-77900a0a1d17")
_DXGI_ADAPTER1 = _guid("29038f61-3839-4626-91fd-086879011a05")
_DXGI_DEVICE = _guid("54ec77fa-1377-44e6-8c32-88fd5f44c84c")
_D3D12_DEVICE = _guid("189819f1-1db6-4b57-be54-1821339b85f7")
_DML_DEVICE = _guid("6dbd6437-96fd-423f-a98c-ae5e7c2a573f")
_DML_OPERATOR = _guid("26caae7a-3081-4633-9581-226fbe57695d")
_DML_COMPILED = _guid("6b15e56a-bf5c-4902-92d8-da3a650afea4")


class Failed(Exception):
    """A function of DirectX said no."""


class Interface:
    """A COM object: a pointer to a pointer to a table of functions."""

    def __init__(self, pointer: ctypes.c_void_p) -> None:
        self.pointer = pointer

    def call(self, slot: int, *arguments: Any, result: Any = ctypes.c_int32) -> int:
        """Call the function at a place of the table; Python's integers are 32-bit ones."""
        kinds = [
            ctypes.c_uint32
            if isinstance(item, int)
            else ctypes.c_size_t
            if isinstance(item, ctypes.c_size_t)
            else _POINTER
            for item in arguments
        ]
        table = ctypes.cast(self.pointer, ctypes.POINTER(ctypes.POINTER(_POINTER))).contents
        function = _PROTOTYPE(result, _POINTER, *kinds)(table[slot])
        return int(function(self.pointer, *arguments))

    def make(self, what: str, slot: int, *arguments: Any) -> "Interface":
        """Call a function whose last argument receives an object.

        Raises
        ------
        Failed
            If there is none; ``status`` is the result of the call.
        """
        out = _POINTER()
        return _made(what, self.call(slot, *arguments, ctypes.byref(out)), out)

    def release(self) -> None:
        """Give the object back."""
        self.call(2)


_POINTER = ctypes.c_void_p
#: The calling convention differs on 32-bit Windows only.
_PROTOTYPE = getattr(ctypes, "WINFUNCTYPE", ctypes.CFUNCTYPE)


def _made(what: str, status: int, out: ctypes.c_void_p) -> Interface:
    if status < 0 or not out:
        error = Failed("%s failed with 0x%08x" % (what, status & 0xFFFFFFFF))
        error.status = status & 0xFFFFFFFF  # type: ignore[attr-defined]
        raise error
    return Interface(out)


def _exported(library: Any, name: str, *arguments: Any) -> Interface:
    """Call a function of a library whose last argument receives an object."""
    out = _POINTER()
    return _made(name, getattr(library, name)(*arguments, ctypes.byref(out)), out)


def list_dxcore(load: Load) -> Dict[str, Any]:
    """Return the adapters of WSL in the order of performance, up to the first that is not hardware."""
    answer: Dict[str, Any] = {"source": "DXCore", "adapters": [], "failure": ""}
    try:
        factory = _exported(load("libdxcore.so"), "DXCoreCreateAdapterFactory", ctypes.byref(_DXCORE_FACTORY))
        adapters = factory.make("CreateAdapterList", 3, 1, ctypes.byref(_CORE_COMPUTE), ctypes.byref(_DXCORE_LIST))
        preference = (ctypes.c_uint32 * 1)(_PREFER_PERFORMANCE)
        status = adapters.call(7, 1, preference)
        if status < 0:
            raise Failed("Sort failed with 0x%08x" % (status & 0xFFFFFFFF))
        for index in range(adapters.call(4, result=ctypes.c_uint32)):
            adapter = adapters.make("GetAdapter", 3, index, ctypes.byref(_DXCORE_ADAPTER))
            described = _describe_dxcore(adapter)
            answer["adapters"].append((described, adapter))
            if described["software"]:
                break
    except Failed as error:
        answer["failure"] = str(error)
    return answer


def _describe_dxcore(adapter: Interface) -> Dict[str, Any]:
    size = ctypes.c_size_t()
    name = b""
    if adapter.call(7, 2, ctypes.byref(size)) >= 0 and size.value < 65536:
        text = ctypes.create_string_buffer(size.value + 1)
        if adapter.call(6, 2, size, text) >= 0:
            name = text.value
    ids = (ctypes.c_uint32 * 4)()
    adapter.call(6, 3, ctypes.c_size_t(16), ids)
    hardware = _property(adapter, 11, ctypes.c_uint8)
    return {
        "name": name.decode("utf-8", "replace"),
        "vendor_id": ids[0],
        "device_id": ids[1],
        "driver": _property(adapter, 1, ctypes.c_uint64),
        "memory": _property(adapter, 7, ctypes.c_uint64),
        "software": not hardware or (ids[0], ids[1]) == _BASIC_RENDER,
        "compute_only": not adapter.call(4, ctypes.byref(_GRAPHICS), result=ctypes.c_bool),
        "neural": bool(adapter.call(4, ctypes.byref(_NEURAL), result=ctypes.c_bool)),
    }


def _property(adapter: Interface, number: int, kind: Any) -> Optional[int]:
    value = kind()
    status = adapter.call(6, number, ctypes.c_size_t(ctypes.sizeof(value)), ctypes.byref(value))
    return int(value.value) if status >= 0 else None


class AdapterDescription(ctypes.Structure):
    """DXGI_ADAPTER_DESC1, with the 16-bit characters of Windows on every system."""

    _fields_ = [
        ("name", ctypes.c_uint16 * 128),
        ("vendor", ctypes.c_uint32),
        ("device", ctypes.c_uint32),
        ("subsystem", ctypes.c_uint32),
        ("revision", ctypes.c_uint32),
        ("dedicated_video", ctypes.c_size_t),
        ("dedicated_system", ctypes.c_size_t),
        ("shared", ctypes.c_size_t),
        ("luid", ctypes.c_uint32 * 2),
        ("flags", ctypes.c_uint32),
    ]


def list_dxgi(load: Load) -> Dict[str, Any]:
    """Return the adapters of Windows in the order of performance, up to the first that is not hardware.

    Before Windows 10 1803 there is no such order, and software adapters may stand anywhere.
    """
    answer: Dict[str, Any] = {"source": "DXGI", "adapters": [], "failure": ""}
    try:
        factory = _exported(load("dxgi.dll"), "CreateDXGIFactory1", ctypes.byref(_DXGI_FACTORY1))
    except Failed as error:
        answer["failure"] = str(error)
        return answer
    try:
        factory = factory.make("IDXGIFactory6", 0, ctypes.byref(_DXGI_FACTORY6))
        sorts = True
    except Failed:
        sorts = False
    for index in range(64):  # a list without an end would be one more way to hang
        try:
            if sorts:
                adapter = factory.make(
                    "EnumAdapterByGpuPreference", 29, index, _HIGH_PERFORMANCE, ctypes.byref(_DXGI_ADAPTER1)
                )
            else:
                adapter = factory.make("EnumAdapters1", 12, index)
        except Failed as error:
            if getattr(error, "status", 0) != _NOT_FOUND:
                answer["failure"] = str(error)
            break
        described = _describe_dxgi(adapter)
        answer["adapters"].append((described, adapter))
        if described["software"] and sorts:
            break
    return answer


def _describe_dxgi(adapter: Interface) -> Dict[str, Any]:
    about = AdapterDescription()
    adapter.call(10, ctypes.byref(about))
    version = ctypes.c_uint64()
    known = adapter.call(9, ctypes.byref(_DXGI_DEVICE), ctypes.byref(version)) >= 0
    return {
        "name": bytes(about.name).decode("utf-16-le", "replace").partition("\0")[0],
        "vendor_id": about.vendor,
        "device_id": about.device,
        "driver": version.value if known else None,
        "memory": about.dedicated_video,
        "software": bool(about.flags & 2) or (about.vendor, about.device) == _BASIC_RENDER,
        "compute_only": False,
        "neural": False,
    }


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("data_type", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("dimensions", ctypes.c_uint32),
        ("sizes", ctypes.POINTER(ctypes.c_uint32)),
        ("strides", ctypes.POINTER(ctypes.c_uint32)),
        ("bytes", ctypes.c_uint64),
        ("alignment", ctypes.c_uint32),
    ]


class _Described(ctypes.Structure):
    """DML_TENSOR_DESC and DML_OPERATOR_DESC: a number that says what the pointer leads to."""

    _fields_ = [("kind", ctypes.c_uint32), ("what", ctypes.c_void_p)]


class _Identity(ctypes.Structure):
    _fields_ = [("input", ctypes.c_void_p), ("output", ctypes.c_void_p), ("scale_bias", ctypes.c_void_p)]


#: What TensorFlow demands of an adapter, under DirectML's numbers (DML_TENSOR_DATA_TYPE).
_DATA_TYPES = (
    (1, "float32"), (2, "float16"), (3, "uint32"), (4, "uint16"), (5, "uint8"), (6, "int32"), (7, "int16"), (8, "int8"),
)  # fmt: skip


def why_not_direct3d(create: Any, adapter: Interface, compute_only: bool) -> Tuple[Optional[Interface], str]:
    """Return the adapter's Direct3D 12 device, or what keeps it from having one of the level that TensorFlow asks for."""
    level = _LEVEL_CORE if compute_only else _LEVEL_11_0
    out = _POINTER()
    try:
        device = _made(
            "D3D12CreateDevice", create(adapter.pointer, level, ctypes.byref(_D3D12_DEVICE), ctypes.byref(out)), out
        )
    except Failed as error:
        return None, "%s for feature level %s" % (error, "1_0_core" if compute_only else "11_0")
    return device, ""


def why_not_directml(library: Any, direct3d: Interface) -> str:
    """Return what TensorFlow would miss in a Direct3D device, "" where it takes it."""
    try:
        device = _exported(library, "DMLCreateDevice", direct3d.pointer, 0, ctypes.byref(_DML_DEVICE))
    except Failed as error:
        return str(error)
    lacking = []
    for number, name in _DATA_TYPES:
        query, answer = ctypes.c_uint32(number), ctypes.c_uint32()
        status = device.call(7, 0, 4, ctypes.byref(query), 4, ctypes.byref(answer))
        if status < 0 or not answer.value:
            lacking.append(name)
    problem = "its driver lacks the data type%s %s" % ("s" if len(lacking) > 1 else "", ", ".join(lacking))
    if not lacking:
        problem = _why_not_compiled(device)
    device.release()
    return problem


def _why_not_compiled(device: Interface) -> str:
    """Compile the smallest operator: the identity of one float."""
    sizes = (ctypes.c_uint32 * 4)(1, 1, 1, 1)
    buffer = _Buffer(1, 0, 4, sizes, None, 4, 0)
    tensor = _Described(1, ctypes.addressof(buffer))
    identity = _Identity(ctypes.addressof(tensor), ctypes.addressof(tensor), None)
    operator = _Described(1, ctypes.addressof(identity))
    try:
        made = device.make("CreateOperator", 8, ctypes.byref(operator), ctypes.byref(_DML_OPERATOR))
        compiled = device.make("CompileOperator", 9, made.pointer, 0, ctypes.byref(_DML_COMPILED))
    except Failed as error:
        return str(error)
    compiled.release()
    made.release()
    return ""


def judge(answer: Dict[str, Any], load: Load, direct3d: str, directml: str, seconds: float) -> None:
    """Ask each adapter what TensorFlow asks it, as long as there is time: what was not asked stays None."""
    end = time.monotonic() + seconds
    listed: List[Tuple[Dict[str, Any], Interface]] = answer["adapters"]
    answer["adapters"] = [described for described, _ in listed]
    for described in answer["adapters"]:
        described.update(direct3d=None, directml=None, problem="")
    library = None
    if directml:
        try:
            library = load(directml)
        except OSError as error:
            answer["unloadable"] = str(error)
    if not listed:
        return
    try:
        create = load(direct3d).D3D12CreateDevice
    except (OSError, AttributeError) as error:
        answer["failure"] = answer["failure"] or str(error)
        return
    for described, adapter in listed:
        if described["software"]:
            continue
        if time.monotonic() > end:
            described["problem"] = "there was no time left to ask it"
            continue
        device, problem = why_not_direct3d(create, adapter, described["compute_only"])
        described.update(direct3d=device is not None, problem=problem)
        if device is not None:
            if library is not None:
                problem = why_not_directml(library, device)
                described.update(directml=not problem, problem=problem)
            device.release()


def main(task: Dict[str, Any], say: Any = None) -> Dict[str, Any]:
    """Return the answer to a task ``{"directml": "/path/to/libdirectml.so", "seconds": 1.2}``."""
    windows = sys.platform == "win32"
    load: Load = getattr(ctypes, "WinDLL", ctypes.CDLL)
    answer = list_dxgi(load) if windows else list_dxcore(load)
    judge(answer, load, "d3d12.dll" if windows else "libd3d12.so", task.get("directml", ""), task.get("seconds", 1.2))
    return answer
