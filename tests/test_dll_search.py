"""The search for CUDA's DLLs on Windows, without Windows; ``tools/check_dll_search.py`` compares it with the real loader."""

import struct

from devicekit.diagnosis.dynamic_linker import DynamicLinker, repair
from devicekit.machine.facts import Cuda, Fact, Library, Opener
from devicekit.machine.probe.cuda import read_cuda
from devicekit.machine.probe.cuda_libraries import read_imports

TENSORFLOW = Opener("tensorflow", "C:\\venv\\Lib\\site-packages\\tensorflow\\__init__.py", ())
PATH = ("C:\\Python", "C:\\Windows\\System32", "C:\\work", "C:\\cuda\\bin")


def machine(*files, needs=None):
    """The CUDA facts of a machine with these files, and what they need."""
    libraries = []
    for path in files:
        name = path.rpartition("\\")[2]
        unsafe = "it is in the working folder" if path.startswith("C:\\work\\") else ""
        libraries.append(Library(name, path, "pip", needs=(needs or {}).get(name.lower(), ()), unsafe=unsafe))
    return Cuda(Fact.of(tuple(libraries), "PATH"), path=PATH)


def test_the_program_and_the_system_come_before_path():
    files = ["%s\\cudart64_110.dll" % folder for folder in PATH]
    for left in range(len(files)):
        found = DynamicLinker(machine(*files[left:]), TENSORFLOW).open("cudart64_110.dll")
        assert found.library.path == files[left]
    assert DynamicLinker(machine("C:\\elsewhere\\cudart64_110.dll"), TENSORFLOW).open("cudart64_110.dll").lacks


def test_case_does_not_matter():
    needs = {"cublas64_11.dll": ("CUBLASLT64_11.dll",)}
    cuda = machine("C:\\CUDA\\bin\\CUBLAS64_11.DLL", "C:\\cuda\\BIN\\cublasLt64_11.dll", needs=needs)
    assert not DynamicLinker(cuda, TENSORFLOW).open("cublas64_11.dll").lacks


def test_what_a_library_needs_is_searched_in_the_same_folders():
    needs = {"cublas64_11.dll": ("cublasLt64_11.dll",)}
    apart = machine("C:\\cuda\\bin\\cublas64_11.dll", "C:\\elsewhere\\cublasLt64_11.dll", needs=needs)
    assert DynamicLinker(apart, TENSORFLOW).open("cublas64_11.dll").lacks == ("cublasLt64_11.dll",)
    together = machine("C:\\elsewhere\\cublas64_11.dll", "C:\\elsewhere\\cublasLt64_11.dll", needs=needs)
    found = repair(together, TENSORFLOW, ["cublas64_11.dll", "cublasLt64_11.dll"])
    assert [item.name for item in found.load] == ["cublasLt64_11.dll", "cublas64_11.dll"]
    assert found.lacks == ()


def test_the_parts_of_cudnn_are_loaded_with_it_after_what_they_need():
    folder = "C:\\venv\\Lib\\site-packages\\nvidia\\cudnn\\bin\\"
    parts = ["cudnn_cnn_infer64_8.dll", "cudnn_ops_infer64_8.dll", "zlibwapi.dll", "cudnn_adv_train64_8.dll"]
    needs = {parts[0]: (parts[1],), parts[3]: ("cudnn_adv_infer64_8.dll",)}
    cuda = machine(*[folder + name for name in ["cudnn64_8.dll", *parts]], needs=needs)
    load = [item.name for item in repair(cuda, TENSORFLOW, ["cudnn64_8.dll"]).load]
    assert load == ["cudnn64_8.dll", "cudnn_ops_infer64_8.dll", "zlibwapi.dll", "cudnn_cnn_infer64_8.dll"]


def test_nothing_is_loaded_from_the_working_folder():
    cuda = machine("C:\\work\\nvidia\\cudart64_110.dll")
    found = repair(cuda, TENSORFLOW, ["cudart64_110.dll"])
    assert (found.load, found.lacks) == ((), ("cudart64_110.dll",))
    assert found.refused


def test_relative_parts_of_path_start_at_the_working_folder(make_machine):
    host = make_machine(system="windows", env={"Path": "bin;;\\rooted;D:\\cuda/bin/"})
    assert read_cuda(host).path[-3:] == ("C:\\project\\bin", "C:\\rooted", "D:\\cuda\\bin")


def dll(*names, machine=0x8664):
    """Return a DLL that imports from others: its headers and an import table."""
    table, texts = b"", b""
    start = 20 * (len(names) + 1)
    for name in names:
        table += struct.pack("<IIIII", 0, 0, 0, 0x1000 + start + len(texts), 0)
        texts += name.encode() + b"\0"
    content = table + b"\0" * 20 + texts
    optional = struct.pack("<H", 0x20B) + b"\0" * 118 + struct.pack("<II", 0x1000, len(content)) + b"\0" * 112
    head = b"MZ" + b"\0" * 58 + struct.pack("<I", 64)
    head += struct.pack("<4sHHIIIHH", b"PE\0\0", machine, 1, 0, 0, 0, len(optional), 0x2000) + optional
    head += struct.pack("<8sIIII", b".idata", len(content), 0x1000, len(content), 1024) + b"\0" * 16
    return head.ljust(1024, b"\0") + content


def test_imports_are_read_from_the_file(tmp_path):
    from devicekit.machine.live_host import LiveHost

    host, path = LiveHost(), str(tmp_path / "library.dll")
    whole = dll("cublas64_11.dll", "KERNEL32.dll")
    for content, expected in (
        (whole, ("cublas64_11.dll", "KERNEL32.dll")),
        (dll(), ()),
        (dll("x.dll", machine=0x14C), None),
        (b"not a library", None),
        (b"", None),
        (whole[:100], None),
        (whole[:1030], None),
    ):
        with open(path, "wb") as stream:
            stream.write(content)
        assert read_imports(host, path) == expected, content[:8]
