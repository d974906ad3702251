"""``devicekit run``: run a command with devices reserved for it."""

import argparse
import errno
import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any, Dict, List, NoReturn, Optional, Sequence, Tuple

from ..children.progress import Progress, is_watched
from ..diagnosis.findings import Candidate
from ..errors import DevicekitError, DeviceUnavailableError, LeaseTimeoutError
from ..machine.facts import Machine
from ..selection.request import Request
from .inputs import examine
from .output import print_error, print_message, print_note, terminal_style

if TYPE_CHECKING:
    from ..watch.command_watch import CommandWatch

#: The exit status of shells and env(1) if a command cannot be run, and if it is not found.
_CANNOT_RUN, _NOT_FOUND = 126, 127


def add_run(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "run",
        example="devicekit run --gpus 1 -- python train.py\ndevicekit run --watch -- python train.py",
        status="that of the command; 1: no device is available; 2: wrong use; 126, 127: the command cannot be started",
        help="run a command, with GPUs reserved for it, and explain why it failed",
        description="Run a command; if it fails, explain what it printed and how it ended. With --gpus or --device, wait until"
        " enough devices are free, lease them, let the command see only these, and release them when it ends.",
    )
    parser.add_argument(
        "--gpus", type=int, metavar="N", help="number of devices to lease (default: as many as --device names, or none)"
    )
    parser.add_argument(
        "--device", metavar="DEVICE", help="the devices to lease: gpu, cuda:1, gpu:0,2, gpu:GPU-5ebe9f43, ..."
    )
    parser.add_argument("--min-memory", metavar="SIZE", help="minimum memory of a device: 8GiB, ...")
    parser.add_argument(
        "--policy", metavar="NAME", help="order in which free devices are taken: least-memory, index, ..."
    )
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="maximum time to wait (default: unlimited)")
    parser.add_argument(
        "--watch",
        action="store_true",
        help="say at the end what the command and all that it started did with processors, memory and GPUs, and what slowed"
        " it down",
    )
    parser.add_argument("--machine", metavar="FILE", help="use the devices of a snapshot, to try this command")
    parser.add_argument(
        "--json",
        action="store_true",
        help="print what was leased, why the command failed and what --watch saw on standard error, each as one line of JSON",
    )
    parser.add_argument(
        "command", nargs=argparse.REMAINDER, metavar="-- COMMAND ...", help="the command to run, after two dashes"
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from ..children.foreground import end_as

    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        raise DevicekitError("no command to run: devicekit run --gpus 1 -- python train.py")
    if options.timeout is not None and not _asks_for_devices(options):
        raise DevicekitError("--timeout is how long to wait for devices: name them by --gpus or --device")
    if _asks_for_devices(options):
        try:
            held = _leased(options, command)
        except (LeaseTimeoutError, DeviceUnavailableError) as error:
            print_message(str(error))
            return 1
        environment, handles = dict(os.environ, **held.environment), held.handles
    else:
        held, environment, handles = None, dict(os.environ), ()
    if options.quiet and not options.watch and os.name != "nt":  # nothing would be said at the end
        _become(command, environment, handles)
    try:
        status = _explained(command, environment, handles, held, options)
    except OSError as error:
        return _cannot_run(command[0], error)
    finally:
        if held is not None:
            held.hand_over()  # what the command has left behind goes on using the devices
    return end_as(status)


def _asks_for_devices(options: argparse.Namespace) -> bool:
    return any(item is not None for item in (options.gpus, options.device, options.min_memory, options.policy))


def _leased(options: argparse.Namespace, command: List[str]) -> Any:
    """Wait for the devices, and return the lease."""
    from ..cluster.lease.eligible_devices import checked_count, checked_timeout
    from ..cluster.lease.lease import take_devices
    from ..selection.request import parse_request

    request = parse_request(options.device or "gpu")
    count, timeout_s = checked_count(options.gpus, request), checked_timeout(options.timeout)
    machine = examine(options.machine, deep=False)
    teller = _Teller(count, options.quiet)
    try:
        candidates, framework = _devices(request, count, machine, options)
        held = take_devices(candidates, count, machine, framework, timeout_s, teller, _name_of(command))
    finally:
        teller.end()
    if options.json:
        uuids = [item.uuid for item in held.candidates]
        leased = {"devices": list(held.devices), "uuids": uuids, "environment": held.environment}
        print_error(json.dumps(leased) + "\n")
    elif held.unrestricted:
        print_note("%s is leased, but %s" % (held.device, held.unrestricted))
    return held


def _watch(environment: Dict[str, str], held: Any) -> "CommandWatch":
    from ..machine.live_host import LiveHost
    from ..watch.command_watch import CommandWatch

    leased = []
    for item in held.candidates if held is not None else ():
        if item.platform == "cuda":  # only of these it is seen whether they are used
            leased.append(item.uuid if item.uuid.startswith("MIG-") else item.device)
    return CommandWatch(LiveHost(), environment, leased)


def _explained(
    command: List[str],
    environment: Dict[str, str],
    handles: Sequence[int],
    held: Any,
    options: argparse.Namespace,
) -> int:
    """Run the command, say why it failed if that is known and what was seen of it, and return its status."""
    from ..children.foreground import run_listening
    from ..machine.live_host import LiveHost
    from ..report.terminal import explanation_text
    from ..watch.failed_command import Heard, KernelWatch, ended_by, explain_failure, how_it_ended

    heard, kernel = Heard(), KernelWatch(LiveHost())
    watch = _watch(environment, held) if options.watch else None
    try:
        status = run_listening(command, environment, heard.listen, handles, _say_what_is_left, watch)
        explanation = None
        if not options.quiet:
            explanation = explain_failure(status, heard, kernel, lambda: examine(options.machine))
    finally:
        kernel.close()
    if explanation is not None and options.json:
        print_error(json.dumps(explanation.to_dict()) + "\n")
    elif explanation is not None:
        print_error("\ndevicekit: %s %s\n" % (_name_of(command), how_it_ended(status)))
        print_error(explanation_text(explanation, terminal_style(sys.stderr)))
    elif status < 0 and ended_by(status) == "SIGKILL" and not (options.quiet or options.json):
        text = (
            "%s %s; the kernel counted no process here that it ended for want of memory: a person, a batch system or a"
        )
        print_message((text + " service such as systemd-oomd did it") % (_name_of(command), how_it_ended(status)))
    if watch is not None:
        _say_what_was_seen(watch, _name_of(command), status, options.json)
    return status


def _say_what_was_seen(watch: "CommandWatch", name: str, status: int, as_json: bool) -> None:
    from ..report.monitor import watched_text
    from ..watch.result import CommandReport

    report = CommandReport.of(watch.record(name, status))
    if as_json:
        print_error(json.dumps(report.to_dict()) + "\n")
    else:
        print_error("\n%s\n" % watched_text(report, terminal_style(sys.stderr)))


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


def _become(command: List[str], environment: Dict[str, str], handles: Sequence[int]) -> NoReturn:
    """Replace this process with the command: it gets every signal itself, and the kernel frees its locks when it ends."""
    for handle in handles:
        os.set_inheritable(handle, True)
    for name in ("SIGPIPE", "SIGXFSZ"):  # Python ignores them, and the command would inherit that
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execvpe(command[0], command, environment)  # noqa: S606 - the user's command, without a shell
    except OSError as error:
        status = _cannot_run(command[0], error)
        sys.stderr.flush()
        os._exit(status)


def _cannot_run(program: str, error: OSError) -> int:
    """Say why a program cannot be started; return the exit status for that."""
    # Of a child, Python 3.7 adds the program's name to the error's text.
    reason = os.strerror(error.errno) if os.name == "posix" and error.errno else error.strerror
    if error.errno == errno.ENOEXEC:  # of Windows: "%1 is not a valid Win32 application"
        reason = "it is not a program. Put its interpreter before a script: devicekit run -- python train.py"
    print_message("%s cannot be run: %s" % (program, reason))
    return _NOT_FOUND if isinstance(error, FileNotFoundError) else _CANNOT_RUN


def _say_what_is_left(number: int) -> None:
    what = "a process that it has started still runs" if number == 1 else "%d processes still run" % number
    print_message("the command has ended, but %s: waiting (Ctrl-C ends %s)" % (what, "it" if number == 1 else "them"))


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
