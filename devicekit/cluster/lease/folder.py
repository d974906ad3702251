"""The folder for the locks: one for all users of this machine, made so that no user can take over another's files.

All users must come to the same folder, so that what decides is never who asks: where ``/run/lock`` is a folder in which
everybody may write (Debian, Ubuntu), it is there, else in ``/tmp``; never in ``TMPDIR``, which is a user's own. On Windows it
is in ``%PROGRAMDATA%``. ``DEVICEKIT_LEASE_DIR`` names another one, which may belong to a group alone.
"""

import os
import re
import stat
import sys
import time
from typing import List, Optional, Tuple

from ...children.tool import run_tool
from ...errors import LeaseError
from ...runtime.settings import read_settings

#: Everybody may make files, and remove only their own.
_SHARED = 0o1777

#: How long the one who makes the folder may take from making it to opening it for others.
_PATIENCE_S = 1.0

_ELSEWHERE = "Set DEVICEKIT_LEASE_DIR to a folder on a local disk that all users of the devices can write to."


class LeaseFolder:
    """A folder fit for locks: its path without links, and the permissions of its files, those of the folder itself."""

    def __init__(self, path: str, file_mode: int) -> None:
        self.path = path
        self.file_mode = file_mode
        self._status = os.lstat(path)

    def is_replaced(self) -> bool:
        """Return whether another folder, or a link to one, is in its place."""
        try:
            return not os.path.samestat(os.lstat(self.path), self._status)
        except OSError:
            return True

    def join(self, name: str) -> str:
        """Return the path of a file in it."""
        return os.path.join(self.path, name)

    def names(self) -> List[str]:
        """Return the names of its files, in order; raise LeaseError if it cannot be read any more."""
        try:
            return sorted(os.listdir(self.path))
        except OSError as error:
            raise LeaseError("cannot read the folder for leases %s: %s" % (self.path, error.strerror)) from error


def default_path() -> str:
    """Return the default place of the locks."""
    if os.name == "nt":
        return os.path.join(os.environ.get("PROGRAMDATA") or "C:\\ProgramData", "devicekit", "leases")
    try:
        status = os.lstat("/run/lock")
        if stat.S_ISDIR(status.st_mode) and status.st_mode & _SHARED == _SHARED:
            return "/run/lock/devicekit"
    except OSError:  # not a Linux of this kind
        pass
    return "/tmp/devicekit-leases"  # noqa: S108 - all users must find it; see `_checked_mode` and `locks.open_shared`


def open_folder(path: Optional[str] = None, mounts: Optional[List[Tuple[str, str]]] = None) -> LeaseFolder:
    """Return the folder for locks, created if it does not exist.

    ``path`` replaces the folder that ``DEVICEKIT_LEASE_DIR`` names, and ``mounts`` this machine's file systems. Raises
    LeaseError if it cannot be created or written, is not a folder, or is on a network file system.
    """
    chosen = path or read_settings().lease_dir
    wanted = os.path.abspath(os.path.expanduser(chosen)) if chosen else default_path()
    parent = os.path.realpath(os.path.dirname(wanted))
    # The last part may not be a link: under /tmp anybody could have set one. Above it lies what the system has made.
    full = os.path.join(parent, os.path.basename(wanted))
    if os.name == "nt" and not chosen:
        os.makedirs(parent, exist_ok=True)
    _refuse_remote(full, parent, mounts)
    try:
        os.mkdir(full, 0o777)
        if os.name != "nt":
            os.chmod(full, _SHARED)  # whatever the umask is
    except FileExistsError:
        pass
    except OSError as error:
        raise LeaseError(
            "cannot create the folder for leases %s: %s. %s" % (full, error.strerror, _ELSEWHERE)
        ) from error
    return LeaseFolder(full, _checked_mode(full))


def _checked_mode(path: str) -> int:
    give_up = time.monotonic() + _PATIENCE_S
    while True:
        try:
            status = os.lstat(path)
        except OSError as error:
            raise LeaseError("cannot read the folder for leases %s: %s" % (path, error.strerror)) from error
        if not stat.S_ISDIR(status.st_mode):
            raise LeaseError(
                "%s, the path for leases, is not a folder (links are not followed). %s" % (path, _ELSEWHERE)
            )
        if os.access(path, os.R_OK | os.W_OK | os.X_OK):
            return stat.S_IMODE(status.st_mode) & 0o666 or 0o600
        if time.monotonic() > give_up:
            raise LeaseError("no permission to write to the folder for leases %s. %s" % (path, _ELSEWHERE))
        time.sleep(0.02)  # another process is just making it


