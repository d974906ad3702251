"""Commands of package managers: pip, uv, conda, and those of projects (uv, Poetry, PDM, Pipenv). Pure.

Sources: pip.pypa.io/en/stable/cli, docs.astral.sh/uv/reference/cli, python-poetry.org/docs/cli,
pdm-project.org/latest/reference/cli, pipenv.pypa.io/en/latest/cli.html,
docs.conda.io/projects/conda/en/stable/commands, packaging.python.org/en/latest/specifications/externally-managed-environments.
"""

import re
from typing import List, NamedTuple, Sequence, Tuple

from ..matrix.matrix import normal_name
from .findings import Packages
from .shells import Part, run

#: The folder of an environment next to the user's project, and the name of one that conda makes.
_FOLDER, _NAME = ".venv", "ml"


class Environment(NamedTuple):
    """What is known of an environment besides its installer.

    Attributes
    ----------
    manager : str
        What manages the project that the environment belongs to: ``"uv"``, ``"poetry"``, ``"pdm"``, ``"pipenv"``, "" if
        nothing does.
    declared : tuple of str
        Names of the distributions that the project names itself.
    protected : str
        Why nothing should be installed into it: ``"system"`` (PEP 668), ``"conda-base"``, ``"read-only"``, "" if nothing
        speaks against it.
    conda : str
        The program that installs into conda environments: conda, mamba or micromamba.
    version : str
        The minor version of its Python.
    frameworks : tuple of str
        The installed frameworks, as exact requirements: what another environment needs as well.
    notebook : str
        The hosted notebook that it belongs to: ``"colab"``.
    preset : tuple of str
        Variables that its Python sets at its start.
    """

    manager: str = ""
    declared: Tuple[str, ...] = ()
    protected: str = ""
    conda: str = "conda"
    version: str = ""
    frameworks: Tuple[str, ...] = ()
    notebook: str = ""
    preset: Tuple[str, ...] = ()

    def note(self) -> str:
        """Return what a step that changes its packages says of it, "" if there is nothing to say."""
        if self.protected:
            return {
                "system": ", in a new environment: this Python is the system's own",
                "conda-base": ", in a new environment: conda itself runs in this one",
                "read-only": ", in a new environment: this one is read-only",
            }[self.protected]
        if self.notebook:
            return ", in a cell (with ! in front of the command), then restart the session"
        return ""


def change_packages(
    packages: Packages, python: str, installer: str, environment: Environment, windows: bool
) -> Tuple[Part, ...]:
    """Return the commands that do this to an environment's packages, or to a new one where it must not be changed."""
    if environment.protected:
        return _beside(packages, python, environment, windows)
    if environment.manager in _PROJECTS:
        return _PROJECTS[environment.manager](packages, environment)
    if installer == "uv":
        return _with_uv(packages, python)
    if installer == "conda":
        # Extras and nvidia-* are names of pip's world; a conda environment without pip gets it first.
        return (run(environment.conda, "install", "-y", "pip"), *_with_pip(packages, "python"))
    return _with_pip(packages, python)


def _with_pip(packages: Packages, python: str) -> Tuple[Part, ...]:
    parts: List[Part] = []
    if packages.remove:
        parts.append(run(python, "-m", "pip", "uninstall", "-y", *packages.remove))
    if packages.install:
        parts.append(run(python, "-m", "pip", "install", *packages.install, *_index(packages)))
    if packages.reinstall:
        parts.append(run(python, "-m", "pip", "install", "--force-reinstall", "--no-deps", *packages.reinstall))
    return tuple(parts)


def _with_uv(packages: Packages, python: str) -> Tuple[Part, ...]:
    parts: List[Part] = []
    if packages.remove:
        parts.append(run("uv", "pip", "uninstall", "--python", python, *packages.remove))
    if packages.install:
        parts.append(run("uv", "pip", "install", "--python", python, *packages.install, *_index(packages)))
    if packages.reinstall:
        parts.append(run("uv", "pip", "install", "--python", python, "--reinstall", "--no-deps", *packages.reinstall))
    return tuple(parts)


