"""The best set of releases for a goal, over all ways to it. Pure."""

import re
from functools import lru_cache, partial
from itertools import product
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from packaging.utils import canonicalize_name

from ..matrix.matrix import TENSORFLOW_OWNERS, Matrix, accepts
from ..matrix.projects import Project, sort_key
from ..matrix.tables import IndexRow
from ..matrix.target import Target
from .engine import Conflict, Need, Solution, available, parsed, solve
from .goals import Stack, filter_for, keras_backend, keras_on, platforms_for, stacks
from .obstacles import clash, obstacles_of, same_reasons_once
from .result import Pin, Resolution
from .system_needs import system_needs

#: Projects whose versions decide whether a framework works at all: always named exactly.
DECIDING = (
    "keras", "tf-keras", "tensorflow-estimator", "tensorboard", "numpy", "protobuf", "ml-dtypes", "h5py", "grpcio", "scipy",
    "jax", "jaxlib", "jax-cuda12-plugin", "jax-cuda13-plugin", "jax-rocm7-plugin", "torch", "torch-directml",
    "tensorflow-directml-plugin", "tensorflow-metal", "intel-extension-for-tensorflow",
    "nvidia-cudnn-cu12", "nvidia-cudnn-cu13", "nvidia-cudnn-cu11",
)  # fmt: skip

#: What the builds for another GPU bring in another form, from the same index.
_BUILT_IN = re.compile(r"(nvidia-|cuda-|triton|pytorch-triton)")

#: The ways to a platform that is a plug-in's, from the platform, a framework and the target.
Further = Callable[[str, str, Target], Tuple[Stack, ...]]


def best_set(
    goal: str,
    frameworks: Tuple[str, ...],
    target: Target,
    keep: Tuple[Need, ...],
    matrix: Matrix,
    further: Optional[Further] = None,
) -> Tuple[Optional[Resolution], Callable[[], Tuple[str, ...]]]:
    """Return the best set of all ways to a goal, or None, and what tells the obstacles to better ways, which few need.

    ``further`` is for a platform that is a plug-in's.
    """
    obstacles: List[Callable[[], Iterable[str]]] = []
    keep = tuple(need for need in keep if _holds(need, target))
    best = _best(goal, frameworks, target, keep, matrix, further, obstacles)
    if best is None:
        return None, partial(_told, obstacles)
    platform, ways, way, solution = best
    answer = _resolution(goal, platform, frameworks, way, solution, target, keep, matrix)
    newer = _newer_on_index(ways, solution, target, keep, matrix)
    return answer.replace(notes=answer.notes + newer), partial(_told, obstacles)


def best_releases(
    goal: str,
    frameworks: Tuple[str, ...],
    target: Target,
    keep: Tuple[Need, ...],
    matrix: Matrix,
    further: Optional[Further] = None,
) -> Optional[Tuple[Pin, ...]]:
    """Return the pins of `best_set` without their reasons, which cost as much again as the set; None if there is no set."""
    keep = tuple(need for need in keep if _holds(need, target))
    best = _best(goal, frameworks, target, keep, matrix, further, [])
    if best is None:
        return None
    _, _, way, solution = best
    roots = _roots(way)
    return tuple(
        Pin(name, solution.versions[name], "", extras=_extras(roots, name)) for name in _in_order(roots, solution)
    )


def _best(
    goal: str, frameworks: Tuple[str, ...], target: Target, keep: Tuple[Need, ...], matrix: Matrix,
    further: Optional[Further], obstacles: List[Callable[[], Iterable[str]]],
) -> Optional[Tuple[str, Iterable[Tuple[Stack, ...]], Sequence[Stack], Solution]]:  # fmt: skip
    """Return the platform, the ways to it, the best of them and its set; what prevents others is added to ``obstacles``."""
    names = tuple(canonicalize_name(parsed(need.text).name) for need in keep)
    for platform in platforms_for(goal, target):
        ways: List[Tuple[Stack, ...]] = []
        for name in frameworks:
            backend = keras_backend(frameworks) if name == "keras" else "tensorflow"
            if backend != "tensorflow":
                ways.append((keras_on(backend, platform),))
            elif further is not None:
                ways.append(further(platform, name, target))
            else:
                ways.append(stacks(platform, name, target, matrix, names))
        best: Optional[Tuple[Tuple[Stack, ...], Solution]] = None
        indexed = False
        for way in product(*ways):
            refusals = [item.refusal for item in way if item.refusal] or _apart(way)
            if refusals:
                obstacles.append(partial(tuple, refusals))
                continue
            table = _of_way(way, target, matrix)
            try:
                solution = _solve(way, target, keep, table)
            except Conflict as conflict:
                if not indexed or all(item.index is None for item in way):  # the preferred index speaks for the others
                    obstacles.append(partial(_conflict_of, conflict, way, target, keep, matrix))
                indexed = indexed or any(item.index is not None for item in way)
                continue
            if best is None or _newer(solution, best[1]):
                best = (way, solution)
            if platform != "cpu":
                break  # the ways are in order of preference; on the CPU two names compete for the newest release
        if best is not None:
            return (platform, product(*ways), *best)
        obstacles.append(partial(_elsewhere, platform, frameworks, target, matrix))
    return None


