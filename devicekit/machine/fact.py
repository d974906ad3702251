"""`Fact`: a value with where it was read, or the reason why there is none."""

from dataclasses import dataclass
from typing import Generic, Optional, TypeVar

from ..errors import UnknownFactError

__all__ = ["Fact"]

T = TypeVar("T")


@dataclass(frozen=True)
class Fact(Generic[T]):
    """A value with where it was read, or the reason why there is none.

    Attributes
    ----------
    status : {"value", "absent", "unknown"}
        ``absent``: it was looked for and is not there. ``unknown``: it could not be determined.
    content : object or None
        The value as it is; `value` raises where it is unknown.
    source : str
        The file, variable, library or command that was read.
    problem : str
        Why it is unknown, or what was odd about it.
    """

    status: str
    content: Optional[T] = None
    source: str = ""
    problem: str = ""

    @classmethod
    def of(cls, value: T, source: str = "", problem: str = "") -> "Fact[T]":
        """Return a fact that has a value."""
        return cls("value", value, source, problem)

    @classmethod
    def absent(cls, source: str = "", problem: str = "") -> "Fact[T]":
        """Return the fact that there is no such thing."""
        return cls("absent", None, source, problem)

    @classmethod
    def unknown(cls, problem: str, source: str = "") -> "Fact[T]":
        """Return a fact that could not be determined, with the reason."""
        return cls("unknown", None, source, problem)

    @property
    def known(self) -> bool:
        """Whether it was determined: there, or certainly not there."""
        return self.status != "unknown"

    @property
    def present(self) -> bool:
        """Whether there is a value.

        Raises
        ------
        UnknownFactError
            Where it could not be determined.
        """
        return self.value is not None

    @property
    def value(self) -> Optional[T]:
        """The value, or None where it is absent.

        Raises
        ------
        UnknownFactError
            Where it could not be determined.
        """
        if self.status == "unknown":
            raise UnknownFactError("%s: %s" % (self.source or "unknown", self.problem or "not determined"))
        return self.content

    def or_none(self) -> Optional[T]:
        """Return the value, or None where it is absent or unknown: for display, and where both mean the same."""
        return self.content
