"""Jobs of Windows: a process and all that it starts, to be ended together. Other systems have none."""

import sys
from typing import Any, Mapping, Optional, Sequence, Tuple

from .spawn import Process, spawn

if sys.platform == "win32":
    import ctypes

    #: JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, and JOB_OBJECT_LIMIT_BREAKAWAY_OK (winnt.h).
    _KILL_ON_CLOSE, _BREAKAWAY = 0x2000, 0x800
    _CREATE_SUSPENDED = 0x4

    class _Limits(ctypes.Structure):
        """JOBOBJECT_EXTENDED_LIMIT_INFORMATION, of which the flags and the job's peak, the last of four sizes, are used."""

        _fields_ = [
            ("times", ctypes.c_int64 * 2),
            ("flags", ctypes.c_uint32),
            ("sizes", ctypes.c_size_t * 2),
            ("processes", ctypes.c_uint32),
            ("affinity", ctypes.c_size_t),
            ("classes", ctypes.c_uint32 * 2),
            ("transfers", ctypes.c_uint64 * 6),
            ("memory", ctypes.c_size_t * 4),
        ]

    class _Accounting(ctypes.Structure):
        """JOBOBJECT_BASIC_ACCOUNTING_INFORMATION."""

        _fields_ = [("times", ctypes.c_int64 * 4), ("counts", ctypes.c_uint32 * 4)]

    class _Processes(ctypes.Structure):
        """JOBOBJECT_BASIC_PROCESS_ID_LIST."""

        _fields_ = [("assigned", ctypes.c_uint32), ("listed", ctypes.c_uint32), ("numbers", ctypes.c_size_t * 4096)]

    def start_in_job(
        command: Sequence[str], variables: Mapping[str, str], *, may_leave: bool = False, **options: Any
    ) -> "Tuple[Process[bytes], int]":
        """Start a process in a new job; return it with the job's handle, 0 if there is none.

        Whatever it starts belongs to the job: it runs only when it is in it. When this process ends, however it ends, the
        last handle is closed, and all of the job with it.

        Parameters
        ----------
        command, variables, **options
            As for `spawn.spawn`, and it raises what that raises.
        may_leave : bool
            Whether what it starts may ask to be outside the job (CREATE_BREAKAWAY_FROM_JOB), as without one.
        """
        flags = options.pop("creationflags", 0x08000000)  # CREATE_NO_WINDOW
        process = spawn(command, variables, creationflags=flags | _CREATE_SUSPENDED, **options)
        handle = ctypes.c_void_p(int(process._handle))  # type: ignore[attr-defined,unused-ignore]
        try:
            return process, _put_into_job(handle, _KILL_ON_CLOSE | (_BREAKAWAY if may_leave else 0))
        finally:
            # Windows has no documented call for a whole process; psutil uses this one. Popen closes the thread's handle.
            if ctypes.WinDLL("ntdll").NtResumeProcess(handle) < 0:
                process.kill()

    def _put_into_job(process: ctypes.c_void_p, flags: int) -> int:
        kernel = ctypes.WinDLL("kernel32")
        kernel.CreateJobObjectW.restype = ctypes.c_void_p
        job = kernel.CreateJobObjectW(None, None)
        limits = _Limits(flags=flags)
        # 9: JobObjectExtendedLimitInformation.
        if job and kernel.SetInformationJobObject(ctypes.c_void_p(job), 9, ctypes.byref(limits), ctypes.sizeof(limits)):
            if kernel.AssignProcessToJobObject(ctypes.c_void_p(job), process):
                return int(job)
        kernel.CloseHandle(ctypes.c_void_p(job))
        return 0

    def end_job(job: int) -> None:
        """End every process of a job, and give the handle back."""
        kernel = ctypes.WinDLL("kernel32")
        kernel.TerminateJobObject(ctypes.c_void_p(job), 1)
        kernel.CloseHandle(ctypes.c_void_p(job))

    def processes_of_job(job: int) -> Sequence[int]:
        """Return the numbers of the processes of a job that still run, of the first thousands."""
        if not job:  # Windows would take that for the job that this process is in
            return ()
        found = _Processes()
        # 3: JobObjectBasicProcessIdList. With more than there is room for it fails, and fills what there is.
        ctypes.WinDLL("kernel32").QueryInformationJobObject(
            ctypes.c_void_p(job), 3, ctypes.byref(found), ctypes.sizeof(found), None
        )
        return found.numbers[: found.listed]

    def usage_of_job(job: int) -> Tuple[Optional[float], Optional[int]]:
        """Return the processor time of all processes of a job, and the most that they have committed of the memory."""
        query = ctypes.WinDLL("kernel32").QueryInformationJobObject
        handle, accounting, limits = ctypes.c_void_p(job), _Accounting(), _Limits()
        cpu_s = peak_bytes = None
        if job and query(handle, 1, ctypes.byref(accounting), ctypes.sizeof(accounting), None):
            # In the user's code and in the kernel, in tenths of a microsecond.
            cpu_s = (accounting.times[0] + accounting.times[1]) / 1e7 or None  # Wine does not count
        if job and query(handle, 9, ctypes.byref(limits), ctypes.sizeof(limits), None):
            peak_bytes = int(limits.memory[3]) or None
        return cpu_s, peak_bytes

else:

    def start_in_job(
        command: Sequence[str], variables: Mapping[str, str], *, may_leave: bool = False, **options: Any
    ) -> "Tuple[Process[bytes], int]":
        """Start a process: sessions and marks do elsewhere what a job does."""
        return spawn(command, variables, **options), 0

    def end_job(job: int) -> None:
        """Do nothing: there are no jobs."""

    def processes_of_job(job: int) -> Sequence[int]:
        """Return none: there are no jobs."""
        return ()

    def usage_of_job(job: int) -> Tuple[Optional[float], Optional[int]]:
        """Return that nothing is known: there are no jobs."""
        return None, None
