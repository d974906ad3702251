"""Fixes where the memory of a GPU, of the machine or of /dev/shm is not enough. Pure."""

import re
from typing import NamedTuple, Optional, Tuple

from ...diagnosis.findings import Fix
from ...matrix.matrix import version_at_least
from .cuda import needs_of
from .situation import Situation
from .steps import Steps
from .torch_builds import OLD_DRIVERS

#: Bytes of PyTorch's units (c10/cuda/CUDACachingAllocator.cpp, format_size).
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


_SIZE = r"(\d{1,9}(?:\.\d{1,4})?) (bytes|KiB|MiB|GiB)"


#: Which share of the memory counts as much: of other processes, and of pieces between what is allocated.
_MUCH = 0.3


_PIECES = 0.05


class TorchMemory(NamedTuple):
    """The figures of an error, in bytes; ``others`` are processes with what each of them holds."""

    requested: float
    total: float
    others: Tuple[Tuple[str, float], ...]
    pieces: Optional[float]


def torch_memory(line: str) -> Optional[TorchMemory]:
    """Return the figures of PyTorch's error, None if the line is another one.

    >>> torch_memory("Tried to allocate 2.00 MiB (GPU 0; 4.00 MiB total capacity; 1.00 MiB already allocated; 0 bytes free; "
    ...              "1.00 MiB reserved in total by PyTorch)").others
    (('', 3145728.0),)
    """
    requested, total = _size(r"Tried to allocate ", line), _size(r"total capacity of |GPU \d+; ", line)
    if requested is None or not total:
        return None
    pieces, reserved = _size("", line, " is reserved by PyTorch but unallocated"), _size("", line, " reserved in total")
    free = _size("of which ", line) if "of which" in line else _size("", line, " free")
    others = tuple(
        (number, float(amount) * _UNITS[unit])
        for number, amount, unit in re.findall(r"Process (\d{1,8}) has %s memory in use" % _SIZE, line)
    )
    # In a container PyTorch does not know its own number: what does not fit next to its memory is its own.
    own = (_size("", line, " is allocated by PyTorch") or 0.0) + (pieces or 0.0)
    others = tuple(item for item in others if item[1] + own <= total)
    if reserved is not None:  # up to PyTorch 2.0: the rest is others' and the driver's own
        pieces = reserved - (_size("", line, " already allocated") or reserved)
        others = () if free is None else (("", max(total - reserved - free, 0)),)
    return TorchMemory(requested, total, others, pieces)


def _size(before: str, line: str, after: str = "") -> Optional[float]:
    found = re.search("(?:%s)%s%s" % (before, _SIZE, after), line)
    return float(found.group(1)) * _UNITS[found.group(2)] if found else None


def in_words(size: float) -> str:
    """Return a size as people write it.

    >>> in_words(3 * (1 << 29)), in_words(20 << 20)
    ('1.5 GiB', '20 MiB')
    """
    return "%.3g GiB" % (size / (1 << 30)) if size >= 1 << 30 else "%.3g MiB" % (size / (1 << 20))


def held_by_others(about: Situation, steps: Steps, memory: TorchMemory) -> None:
    """Add that other processes are ended, where they hold much of the memory."""
    for number, held in sorted(memory.others, key=lambda item: -item[1]):
        if held < _MUCH * memory.total:
            continue
        shares = (in_words(held), in_words(memory.total))
        if not number:
            steps.say("Other programs hold up to %s of the GPU's %s: end those that are not needed" % shares)
            continue
        text = "Process %s holds %s of the GPU's %s: if that is another program of yours, end it"
        text = text % ((number,) + shares) + (
            " (it has this number outside of the container)" if about.container else ""
        )
        command = "taskkill /PID %s /F" % number if about.windows else "kill %s" % number
        steps.run(text, command, changes="system")


def is_in_pieces(memory: TorchMemory) -> Optional[bool]:
    """Whether enough memory is PyTorch's and free, but not in one piece; None if the error does not say so."""
    if memory.pieces is None:
        return None
    return memory.pieces >= max(memory.requested, _PIECES * memory.total)


#: What shows who holds a GPU's memory, by its maker.
_HOLDERS = {
    "nvidia": ("nvidia-smi", ""),
    "amd": ("rocm-smi --showmeminfo vram", "linux"),
    "intel": ("xpu-smi ps", "linux"),
}


#: The machine's memory, and not the device's.
_OF_THE_MACHINE = re.compile(
    r"(?<![a-z])memoryerror|oom-kill|out of memory: kill|^killed|\bkilled$|paging file|winerror 1455"
    r"|bad_alloc|cannot allocate mem|allocator \(?(?:mkl)?cpu\b|_host_bfc"
)


