"""The Python layer: what is installed, and whether it goes together."""

import re
from typing import Dict, Iterable, List, Optional, Tuple

from ...machine.facts import Distribution
from ...matrix.matrix import CODE_ENDINGS, accepts, normal_name, version_at_least
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind, LazyFixes
from ..frameworks import TITLES
from ..install_fixes import install_goal, repair_install, working_python
from ..view import View
from .directml_others import mixed_onnxruntimes
from .frameworks import is_there
from .keras import backend, has_backend, is_keras3, keras3_on, keras_version, legacy_keras, standalone_keras, uses_scipy
from .measured import pure_protobuf, shortest, stopped_by, taken_along, unfit
from .metal import metal_too_old
from .plugins import damaged_plugins, plugins_twice
from .registry import BROKEN_INSTALL, UNLOADABLE, rule
from .shared_libraries import overwritten_libraries


@rule("framework-missing", hidden_by=("python-unsupported", "platform-unsupported", *UNLOADABLE))
def framework_missing(view: View) -> Iterable[Finding]:
    """Nothing that Keras can run on is installed."""
    python = view.machine.python
    if view.has_tensorflow or python.distribution("jax") or python.distribution("torch"):
        yield from _backend_missing(view)
        return
    for name in ("tensorflow", "torch", "jax"):
        package = python.package(name)
        if standalone_keras(view) and is_keras3(keras_version(view)) and backend(view).name in ("numpy", "openvino"):
            return  # Keras computes by itself there, and is asked to
        # A folder of that name next to the script, without code in it, is no framework.
        if package is not None and (package.in_site or package.kind != "namespace"):
            return
    name = keras3_on(view)[1] or "tensorflow"
    yield Kind("framework-missing", "error", ("tensorflow", "keras"), pages.TENSORFLOW).finding(
        "This Python environment has no framework: neither TensorFlow, JAX nor PyTorch is installed.",
        (
            Evidence("no distribution of TensorFlow, JAX or PyTorch", python.distributions.source),
            *(Evidence("left by an interrupted pip or another Python", path) for path in python.leftovers[:3]),
        ),
        install_goal(view, "Install %s" % TITLES[name], name),
    )


def _backend_missing(view: View) -> Iterable[Finding]:
    """Keras is there, and the framework that it would take by default is not."""
    keras = keras_version(view)
    if view.has_tensorflow or not standalone_keras(view) or (keras is not None and not is_keras3(keras)):
        return
    if backend(view).source or view.machine.python.package("tensorflow") is not None:
        return
    there = [name for name in ("jax", "torch") if has_backend(view, name)]
    yield Kind("framework-missing", "error", ("keras",), pages.KERAS_BACKEND).finding(
        "Keras uses TensorFlow by default, which is not installed; %s %s."
        % (" and ".join(there), "is" if len(there) == 1 else "are"),
        (Evidence("neither KERAS_BACKEND nor keras.json names a backend", "environment"),),
        (view.shell.set_fix("Select the installed backend", "KERAS_BACKEND", there[0]),),
    )


def _newest_for(view: View) -> Optional[str]:
    """The newest TensorFlow minor release with wheels for this Python, None if there is none."""
    for row in reversed(view.matrix.tensorflow_rows()):
        if accepts(row.python, view.machine.python.version):
            return row.minor
    return None


@rule("python-unsupported")
def python_unsupported(view: View) -> Iterable[Finding]:
    """No wheel of TensorFlow exists for this Python version."""
    python = view.machine.python
    if view.has_tensorflow or python.distribution("jax", "torch") or _newest_for(view) is not None:
        return
    rows = view.matrix.tensorflow_rows()
    newest = rows[-1]
    yield Kind("python-unsupported", "error", ("tensorflow", "keras"), pages.TENSORFLOW).finding(
        "No known TensorFlow release has wheels for Python %s." % python.version,
        (Evidence("TensorFlow %s is for Python %s" % (newest.minor, newest.python), "devicekit's compatibility data"),),
        LazyFixes(lambda: (_other_python(view),)),
    )


