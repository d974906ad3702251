"""What was measured while a model was trained, of its first NaN, and while a command ran. Pure data.

`devicekit.watch.causes`, `nan_causes` and `command_causes` judge it, now or later.

Times of day are not recorded: ``at_s`` counts seconds from the beginning of the training.
"""

from typing import Optional, Tuple

from ..machine.probe.host_load import HostLoad
from ..records import Pairs, Record
from ..runtime.frameworks.training import NonFinite


class StepSample(Record):
    """One step that was synchronized with the device before and after, so that its parts can be measured.

    Attributes
    ----------
    step : int
        Number of the call of the training function, from 0 on.
    at_s : float
        Seconds since the training began.
    wait_s : float or None
        Seconds until the batch was there; None if the framework does not let that be seen.
    compute_s : float or None
        Seconds of the step once the batch is there; None if they cannot be separated.
    shapes : str
        The shapes of the batch, "" if they are not known.
    device_s : float or None
        Of ``compute_s``, how long the device went on computing when the whole step had been started.
    """

    step: int
    at_s: float
    wait_s: Optional[float]
    compute_s: Optional[float]
    shapes: str = ""
    device_s: Optional[float] = None


class StepWindow(Record):
    """Steps in a row that were not synchronized.

    Attributes
    ----------
    at_s : float
        When the first began, in seconds since the beginning of the training.
    steps : int
        Calls of the training function.
    seconds : float
        From the end of the step before to the end of the last one.
    wait_s : float or None
        Of these, how long the program waited for data; None if that is only seen in samples.
    """

    at_s: float
    steps: int
    seconds: float
    wait_s: Optional[float] = None


class HostSample(Record):
    """The processors at one time; see `devicekit.machine.probe.host_load.HostLoad`."""

    at_s: float
    load: HostLoad


class GpuSample(Record):
    """A GPU at one time, as NVIDIA's NVML or AMD's kernel driver reports it. None where it does not.

    Attributes
    ----------
    at_s : float
        Seconds since the training began.
    index : int
        The driver's number of the GPU; for AMD, ROCm's.
    utilization_percent : int or None
        Part of the time in which a kernel ran.
    memory_used_bytes, memory_bytes : int or None
        Of all programs together, and in all.
    clock_mhz, clock_max_mhz : int or None
        Of the multiprocessors.
    temperature_c : int or None
        Degrees Celsius.
    power_w, power_limit_w, power_default_w : float or None
        Drawn now; the limit that holds; the limit it was delivered with.
    limited_by : tuple of str
        What holds the clocks down: ``"power-cap"``, ``"thermal"``, ``"power-brake"``, ``"hardware-slowdown"``.
    pcie_width, pcie_width_max : int or None
        Lanes in use, and those the GPU has.
    others : int or None
        Processes of other programs that compute on it.
    own : int or None
        Processes of the watched command that do; a `Monitor` does not count them.
    source : str
        ``"NVML"``, or ``"amdgpu"``, which reports neither what holds the clocks down nor PCIe lanes.
    """

    at_s: float
    index: int
    utilization_percent: Optional[int] = None
    memory_used_bytes: Optional[int] = None
    memory_bytes: Optional[int] = None
    clock_mhz: Optional[int] = None
    clock_max_mhz: Optional[int] = None
    temperature_c: Optional[int] = None
    power_w: Optional[float] = None
    power_limit_w: Optional[float] = None
    power_default_w: Optional[float] = None
    limited_by: Tuple[str, ...] = ()
    pcie_width: Optional[int] = None
    pcie_width_max: Optional[int] = None
    others: Optional[int] = None
    own: Optional[int] = None
    source: str = "NVML"


class DataSource(Record):
    """What `fit` was given.

    Attributes
    ----------
    kind : str
        ``"arrays"``, ``"generator"``, ``"PyDataset"``, ``"tf.data"``, ``"DataLoader"``; "" if it is not known.
    workers : int or None
        Threads or processes that prepare batches, as far as it says.
    multiprocessing : bool or None
        Whether they are processes.
    operations : tuple of str
        Of a ``tf.data`` pipeline: its parts from the last to the first.
    """

    kind: str = ""
    workers: Optional[int] = None
    multiprocessing: Optional[bool] = None
    operations: Tuple[str, ...] = ()


class DeviceMemory(Record):
    """Memory of the device as the framework counts it.

    Attributes
    ----------
    peak_bytes : int or None
        The most that was in use at one time.
    limit_bytes : int or None
        The most that the framework may use.
    retries : int or None
        How often the allocator had to give cached memory back and try again.
    """

    peak_bytes: Optional[int] = None
    limit_bytes: Optional[int] = None
    retries: Optional[int] = None


