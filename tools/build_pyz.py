"""Build ``devicekit.pyz``: devicekit and what it needs in one file, for every Python from 3.7 to 3.13.

    python tools/build_pyz.py dist/devicekit-0.1.0-py3-none-any.whl devicekit.pyz

The same wheel gives the same bytes. The other wheels come from the package index, in the releases and with the hashes of
tools/pyz-requirements.txt; ``--wheels FOLDER`` has them already.
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile
import zipfile

REQUIREMENTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pyz-requirements.txt")

#: Also for Pythons that cannot run devicekit: they have to understand it, to say so.
MAIN = b"""\
import os
import sys

if sys.version_info < (3, 7):
    sys.exit("devicekit.pyz: Python 3.7 or later expected, got %d.%d" % sys.version_info[:2])
# The file may be called by a relative path, and the processes that it starts may have another working folder.
sys.path[0] = os.path.abspath(sys.path[0])
from devicekit.cli.main import main

sys.exit(main())
"""

#: The earliest that a zip file can say.
MOMENT = (1980, 1, 1, 0, 0, 0)


def download(folder):
    """Download the wheels of the dependencies into a folder."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary", ":all:", "--require-hashes", "--requirement", REQUIREMENTS, "--dest", folder]
    subprocess.run(command, check=True)


def content(wheel):
    """Return what a wheel adds, by name: its modules and data, and its license; no metadata, no examples."""
    found = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith("/"):
                continue
            if ".dist-info/" not in name:
                if name != "example.py":
                    found[name] = archive.read(name)
            elif re.search(r"licen[cs]e|copying|notice", name.rpartition("/")[2], re.IGNORECASE):
                project = name.partition("-")[0]
                found["licenses/%s/%s" % (project, name.rpartition("/")[2])] = archive.read(name)
    return found


def build(wheels, path):
    """Write the archive."""
    files = {"__main__.py": MAIN}
    for wheel in sorted(wheels, key=os.path.basename):
        added = content(wheel)
        twice = sorted(set(files) & set(added))
        if twice:
            sys.exit("%s: %s is in another wheel too" % (wheel, twice[0]))
        files.update(added)
    with open(path, "wb") as stream:
        stream.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(files):
                item = zipfile.ZipInfo(name, MOMENT)
                item.compress_type = zipfile.ZIP_DEFLATED
                item.create_system = 3
                item.external_attr = 0o644 << 16
                archive.writestr(item, files[name], compresslevel=9)
    os.chmod(path, 0o755)


def main():
    """Build the archive from a wheel of devicekit."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("wheel", help="the wheel of devicekit")
    parser.add_argument("output", help="the file to write")
    parser.add_argument("--wheels", metavar="FOLDER", help="the wheels of the dependencies (default: download them)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if not options.wheels:
            download(folder)
        wheels = glob.glob(os.path.join(options.wheels or folder, "*.whl"))
        with open(REQUIREMENTS, encoding="utf-8") as stream:
            pinned = {line.partition("==")[0].replace("-", "_") for line in stream if "==" in line}
        if sorted(os.path.basename(path).partition("-")[0] for path in wheels) != sorted(pinned):
            sys.exit("one wheel of each of %s expected, got %s" % (sorted(pinned), sorted(wheels)))
        build([options.wheel, *wheels], options.output)
    print("%s: %d bytes" % (options.output, os.path.getsize(options.output)))


if __name__ == "__main__":
    main()
