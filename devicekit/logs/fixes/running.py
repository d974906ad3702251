"""What goes wrong in a process: memory, hidden devices, operations, processors, libraries of the system, settings."""

import re

from ...diagnosis.findings import Fix
from ...matrix.matrix import minor_of, version_at_least
from .cuda import needs_on_windows
from .drivers import batch_job
from .others import dropped_generation, last_release, pass_as_relative
from .situation import Situation
from .steps import Steps
from .wheels import directml_set, jetson_build, rosetta_python


def device_lost(about: Situation, steps: Steps) -> None:
    """The device was reset, removed, hung, or a kernel failed on it."""
    if about.windows or "dml" in about.line.lower() or "dxgi" in about.line.lower():
        plugin = next((name for name in about.packages if "directml" in name), "")
        if plugin:
            steps.upgrade("Newer releases lose the device more rarely", plugin)
        steps.say("Update the graphics driver, and restart Windows", "admin", "driver")
        steps.say(
            "Use a smaller batch: Windows ends work that takes longer than 2 seconds on a display's GPU (TDR)",
            changes="code",
        )
        steps.say(
            "As a last resort enlarge that limit, then restart: TdrDelay (seconds) under "
            r"HKLM\SYSTEM\CurrentControlSet\Control\GraphicsDrivers",
            "admin",
            "system",
        )
        return
    if about.macos:
        steps.say("Use a smaller batch: macOS ends work that holds the GPU for too long", changes="code")
        steps.say("Update macOS and the framework or plug-in; run this part on the CPU if it comes back")
        return
    if about.wsl:  # the GPU and its driver are those of Windows
        text = "Restart WSL, then start what ran in it again, containers too"
        steps.run(text, "wsl --shutdown", on="windows", changes="system")
        steps.say("If it comes back: restart Windows, and update its graphics driver", "admin", "driver")
        steps.say("Then look at power supply, temperature and overclocking, and try a smaller batch", "admin")
        return
    override = "HSA_OVERRIDE_GFX_VERSION"
    if (
        about.signature == "rocm-hsa-memory-fault"
        and override not in about.known.environment
        and about.gfx[-2:] != "00"
    ):
        pass_as_relative(steps, about.gfx)
        dropped_generation(about, steps)
    if about.gfx.startswith("gfx120") and about.framework == "torch":
        text = "ROCm's known fault with this GPU: do without hipBLASLt"
        steps.set(text, "TORCH_BLAS_PREFER_HIPBLASLT", "0")
    steps.restart("Restart the machine: a GPU that failed has to be reset (if it does not help: switch it off and on)")
    kernel = "amdgpu" if about.vendor == "amd" else "nvrm|xid"
    if about.vendor in ("nvidia", "amd", ""):
        steps.run("See what the kernel says of it", "sudo dmesg | grep -i -E '%s'" % kernel, on="linux")
    steps.say(
        "Update the GPU's driver; look at power supply, temperature and overclocking, and "
        "whether the card and its cables sit firmly; try a smaller batch"
    )
    gone = about.signature in ("nvidia-gpu-lost", "nvidia-gpu-handle-lost")  # no operation is to blame
    if about.vendor == "nvidia" and about.framework == "torch" and not gone:
        steps.set("See which operation failed", "CUDA_LAUNCH_BLOCKING", "1")


def device_busy(about: Situation, steps: Steps) -> None:
    """Another process holds the device."""
    if about.framework == "jax" and re.search(r"(?i)tpu|accel", about.line):
        steps.run("See which process holds the TPU", "sudo lsof -w /dev/accel0", on="linux")
        return
    if about.vendor in ("", "nvidia"):
        steps.run("See which processes use the GPU, and which compute mode it has", "nvidia-smi -q -d COMPUTE,PIDS")
        if about.windows:
            steps.say("End the process that holds the GPU (Task Manager)")
        else:
            steps.run(
                "If the mode is exclusive: let several processes share the GPU",
                "sudo nvidia-smi -c DEFAULT",
                on="linux",
                changes="system",
            )
    steps.say("End the other process, or use another GPU")
    if about.wsl:
        steps.run("If there is none: update Windows' driver, then restart WSL", "wsl --shutdown", on="windows")
    else:
        steps.restart("If there is none, the driver hangs: restart the machine, or update the driver")


def _numbers(about: Situation, steps: Steps) -> None:
    """A program names a GPU by a number that is too large."""
    steps.run("See how many GPUs there are", "nvidia-smi -L")
    steps.say(
        "The first is 0, counted in CUDA_VISIBLE_DEVICES if that is set: name a number below theirs, such as cuda:0",
        changes="code",
    )
    value = about.known.environment.get("CUDA_VISIBLE_DEVICES", "")
    if value and "," not in value:
        steps.unset("CUDA_VISIBLE_DEVICES=%s leaves one: remove it to use others" % value, "CUDA_VISIBLE_DEVICES")
    steps.say(
        "Of several processes, start as many on a machine as it has GPUs (torchrun --nproc_per_node, accelerate "
        "--num_processes, Slurm --ntasks-per-node)"
    )
    if about.framework == "jax":
        text = "If processes share GPUs, say which each takes: jax.distributed.initialize(local_device_ids=[...])"
        steps.say(text, changes="code")


