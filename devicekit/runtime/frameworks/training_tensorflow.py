"""Training with Keras on TensorFlow: Keras 3, tf.keras 2, and TensorFlow 1.15; also with the strategies of `tf.distribute`."""

import os
import sys
from time import perf_counter
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import tensorflow as tf

from ...errors import log
from ...selection.request import NO_ACCELERATOR
from .training import TimedStep, Training, counted, leaves, shapes_of


class TensorFlowTraining(Training):
    """Keras calls ``train_function(iterator)``, which takes the batch inside of the compiled function.

    So the wait for data can only be seen by taking the batch first, and calling the function with an iterator that has it. The
    same compiled version runs, because the new iterator has the same type.
    """

    framework = "tensorflow"
    _held: Any = None
    _variant_of: Any = None

    def synchronize(self, outputs: Any = None) -> None:
        # From 2.12 on.
        wait = getattr(getattr(tf.test, "experimental", None), "sync_devices", None)
        if wait is not None:
            wait()
            return
        for tensor in leaves(outputs)[:1]:
            if hasattr(tensor, "numpy"):
                tensor.numpy()

    def timed(self, function: Any, arguments: Tuple[Any, ...], batches: int) -> TimedStep:
        iterator = arguments[0]
        if batches != 1 or not isinstance(iterator, tf.data.Iterator):
            return super().timed(function, arguments, batches)._replace(compute_s=None)
        self.synchronize()
        started = perf_counter()
        batch = next(iterator)
        wait_s = perf_counter() - started
        step = super().timed(function, (self.holding(batch, iterator.element_spec),), batches)
        return step._replace(wait_s=wait_s, shapes=shapes_of(batch))

    def holding(self, batch: Any, spec: Any) -> Any:
        """Return an iterator of this type with one batch: the one there is, as a new one copies the library of functions."""
        if self._held is None or self._held.element_spec != spec:
            self._variant_of = _variant_of.get_concrete_function(spec)
            self._held = iter(tf.data.experimental.from_variant(self._variant_of(batch), spec))
        else:
            tf.raw_ops.MakeIterator(dataset=self._variant_of(batch), iterator=self._held._iterator_resource)
        return self._held

    def release(self) -> None:
        self._held = self._variant_of = None

    def programs(self, function: Any) -> Optional[int]:
        counts = [item.experimental_get_tracing_count() for item in counted(function, "experimental_get_tracing_count")]
        return max(counts) if counts else None

    def hear_traces(self, hearer: Callable[[str], None]) -> Callable[[], None]:
        return hear_traces(hearer)

    def accelerators(self) -> Tuple[str, ...]:
        return tuple(
            "%s:%d" % (device.device_type, number)
            for kind in ("GPU", "DML", "XPU", "TPU")
            for number, device in enumerate(tf.config.get_visible_devices(kind))
        )

    def memory(self) -> Dict[str, Optional[int]]:
        info = getattr(tf.config.experimental, "get_memory_info", None)  # from 2.5 on
        if info is None or not tf.config.get_visible_devices("GPU"):
            return {}
        try:
            return {"peak_bytes": int(info("GPU:0")["peak"])}
        except (ValueError, tf.errors.OpError):  # a plug-in's device, whose allocator does not count
            return {}


class TensorFlow1Training(TensorFlowTraining):
    """TensorFlow 1.15: a session runs each step, and returns when it is done."""

    framework = "tensorflow1"
    wraps = False
    fetches_before = True

    def devices_of(self, values: Any) -> Tuple[str, ...]:
        return ()  # a graph has names of devices, and not where they ran

    def accelerators(self) -> Tuple[str, ...]:
        return ()


def tensorflow_training() -> Training:
    """Return the `Training` of the TensorFlow that is installed."""
    return TensorFlow1Training() if tf.__version__.startswith("1.") else TensorFlowTraining()


@tf.function(autograph=False)  # type: ignore[untyped-decorator, unused-ignore]
def _variant_of(batch: Any) -> Any:
    """Return a dataset with this batch. What is in a function is prepared once; optimizing takes longer than the rest."""
    options = tf.data.Options()
    options.experimental_optimization.apply_default_optimizations = False
    if hasattr(options, "autotune"):  # from 2.6 on
        options.autotune.enabled = False
    with tf.device("CPU:0"):
        return tf.data.experimental.to_variant(tf.data.Dataset.from_tensors(batch).with_options(options))


#: Who hears of traces, and what TensorFlow itself calls at each while someone does.
_hearers: List[Callable[[str], None]] = []
_original: Any = None


