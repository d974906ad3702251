"""Facts about the machine that a log comes from: from the log itself, from given facts, or from a snapshot.

An unknown fact is never taken as absent: a condition on it does not hold.
"""

import re
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from ..errors import DevicekitError
from ..machine.facts import Machine
from ..matrix.gpu_names import capability_of, find_gpu
from ..matrix.matrix import BUNDLED, TENSORFLOW_OWNERS, TENSORFLOW_REDIRECTS, accepts, minor_of, version_at_least

#: Pattern groups with a version of something other than a Python distribution.
VERSIONS = ("python", "cuda", "cudnn", "driver", "rocm", "capability", "gfx", "runtime", "saved_keras")

#: Pattern groups with the version of a distribution.
_PACKAGES = (
    "tensorflow", "keras", "jax", "jaxlib", "torch", "numpy", "protobuf", "onnxruntime_gpu", "onnxruntime",
    "accelerate",
)  # fmt: skip

_VENDORS = (
    (
        "nvidia",
        r"nvidia|geforce|\b[gr]tx\b|quadro|tesla|titan|jetson|\bt4\b|\ba(?:10|16|30|40|100|800)\b(?!-\d{4})|\b[hb][128]00\b|\bv100"
        r"|\bl40?s?\b|nvs ?\d|940mx|\bmx\d{3}|\b\d{3,4} ?ti\b|blackwell",
    ),
    ("amd", r"\bamd\b|radeon|strix (?:halo|point)|\bgfx\d|vega|navi|instinct|\bmi\d{2,3}|\brx ?\d{3,4}|firepro|ryzen"),
    ("apple", r"\bapple\b|\bm[1-5]\b"),
    ("intel", r"\bintel\b|\barc\b|iris|uhd|hd graphics"),
    ("qualcomm", r"adreno|qualcomm|snapdragon"),
)  # fmt: skip

#: The releases of macOS that Apple's own processors do not run.
_BEFORE_ARM = re.compile(r"(?i)(?<![\d.])10\.(?:[7-9]|1[0-5])\b|lion|mavericks|yosemite|capitan|sierra|mojave|catalina")

#: Names of GPUs that are part of a processor: of two GPUs, the other one computes.
_INTEGRATED = re.compile(r"(?i)radeon (?:\d{3}M|80\d0S|graphics)|strix (?:halo|point)|\biris\b|\bUHD\b|\bHD graphics")

_ARCHITECTURES = {
    "amd64": "x86_64", "x64": "x86_64", "x86-64": "x86_64", "arm64": "aarch64", "i386": "x86", "i686": "x86",
    "32-bit": "x86", "32bit": "x86",
}  # fmt: skip


#: The matrix's names of what wheels are for.
PLATFORM_OF = {
    ("linux", "x86_64"): "linux-x86_64", ("linux", "aarch64"): "linux-aarch64", ("windows", "x86_64"): "windows-amd64",
    ("macos", "aarch64"): "macos-arm64", ("macos", "x86_64"): "macos-x86_64",
}  # fmt: skip


