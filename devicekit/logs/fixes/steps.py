"""`Steps`: collects the steps of a fix for a situation; the commands come from `devicekit.diagnosis.commands.Shell`.

Where the system is not known, a command that differs between systems is given for each, with words that say which is which.
"""

import re
from typing import Any, Iterable, List, Mapping, Sequence, Tuple

from ...diagnosis.commands import Place, Shell
from ...diagnosis.findings import Fix, Packages
from ...diagnosis.package_commands import Environment
from ...matrix.matrix import accepts
from ..signatures import filled
from .situation import PLATFORM_TITLES, Situation, requirement_of

#: What a sentence calls the systems.
_TITLES = {"linux": "Linux", "windows": "Windows", "macos": "macOS"}

#: Programs and paths that only Linux has: a command with them is for Linux, whatever a signature says.
_LINUX = re.compile(
    r"\b(sudo|apt|apt-get|dnf|modprobe|dmesg|ldconfig|mokutil|usermod|systemctl|lsof|setsebool|nvidia-ctk|rocm-smi|rocminfo)\b"
    r"|/dev/|/etc/|/opt/|/proc/|/usr/|LD_LIBRARY_PATH|LD_PRELOAD|\brm -rf |^export "
)

#: What has to be typed in Windows, also where the log is from WSL.
_WINDOWS = re.compile(r"^(winget|wsl(\.exe)?|reg|setx) ")

#: The last Windows without WSL 2 and winget.
_OLD_WINDOWS = re.compile(r"(?i)win\w* ?[78]\b")

#: A variable for one command, as POSIX shells write it.
_FOR_ONE_COMMAND = re.compile(r"([A-Z][A-Z0-9_]*)=(\S+) ((?![A-Z_]+=).+)")

#: What no Mac has: NVIDIA's driver, and containers that reach a GPU.
_NOT_ON_MACS = re.compile(r"nvidia-smi|--gpus|--device|cuda")

#: What WSL does not have: it reaches the GPU through /dev/dxg, which every user may open, and Windows' driver.
_NOT_IN_WSL = re.compile(
    r"\b(usermod|modprobe|rocm-smi|prime-select|reboot|dkms autoinstall)\b|install (-y )?nvidia-(driver|open)|/dev/kfd"
)

#: Package managers, and those that a distribution has.
_MANAGER = re.compile(r"\b(apt|dnf|yum|pacman|zypper|ubuntu-drivers)\b(?! \w*=)")
_MANAGERS = {
    "ubuntu": "apt ubuntu-drivers", "debian": "apt", "fedora": "dnf yum", "rhel": "dnf yum", "arch": "pacman",
    "suse": "zypper",
}  # fmt: skip

#: Distributions whose wheels are for some systems or platforms only, other than those of the matrix.
_ONLY_FOR = (
    ("(tensorflow|jax)-metal", "macos"), ("triton-windows|onnxruntime-directml", "windows"), ("vllm", "linux"),
    ("jax-rocm|onnxruntime-migraphx", "linux(-x|$)"), ("onnxruntime-gpu", "linux(-x|$)|windows"),
    ("nvidia-|cupy-|flash-attn|tensorrt|numba-cuda", "linux|windows"),
)  # fmt: skip

#: The extra with CUDA's libraries, which are for Linux.
_EXTRA = re.compile(r"(?<=^tensorflow)\[and-cuda\]|(?<=^jax)\[cuda\w*\]")

#: What changes the machine and not the container: its driver, its kernel.
_OF_THE_HOST = re.compile(
    r"\b(modprobe|dkms|nvidia-modprobe|reboot|mokutil|ubuntu-drivers|systemctl|nvidia-ctk|dmesg|prime-select|setsebool|sysctl)\b"
    r"|sudo nvidia-smi|nvidia-driver-|nvidia-container"
)


