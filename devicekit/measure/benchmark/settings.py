"""Settings of a framework that a measurement may ask for, applied in the worker before the first operation."""

import os
from typing import Any, Dict, Optional

from ...errors import unknown_name

#: What may be set. ``prefetch`` (batches prepared ahead) and ``torch_compile`` are read by the loops.
SETTINGS = ("intra_op_threads", "inter_op_threads", "tf32", "prefetch", "torch_compile")


def apply_settings(framework: str, settings: Dict[str, Any]) -> None:
    """Apply settings to a framework that has not computed yet.

    Raises
    ------
    ValueError
        If the framework has no such setting; the message says what to do instead.
    """
    for name in settings:
        if name not in SETTINGS:
            raise ValueError(unknown_name("setting", name, SETTINGS))
    chosen = {name: value for name, value in settings.items() if value is not None}
    if framework in ("tensorflow", "tensorflow1"):
        _tensorflow(chosen)
    elif framework == "torch":
        _torch(chosen)
    else:
        _jax(chosen)


def _tensorflow(settings: Dict[str, Any]) -> None:
    import tensorflow as tf

    if "intra_op_threads" in settings:
        tf.config.threading.set_intra_op_parallelism_threads(int(settings["intra_op_threads"]))
    if "inter_op_threads" in settings:
        tf.config.threading.set_inter_op_parallelism_threads(int(settings["inter_op_threads"]))
    if "tf32" in settings:
        if not hasattr(tf.config.experimental, "enable_tensor_float_32_execution"):
            raise ValueError("TensorFlow %s has no switch for TF32; it came with 2.4" % tf.__version__)
        tf.config.experimental.enable_tensor_float_32_execution(bool(settings["tf32"]))
    if settings.get("torch_compile"):
        raise ValueError("torch_compile is PyTorch's; TensorFlow compiles with xla=True")


def _torch(settings: Dict[str, Any]) -> None:
    import torch

    if "intra_op_threads" in settings:
        torch.set_num_threads(int(settings["intra_op_threads"]))
    if "inter_op_threads" in settings:
        torch.set_num_interop_threads(int(settings["inter_op_threads"]))
    if "tf32" in settings:
        torch.backends.cuda.matmul.allow_tf32 = bool(settings["tf32"])
        torch.backends.cudnn.allow_tf32 = bool(settings["tf32"])


def _jax(settings: Dict[str, Any]) -> None:
    import jax

    if "intra_op_threads" in settings or "inter_op_threads" in settings:
        raise ValueError("JAX has no call for its threads: limit the processors that the process may use (taskset)")
    if "tf32" in settings:
        precision = "tensorfloat32" if settings["tf32"] else "highest"
        jax.config.update("jax_default_matmul_precision", precision)
    if settings.get("torch_compile"):
        raise ValueError("torch_compile is PyTorch's; JAX always compiles")


def threads_of(framework: str) -> Optional[int]:
    """Return how many threads the framework uses for one operation on the CPU; None if it does not say."""
    if framework == "torch":
        import torch

        return int(torch.get_num_threads())
    if framework == "tensorflow":
        import tensorflow as tf

        # 0: as many as there are processors to use.
        return int(tf.config.threading.get_intra_op_parallelism_threads()) or _processors()
    return None


def _processors() -> Optional[int]:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
