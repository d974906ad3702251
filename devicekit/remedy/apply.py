"""Applies a plan: records the environment, installs, tries every framework, and restores it if that was no help."""

import importlib
import os
import signal
import threading
import time
from contextlib import contextmanager
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from ..children.progress import Progress
from ..diagnosis.diagnose import diagnose
from ..diagnosis.findings import Diagnosis, Finding, Fix, Packages
from ..diagnosis.frameworks import BACKENDS
from ..diagnosis.view import View
from ..errors import RemedyError
from ..machine.facts import Machine
from ..machine.host import Interpreter
from ..machine.live_host import LiveHost
from ..matrix.matrix import BUNDLED, accepts
from ..matrix.queries import declared
from ..runtime.settings import read_settings
from ..runtime.verification import STAGES, FrameworkVerification, Verification, failure
from ..runtime.verify import verify_interpreter
from .installers import (
    Installer,
    check_packages,
    complaint,
    constraints_for,
    drop_unrecorded,
    find_installer,
    named,
    steps,
)
from .journal import ASIDE, FixFolder, Journal, Logbook
from .layout import Layout, unset_at_start, versions
from .plan import install_lost
from .result import Attempt, Change, Remedy

#: A first import after an installation compiles thousands of files.
_TRIAL_S = 300.0

#: What devicekit would load from the environment only when it is all done.
_LOADED_BEFORE = (
    "packaging.markers", "packaging.requirements", "packaging.specifiers", "packaging.tags", "packaging.utils",
    "packaging.version", "platformdirs", "resolvelib", "devicekit.logs.explain", "devicekit.runtime.trial.run",
)  # fmt: skip

_WORKS = 4


class Examined(NamedTuple):
    """An environment, and what the diagnosis says of it."""

    interpreter: Interpreter
    machine: Machine
    diagnosis: Diagnosis
    layout: Layout


def blocking(diagnosis: Diagnosis) -> Tuple[Finding, ...]:
    """Return the findings because of which something does not work: what a fix is about."""
    return tuple(item for item in diagnosis.findings if item.severity == "error" or keeps_from_gpus(item))


def keeps_from_gpus(finding: Finding) -> bool:
    """Return whether a finding is only that GPUs are not used."""
    return finding.severity == "warning" and any(map(finding.keeps_from_gpus, BACKENDS))


def level(item: FrameworkVerification) -> int:
    """Return how far a framework comes: 0 it cannot be imported, 1 it can, 2 it computes, 3 it trains, 4 on all devices."""
    observed = item.observed
    if item.works:
        return _WORKS
    return 3 if observed.outcome == "works" else 2 if observed.computes else 1 if observed.imports else 0


def accelerators(item: FrameworkVerification) -> int:
    """Return how many devices besides the CPU a framework used."""
    return sum(not name.upper().startswith("CPU") for name in item.observed.devices)


def compare(before: Tuple[FrameworkVerification, ...], after: Tuple[FrameworkVerification, ...]) -> str:
    """Return what became of frameworks: ``"works"`` (better, and all of them do), ``"better"``, or ``"not-better"``."""
    found = {item.framework: item for item in after}
    better = False
    for item in before:
        now = found.get(item.framework)
        if now is None:
            # Keras may go with the release that brought it; what worked may not.
            if level(item) == _WORKS:
                return "not-better"
            continue
        if level(now) < level(item) or (accelerators(now) < accelerators(item) and level(item) == _WORKS):
            return "not-better"
        better = better or level(now) > level(item) or accelerators(now) > accelerators(item)
    if not better:
        return "not-better"
    return "works" if all(map(_works, after)) else "better"


