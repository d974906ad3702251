"""Every record survives JSON, copies and comparison; constructors refuse what does not fit, and say what."""

import collections.abc
import copy
import importlib
import inspect
import json
import os
import pickle
import random
import re
import typing
from typing import Any, Optional, Tuple

import pytest
from checks import for_each
from hypothesis import given, settings
from hypothesis import strategies as st

import devicekit
from devicekit.errors import MachineFileError
from devicekit.machine.facts import Fact, Machine
from devicekit.records import Pairs, Plain, Real, Record, Seconds, decode, encode, json_hints

PACKAGE = os.path.dirname(os.path.abspath(devicekit.__file__))


def modules_with_records():
    for folder, _, names in os.walk(PACKAGE):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".py") and os.path.dirname(path) != PACKAGE:
                with open(path, encoding="utf-8") as stream:
                    text = stream.read()
                if re.search(r"^class \w+\(Record\b", text, re.M):
                    yield "devicekit." + os.path.relpath(path, PACKAGE)[: -len(".py")].replace(os.sep, ".")


def subclasses(kind):
    for sub in kind.__subclasses__():
        yield sub
        yield from subclasses(sub)


def is_plain(hint):
    """Whether the codec knows the values of a type hint; records that only live in memory have others too."""
    origin, arguments = getattr(hint, "__origin__", None), getattr(hint, "__args__", ())
    if hint in (str, int, float, bool, Any, Plain, Seconds, Real, type(None), Ellipsis):
        return True
    if origin in (tuple, collections.abc.Sequence, Pairs, Fact):
        return all(is_plain(item) for item in arguments)
    if origin is typing.Union:
        return type(None) in arguments and len(arguments) == 2 and all(is_plain(item) for item in arguments)
    return isinstance(hint, type) and hasattr(hint, "_fields") and hint is not Fact and is_plain_record(hint)


def is_plain_record(kind):
    hints = typing.get_type_hints(kind)
    return all(is_plain(hints[name]) for name in kind._fields)


def records():
    """All records of the package whose values the codec knows, by name."""
    for name in modules_with_records():
        try:
            importlib.import_module(name)
        except ImportError as error:  # what measures imports NumPy
            assert "numpy" in str(error), error
    found = [kind for kind in subclasses(Record) if kind.__module__.startswith("devicekit.") and kind is not Fact]
    return {kind.__name__: kind for kind in found if is_plain_record(kind)}


RECORDS = records()


def sample(hint, rng):
    """Return some value of a type hint."""
    origin, arguments = getattr(hint, "__origin__", None), getattr(hint, "__args__", ())
    if hint is str:
        return "".join(rng.choice("aZ0 /\\\"'<\n\x1b\u00e4\u4e2d\U0001f600") for _ in range(rng.randrange(4)))
    if hint is bool:
        return rng.random() < 0.5
    if hint is int:
        return rng.choice((0, 1, -1, rng.getrandbits(40)))
    if hint is float:
        return rng.choice((0.0, -1.5, 1e300, rng.random()))
    if hint is Seconds:
        return round(rng.random() * 100, 3)
    if hint is Real:
        return rng.choice((0.0, float("inf"), float("-inf"), rng.random()))
    if hint is Any:
        return rng.choice((None, True, 3, 0.5, "text"))
    if hint is Plain:
        return Plain({"a": [1, None, rng.random()]})
    if origin is Fact:
        value = sample(arguments[0], rng)
        return rng.choice((Fact.of(value, "source"), Fact.absent("", "why"), Fact.unknown("why")))
    if origin is Pairs:
        return tuple(("name %d" % number, sample(arguments[0], rng)) for number in range(rng.randrange(3)))
    if origin is typing.Union:
        return sample(arguments[0], rng) if rng.random() < 0.7 else None
    if origin is collections.abc.Sequence or (origin is tuple and arguments[1:] == (Ellipsis,)):
        return tuple(sample(arguments[0], rng) for _ in range(rng.randrange(3)))
    if origin is tuple:
        return tuple(sample(item, rng) for item in arguments)
    hints = typing.get_type_hints(hint)
    return hint(**{name: sample(hints[name], rng) for name in hint._fields})


def reads_back(kind):
    """Whether nothing is omitted in the JSON form of a record, nor of those that it is made of."""
    if set(kind._fields) - set(json_hints(kind)):
        return False
    return all(reads_back(RECORDS[name]) for name in re.findall(r"\w+", repr(json_hints(kind))) if name in RECORDS)


