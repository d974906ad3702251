"""What is installed, read from folders that real environments have, broken ones included."""

import json
import os
import struct
import sys

import pytest

from devicekit import Machine, diagnose
from devicekit.machine.interpreter import other_interpreter
from devicekit.machine.live_host import LiveHost, this_interpreter
from devicekit.machine.probe import read_machine
from devicekit.machine.probe.builds import parse_build_info, parse_version_header
from devicekit.machine.probe.distributions import parse_metadata, parse_record, split_folder_name

SITE = "/venv/lib/python3.11/site-packages"
METADATA = "Metadata-Version: 2.1\nName: tensorflow_cpu\nVersion: 2.15.1\nRequires-Dist: numpy<2\n\nText\nVersion: 9\n"


def test_folder_names():
    assert split_folder_name("tensorflow_cpu-2.21.0.dist-info") == ("tensorflow-cpu", "2.21.0")
    assert split_folder_name("Keras_Applications-1.0.8-py3.7.egg-info") == ("keras-applications", "1.0.8")
    assert split_folder_name("numpy.dist-info") == ("numpy", "")
    assert split_folder_name("six-1.16.0.egg-info") == ("six", "1.16.0")


def test_metadata_ends_at_the_description():
    assert parse_metadata(METADATA) == ("tensorflow_cpu", "2.15.1", ("numpy<2",), "")
    assert parse_metadata(METADATA.replace("\n", "\r\n"))[1] == "2.15.1"
    assert parse_metadata("") == ("", "", (), "")
    assert parse_metadata("no colon\n: \n\n") == ("", "", (), "")


RECORD = (
    'tensorflow/__init__.py,sha256=x,10\n"tensorflow/a, b.so",sha256=x,20\ntensorflow/lib/libx.so.2,sha256=x,30\n'
    "tensorflow/python/ops.py,sha256=x,5\ntensorflow/__pycache__/a.pyc,,\nt.dist-info/RECORD,,\n"
)


def test_record():
    assert [name for name, _ in parse_record(RECORD, deep=True)] == [
        "tensorflow/__init__.py", "tensorflow/a, b.so", "tensorflow/lib/libx.so.2", "tensorflow/python/ops.py",
    ]  # fmt: skip
    assert parse_record(RECORD, deep=False) == [
        ("tensorflow/__init__.py", 10), ("tensorflow/a, b.so", 20), ("tensorflow/lib/libx.so.2", 30),
    ]  # fmt: skip


def test_build_info_of_every_shape():
    newest = (
        "build_info = collections.OrderedDict([('cpu_compiler', '/usr/lib/llvm-18/bin/clang'), "
        "('cuda_compute_capabilities', ['sm_60', 'compute_90']), ('cuda_version', '12.5.1'), ('cudnn_version', '9'), "
        "('is_cuda_build', True), ('is_rocm_build', False)])"
    )
    values = parse_build_info(newest)
    assert values["cuda_version"] == "12.5.1"
    assert values["cuda_compute_capabilities"] == ["sm_60", "compute_90"]
    assert values["is_cuda_build"] is True
    assert values["is_rocm_build"] is False
    oldest = parse_build_info("is_rocm_build = False\nis_cuda_build = True\ncuda_version_number = '10.1'\n")
    assert oldest == {"is_rocm_build": False, "is_cuda_build": True, "cuda_version_number": "10.1"}
    assert parse_build_info("") == {}


def test_version_header():
    header = "#define TF_MAJOR_VERSION 2\n#define TF_MINOR_VERSION 10\n#define TF_PATCH_VERSION 1\n"
    assert parse_version_header(header) == "2.10.1"
    assert parse_version_header('#error "TF_MAJOR_VERSION is not defined!"') == ""


def codes(host, deep=True):
    return [finding.code for finding in diagnose(read_machine(host, deep=deep)).findings]


