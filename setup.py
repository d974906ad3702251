"""What setup.cfg cannot say: a wheel is packed without what only those who edit its files read."""

import ast
import functools
import glob
import io
import json
import os
import re
import tokenize
import zlib

from setuptools import setup
from setuptools.command.build_py import build_py

# zipfile packs the wheel with it: 8 KB less to download. setuptools has no option for that.
zlib.Z_DEFAULT_COMPRESSION = 9


#: Folders with many small tables: one file each in a wheel, where they are compressed together.
FOLDERS = (os.path.join("devicekit", "matrix", "data"), os.path.join("devicekit", "logs", "signatures"))

#: What signatures and pages have most often: a sign each in a wheel, 15 KB less (`devicekit.matrix.matrix.written_out`).
PHRASES = (
    '","', '"],["', "(?:", "nvidia", "(?P<", "device", " has no ", " the ", "is", " for", "does not ", "or", " of",
    "TensorFlow", " and ", " that", ",0,0", "not", "module", " to", "tensorflow", "keras", "torch", "CUDA", "PyTorch",
    "driver", "version", "name", "install", "it", "failed", "package", "with", " is ", "library", "gpu", '},{"',
    "GPU", "cuda", '":"', 'group":{"', '.","', "\\\\",
)  # fmt: skip

#: Next to modules that public names are of: docstrings that pytest and agents show.
SHOWN = ("devicekit.cli.mcp", "devicekit.testing")


#: What classes with public names inherit from, hold, take or return: their methods keep their types; `nox -s typed` checks it.
TYPED = ("devicekit.records", "devicekit.cluster.lease.", "devicekit.machine.driver_query", "devicekit.matrix.")


class BuildPy(build_py):
    """Copies code without notes for its editors and their tools, indented by tabs; JSON without where a row is from."""

    def build_module(self, module, module_file, package):
        """Copy a module; an editable install uses the checkout's own."""
        outfile, copied = super().build_module(module, module_file, package)
        if not getattr(self, "editable_mode", False):
            name = ("%s.%s" % (package, module)).replace(".__init__", "")
            names = None if name.startswith(SHOWN) else _public_names().get(name, ())
            public = names is None or name in _public_names()
            _without_notes(outfile, public, public or name.startswith(TYPED), names)
        return outfile, copied

    def build_package_data(self):
        """Copy the data, and pack those that were copied; an editable install uses the checkout's own."""
        super().build_package_data()
        if getattr(self, "editable_mode", False):
            return
        for _, _, folder, names in self.data_files:
            for name in names:
                if name.endswith(".json"):
                    _pack(os.path.join(folder, name))
                elif os.path.basename(name) == "projects.txt":
                    _pack_projects(os.path.join(folder, name))
                    _reorder(os.path.join(folder, name), "= ")
                elif name.endswith("codes.md"):
                    _pack_pages(os.path.join(folder, name))
        for folder in FOLDERS:
            _bundle(os.path.join(self.build_lib, folder))


@functools.lru_cache(maxsize=None)
def _public_names():
    """Return the public names of each module that has some, and of each package: these name them for type checkers."""
    found = {}
    for path in ["devicekit/__init__.pyi", *glob.glob("devicekit/*/__init__.py")]:
        package = os.path.dirname(path).replace(os.sep, ".").replace("/", ".")
        with open(path, encoding="utf-8") as stream:
            names = re.findall(r"^ *from (\.+)(\w[\w.]*) import (\w+) as \3$", stream.read(), re.M)
        for dots, module, name in names:
            found.setdefault("%s.%s" % (package.rsplit(".", len(dots) - 1)[0], module), set()).add(name)
            found.setdefault(package, set())
    return found


def _without_notes(path, public, typed, names):
    """Take comments, and docstrings of what is not public, out of a module; lines keep their numbers.

    ``names``: what in it is public; None if everything is.
    """
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    lines = text.split("\n")
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for token in tokens:
        if token.type == tokenize.COMMENT and not token.string.startswith("# type:"):
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    tokens = [token for token in tokens if token.type not in (tokenize.COMMENT, tokenize.NL)]
    for token in _private_docstrings(tokens, public, names):
        for row in range(token.start[0] - 1, token.end[0]):
            lines[row] = ""
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(_with_tabs(_without_types("\n".join(lines), typed, names)))


