"""Runs the suite on devices, each in a worker, and judges what they computed. The parent needs NumPy and no framework."""

import math
import os
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ....children.call import run_child
from ....children.progress import Progress
from ....records import Record
from ....runtime.scratch import scratch_folder, unwritten
from ..difference_findings import findings
from ..result import Comparison, Difference
from ..verdict import Expected, failed, judge, unsupported
from .catalog import select
from .input_values import arrays
from .operation import Operation
from .suite_worker import load


class Case(NamedTuple):
    """Where the results of a case are, and how it went.

    Attributes
    ----------
    path : str
        Its file, "" if there are no results.
    ran_on, error : str
    unsupported : bool
        As in `devicekit.measure.numerics.operations.engine.OperationOutcome`.
    """

    path: str
    ran_on: str
    error: str
    unsupported: bool


_Cases = Dict[Tuple[str, str, str], Case]
_Arrays = Tuple[np.ndarray, ...]


def judge_device(
    operations: Sequence[Operation], on_cpu: _Cases, on_device: _Cases, framework: str, device: str, seed: int
) -> Iterator[Difference]:
    """Yield the verdicts on one device, in the order of the operations.

    Parameters
    ----------
    on_cpu : dict
        The cases of the CPU, with references, magnitudes and its own results in each dtype.
    on_device : dict
        The cases of the device; the same where the device is the CPU.
    framework, device : str
        As in `Difference`.
    """
    suite = Difference("operation", "operations", "", "output", device, framework, "failed")
    why = _nothing(on_device) or _nothing(on_cpu)
    if why:
        yield failed(suite, why)
        return
    lacking = _lacking(on_device)
    for dtype in set(lacking) - set(_lacking(on_cpu)):
        everything = suite.replace(name="everything in %s" % dtype, operation=dtype)
        yield unsupported(everything, "no operation has a kernel for %s" % dtype)
    stale: List[np.ndarray] = []
    for operation in operations:
        for dtype in operation.dtypes:
            # The CPU's kernels for half precision add up in it as well; they are no reference, and not what users run.
            if dtype in lacking or (device == "cpu" and dtype != "float32"):
                continue
            name = operation.name if dtype == "float32" else "%s in %s" % (operation.name, dtype)
            subject = suite.replace(name=name, operation=operation.operation)
            case, usual = on_device[operation.name, dtype, "result"], on_cpu[operation.name, dtype, "result"]
            right = on_cpu[operation.name, dtype, "reference"]
            if case.unsupported:
                # What the CPU has no kernel for either does not count against the device; float32 must be there.
                if dtype == "float32" or not usual.unsupported:
                    yield unsupported(subject, case.error, case.ran_on)
            elif not case.path:
                yield failed(subject, case.error or "no result", case.ran_on)
            elif not right.path:
                yield failed(subject, "there is no reference: %s" % (right.error or "no result"), case.ran_on)
            else:
                sizes = on_cpu.get((operation.name, operation.dtypes[0], "magnitude"))
                results = _Results(
                    load(case.path),
                    load(right.path),
                    load(usual.path) if usual.path and device != "cpu" and dtype == "float32" else None,
                    load(sizes.path) if sizes is not None and sizes.path else None,
                )
                before = stale + list(arrays(operation, seed, dtype))
                for part in _parts(operation, results):
                    about = subject.replace(what=part.what, ran_on=case.ran_on)
                    yield _verdict(operation, dtype, results, part, before, about)
                stale = list(results.actual[0])


def _nothing(cases: _Cases) -> str:
    """Return why there is no result at all, if that is one and the same for every case; else ""."""
    errors = {case.error for case in cases.values()}
    none = not any(case.path or case.unsupported for case in cases.values())
    return errors.pop() or "no result" if none and len(errors) == 1 else ""


def _lacking(on_device: _Cases) -> Tuple[str, ...]:
    """Return the dtypes that a device does not have at all, next to float32."""
    missing: Dict[str, bool] = {}
    for (_, dtype, role), case in on_device.items():
        if role == "result":
            missing[dtype] = missing.get(dtype, True) and case.unsupported
    return tuple(dtype for dtype, every in missing.items() if every and dtype != "float32")


class _Results(NamedTuple):
    """Outputs and gradients: of the device, of the reference, of the CPU in the same dtype, of absolute values."""

    actual: Tuple[_Arrays, _Arrays]
    reference: Tuple[_Arrays, _Arrays]
    baseline: Optional[Tuple[_Arrays, _Arrays]]
    sizes: Optional[Tuple[_Arrays, _Arrays]]


class _Part(NamedTuple):
    """One array of the results: 0 and the number of an output, or 1 and that of a gradient."""

    pair: int
    number: int
    what: str
    accumulation: int

    def of(self, pairs: Optional[Tuple[_Arrays, _Arrays]]) -> Any:
        """Return the array, None if it is not there."""
        return None if pairs is None or self.number >= len(pairs[self.pair]) else pairs[self.pair][self.number]


def _parts(operation: Operation, results: _Results) -> Iterator[_Part]:
    count = len(results.reference[0])
    for number in range(count):
        yield _Part(0, number, "output" if count == 1 else "output %d" % number, operation.accumulation)
    for number, source in enumerate(operation.differentiated):
        item = operation.inputs[source]
        yield _Part(1, number, "gradient of %s" % item.name, item.accumulation or operation.accumulation)


def _verdict(
    operation: Operation, dtype: str, results: _Results, part: _Part, stale: Sequence[np.ndarray], subject: Difference
) -> Difference:
    actual, reference = part.of(results.actual), part.of(results.reference)
    if actual is None:
        return failed(subject, "not computed", subject.ran_on)
    sizes = part.of(results.sizes)
    if operation.scale in ("element", "largest"):
        sizes = np.abs(np.asarray(reference, dtype=np.float64))
    if operation.scale == "largest":
        # In a gradient what is subtracted from each other is as large as the cotangents, which are up to 1.
        least = 1.0 if part.pair else 0.0
        largest = max(float(sizes[np.isfinite(sizes)].max(initial=0.0)), least)
        # `judge` takes it for the size of terms of both signs, which add up to the root of their number.
        sizes = np.full(sizes.shape, largest * math.sqrt(part.accumulation))
    given = "int32" if reference.dtype.kind == "i" else dtype
    expected = Expected(
        reference,
        given,
        part.accumulation,
        operation.depth,
        baseline=part.of(results.baseline),
        magnitude=sizes,
        stale=[item for item in stale if item.shape == np.shape(reference)],
    )
    verdict = judge(subject, actual, expected)
    if operation.exact and verdict.verdict == "agrees" and verdict.measure is not None and given != "int32":
        return _exactly(verdict)
    return verdict


def _exactly(verdict: Difference) -> Difference:
    """Nothing is rounded in it, so that within the tolerance is not enough."""
    assert verdict.measure is not None
    strict = verdict.measure.replace(tolerance=0.0)
    if strict.max_relative_error == 0.0:
        return verdict.replace(measure=strict)
    detail = "nothing is rounded in this operation, so that every bit must be right"
    return verdict.replace(verdict="differs", measure=strict, arithmetic="", detail=detail)


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
