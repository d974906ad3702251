"""Frozen records, and the one codec between them and plain data for JSON, driven by their type hints.

A result, a fact or a plan is a `Record`: a class with annotated fields, as a frozen dataclass has, but without generated
code, which took 50 ms for sixty classes. ``to_dict()`` and ``from_dict()`` follow the type hints; what they cannot say is
declared in the class:

- ``_json`` names the keys of the JSON form, if these are not the fields in their order: fields, properties and constants.
- `Pairs`, `Seconds` and `Real` are type hints with a JSON form of their own.
- A class with ``schema`` is a document: the number is its first key, and a reader refuses a newer one.

`SEAMS` lists the calls from an earlier package to a later one.
"""

import collections.abc
import math
import re
import sys
import typing
from typing import (
    Any,
    Callable,
    ClassVar,
    Collection,
    Dict,
    Generic,
    List,
    Mapping,
    Optional,
    Tuple,
    Type,
    TypeVar,
    Union,
)

from .errors import MachineFileError, printable

T = TypeVar("T")
R = TypeVar("R", bound="Record")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    Pairs = Tuple[Tuple[str, T], ...]
    Seconds = float
    Real = float
else:

    class Pairs(Generic[T]):
        """Names with their values. In JSON it is an object."""

    class Seconds(float):
        """A duration in seconds. JSON has it in milliseconds' precision."""

    class Real(float):
        """A number that may be infinite or not a number. JSON has no such numbers: there it is "inf", "-inf" or "nan"."""

    def dataclass_transform(**_options):
        """Tell type checkers that the subclasses of a class have fields."""
        return lambda kind: kind


# The seams between packages.

#: The declared seams: each is a function or class of a later package that an earlier one may call, as ``module:name``.
SEAMS = {
    "newer releases": "devicekit.runtime.index.newer:newer_matrix",
    "plug-in facts": "devicekit.plugins.probes:with_platforms",
    "plug-in findings": "devicekit.plugins.rules:report_of",
    "plug-in goals": "devicekit.plugins.goals:ways_to",
    "record as HTML": "devicekit.report.rendering:record_html",
    "record as text": "devicekit.report.rendering:record_text",
}


def seam(name: str) -> Callable[..., Any]:
    """Return the target of a declared seam; its module is imported at the first call.

    Packages import in one direction (`ORDER` in tests/test_architecture.py). If an earlier package needs a later one, because
    plug-ins are installed or a record is shown, it asks for it here, by name, and only when there is something to do::

        if platforms or machine.python.plugin_distributions:
            machine = seam("plug-in facts")(machine, host, platforms)

    Arguments and results are records of earlier packages. A new seam is a line in `SEAMS`.
    """
    from importlib import import_module

    module, _, attribute = SEAMS[name].partition(":")
    target: Callable[..., Any] = getattr(import_module(module), attribute)
    return target


class ShownInNotebooks:
    """A record that a notebook shows as a page of the report."""

    def _repr_html_(self) -> str:
        return str(seam("record as HTML")(self))


class ShownAsText:
    """A record whose text is that of the report, also at the prompt of IPython and in a notebook."""

    def __str__(self) -> str:
        return printable(str(seam("record as text")(self)), lines=True)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self).rstrip("\n"))


class ShownAsReport(ShownAsText, ShownInNotebooks):
    """A record whose text and page are those of the report."""


# Records.


def _safe(text_of: Callable[[Any], str]) -> Callable[[Any], str]:
    """Return a `__str__` without control characters: what a record has comes from drivers, files and other programs."""

    def text(self: Any) -> str:
        return printable(text_of(self), lines=True)

    text.__doc__ = text_of.__doc__
    return text


_set_attribute = object.__setattr__


class _Missing:
    """Stands for the default of a field that has none."""

    def __repr__(self) -> str:
        return "<missing>"


_MISSING = _Missing()


class _LazySignature:
    """The constructor's signature, made when `inspect` asks for it."""

    def __get__(self, instance: object, kind: "Type[Record]") -> Any:
        import inspect

        hints, defaults = _hints(kind), kind._template
        return inspect.Signature(
            [
                inspect.Parameter(
                    name,
                    inspect.Parameter.POSITIONAL_OR_KEYWORD,
                    default=inspect.Parameter.empty if defaults[name] is _MISSING else defaults[name],
                    annotation=hints[name],
                )
                for name in kind._fields
            ]
        )