#: Frameworks, and programs that a fix depends on: what a log calls them, in lower case, and what is noted.
WORDS = {
    "tensorflow": "tensorflow", "keras": "tensorflow", "pytorch": "torch", "torch": "torch", "jax": "jax",
    "org_tensorflow/tensorflow/compiler/xla": "jax",
    "diffusers": "diffusers", "torchvision": "torchvision", "torchaudio": "torchaudio",
    "runtimeerror: cudnn error: ": "torch", "runtimeerror: cuda error: ": "torch", "no cuda gpus are available": "torch",
    "no hip gpus are available": "torch",
    "onnxruntime": "onnxruntime", "podman": "podman", "kubectl": "kubernetes", "nvidia.com/gpu": "gpu-resource",
    "kubernetes": "kubernetes", "kubelet": "kubernetes", " pods ": "kubernetes", " pod ": "kubernetes", "cri-o": "crio",
    "singularity": "singularity", "apptainer": "singularity", "docker": "docker",
    "run --nv": "nv-given", "exec --nv": "nv-given", "shell --nv": "nv-given",
    "-c pytorch": "conda-torch", "_cudnn8": "conda-torch",
    "conda": "conda", "miniforge": "conda", "mambaforge": "conda", "micromamba": "conda", "mamba install": "conda",
    "conda/feedstock_root": "conda-build", "conda-forge jax": "conda-build", "conda-forge tensorflow": "conda-build",
    "$conda_prefix/nvvm": "conda-build", "cuda112py": "conda-build", "cuda118py": "conda-build",
    "cuda120py": "conda-build", "cuda126py": "conda-build", "cuda128py": "conda-build", "cuda129py": "conda-build",
    "ubuntu": "ubuntu", "debian": "debian", "fedora": "fedora", "arch linux": "arch",
    "manjaro": "arch", "endeavouros": "arch", "linux mint": "ubuntu", "pop!_os": "ubuntu",
    "centos": "rhel", "rocky linux": "rhel", "almalinux": "rhel", "packages/dgl/": "dgl", "import dgl": "dgl",
    "mxnet": "mxnet", "opensuse": "suse",
    "secure boot": "secure-boot", "[talos]": "talos",
    "truenas": "truenas", "unraid": "unraid", "directml": "directml", "poetry": "poetry", "uv pip": "uv",
    "mirroredstrategy": "mirrored", "> library(": "r", "reticulate": "r", "rstudio": "r", "www.piwheels.org": "raspberry",
    "raspberry pi": "raspberry", "nix-shell": "nixos",
    "[[node: ": "tf1", "tensorflow/contrib/": "tf1", "tensorflow\\contrib\\": "tf1", "tf_jenkins": "tf1",
    "(see above for traceback)": "tf1", "the following types and devices": "tf1", "couldn't open cuda library": "tf1",
    'name: "/cpu:0"': "tf1", "failed to run cublas routine": "cublas-failed",
    "t:\\src\\github\\tensorflow": "tf1",
    "<no registered kernels>": "no-kernels", "swig_import_helper": "tf1-native",
    "python\\pywrap_tensorflow_internal.py": "tf1-native",
    "/content/drive": "hosted", '"/content/': "hosted", "google.colab": "hosted", ":/content#": "hosted",
    "google/colab": "hosted", "/kaggle/working": "hosted", "/kaggle/input": "hosted",
    "!pip install": "cell-pip", "%pip install": "cell-pip",
    "colab": "colab", "using either !pip or !apt": "hosted", "/usr/local/lib/python3": "own-dist-packages",
    "docker desktop": "docker-desktop", "nixos": "nixos", "alpine": "alpine", "--gpus all": "gpus-all",
    "pyimod0": "frozen",
    "nvidia-docker run": "nvidia-docker", "--runtime=nvidia": "nvidia-docker", "--runtime nvidia": "nvidia-docker",
    "--gpus=all": "gpus-all", "docker compose": "compose", "docker-compose": "compose", "nvidia-cudnn-cu11  ": "cuda-wheels",
    "nvidia-cudnn-cu12  ": "cuda-wheels", "nvidia-cudnn-cu13  ": "cuda-wheels",
    "tensorflow[and-cuda]": "cuda-wheels", "+ nvidia-cudnn-cu12==": "cuda-wheels",
    "nvidia-nccl-cu11": "nccl-11", "nvidia-nccl-cu12": "nccl-12", "nvidia-nccl-cu13": "nccl-13", "packages/flax/": "flax",
    "packages/keras/": "keras", "packages\\keras\\": "keras", "import keras": "keras", 'file "': "traceback",
    "packages/optax/": "optax", "error when deserializing class": "saved-model", "load_model(": "saved-model",
    "packages/chex/": "chex", "packages/haiku/": "dm-haiku", "packages/numpyro/": "numpyro",
    "lib/libdevice.10.bc": "libdevice-in-lib", "rocr4wsl": "rocm-wsl",
    "_rocm_sdk_": "rocm-pip", "rocm[": "rocm-pip", "wsl environment detected": "rocm-wsl",
    "and cuda 13.": "cuda-13", "xla_cuda13": "cuda-13", "jetpack": "jetpack", "nv_tegra_release": "jetpack",
    "-tegra ": "jetpack", "l4t 3": "jetpack", "l4t r3": "jetpack", "pyqt": "qt", ".0-dev202": "tf-nightly", "pyside": "qt",
    "--container-image": "pyxis", "enroot": "pyxis", "/nix/store/": "nixos",
    "python3 ": "python3", "sudo python": "sudo", "sudo pip": "sudo", "common kvm ": "virtual-cpu", "proxmox": "virtual-cpu",
    "qemu: uncaught target": "emulated",
    "qemu virtual": "virtual-cpu", " hypervisor ": "virtual-cpu", " avx ": "avx",
    "conda create -n ": "conda-create", "conda env create": "conda-file", "insufficient driver version": "old-driver",
    "metal device set to: ": "metal-device",
    "tensorflow-metal": "metal-plugin", "jupyter": "jupyter", "ipython-input-": "jupyter", "cell in[": "jupyter",
    "cell in [": "jupyter",
    "no solution found when resolving": "uv", "uv add ": "uv-project", "uv sync": "uv-project", "uv.lock": "uv-project",
    "@ registry+http": "uv-project",
    "your project depends on": "uv-project", "your project's requirements": "uv-project", "tool.uv": "uv-project",
    "pip/_vendor/": "pip-install", ".whl (": "pip-install",
    "pipenv": "pipenv", "pipfile": "pipenv", "pdm add ": "pdm", "pdm install": "pdm", "pdm lock": "pdm",
    "looking in indexes: ": "index", "looking in indexes: https://pypi.org": "index-pypi",
    "looking in indexes: https://download.pytorch.org": "index-part", "looking in indexes: https://pkgs.dev": "index-part",
    "bitsandbytes": "bitsandbytes", "cuda setup: ": "bnb-setup", "xformers": "xformers", "flash_attn": "flash-attn",
    "mamba-ssm": "mamba-ssm", "auto-gptq": "auto-gptq", "getting requirements to build wheel": "isolated-build",
    "likely not a problem with pip": "isolated-build", "keras.src.engine": "keras-2-parts",
    "flash-attn": "flash-attn", "vllm": "vllm", "tfjs": "tfjs", "init_keras_custom_objects": "efficientnet",
    "/home/": "linux-path", "dist-packages/": "linux-path", "/opt/rocm": "linux-path", "/opt/conda": "linux-path",
    "/usr/lib": "linux-path", "/usr/local/lib64": "linux-path", "/usr/local/cuda": "linux-path", "/root/": "linux-path",
    "tmp/pip-": "linux-path",
    "lib64/python3": "lib64", "/easybuild/": "cluster-modules", "/spack/opt/": "cluster-modules",
    "/dev/nvidia": "linux-path", "linux-gnu": "linux-path", "manylinux": "linux-path", ".so.": "linux-path",
    "/users/": "mac-path", "/opt/homebrew": "mac-path", ".dylib": "mac-path", "\\users\\": "windows-path",
    ".dll": "windows-path", "c:\\": "windows-path", "c:/users": "windows-path", ' "d:\\': "windows-path",
    " d:\\": "windows-path", ' "e:\\': "windows-path", " e:\\": "windows-path", ' "f:\\': "windows-path",
    "wddm  |": "wddm", "..\\aten\\": "windows-path", "torch\\csrc\\": "windows-path",
    "ollama": "ollama", "koboldcpp": "llama.cpp", "whisper.cpp": "llama.cpp", "sglang": "sglang", "comfyui": "comfyui",
    "stable-diffusion-webui": "webui", "webui-amdgpu": "webui-amdgpu", "webui-directml": "webui-amdgpu",
    "python_embeded": "python_embeded",
    '"mps"': "torch", "'mps'": "torch", "mps:0": "torch", "device mps": "torch", "device=mps": "torch",
    "mmdet": "mmdet", "ultralytics": "torchvision", "easyocr": "torchvision", "neither cuda nor mps": "torchvision",
    "gensim": "gensim", "ctranslate2": "ctranslate2", "faster_whisper": "ctranslate2", "faster-whisper": "ctranslate2",
    "whisperx": "ctranslate2",
    "slurmstepd:": "slurm", "srun: ": "slurm", "sbatch": "slurm", "salloc": "slurm",
    "--gres=": "gpus-asked", "--gpus": "gpus-asked",
    "#pbs -": "slurm", "qsub ": "slurm", "lxc container": "lxc", "lxd container": "lxc", " lxc ": "lxc",
    "submitted batch job": "slurm", "slurm_job": "slurm",
    "$ srun ": "slurm", "/usr/bin/nvidia-smi": "linux-smi",
    "cupy": "cupy", "numba": "numba", "cudf": "cudf", "rapids": "cudf", "ggml": "llama.cpp", "llama.cpp": "llama.cpp",
    "llama_model_load": "llama.cpp", "llama_context": "llama.cpp", "llm_load_": "llama.cpp", "llama-cpp": "llama.cpp",
}  # fmt: skip


