"""Files for the user: a new one appears whole, an old one stays as it is until the new content is on the disk."""

import os
from pathlib import Path
from uuid import uuid4


def replace_file(path: str, content: bytes) -> None:
    """Write a file whole or not at all.

    Links are followed, and what is not a file (``/dev/stdout``) is written to.

    Raises
    ------
    OSError
        If it cannot be written; nothing new is left, and an existing file is as it was.
    ValueError
        If a file cannot have such a name.
    """
    target = Path(path)
    if not path.strip() or target.is_dir():
        raise IsADirectoryError(0, "this is a folder; name a file in it" if path.strip() else "it has no name")
    target = target.resolve()
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    # In the same folder, because a file cannot be moved from one disk to another in one step.
    part = target.parent / (".%s.%s.part" % (target.name[:40], uuid4().hex[:12]))
    try:
        with part.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())  # some file systems say only now that they are full
        if target.exists():
            part.chmod(target.stat().st_mode & 0o777)
        part.replace(target)
    except BaseException:
        if part.exists():
            part.unlink()
        raise
