"""Runs the suite on devices, each in a worker, and judges what they computed. The parent needs NumPy and no framework."""

import os
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ....children.call import run_child
from ....children.progress import Progress
from ....records import Record
from ....runtime.scratch import scratch_folder, unwritten
from ..difference_findings import findings
from ..result import Comparison, Difference
from .catalog import select
from .operation import Operation
from .suite_verdict import Case, judge_device

#: A case of the suite takes milliseconds; a GPU may compile its first kernels for minutes.
CASE_TIMEOUT_S = 120.0

#: Until the framework is imported and the device is set up.
_START_S = 300.0

#: After this many crashes one after the other the device is given up: it would crash with every operation.
_FRUITLESS = 2

#: After this many in all; each costs a start of the framework.
_MOST_WORKERS = 8

_Watch = Callable[[str], Any]


@dataclass
class _Ran:
    """The outcome of the cases on one device."""

    framework: str
    device: str
    workers: int = 0
    said: Dict[int, Dict[str, Any]] = field(default_factory=dict)
    #: Cases that ended their worker, or that were not reached, and why.
    lost: Dict[int, str] = field(default_factory=dict)


_quiet = partial(Progress, quiet=True)


class _Stuck(Exception):
    """A case has taken longer than it may."""


def run_suite(
    targets: Sequence[Tuple[str, str]],
    *,
    seed: int = 0,
    operations: Union[str, Iterable[str], None] = None,
    watch: Optional[_Watch] = None,
    engines: Optional[Mapping[str, str]] = None,
    case_timeout_s: float = CASE_TIMEOUT_S,
) -> Comparison:
    """Compare what devices compute, operation by operation, with what the CPU computes in float64.

    Each device computes in a worker of its own, so that a crash or a hang costs the operation in which it happens and
    nothing else; so does the CPU, whose results in each dtype are judged as any other device's, and show how well
    conditioned a case is.

    Parameters
    ----------
    targets : sequence of (str, str)
        Frameworks and devices, as in `Selection`: ``("tensorflow", "gpu:0")``.
    seed : int
        Of inputs and cotangents.
    operations : str, iterable of str or None
        Patterns of names; see `devicekit.measure.numerics.operations.catalog.select`.
    watch : callable or None
        Gets what is waited for and returns a context manager whose value has a method ``tick``, called about every second.
    engines : mapping of str to str, or None
        For a framework the ``"module:class"`` of another `Engine` than devicekit's.
    case_timeout_s : float
        Seconds after which an operation that does not end is given up.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If a pattern matches nothing, or there is no target.
    DevicekitError
        If the results cannot be written to the temporary folder.
    """
    chosen = select(operations)
    if not targets:
        raise ValueError("no device to compare; give framework and device, such as ('tensorflow', 'cpu')")
    started = time.monotonic()
    frameworks = list(dict.fromkeys(framework for framework, _ in targets))
    differences: List[Difference] = []
    named: List[Tuple[str, str]] = []
    with scratch_folder() as folder:
        for framework in frameworks:
            devices = [device for name, device in targets if name == framework]
            setting = _Setting(folder, seed, (engines or {}).get(framework, ""), watch or _quiet, case_timeout_s)
            found, names = _framework(framework, devices, chosen, setting)
            differences += found
            named += names
    several = len({framework for framework, _ in named}) > 1
    return Comparison(
        reference="cpu in float64 with %s" % ", ".join(dict.fromkeys(framework for framework, _ in named)),
        devices=tuple("%s %s" % item if several else item[1] for item in named),
        differences=tuple(differences),
        findings=findings(differences),
        subject="operations",
        seed=seed,
        seconds=time.monotonic() - started,
    )


class _Setting(Record):
    folder: str
    seed: int
    engine: str
    watch: _Watch
    case_timeout_s: float


def _framework(
    framework: str, devices: Sequence[str], chosen: Sequence[Operation], setting: _Setting
) -> Tuple[List[Difference], List[Tuple[str, str]]]:
    """Run one framework's devices; return the differences and the devices under the framework's full name."""
    if set(devices) == {"cpu"}:
        # Half precision on the CPU is only looked at next to a device's.
        chosen = [item.replace(dtypes=("float32",)) for item in chosen if "float32" in item.dtypes]
    cases = _cases(chosen, ("reference", "magnitude", "result"))
    with tempfile.TemporaryDirectory(dir=setting.folder) as folder:
        cpu = _run(framework, "cpu", cases, folder, setting)
        differences: List[Difference] = []
        named: List[Tuple[str, str]] = []
        for device in devices:
            if device == "cpu":
                ran, own, where = cpu, cases, folder
            else:
                own = _cases(chosen, ("result",))
                where = tempfile.mkdtemp(dir=folder)
                ran = _run(framework, device, own, where, setting)
            on_cpu, on_device = _results(cpu, cases, folder), _results(ran, own, where)
            differences += judge_device(chosen, on_cpu, on_device, ran.framework, device, setting.seed)
            named.append((ran.framework, device))
    return differences, named


