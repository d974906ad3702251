"""Where the scripts of child processes are, and how an interpreter starts one: also out of an archive (`devicekit.pyz`)."""

import os
from typing import Sequence, Tuple

#: The archive that devicekit is imported from, "" if it is a folder.
ARCHIVE: str = getattr(globals().get("__loader__"), "archive", "")
if ARCHIVE:
    ARCHIVE = os.path.abspath(ARCHIVE)

# Interpreters open a script, but nothing in an archive: this does it, in any Python from 3.6 on. First the working folder
# leaves the path. One line without quotation marks: it has to pass through the command line of Windows.
_FROM_ARCHIVE = (
    "import sys; sys.path[:1] = filter(None, sys.path[:1]); from zipimport import zipimporter; "
    "_, archive, name = sys.argv[:3]; del sys.argv[:2]; loader = zipimporter(archive); file = archive + '/' + name; "
    "exec(compile(loader.get_data(name), file, 'exec'), "
    "{'__name__': '__main__', '__file__': file, '__loader__': loader})"
)


def script_path(name: str) -> str:
    """Return the path of a script of this package; it may be inside an archive.

    >>> script_path("children/child.py")  # doctest: +SKIP
    '/home/user/venv/lib/python3.11/site-packages/devicekit/children/child.py'
    """
    return os.path.join(package_folder(), "devicekit", *name.split("/"))


def package_folder() -> str:
    """Return the absolute path of the folder, or of the archive, that devicekit is imported from."""
    return ARCHIVE or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def python_command(executable: str, options: Sequence[str], name: str) -> Tuple[str, ...]:
    """Return the command with which an interpreter runs a script of this package."""
    if ARCHIVE:
        return (executable, *options, "-c", _FROM_ARCHIVE, ARCHIVE, "devicekit/" + name)
    return (executable, *options, script_path(name))