def device_hidden(about: Situation, steps: Steps) -> None:
    """A variable or a call hides the GPU."""
    if about.known.mig:
        steps.set(
            "A process computes on one MIG instance, which it has to name", "CUDA_VISIBLE_DEVICES", about.known.mig
        )
        return
    visible = about.known.environment.get("CUDA_VISIBLE_DEVICES", "")
    if re.search(r"\bMIG\b", about.known.gpu_name + " " + visible):
        steps.run("A process computes on one MIG instance, which it has to name: see their UUIDs", "nvidia-smi -L")
        steps.set("Name one, before Python starts", "CUDA_VISIBLE_DEVICES", "MIG-UUID")
        return
    if about.known.environment.get("HSA_ENABLE_DXG_DETECTION") == "0":
        steps.set("0 keeps ROCm from the GPU: set it before Python starts", "HSA_ENABLE_DXG_DETECTION", "1")
        return
    if about.signature in ("cuda-error-invalid-ordinal", "nccl-device-ordinal") and about.vendor != "amd":
        _numbers(about, steps)
        return
    # As Slurm itself sets it.
    if "slurm" in about.words and about.known.environment.get("CUDA_VISIBLE_DEVICES") in ("", "NoDevFiles"):
        batch_job(steps)
        return
    named = [
        name
        for name in about.known.environment
        if name.endswith("_VISIBLE_DEVICES") or name in ("JAX_PLATFORMS", "JAX_PLATFORM_NAME")
    ]
    line = re.search(r"\b(\w+_VISIBLE_DEVICES|JAX_PLATFORMS?(?:_NAME)?|ONEAPI_DEVICE_SELECTOR)\b", about.line)
    if line and line.group(1) not in named:
        named.insert(0, line.group(1))
    if not named:
        named = {"amd": ["HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"], "intel": ["ONEAPI_DEVICE_SELECTOR"]}.get(
            about.vendor, ["CUDA_VISIBLE_DEVICES"]
        )
    for name in named[:2]:
        value = about.known.environment.get(name, "")
        text = "Remove the variable %s" % name
        if re.match(r"[1-9]", value):
            text = "%s=%s names a GPU that is not there (the first is 0): remove the variable" % (name, value)
        steps.unset(text, name)
    if named[0].startswith("JAX_"):
        steps.say('Remove it from the program, too (os.environ["%s"], jax.config.update)' % named[0], changes="code")
        return
    steps.say(
        'Remove lines such as os.environ["%s"] = "-1" from the program, or name a GPU that exists' % named[0],
        changes="code",
    )
    if about.signature == "cuda-error-no-device":
        steps.say("In a batch job: ask for a GPU (Slurm: --gres=gpu:1)")


def runtime_already_initialized(about: Situation, steps: Steps) -> None:
    """Devices, memory and threads have to be set first."""
    if re.search(r"(?i)fork|multiprocess|spawn", about.line + about.summary):
        steps.say("Use multiprocessing's start method spawn, and touch the GPU in the children only", changes="code")
        if about.named("vllm"):
            steps.set("vLLM starts its own processes: tell it so, too", "VLLM_WORKER_MULTIPROC_METHOD", "spawn")
            steps.say(
                'And start it from within if __name__ == "__main__":, for each child reads the file', changes="code"
            )
        return
    steps.say(
        "Do this first: directly after the import, before anything lists devices, makes a tensor or builds a model",
        changes="code",
    )
    steps.say("In a notebook, restart the kernel before: what was started stays as it is")


def _nccl_op(about: Situation, steps: Steps) -> None:
    if about.linux:
        text = "On Linux the build for GPUs has this operation: see whether TensorFlow lists any GPU"
        steps.run(text, 'python -c "import tensorflow as tf; print(tf.config.list_physical_devices())"')
    amd = about.vendor == "amd" or about.distribution == "tensorflow-rocm"
    what = "RCCL joins AMD's GPUs, in tensorflow-rocm from 1.13" if amd else "NCCL joins NVIDIA's GPUs on Linux only"
    steps.say(
        "%s, and this build has none: let the strategy do without it, "
        % what
        + "tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.HierarchicalCopyAllReduce()), or "
        "tf.distribute.ReductionToOneDevice()",
        changes="code",
    )


_FUSED = (
    "The graph optimizer made this operation: update TensorFlow, or leave that out: "
    "tf.config.optimizer.set_experimental_options({'remapping': False})"
)


