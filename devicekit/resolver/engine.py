"""Sets of releases that work together: resolvelib over the bundled data. Pure.

The data hold the projects on which it depends whether a set works; what else a framework requires is left to the
installer. `solve` gives exact versions, or says which requirements cannot meet.
"""

from functools import lru_cache
from itertools import islice
from types import MappingProxyType
from typing import (
    Any,
    Callable,
    Dict,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)
from weakref import WeakKeyDictionary

from packaging.requirements import Requirement
from packaging.specifiers import Specifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version
from resolvelib import AbstractProvider, BaseReporter, ResolutionImpossible, ResolutionTooDeep, Resolver

from ..matrix.bounds import STAGES, fit, needs
from ..matrix.matrix import TENSORFLOW_OWNERS, Matrix, accepts
from ..matrix.projects import Build, Release
from ..matrix.target import Target
from ..records import Record

#: Rounds after which a search is given up. The hardest sets that were found, of some thousand tried, took about 500.
_ROUNDS = 2500

#: Tells whether a release does for a goal: None if it does, else why not.
Filter = Callable[[Release, Build], Optional[str]]


class Need(NamedTuple):
    """A requirement and why it is there.

    Attributes
    ----------
    text : str
        As a requirement is written.
    by : str
        What has it: ``"tensorflow 2.10.1"``, or "" for what was asked for.
    because : str
        The reason where it is not declared, else "".
    """

    text: str
    by: str = ""
    because: str = ""


class Wanted(NamedTuple):
    """A requirement in the form that the search uses."""

    name: str
    extras: Tuple[str, ...]
    bounds: str
    need: Need


class Candidate(NamedTuple):
    """A release that could be taken."""

    name: str
    extras: Tuple[str, ...]
    version: Version
    release: Release
    build: Build


#: What stands for a file, which belongs to one of several projects.
_FILE = Build((), (), "file", "", "", (), "", (), "")


def _owner(file: str, number: int) -> Candidate:
    return Candidate(file, (), Version(str(number)), Release(file, str(number), "", False, ()), _FILE)


class Solution(Record):
    """Exact versions, and for each what was asked of it. ``rejected``: why newer releases were left out."""

    versions: Mapping[str, str]
    builds: Mapping[str, Build]
    needs: Mapping[str, Tuple[Need, ...]]
    others: Tuple[Need, ...] = ()
    rejected: Mapping[str, str] = MappingProxyType({})


class Conflict(Exception):
    """No set was found. ``needs``: the requirements that cannot meet, none where the search was given up."""

    def __init__(self, needs: Sequence[Need], project: str, rejected: Mapping[str, str] = {}) -> None:
        super().__init__("nothing meets %s" % ", ".join(need.text for need in needs))
        self.needs = tuple(needs)
        self.project = project
        self.rejected = dict(rejected)


#: By matrix: for every way to a goal, and for other GPUs, the same is asked again.
_AVAILABLE: "WeakKeyDictionary[Matrix, Dict[Any, Tuple[Tuple[Release, Build], ...]]]" = WeakKeyDictionary()


@lru_cache(maxsize=8192)
def parsed(text: str) -> Requirement:
    """Return a requirement, which is not to be changed: the same ones are asked for in every search."""
    return Requirement(text)


@lru_cache(maxsize=8192)
def _version(text: str) -> Version:
    return Version(text)


@lru_cache(maxsize=8192)
def _bounds(text: str) -> str:
    return str(parsed(text).specifier)


@lru_cache(maxsize=8192)
def _specifiers(bounds: str) -> SpecifierSet:
    return SpecifierSet(bounds)


@lru_cache(maxsize=65536)
def _meets(version: Version, bounds: str) -> bool:
    return _specifiers(bounds).contains(version, prereleases=True)


@lru_cache(maxsize=16384)
def _applies(text: str, extra: str, environment: Tuple[Tuple[str, str], ...]) -> bool:
    """Return whether the marker of a requirement holds: frameworks of one set ask for the same of their libraries."""
    marker = parsed(text).marker
    return marker is None or marker.evaluate(dict(environment, extra=extra))


