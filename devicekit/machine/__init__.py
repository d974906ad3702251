"""What is on this machine: facts, the probes that read them, and the one I/O boundary."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .facts import Fact as Fact
    from .host import Host as Host

if not TYPE_CHECKING:
    from .. import _lazy_names

    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "Fact": "facts",
            "Host": "host",
        },
    )
