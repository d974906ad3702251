"""The candidate devices of a DirectML build of TensorFlow. Pure."""

from typing import List, Optional, Tuple

from ..machine.facts import DxAdapter
from .blocking import blocking_device
from .findings import Candidate, Finding
from .rules.adapters import in_order, known_listing, numbered
from .view import View


def directml_candidates(view: View, findings: Tuple[Finding, ...], unsettled: bool) -> Optional[List[Candidate]]:
    """Return TensorFlow's DirectML devices in its order, then the adapters that it rejects; None if they are not known."""
    listing = known_listing(view)
    if listing is None:
        return None
    found: List[Candidate] = []
    asked = view.machine.directml.answered
    for item in listing.listed or listing.hidden:
        device = "gpu:%d" % len(found)
        blocks = blocking_device(findings, "tensorflow", "directml", device)
        sure = not unsettled and not (asked and (item.direct3d is None or item.directml is None))
        usable = False if blocks else True if sure else None
        found.append(
            Candidate(
                device, "directml", item.name, usable, blocks, item.memory_bytes,
                location=_location(view, item), numbering="driver",
            )
        )  # fmt: skip
    for item in listing.rejected:
        device = "gpu:%d" % len(found)
        blocks = blocking_device(findings, "tensorflow", "directml", device)
        found.append(Candidate(device, "directml", item.name, False, blocks, item.memory_bytes))
    return found


def _location(view: View, adapter: DxAdapter) -> str:
    """Which of the adapters it is that DML_VISIBLE_DEVICES counts, hidden or not."""
    for number, item in enumerate(numbered(in_order(view))):
        if item is adapter:
            return "adapter %d" % number
    return ""