def _cases(chosen: Sequence[Operation], roles: Sequence[str]) -> List[Tuple[int, str, str, str]]:
    """Number what is to be computed; what is in float64 stands together, since it is the same for every dtype."""
    found: List[Tuple[str, str, str]] = []
    for operation in chosen:
        if "reference" in roles:
            found += [(operation.name, dtype, "reference") for dtype in operation.dtypes]
        if "magnitude" in roles and operation.scale == "absolute":
            found.append((operation.name, operation.dtypes[0], "magnitude"))
        found += [(operation.name, dtype, "result") for dtype in operation.dtypes]
    return [(number, *item) for number, item in enumerate(found)]


def _results(ran: _Ran, cases: Sequence[Tuple[int, str, str, str]], folder: str) -> Dict[Tuple[str, str, str], Case]:
    from .suite_worker import result_path

    found = {}
    for number, name, dtype, role in cases:
        said = ran.said.get(number, {})
        path = result_path(folder, number)
        found[name, dtype, role] = Case(
            path if os.path.exists(path) and said else "",
            str(said.get("ran_on", "")),
            str(said.get("error", "")) or ran.lost.get(number, ""),
            bool(said.get("unsupported")),
        )
    return found


def _run(
    framework: str, device: str, cases: Sequence[Tuple[int, str, str, str]], folder: str, setting: _Setting
) -> _Ran:
    """Compute all cases on a device; a worker that ends early is followed by another one, behind where it ended."""
    ran = _Ran(framework, device)
    waiting = list(cases)
    fruitless, why = 0, ""
    with setting.watch("computing on %s with %s" % (device, framework)) as line:
        while waiting:
            before = len(ran.said)
            why, begun = _one_worker(ran, waiting, folder, setting, line)
            waiting = [case for case in waiting if case[0] not in ran.said]
            if begun is None:
                # It ended before the first case, or between two: the next would not get further.
                break
            ran.lost[begun] = why
            waiting = [case for case in waiting if case[0] != begun]
            fruitless = 0 if len(ran.said) > before else fruitless + 1
            ran.workers += 1
            if fruitless >= _FRUITLESS or ran.workers >= _MOST_WORKERS:
                why = "not tried, after %d operations that ended their process; the last: %s" % (ran.workers, why)
                break
    for number, _, _, _ in waiting:
        ran.lost[number] = why
    return ran


def _one_worker(
    ran: _Ran, cases: Sequence[Tuple[int, str, str, str]], folder: str, setting: _Setting, line: Any
) -> Tuple[str, Optional[int]]:
    """Return how it ended, and the case at which it was; None if it was at none."""
    begun: List[int] = []
    deadline = [time.monotonic() + _START_S]

    def hear(said: Dict[str, Any]) -> None:
        if "ready" in said:
            ran.framework = said["framework"]
        if "begun" in said:
            begun.append(said["begun"])
            # The first may compile kernels for all that follow.
            deadline[0] = time.monotonic() + (setting.case_timeout_s if len(begun) > 1 else _START_S)
        if "done" in said:
            ran.said[said["done"]] = said

    def tick() -> None:
        line.tick()
        if time.monotonic() > deadline[0]:
            raise _Stuck

    task = {
        "framework": ran.framework,
        "device": ran.device,
        "engine": setting.engine,
        "seed": setting.seed,
        "folder": folder,
        "cases": [list(case) for case in cases],
    }
    longest_s = _START_S + setting.case_timeout_s * len(cases)
    try:
        function = "devicekit.measure.numerics.operations.suite_worker:run_cases"
        report = run_child(function, task, timeout_s=longest_s, on_message=hear, tick=tick)
    except _Stuck:
        longest_s = setting.case_timeout_s if len(begun) > 1 else _START_S
        return "hung: no answer within %g s" % longest_s, _last(begun, ran)
    if report.outcome == "done":
        if isinstance(report.result, dict) and report.result.get("unwritten"):
            raise unwritten(report.result["unwritten"])
        return "", None
    why = ": ".join(part for part in (report.error, report.detail) if part)
    return "its process crashed: %s" % why if report.outcome == "died" else why, _last(begun, ran)


def _last(begun: Sequence[int], ran: _Ran) -> Optional[int]:
    return begun[-1] if begun and begun[-1] not in ran.said else None
