"""The public functions that connect the packages."""

from typing import TYPE_CHECKING, Iterable, List, Optional, Union

from .machine.facts import Machine, check_machine
from .runtime.decide import plan_for
from .selection.policies import Policy
from .selection.request import parse_request
from .selection.selection import Selection

if TYPE_CHECKING:
    from .runtime.decide import Options
    from .runtime.pipeline import Stage


def select_device(
    device: str = "auto",
    *,
    framework: Optional[str] = None,
    machine: Optional[Machine] = None,
    min_memory: Union[int, str, None] = None,
    exclude: Iterable[str] = (),
    policy: Policy = None,
) -> Selection:
    """Decide which device to use, and nothing more: no framework is imported, nothing is printed or changed.

    Parameters
    ----------
    device : str
        The requested device: ``"auto"``, ``"fastest"``, ``"cpu"``, ``"gpu"``, ``"gpu:1"``, ``"cuda:0"``, ``"directml:0"``,
        ``"/GPU:0"``, ``"gpu:GPU-5ebe9f43"`` (an identifier, or an unambiguous prefix), ``"MIG-..."`` (a slice of a GPU), ...
        ``"fastest"``: of all devices, including the CPU, the one that `devicekit.benchmark` measured to be the fastest on
        this machine in its present state; without measurements the same as ``"auto"``, and the reason contains the command
        that measures.
    framework : {"tensorflow", "jax", "torch", "keras", "any"} or None
        The framework to decide for. By default, in this order: the one that is imported, that ``KERAS_BACKEND`` or
        ``keras.json`` names, or that is installed. ``"keras"``: the one that Keras computes with, or would. ``"any"``:
        another installed framework if the default one cannot use the device, as long as Keras has no backend yet.
    machine : Machine or None
        The machine to decide for; this one by default.
    min_memory : int or str or None
        Leave out devices with less memory: a number of bytes, or a text such as ``"8GiB"``.
    exclude : iterable of str
        Devices or platforms to leave out.
    policy : None, "index", "least-memory", "least-utilisation", "fastest" or callable
        How to choose among several usable devices: the first in the framework's order, the one with the least used memory,
        the least busy one, the fastest measured one (for ``"gpu"``: the fastest GPU), or a function that takes the
        candidates and returns one of them. None: the first free device, that is one with at most 1 GiB or a tenth of its
        memory in use and less than 10 % busy (of several GPU models, the one that was measured to be the fastest); if none
        is free, the one with the least used memory. ``reason`` says what decided.

    Returns
    -------
    Selection
        With ``changes`` empty and ``verified`` None: nothing was run. If the device cannot be used, it is the CPU,
        ``fallback`` is true, and the first finding is the reason.

    Raises
    ------
    ValueError
        If an argument is not accepted; the message lists what is.
    """
    check_machine(machine)
    request = parse_request(device, None if machine is None else machine.platforms)
    return plan_for(request, framework, machine, min_memory, exclude, policy).selection()


