"""Put Keras and TensorFlow on the best device that really works on this machine.

This file imports nothing: every public name is loaded at its first use (PEP 562), so that a library can depend on
devicekit at no cost, and so that no framework is imported unless something asks for it. Names that are not here are public
in their package: `devicekit.machine`, `devicekit.diagnosis`, `devicekit.measure`, ...

PYTEST_DONT_REWRITE: pytest shall not warn if a program imported devicekit before pytest.
"""

__version__ = "0.1.0"

# A name that type checkers know and that does not cost the import of `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
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
    from .measure.numerics.compare import compare as compare
    from .measure.tuning.tune import tune as tune
    from .remedy.run import fix as fix
    from .resolver.resolve import resolve as resolve
    from .runtime.scope import device_scope as device_scope
    from .runtime.verify import verify as verify
    from .selection.selection import Selection as Selection

_HOME = {
    "auto": "api",
    "detect": "machine.detect",
    "diagnose": "diagnosis.diagnose",
    "select_device": "api",
    "resolve": "resolver.resolve",
    "device_scope": "runtime.scope",
    "Selection": "selection.selection",
    "explain": "logs.explain",
    "fix": "remedy.run",
    "install_excepthook": "logs.excepthook",
    "Machine": "machine.facts",
    "Diagnosis": "diagnosis.findings",
    "Finding": "diagnosis.findings",
    "DevicekitError": "errors",
    "DeviceUnavailableError": "errors",
    "LeaseError": "errors",
    "LeaseTimeoutError": "errors",
    "DeviceWarning": "errors",
    "FallbackWarning": "errors",
    "CompatibilityWarning": "errors",
    "ConfigurationWarning": "errors",
    "verify": "runtime.verify",
    "compare": "measure.numerics.compare",
    "benchmark": "measure.benchmark.benchmark",
    "find_batch_size": "measure.batch_size.find",
    "tune": "measure.tuning.tune",
    "lease": "cluster.lease.lease",
    "strategy": "cluster.strategy.strategy",
}

#: Packages that have public names too; each is imported when it is first used as an attribute.
_PACKAGES = (
    "cluster", "diagnosis", "errors", "logs", "machine", "matrix", "measure", "plugins", "remedy", "resolver", "runtime",
    "selection", "testing",
)  # fmt: skip

if not TYPE_CHECKING:  # type checkers would believe that a module with `__getattr__` has every name

    def _lazy_names(package, homes, packages=()):
        """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package that loads its names at their first use (PEP 562).

        ``homes``: the module of each public name, relative to the package. ``packages``: the public packages in it.
        """

        def load(name):
            from importlib import import_module

            if name in packages:
                return import_module("." + name, package)
            home = homes.get(name)
            if home is None:
                raise AttributeError("module %r has no attribute %r" % (package, name))
            value = getattr(import_module(home if home.startswith(".") else "." + home, package), name)
            setattr(import_module(package), name, value)
            return value

        def names():
            from sys import modules

            return sorted({*vars(modules[package]), *homes, *packages})

        return load, names, sorted(homes)

    __getattr__, __dir__, __all__ = _lazy_names(__name__, _HOME, _PACKAGES)
    __all__.append("__version__")
