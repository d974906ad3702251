"""What devicekit says of a machine agrees with itself: for every machine, every request and every report."""

import functools
import json
import re

import pytest
import recorded_machines
from checks import for_each

from devicekit import diagnose, select_device
from devicekit.cli.doctor import decide, exit_status
from devicekit.cli.main import command_parser
from devicekit.diagnosis.findings import name_of
from devicekit.report.html.diagnosis import doctor_page
from devicekit.report.rendering import devices_data, doctor_data
from devicekit.report.screen import doctor_screen
from devicekit.report.terminal import Style, devices_text, doctor_text
from devicekit.selection.selection import is_stuck
from devicekit.testing import load, machines

BUNDLED = ["bundled %s" % name for name in machines()]
each_machine = for_each("name", BUNDLED + recorded_machines.NAMES)

#: Text that no one has written: a value is missing in it, or two parts of it do not go together.
BROKEN_TEXT = re.compile(
    r"\w ,|works: |(?<!\w)\(\)|\bNone\b|\.{4}|[,;:]\.\.\.|: \.|[^.]\.\.$|\b1 cores|\b1 errors| \n", re.M
)
STYLE = Style(unicode=True)


@functools.lru_cache(maxsize=None)
def machine_of(name):
    return load(name[len("bundled ") :]) if name in BUNDLED else recorded_machines.load_machine(name)


@functools.lru_cache(maxsize=None)
def diagnosis_of(name):
    return diagnose(machine_of(name))


class Said:
    """Everything that is said of a machine for a request."""

    def __init__(self, name, request):
        self.machine = machine_of(name)
        self.selection = select_device(request, machine=self.machine)
        found = diagnosis_of(name)
        known = {(item.code, item.summary) for item in found.findings}
        further = tuple(item for item in self.selection.findings if (item.code, item.summary) not in known)
        self.diagnosis = found.replace(findings=further + found.findings)
        self.stuck = is_stuck(self.selection)
        devices = self.diagnosis.candidates_for(name_of(self.selection.framework))
        self.blocked = [item.device for item in devices if item.usable is False and item.platform != "cpu"]
        self.chosen = next((item for item in devices if item.device == self.selection.device), None)
        everything = (self.machine, self.diagnosis, self.selection)
        self.screen = doctor_screen(*everything, STYLE)
        self.whole = doctor_text(*everything, STYLE)
        self.devices = devices_text(self.diagnosis, self.selection, STYLE)
        self.data = json.loads(json.dumps(doctor_data(*everything)))
        self.devices_data = devices_data(*everything)
        self.line = str(self.selection)

    @property
    def is_well(self):
        notes = [item for item in self.diagnosis.findings if item.code != "no-gpu"]
        return not (notes or self.blocked or self.stuck or self.selection.fallback)


@functools.lru_cache(maxsize=None)
def said_of(name, request):
    return Said(name, request)


@pytest.mark.parametrize("request_text", ["auto", "cpu", "gpu", "gpu:1", "directml"])
@each_machine
def test_no_report_contradicts_another(name, request_text):
    said = said_of(name, request_text)
    assert not BROKEN_TEXT.search(said.screen + said.whole + said.devices + said.line)
    # What is well, and what is not.
    assert not said.screen.startswith("\u2713") or not (said.stuck or said.selection.fallback)
    assert not said.screen.startswith("\u2713") or "[\u2717]" not in said.screen
    assert not said.screen.startswith("\u2717") or "[\u2717]" in said.screen
    assert "No problems found." not in said.whole or said.is_well
    # Where it runs, and whether it runs.
    status = said.diagnosis.framework(name_of(said.selection.framework))
    if "will train on" in said.screen:
        assert said.chosen.usable
        assert status.will_run_keras is not False
    assert said.line.startswith("devicekit: no usable device") == said.stuck
    assert ("\u25cf" in said.whole) == (not said.stuck and said.selection.device != "auto")
    assert not re.search("\u25cf.*blocked", said.whole + said.devices)
    assert ("no usable device" in said.whole) == said.stuck
    # What a program reads: a blocked device is never a quiet choice.
    assert [item["device"] for item in said.data["devices"]] == [
        item["device"] for item in said.devices_data["devices"]
    ]
    if said.chosen is not None and said.chosen.usable is False:
        assert said.stuck
        assert said.data["selection"]["fallback"] or request_text == "cpu"
    assert not said.selection.fallback or said.selection.reason


@pytest.mark.parametrize("framework", ["tensorflow", "jax", "torch", "keras", "any"])
@each_machine
def test_a_framework_is_ready_or_the_reason_is_said(name, framework):
    machine = machine_of(name)
    selection = select_device("gpu", framework=framework, machine=machine)
    devices = diagnosis_of(name).candidates_for(name_of(selection.framework))
    chosen = [item.usable for item in devices if item.device == selection.device]
    assert not BROKEN_TEXT.search(str(selection))
    if selection.platform == "cpu" and not selection.fallback:
        assert is_stuck(selection)
    if selection.fallback:
        assert selection.findings or is_stuck(selection)
        assert len(selection.reason) > 20
    else:
        assert False not in chosen


@pytest.mark.parametrize("request_text", ["auto", "gpu:1"])
@each_machine
def test_the_page_agrees_with_the_screen(name, request_text):
    said = said_of(name, request_text)
    text = re.sub(r"<[^>]+>", " ", doctor_page(said.machine, said.diagnosis, said.selection).partition("<body")[2])
    assert "No problems found" not in text or said.is_well
    assert ("no usable device" in text) == said.stuck
    assert "a better device is present but blocked" not in text or said.blocked


@each_machine
def test_a_symptom_is_no_second_error(name):
    """One cause, one error: what does not work because of another error is not counted next to it."""
    errors = [item for item in diagnosis_of(name).findings if item.severity == "error"]
    assert len(errors) < 2, [item.code for item in errors]


@each_machine
def test_systems_and_processors_have_the_names_that_people_know(name):
    said = said_of(name, "auto")
    system = re.search(r"^System +(.*)", said.whole, re.M).group(1)
    if said.machine.native.system == "windows":
        assert re.match(r"Windows (1[01]|Server|7|8)", system) or said.machine.native.os_version.or_none() is None
    elif said.machine.native.system == "macos":
        assert re.match(r"macOS (1[1-5]|2[6-9])(\.\d+)*,", system)
    assert not re.search(r"\((R|TM)\)|\d-Core Processor| @ ", said.screen)


@pytest.mark.parametrize("device", ["auto", "gpu", "gpu:1"])
def test_the_exit_status_is_what_the_screen_says(device):
    wrong = []
    for name in machines():
        options = command_parser().parse_args(["doctor", "--machine", name, "--device", device])
        machine, diagnosis, selection = decide(options)
        first = doctor_screen(machine, diagnosis, selection, STYLE)[0]
        status = exit_status(options, diagnosis, selection)
        if (status == 0 and first == "\u2717" and device != "auto") or (status == 1 and first == "\u2713"):
            wrong.append((name, status, first))
    assert wrong == []
