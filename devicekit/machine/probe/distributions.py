"""One installed distribution: its metadata, and whether the files of its RECORD are there."""

from typing import Dict, List, Optional, Tuple

from ..facts import Distribution, Fact
from ..host import Host
from .elf import is_whole

#: Distributions that bring files of the import package ``tensorflow``.
TENSORFLOW_NAMES = frozenset(
    (
        "tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-directml", "tensorflow-rocm", "tensorflow-macos",
        "tensorflow-intel", "tensorflow-cpu-aws", "intel-tensorflow", "tf-nightly", "tf-nightly-cpu", "tf-nightly-gpu",
        "tensorflow-tpu",
    )
)  # fmt: skip

#: Endings of native libraries, which are few, large, and fatal when they are gone or truncated.
_NATIVE = (".so", ".pyd", ".dll", ".dylib")

#: A RECORD of TensorFlow has about two megabytes.
_RECORD_LIMIT = 16 << 20

#: Besides TensorFlow's own, whose native libraries are looked at in every probe.
_CHECKED = frozenset(("numpy", "protobuf", "h5py", "ml-dtypes", "jaxlib", "tf-nightly", "tf-nightly-cpu"))

#: How many missing files are named; the number of all is kept next to.
_NAMED = 20


def split_folder_name(folder: str) -> Tuple[str, str]:
    """Return normalized name and version from the name of a ``.dist-info`` or ``.egg-info`` folder.

    ::

        tensorflow_cpu-2.21.0.dist-info     ->  ("tensorflow-cpu", "2.21.0")
        Keras_Applications-1.0.8-py3.7.egg-info  ->  ("keras-applications", "1.0.8")
    """
    parts = folder.rpartition(".")[0].split("-")
    return normalize(parts[0]), parts[1] if len(parts) > 1 else ""


def normalize(name: str) -> str:
    """Return a distribution's name as it is compared (PEP 503, without runs of separators)."""
    return name.replace("_", "-").replace(".", "-").lower()


def parse_metadata(text: str) -> Tuple[str, str, Tuple[str, ...], str]:
    """Return name, version, requirements and required Python from the header of a METADATA file.

    ::

        Metadata-Version: 2.1
        Name: tensorflow_cpu
        Version: 2.21.0
        Requires-Python: >=3.10
        Requires-Dist: numpy>=1.26.0

        The description starts after the first empty line.
    """
    name = version = requires_python = ""
    requires: List[str] = []
    header = text.replace("\r\n", "\n").partition("\n\n")[0]
    for line in header.splitlines():
        if not line.strip():
            break
        label, colon, value = line.partition(":")
        if not colon or line[0] in " \t":
            continue
        label, value = label.lower(), value.strip()
        if label == "requires-dist":
            requires.append(value)
        elif label == "name":
            name = value
        elif label == "version":
            version = value
        elif label == "requires-python":
            requires_python = value
    return name, version, tuple(requires), requires_python


def read_distribution(host: Host, folder: str, entry: str, deep: bool) -> Tuple[Distribution, Optional[str]]:
    """Read one distribution; the second value says what is wrong with its metadata, if anything is."""
    base = host.join(folder, entry)
    name, version = split_folder_name(entry)
    is_folder = entry.endswith(".dist-info") or host.is_dir(base)
    # An egg-info may be a file, which then is the metadata itself.
    path = host.join(base, "METADATA" if entry.endswith(".dist-info") else "PKG-INFO") if is_folder else base
    source = host.scrub(path)
    requires: Tuple[str, ...] = ()
    requires_python, problem = "", None
    try:
        declared, stated, requires, requires_python = parse_metadata(host.read_text(path, 64 << 10))
        if not declared and not stated:
            problem = "%s has neither name nor version" % source
        version = stated or version
    except OSError as error:
        problem = "%s cannot be read: %s" % (source, error.strerror or type(error).__name__)
    distribution = Distribution(
        name=name,
        version=Fact.of(version, source) if version else Fact.unknown(problem or "no version in it", source),
        location=host.scrub(base),
        requires=requires,
        requires_python=requires_python,
        # Not every installer leaves its name.
        installer=(host.text_or_none(host.join(base, "INSTALLER"), 64) or "").strip() if deep and is_folder else "",
        record=Fact.unknown("RECORD was not read", host.scrub(host.join(base, "RECORD"))),
    )
    if entry.endswith(".dist-info") and (deep or name in _CHECKED or name.startswith("tensorflow")):
        record, missing, damaged, unreadable = _check_record(host, folder, base, deep)
        platform_tags, python_tags = parse_wheel(host.text_or_none(host.join(base, "WHEEL"), 8192) or "")
        distribution = distribution.replace(
            record=record,
            missing_files=tuple(missing[:_NAMED]),
            missing_count=len(missing),
            damaged_files=tuple(damaged[:_NAMED]),
            platform_tags=platform_tags,
            python_tags=python_tags,
            unreadable_files=tuple(map(host.scrub, unreadable[:_NAMED])),
            owner=host.owner_of(host.join(folder, *unreadable[0].split("/"))) if unreadable else "",
        )
    return distribution, problem


