"""`on_cpu`: a layer that the CPU computes, its gradient included, in a model that is on another device.

A scope moves the forward pass alone: TensorFlow places gradients by where they are asked for, and JAX compiles a step for one
device. The wrapper hands all that the layer reads (inputs, masks, weights, states) to `Tensors.on_cpu` and puts the
states that come back into the layer's variables.
"""

import inspect
import sys
from contextlib import nullcontext
from typing import Any, Callable, Dict, List, Tuple

from .frameworks import tensors_of
from .frameworks.keras_model import Keras, imported_kerases, keras_of, layers_of

#: The class for each Keras, by the module's name.
_classes: Dict[str, Any] = {}


def on_cpu(layer: Any) -> Any:
    """Return a layer that computes what a Keras layer computes, forward and backward, on the CPU.

    Parameters
    ----------
    layer : Keras layer
        Of any Keras: Keras 3 on TensorFlow, JAX or PyTorch, ``tf.keras``, tf_keras. It may have weights already.

    Returns
    -------
    Keras layer
        To be used in its place. It has the same name, the same weights in the same order, and is saved with the model.

    Raises
    ------
    ValueError
        If it is not a Keras layer.

    Notes
    -----
    Inputs, outputs and weights travel between the device and the CPU in every step: `devicekit.compare` says what that costs.
    Import Keras before ``from devicekit import on_cpu`` in a program that loads such a model, or use this function
    once before: Keras then knows the class.

    With TensorFlow the layer cannot be a part of a program that XLA compiles for an accelerator. Keras 3 turns
    ``jit_compile`` off for a model that contains it, with a warning if it was asked for; a ``tf.function`` with
    ``jit_compile=True`` raises `DevicekitError`. With JAX the layer is a callback inside the compiled step.

    Examples
    --------
    >>> model = keras.Sequential([keras.Input((8, 8, 3)), devicekit.on_cpu(layers.Conv2D(4, 3)), ...])
    """
    return class_for(keras_of(layer))(layer)


def class_for(keras: Keras) -> Any:
    """Return the class of such layers for a Keras, which knows it from then on when it loads a model."""
    name = keras.module.__name__
    if name not in _classes:
        made = _make_class(keras)
        registered = getattr(keras.module.utils, "register_keras_serializable", None)
        # In 1.15 there is no registry but this one.
        keras.module.utils.get_custom_objects()["OnCPU"] = made
        _classes[name] = registered("devicekit")(made) if registered is not None else made
    return _classes[name]


def leave_to_cpu(layer: Any, keras: Keras) -> None:
    """Let a layer that is in a model already compute on the CPU, until its attribute ``call`` is restored."""
    own = layer.call

    def call(*args: Any, **kwargs: Any) -> Any:
        if not layer.built:
            return own(*args, **kwargs)
        return call_on_cpu(layer, own, keras, args, kwargs)

    vars(layer)["call"] = _Call(call, own)  # past the tracking of attributes


