"""What frameworks import besides NumPy, protobuf and Keras: is it there, and in a version that they work with.

`pip check` asks whether what is declared holds. That is another question: a release runs with much that its metadata
forbid, and needs some that they do not name. The table (data/imports.json) says what was seen.
"""

import re
from typing import Collection, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ...machine.facts import Distribution
from ...matrix.bounds import fit, requirement_parts
from ...matrix.matrix import TENSORFLOW_OWNERS, accepts, bare_name, normal_name, version_at_least
from ..findings import Evidence, Finding, Fix, Kind
from ..install_fixes import PLUGINS, repair_install
from ..view import View
from .frameworks import is_there
from .import_needs import applies, bounded, installed, unmet
from .keras import backend, has_backend, keras3_on, keras_version, uses_scipy
from .measured import measured_dependencies, own_failures, taken_along, unfit, with_taken_along
from .plugins import lacking_plugins
from .registry import BROKEN_INSTALL, rule

#: Requirements of TensorFlow without which its import and a step of training still work (seen on the real wheels).
_OPTIONAL = (
    "tensorboard", "tensorflow-estimator", "grpcio", "h5py", "libclang", "tensorflow-io-gcs-filesystem", "keras",
    "tensorflow-intel", "tensorflow-cpu-aws", "tensorflow-macos", "keras-nightly", "setuptools", "wheel", "numpy", "tf-keras",
    "keras-preprocessing", "keras-applications", "google-auth", "tensorboard-data-server",
)  # fmt: skip


class _Wrong(NamedTuple):
    """A requirement that does not hold. ``error``: the exception that its user's import then raises, "" if not known."""

    text: str
    because: str
    error: str = ""


@rule("dependency-incompatible", hidden_by=BROKEN_INSTALL)
def dependency_incompatible(view: View) -> Iterable[Finding]:
    """Something that a framework or Keras imports is not installed, or in a version that it cannot be used with."""
    yield from _lacking_modules(view)
    yield from lacking_plugins(view)
    seen: List[Tuple[str, str]] = []
    # What a missing backend would need as well is no second cause.
    chosen = backend(view).name
    chosen = chosen if has_backend(view, chosen) else ""
    for project, version, what in _owners(view):
        missing: List[str] = []
        wrong: List[_Wrong] = []
        breaks: List[str] = []
        for item in unmet(view, project, version, chosen):
            if item.need.code not in ("", "dependency-incompatible"):
                continue  # another rule's
            if normal_name(item.text) == "numpy" and item.state == "wrong" and _numpy_is_the_cause(view):
                continue  # TensorFlow itself does not go with this NumPy: that says it all
            if item.state == "missing":
                missing.append(item.text)
            else:
                wrong.append(_Wrong(item.text, item.need.because))
            breaks.append(item.need.breaks)
        wrong += _unfitting(view, project, version)
        breaks += ["import"] * len(wrong)
        declared = _declared(view, project, missing)
        missing += declared
        breaks += ["import"] * len(declared)
        if not missing and not wrong:
            continue
        if view.machine.python.distributions.problem and len(missing) > 3:
            continue  # a folder of the path could not be read: what is not seen may still be there
        key = (project, ",".join(missing + [item.text for item in wrong]))
        if key in seen:
            continue
        seen.append(key)
        blocks = _blocks(what, breaks)
        if wrong and not missing:
            blocks += taken_along(view, blocks, wrong[0].error)
        yield _finding(view, project, version, missing, wrong, blocks)
    if not seen:
        yield from _without_hdf5(view)
    on = keras3_on(view)
    names = tuple(name for name in measured_dependencies(view, on) if name not in _OF_OTHER_RULES)
    yield from unfit(view, "dependency-incompatible", names, on)
    yield from _add_ons(view)


