"""From matches to findings: the code of each match on this machine, suppressed symptoms, and the likeliest cause."""

import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..diagnosis.findings import Evidence, Finding
from .context import Known
from .deduction import GPU_UNUSED, Claim, deduce
from .failures import Failure, claim_of
from .fixes.providers import fixes_for
from .fixes.situation import Situation
from .scrub import scrub
from .signatures import BY_LIBRARY, SAYS, Signature, filled, library_code, remedy

#: The weight of a line that only matters if a GPU is expected: any other problem counts for more.
_IDLE = 0.4

#: The signature of a file of the program that has a package's name.
_OWN_FILE = "py-traceback-own-file"

#: TensorFlow's own sources have no such path.
_OF_XLA = re.compile(r" external/(?:xla|org_tensorflow)/")

#: Maximum number of evidence lines for a finding.
_EVIDENCE = 5


class Match(NamedTuple):
    """A line that matches a signature."""

    signature: Signature
    groups: Dict[str, str]
    number: int
    line: str


def weigh(
    matches: Sequence[Match],
    known: Known,
    seen: Mapping[str, Any],
    source: str,
    calm: bool = False,
    failure: Optional[Failure] = None,
) -> Tuple[List[Finding], float]:
    """Return the findings of a log, the likeliest root cause first, and how sure the first is (see `SAYS`).

    ``calm``: the log has lines known to be harmless. ``failure``: its first error, which counts if nothing else explains it.
    """
    own = [match for match in matches if match.signature.id == _OWN_FILE]
    if own and not any(_hides(match.groups["path"], known.frames) for match in own):
        matches = [match for match in matches if match not in own]
        seen = {name: count for name, count in seen.items() if name != _OWN_FILE}
    claims = [claim for match in matches for claim in _claims(match, known, seen, source)]
    if not known.expects_gpu:
        # A machine without a GPU prints the same, and there is no sign of one; a program that ends there does need one.
        end = failure.number if failure is not None else -1
        claims = [
            claim._replace(severity="info", weight=_IDLE) if claim.expects_gpu and claim.number != end else claim
            for claim in claims
        ]
    last = claim_of(failure, source, known.built) if failure is not None else None
    alone = not any(claim.severity != "info" for claim in claims)
    mixed = last is not None and last.code == "install-corrupt" and not any(claim.code == last.code for claim in claims)
    if last is not None and (mixed or last.code == "module-shadowed" or (last.code == "framework-broken" and alone)):
        claims.insert(0, last)  # of equally certain claims, the first one
    claims += deduce(claims, known, calm or last is not None)
    # A note may be certain, and explains nothing that goes wrong.
    best = max((claim.weight for claim in claims if claim.severity != "info"), default=0.0)
    best = best or max((claim.weight for claim in claims), default=0.0)
    for says in ("symptom", "hint"):  # weaker claims are not reported
        if best >= SAYS[says]:
            claims = [claim for claim in claims if claim.weight >= SAYS[says]]
            break
    claims = _without_symptoms(claims)
    if last is not None and not any(claim.severity != "info" or claim.code == "user-code-error" for claim in claims):
        claims.append(last)
    order = {"error": 0, "warning": 1, "info": 2}
    claims.sort(key=lambda claim: (claim.severity == "info", -claim.weight, order[claim.severity], claim.number))
    by_code: Dict[str, List[Claim]] = {}
    for claim in claims:
        by_code.setdefault(claim.code, []).append(claim)
    return [_finding(group, known) for group in by_code.values()], claims[0].weight if claims else 0.0


def _claims(match: Match, known: Known, seen: Mapping[str, Any], source: str) -> List[Claim]:
    signature = match.signature
    says: Dict[str, Any] = {
        "code": signature.code, "says": signature.says, "severity": signature.severity, "summary": signature.summary,
        "fix": signature.fix, "fix-alone": signature.fix_alone,
    }  # fmt: skip
    for case in signature.when:
        if known.holds(case["if"], match.groups, seen):
            if case.get("code", says["code"]) != says["code"]:
                says.update(severity=None, fix=[], **{"fix-alone": False})
            says.update({name: value for name, value in case.items() if name != "if"})
            break
    code = says["code"]
    driver = code in ("driver-unhealthy", "driver-too-old") and "torch" in known.packages
    if (driver or code in ("container-without-gpu", "wsl-without-gpu")) and _for_nvidia(match.line, known):
        code = "gpu-vendor-unsupported"
        says.update(summary="", fix=[])
    if (
        code in ("rocm-missing", "no-gpu", "wsl-without-gpu")
        and known.environment.get("HSA_ENABLE_DXG_DETECTION") == "0"
    ):
        code = "device-hidden"
        says.update(summary="", fix=[])
    if code == "install-corrupt" and signature.id.startswith(("tf-", "ld-undefined-tf-own")) and len(known.owners) > 1:
        code = "distributions-conflict"
    if code == BY_LIBRARY:
        code = library_code(match.groups.get("library", ""))
    if code is None or code == "harmless" or says["says"] not in ("cause", "symptom", "hint", "guess"):
        return []
    general = remedy(code)
    groups = {name: scrub(value) for name, value in match.groups.items()}
    where = Evidence(match.line[:500], "%s, line %d" % (source, match.number))
    return [
        Claim(
            code=code,
            weight=SAYS[says["says"]],
            severity=says["severity"] or general.get("severity", "error"),
            summary=_printed_by(match.line, known, scrub(filled(says["summary"], groups)))
            or general.get("summary", ""),
            number=match.number,
            evidence=(where,),
            expects_gpu=code in GPU_UNUSED and (signature.expects_gpu or says["says"] in ("hint", "guess")),
            fix=says["fix"],
            alone=bool(says.get("fix-alone")),
            groups=groups,
            line=match.line,
            signature=signature.id,
        )
    ]


