"""The bundled data: their shape, their sources, and that ranges have no gaps."""

import json
import os
import shutil
import subprocess

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from devicekit.diagnosis.codes import CODES, MEASURED_CODES, NOT_IN_LOGS
from devicekit.diagnosis.findings import PLATFORMS
from devicekit.diagnosis.frameworks import BACKENDS
from devicekit.logs.fixes.providers import PROVIDERS
from devicekit.matrix.gpu_names import capability_of
from devicekit.matrix.gpu_support import needed_driver
from devicekit.matrix.matrix import Matrix, accepts, version_at_least

#: That of the checkout: an installed package leaves out the sources.
FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "devicekit", "matrix", "data")
SPECIFIER = {"type": "string", "pattern": r"^$|^(>=|<|==|!=|~=)[0-9.]+(,(>=|<|==|!=|~=)[0-9.]+)*$"}
TEXT = {"type": "string", "minLength": 1}
VERSION = {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)*(\.post[0-9]+)?$"}
CAPABILITY = {"type": "string", "pattern": r"^\d+\.\d$"}


def names(pattern):
    return {"type": "object", "additionalProperties": {"type": "string", "pattern": pattern}, "minProperties": 6}


NAMES = {
    "type": "array",
    "items": {"type": "string", "pattern": r"^[A-Za-z0-9][\w.-]*(\[[\w-]+\])?\s?[<>=!~]?.*$"},
    "minItems": 1,
}
PATHS = {"type": "array", "items": {"type": "string", "pattern": r"^[\w./-]+$"}, "minItems": 1, "uniqueItems": True}

#: What bounds are about; the others are what frameworks need, measured alone with what they need themselves.
FRAMEWORKS = ("tensorflow", "keras", "jax", "torch")
FAILURE = {"type": "string", "pattern": r"^(import|arrays|dense|lstm|convolution|hdf5|tensorboard): ."}

#: The words of a command.
WORDS = {"type": "array", "items": {"type": "string", "pattern": r"^\S+$"}, "minItems": 1}