_SMALLER = "Use a smaller batch, a smaller model, or mixed precision (16-bit)"


_ALL_AT_ONCE = "A whole array is copied to the GPU at once: give fit a generator or a tf.data.Dataset, made on the CPU"


def out_of_memory(about: Situation, steps: Steps) -> None:
    """The device's memory is exhausted."""
    text = about.line.lower()
    if re.search(r"dataloader worker|bus error|shared memory|/dev/shm|shm", text):
        shared_memory_too_small(about, steps)
        return
    if _OF_THE_MACHINE.search(text):
        host_memory_exhausted(about, steps)
        return
    directml = (
        re.search("dml|directml|dxgi", text + " ".join(about.packages))
        or about.signature.startswith("dml")
        or (about.windows and about.vendor in ("amd", "intel") and "+" not in about.version)
    ) and not re.search(r"\bhip|\bxpu|level_zero", text)
    if about.macos and about.vendor != "nvidia":
        _metal_memory(about, steps)
        return
    if _program_memory(about, steps, directml):
        return
    # cuDNN or cuBLAS that does not start: nothing was computed yet, so that the model's size is the last thing to change.
    starting = (bool(_STARTING.search(text)) and about.framework in ("tensorflow", "jax")) or "cublas handle" in text
    memory = torch_memory(about.line)
    later = starting or (memory is not None and bool(is_in_pieces(memory)))
    less = Fix(_ALL_AT_ONCE if "_EagerConst" in about.line else _SMALLER, changes="code")
    if memory is not None:
        held_by_others(about, steps, memory)
        if memory.requested > memory.total:
            piece = "%s in one piece is more than the GPU has (%s): look at the sizes of the tensors on that line"
            steps.say(piece % (in_words(memory.requested), in_words(memory.total)), changes="code")
    else:
        _taken_before(about, steps, starting)
    if not later:
        steps.add(less)
    if directml:
        steps.say(_SHARED)
        return
    _of_processor(about, steps)
    _allocator(about, steps, memory)
    _holders(about, steps)
    if later:
        steps.add(less)
    if about.framework == "tensorflow":
        _if_memory_is_free(about, steps, starting and "cublas" not in text and about.vendor in ("", "nvidia"))


def _holders(about: Situation, steps: Steps) -> None:
    command, system = _HOLDERS.get(about.vendor or "nvidia", ("", ""))
    if about.jetson:  # and has no nvidia-smi before JetPack 6
        steps.run("The GPU shares the machine's memory: end other programs, the desktop too, and add swap", "free -h")
    elif command:
        steps.run("See which other programs hold the GPU's memory, and end them", command, on=system)


def _if_memory_is_free(about: Situation, steps: Steps, cudnn_starts: bool) -> None:
    """Another cause of what TensorFlow mostly says for want of memory."""
    if about.compute_capability is None and about.is_at_least("2.4") is not True and "cublas-failed" in about.words:
        text = "Or the GPU is newer than this TensorFlow's CUDA: GeForce RTX 20 need 1.13 (CUDA 10.0), RTX 30 and later 2.4"
        steps.say(text + " (CUDA 11)", changes="packages", instead=True)
    cudnn = needs_of(about)[1] if cudnn_starts and about.version else ""
    if cudnn:
        text = "If memory is free, cuDNN does not fit: %s needs cuDNN %s, or a newer one of that major version"
        steps.say(text % (about.label, cudnn), "admin", "system", instead=True)


#: What TensorFlow and XLA say where cuDNN does not start.
_STARTING = re.compile(r"cudnn handle|convolution algorithm|dnn implementation")


#: With less than so many MB, TensorFlow found a GPU that others use already: no GPU that it runs on is so small.
_OTHERS_MB = 1000


def _taken_before(about: Situation, steps: Steps, starting: bool) -> None:
    """Another process holds the memory, as nvidia-smi or TensorFlow's own first lines say."""
    found = about.known.tensorflow_memory if about.framework == "tensorflow" else 0
    holder, held = about.known.holder
    driver = about.fact("driver")
    runs = [cuda for cuda, least in OLD_DRIVERS.items() if version_at_least(driver or "0", least[0])]
    fits = runs and about.fact("cuda") and version_at_least(runs[0], about.fact("cuda"))
    if runs and not fits and "old-driver" in about.words and about.driver_before(450):
        text = "The driver (%s) runs CUDA up to %s: if this build has a newer one, as conda's may, update the driver"
        steps.say(text % (driver, runs[0]), "admin", "driver")
    if not starting and not 0 < found < _OTHERS_MB:
        return
    if holder:
        text = (
            "nvidia-smi lists process %s with %d MiB of the GPU's memory: if that is another program of yours, end it"
        )
        steps.run(text % (holder, held), "kill %s" % holder, on="linux", changes="system")
    elif 0 < found < _OTHERS_MB:
        text = "TensorFlow found only %d MB free at its start: other programs hold the GPU's memory; see which, and end them"
        steps.run(text % found, _HOLDERS["nvidia"][0])
    if "cublas handle" in about.line.lower() and about.vendor in ("", "nvidia"):
        text = "See which programs hold the GPU's memory, and end them; restart the kernels of other notebooks"
        steps.run(text, _HOLDERS["nvidia"][0])