def hear_traces(hearer: Callable[[str], None]) -> Callable[[], None]:
    """See `Training.hear_traces`.

    TensorFlow warns of frequent tracing (from 2.5 on): what counts for that is called after each trace of a function that was
    called eagerly, so that a step without one costs nothing. The warning itself comes at most twice, and can be switched off.
    """
    global _original
    module = sys.modules.get(type(tf.function(hear_traces)).__module__)
    kind: Any = type(getattr(module, "_frequent_tracing_detector_manager", None))
    original = getattr(kind, "called_with_tracing", None)
    if original is None:
        return lambda: None
    _hearers.append(hearer)
    if len(_hearers) == 1:
        _original = original
        kind.called_with_tracing = _told

    def forget() -> None:
        if hearer in _hearers:
            _hearers.remove(hearer)
            if not _hearers:
                kind.called_with_tracing = _original

    return forget


def _told(*arguments: Any, **options: Any) -> Any:
    name = _name_of(arguments[1] if len(arguments) > 1 else None)
    for hearer in list(_hearers) if name else ():
        hearer(name)
    return _original(*arguments, **options)


def _name_of(key: Any) -> str:
    """Return the name of a traced function of the program, "" for one of TensorFlow, Keras, or devicekit."""
    code = getattr(getattr(key, "func", key), "__code__", key)
    path = getattr(code, "co_filename", "")
    libraries = [sys.modules.get(name) for name in ("tensorflow", "keras", "tf_keras", __name__.partition(".")[0])]
    folders = [os.path.dirname(getattr(module, "__file__", None) or "") for module in libraries]
    if any(folder and path.startswith(folder + os.sep) for folder in folders):
        return ""
    return "%s (%s:%d)" % (code.co_name, os.path.basename(path), code.co_firstlineno) if path else type(code).__name__


def _visible() -> List[str]:
    """The logical names of the visible accelerators, in TensorFlow's order: ``/device:GPU:0``."""
    config = tf.config if hasattr(tf.config, "get_visible_devices") else tf.config.experimental
    counted: List[str] = []
    for device in config.get_visible_devices():
        if device.device_type not in NO_ACCELERATOR:
            number = sum(name.startswith("/device:%s:" % device.device_type) for name in counted)
            counted.append("/device:%s:%d" % (device.device_type, number))
    return counted


def one_device() -> Any:
    """Return `OneDeviceStrategy` for the first visible accelerator, or the CPU."""
    return tf.distribute.OneDeviceStrategy((_visible() or ["/device:CPU:0"])[0])


def mirrored(cross_device_ops: str) -> Any:
    """Return `MirroredStrategy` over the visible accelerators."""
    return tf.distribute.MirroredStrategy(_visible(), cross_device_ops=_cross_device_ops(cross_device_ops))


def _cross_device_ops(name: str) -> Any:
    if name == "nccl" and not _has_nccl():
        log("warning", "this build of TensorFlow has no kernels for NCCL: gradients are summed by copies")
        name = "hierarchical-copy"
    makers = {
        "nccl": tf.distribute.NcclAllReduce,
        "hierarchical-copy": tf.distribute.HierarchicalCopyAllReduce,
        "reduction-to-one-device": tf.distribute.ReductionToOneDevice,
    }
    return makers[name]()


def _has_nccl() -> bool:
    """Whether the build has the kernels; private, and what TensorFlow's own choice looks at."""
    try:
        from tensorflow.python.framework import kernels

        return bool(list(kernels.get_registered_kernels_for_op("NcclAllReduce").kernel))
    except (ImportError, AttributeError):  # elsewhere in another release: let TensorFlow say so
        return True


def multi_worker(workers: Optional[Sequence[str]], index: int, communication: str) -> Any:
    """Return `MultiWorkerMirroredStrategy` for the workers with these addresses; None: as ``TF_CONFIG`` says.

    It waits until all workers are there.
    """
    distribute = tf.distribute
    options = None
    if hasattr(distribute.experimental, "CommunicationImplementation"):
        kind = getattr(distribute.experimental.CommunicationImplementation, communication.upper())
        options = distribute.experimental.CommunicationOptions(implementation=kind)
    resolver = None
    if workers is not None:
        spec = tf.train.ClusterSpec({"worker": list(workers)})
        resolver = distribute.cluster_resolver.SimpleClusterResolver(
            spec, task_type="worker", task_id=index, rpc_layer="grpc"
        )
    make = getattr(distribute, "MultiWorkerMirroredStrategy", None)
    if make is None or options is None:  # before 2.4
        kind = getattr(distribute.experimental.CollectiveCommunication, communication.upper())
        return distribute.experimental.MultiWorkerMirroredStrategy(communication=kind, cluster_resolver=resolver)
    return make(cluster_resolver=resolver, communication_options=options)
