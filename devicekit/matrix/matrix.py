"""The compatibility matrix: what goes together. Data are JSON next to this file, each with its source and date.

Queries are typed and honest: a release that the matrix does not know is ``None``, never "incompatible".
"""

import copy
import functools
import json
import pkgutil
import re
from types import MappingProxyType
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from .projects import Build, Project, sort_key
from .tables import (
    ArchitectureRow,
    Bound,
    Companion,
    CudaRow,
    CudnnRow,
    Defect,
    DirectMlRow,
    DriverInstall,
    Hold,
    ImportMemory,
    ImportNeed,
    IndexRow,
    InstructionNeed,
    RocmRow,
    TensorFlowRow,
)

#: Distributions that own the import package ``tensorflow``.
TENSORFLOW_OWNERS = (
    "tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-directml", "tensorflow-rocm", "tensorflow-macos",
    "tensorflow-intel", "tensorflow-cpu-aws", "intel-tensorflow", "tensorflow-aarch64", "tf-nightly", "tf-nightly-cpu",
    "tf-nightly-gpu", "tensorflow-tpu",
)  # fmt: skip

#: What empty distributions of the name ``tensorflow`` (and ``tensorflow-cpu``) require at their own version.
TENSORFLOW_REDIRECTS = ("tensorflow-intel", "tensorflow-cpu-aws", "tensorflow-macos")

#: Endings of files that an import could need.
CODE_ENDINGS = (".py", ".so", ".pyd", ".dll", ".dylib")


