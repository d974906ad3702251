"""`resolve`: the newest set of releases that works together for a goal on a machine, or what prevents it."""

import re
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from ..errors import did_you_mean, listed, unknown_name
from ..machine.facts import Machine, check_machine
from ..matrix.gpu_names import GpuModel, gpu_named
from ..matrix.matrix import BUNDLED, TENSORFLOW_OWNERS, Matrix, minor_of
from ..matrix.target import PLATFORMS, PYTHONS, Target, target_for, target_of
from ..records import seam
from .alternatives import Question, alternatives_for, better_than_directml
from .engine import Conflict, Need, solve
from .goals import FRAMEWORKS, GOALS, platforms_for
from .result import DataSource, Pin, Resolution
from .sets import DECIDING, Further, best_releases, best_set


def repair(
    matrix: Matrix,
    target: Target,
    installed: Mapping[str, str],
    roots: Sequence[str],
    goal: str = "",
    missing: Sequence[str] = (),
) -> Optional[Tuple[str, ...]]:
    """Return what to install so that an environment works, as little as possible.

    Parameters
    ----------
    matrix : Matrix
    target : Target
    installed : mapping of str to str
        What is there. A version that fits is not changed.
    roots : sequence of str
        Requirements that have to be true: the framework as it is, its plug-in. One with extras is installed in any case.
    goal : str, optional
        The platform that has to be reached.
    missing : sequence of str
        Names of what is not there and has to be; what else is not there was no problem so far.

    Returns
    -------
    tuple of str or None
        Exact requirements; None if no such set is known.
    """
    try:
        solution = solve(matrix, target, [Need(text) for text in roots], installed=installed, goal=goal)
    except Conflict:
        return None
    extras: Dict[str, List[str]] = {}
    for text in roots:
        requirement = Requirement(text)
        extras.setdefault(canonicalize_name(requirement.name), []).extend(sorted(requirement.extras))
    changed = []
    for name, version in solution.versions.items():
        wanted = name in installed or name in missing or name in extras
        if wanted and (installed.get(name) != version or extras.get(name)):
            named = "[%s]" % ",".join(extras[name]) if extras.get(name) else ""
            changed.append("%s%s==%s" % (name, named, version))
    return tuple(changed)


def set_for(
    matrix: Matrix, target: Target, goal: str, frameworks: Tuple[str, ...], keeps: Sequence[str]
) -> Optional[Tuple[Tuple[str, ...], str]]:
    """Return what to install for frameworks on a goal, and from which index ("": the configured one).

    ``keeps``: what is to be kept, tried one after the other. None if that is impossible, or takes several indexes.
    """
    for keep in (*keeps, ""):
        bounds = (Need(keep, because="it is to be kept"),) if keep else ()
        answer = best_set(goal, frameworks, target, bounds, matrix)[0]
        if answer is not None and len(answer.indexes) < 2:
            return answer.requirements, "".join(answer.indexes)
    return None


