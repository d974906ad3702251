"""Shell for the user's shell: PowerShell on Windows, a POSIX shell elsewhere. No other module writes them. Pure."""

import re
from typing import Iterable, NamedTuple, Optional, Sequence, Tuple

from ..machine.facts import Machine
from ..resolver.result import quoted
from .findings import Fix, Packages

#: For a Windows terminal; WSL restarts by itself at its next use.
UPDATE_WSL = "wsl --update; wsl --shutdown"

#: What a POSIX shell takes as it is.
_PLAIN_VALUE = re.compile(r"[\w.,:/=+@%-]*\Z", re.ASCII)


class Place(NamedTuple):
    """What the commands depend on. Of a machine of which only the system is known, the rest stays as it is here.

    Attributes
    ----------
    system : {"linux", "windows", "macos"}
    python : str
        How to call the interpreter.
    installer : str
        What installs into its environment: ``"pip"``, ``"uv"``, ``"conda"``.
    externally_managed : bool
        Whether the environment is the system's own (PEP 668).
    wsl : bool
    container : str
        The program that started this container, "" if there is none or it is not known.
    """

    system: str
    python: str = "python"
    installer: str = "pip"
    externally_managed: bool = False
    wsl: bool = False
    container: str = ""


def place_of(machine: Machine) -> Place:
    """Return what commands for a machine depend on."""
    python, process = machine.python, machine.process
    active = process.env("VIRTUAL_ENV") == python.prefix or process.env("CONDA_PREFIX") == python.prefix
    return Place(
        machine.native.system,
        "python" if active else python.executable or "python",
        python.installer,
        bool(python.externally_managed),
        bool(process.wsl.or_none()),
        process.container.or_none() or "",
    )


