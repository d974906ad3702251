"""Fixes that install something: sets of releases that work as a whole, from the same engine as `devicekit resolve`.

The engine is imported and asked when a fix is accessed, not when a rule fires.
"""

from typing import Dict, List, Optional, Sequence, Tuple

from ..errors import log
from ..machine.facts import Machine
from ..matrix.matrix import normal_name
from ..matrix.target import PYTHONS
from .findings import Fix, LazyFixes
from .frameworks import TITLES
from .view import View

#: What stays in an environment when it is repaired, whatever version it then has.
_STAYS = ("keras", "tf-keras")

#: Plug-ins of TensorFlow: what stays as it is.
PLUGINS = ("tensorflow-directml-plugin", "tensorflow-metal", "intel-extension-for-tensorflow")


def installed_versions(machine: Machine) -> Dict[str, str]:
    """Return the versions that the import of what is installed takes, by name."""
    found: Dict[str, str] = {}
    for item in machine.python.distributions.or_none() or ():
        version = item.version.or_none()
        if version:
            found.setdefault(item.name, version)  # the import takes the first one on the path
    return found


def add(view: View, text: str, name: str) -> Sequence[Fix]:
    """Return the fix that adds a distribution to the installed TensorFlow, which changes only where it must."""

    def make() -> Tuple[Fix, ...]:
        owner = [view.tensorflow.name] if view.tensorflow is not None else []
        found = _beside(view, name) or _repair(view, installed_versions(view.machine), [name, *owner])
        return (view.shell.install_fix(text, *(found or (name,))),)

    return LazyFixes(make)


def add_framework(view: View, name: str) -> Optional[Fix]:
    """Return the step that adds a framework to what is installed, all of which stays; None where no such set is known."""
    names, index_url = _requirements(view, "fastest", frameworks=(name,)) or (None, "")
    if names is not None and not index_url:
        names = _beside(view, names[0].partition("==")[0])  # with its extra for the GPU
    return view.shell.install_fix("Install %s" % TITLES[name], *names, index_url=index_url) if names else None


def _beside(view: View, name: str) -> Optional[Tuple[str, ...]]:
    """Return what to install so that a distribution comes to what stays as it is; None where no such set is known."""
    installed = installed_versions(view.machine)
    stays = view.tensorflow.name if view.tensorflow is not None else "numpy"
    kept = ["%s==%s" % (stays, installed[stays])] if stays in installed else []
    return _repair(view, installed, [*kept, name])


def repair_install(
    view: View, text: str, *otherwise: str, extra: str = "", remove: Sequence[str] = ()
) -> Sequence[Fix]:
    """Return the fix that makes the installed TensorFlow work, changing as little as possible.

    Parameters
    ----------
    view : View
    text : str
        What to do, in words.
    *otherwise : str
        What the rule would have installed: for that that the data do not cover, and where no set is known.
    extra : str
        An extra of TensorFlow that has to be there (``"and-cuda"``).
    remove : sequence of str
        The distributions of TensorFlow to uninstall before.
    """

    def make() -> Tuple[Fix, ...]:
        installed = installed_versions(view.machine)
        owner = view.tensorflow
        roots = []
        if owner is not None and owner.name in installed:
            roots = ["%s%s==%s" % (owner.name, "[%s]" % extra if extra else "", installed[owner.name])]
            roots += ["%s==%s" % (name, installed[name]) for name in PLUGINS if name in installed]
            roots += [name for name in _STAYS if name in installed]
            roots += _old_cards(view) if extra else []
        if remove:
            installed = {name: version for name, version in installed.items() if name not in view.tensorflow_names}
        names = [normal_name(item) for item in otherwise]
        known = [name for name in names if view.matrix.project(name) is not None]
        found = _repair(view, installed, roots, known) if roots else None
        if found is not None and known and not {normal_name(item) for item in found} & set(known):
            # The data see nothing wrong with what the rule is about: its own bounds have to hold as well.
            bounds = [item for item, name in zip(otherwise, names) if name in known]
            found = _repair(view, installed, roots + bounds, known)
            if found is not None and not {normal_name(item) for item in found} & set(known):
                found += tuple(bounds)
        if found is not None:
            found += tuple(item for item, name in zip(otherwise, names) if name not in known)
        # An empty answer means that the data see nothing wrong, though a rule does: then the rule's own bounds hold.
        return (view.shell.replace_fix(text, remove, *(found or otherwise)),)

    return LazyFixes(make)