#: Names and versions in "keras-2.6.0 tensorflow-2.6.0" and in the names of wheels.
_ARCHIVES = re.compile(
    r"(?<![\w.-])([A-Za-z]\w*(?:[.-][A-Za-z]\w*)*)-(\d[\w.+]*)(?<!\.gz)(?<!\.zip)(?=\s|$|-\S{1,120}\.whl)"
)

#: What a note or the system's description says of how the program runs, where a log would have other words.
_NOTED = (("slurm", r"slurm|\bpbs\b"), ("jupyter", r"jupyter|notebook"), ("lxc", r"\blxc\b|\blxd\b"))

#: An operating system's version that says the processor.
_ARM = re.compile(r"(?i)\b(?:aarch64|arm64)\b|ubuntu.*raspberry pi [345]|raspberry pi [345].*ubuntu")


class Known:
    """The known facts. ``None`` and missing keys mean "unknown"."""

    #: The files in the first error's traceback.
    frames: Sequence[str] = ()

    #: Whether nothing says on which machine the log was written: that may be this one.
    here = False

    #: The year and month in which TensorFlow printed its lines, as "2018-11"; "" if they have no date.
    dated = ""

    def __init__(self) -> None:
        self.system: Optional[str] = None
        self.wsl: Optional[bool] = None
        self.container: Optional[bool] = None
        self.architecture: Optional[str] = None
        self.vendors: Set[str] = set()
        self.no_gpu = False
        self.gpu_name = ""
        #: Name and version of the operating system, as a person writes it: "Ubuntu 22.04".
        self.os_version = ""
        #: Which of `WORDS` the log has: frameworks and programs.
        self.words: Set[str] = set()
        self.versions: Dict[str, str] = {}
        #: Versions of distributions by normalized name; "" if unknown.
        self.packages: Dict[str, str] = {}
        #: Whether ``packages`` lists everything that is installed.
        self.complete = False
        #: The interpreter that runs the program, the Python whose pip says that a package is there, and the folder of one
        #: that a program for Windows brings; "" if unknown.
        self.interpreter = self.pip_python = self.bundled = ""
        self.environment: Dict[str, str] = {}
        #: Results in the log: the training loss line by line, and tensors as printed.
        self.losses: List[float] = []
        self.tensors: List[Tuple[str, str]] = []
        self.scalars: List[Tuple[str, str]] = []
        #: Exact versions that an installer looked for and did not find, by distribution.
        self.sought: Dict[str, str] = {}
        #: pip's words ("a 1.0 depends on b<3") by what is needed and who needs it.
        self.depends: Dict[str, Dict[str, str]] = {}
        #: The requirement that the user gave to pip, and the index that an installer used; "" if no line says.
        self.asked = self.index = ""
        #: The archives of sources that pip took, as there is no wheel: versions by name; the one that fails, or the last one.
        self.sources: Dict[str, str] = {}
        self.sdist = ""
        #: Minor releases of Python that conda's solver says could be installed.
        self.pythons: Set[str] = set()
        #: The two halves of NVIDIA's driver, if a log distinguishes them.
        self.driver_library = self.driver_kernel = ""
        #: The process that holds most of a GPU's memory, and how many MiB, as nvidia-smi lists it.
        self.holder: Tuple[str, int] = ("", 0)
        #: How many MB TensorFlow found free on its smallest GPU when it started, 0 if no line says so.
        self.tensorflow_memory = 0
        #: The libraries that a search found, by their names, and the folders that have them.
        self.library_folders: Dict[str, str] = {}
        #: The first MIG instance that nvidia-smi lists.
        self.mig = ""
        self.machine: Optional[Machine] = None
        self._stated: Set[str] = set()
        self._wanted = False

    def state(self) -> None:
        """Mark the present facts as certain, so that the log does not change them: it may mention other machines too."""
        self._stated = {
            name for name in ("system", "wsl", "container", "architecture") if getattr(self, name) is not None
        }
        self._stated |= {"version:" + name for name in self.versions}
        self._stated |= {"package:" + name for name, version in self.packages.items() if version}
        if self.vendors or self.no_gpu:
            self._stated.add("vendors")
        if any(name.startswith("SLURM_") for name in self.environment):
            self.words.add("slurm")

    @property
    def system_stated(self) -> bool:
        """Whether the system is a given fact, and not read from the log."""
        return "system" in self._stated

    def learn(self, sets: Mapping[str, Any], groups: Mapping[str, str]) -> None:
        """Add the facts of a line, except where a certain fact exists."""
        for key, value in sets.items():
            if key == "os":
                self._fill("system", value)
            elif key in ("wsl", "container"):
                self._fill(key, bool(value))
                if value and "system" not in self._stated and (key == "wsl" or self.system is None):
                    self.system = "linux"  # who has WSL may name the Windows around it
            elif key == "arch":
                self._fill("architecture", _ARCHITECTURES.get(value, value))
            elif key == "gpu" and "vendors" not in self._stated:
                self.vendors.add(value)
            elif key == "expects-gpu":
                self._wanted = bool(value)
            elif key == "no-gpu" and "vendors" not in self._stated:
                self.no_gpu = True
        if "env_name" in groups:
            self.environment.setdefault(groups["env_name"], groups.get("env_value", ""))
        for key, value in groups.items():
            if key in VERSIONS:
                if "version:" + key not in self._stated:
                    self.versions.setdefault(key, value.strip())
            elif key == "tensorflow" and self.tensorflow is not None and "tensorflow" not in self.packages:
                # "TensorFlow version: 2.11" is the version of any distribution that provides it.
                owner = self.tensorflow[0]
                self.packages[owner] = self.packages[owner] or value.strip()
            elif key in _PACKAGES and "package:" + _normal(key) not in self._stated:
                name = _normal(key + (groups.get("variant", "") if self.tensorflow is None else ""))
                old, new = self.packages.get(name), value.strip()
                # An error names the release, a list also its build.
                self.packages[name] = new if not old or new.startswith(old + "+") else old
            elif key == "distribution":
                self.os_version = self.os_version or value
            elif key == "requirement":
                self._learn_requirement(value)
            elif key == "depends":
                needed = self.depends.setdefault(_normal(value), {})
                needed.setdefault(_normal(groups["user"]), groups["need"])
            elif key == "installable":
                self.pythons.add(value)
            elif key == "interpreter":
                self._learn_interpreter(value)
            elif key == "pip_python":
                self.pip_python = value if "." in value else "%s.%s" % (value[0], value[1:])
            else:
                self._learn_device_or_result(key, value, groups)

    def _learn_device_or_result(self, key: str, value: str, groups: Mapping[str, str]) -> None:
        if key == "wheel_python":
            if "version:python" not in self._stated:
                self.versions.setdefault("python", "3." + value)
        elif key == "library_file":
            folder, _, name = value.rpartition("/")
            self.library_folders.setdefault(name, folder)
        elif key == "index":
            self.index = self.index or value
        elif key == "sdist":
            self.sdist = _normal(value)
            self.sources.setdefault(self.sdist, groups.get("sdist_version", ""))
        elif key == "asked":
            self.asked = self.asked or value
        elif key == "installed":
            self._learn_installed(value)
        elif key == "bundled":
            self.bundled = self.bundled or value
        elif key == "built" and not self.packages.get("torch"):
            self.versions.setdefault("cuda", value)
        elif key in ("hip", "built") and "+" not in self.packages.get("torch", ""):
            label = "rocm" + value if key == "hip" else "cu" + value.replace(".", "")
            self.packages["torch"] = "%s+%s" % (self.packages.get("torch", ""), label)
        elif key == "mig":
            self.mig = self.mig or value
        elif key == "loss":
            self.losses.append(float(value))
        elif key == "tensor":
            self.tensors.append((value, groups.get("tensor_kind", "")))
        elif key == "scalar":
            self.scalars.append((value, groups.get("scalar_kind", "")))
        elif key == "driver_library":
            self.driver_library = self.driver_library or value
            self.versions.setdefault("driver", value)
        elif key == "tf_memory":
            self.tensorflow_memory = min(self.tensorflow_memory or int(value), int(value))
        elif key == "holder":
            self.holder = max(self.holder, (value, int(groups["held"])), key=lambda item: item[1])
        elif key == "driver_kernel":
            self.driver_kernel = self.driver_kernel or value
            self.versions.setdefault("driver", value)
        elif key == "gpuname" and "vendors" not in self._stated:
            value = re.split(" (?:on|in|under) ", value)[0]  # "a Radeon RX 580 on Windows 10"
            self.vendors |= vendors_of(value)
            integrated = _INTEGRATED.search(self.gpu_name) and (not _INTEGRATED.search(value) or self.gpu_name in value)
            if not self.gpu_name or integrated:
                self.gpu_name = value.strip()

    def _learn_interpreter(self, path: str) -> None:
        self.interpreter = self.interpreter or path
        version = re.search(r"(?i)python([23])\.?(\d{1,2})(?:$|\.exe$|[\\/])", path)
        if version is not None and "version:python" not in self._stated:
            self.versions["python"] = "%s.%s" % version.groups()

    def _learn_requirement(self, value: str) -> None:
        # conda writes "tensorflow 1.13.1*", and uv the index.
        pin = re.match(
            r"([A-Za-z][\w.-]*)(?:==?| )(\d+(?:\.\d+)+)\*?(?: @ registry\+https://pypi\.org/\S*)?$", value.strip()
        )
        index = re.search(r"@ registry\+(https?://[^\s`]{4,120})", value)
        self.index = self.index or (index.group(1) if index else "")
        if pin is not None:
            self.sought[_normal(pin.group(1))] = pin.group(2)

    def _learn_installed(self, text: str) -> None:
        """Note what pip says it has installed, or gets to install: the last version of each."""
        for name, version in _ARCHIVES.findall(text):
            name, owner = _normal(name), self.tensorflow
            other = owner is not None and name in TENSORFLOW_OWNERS and name != owner[0]
            if not other and "package:" + name not in self._stated:
                self.packages[name] = version

    def _fill(self, name: str, value: Any) -> None:
        if name not in self._stated and getattr(self, name) is None:
            setattr(self, name, value)

    def before(self, version: str) -> bool:
        """Whether the log is older than a release of TensorFlow, which then cannot have printed it."""
        known = bool(self.dated) and "tf-nightly" not in self.packages
        return known and any(self.dated < month and version_at_least(version, first) for first, month in _CANDIDATES)

    @property
    def built(self) -> str:
        """The package that pip built last from an archive, with its version; "" if it built none."""
        version = self.sources.get(self.sdist)
        return "%s %s" % (self.sdist, version) if version else ""

    def version(self, name: str) -> Optional[str]:
        """Return a version of ``python``, ``cuda``, ``driver``, ... or of a distribution, None if unknown."""
        return self.versions.get(name) or self.packages.get(name) or None

    @property
    def in_estimator(self) -> bool:
        """Whether the first error's traceback ends in tensorflow-estimator."""
        return "tensorflow_estimator" in "".join(self.frames[-1:])

    @property
    def toolkit_stated(self) -> bool:
        """Whether CUDA or cuDNN is a given fact: a log may be of a toolkit that is installed without a GPU."""
        return bool({"version:cuda", "version:cudnn"} & self._stated)

    @property
    def expects_gpu(self) -> bool:
        """Whether anything shows that there is a GPU, or an attempt to use one."""
        named = {"driver", "rocm", "capability", "gfx"} & set(self.versions)
        asked = any(name.endswith(("-gpu", "-rocm", "-metal")) or name.startswith("nvidia-c") for name in self.packages)
        asked = asked or "+cuda" in self.packages.get("jaxlib", "")
        elsewhere = self.system in ("windows", "macos") or bool(self.wsl) or bool(self.container)
        return not self.no_gpu and bool(
            self._wanted or self.vendors or named or self.toolkit_stated or asked or elsewhere
        )

    @property
    def tensorflow(self) -> Optional[Tuple[str, str]]:
        """The distribution that provides TensorFlow, and its version ("" if unknown)."""
        for name in (
            "tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-intel", "tensorflow-directml", "tensorflow-rocm",
            "tensorflow-macos", "tf-nightly", "tf-nightly-gpu",
        ):  # fmt: skip
            if name in self.packages:
                return name, self.packages[name]
        return None

    @property
    def owners(self) -> Sequence[str]:
        """The distributions that own TensorFlow's folder, without what an empty one of the same release requires."""
        minor = minor_of(self.packages.get("tensorflow", ""))
        return [
            name
            for name, version in self.packages.items()
            if name in TENSORFLOW_OWNERS
            and (name not in TENSORFLOW_REDIRECTS or minor not in ("", minor_of(version) or minor))
        ]

    @property
    def platform(self) -> Optional[str]:
        """The platform as `devicekit.matrix.has_wheel` names them, None if unknown."""
        # Linux and Windows run on x86-64 by default; Macs exist in both kinds.
        apple = "aarch64" if "apple" in self.vendors else None
        architecture = self.architecture or (apple if self.system == "macos" else "x86_64")
        return PLATFORM_OF.get((self.system or "", architecture or ""))

    def holds(self, condition: Mapping[str, Any], groups: Mapping[str, str], seen: Mapping[str, Any]) -> bool:
        """Return whether all parts of a condition are known to hold."""
        return all(self._part(name, wanted, groups, seen) for name, wanted in condition.items())

    def _part(self, name: str, wanted: Any, groups: Mapping[str, str], seen: Mapping[str, Any]) -> bool:
        if name == "os":
            return self.system is not None and self.system in _several(wanted)
        if name in ("wsl", "container"):
            value = getattr(self, name)
            return bool(value is not None and value == wanted)
        if name == "arch":
            return self.architecture is not None and self.architecture in [
                _ARCHITECTURES.get(item, item) for item in _several(wanted)
            ]
        if name == "gpu":
            return any(item in self.vendors for item in _several(wanted))
        if name == "no-gpu":
            return bool(self.no_gpu == wanted)
        if name == "package":
            return all(self._package(item, text) for item, text in wanted.items())
        if name == "env":
            return all(
                key in self.environment and re.search(text, self.environment[key]) is not None
                for key, text in wanted.items()
            )
        if name == "seen":
            return any(item in seen for item in _several(wanted))
        if name == "unseen":
            return not any(item in seen for item in _several(wanted))
        if name == "group":
            return all(key in groups and re.search(text, groups[key]) is not None for key, text in wanted.items())
        if name == "frame":  # the file that the traceback ends in
            return re.search(wanted, "".join(self.frames[-1:])) is not None
        if name in VERSIONS:
            version = self.versions.get(name) or (
                capability_of(self.gpu_name, BUNDLED) if name == "capability" else None
            )
            # "{value}" is what the pattern found; conda separates ranges by "|".
            bounds = re.sub(r"\{(\w+)\}", lambda name: groups.get(name.group(1), "-"), wanted)
            ranges = [item if item[:1] in "<>=!" else "==" + item for item in bounds.split("|")]
            return version is not None and any(_accepts(item, version) for item in ranges)
        raise DevicekitError("unknown condition of a signature: %s" % name)

    def _package(self, name: str, wanted: str) -> bool:
        if wanted == "!":
            return self.complete and name not in self.packages
        if wanted == "*":
            return name in self.packages
        if wanted.startswith("+"):  # the label of a build: +rocm
            return wanted in self.packages.get(name, "")
        if name == "tensorflow" and name not in self.packages:
            found = self.tensorflow
            return found is not None and bool(found[1]) and _accepts(wanted, found[1])
        return bool(self.packages.get(name)) and _accepts(wanted, self.packages[name])


