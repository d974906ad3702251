"""The interpreter, what is installed for it, without importing any of it, and who manages that environment."""

import re
from typing import Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Tuple

from ...records import parse_json
from ..entry_points import distributions_with
from ..facts import Distribution, Fact, ImportPackage, KerasConfig, PluginLibrary, Python
from ..host import Host
from .builds import read_builds
from .distributions import TENSORFLOW_NAMES, normalize, read_distribution, recorded_modules, split_folder_name
from .elf import missing_libraries


class Management(NamedTuple):
    """The fields of that name of `Python`."""

    manager: "Fact[str]"
    declared: Tuple[str, ...]
    conda_base: bool
    writable: "Fact[bool]"


#: The files in which tools write down a project's releases, and the folders in which they keep environments of projects.
_LOCKS = (("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm"))
_FOLDERS = (("pypoetry", "virtualenvs", "poetry"), ("pdm", "venvs", "pdm"))


def read_management(host: Host, environment: str) -> Management:
    """Return who manages the environment of the examined interpreter; ``environment``: its kind."""
    prefix = host.interpreter.prefix
    manager: "Fact[str]" = Fact.absent(problem="not the environment of a project")
    declared: Tuple[str, ...] = ()
    if environment == "venv":
        manager, declared = _project(host)
    base = environment == "conda" and host.is_dir(host.join(prefix, "condabin"))
    return Management(manager, declared, base, _writable(host))


def _project(host: Host) -> "Tuple[Fact[str], Tuple[str, ...]]":
    interpreter = host.interpreter
    parts = re.split(r"[\\/]", interpreter.prefix)
    central = next((name for folder, kind, name in _FOLDERS if parts[-3:-1] == [folder, kind]), "")
    # An environment in the project's folder, or one that the tool keeps elsewhere for the project that is worked on.
    folder = interpreter.cwd if central else host.path.dirname(interpreter.prefix)
    pyproject = host.text_or_none(host.join(folder, "pyproject.toml")) if folder else None
    declared = declared_names(pyproject) if pyproject is not None else ()
    for lock, name in _LOCKS:
        path = host.join(folder, lock) if folder else ""
        if path and (not central or central == name) and host.is_file(path):
            return Fact.of(name, host.scrub(path)), declared
    if central:
        return Fact.of(central, host.scrub(interpreter.prefix)), ()
    return Fact.absent("%s next to the environment" % ", ".join(lock for lock, _ in _LOCKS)), ()


def declared_names(text: str) -> Tuple[str, ...]:
    """Return the names of the distributions that a ``pyproject.toml`` requires; the standard library reads TOML from 3.11 on.

    ::

        [project]
        dependencies = ["tensorflow[and-cuda]==2.15.1", "numpy<2"]
        [tool.poetry.dependencies]
        keras = "^3.0"
    """
    found: List[str] = []
    section, inside = "", False
    for line in text.splitlines():
        line = line.strip()
        header = re.match(r"\[+([^\]]+)\]+$", line)
        if header is not None:
            section, inside = header.group(1).strip(), False
            continue
        key = re.match(r"[\"']?([A-Za-z0-9][\w.-]*)[\"']?\s*=", line)
        if section.startswith("tool.poetry") and section.endswith("dependencies"):
            found += [key.group(1)] if key is not None else []
            continue
        starts = key is not None and "[" in line and (key.group(1).endswith("dependencies") or _of_group(section))
        if starts or inside:
            array = line.partition("=")[2] if starts else line
            found += re.findall(r"[\"']\s*([A-Za-z0-9][\w.-]*)[^\"']*[\"']", array)
            # An array ends with a bracket of its own: those of extras are inside quotes.
            inside = "]" not in re.sub(r"\"[^\"]*\"|'[^']*'", "", array)
    return tuple(dict.fromkeys(normalize(name) for name in found))


def _of_group(section: str) -> bool:
    return section in ("dependency-groups", "project.optional-dependencies", "tool.pdm.dev-dependencies")


def _writable(host: Host) -> "Fact[bool]":
    folders = [path for path in host.interpreter.site_paths if host.is_dir(path)]
    if not folders:
        return Fact.unknown("its folder for packages is not known", "site-packages")
    return Fact.of(host.writable(folders[0]), host.scrub(folders[0]))


