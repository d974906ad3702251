"""The figures by which `devicekit.auto` takes the fastest device: what benchmarks have left, and a short one if asked."""

from typing import Optional, Tuple, Union

from ...diagnosis.findings import name_of
from ...errors import did_you_mean
from ...runtime.pipeline import Setup
from ...runtime.speed_cache import cached_speeds
from ...selection.plan import Plan
from ...selection.throughput import Throughput

#: What is measured if no one names a model: a network for images of which a laptop's CPU does some steps in seconds.
MODEL = "mobilenet"

#: For each device: seconds of steps, and of the whole process.
_SECONDS = 5.0
_TIMEOUT_S = 180.0


def checked_model(measure: Union[bool, str]) -> Optional[str]:
    """Return the model that is to be measured; None if nothing is.

    Raises
    ------
    ValueError
        If there is no model of that name.
    """
    from .models import NAMES

    if measure is True:
        return MODEL
    if not measure:
        return None
    if measure not in NAMES:
        near, names = did_you_mean(measure, NAMES, ""), ", ".join(map(repr, NAMES))
        raise ValueError("unknown measure=%r%s; accepted are True, False, %s" % (measure, near, names))
    return str(measure)


def measure_devices(setup: Setup) -> Setup:
    """Measure what ``"fastest"`` chooses among if that was not done before, and plan again; a stage of `devicekit.auto`."""
    if not setup.request.fastest or setup.plan.by_speed or setup.options.measure is None:
        return setup
    if not _measure_speeds(setup.plan, setup.options.measure, cached_speeds(setup.machine)):
        return setup
    return Setup.begin(setup.request, setup.options)


def _measure_speeds(plan: Plan, model: str, rows: Tuple[Throughput, ...]) -> bool:
    """Measure the CPU and the accelerators of a plan, some seconds each; return whether there is anything new.

    What could not be measured lately is not tried again.
    """
    from ...runtime.settings import read_settings

    if read_settings().in_trial or not plan.indices:
        return False
    failed = [row.device for row in rows if row.problem and row.model == model and row.framework == plan.framework]
    devices = ["cpu", plan.device] + [item.device for item in plan.alternatives]
    devices = [device for device in devices if device not in failed]
    if len(devices) < 2:
        return False
    from .benchmark import benchmark

    benchmark(
        model,
        devices=devices,
        framework=name_of(plan.framework),
        num_warmup_batches=2,
        repeat=1,
        seconds=_SECONDS,
        timeout_s=_TIMEOUT_S,
    )
    return True