def _refuse_remote(path: str, parent: str, mounts: Optional[List[Tuple[str, str]]]) -> None:
    kind = "a network drive" if path.startswith("\\\\") and not path.startswith("\\\\?\\") else ""
    place = path if os.path.isdir(path) else parent
    kind = kind or file_system(place, _mounts() if mounts is None else mounts)
    if kind == "a network drive" or is_remote(kind):
        raise LeaseError(
            "the folder for leases %s is on a file system that machines share (%s): locks there are not reliable, and"
            " devices of several machines would be mixed up. %s" % (path, kind, _ELSEWHERE)
        )


def _mounts() -> List[Tuple[str, str]]:
    """The mounted file systems; none where the system does not tell."""
    try:
        if sys.platform == "darwin":
            answer = run_tool(("/sbin/mount",), 10.0)
            if answer.status is None:
                raise LeaseError(
                    "cannot determine the file system of the folder for leases: mount gave %s" % answer.stderr
                )
            return parse_mount_command(answer.stdout)
        if os.name == "nt":  # there it would be a folder of the current drive
            return []
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as stream:
            return parse_mountinfo(stream.read())
    except (OSError, ValueError):  # no such file: then nothing speaks against the folder
        return []


# Which file systems keep locks that can be relied on. A lock on a network file system may reach over all of its clients, only
# over this one, or nowhere, by its mount's options (flock(2), nfs(5), "lustre: flock, localflock, noflock"). And the folder
# would be that of other machines, whose devices have the same addresses.


_REMOTE = (
    "nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "9p", "virtiofs", "lustre", "gpfs", "beegfs", "ceph", "afs", "coda",
    "ncpfs", "glusterfs", "orangefs", "pvfs2", "panfs", "wekafs", "ocfs2", "gfs2", "afpfs", "webdav", "acfs", "prl_fs",
    "vboxsf", "vmhgfs", "drvfs", "quobyte", "davfs",
)  # fmt: skip

#: What runs in user space and keeps files of this machine; every other one is taken for one of a network.
_LOCAL_FUSE = ("fuseblk", "fuse.fuse-overlayfs", "fuse.ntfs-3g", "fuse.mergerfs", "fuse.gocryptfs", "fuse.encfs")


def parse_mountinfo(text: str) -> List[Tuple[str, str]]:
    r"""Return the places and kinds of the file systems in ``/proc/self/mountinfo``, in its order.

    >>> parse_mountinfo(r"36 35 98:0 / /home\040x rw,noatime master:1 - nfs4 server:/home rw")
    [('/home x', 'nfs4')]
    """
    found = []
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields, kinds = before.split(" "), after.split(" ")
        if len(fields) > 4 and kinds[0]:
            found.append((re.sub(r"\\([0-7]{3})", lambda match: chr(int(match.group(1), 8)), fields[4]), kinds[0]))
    return found


def parse_mount_command(text: str) -> List[Tuple[str, str]]:
    """Return the same of what ``mount`` prints on macOS.

    >>> parse_mount_command("server:/x on /Volumes/x (nfs, nodev, nosuid)")
    [('/Volumes/x', 'nfs')]
    """
    return re.findall(r"^.* on (/.*) \(([\w.]+)[,)]", text, re.M)


def file_system(path: str, mounts: List[Tuple[str, str]]) -> str:
    """Return the kind of the file system on which an absolute path without links lies, "" if unknown."""
    kind, longest = "", -1
    for place, name in mounts:
        inside = path == place or path.startswith(place.rstrip("/") + "/")
        if inside and len(place) >= longest:  # of two at one place the later one covers the earlier
            kind, longest = name, len(place)
    return kind


def is_remote(kind: str) -> bool:
    """Return whether a file system's kind is one that several machines can share."""
    return kind in _REMOTE or (kind.startswith("fuse") and kind not in _LOCAL_FUSE)
