"""`Shell`: commands for the shells, the environment and the package manager of one machine. Pure.

No other module writes commands.
"""

import re
import sys
from typing import List, NamedTuple, Sequence, Tuple

from ..machine.facts import Machine
from ..matrix.matrix import minor_of
from .findings import Fix, Packages
from .package_commands import Environment, change_packages, new_environment, upgrade
from .shells import CMD, DOCKERFILE, POSIX, POWERSHELL, Command, Syntax, by_shell, run, set_variables, unset_variable

#: Programs that take their image from a recipe.
_IMAGES = ("docker", "podman")

#: What an environment has to keep when it is made again: the frameworks.
_FRAMEWORKS = re.compile(r"(tensorflow(-.+)?|tf-nightly(-.+)?|keras|tf-keras|jax|torch)\Z")


class Place(NamedTuple):
    """What the commands depend on. Of a machine of which only the system is known, the rest stays as it is here.

    Attributes
    ----------
    system : {"linux", "windows", "macos"}
    python : str
        How to call the interpreter.
    installer : str
        What installs into its environment: ``"pip"``, ``"uv"``, ``"conda"``.
    wsl : bool
    container : str
        The program that started this container, "" if there is none or it is not known.
    root : bool
        Whether the user is root: then nothing needs sudo.
    environment : Environment
        More of the environment: what manages it, and why nothing may be installed into it.
    """

    system: str
    python: str = "python"
    installer: str = "pip"
    wsl: bool = False
    container: str = ""
    root: bool = False
    environment: Environment = Environment()


def place_of(machine: Machine) -> Place:
    """Return what commands for a machine depend on."""
    python, process = machine.python, machine.process
    active = process.env("VIRTUAL_ENV") == python.prefix or process.env("CONDA_PREFIX") == python.prefix
    # Of a frozen program, or of one that embeds Python, the executable is that program.
    named = re.split(r"[\\/]", python.executable)[-1].lower().startswith(("python", "pypy"))
    call = python.executable if named and not active else "python"
    conda = process.env("MAMBA_EXE") or ""
    return Place(
        machine.native.system,
        call,
        python.installer,
        bool(process.wsl.or_none()),
        process.container.or_none() or "",
        process.root.or_none() or False,
        Environment(
            manager=python.manager.or_none() or "",
            declared=python.declared,
            protected=_protected(machine),
            conda=re.split(r"[\\/]", conda)[-1].replace(".exe", "") or "conda",
            version=minor_of(python.version),
            frameworks=_frameworks(machine),
            notebook="colab" if process.env("COLAB_RELEASE_TAG") else "",
            preset=process.preset,
        ),
    )


def _protected(machine: Machine) -> str:
    python = machine.python
    if python.conda_base:
        return "conda-base"
    if python.externally_managed:
        return "system"
    # An installer leaves a system's folder alone by itself, and takes the user's.
    if python.writable.or_none() is False and python.environment != "system":
        return "read-only"
    return ""


def _frameworks(machine: Machine) -> Tuple[str, ...]:
    installed = machine.python.distributions.or_none() or ()
    known = [(item.name, item.version.or_none()) for item in installed if _FRAMEWORKS.match(item.name)]
    return tuple("%s==%s" % pair for pair in known if pair[1])


