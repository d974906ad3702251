"""The machine that a change of packages would leave behind, as far as the data know the releases. Pure."""

from typing import Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..diagnosis.findings import Packages
from ..diagnosis.rules.plugins import FORMATS
from ..machine.facts import Distribution, Fact, FrameworkBuild, ImportPackage, Machine, PluginLibrary, Python
from ..matrix.matrix import TENSORFLOW_OWNERS, TENSORFLOW_REDIRECTS, Matrix, accepts, bare_name, normal_name
from ..matrix.projects import Build
from ..matrix.target import Target

#: Import packages whose name is not the distribution's with underscores.
_IMPORT_NAMES = {
    "absl-py": "absl", "dm-tree": "tree", "google-pasta": "pasta", "protobuf": "google.protobuf", "keras-nightly": "keras",
    "tb-nightly": "tensorboard",
}  # fmt: skip

#: Parts of the names of the files that plug-ins put into ``tensorflow-plugins``.
PLUGIN_FILES = {
    "tensorflow-directml-plugin": ("tfdml_plugin",),
    "tensorflow-metal": ("libmetal_plugin",),
    "intel-extension-for-tensorflow": ("libitex",),
    "intel-extension-for-tensorflow-lib": ("libitex",),
}

#: What PyTorch requires only for the libraries of CUDA.
_OF_CUDA = ("nvidia-", "cuda-", "triton")


class Release(NamedTuple):
    """A distribution as it would be installed. ``version``: "" if it is not known which release it will be."""

    name: str
    version: str


def import_name(name: str) -> str:
    """Return the import package that a distribution brings, as far as it matters to a framework."""
    if name in TENSORFLOW_OWNERS and name not in TENSORFLOW_REDIRECTS:
        return "tensorflow"
    return _IMPORT_NAMES.get(name, name.replace("-", "_"))


def exact(requirement: str) -> Release:
    """Return what a requirement installs: of one that is not exact only the name is known.

    >>> exact("jax[cuda12]==0.6.2"), exact("numpy<2")
    (Release(name='jax', version='0.6.2'), Release(name='numpy', version=''))
    """
    name, equals, version = requirement.partition(";")[0].partition("==")
    known = equals and not version.endswith(".*") and "," not in version
    return Release(normal_name(name.partition("[")[0]), version.strip() if known else "")


def predict(
    machine: Machine, matrix: Matrix, target: Target, packages: Packages, brought: Mapping[str, str] = {}
) -> Machine:
    """Return the machine with other packages.

    Parameters
    ----------
    machine : Machine
    matrix : Matrix
    target : Target
    packages : Packages
        What an installer does.
    brought : mapping of str to str
        What comes along where it is not there yet, with its version or "".
    """
    python = machine.python
    installed, site = python.distributions.value or (), _site(python)
    there = {item.name: item for item in reversed(installed)}  # the import takes the first one on the path
    # What is there already in such a version, an installer leaves as it is.
    fresh = [exact(text) for text in packages.install if not _is_there(text, there, packages.remove)]
    absent = {name for name in brought if name not in there or name in packages.remove}
    fresh += [Release(name, version) for name, version in brought.items() if name in absent]
    fresh += [exact(text) for text in packages.reinstall]
    changed = {item.name: item for item in fresh}
    gone_names = (*packages.remove, *changed)
    first = comes_first(python)
    kept = [item for item in installed if item.name not in gone_names or item in first]
    made = [_distribution(item, there.get(item.name), site, matrix, target) for item in changed.values()]
    distributions = tuple(kept + made)
    gone = [name for name in packages.remove if name not in changed]
    packages_after = _packages(python, gone, list(changed), site, {import_name(item.name) for item in kept + made})
    owners = [name for name in (*gone, *changed) if name in TENSORFLOW_OWNERS]
    after = python.replace(
        distributions=Fact.of(distributions, python.distributions.source, python.distributions.problem),
        packages=tuple(packages_after),
        builds=tuple(_builds(python, matrix, target, changed, gone)),
        plugins=_plugins(python, machine.native.system, site, matrix, target, changed, gone),
        stale_modules=() if owners else python.stale_modules,
    )
    return machine.replace(python=after)


def _is_there(requirement: str, there: Mapping[str, Distribution], gone: Sequence[str]) -> bool:
    """Return whether a requirement holds already; of a version that cannot be read, it is taken to."""
    wanted = exact(requirement)
    found = there.get(wanted.name)
    if found is None or wanted.name in gone:
        return False
    version = found.version.or_none()
    if wanted.version:
        return wanted.version == version
    bounds = requirement.partition(";")[0][len(bare_name(requirement)) :].rpartition("]")[2].strip()
    return not bounds or version is None or accepts(bounds, version) is not False


def _folder(item: Distribution) -> str:
    return item.location.replace("\\", "/").rpartition("/")[0]


def comes_first(python: Python) -> Tuple[Distribution, ...]:
    """Return the distributions of folders from which Python imports before that which an installer writes to."""
    entries, site = [entry.replace("\\", "/") for entry in python.sys_path], _site(python)
    before = entries[: entries.index(site)] if site in entries else ()
    return tuple(item for item in python.distributions.or_none() or () if _folder(item) in before)


def _site(python: Python) -> str:
    """Return the folder into which an installer writes: the environment's own, where pip is, else the first distribution."""
    found = sorted(
        python.distributions.value or (),
        key=lambda item: (not item.location.startswith(python.prefix), item.name != "pip"),
    )
    place = found[0] if found else None
    if place is not None:
        return _folder(place)
    return next((entry for entry in python.sys_path if entry.endswith("site-packages")), "site-packages")


