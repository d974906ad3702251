"""Scalars for TensorBoard: the bytes that its own writer writes, and what happens where nothing can be written."""

import copy
import os
import struct

import pytest

from devicekit.errors import DevicekitError
from devicekit.watch.live import EventFile, crc32c, event, framed

#: By TensorBoard's own RecordWriter: the beginning of a file, and two scalars of step 300.
WRITTEN = bytes.fromhex(
    "1800000000000000a37f4b2209000000000000f83f1a0d627261696e2e4576656e743a322a28646c39000000000000008b0737f10900"
    "0000000000044010ac022a2b0a130a0c737465702f7365636f6e6473150000803e0a140a0d6770755f302f706f7765725f7715"
    "00008e42226a1001"
)


def records(path):
    """Return what is in a file, with both checksums looked at."""
    with open(path, "rb") as stream:
        data = stream.read()
    found = []
    while data:
        (size,) = struct.unpack("<Q", data[:8])
        assert framed(data[12 : 12 + size]) == data[: size + 16]
        found.append(data[12 : 12 + size])
        data = data[size + 16 :]
    return found


def only_file(folder):
    (name,) = os.listdir(str(folder / "devicekit"))
    assert "tfevents" in name
    return str(folder / "devicekit" / name)


def test_the_bytes_are_those_of_tensorboard():
    assert crc32c(b"123456789") == 0xE3069283
    data = framed(event(1.5, 0, {})) + framed(event(2.5, 300, {"step/seconds": 0.25, "gpu_0/power_w": 71.0}))
    assert data == WRITTEN


def test_a_second_training_continues_the_steps_of_the_first(tmp_path):
    events = EventFile(tmp_path / "logs")
    for _ in range(2):
        events.open()
        events.write(5, {"a": 1.0})
        events.write(7, {})
        events.close()
        events.write(9, {"a": 1.0})  # it is closed
    beginning, first, second = records(only_file(tmp_path / "logs"))
    assert b"brain.Event:2" in beginning
    assert (first[9:11], second[9:11]) == (b"\x10\x05", b"\x10\x0a")


def test_a_copy_writes_its_own_file(tmp_path):
    events = EventFile(str(tmp_path))
    events.open()
    other = copy.deepcopy(events)
    other.write(1, {"a": 1.0})  # it is not open
    events.close()
    assert len(records(only_file(tmp_path))) == 1


@pytest.mark.parametrize("wrong", ["", "gs://bucket/logs", "a\0b"])
def test_only_a_folder_of_this_machine_is_a_place(wrong):
    with pytest.raises(ValueError, match="a folder of this machine is expected"):
        EventFile(wrong)


@pytest.mark.parametrize("wrong", [3, True, b"logs", object()])
def test_only_a_path_is_a_folder(wrong):
    with pytest.raises(TypeError, match="the path of a folder is expected"):
        EventFile(wrong)


def test_where_nothing_can_be_written_it_is_said_before_the_training(tmp_path):
    (tmp_path / "file").write_text("")
    events = EventFile(tmp_path / "file")
    with pytest.raises(DevicekitError, match="cannot write to .*file"):
        events.open()
    (tmp_path / "file").unlink()
    events.open()
    events.close()
    assert len(records(only_file(tmp_path / "file"))) == 1


@pytest.mark.only_on("linux", reason="its /dev/full")
def test_a_full_disk_does_not_end_the_training(tmp_path, caplog):
    events = EventFile(tmp_path)
    events.open()
    path = only_file(tmp_path)
    events.close()
    os.remove(path)
    os.symlink("/dev/full", path)
    events.open()
    events.write(1, {"a": 1.0})
    events.write(2, {"a": 1.0})
    events.close()
    assert [item.message for item in caplog.records if "no more scalars" in item.message] != []
    assert len(caplog.records) == 1
