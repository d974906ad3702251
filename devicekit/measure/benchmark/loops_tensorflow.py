"""The loops with TensorFlow 2 (Keras's own training step in a `tf.function`, as `fit` runs it) and with TensorFlow 1."""

import inspect
from itertools import repeat
from typing import Any, Dict, List, Optional

import numpy as np

from .data import batches, mapped, pool
from .step_loop import Job, Loop, compile_model, optimizer_for, peak_of_process


class TensorFlow1Loop(Loop):
    """Training or inference, with tf.keras, as tf_cnn_benchmarks does it: one call of ``session.run`` a step."""

    def __init__(self, keras: Any, network: Any, job: Job) -> None:
        import tensorflow as tf

        if isinstance(job.parts[0], list) or isinstance(job.parts[1], list):
            raise NotImplementedError("with TensorFlow 1.15, models of one input and one output are measured")
        self.xla = bool(job.xla)
        if self.xla:
            tf.config.optimizer.set_jit(True)
        v1 = tf.compat.v1
        arrays = job.batch()
        self._batches = batches(job.parts, job.batch_size, job.seed) if job.input_pipeline else None
        places = [v1.placeholder(array.dtype, array.shape) for array in arrays]
        kept = [v1.Variable(place, trainable=False, use_resource=True) for place in places]
        inputs, targets = places if job.input_pipeline else kept
        self._places = places
        outputs = network(inputs, training=job.mode == "training")
        session = keras.backend.get_session()
        if job.mode == "training":
            self._fetch = _training(tf, keras, network, job, inputs, outputs, targets)
        else:
            # One number of the outputs; a session computes all of the operation that it comes from.
            self._fetch = [tf.reshape(outputs, [-1])[0]]
        session.run(v1.global_variables_initializer(), dict(zip(places, arrays)))
        self._session = session

    def step(self) -> None:
        feed = None if self._batches is None else dict(zip(self._places, next(self._batches)))
        self._session.run(self._fetch, feed)

    def memory_peak(self) -> Optional[int]:
        on_cpu = all(device.device_type.endswith("CPU") for device in self._session.list_devices())
        # This release counts an accelerator's memory in its logs only.
        return peak_of_process() if on_cpu else None


def _training(tf: Any, keras: Any, network: Any, job: Job, inputs: Any, outputs: Any, targets: Any) -> List[Any]:
    """What a step of training fetches: the update of all weights, and the loss."""
    if job.loss == "squares":
        loss = tf.reduce_mean(tf.math.squared_difference(outputs, targets))
    elif job.loss == "logits":
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=outputs))
    else:
        loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(targets, outputs))
    optimizer = optimizer_for(keras, job)
    if "float16" in keras.mixed_precision.experimental.global_policy().name:
        optimizer = keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, "dynamic")
    updates = list(optimizer.get_updates(loss, network.trainable_weights))
    # The moving averages of batch normalization.
    updates += network.get_updates_for(inputs) + network.get_updates_for(None)
    with tf.control_dependencies(updates):
        return [tf.identity(loss)]


