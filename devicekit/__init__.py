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
    from .api import select_device as select_device
    from .cluster.diff.compare_machines import compare_machines as compare_machines
    from .cluster.diff.result import Consequence as Consequence
    from .cluster.diff.result import FactChange as FactChange
    from .cluster.diff.result import MachineDiff as MachineDiff
    from .cluster.fleet.examine import examine_fleet as examine_fleet
    from .cluster.fleet.result import Fleet as Fleet
    from .cluster.fleet.result import FleetDifference as FleetDifference
    from .cluster.fleet.result import FleetGroup as FleetGroup
    from .cluster.fleet.result import FleetNode as FleetNode
    from .cluster.lease.held import Lease as Lease
    from .cluster.lease.lease import lease as lease
    from .cluster.strategy.cluster_environment import Cluster as Cluster
    from .cluster.strategy.plan import StrategyPlan as StrategyPlan
    from .cluster.strategy.strategy import plan_strategy as plan_strategy
    from .cluster.strategy.strategy import strategy as strategy
    from .diagnosis.diagnose import diagnose as diagnose
    from .diagnosis.findings import Candidate as Candidate
    from .diagnosis.findings import Diagnosis as Diagnosis
    from .diagnosis.findings import Evidence as Evidence
    from .diagnosis.findings import Finding as Finding
    from .diagnosis.findings import Fix as Fix
    from .errors import CompatibilityWarning as CompatibilityWarning
    from .errors import ConfigurationWarning as ConfigurationWarning
    from .errors import DevicekitError as DevicekitError
    from .errors import DeviceUnavailableError as DeviceUnavailableError
    from .errors import DeviceWarning as DeviceWarning
    from .errors import FallbackWarning as FallbackWarning
    from .errors import LeaseError as LeaseError
    from .errors import LeaseTimeoutError as LeaseTimeoutError
    from .errors import MachineFileError as MachineFileError
    from .errors import UnknownFactError as UnknownFactError
    from .logs.engine import Explanation as Explanation
    from .logs.engine import HarmlessLine as HarmlessLine
    from .logs.excepthook import install_excepthook as install_excepthook
    from .logs.excepthook import uninstall_excepthook as uninstall_excepthook
    from .logs.explain import explain as explain
    from .logs.explain import explain_log as explain_log
    from .machine.detect import detect as detect
    from .machine.facts import Fact as Fact
    from .machine.facts import Machine as Machine
    from .machine.host import Host as Host
    from .matrix.queries import Answer as Answer
    from .matrix.queries import driver_runs as driver_runs
    from .matrix.queries import goes_with as goes_with
    from .matrix.queries import has_code_for as has_code_for
    from .matrix.queries import has_wheel as has_wheel
    from .measure.batch_size.find import find_batch_size as find_batch_size
    from .measure.benchmark.benchmark import benchmark as benchmark
    from .measure.benchmark.result import BenchmarkResult as BenchmarkResult
    from .measure.numerics.compare import compare as compare
    from .measure.numerics.result import Comparison as Comparison
    from .measure.numerics.result import Difference as Difference
    from .measure.numerics.result import Divergence as Divergence
    from .measure.numerics.result import Measure as Measure
    from .measure.tuning.result import TunedOption as TunedOption
    from .measure.tuning.result import Tuning as Tuning
    from .measure.tuning.tune import tune as tune
    from .plugins.interface import Platform as Platform
    from .plugins.interface import PlatformDevice as PlatformDevice
    from .plugins.interface import PlatformView as PlatformView
    from .resolver.resolve import resolve as resolve
    from .resolver.result import Resolution as Resolution
    from .runtime.scope import device_scope as device_scope
    from .runtime.verification import Verification as Verification
    from .runtime.verify import verify as verify
    from .selection.plan import Plan as Plan
    from .selection.selection import Change as Change
    from .selection.selection import Selection as Selection
    from .selection.throughput import Throughput as Throughput

_HOME = {
    "auto": "api",
    "detect": "machine.detect",
    "diagnose": "diagnosis.diagnose",
    "select_device": "api",
    "resolve": "resolver.resolve",
    "Resolution": "resolver.result",
    "device_scope": "runtime.scope",
    "Change": "selection.selection",
    "Selection": "selection.selection",
    "Plan": "selection.plan",
    "Platform": "plugins.interface",
    "PlatformDevice": "plugins.interface",
    "PlatformView": "plugins.interface",
    "Host": "machine.host",
    "Answer": "matrix.queries",
    "driver_runs": "matrix.queries",
    "goes_with": "matrix.queries",
    "has_code_for": "matrix.queries",
    "has_wheel": "matrix.queries",
    "explain": "logs.explain",
    "explain_log": "logs.explain",
    "install_excepthook": "logs.excepthook",
    "uninstall_excepthook": "logs.excepthook",
    "Explanation": "logs.engine",
    "HarmlessLine": "logs.engine",
    "Fact": "machine.facts",
    "Machine": "machine.facts",
    "Candidate": "diagnosis.findings",
    "Diagnosis": "diagnosis.findings",
    "Evidence": "diagnosis.findings",
    "Finding": "diagnosis.findings",
    "Fix": "diagnosis.findings",
    "DevicekitError": "errors",
    "DeviceUnavailableError": "errors",
    "LeaseError": "errors",
    "LeaseTimeoutError": "errors",
    "MachineFileError": "errors",
    "UnknownFactError": "errors",
    "DeviceWarning": "errors",
    "FallbackWarning": "errors",
    "CompatibilityWarning": "errors",
    "ConfigurationWarning": "errors",
    "verify": "runtime.verify",
    "Verification": "runtime.verification",
    "compare": "measure.numerics.compare",
    "Comparison": "measure.numerics.result",
    "Difference": "measure.numerics.result",
    "Divergence": "measure.numerics.result",
    "Measure": "measure.numerics.result",
    "benchmark": "measure.benchmark.benchmark",
    "BenchmarkResult": "measure.benchmark.result",
    "Throughput": "selection.throughput",
    "find_batch_size": "measure.batch_size.find",
    "tune": "measure.tuning.tune",
    "Tuning": "measure.tuning.result",
    "TunedOption": "measure.tuning.result",
    "lease": "cluster.lease.lease",
    "Lease": "cluster.lease.held",
    "compare_machines": "cluster.diff.compare_machines",
    "MachineDiff": "cluster.diff.result",
    "FactChange": "cluster.diff.result",
    "Consequence": "cluster.diff.result",
    "examine_fleet": "cluster.fleet.examine",
    "Fleet": "cluster.fleet.result",
    "FleetDifference": "cluster.fleet.result",
    "FleetGroup": "cluster.fleet.result",
    "FleetNode": "cluster.fleet.result",
    "strategy": "cluster.strategy.strategy",
    "plan_strategy": "cluster.strategy.strategy",
    "StrategyPlan": "cluster.strategy.plan",
    "Cluster": "cluster.strategy.cluster_environment",
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
