"""Goals of `devicekit.resolve` for the platforms of plug-ins: one stack for each row that a plug-in adds to the matrix."""

from typing import Any, Callable, Mapping, Tuple

from packaging.requirements import InvalidRequirement, Requirement

from ..errors import unknown_name
from ..machine.detect import detect_now
from ..matrix.target import Target
from ..resolver.engine import Need
from ..resolver.goals import GOALS, Stack
from .calls import PluginError, call
from .loading import at_hand
from .matrix_rows import checked_rows, fits


def ways_to(goal: str) -> Callable[[str, str, Target], Tuple[Stack, ...]]:
    """Return what gives the ways to a platform of an installed plug-in, from the platform, a framework and a target.

    Raises
    ------
    ValueError
        If no plug-in has such a platform; the message lists what is accepted.
    PluginError
        If the plug-in's rows are invalid.
    """
    found = {item.name: item for item in at_hand(detect_now().platforms)}
    if goal not in found:
        raise ValueError(unknown_name("goal", goal, (*GOALS, *found)))
    rows, _ = call("the rows of the plug-in for %s" % goal, lambda: checked_rows(found[goal].rows()))
    for row in rows:
        for text in row["requirements"]:
            try:
                Requirement(text)
            except InvalidRequirement as error:
                problem = "%r, of the plug-in for %s, is not a requirement: %s"
                raise PluginError(problem % (text, goal, str(error).split("\n")[0])) from None

    def ways(platform: str, framework: str, target: Target) -> Tuple[Stack, ...]:
        own = "tensorflow" if framework == "keras" else framework
        first = (Need("keras"),) if framework == "keras" else ()
        stacks = tuple(
            Stack(platform, framework, first + tuple(Need(text, because=_because(row)) for text in row["requirements"]))
            for row in rows
            if row["framework"] == own and fits(row, target.python, target.system, target.architecture)
        )
        refusal = "the plug-in for %s knows of nothing for %s on %s" % (platform, framework, target.label)
        return stacks or (Stack(platform, framework, refusal=refusal),)

    return ways


def _because(row: Mapping[str, Any]) -> str:
    return "%s, %s" % (row["source"], row["date"])
