"""The report of ``devicekit resolve`` as text."""

import sys
import textwrap
from typing import List

from ..diagnosis.frameworks import TITLES
from ..remedy.result import NewEnvironment
from ..resolver.result import Resolution, quoted
from ..runtime.verification import failure
from .amounts import with_age

_THIS_PYTHON = "%d.%d" % sys.version_info[:2]


def install_command(answer: Resolution, python: str) -> str:
    """Return the pip command; it names a Python other than ``python``, this one."""
    if answer.target.python == python:
        return answer.command
    interpreter = ("py -%s" if answer.target.system == "windows" else "python%s") % answer.target.python
    return interpreter + answer.command[len("python") :]


def resolution_text(answer: Resolution, python: str = _THIS_PYTHON) -> str:
    """Return a resolution as text."""
    names = answer.frameworks
    backend = names[0] == "keras" and len(names) == 2
    what = (" on " if backend else " and ").join(TITLES[name] for name in names)
    titles = {
        "cpu": "the CPU",
        "cuda": "NVIDIA GPUs (CUDA)",
        "rocm": "AMD GPUs (ROCm)",
        "metal": "Apple's GPUs (Metal)",
    }
    title = titles.get(answer.goal, {"directml": "DirectML", "xpu": "Intel GPUs"}.get(answer.goal, answer.goal))
    head = "%s on %s, %s" % (what, title, answer.target.label)
    if not answer.possible:
        lines = ["%s: not possible" % head, ""] + _wrapped(answer.obstacles, "  - ")
        if answer.alternatives:
            lines += ["", "Possible instead:", *_alternatives(answer)]
        return "\n".join(lines + _source(answer)) + "\n"
    lines = [head, ""]
    if answer.alternatives:
        lines += ["Better ways to use this GPU, the best first:", *_alternatives(answer), ""]
        lines += ["What was found:", ""]
    shown = [pin for pin in answer.pins if pin.deciding]
    width = max(len(pin.requirement) for pin in shown)
    for pin in shown:
        lines += textwrap.wrap(
            pin.because,
            width=100,
            initial_indent="  %s  " % pin.requirement.ljust(width),
            subsequent_indent=" " * (width + 4),
            break_long_words=False,
        )
    lines += ["  %s" % text for text in answer.others]
    if answer.needs:
        lines += ["", "The system needs:"]
        marks = {True: "found", False: "not found here", None: "not checked"}
        for need in answer.needs:
            lines += _wrapped(["%s (%s)" % (need.text, marks[need.met])], "  - ")
    if answer.notes:
        lines += ["", "To know:"] + _wrapped(answer.notes, "  - ")
    lines += ["", "To install it:", "", "    " + install_command(answer, python)]
    return "\n".join(lines + _source(answer)) + "\n"


def _alternatives(answer: Resolution) -> List[str]:
    lines: List[str] = []
    for item in answer.alternatives:
        lines += _wrapped([item.text], "  - ")
        if item.arguments:
            lines.append("      devicekit resolve %s" % " ".join(quoted(part) for part in item.arguments))
    return lines


def environment_text(answer: Resolution, made: NewEnvironment) -> str:
    """Return what became of ``devicekit resolve --install`` as text."""
    lines = ["Made %s with Python %s: %s" % (made.folder, made.version, ", ".join(made.requirements)), ""]
    for item in made.frameworks:
        version = "%s %s" % (TITLES.get(item.framework, item.framework), item.predicted.version or "")
        state = "works" if item.works else "does not work: %s" % (failure(item.observed) or item.observed.error)
        devices = ", on %s" % ", ".join(item.observed.devices) if item.observed.devices else ""
        lines += _wrapped(["%s %s%s" % (version.strip(), state, devices)], "  - ")
    if not made.frameworks:
        lines.append("  - there is nothing in it to try")
    unmet = [need.text for need in answer.needs if need.met is not True]
    if unmet and not made.works:
        lines += ["", "The system needs:"] + _wrapped(unmet, "  - ")
    windows = answer.target.system == "windows"
    start = made.folder + ("\\Scripts\\activate" if windows else "/bin/activate")
    lines += ["", "To use it:", "", "    " + ("" if windows else ". ") + quoted(start)]
    setting = "    $env:%s = '%s'" if windows else "    export %s=%s"
    lines += [setting % pair for pair in answer.variables.items()]
    return "\n".join(lines) + "\n"


def _source(answer: Resolution) -> List[str]:
    """Return how old the data are, which releases the package index added, and what it did not answer."""
    source = answer.source
    if not source.date:
        return []
    bundled = "the bundled data of %s" % with_age(source.date)
    newer = ["%s %s" % (pin.name, pin.version) for pin in answer.pins]
    newer = [label for label in newer if label in source.newer]
    text = "Source: %s." % bundled
    if newer:
        text = "Source: %s from the package index on %s, as declared there and not tested; the rest from %s." % (
            ", ".join(newer),
            source.asked,
            bundled,
        )
    elif source.asked:
        text = "Source: %s; the package index had nothing newer for this set on %s." % (bundled, source.asked)
    if source.withdrawn:
        text += " Withdrawn since: %s." % ", ".join(source.withdrawn)
    return ["", *_wrapped([text], ""), *_wrapped(["Not asked or answered: %s." % item for item in source.problems], "")]


def _wrapped(texts: "List[str] | tuple[str, ...]", mark: str) -> List[str]:
    lines: List[str] = []
    for text in texts:
        lines += textwrap.wrap(
            text, 110, initial_indent=mark, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
        )
    return lines