def _other_python(view: View) -> Fix:
    python, requirements = working_python(view, "cpu")
    text = "Create an environment with a Python that TensorFlow supports"
    return view.shell.new_environment_fix(text, python, ".venv", requirements)


@rule("platform-unsupported", hidden_by=("python-unsupported",))
def platform_unsupported(view: View) -> Iterable[Finding]:
    """A 32-bit interpreter, a C library for which there are no wheels, or a macOS too old for its GPU's plug-in."""
    yield from metal_too_old(view)
    python, native = view.machine.python, view.machine.native
    if view.has_tensorflow:
        return
    if python.bits == 32:
        yield Kind("platform-unsupported", "error", ("tensorflow", "keras")).finding(
            "This is a 32-bit Python, and TensorFlow has wheels only for 64-bit Python.",
            (Evidence("a 32-bit interpreter for %s" % python.architecture, python.executable),),
            (Fix("Install a 64-bit Python and create a new environment with it", changes="system"),),
        )
    elif native.libc.or_none() == "musl":
        yield Kind("platform-unsupported", "error", ("tensorflow", "keras")).finding(
            "This system's C library is musl, and TensorFlow's Linux wheels need glibc.",
            (Evidence("musl", native.libc.source),),
            (Fix("Use a glibc-based image (Debian, Ubuntu, Fedora) instead of Alpine", changes="system"),),
        )


@rule("install-corrupt", hidden_by=("framework-missing", "python-unsupported", *UNLOADABLE))
def install_corrupt(view: View) -> Iterable[Finding]:
    """Files of TensorFlow or NumPy that RECORD lists are missing or cut short."""
    python = view.machine.python
    package = python.package("tensorflow")
    owner = view.tensorflow
    build = view.tensorflow_build
    gone = build.missing_files if build is not None else ()
    empty = package is not None and package.kind == "namespace" and package.in_site
    if package is not None and (empty or gone):
        fix = install_goal(view, "Delete %s, then install TensorFlow" % package.location)
        if owner is not None and owner.version.or_none():
            fix = (_reinstall(view, owner),)
        why = "files that it imports are missing" if gone else "an uninstall left its folder without __init__.py"
        seen = ["missing: %s" % path for path in gone[:3]] or ["its %s is there without __init__.py" % package.location]
        evidence = tuple(Evidence(text, package.path_entry) for text in seen)
        text = "TensorFlow is only partly installed: %s." % why
        yield Kind("install-corrupt", "error", ("tensorflow",)).finding(text, evidence, fix)
        return
    yield from _taken_for(view, True)
    yield from damaged_plugins(view)
    yield from (*_of_another_platform(view), *_left_behind(view))
    for item, blocks in _with_files(view):
        yield from _unreadable(view, item, blocks)
        yield from _of_another_release(view, item)
        cut = [text for text in item.damaged_files if " has " in text]
        if not (item.missing_count or cut):
            continue
        if item is owner and len(view.tensorflow_distributions) > 1:
            continue  # two distributions over one another: that is the cause
        names = [name for name in item.missing_files if _breaks(view, item, name, owner)]
        more = item.missing_count - len(item.missing_files)
        damaged = [text for text in cut if _breaks(view, item, text, owner)]
        count = item.missing_count + len(cut)
        seen = ["missing: %s" % name for name in (names or item.missing_files)[:3]]
        seen += (damaged or cut)[:3]
        # Headers, texts and tests are named last: where the last of the named is one, the rest are too.
        last = item.missing_files[-1] if more > 0 and item.missing_files else ""
        unsure = last.endswith(CODE_ENDINGS) and not ("/tests/" in last or last.startswith("tensorflow/include/"))
        fatal = bool(names or damaged or unsure)
        if item.name == "keras" and _imports_keras(view, damaged):
            blocks += ("tensorflow",)
        if blocks == ("jax",) and any(map(_stops_jax, damaged)):
            blocks += taken_along(view, blocks, "SyntaxError")
        saves = any(name in _FOR_SAVING or name.startswith("h5py/") for name in (*item.missing_files, *cut))
        severity = "error" if fatal else "warning" if saves else "info"
        yield Kind("install-corrupt", severity, blocks if fatal else ()).finding(
            _said_missing(item.name, count, fatal, saves),
            tuple(Evidence(text, item.record.source) for text in seen),
            (_reinstall(view, item),),
        )


