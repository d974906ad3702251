"""Every public name says what it is, what it takes, and since when it is there."""

import inspect
import re

from checks import for_each

import devicekit

NAMES = [name for name in devicekit.__all__ if name != "__version__"]

each_name = for_each("name", NAMES)


def docstring(name):
    return inspect.getdoc(getattr(devicekit, name)) or ""


def section(text, title):
    """Return what stands under a heading of numpydoc, None where there is no such heading."""
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
    item = getattr(devicekit, name)
    text = section(docstring(name), "Parameters")
    if inspect.isclass(item) and text is None:
        return
    parameters = inspect.signature(item).parameters.values()
    wanted = [parameter.name for parameter in parameters if not parameter.name.startswith("_")]
    assert described(text or "") == wanted


@each_name
def test_what_is_raised_is_an_exception(name):
    for raised in described(section(docstring(name), "Raises") or ""):
        found = getattr(devicekit, raised, None) or getattr(__import__("builtins"), raised)
        assert issubclass(found, BaseException)


@for_each("name", [name for name in NAMES if hasattr(getattr(devicekit, name), "__dataclass_fields__")])
def test_attributes_are_those_that_it_has(name):
    item = getattr(devicekit, name)
    names = described(section(docstring(name), "Attributes") or "")
    assert {field for field in item.__dataclass_fields__ if not field.startswith("_")} <= set(names)
    assert all(hasattr(item, attribute) or attribute in item.__dataclass_fields__ for attribute in names)


@for_each("name", [name for name in NAMES if inspect.isclass(getattr(devicekit, name))])
def test_methods_say_what_they_do(name):
    for method, item in vars(getattr(devicekit, name)).items():
        if not method.startswith("_") and (inspect.isfunction(item) or isinstance(item, (property, classmethod))):
            assert inspect.getdoc(item.__func__ if isinstance(item, classmethod) else item), method
