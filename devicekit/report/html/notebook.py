"""A report as a fragment for a notebook, in the colors of the notebook's theme.

It can be read in light and in dark themes: a word and a sign name a state, never a color alone. It has no style sheet and no
script, which untrusted notebooks remove; styles are attributes.
"""

import re
from typing import Dict, List, Optional
from zlib import crc32

from ...diagnosis.findings import ways
from ..amounts import count
from ..figures.drawing import figure
from ..figures.svg import inline_svg
from .components import (
    BROAD,
    FIRST_ROWS,
    Content,
    Drawing,
    Element,
    Markup,
    Report,
    Table,
    element,
    finding_card,
    table_element,
    tag_element,
    to_html,
)

_LINE = "1px solid rgba(128,128,128,.35)"
_CELL = "text-align:left;vertical-align:top;padding:.25em 1em .25em 0;border:0;border-bottom:%s;background:none" % _LINE
_TEXT = "margin:.35em 0"

#: The style of an element, by its class or else by its name.
_STYLES: Dict[str, str] = {
    "devicekit": "margin:.4em 0;padding:.6em 1em .7em;border:%s;border-radius:6px;max-width:62em;line-height:1.45"
    % _LINE,
    "finding": "margin:.6em 0;padding-left:.8em;border-left:3px solid ",
    "number": _CELL.replace(":left", ":right") + ";font-variant-numeric:tabular-nums;white-space:nowrap",
    "scroll": "overflow-x:auto",
    "plot": "max-width:52em",
    "more": "opacity:.75",
    "p": _TEXT,
    "h3": _TEXT,
    "details": _TEXT,
    "ul": "margin:.2em 0",
    "ol": "margin:.35em 0",
    "th": _CELL,
    "td": _CELL,
    "caption": "text-align:left;caption-side:top;padding:.3em 0;font-weight:600;color:inherit",
    "table": "border-collapse:collapse;border:0;margin:.4em 0;font-size:inherit;color:inherit",
    "pre": "margin:.2em 0;padding:.35em .6em;border:%s;border-radius:4px;background:rgba(128,128,128,.1);color:inherit;"
    "white-space:pre-wrap;overflow-wrap:anywhere" % _LINE,
}

#: A left border whose color repeats what the word next to it says.
_EDGES = {"error": "#d0453c", "warning": "#c98a1b", "info": "#4a86c5"}

#: The colors of drawings, of which a page has two sets: `figures.svg.CLASSES`.
_COLORS = {
    "ink": "currentColor", "grey": "currentColor", "faint": "rgba(128,128,128,.35)", "blue": "#3b8bc8", "red": "#d9691e",
    "green": "#1f9e7d", "purple": "#b065a0",
}  # fmt: skip

#: Headings would appear in the notebook's table of contents, and links are not needed.
_RENAMED = {"article": "div", "h3": "p", "a": "span", "ol": "ul"}


def fragment(report: Report) -> str:
    """Return a report as a fragment: what it says, findings with the first way to fix each, drawings, first rows of tables."""
    heading = [element("strong", report.heading), [(" · ", tag_element(tag)) for tag in report.tags]]
    tables = [part for section in report.sections for part in section.parts if isinstance(part, Table)]
    # Where the first finding is the whole reason, its card says it.
    said = report.findings and report.findings[0].summary.rstrip(".") == report.lead.rstrip(".")
    content = element(
        "div",
        element("p", heading),
        element("p", report.lead) if report.lead and not said else None,
        [finding_card(item, number, next(iter(ways(item.fix)), ())) for number, item in enumerate(report.findings, 1)],
        [_drawing(section.drawing) for section in report.sections if section.drawing and section.drawing.notebook],
        [_table(table) for table in tables if table.rows],
        class_="devicekit",
    )
    return to_html(content, _adapted)


def _drawing(drawing: Drawing) -> List[Element]:
    """Return the panels of a drawing; none without matplotlib, and none if matplotlib is broken."""
    # A notebook has many fragments: their names must differ.
    name = "%s-%08x" % (drawing.name, crc32(drawing.description.encode("utf-8")))
    try:
        drawn = [
            inline_svg(figure([panel], BROAD), "%s-%d" % (name, number), panel.title, drawing.description)
            for number, panel in enumerate(drawing.panels(BROAD))
        ]
    except Exception:  # what a library does that was built for another NumPy is anything
        return []
    return [element("div", Markup(re.sub(r'class="([a-z -]+)"', _colored, text)), class_="plot") for text in drawn]


def _colored(classes: "re.Match[str]") -> str:
    kinds = {"f": "fill", "s": "stroke"}
    return " ".join('%s="%s"' % (kinds[name[0]], _COLORS[name[2:]]) for name in classes.group(1).split())


def _table(table: Table) -> Content:
    more = len(table.rows) - FIRST_ROWS
    shown = [
        element("div", table_element(table, table.rows[:FIRST_ROWS]), class_="scroll"),
        element("p", "and %d more" % more) if more > 0 else None,
    ]
    if not table.folded:
        return shown
    return element("details", element("summary", "%s (%s)" % (table.caption, count(len(table.rows), "row"))), shown)


def _adapted(item: Element) -> Optional[Element]:
    """Return an element with a style and without what means something on a page alone."""
    classes = item.attributes.get("class", "").split()
    if item.name == "button" or "unseen" in classes:
        return None
    style = next((_STYLES[name] for name in classes if name in _STYLES), _STYLES.get(item.name, ""))
    if "finding" in classes:
        style += _EDGES.get(classes[-1], _EDGES["info"])
    attributes = {key: text for key, text in item.attributes.items() if key == "scope" or text == "devicekit"}
    if style:
        attributes["style"] = style
    return Element(_RENAMED.get(item.name, item.name), attributes, item.children)
