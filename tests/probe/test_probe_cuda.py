"""CUDA's libraries: where each lies, which version it is, who asks for it, and which no one should load."""

import os
import sys

import pytest

from devicekit.machine.probe.cuda import read_cuda
from devicekit.machine.probe.cuda_libraries import parse_loaded, parse_sizes, read_opener
from devicekit.machine.simulated import SimulatedHost

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hardware"))

import build

SITE = "/venv/lib/python3.11/site-packages"
DRIVER = {"/proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.10  Release Build\n"}


def libraries(host):
    return {item.path: item for item in read_cuda(host).libraries.value}


def test_every_place_says_how_it_was_found_in_the_loaders_order(make_machine):
    host = make_machine(
        env={"LD_LIBRARY_PATH": "/opt/a:/nowhere", "CONDA_PREFIX": "/conda", "CUDA_HOME": "/opt/cuda-12.4"},
        loader_cache={"libcudart.so.12": "/usr/lib/x86_64-linux-gnu/libcudart.so.12", "libc.so.6": "/lib/libc.so.6"},
        files=dict(
            DRIVER,
            **{
                "/opt/a/libcudart.so.12": "",
                "/opt/a/libother.so.12": "",
                "/conda/conda-meta/history": "",
                "/conda/lib/libcudart.so.12": "",
                "/opt/cuda-12.4/lib64/libcudart.so.12": "",
                "/usr/local/cuda-12.5/targets/x86_64-linux/lib/libcudart.so.12": "",
                "/usr/lib/x86_64-linux-gnu/libcudart.so.12": "",
                "/usr/lib64/libcudart.so.11.0": "",
                SITE + "/nvidia/cuda_runtime/lib/libcudart.so.12": "",
                SITE + "/nvidia/cu13/lib/libcudart.so.13": "",
            },
        ),
    )
    found = [(item.found_via, item.path) for item in read_cuda(host).libraries.value]
    assert found == [
        ("LD_LIBRARY_PATH", "/opt/a/libcudart.so.12"),
        ("ld.so.cache", "/usr/lib/x86_64-linux-gnu/libcudart.so.12"),
        ("pip", SITE + "/nvidia/cu13/lib/libcudart.so.13"),
        ("pip", SITE + "/nvidia/cuda_runtime/lib/libcudart.so.12"),
        ("system", "/usr/lib64/libcudart.so.11.0"),
        ("conda", "/conda/lib/libcudart.so.12"),
        ("CUDA_HOME", "/opt/cuda-12.4/lib64/libcudart.so.12"),
        ("toolkit", "/usr/local/cuda-12.5/targets/x86_64-linux/lib/libcudart.so.12"),
    ]


def test_windows_looks_on_path_and_in_the_installers_folders(make_machine):
    toolkit = "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.2\\bin"
    site = "C:\\venv\\Lib\\site-packages\\nvidia\\cublas\\bin"
    host = make_machine(
        system="windows",
        env={"Path": "C:\\Windows;C:\\tools"},
        files={
            toolkit + "\\cudart64_110.dll": "",
            "C:\\tools\\cudnn64_8.dll": "",
            site + "\\cublas64_12.dll": "",
            "C:\\tools\\other.dll": "",
        },
    )
    cuda = read_cuda(host)
    found = {item.name: (item.found_via, item.version) for item in cuda.libraries.value}
    assert found == {
        "cudnn64_8.dll": ("PATH", ""),
        "cublas64_12.dll": ("pip", ""),
        "cudart64_110.dll": ("toolkit", "11.2"),
    }
    # The program's folder, the system's, the working folder, and then PATH.
    system = ("C:\\Windows\\System32", "C:\\Windows\\System", "C:\\Windows")
    assert cuda.path == ("C:\\Python", *system, *([host.interpreter.cwd] * bool(host.interpreter.cwd)), "C:\\tools")


def test_the_version_comes_from_the_file_its_package_or_its_toolkit(make_machine):
    host = make_machine(
        files=dict(
            DRIVER,
            **{
                SITE + "/nvidia/cudnn/lib/libcudnn.so.9": "twelve bytes",
                SITE + "/nvidia_cudnn_cu11-9.1.0.70.dist-info/RECORD": "nvidia/cudnn/lib/libcudnn.so.9,sha256=a,99\n",
                SITE + "/nvidia_cudnn_cu12-9.3.0.75.dist-info/RECORD": "nvidia/cudnn/lib/libcudnn.so.9,sha256=b,12\n",
                "/usr/local/cuda-11.8/lib64/libcudart.so.11.0": "",
                "/usr/local/cuda-11.8/lib64/libcublas.so.11": "",
                "/usr/local/cuda-11.8/lib64/libcublas.so.11.11.3.6": "",
            },
        ),
        links={"/usr/local/cuda-11.8/lib64/libcublas.so.11": "libcublas.so.11.11.3.6"},
    )
    found = {item.name: item.version for item in read_cuda(host).libraries.value}
    assert found["libcudnn.so.9"] == "9.3.0.75"  # both packages say that it is theirs: the size tells
    assert found["libcudart.so.11.0"] == "11.8"  # the name is no version
    assert found["libcublas.so.11"] == "11.11.3.6"