def _allocator(about: Situation, steps: Steps, memory: Optional[TorchMemory]) -> None:
    """How the framework takes its memory."""
    # TensorFlow up to 1.2 does not name the allocator.
    old = about.groups.get("name") == "bfc_allocator" and about.vendor in ("", "nvidia")
    if about.embedded and about.framework == "tensorflow":  # and no Python
        steps.set("Let TensorFlow's memory grow, instead of taking all at once", "TF_FORCE_GPU_ALLOW_GROWTH", "true")
    if old:
        steps.run("See which other programs hold the GPU's memory, and end them", _HOLDERS["nvidia"][0])
    if (old or about.framework == "tensorflow") and not about.embedded:
        grow = "tf.config.experimental.set_memory_growth(gpu, True)"
        # TensorFlow 2 began with CUDA 10.0.
        before_2 = not about.version and version_at_least(about.fact("cuda") or "10", "10") is False
        if old or before_2 or about.tensorflow_1:
            grow = "tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True)))"
        steps.say("Let TensorFlow's memory grow, instead of taking all at once: " + grow, changes="code")
        if not old and about.is_at_least("1.13") is not False:
            steps.set("The same, before Python starts", "TF_FORCE_GPU_ALLOW_GROWTH", "true")
    elif about.framework == "jax":
        steps.set(
            "JAX takes three quarters of the memory at once; let it take what it needs",
            "XLA_PYTHON_CLIENT_PREALLOCATE",
            "false",
        )
    elif about.framework == "torch" and about.vendor in ("", "nvidia", "amd"):
        pieces = is_in_pieces(memory) if memory is not None else None
        if memory is not None and pieces:
            text = "%s of PyTorch's memory is free, but in pieces: lessen fragmentation"
            _in_one_piece(about, steps, text % in_words(memory.pieces or 0))
        elif pieces is None and re.search("(?i)fragment|reserved", about.line):
            _in_one_piece(about, steps)
    elif not about.framework and not about.library and about.vendor in ("", "nvidia"):
        steps.say(
            "If TensorFlow or JAX takes all memory at its start: let it grow (memory growth; in JAX "
            "XLA_PYTHON_CLIENT_PREALLOCATE=false)"
        )


def _in_one_piece(about: Situation, steps: Steps, text: str = "") -> None:
    """PyTorch's memory that grows and shrinks in place, which Windows does not offer."""
    variable = "PYTORCH_HIP_ALLOC_CONF" if about.vendor == "amd" else "PYTORCH_CUDA_ALLOC_CONF"
    value = "max_split_size_mb:128" if about.windows else "expandable_segments:True"
    steps.set(text or "If much is reserved and not allocated: lessen fragmentation", variable, value)


_SHARED = "Close other programs that use the GPU: DirectML shares it with the desktop"


#: What a program lets its user do about memory, by its name.
_LESS = {
    "ollama": "Use a smaller or more quantized model, a shorter context (num_ctx), or fewer layers on the GPU (num_gpu)",
    "llama.cpp": "Use a smaller or more quantized model, a shorter context (-c), or fewer layers on the GPU (-ngl)",
    "vllm": "Give vLLM a shorter context (--max-model-len), another share of the memory (--gpu-memory-utilization), "
    "fewer requests at once (--max-num-seqs), no CUDA graphs (--enforce-eager), or several GPUs (--tensor-parallel-size)",
    "sglang": "Give sglang a smaller --mem-fraction-static (0.7), --cuda-graph-max-bs and --chunked-prefill-size, "
    "or several GPUs (--tp)",
    "comfyui": "Start ComfyUI with --lowvram (or --novram), and make smaller pictures or batches",
    "webui": "Start the web UI with --medvram or --lowvram in COMMANDLINE_ARGS, and make smaller pictures or batches",
}


