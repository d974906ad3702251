"""Work of devicekit's own that is done in a process of its own: measurements, and what may run out of memory or crash.

`run_worker` starts the interpreter anew, lets it call one function of devicekit's, hands over what that reports on its
way, and turns whatever becomes of the process into a `WorkerReport` of a closed set of outcomes. Task, reports and result
are JSON; arrays travel as ``.npy`` files in a folder that the task names.
"""

from .start import OUTCOMES, WorkerReport, run_worker

__all__ = ["OUTCOMES", "WorkerReport", "run_worker"]