ROWS = {
    "bounds": {
        "project": {"enum": [*FRAMEWORKS, "h5py", "ml-dtypes", "optree", "scipy", "tensorboard"]},
        "release": VERSION,
        "python": {"type": "string", "pattern": r"^3\.\d+$"},
        "dependency": {"type": "string", "pattern": r"^[a-z0-9-]+$"},
        "with": {"enum": ["jax", "torch"]},
        "oldest": VERSION,
        "newest": VERSION,
        "below": VERSION,
        "below_fails": FAILURE,
        "above": VERSION,
        "above_fails": FAILURE,
        "import_below": VERSION,
        "import_below_fails": FAILURE,
        "import_above": VERSION,
        "import_above_fails": FAILURE,
        "imports_below": VERSION,
        "imports_above": VERSION,
        "without": {"type": "string", "pattern": r"^(ok$|(import|arrays|dense|lstm|convolution|hdf5|tensorboard): .)"},
    },
    "driver_installs": {
        "ids": {"type": "array", "items": {"type": "string", "pattern": r"^[a-z-]+$"}, "minItems": 1},
        "versions": {"type": "string", "pattern": r"^([<>=]=?[\d.]+(,[<>=]=?[\d.]+)*)?$"},
        "limit": {"type": "string", "pattern": r"^(\*|\d{3}|)$"},
        "newest": {"type": "string", "pattern": r"^(\d{3}|)$"},
        "commands": {"type": "array", "items": WORDS, "minItems": 1},
        "headers": WORDS,
        "compat": {"type": "array", "items": {"type": "string"}},
        "mok": {"type": "string", "pattern": "^(/|$)"},
        "needs": {"type": "string"},
        "source": {"type": "string", "pattern": "^https://"},
        "seen": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"},
    },
    "loads": {
        "minor": {"type": "string", "pattern": r"^\d+\.\d+$"},
        "numpy": SPECIFIER,
        "protobuf": SPECIFIER,
        "keras": SPECIFIER,
    },
    "project_rules": {
        "projects": {"type": "array", "items": TEXT, "minItems": 1, "uniqueItems": True},
        "read": {"enum": ["all", "platform", "one"]},
        "keep": {"enum": ["final", "newest", "nightly", "every"]},
        "since": VERSION,
        "extras": {"type": "array", "items": TEXT},
        "build": {"const": True},
        "protobuf": {"const": True},
        "sources": {"const": True},
    },
    "holds": {
        "projects": {"type": "array", "items": TEXT, "minItems": 1},
        "versions": SPECIFIER,
        "python": SPECIFIER,
        "goal": {"enum": ["", "cuda"]},
        "needs": {"type": "array", "items": TEXT},
        "because": TEXT,
        "seen": {"type": "string", "minLength": 10},
        "code": TEXT,
    },
    "libraries": {
        "tensorflow": {"type": "string", "pattern": r"^\d+\.\d+$"},
        "release": TEXT,
        "python": {"type": "string", "pattern": r"^3\.\d+$"},
        "libraries": {
            "type": "array",
            "items": {"type": "string", "pattern": r"^lib[\w-]+\.so[0-9.]*$"},
            "minItems": 7,
        },
    },
    "cuda": {
        "cuda": TEXT,
        "libraries": names(r"^lib\w+\.so\.[0-9.]+$"),
        "windows_libraries": names(r"^\w+64_\d+\.dll$"),
        "linux_driver": VERSION,
        "windows_driver": VERSION,
        "own_linux_driver": {"type": "string", "pattern": r"^[0-9.]*$"},
        "own_windows_driver": {"type": "string", "pattern": r"^[0-9.]*$"},
        "oldest_capability": CAPABILITY,
        "newest_capability": CAPABILITY,
    },
    "cudnn": {
        "versions": SPECIFIER,
        "library": TEXT,
        "windows_library": TEXT,
        "cuda": {"type": "array", "items": VERSION, "minItems": 1},
        "oldest_capability": CAPABILITY,
    },
    "architectures": {
        "architecture": TEXT,
        "oldest": CAPABILITY,
        "newest": CAPABILITY,
        "last_driver": {"type": "string", "pattern": r"^(\d{3})?$"},
        "next_driver": {"type": "string", "pattern": r"^(\d{3})?$"},
    },
    "overlaps": {
        "file": {"type": "string", "pattern": r"^[\w./-]+$"},
        "writers": {"type": "object", "additionalProperties": SPECIFIER, "minProperties": 2},
    },
    "gpu_models": {
        "maker": {"enum": ["nvidia", "amd", "intel", "apple"]},
        "target": {"type": "string", "pattern": r"^(\d+\.\d|gfx[0-9a-f]+|Gen\d|Xe[2-9]?-(LP|LPG|LPG\+|HPG|HPC)|)$"},
        "platform": {"enum": ["", "linux-aarch64", "macos-arm64"]},
        "before": {"type": "string"},
        "models": TEXT,
        "after": {"type": "string"},
    },
    "indexes": {
        "project": TEXT,
        "goal": {"enum": ["cpu", "cuda", "rocm", "xpu"]},
        "url": {"type": "string", "pattern": r"^https://\S+/(cpu|xpu|cu\d{3}|rocm\d[0-9.]+)$"},
        "versions": SPECIFIER,
        "platforms": {"type": "string", "pattern": r"^(linux|windows)-\w+( (linux|windows)-\w+)*$"},
        "cuda": {"type": "string", "pattern": r"^(\d+\.\d+)?$"},
        "code": {"type": "string"},
    },
    "makers": {
        "framework": {"enum": ["tensorflow", "jax", "torch"]},
        "goal": {"enum": ["rocm", "jetson", "metal", "xpu"]},
        "system": {"enum": ["linux", "windows", "macos"]},
        "what": TEXT,
        "url": {"type": "string", "pattern": r"^https://"},
    },
    "windows_gpu": {
        "maker": {"enum": ["", "amd", "intel"]},
        "goal": {"enum": ["rocm", "xpu", "directml"]},
        "wsl": {"type": "boolean"},
        "targets": {"type": "array", "items": {"type": "string", "pattern": r"^(gfx[0-9a-f]+|Xe\S*)$"}},
        "gpus": {"type": "string"},
        "windows_build": {"type": "integer"},
        "frameworks": {"type": "array", "items": {"enum": ["tensorflow", "keras", "jax", "torch"]}, "minItems": 1},
        "what": TEXT,
        "resolve": {"type": "string"},
        "url": {"type": "string", "pattern": r"^https://"},
    },
    "gpu_code": {
        "framework": {"enum": ["jax", "torch"]},
        "versions": SPECIFIER,
        "cuda": {"type": "string", "pattern": r"^\d+(\.\d+)?$"},
        "capabilities": {"type": "string", "pattern": r"^(sm|compute)_\d+( (sm|compute)_\d+)*$"},
    },
    "compiled": {
        "tensorflow": {"type": "string", "pattern": r"^\d+\.\d+$"},
        "cudnn": {"type": "string", "pattern": r"^\d+\.\d+$"},
        "seen": {"type": "string", "minLength": 10},
    },
    "flags": {
        "variable": {"enum": ["TF_JITRT_FLAGS", "TF_XLA_FLAGS"]},
        "flag": {"type": "string", "pattern": r"^[a-z][a-z0-9_]+$"},
        "takes": {"enum": ["switch", "number", "text"]},
    },
    "rocm": {
        "tensorflow_rocm": VERSION,
        "rocm": VERSION,
        "kernel_drivers": {"type": "array", "items": VERSION},
        "gfx": {"type": "array", "items": {"type": "string", "pattern": r"^gfx[0-9a-f]+$"}},
    },
    "plugins": {
        "distribution": TEXT,
        "versions": SPECIFIER,
        "loads": SPECIFIER,
        "seen": {"type": "string", "minLength": 10},
    },
    "defects": {
        "name": {"type": "string", "pattern": r"^[a-z0-9][a-z0-9.-]+$"},
        "effect": {"enum": ["wrong-values", "fails", "refused", "crashes"]},
        "status": {"enum": ["confirmed", "reported"]},
        "severity": {"enum": ["warning", "info"]},
        "frameworks": {"type": "object", "propertyNames": {"enum": list(BACKENDS)}, "additionalProperties": SPECIFIER},
        "platforms": {"type": "array", "items": {"enum": ["cpu", *PLATFORMS]}, "minItems": 1},
        "libraries": {"type": "object", "additionalProperties": SPECIFIER},
        "capabilities": SPECIFIER,
        "code": {"enum": ["compiled"]},
        "gfx": {"type": "array", "items": {"type": "string", "pattern": r"^gfx[0-9a-f]+$"}},
        "chips": {"type": "array", "items": TEXT},
        "instructions": {"type": "array", "items": {"type": "string", "pattern": r"^[a-z0-9_]+$"}},
        "gpus": {"type": "integer", "minimum": 2},
        "without": {"type": "array", "items": {"type": "string", "pattern": r"^[A-Z_]+$"}},
        "what": {"type": "string", "pattern": r"^\S.*[^.]$"},
        "do": {"type": "string", "pattern": r"^[A-Z].*[^.]$"},
        "requirements": {"type": "array", "items": TEXT},
        "set": {"type": "string", "pattern": r"^$|^[A-Z_]+=\S+$"},
        "sources": {"type": "array", "items": {"type": "string", "pattern": r"^https://\S+$"}, "minItems": 1},
    },
    "directml": {
        "distribution": TEXT,
        "version": TEXT,
        "python": SPECIFIER,
        "tensorflow": {"type": "string"},
        "device_type": {"enum": ["DML", "GPU", "privateuseone"]},
        "systems": {"type": "array", "items": {"enum": ["windows", "linux"]}},
        "windows_build": {"type": "integer", "minimum": 10240},
        "wsl_build": {"type": "integer", "minimum": 10240},
    },
    "runpaths": {
        "versions": SPECIFIER,
        "folders": {"type": "array", "items": {"type": "string", "pattern": r"^nvidia/\w+/lib$"}, "uniqueItems": True},
    },
    "opened": {
        "opener": {"type": "string", "pattern": r"^xla_cuda\d+$"},
        "names": {"type": "array", "items": {"type": "string", "pattern": r"^lib\w+\.so\.\d+$"}, "minItems": 5},
    },
    "imports": {
        "projects": NAMES,
        "versions": SPECIFIER,
        "python": SPECIFIER,
        "backend": {"enum": ["", "tensorflow", "jax", "torch", "numpy", "openvino"]},
        "needs": NAMES,
        "breaks": {"enum": ["import", "keras"]},
        "because": TEXT,
        "code": {"enum": ["", *CODES, *MEASURED_CODES]},
        "seen": {"type": "string", "minLength": 10},
    },
    "instructions": {
        "projects": NAMES,
        "versions": SPECIFIER,
        "architecture": {"enum": ["x86_64", "aarch64"]},
        "needs": {"type": "array", "items": {"type": "string", "pattern": r"^[a-z][a-z0-9_]+$"}, "minItems": 1},
        "ends": {"enum": ["kills", "raises"]},
        "instead": {"type": "array", "items": TEXT},
        "seen": {"type": "string", "minLength": 10},
    },
    "memory": {
        "projects": NAMES,
        "versions": SPECIFIER,
        "tried": TEXT,
        "killed_bytes": {"type": "integer", "minimum": 0},
        "resident_bytes": {"type": "integer", "minimum": 1 << 20},
        "address_space_bytes": {"type": "integer", "minimum": 0},
    },
    "peaks": {
        "name": TEXT,
        **{name: {"type": "number", "minimum": 1.0} for name in ("float32", "tf32", "float16", "bfloat16")},
        "source": {"type": "string", "pattern": "^https://"},
    },
    "spared": {"projects": NAMES, "versions": SPECIFIER, "names": NAMES},
    "companions": {
        "projects": NAMES,
        "versions": SPECIFIER,
        "tensorflow": SPECIFIER,
        "fails": SPECIFIER,
        "jax": SPECIFIER,
        "needs": {"type": "array", "items": TEXT},
        "because": TEXT,
    },
    "unneeded": {
        "folders": PATHS,
        "files": PATHS,
        "modules": PATHS,
        "initialized": PATHS,
        "since": {"type": "object", "additionalProperties": {"type": "string", "pattern": r"^\d+\.\d+$"}},
    },
    "sonames": {"pattern": TEXT, "code": {"enum": ["harmless", *CODES, *MEASURED_CODES]}},
    "remedies": {
        "code": {"enum": [*CODES, *MEASURED_CODES]},
        "severity": {"enum": ["error", "warning", "info"]},
        "summary": {"type": "string", "pattern": r"^\S.*\.$"},
        "hides": {"type": "array", "items": {"enum": [*CODES, *MEASURED_CODES]}, "minItems": 1},
    },
}