class Matrix:
    """The bundled data, loaded file by file as they are asked for.

    Parameters
    ----------
    tables : mapping of str to list, optional
        Rows to take instead of those of a bundled file of that name.
    newer : mapping of str to dict, optional
        Of some projects, ``requires`` and ``rows`` of releases that the bundled data do not have.
    """

    def __init__(
        self,
        tables: Mapping[str, List[Dict[str, Any]]] = MappingProxyType({}),
        newer: Mapping[str, Dict[str, Any]] = MappingProxyType({}),
    ) -> None:
        self._tables: Dict[str, List[Dict[str, Any]]] = dict(tables)
        self._newer = newer
        self._bound_rows: Dict[Tuple[str, str], List[Dict[str, Any]]] = {}
        self._bounds: Dict[Tuple[str, str, str, str], Tuple[Bound, ...]] = {}
        self._projects: Dict[str, Optional[Project]] = {}
        #: Projects that are taken from an index of their own.
        self._replaced: Dict[str, Project] = {}
        self._holds: Dict[Tuple[str, str, str], Tuple[Hold, ...]] = {}
        self._defects: Dict[Tuple[str, str], Tuple[Defect, ...]] = {}
        self._driver_installs: Tuple[DriverInstall, ...] = ()

    def _table(self, name: str) -> List[Dict[str, Any]]:
        if name not in self._tables:
            rows: List[Dict[str, Any]] = read_data(name)["rows"]
            self._tables[name] = rows
        return self._tables[name]

    def _row(self, table: str, **wanted: str) -> Optional[Dict[str, Any]]:
        """The first row with these fields; of ``versions``, the first whose range has that one."""
        for row in self._table(table):
            if all(
                accepts(row[name], value) if name == "versions" else row[name] == value
                for name, value in wanted.items()
            ):
                return row
        return None

    def project(self, name: str) -> Optional[Project]:
        """Return the releases of a project on the package registry, None if the data hold nothing of it."""
        if name in self._replaced:
            return self._replaced[name]
        if name not in self._projects:
            section = read_project(name)
            self._projects[name] = Project(section, self._newer.get(name)) if section else None
        return self._projects[name]

    @property
    def date(self) -> str:
        """The day on which the bundled data were read from the package registry, as ``"2026-11-21"``."""
        return _releases().partition(b"\n")[0].split()[-1].decode("ascii")

    @property
    def consulted(self) -> Tuple[str, ...]:
        """The names of the projects that were asked for so far, of those that the data hold."""
        return tuple(name for name, project in self._projects.items() if project is not None)

    def projects(self) -> Tuple[str, ...]:
        """Return the names of all projects that the data hold, in alphabetical order."""
        return tuple(sorted(name.decode("ascii") for name in re.findall(rb"\n= (.+)", _releases())))

    def tensorflow_rows(self) -> Tuple[TensorFlowRow, ...]:
        """Return all known minor releases of TensorFlow, oldest first."""
        return tuple(self._tensorflow_row(row) for row in self._table("loads"))

    def tensorflow(self, version: Optional[str]) -> Optional[TensorFlowRow]:
        """Return the row of a TensorFlow release, None if it is not known."""
        if not version:
            return None
        row = self._row("loads", minor=minor_of(version))
        return self._tensorflow_row(row) if row else None

    def _tensorflow_row(self, row: Dict[str, Any]) -> TensorFlowRow:
        """Join what a minor release can load, which was tried, with what its wheels say that they were built for."""
        minor = row["minor"]
        tags: List[str] = []
        built: Dict[str, Build] = {}
        # Up to 2.0 the builds for GPUs were a distribution of their own.
        for name in ("tensorflow-gpu", "tensorflow") if minor in ("1.15", "2.0") else ("tensorflow",):
            project = self.project(name)
            for version in project.versions if project is not None else ():
                if project is None or not version.startswith(minor + "."):
                    continue
                release = project.release(version)
                assert release is not None
                for build in release.builds:
                    tags += [tag for _, pythons in build.wheels for tag in pythons]
                    if build.kind == "cuda":
                        for platform, _ in build.wheels:
                            built.setdefault(platform.partition("_")[0], build)
        numbers = sorted({int(tag[3:]) for tag in tags if tag.startswith("cp3")})
        linux = built.get("manylinux")
        return TensorFlowRow(
            minor=minor,
            python=">=3.%d,<3.%d" % (numbers[0], numbers[-1] + 1) if numbers else "",
            numpy=row["numpy"],
            protobuf=row["protobuf"],
            keras=row["keras"],
            # "12.5.1" says the same as "12.5": libraries are named by less.
            linux_cuda=".".join(linux.cuda.split(".")[:2]) if linux is not None else "",
            linux_cudnn=linux.cudnn if linux is not None else "",
            windows_gpu="win" in built,
        )

    def holds(self, project: str, version: str, python: str) -> Tuple[Hold, ...]:
        """Return what is known beyond the declared bounds of a release on a Python version."""
        key = (project, version, python)
        if key not in self._holds:
            rows = [row for row in self._table("holds") if _about(row["projects"], project)]
            self._holds[key] = tuple(
                Hold(
                    **dict(
                        row,
                        projects=tuple(row["projects"]),
                        needs=tuple(text.replace("{version}", version) for text in row["needs"]),
                    )
                )
                for row in rows
                if accepts(row["versions"], version) and accepts(row["python"], python)
            )
        return self._holds[key]

    def bounds(self, project: str, version: str, dependency: str = "", backend: str = "") -> Tuple[Bound, ...]:
        """Return between which versions of what it imports a release was tried; ``dependency``: of this one only."""
        if not self._bound_rows:
            for row in self._table("bounds"):
                self._bound_rows.setdefault((row["project"], _line(row["project"], row["release"])), []).append(row)
        owner = "tensorflow" if project in TENSORFLOW_OWNERS else project
        version = version.partition("+")[0]  # 2.2.2+cu121 is a build of 2.2.2
        if _PLAIN_VERSION.match(version) is None:
            return ()
        line = (owner, _line(owner, version))
        key = line + (dependency, backend)
        # A diagnosis asks some fifty times for the same ones.
        if key not in self._bounds:
            self._bounds[key] = tuple(
                Bound(*(row.get("with" if name == "backend" else name, "") for name in Bound._fields))
                for row in self._bound_rows.get(line, ())
                if dependency in ("", row["dependency"]) and row.get("with", "") == backend
            )
        return self._bounds[key]

    def is_measured(self, dependency: str) -> bool:
        """Return whether it was tried with which versions of a dependency the frameworks work."""
        return any(row["dependency"] == dependency for row in self._table("bounds"))

    def companion(self, project: str, version: str) -> Optional[Companion]:
        """Return with which TensorFlow a release of another project goes, None if its metadata say that."""
        for row in self._table("companions"):
            if project in row["projects"] and accepts(row["versions"], version):
                return Companion(row["tensorflow"], row["fails"], row["jax"], tuple(row["needs"]), row["because"])
        return None

    def imports(self, project: str, version: str, python: str) -> Tuple[ImportNeed, ...]:
        """Return what a release imports besides NumPy and protobuf, on a Python version."""
        return tuple(
            ImportNeed(tuple(row["needs"]), row["backend"], row["breaks"], row["because"], row["code"])
            for row in self._table("imports")
            if _about(row["projects"], project) and accepts(row["versions"], version) and accepts(row["python"], python)
        )

    def instructions(self, project: str, version: str, architecture: str) -> Tuple[InstructionNeed, ...]:
        """Return the instructions that the registry's wheels of a release cannot be imported without."""
        return tuple(
            InstructionNeed(tuple(row["needs"]), row["ends"], tuple(row["instead"]))
            for row in self._table("instructions")
            if row["architecture"] == architecture
            and _about(row["projects"], project)
            and accepts(row["versions"], version)
        )

    def peaks(self) -> List[Dict[str, Any]]:
        """Return how fast devices are at most; see `devicekit.matrix.gpu_names`."""
        return self._table("peaks")

    def import_memory(self, project: str, version: str) -> Optional[ImportMemory]:
        """Return how much memory the import of a release takes, None if none like it was tried."""
        for row in self._table("memory"):
            if _about(row["projects"], project) and accepts(row["versions"], version):
                names = ("tried", "killed_bytes", "resident_bytes", "address_space_bytes")
                return ImportMemory(*(row[name] for name in names))
        return None

    def needed(self, file: str, tensorflow: Optional[str]) -> bool:
        """Return whether a file of an installed package is needed to import it and to train.

        Parameters
        ----------
        file : str
            As RECORD names it.
        tensorflow : str or None
            The version of TensorFlow, where the file is one of TensorFlow's.
        """
        if not file.endswith(CODE_ENDINGS) and ".so." not in file:
            return False
        row = self._table("unneeded")[0]
        if (
            file in row["files"]
            or file in row["modules"]
            or any(file.startswith(item + "/") for item in row["folders"])
        ):
            return False
        folder, _, name = file.rpartition("/")
        inside = ("python/", "core/", "compiler/", "lite/", "tools/", "tsl/", "dtensor/")
        if name == "__init__.py" and folder.startswith(tuple("tensorflow/" + part for part in inside)):
            if folder not in row["initialized"]:
                return False  # it held nothing: the folder imports as a namespace
        since = row["since"].get(file)
        return not (since and tensorflow and version_at_least(tensorflow, since))

    def spared(self, project: str, version: str) -> Tuple[str, ...]:
        """Return the declared requirements without which a release can be imported and trained all the same (seen)."""
        found: List[str] = []
        for row in self._table("spared"):
            if _about(row["projects"], project) and accepts(row["versions"], version):
                found += row["names"]
        return tuple(found)

    def cuda(self, version: Optional[str]) -> Optional[CudaRow]:
        """Return the row of a CUDA release ("12.5" or "12.5.1"), None if it is not known."""
        if not version:
            return None
        row = self._row("cuda", cuda=minor_of(version))
        names = ("libraries", "windows_libraries")
        return CudaRow(**dict(row, **{name: tuple(row[name].items()) for name in names})) if row else None

    def first_toolkit(self, capability: str) -> Optional[CudaRow]:
        """Return the oldest known CUDA release that makes code for a compute capability, None if that is not known."""
        rows = self._table("cuda")
        for row in rows[1:]:  # what the oldest one supports, an older one may have supported too
            if _numbers(rows[0]["newest_capability"]) < _numbers(capability) <= _numbers(row["newest_capability"]):
                return self.cuda(row["cuda"])
        return None

    def libraries(self, tensorflow: str) -> Tuple[str, ...]:
        """Return which native libraries a release of TensorFlow for Linux asks the dynamic linker for, () if unknown."""
        row = self._row("libraries", tensorflow=minor_of(tensorflow))
        return tuple(row["libraries"]) if row else ()

    def search_folders(self, tensorflow: str) -> Tuple[str, ...]:
        """Return where a release of TensorFlow for Linux looks for CUDA's libraries next to itself, () if it does not."""
        row = self._row("runpaths", versions=tensorflow)
        return tuple(row["folders"]) if row else ()

    def opened(self, plugin: str) -> Tuple[str, ...]:
        """Return the libraries without which a CUDA plug-in of JAX (``xla_cuda12``) refuses the GPU, () for another."""
        row = self._row("opened", opener=plugin)
        return tuple(row["names"]) if row else ()

    def cudnn(self, version: str) -> Optional[CudnnRow]:
        """Return the line of cuDNN that a version belongs to, None if it is not known."""
        row = self._row("cudnn", versions=version)
        return CudnnRow(**dict(row, cuda=tuple(row["cuda"]))) if row else None

    def architecture(self, capability: str) -> Optional[ArchitectureRow]:
        """Return the generation of NVIDIA's GPUs that a compute capability belongs to, None if it is not known."""
        for row in self._table("architectures"):
            if accepts(">=%s,<=%s" % (row["oldest"], row["newest"]), capability):
                return ArchitectureRow(**row)
        return None

    def dropped_architectures(self, driver: str) -> Tuple[ArchitectureRow, ...]:
        """Return the generations of NVIDIA's GPUs that a driver no longer supports, as far as they are known."""
        rows = [ArchitectureRow(**row) for row in self._table("architectures")]
        return tuple(row for row in rows if row.next_driver and version_at_least(driver, row.next_driver))

    def overlaps(self, project: str) -> Tuple[Tuple[str, Dict[str, str]], ...]:
        """Return the files that wheels of a project write and wheels of others as well, with the versions of each."""
        return tuple((row["file"], row["writers"]) for row in self._table("overlaps") if project in row["writers"])

    def cudnn_before(self, capability: str) -> str:
        """Return from which cuDNN on there is no code for a compute capability, "" if all have some."""
        lines = [CudnnRow(**dict(row, cuda=tuple(row["cuda"]))) for row in self._table("cudnn")]
        later = [row.versions for row in lines if accepts("<%s" % row.oldest_capability, capability)]
        return later[0].partition(",")[0].replace(">=", "") if later else ""

    def compiled_cudnn(self, tensorflow: str) -> Tuple[str, str]:
        """Return with which cuDNN a release of TensorFlow for Linux was compiled, and where that was seen; ("", "")."""
        row = self._row("compiled", tensorflow=minor_of(tensorflow))
        return (row["cudnn"], row["seen"]) if row else ("", "")

    def gpu_code(self, framework: str, version: str, cuda: str) -> Tuple[str, ...]:
        """Return the GPU code (``sm_80``, ``compute_90``) in a build of JAX or PyTorch for a CUDA release, or ()."""
        row = self._row("gpu_code", framework=framework, cuda=cuda, versions=version)
        if row is None:  # a build of the makers' own index
            other = self._row("indexes", project=framework, goal="cuda", cuda=cuda, versions=version)
            return tuple(other["code"].split()) if other else ()
        return tuple(row["capabilities"].split())

    def rocm_code(self, framework: str, rocm: str) -> Tuple[str, ...]:
        """Return the targets that a build for a ROCm release may have code for, or ().

        A release without a row has some of those of the next one: they grew, but for the two that ROCm 6.4 dropped.
        """
        rows = [row for row in self._table("indexes") if (row["project"], row["goal"]) == (framework, "rocm")]
        later = [row for row in rows if accepts(">=%s" % rocm, row["url"].rpartition("rocm")[2]) is True]
        first = min(later, key=lambda row: sort_key(row["url"].rpartition("rocm")[2]), default=None)
        return tuple(first["code"].split()) if first else ()

    def flags(self, variable: str) -> Dict[str, str]:
        """Return the flags that TensorFlow reads from an environment variable, with what they take."""
        return {row["flag"]: row["takes"] for row in self._table("flags") if row["variable"] == variable}

    def rocm(self, tensorflow_rocm: str) -> Optional[RocmRow]:
        """Return what a release of tensorflow-rocm was built for, None if that is not known."""
        row = self._row("rocm", tensorflow_rocm=tensorflow_rocm)
        return _rocm_row(row) if row else None

    def newest_rocm(self, target: str) -> Optional[RocmRow]:
        """Return the newest release of tensorflow-rocm that runs on one of AMD's targets, None if none does."""
        rows = [row for row in self._table("rocm") if target in row["gfx"]]  # the oldest one first
        return _rocm_row(rows[-1]) if rows else None

    def indexes(self, project: str, goal: str, platform: str) -> Tuple[IndexRow, ...]:
        """Return the indexes of a project's own makers that have builds for a goal and a platform, the preferred first."""
        return tuple(
            IndexRow(**dict(row, code=tuple(row["code"].split()), platforms=tuple(row["platforms"].split())))
            for row in self._table("indexes")
            if (row["project"], row["goal"]) == (project, goal) and platform in row["platforms"].split()
        )

    def with_project(self, project: Project) -> "Matrix":
        """Return the same data with other releases of one project."""
        other = copy.copy(self)
        other._replaced = dict(self._replaced, **{project.name: project})
        return other

    def within(self, bounds: Mapping[str, str]) -> "Matrix":
        """Return the same data for an installer that accepts some projects within version specifiers only."""
        other = self
        for name, text in bounds.items():
            project = self.project(name)
            if project is not None:
                outside = [item for item in (*project.versions, *project.unread) if not accepts(text, item)]
                other = other.with_project(project.withdrawn(outside))
        return other

    def maker(self, framework: str, goal: str, system: str) -> str:
        """Return where a maker describes builds of its own, "" if that is not known."""
        row = self._row("makers", framework=framework, goal=goal, system=system)
        return "%s: %s (as of %s)" % (row["what"], row["url"], read_data("makers")["date"]) if row else ""

    def windows_gpu(self) -> Tuple[Dict[str, Any], ...]:
        """Return the ways to use a GPU of AMD or Intel on Windows, what serves best first: see `ways_on_windows`."""
        return tuple(self._table("windows_gpu"))

    def gpu_models(self) -> Tuple[Dict[str, str], ...]:
        """Return the GPUs on the market, of all makers: rows of models that code is built for in the same way."""
        return tuple(self._table("gpu_models"))

    def plugin_loads(self, distribution: str, version: str) -> str:
        """Return the releases of TensorFlow with which a plug-in's release can be loaded (seen), "" if unknown."""
        row = self._row("plugins", distribution=distribution, versions=version)
        return str(row["loads"]) if row else ""

    def defects(self, framework: str, version: str) -> Tuple[Defect, ...]:
        """Return what is known to go wrong with a release of a framework, under the conditions of each row."""
        key = (framework, version)
        if key not in self._defects:
            self._defects[key] = tuple(
                _defect(row)
                for row in self._table("defects")
                if framework in row["frameworks"] and accepts(row["frameworks"][framework], version)
            )
        return self._defects[key]

    def driver_installs(self) -> Tuple[DriverInstall, ...]:
        """Return how NVIDIA's driver is installed on Linux distributions, the better way first."""
        if not self._driver_installs:
            self._driver_installs = tuple(
                DriverInstall(
                    **dict(
                        row,
                        ids=tuple(row["ids"]),
                        commands=tuple(map(tuple, row["commands"])),
                        headers=tuple(row["headers"]),
                        compat=tuple(row["compat"]),
                    )
                )
                for row in self._table("driver_installs")
            )
        return self._driver_installs

    def directml(self) -> Tuple[DirectMlRow, ...]:
        """Return the distributions that bring DirectML to TensorFlow."""
        return tuple(DirectMlRow(**dict(row, systems=tuple(row["systems"]))) for row in self._table("directml"))


