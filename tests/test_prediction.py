"""What each framework will do, from what is installed; every expectation was seen in a real environment."""

import struct

import pytest

from devicekit import diagnose
from devicekit.diagnosis.findings import Packages
from devicekit.machine.probe import read_machine
from devicekit.remedy.plan import plan

#: A set that works, by distribution; parts of it are replaced or taken away.
COMMON = {
    "absl-py": "2.1.0", "astunparse": "1.6.3", "certifi": "2024.7.4", "flatbuffers": "24.3.25", "gast": "0.5.4",
    "h5py": "3.12.1", "idna": "3.7", "ml-dtypes": "0.5.1", "namex": "0.0.8", "numpy": "2.1.3", "opt-einsum": "3.4.0",
    "optree": "0.13.1", "packaging": "24.2", "protobuf": "5.29.3", "requests": "2.32.3", "rich": "13.9.4",
    "six": "1.17.0", "termcolor": "2.5.0", "typing-extensions": "4.12.2", "urllib3": "2.3.0", "wrapt": "1.17.0",
}  # fmt: skip
SITE = "/venv/lib/python3.12/site-packages"


def predict(make_machine, **installed):
    return diagnose(examined(make_machine, **installed))


def examined(make_machine, without=(), env=None, files=None, folders=(), version="3.12.1", **installed):
    """Return a Linux machine with this installed, names written with underscores."""
    chosen = {name: number for name, number in COMMON.items() if name not in without}
    chosen.update({name.replace("_", "-"): number for name, number in installed.items()})
    python = {"version": version, "installed": chosen}
    everything = dict({"/etc/os-release": 'PRETTY_NAME="Debian"\n'}, **(files or {}))
    host = make_machine(python=python, env=env or {}, files=everything, folders=list(folders), home="/home/x")
    return read_machine(host, deep=True)


def row(diagnosis, framework):
    """Return what is predicted of a framework: import, Keras, devices, cause."""
    found = diagnosis.framework(framework)
    return found and (found.will_import, found.will_run_keras, list(found.devices), found.cause)


TF = {"tensorflow_cpu": "2.19.1", "keras": "3.10.0"}
WORKS = (True, True, ["CPU:0"], None)


def test_a_healthy_environment(make_machine):
    diagnosis = predict(make_machine, **TF)
    assert row(diagnosis, "tensorflow") == row(diagnosis, "keras") == WORKS
    assert not [finding for finding in diagnosis.findings if finding.severity != "info"]


@pytest.mark.parametrize(
    "gone", ["six", "requests", "certifi", "packaging", "ml-dtypes", "opt-einsum", "numpy", "protobuf"]
)
def test_what_tensorflow_imports_is_not_there(make_machine, gone):
    diagnosis = predict(make_machine, without=[gone], **TF)
    assert row(diagnosis, "tensorflow") == (False, False, [], "dependency-incompatible")
    assert gone in diagnosis.by_code("dependency-incompatible").summary


@pytest.mark.parametrize("gone", ["rich", "optree"])
def test_what_keras_alone_imports_is_not_there(make_machine, gone):
    keras = "Metadata-Version: 2.1\nName: keras\nVersion: 3.10.0\nRequires-Dist: absl-py\nRequires-Dist: rich\n"
    keras += "Requires-Dist: optree\nRequires-Dist: h5py\nRequires-Dist: namex\n\n"
    files = {SITE + "/keras-3.10.0.dist-info/METADATA": keras}
    diagnosis = predict(make_machine, without=[gone], files=files, **TF)
    assert row(diagnosis, "tensorflow") == (True, False, ["CPU:0"], "dependency-incompatible")
    assert row(diagnosis, "keras")[:2] == (False, False)
    assert row(predict(make_machine, without=["h5py", "namex"], files=files, **TF), "keras") == WORKS


