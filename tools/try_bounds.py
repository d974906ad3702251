"""Find the oldest and the newest release of each dependency with which a framework really works, by real installs.

    python tools/try_bounds.py measure --folder FOLDER        # all that is still missing: hours; may be stopped at any time
    python tools/try_bounds.py measure --folder FOLDER --only tensorflow/2.5/3.9 --dependencies numpy protobuf
    python tools/try_bounds.py missing --folder FOLDER        # what is not known yet
    python tools/try_bounds.py write --folder FOLDER          # merges what is known into devicekit/matrix/data/bounds.json
    python tools/try_bounds.py verify 3 --seed 7              # tries some bundled bounds again, and compares

One environment per release and Python, made of what ``devicekit resolve`` prints; in it one dependency after the other is
replaced, whatever the metadata of the framework say, and tools/train_child.py runs. What the replaced release itself needs
moves with it, within what the framework was seen to work with. FOLDER keeps a line of JSON for every try with the exact
versions: nothing is tried twice, and which release is tried next follows from these lines alone.
"""

import argparse
import datetime
import functools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

import devicekit
from devicekit.children.locks import try_lock
from devicekit.machine.live_host import LiveHost
from devicekit.matrix.bounds import fit
from devicekit.matrix.matrix import Matrix
from devicekit.matrix.target import PYTHONS, Target
from devicekit.matrix.wheel_files import wheel_tags
from devicekit.resolver.engine import available
from devicekit.runtime.index.client import Client
from devicekit.runtime.index.configuration import read_configuration

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(os.path.dirname(HERE), "devicekit", "matrix", "data", "bounds.json")
CHILD = os.path.join(HERE, "train_child.py")
SOURCE = (
    "tools/try_bounds.py: imports, trains a dense net, an LSTM and a convolution, writes and reads HDF5, runs "
    "TensorBoard's callback; Linux x86-64, glibc 2.36"
)

#: The two that break most often are found first, each alone; then what users replace most; the rest at the end.
FIRST = ("numpy", "protobuf")
OTHERS = ("keras", "h5py", "ml-dtypes", "typing-extensions", "wrapt", "gast", "setuptools", "tensorboard", "tf-keras")
LAST = ("wrapt", "gast", "setuptools")
DEPENDENCIES = (*FIRST, *OTHERS, "scipy", "jax", "torch")
#: Tried alone: whether TensorBoard works depends on setuptools, and tf-keras is trained instead of Keras.
ALONE = {"setuptools", "tf-keras"}
#: Where only source archives exist: those that build without a compiler.
PURE_SOURCES = {"gast", "wrapt"}
#: What is tried with anything but TensorFlow. Which jaxlib goes with which JAX its metadata say exactly; what Keras on JAX or
#: on PyTorch does with other NumPys is theirs.
OWN = {"jax": ("numpy", "ml-dtypes", "scipy"), "torch": ("numpy",)}
#: Not with TensorFlow: it imports none of them.
NOT_TENSORFLOWS = ("jax", "jaxlib", "scipy", "torch")
#: Projects that go with a release of another one or do not, whatever imports them; and what an old release may need.
PAIRS = {
    "h5py": (("numpy",), ('numpy<1.24; python_version < "3.9"', 'numpy<2; python_version >= "3.9"')),
    "ml-dtypes": (("numpy",), ("numpy<2",)),
    "scipy": (("numpy",), ("numpy<2",)),
    "optree": (("typing-extensions",), ()),
    "tensorboard": (("protobuf",), ('numpy<1.24; python_version < "3.12"', "protobuf<4")),
}
#: The minor releases of PyTorch that are tried: a wheel and its libraries are 3 GB.
TORCHES = ("1.13", "2.0", "2.1", "2.2", "2.3", "2.9", "2.15")
#: Every minor release of Keras on JAX; on PyTorch these.
KERAS_ON_TORCH = ("3.0", "3.9", "3.15")
#: What is installed where it is replaced: the jaxlib of its time as well.
MOVING = {"jax": "%s[cpu]==%s"}
#: A release is one of a line of releases: of most projects of a minor release, here of a major one.
BY_MAJOR = {"setuptools"}
SECONDS = 150

#: The stages of each child of tools/train_child.py, in order.
STAGES = {
    "jax": ("import", "dense", "convolution"),
    "torch": ("import", "arrays", "dense", "lstm", "convolution"),
    **dict.fromkeys(PAIRS, ("import", "use")),
}
KERAS_STAGES = ("import", "dense", "lstm", "convolution", "hdf5", "tensorboard")

#: The cells of a row that hold versions which were tried.
ENDS = ("oldest", "newest", "below", "above", "import_below", "import_above")


