"""GPUs of AMD, Intel, Apple and all that DirectX reaches."""

import re
from typing import Sequence

from ...diagnosis import pages
from ...matrix.gpu_names import relative_of
from ...matrix.matrix import BUNDLED, minor_of
from ...matrix.projects import Release, sort_key
from ...matrix.tables import IndexRow
from .containers import container_gpu
from .situation import Situation
from .steps import Steps
from .torch_builds import beside_torch

#: Generations that no current ROCm has code for.
_DROPPED = (
    ("gfx6", "GCN 1"), ("gfx7", "GCN 2"), ("gfx8", "Polaris and older"), ("gfx902", "an integrated Vega"),
    ("gfx90c", "an integrated Vega"), ("gfx101", "RDNA 1"),
)  # fmt: skip

TORCH_WINDOWS = (
    "https://rocm.docs.amd.com/projects/radeon-ryzen/en/latest/docs/install/installrad/windows/install-pytorch.html"
)

#: What is left on Windows for GPUs that AMD's builds have no code for.
WITHOUT_ROCM_ON_WINDOWS = "Linux with ROCm, ZLUDA, or DirectML (torch-directml, no longer developed)"


def _builds(about: Situation) -> str:
    """Where AMD lists its own builds of the framework."""
    if about.framework == "torch":
        return TORCH_WINDOWS if about.windows else pages.ROCM_TORCH
    return pages.ROCM_TENSORFLOW if about.framework == "tensorflow" else pages.ROCM


#: What says that ROCm's runtime found no GPU, which is so for a user who may not open its devices as well.
_NO_AGENT = ("rocm-no-hip-gpus", "rocm-hipinit-no-device", "rocm-tf-device-count")

#: Said by ROCm's own programs: it is installed, and its runtime does not start.
_STARTED = "rocm-hsa-init-failed"

#: What only ROCm's runtime itself says, or a program that runs on it.
_THERE = (_STARTED, "gen-hip-error")


def rocm_missing(about: Situation, steps: Steps) -> None:
    """ROCm or one of its libraries is not there."""
    if about.macos or about.windows:
        _no_rocm_here(about, steps)
        return
    if about.wsl:
        rocm_in_wsl(about, steps)
        if about.framework == "tensorflow":
            steps.say(
                "Or DirectML, which is no longer developed: TensorFlow 2.10 with tensorflow-directml-plugin",
                instead=True,
            )
        return
    release = _release(about)
    library = about.groups.get("library", "")
    there_but_blind = about.framework == "torch" or about.groups.get("blind") or about.signature in _THERE
    if there_but_blind and not library and about.container and about.signature in _THERE:
        container_gpu(about, steps)
        steps.say("The host's kernel driver and the image's ROCm have to be of releases that go together", "admin")
        return
    if there_but_blind and not library and not about.container:
        _without_agent(about, steps)
        return
    there = bool(release) and about.fact("rocm").startswith(release)
    text = (
        "Install ROCm %s, the release that the build was made for" % release
        if release
        else "Install the ROCm release that the build was made for"
    )
    if about.named("rocm-pip", "rocm-sdk-"):
        steps.say(
            "Install the framework from the index that ROCm's packages are from: it finds them", changes="packages"
        )
    elif not there:
        steps.say("%s: %s" % (text, pages.ROCM_LINUX), "admin", "system")
    found = re.match(r"lib(rccl|rocm_smi|(?:hip|roc)(?:blas(?:lt)?|fft|rand|solver|sparse))(?:64)?\.", library)
    if found:
        package = found.group(1).replace("rocm_smi", "rocm-smi-lib")
        rpm = about.linux_distribution in ("fedora", "rhel", "suse")
        tool = "pacman -S" if about.linux_distribution == "arch" else "dnf install" if rpm else "apt install"
        here = "" if about.linux_distribution else " (here for Ubuntu)"
        text = "The library is in ROCm's package %s%s" % (package, here)
        steps.run(text, "sudo %s %s" % (tool, package), on="linux", changes="system")
    _rocm_library_path(about, steps)
    if not library:
        steps.run("See whether ROCm lists the GPU", "/opt/rocm/bin/rocminfo", on="linux")
    if about.signature in _NO_AGENT:
        text = "If it lists it for root only: join the groups that own /dev/kfd and /dev/dri, then log in again"
        steps.run(text, "sudo usermod -aG render,video $USER", on="linux")
    _rocm_for_installed(about, steps)


