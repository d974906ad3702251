"""Describes the interpreter that runs it.

Runs inside the examined interpreter (``doctor --python PATH``), whatever is installed there: standard library only,
Python 3.6 and later, imports nothing of devicekit. The same function describes this process.
"""

import os
import sys

WATCHED = ("tensorflow", "keras", "tf_keras", "jax", "torch")


def describe(as_script=False):  # type: (bool) -> dict[str, object]
    """Return what `devicekit.machine.host.Interpreter` holds.

    ``as_script``: with the working folder first on the path, where a user's script would have its own folder.
    """
    from importlib.machinery import EXTENSION_SUFFIXES

    try:
        cwd = os.getcwd()
    except OSError:  # the working folder was deleted
        cwd = ""
    path = [entry for entry in sys.path if isinstance(entry, str)]
    if as_script and not getattr(sys.flags, "safe_path", False):
        path = [cwd] + path
    path = [os.path.abspath(entry) if entry else cwd for entry in path] if cwd else [entry for entry in path if entry]
    site = sys.modules.get("site")
    user_site = ""
    site_paths = []  # type: list[str]
    if site is not None:
        if getattr(site, "ENABLE_USER_SITE", None):
            user_site = site.getusersitepackages()
        # The virtualenv of the Python 2 days replaced the site module by one without this function.
        if hasattr(site, "getsitepackages"):
            site_paths = list(site.getsitepackages())
    imported = [(name, sys.modules[name]) for name in WATCHED if sys.modules.get(name) is not None]
    if hasattr(os, "uname"):
        architecture = os.uname().machine
        if sys.maxsize <= 2**32 and architecture == "x86_64":
            architecture = "i686"
    else:
        # sys.version ends with the compiler's target: "... [MSC v.1916 64 bit (AMD64)]"
        architecture = sys.version.rpartition("(")[2].partition(")")[0]
    return {
        "implementation": sys.implementation.name,
        "version": "%d.%d.%d" % sys.version_info[:3] + ("" if sys.version_info[3] == "final" else sys.version_info[3]),
        "bits": 64 if sys.maxsize > 2**32 else 32,
        "executable": sys.executable or "",
        "prefix": sys.prefix,
        "base_prefix": getattr(sys, "base_prefix", sys.prefix),
        # A frozen program has no file of the module.
        "stdlib": os.path.dirname(getattr(os, "__file__", "")),
        "architecture": architecture,
        "sys_path": path,
        "site_paths": site_paths,
        "user_site": user_site,
        "extension_suffixes": list(EXTENSION_SUFFIXES),
        "cwd": cwd,
        "modules": [[name, version_of(module)] for name, module in imported],
        "keras_backend": keras_backend(),
        "problem": wrong_library(),
        "lacking": lacking_modules(),
    }


def version_of(module):  # type: (object) -> str
    """Return the version of an imported module as far as it tells one; one that is half imported may raise anything."""
    try:
        return str(getattr(module, "__version__", ""))[:200]
    except KeyboardInterrupt:
        raise
    except BaseException:
        return ""


def wrong_library():  # type: () -> str
    """Return the variable that leads to the standard library of another build, which lacks parts that this one needs."""
    from importlib.util import find_spec

    if not os.environ.get("PYTHONHOME") or all(find_spec(name) for name in ("math", "_struct", "_ctypes")):
        return ""
    return "PYTHONHOME"


def lacking_modules():  # type: () -> list[str]
    """Return the extension modules without which no framework can be imported (tried: TensorFlow, JAX, PyTorch), if not there.

    A Python that was compiled where libffi's or zlib's headers were missing has none; it does without ``_ssl``, ``_bz2``,
    ``_lzma`` and ``_sqlite3`` as well, and frameworks do too.
    """
    from importlib.util import find_spec

    return [name for name in ("_ctypes", "zlib") if name not in sys.modules and find_spec(name) is None]


def keras_backend():  # type: () -> str
    """Return the backend of the Keras 3 that is imported here, "" where there is none: nothing is imported for this."""
    config = sys.modules.get("keras.src.backend.config")
    return str(getattr(config, "_BACKEND", ""))


def main(task, say):  # type: (dict[str, object], object) -> dict[str, object]
    """Return the description; see `devicekit.children.child`. ``variables`` of the task: names of those that matter."""
    found = describe(as_script=True)
    found["preset"] = [[name, os.environ[name]] for name in task["variables"] if name in os.environ]  # type: ignore
    return found
