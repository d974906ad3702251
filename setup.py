"""What setup.cfg cannot say: the data are packed into a wheel without what only those who edit them read."""

import json
import os
import zlib

from setuptools import setup
from setuptools.command.build_py import build_py

# zipfile packs the wheel with it: 8 KB less to download. setuptools has no option for that.
zlib.Z_DEFAULT_COMPRESSION = 9


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