def _printed_by(line: str, known: Known, summary: str) -> str:
    """A summary that names TensorFlow, where XLA in another library has printed the line."""
    if not _OF_XLA.search(line):
        return summary
    jax = "jax" in known.words or bool({"jax", "jaxlib"} & set(known.packages))
    return summary.replace("TensorFlow", "JAX" if jax else "XLA")


def _hides(path: str, frames: Sequence[str]) -> bool:
    """Whether a file of the program hides the package with its name: not if that runs, too."""
    name = re.sub(r".*[\\/]|\.py$", "", path)
    return not re.search(r"-packages[\\/](tensorflow[\\/]python[\\/])?%s[\\/]" % name, "\n".join(frames))


def _for_nvidia(line: str, known: Known) -> bool:
    """Whether the build is for NVIDIA's GPUs, and the GPU is of another maker."""
    if not known.vendors or not known.vendors <= {"amd", "intel"}:
        return False
    torch = known.packages.get("torch", "")
    said = re.search(r"Found no NVIDIA|cuInit|libcuda\.so|CUDA_ERROR|No CUDA GPUs|CUDA unknown", line)
    return "+cu" in torch or ("+" not in torch and said is not None)


def _without_symptoms(claims: Sequence[Claim]) -> List[Claim]:
    """Leave out claims that another one explains, if that one is at least as certain."""
    best: Dict[str, float] = {}
    for claim in claims:
        best[claim.code] = max(best.get(claim.code, 0.0), claim.weight)
    hidden = set()
    for code, weight in best.items():
        for symptom in remedy(code).get("hides", ()):
            if best.get(symptom, 99.0) <= weight:
                hidden.add(symptom)
    return [claim for claim in claims if claim.code not in hidden]


def _together(claims: Sequence[Claim], chosen: Claim) -> Sequence[Mapping[str, Any]]:
    """Return the steps of a claim; of several requirements of one distribution that pip finds unmet, one step for all."""
    if not chosen.signature.startswith("pip-conflict") or "package" not in chosen.groups:
        return chosen.fix
    same = [claim.groups for claim in claims if claim.signature == chosen.signature]
    wanted = list(dict.fromkeys(item["wanted"] for item in same if item["package"] == chosen.groups["package"]))
    if len(wanted) < 2 or not any("install" in row for row in chosen.fix):
        return chosen.fix
    return [{"text": "Install versions that meet all of {package}'s requirements", "install": wanted}]


def _finding(claims: Sequence[Claim], known: Known) -> Finding:
    """Join the claims of one code: the summary of the strongest one, the evidence of all.

    Of equally strong ones, one whose line has facts (a version, the GPU, a library) says more than one without any.
    """
    strongest = [claim for claim in claims if claim.weight == claims[0].weight and claim.severity == claims[0].severity]
    first = next((claim for claim in strongest if claim.groups), claims[0])
    lines: List[Evidence] = []
    for claim in claims:
        if len(lines) < _EVIDENCE:
            lines += [item for item in claim.evidence if item not in lines]
    # The strongest line with steps of its own; else the strongest one.
    chosen = next((claim for claim in claims if claim.fix), first)
    groups = chosen.groups
    if chosen.signature == "pip-conflict-framework":
        same = [claim.groups for claim in claims if claim.signature == chosen.signature]
        names = dict.fromkeys(item["package"] for item in same if item["found"] == groups["found"])
        groups = dict(groups, packages=" ".join(names))
    about = Situation(first.code, known, groups, chosen.line, chosen.signature, first.summary)
    fixes = fixes_for(about, _together(claims, chosen), chosen.alone)
    return Finding(first.code, first.severity, first.summary, tuple(lines[:_EVIDENCE]), fixes)
