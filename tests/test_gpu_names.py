"""Names of GPUs as people write them: what they stand for, what is ambiguous, what is unknown."""

import pytest

import devicekit
from devicekit.logs.context import known_from_facts
from devicekit.machine.facts import Fact
from devicekit.matrix.gpu_names import capability_of, gpu_named
from devicekit.matrix.matrix import BUNDLED
from devicekit.matrix.target import target_of
from devicekit.testing import load

#: What people write, and what it is: maker, what code is built for, platform.
NAMES = {
    "nvidia 12.0": ["RTX 5090", "geforce rtx 5060 ti", "RTX PRO 6000 Blackwell Workstation Edition"],
    "nvidia 9.0": ["H100", "NVIDIA H100 80GB HBM3", "h200"],
    # An ARM processor is part of it.
    "nvidia 9.0 linux-aarch64": ["GH200 480GB", "GH200"],
    "nvidia 10.0 linux-aarch64": ["GB200"],
    "nvidia 12.1 linux-aarch64": ["GB10", "DGX Spark"],
    "nvidia 8.9": [
        "RTX 4090",
        "rtx4090",
        "2x RTX 4090",
        "4 x GeForce RTX 4090",
        "8 RTX 4090",
        "4090",
        "GeForce RTX 4090 Laptop GPU",
        "RTX 4070 Ti SUPER",
        "L40S",
        "RTX 6000 Ada",
    ],
    "nvidia 8.6": ["RTX 3060", "RTX A6000", "a6000", "NVIDIA A10G"],
    "nvidia 8.0": [
        "A100",
        "NVIDIA A100 80GB PCIe",
        "A100-SXM4-40GB",
        "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
        "GRID A100D-20C",
    ],
    "nvidia 7.5": ["T4", "GRID T4-16Q", "GTX 1650", "GeForce GTX 1650 with Max-Q Design", "MX450", "Quadro RTX 6000"],
    "nvidia 7.0": ["V100", "Tesla V100-SXM2-16GB"],
    "nvidia 6.1": ["GTX 1080", "gtx1080ti", "GeForce GTX 1060 6GB", "MX150", "P106-100"],
    "nvidia 5.2": ["GTX 970", "NVIDIA M4", "Quadro M4000M"],
    "nvidia 5.0": ["GTX 960M", "MX130", "GeForce 920MX"],
    "nvidia 3.7": ["K80", "Tesla K80"],
    "nvidia 3.5": ["GeForce 920M", "Quadro K610M"],
    "nvidia 3.0": ["GT 750M", "GeForce GTX 765M", "Quadro K4000", "GRID K520"],
    "nvidia 2.1": ["GeForce GT 540M", "NVS 5400M"],
    "nvidia 2.0": ["Tesla C2075", "GTX 480"],
    "nvidia 8.7 linux-aarch64": ["Jetson Orin Nano", "jetson agx orin 64GB", "Orin NX"],
    "nvidia 7.2 linux-aarch64": ["Jetson Xavier", "Xavier NX"],
    "amd gfx803": [
        "RX 580",
        "Radeon RX 580 2048SP",
        "radeon rx580",
        "gfx803",
        "Radeon Pro WX 7100",
        "AMD Radeon Pro 560X",
    ],
    "amd gfx701": ["R9 290X", "AMD Radeon R9 390 Series"],
    "amd gfx1011": ["Radeon Pro 5600M"],
    "amd gfx1012": ["AMD Radeon Pro 5500M"],
    "amd gfx1151": ["Ryzen AI Max+ 395", "AMD Radeon 8060S Graphics"],
    "amd gfx900": ["Vega 64", "Radeon RX Vega 64", "Vega Frontier Edition"],
    "amd gfx906": ["Radeon VII", "MI50"],
    "amd gfx1030": ["RX 6800", "AMD Radeon RX 6900 XT"],
    "amd gfx1100": ["RX 7900 XTX", "7900xtx", "AMD Radeon PRO W7900"],
    "amd gfx1103": ["Radeon 780M", "AMD 780M Graphics"],
    "amd gfx1201": ["RX 9070 XT"],
    "amd gfx942": ["MI300X", "AMD Instinct MI300X"],
    "intel Xe-HPG": ["Arc A770", "Intel(R) Arc(TM) A770 Graphics", "a770"],
    "intel Xe2-HPG": ["Arc B580"],
    "intel Gen9": ["Intel(R) UHD Graphics 620", "HD Graphics 530"],
    "intel Xe-LP": ["Iris Xe", "Intel(R) Iris(R) Xe Graphics"],
    "apple  macos-arm64": ["M1", "M2", "M3", "Apple M4", "M1 Max", "apple"],
    "nvidia": ["NVIDIA", "nvidia"],
    "amd": ["AMD", "Radeon"],
}


