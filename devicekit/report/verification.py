"""What ``devicekit verify`` prints. Pure."""

import textwrap
from typing import Dict, List

from ..diagnosis.findings import Finding
from ..runtime.verification import DOING, FrameworkVerification, Verification, ending
from .terminal import Style, finding_lines, machine_lines

__all__ = ["verification_text"]

_DONE = (("import", "imported"), ("list", "devices listed"), ("compute", "computed"), ("train", "trained"))


def verification_text(found: Verification, style: Style, snapshot: str = "devicekit snapshot") -> str:
    """Return the report of ``devicekit verify``.

    Parameters
    ----------
    found : Verification
    style : Style
    snapshot : str
        The command that writes the snapshot of what was examined.
    """
    lines = [style.paint("devicekit %s" % found.machine.devicekit_version, "head"), style.rule]
    lines += machine_lines(found.machine, style) + [""]
    for item in found.frameworks:
        lines += _framework(item, style) + [""]
    causes: Dict[str, Finding] = {}
    for item in found.frameworks:
        for finding in item.findings:
            causes.setdefault(finding.code, finding)
    if causes:
        lines += [style.paint("Findings", "head")]
        for finding in causes.values():
            lines += finding_lines(finding, style)
    if found.agrees is False:
        lines += [style.paint("The prediction was wrong.", "warning")]
        lines += textwrap.wrap(
            "That is a defect of devicekit: please report it, with this report and with machine.json from this command "
            "(it holds no names of users or hosts):",
            style.width,
        )
        lines += ["    " + style.paint(style.plain(snapshot + " --output machine.json"), "good"), ""]
    return "\n".join(lines + [style.rule, _verdict(found, style)]) + "\n"


def _framework(item: FrameworkVerification, style: Style) -> List[str]:
    predicted, observed = item.predicted, item.observed
    agreement = {True: ", as predicted", False: ", which was not predicted", None: ""}[item.agrees]
    if observed.outcome == "not-run":
        state, kind = "could not be tried", "warning"
    elif item.works:
        state, kind = "works" + agreement, "good" if item.agrees is not False else "warning"
    else:
        state, kind = "does not work" + agreement, "error"
    head = "%s %s" % (item.framework, predicted.version or "(no version)")
    lines = ["%s: %s (%.1f s)" % (style.paint(style.plain(head), "head"), style.paint(state, kind), observed.seconds)]
    lines += _row(style, "predicted", _predicted(item))
    lines += _row(style, "observed", _observed(item))
    for text in item.differences:
        lines += _row(style, "differs", text)
    if item.findings:
        lines += _row(style, "cause", ", ".join(finding.code for finding in item.findings))
    return lines


def _predicted(item: FrameworkVerification) -> str:
    predicted = item.predicted
    because = ": %s" % predicted.cause if predicted.cause else ""
    if predicted.will_import is None:
        return "nothing: this release is not known"
    if not predicted.will_import:
        return "cannot be imported" + (because or ": it is not installed")
    keras = {True: "Keras trains", False: "Keras does not train" + because, None: ""}[predicted.will_run_keras]
    devices = "lists %s" % ", ".join(predicted.devices) if predicted.devices else ""
    return "; ".join(part for part in ("can be imported", devices, keras) if part)


def _observed(item: FrameworkVerification) -> str:
    observed = item.observed
    if observed.outcome == "not-run":
        return observed.error or "nothing"
    done: List[str] = []
    for stage, text in _DONE:
        if observed.outcome != "works" and stage == observed.stage:
            break
        if stage == "list":
            text = "listed %s" % (", ".join(observed.devices) or "no devices")
        if stage == "train":
            text = "trained a Keras model" if observed.keras_runs else "took a gradient"
        done.append(text)
    if observed.outcome != "works":
        done.append("%s when %s" % (ending(observed), DOING[observed.stage]))
    elif item.missing:
        done.append("did not list %s" % ", ".join(item.missing))
    return ", ".join(done)


def _row(style: Style, label: str, text: str) -> List[str]:
    start = "  " + label.ljust(11)
    return textwrap.wrap(
        style.plain(text),
        style.width,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _verdict(found: Verification, style: Style) -> str:
    broken = [item.framework for item in found.frameworks if not item.works]
    if broken:
        return style.paint("Not everything works: %s." % ", ".join(broken), "error")
    return style.paint("Everything works%s." % (", as predicted" if found.agrees else ""), "good")