@pytest.mark.parametrize(
    "changed, blocked",
    [
        ({"h5py": "3.10.0"}, "tensorflow"), ({"ml_dtypes": "0.3.2"}, "tensorflow"),
        ({"typing_extensions": "3.7.4.3"}, "tensorflow"),
        ({"flatbuffers": "1.12"}, "tensorflow"), ({"six": "1.15.0"}, "tensorflow"),
        ({"urllib3": "1.26.4"}, "tensorflow"), ({"urllib3": "1.26.20"}, None),
        ({"gast": "0.2.2"}, None), ({"wrapt": "2.0.0"}, None),
    ],
)  # fmt: skip
def test_versions_that_were_seen_to_fail(make_machine, changed, blocked):
    diagnosis = predict(make_machine, **dict(TF, **changed))
    finding = diagnosis.by_code("dependency-incompatible")
    assert (finding.blocks[0] if finding else None) == blocked
    assert diagnosis.framework("tensorflow").will_import is (blocked is None)


def test_numpy_is_named_once(make_machine):
    diagnosis = predict(make_machine, **dict(TF, tensorflow_cpu="2.17.1", h5py="3.10.0", setuptools="75.0.0"))
    assert [finding.code for finding in diagnosis.findings if finding.severity == "error"] == ["numpy-incompatible"]


def test_distutils(make_machine):
    old = {"tensorflow_cpu": "2.17.1", "keras": "3.10.0", "numpy": "1.26.4", "ml_dtypes": "0.3.2"}
    assert row(predict(make_machine, **old), "tensorflow")[3] == "dependency-incompatible"
    assert row(predict(make_machine, setuptools="75.0.0", **old), "tensorflow") == WORKS
    python = {"version": "3.11.5"}
    host = make_machine(python=dict(python, installed={**COMMON, **{k.replace("_", "-"): v for k, v in old.items()}}))
    assert row(diagnose(read_machine(host)), "tensorflow") == WORKS


def test_legacy_keras(make_machine):
    asked = {"TF_USE_LEGACY_KERAS": "1"}
    broken = (True, True, ["CPU:0"], "keras-incompatible")  # tf.keras alone fails
    assert row(predict(make_machine, env=asked, **TF), "tensorflow") == broken
    newer = dict(TF, tf_keras="2.21.0")
    assert row(predict(make_machine, env=asked, protobuf="4.25.8", **newer), "tensorflow") == broken
    at_import = (False, False, [], "keras-incompatible")  # protobuf checks its generated code
    assert row(predict(make_machine, env=asked, protobuf="5.29.6", **newer), "tensorflow") == at_import
    assert row(predict(make_machine, env=asked, tf_keras="2.19.0", **TF), "tensorflow") == WORKS
    assert row(predict(make_machine, env={"TF_USE_LEGACY_KERAS": "0"}, **TF), "tensorflow") == WORKS


JAX = {"jax": "0.6.2", "jaxlib": "0.6.2", "scipy": "1.15.0", "keras": "3.15.1"}


def test_keras_on_jax(make_machine):
    chosen = {"KERAS_BACKEND": "jax"}
    diagnosis = predict(make_machine, env=chosen, **JAX)
    assert row(diagnosis, "keras") == (True, True, ["TFRT_CPU_0"], None)
    assert row(diagnosis, "jax") == (True, True, ["TFRT_CPU_0"], None)
    assert diagnosis.framework("tensorflow") is None
    assert row(predict(make_machine, **JAX), "keras") == (False, False, [], "framework-missing")  # nothing says JAX
    written = {"/home/x/.keras/keras.json": '{"backend": "tensorflow"}'}  # by Keras, at its first import
    assert row(predict(make_machine, files=written, **JAX), "keras") == (False, False, [], "framework-missing")
    newer = predict(make_machine, env=chosen, **dict(JAX, jax="0.12.0", jaxlib="0.12.0"))
    assert row(newer, "keras") == (True, True, ["cpu:0"], None)
    gone = predict(make_machine, env=chosen, **{name: number for name, number in JAX.items() if name != "jaxlib"})
    assert row(gone, "keras")[3] == row(gone, "jax")[3] == "dependency-incompatible"


