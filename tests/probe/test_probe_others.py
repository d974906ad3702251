"""What is read of Intel's GPUs and oneAPI, of Apple's GPUs, and of TPUs."""

import pytest

from devicekit import Machine
from devicekit.machine.probe import read_machine
from devicekit.machine.probe.metal import parse_core_count, parse_system_version, read_metal
from devicekit.machine.probe.oneapi import read_oneapi
from devicekit.machine.probe.tpu import read_tpu

DEVICE = "/sys/class/drm/renderD128/device"
SITE = "/venv/lib/python3.11/site-packages"
IOREG = (
    '+-o AGXAcceleratorG14G  <class AGXAcceleratorG14G, id 0x100000217>\n    {\n      "gpu-core-count" = 10\n    }\n'
)
PLIST = "<dict>\n\t<key>ProductVersion</key>\n\t<string>%s</string>\n</dict>\n"


def arc(make_machine, address="0000:03:00.0", **more):
    files = {DEVICE + "/vendor": "0x8086\n", DEVICE + "/device": "0x56a0\n"}
    files.update(more.pop("files", {}))
    links = {DEVICE: "/sys/bus/pci/devices/" + address, DEVICE + "/driver": "/sys/bus/pci/drivers/xe"}
    nodes = {"/dev/dri/renderD128": True, "/dev/dri/card0": True}
    return make_machine(files=files, links=links, nodes=nodes, folders=["/sys/bus/pci/drivers/xe"], **more)


def test_an_intel_gpu(make_machine):
    cache = {"libze_loader.so.1": "/lib/libze_loader.so.1", "libm.so.6": "/lib/libm.so.6"}
    oneapi = read_oneapi(arc(make_machine, loader_cache=cache))
    (gpu,) = oneapi.gpus.value
    assert (gpu.name, gpu.bus_id, gpu.device_id, gpu.driver) == ("Intel GPU [8086:56a0]", "0000:03:00.0", "56a0", "xe")
    assert (gpu.render_node, gpu.integrated) == ("/dev/dri/renderD128", False)
    assert [item.name for item in oneapi.libraries.value] == ["libze_loader.so.1"]


def test_its_name_and_the_processors_own(make_machine):
    ids = {"/usr/share/hwdata/pci.ids": "8086  Intel Corporation\n\t56a0  DG2 [Arc A770]\n"}
    (gpu,) = read_oneapi(arc(make_machine, address="0000:00:02.0", files=ids)).gpus.value
    assert (gpu.name, gpu.integrated) == ("Intel Arc A770", True)


def test_another_makers_node_is_no_intel_gpu(make_machine):
    oneapi = read_oneapi(arc(make_machine, files={DEVICE + "/vendor": "0x1002\n"}))
    assert oneapi.gpus.value == ()
    assert not oneapi.libraries.known


def test_where_oneapi_lies(make_machine):
    host = make_machine(
        env={"ONEAPI_ROOT": "/data/oneapi"},
        folders=["/opt/intel/oneapi/compiler/2024.2", "/opt/intel/oneapi/compiler/2025.0"]
        + ["/opt/intel/oneapi/compiler/latest", "/data/oneapi/compiler/2023.2.0"],
        files={"/venv/lib/libsycl.so.8": ""},
    )
    found = [(item.version, item.found_via) for item in read_oneapi(host).installations]
    assert found == [("2023.2.0", "ONEAPI_ROOT"), ("2025.0", "system"), ("2024.2", "system"), ("", "pip")]


def test_a_machine_without_intels_gpu(make_machine):
    assert read_oneapi(make_machine()).gpus.status == "absent"
    assert read_oneapi(make_machine(system="windows")).gpus.status == "absent"
    assert not read_oneapi(make_machine(folders=["/dev/dri"], denied=["/dev/dri"])).gpus.known


def apple(make_machine, **commands):
    answers = {"machdep.cpu.brand_string": "Apple M2\n", "sysctl.proc_translated": "0\n", "hw.memsize": "17179869184\n"}
    answers = {"/usr/sbin/sysctl -n " + name: {"stdout": text} for name, text in answers.items()}
    answers["/usr/sbin/ioreg -rc AGXAccelerator -d1"] = {"stdout": IOREG}
    answers.update(commands.pop("commands", {}))
    return make_machine(system="macos", architecture="arm64", commands=answers, **commands)


def test_an_apple_chip(make_machine):
    files = {SITE + "/torch/__init__.py": "", "/System/Library/CoreServices/SystemVersion.plist": PLIST % "14.5"}
    metal = read_metal(apple(make_machine, files=files))
    assert (metal.chip.value, metal.rosetta.value) == ("Apple M2", False)
    assert (metal.gpu_cores.value, metal.memory_bytes.value, metal.macos.value) == (10, 17179869184, "14.5")


