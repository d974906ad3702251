"""What devicekit needs from a framework to put it on a device: the methods of an adapter.

`runtime.apply` calls them in this order: `accelerators`, `set_visible`, `set_memory`, `set_default`, `smoke`; after a
failed operation `reset`, and then again from `set_visible` on without an accelerator; `set_precision` and `set_seed` last.
Accelerator numbers are those of `devicekit.diagnose`: the framework's own order under the variables that the user has set,
before devicekit hides any.
"""

import importlib.util
import random
from typing import Any, Callable, List, Optional, Sequence, Tuple

from ...selection.request import Request
from ...selection.selection import Change


class Adapter:
    """What devicekit asks of a framework.

    Attributes
    ----------
    name : str
        As in `Selection.framework`; also what a `Change` that is made by a call of the framework has in ``what``.
    title : str
        What its makers call it, for messages.
    cpu : str
        The name of the CPU, as `device_name` returns it.
    url : str
        If its makers say when devices can be set up.
    movable : bool
        Whether `set_default` still works when the devices are fixed, so that only what is visible and its memory come too
        late then.
    device_type : str
        What the framework calls the devices of a plug-in's platform, where those are meant: then everything here is about
        them alone. "" if its usual accelerators are.
    others : tuple of str
        What it calls devices of plug-ins that are not meant, which then are hidden and not counted.
    """

    name: str = ""
    title: str = ""
    cpu: str = "cpu:0"
    url: str = ""
    movable: bool = False
    device_type: str = ""
    others: Tuple[str, ...] = ()

    def initialized(self) -> bool:
        """Return whether the framework's devices are fixed already in this process."""
        raise NotImplementedError

    def settled(self) -> bool:
        """Return whether a device's name, once found, stays right: then it is looked up once only."""
        return self.initialized()

    def accelerators(self) -> Optional[Tuple[str, ...]]:
        """Return the names of the physical accelerators, in the framework's order, visible or not.

        None if they cannot be listed without fixing them: then they are only looked at after `set_visible` and
        `set_memory`, by `set_default`.
        """
        raise NotImplementedError

    def visible(self) -> Tuple[str, ...]:
        """Return the names of the physical accelerators that are visible."""
        raise NotImplementedError

    def set_visible(self, indices: Sequence[int]) -> Optional[Change]:
        """Leave only these accelerators visible; None if that is so already, or `set_default` is enough.

        What the user's variables hide stays hidden.

        Raises
        ------
        RuntimeError
            If the devices are fixed already, and these are not among them.
        """
        raise NotImplementedError

    def set_memory(self, memory: Any, total_bytes: Optional[int] = None) -> List[Change]:
        """Let the visible accelerators take memory as they need it (``"grow"``), or at most this many bytes.

        What the user's own variables or calls have set is left as it is.

        Parameters
        ----------
        memory : "grow" or int
            With a number, memory is taken as it is needed as well, up to that.
        total_bytes : int or None
            The first accelerator's memory, if it is known.

        Raises
        ------
        LookupError
            If a limit needs the device's memory to be known, and no one knows it.
        RuntimeError
            If the devices are fixed already; `set_default` is called all the same.
        """
        raise NotImplementedError

    def set_default(self, indices: Sequence[int], cpu_number: int = 0) -> Optional[Change]:
        """Let everything that asks for no device run on the first of these, in all threads; on the CPU if empty.

        None if that is so already, as with TensorFlow, where visibility decides. This may fix the devices.

        Parameters
        ----------
        indices : sequence of int
            As for `set_visible`.
        cpu_number : int
            Which processor, if the framework has several.

        Raises
        ------
        LookupError
            If the framework does not list such a device; the message lists what it lists.
        Exception
            Whatever the framework raises when it starts its devices.
        """
        return None

    def reset(self) -> None:
        """Give the runtime up so that its devices can be chosen again: the last resort after a failed operation."""
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
        """Return the framework's name for a request, None if there is no such device.

        A name ends in ``kind:number``, as in ``/device:GPU:0`` or ``gpu:0``; the kind of the CPU ends in ``cpu``.
        """
        raise NotImplementedError

    def platform(self, name: str) -> str:
        """Return the platform of a device that the framework lists and the facts did not promise."""
        return "pluggable"

    def scope_factory(self) -> Callable[[Optional[str]], Any]:
        """Return the framework's own function from a device name to a context manager, entered once each."""
        raise NotImplementedError

    def switch(self, name: str) -> Optional[Tuple[Callable[[], Any], Callable[[Any], Any]]]:
        """Return a function that sets this thread to a device and returns what was before, and one that sets that again.

        They do what entering and leaving the framework's own scope does, for frameworks whose scope is so light that
        another context manager around it would be felt; None if the scope itself is to be used.
        """
        return None

    def state(self) -> Any:
        """Return the device that this thread is set to, for `force`."""
        raise NotImplementedError

    def force(self, state: Any) -> None:
        """Set this thread's device to what `state` returned before, whatever the nesting of scopes is."""
        raise NotImplementedError

    def keras(self) -> Any:
        """Import the Keras that computes with the framework, and return it."""
        import keras

        return keras

    def set_precision(self, precision: str) -> Change:
        """Set the global precision policy of Keras; a ValueError says that there is no such policy."""
        raise NotImplementedError

    def set_seed(self, seed: int) -> Change:
        """Seed Python's, NumPy's and the framework's generators."""
        raise NotImplementedError


#: What every adapter's smoke operation squares; every float format has these values and those of the square exactly.
MATRIX = [[1.0, 2.0], [3.0, 4.0]]


def check_product(product: Any) -> None:
    """Compare rows of numbers with what `MATRIX` squared is.

    Raises
    ------
    ArithmeticError
        Where they differ.
    """
    rows = [[float(item) for item in row] for row in product]
    if rows != [[7.0, 10.0], [15.0, 22.0]]:
        raise ArithmeticError("[[1, 2], [3, 4]] squared came out as %s" % rows)


class NoKernel(Exception):
    """The operation has no kernel on the device: the framework has run it on the CPU."""


def check_place(device: str) -> None:
    """See that an operation which was meant for an accelerator ran on one.

    Raises
    ------
    NoKernel
        If it ran on the CPU.
    """
    if device.rpartition("device:")[2].lower().startswith("cpu"):
        raise NoKernel("a matrix product has no kernel on the accelerator: it ran on %s" % device)


class Keras3Adapter(Adapter):
    """A framework that Keras 3 computes with, and that also does without Keras."""

    def set_precision(self, precision: str) -> Change:
        keras = self.keras()
        before = str(getattr(keras.mixed_precision.dtype_policy(), "name", ""))
        keras.mixed_precision.set_dtype_policy(precision)
        return Change(self.name, "keras dtype policy", precision, before)

    def set_seed(self, seed: int) -> Change:
        if importlib.util.find_spec("keras") is not None:
            self.keras().utils.set_random_seed(seed)
        else:
            import numpy

            random.seed(seed)
            numpy.random.seed(seed)
            self.seed_alone(seed)
        return Change(self.name, "random seed", str(seed))

    def seed_alone(self, seed: int) -> None:
        """Seed the framework's own generators, where Keras is not there to do it."""
