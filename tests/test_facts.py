"""Facts have three states; a Machine has a lossless JSON form and says clearly why another file is none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devicekit import Machine
from devicekit.errors import MachineFileError, UnknownFactError
from devicekit.machine import Fact
from devicekit.machine.facts import Library
from devicekit.machine.probe import read_machine
from devicekit.records import decode, encode


def test_unknown_is_not_absent():
    unknown = Fact.unknown("no permission", "/proc/x")
    with pytest.raises(UnknownFactError, match="/proc/x: no permission"):
        unknown.value  # noqa: B018
    with pytest.raises(UnknownFactError):
        unknown.present  # noqa: B018
    assert Fact.absent("/proc/x").value is None
    assert Fact.absent("/proc/x").present is False
    assert Fact.of(0).present is True


texts = st.text(max_size=20)
facts = st.one_of(
    st.builds(Fact.of, st.tuples(st.builds(Library, texts, texts, texts)), texts, texts),
    st.builds(Fact.absent, texts, texts),
    st.builds(Fact.unknown, texts, texts),
)


@given(facts)
def test_facts_survive_json(fact):
    from typing import Tuple

    data = json.loads(json.dumps(encode(fact)))
    assert decode(Fact[Tuple[Library, ...]], data, "fact") == fact


@pytest.fixture
def machine(make_machine):
    return read_machine(make_machine(python={"installed": {"tensorflow": "2.15.1", "numpy": "1.26.4"}}))


def test_a_machine_survives_json(machine):
    again = Machine.from_dict(json.loads(json.dumps(machine.to_dict())))
    assert again == machine
    assert again.python.version_of("numpy") == "1.26.4"


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda d: d.pop("schema"), "no 'schema' number"),
        (lambda d: d.update(schema=Machine.schema + 1), "upgrade devicekit"),
        (lambda d: d.update(schema=True), "no 'schema' number"),
        (lambda d: d.pop("native"), "machine lacks fields: native"),
        (lambda d: d.update(more=1), "does not know: more"),
        (lambda d: d["native"].update(system=5), "machine.native.system should be str, it is 5"),
        (lambda d: d["native"].update(libc={"status": "maybe"}), "machine.native.libc should be a fact"),
        (lambda d: d["python"].update(bits=True), "machine.python.bits should be int"),
        (lambda d: d["process"].update(environ="x"), "machine.process.environ should be a list"),
        (lambda d: d["process"].update(environ=[["a"]]), "should be a list of 2"),
        (lambda d: d.update(driver=[]), "machine.driver should be an object"),
    ],
)
def test_a_wrong_machine_says_where(machine, change, message):
    data = machine.to_dict()
    data = json.loads(json.dumps(data))
    change(data)
    with pytest.raises(MachineFileError, match=message):
        Machine.from_dict(data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(texts, children, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_any_json_is_a_machine_or_a_clear_error(data):
    with pytest.raises(MachineFileError):
        Machine.from_dict(data)


@given(st.data())
def test_a_mutated_machine_is_a_machine_or_a_clear_error(data):
    import devicekit

    mutated = json.loads(json.dumps(devicekit.detect().to_dict()))
    room = mutated
    for _ in range(data.draw(st.integers(0, 4))):
        keys = sorted(room, key=str) if isinstance(room, dict) else list(range(len(room)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        if not isinstance(room[key], (dict, list)):
            room[key] = data.draw(json_values)
            break
        room = room[key]
    try:
        machine = Machine.from_dict(mutated)
    except MachineFileError as error:
        assert str(error)
    else:
        devicekit.diagnose(machine)
