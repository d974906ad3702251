"""Adapters: the only room that imports a framework, each at its first use.

`adapter` gives the adapter of a framework by name. An adapter is an object with the methods of `Adapter`.
"""

from typing import Any, Callable, List, Optional, Sequence, Tuple

from ..request import Request
from ..selection import Change

__all__ = ["Adapter", "adapter"]


class Adapter:
    """What devicekit asks of a framework."""

    name: str = ""

    def initialized(self) -> bool:
        """Return whether the framework's devices are fixed already in this process."""
        raise NotImplementedError

    def settled(self) -> bool:
        """Return whether a device's name, once found, stays right: then it is looked up once only."""
        return self.initialized()

    def accelerators(self) -> Tuple[str, ...]:
        """Return the names of the physical accelerators, in the framework's order, visible or not."""
        raise NotImplementedError

    def visible(self) -> Tuple[str, ...]:
        """Return the names of the physical accelerators that are visible."""
        raise NotImplementedError

    def set_visible(self, indices: Sequence[int]) -> Optional[Change]:
        """Leave only these accelerators visible; None where that is so already.

        Raises
        ------
        RuntimeError
            Where the devices are fixed already.
        """
        raise NotImplementedError

    def set_memory(self, memory: Any) -> List[Change]:
        """Let the visible accelerators take memory as they need it (``"grow"``), or at most so many bytes.

        Raises
        ------
        RuntimeError
            Where the devices are fixed already.
        """
        raise NotImplementedError

    def reset(self) -> None:
        """Give the runtime up so that its devices can be chosen anew: the last resort after a failed operation."""
        raise NotImplementedError

    def smoke(self, accelerator: bool) -> str:
        """Run one operation and return the name of the device on which it really ran.

        Raises
        ------
        Exception
            Whatever the framework raises; also where the result is wrong (ArithmeticError).
        """
        raise NotImplementedError

    def device_name(self, request: Request) -> Optional[str]:
        """Return the framework's name for a request, None where there is no such device."""
        raise NotImplementedError

    def scope_factory(self) -> Callable[[Optional[str]], Any]:
        """Return the framework's own function from a device name to a context manager."""
        raise NotImplementedError

    def state(self) -> Any:
        """Return the device that this thread is set to, for `force`."""
        raise NotImplementedError

    def force(self, state: Any) -> None:
        """Set this thread's device to what `state` returned before, whatever the nesting of scopes is."""
        raise NotImplementedError

    def set_precision(self, precision: str) -> Change:
        """Set the global precision policy of Keras."""
        raise NotImplementedError

    def set_seed(self, seed: int) -> Change:
        """Seed Python's, NumPy's and the framework's generators."""
        raise NotImplementedError


def adapter(framework: Optional[str]) -> Adapter:
    """Return the adapter of a framework; this imports the framework.

    Raises
    ------
    ImportError
        Or whatever else the framework's import raises.
    """
    if framework == "tensorflow1":
        from .tensorflow1 import TensorFlow1Adapter

        return TensorFlow1Adapter()
    from .tensorflow import TensorFlowAdapter

    return TensorFlowAdapter()