#: When some releases of TensorFlow had their first candidates (its releases on GitHub).
_CANDIDATES = (
    ("1.5", "2018-01"), ("1.13", "2019-01"), ("2.0", "2019-08"), ("2.1", "2019-12"), ("2.4", "2020-11"), ("2.5", "2021-04"),
    ("2.11", "2022-10"), ("2.16", "2024-02"),
)  # fmt: skip


def _several(wanted: Any) -> List[str]:
    return wanted if isinstance(wanted, list) else str(wanted).split("|")


def _accepts(specifier: str, version: str) -> bool:
    plain = re.match(r"v?(\d+(?:\.\d+)*)", version)
    return plain is not None and accepts(specifier, plain.group(1)) is True


def vendors_of(text: str) -> Set[str]:
    """Return the vendors of the GPUs that a text names."""
    return {vendor for vendor, pattern in _VENDORS if re.search(pattern, text, re.IGNORECASE)}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


#: The systems that the fact ``os`` names, as people write them: "Windows 11", "Debian 12", "macOS 14".
_SYSTEMS = (
    ("macos", r"\bmac|darwin|\bos ?x\b"),
    ("windows", r"\bwindows|\bwin(?:32|64|\d|$)"),
    (
        "linux",
        r"linux|ubuntu|debian|fedora|centos|\brhel|red ?hat|\brocky|\barch\b|manjaro|suse|\bsles|\bmint\b|nixos|gentoo"
        r"|\bpop!?_?os|raspb|jetpack|\bl4t\b|\bcolab\b|\bkaggle\b",
    ),
)