def _of_another_release(view: View, item: Distribution) -> Iterable[Finding]:
    """The files of another release over those of the installed one: an installer takes them for the latter."""
    for text in item.damaged_files:
        _, is_of, version = text.partition(" is of ")
        if is_of:
            blocks = tuple(stopped_by(view, item.name, version))
            yield Kind("install-corrupt", "error" if blocks else "info", blocks).finding(
                "The files of %s are of %s, and its metadata of %s." % (item.name, version, item.version.or_none()),
                (Evidence(text, item.location),),
                (_reinstall(view, item),),
            )


def _reinstall(view: View, item: Distribution) -> Fix:
    version = item.version.or_none()
    return view.shell.reinstall_fix("Reinstall it", "%s==%s" % (item.name, version) if version else item.name)


def _said_missing(name: str, count: int, fatal: bool, saves: bool) -> str:
    said, them = ("1 file of %s is", "it") if count == 1 else ("%d files of %%s are" % count, "them")
    effect = "; importing and training do not need %s%s" % (them, ", saving a model does" if saves else "")
    return said % name + " missing or truncated%s." % ("" if fatal else effect)


def _of_another_platform(view: View) -> Iterable[Finding]:
    """Wheels for another system or processor: installed with ``--platform``, or a folder copied from another machine."""
    for item, blocks in _with_files(view):
        tags = item.platform_tags
        if not tags or any(map(view.target.is_meant, tags)):
            continue
        severity, blocks, effect = _without_native_code(item, blocks)
        yield Kind("install-corrupt", severity, blocks).finding(
            "The installed %s is for another platform (%s), so its native code can't be loaded%s."
            % (item.name, tags[0], effect),
            (Evidence(", ".join(tags[:3]), "%s/WHEEL" % item.location),),
            (_reinstall(view, item),),
        )


def _left_behind(view: View) -> Iterable[Finding]:
    """Seen to stop the import: files of TensorFlow 2.18 in 2.21 and of 2.21 in 2.18, of Keras 2.15 and 3.12 in 2.10."""
    owners = view.tensorflow_distributions
    for package in view.machine.python.packages:
        paths = [path for path in view.machine.python.stale_modules if path.startswith(package.location)]
        if not paths or package.name not in ("tensorflow", "keras") or len({item.name for item in owners}) > 1:
            continue
        owner = view.tensorflow if len(owners) > 1 and package.name == "tensorflow" else None
        yield Kind("install-corrupt", "error", (package.name,)).finding(
            "The import of %s takes %s, which another release left." % (package.name, paths[0]),
            tuple(Evidence("in no RECORD: %s" % path, package.path_entry) for path in paths[:3]),
            # Of two releases of one name, each has files that the other does not list.
            (_reinstall(view, owner) if owner is not None else Fix("Delete %s" % ", ".join(paths), changes="files"),),
        )


def _without_native_code(item: Distribution, blocks: Tuple[str, ...]) -> Tuple[str, Tuple[str, ...], str]:
    """Return the severity, what is blocked and the rest of the sentence, where no native code of a distribution loads."""
    if item.name != "h5py" and item.name not in _SPARED_MODULES:
        return "error", blocks, ""
    return "warning" if item.name == "h5py" else "info", (), "; importing and training do not need it"


