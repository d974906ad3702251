"""The C++ library that frameworks are linked with, where a variable sends the dynamic linker to another than the system's."""

from typing import FrozenSet, List, Tuple

from ..facts import CxxLibrary, CxxNeed, Fact
from ..host import Host
from .cuda_places import LOADER_FOLDERS, loader_path
from .elf import defined_versions, needed_versions, read_dynamic, replace_origin
from .native import numbers_in

_NAME = "libstdc++.so.6"

#: Libraries that the import of a framework loads and that are linked with it (readelf --version-info of the wheels).
_USERS = (
    ("tensorflow", ("tensorflow", "libtensorflow_framework.so.2")),
    ("tensorflow", ("tensorflow", "libtensorflow_cc.so.2")),
    ("tensorflow", ("tensorflow", "python", "_pywrap_tensorflow_internal.so")),
    ("tensorflow", ("tensorflow_core", "python", "_pywrap_tensorflow_internal.so")),
    ("jax", ("jaxlib", "libjax_common.so")),
    ("jax", ("jaxlib", "xla_extension.so")),
    ("torch", ("torch", "lib", "libc10.so")),
    ("torch", ("torch", "lib", "libtorch_cpu.so")),
)


def read_cxx(host: Host) -> "Fact[CxxLibrary]":
    """Return the libstdc++ that LD_LIBRARY_PATH leads to, and what the frameworks here need that it does not have."""
    if host.system != "linux":
        return Fact.absent(problem="read on Linux only")
    folder = next((item for item in loader_path(host) if host.is_file(host.join(item, _NAME))), "")
    # What is preloaded, or where the interpreter itself leads (conda's does), comes before the variable.
    preloaded = _NAME in host.environ().get("LD_PRELOAD", "")
    if not folder or folder in LOADER_FOLDERS or preloaded or _leads(host, host.interpreter.executable):
        return Fact.absent("LD_LIBRARY_PATH")
    path = host.join(folder, _NAME)
    try:
        has, would = defined_versions(host, path), defined_versions(host, _systems(host))
        if has is None or would is None:
            return Fact.unknown("it, or the system's own, defines no versions of symbols", host.scrub(path))
        return Fact.of(CxxLibrary(host.scrub(path), _lacking(host, would - has)), host.scrub(path))
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), host.scrub(path))


def _systems(host: Host) -> str:
    """The file that would be taken without the variable."""
    paths = [host.join(folder, _NAME) for folder in LOADER_FOLDERS]
    return host.loader_cache().get(_NAME) or next(filter(host.is_file, paths), paths[0])


def _lacking(host: Host, lost: "FrozenSet[str]") -> Tuple[CxxNeed, ...]:
    found: List[CxxNeed] = []
    for framework, parts in _USERS:
        files = (host.join(entry, *parts) for entry in dict.fromkeys(host.interpreter.sys_path) if entry)
        user = next((path for path in files if host.is_file(path)), "")
        if not user or any(item.framework == framework for item in found) or _leads(host, user):
            continue
        lacks = lost.intersection(needed_versions(host, user, _NAME))
        if lacks:
            newest = max(lacks, key=lambda name: (name.startswith("GLIBCXX"), numbers_in(name)))
            found.append(CxxNeed(framework, host.scrub(user), newest))
    return tuple(found)


def _leads(host: Host, path: str) -> bool:
    """Whether a file has a DT_RPATH, which comes before the variable, to a folder with a libstdc++."""
    real = host.real_path(path)
    try:
        dynamic = read_dynamic(host, real)
    except OSError:
        return False
    if dynamic is None or dynamic.has_runpath:
        return False
    return any(host.is_file(host.join(folder, _NAME)) for folder in replace_origin(host, dynamic.folders, real))
