"""Drivers: how to install, update and repair those of NVIDIA, AMD and Intel on this system."""

import re
from typing import Optional, Tuple

from ...diagnosis import pages
from ...matrix.gpu_support import capability_number, driver_limits, needed_driver
from ...matrix.matrix import BUNDLED, accepts, minor_of, version_at_least
from ...matrix.projects import sort_key
from ...matrix.tables import DriverInstall
from .add_ons import older_ctranslate2
from .containers import MACHINE_WITH_GPU, container_gpu, container_program, docker_desktop
from .others import rocm_in_wsl
from .releases import old_tensorflow
from .situation import Situation
from .steps import Steps, lower
from .torch_builds import LAST, OLD_BUILDS, OLD_DRIVERS, beside_torch, for_older_driver, old_driver
from .wheels import jetson_build

#: What os-release calls the distributions that a text names.
_IDS = {"suse": "opensuse-leap"}

#: Intel's runtime for computing, by distribution (dgpu-docs.intel.com; Fedora's and Arch's packages).
_INTEL = {
    "ubuntu": "sudo apt-get install libze1 libze-intel-gpu1 intel-opencl-icd",
    "debian": "sudo apt-get install libze1 intel-opencl-icd",
    "fedora": "sudo dnf install intel-compute-runtime oneapi-level-zero",
    "arch": "sudo pacman -S intel-compute-runtime level-zero-loader",
}


def _row(about: Situation, branch: str = "", least: str = "") -> Optional[DriverInstall]:
    """How this distribution installs NVIDIA's driver, None if the distribution or its version is not known."""
    ident = about.linux_distribution
    version = about.linux_version
    for row in BUNDLED.driver_installs():
        if _IDS.get(ident, ident) not in row.ids or row.limit not in ((branch, "*") if branch else ("",)):
            continue
        if row.versions and not (version and accepts(row.versions, version)):
            continue
        if row.newest and least and version_at_least(row.newest, least.partition(".")[0]) is False:
            continue
        return row
    return None


def install_nvidia(about: Situation, steps: Steps, text: str = "Install NVIDIA's driver", least: str = "") -> None:
    """How to get NVIDIA's driver onto this system, or a newer one."""
    limits = driver_limits([about.capability], BUNDLED) if about.capability else ()
    if least and limits and version_at_least(least, limits[0].following):
        none = "There is no such driver for this GPU (%s): %s.x is its last branch, and %s or later is needed"
        steps.say(none % (limits[0].gpu, limits[0].branch, least))
        return
    what = text + (" (%s or later)" % least if least else "")
    what += ", up to branch %s (the last one for %s)" % (limits[0].branch, limits[0].gpu) if limits else ""
    if about.wsl:
        steps.say("In Windows: %s; none inside WSL, which uses that of Windows" % lower(what), "admin", "driver")
        steps.run("Then restart WSL", "wsl --shutdown", changes="system")
        return
    if about.windows:
        steps.say("%s from https://www.nvidia.com/drivers, then restart Windows" % what, "admin", "driver")
        return
    if about.jetson:
        steps.say(
            "On a Jetson the driver is part of JetPack: install the newer JetPack (L4T) that the GPU code needs",
            "admin",
        )
        return
    if about.container:
        steps.say("On the host: %s; a container uses the host's driver" % lower(what), "admin", "driver")
        text = "If the host's is new enough: start the container with --gpus all, from an image without cuda-compat"
        steps.say(text, changes="system")
        return
    if about.macos:
        steps.say("macOS from 10.14 on has no NVIDIA driver: use the CPU, or another system")
        return
    if about.hosted:
        steps.say(
            "The driver of a hosted notebook cannot be changed: use the releases that the notebook brings (Colab: Runtime, "
            "Disconnect and delete runtime brings them back), or a build for the CUDA that its driver runs"
        )
        return
    _packaged(about, steps, what, limits[0].branch if limits else "", least)
    steps.restart("Then restart the machine")


def _packaged(about: Situation, steps: Steps, what: str, branch: str, least: str) -> None:
    """The driver as the distribution has it."""
    row = _row(about, branch, least)
    if row is not None and (about.linux_version or "fedora" not in row.ids):  # whose commands name the release
        number = about.linux_version
        values = {"branch": branch, "version": number, "major": number.partition(".")[0]}
        values.update(arch="sbsa" if about.arch == "aarch64" else "x86_64", release="$(uname -r)")
        commands = [[word.format(**values) for word in words] for words in row.commands]
        needs = "; it needs %s" % row.needs.format(**values) if row.needs else ""
        if _flavor(about):  # nvidia-open is for the usual kernel alone
            commands = [[word.replace("nvidia-open", "nvidia-open-dkms") for word in words] for words in commands]
        steps.add(steps.shell.system_packages_fix(what + needs, *commands, changes="driver"))
    elif about.linux:
        steps.say("%s with the package manager of the distribution" % what, "admin", "driver")
        if not about.linux_distribution:
            steps.run("On Ubuntu", "sudo ubuntu-drivers install", on="linux", changes="driver")
    else:
        steps.say(
            "%s: on Linux by the package manager, on Windows from https://www.nvidia.com/drivers" % what,
            "admin",
            "driver",
        )


_NO_LIBRARY = (
    "Install NVIDIA's driver on the host (Proxmox: the same release in the LXC container too, without the kernel module); "
    "docker from the snap cannot see it: install docker from apt"
)
_UNSEEN = (
    "Docker Desktop for Linux and docker from the snap cannot see the driver: use Docker Engine (docker context ls)"
)


def _broken_packages(about: Situation, steps: Steps) -> None:
    """The driver's packages are not installed, as apt finds that they conflict."""
    command = "sudo apt-get update && sudo apt-get --fix-broken install"
    steps.run("Let apt finish what is half installed", command, on="linux", changes="driver")
    again = "apt-get install nvidia-driver" if about.linux_distribution == "debian" else "ubuntu-drivers install"
    command = "sudo apt-get purge 'nvidia-*' 'libnvidia-*' 'linux-modules-nvidia-*' && sudo %s" % again
    text = "If not: install the driver again, from one source (Ubuntu's, NVIDIA's and a PPA's packages do not mix)"
    steps.run(text, command, on="linux", changes="driver")
    steps.restart("Then restart the machine")