#: Of JSON that another program wrote: how deep it may be nested, how many characters a number and a string may have, and how
#: many strings, brackets and commas there may be. Nothing that is read comes near; far beyond are the interpreter's stack,
#: numbers whose conversion takes a time that grows as a square, and twenty times the text's size as objects.
_DEEPEST_JSON = 60
_LONGEST_NUMBER = 300
_LONGEST_STRING = 4 << 20
_MOST_MARKS = 1 << 20

_DIGITS = re.compile(r"\d+")


def parse_json(content: Union[str, bytes], own: bool = False) -> Any:
    """Parse JSON that another program, or another user, wrote.

    Parameters
    ----------
    content : str or bytes
    own : bool
        Whether devicekit itself wrote it, from the user's model or environment: ten times as much may be in it, also NaN and
        infinities, which Python writes although JSON has none.

    Raises
    ------
    ValueError
        If it is not JSON in UTF-8, is nested more than 60 deep, has more than a million strings, brackets and commas, or a
        string of more than four million characters, or has a number that is infinite, not a number, or longer than 300
        characters. Nothing else is raised, whatever is in it.
    """
    import json

    text = content if isinstance(content, str) else content.decode("utf-8-sig")
    _check_marks(text, 10 if own else 1)
    return json.loads(text, parse_int=_integer, parse_float=_finite, parse_constant=float if own else _finite)


def _check_marks(text: str, scale: int) -> None:
    """Raise ValueError if strings are too long, or brackets outside of them too deep, or if there are too many of all."""
    brackets, most, longest = text.count("[") + text.count("{"), scale * _MOST_MARKS, scale * _LONGEST_STRING
    # All that there are, and more if they are in strings: that is quick, and enough for what is fine as a rule.
    many = 2 * brackets + text.count(",") + text.count('"') // 2 > most
    if brackets <= _DEEPEST_JSON and not many and len(text) <= longest:
        return
    depth = 0
    pattern = r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[\]{}%s]' % ("," if many else "")
    for number, match in enumerate(re.finditer(pattern, text, re.DOTALL)):
        mark = match.group()
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        if depth > _DEEPEST_JSON:
            raise ValueError("it is nested too deeply: more than %d levels" % _DEEPEST_JSON)
        if number >= most:
            raise ValueError("there is too much in it: more than %d strings, brackets and commas" % most)
        if len(mark) > longest:
            raise ValueError("it has a string of %d characters" % len(mark))


def _integer(text: str) -> int:
    if len(text) > _LONGEST_NUMBER:
        raise ValueError("it has a number of %d characters" % len(text))
    return int(text)


def _finite(text: str) -> float:
    number = float(text) if len(text) <= _LONGEST_NUMBER else math.inf
    if not math.isfinite(number):
        raise ValueError("it has the number %.40s" % text)
    return number