def resolve(
    goal: str = "gpu",
    *,
    framework: str = "tensorflow",
    machine: Optional[Machine] = None,
    python: Optional[str] = None,
    platform: Optional[str] = None,
    gpu: Optional[str] = None,
    driver: Optional[str] = None,
    keep: Sequence[str] = (),
    also: Sequence[str] = (),
    online: bool = False,
    allow_unknown: bool = False,
) -> Resolution:
    """Return the newest releases that work together for a goal.

    Parameters
    ----------
    goal : {"gpu", "cpu", "cuda", "directml", "rocm", "metal", "xpu", "fastest"}
        What the frameworks shall run on. ``gpu``: whatever drives the GPU that is there. The platform of an installed plug-in
        is accepted, too.
    framework : {"tensorflow", "keras", "jax", "torch"}
        ``keras`` alone is Keras on TensorFlow, unless ``KERAS_BACKEND`` or ``keras.json`` of the machine name another
        backend. With ``also=("jax",)`` or ``("torch",)`` it is Keras on that one, and TensorFlow is not installed.
    machine : Machine, optional
        The machine to resolve for. Default: this one.
    python : str, optional
        Another Python version, as ``"3.10"``.
    platform : str, optional
        Another platform, as ``"windows-amd64"``. Its hardware is not known then: what it needs is said.
    gpu : str, optional
        Another GPU: its maker (``"nvidia"``, ``"amd"``, ``"intel"``, ``"apple"``), the name of a product (``"RTX 4090"``,
        ``"RX 7900 XTX"``, ``"Arc B580"``, ``"Jetson Orin Nano"``), a compute capability (``"6.1"``), or AMD's target
        (``"gfx1100"``). Its driver is not known then.
    driver : str, optional
        Another NVIDIA driver: its version (``"535.104.05"``) or branch (``"535"``).
    keep : sequence of str
        Requirements that must stay true, as ``"tensorflow==2.10.*"``.
    also : sequence of str
        More frameworks that have to work in the same environment.
    online : bool
        Whether to ask the package index that pip or uv is configured for, for at most three seconds, for releases that are
        newer than the bundled data. By default, and if ``DEVICEKIT_OFFLINE`` is set, the network is not used.
    allow_unknown : bool
        Whether ``keep`` may name projects of which the data hold nothing. They are passed on as they are.

    Returns
    -------
    Resolution
        With ``pins``, or with ``obstacles`` and ``alternatives``; its ``source`` says how old the data are.

    Raises
    ------
    ValueError
        If an argument is none of the accepted ones.
    """
    for name, value in (("goal", goal), ("python", python), ("platform", platform), ("gpu", gpu), ("driver", driver)):
        if value is not None and not isinstance(value, str):
            raise ValueError("%s must be a string, in quotes, not %r" % (name, value))
    further = None
    if goal not in GOALS:
        further = seam("plug-in goals")(goal)
    # Which projects a question is about has to be known to ask the index for them.
    matrix = Matrix() if online else BUNDLED
    frameworks, kept = _frameworks(framework, also), _parsed(keep, allow_unknown, matrix)
    check_machine(machine)
    if machine is None and (python is None or platform is None):
        from ..machine.detect import detect

        machine = detect()
    if frameworks == ("keras",) and machine is not None and platform is None:
        frameworks += _backend_of(machine)
    question = Question(goal, frameworks, kept, python, platform, gpu, driver, allow_unknown)
    answer = _answer(question, machine, matrix, further)
    source = DataSource(matrix.date)
    if online:
        named = {canonicalize_name(Requirement(need.text).name) for need in kept}
        names = [name for name in matrix.consulted if name in (*DECIDING, *TENSORFLOW_OWNERS, *named)]
        matrix, source = seam("newer releases")(matrix, names, _named_and_unread(kept, matrix))
        if source.newer or source.withdrawn:
            answer = _answer(question, machine, matrix, further)
    return answer.replace(source=source)


def _named_and_unread(keep: Sequence[Need], matrix: Matrix) -> Dict[str, str]:
    """Return, by project, what is kept exactly and has no row."""
    found: Dict[str, str] = {}
    for need in keep:
        requirement = Requirement(need.text)
        project = matrix.project(canonicalize_name(requirement.name))
        exact = [item.version for item in requirement.specifier if item.operator == "=="]
        if project is not None and len(exact) == 1 and exact[0] not in project.versions:
            found[project.name] = exact[0]
    return found


def _answer(question: Question, machine: Optional[Machine], matrix: Matrix, further: Optional[Further]) -> Resolution:
    target = _target_of(question, machine, matrix)
    found, obstacles = best_set(question.goal, question.frameworks, target, question.keep, matrix, further)

    def search(variation: Question) -> Optional[Tuple[Pin, ...]]:
        ways = None if variation.goal in GOALS else further
        about = _target_of(variation, machine, matrix)
        return best_releases(variation.goal, variation.frameworks, about, variation.keep, matrix, ways)

    better = better_than_directml(question, target, search) if found is None or found.goal == "directml" else ()
    if found is not None:
        # A newer driver is less than another way to compute.
        away = target.driver and found.goal != "cuda" and question.goal != found.goal
        loaded = (
            [text for text in obstacles() if "or later is needed" in text and " is loaded; " in text] if away else []
        )
        notes = found.notes + tuple("with a newer driver CUDA may do: %s" % text for text in loaded[:1])
        return found.replace(alternatives=better, notes=notes)
    sets = {item.text.rpartition(": ")[2] for item in better if item.arguments}
    others = alternatives_for(question, target, search)
    instead = better + tuple(item for item in others if item.text.rpartition(": ")[2] not in sets)
    platforms = platforms_for(question.goal, target)
    return Resolution(
        question.goal, platforms[0], question.frameworks, target, obstacles=obstacles(), alternatives=instead
    )