def driver_missing(about: Situation, steps: Steps) -> None:
    """No driver, or its kernel module is not loaded."""
    if about.vendor == "amd" or (not about.vendor and re.search(r"amdgpu|kfd|rocm", about.line, re.I)):
        amd_driver(about, steps)
        return
    if about.vendor == "intel" or re.search(r"(?i)level.zero|libze_|dpcpp|oneapi|sycl|\bxpu\b|libigdrcl", about.line):
        intel_driver(about, steps)
        return
    if about.hosted:
        steps.say(MACHINE_WITH_GPU)
        install_nvidia(about, steps)
        return
    if "docker-desktop" in about.words and about.linux and not about.wsl:
        docker_desktop(about, steps)
        return
    if about.signature == "nvidia-apt-held":
        _broken_packages(about, steps)
        return
    if about.signature == "docker-nvidia-cli-load-library":
        steps.say(_UNSEEN if about.fact("driver") else _NO_LIBRARY)
        if about.fact("driver"):
            return
    elif about.container and not re.search(r"nvidia-container-cli", about.line):
        steps.say("See on the host whether nvidia-smi answers; if not, install or load the driver there", "admin")
        container_gpu(about, steps)
        return
    if "slurm" in about.words:
        batch_job(steps)
        steps.say("If nvidia-smi fails in such a job, too, tell the cluster's administrators the node's name", "admin")
        return
    if "model_server" in about.line:
        steps.run("In a container: start it with the GPU", "docker run --gpus all IMAGE")
    if about.linux_distribution == "nixos":
        _nixos(about, steps)
        return
    if about.known.driver_kernel and not about.known.driver_library and not about.wsl and not about.container:
        _driver_libraries(about, steps)
        return
    linux = not (about.windows or about.macos or about.wsl or about.container)
    if about.signature == "apt-no-nvidia-driver":
        steps.run("Fetch the lists of packages: they may be old", "sudo apt-get update", on="linux", changes="system")
        text = "Then install the driver under its name here"
    elif linux:
        _load_module(about, steps)
        text = "If there is no driver yet: install NVIDIA's driver"
    else:
        text = "Install NVIDIA's driver"
    install_nvidia(about, steps, text)
    if "nvcuda.dll" in about.line and about.framework == "tensorflow" and not about.known.gpu_name:
        text = "Without an NVIDIA GPU: replace tensorflow-gpu by the build for the CPU"
        steps.install(text, "tensorflow", remove=["tensorflow-gpu"], instead=True)


def batch_job(steps: Steps) -> None:
    """A cluster gives a job no GPU that it does not ask for."""
    steps.say(
        "Ask for a GPU, on a partition whose nodes have some: --gpus=1 (or --gres=gpu:1) for sbatch and for srun, "
        "-l select=1:ngpus=1 for PBS; a login node may have none"
    )


def _nixos(about: Situation, steps: Steps) -> None:
    folder = "/usr/lib/wsl/lib" if about.wsl else "/run/opengl-driver/lib"
    if not about.wsl and not about.fact("driver"):
        driver = 'services.xserver.videoDrivers = [ "nvidia" ] and hardware.graphics.enable = true'
        steps.say("In configuration.nix: %s, then nixos-rebuild switch and restart" % driver, "admin", "driver")
    steps.set("Let the driver's libraries be found", "LD_LIBRARY_PATH", folder + ":$LD_LIBRARY_PATH")


def _driver_libraries(about: Situation, steps: Steps) -> None:
    """The kernel's half of the driver is loaded, and libcuda is missing."""
    kernel = about.known.driver_kernel
    steps.run(
        "See whether the driver's library is there, and whether the loader finds it", "ldconfig -p | grep libcuda.so"
    )
    package = {
        "ubuntu": "apt-get install -y libnvidia-compute-%s" % kernel.partition(".")[0],
        "debian": "apt-get install -y libcuda1",
        "fedora": "dnf install -y xorg-x11-drv-nvidia-cuda-libs",
        "arch": "pacman -S nvidia-utils",
    }.get(about.linux_distribution, "")
    text = "If not: install the driver's libraries for computing, of the release that the kernel has (%s)" % kernel
    if package:
        steps.run(text, "sudo %s" % package, on="linux", who="admin", changes="driver")
    else:
        steps.say(text + ": Ubuntu's package is libnvidia-compute-..., Debian's libcuda1", "admin", "driver")


def _flavor(about: Situation) -> str:
    """Which of Arch's other kernels runs: "-zen"; "" for its usual one."""
    found = re.search(r"(?<=\d)-(?:zen|lts|hardened)\b", about.line)
    return found.group() if found else ""


def _rebuild(about: Situation, steps: Steps) -> None:
    """Build the driver's module for the running kernel again."""
    row = _row(about)
    if "module build" in about.line:
        steps.say("Or start the kernel that was used before, until there is such a driver", instead=True)
    text = "If it was not built for the running kernel (after a kernel update): build it again, then restart"
    if row is None and about.linux_distribution not in ("", "ubuntu", "debian"):
        steps.say(text + ": the distribution's kernel headers, then sudo dkms autoinstall", "admin", "driver")
        return
    headers = row.headers if row is not None else ("apt-get", "install", "-y", "linux-headers-{release}")
    command = "sudo %s && sudo dkms autoinstall" % " ".join(headers).replace("{release}", "$(uname -r)")
    if "pacman" in command:
        command = command.replace("linux", "linux" + _flavor(about))
    elif row is not None and "akmods" in row.mok:
        command = command.replace("dkms autoinstall", "akmods --force")
    steps.run(text if row is not None else text + " (Ubuntu, Debian)", command, on="linux", changes="driver")


def _load_module(about: Situation, steps: Steps) -> None:
    """A driver that is installed may not be loaded: why, and how to build its module again."""
    if "nouveau" in about.line.lower():
        command = "printf 'blacklist nouveau\\noptions nouveau modeset=0\\n' | sudo tee /etc/modprobe.d/blacklist-nouveau.conf"
        steps.run("Keep nouveau from loading", command, on="linux", who="admin", changes="driver")
        tool = (
            "sudo dracut --force"
            if about.linux_distribution in ("fedora", "rhel", "suse")
            else "sudo update-initramfs -u"
        )
        text = (
            "Then write the boot image again (Ubuntu: update-initramfs -u; Fedora, RHEL: dracut --force), and restart"
        )
        steps.run(text, tool, on="linux", changes="driver")
    steps.run("Load the driver's kernel module: an error says why it is not loaded", "sudo modprobe nvidia", on="linux")
    _rebuild(about, steps)
    key = _module_key(about) if about.linux_distribution else ""
    steps.run(
        "With Secure Boot on, its key has to be enrolled (MOK, at the next start), or Secure Boot switched off",
        "mokutil --sb-state" + (" && sudo mokutil --import %s" % key if key else ""),
        on="linux",
    )