#: Distributions that matter to a framework; others are counted only, so that a large environment costs nothing.
RELEVANT = frozenset(
    (
        "absl-py", "array-record", "astunparse", "certifi", "cuda-python", "dm-tree", "flatbuffers", "gast",
        "google-pasta", "grpcio", "h5py", "idna", "importlib-metadata", "jax", "jax-cuda12-pjrt", "jax-cuda12-plugin",
        "jax-cuda13-pjrt", "jax-cuda13-plugin", "jax-metal", "jaxlib", "keras", "keras-applications", "keras-nightly",
        "keras-preprocessing", "libclang", "libtpu", "markdown", "ml-dtypes", "mpmath", "namex", "numpy",
        "onnxruntime", "onnxruntime-directml", "onnxruntime-gpu", "openvino", "opt-einsum", "optree", "packaging", "pandas",
        "pip", "protobuf", "pytorch-directml", "requests", "rich", "scikit-learn", "scipy", "setuptools", "six", "sympy",
        "tb-nightly", "tensorboard", "termcolor", "tf-keras", "tf-nightly", "tf-nightly-cpu", "tf-nightly-gpu", "torch",
        "torch-directml", "torchaudio", "torchvision", "triton", "typing-extensions", "urllib3", "werkzeug", "wheel",
        "wrapt",
    )
)  # fmt: skip
RELEVANT_PREFIXES = ("tensorflow", "nvidia-", "intel-extension-for-", "jax-rocm", "tf-")
#: As folders spell them.
_RELEVANT_RAW = frozenset(name.replace("-", "_") for name in RELEVANT)
_PREFIXES_RAW = tuple(name.replace("-", "_") for name in RELEVANT_PREFIXES)

#: Import packages whose place on the path decides what a framework import finds.
PACKAGES = (
    "tensorflow", "tensorflow_core", "keras", "tf_keras", "jax", "jaxlib", "torch", "torch_directml", "numpy",
    "google", "google.protobuf", "h5py", "ml_dtypes", "absl", "astunparse", "flatbuffers", "gast", "namex", "openvino",
    "opt_einsum", "optree", "packaging", "pasta", "requests", "rich", "scipy", "six", "termcolor", "typing_extensions",
    "wrapt", "certifi", "idna", "urllib3", "tree", "keras_preprocessing", "setuptools", "tensorboard", "sympy",
    "mpmath", "pandas",
)  # fmt: skip

#: Parts of the standard library that no framework imports (sys.modules after a step of training: TensorFlow 2.4 to 2.21, Keras
#: on JAX and on PyTorch, Python 3.7 to 3.13): a local file of such a name does no harm.
_HARMLESS_NAMES = frozenset(
    (
        "aifc", "antigravity", "asynchat", "asyncore", "binhex", "cgi", "cgitb", "chunk", "compileall", "crypt",
        "curses", "dbm", "doctest", "dummy_threading", "ensurepip", "filecmp", "formatter", "ftplib", "graphlib",
        "idlelib", "imaplib", "imghdr", "lib2to3", "mailbox", "mailcap", "main", "modulefinder", "netrc", "nntplib",
        "nturl2path", "optparse", "pipes", "poplib", "pty", "py_compile", "pyclbr", "pydoc_data", "sched", "setup",
        "shelve", "smtpd", "smtplib", "sndhdr", "sqlite3", "sunau", "symbol", "symtable", "tabnanny", "telnetlib",
        "test", "tests", "this", "tkinter", "tomllib", "trace", "tracemalloc", "tty", "turtle", "turtledemo", "venv",
        "wave", "webbrowser", "wsgiref", "xdrlib", "xmlrpc", "zipapp", "zoneinfo",
    )
    # Extension modules.
    + ("audioop", "nis", "ossaudiodev", "spwd", "syslog", "xxlimited", "xxlimited_35", "xxsubtype")
    # Loaded before the script's folder comes on the path.
    + ("abc", "codecs", "encodings", "genericpath", "io", "ntpath", "os", "posixpath", "site", "stat", "zipimport")
)  # fmt: skip

_LIBRARY_FORMATS = ((b"\x7fELF", "elf"), (b"MZ", "pe"), (b"\xcf\xfa\xed\xfe", "macho"), (b"\xca\xfe\xba\xbe", "macho"))


