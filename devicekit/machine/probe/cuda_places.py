"""Where CUDA's libraries can be: the dynamic linker's path, pip's and conda's packages, the toolkits' folders.

`cuda-pathfinder` knows the same places and cannot serve here: it takes the first library of a name whatever its major
version is, looks in ``site.getsitepackages()`` only, and says where a library is, not whether a framework would find it.
"""

import re
from typing import Iterator, List, Tuple

from ..host import Host

#: The dynamic linker's own folders, looked at after its cache (ld.so(8)); distributions differ.
LOADER_FOLDERS = (
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib64",
    "/usr/lib64", "/lib", "/usr/lib",
)  # fmt: skip


def loader_path(host: Host) -> Tuple[str, ...]:
    """The folders of the path variable. On Linux the dynamic linker reads it once, at the start."""
    windows = host.system == "windows"
    variable = {"windows": "PATH", "macos": "DYLD_LIBRARY_PATH"}.get(host.system, "LD_LIBRARY_PATH")
    value = host.variable(variable)
    if host.system == "linux":
        try:
            then = host.read_text("/proc/self/environ", 4 << 20).split("\0")
            value = next((item.partition("=")[2] for item in then if item.startswith(variable + "=")), "")
        except OSError:  # no proc: nothing says that it was changed
            pass
    if not value:
        return ()
    # An empty part is the working folder to the dynamic linker, as the shell's "$LD_LIBRARY_PATH:" makes it.
    parts = re.split("[;]" if windows else "[:;]", value)
    cwd = host.interpreter.cwd
    if windows:
        folders = [host.path.normpath(host.join(cwd, part)) for part in parts if part]
    else:
        folders = [host.path.normpath(part) if part else cwd for part in parts]
    return tuple(dict.fromkeys(folder for folder in folders if folder))


def windows_steps(host: Host) -> List[Tuple[str, Tuple[str, ...]]]:
    """The folders that Windows searches for the name of a DLL, in its order, by the step that says so.

    TensorFlow passes LOAD_WITH_ALTERED_SEARCH_PATH, which changes nothing for a name without a folder; what
    ``os.add_dll_directory`` adds counts for neither (learn.microsoft.com: Dynamic-link library search order).
    """
    root = host.system_folder()
    system = tuple(host.join(root, name) if name else root for name in ("System32", "System", ""))
    python = host.interpreter
    # In a virtual environment python.exe starts the one that it was made with.
    return [
        ("interpreter", (host.path.normpath(python.base_prefix),)),
        ("system", system),
        ("working folder", (python.cwd,) if python.cwd else ()),
        ("PATH", loader_path(host)),
    ]


def wheel_folders(host: Host) -> Iterator[str]:
    """The folders of pip's nvidia packages with libraries in them, in every folder of the path."""
    windows = host.system == "windows"
    for entry in dict.fromkeys(host.interpreter.sys_path):
        base = host.join(entry, "nvidia")
        try:
            names = host.list_dir(base)
        except OSError:  # no such packages here, which is the usual case
            continue
        for item in names:
            if item.is_dir:
                folder = host.join(base, item.name, "bin" if windows else "lib")
                yield folder
                if windows:  # from CUDA 13 on
                    yield host.join(folder, "x86_64")


def conda_folders(host: Host) -> Iterator[str]:
    """The folders of conda environments with libraries in them."""
    prefixes = [host.environ().get("CONDA_PREFIX", ""), host.interpreter.prefix, host.interpreter.base_prefix]
    for prefix in dict.fromkeys(filter(None, prefixes)):
        if host.is_dir(host.join(prefix, "conda-meta")):
            if host.system == "windows":
                yield host.join(prefix, "Library", "bin")
            else:
                yield host.join(prefix, "lib")
                yield host.join(prefix, "targets", "%s-linux" % host.architecture, "lib")


#: Variables that name a toolkit's folder.
FOLDER_VARIABLES = ("CUDA_DIR", "CUDA_HOME", "CUDA_PATH")


def toolkits(host: Host) -> Iterator[Tuple[str, str]]:
    """Folders that may be a CUDA toolkit, and how they were found."""
    environ = host.environ()
    for name in sorted(environ):
        if environ[name] and (name in FOLDER_VARIABLES or re.match(r"CUDA_PATH_V\d+_\d+$", name)):
            yield environ[name], name
    parent = "/usr/local"
    if host.system == "windows":
        parent = host.join(host.system_folder("PROGRAMFILES"), "NVIDIA GPU Computing Toolkit", "CUDA")
    for name in host.names_if_any(parent):
        if re.match(r"cuda(-[\d.]+)?$" if host.system != "windows" else r"v\d+\.\d+$", name):
            yield host.join(parent, name), "toolkit"
    if host.system == "linux":
        for folder in ("/opt/cuda", "/usr/lib/cuda"):
            yield folder, "toolkit"


def below(host: Host, folder: str) -> Tuple[str, ...]:
    """The folders of a toolkit with libraries in them, each once: some are links to others."""
    if host.system == "windows":
        return host.join(folder, "bin"), host.join(folder, "bin", "x64")
    inside = ("lib64", "lib", host.join("targets", "%s-linux" % host.architecture, "lib"))
    folders = {host.real_path(path): path for path in reversed([host.join(folder, part) for part in inside])}
    return tuple(reversed(list(folders.values())))
