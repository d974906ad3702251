"""`fix`: what would make an environment work, done and checked; `undo`: back to what it was."""

import os
import shutil
import sys
from typing import Optional, Sequence

from ..children.progress import Progress
from ..diagnosis.diagnose import diagnose
from ..errors import RemedyError
from ..machine.facts import Machine
from ..machine.host import WATCHED_MODULES, Interpreter
from ..machine.interpreter import other_interpreter
from ..machine.live_host import LiveHost, this_interpreter
from ..machine.pip_settings import constraints
from ..machine.probe import read_machine
from ..matrix.matrix import BUNDLED, Matrix
from ..resolver.result import quoted
from ..runtime.cache import patiently
from ..runtime.settings import read_settings
from .apply import Examined, accelerators, apply, difference, keeps_from_gpus, tried, uninterrupted, what_fails
from .installers import installer_name
from .journal import Journal, Logbook, is_interrupted, last_journal
from .layout import Layout, read_layout, versions, why_not_changed
from .new_environment import Order, accepted_versions, make_environment
from .plan import environment_attempt, new_set, plan, subject
from .result import Remedy


def plan_separate(remedy: Remedy, machine: Machine, framework: str, reason: str, matrix: Matrix = BUNDLED) -> Remedy:
    """Return a plan that makes a new environment instead, with releases of a matrix; the reason is why nothing is changed."""
    resolution = new_set(machine, framework, _goals(remedy, framework), matrix)
    if resolution is None:
        return remedy.replace(
            outcome="no-plan",
            summary="Nothing is installed into this environment: %s. Nor is there a set for a new one." % reason,
            attempts=(),
        )
    text = "Nothing is installed into this environment: %s. Make a new one, with Python %s."
    keeps_release = not remedy.attempts or remedy.attempts[0].keeps_release
    text = (text if keeps_release else text + " The framework's release changes.") % (reason, resolution.python)
    codes = tuple(finding.code for finding in remedy.findings)
    folder = _free_folder("venv-%s" % resolution.goal)
    attempt = environment_attempt(resolution, text, folder, codes, keeps_release)
    return remedy.replace(summary=attempt.reason, attempts=(attempt,))


def make_separate(remedy: Remedy) -> Remedy:
    """Make the environment that a plan names, and try it. If that fails or is no help, nothing of it is left."""
    attempt = remedy.attempts[0]
    index = attempt.packages.index_url
    order = Order(
        _free_folder(attempt.environment),
        attempt.python,
        attempt.packages.install,
        ("--index-url", index) if index else (),
    )
    with Progress("making an environment", read_settings().quiet) as progress:
        made = make_environment(order, progress.say)
    unused = made.works and _about_gpus(remedy) and not any(map(accelerators, made.frameworks))
    attempt = attempt.replace(
        environment=made.folder,
        outcome="works" if made.works and not unused else "not-better",
        detail="no GPU is used in it either" if unused else what_fails(made.frameworks),
        seconds=made.seconds,
    )
    if attempt.outcome != "works":
        patiently(lambda: shutil.rmtree(made.folder))  # Windows keeps what a process that was ended had loaded
        summary = "The new environment did not help either, and was removed; nothing else was changed."
        return remedy.replace(outcome="restored", summary=summary, attempts=(attempt,), after=made.frameworks)
    # What was wrong here still is: it is the other Python that works.
    summary = "It works in the new environment; start your programs with %s." % made.python
    return remedy.replace(outcome="fixed", summary=summary, attempts=(attempt,), after=made.frameworks)


def _goals(remedy: Remedy, framework: str) -> Sequence[str]:
    """Return the goals of a new set, the best first: on the CPU nothing helps whose only fault is an unused GPU."""
    if remedy.goal != "auto":
        return (remedy.goal,)
    unused = [finding.keeps_from_gpus(framework) for finding in remedy.findings]
    return (("gpu",) if any(unused) else ()) + (("fastest",) if not unused or not all(unused) else ())


def _about_gpus(remedy: Remedy) -> bool:
    """Return whether the CPU alone is no help: a GPU was asked for, or nothing is wrong but that none is used."""
    if remedy.goal != "auto":
        return remedy.goal not in ("cpu", "fastest")
    return bool(remedy.findings) and all(map(keeps_from_gpus, remedy.findings))


