"""Questions to the matrix: does this go with that? Answers are "compatible", "incompatible because" or "unknown". Pure."""

import re
from typing import Callable, Iterable, Iterator, List, Optional, Tuple

from ..errors import did_you_mean, unknown_name
from ..records import Record
from .bounds import STAGES, fit, requirement_parts
from .gpu_support import JAX_CUDA, code_for, driver_at_least, gpu_code_in, gpu_defect, newer_than_build, refuses_targets
from .matrix import BUNDLED, TENSORFLOW_OWNERS, Matrix, accepts, version_at_least
from .projects import Release
from .target import PLATFORMS, Target, target_for


class Answer(Record):
    """What the matrix says to a question.

    Attributes
    ----------
    status : {"compatible", "incompatible", "unknown"}
    because : str
        In a sentence. Of a release that is not known: what the nearest known one says.
    source : str
        If that is written or was seen.
    """

    status: str
    because: str = ""
    source: str = ""

    def __str__(self) -> str:
        text = self.status.capitalize() + (": " + self.because.rstrip(".") if self.because else "")
        return text + (" (%s)." % self.source if self.source else ".")


def _no(because: str, source: str) -> Answer:
    return Answer("incompatible", because, source)


def _ask(project: str, version: str, matrix: Matrix, judge: Callable[[Release], Answer]) -> Answer:
    """Return what a release says; where only its neighbor is known, "unknown" with what that one says."""
    known = matrix.project(project)
    release = known.nearest(version) if known is not None else None
    if release is None:
        return Answer(
            "unknown", "the matrix holds nothing of %s%s" % (project, did_you_mean(project, matrix.projects()))
        )
    if accepts(">=0", version) is None:
        return Answer("unknown", "%r is not a version of %s" % (version, project))
    answer = judge(release)
    if release.version == version:
        return answer
    says = "compatible" if answer.status == "compatible" else answer.because
    text = "%s %s is not known; the nearest known release, %s, says: %s" % (project, version, release.version, says)
    return Answer("unknown", text, answer.source)


def has_wheel(project: str, version: str, python: str, platform: str, matrix: Optional[Matrix] = None) -> Answer:
    """Return whether a release has a wheel for a Python version and a platform.

    Parameters
    ----------
    project, version : str
        ``"tensorflow"``, ``"2.15.1"``.
    python : str
        ``"3.11"``.
    platform : str
        ``"linux-x86_64"``, ``"linux-aarch64"``, ``"windows-amd64"``, ``"macos-arm64"`` or ``"macos-x86_64"``.
    matrix : Matrix, optional

    Raises
    ------
    ValueError
        If the platform is none of these.
    """
    if platform not in PLATFORMS:
        raise ValueError(unknown_name("platform", platform, PLATFORMS))
    if not re.match(r"\d+\.\d+", python):
        return Answer("unknown", "%r is not a version of Python as 3.11" % python)
    target = target_for(platform, python)
    return _ask(project, version, matrix or BUNDLED, lambda release: _has_wheel(release, target))


def _has_wheel(release: Release, target: Target) -> Answer:
    label = "%s %s" % (release.project, release.version)
    if not target.takes_release(release):
        text = "%s is for Python %s, not for %s" % (label, release.requires_python, target.python)
        return _no(text, release.builds[-1].source)
    pythons: List[str] = []
    for build in release.builds:
        for tag, tags in build.wheels:
            if not target.takes_platform(tag):
                continue
            if any(target.takes_python(item) for item in tags):
                others = [text for text in build.requires if build.kind == "empty"]
                if others:
                    return Answer("compatible", "an empty wheel that requires another distribution", build.source)
                return Answer("compatible", "", build.source)
            pythons += tags
    source = release.builds[-1].source
    if pythons:
        names = ", ".join(sorted({"3.%s" % tag[3:] for tag in pythons}, key=lambda item: int(item[2:].rstrip("+"))))
        return _no("%s has wheels for Python %s there, not for %s" % (label, names, target.python), source)
    return _no("%s has no wheel for %s" % (label, target.platform), source)