def read_python(host: Host, deep: bool = False) -> Python:
    """Return the interpreter, its distributions, import packages, framework builds, plug-ins and Keras's settings."""
    interpreter = host.interpreter
    listing, problems = _list_path(host)
    distributions, count, unreadable, plugins = _read_distributions(host, listing, deep)
    packages, read = versions_of_files(host, tuple(_find_packages(host, listing)), distributions)
    places = {item.location for item in read}
    distributions = read + tuple(item for item in distributions if item.location not in places)
    environment, installer = _environment(host, listing)
    recorded = any(item.name in TENSORFLOW_NAMES and item.record.or_none() for item in distributions)
    return Python(
        implementation=interpreter.implementation,
        version=interpreter.version,
        bits=interpreter.bits,
        executable=host.scrub(interpreter.executable),
        prefix=host.scrub(interpreter.prefix),
        environment=environment,
        externally_managed=host.is_file(host.join(interpreter.stdlib, "EXTERNALLY-MANAGED"))
        and environment == "system",
        installer=installer,
        architecture=interpreter.architecture,
        sys_path=tuple(host.scrub(entry) for entry in interpreter.sys_path),
        distributions=Fact.of(distributions, "sys.path", "; ".join(problems)),
        distribution_count=Fact.of(count, "sys.path"),
        unreadable=unreadable,
        leftovers=_leftovers(host, listing),
        packages=packages,
        builds=tuple(read_builds(host, packages, recorded)),
        plugins=_read_plugins(host, listing),
        keras_config=_read_keras_config(host),
        stale_modules=tuple(_stale_modules(host, distributions, deep)),
        plugin_distributions=plugins,
        problem=interpreter.problem,
        lacking=interpreter.lacking,
        **read_management(host, environment)._asdict(),
    )


#: A folder of the path with the names in it. What each of them is, is only asked where it matters: an environment may have
#: thousands of distributions.
_Listing = List[Tuple[str, List[str]]]


def _list_path(host: Host) -> Tuple[_Listing, List[str]]:
    listing: _Listing = []
    problems: List[str] = []
    seen = set()
    for entry in host.interpreter.sys_path:
        if not entry or entry in seen or host.path.normpath(entry) == host.path.normpath(host.interpreter.stdlib):
            continue
        seen.add(entry)
        try:
            listing.append((entry, host.list_names(entry)))
        except (FileNotFoundError, NotADirectoryError):  # a folder that does not exist yet, or a zip file
            continue
        except OSError as error:
            problems.append(host.scrub(str(error)))
    return listing, problems


def _read_distributions(
    host: Host, listing: _Listing, deep: bool
) -> Tuple[Tuple[Distribution, ...], int, Tuple[str, ...], Tuple[str, ...]]:
    found: List[Distribution] = []
    unreadable: List[str] = []
    others: Dict[str, Tuple[str, str]] = {}
    count = 0
    plugins: List[str] = []
    for folder, names in listing:
        entries = [name for name in names if name.endswith((".dist-info", ".egg-info")) and not name.startswith("~")]
        ours = distributions_with(host, folder, entries) if entries else ()
        plugins += [split_folder_name(entry)[0] for entry in ours]
        count += len(entries)
        for entry in entries:
            # Most of a large environment ends here, so this is as little work as it can be.
            raw, _, version = entry.rpartition(".")[0].partition("-")
            raw = raw.lower()
            if not version and entry.endswith(".dist-info"):
                unreadable.append("%s has no version in its name" % host.scrub(host.join(folder, entry)))
            if entry in ours or raw in _RELEVANT_RAW or raw.startswith(_PREFIXES_RAW):
                _read_one(host, folder, entry, deep, found, unreadable)
            else:
                others.setdefault(raw, (folder, entry))
    # What a TensorFlow release requires changes from release to release: whatever it names matters too.
    for name in _required_by_tensorflow(found):
        for raw in (name.replace("-", "_"), name.replace("-", ".")):
            if raw in others:
                _read_one(host, others[raw][0], others[raw][1], deep, found, unreadable)
                break
    return tuple(found), count, tuple(dict.fromkeys(unreadable)), tuple(dict.fromkeys(plugins))


