"""Joins the findings of a log with those of its machine's snapshot: common findings come first. Pure."""

from typing import Dict, List, Sequence, Tuple

from ..diagnosis.findings import Finding


def merged(from_log: Sequence[Finding], from_machine: Sequence[Finding], explained: bool) -> Tuple[Finding, ...]:
    """Return the findings of a log together with those of the rules for the machine.

    Parameters
    ----------
    from_log, from_machine : sequence of Finding
    explained : bool
        Whether the log names a cause or a clear symptom. If not, the machine's errors come first.
    """
    known: Dict[str, Finding] = {item.code: item for item in from_machine}
    both: List[Finding] = []
    alone: List[Finding] = []
    for item in from_log:
        rule = known.get(item.code)
        if rule is None:
            alone.append(item)
            continue
        # The rule knows this machine's versions and shell: use its summary and fix, with the log's lines as evidence.
        severity = min(item.severity, rule.severity, key=("error", "warning", "info").index)
        both.append(
            Finding(item.code, severity, rule.summary, item.evidence + rule.evidence, rule.fix, rule.blocks, rule.url)
        )
    codes = {item.code for item in from_log}
    rest = [item for item in from_machine if item.code not in codes]
    errors = [item for item in rest if item.severity == "error"]
    others = [item for item in rest if item.severity != "error"]
    warnings = [item for item in others if item.severity == "warning"]
    notes = [item for item in others if item.severity == "info"]
    if explained:
        return tuple(both + alone + errors + warnings + notes)
    # The findings of rules are stronger than a weak hint in a log.
    return tuple(both + errors + warnings + alone + notes)
