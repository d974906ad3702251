"""A code is legal only with its rule, its page, a machine that fires it, and one on which it just does not fire."""

import os
import re

import recorded_machines
from checks import for_each
from recorded_machines import NAMES

import devicekit
from devicekit.diagnosis.codes import CODES, MEASURED_CODES
from devicekit.diagnosis.diagnose import rules

PAGES = os.path.join(os.path.dirname(os.path.abspath(devicekit.__file__)), "diagnosis", "pages")
DOCS = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "reference", "codes", "index.md"
)
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
    assert not {"error", "warning", "info"} & set(code.split("-"))


@for_each("code", CODES + MEASURED_CODES)
def test_every_code_has_a_page(code):
    with open(os.path.join(PAGES, code + ".md"), encoding="utf-8") as stream:
        page = stream.read()
    assert page.startswith("# %s\n" % code)
    for section in ("## What it means", "## How to see it", "## How to mend it", "## How to make sure"):
        assert section in page
    with open(DOCS, encoding="utf-8") as stream:
        assert "`%s`" % code in stream.read()


def test_every_page_has_a_code():
    assert sorted(name[:-3] for name in os.listdir(PAGES)) == sorted(CODES + MEASURED_CODES)


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
