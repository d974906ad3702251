"""Two users on one device: ``users.py FOLDER UID`` as root; prints one JSON object."""

import json
import os
import stat
import sys

from devicekit.cluster.lease.folder import open_folder
from devicekit.cluster.lease.queue import Queue, own_record
from devicekit.errors import LeaseError


def attempt(path):
    return Queue(open_folder(path)).attempt(["gpu-0"], 1, {"gpu-0": own_record("x")})


def as_user(uid, work):
    """Run something as another user, with a umask that would keep everybody else out; return whether it was true."""
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
        os.umask(0o077)
        os._exit(0 if work() else 1)
    return os.waitpid(child, 0)[1] == 0


def main(path, uid):
    found = {}
    os.umask(0o077)
    # The folder is root's or his: here root makes it, and he the files.
    open_folder(path)
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(int(uid))
        os.setuid(int(uid))
        os.umask(0o077)
        taken = attempt(path)
        os.write(ready[1], b"1" if taken else b"0")
        os.read(go[0], 1)
        os._exit(0)
    held = os.read(ready[0], 1) == b"1"
    found["mode"] = "%o" % stat.S_IMODE(os.stat(path).st_mode)
    found["files"] = sorted(
        {"%o" % stat.S_IMODE(os.stat(os.path.join(path, name)).st_mode) for name in os.listdir(path)}
    )
    found["made by another user and held"] = held and attempt(path) is None
    os.write(go[1], b"1")
    os.waitpid(child, 0)
    queue = Queue(open_folder(path))
    found["free after him"] = queue.holdings() == []
    taken = queue.attempt(["gpu-0"], 1, {"gpu-0": own_record("x")})
    found["taken by root"] = taken is not None and as_user(int(uid), lambda: attempt(path) is None)
    queue.give_back(taken)
    found["then by him"] = as_user(int(uid), lambda: attempt(path) is not None)
    os.chmod(path, 0o755)  # as if a user had made it for himself
    found["closed to him"] = as_user(int(uid), lambda: refused(path))
    print(json.dumps(found))


def refused(path):
    try:
        open_folder(path)
    except LeaseError as error:
        return "no permission to write" in str(error)
    return False


main(*sys.argv[1:])
