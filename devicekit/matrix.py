"""The compatibility matrix: what goes together. Data are JSON beside this file, each with its source and date.

Queries are typed and honest: a release that the matrix does not know is ``None``, never "incompatible".
"""

import json
import pkgutil
import posixpath
import re
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

__all__ = ["CudaRow", "DirectMlRow", "Matrix", "TensorFlowRow"]

#: Distributions that own the import package ``tensorflow``.
TENSORFLOW_OWNERS = (
    "tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-directml", "tensorflow-rocm", "tensorflow-macos",
    "tensorflow-intel", "tensorflow-cpu-aws", "intel-tensorflow", "tensorflow-aarch64", "tf-nightly", "tf-nightly-cpu",
    "tf-nightly-gpu",
)  # fmt: skip

#: Empty distributions of the name ``tensorflow`` that only require another one at the same version.
TENSORFLOW_REDIRECTS = ("tensorflow-intel", "tensorflow-cpu-aws", "tensorflow-macos")


@dataclass(frozen=True)
class TensorFlowRow:
    """What one minor release of TensorFlow needs. Ranges are version specifiers, "" means nothing is required."""

    minor: str
    python: str
    numpy: str
    protobuf: str
    keras: str
    linux_cuda: str
    linux_cudnn: str
    windows_gpu: bool


@dataclass(frozen=True)
class CudaRow:
    """A CUDA release: what TensorFlow opens of it by which name, and the oldest driver that can run it."""

    cuda: str
    libraries: Tuple[Tuple[str, str], ...]
    linux_driver: str
    windows_driver: str


@dataclass(frozen=True)
class DirectMlRow:
    """A distribution that brings DirectML to TensorFlow."""

    distribution: str
    version: str
    python: str
    tensorflow: str
    device_type: str
    systems: Tuple[str, ...]


class Matrix:
    """The bundled data, loaded file by file as they are asked for."""

    def __init__(self) -> None:
        self._tables: Dict[str, List[Dict[str, Any]]] = {}

    def _table(self, name: str) -> List[Dict[str, Any]]:
        if name not in self._tables:
            # pkgutil and not importlib.resources, whose interface differs on every Python from 3.7 on.
            content = pkgutil.get_data("devicekit", posixpath.join("data", name + ".json"))
            if content is None:
                raise FileNotFoundError("devicekit's own data/%s.json is gone: reinstall devicekit" % name)
            self._tables[name] = json.loads(content.decode("utf-8"))["rows"]
        return self._tables[name]

    def tensorflow_rows(self) -> Tuple[TensorFlowRow, ...]:
        """Return all known minor releases of TensorFlow, oldest first."""
        return tuple(TensorFlowRow(**row) for row in self._table("tensorflow"))

    def tensorflow(self, version: Optional[str]) -> Optional[TensorFlowRow]:
        """Return the row of a TensorFlow release, None where it is not known."""
        if not version:
            return None
        minor = ".".join(version.split(".")[:2])
        for row in self._table("tensorflow"):
            if row["minor"] == minor:
                return TensorFlowRow(**row)
        return None

    def cuda(self, version: Optional[str]) -> Optional[CudaRow]:
        """Return the row of a CUDA release ("12.5" or "12.5.1"), None where it is not known."""
        if not version:
            return None
        minor = ".".join(version.split(".")[:2])
        for row in self._table("cuda"):
            if row["cuda"] == minor:
                return CudaRow(row["cuda"], tuple(row["libraries"].items()), row["linux_driver"], row["windows_driver"])
        return None

    def directml(self) -> Tuple[DirectMlRow, ...]:
        """Return the distributions that bring DirectML to TensorFlow."""
        return tuple(DirectMlRow(**dict(row, systems=tuple(row["systems"]))) for row in self._table("directml"))


def accepts(specifier: str, version: str) -> Optional[bool]:
    """Return whether a version is in a range; None where the version is no version.

    Pre-releases count as what they are pre-releases of: a nightly build is used on purpose.
    """
    if not specifier:
        return True
    plain = _accepts_plain(specifier, version)
    if plain is not None:
        return plain
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion, Version

    try:
        return SpecifierSet(specifier).contains(Version(version), prereleases=True)
    except InvalidVersion:
        return None


_PLAIN_VERSION = re.compile(r"[0-9]+(\.[0-9]+)*$")


def _accepts_plain(specifier: str, version: str) -> Optional[bool]:
    """Answer for final releases and simple bounds, which is nearly always; None for everything else.

    `packaging` answers the rest. Its import alone would cost as much as all rules together on a machine where nothing is
    wrong.
    """
    if not _PLAIN_VERSION.match(version):
        return None
    found = tuple(map(int, version.split(".")))
    for part in specifier.split(","):
        operator, bound = part[:2], part[2:]
        if part[:1] == "<" and part[1:2].isdigit():
            operator, bound = "<", part[1:]
        if operator not in (">=", "<") or not _PLAIN_VERSION.match(bound):
            return None
        limit = tuple(map(int, bound.split(".")))
        width = max(len(found), len(limit))
        left, right = found + (0,) * (width - len(found)), limit + (0,) * (width - len(limit))
        if (left < right) if operator == ">=" else (left >= right):
            return False
    return True


def version_at_least(version: str, least: str) -> Optional[bool]:
    """Return whether a dotted version (of a driver, say) is at least another; None where it has no numbers."""
    numbers = _numbers(version)
    return numbers >= _numbers(least) if numbers else None


def _numbers(version: str) -> Tuple[int, ...]:
    result = []
    for part in version.split("."):
        if not part.isdigit():
            break
        result.append(int(part))
    return tuple(result)
