"""What the files inside a framework's package say that it was built for. Read as text, never imported."""

import re
from typing import Any, Dict, Iterable, Tuple

from ..facts import Fact, FrameworkBuild, ImportPackage
from ..host import Host

__all__ = ["parse_build_info", "parse_version_header", "read_builds"]


def read_builds(host: Host, packages: Tuple[ImportPackage, ...]) -> Iterable[FrameworkBuild]:
    """Return the build of TensorFlow, where a package of that name would be imported from an installation."""
    by_name = {item.name: item for item in packages}
    # TensorFlow 1.15 keeps everything in tensorflow_core; `tensorflow` only forwards to it.
    package = by_name.get("tensorflow_core") or by_name.get("tensorflow")
    if package is None or package.kind != "package" or "tensorflow" not in by_name:
        return
    yield _read_tensorflow(host, package)


def _read_tensorflow(host: Host, package: ImportPackage) -> FrameworkBuild:
    folder = host.expand(package.location)
    path = host.join(folder, "python", "platform", "build_info.py")
    shown = host.scrub(path)
    values: Dict[str, Any] = {}
    problem = "build_info.py does not say"
    try:
        values = parse_build_info(host.read_text(path))
    except OSError as error:
        problem = error.strerror or type(error).__name__

    def flag(name: str) -> "Fact[bool]":
        value = values.get(name)
        return Fact.of(value, shown) if isinstance(value, bool) else Fact.unknown(problem, shown)

    def text(*names: str) -> "Fact[str]":
        for name in names:
            value = values.get(name)
            if isinstance(value, str) and value:
                return Fact.of(value, shown)
        # A plain CPU build names no version because there is none.
        return Fact.absent(shown) if values.get("is_cuda_build") is False else Fact.unknown(problem, shown)

    capabilities = values.get("cuda_compute_capabilities")
    return FrameworkBuild(
        package="tensorflow",
        location=package.location,
        version=_read_version(host, folder),
        cuda=flag("is_cuda_build"),
        rocm=flag("is_rocm_build"),
        cuda_version=text("cuda_version", "cuda_version_number"),
        cudnn_version=text("cudnn_version", "cudnn_version_number"),
        compute_capabilities=(
            Fact.of(tuple(capabilities), shown) if isinstance(capabilities, list) else Fact.unknown(problem, shown)
        ),
        directml=_read_directml(host, folder),
    )


def _read_directml(host: Host, folder: str) -> "Fact[bool]":
    for inside in (folder, host.join(folder, "python")):
        try:
            names = host.list_names(inside)
        except OSError as error:
            return Fact.unknown(host.scrub(str(error)), host.scrub(inside))
        if any(re.match(r"(lib)?directml\.[0-9a-f]+\.(so|dll)$", name.lower()) for name in names):
            return Fact.of(True, host.scrub(inside))
    return Fact.of(False, host.scrub(folder))


def _read_version(host: Host, folder: str) -> "Fact[str]":
    """The version from the C++ header that the wheel ships; from 2.21 on the header has no numbers any more."""
    path = host.join(folder, "include", "tensorflow", "core", "public", "version.h")
    for candidate in (path, host.join(host.path.dirname(path), "release_version.h")):
        try:
            version = parse_version_header(host.read_text(candidate))
        except OSError:
            continue
        if version:
            return Fact.of(version, host.scrub(candidate))
    return Fact.unknown("no header of the package says it", host.scrub(path))


def parse_version_header(text: str) -> str:
    """Return the version from TensorFlow's ``version.h``, "" where it is not in it.

    ::

        #define TF_MAJOR_VERSION 2
        #define TF_MINOR_VERSION 10
        #define TF_PATCH_VERSION 0
    """
    parts = [re.search(r"#define TF_%s_VERSION (\d+)" % part, text) for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(match.group(1) for match in parts if match) if all(parts) else ""


#: One entry of the dictionary (from 2.3 on), or one assignment (before).
_ENTRY = re.compile(r"""\(?'(\w+)', ('[^']*'|True|False|\[[^\]]*\])\)|^(\w+) = ("[^"]*"|'[^']*'|True|False)""", re.M)


def parse_build_info(text: str) -> Dict[str, Any]:
    """Return the values of TensorFlow's ``build_info.py``.

    ::

        build_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', 'compute_90']),
            ('cuda_version', '12.5.1'), ('is_cuda_build', True), ('is_rocm_build', False)])
        is_cuda_build = False
    """
    values: Dict[str, Any] = {}
    for entry in _ENTRY.finditer(text):
        name = entry.group(1) or entry.group(3)
        raw = entry.group(2) or entry.group(4)
        if raw in ("True", "False"):
            values[name] = raw == "True"
        elif raw.startswith("["):
            values[name] = re.findall(r"'((?:sm_|compute_)\d{2,4}[a-z]?|\d{1,3}\.\d{1,3})'", raw)
        else:
            values[name] = raw[1:-1]
    return values
