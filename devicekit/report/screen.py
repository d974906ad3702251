"""The first screen of ``devicekit doctor``: the result, the fix, and the chain of what has to work, in a few lines.

    ✗ TensorFlow 2.20.0 cannot use the GPU: cuDNN (libcudnn.so.9) is not installed.
      TensorFlow will train on the CPU.                                    [cudnn-missing]
      Fix   python -m pip install "nvidia-cudnn-cu12>=9.3,<9.11"     or: devicekit fix
      More  devicekit explain cudnn-missing
    [✓] NVIDIA L4  [✓] driver 550.54.15  [✓] CUDA 12.5.1  [✗] cuDNN 9  [✓] TensorFlow 2.20.0  [✓] Keras 3.11.3

`devicekit.report.terminal.doctor_text` has everything else (``doctor --verbose``).
"""

import re
from typing import List, Optional, Sequence, Tuple

from ..diagnosis.findings import Candidate, Diagnosis, Finding, name_of
from ..diagnosis.frameworks import BACKENDS
from ..machine.facts import Machine
from ..selection.selection import Selection
from .amounts import cores, count, framework_title, processor, sign, usable_memory
from .compatibility_table import Cell, matrix_row
from .terminal import Style

#: Lines of the whole screen at 80 columns.
LIMIT = 12

_INDENT = "  "

#: What a cell of the compatibility table is called in the chain, and whether it is shown when nothing is wrong with it.
_LINKS = (
    ("System", "", False), ("Python", "Python", False), ("Processor", "", False), ("Driver", "driver", True),
    ("CUDA", "CUDA", True), ("cuDNN", "cuDNN", True), ("ROCm", "ROCm", True), ("DirectML", "DirectML", True),
    ("Compute capability", "compute capability", False), ("GPU target", "code for", False), ("Build", "GPU build", False),
    ("NumPy", "NumPy", False), ("protobuf", "protobuf", False), ("Dependencies", "dependencies", False),
)  # fmt: skip

#: How states are painted; severities have colors of their own.
_COLORS = {"ok": "good", "fails": "error", "unknown": "info"}

#: Signs for a terminal without them.
_ASCII = {"✓": "+", "✗": "x"}


def doctor_screen(machine: Machine, diagnosis: Diagnosis, selection: Selection, style: Style) -> str:
    """Return the screen: at most `LIMIT` lines at 80 columns, without evidence and exact sets."""
    main = _main(diagnosis, selection)
    lines = _result(machine, diagnosis, selection, main, style)
    chain = _chain(machine, diagnosis, selection, style)
    others = [item for item in diagnosis.findings if item != main and not _is_background(item)]
    room = max(1, LIMIT - len(lines) - len(chain))
    if len(others) > room:
        others, hidden = others[: room - 1], len(others) - room + 1
    else:
        hidden = 0
    for item in others:
        lines.append(_one_line(item, style))
    if hidden:
        lines += style.wrap("... and %s: devicekit doctor --verbose" % count(hidden, "further finding"), _INDENT)
    return "\n".join(lines + chain) + "\n"


def _main(diagnosis: Diagnosis, selection: Selection) -> Optional[Finding]:
    """Return the finding that the screen is about: what decided against a better device, else the worst one."""
    accelerators = [item for item in diagnosis.candidates_for(name_of(selection.framework)) if item.platform != "cpu"]
    if selection.findings and (selection.fallback or (accelerators and selection.platform == "cpu")):
        return selection.findings[0]
    return next((item for item in diagnosis.findings if item.severity != "info"), None)


def _is_background(finding: Finding) -> bool:
    """Whether a finding says nothing that the result or the chain does not: no GPU, on a machine without one."""
    return finding.code == "no-gpu" and finding.severity == "info"


# The result


