"""What the markers of tests require, and the machine and devices of a run of pytest.

It is loaded in every run with the plug-in, so at the top it imports only what pytest imports anyway.
"""

import json
import re
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

if TYPE_CHECKING:
    from ..diagnosis.findings import Diagnosis
    from ..machine.facts import Machine
    from ..selection.request import Request
    from ..selection.selection import Selection


def split_devices(values: Sequence[str]) -> List[str]:
    """Return the devices of lists such as ``cpu,gpu:0``; ``gpu:0,2`` is one, of two GPUs."""
    found: List[str] = []
    for value in values:
        parts = value.split(",")
        for number, part in enumerate(parts):
            if number and re.match(r"\s*(\d+$|GPU-|MIG-)", part) and ":" in found[-1]:
                found[-1] += "," + part.strip()
            else:
                found.append(part.strip())
    return found


class Run:
    """The machine and the devices of one run, examined when they are first needed."""

    def __init__(self, config: Any) -> None:
        self._config = config
        self._machine: "Optional[Machine]" = None
        self._diagnosis: "Optional[Diagnosis]" = None
        self._names: Optional[List[str]] = None
        self._missing: Dict[object, str] = {}
        self.asked: List[str] = split_devices(config.getoption("devicekit_devices", None) or [])

    @property
    def examined(self) -> bool:
        """Whether the machine was examined."""
        return self._machine is not None

    # Methods, because pytest reads every property of what it registers, and these examine the machine.

    def machine(self) -> "Machine":
        if self._machine is None:
            from ..machine.detect import detect_now
            from ..machine.facts import Machine

            sent = getattr(self._config, "workerinput", {}).get("devicekit_machine")
            self._machine = Machine.from_dict(json.loads(sent)) if sent else detect_now()
        return self._machine

    def simulated(self) -> bool:
        """Return whether a conftest.py simulates another machine, whose devices cannot be used."""
        from ..machine.detect import stand_ins

        return bool(stand_ins.get()) and self.machine() in stand_ins.get()

    def diagnosis(self) -> "Diagnosis":
        if self._diagnosis is None:
            from ..diagnosis.diagnose import diagnose

            self._diagnosis = diagnose(self.machine())
        return self._diagnosis

    def select(self, device: str, **wishes: Any) -> "Selection":
        from .. import select_device

        return select_device(device, machine=self.machine(), **wishes)

    def chosen(self) -> "Selection":
        """Return the first device of the run, decided without importing a framework."""
        from ..runtime.settings import read_settings

        if self.asked:
            return self.select(self.asked[0])
        try:
            return self.select(read_settings().device or "auto")
        except ValueError:  # DEVICEKIT_DEVICE is not a device; `auto` warns and ignores it too
            return self.select("auto")

    def names(self) -> List[str]:
        """Return the devices of `each_device`."""
        if self._names is None:
            self._names = self._asked_names() if self.asked else self._usable_names()
        return self._names

    def _asked_names(self) -> List[str]:
        found: List[str] = []
        for asked in self.asked:
            kind, _, numbers = self.select(asked).device.partition(":")
            found += ["%s:%s" % (kind, number) for number in numbers.split(",")] if numbers else [kind]
        return list(dict.fromkeys(found))

    def _usable_names(self) -> List[str]:
        from ..diagnosis.findings import name_of
        from ..runtime.current import current_selection

        selection = self.select("auto")
        status = self.diagnosis().framework(name_of(selection.framework)) if selection.framework else None
        if selection.device == "auto" or (status is not None and status.will_import is False):
            return ["cpu"]
        in_force = current_selection()
        found = ["cpu"]
        for item in self.diagnosis().candidates_for(selection.framework):
            if item.platform == "cpu" or item.usable is False:
                continue
            if item.platform == "tpu" and selection.framework != "jax":
                continue
            if in_force is not None and not _is_among(item.device, in_force.device):
                continue  # a conftest.py has called auto(), which leaves no other device visible
            found.append(item.device)
        return found

    def problem(self) -> str:
        """Return what is wrong with the devices of ``--device``, "" if all of them can be used."""
        for asked in self.asked:
            try:
                selection = self.select(asked)
            except ValueError as error:
                return "--device: %s" % error
            if selection.fallback and _request(asked).kind not in ("auto", "cpu"):
                return "--device %s cannot be used here: %s" % (asked, why(selection))
        return ""

    def missing(self, requirement: "Requirement") -> str:
        """Return why a requirement is not met, "" if it is."""
        if requirement not in self._missing:
            self._missing[requirement] = requirement.missing(self)
        return self._missing[requirement]


