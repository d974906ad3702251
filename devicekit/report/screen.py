"""The first screen of ``devicekit doctor``: the result, the fix, and the chain of what has to work, in a few lines.

    ✗ TensorFlow 2.20.0 cannot use the GPU: cuDNN (libcudnn.so.9) is not installed.
      TensorFlow will train on the CPU.                                    [cudnn-missing]
      Fix   python -m pip install "nvidia-cudnn-cu12>=9.3,<9.11"     or: devicekit fix
      More  devicekit explain cudnn-missing
    [✓] NVIDIA L4  [✓] driver 550.54.15  [✓] CUDA 12.5.1  [✗] cuDNN 9
    [✓] TensorFlow 2.20.0  [✓] Keras 3.11.3

`devicekit.report.terminal.doctor_text` has everything else (``doctor --verbose``).
"""

import json
import re
from typing import List, Optional, Sequence, Tuple

from ..diagnosis.findings import Candidate, Diagnosis, Finding, name_of, ways
from ..diagnosis.frameworks import BACKENDS
from ..machine.facts import Machine
from ..machine.snapshot import pack
from ..selection.selection import Selection, is_stuck
from .amounts import cores, count, framework_state, framework_title, processor, sign, usable_memory, without_release
from .compatibility_table import Cell, matrix_row
from .terminal import Style

#: Lines of the whole screen at 80 columns.
LIMIT = 12

_INDENT = "  "

#: What a cell of the compatibility table is called in the chain, and whether it is shown when nothing is wrong with it.
_LINKS = (
    ("System", "", False), ("Python", "Python", False), ("Driver", "driver", True),
    ("CUDA", "CUDA", True), ("cuDNN", "cuDNN", True), ("ROCm", "ROCm", True), ("DirectML", "DirectML", True),
    ("Compute capability", "compute capability", False), ("GPU target", "code for", False), ("Build", "GPU build", False),
    ("NumPy", "NumPy", False), ("protobuf", "protobuf", False), ("Dependencies", "dependencies", False),
)  # fmt: skip

#: How states are painted; severities have colors of their own.
COLORS = {"ok": "good", "fails": "error", "unknown": "info"}

#: Signs for a terminal without them.
_ASCII = {"✓": "+", "✗": "x", "\u2013": "-"}

#: Why a GPU that is there cannot be used, for causes that are no link of their own; the others are named by their code.
_REASONS = {
    "container-without-gpu": "not in this container", "device-busy": "busy", "device-hidden": "hidden",
    "device-permission-denied": "no access", "driver-missing": "no driver", "rosetta-python": "Intel Python",
}  # fmt: skip

#: Platforms of which what is installed tells too little: drivers of DirectX that compute wrong values do not say so.
_UNPROVEN = ("directml",)

#: What ends a process that only imports the framework, whatever else works.
_ENDS = ("memory-limit-too-low",)


def doctor_screen(machine: Machine, diagnosis: Diagnosis, selection: Selection, style: Style) -> str:
    """Return the screen: at most `LIMIT` lines at 80 columns, without evidence and exact sets."""
    if _is_for_cpu(selection):
        # A user who asks for the CPU knows that no GPU is used.
        framework = name_of(selection.framework)
        needed = tuple(item for item in diagnosis.findings if not item.keeps_from_gpus(framework))
        diagnosis = diagnosis.replace(findings=needed)
    main = _main(diagnosis, selection)
    lines = _result(machine, diagnosis, selection, main, style)
    chain = _chain(machine, diagnosis, selection, main, style)
    others = [item for item in diagnosis.findings if item != main and not _is_background(item)]
    lines += _others(others, LIMIT - len(lines) - len(chain), style)
    return "\n".join(lines + chain) + "\n"


