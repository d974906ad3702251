"""Fixes where a container does not get the GPU. Pure."""

import re

from ...diagnosis import pages
from .situation import Situation
from .steps import Steps, lower

MACHINE_WITH_GPU = "Choose a machine with a GPU (Colab: Runtime, Change runtime type; Kaggle: Settings, Accelerator)"


def container_gpu(about: Situation, steps: Steps) -> None:
    """Give a container the GPU, by the program that starts it."""
    if about.macos:
        steps.say("On a Mac, containers do not reach the GPU: run the program outside of them")
        return
    if about.windows:
        docker_desktop(about, steps)
        return
    if about.jetson and re.match(r"[\d.]+(\+c|$)", about.packages.get("torch", "")):  # NVIDIA's have a longer number
        steps.say("Take NVIDIA's image l4t-pytorch: pip's PyTorch has no code for Jetsons")
    no_vendor = about.signature == "docker-cdi-no-vendor"
    if about.vendor in ("amd", "intel"):
        _other_makers_devices(about, steps, "Without --gpus: start" if no_vendor else "Start")
        return
    described = re.search(r"(?i)\bCDI\b|=all", about.line) is not None or container_program(about) == "podman"
    cluster = about.signature.startswith("k8s-") or "kubernetes" in about.words
    cluster = cluster or ("gpu-resource" in about.words and not described)
    refused = about.signature in ("docker-no-device-driver", "docker-unknown-runtime", "docker-nvidia-hook-missing")
    described, refused = described and not no_vendor, refused or no_vendor
    if cluster:
        _cluster_gpu(about, steps)
    elif described:
        steps.run("Start the container with the GPU", "podman run --device nvidia.com/gpu=all IMAGE")
        steps.run(
            "If that device is not known, write its description",
            "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml",
            on="linux",
        )
    elif "singularity" in about.words:
        _singularity(about, steps)
    elif "compose" in about.words and not refused:
        _compose_service(steps)
    else:
        if "gpus-all" in about.words and not refused:
            _asked_in_vain(about, steps)
            return
        if refused:
            _container_toolkit(about, steps, "Install")
        if no_vendor:
            steps.run(
                "Write the GPU's description", "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml", on="linux"
            )
        how = "--runtime nvidia" if about.jetson else "--gpus all"  # JetPack's runtime mounts the board's libraries
        start = "docker compose up -d" if "compose" in about.words else "docker run %s IMAGE" % how
        steps.run("Start the container with the GPU (in Kubernetes: nvidia.com/gpu, device plugin)", start)
    if not cluster and not described and "singularity" not in about.words and not refused:
        _container_toolkit(about, steps, "If that is refused, install")


def _singularity(about: Situation, steps: Steps) -> None:
    if "nv-given" not in about.words:
        steps.say("Start the container with --nv: singularity exec --nv IMAGE ..., on a node with a GPU and its driver")
        return
    text = "--nv passes in what the host has: see there, outside of the container, whether its driver lists a GPU"
    steps.run(text, "nvidia-smi")
    steps.say(
        "If not: take a node that has one; a batch job has to ask for it (Slurm: --gres=gpu:1). If it does: look for "
        "CUDA_VISIBLE_DEVICES, which the container takes over"
    )


def _cluster_gpu(about: Situation, steps: Steps) -> None:
    """A pod of Kubernetes: its limits, the device plugin, and the runtime of the nodes, without which that finds no GPU."""
    name = about.groups.get("name", "")
    resource = name if "/" in name else "nvidia.com/gpu"
    nvidia = resource.startswith("nvidia")
    steps.say(
        "Ask for the GPU in the pod (resources: limits: %s: 1), and install %s device plugin in the cluster"
        % (resource, "NVIDIA's" if nvidia else "its maker's")
    )
    if nvidia:
        runtime = next((name for name in ("crio", "docker") if name in about.words), "containerd")
        command = "sudo nvidia-ctk runtime configure --runtime=%s --set-as-default && sudo systemctl restart %s"
        steps.run(
            "If a node with a GPU offers none: make NVIDIA's runtime its default, then restart the device plugin (k3s: "
            "runtimeClassName: nvidia in both; MicroK8s: microk8s enable nvidia)",
            command % (runtime, runtime),
            on="linux",
            changes="system",
        )
    steps.say("If it offers some: other pods hold them, a taint keeps the pod away, or no single node has that many")


