"""What is asked: detect, diagnose, select, resolve."""

import os
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from typing_extensions import assert_type

import devicekit
from devicekit import Diagnosis, Finding, Machine, Selection
from devicekit.diagnosis import Candidate, Evidence, Fix
from devicekit.machine import Fact
from devicekit.matrix import Answer
from devicekit.resolver import Resolution
from devicekit.selection import Plan
from devicekit.testing import describe, load, machines, simulated_machine

assert_type(devicekit.__version__, str)


def choose_device(wanted: str = "auto") -> str:
    selection = devicekit.select_device(wanted, min_memory="8GiB", exclude=["cpu"], framework="tensorflow")
    assert_type(selection, Selection)
    assert_type(selection.device, str)
    assert_type(selection.framework, Optional[str])
    assert_type(selection.fallback, bool)
    assert_type(selection.findings, Tuple[Finding, ...])
    assert_type(selection.changes, Tuple[devicekit.selection.Change, ...])
    assert_type(selection.verified, Optional[bool])
    assert_type(selection.replace(device="cpu"), Selection)
    return selection.device


def most_memory(candidates: Sequence[Candidate]) -> Candidate:
    return max(candidates, key=lambda item: item.memory_bytes or 0)


def by_own_policy() -> Selection:
    policy: Callable[[Sequence[Candidate]], Candidate] = most_memory
    return devicekit.select_device("gpu", policy=policy)


def reasons(machine: Machine) -> List[str]:
    diagnosis = devicekit.diagnose(machine)
    assert_type(diagnosis, Diagnosis)
    lines: List[str] = []
    for finding in diagnosis.findings:
        assert_type(finding, Finding)
        assert_type(finding.blocks, Tuple[str, ...])
        for evidence in finding.evidence:
            assert_type(evidence, Evidence)
            assert_type(evidence.text, str)
        for fix in finding.fix:
            assert_type(fix, Fix)
            assert_type(fix.command, Optional[str])
        lines.append("%s: %s" % (finding.code, finding.summary))
    for candidate in diagnosis.candidates:
        assert_type(candidate.usable, Optional[bool])
        assert_type(candidate.memory_bytes, Optional[int])
    return lines


def facts() -> Optional[str]:
    machine = devicekit.detect(refresh=True)
    assert_type(machine, Machine)
    model = machine.native.cpu_model
    assert_type(model, Fact[str])
    try:
        assert_type(model.value, Optional[str])
    except devicekit.errors.UnknownFactError as error:
        return str(error)
    except devicekit.errors.MachineFileError:
        return None
    return model.or_none()


def releases() -> List[Answer]:
    found = devicekit.resolve("gpu", framework="tensorflow")
    assert_type(found, Resolution)
    return [
        devicekit.matrix.has_wheel("tensorflow", "2.20.0", "3.11", "linux"),
        devicekit.matrix.has_code_for("tensorflow", "2.20.0", "8.0"),
        devicekit.matrix.goes_with("tensorflow", "2.10.1", "numpy", "2.0.0"),
        devicekit.matrix.driver_runs("12.5", "550.54"),
    ]


def log(text: str) -> Tuple[Finding, ...]:
    explanation = devicekit.logs.explain_log(text)
    assert_type(explanation, devicekit.logs.Explanation)
    assert_type(explanation.harmless, Tuple[devicekit.logs.HarmlessLine, ...])
    return devicekit.explain(text)


def told(plan: Plan) -> Selection:
    return plan.selection()


@simulated_machine("windows-amd-stock-tf")
def on_another_machine(wanted: str) -> Selection:
    return devicekit.select_device(wanted)


def simulated(path: "os.PathLike[str]") -> Dict[str, str]:
    assert_type(machines(), Tuple[str, ...])
    assert_type(load("linux-cpu"), Machine)
    assert_type(on_another_machine("gpu"), Selection)
    environ: Mapping[str, Optional[str]] = {"CUDA_VISIBLE_DEVICES": None}
    with simulated_machine(path, environ=environ) as machine:
        assert_type(machine, Machine)
    with simulated_machine(load("linux-cpu"), environ={"CUDA_VISIBLE_DEVICES": "1"}):
        return {name: describe(name) for name in machines()}
