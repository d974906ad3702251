"""Derive the bundled compatibility data from the wheels on the package registry.

    python tools/refresh_matrix.py                 # read what is new, rewrite devicekit/matrix/data/projects.txt
    python tools/refresh_matrix.py --check         # only say where the bundled data is behind; exit status 1 if it is
    python tools/refresh_matrix.py --verify 12     # read some known releases again and compare every cell
    python tools/refresh_matrix.py tensorflow keras   # only these projects

A release whose files are known is not read again. What was read is kept in a folder until the end, so that an
interrupted run goes on where it stopped. The file is written in one order, so that a diff shows what a release changed.
"""

import argparse
import datetime
import json
import os
import random
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from platformdirs import user_cache_dir

DATA = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "devicekit", "matrix", "data", "projects.txt"
)
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from devicekit.machine.live_host import LiveHost  # noqa: E402
from devicekit.matrix.derive import (  # noqa: E402
    chosen_files,
    is_yanked,
    make_row,
    newest_of_minors,
    pairs_of,
    project_rules,
    releases_of,
    ungrouped,
    with_same,
)
from devicekit.matrix.projects import Project  # noqa: E402
from devicekit.runtime.index.client import Client  # noqa: E402
from devicekit.runtime.index.configuration import read_configuration  # noqa: E402

#: A whole refresh takes minutes.
LIMIT_S = 4 * 3600.0


def same_wheels(links, rule):
    """Return release -> its fields ``same`` and ``same_yanked``: patch releases with the same wheels, which are not read."""
    if rule["keep"] != "newest":
        return {}
    files = releases_of(links, dict(rule, keep="final"))
    versions = {text: Version(text) for text in files}
    newest = newest_of_minors(files, versions)
    found = {}
    for text, version in versions.items():
        like = newest.get(version.release[:2], text)
        if text != like and text not in rule.get("pinned", ()) and pairs_of(files[text]) == pairs_of(files[like]):
            field = "same_yanked" if is_yanked(files[text]) else "same"
            found.setdefault(like, {}).setdefault(field, []).append(text)
    return {like: {field: " ".join(texts) for field, texts in fields.items()} for like, fields in found.items()}


def is_known(row, files):
    """Return whether a row of the data was made from exactly these files."""
    if row is None:
        return False
    listed = pairs_of(files)
    held = {pair for build in row["builds"] for pair in ungrouped(build["wheels"])}
    return listed == held and bool(row.get("yanked")) == is_yanked(files)