def op_unsupported(about: Situation, steps: Steps) -> None:
    """An operation has no kernel on the device."""
    text = about.line
    if re.search(r"(?i)cudnnrnn|cudnnlstm|cudnngru|cu_dnn", text):
        steps.say(
            "Use keras.layers.LSTM or GRU, which run everywhere, in place of CuDNNLSTM and CuDNNGRU; "
            "or RNN(LSTMCell(n))",
            changes="code",
        )
        if (
            about.vendor in ("", "nvidia")
            and not about.macos
            and not re.search(r"(?i)dml|directml|metal", text + " ".join(about.packages))
        ):
            text = "If there is an NVIDIA GPU, this TensorFlow does not use it: it needs the GPU build, CUDA and the driver"
            steps.say(text)
        return
    if re.search(r"Nccl(?:AllReduce|Broadcast|Reduce)|CollectiveReduce", text):
        _nccl_op(about, steps)
        return
    if "_Fused" in text and "'GPU'" in text:
        steps.say(_FUSED, changes="code")
    elif re.search(r"NHWC|NCHW|channels_first", text):
        steps.say('Use data_format="channels_last" (NHWC): the CPU has no kernel for channels first', changes="code")
        steps.say("The model was written for a GPU: find out why none is used")
        return
    if about.framework == "tensorflow" and "no-kernels" in about.words and not about.macos:
        text = "This build has a kernel of it for no device, so that placing it elsewhere does not help: take the program's %s"
        steps.say(text % "variant for this device (it may be of a TPU's), or the build or add-on that brings it")
    elif about.framework == "torch":
        _torch_op(about, steps)
    elif about.framework == "jax":
        steps.say("Run that part on the CPU: with jax.default_device(jax.devices('cpu')[0])", changes="code")
        if re.search(r"operation '(?:mhlo|stablehlo|chlo)\.", about.line):
            steps.set(
                "Or let JAX compute everything on the CPU, as where a framework on top of it calls",
                "JAX_PLATFORMS",
                "cpu",
            )
    elif about.framework == "tensorflow":
        _tensorflow_op(about, steps)
    elif about.framework == "onnxruntime" and about.signature.startswith("dml-"):
        _onnxruntime_op(about, steps)
    else:
        steps.say("Run this operation on the CPU, or use another release of the framework or plug-in", changes="code")


def _tensorflow_op(about: Situation, steps: Steps) -> None:
    soft = "tf.config.set_soft_device_placement(True)"
    if about.tensorflow_1:
        soft = "tf.Session(config=tf.ConfigProto(allow_soft_placement=True))"
    text = "Let such operations run on the CPU: %s, or with tf.device('/CPU:0')"
    steps.say(text % soft, changes="code")
    if about.packages.get("tensorflow-directml-plugin", "")[:3] in ("0.0", "0.1", "0.2", "0.3"):
        steps.install("Or use the plug-in's last release, which has more operations", *directml_set(), instead=True)
    if about.macos or "dml" in about.line.lower():
        steps.say("An input pipeline (tf.data) belongs outside of tf.device: it runs on the CPU")


def _onnxruntime_op(about: Situation, steps: Steps) -> None:
    """DirectML rejects what ONNX Runtime gives to it (onnxruntime.ai, DirectML execution provider)."""
    text = "DirectML needs SessionOptions with enable_mem_pattern = False and ExecutionMode.ORT_SEQUENTIAL"
    steps.say(text, changes="code")
    if not re.search(r"Microsoft\.ML|(?i:onnxruntime\.dll)!", about.line):  # .NET has no pip
        text = "Update ONNX Runtime, whose releases differ in what they give to DirectML, and the graphics driver"
        steps.upgrade(text, "onnxruntime-directml")
    steps.say('Or run that model on the CPU: providers=["CPUExecutionProvider"]', changes="code", instead=True)


def _torch_op(about: Situation, steps: Steps) -> None:
    text = about.line.lower()
    if about.macos or ("mps" in text and "privateuse" not in text):
        steps.set("Let such operations run on the CPU", "PYTORCH_ENABLE_MPS_FALLBACK", "1")
        steps.upgrade("Or update PyTorch: each release has more operations on MPS", "torch", instead=True)
    elif "generator" in text and "privateuse" in text:
        steps.say("Make the generator on the CPU: torch.Generator('cpu')", changes="code")
    elif "dml" in text and "fall back" in text:
        if "native_dropout'" in text:
            steps.upgrade("Update torch-directml, which has it from 0.2.2 on", "torch-directml")
        steps.say("Nothing is wrong otherwise: it runs on the CPU, slowly", instead=bool(steps.fixes))
    elif "dml" in text or "privateuse" in text:
        steps.say(
            "Run this layer on the CPU (module.to('cpu')), or compose it of supported operations (an own LSTM cell)",
            changes="code",
        )
        if "pytorch-directml" in about.packages:
            steps.upgrade("It has more operations", "pytorch-directml")
    elif about.vendor == "intel" or "xpu" in text:
        if about.is_at_least("2.5") is False:  # Intel's extension does not know the variable
            steps.say("Compute this part on the CPU (.cpu()), and the rest on the GPU", changes="code")
            steps.say("Or use PyTorch 2.5 or later, whose own build for Intel GPUs (XPU) has more", instead=True)
            return
        steps.set("Let such operations run on the CPU", "PYTORCH_ENABLE_XPU_FALLBACK", "1")
    else:
        steps.say(
            "Move this operation's tensors to the CPU, or use another version of the library that brings it",
            changes="code",
        )


#: The releases that brought TensorFloat-32.
_WITH_TF32 = {"tensorflow": "2.4", "torch": "1.7"}


def _may_use_tf32(about: Situation) -> bool:
    """Whether nothing excludes TensorFloat-32, which compute capability 8.0 (Ampere) brought."""
    since = _WITH_TF32.get(about.framework, "0")
    return (about.compute_capability or (8, 0)) >= (8, 0) and about.is_at_least(since) is not False