#: What a container in WSL needs in place of /dev/kfd and /dev/dri (ROCm/librocdxg, issue 1).
_DOCKER_IN_WSL = (
    "docker run --device=/dev/dxg -e HSA_ENABLE_DXG_DETECTION=1 -v /usr/lib/wsl/lib/libdxcore.so:/usr/lib/libdxcore.so "
    "-v /opt/rocm/lib/librocdxg.so:/usr/lib/librocdxg.so -v /opt/rocm/lib/librocdxg.so.1:/usr/lib/librocdxg.so.1 "
    "-v /opt/rocm/lib/libhsa-runtime64.so.1:/opt/rocm/lib/libhsa-runtime64.so.1 IMAGE"
)


def rocm_in_wsl(about: Situation, steps: Steps) -> None:
    """AMD's ROCm for WSL, which reaches the GPU by Windows' driver."""
    library = about.groups.get("library")
    docker = about.signature == "docker-device-node-missing"
    if docker:
        text = (
            "Pass on /dev/dxg in place of /dev/kfd and /dev/dri, and the libraries of AMD's ROCm for WSL, 7.2 or later"
        )
        steps.run(text, _DOCKER_IN_WSL, on="linux")
    elif about.framework == "torch" and not library:
        text = (
            "If rocminfo lists the GPU: remove the ROCm runtime for Linux that PyTorch's wheel brings, so that AMD's for WSL "
            "is used (%s)"
        )
        folder = "$(python -c 'import os, torch; print(os.path.dirname(torch.__file__))')/lib"
        steps.run(text % pages.ROCM_WSL, 'rm "%s"/libhsa-runtime64.so*' % folder, on="linux", changes="files")
    there = about.fact("rocm")
    if not docker and not library and (not there or (7, 2) <= sort_key(there) < (7, 13)):
        steps.set("ROCm 7.2 to 7.12 needs this, with AMD's librocdxg", "HSA_ENABLE_DXG_DETECTION", "1")
    steps.say(
        "ROCm in WSL supports a few Radeon RX 7000 and 9000 GPUs only, with AMD's own builds: "
        "%s; for others use Linux itself (dual boot)" % pages.ROCM_WSL
    )


def _without_agent(about: Situation, steps: Steps) -> None:
    """ROCm's libraries are there (PyTorch's wheels bring them): the kernel's driver is not, or the right to use it."""
    dropped_generation(about, steps)
    steps.run(
        "Join the groups that own the devices, then log in again", "sudo usermod -aG render,video $USER", on="linux"
    )
    if about.signature == _STARTED:
        steps.run("If root gets the same error: see why", "sudo dmesg | grep -i -E 'kfd|amdgpu'", on="linux")
        steps.restart("If it worked before: the driver hangs, restart the machine")
        steps.say("Let the kernel's driver (amdgpu-dkms, or the kernel's own) and ROCm be of releases that go together")
    else:
        steps.run("See whether the kernel's driver has made the devices", "ls -l /dev/kfd /dev/dri", on="linux")
        steps.run("If not: load it", "sudo modprobe amdgpu", on="linux", changes="driver")
        steps.run("See whether ROCm, if it is installed, lists the GPU", "/opt/rocm/bin/rocminfo", on="linux")
    if not about.gfx:
        steps.say("A GPU that ROCm does not support is not listed either: %s" % pages.ROCM_SYSTEMS)
    _rocm_for_installed(about, steps)


def _rocm_library_path(about: Situation, steps: Steps) -> None:
    pip = about.named("rocm-pip", "rocm-sdk-")
    if not pip:
        command = "export LD_LIBRARY_PATH=$(echo /opt/rocm*/lib /opt/rocm*/hip/lib | tr ' ' :):$LD_LIBRARY_PATH"
        steps.run("Put its libraries on the library path", command, on="linux", changes="variables")
    if pip or sort_key(about.fact("rocm") or "0") >= (7,) or about.named("libhipsparse.so.4", "sysdeps", "xla_rocm7"):
        folders = "@/lib:@/lib/rocm_sysdeps/lib:$(echo @/../_rocm_sdk_libraries_*/lib)".replace("@", "$(hipconfig -R)")
        steps.run(
            "If ROCm itself was installed with pip, its libraries are there",
            'export LD_LIBRARY_PATH="%s:$LD_LIBRARY_PATH"' % folders,
            on="linux",
            changes="variables",
            instead=not pip,
        )


