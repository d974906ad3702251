"""Hooks of MkDocs: add the pages generated from the code to the written ones."""

import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [item for item in (ROOT, os.path.join(ROOT, "tools")) if item not in sys.path]

import yaml  # noqa: E402
from mkdocs.exceptions import PluginError  # noqa: E402
from mkdocs.structure.files import File  # noqa: E402

from devicekit.cli.main import command_parser  # noqa: E402
from docsite import api, codes, command_line, json_page, llms, machines_page, matrix_pages  # noqa: E402
from docsite import markdown as markdown_blocks  # noqa: E402


def generated():
    """Return all generated pages: their path and text."""
    pages = dict(api.api_pages(), **codes.code_pages())
    pages.update(matrix_pages.matrix_pages())
    pages["reference/command-line.md"] = command_line.command_line_page(command_parser())
    pages["reference/machines.md"] = machines_page.machines_page()
    pages["reference/json.md"] = json_page.json_page()
    return pages


def on_config(config):
    """Add the parts of the navigation that are generated from the code."""
    pages = list(api.api_pages())
    fill = {
        "API": ["reference/api/index.md"] + [page for page in pages if not page.endswith("index.md")],
        "CODES": [codes.INDEX, {"Every code": list(codes.code_pages())}],
    }
    config.nav = _filled(config.nav, fill)
    return config


def _filled(nav, fill):
    if isinstance(nav, list):
        return [_filled(item, fill) for item in nav]
    if isinstance(nav, dict):
        return {title: _filled(item, fill) for title, item in nav.items()}
    return fill.get(nav, nav)


def on_files(files, config):
    """Add the generated pages, and `llms.txt` with all of them."""
    pages = generated()
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))

    def read(path):
        return pages[path] if path in pages else files.get_file_from_path(path).content_string

    content = llms.llms_text(config.site_name, config.site_description, config.nav, read)
    files.append(File.generated(config, "llms.txt", content=content))
    return files


def on_page_markdown(markdown, page, config, files):
    """Link every finding code in backticks to its page, and see that blocks of YAML can be read."""
    for block in markdown_blocks.blocks(markdown):
        if block.language == "yaml":
            try:
                list(yaml.safe_load_all(block.text))
            except yaml.YAMLError as error:
                raise PluginError("%s, line %d: %s" % (page.file.src_uri, block.line, error)) from error
    if page.file.src_uri == codes.INDEX:
        markdown = codes.with_index(markdown)
    # A search for a code or a variable shows its page before the pages that mention it.
    if page.file.src_uri.startswith(("reference/codes/", "reference/environment")):
        page.meta.setdefault("search", {"boost": 3})
    return codes.link_codes(markdown, page.file.src_uri)


def on_post_build(config):
    """Repair the theme's search.

    Lunr 2.3.9 names a node of its tree by the letters and numbers of the nodes below, one after the other: "1" to node 57 is
    called what "1" to node 1 and "5" to node 7 is. Nodes are mixed up, and a search that comes there raises. A mark after each
    number keeps them apart; where nothing is replaced, it is another Lunr: `tests/browser` sees whether it searches.
    """
    for path in glob.glob(os.path.join(glob.escape(config.site_dir), "assets/javascripts/workers/search.*.js")):
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        with open(path, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(re.sub(r"\b((\w)=\2\+\w\+\w\.id)\}", r'\1+";"}', text))


__all__ = ["generated", "on_config", "on_files", "on_page_markdown", "on_post_build"]