def _read_one(
    host: Host, folder: str, entry: str, deep: bool, found: List[Distribution], unreadable: List[str]
) -> None:
    item, problem = read_distribution(host, folder, entry, deep)
    found.append(item)
    if problem:
        unreadable.append(problem)


def _required_by_tensorflow(found: List[Distribution]) -> Iterable[str]:
    names = []
    for item in found:
        if item.name.startswith(("tensorflow", "tf-nightly", "keras")):
            for text in item.requires:
                match = _REQUIREMENT_NAME.match(text)
                if match is not None:
                    names.append(normalize(match.group()))
    return dict.fromkeys(names)


_REQUIREMENT_NAME = re.compile(r"[A-Za-z0-9._-]+")


#: A module that TensorFlow has from 2.19 on and imports if it is there: it makes the symbols of the native library global.
_GLOBAL_SYMBOLS = "tensorflow/python/pywrap_dlopen_global_flags.py"

#: The earlier releases in which Python's OpenSSL, loaded after that, crashes (tried); 2.12 to 2.17 have loaded it before.
_CRASHING = ("2.10.", "2.11.", "2.18.")


def _stale_modules(host: Host, distributions: Tuple[Distribution, ...], deep: bool) -> Iterable[str]:
    """What no RECORD of its package lists and that its import takes: another release left it.

    A package comes before an extension, both before a module; on Linux TensorFlow loads every library in ``core/kernels``.
    """
    suffixes = host.interpreter.extension_suffixes
    deep = deep or sum(item.name in TENSORFLOW_NAMES for item in distributions) > 1
    for item in distributions if deep else ():
        if not item.record.or_none() or item.missing_count or any(" has " in text for text in item.damaged_files):
            continue
        site = host.path.dirname(host.expand(item.location))
        names = frozenset(recorded_modules(host, item.record.source))
        folders = {name.rpartition("/")[0] for name in names}
        if "tensorflow/__init__.py" in names:
            folders.add("tensorflow/core/kernels")
            path = host.join(site, *_GLOBAL_SYMBOLS.split("/"))
            crashes = host.system == "linux" and (item.version.or_none() or "").startswith(_CRASHING)
            if crashes and _GLOBAL_SYMBOLS not in names and host.is_file(path):
                yield host.scrub(path)
        for folder in sorted(folders):
            kernels = host.system == "linux" and folder == "tensorflow/core/kernels"
            path = host.join(site, *folder.split("/"))
            for entry in host.names_if_any(path) if folder else ():
                end = next(filter(entry.endswith, suffixes), "")
                stem = "%s/%s" % (folder, entry[: len(entry) - len(end)])
                if (stem + ".py" in names or (kernels and end)) and stem + (end or "/__init__.py") not in names:
                    if end or host.is_file(host.join(path, entry, "__init__.py")):
                        yield host.scrub(host.join(path, entry))


def _leftovers(host: Host, listing: _Listing) -> Tuple[str, ...]:
    """Folders that pip renamed (``~ensorflow``) when it was interrupted, or from before an upgrade of Python."""
    paths = [host.join(folder, name) for folder, names in listing for name in names if name.startswith("~")]
    if host.interpreter.prefix != host.interpreter.base_prefix:
        library = host.join(host.interpreter.prefix, "lib")
        others = [host.join(library, name, "site-packages") for name in host.names_if_any(library)]
        paths += [path for path in others if path not in dict(listing)]
    return tuple(host.scrub(path) for path in paths if host.is_dir(path))


def _environment(host: Host, listing: _Listing) -> Tuple[str, str]:
    interpreter = host.interpreter
    pip_is_there = any("pip" in names for _, names in listing)
    if host.is_dir(host.join(interpreter.prefix, "conda-meta")):
        return "conda", "pip" if pip_is_there else "conda"
    if interpreter.prefix == interpreter.base_prefix:
        return "system", "pip"
    config = host.text_or_none(host.join(interpreter.prefix, "pyvenv.cfg"), 8192) or ""
    made_by_uv = any(line.partition("=")[0].strip() == "uv" for line in config.splitlines())
    return "venv", "uv" if made_by_uv and not pip_is_there else "pip"


