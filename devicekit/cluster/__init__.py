"""Several devices, processes and machines: leases, launch, strategies, fleets and differences."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .diff.compare_machines import compare_machines as compare_machines
    from .diff.result import Consequence as Consequence
    from .diff.result import FactChange as FactChange
    from .diff.result import MachineDiff as MachineDiff
    from .fleet.examine import examine_fleet as examine_fleet
    from .fleet.result import Fleet as Fleet
    from .fleet.result import FleetDifference as FleetDifference
    from .fleet.result import FleetGroup as FleetGroup
    from .fleet.result import FleetNode as FleetNode
    from .lease.held import Lease as Lease
    from .strategy.cluster_environment import Cluster as Cluster
    from .strategy.strategy import plan_strategy as plan_strategy
    from .strategy.strategy_plan import StrategyPlan as StrategyPlan

if not TYPE_CHECKING:
    from .. import _lazy_names

    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "Cluster": "strategy.cluster_environment",
            "Consequence": "diff.result",
            "FactChange": "diff.result",
            "Fleet": "fleet.result",
            "FleetDifference": "fleet.result",
            "FleetGroup": "fleet.result",
            "FleetNode": "fleet.result",
            "Lease": "lease.held",
            "MachineDiff": "diff.result",
            "StrategyPlan": "strategy.strategy_plan",
            "compare_machines": "diff.compare_machines",
            "examine_fleet": "fleet.examine",
            "plan_strategy": "strategy.strategy",
        },
    )
