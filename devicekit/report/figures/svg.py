"""A figure as SVG that can stand inside a page: no scripts, no styles, no colours but names of classes.

What matplotlib writes is read again and only known elements and attributes are kept, so that a page's content security policy
needs no exception for them, and so that the page gives the colours, in the light and in the dark.
"""

import re
import warnings
from html import escape
from io import BytesIO
from typing import Any, Dict, List, Set, Tuple
from xml.etree import ElementTree

from .drawing import BLUE, FAINT, GREEN, GREY, INK, PURPLE, RED, matplotlib_style, printable

__all__ = ["CLASSES", "inline_svg"]

#: The classes that a page's style sheet gives colours to: ``f-ink`` fills and ``s-ink`` draws with what text has.
CLASSES = {INK: "ink", GREY: "grey", FAINT: "faint", BLUE: "blue", RED: "red", GREEN: "green", PURPLE: "purple"}

_ELEMENTS = {"svg", "g", "path", "text", "tspan", "defs", "use", "clipPath", "rect"}
_GEOMETRY = {"d", "x", "y", "dx", "dy", "width", "height", "transform", "clip-path"}
#: What matplotlib writes into style attributes, and SVG has attributes for.
_PRESENTATION = {
    "stroke-width", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "stroke-opacity",
    "fill-opacity", "opacity", "font-size", "font-weight", "text-anchor",
}  # fmt: skip
#: A hundredth of a point cannot be seen.
_LONG = re.compile(r"(\.\d\d)\d+")
_REFERENCE = re.compile(r"url\(#([\w.-]+)\)$")


def inline_svg(figure: Any, name: str, title: str, description: str) -> str:
    """Return a figure as an ``svg`` element.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    name : str
        Different for each figure on a page: what is referred to inside is named after it.
    title, description : str
        What a screen reader says instead of the drawing.
    """
    stream = BytesIO()
    # A name in a script that matplotlib's own font lacks is drawn by the browser, which has others.
    with matplotlib_style(**{"svg.fonttype": "none", "svg.hashsalt": name}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(stream, format="svg", transparent=True)
    root = ElementTree.fromstring(stream.getvalue())  # noqa: S314 - written by matplotlib in the lines above
    view = root.get("viewBox", "0 0 100 100")
    head = '<svg role="img" aria-labelledby="%s-title %s-description" viewBox="%s" focusable="false">' % (
        (name, name, escape(view))
    )
    told = '<title id="%s-title">%s</title><desc id="%s-description">%s</desc>' % (
        (name, escape(printable(title)), name, escape(printable(description)))
    )
    parts = [head, told]
    used = {value[1:] for element in root.iter() for key, value in element.attrib.items() if key.endswith("href")}
    used |= {
        found.group(1) for element in root.iter() for found in [_REFERENCE.match(element.get("clip-path", ""))] if found
    }
    for child in root:
        _write(child, name, used, parts)
    return "".join(parts) + "</svg>"


def _write(element: Any, name: str, used: Set[str], parts: List[str]) -> None:
    """Write an element if it is one that is known; what it contains comes with it or stays away with it."""
    tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
    if tag not in _ELEMENTS:
        return
    found = _attributes(element, name, used)
    bare = tag == "g" and not found  # it says nothing
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
            colour = CLASSES.get(value.lower())
            if colour is not None:
                classes.append("%s-%s" % (key[0], colour))
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
    """Return size and weight of a font; its family is the page's.

    >>> _font("700 11px 'DejaVu Sans', Verdana")
    {'font-size': '11px', 'font-weight': '700'}
    """
    size, weight = re.search(r"([0-9.]+px)", value), re.match(r"(bold|[1-9]00)\b", value)
    found = {"font-size": size.group(1)} if size else {}
    return dict(found, **({"font-weight": weight.group(1)} if weight else {}))
