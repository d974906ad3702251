"""`Resolution`: a set of releases that works together, or what stands in the way. Pure data."""

import re
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from ..matrix.target import Target

__all__ = ["Alternative", "Pin", "Resolution", "SystemNeed", "quoted"]


@dataclass(frozen=True)
class Pin:
    """One release of the set.

    Attributes
    ----------
    name, version : str
    because : str
        Why this version and no newer one.
    deciding : bool
        Whether it is named in the command; the others are only in the constraints.
    extras : tuple of str
    """

    name: str
    version: str
    because: str
    deciding: bool = True
    extras: Tuple[str, ...] = ()

    @property
    def requirement(self) -> str:
        """As an installer takes it."""
        return "%s%s==%s" % (self.name, "[%s]" % ",".join(self.extras) if self.extras else "", self.version)

    def to_dict(self) -> Dict[str, Any]:
        """Return the pin as plain data for JSON."""
        return {
            "name": self.name, "version": self.version, "extras": list(self.extras), "because": self.because,
            "deciding": self.deciding,
        }  # fmt: skip


@dataclass(frozen=True)
class SystemNeed:
    """What the system has to bring, which no package does. ``met``: None where that is not known."""

    text: str
    met: Optional[bool] = None

    def to_dict(self) -> Dict[str, Any]:
        """Return it as plain data for JSON."""
        return {"text": self.text, "met": self.met}


@dataclass(frozen=True)
class Alternative:
    """Something near to what was asked that is possible. ``arguments``: of ``devicekit resolve``, to see it in full."""

    text: str
    arguments: Tuple[str, ...] = ()

    def to_dict(self) -> Dict[str, Any]:
        """Return it as plain data for JSON."""
        return {"text": self.text, "arguments": list(self.arguments)}


@dataclass(frozen=True)
class Resolution:
    """The answer of `resolve`.

    Attributes
    ----------
    asked : str
        The goal as it was asked for.
    goal : str
        The platform that it came to: ``"cpu"``, ``"cuda"``, ``"directml"``, ``"rocm"``, ``"metal"``, ``"xpu"``.
    frameworks : tuple of str
    target : Target
        Python, platform and hardware that it is for.
    pins : tuple of Pin
        Empty where the goal is impossible.
    others : tuple of str
        Requirements beside the pins on projects of which the data hold nothing.
    needs : tuple of SystemNeed
        What the system has to bring.
    obstacles : tuple of str
        What stands in the way; empty where the goal is possible.
    alternatives : tuple of Alternative
        What is possible instead, the nearest first.
    """

    asked: str
    goal: str
    frameworks: Tuple[str, ...]
    target: Target
    pins: Tuple[Pin, ...] = ()
    others: Tuple[str, ...] = ()
    needs: Tuple[SystemNeed, ...] = ()
    obstacles: Tuple[str, ...] = ()
    alternatives: Tuple[Alternative, ...] = ()

    @property
    def possible(self) -> bool:
        """Whether there is a set."""
        return bool(self.pins)

    @property
    def requirements(self) -> Tuple[str, ...]:
        """What to install, exactly: with these, pip and uv come to the same set."""
        return tuple(pin.requirement for pin in self.pins if pin.deciding) + self.others

    @property
    def constraints(self) -> Tuple[str, ...]:
        """Every known version of the set, as lines of a constraints file (which takes no extras)."""
        return tuple("%s==%s" % (pin.name, pin.version) for pin in self.pins) + self.others

    @property
    def command(self) -> str:
        """The pip command, "" where the goal is impossible."""
        if not self.possible:
            return ""
        return "python -m pip install " + " ".join(quoted(item) for item in self.requirements)

    def pin(self, name: str) -> Optional[Pin]:
        """Return the pin of a project, None where it is not part of the set."""
        for item in self.pins:
            if item.name == name:
                return item
        return None

    def to_dict(self) -> Dict[str, Any]:
        """Return the resolution as plain data for JSON."""
        return {
            "asked": self.asked,
            "goal": self.goal,
            "frameworks": list(self.frameworks),
            "python": self.target.python,
            "platform": self.target.platform,
            "possible": self.possible,
            "pins": [item.to_dict() for item in self.pins],
            "requirements": list(self.requirements),
            "constraints": list(self.constraints),
            "command": self.command,
            "needs": [item.to_dict() for item in self.needs],
            "obstacles": list(self.obstacles),
            "alternatives": [item.to_dict() for item in self.alternatives],
        }


def quoted(requirement: str) -> str:
    """Return a requirement so that no shell reads its signs."""
    return '"%s"' % requirement if re.search(r"[<>*!\[\];~ ]", requirement) else requirement
