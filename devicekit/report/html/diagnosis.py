"""A diagnosis and a selection: what is described of them in a notebook, and the page of ``devicekit doctor``."""

from typing import List, Optional, Sequence, Tuple

from ...diagnosis.findings import Diagnosis, FrameworkStatus
from ...diagnosis.frameworks import BACKENDS
from ...machine.facts import Machine
from ...selection.selection import Selection, is_stuck
from ..amounts import (
    cores,
    device_state,
    framework_state,
    framework_title,
    gpus_and_frameworks,
    memory,
    problems,
    processor,
    system_name,
    usable_memory,
)
from ..compatibility_table import Cell, MatrixRow, matrix_row
from .components import Content, Element, Report, Section, Table, Tag, definitions, element, severity_tags, tag_element
from .document import page


def doctor_page(machine: Machine, diagnosis: Diagnosis, selection: Selection, *, made: str = "") -> str:
    """Return the page of ``devicekit doctor --html``; ``made`` is the date shown on it."""
    framework = " with %s" % framework_title(selection.framework) if selection.framework else ""
    matrix = [_matrix_section(row, diagnosis) for row in _matrix_rows(machine, diagnosis, selection)]
    unknown = _unknown(diagnosis, machine.python.unreadable)
    report = Report(
        "doctor",
        ("no usable device" if is_stuck(selection) else selection.device) + framework,
        selection.reason,
        severity_tags(diagnosis.findings) or [Tag(*problems(diagnosis, selection))],
        diagnosis.findings,
        problems(diagnosis, selection)[1] + ".",
        [
            Section("Selected device", _selected(selection, diagnosis)),
            *matrix,
            Section("This machine", [definitions(_machine(machine)), *_filled(_frameworks(diagnosis))]),
            *([Section("What could not be checked", [unknown])] if unknown.rows else []),
        ],
    )
    return page(report, made, machine.devicekit_version)


def selection_report(selection: Selection) -> Report:
    """Return the device, the reason, what was changed, and the findings."""
    verified = {
        True: Tag("good", "self-test passed"),
        False: Tag("error", "self-test failed"),
        None: Tag("", "not tested"),
    }
    tags = [
        Tag("", text) for text in (selection.framework or "no framework", selection.platform) if text not in ("", "cpu")
    ]
    tags.append(verified[selection.verified])
    stuck = is_stuck(selection)
    if selection.fallback and not stuck:
        asked = "a better device" if selection.requested == "auto" else selection.requested
        tags.append(Tag("warning", "%s cannot be used" % asked))
    heading = "no usable device" if stuck else " ".join(filter(None, (selection.device, selection.name)))
    sections = [Section("Changes", _filled(_changes(selection)))]
    return Report("selection", heading, selection.reason, tags, selection.findings, "", sections)


def diagnosis_report(diagnosis: Diagnosis) -> Report:
    """Return the findings with their fixes, the devices, and the frameworks."""
    tables = [_devices(diagnosis), _frameworks(diagnosis), _unknown(diagnosis)._replace(folded=True)]
    return Report("doctor", problems(diagnosis)[1], "", (), diagnosis.findings, "", [Section("", _filled(*tables))])


def machine_report(machine: Machine) -> Report:
    """Return what a person asks about a machine: a table of a few rows."""
    table = Table("", ("What", "Here"), [*_machine(machine), *gpus_and_frameworks(machine)])
    return Report("devices", system_name(machine), "", (), (), "", [Section("", [table])])


def _filled(*tables: Table) -> List[Table]:
    return [table for table in tables if table.rows]


def _selected(selection: Selection, diagnosis: Diagnosis) -> List["Element | Table"]:
    verified = {True: "yes: a computation ran on it", False: "yes, and it failed", None: "no; run devicekit verify"}
    blocked = ""
    stuck = is_stuck(selection)
    if selection.fallback:
        accelerators = any(item.platform != "cpu" for item in diagnosis.candidates_for(selection.framework))
        better = selection.requested == "auto" and not stuck and accelerators
        blocked = " (a better device is present but blocked)" if better else " (cannot be used)"
    facts = [
        (
            "Device",
            "none" if stuck else "%s %s" % (selection.device, "(%s)" % selection.name if selection.name else ""),
        ),
        ("Framework", "%s, %s" % (selection.framework or "none", selection.platform)),
        ("Reason", selection.reason or "it is the best device here"),
        ("Requested", selection.requested + blocked),
        ("Tested", verified[selection.verified]),
    ]
    return [definitions(facts), *_filled(_devices(diagnosis), _changes(selection)._replace(folded=False))]