def share_libraries(view: View, frameworks: Sequence[str], stale: Sequence[str] = ()) -> Sequence[Fix]:
    """Return the fix that installs releases of the frameworks that share one set of CUDA's libraries.

    ``stale``: the distributions that have to go first.
    """

    def make() -> Tuple[Fix, ...]:
        found = _requirements(view, "cuda", frameworks=tuple(frameworks))
        if found is None:
            text = "Give each framework its own environment: no releases of them share the libraries here"
            return (Fix(text, changes="packages"),)
        text = "Install releases of %s that share the libraries" % " and ".join(TITLES[name] for name in frameworks)
        return (
            view.shell.replace_fix(text, stale, *found[0], index_url=found[1]),
            Fix("Give each framework its own environment", changes="packages", instead=True),
        )

    return LazyFixes(make)


def _requirements(
    view: View, goal: str, *keeps: str, python: str = "", frameworks: Tuple[str, ...] = ("tensorflow",)
) -> Optional[Tuple[Tuple[str, ...], str]]:
    target = view.target.replace(python=python, bits=64) if python else view.target
    try:
        from ..resolver.resolve import set_for

        return set_for(view.matrix, target, goal, frameworks, keeps)
    except Exception:  # a report with the rule's own bounds is better than none: the engine must not take it down
        log("debug", "no set for %s could be worked out", goal, exc_info=True)
        return None


def _repair(
    view: View, installed: Dict[str, str], roots: Sequence[str], missing: Sequence[str] = ()
) -> Optional[Tuple[str, ...]]:
    try:
        from ..resolver.resolve import repair

        return repair(view.matrix, view.target, installed, roots, missing=missing)
    except Exception:  # as above
        log("debug", "no repair of %s could be worked out", roots, exc_info=True)
        return None


def _old_cards(view: View) -> List[str]:
    try:
        from ..resolver.goals import old_cards
    except ImportError:  # without resolvelib there is no engine, see above
        return []
    row = view.tensorflow_row
    name = "nvidia-cudnn-cu%s" % (row.linux_cuda.partition(".")[0] if row is not None else "12")
    return [need.text for need in old_cards(view.target, view.matrix) if need.text.startswith(name + "<")]


def install_goal(view: View, text: str, framework: str = "tensorflow") -> Sequence[Fix]:
    """Return the fix that installs the newest set of a framework into an environment without one."""

    def make() -> Tuple[Fix, ...]:
        keeps = numpy_stays(view, framework)
        names, index_url = _requirements(view, "fastest", *keeps, frameworks=(framework,)) or ((framework,), "")
        return (view.shell.install_fix(text, *names, index_url=index_url),)

    return LazyFixes(make)


def numpy_stays(view: View, framework: str) -> Tuple[str, ...]:
    """Return the bound of NumPy that what else is installed may need: what was built for NumPy 1 cannot load NumPy 2."""
    # PyTorch does without NumPy, and takes either.
    stays = framework != "torch" and installed_versions(view.machine).get("numpy", "").startswith("1.")
    return ("numpy<2",) if stays else ()


def replace_by_goal(view: View, text: str, goal: str, *otherwise: str, version: str = "") -> Sequence[Fix]:
    """Return the fix that puts the newest set for a goal in the place of the installed TensorFlow.

    ``version``: the release of TensorFlow that should stay, where one of it does for the goal.
    """

    def make() -> Tuple[Fix, ...]:
        does = version and not any(
            hold.goal == goal for hold in view.matrix.holds("tensorflow", version, view.machine.python.version)
        )
        found = _requirements(view, goal, *(["tensorflow==%s" % version] if does else []))
        return (view.shell.replace_fix(text, view.tensorflow_names, *(found[0] if found else otherwise)),)

    return LazyFixes(make)


def elsewhere(view: View, text: str, goal: str, *otherwise: str, instead: bool = False) -> Fix:
    """Return the fix that makes an environment with the newest Python for which there is a set for a goal.

    ``text`` has a place (``%s``) for that Python.
    """
    python, found = working_python(view, goal)
    return view.shell.new_environment_fix(text % python, python, goal, found or otherwise, instead)


def working_python(view: View, goal: str) -> Tuple[str, Tuple[str, ...]]:
    """Return the newest Python for which there is a set for a goal here, and that set."""
    for python in PYTHONS:
        found = _requirements(view, goal, python=python)
        if found is not None:
            return python, found[0]
    return PYTHONS[0], ()
