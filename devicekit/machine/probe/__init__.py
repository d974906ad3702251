"""Probers: what is known of a machine without importing a framework.

`read_machine` puts the areas together. Each ``read_*`` returns facts and never raises: what it could not read is a
fact too. Parsing stands apart in pure ``parse_*`` functions.
"""

from typing import TYPE_CHECKING, Any, Sequence

from ..host import Host

if TYPE_CHECKING:  # the facts take longer to import than a driver to answer
    from ..facts import Machine

__all__ = ["read_machine"]


def read_machine(host: Host, deep: bool = False, platforms: Sequence[Any] = ()) -> "Machine":
    """Probe a host.

    Parameters
    ----------
    host : Host
        The machine to examine.
    deep : bool
        Whether to look at every file that the frameworks' RECORDs list (tens of milliseconds) instead of only at the
        native libraries.
    platforms : sequence of Platform
        Platforms to ask next to those that installed plug-ins bring.
    """
    from .nvml_question import ask_nvml

    # Drivers are asked first and waited for last: they answer while the rest is read, and even while it is imported.
    nvidia = ask_nvml(host)
    from .directml import ask_directx, read_directml

    directx = ask_directx(host)
    from ... import __version__
    from ..facts import Machine
    from .cuda import read_cuda
    from .cxx import read_cxx
    from .driver import read_driver
    from .metal import read_metal
    from .native import read_native
    from .oneapi import read_oneapi
    from .process import read_process
    from .python import read_python
    from .rocm import read_rocm
    from .tpu import read_tpu

    machine = Machine(
        native=read_native(host).replace(cxx=read_cxx(host)),
        python=read_python(host, deep),
        cuda=read_cuda(host),
        rocm=read_rocm(host),
        metal=read_metal(host),
        process=read_process(host),
        devicekit_version=__version__,
        oneapi=read_oneapi(host),
        tpu=read_tpu(host),
        directml=read_directml(host, directx),
        driver=read_driver(host, nvidia),
    )
    # Mostly there is none, and nothing more is loaded.
    if platforms or machine.python.plugin_distributions:
        from ...records import seam

        machine = seam("plug-in facts")(machine, host, platforms)
    return machine
