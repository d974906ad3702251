"""Runs the suite in TensorFlow 1.15, as a graph in a session, and notices where each node really ran."""

from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from ....logs.errors import is_missing_kernel
from ....runtime.frameworks import tensors_of
from .eager_engine import message, worst
from .engine import Engine, OperationOutcome
from .operation import Operation, cotangent


class GraphEngine(Engine):
    """TensorFlow 1.15: one graph and one session for each operation.

    The session is first made without soft placement, which refuses a node that has no kernel on the device; then with it,
    as most programs for DirectML are, to see where that node goes instead. Nothing of the graph is rewritten or folded:
    what is compared are the kernels.
    """

    framework = "tensorflow1"

    def __init__(self) -> None:
        import tensorflow as tf

        from ....runtime.frameworks.kinds_tensorflow import KINDS, REFERENCES

        self.tensors = tensors_of(self.framework)
        self._v1: Any = tf.compat.v1
        self._v2: Any = tf.compat.v2
        self._kinds = KINDS
        self._references = REFERENCES

    def devices(self) -> Tuple[str, ...]:
        return self.tensors.devices()

    def kinds(self) -> Tuple[str, ...]:
        return tuple(self._kinds)

    def dtypes(self, device: str) -> Tuple[str, ...]:
        return ("float64", "float32", "float16")

    def run(
        self, operation: Operation, arrays: Sequence[np.ndarray], dtype: str, device: str, seed: int = 0
    ) -> OperationOutcome:
        case = (operation, arrays, dtype, device, seed)
        on_cpu = device.rpartition("device:")[2].upper().startswith("CPU")
        # The gradient of a grouped convolution is not refused by the CPU's kernel of 1.15: it crashes the process.
        composed = on_cpu and (dtype == "float64" or operation.options.get("groups", 1) > 1)
        problem = ""
        while True:
            try:
                found = self._run(*case, composed=composed, soft=bool(problem))
                return OperationOutcome(found.outputs, found.gradients, found.ran_on, problem, bool(problem))
            except Exception as error:
                missing = is_missing_kernel(error)
                if problem or not missing:
                    return OperationOutcome(error=problem or message(error), unsupported=bool(problem) or missing)
                if on_cpu and (composed or operation.operation not in self._references):
                    return OperationOutcome(error=message(error), unsupported=True)
                if on_cpu:
                    composed = True
                else:
                    problem = message(error)

    def _run(
        self,
        operation: Operation,
        arrays: Sequence[np.ndarray],
        dtype: str,
        device: str,
        seed: int,
        composed: bool,
        soft: bool,
    ) -> OperationOutcome:
        tf = self._v1
        wanted = tf.as_dtype(dtype)
        function = self._kinds[operation.operation]
        if composed:
            function = self._references.get(operation.operation, function)
        options: Dict[str, Any] = dict(operation.options, dtype=wanted)
        with tf.Graph().as_default():
            # Fed, not constant: a constant could be folded, on the CPU. Where they lie does not matter.
            given = [item if item.dtype.kind == "i" else item.astype(wanted.as_numpy_dtype) for item in arrays]
            feeds = [tf.placeholder(item.dtype, item.shape) for item in given]
            with tf.device(device):
                inputs = [tf.identity(feed) for feed in feeds]
                sources = [inputs[index] for index in operation.differentiated]
                found = function(self._v2, inputs, options)
                outputs = tuple(found) if isinstance(found, (tuple, list)) else (found,)
                gradients: List[Any] = []
                if sources:
                    targets = [(index, item) for index, item in enumerate(outputs) if item.dtype.is_floating]
                    weights = []
                    for index, item in targets:
                        values = cotangent(operation, tuple(item.shape.as_list()), seed, index, dtype)
                        given.append(values.astype(item.dtype.as_numpy_dtype))
                        with tf.device(None):
                            feeds.append(tf.placeholder(item.dtype, item.shape))
                        weights.append(tf.identity(feeds[-1]))
                    found = tf.gradients([item for _, item in targets], sources, grad_ys=weights)
                    gradients = [tf.convert_to_tensor(item) for item in found]
            with tf.Session(config=self._config(soft)) as session:
                seen = tf.RunMetadata()
                asked = tf.RunOptions(output_partition_graphs=True)
                fetched = session.run([list(outputs), gradients], dict(zip(feeds, given)), asked, seen)
        return OperationOutcome(
            tuple(np.asarray(item) for item in fetched[0]),
            tuple(np.asarray(item) for item in fetched[1]),
            worst(_places(seen, feeds), device),
        )

    def _config(self, soft: bool) -> Any:
        config = self._v1.ConfigProto(allow_soft_placement=soft)
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        config.graph_options.optimizer_options.opt_level = -1
        return config


def _places(seen: Any, feeds: Sequence[Any]) -> List[str]:
    """Return the devices on which nodes ran, without those that only feed and fetch."""
    places: Dict[str, None] = {}
    fed = {feed.op.name for feed in feeds}
    for graph in seen.partition_graphs:
        for node in graph.node:
            moves = node.op in ("_Send", "_Recv", "_HostSend", "_HostRecv", "_Arg", "_Retval", "Const", "NoOp")
            if not moves and node.name not in fed and node.device:
                places[node.device] = None
    return list(places)
