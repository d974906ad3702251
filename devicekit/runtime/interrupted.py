"""What is left in the process when a framework's import is interrupted, by Ctrl-C for example."""

import contextlib
import os
import sys
from types import ModuleType
from typing import Iterator, Tuple

from ..diagnosis.findings import Evidence, Finding, Fix, name_of
from ..diagnosis.frameworks import TITLES
from ..errors import first_line
from ..selection.plan import Plan, to_cpu


def half_imported() -> Tuple[str, ...]:
    """Return the packages that are not loaded, although modules in them are: their import did not end.

    Python removes a package whose import is interrupted, and leaves what it had imported until then. Modules that native code
    has made have no spec, and may have no package.
    """
    packages = set()
    for name, module in list(sys.modules.items()):
        if issubclass(type(module), ModuleType) and module.__dict__.get("__spec__") is not None:
            packages.add(name.partition(".")[0])
    return tuple(sorted(name for name in packages if name not in sys.modules))


def to_restart(plan: Plan, packages: Tuple[str, ...], error: Exception) -> Plan:
    """Return the plan after a framework whose first import was interrupted could not be imported again."""
    name = name_of(plan.framework)
    summary = (
        "%s cannot be used in this process any more: an earlier import was interrupted, and %s %s half imported."
        % (TITLES[name], ", ".join(packages[:5]), "is" if len(packages) == 1 else "are")
    )
    seen = Evidence(first_line(error, 1000), "import %s" % name)
    fixes = (Fix("Restart the process; in a notebook, restart the kernel", changes="code"),)
    cause = Finding("framework-broken", "error", summary, (seen,), fixes, (name, "keras"))
    return to_cpu(plan.replace(importable=False), cause)


@contextlib.contextmanager
def undone_if_interrupted(plan: Plan) -> Iterator[None]:
    """Restore the environment variables if the block is interrupted.

    What the framework's import has set stays if the framework is loaded by then: it is as if the program had imported it.
    """
    before = dict(os.environ)
    try:
        yield
    except Exception:
        raise
    except BaseException:
        loaded = name_of(plan.framework) in sys.modules
        names = dict(plan.environment) if loaded else {**before, **os.environ}
        for name in names:
            if name in before:
                os.environ[name] = before[name]
            else:
                os.environ.pop(name, None)
        raise
