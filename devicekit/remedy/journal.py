"""What a fix has begun, in a folder of the environment: enough to undo it, or to finish what a killed process left.

``PREFIX/.devicekit/`` has a lock, which the fix at work holds, another one, which the installer that it started inherits,
and one folder for each fix: the journal, replaced as a whole at each step and on the disk before the step begins; the
manifest; the kept files.
"""

import json
import os
import re
import shutil
import time
from contextlib import suppress
from typing import ClassVar, Iterator, List, Optional, Tuple

from ..children.locks import try_lock
from ..children.process_tree import TRIAL_MARK, marked_processes
from ..errors import RemedyError
from ..records import Record, parse_json
from ..runtime.cache import patiently
from .layout import Installed, Layout, own_folder
from .snapshot import Restored, Tick, keep, read_manifest, remove_tree, restore, stashes, unowned, write_manifest

_LIMIT_BYTES = 16 << 20

#: The ending of a file that is in the way.
ASIDE = ".aside"

#: How long an installer may take to end that a killed fix has left.
_PATIENCE_S = 30.0


class Journal(Record):
    """How far a fix has come.

    Attributes
    ----------
    state : {"recording", "applying", "restoring", "applied"}
        ``recording``: nothing is changed yet; ``applying``, ``restoring``: interrupted there, everything has to be restored;
        ``applied``: done, and can be undone.
    token : str
        The mark of the processes that it starts.
    started : str
        When, in UTC.
    layout : Layout
        The environment.
    distributions : tuple of Installed
        What was installed before.
    after : tuple of Installed
        What is installed afterwards.
    aside : tuple of str
        Files that may be renamed (`ASIDE` is added to their names).
    left : tuple of str
        While it is undone: what `unowned` returned.
    """

    schema: ClassVar[Optional[int]] = 1

    state: str
    token: str
    started: str
    layout: Layout
    distributions: Tuple[Installed, ...] = ()
    after: Tuple[Installed, ...] = ()
    aside: Tuple[str, ...] = ()
    left: Tuple[str, ...] = ()