def _target_of(question: Question, machine: Optional[Machine], matrix: Matrix) -> Target:
    target = _target(machine, matrix, question.python, question.platform)
    if question.gpu is not None:
        target = _with_gpu(target, gpu_named(question.gpu, matrix), question.platform)
    return target if question.driver is None else _with_driver(target, question.driver)


def _with_gpu(target: Target, gpu: GpuModel, platform: Optional[str]) -> Target:
    if gpu.platform and platform not in (None, gpu.platform):
        raise ValueError("%s is part of %s systems only, not of %s" % (gpu.name, gpu.platform, platform))
    if gpu.platform and target.platform != gpu.platform:
        target = target_for(gpu.platform, target.python)
    # Another GPU comes with another driver, of which nothing is known.
    return target.replace(
        vendors=(gpu.vendor,),
        capabilities=(gpu.target,) if gpu.vendor == "nvidia" else (),
        targets=(gpu.target,) if gpu.vendor != "nvidia" and gpu.target else (),
        jetson=gpu.jetson,
        driver=None,
        described=False,
    )


def _with_driver(target: Target, driver: str) -> Target:
    match = re.match(r"[Rr]?(\d{3}(\.\d{1,3}){0,2})\Z", driver.strip())
    if match is None:
        raise ValueError(
            "unknown driver version %r; accepted is the version of an NVIDIA driver, as 535.104.05 or 535" % driver
        )
    if target.vendors and "nvidia" not in target.vendors:
        raise ValueError("a driver version is about an NVIDIA GPU; the GPU is from %s" % " and ".join(target.vendors))
    return target.replace(driver=match.group(1))


def _frameworks(framework: str, also: Sequence[str]) -> Tuple[str, ...]:
    names = [framework, *listed(also, "also", "frameworks")]
    for name in names:
        if name not in FRAMEWORKS:
            raise ValueError(unknown_name("framework", name, FRAMEWORKS))
    return tuple(dict.fromkeys(names))


def _backend_of(machine: Machine) -> Tuple[str, ...]:
    """Return the backend that the user's settings of Keras name, if `resolve` can install it."""
    config = machine.python.keras_config.or_none()
    named = machine.process.env("KERAS_BACKEND") or (config.backend if config is not None else None)
    return (named,) if named in ("jax", "torch") else ()


def _parsed(keep: Sequence[str], allow_unknown: bool, matrix: Matrix) -> Tuple[Need, ...]:
    keep = listed(keep, "keep", "requirements")
    for text in keep:
        try:
            requirement = Requirement(text)
        except (InvalidRequirement, TypeError) as error:
            raise ValueError(
                "cannot keep %r: not a valid requirement (%s)" % (text, str(error).split("\n")[0])
            ) from None
        if requirement.url is not None:
            raise ValueError("cannot keep %r: an address says nothing of a release" % text)
        name = canonicalize_name(requirement.name)
        if not allow_unknown and matrix.project(name) is None and not matrix.is_measured(name):
            near = did_you_mean(requirement.name, matrix.projects())
            raise ValueError(
                "cannot keep %r: the data hold nothing of %s%s (--allow-unknown, in Python allow_unknown=True, "
                "passes it on unchecked)" % (text, requirement.name, near)
            )
    return tuple(Need(text, because="it is to be kept") for text in keep)


def _target(machine: Optional[Machine], matrix: Matrix, python: Optional[str], platform: Optional[str]) -> Target:
    if python is not None and not re.match(r"3\.\d+(\.\d+)?$", python):
        raise ValueError("unknown Python version %r; accepted are %s" % (python[:60], ", ".join(reversed(PYTHONS))))
    if platform is not None and platform not in PLATFORMS:
        raise ValueError(unknown_name("platform", platform, PLATFORMS))
    here = target_of(machine, matrix) if machine is not None else None
    if here is None or (platform is not None and platform != here.platform):
        version = python or (here.python if here is not None else PYTHONS[0])
        return target_for(platform or "", version)
    return here.replace(python=minor_of(python), bits=64) if python is not None else here
