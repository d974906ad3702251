"""``devicekit verify``: run each framework in a child process, to test the prediction of ``doctor``."""

import argparse
from typing import Any

from .arguments import json_output
from .inputs import interpreter_of
from .numerics import add_numerics, numerics_requested, verify_numerics
from .output import print_json, print_text, terminal_style


def add_verify(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "verify",
        example="devicekit verify --python .venv/bin/python",
        parents=[json_output()],
        help="import each framework, compute and train: is doctor right?",
    )
    parser.add_argument("--python", metavar="PATH", help="test another Python interpreter or virtual environment")
    parser.add_argument(
        "--framework",
        dest="frameworks",
        action="append",
        nargs="+",
        metavar="NAME",
        help="test only these (default: all that are installed)",
    )
    parser.add_argument(
        "--timeout", type=float, default=120.0, metavar="SECONDS", help="for each framework (default: 120)"
    )
    add_numerics(parser)
    parser.set_defaults(run=_verify)


def _verify(options: argparse.Namespace) -> int:
    if numerics_requested(options):
        return verify_numerics(options)
    from ..report.data import verification_data
    from ..report.verification import verification_text
    from ..runtime.verify import verify_interpreter

    interpreter = interpreter_of(options.python)
    names = [name for group in options.frameworks for name in group] if options.frameworks else None
    verification = verify_interpreter(interpreter, names, options.timeout)
    if options.json:
        print_json(verification_data(verification))
    else:
        from ..resolver.result import quoted

        snapshot = "devicekit snapshot" + (" --python %s" % quoted(options.python) if options.python else "")
        print_text(verification_text(verification, terminal_style(), snapshot))
    return 0 if verification.works and not verification.shadowed else 1
