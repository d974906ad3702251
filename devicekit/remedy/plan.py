"""What to change in an environment so that its framework works, smallest change first. Pure: nothing is tried here.

Each way is checked before it is offered: the machine that it would leave behind is diagnosed as the real one is.
"""

from itertools import product
from typing import Dict, FrozenSet, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..diagnosis.diagnose import run_rules
from ..diagnosis.findings import Diagnosis, Finding, Fix, Packages, ways
from ..diagnosis.frameworks import TITLES, choose_framework
from ..diagnosis.install_fixes import installed_versions, numpy_stays
from ..diagnosis.rules.keras import backend, backend_instead, backend_meant, is_keras3, keras_version, standalone_keras
from ..diagnosis.rules.plugins import FORMATS
from ..diagnosis.view import View
from ..errors import unknown_name
from ..machine.facts import Fact, Machine
from ..matrix.matrix import BUNDLED, CODE_ENDINGS, TENSORFLOW_OWNERS, Matrix, minor_of, normal_name
from ..matrix.target import PYTHONS, Target
from ..resolver.engine import Conflict, Need, parsed, solve
from ..resolver.goals import GOALS, platforms_for
from ..resolver.result import Resolution
from ..resolver.sets import best_set
from .layout import UNSETTABLE, orphans
from .predicted import PLUGIN_FILES, Release, build_of, comes_first, exact, predict, predict_new
from .result import Attempt, Change, Remedy

#: How many ways that keep the release are offered: each costs an install where the one before it did not help.
_MOST_KEEPING = 2

#: What another Python in a new environment helps against, whatever else is to be done.
_ELSEWHERE = {"framework-missing", "gpu-vendor-unsupported", "platform-unsupported", "python-unsupported"}

#: How many files, new or removed distributions a sentence names.
_SHOWN = 6

#: Backends of Keras that compute and do not train.
_NO_TRAINING = ("numpy", "openvino")

#: Distributions that write the same import package as the first one; a nightly build lies over the release.
_SAME_PACKAGE = (
    ("keras", "keras-nightly"),
    ("tensorboard", "tb-nightly"),
    ("tensorflow-estimator", "tf-estimator-nightly"),
)

#: What comes along with projects that the data do not cover, as far as frameworks import it.
_BRINGS = {
    "requests": ("certifi", "charset-normalizer", "idna", "urllib3"),
    "rich": ("markdown-it-py", "pygments"),
    "sympy": ("mpmath",),
}

#: The platform of a plug-in and the hardware without which it is of no use.
_PLUGIN_VENDORS = {
    "tensorflow-directml-plugin": (),
    "tensorflow-metal": ("apple",),
    "intel-extension-for-tensorflow": ("intel",),
}


class State(NamedTuple):
    """What a diagnosis promises of the selected framework. None: not known."""

    imports: Optional[bool]
    trains: Optional[bool]
    device: Optional[bool]

    @property
    def works(self) -> bool:
        """Whether nothing is known to fail."""
        return False not in (self.imports, self.trains, self.device)

    @property
    def sure(self) -> bool:
        """Whether everything is known to work."""
        return (self.imports, self.trains, self.device) == (True, True, True)


class Way(NamedTuple):
    """A set of requirements to try.

    Attributes
    ----------
    roots : tuple of str
        What has to be true.
    drop : tuple of str
        Names of distributions that go.
    whole : bool
        Whether everything that the set requires is installed, instead of what has to change.
    newest : bool
        Whether another release is taken even where the one that is there would do.
    """

    roots: Tuple[str, ...]
    drop: Tuple[str, ...] = ()
    whole: bool = False
    newest: bool = False


class Offer(NamedTuple):
    """What a way comes to: for an installer, and what comes along by itself."""

    packages: Packages
    brought: Mapping[str, str]


def plan(
    machine: Machine,
    goal: str = "auto",
    framework: Optional[str] = None,
    matrix: Matrix = BUNDLED,
    required: FrozenSet[str] = frozenset(),
) -> Remedy:
    """Return what would make an environment work, and what only the user can do.

    Parameters
    ----------
    machine : Machine
    goal : str
        ``"auto"``: the framework that is there imports, and Keras trains on the best device that this machine allows; or a
        goal of `resolve`.
    framework : str, optional
        ``"tensorflow"``, ``"jax"``, ``"torch"`` or ``"keras"``; the selected one by default.
    matrix : Matrix
    required : frozenset of str
        Names of what distributions require that the machine's facts do not have.

    Raises
    ------
    ValueError
        If there is no such goal.
    """
    goals = ("auto", *GOALS)
    if goal not in goals:
        raise ValueError(unknown_name("goal", goal, goals))
    planner = _Planner(machine, goal, framework, matrix)
    planner.required = required
    missing = planner.backend_missing()
    if missing is not None and framework in (None, "keras"):
        # What else is wrong is fixed for the framework that is there: its user selects it.
        environ = (*machine.process.environ, ("KERAS_BACKEND", backend_instead(planner.view)))
        selected = machine.replace(process=machine.process.replace(environ=environ))
        remedy = plan(selected, goal, None, matrix, required)
        if remedy.outcome == "planned":
            return remedy.replace(findings=(missing, *remedy.findings), left=(*missing.fix[:1], *remedy.left))
    return planner.remedy()


