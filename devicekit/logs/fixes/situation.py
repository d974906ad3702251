"""`Situation`: what a fix depends on, from a line and the known facts. What is not known is None or ""; nothing is guessed."""

import re
from typing import FrozenSet, Iterable, Iterator, Mapping, Optional, Sequence, Tuple

from ...diagnosis.frameworks import TITLES
from ...errors import log
from ...matrix.bounds import allowed
from ...matrix.gpu_names import GpuModel, capability_of, find_gpu
from ...matrix.gpu_support import capability_number
from ...matrix.matrix import BUNDLED, TENSORFLOW_OWNERS, accepts, version_at_least
from ...matrix.projects import Release, sort_key
from ...matrix.tables import IndexRow, TensorFlowRow
from ...matrix.target import PLATFORMS, Target, target_for
from ..context import Known

#: How a text names a framework. What is built on one belongs to it: an add-on, its own variables, its source files.
_NAMES = (
    ("onnxruntime", r"onnx|ExecutionProvider"),
    ("jax", r"\bjax|\bflax\b|\bXLA_PYTHON_CLIENT|[/\\]jax|external/xla/xla/"),
    (
        "torch",
        r"torch|xformers|bitsandbytes|flash[_-]attn|\bvllm|\baten::|\bc10\b|\btriton\b"
        r"|RuntimeError: (?:CUDA(?! runtime implicit| failed with)|HIP|MPS) ",
    ),
    ("tensorflow", r"tensorflow|keras|\btf[.-]|\bTF_(?!CPP_MIN)|tf-nightly|tfjs|tfdml"),
)

#: Minor releases of Python for which wheels are looked for, newest first.
PYTHONS = ("3.14", "3.13", "3.12", "3.11", "3.10", "3.9", "3.8", "3.7", "3.6", "3.5")

#: What a platform is called in a sentence.
PLATFORM_TITLES = {
    "linux-x86_64": "Linux (x86-64)", "linux-aarch64": "Linux on ARM (aarch64)", "windows-amd64": "64-bit Windows (x64)",
    "macos-arm64": "Macs with Apple silicon (arm64)", "macos-x86_64": "Macs with Intel processors",
}  # fmt: skip

#: Programs that bring a TensorFlow of their own: the user does not install it with pip.
_EMBED = ("deepspeech", "tfjs", "tfjs-node", "tfjs-node-gpu", "tensorflow-tfjs-node-gpu", "libtensorflow")

#: Names of Linux distributions in a text, the most particular first.
_DISTRIBUTIONS = (
    ("ubuntu", r"ubuntu|pop!?_?os|\bmint\b|zorin|elementary os|kde neon"),
    ("debian", r"debian|raspbian|raspberry pi os|kali|proxmox"),
    ("fedora", r"fedora|nobara|\.fc\d\d\b"),
    ("rhel", r"\brhel\b|red ?hat|centos|rocky|alma ?linux|oracle linux|amazon linux|\.el[789]\b"),
    ("arch", r"arch ?linux|\barch\b|manjaro|endeavour|cachyos|-arch\d"),
    ("suse", r"suse"),
    ("nixos", r"nixos"),
    ("alpine", r"alpine"),
)

#: Distributions by the names of their kernels: "6.8.9-300.fc40.x86_64", "6.9.1-arch1-1", "6.8.0-45-generic".
_KERNELS = (
    ("fedora", r"\d\.fc(\d\d)\b"),
    ("rhel", r"\d\.el(\d\d?)(?:_\d+)?\b"),
    ("arch", r"\d-(?:arch|zen|cachyos|lts|hardened|MANJARO)()(?:\d|\b)"),
    ("ubuntu", r"\d-\d+-(?:generic|lowlatency|oem|aws|azure|gcp)()\b"),
    ("debian", r"\d(?:\+bpo|\+deb\d+)?-(?:cloud-)?amd64()\b"),
)  # fmt: skip

