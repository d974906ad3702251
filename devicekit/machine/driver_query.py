"""Questions to a driver, asked in a child process: a driver's library can hang, print or kill.

The child runs while the rest of the machine is read; the caller that needs the answer waits for it, until the deadline
that all questions of one look at the machine share.
"""

import sys
import time
from typing import Any, Mapping, Optional

# Names that type checkers know: only a machine with a driver to ask pays for what starts processes.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..children.call import Child


class Question:
    """What was asked of a driver's library."""

    def answer(self) -> Mapping[str, Any]:
        """Wait for the answer; an OSError's text says why there is none."""
        raise NotImplementedError


class LiveQuestion(Question):
    """A child that asks a driver, started at once.

    Parameters
    ----------
    script : str
        The absolute path of a script with a function ``main``; see `devicekit.children.child`.
    task : mapping
        What ``main`` gets.
    deadline : float
        On the clock of `time.monotonic`.
    limit_s : float
        The seconds that the deadline stands for, for messages.
    """

    def __init__(self, script: str, task: Mapping[str, Any], deadline: float, limit_s: float) -> None:
        self._deadline = deadline
        self._limit_s = limit_s
        self._child: "Optional[Child]" = None
        self._problem = "this program has no interpreter to ask with"
        if sys.executable and not getattr(sys, "frozen", False):
            from ..children.call import Child, Command

            # Isolated: neither the working folder nor the user's variables and packages have a say in the child.
            options, left_s = ("-I", "-S"), max(0.0, deadline - time.monotonic())
            self._child = Child(Command.of(script, dict(task), limit_s=left_s, options=options, quick=True))

    def answer(self) -> Mapping[str, Any]:
        """Wait for the answer.

        Raises
        ------
        OSError
            If there is none: the driver gave no answer in time, the child died, or it says what failed.
        ChildProcessError
            If the child could not be started: then nothing is known of the driver.
        """
        child, self._child = self._child, None
        if child is None:
            raise ChildProcessError(self._problem)
        self._problem = child.problem or "the question was asked once already"
        if child.problem:
            raise ChildProcessError(child.problem)
        report = child.wait(max(0.05, self._deadline - time.monotonic()))
        if isinstance(report.result, dict):
            return report.result
        if report.outcome == "raised":
            raise OSError("%s: %s" % (report.error, report.detail[:400]))
        if "no answer within" in report.detail:
            raise OSError("no answer within %g s" % self._limit_s)
        raise OSError("the driver's library gave no answer (%s)" % report.detail)