class Steps:
    """The steps of one fix, in order. Methods that add a step return nothing; `fixes` has them all."""

    def __init__(self, about: Situation) -> None:
        self.about = about
        self.fixes: List[Fix] = []
        self._old_windows = about.windows and _OLD_WINDOWS.search(about.known.os_version) is not None
        unix = "".join(about.known.frames[:1]).startswith("/")
        possible = ("linux",) if unix else ("linux", "windows")
        names = (about.system,) if about.system in _TITLES else possible
        environment = Environment(about.manager, tuple(about.packages))
        python = "python3" if "python3" in about.words and not about.windows else "python"
        place = Place("", python, about.installer, about.wsl, environment=environment)
        self._shells = tuple(Shell(place._replace(system=str(name))) for name in names)

    @property
    def shell(self) -> Shell:
        """The shell of the system; of one that is not known, POSIX."""
        return self._shells[0]

    def add(self, *fixes: Fix) -> None:
        """Add steps that are not there yet."""
        for fix in fixes:
            if fix.instead and not self.fixes:
                fix = fix.replace(instead=False)  # instead of nothing
            if (fix.instead or not self.fixes) and fix.text.startswith(("Or ", "Or, ")):  # who shows it says so
                text = fix.text.partition(" ")[2]
                fix = fix.replace(text=text[:1].upper() + text[1:])
            if self._old_windows and "WSL" in fix.text:
                continue
            if self._old_windows and fix.command and fix.command.startswith("winget "):
                site = (
                    "https://aka.ms/vs/17/release/vc_redist.x64.exe" if "VCRedist" in fix.command else "from its site"
                )
                fix = Fix("%s (%s)" % (fix.text, site), changes=fix.changes)
            same = (item.text == fix.text or (fix.command and item.command == fix.command) for item in self.fixes)
            if not any(same):
                self.fixes.append(fix)

    def say(self, text: str, who: str = "user", changes: str = "", instead: bool = False) -> None:
        """Add a step that has nothing to type."""
        self.add(Fix(text, who=who, changes=changes, instead=instead))

    def run(
        self, text: str, command: str, on: str = "", who: str = "user", changes: str = "", instead: bool = False
    ) -> None:
        """Add a command that every shell takes as it is.

        ``on``: the only system that has it. On another one the step is left out; where the system is not known, its text
        says for which it is.
        """
        about = self.about
        command = self._managed(command)
        if about.windows:
            command = command.partition(" | grep ")[0]
        on = on or ("linux" if _LINUX.search(command) else "windows" if _WINDOWS.match(command) else "")
        if on == "linux" and about.container and _OF_THE_HOST.search(command):
            text = "On the host: %s" % lower(text)
        elif on == "windows" and (about.wsl or (about.linux and command.startswith("wsl "))):
            text = "In Windows: %s" % lower(text)
        elif on and about.system is None:
            text = "On %s: %s" % (_TITLES[on], lower(text))
        elif on and about.system != on:
            return
        if (about.macos and _NOT_ON_MACS.search(command)) or (about.wsl and _NOT_IN_WSL.search(command)):
            return
        host = text.startswith(("On the host", "On the machine"))
        manager = None if host else _MANAGER.search(command)
        distribution = about.linux_distribution
        if manager and distribution and manager.group() not in _MANAGERS.get(distribution, ""):
            if not re.match("(On )?Ubuntu", text):  # whose packages have other names here
                self.say(text, changes=changes, instead=instead)
            return
        if command.startswith("sudo "):
            who = "admin"
            if manager and (about.container or about.hosted):  # where the user is root
                command = command.replace("sudo ", "")
        forms = self._forms(command, on)
        self.add(Fix(text, forms[0][1], forms, who, changes, instead=instead))

    def _forms(self, command: str, on: str) -> Tuple[Tuple[str, str], ...]:
        """Return a command in the form of each shell that it is for, the most likely one first."""
        about = self.about
        systems = (on,) if on else (about.system,) if about.system in _TITLES else ("linux", "windows")
        shells = [shell for name in systems for shell in Shell(Place(str(name))).shells]
        if command.startswith("$env:"):
            shells = shells[:1]
        match = _FOR_ONE_COMMAND.match(command)
        if about.windows and match:
            name, value, rest = match.groups()
            return tuple((shell.name, shell.set(((name, value),)) + shell.joint + rest) for shell in shells)
        return tuple((shell.name, command.replace(" && ", shell.joint)) for shell in shells)

    def _managed(self, command: str) -> str:
        """Return a command with pip or Python as the project's manager runs it."""
        manager = self.about.manager or (self.about.installer if self.about.installer == "uv" else "")
        if not manager or not command.startswith("python -") or " -m venv " in command:
            return re.sub(r"(?<![\w./-])python(?= -[cm])", self.shell.python, command)
        if manager == "uv" and command.startswith("python -m pip "):
            return "uv cache clean" if command.endswith("cache purge") else "uv pip" + command[len("python -m pip") :]
        return "%s run %s" % (manager, command) if self.about.manager else command

    def restart(self, text: str = "Restart the machine") -> None:
        """Add that the machine has to be restarted."""
        if self.about.container:
            text = "On the host: %s" % lower(text)
        known = self.about.system == "linux" and not self.about.container
        self.add(self.shell.restart_fix(text) if known else Fix(text, who="reboot", changes="system", undoable=False))

    def install(
        self, text: str, *requirements: str, remove: Sequence[str] = (), index_url: str = "", instead: bool = False
    ) -> None:
        """Add that distributions are installed, after others are uninstalled."""
        asked, requirements = requirements, self._for_system(requirements)
        if asked != requirements:
            text += "; CUDA's libraries are for Linux (on Windows in WSL 2)"
        name = re.split(r"[\[<>=!~]", requirements[0])[0] if requirements else ""
        if not index_url and self._elsewhere(requirements, text, instead):
            return
        if not instead and not remove and any(self._installs(fix, name) for fix in self.fixes):
            return
        if name == "torch" and len(requirements) == 1 and "torch" in remove and not self.about.known.complete:
            text += "; torchvision and torchaudio, if they are there, in the same command"
        if not index_url and self._for_other_python(requirements, text, instead):
            return
        there = self.about.packages
        if (
            not index_url
            and accepts(requirement_of(requirements[0])[1] if requirements else "", there.get(name, "")) is not True
        ):
            requirements = (*requirements, *self.about.held_back(requirements, self.about.python))
        owner = self._other_owner(re.sub(r"[<>=!~].*", "", item) for item in requirements)
        if owner == "tensorflow-cpu" and not remove:
            requirements = tuple(re.sub(r"^tensorflow(?=[<>=!~]|$)", owner, item) for item in requirements)
        elif owner and owner not in remove:
            remove = (*remove, owner)
        packages = Packages(remove=tuple(remove), install=tuple(requirements), index_url=index_url)
        if len(self._shells) > 1:  # the shells join two commands differently
            self._in_both(text, packages, instead)
            return
        self.add(self.shell.packages_fix(text, packages, instead))

    def _other_owner(self, names: Iterable[str]) -> str:
        """The distribution whose files an installation of tensorflow would write over, "" if there is none."""
        owner = self.about.known.tensorflow
        return owner[0] if owner is not None and owner[0] != "tensorflow" and "tensorflow" in names else ""

    def _for_system(self, requirements: Sequence[str]) -> Tuple[str, ...]:
        """Return requirements without the extra of CUDA's libraries where a system has none."""
        other = self.about.windows or self.about.macos
        return tuple(_EXTRA.sub("", item) if other else item for item in requirements)

    def _elsewhere(self, requirements: Sequence[str], text: str, instead: bool) -> bool:
        """Say that a distribution has no wheel for this system; return whether that is so."""
        about = self.about
        place = about.platform or about.system
        for name, bounds in map(requirement_of, requirements):
            wrong = any(
                re.match(pattern, name) and not re.match(systems, place or "") for pattern, systems in _ONLY_FOR
            )
            if not wrong and about.platform:
                wrong = bool(about.releases(name, bounds)) and not about.releases(name, bounds, about.platform)
            if wrong and place in (*_TITLES, *PLATFORM_TITLES):
                where = PLATFORM_TITLES.get(about.platform) or _TITLES[str(about.system)]
                self.say("%s: %s has no wheel for %s" % (text, name + bounds, where), instead=instead)
                return True
        return False

    def _for_other_python(self, requirements: Sequence[str], text: str, instead: bool) -> bool:
        """Make an environment with another Python, if this one has no wheel of something; return whether that is so."""
        about = self.about
        python = about.other_python(requirements)
        if python:
            text += "; Python %s has no wheel of it: in an environment with Python %s" % (about.python, python)
            self.new_environment(text, python, requirements, instead)
        return bool(python)

    def _in_both(self, text: str, packages: Packages, instead: bool) -> None:
        """Add what installs on a system that is not known: a command each, as the shells join two of them differently."""
        steps = [packages]
        if packages.remove and packages.install:
            steps = [Packages(remove=packages.remove), packages.replace(remove=())]
        for number, item in enumerate(steps):
            words = text if not number else "Then install %s" % re.split(r"[\[<>=!~]", item.install[0])[0]
            fixes = [shell.packages_fix(words, item, instead and not number) for shell in self._shells]
            forms = tuple(form for fix in fixes for form in fix.commands)
            self.add(fixes[0].replace(commands=forms))

    @staticmethod
    def _installs(fix: Fix, name: str) -> bool:
        """Whether a step already installs a distribution of this name first, in one release or another."""
        first = fix.packages.install[:1] if fix.packages is not None else ()
        return any(re.split(r"[\[<>=!~]", item)[0] == name for item in first)

    def install_set(
        self,
        text: str,
        found: Tuple[Tuple[str, ...], Tuple[str, ...]],
        remove: Sequence[str] = (),
        instead: bool = False,
    ) -> None:
        """Add that a set of `Situation.requirements` is installed."""
        requirements, indexes = found
        self.install(text, *requirements, remove=remove, index_url=indexes[0] if indexes else "", instead=instead)

    def upgrade(self, text: str, *names: str, instead: bool = False) -> None:
        """Add that the newest releases are installed: which these are, only the installer knows."""
        if names == ("triton-windows",) and self.about.triton:  # its numbers are those of the one for Linux
            self.install(text, "triton-windows==%s.*" % self.about.triton)
            return
        if names == ("pytorch-directml",):
            text = "torch-directml replaced it (in code: torch_directml.device()): " + lower(text)
            self.install(text, "torch-directml", remove=names, instead=instead)
            return
        names = self._for_system(names)
        old = self.about.python.startswith("2")  # of whose wheels the data know nothing
        if self._elsewhere(names, text, instead) or (not old and self._for_other_python(names, text, instead)):
            return
        if names[0].startswith("jax[cuda") and self.about.python in ("2.7", "3.5", "3.6", "3.7", "3.8"):
            text += "; it needs a newer Python than %s" % self.about.python
            self.new_environment(text, "3.11", names, instead)
            return
        owner = self._other_owner(names)
        if owner == "tensorflow-gpu":  # its last release is a note
            self.install(text, *names, instead=instead)
            return
        names = tuple(owner or name if name == "tensorflow" else name for name in names)
        self._everywhere(self.shell.upgrade_fix(text, *names, instead=instead))

    def uninstall(self, text: str, *names: str) -> None:
        """Add that distributions are uninstalled."""
        self.install(text, remove=names)

    def reinstall(self, text: str, requirement: str) -> None:
        """Add that a distribution's files are written again, from a new download; of PyTorch, those of the same build."""
        index = ""
        if requirement.partition("==")[0] == "torch":
            release, _, label = self.about.packages.get("torch", "").partition("+")
            index = self.about.torch_index
            if release and (not re.match(r"\d+(\.\d+)+$", release) or (label and not index)):
                self.say("%s, from the index that it came from: PyPI has no such build" % text, changes="packages")
                return
            requirement = "torch==%s" % release if release else requirement
            if self.about.windows and not label and self.about.vendor in ("", "nvidia"):
                # The registry's wheel for Windows is the one for the CPU.
                best = self.about.common_index(requirement[5:]) or self.about.common_index("")
                served = best is not None and (not release or accepts(best.versions, release))
                index, requirement = best.url if best is not None else "", requirement if served else "torch"
        if self.about.manager or self.about.installer == "uv":
            self._everywhere(self.shell.packages_fix(text, Packages(reinstall=(requirement,), index_url=index)))
            return
        words = ["-m", "pip", "install", "--force-reinstall", "--no-cache-dir", requirement]
        words += ["--index-url", index] if index else []
        self._everywhere(self.shell.run_fix(text, self.shell.python, *words, changes="packages"))

    def _everywhere(self, fix: Fix) -> None:
        """Add a step whose command is the same in every shell that the machine may have."""
        names = [shell.name for place in self._shells for shell in place.shells]
        self.add(fix.replace(commands=tuple((name, fix.command) for name in names)))

    def new_environment(self, text: str, python: str, requirements: Sequence[str], instead: bool = False) -> None:
        """Add that an environment is made with another Python."""
        about = self.about
        requirements = [*requirements, *about.held_back(requirements, python)]
        if about.manager:
            if about.manager != "pipenv":
                text += '; requires-python in pyproject.toml has to allow it, such as "==%s.*"' % python
            self._everywhere(self.shell.new_environment_fix(text, python, "env", requirements, instead))
            return
        if about.signature.startswith("conda-"):
            create = ["conda create -n env -c conda-forge python=%s" % python, *map(conda_spec, requirements)]
            self.run(text, " ".join(create), changes="files", instead=instead)
            return
        several = len(self._shells) > 1
        for shell, name in zip(self._shells, ("Linux, macOS", "Windows")):
            words = "%s (%s)" % (text, name) if several else text
            self.add(shell.new_environment_fix(words, python, "env", requirements, instead))

    def set(self, text: str, name: str, value: str, linux_only: bool = False) -> None:
        """Add that a variable is set."""
        shells = self._shells
        if (
            (self.about.hosted or "jupyter" in self.about.words)
            and not re.match("LD_|PYTHON", name)
            and "$" not in value
        ):
            # What a shell exports does not reach a notebook's kernel that runs.
            cell = 'In a notebook\'s first cell, after a restart: import os; os.environ["%s"] = "%s" (%s)'
            self.say(cell % (name, value, lower(text)), changes="variables")
            if self.about.hosted:
                return
        if value.startswith("/"):
            if self.about.windows:
                return
            linux_only = True
        if linux_only and len(shells) > 1:  # the system is not known
            text, shells = "On Linux: %s" % lower(text), shells[:1]
        self._each(text, [shell.set_fix(text, name, value) for shell in shells])
        if "ollama" in self.about.words:
            self._for_ollama("%s=%s" % (name, value))

    def _for_ollama(self, setting: str) -> None:
        """Add how ollama's own process gets a variable: it runs as a service, which no shell's variables reach."""
        about = self.about
        if about.container:
            self.run("ollama in a container", "docker run -e %s ollama/ollama" % setting, changes="variables")
        elif about.macos:
            command = "launchctl setenv %s" % setting.replace("=", " ", 1)
            self.run("For ollama's app: then quit it and start it again", command, changes="variables")
        elif about.windows:
            text = (
                "For ollama's app: set %s among the user's environment variables in Windows' settings, then quit ollama"
            )
            self.say("%s in the notification area and start it again" % (text % setting), changes="variables")
        else:
            text = 'For ollama as a service: add Environment="%s" under [Service]' % setting
            command = "sudo systemctl edit ollama.service && sudo systemctl restart ollama"
            self.run(text, command, on="linux", changes="variables")

    def unset(self, text: str, name: str, instead: bool = False) -> None:
        """Add that a variable is removed."""
        self._each(text, [shell.unset_fix(name, text, instead) for shell in self._shells])

    def _each(self, text: str, fixes: Sequence[Fix]) -> None:
        if len(fixes) == 1:
            self.add(fixes[0])
            return
        for fix, name in zip(fixes, ("Linux, macOS", "Windows, in PowerShell")):
            self.add(fix.replace(text="%s (%s)" % (text, name)))

    def of_signature(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add the steps that a signature has for its own line; ``if`` says when."""
        about = self.about
        pin = about.version and "==" + about.version
        groups = dict(
            about.groups, distribution=about.distribution or "NAME", title=about.title, pin=pin, index=about.torch_index
        )
        for row in rows:
            if "if" not in row or self.may_hold(row["if"]):
                self._of_row(row, filled(row["text"], groups), groups)

    def may_hold(self, condition: Mapping[str, Any]) -> bool:
        """Return whether a condition holds; one on the system, also where that is not known."""
        about = self.about
        if "os" in condition and about.system is not None and about.system not in condition["os"].split("|"):
            return False
        rest = {name: value for name, value in condition.items() if name != "os"}
        return about.known.holds(rest, about.groups, {})

    def _of_row(self, row: Mapping[str, Any], text: str, groups: Mapping[str, str]) -> None:
        if "set" in row:
            name, value = (filled(part, groups) for part in row["set"])
            self.set(text, name, value)
        elif "unset" in row:
            for name in row["unset"]:
                self.unset(text, filled(name, groups))
        elif "install" in row and all(self.about.may_install(filled(item, groups)) for item in row["install"]):
            self.install(text, *(filled(item, groups) for item in row["install"]), remove=row.get("remove", ()))
        elif "upgrade" in row:
            self.upgrade(text, *(filled(item, groups) for item in row["upgrade"]))
        elif "remove" in row:
            self.uninstall(text, *(filled(item, groups) for item in row["remove"]))
        elif "reinstall" in row:
            self.reinstall(text, filled(row["reinstall"], groups))
        elif "install" in row:
            return  # nothing that it takes has a wheel for this Python
        elif row.get("command"):
            self.run(text, filled(row["command"], groups), on=row.get("if", {}).get("os", ""))
        else:
            self.say(text)


def tensorflow_in_wsl(about: Situation) -> Fix:
    """Return the step that installs TensorFlow with CUDA in WSL."""
    command = "python3 -m pip install " + " ".join('"%s"' % item for item in about.tensorflow_with_cuda())
    return Fix("In WSL, in a new environment", command, (("posix", command),), changes="packages")


def conda_spec(requirement: str) -> str:
    """Return a requirement as conda writes it.

    >>> conda_spec("tensorflow[and-cuda]==2.15.*"), conda_spec("numpy>=1.2,<2"), conda_spec("torch")
    ('tensorflow=2.15', '"numpy>=1.2,<2"', 'pytorch')
    """
    name, bounds = re.match(r"([\w.-]+)(?:\[[^]]*\])?(.*)", requirement).groups()  # type: ignore[union-attr]
    name = {"torch": "pytorch"}.get(name, name)
    exact = re.match(r"==(\d[\d.]*?)(\.\*)?$", bounds)
    if exact:
        return "%s=%s" % (name, exact.group(1))
    return '"%s%s"' % (name, bounds) if bounds else name


def lower(text: str) -> str:
    """Return a sentence as the rest of another one.

    >>> lower("Load the module"), lower("NVIDIA's driver")
    ('load the module', "NVIDIA's driver")
    """
    name = re.match(r"(Ubuntu|Debian|Windows|Python|Restart WSL)\b", text)
    return text[:1].lower() + text[1:] if text[1:2].islower() and not name else text
