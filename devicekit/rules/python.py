"""The Python layer: what is installed, and whether it goes together."""

import json
from typing import Iterable, Optional

from ..findings import Evidence, Finding, Fix, LazyFixes
from ..matrix import accepts
from . import rule
from .mending import install_goal, mend, replace_by_goal, working_python
from .requirements import applies, bare_name, bounded, normal_name
from .view import View

#: What makes the TensorFlow package itself unusable, so that its requirements do not matter.
_BROKEN = ("framework-missing", "python-unsupported", "install-corrupt", "module-shadowed")

#: The backends that a Keras release knows (keras/src/backend/config.py).
KERAS_BACKENDS = ("tensorflow", "jax", "torch", "numpy", "openvino")


@rule("framework-missing", hidden_by=("python-unsupported", "platform-unsupported"))
def framework_missing(view: View) -> Iterable[Finding]:
    """Nothing that Keras can run on is installed."""
    python = view.machine.python
    if view.has_tensorflow or python.distribution("jax") or python.distribution("torch"):
        return
    for name in ("tensorflow", "torch", "jax"):
        package = python.package(name)
        # A folder of that name beside the script, without code in it, is no framework.
        if package is not None and (package.in_site or package.kind != "namespace"):
            return
    yield Finding(
        "framework-missing",
        "error",
        "No framework is installed in this Python environment: neither TensorFlow, JAX nor PyTorch.",
        (Evidence("no distribution of TensorFlow, JAX or PyTorch", python.distributions.source),),
        install_goal(view, "Install TensorFlow", "fastest", "tensorflow"),
        ("tensorflow", "keras"),
        "https://www.tensorflow.org/install/pip",
    )


def _newest_for(view: View) -> Optional[str]:
    """The newest TensorFlow minor release with wheels for this Python, None where there is none."""
    for row in reversed(view.matrix.tensorflow_rows()):
        if accepts(row.python, view.machine.python.version):
            return row.minor
    return None


@rule("python-unsupported")
def python_unsupported(view: View) -> Iterable[Finding]:
    """No wheel of TensorFlow exists for this Python version."""
    python = view.machine.python
    if view.has_tensorflow or python.distribution("jax", "torch") or _newest_for(view) is not None:
        return
    rows = view.matrix.tensorflow_rows()
    newest = rows[-1]
    yield Finding(
        "python-unsupported",
        "error",
        "No release of TensorFlow that devicekit knows has wheels for Python %s." % python.version,
        (Evidence("TensorFlow %s is for Python %s" % (newest.minor, newest.python), "devicekit's matrix"),),
        LazyFixes(lambda: (_other_python(view),)),
        ("tensorflow", "keras"),
        "https://www.tensorflow.org/install/pip",
    )


def _other_python(view: View) -> Fix:
    return Fix(
        "Make an environment with a Python that TensorFlow supports",
        "uv venv --python %s" % working_python(view, "cpu")[0],
    )


@rule("platform-unsupported", hidden_by=("python-unsupported",))
def platform_unsupported(view: View) -> Iterable[Finding]:
    """A 32-bit interpreter, or a C library for which there are no wheels."""
    python, native = view.machine.python, view.machine.native
    if view.has_tensorflow:
        return
    if python.bits == 32:
        yield Finding(
            "platform-unsupported",
            "error",
            "This is a 32-bit Python; TensorFlow has wheels for 64-bit Python only.",
            (Evidence("a 32-bit interpreter for %s" % python.architecture, python.executable),),
            (Fix("Install a 64-bit Python and make a new environment with it"),),
            ("tensorflow", "keras"),
        )
    elif native.libc.or_none() == "musl":
        yield Finding(
            "platform-unsupported",
            "error",
            "This system uses musl as its C library; TensorFlow's Linux wheels need glibc.",
            (Evidence("musl", native.libc.source),),
            (Fix("Use an image based on glibc (Debian, Ubuntu, Fedora) instead of Alpine"),),
            ("tensorflow", "keras"),
        )


