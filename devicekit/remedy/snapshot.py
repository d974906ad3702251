"""Keeps every file of an environment, and restores what was changed.

What is kept are hard links, in a folder of the environment itself: they cost neither space nor the network, and outlive
what installers do, which replace files and never write into them. Where the file system has no links, files are copied.
"""

import json
import os
import shutil
import stat
import sys
from contextlib import suppress
from functools import partial
from typing import Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple, Union

from ..errors import RemedyError
from ..records import parse_json
from ..runtime.cache import patiently
from .layout import FILE as STARTUP_FILE
from .layout import Layout

#: What is kept of a path: of a file its size and time, of a link where it leads to, None of a folder.
Kept = Union[Tuple[int, int], str, None]
Manifest = Dict[str, Kept]

#: Called now and then during what takes seconds.
Tick = Optional[Callable[[], None]]

#: Name of a file that is being restored.
_PARTIAL = ".devicekit-restoring"

#: Progress is shown after so many files.
_OFTEN = 500

#: Files that setuptools and others write into instead of replacing them: certificates of a company's proxy are appended.
_EDITED = (".pth", ".egg-link", "cacert.pem")

#: A line for each file: there are ten thousands of them.
_LIMIT_BYTES = 64 << 20


class Restored(NamedTuple):
    """What was changed in place and cannot be restored, left alone, and kept no more: paths relative to the environment."""

    changed: Tuple[str, ...] = ()
    left: Tuple[str, ...] = ()
    lost: Tuple[str, ...] = ()


def walk(prefix: str, roots: Iterable[str], tries: "Optional[_Tries]" = None) -> Iterator[Tuple[str, os.stat_result]]:
    """Yield every path below folders, relative to the environment, a folder before what is in it; links are not followed."""
    folders = list(roots)
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:  # an environment without commands
            continue
        except OSError as error:
            if tries is None:
                raise
            tries.problem = tries.problem or error
            continue
        for entry in found:
            # Not `entry.stat`: on Windows it does not count links.
            status = os.lstat(entry.path)
            if stat.S_ISDIR(status.st_mode):
                folders.append(entry.path)
            yield entry.path[len(prefix) + 1 :], status


def _outside(layout: Layout) -> Set[str]:
    """Return the files in the environment that distributions have outside the folders that installers write to."""
    roots = tuple(root + os.sep for root in layout.roots)
    found: Set[str] = set()
    for metadata in layout.metadata():
        for path in layout.recorded(metadata):
            if path.startswith(layout.prefix + os.sep) and not path.startswith(roots):
                found.add(os.path.relpath(path, layout.prefix))
    return found


def _describe(path: str, status: os.stat_result) -> Kept:
    if stat.S_ISLNK(status.st_mode):
        return os.readlink(path)
    return None if stat.S_ISDIR(status.st_mode) else (status.st_size, status.st_mtime_ns)


def _current(
    layout: Layout, more: Iterable[str], tries: "Optional[_Tries]" = None
) -> Iterator[Tuple[str, os.stat_result]]:
    """Yield what is there of what an installer may change."""
    yield from walk(layout.prefix, layout.roots, tries)
    for relative in sorted(more):
        try:
            yield relative, os.lstat(os.path.join(layout.prefix, relative))
        except OSError:  # a RECORD may name what is not there
            continue


