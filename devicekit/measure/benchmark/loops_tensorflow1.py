"""The loop with TensorFlow 1.15: one graph, one session, the batch in a variable on the device."""

from typing import Any, List, Optional

from .data import batches
from .step_loop import Job, Loop, optimizer_for, peak_of_process


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