@rule("install-corrupt", hidden_by=("framework-missing", "python-unsupported"))
def install_corrupt(view: View) -> Iterable[Finding]:
    """Files of TensorFlow or NumPy that RECORD lists are missing or cut short."""
    python = view.machine.python
    package = python.package("tensorflow")
    owner = view.tensorflow
    if package is not None and package.kind == "namespace" and package.in_site:
        version = owner.version.or_none() if owner is not None else None
        fix = install_goal(view, "Delete that folder, then install TensorFlow", "fastest", "tensorflow")
        if owner is not None and version:
            fix = (Fix("Write TensorFlow's files anew", view.reinstall("%s==%s" % (owner.name, version))),)
        left = "its %s is there without __init__.py" % package.location
        yield Finding(
            "install-corrupt",
            "error",
            "What is left of TensorFlow is a folder without its main file: an uninstall or another distribution's removal "
            "took the rest.",
            (Evidence(left, package.path_entry),),
            fix,
            ("tensorflow",),
        )
        return
    for item in (owner, python.distribution("numpy"), python.distribution("protobuf")):
        if item is None or not (item.missing_count or item.damaged_files):
            continue
        if item is owner and len(view.tensorflow_distributions) > 1:
            continue  # two distributions over one another: that is the cause
        seen = ["missing: %s" % name for name in item.missing_files[:3]] + list(item.damaged_files[:3])
        count = item.missing_count + len(item.damaged_files)
        requirement = "%s==%s" % (item.name, item.version.or_none()) if item.version.or_none() else item.name
        yield Finding(
            "install-corrupt",
            "error",
            "%d of the files that %s installed are missing or cut short." % (count, item.name),
            tuple(Evidence(text, item.record.source) for text in seen),
            (Fix("Write the files anew", view.reinstall(requirement)),),
            ("tensorflow",),
        )


@rule("distributions-conflict", hidden_by=("framework-missing", "python-unsupported"))
def distributions_conflict(view: View) -> Iterable[Finding]:
    """Two or more distributions own the import package ``tensorflow``."""
    owners = view.tensorflow_distributions
    if len({item.name for item in owners}) < 2:
        return
    labels = ["%s %s" % (item.name, item.version.or_none() or "?") for item in owners]
    keep = view.tensorflow or owners[0]
    intact = not (keep.missing_count or keep.damaged_files)
    requirement = "%s==%s" % (keep.name, keep.version.or_none()) if keep.version.or_none() else keep.name
    yield Finding(
        "distributions-conflict",
        "warning" if intact else "error",
        "%s are installed over one another: they share the folder 'tensorflow', and what is in it is of the one installed "
        "last." % " and ".join(labels),
        tuple(Evidence(label, item.location) for label, item in zip(labels, owners)),
        mend(
            view,
            "Remove all of them, then install the one you want",
            requirement,
            first=view.uninstall(*[item.name for item in owners]),
        ),
        () if intact else ("tensorflow",),
    )


@rule("module-shadowed")
def module_shadowed(view: View) -> Iterable[Finding]:
    """A local file or folder stands before the real package, or before a module of the standard library."""
    for package in view.machine.python.packages:
        if package.in_site or package.kind == "namespace" or not package.hides:
            continue
        yield Finding(
            "module-shadowed",
            "error",
            "%s hides the real '%s': Python finds it first." % (package.location, package.name),
            (Evidence(package.location, "sys.path: %s" % package.path_entry), Evidence("hides %s" % package.hides[0])),
            (Fix("Rename %s (and delete its __pycache__)" % package.location),),
            ("tensorflow", "keras"),
        )


