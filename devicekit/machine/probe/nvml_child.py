"""Asks NVIDIA's management library (NVML), and returns what it says.

Run in an isolated child process by `devicekit.machine.driver_query`: a driver's library can hang, print or kill. It uses
nvidia-ml-py, whose file the parent names, and imports nothing of devicekit. Each question is guarded by itself: old
drivers and old releases of nvidia-ml-py lack functions, and many GPUs do not support all of them.

An answer is a plain value; ``{"absent": reason}`` where the GPU has no such thing; ``{"unknown": reason}`` where it
could not be determined.
"""

import os
import sys
import time

MYPY = False
if MYPY:  # typing takes as long to import as a question to ask, and only a type checker needs it
    from typing import Any, Callable, Dict, List, Optional, Sequence, Union  # noqa: F401

#: Return codes of NVML (nvml.h) that mean "this GPU has no such thing".
NOT_SUPPORTED = 3

#: Return codes after which a GPU has nothing more to say.
LOST = (15, 16)

COMPUTE_MODES = {0: "default", 1: "exclusive-thread", 2: "prohibited", 3: "exclusive"}

#: nvmlDeviceGpuRecoveryAction_t (nvml.h of driver 570 and later).
RECOVERY = {
    0: "none", 1: "reset", 2: "reboot", 3: "drain", 4: "drain-and-reset", 5: "recover-imex", 6: "bus-reset", 7: "reboot",
}  # fmt: skip

#: NVML_P2P_CAPS_INDEX_READ (nvml.h), which nvidia-ml-py 11 to 13 has as a tuple, and nvmlGpuP2PStatus_t.
READ = 0
PEER_STATES = {0: "works", 1: "chipset", 2: "gpu", 3: "topology", 4: "disabled", 5: "not-supported"}

#: No GPU has more NVLinks (nvml.h: NVML_NVLINK_MAX_LINKS).
MOST_NVLINKS = 18

#: nvmlClocksEventReasons (nvml.h): why the clocks are lower than they could be. Idle and the user's own settings are left out.
LIMITS = (
    (0x04, "power-cap"), (0x08, "hardware-slowdown"), (0x20, "thermal"), (0x40, "thermal"), (0x80, "power-brake"),
)  # fmt: skip

#: After so many looks the pause between two doubles: a training of weeks is to be no flood.
LOOKS = 600

#: Name of the MPS server, cut as the kernel does: it may hold an exclusive GPU for many programs.
MPS = "nvidia-cuda-mps"


def load(path):  # type: (str) -> Any
    """Load nvidia-ml-py from its file, without a search for it."""
    from importlib.machinery import SourceFileLoader

    # It imports a search for libraries that it never calls, and that costs as much as all the rest (nvidia-ml-py 11 to 13).
    unused = type(sys)("ctypes.util")  # type: Any
    unused.find_library = lambda name: None
    sys.modules.setdefault("ctypes.util", unused)
    module = type(sys)("pynvml")  # type: Any
    sys.modules["pynvml"] = module  # it looks itself up there
    if os.path.isfile(path):
        SourceFileLoader("pynvml", path).exec_module(module)
    else:  # in an archive
        from zipimport import zipimporter

        exec(zipimporter(os.path.dirname(path)).get_code("pynvml"), module.__dict__)  # noqa: S102
    return module