class TensorFlowLoop(Loop):
    """Training or inference, with Keras 2 or 3.

    The step is ``model.train_step``, which is what ``fit`` compiles. It waits by fetching the loss: that is copied after
    all that the step has put into the device's queue, the update of the weights included.
    """

    def __init__(self, keras: Any, network: Any, job: Job) -> None:
        import tensorflow as tf

        self._tf = tf
        self.xla = _compile(keras, network, job)
        if job.mode == "training":

            def step(inputs: Any, targets: Any) -> Any:
                return network.train_step((inputs, targets))

        else:

            def step(inputs: Any, targets: Any) -> Any:
                return network(inputs, training=False)

        self._run = tf.function(step, **_jit(tf, self.xla))
        self._batches = iter(_dataset(tf, job)) if job.input_pipeline else repeat(mapped_batch(tf, job))

    def step(self) -> None:
        inputs, targets = next(self._batches)
        result = self._tf.nest.flatten(self._run(inputs, targets))[0]
        # One number, so that waiting costs nothing next to; taken out of the result outside of the function, so that no
        # compiler leaves out what is not asked for.
        (result if result.shape.rank == 0 else self._tf.reshape(result, [-1])[0]).numpy()

    def flops_per_step(self) -> Optional[float]:
        tf = self._tf
        graph = self._run.get_concrete_function(*next(self._batches)).graph
        # The profiler does not look into functions and loops, and does not know cuDNN's recurrent layers.
        if any(operation.type in _UNCOUNTED for operation in graph.get_operations()):
            return None
        options = dict(tf.compat.v1.profiler.ProfileOptionBuilder.float_operation(), output="none")
        counted = tf.compat.v1.profiler.profile(graph, options=options)
        return float(counted.total_float_ops) or None

    def memory_peak(self) -> Optional[int]:
        tf = self._tf
        devices = [device for device in tf.config.list_logical_devices() if device.device_type not in _NO_MEMORY]
        if not devices:
            return peak_of_process()
        try:
            info: Dict[str, int] = tf.config.experimental.get_memory_info(devices[0].name)
        except (AttributeError, ValueError, tf.errors.OpError):  # before 2.5; plug-ins do not all count
            return None
        return int(info["peak"]) or None


_UNCOUNTED = ("While", "StatelessWhile", "PartitionedCall", "StatefulPartitionedCall", "CudnnRNN", "CudnnRNNV3")
_NO_MEMORY = ("CPU", "XLA_CPU", "XLA_GPU", "TPU_SYSTEM", "COMPOSITE")


def _compile(keras: Any, network: Any, job: Job) -> bool:
    """Compile the model, and return whether its step is compiled by XLA."""
    options: Dict[str, Any] = {}
    if "jit_compile" in inspect.signature(network.compile).parameters and job.xla is not None:
        options["jit_compile"] = job.xla
    compile_model(keras, network, job, **options)
    if job.xla is not None:
        return job.xla
    # Keras 3 compiles by XLA by itself, Keras 2 does not.
    return bool(getattr(network, "jit_compile", False))


def _jit(tf: Any, xla: bool) -> Dict[str, Any]:
    name = "jit_compile" if "jit_compile" in inspect.signature(tf.function).parameters else "experimental_compile"
    return {name: True} if xla else {}


def mapped_batch(tf: Any, job: Job) -> Any:
    """The batch on the device: in the memory of the accelerator, if there is one."""
    inputs, targets = job.batch()
    return mapped(_on_device(tf), inputs), mapped(_on_device(tf), targets)


def _on_device(tf: Any) -> Any:
    # A constant of the eager mode stays where it was made; `identity` is the operation that moves it.
    return lambda values: tf.identity(tf.constant(values))


def _dataset(tf: Any, job: Job) -> Any:
    """An input pipeline as the guides write it: shuffle, prepare in parallel, batch, prefetch."""
    inputs, targets = (
        tuple(side) if isinstance(side, list) else side for side in pool(job.parts, job.batch_size, job.seed)
    )
    images = not isinstance(inputs, tuple) and inputs.dtype == np.uint8

    def prepare(example: Any, target: Any) -> Any:
        scaled = tf.cast(example, tf.float32) / 127.5 - 1.0
        return tf.image.random_flip_left_right(scaled, seed=job.seed), target

    automatic = tf.data.experimental.AUTOTUNE
    data = tf.data.Dataset.from_tensor_slices((inputs, targets)).repeat().shuffle(1024, seed=job.seed)
    if images:
        data = data.map(prepare, num_parallel_calls=automatic)
    data = data.batch(job.batch_size, drop_remainder=True)
    prefetch = job.settings.get("prefetch")
    return data.prefetch(automatic if prefetch is None else int(prefetch)) if prefetch != 0 else data
