"""The makers of accelerators: their names, their numbers on the PCI bus, and the platform of their GPUs. Data."""

from typing import NamedTuple, Optional, Tuple


class Vendor(NamedTuple):
    """A maker of GPUs.

    Attributes
    ----------
    key : str
        What facts and targets call it: ``"nvidia"``.
    title : str
        Its name in messages.
    platform : str
        Through which frameworks other than DirectML builds use its GPUs, "" if none does.
    pci_ids : tuple of str
        Its numbers on the PCI bus. Display controllers of virtual machines and management boards have others: they
        compute nothing.
    """

    key: str
    title: str
    platform: str
    pci_ids: Tuple[str, ...] = ()


NVIDIA = Vendor("nvidia", "NVIDIA", "cuda", ("10de",))
AMD = Vendor("amd", "AMD", "rocm", ("1002",))
APPLE = Vendor("apple", "Apple", "metal")
INTEL = Vendor("intel", "Intel", "xpu", ("8086",))
QUALCOMM = Vendor("qualcomm", "Qualcomm", "", ("5143", "4d4f4351"))

#: In the order in which their accelerators are listed.
VENDORS = (NVIDIA, AMD, APPLE, INTEL, QUALCOMM)


def vendor_of(pci_id: str) -> Optional[Vendor]:
    """Return the vendor with a PCI number, None if it makes no GPU that computes."""
    return next((vendor for vendor in VENDORS if pci_id in vendor.pci_ids), None)
