"""`Resolution`: a set of releases that works together, or what prevents it. Pure data."""

import re
from types import MappingProxyType
from typing import Mapping, Optional, Tuple

from ..matrix.target import Target
from ..records import Record, ShownAsText


class Pin(Record):
    """One release of the set.

    Attributes
    ----------
    name, version : str
    because : str
        Why this version and no newer one.
    deciding : bool
        Whether it is named in the command; the others are only in the constraints.
    extras : tuple of str
    index : str
        Address of the package index that has this build, "" for the one that the installer is configured for.
    """

    _json = ("name", "version", "extras", "because", "deciding", "index")

    name: str
    version: str
    because: str
    deciding: bool = True
    extras: Tuple[str, ...] = ()
    index: str = ""

    @property
    def requirement(self) -> str:
        """As an installer takes it."""
        return "%s%s==%s" % (self.name, "[%s]" % ",".join(self.extras) if self.extras else "", self.version)


class SystemNeed(Record):
    """What the system has to bring, which no package does. ``met``: None if that is not known."""

    text: str
    met: Optional[bool] = None


class Alternative(Record):
    """Something near to what was asked that is possible.

    ``arguments``: of ``devicekit resolve``, to see it in full; empty where ``text`` has the address of its maker.
    """

    text: str
    arguments: Tuple[str, ...] = ()


class DataSource(Record):
    """Where what a resolution was computed from came from.

    Attributes
    ----------
    date : str
        On which the bundled data were read from the package registry: ``"2026-11-21"``.
    asked : str
        On which the package index was asked for newer releases; "" if it was not.
    index : str
        Which one, without credentials.
    newer : tuple of str
        The releases that are known from there, as ``"tensorflow 2.22.0"``: what their wheels declare, untested.
    withdrawn : tuple of str
        Bundled releases that were withdrawn since.
    problems : tuple of str
        Why it was not asked, or what it did not answer.
    """

    date: str
    asked: str = ""
    index: str = ""
    newer: Tuple[str, ...] = ()
    withdrawn: Tuple[str, ...] = ()
    problems: Tuple[str, ...] = ()


class Resolution(ShownAsText, Record):
    """The answer of `resolve`.

    Attributes
    ----------
    asked : str
        The goal as it was asked for.
    goal : str
        The platform that it came to: ``"cpu"``, ``"cuda"``, ``"directml"``, ``"rocm"``, ``"metal"``, ``"xpu"``.
    frameworks : tuple of str
    target : Target
        Python, platform and hardware that it is for.
    pins : tuple of Pin
        Empty where the goal is impossible.
    others : tuple of str
        Requirements in addition to the pins on projects that the data do not cover.
    needs : tuple of SystemNeed
        What the system has to bring.
    notes : tuple of str
        What else is worth knowing of the set: what was assumed, how Keras finds its backend.
    variables : mapping of str to str
        Environment variables that have to be set before Python starts.
    obstacles : tuple of str
        What is in the way; empty where the goal is possible.
    alternatives : tuple of Alternative
        What is possible instead, the nearest first; where the answer is DirectML, what serves better.
    source : DataSource
        How old the data are, and what the package index added.
    """

    _json = (
        "asked", "goal", "frameworks", "python", "platform", "possible",
        "pins", "requirements", "constraints", "indexes", "command", "variables",
        "needs", "notes", "obstacles", "alternatives", "source",
    )  # fmt: skip

    asked: str
    goal: str
    frameworks: Tuple[str, ...]
    target: Target
    pins: Tuple[Pin, ...] = ()
    others: Tuple[str, ...] = ()
    needs: Tuple[SystemNeed, ...] = ()
    notes: Tuple[str, ...] = ()
    variables: Mapping[str, str] = MappingProxyType({})
    obstacles: Tuple[str, ...] = ()
    alternatives: Tuple[Alternative, ...] = ()
    source: DataSource = DataSource("")

    @property
    def python(self) -> str:
        """The Python version that it is for."""
        return self.target.python

    @property
    def platform(self) -> str:
        """The platform that it is for."""
        return self.target.platform

    @property
    def possible(self) -> bool:
        """Whether there is a set."""
        return bool(self.pins)

    @property
    def requirements(self) -> Tuple[str, ...]:
        """What to install, exactly: with these, pip and uv come to the same set."""
        return tuple(pin.requirement for pin in self.pins if pin.deciding) + self.others

    @property
    def constraints(self) -> Tuple[str, ...]:
        """Every known version of the set, as lines of a constraints file (which takes no extras)."""
        return tuple("%s==%s" % (pin.name, pin.version) for pin in self.pins) + self.others

    @property
    def indexes(self) -> Tuple[str, ...]:
        """The package indexes that are needed besides the one that the installer is configured for."""
        return tuple(dict.fromkeys(pin.index for pin in self.pins if pin.index))

    @property
    def index_options(self) -> Tuple[str, ...]:
        """The options by which pip and uv install from the indexes that are needed."""
        indexes = {pin.index for pin in self.pins if pin.deciding}
        if len(indexes) == 1 and self.indexes and not self.others:  # all comes from one: as its makers document it
            return ("--index-url", *self.indexes)
        return tuple(text for url in self.indexes for text in ("--extra-index-url", url))

    @property
    def command(self) -> str:
        """The pip command, "" if the goal is impossible."""
        if not self.possible:
            return ""
        options, requirements = list(self.index_options), list(map(quoted, self.requirements))
        words = requirements + options if options[:1] == ["--index-url"] else options + requirements
        return " ".join(["python -m pip install", *words])

    def render(self, form: str) -> str:
        """Return the set as the text of a file, or as a command.

        Parameters
        ----------
        form : {"pip", "requirements", "constraints", "pyproject", "uv", "poetry", "conda", "dockerfile"}
            ``pip`` is the command. ``uv`` and ``poetry`` are a ``pyproject.toml`` with what only these read.

        Raises
        ------
        ValueError
            If there is no such format, or no set; for a ``dockerfile``, if the set is not for Linux.
        """
        from .formats import render

        return render(self, form)

    def pin(self, name: str) -> Optional[Pin]:
        """Return the pin of a project, None if it is not part of the set."""
        for item in self.pins:
            if item.name == name:
                return item
        return None


def quoted(argument: str) -> str:
    r"""Return an argument so that POSIX shells, PowerShell and cmd pass it on as it is.

    >>> quoted("numpy==1.26.4"), quoted('numpy<2; python_version < "3.12"')
    ('numpy==1.26.4', '"numpy<2; python_version < \'3.12\'"')
    """
    # A comma makes a list in PowerShell; a requirement may have either kind of quotes.
    return argument if re.match(r"[A-Za-z0-9_.:/=+-]+\Z", argument) else '"%s"' % argument.replace('"', "'")
