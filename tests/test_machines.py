"""Whole machines as folders: the decision and its reasons are asserted whole.

A bug report becomes a test by adding a folder with the user's ``snapshot.json``, or with a ``host.json`` that describes the
machine, and ``expected.json``, what is true of it: see ``tests/machines/README.md``.
"""

import json
import os

import recorded_machines
from checks import for_each
from recorded_machines import FOLDER, NAMES, SIMULATED

from devicekit import Machine, diagnose, select_device
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import SimulatedHost

each_machine = for_each("name", NAMES)


def outcome(name):
    """Return everything that devicekit says of a machine, without the texts."""
    machine, diagnosis = recorded_machines.load_machine(name), recorded_machines.diagnosis(name)
    found = {
        "findings": [{"code": f.code, "severity": f.severity, "blocks": list(f.blocks)} for f in diagnosis.findings],
        "candidates": [
            {"device": c.device, "platform": c.platform, "usable": c.usable, "blocked_by": list(c.blocked_by)}
            for c in diagnosis.candidates
        ],
        "not_evaluated": [item.code for item in diagnosis.not_evaluated],
        "prediction": [
            {
                "framework": s.framework,
                "will_import": s.will_import,
                "will_run_keras": s.will_run_keras,
                "devices": list(s.devices),
                "cause": s.cause,
            }
            for s in diagnosis.frameworks
        ],
    }
    for request in ("auto", "gpu"):
        selection = select_device(request, machine=machine)
        names = ("device", "framework", "platform", "fallback", "reason")
        found[request] = {name: getattr(selection, name) for name in names}
    return found


@each_machine
def test_the_whole_outcome(name):
    expected = recorded_machines.expected(name)
    found = outcome(name)
    assert expected["title"], "describe the machine in a sentence"
    assert found == {key: value for key, value in expected.items() if key not in ("title", "just_not")}
    assert not {item["code"] for item in found["findings"]} & set(expected["just_not"])


@each_machine
def test_it_survives_json_and_is_deterministic(name):
    machine = recorded_machines.load_machine(name)
    again = Machine.from_dict(json.loads(json.dumps(machine.to_dict())))
    assert again == machine
    assert diagnose(again).to_dict() == diagnose(machine).to_dict()


@for_each("name", SIMULATED)
def test_a_simulated_machine_is_read_the_same_twice(name):
    machine = recorded_machines.load_machine(name)
    assert read_machine(SimulatedHost(os.path.join(FOLDER, name)), deep=True) == machine
    assert recorded_machines.host(name).system == machine.native.system


@for_each("name", SIMULATED)
def test_nothing_personal_leaves(name):
    host, machine = recorded_machines.host(name), recorded_machines.load_machine(name)
    diagnosis = recorded_machines.diagnosis(name)
    text = json.dumps([machine.to_dict(), diagnosis.to_dict(), select_device(machine=machine).to_dict()])
    for word in (host.home, host.home.replace("\\", "\\\\"), host.user, host.node):
        assert not word or word not in text


@each_machine
def test_every_finding_is_complete(name):
    for finding in recorded_machines.diagnosis(name).findings:
        assert finding.summary.endswith(".")
        assert finding.evidence
        if finding.severity != "info":
            assert finding.fix
        for fix in finding.fix:
            assert fix.text
            assert fix.command is None or (fix.command == fix.command.strip() and "\n" not in fix.command)


@each_machine
def test_a_broken_environment_has_one_error_not_five(name):
    errors = [finding.code for finding in recorded_machines.diagnosis(name).findings if finding.severity == "error"]
    assert len(errors) <= 1


def test_what_is_unknown_is_never_absent(make_machine):
    """A machine on which nothing can be read: no rule may call it clean, and none may fail."""
    denied = [
        "/proc/version",
        "/sys/bus/pci/devices",
        "/proc/driver/nvidia/gpus",
        "/proc/driver/nvidia/version",
        "/secret",
    ]
    host = make_machine(
        folders=denied,
        denied=denied,
        env={"LD_LIBRARY_PATH": "/secret"},
        python={"installed": {"tensorflow": "2.20.0", "numpy": "2.1.0"}},
    )
    diagnosis = diagnose(read_machine(host))
    undecided = {item.code for item in diagnosis.not_evaluated}
    assert {"no-gpu", "wsl-without-gpu", "driver-mismatch"} <= undecided
    assert diagnosis.by_code("no-gpu") is None
    for item in diagnosis.not_evaluated:
        assert "the rule failed" not in item.because