@rule("keras-incompatible", hidden_by=("framework-missing", "python-unsupported"))
def keras_incompatible(view: View) -> Iterable[Finding]:
    """KERAS_BACKEND or keras.json names a backend that Keras does not have, or Keras is of another generation."""
    python, process = view.machine.python, view.machine.process
    keras = python.version_of("keras")
    is_keras3 = bool(keras) and not str(keras).startswith(("0.", "1.", "2."))
    chosen, source = process.env("KERAS_BACKEND"), "KERAS_BACKEND"
    config = python.keras_config.or_none()
    if not chosen and config is not None and config.backend:
        chosen, source = config.backend, config.path
    if is_keras3 and chosen and chosen not in KERAS_BACKENDS:
        variable = source == "KERAS_BACKEND"
        windows = view.machine.native.system == "windows"
        yield Finding(
            "keras-incompatible",
            "error",
            "%s names the Keras backend '%s', which Keras %s does not have." % (source, chosen[:40], keras),
            (Evidence("backend: %s" % json.dumps(chosen[:40]), source),),
            (
                Fix("Unset the variable", "Remove-Item Env:KERAS_BACKEND" if windows else "unset KERAS_BACKEND")
                if variable
                else Fix("Write a backend that exists into %s: %s" % (source, ", ".join(KERAS_BACKENDS[:3]))),
            ),
            ("keras", "tensorflow"),
            "https://keras.io/getting_started/#configuring-your-backend",
        )
        return
    row = view.tensorflow_row
    if row is None or not row.keras:
        return
    if not keras:
        if python.package("keras") is None and python.distributions.problem == "":
            label = view.tensorflow_label
            yield Finding(
                "keras-incompatible",
                "error",
                "%s takes its Keras from the distribution keras, which is not installed." % label,
                (Evidence("no keras on the path", python.distributions.source),),
                mend(view, "Install the Keras that goes with it", "keras%s" % row.keras),
                ("keras",),
            )
        return
    if accepts(row.keras, keras) is False:
        yield Finding(
            "keras-incompatible",
            "error",
            "Keras %s does not go with %s, which needs Keras %s." % (keras, view.tensorflow_label, row.keras),
            (Evidence("keras %s" % keras, _location(view, "keras")),),
            mend(view, "Install a Keras that goes with it", "keras%s" % row.keras),
            # Keras 3 beside an old TensorFlow breaks Keras only; two generations of Keras 2 register the same symbols in
            # TensorFlow, whose own import then fails (both seen).
            ("keras", "tensorflow") if keras.startswith("2.") and row.minor in _SHARED_SYMBOLS else ("keras",),
        )


#: Releases of TensorFlow in which another Keras 2 makes TensorFlow's own import fail.
_SHARED_SYMBOLS = ("2.7", "2.8", "2.9", "2.10", "2.11", "2.12")


def _location(view: View, name: str) -> str:
    found = view.machine.python.distribution(name)
    return found.location if found else ""


@rule("numpy-incompatible", hidden_by=_BROKEN)
def numpy_incompatible(view: View) -> Iterable[Finding]:
    """TensorFlow's native code was built against another NumPy than is installed."""
    row, numpy = view.tensorflow_row, view.machine.python.version_of("numpy")
    if row is None or numpy is None or accepts(row.numpy, numpy) is not False:
        return
    yield Finding(
        "numpy-incompatible",
        "error",
        "%s cannot be imported with NumPy %s: it needs NumPy %s." % (view.tensorflow_label, numpy, row.numpy),
        (
            Evidence("numpy %s" % numpy, _location(view, "numpy")),
            Evidence("%s needs numpy %s" % (view.tensorflow_label, row.numpy), "devicekit's matrix"),
        ),
        mend(view, "Install a NumPy that goes with it", "numpy" + _shortest(row.numpy, numpy)),
        ("tensorflow",),
        "https://numpy.org/doc/stable/numpy_2_0_migration_guide.html",
    )


def _shortest(specifier: str, version: str) -> str:
    """Return the part of a range that has to be asked for: an upper bound alone is enough, a lower one alone is not.

    Asked for a newer version only, an installer takes the newest of all, which the upper bound is there to keep out.
    """
    broken = [part for part in specifier.split(",") if accepts(part, version) is False]
    return specifier if not broken or any(part.startswith(">") for part in broken) else ",".join(broken)


