"""`Remedy`: what is wrong with an environment, what would make it work, and the outcome of each attempt. Pure."""

from typing import ClassVar, Optional, Tuple

from ..diagnosis.findings import Finding, Fix, Packages
from ..records import Record, Seconds, ShownAsText
from ..runtime.verification import FrameworkVerification

#: Outcomes of an attempt. ``planned``: not tried; ``works``: every framework works after it; ``better``: more works than
#: before, but not everything; ``not-better``: it was undone; ``failed``: the installer failed, and it was undone.
ATTEMPTS = ("planned", "works", "better", "not-better", "failed")

#: Outcomes of a remedy. ``nothing-wrong``: nothing has to be changed; ``planned``: nothing was changed yet; ``fixed``: what
#: was wrong is right; ``better``: some of it; ``restored``: no attempt helped, and everything is as before; ``no-plan``:
#: nothing that devicekit can do would help, see ``left``; ``undone``: an earlier remedy was undone.
OUTCOMES = ("nothing-wrong", "planned", "fixed", "better", "restored", "no-plan", "undone")


class Change(Record):
    """One distribution that is installed, removed or replaced.

    Attributes
    ----------
    name : str
        The distribution.
    before, after : str or None
        Its versions, None where it is not installed.
    """

    name: str
    before: Optional[str] = None
    after: Optional[str] = None


class Attempt(Record):
    """One way to make an environment work.

    Attributes
    ----------
    packages : Packages
        What an installer has to do.
    reason : str
        Why this should help, in a sentence.
    codes : tuple of str
        Codes of the findings that it removes.
    keeps_release : bool
        Whether the release of each framework stays.
    environment : str
        Folder of the new environment that it makes, "" if it changes the environment that was examined.
    python : str
        The Python of the new environment (``"3.11"``), "" if nothing new is made.
    changes : tuple of Change
        What changes; as far as it is known before, all of it afterwards.
    aside : tuple of str
        Files and folders that are renamed first, to their name and ``.aside``: they hide a package, or hold a setting that
        stops the framework.
    unset : tuple of str
        Variables of the shell that the environment's Python unsets when it starts, as long as they have their present
        values: a file of the environment does that.
    unsure : str
        What is not known of its effect before it is tried, "" if it is predicted to work.
    outcome : {"planned", "works", "better", "not-better", "failed"}
        See `ATTEMPTS`.
    detail : str
        What the installer or the check reported, "" if there is nothing to say.
    seconds : float
        How long it took, with its check.
    """

    packages: Packages
    reason: str
    codes: Tuple[str, ...] = ()
    keeps_release: bool = True
    environment: str = ""
    python: str = ""
    changes: Tuple[Change, ...] = ()
    aside: Tuple[str, ...] = ()
    unset: Tuple[str, ...] = ()
    unsure: str = ""
    outcome: str = "planned"
    detail: str = ""
    seconds: Seconds = 0.0


class Remedy(ShownAsText, Record):
    """What is wrong with an environment, and what makes it work.

    Attributes
    ----------
    python : str
        The interpreter whose environment it is about.
    goal : str
        What was asked for: ``"auto"``, or a goal of `resolve`.
    outcome : {"nothing-wrong", "planned", "fixed", "better", "restored", "no-plan", "undone"}
        See `OUTCOMES`.
    summary : str
        The outcome in a sentence or two.
    findings : tuple of Finding
        What is wrong before.
    attempts : tuple of Attempt
        In the order in which they are tried: the smallest change first.
    left : tuple of Fix
        What only the user or an administrator can do; of an environment that works, the first step against each warning.
    before, after : tuple of FrameworkVerification
        What each framework did before and after; empty where that was not tried.
    remaining : tuple of Finding
        What is wrong afterwards.
    changes : tuple of Change
        What is different from before.
    undo : str
        The command that undoes it, "" if there is nothing to undo.
    """

    schema: ClassVar[Optional[int]] = 1

    python: str
    goal: str
    outcome: str
    summary: str = ""
    findings: Tuple[Finding, ...] = ()
    attempts: Tuple[Attempt, ...] = ()
    left: Tuple[Fix, ...] = ()
    before: Tuple[FrameworkVerification, ...] = ()
    after: Tuple[FrameworkVerification, ...] = ()
    remaining: Tuple[Finding, ...] = ()
    changes: Tuple[Change, ...] = ()
    undo: str = ""


class NewEnvironment(Record):
    """An environment that was made.

    Attributes
    ----------
    folder : str
    python : str
        Its interpreter.
    version : str
        The version of Python, ``"3.10"``.
    requirements : tuple of str
        What was installed.
    works : bool
        Whether every framework in it works.
    frameworks : tuple of FrameworkVerification
        What each did.
    seconds : float
    """

    folder: str
    python: str
    version: str
    requirements: Tuple[str, ...]
    works: bool
    frameworks: Tuple[FrameworkVerification, ...]
    seconds: Seconds = 0.0