def is_for_fix(finding: Finding, step: Fix) -> bool:
    """Return whether a step is one that `plan` may take: it installs packages, or makes an environment with another Python."""
    makes = finding.code in _ELSEWHERE and step.changes == "files" and step.command is not None
    return step.packages is not None or makes


def acts_on(machine: Machine, diagnosis: Diagnosis, finding: Finding) -> Tuple[bool, bool]:
    """Return whether `plan` takes a finding for something to remove, and whether its own fix is all that has to be done."""
    planner = _Planner(machine, "auto", None, BUNDLED, diagnosis)
    # Of another run of the rules it is another object, and comparing fixes would work them all out.
    wrong = {(item.code, item.summary): item for item in planner.wrong(diagnosis)}
    if planner.before.works or (finding.code, finding.summary) not in wrong:
        return False, True
    if not any(step.packages for step in finding.fix):
        return any(item.environment for item in planner.remedy().attempts), True
    own = _named(finding)
    return True, all(_named(item) <= own for item in wrong.values() if item.severity == "error")


def new_set(machine: Machine, framework: str, goals: Sequence[str], matrix: Matrix = BUNDLED) -> Optional[Resolution]:
    """Return a set for a new environment: of this Python and the release that is there, else of any; None without one."""
    planner = _Planner(machine, "auto", framework, matrix)
    version = machine.python.version_of(framework, framework + "-cpu")
    keep = (Need("%s==%s" % (framework, version), because="it is there"),) if version else ()
    return planner.new_set(goals, (planner.target.python, *PYTHONS), keep)


def environment_attempt(
    found: Resolution, reason: str, folder: str, codes: Tuple[str, ...] = (), keeps: bool = False
) -> Attempt:
    """Return the attempt that makes an environment with a set."""
    packages = Packages(install=found.requirements, index_url="".join(found.indexes))
    changes = tuple(Change(item.name, None, item.version) for item in found.pins if item.deciding)
    return Attempt(packages, reason, codes, keeps, folder, found.python, changes)


def _named(finding: Finding) -> FrozenSet[str]:
    """Return the names of what the first way against a finding installs or removes."""
    packages = [step.packages for step in _first_way(finding) if step.packages is not None]
    return frozenset(exact(text).name for item in packages for text in (*item.remove, *item.install, *item.reinstall))


