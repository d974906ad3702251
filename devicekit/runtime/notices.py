"""What users see of a selection: warnings, log lines, and the error for a device that was required."""

import sys
from typing import Dict, Optional, Tuple, Type

from ..diagnosis.findings import Evidence, Finding, Fix, Kind, name_of
from ..errors import (
    CompatibilityWarning,
    ConfigurationWarning,
    DeviceUnavailableError,
    DeviceWarning,
    FallbackWarning,
    lost_if_unheard,
    notify,
)
from ..selection.selection import Selection, is_stuck
from .settings import Settings

#: Findings about settings; all others are about what is installed.
_FAMILIES: Dict[str, Type[DeviceWarning]] = {
    "runtime-already-initialized": ConfigurationWarning,
    "setting-invalid": ConfigurationWarning,
    "cache-unwritable": ConfigurationWarning,
    "keras-backend-differs": ConfigurationWarning,
}


def unavailable(selection: Selection) -> DeviceUnavailableError:
    """Return the error for a device that was required and cannot be used."""
    given = "only %s can be used" % selection.device if selection.device != "auto" else "it cannot be set up"
    if is_stuck(selection):
        given = "no device can be used"
    asked = "'%s' was asked for: " % selection.requested
    reason = selection.reason[len(asked) :] if selection.reason.startswith(asked) else selection.reason
    lines = ["'%s' was required, %s: %s." % (selection.requested, given, reason.rstrip("."))]
    cause = selection.findings[0] if selection.findings else None
    if cause is not None:
        lines[0] = "[%s] " % cause.code + lines[0]
        lines += ["%s%s" % (fix.text, ": " + fix.command if fix.command else "") for fix in cause.fix[:1]]
    return DeviceUnavailableError(" ".join(lines), selection.findings)


def setting_finding(name: str, problem: str) -> Finding:
    """Return the finding that a variable of devicekit has an invalid value."""
    return Kind("setting-invalid", "warning").finding(
        "The variable %s is ignored: devicekit does not know it, or its value." % name,
        (Evidence(problem, name),),
        (Fix("Unset %s, or correct its name or value" % name),),
    )


def setting_findings(settings: Settings) -> Tuple[Finding, ...]:
    """Return the findings about variables of devicekit that are ignored."""
    return tuple(setting_finding(name, problem) for name, problem in settings.problems)


def family_of(finding: Finding) -> Type[DeviceWarning]:
    """Return the class of warning that a finding is reported as, if it is not a fallback."""
    return _FAMILIES.get(finding.code, CompatibilityWarning)


def announce(selection: Selection, quiet: bool, verbose: Optional[bool]) -> None:
    """Warn about what the user must know, and log the rest."""
    if verbose and not quiet:
        with lost_if_unheard():
            sys.stderr.write("%s\n" % selection)
    for number, finding in enumerate(selection.findings):
        family = family_of(finding)
        broken = name_of(selection.framework) in finding.blocks
        fell_back = number == 0 and selection.fallback
        if fell_back and finding.code not in _FAMILIES and not broken:
            family = FallbackWarning
        # One warning for a fallback to the CPU, and one for each thing that is broken: all other findings are on the
        # Selection and in the log.
        visible = finding.code in _FAMILIES or finding.severity == "error" or fell_back
        # A request for a named device is answered, whatever was reported before to a program that left the choice open.
        notify(finding, family, quiet or not visible, named_request(selection) if fell_back else "")


def named_request(selection: Selection) -> str:
    """Return the device that the caller named, "" if the choice was left open."""
    return "" if selection.requested in ("auto", "fastest") else selection.requested
