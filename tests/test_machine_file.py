"""Invalid machine files are reported with what is wrong with them."""

import copy
import json

import pytest
from recorded_machines import load_machine as recorded

from devicekit import Machine, detect, diagnose, resolve, select_device
from devicekit.errors import MachineFileError
from devicekit.machine.snapshot import LIMIT_BYTES, load_machine

MACHINE = detect()
GOOD = json.dumps(MACHINE.to_dict())


@pytest.mark.parametrize(
    "encode", [lambda t: t.encode(), lambda t: t.encode("utf-8-sig"), lambda t: t.encode("utf-16")]
)
def test_good_in_the_encodings_that_shells_write(tmp_path, encode):
    path = tmp_path / "machine.json"
    path.write_bytes(encode(GOOD))
    assert load_machine(str(path)) == MACHINE


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "is empty"),
        (b"no json", "is not JSON"),
        (GOOD[: len(GOOD) // 2].encode(), "truncated"),
        (b"[]", "a machine is a JSON object"),
        (b"{}", "no 'schema' number"),
        (b'{"schema": 99}', "upgrade devicekit"),
        (b"\x80\x81{}", "not text in UTF-8"),
        (b"[" * 200000, "nested too deeply"),
        (b" " * (LIMIT_BYTES + 1), "has more than 32 MiB"),
    ],
    ids=["empty", "text", "cut", "list", "object", "newer", "bytes", "deep", "large"],
)
def test_bad(tmp_path, content, message):
    path = tmp_path / "machine.json"
    path.write_bytes(content)
    with pytest.raises(MachineFileError, match=message):
        load_machine(str(path))


def test_missing(tmp_path):
    with pytest.raises(MachineFileError, match="cannot be read: No such file"):
        load_machine(str(tmp_path / "none.json"))
    with pytest.raises(MachineFileError, match="cannot be read"):
        load_machine(str(tmp_path))


def test_cut_anywhere_is_cut_short(tmp_path):
    path = tmp_path / "machine.json"
    for length in range(1, len(GOOD), 37):
        path.write_text(GOOD[:length], encoding="utf-8")
        with pytest.raises(MachineFileError, match="truncated"):
            load_machine(str(path))


@pytest.mark.parametrize("function", [diagnose, resolve, select_device])
def test_a_name_is_not_a_machine(function):
    with pytest.raises(TypeError, match=r"devicekit\.testing\.load\(name\)\), not a str"):
        function(machine="linux-nvidia")


#: What the values of a snapshot may be, by their type, if someone wrote it by hand.
ODD = {str: ("", "x.y", "9" * 5000), int: (-1, 10**20), list: ([],)}


def values_of(data, path=()):
    """The paths of all values in plain data, with their types."""
    yield path, type(data)
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from values_of(value, (*path, key))


def test_no_rule_fails_on_a_value_that_means_nothing():
    data = recorded("linux-nvidia-tensorflow-2.21").to_dict()
    data["python"]["distributions"]["value"][0].update(missing_count=1, missing_files=["tensorflow/x.so"])
    data["python"]["builds"][0]["compute_capabilities"] = {"status": "value", "value": ["sm_80"], "source": "x"}
    data = json.loads(json.dumps(data))
    kinds, failed = {}, []
    for path, kind in values_of(data):
        kinds.setdefault((kind, tuple(key for key in path if isinstance(key, str))), path)
    for (kind, name), path in kinds.items():
        for odd in ODD.get(kind, ()):
            changed = inside = copy.deepcopy(data)
            for key in path[:-1]:
                inside = inside[key]
            inside[path[-1]] = odd
            try:
                machine = Machine.from_dict(changed)
            except MachineFileError:
                continue
            diagnosis = diagnose(machine)
            if name == ("python", "version"):
                resolve(machine=machine)
            failed += [(name, odd, item) for item in diagnosis.not_evaluated if "the rule failed" in item.because]
    assert not failed
    assert len(kinds) > 100
