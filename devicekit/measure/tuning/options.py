"""Which settings could make training faster on a machine: those that its processor, device and framework have. Pure.

What the user has set is never touched: such a setting is listed with the variable that decides it.
"""

import math
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from packaging.version import InvalidVersion, Version

from ...errors import unknown_name
from ...machine.facts import Machine, Native
from ...records import Record
from ...selection.selection import Selection
from .result import TunedOption

#: Every name that an option has, in the order in which they are tried.
NAMES = ("threads", "onednn", "allocator", "tf32", "precision", "fpmath", "xla", "compile", "prefetch")


class Option(Record):
    """One setting to try.

    Attributes
    ----------
    name : str
        One of `NAMES`, or another one for a setting of one's own. Of several options of a name one is kept at most.
    setting : str
        What it is set to, for the report.
    environment : tuple of (str, str)
        Variables to set before the framework is imported.
    settings : tuple of (str, object)
        Calls of the framework: what `devicekit.measure.benchmark.settings` knows, and ``precision`` and ``xla``.
    calls : tuple of str
        The same calls, as one would write them.
    arithmetic : str or None
        The coarser arithmetic that it is known to compute in: ``"tf32"``, ``"bfloat16"``, ``"float16"``. None: results
        may differ by the order of float32's roundings only.
    why : str
        Why it is tried here.
    """

    name: str
    setting: str
    environment: Tuple[Tuple[str, str], ...] = ()
    settings: Tuple[Tuple[str, Any], ...] = ()
    calls: Tuple[str, ...] = ()
    arithmetic: Optional[str] = None
    why: str = ""

    def tuned(self, gain: Optional[float], kept: bool, reason: str) -> TunedOption:
        """Return the outcome of it."""
        return TunedOption(self.name, self.setting, gain, kept, reason, self.environment, self.calls, self.settings)


