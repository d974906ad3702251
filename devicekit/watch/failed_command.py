"""Why a command failed: explains what it printed, the signal that ended it, and what the kernel wrote meanwhile."""

import os
import re
import signal
from collections import deque
from typing import Callable, Deque, List, Mapping, Optional, Sequence

from ..diagnosis.findings import Finding
from ..logs.engine import Explanation
from ..logs.explain import explain_log
from ..logs.scrub import scrub
from ..machine.facts import Machine
from ..machine.host import Host
from ..machine.probe.cgroup import read_oom_kills

#: How much of a command's output is kept: its start, with what the libraries say of the devices, and its end.
_START_BYTES, _END_BYTES = 256 << 10, 1 << 20

#: Statuses with which a command ends that a person or a scheduler has ended, or whose reader has gone.
_ASKED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGPIPE", "SIGALRM", "SIGUSR1", "SIGUSR2")

#: What shells print where a signal has ended their command (``strsignal(3)``).
_WORDS = {"SIGILL": "Illegal instruction", "SIGBUS": "Bus error", "SIGSEGV": "Segmentation fault", "SIGKILL": "Killed"}

#: The status that Windows gives a process that used an instruction the processor lacks (``ntstatus.h``).
_ILLEGAL_INSTRUCTION = 0xC000001D

#: Lines of the kernel's log that tell of GPUs, and of the command with its process number.
_OF_GPUS = re.compile(r"NVRM: |amdgpu.{0,80}(?:reset|timeout|fault|hang)|i915.{0,80}(?:hang|reset)")
_OF_ENDS = re.compile(r"Killed process |oom-kill:|traps: |segfault at")
_OF_PROCESSES = re.compile(r"(?:Killed process |\bpid ?[=:]? ?|traps: [^\[]{1,40}\[)(\d{1,10})")

#: Words of lines that concern an NVIDIA GPU, so that what its driver says now may be why.
_OF_NVIDIA = re.compile(r"(?i)cuda|cudnn|cublas|nccl|nvlink|nvidia|nvrm|\bgpu")

#: What needs no explanation below the program's own words.
_OWN_FAULT, _UNKNOWN = "user-code-error", "cause-unknown"

#: The name of the command's output in the evidence.
_OUTPUT = "output"

_KERNEL_LOG = "/dev/kmsg"
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - not a temporary file, the folder itself


class Heard:
    """The start and the end of a command's output, in bounded memory."""

    def __init__(self) -> None:
        self._start = self._gap = b""
        self._end: Deque[bytes] = deque()
        self._end_bytes = 0

    def listen(self, part: bytes) -> None:
        """Take the next part of the output."""
        if len(self._start) < _START_BYTES:
            room = _START_BYTES - len(self._start)
            self._start, part = self._start + part[:room], part[room:]
        if part:
            self._end.append(part)
            self._end_bytes += len(part)
        while self._end and self._end_bytes - len(self._end[0]) >= _END_BYTES:
            self._end_bytes -= len(self._end.popleft())
            self._gap = b"\n"

    def parts(self) -> List[bytes]:
        """Return what was kept, with a line's end where something was left out."""
        return [self._start, self._gap, *self._end]


class KernelWatch:
    """What the kernel says from now on: its log, where this user may read it, and its count of processes ended for memory."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._kills = read_oom_kills(host)
        self._log: Optional[int] = None
        if host.system != "linux":  # that path would be another file, and under Wine a log that is waited for
            return
        try:
            self._log = os.open(_KERNEL_LOG, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
            os.lseek(self._log, 0, os.SEEK_END)
        except OSError:  # the log is not for this user
            self.close()

    def lines(self) -> List[str]:
        """Return what was said, in the kernel's words."""
        found = [line for line in self._log_lines() if _concerns_the_command(line)]
        kills = read_oom_kills(self._host)
        if kills is None or self._kills is None:
            return found
        if kills > self._kills:
            return [*found, "memory.events: oom_kill %d" % (kills - self._kills)]
        # If the kernel ended processes for want of memory, they were others'.
        return [line for line in found if "Killed process" not in line]

    def had_memory(self) -> bool:
        """Return whether it is known that no process of this control group was ended for want of memory."""
        return self._kills is not None and self._kills == read_oom_kills(self._host)

    def _log_lines(self) -> List[str]:
        lines: List[str] = []
        while self._log is not None:
            try:
                record = os.read(self._log, 8192)
            except BrokenPipeError:  # records were overwritten before they were read: the next read has the oldest left
                continue
            except OSError:  # no more for now
                break
            if not record:
                break
            # "6,1234,5678901,-;text", then lines with keys (Documentation/ABI/testing/dev-kmsg).
            lines.append(record.partition(b";")[2].partition(b"\n")[0].decode("utf-8", "replace"))
        return lines

    def close(self) -> None:
        """Close the log."""
        if self._log is not None:
            os.close(self._log)
            self._log = None


