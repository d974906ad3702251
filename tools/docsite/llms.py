"""``llms.txt`` (llmstxt.org): every page of the navigation with a sentence about it, for assistants."""

import re
from typing import Any, Callable, Iterator, List, Tuple

__all__ = ["llms_text"]


def llms_text(title: str, summary: str, nav: List[Any], read: Callable[[str], str]) -> str:
    """Return the file. ``nav``: that of MkDocs; ``read``: returns the Markdown of a page."""
    lines = ["# " + title, "", "> " + summary.rstrip(".") + ".", ""]
    section = ""
    for parts, path in _pages(nav, ()):
        # One level of headings, as the format has it.
        heading = ": ".join(parts) or "Start"
        if heading != section:
            section = heading
            lines += ["## " + heading, ""] if lines[-1] == "" else ["", "## " + heading, ""]
        name, sentence = _described(read(path))
        lines.append("- [%s](%s)%s" % (name, re.sub(r"\.md$", ".html", path), ": " + sentence if sentence else ""))
    return "\n".join(lines) + "\n"


def _pages(nav: Any, parts: Tuple[str, ...]) -> Iterator[Tuple[Tuple[str, ...], str]]:
    """Yield the pages in order, each with the titles of the sections that it is in."""
    if isinstance(nav, str):
        yield parts, nav
        return
    for item in nav:
        if isinstance(item, dict):
            for title, below in item.items():
                yield from _pages(below, parts if isinstance(below, str) else (*parts, title))
        else:
            yield from _pages(item, parts)


def _described(markdown: str) -> Tuple[str, str]:
    """Return the heading of a page and its first sentence."""
    heading = re.search(r"^# (.+?)(?: \{#.*)?$", markdown, re.M)
    paragraphs = re.split(r"\n\s*\n", markdown[heading.end() :] if heading else markdown)
    prose = (" ".join(text.split()) for text in paragraphs if "```" not in text)
    first = _words(next((text for text in prose if re.match(r"[A-Za-z\"`*\[(]", text)), ""))
    sentence = re.match(r".+?[.:?!](?=\s|$)", first)
    return _words(heading.group(1)) if heading else "", sentence.group().rstrip(".:") if sentence else first


def _words(markdown: str) -> str:
    """Return Markdown without its marks; of a link, its text."""
    return re.sub(r"[`*]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown))