#: One for all that ask without a matrix of their own: what was read once is not read again.
BUNDLED = Matrix()


def read_data(name: str) -> Dict[str, Any]:
    """Return a table of the bundled data: ``"cuda"``."""
    return read_json("matrix/data", name)


def read_json(folder: str, name: str) -> Dict[str, Any]:
    """Return what a JSON file of the package holds: in a wheel a line of ``all.txt``, in a checkout the file itself."""
    bundle = _bundle(folder)
    return read_table(_line_of(bundle, name) if bundle else _content("%s/%s.json" % (folder, name)))


def read_table(content: bytes) -> Dict[str, Any]:
    """Return the content of a JSON file of the package; rows that a wheel has as columns are rows again."""
    data: Dict[str, Any] = json.loads(content.decode("utf-8"))
    if isinstance(data.get("rows"), dict):
        data["rows"] = from_columns(data["rows"])
    return data


def is_bundled(folder: str) -> bool:
    """Return whether this is a wheel, which has the JSON files of a folder in one."""
    return bool(_bundle(folder))


@functools.lru_cache(maxsize=None)
def _bundle(folder: str) -> bytes:
    """The JSON files of a folder as setup.py packs them, a line each: name, space, content; empty in a checkout."""
    try:
        return written_out(pkgutil.get_data("devicekit", folder + "/all.txt") or b"")
    except OSError:
        return b""