class Shell:
    """Writes commands for the shells, the environment and the package manager of one place."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.windows = place.system == "windows"

    @property
    def shells(self) -> Tuple[Syntax, ...]:
        """The shells of the machine, the one that is most likely open first."""
        return (POWERSHELL, CMD) if self.windows else (POSIX,)

    def line(self, command: Command) -> str:
        """Return a command for the shell that is most likely open."""
        return command.written(self.shells[0])

    def fix(self, text: str, command: Command, instead: bool = False) -> Fix:
        """Return the step that types a command."""
        return self._fix(text, command, self.shells, instead)

    def _fix(self, text: str, command: Command, shells: Sequence[Syntax], instead: bool, image: bool = False) -> Fix:
        forms = [(shell.name, command.written(shell)) for shell in shells]
        if image and self._place.container in _IMAGES:
            line = command.written(DOCKERFILE)
            forms.append((DOCKERFILE.name, line if line.startswith("ENV ") else "RUN " + line))
        return Fix(
            text,
            forms[0][1],
            tuple(forms),
            command.who,
            command.changes,
            command.undoable,
            instead=instead,
        )

    # Variables of this shell

    def set_fix(self, text: str, name: str, value: str, instead: bool = False) -> Fix:
        """Return the step that sets a variable; ``$NAME`` in the value is expanded."""
        return self.set_all_fix(text, ((name, value),), instead)

    def set_all_fix(self, text: str, pairs: Sequence[Tuple[str, str]], instead: bool = False) -> Fix:
        """Return the step that sets several variables."""
        command = Command((set_variables(*pairs),), "variables")
        return self._fix(text, command, self.shells, instead, image=True)

    def set_variable(self, name: str, value: str) -> Command:
        """Return the command that sets a variable."""
        return Command((set_variables((name, value)),), "variables")

    def unset_variable(self, name: str) -> Command:
        """Return the command that removes a variable."""
        return Command((unset_variable(name),), "variables")

    def unset_fix(self, name: str, text: str = "Unset it to use the GPU", instead: bool = False) -> Fix:
        """Return the step that removes a variable."""
        if name in self._place.environment.preset:
            text = "Delete the line that sets it when Python starts: in sitecustomize.py, usercustomize.py or a .pth"
            return Fix(text, changes="files", instead=instead)
        return self.fix(text, self.unset_variable(name), instead)

    def unset_all_fix(self, names: Sequence[str], text: str) -> Fix:
        """Return the step that removes several variables."""
        return self.fix(text, Command(tuple(map(unset_variable, names)), "variables"))

    def library_folders_fix(self, text: str, folders: Sequence[str], keep: bool = True, instead: bool = False) -> Fix:
        """Return the step that puts folders first on the dynamic linker's search path, before what is there."""
        name, separator = ("PATH", ";") if self.windows else ("LD_LIBRARY_PATH", ":")
        # An empty part would mean the working folder to the linker, so nothing is added to nothing.
        parts = list(folders) + (["$" + name] if keep or self.windows else [])
        return self.set_fix(text, name, separator.join(_from_home(part) for part in parts), instead)

    def only_folders_fix(self, text: str, name: str, folders: Sequence[str]) -> Fix:
        """Return the step that leaves these folders in a variable, which is removed if there are none."""
        if not folders:
            return self.unset_fix(name, text)
        separator = ";" if self.windows else ":"
        return self.set_fix(text, name, separator.join(_from_home(part) for part in folders))

    # Packages

    @property
    def python(self) -> str:
        """How to call the examined interpreter from its shell."""
        return self._place.python

    def packages(self, packages: Packages) -> Command:
        """Return the commands that do this to the packages of the examined environment, with its own manager."""
        place = self._place
        parts = change_packages(packages, place.python, place.installer, place.environment, self.windows)
        return Command(parts, "packages", "devicekit")

    def packages_fix(self, text: str, packages: Packages, instead: bool = False) -> Fix:
        """Return the step that does this to the packages of the examined environment."""
        text += self._place.environment.note()
        fix = self._fix(text, self.packages(packages), self.shells, instead, image=True)
        return fix.replace(packages=packages)

    def install_fix(self, text: str, *requirements: str, index_url: str = "", instead: bool = False) -> Fix:
        """Return the step that installs something."""
        return self.packages_fix(text, Packages(install=requirements, index_url=index_url), instead)

    def upgrade_fix(self, text: str, *names: str, instead: bool = False) -> Fix:
        """Return the step that installs the newest releases: which these are, only the installer knows."""
        place = self._place
        part = upgrade(names, place.python, place.installer, place.environment)
        return self.fix(text, Command((part,), "packages"), instead)

    def uninstall_fix(self, text: str, *names: str, instead: bool = False) -> Fix:
        """Return the step that removes distributions."""
        return self.packages_fix(text, Packages(remove=names), instead)

    def reinstall_fix(self, text: str, *requirements: str) -> Fix:
        """Return the step that writes the files of distributions again."""
        return self.packages_fix(text, Packages(reinstall=requirements))

    def replace_fix(
        self, text: str, names: Sequence[str], *requirements: str, index_url: str = "", instead: bool = False
    ) -> Fix:
        """Return the step that removes distributions and then installs: over one another they would conflict.

        It is also how another build of the same version is installed, for which an installer alone sees nothing to do.
        """
        return self.packages_fix(text, Packages(tuple(names), requirements, index_url=index_url), instead)

    def new_environment_fix(
        self, text: str, python: str, name: str, requirements: Sequence[str], instead: bool = False
    ) -> Fix:
        """Return the step that makes an environment with another Python and installs into it."""
        place = self._place
        parts = new_environment(python, name, requirements, place.installer, place.environment, self.windows)
        return self.fix(text, Command(parts, "files"), instead)

    # Programs and the system

    def program_fix(self, text: str, code: str, instead: bool = False) -> Fix:
        """Return the step that adds a line to the user's program."""
        return Fix(text, code, (("python", code),), changes="code", instead=instead)

    def run_fix(self, text: str, *words: str, changes: str = "", instead: bool = False) -> Fix:
        """Return the step that runs a program, the same in every shell."""
        return self.fix(text, Command((run(*words),), changes), instead)

    def root(self, *words: str, changes: str = "system", undoable: bool = True) -> Command:
        """Return the command with administrator rights; on Windows the terminal itself must have them."""
        sudo = () if self.windows or self._place.root else ("sudo",)
        return Command((run(*sudo, *words),), changes, "admin", undoable)

    def root_fix(
        self, text: str, *words: str, changes: str = "system", undoable: bool = True, instead: bool = False
    ) -> Fix:
        """Return the step that runs a program with administrator rights."""
        return self.fix(text, self.root(*words, changes=changes, undoable=undoable), instead)

    def system_packages_fix(self, text: str, *commands: Sequence[str], changes: str = "system") -> Fix:
        """Return the step that runs these commands of the system's package manager, one after the other."""
        steps: List[Command] = [self.root(*words, changes=changes) for words in commands]
        command = steps[0]
        for step in steps[1:]:
            command = command.then(step)
        return self._fix(text, command, self.shells, False, image=changes == "system")

    def kernel_log_fix(self, text: str, pattern: str) -> Fix:
        """Return the step that shows the lines of the kernel's log with a pattern."""
        sudo = "" if self._place.root else "sudo "
        part = by_shell({"posix": "%sdmesg | grep -iE %s" % (sudo, POSIX.word(pattern))})
        return self._fix(text, Command((part,), "", "admin"), (POSIX,), False)

    def restart_fix(self, text: str) -> Fix:
        """Return the step that restarts the machine: with a command, but not Windows, in WSL too."""
        if self.windows or self._place.wsl:
            return Fix(text, who="reboot", changes="system", undoable=False)
        command = self.root("reboot", undoable=False)
        return self.fix(text, command._replace(who="reboot"))

    def end_processes_fix(self, text: str, pids: Sequence[int]) -> Fix:
        """Return the step that ends processes."""
        forms = {
            "posix": "kill %s" % " ".join(map(str, pids)),
            "powershell": "Stop-Process -Id %s" % ", ".join(map(str, pids)),
            "cmd": "taskkill /F %s" % " ".join("/PID %d" % pid for pid in pids),
        }
        return self.fix(text, Command((by_shell(forms),), "system", undoable=False))

    def windows_fix(self, text: str, *commands: Sequence[str], changes: str = "system") -> Fix:
        """Return the step that is typed in Windows, of a machine that is Windows or a Linux inside it."""
        command = Command(tuple(run(*words) for words in commands), changes, "admin" if changes else "user")
        return self._fix(text, command, (POWERSHELL, CMD), False)

    def update_wsl_fix(self, text: str) -> Fix:
        """Return the step that updates WSL and its kernel; it restarts by itself at its next use."""
        return self.windows_fix(text, ("wsl", "--update"), ("wsl", "--shutdown"))

    def install_wsl_fix(self, text: str) -> Fix:
        """Return the step that installs WSL 2 with Ubuntu."""
        return self.windows_fix(text, ("wsl", "--install"))

    def run_container_fix(self, text: str, docker: str, podman: str = "", instead: bool = False) -> Fix:
        """Return the step that starts a container with these options, by the program that started this one."""
        program, options = "docker", docker
        if self._place.container == "podman":
            program, options = "podman", podman or docker
        command = Command((run(program, "run", *options.split(), "IMAGE"),), "system")
        return self._fix(text, command, (POSIX,), instead)


def _from_home(folder: str) -> str:
    return "$HOME" + folder[1:] if folder.startswith("~") else folder


def this_shell() -> Shell:
    """Return what writes commands for the shells of this system, for steps about this process."""
    return Shell(Place({"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")))