class _Planner:
    """One machine, and what was found out about it."""

    def __init__(
        self,
        machine: Machine,
        goal: str,
        framework: Optional[str],
        matrix: Matrix,
        diagnosis: Optional[Diagnosis] = None,
    ) -> None:
        self.machine = machine
        self.goal = goal
        self.matrix = matrix
        self.required: FrozenSet[str] = frozenset()
        self.view = View(machine, matrix)
        self.framework = framework if framework not in (None, "keras") else _subject(self.view)
        self.diagnosis = run_rules(machine, matrix) if diagnosis is None else diagnosis
        #: What keeps the framework from GPUs that are there.
        self.idle = tuple(item for item in self.diagnosis.findings if self._keeps_idle(item))
        self.before = self.state(machine, self.diagnosis)
        self.target: Target = self.view.target
        self.installed = installed_versions(machine)

    def backend_missing(self) -> Optional[Finding]:
        """Return the finding that Keras takes a framework by default that is not there, if more than that is wrong."""
        finding = self.diagnosis.by_code("framework-missing")
        if finding is None or self.before.works or not _is_setting(finding) or self._only_settings():
            return None
        return finding

    def remedy(self) -> Remedy:
        """Return what would make the environment work."""
        python = self.machine.python.executable
        wrong = tuple(item for item in self.diagnosis.findings if item.severity == "error" or item in self.idle)
        if self.before.works:
            warned = self._warned()
            text = "Nothing has to be changed%s." % (" for it to work; warnings are left to you" if warned else "")
            if not self.before.sure:
                text = "Nothing is known to be wrong; whether all of it works is not known: 'devicekit verify' runs it."
            return Remedy(python, self.goal, "nothing-wrong", text, wrong, left=warned + self._training(()))
        # No release makes up for a GPU that is not there.
        none = self.diagnosis.by_code("no-gpu") if self.goal not in ("auto", "fastest", "cpu") else None
        wrong = wrong if none is None or none in wrong else (none, *wrong)
        attempts = self._attempts() if none is None else []
        left = self._left(attempts)
        if not attempts:
            text = "Nothing that devicekit can install would help" + ("; see what is left to you." if left else ".")
            if self._only_settings():
                text = "Nothing has to be installed. A setting of yours has to be changed: see what is left to you."
                more = self._behind_settings()
                if more:
                    text = "A setting of yours has to be changed first: see what is left to you. More is wrong behind it (%s)"
                    text = text % _first(more) + ": run 'devicekit fix' again then."
            if self.goal != "auto" and none is None and not left:
                text = text[:-1] + "; 'devicekit resolve %s --python %s' says why." % (self.goal, self.target.python)
            return Remedy(python, self.goal, "no-plan", text, wrong, left=left)
        first = attempts[0]
        return Remedy(python, self.goal, "planned", first.reason, wrong, tuple(attempts), left)

    def _keeps_idle(self, finding: Finding) -> bool:
        shown = finding.severity in ("error", "warning")
        return self.goal != "cpu" and shown and finding.keeps_from_gpus(self.framework)

    @property
    def _computes(self) -> bool:
        """Whether nothing but the device is wrong."""
        return self.before.imports is not False and self.before.trains is not False

    # What is promised

    def state(self, machine: Machine, diagnosis: Diagnosis) -> State:
        """Return what a diagnosis promises."""
        status = {item.framework: item for item in diagnosis.frameworks}
        own, keras = status.get(self.framework), status.get("keras")
        imports: Optional[bool] = own.will_import if own is not None else False
        if self.framework in _NO_TRAINING:
            imports = keras.will_import if keras is not None else False
        trains: Optional[bool] = imports
        if self.framework not in _NO_TRAINING:
            if self.framework == "tensorflow" and own is not None:
                trains = own.will_run_keras
            if keras is not None and trains is not False:
                trains = keras.will_run_keras
        device: Optional[bool] = True
        if self.goal != "cpu" and (self.goal not in ("auto", "fastest") or self.idle):
            usable = any(
                item.usable and self._wanted(item.platform) for item in diagnosis.candidates_for(self.framework)
            )
            # Of libraries that an installer would bring, nothing is known yet.
            device = True if usable else False if diagnosis is self.diagnosis else None
        return State(imports, trains, device)

    def _wanted(self, platform: str) -> bool:
        if self.goal in ("auto", "gpu", "fastest"):
            return platform not in ("", "cpu")
        return platform == self.goal

    def _check(self, machine: Machine) -> Tuple[State, Diagnosis]:
        diagnosis = run_rules(machine, self.matrix)
        return self.state(machine, diagnosis), diagnosis

    def _worse(self, diagnosis: Diagnosis) -> bool:
        """Return whether another framework works here and would not any more."""
        after = {item.framework: item for item in diagnosis.frameworks}
        for item in self.diagnosis.frameworks:
            now = after.get(item.framework)
            if item.will_import and now is not None and now.will_import is False:
                return True
        return False

    # Attempts

    def _attempts(self) -> List[Attempt]:
        found: List[Attempt] = []
        alone = None if self._computes else self._culprits(self.machine)
        if alone is not None and not alone.variables:
            found.append(self._attempt(Offer(Packages(), {}), self.machine, alone))
        build = self.view.tensorflow_build
        if build is not None and build.missing_files and self.view.tensorflow is None:
            found.append(install_lost(self.view, build.location, ("install-corrupt",)))
        tried = {_unordered(item.packages) for item in found}
        for offer in () if self._only_settings() else self._offers(self.machine, self.diagnosis):
            kept = sum(item.keeps_release for item in found)
            if kept == _MOST_KEEPING and kept < len(found):
                break
            key = _unordered(offer.packages)
            if key in tried:
                continue
            tried.add(key)
            after = self._after(self.machine, offer)
            gone = orphans(self.machine, after, self.matrix, self.required)
            if gone:
                offer = offer._replace(packages=offer.packages.replace(remove=(*offer.packages.remove, *gone)))
                after = self._after(self.machine, offer)
            state, diagnosis = self._check(after)
            # Modules of another release stay where files are written again.
            left = _files_left(self.machine) if offer.packages.reinstall else ()
            culprits = _Culprits(files=left) if state.works else self._culprits(after)
            if culprits is None or self._worse(diagnosis):
                continue
            attempt = self._attempt(offer, after, culprits)
            # Where only what the user set is wrong, that is no reason for another release.
            if alone is not None and (culprits or not attempt.keeps_release):
                continue
            kind = [item for item in found if item.keeps_release == attempt.keeps_release]
            if len(kind) < (_MOST_KEEPING if attempt.keeps_release else 1):
                found.append(attempt)
        if alone is not None and alone.unset and set(alone.variables) <= set(alone.unset):
            found.append(self._attempt(Offer(Packages(), {}), self.machine, alone))
        # Stable: of each kind the smallest change comes first.
        found.sort(key=lambda item: (not item.keeps_release, bool(item.unsure)))
        codes = {item.code for item in self.diagnosis.findings if item.severity == "error" or item in self.idle}
        elsewhere = not (found or alone or self._only_settings())
        if elsewhere and (codes & _ELSEWHERE or not (self._computes or self._left_to_user())):
            found += self._elsewhere()
        return found

    def _after(self, machine: Machine, offer: Offer) -> Machine:
        return predict(machine, self.matrix, self.target, offer.packages, offer.brought)

    def _attempt(self, offer: Offer, after: Machine, culprits: "_Culprits") -> Attempt:
        state, diagnosis = self._check(_without(after, culprits))
        left = {item.code for item in diagnosis.findings if item.severity == "error"}
        codes = [item.code for item in self.diagnosis.findings if item.severity == "error" and item.code not in left]
        there = {item.name for item in after.python.distributions.or_none() or ()}
        changes = _changes(self.installed, installed_versions(after))
        # Of what is replaced by a release that is not known yet, the requirement tells.
        changes = tuple(item for item in changes if item.after or item.name not in there)
        keeps = self._keeps(after)
        return Attempt(
            packages=offer.packages,
            reason=_reason(offer.packages, keeps, changes, culprits),
            codes=tuple(dict.fromkeys(codes)),
            keeps_release=keeps,
            changes=changes,
            aside=culprits.files,
            unset=culprits.unset,
            unsure="" if state.sure else "whether this is enough will show when it is done",
        )

    def _keeps(self, after: Machine) -> bool:
        """Return whether the release of each framework stays; which distribution brings it does not matter."""
        now, before = installed_versions(after), self.installed
        owner, other = self._owner(), View(after, self.matrix).tensorflow_version
        if owner is not None and (other is None or owner.version.split(".")[:3] != other.split(".")[:3]):
            return False
        names = ("jax", "torch") if owner is not None else ("jax", "torch", "keras")
        # "2.9.1+cpu" and "2.9.1+cu128" are builds of one release.
        kept = (
            now.get(name, "").partition("+")[0] == before[name].partition("+")[0] for name in names if name in before
        )
        return all(kept)

    def _culprits(self, machine: Machine) -> "Optional[_Culprits]":
        """Return the settings and files without which a machine works, as few as possible; None if it still does not."""
        every = _suspects(machine)
        for one in every.single():
            if self._check(_without(machine, one))[0].works:
                return one
        if not every or not self._check(_without(machine, every))[0].works:
            return None
        left = every
        for one in every.single():
            fewer = left.less(one)
            if self._check(_without(machine, fewer))[0].works:
                left = fewer
        return left

    def _only_settings(self) -> bool:
        """Return whether variables and files of the user are all that stops the framework: then no package does."""
        wrong = () if self._computes else tuple(self.wrong(self.diagnosis))
        return bool(wrong) and all(map(_is_setting, wrong))

    def _behind_settings(self) -> Tuple[str, ...]:
        """Return the codes of what is wrong, and not a setting, once what the settings of the user bring in is not there."""
        commands = " ".join(step.command or "" for item in self.wrong(self.diagnosis) for step in _first_way(item))
        every = _suspects(self.machine)
        named = tuple(name for name in every.variables if name in commands)
        diagnosis = self._check(_without(self.machine, every._replace(variables=named)))[1]
        return tuple(dict.fromkeys(item.code for item in self.wrong(diagnosis) if not _is_setting(item)))

    # Packages

    def _offers(self, machine: Machine, diagnosis: Diagnosis) -> Iterator[Offer]:
        """Yield sets of packages, those that keep the framework's release first."""
        fixed = self._as_rules_say(diagnosis)
        again, stale = _damaged(machine, diagnosis), self._stale()
        if self._computes:
            yield from self._as_printed(diagnosis)
            yield from self._new_sets(stale) if fixed or self.goal != "auto" else ()
            return
        if again and not stale:
            yield Offer(Packages(reinstall=again), {})
        yield from self._as_printed(diagnosis)
        for way in self._ways():
            for wanted in [{}, fixed] if fixed else [{}]:
                offer = self._offer(way, wanted, again, stale)
                if offer is None:
                    continue
                yield offer
                # What is missing shows one after the other where each import stops at the first.
                more = self._as_rules_say(self._check(self._after(machine, offer))[1])
                deeper = self._offer(way, dict(more, **wanted), again, stale) if set(more) - set(wanted) else None
                if deeper is not None:
                    yield deeper
        if self.goal not in ("auto", "cpu") or not self.view.has_tensorflow:
            yield from self._new_sets(stale)

    def _as_printed(self, diagnosis: Diagnosis) -> Iterator[Offer]:
        """Yield what `doctor` prints for all that is wrong together."""
        found = [step.packages for item in self.wrong(diagnosis) for step in _first_way(item) if step.packages]
        packages = Packages(
            tuple(dict.fromkeys(text for item in found for text in item.remove)),
            tuple(dict.fromkeys(text for item in found for text in item.install)),
            tuple(dict.fromkeys(text for item in found for text in item.reinstall)),
            found[0].index_url if len(found) == 1 else "",
        )
        names = [exact(text).name for text in packages.install]
        texts = [
            text
            for text, name in zip(packages.install, names)
            if exact(text).version or self._computes or not (name in self.installed or self.matrix.project(name))
        ]
        if any(self._useful(name) for name in packages.remove if name in PLUGIN_FILES and name not in names):
            return
        indexed = any(item.index_url != packages.index_url for item in found)
        if found and not indexed and len(texts) == len(packages.install):
            versions = {item.name: item.version for item in map(exact, texts)}
            yield Offer(packages, self._brought(versions, list(versions)))

    def wrong(self, diagnosis: Diagnosis) -> Iterator[Finding]:
        """Yield the findings that keep the framework from working."""
        for finding in diagnosis.findings:
            if finding in self.idle or (finding.severity == "error" and finding.concerns(self.framework)):
                yield finding

    def _as_rules_say(self, diagnosis: Diagnosis) -> Dict[str, str]:
        """Return what the fixes of the findings that block something install, by name; alternatives come last."""
        steps = [step for item in self.wrong(diagnosis) if not _is_setting(item) for step in item.fix]
        texts = [text for step in steps for text in (step.packages.install if step.packages is not None else ())]
        # "+cpu" is a build that only PyTorch's own index has.
        return {exact(text).name: text.replace("+cpu", "") for text in reversed(texts)}

    def _stale(self) -> Tuple[str, ...]:
        """Return the names of distributions that lie over one another: all of them have to go before one is installed."""
        found: List[str] = []
        names = {item.name for item in self.view.tensorflow_distributions}
        if len(names) > 1:
            found += self.view.tensorflow_names
        for group in _SAME_PACKAGE:
            there = [name for name in group if name in self.installed]
            found += there if len(there) > 1 else []
        return tuple(dict.fromkeys(found))

    def _owner(self) -> Optional[Release]:
        """Return the TensorFlow that stays: a release, where a nightly build lies over it."""
        found = [item for item in self.view.tensorflow_distributions if item.version.or_none()]
        chosen = self.view.tensorflow
        found.sort(key=lambda item: item is not chosen)
        known = [item for item in found if self._releases(item.name, str(item.version.or_none()))]
        best = next(iter(known or found), None)
        return Release(best.name, str(best.version.or_none())) if best is not None else None

    def _releases(self, name: str, version: str) -> bool:
        project = self.matrix.project(name) if not name.startswith("tf-nightly") else None
        return project is not None and project.like(version) is not None

    def _ways(self) -> Tuple[Way, ...]:
        owner = self._owner()
        if owner is not None:
            return tuple(self._tensorflow_ways(owner))
        return tuple(self._other_ways())

    def _tensorflow_ways(self, owner: Release) -> Iterator[Way]:
        here = "%s==%s" % owner
        plugins = [name for name in PLUGIN_FILES if name in self.installed]
        useless = tuple(name for name in plugins if not self._useful(name))
        stays = tuple(name for name in ("keras", "tf-keras") if name in self.installed)
        exact_plugins = tuple("%s==%s" % (name, self.installed[name]) for name in plugins)
        others = self._others((owner.name, *plugins))
        if useless != tuple(plugins):
            yield Way((here, *exact_plugins, *others))
            yield Way((here, *exact_plugins, *stays))
        elif not plugins:
            yield Way((here, *others))
            yield Way((here, *stays))
            yield Way((here, *stays), whole=True)
            yield Way((here,), whole=True)
        if useless:
            yield Way((here, *others), drop=useless)
            yield Way((here, *stays), drop=useless)
        minor = minor_of(owner.version)
        # What the system lacks for a GPU that is there, its user may want to bring.
        wanted = self.target.vendors or owner.name == "tensorflow-directml" or any(map(self._useful, plugins))
        waits = bool(wanted) and self._left_to_user()
        if owner.name not in ("tensorflow", "tensorflow-cpu") and not waits:
            for name in ("tensorflow-cpu", "tensorflow"):
                # Some are numbered in their own way: 2.10.1.550.
                yield Way(
                    ("%s==%s" % (name, ".".join(owner.version.split(".")[:3])), *stays), drop=(owner.name, *useless)
                )
                yield Way(("%s==%s.*" % (name, minor), *stays), drop=(owner.name, *useless), whole=True)
        if plugins and useless != tuple(plugins):
            yield Way((*exact_plugins, owner.name, *stays), whole=True)
            yield Way((*exact_plugins, "tensorflow-cpu", *stays), drop=(owner.name,), whole=True)
            if not waits:
                yield Way((here, *stays), drop=tuple(plugins))
        if waits:
            return
        yield Way(("%s==%s.*" % (owner.name, minor), *stays), drop=useless, whole=True)
        for name in (owner.name, "tensorflow-cpu", "tensorflow"):
            gone = useless if name == owner.name else (owner.name, *useless)
            yield Way((name, *stays), drop=gone, whole=True, newest=True)

    def _left_to_user(self) -> bool:
        """Return whether something that is wrong has a fix that no installer can do."""
        ways = [list(_first_way(finding)) for finding in self.wrong(self.diagnosis)]
        return any(
            steps and all(step.packages is None and step.changes != "packages" for step in steps) for steps in ways
        )

    def _useful(self, plugin: str) -> bool:
        if plugin == "tensorflow-directml-plugin":  # what it lacks in WSL, Windows brings
            return self.target.system == "windows" or self.target.wsl is not None
        vendors = _PLUGIN_VENDORS.get(plugin.replace("-lib", ""), ())
        return any(name in self.target.vendors for name in vendors)

    def _other_ways(self) -> Iterator[Way]:
        """Keras without TensorFlow, JAX or PyTorch."""
        keras = keras_version(self.view)
        own = {"jax": ("jax", "jaxlib"), "torch": ("torch",), "numpy": ("jax",)}.get(self.framework, ())
        there = [name for name in own if name in self.installed]
        fixed = ["%s==%s" % (name, self.installed[name]) for name in there if name != "jaxlib"]
        more = ["jaxlib"] if "jax" in there and self.framework == "jax" else []
        others = self._others(("keras", *own))
        if keras is None:
            if there:
                yield Way((*fixed, *more, *others))
                yield Way((*fixed, *more), whole=True)
                yield Way(tuple(there), whole=True)
            elif not self.target.vendors:
                yield Way((cpu_build(self.target), *others), whole=True)
            return
        here = "keras==%s" % keras
        yield Way((here, *fixed, *more, *others))
        yield Way((here, *fixed, *more), whole=True)
        if there:
            yield Way((here, *there, *more))
            yield Way(("keras", *fixed, *more))
            yield Way(("keras", *there, *more), whole=True)
        if self.framework not in _NO_TRAINING and (self.framework != backend(self.view).name or not there):
            yield Way((cpu_build(self.target), here), whole=True)

    def _others(self, besides: Sequence[str]) -> Tuple[str, ...]:
        """Return what else is there and has to go with a set, of what the data know."""
        known = (name for name in sorted(self.installed) if self.matrix.project(name) is not None)
        stale = self._stale()
        return tuple(
            name for name in known if name not in besides and name not in TENSORFLOW_OWNERS and name not in stale
        )

    def _offer(
        self, way: Way, wanted: Mapping[str, str], again: Tuple[str, ...], stale: Tuple[str, ...]
    ) -> Optional[Offer]:
        """Return what a way comes to, None if there is no such set; ``wanted``: requirements of the rules, by name."""
        gone = tuple(dict.fromkeys((*(name for name in way.drop if name in self.installed), *stale)))
        left = {name: version for name, version in self.installed.items() if name not in gone}
        names = [normal_name(parsed(text).name) for text in way.roots]
        if way.newest:
            left = {name: version for name, version in left.items() if name != names[0]}
        fitting = {name: text for name, text in wanted.items() if name in names or name not in TENSORFLOW_OWNERS}
        more = [text for name, text in fitting.items() if name not in names or "==" not in way.roots[names.index(name)]]
        try:
            solution = solve(self.matrix, self.target, [Need(text) for text in (*way.roots, *more)], installed=left)
        except Conflict:
            return None
        left = {name: version for name, version in self.installed.items() if name not in gone}
        install = []
        for name, version in solution.versions.items():
            absent = name not in left and (way.whole or name in names or name in fitting or name in gone)
            if absent or (name in left and left[name] != version):
                install.append("%s==%s" % (name, version))
        install += [text for name, text in fitting.items() if self.matrix.project(name) is None]
        if way.whole:  # what the data do not know comes along with it
            install = list(dict.fromkeys(["%s==%s" % (name, solution.versions[name]) for name in names] + install))
        written = [exact(text).name for text in install]
        renewed = [name for name in written if left.get(name) != solution.versions.get(name)]
        reinstall = tuple(text for text in again if exact(text).name not in (*renewed, *gone))
        packages = Packages(gone, tuple(install), reinstall)
        if not (packages.remove or packages.install or packages.reinstall):
            return None
        return Offer(packages, self._brought(solution.versions, written))

    def _brought(
        self, versions: Mapping[str, str], names: Sequence[str], target: Optional[Target] = None
    ) -> Dict[str, str]:
        """Return what an installer takes along: what is declared, and what that declares."""
        target = target or self.target
        found: Dict[str, str] = {}
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            build = build_of(self.matrix, target, name, versions.get(name, ""))
            for text in build.requires if build is not None else ():
                requirement = parsed(text)
                needed = normal_name(text)
                if requirement.marker is not None and not requirement.marker.evaluate(target.environment()):
                    continue
                for further in _BRINGS.get(needed, ()):
                    found.setdefault(further, "")
                if needed not in found:
                    found[needed] = versions.get(needed) or exact(text).version
                    waiting.append(needed)
        return found

    def _new_sets(self, stale: Tuple[str, ...]) -> Iterator[Offer]:
        """Yield whole sets for the goal: with the release that is there, then the newest."""
        owner = self._owner()
        minor = minor_of(owner.version) if owner is not None else ""
        keeps = [(), ("tensorflow==%s" % owner.version,), ("tensorflow==%s.*" % minor,)] if owner is not None else [()]
        goal = ("gpu" if self.idle else "fastest") if self.goal == "auto" else self.goal
        frameworks = (self.framework,) if self.framework not in _NO_TRAINING else ("tensorflow",)
        stays = dict.fromkeys((numpy_stays(self.view, frameworks[0]), ()))
        for keep, platform, numpy in product(reversed(keeps), platforms_for(goal, self.target), stays):
            needs = tuple(Need(text, because="it is there") for text in keep + numpy)
            found = best_set(platform, frameworks, self.target, needs, self.matrix)[0]
            if found is None or len(found.indexes) > 1:
                continue
            pins = {item.name: item.version for item in found.pins}
            gone = tuple(name for name in self.view.tensorflow_names if self.installed.get(name) != pins.get(name))
            packages = Packages(tuple(dict.fromkeys((*gone, *stale))), found.requirements, (), "".join(found.indexes))
            yield Offer(packages, dict(self._brought(pins, list(pins)), **pins))

    def _elsewhere(self) -> List[Attempt]:
        """Return a new environment with another Python: where this one has no wheels."""
        own = self.target.python
        goal = self.goal if self.goal != "auto" else "gpu" if self._computes else "fastest"
        # Where only the GPU is unused, this Python's sets were looked at.
        owner = None if self._computes else self._owner()
        keep = () if owner is None else (Need("tensorflow==%s" % owner.version, because="it is there"),)
        pythons = [python for python in (own, *PYTHONS) if not (self._computes and python == own)]
        found = self.new_set((goal,), pythons, keep)
        if found is None:
            return []
        why = "Nothing that is installed into this environment helps"
        if found.python != own:
            text = "for Python %s cannot use the GPU" if self._computes else "has no wheel for Python %s"
            why = "%s %s here" % (TITLES.get(self.framework, "Keras"), text % own)
        first = found.pins[0]
        reason = "%s: a new environment with Python %s gets %s %s." % (why, found.python, first.name, first.version)
        return [environment_attempt(found, reason, "%s-%s" % (self.machine.python.prefix, found.python))]

    def new_set(
        self, goals: Sequence[str], pythons: Sequence[str], keep: Tuple[Need, ...] = ()
    ) -> Optional[Resolution]:
        """Return the best set for a new environment, of the first Python that has one."""
        kept = (keep, ()) if keep else ((),)
        several = ((goal, python, bounds) for goal in goals for python in dict.fromkeys(pythons) for bounds in kept)
        return next(filter(None, (self._checked_set(*each) for each in several)), None)

    def _checked_set(self, goal: str, python: str, keep: Tuple[Need, ...]) -> Optional[Resolution]:
        """Return the best set for a new environment if it is predicted to work."""
        frameworks = (self.framework,) if self.framework not in _NO_TRAINING else ("tensorflow",)
        fresh = predict_new(self.machine, python)
        target = View(fresh, self.matrix).target
        for _ in range(2):
            found = best_set(goal, frameworks, target, keep, self.matrix)[0]
            if found is None or len(found.indexes) > 1:
                return None
            pins = {item.name: item.version for item in found.pins}
            packages = Packages(install=found.requirements)
            brought = dict(self._brought(pins, list(pins), target), **pins)
            state, diagnosis = self._check(predict(fresh, self.matrix, target, packages, brought))
            if state.works:
                return found
            # What the rules know of this machine, such as its processor, the releases' metadata do not.
            keep += tuple(Need(text, because="this machine") for text in self._as_rules_say(diagnosis).values())
        return None

    # What is left to the user

    def _left(self, attempts: Sequence[Attempt]) -> Tuple[Fix, ...]:
        """Return the steps that no installer can do, in the order of the findings."""
        done = {code for item in attempts[:1] for code in item.codes}
        found: List[Fix] = []
        for finding in self.wrong(self.diagnosis):
            if finding.code not in done:
                found += [step for step in _first_way(finding) if step.who != "devicekit"]
        alone = None if self._computes else self._culprits(self.machine)
        names = () if alone is None else alone.unset if self._only_settings() else alone.variables
        instead = bool(attempts) and not attempts[0].unset
        for name in names:
            text = "%s %s: without it the framework works" % ("Or unset" if instead else "Unset", name)
            step = self.view.shell.unset_fix(name, text)
            if all(step.command != other.command for other in found):
                found.append(step)
        return tuple(dict.fromkeys(found)) + self._training(attempts)

    def _warned(self) -> Tuple[Fix, ...]:
        """Return the first step against each warning: an environment that works is not changed for one."""
        steps = [
            step.replace(who="user") if step.who == "devicekit" else step
            for item in self.diagnosis.findings
            if item.severity == "warning" and item.concerns(self.framework)
            for step in item.fix[:1]
        ]
        return tuple(dict.fromkeys(steps))

    def _training(self, attempts: Sequence[Attempt]) -> Tuple[Fix, ...]:
        """Return the step by which Keras trains, where its user has chosen a backend that computes only."""
        if self.framework not in _NO_TRAINING:
            return ()
        brought = {item.name for attempt in attempts[:1] for item in attempt.changes if item.after}
        there = [name for name in ("jax", "torch") if name in self.installed or name in brought]
        text = "Keras on %s computes and does not train: to train, " % self.framework
        if not there:
            return (Fix(text + "install JAX, PyTorch or TensorFlow, and select it by KERAS_BACKEND"),)
        return (self.view.shell.set_fix(text + "select another backend", "KERAS_BACKEND", there[0]),)


