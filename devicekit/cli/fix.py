"""``devicekit fix``: make what is installed work, or undo what the last fix has changed.

Exit status 0: everything works, or is undone; 1: something does not work and is as it was (no way, no help, not confirmed),
or not everything works; 2: wrong use, or an environment that cannot be changed; 130: interrupted, and restored.
"""

import argparse
import sys
from typing import TYPE_CHECKING, Any, Tuple

from .arguments import json_output
from .inputs import interpreter_of
from .output import print_error, print_json, print_message, print_note, print_text, terminal_style

if TYPE_CHECKING:
    from ..machine.host import Interpreter
    from ..remedy.result import Remedy


def add_fix(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    from ..resolver.goals import GOALS

    parser: argparse.ArgumentParser = verbs.add_parser(
        "fix",
        example="devicekit fix --python .venv/bin/python",
        status="0: everything works, or is undone; 1: not everything works; 2: wrong use; 130: interrupted, and restored",
        parents=[json_output()],
        help="install what makes it work, check that it does, undo it if not",
    )
    parser.add_argument("--python", metavar="PATH", help="fix another Python interpreter or virtual environment")
    parser.add_argument(
        "--goal",
        default="auto",
        metavar="GOAL",
        help="auto (what is installed works; the default), %s" % ", ".join(GOALS),
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--dry-run", "--dry_run", action="store_true", help="only show what would be done")
    group.add_argument("--yes", action="store_true", help="do it without asking")
    parser.add_argument("--undo", action="store_true", help="restore what was there before the last fix")
    parser.set_defaults(run=_fix)


def _fix(options: argparse.Namespace) -> int:
    interpreter = interpreter_of(options.python)
    try:
        remedy, shown = (_undone if options.undo else _fixed)(options, interpreter)
    except KeyboardInterrupt:
        print_message("interrupted; the environment is as it was before")
        return 130
    # What was planned and not confirmed was shown already.
    if not (shown and remedy.outcome == "planned"):
        _show(options, remedy, shown)
    return 0 if remedy.outcome in ("nothing-wrong", "fixed", "undone") else 1


def _fixed(options: argparse.Namespace, interpreter: "Interpreter") -> "Tuple[Remedy, bool]":
    """Return the remedy, and whether its plan was shown."""
    from ..remedy.layout import read_layout
    from ..remedy.run import carry_out, interrupted, plan_and_try, plan_for, recover

    layout = read_layout(interpreter.executable)
    if interrupted(layout) and _confirmed(options, "An earlier fix was interrupted. Restore what was there before?"):
        journal = recover(layout)
        if journal is not None:
            print_note("the fix that was interrupted is undone: everything is as it was on %s" % journal.started)
    remedy = (plan_for if options.dry_run else plan_and_try)(interpreter, options.goal)
    if remedy.outcome != "planned":
        return remedy, False
    shown = _show_before_asking(options, remedy)
    return (carry_out(interpreter, remedy) if _confirmed(options, "Do it?") else remedy), shown


def _undone(options: argparse.Namespace, interpreter: "Interpreter") -> "Tuple[Remedy, bool]":
    from ..remedy.run import plan_undo, undo

    planned = plan_undo(interpreter)
    shown = _show_before_asking(options, planned)
    return (undo(interpreter) if _confirmed(options, "Undo it?") else planned), shown


def _show_before_asking(options: argparse.Namespace, remedy: "Remedy") -> bool:
    asks = not options.yes and _asks(options)
    if asks:
        _show(options, remedy)
    return asks


def _asks(options: argparse.Namespace) -> bool:
    """Return whether a person can be asked."""
    return not options.dry_run and not options.json and sys.stdin.isatty() and sys.stdout.isatty()


def _confirmed(options: argparse.Namespace, question: str) -> bool:
    if options.yes:
        return True
    if not _asks(options):
        if not options.dry_run:
            print_message("nothing was changed; with --yes it is done without asking")
        return False
    print_error("%s [y/N] " % question)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _show(options: argparse.Namespace, remedy: "Remedy", again: bool = False) -> None:
    from ..report.remedy import remedy_text

    if options.json:
        print_json(remedy.to_dict())
    else:
        print_text(remedy_text(remedy, terminal_style(), again))
        sys.stdout.flush()