def _no_rocm_here(about: Situation, steps: Steps) -> None:
    if about.macos:
        steps.say("ROCm is for Linux (and parts of it for Windows), not for macOS: use Metal there, or the CPU")
        return
    if about.framework == "torch" or (not about.framework and about.fact("rocm")):  # AMD's HIP SDK
        if _dropped(about.gfx):
            steps.say(
                "AMD's builds for Windows have no code for this GPU (%s), and no setting changes that" % about.gfx
            )
        else:
            steps.say("Update AMD's driver (Adrenalin), and restart Windows", "admin", "system")
            steps.say("See whether AMD's builds for Windows have code for this GPU: %s" % TORCH_WINDOWS)
            steps.say("Switch an integrated GPU off in the BIOS: the runtime may stop at it", "admin", "system")
        _instead(about, steps)
        return
    steps.say(
        "This build needs ROCm on Linux: use Linux, or WSL 2 for the GPUs that AMD supports there: %s" % pages.ROCM_WSL
    )
    steps.say("On Windows itself, AMD has builds of PyTorch only: %s" % TORCH_WINDOWS, instead=True)


def _release(about: Situation) -> str:
    """The ROCm release of the build, "" if it is not known."""
    label = re.search(r"\+rocm(\d+\.\d+)|xla_rocm([7-9])", about.version + about.line)
    if label:
        return label.group(1) or label.group(2)
    row = (
        BUNDLED.rocm(about.packages.get("tensorflow-rocm", "") or "0")
        if about.packages.get("tensorflow-rocm")
        else None
    )
    if row is not None:
        return row.rocm
    # The HIP runtime's number is that of ROCm; those of the other libraries are their own.
    said = re.search(r"(?:amdhip64|hip_hcc|hc_am|mcwamp)\.so\.([3-9])$", about.groups.get("library", ""))
    return "%s" % said.group(1) if said else ""


def _rocm_for_installed(about: Situation, steps: Steps) -> None:
    """The build for the ROCm that is there."""
    there = minor_of(about.fact("rocm"))
    if not there:
        return
    if about.framework == "tensorflow":
        project = BUNDLED.project("tensorflow-rocm")
        versions = project.versions if project is not None else ()
        pairs = [(version, BUNDLED.rocm(version)) for version in versions]
        fitting = [version for version, row in pairs if row is not None and row.rocm == there]
        if about.packages.get("tensorflow-rocm") in fitting:
            return
        if fitting:
            steps.install("Or install the build for ROCm %s" % there, "tensorflow-rocm==%s" % fitting[-1], instead=True)
        else:
            steps.say("Or install the tensorflow-rocm that was built for ROCm %s" % there, instead=True)
    elif about.framework == "torch":
        url = "https://download.pytorch.org/whl/rocm%s" % there
        rows = BUNDLED.indexes("torch", "rocm", "linux-x86_64")
        if any(row.url == url for row in rows):
            steps.install(
                "Or install PyTorch's build for ROCm %s" % there, "torch", remove=["torch"], index_url=url, instead=True
            )
        else:
            steps.say("Or install PyTorch's build for ROCm %s: %s" % (there, pages.ROCM_TORCH), instead=True)


def rocm_version_mismatch(about: Situation, steps: Steps) -> None:
    """ROCm is there, of another release than the build was made for."""
    release = _release(about)
    what = "This build needs ROCm %s" % release if release else "Install the ROCm release that this build was made for"
    there = about.fact("rocm")
    steps.say("%s%s: %s" % (what, "; ROCm %s is there" % there if there else "", pages.ROCM_LINUX), "admin", "system")
    if "MIOpen" in about.summary:
        text = "Kernels that an earlier release has stored are of no use: remove them"
        steps.run(text, "rm -rf ~/.cache/miopen ~/.config/miopen", on="linux", changes="files")
    before = len(steps.fixes)
    _rocm_for_installed(about, steps)
    if len(steps.fixes) == before:
        name = "tensorflow-rocm" if about.framework == "tensorflow" else about.title
        steps.say(
            "Or install the release of %s that was built for the ROCm that is there: %s" % (name, _builds(about)),
            instead=True,
        )


