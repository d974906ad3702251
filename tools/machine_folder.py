"""Work on the machines of the tests, the folders below ``tests/machines``.

``python tools/machine_folder.py expected NAME ...`` writes ``expected.json`` from what devicekit says now, and keeps the title
and ``just_not``: check the difference before you commit it. ``like NAME BASE`` rewrites ``host.json`` so that it lists only
what differs from another machine. ``format`` lays out every ``host.json`` for reading; with ``--check`` it only reports.
"""

import argparse
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [ROOT, os.path.join(ROOT, "tests")]

from devicekit.machine.simulated import host_data  # noqa: E402

FOLDER = os.path.join(ROOT, "tests", "machines")
WIDTH = 120
#: Values up to this length share lines: the versions of packages, say.
SHORT = 40


def layout(value, indent=0, before=0):
    """Return a value as JSON: what fits is on one line, and short values share lines."""
    line = json.dumps(value)
    if not isinstance(value, (dict, list)) or not value or indent + before + len(line) + 1 <= WIDTH:
        return line
    keys = [json.dumps(key) + ": " for key in value] if isinstance(value, dict) else [""] * len(value)
    values = list(value.values()) if isinstance(value, dict) else value
    pad = " " * (indent + 1)
    if all(not isinstance(item, (dict, list)) and len(json.dumps(item)) <= SHORT for item in values):
        rows = filled([key + json.dumps(item) for key, item in zip(keys, values)], WIDTH - len(pad))
    else:
        rows = [key + layout(item, indent + 1, len(key)) for key, item in zip(keys, values)]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return "%s\n%s\n%s%s" % (opening, ",\n".join(pad + row for row in rows), " " * indent, closing)


def filled(parts, width):
    """Return lines that hold as many parts as fit."""
    rows = []
    for part in parts:
        if rows and len(rows[-1]) + len(part) + 3 <= width:
            rows[-1] += ", " + part
        else:
            rows.append(part)
    return rows


def text_of(data):
    """Return the text of a ``host.json``: the name of the base first, then the rest by name."""
    ordered = {key: data[key] for key in sorted(data, key=lambda key: (key != "like", key))}
    return layout({key: in_order(value) for key, value in ordered.items()}) + "\n"


def in_order(value):
    """Return a value with the entries of its objects by name."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(item) for item in value] if isinstance(value, list) else value


def differences(base, target):
    """Return what to merge into an object to get another one; null removes an entry."""
    changes = {key: None for key in base if key not in target}
    for key, value in target.items():
        if key in base and isinstance(base[key], dict) and isinstance(value, dict):
            if base[key] != value:
                changes[key] = differences(base[key], value)
        elif key not in base or base[key] != value:
            changes[key] = value
    return changes


def read_json(path):
    """Return what a file of JSON holds."""
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def write(path, text):
    """Write a text file, with the same line ends everywhere."""
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


def write_like(name, base):
    """Rewrite a machine as what differs from a base."""
    target = host_data(os.path.join(FOLDER, name))
    path = os.path.join(FOLDER, name, "host.json")
    before = read_json(path)
    changes = differences(host_data(os.path.join(FOLDER, base)), target)
    write(path, text_of(dict(changes, like=base)))
    if host_data(os.path.join(FOLDER, name)) != target:
        write(path, text_of(before))
        raise SystemExit("%s cannot be written as a change of %s: it has null in a new object" % (name, base))


def write_expected(names):
    """Write what devicekit says of machines as what is expected of them."""
    from test_machines import outcome

    for name in names:
        path = os.path.join(FOLDER, name, "expected.json")
        kept = read_json(path) if os.path.exists(path) else {"title": "", "just_not": []}
        expected = {key: kept[key] for key in ("title", "just_not")}
        write(path, json.dumps(dict(expected, **outcome(name)), indent=1, ensure_ascii=False) + "\n")
        if not expected["title"]:
            print("%s: write a title, and in just_not the codes that this machine just does not fire" % path)


def unformatted(check):
    """Lay out every ``host.json``; return the names of those that were not."""
    found = []
    for name in sorted(os.listdir(FOLDER)):
        path = os.path.join(FOLDER, name, "host.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as stream:
                text = stream.read()
            wanted = text_of(json.loads(text))
            if text != wanted:
                found.append(name)
                if not check:
                    write(path, wanted)
    return found


def main(arguments=None):
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("expected", help="write expected.json from what devicekit says now")
    verb.add_argument("names", nargs="*", metavar="NAME", help="folders below tests/machines; all by default")
    verb = verbs.add_parser("like", help="list only what differs from another machine")
    verb.add_argument("name", metavar="NAME")
    verb.add_argument("base", metavar="BASE")
    verb = verbs.add_parser("format", help="lay out every host.json for reading")
    verb.add_argument("--check", action="store_true", help="only report, with exit status 1")
    given = parser.parse_args(arguments)
    if given.verb == "expected":
        write_expected(given.names or [name for name in sorted(os.listdir(FOLDER)) if name != "README.md"])
    elif given.verb == "like":
        write_like(given.name, given.base)
    else:
        found = unformatted(given.check)
        for name in found:
            print(name)
        return int(given.check and bool(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
