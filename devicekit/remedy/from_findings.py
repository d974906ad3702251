"""A plan from the fixes that the findings themselves name: the first way of each that an installer can do. Pure."""

from typing import Dict, Iterable, List, Mapping, Optional, Tuple

from ..diagnosis.findings import Finding, Fix, Packages
from ..machine.probe.distributions import normalize
from .result import Attempt, Change


def ways(finding: Finding) -> Tuple[Tuple[Fix, ...], ...]:
    """Return the alternatives of a finding, each with its steps."""
    found: List[List[Fix]] = []
    for step in finding.fix:
        if step.instead or not found:
            found.append([])
        found[-1].append(step)
    return tuple(tuple(steps) for steps in found)


def attempts(findings: Iterable[Finding]) -> Tuple[Attempt, ...]:
    """Return what an installer can do about findings: all that can be fixed at once, by the first way of each."""
    doable = []
    for finding in findings:
        way = next((steps for steps in ways(finding) if all(step.packages is not None for step in steps)), None)
        if way:
            doable.append((finding, way))
    if not doable:
        return ()
    packages = merged([step.packages for _, way in doable for step in way if step.packages is not None])
    reason = " ".join(way[0].text.rstrip(".") + "." for _, way in doable)
    return (Attempt(packages, reason, tuple(finding.code for finding, _ in doable)),)


def left(findings: Iterable[Finding]) -> Tuple[Fix, ...]:
    """Return the steps that only a person can do, of the findings that have no way without."""
    found: List[Fix] = []
    for finding in findings:
        if not any(all(step.packages is not None for step in way) for way in ways(finding)):
            found += [step for step in next(iter(ways(finding)), ()) if step not in found]
    return tuple(found)


def merged(several: Iterable[Packages]) -> Packages:
    """Return what does all of several things."""
    remove, install, reinstall, index = [], [], [], ""  # type: List[str], List[str], List[str], str
    for packages in several:
        remove += packages.remove
        install += packages.install
        reinstall += packages.reinstall
        index = index or packages.index_url
    return Packages(tuple(dict.fromkeys(remove)), tuple(dict.fromkeys(install)), tuple(dict.fromkeys(reinstall)), index)


def expected_changes(packages: Packages, installed: Mapping[str, str]) -> Tuple[Change, ...]:
    """Return the changes that packages name; an installer may have to change dependencies as well.

    ``installed``: versions by normalized name.
    """
    after: Dict[str, Optional[str]] = dict.fromkeys(map(normalize, packages.remove))
    for text in packages.install + packages.reinstall:
        name, _, version = text.partition("==")
        after[normalize(name.partition("[")[0].strip())] = version or text
    changes = [Change(name, installed.get(name), version) for name, version in after.items()]
    return tuple(item for item in changes if item.before is not None or item.after is not None)
