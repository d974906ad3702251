"""Whether NVIDIA's management library (NVML) can be asked, and the question.

It is put before anything else is read, and before the facts and the other probes are even imported: it takes as long as
all of these together.
"""

from typing import Any, Dict, NamedTuple, Optional, Tuple

from ..driver_query import Question
from ..host import Host

_LIBRARY = "libnvidia-ml.so.1"

#: Signs of a driver of NVIDIA's: its kernel module, its device nodes, WSL's bridge to Windows' driver.
_SIGNS = ("/proc/driver/nvidia", "/dev/nvidiactl", "/dev/dxg")

#: The dynamic linker's own folders, where it has no cache; and where WSL keeps the driver, which its loader may not know.
_LOADER_FOLDERS = ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib")
_WSL_FOLDER = "/usr/lib/wsl/lib"


class NvmlQuestion(NamedTuple):
    """What was asked: the child that answers, or why no one was asked (``needless``: there is nothing to ask about).

    ``task`` is what the child is given.
    """

    question: Optional[Question] = None
    library: str = ""
    reason: str = ""
    needless: bool = False
    sign: bool = True
    task: Optional[Dict[str, Any]] = None


def ask_nvml(host: Host, sign: bool = False) -> NvmlQuestion:
    """Ask NVML, where there is a sign of NVIDIA's driver, and its library and nvidia-ml-py are there. Returns at once.

    Parameters
    ----------
    host : Host
        The machine.
    sign : bool
        Whether a sign was seen already: an NVIDIA GPU on the bus, which takes longer to look for.
    """
    found = nvml_task(host, sign)
    return found if found.task is None else found._replace(question=host.ask("nvml", found.task))


def nvml_task(host: Host, sign: bool = False) -> NvmlQuestion:
    """Return what to give to ``nvml_child.py``, if there is a sign of NVIDIA's driver, its library and nvidia-ml-py.

    Parameters
    ----------
    host : Host
        The machine.
    sign : bool
        Whether a sign was seen already: an NVIDIA GPU on the bus, which takes longer to look for.
    """
    if host.system not in ("linux", "windows"):
        return NvmlQuestion(reason="there is no sign of an NVIDIA GPU", needless=True)
    if host.system == "linux" and not sign and not any(host.exists(path) for path in _SIGNS):
        return NvmlQuestion(reason="there is no sign of an NVIDIA GPU", needless=True, sign=False)
    path, known = _find_library(host)
    if not path:
        name = "nvml.dll" if host.system == "windows" else _LIBRARY
        return NvmlQuestion(reason="%s was not found" % name, needless=True)
    module = _find_module(host)
    if not module:
        return NvmlQuestion(library=path, reason="nvidia-ml-py is not installed")
    task = {"pynvml": module}
    if not known:
        task["library"] = path
    return NvmlQuestion(library=path, task=task)


def _find_library(host: Host) -> Tuple[str, bool]:
    """Find the library, and say whether the dynamic linker finds it by its name alone."""
    if host.system == "windows":
        # Where nvidia-ml-py looks: what drivers install now, and what they did up to 2018.
        now = host.join(host.system_folder(), "System32", "nvml.dll")
        then = host.join(host.system_folder("PROGRAMFILES"), "NVIDIA Corporation", "NVSMI", "nvml.dll")
        return next((path for path in (now, then) if host.exists(path)), ""), True
    folders = [part for part in host.environ().get("LD_LIBRARY_PATH", "").split(":") if part]
    cache = host.loader_cache()
    if not cache:
        folders += _LOADER_FOLDERS
    for folder in folders:
        if host.exists(host.join(folder, _LIBRARY)):
            return host.join(folder, _LIBRARY), True
    if _LIBRARY in cache:
        return cache[_LIBRARY], True
    path = host.join(_WSL_FOLDER, _LIBRARY)
    return (path, False) if host.exists(path) else ("", False)


def _find_module(host: Host) -> str:
    """Find nvidia-ml-py among the folders of installed packages, or next to devicekit; never in a user's own folder."""
    interpreter = host.interpreter
    folders = [*interpreter.site_paths, interpreter.user_site]
    folders += [item for item in interpreter.sys_path if host.path.basename(item) in ("site-packages", "dist-packages")]
    for folder in dict.fromkeys(filter(None, folders)):
        # The project `pynvml` of before 2023 has the same module inside a package.
        for name in (("pynvml.py",), ("pynvml", "nvml.py")):
            path = host.join(folder, *name)
            if host.is_file(path):
                return path
    return host.own_module("pynvml")