class FixFolder:
    """What is kept for one fix.

    Parameters
    ----------
    path : str
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._journal = os.path.join(path, "journal.json")
        self._manifest = os.path.join(path, "manifest.json")
        self._files = os.path.join(path, "files")

    def read(self) -> Optional[Journal]:
        """Return the journal, None if there is none: nothing was begun, or all that was is undone.

        Raises
        ------
        RemedyError
            If there is one that cannot be read.
        """
        try:
            with patiently(lambda: open(self._journal, "rb")) as stream:
                journal = Journal.from_dict(parse_json(stream.read(_LIMIT_BYTES)))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise RemedyError("%s cannot be read: %s. %s" % (self._journal, error, self._give_up())) from None
        return _where_it_is(journal, os.path.dirname(os.path.dirname(self.path)))

    def _give_up(self) -> str:
        return "To leave the environment as it is now, remove the folder %s." % self.path

    def write(self, journal: Journal) -> None:
        """Replace the journal, and wait until it is on the disk."""
        partial = self._journal + ".partial"
        with open(partial, "w", encoding="utf-8") as stream:
            json.dump(journal.to_dict(), stream)
            stream.flush()
            os.fsync(stream.fileno())
        patiently(lambda: os.replace(partial, self._journal))  # `devicekit doctor` may be reading it
        _sync_folder(self.path)

    def record(self, journal: Journal, tick: Tick = None) -> Journal:
        """Keep everything that a fix may change; return the journal of a fix that may begin.

        Raises
        ------
        OSError, RemedyError
            If that is impossible; nothing of it stays.
        """
        os.makedirs(self.path)
        try:
            self.write(journal)
            write_manifest(self._manifest, keep(journal.layout, self._files, tick))
            journal = journal.replace(state="applying")
            self.write(journal)
        except BaseException:
            self.discard()
            raise
        return journal

    def write_constraints(self, texts: Tuple[str, ...]) -> str:
        """Write a file of versions that an installer must not change; return its path, "" if there are none."""
        if not texts:
            return ""
        path = os.path.join(self.path, "constraints.txt")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write("\n".join(texts) + "\n")
        return path

    def put_back(self, journal: Journal, tick: Tick = None) -> Restored:
        """Restore what was kept, which stays. A journal that says ``applied`` says ``restoring`` first.

        Of one that says ``applying`` nothing is written: that would fail on a disk that is full, and it says enough.

        Raises
        ------
        RemedyError
            If that is impossible: it can be tried again.
        """
        try:
            manifest = read_manifest(self._manifest)
            if journal.state == "applied":
                journal = journal.replace(state="restoring", left=unowned(journal.layout, manifest))
                self.write(journal)
            for path in journal.aside:
                if os.path.isdir(path + ASIDE) and os.path.realpath(os.path.dirname(path)) in journal.layout.libraries:
                    shutil.rmtree(path, ignore_errors=True)  # what was installed in its place
                if os.path.lexists(path + ASIDE) and not os.path.lexists(path):
                    os.rename(path + ASIDE, path)
            restored = restore(journal.layout, self._files, manifest, journal.left, tick)
        except OSError as error:
            text = "%s could not be restored yet: %s; devicekit fix --undo tries again"
            raise RemedyError(text % (journal.layout.prefix, error)) from error
        if restored.lost:
            text = "files that are kept no more cannot be restored: %s (%d in all). Everything else is restored. %s"
            raise RemedyError(text % (", ".join(restored.lost[:5]), len(restored.lost), self._give_up()))
        return restored

    def remove_stashes(self, journal: Journal) -> None:
        """Remove what pip could not remove in this fix; what is still in use stays."""
        with suppress(RemedyError):
            for relative in stashes(journal.layout, read_manifest(self._manifest)):
                path = os.path.join(journal.layout.prefix, relative)
                with suppress(OSError):
                    os.unlink(path)
                    os.removedirs(os.path.dirname(path))

    def discard(self, tick: Tick = None) -> None:
        """Remove it all, the journal first."""
        try:
            patiently(lambda: os.unlink(self._journal))
            _sync_folder(self.path)
        except FileNotFoundError:
            pass
        remove_tree(self.path, tick)


def _where_it_is(journal: Journal, prefix: str) -> Journal:
    """Return the journal of an environment that may have been moved or copied: a copy is undone, not its original."""

    def moved(path: str) -> str:
        return prefix + path[len(old) :] if (path + os.sep).startswith(old + os.sep) else path

    layout, old = journal.layout, journal.layout.prefix
    layout = layout.replace(
        prefix=prefix,
        executable=moved(layout.executable),
        libraries=tuple(map(moved, layout.libraries)),
        scripts=moved(layout.scripts),
    )
    return journal.replace(layout=layout, aside=tuple(map(moved, journal.aside)))


def _sync_folder(path: str) -> None:
    if os.name == "posix":
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _folders(own: str) -> List[FixFolder]:
    """Return what is kept, the oldest first. A link is none of ours: what it leads to would be removed one day."""
    try:
        names = os.listdir(own)
    except (FileNotFoundError, NotADirectoryError):  # nothing was ever fixed here
        return []
    except OSError as error:
        raise RemedyError("%s cannot be read: %s" % (own, error.strerror or error)) from error
    names = [name for name in names if re.match(r"fix-[1-9][0-9]{0,8}\Z", name)]
    paths = [os.path.join(own, name) for name in sorted(names, key=lambda name: int(name[4:]))]
    return [FixFolder(path) for path in paths if os.path.isdir(path) and not os.path.islink(path)]


def last_journal(own: str) -> Optional[Journal]:
    """Return the journal of an environment's last fix, None if there is nothing to undo. Nothing is changed."""
    journals = [folder.read() for folder in _folders(own)]
    return next((journal for journal in reversed(journals) if journal is not None), None)


def is_interrupted(journal: Optional[Journal]) -> bool:
    """Return whether a fix was interrupted: the environment is neither as before nor as it was to be."""
    return journal is not None and journal.state in ("applying", "restoring")


def left_by_a_fix(prefix: str) -> str:
    """Return what an interrupted fix has left in an environment, in a sentence, "" if there is nothing of it."""
    own = own_folder(os.path.realpath(prefix))
    try:
        if not is_interrupted(last_journal(own)):
            return ""
        handle = _open(os.path.join(own, "lock"))
    except RemedyError as error:
        return str(error)
    except OSError:  # of another user: whether a fix is at work is not known
        return ""
    try:
        return "a fix of this environment was interrupted, and is half done" if try_lock(handle) else ""
    finally:
        os.close(handle)