class Subject:
    """A release of a framework on a Python: what the bounds are found for."""

    def __init__(self, project, release, distribution, python, backend="", companions=(), fallback=()):
        self.project, self.release, self.distribution = project, release, distribution
        self.python, self.backend, self.companions, self.fallback = python, backend, companions, fallback
        self.minor = ".".join(release.split(".")[:2])

    @property
    def name(self):
        """For files and for ``--only``: ``tensorflow/2.5/3.9``."""
        return "/".join(filter(None, [self.project, self.minor, self.python, self.backend]))

    @property
    def child(self):
        """What of tools/train_child.py is run."""
        return {"tensorflow": "tensorflow", "keras": "keras"}.get(self.project, self.project)

    @property
    def dependencies(self):
        """What is tried with it; None: all but some."""
        if self.project == "keras":
            return (self.backend,)
        return PAIRS[self.project][0] if self.project in PAIRS else OWN.get(self.project)

    @property
    def key(self):
        """What distinguishes the lines of a folder."""
        return "-".join(filter(None, [self.project, self.release, self.python, self.backend]))


def subjects():
    """Return every minor release of the frameworks on every Python, the newest patch release that it has; newest first."""
    matrix = Matrix()
    # The build without GPU code, where there is one: a fraction to download.
    rows = [Subject("tensorflow", *item) for item in newest_patches(matrix, "tensorflow", "tensorflow-cpu")]
    for name, (_, fallback) in PAIRS.items():
        # Old releases of protobuf need it, whatever imports them.
        also = ("six",) if name == "tensorboard" else ()
        rows += [Subject(name, *item, companions=also, fallback=fallback) for item in newest_patches(matrix, name)]
    # With newer ones the oldest NumPy that works would be ml-dtypes', not JAX's.
    rows += [
        Subject("jax", *item, companions=("ml-dtypes<0.6",))
        for item in newest_patches(matrix, "jax")
        if Version(item[0]) >= Version("0.4.38")
    ]
    for item in newest_patches(matrix, "keras"):
        if Version(item[0]) >= Version("3"):
            jax = "jax[cpu]==0.4.30" if item[2] == "3.9" else "jax[cpu]==0.4.38"
            rows.append(Subject("keras", *item, "jax", (jax, "packaging")))
            if item[0].startswith(tuple(minor + "." for minor in KERAS_ON_TORCH)):
                # With NumPy 2 the oldest PyTorch that works would be the first one made for it, not Keras'.
                torch = ("torch==2.9.1",) if item[2] == "3.13" else ("torch==2.3.1", "numpy<2")
                rows.append(Subject("keras", *item, "torch", (*torch, "packaging")))
    for item in newest_patches(matrix, "torch"):
        if item[0].startswith(tuple(minor + "." for minor in TORCHES)):
            old = Version(item[0]) < Version("2.3")
            # Optimizers of old releases import pkg_resources, which setuptools 82 has no longer.
            companions = ("numpy<2", "setuptools<81") if old else ("numpy",)
            rows.append(Subject("torch", *item, companions=companions))
    return rows


def newest_patches(matrix, *names):
    """Return (release, distribution, Python) of the newest patch release of each minor one, newest first."""
    found = {}
    for python in PYTHONS:
        target = Target(python, "linux", "x86_64", "2.36")
        for name in names:
            for release, _ in available(matrix, name, target):
                version = Version(release.version)
                known = found.get((version.release[:2], python))
                if known is None or version >= Version(known[0]):
                    found[version.release[:2], python] = (release.version, name, python)
    return [found[key] for key in sorted(found, key=lambda key: (key[0], Version(key[1])), reverse=True)]


def outermost(table):
    """Return of subjects those on the oldest and the newest Python of each release."""
    kept = []
    for subject in table:
        same = [
            item.python
            for item in table
            if (item.project, item.minor, item.backend) == (subject.project, subject.minor, subject.backend)
        ]
        if subject.python in (same[0], same[-1]):
            kept.append(subject)
    return kept


class Releases:
    """The releases of a dependency that a Python can install, from the package registry; kept in the folder."""

    def __init__(self, folder):
        self._folder = os.path.join(folder, "releases")
        self._lock = threading.Lock()
        self._known = {}
        os.makedirs(self._folder, exist_ok=True)

    def files(self, project):
        """Return the files of a project: (version, tags or None for a source archive, Python that is required)."""
        with self._lock:
            if project in self._known:
                return self._known[project]
            path = os.path.join(self._folder, project + ".json")
            if not os.path.exists(path):
                with open(path + ".new", "w", encoding="utf-8") as stream:
                    json.dump(self._ask(project), stream)
                os.replace(path + ".new", path)
            with open(path, encoding="utf-8") as stream:
                self._known[project] = json.load(stream)
            return self._known[project]

    @staticmethod
    def _ask(project):
        rows = []
        for link in Client(read_configuration(LiveHost()), time.monotonic() + SECONDS).links(project):
            source = re.match(r"(.+)-([^-]+)\.tar\.gz$", link.filename)
            tags = wheel_tags(link.filename)
            if source and canonicalize_name(source.group(1)) == project and not link.yanked:
                rows.append([source.group(2), None, link.requires_python])
            elif tags and not link.yanked:
                rows.append([tags[1], tags[2], link.requires_python])
        return rows

    @functools.lru_cache(maxsize=None)  # noqa: B019 - there is one of these
    def versions(self, project, python):
        """Return the final releases with a file for a Python on this platform, oldest first."""
        target = Target(python, "linux", "x86_64", "2.36")
        found = set()
        for text, tags, requires in self.files(project):
            try:
                version = Version(text)
            except ValueError:
                continue
            if version.is_prerelease or version.local or not SpecifierSet(requires).contains(python + ".99"):
                continue
            if tags is None:
                fits = project in PURE_SOURCES
            else:
                fits = any(target.takes_python(item[0]) and target.takes_platform(item[1]) for item in tags)
            if fits:
                found.add(version)
        # JAX is nothing without the jaxlib of its time, which has the wheels.
        return sorted(found.intersection(self.versions("jaxlib", python)) if project == "jax" else found)


