"""Programs that run the suite's operations with a framework's engine on the CPU, against the same in float64."""

#: `checked`: what does not agree, and the largest error in units of its tolerance. The CPU's own result is the baseline, so
#: that what is badly conditioned does not count.
PRELUDE = """
import json, warnings
import numpy as np
from devicekit.measure.numerics.operations.suite_worker import engine
from devicekit.measure.numerics.result import Difference
from devicekit.measure.numerics.verdict import Expected, judge
from devicekit.measure.numerics.operations.catalog import magnitudes, select
from devicekit.measure.numerics.operations.input_values import arrays

KINDS = {item.operation for item in select()}

def checked(made, operations, place, seeds=(0,), reference="cpu:0"):
    wrong, largest = [], 0.0
    for operation in operations:
        for seed in seeds:
            for dtype in operation.dtypes:
                given = arrays(operation, seed, dtype)
                exact = made.run(operation, given, "float64", reference, seed)
                usual = made.run(operation, given, dtype, reference, seed)
                found = made.run(operation, given, dtype, place, seed)
                if exact.error or found.error:
                    wrong.append([operation.name, dtype, seed, exact.error or found.error])
                    continue
                sizes = [None] * len(exact.outputs)
                if operation.scale == "absolute":
                    other = magnitudes(operation)
                    sizes = made.run(other, arrays(other, seed, dtype), "float64", reference, seed).outputs
                for what in ("outputs", "gradients"):
                    for number, right in enumerate(getattr(exact, what)):
                        actual, own = getattr(found, what)[number], getattr(usual, what)[number]
                        longest = max([operation.accumulation, 1] + [item.accumulation for item in operation.inputs])
                        size = sizes[number] if what == "outputs" and right.dtype.kind == "f" else None
                        about = Difference(
                            "operation", operation.name, operation.operation, what, "cpu", made.framework, "differs"
                        )
                        kind = dtype if right.dtype.kind == "f" else str(right.dtype)
                        item = judge(about, actual, Expected(right, kind, longest, operation.depth, own, size))
                        if item.measure is not None and item.measure.tolerance:
                            largest = max(largest, item.measure.max_relative_error / item.measure.tolerance)
                        if item.verdict != "agrees":
                            wrong.append([operation.name, dtype, seed, what, number, item.verdict, item.detail])
    return wrong, largest
"""