def _unreadable(view: View, item: Distribution, blocks: Tuple[str, ...]) -> Iterable[Finding]:
    """Files that are there and that this user may not read: installed by another one, without rights for the others."""
    if not item.unreadable_files:
        return
    site, names = item.location.rpartition("/")[0], item.unreadable_files
    # Such a file stops the import as one with a mistake in it does; such a folder is empty to Python.
    texts = [name + (" has 1 bytes of 2" if name.endswith(".py") else "") for name in names]
    texts = [name if name.endswith(CODE_ENDINGS) or " " in name else name + "/__init__.py" for name in texts]
    broken = [name for name, text in zip(names, texts) if _breaks(view, item, text, view.tensorflow)]
    if item.name == "keras" and _imports_keras(view, texts):
        blocks += ("tensorflow",)
    if blocks == ("jax",) and any(_stops_jax(text) for text in texts if " has " in text):
        blocks += taken_along(view, blocks, "PermissionError")
    paths = ["%s/%s" % (site, name) for name in broken or names]
    whose = "belongs to %s" % item.owner if item.owner else "belongs to another user"
    text = "Let everybody read it (its owner or an administrator can)"
    effect = "" if broken else "; importing and training do not need it"
    yield Kind("install-corrupt", "error" if broken else "info", blocks if broken else ()).finding(
        "This user may not read all of %s: %s %s%s." % (item.name, paths[0], whose, effect),
        tuple(Evidence("not readable: %s" % path, item.record.source) for path in paths[:3]),
        (view.shell.root_fix(text, "chmod", "-R", "a+rX", *paths[:3], changes="files"),),
    )


#: Native modules without which a package falls back to Python (tried with TensorFlow 2.19).
_SPARED_MODULES = {"protobuf": "/_message.", "wrapt": "/_wrappers."}

#: Of the packages that TensorFlow imports: folders whose __init__.py has what the import takes from them, and what only
#: saving a model takes (each removed in turn, TensorFlow 2.21 on Python 3.11; h5py as a whole is the other).
_READ_AT_IMPORT = ("absl/flags/__init__.py", "urllib3/util/__init__.py")
_FOR_SAVING = ("absl/logging/__init__.py",)

#: Up to this size, a library that was cut short is refused by the dynamic linker; a longer one kills the process.
_REFUSED_BYTES = 1000


def _breaks(view: View, item: Distribution, text: str, owner: Optional[Distribution]) -> bool:
    """Return whether an import fails because a file is missing, or has too few bytes ("NAME has N bytes of M")."""
    name, _, size = text.partition(" has ")
    # h5py that cannot be imported counts as not installed.
    if item.name == "h5py" or _SPARED_MODULES.get(item.name, "\n") in name:
        if not size or (not name.endswith(".py") and int(size.partition(" ")[0]) <= _REFUSED_BYTES):
            return False
        return item.name != "wrapt"
    tensorflow = item.version.or_none() if item is owner else None
    if not view.matrix.needed(name, tensorflow) or "/tests/" in name:
        return False
    if item is owner or item.name not in _dependencies(view):
        return True
    # A folder without its __init__.py is a namespace package: its modules are found, and nothing that the file itself has.
    inner = name.endswith("/__init__.py") and name.count("/") > 1 and not size and name not in _READ_AT_IMPORT
    return not inner and not name.endswith("/__main__.py")


def _imports_keras(view: View, damaged: List[str]) -> bool:
    """Return whether TensorFlow's import stops in Keras: it catches an ImportError, and not the SyntaxError of a cut file."""
    cut = any(".py has " in text and " has 0 " not in text for text in damaged)
    return cut and version_at_least(view.tensorflow_version or "", "2.16") is True


def _stops_jax(text: str) -> bool:
    """Return whether a damaged file of JAX, which its import reads, raises a SyntaxError or ends the process."""
    name, _, size = text.partition(" has ")
    if not re.match(r"jax/(?:__init__|_src/\w+)\.py$|jaxlib/\w+\.py$|jaxlib/\w+\.so$", name):
        return False
    return int(size.partition(" ")[0]) > (0 if name.endswith(".py") else _REFUSED_BYTES)


