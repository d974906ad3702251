"""Fixes with exact releases, if enough facts are known: from the same engine as `devicekit resolve`."""

import logging
import re
from typing import Dict, Optional, Sequence, Tuple

from ..diagnosis.findings import Fix, LazyFixes
from ..matrix.matrix import BUNDLED
from ..matrix.target import target_for
from .context import Known

_LOG = logging.getLogger("devicekit")

#: The distribution that needs another release.
_WRONG = {"numpy-incompatible": "numpy", "protobuf-incompatible": "protobuf", "keras-incompatible": "keras"}


def with_pins(code: str, known: Known, otherwise: Tuple[Fix, ...]) -> Sequence[Fix]:
    """Put exact releases before the general fixes of a code, if Python, system and TensorFlow are known.

    The set is computed when the fixes are read.
    """
    wrong, owner = _WRONG.get(code), known.tensorflow
    python = re.match(r"3\.\d{1,2}", known.versions.get("python", ""))
    platform = known.platform
    if wrong is None or owner is None or not re.match(r"\d+\.\d+", owner[1]) or python is None or platform is None:
        return otherwise
    name, version = owner
    minor = python.group()

    def make() -> Tuple[Fix, ...]:
        found = _set(name, version, wrong, known.packages, platform, minor)
        if not found:
            return otherwise
        text = "Install the %s that goes with %s %s on Python %s" % (wrong, name, version, minor)
        return (Fix(text, "python -m pip install %s" % " ".join(found)), *otherwise)

    return LazyFixes(make)


def _set(
    name: str, version: str, wrong: str, packages: Dict[str, str], platform: str, python: str
) -> Optional[Tuple[str, ...]]:
    try:
        from ..resolver.repair import repair

        exact = version if version.count(".") >= 2 else version + ".*"
        there = {wrong: packages[wrong]} if packages.get(wrong) else {}
        return repair(BUNDLED, target_for(platform, python), there, ["%s==%s" % (name, exact)], missing=(wrong,))
    except Exception:  # the general fix is better than none: a bug in the engine must not break an explanation
        _LOG.debug("no set for %s %s could be computed", name, version, exc_info=True)
        return None
