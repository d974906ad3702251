"""What the package registry holds of a project: its releases, their wheels and what those declare. Pure data, typed."""

import copy
import re
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Dict, FrozenSet, Iterable, List, Mapping, NamedTuple, Optional, Tuple

#: A final release in the spelling of the data.
_FINAL_VERSION = re.compile(r"\d{1,9}(\.\d{1,9})*(\.post\d{1,9})?\Z")


class Build(NamedTuple):
    """Wheels of a release that have the same contents.

    Attributes
    ----------
    wheels : tuple of (str, tuple of str)
        Platform tag (``manylinux_2_17_x86_64``) and the Python tags (``cp311``; ``cp36+``: and every later one; ``py3``).
    requires : tuple of str
        Declared requirements, with markers; those of extras that matter included.
    kind : {"cuda", "rocm", "xpu", "cpu", "empty", ""}
        What it was built for. ``empty``: only requires another distribution. "" if nothing says it.
    cuda, cudnn : str
        Versions that it was built with, "" if it was not.
    capabilities : tuple of str
        GPU code in it: ``sm_80`` for machine code, ``compute_80`` for code that the driver compiles.
    protobuf : str
        Which protobuf made its generated code: a version, ``"builder"`` (3.20 or later) or ``"direct"`` (before).
    plugins : tuple of str
        Files that it puts into TensorFlow's folder of plug-ins.
    source : str
        A wheel in which this was read.
    """

    wheels: Tuple[Tuple[str, Tuple[str, ...]], ...]
    requires: Tuple[str, ...]
    kind: str
    cuda: str
    cudnn: str
    capabilities: Tuple[str, ...]
    protobuf: str
    plugins: Tuple[str, ...]
    source: str

    @property
    def protobuf_needs(self) -> Tuple[str, str]:
        """The bounds of protobuf that its generated code has, and why; ("", "") where it has none."""
        if self.protobuf == "direct":
            return "<4", "its generated code is of a kind that protobuf 4 and later refuse"
        if self.protobuf == "builder":
            return ">=3.20", "its generated code uses what came with protobuf 3.20"
        if self.protobuf:
            return ">=" + self.protobuf, "its generated code was made by protobuf %s" % self.protobuf
        return "", ""

    @property
    def pythons(self) -> Tuple[str, ...]:
        """The Python tags of all its wheels, oldest first."""
        return tuple(sorted({tag for _, tags in self.wheels for tag in tags}, key=python_order))


class Release(NamedTuple):
    """One release of a project."""

    project: str
    version: str
    requires_python: str
    yanked: bool
    builds: Tuple[Build, ...]