def written_out(bundle: bytes) -> bytes:
    r"""Return a bundle with its frequent phrases in the place of the signs that a wheel has for them (setup.py).

    A phrase may hold signs of those before it.

    >>> written_out(b"\x01abc\x00\x02d\x01\x00\x00\x02 \x01")
    b'dabc abc'
    """
    phrases, mark, text = bundle.partition(b"\x00\x00")
    if not mark:
        return bundle
    for item in reversed(phrases.split(b"\x00")):
        text = text.replace(item[:1], item[1:])
    return text


def _line_of(bundle: bytes, name: str) -> bytes:
    start = bundle.index(("\n%s " % name).encode("ascii")) + len(name) + 2
    return bundle[start : bundle.index(b"\n", start)]


def read_project(name: str, text: bytes = b"") -> Optional[Dict[str, Any]]:
    """Return the section of a project in the bundled data, or in those of another ``text``; None if there is none."""
    if not name or "\n" in name:
        return None
    text = text or _releases()
    mark = ("\n= %s\n" % name).encode("utf-8", "replace")
    start = text.find(mark)
    if start < 0:
        return None
    # The other sections are not looked at: there are a hundred, and a question is about two or three.
    end = text.find(b"\n= ", start + len(mark))
    section = json.loads(text[start + len(mark) : end if end >= 0 else None].decode("ascii"))
    return dict(_unpacked(section) if "builds" in section else section, project=name)