def test_the_gpu_is_not_asked_where_nothing_computes_on_it(make_machine):
    metal = read_metal(apple(make_machine, files={SITE + "/numpy/__init__.py": ""}))
    assert not metal.gpu_cores.known
    assert not metal.macos.known


def test_a_tool_that_hangs_or_says_nothing(make_machine):
    files = {SITE + "/torch/__init__.py": ""}
    silent = {
        "/usr/sbin/ioreg -rc AGXAccelerator -d1": {"hangs": True},
        "/usr/sbin/sysctl -n hw.memsize": {"stdout": "much\n"},
    }
    metal = read_metal(apple(make_machine, files=files, commands=silent))
    assert metal.gpu_cores.problem == "no answer within 2 s"
    assert not metal.memory_bytes.known


def test_a_mac_with_an_intel_processor(make_machine):
    intel = {
        "/usr/sbin/sysctl -n machdep.cpu.brand_string": {"stdout": "Intel(R) Core(TM) i7-9750H CPU @ 2.60GHz\n"},
        "/usr/sbin/sysctl -n sysctl.proc_translated": {"status": 1},
    }
    metal = read_metal(apple(make_machine, commands=intel))
    assert (metal.chip.status, metal.rosetta.value, metal.gpu_cores.status) == ("absent", False, "absent")
    assert metal.chip.problem.startswith("Intel(R)")


@pytest.mark.parametrize(
    "text, count", [(IOREG, 10), ('"gpu-core-count"=38', 38), ("", 0), ('"gpu-core-count" = "x"', 0)]
)
def test_the_number_of_cores(text, count):
    assert parse_core_count(text) == count


def test_the_version_of_macos():
    assert parse_system_version(PLIST % "26.1") == "26.1"
    assert parse_system_version(PLIST % "10.16") == ""
    assert parse_system_version("") == ""


def test_tpu_chips(make_machine):
    bus = "/sys/bus/pci/devices/0000:00:0%d.0"
    files = {bus % n + "/vendor": "0x1ae0\n" for n in (4, 5, 6)}
    files.update({bus % n + "/device": "0x0063\n" for n in (4, 5)})
    files[bus % 6 + "/device"] = "0x0042\n"  # Google's network card
    files[SITE + "/libtpu/libtpu.so"] = ""
    nodes = {"/dev/vfio/0": True, "/dev/vfio/1": True, "/dev/vfio/vfio": True}
    tpu = read_tpu(make_machine(files=files, nodes=nodes))
    assert tpu.chips.value == ("v5e", "v5e")
    assert [node.path for node in tpu.nodes] == ["/dev/vfio/0", "/dev/vfio/1"]
    assert tpu.library.value == SITE + "/libtpu/libtpu.so"


def test_older_tpus_have_nodes_of_their_own(make_machine):
    files = {
        "/sys/bus/pci/devices/0000:00:04.0/" + name: text for name, text in (("vendor", "0x1ae0"), ("device", "0x005e"))
    }
    tpu = read_tpu(make_machine(files=files, nodes={"/dev/accel0": True, "/dev/accel1": False}))
    assert tpu.chips.value == ("v4",)
    assert [node.accessible for node in tpu.nodes] == [True, False]


def test_other_devices_have_such_nodes_too(make_machine):
    files = {
        "/sys/bus/pci/devices/0000:01:00.0/" + name: text for name, text in (("vendor", "0x8086"), ("device", "0x643e"))
    }
    tpu = read_tpu(make_machine(files=files, nodes={"/dev/vfio/12": True}))
    assert tpu.chips.status == "absent"
    assert tpu.nodes == ()
    assert read_tpu(make_machine(files=files)).chips.status == "absent"


def test_a_library_that_a_variable_names(make_machine):
    host = make_machine(env={"TPU_LIBRARY_PATH": "/lib/libtpu.so"}, files={"/lib/libtpu.so": ""})
    assert read_tpu(host).library.source == "TPU_LIBRARY_PATH"
    assert read_tpu(make_machine(env={"TPU_LIBRARY_PATH": "/nowhere"})).library.status == "absent"


def test_a_snapshot_from_before_these_words_still_loads(make_machine):
    data = read_machine(make_machine(nodes={"/dev/kfd": True})).to_dict()
    for word in ("oneapi", "tpu"):
        del data[word]
    for name in ("gpus", "withheld", "module", "libraries", "installations"):
        del data["rocm"][name]
    for name in ("gpu_cores", "memory_bytes", "macos"):
        del data["metal"][name]
    del data["rocm"]["kfd"]["value"]["group"]
    machine = Machine.from_dict(data)
    assert not machine.oneapi.gpus.known
    assert not machine.tpu.chips.known
    assert not machine.rocm.gpus.known
    assert machine.rocm.installations == ()
