"""Keras: which backend it would take, and whether the two go together."""

import json
from difflib import get_close_matches
from typing import Iterable, NamedTuple, Optional, Tuple

from ...matrix.bounds import STAGES, allowed, fit
from ...matrix.matrix import accepts, minor_of, normal_name, version_at_least
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind, LazyFixes
from ..frameworks import TITLES
from ..install_fixes import add_framework, repair_install
from ..view import View
from .import_needs import unmet
from .measured import KerasOn, unfit
from .registry import UNLOADABLE, rule

#: The backends that a Keras release knows (keras/src/backend/config.py).
KERAS_BACKENDS = ("tensorflow", "jax", "torch", "numpy", "openvino")

#: What has to be installed for each; Keras's numpy backend takes parts of JAX.
_DISTRIBUTION = {"jax": "jax", "torch": "torch", "openvino": "openvino", "numpy": "numpy"}


class Backend(NamedTuple):
    """The backend that Keras would import, and what says so ("" if nothing does: it is the default)."""

    name: str
    source: str


def keras_version(view: View) -> Optional[str]:
    """Return the version of the standalone Keras, None if there is none or it cannot be read."""
    return view.machine.python.version_of("keras", "keras-nightly")


def standalone_keras(view: View) -> bool:
    """Return whether ``import keras`` would find something."""
    package = view.machine.python.package("keras")
    if package is not None:
        return package.kind != "namespace"
    return view.machine.python.distribution("keras", "keras-nightly") is not None


def is_keras3(version: Optional[str]) -> bool:
    """Return whether a version is of the multi-backend Keras."""
    return bool(version) and version_at_least(str(version), "3") is True


def backend(view: View) -> Backend:
    """Return the backend that the installed Keras would take.

    Source: keras/src/backend/config.py: ``KERAS_BACKEND``, then ``keras.json``, then TensorFlow.
    """
    chosen = view.machine.process.env("KERAS_BACKEND")
    if chosen:
        return Backend(chosen, "KERAS_BACKEND")
    config = view.machine.python.keras_config.or_none()
    # Keras itself writes the file at its first import, with its default in it: that names nothing.
    if config is not None and config.backend and config.backend != "tensorflow":
        return Backend(config.backend, config.path)
    return Backend("tensorflow", "")


def keras3_on(view: View) -> KerasOn:
    """Return version and backend of the installed Keras 3 where that is JAX or PyTorch, else two empty texts."""
    version, name = keras_version(view), backend(view).name
    return (str(version), name) if is_keras3(version) and name in ("jax", "torch") else ("", "")


def uses_scipy(view: View) -> bool:
    """Return whether Keras imports SciPy; JAX, PyTorch and TensorFlow do not (JAX 0.4.20 to 0.10 with one that fails)."""
    return is_keras3(keras_version(view)) and backend(view).name in ("jax", "numpy", "openvino")


def has_backend(view: View, name: str) -> bool:
    """Return whether a backend is installed, with metadata or without."""
    if name == "tensorflow":
        return view.has_tensorflow
    python = view.machine.python
    if python.distribution(_DISTRIBUTION.get(name, name)) is not None:
        return True
    package = python.package(name)
    return package is not None and package.in_site and package.kind != "namespace"


def legacy_keras(view: View) -> bool:
    """Return whether ``tf.keras`` is asked to be Keras 2 (tensorflow/python/util/lazy_loader.py, from 2.15 on)."""
    version = view.tensorflow_version
    asked = view.machine.process.env("TF_USE_LEGACY_KERAS") in ("true", "True", "1")
    return asked and version is not None and version_at_least(version, "2.15") is True


@rule("keras-incompatible", hidden_by=("framework-missing", "python-unsupported", *UNLOADABLE))
def keras_incompatible(view: View) -> Iterable[Finding]:
    """KERAS_BACKEND or keras.json names what Keras does not have, or Keras and its backend are of other generations."""
    keras = keras_version(view)
    if is_keras3(keras):
        wrong = _wrong_backend(view, str(keras))
        if wrong is not None:
            yield wrong
            return
        wrong = _unfitting(view, str(keras))
        if wrong is not None:
            yield wrong
            return
        yield from unfit(view, "keras-incompatible", ("jax", "torch"), keras3_on(view))
    row = view.known_row
    if row is None:
        return
    if not keras:
        view.version("keras")  # installed, and its version cannot be read: then nothing is said
        if row.keras and not standalone_keras(view) and view.machine.python.distributions.problem == "":
            label = view.tensorflow_label
            yield Kind("keras-incompatible", "error", ("keras",)).finding(
                "%s needs the package keras, which is not installed." % label,
                (Evidence("no keras on the path", view.machine.python.distributions.source),),
                repair_install(view, "Install a compatible Keras", "keras%s" % row.keras),
            )
        return
    if backend(view).name == "tensorflow":
        wrong = _other_keras(view, row.minor, keras)
        if wrong is not None:
            yield wrong
            return
    if legacy_keras(view):
        yield from _legacy(view)