def _result(
    machine: Machine, diagnosis: Diagnosis, selection: Selection, main: Optional[Finding], style: Style
) -> List[str]:
    if main is None:
        return _ready(machine, diagnosis, selection, style)
    status = diagnosis.framework(name_of(selection.framework))
    text = main.summary.rstrip(".") + "."
    if status is not None and status.will_import is not False and selection.device != "auto":
        text += " " + _goes_on(selection)
    blocking = main.severity == "error" or selection.fallback
    lines = _paragraph(style, "fails" if blocking else "warning", text, main.code)
    lines += _fix(main, style)
    more = "devicekit explain %s" % main.code
    return lines + [_INDENT + "More  " + style.paint(more, "good")]


def _ready(machine: Machine, diagnosis: Diagnosis, selection: Selection, style: Style) -> List[str]:
    if selection.device != "cpu" and not selection.device.startswith("cpu:"):
        device = next((item for item in diagnosis.candidates if item.device == selection.device), None)
        untested = device is not None and device.usable is None
        name = " (%s)" % selection.name if selection.name else ""
        if untested:
            text = "%s%s is there; only a run shows whether it works: devicekit verify" % (selection.device, name)
            return _paragraph(style, "unknown", text)
        return _paragraph(style, "ok", "Ready on %s%s." % (selection.device, name))
    text = "Ready on the CPU."
    if any(_is_background(item) for item in diagnosis.findings):
        text += " This machine has no GPU."
        build = machine.python.build("tensorflow")
        if name_of(selection.framework) == "tensorflow" and build is not None and build.cuda.or_none():
            text += ' TensorFlow\'s "failed call to cuInit ... (303)" is harmless here.'
    return _paragraph(style, "ok", text)


def _goes_on(selection: Selection) -> str:
    """Return where training runs although something is wrong."""
    name = framework_title(name_of(selection.framework))
    if selection.platform == "cpu":
        return "%s will train on the CPU." % name
    return "%s will train on %s%s." % (name, selection.device, " (%s)" % selection.name if selection.name else "")


def _paragraph(style: Style, state: str, text: str, code: str = "") -> List[str]:
    """Return a sign and a text, with a code at the end of the last line."""
    lines = style.wrap(text, "%s " % _mark(state, style), _INDENT)
    if code:
        tag = "[%s]" % code
        if len(lines[-1]) + len(tag) + 2 > style.width:
            lines.append("")
        lines[-1] = lines[-1].ljust(style.width - len(tag)) + style.paint(tag, "dim")
    lines[0] = _painted(lines[0], state, style)
    return lines


def _mark(state: str, style: Style) -> str:
    """Return the sign of a state or severity in characters that the terminal has."""
    return sign(state) if style.unicode else _ASCII.get(sign(state), sign(state))


def _painted(text: str, state: str, style: Style) -> str:
    """Return a text with its first character, the sign, in the color of the state."""
    return style.paint(text[:1], _COLORS.get(state, state)) + text[1:]


def _fix(finding: Finding, style: Style) -> List[str]:
    """Return the first step of the shortest way: its command if that fits into a line, else what applies it, or its text."""
    step = finding.fix[0] if finding.fix else None
    if step is None:
        return []
    start = _INDENT + "Fix   "
    room = style.width - len(start)
    applies = "devicekit fix" if step.packages is not None else ""
    command = style.plain(step.command or "").strip()
    short = command if len(command) <= room else ""
    if short and applies:
        line = start + style.paint(short, "good")
        fits = len(short) + len("   or: %s" % applies) <= room
        return [line + "   or: " + style.paint(applies, "good") if fits else line]
    if applies:
        return [
            start + style.paint(applies, "good") + _cut("   (by hand: devicekit doctor --verbose)", room - len(applies))
        ]
    lines = style.wrap(step.text.rstrip(".:") + (":" if short else "."), start, " " * len(start))
    if len(lines) > 2:
        lines = [lines[0], _cut(lines[1], style.width - 3) + "..." * (not lines[1].endswith("..."))]
    if short:
        lines.append(" " * len(start) + style.paint(short, "good"))
    elif command:
        lines.append(" " * len(start) + style.paint("devicekit doctor --verbose", "good") + " has the command")
    return lines