def _without_tf32(about: Situation, steps: Steps) -> None:
    """Add how the factors of products keep all their digits."""
    if about.framework == "torch":
        steps.say(
            'Switch TF32 off: torch.set_float32_matmul_precision("highest"), '
            "torch.backends.cuda.matmul.allow_tf32 = False",
            changes="code",
        )
    elif about.framework == "tensorflow":
        steps.say(
            "Switch TensorFloat-32 off: tf.config.experimental.enable_tensor_float_32_execution(False)", changes="code"
        )
    elif about.framework == "jax":
        steps.say(
            'Ask for full precision: jax.config.update("jax_default_matmul_precision", "highest")', changes="code"
        )
    else:
        steps.say("Switch reduced precision (TF32, half precision) off, and compare again", changes="code")


def numerics_divergent(about: Situation, steps: Steps) -> None:
    """Results differ from those of the CPU."""
    if re.search(r"GTX ?16[356]0", about.known.gpu_name):
        text = (
            "GTX 16 cards are known for NaN in half precision: train in float32 (amp=False in Ultralytics, no autocast)"
        )
        steps.fixes.insert(0, Fix(text, changes="code"))
    if re.search(r"(?i)\bnan\b|\binf\b|[Nn]a[Nn]Loss", about.line):
        steps.say(
            'Run the same on the CPU: devicekit.auto("cpu"). If its values are numbers, the device diverges; else lower the '
            "learning rate, clip the gradients, and keep zeros out of logarithms and divisions",
            changes="code",
        )
    else:
        steps.say('Run the same on the CPU to compare: devicekit.auto("cpu")', changes="code")
    if about.macos and about.framework == "jax":
        steps.say("jax-metal is experimental, and known for wrong results: uninstall it, and compute on the CPU")
        return
    if about.macos:
        steps.say(
            "tensorflow-metal is known for wrong results in some layers: update it, or uninstall it "
            "and compute on the CPU"
            if about.framework != "torch"
            else "Update PyTorch and macOS, or compute this part on the CPU"
        )
        return
    if about.vendor in ("amd", "intel"):
        if about.gfx == "gfx803":  # its sums are wrong from ROCm 3.7 on
            last_release(about, steps)
            return
        steps.say("Update the framework and the GPU's driver; with half precision use float32")
        return
    if "mirrored" in about.words:
        text = "If one GPU alone is right, the copies between GPUs are not: see whether it is right without them"
        steps.set(text, "NCCL_P2P_DISABLE", "1")
        steps.say("If so: switch the IOMMU (AMD-Vi, VT-d, ACS) off in the firmware, or update the driver")
    if _may_use_tf32(about):
        _without_tf32(about, steps)


def slower_than_cpu(about: Situation, steps: Steps) -> None:
    """The accelerator is slower than the CPU."""
    steps.say('Use the CPU for small models: devicekit.auto("cpu")', changes="code")
    steps.say("Use larger batches, so that the work outweighs its transport", changes="code")


def _other_build(about: Situation, what: str) -> str:
    """Return which build does without the instructions."""
    if about.embedded:
        return (
            "Use a release of the program that is built without %s, or compile it from source for this processor" % what
        )
    if about.framework == "jax":
        return (
            "jaxlib's wheels need AVX (from 0.12 on AVX2): take an older jaxlib, conda-forge's "
            "build, or compile it from source"
        )
    old = about.python in ("2.7", "3.5", "3.6") or not about.python
    older = " or TensorFlow 1.5.0 and before, which need no AVX (1.5.1 does)," if old and what.startswith("AVX") else ""
    older = older if about.framework == "tensorflow" else ""
    title = about.title if about.framework else "the program"
    return "Use a build of %s without %s: conda-forge's,%s or one that you compile from source for this processor" % (
        title,
        what,
        older,
    )


def _without_instructions(about: Situation, steps: Steps, what: str) -> None:
    """Add which build does without the instructions, with a command where one installs it."""
    text = _other_build(about, what)
    # TensorFlow 1.13 is the first for Python 3.7.
    old = about.python in ("2.7", "3.4", "3.5", "3.6") or (not about.python and about.is_at_least("1.13") is False)
    wheels = about.tensorflow_1 and about.arch in ("", "x86_64") and what.startswith("AVX") and not about.embedded
    if old and wheels and about.is_at_least("1.6") is not False:
        older = "tensorflow%s==1.5.0" % ("-gpu" * (about.distribution == "tensorflow-gpu"))
        steps.install("TensorFlow 1.5.0 is the last release whose wheels need no AVX (1.5.1 does)", older)
        steps.say("Or take conda-forge's build of it, or compile it from source for this processor", instead=True)
        return
    if about.framework != "tensorflow" or about.windows or about.embedded or about.container or what[:3] != "AVX":
        steps.say(text)
    else:
        steps.run(text, "conda create -n env -c conda-forge python=3.11 tensorflow", changes="files")