def _other_keras(view: View, minor: str, keras: str) -> Optional[Finding]:
    """A Keras that the installed TensorFlow does not work with."""
    version, python = view.tensorflow_version or "", view.machine.python
    found = fit(view.matrix, "tensorflow", version, python.version, "keras", keras)
    if found.state != "fails" or not (found.measured or found.stage):
        return None
    place = python.distribution("keras", "keras-nightly")
    evidence = [Evidence("keras %s" % keras, place.location if place else "")]
    wanted = "keras" + allowed(view.matrix, "tensorflow", version, python.version, "keras")
    needs = "which needs Keras %s" % wanted[len("keras") :]
    fix = repair_install(view, "Install a compatible Keras", wanted)
    if found.measured:
        evidence.append(Evidence(found.because, found.source))
        imports_fail = found.stage == "import"
    else:
        imports_fail = _breaks_tensorflow(view, minor, keras)
    if found.measured and found.stage not in ("import", "dense"):
        return Kind("keras-incompatible", "warning").finding(
            "Keras %s does not fully work with %s: %s; %s."
            % (keras, view.tensorflow_label, STAGES[found.stage], needs.replace("which", "it")),
            tuple(evidence),
            fix,
        )
    return Kind("keras-incompatible", "error", ("keras", "tensorflow") if imports_fail else ("keras",)).finding(
        "Keras %s is not compatible with %s, %s." % (keras, view.tensorflow_label, needs), tuple(evidence), fix
    )


#: Another Keras mostly fails alone. Seen to make TensorFlow's own import fail: these minor releases of it (they register
#: symbols in TensorFlow that it has already, or ask for some that it does not have). Tried: TensorFlow 2.6 to 2.16, Keras 2.6
#: to 2.15.
_IMPORT_FAILS = {
    "2.9": ("2.15",), "2.10": ("2.11", "2.15"), "2.11": ("2.15",), "2.12": ("2.15",), "2.13": ("2.15",),
}  # fmt: skip


def _breaks_tensorflow(view: View, minor: str, keras: str) -> bool:
    if minor_of(keras) in _IMPORT_FAILS.get(minor, ()):
        return True
    # Up to 2.11 it used inspect.ArgSpec, which Python 3.11 dropped; TensorFlow 2.12 imports its Keras with itself.
    newer = version_at_least(view.machine.python.version, "3.11") is True
    return newer and minor == "2.12" and accepts("<2.12", keras) is True


def _wrong_backend(view: View, keras: str) -> Optional[Finding]:
    config = view.machine.python.keras_config.or_none()
    if config is not None and config.fatal:
        return Kind("keras-incompatible", "error", ("keras", "tensorflow"), pages.KERAS_BACKEND).finding(
            "Keras %s cannot be imported because of its configuration: in %s, %s." % (keras, config.path, config.fatal),
            (Evidence(config.fatal, config.path),),
            (Fix("Correct the file or delete it: Keras creates a new one", changes="files"),),
        )
    chosen, source = backend(view)
    url = pages.KERAS_BACKEND
    if chosen not in KERAS_BACKENDS:
        meant = backend_meant(chosen)
        ending = "; the nearest that it knows is '%s'." % meant if meant else "."
        names = ", ".join(KERAS_BACKENDS[:3])
        otherwise = Fix("Set a supported backend in %s: %s" % (source, names), changes="files")
        if source == "KERAS_BACKEND":
            otherwise = view.shell.unset_fix("KERAS_BACKEND", "Unset the variable")
        return Kind("keras-incompatible", "error", ("keras", "tensorflow"), url).finding(
            "%s names the Keras backend '%s', which Keras %s does not support%s" % (source, chosen[:40], keras, ending),
            (Evidence("backend: %s" % json.dumps(chosen[:40]), source),),
            (select_installed(view, source, meant) or otherwise,),
        )
    if not source or has_backend(view, chosen):
        return None
    # TensorFlow itself imports all the same (seen)
    return Kind("keras-incompatible", "error", ("keras",), url).finding(
        "%s names the Keras backend '%s', which is not installed." % (source, chosen),
        (Evidence("backend: %s" % json.dumps(chosen), source),),
        LazyFixes(lambda: _absent_backend(view, chosen, source)),
    )


