"""How each shell writes a command: POSIX shells, PowerShell (5 and later), cmd, and a line for a Dockerfile. Pure.

Sources: the POSIX Shell Command Language (2.2 Quoting), learn.microsoft.com about_Quoting_Rules and about_Operators (``&&`` is
PowerShell 7's), learn.microsoft.com/windows-server/administration/windows-commands/set and cmd.
"""

import re
from typing import Callable, Dict, NamedTuple, Sequence, Tuple

#: What every shell takes as it is.
_PLAIN = re.compile(r"[\w.:/=+-]+\Z", re.ASCII)
_VARIABLE = re.compile(r"\$([A-Z_][A-Z0-9_]*)\b")


class Syntax:
    """How one shell writes words, variables and several commands.

    In a word, ``$NAME`` in capitals is the value of a variable, and ``~`` at the start or after the separator of a list of
    folders the user's home folder.
    """

    name = ""
    #: Between two commands, of which the second runs after the first.
    joint = " && "
    #: What separates the folders of a list, and the home folder.
    separator = ":"
    home = "$HOME"

    def reference(self, name: str) -> str:
        """Return what the shell replaces by a variable's value."""
        raise NotImplementedError

    def word(self, text: str) -> str:
        """Return one word of a command."""
        if text.startswith("~"):
            text = self.home + text[1:]
        elif _PLAIN.match(text):
            return text
        return self.quoted(text)

    def quoted(self, text: str) -> str:
        """Return a word in quotes, its variables replaced when it runs; environment markers may have either quotes."""
        return '"%s"' % _VARIABLE.sub(lambda match: self.reference(match.group(1)), text.replace('"', "'"))

    def run(self, words: Sequence[str]) -> str:
        """Return the command that runs a program."""
        return " ".join(map(self.word, words))

    def set(self, pairs: Sequence[Tuple[str, str]]) -> str:
        """Return the command that sets variables."""
        raise NotImplementedError

    def unset(self, name: str) -> str:
        """Return the command that removes a variable."""
        raise NotImplementedError


class Posix(Syntax):
    """bash, zsh, dash: what Linux and macOS open."""

    name = "posix"

    def reference(self, name: str) -> str:
        return "$" + name

    def word(self, text: str) -> str:
        plain = text[1:] if text.startswith("~/") else text
        return text if re.match(r"[\w.,:/=+@%-]+\Z", plain, re.ASCII) else super().word(text)

    def quoted(self, text: str) -> str:
        if re.search(r"[`\\!]|\$(?![A-Z_])", text.replace("!=", "")):
            return "'%s'" % text.replace("'", "'\\''")
        return super().quoted(text)

    def set(self, pairs: Sequence[Tuple[str, str]]) -> str:
        return "export %s" % " ".join("%s=%s" % (name, self._value(value)) for name, value in pairs)

    def _value(self, value: str) -> str:
        return value if re.match(r"[\w.,:/=+@%-]*\Z", value, re.ASCII) else self.quoted(value)

    def unset(self, name: str) -> str:
        return "unset %s" % name


class _Windows(Syntax):
    separator = ";"

    def word(self, text: str) -> str:
        return text if re.match(r"[\w.:/\\=+-]+\Z", text, re.ASCII) else super().word(text)


class PowerShell(_Windows):
    """What Windows opens: version 5 has no ``&&``."""

    name = "powershell"
    joint = "; "

    def reference(self, name: str) -> str:
        return "$HOME" if name == "HOME" else "$env:" + name

    def quoted(self, text: str) -> str:
        if re.search(r"`|\$(?![A-Z_])", text):
            return "'%s'" % text.replace("'", "''")
        return super().quoted(text)

    def run(self, words: Sequence[str]) -> str:
        command = super().run(words)
        return "& " + command if command[:1] in "\"'" else command  # a string is printed, not run

    def set(self, pairs: Sequence[Tuple[str, str]]) -> str:
        return self.joint.join("$env:%s = %s" % (name, self.quoted(value)) for name, value in pairs)

    def unset(self, name: str) -> str:
        return "Remove-Item Env:%s" % name


class Cmd(_Windows):
    """The older shell of Windows, in which Anaconda's prompt runs."""

    name = "cmd"
    home = "%USERPROFILE%"

    def reference(self, name: str) -> str:
        return "%%%s%%" % ("USERPROFILE" if name == "HOME" else name)

    def set(self, pairs: Sequence[Tuple[str, str]]) -> str:
        # The quotes are not part of the value; without them a space before && would be.
        return self.joint.join("set %s" % self.quoted("%s=%s" % pair) for pair in pairs)

    def unset(self, name: str) -> str:
        return 'set "%s="' % name


class Dockerfile(Posix):
    """A line of the image's recipe: what is done in a running container is gone with it."""

    name = "dockerfile"

    def set(self, pairs: Sequence[Tuple[str, str]]) -> str:
        return "ENV %s" % " ".join("%s=%s" % (name, self._value(value)) for name, value in pairs)


POSIX, POWERSHELL, CMD, DOCKERFILE = Posix(), PowerShell(), Cmd(), Dockerfile()

#: One command, as a function of the shell that will run it.
Part = Callable[[Syntax], str]


class Command(NamedTuple):
    """Commands that run one after the other, and what running them does; see `Fix` for the other fields."""

    parts: Tuple[Part, ...]
    changes: str = ""
    who: str = "user"
    undoable: bool = True

    def written(self, syntax: Syntax) -> str:
        """Return the line for one shell."""
        return syntax.joint.join(part(syntax) for part in self.parts)

    def then(self, other: "Command") -> "Command":
        """Return both, this one first."""
        who = max(self.who, other.who, key=("devicekit", "user", "admin", "reboot").index)
        undoable = self.undoable and other.undoable
        return Command(self.parts + other.parts, other.changes or self.changes, who, undoable)


def run(*words: str) -> Part:
    """Return the command that runs a program, the same in every shell."""
    return lambda syntax: syntax.run(words)


def set_variables(*pairs: Tuple[str, str]) -> Part:
    """Return the command that sets variables of the shell."""
    return lambda syntax: syntax.set(pairs)


def unset_variable(name: str) -> Part:
    """Return the command that removes a variable of the shell."""
    return lambda syntax: syntax.unset(name)


def by_shell(forms: Dict[str, str]) -> Part:
    """Return a command that each shell has by another name; a Dockerfile's is that of POSIX."""
    return lambda syntax: forms[syntax.name if syntax.name in forms else "posix"]