def _main(diagnosis: Diagnosis, selection: Selection) -> Optional[Finding]:
    """Return the finding that the screen is about: what decided against a better device, else the worst one."""
    accelerators = [item for item in diagnosis.candidates_for(name_of(selection.framework)) if item.platform != "cpu"]
    unused = accelerators and selection.platform == "cpu" and not _is_for_cpu(selection)
    if selection.findings and (selection.fallback or unused):
        return selection.findings[0]
    return next((item for item in diagnosis.findings if item.severity != "info"), None)


def _is_for_cpu(selection: Selection) -> bool:
    """Whether the CPU was asked for, and works."""
    return selection.requested.partition(":")[0] == "cpu" and not is_stuck(selection)


def _is_background(finding: Finding) -> bool:
    """Whether a finding says nothing that the result or the chain does not: no GPU, on a machine without one."""
    return finding.code == "no-gpu" and finding.severity == "info"


def _others(findings: Sequence[Finding], room: int, style: Style) -> List[str]:
    """Return the other findings: whole if there is room, else one line each, else as many as there is room for."""
    whole = [line for item in findings for line in _paragraph(style, item.severity, item.summary, item.code)]
    if len(whole) <= room:
        return whole
    shown = list(findings) if len(findings) <= max(1, room) else list(findings[: max(1, room) - 1])
    lines = [_one_line(item, style) for item in shown]
    if len(shown) < len(findings):
        hidden = count(len(findings) - len(shown), "further finding")
        lines += style.wrap("... and %s: devicekit doctor --verbose" % hidden, _INDENT)
    return lines


# The result


def _result(
    machine: Machine, diagnosis: Diagnosis, selection: Selection, main: Optional[Finding], style: Style
) -> List[str]:
    if main is None:
        return _ready(machine, diagnosis, selection, style)
    text = " ".join(filter(None, (main.summary.rstrip(".") + ".", _goes_on(diagnosis, selection, main))))
    blocking = main.severity == "error" or selection.fallback
    lines = _paragraph(style, "fails" if blocking else "warning", text, main.code)
    lines += _fix(main, *_promise(machine, diagnosis, main), style)
    more = "devicekit explain %s" % main.code
    return lines + [_INDENT + "More  " + style.paint(more, "good")]


def _ready(machine: Machine, diagnosis: Diagnosis, selection: Selection, style: Style) -> List[str]:
    if selection.platform != "cpu":
        if selection.verified is None and _is_untested(diagnosis, selection):
            return _paragraph(style, "unknown", "%s may work. Test it: devicekit verify" % _device(selection))
        if selection.verified is None and selection.platform in _UNPROVEN:
            text = "%s is listed, but not tested yet. devicekit tests it before it is used."
            return _paragraph(style, "unknown", text % _device(selection))
        return _paragraph(style, "ok", "Ready on %s." % _device(selection))
    doubt = without_release(diagnosis, selection)
    if doubt:
        return _paragraph(style, "unknown", "%s. Test it: devicekit verify" % doubt)
    text = "Ready on the CPU."
    no_gpu = next((item for item in diagnosis.findings if _is_background(item)), None)
    if no_gpu is not None:
        text += " " + no_gpu.summary
        build = machine.python.build("tensorflow")
        if name_of(selection.framework) == "tensorflow" and build is not None and build.cuda.or_none():
            text += ' TensorFlow\'s "failed call to cuInit ... (303)" is harmless here.'
    return _paragraph(style, "ok", text)


def _device(selection: Selection) -> str:
    """Return the selected device with its name."""
    if not selection.name:
        return selection.device
    name = _name(selection.name)
    return ("%s, %s" if "(" in name else "%s (%s)") % (selection.device, name)


def _name(text: str) -> str:
    """Return a text with names of products, without signs of trademarks."""
    return " ".join(re.sub(r"\((R|TM)\)", " ", text, flags=re.I).split())


def _is_untested(diagnosis: Diagnosis, selection: Selection) -> bool:
    """Whether only a run can tell that the selected device works."""
    devices = diagnosis.candidates_for(name_of(selection.framework))
    return any(item.device == selection.device and item.usable is None for item in devices)