def _arm(about: Situation, steps: Steps) -> None:
    """An ARM processor that the build was not made for."""
    name, version = about.distribution, minor_of(about.version)
    text = "This ARM processor lacks instructions of the build: take an older release, or compile it there"
    if about.framework == "onnxruntime" and version:
        steps.install("This release's code does not run on every ARM processor", "%s!=%s.*" % (name, version))
    elif about.framework and not about.jetson:
        steps.say(text)
    steps.set("If NumPy or OpenBLAS ends it: let it use the generic ARMv8 code", "OPENBLAS_CORETYPE", "ARMV8")
    steps.say(text)


#: Processors that all have AVX, by their names: Intel's since Sandy Bridge, but for Pentium and Celeron, and AMD's Zen.
_WITH_AVX = re.compile(
    r"(?i)\bi[3579]-(?:[2-9]|1\d)\d{3}\w*|xeon\S* (?:(?:cpu )?e[35]-[1-8]\d{3}\w*|gold|silver|bronze|platinum)\b|ryzen|epyc"
    r"|threadripper"
)


#: What makes a virtual machine show its host's processor.
_THROUGH = "pass the host's processor through (Proxmox, QEMU: CPU type host; VMware: no EVC; VirtualBox: Hyper-V off)"


def cpu_instructions_missing(about: Situation, steps: Steps) -> None:
    """The processor lacks instructions that the build was compiled for."""
    intel = about.groups.get("bash") or re.search(r"(?i)intel|xeon", about.known.os_version)
    mac = about.macos and about.known.architecture != "x86_64" and not intel
    if (mac or "apple" in about.known.vendors) and "emulated" not in about.words:
        rosetta_python(about, steps)
        return
    machine = about.line + about.known.os_version
    virtual = re.search(
        r"(?i)proxmox|\bkvm|\bvirtual ?(?:box|machine|cpu|server)|\bvm\b|qemu (?:guest|virtual)|libvirt", machine
    ) or {"virtual-cpu", "avx"} & about.words == {"virtual-cpu"}
    if "emulated" in about.words or (not virtual and re.search(r"(?i)qemu|rosetta|emulat|linux/amd64|apple", machine)):
        steps.say(
            "Use an image for this machine's own processor (docker run --platform linux/arm64 ...): "
            "emulated ones lack AVX"
        )
        return
    named = re.search(r"\b(AVX512\w*|AVX2|AVX|SSE4\.[12]|FMA|F16C|BMI2|X86_V\d)\b", about.line + about.summary)
    what = named.group(1) if named else "AVX"
    if about.arch == "aarch64" or (about.raspberry and not about.arch):
        _arm(about, steps)
        return
    here = about.known.machine
    flags = here.native.cpu_flags.or_none() or () if here is not None else ()
    if "avx2" in flags and what in ("AVX", "AVX2"):
        text = "This processor has %s: a library was compiled for another one, or is damaged; install it again"
        steps.say(text % what)
        return
    if about.packages.get("tensorflow", "").startswith("2.4.0"):
        steps.install("TensorFlow 2.4.0 needs AVX2 by mistake: 2.3 and 2.4.1 do not", "tensorflow==2.4.1")
    has_it = _WITH_AVX.search(about.known.os_version) if what == "AVX" and not virtual else None
    if has_it:
        text = "%s has AVX: what hides it is most likely a virtual machine%s. In its settings, %s"
        more = " (or this build needs AVX2 or AVX-512)" * ("AVX" not in about.line)
        steps.say(text % (has_it.group().strip(), more, _THROUGH), "admin", "system")
    elif virtual:
        steps.say("In the virtual machine's settings, %s" % _THROUGH)
    if about.windows and "initialization" in about.line:
        _visual_cpp(steps, "If it has %s: install" % what)
    if about.system is None and "on ARM hardware" in about.line:
        steps.say("On a Mac with Apple silicon: make an environment with a Python for arm64", changes="packages")
    _without_instructions(about, steps, what)
    if about.linux and not about.container:
        steps.run(
            "See what the processor offers", "grep -o -w -E 'sse4_1|avx|avx2|fma' /proc/cpuinfo | sort -u", on="linux"
        )
    if not virtual and not has_it:
        steps.say("In a virtual machine, %s" % _THROUGH)
    steps.say("Or use another computer with %s, or a hosted notebook" % what, instead=True)


def _visual_cpp(steps: Steps, install: str) -> None:
    text = "%s the newest Microsoft Visual C++ Redistributable (x64), then open a new terminal" % install
    steps.run(text, "winget install --id Microsoft.VCRedist.2015+.x64 -e", on="windows", changes="system")


