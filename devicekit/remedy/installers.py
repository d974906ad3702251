"""The installer of an environment, and what it is told: uv or pip, by absolute paths and without a shell."""

import os
import sys
from typing import Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..children.spawn import ToolResult
from ..children.tool import run_long_tool
from ..diagnosis.findings import Packages
from ..errors import RemedyError
from ..machine.facts import Python
from ..machine.host import Host
from ..machine.pip_settings import pip_options
from ..machine.probe.distributions import normalize, split_folder_name
from ..runtime.scratch import scratch_folder
from .layout import Layout, versions

#: A slow line needs long for a gigabyte; an installer that does nothing gives up by itself.
_TIMEOUT_S = 4 * 3600.0

#: They would have it install elsewhere, or not at all.
_MISLEADING = (
    "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_PYTHON", "PYTHONHOME", "PYTHONPATH",
    "UV_PYTHON", "UV_SYSTEM_PYTHON", "UV_NO_DEPS", "UV_DRY_RUN",
)  # fmt: skip

#: Of files whose names are relative to the working folder, which is another one for the installer.
_OF_FILES = ("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT", "UV_CONSTRAINT", "UV_BUILD_CONSTRAINT", "UV_OVERRIDE")

_SETTINGS = {
    "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_COLOR": "1", "PIP_PROGRESS_BAR": "off",
    "UV_NO_PROGRESS": "1", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8",
    # What pip's files say as well.
    "PIP_USER": "0", "PIP_DRY_RUN": "0", "PIP_NO_DEPS": "0", "PIP_IGNORE_INSTALLED": "0", "PIP_REQUIRE_VIRTUALENV": "0",
}  # fmt: skip

#: Settings of pip, of which uv reads nothing, and its variables for the same.
_FOR_UV = {
    "index-url": "UV_INDEX_URL", "extra-index-url": "UV_EXTRA_INDEX_URL", "find-links": "UV_FIND_LINKS",
    "constraint": "UV_CONSTRAINT", "cert": "SSL_CERT_FILE", "trusted-host": "UV_INSECURE_HOST",
    "proxy": "ALL_PROXY",
}  # fmt: skip

#: devicekit and what it needs: the environment that it examines may be its own.
OURS = ("devicekit", "nvidia-ml-py", "packaging", "platformdirs", "resolvelib")


class Installer(NamedTuple):
    """How packages are installed: ``name`` is ``"uv"`` or ``"pip"``, ``start`` the beginning of its calls."""

    name: str
    start: Tuple[str, ...]
    layout: Layout

    def uninstall(self, names: Sequence[str]) -> Tuple[str, ...]:
        """Return the call that removes distributions."""
        if self.name == "uv":
            return (*self.start, "uninstall", *self._target(), *names)
        return (*self.start, "uninstall", "--yes", *names)

    def install(self, requirements: Sequence[str], options: Sequence[str] = ()) -> Tuple[str, ...]:
        """Return the call that installs requirements together."""
        return (*self.start, "install", *self._target(), *options, *requirements)

    def reinstall(self, requirements: Sequence[str], options: Sequence[str] = ()) -> Tuple[str, ...]:
        """Return the call that writes the files of distributions again.

        uv links files from its cache, so that what damaged them may have damaged those too: they are fetched again.
        """
        again = ("--reinstall", "--no-cache") if self.name == "uv" else ("--force-reinstall", "--no-cache-dir")
        return self.install(requirements, (*again, "--no-deps", *options))

    def _target(self) -> Tuple[str, ...]:
        # An empty folder is none, and what pip's files say does not count.
        return ("--python", self.layout.executable) if self.name == "uv" else ("--target=",)

    def run(
        self,
        arguments: Sequence[str],
        token: str,
        lock: int,
        tick: Optional[Callable[[str], None]] = None,
    ) -> ToolResult:
        """Run it in the folder of the environment, which decides about settings of the project.

        Raises
        ------
        RemedyError
            If it cannot be started.
        """
        try:
            with scratch_folder() as temporary:  # pip that is ended leaves what it has unpacked
                return run_long_tool(
                    arguments,
                    dict(variables(os.environ), TMPDIR=temporary, TEMP=temporary, TMP=temporary),
                    timeout_s=_TIMEOUT_S,
                    token=token,
                    tick=tick,
                    folder=self.layout.prefix,
                    keep_open=(lock,),
                )
        except OSError as error:
            raise RemedyError("%s cannot be started: %s" % (arguments[0], error.strerror or error)) from error


