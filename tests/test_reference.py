"""Generated reference pages are complete, and the check of the site finds defects."""

import argparse
import doctest
import importlib
import json
import os
import re
import subprocess
import sys

import pytest

import devicekit
from devicekit.cli.main import command_parser
from devicekit.diagnosis.codes import CODES, MEASURED_CODES
from devicekit.machine.probe.process import PRESENCE_ONLY, VARIABLES
from devicekit.matrix.matrix import Matrix

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOLS = os.path.join(ROOT, "tools")


@pytest.fixture
def docsite(monkeypatch):
    """Return a function that imports a module of the tools."""
    monkeypatch.syspath_prepend(TOOLS)
    return lambda name: importlib.import_module("docsite." + name)


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as stream:
        return stream.read()


@pytest.mark.parametrize("name", ["markdown", "codes"])
def test_examples_in_the_docstrings(docsite, name):
    failed, tried = doctest.testmod(docsite(name))
    assert (failed, tried > 0) == (0, True)


def test_every_verb_and_option_is_on_the_page_of_the_command(docsite):
    module = docsite("command_line")
    page = module.command_line_page(command_parser())
    found = list(module.verbs(command_parser()))
    assert {names[0] for names, _, _ in found} == set(command_parser()._subparsers._group_actions[0].choices)
    for names, text, parser in found:
        part = page.split("{#%s}\n" % "-".join(names))[1].split("\n## ")[0]
        assert text
        for action in parser._actions:
            hidden = isinstance(action, (argparse._HelpAction, argparse._SubParsersAction))
            if hidden or action.help == argparse.SUPPRESS:
                continue
            assert action.help, (names, action.dest)
            for option in action.option_strings:
                assert option in part, (names, option)


def test_the_page_of_the_command_does_not_depend_on_the_terminal(docsite, monkeypatch):
    page = docsite("command_line").command_line_page(command_parser())
    monkeypatch.setenv("COLUMNS", "40")
    assert docsite("command_line").command_line_page(command_parser()) == page


def test_every_public_name_has_a_topic(docsite):
    module = docsite("api")
    shown = [name for _, _, names in module.TOPICS.values() for name in names]
    assert sorted(shown) == sorted(name for name in module.public_names() if not name.startswith("testing."))
    pages = module.api_pages()
    for name in shown:
        assert sum("::: devicekit.%s\n" % name in page for page in pages.values()) == 1


def test_every_code_has_a_page_that_others_link_to(docsite):
    module = docsite("codes")
    assert sorted(CODES + MEASURED_CODES) == module.CODES
    index = module.link_codes(module.with_index(read("docs", "reference", "codes", "index.md")), module.INDEX)
    for code in module.CODES:
        assert "| [`%s`](%s.md) | " % (code, code) in index


def test_codes_in_blocks_and_headings_are_not_linked(docsite):
    page = "# `no-gpu`\n\n```text\n`no-gpu`\n```\n\n`no-gpu` and `no-such-code`, [`no-gpu`](x.md)\n"
    linked = docsite("codes").link_codes(page, "tutorial.md")
    assert linked == page.replace("\n`no-gpu` and", "\n[`no-gpu`](reference/codes/no-gpu.md) and")


def test_every_project_is_in_one_table(docsite):
    module = docsite("matrix_pages")
    pages = module.matrix_pages()
    listed = re.findall(r"[\w/-]+/matrix/[\w-]+\.md", read("mkdocs.yml"))
    assert sorted(pages) == sorted(name for name in listed if not name.endswith("index.md"))
    for name in Matrix().projects():
        assert sum('<table id="table-%s">' % name in page for page in pages.values()) >= 1
    row = re.search(r"<tr><td[^>]*>2\.15\.1</td>.*?win_amd64.*?</tr>", pages["reference/matrix/tensorflow.md"])
    assert row is not None


def test_text_of_the_data_is_escaped(docsite):
    page = docsite("markdown").table("t", ("a<b",), [("<script>", "https://example.org/x?a=1&b=2.")], 'la"bel')
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert 'data-label="la&quot;bel"' in page


def test_every_variable_is_explained():
    page = read("docs", "reference", "environment.md")
    named = {name for span in re.findall(r"`([A-Z][A-Z0-9_]+)(?:=[^`]*)?`", page) for name in [span]}
    own, reading = page.split("## What devicekit reads")
    for name in VARIABLES + PRESENCE_ONLY:
        assert "`%s`" % name in (own if name.startswith("DEVICEKIT_") else reading), name
    source = ""
    for folder, _, names in os.walk(os.path.join(ROOT, "devicekit")):
        for name in names:
            if name.endswith(".py"):
                source += read(folder, name)
    used = set(re.findall(r"\"([A-Z][A-Z0-9]*_[A-Z0-9_]+|NPROC|PATH|RANK|PYTHON[A-Z]+)\"", source)) | {
        "TERM",
        "NO_COLOR",
    }
    for ending in re.findall(r"prefix \+ \"([A-Z_]+)\"", source):
        used.add("KERAS_DISTRIBUTION_" + ending)
    cluster = re.compile(r"(SLURM|JAX|KERAS_DISTRIBUTION|MASTER|WORLD|LOCAL)_[A-Z_]*[A-Z]$")
    assert {name for name in used if cluster.match(name)} <= named | {"LOCAL_MACHINE"}
    assert {name for name in used if re.match(r"DEVICEKIT_[A-Z]", name)} <= named
    assert named <= used


