"""`devicekit fix` from its first word to its last: the plan is the real one, of wheels that the test makes for it."""

import json
import os
import signal
import sys
import time

import jsonschema
import pytest
from fake_frameworks import SOURCES
from tiny import COMMAND, FOLDER, NEEDED, ended, wheel

from devicekit.remedy.installers import find_uv


def serve(patient, remedy):
    """Make the wheels that a plan asks for."""
    for attempt in remedy["attempts"]:
        for requirement in attempt["packages"]["install"] + attempt["packages"]["reinstall"]:
            name, _, version = requirement.partition("==")
            path = os.path.join(patient.wheels, "%s-%s-py3-none-any.whl" % (name.replace("-", "_"), version))
            files = None
            for package in ("tensorflow", "keras", "numpy"):
                if name.startswith(package):
                    files = {package + "/__init__.py": "__version__ = %r\n" % version + SOURCES[package]}
            if not os.path.exists(path):
                wheel(patient.wheels, name, version, files)


@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_a_missing_dependency_is_found_installed_and_undone(patient_of, installer):
    patient = patient_of(installer)
    patient.lose_a_dependency()
    before, everything = patient.files(), patient.files(own=True)
    status, planned, _ = patient.fix("--dry-run")
    assert (status, planned["outcome"]) == (1, "planned")
    assert any("absl-py" in finding["summary"] for finding in planned["findings"])
    # Not even byte code is written.
    assert patient.files(own=True) == everything
    serve(patient, planned)
    # Without a terminal and without --yes it asks no one, and changes nothing.
    status, unchanged, errors = patient.fix()
    assert (status, unchanged["outcome"]) == (1, "planned")
    assert "with --yes" in errors
    assert patient.files(own=True) == everything
    status, fixed, errors = patient.fix("--yes")
    assert (status, fixed["outcome"]) == (0, "fixed"), errors
    if fixed["attempts"][0]["outcome"] == "works" and fixed["attempts"][0]["keeps_release"]:
        version = patient.versions()["absl_py"]
        assert {"name": "absl-py", "before": None, "after": version} in fixed["changes"]
    assert patient.works()
    # There is nothing to fix any more.
    status, nothing, _ = patient.fix("--yes")
    assert (status, nothing["outcome"]) == (0, "nothing-wrong")
    status, _, _ = patient.fix("--undo", "--yes")
    assert status == 0
    assert patient.files() == before


def test_a_failure_that_was_not_predicted_is_reported(patient):
    """The NumPy next to this TensorFlow is right, as far as the data say."""
    before = patient.files()
    status, remedy, _ = patient.fix("--yes")
    assert status == 1
    assert remedy["outcome"] in ("no-plan", "restored")
    assert remedy["before"][0]["works"] is False
    assert "exceptions" in remedy["before"][0]["observed"]["error"]
    assert patient.files() == before


def test_next_to_a_python_of_the_system_a_new_environment_is_made(patient_of):
    patient = patient_of("uv")
    patient.prefix = sys.base_prefix
    status, planned, _ = patient.fix("--dry-run", "--goal", "cpu")
    if planned["outcome"] == "nothing-wrong":
        pytest.skip("the Python that these tests were started with has a framework that works")
    attempt = planned["attempts"][0]
    assert (status, planned["outcome"]) == (1, "planned")
    assert "a Python of the system" in attempt["reason"]
    serve(patient, planned)
    patient.variables["PATH"] = os.path.dirname(find_uv())
    status, made, errors = patient.fix("--yes", "--goal", "cpu")
    assert (status, made["outcome"]) == (0, "fixed"), (made["attempts"][0]["detail"], made["after"], errors)
    assert os.path.isfile(os.path.join(patient.home, "venv-cpu", "pyvenv.cfg"))
    assert {row["works"] for row in made["after"]} == {True}
    # The next one does not touch it.
    assert patient.fix("--dry-run", "--goal", "cpu")[1]["attempts"][0]["environment"].endswith("venv-cpu-2")


@pytest.mark.only_on("posix", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_what_ends_the_command_is_undone_first(patient, name):
    patient.lose_a_dependency()
    serve(patient, patient.fix("--dry-run")[1])
    # An installer that takes its time: the dependency has many files.
    files = {"absl/part%d.py" % number: "" for number in range(3000)}
    wheel(patient.wheels, "absl-py", NEEDED["absl-py"], dict(files, **{"absl/__init__.py": ""}))
    before = patient.files()
    process = patient.start(COMMAND, FOLDER, "fix", "--python", patient.prefix, "--yes")
    deadline = time.monotonic() + 100
    while not os.path.isdir(os.path.join(patient.site, "absl")) and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(getattr(signal, name))
    _, errors = ended(process)
    assert (process.returncode, errors.decode("utf-8").strip()) == (
        130,
        "devicekit: interrupted; the environment is as it was before",
    )
    assert patient.files(own=True) == before


@pytest.mark.only_on("posix", reason="signals of POSIX")
def test_doctor_says_that_a_fix_was_interrupted(patient):
    patient.lose_a_dependency()
    serve(patient, patient.fix("--dry-run")[1])
    files = {"absl/part%d.py" % number: "" for number in range(3000)}
    wheel(patient.wheels, "absl-py", NEEDED["absl-py"], dict(files, **{"absl/__init__.py": ""}))
    doctor = (COMMAND, FOLDER, "doctor", "--json", "--python", patient.prefix)
    process = patient.start(COMMAND, FOLDER, "fix", "--python", patient.prefix, "--yes", start_new_session=True)
    deadline = time.monotonic() + 100
    while not os.path.isdir(os.path.join(patient.site, "absl")) and time.monotonic() < deadline:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGSTOP)  # it is still at work: the process that waits, and the command
    assert b"interrupted" not in ended(patient.start(*doctor))[1]
    os.killpg(process.pid, signal.SIGKILL)
    ended(process)
    errors = ended(patient.start(*doctor))[1].decode("utf-8")
    assert "was interrupted, and is half done; this restores what was there before: devicekit fix --undo" in errors
    assert patient.fix("--undo", "--yes")[0] == 0
    assert b"interrupted" not in ended(patient.start(*doctor))[1]


def test_a_plan_is_shown_once(patient):
    patient.lose_a_dependency()
    output, errors = ended(patient.start(COMMAND, FOLDER, "fix", "--python", patient.prefix, "--dry-run"))
    lines = output.decode("utf-8").splitlines()
    assert lines[-1] == "Nothing has been changed yet.", errors
    assert "What would be done" in lines
    first = next(line for line in lines if line.startswith("  1. "))[len("  1. ") :]
    assert [line for line in lines if first in line] == ["  1. " + first]


def test_what_it_prints_fits_the_published_schema(patient):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(root, "docs", "reference", "schemas", "remedy.json"), encoding="utf-8") as stream:
        validator = jsonschema.Draft202012Validator(json.load(stream))
    patient.lose_a_dependency()
    planned = patient.fix("--dry-run")[1]
    serve(patient, planned)
    for remedy in (planned, patient.fix("--yes")[1], patient.fix("--undo", "--yes")[1]):
        validator.validate(remedy)
