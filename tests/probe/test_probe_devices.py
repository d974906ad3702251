"""What is read of ROCm's GPUs, CUDA's compiler, the Visual C++ runtime, wheels' tags, and files that variables name."""

import pytest

from devicekit.machine.probe import read_machine
from devicekit.machine.probe.cuda import parse_data_dir, read_cuda
from devicekit.machine.probe.directml import parse_dx_adapter
from devicekit.machine.probe.distributions import parse_wheel
from devicekit.machine.probe.driver import read_driver
from devicekit.machine.probe.native import read_native
from devicekit.machine.probe.process import read_process
from devicekit.machine.probe.rocm import parse_kfd_properties, read_rocm

NODES = "/sys/class/kfd/kfd/topology/nodes"


@pytest.mark.parametrize(
    "text, target",
    [
        ("simd_count 160\ngfx_target_version 90010\n", "gfx90a"), ("gfx_target_version 100300\n", "gfx1030"),
        ("gfx_target_version 110002\n", "gfx1102"), ("gfx_target_version 90402\n", "gfx942"),
        ("cpu_cores_count 8\ngfx_target_version 0\n", ""), ("gfx_target_version many\n", ""), ("", ""),
    ],
)  # fmt: skip
def test_the_target_of_an_amd_gpu(text, target):
    assert parse_kfd_properties(text) == target


def test_amd_gpus_come_in_the_drivers_order(make_machine):
    files = {"%s/0/properties" % NODES: "gfx_target_version 0\n"}
    files.update({"%s/%d/properties" % (NODES, n): "gfx_target_version 9%02d00\n" % n for n in (2, 10)})
    assert read_rocm(make_machine(files=files)).gfx.value == ("gfx920", "gfx9a0")
    assert read_rocm(make_machine()).gfx.status == "absent"
    hidden = make_machine(files=files, denied=["%s/2/properties" % NODES])
    assert not read_rocm(hidden).gfx.known


def test_the_folder_that_xla_is_told():
    assert parse_data_dir("--xla_dump_to=/x --xla_gpu_cuda_data_dir=/usr/lib/cuda --a") == "/usr/lib/cuda"
    assert parse_data_dir("--xla_gpu_cuda_data_dir='/opt/my cuda'") == "/opt/my cuda"
    assert parse_data_dir("--xla_gpu_cuda_data_dir=") == ""
    assert parse_data_dir("") == ""


def test_where_the_compiler_is_looked_for(make_machine):
    site = "/venv/lib/python3.11/site-packages/nvidia/cuda_nvcc"
    host = make_machine(
        env={"XLA_FLAGS": "--xla_gpu_cuda_data_dir=/data/cuda", "PATH": "/opt/bin:/usr/bin"},
        files={
            "/data/cuda/nvvm/libdevice/libdevice.10.bc": "",
            site + "/bin/ptxas": "",
            "/usr/local/cuda-12.5/nvvm/libdevice/libdevice.10.bc": "",
            "/opt/bin/ptxas": "",
        },
    )
    found = [(item.name, item.found_via) for item in read_cuda(host).toolchain.value]
    assert found == [
        ("libdevice.10.bc", "XLA_FLAGS"),
        ("ptxas", "pip"),
        ("libdevice.10.bc", "system"),
        ("ptxas", "PATH"),
    ]
    assert read_cuda(make_machine()).toolchain.value == ()
    assert read_cuda(make_machine(system="windows")).toolchain.status == "absent"


def test_a_link_names_the_file_that_it_leads_to(make_machine):
    host = make_machine(
        env={"LD_LIBRARY_PATH": "/opt/lib"},
        files={"/opt/lib/libcuda.so.1": "", "/opt/lib/libcuda.so.550.54.15": "", "/opt/lib/libnvidia-ml.so.1": ""},
        links={"/opt/lib/libcuda.so.1": "libcuda.so.550.54.15"},
    )
    found = {item.name: item.target for item in read_driver(host).libraries.value}
    assert found == {"libcuda.so.1": "libcuda.so.550.54.15", "libnvidia-ml.so.1": ""}


def test_the_visual_runtime_beside_the_interpreter_and_in_the_system(make_machine):
    host = make_machine(
        system="windows",
        env={"Path": "C:\\tools"},
        files={
            "C:\\Python\\VCRUNTIME140.dll": "",
            "C:\\Windows\\System32\\msvcp140.dll": "",
            "C:\\Windows\\System32\\msvcp140_atomic_wait.dll": "",
            "C:\\tools\\msvcp140_1.dll": "",
        },
    )
    found = [(item.name, item.found_via) for item in read_native(host).msvc.value]
    assert found == [("VCRUNTIME140.dll", "interpreter"), ("msvcp140.dll", "system"), ("msvcp140_1.dll", "PATH")]


def test_a_windows_whose_system_folder_cannot_be_listed_is_unknown(make_machine):
    assert not read_native(make_machine(system="windows")).msvc.known
    assert read_native(make_machine()).msvc.status == "absent"


def test_instructions_on_windows(make_machine):
    assert "avx" in read_native(make_machine(system="windows", architecture="AMD64")).cpu_flags.value
    # Windows before 10.0.19041 says nothing of them; that is not "none".
    old = make_machine(system="windows", architecture="AMD64", cpu_features=[])
    assert not read_native(old).cpu_flags.known


def test_the_tags_of_a_wheel():
    text = "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_17_x86_64\nTag: cp311-cp311-manylinux2014_x86_64\n"
    assert parse_wheel(text) == (("manylinux_2_17_x86_64", "manylinux2014_x86_64"), ("cp311-cp311",))
    assert parse_wheel("Tag: py3-none-any\n") == ((), ("py3-none",))
    assert parse_wheel("") == ((), ())


def test_files_that_variables_name(make_machine):
    host = make_machine(
        env={"TF_XLA_FLAGS": "flags.txt", "TF_PLUGGABLE_DEVICE_LIBRARY_PATH": "/nowhere", "XLA_FLAGS": " --xla_x=1"},
        files={"/project/flags.txt": "--tf_xla_auto_jit=2"},
    )
    named = read_process(host).named_files.value
    assert named == (("TF_PLUGGABLE_DEVICE_LIBRARY_PATH", False), ("TF_XLA_FLAGS", True))


def test_the_feature_level_of_an_adapter():
    values = {"Description": "X", "VendorId": 4098, "DeviceId": 1}
    assert parse_dx_adapter(dict(values, MaxD3D12FeatureLevel=0xB000)).feature_level == 0xB000
    assert parse_dx_adapter(values).feature_level is None


def test_a_snapshot_from_before_these_facts_still_loads(make_machine):
    from devicekit import Machine

    data = read_machine(make_machine()).to_dict()
    for word, name in (
        ("native", "msvc"),
        ("cuda", "toolchain"),
        ("rocm", "gfx"),
        ("process", "named_files"),
    ):
        del data[word][name]
    machine = Machine.from_dict(data)
    assert not machine.native.msvc.known
    assert not machine.rocm.gfx.known
