"""AMD's compute stack."""

from ..facts import DeviceNode, Fact, Rocm
from ..host import Host

__all__ = ["read_rocm"]


def read_rocm(host: Host) -> Rocm:
    """Return the ROCm driver's node and the version of the user-space stack."""
    if host.system != "linux":
        absent = "ROCm's kernel driver exists on Linux only"
        return Rocm(kfd=Fact.absent(problem=absent), version=Fact.absent(problem=absent))
    node = "/dev/kfd"
    kfd: Fact[DeviceNode] = Fact.absent(node)
    if host.exists(node):
        kfd = Fact.of(DeviceNode(node, host.accessible(node)), node)
    source = "/opt/rocm/.info/version"
    try:
        version = Fact.of(host.read_text(source).strip(), source)
    except FileNotFoundError:
        version = Fact.absent(source)
    except OSError as error:
        version = Fact.unknown(str(error), source)
    return Rocm(kfd=kfd, version=version)