def build_of(matrix: Matrix, target: Target, name: str, version: str) -> Optional[Build]:
    """Return the wheels of a release that a target takes, None if the data do not know them.

    Of a build of another index ("2.9.1+cpu") it is what the release has, without the libraries of its build for CUDA.
    """
    version, _, other = version.partition("+")
    project = matrix.project(name)
    release = project.release(version) or project.like(version) if project is not None and version else None
    for build in release.builds if release is not None else ():
        for platform, pythons in build.wheels:
            if target.takes_platform(platform) and any(target.takes_python(tag) for tag in pythons):
                left = tuple(text for text in build.requires if not text.startswith(_OF_CUDA))
                return build._replace(requires=left) if other else build
    return None


def _distribution(
    item: Release, before: Optional[Distribution], site: str, matrix: Matrix, target: Target
) -> Distribution:
    """Return a distribution as a fresh install leaves it: every file is there."""
    build = build_of(matrix, target, item.name, item.version)
    same = before if before is not None and before.version.or_none() == item.version else None
    requires = build.requires if build is not None else same.requires if same is not None else ()
    location = "%s/%s-%s.dist-info" % (site, item.name.replace("-", "_"), item.version)
    version: Fact[str] = Fact.of(item.version, location) if item.version else Fact.unknown("the newest that fits")
    return Distribution(
        name=item.name,
        version=version,
        location=location,
        requires=same.requires if same is not None else requires,
        record=Fact.of(1, location + "/RECORD"),
    )


def _packages(
    python: Python, gone: List[str], changed: List[str], site: str, owned: Iterable[str]
) -> Iterable[ImportPackage]:
    """Say what an import would find: a file of the user's that comes first stays the first."""
    left = {import_name(name) for name in gone} - set(owned)
    new = {import_name(name): None for name in changed}
    for item in python.packages:
        location = "%s/%s" % (site, item.name.replace(".", "/"))
        if item.name in left and item.in_site:
            continue
        if item.name in new:
            new.pop(item.name)
            if item.kind == "namespace" or item.in_site:
                item = ImportPackage(item.name, "package", location, site)
            elif not item.hides:
                item = item.replace(hides=(location,))
        yield item
    for name in new:
        yield ImportPackage(name, "package", "%s/%s" % (site, name.replace(".", "/")), site)


def _builds(
    python: Python, matrix: Matrix, target: Target, changed: Dict[str, Release], gone: List[str]
) -> Iterable[FrameworkBuild]:
    touched = {import_name(name) for name in (*gone, *changed)}
    # What JAX was built for is a matter of its plug-ins.
    if any(name.startswith("jax") for name in (*gone, *changed)):
        touched.add("jax")
    for item in python.builds:
        if item.package not in touched:
            yield item
    owner = next((item for name, item in changed.items() if import_name(name) == "tensorflow"), None)
    build = build_of(matrix, target, owner.name, owner.version) if owner is not None else None
    if owner is None or build is None or build.kind == "empty":
        return
    source = "the release's wheel"
    yield FrameworkBuild(
        package="tensorflow",
        location=_site(python) + "/tensorflow",
        version=Fact.of(owner.version, source),
        cuda=Fact.of(build.kind == "cuda", source),
        rocm=Fact.of(build.kind == "rocm", source),
        cuda_version=Fact.of(build.cuda, source) if build.cuda else Fact.absent(source),
        cudnn_version=Fact.of(build.cudnn, source) if build.cudnn else Fact.absent(source),
        compute_capabilities=Fact.of(build.capabilities, source) if build.capabilities else Fact.absent(source),
        directml=Fact.of(owner.name == "tensorflow-directml", source),
    )


def _plugins(
    python: Python,
    system: str,
    site: str,
    matrix: Matrix,
    target: Target,
    changed: Dict[str, Release],
    gone: List[str],
) -> "Fact[Tuple[PluginLibrary, ...]]":
    if not python.plugins.known:
        return python.plugins
    marks = tuple(mark for name in gone for mark in PLUGIN_FILES.get(name, ()))
    files = [item for item in python.plugins.value or () if not any(mark in item.path for mark in marks)]
    for item in changed.values():
        build = build_of(matrix, target, item.name, item.version)
        for name in build.plugins if build is not None else ():
            path = "%s/tensorflow-plugins/%s" % (site, name.rpartition("/")[2])
            if not any(path.rpartition("/")[2] in file.path for file in files):
                files.append(PluginLibrary(path, FORMATS.get(system, "other"), 1))
    return Fact.of(tuple(files), python.plugins.source)


def predict_new(machine: Machine, python: str) -> Machine:
    """Return the machine as a new environment with another Python sees it, before anything is installed."""
    there = machine.python
    fresh = there.replace(
        version=python + ".0" if there.version.split(".")[:2] != python.split(".") else there.version,
        environment="venv",
        externally_managed=False,
        bits=64,
        distributions=Fact.of((), "a new environment"),
        distribution_count=Fact.of(0, "a new environment"),
        unreadable=(),
        leftovers=(),
        packages=tuple(item.replace(hides=()) for item in there.packages if not item.in_site),
        builds=(),
        plugins=Fact.of((), "a new environment"),
        stale_modules=(),
        plugin_distributions=(),
    )
    return machine.replace(python=fresh)