#: Columns that a row may leave out.
OPTIONAL = {
    "defects": {"libraries", "capabilities", "code", "gfx", "chips", "instructions", "gpus", "without"},
    "remedies": {"hides"},
    "driver_installs": {"needs"},
    "peaks": {"tf32", "bfloat16"},
    "project_rules": {"build", "protobuf", "sources"},
    "bounds": {"with", "without", "imports_below", "imports_above"}
    | {name + end for name in ("below", "above", "import_below", "import_above") for end in ("", "_fails")},
}


def load(name):
    with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as stream:
        return json.load(stream)


def test_every_file_has_a_schema():
    files = [name[: -len(".json")] for name in os.listdir(FOLDER) if name.endswith(".json")]
    assert sorted(ROWS) == sorted(files)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_shape_source_and_date(name):
    required = sorted(set(ROWS[name]) - OPTIONAL.get(name, set()))
    row = {"type": "object", "properties": ROWS[name], "required": required, "additionalProperties": False}
    schema = {
        "type": "object",
        "properties": {
            "schema": {"const": 1},
            "date": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"},
            "source": {},
            "note": TEXT,
            "rows": {"type": "array", "items": row, "minItems": 1},
        },
        "required": ["schema", "date", "source", "rows"],
        "additionalProperties": False,
    }
    jsonschema.validate(load(name), schema)


