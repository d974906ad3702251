"""The processor and the memory: model, instructions, and how much of both this process may use."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devicekit.machine.facts import Fact, Native
from devicekit.machine.live_host import LiveHost
from devicekit.machine.probe.native import read_native
from devicekit.machine.probe.processor import parse_cpuinfo, parse_limits, parse_meminfo, parse_sysctl, read_processor
from devicekit.records import decode

CPUINFO = "processor\t: 0\nmodel name\t: X\nflags\t\t: fpu avx\n\nprocessor\t: 1\nmodel name\t: X\nflags\t\t: fpu avx\n"
SYSCTL = "/usr/sbin/sysctl machdep.cpu.brand_string hw.logicalcpu hw.memsize hw.perflevel0.logicalcpu"
REGISTRY = "HARDWARE\\DESCRIPTION\\System\\CentralProcessor"
LIMITS = (
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max address space         %-20s unlimited            bytes     \n"
)


@given(st.text())
def test_no_text_is_too_strange(text):
    model, flags, count = parse_cpuinfo(text)
    assert isinstance(model, str)
    assert count >= 0
    assert isinstance(flags, tuple)
    assert parse_meminfo(text) >= 0
    assert parse_limits(text) is None or parse_limits(text) >= 0
    assert all(isinstance(value, str) for value in parse_sysctl(text).values())


def test_texts_of_linux():
    assert parse_meminfo("MemTotal:       24637016 kB\n") == 24637016 * 1024
    assert parse_meminfo("MemTotal: lots\n") == 0
    assert parse_cpuinfo(CPUINFO) == ("X", ("fpu", "avx"), 2)
    assert parse_cpuinfo("") == ("", (), 0)
    assert parse_limits(LIMITS % 2147483648) == 2147483648
    assert parse_limits(LIMITS % "unlimited") is None


def test_an_instruction_counts_if_all_processors_have_it():
    """A large core and a small one in one chip: a thread may run on either."""
    text = "processor: 0\nFeatures: fp asimd atomics\n\nprocessor: 1\nFeatures: fp asimd\n"
    assert parse_cpuinfo(text) == ("", ("fp", "asimd"), 2)


def test_arm_has_numbers_for_a_name():
    text = "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n"
    assert parse_cpuinfo(text)[0] == "ARM Cortex-A72"
    assert parse_cpuinfo(text.replace("0xd08", "0xfff"))[0] == ""


def test_the_flags_of_another_architecture_are_nobodys(make_machine):
    """QEMU's user mode shows the file of the machine below."""
    files = {"/proc/cpuinfo": "processor\t: 0\nFeatures\t: fp asimd\n"}
    assert not read_processor(make_machine(files=files, architecture="x86_64")).cpu_flags.known
    assert read_processor(make_machine(files=files, architecture="aarch64")).cpu_flags.value == ("fp", "asimd")


def test_sixteen_processors_of_which_the_process_may_use_four(make_machine):
    text = "".join("processor\t: %d\nmodel name\t: X\n\n" % number for number in range(16))
    found = read_native(make_machine(files={"/proc/cpuinfo": text}, affinity=4))
    assert found.cpu_count.value == 16
    assert found.cpu_usable.value == 4.0
    assert found.cpu_limited_by == "affinity"
    everything = read_native(make_machine(files={"/proc/cpuinfo": text}, affinity=16))
    assert everything.cpu_limited_by == ""


def test_affinity_within_a_cpuset(make_machine):
    """Where the process was bound to fewer processors than its cpuset has, it is not the cpuset that limits."""
    text = "".join("processor\t: %d\n\n" % number for number in range(16))
    files = {
        "/proc/cpuinfo": text,
        "/proc/self/cgroup": "0::/\n",
        "/proc/self/mountinfo": "32 24 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
        "/sys/fs/cgroup/cpuset.cpus.effective": "0-7\n",
        "/sys/fs/cgroup/cpu.max": "600000 100000\n",
    }
    assert read_native(make_machine(files=files, affinity=8)).cpu_limited_by == "cgroup quota"
    bound = read_native(make_machine(files=files, affinity=2))
    assert (bound.cpu_usable.value, bound.cpu_limited_by) == (2.0, "affinity")
    untold = read_native(make_machine(files=dict(files, **{"/sys/fs/cgroup/cpu.max": "max 100000\n"})))
    assert (untold.cpu_affinity.value, untold.cpu_limited_by) == (8, "cpuset")