def line_of(project, version):
    """Return the line of releases that a version belongs to."""
    return version.release[:1] if project in BY_MAJOR else (version.release + (0,))[:2]


def next_version(project, points, results, guess=None):
    """Return the version to try next on the way from a base outward, None where the bound is settled.

    Parameters
    ----------
    project : str
    points : list of Version
        The base, which works, then what lies beyond it, nearest first.
    results : dict of Version to bool
    guess : Version, optional
        Where the bound is for a neighbor.
    """
    good, bad = reached(points, results)
    if good == len(points) - 1:
        return None
    lines = [line_of(project, point) for point in points]
    edges = [
        index
        for index in range(1, len(points))
        if index == len(points) - 1 or lines[index] != lines[index - 1] or lines[index] != lines[index + 1]
    ]
    inner = [index for index in edges if good < index < bad]
    beyond = [index for index in edges if index <= _place(points, guess)] if guess is not None else []
    place = beyond[-1] if beyond else 0
    if bad == len(points):
        if guess is None or place == len(points) - 1:
            return points[-1]
        return points[place] if place > good else points[inner[0]] if place == good else points[-1]
    if not inner:
        # Nothing but releases of one line is left between them.
        between = range(good + 1, bad)
        return points[between[len(between) // 2]] if between and lines[good] == lines[bad] else None
    if guess is not None and place in inner:
        return points[place]
    if guess is not None and place == good:
        return points[inner[0]]
    return points[inner[len(inner) // 2]]


def reached(points, results):
    """Return the indices of the farthest release that works with no failure before it, and of the first that fails."""
    bad = min([index for index, point in enumerate(points) if results.get(point) is False], default=len(points))
    return max([index for index in range(bad) if index == 0 or results.get(points[index])], default=0), bad


def _place(points, version):
    """Return the index of the last point up to a version, seen from the base outward."""
    upward = points[-1] >= points[0]
    return max(
        index for index, point in enumerate(points) if index == 0 or (point <= version) == upward or point == version
    )


class Results:
    """The lines of a folder, by subject and by what was changed."""

    def __init__(self, folder):
        self._path = os.path.join(folder, "tries.jsonl")
        self._lock = threading.Lock()
        self._lines = {}
        if os.path.exists(self._path):
            with open(self._path, encoding="utf-8") as stream:
                for text in stream:
                    self._keep(json.loads(text))

    def _keep(self, line):
        self._lines.setdefault(line["subject"], {})[frozenset(line["changes"].items())] = line

    def get(self, subject, changes):
        """Return the line of a try, None if there is none."""
        return self._lines.get(subject.key, {}).get(frozenset(changes.items()))

    def add(self, line):
        """Keep a line."""
        with self._lock:
            self._keep(line)
            with open(self._path, "a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")

    def of(self, subject, project):
        """Return what is known of a dependency: version to what was seen, also of what could not be installed."""
        with self._lock:
            lines = [line for line in self._lines.get(subject.key, {}).values() if project in line["changes"]]
        # Several that were replaced together and fail say nothing of one of them.
        return {
            Version(line["changes"][project]): line["result"]
            for line in lines
            if len(line["changes"]) == 1 or (line["result"] == "ok" and project not in ALONE)
        }


def first_set(subject, fallback=False):
    """Return the requirements that a search starts with; ``fallback``: where those that an installer takes do not work."""
    exact = "%s==%s" % (subject.distribution, subject.release)
    if subject.project != "tensorflow":
        return [exact, *subject.companions, *(subject.fallback if fallback else ())]
    answer = devicekit.resolve("cpu", python=subject.python, platform="linux-x86_64", keep=[exact])
    if not answer.possible:
        raise RuntimeError("%s: resolve: %s" % (subject.name, "; ".join(answer.obstacles)))
    return list(answer.requirements)


class Environments:
    """Real environments below a folder, one per subject."""

    def __init__(self, folder, results):
        self.folder, self.results = folder, results
        os.makedirs(os.path.join(folder, "base"), exist_ok=True)
        self.alone = threading.Lock()

    def path(self, subject):
        """Return the folder of a subject's environment."""
        return os.path.join(self.folder, "environments", subject.key)

    @contextmanager
    def hold(self, subject, free):
        """Keep other processes out of an environment; remove it afterwards where less than so many GB of disk are left."""
        os.makedirs(os.path.dirname(self.path(subject)), exist_ok=True)
        with open(self.path(subject) + ".lock", "w", encoding="utf-8") as stream:
            while not try_lock(stream.fileno()):
                time.sleep(1)
            yield
            if shutil.disk_usage(self.folder).free < free * 1e9:
                self.remove(subject)

    def base(self, subject):
        """Return the versions that an environment starts from: a dict; empty where it was not made yet."""
        path = os.path.join(self.folder, "base", subject.key + ".txt")
        if not os.path.exists(path):
            return {}
        with open(path, encoding="utf-8") as stream:
            return dict(line.strip().split("==") for line in stream if "==" in line)

    def make(self, subject, fallback=False):
        """Make the environment of a subject, as it was before where there was one."""
        path = self.path(subject)
        if fallback:
            self.remove(subject)
            os.remove(os.path.join(self.folder, "base", subject.key + ".txt"))
        if os.path.exists(os.path.join(path, "ready")):
            return
        shutil.rmtree(path, ignore_errors=True)
        self.call("uv", "venv", "-q", "--python", "python" + subject.python, path)
        known = self.base(subject)
        if known:
            wanted = ["%s==%s" % item for item in known.items()]
        else:
            wanted = first_set(subject, fallback)
        # Big, and needed once: not for the installer's store.
        big = "%s==%s" % (subject.distribution, subject.release)
        self.install(subject, "--no-deps", "--no-cache", big)
        self.install(subject, *(["--no-deps"] if known else []), *wanted)
        if not known:
            with open(os.path.join(self.folder, "base", subject.key + ".txt"), "w", encoding="utf-8") as stream:
                stream.write(self.freeze(subject))
        with open(os.path.join(path, "ready"), "w", encoding="utf-8"):
            pass

    def remove(self, subject):
        """Remove the environment of a subject."""
        shutil.rmtree(self.path(subject), ignore_errors=True)

    def call(self, *command):
        """Run a command of the installer; return what it prints."""
        values = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        values["UV_PYTHON_DOWNLOADS"] = "never"
        done = subprocess.run(command, env=values, capture_output=True, text=True, timeout=1500)
        if done.returncode:
            raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def install(self, subject, *arguments):
        """Install into the environment of a subject."""
        return self.call(
            "uv", "pip", "install", "--python", os.path.join(self.path(subject), "bin", "python"), *arguments
        )

    def freeze(self, subject):
        """Return what is installed, a line each."""
        return self.call("uv", "pip", "freeze", "--python", os.path.join(self.path(subject), "bin", "python"))

    def replace(self, subject, changes):
        """Put an environment into its base state but for some releases."""
        path = os.path.join(self.path(subject), "wanted.txt")
        with open(path, "w", encoding="utf-8") as stream:
            stream.writelines("%s==%s\n" % item for item in dict(self.base(subject), **changes).items())
        self.call("uv", "pip", "sync", "-q", "--python", os.path.join(self.path(subject), "bin", "python"), path)

    def exactly(self, subject, requirements):
        """Put what an installer takes for some requirements into an environment; return its error, "" if there is none."""
        python = os.path.join(self.path(subject), "bin", "python")
        wanted, chosen = (os.path.join(self.path(subject), name) for name in ("wanted.txt", "chosen.txt"))
        with open(wanted, "w", encoding="utf-8") as stream:
            stream.writelines(item + "\n" for item in requirements)
        try:
            self.call("uv", "pip", "compile", "-q", "--python", python, "--no-header", "-o", chosen, wanted)
            self.call("uv", "pip", "sync", "-q", "--python", python, chosen)
        except subprocess.CalledProcessError as error:
            return "install: " + scrub((error.stderr or error.output or "").strip())
        return ""

    def change(self, subject, changes, bounds):
        """Put an environment into its base state but for some releases and what they need; return what else moved."""
        self.replace(subject, changes)
        # tf-keras would bring the whole TensorFlow next to tensorflow-cpu.
        moving = [
            MOVING.get(item[0], "%s==%s") % item for item in changes.items() if item[0] not in (*FIRST, "tf-keras")
        ]
        if not moving:
            return {}
        limits = os.path.join(self.path(subject), "limits.txt")
        with open(limits, "w", encoding="utf-8") as stream:
            stream.writelines(line + "\n" for line in bounds)
        try:
            output = self.install(subject, "-c", limits, "--only-binary", ":all:", *moving)
        except subprocess.CalledProcessError:
            return {"unmet": "its own requirements"}
        return dict(re.findall(r"^ \+ (\S+?)==(\S+)$", output, re.M))

    def run(self, subject, child, seconds=SECONDS):
        """Run the child; return "ok" or the stage and the error."""
        path = self.path(subject)
        # Nothing of this process' environment but what says where programs and libraries are.
        values = {key: value for key, value in os.environ.items() if key in ("PATH", "LANG", "LD_LIBRARY_PATH")}
        values.update(HOME=path, CUDA_VISIBLE_DEVICES="-1", OMP_NUM_THREADS="1")
        if subject.backend:
            values["KERAS_BACKEND"] = subject.backend
        command = [os.path.join(path, "bin", "python"), CHILD, child]
        try:
            done = subprocess.run(
                command, env=values, cwd=path, capture_output=True, text=True, errors="replace", timeout=seconds
            )
        except subprocess.TimeoutExpired as error:
            return outcome(None, (error.stdout or b"").decode("utf-8", "replace"), "", child)
        return outcome(done.returncode, done.stdout, done.stderr, child)

    def attempt(self, subject, changes, bounds, again=False):
        """Try a set, or recall what came of it; return the result."""
        known = self.results.get(subject, changes)
        if known and not again:
            return known["result"]
        started = time.time()
        child = "tf_keras" if changes.get("tf-keras") else subject.child
        also = {}
        try:
            self.make(subject)
            also = self.change(subject, changes, bounds)
        except subprocess.CalledProcessError as error:
            lines = (error.stderr or error.output or "").strip().splitlines()
            result = "install: " + scrub(lines[0] if lines else "")
        else:
            if (
                subject.distribution not in ("tensorflow", *also)
                and "tensorflow" in also
                and subject.project != "keras"
            ):
                # It has overwritten what is tried, which both distributions put into one folder.
                self.remove(subject)
                result = "install: it needs another TensorFlow"
            else:
                result = self.run(subject, child)
            if "killed by signal" in result:
                # A crash counts if it can be repeated.
                result = self.run(subject, child)
            if "no answer in time" in result:
                with self.alone:
                    result = self.run(subject, child, 3 * SECONDS)
            if any(name.startswith("nvidia-") for name in also):
                # Those for two CUDA releases write the same folders: with one the files of the other would go as well.
                self.remove(subject)
            if result != "ok" and changes.get("jax") and "jaxlib" not in also:
                result = "install: no jaxlib of its time"
        self.results.add(
            {
                "subject": subject.key,
                "distribution": subject.distribution,
                "changes": changes,
                "also": also,
                "result": result,
                "seconds": round(time.time() - started, 1),
                "date": datetime.date.today().isoformat(),
            }
        )
        print("%s %-22s %s -> %s" % (time.strftime("%H:%M:%S"), subject.name, changes, result), flush=True)
        return result


def outcome(status, stdout, stderr, child="keras"):
    """Return "ok", or the stage that was not reached and why."""
    lines = stdout.splitlines()
    if status == 0 and any(line.startswith("@TRAINED") for line in lines):
        return "ok"
    order = STAGES.get(child, KERAS_STAGES)
    passed = [line.split()[1] for line in lines if line.startswith("@STAGE")]
    stage = order[min(order.index(passed[-1]) + 1, len(order) - 1) if passed else 0]
    failed = [line[len("@FAILED ") :] for line in lines if line.startswith("@FAILED")]
    if failed:
        return "%s: %s" % (stage, scrub(failed[0]))
    if status is None:
        return stage + ": no answer in time"
    if status < 0:
        return "%s: killed by signal %d" % (stage, -status)
    return "%s: exit status %d: %s" % (stage, status, scrub(([""] + stderr.strip().splitlines())[-1]))


def scrub(text):
    """Return one line without what differs from machine to machine: folders and addresses."""
    text = re.sub(r"(/[^\s'\":/()]+)+/site-packages/", "", text)
    text = re.sub(r"(?<![\w.])(/[^\s'\":/()]+){2,}/", "", text)
    text = re.sub(r"\b0x[0-9a-f]+\b", "0x", text)
    return " ".join(text.split())[:160]


class Search:
    """Settles bounds: asks what is to be tried next, and tries it."""

    def __init__(self, folder, table):
        self.table = table
        self.releases = Releases(folder)
        self.results = Results(folder)
        self.environments = Environments(folder, self.results)

    def center(self, subject, project):
        """Return the version of a dependency that a search starts from, None if the release does not use it."""
        base = self.environments.base(subject)
        own = subject.dependencies
        if project in NOT_TENSORFLOWS if own is None else project not in own:
            return None
        if project in base:
            return Version(base[project])
        versions = self.releases.versions(project, subject.python)
        same = [version for version in versions if line_of(project, version) == line_of("", Version(subject.release))]
        # Not required, and used where they are there.
        since = {"tf-keras": Version("2.15"), "tensorboard": Version("2.21")}.get(project)
        if since and versions and subject.project == "tensorflow" and Version(subject.release) >= since:
            return same[-1] if same else versions[-1]
        return None

    def points(self, subject, project, upward):
        """Return the releases from the base outward."""
        base = self.center(subject, project)
        seen = self.results.of(subject, project)
        # Of what could not be installed nothing is known.
        versions = [
            item
            for item in self.releases.versions(project, subject.python)
            if not seen.get(item, "").startswith("install:")
        ]
        if upward:
            return [base] + [version for version in versions if version > base]
        return [base] + [version for version in reversed(versions) if version < base]

    def known(self, subject, project, stage=""):
        """Return version to whether it works, or at least gets through a stage."""
        seen = self.results.of(subject, project).items()
        return {version: result == "ok" or (bool(stage) and not result.startswith(stage)) for version, result in seen}

    def guess(self, subject, project, upward, stage=""):
        """Return where the bound is for a neighbor: another Python, then the releases next to this one."""
        near = [item for item in self.table if item.project == subject.project and item.backend == subject.backend]
        minors = list(dict.fromkeys(item.minor for item in near))
        here = minors.index(subject.minor)

        def distance(other):
            far = abs(minors.index(other.minor) - here)
            return (far, other.python != subject.python)

        for other in sorted(near, key=distance):
            if distance(other)[0] > 2 or other.key == subject.key:
                continue
            if self.environments.base(other) and self.center(other, project) is not None:
                points = self.points(other, project, upward)
                works = self.known(other, project, stage)
                if next_version(project, points, works) is None:
                    good, bad = reached(points, works)
                    if bad == len(points):
                        # It took whatever there was.
                        return self.points(subject, project, upward)[-1]
                    return points[good]
        return None

    def wanted(self, subject, project, upward, guess=True):
        """Return the version of a dependency that is to be tried next, None where there is nothing left."""
        points = self.points(subject, project, upward)
        for stage in ("", "import:"):
            works = self.known(subject, project, stage)
            version = next_version(
                project, points, works, self.guess(subject, project, upward, stage) if guess else None
            )
            # Where a later stage fails: from which version on the import fails as well.
            if version is not None or reached(points, works)[1] == len(points):
                return version
        return None

    def limits(self, subject):
        """Return what NumPy and protobuf may become where another dependency needs a newer one, as constraints."""
        found = ["%s==%s" % (subject.distribution, subject.release)]
        for project in FIRST:
            if self.center(subject, project) is None:
                continue
            edges = []
            for upward in (False, True):
                points = self.points(subject, project, upward)
                edges.append(points[reached(points, self.known(subject, project))[0]])
            found.append("%s>=%s,<=%s" % (project, *edges))
        return found

    def prepare(self, subject):
        """Make the environment and see that its base works; return whether it does."""
        known = self.results.get(subject, {})
        if known is None or not self.environments.base(subject):
            self.environments.make(subject)
        if self.environments.attempt(subject, {}, []) == "ok":
            return True
        if not subject.fallback:
            return False
        self.environments.make(subject, fallback=True)
        return self.environments.attempt(subject, {}, [], again=True) == "ok"

    def alone(self, subject, project, upward):
        """Settle one bound by replacing nothing else."""
        while True:
            version = self.wanted(subject, project, upward)
            if version is None:
                return
            self.environments.attempt(subject, {project: str(version)}, self.limits(subject))

    def together(self, subject, projects, upward):
        """Settle the bounds of several: all at their outermost release at once; where that fails, half of them."""
        open_ones = {}
        for project in projects:
            version = self.wanted(subject, project, upward, guess=False)
            guess = self.guess(subject, project, upward)
            outermost_one = self.points(subject, project, upward)[-1]
            if version == outermost_one and guess in (None, outermost_one) and project not in ALONE:
                open_ones[project] = str(version)
        self._halve(subject, open_ones)
        for project in projects:
            self.alone(subject, project, upward)

    def _halve(self, subject, changes):
        if len(changes) < 2 or self.environments.attempt(subject, changes, self.limits(subject)) == "ok":
            return
        names = list(changes)
        for part in (names[: len(names) // 2], names[len(names) // 2 :]):
            self._halve(subject, {name: changes[name] for name in part})

    def settle(self, subject, dependencies, directions):
        """Settle all bounds of some dependencies for a subject."""
        if not self.prepare(subject):
            print("%s: its base does not work" % subject.name, flush=True)
            return
        used = [name for name in dependencies if self.center(subject, name) is not None]
        if "tf-keras" in used or "tensorboard" not in self.environments.base(subject):
            for name in {"tf-keras", "tensorboard"} & set(used) - set(self.environments.base(subject)):
                # What the base does not have has to work there in the first place.
                if (
                    self.environments.attempt(subject, {name: str(self.center(subject, name))}, self.limits(subject))
                    != "ok"
                ):
                    used.remove(name)
        for upward in directions:
            for name in FIRST:
                if name in used:
                    self.alone(subject, name, upward)
            self.together(subject, [name for name in used if name not in FIRST], upward)

    def missing(self, dependencies, table=None):
        """Yield what is not settled: (subject, dependency, whether it is the newest one)."""
        for subject in self.table if table is None else table:
            if not self.environments.base(subject):
                yield subject, "everything", None
                continue
            for project in dependencies:
                if self.center(subject, project) is not None:
                    for upward in (False, True):
                        if self.wanted(subject, project, upward, guess=False) is not None:
                            yield subject, project, upward

    def row(self, subject, project):
        """Return the row of a dependency, None where nothing is known beyond what a release brings itself.

        What is not settled yet has no first version that fails, or one that is farther away than it will be: nothing is said
        of what lies between. Of what other tables know in part (`loads.json`) there is no row until it is settled.
        """
        row = {"project": subject.project, "release": subject.release, "python": subject.python, "dependency": project}
        if subject.backend:
            row["with"] = subject.backend
        seen, works = self.results.of(subject, project), self.known(subject, project)
        if not works or project in (*FIRST, "keras"):
            if any(self.wanted(subject, project, upward, guess=False) for upward in (False, True)):
                return None
        for upward, inside, outside in ((False, "oldest", "below"), (True, "newest", "above")):
            points = self.points(subject, project, upward)
            good, bad = reached(points, works)
            row[inside] = str(points[good])
            while bad < len(points) and (
                works.get(points[bad]) is not False or blames_another(seen[points[bad]], project, subject.project)
            ):
                bad += 1
            if bad < len(points):
                row[outside], row[outside + "_fails"] = str(points[bad]), seen[points[bad]]
                row.update(self._import_edge(subject, project, points, bad, "import_" + outside))
        return row

    def _import_edge(self, subject, project, points, bad, key):
        """Return where the import fails as well, of a bound at which a later stage fails."""
        seen = self.results.of(subject, project)
        _, first = reached(points, self.known(subject, project, "import:"))
        # How far a failure of a later stage was seen: up to there, the import works.
        later = [index for index in range(bad, first) if points[index] in seen]
        late = [index for index in later if not seen[points[index]].startswith(("ok", "import:", "install:"))]
        edge = {key.replace("import_", "imports_"): str(points[late[-1]])} if late else {}
        if bad < first < len(points) and not blames_another(seen[points[first]], project, subject.project):
            edge.update({key: str(points[first]), key + "_fails": seen[points[first]]})
        return edge


#: Which words of an error are about a dependency.
ABOUT = {
    "numpy": r"\bnumpy\b|pybind11::error_already_set|avoid copy while creating an array",
    "protobuf": r"(?i)protobuf|\bgoogle\b|^\w+: TypeError: Descriptors cannot",
    "h5py": r"\bh5py\b",
    "ml-dtypes": r"\bml_dtypes\b",
    "typing-extensions": r"\boptree\b",
}


def blames_another(error, project, subject):
    """Return whether an error is about two dependencies that do not go together, not a bound of the release.

    >>> blames_another("import: ValueError: numpy.dtype size changed", "h5py", "tensorflow")
    True
    >>> blames_another("import: AttributeError: no attribute 'x'", "h5py", "tensorflow")
    False
    >>> blames_another("dense: ImportError: To use Keras, you need to have `optree` installed", "typing-extensions", "keras")
    True
    """
    if subject in PAIRS or subject in OWN:
        return project != "numpy" and re.search(ABOUT["numpy"], error) is not None
    if project in ("numpy", "protobuf"):
        return False
    named = {name for name, pattern in ABOUT.items() if re.search(pattern, error)}
    return bool(named - {project}) if project != "typing-extensions" else project in named


def measure(options, search, every):
    """Try what is missing: what breaks most first; then the Pythons between those that disagree."""
    groups = {}
    for item in search.table:
        groups.setdefault("pairs" if item.project in PAIRS else item.project, []).append(item)
    chosen = options.dependencies
    first, last = ([name for name in group if name in chosen] for group in (FIRST, LAST))
    second = [name for name in OTHERS if name in chosen and name not in LAST]
    up, down, both = (True,), (False,), (True, False)
    phases = [
        ("tensorflow", first, both),
        ("pairs", chosen, both),
        ("tensorflow", second, up),
        ("jax", chosen, both),
        ("keras", chosen, both),
        ("tensorflow", second, down),
        ("torch", chosen, both),
        ("tensorflow", last, both),
    ]
    for group, dependencies, directions in phases:
        subjects_now = groups.get(group, ())
        with ThreadPoolExecutor(options.workers) as pool:
            tasks = [pool.submit(work, search, item, dependencies, directions, options.free) for item in subjects_now]
            for task in tasks:
                task.result()
    with ThreadPoolExecutor(options.workers) as pool:
        for subject in every if not options.only else ():
            names = [name for name in options.dependencies if disagree(search, subject, name)]
            if names:
                pool.submit(work, search, subject, names, both, options.free)


def work(search, subject, dependencies, directions, free):
    """Settle some bounds of a subject."""
    if not any(upward in (None, *directions) for _, _, upward in search.missing(dependencies, [subject])):
        return
    with search.environments.hold(subject, free):
        try:
            search.settle(subject, dependencies, directions)
        except Exception as error:  # one subject that fails is no reason to lose the others
            output = getattr(error, "stderr", "") or ""
            print("%s: %r %s" % (subject.name, error, output[-600:]), flush=True)


def disagree(search, subject, project):
    """Return whether a Python lies between two on which a version that both have works and does not."""
    ends = [
        item
        for item in search.table
        if (item.project, item.minor, item.backend) == (subject.project, subject.minor, subject.backend)
    ]
    if len(ends) < 2 or subject.python in {item.python for item in ends}:
        return False
    if any(True for _ in search.missing([project], ends)) or any(search.center(item, project) is None for item in ends):
        return False
    rows = [search.row(item, project) for item in ends]
    spans = [[Version(row[end]) for end in ("oldest", "newest")] for row in rows]
    shared = set.intersection(*(set(search.releases.versions(project, item.python)) for item in ends))
    return any(len({low <= version <= high for low, high in spans}) > 1 for version in shared)


def write(search, dependencies, path=DATA):
    """Merge the rows that are settled into the bundled file, in one order."""
    rows = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as stream:
            rows = {row_key(row): row for row in json.load(stream)["rows"]}
    for subject in search.table:
        if search.environments.base(subject):
            for project in dependencies:
                row = search.row(subject, project) if search.center(subject, project) is not None else None
                if row:
                    rows[row_key(row)] = row
    head = {"schema": 1, "date": datetime.date.today().isoformat(), "source": SOURCE}
    lines = [json.dumps(rows[key]) for key in sorted(rows)]
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        stream.write("{\n")
        stream.writelines(" %s: %s,\n" % (json.dumps(key), json.dumps(value)) for key, value in head.items())
        stream.write(' "rows": [\n  %s\n ]\n}\n' % ",\n  ".join(lines))
    print("%d rows" % len(rows))


def row_key(row):
    """Return what rows are sorted by."""
    version = tuple(Version(row[name]).release for name in ("release", "python"))
    return (row["project"], row.get("with", ""), version, row["dependency"])


def verify(options, search):
    """Try some versions again, ends of the bundled bounds and any others, and compare with what is concluded of them."""
    with open(DATA, encoding="utf-8") as stream:
        rows = json.load(stream)["rows"]
    matrix, drawn, limits = Matrix(), random.Random(options.seed), {}
    for row in rows:
        if row["dependency"] in FIRST:
            limits.setdefault(row_key(row)[:-1], []).append("%(dependency)s>=%(oldest)s,<=%(newest)s" % row)
    table = {(item.project, item.release, item.python, item.backend): item for item in search.table}
    tried = wrong = 0
    while tried < options.count:
        row = drawn.choice(rows)
        subject = table.get((row["project"], row["release"], row["python"], row.get("with", "")))
        if subject is None:  # a newer patch release has come
            continue
        ends = [row[end] for end in ENDS if end in row]
        others = search.releases.versions(row["dependency"], row["python"])
        version = str(drawn.choice(ends if drawn.random() < 0.5 else others))
        project = row["project"], row["release"], row["python"], row["dependency"], version, row.get("with", "")
        said = fit(matrix, *project)
        if said.state == "unknown" or not said.measured:
            continue
        tried += 1
        search.environments.make(subject)
        result = search.environments.attempt(subject, {row["dependency"]: version}, limits.get(row_key(row)[:-1], []))
        stage = "ok" if said.state == "works" else said.stage
        # Far from where it was tried an earlier stage may fail.
        good = result.partition(":")[0] == stage or (stage != "ok" and not said.exact and result != "ok")
        wrong += not good
        words = "as it is said" if good else "it is said: " + stage
        print("%s with %s %s: %s (%s)" % (subject.name, row["dependency"], version, result, words), flush=True)
        if not options.keep:
            search.environments.remove(subject)
    print("%d of %d are as it is said" % (tried - wrong, tried))
    return 1 if wrong else 0


def main():
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("measure", "missing", "write", "verify"))
    parser.add_argument("count", type=int, nargs="?", default=3, help="for verify: how many")
    parser.add_argument("--seed", type=int, default=datetime.date.today().toordinal(), help="default: by the day")
    parser.add_argument("--folder", default="bounds", help="where the tries are kept")
    parser.add_argument("--only", nargs="*", default=[], metavar="SUBJECT", help="as tensorflow/2.5/3.9")
    parser.add_argument("--all-pythons", action="store_true", help="not only the oldest and the newest one")
    parser.add_argument("--dependencies", nargs="*", default=list(DEPENDENCIES))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--free", type=float, default=25, help="GB of disk below which environments are removed early")
    parser.add_argument("--keep", action="store_true", help="for verify: keep the environments")
    options = parser.parse_args()
    every = subjects()
    table = every if options.all_pythons or options.only or options.command in ("write", "verify") else outermost(every)
    if options.only:
        table = [item for item in table if item.name in options.only]
    os.makedirs(options.folder, exist_ok=True)
    search = Search(options.folder, table)
    if options.command == "measure":
        measure(options, search, every)
    elif options.command == "missing":
        names = {True: "newest", False: "oldest", None: ""}
        left = list(search.missing(options.dependencies))
        for subject, project, upward in left:
            print(subject.name, project, names[upward])
    elif options.command == "write":
        write(search, options.dependencies)
    else:
        return verify(options, search)
    return 0


if __name__ == "__main__":
    sys.exit(main())