def text(value):  # type: (object) -> str
    """Return a string of NVML's: releases for Python 2 and early ones for 3 give bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


class Asker:
    """Asks NVML, one guarded question after the other.

    Parameters
    ----------
    nvml : module
        nvidia-ml-py.
    """

    def __init__(self, nvml):  # type: (Any) -> None
        self.nvml = nvml
        self.lost = None  # type: Optional[Exception]

    def reason(self, error):  # type: (Exception) -> Dict[str, str]
        """Return why a question has no answer."""
        code = getattr(error, "value", None)
        if code in LOST:
            self.lost = error
        words = "%s%s" % (str(error)[:200] or type(error).__name__, "" if code is None else " (NVML error %s)" % code)
        return {"absent" if code == NOT_SUPPORTED else "unknown": words}

    def ask(self, names, *arguments):  # type: (Union[str, Sequence[str]], *Any) -> Any
        """Call the first of these functions that nvidia-ml-py and the driver have."""
        found = {"unknown": "this nvidia-ml-py does not know how to ask"}
        for name in (names,) if isinstance(names, str) else names:
            function = getattr(self.nvml, name, None)
            if function is None:
                continue
            try:
                return function(*arguments)
            except Exception as error:
                # A driver that lacks this version of a function may have an older one; NVML knows such structures by size.
                if getattr(error, "value", None) not in (13, 25):
                    return self.reason(error)
                found = {"unknown": "this driver does not know how to answer"}
        return found

    def value(self, convert, names, *arguments):  # type: (Callable[[Any], Any], Union[str, Sequence[str]], *Any) -> Any
        """Ask, and convert the answer unless it is a reason why there is none."""
        found = self.ask(names, *arguments)
        if isinstance(found, dict):
            return found
        try:
            return convert(found)
        except Exception as error:
            return {"unknown": "%s: %s" % (type(error).__name__, error)}

    def gpu(self, index):  # type: (int) -> Dict[str, Any]
        """Describe one GPU."""
        self.lost = None
        handle = self.ask(("nvmlDeviceGetHandleByIndex",), index)
        if isinstance(handle, dict):
            return {"index": index, "error": next(iter(handle.values()))}
        value = self.value
        found = {
            "index": index,
            "name": value(text, "nvmlDeviceGetName", handle),
            "uuid": value(text, "nvmlDeviceGetUUID", handle),
            "bus_id": value(
                lambda info: text(info.busId),
                ("nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo", "nvmlDeviceGetPciInfo_v2"),
                handle,
            ),
            "memory": self.memory(handle),
            "capability": value("%d.%d".__mod__, "nvmlDeviceGetCudaComputeCapability", handle),
            "utilization_percent": value(lambda rates: rates.gpu, "nvmlDeviceGetUtilizationRates", handle),
            "persistence": value(bool, "nvmlDeviceGetPersistenceMode", handle),
            "compute_mode": value(lambda mode: COMPUTE_MODES.get(mode, str(mode)), "nvmlDeviceGetComputeMode", handle),
            "processes": self.processes(handle),
            "ecc_errors": value(int, "nvmlDeviceGetTotalEccErrors", handle, 1, 0),
            "ecc_errors_total": value(int, "nvmlDeviceGetTotalEccErrors", handle, 1, 1),
            "memory_repair": self.memory_repair(handle),
            "recovery": self.recovery(handle),
            **self.lanes(handle),
            **self.limits(handle),
            "nvlinks": self.nvlinks(handle),
            "mig_enabled": value(lambda modes: bool(modes[0]), "nvmlDeviceGetMigMode", handle),
        }
        if found["mig_enabled"] is True:
            found["mig_devices"] = self.mig_devices(handle)
        if self.lost is not None:
            found["error"] = next(iter(self.reason(self.lost).values()))
        return found

    def load(self, index):  # type: (int) -> Dict[str, Any]
        """Return what a GPU does now; what it does not report is left out."""
        handle = self.ask("nvmlDeviceGetHandleByIndex", index)
        if isinstance(handle, dict):
            return {}
        value = self.value
        milli = (0.001).__mul__
        found = {
            "utilization_percent": value(lambda rates: int(rates.gpu), "nvmlDeviceGetUtilizationRates", handle),
            "memory": self.memory(handle),
            "clock_mhz": value(int, "nvmlDeviceGetClockInfo", handle, 1),
            "temperature_c": value(int, "nvmlDeviceGetTemperature", handle, 0),
            "power_w": value(milli, "nvmlDeviceGetPowerUsage", handle),
            "power_default_w": value(milli, "nvmlDeviceGetPowerManagementDefaultLimit", handle),
            "limited_by": value(
                lambda bits: sorted({name for bit, name in LIMITS if int(bits) & bit}),
                ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"),
                handle,
            ),
            **self.lanes(handle),
            **self.limits(handle),
        }
        listed = self.ask(
            ("nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
             "nvmlDeviceGetComputeRunningProcesses"), handle,
        )  # fmt: skip
        if not isinstance(listed, dict):
            found["pids"] = [int(item.pid) for item in listed if not is_mps(int(item.pid))]
        found = {name: item for name, item in found.items() if not isinstance(item, dict)}
        return dict(found, index=index)

    def memory(self, handle):  # type: (Any) -> Any
        """Return total, free and used bytes. The second version of the call counts what the driver keeps as reserved."""

        def convert(info):  # type: (Any) -> List[int]
            return [int(info.total), int(info.free), int(info.used)]

        version = getattr(self.nvml, "nvmlMemory_v2", None)
        if version is not None:
            found = self.value(convert, "nvmlDeviceGetMemoryInfo", handle, version)
            if isinstance(found, list):
                return found
        return self.value(convert, "nvmlDeviceGetMemoryInfo", handle)

    def processes(self, handle):  # type: (Any) -> Any
        """Return number and memory of each process that uses the GPU; nothing else of it is read or reported.

        This process and the one that asks are left out.
        """
        own = (os.getpid(), os.getppid())
        found = {}  # type: Dict[int, Dict[str, Any]]
        problem = None
        for kind in ("Compute", "Graphics"):
            name = "nvmlDeviceGet%sRunningProcesses" % kind
            listed = self.ask((name + "_v3", name + "_v2", name), handle)
            if isinstance(listed, dict):
                problem = problem or listed
                continue
            for item in listed:
                size = getattr(item, "usedGpuMemory", None)
                known = found.setdefault(int(item.pid), {"pid": int(item.pid), "kind": kind.lower(), "memory": None})
                # NVML's number for "not available" is the largest that there is.
                if isinstance(size, int) and size < 1 << 63:
                    known["memory"] = max(size, known["memory"] or 0)
        if problem is not None and not found:
            return problem
        for item in found.values():
            if is_mps(item["pid"]):
                item["kind"] = "mps"
        return [item for pid, item in sorted(found.items()) if pid not in own]

    def memory_repair(self, handle):  # type: (Any) -> Any
        """Return whether the GPU's memory waits for a repair at the next reset, or could not be repaired."""
        rows = self.ask("nvmlDeviceGetRemappedRows", handle)
        if not isinstance(rows, dict):
            return "failed" if rows[3] else "pending" if rows[2] else "none"
        pages = self.ask("nvmlDeviceGetRetiredPagesPendingStatus", handle)
        if not isinstance(pages, dict):
            return "pending" if pages else "none"
        return rows if "absent" in rows and "absent" in pages else pages if "absent" in rows else rows

    def recovery(self, handle):  # type: (Any) -> Any
        """Return what the driver says must be done before the GPU can be used again."""
        field = getattr(self.nvml, "NVML_FI_DEV_GET_GPU_RECOVERY_ACTION", None)
        if field is None:
            return {"unknown": "this nvidia-ml-py does not know how to ask"}
        values = self.ask("nvmlDeviceGetFieldValues", handle, [field])
        if isinstance(values, dict):
            return values
        status = values[0].nvmlReturn
        if status != 0:
            # A driver that does not know the field calls it an invalid argument.
            return {"absent" if status in (2, NOT_SUPPORTED) else "unknown": "NVML error %d" % status}
        number = values[0].value.uiVal
        return RECOVERY.get(number, "action %d" % number)

    def lanes(self, handle):  # type: (Any) -> Dict[str, Any]
        """Return the PCIe lanes that are in use, and those that there are."""
        return {
            "pcie_width": self.value(int, "nvmlDeviceGetCurrPcieLinkWidth", handle),
            "pcie_width_max": self.value(int, "nvmlDeviceGetMaxPcieLinkWidth", handle),
        }

    def limits(self, handle):  # type: (Any) -> Dict[str, Any]
        """Return the highest clock of the multiprocessors, and the power that the GPU may take."""
        return {
            "clock_max_mhz": self.value(int, "nvmlDeviceGetMaxClockInfo", handle, 1),
            "power_limit_w": self.value((0.001).__mul__, "nvmlDeviceGetEnforcedPowerLimit", handle),
        }

    def nvlinks(self, handle):  # type: (Any) -> Any
        """Return whether each NVLink is up. The first number without a link is an error."""
        found = []  # type: List[bool]
        for number in range(MOST_NVLINKS):
            state = self.ask("nvmlDeviceGetNvLinkState", handle, number)
            if isinstance(state, dict):
                return found or state
            found.append(bool(state))
        return found

    def peers(self, count):  # type: (int) -> Any
        """Return for each pair of GPUs, by their numbers, whether one reads the memory of the other."""
        handles = [self.ask("nvmlDeviceGetHandleByIndex", number) for number in range(min(count, 16))]
        found = []
        for first in range(len(handles)):
            for second in range(first + 1, len(handles)):
                if isinstance(handles[first], dict) or isinstance(handles[second], dict):
                    continue
                state = self.ask("nvmlDeviceGetP2PStatus", handles[first], handles[second], READ)
                if isinstance(state, dict):
                    return state
                found.append([first, second, PEER_STATES.get(int(state), "unknown")])
        return found

    def mig_devices(self, handle):  # type: (Any) -> Any
        """Describe the slices of a GPU in MIG mode."""
        count = self.ask("nvmlDeviceGetMaxMigDeviceCount", handle)
        if isinstance(count, dict):
            return count
        found = []
        for index in range(min(int(count), 64)):
            slice_ = self.ask("nvmlDeviceGetMigDeviceHandleByIndex", handle, index)
            if isinstance(slice_, dict):  # there may be fewer than the most that are possible
                continue
            memory = self.memory(slice_)
            found.append(
                {
                    "uuid": self.value(text, "nvmlDeviceGetUUID", slice_),
                    "name": self.value(text, "nvmlDeviceGetName", slice_),
                    "gpu_instance": self.value(int, "nvmlDeviceGetGpuInstanceId", slice_),
                    "compute_instance": self.value(int, "nvmlDeviceGetComputeInstanceId", slice_),
                    "memory": memory,
                }
            )
        return found