class _Culprits(NamedTuple):
    """What is not a package and may be in the way: variables, and files and folders of the user."""

    variables: Tuple[str, ...] = ()
    files: Tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.variables or self.files)

    @property
    def unset(self) -> Tuple[str, ...]:
        """The variables that the environment itself may unset."""
        return tuple(name for name in self.variables if name in UNSETTABLE)

    def single(self) -> Iterator["_Culprits"]:
        """Yield each of them alone."""
        for name in self.variables:
            yield _Culprits((name,))
        for path in self.files:
            yield _Culprits((), (path,))

    def less(self, other: "_Culprits") -> "_Culprits":
        """Return these without others."""
        return _Culprits(
            tuple(name for name in self.variables if name not in other.variables),
            tuple(path for path in self.files if path not in other.files),
        )


def _suspects(machine: Machine) -> _Culprits:
    """Return everything that is not a package and could be in the way."""
    python = machine.python
    files = [item.location for item in python.packages if not item.in_site and item.kind != "namespace"]
    config = python.keras_config.or_none()
    # Without it Keras takes TensorFlow: that does not help who means another backend.
    meant = backend_meant((config.backend if config is not None else None) or "")
    other = meant not in ("", "tensorflow", config.backend if config is not None else None)
    if config is not None and (config.fatal or config.backend not in (None, "tensorflow")) and not other:
        files.append(config.path)
    form = FORMATS.get(machine.native.system)
    files += [item.path for item in python.plugins.or_none() or () if item.format != form]
    files += _files_left(machine)
    return _Culprits(tuple(name for name, _ in machine.process.environ), tuple(dict.fromkeys(files)))