def _goes_on(diagnosis: Diagnosis, selection: Selection, main: Finding) -> str:
    """Return where training runs although something is wrong; "" if it does not."""
    framework = name_of(selection.framework)
    status = diagnosis.framework(framework)
    if status is None or status.will_run_keras is False or is_stuck(selection) or selection.device == "auto":
        return ""
    if any(item.code in _ENDS for item in diagnosis.findings if item.severity != "info"):
        return ""
    if selection.platform == "cpu":
        return "%s will train on the CPU." % framework_title(framework)
    doubtful = {framework + ".kernels", framework + ".jit", framework + ".xla"} & set(main.blocks)
    if doubtful or _is_untested(diagnosis, selection):
        return "devicekit tests %s before it is used." % _device(selection)
    return "%s will train on %s." % (framework_title(framework), _device(selection))


def _paragraph(style: Style, state: str, text: str, code: str = "") -> List[str]:
    """Return a sign and a text, with a code at the end of the last line."""
    lines = style.wrap(_name(text), "%s " % _mark(state, style), _INDENT)
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
    return style.paint(text[:1], COLORS.get(state, state)) + text[1:]


def _promise(machine: Machine, diagnosis: Diagnosis, finding: Finding) -> Tuple[bool, bool]:
    """Return whether `devicekit fix` does something about a finding, and whether the command of its fix does as much."""
    from ..remedy.plan import acts_on, is_for_fix

    if not any(is_for_fix(finding, step) for step in finding.fix):
        return False, True
    return acts_on(machine, diagnosis, finding)


def _fix(finding: Finding, fixable: bool, enough: bool, style: Style) -> List[str]:
    """Return the first step of the shortest way: its command if that fits into a line, else what applies it, or its text.

    ``fixable``, ``enough``: see `_promise`.
    """
    step = finding.fix[0] if finding.fix else None
    if step is None:
        return []
    from ..remedy.plan import is_for_fix

    start = _INDENT + "Fix   "
    room = style.width - len(start)
    applies = "devicekit fix" if fixable and is_for_fix(finding, step) else ""
    command = style.plain(step.command or "").strip()
    short = command if len(command) <= room else ""
    if short and enough and step.packages is not None:
        line = start + style.paint(short, "good")
        fits = applies and len(short) + len("   or: %s" % applies) <= room
        return [line + "   or: " + style.paint(applies, "good") if fits else line]
    by_hand = " " * len(start) + style.paint("devicekit doctor --verbose", "good") + " has the "
    if applies:
        return [*_offer(start, step.text if enough else "", style), by_hand + "command"]
    lines = style.wrap(step.text.rstrip(".:") + (":" if short else "."), start, " " * len(start), most=3)
    if short:
        lines.append(" " * len(start) + style.paint(short, "good"))
    further = len(ways(finding.fix)[0]) > 1
    if further or (command and not short):
        lines.append(by_hand + ("next steps" if further else "command"))
    other = next((item for item in finding.fix if item.instead and is_for_fix(finding, item)), None)
    if fixable and not command and step.changes != "files" and other is not None:
        lines += _offer(_INDENT + "Or    ", other.text, style)
    return lines


def _offer(start: str, text: str, style: Style) -> List[str]:
    """Return the lines with the command that fixes it, and what that does, "" if that is more than one step."""
    lines = style.wrap("devicekit fix" + ("   (%s)" % text if text else ""), start, " " * len(start), most=2)
    return [lines[0].replace("devicekit fix", style.paint("devicekit fix", "good"), 1), *lines[1:]]


def _one_line(finding: Finding, style: Style) -> str:
    tag = " [%s]" % finding.code
    room = style.replace(width=style.width - len(tag))
    (text,) = room.wrap("%s %s" % (_mark(finding.severity, style), _name(finding.summary)), most=1)
    return _painted(text, finding.severity, style) + style.paint(tag, "dim")