def _module_key(about: Situation) -> str:
    """The key with which this distribution's tools sign the module that they build, "" if that is not known."""
    row, ubuntu = _row(about), about.linux_distribution in ("", "ubuntu")
    return (row.mok if row is not None else "") or ("/var/lib/shim-signed/mok/MOK.der" if ubuntu else "")


def _enroll_key(about: Situation, steps: Steps) -> None:
    """Secure Boot refuses the module: let it trust its key."""
    if "talos" in about.words:
        text = "Talos signs its modules again for each release: take the NVIDIA extensions that were made for this one"
        steps.say(text, "admin", "system")
        return
    text = "Enroll the module's key (it asks for a password); then restart, and choose Enroll MOK"
    key = _module_key(about) or "KEY_OF_THE_PACKAGE"
    steps.run(text, "sudo mokutil --import %s" % key, on="linux", changes="system")
    steps.say("Or switch Secure Boot off in the firmware", instead=True)


def amd_driver(about: Situation, steps: Steps) -> None:
    """AMD's kernel driver."""
    if about.windows or about.wsl:
        steps.say("Install AMD's Adrenalin driver in Windows, then restart it", "admin", "driver")
        if about.wsl:
            rocm_in_wsl(about, steps)
        return
    steps.run("Load the kernel's driver for AMD GPUs", "sudo modprobe amdgpu", on="linux", changes="driver")
    steps.say(
        "If it is not there: install it as AMD's guide says (amdgpu-install --usecase=dkms): %s" % pages.ROCM_LINUX,
        "admin",
    )
    steps.run("See what the kernel says of the GPU", "sudo dmesg | grep -i -E 'amdgpu|kfd'", on="linux")


def intel_driver(about: Situation, steps: Steps) -> None:
    """Install Intel's runtime for computing (Level Zero, OpenCL), and let the user use it."""
    if about.windows:
        steps.say(
            "Install Intel's graphics driver from https://www.intel.com/download, then restart Windows",
            "admin",
            "driver",
        )
        return
    if about.container and not about.wsl:
        container_gpu(about, steps)
        return
    if "part for GPUs" in about.summary:
        steps.upgrade("The extension's part for GPUs is an extra", "intel-extension-for-tensorflow[xpu]")
    what = "Install Intel's compute runtime with Level Zero"
    if about.wsl:
        steps.say("In Windows: update Intel's graphics driver; then restart WSL", "admin", "driver")
    distribution = about.linux_distribution
    if distribution in _INTEL:
        steps.run(what, _INTEL[distribution], on="linux", changes="driver")
    elif about.linux or about.system is None:
        steps.say(
            "%s (packages intel-compute-runtime or libze-intel-gpu1, level-zero or libze1)" % what, "admin", "driver"
        )
        steps.run("On Ubuntu", _INTEL["ubuntu"], on="linux", changes="driver")
    if about.framework in ("", "onnxruntime") and re.search(r"(?i)^$|\bu?hd\b|iris(?! xe)", about.known.gpu_name):
        steps.say(
            "Graphics older than the 11th Core generation (HD, UHD 6xx, Iris Plus) need its legacy1 packages: "
            "https://github.com/intel/compute-runtime/blob/master/LEGACY_PLATFORMS.md",
            "admin",
            "driver",
        )
    if about.container:
        container_gpu(about, steps)
        return
    steps.run("Join the group that owns the device, then log in again", "sudo usermod -aG render $USER", on="linux")
    if about.wsl:
        steps.run("See which devices the runtime lists", "sycl-ls", on="linux")
    if about.signature == "xpu-runtime-abort":
        text = "Of several GPUs, let the program see one (sycl-ls lists them)"
        steps.set(text, "ONEAPI_DEVICE_SELECTOR", "level_zero:0")
    if about.wsl:
        return
    text = "If the runtime is installed already: update it (a newer kernel needs a newer one), and see what the kernel says"
    steps.run(text, "sudo dmesg | grep -i -E 'i915|xe [0-9]'", on="linux")


def driver_too_old(about: Situation, steps: Steps) -> None:
    """The driver is older than the CUDA or ROCm release of the build."""
    if about.vendor == "amd":
        steps.say(
            "Update the kernel, whose own amdgpu driver is enough, or install AMD's amdgpu-dkms of "
            "the ROCm release that is installed; the two have to fit: %s" % pages.ROCM_SYSTEMS,
            "admin",
            "driver",
        )
        steps.restart("Then restart the machine")
        return
    if about.vendor == "intel":
        intel_driver(about, steps)
        return
    cuda, least = _needed(about)
    if least and about.fact("driver") and version_at_least(about.fact("driver"), least):
        # It runs that CUDA: something else brings a newer one (NCCL does), or the driver does not answer.
        named = "nccl" in about.line.lower()
        if not named:
            text = "Driver %s runs CUDA %s: see whether it answers; if it does not, restart, or install it again"
            steps.run(text % (about.fact("driver"), cuda), "nvidia-smi")
        install_nvidia(about, steps, "Update NVIDIA's driver" if named else "If it answers, update it")
        steps.run("Or take back the runtime that is newer than CUDA %s" % cuda, "python -m pip list", instead=True)
        return
    install_nvidia(about, steps, "Update NVIDIA's driver%s" % (" for CUDA %s" % cuda if cuda else ""), least)
    if about.jetson and about.container:
        steps.say("Images for each JetPack: https://github.com/dusty-nv/jetson-containers", instead=True)
    elif about.jetson:
        jetson_build(about, steps)
    elif "tensorrt" in about.packages:
        steps.install("Or TensorRT for CUDA 12", "tensorrt-cu12", remove=["tensorrt"], instead=True)
    elif not too_old_gpu(about, steps):
        _older_build(about, steps)


