"""What is installed and was measured not to work together: the findings of several rules come from here."""

from typing import Iterable, List, NamedTuple, Optional, Tuple

from ...matrix.bounds import STAGES, Fit, allowed, fit
from ...matrix.matrix import accepts, version_at_least
from ..findings import Evidence, Finding, Kind
from ..install_fixes import repair_install
from ..view import View

#: How the projects are written in sentences.
_TITLES = {
    "numpy": "NumPy",
    "keras": "Keras",
    "jax": "JAX",
    "torch": "PyTorch",
    "scipy": "SciPy",
    "tensorboard": "TensorBoard",
}


class _User(NamedTuple):
    """Something installed that imports others. ``what``: what is blocked if that fails."""

    project: str
    version: str
    label: str
    what: str
    backend: str = ""


#: Version and backend of the installed Keras 3 where that is JAX or PyTorch, else two empty texts.
KerasOn = Tuple[str, str]


def unfit(
    view: View, code: str, dependencies: Tuple[str, ...], keras: KerasOn = ("", ""), url: str = ""
) -> Iterable[Finding]:
    """Yield a finding for each of these dependencies that an installed framework was not seen to work with.

    Parameters
    ----------
    view : View
    code : str
        The finding's.
    dependencies : tuple of str
        Names of distributions.
    keras : tuple of str, optional
        See `KerasOn`.
    url : str, optional
    """
    for user in _users(view, keras):
        for name in dependencies:
            version = view.version(name)
            if version is None:
                continue
            found = _failure(view, user, name, version)
            if found is not None:
                severity, blocks = _weight(user, found)
                blocks += taken_along(view, blocks, found.error)
                yield _finding(view, Kind(code, severity, blocks, url), user, name, version, found)
    for name in ("jax", "torch"):
        if view.machine.python.distribution(name) is not None:
            view.version(name)  # unknown: what goes with it cannot be decided


def taken_along(view: View, blocks: Tuple[str, ...], error: str) -> Tuple[str, ...]:
    """Return what a failing import of JAX takes along: TensorFlow from 2.7 on, which imports JAX where it is installed.

    ``error`` is the name of the exception: after an ImportError TensorFlow goes on (tensorflow/lite/python/util.py; seen
    with a jaxlib that jax refuses, TensorFlow 2.9 to 2.21).
    """
    version = view.tensorflow_version
    if blocks != ("jax",) or version is None or version_at_least(version, "2.7") is not True:
        return ()
    return ("tensorflow",) if error not in ("", "ImportError", "ModuleNotFoundError") else ()


def with_taken_along(summary: str, blocks: Tuple[str, ...]) -> str:
    """Return the summary of what blocks JAX, with a sentence on TensorFlow where that is blocked with it."""
    along = " TensorFlow imports JAX where it is installed, and fails with it."
    return summary + along if blocks == ("jax", "tensorflow") else summary


def own_failures(view: View, project: str) -> Iterable[Tuple[str, Fit]]:
    """Yield with what an installed project was measured not to be importable: the requirement that fails, and how."""
    python = view.machine.python
    version = python.version_of(project) or ""
    for name in dict.fromkeys(row.dependency for row in view.matrix.bounds(project, version)):
        other = python.version_of(name)
        found = fit(view.matrix, project, version, python.version, name, other or "")
        if found.measured and found.stage == "import":
            wanted = allowed(view.matrix, project, version, python.version, name)
            yield name + shortest(wanted, str(other)), found


def may_fail_earlier(view: View, what: str, keras: KerasOn = ("", "")) -> bool:
    """Return whether something was measured to fail at a late stage of a framework, and earlier ones were not tried."""
    for user in _users(view, keras):
        for name in _dependencies(view, user) if user.what == what else ():
            version = view.machine.python.version_of(name)
            if version is not None and not _fit(view, user, name, version).exact:
                return True
    return False


def measured_dependencies(view: View, keras: KerasOn = ("", "")) -> Tuple[str, ...]:
    """Return the names of everything that was measured with what is installed, in the table's order."""
    names = [name for user in _users(view, keras) for name in _dependencies(view, user)]
    return tuple(dict.fromkeys(names))


def _dependencies(view: View, user: _User) -> List[str]:
    return [row.dependency for row in view.matrix.bounds(user.project, user.version, backend=user.backend)]


