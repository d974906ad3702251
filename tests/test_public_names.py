"""Every public name, of devicekit and of its packages, says what it is and what it takes."""

import ast
import importlib
import inspect
import os
import pydoc
import re

from checks import for_each

import devicekit

PACKAGES = ["devicekit"] + ["devicekit." + name for name in devicekit._PACKAGES]

#: Each public name with its package.
PUBLIC = {
    "%s.%s" % (package, name): getattr(importlib.import_module(package), name)
    for package in PACKAGES
    for name in importlib.import_module(package).__all__
    if name != "__version__"
}

each_name = for_each("name", list(PUBLIC))


def docstring(name):
    return inspect.getdoc(PUBLIC[name]) or ""


def test_devicekit_itself_has_few_names():
    assert len(devicekit.__all__) <= 33


@for_each("package", PACKAGES)
def test_type_checkers_see_the_names_that_are_loaded_lazily(package):
    module = importlib.import_module(package)
    if not hasattr(module, "__getattr__"):
        return
    stub = package == "devicekit"
    with open(module.__file__ + "i" * stub, encoding="utf-8") as stream:
        tree = ast.parse(stream.read())
    blocks = [tree] if stub else []
    blocks += [
        node for node in tree.body if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
    ]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom) and node.level]
    aliases = [alias.asname for node in imports for alias in node.names]
    loaded = [name for name in module.__all__ if name != "__version__"]
    assert sorted(aliases) == sorted(loaded + (list(devicekit._PACKAGES) if package == "devicekit" else []))


def test_help_begins_with_what_a_user_needs():
    text = pydoc.plain(pydoc.render_doc(devicekit))
    beginning = "\n".join(text.splitlines()[:30])
    for words in ("devicekit.auto()", "device_scope", "detect()", "diagnose()", "explain(", "devicekit doctor"):
        assert words in beginning
    assert "PEP 562" not in beginning


@for_each("package", PACKAGES)
def test_public_names_do_not_depend_on_what_was_imported_before(package):
    module = importlib.import_module(package)
    if not hasattr(module, "__path__"):
        return
    # Importing a module makes it an attribute of its package, in place of a function of the same name.
    # By the names as they are listed: Windows finds a file in whatever case it is asked for, but Python imports none so.
    inside = {
        name[: -len(".py")] if name.endswith(".py") else name for name in os.listdir(os.path.dirname(module.__file__))
    }
    assert not inside & set(module.__all__)


def section(text, title):
    """Return what is under a heading of numpydoc, None where there is no such heading."""
    found = re.search(r"^%s\n-+\n(.*?)(?=\n\n\S[^\n]*\n-+\n|\n\n\.\. |\Z)" % title, text, re.S | re.M)
    return None if found is None else found.group(1)


def described(text):
    """Return the names that a section describes."""
    names = []
    for head in re.findall(r"^(\S[^\n]*)$", text, re.M):
        names += [name.strip().lstrip("*") for name in head.partition(" : ")[0].split(",")]
    return names


@each_name
def test_it_says_what_it_is(name):
    text = docstring(name)
    assert re.match(r"[A-Z][^\n]+[^\n.]*\S", text), text[:80]


@each_name
def test_parameters_are_those_of_the_signature(name):
    item = PUBLIC[name]
    text = section(docstring(name), "Parameters")
    if inspect.isclass(item) and text is None:
        return
    parameters = inspect.signature(item).parameters.values()
    wanted = [parameter.name for parameter in parameters if not parameter.name.startswith("_")]
    assert described(text or "") == wanted


@each_name
def test_what_is_raised_is_an_exception(name):
    for raised in described(section(docstring(name), "Raises") or ""):
        found = getattr(devicekit.errors, raised, None) or getattr(__import__("builtins"), raised)
        assert issubclass(found, BaseException)


@for_each("name", [name for name in PUBLIC if hasattr(PUBLIC[name], "_fields")])
def test_attributes_are_those_that_it_has(name):
    item = PUBLIC[name]
    names = described(section(docstring(name), "Attributes") or "")
    assert set(item._fields) <= set(names)
    assert all(hasattr(item, attribute) or attribute in item._fields for attribute in names)


@for_each("name", [name for name in PUBLIC if inspect.isclass(PUBLIC[name])])
def test_methods_say_what_they_do(name):
    for method, item in vars(PUBLIC[name]).items():
        if not method.startswith("_") and (inspect.isfunction(item) or isinstance(item, (property, classmethod))):
            assert inspect.getdoc(item.__func__ if isinstance(item, classmethod) else item), method