@pytest.mark.parametrize("meaning", NAMES)
def test_the_names_that_people_write(meaning):
    vendor, target, platform = (meaning.split(" ") + ["", ""])[:3]
    found = {name: gpu_named(name, BUNDLED)[1:] for name in NAMES[meaning]}
    assert found == dict.fromkeys(NAMES[meaning], (vendor, target, platform))


@pytest.mark.parametrize(
    "name, meant",
    [
        ("RTX 4000", ["Quadro RTX 4000 (compute capability 7.5)", "RTX 4000 Ada Generation", "RTX Pro 4000 Blackwell"]),
        ("Titan X", ["GeForce GTX Titan X", "Titan X Pascal"]),
        ("GTX 860M", ["(compute capability 3.0)", "(compute capability 5.0)"]),
        ("580", ["GeForce GTX 580", "Radeon RX 580 (gfx803)"]),
        ("M4", ["Apple M4", "Tesla M4"]),
        ("GT 740M", ["(compute capability 3.0)", "(compute capability 3.5)"]),
        ("Vega 8", ["(gfx902)", "(gfx90c)"]),
    ],
)
def test_a_name_of_several_gpus_is_not_guessed(name, meant):
    with pytest.raises(ValueError, match="ambiguous") as caught:
        gpu_named(name, BUNDLED)
    assert not [text for text in meant if text not in str(caught.value)]
    assert capability_of(name, BUNDLED) is None


@pytest.mark.parametrize(
    "name, near", [("RTX 4099", "GeForce RTX 4090"), ("RX 7900 XTC", "RX 7900 XTX"), ("Arc B5800", "Arc B580")]
)
def test_an_unknown_name_is_an_error_that_says_what_is_near(name, near):
    with pytest.raises(ValueError, match="did you mean .*%s" % near):
        gpu_named(name, BUNDLED)


@pytest.mark.parametrize("name", ["", "banana", "geforce", "gfx", "RTX", "99.99"])
def test_what_is_not_a_gpu_is_an_error(name):
    with pytest.raises(ValueError, match="unknown GPU"):
        gpu_named(name, BUNDLED)


def test_a_machine_and_a_log_know_a_gpu_by_the_same_names():
    """A driver that does not say the capability names an old card as the index does."""
    machine = load("linux-gpu-too-old")
    (gpu,) = machine.driver.gpus.value
    signature = {"capability": "<7.5"}
    for name, capability in (("NVIDIA GeForce GTX 680", "3.0"), ("GeForce 910M", "5.2"), ("NVIDIA Tesla K20m", "3.5")):
        unread = gpu.replace(name=name, compute_capability=Fact.unknown("the driver did not answer"))
        driver = machine.driver.replace(gpus=Fact.of((unread,), "nvml"))
        assert target_of(machine.replace(driver=driver), BUNDLED).capabilities == (capability,)
        assert known_from_facts({"gpu": name}).holds(signature, {}, {})


def test_a_gpu_that_is_part_of_a_system_brings_its_platform():
    jetson = devicekit.resolve("gpu", python="3.12", platform="linux-aarch64", gpu="Jetson Orin Nano").target
    assert (jetson.platform, jetson.capabilities, jetson.jetson) == ("linux-aarch64", ("8.7",), True)
    mac = devicekit.resolve("gpu", python="3.12", gpu="M2")
    assert (mac.platform, mac.goal) == ("macos-arm64", "metal")
    with pytest.raises(ValueError, match="macos-arm64 systems only"):
        devicekit.resolve("gpu", python="3.12", platform="linux-x86_64", gpu="M2")


def test_a_driver_next_to_a_gpu():
    def asked(driver, gpu="RTX 2060", **more):
        return devicekit.resolve("cuda", python="3.11", platform="linux-x86_64", gpu=gpu, driver=driver, **more)

    old, new = asked("450.80.02"), asked("580")
    assert old.target.driver == "450.80.02"
    assert old.pin("tensorflow").version < new.pin("tensorflow").version
    assert [need.met for need in new.needs if "NVIDIA driver" in need.text] == [True]
    assert asked("R535").target.driver == "535"
    for wrong in ("", "5", "latest", "535.104.05.1", "12.4"):
        with pytest.raises(ValueError, match="driver"):
            asked(wrong)
    with pytest.raises(ValueError, match="NVIDIA"):
        asked("535", gpu="RX 6800")


def test_the_target_of_a_named_gpu_is_found():
    answer = devicekit.resolve("gpu", framework="torch", gpu="gfx1100", python="3.12", platform="linux-x86_64")
    (need,) = [item for item in answer.needs if "with one of its targets" in item.text]
    assert need.met is True