class TrainingRecord(Record):
    """One training: how it was set up, and what was measured.

    Attributes
    ----------
    framework : str
        ``"tensorflow"``, ``"tensorflow1"``, ``"jax"`` or ``"torch"``.
    model : str
        Name of the model.
    parameters : int or None
        Its number of parameters.
    steps_per_execution : int
        Batches in one call of the training function.
    jit : bool or None
        Whether the step is compiled by XLA or torch.compile.
    selected : str
        The device that `devicekit.auto` chose, "" if it was not called.
    accelerators : tuple of str
        The accelerators that the framework lists.
    variable_devices, result_devices : tuple of str
        Where the model's variables and a step's results are.
    source : DataSource
        What `fit` was given.
    seconds : float
        From the beginning to the end, or to now.
    steps : int
        Calls of the training function.
    first_step_s : float or None
        The first one, in which the program is traced and compiled.
    samples : tuple of StepSample
        Synchronized steps.
    windows : tuple of StepWindow
        All other steps, the first ones and those next to a synchronized one left out.
    longest_steps_s : tuple of float
        The longest steps of the windows, in seconds, the longest first.
    programs : tuple of (str, int)
        Compiled versions of the step by the number of the step at which they were counted.
    traced : tuple of (str, int)
        How often functions of the program (``tf.function``) were traced after the first steps.
    hosts : tuple of HostSample
        Processors and memory of this machine.
    gpus : tuple of GpuSample
        The GPUs of NVIDIA and AMD that this process uses.
    memory : DeviceMemory or None
        As the framework counts it.
    memory_granted_bytes : int or None
        The memory of this machine that this process may use.
    ended : str
        ``"finished"``, ``"interrupted"``, ``"failed"`` or ``"running"``.
    monitor_s : float
        What the monitor itself took of the time.
    """

    framework: str
    model: str = ""
    parameters: Optional[int] = None
    steps_per_execution: int = 1
    jit: Optional[bool] = None
    selected: str = ""
    accelerators: Tuple[str, ...] = ()
    variable_devices: Tuple[str, ...] = ()
    result_devices: Tuple[str, ...] = ()
    source: DataSource = DataSource()
    seconds: float = 0.0
    steps: int = 0
    first_step_s: Optional[float] = None
    samples: Tuple[StepSample, ...] = ()
    windows: Tuple[StepWindow, ...] = ()
    longest_steps_s: Tuple[float, ...] = ()
    programs: Pairs[int] = ()
    traced: Pairs[int] = ()
    hosts: Tuple[HostSample, ...] = ()
    gpus: Tuple[GpuSample, ...] = ()
    memory: Optional[DeviceMemory] = None
    memory_granted_bytes: Optional[int] = None
    ended: str = "running"
    monitor_s: float = 0.0


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
        All GPUs of NVIDIA, or AMD, of this machine over time.
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


#: Where a NaN was noticed that no step of the training has.
VALIDATION = "validation loss"


class NanRun(Record):
    """The bad step, repeated eagerly.

    Attributes
    ----------
    device : str
        Where.
    precision : str
        ``"as trained"`` or ``"float64"``.
    first : NonFinite or None
        What is not finite first; None if everything is.
    largest : float
        The largest finite magnitude of activations, gradients and variables.
    problem : str
        Why it could not be repeated, "" if it could.
    """

    device: str
    precision: str
    first: Optional[NonFinite] = None
    largest: float = 0.0
    problem: str = ""


class NanRecord(Record):
    """What is known about the first NaN or infinity of a training.

    Attributes
    ----------
    framework : str
        ``"tensorflow"``, ``"jax"`` or ``"torch"``.
    model : str
        Name of the model.
    device : str
        Where it trains.
    seen_in : str
        ``"loss"``, ``"weights"`` or ``"validation loss"``: where it was noticed.
    seen_step : int
        The step at which it was noticed, from 0 on over all epochs.
    good_step : int
        The steps before this one had no NaN: the last good state is from its beginning.
    step, epoch, batch : int or None
        The first step that has it, its epoch, and its number in the epoch, from 0 on; None if that is not known.
    problem : str
        Why the steps could not be repeated, or why that does not show it; "" if it does.
    variables : tuple of str
        Variables that are not finite after the step.
    start : tuple of str
        Weights that were NaN before it.
    inputs : tuple of (str, int)
        Parts of the batch, or of the validation data, that are not finite, with the number of elements.
    input_rows : tuple of int
        The first examples of it that are.
    runs : tuple of NanRun
        The step as trained, on the CPU, and on the CPU in float64.
    norm_start, norm_before : float or None
        The norm of the trainable weights when the training began, and before the step.
    learning_rate : float or None
        The optimizer's.
    loss : str
        The name of the loss function.
    saved : str
        The file with the batch and the state before the step, "" if there is none.
    """

    framework: str
    model: str = ""
    device: str = "cpu"
    seen_in: str = "loss"
    seen_step: int = 0
    good_step: int = 0
    step: Optional[int] = None
    epoch: Optional[int] = None
    batch: Optional[int] = None
    problem: str = ""
    variables: Tuple[str, ...] = ()
    start: Tuple[str, ...] = ()
    inputs: Pairs[int] = ()
    input_rows: Tuple[int, ...] = ()
    runs: Tuple[NanRun, ...] = ()
    norm_start: Optional[float] = None
    norm_before: Optional[float] = None
    learning_rate: Optional[float] = None
    loss: str = ""
    saved: str = ""

    def run(self, precision: str, device: str = "") -> Optional[NanRun]:
        """Return the run of a precision and device, None if there is none or it failed."""
        for run in self.runs:
            if run.precision == precision and (not device or run.device == device) and not run.problem:
                return run
        return None