class Project:
    """The releases of a project, oldest first; a release is read from its row when it is asked for.

    Parameters
    ----------
    data : dict
        Its section of the bundled file, or what `derive` makes.
    newer : dict or None
        ``requires`` and ``rows`` of releases that are not in the file, or that have changed since.

    Attributes
    ----------
    name, date : str
        ``date`` is the day on which a row of the file changed last.
    """

    def __init__(self, data: Dict[str, Any], newer: Optional[Dict[str, Any]] = None) -> None:
        self.name: str = data["project"]
        self.date: str = data["date"]
        requires = data["requires"]
        # A section of the bundled file numbers its lists, as its builds do.
        self._requires: Dict[Any, List[str]] = dict(enumerate(requires)) if isinstance(requires, list) else requires
        self._rows: Dict[str, Dict[str, Any]] = {row["version"]: row for row in data["rows"]}
        if newer:
            from packaging.version import Version

            self._requires = dict(self._requires, **newer["requires"])
            self._rows.update({row["version"]: row for row in newer["rows"]})
            self._rows = {version: self._rows[version] for version in sorted(self._rows, key=Version)}
        self._releases: Dict[str, Release] = {}
        #: Patch releases that were not read, with the one of the same minor release that has the same wheels.
        self._same: Dict[str, str] = {
            version: row["version"]
            for row in self._rows.values()
            for field in ("same", "same_yanked")
            for version in row.get(field, "").split()
            if version not in self._rows
        }
        #: Releases that the registry gives only to those who ask for exactly this one.
        self.yanked: FrozenSet[str] = frozenset(
            version
            for row in self._rows.values()
            for version in [row["version"]] * row.get("yanked", False) + row.get("same_yanked", "").split()
        )

    @property
    def unread(self) -> Mapping[str, str]:
        """Patch releases that are not in the data, with the known release that has the same wheels."""
        return MappingProxyType(self._same)

    def like(self, version: str) -> Optional[Release]:
        """Return the release that a version is taken to be like, None if nothing says that there is such a version.

        That is the release itself, or the one with the same wheels, or the newest known one of its minor release if the
        version is newer: it can have appeared after the data were made.
        """
        exact = self.release(self._same.get(version, version))
        if exact is None and _FINAL_VERSION.match(version):
            # "82.0" is 82.0.0 as well.
            other = version[:-2] if version.endswith(".0") else version + ".0"
            exact = self.release(self._same.get(other, other))
        if exact is not None or not _FINAL_VERSION.match(version):
            return exact
        wanted = sort_key(version)
        minor = [item for item in self._rows if sort_key(item)[:2] == wanted[:2]]
        return self.release(minor[-1]) if len(wanted) > 2 and minor and sort_key(minor[-1]) < wanted else None

    @property
    def versions(self) -> Tuple[str, ...]:
        """All versions, oldest first."""
        return tuple(self._rows)

    @property
    def data(self) -> Dict[str, Any]:
        """The lists of requirements by name, and the rows, as `derive` makes them."""
        sets: Dict[str, List[str]] = {}
        names = {key: set_id(requires, sets) for key, requires in self._requires.items()}
        rows = [
            dict(
                row,
                builds=[
                    dict(build, requires=names[build["requires"]], source=self._source(row["version"], build["source"]))
                    for build in row["builds"]
                ],
            )
            for row in self._rows.values()
        ]
        return {"project": self.name, "date": self.date, "requires": sets, "rows": rows}

    def withdrawn(self, versions: Iterable[str]) -> "Project":
        """Return the project as it is for those who get some of its releases only if they ask for exactly those."""
        other = copy.copy(self)
        other.yanked = self.yanked.union(versions)
        other._releases = {}
        return other

    def release(self, version: str) -> Optional[Release]:
        """Return a release, None if it is not known."""
        if version in self._releases:
            return self._releases[version]
        row = self._rows.get(version)
        if row is None:
            return None
        builds = tuple(self._build(version, item) for item in row["builds"])
        made = Release(self.name, version, row["requires_python"], version in self.yanked, builds)
        self._releases[version] = made
        return made

    def nearest(self, version: str) -> Optional[Release]:
        """Return the release that tells the most of a version that is not known.

        That is the newest of the same minor release, else the newest one before it, else the oldest of all.
        """
        exact = self.release(version)
        if exact is not None or not self._rows:
            return exact
        wanted = sort_key(version)
        same = [item for item in self._rows if sort_key(item)[:2] == wanted[:2]]
        before = same or [item for item in self._rows if sort_key(item) < wanted]
        return self.release((before or [next(iter(self._rows))])[-1])

    def _source(self, version: str, text: str) -> str:
        """Return the whole name of the file in which a build was read: the data leave out what all of them have."""
        return "%s-%s%s.whl" % (self.name.replace("-", "_"), version, text) if text.startswith("-") else text

    def _build(self, version: str, item: Dict[str, Any]) -> Build:
        return Build(
            wheels=tuple((platform, tuple(pythons.split())) for platform, pythons in item["wheels"].items()),
            requires=tuple(self._requires[item["requires"]]),
            kind=item.get("kind", ""),
            cuda=item.get("cuda", ""),
            cudnn=item.get("cudnn", ""),
            capabilities=tuple(item.get("capabilities", "").split()),
            protobuf=item.get("protobuf", ""),
            plugins=tuple(item.get("plugins", "").split()),
            source=self._source(version, item["source"]),
        )


def set_id(requires: List[str], sets: Dict[str, List[str]]) -> str:
    """Return the name of a list of requirements, which is entered into ``sets`` once however many releases share it."""
    import hashlib

    name = hashlib.sha256("\n".join(requires).encode("utf-8")).hexdigest()[:6]
    if sets.setdefault(name, requires) != requires:
        raise ValueError("two lists of requirements have the short name %s: make it longer" % name)
    return name


@lru_cache(maxsize=16384)
def sort_key(version: str) -> Tuple[int, ...]:
    """Return the numbers of a version, for rough ordering without a parser: 2.15.0.post1 comes after 2.15.0."""
    return tuple(int(number) for number in re.findall(r"\d{1,18}", version)[:4])


def python_order(tag: str) -> int:
    """Return the number in a Python tag, for ordering: cp39 comes before cp310."""
    return int(re.sub(r"\D", "", tag) or 0)
