"""Moves the examples of the log signatures out of the package, into ``tests/signatures/``: users need not load them.

``python tools/split_signatures.py [--check]``. A signature may be written with its ``examples`` and ``not`` next to it;
this moves them. It can be run again at any time: what is there already stays, what is next to the signature replaces it,
and what belongs to no signature any more is dropped. ``--check`` changes nothing and says with its exit status whether
there is anything to do.
"""

import argparse
import glob
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIGNATURES = os.path.join(ROOT, "devicekit", "logs", "signatures")
EXAMPLES = os.path.join(ROOT, "tests", "signatures")
MOVED = ("examples", "not")


def split(rows, kept):
    """Return the rows without their examples, and the examples by the signatures' ids.

    >>> split([{"id": "a", "says": "hint", "examples": ["x"]}], {"a": {"examples": ["old"]},
    "gone": {"examples": ["y"]}})
    ([{'id': 'a', 'says': 'hint'}], {'a': {'examples': ['x']}})
    """
    bare, examples = [], {}
    for row in rows:
        bare.append({name: value for name, value in row.items() if name not in MOVED})
        found = {name: row[name] for name in MOVED if row.get(name)}
        found = dict(kept.get(row["id"], {}), **found)
        if found:
            examples[row["id"]] = found
    return bare, examples


def signatures_text(data):
    """Return a file of signatures as text: one row a line, so that a change is one line of a diff."""
    head = [" %s: %s" % (json.dumps(name), json.dumps(value)) for name, value in data.items() if name != "signatures"]
    rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in data["signatures"])
    return "{\n%s\n}\n" % ",\n".join(head + [' "signatures": [\n%s\n ]' % rows])


def examples_text(examples):
    """Return a file of examples as text, in the order of the signatures."""
    rows = (" %s: %s" % (json.dumps(name), json.dumps(found, ensure_ascii=False)) for name, found in examples.items())
    return "{\n%s\n}\n" % ",\n".join(rows)


def load(path):
    """Return what a JSON file holds, an empty object where there is none."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def store(path, text, check):
    """Write a file where that changes it, and return whether it does."""
    if os.path.exists(path):
        with open(path, encoding="utf-8", newline="") as stream:
            if stream.read() == text:
                return False
    if not check:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    return True


def main(arguments=None):
    """Move the examples of all files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit with status 1 where there is something to do"
    )
    parser.add_argument("--signatures", default=SIGNATURES, metavar="FOLDER")
    parser.add_argument("--examples", default=EXAMPLES, metavar="FOLDER")
    options = parser.parse_args(arguments)
    changed = []
    for path in sorted(glob.glob(os.path.join(options.signatures, "*.json"))):
        examples_path = os.path.join(options.examples, os.path.basename(path))
        data = load(path)
        bare, examples = split(data["signatures"], load(examples_path))
        if bare != data["signatures"]:  # a file without examples stays as it is laid out
            text = signatures_text(dict(data, signatures=bare))
            assert json.loads(text)["signatures"] == bare
            # The examples first: what is interrupted between the two loses nothing.
            store(examples_path, examples_text(examples), options.check)
            store(path, text, options.check)
            changed.append(path)
        elif store(examples_path, examples_text(examples), options.check):
            changed.append(examples_path)
    for path in changed:
        print(os.path.relpath(path, ROOT))
    return 1 if options.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