def goes_with(
    project: str, version: str, other: str, other_version: str, python: str = "", matrix: Optional[Matrix] = None
) -> Answer:
    """Return whether a release goes with a release of something that it requires.

    What was seen to load or to fail counts more than what the metadata declare, which is wrong in both directions.

    Parameters
    ----------
    project, version : str
        ``"tensorflow"``, ``"2.10.1"``.
    other, other_version : str
        ``"numpy"``, ``"2.0.2"``.
    python : str, optional
        ``"3.10"``: some requirements are for some versions of Python only.
    matrix : Matrix, optional
    """
    known, name = matrix or BUNDLED, other.lower().replace("_", "-")
    if accepts(">=0", other_version) is None:
        return Answer("unknown", "%r is not a version of %s" % (other_version, name))
    answer = _ask(project, version, known, lambda release: _goes_with(release, name, other_version, python, known))
    held = known.project(name)
    if answer.status == "compatible" and held is not None and held.like(other_version) is None:
        text = "no %s %s is known; the newest in the bundled data of %s is %s"
        return Answer("unknown", text % (name, other_version, held.date, held.versions[-1]))
    return answer


def _goes_with(release: Release, other: str, other_version: str, python: str, matrix: Matrix) -> Answer:
    label = "%s %s" % (release.project, release.version)
    # What Keras computes with is asked of the Keras that runs on it.
    backend = other if release.project == "keras" and other in ("jax", "torch") else ""
    found = fit(matrix, release.project, release.version, python, other, other_version, backend)
    build = next((item for item in release.builds if item.kind != "empty"), release.builds[-1])
    bounds, because = build.protobuf_needs
    generated = other == "protobuf" and bool(bounds) and accepts(bounds, other_version) is False
    if generated and not found.measured:
        return _no("%s needs protobuf%s: %s" % (label, bounds, because), build.source)
    if found.state == "fails":
        if found.measured:
            pair = "%s with %s %s: %s" % (label, other, other_version, STAGES[found.stage])
            return _no("%s: %s%s" % (pair, found.because, "; " + because if generated else ""), found.source)
        return _no(found.because, found.source)
    companion = matrix.companion(release.project, release.version) if other in TENSORFLOW_OWNERS else None
    if companion is not None:
        text = "%s was made for TensorFlow %s: %s" % (label, companion.tensorflow, companion.because)
        if companion.fails and accepts(companion.fails, other_version):
            return _no(text, build.source)
        if not accepts(companion.tensorflow, other_version):
            return Answer("unknown", text, build.source)
        return Answer("compatible", "", build.source)
    wanted = [bounds for name, bounds in declared(build.requires, python) if name == other]
    refusing = [bounds for bounds in wanted if accepts(bounds, other_version) is False]
    if found.state == "works":
        text = "it works, though the metadata declare %s%s" % (other, refusing[0]) if refusing else ""
        return Answer("compatible", text, found.source)
    if refusing:
        return _no("%s declares %s%s" % (label, other, refusing[0]), build.source)
    if found.because:
        return Answer("unknown", found.because, found.source)
    if not wanted:
        return Answer("unknown", "%s says nothing of %s" % (label, other), build.source)
    return Answer("compatible", "", build.source)


def declared(requires: Iterable[str], python: str) -> Iterator[Tuple[str, str]]:
    """Yield name and bounds of the requirements that hold without extras, for a Python if it is known."""
    for text in requires:
        marker = text.partition(";")[2]
        if "extra ==" in marker or (marker and python and not _holds(marker, python)):
            continue
        yield requirement_parts(text)


def _holds(marker: str, python: str) -> bool:
    from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName

    try:
        return Marker(marker.strip()).evaluate(target_for("linux-x86_64", python).environment())
    except (InvalidMarker, UndefinedEnvironmentName):  # some old wheels have such
        return False