def _dependencies(view: View) -> Tuple[str, ...]:
    """What the import of TensorFlow takes along, as far as no other name here stands for it."""
    version = view.tensorflow_version
    if version is None:
        return ()
    needs = view.matrix.imports("tensorflow", version, view.machine.python.version)
    names = [normal_name(text) for need in needs if need.breaks == "import" for text in need.needs]
    return tuple(name for name in dict.fromkeys(names) if name not in ("numpy", "protobuf", "ml-dtypes"))


def _with_files(view: View) -> Iterable[Tuple[Distribution, Tuple[str, ...]]]:
    """The distributions whose files matter, and what is blocked where they are gone."""
    python = view.machine.python
    uses: Tuple[str, ...] = ("tensorflow",) if view.has_tensorflow else ()
    uses += tuple(name for name in ("jax", "torch") if python.distribution(name) is not None)
    for names, blocks in (
        ((view.tensorflow.name,) if view.tensorflow is not None else (), ("tensorflow",)),
        (("numpy", "ml-dtypes"), uses + ("keras",)),
        (("protobuf", "h5py"), ("tensorflow",)),
        (_dependencies(view), ("tensorflow",)),
        (("keras", "keras-nightly", "optree", "rich", "namex"), ("keras",)),
        (("jax", "jaxlib"), ("jax",)),
        (("torch",), ("torch",)),
    ):
        for name in names:
            found = view.tensorflow if view.tensorflow is not None and name == view.tensorflow.name else None
            found = found or python.distribution(name)
            if found is not None:
                yield found, blocks


@rule("distributions-conflict", hidden_by=("python-unsupported", *UNLOADABLE))
def distributions_conflict(view: View) -> Iterable[Finding]:
    """Two or more distributions own the import package ``tensorflow`` (or ``onnxruntime``), or a plug-in is there twice."""
    found = [*mixed_onnxruntimes(view), *_tensorflow_twice(view)]
    yield from found
    # Without TensorFlow, nothing loads its plug-ins.
    if view.has_tensorflow and not any(finding.blocks for finding in found):
        yield from plugins_twice(view)
    # Last, for it ends where a version is not known.
    yield from overwritten_libraries(view)


def _tensorflow_twice(view: View) -> Iterable[Finding]:
    owners = view.tensorflow_distributions
    if len({item.name for item in owners}) < 2:
        return
    labels = ["%s %s" % (item.name, item.version.or_none() or "?") for item in owners]
    keep = view.tensorflow or owners[0]
    stale = view.machine.python.stale_modules
    intact = not (keep.missing_count or keep.damaged_files or stale)
    requirement = "%s==%s" % (keep.name, keep.version.or_none()) if keep.version.or_none() else keep.name
    # Of one release, each works with the other's files; what is left after an uninstall does not.
    blocks = () if intact else ("tensorflow",)
    severity = "error" if not intact else "info" if len({item.version.or_none() for item in owners}) == 1 else "warning"
    yield Kind("distributions-conflict", severity, blocks).finding(
        "%s install into the same folder 'tensorflow', so the last one overwrote the other." % " and ".join(labels),
        tuple(Evidence(label, item.location) for label, item in zip(labels, owners))
        + tuple(Evidence("left by another release: %s" % name) for name in stale[:2]),
        repair_install(
            view,
            "Uninstall all of them, then install the one you want",
            requirement,
            remove=[item.name for item in owners],
        ),
    )


_ALL = ("tensorflow", "keras", "jax", "torch")

#: What does not work if a local file shadows one of these packages.
SHADOW_BLOCKS: Dict[str, Tuple[str, ...]] = {
    **dict.fromkeys(
        (
            "numpy", "google", "google.protobuf", "ml_dtypes", "absl", "astunparse", "flatbuffers", "gast", "opt_einsum",
            "packaging", "pasta", "six", "termcolor", "typing_extensions", "wrapt", "certifi", "idna", "urllib3",
            "keras_preprocessing", "tensorflow_core",
        ),
        _ALL,
    ),
    "keras": ("keras",), "tf_keras": ("tf.keras",), "jax": ("jax",), "jaxlib": ("jax",), "torch": ("torch",),
    "tensorflow": ("tensorflow",), "torch_directml": (), "openvino": (), "rich": ("keras",), "optree": ("keras",),
    "namex": ("keras",), "scipy": ("keras",), "tree": ("keras",), "sympy": ("torch",), "mpmath": ("torch",),
    "tensorboard": (), "setuptools": (), "requests": (), "h5py": (), "pandas": ("keras",),
}  # fmt: skip

