"""Check a built site without a network: links, anchors, unreachable pages, and resources from other sites.

::

    python tools/check_site.py site
"""

import html.parser
import os
import re
import sys
from urllib.parse import unquote, urlsplit

#: Attributes whose address is loaded.
LOADS = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("link", "href"), ("object", "data")}

#: Values of ``<link rel=...>`` that do not load the address.
NAMES = {"canonical", "next", "prev", "alternate"}


class Page(html.parser.HTMLParser):
    """The links, the resources and the anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors, self.twice = [], [], set(), []
        self.title = ""
        self._in_title = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        """Record a tag."""
        found = dict(attributes)
        for name in {found.get("id"), found.get("name") if tag == "a" else None} - {None}:
            if name in self.anchors and found.get("id") == name:
                self.twice.append(name)
            self.anchors.add(name)
        if tag == "a" and found.get("href") is not None:
            self.links.append(found["href"])
        for name, value in attributes:
            if value and (tag, name) in LOADS and not (tag == "link" and found.get("rel") in NAMES):
                self.loads.append(value)
        self._in_title = tag == "title"

    def handle_data(self, data):
        """Record text."""
        if self._in_title:
            self.title += data
            self._in_title = False


def read(folder):
    """Return all pages by their path."""
    pages = {}
    for where, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(where, name)
                with open(path, encoding="utf-8") as stream:
                    pages[os.path.relpath(path, folder).replace(os.sep, "/")] = Page(stream.read())
    return pages


def problems(folder):
    """Return the problems of a site, one sentence each."""
    pages = read(folder)
    found = [] if "index.html" in pages else ["there is no index.html"]
    leads = {}
    for path, page in sorted(pages.items()):
        found += ["%s: the anchor %s is there twice" % (path, name) for name in page.twice]
        found += ["%s: has no title" % path] if not page.title.strip() else []
        leads[path] = set()
        for link in page.links:
            target, problem = follow(folder, pages, path, link)
            if problem:
                found.append("%s: %s" % (path, problem))
            elif target:
                leads[path].add(target)
        for link in page.loads:
            if re.match(r"(https?:)?//", link):
                found.append("%s: loads %s" % (path, link))
            elif not link.startswith("data:") and not os.path.exists(place(folder, path, link)):
                found.append("%s: loads %s, which is not there" % (path, link))
    for where, _, names in os.walk(folder):
        for name in names:
            if name.endswith((".css", ".js")) and "search_index" not in name:
                with open(os.path.join(where, name), encoding="utf-8") as stream:
                    text = stream.read()
                for address in re.findall(
                    r"""@import\s+(?:url\()?['"]?(https?:[^'")]+)|url\(['"]?(https?:[^'")]+)""", text
                ):
                    found.append("%s: loads %s" % (name, "".join(address)))
    reached, new = {"404.html"}, {"index.html"}
    while new:
        reached |= new
        new = {target for path in new for target in leads.get(path, ())} - reached
    return found + ["%s: no page leads to it" % path for path in sorted(set(pages) - reached)]


def place(folder, path, link):
    """Return the file to which an address on a page refers."""
    address = unquote(urlsplit(link).path)
    base = folder if address.startswith("/") else os.path.dirname(os.path.join(folder, path))
    return os.path.normpath(os.path.join(base, address.lstrip("/"))) if address else os.path.join(folder, path)


def follow(folder, pages, path, link):
    """Return the page to which a link refers, and the problem of the link."""
    parts = urlsplit(link)
    if parts.scheme in ("http", "https"):
        fits = parts.scheme == "https" and re.match(r"[\w-]+(\.[\w-]+)+(:\d+)?$", parts.netloc) and " " not in link
        return None, "" if fits else "%s is not an https address" % link
    if parts.scheme or parts.netloc:
        return None, "" if parts.scheme == "mailto" else "%s is not a link" % link
    there = place(folder, path, link)
    if not os.path.isfile(there):
        return None, "%s leads nowhere" % link
    target = os.path.relpath(there, folder).replace(os.sep, "/")
    page = pages.get(target)
    if page is not None and parts.fragment and unquote(parts.fragment) not in page.anchors:
        return target, "%s leads to no anchor" % link
    return target, ""


def main():
    """Check the site in the folder of the first argument."""
    found = problems(sys.argv[1])
    for problem in found:
        print(problem)
    if not found:
        print("%d pages, no broken links" % len(read(sys.argv[1])))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
