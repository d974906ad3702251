"""The blocks of shell in README and docs, run by a real bash as they are written; what would change a machine is replaced."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from recorded_machines import load_machine
from test_docs import PAGES, ROOT, blocks

pytestmark = [
    pytest.mark.only_on("posix", reason="a shell of POSIX"),
    pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash"),
]

#: Programs that run a command elsewhere, or on a part of the machine: here it runs in the sandbox. Those without a command do
#: nothing.
ELSEWHERE = (
    "srun", "ssh", "kubectl", "docker", "podman", "apptainer", "uvx", "pipx", "torchrun", "ray", "pip", "sbatch", "wsl",
    "numactl",
)  # fmt: skip

#: Parts of a command that are replaced: what would download a framework, and folders outside the sandbox.
REPLACED = (
    (r" --install\b( --into \w+)?", ""),
    (r"/shared/snapshots", "snapshots"),
    (r"/usr/lib/wsl/lib", "."),
    ("/dev/dxg", "."),
)

#: The user's own programs in examples, and the machines that they have snapshots of.
OWN = ("train.py", "train_ray.py", "first.py", "anything")
SNAPSHOTS = {"snapshots/a.json": "linux-no-gpu", "tests/windows-amd.json": "windows-amd-directml-plugin"}

#: What a command answers where the page lets its reader install first what is not here: an extra, a plug-in.
NOT_HERE = (
    'pip install "devicekit[report]"', 'pip install "devicekit[ray]"', "unknown device 'npu:0'", "unknown goal 'npu'",
)  # fmt: skip

TOOL = """
import json, os, subprocess, sys
name, arguments = sys.argv[1], sys.argv[2:]
if name == "python":
    if arguments[:2] == ["-m", "venv"]:
        os.makedirs(os.path.join(arguments[2], "bin"))
        open(os.path.join(arguments[2], "bin", "activate"), "w").close()
        sys.exit(0)
    if arguments[:1] == ["-m"]:
        sys.exit(0)
    known = [os.path.join(folder, arguments[0]) for folder in (".", {root!r})]
    sys.exit(0 if any(map(os.path.exists, known)) else 2)
if name != "devicekit":
    if "devicekit" not in arguments:
        sys.exit(0)
    arguments = arguments[arguments.index("devicekit") + 1 :]
done = subprocess.run([sys.executable, "-m", "devicekit", *arguments], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
with open({log!r}, "a") as stream:
    stream.write(json.dumps([arguments, done.returncode, done.stderr.decode("utf-8", "replace")[-2000:]]) + "\\n")
sys.exit(done.returncode)
"""


@pytest.fixture
def sandbox(tmp_path):
    """Return an environment in which the programs that pages name are there, and the file with what devicekit was asked."""
    log, programs = tmp_path / "calls", tmp_path / "bin"
    (tmp_path / "tool.py").write_text(TOOL.format(root=ROOT, log=str(log)), encoding="utf-8")
    programs.mkdir()
    for name in ("devicekit", "python", *ELSEWHERE):
        path = programs / name
        path.write_text("#!/bin/sh\nexec '%s' '%s' %s \"$@\"\n" % (sys.executable, tmp_path / "tool.py", name))
        path.chmod(0o755)
    for name in ("python3", "python3.12"):
        (programs / name).symlink_to("python")
    home = tmp_path / "home"
    home.mkdir()
    environ = dict(os.environ, PATH=os.pathsep.join((str(programs), "/usr/bin", "/bin")), HOME=str(home))
    environ.update(DEVICEKIT_OFFLINE="1", DEVICEKIT_CACHE_DIR=str(tmp_path / "cache"), SLURM_JOB_PARTITION="gpu")
    return environ, log


def scripts(page):
    """Return a page's blocks of bash, and the files that it shows before each."""
    files, found = {}, []
    for language, rest, text in blocks(page):
        title = re.search(r'title="([\w./-]+)"', rest)
        if title:
            files[title.group(1)] = text
        elif language == "bash":
            found.append((text, dict(files)))
    return found


def calls_in(log, before):
    """Return how devicekit was called since then, with its status and standard error."""
    return [json.loads(line) for line in log.read_text().splitlines()[before:]] if log.exists() else []


def is_here(call):
    return not any(text in call[2] for text in NOT_HERE)


@pytest.mark.parametrize("page", [page for page in PAGES if scripts(page)])
def test_the_blocks_of_a_page_run_as_they_are_written(page, sandbox, tmp_path):
    environ, log = sandbox
    folder = tmp_path / "work"
    folder.mkdir()
    for name in OWN:
        (folder / name).write_text("#!/bin/sh\n" if name == "anything" else "print('training')\n")
        (folder / name).chmod(0o755)
    for name, machine in SNAPSHOTS.items():
        (folder / name).parent.mkdir()
        (folder / name).write_text(json.dumps(load_machine(machine).to_dict()))
    wrong, before = [], 0
    for script, files in scripts(page):
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for pattern, replacement in REPLACED:
            script = re.sub(pattern, replacement, script)
        done = subprocess.run(
            ["bash", "-c", script], cwd=str(folder), env=environ, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=600,
        )  # fmt: skip
        said = done.stderr.decode("utf-8", "replace")
        calls = calls_in(log, before)
        before += len(calls)
        if "command not found" in said or "syntax error" in said:
            wrong.append([script, said[-2000:]])
        if done.returncode not in (0, 1) and all(map(is_here, calls)):
            wrong.append([script, done.returncode, said[-2000:]])
        wrong += [call for call in calls if (call[1] not in (0, 1) and is_here(call)) or "Traceback" in call[2]]
    assert not wrong, "\n".join(map(str, wrong))