def gfx_unsupported(about: Situation, steps: Steps) -> None:
    """The build, or ROCm itself, has no code for this AMD GPU."""
    gfx, dropped = about.gfx, _dropped(about.gfx)
    kernel = about.signature == "rocm-pci-atomics" or re.search("kfd not supported|not supported in kfd", about.line)
    if kernel or (dropped and dropped != "RDNA 1"):
        if dropped == "an integrated Vega" and not kernel:
            pass_as_relative(steps, gfx)
        _not_for_rocm(about, steps, bool(dropped))
        return
    if _old_sdk(about, steps) or _flash_attention(about, steps):
        return
    if about.wsl and about.framework == "torch" and not dropped:
        rocm_in_wsl(about, steps)
    override, listed = "HSA_OVERRIDE_GFX_VERSION", False
    relative, version = relative_of(gfx)
    value = about.known.environment.get(override, "")
    other = gfx and not relative and value.replace(".", "") != gfx[3:]  # the GPU has code of its own
    if value and ("INVALID_ISA" in about.line or other or (not gfx and "fault" in about.summary)):
        steps.unset("%s lets the GPU pass as one whose code it cannot run" % override, override)
    if "gfx1030gfx1100" in about.line:
        # In this release's list a comma is missing: it takes neither of the two.
        steps.say(
            "Install a newer TensorFlow from AMD's own index, or use its image rocm/tensorflow: %s. No variable helps: this "
            "release leaves out gfx1030 and gfx1100" % _builds(about),
            changes="packages",
        )
        relative, listed = "", True
    if relative and not about.windows and value != version:
        pass_as_relative(steps, gfx)
    if about.framework == "torch" and gfx and not dropped:
        _torch_with_code(about, steps, gfx)
        listed = True
    elif dropped:
        steps.say("ROCm's builds have no code for %s (%s): AMD does not support that generation" % (gfx, dropped))
    if _by_vulkan(about, steps):
        return
    better = BUNDLED.newest_rocm(gfx) if gfx and about.framework == "tensorflow" else None
    if better is not None and about.packages.get("tensorflow-rocm") != better.tensorflow_rocm:
        text = "tensorflow-rocm %s has code for %s, with ROCm %s" % (better.tensorflow_rocm, gfx, better.rocm)
        steps.install(text, "tensorflow-rocm==%s" % better.tensorflow_rocm)
    if not gfx:
        steps.run("See which target the GPU is", "/opt/rocm/bin/rocminfo | grep gfx", on="linux")
        steps.say(
            "If the build has code for a GPU of the same family, %s lets it pass as that one: 10.3.0 for gfx1031 to gfx1036, "
            "11.0.0 for gfx1101 to gfx1103; not supported by AMD" % override
        )
    if not listed:
        _other_builds(about, steps, gfx)
    _instead(about, steps)


def _by_vulkan(about: Situation, steps: Steps) -> bool:
    """What computes with Vulkan as well, which takes more GPUs; return whether the program does."""
    if about.named("ollama"):
        text = "%s ollama use Vulkan, which takes more GPUs" % ("Or let" if steps.fixes else "Let")
        steps.set(text, "OLLAMA_VULKAN", "1")
        return True
    if about.library == "llama.cpp":
        steps.say("Take llama.cpp's build for Vulkan, which runs on %s, too" % (about.gfx or "more GPUs"))
        return True
    return False


def _flash_attention(about: Situation, steps: Steps) -> bool:
    """FlashAttention, which is compiled for AMD's data-center GPUs, was compiled for another one."""
    if not re.match("gfx9[04]", about.gfx) or "flash_attn" not in "".join(about.known.frames[-1:]):
        return False
    command = (
        "GPU_ARCHS=%s python -m pip install --force-reinstall --no-deps --no-build-isolation flash-attn" % about.gfx
    )
    text = "flash-attn was compiled for other GPUs: compile it for %s" % about.gfx
    steps.run(text, command, on="linux", changes="packages")
    return True