def _files_left(machine: Machine) -> Tuple[str, ...]:
    """Of two releases that lie over one another, each has files that the other needs."""
    stale = machine.python.stale_modules
    return stale if stale and len(View(machine, BUNDLED).tensorflow_distributions) < 2 else ()


def _without(machine: Machine, culprits: _Culprits) -> Machine:
    """Return the machine as it is once variables are unset and files are moved aside."""
    if not culprits:
        return machine
    python, process = machine.python, machine.process
    packages = []
    for item in python.packages:
        if item.location not in culprits.files:
            packages.append(item)
        elif item.hides:
            folder = item.hides[0].replace("\\", "/").rpartition("/")[0]
            packages.append(item.replace(location=item.hides[0], path_entry=folder, hides=item.hides[1:], in_site=True))
    config = python.keras_config.or_none()
    plugins = python.plugins
    if plugins.known:
        left = tuple(item for item in plugins.value or () if item.path not in culprits.files)
        plugins = Fact.of(left, plugins.source)
    stale = tuple(path for path in python.stale_modules if path not in culprits.files)
    python = python.replace(packages=tuple(packages), plugins=plugins, stale_modules=stale)
    if config is not None and config.path in culprits.files:
        python = python.replace(keras_config=Fact.absent(config.path))
    if python.problem in culprits.variables:
        python = python.replace(problem="")
    first = comes_first(python) if "PYTHONPATH" in culprits.variables else ()
    if first:
        own = tuple(item for item in python.distributions.value or () if item not in first)
        python = python.replace(distributions=Fact.of(own, python.distributions.source))
    environ = tuple(pair for pair in process.environ if pair[0] not in culprits.variables)
    return machine.replace(python=python, process=process.replace(environ=environ))


