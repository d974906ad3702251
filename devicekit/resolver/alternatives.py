"""What can be resolved instead of what cannot, the nearest first. Pure.

A variation is a question of its own, answered in the same way as the first one: a printed command gives what it announces.
"""

from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ..matrix.matrix import BUNDLED, TENSORFLOW_OWNERS
from ..matrix.target import PYTHONS, Target
from ..matrix.windows_gpu import ways_on_windows
from .engine import Need
from .goals import platforms_for
from .result import Alternative, Pin

#: Enough to choose from.
_MOST = 5

#: The projects whose versions tell the most, besides TensorFlow's own.
_TELLING = ("jax", "torch", "tensorflow-directml-plugin", "tensorflow-metal", "torch-directml")

_TITLES = {"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"}

#: What drives the GPUs of a maker, DirectML aside.
_DRIVES = {"amd": "rocm", "intel": "xpu"}

#: The distributions that are a framework.
_OWN: Dict[str, Tuple[str, ...]] = {
    "tensorflow": TENSORFLOW_OWNERS,
    "keras": ("keras",),
    "jax": ("jax", "jaxlib"),
    "torch": ("torch",),
}


class Question(NamedTuple):
    """What is asked of the resolver: the arguments of `resolve`. None: what the examined machine has."""

    goal: str
    frameworks: Tuple[str, ...]
    keep: Tuple[Need, ...] = ()
    python: Optional[str] = None
    platform: Optional[str] = None
    gpu: Optional[str] = None
    driver: Optional[str] = None
    allow_unknown: bool = False

    @property
    def arguments(self) -> Tuple[str, ...]:
        """As ``devicekit resolve`` takes them."""
        options = [("--framework", self.frameworks[0]), *(("--with", name) for name in self.frameworks[1:])]
        options += [("--keep", need.text) for need in self.keep]
        options += [("--platform", self.platform or ""), ("--python", self.python or ""), ("--gpu", self.gpu or "")]
        options += [("--driver", self.driver or "")]
        unknown = ("--allow-unknown",) if self.allow_unknown and self.keep else ()
        return (self.goal, *(part for option in options if option[1] for part in option), *unknown)


#: What is different, and the question.
_Variation = Tuple[str, Question]


def alternatives_for(
    question: Question, target: Target, search: Callable[[Question], Optional[Tuple[Pin, ...]]]
) -> Tuple[Alternative, ...]:
    """Return what can be had instead, the nearest first: one thing is given up at a time.

    ``target`` is what the question is about; ``search`` returns the pins with which `resolve` answers a question.
    """
    found: List[Alternative] = []
    for variations, one_is_enough in (
        (_in_64_bits, True),
        (_other_pythons, True),
        (_keeping_less, True),
        (_other_frameworks, False),
        (_in_wsl, True),
        (_fewer_frameworks, False),
        (_on_cpu, True),
        (_on_cpu_at_least, True),
    ):
        if variations is _on_cpu_at_least and found:
            break
        for text, variation in variations(question, target):
            answer = search(variation) if len(found) < _MOST else None
            if answer is None:
                continue
            found.append(Alternative("%s: %s" % (text, announced(answer)), variation.arguments))
            if one_is_enough:
                break
    return tuple(found)


def better_than_directml(
    question: Question, target: Target, search: Callable[[Question], Optional[Tuple[Pin, ...]]]
) -> Tuple[Alternative, ...]:
    """Return what uses a GPU of AMD or Intel on Windows better than DirectML does, the best first.

    What ``search`` finds has a command; what the maker of the GPU alone builds has an address.
    """
    if question.goal not in ("gpu", "fastest") or target.system != "windows":
        return ()
    framework = question.frameworks[0]
    gpus = [(vendor, gpu) for vendor in target.vendors for gpu in target.targets_for(_DRIVES.get(vendor, "")) or ("",)]
    found: List[Alternative] = []
    for way in (way for vendor, gpu in gpus for way in ways_on_windows(vendor, gpu, framework, BUNDLED)):
        if not way.arguments:
            found.append(Alternative("%s: %s (as of %s)" % (way.text, way.url, way.date)))
        elif way.goal != "directml":
            goal, *options = way.arguments
            frameworks = tuple(options[1::2])
            _, variation = _without_framework("", question._replace(goal=goal), framework, frameworks)
            answer = search(variation)
            if answer is not None:
                found.append(Alternative("%s: %s" % (way.text, announced(answer)), variation.arguments))
    return tuple(dict.fromkeys(found))


def announced(pins: Sequence[Pin]) -> str:
    """Return the releases by which a set is announced."""
    return " with ".join(pin.requirement for pin in pins if pin.name in _TELLING or pin.name in TENSORFLOW_OWNERS)