def _without_hdf5(view: View) -> Iterable[Finding]:
    """Keras imports h5py when a model is saved as HDF5 or loaded from it (seen with 2.15 and 3.10)."""
    for owner in filter(None, (view.tensorflow, view.machine.python.distribution("keras"))):
        wanted = [text for text in _absent(view, owner) if normal_name(text) == "h5py"]
        if wanted:
            yield Kind("dependency-incompatible", "warning", ()).finding(
                "h5py is not installed: training works, models can't be saved as HDF5 (.h5) or loaded from it.",
                (Evidence("%s is not installed" % wanted[0], owner.location),),
                repair_install(view, "Install it", bounded(view, wanted[0])),
            )
            return


def _add_ons(view: View) -> Iterable[Finding]:
    """Packages that were made for another release of the framework: it trains, and what uses them can fail."""
    python = view.machine.python
    torch, tensorflow = python.version_of("torch"), view.tensorflow_version
    owner = view.tensorflow.name if view.tensorflow is not None else "tensorflow"
    others = (*TENSORFLOW_OWNERS, *PLUGINS)  # plug-ins have rules of their own
    for item in python.distributions.or_none() or ():
        if item.name in ("torchvision", "torchaudio") and torch:
            yield from _add_on(view, item, "torch", torch, ("torch",))
        elif item.name.startswith("tensorflow-") and item.name not in others and tensorflow:
            yield from _add_on(view, item, owner, tensorflow, TENSORFLOW_OWNERS)


def _add_on(view: View, item: Distribution, base: str, there: str, names: Sequence[str]) -> Iterable[Finding]:
    version, plain = item.version.or_none(), there.partition("+")[0]
    wanted = _made_for(view, item, names) if version else ""
    if not wanted or accepts(wanted, plain) is not False:
        return
    label = "PyTorch " + there if base == "torch" else view.tensorflow_label
    build = re.search(r"\+(cu\d+|cpu|rocm[\d.]+|xpu)$", there)
    url = "https://download.pytorch.org/whl/" + build.group(1) if build else ""
    text = "Install the %s of this release" % item.name
    yield Kind("dependency-incompatible", "warning", ()).finding(
        "%s %s was made for %s %s, and %s is installed: what uses it can fail."
        % (item.name, version, label.partition(" ")[0], wanted, label),
        (Evidence("%s %s" % (item.name, version), item.location), Evidence("%s %s" % (base, there))),
        [view.shell.install_fix(text, "%s==%s" % (base, plain), item.name, index_url=url)],
    )


def _made_for(view: View, item: Distribution, names: Sequence[str]) -> str:
    """Return the releases of a framework that an add-on goes with, "" for all."""
    companion = view.matrix.companion(item.name, item.version.or_none() or "")
    if companion is not None:
        return companion.tensorflow
    for text in item.requires:
        bounds = requirement_parts(text)[1].strip(" ()")
        if normal_name(text) in names and "extra ==" not in text and applies(text, view):
            exact = re.match(r"==(\d+\.\d+)\.\d+$", bounds)
            # Native code goes with the patch releases of one minor release.
            return "==%s.*" % exact.group(1) if exact else bounds
    return ""


#: Modules of the standard library that are left out where the headers of a library were missing: the library, its package.
_BUILT_WITH = {"_ctypes": ("libffi", "libffi-dev or libffi-devel"), "zlib": ("zlib", "zlib1g-dev or zlib-devel")}


def _lacking_modules(view: View) -> Iterable[Finding]:
    """A Python that was compiled without a part of its standard library that every framework needs."""
    python = view.machine.python
    blocks = tuple(name for name in ("tensorflow", "jax", "torch") if is_there(view, name))
    for name in python.lacking if blocks and not python.problem else ():
        library, package = _BUILT_WITH[name]
        yield Kind("dependency-incompatible", "error", blocks).finding(
            "This Python was built without the module %s: no framework can be imported." % name,
            (Evidence("%s is not in its standard library" % name, python.executable),),
            (
                Fix("Use another Python: that of the system, of conda or of uv", changes="system"),
                Fix(
                    "Install the headers of %s (%s) and compile this Python again" % (library, package),
                    changes="system",
                    instead=True,
                ),
            ),
        )