def from_columns(columns: Dict[str, List[Any]]) -> List[Dict[str, Any]]:
    """Return the rows of a table that a wheel has as a list for each field, null where a row has none (setup.py).

    >>> from_columns({"id": ["a", "b"], "pattern": [None, "x"]})
    [{'id': 'a'}, {'id': 'b', 'pattern': 'x'}]
    """
    rows = zip(*columns.values())
    return [{name: value for name, value in zip(columns, row) if value is not None} for row in rows]


def _unpacked(section: Dict[str, Any]) -> Dict[str, Any]:
    """Return a section as a checkout has it from that of a wheel (setup.py): columns, and what changes between two lists."""
    rows, builds = from_columns(section["rows"]), iter(from_columns(section["builds"]))
    for row in rows:
        row["builds"] = [next(builds) for _ in range(row["builds"])]
    requires: List[List[str]] = []
    for changes in section["requires"]:
        before = requires[-1] if requires else []
        gone = [before[item] for item in changes if isinstance(item, int)]
        requires.append(sorted({*before, *(item for item in changes if isinstance(item, str))}.difference(gone)))
    return {"date": section["date"], "requires": requires, "rows": rows}


@functools.lru_cache(maxsize=None)
def _releases() -> bytes:
    """The releases of all projects: a line with the day, then for each project its name after ``= ``, and its rows."""
    return _content("matrix/data/projects.txt")


