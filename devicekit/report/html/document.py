"""A report as a page: one file with everything in it.

A page may run one script, its own, and has one style sheet, its own: its content security policy names both by their hashes
and allows nothing else, so a name from a driver or a file stays text, whatever it is.
"""

import base64
import hashlib
import pkgutil
from typing import List

from ... import __version__
from ...errors import DevicekitError
from ..figures.drawing import figure
from ..figures.svg import inline_svg
from .components import (
    BROAD,
    FIRST_ROWS,
    NARROW,
    Content,
    Drawing,
    Element,
    Markup,
    Report,
    Section,
    Table,
    Tag,
    element,
    finding_card,
    table_element,
    tag_element,
    to_html,
)

#: A page stays under a megabyte, whatever was measured.
_MOST_ROWS, _MOST_DRAWINGS = 300, 8


def page(report: Report, made: str = "", version: str = "") -> str:
    """Return a report as a page; ``made`` is the date shown on it, ``version`` that of the devicekit that made it."""
    version = version or __version__
    style, script = _asset("style.css"), _asset("script.js")
    policy = (
        "default-src 'none'; style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'"
        % (_hash(style), _hash(script))
    )
    title = "devicekit %s: %s" % (report.command, report.heading)
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="generator", content="devicekit " + version),
        element("title", title),
        element("link", rel="icon", href="data:,"),
        element("style", Markup(style)),
    )
    body = element(
        "body",
        element("a", "Skip to the content", class_="skip", href="#main"),
        _header(report),
        element("main", _findings(report), map(_section, report.sections, range(1, 100)), id="main", tabindex="-1"),
        element("footer", element("p", "Made by devicekit %s%s. %s" % (version, made and " on " + made, report.note))),
        element("p", id="status", class_="unseen", role="status", aria_live="polite"),
        element("script", Markup(script)),
    )
    return "<!DOCTYPE html>\n" + to_html(element("html", head, body, lang="en"))


def _header(report: Report) -> Element:
    return element(
        "header",
        element("p", "devicekit " + report.command, class_="eyebrow"),
        element("h1", report.heading),
        element("p", report.lead, class_="lead"),
        element("ul", [element("li", tag_element(tag)) for tag in report.tags], class_="verdict"),
    )


def _findings(report: Report) -> Content:
    cards = [finding_card(item, number, item.fix) for number, item in enumerate(report.findings, 1)]
    if not (cards or report.no_findings):
        return None
    return element(
        "section",
        element("h2", "Findings", id="findings"),
        cards or element("p", tag_element(Tag("good", report.no_findings))),
        aria_labelledby="findings",
    )


def _section(section: Section, number: int) -> Element:
    name = "section-%d" % number
    drawings, left_out = _drawings(section.drawing) if section.drawing is not None else ([], "")
    return element(
        "section",
        element("h2", section.title, id=name),
        element("p", section.text + left_out) if section.text else None,
        drawings,
        [_table(part) if isinstance(part, Table) else part for part in section.parts],
        aria_labelledby=name,
    )


def _table(table: Table) -> List[Content]:
    """Return a table, the rows that are too many counted below it."""
    rows = list(table.rows[:_MOST_ROWS])
    more = len(table.rows) - len(rows)
    note = element("p", "%d more rows are in the JSON." % more, class_="note") if more else None
    if table.preview and len(rows) > FIRST_ROWS:
        caption = "The worst %d of %d" % (len(rows), len(table.rows)) if more else "All %d" % len(rows)
        folded = table._replace(caption=caption, preview=False, folded=True)
        return [_scrolling(table, table_element(table, rows[:FIRST_ROWS])), *_table(folded)]
    shown = _scrolling(table, table_element(table, rows))
    return [element("details", element("summary", table.caption), shown) if table.folded else shown, note]


def _scrolling(table: Table, shown: Element) -> Element:
    if table.stacked:
        return shown
    return element("div", shown, class_="wide", role="region", aria_label=table.caption, tabindex="0")


def _drawings(drawing: Drawing) -> "tuple[List[Element], str]":
    """Return figures, each in two shapes, and how many there would be if they are too many."""
    figures = []
    broad, narrow = drawing.panels(BROAD), drawing.panels(NARROW)
    for number, panels in enumerate(zip(broad[:_MOST_DRAWINGS], narrow)):
        shapes = [
            element("div", Markup(inline_svg(
                figure([panel], width), "%s-%d-%s" % (drawing.name, number, shape), panel.title, drawing.description
            )), class_=shape)
            for panel, width, shape in zip(panels, (BROAD, NARROW), ("broad", "narrow"))
        ]  # fmt: skip
        figures.append(element("figure", shapes, class_="plot"))
    many = len(broad) > _MOST_DRAWINGS
    return figures, " The first %d of %d are drawn." % (_MOST_DRAWINGS, len(broad)) if many else ""


def _asset(name: str) -> str:
    # pkgutil and not importlib.resources, whose interface differs on every Python from 3.7 on.
    content = pkgutil.get_data("devicekit", "report/templates/" + name)
    if content is None:
        raise DevicekitError("devicekit's own report/templates/%s is missing: reinstall devicekit" % name)
    # As a browser reads it before it computes the hash: a checkout on Windows may have other line ends.
    return content.decode("utf-8").replace("\r\n", "\n")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