class Shell:
    """Writes commands for the shell, the environment and the package manager of one machine."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.windows = place.system == "windows"

    # Variables of this shell

    def set_variable(self, name: str, value: str, quoted: bool = False) -> str:
        """Return the command that sets a variable; ``$NAME`` in the value is expanded."""
        if self.windows:
            return '$env:%s = "%s"' % (name, value)
        return self.set_variables(((name, '"%s"' % value if quoted or not _PLAIN_VALUE.match(value) else value),))

    @staticmethod
    def set_variables(pairs: Iterable[Tuple[str, str]]) -> str:
        """Return the POSIX command that sets several variables to plain values."""
        return "export %s" % " ".join("%s=%s" % pair for pair in pairs)

    def unset_variable(self, name: str) -> str:
        """Return the command that removes a variable."""
        return "Remove-Item Env:%s" % name if self.windows else "unset %s" % name

    def unset_fix(self, name: str, text: str = "Unset it to use the GPU") -> Fix:
        """Return the fix that removes a variable."""
        return Fix(text, self.unset_variable(name))

    def set_fix(self, text: str, name: str, value: str) -> Fix:
        """Return the fix that sets a variable."""
        return Fix(text, self.set_variable(name, value))

    def add_library_folders(self, folders: Sequence[str], keep: bool = True) -> str:
        """Return the command that puts folders first on the dynamic linker's search path, before what is there."""
        if self.windows:
            return self.set_variable("PATH", "%s;$env:PATH" % ";".join(folders))
        # An empty part would mean the working folder to the linker, so nothing is added to nothing.
        rest = ":$LD_LIBRARY_PATH" if keep else ""
        return self.set_variable("LD_LIBRARY_PATH", ":".join(map(self.path, folders)) + rest, quoted=True)

    @staticmethod
    def path(text: str) -> str:
        """Return a path as a POSIX shell understands it between double quotes."""
        return text.replace("~", "$HOME", 1) if text.startswith("~") else text

    # Packages

    @property
    def python(self) -> str:
        """How to call the examined interpreter from its shell."""
        return self._place.python

    def install(self, *requirements: str) -> str:
        """Return the command that installs into the examined environment, with its own package manager."""
        arguments = " ".join(map(quoted, requirements))
        if self._place.installer == "uv":
            return "uv pip install --python %s %s" % (self.python, arguments)
        if self._place.installer == "conda":
            # Extras and nvidia-* are names of pip's world; a conda environment without pip gets it first.
            return "conda install -y pip && python -m pip install %s" % arguments
        extra = "--break-system-packages " if self._place.externally_managed else ""
        return "%s -m pip install %s%s" % (self.python, extra, arguments)

    def uninstall(self, *names: str) -> str:
        """Return the command that removes distributions from the examined environment."""
        if self._place.installer == "uv":
            return "uv pip uninstall --python %s %s" % (self.python, " ".join(names))
        return "%s -m pip uninstall -y %s" % (self.python, " ".join(names))

    def packages_fix(self, text: str, packages: Packages, instead: bool = False) -> Fix:
        """Return the fix that does this to the packages of the examined environment."""
        commands = [self.uninstall(*packages.remove)] if packages.remove else []
        if packages.install:
            index = " --index-url %s" % packages.index_url if packages.index_url else ""
            commands.append(self.install(*packages.install) + index)
        commands += [self.reinstall(requirement) for requirement in packages.reinstall]
        names = ("powershell", "cmd") if self.windows else ("posix",)
        forms = tuple((name, "; ".join(commands) if name == "powershell" else " && ".join(commands)) for name in names)
        return Fix(text, forms[0][1], forms, "devicekit", "packages", True, packages, instead)

    def install_fix(self, text: str, *requirements: str) -> Fix:
        """Return the fix that installs something."""
        return self.packages_fix(text, Packages(install=requirements))

    def uninstall_fix(self, text: str, *names: str) -> Fix:
        """Return the fix that removes distributions."""
        return self.packages_fix(text, Packages(remove=names))

    def reinstall(self, requirement: str) -> str:
        """Return the command that writes a distribution's files again."""
        if self._place.installer == "uv":
            name = requirement.partition("=")[0]
            return "uv pip install --python %s --reinstall-package %s %s" % (self.python, name, requirement)
        return "%s -m pip install --force-reinstall --no-deps %s" % (self.python, requirement)

    def replace(self, names: Sequence[str], *requirements: str, options: str = "") -> str:
        """Return the command that removes distributions and then installs: over one another they would conflict.

        It is also how another build of the same version is installed, for which an installer alone sees nothing to do.
        """
        install = self.install(*requirements) + options
        return self.then(self.uninstall(*names), install) if names else install

    def new_environment(self, python: str, name: str, requirements: Sequence[str]) -> str:
        """Return the command that makes an environment with another Python and installs into it."""
        quoted = " ".join('"%s"' % item for item in requirements)
        if self.windows:
            return "py -%s -m venv %s; %s\\Scripts\\python -m pip install %s" % (python, name, name, quoted)
        return "uv venv --python %s %s && uv pip install --python %s/bin/python %s" % (python, name, name, quoted)

    # Programs and the system

    def then(self, first: str, second: str) -> str:
        """Return one line that runs two commands: PowerShell, which Windows opens, has no ``&&`` up to version 5."""
        return "%s%s%s" % (first, "; " if self.windows else " && ", second)

    def as_root(self, command: str) -> str:
        """Return the command with administrator rights; on Windows the terminal itself must have them."""
        return command if self.windows else "sudo " + command

    def root_fix(self, text: str, command: str) -> Fix:
        """Return the fix that runs a command with administrator rights."""
        return Fix(text, self.as_root(command))

    def restart(self) -> Optional[str]:
        """Return the command that restarts the machine; None for Windows, in WSL too, where the user restarts it."""
        return None if self.windows or self._place.wsl else self.as_root("reboot")

    def end_processes(self, pids: Sequence[int]) -> str:
        """Return the command that ends processes."""
        if self.windows:
            return "Stop-Process -Id %s" % ", ".join(map(str, pids))
        return "kill %s" % " ".join(map(str, pids))

    def run_container(self, docker: str, podman: str = "") -> str:
        """Return the command that starts a container with these options, by the program that started this one."""
        if self._place.container == "podman":
            return "podman run %s ..." % (podman or docker)
        return "docker run %s ..." % docker
