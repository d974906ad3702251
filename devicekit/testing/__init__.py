"""Test programs that use devicekit with simulated machines.

The machines are snapshots, made from devicekit's own tests. They share most of their text, so one file for all makes the wheel
smaller by 90 KB than one for each.
"""

import functools
import inspect
import json
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, Tuple, TypeVar, Union

# Every run of pytest imports this package with the plug-in: what reads machines is imported when a machine is asked for.
if TYPE_CHECKING:
    from ..machine.facts import Machine

__all__ = ["describe", "load", "machines", "simulated_machine"]

F = TypeVar("F", bound=Callable[..., Any])

#: Variables that determine which files a probe finds. A snapshot already contains the files that were found: changing one
#: of these would have no effect.
_FILE_VARIABLES = (
    "CONDA_PREFIX", "CUDA_DIR", "CUDA_HOME", "CUDA_PATH", "DYLD_LIBRARY_PATH", "KERAS_HOME", "LD_LIBRARY_PATH", "LD_PRELOAD",
    "ONEAPI_ROOT", "PATH", "PYTHONHOME", "PYTHONNOUSERSITE", "PYTHONPATH", "PYTHONPLATLIBDIR", "PYTHONSAFEPATH",
    "ROCM_PATH", "TF_DIRECTML_PATH", "TPU_LIBRARY_PATH", "VIRTUAL_ENV",
)  # fmt: skip


def machines() -> Tuple[str, ...]:
    """Return the names of the bundled machines, in alphabetical order; `describe` returns what each of them is."""
    return tuple(sorted(_bundled()))


def describe(name: str) -> str:
    """Return a sentence about a bundled machine.

    Parameters
    ----------
    name : str
        One of `machines`.

    Raises
    ------
    ValueError
        If there is no machine of that name; the message lists the names.
    """
    return str(_entry(name)["title"])


def load(name: str) -> "Machine":
    """Return a bundled machine, for `devicekit.diagnose` and `devicekit.select_device`.

    Parameters
    ----------
    name : str
        One of `machines`.

    Raises
    ------
    ValueError
        If there is no machine of that name; the message lists the names.
    """
    from ..machine.facts import Machine

    return Machine.from_dict(_data(name))


def _entry(name: str) -> Dict[str, Any]:
    bundled = _bundled()
    if name not in bundled:
        from ..errors import did_you_mean

        raise ValueError(
            "unknown machine %r%s"
            % (name, did_you_mean(name, bundled) or "; bundled are %s" % ", ".join(sorted(bundled)))
        )
    return bundled[name]


def _data(name: str) -> Dict[str, Any]:
    """Return the plain data of a machine: most are written as what differs from one that is much like it."""
    entry = _entry(name)
    return _changed(_data(entry["like"]), entry["machine"]) if "like" in entry else dict(entry["machine"])


