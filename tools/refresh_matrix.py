"""Derive the bundled compatibility data from the wheels on the package registry.

    python tools/refresh_matrix.py                 # read what is new, rewrite devicekit/matrix/data/projects/
    python tools/refresh_matrix.py --check         # only say where the bundled data is behind; exit status 1 if it is
    python tools/refresh_matrix.py --verify 12     # read some known releases again and compare every cell
    python tools/refresh_matrix.py tensorflow keras   # only these projects

A release whose files are known is not read again. What was read is kept in a folder until the end, so that an
interrupted run goes on where it stopped. The files are written in one order, so that a diff shows what a release changed.
"""

import argparse
import datetime
import hashlib
import json
import os
import random
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_sdist_filename
from packaging.version import InvalidVersion, Version
from platformdirs import user_cache_dir
from wheels import open_registry, wheel_tags

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(os.path.dirname(HERE), "devicekit", "matrix", "data", "projects")
PROJECTS = os.path.join(HERE, "matrix_projects.json")

#: Platforms for which no framework of ours has wheels.
_OTHER_PLATFORM = re.compile(
    r"musllinux|win32|i686|i386|s390x|ppc64|armv|riscv|loongarch|fat|universal$|android|ios|emscripten|wasm|pyodide"
)

#: Fields of TensorFlow's build_info.py -> fields of a build here.
_FIELDS = {"cuda_version": "cuda", "cudnn_version": "cudnn", "cuda_compute_capabilities": "capabilities"}

#: What a wheel states of its CUDA, and what its library opens (seen in the names that it asks the loader for).
_LIES = {("1.15", "10"): "10.0", ("2.0", "10"): "10.0", ("2.2", "10"): "10.1"}


def project_rules():
    """Return how each project is read: name -> its group of `matrix_projects.json`."""
    with open(PROJECTS, encoding="utf-8") as stream:
        groups = json.load(stream)["groups"]
    return {name: group for group in groups for name in group["projects"]}


def releases_of(links, rule):
    """Return version -> list of (link, tags), of the releases that a rule keeps."""
    found, sources = {}, {}
    for link in links:
        tags = wheel_tags(link.filename)
        if tags is None and rule.get("sources") and link.filename.endswith(".tar.gz"):
            # Pure Python, published as source only: an installer makes the wheel.
            sources[parse_sdist_filename(link.filename)[1]] = link
        if tags is None:
            continue
        pairs = [(python, _intel(platform)) for python, platform in tags[2] if not _OTHER_PLATFORM.search(platform)]
        if pairs:
            found.setdefault(tags[1], []).append((link, tuple(sorted(set(pairs)))))
    for version, link in sources.items():
        found.setdefault(str(version), [(link, (("py3", "any"),))])
    known = {}
    for text in found:
        try:
            version = Version(text)
        except InvalidVersion:
            continue
        if version >= Version(rule["since"]):
            known[text] = version
    if rule["keep"] in ("final", "newest"):
        known = {text: version for text, version in known.items() if not version.is_prerelease}
    if rule["keep"] in ("newest", "nightly"):
        newest = {}
        for text, version in known.items():
            yanked = all(link.is_yanked for link, _ in found[text])
            key = version.release[:2]
            best = newest.get(key)
            if not yanked and (best is None or version > known[best]):
                newest[key] = text
        keep = set(newest.values()) | set(rule.get("pinned", ()))
        known = {text: version for text, version in known.items() if text in keep}
    return {text: found[text] for text in sorted(known, key=known.get)}


def _intel(platform):
    """Return a macOS platform by the architecture that counts: "intel" was 32 and 64 bit in one file."""
    return re.sub(r"_intel$", "_x86_64", platform)


def grouped(tags):
    """Return platform -> "cp39 cp310", of (python, platform) pairs.

    >>> grouped([("cp310", "win_amd64"), ("cp39", "win_amd64")])
    {'win_amd64': 'cp39 cp310'}
    """
    result = {}
    for python, platform in tags:
        result.setdefault(platform, set()).add(python)
    order = {key: sorted(values, key=lambda item: int(re.sub(r"\D", "", item) or 0)) for key, values in result.items()}
    return {key: " ".join(order[key]) for key in sorted(order)}