def too_old_gpu(about: Situation, steps: Steps) -> bool:
    """Say what no release changes for GPUs before compute capability 3.0, and for TensorFlow before 3.5; False for others."""
    number = about.compute_capability or (9, 0)
    what = "%s (compute capability %s)" % (about.gpu, about.capability)
    if number < (3, 0):
        steps.say("No release of %s has code for %s: use the CPU, or a newer GPU" % (about.title, what))
    elif number < (3, 5) and about.framework == "tensorflow" and about.is_at_least("2.3") is not False:
        text = "TensorFlow from 2.3 on has no code for %s: use the CPU or a newer GPU, or TensorFlow 2.2 (Python 3.5 to 3.8)"
        steps.say(text % what)
    else:
        return False
    return True


def conda_driver_too_old(about: Situation, steps: Steps) -> None:
    """The driver's CUDA is too low for what conda is to install, or there is no driver."""
    wanted, found = about.groups.get("runtime", ""), about.groups.get("found", "")
    name = about.groups.get("package", "")
    need = needed_driver(wanted, [], "linux", BUNDLED, False) if wanted.count(".") else None
    least = need.version if need is not None else old_driver(wanted, "linux")
    install_nvidia(about, steps, "Update NVIDIA's driver%s" % (" for CUDA %s" % wanted if wanted else ""), least)
    if found:
        old = name.startswith("cudatoolkit") or found[:2] in ("9.", "10", "11")
        package = "cudatoolkit" if old else "cuda-version"
        text = "Or let conda choose builds for CUDA %s, which the driver runs (in PyTorch's own channel: pytorch-cuda)"
        steps.run(text % found, "conda install -c conda-forge %s=%s" % (package, found), instead=True)
    steps.run(
        "To install on another machine than the one that has the GPU (a login node): say what its driver has",
        "export CONDA_OVERRIDE_CUDA=%s" % (wanted or "12.4"),
        on="linux",
        changes="variables",
        instead=True,
    )


#: How CTranslate2 (faster-whisper) words the runtime's errors (its src/cuda/utils.h).
_CTRANSLATE2 = "CUDA failed with error"


def _needed(about: Situation) -> Tuple[str, str]:
    """The CUDA release of the build, and the oldest driver for it."""
    # What starts a container compares with the CUDA of the driver itself, as for code that the driver compiles.
    image = about.groups.get("image") or about.groups.get("runtime") if about.signature.startswith("docker-") else ""
    ptx = about.groups.get("ptx_wanted", "")
    cuda = image or ("11." + ptx[2:] if ptx[:2] == "7." else _cuda_of_build(about))
    found = about.groups.get("found", "")
    if cuda and found and version_at_least(found, cuda):
        cuda = ""  # the driver's own, which is too old for the build
    if not cuda and found.startswith("12."):
        cuda = "13.0"  # the builds for CUDA 12 run on each driver of it
    if not cuda:
        return "", ""
    compiled = bool(image) or "ptx" in about.line.lower() or "PTX" in about.summary
    windows = about.windows or about.wsl or (image and "windows-path" in about.words)
    system = "windows" if windows else "linux"
    need = needed_driver(cuda, [about.capability] if about.capability else [], system, BUNDLED, compiled)
    return cuda, need.version if need is not None else old_driver(cuda, system)


def _cuda_of_build(about: Situation) -> str:
    """The CUDA release that the framework was built for: by its version, or by what the user says of CUDA."""
    if _CTRANSLATE2 in about.line:
        return "11.2" if about.packages.get("ctranslate2", "").startswith("3.") else "12.0"
    label = re.search(r"\+cu(\d{2})(\d)\b", about.version)
    if label:
        return "%s.%s" % label.groups()
    if about.row is not None:
        windows = about.windows and about.is_at_least("2.5")
        return "11.2" if windows else about.row.linux_cuda
    if about.framework == "torch" and about.version:
        release = about.torch_release
        builds = [build.cuda for build in release.builds if build.cuda] if release is not None else []
        said = minor_of(about.fact("cuda"))
        if builds:
            return said if said in (*builds, *OLD_BUILDS.get(minor_of(about.version), ())) else builds[0]
    text = about.fact("cuda") or about.fact("runtime")
    if "." not in text:
        text = about.fact("runtime") + ".0" if about.fact("runtime") else ""
    if not text:
        text = old_tensorflow(about)[0]
        least = old_driver(text, "windows" if about.windows else "linux") if text else ""
        # A driver that runs that CUDA is not too old for it: conda's builds may have a newer one than the wheels.
        text = "" if about.fact("driver") and (not least or version_at_least(about.fact("driver"), least)) else text
    return minor_of(text)


def _older_in_conda(about: Situation, steps: Steps, driver: str) -> bool:
    """The build that conda has for a driver from before CUDA 11; False if there is none."""
    cudas = [cuda for cuda, least in OLD_DRIVERS.items() if driver and version_at_least(driver, least[about.windows])]
    torch = about.framework == "torch"
    # Its channel has no TensorFlow for two of them.
    best = next((cuda for cuda in cudas if torch or cuda not in ("10.2", "9.1")), "")
    until = "3.9" if torch else "3.7" if best.startswith("10") else "3.6"
    fits = torch or (about.framework == "tensorflow" and sort_key(about.python) <= sort_key(until))
    if not best or not fits or "conda" not in about.words or version_at_least(driver, "450.80"):
        return False
    text = "Or let conda take %s's build for CUDA %s, which the driver runs (Python up to %s)" % (
        about.title,
        best,
        until,
    )
    names = "-c pytorch pytorch torchvision" if torch else "tensorflow-gpu"
    steps.run(text, "conda install %s cudatoolkit=%s" % (names, best), instead=True)
    return True


def _numba_toolkit(about: Situation, steps: Steps) -> None:
    text = "Or give Numba the CUDA toolkit of the driver's CUDA"
    minor = re.match(r"7\.([0-8])$", about.groups.get("ptx_found", ""))  # the PTX of CUDA 11 counts with it
    if minor:
        cuda = "11.%s" % minor.group(1)
        steps.run("%s, %s" % (text, cuda), "conda install -c conda-forge cudatoolkit=%s" % cuda, instead=True)
    else:
        steps.say("%s (see nvidia-smi)" % text, instead=True)


