"""The steps of fixes: valid in each shell that they name, and right for the environment and the system of the machine."""

import json
import os
import re
import shutil
import subprocess

import pytest
from packaging.requirements import Requirement
from recorded_machines import FOLDER, NAMES, diagnosis, load_machine

from devicekit import diagnose
from devicekit.diagnosis.commands import Place, Shell
from devicekit.diagnosis.findings import Finding, Fix, Packages, ways
from devicekit.diagnosis.package_commands import Environment, change_packages
from devicekit.diagnosis.shells import CMD, DOCKERFILE, POSIX, POWERSHELL, Command, run, set_variables, unset_variable
from devicekit.machine.probe import read_machine
from devicekit.machine.probe.python import declared_names
from devicekit.machine.simulated import host_data
from devicekit.report.html.components import finding_card, to_html
from devicekit.report.terminal import Style, finding_lines

try:  # the whole grammar of PowerShell, where it is installed
    import tree_sitter
    import tree_sitter_powershell
except ImportError:
    tree_sitter = None

BASH = shutil.which("bash")
WHO = {"devicekit", "user", "admin", "reboot"}
CHANGES = {"packages", "variables", "files", "driver", "system", "code", ""}

# A command of PowerShell 5 as it is written here: words, "expandable" and 'literal' strings, $env: and $HOME.
_WORD = r"(?:[A-Za-z0-9_.:/\\=+-]+)"
_EXPANDED = r'(?:"(?:[^"$`]|\$env:\w+|\$HOME)*")'
_LITERAL = r"(?:'(?:[^']|'')*')"
_ARGUMENT = "(?:%s|%s|%s)" % (_WORD, _EXPANDED, _LITERAL)
_POWERSHELL = re.compile(
    r"(?:\$env:\w+ = (?:%(e)s|%(l)s)|(?:& (?:%(e)s|%(l)s)|[A-Za-z.~]%(w)s?)(?: %(a)s(?:, \d+)*)*)\Z"
    % {"e": _EXPANDED, "l": _LITERAL, "w": _WORD, "a": _ARGUMENT}
)
# cmd: words and strings; &, |, <, >, ^ and ( mean something outside of strings, % begins a variable everywhere.
_CMD = re.compile(r'(?:%s|"(?:[^"%%]|%%\w+%%)*"| )+\Z' % _WORD)


def powershell_problem(text):
    if "&&" in text or "||" in text:
        return "PowerShell 5 has neither && nor ||"
    for part in text.split("; "):
        if not _POWERSHELL.match(part):
            return "no command of PowerShell: %s" % part
    if tree_sitter is not None:
        parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
        if parser.parse(text.encode("utf-8")).root_node.has_error:
            return "the grammar of PowerShell has no such line"
    return ""


def cmd_problem(text):
    if ";" in text.replace(";%", "").partition("set ")[0] or "$" in text:
        return "cmd knows neither ; nor $"
    for part in text.split(" && "):
        if not _CMD.match(part):
            return "no command of cmd: %s" % part
    return ""


def bash_problem(text):
    if not BASH:
        return ""
    done = subprocess.run([BASH, "-n", "-c", text], stderr=subprocess.PIPE, check=False)
    return done.stderr.decode("utf-8", "replace") if done.returncode or done.stderr else ""


def python_problem(text):
    compile(text, "<step>", "exec")
    return ""


def dockerfile_problem(text):
    if text.startswith("ENV "):
        return bash_problem("export " + text[4:])
    return bash_problem(text[4:]) if text.startswith("RUN ") else "neither RUN nor ENV"


PROBLEM = {
    "powershell": powershell_problem,
    "cmd": cmd_problem,
    "posix": bash_problem,
    "dockerfile": dockerfile_problem,
    "python": python_problem,
}


def steps():
    for name in NAMES:
        for finding in diagnosis(name).findings:
            for step in finding.fix:
                yield name, finding, step


def test_every_command_is_valid_in_the_shell_that_it_names():
    commands = {(shell, text) for _, _, step in steps() for shell, text in step.commands}
    posix = sorted(text for shell, text in commands if shell == "posix")
    # One run of bash for all; only if that finds something, one for each.
    wrong = [text for text in posix if bash_problem(text)] if bash_problem("\n".join(posix)) else []
    assert not wrong, wrong
    wrong = [(shell, text, PROBLEM[shell](text)) for shell, text in sorted(commands) if shell != "posix"]
    assert not [item for item in wrong if item[2]], wrong
    assert len(posix) > 50
    assert sum(shell == "cmd" for shell, _ in commands) > 10


