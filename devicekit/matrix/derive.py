"""Rows of the bundled data from what the package registry lists and wheels contain. Pure.

`tools/refresh_matrix.py` makes the bundled rows with it, `devicekit.runtime.index` those of releases that are newer.
"""

import json
import re
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Set, Tuple

from packaging.requirements import Requirement
from packaging.utils import InvalidSdistFilename, canonicalize_name, parse_sdist_filename
from packaging.version import InvalidVersion, Version

from .matrix import minor_of, read_data
from .projects import python_order, set_id
from .wheel_files import wheel_tags

#: (python, platform) pairs: ``("cp311", "win_amd64")``.
Tags = Tuple[Tuple[str, str], ...]

#: Platforms for which no framework of ours has wheels.
_OTHER_PLATFORM = re.compile(
    r"musllinux|win32|i686|i386|s390x|ppc64|armv|riscv|loongarch|fat|universal$|android|ios|emscripten|wasm|pyodide"
)

#: As build tools write it: names are shown to users.
_FILENAME = re.compile(r"[A-Za-z0-9._+!-]{1,300}\Z")

#: Fields of TensorFlow's build_info.py -> fields of a build here.
_FIELDS = {"cuda_version": "cuda", "cudnn_version": "cudnn", "cuda_compute_capabilities": "capabilities"}

#: What a wheel states of its CUDA, and what its library opens (seen in the names that it asks the loader for).
_LIES = {("1.15", "10"): "10.0", ("2.0", "10"): "10.0", ("2.2", "10"): "10.1"}


class Link(NamedTuple):
    """A file that the registry lists.

    Attributes
    ----------
    filename, url : str
    yanked : bool
    metadata : bool
        Whether its METADATA is served next to it (PEP 658).
    size : int
        In bytes, 0 if the registry does not say.
    requires_python : str
        As its metadata declare it, "" if it is not listed.
    """

    filename: str
    url: str = ""
    yanked: bool = False
    metadata: bool = False
    size: int = 0
    requires_python: str = ""


#: The files of a release that count, each with its tags.
Files = Sequence[Tuple[Link, Tags]]


def project_rules() -> Dict[str, Dict[str, Any]]:
    """Return how each project is read: name -> its row of `data/project_rules.json`."""
    return {name: row for row in read_data("project_rules")["rows"] for name in row["projects"]}


def releases_of(links: Sequence[Link], rule: Mapping[str, Any]) -> Dict[str, List[Tuple[Link, Tags]]]:
    """Return version -> its files with their tags, oldest first, of the releases that a rule keeps."""
    files: Dict[str, List[Tuple[Link, Tags]]] = {}
    for link in links:
        version, tags = _version_and_tags(link.filename, bool(rule.get("sources")))
        if tags:
            files.setdefault(version, []).append((link, tags))
    for version, items in files.items():
        # A source archive counts if there is no wheel: an installer makes one.
        wheels = [item for item in items if item[0].filename.endswith(".whl")]
        files[version] = wheels or items[:1]
    versions = {}
    for text in files:
        try:
            version_ = Version(text)
        except InvalidVersion:
            continue
        # A local version ("2.9.0+cu128") is a build of another index.
        if (version_ >= Version(rule["since"]) or text in rule.get("pinned", ())) and version_.local is None:
            versions[text] = version_
    if rule["keep"] in ("final", "newest"):
        versions = {text: version for text, version in versions.items() if not version.is_prerelease}
    if rule["keep"] in ("newest", "nightly"):
        newest = newest_of_minors(files, versions)
        keep = set(newest.values()) | set(rule.get("pinned", ()))
        if rule["keep"] == "newest":
            # An older patch release with other wheels than the newest one is its own row.
            for text, version_ in versions.items():
                like = newest.get(version_.release[:2])
                if like and not is_yanked(files[text]) and pairs_of(files[text]) != pairs_of(files[like]):
                    keep.add(text)
        versions = {text: version for text, version in versions.items() if text in keep}
    return {text: files[text] for text in sorted(versions, key=lambda item: versions[item])}


def newest_of_minors(files: Mapping[str, Files], versions: Mapping[str, Version]) -> Dict[Tuple[int, ...], str]:
    """Return (major, minor) -> the newest release of it that is not yanked."""
    order = sorted(versions, key=lambda text: versions[text])
    return {versions[text].release[:2]: text for text in order if not is_yanked(files[text])}


def with_same(row: Mapping[str, Any], fields: Mapping[str, str]) -> Dict[str, Any]:
    """Return a row with these fields of patch releases that have its wheels, and no other ones."""
    parts = {key: value for key, value in row.items() if not key.startswith("same") and key != "builds"}
    return dict(parts, **fields, builds=row["builds"])


def pairs_of(files: Files) -> Set[Tuple[str, str]]:
    """Return the (python, platform) pairs of a release's files."""
    return {pair for _, pairs in files for pair in pairs}


def _version_and_tags(filename: str, sources: bool) -> Tuple[str, Tags]:
    """Return the version of a file, and its tags: none if it does not count."""
    if not _FILENAME.match(filename):
        return "", ()
    if filename.endswith(".tar.gz") and sources:
        try:
            return str(parse_sdist_filename(filename)[1]), (("py3", "any"),)
        except (InvalidSdistFilename, InvalidVersion):
            return "", ()
    parsed = wheel_tags(filename)
    if parsed is None:
        return "", ()
    # On macOS "intel" was 32 and 64 bit in one file.
    pairs = {(python, re.sub(r"_intel$", "_x86_64", platform)) for python, platform in parsed[2]
             if not _OTHER_PLATFORM.search(platform)}  # fmt: skip
    return parsed[1], tuple(sorted(pairs))