def is_mps(pid):  # type: (int) -> bool
    """Whether a process is NVIDIA's multi-process service, through which several programs share a GPU."""
    try:
        with open("/proc/%d/comm" % pid, "rb") as stream:
            return stream.read(64).strip().decode("ascii", "replace").startswith(MPS)
    except OSError:  # Windows, or a process of another container
        return False


def xids():  # type: () -> Union[List[str], Dict[str, str]]
    """Return the errors that the driver wrote into the kernel's log since the machine's start: bus id and number each.

    As ``dmesg`` reads it: all that is in the ring buffer, without waiting.
    """
    if not sys.platform.startswith("linux"):
        return {"absent": "the kernel's log of Linux"}
    import ctypes
    import re

    libc = ctypes.CDLL(None, use_errno=True)
    size = libc.klogctl(10, None, 0)  # SYSLOG_ACTION_SIZE_BUFFER
    buffer = ctypes.create_string_buffer(max(0, min(size, 4 << 20)) or 1)
    read = libc.klogctl(3, buffer, len(buffer)) if size > 0 else -1  # SYSLOG_ACTION_READ_ALL
    if read < 0:
        return {"unknown": os.strerror(ctypes.get_errno())}
    lines = re.findall(rb"NVRM: Xid \((?:PCI:)?[0-9A-Fa-f:.]{4,20}\): \d{1,4}", buffer.raw[:read])
    return [line.decode("ascii") for line in lines[-200:]]


