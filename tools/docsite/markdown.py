"""Text as Markdown or HTML, and the code blocks of a page."""

import html
import re
from typing import Callable, Iterable, Iterator, List, NamedTuple, Sequence, Tuple

__all__ = ["Block", "blocks", "outside_code", "plain", "table"]


class Block(NamedTuple):
    """A fenced block of a page: its language, its text, and the line on which it begins, counted from 1."""

    language: str
    text: str
    line: int


def blocks(page: str) -> Iterator[Block]:
    r"""Yield the fenced blocks of a page.

    >>> list(blocks("words\n\n```bash\nls\n```\n"))
    [Block(language='bash', text='ls\n', line=3)]
    """
    for match in re.finditer(r"^( *)```([\w-]*)[^\n]*\n(.*?)^\1```", page, re.S | re.M):
        indent = len(match.group(1))
        text = "".join(line[indent:] for line in match.group(3).splitlines(True))
        yield Block(match.group(2), text, page.count("\n", 0, match.start()) + 1)


def outside_code(page: str, change: Callable[[str], str]) -> str:
    """Return a page with all lines changed that are not headings and not in a fenced block."""
    changed: List[str] = []
    fence = ""
    for line in page.split("\n"):
        mark = re.match(r" *(```|~~~)", line)
        if mark and not fence:
            fence = mark.group(1)
        elif mark and mark.group(1) == fence:
            fence = ""
        elif not fence and not line.startswith(("#", "    ")):
            line = change(line)
        changed.append(line)
    return "\n".join(changed)


def plain(text: str) -> str:
    r"""Return a text with the special characters of Markdown and HTML escaped.

    >>> plain("a <b> | c*")
    'a &lt;b&gt; \\| c\\*'
    """
    return re.sub(r"([|\\`*_\[\]])", r"\\\1", html.escape(text, quote=False))


def table(identity: str, heads: Sequence[str], rows: Iterable[Tuple[str, ...]], label: str) -> str:
    """Return an HTML table to which the script of the site adds a filter; ``rows`` are text, not HTML."""
    lines = ['<div class="matrix" data-label="%s">' % html.escape(label), '<table id="%s">' % html.escape(identity)]
    lines.append("<thead><tr>%s</tr></thead>" % "".join("<th>%s</th>" % html.escape(head) for head in heads))
    lines.append("<tbody>")
    for row in rows:
        lines.append("<tr>%s</tr>" % "".join(_cell(cell) for cell in row))
    lines += ["</tbody>", "</table>", "</div>", ""]
    return "\n".join(lines)


def _cell(text: str) -> str:
    size = ' class="long"' if len(text) > 60 else ' class="short"' if len(text) < 12 else ""
    linked = re.sub(r"https://[^\s;,&<]+[^\s;,&<.)]", r'<a href="\g<0>">\g<0></a>', html.escape(text))
    return "<td%s>%s</td>" % (size, linked)