#: Modules of the standard library without which a step of training fails: each replaced by a file with one assignment
#: (TensorFlow 2.19 and 2.21, JAX 0.12, PyTorch 2.13); TensorFlow 2.10 and 2.15 and JAX 0.4.30 import them too. Frameworks
#: import others as well, and do without what is in them.
_LIBRARY_BLOCKS = {
    name: blocks
    for blocks, names in (
        (
            _ALL,
            "ast base64 binascii bisect collections contextlib contextvars copyreg dataclasses datetime dis email enum "
            "functools http importlib inspect keyword logging math numbers opcode operator pathlib platform quopri random re "
            "reprlib select selectors socket string tempfile textwrap threading token tokenize types typing urllib warnings "
            "weakref",
        ),
        (("tensorflow", "torch"), "asyncio ctypes fnmatch heapq linecache queue ssl traceback unittest"),
        (("tensorflow", "keras", "torch"), "concurrent json multiprocessing pickle struct subprocess"),
        (("tensorflow", "jax"), "decimal hashlib sysconfig"),
        (("tensorflow",), "calendar unicodedata xml zlib"),
        (("torch",), "cmath glob mmap pprint signal timeit"),
        (("keras", "jax", "torch"), "copy"),
        (("keras",), "colorsys"),
        (("jax",), "cmd socketserver"),
        (_ALL, "hmac secrets"),
    )
    for name in names.split()
}


@rule("module-shadowed", hidden_by=UNLOADABLE)
def module_shadowed(view: View) -> Iterable[Finding]:
    """A local file or folder shadows the real package, or a module of the standard library."""
    yield from _of_another_python(view)
    yield from _taken_for(view, False)
    for package in view.machine.python.packages:
        if package.in_site or package.kind == "namespace" or not package.hides:
            continue
        # TensorFlow imports Keras only when it is asked for (seen from 2.5 to 2.21).
        blocks, what = SHADOW_BLOCKS.get(package.name, ()), "real package '%s': Python imports it instead"
        if package.name == "scipy" and not uses_scipy(view):
            blocks, what = (), what + ", which the frameworks do without"
        if package.name not in SHADOW_BLOCKS:
            blocks, what = _LIBRARY_BLOCKS.get(package.name, ()), "module '%s' of Python itself"
            blocks = tuple(name for name in blocks if _uses_library(view, name, package.name))
            what += "" if blocks else ", without which training was seen to work"
        summary = "%s shadows the %s." % (package.location, what % package.name)
        yield Kind("module-shadowed", "error" if blocks else "info", blocks).finding(
            summary,
            (Evidence(package.location, "sys.path: %s" % package.path_entry), Evidence("hides %s" % package.hides[0])),
            (Fix("Rename %s (and delete its __pycache__)" % package.location, changes="files"),),
        )


def _taken_for(view: View, in_site: bool) -> Iterable[Finding]:
    """What Keras does without where it is not there, and takes a folder or a file of that name for.

    Tried with Keras 2.10, 2.15 (only training fails), 3.1 and 3.15, tf-keras 2.19; jax since its callback for Orbax.
    """
    keras = keras_version(view) or ""
    for package in view.machine.python.packages:
        since = {"pandas": "2.10", "jax": "3.13"}.get(package.name)
        if since is None or package.hides or view.machine.python.distribution(package.name) is not None:
            continue
        kinds = ("namespace",) if in_site else ("namespace", "module")
        site = package.path_entry.endswith(("site-packages", "dist-packages"))
        if site == in_site and package.kind in kinds and version_at_least(keras, since):
            code, text = ("install-corrupt", "Delete") if in_site else ("module-shadowed", "Rename")
            yield Kind(code, "error", ("keras",) if is_keras3(keras) else ("keras.fit",)).finding(
                "Keras takes %s for the package '%s', which is not installed, and fails."
                % (package.location, package.name),
                (Evidence("module '%s' has no attribute" % package.name, package.path_entry),),
                (Fix("%s %s" % (text, package.location), changes="files"),),
            )


