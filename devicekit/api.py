"""The public functions: they tie the rooms together and are short."""

from typing import TYPE_CHECKING, Iterable, List, Optional, Union

from .machine.facts import Machine
from .runtime.decide import plan_for
from .selection.policies import Policy
from .selection.request import parse_request
from .selection.selection import Selection

if TYPE_CHECKING:
    from .runtime.options import Options
    from .runtime.pipeline import Stage

__all__ = ["auto", "select_device"]


def select_device(
    device: str = "auto",
    *,
    framework: Optional[str] = None,
    machine: Optional[Machine] = None,
    min_memory: Union[int, str, None] = None,
    exclude: Iterable[str] = (),
    policy: Policy = None,
) -> Selection:
    """Decide which device to use, and do nothing else: no framework is imported, nothing printed, nothing changed.

    Parameters
    ----------
    device : str
        What is wanted: ``"auto"``, ``"fastest"``, ``"cpu"``, ``"gpu"``, ``"gpu:1"``, ``"cuda:0"``, ``"directml:0"``,
        ``"/GPU:0"``, ``"gpu:GPU-5ebe9f43"`` (an identifier, or its beginning where no other begins alike), ``"MIG-..."``
        (a slice of a GPU), ... ``"fastest"``: of all devices, the CPU too, the one that `devicekit.benchmark` has shown to
        be the fastest on this machine in its present state; where that was not measured, the same as ``"auto"``, with the
        command that measures it in the reason.
    framework : {"tensorflow", "jax", "torch", "keras", "any"} or None
        The framework to decide for; by default the one that is imported, that ``KERAS_BACKEND`` or ``keras.json`` names,
        or that is installed, in this order. ``"keras"``: the one that Keras computes with, or would. ``"any"``: another
        installed one where this one cannot use the device, as long as Keras has no backend yet.
    machine : Machine or None
        The machine to decide for; this one by default.
    min_memory : int or str or None
        Leave out devices with less memory: a number of bytes, or a text such as ``"8GiB"``.
    exclude : iterable of str
        Devices or platforms to leave out.
    policy : None, "index", "least-memory", "least-utilisation", "fastest" or callable
        How to pick among several usable devices: the first in the framework's order, the one of whose memory least is in
        use, the least busy one, the fastest of those that were measured (of ``"gpu"``: the fastest GPU), or a function that
        gets the candidates and returns one of them. None: the first that is free, that is of whose memory others use no
        more than 1 GiB or a tenth and that is less than 10 % busy (of several kinds of card the one that was measured to
        be the fastest); where none is free, the one with the least used memory. ``reason`` says what decided.

    Returns
    -------
    Selection
        With ``changes`` empty and ``verified`` None: nothing was run. Where the device cannot be used, it is the CPU,
        ``fallback`` is true, and the first of the findings is the reason.

    Raises
    ------
    ValueError
        Where an argument is not one of the accepted; the message lists those.
    """
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
    explain_errors: bool = False,
    measure: Union[bool, str] = False,
    tune: bool = False,
    policy: Policy = None,
    exclusive: Union[bool, float] = False,
) -> Selection:
    """Put Keras and its framework on the best device that really works here. Best called in the first line of a program.

    Looks at the machine without importing a framework, decides, tries in a child process what could kill or hang this one
    (an accelerator, or an import that was never seen to work in this state), sets variables, imports the framework, sets
    visible devices and memory growth, and runs one operation. Where anything of that fails, the framework is left on the
    CPU with no accelerator visible, and one warning names the cause and the fix.

    Parameters
    ----------
    device : str
        What is wanted; see `select_device`. ``"auto"`` and ``"fastest"`` take the variable ``DEVICEKIT_DEVICE`` where that
        is set.
    framework : {"tensorflow", "jax", "torch", "keras", "any"} or None
        See `select_device`. Where one is named and Keras would take another, ``KERAS_BACKEND`` is set; not where you have
        set it.
    require : bool
        Whether to raise where the asked device (with ``"auto"``: any accelerator) cannot be used.
    memory : "grow", "all", int or str
        Let the framework take the device's memory as it needs it, all of it at once (its own default), or at most so many
        bytes (a number, or a text such as ``"4GiB"``).
    precision : str or None
        Global dtype policy of Keras, such as ``"mixed_float16"``.
    verify : {"cached", "always", "never"}
        Whether an accelerator is tried in a child process: when nothing is known of it in this exact state, always, or
        never; with "never" no operation is run in this process either. ``DEVICEKIT_VERIFY`` overrules "cached".
    seed : int or None
        Seed for Python's, NumPy's and the framework's generators.
    verbose : bool or None
        Whether to print one line to standard error. By default nothing is printed.
    explain_errors : bool
        Whether to have uncaught exceptions explained under their traceback from now on; see `install_excepthook`.
    measure : bool or str
        With ``"fastest"``: whether to measure the devices, some seconds each in processes of their own, where that was not
        done in the present state of this machine; True measures MobileNet, a name one of the other models of
        `devicekit.benchmark`.
    tune : bool
        Whether to put in force what `devicekit.tune` found for the device in the present state of this machine. Where it
        found nothing yet, nothing changes, and the selection's reason says so; with ``measure`` it is run now, which takes
        three minutes once.
    policy : None, str or callable
        How to pick among several usable devices; see `select_device`.
    exclusive : bool or float
        Whether to have the device for this process alone, among all that ask devicekit for theirs (see `lease`): until the
        process ends. True waits as long as it takes, a number so many seconds at most, and then for the CPU, or, with
        ``require``, for an error.

    Returns
    -------
    Selection
        The device in force, the findings and every change. A second call with the same arguments returns the same.

    Notes
    -----
    The operation makes TensorFlow's pool of threads: set thread counts before, or use ``verify="never"``. On an
    accelerator it also fixes TensorFlow's devices, as any operation does; with JAX it does so on the CPU as well
    (``jax.distributed.initialize`` and ``jax_num_cpu_devices`` come before, or with ``verify="never"``).

    Raises
    ------
    DeviceUnavailableError
        With ``require=True``, where the device cannot be used; carries the findings.
    LeaseTimeoutError
        With ``require=True`` and ``exclusive``, where it did not become free in time.
    LeaseError
        With ``exclusive``, where nothing can be leased on this machine.
    ValueError
        Where an argument is not one of the accepted.
    """
    if explain_errors:
        from .logs.excepthook import install_excepthook

        install_excepthook()
    from .runtime.options import Options
    from .runtime.pipeline import run

    model = None
    if measure is not False:
        from .measure.benchmark.stage import checked_model

        model = checked_model(measure)
    options = Options(
        framework, memory, precision, verify, seed, policy, model, tune, exclusive, require=require, verbose=verbose
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
