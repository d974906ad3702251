"""Judges what a device computed of the suite: every output and gradient, against the reference that the CPU computed."""

import math
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ..result import Difference
from ..verdict import failed, judge, unsupported
from .catalog import Operation, arrays
from .suite_worker import load

__all__ = ["Case", "judge_device"]


class Case(NamedTuple):
    """Where the results of a case are, and how it went.

    Attributes
    ----------
    path : str
        Its file, "" where there are no results.
    ran_on, error : str
    unsupported : bool
        As in `devicekit.measure.numerics.operations.engine.Outcome`.
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
    operations : sequence of Operation
    on_cpu : dict
        The cases of the CPU, with references, magnitudes and its own results in each dtype.
    on_device : dict
        The cases of the device; the same where the device is the CPU.
    framework, device : str
        As in `Difference`.
    seed : int
    """
    why = _nothing(on_device) or _nothing(on_cpu)
    if why:
        names: Dict[str, Any] = {
            "kind": "operation",
            "name": "operations",
            "operation": "",
            "device": device,
            "framework": framework,
        }
        yield failed(what="output", detail=why, **names)
        return
    stale: List[np.ndarray] = []
    lacking = _lacking(on_device)
    for dtype in set(lacking) - set(_lacking(on_cpu)):
        yield unsupported(
            kind="operation",
            name="everything in %s" % dtype,
            operation=dtype,
            what="output",
            device=device,
            framework=framework,
            detail="no operation has a kernel for %s" % dtype,
        )
    for operation in operations:
        for dtype in operation.dtypes:
            # The CPU's kernels for half precision add up in it as well; they are no reference, and nobody's choice.
            if dtype in lacking or (device == "cpu" and dtype != "float32"):
                continue
            key = (operation.name, dtype, "result")
            names = {
                "kind": "operation",
                "name": operation.name if dtype == "float32" else "%s in %s" % (operation.name, dtype),
                "operation": operation.operation,
                "device": device,
                "framework": framework,
            }
            case, usual = on_device[key], on_cpu[key]
            if case.unsupported:
                # What the CPU has no kernel for either is no lack of the device; float32 must be there.
                if dtype == "float32" or not usual.unsupported:
                    yield unsupported(what="output", ran_on=case.ran_on, detail=case.error, **names)
                continue
            if not case.path:
                yield failed(what="output", ran_on=case.ran_on, detail=case.error or "no result", **names)
                continue
            right = on_cpu[operation.name, dtype, "reference"]
            if not right.path:
                detail = "there is no reference: %s" % (right.error or "no result")
                yield failed(what="output", ran_on=case.ran_on, detail=detail, **names)
                continue
            sizes = on_cpu.get((operation.name, operation.dtypes[0], "magnitude"))
            found = _Found(
                load(case.path),
                load(right.path),
                load(usual.path) if usual.path and device != "cpu" and dtype == "float32" else None,
                load(sizes.path) if sizes is not None and sizes.path else None,
            )
            inputs = list(arrays(operation, seed, dtype))
            for index, what, accumulation in _parts(operation, found):
                yield _verdict(operation, dtype, found, index, what, accumulation, stale + inputs, case, names)
            stale = list(found.actual[0])


def _nothing(cases: _Cases) -> str:
    """Return why there is no result at all, where that is one and the same for every case; else ""."""
    errors = {case.error for case in cases.values()}
    none = not any(case.path or case.unsupported for case in cases.values())
    return errors.pop() or "no result" if none and len(errors) == 1 else ""


def _lacking(on_device: _Cases) -> Tuple[str, ...]:
    """Return the dtypes that a device does not have at all, beside float32."""
    missing: Dict[str, bool] = {}
    for (_, dtype, role), case in on_device.items():
        if role == "result":
            missing[dtype] = missing.get(dtype, True) and case.unsupported
    return tuple(dtype for dtype, every in missing.items() if every and dtype != "float32")


class _Found(NamedTuple):
    """Outputs and gradients: of the device, of the reference, of the CPU in the same dtype, of absolute values."""

    actual: Tuple[_Arrays, _Arrays]
    reference: Tuple[_Arrays, _Arrays]
    baseline: Optional[Tuple[_Arrays, _Arrays]]
    sizes: Optional[Tuple[_Arrays, _Arrays]]


def _parts(operation: Operation, found: _Found) -> Iterator[Tuple[Tuple[int, int], str, int]]:
    """Yield for every array where it is in the pairs, what it is, and what each of its elements adds up."""
    count = len(found.reference[0])
    for index in range(count):
        yield (0, index), "output" if count == 1 else "output %d" % index, operation.accumulation
    for index, number in enumerate(operation.differentiated):
        item = operation.inputs[number]
        yield (1, index), "gradient of %s" % item.name, item.accumulation or operation.accumulation


def _verdict(
    operation: Operation,
    dtype: str,
    found: _Found,
    index: Tuple[int, int],
    what: str,
    accumulation: int,
    stale: Sequence[np.ndarray],
    case: Case,
    names: Dict[str, Any],
) -> Difference:
    def pick(pair: Any) -> Any:
        return None if pair is None or index[1] >= len(pair[index[0]]) else pair[index[0]][index[1]]

    actual, reference = pick(found.actual), pick(found.reference)
    if actual is None:
        return failed(what=what, ran_on=case.ran_on, detail="not computed", **names)
    sizes = pick(found.sizes)
    if operation.scale in ("element", "largest"):
        sizes = np.abs(np.asarray(reference, dtype=np.float64))
    if operation.scale == "largest":
        # In a gradient what is subtracted from each other is as large as the cotangents, which are up to 1.
        least = 1.0 if index[0] else 0.0
        largest = max(float(sizes[np.isfinite(sizes)].max(initial=0.0)), least)
        # `judge` takes it for the size of terms of both signs, which add up to the root of their number.
        sizes = np.full(sizes.shape, largest * math.sqrt(accumulation))
    given = "int32" if reference.dtype.kind == "i" else dtype
    verdict = judge(
        actual,
        reference,
        dtype=given,
        accumulation=accumulation,
        depth=operation.depth,
        baseline=pick(found.baseline),
        magnitude=sizes,
        stale=[item for item in stale if item.shape == np.shape(reference)],
        what=what,
        ran_on=case.ran_on,
        **names,
    )
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
