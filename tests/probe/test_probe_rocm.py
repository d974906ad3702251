"""What is read of AMD's GPUs and of ROCm: the kernel driver's topology, the folders of ROCm, names and groups."""

import pytest

from devicekit.machine.probe.driver import read_driver
from devicekit.machine.probe.pci_names import parse_amdgpu_ids, parse_pci_ids
from devicekit.machine.probe.rocm import parse_hip_version, parse_kfd_properties, parse_properties, read_rocm

NODES = "/sys/class/kfd/kfd/topology/nodes"
NODE = (
    "cpu_cores_count 0\nsimd_count 160\nsimd_per_cu 2\ngfx_target_version 100300\nvendor_id 4098\ndevice_id 29631\n"
    "location_id 768\ndomain 0\ndrm_render_minor 128\nunique_id 10454863232523463452\n"
)
DEVICE = "/sys/class/drm/renderD128/device"
IDS = "# List of AMDGPU IDs\n1.0.0\n73BF,\tC0,\tAMD Radeon RX 6900 XT\n73BF,\tC1,\tAMD Radeon RX 6800 XT\n"
PCI = (
    "# a comment\n1002  Advanced Micro Devices, Inc. [AMD/ATI]\n\t73bf  Navi 21 [Radeon RX 6800/6800 XT / 6900 XT]\n"
    "\t\t1002 0e3a  A board\n\t164e  Raphael\n"
    "8086  Intel Corporation\n\t56a0  DG2 [Arc A770]\nC 00  Unclassified device\n\t56a1  no\n"
)


def link(flags, kind=2):
    return "type %d\nnode_from 1\nnode_to 0\nweight 20\nmax_bandwidth 31504\nflags %d\n" % (kind, flags)


def machine(make_machine, **more):
    files = {NODES + "/0/properties": "cpu_cores_count 32\ngfx_target_version 0\n", NODES + "/1/properties": NODE}
    files.update(more.pop("files", {}))
    return make_machine(files=files, **more)


def test_a_gpu_as_the_kernel_driver_describes_it(make_machine):
    host = machine(
        make_machine,
        files={
            NODES + "/1/name": "navi21\n",
            NODES + "/1/io_links/0/properties": link(1),
            DEVICE + "/revision": "0xc0\n",
            DEVICE + "/mem_info_vram_total": "17163091968\n",
            DEVICE + "/mem_info_vram_used": "1294336\n",
            "/usr/share/libdrm/amdgpu.ids": IDS,
        },
    )
    (gpu,) = read_rocm(host).gpus.value
    assert (gpu.name, gpu.target, gpu.bus_id) == ("AMD Radeon RX 6900 XT", "gfx1030", "0000:03:00.0")
    assert (gpu.uuid, gpu.render_node, gpu.node) == ("GPU-%016x" % 10454863232523463452, "/dev/dri/renderD128", 1)
    assert (gpu.memory_bytes, gpu.memory_used_bytes, gpu.compute_units) == (17163091968, 1294336, 80)
    assert gpu.pcie_atomics is True
    assert gpu.integrated is False


def test_a_gpu_of_which_nothing_else_is_known(make_machine):
    files = {NODES + "/1/properties": "gfx_target_version 100306\nunique_id 0\n"}
    (gpu,) = read_rocm(machine(make_machine, files=files)).gpus.value
    assert (gpu.name, gpu.bus_id, gpu.uuid, gpu.render_node) == ("AMD GPU (gfx1036)", "", "", "")
    assert gpu.memory_bytes is None
    assert gpu.pcie_atomics is None
    assert gpu.integrated is True


@pytest.mark.parametrize("flags, kind, atomics", [(1, 2, True), (13, 2, False), (5, 2, False), (13, 11, None)])
def test_atomic_operations_of_a_link(make_machine, flags, kind, atomics):
    files = {NODES + "/1/io_links/0/properties": link(flags, kind)}
    assert read_rocm(machine(make_machine, files=files)).gpus.value[0].pcie_atomics is atomics


def test_a_board_knows_its_own_name_first(make_machine):
    files = {DEVICE + "/product_name": "AMD Instinct MI210\n", "/usr/share/libdrm/amdgpu.ids": IDS}
    assert read_rocm(machine(make_machine, files=files)).gpus.value[0].name == "AMD Instinct MI210"


def test_a_gpu_that_a_container_was_not_given(make_machine):
    files = {NODES + "/2/properties": NODE.replace("128", "129")}
    rocm = read_rocm(machine(make_machine, files=files, withheld=[NODES + "/1/properties"]))
    assert [gpu.node for gpu in rocm.gpus.value] == [2]
    assert rocm.withheld == 1
    assert rocm.gfx.value == ("gfx1030",)


def test_a_topology_that_may_not_be_read_is_unknown(make_machine):
    rocm = read_rocm(machine(make_machine, denied=[NODES + "/1/properties"]))
    assert not rocm.gpus.known
    assert not rocm.gfx.known


def test_numbers_of_the_topology():
    assert parse_properties("a 1\nb\nc -2\nd x\ne 18446744073709551615\n") == {"a": 1, "e": 18446744073709551615}
    assert parse_kfd_properties("gfx_target_version 99999999999\n") == ""


