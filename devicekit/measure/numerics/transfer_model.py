"""A Keras 3 model and its loss as plain data, with what another process has to import to make them again."""

from typing import Any, Dict, Iterator, List, Set, Tuple

from ...runtime.frameworks.keras_model import Keras, layers_of, public_class

_REGISTER = "register it with @keras.saving.register_keras_serializable()"


def describe_model(model: Any, keras: Keras, loss: Any) -> Dict[str, Any]:
    """Return configurations, and the modules and names of the user classes.

    Returns
    -------
    dict
        ``model``, ``loss``: as Keras serializes them; ``custom``: pairs of module and name, "" for the module alone;
        ``floatx``.

    Raises
    ------
    ValueError
        If a fresh process could not make the model again from it, or only from bytecode.
    """
    module = keras.module
    classes: Set[Any] = {type(item) for item in layers_of(model) if not public_class(item)[1]}
    custom = {_importable(item) for item in classes}
    try:
        config = module.saving.serialize_keras_object(model)
        described = module.saving.serialize_keras_object(loss) if loss is not None else None
    except Exception as error:  # whatever the user's get_config raises, or inspect of a lambda
        raise ValueError(
            "the model has no configuration that another process could make it from: give its classes get_config(), %s, and "
            "use no lambda. Keras says: %s" % (_REGISTER, " ".join(str(error).split())[:300])
        ) from error
    config.pop("compile_config", None)
    for node, layer in _nodes((config, described), "the loss"):
        custom.update(_needed(module, node, layer))
    return {"model": config, "loss": described, "custom": sorted(custom), "floatx": module.config.floatx()}


def _nodes(config: Any, layer: str) -> Iterator[Tuple[Dict[str, Any], str]]:
    """Yield every serialized object inside a configuration, with the layer that it belongs to."""
    if isinstance(config, dict):
        inside = config.get("config")
        if isinstance(inside, dict) and inside.get("name"):
            layer = "layer %r" % inside["name"]
        if "class_name" in config:
            yield config, layer
        config = list(config.values())
    if isinstance(config, (list, tuple)):
        for item in config:
            yield from _nodes(item, layer)


def _needed(keras: Any, node: Dict[str, Any], layer: str) -> List[Tuple[str, str]]:
    """Return what has to be imported for one object.

    Raises
    ------
    ValueError
        If it cannot be.
    """
    kind, name = node["class_name"], node.get("registered_name")
    if kind == "__lambda__":
        raise ValueError(
            "%s has a Python lambda: its code would have to travel as bytecode, which devicekit does not load. Make it a "
            "function in a module and %s, or a layer of its own" % (layer, _REGISTER)
        )
    if kind == "function":
        name = node.get("config")
    if not isinstance(name, str):
        return []
    made = keras.saving.get_registered_object(name)
    if made is not None:
        return [_importable(made, registered=True)]
    if kind == "function" and node.get("module") == "builtins":
        raise ValueError(
            "%s has the function %s, which another process does not find by its name: define it in a module and %s"
            % (layer, name, _REGISTER)
        )
    return []


def _importable(made: Any, registered: bool = False) -> Tuple[str, str]:
    """Return module and name of a class or function.

    Raises
    ------
    ValueError
        If a fresh process does not find it.
    """
    package, name = str(made.__module__), str(made.__qualname__)
    if package == "__main__" or ("<locals>" in name and not registered):
        where = "the script itself" if package == "__main__" else "a function"
        raise ValueError(
            "%s is defined in %s, where another process does not find it: move it into a module that can be imported, and %s"
            % (name.rpartition(".")[2], where, _REGISTER)
        )
    # What is registered is known to Keras as soon as its module is imported.
    return package, "" if registered else name