def _find_packages(host: Host, listing: _Listing) -> Iterable[ImportPackage]:
    """Say what ``import NAME`` would take: per folder a package, an extension, then a module; namespaces last of all."""
    suffixes = host.interpreter.extension_suffixes
    by_name = [(folder, frozenset(names)) for folder, names in listing]
    for name in PACKAGES:
        matches: List[Tuple[str, str, str]] = []
        namespaces: List[Tuple[str, str, str]] = []
        for folder, names in by_name:
            match = _match(host, folder, names, name, suffixes)
            if match is not None:
                (namespaces if match[0] == "namespace" else matches).append(match + (folder,))
        if matches or namespaces:
            kind, location, folder = (matches or namespaces)[0]
            others = [item[1] for item in matches[1:]] + ([] if not matches else [item[1] for item in namespaces])
            yield ImportPackage(
                name=name,
                kind=kind,
                location=host.scrub(location),
                path_entry=host.scrub(folder),
                hides=tuple(host.scrub(item) for item in others),
                in_site=_is_site(host, folder) or _is_target(by_name, folder),
            )
    yield from _standard_library_shadows(host, by_name, suffixes)


def _match(
    host: Host, folder: str, names: FrozenSet[str], name: str, suffixes: Tuple[str, ...]
) -> Optional[Tuple[str, str]]:
    location = host.join(folder, *name.split("."))
    if "." in name:  # a part of a namespace package
        inside = name.partition(".")[0] in names
        found = inside and any(host.is_file(host.join(location, "__init__" + end)) for end in (".py", ".pyc"))
        return ("package", location) if found else None
    if name in names:
        if any(host.is_file(host.join(location, "__init__" + end)) for end in (".py", ".pyc")):
            return "package", location
    for end in suffixes + (".py", ".pyc"):
        if name + end in names:
            return "module", location + end
    return ("namespace", location) if name in names and host.is_dir(location) else None


def _is_site(host: Host, folder: str) -> bool:
    name = host.path.basename(folder)
    return name in ("site-packages", "dist-packages") or folder in host.interpreter.site_paths


def _is_target(by_name: List[Tuple[str, FrozenSet[str]]], folder: str) -> bool:
    """Whether an installer was told to install there (``pip install --target``): then what is found there is the right one."""
    return any(name.endswith(".dist-info") for entry, names in by_name if entry == folder for name in names)


def _standard_library_shadows(
    host: Host, by_name: List[Tuple[str, FrozenSet[str]]], suffixes: Tuple[str, ...]
) -> Iterable[ImportPackage]:
    """Files that stand before the standard library on the path and have the name of one of its modules."""
    interpreter = host.interpreter
    position = {entry: index for index, entry in reversed(list(enumerate(interpreter.sys_path)))}
    limit = position.get(interpreter.stdlib, -1)
    # Windows has the folder of the library's extension modules before the library itself.
    own = {host.path.normcase(folder) for folder in _extension_folders(host)}
    local = [
        (folder, names)
        for folder, names in by_name
        if position.get(folder, limit) < limit and not _is_site(host, folder) and host.path.normcase(folder) not in own
    ]
    if not local:
        return
    library = _library_names(host)
    loaded: Optional[FrozenSet[str]] = None
    named = host.environ().get("PYTHONPATH", "").split(";" if host.system == "windows" else ":")
    for folder, names in local:
        if "os.py" in names:  # another interpreter's library, on the path by PYTHONPATH: not a user's file
            continue
        for entry in sorted(names):
            name = entry.partition(".")[0]
            if name in library and name not in _HARMLESS_NAMES and not name.startswith("_"):
                match = _match(host, folder, names, name, suffixes)
                if match is not None and match[0] != "namespace":
                    # The script's folder comes on the path when Python has started, those of PYTHONPATH before.
                    loaded = _loaded_at_start(host) if loaded is None else loaded
                    if name in loaded and folder not in named:
                        continue
                    hidden = host.join(library[name], name)
                    yield ImportPackage(
                        name, match[0], host.scrub(match[1]), host.scrub(folder), (host.scrub(hidden),), False
                    )


def _loaded_at_start(host: Host) -> FrozenSet[str]:
    """Return what the interpreter has imported when a script begins: a ``.pth`` of an editable installation brings a lot."""
    command = (host.interpreter.executable, "-c", "import sys; print(*sys.modules)")
    # A program that has Python in it is not one.
    if not host.path.isabs(command[0]) or not host.path.basename(command[0]).lower().startswith(("python", "pypy")):
        return frozenset()
    try:
        return frozenset(host.run(command).stdout.split())
    except OSError:
        return frozenset()