def _helps_unseen(attempt: Attempt, before: Verification, after: Verification) -> bool:
    """Return whether moving files helps though the frameworks were seen to work before, or were only remains of one.

    A trial has loaded the standard library before it looks into the user's folder: what hides a part of it there, only a
    program that is started in that folder meets. Then the diagnosis decides.
    """
    left_over = {item.framework for item in before.frameworks} - {item.framework for item in after.frameworks}
    fine = all(_works(item) or item.framework in left_over for item in (*before.frameworks, *after.frameworks))
    left = {finding.code for finding in blocking(diagnose(after.machine))}
    return bool(attempt.aside and attempt.codes) and fine and not left.intersection(attempt.codes)


def _works(item: FrameworkVerification) -> bool:
    return level(item) == _WORKS


class Surgeon:
    """Applies attempts to one environment, for as long as this process alone may change it."""

    def __init__(self, logbook: Logbook, examined: Examined, progress: Progress) -> None:
        self._logbook, self._examined, self._progress = logbook, examined, progress
        self._layout = examined.layout
        self._host = LiveHost(examined.interpreter)
        self._installer = find_installer(examined.layout, examined.machine.python)

    def apply(self, remedy: Remedy, before: Verification) -> Remedy:
        """Try the attempts in their order, and leave the environment with the first that works, or as it was.

        Raises
        ------
        OSError, RemedyError
            If the environment cannot be recorded, or cannot be restored.
        """
        installed = self._layout.installed()
        self._progress.say("recording the environment")
        aside = tuple(dict.fromkeys(path for item in remedy.attempts for path in self._aside(item)))
        try:
            folder, journal = self._logbook.begin(installed, aside, self._progress.tick)
        except OSError as error:
            text = "nothing was changed, since %s cannot be recorded: %s"
            raise RemedyError(text % (self._layout.prefix, error.strerror or error)) from error
        changed = False
        try:
            tried, best, after = self._try_all(remedy.attempts, before, folder, journal)
            if best is not None:
                self._logbook.finish(folder, journal, self._layout.installed())
                changed = True
        finally:
            # Also when the user interrupts it.
            if not changed:
                self._restore(folder, journal)
                folder.discard()
        remedy = remedy.replace(attempts=tried, before=before.frameworks)
        if best is None or after is None:
            return remedy.replace(outcome="restored")
        return remedy.replace(
            outcome="fixed" if best == "works" else "better",
            after=after.frameworks,
            remaining=blocking(diagnose(after.machine)),
            changes=difference(versions(installed), versions(self._layout.installed())),
        )

    def _try_all(
        self, attempts: Tuple[Attempt, ...], before: Verification, folder: FixFolder, journal: Journal
    ) -> "Tuple[Tuple[Attempt, ...], Optional[str], Optional[Verification]]":
        """Return the attempts with their outcomes, the outcome of the one that stays, None if none does, and its check."""
        tried: List[Attempt] = []
        after: Optional[Verification] = None
        for number, attempt in enumerate(attempts):
            if number:
                self._restore(folder, journal)
            attempt, after = self._try(attempt, before, folder, journal)
            tried.append(attempt)
            if attempt.outcome == "works":
                return (*tried, *attempts[number + 1 :]), "works", after
        better = [item for item in tried if item.outcome == "better"]
        if not better:
            return tuple(tried), None, None
        if tried[-1] is not better[0]:
            self._restore(folder, journal)
            again, after = self._try(better[0], before, folder, journal)
            if again.outcome == "not-better" or again.outcome == "failed":
                return tuple(tried), None, None
        return tuple(tried), better[0].outcome, after

    def _try(
        self, attempt: Attempt, before: Verification, folder: FixFolder, journal: Journal
    ) -> "Tuple[Attempt, Optional[Verification]]":
        started, had = time.monotonic(), versions(self._layout.installed())
        problem = self._install(attempt, folder, journal)
        after: Optional[Verification] = None
        outcome = "failed"
        if not problem:
            self._progress.say("trying the frameworks")
            interpreter = self._examined.interpreter
            # A folder of packages that was not there is not on the path that was read.
            path = tuple(dict.fromkeys((*interpreter.sys_path, *interpreter.site_paths)))
            interpreter = interpreter.replace(unset=(*interpreter.unset, *attempt.unset), sys_path=path)
            after = verify_interpreter(interpreter, timeout_s=_TRIAL_S)
            outcome = compare(before.frameworks, after.frameworks)
            if outcome == "not-better" and _helps_unseen(attempt, before, after):
                outcome = "works"
            problem = what_fails(after.frameworks)
        attempt = attempt.replace(
            outcome=outcome,
            detail=problem,
            changes=difference(had, versions(self._layout.installed())) or attempt.changes,
            seconds=time.monotonic() - started,
        )
        return attempt, after

    def _install(self, attempt: Attempt, folder: FixFolder, journal: Journal) -> str:
        """Do what an attempt says; return why that failed, "" if it did not."""
        constraints = folder.write_constraints(constraints_for(self._layout, attempt.packages))
        drop_unrecorded(self._layout, named(attempt.packages))
        for path in self._aside(attempt):
            try:
                os.rename(path, path + ASIDE)
            except OSError as error:
                return "%s cannot be renamed: %s" % (path, error.strerror or error)
        try:
            unset_at_start(self._layout, attempt.unset, self._host.environ(), self._host.interpreter.preset)
        except OSError as error:
            return "%s cannot be written: %s" % (self._layout.libraries[0], error.strerror or error)
        for text, command in steps(self._installer, attempt.packages, constraints):
            self._progress.say(text)
            done = self._installer.run(command, journal.token, self._logbook.installer_lock, self._ticker(text))
            if done.status != 0:
                return _problem(self._installer, text, done.stdout, done.stderr)
        return ""

    def _aside(self, attempt: Attempt) -> Tuple[str, ...]:
        """Return the real paths of what an attempt renames."""
        return tuple(map(self._host.expand, attempt.aside))

    def _ticker(self, text: str) -> "Ticker":
        return Ticker(self._progress, text)

    def _restore(self, folder: FixFolder, journal: Journal) -> None:
        with uninterrupted():
            self._progress.say("restoring the environment")
            folder.put_back(journal)


