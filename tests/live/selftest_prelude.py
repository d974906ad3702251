"""A program that runs the self-test of a device with one planted fault after another, two at a time."""

#: Takes the variable that plants a fault, the task of the self-test, and the faults with their limits in seconds; returns
#: how each ended.
STAGES = """
import json
from concurrent.futures import ThreadPoolExecutor
from devicekit.runtime.trial.result import DeviceTask
from devicekit.runtime.trial.run import try_device
def ending(fault, limit_s=120.0):
    trial = try_device(DeviceTask(0, **%r), environment=((%r, fault),), timeout_s=limit_s)
    return [fault, trial.outcome, trial.stage, trial.device]
with ThreadPoolExecutor(2) as pool:
    print(json.dumps(list(pool.map(lambda item: ending(*item), %r))))
"""


def stages(program, variable, task, faults, **options):
    """Return a list of (fault, outcome, stage, device) for pairs of a fault and a limit, or a fault alone."""
    items = [item if isinstance(item, tuple) else (item,) for item in faults]
    return [tuple(row) for row in program(STAGES % (task, variable, items), timeout=900, **options)]
