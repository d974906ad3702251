"""What findings block: frameworks, platforms and single devices. Pure."""

from typing import Tuple

from .findings import Finding
from .frameworks import BACKENDS


def blocking(findings: Tuple[Finding, ...], what: Tuple[str, ...]) -> Tuple[str, ...]:
    """Return the codes of the findings that block one of these, in their order, each once."""
    codes = [finding.code for finding in findings if any(item in finding.blocks for item in what)]
    return tuple(dict.fromkeys(codes))


def blocking_device(findings: Tuple[Finding, ...], framework: str, platform: str, device: str) -> Tuple[str, ...]:
    """Return the codes of the findings that keep a framework from a device; ``platform`` is "" if it has none for it."""
    what = [item for item in (platform, "gpu", device) if item]
    return blocking(findings, tuple(what + ["%s.%s" % (framework, item) for item in what] + [framework]))


def frameworks_in(blocks: Tuple[str, ...]) -> Tuple[str, ...]:
    """Return the frameworks that the blocks of a finding name, () if one of the blocks applies to all frameworks."""
    names = [block.partition(".")[0] for block in blocks]
    return tuple(dict.fromkeys(names)) if all(name in BACKENDS for name in names) else ()