class Ticker:
    """Shows what an installer printed last."""

    def __init__(self, progress: Progress, text: str) -> None:
        self._progress, self._text = progress, text

    def __call__(self, line: str) -> None:
        self._progress.say("%s (%s)" % (self._text, line[:60]) if line else self._text)
        self._progress.tick()


def apply(examined: Examined, remedy: Remedy) -> Remedy:
    """Apply a plan to the environment that it was made for, and return it with its outcome.

    Raises
    ------
    OSError, RemedyError
        If nothing could be done, or the environment could not be restored; the message says which.
    """
    for attempt in remedy.attempts:
        check_packages(attempt.packages, examined.layout)
    for module in _LOADED_BEFORE:
        importlib.import_module(module)
    with Logbook(examined.layout) as logbook, Progress("trying the frameworks", read_settings().quiet) as progress:
        surgeon = Surgeon(logbook, examined, progress)
        before = verify_interpreter(examined.interpreter, timeout_s=_TRIAL_S)
        gpus = any(map(keeps_from_gpus, remedy.findings)) or remedy.goal not in ("auto", "cpu")
        hidden = any(item.aside for item in remedy.attempts)
        if before.frameworks and all(map(_works, before.frameworks)) and not (gpus or hidden):
            return remedy.replace(outcome="nothing-wrong", before=before.frameworks)
        return surgeon.apply(remedy, before)