def _library_names(host: Host) -> Dict[str, str]:
    """Return what a local file can hide, with the folders: the library's modules, and its extension modules that are files.

    Those that are built into the interpreter come before the path. A frozen interpreter has neither.
    """
    interpreter = host.interpreter
    found = {entry.partition(".")[0]: interpreter.stdlib for entry in host.names_if_any(interpreter.stdlib)}
    for folder in _extension_folders(host):
        for entry in host.names_if_any(folder):
            if entry.endswith(interpreter.extension_suffixes):
                found.setdefault(entry.partition(".")[0], folder)
    return found


def _extension_folders(host: Host) -> Tuple[str, str]:
    return host.join(host.interpreter.stdlib, "lib-dynload"), host.join(host.interpreter.base_prefix, "DLLs")


def _read_plugins(host: Host, listing: _Listing) -> "Fact[Tuple[PluginLibrary, ...]]":
    """Files that TensorFlow loads as plug-ins: below every path entry that contains ``site-packages``.

    Source: ``tensorflow/__init__.py``, which calls ``load_pluggable_device_library`` on ``tensorflow-plugins``.
    """
    found: List[PluginLibrary] = []
    folders = [folder for folder, names in listing if "site-packages" in folder and "tensorflow-plugins" in names]
    # It looks into the interpreter's own folders as well, whatever the path is; one of another name is another one.
    for folder in (host.interpreter.user_site, *host.interpreter.site_paths):
        if folder and folder not in folders and host.is_dir(host.join(folder, "tensorflow-plugins")):
            folders.append(folder)
    for folder in folders:
        inside = host.join(folder, "tensorflow-plugins")
        try:
            libraries = host.list_names(inside)
        except NotADirectoryError:
            continue
        except OSError as error:
            return Fact.unknown(host.scrub(str(error)), host.scrub(inside))
        for name in libraries:
            path = host.join(inside, name)
            info = host.info(path)
            if info is None or info.kind != "file" or not name.endswith((".so", ".dll", ".dylib", ".pyd")):
                continue
            kind = _library_format(host, path, info.size)
            missing: Tuple[str, ...] = ()
            if kind == "elf" and host.system == "linux":
                try:
                    missing = missing_libraries(host, path, _OF_TENSORFLOW)
                except OSError as error:
                    return Fact.unknown(host.scrub(str(error)), host.scrub(path))
            found.append(PluginLibrary(host.scrub(path), kind, info.size, missing))
    return Fact.of(tuple(found), "tensorflow-plugins on sys.path")


#: Libraries that TensorFlow has loaded when it comes to its plug-ins.
_OF_TENSORFLOW = ("libtensorflow_framework.so.2", "libtensorflow_cc.so.2", "_pywrap_tensorflow_internal.so")


def _library_format(host: Host, path: str, size: int) -> str:
    if size == 0:
        return "empty"
    try:
        head = host.read_bytes(path, 4)
    except OSError:
        return "other"
    return next((name for magic, name in _LIBRARY_FORMATS if head.startswith(magic)), "other")


def _read_keras_config(host: Host) -> "Fact[KerasConfig]":
    """Read the file in which Keras keeps its backend: ``$KERAS_HOME/keras.json`` or ``~/.keras/keras.json``."""
    folder = host.environ().get("KERAS_HOME") or host.join(host.home, ".keras")
    path = host.join(folder, "keras.json")
    shown = host.scrub(path)
    if host.is_dir(path):  # docker makes one where the file that it mounts was not there
        return Fact.of(KerasConfig(shown, None, fatal="a folder has the place of the file"), shown)
    try:
        text = host.read_text(path)
    except (FileNotFoundError, NotADirectoryError):
        return Fact.absent(shown)
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), shown)
    try:
        data = parse_json(text)
    except ValueError as error:
        # Keras ignores a file that it cannot parse.
        return Fact.of(KerasConfig(shown, None, "not JSON: %s" % error), shown)
    backend = data.get("backend") if isinstance(data, dict) else None
    known = backend if isinstance(backend, str) else None
    return Fact.of(KerasConfig(shown, known, fatal=_fatal_value(data)), shown)


