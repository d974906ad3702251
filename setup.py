"""What setup.cfg cannot say: the data are packed into a wheel without what only those who edit them read."""

import functools
import json
import os
import zipfile
import zlib

from setuptools import setup
from setuptools.command.build_py import build_py

try:
    from zopfli.zlib import compress
except ImportError:  # there is no wheel of it for this machine: the same files, in a wheel that is 3 % bigger
    compress = functools.partial(zlib.compress, level=9)


class Deflated:
    """What zipfile asks to compress a file of the wheel: as small as its format allows."""

    def __init__(self):
        self._parts = []

    def compress(self, data):
        """Keep a part of the file."""
        self._parts.append(data)
        return b""

    def flush(self):
        """Return the whole file without zlib's header and checksum, which a zip file does not have."""
        return compress(b"".join(self._parts))[2:-4]


def _compressor(kind, *level):
    return Deflated() if kind == zipfile.ZIP_DEFLATED else _other_compressor(kind, *level)


# Neither setuptools nor zipfile has an option for it.
_other_compressor, zipfile._get_compressor = zipfile._get_compressor, _compressor


class BuildPy(build_py):
    """Copies JSON without spaces, line ends, and what only says where a table or a signature comes from."""

    def build_package_data(self):
        """Copy the data, and pack those that were copied; an editable install uses the checkout's own."""
        super().build_package_data()
        if getattr(self, "editable_mode", False):
            return
        for _, _, folder, names in self.data_files:
            for name in names:
                if name.endswith(".json"):
                    _pack(os.path.join(folder, name))


def _pack(path):
    with open(path, encoding="utf-8") as stream:
        data = json.load(stream)
    for part in [data, *data.get("signatures", ())]:
        part.pop("source", None)
    data.pop("note", None)
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        json.dump(data, stream, ensure_ascii=False, separators=(",", ":"))


setup(cmdclass={"build_py": BuildPy})
