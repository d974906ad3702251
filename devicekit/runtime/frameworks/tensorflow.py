"""TensorFlow 2: visible devices, memory, smoke operation, scope."""

import sys
from typing import Any, Callable, List, Optional, Sequence, Tuple

import tensorflow as tf

from ...selection.request import NO_ACCELERATOR, Request
from ...selection.selection import Change
from .interface import MATRIX, Adapter, check_place, check_product


class TensorFlowAdapter(Adapter):
    """TensorFlow 2.x, every release with eager execution."""

    name = "tensorflow"
    title = "TensorFlow"
    cpu = "/device:CPU:0"
    url = "https://www.tensorflow.org/api_docs/python/tf/config/set_visible_devices"

    # `tf.config` got its functions one by one; the older names are under `experimental`.
    @property
    def _config(self) -> Any:
        return tf.config

    def _physical(self) -> List[Any]:
        return [device for device in self._config.list_physical_devices() if self._is_meant(device)]

    def _is_meant(self, device: Any) -> bool:
        if self.device_type:
            return bool(device.device_type == self.device_type)
        return device.device_type not in NO_ACCELERATOR and device.device_type not in self.others

    def _logical_count(self, physical: Any) -> int:
        split = self._config.get_logical_device_configuration(physical)
        return len(split) if split else 1

    def initialized(self) -> bool:
        context = _context_module()
        current = getattr(context, "_context", None)
        return current is not None and getattr(current, "_context_handle", None) is not None

    def accelerators(self) -> Tuple[str, ...]:
        return tuple(device.name for device in self._physical())

    def visible(self) -> Tuple[str, ...]:
        return tuple(d.name for d in self._config.get_visible_devices() if self._is_meant(d))

    def set_visible(self, indices: Sequence[int]) -> Optional[Change]:
        physical = self._physical()
        wanted = [physical[index] for index in indices]
        everything = [d for d in self._config.list_physical_devices() if d.device_type not in NO_ACCELERATOR]
        before = [d for d in self._config.get_visible_devices() if d.device_type not in NO_ACCELERATOR]
        if [d.name for d in before] == [d.name for d in wanted]:
            return None
        for kind in dict.fromkeys(device.device_type for device in everything):
            self._config.set_visible_devices([device for device in wanted if device.device_type == kind], kind)
        shown = {device.device_type for device in wanted}
        if self.name == "tensorflow":
            _hide_types([device.device_type for device in everything if device.device_type not in shown])
        return Change("tensorflow", "visible_devices", _names(wanted), _names(before))

    def set_memory(self, memory: Any, total_bytes: Optional[int] = None) -> List[Change]:
        changes: List[Change] = []
        for device in self._config.get_visible_devices():
            if device.device_type in NO_ACCELERATOR:
                continue
            if memory == "grow":
                if not self._config.experimental.get_memory_growth(device):
                    self._config.experimental.set_memory_growth(device, True)
                    changes.append(Change("tensorflow", "memory_growth of %s" % device.name, "True", "False"))
            elif isinstance(memory, int):
                if device.name in _pluggable():
                    raise LookupError("TensorFlow ignores a limit on %s, which is a plug-in's device" % device.name)
                megabytes = max(1, memory // (1 << 20))
                split = [self._config.LogicalDeviceConfiguration(memory_limit=megabytes)]
                self._config.set_logical_device_configuration(device, split)
                changes.append(Change("tensorflow", "memory_limit of %s" % device.name, "%d MiB" % megabytes))
        return changes

    def reset(self) -> None:
        # Private, and what TensorFlow's own tests use; without it a GPU that failed would stay the default device.
        context = _context_module()
        if hasattr(context, "_reset_context"):
            context._reset_context()

    def smoke(self, accelerator: bool) -> str:
        if accelerator:
            return self._smoke_eager()
        return _smoke_cpu([device.device_type for device in self._config.list_physical_devices()])

    def _smoke_eager(self) -> str:
        matrix = tf.constant(MATRIX)
        product = tf.matmul(matrix, matrix)
        check_product(product.numpy())
        check_place(str(product.device))  # soft placement says nothing
        return str(product.device)

    def device_name(self, request: Request) -> Optional[str]:
        if request.kind == "cpu" or request.native:
            return self._logical_name(request)
        kinds = dict(request.device_types)
        if kinds and kinds.get("tensorflow") != self.device_type:  # asked for in place of what `auto` chose
            self.device_type = kinds.get("tensorflow", "no such type")
        visible = [d for d in self._config.get_visible_devices() if self._is_meant(d)]
        if request.kind == "tpu" or not visible:
            return None
        if request.kind == "auto" or not request.indices:
            return "/device:%s:0" % visible[0].device_type
        # A number counts the accelerators of the machine; TensorFlow counts those that are visible, type by type.
        physical = self._physical()
        if request.indices[0] >= len(physical):
            return None
        wanted = physical[request.indices[0]]
        position = 0
        for device in visible:
            if device.name == wanted.name:
                return "/device:%s:%d" % (device.device_type, position)
            if device.device_type == wanted.device_type:
                position += self._logical_count(device)
        return None

    def _logical_name(self, request: Request) -> Optional[str]:
        """TensorFlow's own names count logical devices: a CPU that was split has several."""
        kind = "CPU" if request.kind == "cpu" else request.text.rsplit("/", 1)[-1].split(":")[-2].upper()
        number = request.indices[0] if request.indices else 0
        count = sum(self._logical_count(d) for d in self._config.get_visible_devices() if d.device_type == kind)
        return "/device:%s:%d" % (kind, number) if number < count else None

    def scope_factory(self) -> Callable[[Optional[str]], Any]:
        factory: Callable[[Optional[str]], Any] = tf.device
        return factory

    def state(self) -> Any:
        context = _context_module().context()
        return context.device_name, context.device_spec

    def force(self, state: Any) -> None:
        _context_module().context()._set_device(*state)

    def keras(self) -> Any:
        getattr(tf.keras, "mixed_precision", None)  # from 2.16 on a proxy, which imports Keras now
        return tf.keras

    def set_precision(self, precision: str) -> Change:
        before = str(getattr(tf.keras.mixed_precision.global_policy(), "name", ""))
        tf.keras.mixed_precision.set_global_policy(precision)
        for other in _other_kerases():
            other.mixed_precision.set_global_policy(precision)
        return Change("tensorflow", "keras dtype policy", precision, before)

    def set_seed(self, seed: int) -> Change:
        if hasattr(tf.keras.utils, "set_random_seed"):  # from 2.7 on
            tf.keras.utils.set_random_seed(seed)
            for other in _other_kerases():
                other.utils.set_random_seed(seed)
        else:
            import random

            import numpy

            random.seed(seed)
            numpy.random.seed(seed)
            tf.random.set_seed(seed)
        return Change("tensorflow", "random seed", str(seed))


def _other_kerases() -> List[Any]:
    """The Keras 2 that is imported next to the one that ``tf.keras`` is: libraries use it under its own name, tf_keras."""
    module = sys.modules.get("tf_keras")
    same = module is None or tf.keras.layers.Layer is module.layers.Layer  # as with TF_USE_LEGACY_KERAS
    return [] if same else [module]


def _names(devices: Sequence[Any]) -> str:
    return "[%s]" % ", ".join(str(device.name) for device in devices)


def _pluggable() -> Tuple[str, ...]:
    """The names of the devices that come from plug-ins; private, and there since 2.5, as the plug-ins are."""
    from tensorflow.python import pywrap_tfe

    lists = getattr(pywrap_tfe, "TF_ListPluggablePhysicalDevices", tuple)
    return tuple(name.decode() for name in lists())


def _context_module() -> Any:
    from tensorflow.python.eager import context

    return context


def _hide_types(kinds: Sequence[str]) -> None:
    """Let TensorFlow make no device of types of which none is visible.

    It counts the visible ones of each type for that, and knows of none but CPU and GPU that zero is a number as well: of
    other types it then makes all (``Context.config`` in tensorflow/python/eager/context.py, the same in 2.10 and 2.21; seen
    with 2.21). Private, as there is no other way.
    """
    further = [kind for kind in kinds if kind != "GPU"]
    context = _context_module().context()
    if further and hasattr(context, "_config"):
        config = tf.compat.v1.ConfigProto()
        if context._config is not None:
            config.CopyFrom(context._config)
        for kind in further:
            config.device_count[kind] = 0
        context._config = config


def _smoke_cpu(kinds: Sequence[str] = ()) -> str:
    """Multiply on the CPU and leave everything else as it is.

    An eager operation would fix TensorFlow's devices for the whole process, and both it and a session create the pool of
    threads for kernels, after which thread counts come too late; a session also prints "MLIR V1 optimization pass is not
    enabled". Evaluating a constant runs the same kernel on a device made for it. Private, and the same in 1.15 and 2.21.
    """
    with tf.Graph().as_default():
        with tf.device("/device:CPU:0"):
            matrix = tf.constant(MATRIX)
            product = tf.matmul(matrix, matrix)
        try:
            from tensorflow.python.framework.smart_cond import smart_constant_value

            value = smart_constant_value(product)
        except ImportError:
            value = None
        check_product(_in_session(product, kinds) if value is None else value)
    return str(product.device)


def _in_session(product: Any, kinds: Sequence[str]) -> Any:
    """Compute in a session, which does not fix the devices either."""
    v1, threading = tf.compat.v1, tf.config.threading
    config = v1.ConfigProto(device_count=dict.fromkeys({"GPU", "DML", "XPU", *kinds} - {"CPU"}, 0))
    # The pool of threads that it creates stays: it gets what the program has asked for by now.
    config.intra_op_parallelism_threads = threading.get_intra_op_parallelism_threads()
    config.inter_op_parallelism_threads = threading.get_inter_op_parallelism_threads()
    # There is nothing to optimize in one product.
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    with v1.Session(config=config) as session:
        return session.run(product)