def parse_wheel(text: str) -> Tuple[Tuple[str, ...], Tuple[str, ...]]:
    """Return the tags of a WHEEL file: of the platform, none for pure Python, and of the Python with its ABI.

    ::

        Wheel-Version: 1.0
        Tag: cp311-cp311-manylinux_2_17_x86_64
        Tag: cp311-cp311-manylinux2014_x86_64
    """
    lines = [line.partition(":") for line in text.splitlines()]
    tags = [value.strip().rpartition("-") for label, _, value in lines if label.strip().lower() == "tag"]
    platforms = [platform for _, _, platform in tags if platform and platform != "any"]
    return tuple(dict.fromkeys(platforms)), tuple(dict.fromkeys(python for python, _, _ in tags if python))


def parse_record(text: str, deep: bool, system: str = "linux") -> List[Tuple[str, Optional[int]]]:
    """Return the files that a RECORD lists, with their sizes: all that are not byte-code, or only those that are few.

    ::

        tensorflow/libtensorflow_cc.so.2,sha256=...,826352968
        "a name, with a comma.py",sha256=...,10
        tensorflow-2.21.0.dist-info/RECORD,,
    """
    found: List[Tuple[str, Optional[int]]] = []
    for line in text.splitlines() if deep else _key_lines(text, system):
        path, _, size = _split_record_line(line)
        if path and not path.endswith((".pyc", ".pyo")) and "/RECORD" not in path:
            found.append((path, int(size) if size.isdecimal() and len(size) < 20 else None))
    return found


#: Native libraries of each system, and the files without which a package is none.
_PACKAGE_MARKS = ("tensorflow/__init__.py,", "keras/__init__.py,", "numpy/__init__.py,")
_NATIVE_MARKS = {"linux": (".so",), "macos": (".so", ".dylib,"), "windows": (".pyd,", ".dll,")}


def _key_lines(text: str, system: str) -> List[str]:
    """Return the lines with one of the marks. Searching is forty times as fast as looking at each of 15,000 lines."""
    lines: Dict[int, str] = {}
    for mark in _NATIVE_MARKS.get(system, (".so",)) + _PACKAGE_MARKS:
        position = text.find(mark)
        while position >= 0:
            start = text.rfind("\n", 0, position) + 1
            end = text.find("\n", position)
            end = end if end >= 0 else len(text)
            lines[start] = text[start:end].rstrip("\r")
            position = text.find(mark, end)
    return [lines[start] for start in sorted(lines)]


def _split_record_line(line: str) -> Tuple[str, str, str]:
    head, _, size = line.rpartition(",")
    path, _, digest = head.rpartition(",")
    if path.startswith('"') and path.endswith('"'):
        path = path[1:-1].replace('""', '"')
    return path, digest, size


def _check_record(
    host: Host, folder: str, base: str, deep: bool
) -> "Tuple[Fact[int], List[str], List[str], List[str]]":
    path = host.join(base, "RECORD")
    shown = host.scrub(path)
    try:
        text = host.read_text(path, _RECORD_LIMIT)
    except FileNotFoundError:
        return Fact.absent(shown), [], [], []
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), shown), [], [], []
    files = parse_record(text, deep, host.system)
    missing: List[str] = []
    damaged: List[str] = []
    unreadable: Dict[str, None] = {}
    for name, size in files:
        # Scripts and data outside the folder ("../../bin/x") may be moved by those who package; they are not imported.
        if name.startswith(("..", "/")):
            continue
        info = host.info(host.join(folder, *name.split("/")))
        closed = _closed(host, folder, name) if info is None else "" if info.readable else name
        if closed:
            unreadable[closed] = None
        # Byte code in the place of its source is imported as well.
        elif info is None and not (name.endswith(".py") and host.info(host.join(folder, *name.split("/")) + "c")):
            missing.append(host.scrub(name))
        elif info is not None and size is not None and info.size < size and _is_cut(host, folder, name, info.size):
            damaged.append("%s has %d bytes of %d" % (host.scrub(name), info.size, size))
    # Only the first are named: what may matter to an import comes before headers, texts and tests, which images leave out.
    missing.sort(key=lambda name: (not _is_code(name), name))
    return Fact.of(len(files), shown), missing, damaged, sorted(unreadable, key=lambda name: (not _is_code(name), name))


def _closed(host: Host, folder: str, name: str) -> str:
    """Return the folder above a file that hides it from this user, "" where none does: then the file is not there."""
    parts = name.split("/")[:-1]
    for count in range(1, len(parts) + 1):
        info = host.info(host.join(folder, *parts[:count]))
        if info is None or not info.readable:
            return "" if info is None else "/".join(parts[:count])
    return ""


def _is_cut(host: Host, folder: str, name: str, size: int) -> bool:
    """Whether a shorter file is not whole: an editor leaves whole lines, `strip` all that is loaded."""
    path = host.join(folder, *name.split("/"))
    if _is_native(name):
        return not is_whole(host, path, size)
    if not name.endswith(".py"):
        return False
    try:
        content = host.read_bytes(path)
    except OSError:  # it was there a moment ago
        return False
    return not content.endswith(b"\n")


def _is_code(name: str) -> bool:
    return (name.endswith(".py") or _is_native(name)) and not (
        "/tests/" in name or name.startswith("tensorflow/include/")
    )


def recorded_modules(host: Host, record: str) -> List[str]:
    """Return the names of the Python and native modules that a RECORD lists; none if it is not there any more."""
    try:
        names = [line.partition(",")[0] for line in host.read_text(host.expand(record), _RECORD_LIMIT).splitlines()]
    except OSError:
        return []
    return [name for name in names if name.endswith((".py", ".so", ".pyd"))]


def _is_native(name: str) -> bool:
    return name.endswith(_NATIVE) or ".so." in name
