"""``devicekit explain``: what a log means, and the page of a finding code."""

import argparse
import re
from typing import Any, Iterable, Iterator

from ..errors import DevicekitError, did_you_mean
from .arguments import json_output
from .inputs import as_code, clipboard, examine, is_code, is_message, is_word, open_log, read_facts
from .output import print_json, print_note, print_text, show

#: A word that more pages have says little.
_MOST = 8


def add_explain(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "explain",
        example="python train.py 2>&1 | devicekit explain -\ndevicekit explain cudnn-missing",
        status="0: no error was found; 1: an error was found; 2: wrong use",
        parents=[json_output()],
        help="explain a log, an error message or a finding code",
    )
    parser.add_argument(
        "log",
        nargs="?",
        metavar="LOG|TEXT|CODE",
        help="a file, '-' for standard input, an error message in quotes, or a code such as cudnn-missing",
    )
    parser.add_argument("--clipboard", action="store_true", help="explain the text in the clipboard")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--facts", metavar="FILE", help="JSON with facts about the machine that wrote the log")
    source.add_argument("--machine", metavar="FILE", help="a snapshot of the machine that wrote the log")
    source.add_argument("--here", action="store_true", help="this machine wrote the log")
    parser.set_defaults(run=_explain)


def _explain(options: argparse.Namespace) -> int:
    if options.clipboard and options.log:
        raise DevicekitError("--clipboard or %r, not both" % options.log[:60])
    if not (options.log or "").strip() and not options.clipboard:
        raise DevicekitError(
            "nothing to explain: name a file, '-' for standard input, --clipboard, an error message, or a finding code"
        )
    if options.log is not None and is_code(options.log):
        return print_page(as_code(options.log), options.json)
    from ..logs.explain import explain_log
    from ..logs.lines import chunks_of_stream
    from ..report.terminal import explanation_text

    facts = read_facts(options.facts) if options.facts else None
    machine = examine(options.machine) if options.machine or options.here else None
    if options.clipboard:
        explanation = explain_log(clipboard(), machine, facts=facts, source="clipboard")
    elif is_message(options.log) or is_word(options.log):
        explanation = explain_log(options.log, machine, facts=facts, source="message")
        if not explanation.findings and is_word(options.log):
            raise _unknown_word(options.log)
    else:
        source = "log" if options.log == "-" else options.log
        with open_log(options.log) as stream:
            chunks = _Chunks(chunks_of_stream(stream))
            explanation = explain_log(chunks, machine, facts=facts, source=source)
        if not chunks.any:
            print_note("%s is empty" % ("standard input" if options.log == "-" else source))
    show(options.json, explanation, explanation_text)
    return 1 if any(item.severity == "error" for item in explanation.findings) else 0


def _unknown_word(word: str) -> DevicekitError:
    """Return the error for a word that is neither a file nor a code nor an error, with the codes that may be meant."""
    from ..diagnosis.codes import CODES, MEASURED_CODES, code_pages

    codes = sorted(CODES + MEASURED_CODES)
    near = did_you_mean(as_code(word), codes)
    if not near:
        pages = code_pages()
        patterns = [re.compile(r"\b%s\b" % re.escape(item), re.I) for item in word.split()]
        about = [code for code in codes if as_code(word) in code] or [
            code for code in codes if all(item.search(pages[code]) for item in patterns)
        ]
        if 0 < len(about) <= _MOST:  # else it is a common word
            near = "; devicekit explain CODE shows what is known of it: %s" % ", ".join(about)
    accepted = "; name a log file, '-' for standard input, an error message in quotes, or a code"
    hint = near or accepted + "; to check this machine: devicekit doctor"
    return DevicekitError("%r is not a file, an error message or a finding code%s" % (word[:60], hint))


class _Chunks:
    """The content of a log, and whether there was any."""

    def __init__(self, chunks: "Iterable[bytes]") -> None:
        self._chunks = chunks
        self.any = False

    def __iter__(self) -> "Iterator[bytes]":
        for chunk in self._chunks:
            self.any = self.any or bool(chunk.strip())
            yield chunk


def print_page(code: str, as_json: bool = False) -> int:
    """Print the page of a finding code; raise DevicekitError, with the list of codes, if there is no such code."""
    from ..diagnosis.codes import CODES, MEASURED_CODES, code_pages

    codes = sorted(CODES + MEASURED_CODES)
    if code not in codes:
        near = did_you_mean(code, codes) or "; the codes are: %s" % ", ".join(codes)
        raise DevicekitError("unknown finding code '%s'%s" % (code[:60], near))
    if as_json:
        print_json({"schema": 1, "code": code, "page": code_pages()[code]})
    else:
        print_text(code_pages()[code])
    return 0
