"""From frozen records of facts to plain data for JSON, and back with a clear error for everything that does not fit."""

import typing
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any, Callable, Dict, Type

from .errors import MachineFileError
from .machine.fact import Fact
from .records_plain import Plain, plain_data

__all__ = ["SEAMS", "decode", "encode", "seam"]

#: The declared seams: each is a function or class of a later package that an earlier one may call, as ``module:name``.
SEAMS = {
    "plug-in facts": "devicekit.plugins.probes:with_platforms",
    "plug-in findings": "devicekit.plugins.rules:report_of",
    "plug-in goals": "devicekit.plugins.goals:ways_to",
    "record as HTML": "devicekit.report.rendering:record_html",
    "record as text": "devicekit.report.rendering:record_text",
}


def seam(name: str) -> Callable[..., Any]:
    """Return what a declared seam leads to; its module is imported at the first call.

    Packages import in one direction (see the list in DESIGN.md). Where an earlier package needs a later one, because
    plug-ins are installed or a record is shown, it asks for it here, by name, and only when there is something to do::

        if platforms or machine.python.plugin_distributions:
            machine = seam("plug-in facts")(machine, host, platforms)

    What is handed over and returned are records of earlier packages. A new seam is a line in `SEAMS`.
    """
    module, _, attribute = SEAMS[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(module), attribute)
    return found


def encode(value: Any) -> Any:
    """Return a record, fact, tuple or plain value as plain data."""
    if isinstance(value, Fact):
        result: Dict[str, Any] = {"status": value.status}
        if value.status == "value":
            result["value"] = encode(value.content)
        if value.source:
            result["source"] = value.source
        if value.problem:
            result["problem"] = value.problem
        return result
    if isinstance(value, Plain):
        return value.data
    if is_dataclass(value):
        return {item.name: encode(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    return value


def decode(kind: Any, data: Any, where: str) -> Any:
    """Return plain data as what a type annotation says.

    Raises
    ------
    MachineFileError
        Where they do not fit; ``where`` leads to the place.
    """
    origin = getattr(kind, "__origin__", None)
    if origin is Fact:
        return _decode_fact(kind.__args__[0], data, where)
    if origin is tuple:
        if not isinstance(data, list):
            raise _wrong(where, "a list", data)
        if len(kind.__args__) == 2 and kind.__args__[1] is Ellipsis:
            return tuple(decode(kind.__args__[0], item, "%s[%d]" % (where, n)) for n, item in enumerate(data))
        if len(data) != len(kind.__args__):
            raise _wrong(where, "a list of %d" % len(kind.__args__), data)
        return tuple(decode(part, item, where) for part, item in zip(kind.__args__, data))
    if origin is typing.Union:
        if data is None:
            return None
        return decode(next(part for part in kind.__args__ if part is not type(None)), data, where)
    if kind is Plain:
        try:
            return Plain(plain_data(data))
        except ValueError as error:
            raise MachineFileError("%s holds %s" % (where, error)) from error
    if is_dataclass(kind):
        return _decode_record(typing.cast(Type[Any], kind), data, where)
    if kind is float and type(data) is int and abs(data) < 1 << 53:  # other programs write 2.0 as 2
        return float(data)
    if not isinstance(data, kind) or (isinstance(data, bool) and kind is not bool):
        raise _wrong(where, kind.__name__, data)
    return data


def _decode_fact(kind: Any, data: Any, where: str) -> "Fact[Any]":
    if not isinstance(data, dict) or data.get("status") not in ("value", "absent", "unknown"):
        raise _wrong(where, "a fact with a status", data)
    source, problem = data.get("source", ""), data.get("problem", "")
    if not isinstance(source, str) or not isinstance(problem, str):
        raise _wrong(where, "a fact whose source and problem are strings", data)
    content = None
    if data["status"] == "value":
        content = decode(kind, data.get("value"), where)
    return Fact(data["status"], content, source, problem)


def _decode_record(kind: Type[Any], data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise _wrong(where, "an object", data)
    hints = _hints(kind)
    names = hints.keys()
    unknown = sorted(str(key) for key in data if key not in names)
    if unknown:
        raise MachineFileError("%s has fields that this devicekit does not know: %s" % (where, ", ".join(unknown[:5])))
    values = {key: decode(hints[key], item, "%s.%s" % (where, key)) for key, item in data.items()}
    try:
        return kind(**values)
    except TypeError:
        absent = sorted(set(names) - set(values))
        raise MachineFileError("%s lacks fields: %s" % (where, ", ".join(absent))) from None


_HINTS: Dict[Any, Dict[str, Any]] = {}


def _hints(kind: Type[Any]) -> Dict[str, Any]:
    """Return the types of a record's fields, worked out once: that takes longer than all the rest."""
    if kind not in _HINTS:
        hints = typing.get_type_hints(kind)
        _HINTS[kind] = {item.name: hints[item.name] for item in fields(kind)}
    return _HINTS[kind]


def _wrong(where: str, expected: str, data: Any) -> MachineFileError:
    shown = repr(data)
    return MachineFileError(
        "%s should be %s, it is %s" % (where, expected, shown[:60] + ("..." if len(shown) > 60 else ""))
    )