def _absent_backend(view: View, chosen: str, source: str) -> Tuple[Fix, ...]:
    """Install the backend that is named, or select one that is there: the user sets a variable, Keras writes the file too."""
    select = select_installed(view, source)
    install = add_framework(view, chosen) if chosen in ("tensorflow", "jax", "torch") else None
    if install is not None and source == "KERAS_BACKEND":
        return (install,) if select is None else (install, select.replace(instead=True))
    if install is None:
        install = view.shell.install_fix("Install %s" % TITLES.get(chosen, chosen), _DISTRIBUTION.get(chosen, chosen))
    return (install,) if select is None else (select, install.replace(instead=True))


def backend_meant(name: str) -> str:
    """Return the backend that a name which Keras does not know is for ("PyTorch", "tf"), "" if that is not clear."""
    low = name.strip().lower()
    near = get_close_matches({"tf": "tensorflow"}.get(low, low), KERAS_BACKENDS, 1, 0.75)
    return near[0] if near else ""


def backend_instead(view: View, meant: str = "") -> str:
    """Return the installed backend to select where the one that is named cannot be: it costs nothing. "" if none is there."""
    there = [name for name in ("tensorflow", "jax", "torch") if has_backend(view, name)]
    first = [name for name in (meant, _without_variable(view)) if name in there]
    return (first + there + [""])[0]


def _without_variable(view: View) -> str:
    """Return the backend that Keras takes where KERAS_BACKEND is not set."""
    config = view.machine.python.keras_config.or_none()
    return (config.backend if config is not None else None) or "tensorflow"


def select_installed(view: View, source: str, meant: str = "") -> Optional[Fix]:
    """The step that makes Keras take a backend that is there, None if none is."""
    name = backend_instead(view, meant)
    if not name:
        return None
    is_there = "%s, which is installed" % TITLES[name]
    if source != "KERAS_BACKEND":
        if name == "tensorflow":
            return Fix("Rename %s: Keras then takes %s" % (source, is_there), changes="files")
        return Fix('Set "backend": "%s" in %s: it is installed' % (name, source), changes="files")
    if name == _without_variable(view):
        return view.shell.unset_fix("KERAS_BACKEND", "Unset the variable: Keras then takes %s" % is_there)
    return view.shell.set_fix("Select %s" % is_there, "KERAS_BACKEND", name)


def _unfitting(view: View, keras: str) -> Optional[Finding]:
    """A backend of a version that this Keras does not work with."""
    name = backend(view).name
    for item in unmet(view, "keras", keras, name):
        if item.need.code != "keras-incompatible" or item.state != "wrong":
            continue
        project = normal_name(item.text)
        version = view.machine.python.version_of(project)
        blocks = ("keras",) if item.need.breaks == "import" else ("keras.fit",)
        return Kind("keras-incompatible", "error", blocks).finding(
            "Keras %s does not work with %s %s: %s." % (keras, project, version, item.need.because),
            (
                Evidence(
                    "%s %s; needed is %s" % (project, version, item.text), view.machine.python.distributions.source
                ),
            ),
            repair_install(view, "Install compatible releases", "keras", item.text),
        )
    return None


def _legacy(view: View) -> Iterable[Finding]:
    python = view.machine.python
    version = minor_of(str(view.tensorflow_version))
    found = python.version_of("tf-keras")
    blocks: Tuple[str, ...] = ("tf.keras",)
    limit = "%s.%d" % (version.split(".")[0], int(version.split(".")[1]) + 1)
    if found is None:
        if python.distribution("tf-keras") is not None or python.package("tf_keras") is not None:
            return
        seen, says = "no tf-keras on the path", "is not installed"
    elif version_at_least(found, limit):
        seen, says = "tf-keras %s" % found, "is for a newer TensorFlow (%s)" % found
        # Its code was made by protobuf 6.31.1: where that is checked, no ImportError is raised, which TensorFlow would catch.
        if version_at_least(found, "2.21") and accepts(">=5.26,<6.31.1", python.version_of("protobuf") or ""):
            blocks += ("tensorflow", "keras")
    else:
        return
    wanted = "tf-keras~=%s.0" % version
    # The imports of TensorFlow and Keras mostly work.
    yield Kind("keras-incompatible", "error", blocks, pages.KERAS_LEGACY).finding(
        "TF_USE_LEGACY_KERAS selects Keras 2 as tf.keras, but tf-keras %s." % says,
        (Evidence(seen, python.distributions.source), Evidence("TF_USE_LEGACY_KERAS", "environment")),
        repair_install(view, "Install a compatible tf-keras", wanted),
    )