def call_on_cpu(layer: Any, call: Any, keras: Keras, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    """Call a layer, or a function that computes as one, on the CPU.

    Parameters
    ----------
    layer : Keras layer
        Whose variables are read and updated.
    call : callable
        The layer itself, or its ``call``.
    """
    tensors = tensors_of(keras.framework)
    tree = keras.module.tree if keras.generation == 3 else tensors.tree
    leaves = tree.flatten((args, kwargs))
    places = [place for place, leaf in enumerate(leaves) if tensors.is_tensor(leaf)]
    # Variables of Keras 2 cannot be exchanged: TensorFlow notes by itself which ones are read.
    own = keras.generation == 3
    variables = list(layer.variables) if own else []
    # A gradient is read later than its call, outside of what casts the layer's weights there (private, as of 3.0).
    state = sys.modules.get("keras.src.backend.common.global_state")
    cast = state.get_global_attribute("autocast_scope") if state is not None else None
    results: List[Any] = []
    for item in layers_of(layer):
        if hasattr(item, "use_cudnn"):  # with a GPU, Keras 3 calls cuDNN in the scope of the CPU as well
            item.use_cudnn = False

    def function(values: List[Any]) -> List[Any]:
        filled = list(leaves)
        for place, value in zip(places, values):
            filled[place] = value
        given, named = tree.pack_sequence_as((args, kwargs), filled)
        mapping = list(zip(variables, values[len(places) :]))
        casting: Any = type(cast)(cast.dtype) if cast is not None else nullcontext()
        with casting:
            scope: Any = keras.module.StatelessScope(mapping, collect_losses=True) if own else nullcontext()
            with scope:
                results[:] = [call(*given, **named)]
            updated = [scope.get_current_value(item) for item in variables]
        outputs = [item for item in tree.flatten(results[0]) if tensors.is_tensor(item)]
        return outputs + updated + list(getattr(scope, "losses", ()))

    found = tensors.on_cpu(function, [leaves[place] for place in places] + [item.value for item in variables])
    flat = tree.flatten(results[0])
    outputs = [place for place, item in enumerate(flat) if tensors.is_tensor(item)]
    for place, item in zip(outputs, found):
        flat[place] = item
    more = found[len(outputs) :]
    _update(layer, variables, more[: len(variables)], more[len(variables) :])
    return tree.pack_sequence_as(results[0], flat)


def _update(layer: Any, variables: List[Any], values: List[Any], losses: List[Any]) -> None:
    """Put the states that a call has changed into the layer's variables, and its losses to those of the layer."""
    trained = {id(item) for item in layer.trainable_variables} if variables else set()
    for variable, value in zip(variables, values):
        if id(variable) not in trained:
            variable.assign(value)
    for loss in losses:
        layer.add_loss(loss)


class _Call:
    """A ``call`` that takes what another one takes: Keras reads the signature."""

    def __init__(self, compute: Callable[..., Any], other: Any) -> None:
        self._compute = compute
        self.__signature__ = inspect.signature(other)
        self.__name__ = "call"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._compute(*args, **kwargs)


def _make_class(keras: Keras) -> Any:
    module = keras.module
    own = keras.generation == 3
    save = module.saving.serialize_keras_object if own else module.layers.serialize
    load = module.saving.deserialize_keras_object if own else module.layers.deserialize

    class OnCPU(module.layers.Layer):  # type: ignore[misc, name-defined]
        """A layer that the CPU computes: see `devicekit.on_cpu`."""

        def __init__(self, layer: Any, **options: Any) -> None:
            self.__dict__["call"] = _Call(self.computed, layer.call)  # past the tracking, and before Keras reads it
            options.setdefault("name", layer.name)
            # Its inputs and weights are cast by the layer itself.
            options["dtype"] = getattr(layer, "variable_dtype", None) or getattr(layer, "dtype", None)
            super().__init__(**dict(options, autocast=False) if keras.generation != 1 else options)
            self.layer = layer
            self.supports_masking = getattr(layer, "supports_masking", False)
            if keras.framework == "tensorflow":
                self.supports_jit = False

        def computed(self, *args: Any, **kwargs: Any) -> Any:
            """Compute as `call` does; while Keras builds the layer, by the layer itself."""
            if not self.layer.built:
                return self.layer(*args, **kwargs)
            return call_on_cpu(self.layer, self.layer, keras, args, kwargs)

        def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
            """Return the layer's own mask."""
            return self.layer.compute_mask(inputs, mask)

        def compute_output_shape(self, *args: Any, **kwargs: Any) -> Any:
            """Return the layer's own shape."""
            return self.layer.compute_output_shape(*args, **kwargs)

        def get_config(self) -> Dict[str, Any]:
            """Return what Keras saves: the layer's own configuration."""
            config: Dict[str, Any] = super().get_config()
            return dict(config, layer=save(self.layer))

        @classmethod
        def from_config(cls, config: Dict[str, Any], custom_objects: Any = None) -> Any:
            """Make the layer and its wrapper again."""
            config = dict(config)
            layer = load(config.pop("layer"), custom_objects=custom_objects)
            return cls(layer, **config)

    if own:
        OnCPU.compute_output_spec = lambda self, *args, **kwargs: self.layer.compute_output_spec(*args, **kwargs)
    OnCPU.__module__, OnCPU.__qualname__ = __name__, "OnCPU"
    return OnCPU


for _keras in imported_kerases():
    class_for(_keras)  # so that a model with such a layer can be loaded