#: AMD's processors with a GPU and older workstation cards, as people call them, and their target (AMD's GPU specifications).
_OTHER_AMD = (
    (r"\bwx ?[2-7]1\d0\b", "gfx803"),
    (r"\bwx ?(?:8200|9100)\b|\brx vega\b(?! \d)", "gfx900"),
    (r"\brx ?6750\b", "gfx1031"),
    (r"raven ridge|picasso|vega (?:3|11)\b|ryzen [357] (?:pro )?[23][234]\d0(?:u|h|g|ge)\b", "gfx902"),
    (r"strix halo|\bai max\+? ?(?:pro )?\d{3}|ryzen ai max", "gfx1151"),
    (r"strix point|ryzen ai 9 (?:hx )?3[67]\d", "gfx1150"),
    (r"krackan", "gfx1152"),
    (r"hawk point|ryzen [3579] (?:pro )?[78]\d4\d(?:h|hs|u)\b", "gfx1103"),
    (r"rembrandt|radeon 6[68]0m", "gfx1035"),
    (
        r"renoir|lucienne|cezanne|barcelo|ryzen [3579] (?:pro )?(?:4[3-9]|5[3-9]|7[357]3)\d\d?(?:u|h|hs|hx|g|ge)\b",
        "gfx90c",
    ),
)


def other_target(text: str) -> str:
    """Return AMD's target of a processor's GPU or an older card that a text names, "" if there is none."""
    return next((gfx for pattern, gfx in _OTHER_AMD if re.search(pattern, text, re.IGNORECASE)), "")


#: Words of what is built on PyTorch.
_ON_TORCH = frozenset(("vllm", "xformers", "bitsandbytes", "flash-attn", "sglang"))

#: Words of programs that manage a project's packages.
_MANAGERS = frozenset(("poetry", "uv-project", "pdm", "pipenv"))

#: What else computes on GPUs, by a word in a log.
_LIBRARIES = {
    "cudf": "RAPIDS",
    "cuml": "RAPIDS",
    "/rmm/": "RAPIDS",
    "cupy": "CuPy",
    "numba": "Numba",
    "llama.cpp": "llama.cpp",
    "ggml": "llama.cpp",
    "llama_cpp": "llama.cpp",
    "llama-cpp": "llama.cpp",
    "cuda failed with error": "CTranslate2",
    "ctranslate2": "CTranslate2",
}

_JETSON = r"(?i)\bjetson\b|\btegra|\borin\b|\bxavier\b|\bl4t\b|jetpack|\bnvgpu\b"
_RASPBERRY = r"(?i)raspberry|raspbian|\barmv[67]l\b|\bpi [2345]\b"


#: XLA as JAX's library has it: TensorFlow's own paths have no such beginning.
_OF_JAXLIB = re.compile(r"\bexternal/org_tensorflow/(?=tensorflow/(?:compiler/xla|stream_executor)/)\S*")


def families_of(text: str) -> FrozenSet[str]:
    """Return the frameworks that a text names."""
    text = _OF_JAXLIB.sub("jaxlib", text)
    return frozenset(name for name, pattern in _NAMES if re.search(pattern, text, re.IGNORECASE))