@pytest.mark.parametrize(
    "keras, jax, expected",
    [
        ("3.0.5", "0.5.3", (True, True, None)), ("3.0.5", "0.6.2", (True, False, "keras-incompatible")),
        ("3.10.0", "0.6.2", (True, True, None)), ("3.15.1", "0.4.20", (False, False, "keras-incompatible")),
        ("3.15.1", "0.4.30", (True, True, None)), ("3.8.0", "0.4.20", (True, True, None)),
    ],
)  # fmt: skip
def test_releases_of_keras_and_jax(make_machine, keras, jax, expected):
    numpy = "1.26.4" if jax == "0.4.20" else "2.1.3"
    installed = dict(JAX, keras=keras, jax=jax, jaxlib=jax, numpy=numpy)
    found = predict(make_machine, env={"KERAS_BACKEND": "jax"}, **installed).framework("keras")
    assert (found.will_import, found.will_run_keras, found.cause) == expected


def test_jax_checks_jaxlib_itself(make_machine):
    metadata = "Metadata-Version: 2.1\nName: jax\nVersion: 0.4.35\nRequires-Dist: jaxlib<=0.4.35,>=0.4.34\n\n"
    files = {SITE + "/jax-0.4.35.dist-info/METADATA": metadata}
    installed = dict(JAX, jax="0.4.35", jaxlib="0.7.2")
    diagnosis = predict(make_machine, env={"KERAS_BACKEND": "jax"}, files=files, **installed)
    assert row(diagnosis, "jax") == (False, False, [], "dependency-incompatible")


def test_keras_on_pytorch_and_without_training(make_machine):
    torch = {"torch": "2.13.0", "keras": "3.15.1", "sympy": "1.13", "mpmath": "1.3"}
    assert row(predict(make_machine, env={"KERAS_BACKEND": "torch"}, **torch), "keras") == (True, True, ["cpu"], None)
    vino = {"openvino": "2025.0", "keras": "3.15.1", "scipy": "1.15.0"}
    assert row(predict(make_machine, env={"KERAS_BACKEND": "openvino"}, **vino), "keras") == (
        True,
        False,
        ["CPU"],
        None,
    )
    numpy = predict(make_machine, env={"KERAS_BACKEND": "numpy"}, keras="3.15.1")
    assert row(numpy, "keras") == (False, False, [], "dependency-incompatible")
    named = predict(make_machine, env={"KERAS_BACKEND": "jax"}, **TF)
    assert row(named, "tensorflow") == (True, False, ["CPU:0"], "keras-incompatible")


def test_protobuf_s_implementations(make_machine):
    name = "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"
    for value in ("cpp", "foo", ""):
        assert row(predict(make_machine, env={name: value}, **TF), "tensorflow")[3] == "protobuf-incompatible"
    assert row(predict(make_machine, env={name: "python"}, **TF), "tensorflow") == WORKS
    old = {"tensorflow_cpu": "2.10.1", "keras": "2.10.0", "numpy": "1.26.4", "protobuf": "4.25.8"}
    assert row(predict(make_machine, version="3.10.1", **old), "tensorflow")[3] == "protobuf-incompatible"
    # It is imported, and its first operation raises "does not support item assignment" (seen with 2.2 to 2.11).
    pure = row(predict(make_machine, version="3.10.1", env={name: "python"}, **old), "tensorflow")
    assert pure == (True, False, ["CPU:0"], "protobuf-incompatible")
    # Up to 4.24 it computes and trains (2.10.1 with 4.21.0 to 4.24.4, tried).
    old["protobuf"] = "4.24.4"
    assert row(predict(make_machine, version="3.10.1", env={name: "python"}, **old), "tensorflow") == WORKS
    assert row(predict(make_machine, version="3.10.1", **old), "tensorflow")[3] == "protobuf-incompatible"