@dataclass_transform(eq_default=True, frozen_default=True)
class Record:
    """Base of all records: frozen, compared and hashed by value, with a lossless JSON form unless ``_json`` omits fields.

    A subclass annotates its fields, as with `dataclasses`; defaults must be immutable. The fields of a base class come
    first.
    """

    #: The names of the fields, in their order.
    _fields: ClassVar[Tuple[str, ...]] = ()
    #: Those without a default.
    _required: ClassVar[Tuple[str, ...]] = ()
    #: The keys of the JSON form; empty for the fields in their order.
    _json: ClassVar[Tuple[str, ...]] = ()
    #: The version of the JSON form of a document, None for a record that is a part of one.
    schema: ClassVar[Optional[int]] = None
    #: What messages call a document, and the command that makes one.
    _document: ClassVar[str] = ""
    _made_by: ClassVar[str] = ""

    _template: ClassVar[Dict[str, Any]] = {}
    __signature__: ClassVar[Any] = _LazySignature()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__str__" in cls.__dict__:
            setattr(cls, "__str__", _safe(cls.__str__))  # noqa: B010 - for type checkers it is what it was
        template = dict(cls._template)
        for name, kind in _annotations(cls).items():
            if getattr(kind, "__origin__", kind) is ClassVar:
                continue
            default = cls.__dict__.get(name, _MISSING)
            if isinstance(default, (list, dict, set)):
                raise TypeError("the default of %s.%s is mutable" % (cls.__name__, name))
            template[name] = default
        cls._template, cls._fields = template, tuple(template)
        setattr(cls, "__match_args__", cls._fields)  # noqa: B010 - known to type checkers as constant
        cls._required = tuple(name for name, default in template.items() if default is _MISSING)
        if cls._fields[: len(cls._required)] != cls._required:
            raise TypeError("%s has fields without a default after fields with one" % cls.__name__)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # A copy of the defaults that is then filled: for more than four fields faster than setting each attribute.
        values = self._template.copy()
        values.update(zip(self._fields, args))
        given = len(args)
        if kwargs:
            values.update(kwargs)
            if given and not kwargs.keys().isdisjoint(self._fields[:given]):
                raise self._wrong_arguments(args, kwargs)
        if len(values) != len(self._fields) or given > len(self._fields):
            raise self._wrong_arguments(args, kwargs)
        if given < len(self._required):
            for name in self._required[given:]:
                if values[name] is _MISSING:
                    raise self._wrong_arguments(args, kwargs)
        _set_attribute(self, "__dict__", values)

    def _wrong_arguments(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> TypeError:
        """Return the exception that says what is wrong with arguments."""
        label, fields = type(self).__name__, self._fields
        if len(args) > len(fields):
            return TypeError("%s takes %d arguments, %d were given" % (label, len(fields), len(args)))
        unknown = [name for name in kwargs if name not in fields]
        if unknown:
            return TypeError("%s has no field %s" % (label, ", ".join(map(repr, unknown))))
        twice = [name for name in fields[: len(args)] if name in kwargs]
        if twice:
            return TypeError("%s got several values for %s" % (label, ", ".join(map(repr, twice))))
        missing = [name for name in self._required[len(args) :] if name not in kwargs]
        return TypeError("%s lacks %s" % (label, ", ".join(map(repr, missing))))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("%s is frozen: replace(%s=...) returns a changed copy" % (type(self).__name__, name))

    def __delattr__(self, name: str) -> None:
        raise AttributeError("%s is frozen: %s cannot be deleted" % (type(self).__name__, name))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        values = ", ".join("%s=%r" % item for item in self.__dict__.items())
        return "%s(%s)" % (type(self).__qualname__, values)

    def replace(self: R, **changes: Any) -> R:
        """Return a copy with some fields changed."""
        return type(self)(**dict(self.__dict__, **changes))

    __replace__ = replace  # `copy.replace` of Python 3.13

    def to_dict(self) -> Dict[str, Any]:
        """Return the record as plain data for JSON."""
        data = {}
        for name, encoder in _encoders(type(self)):
            value = getattr(self, name)
            data[name] = value if encoder is None else encoder(value)
        return data

    @classmethod
    def from_dict(cls: Type[R], data: Mapping[str, Any]) -> R:
        """Return the record that `to_dict` described.

        Raises
        ------
        MachineFileError
            If the data are of a newer schema or of the wrong shape; the message names the place.
        TypeError
            If the JSON form of this record omits fields.
        """
        if not isinstance(data, Mapping):
            raise MachineFileError("a %s is a JSON object, got %s" % (cls.__name__.lower(), type(data).__name__))
        if cls.schema is not None:
            found = data.get("schema")
            if not isinstance(found, int) or isinstance(found, bool):
                raise MachineFileError(
                    "not a %s: it has no 'schema' number; make one with: %s" % (cls._document, cls._made_by)
                )
            if found > cls.schema:
                raise MachineFileError(
                    "the %s has schema %d, this devicekit reads up to %d: upgrade devicekit to read it"
                    % (cls._document, found, cls.schema)
                )
        record = cls._decode((), dict(data), cls.__name__.lower())
        assert isinstance(record, cls)
        return record

    @classmethod
    def _decode(cls, arguments: Tuple[Any, ...], data: Any, where: str) -> Any:
        """Return the record of plain data. ``arguments``: those of a generic record's type hint."""
        if not isinstance(data, dict):
            raise wrong_data(where, "an object", data)
        hints = _hints(cls)
        keys: Collection[str] = cls._json or hints
        omitted = [name for name in cls._fields if name not in keys]
        if omitted:
            raise TypeError("%s cannot be read: its JSON form omits %s" % (cls.__name__, ", ".join(omitted)))
        unknown = sorted(str(key) for key in data if key not in keys and not (key == "schema" and cls.schema))
        if unknown:
            raise MachineFileError(
                "%s has fields that this devicekit does not know: %s" % (where, ", ".join(unknown[:5]))
            )
        values = {key: decode(hints[key], item, "%s.%s" % (where, key)) for key, item in data.items() if key in hints}
        absent = sorted(name for name in cls._required if name not in values)
        if absent:
            raise MachineFileError("%s lacks fields: %s" % (where, ", ".join(absent)))
        return cls(**values)


def _annotations(kind: type) -> Dict[str, Any]:
    # Before Python 3.10, a class without annotations shows those of its base.
    if sys.version_info >= (3, 10):
        return kind.__annotations__
    found: Dict[str, Any] = vars(kind).get("__annotations__", {})
    return found


_known_hints: Dict[Any, Dict[str, Any]] = {}


def _hints(kind: Any) -> Dict[str, Any]:
    """Return the type hints of a record's fields or a named tuple's, evaluated once, since that takes long."""
    if kind not in _known_hints:
        hints = typing.get_type_hints(kind)
        _known_hints[kind] = {name: hints[name] for name in kind._fields}
    return _known_hints[kind]


def json_hints(kind: Any) -> Dict[str, Any]:
    """Return the keys of the JSON form of a record, or of a named tuple, with their type hints, in order.

    The hint of a property is that of what it returns; a constant has its type.
    """
    hints = _hints(kind)
    found: Dict[str, Any] = {}
    if getattr(kind, "schema", None) is not None:
        found["schema"] = int
    for name in getattr(kind, "_json", ()) or kind._fields:
        if name in hints:
            found[name] = hints[name]
        else:
            derived = getattr(kind, name)
            found[name] = (
                typing.get_type_hints(derived.fget)["return"] if isinstance(derived, property) else type(derived)
            )
    return found


# From records to plain data.

#: What makes plain data of a value; None for a value that is plain already.
Encoder = Optional[Callable[[Any], Any]]

_known_encoders: Dict[type, List[Tuple[str, Encoder]]] = {}


def _encoders(kind: Type[Record]) -> List[Tuple[str, Encoder]]:
    if kind not in _known_encoders:
        _known_encoders[kind] = [(name, _encoder(hint)) for name, hint in json_hints(kind).items()]
    return _known_encoders[kind]


def _encoder(hint: Any) -> Encoder:
    """Return what makes plain data of the values of a type hint."""
    if hint in (str, int, float, bool, type(None)):
        return None
    if hint is Seconds:
        return lambda value: round(value, 3)
    if hint is Real:
        return _real
    origin = getattr(hint, "__origin__", None)
    if origin is Pairs:
        return _encoder_of_pairs(_encoder(hint.__args__[0]))
    if _is_sequence(hint):
        return _encoder_of_sequence(_encoder(hint.__args__[0]))
    if origin is Union:
        return _encoder_of_optional(_encoder(_not_none(hint)))
    return encode


def _encoder_of_pairs(encoder: Encoder) -> Encoder:
    if encoder is None:
        return dict
    of_value = encoder
    return lambda pairs: {name: of_value(value) for name, value in pairs}


def _encoder_of_sequence(encoder: Encoder) -> Encoder:
    if encoder is None:
        return list
    of_item = encoder
    return lambda items: [of_item(item) for item in items]


def _encoder_of_optional(encoder: Encoder) -> Encoder:
    if encoder is None:
        return None
    of_value = encoder
    return lambda value: None if value is None else of_value(value)


def _not_none(hint: Any) -> Any:
    """Return the type hint of ``Optional[hint]``; Any for a union of several."""
    parts = [part for part in hint.__args__ if part is not type(None)]
    return parts[0] if len(parts) == 1 else Any


def _is_sequence(hint: Any) -> bool:
    """Return whether a type hint is of a sequence of any length, whose items are of one type."""
    origin = getattr(hint, "__origin__", None)
    return origin is collections.abc.Sequence or (origin is tuple and hint.__args__[1:] == (Ellipsis,))


def _real(value: float) -> Any:
    if value != value:
        return "nan"
    return value if abs(value) != float("inf") else "inf" if value > 0 else "-inf"


def encode(value: Any) -> Any:
    """Return a record, a tuple of records or a plain value as plain data."""
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            return {name: encode(getattr(value, name)) for name in value._fields}
        return [encode(item) for item in value]
    if isinstance(value, list):
        return [encode(item) for item in value]
    if isinstance(value, Mapping):
        return {name: encode(item) for name, item in value.items()}
    return value.data if isinstance(value, Plain) else value


# From plain data to records.


def decode(hint: Any, data: Any, where: str) -> Any:
    """Return plain data as the values of a type hint.

    Raises
    ------
    MachineFileError
        If they do not fit; ``where`` names the place.
    """
    origin = getattr(hint, "__origin__", None)
    if isinstance(origin or hint, type) and issubclass(origin or hint, Record):
        return (origin or hint)._decode(getattr(hint, "__args__", ()), data, where)
    if hint is Any:
        return data
    if origin is tuple or _is_sequence(hint):
        return _decode_sequence(hint, data, where)
    if origin is Pairs:
        if not isinstance(data, dict):
            raise wrong_data(where, "an object", data)
        return tuple((name, decode(hint.__args__[0], item, "%s.%s" % (where, name))) for name, item in data.items())
    if origin is Union:
        return None if data is None else decode(_not_none(hint), data, where)
    if hint is Plain:
        try:
            return Plain(plain_data(data))
        except ValueError as error:
            raise MachineFileError("%s holds %s" % (where, error)) from error
    return _decode_single(hint, data, where)


def _decode_single(hint: Any, data: Any, where: str) -> Any:
    if hasattr(hint, "_fields"):
        if not isinstance(data, dict) or sorted(data) != sorted(hint._fields):
            raise wrong_data(where, "an object with %s" % ", ".join(hint._fields), data)
        return hint(**{name: decode(kind, data[name], "%s.%s" % (where, name)) for name, kind in _hints(hint).items()})
    if hint is Real and data in ("nan", "inf", "-inf"):
        return float(data)
    kind = float if hint in (Real, Seconds) else hint
    if kind is float and type(data) is int and abs(data) < 1 << 53:  # other programs write 2.0 as 2
        return float(data)
    if not isinstance(data, kind) or (isinstance(data, bool) and kind is not bool):
        raise wrong_data(where, kind.__name__, data)
    # A version is made a number by many, which takes a time that grows as a square.
    if kind is str and _has_long_number(data):
        raise wrong_data(where, "a text without a number of more than %d digits" % _LONGEST_NUMBER, data)
    return data


def with_short_numbers(text: str) -> str:
    """Return a text that a record may have, and that can be read again: its numbers lose what comes after 300 digits."""
    return _DIGITS.sub(lambda found: found.group()[:_LONGEST_NUMBER], text) if _has_long_number(text) else text


def _has_long_number(text: Any) -> bool:
    return len(text) > _LONGEST_NUMBER < max(map(len, _DIGITS.findall(text)), default=0)


def _decode_sequence(hint: Any, data: Any, where: str) -> Tuple[Any, ...]:
    if not isinstance(data, list):
        raise wrong_data(where, "a list", data)
    kinds = hint.__args__
    if _is_sequence(hint):
        return tuple(decode(kinds[0], item, "%s[%d]" % (where, number)) for number, item in enumerate(data))
    if len(data) != len(kinds):
        raise wrong_data(where, "a list of %d" % len(kinds), data)
    return tuple(decode(kind, item, where) for kind, item in zip(kinds, data))


def wrong_data(where: str, expected: str, data: Any) -> MachineFileError:
    """Return the exception for data that do not fit."""
    shown = repr(data)
    return MachineFileError(
        "%s should be %s, it is %s" % (where, expected, shown[:60] + ("..." if len(shown) > 60 else ""))
    )


# Data of plug-ins, whose form devicekit does not know.

#: Longer data are refused: a snapshot is sent by mail.
LIMIT_CHARACTERS = 1 << 18

#: Three times as deep can be read: what has them, such as a snapshot, is nested itself.
_DEEPEST_PLAIN = _DEEPEST_JSON // 3


class Plain:
    """Strings, numbers, booleans, None, and lists and dictionaries of them. Immutable; equal if their JSON is equal.

    Attributes
    ----------
    data : any
        The data, a new copy for each caller.
    """

    __slots__ = ("_text",)

    def __init__(self, data: Any) -> None:
        import json  # only if there is a plug-in

        self._text = json.dumps(data, sort_keys=True, ensure_ascii=False, allow_nan=False)

    @property
    def data(self) -> Any:
        """The data, a new copy for each caller."""
        import json

        return json.loads(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return "Plain(%s)" % self._text

    def __len__(self) -> int:
        """The number of characters of its JSON."""
        return len(self._text)


def plain_data(value: Any, clean: Callable[[str], str] = str, _depth: int = 0) -> Any:
    """Return a copy of plain data, each text in it passed through a function.

    Raises
    ------
    ValueError
        If a part of it is not plain data, or nested too deeply; the message says which.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        # Half of a surrogate pair can be written in no encoding of a file.
        return clean(str(value)).encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if value - value != 0.0:
            raise ValueError("%r, which JSON cannot hold" % value)
        return float(value)
    if _depth >= _DEEPEST_PLAIN:
        raise ValueError("data nested more than %d deep" % _DEEPEST_PLAIN)
    if isinstance(value, (list, tuple)):
        return [plain_data(item, clean, _depth + 1) for item in value]
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise ValueError("a dictionary with the key %.60r, which is not a string" % (key,))
        # A word that happens to be a user's name may be a key as well; a path may not have one in it.
        cleaned = [clean(key) if "/" in key or "\\" in key else key for key in value]
        return {name: plain_data(item, clean, _depth + 1) for name, item in zip(cleaned, value.values())}
    raise ValueError("%s, which is not plain data" % type(value).__name__)
