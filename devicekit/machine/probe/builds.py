"""What the files inside a framework's package say that it was built for. Read as text, never imported."""

import re
from typing import Any, Dict, Iterable, List, Optional, Tuple

from ..facts import Fact, FrameworkBuild, ImportPackage
from ..host import Host


def read_builds(host: Host, packages: Tuple[ImportPackage, ...], recorded: bool = True) -> Iterable[FrameworkBuild]:
    """Return the builds of TensorFlow, JAX and PyTorch, as far as they would be imported from an installation.

    ``recorded``: a RECORD says which files TensorFlow has; without one, those that its first file imports are looked for.
    """
    by_name = {item.name: item for item in packages}
    # TensorFlow 1.15 keeps everything in tensorflow_core; `tensorflow` only forwards to it.
    package = by_name.get("tensorflow_core") or by_name.get("tensorflow")
    if package is not None and package.kind == "package" and "tensorflow" in by_name:
        found = _read_tensorflow(host, package)
        asked = not recorded and package.name == "tensorflow" and package.in_site
        yield found.replace(missing_files=tuple(_missing_imports(host, package.location))) if asked else found
    for name, read in (("jax", _read_jax), ("torch", _read_torch)):
        package = by_name.get(name)
        if package is not None and package.kind == "package" and package.in_site:
            yield read(host, package)


def _missing_imports(host: Host, location: str) -> Iterable[str]:
    """Return what TensorFlow's ``__init__.py`` imports of its own and is not there: nothing in the wheels of 2.4 to 2.21.

    ::

        from tensorflow._api.v2 import audio
        from tensorflow.python.ops.array_ops import pad_v2 as pad
    """
    folder = host.expand(location)
    text = host.text_or_none(host.join(folder, "__init__.py")) or ""
    for module, name in re.findall(r"^from tensorflow((?:\.\w+)+) import (\w+)", text, re.M):
        path = host.join(folder, *module.split(".")[1:])
        inside = host.join(path, name)
        if not any(map(host.exists, (path + ".py", inside, inside + ".py", path + ".pyc", inside + ".pyc"))):
            yield host.scrub(inside)


def _content(host: Host, path: str, unsaid: str = "") -> Tuple[str, str]:
    """Return the text of a file, and why it does not say what is looked for in it."""
    try:
        return host.read_text(path), unsaid or "%s does not say" % host.path.basename(path)
    except OSError as error:
        return "", error.strerror or type(error).__name__


def _read_torch(host: Host, package: ImportPackage) -> FrameworkBuild:
    """PyTorch says all of it in ``version.py``, from 1.0 on (seen in the wheels of 1.8 to 2.15)."""
    path = host.join(host.expand(package.location), "version.py")
    content, problem = _content(host, path)
    shown, values = host.scrub(path), parse_torch_version(content)

    def flag(name: str) -> "Fact[bool]":
        if name not in values:  # releases before 2.6 do not name "xpu": they have no such build
            return Fact.of(False, shown) if values and name == "xpu" else Fact.unknown(problem, shown)
        return Fact.of(values[name] is not None, shown)

    def text(name: str) -> "Fact[str]":
        value = values.get(name)
        if value is not None:
            return Fact.of(value, shown)
        return Fact.absent(shown) if name in values else Fact.unknown(problem, shown)

    apple = host.system == "macos" and host.interpreter.architecture == "arm64"
    return FrameworkBuild(
        package="torch",
        location=package.location,
        version=text("__version__"),
        cuda=flag("cuda"),
        rocm=flag("hip"),
        cuda_version=text("cuda"),
        cudnn_version=Fact.unknown("version.py does not say", shown),
        compute_capabilities=Fact.unknown("version.py does not say", shown),
        directml=Fact.of(False, shown),
        rocm_version=text("hip"),
        xpu=flag("xpu"),
        metal=Fact.of(apple, "the wheels for Apple silicon"),
    )


#: One assignment, with or without a type.
_TORCH_ENTRY = re.compile(r"""^(__version__|cuda|hip|rocm|xpu)(?::[^=\n]*)? = (None|'[^'\n]*'|"[^"\n]*")""", re.M)


def parse_torch_version(text: str) -> "Dict[str, Optional[str]]":
    """Return the values of PyTorch's ``version.py``: its version, and the versions of what it was built with.

    ::

        __version__ = '2.15.0+cu132'
        debug = False
        cuda: Optional[str] = '13.2'
        hip: Optional[str] = None
        xpu: Optional[str] = None
    """
    found = _TORCH_ENTRY.finditer(text)
    return {item.group(1): None if item.group(2) == "None" else item.group(2)[1:-1] for item in found}


def _read_jax(host: Host, package: ImportPackage) -> FrameworkBuild:
    """JAX itself has no build: which accelerators it finds is a matter of the plug-ins in the namespace ``jax_plugins``."""
    folder = host.join(host.expand(package.path_entry), "jax_plugins")
    shown = host.scrub(folder)
    path = host.join(host.expand(package.location), "version.py")
    content, unread = _content(host, path, "it is not in it")
    match = re.search(r"""^_version = ["']([^"'\n]+)""", content, re.M)
    version = Fact.of(match.group(1), host.scrub(path)) if match else Fact.unknown(unread, host.scrub(path))
    names: List[str] = []
    problem = ""
    try:
        names = host.list_names(folder)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        problem = error.strerror or type(error).__name__
    versions = {name[:8]: name[8:] for name in sorted(names) if name.startswith(("xla_cuda", "xla_rocm"))}

    def flag(found: bool) -> "Fact[bool]":
        return Fact.of(found, shown) if not problem else Fact.unknown(problem, shown)

    def text(name: str) -> "Fact[str]":
        if problem:
            return Fact.unknown(problem, shown)
        return Fact.of(versions[name], shown) if versions.get(name) else Fact.absent(shown)

    return FrameworkBuild(
        package="jax",
        location=package.location,
        version=version,
        cuda=flag("xla_cuda" in versions),
        rocm=flag("xla_rocm" in versions),
        cuda_version=text("xla_cuda"),
        cudnn_version=Fact.unknown("the plug-in does not say", shown),
        compute_capabilities=Fact.unknown("the plug-in does not say", shown),
        directml=Fact.of(False, shown),
        rocm_version=text("xla_rocm"),
        xpu=flag(any("oneapi" in name or name == "intel_extension_for_openxla" for name in names)),
        metal=flag("metal_plugin" in names),
    )


def _read_tensorflow(host: Host, package: ImportPackage) -> FrameworkBuild:
    folder = host.expand(package.location)
    path = host.join(folder, "python", "platform", "build_info.py")
    content, problem = _content(host, path)
    shown, values = host.scrub(path), parse_build_info(content)

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
        version = parse_version_header(host.text_or_none(candidate) or "")
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
