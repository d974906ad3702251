"""Find the files that wheels of two distributions both write, of which the one that is installed last remains.

    python tools/find_overlaps.py

Reads the directory of every Linux wheel of NVIDIA's distributions (range requests, some minutes) and writes
devicekit/matrix/data/overlaps.json: of files that the same releases write, one stands for all.
"""

import datetime
import json
import os
import re
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

from packaging.version import Version

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from devicekit.machine.live_host import LiveHost  # noqa: E402
from devicekit.matrix.matrix import BUNDLED  # noqa: E402
from devicekit.matrix.wheel_files import wheel_tags  # noqa: E402
from devicekit.runtime.index.client import Client  # noqa: E402
from devicekit.runtime.index.configuration import read_configuration  # noqa: E402

DATA = os.path.join(ROOT, "devicekit", "matrix", "data")

#: What runs: a header or a license that two distributions bring does no harm to a program.
_CODE = re.compile(r"\.so(\.\d+)*$|\.bc$|/bin/[^/]+$")


def contents(client, link):
    """Return the paths of the code in a wheel."""
    with client.archive(link) as stream, zipfile.ZipFile(stream) as archive:
        return {name for name in archive.namelist() if _CODE.search(name)}


def wheels_of(client, project):
    """Return version -> link of the wheels for Linux on x86-64, oldest first."""
    found = {}
    for link in client.links(project):
        tags = wheel_tags(link.filename)
        if tags and any(re.match(r"manylinux.*_x86_64$", platform) for _, platform in tags[2]):
            found[tags[1]] = link
    return {version: found[version] for version in sorted(found, key=Version)}


def bounds(having, versions):
    """Return the range that has some of the versions and none of the others.

    >>> bounds(["2", "3"], ["1", "2", "3"]), bounds(["1", "2"], ["1", "2", "3"]), bounds(["1"], ["1"])
    ('>=2', '<3', '')
    """
    first, last = versions.index(having[0]), versions.index(having[-1])
    if versions[first : last + 1] != having:
        raise ValueError("these are not in one range: %s" % ", ".join(having))
    parts = [">=%s" % having[0]] if first else []
    parts += ["<%s" % versions[last + 1]] if last + 1 < len(versions) else []
    return ",".join(parts)


def overlaps(files):
    """Return the rows, from project -> version -> paths."""
    writers = {}
    for project, releases in files.items():
        for version, paths in releases.items():
            for path in paths:
                writers.setdefault(path, {}).setdefault(project, []).append(version)
    shared = {path: having for path, having in writers.items() if len(having) > 1}
    # The file that most releases write speaks for those that come with it.
    order = sorted(shared, key=lambda path: (-sum(map(len, shared[path].values())), ".so" not in path, len(path), path))
    rows, covered = [], set()
    for path in order:
        releases = [(name, version) for name, versions in shared[path].items() for version in versions]
        pairs = {frozenset(pair) for pair in combinations(releases, 2) if pair[0][0] != pair[1][0]}
        if not pairs <= covered:
            ranges = {name: bounds(shared[path][name], list(files[name])) for name in sorted(shared[path])}
            rows.append({"file": path, "writers": ranges})
        covered |= pairs
    return sorted(rows, key=lambda row: row["file"])


def main():
    """Read the wheels and write the table."""
    projects = [name for name in BUNDLED.projects() if name.startswith("nvidia-")]
    files = {}
    client = Client(read_configuration(LiveHost()), time.monotonic() + 3600)
    with ThreadPoolExecutor(4) as pool:
        for project in projects:
            links = wheels_of(client, project)
            found = pool.map(lambda link: contents(client, link), links.values())
            files[project] = dict(zip(links, found))
            print("%s: %d wheels" % (project, len(links)), file=sys.stderr)
    table = {
        "schema": 1,
        "date": datetime.date.today().isoformat(),
        "source": "tools/find_overlaps.py: the directories of the Linux x86-64 wheels on the registry",
        "note": "Of files that the same releases write, one stands for all.",
    }
    rows = ",\n".join("  " + json.dumps(row) for row in overlaps(files))
    head = json.dumps(table, indent=1)[:-2]
    with open(os.path.join(DATA, "overlaps.json"), "w", encoding="utf-8", newline="\n") as stream:
        stream.write('%s,\n "rows": [\n%s\n ]\n}\n' % (head, rows))


if __name__ == "__main__":
    main()
