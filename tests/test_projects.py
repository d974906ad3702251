"""The data derived from the wheels: their shape, that every source can be resolved, that nothing overlaps."""

import functools
import os

import jsonschema
from checks import for_each
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name, parse_sdist_filename, parse_wheel_filename
from packaging.version import Version

import devicekit
from devicekit.matrix.matrix import Matrix
from devicekit.matrix.projects import sort_key

FOLDER = os.path.join(os.path.dirname(os.path.abspath(devicekit.__file__)), "matrix", "data")
NAMES = Matrix().projects()
each_project = for_each("name", NAMES)
BUILD = {
    "type": "object",
    "properties": {
        "wheels": {
            "type": "object",
            "patternProperties": {
                r"^(any|win_\w+64|macosx_\d+_\d+_(x86_64|arm64|universal2)|(manylinux_\d+_\d+|linux)_(x86_64|aarch64))$": {
                    "type": "string",
                    "pattern": r"^(py3|cp3\d+\+?)( (py3|cp3\d+\+?))*$",
                }
            },
            "additionalProperties": False,
            "minProperties": 1,
        },
        "requires": {"type": "string", "pattern": r"^[0-9a-f]{6}$"},
        "kind": {"enum": ["cuda", "rocm", "cpu", "empty"]},
        "cuda": {"type": "string", "pattern": r"^\d+\.\d+(\.\d+)?$"},
        "cudnn": {"type": "string", "pattern": r"^\d+(\.\d+)*$"},
        "capabilities": {"type": "string", "pattern": r"^((sm|compute)_\d+)( (sm|compute)_\d+)*$"},
        "protobuf": {"type": "string", "pattern": r"^(direct|builder|\d+\.\d+\.\d+)$"},
        "plugins": {"type": "string"},
        "source": {"type": "string", "pattern": r"\.(whl|tar\.gz)$"},
    },
    "required": ["wheels", "requires", "source"],
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "properties": {
        "project": {"type": "string"},
        "date": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"},
        "requires": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
        "rows": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "version": {"type": "string"},
                    "requires_python": {"type": "string"},
                    "yanked": {"const": True},
                    "same": {"type": "string", "pattern": r"^\S+( \S+)*$"},
                    "same_yanked": {"type": "string", "pattern": r"^\S+( \S+)*$"},
                    "builds": {"type": "array", "items": BUILD, "minItems": 1},
                },
                "required": ["version", "requires_python", "builds"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["project", "date", "requires", "rows"],
    "additionalProperties": False,
}


@functools.lru_cache(maxsize=None)
def load(name):
    return Matrix().project(name).data


def test_the_sections_of_projects_are_in_order():
    assert list(NAMES) == sorted(set(NAMES))
    checkout = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # a wheel has another order
    with open(os.path.join(checkout, "devicekit", "matrix", "data", "projects.txt"), encoding="ascii") as stream:
        assert [line[2:-1] for line in stream if line.startswith("= ")] == list(NAMES)


def test_the_data_are_small():
    sizes = [os.path.getsize(os.path.join(FOLDER, name)) for name in os.listdir(FOLDER)]
    assert sum(sizes) < 1500000


@each_project
def test_shape(name):
    data = load(name)
    jsonschema.validate(data, SCHEMA)
    assert data["project"] == name
    used = {build["requires"] for row in data["rows"] for build in row["builds"]}
    assert used == set(data["requires"])
    for requires in data["requires"].values():
        assert [str(Requirement(text)) for text in requires] == sorted(requires)
    versions = [Version(row["version"]) for row in data["rows"]]
    assert versions == sorted(set(versions))


@each_project
def test_every_source_is_a_wheel_of_that_release_and_build(name):
    for row in load(name)["rows"]:
        for build in row["builds"]:
            if build["source"].endswith(".tar.gz"):
                assert parse_sdist_filename(build["source"]) == (name, Version(row["version"]))
                continue
            project, version, _, tags = parse_wheel_filename(build["source"])
            assert (canonicalize_name(project), version) == (name, Version(row["version"]))
            platforms = {tag.platform for tag in tags}
            shown = set(build["wheels"])
            # Old names of glibc versions are written as the new ones.
            same = platforms & shown or any(
                item.startswith(("manylinux", "macosx")) and other.startswith(("manylinux", "macosx"))
                for item in platforms
                for other in shown
            )
            assert same, build["source"]


@each_project
def test_no_wheel_is_in_two_builds(name):
    for row in load(name)["rows"]:
        seen = [
            (platform, python)
            for build in row["builds"]
            for platform, pythons in build["wheels"].items()
            for python in pythons.split()
        ]
        assert len(seen) == len(set(seen)), row["version"]


def test_every_minor_release_of_tensorflow_is_there():
    project = Matrix().project("tensorflow")
    minors = {".".join(version.split(".")[:2]) for version in project.versions}
    assert {"1.15"} | {"2.%d" % minor for minor in range(22)} <= minors


@for_each("name", ["tensorflow", "tensorflow-cpu"])
def test_pythons_of_a_release_have_no_gap(name):
    project = Matrix().project(name)
    for version in project.versions:
        tags = sorted({int(tag[3:]) for build in project.release(version).builds for tag in build.pythons})
        assert tags == list(range(tags[0], tags[-1] + 1)), version


def test_every_requirement_on_a_held_project_can_be_met():
    """A bound that no row meets would make a set look impossible: then the rows lack a release."""
    matrix = Matrix()
    # These name releases of which there never was a wheel: nothing can be installed then, and that is the answer.
    never = ("tensorrt", "tensorflow-intel", "tensorflow-cpu-aws", "jaxlib", "jax-cuda13-plugin", "jax-rocm7-plugin")
    missing = []
    for name in (
        "tensorflow",
        "tensorflow-cpu",
        "tensorflow-directml",
        "tensorflow-directml-plugin",
        "keras",
        "jax",
        "jaxlib",
    ):
        project = matrix.project(name)
        for version in project.versions:
            for build in project.release(version).builds:
                for text in build.requires:
                    requirement = Requirement(text)
                    held = matrix.project(canonicalize_name(requirement.name))
                    if held is None or held.name in never:
                        continue
                    if not any(requirement.specifier.contains(item, prereleases=True) for item in held.versions):
                        missing.append("%s %s: %s" % (name, version, text.partition(";")[0]))
    assert missing == []


def test_what_2_10_says():
    """One row by hand, against the wheel's own text."""
    release = Matrix().project("tensorflow").release("2.10.1")
    (linux,) = [build for build in release.builds if "manylinux_2_17_x86_64" in dict(build.wheels)]
    assert dict(linux.wheels)["manylinux_2_17_x86_64"] == ("cp37", "cp38", "cp39", "cp310")
    assert (linux.kind, linux.cuda, linux.cudnn, linux.protobuf) == ("cuda", "11.2", "8", "direct")
    assert linux.capabilities == ("sm_35", "sm_50", "sm_60", "sm_70", "sm_75", "compute_80")
    numpy = [Requirement(text) for text in linux.requires if text.startswith("numpy")]
    assert [item.specifier for item in numpy] == [SpecifierSet(">=1.20")]
    assert release.requires_python == ">=3.7"


def test_a_release_that_is_not_known_has_a_neighbour():
    project = Matrix().project("tensorflow")
    assert project.release("2.10.99") is None
    assert project.nearest("2.10.99").version == "2.10.1"
    assert project.nearest("3.0").version == project.versions[-1]
    assert project.nearest("0.1").version == project.versions[0]
    assert sort_key("2.15.0.post1") > sort_key("2.15.0")


def test_names_that_are_no_projects():
    matrix = Matrix()
    for name in ("unheard-of", "../cuda", "", "TensorFlow"):
        assert matrix.project(name) is None


def test_patch_releases_that_were_not_read_are_like_one_of_their_minor_release():
    for name in NAMES:
        project = Matrix().project(name)
        for version, like in project.unread.items():
            assert project.release(version) is None
            assert Version(version).release[:2] == Version(like).release[:2]
    numpy = Matrix().project("numpy")
    assert numpy.like("1.26.3").version == "1.26.4"
    assert numpy.like("1.26.4").version == "1.26.4"
    assert numpy.like("1.26.99").version == "1.26.4"  # it can appear tomorrow
    assert numpy.like("1.26").version == "1.26.4"
    assert Matrix().project("h5py").like("3.12.0").version == "3.12.1"
    assert "3.12.0" in Matrix().project("h5py").yanked
    for version in ("1.20.77.1rc2", "3.0", "99.0.0", "banana", "1.26.*", "2.0.0+local"):
        assert numpy.like(version) is None, version
    # All patch releases of this one were read or are named: one that is older than the newest and is not there does not exist.
    assert Matrix().project("tensorflow").like("2.16.0") is None