def _system(known: Known, text: str) -> str:
    """Set the system that the fact ``os`` names; return its version, as far as the fact says one."""
    system = text.lower()
    named = next((name for name, pattern in _SYSTEMS if re.search(pattern, system)), system)
    if re.search(r"\bwsl", system):
        known.system, known.wsl = "linux", True
    elif re.search(r"\b(?:container|docker)\b", system) and named not in ("windows", "macos"):
        known.system, known.container = "linux", True
    elif system:
        known.system = named
        if known.system != "linux":
            known.wsl = False
    return text if " " in system or (named == "linux" and system != "linux") else ""


def _which_mac(known: Known, facts: Mapping[str, Any], version: str) -> None:
    chip = known.architecture == "aarch64" or re.match(r"(?i)apple m\d", _text(facts, "cpu"))
    if "apple" in known.vendors or (known.system == "macos" and chip):
        known.vendors.add("apple")
        known.system = known.system or "macos"
    elif known.system == "macos":
        if not known.vendors and re.match(r"\d", _text(facts, "cuda")):  # never on Apple's processors
            known.vendors = {"nvidia"}
        if known.vendors or _BEFORE_ARM.search(version):
            known.architecture = "x86_64"


def known_from_facts(facts: Mapping[str, Any]) -> Known:
    """Return the facts of a mapping.

    Parameters
    ----------
    facts : mapping
        ``os`` ("linux", "windows", "macos", "wsl1", "wsl2", "container", or as people write it: "Debian 12"), ``python``,
        ``packages`` (name to version or null), ``gpu``, ``driver``, ``cuda``, ``cudnn``, ``rocm``, ``arch``, ``env`` (name to
        value), ``os_version`` ("Ubuntu 22.04"), ``cpu``, ``note``. All are optional; other keys are ignored.

    Raises
    ------
    DevicekitError
        If it is not a mapping, or a value has another type.
    """
    if not isinstance(facts, Mapping):
        raise DevicekitError('facts must be a JSON object such as {"os": "linux"}, not a %s' % type(facts).__name__)
    known = Known()
    said = _system(known, _text(facts, "os"))
    architecture = _text(facts, "arch").lower()
    if architecture or _ARM.search(_text(facts, "os_version")):
        known.architecture = _ARCHITECTURES.get(architecture, architecture) or "aarch64"
    gpu = _text(facts, "gpu")
    if re.match(r"(none|no gpu|no)\b", gpu, re.IGNORECASE):
        known.no_gpu = "none from" not in gpu.lower()
    else:
        model = find_gpu(gpu, BUNDLED)
        known.vendors = vendors_of(gpu) or ({model.vendor} if model is not None else set())
        if not gpu and re.match(r"\d{3}\.\d\d", _text(facts, "driver")):  # the numbers of other makers' have four parts
            known.vendors = {"nvidia"}
        known.gpu_name = gpu
        gfx = re.search(r"gfx[0-9a-f]{3,4}", gpu)
        if gfx:
            known.versions["gfx"] = gfx.group()
    version = _text(facts, "os_version") or said
    _which_mac(known, facts, version)
    if known.system == "linux" and known.wsl is None and re.search(r"(?i)\bwsl ?2?\b|microsoft-standard", version):
        known.wsl = True
    known.os_version = " ".join(filter(None, (version, _text(facts, "note"), _text(facts, "cpu"))))
    known.words.update(word for word, pattern in _NOTED if re.search(pattern, known.os_version, re.IGNORECASE))
    for name in ("python", "driver", "cuda", "cudnn", "rocm"):
        found = re.search(r"\d+(?:\.\d+)*", _text(facts, name))
        if found:
            known.versions[name] = found.group()
    packages = facts.get("packages") or {}
    if isinstance(packages, (list, tuple)):
        packages = dict(str(item).partition("==")[::2] for item in packages)
    if not isinstance(packages, Mapping):
        raise DevicekitError(
            "the fact 'packages' must be an object of names and versions, not a %s" % type(packages).__name__
        )
    known.packages = {_normal(str(name)): str(version or "") for name, version in packages.items()}
    known.packages = {name: "" if version == "unknown" else version for name, version in known.packages.items()}
    variables = facts.get("env") or {}
    if not isinstance(variables, Mapping):
        raise DevicekitError(
            "the fact 'env' must be an object of names and values, not a %s" % type(variables).__name__
        )
    known.environment = {str(name): str(value) for name, value in variables.items() if value is not None}
    known.state()
    return known