def test_every_release_of_tensorflow_once_and_in_order():
    project = Matrix().project("tensorflow")
    released = [".".join(version.split(".")[:2]) for version in project.versions]
    minors = [row["minor"] for row in load("loads")["rows"]]
    assert minors == list(dict.fromkeys(released)), (
        "a row of loads.json for each minor release of tensorflow in projects.txt"
    )


def test_every_minor_release_with_a_build_for_cuda_was_traced():
    rows = Matrix().tensorflow_rows()
    assert [row["tensorflow"] for row in load("libraries")["rows"]] == [row.minor for row in rows if row.linux_cuda]


def test_what_was_traced_is_what_the_cuda_release_brings():
    """Two sources of the same names: the loader's trace of each TensorFlow, and the table by CUDA release."""
    matrix = Matrix()
    for row in matrix.tensorflow_rows():
        cuda, traced = matrix.cuda(row.linux_cuda), matrix.libraries(row.minor)
        assert cuda is not None
        others = ("libcuda.so", "libcudnn", "libnvinfer", "libnvidia-ml")
        assert {name for name in traced if not name.startswith(others)} <= {name for _, name in cuda.libraries}, (
            row.minor
        )
        cudnn = matrix.cudnn(row.linux_cudnn)
        assert cudnn is not None
        assert cudnn.library in traced, row.minor


