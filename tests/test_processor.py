"""What the processor, quotas and limits of memory come to for each framework."""

import pytest

from devicekit import diagnose
from devicekit.machine.probe import read_machine
from devicekit.matrix.matrix import Matrix
from devicekit.report.terminal import Style, devices_text, machine_lines
from devicekit.selection.selection import Selection

SECOND = "32 24 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"

#: The flags of emulated processors, as QEMU 7.2 gives them to programs.
KVM64 = "fpu sse sse2 pni cx16 lm hypervisor"
CONROE = "fpu sse sse2 pni ssse3 cx16 lahf_lm lm"
PENRYN = CONROE + " sse4_1"
NEHALEM = PENRYN + " sse4_2 popcnt"
SANDY_BRIDGE = NEHALEM + " avx"
HASWELL = SANDY_BRIDGE + " avx2 fma f16c bmi1 bmi2 abm"


def machine(make_machine, flags="", installed=(), count=2, limits=(), **host):
    """Return a Linux machine with these flags, distributions and files of its control group."""
    text = "".join("processor\t: %d\nmodel name\t: X\nflags\t\t: %s\n\n" % (number, flags) for number in range(count))
    files = {"/proc/cpuinfo": text, "/proc/self/cgroup": "0::/\n", "/proc/self/mountinfo": SECOND}
    files.update(("/sys/fs/cgroup/" + name, value) for name, value in dict(limits).items())
    files.update(host.pop("files", {}))
    installed = dict(installed)
    if "jaxlib" in installed:
        installed["jax"] = installed["jaxlib"]
    python = {"version": host.pop("python", "3.12.1"), "installed": installed}
    return read_machine(
        make_machine(files=files, python=python, architecture=host.pop("architecture", "x86_64"), **host)
    )


def found(machine, code):
    return [finding for finding in diagnose(machine).findings if finding.code == code]


@pytest.mark.parametrize(
    "installed, flags, blocked",
    [
        # Each pair was tried: the real wheel on the emulated processor.
        ({"numpy": "2.5.5"}, KVM64, {"tensorflow", "jax", "torch", "keras"}),
        ({"numpy": "2.4.0"}, CONROE, {"tensorflow", "jax", "torch", "keras"}),
        ({"numpy": "2.4.0"}, PENRYN, {"tensorflow", "jax", "torch", "keras"}),
        ({"numpy": "2.5.5", "torch": "2.13.0"}, NEHALEM, set()),
        ({"numpy": "2.3.5", "torch": "2.13.0"}, KVM64, set()),
        ({"torch": "2.13.0+cpu"}, KVM64, set()),
        ({"jaxlib": "0.12.0.1", "numpy": "2.5.5"}, NEHALEM, {"jax"}),
        ({"jaxlib": "0.12.0.1"}, SANDY_BRIDGE, {"jax"}),
        ({"jaxlib": "0.12.0.1"}, HASWELL, set()),
        ({"jaxlib": "0.11.2"}, SANDY_BRIDGE, set()),
        ({"jaxlib": "0.11.2"}, NEHALEM, {"jax"}),
        ({"jaxlib": "0.4.13"}, NEHALEM, {"jax"}),
        ({"tensorflow-cpu": "2.21.0"}, NEHALEM, {"tensorflow"}),
        ({"tensorflow-cpu": "2.21.0"}, SANDY_BRIDGE, set()),
        ({"tensorflow-cpu": "2.20.0"}, SANDY_BRIDGE, set()),
        ({"tensorflow": "2.10.1"}, NEHALEM, {"tensorflow"}),
        ({"tensorflow": "2.10.1"}, SANDY_BRIDGE, set()),
        ({"tensorflow-directml": "1.15.8"}, NEHALEM, {"tensorflow"}),
        ({"tensorflow-directml": "1.15.8"}, SANDY_BRIDGE, set()),
    ],
)
def test_what_died_on_an_emulated_processor_and_what_ran(make_machine, installed, flags, blocked):
    findings = found(machine(make_machine, flags, dict({"keras": "3.11.3"}, **installed)), "cpu-instructions-missing")
    assert {name for finding in findings for name in finding.blocks} == blocked


@pytest.mark.parametrize("name", ["avx2", "fma", "f16c", "bmi1", "bmi2", "abm"])
def test_jaxlib_refuses_haswell_without_any_one_of_these(make_machine, name):
    flags = " ".join(flag for flag in HASWELL.split() if flag != name)
    (finding,) = found(machine(make_machine, flags, {"jaxlib": "0.12.0"}), "cpu-instructions-missing")
    assert finding.evidence[0].text.startswith("no %s among" % name)
    assert finding.fix[0].command == '/venv/bin/python -m pip install "jax<0.12" "jaxlib<0.12"'


