"""TensorFlow 1.15, also as tensorflow-directml, whose accelerators have the device type ``DML``."""

from typing import Any, Optional

import tensorflow as tf

from ...selection.request import Request
from ...selection.selection import Change
from .interface import MATRIX, check_product
from .tensorflow import TensorFlowAdapter, _context_module, _smoke_cpu


class _Config:
    """The names that TensorFlow 2 has in ``tf.config``, by their names in 1.15."""

    def __init__(self) -> None:
        self.experimental = tf.config.experimental
        self.list_physical_devices = tf.config.experimental.list_physical_devices
        self.get_visible_devices = tf.config.experimental.get_visible_devices
        self.set_visible_devices = tf.config.experimental.set_visible_devices
        self.get_logical_device_configuration = tf.config.experimental.get_virtual_device_configuration
        self.set_logical_device_configuration = tf.config.experimental.set_virtual_device_configuration
        self.LogicalDeviceConfiguration = tf.config.experimental.VirtualDeviceConfiguration


class TensorFlow1Adapter(TensorFlowAdapter):
    """TensorFlow 1.15: graphs and sessions.

    Sessions and Keras take their configuration from the same place as eager execution (``context.context().config``),
    so visible devices and memory growth hold for them too.
    """

    name = "tensorflow1"

    @property
    def _config(self) -> Any:
        return _Config()

    def initialized(self) -> bool:
        if super().initialized():
            return True
        # A session of the graph mode fixes the devices without an eager context.
        from tensorflow.python.keras import backend

        session = getattr(getattr(backend, "_SESSION", None), "session", None)
        return session is not None

    def settled(self) -> bool:
        return True  # in a graph a device is a name; which sessions will run it is not known before

    def reset(self) -> None:
        tf.compat.v1.keras.backend.clear_session()
        context = _context_module()
        if hasattr(context, "_context_lock"):
            with context._context_lock:
                context._context = None

    def smoke(self, accelerator: bool) -> str:
        if not accelerator:
            return _smoke_cpu()
        kind = self._physical()[0].device_type
        with tf.Graph().as_default():
            with tf.device("/device:%s:0" % kind):
                matrix = tf.constant(MATRIX)
                product = tf.matmul(matrix, matrix)
            with tf.compat.v1.Session() as session:
                check_product(session.run(product))
        return str(product.device)

    def device_name(self, request: Request) -> Optional[str]:
        name = super().device_name(request)
        if name is None and request.kind == "cpu" and request.indices:
            # A session may have been given more CPUs by ConfigProto(device_count=...), which cannot be asked here.
            return "/device:CPU:%d" % request.indices[0]
        return name

    def set_precision(self, precision: str) -> Change:
        policy = tf.keras.mixed_precision.experimental.Policy(precision)
        tf.keras.mixed_precision.experimental.set_policy(policy)
        return Change("tensorflow", "keras dtype policy", precision)

    def set_seed(self, seed: int) -> Change:
        import random

        import numpy

        random.seed(seed)
        numpy.random.seed(seed)
        tf.compat.v1.set_random_seed(seed)
        return Change("tensorflow", "random seed", str(seed))
