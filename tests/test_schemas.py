"""The published JSON Schemas are those of the code, and real output fits them: nothing lacking, nothing beyond."""

import json
import os
import subprocess
import sys

import jsonschema
import pytest
from measurements import benchmark, comparison, tuning
from recorded_machines import NAMES, load_machine

import devicekit
from devicekit import testing
from devicekit.cli.main import main
from devicekit.cluster.lease.listing import LeaseRow, Leases, WaitRow
from devicekit.machine.probe.host_load import HostLoad
from devicekit.report.rendering import devices_data, doctor_data, verification_data
from devicekit.runtime.trial.result import Trial
from devicekit.runtime.verification import FrameworkVerification, Observation, Verification
from devicekit.watch.training_record import GpuSample, HostSample

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "docs", "reference", "schemas")
SCHEMAS = {}
for _name in sorted(os.listdir(FOLDER)):
    with open(os.path.join(FOLDER, _name), encoding="utf-8") as _stream:
        SCHEMAS[_name[: -len(".json")]] = json.load(_stream)


def closed(schema):
    """Return a schema that allows nothing beyond what it names: so that a test notices what it does not name."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {key: closed(item) for key, item in schema.items()}
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        changed["additionalProperties"] = False
    return changed


VALIDATORS = {name: jsonschema.Draft202012Validator(closed(schema)) for name, schema in SCHEMAS.items()}


def check(name, data):
    """What is written as JSON fits the schema of this name."""
    VALIDATORS[name].validate(json.loads(json.dumps(data, allow_nan=False)))


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_a_schema_is_a_schema(name):
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["title"] == name


def test_the_schemas_are_those_of_the_code():
    # Elsewhere fields are described by docstrings that -OO takes away, and 3.7 orders Optional otherwise.
    done = subprocess.run(
        [sys.executable, os.path.join(ROOT, "tools", "write_schemas.py"), "--check"], capture_output=True, check=False
    )
    assert done.returncode == 0, "python tools/write_schemas.py is due: %s" % done.stdout.decode()


@pytest.mark.parametrize("part", range(4))
def test_what_is_said_of_every_machine(part):
    for name in NAMES[part::4]:
        machine = load_machine(name)
        diagnosis, selection = devicekit.diagnose(machine), devicekit.select_device("gpu", machine=machine)
        check("machine", machine.to_dict())
        check("doctor", doctor_data(machine, diagnosis, selection))
        check("devices", devices_data(machine, diagnosis, selection))
        check("diagnosis", diagnosis.to_dict())
        check("selection", selection.to_dict())
        for finding in diagnosis.findings:
            check("finding", finding.to_dict())
        observed = Observation.of(Trial("raised", "random", device="GPU:0", passed=("import",)), "E: no", True, 1.0)
        tried = tuple(FrameworkVerification(status, observed, diagnosis.findings) for status in diagnosis.frameworks)
        check("verification", verification_data(Verification(machine, tried)))


def test_changes_of_a_process():
    change = devicekit.selection.Change("environment", "TF_CPP_MIN_LOG_LEVEL", "1")
    check("selection", devicekit.Selection("cpu", "tensorflow", "cpu", changes=(change,), verified=True).to_dict())


def test_what_was_measured():
    check("benchmark", benchmark().to_dict())
    check("comparison", comparison().to_dict())
    check("tuning", tuning().to_dict())
    record = devicekit.watch.CommandRecord(
        "train.py", 0, 9.0, hosts=(HostSample(0.0, HostLoad(1.0)),), gpus=(GpuSample(0.5, 0),)
    )
    check("command", devicekit.watch.CommandReport.of(record).to_dict())


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("matrix", ["matrix", "tensorflow", "--json"]),
        ("matrix", ["matrix", "torch", "2.99", "--json"]),
        ("resolution", ["resolve", "cuda", "--python", "3.11", "--platform", "linux-x86_64", "--json"]),
        ("resolution", ["resolve", "directml", "--python", "3.12", "--platform", "windows-amd64", "--json"]),
    ],
)
def test_what_commands_print(name, arguments, capsys):
    main(arguments)
    check(name, json.loads(capsys.readouterr().out))


def test_several_machines():
    machines = {name: testing.load(name) for name in ("linux-nvidia", "linux-cudnn-missing", "linux-driver-missing")}
    diff = devicekit.cluster.compare_machines(machines["linux-nvidia"], machines["linux-driver-missing"])
    assert diff.consequences
    check("diff", diff.to_dict())
    fleet = devicekit.cluster.examine_fleet(machines=machines)
    assert len(fleet.groups) > 1
    check("fleet", fleet.to_dict())


@pytest.mark.parametrize("name", ["linux-eight-gpus", "linux-cpu", "linux-two-kinds-of-gpu"])
def test_strategies(name):
    check("strategy", devicekit.cluster.plan_strategy(machine=testing.load(name)).to_dict())


def test_leases():
    held = LeaseRow("gpu:0", "NVIDIA L4", "GPU-1", True, 4711, "python", 1.5)
    free = LeaseRow("gpu:1", "NVIDIA L4", "GPU-2", False, None, "", None)
    check("leases", Leases((held, free), (WaitRow(4712, "python", 1, ("gpu:0",), None),)).to_dict())


def test_a_launch(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import os, sys\nsys.exit(3 if os.environ.get('TF_CONFIG', '').endswith('1}}') else 0)\n")
    summary = tmp_path / "summary.json"
    command = ["-m", "devicekit", "launch", "--workers", "2", "--summary", str(summary), str(program)]
    done = subprocess.run([sys.executable, *command], cwd=str(tmp_path), capture_output=True, check=False)
    assert summary.exists(), done.stderr.decode()
    check("launch", json.loads(summary.read_text(encoding="utf-8")))


def test_what_a_log_says(tmp_path, capsys):
    path = tmp_path / "train.log"
    path.write_text(
        "Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file\n"
        "To enable the following instructions: AVX2 FMA, rebuild TensorFlow with the appropriate compiler flags.\n"
    )
    main(["explain", str(path), "--json"])
    check("explanation", json.loads(capsys.readouterr().out))
