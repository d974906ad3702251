"""Which framework is meant. Pure: decided from what is known of the machine, and an argument."""

from typing import Optional

from .facts import Machine

__all__ = ["FRAMEWORKS", "choose_framework"]

#: What may be asked for.
FRAMEWORKS = ("tensorflow", "keras")


def choose_framework(machine: Machine, asked: Optional[str] = None) -> Optional[str]:
    """Decide which framework is meant: the argument; what is imported; KERAS_BACKEND; keras.json; what is installed.

    Raises
    ------
    ValueError
        Where the argument is no framework that devicekit knows.
    """
    if asked is not None and asked not in FRAMEWORKS:
        raise ValueError(
            "unknown framework %r; accepted are %s" % (asked, ", ".join(repr(name) for name in FRAMEWORKS))
        )
    python, process = machine.python, machine.process
    installed = python.distributions.or_none() or ()
    has_tensorflow = python.build("tensorflow") is not None or any(
        item.name.startswith(("tensorflow", "tf-nightly", "intel-tensorflow")) for item in installed
    )
    package = python.package("tensorflow")
    if package is not None and (package.in_site or package.kind != "namespace"):
        has_tensorflow = True
    tensorflow = _tensorflow_flavour(machine) if has_tensorflow else None
    if asked == "tensorflow":
        return tensorflow
    backend = process.env("KERAS_BACKEND")
    config = python.keras_config.or_none()
    if not backend and config is not None:
        backend = config.backend
    imported = {module.name for module in process.modules}
    if "tensorflow" in imported and (asked is None or "keras" not in imported):
        return tensorflow or "tensorflow"
    names = {item.name for item in installed}
    if backend in ("jax", "torch") and "keras" in names and (backend in names or backend in imported):
        return backend
    if tensorflow is None:
        return next((name for name in ("jax", "torch") if name in names), None)
    return tensorflow


def _tensorflow_flavour(machine: Machine) -> str:
    build = machine.python.build("tensorflow")
    versions = [build.version.or_none() or ""] if build is not None else []
    installed = machine.python.distributions.or_none() or ()
    versions += [
        item.version.or_none() or "" for item in installed if item.name in ("tensorflow", "tensorflow-directml")
    ]
    return "tensorflow1" if any(version.startswith("1.") for version in versions) else "tensorflow"
