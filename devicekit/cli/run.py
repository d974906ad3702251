"""``devicekit run``: run a command with devices reserved for it."""

import argparse
import json
import os
import signal
import sys
from typing import Any, Dict, List, NoReturn, Optional, Sequence, Tuple

from ..children.progress import Progress, is_watched
from ..diagnosis.findings import Candidate
from ..errors import DevicekitError, DeviceUnavailableError, LeaseTimeoutError
from ..machine.facts import Machine
from ..selection.request import Request
from .inputs import examine
from .output import print_error, print_message, print_note

#: The exit status of shells and env(1) if a command cannot be run, and if it is not found.
_CANNOT_RUN, _NOT_FOUND = 126, 127


def add_run(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "run",
        example="devicekit run --gpus 1 -- python train.py",
        status="that of the command; 1: no device is available; 2: wrong use; 126, 127: the command cannot be started",
        help="run a command with GPUs reserved for it",
        description="Wait until enough devices are free, lease them, run the command so that it sees only these devices, and"
        " release them when it ends.",
    )
    parser.add_argument(
        "--gpus", type=int, metavar="N", help="number of devices (default: as many as --device names, or 1)"
    )
    parser.add_argument(
        "--device", default="gpu", metavar="DEVICE", help="gpu, cuda:1, gpu:0,2, gpu:GPU-5ebe9f43, ... (default: gpu)"
    )
    parser.add_argument("--min-memory", metavar="SIZE", help="minimum memory of a device: 8GiB, ...")
    parser.add_argument(
        "--policy", metavar="NAME", help="order in which free devices are taken: least-memory, index, ..."
    )
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="maximum time to wait (default: unlimited)")
    parser.add_argument("--machine", metavar="FILE", help="use the devices of a snapshot, to try this command")
    parser.add_argument(
        "--json", action="store_true", help="print what was leased on standard error, as one line of JSON"
    )
    parser.add_argument(
        "command", nargs=argparse.REMAINDER, metavar="-- COMMAND ...", help="the command to run, after two dashes"
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from ..cluster.lease.eligible_devices import checked_count, checked_timeout
    from ..cluster.lease.lease import take_devices
    from ..selection.request import parse_request

    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        raise DevicekitError("no command to run: devicekit run --gpus 1 -- python train.py")
    request = parse_request(options.device)
    count, timeout_s = checked_count(options.gpus, request), checked_timeout(options.timeout)
    machine = examine(options.machine, deep=False)
    teller = _Teller(count, options.quiet)
    try:
        candidates, framework = _devices(request, count, machine, options)
        held = take_devices(candidates, count, machine, framework, timeout_s, teller, _name_of(command))
    except (LeaseTimeoutError, DeviceUnavailableError) as error:
        teller.end()
        print_message(str(error))
        return 1
    finally:
        teller.end()
    if options.json:
        uuids = [item.uuid for item in held.candidates]
        leased = {"devices": list(held.devices), "uuids": uuids, "environment": held.environment}
        print_error(json.dumps(leased) + "\n")
    elif held.unrestricted:
        print_note("%s is leased, but %s" % (held.device, held.unrestricted))
    environment = dict(os.environ, **held.environment)
    if os.name == "nt":
        return _start(command, environment, held)
    _become(command, environment, held)


def _devices(
    request: Request, count: int, machine: Machine, options: argparse.Namespace
) -> Tuple[Sequence[Candidate], Optional[str]]:
    """Return the eligible devices: those that the installed framework can use, otherwise those that the driver lists."""
    from ..cluster.lease.eligible_devices import candidates_of, hardware_of, of_the_machine, plan_of

    plan = plan_of(request, count, machine, None, options.min_memory, (), options.policy)
    if not plan.devices:
        found = hardware_of(request, count, machine, options.min_memory, options.policy)
        if found:
            return found, plan.framework
        plan = of_the_machine(plan)
    return candidates_of(plan, count), plan.framework


def _name_of(command: List[str]) -> str:
    """Return what other users see: the name of the script rather than of the interpreter, and no arguments."""
    name = os.path.basename(command[0])
    script: Optional[str] = next((word for word in command[1:] if not word.startswith("-")), None)
    if name.startswith("python") and script is not None and "-c" not in command[1:2]:
        name = os.path.basename(script)
    return name[:60]


def _become(command: List[str], environment: Dict[str, str], held: Any) -> NoReturn:
    """Replace this process with the command: it gets every signal itself, and the kernel frees its locks when it ends.

    No second process remains that could be killed alone, or outlive it.
    """
    for handle in held.handles:
        os.set_inheritable(handle, True)
    for name in ("SIGPIPE", "SIGXFSZ"):  # Python ignores them, and the command would inherit that
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execvpe(command[0], command, environment)  # noqa: S606 - the user's command, without a shell
    except OSError as error:
        held.release()
        print_message("%s cannot be run: %s" % (command[0], error.strerror))
        os._exit(_NOT_FOUND if isinstance(error, FileNotFoundError) else _CANNOT_RUN)


def _start(command: List[str], environment: Dict[str, str], held: Any) -> int:
    """Run the command as a child, because on Windows a process cannot be replaced."""
    from ..children.spawn import run_in_foreground

    with held:
        try:
            return run_in_foreground(command, environment)
        except OSError as error:
            print_message("%s cannot be run: %s" % (command[0], error.strerror))
            return _NOT_FOUND if isinstance(error, FileNotFoundError) else _CANNOT_RUN


class _Teller:
    """Shows the progress of the wait: to a person in one line, elsewhere once a minute."""

    def __init__(self, count: int, quiet: bool) -> None:
        self._what = "waiting for %s" % ("a device" if count == 1 else "%d devices" % count)
        self._line = Progress(self._what, quiet)
        self._logs = not quiet and not is_watched(sys.stderr)
        self._next_s = 0.0
        self._line.__enter__()

    def __call__(self, progress: Any) -> None:
        ahead = ", %d ahead" % progress.ahead if progress.ahead else ""
        holders = ": " + "; ".join(progress.holders) if progress.holders else ""
        self._line.say(self._what + ahead + holders)
        if self._logs and progress.seconds >= self._next_s:
            self._next_s = progress.seconds + 60.0
            print_message("%s (%.0f s%s)%s" % (self._what, progress.seconds, ahead, holders))

    def end(self) -> None:
        """Remove the line."""
        self._line.__exit__()
