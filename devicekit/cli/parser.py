"""The command's parser: verbs in groups, a hint for a misspelled word, an example and the exit status for each verb."""

import argparse
import re
import sys
import textwrap
from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence, Tuple

from ..errors import did_you_mean
from .output import print_error, print_text

#: What a verb returns if nothing else is said of it.
STATUS = "0: fine; 1: an error was found, or the requested device cannot be used; 2: wrong use"

_INVALID = re.compile(r"invalid choice: '([^']{1,60})'")


class CommandParser(argparse.ArgumentParser):
    """An argument parser that says what was meant by a misspelled word.

    Attributes
    ----------
    verbs : dict of str to CommandParser
        The parsers of the verbs; empty for that of a verb.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.verbs: Dict[str, CommandParser] = {}

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and refuse ``--option=--``: up to Python 3.12, argparse takes the value away and leaves an empty list."""
        options, unknown = super().parse_known_args(args, namespace)
        for action in self._actions:
            found = getattr(options, action.dest, None) if action.option_strings and action.nargs is None else None
            if isinstance(found, list) and (found == [] != action.default or [] in found):
                self.error("argument %s: expected one argument" % "/".join(action.option_strings))
        return options, unknown

    def error(self, message: str) -> "NoReturn":
        """Exit with status 2 and a message, with the nearest accepted word if there is one."""
        found = _INVALID.search(message)
        if found:
            choices = [str(item) for action in self._actions for item in action.choices or ()]
            options = [text for action in self._actions for text in action.option_strings]
            choices += ["help", *options] if self.verbs else []
            message += did_you_mean(found.group(1), choices)
        super().error(message)

    def _print_message(self, message: str, file: Any = None) -> None:
        if message:
            (print_text if file is sys.stdout else print_error)(message)

    def reject(self, unknown: Sequence[str]) -> "NoReturn":
        """Exit because of arguments that the verb does not have."""
        options = [text for action in self._actions for text in action.option_strings]
        named = [item.partition("=")[0] for item in unknown if item.startswith("-")]
        hint = next(filter(None, (did_you_mean(item, options) for item in named)), "")
        self.error("unrecognized arguments: %s%s" % (" ".join(unknown), hint))


class Verbs:
    """The verbs of the command, in groups for ``--help``.

    Attributes
    ----------
    by_name : dict of str to CommandParser
    """

    def __init__(self, parser: CommandParser) -> None:
        # Listed by `listing`, in groups, which argparse does not have.
        self._parsers = parser.add_subparsers(prog=parser.prog, metavar="COMMAND", help=argparse.SUPPRESS)
        self._groups: List[Tuple[str, List[Tuple[str, str]]]] = []
        self.by_name = parser.verbs

    def add_group(self, title: str, verbs: Sequence[Callable[[Any], None]]) -> None:
        """Add verbs under a title."""
        self._groups.append((title, []))
        for add_verb in verbs:
            add_verb(self)

    def add_parser(
        self, name: str, *, help: str, example: str, status: str = STATUS, description: Optional[str] = None, **options: Any
    ) -> argparse.ArgumentParser:  # fmt: skip
        """Add a verb; ``example`` and ``status`` (its exit status) end its help. See argparse for the others."""
        self._groups[-1][1].append((name, help))
        parser: CommandParser = self._parsers.add_parser(
            name,
            help=help,
            description=textwrap.fill(description or help[0].upper() + help[1:] + "." * (not help.endswith("?")), 79),
            epilog="example:\n%s\n\nexit status:\n  %s"
            % ("\n".join("  " + line for line in example.splitlines()), status),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **options,
        )
        parser.add_argument(
            "-q", "--quiet", action="store_true", help="print no progress and no notes on standard error"
        )
        self.by_name[name] = parser
        return parser

    def listing(self) -> str:
        """Return the verbs with what they do, by group."""
        width = max(map(len, self.by_name)) + 2
        groups = (
            "%s:\n%s" % (title, "\n".join("  %s%s" % (name.ljust(width), text) for name, text in verbs))
            for title, verbs in self._groups
        )
        return "\n\n".join(groups)
