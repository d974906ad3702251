"""The bundled data: their shape, their sources, and that ranges have no gaps."""

import json
import os

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

import devicekit
from devicekit.matrix import Matrix, accepts, version_at_least

FOLDER = os.path.join(os.path.dirname(os.path.abspath(devicekit.__file__)), "data")
SPECIFIER = {"type": "string", "pattern": r"^$|^(>=|<|==|!=|~=)[0-9.]+(,(>=|<|==|!=|~=)[0-9.]+)*$"}
TEXT = {"type": "string", "minLength": 1}
ROWS = {
    "tensorflow": {
        "minor": {"type": "string", "pattern": r"^\d+\.\d+$"},
        "python": SPECIFIER,
        "numpy": SPECIFIER,
        "protobuf": SPECIFIER,
        "keras": SPECIFIER,
        "linux_cuda": TEXT,
        "linux_cudnn": TEXT,
        "windows_gpu": {"type": "boolean"},
    },
    "cuda": {
        "cuda": TEXT,
        "libraries": {
            "type": "object",
            "additionalProperties": {"type": "string", "pattern": r"^lib\w+\.so\.[0-9.]+$"},
        },
        "linux_driver": {"type": "string", "pattern": r"^[0-9.]+$"},
        "windows_driver": {"type": "string", "pattern": r"^[0-9.]+$"},
    },
    "directml": {
        "distribution": TEXT,
        "version": TEXT,
        "python": SPECIFIER,
        "tensorflow": TEXT,
        "device_type": {"enum": ["DML", "GPU"]},
        "systems": {"type": "array", "items": {"enum": ["windows", "linux"]}},
    },
}


def load(name):
    with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as stream:
        return json.load(stream)


def test_every_file_has_a_schema():
    assert sorted(ROWS) == sorted(name[: -len(".json")] for name in os.listdir(FOLDER) if name.endswith(".json"))


@pytest.mark.parametrize("name", sorted(ROWS))
def test_shape_source_and_date(name):
    row = {"type": "object", "properties": ROWS[name], "required": sorted(ROWS[name]), "additionalProperties": False}
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
    minors = [row["minor"] for row in load("tensorflow")["rows"]]
    assert minors == ["1.15"] + ["2.%d" % minor for minor in range(22)]


def test_every_cuda_release_that_tensorflow_uses_is_there():
    matrix = Matrix()
    for row in matrix.tensorflow_rows():
        cuda = matrix.cuda(row.linux_cuda)
        assert cuda is not None
        assert {"cudart", "cublas", "cufft", "cusolver", "cusparse"} <= {stem for stem, _ in cuda.libraries}


def test_python_ranges_only_move_forward():
    rows = Matrix().tensorflow_rows()
    known = ["3.%d" % minor for minor in range(5, 15)]
    newest = [max(known.index(v) for v in known if v in SpecifierSet(row.python)) for row in rows]
    assert newest == sorted(newest)


def test_a_release_that_is_not_known_is_none():
    matrix = Matrix()
    assert matrix.tensorflow("9.9.9") is None
    assert matrix.tensorflow(None) is None
    assert matrix.tensorflow("2.10.1").numpy == ">=1.20,<2"
    assert matrix.cuda("99.0") is None


numbers = st.lists(st.integers(0, 30), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))


@given(numbers, st.lists(st.tuples(st.sampled_from([">=", "<"]), numbers), min_size=1, max_size=3))
def test_plain_versions_are_compared_as_packaging_compares_them(version, bounds):
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
