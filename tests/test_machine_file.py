"""Invalid machine files are reported with what is wrong with them."""

import json

import pytest

from devicekit import detect, diagnose, resolve, select_device
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
