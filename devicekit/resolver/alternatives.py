"""What can be resolved instead of what cannot, the nearest first. Pure."""

from typing import Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..matrix.matrix import TENSORFLOW_OWNERS
from ..matrix.target import PYTHONS, Target
from .engine import Need
from .result import Alternative, Resolution

#: Enough to choose from.
_MOST = 5

#: The projects whose versions tell the most, besides TensorFlow's own.
_TELLING = ("jax", "torch", "tensorflow-directml-plugin", "tensorflow-metal", "torch-directml")

_TITLES = {"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"}


class Question(NamedTuple):
    """What is asked of the resolver."""

    goal: str
    frameworks: Tuple[str, ...]
    target: Target
    keep: Tuple[Need, ...] = ()


#: What is different, the question, and the arguments of ``devicekit resolve`` that say for which Python and platform.
_Variation = Tuple[str, Question, Sequence[str]]


def alternatives_for(question: Question, search: Callable[[Question], Optional[Resolution]]) -> Tuple[Alternative, ...]:
    """Return what can be had instead, the nearest first: one thing is given up at a time."""
    found: List[Alternative] = []
    for variations, one_is_enough in (
        (_in_64_bits, True),
        (_other_pythons, True),
        (_keeping_less, True),
        (_other_frameworks, False),
        (_in_wsl, True),
        (_fewer_frameworks, False),
        (_on_cpu, True),
    ):
        for text, variation, where in variations(question):
            answer = search(variation) if len(found) < _MOST else None
            if answer is None:
                continue
            main = [pin.requirement for pin in answer.pins if pin.name in _TELLING or pin.name in TENSORFLOW_OWNERS]
            found.append(Alternative("%s: %s" % (text, " with ".join(main)), _arguments(variation, where)))
            if one_is_enough:
                break
    return tuple(found)


def _arguments(question: Question, where: Sequence[str]) -> Tuple[str, ...]:
    more = [part for name in question.frameworks[1:] for part in ("--with", name)]
    kept = [part for need in question.keep for part in ("--keep", need.text)]
    return (question.goal, "--framework", question.frameworks[0], *more, *kept, *where)


def _platform(target: Target) -> List[str]:
    return [] if target.described else ["--platform", target.platform]


def _here(target: Target) -> List[str]:
    return [*_platform(target), "--python", target.python]


def _in_64_bits(question: Question) -> Iterator[_Variation]:
    target = question.target
    if target.bits == 32:
        variation = question._replace(target=target.replace(bits=64))
        yield "a 64-bit Python %s" % target.python, variation, ["--python", target.python]


def _other_pythons(question: Question) -> Iterator[_Variation]:
    target = question.target

    def distance(python: str) -> Tuple[int, int]:
        return abs(_minor(python) - _minor(target.python)), -_minor(python)

    for python in sorted(PYTHONS, key=distance):
        if python != target.python:
            other = target.replace(python=python, bits=64)
            yield "Python %s" % python, question._replace(target=other), [*_platform(target), "--python", python]


def _keeping_less(question: Question) -> Iterator[_Variation]:
    if question.keep:
        text = "without keeping %s" % ", ".join(need.text for need in question.keep)
        yield text, question._replace(keep=()), _here(question.target)


def _other_frameworks(question: Question) -> Iterator[_Variation]:
    for name, title in _TITLES.items():
        if name not in question.frameworks and len(question.frameworks) == 1:
            yield title, question._replace(frameworks=(name,), keep=()), _here(question.target)


def _in_wsl(question: Question) -> Iterator[_Variation]:
    target = question.target
    if target.system != "windows" or question.goal in ("cpu", "metal"):
        return
    wsl = target.replace(system="linux", libc=None, wsl=2, bits=64)
    inside = ["--platform", "linux-x86_64", "--python", target.python]
    yield "in WSL 2", question._replace(target=wsl), inside
    if not target.vendors or "nvidia" in target.vendors:
        for names in dict.fromkeys((question.frameworks, ("jax",))):
            yield "in WSL 2, if the GPU is NVIDIA's", Question("cuda", names, wsl), inside


def _fewer_frameworks(question: Question) -> Iterator[_Variation]:
    if len(question.frameworks) > 1:
        for name in question.frameworks:
            rest = tuple(item for item in question.frameworks if item != name)
            text = "without %s (give it its own environment)" % name
            yield text, question._replace(frameworks=rest), _here(question.target)


def _on_cpu(question: Question) -> Iterator[_Variation]:
    if question.goal != "cpu":
        yield "the CPU", question._replace(goal="cpu"), _here(question.target)


def _minor(python: str) -> int:
    return int(python.split(".")[1])
