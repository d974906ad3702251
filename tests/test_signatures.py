"""The signatures of log lines: well formed, quick on any line, and each about the lines that it should be about.

The example lines lie in ``tests/signatures``, or next to a signature that is being written
(``tools/split_signatures.py`` moves them).
"""

import importlib.util
import json
import os
import re
import string
import time

import pytest
from checks import for_each
from worst_lines import REPEATS, constants, parser, worst_lines

from devicekit.diagnosis.codes import CODES, MEASURED_CODES, NOT_IN_LOGS
from devicekit.logs.lines import SHORTEST_LITERAL
from devicekit.logs.signatures import BY_LIBRARY, FILES, SAYS, Signature, library_code, remedy, signatures

TESTS = os.path.dirname(os.path.abspath(__file__))
#: Those of the checkout: an installed package leaves out their sources.
FOLDER = os.path.join(os.path.dirname(TESTS), "devicekit", "logs", "signatures")
ALL_CODES = CODES + MEASURED_CODES

FIELDS = {
    "id", "literal", "pattern", "says", "code", "severity", "when", "sets", "summary", "fix", "source", "examples",
    "not", "expects-gpu", "fix-alone", "when-of",
}  # fmt: skip
CONDITIONS = {
    "os", "wsl", "container", "gpu", "no-gpu", "arch", "package", "env", "seen", "unseen", "group", "python", "cuda",
    "cudnn", "driver", "rocm", "capability", "gfx", "frame",
}  # fmt: skip


def rows():
    """All signatures with their examples, by their files."""
    found = {}
    for name in FILES:
        with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as stream:
            data = json.load(stream)
        path = os.path.join(TESTS, "signatures", name + ".json")
        examples = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as stream:
                examples = json.load(stream)
        assert not set(examples) - {row["id"] for row in data["signatures"]}, "examples of no signature: %s" % path
        found[name] = [dict(examples.get(row["id"], {}), **row) for row in data["signatures"]]
    return found


BY_FILE = rows()
ROWS = [row for name in FILES for row in BY_FILE[name]]
IDS = [row["id"] for row in ROWS]


#: The patterns are compiled once: the cache of `re` is too small for all of them.
SIGNATURES = {row["id"]: Signature(row) for row in ROWS}
PATTERNS = {row["id"]: re.compile(row["pattern"]) for row in ROWS if "pattern" in row}

each_signature = for_each("row", ROWS, ids=IDS)


def groups_of(row):
    return set(PATTERNS[row["id"]].groupindex) if "pattern" in row else set()


def test_every_file_is_read():
    assert sorted(FILES) == sorted(name[: -len(".json")] for name in os.listdir(FOLDER) if name.endswith(".json"))
    assert [item.id for item in signatures()] == IDS


def test_no_literal_is_as_short_as_lines_that_are_passed_over():
    assert min(len(literal) for item in signatures() for literal in item.literals) >= SHORTEST_LITERAL


#: Signatures whose list of exceptions is that of others, too.
SHARED = {row["when-of"] for row in ROWS if "when-of" in row}


def twice_said(row):
    """What a signature has and what changes nothing: a literal in which another one is, the severity of its code, ..."""
    literals = row["literal"]
    found = [item for item in literals if any(other != item and other in item for other in literals)]
    if row.get("severity") and row["severity"] == remedy(row["code"]).get("severity", "error"):
        found += ["severity"] * (row["code"] not in ("container-without-gpu", "wsl-without-gpu", BY_LIBRARY))
    # A list that others take as well says what each of them needs.
    for case in row.get("when", []) if row["id"] not in SHARED else []:
        found += ["says"] * (case.get("says") == row["says"])
        found += ["code"] * (len(case) > 2 and case.get("code") == row.get("code", ""))
    return found


def test_nothing_is_said_twice():
    assert {row["id"]: twice_said(row) for row in ROWS if twice_said(row)} == {}


def test_ids_are_unique():
    assert len(set(IDS)) == len(IDS), sorted(item for item in set(IDS) if IDS.count(item) > 1)


@for_each("name", FILES)
def test_a_file_says_when(name):
    with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as stream:
        data = json.load(stream)
    assert re.match(r"\d{4}-\d\d-\d\d$", data["date"])
    assert set(data) <= {"date", "signatures", "schema", "source", "note"}


@each_signature
def test_fields(row):
    assert not set(row) - FIELDS
    assert re.match(r"[a-z0-9]+(-[a-z0-9.+_]+)*$", row["id"])
    assert row["says"] in SAYS
    assert row["source"]
    assert row["literal"]
    assert len(set(row["literal"])) == len(row["literal"])
    for literal in row["literal"]:
        assert len(literal) >= 6, literal
        assert "\n" not in literal
    speaks = row["says"] not in ("context", "harmless")
    assert speaks == ("code" in row)
    if speaks:
        assert row["code"] == BY_LIBRARY or row["code"] in ALL_CODES
    if row["says"] != "context":
        assert len(row["summary"]) > 10
    assert row.get("severity", "error") in ("error", "warning", "info")
    if row.get("code") == BY_LIBRARY:
        assert "library" in groups_of(row)