# The chain of what has to work


def _chain(
    machine: Machine, diagnosis: Diagnosis, selection: Selection, main: Optional[Finding], style: Style
) -> List[str]:
    """Return the links from the hardware to Keras, each with its version and whether it works."""
    framework = name_of(selection.framework)
    row = matrix_row(machine, diagnosis, framework)
    cells = {cell.part: _without_single(cell, diagnosis) for cell in row.cells} if row is not None else {}
    gpus = [item for item in diagnosis.candidates_for(framework) if item.platform != "cpu"]
    gpus = [] if _is_for_cpu(selection) else gpus
    links = _gpus(gpus, main, [cell.code for cell in cells.values() if cell.state == "fails"])
    if not gpus and not (cells.get("Python") and cells["Python"].state == "fails"):
        links.append(("ok", "Python %s" % machine.python.version))
    if gpus and ("Driver" not in cells or cells["Driver"].state == "not needed"):  # of a build that does not use it
        links += [("ok", "driver %s" % version) for version in _nvidia_driver(machine, gpus)]
    for part, title, always in _LINKS:
        cell = cells.get(part)
        if cell is None or cell.state == "not needed":
            continue
        if cell.state == "fails" or (always and gpus and (cell.state == "ok" or _version(cell))):
            links.append((_state(cell, diagnosis, main), _title(title, cell)))
    links += _frameworks(diagnosis, framework, main)
    failing = "Processor" in cells and cells["Processor"].state == "fails"
    if not gpus or failing or (main is not None and main.code in _ENDS):
        links += _computer(machine, failing, main, style)
    blocked = main is not None and (main.severity == "error" or selection.fallback)
    if blocked and all(state != "fails" for state, _ in links):
        links.insert(0, ("fails", selection.requested if selection.requested not in ("auto", "gpu") else "GPU"))
    return _laid_out(links, style)


def _without_single(cell: Cell, diagnosis: Diagnosis) -> Cell:
    """Return a part that fails only for single devices, which are marked themselves, as one that does not fail."""
    blocks = [block for item in diagnosis.findings if item.code == cell.code for block in item.blocks]
    single = bool(blocks) and all(re.search(r"gpu:\d+$", block) for block in blocks)
    return cell.replace(state="ok") if single and cell.state == "fails" else cell


def _state(cell: Cell, diagnosis: Diagnosis, main: Optional[Finding]) -> str:
    """Return the state of a part; what is only worth a note did not fail."""
    notes = [item for item in diagnosis.findings if item.code == cell.code and item.severity == "info" and item != main]
    return "left out" if cell.state == "fails" and notes else cell.state


def _gpus(gpus: Sequence[Candidate], main: Optional[Finding], failing: Sequence[str]) -> List[Tuple[str, str]]:
    """Return the GPUs, equal ones counted; ``failing``: the causes that are links themselves, so that the GPU is not."""
    links = []
    for item in gpus:
        cause = next((code for code in item.blocked_by if code not in failing), "")
        if item.usable is not False or not cause:
            links.append(("ok", _name(item.name)))
        else:
            state = "fails" if main is not None and main.code in item.blocked_by else "left out"
            links.append((state, "%s: %s" % (_name(item.name), _REASONS.get(cause, cause))))
    numbers = [(state, text, links.count((state, text))) for state, text in dict.fromkeys(links)]
    return [(state, "%d x %s" % (number, text) if number > 1 else text) for state, text, number in numbers]