class _Linker:
    """Gives files a second name, or copies them where that is impossible."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._copies = False

    def keep(self, source: str, target: str) -> None:
        if not self._copies and not source.endswith(_EDITED):
            try:
                os.link(source, target)
                return
            except FileExistsError:
                raise
            except OSError as error:
                if isinstance(error, FileNotFoundError) or error.errno == 28:  # ENOSPC
                    raise
                self._begin_copying()
        shutil.copy2(source, target)

    def _begin_copying(self) -> None:
        """Check, once, that there is room for copies."""
        self._copies = True
        needed = sum(
            status.st_size
            for _, status in walk(self._layout.prefix, self._layout.roots)
            if stat.S_ISREG(status.st_mode)
        )
        free = shutil.disk_usage(self._layout.prefix).free
        if free < needed + (64 << 20):
            raise RemedyError(
                "this file system has no hard links, and there is no room to keep a copy of the environment: "
                "%d MiB are needed, %d MiB are free" % (needed >> 20, free >> 20)
            )


def keep(layout: Layout, folder: str, tick: Tick = None) -> Manifest:
    """Keep the files of an environment in a new folder, and return what they are.

    Raises
    ------
    OSError, RemedyError
        If the disk is full, or the folder cannot be made. Nothing of the environment was changed.
    """
    os.makedirs(folder)
    linker, manifest, made = _Linker(layout), {}, set()  # type: _Linker, Manifest, Set[str]
    for relative, status in _current(layout, _outside(layout)):
        source, target = os.path.join(layout.prefix, relative), os.path.join(folder, relative)
        if tick is not None and not len(manifest) % _OFTEN:
            tick()
        kept = _describe(source, status)
        if isinstance(kept, tuple):
            if not stat.S_ISREG(status.st_mode):  # a socket, a device: no installer made it
                continue
            if os.path.dirname(relative) not in made:
                made.add(os.path.dirname(relative))
                os.makedirs(os.path.dirname(target), exist_ok=True)
            linker.keep(source, target)
        manifest[relative] = kept
    return manifest


def restore(
    layout: Layout,
    folder: str,
    manifest: Manifest,
    left: Tuple[str, ...] = (),
    tick: Tick = None,
) -> Restored:
    """Make the files of an environment what they were; does nothing a second time, and goes on after an interruption.

    Parameters
    ----------
    layout : Layout
    folder : str
        Where they were kept.
    manifest : dict
        What `keep` returned.
    left : tuple of str
        What `unowned` returned before an undo; all other files that are new are removed.

    Raises
    ------
    OSError
        If a file cannot be written or removed; all others are.
    """
    tries, mine = _Tries(), set(left)
    outside = {relative for relative in _owned(layout) if relative not in manifest}
    now = dict(_current(layout, outside | {path for path in manifest if not _within(layout, path)}, tries))
    for relative, status in reversed(list(now.items())):
        path = os.path.join(layout.prefix, relative)
        is_folder = stat.S_ISDIR(status.st_mode)
        if relative in manifest and (manifest[relative] is None) == is_folder:
            continue
        if is_folder:
            with suppress(OSError):  # what is left in it is the user's
                os.rmdir(path)
        elif relative not in mine:
            tries.do(partial(patiently, partial(os.unlink, path)))
    changed, lost = _put_back(layout, folder, manifest, tick, tries)
    if tries.problem is not None:
        raise tries.problem
    return Restored(tuple(changed), left, tuple(lost))


def unowned(layout: Layout, manifest: Manifest) -> Tuple[str, ...]:
    """Return the new files that neither distributions, Python, pip nor devicekit have written: they may be the user's."""
    others = {*manifest, *_owned(layout), *stashes(layout, manifest)}
    return tuple(
        relative
        for relative, status in walk(layout.prefix, layout.roots, _Tries())
        if not (stat.S_ISDIR(status.st_mode) or relative in others or _is_made(relative))
    )


def stashes(layout: Layout, manifest: Manifest) -> List[str]:
    """Return the kept files that pip moved to a folder such as ``~umpy`` and could not remove: on Windows, those in use."""
    kept = {(os.path.basename(relative), item) for relative, item in manifest.items()}
    return [
        relative
        for relative, status in walk(layout.prefix, layout.libraries, _Tries())
        if os.sep + "~" in relative
        and relative not in manifest
        and (os.path.basename(relative), (status.st_size, status.st_mtime_ns)) in kept
    ]


class _Tries:
    """Goes on after what fails, of which the first is the ``problem``."""

    problem: Optional[OSError] = None
    _failures = 0

    def do(self, action: Callable[[], object]) -> None:
        try:
            action()
        except OSError as error:
            self.problem = self.problem or error
            self._failures += 1
            if os.name == "nt" and self._failures >= 20:  # each was waited for, see `patiently`
                raise


def remove_tree(path: str, tick: Tick = None) -> None:
    """Remove a folder with all that is in it: ten thousands of files take seconds."""
    for folder, folders, files in os.walk(path, topdown=False):
        if tick is not None:
            tick()
        for name in files:
            os.unlink(os.path.join(folder, name))
        for name in folders:
            inside = os.path.join(folder, name)
            (os.unlink if os.path.islink(inside) else os.rmdir)(inside)
    os.rmdir(path)


