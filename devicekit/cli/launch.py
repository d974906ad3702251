"""``devicekit launch``: start processes that train together on this machine."""

import argparse
from typing import Any, Dict, Sequence

from .arguments import file_name
from .output import check_writable, print_error, print_json, print_text, write_text

# Names that type checkers know: the other verbs shall not pay for what starts processes.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..cluster.launch.supervisor import Outcome, Task


def add_launch(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "launch",
        example="devicekit launch --workers 2 train.py",
        status="that of the first process that failed; 128 and the signal's number if a signal ended it; 2 if output was lost",
        help="start distributed training (like torchrun)",
        usage="devicekit launch [options] (SCRIPT | -m MODULE) [arguments]",
    )
    parser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="number of processes (default: one for each usable accelerator, or one)",
    )
    parser.add_argument(
        "--device",
        "--devices",
        dest="devices",
        default="auto",
        metavar="DEVICES",
        help="devices to distribute: auto, gpu, gpu:0,1, cpu, ... (default: auto)",
    )
    parser.add_argument(
        "--framework", metavar="NAME", help="tensorflow, jax or torch (default: variables for all three)"
    )
    parser.add_argument("--port", type=int, metavar="PORT", help="first port to use (default: free ports)")
    parser.add_argument(
        "--grace", type=float, default=10.0, metavar="SECONDS", help="between asking to end and killing (default: 10)"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would be started, and start nothing")
    parser.add_argument("--json", action="store_true", help="print a summary as JSON on the last line")
    parser.add_argument("--summary", type=file_name, metavar="FILE", help="write the same summary to a file")
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, metavar="MODULE", help="run a module")
    parser.add_argument(
        "command", nargs=argparse.REMAINDER, metavar="SCRIPT", help="a Python script, and its arguments"
    )
    parser.set_defaults(run=_launch)


def _launch(options: argparse.Namespace) -> int:
    from ..cluster.launch.launch_plan import Order, local_tasks, plan_launch
    from ..cluster.launch.supervisor import lost_output, supervise

    order = Order(
        command=tuple(options.module if options.module is not None else _without_dashes(options.command)),
        module=options.module is not None,
        workers=options.workers,
        devices=options.devices,
        framework=options.framework,
        port=options.port,
    )
    if options.grace <= 0:
        raise ValueError("--grace is %g; it is a number of seconds above 0" % options.grace)
    specs, notes = plan_launch(order)
    planned = [spec.to_dict() for spec in specs]
    tasks = local_tasks(order, specs)
    for note in notes if not options.quiet else ():
        _say(note)
    if options.dry_run:
        return _show(tasks, planned, options.json)
    if options.summary:
        check_writable(options.summary)
    outcome = supervise(tasks, grace_s=options.grace, say=_say)
    lost = lost_output()
    if lost:
        _say(lost)
    _summarise(options, outcome, planned)
    return outcome.status or (2 if lost else 0)


def _without_dashes(command: Sequence[str]) -> Sequence[str]:
    return command[1:] if command[:1] == ["--"] else command


def _say(text: str) -> None:
    print_error("devicekit launch: %s\n" % text)


def _show(tasks: "Sequence[Task]", planned: Sequence[Dict[str, Any]], as_json: bool) -> int:
    if as_json:
        print_json([dict(plan, label=task.label, command=list(task.command)) for task, plan in zip(tasks, planned)])
        return 0
    for task, plan in zip(tasks, planned):
        print_text("%s: %s\n" % (task.label, " ".join(task.command)))
        for name, value in plan["variables"].items():
            print_text("  %s=%s\n" % (name, value))
    return 0


def _summarise(options: argparse.Namespace, outcome: "Outcome", planned: Sequence[Dict[str, Any]]) -> None:
    """Print or write the outcome of each process; devices, but no addresses: host names stay on the machine."""
    import json

    if not (options.json or options.summary):
        return
    devices = {"worker %d" % item["index"]: item["devices"] for item in planned}
    data = {
        "status": outcome.status,
        "reason": outcome.reason,
        "failed": outcome.failed.to_dict() if outcome.failed is not None else None,
        "workers": [dict(item.to_dict(), devices=devices.get(item.label, [])) for item in outcome.ended],
    }
    if options.json:
        print_text(json.dumps(data) + "\n")
    if options.summary:
        write_text(options.summary, json.dumps(data, indent=1) + "\n")