def available(matrix: Matrix, name: str, target: Target) -> Tuple[Tuple[Release, Build], ...]:
    """Return the releases of a project with a wheel for a target, newest first."""
    found = _AVAILABLE.setdefault(matrix, {})
    key = (name, *target.wheel_key)
    if key not in found:
        found[key] = tuple(_available(matrix, name, target))
    return found[key]


def _available(matrix: Matrix, name: str, target: Target) -> Iterator[Tuple[Release, Build]]:
    project = matrix.project(name)
    if project is None:
        return
    for version in reversed(project.versions):
        release = project.release(version)
        assert release is not None
        if release.yanked or not target.takes_release(release):
            continue
        build = _build_for(release, target)
        if build is not None:
            yield release, build


def _build_for(release: Release, target: Target) -> Optional[Build]:
    for build in release.builds:
        for platform, pythons in build.wheels:
            if target.takes_platform(platform) and any(target.takes_python(tag) for tag in pythons):
                return build
    return None


def solve(
    matrix: Matrix,
    target: Target,
    roots: Sequence[Need],
    keep: Sequence[Need] = (),
    installed: Optional[Mapping[str, str]] = None,
    goal: str = "",
    allow: Optional[Filter] = None,
) -> Solution:
    """Return the newest releases that meet all requirements together.

    Parameters
    ----------
    matrix : Matrix
        The bundled data.
    target : Target
        Python and platform.
    roots : sequence of Need
        What has to be there; for the first one the newest release that is possible at all is taken.
    keep : sequence of Need
        Bounds that hold wherever their project is part of the set.
    installed : mapping of str to str, optional
        Versions that are taken before newer ones wherever they meet the requirements: for repairs.
    goal : str, optional
        ``"cuda"``, ...: releases that are known not to do for it are left out.
    allow : callable, optional
        Tells of a release whether it does for the goal on this hardware.

    Raises
    ------
    Conflict
        If there is no such set.
    """
    search = _Search(matrix, target, keep, installed or {}, goal, allow)
    for need in roots:
        search.asked[canonicalize_name(parsed(need.text).name)] = _bounds(need.text)
    search.order = tuple(search.asked)
    wanted = [item for need in roots for item in search.wanted(need, "")]
    try:
        result = Resolver(search, _Rejections(search)).resolve(wanted, max_rounds=_ROUNDS)
    except ResolutionImpossible as error:
        causes = [cause.requirement.need for cause in error.causes]
        names = [cause.requirement.name for cause in error.causes]
        raise Conflict(tuple(dict.fromkeys(causes)), names[-1] if names else "", search.rejected) from None
    except ResolutionTooDeep:
        raise Conflict((), "", search.rejected) from None
    versions: Dict[str, str] = {}
    builds: Dict[str, Build] = {}
    needs: Dict[str, Tuple[Need, ...]] = {}
    for name, candidate in result.mapping.items():
        if candidate.build is _FILE:  # one that was chosen has nothing of its own to install
            continue
        versions[candidate.name] = str(candidate.version)
        builds[candidate.name] = candidate.build
        asked = [item.need for item in result.criteria[name].iter_requirement()]
        needs[candidate.name] = tuple(dict.fromkeys(needs.get(candidate.name, ()) + tuple(asked)))
    owners = [name for name in versions if name in TENSORFLOW_OWNERS and builds[name].kind != "empty"]
    if len(owners) > 1:
        raise Conflict([need for name in owners for need in needs[name][-1:]], owners[0], search.rejected)
    chosen = set(versions.items())
    others = [need for key, need in search.others if key in chosen or key == ("", "")]
    return Solution(versions, builds, needs, tuple(dict.fromkeys(others)), search.rejected)


class _Rejections(BaseReporter[Wanted, Candidate, str]):
    """Notes what did not go with what was chosen before it, for it to be chosen earlier: the causes name others only."""

    def __init__(self, search: "_Search") -> None:
        self._search = search

    def rejecting_candidate(self, criterion: Any, candidate: Candidate) -> None:
        """Note a release that was not taken."""
        self._search.rejecting.add(candidate.name)