def _content(name: str) -> bytes:
    # pkgutil and not importlib.resources, whose interface differs on every Python from 3.7 on.
    content = pkgutil.get_data("devicekit", name)
    if content is None:
        raise FileNotFoundError("devicekit's own %s is gone: reinstall devicekit" % name)
    return content


def _rocm_row(row: Dict[str, Any]) -> RocmRow:
    return RocmRow(**dict(row, gfx=tuple(row["gfx"]), kernel_drivers=tuple(row["kernel_drivers"])))


def _defect(row: Dict[str, Any]) -> Defect:
    lists = {name: tuple(row.get(name, ())) for name in ("platforms", "gfx", "chips", "instructions", "without")}
    pairs = {name: tuple(row.get(name, {}).items()) for name in ("frameworks", "libraries")}
    texts = {name: tuple(row[name]) for name in ("sources", "requirements")}
    return Defect(**dict(row, **lists, **pairs, **texts))


def minor_of(version: str) -> str:
    """Return the first two parts of a version: of ``2.15.1`` and ``2.15.0rc1`` it is ``2.15``."""
    return ".".join(version.split(".")[:2])


#: Minor releases whose patch releases differ as minor ones do: JAX 0.4 went on for two years, from Python 3.7 to 3.13.
BY_PATCH = (("jax", "0.4"),)


