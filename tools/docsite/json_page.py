"""The page of the JSON documents, with the schema and the fields of each."""

import json
import os
from typing import Any, Dict, List

from .markdown import plain
from .schemas import DOCUMENTS

__all__ = ["json_page"]

_FOLDER = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "docs", "reference", "schemas"
)

_HEAD = """# JSON

What `--json` prints and `to_dict()` returns, each with a [JSON Schema](https://json-schema.org/draft/2020-12) to validate
against. The tests validate real output against these very files.

**What you can rely on.** Fields and finding codes are part of the public interface: none is removed, renamed or given another
type within a major version (see [Deprecation](deprecation.md)). New fields may appear in any release, so allow for fields that
you do not know. A snapshot has the number `schema`: a devicekit that is older than the file refuses it and says so.

| document | printed or returned by | schema |
|---|---|---|
"""


def json_page() -> str:
    """Return the page."""
    lines = [_HEAD.rstrip("\n")]
    found = {}
    for name in DOCUMENTS:
        with open(os.path.join(_FOLDER, name + ".json"), encoding="utf-8") as stream:
            found[name] = json.load(stream)
    lines += [
        "| [%s](#%s) | %s | [%s.json](schemas/%s.json) |" % (name, name, DOCUMENTS[name][0], name, name)
        for name in found
    ]
    for name, schema in found.items():
        lines += ["", "## %s {#%s}" % (name, name), ""]
        lines += _fields(schema)
        if name == "machine":  # hundreds of facts: the schema itself is the better reading
            lines += ["", "What each part holds is in the [schema](schemas/machine.json)."]
            continue
        for part, inner in schema.get("$defs", {}).items():
            lines += ["", "### %s {#%s-%s}" % (part, name, part.lower()), ""]
            lines += [plain(inner["description"]), ""] if inner.get("description") else []
            lines += _fields(inner, name)
    return "\n".join(lines) + "\n"


def _fields(schema: Dict[str, Any], document: str = "") -> List[str]:
    lines = ["| field | type | meaning |", "|---|---|---|"]
    for name, inner in schema["properties"].items():
        known = "" if name in schema.get("required", []) else " (may be missing)"
        lines.append("| `%s` | %s%s | %s |" % (name, plain(_type(inner)), known, plain(inner.get("description", ""))))
    return lines


def _type(schema: Dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " or ".join(json.dumps(item) for item in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(item) for item in schema["anyOf"])
    kind = schema.get("type", "any")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array" and "items" in schema:
        return "list of " + _type(schema["items"])
    return {"array": "list"}.get(kind, kind)