def watch(asker, pause_s, say):  # type: (Asker, float, Any) -> None
    """Report what the GPUs do, again and again, until this process is ended or NVML cannot count them."""
    looks = 0
    while True:
        count = asker.value(int, "nvmlDeviceGetCount")
        if not isinstance(count, int):
            return
        say(loads=[asker.load(index) for index in range(min(count, 64))])
        looks += 1
        time.sleep(pause_s * 2 ** (looks // LOOKS))


def answer(task, say):  # type: (Dict[str, Any], Any) -> Dict[str, Any]
    """Return everything that NVML tells. With ``watch_s`` in the task, report first; see `watch`."""
    if task.get("library"):
        # NVML was found where the dynamic linker does not look by itself: once it is loaded, its name is enough.
        import ctypes

        try:
            ctypes.CDLL(task["library"])
        except OSError:  # nvidia-ml-py says so too, in NVML's own words
            pass
    try:
        nvml = load(task["pynvml"])
    except Exception as error:  # a damaged file; nothing is known of the driver then
        return {"unusable": "nvidia-ml-py cannot be loaded: %s: %s" % (type(error).__name__, error)}
    asker = Asker(nvml)
    try:
        nvml.nvmlInit()
        if task.get("watch_s"):
            watch(asker, float(task["watch_s"]), say)
    except nvml.NVMLError as error:
        code = getattr(error, "value", None)
        return {"error": code if isinstance(code, int) else -1, "text": str(error)[:200], "xids": guarded_xids()}
    found = {
        "driver_version": asker.value(text, "nvmlSystemGetDriverVersion"),
        "nvml_version": asker.value(text, "nvmlSystemGetNVMLVersion"),
        "cuda_version": asker.value(
            lambda number: "%d.%d" % (number // 1000, number % 1000 // 10),
            ("nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"),
        ),
    }
    count = asker.value(int, "nvmlDeviceGetCount")
    if isinstance(count, int):
        found["gpus"] = [asker.gpu(index) for index in range(min(count, 256))]
        found["peers"] = asker.peers(count) if count > 1 else {"absent": "one GPU"}
    else:
        found["gpus"] = count
    found["xids"] = guarded_xids()
    return found


def guarded_xids():  # type: () -> Union[List[str], Dict[str, str]]
    """Return `xids`, or why there are none: musl and sandboxes lack the call."""
    try:
        return xids()
    except Exception as error:
        return {"unknown": "%s: %s" % (type(error).__name__, error)}


def main(task, say):  # type: (Dict[str, Any], Any) -> Dict[str, Any]
    """Return the answer; see `devicekit.children.child`."""
    return answer(task, say)