def test_a_local_keras_does_not_stop_tensorflow(make_machine):
    diagnosis = predict(
        make_machine,
        files={"/project/keras/__init__.py": "", SITE + "/keras/__init__.py": "", SITE + "/tensorflow/__init__.py": ""},
        **TF,
    )
    assert row(diagnosis, "tensorflow") == (True, False, ["CPU:0"], "module-shadowed")
    assert row(diagnosis, "keras")[:2] == (False, False)


def test_a_folder_that_was_installed_into_hides_on_purpose(make_machine):
    over = {
        "/over/numpy/__init__.py": "", SITE + "/numpy/__init__.py": "",
        "/over/numpy-1.26.4.dist-info/METADATA": "Name: numpy\nVersion: 1.26.4\n\n",
    }  # fmt: skip
    old = dict(COMMON, **{"tensorflow-cpu": "2.17.1", "keras": "3.10.0", "setuptools": "75.0", "ml-dtypes": "0.3.2"})
    path = ["/project", "/over", "/usr/lib/python3.12", SITE]
    machine = read_machine(make_machine(python={"version": "3.12.1", "installed": old, "sys_path": path}, files=over))
    assert row(diagnose(machine), "tensorflow") == WORKS
    del over["/over/numpy-1.26.4.dist-info/METADATA"]
    machine = read_machine(make_machine(python={"version": "3.12.1", "installed": old, "sys_path": path}, files=over))
    assert row(diagnose(machine), "tensorflow")[3] == "module-shadowed"


def record(names):
    return "".join("%s,sha256=x,0\n" % name for name in names)


def test_files_that_nothing_needs(make_machine):
    info = SITE + "/tensorflow_cpu-2.19.1.dist-info/RECORD"
    there = {SITE + "/tensorflow/__init__.py": ""}
    spare = ["tensorflow/__init__.py", "tensorflow/include/a.h", "tensorflow/python/_pywrap_tensorflow_internal.so"]
    spare += ["tensorflow/python/kernel_tests/x.py", "tensorflow/LICENSE"]
    diagnosis = predict(make_machine, files=dict(there, **{info: record(spare)}), **TF)
    assert row(diagnosis, "tensorflow") == WORKS
    assert diagnosis.by_code("install-corrupt").severity == "info"
    many = spare + ["tensorflow/include/%d.h" % number for number in range(200)] + ["tensorflow/core/x/__init__.py"]
    diagnosis = predict(make_machine, files=dict(there, **{info: record(many)}), **TF)
    assert row(diagnosis, "tensorflow") == WORKS
    # Images leave out all folders of tests.
    tests = ["numpy/__init__.py", *("numpy/a/tests/test_%d.py" % number for number in range(30))]
    without = {SITE + "/numpy/__init__.py": "", SITE + "/numpy-2.1.3.dist-info/RECORD": record(tests)}
    assert row(predict(make_machine, files=without, **TF), "tensorflow") == WORKS
    without[SITE + "/numpy-2.1.3.dist-info/RECORD"] = record([*tests, "numpy/z.py"])
    assert row(predict(make_machine, files=without, **TF), "tensorflow") == (False, False, [], "install-corrupt")
    needed = ["tensorflow/__init__.py", "tensorflow/python/framework/ops.py"]
    diagnosis = predict(make_machine, files=dict(there, **{info: record(needed)}), **TF)
    assert row(diagnosis, "tensorflow") == (False, False, [], "install-corrupt")


