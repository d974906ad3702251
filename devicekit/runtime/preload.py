"""Loads libraries by their full path, so that a framework finds them by their names: before its import, or not at all."""

import os
import stat
from typing import Iterable, List

from ..selection.selection import Change


def load(paths: Iterable[str]) -> List[Change]:
    """Load libraries in this process, in this order, and return what was changed.

    A library that is loaded answers to its name: a later request to the dynamic linker gets it without a search (glibc
    compares names before it looks into folders; measured with TensorFlow 2.15 to 2.21). One that is refused or fails is
    left out, and the framework says itself what it lacks.

    Parameters
    ----------
    paths : iterable of str
        As `Diagnosis.libraries_for` has them.
    """
    changes: List[Change] = []
    for full in loadable(paths):
        import ctypes

        try:
            ctypes.CDLL(full)
        except OSError:  # it is gone, or what it needs is
            continue
        changes.append(Change("library", os.path.basename(full), full))
    return changes


def loadable(paths: Iterable[str]) -> List[str]:
    """Return the paths as they are on this machine, without those that are unsafe to load."""
    expanded = [_expanded(path) for path in paths]
    return [path for path in expanded if os.path.isabs(path) and _is_safe(path)]


def _expanded(path: str) -> str:
    """The path on this machine: a `Machine` has no personal names in it."""
    if "~" not in path and "<" not in path:
        return path
    from ..machine.live_host import LiveHost

    return LiveHost().expand(path)


def _is_safe(path: str) -> bool:
    """Whether only its owner and group can have written it, as when the machine was examined."""
    try:
        folders = {os.path.dirname(path), os.path.dirname(os.path.realpath(path))}
        modes = [os.stat(name).st_mode for name in (path, *folders)]
    except OSError:
        return False
    # Windows has lists of rights in place of these bits, which Python fills in for everybody.
    return os.name != "posix" or not any(mode & stat.S_IWOTH and not mode & stat.S_ISVTX for mode in modes)
