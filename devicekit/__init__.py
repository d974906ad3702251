"""Put Keras and TensorFlow on the best device that really works on this machine.

Nothing is imported here but this file: every public name is loaded at its first use (PEP 562), so that a library can
depend on devicekit without paying for it, and so that no framework is ever imported behind anybody's back.

PYTEST_DONT_REWRITE: whoever has imported this before pytest is no cause for its warning that it came too late.
"""

__version__ = "0.1.0"

# A name that type checkers know and that does not cost the import of `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .api import auto as auto
    from .api import diagnose as diagnose
    from .api import select_device as select_device
    from .batch_size import find_batch_size as find_batch_size
    from .benchmark_result import BenchmarkResult as BenchmarkResult
    from .benchmark_result import Throughput as Throughput
    from .benchmarking.running import benchmark as benchmark
    from .changes.comparing import compare_machines as compare_machines
    from .comparing import compare as compare
    from .comparison import Comparison as Comparison
    from .comparison import Difference as Difference
    from .comparison import Divergence as Divergence
    from .comparison import Measure as Measure
    from .compatibility import Answer as Answer
    from .compatibility import driver_runs as driver_runs
    from .compatibility import goes_with as goes_with
    from .compatibility import has_code_for as has_code_for
    from .compatibility import has_wheel as has_wheel
    from .detection import detect as detect
    from .distribution.cluster import Cluster as Cluster
    from .distribution.making import plan_strategy as plan_strategy
    from .distribution.making import strategy as strategy
    from .distribution.strategy_plan import StrategyPlan as StrategyPlan
    from .errors import DevicekitError as DevicekitError
    from .errors import DeviceUnavailableError as DeviceUnavailableError
    from .errors import LeaseError as LeaseError
    from .errors import LeaseTimeoutError as LeaseTimeoutError
    from .errors import MachineFileError as MachineFileError
    from .errors import UnknownFactError as UnknownFactError
    from .explaining import explain as explain
    from .explaining import explain_log as explain_log
    from .explaining import install_excepthook as install_excepthook
    from .explaining import uninstall_excepthook as uninstall_excepthook
    from .facts import Fact as Fact
    from .facts import Machine as Machine
    from .findings import Candidate as Candidate
    from .findings import Diagnosis as Diagnosis
    from .findings import Evidence as Evidence
    from .findings import Finding as Finding
    from .findings import Fix as Fix
    from .fleet.examining import examine_fleet as examine_fleet
    from .fleet_result import Fleet as Fleet
    from .fleet_result import FleetDifference as FleetDifference
    from .fleet_result import FleetGroup as FleetGroup
    from .fleet_result import FleetNode as FleetNode
    from .host import Host as Host
    from .leasing.held import Lease as Lease
    from .leasing.taking import lease as lease
    from .logs.reading import Explanation as Explanation
    from .logs.reading import HarmlessLine as HarmlessLine
    from .machine_diff import Consequence as Consequence
    from .machine_diff import FactChange as FactChange
    from .machine_diff import MachineDiff as MachineDiff
    from .notify import CompatibilityWarning as CompatibilityWarning
    from .notify import ConfigurationWarning as ConfigurationWarning
    from .notify import DeviceWarning as DeviceWarning
    from .notify import FallbackWarning as FallbackWarning
    from .pins import resolve as resolve
    from .plan import Plan as Plan
    from .platforms.interface import Platform as Platform
    from .platforms.interface import PlatformDevice as PlatformDevice
    from .platforms.interface import PlatformView as PlatformView
    from .plotting import plot as plot
    from .resolution import Resolution as Resolution
    from .scope import device_scope as device_scope
    from .selection import Change as Change
    from .selection import Selection as Selection
    from .tuning.running import tune as tune
    from .tuning_result import TunedOption as TunedOption
    from .tuning_result import Tuning as Tuning
    from .verification import Verification as Verification
    from .verifying import verify as verify

_HOME = {
    "auto": "api",
    "detect": "detection",
    "diagnose": "api",
    "select_device": "api",
    "resolve": "pins",
    "Resolution": "resolution",
    "device_scope": "scope",
    "Change": "selection",
    "Selection": "selection",
    "Plan": "plan",
    "Platform": "platforms.interface",
    "PlatformDevice": "platforms.interface",
    "PlatformView": "platforms.interface",
    "Host": "host",
    "Answer": "compatibility",
    "driver_runs": "compatibility",
    "goes_with": "compatibility",
    "has_code_for": "compatibility",
    "has_wheel": "compatibility",
    "explain": "explaining",
    "explain_log": "explaining",
    "install_excepthook": "explaining",
    "uninstall_excepthook": "explaining",
    "Explanation": "logs.reading",
    "HarmlessLine": "logs.reading",
    "Fact": "facts",
    "Machine": "facts",
    "Candidate": "findings",
    "Diagnosis": "findings",
    "Evidence": "findings",
    "Finding": "findings",
    "Fix": "findings",
    "DevicekitError": "errors",
    "DeviceUnavailableError": "errors",
    "LeaseError": "errors",
    "LeaseTimeoutError": "errors",
    "MachineFileError": "errors",
    "UnknownFactError": "errors",
    "DeviceWarning": "notify",
    "FallbackWarning": "notify",
    "CompatibilityWarning": "notify",
    "ConfigurationWarning": "notify",
    "verify": "verifying",
    "Verification": "verification",
    "compare": "comparing",
    "Comparison": "comparison",
    "Difference": "comparison",
    "Divergence": "comparison",
    "Measure": "comparison",
    "benchmark": "benchmarking.running",
    "BenchmarkResult": "benchmark_result",
    "Throughput": "benchmark_result",
    "find_batch_size": "batch_size",
    "tune": "tuning.running",
    "Tuning": "tuning_result",
    "TunedOption": "tuning_result",
    "lease": "leasing.taking",
    "Lease": "leasing.held",
    "plot": "plotting",
    "compare_machines": "changes.comparing",
    "MachineDiff": "machine_diff",
    "FactChange": "machine_diff",
    "Consequence": "machine_diff",
    "examine_fleet": "fleet.examining",
    "Fleet": "fleet_result",
    "FleetDifference": "fleet_result",
    "FleetGroup": "fleet_result",
    "FleetNode": "fleet_result",
    "strategy": "distribution.making",
    "plan_strategy": "distribution.making",
    "StrategyPlan": "distribution.strategy_plan",
    "Cluster": "distribution.cluster",
}

__all__ = ["__version__"] + sorted(_HOME)


if not TYPE_CHECKING:  # which would believe that a module with this function has every name

    def __getattr__(name):
        home = _HOME.get(name)
        if home is None:
            raise AttributeError("module 'devicekit' has no attribute %r" % name)
        from importlib import import_module

        value = getattr(import_module("." + home, __name__), name)
        globals()[name] = value
        return value


def __dir__():  # type: () -> list[str]
    return sorted(set(globals()) | set(_HOME))
