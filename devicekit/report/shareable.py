"""A machine as it may be given to others: facts keep what rules use, and nothing that says who or where.

Probes already mask this user's home, name and host. Here it is the other way round: of a path and of an
address of the web only known parts stay, of a variable only what rules can use: numbers, identifiers of devices, known words.
What is masked stays distinguishable (``<1>``, ``<2>``), so that the same path is the same everywhere.
"""

import re
from typing import Any, Dict, Iterable, List, Match

from ..diagnosis.rules.fatal_variables import split_flags
from ..logs.scrub import scrub
from ..machine.facts import Machine
from ..machine.host import Host
from ..machine.probe.distributions import normalize, split_folder_name
from ..machine.probe.process import PRESENCE_ONLY, VARIABLES
from ..machine.probe.python import PACKAGES, RELEVANT
from ..matrix.matrix import BUNDLED

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
        # Below /proc, /sys, /dev, /etc and /usr/share, in the registry, and in words with a slash that are not paths.
        "self", "cpuinfo", "meminfo", "mountinfo", "limits", "status", "stat", "statm", "maps", "environ", "cgroup",
        "fs", "bus", "pci", "devices", "device", "class", "drm", "kfd", "topology", "nodes", "module", "amdgpu", "firmware",
        "efi", "efivars", "driver", "gpus", "capabilities", "mig", "fd", "ns", "pid", "cpu", "cpuacct", "cpuset", "memory",
        "user.slice", "system.slice", "init.scope", "docker", "kubepods", "lxc", "powercap", "dri", "dxg", "vfio", "shm",
        "tty", "accel", "null", "os-release", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload", "pip.conf",
        "uv.toml", "xdg", "misc", "hwdata", "libdrm", "pci.ids", "amdgpu.ids", "log", "kern.log", "dmesg", "messages",
        "mok.pub", "opengl-driver", "egg-link", "rocminfo", "nvidia-smi", "ioreg", "coreservices", "systemversion.plist",
        "hardware", "description", "centralprocessor", "software", "hkey_local_machine", "directx", "currentcontrolset",
        "control", "gnu", "linux", "and", "or", "tcp", "ip", "xt", "xtx", "gre", "oem", "pro", "radeon",
        "metadata", "record", "wheel", "pkg-info", "library",
    )
)  # fmt: skip
_PART = re.compile(
    r"(?:lib)?python[\dt.]*(?:w|\.exe|\.zip|\.dll|\.dylib|\.so[\d.]*)?|v?\d{1,4}(?:\.\d+)*(?:(?:a|b|rc)\d+|t)?(?:-(?:dev|debug|\d+))?"
    r"|cp\d+\w?|c?python-[\d.]+(?:-(?:linux|macos|windows|darwin|x86_64|aarch64|arm64|gnu|musl|msvc|none))*"
    r"|(?:cuda|rocm|cudnn|tensorrt|llvm|gcc|python@)[-_]?v?\d[\d.]*|lib[\w.+-]+\.(?:so|dylib)[\d.]*|[\w.+-]+\.dll"
    r"|(?:tensorflow|keras|jax|torch|numpy|typing)\.py|(?:x86_64|aarch64|i386|arm64|sbsa)(?:-(?:linux|pc|apple|gnu|musl|darwin))*"
    r"|(?:renderD|card|nvidia|accel|gpu)[\d*]*|nvidia(?:ctl|-uvm|-uvm-tools|-modeset|-caps|-cap\d+|-cuda-toolkit)|lib64-nvidia"
    r"|(?:cpu|cpuset|memory)(?:\.(?:cpus|cfs|effective|max|high|low|stat|mems|limit_in_bytes|cfs_quota_us|cfs_period_us))+"
    r"|user-\d+\.slice|MI\d{2,3}[AX]?|R[579]|\d{2,4}[A-Z]{1,2}|[a-z]:?",
    re.IGNORECASE,
)
_MASKED = re.compile(r"<\w+>")

#: Folders of users: whatever the next part is, it names one.
_HOMES = frozenset(("home", "users", "documents and settings"))
_NOBODYS = frozenset(("public", "shared", "default", "linuxbrew"))

