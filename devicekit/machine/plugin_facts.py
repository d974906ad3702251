"""What a plug-in tells of the accelerators of its platform, and what went wrong with it. Pure."""

from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from ..records_plain import Plain
from .fact import Fact

__all__ = ["PlatformFacts"]


@dataclass(frozen=True)
class PlatformFacts:
    """A platform that a plug-in adds. It can be read where the plug-in is not installed.

    Attributes
    ----------
    name : str
        The platform, which is also the word in device strings: ``"npu"``.
    distribution, version : str
        What brings it, as installed.
    entry : str
        Where its class is: ``"devicekit_npu:NpuPlatform"``.
    title : str
        What people call it.
    facts : Fact of Plain
        What its probe found; absent where there is nothing of it on the machine.
    frameworks : tuple of (str, str)
        What each framework that can use it calls its devices: ``("tensorflow", "NPU")``, ``("torch", "npu")``.
    libraries : tuple of str
        Parts of the names of its files in ``tensorflow-plugins``.
    variables : tuple of str
        Environment variables that it reads; they are recorded with the process's.
    problems : tuple of str
        What the plug-in itself did wrong.
    """

    name: str
    distribution: str
    version: str
    entry: str
    title: str = ""
    facts: Fact[Plain] = Fact.unknown("not asked")
    frameworks: Tuple[Tuple[str, str], ...] = ()
    libraries: Tuple[str, ...] = ()
    variables: Tuple[str, ...] = ()
    problems: Tuple[str, ...] = ()

    def device_type(self, framework: str) -> Optional[str]:
        """Return what a framework calls its devices, None where that cannot use them."""
        return dict(self.frameworks).get(framework)

    @property
    def label(self) -> str:
        """The distribution and its version, for messages."""
        return ("%s %s" % (self.distribution, self.version)).strip()

    def summary(self) -> Dict[str, Any]:
        """Return what reports show of it, as plain data for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "distribution": self.distribution,
            "version": self.version,
            "status": self.facts.status,
            "problem": self.facts.problem,
            "frameworks": dict(self.frameworks),
            "problems": list(self.problems),
        }