posix = pytest.mark.only_on("posix", reason="needs bash")


@pytest.mark.parametrize(
    "shell, text",
    [
        ("powershell", "python -m pip install a && b"), ("powershell", "python -m pip install numpy<2"),
        ("powershell", '"C:\\a b\\python.exe" -m pip'), ("powershell", "unset A"[:0] + "export A=1 $B"),
        ("cmd", "python -m pip uninstall -y a; python -m pip install b"), ("cmd", '$env:A = "1"'),
        ("cmd", "python -m pip install numpy<2"), pytest.param("posix", 'echo "a', marks=posix),
        ("dockerfile", "pip install a"),
    ],
)  # fmt: skip
def test_the_checks_find_what_is_wrong(shell, text):
    assert PROBLEM[shell](text)


def test_what_a_step_says_of_itself():
    wrong = []
    for name, finding, step in steps():
        system = load_machine(name).native.system
        forms = dict(step.commands)
        commands = "\n".join(forms.values())
        problems = [
            "who" if step.who not in WHO or step.changes not in CHANGES else "",
            "devicekit does what it has packages for"
            if (step.who == "devicekit") != (step.packages is not None)
            else "",
            "a command without shells" if bool(step.command) != bool(forms) else "",
            "command" if step.command and step.command not in forms.values() else "",
            "one shell of two" if ("powershell" in forms) != ("cmd" in forms) else "",
            "another system's shell" if system == "windows" and "posix" in forms else "",
            "another system's shell" if system == "macos" and "powershell" in forms else "",
            "sudo" if system == "windows" and "sudo" in commands else "",
            "PEP 668" if "--break-system-packages" in commands else "",
            "an alternative that does not say so" if step.text.startswith("Or ") else "",
        ]
        wrong += [(name, finding.code, step.text, problem) for problem in problems if problem]
        for text in step.packages.install + step.packages.reinstall if step.packages is not None else ():
            Requirement(text)
    for name in NAMES:
        wrong += [(name, item.code) for item in diagnosis(name).findings if item.fix and item.fix[0].instead]
    assert not wrong, wrong


FOREIGN = {"tensorflow": r"\btensorflow", "jax": r"\bjax", "torch": r"\btorch\b"}


def test_no_command_names_a_framework_that_is_neither_installed_nor_named_in_its_text():
    titles = {"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"}
    wrong = []
    for name, finding, step in steps():
        installed = [item.name for item in load_machine(name).python.distributions.or_none() or ()]
        for framework, pattern in FOREIGN.items():
            there = any(re.match(pattern, item) for item in installed)
            said = titles[framework] in step.text + finding.summary
            named = any(re.search(pattern, text) for text in (step.packages.install if step.packages else ()))
            if named and not there and not said:
                wrong.append((name, finding.code, step.text, framework))
    assert not wrong, wrong


# How shells write


def test_words_are_quoted_as_each_shell_needs_it():
    part = run("C:\\Program Files\\Python\\python.exe", "-m", "pip", "install", "numpy<2", "jax[cuda12]==0.7.2")
    command = Command((part,))
    assert command.written(POWERSHELL) == (
        '& "C:\\Program Files\\Python\\python.exe" -m pip install "numpy<2" "jax[cuda12]==0.7.2"'
    )
    assert (
        command.written(CMD) == '"C:\\Program Files\\Python\\python.exe" -m pip install "numpy<2" "jax[cuda12]==0.7.2"'
    )
    home = Command((run("~/my env/bin/python", "a'b$c"),))
    assert home.written(POSIX) == "\"$HOME/my env/bin/python\" 'a'\\''b$c'"
    assert home.written(CMD).startswith('"%USERPROFILE%/my env')
    several = Command((set_variables(("A", "1"), ("PATH", "C:\\x;$PATH")), unset_variable("B")))
    assert several.written(POWERSHELL) == '$env:A = "1"; $env:PATH = "C:\\x;$env:PATH"; Remove-Item Env:B'
    assert several.written(CMD) == 'set "A=1" && set "PATH=C:\\x;%PATH%" && set "B="'
    assert Command((set_variables(("A", "1"), ("B", "a b")),)).written(DOCKERFILE) == 'ENV A=1 B="a b"'


