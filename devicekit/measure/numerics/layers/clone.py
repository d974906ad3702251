"""A layer or a model again, in float64: made from its configuration, with Keras's global policy changed only meanwhile."""

import contextlib
import inspect
from typing import Any, Dict, Iterator, List

from ....errors import one_line
from ....runtime.frameworks.keras_model import Keras, layers_of, public_class
from ....runtime.frameworks.tensors import flatten, rebuild

_FLOATS = ("float16", "bfloat16", "float32", "float64")

#: What a class of the user may do in another way than a functional model.
_BEHAVIOR = ("call", "train_step", "compute_loss")


class NotClonable(Exception):
    """A layer cannot be made again; the message says why."""


def is_container(layer: Any) -> bool:
    """Return whether something is one of Keras's own containers, which do nothing but call what they contain."""
    name, of_keras = public_class(layer)
    return of_keras and name in ("Functional", "Sequential", "Model", "InputLayer")


def is_graph(model: Any) -> bool:
    """Return whether a model computes and learns as Keras's functional models do, whatever the class that has built it."""
    kinds = type(model).__mro__
    graph = any(public_class(kind) == ("Functional", True) for kind in kinds)
    own = any(name in vars(kind) for kind in kinds for name in _BEHAVIOR if not public_class(kind)[1])
    return is_container(model) or (graph and not own)


@contextlib.contextmanager
def global_float64(keras: Keras, wanted: bool = True) -> Iterator[None]:
    """Let layers that name no dtype be made in float64."""
    if not wanted:
        yield
        return
    backend = keras.module.backend
    if keras.generation == 3:
        config = keras.module.config
        policy, floatx = config.dtype_policy(), backend.floatx()
        set_policy = config.set_dtype_policy
    elif keras.generation == 2:
        precision = keras.module.mixed_precision
        policy, floatx, set_policy = precision.global_policy(), backend.floatx(), precision.set_global_policy
    else:  # its layers follow the default dtype
        policy, floatx, set_policy = None, backend.floatx(), lambda _: None
    try:
        backend.set_floatx("float64")
        set_policy("float64")
        yield
    finally:
        backend.set_floatx(floatx)
        set_policy(policy)


def again(layer: Any, keras: Keras, known: Dict[str, Any], double: bool) -> Any:
    """Return a new layer with the same configuration, without weights yet.

    Parameters
    ----------
    known : dict
        The classes of the model's layers by name, also those that are registered nowhere.
    double : bool
        Whether it is to compute in float64; else it computes as the layer does.

    Raises
    ------
    NotClonable
    """
    kind = type(layer)
    try:
        with global_float64(keras, double), keras.module.utils.custom_object_scope(known):
            if kind.__name__ == "Lambda":
                dtype = "float64" if double else layer.dtype
                return kind(layer.function, arguments=layer.arguments, mask=layer.mask, name=layer.name, dtype=dtype)
            return _from_config(layer, keras, double)
    except Exception as error:  # whatever the layer's own code raises
        raise NotClonable(one_line(error, 200)) from error


def _from_config(layer: Any, keras: Keras, double: bool) -> Any:
    kind = type(layer)
    taken = inspect.signature(kind.__init__).parameters
    everything = any(item.kind is item.VAR_KEYWORD for item in taken.values())
    if not public_class(layer)[1] and list(taken) == ["self"]:
        return kind()  # there is only one of its kind; what is inside follows the global policy
    config = layer.get_config()
    if not hasattr(layer, "weights"):  # an operation of Keras 3 has no dtype of its own
        return kind.from_config(config)
    if double:
        config = _in_float64(config, keras)
    if public_class(layer)[1]:
        config = _without_initial_values(config)
    if not everything and kind.from_config.__func__ in (base.__dict__["from_config"].__func__ for base in _bases(kind)):
        # Keras puts a name and a dtype into it, whether the class takes them or not.
        config = {name: value for name, value in config.items() if name in taken}
    return kind.from_config(config)


def _bases(kind: Any) -> List[Any]:
    """The classes of Keras's own that a class comes from and that have a ``from_config``."""
    return [
        base
        for base in kind.__mro__
        if "from_config" in vars(base) and base.__module__.partition(".")[0] in ("keras", "tf_keras", "tensorflow")
    ]