def _older_build(about: Situation, steps: Steps) -> None:
    """What runs on the driver that is there."""
    driver, newest = about.fact("driver"), about.groups.get("found", "")
    if "numba" in about.words and "input" in about.groups:
        _numba_toolkit(about, steps)
        return
    if _CTRANSLATE2 in about.line:
        older_ctranslate2(about, steps)
        return
    if for_older_driver(about, steps, _cuda_of_build(about), newest):
        return
    cuda, also = LAST.get(newest.partition(".")[0], ""), beside_torch(about)
    if (
        about.framework == "torch"
        and cuda
        and not (driver and about.version)
        and newest != "11.0"
        and about.python != "3.14"
    ):
        text = "Or install PyTorch's build for CUDA %s, which the driver runs" % cuda
        url = "https://download.pytorch.org/whl/cu" + cuda.replace(".", "")
        steps.install(text, "torch", *also, remove=["torch", *also], index_url=url, instead=True)
        return
    if about.framework == "torch" and newest and not driver:
        text = "Or install a PyTorch build for CUDA %s or older, which the driver runs: %s"
        steps.say(text % (newest, pages.TORCH_BEFORE), instead=True)
        return
    if _older_in_conda(about, steps, driver):
        return
    text = "Or install a release that driver %s runs" % driver
    found = about.requirements("cuda") if driver and about.framework else None
    if found is not None and about.windows and about.framework == "tensorflow":
        found = None  # CUDA and cuDNN come from elsewhere there
    if found is not None and any(item.partition("=")[0] == about.distribution for item in found[0]):
        same = "%s==%s" % (about.distribution, about.version.partition("+")[0])
        found = None if same in found[0] else found
    if found is not None:
        remove = ["torch"] if about.framework == "torch" else []
        steps.install_set(text, found, remove=remove, instead=True)
    elif about.framework == "torch":
        labels = "cu118" if about.driver_before(525) else "cu118, cu126"
        steps.say("Or install PyTorch's build for an older CUDA (%s): %s" % (labels, pages.TORCH), instead=True)
    elif about.framework:
        steps.say("Or use a release of %s for an older CUDA" % about.title, instead=True)
    else:
        driver = about.fact("driver") or "450"
        if about.library == "CuPy" and version_at_least(driver, "450") and not version_at_least(driver, "525"):
            text = "Or use CuPy's build for CUDA 11, for drivers from 450 on"
            steps.install(text, "cupy-cuda11x", remove=["cupy-cuda12x"], instead=True)
        else:
            steps.say("Or use a build for an older CUDA", instead=True)


def _lxc_driver(steps: Steps) -> None:
    """A container of LXC has driver libraries of its own."""
    steps.say(
        "Install the driver's libraries of the host's release in the container: NVIDIA's .run file with --no-kernel-module "
        "(LXD can pass on the host's: lxc config set NAME nvidia.runtime true); restart the host if its driver was updated",
        "admin",
        "driver",
    )


def _lxc_devices(steps: Steps) -> None:
    """A container of LXC has the device nodes of its host."""
    steps.fixes = []
    text = "On the host, at each of its starts and before the container's: make the device nodes"
    steps.run(text, "sudo nvidia-modprobe -u -c=0", on="linux", changes="driver")
    steps.say(
        "Pass /dev/nvidia-uvm on, and allow its number (ls -l /dev/nvidia*), which a start of the host may change"
    )
    _lxc_driver(steps)


def driver_mismatch(about: Situation, steps: Steps) -> None:
    """Two versions of the driver: its library and its kernel module."""
    known = about.known
    if about.vendor == "amd":
        steps.say(
            "Install the ROCm release that goes with the kernel's amdgpu driver, or AMD's amdgpu-dkms of this ROCm",
            "admin",
        )
        steps.restart("Then restart the machine")
        return
    if about.vendor == "intel":
        intel_driver(about, steps)
        return
    if about.wsl or "lxc" in about.words:
        (_wsl_driver if about.wsl else _lxc_driver)(steps)
        return
    if about.container and not about.named("nvidia-container-cli", "nvml error"):
        steps.say(
            "The container must not bring a libcuda of its own: remove libnvidia-compute-*, libcuda1 "
            "and cuda-compat-* from the "
            "image; the container toolkit mounts the host's",
            changes="files",
        )
        steps.say("If the host's driver was updated, restart the host", "reboot", "system")
        return
    steps.restart("Restart the machine, so that the kernel loads the module of the driver that is installed")
    if re.search(r"(?i)forward compat|\b804\b", about.line):
        steps.say(
            "If that does not help: remove cuda-compat packages, and take /usr/local/cuda/compat out of LD_LIBRARY_PATH"
        )
        return
    library = known.driver_library or about.groups.get("wanted", "")
    module = known.driver_kernel or about.groups.get("found", "")
    older = _library_is_older(library, module)
    text = "If that does not help: remove what is left of the other driver, then install one again"
    if older:
        text = (
            "The library (%s) is older than the module (%s): remove the older copy that is left over, with its package"
        )
        text = text % (library, module)
    distribution = about.linux_distribution
    if distribution in ("ubuntu", "debian"):
        again = "ubuntu-drivers install" if distribution == "ubuntu" else "apt-get install nvidia-driver"
        steps.run(
            text,
            "sudo apt-get purge 'nvidia-*' 'libnvidia-*' && sudo %s" % again,
            on="linux",
            changes="driver",
        )
    else:
        steps.run("%s; see which copies there are" % text, "ldconfig -p | grep -E 'libcuda|libnvidia-ml'", on="linux")


def _library_is_older(library: str, kernel: str) -> bool:
    return bool(library and kernel) and version_at_least(library, kernel) is False


def _amdgpu_unhealthy(about: Situation, steps: Steps) -> None:
    """The kernel's driver fails: one that does not start the GPU is older than it, or lacks its firmware."""
    if about.signature == "rocm-amdgpu-init-failed":
        steps.say(
            "Update the kernel and its firmware, which may be older than the GPU (Ubuntu: linux-firmware, and "
            "linux-generic-hwe-24.04 in 24.04; Fedora, Arch: all packages)",
            "admin",
            "driver",
        )
    steps.run("See what the kernel says of the GPU", "sudo dmesg | grep -i -E 'amdgpu|kfd'", on="linux")
    steps.restart()


