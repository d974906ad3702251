"""The `Target` of a machine: what packages are chosen for on it. Pure."""

from typing import Iterable, Tuple

from ..errors import UnknownFactError
from ..machine.accelerators import Accelerator, accelerators
from ..machine.facts import Machine
from ..machine.vendors import NVIDIA
from .gpu_names import target_named
from .matrix import Matrix
from .target import Target, macos_version


def target_of(machine: Machine, matrix: Matrix) -> Target:
    """Return what packages are chosen for on a machine; what could not be read counts as not known."""
    python, native, driver = machine.python, machine.native, machine.driver
    libc = native.libc.or_none() or ""
    try:
        found, described = accelerators(machine), True
    except UnknownFactError:
        found, described = (), False
    architecture = python.architecture.lower()
    gpus = [gpu for gpu in driver.gpus.or_none() or () if gpu.vendor == NVIDIA.key]
    dxg = machine.directml.dxg
    return Target(
        python=".".join(python.version.split(".")[:2]),
        system=native.system,
        architecture={"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}.get(architecture, architecture),
        libc=libc.split()[-1] if libc else None,
        macos=macos_version(native.os_version.or_none() or "") if native.system == "macos" else None,
        bits=python.bits,
        described=described,
        vendors=tuple(dict.fromkeys(item.vendor for item in found)),
        capabilities=tuple(
            gpu.compute_capability.or_none() or matrix.compute_capability(gpu.name) or "" for gpu in gpus
        ),
        driver=driver.nvidia_kernel_version.or_none() or driver.nvidia_library_version.or_none(),
        wsl=machine.process.wsl.or_none(),
        targets=machine.rocm.gfx.or_none() or (_targets(found, matrix) if native.system == "windows" else ()),
        directx=True if native.system == "windows" else (dxg.status == "value" if dxg.known else None),
    )


def _targets(gpus: Iterable[Accelerator], matrix: Matrix) -> Tuple[str, ...]:
    """Return what code is built for on the GPUs of AMD and Intel: Windows says no more of them than their names."""
    names = dict.fromkeys(gpu.name for gpu in gpus if gpu.vendor in ("amd", "intel"))
    return tuple(dict.fromkeys(filter(None, (target_named(name, matrix) for name in names))))
