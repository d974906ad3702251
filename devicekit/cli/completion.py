"""``devicekit completion``: what a shell has to run so that Tab completes; it asks the command itself for the words."""

import argparse
from typing import Any, Dict, Iterable, List, Sequence

from ..errors import DevicekitError, did_you_mean
from .output import print_text
from .parser import CommandParser

_ASK = "devicekit completion --current="

_SCRIPTS: Dict[str, str] = {
    "bash": """_devicekit() {
  local IFS=$'\\n'
  COMPREPLY=($(%s"${COMP_WORDS[COMP_CWORD]}" -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null))
}
complete -o default -F _devicekit devicekit
""",
    "zsh": """#compdef devicekit
_devicekit() {
  local -a found
  found=(${(f)"$(%s"${words[CURRENT]}" -- "${(@)words[2,CURRENT-1]}" 2>/dev/null)"})
  if (( $#found )); then compadd -- $found; else _files; fi
}
compdef _devicekit devicekit
""",
    "fish": """function _devicekit
  set -l found (%s(commandline -ct) -- (commandline -opc)[2..-1] 2>/dev/null)
  if test (count $found) -gt 0; printf '%%s\\n' $found; else; __fish_complete_path (commandline -ct); end
end
complete -c devicekit -f -a '(_devicekit)'
""",
    "powershell": """Register-ArgumentCompleter -Native -CommandName devicekit -ScriptBlock {
  param($word, $ast, $position)
  $before = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" } | Where-Object { $_ -ne $word })
  %s"$word" -- @before 2>$null
}
""",
}

_DEVICES = ("auto", "fastest", "cpu", "gpu", "cuda", "rocm", "directml", "metal", "xpu", "tpu")


def add_completion(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "completion",
        example='eval "$(devicekit completion bash)"',
        status="0: fine; 2: wrong use",
        help="print the script that makes a shell complete with Tab: %s" % ", ".join(_SCRIPTS),
    )
    parser.add_argument("--current", help=argparse.SUPPRESS)
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="SHELL", help="the shell")
    parser.set_defaults(run=_completion, parsers=verbs.by_name)


def _completion(options: argparse.Namespace) -> int:
    words = options.words[1:] if options.words[:1] == ["--"] else options.words
    if options.current is not None:
        # bash splits --device=gpu into three words, and the others leave it one.
        option, equals, beginning = options.current.rpartition("=")
        before = option + equals if option else ""
        found = candidates(options.parsers, [*words, option] if option else words)
        found = sorted(before + item for item in found if item.startswith(beginning))
        print_text("".join(item + "\n" for item in found))
        return 0
    name = words[0] if len(words) == 1 else ""
    if name not in _SCRIPTS:
        near = did_you_mean(name, _SCRIPTS) if name else ""
        what = "unknown shell %r" % " ".join(words)[:60] if words else "no shell is named"
        raise DevicekitError("%s: devicekit completion %s%s" % (what, "|".join(_SCRIPTS), near))
    print_text(_SCRIPTS[name] % _ASK)
    return 0


def candidates(parsers: Dict[str, CommandParser], words: Sequence[str]) -> List[str]:
    """Return what may come after the words behind ``devicekit``; nothing where a file may be meant."""
    words = [word for word in words if word != "="]
    if not words or words[0] not in parsers:
        return [] if words else [*parsers, "help", "--help", "--version"]
    verb = parsers[words[0]]
    options = {text: action for action in verb._actions for text in action.option_strings}
    last = options.get(words[-1])
    if last is not None and last.nargs != 0:
        return list(_values(words[0], last))
    found = [text for text in options if text.startswith("--") and "_" not in text]
    for action in verb._actions:
        if not action.option_strings:
            found += _values(words[0], action)
    return found


def _values(verb: str, action: argparse.Action) -> Iterable[str]:
    """Return the values that are known without a look at this machine."""
    from ..resolver.goals import FRAMEWORKS, GOALS

    if action.choices:
        return map(str, action.choices)
    if verb == "completion":
        return _SCRIPTS
    if action.metavar in ("DEVICE", "DEVICES"):
        return _DEVICES
    if action.metavar == "GOAL":
        return (*GOALS, "auto") if verb == "fix" else GOALS
    if action.dest in ("framework", "frameworks", "also"):
        return FRAMEWORKS
    if "CODE" in str(action.metavar) or action.dest == "explain":
        from ..diagnosis.codes import CODES, MEASURED_CODES

        return CODES + MEASURED_CODES
    if action.dest == "machine":
        from ..testing import machines

        return machines()
    return ()