def _fatal_value(data: object) -> str:
    """Say which value of ``keras.json`` Keras 3 does not accept; it then fails at its import. "" where it takes all."""
    if not isinstance(data, dict):
        return "it holds no JSON object"
    if data.get("floatx", "float32") not in ("float16", "float32", "float64"):
        return "floatx is %.40r" % (data["floatx"],)
    if not isinstance(data.get("epsilon", 1e-7), float):
        return "epsilon is %.40r, which is no number with a decimal point" % (data["epsilon"],)
    if data.get("image_data_format", "channels_last") not in ("channels_last", "channels_first"):
        return "image_data_format is %.40r" % (data["image_data_format"],)
    backend = data.get("backend", "tensorflow")
    return "" if isinstance(backend, str) else "backend is %.40r" % (backend,)


#: Import package: its distribution, and the files that can name the version, the likeliest first.
_FILES = {
    "numpy": ("numpy", ("version.py", "_version.py")),
    "google.protobuf": ("protobuf", ("__init__.py",)),
    "keras": ("keras", ("src/version.py", "src/__init__.py", "__init__.py")),
    "tf_keras": ("tf-keras", ("src/__init__.py", "__init__.py")),
    "h5py": ("h5py", ("version.py",)),
    "ml_dtypes": ("ml-dtypes", ("__init__.py",)),
    "jax": ("jax", ("version.py",)),
    "jaxlib": ("jaxlib", ("version.py",)),
    "torch": ("torch", ("version.py",)),
    "scipy": ("scipy", ("version.py",)),
    "flatbuffers": ("flatbuffers", ("_version.py",)),
    "optree": ("optree", ("version.py",)),
    "tensorboard": ("tensorboard", ("version.py",)),
}

_VERSION = re.compile(
    r"""^\s*["']?_*(?:(?:full_|short_)?version|VERSION)_*["']?(?:\s*:\s*\w+)?\s*[:=]\s*["'](\d[\w.+-]*)["']""", re.M
)


def parse_version(text: str) -> Optional[str]:
    """Return the first version that a module assigns, None if it assigns none.

    ::

        short_version = "1.26.4"
        __version__ = '4.25.8'
        _version = "0.6.2"
        "version": "1.21.6"
    """
    match = _VERSION.search(text)
    return match.group(1) if match is not None else None


def versions_of_files(
    host: Host, packages: Tuple[ImportPackage, ...], distributions: Tuple[Distribution, ...]
) -> Tuple[Tuple[ImportPackage, ...], Tuple[Distribution, ...]]:
    """Return the packages, copies of real ones marked as such, and a distribution for each without the right one."""
    known: List[ImportPackage] = []
    found: List[Distribution] = []
    for package in packages:
        name, files = _FILES.get(package.name, ("", ()))
        here = [item for item in distributions if item.name == name]
        here = [item for item in here if item.location.rpartition(host.path.sep)[0] == package.path_entry]
        # Several in one folder: an interrupted upgrade left the metadata of the old release.
        # The project in which one works is not a copy of a release, whatever its name is.
        local = package.path_entry == host.scrub(host.interpreter.cwd)
        if name and package.kind == "package" and not local:
            version, source = _read(host, package.location, files)
            if version and len(here) == 1:
                item = here[0]
                release, stated = (
                    re.findall(r"\d+", text)[:3] for text in (version, item.version.or_none() or version)
                )
                if any(one != other for one, other in zip(release, stated)):  # another one was copied over it
                    found.append(item.replace(damaged_files=(*item.damaged_files, "%s is of %s" % (source, version))))
            elif version:
                own = [item for item in here if item.version.or_none() == version]
                found += own[:1] or [Distribution(name, Fact.of(version, source), package.location)]
                package = package.replace(in_site=True)
        known.append(package)
    return tuple(known), tuple(found)


def _read(host: Host, location: str, files: Tuple[str, ...]) -> Tuple[str, str]:
    for name in files:
        path = host.join(host.expand(location), *name.split("/"))
        version = parse_version(host.text_or_none(path, 64 << 10) or "")
        if version is not None:
            return version, host.scrub(path)
    return "", ""