def _index(packages: Packages) -> Tuple[str, ...]:
    return ("--index-url", packages.index_url) if packages.index_url else ()


# Projects: what is installed without their manager, the next sync removes.


def _removed(packages: Packages, environment: Environment) -> Tuple[str, ...]:
    """What of the distributions to remove the project names, and does not get in another release."""
    new = [normal_name(text) for text in packages.install]
    names = [normal_name(name) for name in packages.remove]
    return tuple(name for name in names if name in environment.declared and name not in new)


def _uv_project(packages: Packages, environment: Environment) -> Tuple[Part, ...]:
    parts: List[Part] = []
    removed = _removed(packages, environment)
    if removed:
        parts.append(run("uv", "remove", *removed))
    if packages.install:
        index = (
            ("--index", "%s=%s" % (_index_name(packages.index_url), packages.index_url)) if packages.index_url else ()
        )
        parts.append(run("uv", "add", *packages.install, *index))
    again = [text for name in packages.reinstall for text in ("--reinstall-package", normal_name(name))]
    # Another build of the same version, and what no longer belongs: the environment is made what the project says.
    again += [text for name in packages.remove if name not in removed for text in ("--reinstall-package", name)]
    if again:
        parts.append(run("uv", "sync", *again))
    return tuple(parts)


def _poetry_project(packages: Packages, environment: Environment) -> Tuple[Part, ...]:
    parts: List[Part] = []
    removed = _removed(packages, environment)
    if removed:
        parts.append(run("poetry", "remove", *removed))
    if packages.install:
        source: Tuple[str, ...] = ()
        if packages.index_url:
            name = _index_name(packages.index_url)
            parts.append(run("poetry", "source", "add", "--priority", "explicit", name, packages.index_url))
            source = ("--source", name)
        parts.append(run("poetry", "add", *source, *packages.install))
    left = [name for name in packages.remove if name not in removed and not packages.install]
    if left:
        parts.append(run("poetry", "run", "python", "-m", "pip", "uninstall", "-y", *left))
    if packages.reinstall:
        again = ("--force-reinstall", "--no-deps", *packages.reinstall)
        parts.append(run("poetry", "run", "python", "-m", "pip", "install", *again))
    return tuple(parts)


def _pdm_project(packages: Packages, environment: Environment) -> Tuple[Part, ...]:
    parts: List[Part] = []
    removed = _removed(packages, environment)
    if removed:
        parts.append(run("pdm", "remove", *removed))
    if packages.index_url:
        # An index of its own is a table in pyproject.toml, for which PDM has no command.
        parts.append(run("pdm", "run", "python", "-m", "ensurepip"))
        install = ("install", *packages.install, *_index(packages))
        parts.append(run("pdm", "run", "python", "-m", "pip", *install))
    elif packages.install:
        parts.append(run("pdm", "add", *packages.install))
    if packages.reinstall or (packages.remove and not removed and not packages.install):
        parts.append(run("pdm", "sync", "--clean", "--reinstall"))
    return tuple(parts)


def _pipenv_project(packages: Packages, environment: Environment) -> Tuple[Part, ...]:
    parts: List[Part] = []
    removed = _removed(packages, environment)
    if removed:
        parts.append(run("pipenv", "uninstall", *removed))
    if packages.install:
        index = ("--index", packages.index_url) if packages.index_url else ()
        parts.append(run("pipenv", "install", *packages.install, *index))
    left = [name for name in packages.remove if name not in removed and not packages.install]
    if left:
        parts.append(run("pipenv", "run", "pip", "uninstall", "-y", *left))
    if packages.reinstall:
        parts.append(run("pipenv", "run", "pip", "install", "--force-reinstall", "--no-deps", *packages.reinstall))
    return tuple(parts)