#: What frameworks import, and fail with where it does not go with what it needs itself.
_OF_OTHERS = ("ml-dtypes", "h5py", "optree", "scipy")

#: What has a rule of its own.
_OF_OTHER_RULES = ("numpy", "protobuf", "keras", "tf-keras", "jax", "torch")


def _owners(view: View) -> List[Tuple[str, str, str]]:
    """The distributions whose imports matter: name, version, and which import they would break."""
    found = []
    owner = view.tensorflow
    if view.tensorflow_version is not None:
        found.append((owner.name if owner is not None else "tensorflow", view.tensorflow_version, "tensorflow"))
    keras = keras_version(view)
    if keras is not None:
        found.append(("keras", keras, "keras"))
    # What TensorFlow or Keras imports where it is there, and then fails with it.
    user = "tensorflow" if view.tensorflow_version is not None else "keras"
    with_types = user == "tensorflow" and version_at_least(str(view.tensorflow_version), "2.15") is True
    others = {"ml-dtypes": "tensorflow" if with_types else "jax", "h5py": user, "pandas": "keras", "optree": "keras"}
    if uses_scipy(view) or view.machine.python.version_of("jax") is not None:
        others["scipy"] = "keras" if uses_scipy(view) else "jax.scipy"
    for name, what in {"jax": "jax", "torch": "torch", **others, "jaxlib": "jax"}.items():
        version = view.machine.python.version_of(name)
        if version is not None:
            found.append((name, version, what))
    return found


def _numpy_is_the_cause(view: View) -> bool:
    version, numpy = view.tensorflow_version, view.machine.python.version_of("numpy")
    if version is None or numpy is None:
        return False
    found = fit(view.matrix, "tensorflow", version, view.machine.python.version, "numpy", numpy)
    return found.state == "fails" and found.stage == "import"


def _blocks(what: str, breaks: List[str]) -> Tuple[str, ...]:
    return (what,) if "import" in breaks else ("keras",)


#: Declared bounds that a release checks at its import and refuses to go on (jax/_src/lib/__init__.py: check_jaxlib_version).
#: optree, which Keras imports, needs what it declares (seen: typing_extensions 4.0.0).
_ENFORCED = {"jax": ("jaxlib",), "optree": ("typing-extensions",)}

#: The exception that such a check raises (jax/_src/lib/__init__.py).
_ENFORCED_ERROR = {"jax": "RuntimeError"}


def _unfitting(view: View, project: str, version: str) -> List[_Wrong]:
    """Requirements that a release enforces itself, and that do not hold."""
    found = []
    owner = view.machine.python.distribution(project) if project in _ENFORCED else None
    for text in owner.requires if owner is not None else ():
        name = normal_name(text)
        there = view.machine.python.version_of(name) if name in _ENFORCED[project] else None
        bounds = _one_release(requirement_parts(text)[1].strip(" ()"))
        if "extra ==" not in text and there is not None and accepts(bounds, there) is False:
            found.append(
                _Wrong(name + bounds, project + " checks that at its import", _ENFORCED_ERROR.get(project, ""))
            )
    for hold in view.matrix.holds(project, version, view.machine.python.version) if project in _ENFORCED else ():
        for name, bounds in map(requirement_parts, hold.needs):
            there = view.machine.python.version_of(name) if name in _ENFORCED[project] else None
            if there is not None and accepts(bounds, there) is False:
                found.append(_Wrong(name + bounds, hold.because, _ENFORCED_ERROR.get(project, "")))
    for text, seen in own_failures(view, project) if project in _OF_OTHERS else ():
        if normal_name(text) != "numpy" or not _numpy_is_the_cause(view):
            found.append(_Wrong(text, "the import fails: " + seen.because, seen.error))
    return found


