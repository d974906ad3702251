"""GPUs that this process cannot reach, as the modules of the vendors report them to the rules of `access`."""

from typing import NamedTuple, Sequence, Tuple

from ...machine.facts import DeviceNode
from ...machine.vendors import Vendor
from ..findings import Evidence


class Withheld(NamedTuple):
    """Device nodes that a container was started without. ``resource``: what Kubernetes calls such a GPU."""

    vendor: Vendor
    nodes: Tuple[str, ...]
    evidence: Evidence
    resource: str


class Denied(NamedTuple):
    """Device nodes of one platform that this user must not open.

    ``groups``: those that own the nodes, by name or number; ``usual``: those that do on most systems.
    """

    platform: str
    nodes: Tuple[str, ...] = ()
    groups: Tuple[str, ...] = ()
    usual: Tuple[str, ...] = ("render", "video")


def denied_nodes(platform: str, nodes: Sequence[DeviceNode]) -> Denied:
    """Return the denial of some nodes."""
    groups = tuple(dict.fromkeys(item.group for item in nodes if item.group))
    return Denied(platform, tuple(item.path for item in nodes), groups)