def _line(project: str, version: str) -> str:
    """Return for which releases what was measured of one of them speaks: mostly those of its minor release."""
    minor = minor_of(version)
    return version if (project, minor) in BY_PATCH else minor


def _about(projects: List[str], name: str) -> bool:
    return name in projects or ("tensorflow" in projects and name in TENSORFLOW_OWNERS)


@functools.lru_cache(maxsize=16384)
def accepts(specifier: str, version: str) -> Optional[bool]:
    """Return whether a version is in a range; None if the version is no version.

    Pre-releases count as what they are pre-releases of: a nightly build is used on purpose.
    """
    if not specifier:
        return True
    plain = _accepts_plain(specifier, version)
    if plain is not None:
        return plain
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    try:
        return SpecifierSet(specifier).contains(Version(version), prereleases=True)
    except ValueError:  # InvalidVersion is one; so is a number of more digits than Python reads
        return None


_PLAIN_VERSION = re.compile(r"[0-9]{1,18}(\.[0-9]{1,18})*$")


_PLAIN_BOUND = re.compile(r"(>=|<=|==|!=|~=|<|>)\s*([0-9]+(?:\.[0-9]+)*)(\.\*)?$")


def _accepts_plain(specifier: str, version: str) -> Optional[bool]:
    """Answer for final releases and plain bounds, which is nearly always; None for everything else.

    `packaging` answers the rest. Its import alone would cost as much as all rules together on a machine where nothing is
    wrong.
    """
    if not _PLAIN_VERSION.match(version):
        return None
    found = tuple(map(int, version.split(".")))
    answer = True
    for part in specifier.split(","):
        bound = _PLAIN_BOUND.match(part.strip())
        if bound is None:
            return None
        operator, limit = bound.group(1), tuple(map(int, bound.group(2).split(".")))
        if bound.group(3) and operator not in ("==", "!="):
            return None
        if operator == "~=" and len(limit) < 2:
            return None
        width = max(len(found), len(limit))
        left, right = found + (0,) * (width - len(found)), limit + (0,) * (width - len(limit))
        if bound.group(3):
            left = left[: len(limit)]
            right = limit
        if operator == "~=":
            answer = answer and left >= right and left[: len(limit) - 1] == limit[:-1]
        else:
            answer = answer and _COMPARE[operator](left, right)
    return answer


_COMPARE: Dict[str, Callable[[Tuple[int, ...], Tuple[int, ...]], bool]] = {
    ">=": lambda left, right: left >= right,
    "<=": lambda left, right: left <= right,
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
}


def version_at_least(version: str, least: str) -> Optional[bool]:
    """Return whether a dotted version (of a driver, say) is at least another; None if it has no numbers."""
    numbers = _numbers(version)
    return numbers >= _numbers(least) if numbers else None


def _numbers(version: str) -> Tuple[int, ...]:
    result = []
    for part in version.split("."):
        if not part.isdecimal() or len(part) > 18:
            break
        result.append(int(part))
    return tuple(result)


def bare_name(requirement: str) -> str:
    """Return the part of a requirement before its bounds."""
    for position, character in enumerate(requirement):
        if character in "<>=!~[ ":
            return requirement[:position]
    return requirement


def normal_name(requirement: str) -> str:
    """Return the distribution's name in a requirement, as names are compared."""
    return (
        bare_name(requirement.partition(";")[0].partition("(")[0]).strip().replace("_", "-").replace(".", "-").lower()
    )
