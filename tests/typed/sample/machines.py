"""Many machines, many devices, many processes, and platforms of one's own."""

from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple

from typing_extensions import assert_type

import devicekit
from devicekit import Finding, Host, Platform, PlatformDevice, PlatformView, StrategyPlan


def shared(command: List[str]) -> Dict[str, str]:
    try:
        with devicekit.lease("gpu", count=2, timeout_s=60.0, min_memory="8GiB") as lease:
            assert_type(lease, devicekit.Lease)
            assert_type(lease.devices, Tuple[str, ...])
            assert_type(lease.device, str)
            assert_type(lease.candidates, Tuple[devicekit.Candidate, ...])
            return dict(lease.environment)
    except devicekit.LeaseTimeoutError:
        return {}
    except devicekit.LeaseError as error:
        raise SystemExit("%s: %s" % (command[0], error)) from error


def several() -> Optional[int]:
    planned = devicekit.plan_strategy("gpu", framework="tensorflow")
    assert_type(planned, StrategyPlan)
    assert_type(planned.devices, Tuple[str, ...])
    cluster = planned.cluster
    assert_type(cluster, Optional[devicekit.Cluster])
    devicekit.strategy("auto")
    return None if cluster is None else cluster.size


def changed(before: devicekit.Machine, after: devicekit.Machine) -> List[str]:
    diff = devicekit.compare_machines(before, after)
    assert_type(diff, devicekit.MachineDiff)
    assert_type(diff.changes, Tuple[devicekit.FactChange, ...])
    assert_type(diff.consequences, Tuple[devicekit.Consequence, ...])
    return ["%s: %s, %s" % (item.name, item.before, item.after) for item in diff.changes]


def fleet(folder: str) -> List[str]:
    found = devicekit.examine_fleet(folder)
    assert_type(found, devicekit.Fleet)
    assert_type(found.nodes, Tuple[devicekit.FleetNode, ...])
    assert_type(found.groups, Tuple[devicekit.FleetGroup, ...])
    assert_type(found.differences, Tuple[devicekit.FleetDifference, ...])
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
