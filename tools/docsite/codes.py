"""A page for each finding code, from ``devicekit/explain``, and links to them from everywhere."""

import os
import re
from typing import Dict, List

from .markdown import outside_code

__all__ = ["CODES", "code_pages", "link_codes"]

_FOLDER = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "devicekit", "diagnosis", "pages"
)

#: All codes in the order of the alphabet.
CODES: List[str] = sorted(name[:-3] for name in os.listdir(_FOLDER) if name.endswith(".md"))


def code_pages() -> Dict[str, str]:
    """Return the pages, by their path in the documentation."""
    pages = {}
    for code in CODES:
        with open(os.path.join(_FOLDER, code + ".md"), encoding="utf-8") as stream:
            pages["reference/codes/%s.md" % code] = stream.read()
    return pages


def link_codes(page: str, path: str) -> str:
    """Return a page on which every code in backticks leads to its page.

    >>> link_codes("see `no-gpu` and [`no-gpu`](x.md)", "how-to/a.md")
    'see [`no-gpu`](../reference/codes/no-gpu.md) and [`no-gpu`](x.md)'
    """
    folder = os.path.dirname(path)
    known = set(CODES)

    def link(match: "re.Match[str]") -> str:
        target = "reference/codes/%s.md" % match.group(1)
        if match.group(1) not in known or target == path:
            return match.group()
        return "[%s](%s)" % (match.group(), os.path.relpath(target, folder or ".").replace(os.sep, "/"))

    return outside_code(page, lambda line: re.sub(r"(?<![`\[])`([a-z]+(?:-[a-z]+)+)`(?![`\]])", link, line))