def test_a_missing_native_library_is_seen_in_the_quick_probe_and_a_missing_module_in_the_deep_one(make_machine):
    base = {
        SITE + "/tensorflow/__init__.py": "",
        SITE + "/tensorflow_cpu-2.15.1.dist-info/METADATA": METADATA,
        SITE + "/numpy-1.26.4.dist-info/METADATA": "Name: numpy\nVersion: 1.26.4\n",
    }
    record = SITE + "/tensorflow_cpu-2.15.1.dist-info/RECORD"
    native = make_machine(
        files=dict(base, **{record: "tensorflow/__init__.py,,0\ntensorflow/libtensorflow_cc.so.2,,9\n"})
    )
    assert "install-corrupt" in codes(native, deep=False)
    module = make_machine(files=dict(base, **{record: "tensorflow/__init__.py,,0\ntensorflow/python/ops.py,,9\n"}))
    assert "install-corrupt" in codes(module)
    assert "install-corrupt" not in codes(module, deep=False)
    whole = make_machine(files=dict(base, **{record: "tensorflow/__init__.py,,0\n../../../bin/tool,,9\n"}))
    assert "install-corrupt" not in codes(whole)


def test_a_library_that_was_cut_short(make_machine):
    library = SITE + "/tensorflow/libtensorflow_framework.so.2"
    files = {
        SITE + "/tensorflow/__init__.py": "",
        library: "short",
        SITE + "/tensorflow-2.15.1.dist-info/METADATA": "Name: tensorflow\nVersion: 2.15.1\n",
        SITE + "/tensorflow-2.15.1.dist-info/RECORD": "tensorflow/libtensorflow_framework.so.2,,65000000\n",
    }
    machine = read_machine(make_machine(files=files))
    assert machine.python.distribution("tensorflow").damaged_files == (
        "tensorflow/libtensorflow_framework.so.2 has 5 bytes of 65000000",
    )


@pytest.mark.parametrize("size, whole", [(300, True), (200, True), (199, False), (64, False)])
def test_a_stripped_library_has_all_that_is_loaded(make_machine, size, whole):
    """What ``strip`` takes away comes after the segments; a real library that ends there loads, one byte less kills it."""
    library = SITE + "/tensorflow/libtensorflow_framework.so.2"
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
    segments = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, 180, 180, 4096)
    segments += struct.pack("<IIQQQQQQ", 1, 6, 180, 4096, 4096, 20, 900, 4096)
    host = make_machine(
        files={
            SITE + "/tensorflow/__init__.py": "",
            SITE + "/tensorflow-2.15.1.dist-info/METADATA": "Name: tensorflow\nVersion: 2.15.1\n",
            SITE + "/tensorflow-2.15.1.dist-info/RECORD": "tensorflow/libtensorflow_framework.so.2,,400\n",
        }
    )
    host._add(library, (head + segments).ljust(400, b"\0")[:size])
    damaged = read_machine(host).python.distribution("tensorflow").damaged_files
    assert damaged == (() if whole else ("tensorflow/libtensorflow_framework.so.2 has %d bytes of 400" % size,))


@pytest.fixture
def broken_site(tmp_path):
    """A real folder with metadata broken in every way."""
    site = tmp_path / "lib" / "site-packages"
    for name in (
        "tensorflow-2.15.1.dist-info", "keras-.dist-info", "numpy.dist-info", "-1.0.dist-info", ".dist-info",
        "jax-0.4.dist-info", "torch-2.0.dist-info", "~ensorflow", "protobuf-4.25.dist-info", "h5py-3.dist-info",
    ):  # fmt: skip
        (site / name).mkdir(parents=True)
    (site / "tensorflow-2.15.1.dist-info" / "METADATA").write_bytes(b"")
    (site / "keras-.dist-info" / "METADATA").write_bytes(b"Name: keras\n")
    (site / "numpy.dist-info" / "METADATA").write_bytes(b"\xff\xfe\x80Name: numpy\n\x00\nVersion: \xe9\n")
    (site / "torch-2.0.dist-info" / "METADATA").mkdir()
    (site / "protobuf-4.25.dist-info" / "METADATA").write_bytes(b"Version: 4.25\n" * 100000)
    (site / "protobuf-4.25.dist-info" / "RECORD").write_bytes(b'",,,\n,\n\xff\n"""\n' * 1000)
    (site / "scipy-1.0.dist-info").write_text("a file, not a folder")
    try:
        (site / "wrapt-1.0.dist-info").symlink_to(tmp_path / "nowhere")
        (site / "six-1.0.dist-info").symlink_to(site / "six-1.0.dist-info")
    except OSError:  # Windows without the privilege
        pass
    return str(site)