def subject(machine: Machine) -> str:
    """Return the framework that has to work on a machine: what Keras computes with, else what is installed."""
    return _subject(View(machine, BUNDLED))


def _subject(view: View) -> str:
    """Return the framework that has to work: what Keras computes with, else what is installed."""
    if standalone_keras(view) and is_keras3(keras_version(view)) and not view.has_tensorflow:
        chosen = backend(view)
        if chosen.name in _NO_TRAINING:
            return chosen.name
        if chosen.source and chosen.name in ("jax", "torch"):
            return chosen.name
    found = choose_framework(view.machine)
    return "tensorflow" if found in (None, "tensorflow1") else str(found)


def cpu_build(target: Target) -> str:
    """Return the distribution of TensorFlow that brings no code for GPUs, where there is one."""
    small = target.architecture == "x86_64" and target.system != "macos"
    return "tensorflow-cpu" if small else "tensorflow"


def install_lost(view: View, location: str, codes: Tuple[str, ...]) -> Attempt:
    """Return what replaces a TensorFlow that no distribution owns: by the release that its files say, if they do."""
    name, version = "tensorflow" if view.uses_cuda else cpu_build(view.target), view.tensorflow_version
    requirement = "%s==%s" % (name, version) if version else name
    reason = "Move %s aside, which no distribution owns, and install %s." % (location, requirement)
    return Attempt(Packages(install=(requirement,)), reason, codes, aside=(location,))


