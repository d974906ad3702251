"""What acts: auto, scopes, measurements, leases, several devices."""

from typing import Any, Callable, Dict, Optional, Tuple

from typing_extensions import assert_type

import devicekit
from devicekit import Selection


def main(train: Callable[[], float]) -> float:
    selection = devicekit.auto("gpu", memory="4GiB", require=False, seed=3, quiet=None)
    assert_type(selection, Selection)
    with devicekit.device_scope("cpu") as inner:
        assert_type(inner, Selection)
        assert_type(train(), float)
    return evaluate(3)


@devicekit.device_scope("gpu")
def evaluate(count: int) -> float:
    return float(count)


@devicekit.device_scope("gpu")
async def later(count: int) -> float:
    return float(count)


async def wait() -> float:
    assert_type(evaluate(1), float)
    return await later(2)


def guarded() -> Tuple[devicekit.Finding, ...]:
    devicekit.install_excepthook()
    try:
        devicekit.auto(require=True)
    except devicekit.DeviceUnavailableError as error:
        return error.findings
    except devicekit.DevicekitError as error:
        raise SystemExit(str(error)) from error
    finally:
        devicekit.logs.uninstall_excepthook()
    return ()


def fixed(python: str) -> Tuple[str, ...]:
    try:
        remedy = devicekit.fix(python, goal="cpu", apply=False)
    except devicekit.errors.RemedyError as error:
        raise SystemExit(str(error)) from error
    assert_type(remedy, devicekit.remedy.Remedy)
    assert_type(remedy.attempts, Tuple[devicekit.remedy.Attempt, ...])
    assert_type(remedy.changes, Tuple[devicekit.remedy.Change, ...])
    return tuple(attempt.reason for attempt in remedy.attempts)


def warned(warning: devicekit.DeviceWarning) -> Optional[str]:
    assert_type(warning.finding, devicekit.Finding)
    quiet = (devicekit.FallbackWarning, devicekit.CompatibilityWarning, devicekit.ConfigurationWarning)
    return None if isinstance(warning, quiet) else warning.finding.code


def measured(model: object) -> Dict[str, Any]:
    verification = devicekit.verify("tensorflow", timeout_s=60.0)
    assert_type(verification, devicekit.runtime.Verification)
    comparison = devicekit.compare(model, devices=("cpu", "auto"))
    assert_type(comparison, devicekit.measure.Comparison)
    assert_type(comparison.differences, Tuple[devicekit.measure.Difference, ...])
    assert_type(comparison.divergences, Tuple[devicekit.measure.Divergence, ...])
    assert_type(comparison.left_to_cpu, Tuple[devicekit.measure.LeftToCpu, ...])
    for difference in comparison.differences:
        assert_type(difference.measure, Optional[devicekit.measure.Measure])
    assert_type(devicekit.on_cpu(model), Any)
    assert_type(devicekit.measure.write_reproducer(comparison, model, "reproducer"), Tuple[str, ...])
    try:
        result = devicekit.benchmark("mobilenet", devices=["cpu", "gpu"], seconds=5.0)
    except devicekit.measure.BenchmarkInterrupted as error:
        result = error.result
    assert_type(result, devicekit.measure.BenchmarkResult)
    assert_type(result.rows, Tuple[devicekit.measure.Throughput, ...])
    assert_type(result.against, Tuple[devicekit.measure.Figure, ...])
    tuning = devicekit.tune("mobilenet", device="auto")
    assert_type(tuning, devicekit.measure.Tuning)
    assert_type(tuning.options, Tuple[devicekit.measure.TunedOption, ...])
    assert_type(devicekit.find_batch_size(model, [1.0]), int)
    estimate = devicekit.estimate_memory(model, 32, precision="mixed_float16", memory="8GiB")
    assert_type(estimate, devicekit.measure.MemoryEstimate)
    assert_type(estimate.total_bytes, int)
    assert_type(estimate.layers, Tuple[devicekit.measure.LayerMemory, ...])
    report = devicekit.Monitor(nan=True, quiet=True).report
    assert_type(report, Optional[devicekit.watch.MonitorReport])
    if report is not None:
        assert_type(report.record, devicekit.watch.TrainingRecord)
        assert_type(report.step_s, Optional[float])
        assert_type(report.nan, Optional[devicekit.watch.NanReport])
    nan = devicekit.NanGuard(stop=True, save="step.npz").report
    assert_type(nan, Optional[devicekit.watch.NanReport])
    if nan is not None:
        assert_type(nan.record, devicekit.watch.NanRecord)
    command = devicekit.watch.CommandReport.of(devicekit.watch.CommandRecord("train.py", status=0))
    assert_type(command.record.cpu_s, Optional[float])
    return result.to_dict()