def _program_memory(about: Situation, steps: Steps, directml: bool) -> bool:
    """What to do in a program that is not the user's own, or before it computes anything."""
    if "PrimaryCtxRetain" in about.line or (about.framework == "onnxruntime" and "cublasCreate" in about.line):
        steps.run("Other programs hold all of the GPU's memory: see which, and end them", _HOLDERS["nvidia"][0])
        steps.say("Or use another GPU: CUDA_VISIBLE_DEVICES names which", instead=True)
        return True
    free = re.search(r"Free memory on device.{0,12}\(([\d.]+)/([\d.]+) GiB.{0,40}less than desired", about.line)
    if free:
        command, system = _HOLDERS.get(about.vendor or "nvidia", ("", ""))
        steps.run("See which other programs hold the GPU's memory, and end them", command, on=system)
        text = "Or give vLLM less than what is free (--gpu-memory-utilization %.2f), if the model is so small"
        steps.say(text % (float(free.group(1)) / float(free.group(2)) - 0.02), changes="code", instead=True)
        return True
    name = next((item for item in _LESS if about.named(item)), "")
    if not name:
        return False
    steps.say(_LESS[name], changes="code")
    if directml:
        steps.say(_SHARED)
        return True
    if name in ("vllm", "sglang", "comfyui", "webui") and about.vendor != "intel":
        _in_one_piece(about, steps)
    command, system = _HOLDERS.get(about.vendor or "nvidia", ("", ""))
    if command and "metal" not in about.line.lower():
        steps.run("See which other programs hold the GPU's memory, and end them", command, on=system)
    return True


def _metal_memory(about: Situation, steps: Steps) -> None:
    steps.say("Use a smaller batch or model, or 16-bit numbers: the GPU shares the Mac's memory", changes="code")
    steps.say("Close other programs and browser tabs that use memory")
    if about.framework == "torch":
        text = "PyTorch stops at a limit that is a part of the memory; without one, the whole system may stall"
        steps.set(text, "PYTORCH_MPS_HIGH_WATERMARK_RATIO", "0.0")


def shared_memory_too_small(about: Situation, steps: Steps) -> None:
    """Worker processes exchange data through /dev/shm."""
    nccl, unknown = about.signature.startswith("nccl"), about.known.container is None
    inside = about.container or not about.linux or "docker" in about.words or nccl
    more = ("Give /dev/shm more room", "sudo mount -o remount,size=8G /dev/shm", "linux", "user", "system")
    if inside and "kubernetes" in about.words:
        steps.say("In Kubernetes, mount an emptyDir with medium: Memory at /dev/shm")
    elif inside or unknown:
        text = "tart the container with more shared memory (or with --ipc=host)"
        text = ("S" if inside else "If it runs in a container: s") + text
        steps.run(text, "docker run --shm-size=8g IMAGE", on="" if about.macos else "linux")
    else:
        steps.run(*more)
    if not nccl:
        steps.say("Or use fewer data loader workers: num_workers=0 needs none", changes="code", instead=True)
    if not inside:
        steps.run(*more)


def host_memory_exhausted(about: Situation, steps: Steps) -> None:
    """The machine's own memory is exhausted, not the GPU's."""
    paging = "Let Windows manage (enlarge) the paging file: System, Advanced, Performance, Virtual memory"
    if re.search("(?i)1455|paging file", about.line):
        steps.say(paging, "admin", "system")
    last = "".join(about.known.frames[-1:])
    if re.search(r"[\\/]pip[\\/]", last) or ("pip-install" in about.words and not last):
        text = "pip needed the memory: install without its cache, which it reads whole"
        command = "python -m pip install --no-cache-dir %s" % (about.known.asked or "NAME")
        steps.run(text, command, changes="packages")
        return
    steps.say(
        "It is the machine's memory (RAM), not the GPU's: load the data in parts, use a smaller batch or fewer workers",
        changes="code",
    )
    if "_host_bfc" in about.line:
        text = "If the machine has more: TensorFlow takes 64 GB of it for transfers; set another limit, in MB"
        steps.set(text, "TF_GPU_HOST_MEM_LIMIT_IN_MB", "128000")
    if about.windows:
        steps.say(paging, "admin", "system")
    elif about.wsl:
        steps.say(
            "In Windows: give WSL more memory (memory=24GB under [wsl2] in .wslconfig), then restart it",
            changes="files",
        )
        steps.run("Restart WSL", "wsl --shutdown", on="windows", changes="system")
    elif about.container:
        steps.say("Give the container a higher memory limit (docker run --memory, or resources: limits: memory)")
    else:
        steps.run(
            "See whether the kernel ended the process for its memory",
            "sudo dmesg | grep -i 'killed process'",
            on="linux",
        )
        if not about.macos:
            steps.say("More memory or swap space helps; on a cluster, request more memory for the job (--mem)")


def _of_processor(about: Situation, steps: Steps) -> None:
    if re.match("gfx(?:90[2c]|103[56]|1103|115)", about.gfx):
        text = "A processor's GPU has a part of the main memory: give it more in the firmware (UMA frame buffer size)"
        steps.say(text, "admin", "system")