@rule("protobuf-incompatible", hidden_by=_BROKEN)
def protobuf_incompatible(view: View) -> Iterable[Finding]:
    """The installed protobuf cannot load TensorFlow's generated code."""
    row, protobuf = view.tensorflow_row, view.machine.python.version_of("protobuf")
    if row is None or protobuf is None or accepts(row.protobuf, protobuf) is not False:
        return
    label = view.tensorflow_label
    yield Finding(
        "protobuf-incompatible",
        "error",
        "%s cannot be imported with protobuf %s: its generated code needs protobuf %s."
        % (label, protobuf, row.protobuf),
        (Evidence("protobuf %s" % protobuf, _location(view, "protobuf")),),
        mend(view, "Install a protobuf that goes with it", "protobuf" + _shortest(row.protobuf, protobuf)),
        ("tensorflow",),
        "https://protobuf.dev/news/2022-05-06/#python-updates",
    )


#: Requirements of TensorFlow without which its import still works (seen on the real wheels).
_OPTIONAL = (
    "tensorboard", "tensorflow-estimator", "grpcio", "h5py", "libclang", "tensorflow-io-gcs-filesystem", "keras",
    "tensorflow-intel", "tensorflow-cpu-aws", "tensorflow-macos", "keras-nightly", "setuptools", "wheel",
)  # fmt: skip


@rule("dependency-incompatible", hidden_by=_BROKEN)
def dependency_incompatible(view: View) -> Iterable[Finding]:
    """A distribution that TensorFlow requires is not installed at all."""
    owner = view.tensorflow
    if owner is None:
        return
    missing = []
    for text in owner.requires:
        name = normal_name(text)
        # Extras are nobody's requirement until they are asked for; a look at the text saves the parser for the rest.
        if "extra ==" in text or name in _OPTIONAL or view.machine.python.distribution(name) is not None:
            continue
        # Only for what is not there it matters whether the requirement holds here at all.
        if applies(text, view):
            missing.append(text.partition(";")[0].replace("(", "").replace(")", "").replace(" ", ""))
    if not missing or (view.machine.python.distributions.problem and len(missing) > 3):
        return  # a folder of the path could not be read: what is not seen may still be there
    yield Finding(
        "dependency-incompatible",
        "error",
        "%s needs %s, which %s not installed."
        % (view.tensorflow_label, ", ".join(map(bare_name, missing)), "is" if len(missing) == 1 else "are"),
        tuple(Evidence("%s is not among the installed distributions" % text, owner.location) for text in missing[:5]),
        mend(view, "Install what it needs", *[bounded(view, text) for text in missing]),
        ("tensorflow",),
    )


@rule("plugin-version-mismatch", hidden_by=_BROKEN)
def plugin_version_mismatch(view: View) -> Iterable[Finding]:
    """The DirectML plug-in beside another TensorFlow than the one that it was built for."""
    plugin = view.machine.python.distribution("tensorflow-directml-plugin")
    version = view.tensorflow_version
    if plugin is None or version is None:
        return
    row = next(item for item in view.matrix.directml() if item.distribution == "tensorflow-directml-plugin")
    if view.matrix.tensorflow(version) == view.matrix.tensorflow(row.tensorflow):
        return
    otherwise = ("tensorflow-cpu==%s.0" % row.tensorflow, "numpy<2")
    yield Finding(
        "plugin-version-mismatch",
        "error",
        "tensorflow-directml-plugin %s was built for TensorFlow %s; beside %s, TensorFlow itself cannot be imported."
        % (plugin.version.or_none() or "", row.tensorflow, view.tensorflow_label),
        (Evidence("tensorflow-directml-plugin", plugin.location), Evidence(view.tensorflow_label)),
        LazyFixes(
            lambda: (
                *replace_by_goal(view, "Install the TensorFlow that it was built for", "directml", *otherwise),
                Fix("Or remove the plug-in", view.uninstall("tensorflow-directml-plugin")),
            )
        ),
        ("tensorflow",),
    )
