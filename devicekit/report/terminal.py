"""Reports for a terminal: text of a given width, with or without colors and characters beyond ASCII."""

import re
import textwrap
from typing import Iterable, List, Optional, Tuple

from ..diagnosis.findings import Candidate, Diagnosis, Finding, Fix, ways
from ..diagnosis.frameworks import BACKENDS
from ..errors import printable
from ..machine.facts import Machine
from ..records import Record
from ..selection.selection import Selection, is_stuck
from .amounts import (
    cores,
    device_state,
    framework_state,
    framework_title,
    gpus_and_frameworks,
    memory,
    problems,
    system_name,
    usable_memory,
)

# A name that type checkers know.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..logs.engine import Explanation

_SHELLS = {"powershell": "PowerShell", "cmd": "cmd", "dockerfile": "Dockerfile"}

#: What is said of a step that not every user can do. A command with sudo says it itself, and so does a restart.
_WHO = {"admin": " (needs an administrator)"}

#: What the sequences for colors say.
COLORS = {"error": "31;1", "warning": "33;1", "info": "36", "good": "32;1", "head": "1", "dim": "2"}
_LABEL_WIDTH = 11


class Style(Record):
    """How text is laid out: columns, and whether to use ANSI colors and characters beyond ASCII.

    ``escape`` begins a color.
    """

    width: int = 80
    color: bool = False
    unicode: bool = False
    escape: str = "\033"

    def paint(self, text: str, kind: str) -> str:
        """Return the text in a color, if there are colors."""
        return "{0}[{1}m{2}{0}[0m".format(self.escape, COLORS[kind], text) if self.color else text

    def plain(self, text: str) -> str:
        """Return the text in characters that the terminal can print, without control characters."""
        return printable(text, ascii_only=not self.unicode)

    def wrap(self, text: str, indent: str = "", later: Optional[str] = None, most: Optional[int] = None) -> List[str]:
        """Return the text in lines of the width; ``later``: the indent of all lines but the first; ``most``: lines."""
        lines = textwrap.wrap(
            self.plain(text),
            max(20, self.width),
            initial_indent=indent,
            subsequent_indent=indent if later is None else later,
            break_long_words=False,
            break_on_hyphens=False,
            max_lines=most,
            placeholder="...",
        )
        return [re.sub(r"[ ,;:(.]*\.\.\.$", "...", line) for line in lines] if most else lines

    @property
    def rule(self) -> str:
        """A horizontal line."""
        return self.paint(("\u2500" if self.unicode else "-") * self.width, "dim")


#: For a record's ``str()``.
PLAIN = Style()


def labeled(style: Style, label: str, text: str, indent: int = 0) -> List[str]:
    """Return ``label text``, the text wrapped to the right of the label."""
    start = " " * indent + style.plain(label).ljust(_LABEL_WIDTH)
    room = max(20, style.width - len(start))
    first, *others = style.replace(width=room).wrap(text) or [""]
    return [start + first, *(" " * len(start) + line for line in others)]


def command_lines(style: Style, command: str) -> List[str]:
    """Return a command: on its own line and never wrapped, so that it can be copied."""
    return ["    " + style.paint(style.plain(command), "good")]


def machine_line(machine: Machine) -> str:
    """Return a machine in one line."""
    native = machine.native
    parts = [system_name(machine), native.architecture, cores(native), usable_memory(native)]
    parts += ["Python %s" % machine.python.version]
    parts += ["%s: %s" % row for row in gpus_and_frameworks(machine)]
    return ", ".join(part for part in parts if part)


def machine_lines(machine: Machine, style: Style) -> List[str]:
    """Return what was examined."""
    native, python = machine.native, machine.python
    system = system_name(machine)
    parts = (system, native.architecture, cores(native), usable_memory(native))
    lines = labeled(style, "System", ", ".join(text for text in parts if text))
    environment = {"venv": "virtual environment", "conda": "conda environment"}.get(python.environment, "system")
    lines += labeled(style, "Python", "%s, %s (%s)" % (python.version, python.executable, environment))
    inside = []
    if machine.process.container.or_none():
        inside.append("container (%s)" % machine.process.container.or_none())
    if machine.process.wsl.or_none():
        inside.append("WSL %d" % (machine.process.wsl.or_none() or 0))
    if inside:
        lines += labeled(style, "Inside", ", ".join(inside))
    return lines


def _framework_lines(diagnosis: Diagnosis, style: Style) -> List[str]:
    lines: List[str] = []
    several = sum(item.framework in BACKENDS for item in diagnosis.frameworks) > 1
    for number, item in enumerate(diagnosis.frameworks):
        _, state = framework_state(item)
        if item.cause is None and several:
            state += _best(diagnosis, item.framework)
        name = " ".join(filter(None, (framework_title(item.framework), item.version)))
        lines += labeled(style, "" if number else "Frameworks", "%s, %s" % (name, state))
    return lines or labeled(style, "Frameworks", "none")