def _changed(data: Dict[str, Any], changes: Dict[str, Any]) -> Dict[str, Any]:
    """Return data with changes; the key ``"-"`` names what is left out.

    >>> _changed({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 4, "-": ["c"]}})
    {'a': {'b': 4}, 'd': 3}

    Those of a list are by the name of each record, which it is in the order of:

    >>> _changed({"a": [{"name": "b", "c": 1}]}, {"a": {"b": {"c": 2}}})
    {'a': [{'name': 'b', 'c': 2}]}
    """
    result = {key: value for key, value in data.items() if key not in changes.get("-", ())}
    for key, value in changes.items():
        if key != "-":
            old = data.get(key)
            if isinstance(old, list) and isinstance(value, dict):
                named = _changed({item["name"]: item for item in old}, value)
                result[key] = [named[name] for name in sorted(named)]
            else:
                result[key] = _changed(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result


@functools.lru_cache(maxsize=1)
def _bundled() -> Dict[str, Dict[str, Any]]:
    """Return title and plain data of each machine, or what differs from the one that it is ``like``."""
    import pkgutil

    content = pkgutil.get_data("devicekit", "testing/machines.json") or b"{}"
    bundled: Dict[str, Dict[str, Any]] = json.loads(content.decode("utf-8"))
    return bundled


class simulated_machine:
    """Make `detect`, `diagnose`, `select_device` and `resolve` use another machine.

    Parameters
    ----------
    machine : str, path or Machine
        The name of a bundled machine (see `machines`), the path of a snapshot (``devicekit snapshot > machine.json``), or
        a `Machine`. A string that contains a slash or backslash, or ends in ``.json``, is a path.
    environ : mapping of str to str or None, optional
        Environment variables of that machine to set, or to remove if None: ``{"CUDA_VISIBLE_DEVICES": "1"}``.

    Yields
    ------
    Machine
        The simulated machine.

    Raises
    ------
    ValueError
        If there is no bundled machine of that name, or a variable cannot be set.
    MachineFileError
        If a snapshot cannot be read.
    TypeError
        If it decorates a class or an asynchronous generator.

    Notes
    -----
    `auto`, `device_scope`, `verify`, `benchmark`, `tune` and everything else that sets up a framework or runs something still
    use the real machine, because the simulated devices do not exist. `auto` then logs a warning to the logger ``devicekit``,
    which pytest shows if the test fails. Measurements of this machine, environment variables of this process and imported
    frameworks do not affect the simulated machine.

    It is re-entrant, can be nested, and restores the previous machine, also after an exception. Every thread and every
    task has its own: a thread that is started inside is not affected, unless it runs in a copy of the context
    (``contextvars.copy_context().run``), as ``asyncio.to_thread`` does. As a decorator it supports functions, generator
    functions and coroutine functions.
    """

    __slots__ = ("_machine",)

    def __init__(
        self, machine: "Union[str, os.PathLike[str], Machine]", *, environ: Optional[Mapping[str, Optional[str]]] = None
    ) -> None:
        found = _machine_of(machine)
        self._machine = found if environ is None else _with_variables(found, environ)

    def __enter__(self) -> "Machine":
        from ..machine.detect import stand_ins

        stand_ins.set(stand_ins.get() + (self._machine,))
        return self._machine

    def __exit__(self, *error: object) -> None:
        # Without a token, because a fixture may be left in a different context from the one in which it was entered.
        from ..machine.detect import stand_ins

        stand_ins.set(stand_ins.get()[:-1])

    def __call__(self, function: F) -> F:
        """Return the function, wrapped so that its body runs with this machine."""
        if inspect.isclass(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                "simulated_machine decorates functions, generator functions and coroutine functions, not %r; "
                "write 'with simulated_machine(...):' inside, or use a fixture" % function
            )
        from ..runtime.scope import wrap

        return wrap(function, lambda: self)


def _machine_of(machine: "Union[str, os.PathLike[str], Machine]") -> "Machine":
    from ..machine.facts import Machine
    from ..machine.snapshot import load_machine

    if isinstance(machine, Machine):
        return machine
    if not isinstance(machine, (str, os.PathLike)):
        raise ValueError(
            "expected the name of a bundled machine, the path of a snapshot, or a devicekit.Machine, not a %s"
            % type(machine).__name__
        )
    path = os.fspath(machine)
    if not isinstance(machine, str) or "/" in path or "\\" in path or path.endswith(".json"):
        return load_machine(path)
    return load(path)


def _with_variables(machine: "Machine", changes: Mapping[str, Optional[str]]) -> "Machine":
    """Return the machine with other environment variables.

    Raises
    ------
    ValueError
        If devicekit does not read a variable, or it determines which files are found, or it is not a string.
    """
    from ..machine.probe.process import VARIABLES

    values = dict(machine.process.environ)
    for name, value in changes.items():
        if name in _FILE_VARIABLES:
            raise ValueError(
                "%s determines which files are found, and those of a simulated machine are already recorded: use another "
                "machine or a snapshot" % name
            )
        if name not in VARIABLES:
            raise ValueError("devicekit does not read the variable %r; it reads %s" % (name, ", ".join(VARIABLES)))
        if value is None:
            values.pop(name, None)
        elif isinstance(value, str):
            values[name] = value
        else:
            raise ValueError("the value of %s must be a string, or None to remove it, not %r" % (name, value))
    return machine.replace(process=machine.process.replace(environ=tuple(sorted(values.items()))))
