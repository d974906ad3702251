"""A file of an environment that unsets variables of the shell with which its framework cannot work.

Python runs the lines of a ``.pth`` file that begin with ``import`` whenever it starts
(https://docs.python.org/3/library/site.html), before any framework reads the variable. Each line compares the value: another
one, which is set later, stays.
"""

import os
from typing import Mapping, Sequence

from .layout import Layout

#: Known to `snapshot`, which removes it whatever was done since.
FILE = "devicekit-variables.pth"

#: What tunes a framework and is read when it is imported. What chooses a device or a backend is its user's decision, and what
#: the interpreter or the dynamic linker reads is in effect before any file is.
UNSETTABLE = ("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "TF_JITRT_FLAGS", "TF_XLA_FLAGS", "XLA_FLAGS")

_LINE = "import os; os.environ.get(%s) == %s and os.environ.pop(%s)\n"


def unset_at_start(layout: Layout, names: Sequence[str], environ: Mapping[str, str]) -> None:
    """Make the Python of an environment unset variables when it starts, each as long as it has its present value.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    lines = [_LINE % (ascii(name), ascii(environ[name]), ascii(name)) for name in names if name in environ]
    if lines:
        with open(os.path.join(layout.libraries[0], FILE), "a", encoding="ascii") as stream:
            stream.write("".join(lines))