def _within(layout: Layout, relative: str) -> bool:
    return os.path.join(layout.prefix, relative).startswith(tuple(root + os.sep for root in layout.roots))


def _owned(layout: Layout) -> Set[str]:
    """Return the paths in the environment that the RECORDs of what is installed name."""
    start = layout.prefix + os.sep
    paths = (path for metadata in layout.metadata() for path in layout.recorded(metadata))
    return {os.path.relpath(path, layout.prefix) for path in paths if path.startswith(start)}


def _is_made(relative: str) -> bool:
    """Whether Python or devicekit made a file, and will again."""
    return relative.endswith((".pyc", _PARTIAL)) or os.path.basename(relative) == STARTUP_FILE


def _put_back(
    layout: Layout, folder: str, manifest: Manifest, tick: Tick, tries: _Tries
) -> Tuple[List[str], List[str]]:
    """Write what is missing or differs; return what is not what it was, as in `Restored`."""
    changed, lost = [], []
    for number, (relative, kept) in enumerate(sorted(manifest.items())):
        if tick is not None and not number % _OFTEN:
            tick()
        path, source = os.path.join(layout.prefix, relative), os.path.join(folder, relative)
        if kept is None:
            tries.do(partial(os.makedirs, path, exist_ok=True))
        elif isinstance(kept, str):
            if not os.path.islink(path) or os.readlink(path) != kept:
                tries.do(partial(_replace, path, kept, os.symlink))
        else:
            try:
                status = os.lstat(source)
            except OSError:
                lost += [] if _has(path, kept) else [relative]
                continue
            if (status.st_size, status.st_mtime_ns) != kept:
                changed.append(relative)
            if not _is_same(path, status):
                tries.do(partial(_replace, path, source, _link_or_copy))
    return changed, lost


def _has(path: str, size_and_time: Tuple[int, int]) -> bool:
    try:
        there = os.lstat(path)
    except OSError:
        return False
    return (there.st_size, there.st_mtime_ns) == size_and_time


def _is_same(path: str, kept: os.stat_result) -> bool:
    try:
        if os.path.samestat(os.lstat(path), kept):
            return True
    except OSError:
        return False
    # A copy has the size and the time of the file.
    return kept.st_nlink == 1 and _has(path, (kept.st_size, kept.st_mtime_ns))


def _replace(path: str, source: str, make: Callable[[str, str], object]) -> None:
    unfinished = os.path.join(os.path.dirname(path), _PARTIAL)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.lexists(unfinished):
        os.unlink(unfinished)
    make(source, unfinished)
    patiently(lambda: os.replace(unfinished, path))


def _link_or_copy(source: str, target: str) -> None:
    if not source.endswith(_EDITED):
        try:
            os.link(source, target)
            return
        except OSError:
            pass
    shutil.copy2(source, target)


def write_manifest(path: str, manifest: Manifest) -> None:
    """Write it, and wait until it is on the disk; raise RemedyError if it is more than `read_manifest` reads."""
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as stream:
        json.dump(manifest, stream, ensure_ascii=False)
        stream.flush()
        os.fsync(stream.fileno())
        if os.fstat(stream.fileno()).st_size > _LIMIT_BYTES:
            raise RemedyError("the environment has too many files to restore them: %d" % len(manifest))


def read_manifest(path: str) -> Manifest:
    """Return what was written.

    Raises
    ------
    RemedyError
        If it cannot be read, or names something outside the environment.
    """
    try:
        with open(path, "rb") as stream:
            content = stream.read(_LIMIT_BYTES + 1)
        if len(content) > _LIMIT_BYTES:
            raise ValueError("it is larger than %d MiB" % (_LIMIT_BYTES >> 20))
        data = parse_json(content.decode("utf-8", "surrogateescape"), own=True)
        manifest: Manifest = {
            sys.intern(name): tuple(map(int, kept)) if isinstance(kept, list) else kept  # type: ignore[misc]
            for name, kept in data.items()
        }
    except (OSError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise RemedyError("%s cannot be read: %s" % (path, error)) from None
    if any(os.path.isabs(name) or os.pardir in name.split(os.sep) for name in manifest):
        raise RemedyError("%s names files outside the environment" % path)
    return manifest