def ungrouped(wheels):
    """Return the (python, platform) pairs of `grouped`."""
    return {(python, platform) for platform, pythons in wheels.items() for python in pythons.split()}


def is_known(row, files):
    """Return whether a row of the bundled data was made from exactly these files."""
    if row is None:
        return False
    listed = {pair for _, pairs in files for pair in pairs}
    held = {pair for build in row["builds"] for pair in ungrouped(build["wheels"])}
    return listed == held and bool(row.get("yanked")) == all(link.is_yanked for link, _ in files)


def wanted_requirements(requires, extras):
    """Return the requirements that hold always, or for one of the extras that matter, in one spelling.

    >>> wanted_requirements(["a (<2,>=1)", "b; extra == 'x'", "c; extra == 'y'"], ["x"])
    ['a<2,>=1', 'b; extra == "x"']
    """
    result = set()
    for text in requires:
        named = re.findall(r"""extra\s*==\s*['"]([^'"]+)['"]""", text)
        if not named or "*" in extras or any(name in extras for name in named):
            requirement = Requirement(text)
            requirement.name = canonicalize_name(requirement.name)
            result.add(str(requirement))
    return sorted(result)


def cuda_version(stated, minor):
    """Return a version of CUDA or cuDNN as it is usually written.

    >>> cuda_version("64_112", "2.10"), cuda_version("64_8", "2.10"), cuda_version("10", "2.2")
    ('11.2', '8', '10.1')
    """
    digits = re.match(r"64_(\d+)$", stated)  # Windows names the file: cudart64_112.dll
    if digits:
        text = digits.group(1)
        return text if len(text) < 3 else text[:-1] + "." + text[-1]
    return _LIES.get((minor, stated), stated)


def make_row(version, files, readings, rule, sets):
    """Return the row of a release: wheels with equal contents are one build."""
    builds = {}
    for link, pairs in files:
        reading = readings.get(link.filename) or _like(pairs, files, readings)
        requires = wanted_requirements(reading["requires"], rule["extras"])
        build = {"requires": set_id(requires, sets)}
        info = reading.get("build") or {}
        for name, short in _FIELDS.items():
            if info.get(name):
                text = info[name] if isinstance(info[name], str) else " ".join(info[name])
                build[short] = (
                    cuda_version(text, ".".join(version.split(".")[:2])) if short in ("cuda", "cudnn") else text
                )
        if info:
            build["kind"] = "cuda" if info.get("is_cuda_build") else "rocm" if info.get("is_rocm_build") else "cpu"
        elif rule.get("protobuf") and not reading.get("protobuf") and not reading.get("plugins"):
            build["kind"] = "empty"
        for name in ("protobuf", "plugins"):
            if reading.get(name):
                build[name] = reading[name] if isinstance(reading[name], str) else " ".join(reading[name])
        if build.get("kind") not in ("cuda", None):
            for name in _FIELDS.values():
                build.pop(name, None)  # a CPU build that names a CUDA version has none of it
        key = json.dumps(build, sort_keys=True)
        held = builds.setdefault(key, (build, [], []))
        held[1].extend(pairs)
        if link.filename in readings:
            held[2].append(link.filename)
    row = {"version": version}
    python = sorted({reading["requires_python"] for reading in readings.values()})
    row["requires_python"] = ",".join(python)
    if all(link.is_yanked for link, _ in files):
        row["yanked"] = True
    row["builds"] = []
    for build, pairs, sources in sorted(builds.values(), key=lambda item: sorted(item[1])):
        row["builds"].append(dict({"wheels": grouped(pairs)}, **build, source=sorted(sources)[-1]))
    return row


def _like(pairs, files, readings):
    """Return the reading that stands for a wheel that was not read: of the same platform where there is one."""
    same = [
        readings[link.filename] for link, others in files if link.filename in readings and others[0][1] == pairs[0][1]
    ]
    return same[0] if same else next(iter(readings.values()))


