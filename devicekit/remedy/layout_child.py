"""Says where the interpreter that runs it keeps what is installed. Standard library only, Python 3.6 and later."""

import glob
import os
import sys
import sysconfig


def main(task, say):  # type: (dict[str, object], object) -> dict[str, object]
    """Return what `devicekit.remedy.layout.Layout` holds; see `devicekit.children.child`."""
    paths = sysconfig.get_paths()
    bundled = os.path.join(os.path.dirname(os.__file__), "ensurepip", "_bundled", "pip-*.whl")
    return {
        "executable": sys.executable or "",
        "prefix": sys.prefix,
        "base_prefix": getattr(sys, "base_prefix", sys.prefix),
        "libraries": list(dict.fromkeys([paths["purelib"], paths["platlib"]])),
        "scripts": paths["scripts"],
        "stdlib": paths["stdlib"],
        "bundled_pip": sorted(glob.glob(bundled))[-1:],
    }
