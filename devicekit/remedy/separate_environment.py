"""A new environment next to a Python that nothing is installed into: the system's, or conda's base."""

import os
import shutil
from typing import Optional

from ..children.progress import Progress
from ..diagnosis.findings import Packages
from ..errors import RemedyError
from ..machine.facts import Machine
from ..matrix.target import PYTHONS
from ..resolver.resolve import resolve
from ..resolver.result import Resolution
from ..runtime.settings import read_settings
from .apply import what_fails
from .new_environment import Order, make_environment
from .result import Attempt, Change, Remedy


def plan_separate(remedy: Remedy, machine: Machine, framework: str, reason: str) -> Remedy:
    """Return a plan that makes a new environment instead.

    Parameters
    ----------
    remedy : Remedy
        The plan for the environment that may not be changed.
    machine : Machine
    framework : str
        What has to work in the new one.
    reason : str
        Why the other one may not be changed.
    """
    resolution = _resolution(remedy, machine, framework)
    if resolution is None:
        return remedy.replace(
            outcome="no-plan",
            summary="Nothing is installed into this environment: %s. Nor is there a set for a new one." % reason,
            attempts=(),
        )
    pins = [text.partition("==") for text in resolution.requirements]
    attempt = Attempt(
        Packages(install=resolution.requirements),
        "Nothing is installed into this environment: %s. Make a new one, with Python %s." % (reason, resolution.python),
        tuple(finding.code for finding in remedy.findings),
        keeps_release=not remedy.attempts or remedy.attempts[0].keeps_release,
        environment=_free_folder("venv-%s" % resolution.goal),
        python=resolution.python,
        changes=tuple(Change(name, None, version or None) for name, _, version in pins),
    )
    return remedy.replace(summary=attempt.reason, attempts=(attempt,))


def make_separate(remedy: Remedy, machine: Machine, framework: str) -> Remedy:
    """Make the environment that a plan names, and try it. If it does not work, it is removed.

    Raises
    ------
    RemedyError
        If that is impossible; nothing of it is left.
    """
    resolution, attempt = _resolution(remedy, machine, framework), remedy.attempts[0]
    if resolution is None:
        raise RemedyError("there is no set of releases for a new environment")
    order = Order(
        attempt.environment,
        resolution.python,
        resolution.requirements,
        resolution.index_options,
        tuple(resolution.variables.items()),
        resolution.frameworks,
    )
    with Progress("making an environment", read_settings().quiet) as progress:
        made = make_environment(order, progress.say)
    attempt = attempt.replace(
        environment=made.folder,
        outcome="works" if made.works else "not-better",
        detail=what_fails(made.frameworks),
        seconds=made.seconds,
    )
    if not made.works:
        shutil.rmtree(made.folder)
        summary = "The new environment did not work either, and was removed; nothing else was changed."
        return remedy.replace(outcome="restored", summary=summary, attempts=(attempt,), after=made.frameworks)
    # What was wrong here still is: it is the other Python that works.
    summary = "It works in the new environment; start your programs with %s." % made.python
    return remedy.replace(outcome="fixed", summary=summary, attempts=(attempt,), after=made.frameworks)


def _resolution(remedy: Remedy, machine: Machine, framework: str) -> Optional[Resolution]:
    """Return a set for the goal: of this Python and the release that is there, else of any."""
    goal = "fastest" if remedy.goal == "auto" else remedy.goal
    version = machine.python.version_of(framework, framework + "-cpu")
    keeps = [("%s==%s" % (framework, version),)] if version else []
    for python in (None, *PYTHONS):
        for keep in (*keeps, ()):
            found = resolve(goal, framework=framework, machine=machine, python=python, keep=keep)
            if found.possible:
                return found
    return None


def _free_folder(name: str) -> str:
    """Return a folder that does not exist, in the working folder."""
    folder, number = os.path.abspath(name), 1
    while os.path.lexists(folder):
        number += 1
        folder = os.path.abspath("%s-%d" % (name, number))
    return folder
