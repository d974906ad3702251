"""Which file systems keep locks that can be relied on. Pure.

A lock on a network file system may reach over all of its clients, only over this one, or nowhere, by its mount's options
(flock(2), nfs(5), "lustre: flock, localflock, noflock"). And the folder would be that of other machines, whose devices have
the same addresses.
"""

import re
from typing import List, Tuple

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