def test_two_releases_over_one_another(make_machine):
    module = "tensorflow/lite/python/metrics/_pywrap_metrics"
    files = {
        SITE + "/tensorflow/__init__.py": "", SITE + "/" + module + ".py": "", SITE + "/" + module + ".so": "",
        SITE + "/tensorflow/tools/pip_package/v.txt": "",
        SITE + "/tensorflow_cpu-2.19.1.dist-info/RECORD": record(["tensorflow/__init__.py", module + ".so"]),
        SITE + "/tensorflow-2.21.0.dist-info/RECORD": record(["tensorflow/__init__.py", module + ".py"]),
    }  # fmt: skip
    both = {"tensorflow": "2.21.0", "protobuf": "6.31.1"}
    diagnosis = predict(make_machine, files=files, **dict(TF, **both))
    assert row(diagnosis, "tensorflow") == (False, False, [], "distributions-conflict")
    assert "_pywrap_metrics.so" in str(diagnosis.by_code("distributions-conflict").evidence)
    files.pop(SITE + "/" + module + ".so")
    same = {name: text.replace(module + ".so", "tensorflow/x.py") for name, text in files.items()}
    diagnosis = predict(make_machine, files=dict(same, **{SITE + "/tensorflow/x.py": ""}), **dict(TF, **both))
    assert diagnosis.by_code("distributions-conflict").severity == "warning"


def test_what_another_release_left_in_a_whole_package(make_machine):
    kernels, keras = "tensorflow/core/kernels", "keras/src/backend"
    whole = {
        SITE + "/tensorflow/__init__.py": "",
        SITE + "/tensorflow_cpu-2.19.1.dist-info/RECORD": record(["tensorflow/__init__.py"]),
        SITE + "/keras/__init__.py": "", SITE + "/%s.py" % keras: "",
        SITE + "/keras-3.10.0.dist-info/RECORD": record(["keras/__init__.py", keras + ".py"]),
    }  # fmt: skip
    assert row(predict(make_machine, files=whole, **TF), "keras") == WORKS
    harmless = {SITE + "/%s/a.py" % keras: "", SITE + "/tensorflow/core/b.so": "", SITE + "/keras/__init__.pyc": ""}
    assert row(predict(make_machine, files=dict(whole, **harmless), **TF), "keras") == WORKS
    # Keras 2.3.1 has a module and a package of one name.
    both = {SITE + "/keras-3.10.0.dist-info/RECORD": record(["keras/a.py", "keras/a/__init__.py"])}
    both.update({SITE + "/keras/a.py": "", SITE + "/keras/a/__init__.py": ""})
    assert row(predict(make_machine, files=dict(whole, **both), **TF), "keras") == WORKS
    library = {SITE + "/%s/libtfkernel.so" % kernels: ""}
    diagnosis = predict(make_machine, files=dict(whole, **library), **TF)
    assert row(diagnosis, "tensorflow") == (False, False, [], "install-corrupt")
    assert "libtfkernel.so" in diagnosis.by_code("install-corrupt").summary
    package = {SITE + "/%s/__init__.py" % keras: ""}
    machine = examined(make_machine, files=dict(whole, **package), **TF)
    assert row(diagnose(machine), "keras")[:2] == (False, False)
    (first,) = plan(machine).attempts
    assert (first.aside, first.packages, first.keeps_release) == ((SITE + "/" + keras,), Packages(), True)


def test_modules_of_a_release_that_was_copied_over_another_do_not_stay(make_machine):
    """NumPy 2 over 1.26, which is written again: h5py would still import NumPy 2's library in the place of its module."""
    module, suffix = "numpy/_core/_multiarray_umath", ".so"
    files = {SITE + "/numpy/__init__.py": "", SITE + "/numpy/version.py": 'version = "2.2.6"\n'}
    files.update({SITE + "/" + module + end: "" for end in (".py", suffix)})
    listed = record(["numpy/__init__.py", "numpy/version.py", module + ".py"])
    files[SITE + "/numpy-1.26.4.dist-info/RECORD"] = listed
    old = {
        "tensorflow_cpu": "2.16.2",
        "numpy": "1.26.4",
        "protobuf": "4.25.8",
        "ml_dtypes": "0.3.2",
        "setuptools": "75.0.0",
    }
    machine = examined(make_machine, files=files, **dict(TF, **old))
    assert diagnose(machine).framework("tensorflow").cause == "install-corrupt"
    first = plan(machine).attempts[0]
    assert first.packages == Packages(reinstall=("numpy==1.26.4",))
    assert (first.aside, first.keeps_release) == ((SITE + "/" + module + suffix,), True)