def test_nothing_can_be_read(make_machine):
    names = ["/proc/cpuinfo", "/proc/meminfo", "/proc/self/cgroup", "/proc/self/limits"]
    found = read_processor(make_machine(files=dict.fromkeys(names, ""), denied=names))
    for name, fact in found._asdict().items():
        assert not fact.known or name == "performance_cores", name
        assert fact.problem


def test_windows(make_machine):
    keys = {str(number): {"ProcessorNameString": " AMD Ryzen 7 "} for number in range(8)}
    found = read_processor(
        make_machine(
            system="windows", architecture="AMD64", registry={REGISTRY: keys}, memory_bytes=17 << 30, affinity=2
        )
    )
    assert found.cpu_model.value == "AMD Ryzen 7"
    assert found.cpu_count.value == 8
    assert found.memory_bytes.value == 17 << 30
    assert found.cpu_usable.value == 2.0
    bare = read_processor(make_machine(system="windows", architecture="AMD64"))
    assert not bare.cpu_count.known
    assert not bare.memory_bytes.known
    # With more than 64 processors there are groups, and the mask is that of one.
    keys = {str(number): {} for number in range(96)}
    many = read_processor(make_machine(system="windows", architecture="AMD64", registry={REGISTRY: keys}, affinity=48))
    assert many.cpu_usable.value == 96.0


def test_macos(make_machine):
    text = (
        "machdep.cpu.brand_string: Apple M2\nhw.logicalcpu: 8\nhw.memsize: 17179869184\nhw.perflevel0.logicalcpu: 4\n"
    )
    apple = read_processor(make_machine(system="macos", architecture="arm64", commands={SYSCTL: {"stdout": text}}))
    assert (apple.cpu_model.value, apple.cpu_count.value, apple.memory_bytes.value) == ("Apple M2", 8, 16 << 30)
    assert apple.performance_cores.value == 4
    text = text.replace("Apple M2", "Intel(R) Core(TM) i7").replace("hw.perflevel0.logicalcpu: 4\n", "")
    command = {"stdout": text, "stderr": "sysctl: unknown oid 'hw.perflevel0.logicalcpu'\n", "status": 1}
    intel = read_processor(make_machine(system="macos", architecture="x86_64", commands={SYSCTL: command}))
    assert intel.cpu_count.value == 8
    assert intel.performance_cores.status == "absent"
    for commands in ({}, {SYSCTL: {"hangs": True}}):
        bare = read_processor(make_machine(system="macos", architecture="arm64", commands=commands))
        assert not bare.cpu_model.known
        assert not bare.performance_cores.known


def test_a_snapshot_of_an_earlier_devicekit_still_loads():
    fields = {"system": "linux", "release": "6", "architecture": "x86_64"}
    unknown = {"status": "unknown", "problem": "x"}
    for name in ("os_version", "cpu_model", "cpu_flags", "cpu_count", "memory_bytes", "libc"):
        fields[name] = unknown
    old = decode(Native, fields, "native")
    assert not old.cpu_quota.known
    assert old.cpu_limited_by == ""
    assert old.usable_memory_bytes is None


@pytest.mark.parametrize("number, expected", [(2, 2.0), (0.5, 0.5)])
def test_a_number_of_cores_may_be_written_as_a_whole_one(number, expected):
    """jq and JavaScript write 2.0 as 2."""
    fact = decode(Fact[float], {"status": "value", "value": number}, "x")
    assert fact.value == expected
    assert isinstance(fact.value, float)


@pytest.mark.parametrize(
    "total, limit, usable",
    [
        (Fact.of(8), Fact.of(2), 2),
        (Fact.of(8), Fact.of(9), 8),
        (Fact.of(8), Fact.absent(), 8),
        (Fact.absent(), Fact.of(2), 2),
    ],
)
def test_the_memory_that_can_be_used(total, limit, usable):
    machine = read_native(LiveHost()).replace(memory_bytes=total, memory_limit_bytes=limit)
    assert machine.usable_memory_bytes == usable


def test_this_machine():
    host = LiveHost()
    found = read_processor(host)
    assert host.affinity() <= (os.cpu_count() or 1 << 20)
    if host.system == "linux":
        assert found.cpu_count.value >= found.cpu_usable.value > 0
        assert found.memory_bytes.value > 1 << 28
