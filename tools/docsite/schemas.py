"""JSON Schemas of what ``--json`` prints and ``to_dict()`` returns, made from the records' types and docstrings.

``python tools/write_schemas.py`` writes them to ``docs/reference/schemas``; a test says when that is due, and validates
real output against them. They say what is there, and leave room for what later releases add.
"""

import collections.abc
import inspect
import re
import typing
from typing import Any, Dict, List, Optional, Tuple

import devicekit
from devicekit.cluster.lease import listing
from devicekit.diagnosis import findings
from devicekit.machine.facts import Fact
from devicekit.records import Pairs, Real, Seconds, json_hints
from devicekit.remedy import result as remedy
from devicekit.resolver import result as resolution
from devicekit.runtime import verification

__all__ = ["DOCUMENTS", "schemas"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TEXT: Dict[str, Any] = {"type": "string"}
TEXTS: Dict[str, Any] = {"type": "array", "items": TEXT}
#: JSON has no NaN and no infinity: those are texts.
NUMBER: Dict[str, Any] = {"anyOf": [{"type": "number"}, {"enum": ["nan", "inf", "-inf"]}]}


def _ref(kind: type) -> Dict[str, Any]:
    return {"$ref": "#/$defs/" + kind.__name__}


def _list_of(kind: type) -> Dict[str, Any]:
    return {"type": "array", "items": _ref(kind)}


def _object(properties: Dict[str, Any], text: str = "", required: Optional[List[str]] = None) -> Dict[str, Any]:
    described = {"description": text} if text else {}
    return dict(
        described, type="object", properties=properties, required=sorted(properties) if required is None else required
    )


_FREE: Dict[str, Any] = {"type": "object", "description": "Names and values."}
_FLAG: Dict[str, Any] = {"type": "boolean"}
_NULL_OR_TEXT: Dict[str, Any] = {"type": ["string", "null"]}
_HEAD = {
    "schema": {"const": 1, "description": "The version of this document's form."},
    "devicekit": dict(TEXT, description="The version of devicekit that looked at the machine."),
    "machine": _object(
        {
            "system": {"enum": ["linux", "windows", "macos"]},
            "os_version": _NULL_OR_TEXT,
            "architecture": TEXT,
            "python": TEXT,
            "executable": TEXT,
        }
    ),
}

_PLUGINS: Dict[str, Any] = {
    "type": "array",
    "description": "The plug-ins that add platforms, and what is wrong with them.",
    "items": _object(
        {
            **dict.fromkeys(("name", "title", "distribution", "version", "problem"), TEXT),
            "status": {"enum": ["value", "absent", "unknown"]},
            "frameworks": _FREE,
            "problems": TEXTS,
        }
    ),
}

#: Where the type hints say too little: other hints or schemas of keys, and optional keys that a document adds.
DIFFERENT: Dict[type, Dict[str, Any]] = {
    findings.Finding: {"severity": {"enum": ["error", "warning", "info"]}},
    findings.Diagnosis: {"prediction": Tuple[findings.FrameworkStatus, ...]},
    findings.FrameworkStatus: {"candidates": Tuple[findings.Candidate, ...]},
}


class _Schemas:
    """Collects the definitions of the records that a document is made of."""

    def __init__(self) -> None:
        self.definitions: Dict[str, Any] = {}

    def of(self, kind: Any) -> Dict[str, Any]:
        """Return the schema of a type annotation."""
        origin = getattr(kind, "__origin__", None)
        if origin is Fact:
            return _object(
                {
                    "status": {"enum": ["value", "absent", "unknown"]},
                    "value": self.of(kind.__args__[0]),
                    "source": TEXT,
                    "problem": TEXT,
                },
                required=["status"],
            )
        if origin is Pairs:
            return _FREE
        if kind is Real:
            return NUMBER
        if origin is collections.abc.Sequence:
            return {"type": "array", "items": self.of(kind.__args__[0])}
        if origin is tuple:
            if len(kind.__args__) == 2 and kind.__args__[1] is Ellipsis:
                return {"type": "array", "items": self.of(kind.__args__[0])}
            parts = [self.of(part) for part in kind.__args__]
            return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
        if origin is typing.Union:
            parts = [self.of(part) for part in kind.__args__ if part is not type(None)]
            if type(None) in kind.__args__:
                parts.append({"type": "null"})
            simple = [part["type"] for part in parts if list(part) == ["type"]]
            return {"type": simple} if len(simple) == len(parts) else {"anyOf": parts}
        if hasattr(kind, "_fields"):
            self.record(kind)
            return _ref(kind)
        names = {str: "string", int: "integer", float: "number", Seconds: "number", bool: "boolean"}
        return {"type": names[kind]} if kind in names else {}

    def record(self, kind: type) -> None:
        """Define a record and those that it is made of."""
        if kind.__name__ in self.definitions:
            return
        self.definitions[kind.__name__] = {}
        different = DIFFERENT.get(kind, {})
        described = _described(kind.__doc__ or "")
        properties: Dict[str, Any] = {}
        hints = dict(json_hints(kind), **different)
        for name, hint in hints.items():
            schema = dict(hint if isinstance(hint, dict) else self.of(hint))
            if name == "schema":
                schema = {"const": getattr(kind, name)}
            if described.get(name):
                schema["description"] = described[name]
            properties[name] = schema
        optional = set(different) - set(json_hints(kind))
        summary = (kind.__doc__ or "").strip().split("\n\n")[0]
        required = [name for name in sorted(properties) if name not in optional]
        self.definitions[kind.__name__] = _object(properties, " ".join(summary.split()), required)


def _described(docstring: str) -> Dict[str, str]:
    """Return what a numpydoc docstring says of each attribute."""
    docstring = inspect.cleandoc(docstring)  # as the interpreter keeps it from 3.13 on
    section = re.search(r"^Attributes\n-+\n(.*?)(?=\n\n(?:\.\.|\S+\n---)|\Z)", docstring, re.S | re.M)
    found: Dict[str, str] = {}
    if section is None:
        return found
    names: List[str] = []
    for line in section.group(1).split("\n"):
        head = re.match(r"(\w[\w, ]*) : ", line)
        if head:
            names = [name.strip() for name in head.group(1).split(",")]
        elif names and line.startswith("    "):
            for name in names:
                found[name] = (found.get(name, "") + " " + line.strip()).strip()
    return {name: text.replace("``", "`") for name, text in found.items()}


def _record(kind: type) -> Any:
    def make(made: _Schemas) -> Dict[str, Any]:
        made.record(kind)
        return typing.cast(Dict[str, Any], made.definitions.pop(kind.__name__))

    return make


def _doctor(made: _Schemas) -> Dict[str, Any]:
    diagnosis = _record(findings.Diagnosis)(made)
    made.record(devicekit.selection.Change)
    chosen = _record(devicekit.Selection)(made)
    chosen["properties"].pop("findings")
    chosen["required"].remove("findings")
    return _object(dict(_HEAD, selection=chosen, unreadable=TEXTS, plugins=_PLUGINS, **diagnosis["properties"]))


def _devices(made: _Schemas) -> Dict[str, Any]:
    made.record(findings.Candidate)
    return _object(dict(_HEAD, devices=_list_of(findings.Candidate), selected=TEXT))


def _tried_framework(made: _Schemas) -> Dict[str, Any]:
    for kind in (findings.Finding, verification.Observation):
        made.record(kind)
    predicted = _record(findings.FrameworkStatus)(made)
    for name in ("framework", "version", "candidates"):
        predicted["properties"].pop(name)
    predicted["required"] = sorted(predicted["properties"])
    return _object(
        {
            "framework": TEXT,
            "version": _NULL_OR_TEXT,
            "predicted": predicted,
            "observed": _ref(verification.Observation),
            "works": {"type": "boolean"},
            "agrees": {"type": ["boolean", "null"]},
            "differences": TEXTS,
            "findings": _list_of(findings.Finding),
        }
    )


def _verify(made: _Schemas) -> Dict[str, Any]:
    return _object(
        dict(
            _HEAD,
            frameworks={"type": "array", "items": _tried_framework(made)},
            works={"type": "boolean"},
            agrees={"type": ["boolean", "null"]},
            shadowed=_list_of(findings.Finding),
        )
    )


def _remedy(made: _Schemas) -> Dict[str, Any]:
    found = _record(remedy.Remedy)(made)
    made.definitions["FrameworkVerification"] = _tried_framework(made)
    return found


def _matrix(made: _Schemas) -> Dict[str, Any]:
    texts_or_null = {"type": ["string", "null"]}
    by_name = {"type": "object", "additionalProperties": TEXTS}
    build = _object(
        {
            "wheels": dict(by_name, description="The Python tags of the wheels, by platform tag."),
            "requires": TEXTS,
            "kind": texts_or_null,
            "cuda": texts_or_null,
            "cudnn": texts_or_null,
            "capabilities": TEXTS,
            "libraries": dict(by_name, description="The native libraries that it opens, by system."),
            "protobuf": texts_or_null,
            "plugins": TEXTS,
            "source": dict(TEXT, description="The wheel in which this was read."),
        }
    )
    hold = _object(
        {"needs": TEXTS, "because": TEXT, "goal": texts_or_null, "python": texts_or_null, "seen": TEXT},
        "What the wheel does not declare.",
    )
    release = _object(
        {
            "version": TEXT,
            "requires_python": TEXT,
            "pythons": TEXTS,
            "yanked": {"type": "boolean"},
            "builds": {"type": "array", "items": build},
            "not_declared": {"type": "array", "items": hold},
        }
    )
    return _object(
        {
            "project": TEXT,
            "asked": _NULL_OR_TEXT,
            "date": dict(TEXT, description="The day on which the registry was read."),
            "known": {"type": "boolean"},
            "nearest": _NULL_OR_TEXT,
            "releases": {"type": "array", "items": release},
        }
    )


def _launch(made: _Schemas) -> Dict[str, Any]:
    ended = _object(
        {
            "label": TEXT,
            "status": {"type": "integer"},
            "signal": dict(TEXT, description="What ended it, empty where nothing did."),
            "asked": dict(_FLAG, description="Whether the launcher ended it."),
            "seconds": {"type": "number"},
            "devices": TEXTS,
        }
    )
    failed = dict(ended, properties={name: item for name, item in ended["properties"].items() if name != "devices"})
    failed["required"] = sorted(failed["properties"])
    return _object(
        {
            "status": dict({"type": "integer"}, description="The exit status of the launcher."),
            "reason": TEXT,
            "failed": {"anyOf": [failed, {"type": "null"}]},
            "workers": {"type": "array", "items": ended},
        }
    )


#: Document: who prints or returns it, and what makes its schema.
DOCUMENTS: Dict[str, Tuple[str, Any]] = {
    "machine": ("`devicekit snapshot`, `Machine.to_dict()`", _record(devicekit.Machine)),
    "doctor": ("`devicekit doctor --json`", _doctor),
    "devices": ("`devicekit devices --json`", _devices),
    "verification": ("`devicekit verify --json`", _verify),
    "explanation": ("`devicekit explain --json`, `Explanation.to_dict()`", _record(devicekit.logs.Explanation)),
    "remedy": ("`devicekit fix --json`, `Remedy.to_dict()`", _remedy),
    "resolution": ("`devicekit resolve --json`, `Resolution.to_dict()`", _record(resolution.Resolution)),
    "matrix": ("`devicekit matrix --json`", _matrix),
    "comparison": (
        "`devicekit verify --numerics --json`, `Comparison.to_dict()`",
        _record(devicekit.measure.Comparison),
    ),
    "benchmark": ("`devicekit bench --json`, `BenchmarkResult.to_dict()`", _record(devicekit.measure.BenchmarkResult)),
    "tuning": ("`devicekit tune --json`, `Tuning.to_dict()`", _record(devicekit.measure.Tuning)),
    "leases": ("`devicekit leases --json`", _record(listing.Leases)),
    "command": ("`devicekit run --watch --json`, `CommandReport.to_dict()`", _record(devicekit.watch.CommandReport)),
    "launch": ("`devicekit launch --json`, `--summary`", _launch),
    "strategy": ("`StrategyPlan.to_dict()`", _record(devicekit.cluster.StrategyPlan)),
    "fleet": ("`devicekit fleet --json`, `Fleet.to_dict()`", _record(devicekit.cluster.Fleet)),
    "diff": ("`devicekit diff --json`, `MachineDiff.to_dict()`", _record(devicekit.cluster.MachineDiff)),
    "selection": ("`Selection.to_dict()`", _record(devicekit.Selection)),
    "diagnosis": ("`Diagnosis.to_dict()`", _record(findings.Diagnosis)),
    "finding": ("`Finding.to_dict()`, the log's `extra`", _record(findings.Finding)),
}


def schemas() -> Dict[str, Dict[str, Any]]:
    """Return all schemas by name."""
    found = {}
    for name, (where, make) in DOCUMENTS.items():
        made = _Schemas()
        body = make(made)
        found[name] = dict(
            {"$schema": DIALECT, "title": name, "$comment": where.replace("`", "")},
            **body,
            **({"$defs": dict(sorted(made.definitions.items()))} if made.definitions else {}),
        )
    return found
