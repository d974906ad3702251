"""Which framework a function is written for, by its arguments and the modules that its code names. Imports nothing."""

import sys
import types
from typing import Any, Iterator, Optional, Sequence, Set

from ..nests import flatten

#: Modules and the framework that they stand for.
_FRAMEWORKS = {
    "tensorflow": "tensorflow",
    "tensorflow_core": "tensorflow",
    "tf_keras": "tensorflow",
    "jax": "jax",
    "jaxlib": "jax",
    "flax": "jax",
    "equinox": "jax",
    "optax": "jax",
    "torch": "torch",
    "torchvision": "torch",
}


def written_for(function: Any, arguments: Sequence[Any]) -> Optional[str]:
    """Return ``"tensorflow"``, ``"tensorflow1"``, ``"jax"`` or ``"torch"``; None if that is not clear."""
    for _, leaf in flatten(tuple(arguments)):
        found = _of_class(type(leaf))
        if found is not None:
            return with_release(found)
    named = set(_named(function, 0))
    if "keras" in named:
        named.discard("keras")
        named.add(_keras_backend())
    named.discard("")
    return with_release(named.pop()) if len(named) == 1 else None


def _of_class(kind: Any) -> Optional[str]:
    for base in getattr(kind, "__mro__", ()):
        found = _FRAMEWORKS.get(str(base.__module__).partition(".")[0])
        if found is not None:
            return found
    return None


def _keras_backend() -> str:
    keras = sys.modules.get("keras")
    if keras is None or str(getattr(keras, "__version__", "3")).startswith("2."):
        return "tensorflow"
    return str(keras.backend.backend())


def with_release(framework: str) -> str:
    """TensorFlow 1.15 goes by a separate name."""
    version = str(getattr(sys.modules.get("tensorflow"), "__version__", "2"))
    return "tensorflow1" if framework == "tensorflow" and version.startswith("1.") else framework


def _named(function: Any, depth: int) -> Iterator[str]:
    """Yield the frameworks that a function's code, and that of its own functions, names."""
    own = _of_class(type(function))
    if own is not None:
        yield own
        return
    for wrapped in ("func", "__wrapped__", "python_function", "__func__"):
        function = getattr(function, wrapped, function)
    code = getattr(function, "__code__", None)
    if code is None:
        method = vars(type(function)).get("__call__")
        if isinstance(method, types.FunctionType) and depth == 0:
            for found in _named(method, 1):
                yield found
        return
    values = dict(getattr(function, "__globals__", {}))
    cells = zip(code.co_freevars, getattr(function, "__closure__", None) or ())
    for name, cell in cells:
        try:
            values[name] = cell.cell_contents
        except ValueError:  # not filled yet
            continue
    for name in _names(code):
        value = values.get(name, sys.modules.get(name))
        module = value.__name__ if isinstance(value, types.ModuleType) else str(getattr(value, "__module__", ""))
        package = module.partition(".")[0]
        if package in _FRAMEWORKS:
            yield _FRAMEWORKS[package]
        elif package == "keras":
            yield "keras"
        elif isinstance(value, types.FunctionType) and depth < 2:
            for found in _named(value, depth + 1):
                yield found


def _names(code: Any) -> Set[str]:
    found = set(code.co_names) | set(code.co_freevars)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found
