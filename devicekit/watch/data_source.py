"""What `model.fit` was given, as Keras's own objects say. Nothing is taken from them or changed."""

import sys
from typing import Any, NamedTuple, Optional, Tuple

from .training_record import DataSource

#: The longest chain of datasets that is followed, and how many frames `fit` is away at most.
_LONGEST, _FRAMES = 40, 40

_KINDS = (
    ("PyDataset", "PyDataset"), ("KerasSequence", "PyDataset"), ("TorchDataLoader", "DataLoader"),
    ("Generator", "generator"), ("Dataset", "tf.data"), ("TFDataset", "tf.data"), ("Array", "arrays"),
    ("Tensor", "arrays"), ("DataHandler", "arrays"),
)  # fmt: skip


class RunningFit(NamedTuple):
    """The `fit` that calls a callback: data, the list of callbacks, which lives as long as it runs, validation data."""

    source: DataSource = DataSource()
    callbacks: Any = None
    validation: Any = None


def running_fit() -> RunningFit:
    """Return what the `fit` that is running in this thread was given, as far as it is found.

    A callback is told neither. Keras 3 has an ``epoch_iterator`` in its frame, tf.keras 2 a ``data_handler``, each with an
    adapter.
    """
    frame: Any = sys._getframe(1)
    for _ in range(_FRAMES):
        if frame is None:
            break
        if frame.f_code.co_name == "fit":
            handler = frame.f_locals.get("epoch_iterator") or frame.f_locals.get("data_handler")
            adapter = getattr(handler, "data_adapter", None) or getattr(handler, "_adapter", None)
            if adapter is not None:
                found = frame.f_locals
                return RunningFit(describe(adapter), found.get("callbacks"), found.get("validation_data"))
        frame = frame.f_back
    return RunningFit()


def describe(adapter: Any) -> DataSource:
    """Return what one of Keras's data adapters gets its batches from."""
    name = type(adapter).__name__
    kind = next((kind for part, kind in _KINDS if part in name), "")
    if kind == "PyDataset":
        source = getattr(adapter, "py_dataset", adapter)
        workers = getattr(source, "workers", getattr(adapter, "_workers", None))
        processes = getattr(source, "use_multiprocessing", getattr(adapter, "_use_multiprocessing", None))
        return DataSource(kind, _number(workers), processes if isinstance(processes, bool) else None)
    if kind == "DataLoader":
        workers = _number(getattr(getattr(adapter, "_dataloader", None), "num_workers", None))
        return DataSource(kind, workers, bool(workers))
    if kind == "tf.data":
        return DataSource(kind, operations=operations(getattr(adapter, "_dataset", None)))
    return DataSource(kind)


def _number(value: Any) -> Optional[int]:
    return int(value) if isinstance(value, int) else None


def operations(dataset: Any) -> Tuple[str, ...]:
    """Return the parts of a ``tf.data`` pipeline from the last to the first: ``("Prefetch", "Batch", "Map", "Range")``."""
    found = []
    for _ in range(_LONGEST):
        if dataset is None:
            break
        found.append(type(dataset).__name__.strip("_").replace("Dataset", "").replace("V2", ""))
        dataset = getattr(dataset, "_input_dataset", None)
    return tuple(found)
