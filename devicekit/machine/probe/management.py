"""Who manages an environment: a project's tool, conda itself, or someone else whose folder this user must not write."""

import re
from typing import List, NamedTuple, Tuple

from ..facts import Fact
from ..host import Host
from .distributions import normalize


class Management(NamedTuple):
    """The fields of that name of `Python`."""

    manager: "Fact[str]"
    declared: Tuple[str, ...]
    conda_base: bool
    writable: "Fact[bool]"


#: The files in which tools write down a project's releases, and the folders in which they keep environments of projects.
_LOCKS = (("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm"))
_FOLDERS = (("pypoetry", "virtualenvs", "poetry"), ("pdm", "venvs", "pdm"))


def read_management(host: Host, environment: str) -> Management:
    """Return who manages the environment of the examined interpreter; ``environment``: its kind."""
    prefix = host.interpreter.prefix
    manager: "Fact[str]" = Fact.absent(problem="not the environment of a project")
    declared: Tuple[str, ...] = ()
    if environment == "venv":
        manager, declared = _project(host)
    base = environment == "conda" and host.is_dir(host.join(prefix, "condabin"))
    return Management(manager, declared, base, _writable(host))


def _project(host: Host) -> "Tuple[Fact[str], Tuple[str, ...]]":
    interpreter = host.interpreter
    parts = re.split(r"[\\/]", interpreter.prefix)
    central = next((name for folder, kind, name in _FOLDERS if parts[-3:-1] == [folder, kind]), "")
    # An environment in the project's folder, or one that the tool keeps elsewhere for the project that is worked on.
    folder = interpreter.cwd if central else host.path.dirname(interpreter.prefix)
    pyproject = host.text_or_none(host.join(folder, "pyproject.toml")) if folder else None
    declared = declared_names(pyproject) if pyproject is not None else ()
    for lock, name in _LOCKS:
        path = host.join(folder, lock) if folder else ""
        if path and (not central or central == name) and host.is_file(path):
            return Fact.of(name, host.scrub(path)), declared
    if central:
        return Fact.of(central, host.scrub(interpreter.prefix)), ()
    return Fact.absent("%s next to the environment" % ", ".join(lock for lock, _ in _LOCKS)), ()


def declared_names(text: str) -> Tuple[str, ...]:
    """Return the names of the distributions that a ``pyproject.toml`` requires; the standard library reads TOML from 3.11 on.

    ::

        [project]
        dependencies = ["tensorflow[and-cuda]==2.15.1", "numpy<2"]
        [tool.poetry.dependencies]
        keras = "^3.0"
    """
    found: List[str] = []
    section, inside = "", False
    for line in text.splitlines():
        line = line.strip()
        header = re.match(r"\[+([^\]]+)\]+$", line)
        if header is not None:
            section, inside = header.group(1).strip(), False
            continue
        key = re.match(r"[\"']?([A-Za-z0-9][\w.-]*)[\"']?\s*=", line)
        if section.startswith("tool.poetry") and section.endswith("dependencies"):
            found += [key.group(1)] if key is not None else []
            continue
        starts = key is not None and "[" in line and (key.group(1).endswith("dependencies") or _of_group(section))
        if starts or inside:
            array = line.partition("=")[2] if starts else line
            found += re.findall(r"[\"']\s*([A-Za-z0-9][\w.-]*)[^\"']*[\"']", array)
            # An array ends with a bracket of its own: those of extras are inside quotes.
            inside = "]" not in re.sub(r"\"[^\"]*\"|'[^']*'", "", array)
    return tuple(dict.fromkeys(normalize(name) for name in found))


def _of_group(section: str) -> bool:
    return section in ("dependency-groups", "project.optional-dependencies", "tool.pdm.dev-dependencies")


def _writable(host: Host) -> "Fact[bool]":
    folders = [path for path in host.interpreter.site_paths if host.is_dir(path)]
    if not folders:
        return Fact.unknown("its folder for packages is not known", "site-packages")
    return Fact.of(host.writable(folders[0]), host.scrub(folders[0]))
