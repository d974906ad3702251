"""What makes several GPUs of one machine slow together or lets them hang, on recorded machines with one thing changed."""

import pytest
from recorded_machines import load_machine

from devicekit import diagnose
from devicekit.cluster.launch.launch_plan import Order, plan_launch
from devicekit.machine.facts import Fact
from devicekit.machine.probe.process import matches_interface


def with_environ(name, **environ):
    machine = load_machine(name)
    both = dict(machine.process.environ, **environ)
    return machine.replace(process=machine.process.replace(environ=tuple(sorted(both.items()))))


@pytest.mark.parametrize("mib, small", [(64, True), (512, True), (1023, True), (1024, False), (8192, False)])
def test_shared_memory_is_what_nccl_asks_for(mib, small):
    machine = load_machine("linux-nvidia-server-linked")
    machine = machine.replace(native=machine.native.replace(shared_memory_bytes=Fact.of(mib << 20, "mountinfo")))
    found = diagnose(machine).by_code("shared-memory-too-small")
    assert (found is not None) is small
    assert found is None or ("%d MiB in /dev/shm" % mib) in found.summary


def test_without_peer_access_and_shared_memory_gradients_go_over_the_network():
    def peers(**environ):
        return diagnose(with_environ("linux-nvidia-server-of-cards", **environ)).by_code("peer-access-unsupported")

    for value in ("1", " 0x1"):
        found = peers(NCCL_SHM_DISABLE=value)
        assert "through the network, as NCCL_SHM_DISABLE=1" in found.summary
        assert found.fix[0].command.startswith("unset NCCL_SHM_DISABLE")
    for value in ("0", "true", ""):
        assert "through the main memory" in peers(NCCL_SHM_DISABLE=value).summary
    linked = with_environ("linux-nvidia-server-linked", NCCL_SHM_DISABLE="1")
    assert diagnose(linked).findings == ()


def test_variables_of_nccl_that_cannot_be_meant():
    machine = load_machine("linux-nvidia-nccl-variables")
    first, second = (item for item in diagnose(machine).findings if item.code == "environment-variable-fatal")
    assert first.summary == "NCCL_P2P_DISABLE is not a number, which NCCL reads as 0: it has no effect."
    assert "NCCL_SOCKET_IFNAME names no network interface of this machine" in second.summary
    assert second.evidence[0].text == "NCCL_SOCKET_IFNAME=ib0,=eth9"
    notes = plan_launch(Order((__file__,), workers=2), {}, machine)[1]
    assert [note.rpartition(" ")[2] for note in notes] == ["[environment-variable-fatal]"] * 2 + ["[devices-unlike]"]
    # One GPU alone needs none of them; what was not looked at is not called missing.
    alone = with_environ("linux-nvidia-one-gpu", NCCL_P2P_DISABLE="true", NCCL_SOCKET_IFNAME="ib0")
    assert diagnose(alone).findings == ()
    unknown = with_environ("linux-nvidia-server", NCCL_P2P_DISABLE="1", NCCL_SOCKET_IFNAME="ib0")
    assert diagnose(unknown).findings == ()


def with_limits(name, *limits):
    """Return a machine whose GPUs have these power limits and highest clocks, as far as given."""
    machine = load_machine(name)
    gpus = [
        gpu.replace(**{key: Fact.of(value, "NVML") if value else Fact.absent("NVML") for key, value in limit.items()})
        for gpu, limit in zip(machine.driver.gpus.value, limits)
    ]
    return machine.replace(driver=machine.driver.replace(gpus=Fact.of(tuple(gpus), "NVML")))


def test_a_gpu_with_less_power_than_its_like_is_named():
    machine = load_machine("linux-nvidia-limited-power")
    (found,) = diagnose(machine).findings
    text = "NVIDIA L40S (0000:08:00.0): at most 200 W, 350 W on another one"
    assert (found.code, found.severity) == ("clocks-limited", "info")
    assert found.summary == "GPUs that train together wait for the slowest one: %s." % text
    assert [(item.text, item.source) for item in found.evidence] == [(text, "NVML")]
    assert [fix.command for fix in found.fix] == ["sudo nvidia-smi -i 0000:08:00.0 -pl 350"]
    (note,) = plan_launch(Order((__file__,), workers=2), {}, machine)[1]
    assert note == found.summary + " [clocks-limited]"


@pytest.mark.parametrize(
    "first, second, commands",
    [
        ({"clock_max_mhz": 1980}, {"clock_max_mhz": 1200}, ["-i 0000:08:00.0 -rgc"]),
        ({"power_limit_w": 99.985}, {"power_limit_w": 350.0}, ["-i 0000:07:00.0 -pl 350"]),
        (
            {"clock_max_mhz": 1200, "power_limit_w": 350.0},
            {"clock_max_mhz": 1980, "power_limit_w": 200.0},
            ["-i 0000:08:00.0 -pl 350", "-i 0000:07:00.0 -rgc"],
        ),
        ({"power_limit_w": 350.0}, {"power_limit_w": 315.0}, []),  # a tenth
        ({"power_limit_w": 350.0}, {"power_limit_w": 314.0}, ["-i 0000:08:00.0 -pl 350"]),
        ({"power_limit_w": 350.0, "clock_max_mhz": 1980}, {"power_limit_w": None, "clock_max_mhz": None}, []),
    ],
)
def test_clocks_and_power_are_compared(first, second, commands):
    none = {"power_limit_w": None, "clock_max_mhz": None}
    machine = with_limits("linux-nvidia-limited-power", dict(none, **first), dict(none, **second))
    found = diagnose(machine).by_code("clocks-limited")
    assert [fix.command for fix in (found.fix if found else ())] == ["sudo nvidia-smi " + text for text in commands]


def test_gpus_of_other_models_or_that_are_not_used_limit_none():
    limits = {"power_limit_w": 350.0}, {"power_limit_w": 70.0}
    assert diagnose(with_limits("linux-nvidia-two-kinds", *limits)).by_code("clocks-limited") is None
    hidden = with_environ("linux-nvidia-limited-power", CUDA_VISIBLE_DEVICES="0")
    assert diagnose(hidden).by_code("clocks-limited") is None


@pytest.mark.parametrize(
    "wanted, taken",
    [
        ("eth", "eth0 eth1"), ("=eth", ""), ("=eth0", "eth0"), ("=eth0,eth1", "eth0 eth1"), ("ib,eth1", "eth1"),
        ("^eth", "docker0 lo"), ("^=eth0", "docker0 eth1 lo"), ("^docker,lo,eth", ""), ("eth0:1", "eth0"),
    ],
)  # fmt: skip
def test_interfaces_are_chosen_as_nccl_does(wanted, taken):
    names = ("docker0", "eth0", "eth1", "lo")
    assert [name for name in names if matches_interface(wanted, name)] == taken.split()
