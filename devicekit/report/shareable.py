"""A machine as it may be given to others: facts keep what rules use, and nothing that says who or where.

Probes already mask this user's home, name and host. Here it is the other way round: of a path only known parts stay, of an
address of the web only known hosts, of a variable only what has the form of a setting. What is masked stays
distinguishable (``<1>``, ``<2>``), so that the same path is the same everywhere.
"""

import re
from typing import Any, Dict, Iterable, List, Match

from ..logs.scrub import scrub
from ..machine.facts import Machine
from ..machine.host import Host
from ..machine.probe.process import PRESENCE_ONLY, VARIABLES

#: Parts of paths that are the same on many machines, in lower case.
_PARTS = frozenset(
    (
        "~", ".", "..", "bin", "sbin", "lib", "lib32", "lib64", "libexec", "include", "share", "local", "usr", "opt", "etc",
        "var", "tmp", "home", "users", "root", "mnt", "media", "run", "lock", "proc", "sys", "dev", "python", "python3",
        "scripts", "dlls", "site-packages", "dist-packages", "envs", "env", "venv", ".venv", ".env", "virtualenv",
        ".virtualenvs", "virtualenvs", ".local", ".cache", ".config", ".keras", ".conda", "conda", "conda-meta", "miniconda",
        "miniconda2", "miniconda3", "anaconda", "anaconda2", "anaconda3", "miniforge", "miniforge3", "mambaforge", "mamba",
        "micromamba", "pkgs", ".pyenv", "pyenv", "versions", "shims", ".asdf", "installs", "nvidia", "cuda", "cudnn", "nccl",
        "rocm", "hip", "extras", "cupti", "targets", "stubs", "lib-dynload", "pipx", "uv", "tools", "poetry", "pypoetry",
        "cpython", "hostedtoolcache", "current", "snap", "nix", "store", "wsl", "llvm", "oneapi", "intel", "compiler", "mkl",
        "windows", "system32", "program", "files", "(x86)", "programdata", "appdata", "roaming", "programs", "microsoft",
        "windowsapps", "frameworks", "python.framework", "system", "library", "caches", "application", "support", "homebrew",
        "cellar", "linuxbrew", ".linuxbrew", "contents", "developer", "commandlinetools", "nvidia", "corporation", "gpu",
        "computing", "toolkit", "wbem", "openssh", "windowspowershell", "v1.0", "syswow64", "games", "workspace", "app",
        "src", "content", "kaggle", "working", "databricks", "jupyter", "condabin", "mingw-w64", "mingw64", "usr-merge",
        "archive-v0", "environments-v2", "compat", "dkms", "sysctl", "tf", "ptxas", "nvvm", "libdevice", "libdevice.10.bc",
        "libnvvp", "directml", ".info", "version", ".dockerenv", ".containerenv", "project", "keras.json", "pyvenv.cfg",
        "tensorflow", "keras", "jax", "jaxlib", "torch", "numpy",
    )
)  # fmt: skip
_PART = re.compile(
    r"(?:lib)?python[\dt.]*(?:w|\.exe|\.zip|\.dll|\.dylib|\.so[\d.]*)?|v?\d[\d.]*(?:-\w{1,20})?|cp\d+\S*|cpython-\S+"
    r"|(?:cuda|rocm|cudnn|tensorrt|llvm|gcc|python@)[-_]?v?\d[\d.]*|lib[\w.+-]+\.(?:so|dylib)[\d.]*|[\w.+-]+\.dll"
    r"|(?:tensorflow|keras|jax|torch|numpy|typing)\.py|(?:x86_64|aarch64|i386|arm64|sbsa)[\w.-]*|[a-z]:?",
    re.IGNORECASE,
)

