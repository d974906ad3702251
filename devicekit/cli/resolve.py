"""``devicekit resolve``: releases that work together, and how to install them."""

import argparse
import re
from typing import TYPE_CHECKING, Any, Mapping, Optional

from ..children.progress import Progress
from ..errors import did_you_mean, unknown_name
from ..matrix.matrix import minor_of
from ..runtime.settings import read_settings
from .inputs import examine
from .output import print_error, print_json, print_text

if TYPE_CHECKING:
    from ..machine.facts import Machine
    from ..resolver.result import Resolution


def add_resolve(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    from ..matrix.target import PLATFORMS
    from ..resolver.formats import FORMATS
    from ..resolver.goals import FRAMEWORKS, GOALS

    parser: argparse.ArgumentParser = verbs.add_parser(
        "resolve",
        example="devicekit resolve gpu --python 3.11 --keep 'tensorflow==2.15.*'",
        status="0: there is such a set, and with --install it works; 1: there is none, or it does not work; 2: wrong use",
        help="find releases that work together, and show how to install them",
    )
    parser.add_argument(
        "goal", nargs="?", default="fastest", metavar="GOAL", help="%s (default: fastest)" % ", ".join(GOALS)
    )
    parser.add_argument("release", nargs="?", help=argparse.SUPPRESS)  # 'tensorflow 2.15', as for 'matrix'
    parser.add_argument("--framework", default="tensorflow", metavar="NAME", help=", ".join(FRAMEWORKS))
    parser.add_argument(
        "--with",
        dest="also",
        action="append",
        default=[],
        metavar="NAME",
        help="another framework; of keras: its backend",
    )
    parser.add_argument("--python", dest="python_version", metavar="3.10", help="for another Python version")
    parser.add_argument("--platform", metavar="NAME", help="for another platform: %s" % ", ".join(PLATFORMS))
    parser.add_argument(
        "--gpu", metavar="NAME", help="for another GPU: nvidia, amd, 6.1, 'RTX 4090', 'RX 7900 XTX', ..."
    )
    parser.add_argument("--driver", metavar="VERSION", help="for another NVIDIA driver: 535.104.05, 535")
    parser.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="REQUIREMENT",
        help="a requirement that must hold: 'tensorflow==2.10.*'",
    )
    parser.add_argument("--offline", action="store_true", help="do not ask the package index for newer releases")
    parser.add_argument("--allow-unknown", action="store_true", help="keep what the data hold nothing of, unchecked")
    parser.add_argument("--format", choices=(*FORMATS, "json"), help="print only what an installer reads")
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    parser.add_argument("--machine", metavar="FILE", help="for the machine of a snapshot ('-': standard input)")
    parser.add_argument(
        "--install", action="store_true", help="make an environment with the right Python, install the set, try it"
    )
    parser.add_argument("--into", metavar="DIR", help="with --install: the new folder (default: venv-GOAL)")
    parser.set_defaults(run=_resolve)


def _answer(options: argparse.Namespace, machine: "Machine", python: Optional[str]) -> "Resolution":
    from .. import resolve

    with Progress("looking for releases that work together", read_settings().quiet):
        return resolve(
            options.goal,
            framework=options.framework,
            machine=machine,
            python=python,
            platform=options.platform,
            gpu=options.gpu,
            driver=options.driver,
            keep=tuple(options.keep),
            also=tuple(options.also),
            online=not options.offline,
            allow_unknown=options.allow_unknown,
        )


def _resolve(options: argparse.Namespace) -> int:
    from ..report.resolution import install_command, resolution_text

    if options.into and not options.install:
        raise ValueError("--into names the folder that --install makes")
    for name in ("machine", "platform") if options.install else ():
        if getattr(options, name):
            raise ValueError("--install is for this machine: it does not go with --%s" % name)
    machine = examine(options.machine)
    _take_requirement(options)
    resolution = _answer(options, machine, options.python_version)
    if options.install:
        return _install(options, machine, resolution)
    again = (("--machine", options.machine) if options.machine else ()) + (("--offline",) if options.offline else ())
    resolution = resolution.replace(
        alternatives=tuple(
            item.replace(arguments=item.arguments + again) if item.arguments else item
            for item in resolution.alternatives
        )
    )
    python = minor_of(machine.python.version)
    if options.json or options.format == "json":
        print_json(resolution.to_dict())
    elif options.format and resolution.possible:
        pip = options.format == "pip"
        print_text(install_command(resolution, python) + "\n" if pip else resolution.render(options.format))
    elif options.format:  # standard output is for the installer
        print_error(resolution_text(resolution, python))
    else:
        print_text(resolution_text(resolution, python))
    return 0 if resolution.possible else 1


def _install(options: argparse.Namespace, machine: "Machine", resolution: "Resolution") -> int:
    """Make an environment with the set; where this Python has none, with the newest Python that does."""
    from ..children.process_tree import adopting
    from ..matrix.target import PYTHONS
    from ..remedy.new_environment import Order, accepted_versions, make_environment
    from ..report.resolution import environment_text, resolution_text

    accepted = accepted_versions()
    resolution = _accepted(options, machine, resolution, accepted)
    for python in PYTHONS if not (resolution.possible or options.python_version) else ():
        other = _accepted(options, machine, _answer(options, machine, python), accepted)
        if other.possible:
            resolution = other
            break
    if not resolution.possible:
        print_error(resolution_text(resolution, resolution.python))
        return 1
    folder = options.into or "venv-%s" % resolution.goal
    settings = tuple(resolution.variables.items())
    order = Order(
        folder, resolution.python, resolution.requirements, resolution.index_options, settings, resolution.frameworks
    )
    with adopting(), Progress("making an environment", read_settings().quiet) as progress:
        made = make_environment(order, progress.say)
    if options.json or options.format == "json":
        print_json(dict(resolution.to_dict(), environment=made.to_dict()))
    else:
        print_text(environment_text(resolution, made))
    return 0 if made.works else 1


def _accepted(
    options: argparse.Namespace, machine: "Machine", resolution: "Resolution", accepted: Mapping[str, str]
) -> "Resolution":
    """Return a set of releases that the installer accepts."""
    from ..matrix.matrix import accepts

    while True:
        pins = [item for item in resolution.pins if accepts(accepted.get(item.name, ""), item.version) is False]
        if not pins:
            return resolution
        options.keep = [*options.keep, *(item.name + accepted[item.name] for item in pins)]
        resolution = _answer(options, machine, resolution.python)


def _take_requirement(options: argparse.Namespace) -> None:
    """Understand ``tensorflow==2.15``, ``tensorflow 2.15`` and ``jax`` as that framework for the fastest device."""
    from ..resolver.goals import FRAMEWORKS, GOALS

    if options.release:
        options.goal = "%s==%s" % (options.goal, options.release)
    word = re.match(r"[A-Za-z][\w.-]*", options.goal)
    name = word.group().lower().replace("_", "-") if word else ""
    if options.goal in GOALS or (name not in FRAMEWORKS and "=" not in options.goal):
        if not did_you_mean(options.goal, GOALS) and did_you_mean(options.goal, FRAMEWORKS):
            raise ValueError(unknown_name("goal", options.goal, FRAMEWORKS))
        return
    if name in FRAMEWORKS:
        options.framework = name
    if options.goal != name:
        # A minor release means its patch releases: there is no 2.15 on the index.
        options.keep = [*options.keep, re.sub(r"==(\d+\.\d+)\Z", r"==\1.*", options.goal)]
    options.goal = "fastest"