def is_yanked(files: Files) -> bool:
    """Return whether a release was withdrawn: all its files."""
    return all(link.yanked for link, _ in files)


def grouped(tags: Sequence[Tuple[str, str]]) -> Dict[str, str]:
    """Return platform -> "cp39 cp310", of (python, platform) pairs.

    >>> grouped([("cp310", "win_amd64"), ("cp39", "win_amd64")])
    {'win_amd64': 'cp39 cp310'}
    """
    pythons: Dict[str, Set[str]] = {}
    for python, platform in tags:
        pythons.setdefault(platform, set()).add(python)

    return {platform: " ".join(sorted(pythons[platform], key=python_order)) for platform in sorted(pythons)}


def ungrouped(wheels: Mapping[str, str]) -> Set[Tuple[str, str]]:
    """Return the (python, platform) pairs of `grouped`."""
    return {(python, platform) for platform, pythons in wheels.items() for python in pythons.split()}


def chosen_files(files: Files, rule: Mapping[str, Any]) -> List[Link]:
    """Return which files of a release a rule reads: all, one of each platform, or one."""
    if rule["read"] == "all":
        return [link for link, _ in files]
    if rule["read"] == "platform":
        return list({pairs[0][1]: link for link, pairs in files}.values())
    return [files[-1][0]]


def wanted_requirements(requires: Sequence[str], extras: Sequence[str]) -> List[str]:
    """Return the requirements that hold always, or for one of the extras that matter, in one spelling.

    >>> wanted_requirements(["a (<2,>=1)", "b; extra == 'x'", "c; extra == 'y'"], ["x"])
    ['a<2,>=1', 'b; extra == "x"']
    """
    result = set()
    for text in requires:
        named = re.findall(r"""extra\s*==\s*['"]([^'"]+)['"]""", text)
        if not named or "*" in extras or any(name in extras for name in named):
            requirement = Requirement(text)
            requirement.name = canonicalize_name(requirement.name)
            result.add(str(requirement))
    return sorted(result)


def cuda_version(stated: str, minor: str) -> str:
    """Return a version of CUDA or cuDNN as it is usually written.

    >>> cuda_version("64_112", "2.10"), cuda_version("64_8", "2.10"), cuda_version("10", "2.2")
    ('11.2', '8', '10.1')
    """
    digits = re.match(r"64_(\d+)$", stated)  # Windows names the file: cudart64_112.dll
    if digits:
        text = digits.group(1)
        return text if len(text) < 3 else text[:-1] + "." + text[-1]
    return _LIES.get((minor, stated), stated)


def make_row(
    version: str,
    files: Files,
    readings: Mapping[str, Mapping[str, Any]],
    rule: Mapping[str, Any],
    sets: Dict[str, List[str]],
) -> Dict[str, Any]:
    """Return the row of a release: wheels with equal contents are one build.

    Parameters
    ----------
    version : str
    files : sequence of (Link, tags)
    readings : mapping of str to mapping
        By file name, what was read in a wheel (`wheel_files`): ``requires_python``, ``requires`` and, if the wheel itself
        was read, ``build``, ``protobuf`` and ``plugins``; ``metadata_only`` if it was not.
    rule : mapping
        Of `project_rules`.
    sets : dict of str to list of str
        Lists of requirements by name; those of the row are entered.
    """
    builds: Dict[str, Tuple[Dict[str, str], List[Tuple[str, str]], List[str]]] = {}
    for link, pairs in files:
        reading = readings.get(link.filename) or _like(pairs, files, readings)
        build = _build(version, reading, rule)
        build = dict({"requires": set_id(wanted_requirements(reading["requires"], rule["extras"]), sets)}, **build)
        held = builds.setdefault(json.dumps(build, sort_keys=True), (build, [], []))
        held[1].extend(pairs)
        if link.filename in readings:
            held[2].append(link.filename)
    row: Dict[str, Any] = {"version": version}
    row["requires_python"] = ",".join(sorted({reading["requires_python"] for reading in readings.values()}))
    if is_yanked(files):
        row["yanked"] = True
    row["builds"] = [
        dict({"wheels": grouped(pairs)}, **build, source=sorted(sources)[-1])
        for build, pairs, sources in sorted(builds.values(), key=lambda item: sorted(item[1]))
    ]
    return row


def _build(version: str, reading: Mapping[str, Any], rule: Mapping[str, Any]) -> Dict[str, str]:
    """Return what a wheel was built for, as the fields of a row."""
    build: Dict[str, str] = {}
    info = reading.get("build") or {}
    for name, short in _FIELDS.items():
        if info.get(name):
            text = info[name] if isinstance(info[name], str) else " ".join(info[name])
            minor = minor_of(version)
            build[short] = cuda_version(text, minor) if short in ("cuda", "cudnn") else text
    if info:
        build["kind"] = "cuda" if info.get("is_cuda_build") else "rocm" if info.get("is_rocm_build") else "cpu"
    elif rule.get("protobuf") and not any(reading.get(name) for name in ("protobuf", "plugins", "metadata_only")):
        build["kind"] = "empty"
    for name in ("protobuf", "plugins"):
        if reading.get(name):
            build[name] = reading[name] if isinstance(reading[name], str) else " ".join(reading[name])
    if build.get("kind") not in ("cuda", None):
        for name in _FIELDS.values():
            build.pop(name, None)  # a CPU build that names a CUDA version has none of it
    return build


def _like(pairs: Tags, files: Files, readings: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the reading that stands for a wheel that was not read: of the same platform where there is one."""
    same = [
        readings[link.filename] for link, others in files if link.filename in readings and others[0][1] == pairs[0][1]
    ]
    return same[0] if same else next(iter(readings.values()))