def auto(
    device: str = "auto",
    *,
    framework: Optional[str] = None,
    require: bool = False,
    memory: Union[int, str, None] = "grow",
    precision: Optional[str] = None,
    verify: str = "cached",
    seed: Optional[int] = None,
    verbose: Optional[bool] = None,
    quiet: Optional[bool] = None,
    explain_errors: bool = False,
    measure: Union[bool, str] = False,
    tune: bool = False,
    policy: Policy = None,
    exclusive: Union[bool, float] = False,
) -> Selection:
    """Put Keras and its framework on the best device that really works here. Best called in the first line of a program.

    Examines the machine without importing a framework, decides, tests in a child process what could kill or hang this one
    (an accelerator, or an import that was never seen to work in this state), sets variables, imports the framework, sets
    visible devices and memory growth, and runs one operation. If any step fails, devicekit falls back to the CPU, hides the
    accelerators, and warns once with the cause and the fix.

    Parameters
    ----------
    device : str
        The requested device; see `select_device`. The variable ``DEVICEKIT_DEVICE`` replaces ``"auto"`` and ``"fastest"``.
    framework : {"tensorflow", "jax", "torch", "keras", "any"} or None
        See `select_device`. If Keras would take another framework than the named one, ``KERAS_BACKEND`` is set, unless you
        have set it.
    require : bool
        Whether to raise if the requested device (with ``"auto"``: any accelerator) cannot be used.
    memory : "grow", "all", int or str
        Let the framework take the device's memory as needed, all of it at once (its own default), or at most this much (a
        number of bytes, or a text such as ``"4GiB"``).
    precision : str or None
        Global dtype policy of Keras, such as ``"mixed_float16"``.
    verify : {"cached", "always", "never"}
        Whether an accelerator is tested in a child process: if there is no cached result for this exact state, always, or
        never; with "never" no operation is run in this process either. ``DEVICEKIT_VERIFY`` replaces "cached".
    seed : int or None
        Seed for Python's, NumPy's and the framework's generators: 0 to 4294967295.
    verbose : bool or None
        Whether to print one line to standard error. By default nothing is printed.
    quiet : bool or None
        Whether to hold back the harmless lines that TensorFlow prints while this call starts it, such as "oneDNN custom
        operations are on" and, on a machine without a GPU, "failed call to cuInit". Errors and unknown lines always pass,
        and so does everything if you set ``TF_CPP_MIN_LOG_LEVEL``, or if TensorFlow cannot be used. By default they are held
        back if standard error is a terminal or a notebook, and left in files and pipes. The logger ``devicekit`` has them at
        level DEBUG.
    explain_errors : bool
        Whether to explain uncaught exceptions below their traceback from now on; see `install_excepthook`.
    measure : bool or str
        With ``"fastest"``: whether to measure the devices, a few seconds each in child processes, if that was not done in
        the present state of this machine. True measures MobileNet; a name, another model of `devicekit.benchmark`.
    tune : bool
        Whether to apply the settings that `devicekit.tune` found for the device in the present state of this machine. If
        there are none yet, nothing changes, and the selection's reason says so; with ``measure``, tuning runs now, which
        takes three minutes once.
    policy : None, str or callable
        How to choose among several usable devices; see `select_device`.
    exclusive : bool or float
        Whether to reserve the device for this process until it ends, among all programs that reserve devices with devicekit
        (see `lease`). True waits as long as it takes, a number at most that many seconds; then the CPU is used or, with
        ``require``, an error is raised.

    Returns
    -------
    Selection
        The device in use, the findings and every change. A second call with the same arguments returns the same.

    Notes
    -----
    On an accelerator the operation fixes TensorFlow's devices and thread counts, as any operation does: set those before, or
    use ``verify="never"``. With JAX it does so on the CPU as well (``jax.distributed.initialize`` and ``jax_num_cpu_devices``
    come before, or with ``verify="never"``).

    Raises
    ------
    DeviceUnavailableError
        With ``require=True``, if the device cannot be used; carries the findings.
    LeaseTimeoutError
        With ``require=True`` and ``exclusive``, if it did not become free in time.
    LeaseError
        With ``exclusive``, if nothing can be leased on this machine.
    ValueError
        If an argument is not accepted; the message lists what is.
    """
    if explain_errors:
        from .logs.excepthook import install_excepthook

        install_excepthook()
    from .runtime.decide import Options
    from .runtime.pipeline import run

    model = None
    if measure is not False:
        from .measure.benchmark.stage import checked_model

        model = checked_model(measure)
    options = Options(
        framework,
        memory,
        precision,
        verify,
        seed,
        policy,
        model,
        tune,
        exclusive,
        require=require,
        verbose=verbose,
        quiet=quiet,
    )
    return run(device, options, _stages(options))


def _stages(options: "Options") -> "List[Stage]":
    """Return what happens between the plan and the check, in this order; what was not asked for is not loaded."""
    from .runtime.pipeline import apply

    stages: List[Stage] = [apply]
    if options.tune:
        from .measure.tuning.applying import Tuner

        tuner = Tuner()
        stages = [tuner.prepare, apply, tuner.finish]
    if options.exclusive is not False:
        from .cluster.lease.exclusive import lease_devices

        stages.insert(0, lease_devices)
    if options.measure is not None:
        from .measure.benchmark.stage import measure_devices

        stages.insert(0, measure_devices)
    return stages
