"""What pages and notebooks show: findings, tables, drawings, and what they are gathered in.

They are trees of elements, in which every text is escaped when it is written.
"""

from html import escape
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from ...diagnosis.findings import Finding, Fix, ways
from ...errors import printable
from ..amounts import count, sign
from ..figures.drawing import Panel
from ..terminal import typed, words

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


#: Rows of a long table that are shown before the rest is unfolded, and all that a notebook shows.
FIRST_ROWS = 12
#: Width in inches: for a page with room to its sides, and for a phone.
BROAD, NARROW = 10.6, 4.6


class Tag(NamedTuple):
    """A state in words, with its sign unless ``kind`` is empty; ``more`` explains it."""

    kind: str
    text: str
    more: str = ""


class Table(NamedTuple):
    """A cell is text, a `Tag`, or an element.

    ``stacked`` tables become lists on a phone; the others scroll. ``folded`` ones are closed at first. ``preview``: only the
    first rows are open.
    """

    caption: str
    heads: Tuple[str, ...]
    rows: Sequence[Tuple[Any, ...]]
    numbers: Tuple[int, ...] = ()
    stacked: bool = False
    folded: bool = False
    preview: bool = False


class Drawing(NamedTuple):
    """A figure on a page: ``panels`` returns its parts for a width in inches; ``description`` is for screen readers.

    ``notebook``: a notebook shows it too, if matplotlib is installed.
    """

    name: str
    panels: Callable[[float], Sequence[Panel]]
    description: str
    notebook: bool = False


class Section(NamedTuple):
    """A heading with a text, drawings, and tables or elements."""

    title: str
    parts: "Sequence[Union[Table, Element]]" = ()
    text: str = ""
    drawing: Optional[Drawing] = None


class Report(NamedTuple):
    """The description of a result, to be rendered as a page or as a fragment."""

    command: str
    heading: str
    lead: str
    tags: Sequence[Tag]
    findings: Sequence[Finding]
    no_findings: str
    sections: Sequence[Section]
    note: str = "This page loads nothing from elsewhere; it contains no user names, home folders or host names."


def severity_tags(findings: Sequence[Finding]) -> List[Tag]:
    """Return how many errors and warnings there are."""
    tags = []
    for name in ("error", "warning"):
        number = sum(item.severity == name for item in findings)
        if number:
            tags.append(Tag(name, count(number, name)))
    return tags


def tag_element(tag: Tag) -> Content:
    """Return a sign and its words."""
    if not tag.kind:
        return tag.text
    kind = tag.kind.replace(" ", "-")
    shown = element("span", element("span", sign(tag.kind), aria_hidden="true"), " ", tag.text, class_="tag " + kind)
    return (shown, " ", element("span", tag.more, class_="more")) if tag.more else shown


def definitions(pairs: Sequence[Tuple[str, str]]) -> Element:
    """Return labels with what they label."""
    return element("dl", [(element("dt", label), element("dd", text)) for label, text in pairs], class_="facts")


def finding_card(finding: Finding, number: int, fixes: Sequence[Fix]) -> Element:
    """Return a finding with some of its fixes; ``number`` counts the findings from 1 on."""
    name = "finding-%d" % number
    head = (tag_element(Tag(finding.severity, finding.severity)), " ", element("code", finding.code))
    shown = [_way(way, "fix-%d-%d" % (number, place)) for place, way in enumerate(ways(fixes), 1)]
    return element(
        "article",
        element("h3", head, id=name),
        element("p", finding.summary),
        element("ol", shown, class_="fixes", aria_label="Fixes for %s, the shortest first" % finding.code)
        if shown
        else None,
        _evidence(finding),
        element("p", "More: ", element("code", "devicekit explain " + finding.code), class_="note"),
        class_="finding " + finding.severity,
        aria_labelledby=name,
        data_code=finding.code,
    )


def _way(way: Sequence[Fix], name: str) -> Element:
    """One alternative: a step, or several in their order."""
    other = element("em", "or: ") if way[0].instead else None
    if len(way) == 1:
        return element("li", other, _step(way[0], name))
    parts = [element("li", _step(fix, "%s-%d" % (name, place))) for place, fix in enumerate(way, 1)]
    return element("li", other, "In this order:", element("ol", parts, class_="steps"))


def _step(fix: Fix, name: str) -> Content:
    parts: List[Content] = [words(fix)]
    for place, (shell, text) in enumerate(typed(fix), 1):
        parts += [element("p", shell + ":", class_="note")] if shell else []
        parts.append(_command(text, name if place == 1 else "%s-%s" % (name, shell.lower())))
    return tuple(parts)


def _command(text: str, name: str) -> Element:
    shown = element("pre", element("code", text, id=name))
    return element("div", shown, element("button", "Copy", type="button", class_="copy", aria_describedby=name, hidden=True),
                   class_="command")  # fmt: skip


def _evidence(finding: Finding) -> Optional[Element]:
    rows = [
        element("li", item.text, (" ", element("span", "(%s)" % item.source, class_="source")) if item.source else None)
        for item in finding.evidence
    ]
    if finding.url:
        rows.append(element("li", "Read: ", _link(finding.url)))
    if not rows:
        return None
    summary = element("summary", "What was seen", element("span", " for " + finding.code, class_="unseen"))
    return element("details", summary, element("ul", rows), open=finding.severity == "error")


def _link(url: str) -> Content:
    safe = url.startswith(("https://", "http://"))
    return element("a", url, href=url, rel="noreferrer noopener") if safe else url


def table_element(table: Table, rows: Sequence[Tuple[Any, ...]]) -> Element:
    """Return a table with some of its rows. The roles hold whatever a style sheet makes of its boxes."""

    def role(name: str) -> Optional[str]:
        return name if table.stacked else None

    heads = [
        element("th", head, role=role("columnheader"), scope="col", class_="number" if place in table.numbers else None)
        for place, head in enumerate(table.heads)
    ]
    body = [
        element("tr", [_cell(table, place, cell) for place, cell in enumerate(row)], role=role("row")) for row in rows
    ]
    return element(
        "table",
        element("caption", table.caption),
        element("thead", element("tr", heads, role=role("row")), role=role("rowgroup")),
        element("tbody", body, role=role("rowgroup")),
        role=role("table"),
        class_="stacked" if table.stacked else None,
    )


def _cell(table: Table, place: int, cell: Any) -> Element:
    kind = "number" if place in table.numbers else "state-cell" if isinstance(cell, Tag) and not table.stacked else None
    content = tag_element(cell) if isinstance(cell, Tag) else cell
    scope = None if place else "row"
    name = "td" if place else "th"
    if not table.stacked:
        return element(name, content, scope=scope, class_=kind)
    role = "cell" if place else "rowheader"
    return element(name, element("span", content), role=role, scope=scope, data_label=table.heads[place], class_=kind)
