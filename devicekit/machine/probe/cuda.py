"""CUDA's libraries and what compiles for its GPUs, wherever they come from."""

import re
from typing import Iterator, List, Tuple

from ..facts import Cuda, Fact, Library
from ..host import Host
from .cuda_libraries import read_libraries
from .cuda_places import FOLDER_VARIABLES


def read_cuda(host: Host) -> Cuda:
    """Return the CUDA libraries that could be loaded, and by whom."""
    libraries, path, rpath, openers = read_libraries(host)
    toolchain = _read_toolchain(host)
    return Cuda(libraries=libraries, toolchain=toolchain, path=path, rpath=rpath, openers=openers)


#: What XLA looks for below a toolkit's folder.
_LIBDEVICE = ("nvvm", "libdevice", "libdevice.10.bc")


def _read_toolchain(host: Host) -> "Fact[Tuple[Library, ...]]":
    """The compiler of GPU code and its library of mathematical functions.

    XLA searches more narrowly, and not in the same places in every release: what is not found here is nowhere.
    """
    if host.system != "linux":
        return Fact.absent(problem="looked for on Linux only")
    found: List[Library] = []
    for folder, via in _toolkits(host):
        for parts in (("bin", "ptxas"), _LIBDEVICE):
            path = host.join(folder, *parts)
            if host.is_file(path):
                found.append(Library(parts[-1], host.scrub(path), via))
    for folder in host.environ().get("PATH", "").split(":"):
        if folder and host.is_file(host.join(folder, "ptxas")):
            found.append(Library("ptxas", host.scrub(host.join(folder, "ptxas")), "PATH"))
    return Fact.of(tuple(found), "the toolkits' folders, PATH and pip's nvidia packages")


def _toolkits(host: Host) -> Iterator[Tuple[str, str]]:
    """Folders that may be a CUDA toolkit, and how they were found."""
    environ = host.environ()
    named = parse_data_dir(environ.get("XLA_FLAGS", ""))
    if named:
        yield named, "XLA_FLAGS"
    for name in FOLDER_VARIABLES:
        if environ.get(name):
            yield environ[name], name
    yield host.join(host.interpreter.cwd, "cuda_sdk_lib"), "working folder"
    for entry in dict.fromkeys(host.interpreter.sys_path):
        for package in ("cuda_nvcc", "cu13"):  # from CUDA 13 on, pip's packages share one folder
            yield host.join(entry, "nvidia", package), "pip"
    for prefix in filter(None, (environ.get("CONDA_PREFIX"), host.interpreter.prefix)):
        yield prefix, "conda"
        yield host.join(prefix, "targets", "%s-linux" % host.architecture), "conda"
    for name in host.names_if_any("/usr/local"):
        if name == "cuda" or name.startswith("cuda-"):
            yield "/usr/local/" + name, "system"
    for folder in ("/opt/cuda", "/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit", "/usr"):
        yield folder, "system"


def parse_data_dir(flags: str) -> str:
    """Return the toolkit's folder that XLA is told, "" where it is told none.

    ::

        --xla_dump_to=/tmp/x --xla_gpu_cuda_data_dir=/usr/lib/cuda
    """
    match = re.search(r"--xla_gpu_cuda_data_dir=(?:\"([^\"]*)\"|'([^']*)'|(\S+))", flags)
    return next(filter(None, match.groups()), "") if match else ""