def _plugin_lines(machine: Machine, style: Style) -> List[str]:
    lines: List[str] = []
    for number, item in enumerate(machine.platforms):
        state = {"value": "works", "absent": "works; no such device here", "unknown": "not examined"}[item.facts.status]
        if item.problems:
            state = "plugin-broken"
        platform = ", for %s" % item.name if item.name else ""
        lines += labeled(style, "" if number else "Plug-ins", "%s%s, %s" % (item.label, platform, state))
    return lines


def _best(diagnosis: Diagnosis, framework: str) -> str:
    """Return on which device a framework would compute."""
    if framework not in BACKENDS:
        return ""
    for item in diagnosis.candidates_for(framework):
        if item.usable is not False:
            platform = " [%s]" % item.platform if item.platform != "cpu" else ""
            return " on %s%s%s" % (item.device, platform, "" if item.usable else " (not tested yet)")
    return ""


def _device_line(item: Candidate, style: Style, chosen: bool) -> List[str]:
    kind, state = device_state(item)
    mark = ("\u25cf" if style.unicode else "*") if chosen else " "
    platform = " [%s]" % item.platform if item.platform not in ("cpu", "") else ""
    text = "%s%s%s" % (item.name, platform, _free_memory(item))
    lines = labeled(style, "%s %s" % (mark, item.device), "%s: %s" % (text, state))
    color = {"ok": "good", "unknown": "info", "fails": "warning"}[kind]
    lines = [line.replace(state, style.paint(state, color)) for line in lines]
    details = ["compute capability %s" % item.compute_capability] if item.compute_capability else []
    # To be copied: into a device string or CUDA_VISIBLE_DEVICES, and to find the device in the output of lspci.
    details += [text for text in (item.uuid, item.location) if text]
    for more in filter(None, (", ".join(details), item.remark)):
        lines += labeled(style, "", more)
    return lines


#: What the numbers of several devices mean.
_NUMBERINGS = {
    "fastest-first": "fastest GPU first, as CUDA counts; nvidia-smi may differ, unless CUDA_DEVICE_ORDER=PCI_BUS_ID is set",
    "pci-bus": "in the order of the PCI bus, as in nvidia-smi (CUDA_DEVICE_ORDER=PCI_BUS_ID)",
    "variable": "in the order of CUDA_VISIBLE_DEVICES",
}


def _free_memory(item: Candidate) -> str:
    if item.memory_bytes is None or item.memory_free_bytes is None:
        return ", " + memory(item.memory_bytes) if item.memory_bytes is not None else ""
    return ", %.1f of %.1f GiB free" % (item.memory_free_bytes / (1 << 30), item.memory_bytes / (1 << 30))


def devices_text(diagnosis: Diagnosis, selection: Selection, style: Style) -> str:
    """Return the report of ``devicekit devices``."""
    lines: List[str] = []
    for item in diagnosis.candidates:
        lines += _device_line(item, style, item.device == selection.device and not is_stuck(selection))
    for kind in dict.fromkeys(item.numbering for item in diagnosis.candidates if item.numbering in _NUMBERINGS):
        lines += labeled(style, "  Numbers", _NUMBERINGS[kind])
    if selection.fallback and selection.requested != "auto":
        lines += labeled(style, "  Reason", selection.reason.rstrip(".") + ".")
    return "\n".join(lines) + "\n"


def doctor_text(machine: Machine, diagnosis: Diagnosis, selection: Selection, style: Style) -> str:
    """Return the report of ``devicekit doctor``."""
    lines = [style.paint(("devicekit " + machine.devicekit_version).rstrip(), "head"), style.rule]
    lines += machine_lines(machine, style)
    lines += _framework_lines(diagnosis, style)
    lines += _plugin_lines(machine, style)
    lines += ["", style.paint("Devices", "head")]
    lines += devices_text(diagnosis, selection.replace(fallback=False), style).splitlines()
    lines += ["", style.paint("Decision", "head")]
    framework = " with %s" % framework_title(selection.framework) if selection.framework else ""
    decision = "no usable device" if is_stuck(selection) else selection.device
    lines += style.wrap("%s%s: %s." % (decision, framework, selection.reason.rstrip(".")), "  ")
    if diagnosis.findings:
        lines += ["", style.paint("Findings", "head"), *findings_lines(diagnosis.findings, style)]
    lines += _unknown(machine, diagnosis, style)
    lines += [style.rule, _verdict(diagnosis, selection, style)]
    return "\n".join(lines) + "\n"


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """Return the devices and the findings of a diagnosis."""
    lines = [line for item in diagnosis.candidates for line in _device_line(item, PLAIN, False)]
    return "\n".join([*lines, "", *findings_lines(diagnosis.findings, PLAIN)])