def _text(facts: Mapping[str, Any], name: str) -> str:
    value = facts.get(name)
    if isinstance(value, (list, tuple)):
        value = ", ".join(str(item) for item in value)
    if value is None or value == "unknown":
        return ""
    if isinstance(value, (str, int, float)):
        return str(value)
    raise DevicekitError("the fact '%s' must be a string, not a %s" % (name, type(value).__name__))


def known_from_machine(machine: Machine) -> Known:
    """Return the facts of a snapshot; those that could not be read stay unknown."""
    known = Known()
    python, native, process, driver = machine.python, machine.native, machine.process, machine.driver
    known.machine = machine
    known.system = native.system
    known.os_version = native.os_version.or_none() or ""
    known.architecture = _ARCHITECTURES.get(python.architecture.lower(), python.architecture.lower())
    if process.wsl.known:
        known.wsl = process.wsl.value is not None
    if process.container.known:
        known.container = process.container.value is not None
    names = [gpu.name for gpu in driver.gpus.or_none() or ()]
    names += [adapter.name for adapter in machine.directml.adapters.or_none() or () if not adapter.software]
    names += [machine.metal.chip.or_none() or ""]
    vendors = {"10de": "nvidia", "1002": "amd", "8086": "intel"}
    known.vendors = vendors_of(", ".join(names))
    known.vendors |= {vendors[item.vendor_id] for item in driver.displays.or_none() or () if item.vendor_id in vendors}
    known.gpu_name = ", ".join(name for name in names if name)
    known.versions["python"] = python.version
    for name, fact in (("driver", driver.nvidia_kernel_version), ("rocm", machine.rocm.version)):
        version = fact.or_none()
        if version:
            known.versions[name] = version
    installed = python.distributions.or_none()
    known.complete = installed is not None and not python.distributions.problem
    known.packages = {item.name: item.version.or_none() or "" for item in installed or ()}
    known.environment = dict(process.environ)
    known.state()
    return known