def test_what_was_compiled_belongs_to_the_line_of_cudnn_that_is_opened():
    matrix = Matrix()
    for row in load("compiled")["rows"]:
        known = matrix.tensorflow(row["tensorflow"])
        assert known is not None
        assert row["cudnn"].split(".")[0] == known.linux_cudnn, row
    cuda = [row.minor for row in matrix.tensorflow_rows() if row.linux_cuda and row.minor not in ("1.15", "2.0")]
    assert [row["tensorflow"] for row in load("compiled")["rows"]] == cuda


def test_a_defect_has_a_name_of_its_own_and_only_confirmed_ones_are_stated_as_facts():
    rows = load("defects")["rows"]
    assert len({row["name"] for row in rows}) == len(rows)
    # What blocks a device, or says that something does not work, is not taken from users' reports alone.
    assert not [row["name"] for row in rows if row["effect"] in ("refused", "crashes") and row["status"] != "confirmed"]
    # Several users, or a maintainer: one report may be a mistake.
    single = [row["name"] for row in rows if row["status"] == "reported" and row["severity"] == "warning"]
    assert not [row["name"] for row in rows if row["name"] in single and len(row["sources"]) < 2]


def test_the_first_toolkit_for_a_gpu_says_which_driver_knows_it():
    """570 is the first branch for Blackwell, 455 for GeForce RTX 30 (NVIDIA's release notes of these drivers)."""
    need = {
        text: needed_driver("11.0", (text,), "linux", Matrix()).version for text in ("7.5", "8.0", "8.6", "9.0", "12.0")
    }
    assert need == {"7.5": "450.80.02", "8.0": "450.80.02", "8.6": "455", "9.0": "520", "12.0": "570"}
    assert needed_driver("12.5", ("12.0",), "windows", Matrix()).version == "572"
    assert needed_driver("12.5", ("12.0", "8.6"), "linux", Matrix()) == ("525.60.13", "for CUDA 12.5")
    assert needed_driver("12.2", ("9.0",), "linux", Matrix(), compiled=True).version == "535.104.05"


def test_every_flag_once():
    pairs = [(row["variable"], row["flag"]) for row in load("flags")["rows"]]
    assert len(set(pairs)) == len(pairs)


def test_lines_of_cudnn_have_no_gap_and_no_overlap():
    rows = [SpecifierSet(row["versions"]) for row in load("cudnn")["rows"]]
    for version in ("7.0", "7.6.5", "8.0", "8.7.0.84", "8.8", "8.9.7", "9.0", "9.10.2", "9.11", "9.28"):
        assert sum(version in bounds for bounds in rows) == 1, version


def test_every_gpu_that_is_known_by_name_has_its_architecture():
    matrix = Matrix()
    known = {row["target"] for row in load("gpu_models")["rows"] if row["maker"] == "nvidia"}
    assert [text for text in sorted(known) if matrix.architecture(text) is None] == []
    rows = load("architectures")["rows"]
    for before, after in zip(rows, rows[1:]):
        assert Version(before["newest"]) < Version(after["oldest"])
    for row in rows:
        assert bool(row["last_driver"]) == bool(row["next_driver"])
        assert (row["last_driver"] or "0") <= (row["next_driver"] or "9")


