"""For the tests of a plug-in: probe a machine that is a folder, and judge it, on a computer without the accelerator."""

from typing import List

from ..diagnosis.findings import Diagnosis
from ..machine.facts import Machine
from .interface import Platform
from .loading import checked


def machine_from(folder: str, *platforms: Platform) -> Machine:
    """Return what is known of a simulated machine, with what the platforms' probes find there.

    Parameters
    ----------
    folder : str
        The folder with ``host.json``, which says what the machine is: its system, environment variables, device nodes, files,
        answers of commands, and installed distributions. The folder ``root`` in it holds further files.
    *platforms : Platform
        Whose probes are asked.

    Raises
    ------
    MachineFileError
        Where the folder is no simulated machine.
    PluginError
        Where one of the platforms is not what it should be, or its probe fails: what is a finding for a user is a mistake
        for a test.
    """
    from ..machine.probe import read_machine
    from ..machine.simulated import SimulatedHost
    from .calls import PluginError

    for platform in platforms:
        checked(platform, platform.name)
    machine = read_machine(SimulatedHost(folder), platforms=platforms)
    problems: List[str] = [text for item in machine.platforms for text in item.problems]
    if problems:
        raise PluginError("; ".join(problems))
    return machine


def judge(machine: Machine, *platforms: Platform) -> Diagnosis:
    """Return the diagnosis of a machine with the rules and devices of these platforms.

    `devicekit.diagnose` does the same with the plug-ins that are installed.
    """
    from ..diagnosis.diagnose import run_rules
    from ..matrix.matrix import BUNDLED
    from .rules import report_of

    return run_rules(machine, BUNDLED, report_of(machine, platforms))