def _nvidia_driver(machine: Machine, gpus: Sequence[Candidate]) -> List[str]:
    """Return the version of NVIDIA's driver if it is known and every GPU is one of NVIDIA's."""
    adapters = [item for item in machine.directml.adapters.or_none() or () if item.vendor_id == "10de"]
    kernel = machine.driver.nvidia_version.or_none() or machine.driver.nvidia_kernel_version.or_none()
    version = kernel or (adapters[0].driver_version if adapters else "")
    # Windows' number ends in NVIDIA's own: 32.0.15.6094 is 560.94.
    own = re.fullmatch(r"\d+\.\d+\.1(\d)\.(\d\d)(\d\d)", version)
    version = "%s%s.%s" % own.groups() if own else version
    names = {item.name for item in machine.driver.gpus.or_none() or () if item.vendor == "nvidia"}
    names.update(item.name for item in adapters)
    return [version] if version and all(item.name in names for item in gpus) else []


def _frameworks(diagnosis: Diagnosis, framework: str, main: Optional[Finding]) -> List[Tuple[str, str]]:
    """Return the selected framework, what is used with it, and Keras last."""
    links = []
    for item in sorted(diagnosis.frameworks, key=lambda item: item.framework == "keras"):
        state = framework_state(item)[0]
        if item.framework in BACKENDS:
            if item.framework != framework:
                continue
            # Whether Keras trains on it is what Keras's own link says.
            state = "ok" if item.will_import and item.devices else "unknown" if item.will_import is None else "fails"
        elif item.framework != "keras" and state == "fails" and (main is None or main.code != item.cause):
            state = "left out"
        links.append((state, " ".join(filter(None, (framework_title(item.framework), item.version)))))
    return links


def _computer(machine: Machine, failing: bool, main: Optional[Finding], style: Style) -> List[Tuple[str, str]]:
    """Return the processor and the memory, as one link if it fits into a line."""
    native = machine.native
    computer = ", ".join(filter(None, (processor(machine), cores(native))))
    states = ("fails" if failing else "ok", "fails" if main is not None and main.code in _ENDS else "ok")
    whole = ", ".join(filter(None, (computer, usable_memory(native))))
    if states[0] == states[1] and len(whole) <= style.width - 4:
        return [(states[0], whole)]
    return [(states[0], computer), (states[1], usable_memory(native))]


def _title(title: str, cell: Cell) -> str:
    if cell.part in ("Compute capability", "GPU target", "NumPy", "protobuf", "Python", "Driver"):
        return " ".join((title, cell.here)) if cell.here else title.replace("code for", "code for this GPU")
    if cell.part == "System":
        return cell.here or cell.needs
    if cell.part == "Dependencies":
        return cell.here or title
    return " ".join(filter(None, (title, _version(cell)))) if cell.part in ("CUDA", "cuDNN", "ROCm") else title


def _version(cell: Cell) -> str:
    """Return the version that is needed, else the one here, as people write it; names of DLLs (``64_112``) have none."""
    if cell.part == "Driver":
        return cell.here
    for pattern in (r"(?<![\w.])(\d+(?:\.\d+)*)(?!\w)", r"cudnn64_(\d+)\.dll", r"libcudnn\.so\.(\d+)"):
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
        (text,) = style.replace(width=style.width - 4).wrap(text, most=1) or [""]
        length = 4 + len(text)
        link = "[%s] %s" % (_painted(_mark(state, style), state, style), text)
        if used + 2 + length > style.width:
            lines.append(link)
            used = length
        else:
            lines[-1] += "  " + link
            used += 2 + length
    return lines


_TEMPLATE = """**devicekit {version} doctor**, as of {date}

```text
{screen}```

<details><summary>The machine: paste this page into <code>devicekit doctor --machine -</code></summary>

```text
{packed}
```

</details>
"""


def issue_text(machine: Machine, diagnosis: Diagnosis, selection: Selection, date: str) -> str:
    """Return at most 40 lines, without names of users, homes or hosts; ``date``: when it was made."""
    screen = doctor_screen(machine, diagnosis, selection, Style(unicode=True)).replace("`", "'")
    content = json.dumps(machine.to_dict(), separators=(",", ":")).encode("utf-8")
    return _TEMPLATE.format(
        version=machine.devicekit_version, date=date, screen=screen, packed="\n".join(pack(content))
    )
