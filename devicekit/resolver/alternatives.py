"""What is possible near to what is not. Pure."""

from dataclasses import replace
from typing import Callable, List, Optional, Tuple

from ..matrix.matrix import TENSORFLOW_OWNERS
from ..matrix.target import PYTHONS, Target
from .engine import Need
from .result import Alternative, Resolution

__all__ = ["alternatives_for"]

#: Searches once more, with (goal, frameworks, target, keep).
Search = Callable[[str, Tuple[str, ...], Target, Tuple[Need, ...]], Optional[Resolution]]

#: Enough to choose from.
_MOST = 5

#: The projects whose versions tell the most, beside TensorFlow's own.
_TELLING = ("jax", "torch", "tensorflow-directml-plugin", "tensorflow-metal", "torch-directml")


def alternatives_for(
    goal: str, frameworks: Tuple[str, ...], target: Target, keep: Tuple[Need, ...], search: Search
) -> Tuple[Alternative, ...]:
    """Return what can be had instead, the nearest first: one thing is given up at a time."""
    found: List[Alternative] = []

    def offer(text: str, arguments: List[str], answer: Optional[Resolution]) -> bool:
        if answer is None or len(found) >= _MOST:
            return False
        main = [pin.requirement for pin in answer.pins if pin.name in _TELLING or pin.name in TENSORFLOW_OWNERS]
        found.append(Alternative("%s: %s" % (text, " with ".join(main)), tuple(arguments)))
        return True

    base = [goal, "--framework", frameworks[0]] + [item for name in frameworks[1:] for item in ("--with", name)]
    kept = [item for need in keep for item in ("--keep", need.text)]
    where = [] if target.described else ["--platform", target.platform]
    here = ["--python", target.python]
    if target.bits == 32:
        answer = search(goal, frameworks, replace(target, bits=64), keep)
        offer("a 64-bit Python %s" % target.python, base + kept + here, answer)
    for python in sorted(PYTHONS, key=lambda item: (abs(_minor(item) - _minor(target.python)), -_minor(item))):
        if python == target.python:
            continue
        answer = search(goal, frameworks, replace(target, python=python, bits=64), keep)
        if offer("Python %s" % python, base + kept + where + ["--python", python], answer):
            break
    if keep:
        answer = search(goal, frameworks, target, ())
        offer("without keeping %s" % ", ".join(need.text for need in keep), base + where + here, answer)
    for name in ("tensorflow", "jax", "torch"):
        if name not in frameworks and len(frameworks) == 1:
            answer = search(goal, (name,), target, ())
            offer(
                {"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"}[name],
                [goal, "--framework", name] + where + here,
                answer,
            )
    if target.system == "windows" and goal not in ("cpu", "metal"):
        wsl = replace(target, system="linux", libc=None, wsl=2, bits=64)
        inside = ["--platform", "linux-x86_64", *here]
        there = offer("in WSL 2", base + kept + inside, search(goal, frameworks, wsl, keep))
        if not there and (not target.vendors or "nvidia" in target.vendors):
            for names in dict.fromkeys((frameworks, ("jax",))):
                more = [item for name in names[1:] for item in ("--with", name)]
                arguments = ["cuda", "--framework", names[0], *more, *inside]
                if offer("in WSL 2, where the GPU is NVIDIA's", arguments, search("cuda", names, wsl, ())):
                    break
    if len(frameworks) > 1:
        for name in frameworks:
            rest = tuple(item for item in frameworks if item != name)
            answer = search(goal, rest, target, keep)
            others = [item for other in rest[1:] for item in ("--with", other)]
            arguments = [goal, "--framework", rest[0]] + others + kept + where + here
            offer("without %s (give it an environment of its own)" % name, arguments, answer)
    if goal != "cpu":
        answer = search("cpu", frameworks, target, keep)
        offer("the CPU", ["cpu"] + base[1:] + kept + where + here, answer)
    return tuple(found)


def _minor(python: str) -> int:
    return int(python.split(".")[1])