def again_whole(model: Any, keras: Keras, known: Dict[str, Any], double: bool) -> Any:
    """Return a whole model again; layers that are made of layers are made again as their class does it.

    Raises
    ------
    NotClonable
    """
    if not is_container(model):
        try:
            return again(model, keras, known, double)
        except NotClonable:
            if not is_graph(model):
                raise

    def one(layer: Any) -> Any:
        nested = hasattr(layer, "layers") and is_graph(layer)
        return again_whole(layer, keras, known, double) if nested else again(layer, keras, known, double)

    try:
        with keras.module.utils.custom_object_scope(known), _not_compiled(model):
            more = _wide_inputs(model, keras) if double else {}
            return keras.module.models.clone_model(model, clone_function=one, **more)
    except NotClonable:
        raise
    except Exception as error:  # whatever the model's layers raise
        raise NotClonable(one_line(error, 200)) from error


@contextlib.contextmanager
def _not_compiled(model: Any) -> Iterator[None]:
    """Let a copy not be compiled: Keras 3 would look up the user's loss and metrics by name, which few register."""
    own = vars(model)
    compiled = own.get("compiled")
    if compiled is None:
        yield
        return
    own["compiled"] = False
    try:
        yield
    finally:
        own["compiled"] = compiled


def _wide_inputs(model: Any, keras: Keras) -> Dict[str, Any]:
    """The inputs for a copy in float64: in 1.15 layers do not cast what they get, and in Keras 3 a model casts it to these."""
    if keras.generation == 2 or not getattr(model, "inputs", None):
        return {}

    def wide(tensor: Any) -> Any:
        dtype = str(getattr(tensor.dtype, "name", tensor.dtype))
        shape = tuple(tensor.shape.as_list() if hasattr(tensor.shape, "as_list") else tensor.shape)
        named = {"name": tensor.name} if keras.generation == 3 else {}
        return keras.module.Input(batch_shape=shape, dtype="float64" if "float" in dtype else dtype, **named)

    # Keras 3's Sequential has no `input` before it was called.
    sequential = public_class(model)[0] == "Sequential"
    given = model.input if keras.generation == 3 and not sequential else list(model.inputs)
    return {"input_tensors": rebuild(given, [wide(tensor) for _, tensor in flatten(given)])}


def fit_together(layer: Any, copy: Any) -> None:
    """See that a copy has variables of the same shapes in the same order; let it use cuDNN alike.

    Raises
    ------
    NotClonable
    """
    shapes: List[Any] = [[tuple(item.shape) for item in variables(one)] for one in (layer, copy)]
    if shapes[0] != shapes[1]:
        raise NotClonable("made again from its configuration it has other weights: %s, not %s" % (shapes[1], shapes[0]))
    for one, other in zip(layers_of(layer), layers_of(copy)):  # a configuration says nothing of it
        if hasattr(one, "use_cudnn"):
            other.use_cudnn = one.use_cudnn
        if getattr(one, "lora_enabled", False):
            other.lora_alpha = one.lora_alpha
        if hasattr(one, "finalize_state"):  # what was adapted is held as constants, too
            other.set_weights(one.get_weights())
            other.finalize_state()


def variables(layer: Any) -> List[Any]:
    """Return the variables of a layer in an order that is the same in its copy."""
    return list(getattr(layer, "variables", None) or ())


def known_classes(model: Any) -> Dict[str, Any]:
    """Return the classes of all layers of a model that are not Keras's own, by name."""
    return {type(layer).__name__: type(layer) for layer in layers_of(model) if not public_class(layer)[1]}


def _without_initial_values(config: Dict[str, Any]) -> Dict[str, Any]:
    """Return a configuration whose weights start as zeros, which takes no time; they get others anyway."""
    zeros = {"class_name": "Zeros", "config": {}}
    return {
        name: zeros if name.endswith("_initializer") and isinstance(value, dict) and "class_name" in value else value
        for name, value in config.items()
    }


def _in_float64(config: Any, keras: Keras) -> Any:
    """Return a configuration in which everything that computes in a floating dtype computes in float64."""
    if isinstance(config, dict):
        found = {}
        for name, value in config.items():
            policy = isinstance(value, dict) and "Policy" in str(value.get("class_name"))
            named = isinstance(value, str) and (value in _FLOATS or value.startswith("mixed_"))
            found[name] = "float64" if name == "dtype" and (policy or named) else _in_float64(value, keras)
        return found
    if isinstance(config, (list, tuple)) and not hasattr(config, "_fields"):
        items = [_in_float64(item, keras) for item in config]
        return items if isinstance(config, list) else tuple(items)
    return config
