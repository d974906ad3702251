"""Jobs of Windows: a process and all that it starts, to be ended together. Other systems have none."""

import sys

# A name that type checkers know.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .spawn import Process

if sys.platform == "win32":

    def put_into_job(process: "Process[bytes]") -> int:
        """Put a process that has just been started into a new job; return its handle, 0 if there is none.

        What it starts from now on belongs to the job as well.
        """
        import ctypes

        kernel = ctypes.WinDLL("kernel32")
        kernel.CreateJobObjectW.restype = ctypes.c_void_p
        job = kernel.CreateJobObjectW(None, None)
        handle = ctypes.c_void_p(int(process._handle))  # type: ignore[attr-defined,unused-ignore]
        if not job or kernel.AssignProcessToJobObject(ctypes.c_void_p(job), handle):
            return int(job or 0)
        kernel.CloseHandle(ctypes.c_void_p(job))
        return 0

    def end_job(job: int) -> None:
        """End every process of a job, and give the handle back."""
        import ctypes

        kernel = ctypes.WinDLL("kernel32")
        kernel.TerminateJobObject(ctypes.c_void_p(job), 1)
        kernel.CloseHandle(ctypes.c_void_p(job))

else:

    def put_into_job(process: "Process[bytes]") -> int:
        """Return 0: sessions and marks do this elsewhere."""
        return 0

    def end_job(job: int) -> None:
        """Do nothing: there are no jobs."""
