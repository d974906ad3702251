"""Put Keras and TensorFlow, JAX or PyTorch on the best device that really works on this machine, and say why if it is the CPU.

In a program, before it uses the framework::

    import devicekit

    print(devicekit.auto())                  # use the best device that works; auto("gpu") asks for one
    with devicekit.device_scope("cpu"):      # place a part of the program
        ...
    layer = devicekit.on_cpu(layer)          # or one layer of a model, with its gradient

What is here, and what is wrong::

    devicekit.detect()                       # the machine
    devicekit.diagnose().findings            # each problem with its fix
    devicekit.explain(log_or_exception)      # what an error means
    devicekit.fix()                          # what would be installed; with apply=True: do it
    devicekit.select_device("gpu")           # for libraries: decide, and change nothing

In a terminal: ``devicekit doctor``, ``devicekit fix``, ``devicekit --help``. Other names are public in their package:
`devicekit.machine`, `devicekit.measure`, `devicekit.testing`, ...

PYTEST_DONT_REWRITE: pytest shall not warn if a program imported devicekit before pytest.
"""

# Every public name is loaded at its first use (PEP 562), so that a library can depend on devicekit at no cost, and so that no
# framework is imported unless something asks for it. Type checkers and editors read __init__.pyi. What is imported here costs
# a fraction of a millisecond, and must be there before anything else is imported.

from .children import fork_imports  # noqa: F401

__version__ = "0.1.0"

_HOME = {
    "auto": "api",
    "detect": "machine.detect",
    "diagnose": "diagnosis.diagnose",
    "select_device": "api",
    "resolve": "resolver.resolve",
    "device_scope": "runtime.scope",
    "on_cpu": "runtime.on_cpu",
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
    "estimate_memory": "measure.memory.estimate",
    "tune": "measure.tuning.tune",
    "Monitor": "watch.monitor",
    "NanGuard": "watch.nan_guard",
    "lease": "cluster.lease.lease",
    "strategy": "cluster.strategy.strategy",
}

#: Packages that have public names too; each is imported when it is first used as an attribute.
_PACKAGES = (
    "cluster", "diagnosis", "errors", "logs", "machine", "matrix", "measure", "plugins", "remedy", "resolver", "runtime",
    "selection", "testing", "watch",
)  # fmt: skip


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
            near = ""
            if not name.startswith("_"):  # what Python and tools look for
                from .errors import did_you_mean

                near = did_you_mean(name, (*homes, *packages))
            raise AttributeError("module %r has no attribute %r%s" % (package, name, near))
        value = getattr(import_module(home if home.startswith(".") else "." + home, package), name)
        setattr(import_module(package), name, value)
        return value

    def names():
        from sys import modules

        return sorted({*vars(modules[package]), *homes, *packages})

    return load, names, sorted(homes)


__getattr__, __dir__, __all__ = _lazy_names(__name__, _HOME, _PACKAGES)
__all__.append("__version__")