@each_signature
def test_ways_out(row):
    for fix in fixes_of(row):
        assert set(fix) <= {"text", "if", *STEPS}
        assert len(set(fix) & STEPS) <= 1, "one step does one thing"
        assert not set(fix.get("if", ())) - CONDITIONS
        assert fix["text"]
        assert all(isinstance(fix[name], list) for name in ("unset", "set", "install") if name in fix), fix
        for name in ("set", "unset", "install", "upgrade", "remove"):
            assert name not in fix or (fix[name] and all(fix[name])), fix
        assert len(fix.get("set", "ab")) == 2, "a name and a value"
        if "command" in fix:
            assert fix["command"]
            assert fix["command"] == fix["command"].strip()
            assert "\n" not in fix["command"]


#: What a step of a signature does: type a command as it is, or something that `Shell` writes for the system in use.
STEPS = {"command", "set", "unset", "install", "upgrade", "remove", "reinstall"}


def fixes_of(row):
    return row.get("fix", []) + [fix for case in row.get("when", []) for fix in case.get("fix", [])]


@each_signature
def test_conditions(row):
    groups = groups_of(row)
    for case in row.get("when", []):
        assert set(case) <= {"if", "code", "says", "summary", "fix", "fix-alone", "severity"}
        assert case["if"]
        assert not set(case["if"]) - CONDITIONS
        code = case.get("code", row["code"])
        assert code is None or code in (BY_LIBRARY, "harmless") or code in ALL_CODES
        assert case.get("says", row["says"]) in SAYS
        for name in ("seen", "unseen"):
            wanted = case["if"].get(name, [])
            wanted = wanted if isinstance(wanted, list) else wanted.split("|")
            assert not set(wanted) - set(IDS), wanted
        for name in ("group", "env"):
            for pattern in case["if"].get(name, {}).values():
                re.compile(pattern)
        assert not set(case["if"].get("group", {})) - groups


@each_signature
def test_what_texts_name_is_caught(row):
    """A placeholder is a group of the pattern; other braces are doubled."""
    groups = groups_of(row)
    texts = [row.get("summary", "")] + [case.get("summary", "") for case in row.get("when", [])]
    for fix in fixes_of(row):
        texts += [fix["text"], fix.get("command", ""), fix.get("reinstall", "")]
        texts += [text for name in ("set", "unset", "install", "upgrade", "remove") for text in fix.get(name, ())]
    for text in texts:
        for _, name, specification, conversion in string.Formatter().parse(text):
            assert name is None or name in groups | {"distribution", "title", "pin", "index"}, text
            assert not specification, text
            assert not conversion, text


@each_signature
def test_examples_match_and_look_alikes_do_not(row):
    signature = SIGNATURES[row["id"]]

    def matches(line):
        return any(literal in line for literal in signature.literals) and signature.match(line) is not None

    assert row["examples"], "no example"
    for line in row["examples"]:
        assert "\n" not in line
        assert matches(line), line
    for line in row.get("not", []):
        assert not matches(line), line


@each_signature
def test_texts_of_the_examples_have_no_gap(row):
    """Where a group of the pattern may be absent, its sentence says "?": at least the first example must fill it."""
    groups = SIGNATURES[row["id"]].match(row["examples"][0])
    summary = row.get("summary", "")
    for _, name, _, _ in string.Formatter().parse(summary):
        assert name is None or groups.get(name), (name, row["examples"][0])


def test_every_code_that_a_log_can_show_has_a_signature():
    shown = set()
    for row in ROWS:
        for case in [row] + row.get("when", []):
            if case.get("says", row["says"]) in ("cause", "symptom"):
                shown.add(case.get("code", row.get("code")))
    names = (
        "libcudart.so.12",
        "libcudnn.so.9",
        "libcuda.so.1",
        "libdevice",
        "libamdhip64.so",
        "directml.dll",
        "msvcp140.dll",
    )
    shown |= {library_code(name) for name in names}
    shown |= {"cause-unknown"}  # for what no signature knows: see tests/test_failures.py
    assert set(ALL_CODES) - shown == set(NOT_IN_LOGS)


# No pattern may backtrack badly: looked at as it is written, and tried on the lines that are worst for it.

#: A repeat of something that itself may be of different lengths is tried in all ways: so often is often enough.
NESTED = 6


