"""A set of releases in the formats that installers read. Pure."""

import json
import re
from typing import Any, Callable, Dict, List, Sequence, Tuple

from ..errors import unknown_name
from .goals import LOADER_PATH

#: A `Resolution`, whose method `render` this is: its module cannot be imported here.
Answer = Any


def render(answer: Answer, form: str) -> str:
    """Return a set in a format of `FORMATS`; raise ValueError if there is no set, or no such format."""
    if form not in _WRITERS:
        raise ValueError(unknown_name("format", form, FORMATS))
    if not answer.possible:
        raise ValueError("there is no set of releases to write: %s" % "; ".join(answer.obstacles))
    return "\n".join(_WRITERS[form](answer)) + "\n"


def _pip(answer: Answer) -> List[str]:
    return [answer.command]


def _requirements(answer: Answer) -> List[str]:
    """Return a requirements file: what decides, each line preceded by its reason."""
    lines = _head(answer) + ["--extra-index-url %s" % url for url in answer.indexes]
    for pin in answer.pins:
        lines += ["# %s" % pin.because, pin.requirement] if pin.deciding else []
    return lines + list(answer.others)


def _constraints(answer: Answer) -> List[str]:
    """Return a constraints file: every release, for ``--constraint`` (which takes no extras)."""
    lines = _head(answer)
    for pin in answer.pins:
        lines += ["# %s" % pin.because] if pin.deciding else []
        lines.append("%s==%s" % (pin.name, pin.version))
    return lines + list(answer.others)


def _pyproject(answer: Answer) -> List[str]:
    """Return a ``pyproject.toml`` of a project with these dependencies."""
    minor = int(answer.python.split(".")[1])
    lines = _head(answer) + [
        "[project]",
        'name = "app"',
        'version = "0.1.0"',
        'requires-python = ">=3.%d,<3.%d"' % (minor, minor + 1),
        "dependencies = [",
    ]
    for pin in answer.pins:
        lines += ["    # %s" % pin.because, "    %s," % _string(pin.requirement)] if pin.deciding else []
    return lines + ["    %s," % _string(text) for text in answer.others] + ["]"]


def _uv(answer: Answer) -> List[str]:
    """Return a ``pyproject.toml`` for ``uv sync``: the lock holds this platform only, and every known release."""
    environment = answer.target.environment()
    marker = "sys_platform == '%(sys_platform)s' and platform_machine == '%(platform_machine)s'" % environment
    lines = _pyproject(answer) + ["", "[tool.uv]", "package = false", "environments = [%s]" % _string(marker)]
    held = [pin for pin in answer.pins if not pin.deciding]
    lines += ["constraint-dependencies = ["] if held else []
    lines += ["    %s," % _string("%s==%s" % (pin.name, pin.version)) for pin in held] + (["]"] if held else [])
    for number, url in enumerate(answer.indexes, 1):
        lines += ["", "[[tool.uv.index]]", 'name = "index-%d"' % number, "url = %s" % _string(url), "explicit = true"]
    sources = _sources(answer)
    lines += ["", "[tool.uv.sources]"] if sources else []
    return lines + ['%s = { index = "%s" }' % (_string(name), index) for name, index in sources]


def _poetry(answer: Answer) -> List[str]:
    """Return a ``pyproject.toml`` for ``poetry install`` (Poetry 2)."""
    lines = _pyproject(answer) + ["", "[tool.poetry]", "package-mode = false"]
    for number, url in enumerate(answer.indexes, 1):
        lines += ["", "[[tool.poetry.source]]", 'name = "index-%d"' % number, "url = %s" % _string(url)]
        lines.append('priority = "explicit"')
    sources = _sources(answer)
    lines += ["", "[tool.poetry.dependencies]"] if sources else []
    return lines + ['%s = { source = "%s" }' % (_string(name), index) for name, index in sources]


def _conda(answer: Answer) -> List[str]:
    """Return an environment file: Python and pip come from conda, the frameworks from pip."""
    lines = _head(answer) + ["name: devicekit-%s" % answer.goal, "channels:", "  - conda-forge", "dependencies:"]
    lines += ["  - python=%s" % answer.python, "  - pip", "  - pip:"]
    lines += ["      - %s" % _string("--extra-index-url %s" % url) for url in answer.indexes]
    lines += ["      - %s" % _string(text) for text in answer.requirements]
    lines += ["variables:"] if answer.variables else []
    return lines + ["  %s: %s" % (name, _string(value)) for name, value in answer.variables.items()]


def _dockerfile(answer: Answer) -> List[str]:
    """Return a ``Dockerfile``; raise ValueError for what is not Linux."""
    target = answer.target
    if target.system != "linux":
        raise ValueError("a Dockerfile is for Linux, the answer for %s: ask for --platform linux-x86_64" % target.label)
    lines = _head(answer)
    image = "python:%s-slim" % target.python
    for found in (re.match(r"(ROCm|CUDA) \d[\d.]*( and cuDNN [\d.]+)?", need.text) for need in answer.needs):
        if found is not None:
            lines.append("# %s has no %s: start FROM an image that has it, or install it here" % (image, found.group()))
    lines.append("FROM --platform=linux/%s %s" % (_DOCKER[target.architecture], image))
    lines += ["ENV %s=%s" % item for item in answer.variables.items()]
    arguments = ["--extra-index-url %s" % url for url in answer.indexes] + list(map(_string, answer.requirements))
    lines.append("RUN python -m pip install --no-cache-dir \\")
    lines += ["    %s%s" % (text, " \\" if text is not arguments[-1] else "") for text in arguments]
    if any(LOADER_PATH in need.text for need in answer.needs):
        folder = "/usr/local/lib/python%s/site-packages/nvidia" % target.python
        lines.append("RUN find %s -name lib -type d > /etc/ld.so.conf.d/nvidia-wheels.conf && ldconfig" % folder)
    return lines


_DOCKER = {"x86_64": "amd64", "aarch64": "arm64"}

_WRITERS: Dict[str, Callable[[Answer], List[str]]] = {
    "pip": _pip,
    "requirements": _requirements,
    "constraints": _constraints,
    "pyproject": _pyproject,
    "uv": _uv,
    "poetry": _poetry,
    "conda": _conda,
    "dockerfile": _dockerfile,
}

#: What `render` takes.
FORMATS = tuple(_WRITERS)


def _head(answer: Answer) -> List[str]:
    """Return comments: what it is for, and what no package brings."""
    lines = ["# devicekit resolve %s: %s" % (answer.goal, answer.target.label)]
    lines += ["# The system needs: %s" % need.text for need in answer.needs if LOADER_PATH not in need.text]
    return lines + ["# Note: %s" % text for text in answer.notes]


def _sources(answer: Answer) -> Sequence[Tuple[str, str]]:
    """Return (project, name of its index) for those that have one of their own."""
    return [(pin.name, "index-%d" % (answer.indexes.index(pin.index) + 1)) for pin in answer.pins if pin.index]


def _string(text: str) -> str:
    r"""Return text as a string of TOML, YAML and a shell: in double quotes, where a requirement has none itself.

    >>> _string('numpy<2; python_version < "3.12"')
    '"numpy<2; python_version < \'3.12\'"'
    """
    return json.dumps(text.replace('"', "'"))