def driver_unhealthy(about: Situation, steps: Steps) -> None:
    """The driver is there and does not answer properly."""
    if about.vendor == "amd":
        _amdgpu_unhealthy(about, steps)
        return
    if about.vendor == "intel":
        intel_driver(about, steps)
        return
    if about.signature == "nvml-unknown-error" and about.words & {"kubernetes", "docker", "podman"}:
        _lost_devices(about, steps)
        return
    if "docker-desktop" in about.words and not about.macos:
        docker_desktop(about, steps)
        return
    if about.signature in ("cuda-error-unknown", "nvml-unknown-error") and "lxc" in about.words:
        _lxc_devices(steps)
        return
    if about.windows or about.wsl:
        text = "Restart Windows; if it comes back, install the graphics driver again (clean installation)"
        steps.say(text, "reboot", "system")
        return
    if re.search("SYSTEM_NOT_READY", about.line) or re.search("fabricmanager-f|system-not-ready", about.signature):
        _fabric_manager(about, steps)
        return
    if "GSP" in about.summary:
        _without_gsp(about, steps)
        return
    if about.signature in ("nvidia-modprobe-key-rejected", "nvidia-installer-failed"):
        (_installer if "installer" in about.signature else _enroll_key)(about, steps)
        return
    if (about.linux or about.system is None) and not about.container:
        if re.search("module build|lib/dkms", about.line) and about.fact("driver").partition(".")[0] in _ENDED:
            _ended_driver(about, steps)
            return
        if re.search(r"(?i)module nvidia\S* not found|dkms|headers|version magic|module build|exec format", about.line):
            _rebuild(about, steps)
        elif not re.search(r"xid|reset|ecc", about.line, re.I):
            _load_modules(about, steps)
    if re.search(r"(?i)unknown error|error_?unknown|\b999\b", about.line):
        text = "If the machine was suspended since its start: load that module again"
        steps.run(text, "sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm", on="linux", changes="driver")
    if about.signature == "cuda-error-not-initialized":
        text = "With NVIDIA's open kernel modules and a new kernel: switch HMM off, then restart"
        command = "echo options nvidia_uvm uvm_disable_hmm=1 | sudo tee /etc/modprobe.d/nvidia-uvm.conf"
        steps.run(text, command, on="linux", changes="driver")
    steps.run("See what the kernel says of it", "sudo dmesg | grep -i -E 'nvrm|xid'", on="linux")
    steps.restart("Restart the machine")
    install_nvidia(about, steps, "If it comes back, install the driver again")


def _load_modules(about: Situation, steps: Steps) -> None:
    """The kernel's modules are not loaded, or find no GPU."""
    if re.search(r"(?i)no_?device|no CUDA", about.line):
        _listed(steps)
    if about.capability[:2] == "12" and re.search("No such device|No devices were found|no_?device", about.line):
        text = "GPUs of this generation work only with NVIDIA's open kernel modules: install those (Ubuntu)"
        steps.run(text, "sudo apt-get install -y nvidia-driver-580-open", on="linux", who="admin", changes="driver")
    steps.run(
        "Load the modules that computing needs",
        "sudo modprobe nvidia && sudo modprobe nvidia-uvm",
        on="linux",
        changes="driver",
    )


def _installer(about: Situation, steps: Steps) -> None:
    """NVIDIA's .run installer builds the module itself: the distribution's packages sign it, and build it for each kernel."""
    steps.run("See why the kernel refused it", "sudo dmesg | tail -n 30; tail -n 60 /var/log/nvidia-installer.log")
    steps.say(
        "Required key not available, or Secure Boot is on: the module has to be signed. The distribution's packages do that; "
        "or switch Secure Boot off in the firmware",
        "admin",
    )
    install_nvidia(about, steps, "Uninstall it (nvidia-uninstall), and install the driver from the distribution")


#: Branches for older GPUs that NVIDIA has ended: newer ones do not run these.
_ENDED = ("304", "340", "390", "470")


def _ended_driver(about: Situation, steps: Steps) -> None:
    """A kernel that is newer than the last release of the driver for this GPU."""
    steps.fixes = []
    branch = about.fact("driver").partition(".")[0]
    steps.say(
        "NVIDIA has ended branch %s, which has no release for newer kernels: start the kernel that was used before, and stay "
        "on one that lasts (Arch: linux-lts; Ubuntu: the GA kernel of the release)" % branch,
        "admin",
        "driver",
    )
    text = "Or install the distribution's patched package of that branch (Arch: nvidia-%sxx-dkms of the AUR)" % branch
    steps.say(text, "admin", "driver", instead=True)
    text = "If the GPU is of the GTX 900 series or later: install the current driver, which supports the kernel"
    steps.say(text, "admin", "driver", instead=True)
    steps.say("An older GPU is too old for the current releases of every framework: compute on the CPU, or a newer one")


def _without_gsp(about: Situation, steps: Steps) -> None:
    """NVIDIA's closed modules can do without the GSP; the open ones, which Blackwell needs, cannot."""
    steps.restart()
    if not about.capability or capability_number(about.capability) < (10, 0):
        steps.run(
            "If it comes back, and /proc/driver/nvidia/version does not say Open Kernel Module: do without the GSP, write the "
            "boot image again (update-initramfs -u, dracut --force), and restart",
            "echo options nvidia NVreg_EnableGpuFirmware=0 | sudo tee /etc/modprobe.d/nvidia-gsp.conf",
            changes="driver",
        )
    steps.say(
        "With the open kernel modules: if it comes back, install another release of the driver", "admin", "driver"
    )


def _fabric_manager(about: Situation, steps: Steps) -> None:
    """The service that connects the GPUs of an NVSwitch machine: its version is the driver's to the last number."""
    if re.search(r"(?i)\bG[HB]200|grace", about.known.gpu_name):
        text = "This service sets up the memory of a Grace superchip, with NVIDIA's open kernel modules: start it"
        steps.run(text, "sudo systemctl enable --now nvidia-persistenced", on="linux", changes="system")
        steps.run("If it stays: see whether NVLink's fabric is there (Completed)", "nvidia-smi -q | grep -A 2 Fabric")
        return
    driver = about.fact("driver")
    version = driver if driver.count(".") > 1 else ""
    text = "Install NVIDIA's fabric manager in exactly the driver's version%s" % (version and ", %s" % version)
    branch = driver.partition(".")[0] or "BRANCH"
    if about.linux_distribution in ("rhel", "fedora", "suse"):
        rpm = "yum" if about.linux_version[:2] in ("7", "7.") else "dnf"
        tool = "zypper" if about.linux_distribution == "suse" else rpm
        command = "sudo %s install nvidia-fabric-manager-%s" % (tool, version or "VERSION")
    else:
        command = "sudo apt-get install 'nvidia-fabricmanager-%s=%s*'" % (branch, version or "VERSION")
    steps.run("On the machine with the GPUs: %s" % lower(text), command, on="linux", changes="driver")
    start = "sudo systemctl enable nvidia-fabricmanager && sudo systemctl restart nvidia-fabricmanager"
    steps.run("Start it, and let it start with the machine", start, on="linux", changes="system")
    steps.run(
        "If it does not start, see why",
        "systemctl status nvidia-fabricmanager; nvidia-smi -q | grep -A2 Fabric",
        on="linux",
    )
    steps.restart("If the driver was updated since: restart the machine")