def test_nothing_hides_the_standard_library_of_the_python_that_runs():
    found = other_interpreter(sys.executable)
    machine = read_machine(LiveHost(found))
    assert machine.python.package("select") is machine.python.package("unicodedata") is None
    assert found.stdlib in found.sys_path


def test_windows_has_its_extension_modules_before_the_library(make_machine):
    library, site = "C:\\Python310\\lib", "C:\\Python310\\lib\\site-packages"
    files = ["C:\\Python310\\DLLs\\select.pyd", library + "\\os.py", library + "\\types.py", "C:\\project\\types.py"]
    paths = ["C:\\Python310\\python310.zip", "C:\\Python310\\DLLs", library, "C:\\Python310", site]
    python = {"stdlib": library, "base_prefix": "C:\\Python310", "extension_suffixes": [".pyd"]}
    for path, expected in (
        (paths, []),
        (["c:\\python310\\dlls", *paths[2:]], []),
        (["C:\\project", *paths], ["types"]),
    ):
        host = make_machine(system="windows", files=dict.fromkeys(files, ""), python=dict(python, sys_path=path))
        assert [item.name for item in read_machine(host).python.packages] == expected


def test_broken_metadata_never_raises_and_is_named(broken_site):
    found = this_interpreter()
    path = (broken_site,) + tuple(entry for entry in found.sys_path if "site-packages" not in entry)

    machine = read_machine(LiveHost(found.replace(sys_path=path)), deep=True)
    assert Machine.from_dict(json.loads(json.dumps(machine.to_dict()))) == machine
    text = "\n".join(machine.python.unreadable)
    for name in ("keras-.dist-info", "numpy.dist-info", "jax-0.4", "torch-2.0", "h5py-3", "tensorflow-2.15.1"):
        assert name in text, name
    assert machine.python.version_of("tensorflow") == "2.15.1"  # the folder's name still says it
    assert machine.python.version_of("protobuf") == "4.25"
    assert diagnose(machine).findings


def test_auto_survives_broken_metadata(broken_site, run_json):
    code = """
import json, sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
import devicekit
print(json.dumps(devicekit.auto(verify="never").to_dict()))
"""
    assert run_json(code, broken_site)["device"] == "cpu"


@pytest.mark.parametrize(
    "variable, value",
    [
        ("KERAS_BACKEND", "nonsense\n\x1b[31m"),
        ("KERAS_BACKEND", "TensorFlow"),
        ("CUDA_VISIBLE_DEVICES", "a;b"),
        ("TF_CONFIG", "{"),
    ],
)
def test_nonsense_in_the_environment(run_json, variable, value):
    code = """
import json, warnings
warnings.simplefilter("ignore")
import devicekit
print(json.dumps(devicekit.select_device().to_dict()))
"""
    assert run_json(code, env={variable: value})["device"] in ("cpu", "auto")


def test_odd_paths_and_a_working_folder_that_is_gone(run_json, tmp_path):
    code = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