def tried(interpreter: Interpreter, remedy: Remedy) -> Remedy:
    """Run the frameworks of an environment in which nothing is predicted to be wrong; return what they say."""
    with Progress("trying the frameworks", read_settings().quiet):
        before = verify_interpreter(interpreter, timeout_s=_TRIAL_S)
    remedy = remedy.replace(before=before.frameworks)
    failing = [item for item in before.frameworks if not item.works]
    if not failing:
        return remedy
    causes = {finding.code: finding for item in failing for finding in item.findings}
    foreseen = all(False in (item.predicted.will_import, item.predicted.will_run_keras) for item in failing)
    summary = "Not everything works: %s." if foreseen else "This was not predicted: %s."
    unsure = "" if foreseen else "it was not predicted"
    attempts = _folder_attempts(before.machine, failing) + tuple(
        Attempt(way.packages, way.text.rstrip(".") + ".", (finding.code,), unsure=unsure)
        for finding in causes.values()
        for way in _doable(finding)
        if way.packages is not None
    )
    packages = Packages(install=tuple(_as_declared(before.machine, failing)))
    if packages.install:
        attempts += (Attempt(packages, "Install what the metadata require.", unsure=unsure),)
    return remedy.replace(
        outcome="planned" if attempts else "no-plan",
        summary=summary % what_fails(before.frameworks),
        findings=tuple(causes.values()),
        attempts=attempts,
        left=()
        if attempts
        else tuple(step for finding in causes.values() for step in finding.fix if step.who != "devicekit"),
    )


def _folder_attempts(machine: Machine, failing: List[FrameworkVerification]) -> Tuple[Attempt, ...]:
    """Return what moves folders aside that no distribution owns, and writes those again that the import finds incomplete."""
    found = []
    view = View(machine, BUNDLED)
    for item in failing:
        package = machine.python.package(item.framework)
        owner = view.tensorflow if item.framework == "tensorflow" else machine.python.distribution(item.framework)
        if package is None or not package.in_site:
            continue
        codes = tuple(finding.code for finding in item.findings)
        if owner is not None:
            if "install-corrupt" in codes and owner.version.or_none():
                packages = Packages(reinstall=("%s==%s" % (owner.name, owner.version.or_none()),))
                found.append(Attempt(packages, "Write its files again.", codes))
            continue
        if package.kind == "namespace":
            reason = "Move %s aside, which no distribution owns." % package.location
            found.append(Attempt(Packages(), reason, codes, aside=(package.location,)))
        elif item.framework == "tensorflow":
            found.append(install_lost(view, package.location, codes))
    return tuple(found)


def _as_declared(machine: Machine, failing: List[FrameworkVerification]) -> Iterator[str]:
    """Yield what brings dependencies within the bounds that the metadata of what fails declare. They are often wrong."""
    python = machine.python
    for owner in python.distributions.or_none() or ():
        if owner.name.startswith(tuple(item.framework for item in failing)):
            for name, bounds in declared(owner.requires, python.version):
                if accepts(bounds, python.version_of(name) or "") is False:
                    yield name + bounds


def _doable(finding: Finding) -> Tuple[Fix, ...]:
    """Return the ways of a finding that are one step of an installer."""
    found = []
    for number, step in enumerate(finding.fix):
        alone = number + 1 == len(finding.fix) or finding.fix[number + 1].instead
        if step.packages is not None and alone and (step.instead or not number):
            found.append(step)
    return tuple(found)


def difference(before: Dict[str, str], after: Dict[str, str]) -> Tuple[Change, ...]:
    """Return the distributions that differ."""
    names = sorted({*before, *after})
    return tuple(
        Change(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)
    )


def what_fails(frameworks: Tuple[FrameworkVerification, ...]) -> str:
    """Return how those fail that do."""
    return "; ".join(
        "%s %s" % (item.framework, failure(item.observed) if item.observed.stage in STAGES else item.observed.error)
        for item in frameworks
        if not item.works
    )


def _problem(installer: Installer, text: str, printed: str, ending: str) -> str:
    return "%s, %s failed: %s" % (text, installer.name, complaint(printed) or ending or "it printed nothing")


@contextmanager
def uninterrupted() -> "Iterator[None]":
    """Finish what is begun: Ctrl-C and the signals that end a process wait."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
