"""The batch of a benchmark with ``batch_size="auto"``: the largest that fits, as long as its steps are short."""

from typing import Any, Callable, Dict, Optional, Sequence, Tuple

from ...errors import DevicekitError
from ..batch_size.search import Limits, rounded, search
from ..batch_size.trial import STEPS, try_sizes
from .models import model_named

#: A benchmark needs no larger batch than this, and none whose steps take longer.
_MOST = 4096
_STEP_LIMIT_S = 5.0


def largest_batch(
    task: Dict[str, Any],
    *,
    timeout_s: float = 600.0,
    environment: Sequence[Tuple[str, Optional[str]]] = (),
    tick: Optional[Callable[[], None]] = None,
    margin: float = 0.1,
) -> int:
    """Return the batch with which a benchmark is to be run: the largest that fits, as far as its steps are short.

    Parameters
    ----------
    task : dict
        Of `devicekit.measure.benchmark.child.measure`.
    timeout_s : float
        Seconds for the search.
    environment : sequence of (str, str or None)
        Variables of the processes.
    tick : callable or None
        Called about every second.
    margin : float
        See `find_batch_size`.

    Returns
    -------
    int
        1 if not even that fits: the benchmark itself says why. At most 4096, and on slow devices the first one whose
        steps take more than five seconds.
    """
    known = model_named(str(task.get("model")))
    start = known.batch_size if known is not None and not task.get("architecture") else 8
    try:
        found = search(
            "devicekit.measure.benchmark.largest_batch:try_task",
            {"task": dict(task, batch_size=None), "memory_bytes": None},
            Limits(start, 1, _MOST, _STEP_LIMIT_S),
            timeout_s=timeout_s,
            environment=tuple(environment),
            tick=None if tick is None else (lambda what, call=tick: call()),  # type: ignore[misc]
        )
    except DevicekitError:
        return 1
    if found.failed is None and found.size:
        return found.size  # no memory's limit was met
    return rounded(found.size, margin, 1, _MOST)


def try_task(task: Dict[str, Any], say: Callable[..., None]) -> Dict[str, Any]:
    """Try a task of `devicekit.measure.benchmark.child.measure`, as it is measured."""
    from ..batch_size.host_memory import limit_memory
    from .child import measure

    asked = dict(task["task"], num_warmup_batches=1, num_batches=STEPS - 1, input_pipeline=False)
    state = {"limited": False}

    def quietly(**said: Any) -> None:
        # After the import and before the first batch.
        if said.get("stage") == "build" and not state["limited"]:
            from ...runtime.current import current_selection

            chosen = current_selection()
            limit_memory(task["memory_bytes"], chosen is None or chosen.platform == "cpu")
            state["limited"] = True

    def run(size: int) -> float:
        result = measure(dict(asked, batch_size=size), quietly)
        asked["settings"] = None  # threads are set once in a process
        _forget()
        return float(min(result["step_seconds"]))

    return try_sizes(task, run, say)


def _forget() -> None:
    """Give back what the last model held."""
    import gc
    import sys

    for name in ("keras", "tf_keras"):
        backend = getattr(sys.modules.get(name), "backend", None)
        if backend is not None and hasattr(backend, "clear_session"):
            backend.clear_session()
    gc.collect()
