"""A page for each finding code, from ``devicekit/diagnosis/codes.md``, and links to them from everywhere."""

import os
import re
from typing import Dict, List

from devicekit.diagnosis.codes import CODES as CODES_OF_RULES
from devicekit.diagnosis.codes import MEASURED_CODES
from devicekit.diagnosis.codes import code_pages as bundled_pages

from .markdown import outside_code

__all__ = ["CODES", "INDEX", "code_pages", "link_codes", "with_index"]

#: The order of evaluation, then what only a run shows.
_ORDER = CODES_OF_RULES + MEASURED_CODES

#: All codes in the order of the alphabet.
CODES: List[str] = sorted(bundled_pages())


#: The page with the list of codes, and the line in it that the list takes the place of.
INDEX = "reference/codes/index.md"
_MARK = "<!-- the table of codes -->"


def with_index(page: str) -> str:
    """Return the page of the codes with the table of them, in their order, from the first sentence of each page."""
    pages = code_pages()
    rows = ["| code | root cause |", "|---|---|"]
    for code in _ORDER:
        cause = " ".join(pages["reference/codes/%s.md" % code].split("\n\n")[1].split())
        rows.append("| `%s` | %s |" % (code, cause))
    return page.replace(_MARK, "\n".join(rows))


def code_pages() -> Dict[str, str]:
    """Return the pages, by their path in the documentation."""
    return {"reference/codes/%s.md" % code: page for code, page in bundled_pages().items()}


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

    return outside_code(page, lambda line: re.sub(r"(?<![`\[])`([a-z]+(?:-[a-z]+)*)`(?![`\]])", link, line))