#: Not imported by TensorFlow 1.15 on Python 3.7.
_NOT_BEFORE_2 = ("asyncio", "concurrent", "contextvars", "unicodedata")


def _uses_library(view: View, framework: str, module: str) -> bool:
    if module in ("hmac", "secrets"):
        # NumPy imports its random numbers with the rest up to 1.26, and does without this module up to 1.22 (seen).
        numpy = view.machine.python.version_of("numpy")
        if numpy is None or accepts(">=1.23,<2", numpy) is not True:
            return False
    if framework == "tensorflow" and module in _NOT_BEFORE_2 and (view.tensorflow_version or "").startswith("1."):
        return False
    return framework == "keras" or is_there(view, framework)


def _of_another_python(view: View) -> Iterable[Finding]:
    """Native packages that were installed for another Python version, which ``PYTHONPATH`` or a copied folder brings in."""
    python = view.machine.python
    for found, blocks in _with_files(view):
        if not found.python_tags or any(_fits_python(tag, python.version) for tag in found.python_tags):
            continue
        made_for = ", ".join(tag.partition("-")[0] for tag in found.python_tags)
        folder = found.location.rpartition("/")[0]
        path = view.machine.process.env("PYTHONPATH") or ""
        fixes: Tuple[Fix, ...] = (_reinstall(view, found),)
        if folder and folder in path.replace(";", ":").split(":"):
            fixes = (view.shell.unset_fix("PYTHONPATH", "Unset it: the environment has its own packages"),)
        severity, blocks, effect = _without_native_code(found, blocks)
        yield Kind("module-shadowed", severity, blocks).finding(
            "The %s that Python %s imports was installed for another Python (%s)%s."
            % (found.name, python.version, made_for, effect),
            (Evidence(", ".join(found.python_tags), "%s/WHEEL" % found.location),),
            fixes,
        )
        if blocks:
            return  # the rest of that folder is of the same Python


def _fits_python(tag: str, version: str) -> bool:
    """Return whether a wheel's tag of Python and ABI (``cp311-cp311``) is for a Python version."""
    interpreter, _, abi = tag.partition("-")
    number, here = re.match(r"cp3(\d+)$", interpreter), re.match(r"\d+\.(\d{1,4})(?!\d)", version)
    if number is None or here is None:  # py3, py2.py3, or another implementation; a snapshot that does not say it
        return True
    minor, wanted = int(here.group(1)), int(number.group(1))
    return minor >= wanted if abi == "abi3" or abi == "none" else minor == wanted


def _location(view: View, name: str) -> str:
    found = view.machine.python.distribution(name)
    return found.location if found else ""


@rule("numpy-incompatible", hidden_by=BROKEN_INSTALL)
def numpy_incompatible(view: View) -> Iterable[Finding]:
    """A framework does not work with the installed NumPy: it was built against another one, or uses what that dropped."""
    if view.known_row is not None or view.machine.python.distribution("jax", "torch") is not None:
        found = list(unfit(view, "numpy-incompatible", ("numpy",), keras3_on(view), pages.NUMPY_2))
        yield from found
        if not any(item.blocks for item in found):
            yield from _built_for_numpy_1(view)


#: What Keras imports where it is installed: what of it was built for NumPy 2, and the first Keras that imports it.
_BUILT_FOR_NUMPY_2 = (("pandas", ">=2.2.2,<3", "3"), ("scikit-learn", ">=1.4.2", "3.8"))


