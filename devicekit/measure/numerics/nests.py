"""Nested structures of arrays: what a function takes and returns. Pure; frameworks' own kinds of trees are not needed."""

from typing import Any, Iterable, Iterator, List, Tuple


def flatten(value: Any) -> Tuple[Tuple[str, Any], ...]:
    """Return the leaves of nested lists, tuples and dictionaries, each with the path to it.

    The path of a value that is not a nest is ``""``; of others it reads like ``"0"`` or ``"logits.1"``. None holds nothing and
    is left out.
    """
    return tuple(_leaves(value, ()))


def _leaves(value: Any, path: Tuple[str, ...]) -> Iterator[Tuple[str, Any]]:
    if value is None:
        return
    if isinstance(value, (list, tuple)):
        names = getattr(value, "_fields", None) or range(len(value))
        items: Iterable[Tuple[Any, Any]] = zip(names, value)
    elif is_mapping(value):
        items = [(key, value[key]) for key in value]
    else:
        yield ".".join(path), value
        return
    for name, item in items:
        yield from _leaves(item, path + (str(name),))


def rebuild(value: Any, leaves: Iterable[Any]) -> Any:
    """Return a structure of the same shape with other leaves, in the order of `flatten`."""
    return _rebuild(value, iter(leaves))


def _rebuild(value: Any, leaves: Iterator[Any]) -> Any:
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        items: List[Any] = [_rebuild(item, leaves) for item in value]
        if hasattr(value, "_fields"):
            return type(value)(*items)
        return type(value)(items)
    if is_mapping(value):
        return type(value)((key, _rebuild(value[key], leaves)) for key in value)
    return next(leaves)


def is_mapping(value: Any) -> bool:
    """Whether something has keys and values, as a dict and the frozen kinds of it that frameworks have."""
    from collections.abc import Mapping

    return isinstance(value, Mapping)
