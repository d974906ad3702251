"""Which Keras a model belongs to, and which framework that computes with. Imports nothing that the model has not."""

import sys
from typing import Any, Dict, List, NamedTuple, Tuple

#: The packages that Keras came in: its own, the kept Keras 2, and TensorFlow's copies (1.15's wheel has the second name).
_PACKAGES = ("keras", "tf_keras", "tensorflow", "tensorflow_core")


class Keras(NamedTuple):
    """The Keras that a model belongs to.

    Attributes
    ----------
    module : module
        With ``layers``, ``models``, ``backend``, ``optimizers``.
    generation : {1, 2, 3}
        3 for Keras 3; 2 for Keras 2 in its own package, as tf_keras, and inside TensorFlow 2; 1 for ``tf.keras`` 1.15.
    framework : str
        As in `Selection.framework`.
    """

    module: Any
    generation: int
    framework: str


def is_model(value: object) -> bool:
    """Return whether something is a Keras model, of any Keras."""
    return _class_named("Model", value) is not None


def keras_of(model: object) -> Keras:
    """Return the Keras that a model or layer belongs to.

    Raises
    ------
    ValueError
        If it is neither.
    """
    base = _class_named("Layer", model)
    if base is None:
        raise ValueError("a Keras model expected, got a %s" % type(model).__name__)
    return _keras_with(base)


def imported_kerases() -> List[Keras]:
    """Return each Keras that is imported already."""
    found = {}
    for package in _PACKAGES[:2]:
        layers: Any = getattr(sys.modules.get(package), "layers", None)
        if hasattr(layers, "Layer"):
            keras = _keras_with(layers.Layer)
            found[keras.module.__name__] = keras
    return list(found.values())


def _keras_with(base: Any) -> Keras:
    """Return the Keras that has a base class of layers."""
    package = base.__module__.partition(".")[0]
    if package == "keras" and not sys.modules["keras"].__version__.startswith("2."):
        return Keras(sys.modules["keras"], 3, str(sys.modules["keras"].backend.backend()))
    tensorflow = sys.modules["tensorflow"]
    if package == "tf_keras":
        return Keras(sys.modules["tf_keras"], 2, "tensorflow")
    if tensorflow.__version__.startswith("1."):
        return Keras(tensorflow.keras, 1, "tensorflow1")
    return Keras(tensorflow.keras, 2, "tensorflow")


def layers_of(model: Any) -> List[Any]:
    """Return every layer inside a model, and inside those, each once, in order; the model itself first."""
    found: List[Any] = []
    seen = set()

    def visit(layer: Any) -> None:
        if id(layer) in seen:
            return
        seen.add(id(layer))
        found.append(layer)
        for inner in _inside(layer):
            visit(inner)

    visit(model)
    return found


def variables_of(model: Any) -> List[Any]:
    """Return every variable that belongs to a model, each once: weights, states, seeds, metrics, optimizer's state."""
    found: Dict[int, Any] = {}
    for layer in layers_of(model):
        for name in ("variables", "weights", "states"):
            values = getattr(layer, name, None)
            for variable in _flat(values) if isinstance(values, (list, tuple)) else ():
                found.setdefault(id(variable), variable)
    for metric in getattr(model, "metrics", None) or ():
        for variable in getattr(metric, "variables", None) or ():
            found.setdefault(id(variable), variable)
    optimizer = getattr(model, "optimizer", None)
    values = getattr(optimizer, "variables", None)
    for variable in (values() if callable(values) else values) or ():
        found.setdefault(id(variable), variable)
    return [item for item in found.values() if hasattr(item, "assign")]


def public_class(layer: object) -> Tuple[str, bool]:
    """Return the name of a layer's class, or of a class itself, and whether it is one of Keras's own."""
    kind = layer if isinstance(layer, type) else type(layer)
    return kind.__name__, kind.__module__.partition(".")[0] in _PACKAGES


def _inside(layer: Any) -> List[Any]:
    """The layers that a layer holds, as Keras has collected them."""
    finder = getattr(layer, "_flatten_layers", None)
    if finder is not None:
        return [item for item in finder(include_self=False, recursive=False) if item is not layer]
    gathered = list(getattr(layer, "_layers", None) or ())  # tf.keras 1.15, whose list may hold containers
    found: List[Any] = []
    for item in gathered:
        found += list(item.layers) if type(item).__name__ in ("ListWrapper", "_DictWrapper") else [item]
    cells = [getattr(layer, name, None) for name in ("cell", "layer", "forward_layer", "backward_layer")]
    return found + [item for item in cells if _class_named("Layer", item) is not None and item not in found]


def _class_named(name: str, value: object) -> Any:
    """The class of that name, made by Keras, that something is an instance of."""
    kinds = getattr(type(value), "__mro__", ())
    return next((k for k in kinds if k.__name__ == name and k.__module__.partition(".")[0] in _PACKAGES), None)


def _flat(values: Any) -> List[Any]:
    if isinstance(values, (list, tuple)):
        return [item for inner in values for item in _flat(inner)]
    return [values] if values is not None else []