def _one_line(finding: Finding, style: Style) -> str:
    tag = " [%s]" % finding.code
    text = _cut(style.plain("%s %s" % (_mark(finding.severity, style), finding.summary)), style.width - len(tag))
    return _painted(text, finding.severity, style) + style.paint(tag, "dim")


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(1, width - 3)].rstrip(" ,;:(") + "..."


# The chain of what has to work


def _chain(machine: Machine, diagnosis: Diagnosis, selection: Selection, style: Style) -> List[str]:
    """Return the links from the hardware to Keras, each with its version and whether it works."""
    framework = name_of(selection.framework)
    row = matrix_row(machine, diagnosis, framework)
    cells = {cell.part: cell for cell in row.cells} if row is not None else {}
    gpus = [item for item in diagnosis.candidates_for(framework) if item.platform != "cpu"]
    links = _devices(gpus)
    if not gpus:
        links.append(("ok", "Python %s" % machine.python.version))
    for part, title, always in _LINKS:
        cell = cells.get(part)
        if cell is None or cell.state == "not needed":
            continue
        if cell.state == "fails" or (always and gpus and (cell.state == "ok" or _version(cell))):
            if part != "Python" or gpus:
                links.append((cell.state, _title(title, cell)))
    for item in sorted(diagnosis.frameworks, key=lambda item: item.framework == "keras"):
        if item.framework in BACKENDS and item.framework != framework:
            continue
        works = item.will_import if item.framework != "keras" else item.will_import and item.will_run_keras
        state = {True: "ok", False: "fails", None: "unknown"}[works]
        links.append((state, " ".join(filter(None, (framework_title(item.framework), item.version)))))
    if not gpus:
        native = machine.native
        parts = (processor(native), cores(native), usable_memory(native))
        links.append(("ok", ", ".join(filter(None, parts))))
    return _laid_out(links, style)


def _devices(gpus: Sequence[Candidate]) -> List[Tuple[str, str]]:
    """Return the GPUs, equal ones counted."""
    names = list(dict.fromkeys(item.name for item in gpus))
    links = []
    for name in names:
        same = [item for item in gpus if item.name == name]
        number = "%d x " % len(same) if len(same) > 1 else ""
        # It is there; which link is broken, the others say.
        links.append(("ok", number + name))
    return links


def _title(title: str, cell: Cell) -> str:
    if cell.part in ("Compute capability", "GPU target", "NumPy", "protobuf", "Python", "Driver"):
        return " ".join(filter(None, (title, cell.here)))
    if cell.part in ("System", "Processor"):
        return cell.here or cell.needs
    return " ".join(filter(None, (title, _version(cell)))) if cell.part in ("CUDA", "cuDNN", "ROCm") else title


def _version(cell: Cell) -> str:
    """Return the version that is needed, as people write it; Windows' names of DLLs (``64_112``) have none."""
    if cell.part == "Driver":
        return cell.here
    for pattern in (r"(?<![\w.])(\d+(?:\.\d+)*)(?!\w)", r"cudnn64_(\d+)\.dll"):
        for text in (cell.needs, cell.here):
            found = re.search(pattern, text)
            if found:
                return found.group(1)
    return ""


def _laid_out(links: Sequence[Tuple[str, str]], style: Style) -> List[str]:
    """Return the links in lines of the width; one is never broken."""
    lines: List[str] = []
    used = style.width
    for state, text in links:
        text = _cut(style.plain(text), style.width - 4)
        length = 4 + len(text)
        link = "[%s] %s" % (_painted(_mark(state, style), state, style), text)
        if used + 2 + length > style.width:
            lines.append(link)
            used = length
        else:
            lines[-1] += "  " + link
            used += 2 + length
    return lines