def test_the_records_that_users_meet_are_among_them():
    wanted = {"Machine", "Finding", "Candidate", "Selection", "Throughput", "Comparison", "Tuning", "Fleet", "Leases"}
    assert wanted <= set(RECORDS)
    assert len(RECORDS) > 70


#: Their JSON form says what follows from the values, which has to make sense; and records that contain them.
JUDGING = ("Verification", "FrameworkVerification", "Remedy", "NewEnvironment")


@for_each("name", sorted(RECORDS))
def test_a_record_survives_json_and_copies(name):
    kind = RECORDS[name]

    @settings(max_examples=4)
    @given(st.integers(0, 1 << 32))
    def check(seed):
        record = sample(kind, random.Random(seed))
        again = pickle.loads(pickle.dumps(record))
        assert again == copy.copy(record) == copy.deepcopy(record) == record.replace() == record
        assert hash(again) == hash(record)
        assert repr(again) == repr(record)
        if name in JUDGING:
            return
        data = json.loads(json.dumps(record.to_dict(), allow_nan=False))
        assert list(data) == list(json_hints(kind))
        if reads_back(kind):
            assert kind.from_dict(data) == record

    check()


@for_each("name", sorted(name for name in RECORDS if set(RECORDS[name]._fields) - set(json_hints(RECORDS[name]))))
def test_what_omits_fields_is_not_read(name):
    data = {"schema": 1} if RECORDS[name].schema else {}
    with pytest.raises(TypeError, match="its JSON form omits"):
        RECORDS[name].from_dict(data)


class Point(Record):
    x: int
    y: int = 0


class Place(Point):
    label: str = ""
    lucky: typing.ClassVar[int] = 7


def test_fields_of_the_base_come_first():
    place = Place(1, label="here")
    assert (place.x, place.y, place.label) == (1, 0, "here")
    assert Place._fields == ("x", "y", "label")
    assert place != Point(1)
    assert repr(place).endswith("Place(x=1, y=0, label='here')")
    assert str(inspect.signature(Place)) == "(x: int, y: int = 0, label: str = '')"


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Point(), "Point lacks 'x'"),
        (lambda: Point(y=1), "Point lacks 'x'"),
        (lambda: Point(1, 2, 3), "Point takes 2 arguments, 3 were given"),
        (lambda: Point(1, x=1), "Point got several values for 'x'"),
        (lambda: Point(1, z=1), "Point has no field 'z'"),
        (lambda: Point(1).replace(z=1), "Point has no field 'z'"),
    ],
)
def test_wrong_arguments_are_named(make, message):
    with pytest.raises(TypeError) as caught:
        make()
    assert str(caught.value) == message


def test_a_record_is_frozen():
    with pytest.raises(AttributeError, match=r"replace\(x=...\)"):
        Point(1).x = 2
    with pytest.raises(AttributeError, match="frozen"):
        del Point(1).x


def test_wrong_classes_are_refused():
    with pytest.raises(TypeError, match="mutable"):
        type("Bad", (Record,), {"__annotations__": {"items": list}, "items": []})
    with pytest.raises(TypeError, match="without a default"):
        type("Bad", (Point,), {"__annotations__": {"z": int}})


def test_numbers_that_json_lacks_are_texts():
    class Measured(Record):
        error: Real
        took: Seconds = 0.0
        optional: Optional[Tuple[Real, ...]] = None

    record = Measured(float("nan"), 1.23456, (float("inf"), 0.5))
    assert record.to_dict() == {"error": "nan", "took": 1.235, "optional": ["inf", 0.5]}
    assert Measured.from_dict({"error": "-inf", "took": 2}) == Measured(float("-inf"), 2.0)
    with pytest.raises(MachineFileError, match=r"measured\.error should be float, it is 'big'"):
        Measured.from_dict({"error": "big"})


def test_a_document_of_a_newer_schema_is_refused():
    with pytest.raises(MachineFileError, match="the machine file has schema 2, this devicekit reads up to 1"):
        Machine.from_dict({"schema": 2})
    with pytest.raises(MachineFileError, match="make one with: devicekit snapshot"):
        Machine.from_dict({})
    with pytest.raises(MachineFileError, match="a machine is a JSON object, got list"):
        Machine.from_dict([])


def test_values_without_a_type_hint():
    assert encode({"a": (Point(1), [Plain([1])])}) == {"a": [{"x": 1, "y": 0}, [[1]]]}
    assert decode(Any, [1, {"a": 2}], "x") == [1, {"a": 2}]