def msvc_runtime_missing(about: Situation, steps: Steps) -> None:
    """The runtime of Visual C++."""
    if "qt" in about.words and about.framework == "torch" and re.search(r"1114|c10\.dll", about.line):
        steps.say(
            "Import torch before PyQt or PySide: Qt brings an older runtime, which is found first then", changes="code"
        )
    in_conda = "conda" in about.words or re.search(r"\\envs\\[^\\]+\\lib\\", " ".join(about.known.frames))
    if in_conda and about.framework == "onnxruntime":
        text = "The environment's own msvcp140.dll is found first: update it"
        steps.run(text, "conda install -c conda-forge vs2015_runtime", changes="packages")
    if "PythonSoftwareFoundation" in " ".join(about.known.frames):
        steps.say("Take Python from python.org: that of the Microsoft Store finds no DLLs of packages", changes="files")
    _visual_cpp(steps, "Install")
    steps.say(
        "An older msvcp140.dll in the folder of python.exe or of the conda environment is found "
        "first: remove or update it",
        changes="files",
    )
    if about.framework == "onnxruntime" and re.search(r"procedure|127", about.line):
        text = "Or an older release, as newer ones need Windows 10 (and 1.15.1, not 1.15.0)"
        steps.say(text, changes="packages", instead=True)
    if about.framework == "tensorflow" and "tf1-native" in about.words and not about.version:
        steps.say(
            "This traceback is of TensorFlow 1 or 2.0: one for GPUs also needs the DLLs of its own CUDA and cuDNN on PATH "
            "(1.13 to 2.0: CUDA 10.0 and cuDNN 7; 1.5 to 1.12: CUDA 9.0), and NVIDIA's driver (nvcuda.dll)"
        )
    unnamed = about.signature == "py-swig-import-none" or not about.python
    if "initialization routine" in about.line or "1114" in about.line or unnamed:
        steps.say(
            "If it still fails, the processor may lack AVX, which TensorFlow's wheels need (1.5.0 and before do not)"
            if about.framework == "tensorflow"
            else "If it still fails: import torch before all other packages, and before threads start"
            if about.framework == "torch" and "c10.dll" in about.line
            else "If it still fails, make a fresh environment and install again"
        )


def nix_libraries(steps: Steps) -> None:
    """NixOS has no folder in which wheels would find the system's libraries."""
    steps.say(
        "NixOS has no /usr/lib, where wheels look for the system's libraries: switch nix-ld on (programs.nix-ld.enable = "
        "true, with stdenv.cc.cc.lib and zlib in programs.nix-ld.libraries, and NIX_LD_LIBRARY_PATH as LD_LIBRARY_PATH of "
        "the program), or make an environment with buildFHSEnv, and run Python in it",
        "admin",
        "system",
    )
    steps.set(
        "Let the driver's libraries be found as well", "LD_LIBRARY_PATH", "/run/opengl-driver/lib:$LD_LIBRARY_PATH"
    )
    steps.say("Or use the framework of nixpkgs, which knows its libraries (with cudaSupport = true)", instead=True)


def _older_macos(about: Situation, steps: Steps) -> None:
    needed = "10.12.6 (Sierra)" if about.tensorflow_1 else "12 (Monterey)"
    steps.say("Update macOS to %s or newer: the build uses what older ones lack" % needed, "admin", "system")
    if about.framework == "tensorflow" and "metal" in " ".join(about.packages) + about.line:
        steps.install(
            "Or take the plug-in that was built for macOS 11",
            "tensorflow-metal==0.4.0",
            "tensorflow-macos==2.8.0",
            instead=True,
        )


def _newer_libstdcxx(about: Situation, steps: Steps) -> None:
    """The C++ library, of which conda has newer ones."""
    if about.arch not in ("", "x86_64", "aarch64") or "arm-linux" in about.line:
        steps.say("Use a newer release of the system: conda-forge has no packages for %s" % (about.arch or "armv7l"))
        return
    if "cannot open shared" in about.line and "conda" not in about.words:
        text, package = "It is not installed: install it (%s)", "libstdc++6"
        if about.linux_distribution in ("", "ubuntu", "debian"):
            command = "sudo apt-get install -y " + package
            steps.run(text % "Debian, Ubuntu", command, on="linux", changes="system")
        steps.say("Fedora and the like: libstdc++; Alpine has musl, and needs another image", "admin", "system")
        return
    if re.search("/spack/|easybuild|/software/", about.line) and not re.search("conda|/envs/", about.line):
        steps.say("Load the compiler that built it (module load gcc/VERSION, spack load gcc), which brings its own")
        return
    found = re.search(r"required by (/\S+?/envs/[\w.-]+)/", about.line) if "r" in about.words else None
    own = found.group(1).replace("/home/<user>", "$HOME") if found else ""  # R activates no environment
    if about.linux_distribution == "ubuntu" and not re.search("conda|/envs/", about.line + " ".join(about.words)):
        command = "sudo add-apt-repository -y ppa:ubuntu-toolchain-r/test && sudo apt-get install -y libstdc++6"
        steps.run("Install the newer libstdc++ that Ubuntu's toolchain archive has for it", command, changes="system")
    steps.run(
        "Install a newer libstdc++ into the conda environment",
        "conda install %s-c conda-forge libstdcxx-ng" % ("-p %s " % own if own else ""),
        on="linux",
        changes="packages",
        instead=bool(steps.fixes),
    )
    steps.run(
        "Let it be found before the system's",
        "LD_LIBRARY_PATH=%s/lib R" % own if own else "export LD_LIBRARY_PATH=$CONDA_PREFIX/lib:$LD_LIBRARY_PATH",
        on="linux",
        changes="variables",
    )
    steps.say("Without conda: use a newer Linux distribution, or a container image with one", instead=True)