class Situation:
    """What one finding's fixes depend on.

    Parameters
    ----------
    code, summary : str
    known : Known
    groups : mapping of str to str
        What the line's pattern found.
    line : str
    signature : str
        Its identifier, "" if a fact and no line made the finding.
    """

    def __init__(
        self, code: str, known: Known, groups: Mapping[str, str], line: str = "", signature: str = "", summary: str = ""
    ) -> None:
        self.code = code
        self.known = known
        self.groups = groups
        self.line = line
        self.signature = signature
        self.summary = summary
        self.words = known.words
        # Paths say which system's commands are of use, and no more.
        paths = {item for item in known.words if item.endswith("-path")}
        guess = "linux" if paths == {"linux-path"} or "raspberry" in known.words else None
        if "windows-path" in paths and "linux-path" not in paths:
            guess = "windows"
        self.system = known.system or guess
        self.windows = self.system == "windows"
        self.linux = self.system == "linux"
        self.macos = self.system == "macos"
        self.wsl = bool(known.wsl)
        self.container = bool(known.container)
        self.packages = known.packages

    # Which framework

    @property
    def framework(self) -> str:
        """``"tensorflow"``, ``"jax"``, ``"torch"``, ``"onnxruntime"``; "" if nothing says which."""
        mentioned, summary = self._mentioned(), families_of(self.summary)
        if not families_of(self.line) | self._by_signature() and re.search(
            "cupy|numba|cudf|cuml|/rmm/|ggml|llama[._-]cpp|CUDA failed with error", self.line, re.I
        ):
            return ""  # what fails is that library, whatever else is there
        if len(mentioned) == 1 and not mentioned & summary:
            summary = frozenset()  # it is of a signature, and names the framework that such lines are mostly from
        installed = families_of(" ".join(self.packages))
        by_signature = self._by_signature()
        if len(installed) == 1 and mentioned <= installed:
            by_signature = installed & by_signature  # another framework on the same library prints the same line
        about = [families_of(self.line), by_signature, summary, installed, mentioned]
        backend = self.known.environment.get("KERAS_BACKEND", "")
        if backend in ("jax", "torch") and "keras" in self.line.lower():
            return backend
        candidates: FrozenSet[str] = frozenset()
        for named in about:
            if len(named) == 1:
                only = next(iter(named))
                if not candidates or only in candidates:
                    return only
            elif named and not candidates:
                candidates = named
        # Of an add-on to a framework and the framework, what the facts list decides.
        both = candidates & families_of(" ".join(self.packages))
        if len(both) == 1:
            return next(iter(both))
        return "torch" if candidates == {"onnxruntime", "torch"} else ""

    def _by_signature(self) -> FrozenSet[str]:
        prefix = self.signature.partition("-")[0]
        name = {"tf": "tensorflow", "tfjs": "tensorflow", "torch": "torch", "jax": "jax", "ort": "onnxruntime"}.get(
            prefix
        )
        return frozenset((name,)) if name else frozenset()

    def _mentioned(self) -> FrozenSet[str]:
        named = frozenset(self.words & {name for name, _ in _NAMES})
        on_torch = self.words & _ON_TORCH and not self.words & set(_LIBRARIES)
        return frozenset(("torch",)) if on_torch and not named else named

    @property
    def title(self) -> str:
        """What its makers call the framework."""
        titles = {"onnxruntime": "ONNX Runtime", "": self.library or "the framework"}
        return titles.get(self.framework) or TITLES[self.framework]

    @property
    def library(self) -> str:
        """Another library for GPUs that the log names, where it names no framework; "" if none."""
        text, line = " ".join(self.packages).lower(), self.line.lower()
        named = [title for name, title in _LIBRARIES.items() if name in line]
        named += [title for name, title in _LIBRARIES.items() if name in text or name in self.words]
        return "" if self.framework or not named else named[0]

    def named(self, *names: str) -> bool:
        """Return whether the line, the facts or the log name one of some things (lower case)."""
        text = " ".join((self.line, " ".join(self.packages), " ".join(self.words))).lower()
        return any(name in text for name in names)

    @property
    def embedded(self) -> bool:
        """Whether the framework is part of a program that does not get it from pip."""
        if self.signature.startswith(("tf-java", "tf-net", "tflite")):
            return True
        if "tfjs" in self.words and self.known.tensorflow is None and "tensorflow" in self.framework:
            return True
        own = {"tensorflow": TENSORFLOW_OWNERS, "jax": ("jax", "jaxlib"), "torch": ("torch",)}.get(self.framework, ())
        return any(name in _EMBED for name in self.packages) and not any(name in own for name in self.packages)

    @property
    def distribution(self) -> str:
        """The distribution that brings the framework: as the facts name it, else its plain name."""
        if self.framework == "tensorflow" and self.known.tensorflow is not None:
            return self.known.tensorflow[0]
        if self.framework == "onnxruntime":
            return next((name for name in self.packages if name.startswith("onnxruntime")), "onnxruntime")
        return self.framework

    @property
    def version(self) -> str:
        """The version of the framework, "" if it is not known."""
        if self.framework == "tensorflow":
            return self.known.tensorflow[1] if self.known.tensorflow is not None else ""
        if self.framework == "jax":
            return self.packages.get("jax") or self.packages.get("jaxlib") or ""
        return self.packages.get(self.distribution, "")

    @property
    def label(self) -> str:
        """The framework with its version, for sentences."""
        return ("%s %s" % (self.title, self.version.partition("+")[0])).strip()

    @property
    def torch_index(self) -> str:
        """PyTorch's index that the installed build is from, "" for the package registry."""
        label = self.packages.get("torch", "").partition("+")[2]
        own = re.match(r"(cu\d+|cpu|rocm[\d.]+|xpu)$", label) and not self.macos
        return "https://download.pytorch.org/whl/%s" % label if own else ""

    def torch_indexes(self, bounds: str, python: str) -> Sequence[IndexRow]:
        """Return PyTorch's indexes for CUDA that have a release in some bounds for a Python ("": any)."""
        platform = self.platform or "linux-x86_64"
        return [
            row
            for row in BUNDLED.indexes("torch", "cuda", platform)
            if any(
                not bounds or accepts(bounds, one.version)
                for one in self.releases("torch", row.versions, platform, python)
            )
        ]

    def common_index(self, bounds: str) -> Optional[IndexRow]:
        """Return the index of the newest CUDA that most drivers run, of those that have a release for this Python."""
        most = (12, 8) if self.capability.startswith("1") else (11, 8) if self.driver_before(525) else (12, 6)
        rows = [row for row in self.torch_indexes(bounds, self.python) if sort_key(row.cuda) <= most]
        return max(rows, key=lambda row: sort_key(row.cuda)) if rows else None

    @property
    def torch_release(self) -> Optional[Release]:
        """What the data have of the installed PyTorch; None if they have no release of its minor one."""
        project, version = BUNDLED.project("torch"), self.packages.get("torch", "").partition("+")[0]
        release = project.nearest(version) if project is not None and version else None
        same = release is not None and release.version.split(".")[:2] == version.split(".")[:2]
        return release if same else None

    @property
    def triton(self) -> str:
        """The minor release of Triton that the installed PyTorch requires on Linux, "" if that is not known."""
        release = self.torch_release
        needs = (text for build in (release.builds if release is not None else ()) for text in build.requires)
        found = next((text for text in needs if text.startswith("triton")), "")
        wanted = re.match(r"triton[=~]=(\d+\.\d+)", found)
        return wanted.group(1) if wanted else ""

    @property
    def row(self) -> Optional[TensorFlowRow]:
        """The matrix row of the TensorFlow, None if it or its version is not known."""
        return BUNDLED.tensorflow(self.version) if self.framework == "tensorflow" and self.version else None

    def is_at_least(self, version: str) -> Optional[bool]:
        """Return whether the framework is at least a version; None if that is not known."""
        plain = re.match(r"\d+\.\d+(\.\d+)?", self.version)
        if plain is None and self.framework == "tensorflow" and self.known.before(version):
            return False
        return version_at_least(plain.group(), version) if plain else None

    @property
    def tensorflow_1(self) -> bool:
        """Whether it is TensorFlow 1: by its version, else by how it prints nodes, its own contrib, or an old Python."""
        if self.version or self.known.before("2.0"):
            return self.is_at_least("2.0") is False
        return self.framework == "tensorflow" and ("tf1" in self.words or self.python in ("2.7", "3.4"))

    # Python and the system

    @property
    def python(self) -> str:
        """``"3.11"``, "" if it is not known."""
        match = re.match(r"[23]\.\d{1,2}", self.known.versions.get("python", ""))
        return match.group() if match else ""

    @property
    def platform(self) -> str:
        """As `devicekit.matrix.has_wheel` names it, "" if it is not known."""
        if self.known.system is None:
            return ""
        return (self.known.platform or "") if self.arch in ("", "x86_64", "aarch64") else ""

    @property
    def arch(self) -> str:
        """The processor architecture that is known, "" if it is not; a Jetson is ARM."""
        return self.known.architecture or ("aarch64" if self.jetson else "")

    @property
    def jetson(self) -> bool:
        """Whether it is one of NVIDIA's Jetsons."""
        if "jetpack" in self.words and self.known.architecture in (None, "aarch64") and not self.windows:
            return True
        return re.search(_JETSON, " ".join((self.known.gpu_name, self.known.os_version, self.line))) is not None

    @property
    def hosted(self) -> bool:
        """Whether it is a hosted notebook (Colab, Kaggle), whose system its user cannot change."""
        # The name alone may be a comparison: "it works in Colab".
        there = "hosted" in self.words or {"colab", "own-dist-packages"} <= self.words
        return there or re.search(r"(?i)\bcolab\b|\bkaggle\b", self.known.os_version) is not None

    @property
    def raspberry(self) -> bool:
        """Whether it is a Raspberry Pi or another small ARM board."""
        text = " ".join((self.known.os_version, self.known.gpu_name, self.line, self.known.architecture or ""))
        return "raspberry" in self.words or re.search(_RASPBERRY, text) is not None

    @property
    def linux_distribution(self) -> str:
        """``"ubuntu"``, ``"fedora"``, ...; "" if it is not known."""
        for name, pattern in _DISTRIBUTIONS:
            if re.search(pattern, self.known.os_version, re.IGNORECASE):
                return name
        found = [name for name in ("ubuntu", "debian", "fedora", "rhel", "arch", "suse", "nixos") if name in self.words]
        return found[0] if len(found) == 1 else self._kernel[0]

    @property
    def linux_version(self) -> str:
        """The version of the distribution: ``"22.04"``, ``"40"``; "" if it is not known."""
        # What is made from another distribution counts on its own.
        own = re.search(r"(?i)mint|proxmox|zorin|elementary|amazon|kali", self.known.os_version)
        found = None if own else re.search(r"\d+(\.\d+)*", self.known.os_version)
        return found.group() if found else self._kernel[1]

    @property
    def _kernel(self) -> Tuple[str, str]:
        """The distribution and its version by the name of a kernel in the line, "" for what that does not tell."""
        found = (
            (name, re.search(pattern, self.line))
            for name, pattern in _KERNELS
            if re.search("(?i)kernel|/lib/modules/", self.line)
        )
        return next(((name, (match.group(1) or "") if match else "") for name, match in found if match), ("", ""))

    @property
    def manager(self) -> str:
        """What manages the project: ``"poetry"``, ``"uv"``, ``"pdm"``, ``"pipenv"``; "" if nothing says so."""
        if self.signature.startswith("poetry-"):
            return "poetry"
        if self.signature == "uv-no-source-or-wheel" and "uv" not in self.words:
            return "uv"  # what installs from a lock
        found = self.words & _MANAGERS
        return next(iter(found)).replace("uv-project", "uv") if len(found) == 1 else ""

    @property
    def installer(self) -> str:
        """What installs packages: ``"uv"``, else ``"pip"``."""
        return "uv" if "uv" in self.words or self.signature.startswith("uv-") else "pip"

    @property
    def libc(self) -> str:
        """A version of glibc that this system surely has, if the line says that it is too old; "" if not."""
        if self.code != "system-library-too-old" or "GLIBC_" not in self.line or not self.linux:
            return ""
        newer = {"ubuntu": 20, "debian": 10, "rhel": 8}.get(self.linux_distribution, 99)
        return "2.28" if sort_key(self.linux_version or "0")[0] >= newer else "2.17"

    # The GPU

    @property
    def vendor(self) -> str:
        """The maker of the GPU; of several, the one that the line or the finding is about; "" if it is not known."""
        vendors = self.known.vendors - {"other"}
        about = (
            "amd" if self.signature.startswith("rocm") or re.search(r"\bhip|rocm|kfd|amdgpu", self.line, re.I) else ""
        )
        about = "nvidia" if self.signature.startswith("nvidia") else about  # which may name a kernel for amdgpu
        about = about or ("intel" if self.signature.startswith(("xpu", "itex")) else "")
        about = about or ("apple" if self.macos and self.known.architecture != "x86_64" else "")
        about = about or ("intel" if re.search(r"\bxpu\b", self.line, re.I) else "")
        if len(vendors) == 1:
            return next(iter(vendors))
        if about and (not vendors or about in vendors):
            return about
        if not vendors and self._maker_of_build():
            return self._maker_of_build()
        if not vendors:
            return "nvidia" if re.search(r"\bcuda|cudnn|nvidia|\bnccl", self.line, re.I) else ""
        return next((name for name in ("nvidia", "amd", "intel") if name in vendors), "")

    def _maker_of_build(self) -> str:
        """The maker whose GPUs the installed build is for, "" if its version does not say so."""
        label = re.search(r"\+(rocm|xpu)", self.version)
        return {"rocm": "amd", "xpu": "intel"}[label.group(1)] if label else ""

    @property
    def model(self) -> Optional[GpuModel]:
        """The GPU by its name in the facts, None if it is none that the data know."""
        for text in re.split(r"[,;/()\[\]]| and | x ", self.known.gpu_name):
            plain = re.sub(r"\b\d{1,3} ?GB\b|^ ?\d ?x |(?i:laptop|mobile|gpu|graphics card)", "", text).strip()
            model = find_gpu(plain, BUNDLED) if re.search(r"\d|\bVII\b", plain) else None
            if model is not None:
                return model
        return None

    @property
    def gpu(self) -> str:
        """What to call the GPU in a sentence."""
        return self.known.gpu_name or "the GPU"

    @property
    def capability(self) -> str:
        """The compute capability of an NVIDIA GPU, "" if it is not known."""
        said = re.search(r"(?i)compute capability:? (\d{1,2}\.\d)|\bsm_(\d{1,2})(\d)\b", self.known.gpu_name)
        said = said or re.search(r"(?i)capability (\d{1,2}\.\d)\b|capability sm_(\d{1,2})(\d)\b", self.line)
        if self.known.versions.get("capability"):
            return self.known.versions["capability"]
        if said:
            return said.group(1) or "%s.%s" % (said.group(2), said.group(3))
        model = self.model
        if model is not None:
            return model.target if model.vendor == "nvidia" else ""
        if re.search(r"(?i)\brtx 50\d\dd?\b|\brtx 5000 series|blackwell", self.known.gpu_name):
            return "12.0"
        return capability_of(self.known.gpu_name, BUNDLED) or ""

    @property
    def compute_capability(self) -> Optional[Tuple[int, int]]:
        """The same as two numbers, None if it is not known as such."""
        text = self.capability
        return capability_number(text) if re.match(r"\d+\.\d$", text) else None

    @property
    def gfx(self) -> str:
        """AMD's target of the GPU, "" if it is not known."""
        said = self.groups.get("gfx") or self.groups.get("target_gfx") or self.known.versions.get("gfx")
        named = set(re.findall(r"\bgfx[0-9a-f]{3,4}\b", self.line))
        if said or len(named) == 1:
            return said or named.pop()
        model = self.model
        if model is not None and model.vendor == "amd":
            return model.target
        return other_target("%s %s" % (self.known.gpu_name, self.known.os_version))

    def driver_before(self, branch: int) -> bool:
        """Return whether the driver's version is known, and of an earlier branch."""
        return bool(self.fact("driver")) and sort_key(self.fact("driver")) < (branch,)

    def fact(self, name: str) -> str:
        """Return a version of ``driver``, ``cuda``, ``cudnn``, ``rocm``; "" if it is not known."""
        return self.known.versions.get(name, "")

    # What there is for it

    def target(self, python: str = "") -> Optional[Target]:
        """Return what packages are chosen for, None if Python or the platform is not known."""
        # Another Python's packages have the same numbers on every system, if it is not known.
        platform = self.platform or ("linux-x86_64" if python and self.known.system is None else "")
        python = python or self.python
        if not platform or not python.startswith("3.") or self.known.architecture == "x86":
            return None
        model = self.model
        targets = [item for item in (self.gfx, model.target if model and model.vendor == "intel" else "") if item]
        return target_for(platform, python).replace(
            vendors=tuple(sorted(self.known.vendors - {"other"})),
            capabilities=(self.capability,) if self.capability and self.vendor == "nvidia" else (),
            targets=tuple(targets),
            driver=self.fact("driver") if self.vendor == "nvidia" and self.fact("driver") else None,
            jetson=self.jetson,
            wsl=2 if self.wsl else None,
            bits=64,
            libc=self.libc or None,
        )

    def requirements(
        self, goal: str, framework: str = "", keep: Iterable[str] = (), python: str = ""
    ) -> Optional[Tuple[Tuple[str, ...], Tuple[str, ...]]]:
        """Return the newest set for a goal as (requirements, indexes), None if there is none or too little is known."""
        target, framework = self.target(python), framework or self.framework
        if target is None or framework not in ("tensorflow", "keras", "jax", "torch"):
            return None
        try:
            from ...resolver.engine import Need
            from ...resolver.sets import best_set

            needs = tuple(Need(text, because="it is to be kept") for text in keep)
            found = None
            if (goal, framework, target.driver) == ("cuda", "torch", None):
                # Which driver is there is not known: CUDA 12's builds run on more of them than CUDA 13's.
                found = best_set(goal, (framework,), target.replace(driver="575"), needs, BUNDLED)[0]
            found = found or best_set(goal, (framework,), target, needs, BUNDLED)[0]
        except Exception:  # a fix in words is better than none: a bug in the engine must not break an explanation
            log("debug", "no set for %s on %s could be computed", framework, goal, exc_info=True)
            return None
        if found is None:
            return None
        # TensorFlow 2.12 requires JAX: pip finds it, and the reader asked for TensorFlow.
        apart = () if framework == "jax" or "jax" in self.words else ("jax", "jaxlib")
        names = tuple(item for item in found.requirements if re.split(r"[\[<>=!~]", item)[0] not in apart)
        return names, found.indexes

    def tensorflow_with_cuda(self, python: str = "") -> Tuple[str, ...]:
        """Return the newest TensorFlow that uses pip's CUDA libraries, with a cuDNN that has code for the GPU."""
        number = capability_number(self.capability) if self.vendor == "nvidia" and self.capability else (7, 5)
        # Of a Python that has none, the newest all the same: it goes into an environment with another Python.
        have = [
            *self.releases("tensorflow", ">=2.14", "linux-x86_64"),
            *self.releases("tensorflow", ">=2.14", "linux-x86_64", python),
        ]
        fitting = (item for item in reversed(have) if self._uses_cuda(item, number, python))
        release = next(fitting, have[0] if have else None)
        name = "tensorflow[and-cuda]" + ("==%s.*" % release.version.rpartition(".")[0] if release is not None else "")
        return (name, "nvidia-cudnn-cu12<9.11") if (5, 0) <= number < (7, 5) else (name,)

    def _uses_cuda(self, release: Release, number: Tuple[int, int], python: str) -> bool:
        """Whether a release of TensorFlow finds pip's CUDA libraries, and does not leave out a GPU as old."""
        code = [text for build in release.builds for text in build.capabilities if text.startswith("sm_")]
        runs = not code or min(map(capability_number, code)) <= number
        return runs and all(hold.goal != "cuda" for hold in BUNDLED.holds("tensorflow", release.version, python))

    def releases(self, project: str, specifier: str = "", platform: str = "", python: str = "") -> Sequence[Release]:
        """Return the releases of a project in a range that have a wheel for a platform and a Python, oldest first.

        Without a platform, or without a Python, any will do.
        """
        data = BUNDLED.project(project)
        found = []
        for version in data.versions if data is not None else ():
            if specifier and accepts(specifier, version) is not True:
                continue
            if project == "tensorflow-gpu" and version_at_least(version, "2.11"):
                continue  # an empty one that only says so
            release = data.release(version) if data is not None else None
            if release is not None and not release.yanked and self._has_wheel(release, platform, python):
                if self._leads_on(release, platform, python):
                    found.append(release)
        return found

    def may_install(self, requirement: str) -> bool:
        """Return whether some release that a requirement takes has a wheel for this Python, as far as the data know."""
        name, bounds = requirement_of(requirement)
        have = bool(self.python and known_specifier(bounds)) and self.releases(name, bounds)
        return not have or bool(self.releases(name, bounds, "", self.python))

    def other_python(self, requirements: Sequence[str]) -> str:
        """Return the newest Python for which each requirement has a wheel, "" if the present one has, or is not known."""
        if not self.python:
            return ""
        if any(item.startswith("onnxruntime-gpu[") for item in requirements):  # whose extras came with 1.21
            return "3.12" if sort_key(self.python) < (3, 10) else ""
        asked = [requirement_of(item) for item in requirements]
        known = [(name, bounds) for name, bounds in asked if self.pythons(name, bounds, self.platform)]
        fitting = [item for item in PYTHONS if all(self.releases(*one, self.platform, item) for one in known)]
        return "" if not known or self.python in fitting else next(iter(fitting), "")

    def held_back(self, requirements: Sequence[str], python: str) -> Iterator[str]:
        """Yield bounds of what releases were measured to fail with and do not declare: a new environment has the newest."""
        asked = dict(requirement_of(item) for item in requirements)
        for name, bounds in asked.items():
            for release in self.releases(name, bounds, self.platform, python)[-1:] if bounds else ():
                for dependency in ("numpy", "protobuf", "h5py"):
                    limit = re.search(r"<=?([^,]*)$", allowed(BUNDLED, name, release.version, python, dependency))
                    declared = (requirement_of(text) for build in release.builds for text in build.requires)
                    if limit and dependency not in asked:
                        if all(
                            other != dependency or accepts(its, limit.group(1)) is not False for other, its in declared
                        ):
                            yield dependency + limit.group()

    def _leads_on(self, release: Release, platform: str, python: str) -> bool:
        """Whether what TensorFlow's wheel for a system refers to, and JAX's jaxlib, have a wheel for that Python as well."""
        if release.project == "jax":
            data, number = BUNDLED.project("jaxlib"), sort_key(release.version)
            older = [item for item in data.versions if sort_key(item) <= number] if data is not None else []
            if data is None or not older:  # before those in the data, which have wheels up to Python 3.11
                return platform in ("", "linux-x86_64", "macos-x86_64", "macos-arm64") and sort_key(python) < (3, 12)
            found = data.release(older[-1])
            return found is None or self._has_wheel(found, platform, python)
        other = {"macos-arm64": "tensorflow-macos", "windows-amd64": "tensorflow-intel"}.get(platform, "")
        data = BUNDLED.project(other) if other and python and release.project == "tensorflow" else None
        named = any(re.match(other + "==", text) for build in release.builds for text in build.requires)
        found = data.release(release.version) if data is not None and named else None
        return found is None or self._has_wheel(found, platform, python)

    def _has_wheel(self, release: Release, platform: str, python: str) -> bool:
        if python and not python.startswith("3."):
            return False
        targets = [
            target_for(name, python or "3.99").replace(libc=self.libc or None)
            for name in ([platform] if platform else PLATFORMS)
        ]
        if python and not targets[0].takes_release(release):
            return False
        return any(
            target.takes_platform(tag) and (not python or any(target.takes_python(item) for item in pythons))
            for build in release.builds
            for tag, pythons in build.wheels
            for target in targets
        )

    def pythons(self, project: str, specifier: str = "", platform: str = "") -> Tuple[str, ...]:
        """Return the Pythons for which a release of a project in a range has a wheel, newest first."""
        return tuple(item for item in PYTHONS if self.releases(project, specifier, platform, item))


