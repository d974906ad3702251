"""Verdicts on what a device computed of the suite: every output and gradient, against the CPU's reference."""

import math
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ..result import Difference
from ..verdict import Expected, failed, judge, unsupported
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
                # What the CPU has no kernel for either is no lack of the device; float32 must be there.
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