def system_library_too_old(about: Situation, steps: Steps) -> None:
    """The system's C or C++ library is older than the build needs."""
    if about.macos:
        _older_macos(about, steps)
        return
    if about.jetson and about.framework in ("tensorflow", "torch"):
        jetson_build(about, steps)
        return
    if about.linux_distribution == "nixos":
        nix_libraries(steps)
        return
    if re.search(r"GLIBCXX|CXXABI|libstdc|: _Z", about.line):
        _newer_libstdcxx(about, steps)
        return
    wanted = about.groups.get("wanted", "") or about.groups.get("version", "")
    if about.framework == "tensorflow" and about.is_at_least("1.14") is False and "_pywrap" in about.line:
        text = "The wheels of TensorFlow 1.15 were made for older systems (manylinux2010: glibc 2.12): install them"
        steps.install(text, "%s==1.15.*" % about.distribution)
    elif about.libc and version_at_least(wanted or "0", "2.18"):
        _other_wheel(about, steps)
    steps.say(
        "The C library cannot be exchanged by itself: use a newer Linux distribution, or a container image with one%s"
        % (" (glibc %s)" % wanted if wanted else "")
    )
    steps.say(
        "Or take an older release of the framework, built for older systems, or compile it from source", instead=True
    )


def _other_wheel(about: Situation, steps: Steps) -> None:
    """A wheel that was made on a newer system than this one, of a framework or of an add-on."""
    owner = re.search(r"required by [^)]*-packages/(\w+)", about.line)
    name = owner.group(1) if owner else ""
    if name not in ("tensorflow", "torch", "jaxlib"):
        if name:
            steps.say("Only %s needs it: take an older release of that, compile it here, or do without it" % name)
        return
    text = "This wheel was made on a newer system: PyPI's own need no more than glibc %s. Install that one" % about.libc
    have = about.releases(name, "", about.platform, about.python)
    same = [item for item in have if about.version and minor_of(item.version) == minor_of(about.version)]
    if same or (have and name != "jaxlib"):
        pin = "%s==%s" % (name, (same or have)[-1].version)
        if same or name == "tensorflow":
            steps.reinstall(text, pin)
        else:
            steps.install(text, pin)
        return
    goal = "cpu" if name == "jaxlib" and about.vendor != "nvidia" else "cuda"
    found = about.requirements(goal)
    if found is not None:
        steps.install_set(text, found)
        return
    found = about.requirements(goal, python="3.12")
    if found is not None:
        steps.new_environment(text + ", with Python 3.12", "3.12", found[0])


def environment_variable_fatal(about: Situation, steps: Steps) -> None:
    """A variable that the framework cannot read."""
    name = about.groups.get("name", "") or next(
        (item for item in ("XLA_FLAGS", "TF_XLA_FLAGS", "PYTORCH_CUDA_ALLOC_CONF") if item in about.line), ""
    )
    if re.match(r"[A-Z][A-Z0-9_]+$", name):
        steps.unset("Remove the variable %s, or correct its value" % name, name)
    else:
        steps.say(
            "Remove or correct the variable that the line names (XLA_FLAGS, TF_XLA_FLAGS, ...)", changes="variables"
        )


def _two_locks(about: Situation, steps: Steps) -> None:
    """TensorFlow and pyarrow on a Mac (tensorflow #99464)."""
    if about.is_at_least("2.20") is False:
        steps.say("Import tensorflow before pyarrow, pandas or torch", changes="code")
        return
    text = "TensorFlow 2.20 clashes with pyarrow on a Mac, whichever is imported first: take the release before"
    have = about.releases("tensorflow", "<2.20", about.platform, about.python)
    if have:
        steps.install(text, "tensorflow==%s" % have[-1].version)
    else:
        steps.new_environment(text, "3.12", ["tensorflow<2.20"])