def finding_text(finding: Finding) -> str:
    """Return a finding as text."""
    return "\n".join(finding_lines(finding, PLAIN))


def finding_lines(finding: Finding, style: Style) -> List[str]:
    """Return the lines of a finding: cause, evidence, fixes, link."""
    lines = ["%s %s" % (style.paint(finding.severity, finding.severity), style.paint(finding.code, "head"))]
    lines += style.wrap(finding.summary, "  ")
    for evidence in finding.evidence:
        source = " (%s)" % evidence.source if evidence.source else ""
        lines += labeled(style, "seen", evidence.text + source, indent=2)
    for number, way in enumerate(ways(finding.fix)):
        for place, fix in enumerate(way):
            lines += step_lines(fix, "then" if place else "or" if number else "fix", style)
    if finding.url:
        lines += labeled(style, "read", finding.url, indent=2)
    return lines + [""]


def step_lines(fix: Fix, label: str, style: Style, who: bool = True) -> List[str]:
    """Return the lines of a step: what to do, who can (unless the label says it), and what to type in each shell."""
    text = words(fix) if who else fix.text
    lines = labeled(style, label, text + (":" if fix.command else ""), indent=2)
    for shell, command in typed(fix):
        lines += ["    " + style.paint(shell + ":", "dim")] if shell else []
        lines += command_lines(style, command)
    return lines


def findings_lines(findings: Iterable[Finding], style: Style) -> List[str]:
    """Return the lines of several findings."""
    return [line for finding in findings for line in finding_lines(finding, style)]


def _unknown(machine: Machine, diagnosis: Diagnosis, style: Style) -> Iterable[str]:
    lines: List[str] = []
    for item in diagnosis.not_evaluated:
        lines += labeled(style, "unknown", "%s: %s" % (item.code, item.because))
    for text in machine.python.unreadable[:5]:
        lines += labeled(style, "unreadable", text)
    return lines


def _verdict(diagnosis: Diagnosis, selection: Selection, style: Style) -> str:
    kind, text = problems(diagnosis, selection)
    return style.paint(text + ".", kind)


def words(fix: Fix) -> str:
    """Return what a step is, and who has to do it."""
    obvious = (fix.command or "").startswith("sudo ")
    return fix.text + ("" if obvious else _WHO.get(fix.who, ""))


def typed(fix: Fix) -> List[Tuple[str, str]]:
    """Return what to type, with the name of the shell where it is not the same in all: first the most likely one."""
    if not fix.command:
        return []
    forms = [(name, text) for name, text in fix.commands if text != fix.command]
    first = next((name for name, text in fix.commands if text == fix.command), "")
    shells = [name for name, _ in forms if name != "dockerfile"]
    found = [(_SHELLS.get(first, "") if shells else "", fix.command)]
    return found + [(_SHELLS.get(name, name), text) for name, text in forms]


_MOST_HARMLESS = 12


def explanation_text(explanation: "Explanation", style: Style) -> str:
    """Return the report of ``devicekit explain LOG``."""
    lines: List[str] = []
    for number, finding in enumerate(explanation.findings):
        if number == 1:
            lines += [style.paint("Also found", "head"), ""]
        lines += finding_lines(finding, style)
    if explanation.harmless:
        lines += [style.paint("Harmless", "head")]
        for item in explanation.harmless[:_MOST_HARMLESS]:
            lines.append("  %d: %s" % (item.number, style.plain(item.line)[: max(40, style.width - 8)]))
            lines += style.wrap(item.because, "      ")
        if len(explanation.harmless) > _MOST_HARMLESS:
            lines.append("  and %d more" % (len(explanation.harmless) - _MOST_HARMLESS))
        lines.append("")
    worst = explanation.findings[0] if explanation.findings else None
    if worst is None:
        text = "No problems found." if explanation.harmless else "devicekit does not recognize any line."
        lines.append(style.paint(text, "good" if explanation.harmless else "warning"))
    elif worst.code == "user-code-error":
        lines.append(
            style.paint("The program itself made the error; no problem with its environment is shown.", "warning")
        )
        lines.append("More about it: devicekit explain %s" % worst.code)
    elif worst.severity == "info":
        condition = "" if worst.code == "no-gpu" else " if the machine has no GPU"
        lines.append(style.paint("No problems found%s." % condition, "good"))
        if worst.code != "no-gpu":
            lines.append("If it has a GPU, use --here, --machine or --facts: devicekit explain --help")
    else:
        likely = "The most likely cause is" if explanation.certain else "There is only a weak sign of"
        text = "%s %s." % (likely, worst.code)
        if worst.code == "cause-unknown":
            known = explanation.certain
            text = "No code names this cause." if known else "devicekit does not know the cause of this error."
        lines.append(style.paint(text, worst.severity))
        lines.append("More about it: devicekit explain %s" % worst.code)
    return "\n".join(lines) + "\n"