class Logbook:
    """The journals of one environment, while this process alone may change it. A context manager.

    Raises
    ------
    RemedyError
        On entering: if another fix is at work there, or the environment cannot be written.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._own = layout.own
        self._lock = -1
        #: The lock that an installer inherits; -1 outside the context.
        self.installer_lock = -1
        self._has_installer_lock = False

    def __enter__(self) -> "Logbook":
        try:
            self._lock = self._take()
            self.installer_lock = _open(os.path.join(self._own, "installer.lock"))
        except OSError as error:
            self.close()
            raise RemedyError("%s cannot be changed: %s" % (self.layout.prefix, error.strerror or error)) from error
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self) -> int:
        path = os.path.join(self._own, "lock")
        while True:
            os.makedirs(self._own, mode=0o700, exist_ok=True)
            handle = _open(path)
            try:
                if not try_lock(handle):
                    raise RemedyError("another devicekit fix is at work on %s" % self.layout.prefix)
                if os.path.exists(path) and os.path.samestat(os.fstat(handle), os.stat(path)):
                    taken, handle = handle, -1
                    return taken
            finally:
                if handle >= 0:
                    os.close(handle)
            # The fix that had the lock has just ended and left nothing: the file is another one now.

    def close(self) -> None:
        """Let others work on the environment; where there is nothing to undo, no trace is left."""
        if self.installer_lock >= 0:
            os.close(self.installer_lock)
        if self._lock >= 0:
            try:
                empty = not _folders(self._own)
                if empty:
                    shutil.rmtree(self._own, ignore_errors=True)
            finally:
                os.close(self._lock)
            if empty and os.name == "nt":
                # A file that is open cannot be removed there: now this one can, unless another fix has it by now.
                with suppress(OSError):
                    os.unlink(os.path.join(self._own, "lock"))
                    os.rmdir(self._own)
        self._lock = self.installer_lock = -1
        self._has_installer_lock = False

    def begin(
        self, distributions: Tuple[Installed, ...], aside: Tuple[str, ...] = (), tick: Tick = None
    ) -> Tuple[FixFolder, Journal]:
        """Keep what is there; return where, and the journal. ``aside``: files that may be renamed.

        Raises
        ------
        OSError, RemedyError
            If that is impossible; nothing was changed.
        """
        taken = next((path for path in aside if os.path.lexists(path + ASIDE)), None)
        if taken is not None:
            raise RemedyError("%s would be renamed, and %s%s exists: remove one of them" % (taken, taken, ASIDE))
        for earlier, journal in self.entries():  # what a fix has left that was killed before it changed anything goes
            earlier.remove_stashes(journal)
        last = _folders(self._own)
        number = int(last[-1].path.rpartition("-")[2]) + 1 if last else 1
        folder = FixFolder(os.path.join(self._own, "fix-%d" % number))
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        journal = Journal("recording", os.urandom(8).hex(), started, self.layout, distributions, aside=aside)
        self._end_installer(journal.token)
        return folder, folder.record(journal, tick)

    def finish(self, folder: FixFolder, journal: Journal, after: Tuple[Installed, ...]) -> None:
        """Say that a fix is done, and forget the ones before."""
        folder.write(journal.replace(state="applied", after=after))
        for other in _folders(self._own):
            if other.path != folder.path:
                other.discard()

    def entries(self) -> "Iterator[Tuple[FixFolder, Journal]]":
        """Yield the fixes that were begun, the last one first; what is left of one that is undone is removed."""
        for folder in reversed(_folders(self._own)):
            journal = folder.read()
            if journal is None or journal.state == "recording":
                folder.discard()
            else:
                yield folder, journal

    def recover(self, tick: Tick = None, done: bool = False) -> Optional[Tuple[Journal, Restored]]:
        """Undo the last fix if it was interrupted, with ``done`` also one that is done; None if there is none.

        Raises
        ------
        OSError, RemedyError
            If that is impossible: it can be tried again.
        """
        for folder, journal in self.entries():
            if done or is_interrupted(journal):
                self._end_installer(journal.token)
                restored = folder.put_back(journal, tick=tick)
                folder.discard(tick)
                return journal, restored
            break
        return None

    def _end_installer(self, token: str) -> None:
        """Take the lock that an installer inherits; the installer of a fix that was killed still holds it, and is ended."""
        import signal

        if self._has_installer_lock:
            return
        deadline = time.monotonic() + _PATIENCE_S
        while not try_lock(self.installer_lock):
            for pid in marked_processes("%s=%s" % (TRIAL_MARK, token)):
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:  # it has ended
                    pass
            if time.monotonic() > deadline:
                raise RemedyError(
                    "the installer that an interrupted fix has started is still at work; wait for its end"
                )
            time.sleep(0.05)
        self._has_installer_lock = True


def _open(path: str) -> int:
    flags = os.O_RDWR | os.O_CREAT
    for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT"):
        flags |= getattr(os, name, 0)
    return os.open(path, flags, 0o600)