def _index_name(url: str) -> str:
    """Return a name for an index: ``pytorch-cu126``."""
    host = re.sub(r"^https?://", "", url).partition("/")[0].split(".")
    last = url.rstrip("/").rpartition("/")[2]
    return "%s-%s" % (host[-2] if len(host) > 1 else host[0], last)


_PROJECTS = {"uv": _uv_project, "poetry": _poetry_project, "pdm": _pdm_project, "pipenv": _pipenv_project}

#: How a project gets another Python, and how it gets the newest release of a distribution.
_PYTHONS = {"uv": "uv python pin", "poetry": "poetry env use", "pdm": "pdm use", "pipenv": "pipenv --python"}
_UPGRADES = {
    "uv": "uv add --upgrade", "poetry": "poetry add", "pdm": "pdm update --unconstrained", "pipenv": "pipenv update",
}  # fmt: skip


def upgrade(names: Sequence[str], python: str, installer: str, environment: Environment) -> Part:
    """Return the command that installs the newest releases."""
    if environment.manager in _UPGRADES:
        latest = "@latest" if environment.manager == "poetry" else ""
        return run(*_UPGRADES[environment.manager].split(), *(name + latest for name in names))
    if installer == "uv":
        return run("uv", "pip", "install", "--python", python, "--upgrade", *names)
    return run(python, "-m", "pip", "install", "--upgrade", *names)


# Environments next to the one that must not be changed, and with another Python.


def _beside(packages: Packages, python: str, environment: Environment, windows: bool) -> Tuple[Part, ...]:
    extra: Tuple[str, ...] = ("--system-site-packages",)
    wanted: Tuple[str, ...] = packages.install
    if environment.protected != "system" or packages.remove or packages.reinstall:
        # It cannot have what is there and leave a part of it out: it gets all that is needed.
        extra, wanted = (), _whole(packages, environment)
    index = _index(packages)
    if environment.protected == "conda-base":
        make = run(environment.conda, "create", "-y", "-n", _NAME, "python=%s" % environment.version, "pip")
        return (make, run(environment.conda, "run", "-n", _NAME, "python", "-m", "pip", "install", *wanted, *index))
    make = run(python, "-m", "venv", *extra, _FOLDER)
    return (make, run(_inside(_FOLDER, windows), "-m", "pip", "install", *wanted, *index))


def _whole(packages: Packages, environment: Environment) -> Tuple[str, ...]:
    given = packages.install + packages.reinstall
    names = {normal_name(text) for text in given + packages.remove}
    return given + tuple(text for text in environment.frameworks if normal_name(text) not in names)


def _inside(folder: str, windows: bool) -> str:
    return folder + ("\\Scripts\\python" if windows else "/bin/python")


def new_environment(
    python: str, name: str, requirements: Sequence[str], installer: str, environment: Environment, windows: bool
) -> Tuple[Part, ...]:
    """Return the commands that make an environment with another Python and install into it."""
    if environment.manager in _PROJECTS:
        pin = run(*_PYTHONS[environment.manager].split(), python)
        wanted = Packages(install=tuple(requirements))
        return (pin, *_PROJECTS[environment.manager](wanted, environment)) if requirements else (pin,)
    old = python in ("3.5", "3.6", "3.7") and not windows  # which uv does not download
    if installer == "conda" or environment.protected == "conda-base" or old:
        make = run(environment.conda, "create", "-y", "-n", name, "python=%s" % python, "pip")
        return (make, run(environment.conda, "run", "-n", name, "python", "-m", "pip", "install", *requirements))
    if windows and installer != "uv":
        make = run("py", "-%s" % python, "-m", "venv", name)
        return (make, run(_inside(name, windows), "-m", "pip", "install", *requirements))
    into = ("--python", _inside(name, windows)) if requirements else ()
    made = (run("uv", "venv", "--python", python, name),)
    return (*made, run("uv", "pip", "install", *into, *requirements)) if requirements else made
