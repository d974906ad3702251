"""The report of ``devicekit verify``."""

from typing import Dict, List

from ..diagnosis.findings import Finding
from ..runtime.verification import FrameworkVerification, Verification, failure
from .terminal import PLAIN, Style, findings_lines, machine_lines

#: What a framework has done at each stage that it passed.
_DONE = {
    "import": "imported",
    "product": "multiplied matrices",
    "elementwise": "computed elementwise",
    "random": "drew random numbers",
    "convolution": "computed a convolution and its gradients",
}


def verification_text(verification: Verification, style: Style = PLAIN, snapshot: str = "devicekit snapshot") -> str:
    """Return the report of ``devicekit verify``; ``snapshot`` is the command that writes a snapshot of the machine."""
    lines = [style.paint("devicekit %s" % verification.machine.devicekit_version, "head"), style.rule]
    lines += machine_lines(verification.machine, style) + [""]
    for item in verification.frameworks:
        lines += _framework(item, style) + [""]
    causes: Dict[str, Finding] = {}
    for item in verification.frameworks:
        for finding in item.findings:
            causes.setdefault(finding.code, finding)
    if causes:
        lines += [style.paint("Findings", "head"), *findings_lines(causes.values(), style)]
    if verification.agrees is False:
        text = (
            "This is a bug in devicekit. Please report it, and attach this report and machine.json from this command "
            "(it contains no user or host names):"
        )
        late = all(item.observed.outcome == "hung" for item in verification.frameworks if item.agrees is False)
        if late:
            lines += style.wrap("A slow or busy machine needs more time: try again with a larger --timeout.")
            text = text.replace("This is", "If it does not answer then either, this is")
        else:
            lines += [style.paint("The prediction was wrong.", "warning")]
        lines += style.wrap(text)
        lines += ["    " + style.paint(style.plain(snapshot + " --output machine.json"), "good"), ""]
    if verification.shadowed:
        lines += style.wrap("Nothing in the working folder was run. A program that is started there meets this:")
        lines += findings_lines(verification.shadowed, style)
    return "\n".join(lines + [style.rule, _verdict(verification, style)]) + "\n"


def _framework(item: FrameworkVerification, style: Style) -> List[str]:
    predicted, observed = item.predicted, item.observed
    agreement = {True: ", as predicted", False: ", which was not predicted", None: ""}[item.agrees]
    if observed.outcome == "not-run":
        state, kind = "could not be tested", "warning"
    elif item.works:
        state, kind = "works" + agreement, "good" if item.agrees is not False else "warning"
    else:
        state, kind = "does not work" + agreement, "error"
    head = "%s %s" % (item.framework, predicted.version or "(no version)")
    lines = ["%s: %s (%.1f s)" % (style.paint(style.plain(head), "head"), style.paint(state, kind), observed.seconds)]
    lines += _row(style, "predicted", _predicted(item))
    lines += _row(style, "observed", observed_text(item))
    for text in item.differences:
        lines += _row(style, "differs", text)
    if item.findings:
        lines += _row(style, "cause", ", ".join(finding.code for finding in item.findings))
    return lines


def _predicted(item: FrameworkVerification) -> str:
    predicted = item.predicted
    because = ": %s" % predicted.cause if predicted.cause else ""
    if predicted.will_import is None:
        return "nothing: unknown release"
    if not predicted.will_import:
        return "cannot be imported" + (because or ": it is not installed")
    keras = {True: "Keras trains", False: "Keras does not train" + because, None: ""}[predicted.will_run_keras]
    devices = "lists %s" % ", ".join(predicted.devices) if predicted.devices else ""
    return "; ".join(part for part in ("can be imported", devices, keras) if part)


def observed_text(item: FrameworkVerification) -> str:
    """Return what a framework did, and where it failed."""
    observed = item.observed
    if observed.outcome == "not-run":
        return observed.error or "nothing"
    done = []
    for stage in observed.passed:
        if stage == "list":
            done.append("listed %s" % (", ".join(observed.devices) or "no devices"))
        elif stage == "train":
            done.append("trained a Keras model" if observed.keras_runs else "trained a model of its own")
        else:
            done.append(_DONE[stage])
    if observed.outcome != "works":
        done.append(failure(observed))
    elif item.missing:
        done.append("did not list %s" % ", ".join(item.missing))
    return ", ".join(done)


def _row(style: Style, label: str, text: str) -> List[str]:
    start = "  " + label.ljust(11)
    return style.wrap(text, start, " " * len(start))


def _verdict(verification: Verification, style: Style) -> str:
    broken = [item.framework for item in verification.frameworks if not item.works]
    if broken:
        return style.paint("Does not work: %s." % ", ".join(broken), "error")
    predicted = ", as predicted" if verification.agrees else ""
    if verification.shadowed:
        return style.paint("Everything works outside of the working folder%s." % predicted, "warning")
    return style.paint("Everything works%s." % predicted, "good")