def _built_for_numpy_1(view: View) -> Iterable[Finding]:
    """What Keras would do without, if its import raised an ImportError: with NumPy 2 it raises a ValueError.

    Seen with NumPy 2.0 and 2.1, pandas 1.5.3 to 2.2.2, scikit-learn 1.2 to 1.5: TensorFlow 2.18 to 2.21, which import Keras
    when they are imported, Keras 3.1 to 3.15, tf-keras 2.21 (pandas only).
    """
    python = view.machine.python
    numpy, keras, legacy = python.version_of("numpy"), keras_version(view), legacy_keras(view)
    if not numpy or accepts(">=2", numpy) is not True or not (is_keras3(keras) or legacy):
        return
    old = []
    for name, built, since in _BUILT_FOR_NUMPY_2:
        there = python.version_of(name)
        imported = name == "pandas" if legacy else version_at_least(str(keras), since)
        if imported and there and version_at_least(there, built[2:].partition(",")[0]) is False:
            old.append((name, there, name + built))
    if not old:
        return
    labels, wanted = ["%s %s" % item[:2] for item in old], [item[2] for item in old]
    verb, them = ("was", "it") if len(old) == 1 else ("were", "them")
    blocks = ("tensorflow", "keras") if view.has_tensorflow else ("keras",)
    yield Kind("numpy-incompatible", "error", blocks, pages.NUMPY_2).finding(
        "%s %s built for NumPy 1, and NumPy %s is installed: Keras imports %s, and fails with %s."
        % (" and ".join(labels), verb, numpy, them, them),
        tuple(Evidence(label, _location(view, item[0])) for label, item in zip(labels, old))
        + (Evidence("numpy.dtype size changed, may indicate binary incompatibility", "its import with NumPy 2"),),
        repair_install(view, "Install what was built for NumPy 2", *wanted),
    )


@rule("protobuf-incompatible", hidden_by=BROKEN_INSTALL)
def protobuf_incompatible(view: View) -> Iterable[Finding]:
    """The installed protobuf cannot load TensorFlow's generated code."""
    row, protobuf = view.known_row, view.version("protobuf")
    if row is None or protobuf is None:
        return
    name = "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"
    chosen = view.machine.process.env(name)
    if chosen is not None and chosen not in ("python", "upb") and accepts(">=4", protobuf):
        what = "protobuf's C++ implementation" if chosen == "cpp" else "'%s'" % chosen[:20]
        has = "no longer has" if chosen == "cpp" else "does not have"
        yield Kind("protobuf-incompatible", "error", ("tensorflow",), pages.PROTOBUF).finding(
            "%s selects %s, which protobuf %s %s." % (name, what, protobuf, has),
            (Evidence("%s=%s" % (name, chosen), "environment"), Evidence("protobuf %s" % protobuf)),
            (view.shell.unset_fix(name, "Unset the variable"),),
        )
    elif pure_protobuf(view) and accepts(">=4", protobuf) and accepts(row.protobuf, protobuf) is False:
        # The refusal of old generated code is in the faster implementations only. Up to 2.1 TensorFlow works with this one;
        # from 2.2 to 2.11 it starts no device (seen with 4.25, 5 and 7: "does not support item assignment"; not with 4.24).
        if version_at_least(view.tensorflow_version or "", "2.2") and accepts(">=4.25", protobuf):
            yield Kind("protobuf-incompatible", "error", ("tensorflow.gpu", "keras.fit"), pages.PROTOBUF).finding(
                "%s can be imported with the pure-Python protobuf %s, but computes nothing: it needs protobuf %s."
                % (view.tensorflow_label, protobuf, row.protobuf),
                (Evidence("protobuf %s" % protobuf, _location(view, "protobuf")), Evidence(pure_protobuf(view))),
                repair_install(view, "Install a compatible protobuf", "protobuf" + shortest(row.protobuf, protobuf)),
            )
    else:
        yield from unfit(view, "protobuf-incompatible", ("protobuf",), url=pages.PROTOBUF)