@pytest.mark.parametrize(
    "name, version",
    [
        ("libamdhip64.so.6.1.60103", "6.1.3"), ("libamdhip64.so.5.7.50700", "5.7.0"), ("libamdhip64.so.5.7.31921", "5.7"),
        ("libamdhip64.so.7.0.70000", "7.0.0"), ("libamdhip64.so.6", ""), ("libhsa-runtime64.so.1.14.0", ""),
    ],
)  # fmt: skip
def test_the_release_in_the_name_of_a_library(name, version):
    assert parse_hip_version(name) == version


def test_the_release_that_is_in_use_and_the_others(make_machine):
    rocm = read_rocm(
        make_machine(
            files={"/opt/rocm-6.4.1/.info/version": "6.4.1-83\n", "/opt/rocm-6.0.0/.info/version": "6.0.0-91\n"},
            links={"/opt/rocm": "/opt/rocm-6.4.1", "/opt/rocm/.info/version": "/opt/rocm-6.4.1/.info/version"},
        )
    )
    assert rocm.version.value == "6.4.1-83"
    assert [(item.version, item.path) for item in rocm.installations] == [
        ("6.4.1-83", "/opt/rocm"),
        ("6.0.0-91", "/opt/rocm-6.0.0"),
    ]


def test_a_folder_that_a_variable_names_comes_first(make_machine):
    host = make_machine(
        env={"ROCM_PATH": "/data/rocm"},
        files={"/data/rocm/.info/version": "6.2.0-66\n", "/opt/rocm/.info/version": "6.0.0-91\n"},
    )
    rocm = read_rocm(host)
    assert (rocm.version.value, rocm.version.source) == ("6.2.0-66", "/data/rocm/.info/version")
    assert [item.found_via for item in rocm.installations] == ["ROCM_PATH", "system"]


def test_a_release_that_only_a_library_tells(make_machine):
    host = make_machine(
        loader_cache={"libamdhip64.so.6": "/usr/lib64/libamdhip64.so.6"},
        links={"/usr/lib64/libamdhip64.so.6": "/usr/lib64/libamdhip64.so.6.3.42134"},
    )
    rocm = read_rocm(host)
    assert rocm.version.value == "6.3"
    assert [(item.version, item.found_via) for item in rocm.installations] == [("6.3", "library")]


def test_a_release_of_the_wheels_is_no_systems_release(make_machine):
    site = "/venv/lib/python3.11/site-packages"
    host = make_machine(
        files={site + "/_rocm_sdk_core/__init__.py": "", site + "/rocm_sdk_core-7.9.0.dist-info/METADATA": ""}
    )
    rocm = read_rocm(host)
    assert rocm.version.status == "absent"
    assert [(item.version, item.found_via) for item in rocm.installations] == [("7.9.0", "pip")]


def test_a_version_that_may_not_be_read_is_unknown(make_machine):
    path = "/opt/rocm/.info/version"
    assert not read_rocm(make_machine(files={path: "6.0.0\n"}, denied=[path])).version.known


def test_without_a_sign_of_rocm_no_folder_is_searched(make_machine):
    rocm = read_rocm(make_machine(loader_cache={"libc.so.6": "/lib/libc.so.6"}))
    assert rocm.libraries.value == ()
    assert rocm.module.status == rocm.kfd.status == rocm.gpus.status == "absent"


def test_the_kernel_module(make_machine):
    assert read_rocm(make_machine(folders=["/sys/module/amdgpu"])).module.value == "in use"
    own = make_machine(files={"/sys/module/amdgpu/version": "6.7.0\n"})
    assert read_rocm(own).module.value == "6.7.0"


def test_the_group_that_owns_a_closed_node(make_machine):
    groups = {"/dev/kfd": "render", "/dev/dri/renderD128": "109"}
    host = make_machine(nodes={"/dev/kfd": False, "/dev/dri/renderD128": False}, groups=groups)
    assert read_rocm(host).kfd.value.group == "render"
    assert [node.group for node in read_driver(host).nodes] == ["109"]
    assert read_rocm(make_machine(nodes={"/dev/kfd": True}, groups=groups)).kfd.value.group == ""


@pytest.mark.only_on("posix", reason="groups of files")
def test_the_group_of_a_real_file(tmp_path):
    import grp
    import os

    from devicekit.machine.live_host import LiveHost

    name = grp.getgrgid(os.stat(str(tmp_path)).st_gid).gr_name
    assert LiveHost().group_of(str(tmp_path)) == name
    assert LiveHost().group_of(str(tmp_path / "nothing")) == LiveHost().group_of("a\0b") == ""


def test_rocm_is_nowhere_but_on_linux(make_machine):
    rocm = read_rocm(make_machine(system="windows"))
    assert {rocm.kfd.status, rocm.version.status, rocm.gpus.status, rocm.module.status} == {"absent"}


def test_names_of_libdrm():
    assert parse_amdgpu_ids(IDS, "73bf", "c1") == "AMD Radeon RX 6800 XT"
    assert (
        parse_amdgpu_ids(IDS, "73bf", "c9") == parse_amdgpu_ids(IDS, "", "") == parse_amdgpu_ids("", "73bf", "c1") == ""
    )


def test_names_of_pciutils():
    assert parse_pci_ids(PCI, "8086", "56a0") == "Arc A770"
    assert parse_pci_ids(PCI, "1002", "164e") == "Raphael"
    assert parse_pci_ids(PCI, "1002", "56a0") == ""
    assert parse_pci_ids(PCI, "8086", "56a1") == ""
    assert parse_pci_ids(PCI, "10de", "73bf") == parse_pci_ids("", "1002", "73bf") == ""