def test_one_finding_for_all_that_lack_something(make_machine):
    """One cause: no list of errors, and no release to install where one of them has none that does without."""
    installed = {"numpy": "2.4.1", "tensorflow": "2.20.0", "jaxlib": "0.12.0"}
    (finding,) = found(machine(make_machine, KVM64, installed), "cpu-instructions-missing")
    assert finding.blocks == ("tensorflow", "jax", "torch", "keras")
    assert "NumPy 2.4.1 uses SSSE3" in finding.summary
    assert "TensorFlow 2.20.0 uses AVX" in finding.summary
    assert finding.summary.endswith("its import crashes the process.")
    assert "-cpu host" in finding.fix[0].text
    assert not any("jax<0.12" in (fix.command or "") for fix in finding.fix)


def test_keras_on_pytorch_is_offered_with_a_numpy_that_runs(make_machine):
    (finding,) = found(machine(make_machine, CONROE), "cpu-instructions-missing")
    assert finding.blocks == ("tensorflow", "keras")
    (command,) = [fix.command for fix in finding.fix if "PyTorch" in fix.text]
    assert command.endswith('pip install torch "keras>=3" "numpy<2.4"')


@pytest.mark.parametrize(
    "model, says", [("QEMU Virtual CPU version 2.5+", "-cpu host"), ("VirtualApple @ 2.50GHz", "linux/arm64")]
)
def test_a_virtual_machine_is_known_by_its_name_too(make_machine, model, says):
    files = {"/proc/cpuinfo": "processor: 0\nmodel name: %s\nflags: fpu sse2 lm\n" % model}
    made = read_machine(
        make_machine(files=files, python={"version": "3.12.1", "installed": {"jax": "0.11.0", "jaxlib": "0.11.0"}})
    )
    (finding,) = found(made, "cpu-instructions-missing")
    assert says in finding.fix[0].text + str(finding.fix[0].command)


def test_windows_tells_of_few_instructions(make_machine):
    """FMA and the like are not told of: only what is known to be missing is missing."""

    def windows(*features):
        host = make_machine(
            system="windows", architecture="AMD64", cpu_features=features,
            python={"version": "3.12.1", "installed": {"jaxlib": "0.12.0", "numpy": "2.3.5"}},
        )  # fmt: skip
        return found(read_machine(host), "cpu-instructions-missing")

    assert windows("sse2", "ssse3", "sse4_1", "sse4_2", "avx", "avx2") == []
    (finding,) = windows("sse2", "ssse3", "sse4_1", "sse4_2", "avx")
    assert "AVX2 instructions" in finding.summary


def test_unknown_flags_are_no_missing_ones(make_machine):
    made = read_machine(make_machine(python={"version": "3.12.1", "installed": {"tensorflow": "2.20.0"}}))
    assert found(made, "cpu-instructions-missing") == []
    assert "cpu-instructions-missing" in [item.code for item in diagnose(made).not_evaluated]


def test_what_the_system_brings_was_built_otherwise(make_machine):
    """Debian builds its NumPy for every processor that Debian runs on."""
    folder = "/usr/lib/python3/dist-packages"
    files = {
        folder + "/numpy-2.4.1.dist-info/METADATA": "Metadata-Version: 2.1\nName: numpy\nVersion: 2.4.1\n\n",
        "/proc/cpuinfo": "processor: 0\nflags: fpu sse2\n",
    }
    python = {"version": "3.13.1", "sys_path": [folder], "site_paths": [folder], "installed": {}}
    made = read_machine(make_machine(files=files, python=python))
    assert made.python.version_of("numpy") == "2.4.1"
    assert all("NumPy" not in finding.summary for finding in found(made, "cpu-instructions-missing"))


@pytest.mark.parametrize(
    "count, quota, fires", [(64, 2.0, True), (2, 0.5, True), (4, 3.0, False), (4, 2.0, True), (1, 0.5, False)]
)
def test_a_quota_is_worth_a_remark_where_threads_are_far_more(make_machine, count, quota, fires):
    made = machine(
        make_machine,
        HASWELL,
        {"tensorflow": "2.20.0"},
        count,
        {"cpu.max": "%d 100000\n" % (quota * 100000)},
        affinity=count,
    )
    findings = found(made, "cpu-quota-ignored")
    assert bool(findings) is fires
    for finding in findings:
        assert (finding.severity, finding.blocks) == ("info", ())
        assert finding.fix[0].command.startswith("export TF_NUM_INTRAOP_THREADS=%d " % max(1, round(quota)))