def test_the_module_of_a_later_release_that_makes_symbols_global(make_machine):
    loader = SITE + "/tensorflow/python/pywrap_dlopen_global_flags.py"
    older = dict(TF, tensorflow_cpu="2.18.1", protobuf="5.29.3", setuptools="70.0.0")
    lists = SITE + "/tensorflow_cpu-%s.dist-info/RECORD"
    files = {SITE + "/tensorflow/__init__.py": "", loader: "", lists % "2.18.1": record(["tensorflow/__init__.py"])}
    machine = examined(make_machine, files=files, **older)
    assert row(diagnose(machine), "tensorflow") == (False, False, [], "install-corrupt")
    (first,) = plan(machine).attempts
    assert (first.aside, first.packages) == ((loader,), Packages())
    # Of two releases of one name, both list files: none of them is moved.
    later = "Metadata-Version: 2.1\nName: tensorflow-cpu\nVersion: 2.21.0\n"
    later = {SITE + "/tensorflow_cpu-2.21.0.dist-info/METADATA": later}
    machine = examined(make_machine, files=dict(files, **later), **older)
    assert row(diagnose(machine), "tensorflow") == (False, False, [], "install-corrupt")
    first = plan(machine).attempts[0]
    assert (first.aside, first.packages.reinstall) == ((), ("tensorflow-cpu==2.18.1",))
    # 2.17 has loaded OpenSSL before (tried), and from 2.19 on the module is its own.
    files[lists % "2.17.1"] = files.pop(lists % "2.18.1")
    earlier = dict(older, tensorflow_cpu="2.17.1", protobuf="4.25.8", ml_dtypes="0.4.1", numpy="1.26.4")
    assert row(predict(make_machine, files=files, **earlier), "tensorflow") == WORKS
    files.pop(lists % "2.17.1")
    files[lists % "2.19.1"] = record(["tensorflow/__init__.py", loader[len(SITE) + 1 :]])
    assert row(predict(make_machine, files=files, **TF), "tensorflow") == WORKS


def elf(*needed):
    """Return the least of an ELF library that has these DT_NEEDED entries."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in needed)
    offsets, position = [], 1
    for name in needed:
        offsets.append(position)
        position += len(name) + 1
    dynamic = b"".join(struct.pack("<qQ", 1, offset) for offset in offsets)
    size = len(dynamic) + 48
    start = 64 + 2 * 56
    dynamic += struct.pack("<qQ", 5, start + size) + struct.pack("<qQ", 10, len(strings)) + struct.pack("<qQ", 0, 0)
    total = start + size + len(strings)
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, total, total, 4096)
    section = struct.pack("<IIQQQQQQ", 2, 6, start, start, start, size, size, 8)
    return (head + load + section + dynamic + strings).decode("latin-1")


def plugin(make_machine, text, **host):
    """Return what is predicted next to a file in tensorflow-plugins."""
    from devicekit.machine.simulated import SimulatedHost

    made = make_machine(
        python={"version": "3.12.1", "installed": dict(COMMON, **{"tensorflow-cpu": "2.19.1", "keras": "3.10.0"})},
        **host,
    )
    assert isinstance(made, SimulatedHost)
    made._add(SITE + "/tensorflow-plugins/libx_plugin.so", text.encode("latin-1"))
    return diagnose(read_machine(made))


def test_plug_ins_that_cannot_load(make_machine):
    cache = {"loader_cache": {"libc.so.6": "/lib/libc.so.6"}}
    assert row(plugin(make_machine, "garbage", **cache), "tensorflow") == (False, False, [], "install-corrupt")
    assert row(plugin(make_machine, "", **cache), "tensorflow") == (False, False, [], "install-corrupt")
    lacking = plugin(make_machine, elf("libc.so.6", "libimf.so"), **cache)
    assert row(lacking, "tensorflow") == (False, False, [], "dependency-incompatible")
    finding = lacking.by_code("dependency-incompatible")
    assert "libimf.so" in finding.summary
    assert "libc.so.6" not in finding.summary
    assert row(plugin(make_machine, elf("libc.so.6"), **cache), "tensorflow")[0] is True
    # Without the loader's cache no one can say what it would not find.
    assert row(plugin(make_machine, elf("libimf.so"), loader_cache={}), "tensorflow")[0] is True


TORCH = """Metadata-Version: 2.4
Name: torch
Version: 2.13.0
Requires-Dist: cuda-toolkit[cublas,nvjitlink]==13.0.3; platform_system == "Linux"
Requires-Dist: nvidia-cudnn-cu13==9.20.0.48; platform_system == "Linux"

