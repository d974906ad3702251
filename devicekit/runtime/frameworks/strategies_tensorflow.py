"""`tf.distribute` strategies for the devices that are visible: TensorFlow 2 and 1.15."""

from typing import Any, List, Optional, Sequence

import tensorflow as tf

from ...errors import log
from ...selection.request import NO_ACCELERATOR


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
