"""Platforms that plug-ins add: accelerators that devicekit itself knows nothing of.

A plug-in is an installed distribution with an entry point in the group ``devicekit.platforms``, which names a subclass of
`devicekit.plugins.Platform`. `interface` is what it implements; `loading` finds it, `probes` runs its probe, `rules` its
rules, and whatever it does wrong becomes a finding.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .interface import Platform as Platform
    from .interface import PlatformDevice as PlatformDevice
    from .interface import PlatformView as PlatformView

if not TYPE_CHECKING:
    from .. import _lazy_names

    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "Platform": "interface",
            "PlatformDevice": "interface",
            "PlatformView": "interface",
        },
    )