def _free_folder(name: str) -> str:
    """Return a folder that does not exist; without another one, in the working folder."""
    name, number = os.path.abspath(os.path.expanduser(name)), 1
    folder = name
    while os.path.lexists(folder):
        number += 1
        folder = "%s-%d" % (name, number)
    return folder


def fix(python: Optional[str] = None, *, goal: str = "auto", apply: bool = False) -> Remedy:
    """Find out what would make Keras and its framework work, and do it if asked to.

    With ``apply``, the environment is recorded first; then the smallest change is installed by the environment's own
    installer (uv or pip), and each framework is tried in a child process: imported, computed with, trained. If that fails,
    or nothing works better than before, everything is restored, and the next way is tried. `Remedy.undo` is the command that
    puts it back later.

    Parameters
    ----------
    python : str or None
        The interpreter or the virtual environment to fix; this one by default.
    goal : str
        ``"auto"``: what is installed works, on the accelerators of this machine; or a goal of `resolve`, such as ``"cpu"``,
        ``"gpu"`` and ``"directml"``.
    apply : bool
        Whether to change the environment. Otherwise nothing is changed and nothing is run: it is a prediction.

    Returns
    -------
    Remedy
        What is wrong, what would be done, and with ``apply`` its outcome.

    Raises
    ------
    RemedyError
        If the environment cannot be changed: it is a Python of the system, another fix is at work there, it cannot be
        written, or it has no installer.

    Notes
    -----
    A process that has imported what was replaced has to be started again: so does this one, with ``python=None``.
    """
    interpreter = other_interpreter(python) if python else this_interpreter().replace(modules=())
    if not apply:
        return plan_for(interpreter, goal)
    recover(read_layout(interpreter.executable))
    done = carry_out(interpreter, plan_and_try(interpreter, goal))
    stale = [name for name in WATCHED_MODULES if name in sys.modules] if not python and done.changes else []
    if stale:
        text = "%s Start this process again, such as the kernel of a notebook: it has imported %s."
        done = done.replace(summary=text % (done.summary, ", ".join(stale)))
    return done


def examine(interpreter: Interpreter) -> Examined:
    """Read what is there and diagnose it; nothing is changed."""
    layout = read_layout(interpreter.executable)
    machine = read_machine(LiveHost(interpreter), deep=True)
    return Examined(interpreter, machine, diagnose(machine), layout)


def plan_for(interpreter: Interpreter, goal: str) -> Remedy:
    """Return what would be done; nothing is changed and nothing is run.

    Raises
    ------
    RemedyError
        If an earlier fix was interrupted: what is there is neither the one nor the other.
    """
    examined = examine(interpreter)
    if interrupted(examined.layout):
        command = undo_command(interpreter.executable)
        raise RemedyError("an earlier fix of %s was interrupted; restore it: %s" % (examined.layout.prefix, command))
    bounds = constraints(LiveHost(interpreter), installer_name(examined.layout, examined.machine.python))
    known = {item.name for item in examined.machine.python.distributions.or_none() or ()}
    required = examined.layout.required_by_others(known)
    return _in_place_or_separate(
        plan(examined.machine, goal, matrix=BUNDLED.within(bounds), required=required), examined
    )


def _in_place_or_separate(remedy: Remedy, examined: Examined) -> Remedy:
    """Return a plan that makes a new environment where nothing may be installed into the one that is there."""
    reason = why_not_changed(examined.layout, examined.machine.python)
    if remedy.outcome != "planned" or reason is None:
        return remedy
    if remedy.attempts[0].unset:  # another environment has the variable as well
        summary = "Nothing is changed in this environment: %s. See what is left to you." % reason
        return remedy.replace(outcome="no-plan", summary=summary, attempts=())
    matrix = BUNDLED.within(accepted_versions())
    return plan_separate(remedy, examined.machine, subject(examined.machine), reason, matrix)


def plan_and_try(interpreter: Interpreter, goal: str) -> Remedy:
    """Return what would be done. If nothing is predicted to be wrong, the frameworks are run, and what they say counts.

    Raises
    ------
    RemedyError
        See `plan_for`.
    """
    remedy = plan_for(interpreter, goal)
    if remedy.outcome != "nothing-wrong":
        return remedy
    return _in_place_or_separate(tried(interpreter, remedy), examine(interpreter))