def read_release(registry, files, rule, cache):
    """Return file name -> reading, from the cache where it was read before."""
    readings = {}
    for link in chosen_files(files, rule):
        path = os.path.join(cache, link.filename + ".json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as stream:
                readings[link.filename] = json.load(stream)
            continue
        reading = registry.read(link, rule)
        if "metadata_only" in reading:
            raise RuntimeError(reading["metadata_only"])
        partial = path + ".part"
        with open(partial, "w", encoding="utf-8", newline="\n") as stream:
            json.dump(reading, stream)
        os.replace(partial, path)
        readings[link.filename] = reading
    return readings


def load(name):
    """Return the bundled data of a project, empty where there is none."""
    section = sections().get(name)
    return Project(dict(json.loads(section), project=name)).data if section else {"rows": [], "requires": {}}


def sections():
    """Return name -> text of its section; under "" the first line."""
    with open(DATA, encoding="utf-8") as stream:
        head, *texts = stream.read().split("\n= ")
    return dict((text.split("\n", 1) for text in texts), **{"": head})


def _compact(value):
    return json.dumps(value, separators=(",", ":"))


def save(name, rows, sets, date):
    """Write the section of a project: a release is a line, so that a diff shows the releases that changed.

    Lists of requirements are numbered in the order in which the releases use them, and a wheel's name is written without
    what all of a release begin with.
    """
    numbers = {}
    lines = []
    for row in rows:
        start = "%s-%s-" % (name.replace("-", "_"), row["version"])
        builds = []
        for build in row["builds"]:
            number = numbers.setdefault(build["requires"], len(numbers))
            source = build["source"]
            if source.startswith(start) and source.endswith(".whl"):
                source = source[len(start) - 1 : -len(".whl")]
            builds.append(dict(build, requires=number, source=source))
        lines.append(_compact(dict(row, builds=builds)))
    requires = ",\n".join(_compact(sets[key]) for key in numbers)
    section = '{"date":%s,"requires":[\n%s\n],"rows":[\n%s\n]}' % (json.dumps(date), requires, ",\n".join(lines))
    _write(dict(sections(), **{name: section}))


def _write(texts):
    head = texts.pop("")
    parts = [head, *("\n= %s\n%s" % (name, texts[name].strip("\n")) for name in sorted(texts))]
    with open(DATA + ".part", "w", encoding="utf-8", newline="\n") as stream:
        stream.write("\n".join(part.rstrip("\n") for part in parts) + "\n")
    os.replace(DATA + ".part", DATA)


def save_date(date):
    """Write the day on which all projects were read."""
    _write(dict(sections(), **{"": "date %s\n" % date}))


def exact_pins(rules):
    """Return project -> versions that a bundled requirement names with ``==`` or ``<=``: those rows must be there."""
    pins = {}
    for name in rules:
        for requires in load(name)["requires"].values():
            for text in requires:
                requirement = Requirement(text)
                for item in requirement.specifier:
                    if item.operator in ("==", "<=") and not item.version.endswith("*"):
                        pins.setdefault(canonicalize_name(requirement.name), set()).add(str(Version(item.version)))
    return pins


def refresh(names, rules, registry, cache, options):
    """Refresh projects; return sentences that say what is new."""
    from tqdm import tqdm

    news = []
    pins = exact_pins(rules)
    for name in names:
        rule = dict(rules[name], pinned=pins.get(name, ()))
        bundled = load(name)
        known = {row["version"]: row for row in bundled["rows"]}
        links = registry.links(name)
        releases = releases_of(links, rule)
        new = [v for v, files in releases.items() if options.rebuild or not is_known(known.get(v), files)]
        gone = [version for version in known if version not in releases]
        same = same_wheels(links, rule)
        changed = [v for v in releases if v in known and with_same(known[v], same.get(v, {})) != known[v]]
        if not links and known:
            raise RuntimeError("the registry lists no wheel of %s any more: nothing was changed" % name)
        news += ["%s %s" % (name, version) for version in new] + ["%s %s is gone" % (name, item) for item in gone]
        news += ["%s %s: other patch releases" % (name, item) for item in changed if item not in new]
        if options.check or not (new or gone or changed):
            continue
        with ThreadPoolExecutor(options.workers) as pool:
            tasks = [pool.submit(read_release, registry, releases[version], rule, cache) for version in new]
            bar = tqdm(zip(new, tasks), total=len(new), desc=name, unit="release", disable=None)
            readings = {version: task.result() for version, task in bar}
        sets = {} if options.rebuild else dict(bundled["requires"])
        rows = [
            make_row(version, files, readings[version], rule, sets) if version in readings else known[version]
            for version, files in releases.items()
        ]
        rows = [with_same(row, same.get(row["version"], {})) for row in rows]
        save(name, rows, sets, datetime.date.today().isoformat())
    return news


def verify(count, seed, rules, registry, workers):
    """Read releases again and compare them with the bundled rows; return (how many, sentences about differences)."""
    from tqdm import tqdm

    bundled = {name: load(name) for name in rules}
    every = [(name, row) for name in rules for row in bundled[name]["rows"]]
    chosen = every if count == "all" else random.Random(seed).sample(every, min(int(count), len(every)))
    listed, differences = {}, []
    with tempfile.TemporaryDirectory() as cache, ThreadPoolExecutor(workers) as pool:
        tasks = []
        for name, row in chosen:
            if name not in listed:
                pinned = [item["version"] for item in bundled[name]["rows"]]
                listed[name] = releases_of(registry.links(name), dict(rules[name], pinned=pinned))
            files = listed[name].get(row["version"])
            if files is None:
                differences.append("%s %s is not on the registry any more" % (name, row["version"]))
                continue
            tasks.append((name, row, files, pool.submit(read_release, registry, files, rules[name], cache)))
        for name, row, files, task in tqdm(tasks, unit="release", disable=None):
            sets = {}
            fresh = make_row(row["version"], files, task.result(), rules[name], sets)
            if plain(fresh, sets) != plain(row, bundled[name]["requires"]):
                differences.append("%s %s: bundled %s, the registry says %s" % (name, row["version"], row, fresh))
    return len(chosen), differences


def plain(row, sets):
    """Return a row with its lists of requirements written out, so that two can be compared cell by cell."""
    return dict(with_same(row, {}), builds=[dict(build, requires=sets[build["requires"]]) for build in row["builds"]])


def main():
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="*", help="only these (default: all)")
    parser.add_argument("--check", action="store_true", help="change nothing, say what is new")
    parser.add_argument("--verify", metavar="N", help="read N bundled releases again ('all'), and compare every cell")
    parser.add_argument(
        "--seed", type=int, default=datetime.date.today().toordinal(), help="which N (default: by the day)"
    )
    parser.add_argument("--rebuild", action="store_true", help="rebuild all rows, not only those of new releases")
    parser.add_argument("--workers", type=int, default=4, help="how many wheels are read at the same time")
    options = parser.parse_args()
    rules = project_rules()
    unknown = sorted(set(options.projects) - set(rules))
    if unknown:
        parser.error("not in project_rules.json: %s" % ", ".join(unknown))
    cache = os.path.join(user_cache_dir("devicekit-refresh", False), "readings-1")
    os.makedirs(cache, exist_ok=True)
    registry = Client(read_configuration(LiveHost()), time.monotonic() + LIMIT_S)
    if options.verify:
        count, differences = verify(options.verify, options.seed, rules, registry, options.workers)
        for line in differences:
            print(line)
        print("%d releases read again, %d differ" % (count, len(differences)))
        return 1 if differences else 0
    news = refresh(options.projects or list(rules), rules, registry, cache, options)
    if not (options.check or options.projects):
        save_date(datetime.date.today().isoformat())
    for line in news:
        print(("behind: " if options.check else "refreshed: ") + line)
    print("%d releases" % len(news))
    return 1 if options.check and news else 0


if __name__ == "__main__":
    sys.exit(main())
