"""The layout, computed from the source: one direction, no circles, one I/O boundary, functions that can be read.

Every check goes over the whole package and lists all offenders with the reason, so that one run shows what is left to do.
"""

import ast
import doctest
import importlib
import os

import devicekit

#: Of the checkout: a wheel has empty lines where docstrings were.
PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "devicekit")

#: A package imports only from those before it, imports inside functions and for type checkers included.
ORDER = (
    "errors", "records", "children", "machine", "matrix", "resolver", "diagnosis", "plugins", "logs", "selection", "runtime",
    "measure", "remedy", "cluster", "watch", "report", "api", "testing", "cli",
)  # fmt: skip

#: At the top of the package, next to what ORDER names.
TOP = {"__init__.py", "__pyinstaller", "__init__.pyi", "__main__.py", "py.typed"}

#: They get frozen facts and return records: nothing in them asks the machine or starts a process.
PURE = ("errors", "records", "matrix", "resolver", "diagnosis", "selection", "report")
REACHES_OUT = {"os", "subprocess", "ctypes", "platform", "socket", "shutil", "tempfile"}

FRAMEWORKS = {"tensorflow", "keras", "tf_keras", "jax", "torch"}

LONGEST_FUNCTION = 50
MOST_PARAMETERS = 8


class Module:
    """One file: its dotted name below ``devicekit``, and what it imports."""

    def __init__(self, path):
        relative = os.path.relpath(path, PACKAGE)[: -len(".py")].replace(os.sep, ".")
        self.is_package = relative == "__init__" or relative.endswith(".__init__")
        self.name = relative[: -len("__init__")].rstrip(".") if self.is_package else relative
        with open(path, encoding="utf-8") as stream:
            self.text = stream.read()
        self.tree = ast.parse(self.text)

    @property
    def top(self):
        return self.name.partition(".")[0]

    @property
    def is_child(self):
        """Whether it is run by its path, in a separate process."""
        return self.name.endswith("child")

    def targets(self, top_level_only=False):
        """Yield (dotted module, imported name or None, line) for each import; relative ones become absolute."""
        parts = self.name.split(".") if self.name else []
        package = parts if self.is_package else parts[:-1]
        for node in self.tree.body if top_level_only else ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield alias.name, None, node.lineno
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    above = package[: len(package) - node.level + 1]
                    base = ".".join(["devicekit", *above] + ([node.module] if node.module else []))
                for alias in node.names:
                    yield base, alias.name, node.lineno

    def roots(self, top_level_only=False):
        return {target.partition(".")[0] for target, _, _ in self.targets(top_level_only)}


def load():
    found = {}
    for folder, _, names in os.walk(PACKAGE):
        for name in names:
            if name.endswith(".py"):
                module = Module(os.path.join(folder, name))
                found[module.name] = module
    return found


MODULES = load()


def edges():
    """Yield (importing module, imported module, line) for the imports within the package, its own door left out."""
    for module in MODULES.values():
        for target, name, line in module.targets():
            if target.partition(".")[0] != "devicekit":
                continue
            below = target[len("devicekit") :].lstrip(".")
            if name is not None and ("%s.%s" % (below, name)).lstrip(".") in MODULES:
                below = ("%s.%s" % (below, name)).lstrip(".")
            if below != module.name and below:
                yield module.name, below, line


EDGES = sorted(set(edges()))


def circles(graph):
    """Return the strongly connected parts of a graph that have more than one member."""
    index, low, stack, held, found = {}, {}, [], set(), []

    def visit(start):
        work = [(start, iter(sorted(graph.get(start, ()))))]
        index[start] = low[start] = len(index)
        stack.append(start)
        held.add(start)
        while work:
            node, following = work[-1]
            for other in following:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    held.add(other)
                    work.append((other, iter(sorted(graph.get(other, ())))))
                    break
                if other in held:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = []
                    while not part or part[-1] != node:
                        part.append(stack.pop())
                        held.discard(part[-1])
                    if len(part) > 1:
                        found.append(sorted(part))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def test_circles_are_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [["b", "c"]]
    assert circles({"a": {"b", "c"}, "b": {"d"}, "c": {"d"}}) == []


def test_every_import_within_the_package_leads_somewhere():
    assert [edge for edge in EDGES if edge[1] not in MODULES] == []


def defined_names(module):
    """Return the names that a file makes: functions, classes, and what it assigns."""
    names = set()
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def test_an_import_names_the_module_that_defines_the_name():
    """A name that a third module passes on would hide which module is needed. The `__init__` of a package may."""
    defined = {name: defined_names(module) for name, module in MODULES.items() if not module.is_package}
    wrong = []
    for module in MODULES.values():
        for target, name, line in module.targets():
            below = target[len("devicekit.") :]
            if target.startswith("devicekit.") and below in defined and name not in defined[below]:
                wrong.append("%s:%d imports %s from %s, which does not define it" % (module.name, line, name, target))
    assert wrong == [], "\n".join(wrong)