def carry_out(interpreter: Interpreter, remedy: Remedy) -> Remedy:
    """Apply a plan, and return it with its outcome.

    Raises
    ------
    OSError, RemedyError
        See `fix`.
    """
    if remedy.outcome != "planned":
        return remedy
    if remedy.attempts[0].environment:
        return make_separate(remedy)
    examined = examine(interpreter)
    reason = why_not_changed(examined.layout, examined.machine.python)
    if reason is not None:
        raise RemedyError("devicekit does not install into %s: %s" % (remedy.python, reason))
    done = apply(examined, remedy)
    return done.replace(
        summary=_SUMMARIES[done.outcome],
        undo=undo_command(remedy.python) if done.outcome in ("fixed", "better") else "",
    )


_SUMMARIES = {
    "fixed": "It works now.",
    "better": "More works than before, but not everything.",
    "restored": "Nothing of that helped: everything is as it was before.",
    "nothing-wrong": "Every framework works when it is run, whatever was predicted: nothing was changed.",
}


def undo_command(python: str) -> str:
    """Return the command that undoes the last fix of an interpreter's environment."""
    shown = "~/" + quoted(python[2:]) if python.startswith("~/") else quoted(python)
    own = os.path.abspath(os.path.expanduser(python)) == os.path.abspath(sys.executable)
    return "devicekit fix --undo" + ("" if own else " --python %s" % shown)


def interrupted(layout: Layout) -> bool:
    """Return whether a fix of this environment was interrupted and is not restored yet."""
    return is_interrupted(last_journal(layout.own))


def plan_undo(interpreter: Interpreter) -> Remedy:
    """Return what undoing the last fix would change; nothing is changed.

    Raises
    ------
    RemedyError
        If there is nothing to undo.
    """
    layout = read_layout(interpreter.executable)
    journal = _journal(layout)
    summary = "This restores what was there on %s." % journal.started
    installed = layout.installed()
    since = difference(versions(journal.after), versions(installed)) if journal.state == "applied" else ()
    if since:
        summary += " What was installed or removed since the fix is undone too: %s." % ", ".join(
            item.name for item in since
        )
    python = LiveHost(interpreter).scrub(interpreter.executable)
    return Remedy(
        python, "auto", "planned", summary, changes=difference(versions(installed), versions(journal.distributions))
    )


def _journal(layout: Layout) -> Journal:
    journal = last_journal(layout.own)
    if journal is None or journal.state == "recording":
        raise RemedyError("there is no fix of %s to undo" % layout.prefix)
    return journal


def recover(layout: Layout) -> Optional[Journal]:
    """Restore what an interrupted fix has left; return its journal, None if none was interrupted.

    Raises
    ------
    OSError, RemedyError
        If that is impossible now.
    """
    if not interrupted(layout):
        return None
    with Logbook(layout) as logbook, uninterrupted(), _restoring() as progress:
        recovered = logbook.recover(progress.tick)
    return recovered[0] if recovered else None


def _restoring() -> Progress:
    return Progress("restoring the environment", read_settings().quiet)


def undo(interpreter: Interpreter) -> Remedy:
    """Restore what was there before the last fix.

    Raises
    ------
    OSError, RemedyError
        If there is nothing to undo, or it cannot be restored.
    """
    layout = read_layout(interpreter.executable)
    host = LiveHost(interpreter)
    _journal(layout)
    installed = layout.installed()
    with Logbook(layout) as logbook, uninterrupted(), _restoring() as progress:
        undone = logbook.recover(progress.tick, done=True)
        if undone is None:
            raise RemedyError("there is no fix of %s to undo" % layout.prefix)
        journal, restored = undone
    now = layout.installed()
    missing = difference(versions(journal.distributions), versions(now))
    summary = "Everything is as it was on %s." % journal.started
    if missing:
        summary = "Not everything could be restored: %s." % ", ".join(item.name for item in missing)
    if restored.changed:
        names = ", ".join(restored.changed[:5])
        summary += " Changed in place since then, and not restored: %s (%d files)." % (names, len(restored.changed))
    if restored.left:
        summary += " New files that belong to no distribution were left alone (%d)." % len(restored.left)
    return Remedy(
        host.scrub(interpreter.executable),
        "auto",
        "undone",
        summary,
        changes=difference(versions(installed), versions(now)),
    )