def _no_linux_driver(steps: Steps, text: str) -> None:
    command = "sudo apt-get purge 'nvidia-driver-*' 'nvidia-dkms-*' 'nvidia-utils-*' 'libnvidia-*'"
    steps.run(text, command, on="linux", changes="driver")


def _wsl_driver(steps: Steps) -> None:
    """WSL has no kernel module: the library is that of Windows' driver, or a Linux driver is in the way."""
    steps.run("After an update of Windows' driver: restart WSL", "wsl --shutdown", on="windows", changes="system")
    _no_linux_driver(steps, "If that does not help: remove NVIDIA's Linux driver from WSL")


#: The driver of Windows is first where a program in WSL looks for libraries.
_WSL_LIBRARIES = "export LD_LIBRARY_PATH=/usr/lib/wsl/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"


#: What is for linking only: the program takes such a libcuda for the driver's.
_NO_STUBS = "export LD_LIBRARY_PATH=$(echo $LD_LIBRARY_PATH | tr : '\\n' | grep -v stubs | paste -sd:)"


def driver_shadowed(about: Situation, steps: Steps) -> None:
    """Another libcuda is found before the driver's own."""
    if about.wsl and "NO_DEVICE" in about.line:
        steps.run("See which libcuda is found first", "ldconfig -p | grep libcuda.so", on="linux")
        text = "Let that of Windows' driver come first"
        steps.run(text, _WSL_LIBRARIES, on="linux", changes="variables")
        if about.library == "Numba":
            steps.set("Let Numba take it", "NUMBA_CUDA_DRIVER", "/usr/lib/wsl/lib/libcuda.so.1")
        _no_linux_driver(steps, "If there is a Linux driver in WSL: remove it")
        return
    if about.signature == "wsl-linux-driver":
        _no_linux_driver(steps, "Remove NVIDIA's Linux driver from WSL, which has the driver of Windows")
        steps.run("Restart WSL, from Windows", "wsl --shutdown", on="windows", changes="system")
        steps.run(
            "Or use the other library for this shell alone",
            _WSL_LIBRARIES,
            on="linux",
            changes="variables",
            instead=True,
        )
        return
    stubs = "34" in about.line or "stub" in (about.line + about.summary).lower()
    folder = "stubs" if stubs else "compat"
    if about.container:
        given = bool(about.words & {"gpus-all", "nvidia-docker"})
        if stubs and (given or about.signature == "cuda-stub-libcuda-loaded"):
            text = (
                "Take the folder of stubs off the library path; one in /etc/ld.so.conf.d has to go, too (then ldconfig)"
            )
            steps.run(text, _NO_STUBS, on="linux", changes="variables")
        if stubs and not given:
            container_gpu(about, steps)
        steps.say(
            "In the image, remove folders named %s from LD_LIBRARY_PATH, and cuda-compat-* packages" % folder,
            changes="files",
        )
        return
    text = (
        "Remove folders named stubs or compat, and links to what is in them, from LD_LIBRARY_PATH and /etc/ld.so.conf.d, "
        "then: sudo ldconfig (in WSL the driver's own library is in /usr/lib/wsl/lib)"
    )
    steps.run(text, "echo $LD_LIBRARY_PATH", on="linux")
    steps.run("See which library is loaded", "ldconfig -p | grep libcuda.so", on="linux")
    if "COMPAT_NOT_SUPPORTED" in about.line:
        steps.restart("If the driver was updated: restart the machine")


def wsl_without_gpu(about: Situation, steps: Steps) -> None:
    """WSL does not reach the GPU."""
    if about.signature.startswith("wsl-1"):
        steps.run(
            "The distribution runs in WSL 1: convert it to WSL 2",
            "wsl --set-version Ubuntu 2",
            on="windows",
            changes="system",
        )
        return
    tcc, gpu = "TCC" in about.summary, "%s %s" % (about.known.gpu_name, about.known.os_version)
    center = re.search(r"(?i)tesla|\b(?:[ahv]100|a(?:10|16|30|40)|l(?:4|20|40s?)|[pt]4|p40)\b|windows server", gpu)
    if tcc or (center and about.signature == "wsl-nvml-blocked"):
        text = "Put each GPU in TCC (here number 0) into WDDM, as administrator, then restart Windows"
        text = text if tcc else "WSL reaches no GPU in TCC, as cards for data centers mostly are: " + lower(text)
        steps.run(text, "nvidia-smi -g 0 -dm 0", on="windows", who="admin", changes="driver")
        if tcc and about.signature.startswith("wsl-"):
            return
    if ("linux-smi" in about.words or about.signature == "nvidia-smi-cannot-communicate") and not about.container:
        _no_linux_driver(steps, "An nvidia-smi in /usr/bin is of a Linux driver: remove that from WSL")
    unversioned = re.search(r"libcuda\.so(?!\.\d)", about.line)  # the loader's cache has only libcuda.so.1
    if "bnb-setup" in about.words or unversioned:
        text = "If nvidia-smi works in WSL: let the loader find the driver's library in its folder"
        steps.run(text, _WSL_LIBRARIES, on="linux", changes="variables")
    if about.vendor == "amd" and about.signature.startswith("rocm-hsa"):
        rocm_in_wsl(about, steps)
    maker = {"nvidia": "NVIDIA's", "amd": "AMD's", "intel": "Intel's"}.get(about.vendor, "the GPU maker's")
    steps.run("Update WSL and its kernel", "wsl --update", on="windows", changes="system")
    steps.say(
        "In Windows (11, or 10 from 21H2 on): install %s current driver; none inside WSL" % maker, "admin", "driver"
    )
    steps.run("Restart WSL", "wsl --shutdown", on="windows", changes="system")
    if "NO_DEVICE" in about.line:
        text = (
            "If nvidia-smi lists the GPU in WSL: a variable hides it, or a Linux driver's libcuda comes before Windows'"
        )
        steps.run(text, "echo $CUDA_VISIBLE_DEVICES; ldconfig -p | grep libcuda.so", on="linux")
    if about.container:
        steps.run("Start the container with the GPU", "docker run --gpus all IMAGE")