def _in_64_bits(question: Question, target: Target) -> Iterator[_Variation]:
    if target.bits == 32:
        yield "a 64-bit Python %s" % target.python, question._replace(python=target.python)


def _other_pythons(question: Question, target: Target) -> Iterator[_Variation]:
    def distance(python: str) -> Tuple[int, int]:
        return abs(_minor(python) - _minor(target.python)), -_minor(python)

    for python in sorted(PYTHONS, key=distance):
        if python != target.python:
            yield "Python %s" % python, question._replace(python=python)


def _keeping_less(question: Question, target: Target) -> Iterator[_Variation]:
    if len(question.keep) > 1:
        for need in question.keep:
            rest = tuple(other for other in question.keep if other is not need)
            yield "without keeping %s" % need.text, question._replace(keep=rest)
    if question.keep:
        yield "without keeping %s" % _texts(question.keep), question._replace(keep=())


def _other_frameworks(question: Question, target: Target) -> Iterator[_Variation]:
    first, rest = question.frameworks[0], question.frameworks[1:]
    if first == "keras" and len(rest) < 2:
        for name, title in _TITLES.items():
            if name != (rest or ("tensorflow",))[0]:
                text = "Keras on %s" % title
                yield _without_framework(text, question, (rest or ("tensorflow",))[0], ("keras", name))
    elif not rest:
        for name, title in _TITLES.items():
            # Those who have models for TensorFlow have them in Keras, mostly: it runs on the others.
            if name != first and first == "tensorflow":
                yield _without_framework("Keras on %s" % title, question, first, ("keras", name))
            elif name != first:
                yield _without_framework(title, question, first, (name,))


def _in_wsl(question: Question, target: Target) -> Iterator[_Variation]:
    if target.system != "windows" or question.goal in ("cpu", "metal"):
        return
    # A 32-bit Python names another architecture than the one of the 64-bit system that WSL needs.
    architecture = "aarch64" if target.architecture == "aarch64" else "x86_64"
    inside = question._replace(platform="linux-%s" % architecture, python=target.python)
    nvidia = "nvidia" in target.vendors
    if nvidia and inside.gpu is None:
        inside = inside._replace(gpu=max(filter(None, target.capabilities), default="nvidia", key=_capability))
    wsl = target.replace(system="linux", libc=None, wsl=2, bits=64)
    yield "in WSL 2", inside._replace(goal=platforms_for(question.goal, wsl)[0])
    if nvidia or not target.vendors:
        text = "in WSL 2" if nvidia else "in WSL 2, if the GPU is NVIDIA's"
        yield text, inside._replace(goal="cuda")
        if len(question.frameworks) == 1 and question.frameworks[0] not in ("jax", "keras"):
            jax_text, with_jax = _without_framework("JAX", inside, question.frameworks[0], ("jax",))
            yield "%s: %s" % (text, jax_text), with_jax._replace(goal="cuda")


def _fewer_frameworks(question: Question, target: Target) -> Iterator[_Variation]:
    if len(question.frameworks) > 1 and not (question.frameworks[0] == "keras" and len(question.frameworks) == 2):
        for name in question.frameworks:
            rest = tuple(other for other in question.frameworks if other != name)
            yield _without_framework("without %s (give it its own environment)" % name, question, name, rest)


def _on_cpu(question: Question, target: Target) -> Iterator[_Variation]:
    if question.goal != "cpu":
        yield "the CPU", question._replace(goal="cpu")


def _on_cpu_at_least(question: Question, target: Target) -> Iterator[_Variation]:
    """Yield what nearly always works, for those who would else be left with nothing."""
    on_cpu = question._replace(goal="cpu")
    for text, variation in (*_other_pythons(on_cpu, target), *_keeping_less(on_cpu, target)):
        yield "the CPU, %s" % text, variation


def _without_framework(text: str, question: Question, name: str, rest: Sequence[str]) -> _Variation:
    """Ask for other frameworks: what keeps a release of the one that is given up would bring it back."""
    keep = tuple(
        need for need in question.keep if canonicalize_name(Requirement(need.text).name) not in _OWN.get(name, ())
    )
    dropped = [need for need in question.keep if need not in keep]
    if dropped:
        text = "%s, without keeping %s" % (text, _texts(dropped))
    return text, question._replace(frameworks=tuple(rest), keep=keep)


def _texts(needs: Sequence[Need]) -> str:
    return ", ".join(need.text for need in needs)


def _capability(text: str) -> Tuple[int, ...]:
    return tuple(int(number) for number in text.split("."))


def _minor(python: str) -> int:
    return int(python.split(".")[1])