def _old_sdk(about: Situation, steps: Steps) -> bool:
    """AMD's SDK for Windows is older than the GPU; return whether it is."""
    sdk = re.search(r"AMD[\\/]ROCm[\\/](\d\.\d)", about.line)
    if not (about.windows and sdk and about.gfx.startswith("gfx12") and sdk.group(1) < "6.4"):
        return False
    text = "AMD's HIP SDK %s has no code for %s: install HIP SDK 6.4.2 or later (%s), and the newest driver"
    page = "https://www.amd.com/en/developer/resources/rocm-hub/hip-sdk.html"
    steps.say(text % (sdk.group(1), about.gfx, page), "admin", "system")
    steps.say("The program has to be built for that SDK as well: take its newest release (ZLUDA, for example)")
    return True


def pass_as_relative(steps: Steps, gfx: str) -> None:
    """A GPU that runs the code of another one of its family."""
    relative, value = relative_of(gfx)
    if relative:
        text = "Let it pass as %s, of the same family, whose code it runs; AMD does not support that" % relative
        steps.set(text, "HSA_OVERRIDE_GFX_VERSION", value, linux_only=True)


def _not_for_rocm(about: Situation, steps: Steps, too_old: bool) -> None:
    gfx = about.gfx
    if about.signature == "rocm-kfd-unsupported-device" and not too_old and re.match("gfx(?:90|1[01])", gfx):
        text = "ROCm knows %s, but the kernel's driver does not: take a newer kernel, or amdgpu-dkms"
        steps.say(text % gfx, "admin")
        return
    which = "%s (%s)" % (about.gpu, gfx) if gfx and gfx not in about.gpu else about.gpu
    age = "too old" if too_old else "too old (or too new)"
    steps.say("ROCm does not support %s: its generation is %s for it" % (which.strip(), age))
    _instead(about, steps)
    last_release(about, steps)


def _dropped(gfx: str) -> str:
    return next((name for prefix, name in _DROPPED if gfx.startswith(prefix)), "")


def dropped_generation(about: Situation, steps: Steps) -> None:
    """What AMD leaves out may be listed, and fails or crashes later."""
    dropped = _dropped(about.gfx)
    if dropped:
        steps.say("Current ROCm does not support %s (%s)" % (about.gfx, dropped))
        last_release(about, steps)


def last_release(about: Situation, steps: Steps) -> None:
    """The last build that works on a GPU that later ones leave out, or compute wrong on."""
    last = BUNDLED.newest_rocm(about.gfx) if about.framework == "tensorflow" and about.gfx else None
    if last is not None and not about.windows:
        text = "The last tensorflow-rocm that runs on %s is %s, with ROCm %s and the Python and the Linux of its time"
        steps.say(text % (about.gfx, last.tensorflow_rocm, last.rocm), instead=True)


def _of_torch(about: Situation, row: IndexRow) -> Sequence[Release]:
    return about.releases("torch", row.versions, "linux-x86_64", about.python)


def _other_builds(about: Situation, steps: Steps, gfx: str) -> None:
    """The last ROCm with code for an older GPU, as PyTorch's builds show it, and AMD's."""
    rows = [row.url for row in BUNDLED.indexes("torch", "rocm", "linux-x86_64") if gfx and gfx in row.code]
    last = rows[0].rpartition("rocm")[2] if rows else ""
    if last and sort_key(about.fact("rocm") or "0")[:2] > sort_key(last):
        steps.say("ROCm %s is the last with code for %s: install that" % (last, gfx), "admin", "system")
    steps.say("AMD's own, newer builds have code for more GPUs: %s" % _builds(about), instead=bool(steps.fixes))


def _torch_with_code(about: Situation, steps: Steps, gfx: str) -> None:
    """PyTorch's own build with code for the GPU, which may be an older one; AMD's have more."""
    there = about.packages.get("torch", "").partition("+")[2]
    rows = [
        row for row in BUNDLED.indexes("torch", "rocm", "linux-x86_64") if gfx in row.code and _of_torch(about, row)
    ]
    row = rows[0] if rows and about.linux and rows[0].url.rpartition("/")[2] != there else None
    newest = _of_torch(about, row) if row is not None else ()
    if row is not None and newest:
        text = "PyTorch's newest build with code for %s is that for ROCm %s" % (gfx, row.url.rpartition("rocm")[2])
        also = beside_torch(about)
        steps.install(
            text, "torch==%s" % newest[-1].version, *also, remove=["torch", *also], index_url=row.url, instead=True
        )
    text = "Install a newer PyTorch build that has code for %s (AMD's multi-arch wheels: torch[device-%s]): %s"
    steps.say(text % (gfx, gfx, _builds(about)), changes="packages", instead=True)
    if about.signature.startswith("rocm-miopen"):
        text = "Or do without MIOpen, which is slower: torch.backends.cudnn.enabled = False"
        steps.say(text, changes="code", instead=True)