def set_id(requires, sets):
    """Return the name of a list of requirements, which is entered into ``sets`` once however many releases share it."""
    name = hashlib.sha256("\n".join(requires).encode("utf-8")).hexdigest()[:6]
    if sets.setdefault(name, requires) != requires:
        raise ValueError("two lists of requirements have the short name %s: make it longer" % name)
    return name


def read_release(registry, files, rule, cache):
    """Return file name -> reading, from the cache where it was read before."""
    chosen = files if rule["read"] == "all" else files[-1:]
    if rule["read"] == "platform":
        chosen = list({pairs[0][1]: (link, pairs) for link, pairs in files}.values())
    readings = {}
    for link, _ in chosen:
        path = os.path.join(cache, link.filename + ".json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as stream:
                readings[link.filename] = json.load(stream)
            continue
        reading = registry.read(link, bool(rule.get("protobuf")), bool(rule.get("build")))
        partial = path + ".part"
        with open(partial, "w", encoding="utf-8") as stream:
            json.dump(reading, stream)
        os.replace(partial, path)
        readings[link.filename] = reading
    return readings


def load(name):
    """Return the bundled data of a project, empty where there is none."""
    try:
        with open(os.path.join(DATA, name + ".json"), encoding="utf-8") as stream:
            return json.load(stream)
    except FileNotFoundError:
        return {"rows": [], "requires": {}}


def _compact(value):
    return json.dumps(value, separators=(",", ":"))


def save(name, rows, sets, date):
    """Write the data of a project: a release is a line, so that a diff shows the releases that changed."""
    used = {build["requires"] for row in rows for build in row["builds"]}
    lines = ['{"schema": 1, "project": %s, "date": %s,' % (json.dumps(name), json.dumps(date)), '"requires": {']
    lines.append(",\n".join("%s:%s" % (json.dumps(key), _compact(sets[key])) for key in sorted(used)))
    lines.append('},\n"rows": [')
    lines.append(",\n".join(map(_compact, rows)))
    lines.append("]}\n")
    os.makedirs(DATA, exist_ok=True)
    path = os.path.join(DATA, name + ".json")
    with open(path + ".part", "w", encoding="utf-8", newline="\n") as stream:
        stream.write("\n".join(lines))
    os.replace(path + ".part", path)


def save_names():
    """Write the list of all projects: a zipped package cannot list its folders on every Python."""
    names = sorted(name[: -len(".json")] for name in os.listdir(DATA) if name.endswith(".json"))
    with open(DATA + ".json", "w", encoding="utf-8", newline="\n") as stream:
        stream.write('{"schema": 1, "names": [\n%s\n]}\n' % ",\n".join(json.dumps(name) for name in names))


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
        if not links and known:
            raise RuntimeError("the registry lists no wheel of %s any more: nothing was changed" % name)
        news += ["%s %s" % (name, version) for version in new] + ["%s %s is gone" % (name, item) for item in gone]
        if options.check or not (new or gone):
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
    return dict(row, builds=[dict(build, requires=sets[build["requires"]]) for build in row["builds"]])


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
        parser.error("not in matrix_projects.json: %s" % ", ".join(unknown))
    cache = os.path.join(user_cache_dir("devicekit-refresh", False), "readings-1")
    os.makedirs(cache, exist_ok=True)
    if options.verify:
        with open_registry() as registry:
            count, differences = verify(options.verify, options.seed, rules, registry, options.workers)
        for line in differences:
            print(line)
        print("%d releases read again, %d differ" % (count, len(differences)))
        return 1 if differences else 0
    with open_registry() as registry:
        news = refresh(options.projects or list(rules), rules, registry, cache, options)
    if not options.check:
        save_names()
    for line in news:
        print(("behind: " if options.check else "refreshed: ") + line)
    print("%d releases" % len(news))
    return 1 if options.check and news else 0


if __name__ == "__main__":
    sys.exit(main())