def _roots(way: Sequence[Stack]) -> Dict[str, Need]:
    return {parsed(need.text).name: need for item in way for need in item.roots}


def _in_order(roots: Dict[str, Need], solution: Solution) -> List[str]:
    return sorted(
        solution.versions, key=lambda name: (name not in roots, list(roots).index(name) if name in roots else 0)
    )


def _extras(roots: Dict[str, Need], name: str) -> Tuple[str, ...]:
    return tuple(sorted(parsed(roots[name].text).extras)) if name in roots else ()


def _told(obstacles: Sequence[Callable[[], Iterable[str]]]) -> Tuple[str, ...]:
    texts = [text for part in obstacles for text in part()]
    # Where releases exist and cannot meet, that older ways have no wheels either does not help.
    meeting = [text for text in texts if text.startswith("these cannot meet")]
    return same_reasons_once(meeting or texts)


def _conflict_of(
    conflict: Conflict, way: Sequence[Stack], target: Target, keep: Tuple[Need, ...], matrix: Matrix
) -> Tuple[str, ...]:
    index = next((item.index for item in way if item.index is not None), None)
    kept = [need.text for need in keep if index and canonicalize_name(parsed(need.text).name) == index.project]
    if kept:  # the preferred index may be one for other releases
        return ("PyTorch's own index has no build of %s that does for the goal here" % kept[0],)
    alone = _alone(way, target, keep, matrix)
    found = obstacles_of(conflict, way, keep, target, _of_way(way, target, matrix), alone)
    return tuple("%s (%s)" % (text, index.url) for text in found) if index else found


def _holds(need: Need, target: Target) -> bool:
    marker = parsed(need.text).marker
    return marker is None or marker.evaluate(target.environment())


def _apart(way: Sequence[Stack]) -> List[str]:
    """Say why frameworks on the GPU cannot share an environment, as far as no requirement of theirs says it."""
    titles = {"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"}
    names = list(dict.fromkeys(titles[item.framework] for item in way if item.framework in titles))
    goal = way[0].goal
    if len(names) < 2:
        return []
    if goal in ("rocm", "xpu"):
        title = {"rocm": "ROCm", "xpu": "oneAPI"}[goal]
        return ["%s take their own releases of %s, of which one process cannot have two" % (" and ".join(names), title)]
    if goal == "cuda" and any(item.index is not None for item in way):
        return ["what PyTorch's own index brings of CUDA is not known to go with %s" % " and ".join(names)]
    return []


def _of_way(way: Sequence[Stack], target: Target, matrix: Matrix) -> Matrix:
    """Return the data for a way: with what its projects' own indexes have."""
    for item in way:
        if item.index is not None:
            matrix = _with_index(matrix, item.index, target)
    return matrix


def _newer_on_index(
    ways: Iterable[Tuple[Stack, ...]], solution: Solution, target: Target, keep: Tuple[Need, ...], matrix: Matrix
) -> Tuple[str, ...]:
    """Say where a newer release has code for a GPU for which the registry's newest ones have none."""
    if "torch" not in solution.rejected:
        return ()
    newest = next((release.version for release, _ in available(matrix, "torch", target)), "")
    if solution.versions.get("torch") == newest:
        return ()
    for way in ways:
        index = next((item.index for item in way if item.index is not None), None)
        if index is None or _apart(way):
            continue
        try:
            found = _solve(way, target, keep, _of_way(way, target, matrix)).versions[index.project]
        except Conflict:  # this index has nothing for the GPU either
            continue
        if sort_key(found.partition("+")[0]) > sort_key(solution.versions[index.project].partition("+")[0]):
            text = (
                "PyTorch's own index has a newer release for this GPU: python -m pip install torch==%s --index-url %s"
            )
            return (text % (found, index.url),)
    return ()


def _elsewhere(platform: str, frameworks: Sequence[str], target: Target, matrix: Matrix) -> List[str]:
    """Say where a maker of the GPU has builds of its own, of which the data hold nothing."""
    goal = "jetson" if target.jetson else platform
    names = ["tensorflow" if name == "keras" else name for name in frameworks]
    return [text for text in (matrix.maker(name, goal, target.system) for name in names) if text]