"""


@pytest.mark.parametrize(
    "there, summary, command",
    [
        (("cudnn", "cublas", "nvjitlink"), None, None),
        (("cublas", "nvjitlink"), "libcudnn.so.9 not found.", "nvidia-cudnn-cu13==9.20.0.48"),
        (("cudnn", "cublas"), "libnvJitLink.so.13 not found.", '"cuda-toolkit[cublas,nvjitlink]==13.0.3"'),
        (("cudnn", "nvjitlink"), "libcublas.so.13 not found.", '"cuda-toolkit[cublas,nvjitlink]==13.0.3"'),
    ],
)
def test_libraries_that_pytorch_is_linked_with_are_needed_without_a_gpu_too(make_machine, there, summary, command):
    files = {SITE + "/torch/version.py": "__version__ = '2.13.0+cu130'\ncuda: Optional[str] = '13.0'\n"}
    files[SITE + "/torch-2.13.0.dist-info/METADATA"] = TORCH
    installed = dict(COMMON, torch="2.13.0", sympy="1.14.0", mpmath="1.3.0")
    installed.update({"nvidia-cudnn-cu13": "9.20.0.48"} if "cudnn" in there else {})
    python = {"version": "3.12.1", "installed": installed}
    host = make_machine(python=python, files=files, loader_cache={"libc.so.6": "/lib/x"})
    libraries = {
        "cudnn": ("nvidia/cudnn/lib/libcudnn.so.9", ()), "nvjitlink": ("nvidia/cu13/lib/libnvJitLink.so.13", ()),
        "cublas": ("nvidia/cu13/lib/libcublas.so.13", ()),
        "torch": ("torch/lib/libtorch_cuda.so", ("libcudnn.so.9", "libcublas.so.13", "libnvJitLink.so.13")),
    }  # fmt: skip
    for name, needs in [libraries[key] for key in ("torch", *there)]:
        host._add("%s/%s" % (SITE, name), elf(*needs).encode("latin-1"))
    diagnosis = diagnose(read_machine(host))
    assert row(diagnosis, "torch")[0] is (summary is None)
    finding = diagnosis.by_code("cuda-library-missing")
    assert (finding is None) == (summary is None)
    if finding is not None:
        assert finding.summary.endswith(summary)
        assert finding.fix[0].command.endswith("pip install " + command)


def test_nothing_is_installed(make_machine):
    diagnosis = diagnose(read_machine(make_machine(python={"version": "3.12.1"})))
    assert row(diagnosis, "tensorflow") == (False, False, [], "framework-missing")
    first = diagnose(read_machine(make_machine(python={"version": "3.7.1", "installed": {"tensorflow": "1.15.5"}})))
    assert first.framework("tensorflow") is not None


def test_what_is_not_known_is_said(make_machine):
    diagnosis = predict(make_machine, **dict(TF, tensorflow_cpu="2.99.0"))
    assert row(diagnosis, "tensorflow")[:2] == (None, None)
    undecided = {item.code: item.because for item in diagnosis.not_evaluated}
    for code in ("numpy-incompatible", "protobuf-incompatible", "keras-incompatible"):
        assert "2.99.0" in undecided[code]
