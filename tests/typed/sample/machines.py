"""Many machines, many devices, many processes, and platforms of one's own."""

from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple

from typing_extensions import assert_type

import devicekit
from devicekit import Finding
from devicekit.cluster import StrategyPlan
from devicekit.machine import Host
from devicekit.plugins import Platform, PlatformDevice, PlatformView


def shared(command: List[str]) -> Dict[str, str]:
    try:
        with devicekit.lease("gpu", count=2, timeout_s=60.0, min_memory="8GiB") as lease:
            assert_type(lease, devicekit.cluster.Lease)
            assert_type(lease.devices, Tuple[str, ...])
            assert_type(lease.device, str)
            assert_type(lease.candidates, Tuple[devicekit.diagnosis.Candidate, ...])
            return dict(lease.environment)
    except devicekit.LeaseTimeoutError:
        return {}
    except devicekit.LeaseError as error:
        raise SystemExit("%s: %s" % (command[0], error)) from error


def several() -> Optional[int]:
    planned = devicekit.cluster.plan_strategy("gpu", framework="tensorflow")
    assert_type(planned, StrategyPlan)
    assert_type(planned.devices, Tuple[str, ...])
    cluster = planned.cluster
    assert_type(cluster, Optional[devicekit.cluster.Cluster])
    devicekit.strategy("auto")
    return None if cluster is None else cluster.size


def changed(before: devicekit.Machine, after: devicekit.Machine) -> List[str]:
    diff = devicekit.cluster.compare_machines(before, after)
    assert_type(diff, devicekit.cluster.MachineDiff)
    assert_type(diff.changes, Tuple[devicekit.cluster.FactChange, ...])
    assert_type(diff.consequences, Tuple[devicekit.cluster.Consequence, ...])
    return ["%s: %s, %s" % (item.name, item.before, item.after) for item in diff.changes]


def fleet(folder: str) -> List[str]:
    found = devicekit.cluster.examine_fleet(folder)
    assert_type(found, devicekit.cluster.Fleet)
    assert_type(found.nodes, Tuple[devicekit.cluster.FleetNode, ...])
    assert_type(found.groups, Tuple[devicekit.cluster.FleetGroup, ...])
    assert_type(found.differences, Tuple[devicekit.cluster.FleetDifference, ...])
    return [node.name for node in found.nodes if node.problem]


class Abacus(Platform):
    """An accelerator of a third party."""

    name = "abacus"
    title = "Abacus"

    def probe(self, host: Host) -> Optional[Mapping[str, Any]]:
        return {"rods": 7} if host.exists("/dev/abacus") else None

    def rules(self, view: PlatformView) -> Iterable[Finding]:
        if view.version("abacus-driver") is None:
            yield Finding("abacus-driver-missing", "warning", "There is an abacus without a driver.")

    def devices(self, view: PlatformView, framework: str) -> Iterable[PlatformDevice]:
        yield PlatformDevice("Abacus of %s" % framework, memory_bytes=None)
