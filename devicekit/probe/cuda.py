"""CUDA's libraries, wherever they come from."""

from ..facts import Cuda
from ..host import Host
from .native import find_libraries

__all__ = ["read_cuda"]

#: Stems of the libraries that framework builds open at run time.
STEMS = (
    "cudart", "cublas", "cublasLt", "cufft", "curand", "cusolver", "cusparse", "cudnn", "nccl", "nvrtc", "cupti",
    "nvJitLink",
)  # fmt: skip


def read_cuda(host: Host) -> Cuda:
    """Return the CUDA libraries that could be loaded."""
    windows = host.system == "windows"

    def wanted(name: str) -> bool:
        if windows:
            return name.lower().endswith(".dll") and name.lower().startswith(_WINDOWS)
        return name.startswith(_POSIX) and ".so." in name

    return Cuda(libraries=find_libraries(host, wanted, with_wheels=True))


_POSIX = tuple("lib%s.so" % stem for stem in STEMS)
_WINDOWS = tuple(stem.lower() + "64_" for stem in STEMS)