def _damaged(machine: Machine, diagnosis: Diagnosis) -> Tuple[str, ...]:
    """Return the distributions whose files have to be written again."""
    codes = {item.code for item in diagnosis.findings if item.blocks}
    if not codes & {"install-corrupt", "distributions-conflict", "module-shadowed"}:
        return ()
    found = []
    for item in machine.python.distributions.or_none() or ():
        lost = [name for name in item.missing_files if name.endswith(CODE_ENDINGS) or ".so." in name]
        version = item.version.or_none()
        if (lost or item.damaged_files) and version:
            found.append("%s==%s" % (item.name, version))
    return tuple(dict.fromkeys(found))


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> Tuple[Change, ...]:
    names = sorted(set(before) | set(after))
    return tuple(
        Change(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)
    )


def _first_way(finding: Finding) -> Iterable[Fix]:
    return next(iter(ways(finding.fix)), [])


def _is_setting(finding: Finding) -> bool:
    """Return whether the first way against a finding is another value of a variable, or an edit in a file of the user's."""
    steps = list(_first_way(finding))
    return bool(steps) and all(
        step.changes == "variables" or (step.changes == "files" and step.command is None) for step in steps
    )


def _unordered(packages: Packages) -> Tuple[FrozenSet[str], FrozenSet[str], FrozenSet[str], str]:
    """Return what distinguishes packages for an installer."""
    return frozenset(packages.remove), frozenset(packages.install), frozenset(packages.reinstall), packages.index_url