def test_what_anybody_may_write_and_what_lies_in_the_working_folder_is_marked(make_machine):
    host = make_machine(
        files=dict(
            DRIVER,
            **{
                SITE + "/nvidia/cublas/lib/libcublas.so.12": "",
                SITE + "/nvidia/cufft/lib/libcufft.so.11": "",
                SITE + "/nvidia/cudnn/lib/libcudnn.so.9": "",
                "/project/nvidia/nccl/lib/libnccl.so.2": "",
            },
        ),
        shared=[SITE + "/nvidia/cublas/lib", SITE + "/nvidia/cufft/lib/libcufft.so.11"],
    )
    found = {item.name: item.unsafe for item in read_cuda(host).libraries.value}
    assert found == {
        "libcublas.so.12": "anybody may write its folder",
        "libcufft.so.11": "anybody may write it",
        "libcudnn.so.9": "",
        "libnccl.so.2": "it is in the working folder",
    }


def test_an_environment_within_the_working_folder_is_no_danger(make_machine):
    site = "/project/.venv/lib/python3.11/site-packages"
    host = make_machine(
        python={"prefix": "/project/.venv"}, files=dict(DRIVER, **{site + "/nvidia/cublas/lib/libcublas.so.12": ""})
    )
    assert [item.unsafe for item in read_cuda(host).libraries.value] == [""]


def test_the_loader_has_the_path_of_the_start_and_an_empty_part_is_the_working_folder(make_machine):
    late = make_machine(
        env={"LD_LIBRARY_PATH": "/set/by/the/program"},
        files={"/proc/self/environ": "HOME=/root\0LD_LIBRARY_PATH=/then:\0A=b\0"},
    )
    assert read_cuda(late).path == ("/then", "/project")
    unset = make_machine(env={"LD_LIBRARY_PATH": "/set/by/the/program"}, files={"/proc/self/environ": "HOME=/root\0"})
    assert read_cuda(unset).path == ()
    assert read_cuda(make_machine(env={"LD_LIBRARY_PATH": "/a;/b/:/a"})).path == ("/a", "/b")


def test_without_a_driver_no_file_is_opened(make_machine):
    host = make_machine(files={SITE + "/nvidia/cublas/lib/libcublas.so.12": ""})
    opened = []

    class Watched(SimulatedHost):
        def read_bytes(self, path, limit=1 << 20, offset=0):
            opened.append(path)
            return super().read_bytes(path, limit, offset)

    host.__class__ = Watched
    assert len(read_cuda(host).libraries.value) == 1
    assert [path for path in opened if not path.startswith("/proc")] == []


def test_what_is_loaded_already_is_seen_where_a_framework_runs(make_machine):
    maps = (
        "7f00-7f01 r--p 00000000 08:01 131 /opt/x/libcublas.so.12\n7f01-7f02 r-xp 00001000 08:01 131 /opt/x/libcublas.so.12\n"
        "7f03-7f04 rw-p 00000000 00:00 0\n7f05-7f06 r--p 00000000 08:01 7 /a folder/libcufft.so.11\n"
        "7ff-800 r--p 0 0:0 0 [vdso]\n"
    )
    assert parse_loaded(maps) == ("/opt/x/libcublas.so.12", "/a folder/libcufft.so.11")
    files = {"/proc/self/maps": maps}
    running = make_machine(files=files, python={"modules": [["torch", "2.9"]]})
    assert {item.name: item.found_via for item in read_cuda(running).libraries.value} == {
        "libcublas.so.12": "loaded",
        "libcufft.so.11": "loaded",
    }
    assert read_cuda(make_machine(files=files)).libraries.value == ()


def test_sizes_of_a_record():
    record = "nvidia/cublas/lib/libcublas.so.12,sha256=Lx,104128480\nnvidia/__init__.py,,\nother/x.so,sha256=a,3\n"
    assert list(parse_sizes(record)) == [("nvidia/cublas/lib/libcublas.so.12", 104128480)]


@pytest.mark.only_on("linux", reason="builds ELF files")
def test_who_asks_is_read_from_the_files_themselves(tmp_path):
    from devicekit.machine.live_host import LiveHost

    site = tmp_path / "site"
    cublas = build.build_empty_library(str(site / "nvidia" / "cublas" / "lib" / "libcublas.so.12"))
    host = LiveHost()
    host.interpreter = host.interpreter.__class__(**dict(vars(host.interpreter), sys_path=(str(site),)))
    path = str(site / "torch" / "lib" / "libtorch_cuda.so")
    build.build_empty_library(path, [cublas], rpath="$ORIGIN/../../nvidia/cublas/lib")
    opener = read_opener(host, "torch", path)
    assert opener.needs == ("libcublas.so.12",)
    assert (opener.folders, opener.rpath) == ((), (host.scrub(os.path.dirname(cublas)),))
    assert opener.own == opener.rpath  # it loads what is there by full path
    path = str(site / "tensorflow" / "libtensorflow_framework.so.2")
    build.build_empty_library(path, runpath="$ORIGIN/../nvidia/cublas/lib:$ORIGIN/../../nvidia/cublas/lib")
    opener = read_opener(host, "tensorflow", path)
    assert len(opener.folders) == 2
    assert opener.folders[0] == host.scrub(os.path.dirname(cublas))
    assert (opener.rpath, opener.own, opener.needs) == ((), (), ())
    assert read_opener(host, "tensorflow", str(tmp_path / "nothing")) is None