def test_the_variables_of_devicekit_name_their_release():
    rows = re.findall(r"^\| `(DEVICEKIT_\w+)` \| (\d+\.\d+\.\d+) \|", read("docs", "reference", "environment.md"), re.M)
    assert {name for name in VARIABLES if name.startswith("DEVICEKIT_")} <= {name for name, _ in rows}
    for _, since in rows:
        assert [int(part) for part in since.split(".")] <= [int(part) for part in devicekit.__version__.split(".")]


def test_every_json_document_is_listed(docsite):
    page = docsite("json_page").json_page()
    names = sorted(name[:-5] for name in os.listdir(os.path.join(ROOT, "docs", "reference", "schemas")))
    assert sorted(re.findall(r"^## (\w+) \{#", page, re.M)) == names
    for name in names:
        schema = json.loads(read("docs", "reference", "schemas", name + ".json"))
        part = page.split("## %s {#" % name)[1].split("\n## ")[0]
        for field in schema["properties"]:
            assert "| `%s` | " % field in part


def test_bundled_machines_are_listed(docsite):
    from devicekit import testing

    page = docsite("machines_page").machines_page()
    assert re.findall(r"^\| `([\w.-]+)` \| ", page, re.M) == list(testing.machines())


GOOD = {
    "index.html": '<title>t</title><a href="a/b.html#x">b</a><a href="https://example.org/">out</a>'
    '<a href="#here">h</a><p id="here">',
    "a/b.html": '<title>t</title><p id="x"><a href="../index.html">i</a><img src="data:image/png;base64,AA">',
}


def check(tmp_path, pages):
    for name, text in pages.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, os.path.join(TOOLS, "check_site.py"), str(tmp_path)], stdout=subprocess.PIPE, check=False
    )
    return done.returncode, done.stdout.decode().replace(os.linesep, "\n")


def test_a_good_site_passes(tmp_path):
    assert check(tmp_path, GOOD) == (0, "2 pages, no broken links\n")


@pytest.mark.parametrize(
    "name, text, problem",
    [
        ("a/b.html", '<title>t</title><p id="x"><a href="c.html">', "a/b.html: c.html leads nowhere"),
        ("a/b.html", '<title>t</title><p id="y">', "index.html: a/b.html#x leads to no anchor"),
        ("a/b.html", '<title>t</title><p id="x"><p id="x">', "a/b.html: the anchor x is there twice"),
        ("a/b.html", '<p id="x">', "a/b.html: has no title"),
        ("a/b.html", '<title>t</title><p id="x"><a href="http://example.org">', "is not an https address"),
        ("a/b.html", '<title>t</title><p id="x"><a href="javascript:x()">', "is not a link"),
        (
            "a/b.html",
            '<title>t</title><p id="x"><script src="https://cdn.example.org/x.js"></script>',
            "loads https://cdn",
        ),
        (
            "a/b.html",
            '<title>t</title><p id="x"><link rel="stylesheet" href="x.css">',
            "loads x.css, which is not there",
        ),
        ("c.html", "<title>t</title>", "c.html: no page leads to it"),
        ("s.css", "@import url(https://fonts.example.org/x)", "s.css: loads https://fonts"),
    ],
)
def test_a_defect_of_the_site_is_found(tmp_path, name, text, problem):
    status, message = check(tmp_path, dict(GOOD, **{name: text}))
    assert status == 1
    assert problem in message


def test_llms_txt_has_each_page_with_a_sentence(docsite):
    pages = {
        "index.md": "# Home\n\n```python\nimport this\n```\n\nWhat `it` [is](a.md). More.\n",
        "how-to/a.md": "# Do *A*\n\n| a | table |\n\nFirst: this.\n",
        "bare.md": "# Bare\n",
    }
    nav = [{"Home": "index.md"}, {"How to": ["how-to/a.md", {"Deep": ["bare.md"]}]}]
    assert docsite("llms").llms_text("t", "A summary.", nav, pages.__getitem__).splitlines() == [
        "# t", "", "> A summary.", "", "## Start", "", "- [Home](index.html): What it is", "", "## How to", "",
        "- [Do A](how-to/a.html): First", "", "## How to: Deep", "", "- [Bare](bare.html)",
    ]  # fmt: skip
