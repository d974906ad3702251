"""Amounts with units, states with signs, and text without control characters."""

import datetime
import re
from typing import Iterator, List, Optional, Sequence, Tuple

from ..diagnosis.findings import Candidate, Diagnosis, FrameworkStatus, name_of
from ..diagnosis.frameworks import TITLES
from ..errors import UnknownFactError
from ..machine.accelerators import Accelerator, accelerators
from ..machine.facts import Machine, Native
from ..matrix.matrix import TENSORFLOW_OWNERS
from ..matrix.target import macos_version, windows_name
from ..measure.numerics.result import VERDICTS, Difference
from ..selection.selection import Selection, is_stuck

#: Shown before the word, never instead of it.
_SIGNS = {
    "good": "✓",
    "ok": "✓",
    "agrees": "✓",
    "error": "✗",
    "fails": "✗",
    "failed": "✗",
    "differs": "✗",
    "warning": "!",
    "unsupported": "!",
    "reduced-precision": "≈",
    "info": "i",
    "unknown": "?",
    "not needed": "\u2013",
    "not-compared": "\u2013",
    "left out": "\u2013",
}


def framework_title(name: str) -> str:
    """Return a framework's name as its makers write it."""
    return TITLES.get(name, name)


def sign(word: str) -> str:
    """Return the sign of a severity, verdict or state."""
    return _SIGNS.get(word, "·")


def count(number: int, noun: str) -> str:
    """Return ``1 error``, ``2 errors``."""
    return "%d %s%s" % (number, noun, "" if number == 1 else "s")


def memory(size_bytes: Optional[int]) -> str:
    """Return bytes as ``1.5 GiB``, ``12 MiB`` or ``3 KiB``, "" if they are unknown."""
    if size_bytes is None:
        return ""
    if size_bytes >= 1 << 30:
        return "%.1f GiB" % (size_bytes / (1 << 30))
    if 0 < size_bytes < 1 << 20:
        return "%.0f KiB" % max(1.0, size_bytes / (1 << 10))
    return "%.0f MiB" % (size_bytes / (1 << 20))


def processor(machine: Machine) -> str:
    """Return ``Intel Xeon Platinum 8358``, or the architecture where the model is not known."""
    native = machine.native
    noise = r"\((R|TM)\)|\bCPU\b(?=.*@)|@.*|\b\w+-Core Processor$"
    model = re.sub(noise, " ", native.cpu_model.or_none() or machine.metal.chip.or_none() or "", flags=re.I)
    return " ".join(model.split()) or native.architecture


def system_name(machine: Machine) -> str:
    """Return the operating system as people know it: ``Windows 11 23H2`` for build 22631, ``macOS 14.5`` for Darwin 23.5."""
    native = machine.native
    version = native.os_version.or_none() or ""
    found = re.match(r"(\d+)\.(\d+)\.(\d+)", version)
    if native.system == "windows" and found:
        return windows_name(version)
    if native.system == "macos" and found:
        # From Darwin 23 on, the minor versions are the same.
        minor = "." + found.group(2) if int(found.group(1)) >= 23 else ""
        return "macOS %s" % (machine.metal.macos.or_none() or (macos_version(version) or version) + minor)
    return version or native.system


def cores(native: Native) -> str:
    """Return ``16 cores``, or ``0.5 of 16 cores (cgroup)``; "" if the number is unknown."""
    number, usable = native.cpu_count.or_none(), native.cpu_usable.or_none()
    if not number:
        return ""
    text = count(number, "core")
    return "%g of %s (%s)" % (usable, text, native.cpu_limited_by) if usable and native.cpu_limited_by else text


def usable_memory(native: Native) -> str:
    """Return ``62.8 GiB``, or ``4.0 of 62.8 GiB (cgroup limit)``; "" if it is unknown."""
    total, usable = native.memory_bytes.or_none(), native.usable_memory_bytes
    if total is None or usable is None or usable >= total:
        return memory(total)
    return "%.1f of %.1f GiB (cgroup limit)" % (usable / (1 << 30), total / (1 << 30))


def gpus_and_frameworks(machine: Machine) -> List[Tuple[str, str]]:
    """Return what hardware computes here, and which frameworks are installed, each in a line."""
    try:
        names = ["%s%s" % (item.name, " (%s)" % size if size else "") for item, size in _sized(machine)]
        gpus = ", ".join("%s%s" % (_times(names.count(name)), name) for name in dict.fromkeys(names)) or "none"
    except UnknownFactError:
        gpus = "unknown"
    try:
        frameworks = ", ".join(_versions(machine)) or "none"
    except UnknownFactError:
        frameworks = "unknown"
    return [("GPU", gpus), ("Frameworks", frameworks)]


def _versions(machine: Machine) -> Iterator[str]:
    for name in ("tensorflow", "keras", "jax", "torch"):
        build = machine.python.build(name)
        owners = TENSORFLOW_OWNERS if name == "tensorflow" else (name,)
        version = machine.python.version_of(*owners) or (build.version.or_none() if build is not None else None)
        if version or machine.python.package(name) is not None:
            yield ("%s %s" % (framework_title(name), version or "")).rstrip()


