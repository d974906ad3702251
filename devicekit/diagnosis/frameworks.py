"""Which framework is selected. Pure: decided from the facts of the machine and an argument."""

from typing import Optional

from ..errors import did_you_mean
from ..machine.facts import Machine

#: What may be asked for. ``"any"``: whichever of the installed ones can use the device.
FRAMEWORKS = ("tensorflow", "keras", "jax", "torch", "any")

#: The frameworks that Keras computes with and devicekit sets up; the first one is taken if nothing says which.
BACKENDS = ("tensorflow", "jax", "torch")

#: What their makers call them, for messages.
TITLES = {"tensorflow": "TensorFlow", "tensorflow1": "TensorFlow", "jax": "JAX", "torch": "PyTorch", "keras": "Keras"}


def choose_framework(machine: Machine, asked: Optional[str] = None) -> Optional[str]:
    """Decide which framework is selected.

    In this order: the argument; what is imported (Keras with its backend, or a library alone; of several the one that
    Keras would take); ``KERAS_BACKEND``; ``keras.json``; what is installed. ``"any"`` is decided as no argument is: whether
    another one should be taken follows from the devices, in `devicekit.selection.framework`.

    Returns
    -------
    str or None
        ``"tensorflow"``, ``"tensorflow1"``, ``"jax"``, ``"torch"``; None if there is none, or the asked one is not there.

    Raises
    ------
    ValueError
        If the argument is no framework that devicekit knows.
    """
    if asked is not None and asked not in FRAMEWORKS:
        near = did_you_mean(asked, FRAMEWORKS, "")
        raise ValueError("unknown framework %r%s; accepted are %s" % (asked, near, ", ".join(map(repr, FRAMEWORKS))))
    if asked in BACKENDS:
        return _flavor(machine, str(asked)) if is_installed(machine, str(asked)) else None
    imported = {module.name for module in machine.process.modules}
    backend = keras_backend(machine)
    if "keras" not in imported and asked != "keras":
        libraries = [name for name in BACKENDS if name in imported]
        if libraries:
            return _flavor(machine, str(backend) if backend in libraries else libraries[0])
    if backend in BACKENDS and is_installed(machine, str(backend)):
        return _flavor(machine, str(backend))
    found = next((name for name in BACKENDS if is_installed(machine, name)), None)
    return None if found is None else _flavor(machine, found)


def keras_backend(machine: Machine) -> Optional[str]:
    """Return the backend that the imported Keras has, or that Keras would take; None if there is no Keras at all.

    Keras up to 2 supports only TensorFlow. Keras 3 takes ``KERAS_BACKEND``, then ``keras.json``, then TensorFlow
    (keras/src/backend/config.py).
    """
    python, process = machine.python, machine.process
    version = _keras_version(machine)
    if version is None:
        return None
    if version and version.partition(".")[0] in ("0", "1", "2"):
        return "tensorflow"
    for module in process.modules:
        if module.name == "keras" and module.backend:
            return module.backend
    named = process.env("KERAS_BACKEND")
    if named:
        return named
    if process.env("TF_USE_LEGACY_KERAS") in ("true", "True", "1") and is_installed(machine, "tensorflow"):
        return "tensorflow"  # asking for TensorFlow's Keras overrides the settings file of Keras 3
    config = python.keras_config.or_none()
    return (config.backend if config is not None else None) or "tensorflow"


def keras_is_free(machine: Machine) -> bool:
    """Return whether Keras 3 is there and has not taken a backend yet, and the user's environment names none."""
    if _keras_version(machine) is None or any(module.name == "keras" for module in machine.process.modules):
        return False
    major = str(_keras_version(machine)).partition(".")[0]
    return major not in ("0", "1", "2") and not machine.process.env("KERAS_BACKEND")


def _keras_version(machine: Machine) -> Optional[str]:
    """The version of the Keras that is imported or would be; "" if it cannot be read, None if there is none."""
    for module in machine.process.modules:
        if module.name == "keras":
            return module.version
    for item in machine.python.distributions.or_none() or ():
        if item.name in ("keras", "keras-nightly"):
            return item.version.or_none() or ""
    package = machine.python.package("keras")
    return "" if package is not None and package.in_site and package.kind != "namespace" else None


def is_installed(machine: Machine, name: str) -> bool:
    """Return whether a framework is there: with metadata or without, or imported already."""
    python = machine.python
    beginnings = ("tensorflow", "tf-nightly", "intel-tensorflow")
    for item in python.distributions.or_none() or ():
        if item.name.startswith(beginnings) if name == "tensorflow" else item.name == name:
            return True
    if python.build(name) is not None or any(module.name == name for module in machine.process.modules):
        return True
    package = python.package(name)
    return package is not None and (package.in_site or package.kind != "namespace")


def _flavor(machine: Machine, name: str) -> str:
    if name != "tensorflow":
        return name
    build = machine.python.build("tensorflow")
    versions = [build.version.or_none() or ""] if build is not None else []
    installed = machine.python.distributions.or_none() or ()
    versions += [
        item.version.or_none() or "" for item in installed if item.name in ("tensorflow", "tensorflow-directml")
    ]
    return "tensorflow1" if any(version.startswith("1.") for version in versions) else "tensorflow"