#: A path in a sentence: in quotes; a home of Windows, up to the next separator, since the name can have blanks; or any word
#: with a separator. What is capitalized behind an unknown last part may belong to it.
_END = r"[^\s:;,'\"|()\[\]{}=]"
_PATH = re.compile(
    r"(?<=')(?:[A-Za-z]:)?[\\/~][^'\n]*(?=')|(?<=\")(?:[A-Za-z]:)?[\\/~][^\"\n]*(?=\")"
    r"|(?<![\w.\\/])(?:[A-Za-z]:|\\)[\\/][^\s:;,'\"]{0,80}?(?<=[\\/])(?:users|documents and settings)[\\/]+"
    r"(?:[^\\/:*?\"'<>|;,\n]{1,64}[\\/]" + _END + r"*|" + _END + r"*(?: (?-i:[A-Z])[\w.-]*)*)"
    r"|(?:(?<![\w.])[A-Za-z]:(?=[\\/])|(?<!" + _END + r"))(?:~(?=[A-Za-z])|" + _END[:-1] + r"\\/]*[\\/])"
    + _END + r"*",
    re.IGNORECASE,
)  # fmt: skip
_ENCODED = re.compile("%(2f|3a|5c)", re.IGNORECASE)
_AFTER = re.compile(r"(?: [A-Z][\w.-]*)+")
_WHOLE = re.compile(r"~(?=[\\/]|$)|[\\/]|[A-Za-z]:[\\/]")
_ADDRESS = re.compile(
    r"\b([A-Za-z][A-Za-z0-9+.-]{0,20}://)(?:[^/\s]*@)?([^/\s?#'\",;]*)([^\s?#'\",;]*)(?:[?#][^\s'\",;]*)?"
)
_HOSTS = re.compile(
    r"(?:(?:www|files|conda|repo|raw|download|developer|docs|storage|pypi)\.)*(?:(?:pypi|pytorch|anaconda|tensorflow|python)\.org"
    r"|pythonhosted\.org|(?:github|nvidia|googleapis|amd|intel|microsoft|apple)\.com|keras\.io)",
    re.IGNORECASE,
)
_OF_ADDRESSES = frozenset(("simple", "whl", "nightly", "packages", "releases", "download", "t", "main", "conda-forge"))

#: The keys of facts that are sentences; any other text that begins like a path is one, or a list of them.
_SENTENCES = frozenset(("problem", "problems", "source", "failure", "detail", "unreadable", "requires"))
#: The keys of facts that list files of a distribution, from site-packages on.
_FILES = frozenset(("missing_files", "damaged_files", "unreadable_files"))
_FILE = re.compile(r"[\w.+-]+")
_PUBLISHED = frozenset(map(normalize, PACKAGES)) | RELEVANT | {
    "nvidia", "jax-plugins", "tensorflow-plugins", "tensorflow-core", "tensorflow-estimator", "nvidia-ml-py", "devicekit",
}  # fmt: skip

#: Variables that hold folders or files.
_FOLDERS = re.compile(r"(?:PATH|HOME|PREFIX|DIR|ROOT|EXE|ENV|PRELOAD|_FLAGS)$")
_FLAG_NAME = re.compile(r"--?(?:(?:xla|tf)_\w+|[a-z]+(?:_[a-z]+)*)")
_FLAG_VALUE = re.compile(r"true|false|-?\d[\d.]*|fusible|single-gpu\(-?\d+\)", re.IGNORECASE)

#: What any other variable may hold: numbers, identifiers of devices, and the words that its reader knows.
_SETTING = re.compile(
    r"[+-]?(?:\d[\d_]{0,12}\.?|\d{0,4}(?:\.\d{1,6}){1,2})(?:e[+-]?\d{1,3}|[kmgt]i?b?)?|[+-]?(?:inf(?:inity)?|nan)|\d+-\d+"
    r"|(?:(?:gpu|mig)-)+[\da-f-]+(?:/\d+)*|gfx[\da-f]+|v\d\w{0,9}-\d+|[a-z]+warning|<\w+>"
    r"|(?:any|b?t?f\d{1,2}|x\d)(?:_(?:any|b?t?f\d{1,2}|x\d|fast|accum))+",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\s,:;=|*!]+")