#: Below these, everything is the system's or a package's own.
_PUBLIC = re.compile(
    r"(?:^/(?:proc|sys|dev|etc|lib\w*|usr/(?:lib\w*|share|src|include|bin)|bin|sbin|System|Library)|[\\/](?:site|dist)-packages"
    r"|^[A-Z]:[\\/]Windows)(?=[\\/]|$)",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?<![\w.:/~\\<>-])(?:~(?=[\\/])|/|[A-Za-z]:[\\/])[^\s:;,'\"|()\[\]{}=]*")
_WHOLE = re.compile(r"(?:~(?=[\\/]|$)|/|[A-Za-z]:[\\/])[^:;]*")
_ADDRESS = re.compile(
    r"\b([A-Za-z][A-Za-z0-9+.-]{0,20}://)(?:[^/\s@]*@)?([^/\s?#'\",;]*)([^\s?#'\",;]*)(?:[?#][^\s'\",;]*)?"
)
_HOSTS = (
    "pypi.org", "pythonhosted.org", "github.com", "pytorch.org", "nvidia.com", "googleapis.com", "amd.com", "anaconda.org",
    "tensorflow.org", "keras.io", "intel.com", "microsoft.com", "apple.com", "python.org",
)  # fmt: skip

#: What a variable may hold besides paths: settings, numbers, identifiers of devices, flags.
_SETTING = re.compile(r"[\w.,:;*+=@!\- ]{0,300}")
_FLAG = re.compile(r"(--?[\w-]{1,100})(=[\w.,:+()'~/\\-]{0,200})?")
_INSTALLERS = ("pip", "uv", "conda", "poetry", "pdm", "pixi", "mamba", "debian", "rpm", "hatch", "")

#: Names that say nothing of a person or a machine.
_NO_NAMES = _PARTS | {
    "localhost",
    "user",
    "admin",
    "ubuntu",
    "gpu",
    "cpu",
    "test",
    "runner",
    "jovyan",
    "none",
    "true",
    "false",
}


class _Mask:
    def __init__(self, names: Iterable[str]) -> None:
        self._numbers: Dict[str, str] = {}
        words = sorted({name.lower() for name in names if len(name) > 1} - _NO_NAMES, key=len, reverse=True)
        self._names = re.compile(
            r"(?<![A-Za-z])(?:%s)(?![A-Za-z])" % "|".join(map(re.escape, words)) if words else r"(?!)", re.IGNORECASE
        )

    def text(self, text: str) -> str:
        """Return a text without what is not known to be harmless."""
        text = _ADDRESS.sub(self._address, text)
        if _WHOLE.match(text) and "://" not in text:
            parts = re.split("(;|, )" if "\\" in text or ";" in text else "(:|, )", text)
            text = "".join(self.path(part) if _WHOLE.fullmatch(part) else _PATH.sub(self._path, part) for part in parts)
        else:
            text = _PATH.sub(self._path, text)
        return self._names.sub("<name>", scrub(text))

    def _path(self, found: "Match[str]") -> str:
        return self.path(found.group())

    def path(self, path: str) -> str:
        """Return a path of which only known parts are left."""
        public = _PUBLIC.search(path)
        end = public.end() if public is not None else len(path)
        rest, space, text = path[end:].partition(" ")
        out: List[str] = []
        for part in re.split(r"([\\/])", path[:end]):
            known = part in ("", "/", "\\") or part.startswith("<") or self._is_known(part)
            out.append(part if known else self._masked(part))
        return "".join(out) + rest + (self.text(space + text) if space else "")

    @staticmethod
    def _is_known(part: str) -> bool:
        words = part.lower().split()
        return bool(_PART.fullmatch(part)) or all(word in _PARTS for word in words)

    def _masked(self, part: str) -> str:
        return self._numbers.setdefault(part, "<%d>" % (len(self._numbers) + 1))

    @staticmethod
    def _address(found: "Match[str]") -> str:
        scheme, host, path = found.groups()
        known = any(host == name or host.endswith("." + name) for name in _HOSTS)
        return scheme + (host + path if known else "<host>")

    def variable(self, name: str, value: str) -> str:
        """Return the value of a variable: flags, paths and settings."""
        if name.endswith("_FLAGS") and value.lstrip().startswith("-"):
            flags = (_FLAG.match(word) for word in value.split())
            return " ".join(
                self.text(flag.group()) if flag.end() == len(flag.string) else flag.group(1) + "=<value>"
                for flag in flags
                if flag is not None
            )
        if name == "TPU_NAME":
            return "<set>"
        if _WHOLE.match(value) or _SETTING.fullmatch(value):
            return self.text(value)
        return "<set>" if not _PATH.search(value) and "://" not in value else self.text(value)

    def data(self, data: Any) -> Any:
        """Return plain data with all its texts masked."""
        if isinstance(data, str):
            return self.text(data)
        if isinstance(data, list):
            return [self.data(item) for item in data]
        if isinstance(data, dict):
            return {key: self.data(value) for key, value in data.items()}
        return data


def names_of(host: Host) -> List[str]:
    """Return the names that mean this user or this machine."""
    environ = host.environ()
    names = [host.user, host.node, host.node.partition(".")[0], host.path.basename(host.home)]
    return names + [environ.get(name, "") for name in ("USER", "USERNAME", "LOGNAME", "SUDO_USER", "HOSTNAME")]


def shareable(machine: Machine, names: Iterable[str] = ()) -> Machine:
    """Return a machine without what says who uses it and where; its diagnosis is the same.

    Parameters
    ----------
    machine : Machine
    names : iterable of str
        Names of the user and the host, masked wherever they are; see `names_of`.
    """
    mask = _Mask(names)
    data = machine.to_dict()
    variables = data["process"]["environ"]
    data["process"]["environ"] = []
    data = mask.data(data)
    known = VARIABLES + PRESENCE_ONLY
    data["process"]["environ"] = [[name, mask.variable(name, value)] for name, value in variables if name in known]
    for item in _distributions(data):
        if item.get("installer", "") not in _INSTALLERS:
            item["installer"] = "<other>"
    return Machine.from_dict(data)


def _distributions(data: Any) -> List[Dict[str, Any]]:
    fact = data["python"]["distributions"]
    found = fact.get("value") if isinstance(fact, dict) else None
    return [item for item in found or [] if isinstance(item, dict)]
