"""The start of the programs that compare plain functions with planted faults, and what they must find."""

#: `found`: what each result of a function is said to be. The faults need to know whether they are on the second device,
#: which `there` says.
PRELUDE = """
import json, warnings
import numpy as np
from devicekit.measure.numerics.functions.examine import examine_function

def found(function, *inputs, devices=("cpu", OTHER), seed=0):
    report = examine_function(function, inputs, devices, None, seed)
    return {
        "%s on %s" % (item.what, item.device): [item.verdict, item.detail, item.arithmetic] for item in report.differences
    }

def rounded(values, bits):
    # Factors as tensor cores take them: rounded to so many bits behind the point.
    step = 2.0 ** (np.floor(np.log2(np.abs(values) + 1e-30)) - bits)
    return (np.round(values / step) * step).astype("float32")

rng = np.random.RandomState(3)
x, w = rng.standard_normal((32, 64)), rng.standard_normal((64, 16))
image, kernel = rng.standard_normal((2, 9, 9, 3)), rng.standard_normal((3, 3, 3, 4))
"""


def check_faults(seen, other):
    """Check what was found of the planted faults, each of which is on one device only."""
    for name, values in seen.items():
        on_cpu = [item for what, item in values.items() if what.endswith(" on cpu")]
        assert on_cpu, name
        assert {item[0] for item in on_cpu} == {"agrees"}, (name, values)

    def verdicts(name):
        return {what: item for what, item in seen[name].items() if what.endswith(" on " + other)}

    wrong = verdicts("wrong gradient")
    assert wrong["output on " + other][0] == "agrees"
    assert wrong["gradient of input 0 on " + other][0] == "differs"
    assert "times 1/2" in wrong["gradient of input 0 on " + other][1]
    reduced = verdicts("reduced precision")["output on " + other]
    assert (reduced[0], reduced[2]) == ("reduced-precision", "tf32")
    padding = verdicts("padding")["output on " + other]
    assert padding[0] == "differs"
    assert "shifted by +1" in padding[1]
    nan = verdicts("silent NaN")["output on " + other]
    assert nan[0] == "differs"
    assert "NaN in 1 element, only at (3, 5)" in nan[1]
    clean = verdicts("clean")
    assert {item[0] for item in clean.values()} == {"agrees"}, clean