def listed(names: Sequence[str], last: str = "and") -> str:
    """Return names as a sentence has them.

    >>> listed(["3.8", "3.9", "3.10"])
    '3.8, 3.9 and 3.10'
    """
    return "%s %s %s" % (", ".join(names[:-1]), last, names[-1]) if len(names) > 1 else "".join(names)


def newest(versions: Iterable[str]) -> str:
    """Return the newest of some versions, "" of none."""
    return max(versions, key=sort_key, default="")


def requirement_of(text: str) -> Tuple[str, str]:
    """Return name and version bounds of what a user asked for: ``("tensorflow", "==2.3.0")``.

    >>> requirement_of("tensorflow_gpu==1.15;"), requirement_of("torch"), requirement_of("numpy 1.26.4")
    (('tensorflow-gpu', '==1.15'), ('torch', ''), ('numpy', ''))
    """
    match = re.match(
        r"([A-Za-z0-9][\w.-]*?)(?:\[[\w,. -]*\])?\s*((?:[<>=!~]=?=?\s*[\w.*+!-]+\s*,?\s*)*)(?:[;\s].*)?$", text
    )
    if match is None:
        return "", ""
    name = re.sub(r"[-_.]+", "-", match.group(1)).lower()
    return name, re.sub(r"\s", "", match.group(2)).rstrip(",")


def wildcard(specifier: str) -> str:
    """Return bounds so that "2.3" means all of 2.3, as people mean it.

    >>> wildcard("==1.15"), wildcard("==2.3.0"), wildcard(">=2.4")
    ('==1.15.*', '==2.3.0', '>=2.4')
    """
    return re.sub(r"^==(\d+\.\d+)$", r"==\1.*", specifier)


def known_specifier(text: str) -> str:
    """Return bounds that the data can compare, "" for others."""
    return text if text and accepts(text, "1.0") is not None else ""