def _devices(diagnosis: Diagnosis) -> Table:
    heads = ("Device", "Name", "Platform", "Memory", "State")
    rows = []
    for item in diagnosis.candidates:
        state = Tag(*device_state(item), item.remark)
        rows.append((item.device, item.name, item.platform or "none", memory(item.memory_bytes) or "unknown", state))
    return Table("Devices", heads, rows, stacked=True)


def _frameworks(diagnosis: Diagnosis) -> Table:
    heads = ("Framework", "State", "Keras", "Devices it lists")
    return Table("Frameworks", heads, [_framework(item) for item in diagnosis.frameworks], stacked=True)


def _framework(item: FrameworkStatus) -> Tuple[object, ...]:
    kind, state = framework_state(item)
    keras = {True: ("ok", "trains"), False: ("fails", "does not train"), None: ("unknown", "unknown")}
    return (
        "%s %s" % (framework_title(item.framework), item.version or ""),
        Tag(kind, state),
        Tag(*keras[item.will_run_keras]),
        ", ".join(item.devices) or "none",
    )


def _changes(selection: Selection) -> Table:
    rows = [
        (item.what, item.name, item.value, "not set" if item.before is None else item.before)
        for item in selection.changes
    ]
    heads = ("Where", "Name", "Value", "Before")
    return Table("What devicekit changed in this process", heads, rows, stacked=True, folded=True)


def _unknown(diagnosis: Diagnosis, unreadable: Sequence[str] = ()) -> Table:
    rows = [(item.code, item.because) for item in diagnosis.not_evaluated]
    rows += [(text, "it could not be read") for text in unreadable]
    return Table(
        "Rules that could not be evaluated, and files that could not be read", ("What", "Because"), rows, stacked=True
    )


def _matrix_rows(machine: Machine, diagnosis: Diagnosis, selection: Selection) -> List[MatrixRow]:
    """Return the matrix rows of the frameworks that are installed, the selected one first."""
    installed = [item.framework for item in diagnosis.frameworks if item.framework in BACKENDS and item.version]
    selected = {"tensorflow1": "tensorflow"}.get(selection.framework or "", selection.framework or "")
    names = sorted(installed, key=lambda name: name != selected) or ["tensorflow"]
    rows: List[Optional[MatrixRow]] = [matrix_row(machine, diagnosis, name) for name in names]
    return [row for row in rows if row is not None]


def _matrix_section(row: MatrixRow, diagnosis: Diagnosis) -> Section:
    numbers = {item.code: number for number, item in reversed(list(enumerate(diagnosis.findings, 1)))}
    title = "%s %s" % (framework_title(row.framework), row.version)
    cells = [_cell(cell, numbers.get(cell.code)) for cell in row.cells]
    note = "It is not installed: these are the requirements of the newest release that devicekit knows."
    parts = [
        *([] if row.installed else [element("p", note, class_="note")]),
        element("ul", cells, class_="cells", aria_label="Requirements of " + title),
    ]
    return Section("What %s needs, and what is here" % title, parts)


def _cell(cell: Cell, number: Optional[int]) -> Element:
    note: Content = None
    if cell.state == "fails":
        note = element("a", cell.code, href="#finding-%d" % number) if number else cell.code
    facts = (("Needs", cell.needs), ("Here", cell.here or "not found"))
    return element(
        "li",
        element("h3", cell.part),
        element("p", tag_element(Tag(cell.state, cell.state)), class_="state"),
        element("dl", [element("div", element("dt", label), element("dd", text)) for label, text in facts if text]),
        element("p", note or cell.because, class_="note") if note or cell.because else None,
        class_="cell cell-" + cell.state.replace(" ", "-"),
        data_part=cell.part,
    )


def _machine(machine: Machine) -> List[Tuple[str, str]]:
    native, python, driver = machine.native, machine.python, machine.driver
    environment = {"venv": "virtual environment", "conda": "conda environment"}.get(python.environment, "system")
    container, wsl = machine.process.container.or_none(), machine.process.wsl.or_none()
    plugins = ["%s%s" % (item.label, " (broken)" if item.problems else "") for item in machine.platforms]
    rows = [
        ("System", "%s, %s" % (system_name(machine), native.architecture)),
        ("Processor", ", ".join(item for item in (processor(machine), cores(native)) if item)),
        ("Memory", usable_memory(native)),
        ("Python", "%s, %s (%s)" % (python.version, python.executable, environment)),
        ("Inside", "container (%s)" % container if container else ""),
        ("WSL", "%d" % wsl if wsl else ""),
        ("NVIDIA driver", driver.nvidia_version.or_none() or driver.nvidia_kernel_version.or_none() or ""),
        ("ROCm", machine.rocm.version.or_none() or ""),
        ("Plug-ins", ", ".join(plugins)),
    ]
    return [(label, text) for label, text in rows if text]
