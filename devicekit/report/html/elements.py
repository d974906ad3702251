"""HTML elements as a tree, in which every text is escaped when it is written."""

from html import escape
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple, Union

from ...errors import printable

#: Elements without content.
_VOID = {"br", "link", "meta"}


class Markup(str):
    """Text that is HTML already: devicekit's own style sheet and script, and drawings."""

    __slots__ = ()


class Element(NamedTuple):
    """An element: its name, its attributes, and what is in it."""

    name: str
    attributes: Dict[str, str]
    children: "Tuple[Content, ...]"


#: What can be in an element. None is left out, and a list is each of its members.
Content = Union[str, Element, None, Iterable["Content"]]


def element(tag: str, *children: "Content", **attributes: Union[str, bool, None]) -> Element:
    """Return an element. ``class_`` is ``class``, and ``aria_label`` is ``aria-label``.

    True is an attribute without a value; an attribute that is None, False or "" is left out.

    >>> to_html(element("p", "1 < 2", class_="note", hidden=True))
    '<p class="note" hidden>1 &lt; 2</p>'
    """
    written = {
        key.rstrip("_").replace("_", "-"): "" if value is True else str(value)
        for key, value in attributes.items()
        if value
    }
    return Element(tag, written, children)


def to_html(content: "Content", adapt: Optional[Callable[[Element], Optional[Element]]] = None) -> str:
    """Return content as HTML; text and the values of attributes are escaped and lose their control characters.

    ``adapt`` returns what is written instead of an element, or None to leave it out.
    """
    parts: List[str] = []
    _write(content, adapt, parts)
    return "".join(parts)


def _write(content: "Content", adapt: Optional[Callable[[Element], Optional[Element]]], parts: List[str]) -> None:
    if isinstance(content, str):
        parts.append(content if isinstance(content, Markup) else escape(printable(content, lines=True)))
    elif isinstance(content, Element):
        written = adapt(content) if adapt is not None else content
        if written is None:
            return
        attributes = [
            '%s="%s"' % (key, escape(printable(text, lines=True))) if text else key
            for key, text in written.attributes.items()
        ]
        parts.append("<%s>" % " ".join([written.name, *attributes]))
        if written.name not in _VOID:
            for child in written.children:
                _write(child, adapt, parts)
            parts.append("</%s>" % written.name)
    elif content is not None:
        for child in content:
            _write(child, adapt, parts)