def variables(environment: Mapping[str, str], host: Optional[Host] = None) -> Mapping[str, str]:
    """Return the variables for an installer: the user's that do not lead it elsewhere; with a host, pip's settings for uv."""
    found: Dict[str, str] = {}
    if host is not None:
        for name, value in pip_options(host, tuple(_FOR_UV)).items():
            found[_FOR_UV[name]] = ("," if name == "find-links" else " ").join(map(host.expand, value.split()))
    if "UV_EXTRA_INDEX_URL" in found:  # as pip does, and not the first index that has a project
        found["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    found.update((name, value) for name, value in environment.items() if name not in _MISLEADING)
    if host is not None:
        for name in found.keys() & set(_OF_FILES):
            paths = found[name].split()
            here = [path if "://" in path else host.join(host.interpreter.cwd, host.expand(path)) for path in paths]
            found[name] = " ".join(here)
    return dict(found, **_SETTINGS)


def uv_options(host: Host) -> Tuple[str, ...]:
    """Return the option for pip's setting for which uv has no variable."""
    value = pip_options(host, ("no-index",)).get("no-index", "0").lower()
    return () if value in ("0", "false", "no", "off") else ("--no-index",)


def complaint(printed: str) -> str:
    """Return what an installer that failed says of it: its explanation, else its last errors, else its last lines."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    explained = [number for number, line in enumerate(lines) if line.startswith(("x ", "\u00d7"))]
    if explained:
        return " ".join(lines[explained[0] :])[:600]
    errors = [line for line in lines if line.lower().startswith(("error", "cause")) or "No space left" in line]
    return " ".join((errors or lines)[-2:])[:600]


def find_installer(layout: Layout, python: Python) -> Installer:
    """Return the installer of an environment: its own, else one that can install into it.

    Raises
    ------
    RemedyError
        If there is none.
    """
    uv = find_uv(layout)
    if python.installer == "uv" and uv is not None:
        return Installer("uv", (uv, "pip"), layout)
    start = (layout.executable, "-I", "-B")
    if any(os.path.isfile(os.path.join(folder, "pip", "__main__.py")) for folder in layout.libraries):
        return Installer("pip", (*start, "-m", "pip"), layout)
    if uv is not None:
        return Installer("uv", (uv, "pip"), layout)
    if layout.bundled_pip:
        return Installer("pip", (*start, os.path.join(layout.bundled_pip[0], "pip")), layout)
    raise RemedyError("no installer for %s: there is neither uv, nor pip, nor ensurepip" % layout.executable)


def installer_name(layout: Layout, python: Python) -> str:
    """Return the name of the installer of an environment, ``"pip"`` where there is none: a new environment has pip."""
    try:
        return find_installer(layout, python).name
    except RemedyError:
        return "pip"


def find_uv(layout: Optional[Layout] = None) -> Optional[str]:
    """Return the absolute path of uv: where the user's shell finds it, or where its own installer puts it."""
    name = "uv.exe" if os.name == "nt" else "uv"
    folders = [entry for entry in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(entry)]
    folders += [os.path.dirname(sys.executable)] if sys.executable else []
    folders += [layout.scripts] if layout is not None else []
    folders += [os.path.join(os.path.expanduser("~"), *parts) for parts in ((".local", "bin"), (".cargo", "bin"))]
    paths = (os.path.join(folder, name) for folder in folders)
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)


def steps(installer: Installer, packages: Packages, constraints: str) -> List[Tuple[str, Tuple[str, ...]]]:
    """Return what to run, in this order, each with what it does in words.

    ``constraints``: a file of versions that have to stay, "" for none.
    """
    # Of uv, the option replaces the variable; pip adds to it.
    files = [constraints, *(os.environ.get("UV_CONSTRAINT", "").split() if installer.name == "uv" else ())]
    options: Tuple[str, ...] = ("--index-url", packages.index_url) if packages.index_url else ()
    for path in files if constraints else ():
        options += ("--constraint", path)
    found = []
    if packages.remove:
        found.append(("removing %s" % _some(packages.remove), installer.uninstall(packages.remove)))
    if packages.install:
        found.append(("installing %s" % _some(packages.install), installer.install(packages.install, options)))
    if packages.reinstall:
        found.append(("reinstalling %s" % _some(packages.reinstall), installer.reinstall(packages.reinstall, options)))
    return found


def _some(texts: Sequence[str]) -> str:
    return ", ".join(texts[:3]) + (" and %d more" % (len(texts) - 3) if len(texts) > 3 else "")


def name_of(requirement: str) -> str:
    """Return the normalized name of a requirement."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        return normalize(Requirement(requirement).name)
    except InvalidRequirement:
        raise RemedyError("%r is not a requirement" % requirement) from None


def named(packages: Packages) -> Tuple[str, ...]:
    """Return the normalized names of the distributions that packages are about."""
    return tuple(
        dict.fromkeys([*map(normalize, packages.remove), *map(name_of, packages.install + packages.reinstall)])
    )


def check_packages(packages: Packages, layout: Layout) -> None:
    """Refuse what an installer would take for an option, what is not a requirement, and to remove devicekit.

    Raises
    ------
    RemedyError
    """
    kept = set(map(name_of, packages.install)) | (set() if _is_ours(layout) else set(OURS))
    lost = [name for name in map(normalize, packages.remove) if name in OURS and name not in kept]
    if lost:
        raise RemedyError("this would remove %s from the environment of devicekit itself" % ", ".join(lost))
    for text in (*packages.remove, *packages.install, *packages.reinstall):
        name_of(text)
    if packages.index_url and not packages.index_url.startswith("https://"):
        raise RemedyError("packages are installed from an index by https only, not from %r" % packages.index_url)


def _is_ours(layout: Layout) -> bool:
    """Whether devicekit is installed in an environment."""
    return "devicekit" in versions(layout.installed())


def constraints_for(layout: Layout, packages: Packages) -> Tuple[str, ...]:
    """Return the versions that have to stay: devicekit's own dependencies, where it is installed in that environment."""
    if not _is_ours(layout):
        return ()
    installed = versions(layout.installed())
    free = named(packages)
    return tuple("%s==%s" % (name, installed[name]) for name in OURS[1:] if name in installed and name not in free)


def drop_unrecorded(layout: Layout, names: Iterable[str]) -> None:
    """Remove metadata without RECORD of some distributions: installers refuse to replace what they cannot remove."""
    import shutil

    wanted = set(names)
    for path in layout.metadata():
        if path.endswith(".dist-info") and split_folder_name(os.path.basename(path))[0] in wanted:
            if not os.path.isfile(os.path.join(path, "RECORD")):
                shutil.rmtree(path)