def parts_of(item):
    """The parts of which a parsed item consists."""
    kind, value = item
    if kind in REPEATS:
        return [value[2]]
    if kind is constants.SUBPATTERN:
        return [value[-1]]
    if kind is constants.BRANCH:
        return list(value[1])
    if kind in (constants.ASSERT, constants.ASSERT_NOT):
        return [value[1]]
    if kind is constants.GROUPREF_EXISTS:
        return [part for part in value[1:] if part]
    if str(kind) == "ATOMIC_GROUP":
        return [value]
    return []


def items_of(parsed):
    for item in parsed:
        yield item
        for part in parts_of(item):
            yield from items_of(part)


def unbounded(item):
    return item[0] in REPEATS and item[1][1] is constants.MAXREPEAT


def varies(item):
    return item[0] in REPEATS and item[1][0] != item[1][1]


def width_of(item):
    """The least number of characters that an item takes."""
    kind, value = item
    if kind in REPEATS:
        return value[0] * sum(map(width_of, value[2]))
    if kind is constants.SUBPATTERN:
        return sum(map(width_of, value[-1]))
    if kind is constants.BRANCH:
        return min(sum(map(width_of, part)) for part in value[1])
    return 1 if kind in (constants.LITERAL, constants.NOT_LITERAL, constants.ANY, constants.IN) else 0


def adjacent(parsed):
    """Whether two endless repeats follow on one another with nothing between them that takes a character."""
    before = False
    for item in parsed:
        if unbounded(item):
            if before:
                return True
            before = True
        elif width_of(item):
            before = False
        if any(adjacent(part) for part in parts_of(item)):
            return True
    return False


def badly_nested(parsed):
    for item in items_of(parsed):
        if item[0] in REPEATS and (unbounded(item) or item[1][1] > NESTED):
            if any(varies(inner) for inner in items_of(item[1][2])):
                return True
    return False


@each_signature
def test_patterns_are_bounded(row):
    if "pattern" not in row:
        return
    parsed = parser.parse(row["pattern"])
    assert not badly_nested(parsed)
    assert not adjacent(parsed)


@pytest.mark.parametrize(
    "pattern", ["(a+)+b", "(?:a|b*)*", r"(\w{1,5}x?){1,30}", r"\d+\d+", r"\s*(?:x?)\s*y", "(a*?)+"]
)
def test_bad_patterns_are_seen(pattern):
    parsed = parser.parse(pattern)
    assert badly_nested(parsed) or adjacent(parsed)


@each_signature
def test_patterns_are_quick_on_their_worst_lines(row):
    if "pattern" not in row:
        return
    pattern = PATTERNS[row["id"]]
    for line in worst_lines(row["pattern"]):
        started = time.process_time()
        pattern.search(line)
        # Far more than any needs (a few milliseconds), far less than one that backtracks badly.
        assert time.process_time() - started < 20.0, line[:200]


# The tool that moves the examples.


@pytest.fixture
def split_signatures():
    path = os.path.join(os.path.dirname(TESTS), "tools", "split_signatures.py")
    spec = importlib.util.spec_from_file_location("split_signatures", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_splitting_loses_nothing_and_can_be_done_again(split_signatures, tmp_path):
    from_folder, to_folder = tmp_path / "signatures", tmp_path / "examples"
    from_folder.mkdir()
    for name, found in BY_FILE.items():
        (from_folder / (name + ".json")).write_text(
            json.dumps({"date": "2026-11-21", "signatures": found}), encoding="utf-8"
        )
    arguments = ["--signatures", str(from_folder), "--examples", str(to_folder)]
    assert split_signatures.main([*arguments, "--check"]) == 1
    assert not to_folder.exists()
    assert split_signatures.main(arguments) == 0
    assert split_signatures.main([*arguments, "--check"]) == 0

    def joined():
        found = []
        for name in FILES:
            data = json.loads((from_folder / (name + ".json")).read_text(encoding="utf-8"))
            examples = json.loads((to_folder / (name + ".json")).read_text(encoding="utf-8"))
            assert not any("examples" in row or "not" in row for row in data["signatures"])
            found += [dict(row, **examples.get(row["id"], {})) for row in data["signatures"]]
        return found

    wanted = [{name: value for name, value in row.items() if value or name != "not"} for row in ROWS]
    assert joined() == wanted
    # Another example is written next to a signature, and a signature goes.
    path = from_folder / "general.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    gone = data["signatures"].pop()
    data["signatures"][0]["examples"] = ["another line"]
    path.write_text(json.dumps(data), encoding="utf-8")
    assert split_signatures.main(arguments) == 0
    examples = json.loads((to_folder / "general.json").read_text(encoding="utf-8"))
    assert examples[data["signatures"][0]["id"]]["examples"] == ["another line"]
    assert gone["id"] not in examples
