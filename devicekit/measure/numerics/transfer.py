"""Compares the same Keras 3 model between frameworks: each in a separate process, layer by layer, on the CPU.

Configuration, weights and inputs are written to a folder, with what every layer is given in this process. A worker for each
other framework makes the model again and repeats the calls; they are judged here, against the layer in float64.
"""

import importlib.util
import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from ...errors import DevicekitError, one_line, text_of
from ...runtime.frameworks.keras_model import Keras, keras_of, layers_of, public_class
from ...runtime.frameworks.tensors import HostArray
from ...runtime.scratch import scratch_folder
from .layers.clone import NotClonable, is_container
from .layers.coarse_products import as_layers_show
from .layers.compare_call import Subject, compare_call, compare_whole
from .layers.compare_layers import only_the_cause
from .layers.recorded_calls import Call
from .layers.runner import LayerOutcome, Runner, Work
from .layers.sizes import sizes_of_whole
from .layers.ways import ways_to_call
from .result import Difference
from .transfer_worker import key_of, read_json, read_outcome, write_arrays, write_json, write_nest

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
            "use no lambda. Keras says: %s" % (_REGISTER, " ".join(text_of(error).split())[:300])
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
    """Return what has to be imported for one object; a `ValueError` if it cannot be."""
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
    """Return module and name of a class or function; a `ValueError` if a fresh process does not find it."""
    package, name = str(made.__module__), str(made.__qualname__)
    if package == "__main__" or ("<locals>" in name and not registered):
        where = "the script itself" if package == "__main__" else "a function"
        raise ValueError(
            "%s is defined in %s, where another process does not find it: move it into a module that can be imported, and %s"
            % (name.rpartition(".")[2], where, _REGISTER)
        )
    # What is registered is known to Keras as soon as its module is imported.
    return package, "" if registered else name


#: The worker imports a framework, compiles each layer's operations, and computes its gradients.
_TIMEOUT_S = 900.0


def compare_frameworks(
    model: Any,
    inputs: Any,
    targets: Any = None,
    loss: Any = None,
    frameworks: Sequence[str] = ("tensorflow", "jax"),
    seed: int = 0,
    say: Optional[Callable[..., None]] = None,
) -> Tuple[Difference, ...]:
    """Compare a Keras 3 model between frameworks on the CPU, with the model in float64 on its own framework.

    ``frameworks``: all that are to be compared; that of the model is computed in this process. The model is left as it was.

    Returns
    -------
    tuple of Difference
        Those of layers first; ``framework`` says where, ``device`` is ``"cpu"``.

    Raises
    ------
    ValueError
        If the model cannot be made again in another process: it has no configuration, bytecode in it, or classes that
        the process cannot import; or a framework is not installed.
    DevicekitError
        If the model raises, here or there.
    """
    say = say or (lambda *_, **__: None)
    keras = keras_of(model)
    others = [name for name in frameworks if name != keras.framework]
    for name in others:
        if importlib.util.find_spec(name) is None:
            raise ValueError("%s is not installed in this environment: pip install %s" % (name, name))
    about = describe_model(model, keras, loss)
    runner = _Elsewhere(model, keras)
    with runner.unchanged(), scratch_folder() as folder:
        try:
            calls = [call for call in runner.record(inputs) if _is_compared(call)]
        except (KeyboardInterrupt, NotClonable):
            raise
        except Exception as error:  # whatever the user's model raises
            message = "the model raises with %s already: %s"
            raise DevicekitError(message % (keras.framework, one_line(error))) from error
        _write(folder, about, model, runner, calls, inputs, targets)
        for name in others:
            runner.results[name] = _results(name, folder, seed, say)
        return _judged(runner, calls, inputs, targets, loss, frameworks, seed, say)


class _Elsewhere(Runner):
    """A runner whose other devices are frameworks, which have computed already."""

    def __init__(self, model: Any, keras: Keras) -> None:
        super().__init__(model, keras)
        self.results: Dict[str, _Results] = {}
        self.now = "whole"

    def place(self, device: str) -> str:
        return self.results[device].ran_on if device in self.results else super().place(device)

    def for_device(self, layer: Any, work: Work, device: str) -> Any:
        return layer if device in self.results else super().for_device(layer, work, device)

    def run(
        self, subject: Any, work: Work, device: str, double: bool, cotangent: Any, head: Any = None
    ) -> LayerOutcome:
        if device not in self.results:
            return super().run(subject, work, device, double, cotangent, head)
        return self.results[device].take(self.now, key_of(work, cotangent))