def _one_release(bounds: str) -> str:
    """Return ``<=0.6.2,>=0.6.2`` as ``==0.6.2``, anything else as it is."""
    match = re.match(r"<=([\w.]+),>=([\w.]+)$", bounds.replace(" ", ""))
    return "==" + match.group(1) if match is not None and match.group(1) == match.group(2) else bounds


def _declared(view: View, project: str, already: List[str]) -> List[str]:
    """What the metadata of TensorFlow, JAX or Keras require and is not installed at all."""
    owner = view.tensorflow if project.startswith(("tensorflow", "tf-nightly", "intel-t")) else None
    if owner is None and project in ("jax", "keras"):
        # Keras 2 has no requirements that its import needs and TensorFlow would not bring.
        owner = view.machine.python.distribution(project)
    if owner is None:
        return []
    tolerated = _OPTIONAL + view.matrix.spared(project, view.machine.python.version_of(owner.name) or "")
    return _absent(view, owner, {*map(normal_name, already), *tolerated})


def _taken_in_one_go(view: View, project: str, already: List[str]) -> List[str]:
    """What Keras declares and can be imported without, but not be used for everything: its models are saved with h5py."""
    owner = view.machine.python.distribution("keras") if project == "keras" else None
    return _absent(view, owner, set(map(normal_name, already))) if owner is not None else []


def _absent(view: View, owner: Distribution, besides: Collection[str] = ()) -> List[str]:
    """What a distribution declares, applies here and is not installed."""
    missing = []
    for text in owner.requires:
        name = normal_name(text)
        # Extras are not required until they are requested; a look at the text avoids the parser for the rest.
        if "extra ==" in text or name in besides or installed(view, name):
            continue
        # Only for what is not there it matters whether the requirement holds here at all.
        if applies(text, view):
            missing.append(text.partition(";")[0].replace("(", "").replace(")", "").replace(" ", ""))
    return missing


def _finding(
    view: View,
    project: str,
    version: str,
    missing: List[str],
    wrong: List[_Wrong],
    blocks: Tuple[str, ...],
) -> Finding:
    own = blocks == ("tensorflow",) and project not in _OF_OTHERS
    label = view.tensorflow_label if own else "%s %s" % (project, version)
    python = view.machine.python
    if missing:
        names = list(dict.fromkeys(map(bare_name, missing)))
        summary = "%s needs %s, which %s not installed." % (label, ", ".join(names), "is" if len(names) == 1 else "are")
    else:
        name = normal_name(wrong[0].text)
        summary = "%s does not work with %s %s: %s." % (label, name, python.version_of(name), wrong[0].because)
    summary = with_taken_along(summary, blocks)
    evidence = [Evidence("%s is not installed" % text, _place(view, project)) for text in missing[:5]]
    for item in wrong[:5]:
        name = normal_name(item.text)
        evidence.append(
            Evidence("%s %s; needed is %s" % (name, python.version_of(name), item.text), _place(view, name))
        )
    also = _taken_in_one_go(view, project, missing) if missing else []
    wanted = [bounded(view, text) for text in missing + also] + [_newer(view, project, item.text) for item in wrong]
    fix = repair_install(view, "Install its requirements", *wanted)
    severity = "warning" if blocks == ("jax.scipy",) else "error"
    return Finding("dependency-incompatible", severity, summary, tuple(evidence), fix, blocks)


def _newer(view: View, project: str, text: str) -> str:
    """Return what to ask for: rather a newer release of what fails than an older NumPy, which others use as well."""
    name, python = normal_name(text), view.machine.python
    known = view.matrix.project(project) if project in _OF_OTHERS and name == "numpy" else None
    for release in known.versions if known is not None else ():
        if version_at_least(release, python.version_of(project) or ""):
            if fit(view.matrix, project, release, python.version, name, python.version_of(name) or "").state == "works":
                return "%s>=%s" % (project, release)
    return text


def _place(view: View, name: str) -> str:
    found: Optional[object] = view.machine.python.distribution(name)
    return getattr(found, "location", "") if found is not None else view.machine.python.distributions.source