# Environments

BROKEN = "linux-numpy-2-under-2.10"
NUMPY = "numpy==1.26.4"


def step(make_machine, **changes):
    """Return the step that repairs NumPy on a machine like a recorded one."""
    host = json.loads(json.dumps(host_data(os.path.join(FOLDER, BROKEN))))
    for key, value in changes.items():
        host[key] = dict(host.get(key, {}), **value) if isinstance(value, dict) else value
    finding = diagnose(read_machine(make_machine(**host))).by_code("numpy-incompatible")
    return finding.fix[0]


def project(lock, pyproject="", prefix="/project/.venv"):
    site = prefix + "/lib/python3.10/site-packages"
    return {
        "python": {"prefix": prefix, "executable": prefix + "/bin/python", "site_paths": [site], "cwd": "/project"},
        "files": {
            "/project/" + lock: "",
            "/project/pyproject.toml": pyproject,
            prefix + "/pyvenv.cfg": "home = /usr/bin\n",
        },
    }


@pytest.mark.parametrize(
    "lock, starts", [("uv.lock", "uv add "), ("poetry.lock", "poetry add "), ("pdm.lock", "pdm add ")]
)
def test_a_project_is_changed_by_what_manages_it(make_machine, lock, starts):
    found = step(make_machine, **project(lock))
    assert found.command == starts + NUMPY
    assert found.packages.install == (NUMPY,)
    assert found.who == "devicekit"


def test_poetrys_own_folder_of_environments(make_machine):
    prefix = "/home/u/.cache/pypoetry/virtualenvs/demo-x1-py3.10"
    assert step(make_machine, **dict(project("x.lock", prefix=prefix), home="/home/u")).command == "poetry add " + NUMPY


def test_a_projects_own_names_are_removed_and_others_are_not():
    replaced = Packages(("tensorflow-cpu", "tensorflow-intel"), ("tensorflow==2.15.1",))
    environment = Environment("uv", ("tensorflow-cpu",))
    lines = [part(POSIX) for part in change_packages(replaced, "python", "uv", environment, False)]
    assert lines[:2] == ["uv remove tensorflow-cpu", "uv add tensorflow==2.15.1"]
    build = Packages(("torch",), ("torch==2.9.1",), index_url="https://download.pytorch.org/whl/cu126")
    (first, *_) = [part(POSIX) for part in change_packages(build, "python", "pip", Environment("poetry"), False)]
    assert first == "poetry source add --priority explicit pytorch-cu126 https://download.pytorch.org/whl/cu126"


def test_the_names_in_a_pyproject():
    text = """
    [project]
    name = "demo"
    dependencies = [
        "tensorflow[and-cuda]==2.15.1; python_version < '3.12'",  # the framework
        'numpy<2',
    ]
    [project.optional-dependencies]
    gpu = ["Torch>=2"]
    [tool.poetry.group.dev.dependencies]
    keras = "^3.0"
    [tool.ruff]
    line-length = 120
    """
    assert declared_names(text) == ("tensorflow", "numpy", "torch", "keras")


def test_the_systems_own_python_gets_an_environment_beside_it(make_machine):
    python = {"prefix": "/usr", "base_prefix": "/usr", "executable": "/usr/bin/python3"}
    python["site_paths"] = ["/usr/lib/python3/dist-packages"]
    site = {"files": {"/usr/lib/python3.10/EXTERNALLY-MANAGED": ""}}
    found = step(make_machine, python=python, **site)
    assert found.command == (
        "/usr/bin/python3 -m venv --system-site-packages .venv && .venv/bin/python -m pip install " + NUMPY
    )
    assert "the system's own" in found.text


def test_the_base_environment_of_conda_is_left_alone(make_machine):
    python = {"prefix": "/opt/conda", "executable": "/opt/conda/bin/python", "cwd": "/project"}
    python["site_paths"] = ["/opt/conda/lib/python3.10/site-packages"]
    folders = ["/opt/conda/conda-meta", "/opt/conda/condabin"]
    found = step(make_machine, python=python, folders=folders, env={"MAMBA_EXE": "/opt/conda/bin/mamba"})
    assert found.command.startswith("mamba create -y -n ml python=3.10 pip && mamba run -n ml python -m pip install ")
    assert NUMPY in found.command
    assert "tensorflow" in found.command


