"""Check a built wheel: what must be in it is in it, and nothing else."""

import ast
import json
import os
import re
import sys
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

import devicekit  # noqa: E402
from devicekit.logs.signatures import unpacked  # noqa: E402
from devicekit.matrix import matrix  # noqa: E402

#: Of the wheel as it is downloaded, its table of contents included.
LIMIT_BYTES = 1470000

#: What setup.py takes the docstring from, if it isn't public.
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

#: Next to modules that public names are of: docstrings that pytest and agents show; as in setup.py.
SHOWN = ("devicekit/cli/mcp.py", "devicekit/testing/")

#: What classes with public names inherit from, hold, take or return: their methods keep their types; as in setup.py.
TYPED = ("devicekit/records.py", "devicekit/cluster/lease/", "devicekit/machine/driver_query.py", "devicekit/matrix/")

#: Of the bundled data, unpacked.
LIMIT_DATA_BYTES = 1500000


def sources():
    """Return the files of the package in this checkout: all of them, and nothing else, must be in the wheel."""
    found = set()
    for folder, _, names in os.walk(os.path.join(ROOT, "devicekit")):
        if os.path.basename(folder) != "__pycache__":
            found.update(os.path.relpath(os.path.join(folder, name), ROOT).replace(os.sep, "/") for name in names)
    return found


def as_packed(name):
    """Return the content of a JSON file of this checkout as setup.py packs it."""
    with open(os.path.join(ROOT, name), encoding="utf-8") as stream:
        data = json.load(stream)
    for part in [data, *data.get("signatures", ())]:
        part.pop("source", None)
        if part.get("says") == "context":
            part.pop("summary", None)
    data.pop("note", None)
    return {"signatures": data["signatures"]} if "signatures" in data else data


def public_files():
    """Return the public names of the modules that have some, and of the packages, by what type checkers read of them."""
    files = {"devicekit/%s/__init__.py" % name: set() for name in devicekit._PACKAGES}
    files["devicekit/__init__.py"] = set()
    for package in ["devicekit", *["devicekit/" + name for name in devicekit._PACKAGES]]:
        for ending in ("py", "pyi"):
            path = os.path.join(ROOT, package, "__init__." + ending)
            tree = ast.parse("")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as stream:
                    tree = ast.parse(stream.read())
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and node.level and node.module and node.names[0].asname:
                    folder = package.rsplit("/", node.level - 1)[0]
                    path = "%s/%s.py" % (folder, node.module.replace(".", "/"))
                    files.setdefault(path, set()).update(alias.asname for alias in node.names)
    return files


def changed_code(wheel, names):
    """Yield the modules that are not, line by line, the code of this checkout, without what setup.py takes out."""
    files = public_files()
    for name in sorted(name for name in names & sources() if name.endswith(".py")):
        with open(os.path.join(ROOT, name), encoding="utf-8") as stream:
            ours = stream.read()
        theirs = wheel.read(name).decode("utf-8")
        trees = [ast.parse(text, type_comments=True) for text in (ours, theirs)]
        public = name in files or name.startswith(SHOWN)
        hidden = set() if name.startswith(SHOWN) else hidden_functions(trees[0], files.get(name, ()))
        for node in ast.walk(trees[0]):
            private = not public or node in hidden or re.match("_[^_]", getattr(node, "name", None) or "")
            module = isinstance(node, ast.Module)
            documented = (module and not public) or isinstance(node, DEFINITIONS)
            if private and documented and ast.get_docstring(node) is not None and (module or len(node.body) > 1):
                del node.body[0]
        _drop_types(trees[0], public or name.startswith(TYPED), hidden)
        for node in [node for tree in trees for node in ast.walk(tree)]:
            node.col_offset = node.end_col_offset = 0  # types are cut out of their lines
        needed, packed = map(_names_of_typing, trees)
        lacking = {word for word in needed - packed if word in _words(trees[1])}
        if len({ast.dump(tree, include_attributes=True) for tree in trees}) > 1 or packed - needed or lacking:
            yield name


def hidden_functions(tree, names):
    """Return the functions of a module that are not public: no user sees their docstrings and types."""
    return {node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name not in names}