def pure_protobuf(view: View) -> str:
    """Return why protobuf would be the implementation in Python, which behaves in another way; "" if it would not."""
    if view.machine.process.env("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION") == "python":
        return "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python"
    found = view.machine.python.distribution("protobuf")
    tags = found.platform_tags if found is not None else ()
    if found is not None and found.python_tags and not any(map(view.target.is_meant, tags)):
        return "the installed wheel has no native code" + (" for this platform" if tags else "")
    if found is not None and any("/_message." in name for name in found.missing_files):
        return "its native code is missing"
    return ""


def _users(view: View, keras: KerasOn) -> Iterable[_User]:
    version = view.tensorflow_version
    if version is not None:
        owner = view.tensorflow
        yield _User(owner.name if owner is not None else "tensorflow", version, view.tensorflow_label, "tensorflow")
    if keras[0]:
        yield _User("keras", keras[0], "Keras %s" % keras[0], "keras", keras[1])
    for name in ("jax", "torch"):
        version = view.machine.python.version_of(name)
        if version is not None:
            yield _User(name, version, "%s %s" % (_TITLES[name], version), name)


def stopped_by(view: View, name: str, version: str) -> Iterable[str]:
    """Yield what a version of something would block, were it the one that is imported."""
    for user in _users(view, ("", "")):
        found = _failure(view, user, name, version)
        if found is not None:
            yield from _weight(user, found)[1]


def _failure(view: View, user: _User, name: str, version: str) -> Optional[Fit]:
    found = _fit(view, user, name, version)
    return found if found.state == "fails" and (found.measured or found.stage == "import") else None


def _fit(view: View, user: _User, name: str, version: str) -> Fit:
    pure = bool(pure_protobuf(view)) if name == "protobuf" else None
    return fit(view.matrix, user.project, user.version, view.machine.python.version, name, version, user.backend, pure)


def _weight(user: _User, found: Fit) -> Tuple[str, Tuple[str, ...]]:
    """Severity and what is blocked: only an import that fails takes everything with it."""
    if found.stage == "import":
        return "error", (user.what,)
    if found.stage == "dense":
        return "error", {"tensorflow": ("keras.fit",), "keras": ("keras.fit",)}.get(
            user.what, (user.what + ".devices",)
        )
    return "warning", ()


def _finding(view: View, kind: Kind, user: _User, name: str, version: str, found: Fit) -> Finding:
    python = view.machine.python
    wanted = allowed(view.matrix, user.project, user.version, python.version, name, user.backend)
    title = _TITLES.get(name, name)
    needs = _needs("it", title, wanted)
    if found.stage == "import":
        summary = "%s cannot be imported with %s %s: %s." % (user.label, title, version, needs)
    else:
        what = STAGES[found.stage] + ("" if found.exact else ", if not the import already")
        summary = "%s does not fully work with %s %s: %s; %s." % (user.label, title, version, what, needs)
    place = python.distribution(name)
    seen = Evidence(_needs(user.label, name, wanted), "devicekit's compatibility data")
    if found.measured:
        seen = Evidence(found.because, found.source)
    summary = with_taken_along(summary, kind.blocks)
    evidence = (Evidence("%s %s" % (name, version), place.location if place is not None else ""), seen)
    fix = repair_install(view, "Install a compatible %s" % title, name + shortest(wanted, version))
    return kind.finding(summary, evidence, fix)


def _needs(user: str, title: str, wanted: str) -> str:
    """Return what goes with something.

    >>> _needs("it", "NumPy", "<2"), _needs("it", "NumPy", "")
    ('it needs NumPy <2', 'it is not known which NumPy it works with')
    """
    return (
        "%s needs %s %s" % (user, title, wanted) if wanted else "it is not known which %s %s works with" % (title, user)
    )


def shortest(specifier: str, version: str) -> str:
    """Return the part of a range that has to be asked for: an upper bound alone is enough, a lower one alone is not.

    Asked for a newer version only, an installer takes the newest of all, which the upper bound is there to keep out.
    """
    broken = [part for part in specifier.split(",") if accepts(part, version) is False]
    return specifier if not broken or any(part.startswith(">") for part in broken) else ",".join(broken)