class _Search(AbstractProvider[Wanted, Candidate, str]):
    """What resolvelib asks."""

    def __init__(
        self,
        matrix: Matrix,
        target: Target,
        keep: Sequence[Need],
        installed: Mapping[str, str],
        goal: str,
        allow: Optional[Filter],
    ) -> None:
        self.matrix = matrix
        self.target = target
        self.installed = installed
        self.goal = goal
        self.allow = allow
        self.environment = tuple(target.environment().items())
        #: The projects that were asked for, the one that matters most first.
        self.order: Tuple[str, ...] = ()
        self.asked: Dict[str, str] = {}
        #: Why releases were left out: project -> the reason of the newest one that was asked for.
        self.rejected: Dict[str, str] = {}
        #: Requirements on projects that the data do not cover, with who has them.
        self.others: List[Tuple[Tuple[str, str], Need]] = []
        #: The projects of which a release did not go with what was chosen before it.
        self.rejecting: Set[str] = set()
        self._certain: Optional[FrozenSet[str]] = None
        #: What is kept of projects that the data do not cover: name and version.
        self._outside: List[Tuple[str, str]] = []
        self._keep: Dict[str, List[Tuple[SpecifierSet, Need]]] = {}
        self._candidates: Dict[str, List[Candidate]] = {}
        #: Whether all releases of a project in a range write a file.
        self._writes: Dict[Tuple[str, str, str], bool] = {}
        self._dependencies: Dict[Tuple[str, Version, Tuple[str, ...]], List[Wanted]] = {}
        for need in keep:
            requirement = parsed(need.text)
            name = canonicalize_name(requirement.name)
            self._keep.setdefault(name, []).append((requirement.specifier, need))
            exact = [
                item.version for item in requirement.specifier if item.operator == "==" and "*" not in item.version
            ]
            if exact and matrix.project(name) is None:
                self._outside.append((name, exact[0]))

    def wanted(self, need: Need, extra: str) -> List[Wanted]:
        """Return a requirement in the search's form: nothing where it does not hold here or the data know nothing of it."""
        requirement = parsed(need.text)
        if requirement.marker is not None and not _applies(need.text, extra, self.environment):
            return []
        name = canonicalize_name(requirement.name)
        if self.matrix.project(name) is None:
            if need.because or not need.by:
                by = need.by.partition(" ")
                self.others.append(((by[0], by[2]), need))
            return []
        extras = tuple(sorted(requirement.extras))
        bounds = _bounds(need.text)
        found = [Wanted(name, extras, bounds, need)]
        found += [Wanted(name, (), str(kept), reason) for kept, reason in self._keep.get(name, ())]
        return found + self._files(name, bounds, need)

    def identify(self, requirement_or_candidate: Any) -> str:
        """A project with extras is a thing of its own, which requires the one without."""
        item = requirement_or_candidate
        return "%s[%s]" % (item.name, ",".join(item.extras)) if item.extras else str(item.name)

    def get_preference(
        self, identifier: str, resolutions: Any, candidates: Any, information: Any, backtrack_causes: Any
    ) -> Tuple[bool, bool, bool, int, str]:
        """What was asked for comes first, so that it becomes the newest possible; then what was in a conflict."""
        name = identifier.partition("[")[0]
        # With its extras and without: both are what was asked for.
        asked = name not in self.order
        conflicting = not any(cause.requirement.name == name for cause in backtrack_causes)
        order = self.order if not asked else _ORDER
        position = order.index(name) if name in order else len(order)
        # Where there is no choice left, a contradiction shows before others are tried for nothing.
        choice = asked or len(list(islice(candidates[identifier], 2))) > 1
        return (asked, choice, conflicting and name not in self.rejecting, position, identifier)

    def find_matches(self, identifier: str, requirements: Any, incompatibilities: Any) -> List[Candidate]:
        """Return the releases that meet all requirements, the best first."""
        name, _, rest = identifier.partition("[")
        extras = tuple(rest[:-1].split(",")) if rest else ()
        bounds = [item.bounds for item in requirements[identifier]]
        excluded = {item.version for item in incompatibilities[identifier]}
        return [
            item._replace(extras=extras) if extras else item
            for item in self._all(name)
            if item.version not in excluded and all(_meets(item.version, bound) for bound in bounds)
        ]

    def is_satisfied_by(self, requirement: Wanted, candidate: Candidate) -> bool:
        """Return whether a release meets a requirement."""
        return _meets(candidate.version, requirement.bounds)

    def get_dependencies(self, candidate: Candidate) -> List[Wanted]:
        """Return what a release requires, declared and not declared."""
        key = (candidate.name, candidate.version, candidate.extras)
        if key in self._dependencies:
            return self._dependencies[key]
        by = "%s %s" % (candidate.name, candidate.version)
        exact = "==%s" % candidate.version
        found = (
            self._files(candidate.name, exact, Need("%s%s" % (candidate.name, exact))) if not candidate.extras else []
        )
        if candidate.extras:
            found.append(Wanted(candidate.name, (), exact, Need("%s%s" % (candidate.name, exact), by)))
        for text in candidate.build.requires:
            marked = "extra ==" in text
            for extra in candidate.extras if candidate.extras else ("",):
                if bool(extra) == marked:
                    found += self.wanted(Need(text, by), extra)
        if not candidate.extras:
            found += [item for need in self._undeclared(candidate, by) for item in self.wanted(need, "")]
        self._dependencies[key] = found
        return found

    def _files(self, name: str, bounds: str, need: Need) -> List[Wanted]:
        """Return the files that all these releases write and wheels of another project as well, each as a requirement.

        A file can be of one project only. Asked of a requirement this rules out its owner, not one release after another.
        """
        found = []
        for file, writers in self.matrix.overlaps(name):
            key = (name, bounds, file)
            if key not in self._writes:
                project = self.matrix.project(name)
                versions = [text for text in project.versions if _meets(_version(text), bounds)] if project else []
                self._writes[key] = bool(versions) and all(accepts(writers[name], text) for text in versions)
            if self._writes[key]:
                self._candidates.setdefault(file, [_owner(file, number) for number in range(len(writers))])
                others = " and ".join(item for item in writers if item != name)
                reason = need._replace(because="it writes %s, as %s does" % (file, others))
                found.append(Wanted(file, (), "==%d" % list(writers).index(name), reason))
        return found

    def _undeclared(self, candidate: Candidate, by: str) -> Iterable[Need]:
        """What has to hold as well though the metadata do not say so."""
        bounds, because = candidate.build.protobuf_needs
        if bounds:
            yield Need("protobuf" + bounds, by, because)
        # TensorFlow 2.12 requires JAX, and goes on where its import finds no jaxlib (tried).
        spared = candidate.name == "jax" and not {"jax", "jaxlib"} & {*self.order, *self.installed, *self._keep}
        for hold in self.matrix.holds(candidate.name, str(candidate.version), self.target.python):
            for text in hold.needs if not hold.goal else ():
                fitting = (_meets(item.version, _bounds(text)) for item in self._all(parsed(text).name))
                if not spared or any(fitting):
                    yield Need(text, by, hold.because)
        yield from self._measured(candidate, by)
        companion = self.matrix.companion(candidate.name, str(candidate.version))
        owner = next((name for name in self.order if name in TENSORFLOW_OWNERS), None)
        if companion is not None and owner is not None:
            for text in (owner + companion.tensorflow, *companion.needs):
                yield Need(text, by, companion.because)
        if companion is not None and companion.jax and "jax" in self.order:
            yield Need("jax" + companion.jax, by, "it uses what later releases of JAX removed")
        minor = candidate.release.version.split(".")[:2]
        if candidate.name in TENSORFLOW_OWNERS and candidate.build.kind != "empty" and len(minor) == 2:
            # Its own companions are released with it; where a bound lets later ones in, they were made for another one.
            number = int(minor[1]) if minor[0] == "2" else -1
            because = "it is released together with TensorFlow %s" % ".".join(minor)
            for text in candidate.build.requires:
                name = canonicalize_name(parsed(text).name)
                # Where another TensorBoard is asked for, what is declared and what was measured of it decide.
                own_board = name == "tensorboard" and 0 <= number < 21 and not self._keep.get(name)
                if own_board or (name == "tensorflow-estimator" and number >= 0):
                    yield Need("%s==%s.*" % (name, ".".join(minor)), by, because)

    def _measured(self, candidate: Candidate, by: str) -> Iterable[Need]:
        """What was measured not to work, as far as what is declared lets it in."""
        if candidate.build.kind == "empty":
            return
        declared: Dict[str, SpecifierSet] = {}
        for text in candidate.build.requires:
            requirement = parsed(text)
            if requirement.marker is None or _applies(text, "", self.environment):
                key: str = canonicalize_name(requirement.name)
                declared[key] = declared.get(key, SpecifierSet()) & requirement.specifier
        backend = next((name for name in ("jax", "torch") if name in self.order and candidate.name == "keras"), "")
        version = str(candidate.version)
        for name, bounds, because in needs(self.matrix, candidate.name, version, self.target.python, backend):
            if not bounds and name not in declared:
                yield Need(name, by, because)
            elif bounds and (name in declared or name in self._part_of_the_set()):
                missing = _not_declared(bounds, declared.get(name, SpecifierSet()))
                known = self.matrix.project(name) is not None
                # Of what the data do not cover, the installer takes the newest: only an upper bound matters.
                parts = [part for part in missing if known or part.startswith("<")]
                if parts:
                    yield Need(name + ",".join(parts), by, because)

    def _part_of_the_set(self) -> FrozenSet[str]:
        """What is in the set whatever its releases are: what was asked for, and what the newest of it requires."""
        if self._certain is None:
            names = set(self.order)
            for root in self.order:
                for _, build in available(self.matrix, root, self.target)[:1]:
                    required = [text for text in build.requires if _applies(text, "", self.environment)]
                    names |= {canonicalize_name(parsed(text).name) for text in required}
            self._certain = frozenset(names)
        return self._certain

    def _all(self, name: str) -> List[Candidate]:
        if name not in self._candidates:
            found: List[Candidate] = []
            last: List[Candidate] = []
            known = [
                Candidate(name, (), _version(release.version), release, build)
                for release, build in available(self.matrix, name, self.target)
            ]
            unread = self._unread(name)
            if unread:
                known = sorted(known + unread, key=lambda item: item.version, reverse=True)
            for candidate in known:
                release, build = candidate.release, candidate.build
                refusal = (self.allow(release, build) if self.allow is not None else None) or self._unfit_beside(
                    candidate
                )
                unfit = self._unfit(release)
                if refusal is None and unfit is None:
                    found.append(candidate)
                    continue
                kept = all(
                    bounds.contains(candidate.version, prereleases=True) for bounds, _ in self._keep.get(name, ())
                )
                if kept and _meets(candidate.version, self.asked.get(name, "")):
                    self.rejected.setdefault(name, "%s %s: %s" % (name, release.version, refusal or unfit))
                if refusal is None and self._keep.get(name):
                    # Where the user keeps nothing else, it is taken; the answer then says what has to be done as well.
                    last.append(candidate)
            found += last
            here = self.installed.get(name)
            if here is not None:
                found = self._installed_first(name, here, found)
            elif name not in self.order[:1]:
                found.sort(key=self._moved)
            self._candidates[name] = found
        return self._candidates[name]

    def _moved(self, candidate: Candidate) -> int:
        """Return how many installed releases cannot stay with a release: it comes after those that leave more of them."""
        left = 0
        for text in candidate.build.requires if self.installed else ():
            here = self.installed.get(canonicalize_name(parsed(text).name))
            left += bool(here) and accepts(_bounds(text), here) is False and _applies(text, "", self.environment)
        return left

    def _unread(self, name: str) -> List[Candidate]:
        """Return what only those get who ask for it: yanked releases, and patch releases that are not in the data.

        Such a patch release is taken to be like another one of its minor release.
        """
        project = self.matrix.project(name)
        kept = self._keep.get(name, ())
        if project is None or not kept:
            return []
        exact = [item.version for bounds, _ in kept for item in bounds if item.operator == "=="]
        found = []
        for version in dict.fromkeys([*project.unread, *exact]):
            release = project.like(version)
            if release is None or (version in project.yanked and version not in exact):
                continue
            if not all(bounds.contains(version) for bounds, _ in kept) or not self.target.takes_release(release):
                continue
            # Where the known release does as well, nothing needs to be assumed.
            if not release.yanked and all(bounds.contains(release.version) for bounds, _ in kept):
                continue
            build = _build_for(release, self.target)
            if build is not None:
                found.append(Candidate(name, (), Version(version), release, build))
        return found

    def _unfit(self, release: Release) -> Optional[str]:
        """Why a release is known not to do for the goal by itself, None if it does."""
        for hold in self.matrix.holds(release.project, release.version, self.target.python):
            if hold.goal == self.goal and hold.goal and not hold.needs:
                return hold.because
        return None

    def _unfit_beside(self, candidate: Candidate) -> Optional[str]:
        """Why a release does not go with what is kept of projects that the data do not cover, as far as that is exact."""
        project, version = candidate.name, str(candidate.version)
        for name, kept in self._outside:
            for text in candidate.build.requires:
                requirement = parsed(text)
                if canonicalize_name(requirement.name) != name or not _applies(text, "", self.environment):
                    continue
                if not requirement.specifier.contains(kept, prereleases=True):
                    return "it declares %s%s" % (name, requirement.specifier)
            found = fit(self.matrix, project, version, self.target.python, name, kept)
            if found.state == "fails":
                return "with %s %s %s" % (name, kept, STAGES.get(found.stage, "it fails"))
        return None

    def _installed_first(self, name: str, version: str, found: List[Candidate]) -> List[Candidate]:
        """Put the installed version first; one that the data do not know is taken to be like the nearest known one."""
        try:
            here = Version(version)
        except InvalidVersion:
            return found
        for item in found:
            if item.version == here:
                return [item] + [other for other in found if other is not item]
        project = self.matrix.project(name)
        release = project.nearest(version) if project is not None else None
        build = _build_for(release, self.target) if release is not None else None
        if release is None or build is None:
            return found
        return [Candidate(name, (), here, release, build)] + found