def _drop_types(tree, typed, hidden):
    """Take out the types that no user sees, as setup.py does."""
    owners = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    functions = [node for node in owners if isinstance(node, ast.FunctionDef)]
    inside = {item for function in functions for item in ast.walk(function)}
    for node in [item for item in owners if isinstance(item, ast.AnnAssign)]:
        unseen = not typed or (node.simple and node in inside)
        cut = unseen and node.value is not None and not isinstance(owners[node], ast.ClassDef)
        if cut and node.annotation.lineno == node.annotation.end_lineno:
            plain = ast.copy_location(ast.Assign([node.target], node.value), node)
            for _, body in ast.iter_fields(owners[node]):
                if isinstance(body, list):
                    body[:] = [plain if item is node else item for item in body]
    for node in owners:
        if not isinstance(node, ast.FunctionDef) or node.decorator_list:
            continue
        if re.match("_[^_]", node.name) or not typed or node in hidden:
            arguments = [item for item in ast.walk(node.args) if isinstance(item, ast.arg)]
            for item, name in [*[(item, "annotation") for item in arguments], (node, "returns")]:
                part = getattr(item, name)
                if part is not None and part.lineno == part.end_lineno:
                    setattr(item, name, None)


def _names_of_typing(tree):
    """Take the imports of `typing` out of a module, and return the names that they bring."""
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "typing"]
    tree.body[:] = [node for node in tree.body if node not in imports]
    return {alias.name for node in imports for alias in node.names}


def _words(tree):
    """Return the names that a module uses, also those in quotes, as types are."""
    nodes = list(ast.walk(tree))
    quoted = " ".join(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {node.id for node in nodes if isinstance(node, ast.Name)} | set(re.findall(r"\w+", quoted))


def problems(path):
    """Return what is wrong with a wheel, a sentence each."""
    found = []
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        found += ["%s is not the code that the checkout has" % name for name in changed_code(wheel, names)]
        data = sum(item.file_size for item in wheel.infolist() if item.filename.startswith("devicekit/matrix/data/"))
        metadata = wheel.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode("utf-8")
        entry_points = wheel.read(next(name for name in names if name.endswith("entry_points.txt"))).decode("utf-8")
        codes = re.findall(
            r'"([a-z-]+)"',
            wheel.read("devicekit/diagnosis/codes.py").decode("utf-8").partition("CODES = (")[2],
        )
        pages = matrix.written_out(wheel.read("devicekit/diagnosis/codes.md")).decode("utf-8")
        releases = wheel.read("devicekit/matrix/data/projects.txt")
        packed = {name: json.loads(wheel.read(name).decode("utf-8")) for name in names if name.endswith(".json")}
        for bundle in [name for name in names if name.endswith("/all.txt")]:
            # The JSON files of a folder, as setup.py puts them into one.
            names.remove(bundle)
            for line in matrix.written_out(wheel.read(bundle)).strip(b"\n").split(b"\n"):
                name = line.partition(b" ")[0].decode("ascii")
                tables = {name: matrix.read_table(line.partition(b" ")[2])}
                if name == "all":
                    tables = {file: {"signatures": rows} for file, rows in unpacked(tables[name]).items()}
                for table, rows in tables.items():
                    packed["%s%s.json" % (bundle[: -len("all.txt")], table)] = rows
                    names.add("%s%s.json" % (bundle[: -len("all.txt")], table))
    for name, content in sorted(packed.items()):
        if os.path.exists(os.path.join(ROOT, name)) and content != as_packed(name):
            found.append("%s is not what the checkout has" % name)
    for name in matrix.BUNDLED.projects():
        if matrix.read_project(name, releases) != matrix.read_project(name):
            found.append("the releases of %s are not what the checkout has" % name)
    for name in sorted(sources() - names):
        found.append("%s is missing" % name)
    for code in codes[: codes.index("no-gpu") + 1]:
        if "# %s\n" % code not in pages:
            found.append("the page of %s is missing" % code)
    for name in sorted(names - sources()):
        if ".dist-info/" not in name:
            found.append("%s does not belong in the wheel" % name)
    if not any("LICENSE" in name for name in names):
        found.append("the license is missing")
    size = os.path.getsize(path)
    if size > LIMIT_BYTES:
        found.append("it has %d bytes, more than %d" % (size, LIMIT_BYTES))
    if data > LIMIT_DATA_BYTES:
        found.append("the data have %d bytes, more than %d" % (data, LIMIT_DATA_BYTES))
    if "Requires-Python: >=3.7" not in metadata:
        found.append("it does not say Requires-Python: >=3.7")
    for extra in ("tensorflow", "directml", "report", "mcp", "examples", "test", "docs"):
        if "Provides-Extra: %s" % extra not in metadata:
            found.append("the extra %s is missing" % extra)
    core = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:") and "extra ==" not in line]
    if len(core) > 5:
        found.append("it has %d core dependencies: %s" % (len(core), core))
    if "devicekit = devicekit.cli.main:main" not in entry_points:
        found.append("the command is missing")
    if "devicekit = devicekit.testing.pytest_plugin" not in entry_points:
        found.append("the plug-in for pytest is missing")
    return found


def main():
    """Check the wheel that the first argument names."""
    found = problems(sys.argv[1])
    for problem in found:
        print("%s: %s" % (sys.argv[1], problem))
    if not found:
        print("no problems found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