def _crashed_on_windows(about: Situation, steps: Steps) -> None:
    """What serves the GPU ends a process there silently."""
    there = about.fact("cuda")
    if about.framework == "tensorflow" and (there or about.vendor == "nvidia") and not about.is_at_least("2.11"):
        cuda, cudnn, which = needs_on_windows(about)
        text = "If it ends at the GPU's first use: TensorFlow %s needs CUDA %s and cuDNN %s" % (which, cuda, cudnn)
        text += " (CUDA %s is there)" % there if there else ""
        steps.say(text + ", and zlibwapi.dll" * cudnn.startswith("8"), "admin", "system")
    if about.vendor:
        maker = {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel"}.get(about.vendor, "the GPU's maker")
        steps.say("Update the graphics driver of %s: the framework calls it to find the GPU" % maker, "admin", "system")


def framework_broken(about: Situation, steps: Steps) -> None:
    """It does not start, for a reason that nothing else names."""
    if about.framework == "tensorflow" and re.search("mutex lock failed|RAW: Lock blocking", about.line):
        _two_locks(about, steps)
        return
    if about.signature.startswith("os-seg") or re.search(
        r"(?i)segmentation|signal|core dumped|-10737\d{5}\b|0xC0000\d", about.line
    ):
        if {"torch", "tensorflow"} <= about.words:
            steps.say(
                "If the program imports both PyTorch and TensorFlow, import TensorFlow first, before torch and torchvision: "
                "each brings libraries that the other may not work with; if that fails, use a process for each",
                changes="code",
            )
        steps.set("See in which module it happens: Python prints its stack at the crash", "PYTHONFAULTHANDLER", "1")
        _without_plug_in(about, steps)
    if "static TLS" in about.line:
        return
    if about.windows and re.search(r"(?i)-10737\d{5}\b|0xC0000\d|violation|kernel", about.line):
        _crashed_on_windows(about, steps)
    if any("nightly" in name for name in about.packages):
        steps.say("A nightly build may be broken: take a stable release, or a newer nightly")
    steps.run("Ask what is wrong in this environment, without importing the framework", "devicekit doctor")
    steps.run("If that names nothing: install it in a fresh environment", "python -m venv fresh", changes="files")


def blocked_by_policy(about: Situation, steps: Steps) -> None:
    """Windows does not let a DLL run."""
    steps.say(
        "Windows blocks the file (Smart App Control, AppLocker or the organization's policy): allow "
        "Python's folder in Windows "
        "Security, App and browser control, or ask the administrator",
        "admin",
        "system",
    )
    steps.say("Or use a Python in a folder that the policy allows, or WSL 2", instead=True)


def openmp_duplicated(about: Situation, steps: Steps) -> None:
    """Two OpenMP runtimes in one process."""
    if about.signature == "omp-shm":
        steps.say(
            "Import the packages of the command in the other order: the first OpenMP runtime serves", changes="code"
        )
    steps.say(
        "Install NumPy, SciPy and the framework from one source only (all by pip, or all by conda), "
        "in a new environment",
        changes="packages",
    )
    if about.signature != "omp-shm":
        text = "For the time being, at the risk of crashes and wrong results: allow both"
        steps.set(text, "KMP_DUPLICATE_LIB_OK", "TRUE")


def user_code_error(about: Situation, steps: Steps) -> None:
    """An index or a shape in the program is wrong; the GPU is well."""
    elsewhere = about.signature == "user-devices-differ"  # its line may name an argument "index"
    if elsewhere or not re.search(r"(?i)assert|index|out of bounds", about.line + about.summary):
        return
    steps.say(
        "Look for an index that is out of range: labels outside 0 to classes - 1, token numbers outside the embedding",
        changes="code",
    )
    if about.framework == "torch":
        steps.set("Let the stack show the operation itself", "CUDA_LAUNCH_BLOCKING", "1")
    steps.say(
        "Run the same on the CPU: its message names the index. Restart Python afterwards: the GPU "
        "stays unusable for this process"
    )


def peer_access_unsupported(about: Situation, steps: Steps) -> None:
    """GPUs that cannot read each other's memory."""
    if "NCCL_IB_DISABLE" in about.line:  # accelerate asks for both
        steps.set("Let NCCL use the main memory instead: both variables", "NCCL_P2P_DISABLE", "1")
        steps.set("And", "NCCL_IB_DISABLE", "1")
        steps.say("Or start the program with accelerate launch, which sets them", instead=True)
        return
    if about.vendor == "amd":
        steps.run("See how the GPUs are connected", "rocm-smi --showtopo", on="linux")
    else:
        steps.run("See which pairs of GPUs can", "nvidia-smi topo -p2p r")
    if not about.windows:
        steps.set("Let NCCL use the main memory instead", "NCCL_P2P_DISABLE", "1")
    if about.named("vllm", "sglang"):
        steps.say("Switch the program's own reduction off, too: --disable-custom-all-reduce", changes="code")
    steps.say("Or use one GPU", instead=True)


def _without_plug_in(about: Situation, steps: Steps) -> None:
    """Whether the library that serves the GPU is to blame."""
    for name in ("tensorflow-metal", "jax-metal", "tensorflow-directml-plugin", "intel-extension-for-tensorflow"):
        if name in about.packages:
            steps.uninstall("See whether it runs on the CPU, without the plug-in", name)
    if "torch-directml" in about.packages:
        reached = "; on Linux, torch-directml reaches GPUs in WSL 2 alone" * (about.system == "linux" and not about.wsl)
        steps.say("See whether it runs on the CPU, without torch_directml%s" % reached, changes="code")


def cause_unknown(about: Situation, steps: Steps) -> None:
    """An error of which nothing is known."""
    _without_plug_in(about, steps)
    if re.search(r"(?i)-10737\d{5}\b|0xC0000\d|received signal", about.line):
        text = "Run it in a terminal: an IDE hides what native code prints. Python then prints its stack at the crash"
        steps.set(text, "PYTHONFAULTHANDLER", "1")
    if "Permission denied: '" in about.line:
        text = "Let this user own that folder (chown)"
        text = "Run it in a terminal opened as administrator" if about.windows else text
        steps.say(text + ", or name another folder (Hugging Face: HF_HOME, others: XDG_CACHE_HOME)")
    if "failed to solve: process" in about.line:
        steps.say("The reason is above it: build again with --progress=plain --no-cache, and explain all of that")
    steps.run("See whether the machine itself shows the cause", "devicekit doctor")
    steps.say(
        "Explain the whole log, from the start of the program: the first error in it names more than the last one"
    )
    steps.say("Search for the message in the issues of the library that is named")