def _instead(about: Situation, steps: Steps) -> None:
    if about.windows:
        steps.say("Otherwise use the CPU, or DirectML, which is no longer developed", instead=True)
    else:
        steps.say("Otherwise use the CPU, or compile the framework from source for this GPU", instead=True)


def directml_missing(about: Situation, steps: Steps) -> None:
    """DirectX 12 is not reached."""
    if about.macos:
        steps.say("DirectML is part of Windows and of WSL 2; on a Mac use Metal")
        return
    if about.linux and about.known.wsl is None and not about.known.system_stated:
        steps.say(
            "In WSL 2: update it and its kernel from Windows (wsl --update, then wsl --shutdown), and Windows' driver"
        )
    if about.linux and not about.wsl:
        steps.say("DirectML works in Windows and in WSL 2 only: on Linux itself there is no libd3d12 for it")
        _without_directml(about, steps)
        return
    if about.wsl or about.system is None:
        steps.run("Update WSL and its kernel", "wsl --update", on="windows", changes="system")
        steps.run("Restart it", "wsl --shutdown", on="windows", changes="system")
    steps.say(
        "DirectML in WSL needs WSL 2 on Windows 11, or Windows 10 21H2, with a current graphics driver in Windows"
        if not about.windows
        else "DirectML needs Windows 10 (1903) or newer with a current graphics driver: update both",
        "admin",
        "system",
    )


def _without_directml(about: Situation, steps: Steps) -> None:
    if about.vendor == "intel" and re.search(r"(?i)\b(u?hd|iris)\b", about.known.gpu_name):
        steps.say("On Linux itself, no framework computes on this Intel GPU: use the CPU, or Windows with WSL 2")
    elif about.vendor == "intel":
        steps.say(
            "For this Intel GPU on Linux: PyTorch's build for XPU, or Intel's extension for TensorFlow (Arc, Flex, Max)"
        )
    elif about.vendor == "amd":
        steps.say("For this AMD GPU on Linux: builds for ROCm, if it supports the GPU: %s" % pages.ROCM_SYSTEMS)
    elif about.vendor == "nvidia":
        steps.say("For this NVIDIA GPU on Linux: builds for CUDA")


def directml_unsupported(about: Situation, steps: Steps) -> None:
    """Windows, WSL's kernel or the adapter is too old."""
    # Intel's generations up to the 8th (HD 4600, HD 5500) have numbers of four digits.
    if about.vendor == "intel" and re.search(r"(?i)\bhd (graphics )?\d{4}\b", about.known.gpu_name):
        steps.say("This GPU is older than Intel HD 5xx, the first that DirectML computes on: use the CPU")
        return
    if about.wsl:
        steps.run("Update WSL and its kernel", "wsl --update", on="windows", changes="system")
        steps.say("Update Windows (to 11, or 10 from 21H2 on) and the graphics driver in it", "admin", "system")
        steps.run("Restart WSL", "wsl --shutdown", on="windows", changes="system")
        return
    if about.framework == "onnxruntime" and "onnxruntime-directml" not in about.packages:
        steps.say(
            "ONNX Runtime needs DirectML 1.8 or later, and finds Windows' own DirectML.dll (in Windows 10: 1.1): put that of "
            "the NuGet package Microsoft.AI.DirectML next to the program",
            changes="files",
        )
    steps.say(
        "Update Windows (to 11, or 10 from 1903 on) and the adapter's driver: DirectML needs DirectX 12, that is Intel HD "
        "5xx, AMD Radeon R5, R7 or R9 2xx, NVIDIA GTX 9xx or newer",
        "admin",
        "system",
    )
    steps.say("If another adapter works, choose it: DML_VISIBLE_DEVICES names those that are used")