class _Results:
    """What a worker has computed."""

    def __init__(self, folder: str) -> None:
        found = read_json(folder, "outcomes")
        self._folder = folder
        self._calls: Dict[str, Dict[str, Any]] = dict(found["calls"], whole=found["whole"])
        self.ran_on = ""

    def take(self, call: str, key: str) -> LayerOutcome:
        """Return the outcome of one way of calling a layer.

        Raises
        ------
        RuntimeError
            What was raised there.
        """
        known = self._calls.get(call, {})
        item = known if "error" in known else known.get(key, {"error": "nothing was computed for it"})
        if "error" in item:
            raise RuntimeError(item["error"])
        outcome = read_outcome(self._folder, item)
        self.ran_on = self.ran_on or outcome.ran_on
        return outcome


def _is_compared(call: Call) -> bool:
    """Whether a layer is compared on its own: those inside Keras's own layers are a part of them."""
    if is_container(call.layer):
        return False
    outer = call.outer
    while outer is not None:
        if public_class(outer.layer)[1] and not is_container(outer.layer):
            return False
        outer = outer.outer
    return True


def _write(
    folder: str, about: Dict[str, Any], model: Any, runner: Runner, calls: Sequence[Call], inputs: Any, targets: Any
) -> None:
    weights = [runner.tensors.variable_to_numpy(item) for item in model.weights]
    write_arrays(folder, "weights", weights)
    listed = []
    for place, call in enumerate(calls):
        ways = ways_to_call(runner, call, 0, corners=False)
        held = [leaf for leaf in ways[0].work.leaves if isinstance(leaf, HostArray)] if ways else []
        write_arrays(folder, "call%d" % place, [leaf.array for leaf in held])
        dtypes = [leaf.dtype for leaf in held]
        listed.append({"place": place, "path": call.path, "number": call.number, "dtypes": dtypes})
    about = dict(
        about,
        calls=listed,
        weights=[{"shape": list(map(int, item.shape))} for item in weights],
        inputs=write_nest(folder, "inputs", inputs),
        targets=None if targets is None else write_nest(folder, "targets", targets),
    )
    write_json(folder, "about", about)


def _results(name: str, folder: str, seed: int, say: Callable[..., None]) -> _Results:
    """Let a worker compute with a framework.

    Raises
    ------
    DevicekitError
        If it could not.
    """
    from ...children.call import run_child

    results = os.path.join(folder, name)
    os.mkdir(results)
    task = {"framework": name, "folder": folder, "results": results, "seed": seed}
    report = run_child(
        "devicekit.measure.numerics.transfer_worker:run_model",
        task,
        timeout_s=_TIMEOUT_S,
        # What the user's process has is for its own framework.
        environment=(("KERAS_BACKEND", name), ("KERAS_TORCH_DEVICE", "cpu" if name == "torch" else None)),
        tick=lambda: say("worker"),
    )
    if report.outcome != "done":
        raise DevicekitError(
            "the model could not be computed with %s (%s): %s"
            % (name, report.outcome, _advice(report.error, report.detail))
        )
    return _Results(results)


def _advice(error: str, detail: str) -> str:
    text = ": ".join(part for part in (error, " ".join(detail.split())[:600]) if part)
    if error in ("TypeError", "ValueError", "ModuleNotFoundError", "AttributeError") and (
        "register" in detail or "deserializ" in detail or "locate" in detail or "No module" in detail
    ):
        text += ". Of every class and function of your own: put it in a module that can be imported, and " + _REGISTER
    return text


def _judged(
    runner: _Elsewhere,
    calls: Sequence[Call],
    inputs: Any,
    targets: Any,
    loss: Any,
    frameworks: Sequence[str],
    seed: int,
    say: Callable[..., None],
) -> Tuple[Difference, ...]:
    own = runner.keras.framework
    subject = Subject(runner, own, seed, corners=False)
    devices = ["cpu" if name == own else name for name in frameworks]
    found: List[Difference] = []
    for place, call in enumerate(calls):
        runner.now = str(place)
        found += compare_call(subject, call, place, devices)
        runner.forget()
        say("layers")
    runner.now = "whole"
    sizes = sizes_of_whole([call for call in calls if not call.inner], layers_of(runner.model))
    found += compare_whole(subject, inputs, targets, loss, sizes, devices, found)
    say("model")
    return tuple(
        item if item.device == "cpu" else item.replace(device="cpu", framework=item.device)
        for item in as_layers_show(only_the_cause(found))
        if not item.what.partition(",")[0].endswith(
            "seed_generator_state"
        )  # each framework has random numbers of its own
    )
