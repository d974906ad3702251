"""What pip is configured to do: read from its files and variables, in its own order. pip is not run.

The working folder has no say: a path of a file is read only where it is absolute. That of a variable is the caller's.
"""

import configparser
import re
from typing import Dict, List, Optional, Sequence

from .host import Host

#: How many files of constraints may name each other.
_DEEPEST = 5


def pip_options(host: Host, names: Sequence[str], problems: Optional[List[str]] = None) -> Dict[str, str]:
    """Return options of pip that are set: a later file replaces what an earlier one says, variables replace all.

    Parameters
    ----------
    host : Host
    names : sequence of str
        The options, as on the command line: ``"index-url"``.
    problems : list of str, optional
        Gets what could not be read.
    """
    options: Dict[str, str] = {}
    for path in _pip_files(host):
        text = host.text_or_none(path)
        if text is None:
            continue
        parser = configparser.RawConfigParser()
        try:
            parser.read_string(text)
        except configparser.Error:
            if problems is not None:
                problems.append("pip's configuration %s cannot be read" % host.scrub(path))
            continue
        for section in ("global", "install"):
            for name, value in parser.items(section) if parser.has_section(section) else ():
                options[name.replace("_", "-")] = value
    environ = host.environ()
    for name in names:
        options[name] = environ.get("PIP_" + name.upper().replace("-", "_")) or options.get(name, "")
    return {name: options[name] for name in names if options[name].strip()}


def constraints(host: Host, installer: str) -> Dict[str, str]:
    """Return what an installer accepts of projects because it is configured so: version specifiers by normalized name.

    Parameters
    ----------
    host : Host
    installer : str
        ``"pip"`` reads its option ``constraint``, ``"uv"`` the variable ``UV_CONSTRAINT``.
    """
    files = host.environ().get("UV_CONSTRAINT" if installer == "uv" else "PIP_CONSTRAINT", "").split()
    paths = [host.join(host.interpreter.cwd, host.expand(path)) for path in files]
    if installer != "uv" and not files:
        paths = pip_options(host, ("constraint",)).get("constraint", "").split()
    found: Dict[str, List[str]] = {}
    for path in paths:
        _read(host, path, found, _DEEPEST)
    return {name: ",".join(texts) for name, texts in found.items()}


def _read(host: Host, path: str, found: Dict[str, List[str]], depth: int) -> None:
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name

    path = host.expand(path)
    text = host.text_or_none(path) if host.path.isabs(path) and depth else None
    for line in (text or "").replace("\\\n", " ").splitlines():
        line = re.sub(r"(^|\s)(#|--hash=).*", "", line).strip()
        other = re.match(r"(?:-[cr]|--constraint|--requirement)[ =]?\s*(\S+)$", line)
        if other is not None:
            _read(host, host.join(host.path.dirname(path), other.group(1)), found, depth - 1)
            continue
        try:
            requirement = Requirement(line)
        except InvalidRequirement:  # another option, or a path: neither says anything of a version
            continue
        applies = requirement.marker is None or requirement.marker.evaluate()
        if applies and str(requirement.specifier):
            found.setdefault(canonicalize_name(requirement.name), []).append(str(requirement.specifier))


def _pip_files(host: Host) -> List[str]:
    """Return the files that pip reads, the weakest first."""
    environ, windows = host.environ(), host.system == "windows"
    chosen = environ.get("PIP_CONFIG_FILE", "")
    if chosen.lower() in ("/dev/null", "nul"):
        return []
    name = "pip.ini" if windows else "pip.conf"
    legacy = host.join(host.home, "pip" if windows else ".pip", name)
    folders = [host.join(folder, "pip") for folder in configuration_folders(host, system=True)]
    files = [host.join(folder, name) for folder in folders] + ([] if windows else ["/etc/pip.conf"])
    if not (chosen and host.is_file(chosen)):
        files += [legacy] + [host.join(folder, "pip", name) for folder in configuration_folders(host, system=False)]
    return files + [host.join(host.interpreter.prefix, name)] + ([chosen] if chosen else [])


def configuration_folders(host: Host, system: bool) -> List[str]:
    """Return the folders for configuration of all users, or of this one."""
    environ = host.environ()
    if host.system == "windows":
        folder = environ.get("PROGRAMDATA" if system else "APPDATA", "")
        return [folder] if folder else []
    if system:
        shared = ["/Library/Application Support"] if host.system == "macos" else []
        return shared + [item for item in environ.get("XDG_CONFIG_DIRS", "/etc/xdg").split(":") if item]
    support = [host.join(host.home, "Library", "Application Support")] if host.system == "macos" else []
    return [environ.get("XDG_CONFIG_HOME") or host.join(host.home, ".config")] + support