def test_the_top_of_the_package_is_what_the_design_names():
    entries = {name for name in os.listdir(PACKAGE) if name != "__pycache__"}
    allowed = TOP | set(ORDER) | {name + ".py" for name in ORDER}
    assert entries <= allowed, sorted(entries - allowed)


def test_packages_import_only_from_those_before_them():
    place = {name: number for number, name in enumerate(ORDER)}
    wrong = [
        "%s:%d imports %s" % (source, line, target)
        for source, target, line in EDGES
        if source not in ("", "__main__") and place[source.partition(".")[0]] < place[target.partition(".")[0]]
    ]
    assert wrong == [], "\n".join(wrong)


def test_what_is_imported_by_name_is_a_declared_seam():
    from devicekit.records import SEAMS, seam

    place = {name: number for number, name in enumerate(ORDER)}
    assert all(callable(seam(name)) for name in SEAMS)
    wrong = [
        "%s: %s" % (module.name, node.value)
        for module in MODULES.values()
        if module.name != "records"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("devicekit.")
        and place.get(node.value[len("devicekit.") :].partition(".")[0], -1) > place.get(module.top, len(place))
        and " " not in node.value
    ]  # fmt: skip
    assert wrong == [], "\n".join(wrong)


def test_no_circle_of_files():
    graph = {}
    for source, target, _ in EDGES:
        if source:
            graph.setdefault(source, set()).add(target)
    found = circles(graph)
    assert found == [], "\n".join("%d files: %s" % (len(part), ", ".join(part)) for part in found)


def test_no_circle_of_packages():
    """In every package, what is directly in it (files, and packages with all that is in them) has no circle."""
    wrong = []
    for package in [""] + [module.name for module in MODULES.values() if module.is_package and module.name]:
        depth = len(package.split(".")) if package else 0
        graph = {}
        for source, target, _ in EDGES:
            if not package or (source.startswith(package + ".") and target.startswith(package + ".")):
                ends = [name.split(".")[depth] for name in (source, target) if name]
                if len(ends) == 2 and ends[0] != ends[1]:
                    graph.setdefault(ends[0], set()).add(ends[1])
        wrong += ["%s: %s" % (package or "devicekit", ", ".join(part)) for part in circles(graph)]
    assert wrong == [], "\n".join(wrong)


def test_api_is_imported_by_the_package_and_the_command_alone():
    wrong = [source for source, target, _ in EDGES if target == "api" and source.partition(".")[0] not in ("", "cli")]
    assert wrong == []


def test_the_package_imports_nothing_at_the_top_but_what_a_fork_needs():
    assert [found[0] for found in MODULES[""].targets(top_level_only=True)] == ["devicekit.children"]
    assert MODULES["children"].roots() == set()
    assert MODULES["children.fork_imports"].roots() == {
        "_imp",
        "_thread",
        "posix",
        "sys",
        "time",
        "typing",
    }  # the last never


def test_what_decides_does_not_reach_outside():
    wrong = [
        "%s imports %s" % (module.name, ", ".join(sorted(module.roots() & REACHES_OUT)))
        for module in MODULES.values()
        if module.top in PURE and module.roots() & REACHES_OUT
    ]
    assert wrong == [], "\n".join(wrong)


def test_one_package_uses_the_network_as_a_client():
    """And only when it is asked to: `runtime.index` is imported by the seam that `resolve(online=True)` takes."""
    network = ("ftplib", "http.client", "smtplib", "ssl", "urllib.request")
    wrong = [
        "%s:%d imports %s" % (module.name, line, target)
        for module in MODULES.values()
        for target, _, line in module.targets()
        if target in network and not module.name.startswith("runtime.index.")
    ]
    assert wrong == [], "\n".join(wrong)
    others = [edge for edge in EDGES if edge[1].startswith("runtime.index") and not edge[0].startswith("runtime.index")]
    assert others == []


def test_one_package_starts_processes():
    wrong = [
        module.name
        for module in MODULES.values()
        if "subprocess" in module.roots() and module.top != "children" and not module.is_child
    ]
    assert wrong == []


def test_frameworks_are_imported_by_adapters_by_what_measures_and_by_children():
    wrong = []
    for module in MODULES.values():
        if module.is_child or module.name.startswith("runtime.frameworks"):
            continue
        # What measures has a model of the framework, or runs in a worker: it imports one when there is work to do.
        found = module.roots(top_level_only=module.top == "measure") & FRAMEWORKS
        if found:
            wrong.append("%s imports %s" % (module.name, ", ".join(sorted(found))))
    assert wrong == [], "\n".join(wrong)


def test_no_pickle_no_shell_no_multiprocessing():
    unsafe = {"pickle", "marshal", "shelve", "multiprocessing"}
    wrong = [module.name for module in MODULES.values() if "shell=True" in module.text or module.roots() & unsafe]
    assert wrong == []