def _lost_devices(about: Situation, steps: Steps) -> None:
    """A running container lost the GPU: systemd or the kubelet has written the rules for its devices again."""
    links = "sudo nvidia-ctk system create-dev-char-symlinks --create-all"
    if "kubernetes" in about.words:
        steps.say(
            "Let NVIDIA's device plugin name the nodes, which the kubelet's CPU manager takes (compatWithCPUManager=true "
            "in its Helm chart, or PASS_DEVICE_SPECS=true), and restart the pod",
            "admin",
            "system",
        )
        steps.run("If systemd's reload takes them: make the links that it needs", links, on="linux")
        return
    nodes = "--device=/dev/nvidia0 --device=/dev/nvidiactl --device=/dev/nvidia-uvm"
    steps.say(
        "Start the container again; name the device nodes with %s, or use CDI, or docker's cgroupfs driver" % nodes
    )
    steps.run("Or make the links that systemd needs for these nodes", links, on="linux", instead=True)


def device_permission_denied(about: Situation, steps: Steps) -> None:
    """The device is there, and this user may not open it."""
    if any("usermod" in (fix.command or "") for fix in steps.fixes):
        return
    if re.search(r"/dev/accel(?!/)", about.line):  # in a folder they are the kernel's, of an NPU
        steps.run(
            "See who may open the TPU's nodes, and which process holds one", "ls -l /dev/accel*; sudo lsof /dev/accel0"
        )
        text = "One process at a time may use a TPU: end the others, and start workers before anything touches the TPU"
        steps.say(text, changes="code")
        steps.run("If it runs in a container, start that with access to them", "docker run --privileged IMAGE")
        return
    if about.signature == "nvml-unknown-error":
        _lost_devices(about, steps)
        return
    groups = "video" if about.vendor == "nvidia" else "render,video"
    if about.container or "podman" in about.words:
        program = container_program(about)
        group = " --group-add keep-groups" if program == "podman" else " --group-add video --group-add render"
        if about.vendor == "amd" and program != "podman":  # the image may have other numbers for these names
            group = " --group-add $(stat -c %g /dev/kfd) --group-add $(stat -c %g /dev/dri/renderD128)"
        device = {"amd": "--device=/dev/kfd --device=/dev/dri", "intel": "--device /dev/dri"}.get(about.vendor, "")
        if program == "podman" and about.vendor != "amd":
            device = "--device nvidia.com/gpu=all"
            if about.linux_distribution in ("fedora", "rhel"):
                device += " --security-opt=label=disable"  # else SELinux refuses
        steps.run(
            "Start the container with the devices and their group",
            "%s run %s%s IMAGE" % (program, device or "--gpus all", group),
            on="linux",
        )
        steps.say(
            "The user on the host needs the group that owns the devices (video), and SELinux must "
            "let containers use them"
        )
        return
    steps.run(
        "Join the groups that own the devices, then log in again",
        "sudo usermod -aG %s $USER" % groups,
        on="linux",
        changes="system",
    )
    nodes = {"nvidia": "/dev/nvidia*", "amd": "/dev/kfd /dev/dri/render*", "intel": "/dev/dri/render*"}.get(
        about.vendor, "/dev/dri"
    )
    steps.run("See who may open them", "ls -l %s" % ("/dev/accel" if "/dev/accel" in about.line else nodes), on="linux")


def _listed(steps: Steps, on: str = "") -> None:
    """Tell a driver that lists no GPU from a GPU that is hidden."""
    steps.run("See whether the driver lists a GPU", "nvidia-smi", on=on)
    steps.say(
        "If it does, something hides it from the program: look for CUDA_VISIBLE_DEVICES in the shell, the program and the "
        "batch system; the first GPU is 0"
    )


def no_gpu(about: Situation, steps: Steps) -> None:
    """There is no GPU for the framework."""
    if "virtual machines" in about.summary:
        text = "Run it outside of the virtual machine: on the host itself, on Windows in WSL 2, which reaches the GPU"
        steps.say(text)
        return
    raised = about.framework == "jax" and about.signature == "tf-xla-platform-cuda-none"
    cpu_alone = ("Without a GPU: let JAX not look for one", "JAX_PLATFORMS", "cpu")
    if (
        re.search(
            r"(?i)CUDA_ERROR_NO_DEVICE|no CUDA|cuInit|init failure:? (?:38|100)\b|no supported devices found for platform"
            r"|No visible GPU|^error: no",
            about.line,
        )
        and not about.known.no_gpu
    ):
        if about.hosted:
            steps.say(MACHINE_WITH_GPU)
        if "slurm" in about.words and "pyxis" not in about.words:
            batch_job(steps)
        _listed(steps, on="linux" if about.macos else "")
        if "pyxis" in about.words:
            steps.say(
                "Slurm's containers: ConstrainDevices=yes in cgroup.conf (and the devices in gres.conf), so that the numbers "
                "in CUDA_VISIBLE_DEVICES are those of the devices that the container gets",
                "admin",
                "system",
            )
        if raised:
            steps.set(*cpu_alone)
        elif not re.match("(?i)error", about.line):
            steps.say("If there is no NVIDIA GPU, the program computes on the CPU")
        return
    if about.hosted:
        steps.say(MACHINE_WITH_GPU)
    if raised:
        steps.set(*cpu_alone)
        return
    if about.signature == "lightning-no-gpu":  # it raised
        steps.say("Without a GPU: let Lightning compute on the CPU, without gpus= or accelerator=", changes="code")
        return
    if about.packages.get("onnxruntime-gpu") and about.is_at_least("1.9") is False:  # which raises
        steps.install("Install the build for the CPU", "onnxruntime", remove=("onnxruntime-gpu",))
        return
    steps.say("The program computes on the CPU: nothing has to be installed for that")
