"""Calls plain functions in TensorFlow 1.15: each call is a graph of its own, run once."""

from typing import Any, Callable, List, Optional, Tuple

from ....errors import one_line
from ....runtime.frameworks.tensors import FLOATS, HostArray
from ..nests import flatten
from ..random_state import python_seeds
from .caller import Arguments, Called, Caller, Result, labeled, on_device, weights_of_sum


class GraphCaller(Caller):
    """TensorFlow 1.15. The function is called while the graph is built; arguments are arrays of NumPy's.

    Its variables must be made inside the function; they are initialized with the seed.
    """

    def read(self, leaf: Any) -> Optional[HostArray]:
        import tensorflow as tf

        if isinstance(leaf, (tf.Tensor, tf.Variable)) and not hasattr(leaf, "numpy"):
            raise ValueError("with TensorFlow 1.15 the inputs are NumPy arrays: a tensor of a graph has no value")
        return super().read(leaf.numpy() if isinstance(leaf, (tf.Tensor, tf.Variable)) else leaf)

    def call(
        self, function: Callable[..., Any], arguments: Arguments, device: str, seed: int, gradients: bool
    ) -> Called:
        import tensorflow as tf

        v1 = tf.compat.v1
        with python_seeds(seed), v1.Graph().as_default() as graph, on_device(device, "tensorflow1"):
            v1.set_random_seed(seed)
            leaves = [
                leaf if value is None else v1.placeholder(value.dtype, value.array.shape)
                for (_, leaf), value in zip(flatten(arguments.nest), arguments.values)
            ]
            feeds = {
                leaf: value.array.astype(leaf.dtype.as_numpy_dtype)
                for leaf, value in zip(leaves, arguments.values)
                if value is not None
            }
            found = [
                (path, v1.convert_to_tensor(leaf)) for path, leaf in flatten(function(*arguments.with_leaves(leaves)))
            ]
            labels = [labeled("output", path) for path, _ in found]
            fetches, problem = [leaf for _, leaf in found], ""
            if gradients and arguments.differentiable:
                try:
                    for label, item in self._gradients(v1, fetches, arguments, leaves, seed):
                        labels.append(label)
                        fetches.append(item)
                except Exception as error:  # an operation may have none
                    problem = one_line(error)
            initial = v1.global_variables_initializer()
            with v1.Session(graph=graph, config=v1.ConfigProto(allow_soft_placement=True)) as session:
                session.run(initial)
                arrays = session.run(fetches, feeds)
        results = [
            Result(label, self.tensors.to_numpy(array), item.dtype.base_dtype.name)
            for label, item, array in zip(labels, fetches, arrays)
        ]
        return Called(tuple(results[: len(found)]), tuple(results[len(found) :]), problem)

    def _gradients(
        self, v1: Any, outputs: List[Any], arguments: Arguments, leaves: List[Any], seed: int
    ) -> List[Tuple[str, Any]]:
        outputs = [item for item in outputs if item.dtype.base_dtype.name in FLOATS]
        if not outputs:
            return []
        weights = []
        for number, item in enumerate(outputs):
            shape = item.shape
            if not shape.is_fully_defined():
                raise ValueError("the shape of an output is not known before it is computed")
            made = weights_of_sum(tuple(shape.as_list()), seed, number, item.dtype.base_dtype.name)
            weights.append(v1.constant(made, item.dtype.base_dtype))
        found = v1.gradients(outputs, [leaves[number] for number in arguments.differentiable], weights)
        return [
            (labeled("gradient of input", arguments.labels[number]), v1.convert_to_tensor(item))
            for number, item in zip(arguments.differentiable, found)
            if item is not None
        ]
