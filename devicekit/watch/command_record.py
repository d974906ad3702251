"""What was measured while a command ran. Pure data: `devicekit.watch.command_causes` judges it, now or later.

Times of day are not recorded: ``at_s`` counts seconds from the beginning of the command.
"""

from typing import Optional, Tuple

from ..records import Record
from .training_record import GpuSample, HostSample


class CommandRecord(Record):
    """One command with all that it started, seen from outside.

    Attributes
    ----------
    name : str
        The program, or the script of an interpreter.
    status : int or None
        Its exit status, or minus the number of the signal that ended it; None while it runs.
    seconds : float
        How long it ran.
    cpu_s : float or None
        Processor time of all its processes.
    processors : float or None
        How many processors' time it may use.
    processes : int or None
        The most that ran at a look.
    memory_peak_bytes : int or None
        The most that its processes held at a look, at least that of the largest one.
    memory_granted_bytes : int or None
        The memory of this machine that it may use.
    hosts : tuple of HostSample
        Processors and memory over time.
    gpus : tuple of GpuSample
        All NVIDIA GPUs of this machine over time.
    gpus_unknown : str
        Why there are no figures of GPUs, "" if there are.
    leased : tuple of str
        The devices that were leased for it.
    frameworks : tuple of str
        The frameworks whose libraries its processes had loaded, as far as that was seen.
    hidden_by : str
        The variable by which the user hides the GPUs from it, "" if none does.
    """

    name: str
    status: Optional[int] = None
    seconds: float = 0.0
    cpu_s: Optional[float] = None
    processors: Optional[float] = None
    processes: Optional[int] = None
    memory_peak_bytes: Optional[int] = None
    memory_granted_bytes: Optional[int] = None
    hosts: Tuple[HostSample, ...] = ()
    gpus: Tuple[GpuSample, ...] = ()
    gpus_unknown: str = ""
    leased: Tuple[str, ...] = ()
    frameworks: Tuple[str, ...] = ()
    hidden_by: str = ""