def explain_failure(
    status: int, heard: Heard, kernel: KernelWatch, machine: Callable[[], Machine]
) -> Optional[Explanation]:
    """Explain why a command failed, None if nothing is known of it.

    Parameters
    ----------
    status : int
        Its exit status, or minus the number of the signal that ended it.
    heard : Heard
        Its output.
    kernel : KernelWatch
        Begun before the command.
    machine : callable
        Returns this machine, for fixes that fit it; called if something is known.
    """
    name = ended_by(status)
    if status == 0 or name in _ASKED:
        return None
    said = kernel.lines()
    last = list(said)
    if name != "SIGKILL" or not kernel.had_memory():  # else it was ended by someone
        last += _last_words(status)
    log = [*heard.parts(), "".join("\n" + line for line in last).encode("utf-8"), b"\n"]
    found = explain_log(log, source=_OUTPUT)
    codes = [item.code for item in found.findings if item.severity != "info" and item.code != _UNKNOWN]
    asked = _concerns_a_gpu(found, said)
    errors = any(item.severity == "error" and item.code != _UNKNOWN for item in found.findings)
    fault = next((item for item in found.findings if item.code == _OWN_FAULT), None)
    if fault is not None and not errors:  # its own words say enough, unless a signature knows what helps
        codes = [_OWN_FAULT] if found.certain and fault.fix else []
    if not codes and not asked:
        return None
    # The rules know this machine's versions and shell. What else is wrong with the machine did not end the command.
    here = explain_log(log, machine(), source=_OUTPUT)
    first = here.findings[:1]
    hidden = first if codes and first and first[0].code == "device-hidden" else ()
    shown = list(hidden) or [item for item in here.findings if item.code in codes and _in_output(item)]
    # Where nothing is left, the command was wrong for this machine: a GPU was asked for that is not here.
    shown = shown or [item for item in found.findings if item.code in codes]
    if asked and not hidden:
        shown += [item for item in here.findings if _of_the_driver(item, codes) and item not in shown]
    if not shown:
        return None
    sources = {scrub(line)[:500]: _source(line, said) for line in last}
    return Explanation(tuple(_sourced(item, sources) for item in shown), (), found.certain and bool(codes))


def _concerns_a_gpu(found: Explanation, said: Sequence[str]) -> bool:
    """Whether the kernel wrote of a GPU, or a line that is not the program's own fault names one."""
    lines = [item.text for each in found.findings if each.severity != "info" and each.code != _OWN_FAULT
             for item in each.evidence]  # fmt: skip
    return any(map(_OF_GPUS.search, said)) or any(map(_OF_NVIDIA.search, lines))


def _of_the_driver(finding: Finding, codes: Sequence[str]) -> bool:
    """Whether a finding is what the driver says now; of a fault that is over, it is told where the device failed."""
    return finding.code == "driver-unhealthy" and (finding.severity == "warning" or "device-lost" in codes)


def _in_output(finding: Finding) -> bool:
    return any(item.source.startswith(_OUTPUT) for item in finding.evidence)


def _source(line: str, said: Sequence[str]) -> str:
    return "kernel log" if line in said and not line.startswith("memory.events") else "operating system"


def _sourced(finding: Finding, sources: Mapping[str, str]) -> Finding:
    """Return a finding that says which of its lines the command did not print."""
    return finding.replace(evidence=tuple(
        item.replace(source=sources.get(item.text, item.source)) for item in finding.evidence
    ))  # fmt: skip


def how_it_ended(status: int) -> str:
    """Return how a command ended, for messages: "ended with status 1"."""
    if status >= 0:
        return "ended with status %d" % status if status < 256 else "ended with status 0x%08X" % status
    return "was ended by %s" % (ended_by(status) or "signal %d" % -status)


def ended_by(status: int) -> str:
    """Return the name of the signal that ended a command, or what it started in a shell (128 and more), "" if none did."""
    number = -status if status < 0 else status - 128
    try:
        return signal.Signals(number).name if 0 < number < 65 else ""
    except ValueError:  # a real-time signal, or no signal at all
        return ""


def _last_words(status: int) -> List[str]:
    """Return what a shell would print of a command's end, and of /dev/shm as df does where that may be the reason."""
    name = ended_by(status) if status < 0 else ""
    if status & 0xFFFFFFFF == _ILLEGAL_INSTRUCTION:
        name = "SIGILL"
    lines = [_WORDS[name]] if name in _WORDS else []
    if ended_by(status) == "SIGBUS":
        try:
            room = os.statvfs(_SHARED_MEMORY)
        except OSError:  # macOS has none
            return lines
        total, free = room.f_blocks * room.f_frsize >> 10, room.f_bavail * room.f_frsize >> 10
        if total and free < total // 20:
            percent = 100 - 100 * free // total
            lines.append("shm %d %d %d %d%% %s" % (total, total - free, free, percent, _SHARED_MEMORY))
    return lines


def _concerns_the_command(line: str) -> bool:
    """Whether a line of the kernel's log tells of a GPU or of the end of a process: those that live are others'.

    An allocation that was refused (``__vm_enough_memory``) may be another program's; one that fails for it says so itself.
    """
    process = _OF_PROCESSES.search(line)
    if process is not None and os.path.exists("/proc/%s" % process.group(1)):
        return False
    return _OF_GPUS.search(line) is not None or (process is not None and _OF_ENDS.search(line) is not None)