#: Decided early because much depends on them: the search then turns back less.
_ORDER = (
    "tensorflow", "torch", "jax", "jaxlib", "jax-cuda12-plugin", "jax-cuda13-plugin", "keras", "numpy", "protobuf",
    "cuda-toolkit", "nvidia-cudnn-cu12",
)  # fmt: skip


def _not_declared(bounds: str, declared: SpecifierSet) -> List[str]:
    """Return the parts of measured bounds that declared ones do not imply."""
    found = []
    for part in bounds.split(","):
        limit = Version(part.lstrip("<>=!~").replace(".*", ".0"))
        implied = [
            item
            for item in declared
            if (part[0] == "<" and item.operator in ("<", "<=", "==", "~=") and _highest(item) <= limit)
            or (part[0] == ">" and item.operator in (">", ">=", "==", "~=") and _plain(item) >= limit)
        ]
        if not implied and not (part[0] == "!" and not declared.contains(limit)):
            found.append(part)
    return found


def _plain(bound: Specifier) -> Version:
    return Version(bound.version.replace(".*", ""))


def _highest(bound: Specifier) -> Version:
    """Return what a bound stays below, or at most reaches."""
    limit = _plain(bound)
    if bound.operator in ("<", "<=") or (bound.operator == "==" and not bound.version.endswith(".*")):
        return limit
    numbers = list(limit.release)
    if bound.operator == "~=":
        numbers = numbers[:-1]
    return Version(".".join(map(str, [*numbers[:-1], numbers[-1] + 1])))
