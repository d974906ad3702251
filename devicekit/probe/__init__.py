"""Probers: what is known of a machine without importing a framework.

`read_machine` puts the words together. Each ``read_*`` returns facts and never raises: what it could not read is a
fact too. Parsing stands apart in pure ``parse_*`` functions.
"""

from ..facts import Machine
from ..host import Host

__all__ = ["read_machine"]


def read_machine(host: Host, deep: bool = False) -> Machine:
    """Probe a host.

    Parameters
    ----------
    host : Host
        The machine to examine.
    deep : bool
        Whether to look at every file that the frameworks' RECORDs list (tens of milliseconds) instead of only at the
        native libraries.
    """
    from .. import __version__
    from .cuda import read_cuda
    from .directml import read_directml
    from .driver import read_driver
    from .metal import read_metal
    from .native import read_native
    from .process import read_process
    from .python import read_python
    from .rocm import read_rocm

    native = read_native(host)
    python = read_python(host, deep)
    return Machine(
        python=python,
        native=native,
        driver=read_driver(host),
        cuda=read_cuda(host),
        rocm=read_rocm(host),
        directml=read_directml(host),
        metal=read_metal(host),
        process=read_process(host),
        devicekit_version=__version__,
    )
