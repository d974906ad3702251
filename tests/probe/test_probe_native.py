"""Parsers of what the system says, and the search for libraries."""

import struct

import pytest

from devicekit.machine.facts import Process
from devicekit.machine.live_host import LiveHost
from devicekit.machine.probe.driver import parse_nvidia_information, parse_nvidia_version
from devicekit.machine.probe.elf import parse_ld_cache
from devicekit.machine.probe.native import find_libraries, parse_os_release
from devicekit.machine.probe.process import parse_proc_version, read_process


def ld_cache(entries):
    """Build a loader cache as ldconfig writes it: header, entries, strings."""
    strings, offsets = b"", []
    start = 48 + 24 * len(entries)
    for flags, name, path in entries:
        pair = []
        for text in (name, path):
            pair.append(start + len(strings))
            strings += text.encode() + b"\0"
        offsets.append((flags, *pair))
    header = b"glibc-ld.so.cache1.1" + struct.pack("<II", len(entries), len(strings)) + b"\0" * 20
    return header + b"".join(struct.pack("<iIIIQ", flags, name, path, 0, 0) for flags, name, path in offsets) + strings


def test_ld_cache():
    data = ld_cache([(0x0303, "libcuda.so.1", "/lib64/libcuda.so.1"), (0x0003, "libx.so", "/lib32/libx.so")])
    assert parse_ld_cache(data) == {"libcuda.so.1": "/lib64/libcuda.so.1"}
    assert parse_ld_cache(b"ld.so-1.7.0 old part" + data) == {"libcuda.so.1": "/lib64/libcuda.so.1"}


@pytest.mark.parametrize("data", [b"", b"glibc-ld.so.cache1.1", ld_cache([(0x0303, "a", "b")])[:60], b"\0" * 100])
def test_a_damaged_ld_cache_is_empty(data):
    assert parse_ld_cache(data) == {}


def test_the_loader_cache_of_this_machine_has_the_c_library():
    host = LiveHost()
    if host.system != "linux" or not host.exists("/etc/ld.so.cache"):
        assert host.loader_cache() == {}
        return
    assert "libc.so.6" in host.loader_cache()


def test_system_texts():
    assert (
        parse_os_release('NAME="A"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n') == "Debian GNU/Linux 12 (bookworm)"
    )
    assert parse_os_release("") == "Linux"


def test_wsl():
    assert parse_proc_version("Linux version 5.15.153.1-microsoft-standard-WSL2 (root@x)")[0] == 2
    assert parse_proc_version("Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com)")[0] == 1
    assert parse_proc_version("Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org)")[0] == 0
    assert parse_proc_version("")[0] == 0


def test_nvidia_texts():
    closed = (
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\nGCC version: 12\n"
    )
    assert parse_nvidia_version(closed) == "550.54.15"
    opened = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build  (x@y)\n"
    assert parse_nvidia_version(opened) == "570.86.10"
    assert parse_nvidia_version("nothing") is None
    fields = parse_nvidia_information("Model: \t\t NVIDIA L4\nGPU UUID: \t GPU-1\nBus Location: \t 0000:07:00.0\n")
    assert fields == {"Model": "NVIDIA L4", "GPU UUID": "GPU-1", "Bus Location": "0000:07:00.0"}


def test_libraries_are_found_in_the_loaders_order(make_machine):
    host = make_machine(
        env={"LD_LIBRARY_PATH": "/opt/a:/nowhere"},
        loader_cache={"libcudart.so.12": "/usr/lib/libcudart.so.12"},
        files={
            "/opt/a/libcudart.so.12": "",
            "/usr/local/cuda/lib64/libcudart.so.12": "",
        },
    )
    found = find_libraries(host, lambda name: name.startswith("libcudart")).value
    assert [item.found_via for item in found] == ["LD_LIBRARY_PATH", "ld.so.cache", "system"]


def test_a_folder_that_cannot_be_read_makes_the_search_unknown_not_empty(make_machine):
    host = make_machine(
        env={"LD_LIBRARY_PATH": "/secret"}, folders=["/secret"], denied=["/secret"], loader_cache={"a": "/a"}
    )
    assert not find_libraries(host, lambda name: name == "libcuda.so.1").known


def test_a_variable_with_a_number_without_end_is_a_record_that_can_be_read_again(make_machine):
    host = make_machine(env={"CUDA_VISIBLE_DEVICES": "0," + "9" * 5000, "KERAS_BACKEND": "jax"})
    found = read_process(host)
    assert dict(found.environ)["CUDA_VISIBLE_DEVICES"] == "0," + "9" * 300
    assert Process.from_dict(found.to_dict()) == found


def test_no_secret_and_no_personal_name_is_recorded(make_machine):
    host = make_machine(
        home="/home/alice",
        user="alice",
        node="secret-host",
        env={
            "TF_TOKEN_example": "s3cret",
            "TF_VAR_password": "s3cret",
            "TF_CONFIG": '{"cluster": {"worker": ["secret-host:1"]}}',
            "LD_LIBRARY_PATH": "/home/alice/lib:/scratch/alice/lib:/mnt/secret-host/x",
            "KERAS_BACKEND": "jax",
        },
    )
    environ = dict(read_process(host).environ)
    assert environ == {
        "TF_CONFIG": "<set>",
        "LD_LIBRARY_PATH": "~/lib:/scratch/<user>/lib:/mnt/<host>/x",
        "KERAS_BACKEND": "jax",
    }
    assert host.expand(environ["LD_LIBRARY_PATH"].split(":")[1]) == "/scratch/alice/lib"


def test_a_simulated_machine_never_falls_through(make_machine):
    host = make_machine()
    for ask in (host.read_bytes, host.list_dir):
        with pytest.raises(FileNotFoundError):
            ask("/proc/version")
    with pytest.raises(FileNotFoundError):
        host.run(["/bin/true"])
    assert host.info("/") is None or host.info("/").kind == "folder"
    assert dict(host.environ()) == {}
    assert dict(host.loader_cache()) == {}
