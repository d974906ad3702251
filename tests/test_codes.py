"""A code is legal only with its rule, its page, a machine that fires it, and one on which it just does not fire."""

import os
import re

import recorded_machines
from checks import for_each
from recorded_machines import NAMES

import devicekit
from devicekit.diagnosis.codes import CODES, MEASURED_CODES, NOT_IN_LOGS, code_pages
from devicekit.diagnosis.diagnose import rules

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(devicekit.__file__)))
FIRED = {}
NEAR = {}
for _name in NAMES:
    for _finding in recorded_machines.diagnosis(_name).findings:
        FIRED.setdefault(_finding.code, []).append(_name)
    for _code in recorded_machines.expected(_name)["just_not"]:
        NEAR.setdefault(_code, []).append(_name)


def test_every_code_has_one_rule():
    assert [item.code for item in rules()] == list(CODES)
    assert len(set(CODES + MEASURED_CODES)) == len(CODES + MEASURED_CODES)


@for_each("code", CODES + MEASURED_CODES)
def test_names_are_stable_names(code):
    assert re.match(r"[a-z]+(-[a-z]+)*$", code)
    # A severity is not a part of a name; an error of the user's own program is called so whatever its severity.
    assert code == "user-code-error" or not {"error", "warning", "info"} & set(code.split("-"))


@for_each("code", CODES + MEASURED_CODES)
def test_every_code_has_a_page(code):
    page = code_pages()[code]
    assert page.startswith("# %s\n" % code)
    for section in ("## What it means", "## How to see it", "## How to fix it", "## How to verify"):
        assert section in page
    assert len(page.split("\n\n")[1].splitlines()) < 5, "the root cause in one sentence, which is its line in the index"


def left_to_fill_in():
    """Return the places that `tools/new_finding.py` marked and no one has filled in, as ``path:line: text``."""
    found = []
    for below in (("devicekit", "diagnosis"), ("tests", "machines")):
        for folder, _, names in os.walk(os.path.join(ROOT, *below)):
            for name in sorted(names):
                if not name.endswith((".py", ".md", ".json")):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as stream:
                    lines = list(enumerate(stream, 1))
                shown = os.path.relpath(path, ROOT).replace(os.sep, "/")
                found += ["%s:%d: %s" % (shown, number, line.strip()) for number, line in lines if "FILL IN" in line]
    return found


def test_nothing_is_left_to_fill_in():
    assert left_to_fill_in() == [], "fill in what tools/new_finding.py left open:\n" + "\n".join(left_to_fill_in())


def test_reasons_are_of_codes_and_say_something():
    assert set(NOT_IN_LOGS) <= set(CODES + MEASURED_CODES)
    assert all(NOT_IN_LOGS.values())


def test_every_page_has_a_code():
    assert sorted(code_pages()) == sorted(CODES + MEASURED_CODES)
    checkout = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # a wheel has another order
    with open(os.path.join(checkout, "devicekit", "diagnosis", "codes.md"), encoding="utf-8") as stream:
        sections = re.findall(r"^# ([a-z-]+)$", stream.read(), re.M)
    assert sections == sorted(sections), "the sections of codes.md, in alphabetical order"


@for_each("code", CODES)
def test_a_machine_fires_it(code):
    assert FIRED.get(code)


@for_each("code", CODES)
def test_on_another_machine_it_just_does_not_fire(code):
    assert NEAR.get(code)
    assert not set(NEAR[code]) & set(FIRED[code])


@for_each("item", rules(), ids=[item.code for item in rules()])
def test_what_hides_a_rule_comes_before_it(item):
    for code in item.hidden_by:
        assert CODES.index(code) < CODES.index(item.code)
