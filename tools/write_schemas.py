"""Write the JSON Schemas of devicekit's output to docs/reference/schemas. ``--check``: say what would change instead."""

import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "docs", "reference", "schemas")


def texts():
    """Return the files' contents by name."""
    sys.path[:0] = [item for item in (ROOT, os.path.join(ROOT, "tools")) if item not in sys.path]
    from docsite.schemas import schemas

    return {name + ".json": json.dumps(schema, indent=1) + "\n" for name, schema in schemas().items()}


def outdated():
    """Return the names of files that are not what `texts` says."""
    wanted = texts()
    there = {}
    for name in os.listdir(FOLDER) if os.path.isdir(FOLDER) else ():
        with open(os.path.join(FOLDER, name), encoding="utf-8") as stream:
            there[name] = stream.read()
    return sorted(name for name in set(wanted) | set(there) if wanted.get(name) != there.get(name))


def main():
    """Write, or check."""
    behind = outdated()
    if "--check" in sys.argv[1:]:
        print("\n".join(behind) or "the schemas are what the code prints")
        return 1 if behind else 0
    os.makedirs(FOLDER, exist_ok=True)
    wanted = texts()
    for name in behind:
        path = os.path.join(FOLDER, name)
        if name not in wanted:
            os.unlink(path)
            continue
        with open(path, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(wanted[name])
    return 0


if __name__ == "__main__":
    sys.exit(main())