os.mkdir("gone"); os.chdir("gone")
if os.name != "nt": os.rmdir("../gone")  # which Windows refuses
sys.path[:0] = ["", "relative/folder", "/nonexistent", b"bytes", "x" * 5000, "\\udc80"]
import devicekit
devicekit.detect(refresh=True)
print(json.dumps(devicekit.auto(verify="never").to_dict()))
"""
    assert run_json(code)["device"] in ("cpu", "auto")


def test_keras_backend_nonsense_is_a_finding(make_machine):
    site = {"installed": {"tensorflow": "2.19.1", "keras": "3.9.0", "numpy": "2.1.0", "protobuf": "5.29.0"}}
    host = make_machine(python=site, env={"KERAS_BACKEND": "TensorFlow"})
    finding = diagnose(read_machine(host)).by_code("keras-incompatible")
    assert finding.severity == "error"
    assert finding.fix[0].command == "unset KERAS_BACKEND"
    host = make_machine(python=site, home="/home/x", files={"/home/x/.keras/keras.json": '{"backend": "theano"}'})
    finding = diagnose(read_machine(host)).by_code("keras-incompatible")
    assert "~/.keras/keras.json" in finding.summary
    for healthy in ("{", "", '{"floatx": "float16", "epsilon": 1e-5}', '{"backend": "tensorflow"}'):
        host = make_machine(python=site, home="/home/x", files={"/home/x/.keras/keras.json": healthy})
        assert diagnose(read_machine(host)).by_code("keras-incompatible") is None

    # Values at which Keras 3 stops (keras/src/backend/config.py).
    for fatal in (
        '{"floatx": "bfloat16"}',
        "[]",
        '{"backend": 5}',
        '{"epsilon": 1}',
        '{"floatx": "int8"}',
        '{"image_data_format": "x"}',
        '{"backend": null}',
    ):
        host = make_machine(python=site, home="/home/x", files={"/home/x/.keras/keras.json": fatal})
        finding = diagnose(read_machine(host)).by_code("keras-incompatible")
        assert finding.blocks == ("keras", "tensorflow")
    host = make_machine(python=site, home="/home/x", files={"/home/x/.keras/keras.json/x": ""})
    assert "a folder has the place" in diagnose(read_machine(host)).by_code("keras-incompatible").summary


@pytest.mark.parametrize("name", ["tensorflow.py", "tensorflow/__init__.py", "tensorflow/notes.txt"])
def test_auto_survives_a_local_file_that_is_no_tensorflow(tmp_path, run_json, name):
    """Without TensorFlow installed, a local file of its name is all that an import would find."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("")
    code = """
import json, sys, warnings
warnings.simplefilter("ignore")
import devicekit
devicekit.select_device("gpu")
print(json.dumps(devicekit.auto("gpu").to_dict()))
"""
    selection = run_json(code)
    assert selection["device"] == "cpu"
    assert selection["verified"] is not True or "tensorflow" in selection["framework"]


def test_nothing_is_loaded_from_the_working_folder(tmp_path, python):
    """Files in the working folder that are named like modules are looked at, not run."""
    for name in ("json.py", "argparse.py", "packaging.py", "platformdirs.py", "tensorflow.py", "textwrap.py"):
        (tmp_path / name).write_text("raise SystemExit('loaded from the working folder')\n")
    import subprocess

    import devicekit

    folder = os.path.dirname(os.path.dirname(os.path.abspath(devicekit.__file__)))
    environ = dict(os.environ, PYTHONPATH=folder)
    for arguments in (["doctor", "--json"], ["doctor", "--json", "--python", sys.executable]):
        done = subprocess.run(
            [sys.executable, "-m", "devicekit", *arguments],
            cwd=str(tmp_path),
            env=environ,
            capture_output=True,
        )
        assert b"loaded from the working folder" not in done.stdout + done.stderr
        data = json.loads(done.stdout.decode())
        assert data["schema"] == 1


def test_imported_frameworks_are_seen(run_json):
    code = (
        "import json, sys, types\n"
        "sys.modules['tensorflow'] = types.ModuleType('tensorflow')\n"
        "sys.modules['tensorflow'].__version__ = '2.21.0'\n"
        "import devicekit\n"
        "print(json.dumps([[item.name, item.version] for item in devicekit.detect().process.modules]))"
    )
    assert run_json(code) == [["tensorflow", "2.21.0"]]