@pytest.mark.parametrize(
    "capability, before", [("3.5", "8.8"), ("3.7", "8.8"), ("5.0", "9.11"), ("7.0", "9.11"), ("7.5", ""), ("12.0", "")]
)
def test_from_which_cudnn_on_there_is_no_code(capability, before):
    assert Matrix().cudnn_before(capability) == before


def test_distributions_that_write_one_file_are_known_projects():
    matrix = Matrix()
    for row in load("overlaps")["rows"]:
        for name, bounds in row["writers"].items():
            versions = matrix.project(name).versions
            assert any(accepts(bounds, version) for version in versions), (row["file"], name)
    files = dict(matrix.overlaps("nvidia-cudnn-cu12"))
    assert set(files["nvidia/cudnn/lib/libcudnn.so.9"]) == {"nvidia-cudnn-cu%d" % major for major in (11, 12, 13)}
    assert matrix.overlaps("numpy") == ()


def test_gpu_code_of_every_pytorch_on_the_registry_is_known_once():
    matrix, rows = Matrix(), load("gpu_code")["rows"]
    project = matrix.project("torch")
    for version in project.versions:
        for build in project.release(version).builds:
            if build.kind == "cuda":
                known = [row for row in rows if row["framework"] == "torch" and row["cuda"] == build.cuda]
                assert sum(version in SpecifierSet(row["versions"]) for row in known) == 1, version
                assert matrix.gpu_code("torch", version, build.cuda)
    assert matrix.gpu_code("torch", "2.9.1", "10.2") == ()


def test_cuda_releases_only_move_forward():
    rows = load("cuda")["rows"]
    for before, after in zip(rows, rows[1:]):
        assert Version(before["cuda"]) < Version(after["cuda"])
        for column in ("linux_driver", "windows_driver", "oldest_capability", "newest_capability"):
            assert Version(before[column]) <= Version(after[column]), (column, after["cuda"])


@pytest.mark.parametrize(
    "name, capability",
    [
        ("NVIDIA GeForce RTX 4090", "8.9"), ("NVIDIA H100 80GB HBM3", "9.0"), ("Tesla T4", "7.5"), ("NVIDIA L4", "8.9"),
        ("Tesla V100-SXM2-16GB", "7.0"), ("NVIDIA GeForce GTX 1080 Ti", "6.1"), ("NVIDIA GeForce RTX 5090", "12.0"),
        ("NVIDIA RTX A6000", "8.6"), ("NVIDIA RTX 6000 Ada Generation", "8.9"), ("NVIDIA A10", "8.6"),
        ("NVIDIA A100-SXM4-40GB", "8.0"), ("NVIDIA GeForce GTX 1660 SUPER", "7.5"), ("NVIDIA GeForce GTX 970", "5.2"),
        ("NVIDIA B200", "10.0"), ("Quadro P2000", "6.1"), ("NVIDIA GeForce RTX 3060 Laptop GPU", "8.6"),
        ("NVIDIA H200", "9.0"), ("Tesla K80", "3.7"), ("NVIDIA Graphics of 2031", None),
    ],
)  # fmt: skip
def test_compute_capability_by_name(name, capability):
    assert capability_of(name, Matrix()) == capability


def test_python_ranges_only_move_forward():
    rows = Matrix().tensorflow_rows()
    known = ["3.%d" % minor for minor in range(5, 15)]
    newest = [max(known.index(v) for v in known if v in SpecifierSet(row.python)) for row in rows]
    assert newest == sorted(newest)


def test_plugins_of_metal_belong_to_one_tensorflow_each():
    matrix = Matrix()
    project = matrix.project("tensorflow-metal")
    assert project is not None
    for version in project.versions:
        assert len(matrix.holds("tensorflow-metal", version, "3.11")) == 1, version


def test_holds_name_codes_that_exist():
    known = set(CODES + MEASURED_CODES)
    assert {row["code"] for row in load("holds")["rows"]} <= known