def _solve(way: Sequence[Stack], target: Target, keep: Tuple[Need, ...], matrix: Matrix) -> Solution:
    roots = [need for item in way for need in item.roots]
    asked = {parsed(need.text).name for need in roots}
    bounds = [need for item in way for need in item.keep]
    owners = [root for root in asked if root in TENSORFLOW_OWNERS]
    for need in keep:
        requirement = parsed(need.text)
        name = canonicalize_name(requirement.name)
        if name in asked or name not in TENSORFLOW_OWNERS or not owners:
            bounds.append(need)
            if name not in asked:
                roots.append(need)
        elif name == "tensorflow":
            # "tensorflow==2.10.*" is about TensorFlow, whichever distribution brings it for the goal.
            bounds += [Need("%s%s" % (other, requirement.specifier), because=need.because) for other in owners]
        else:
            # Two distributions of one import package would lie over one another.
            raise Conflict((need,) + tuple(root for root in roots if parsed(root.text).name in owners), name)
    allow = filter_for(way, target, matrix)
    return solve(matrix, target, roots, bounds, goal=way[0].goal, allow=allow)


def _alone(way: Sequence[Stack], target: Target, keep: Tuple[Need, ...], matrix: Matrix) -> List[Solution]:
    """Return the sets that the frameworks would have in their own environments, as far as there are any."""
    found: List[Solution] = []
    for item in way if len(way) > 1 else ():
        try:
            found.append(_solve((item,), target, _about(item, keep), _of_way((item,), target, matrix)))
        except Conflict:  # then that framework alone is what is impossible: the conflict of the whole says so
            continue
    return found


def _about(stack: Stack, keep: Tuple[Need, ...]) -> Tuple[Need, ...]:
    """Return what is to be kept, without other frameworks: they would be part of the set."""
    named = {need.text.partition("[")[0] for need in stack.roots}
    others = {"tensorflow", "jax", "jaxlib", "torch", "keras"} - named
    return tuple(need for need in keep if canonicalize_name(parsed(need.text).name) not in others)


def _newer(one: Solution, other: Solution) -> bool:
    """Return whether a set has a newer TensorFlow than another."""

    def key(solution: Solution) -> Tuple[int, ...]:
        return max(
            (sort_key(solution.versions[name]) for name in TENSORFLOW_OWNERS if name in solution.versions), default=()
        )

    return key(one) > key(other)


def _resolution(
    asked: str, goal: str, frameworks: Tuple[str, ...], way: Sequence[Stack], solution: Solution, target: Target,
    keep: Tuple[Need, ...], matrix: Matrix,
) -> Resolution:  # fmt: skip
    alone = _alone(way, target, keep, matrix)
    matrix = _of_way(way, target, matrix)
    indexes = {item.index.project: item.index.url for item in way if item.index is not None}
    if "torch" in indexes:  # their compiled code belongs to one build of PyTorch
        indexes.update(dict.fromkeys(("torchvision", "torchaudio"), indexes["torch"]))
    roots = _roots(way)
    kept = {canonicalize_name(parsed(need.text).name) for need in keep}
    pins = []
    for name in _in_order(roots, solution):
        version = solution.versions[name]
        newer = [release.version for release, _ in available(matrix, name, target) if release.version != version]
        newer = [item for item in newer if sort_key(item) > sort_key(version)]
        newest = newer[0] if newer else version
        # What a release of the set declares exactly needs no second mention: there is no choice left.
        left_open = newest != version and not _declared_exactly(name, solution)
        deciding = name in roots or name in kept or name in DECIDING or left_open
        because = _reason(name, version, newer, solution, target) + _assumed(name, version, matrix)
        index = indexes.get(name, "")
        because += "; from %s" % index if index else ""
        pins.append(Pin(name, version, because, deciding, _extras(roots, name), index))
    pins = _with_clashes(pins, alone, target, matrix)
    others = tuple(dict.fromkeys(need.text for need in solution.others))
    needs = system_needs(way, solution, target, matrix)
    variables, notes = _settings(frameworks, solution)
    for need in solution.others:
        if need in keep and not matrix.is_measured(canonicalize_name(parsed(need.text).name)):
            notes += ("nothing is known of %s: it is passed on as it is" % need.text,)
    return Resolution(asked, goal, frameworks, target, tuple(pins), others, needs, notes, variables)


