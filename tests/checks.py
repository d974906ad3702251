"""Checks over tables: one test goes through every item and lists all that fail, each with its reason."""

import ctypes
import functools
import inspect
import os
import traceback

import pytest

#: So much of one reason is shown: a comparison of two machines has thousands of characters.
REASON_CHARACTERS = 1500


#: Whether this is a Windows Python under Wine.
WINE = os.name == "nt" and hasattr(ctypes.WinDLL("ntdll"), "wine_get_version")


def lacks_in_wine(what):
    """Return a mark for a test that fails under Wine through its own fault: such are counted, and may not be many.

    Parameters
    ----------
    what : str
        What Wine does otherwise than Windows.
    """
    return pytest.mark.skipif(WINE, reason="Wine: " + what)


def for_each(name, items, ids=None):
    """Return a decorator that makes one test of a check of many items.

    It is written as `pytest.mark.parametrize` is, for checks whose cases have no name worth a test of their own: rows of a
    table, files of a folder, recorded machines. Fixtures that the check takes are shared by all items.

    Parameters
    ----------
    name : str
        The check's parameter; several with commas between them where an item is a tuple.
    items : sequence or callable
        The items, or a function without parameters that returns them when the test runs.
    ids : sequence, optional
        A name for each item in the report; by default the item itself.
    """
    names = [part.strip() for part in name.split(",")]

    def decorate(check):
        def test(**fixtures):
            found = list(items() if callable(items) else items)
            assert found, "nothing to check"
            labels = found if ids is None else list(ids)
            assert len(labels) == len(found)
            failures = []
            for label, item in zip(labels, found):
                try:
                    check(**dict(zip(names, item if len(names) > 1 else (item,)), **fixtures))
                except (Exception, pytest.fail.Exception) as error:
                    failures.append("%s: %s" % (label, reason(error, check)))
            if failures:
                pytest.fail("%d of %d fail:\n%s" % (len(failures), len(found), "\n".join(failures)), pytrace=False)

        functools.update_wrapper(test, check)
        del test.__wrapped__  # pytest would look for fixtures with the names of the check's parameters
        parameters = inspect.signature(check).parameters.values()
        test.__signature__ = inspect.Signature([item for item in parameters if item.name not in names])
        #: How many items the test checks, for those who count.
        test.count = (lambda: len(list(items()))) if callable(items) else (lambda: len(items))
        return test

    return decorate


def reason(error, check):
    """Return what went wrong with an item, and in which line of the check."""
    source = inspect.getsourcefile(check)
    lines = [entry.lineno for entry in traceback.extract_tb(error.__traceback__) if entry.filename == source]
    text = str(error) if isinstance(error, AssertionError) else "%s: %s" % (type(error).__name__, error)
    return "%s (%s:%s)" % (text[:REASON_CHARACTERS], os.path.basename(source), lines[-1] if lines else "?")
