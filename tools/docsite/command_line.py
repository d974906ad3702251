"""The page of the command line: every verb and option, from the argument parser."""

import argparse
import re
from typing import Iterator, List, Tuple

from .markdown import plain

__all__ = ["command_line_page", "verbs"]

_HEAD = """# Command line

`devicekit` and `python -m devicekit` are the same command. Every verb that answers a question has `--json`; its
output has a [schema](json.md). Exit status 0: fine; 1: an error was found, or the requested device cannot be used; 2: wrong
use.
"""


def verbs(parser: argparse.ArgumentParser) -> Iterator[Tuple[Tuple[str, ...], str, argparse.ArgumentParser]]:
    """Yield every verb with the sentence that describes it and its parser; verbs of verbs as well."""
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        help_of = {choice.dest: choice.help or "" for choice in action._choices_actions}
        for name, below in action.choices.items():
            if name in help_of:
                yield (name,), help_of[name], below
                for names, text, deeper in verbs(below):
                    yield (name, *names), text, deeper


def command_line_page(parser: argparse.ArgumentParser) -> str:
    """Return the page."""
    lines = [_HEAD]
    found = list(verbs(parser))
    lines += ["| command | what it does |", "|---|---|"]
    lines += [
        "| [`devicekit %s`](#%s) | %s |" % (" ".join(names), "-".join(names), _text(text)) for names, text, _ in found
    ]
    for names, text, below in found:
        lines += ["", "## `devicekit %s` {#%s}" % (" ".join(names), "-".join(names)), "", _sentence(text), ""]
        if below.description and below.description != _sentence(text):
            lines += [_text(below.description), ""]
        lines += ["```text", _usage(below), "```", ""]
        rows = [row for action in below._actions for row in _rows(action)]
        if rows:
            lines += ["| argument | meaning |", "|---|---|", *rows]
        if below.epilog:
            lines += ["", "```text", below.epilog.strip("\n"), "```"]
    return "\n".join(lines) + "\n"


def _usage(parser: argparse.ArgumentParser) -> str:
    """Return the usage in lines of one width, whatever terminal this is built on."""
    formatter = argparse.HelpFormatter(parser.prog, width=100)
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, prefix="")
    return re.sub(r" +$", "", formatter.format_help().strip("\n"), flags=re.M)


def _rows(action: argparse.Action) -> List[str]:
    if isinstance(action, (argparse._HelpAction, argparse._SubParsersAction)) or action.help == argparse.SUPPRESS:
        return []
    if action.option_strings:
        value = _value(action)
        names = ", ".join("`%s`" % (name + (" " + value if value else "")) for name in action.option_strings)
    else:
        names = "`%s`" % (_value(action) or action.dest)
    return ["| %s | %s |" % (names, _text(_filled(action)))]


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    if action.choices is not None and action.metavar is None:
        return "{%s}" % ",".join(str(item) for item in action.choices)
    metavar = action.metavar
    if isinstance(metavar, tuple):
        return " ".join(metavar)
    return metavar or (action.dest.upper() if action.option_strings else action.dest)


def _filled(action: argparse.Action) -> str:
    """Return the help with its ``%(default)s`` and ``%%`` filled in, as argparse prints it."""
    values = dict(vars(action), prog="devicekit")
    return (action.help or "") % values


def _text(text: str) -> str:
    return plain(" ".join(text.split()))


def _sentence(text: str) -> str:
    text = _text(text)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".")