def _settings(frameworks: Tuple[str, ...], solution: Solution) -> Tuple[Dict[str, str], Tuple[str, ...]]:
    """Return the variables that a set needs, and what there is to know of them: Keras has one backend at a time."""
    if "keras" not in frameworks or sort_key(solution.versions["keras"])[0] < 3:
        return {}, ()
    backend = keras_backend(frameworks)
    if len(frameworks) == 1:
        return {}, ("Keras computes with TensorFlow here; --with jax or --with torch gives Keras on that one instead",)
    text = (
        "Keras takes its backend from a variable, which has to be set before Python starts: KERAS_BACKEND=%s" % backend
    )
    return {"KERAS_BACKEND": backend}, (text,)


def _with_clashes(pins: List[Pin], alone: Sequence[Solution], target: Target, matrix: Matrix) -> List[Pin]:
    """Say of a framework that is older than it would be alone what the newer one does not go with."""
    result = []
    for pin in pins:
        framework = pin.name in TENSORFLOW_OWNERS + ("jax", "torch", "keras")
        newer = [item for item in alone if framework and item.versions.get(pin.name, pin.version) != pin.version]
        texts = (clash(item, other, target, matrix) for item in newer for other in alone if other is not item)
        because = next(
            ("%s %s would be newer: %s" % (pin.name, newer[0].versions[pin.name], text) for text in texts if text), ""
        )
        result.append(pin.replace(because=because) if because else pin)
    return result


def _reason(name: str, version: str, newer: Sequence[str], solution: Solution, target: Target) -> str:
    """Why a project has this version: what keeps newer ones out, else what wants it."""
    # With extras a project requires itself, which is no reason.
    needs = [need for need in solution.needs.get(name, ()) if need.by.partition(" ")[0] != name]
    # What keeps out the next newer one says more than what keeps out the newest.
    bounding: List[Need] = []
    for candidate in reversed(newer):
        bounding = bounding or [need for need in needs if accepts(_bounds(need.text), candidate) is False]
    for need in bounding:
        if need.because and need.by:
            return "%s needs %s: %s" % (need.by, _plain(need.text), need.because)
        if need.because:
            return "%s: %s" % (_plain(need.text), need.because)
    for need in bounding:
        if need.by:
            return "%s needs %s" % (need.by, _plain(need.text))
    if newer and name in solution.rejected:
        return "the newest one that does for the goal on %s (not %s)" % (target.label, solution.rejected[name])
    if newer:
        return "newer ones do not go with the rest of the set"
    if any(not need.by for need in needs):
        return "the newest release for %s" % target.label
    return "the newest one that %s takes" % needs[0].by if needs else "the newest release"


def _assumed(name: str, version: str, matrix: Matrix) -> str:
    """Say of a release that the data do not hold what it is taken to be like, and of a yanked one that it is."""
    project = matrix.project(name)
    like = project.like(version) if project is not None else None
    if project is None or like is None:
        return ""
    text = "; yanked from the package index, which installs it where exactly this release is asked for"
    yanked = text if version in project.yanked else ""
    if like.version == version:
        return yanked
    return "; not in the bundled data of %s, taken to be like %s%s" % (project.date, like.version, yanked)


def _declared_exactly(name: str, solution: Solution) -> bool:
    needs = [need for need in solution.needs.get(name, ()) if need.by and not need.because]
    return any(_bounds(need.text).startswith("==") for need in needs)


def _bounds(text: str) -> str:
    return str(parsed(text).specifier)


def _plain(text: str) -> str:
    requirement = parsed(text)
    return "%s%s" % (requirement.name, requirement.specifier)


@lru_cache(maxsize=64)
def _with_index(matrix: Matrix, row: IndexRow, target: Target) -> Matrix:
    """Return the data in which a project is what its makers' own index has of it, for a target.

    The releases are those of the registry in all but the code for GPUs and the libraries that it needs; their versions have
    the last part of the index's address as their label.
    """
    project = matrix.project(row.project)
    rows: List[Dict[str, Any]] = []
    requires: Dict[str, List[str]] = {}
    for version in project.versions if project is not None else ():
        release = project.release(version) if project is not None else None
        if release is None or release.yanked or not accepts(row.versions, version):
            continue
        for build in release.builds:
            wheels = {tag: " ".join(pythons) for tag, pythons in build.wheels if target.takes_platform(tag)}
            if wheels:
                requires[version] = [text for text in build.requires if not _BUILT_IN.match(text)]
                item = {"wheels": wheels, "requires": version, "kind": row.goal, "cuda": row.cuda, "source": row.url}
                item["capabilities"] = " ".join(row.code)
                label = "%s+%s" % (version, row.label)
                rows.append({"version": label, "requires_python": release.requires_python, "builds": [item]})
                break
    date = project.date if project is not None else ""
    return matrix.with_project(Project({"project": row.project, "date": date, "requires": requires, "rows": rows}))