def test_a_folder_that_may_not_be_written_is_not_written(make_machine):
    found = step(
        make_machine, read_only=["/venv/lib/python3.10/site-packages"], folders=["/venv/lib/python3.10/site-packages"]
    )
    assert found.command.startswith("python -m venv .venv && .venv/bin/python -m pip install " + NUMPY)
    assert re.search(r" tensorflow\S*==2\.10", found.command)  # the new one needs the framework as well


def test_colab_and_images(make_machine):
    assert "restart the session" in step(make_machine, env={"COLAB_RELEASE_TAG": "release-colab"}).text
    found = step(make_machine, files={"/.dockerenv": ""})
    assert dict(found.commands)["dockerfile"] == "RUN " + found.command


def test_what_is_not_known_stays_unknown(make_machine):
    python = read_machine(make_machine(python={"site_paths": []})).python
    assert not python.writable.known
    assert python.manager.known
    assert not python.manager.present
    assert not read_machine(make_machine()).native.secure_boot.known
    assert not read_machine(make_machine()).native.os_release.known


# Drivers

KEY = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


def driver_steps(make_machine, base, code, release, **changes):
    host = json.loads(json.dumps(host_data(os.path.join(FOLDER, base))))
    host["files"]["/etc/os-release"] = release
    for key, value in changes.items():
        host[key] = dict(host.get(key, {}), **value) if isinstance(value, dict) else value
    return ways(diagnose(read_machine(make_machine(**host))).by_code(code).fix)