def driver_runs(cuda: str, driver: str, system: str = "linux", matrix: Optional[Matrix] = None) -> Answer:
    """Return whether an NVIDIA driver can run programs built with a CUDA release.

    Parameters
    ----------
    cuda : str
        ``"12.5"``.
    driver : str
        ``"550.54.15"``.
    system : {"linux", "windows"}
    matrix : Matrix, optional
    """
    if system not in ("linux", "windows"):
        raise ValueError("unknown system %r; accepted are linux and windows" % system)
    row = (matrix or BUNDLED).cuda(cuda)
    source = "https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/"
    if row is None:
        return Answer("unknown", "the matrix holds nothing of CUDA %s" % cuda)
    least = row.windows_driver if system == "windows" else row.linux_driver
    own = row.own_windows_driver if system == "windows" else row.own_linux_driver
    enough = driver_at_least(driver, least)
    if enough is None and version_at_least(driver, least) is not None:
        text = "CUDA %s needs driver %s or later on %s, and %s is a branch, some of whose drivers are older"
        return Answer("unknown", text % (row.cuda, least, system.title(), driver), source)
    if enough is None:
        return Answer("unknown", "%r is not a version of a driver" % driver)
    if not enough:
        return _no("CUDA %s needs driver %s or later on %s" % (row.cuda, least, system.title()), source)
    if own and version_at_least(driver, own) is False:
        text = "by minor-version compatibility; to compile code at run time (PTX) it takes driver %s, the toolkit's own"
        return Answer("compatible", text % own, source)
    return Answer("compatible", "", source)


def has_code_for(project: str, version: str, capability: str, matrix: Optional[Matrix] = None) -> Answer:
    """Return whether a release runs on GPUs of a compute capability, or of one of AMD's targets.

    Parameters
    ----------
    project, version : str
        ``"tensorflow"``, ``"2.20.0"``.
    capability : str
        ``"8.9"``; of tensorflow-rocm ``"gfx1100"``.
    matrix : Matrix, optional
    """
    table = matrix or BUNDLED
    if re.match(r"gfx[0-9a-f]{3,4}$", capability):
        return _ask(project, version, table, lambda release: _runs_on(release, capability, table))
    if not re.match(r"\d{1,3}\.\d$", capability):
        return Answer("unknown", "%r is not a compute capability as 8.9" % capability)
    return _ask(project, version, table, lambda release: _has_code_for(release, capability, table))


def _runs_on(release: Release, target: str, matrix: Matrix) -> Answer:
    label = "%s %s" % (release.project, release.version)
    row = matrix.rocm(release.version) if release.project == "tensorflow-rocm" else None
    if row is None or not row.gfx:
        return Answer("unknown", "%s does not say for which GPUs it has code" % label)
    refusal = refuses_targets(release.version, (target,), matrix)
    source = release.builds[0].source
    return _no("%s: %s" % (label, refusal), source) if refusal else Answer("compatible", "", source)


def _plugins(release: Release) -> Tuple[str, ...]:
    return tuple(JAX_CUDA) if release.project == "jax" else ("",)


def _has_code_for(release: Release, capability: str, matrix: Matrix) -> Answer:
    label = "%s %s" % (release.project, release.version)
    target = Target("", "linux", "x86_64", capabilities=(capability,))
    # What has JAX's code are its plug-ins for CUDA, of which there are two.
    builds = [build._replace(cuda=cuda or build.cuda) for build in release.builds for cuda in _plugins(release)]
    builds = [build._replace(capabilities=gpu_code_in(release, build, matrix)) for build in builds]
    builds = [build for build in builds if build.capabilities]
    if not builds:
        return Answer("unknown", "%s does not say for which GPUs it has code" % label)
    build = next((item for item in builds if not code_for(item, target).refusal), builds[0])
    code = code_for(build, target)
    if code.refusal:
        return _no("%s: %s" % (label, code.refusal), build.source)
    framework = "tensorflow" if release.project in TENSORFLOW_OWNERS else release.project
    defect = gpu_defect(framework, release.version, build, target, matrix)
    if defect is not None:
        because = "%s has code that the driver compiles, and users report that %s" % (label, defect.what)
        return Answer("unknown", because, defect.sources[0])
    if code.kind == "compiled" and newer_than_build(build, (capability,), matrix):
        because = "%s has code that the driver compiles, and was built before this GPU: only a run can tell" % label
        return Answer("unknown", because, build.source)
    if code.kind == "compiled":
        return Answer("compatible", "the driver compiles its code at first use, which takes minutes", build.source)
    return Answer("compatible", "", build.source)