def functions():
    for module in MODULES.values():
        for node in ast.walk(module.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield module, node


#: Their examples need a machine or a framework.
UNTRIED = ("cluster.diff.compare_machines", "cluster.fleet.examine", "runtime.on_cpu", "testing")


def test_examples_in_docstrings_are_true(capsys):
    tried = 0
    for module in MODULES.values():
        texts = [
            ast.get_docstring(node) or ""
            for node in ast.walk(module.tree)
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        ]
        examples = "\n\n".join(text for text in texts if ">>> " in text)
        if not examples or module.name in UNTRIED:
            continue
        names = dict(vars(importlib.import_module("devicekit." + module.name)))
        runner = doctest.DocTestRunner(verbose=False)
        runner.run(doctest.DocTestParser().get_doctest(examples, names, module.name, None, 0))
        assert runner.failures == 0, capsys.readouterr().out
        tried += runner.tries
    assert tried >= 90


def test_a_module_gives_a_name_to_one_thing():
    """A second constant of the same name takes the place of the first, also for what was written before it."""
    twice = []
    for module in MODULES.values():
        names = [item.name for item in module.tree.body if isinstance(item, (ast.FunctionDef, ast.ClassDef))]
        for item in module.tree.body:
            targets = item.targets if isinstance(item, ast.Assign) else [getattr(item, "target", None)]
            bound = not isinstance(item, ast.AnnAssign) or item.value is not None
            names += [target.id for target in targets if bound and isinstance(target, ast.Name)]
        twice += ["%s.%s" % (module.name, name) for name in sorted(set(names)) if names.count(name) > 1]
    assert twice == []


def test_functions_are_short():
    wrong = []
    for module, node in functions():
        # `end_lineno` is of Python 3.8.
        end = max(getattr(item, "end_lineno", getattr(item, "lineno", 0)) for item in ast.walk(node))
        text = ast.get_docstring(node, clean=False)
        lines = end - node.lineno + 1 - (text.count("\n") + 1 if text else 0)
        if lines > LONGEST_FUNCTION:
            wrong.append("%s.%s: %d lines" % (module.name, node.name, lines))
    assert wrong == [], "\n".join(wrong)


def test_functions_take_few_parameters():
    """A record is passed instead. The public functions, which callers read and name arguments of, are another matter."""
    public = set(devicekit.__all__)
    wrong = []
    for module, node in functions():
        arguments = node.args
        count = len(arguments.args) + len(arguments.kwonlyargs) + len(getattr(arguments, "posonlyargs", ()))
        count -= bool(arguments.args) and arguments.args[0].arg in ("self", "cls")
        if count > MOST_PARAMETERS and node.name not in public:
            wrong.append("%s.%s: %d parameters" % (module.name, node.name, count))
    assert wrong == [], "\n".join(wrong)


#: What catches exceptions of others, as opposed to those of a call whose errors are known.
ANY_EXCEPTION = {"Exception", "BaseException", "ImportError", "ModuleNotFoundError"}
SHOWS = {"str", "repr", "format", "print", "debug", "info", "warning", "error", "log", "print_message", "print_note"}


def shown_exceptions(tree):
    """Yield the lines in which an exception of others is made text without `first_line`, `one_line` or `text_of`."""

    def names_in(node):
        return {item.id for item in ast.walk(node) if isinstance(item, ast.Name)} if node is not None else set()

    for scope in ast.walk(tree):
        bound = set()
        if isinstance(scope, ast.ExceptHandler) and scope.name and names_in(scope.type) & ANY_EXCEPTION:
            bound = {scope.name}
        elif isinstance(scope, ast.FunctionDef):
            bound = {item.arg for item in scope.args.args if names_in(item.annotation) & ANY_EXCEPTION}
        for node in ast.walk(scope) if bound else ():
            shown = []
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
                shown = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in SHOWS:
                shown = node.args
            elif isinstance(node, ast.FormattedValue):
                shown = [node.value]
            if any(isinstance(item, ast.Name) and item.id in bound for item in shown):
                yield node.lineno


def test_an_exception_of_others_is_shown_by_what_survives_its_text():
    """Its ``__str__`` may raise. What runs in a child of its own ends there, which its parent reports."""
    ways = ('"%s" % error', '"%s: %s" % (1, error)', "str(error)", 'log("info", "%s", error)', 'f"{error}"')
    for way in ways:
        assert list(shown_exceptions(ast.parse("try:\n  pass\nexcept (OSError, Exception) as error:\n  " + way))) == [4]
        assert list(shown_exceptions(ast.parse("def report(error: Exception):\n  " + way))) == [2]
    assert list(shown_exceptions(ast.parse("try:\n  pass\nexcept Exception as error:\n  one_line(error)"))) == []
    wrong = [
        "%s:%d" % (module.name, line)
        for module in MODULES.values()
        if module.name != "errors" and not module.is_child
        for line in sorted(set(shown_exceptions(module.tree)))
    ]
    assert wrong == [], "\n".join(wrong)
