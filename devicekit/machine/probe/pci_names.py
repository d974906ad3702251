"""Names of GPUs from the lists that systems bring along. Read only where such a GPU is there."""

import re

from ..host import Host

#: libdrm's list, which AMD's own tools take names from; the second is that of AMD's installer.
_AMDGPU_IDS = ("/usr/share/libdrm/amdgpu.ids", "/opt/amdgpu/share/libdrm/amdgpu.ids")

#: pciutils' list, on Debian and on Fedora.
_PCI_IDS = ("/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids")


def gpu_name(host: Host, vendor_id: str, device_id: str, revision: str = "") -> str:
    """Return the product's name of a GPU by its PCI numbers (lower-case hexadecimal), "" where no list has it."""
    for path in _AMDGPU_IDS if vendor_id == "1002" else ():
        name = parse_amdgpu_ids(host.text_or_none(path) or "", device_id, revision)
        if name:
            return name
    names = (parse_pci_ids(host.text_or_none(path, 8 << 20) or "", vendor_id, device_id) for path in _PCI_IDS)
    return next(filter(None, names), "")


def parse_amdgpu_ids(text: str, device_id: str, revision: str) -> str:
    """Return the name that libdrm's ``amdgpu.ids`` has for a device and revision, "" where it has none.

    ::

        # List of AMDGPU IDs
        1.0.0
        73BF,	C0,	AMD Radeon RX 6900 XT
        73BF,	C1,	AMD Radeon RX 6800 XT
    """
    pattern = r"^%s,\s*%s,\s*(\S.*)$" % (re.escape(device_id), re.escape(revision))
    match = re.search(pattern, text, re.I | re.M) if device_id and revision else None
    return match.group(1).strip() if match else ""


def parse_pci_ids(text: str, vendor_id: str, device_id: str) -> str:
    """Return the name that pciutils' ``pci.ids`` has for a device, "" where it has none.

    ::

        8086  Intel Corporation
                56a0  DG2 [Arc A770]
                        8086 1020  A product that has this chip
        8087  Intel Corp.

    The name in brackets is the product's, the one before it the chip's.
    """
    text = "\n" + text
    start = text.find("\n%s  " % vendor_id)
    line = text.find("\n\t%s  " % device_id, start + 1) if start >= 0 and device_id else -1
    if line < 0:
        return ""
    following = re.compile(r"\n[0-9a-fC]").search(text, text.find("\n", start + 1))
    if following is not None and following.start() < line:
        return ""
    name = text[line:].splitlines()[1].strip()[len(device_id) :].strip()
    product = re.search(r"\[([^\]]+)\]$", name)
    return product.group(1) if product else name
