"""A log and a snapshot of the machine it comes from: what both say comes first. Pure."""

from typing import Dict, List, Sequence, Tuple

from ..diagnosis.findings import Finding

__all__ = ["merged"]


def merged(from_log: Sequence[Finding], from_machine: Sequence[Finding], explained: bool) -> Tuple[Finding, ...]:
    """Return the findings of a log beside those that the rules make of the machine.

    Parameters
    ----------
    from_log, from_machine : sequence of Finding
    explained : bool
        Whether the log names a cause or a clear symptom. Where it does not, the machine's errors come first.
    """
    known: Dict[str, Finding] = {item.code: item for item in from_machine}
    both: List[Finding] = []
    alone: List[Finding] = []
    for item in from_log:
        rule = known.get(item.code)
        if rule is None:
            alone.append(item)
            continue
        # The rule knows this machine's versions and shell: its words and its way out, and the log's lines as evidence.
        severity = min(item.severity, rule.severity, key=("error", "warning", "info").index)
        both.append(
            Finding(item.code, severity, rule.summary, item.evidence + rule.evidence, rule.fix, rule.blocks, rule.url)
        )
    codes = {item.code for item in from_log}
    rest = [item for item in from_machine if item.code not in codes]
    errors = [item for item in rest if item.severity == "error"]
    others = [item for item in rest if item.severity != "error"]
    warnings = [item for item in others if item.severity == "warning"]
    remarks = [item for item in others if item.severity == "info"]
    if explained:
        return tuple(both + alone + errors + warnings + remarks)
    # What the rules see on the machine is more than a weak hint in a log.
    return tuple(both + errors + warnings + alone + remarks)