@pytest.mark.parametrize(
    "installed, env, command",
    [
        ({"torch": "2.9.0"}, {}, "export OMP_NUM_THREADS=2"),
        ({"jaxlib": "0.11.0"}, {}, "export NPROC=2"),
        ({"jaxlib": "0.11.0", "torch": "2.9.0"}, {"NPROC": "2"}, "export OMP_NUM_THREADS=2"),
        ({"tensorflow": "2.20.0"}, {"TF_NUM_INTRAOP_THREADS": "8"}, None),
        ({"torch": "2.9.0"}, {"OMP_NUM_THREADS": "1"}, None),
    ],
)
def test_each_framework_has_its_own_variable_and_the_users_count(make_machine, installed, env, command):
    made = machine(make_machine, HASWELL, installed, 64, {"cpu.max": "200000 100000\n"}, affinity=64, env=env)
    assert [finding.fix[0].command for finding in found(made, "cpu-quota-ignored")] == ([command] if command else [])


@pytest.mark.parametrize(
    "installed, limit, severity",
    [
        ({"tensorflow": "2.21.0"}, 200 << 20, "error"),
        ({"tensorflow": "2.21.0"}, 400 << 20, "info"),
        ({"tensorflow": "2.21.0"}, 700 << 20, None),
        ({"torch": "2.13.0"}, 100 << 20, "error"),
        ({"torch": "2.13.0"}, 300 << 20, None),
        ({"jaxlib": "0.12.0"}, 80 << 20, "error"),
        ({"jaxlib": "0.12.0", "torch": "2.13.0", "tensorflow": "2.21.0"}, 200 << 20, "error"),
        ({}, 1 << 20, None),
    ],
)
def test_a_limit_of_memory(make_machine, installed, limit, severity):
    made = machine(make_machine, HASWELL, installed, limits={"memory.max": "%d\n" % limit})
    findings = found(made, "memory-limit-too-low")
    assert [finding.severity for finding in findings] == ([severity] if severity else [])
    (candidate,) = diagnose(made).candidates
    assert candidate.memory_bytes == limit


def test_a_limit_of_the_address_space(make_machine):
    limits = "Max address space         1073741824           1073741824           bytes     \n"
    made = machine(make_machine, HASWELL, {"jaxlib": "0.12.0"}, files={"/proc/self/limits": limits})
    (finding,) = found(made, "memory-limit-too-low")
    assert finding.severity == "error"
    assert finding.fix[0].command == "ulimit -v unlimited"


def test_a_limit_that_cannot_be_read_is_not_none(make_machine):
    made = machine(make_machine, HASWELL, {"torch": "2.13.0"}, limits={"memory.max": "x"})
    assert "memory-limit-too-low" in [item.code for item in diagnose(made).not_evaluated]


@pytest.mark.parametrize(
    "limits, affinity, text",
    [
        ({"cpu.max": "200000 100000\n"}, 64, "2 of 64 cores (cgroup quota)"),
        ({"cpu.max": "50000 100000\n"}, 64, "0.5 of 64 cores (cgroup quota)"),
        ({"cpuset.cpus.effective": "0-7\n"}, 8, "8 of 64 cores (cpuset)"),
        ({}, 3, "3 of 64 cores (affinity)"),
    ],
)
def test_the_reports_say_how_much_of_the_processor_there_is(make_machine, limits, affinity, text):
    made = machine(make_machine, HASWELL, {"torch": "2.13.0"}, 64, limits, affinity=affinity)
    style = Style(width=200)
    assert text in machine_lines(made, style)[0]
    diagnosis = diagnose(made)
    chosen = Selection(device="cpu", framework="torch", platform="cpu", fallback=False, reason="x")
    assert "X, %s" % text in devices_text(diagnosis, chosen, style)


def test_the_reports_say_how_much_of_the_memory_there_is(make_machine):
    files = {"/proc/meminfo": "MemTotal:       67108864 kB\n"}
    made = machine(make_machine, HASWELL, {}, limits={"memory.max": "%d\n" % (2 << 30)}, files=files)
    assert machine_lines(made, Style(width=200))[0].endswith(", 2.0 of 64.0 GiB (cgroup limit)")


def test_releases_that_do_without_an_instruction_do(make_machine):
    """What is offered instead must not need what the row is about."""
    matrix = Matrix()
    others = {"jaxlib": "0.11.2", "numpy": "2.3.5", "torch": "2.11.0", "tensorflow": "2.4.4"}
    for row in matrix._table("instructions"):
        if row["instead"]:
            (project,) = row["projects"]
            needs = matrix.instructions(project, others[project], row["architecture"])
            assert not {name for need in needs for name in need.needs} & set(row["needs"]), row