class _Look(NamedTuple):
    """What the candidates are decided from."""

    machine: Machine
    framework: str
    platform: str
    number: int
    physical: Optional[int]
    libraries: Sequence[str]

    @property
    def native(self) -> Native:
        return self.machine.native

    @property
    def flags(self) -> Tuple[str, ...]:
        return self.native.cpu_flags.or_none() or ()

    @property
    def capability(self) -> Tuple[int, int]:
        """Of the NVIDIA GPU that is tuned; (0, 0) if it is not known."""
        gpus = [gpu for gpu in self.machine.driver.gpus.or_none() or () if gpu.vendor == "nvidia"]
        text = gpus[self.number].compute_capability.or_none() if self.number < len(gpus) else None
        major, _, minor = (text or "").partition(".")
        return (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else (0, 0)

    def installed(self, *names: str) -> Optional[str]:
        """The version of the first installed distribution of these names, None if none is known to be there."""
        versions = {item.name: item.version.or_none() for item in self.machine.python.distributions.or_none() or ()}
        return next((versions[name] for name in names if versions.get(name)), None)

    def version(self, *names: str) -> Tuple[int, ...]:
        """The release of the first installed distribution of these names; () if it is not known."""
        found = self.installed(*names)
        build = self.machine.python.build(names[0])
        if found is None and build is not None:
            found = build.version.or_none()
        try:
            return Version(found).release if found else ()
        except InvalidVersion:
            return ()


def candidates(
    machine: Machine,
    framework: str,
    device: Selection,
    *,
    environ: Mapping[str, str],
    physical: Optional[int] = None,
    libraries: Sequence[str] = (),
    input_pipeline: bool = False,
) -> Tuple[Tuple[Option, ...], Tuple[TunedOption, ...]]:
    """Return the options to try, and those that the user's own settings decide.

    Parameters
    ----------
    framework : {"tensorflow", "tensorflow1", "jax", "torch"}
    device : Selection
        What is tuned: its device and platform.
    environ : mapping
        The user's environment variables.
    physical : int or None
        Physical cores that this process may use, if that is known.
    libraries : sequence of str
        Paths of the memory allocators that are installed.
    input_pipeline : bool
        Whether batches come through an input pipeline.
    """
    first = device.device.partition(",")[0].partition(":")[2]
    look = _Look(machine, framework, device.platform, int(first) if first else 0, physical, libraries)
    found: List[Option] = []
    for each in (_threads, _onednn, _allocator, _tf32, _precision, _fpmath, _xla, _compile):
        found += each(look)
    if input_pipeline:
        found += _prefetch(look)
    to_try: List[Option] = []
    decided: Dict[str, TunedOption] = {}
    for item in found:
        variable = next((name for name in _decided_by(item, look) if environ.get(name)), None)
        if variable is None:
            to_try.append(item)
        elif item.name not in decided:
            text = "%s is set to '%s' by you, and left as it is" % (variable, environ[variable][:60])
            decided[item.name] = TunedOption(item.name, "as you have set it", None, False, text)
    return tuple(to_try), tuple(decided.values())


def wanted(options: Sequence[Option], names: Optional[Iterable[Any]]) -> Tuple[Option, ...]:
    """Return the options of these names, and those that are given as such.

    Raises
    ------
    ValueError
        For a name that is none; the message lists all.
    """
    if names is None:
        return tuple(options)
    given = [names] if isinstance(names, (str, Option)) else list(names)
    for item in given:
        if not isinstance(item, Option) and item not in NAMES:
            raise ValueError(unknown_name("option", item, NAMES))
    found = [item for item in options if item.name in given]
    return tuple(found + [item for item in given if isinstance(item, Option)])


#: Variables by which a user decides what an option would set.
_DECIDES = {
    ("threads", "tensorflow"): ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"),
    ("threads", "jax"): ("NPROC",),
    ("threads", "torch"): ("OMP_NUM_THREADS", "MKL_NUM_THREADS"),
    ("onednn", "tensorflow"): ("TF_ENABLE_ONEDNN_OPTS", "TF_DISABLE_MKL"),
    ("allocator", "tensorflow"): ("TF_GPU_ALLOCATOR",),
    ("allocator", "torch"): ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"),
    ("tf32", "torch"): ("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "NVIDIA_TF32_OVERRIDE"),
    ("fpmath", "tensorflow"): ("TF_SET_ONEDNN_FPMATH_MODE", "ONEDNN_DEFAULT_FPMATH_MODE"),
    ("fpmath", "torch"): ("ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE"),
    ("xla", "tensorflow"): ("TF_XLA_FLAGS",),
}


def _decided_by(item: Option, look: _Look) -> Tuple[str, ...]:
    family = "tensorflow" if look.framework == "tensorflow1" else look.framework
    names = _DECIDES.get((item.name, family), ()) if item.name != "allocator" or look.platform != "cpu" else ()
    return names + tuple(name for name, _ in item.environment)


def _threads(look: _Look) -> Iterable[Option]:
    """As many threads as there is processor time for; and fewer, if they only wait for one another."""
    native = look.native
    seen = native.cpu_affinity.or_none() or native.cpu_count.or_none() or 0
    if seen < 2:
        return
    quota = native.cpu_quota.or_none()
    counts: Dict[Tuple[int, int], str] = {}
    if quota is not None and math.ceil(quota) < seen:
        why = "the quota grants the time of %g of %d cores" % (quota, seen)
        for number in sorted({max(1, math.ceil(quota)), max(1, math.floor(quota))}, reverse=True):
            counts[number, number] = why
    elif look.platform == "cpu":
        fast = native.performance_cores.or_none()
        if fast is not None and fast < seen:
            counts[fast, fast] = "so many of the %d cores are fast ones" % seen
        if look.physical is not None and look.physical < seen:
            counts.setdefault((look.physical, look.physical), "%d processors share as many cores" % seen)
        if look.framework.startswith("tensorflow"):
            counts.setdefault((seen, 1), "one operation after the other, each with all threads")
        counts.setdefault((1, 1), "small steps do not pay for threads")
    for (intra, inter), why in counts.items():
        yield _thread_option(look.framework, intra, inter, why)
    if look.platform == "cpu" and look.installed(*_OPENMP_BUILDS):
        yield Option(
            "threads", "KMP_BLOCKTIME=1", (("KMP_BLOCKTIME", "1"),), why="OpenMP's threads spin 200 ms for more work"
        )


#: Builds of TensorFlow whose threads are OpenMP's (Intel's and conda's with MKL).
_OPENMP_BUILDS = ("intel-tensorflow", "intel-tensorflow-avx512", "tensorflow-mkl")


def _thread_option(framework: str, intra: int, inter: int, why: str) -> Option:
    if framework == "jax":
        return Option("threads", "threads=%d" % intra, (("NPROC", str(intra)),), why=why)
    if framework == "torch":
        calls = ("torch.set_num_threads(%d)" % intra,)
        return Option("threads", "threads=%d" % intra, (), (("intra_op_threads", intra),), calls, why=why)
    variables = (("TF_NUM_INTRAOP_THREADS", str(intra)), ("TF_NUM_INTEROP_THREADS", str(inter)))
    return Option("threads", "intra=%d inter=%d" % (intra, inter), variables, why=why)


def _onednn(look: _Look) -> Iterable[Option]:
    """Kernels of oneDNN are on by default on x86-64 from TensorFlow 2.9 on, and can be switched from 2.5 on."""
    release = look.version("tensorflow", "tensorflow-cpu", "tensorflow-intel")
    if look.framework != "tensorflow" or look.platform != "cpu" or release < (2, 5):
        return
    if look.native.system == "macos":
        return
    on = release >= (2, 9) and look.native.architecture.lower() in ("x86_64", "amd64")
    value = "0" if on else "1"
    yield Option(
        "onednn",
        "off" if on else "on",
        (("TF_ENABLE_ONEDNN_OPTS", value),),
        why="Eigen's kernels instead of oneDNN's" if on else "oneDNN's kernels instead of Eigen's",
    )


def _allocator(look: _Look) -> Iterable[Option]:
    if look.platform == "cuda" and look.framework == "tensorflow" and look.version("tensorflow") >= (2, 5):
        yield Option(
            "allocator",
            "cuda_malloc_async",
            (("TF_GPU_ALLOCATOR", "cuda_malloc_async"),),
            why="the driver's own pool of memory",
        )
    if look.platform == "cuda" and look.framework == "torch" and look.version("torch") >= (2, 0):
        yield Option(
            "allocator",
            "cudaMallocAsync",
            (("PYTORCH_CUDA_ALLOC_CONF", "backend:cudaMallocAsync"),),
            why="the driver's own pool of memory",
        )
    if look.platform == "cpu" and look.native.system == "linux":
        for path in look.libraries:
            name = path.rpartition("/")[2].partition(".")[0]
            why = "less waiting of threads for memory; it is preloaded, so that only the shell can set it"
            yield Option("allocator", name[3:] if name.startswith("lib") else name, (("LD_PRELOAD", path),), why=why)


def _tf32(look: _Look) -> Iterable[Option]:
    """TensorFlow and JAX take TF32 by themselves; PyTorch's matrix products do not."""
    if look.framework == "torch" and look.platform == "cuda" and look.capability >= (8, 0):
        calls = ("torch.backends.cuda.matmul.allow_tf32 = True", "torch.backends.cudnn.allow_tf32 = True")
        why = "tensor cores multiply float32 with 10 bits behind the point"
        yield Option("tf32", "on", (), (("tf32", True),), calls, "tf32", why)


#: Instructions of processors that multiply in 16 bits; with the names that Linux has for them.
_CPU_BFLOAT16 = ("avx512_bf16", "amx_bf16", "bf16")
_CPU_FLOAT16 = ("amx_fp16",)


def _precision(look: _Look) -> Iterable[Option]:
    """Mixed precision in the 16-bit formats that the hardware multiplies fast (NVIDIA, CUDA C++ Programming Guide)."""
    kinds: Dict[str, str] = {}
    if look.platform == "cuda":
        if look.capability >= (8, 0):
            kinds["bfloat16"] = "tensor cores from compute capability 8.0 on"
        if look.capability >= (7, 0):
            kinds["float16"] = "tensor cores from compute capability 7.0 on; Keras scales the loss by itself"
    elif look.platform == "rocm":
        kinds["float16"] = "matrix cores of AMD's Instinct, packed arithmetic of the others"
        kinds["bfloat16"] = "matrix cores of AMD's Instinct"
    elif look.platform == "tpu":
        kinds["bfloat16"] = "a TPU multiplies in bfloat16"
    elif look.platform == "xpu":
        kinds["bfloat16"] = "Intel's matrix engines"
    elif look.platform == "metal":
        kinds["float16"] = "half the memory traffic"
    elif look.platform == "cpu":
        if any(flag in look.flags for flag in _CPU_BFLOAT16):
            kinds["bfloat16"] = "the processor multiplies in bfloat16"
        if any(flag in look.flags for flag in _CPU_FLOAT16):
            kinds["float16"] = "the processor multiplies in float16"
    if look.framework == "tensorflow1":
        return
    for kind, why in kinds.items():
        policy = "mixed_" + kind
        home = "keras.mixed_precision.set_dtype_policy('%s')"
        if look.framework == "tensorflow":
            home = "tf.keras.mixed_precision.set_global_policy('%s')"
        yield Option("precision", policy, (), (("precision", policy),), (home % policy,), kind, why)


def _fpmath(look: _Look) -> Iterable[Option]:
    """The factors of float32 products rounded to bfloat16: oneDNN's "floating-point math mode"."""
    if look.platform != "cpu" or not any(flag in look.flags for flag in _CPU_BFLOAT16):
        return
    names = {"tensorflow": "TF_SET_ONEDNN_FPMATH_MODE", "torch": "ONEDNN_DEFAULT_FPMATH_MODE"}
    name = names.get(look.framework)
    if name is not None:
        why = "products of float32 with factors in bfloat16"
        yield Option("fpmath", "bf16", ((name, "BF16"),), arithmetic="bfloat16", why=why)


def _xla(look: _Look) -> Iterable[Option]:
    """Keras 3 compiles by XLA on accelerators and not on the CPU; Keras 2 nowhere by itself."""
    release = look.version("tensorflow", "tensorflow-cpu", "tensorflow-intel")
    if look.framework != "tensorflow" or look.platform in ("directml", "metal", "pluggable") or release < (2, 7):
        return
    if look.platform == "cpu" or look.version("keras") < (3,):
        why = "one compiled program instead of an operation after the other"
        yield Option("xla", "on", (), (("xla", True),), ("model.compile(..., jit_compile=True)",), why=why)
    else:
        why = "Keras 3 compiles by itself, which some models lose by"
        yield Option("xla", "off", (), (("xla", False),), ("model.compile(..., jit_compile=False)",), why=why)


def _compile(look: _Look) -> Iterable[Option]:
    if look.framework == "torch" and look.platform == "cuda" and look.version("torch") >= (2, 1):
        calls = ("model.compile(..., jit_compile=True)",)
        yield Option("compile", "torch.compile", (), (("torch_compile", True),), calls, why="fused kernels")


def _prefetch(look: _Look) -> Iterable[Option]:
    if look.framework == "tensorflow":
        calls = ("dataset.prefetch(tf.data.AUTOTUNE)",)
        yield Option("prefetch", "automatic", (), (("prefetch", None),), calls, why="batches are prepared ahead")
    elif look.framework in ("jax", "torch"):
        why = "a thread prepares two batches ahead"
        yield Option("prefetch", "2 batches", (), (("prefetch", 2),), (), why=why)
