"""Repeats the calls of layers in TensorFlow's graphs, as of 1.15: every layer again in a graph of its own.

The user's model, its graph and its session are only read. What is run is the model made again from its configuration, with
the same weights; so a model whose class has no ``get_config`` cannot be compared here.
"""

import contextlib
from typing import Any, ContextManager, Dict, Iterator, List, Optional

import numpy as np

from ....errors import DevicekitError
from ....runtime.frameworks.keras_model import Keras
from ....runtime.frameworks.tensors import HostArray, flatten, rebuild
from ....selection.request import parse_request
from ..random_state import kept_random
from .clone import NotClonable, again, again_whole, fit_together, global_float64, variables
from .recorded_calls import Call, record
from .runner import CopyingRunner, Cotangent, Head, LayerOutcome, Runner, Work


class _Tensor:
    """Stands for what a tensor of the recorded graph will be."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


class _Program:
    """A layer in a graph: placeholders for all that it gets, and what it gives."""

    def __init__(self, graph: Any, session: Any, layer: Any, feeds: List[Any], fetches: List[List[Any]]) -> None:
        self.graph = graph
        self.session = session
        self.layer = layer
        self.feeds = feeds
        self.fetches = fetches


class GraphRunner(Runner):
    """``tf.keras`` in graphs and sessions."""

    weights_are_free = False

    def __init__(self, model: Any, keras: Keras) -> None:
        super().__init__(model, keras)
        import tensorflow as tf

        self._tf = tf.compat.v1
        self._programs: Dict[Any, _Program] = {}
        self._values = keras.module.backend.batch_get_value(list(model.weights))
        self._recorded: Dict[int, List[HostArray]] = {}

    def unchanged(self) -> ContextManager[None]:
        return kept_random("tensorflow1")  # nothing of the model is run

    def place(self, device: str) -> str:
        return self._name(device)

    def record(self, inputs: Any) -> List[Call]:
        with self._graph("cpu") as session:
            try:
                copy = again_whole(self.model, self.keras, self.known, False)
                given = self._made(inputs, False)
                copy(given, training=False)
                fit_together(self.model, copy)
            except NotClonable as error:
                message = "TensorFlow 1.15 needs the model again, from its configuration, which does not work here: %s"
                raise DevicekitError(message % error) from error
            self.keras.module.backend.batch_set_value(list(zip(copy.weights, self._values)))
            plain = self._tf.autograph.experimental.do_not_convert
            run = lambda: copy(given, training=False)  # noqa: E731
            calls = record(copy, run, self._hold_later, self._in_loop, plain)
            self._fetch(calls, session)
            for call in calls:
                own = variables(call.layer)
                arrays = session.run(own) if own else []
                self._recorded[id(call.layer)] = [HostArray(a, v.dtype.base_dtype.name) for a, v in zip(arrays, own)]
            self._recorded[id(self.model)] = [
                HostArray(array, item.dtype.base_dtype.name) for array, item in zip(self._values, self.model.weights)
            ]
        return calls

    def _fetch(self, calls: List[Call], session: Any) -> None:
        """Put values in the place of the tensors that calls were recorded with."""
        wanted = [leaf for call in calls for _, leaf in flatten((call.args, call.kwargs)) if isinstance(leaf, _Tensor)]
        values = iter(session.run([item.tensor for item in wanted]))
        for call in calls:
            leaves = []
            for _, leaf in flatten((call.args, call.kwargs)):
                known = isinstance(leaf, _Tensor)
                leaves.append(HostArray(np.asarray(next(values)), leaf.tensor.dtype.base_dtype.name) if known else leaf)
            call.args, call.kwargs = rebuild((call.args, call.kwargs), leaves)

    def _hold_later(self, value: Any) -> Optional[_Tensor]:
        return _Tensor(value) if self._tf.is_tensor(value) else None

    def _in_loop(self, value: Any) -> bool:
        if not self._tf.is_tensor(value) or not hasattr(value, "op"):
            return False
        other_graph = value.graph is not self._tf.get_default_graph()
        return other_graph or value.op._get_control_flow_context() is not None

    def weights(self, layer: Any) -> List[HostArray]:
        return self._recorded[id(layer)]

    def forget(self) -> None:
        for program in self._programs.values():
            program.session.close()
        self._programs.clear()

    def in_float64(self, layer: Any, work: Work) -> Any:
        return layer

    def for_device(self, layer: Any, work: Work, device: str) -> Any:
        return layer

    def run(
        self, subject: Any, work: Work, device: str, double: bool, cotangent: Cotangent, head: Optional[Head] = None
    ) -> LayerOutcome:
        # A placeholder has the shape that the program was made for.
        constants = str([leaf.array.shape if isinstance(leaf, HostArray) else leaf for leaf in work.leaves])
        key = (id(subject), device, double, head is None, constants, tuple(work.kwargs))
        if key not in self._programs:
            self._programs[key] = self._build_program(subject, work, device, double, head)
        program = self._programs[key]
        outputs, weightings, gradients, updates = program.fetches
        feed = dict(zip(program.feeds, (leaf.array for leaf in work.leaves if isinstance(leaf, HostArray))))
        with program.graph.as_default(), program.session.as_default():
            values = [item.array for item in work.weights]
            self.keras.module.backend.batch_set_value(list(zip(variables(program.layer), values)))
            sizes = program.session.run([self._tf.shape(item) for item in outputs], feed)
            for number, (output, place) in enumerate(zip(outputs, weightings)):
                if place is not None:
                    shape = tuple(int(size) for size in sizes[number])
                    weights = cotangent(number, shape, output.dtype.base_dtype.name)
                    feed[place] = np.zeros(shape) if weights is None else weights
            given = [item for item in gradients if item is not None]
            found, pulled, after = program.session.run([outputs, given, updates], feed)
        rest = iter(pulled)
        return LayerOutcome(
            [self._held(array, tensor) for array, tensor in zip(found, outputs)],
            [None if item is None else np.asarray(next(rest)) for item in gradients],
            [self._held(array, tensor) for array, tensor in zip(after, updates)],
            "",
        )

    def _held(self, array: Any, tensor: Any) -> HostArray:
        dtype = tensor.dtype.base_dtype.name
        return HostArray(np.asarray(array, np.float32 if dtype == "bfloat16" else None), dtype)

    def _build_program(self, subject: Any, work: Work, device: str, double: bool, head: Optional[Head]) -> _Program:
        tf = self._tf
        with self._graph(device, keep=True) as session, tf.device(self._name(device)):
            feeds: List[Any] = []
            leaves: List[Any] = []
            for leaf in work.leaves:
                if isinstance(leaf, HostArray):
                    dtype = "float64" if double and leaf.is_float else leaf.dtype
                    feeds.append(tf.placeholder(dtype, leaf.array.shape))
                    leaves.append(tf.identity(feeds[-1]))
                else:
                    leaves.append(leaf)
            make = again_whole if subject is self.model else again
            with global_float64(self.keras, double):
                copy = make(subject, self.keras, self.known, double)
                args, kwargs = rebuild((work.args, work.kwargs), leaves)
                result = copy(*args, **kwargs)
            if len(variables(copy)) != len(work.weights):
                raise NotClonable("made again from its configuration it has other weights")
            outputs = [item for _, item in flatten(result) if tf.is_tensor(item)]
            if head is not None:
                outputs.insert(0, head(outputs))
            floats = [item.dtype.is_floating for item in outputs]
            weightings = [tf.placeholder(o.dtype, o.shape) if f else None for o, f in zip(outputs, floats)]
            sources = [leaves[i] for i in work.inputs] + [variables(copy)[i] for i in self.trained(copy)]
            pairs = [(o, w) for o, w in zip(outputs, weightings) if w is not None]
            gradients: List[Any] = [None] * len(sources)
            if pairs and sources:
                found = tf.gradients([o for o, _ in pairs], sources, [w for _, w in pairs])
                gradients = [None if item is None else tf.convert_to_tensor(item) for item in found]
            trained = set(self.trained(copy))
            training = work.kwargs.get("training") is True
            with tf.control_dependencies(outputs + list(copy.updates if training else ())):
                others = [item for i, item in enumerate(variables(copy)) if i not in trained]
                updates = [tf.identity(item.read_value()) for item in others]
            session.run(tf.global_variables_initializer())
        return _Program(session.graph, session, copy, feeds, [outputs, weightings, gradients, updates])

    @contextlib.contextmanager
    def _graph(self, device: str, keep: bool = False) -> Iterator[Any]:
        """A graph and a separate session, configured as the user's are."""
        from tensorflow.python.eager import context

        tf = self._tf
        config = tf.ConfigProto()
        config.CopyFrom(context.context().config)
        config.allow_soft_placement = True
        kind, _, number = self._name(device).rpartition("/device:")[2].partition(":")
        if kind == "CPU":  # a session has as many processors as it is given
            config.device_count["CPU"] = int(number) + 1
        graph = tf.Graph()
        session = tf.Session(graph=graph, config=config)
        try:
            with graph.as_default(), session.as_default():
                yield session
        except BaseException:
            session.close()
            raise
        if not keep:
            session.close()

    def _name(self, device: str) -> str:
        from ....runtime.frameworks import adapter

        name = adapter("tensorflow1").device_name(parse_request(device))
        if name is None:
            raise DevicekitError("TensorFlow does not list %r" % device)
        return name


def runner_of(model: Any, keras: Keras) -> Runner:
    """Return what runs the layers of a model."""
    if keras.generation == 3:
        return Runner(model, keras)
    import tensorflow as tf

    if tf.executing_eagerly():
        return CopyingRunner(model, keras)
    return GraphRunner(model, keras)
