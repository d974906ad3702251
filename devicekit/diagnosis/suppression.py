"""Which findings are symptoms of others, and how severe they are for frameworks that are not selected. Pure."""

from typing import List, NamedTuple, Sequence, Tuple

from .blocking import frameworks_in
from .findings import Finding, Fix, LazyFixes
from .frameworks import BACKENDS, TITLES


class Cause(NamedTuple):
    """A code that fired. ``frameworks``: the only ones that it is about, () if it is about all."""

    code: str
    frameworks: Tuple[str, ...]


def cause_of(finding: Finding, backend: str) -> Cause:
    """Return what a finding can hide; ``backend``: what Keras computes with, which what is about Keras is about."""
    return Cause(finding.code, _about(finding, backend))


def _about(finding: Finding, backend: str) -> Tuple[str, ...]:
    own = [backend if block.startswith(("keras", "tf.")) else block for block in finding.blocks]
    return frameworks_in(tuple(own)) if backend in BACKENDS else frameworks_in(finding.blocks)


def hides_all(causes: Sequence[Cause], hidden_by: Tuple[str, ...]) -> bool:
    """Return whether everything that a rule could say is a symptom."""
    return any(cause.code in hidden_by and not cause.frameworks for cause in causes)


def is_symptom(finding: Finding, causes: Sequence[Cause], hidden_by: Tuple[str, ...], backend: str) -> bool:
    """Return whether a finding is a symptom of what fired before: every framework that it is about is hit by that."""
    # What blocks nothing is a note on TensorFlow, whose rules were there first.
    about = _about(finding, backend) if finding.blocks else ("tensorflow",)
    hit: List[str] = []
    for cause in causes:
        if cause.code in hidden_by:
            hit += cause.frameworks or BACKENDS
    return bool(about) and all(name in hit for name in about)


def as_seen_from(finding: Finding, selected: str) -> Finding:
    """Return a finding with the severity that it has for the selected framework.

    What is wrong with another framework is only a note for anyone who does not use it.
    """
    about = frameworks_in(finding.blocks)
    if finding.severity == "info" or not about or selected in about:
        return finding
    if finding.severity == "warning":
        return finding.replace(severity="info")
    # What would fix the other one may change what the selected one needs.
    text = "No action needed while you use %s; otherwise install %s in a separate environment"
    leave = Fix(text % (TITLES[selected], " and ".join(TITLES[name] for name in about)))
    return finding.replace(severity="warning", fix=LazyFixes(lambda: (leave, *finding.fix)))
