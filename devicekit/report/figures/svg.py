"""A figure as SVG inside a page: no scripts, no styles, and classes instead of colors.

Only known elements and attributes of matplotlib's output are kept, so that the content security policy of the page needs no
exception, and the page sets the colors, in light and in dark mode.
"""

import re
import warnings
from html import escape
from io import BytesIO
from typing import Any, Dict, List, Set, Tuple
from xml.etree import ElementTree

from ...errors import printable
from .drawing import BLUE, FAINT, GREEN, GREY, INK, PURPLE, RED, matplotlib_style

#: The classes to which the style sheet of a page gives colors: ``f-ink`` fills and ``s-ink`` draws in the color of text.
CLASSES = {INK: "ink", GREY: "grey", FAINT: "faint", BLUE: "blue", RED: "red", GREEN: "green", PURPLE: "purple"}

_ELEMENTS = {"svg", "g", "path", "text", "tspan", "defs", "use", "clipPath", "rect"}
_GEOMETRY = {"d", "x", "y", "dx", "dy", "width", "height", "transform", "clip-path"}
#: Properties in style attributes for which SVG has attributes.
_PRESENTATION = {
    "stroke-width", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "stroke-opacity",
    "fill-opacity", "opacity", "font-size", "font-weight", "text-anchor",
}  # fmt: skip
#: A hundredth of a point is invisible.
_LONG = re.compile(r"(\.\d\d)\d+")
_REFERENCE = re.compile(r"url\(#([\w.-]+)\)$")


def inline_svg(figure: Any, name: str, title: str, description: str) -> str:
    """Return a matplotlib figure as an ``svg`` element; title and description are for screen readers.

    ``name`` is unique on the page: the prefix of all names in the figure.
    """
    stream = BytesIO()
    # The browser has fonts for characters that matplotlib's own font lacks.
    with matplotlib_style(**{"svg.fonttype": "none", "svg.hashsalt": name}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(stream, format="svg", transparent=True)
    root = ElementTree.fromstring(stream.getvalue())  # noqa: S314 - written by matplotlib in the lines above
    view = root.get("viewBox", "0 0 100 100")
    head = '<svg role="img" aria-labelledby="%s-title %s-description" viewBox="%s" focusable="false">' % (
        (name, name, escape(view))
    )
    labels = '<title id="%s-title">%s</title><desc id="%s-description">%s</desc>' % (
        (name, escape(printable(title)), name, escape(printable(description)))
    )
    parts = [head, labels]
    used = {value[1:] for element in root.iter() for key, value in element.attrib.items() if key.endswith("href")}
    used |= {
        found.group(1) for element in root.iter() for found in [_REFERENCE.match(element.get("clip-path", ""))] if found
    }
    for child in root:
        _write(child, name, used, parts)
    return "".join(parts) + "</svg>"


def _write(element: Any, name: str, used: Set[str], parts: List[str]) -> None:
    """Write an element with all it contains, if it is a known one."""
    tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
    if tag not in _ELEMENTS:
        return
    found = _attributes(element, name, used)
    bare = tag == "g" and not found  # it has no effect
    if not bare:
        parts.append("<%s%s>" % (tag, "".join(' %s="%s"' % (key, escape(found[key])) for key in sorted(found))))
    if tag in ("text", "tspan"):
        parts.append(escape(element.text or ""))
    for child in element:
        _write(child, name, used, parts)
        if tag in ("text", "tspan"):
            parts.append(escape(child.tail or ""))
    if not bare:
        parts.append("</%s>" % tag)


def _attributes(element: Any, name: str, used: Set[str]) -> Dict[str, str]:
    found: Dict[str, str] = {}
    style: List[Tuple[str, str]] = []
    for key, value in element.attrib.items():
        plain = key.rpartition("}")[2]
        if plain == "style":
            style += [
                (item.strip(), text.strip()) for item, _, text in (part.partition(":") for part in value.split(";"))
            ]
        elif plain == "href" and value.startswith("#"):
            found["href"] = "#%s-%s" % (name, value[1:])
        elif plain in ("fill", "stroke") or plain in _PRESENTATION:
            style.append((plain, value))
        elif plain == "id":
            if value in used:
                found["id"] = "%s-%s" % (name, value)
        elif plain in _GEOMETRY:
            found[plain] = _LONG.sub(r"\1", value)
    if "clip-path" in found:
        clip = _REFERENCE.match(found.pop("clip-path"))
        if clip is not None:
            found["clip-path"] = "url(#%s-%s)" % (name, clip.group(1))
    classes = []
    for key, value in style:
        if key in ("fill", "stroke"):
            color = CLASSES.get(value.lower())
            if color is not None:
                classes.append("%s-%s" % (key[0], color))
            elif value == "none":
                found[key] = value
            else:
                classes.append("%s-%s" % (key[0], "ink"))
        elif key == "font":
            found.update(_font(value))
        elif key in _PRESENTATION:
            found[key] = value
    if classes:
        found["class"] = " ".join(classes)
    return found


def _font(value: str) -> Dict[str, str]:
    """Return the size and weight of a font; the page sets its family.

    >>> _font("700 11px 'DejaVu Sans', Verdana")
    {'font-size': '11px', 'font-weight': '700'}
    """
    size, weight = re.search(r"([0-9.]+px)", value), re.match(r"(bold|[1-9]00)\b", value)
    found = {"font-size": size.group(1)} if size else {}
    return dict(found, **({"font-weight": weight.group(1)} if weight else {}))