@pytest.mark.parametrize(
    "release, command",
    [
        ("ID=ubuntu\nVERSION_ID=24.04\n", "sudo ubuntu-drivers install"),
        ("ID=debian\nVERSION_ID=12\n", "sudo apt-get install -y linux-headers-amd64 nvidia-driver firmware-misc-nonfree"),
        ("ID=fedora\nVERSION_ID=43\n", "sudo dnf install -y https://mirrors.rpmfusion.org/free/fedora/rpmfusion-free-release-43"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.6"\n', "sudo dnf config-manager --add-repo https://"),
        ("ID=arch\n", "sudo pacman -Syu nvidia-open"),
        ('ID="opensuse-leap"\nVERSION_ID="15.6"\n', "sudo zypper addrepo https://developer.download.nvidia.com/"),
        ("ID=gentoo\n", None),
    ],
)  # fmt: skip
def test_the_driver_comes_from_the_distribution(make_machine, release, command):
    (way,) = driver_steps(make_machine, "linux-nvidia-driver-missing", "driver-missing", release)
    assert way[0].who == "admin"
    assert way[0].changes == "driver"
    assert way[-1].who == "reboot"
    assert way[0].command is None if command is None else way[0].command.startswith(command)


def test_an_old_gpu_gets_the_branch_that_still_supports_it(make_machine):
    steps = driver_steps(
        make_machine, "linux-nvidia-pascal-driver-too-old", "driver-too-old", "ID=ubuntu\nVERSION_ID=24.04\n"
    )
    assert steps[0][0].command == "sudo ubuntu-drivers install nvidia:580"
    # Arch has dropped those GPUs from its packages: nothing is guessed.
    steps = driver_steps(make_machine, "linux-nvidia-pascal-driver-too-old", "driver-too-old", "ID=arch\n")
    assert steps[0][0].command is None
    assert "branch 580" in steps[0][0].text


def test_a_distribution_whose_own_driver_is_too_old(make_machine):
    steps = driver_steps(
        make_machine, "linux-nvidia-jax-cuda13-driver-too-old", "driver-too-old", "ID=debian\nVERSION_ID=12\n"
    )
    assert steps[0][0].command == "sudo apt-get install -y nvidia-open"
    assert "cuda-keyring" in steps[0][0].text


def test_a_data_center_gpu_may_keep_its_driver(make_machine):
    base, code, ubuntu = "linux-nvidia-torch-driver-too-old", "driver-too-old", "ID=ubuntu\nVERSION_ID=24.04\n"
    for name, kept in (("NVIDIA GeForce RTX 3060", False), ("NVIDIA A100-SXM4-40GB", True)):
        host = json.loads(json.dumps(host_data(os.path.join(FOLDER, base))))
        path = next(item for item in host["files"] if item.endswith("/information"))
        host["files"][path] = "Model: %s\nBus Location: 0000:07:00.0\n" % name
        host["files"]["/etc/os-release"] = ubuntu
        steps = [item.command or "" for item in diagnose(read_machine(make_machine(**host))).by_code(code).fix]
        assert any("install -y cuda-compat-12-" in text for text in steps) is kept, steps
        assert any(re.search(r"/usr/local/cuda-12\.\d+/compat", text) for text in steps) is kept


def test_the_size_of_the_shared_memory(make_machine):
    from devicekit.machine.probe.native import parse_shared_memory

    line = "634 629 0:147 / %s rw,nosuid,nodev - tmpfs shm %s"
    assert parse_shared_memory([line % ("/dev/shm", "rw,size=65536k,inode64")]) == 64 << 20
    assert parse_shared_memory([line % ("/dev/shm", "rw,size=1048576")]) == 1 << 20
    assert (
        parse_shared_memory([line % ("/dev/shm", "rw,size=65536k"), line % ("/dev/shm", "rw")]) is None
    )  # mounted over it
    assert parse_shared_memory([line % ("/tmp", "rw,size=65536k"), "x", ""]) is None
    host = {"files": {"/proc/self/mountinfo": line % ("/dev/shm", "rw,size=65536k") + "\n"}}
    assert read_machine(make_machine(**host)).native.shared_memory_bytes.value == 64 << 20
    assert not read_machine(make_machine()).native.shared_memory_bytes.known


def test_secure_boot_and_modules_for_another_kernel(make_machine, tmp_path):
    base = "linux-nvidia-driver-missing"
    host = json.loads(json.dumps(host_data(os.path.join(FOLDER, base))))
    host["files"].update({"/etc/os-release": "ID=debian\nVERSION_ID=12\n", KEY: "\x06\x00\x00\x00\x01"})
    (way,) = ways(diagnose(read_machine(make_machine(**host))).by_code("driver-missing").fix)
    assert "sudo mokutil --import /var/lib/dkms/mok.pub" in [item.command for item in way]
    host["files"][KEY] = "\x06\x00\x00\x00\x00"
    assert not read_machine(make_machine(**host)).native.secure_boot.value
    (way,) = ways(diagnose(read_machine(make_machine(**host))).by_code("driver-missing").fix)
    assert not any("mokutil" in (item.command or "") for item in way)


def test_in_a_container_the_driver_is_the_hosts(make_machine):
    steps = driver_steps(
        make_machine,
        "linux-nvidia-driver-too-old",
        "driver-too-old",
        "ID=ubuntu\nVERSION_ID=24.04\n",
        files={"/.dockerenv": ""},
    )
    assert steps[0][0].command is None
    assert "on the host" in steps[0][0].text


def test_root_needs_no_sudo(make_machine):
    steps = driver_steps(
        make_machine, "linux-nvidia-driver-missing", "driver-missing", "ID=ubuntu\nVERSION_ID=24.04\n", user="root"
    )
    assert steps[0][0].command == "ubuntu-drivers install"


# Reports


def test_reports_show_order_alternatives_and_shells():
    shell = Shell(Place("windows"))
    finding = Finding(
        "driver-too-old",
        "warning",
        "The driver is too old.",
        (),
        (
            Fix("Update it", who="admin", changes="driver"),
            shell.restart_fix("Restart Windows"),
            shell.replace_fix("Install another build", ["torch"], "torch==2.9.1", instead=True),
        ),
    )
    text = "\n".join(finding_lines(finding, Style(width=100)))
    assert [line.split()[0] for line in text.splitlines() if line.startswith("  ") and line[2] != " "][1:] == [
        "fix",
        "then",
        "or",
    ]
    assert "(needs an administrator)" in text
    assert "PowerShell:\n    python -m pip uninstall -y torch; python" in text
    assert "cmd:\n    python -m pip uninstall -y torch && python" in text
    page = to_html(finding_card(finding, 1, finding.fix))
    assert page.count("<pre>") == 2
    assert page.index("In this order:") < page.index("Restart Windows") < page.index("Install another build")
    assert len(set(re.findall(r'id="([^"]+)"', page))) == page.count(' id="')