def _sized(machine: Machine) -> List[Tuple[Accelerator, str]]:
    return [(item, memory(item.memory_bytes)) for item in accelerators(machine)]


def _times(number: int) -> str:
    return "%d x " % number if number > 1 else ""


def device_state(item: Candidate) -> Tuple[str, str]:
    """Return whether a device is usable: the kind of state, and a text."""
    if item.usable:
        return "ok", "usable"
    if item.usable is None:
        return "unknown", "not tested yet"
    return "fails", "blocked: %s" % (", ".join(item.blocked_by) or "no build for it")


def framework_state(item: FrameworkStatus) -> Tuple[str, str]:
    """Return whether a framework works: the kind of state, and a text with the cause."""
    because = ": %s" % item.cause if item.cause is not None else ""
    if item.will_import and because:
        fails = item.will_run_keras is False
        return ("fails", "can be imported, but does not work" + because) if fails else ("unknown", "in doubt" + because)
    kind = {True: "ok", False: "fails", None: "unknown"}[item.will_import]
    text = {True: "works", False: "cannot be imported", None: "unknown"}[item.will_import]
    return kind, text + because


def without_release(diagnosis: Diagnosis, selection: Selection) -> str:
    """Return what is not known of a selected framework that is installed without its release, "" where it is known."""
    status = diagnosis.framework(name_of(selection.framework))
    if status is None or status.version is not None or status.will_import is not None:
        return ""
    return "Whether %s can be imported is not known: its release is not stated" % framework_title(status.framework)


def problems(diagnosis: Diagnosis, selection: Optional[Selection] = None) -> Tuple[str, str]:
    """Return how many problems there are: the kind of the worst, and a text; notes count, except that there is no GPU."""
    parts = []
    for kind, noun in (("error", "error"), ("warning", "warning"), ("info", "note")):
        number = sum(item.severity == kind and item.code != "no-gpu" for item in diagnosis.findings)
        parts += [(kind, count(number, noun))] if number else []
    if parts:
        return parts[0][0], " and ".join(filter(None, (", ".join(text for _, text in parts[:-1]), parts[-1][1])))
    if selection is not None and (selection.fallback or is_stuck(selection)):
        return "warning", "The requested device cannot be used"
    doubt = without_release(diagnosis, selection) if selection is not None else ""
    return ("unknown", doubt) if doubt else ("good", "No problems found")


def rate(value: Optional[float]) -> str:
    """Return a rate with three or four digits: ``1234``, ``98.7``, ``0.45``."""
    if value is None:
        return ""
    size = abs(value)
    return "%.0f" % value if size >= 1000 else "%.1f" % value if size >= 10 else "%.2f" % value


def grouped(value: Optional[float]) -> str:
    """Return an amount with three or four digits, thousands apart: ``1,550``, ``98.7``, ``0.45``; "" if there is none.

    >>> [grouped(value) for value in (1549.7, 98.71, 0.453, 0.00123, None)]
    ['1,550', '98.7', '0.45', '0.0012', '']
    """
    if value is None:
        return ""
    size = abs(value)
    if size >= 1e9:
        return "%.2e" % value
    return "{:,.0f}".format(value) if size >= 1000 else rate(value) if size >= 0.1 or not value else "%.2g" % value


def flops(value: float) -> str:
    """Return operations per second with a unit.

    >>> flops(3.12e11), flops(1.5e13), flops(2e6)
    ('312 GFLOP/s', '15.0 TFLOP/s', '2.00 MFLOP/s')
    """
    for factor, unit in ((1e12, "T"), (1e9, "G")):
        if value >= factor:
            return "%s %sFLOP/s" % (_digits(value / factor), unit)
    return "%s MFLOP/s" % _digits(value / 1e6)


def _digits(value: float) -> str:
    return "%.0f" % value if value >= 100 else "%.1f" % value if value >= 10 else "%.2f" % value


def ratio(value: Optional[float]) -> str:
    """Return a ratio: ``1.35``, or "" if there is none."""
    return "" if value is None else "%.2f" % value


def relative(value: float) -> str:
    """Return a relative error: ``0``, ``1.2e-07``, ``inf``, ``nan``."""
    return "0" if value == 0 else "%.1e" % value


def excess(item: Difference) -> float:
    """Return the error as a multiple of its tolerance; infinite if there is no finite figure."""
    found = item.measure
    if found is None or found.nonfinite or found.max_relative_error != found.max_relative_error:
        return float("inf")
    if found.max_relative_error == 0:
        return 0.0
    return found.max_relative_error / found.tolerance if found.tolerance > 0 else float("inf")


def worst_first(differences: Sequence[Difference]) -> Tuple[Difference, ...]:
    """Return differences sorted by verdict, then by the error as a multiple of its tolerance."""
    order = {name: place for place, name in enumerate(VERDICTS)}
    ordered: List[Difference] = sorted(
        differences, key=lambda item: (-order.get(item.verdict, len(order)), -excess(item))
    )
    return tuple(ordered)


def with_age(date: str) -> str:
    """Return a date with how long ago it was."""
    days = (datetime.date.today() - datetime.date(*map(int, date.split("-")))).days
    return "%s (%d day%s old)" % (date, days, "s" if days != 1 else "") if days > 0 else date
