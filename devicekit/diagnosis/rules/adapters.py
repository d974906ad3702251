"""Which adapters TensorFlow's DirectML builds list, and in which order. Pure.

Source: microsoft/tensorflow-directml-plugin, tfdml/core/dml_adapter_impl.cc and dml_device_cache.cc, and the same files of
microsoft/tensorflow-directml; compared with what the real wheels list by ``tools/check_directml.py``.
"""

import re
from typing import List, NamedTuple, Optional, Sequence, Tuple

from ...machine.facts import DxAdapter
from ..view import View

#: Direct3D 12's feature level 11_0, without which TensorFlow leaves an adapter out.
LEAST_LEVEL = 0xB000

#: What C's isspace takes for a blank; Python's strip knows more.
_BLANKS = " \t\n\v\f\r"

#: The largest number that the builds read.
_LARGEST = (1 << 32) - 1


#: The plug-in registers more devices, but makes no more than these (kNumMaxDevices, tfdml/core/dml_device_manager.h).
MOST_DEVICES = 4


class Visible(NamedTuple):
    """What DML_VISIBLE_DEVICES leaves of so many adapters.

    ``indices`` are the chosen ones in their order; ``stopped_at`` is the entry that ended the list early, None if none did.
    """

    indices: Tuple[int, ...]
    stopped_at: Optional[str] = None


def parse_visible(value: Optional[str], count: int, flavor: str) -> Visible:
    """Return which of so many adapters the value of DML_VISIBLE_DEVICES leaves.

    Unset and empty leave all, in contrast to CUDA_VISIBLE_DEVICES. The list is read up to the first entry that is not a number
    of an adapter; a number that stands twice counts twice.

    Parameters
    ----------
    value : str or None
        None: not set.
    count : int
        How many adapters there are to number.
    flavor : {"fork", "plugin"}
        TensorFlow 1.15 with DirectML, or the plug-in, which also takes a plus sign.
    """
    if not value:
        return Visible(tuple(range(count)))
    number = re.compile(r"\+?[0-9]+" if flavor == "plugin" else r"[0-9]+")
    chosen: List[int] = []
    for entry in value.split(","):
        text = entry.strip(_BLANKS)
        if not number.fullmatch(text) or len(text.lstrip("+0")) > 10 or not int(text) < min(count, _LARGEST + 1):
            return Visible(tuple(chosen), entry)
        chosen.append(int(text))
    return Visible(tuple(chosen))


def has_direct3d(adapter: DxAdapter) -> bool:
    """Return whether TensorFlow gets a Direct3D 12 device of an adapter, as far as is known: if nothing speaks against it."""
    if adapter.software or adapter.direct3d is False:
        return False
    return bool(adapter.direct3d) or adapter.feature_level is None or adapter.feature_level >= LEAST_LEVEL


def numbered(adapters: Sequence[DxAdapter]) -> Tuple[DxAdapter, ...]:
    """Return the adapters that DML_VISIBLE_DEVICES counts from 0 on: all with Direct3D 12, whatever DirectML says of them."""
    return tuple(item for item in adapters if has_direct3d(item))


def directml_visible(adapters: Sequence[DxAdapter], value: Optional[str], flavor: str) -> Tuple[DxAdapter, ...]:
    """Return the adapters that a DirectML build of TensorFlow lists, in its order.

    Parameters
    ----------
    adapters : sequence of DxAdapter
        In the order of DXGI or DXCore.
    value : str or None
        DML_VISIBLE_DEVICES.
    flavor : {"fork", "plugin"}
        See `parse_visible`.
    """
    counted = numbered(adapters)
    chosen = (counted[index] for index in parse_visible(value, len(counted), flavor).indices)
    return tuple(item for item in chosen if item.directml is not False)


class AdapterListing(NamedTuple):
    """Which adapters of this machine TensorFlow lists.

    Attributes
    ----------
    listed : tuple of DxAdapter
        What TensorFlow lists, in its order; one adapter may stand there twice.
    rejected : tuple of DxAdapter
        What it leaves out because of Direct3D or DirectML.
    hidden : tuple of DxAdapter
        What it would list, were it not for DML_VISIBLE_DEVICES or the first plug-in's limit of one device.
    counted : int
        How many adapters DML_VISIBLE_DEVICES counts.
    """

    listed: Tuple[DxAdapter, ...]
    rejected: Tuple[DxAdapter, ...]
    hidden: Tuple[DxAdapter, ...]
    counted: int


def adapter_listing(view: View) -> Optional[AdapterListing]:
    """Return which adapters TensorFlow lists; None if there is no DirectML build, or nothing to list its adapters from.

    Raises
    ------
    UnknownFactError
        If the adapters are not known.
    """
    flavor = view.directml_flavor
    if flavor is None or view.machine.directml.adapters.value is None:
        return None
    adapters = in_order(view)
    listed = directml_visible(adapters, view.machine.process.env("DML_VISIBLE_DEVICES"), flavor)
    plugin = view.machine.python.version_of("tensorflow-directml-plugin") or ""
    if flavor == "plugin" and plugin.startswith("0.0."):
        listed = listed[:1]  # up to 0.0.1 it takes one device
    hardware = [item for item in adapters if not item.software]
    good = [item for item in hardware if has_direct3d(item) and item.directml is not False]
    return AdapterListing(
        listed=listed,
        rejected=tuple(item for item in hardware if not has_direct3d(item) or item.directml is False),
        hidden=tuple(item for item in good if not any(item is other for other in listed)),
        counted=len(numbered(adapters)),
    )


def in_order(view: View) -> Tuple[DxAdapter, ...]:
    """Return this machine's adapters as DirectX orders them, or would, as far as that is known."""
    adapters = view.machine.directml.adapters.or_none() or ()
    if view.machine.directml.ordered:
        return adapters
    # The registry has no order. DXGI would begin with the fastest card, which has most memory of its own.
    return tuple(sorted(adapters, key=lambda item: -(item.memory_bytes or 0)))


def stopped_at(view: View, listing: AdapterListing) -> Optional[str]:
    """Return the entry of DML_VISIBLE_DEVICES that ends the list early, None if none does."""
    value = view.machine.process.env("DML_VISIBLE_DEVICES")
    return parse_visible(value, listing.counted, view.directml_flavor or "").stopped_at


def why_rejected(adapter: DxAdapter) -> str:
    """Return why TensorFlow leaves an adapter out."""
    if adapter.problem:
        return adapter.problem
    level = adapter.feature_level
    if level is not None and level < LEAST_LEVEL:
        return "it supports Direct3D feature level %d_%d, and 11_0 is needed" % (level >> 12, level >> 8 & 0xF)
    return "Direct3D or DirectML rejects it"


def known_listing(view: View) -> Optional[AdapterListing]:
    """Return which adapters TensorFlow lists, None if that is unknown."""
    directml = view.machine.directml
    if not directml.adapters.known or (directml.failure and not directml.adapters.content):
        return None
    return adapter_listing(view)
