"""Make everything that a new finding code needs, with the places to fill in marked: rule, page and two machines.

``python tools/new_finding.py disk-full --package native`` adds the code, a rule in ``devicekit/diagnosis/rules/native.py``
(a new file if there is none), the page, a machine on which it fires and one on which it just does not. Every place that needs
your knowledge says ``FILL IN``; ``tests/test_codes.py`` fails and lists them until all are filled in.
"""

import argparse
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

CODES = os.path.join("devicekit", "diagnosis", "codes.py")
RUNNER = os.path.join("devicekit", "diagnosis", "diagnose.py")
PAGES = os.path.join("devicekit", "diagnosis", "codes.md")
RULES = os.path.join("devicekit", "diagnosis", "rules")
MACHINES = os.path.join("tests", "machines")

RULE = '''

@rule("{code}")
def {name}(view: View) -> Iterable[Finding]:
    """FILL IN: when it fires, in one line."""
    fact = view.machine.native.libc  # FILL IN: the fact that shows it; `.value` of an unknown one raises
    if fact.value != "FILL IN: the condition":
        return
    yield Finding(
        "{code}",
        "warning",
        "FILL IN: the cause in one sentence.",
        (Evidence("FILL IN: what was seen", fact.source),),
        (Fix("FILL IN: what to do, in words"),),
        (),
        "",
    )
'''

HEAD = '''"""FILL IN: what these rules are about, in one line."""

from typing import Iterable

from ..findings import Evidence, Finding, Fix
from ..view import View
from .registry import rule
'''


class Tree:
    """The files of a checkout; what is written is listed."""

    def __init__(self, root):
        self.root = root
        self.written = []

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as stream:
            return stream.read()

    def exists(self, path):
        return os.path.exists(os.path.join(self.root, path))

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        self.written.append(path)


def add_code(tree, code, before):
    """Put the code into the order of evaluation, and among those that no log shows."""
    text = tree.read(CODES)
    start = text.index("CODES = (")
    mark = '"%s"' % before
    place = text.index(mark, start)
    text = text[:place] + '"%s", ' % code + text[place:]
    table = text.index("NOT_IN_LOGS = {")
    end = text.index("\n}", table)
    text = (
        text[:end]
        + '\n    "%s": "FILL IN: why no log shows it; delete the line if a signature does",' % code
        + text[end:]
    )
    tree.write(CODES, text)


def add_rule(tree, code, package):
    """Add the rule to a module, and a new module to those that are run."""
    path = os.path.join(RULES, package + ".py")
    stub = RULE.format(code=code, name=code.replace("-", "_"))
    if tree.exists(path):
        text = tree.read(path)
        if "from .registry import" not in text:
            raise SystemExit("%s has no rules: name another module" % path)
        tree.write(path, text.rstrip("\n") + "\n" + stub)
        return
    tree.write(path, HEAD + stub)
    text = tree.read(RUNNER)
    start = text.index("from .rules import (")
    end = text.index("\n)", start)
    first, *names = text[start:end].split("\n")
    names = sorted([*names, "    %s," % package])
    tree.write(RUNNER, text[:start] + "\n".join([first, *names]) + text[end:])


def add_page(tree, code):
    """Write the page, with the sections of every page, between those of the codes before and after it."""
    pages = re.split(r"^(?=# [a-z-]+$)", tree.read(PAGES), flags=re.M)
    sections = re.findall(r"^## .*$", next(page for page in pages if page.startswith("# no-gpu\n")), re.M)
    parts = ["# %s" % code, "FILL IN: the root cause in one sentence, which is also its line in the list of codes."]
    for section in sections:
        parts += [section, "FILL IN"]
    pages = sorted(page.rstrip("\n") + "\n" for page in [*pages, "\n\n".join(parts)] if page)
    tree.write(PAGES, "\n".join(pages))


def add_machines(tree, code, like):
    """Write a machine on which the code fires, and one on which it just does not, like one that is there."""
    base = json.loads(tree.read(os.path.join(MACHINES, like, "expected.json")))
    system = like.partition("-")[0]
    fires = dict(base, title="FILL IN: the machine on which it fires", just_not=[])
    notes = [item for item in base["findings"] if item["severity"] == "info"]
    worse = [item for item in base["findings"] if item["severity"] != "info"]
    fires["findings"] = [*worse, {"code": code, "severity": "warning", "blocks": []}, *notes]
    near = dict(base, title="FILL IN: as the other, but for one fact", just_not=[code])
    for name, expected in (("%s-%s" % (system, code), fires), ("%s-no-%s" % (system, code), near)):
        folder = os.path.join(MACHINES, name)
        host = {"like": like, "env": {"FILL_IN": "FILL IN: what differs; null takes away"}}
        tree.write(os.path.join(folder, "host.json"), json.dumps(host, indent=1) + "\n")
        tree.write(os.path.join(folder, "expected.json"), json.dumps(expected, indent=1, ensure_ascii=False) + "\n")


def make(root, code, package, like, before):
    """Make everything for a code in a checkout; return the files that were written."""
    tree = Tree(root)
    if not re.match(r"[a-z]+(-[a-z]+)+$", code):
        raise SystemExit("%r: a code is kebab-case and names the root cause, for example disk-full" % code)
    if "# %s\n" % code in tree.read(PAGES):
        raise SystemExit("the code %s exists" % code)
    if not tree.exists(os.path.join(MACHINES, like, "expected.json")):
        raise SystemExit("there is no machine %s in %s" % (like, MACHINES))
    if '"%s"' % before not in tree.read(CODES):
        raise SystemExit("there is no code %s" % before)
    add_code(tree, code, before)
    add_rule(tree, code, package)
    add_page(tree, code)
    add_machines(tree, code, like)
    return tree.written


NEXT = """
Next:
  1. Search these files for FILL IN, and fill in each place.
     hidden_by=(...) of the rule: the codes of the causes whose symptom it is; they must stand before it in codes.py.
     When the rule works, tools/machine_folder.py expected NAME writes what devicekit says of a machine: check it.
  2. Does a log show it? Add a signature (see CONTRIBUTING.md) and a row to devicekit/matrix/data/remedies.json.
  3. python tools/bundle_machines.py && python tools/write_schemas.py
  4. python -m pytest tests/test_codes.py tests/test_machines.py
"""


def main(arguments=None):
    """Run the tool; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("code", help="kebab-case, names the root cause: disk-full")
    parser.add_argument("--package", metavar="WORD", help="the module of rules, new or not (default: the first word)")
    parser.add_argument("--like", metavar="MACHINE", default="linux-no-gpu", help="the recorded machine to start from")
    parser.add_argument("--before", metavar="CODE", default="no-gpu", help="the code that it can hide, or precedes")
    options = parser.parse_args(arguments)
    package = (options.package or options.code.partition("-")[0]).replace("-", "_")
    for path in make(ROOT, options.code, package, options.like, options.before):
        print("wrote %s" % path)
    print(NEXT, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
