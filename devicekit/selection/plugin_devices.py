"""Why a device of a plug-in's platform is not used, where it was asked for. Pure."""

from typing import List, Optional, Sequence

from ..diagnosis.findings import Candidate, Diagnosis, Finding, name_of
from ..diagnosis.frameworks import TITLES
from .request import Request


def considered(accelerators: Sequence[Candidate], request: Request) -> List[Candidate]:
    """Return the accelerators whose findings can explain why a request is not met."""
    return [item for item in accelerators if not item.device_type or request.kind == "auto"]


def foreign_cause(diagnosis: Diagnosis, request: Request, matching: Sequence[Candidate]) -> Optional[Finding]:
    """Return the finding that decided against the asked devices, None where there are no such devices."""
    for candidate in matching:
        for code in candidate.blocked_by:
            for finding in diagnosis.findings:
                if finding.code == code and {candidate.device, request.platform} & set(finding.blocks):
                    return finding
            found = diagnosis.by_code(code)
            if found is not None:
                return found
    return next((item for item in diagnosis.findings if request.platform in item.blocks), None)


def foreign_reason(diagnosis: Diagnosis, request: Request, framework: Optional[str]) -> str:
    """Return why there is none of the asked devices, in words, where no finding says it."""
    kinds = dict(request.device_types)
    if framework is not None and kinds and name_of(framework) not in kinds:
        return "its plug-in has devices for %s, not for %s" % (
            ", ".join(TITLES[name] for name in kinds), TITLES[framework]
        )  # fmt: skip
    listed = [item for item in diagnosis.candidates_for(framework) if item.platform == request.platform]
    if listed:
        return "there is " + ", ".join("%s (%s)" % (item.device, item.name) for item in listed)
    why = next((item.because for item in diagnosis.not_evaluated if item.code == request.platform), "")
    return why or "no such device was found"