def _is_among(device: str, devices: str) -> bool:
    """Return whether ``gpu:1`` is one of ``gpu:0,1``."""
    kind, _, number = device.partition(":")
    return kind == devices.partition(":")[0] and number in devices.partition(":")[2].split(",")


def _request(device: str) -> "Request":
    from ..selection.request import parse_request

    return parse_request(device)


def why(selection: "Selection") -> str:
    """Return the reason, with the code of the finding behind it if there is one."""
    reason = selection.reason
    asked = "'%s' was asked for: " % selection.requested
    if reason.startswith(asked):
        reason = reason[len(asked) :]
    cause = selection.findings[0] if selection.findings else None
    if cause is not None and selection.device in ("cpu", "auto") and cause.summary.rstrip(".") in reason:
        return "[%s] %s" % (cause.code, reason)
    return reason


class Requirement(NamedTuple):
    """What a marker requires, in words, and the function that returns why it is not available."""

    text: str
    values: Tuple[Any, ...]
    check: Callable[..., str]

    def missing(self, run: Run) -> str:
        return self.check(run, self.text, *self.values)


def _required_device(
    device: str, min_memory: Any = None, count: int = 1, framework: Optional[str] = None
) -> Requirement:
    from ..diagnosis.frameworks import FRAMEWORKS
    from ..selection.request import parse_memory, parse_request

    request = parse_request(device)
    if request.kind == "auto":
        raise ValueError("every machine meets %r: name a device, such as 'gpu'" % device)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueError("count must be a number of devices of at least 1, not %r" % (count,))
    if count > 1 and (request.indices or request.kind == "cpu"):
        raise ValueError("count=%d cannot be combined with the device %r" % (count, device))
    if framework is not None and framework not in FRAMEWORKS:
        from ..errors import unknown_name

        raise ValueError(unknown_name("framework", framework, FRAMEWORKS))
    least = None if min_memory is None else parse_memory(min_memory, "min_memory")
    text = device if count == 1 else "%d x %s" % (count, device)
    if min_memory is not None:
        text += " with %s" % (min_memory if isinstance(min_memory, str) else "%d bytes" % min_memory)
    return Requirement(
        text + (" for %s" % framework if framework else ""), (device, least, count, framework), _missing_device
    )


def _missing_device(
    run: Run, text: str, device: str, min_memory: Optional[int], count: int, framework: Optional[str]
) -> str:
    kind = _request(device).kind
    if kind == "cpu":
        return ""
    if run.asked and all(name.partition(":")[0] == "cpu" for name in run.names()):
        return "requires %s: this run was started with --device %s" % (text, ",".join(run.asked))
    found: List[str] = []
    while len(found) < count:
        selection = run.select(device, min_memory=min_memory, exclude=found, framework=framework)
        if selection.fallback or selection.device in ("cpu", "auto"):
            because = "usable: %s" % ", ".join(found) if found else why(selection)
            return "requires %s: %s" % (text, because)
        found.append(selection.device)
    return ""


def _required_framework(name: str, versions: str = "") -> Requirement:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    known = ("tensorflow", "jax", "torch", "keras")
    if name not in known:
        from ..errors import unknown_name

        raise ValueError(unknown_name("framework", name, known))
    try:
        SpecifierSet(versions)
    except (InvalidSpecifier, TypeError, AttributeError):
        raise ValueError("invalid versions %r; use for example '>=2.10,<2.16'" % (versions,)) from None
    return Requirement(name + versions, (name, versions), _missing_framework)


def _missing_framework(run: Run, text: str, name: str, versions: str) -> str:
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion, Version

    status = run.diagnosis().framework(name)
    if status is None or (status.version is None and status.cause == "framework-missing"):
        return "requires %s: [framework-missing] %s is not installed for this Python" % (text, name)
    if versions:
        try:
            version = Version(status.version or "")
        except InvalidVersion:
            return "requires %s: the installed version could not be read" % text
        if not SpecifierSet(versions).contains(version, prereleases=True):
            return "requires %s: %s %s is installed" % (text, name, status.version)
    if status.will_import is False:
        finding = run.diagnosis().by_code(status.cause or "", name)
        return "requires %s: [%s] %s" % (text, status.cause, finding.summary.rstrip(".") if finding else "")
    return ""


REQUIREMENTS: Dict[str, Callable[..., Requirement]] = {
    "requires_device": _required_device,
    "requires_framework": _required_framework,
}


def read_marker(marker: Any) -> Requirement:
    """Return what a marker requires; raise ValueError if it has wrong arguments."""
    try:
        return REQUIREMENTS[marker.name](*marker.args, **marker.kwargs)
    except (TypeError, ValueError) as error:
        text = re.sub(r"^\w+\(\)", "it", str(error))
        raise ValueError("the marker %s has wrong arguments: %s" % (marker.name, text)) from None
