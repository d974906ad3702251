"""Tries one batch after the other in this process, which may run out of memory: the bodies of workers."""

import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from .host_memory import Room
from .search import larger_size, next_size

Say = Callable[..., None]

#: Steps with each size: the first makes the optimizer's state and compiles, the next has both.
STEPS = 3


class BatchModelError(ValueError):
    """The model cannot be made in this process; the message says what to do."""


def try_model(task: Dict[str, Any], say: Say) -> Dict[str, Any]:
    """Try a Keras model of the user with made-up examples."""
    from .host_memory import limit_memory
    from .model_transfer import made_up

    selection = _set_up(task)
    from .model_transfer import unpacked

    try:
        model = unpacked(task["model"])
    except (ValueError, ImportError, AttributeError) as error:
        from ...errors import text_of

        raise BatchModelError(text_of(error)) from error
    if task["mode"] == "training" and getattr(model, "optimizer", None) is None:
        raise BatchModelError(
            "the model was not compiled: %s must return a compiled one" % task["model"].get("function")
        )
    on_processor = selection.platform == "cpu"
    granted = limit_memory(task["memory_bytes"], on_processor)

    def run(size: int) -> float:
        inputs, targets = made_up(task["x"], size), made_up(task["y"], size)
        taken = 0.0
        for _ in range(STEPS):
            before = time.perf_counter()
            if task["mode"] == "training":
                model.train_on_batch(inputs, targets)
            else:
                model.predict_on_batch(inputs)
            taken = time.perf_counter() - before
        return taken

    return try_sizes(task, run, say, Room(granted) if on_processor and granted else None)


def try_sizes(
    task: Dict[str, Any], run: Callable[[int], float], say: Say, room: Optional[Room] = None
) -> Dict[str, Any]:
    """Try larger and larger batches; ``run`` computes steps with one and returns the seconds of the last.

    With the memory's ``room``, what the batches so far took says how large the next one may be.
    """
    fits, failed = int(task["fits"]), task["failed"]
    taken: List[Tuple[int, float]] = []
    while True:
        larger = larger_size(taken) if taken else None
        size = next_size(fits, failed, task["start"], task["least"], task["most"], larger)
        if size is None:
            return {"fits": fits}
        say(stage="try", batch_size=size)
        seconds = run(size)
        say(stage="fits", batch_size=size, seconds=seconds)
        fits = size
        taken.append((size, room.share() if room is not None else 0.0))
        if seconds > task["step_limit_s"]:
            return {"fits": fits}


def _set_up(task: Dict[str, Any]) -> Any:
    from ...diagnosis.findings import name_of
    from ...errors import DeviceUnavailableError
    from ...runtime.decide import Options
    from ...runtime.pipeline import run

    framework = name_of(task["framework"]) if task["framework"] else None
    options = Options(framework, memory=task["device_memory"], verify="never", seed=0, verbose=False)
    selection = run(task["device"], options)
    if selection.framework is None or selection.device == "auto":
        raise DeviceUnavailableError("no framework is set up: %s" % selection.reason, selection.findings)
    if selection.fallback and task["device"] not in ("auto", "fastest"):
        raise DeviceUnavailableError("'%s' cannot be used: %s" % (task["device"], selection.reason), selection.findings)
    return selection
