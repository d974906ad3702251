"""Kernels that compute wrong, one at a time: `compare` finds them, names the layer, and excuses none as reduced precision."""

import json

import pytest
from live_prelude import only_tf2
from planted_kernels import PROGRAM, planted

pytestmark = only_tf2

#: One of each kind: a gradient, leftover rows, a sum without a row, a statistic that stays, a bias that is zero at first, a
#: gradient of the call before, random numbers of another range, ties, saturation, a batch of one, rounded results, tiny
#: numbers, an exponential that overflows.
SAMPLE = (
    "times100@Conv2DBackpropFilter",
    "tail@MatMul",
    "droprow@BiasAddGrad",
    "unchanged@AddV2",
    "nobias@BiasAdd",
    "stale@AvgPoolGrad",
    "half@StatelessRandomUniformV2",
)
IN_TABLES = ("ties@ArgMax", "saturated@Tanh", "lone@MatMul", "short@MatMul", "tiny@Sqrt", "overflow@Softplus")


def run(program, simulated_gpu, rows, *options, timeout):
    found = program(PROGRAM, json.dumps(rows), *options, env=dict(simulated_gpu), timeout=timeout)
    assert len(found) == len(rows)
    return found


def test_a_sample(program, simulated_gpu):
    rows = [row for row in planted() if row[1] in (IN_TABLES if row[0] == "tables" else SAMPLE)]
    found = run(program, simulated_gpu, rows, timeout=600)
    assert [name for name, item in found.items() if not item.get("right") or item["reduced"]] == []
    assert "is an operation: compute it in a layer" in found["tables tiny@Sqrt"]["left"][0]


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--train",)], ids=["layers", "training"])
def test_nearly_all(program, simulated_gpu, options):
    rows = [row for row in planted() if not options or row[0] == "images"]
    found = run(program, simulated_gpu, rows, *options, timeout=3000)
    missed = [name for name, item in found.items() if not item.get("found")]
    misplaced = [name for name, item in found.items() if not item.get("right")]
    assert len(missed) <= 0.05 * len(rows), missed
    assert len(misplaced) <= 0.1 * len(rows), misplaced
    assert [name for name, item in found.items() if not item.get("wrong") and item.get("reduced")] == []
