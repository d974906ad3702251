"""What type checkers and editors know of `devicekit`, whose names are loaded at their first use."""

from typing import Any, Callable, List, Mapping, Sequence, Tuple

from . import cluster as cluster
from . import diagnosis as diagnosis
from . import errors as errors
from . import logs as logs
from . import machine as machine
from . import matrix as matrix
from . import measure as measure
from . import plugins as plugins
from . import remedy as remedy
from . import resolver as resolver
from . import runtime as runtime
from . import selection as selection
from . import testing as testing
from . import watch as watch
from .api import auto as auto
from .api import select_device as select_device
from .cluster.lease.lease import lease as lease
from .cluster.strategy.strategy import strategy as strategy
from .diagnosis.diagnose import diagnose as diagnose
from .diagnosis.findings import Diagnosis as Diagnosis
from .diagnosis.findings import Finding as Finding
from .errors import CompatibilityWarning as CompatibilityWarning
from .errors import ConfigurationWarning as ConfigurationWarning
from .errors import DevicekitError as DevicekitError
from .errors import DeviceUnavailableError as DeviceUnavailableError
from .errors import DeviceWarning as DeviceWarning
from .errors import FallbackWarning as FallbackWarning
from .errors import LeaseError as LeaseError
from .errors import LeaseTimeoutError as LeaseTimeoutError
from .logs.excepthook import install_excepthook as install_excepthook
from .logs.explain import explain as explain
from .machine.detect import detect as detect
from .machine.facts import Machine as Machine
from .measure.batch_size.find import find_batch_size as find_batch_size
from .measure.benchmark.benchmark import benchmark as benchmark
from .measure.memory.estimate import estimate_memory as estimate_memory
from .measure.numerics.compare import compare as compare
from .measure.tuning.tune import tune as tune
from .remedy.run import fix as fix
from .resolver.resolve import resolve as resolve
from .runtime.on_cpu import on_cpu as on_cpu
from .runtime.scope import device_scope as device_scope
from .runtime.verify import verify as verify
from .selection.selection import Selection as Selection
from .watch.monitor import Monitor as Monitor
from .watch.nan_guard import NanGuard as NanGuard

__version__: str
__all__: List[str]
_PACKAGES: Tuple[str, ...]

def _lazy_names(
    package: str, homes: Mapping[str, str], packages: Sequence[str] = ()
) -> Tuple[Callable[[str], Any], Callable[[], List[str]], List[str]]: ...
