"""Tests of programs that use devicekit: have it answer for another machine.

The machines are files in the folder ``machines``: what devicekit's own tests know of whole machines, as snapshots. Nothing
of this is loaded where it is not imported.
"""

import inspect
import json
import os
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, TypeVar, Union

from ..machine.detect import stand_ins
from ..machine.facts import Machine
from ..machine.snapshot import load_machine

__all__ = ["describe", "load", "machines", "simulated_machine"]

F = TypeVar("F", bound=Callable[..., Any])

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines")

#: Variables that decide which files a probe finds. Of a machine that is data, what they led to is on record already, and
#: another value would leave it as it is.
_LEAD_TO_FILES = (
    "CONDA_PREFIX", "CUDA_DIR", "CUDA_HOME", "CUDA_PATH", "DYLD_LIBRARY_PATH", "KERAS_HOME", "LD_LIBRARY_PATH", "LD_PRELOAD",
    "ONEAPI_ROOT", "PATH", "PYTHONHOME", "PYTHONNOUSERSITE", "PYTHONPATH", "ROCM_PATH", "TF_DIRECTML_PATH",
    "TPU_LIBRARY_PATH", "VIRTUAL_ENV",
)  # fmt: skip


def machines() -> Tuple[str, ...]:
    """Return the names of the bundled machines, in alphabetical order; `describe` says what each of them is."""
    return tuple(sorted(_titles()))


def describe(name: str) -> str:
    """Return the sentence that says what a bundled machine is.

    Parameters
    ----------
    name : str
        One of `machines`.

    Raises
    ------
    ValueError
        Where there is no machine of that name; the message lists those that there are.
    """
    titles = _titles()
    if name not in titles:
        raise ValueError("unknown machine %r; bundled are %s" % (name, ", ".join(sorted(titles))))
    return titles[name]


def load(name: str) -> Machine:
    """Return a bundled machine, to be passed to `devicekit.diagnose` and `devicekit.select_device`.

    Parameters
    ----------
    name : str
        One of `machines`.

    Raises
    ------
    ValueError
        Where there is no machine of that name; the message lists those that there are.
    """
    describe(name)
    return load_machine(os.path.join(_FOLDER, name + ".json"))


def _titles() -> Dict[str, str]:
    with open(os.path.join(_FOLDER, "titles.json"), encoding="utf-8") as stream:
        titles: Dict[str, str] = json.load(stream)
    return titles


class simulated_machine:
    """Have `detect`, `diagnose`, `select_device` and `resolve` answer for another machine.

    Parameters
    ----------
    machine : str, path or Machine
        The name of a bundled machine (see `machines`), the path of a snapshot (``devicekit snapshot > machine.json``), or
        a `Machine`. A text with a slash or backslash in it, or that ends in ``.json``, is a path.
    environ : mapping of str to str or None, optional
        Environment variables of that machine to set, or with None to remove, such as ``{"CUDA_VISIBLE_DEVICES": "1"}``.

    Yields
    ------
    Machine
        The machine that is answered for.

    Raises
    ------
    ValueError
        Where there is no bundled machine of that name, or a variable cannot be set.
    MachineFileError
        Where a snapshot cannot be read.
    TypeError
        Where it decorates a class or an asynchronous generator.

    Notes
    -----
    What acts stays with the real machine: `auto`, `device_scope`, `verify`, `benchmark`, `tune` and everything else that
    sets up a framework or runs something, for the other machine's devices are not here. `auto` then logs a warning to the
    logger ``devicekit``, which pytest shows where the test fails. Figures that were measured on this machine do not count
    for the simulated one, and this process's environment variables and imported frameworks neither.

    Re-entrant, nests, and restores what was before, also after an exception. Every thread and every task has its own: a
    thread that is started inside knows nothing of it, unless it runs in a copy of the context
    (``contextvars.copy_context().run``), as ``asyncio.to_thread`` does. As a decorator it works on functions, generator
    functions and coroutine functions.
    """

    __slots__ = ("_machine",)

    def __init__(
        self,
        machine: "Union[str, os.PathLike[str], Machine]",
        *,
        environ: Optional[Mapping[str, Optional[str]]] = None,
    ) -> None:
        found = _machine_of(machine)
        self._machine = found if environ is None else _with_variables(found, environ)

    def __enter__(self) -> Machine:
        stand_ins.set(stand_ins.get() + (self._machine,))
        return self._machine

    def __exit__(self, *error: object) -> None:
        # Not by a token: a fixture may be left in another context than it was entered in.
        stand_ins.set(stand_ins.get()[:-1])

    def __call__(self, function: F) -> F:
        """Return the function so wrapped that its body runs with this machine."""
        if inspect.isclass(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                "simulated_machine decorates functions, generator functions and coroutine functions, not %r; "
                "write 'with simulated_machine(...):' inside, or use a fixture" % function
            )
        from ..runtime.scope import wrap

        return wrap(function, lambda: self)


def _machine_of(machine: "Union[str, os.PathLike[str], Machine]") -> Machine:
    if isinstance(machine, Machine):
        return machine
    if not isinstance(machine, (str, os.PathLike)):
        raise ValueError(
            "a machine is the name of a bundled one, the path of a snapshot, or a devicekit.Machine, not a %s"
            % type(machine).__name__
        )
    path = os.fspath(machine)
    if not isinstance(machine, str) or "/" in path or "\\" in path or path.endswith(".json"):
        return load_machine(path)
    return load(path)


def _with_variables(machine: Machine, changes: Mapping[str, Optional[str]]) -> Machine:
    """Return the machine with other environment variables.

    Raises
    ------
    ValueError
        Where a variable is not among those that devicekit looks at, or decides what a probe finds, or is no text.
    """
    from ..machine.probe.process import VARIABLES

    values = dict(machine.process.environ)
    for name, value in changes.items():
        if name in _LEAD_TO_FILES:
            raise ValueError(
                "%s decides which files are found, and those of a simulated machine are on record already: take another "
                "machine, or a snapshot of one" % name
            )
        if name not in VARIABLES:
            raise ValueError(
                "devicekit does not look at the variable %r; it looks at %s" % (name, ", ".join(VARIABLES))
            )
        if value is None:
            values.pop(name, None)
        elif isinstance(value, str):
            values[name] = value
        else:
            raise ValueError("the value of %s is a text, or None to remove it, not %r" % (name, value))
    return machine.replace(process=machine.process.replace(environ=tuple(sorted(values.items()))))