def _other_makers_devices(about: Situation, steps: Steps, start: str) -> None:
    if about.vendor == "amd":
        devices = "--device=/dev/kfd --device=/dev/dri --group-add video --group-add render"
        text = "%s the container with AMD's devices" % start
        steps.run(text, "%s run %s IMAGE" % (container_program(about), devices), on="linux")
        return
    devices = "/dev/dri --group-add $(stat -c %g /dev/dri/renderD128)"
    if about.wsl:
        devices = "/dev/dxg -v /usr/lib/wsl:/usr/lib/wsl -e LD_LIBRARY_PATH=/usr/lib/wsl/lib"
    command = "%s run --device %s IMAGE" % (container_program(about), devices)
    steps.run("%s the container with the GPU's device and its group" % start, command, on="linux")
    steps.say("The image itself needs Intel's compute runtime (intel-opencl-icd, libze-intel-gpu1)")


def _compose_service(steps: Steps) -> None:
    """A service of docker compose: what `--gpus all` is on the command line, in its file."""
    asked = "deploy: {resources: {reservations: {devices: [{driver: nvidia, count: all, capabilities: [gpu]}]}}}"
    steps.say("Ask for the GPU in the service's part of compose.yaml: %s" % asked, changes="files")
    steps.run("Then make the container again", "docker compose up -d --force-recreate")


def _asked_in_vain(about: Situation, steps: Steps) -> None:
    """The container was started with the GPU, as far as its command says so."""
    steps.run("See whether the driver answers in another container", "docker run --rm --gpus all ubuntu nvidia-smi")
    steps.run(
        "If it does, the image asks for too little of the driver: ask for what computing needs",
        "docker run --gpus 'all,\"capabilities=compute,utility\"' IMAGE",
        on="linux",
    )
    _container_toolkit(about, steps, "If it does not, install")


#: How the package nvidia-container-toolkit is installed; Arch has it itself, the others with NVIDIA's repository.
_TOOLKIT = {
    "ubuntu": "sudo apt-get install -y", "debian": "sudo apt-get install -y", "fedora": "sudo dnf install -y",
    "rhel": "sudo dnf install -y", "suse": "sudo zypper install -y", "arch": "sudo pacman -S",
}  # fmt: skip


def _container_toolkit(about: Situation, steps: Steps, verb: str) -> None:
    """What lets docker give NVIDIA's GPUs to containers."""
    if about.words & {"truenas", "unraid"}:
        text = "TrueNAS has it with the driver: Apps, Configuration, Settings, Install NVIDIA Drivers (again after an update)"
        if "unraid" in about.words:
            text = "Unraid: install the plug-in Nvidia-Driver (Apps), restart docker, and give the container --runtime=nvidia"
        steps.say(text, "admin", "driver")
        return
    install = _TOOLKIT.get(about.linux_distribution, "")
    needs = "" if "pacman" in install else " from its package repository (%s)" % pages.CONTAINER_NVIDIA
    if about.linux_distribution == "ubuntu":
        needs += ", not for docker from the snap,"
    register = "sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker"
    steps.run(
        "%s NVIDIA's container toolkit%s and register it" % (verb, needs),
        "%s nvidia-container-toolkit && %s" % (install, register) if install else register,
        on="linux",
        changes="system",
    )


def docker_desktop(about: Situation, steps: Steps) -> None:
    """Containers on Windows: Docker Desktop gives them NVIDIA's GPUs by WSL 2, and no others."""
    if about.vendor in ("amd", "intel"):
        steps.say(
            "On Windows, Docker gives containers NVIDIA's GPUs only: run the program outside of them, or in WSL 2"
        )
        return
    if about.linux and not about.wsl:
        steps.run(
            "Docker Desktop for Linux runs containers in a virtual machine without the GPU: use Docker Engine itself",
            "docker context use default",
            on="linux",
        )
        return
    steps.say(
        "Let Docker Desktop use its engine for WSL 2 (Settings, General), with a current driver of NVIDIA in Windows; "
        "the engine for Hyper-V and Windows containers have no GPU for it"
    )
    steps.run("Update WSL and its kernel", "wsl --update", on="windows", changes="system")
    steps.run("Start the container with the GPU", "docker run --gpus all IMAGE")


def container_program(about: Situation) -> str:
    """The program that starts containers."""
    return "podman" if "podman" in about.words and "docker" not in about.line else "docker"


def container_without_gpu(about: Situation, steps: Steps) -> None:
    """The container was started without the GPU."""
    if about.hosted:
        steps.say(MACHINE_WITH_GPU)
        return
    container_gpu(about, steps)
    if about.signature == "tf-kernel-driver-not-running":
        steps.say("In a hosted notebook: %s" % lower(MACHINE_WITH_GPU), instead=True)