def _first(texts: Sequence[str], between: str = ", ") -> str:
    further = " and %d more" % (len(texts) - _SHOWN) if len(texts) > _SHOWN else ""
    return between.join(texts[:_SHOWN]) + further


def _reason(packages: Packages, keeps: bool, changes: Sequence[Change], culprits: _Culprits) -> str:
    """Say in a sentence what an attempt does, and whether the release stays."""
    parts = []
    if culprits.files:
        parts.append("move %s aside" % _first(culprits.files, " and "))
    if culprits.unset:
        text = "unset %s whenever this environment's Python starts, while the shell sets the same value"
        parts.append(text % " and ".join(culprits.unset))
    replaced = [item for item in changes if item.before and item.after]
    asked = [exact(text).name for text in packages.install]
    added = [item for item in changes if item.after and not item.before]
    added.sort(key=lambda item: asked.index(item.name) if item.name in asked else len(asked))
    removed = [item for item in changes if item.before and not item.after]
    if replaced:
        parts.append("change %s" % ", ".join("%s %s to %s" % (item.name, item.before, item.after) for item in replaced))
    told = {item.name for item in changes}
    more = [text for text in packages.install if exact(text).name not in told and not exact(text).version]
    if added or more:
        shown = _first(["%s %s" % (item.name, item.after) for item in added])
        parts.append("install %s" % ", ".join(filter(None, (shown, *more))))
    if removed:
        parts.append("remove %s" % _first(["%s %s" % (item.name, item.before) for item in removed]))
    if packages.reinstall:
        parts.append("write the files of %s again" % " and ".join(packages.reinstall))
    text = "; ".join(parts) or "install %s" % ", ".join(packages.install)
    stays = "" if keeps else " The framework's release changes."
    return text[:1].upper() + text[1:] + "." + stays
