"""Questions to `resolve` with the answers that their sources give: ``resolve_questions.json``.

A row has a question (the arguments of `devicekit.resolve`, of which ``goal``, ``python`` and ``platform`` have defaults
here), the answer, and the source of the answer. Of the answer only what is named is checked:

``possible``
    Whether there is a set.
``pins``
    Projects that are part of the set, each with the range that its version is in.
``not_pins``
    Projects that are not part of the set.
``says``, ``not_says``
    Texts that are, or are not, in an obstacle, a need of the system, an alternative, or the reason of a pin.
"""

import json
import os

import pytest
from packaging.specifiers import SpecifierSet

import devicekit

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "resolve_questions.json")
DEFAULTS = {"goal": "gpu", "python": "3.12", "platform": "linux-x86_64"}
QUESTION = {"goal", "framework", "also", "python", "platform", "gpu", "driver", "keep"}
ANSWER = {"possible", "pins", "not_pins", "says", "not_says"}

with open(FILE, encoding="utf-8") as stream:
    ROWS = json.load(stream)["rows"]


def name_of(row):
    parts = []
    for key, value in row["question"].items():
        parts.append(value if isinstance(value, str) else "+".join([key, *value]))
    return " ".join(parts)


def sentences(answer):
    yield from answer.obstacles
    yield from (need.text for need in answer.needs)
    yield from answer.notes
    yield from (item.text for item in answer.alternatives)
    yield from (pin.because for pin in answer.pins)


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_the_answer_is_the_one_that_the_source_gives(row):
    answer, expected = devicekit.resolve(**dict(DEFAULTS, **row["question"])), row["answer"]
    assert answer.possible == expected["possible"], (answer.command, answer.obstacles)
    versions = {pin.name: pin.version for pin in answer.pins}
    wrong = {
        name: versions.get(name)
        for name, bound in expected.get("pins", {}).items()
        if name not in versions or not SpecifierSet(bound).contains(versions[name], prereleases=True)
    }
    assert not wrong
    assert not set(expected.get("not_pins", ())) & set(versions)
    texts = list(sentences(answer))
    assert not [part for part in expected.get("says", ()) if not any(part in text for text in texts)], texts
    assert not [part for part in expected.get("not_says", ()) if any(part in text for text in texts)], texts


def test_every_question_is_asked_once_and_has_its_source():
    questions = [json.dumps(row["question"], sort_keys=True) for row in ROWS]
    assert len(set(questions)) == len(questions)
    for row in ROWS:
        assert set(row) == {"question", "answer", "source"}
        assert set(row["question"]) <= QUESTION
        assert "possible" in row["answer"]
        assert set(row["answer"]) <= ANSWER
        assert len(row["source"]) > 15, row