def test_a_release_that_is_not_known_is_none():
    matrix = Matrix()
    assert matrix.tensorflow("9.9.9") is None
    assert matrix.tensorflow(None) is None
    assert matrix.tensorflow("2.10.1").numpy == ">=1.20,<2"
    assert matrix.cuda("99.0") is None


def test_every_code_that_a_log_shows_has_a_remedy_once():
    found = [row["code"] for row in load("remedies")["rows"]]
    assert len(set(found)) == len(found)
    assert set(CODES + MEASURED_CODES) - set(found) <= set(NOT_IN_LOGS)
    assert set(found) == set(PROVIDERS)


def test_nothing_hides_itself_and_no_two_hide_each_other():
    hides = {row["code"]: set(row.get("hides", ())) for row in load("remedies")["rows"]}
    for code, hidden in hides.items():
        assert code not in hidden
        for symptom in hidden:
            assert code not in hides.get(symptom, ()), (code, symptom)


@pytest.mark.parametrize(
    "library, code",
    [
        ("libcudart.so.12", "cuda-library-missing"),
        ("cublas64_11.dll", "cuda-library-missing"),
        ("libcudnn.so.8", "cudnn-missing"),
        ("cudnn64_8.dll", "cudnn-missing"),
        ("libcuda.so.1", "driver-missing"),
        ("nvcuda.dll", "driver-missing"),
        ("libnvinfer.so.7", "harmless"),
        ("libdevice.10.bc", "xla-toolchain-missing"),
        ("libamdhip64.so.6", "rocm-missing"),
        ("libd3d12.so", "directml-missing"),
        ("MSVCP140_1.dll", "msvc-runtime-missing"),
        ("libunheardof.so.1", "dependency-incompatible"),
    ],
)
def test_which_code_a_library_stands_for(library, code):
    from devicekit.logs.signatures import library_code

    assert library_code(library) == code
    assert library_code("/usr/lib/" + library) == code
    assert library_code("C:\\x\\" + library) == code


numbers = st.lists(st.integers(0, 30), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))


@given(
    numbers,
    st.lists(st.tuples(st.sampled_from([">=", "<", "<=", ">", "==", "!=", "~="]), numbers), min_size=1, max_size=3),
)
def test_plain_versions_are_compared_as_packaging_compares_them(version, bounds):
    # "~=1" is no specifier.
    bounds = [
        (operator, bound + ".0" if operator == "~=" and "." not in bound else bound) for operator, bound in bounds
    ]
    specifier = ",".join(operator + bound for operator, bound in bounds)
    assert accepts(specifier, version) is SpecifierSet(specifier).contains(version)


@given(st.text(alphabet="0123456789.rc+-ab", max_size=8))
def test_odd_versions_are_left_to_packaging(version):
    assert accepts(">=1.0,<2", version) in (True, False, None)


def test_versions():
    assert accepts("<2", "1.26.4") is True
    assert accepts("<2", "2.0.0") is False
    assert accepts("", "anything") is True
    assert accepts("<2", "not a version") is None
    assert accepts(">=2.20", "2.21.0.dev20260101") is True
    assert version_at_least("550.54.15", "525.60.13") is True
    assert version_at_least("450.51", "450.80.02") is False
    assert version_at_least("unknown", "1") is None


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_clone_on_windows_has_the_same_bytes(tmp_path):
    """Git for Windows, as it comes, ends lines by CR and LF: a package from such a clone would miss its pages and releases."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(FOLDER)))
    copied = (".gitattributes", "devicekit/diagnosis/codes.md", "devicekit/matrix/data/projects.txt", "pyproject.toml")
    before = {}
    for name in copied:
        target = tmp_path / os.path.basename(name)
        shutil.copy(os.path.join(root, *name.split("/")), str(target))
        before[target] = target.read_bytes()
    git = ("git", "-c", "core.autocrlf=true", "-C", str(tmp_path))
    for arguments in (("init", "-q"), ("add", ".")):
        subprocess.run([*git, *arguments], check=True)
    for target in before:
        target.unlink()
    subprocess.run([*git, "checkout", "-q", "--", "."], check=True)
    assert [target.name for target, content in before.items() if target.read_bytes() != content] == []