_WORDS = frozenset(
    (
        "true", "false", "yes", "no", "y", "n", "t", "f", "on", "off", "all", "none", "void", "auto", "default",
        "high", "highest", "bfloat16", "bfloat16_3x", "float32", "tensorfloat32", "fastest", "allow", "warn", "raise",
        "standard", "strict", "tracebackhide", "remove_frames", "quiet_remove_frames", "notset", "debug", "info", "warning",
        "error", "critical", "ignore", "always", "module", "once", "cpu", "gpu", "cuda", "rocm", "tpu", "metal", "mps", "xpu",
        "xla", "hpu", "mtia", "privateuseone", "npu", "dml", "directml", "oneapi", "intel", "sycl", "iree", "interpreter",
        "tensorflow", "keras", "jax", "torch", "numpy", "openvino", "mlx", "theano", "cntk", "plaidml", "opencl", "level_zero",
        "hip", "native_cpu", "ext_oneapi_cuda", "ext_oneapi_level_zero", "fpga", "acc", "host", "neuron", "compute", "utility",
        "graphics", "video", "display", "ngx", "compat32", "pci_bus_id", "fastest_first", "cuda_malloc_async", "bfc",
        "gpu_private", "gpu_shared", "global", "python", "cpp", "upb", "expandable_segments", "max_split_size_mb",
        "garbage_collection_threshold", "roundup_power2_divisions", "backend", "native", "cudamallocasync",
        "release_lock_on_cudamalloc", "pinned_use_cuda_host_register", "pinned_num_register_threads", "self_test",
    )
)  # fmt: skip
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
        self._published = _PUBLISHED.union(BUNDLED.projects())
        words = sorted({name.lower() for name in names if len(name) > 1} - _NO_NAMES, key=len, reverse=True)
        # With what follows an @, which else would be left of an e-mail address.
        self._names = re.compile(
            r"(?<![A-Za-z])(?:%s)(?![A-Za-z])(?:@[\w.-]+)?" % "|".join(map(re.escape, words)) if words else r"(?!)",
            re.IGNORECASE,
        )

    def text(self, text: str, key: str = "") -> str:
        """Return a text without what is not known to be harmless."""
        if "%" in text:  # a path in an address
            text = _ENCODED.sub(lambda found: chr(int(found.group(1), 16)), text)
        if _WHOLE.match(text) and "://" not in text and key not in _SENTENCES:
            return scrub(self._paths(self._unnamed(text), key in _FILES))
        out, end = [], 0
        for found in _ADDRESS.finditer(text):
            out += [self._sentence(text[end : found.start()], key), self._address(found)]
            end = found.end()
        return scrub("".join(out) + self._sentence(text[end:], key))

    def _unnamed(self, text: str) -> str:
        return self._names.sub("<name>", text)

    def _sentence(self, text: str, key: str = "") -> str:
        text = self._unnamed(text)
        out, end = [], 0
        for found in _PATH.finditer(text):
            path = found.group()
            masked = self.path(path, key in _FILES)
            out += [text[end : found.start()], masked]
            end = found.end()
            if masked.endswith(">") and not path.endswith(">"):
                after = _AFTER.match(text, end)
                end = after.end() if after is not None else end
        return "".join(out) + text[end:]

    def _paths(self, text: str, files: bool = False) -> str:
        separator = "(;|, )" if "\\" in text or ";" in text else "(:|, )"
        parts = re.split(separator, text)
        parts[::2] = [self.path(part, files) for part in parts[::2]]
        return "".join(parts)

    def path(self, path: str, files: bool = False) -> str:
        """Return a path of which only known parts are left; ``files``: it begins in site-packages."""
        out: List[str] = []
        home, site, published = False, files, False
        for part in re.split(r"([\\/\"]+)", path):
            if part and part[0] not in '\\/"':
                lower = part.lower()
                published = bool(_FILE.fullmatch(part)) and (published or (site and self._is_published(part)))
                known = published or lower in _NOBODYS or (not home and self._is_known(part))
                home, site = lower in _HOMES, lower in ("site-packages", "dist-packages")
                part = part if known or _MASKED.fullmatch(part) else self._masked(part)
            out.append(part)
        return "".join(out)

    def _is_published(self, part: str) -> bool:
        """Whether a part, next after site-packages, is of a package that everybody knows: then so are its files."""
        name = split_folder_name(part)[0] if part.endswith("-info") else normalize(part.partition(".")[0])
        return name in self._published

    @staticmethod
    def _is_known(part: str) -> bool:
        part = part.rstrip(".") or part
        words = part.lower().split()
        return bool(_PART.fullmatch(part)) or all(word in _PARTS for word in words)

    def _masked(self, part: str) -> str:
        return self._numbers.setdefault(part, "<%d>" % (len(self._numbers) + 1))

    def _address(self, found: "Match[str]") -> str:
        scheme, host, path = found.groups()
        if not _HOSTS.fullmatch(host):
            return scheme + "<host>"
        parts = path.split("/")
        known = (part in _OF_ADDRESSES or self._is_known(part) for part in parts)
        return scheme + host + "/".join(part if good else self._masked(part) for part, good in zip(parts, known))

    def variable(self, name: str, value: str) -> str:
        """Return the value of a variable: flags, paths and settings."""
        if name == "TPU_NAME":
            return "<set>"
        value = self._unnamed(value)
        if name.endswith("_FLAGS") and value.lstrip().startswith("-"):
            return " ".join(map(self._flag, split_flags(value)))
        if name == "LD_PRELOAD":
            return "".join(self.path(part) if part.strip() else part for part in re.split(r"([\s:]+)", value))
        if _FOLDERS.search(name):
            return self._paths(value)
        return _WORD.sub(self._setting, value)

    def _flag(self, flag: str) -> str:
        name, equals, value = flag.partition("=")
        if not _FLAG_NAME.fullmatch(name):
            name = "--" + self._masked(name)
        if equals and not _FLAG_VALUE.fullmatch(value):
            value = self._paths(value) if "/" in value or "\\" in value else "<value>"
        return name + equals + value

    def _setting(self, found: "Match[str]") -> str:
        word = found.group()
        if word.lower() in _WORDS or _SETTING.fullmatch(word):
            return word
        # Other characters stay: they can make the difference between a bad value and one that its reader takes.
        parts = re.split(r"(<\w+>|\w+)", word)
        parts[1::2] = [part if part[0] == "<" or part.lower() in _WORDS else self._masked(part) for part in parts[1::2]]
        return "".join(parts)

    def data(self, data: Any, key: str = "") -> Any:
        """Return plain data with all its texts masked; ``key``: the name of the fact."""
        if isinstance(data, str):
            return self.text(data, key)
        if isinstance(data, list):
            return [self.data(item, key) for item in data]
        if isinstance(data, dict):
            return {name: self.data(value, key if name == "value" else name) for name, value in data.items()}
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
