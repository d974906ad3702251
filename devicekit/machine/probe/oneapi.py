"""Intel's GPUs and compute stack: render nodes, Level Zero and OpenCL of the driver, and oneAPI's runtime."""

import re
from typing import List, Tuple

from ..facts import Fact, Installation, IntelGpu, Library, OneApi
from ..host import Host
from .native import find_libraries, numbers_in
from .pci_names import gpu_name

_DRI = "/dev/dri"
_DRM = "/sys/class/drm"
_ROOT = "/opt/intel/oneapi"

#: Of the driver: Level Zero's loader, Intel's part behind it, and OpenCL's loader. Of oneAPI: SYCL and the mathematics.
_LIBRARY = re.compile(r"lib(ze_loader|ze_intel_gpu|OpenCL|sycl|ur_loader|mkl_sycl_blas|imf)\.so(\.\d+)*$")

#: Where the processor's own GPU is on the PCI bus, on every machine of Intel's that has one.
_INTEGRATED = "0000:00:02.0"


def read_oneapi(host: Host) -> OneApi:
    """Return Intel's GPUs and what is installed for computing on them.

    Nothing is looked for where there is neither such a GPU nor oneAPI.
    """
    if host.system != "linux":
        absent = "Intel's compute stack is looked for on Linux only"
        return OneApi(gpus=Fact.absent(problem=absent), libraries=Fact.absent(problem=absent))
    gpus = _read_gpus(host)
    installations = _read_installations(host)
    libraries: Fact[Tuple[Library, ...]] = Fact.unknown("not looked for, as there is no Intel GPU with a render node")
    if gpus.content or installations or not gpus.known:
        libraries = find_libraries(host, lambda name: _LIBRARY.match(name) is not None)
    return OneApi(gpus=gpus, libraries=libraries, installations=installations)


def _read_gpus(host: Host) -> "Fact[Tuple[IntelGpu, ...]]":
    """The render nodes whose device has Intel's number.

    ::

        /sys/class/drm/renderD128/device -> ../../../0000:03:00.0
        /sys/class/drm/renderD128/device/vendor: 0x8086
        /sys/class/drm/renderD128/device/device: 0x56a0
        /sys/class/drm/renderD128/device/driver -> ../../../../bus/pci/drivers/i915
    """
    try:
        names = [name for name in host.list_names(_DRI) if re.match(r"renderD\d+$", name)]
    except FileNotFoundError:
        return Fact.absent(_DRI)
    except OSError as error:
        return Fact.unknown(host.scrub(str(error)), _DRI)
    found: List[IntelGpu] = []
    for name in names:
        device = host.join(_DRM, name, "device")
        try:
            if host.read_text(host.join(device, "vendor"), 64).strip() != "0x8086":
                continue
            number = host.read_text(host.join(device, "device"), 64).strip()[2:]
        except OSError:  # a GPU that is not a PCI device; Intel's are
            continue
        bus_id = host.path.basename(host.real_path(device))
        driver = host.join(device, "driver")
        found.append(
            IntelGpu(
                name="Intel %s" % (gpu_name(host, "8086", number) or "GPU [8086:%s]" % number),
                bus_id=bus_id if ":" in bus_id else "",
                device_id=number,
                driver=host.path.basename(host.real_path(driver)) if host.exists(driver) else "",
                render_node=host.join(_DRI, name),
                integrated=bus_id == _INTEGRATED,
            )
        )
    return Fact.of(tuple(found), _DRM)


def _read_installations(host: Host) -> Tuple[Installation, ...]:
    """The releases of oneAPI below its folder (``compiler/2025.0``), and what pip's ``intel-sycl-rt`` brought."""
    found: List[Installation] = []
    named = host.environ().get("ONEAPI_ROOT", "").rstrip("/")
    for via, root in (("ONEAPI_ROOT", named), ("system", _ROOT)):
        if not root or (via == "system" and root == named):
            continue
        names = host.names_if_any(host.join(root, "compiler"))  # usually not installed
        for name in sorted(names, key=numbers_in, reverse=True):
            if re.match(r"20\d\d\.\d", name):
                found.append(Installation(name, host.scrub(host.join(root, "compiler", name)), via))
    folder = host.join(host.interpreter.prefix, "lib")
    for version in ("9", "8", "7"):
        path = host.join(folder, "libsycl.so." + version)
        if host.is_file(path):
            found.append(Installation("", host.scrub(path), "pip"))
    return tuple(found)