def _with_tabs(text):
    """Indent by a tab in place of four spaces, outside of strings: 19 KB less to download, and as easy to read."""
    lines, inside, start = text.split("\n"), set(), 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        start = token.start[0] if name == "FSTRING_START" else start
        if name in ("STRING", "FSTRING_END"):
            first = start if name == "FSTRING_END" else token.start[0]
            inside.update(range(first, token.end[0]))
    for row, line in enumerate(lines):
        if row not in inside:  # rows of tokens begin at 1: these are the lines after the first of a string
            code = line.lstrip(" ")
            depth = len(line) - len(code)
            lines[row] = "\t" * (depth // 4) + " " * (depth % 4) + code
    return "\n".join(lines)


def _without_types(text, typed, names):
    """Take out the types that no user sees: the checkout has them.

    Those of local names, in modules that are not public of all, and of what functions that no user calls take and return.
    """
    lines, tree, cuts = [line.encode("utf-8") for line in text.split("\n")], ast.parse(text), []
    methods = {item for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for item in node.body}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = {item for function in functions for item in ast.walk(function)}
    # Before Python 3.8 a tree does not have ends.
    for node in set(ast.walk(tree)) - methods:
        unseen = isinstance(node, ast.AnnAssign) and (not typed or (node.simple and node in inside))
        if unseen and node.value and hasattr(node, "end_lineno"):
            cuts.append((node.annotation, node.target.end_col_offset))
    for node in ast.walk(tree):
        # A record's property says by its type how it is written.
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or not hasattr(node, "end_lineno"):
            continue
        hidden = names is not None and node in tree.body and node.name not in names
        if typed and not hidden and not re.match("_[^_]", node.name):
            continue
        for item in ast.walk(node.args):
            if isinstance(item, ast.arg) and item.annotation:
                cuts.append((item.annotation, item.col_offset + len(item.arg.encode("utf-8"))))
        if node.returns:
            cuts.append((node.returns, lines[node.returns.lineno - 1].rfind(b" ->", 0, node.returns.col_offset)))
    for node, start in sorted(cuts, key=lambda cut: cut[0].col_offset, reverse=True):
        if node.lineno == node.end_lineno:
            line = lines[node.lineno - 1]
            lines[node.lineno - 1] = line[:start] + line[node.end_col_offset :]
    return _without_unused(b"\n".join(lines).decode("utf-8"))


def _without_unused(text):
    """Take out the names of `typing` that nothing needs any more, not even a type in quotes."""
    lines, tree = text.split("\n"), ast.parse(text)
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "typing" and hasattr(node, "end_lineno"):
            before, after = lines[: node.lineno - 1], lines[node.end_lineno :]
            words = set(re.findall(r"\w+", "\n".join(before + after)))
            names = [alias.name for alias in node.names if alias.name in words]
            row = "from typing import " + ", ".join(names) if names else ""
            lines = [*before, row, *[""] * (node.end_lineno - node.lineno), *after]
    return "\n".join(lines)


def _private_docstrings(tokens, public, names):
    """Yield those that something follows, unless it is a module's: the body of a function cannot be empty."""
    if not public and tokens[0].type == tokenize.STRING:
        yield tokens[0]
    private = False
    for number, token in enumerate(tokens):
        if token.string in ("def", "class"):
            name = tokens[number + 1].string
            hidden = names is not None and token.string == "def" and token.start[1] == 0 and name not in names
            private = not public or hidden or (name.startswith("_") and not name.startswith("__"))
        elif token.type == tokenize.INDENT and private:
            private = False
            docstring, _, after = tokens[number + 1 : number + 4]
            if docstring.type == tokenize.STRING and after.type != tokenize.DEDENT:
                yield docstring


def _pack(path):
    with open(path, encoding="utf-8") as stream:
        data = json.load(stream)
    for part in [data, *data.get("signatures", ())]:
        part.pop("source", None)
    data.pop("note", None)
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        json.dump(data, stream, ensure_ascii=False, separators=(",", ":"))


def _pack_projects(path):
    """Write the section of each project as columns; devicekit.matrix.matrix reads both forms."""
    with open(path, encoding="ascii") as stream:
        head, *sections = stream.read().split("\n= ")
    with open(path, "w", encoding="ascii", newline="\n") as stream:
        stream.write(head)
        for section in sections:
            name, _, content = section.partition("\n")
            data = json.loads(content)
            if "builds" not in data:  # a build before this one may have left it packed
                builds = _table([build for row in data["rows"] for build in row["builds"]])
                rows = _table([dict(row, builds=len(row["builds"])) for row in data["rows"]])
                data = {"date": data["date"], "requires": _changes(data["requires"]), "rows": rows, "builds": builds}
            stream.write("\n= %s\n%s" % (name, json.dumps(data, separators=(",", ":"))))
        stream.write("\n")


def _pack_pages(path):
    with open(path, "rb") as stream:
        if b"\0" in stream.read():  # a build before this one may have left it packed
            return
    _reorder(path, "# [a-z-]+$")
    with open(path, "rb+") as stream:
        text = _with_signs(stream.read())
        stream.seek(0)
        stream.truncate()
        stream.write(text)


def _reorder(path, heading):
    """Write sections so that each follows one that it is like: they are read by name, and 4 KB less to download."""
    with open(path, encoding="utf-8") as stream:
        text, *sections = re.split("(?m)^(?=%s)" % heading, stream.read())
    alone = {section: _packed_size(section, "") for section in sections}
    while sections:
        before = text[-32768:]  # as far back as deflate looks
        nearest = min(sections, key=lambda section: _packed_size(section, before) / alone[section])
        sections.remove(nearest)
        text += nearest
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


def _packed_size(text, before):
    packer = zlib.compressobj(6, zlib.DEFLATED, -15, zdict=before.encode()[-32768:]) if before else zlib.compressobj(6)
    return len(packer.compress(text.encode()) + packer.flush())


def _table(rows):
    """Return rows as a list for each field, null where one has none."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _changes(lists):
    """Return for each list what the one before does not have, and the places there of what is gone."""
    pairs = zip([[], *lists], lists)
    return [
        [item for item in after if item not in before]
        + [place for place, item in enumerate(before) if item not in after]
        for before, after in pairs
    ]


def _bundle(folder):
    """Write the JSON files of a folder into all.txt, a line each, rows as columns; devicekit.matrix.matrix reads them."""
    names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    tables = {}
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as stream:
            tables[name[: -len(".json")]] = json.load(stream)
        os.remove(os.path.join(folder, name))
    if os.path.basename(folder) == "signatures":
        tables = {"all": _columns(tables)}
    for data in tables.values():
        if "rows" in data and all(isinstance(row, dict) for row in data["rows"]):
            data["rows"] = _table(data["rows"])
    lines = [
        "\n%s %s" % (name, json.dumps(data, ensure_ascii=False, separators=(",", ":"))) for name, data in tables.items()
    ]
    text = ("".join(lines) + "\n").encode()
    if "all" in tables:
        text = _with_signs(text)
    with open(os.path.join(folder, "all.txt"), "wb") as bundle:
        bundle.write(text)


def _with_signs(text):
    """Write a sign for each frequent phrase, which may hold signs of those before it; the list of signs comes first."""
    # JSON escapes control characters, and the others are never in UTF-8.
    signs, listed = [bytes([number]) for number in (*range(1, 10), *range(11, 32), 0xC0, 0xC1, *range(0xF5, 256))], []
    for sign, phrase in zip(signs, map(str.encode, PHRASES)):
        for item in listed:
            phrase = phrase.replace(item[1:], item[:1])
        listed.append(sign + phrase)
        text = text.replace(phrase, sign)
    return b"\0".join(listed) + b"\0\0" + text


def _columns(tables):
    """Return all signatures as a list for each field, 0 where one has none: what is alike packs better side by side."""
    files = {name: data["signatures"] for name, data in tables.items()}
    rows = [row for signatures in files.values() for row in signatures]
    for row in rows:
        if row["says"] == "context":
            row.pop("summary", None)  # it is shown to no one
        row["literal pattern"] = [*row.pop("literal"), row.pop("pattern", "")]
    when = _taken(rows, "when")
    fixes = _taken([*rows, *when], "fix")
    # In this order they pack best, and with 0 2 KB better than with null.
    last = ("literal pattern", "summary", "fix", "when", "id")
    return {
        "files": {name: len(signatures) for name, signatures in files.items()},
        "columns": _fields(rows, last),
        "when": _fields(when),
        "fix": _fields(fixes),
    }


def _taken(rows, name):
    """Take the lists of that name out of the rows, and leave in each how many items it had, and one more."""
    items = []
    for row in rows:
        if name in row:
            items += row[name]
            row[name] = len(row[name]) + 1
    return items


def _fields(rows, last=()):
    names = dict.fromkeys(name for row in rows for name in row if name not in last)
    return {name: [row.get(name, 0) for row in rows] for name in (*names, *last)}


setup(cmdclass={"build_py": BuildPy})
