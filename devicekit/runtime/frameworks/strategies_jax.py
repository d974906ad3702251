"""Keras 3 on JAX: `keras.distribution.DataParallel`, and `jax.distributed` for several processes."""

from typing import Any, Sequence

import jax


def join(coordinator: str, size: int, index: int) -> None:
    """Let this process join the others; it waits for them.

    Raises
    ------
    RuntimeError
        If JAX has started its devices already.
    """
    if _joined():
        return
    jax.distributed.initialize(coordinator_address=coordinator, num_processes=size, process_id=index)


def _joined() -> bool:
    asked = getattr(jax.distributed, "is_initialized", None)  # from 0.4.36 on
    if asked is not None:
        return bool(asked())
    from jax._src import distributed

    return distributed.global_state.client is not None


def data_parallel(numbers: Sequence[int], processes: int = 1) -> Any:
    """Put `DataParallel` over these accelerators in effect, and return it; no numbers: over what JAX takes by itself.

    With several processes each brings its own part of the data, in the same number of batches; Keras shards datasets of
    `tf.data` alone by itself, and refuses all others, which is therefore off.
    """
    import keras

    devices = None
    if processes == 1:
        listed = jax.local_devices()
        if numbers:
            wanted = [device for device in listed if _number(device) in numbers]
            listed = wanted or listed[: len(numbers)]  # the user's own list of visible devices names other ones
        devices = ["%s:%d" % (device.platform, device.id) for device in listed]
    options = {} if processes == 1 else {"auto_shard_dataset": False}
    distribution = _make(keras.distribution.DataParallel, devices, options)
    keras.distribution.set_distribution(distribution)
    return distribution


def _make(kind: Any, devices: Any, options: Any) -> Any:
    try:
        return kind(devices=devices, **options)
    except TypeError:  # before Keras 3.5 there is no auto_shard_dataset
        return kind(devices=devices)


def _number(device: Any) -> int:
    number = getattr(device, "local_hardware_id", None)
    return int(device.id) if number is None else int(number)
