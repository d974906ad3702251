"""``devicekit.pyz`` with each Python: in a folder with a space, with no home, from a folder where nothing may be written.

And uvx and pipx with the wheel.

`nox -s onefile` builds it and names it in ``DEVICEKIT_TEST_PYZ``.
"""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile

import pytest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHONS = ("3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
PATIENCE_S = 60.0


def interpreter(version):
    found = shutil.which("python" + version)
    assert found, "python%s is not on PATH" % version
    # Where it really is: pyenv's shims need a home.
    command = [found, "-c", "import sys; print(sys.executable)"]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode().strip()


@pytest.fixture(scope="session")
def pyz(tmp_path_factory):
    folder = tmp_path_factory.mktemp("one file") / "wîth a space"
    folder.mkdir()
    path = shutil.copy(os.environ["DEVICEKIT_TEST_PYZ"], str(folder / "devicekit.pyz"))
    os.chmod(path, 0o444)
    os.chmod(str(folder), 0o555)
    return path


@pytest.fixture
def command(pyz, tmp_path):
    """Return a function that starts the archive and returns the process."""

    def start(python, *arguments, options=("-S",), stdin=subprocess.DEVNULL, **variables):
        environ = dict(
            {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "DEVICEKIT_OFFLINE": "1", "LC_ALL": "C"}, **variables
        )
        # A relative path: the children have to find the archive all the same.
        words = [python, *options, os.path.relpath(pyz, str(tmp_path)), *arguments]
        pipes = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(words, env=environ, cwd=str(tmp_path), **pipes)

    return start


@pytest.fixture
def run(command):
    """Return a function that runs the archive and returns standard output and standard error."""

    def to_end(python, *arguments, given=None, **options):
        stdin = subprocess.PIPE if given is not None else subprocess.DEVNULL
        out, err = command(python, *arguments, stdin=stdin, **options).communicate(given, timeout=300)
        return out.decode("utf-8"), err.decode("utf-8")

    return to_end


@pytest.mark.parametrize("version", PYTHONS)
def test_every_verb_that_one_carries_somewhere(run, version, tmp_path):
    python = interpreter(version)
    out, err = run(python, "doctor", "--json")
    data = json.loads(out)
    # What is inside the archive is not installed, and hides nothing.
    assert [item["code"] for item in data["findings"]] == ["framework-missing", "no-gpu"], err
    assert data["machine"]["executable"].endswith(os.path.basename(python))
    snapshot, err = run(python, "snapshot")
    assert json.loads(snapshot)["python"]["version"].startswith(version), err
    assert "devicekit.pyz" not in snapshot
    out, err = run(python, "doctor", "--machine", "-", given=snapshot.encode())
    assert "framework-missing" in out, err
    assert "cuDNN" in run(python, "explain", "cudnn-missing")[0]
    out, err = run(python, "resolve", "cpu", "--format", "requirements")
    assert "tensorflow" in out, err
    out, err = run(python, "fix", "--dry-run", "--json")
    assert json.loads(out)["outcome"] in ("planned", "impossible"), err
    assert os.listdir(str(tmp_path)) == []


@pytest.mark.parametrize("version", PYTHONS)
def test_a_framework_is_tried_in_another_python(run, version, tmp_path_factory):
    """Archive and examined interpreter differ: the child starts from the archive in the other one."""
    spec = importlib.util.spec_from_file_location("fake_frameworks", os.path.join(TESTS, "fake_frameworks.py"))
    fake = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fake)
    site = tmp_path_factory.mktemp("site")
    (site / "torch.py").write_text(fake.SOURCES["torch"])
    metadata = site / "torch-2.3.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.3.0\n")
    other = interpreter(PYTHONS[-1 - PYTHONS.index(version)])
    out, err = run(interpreter(version), "verify", "--json", "--python", other, PYTHONPATH=str(site))
    (torch,) = json.loads(out)["frameworks"]
    assert torch["observed"]["outcome"] == "works", (torch, err)
    assert json.loads(out)["machine"]["executable"].endswith(os.path.basename(other))


@pytest.mark.parametrize("version", [PYTHONS[0], PYTHONS[-1]])
def test_no_worker_outlives_a_launcher_that_was_killed(command, version, tmp_path):
    (tmp_path / "train.py").write_text(
        "import os, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "open('pid-' + os.environ['RANK'], 'w').close()\n"
        "os.rename('pid-' + os.environ['RANK'], '%d.pid' % os.getpid())\n"
        "time.sleep(600)\n"
    )
    process = command(interpreter(version), "launch", "--workers", "2", "--grace", "0.5", "train.py")
    deadline = time.monotonic() + PATIENCE_S
    found = []
    while len(found) < 2:
        found = [int(path.stem) for path in tmp_path.glob("*.pid")]
        assert time.monotonic() < deadline, "the workers did not start"
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=PATIENCE_S)
    while any(alive(pid) for pid in found):
        assert time.monotonic() < deadline, "a worker is alive"
        time.sleep(0.05)


def alive(pid):
    try:
        with open("/proc/%d/stat" % pid) as stream:
            return stream.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the simulated library is built for Linux")
@pytest.mark.parametrize("version", [PYTHONS[0], PYTHONS[-1]])
def test_the_driver_is_asked_with_what_the_archive_brings(run, version, tmp_path_factory):
    """nvidia-ml-py is in the archive alone, and the child that uses it as well."""
    folder = tmp_path_factory.mktemp("hardware")
    spec = importlib.util.spec_from_file_location("build", os.path.join(TESTS, "hardware", "build.py"))
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    library = build.build_nvml(str(folder))  # its folder
    program = "import json, sys; sys.path.insert(0, sys.argv[1])\n" + ASK
    variables = {"LD_LIBRARY_PATH": library, "SIM_NVML": "gpu=NVIDIA L4\ndriver=550.54.15\n"}
    done = subprocess.run(
        [interpreter(version), "-S", "-c", program, os.environ["DEVICEKIT_TEST_PYZ"]],
        env=dict(variables, PATH="/usr/bin:/bin"), stdout=subprocess.PIPE, timeout=120,
    )  # fmt: skip
    answer = json.loads(done.stdout.decode())
    assert answer["gpus"][0]["name"] == "NVIDIA L4", answer


ASK = """
from devicekit.machine.live_host import LiveHost
host = LiveHost(deadline_s=60)
print(json.dumps(dict(host.ask("nvml", {"pynvml": host.own_module("pynvml")}).answer())))
"""


def test_the_archive_has_the_licenses_of_what_it_brings():
    with zipfile.ZipFile(os.environ["DEVICEKIT_TEST_PYZ"]) as archive:
        names = archive.namelist()
    assert {name.split("/")[1] for name in names if name.startswith("licenses/")} >= {
        "devicekit",
        "packaging",
        "resolvelib",
    }
    assert not [name for name in names if ".dist-info" in name or name.endswith(".pyc")]


@pytest.mark.parametrize(
    "tool", [["uv", "tool", "run", "--from"], ["pipx", "run", "--no-cache", "--spec"]], ids=["uvx", "pipx"]
)
def test_a_command_in_its_own_environment_examines_the_users(tool, tmp_path):
    venv = tmp_path / "project"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    own = dict(os.environ, VIRTUAL_ENV=str(venv), PIPX_HOME=str(tmp_path / "pipx"), UV_CACHE_DIR=str(tmp_path / "uv"))
    words = [os.path.join(os.path.dirname(sys.executable), tool[0]), *tool[1:], os.environ["DEVICEKIT_WHEEL"]]
    words += ["devicekit", "snapshot"]
    done = subprocess.run(words, env=own, capture_output=True, timeout=300)
    assert json.loads(done.stdout.decode())["python"]["prefix"].endswith("/project"), done.stderr.decode()
    assert "devicekit: examines %s" % (venv / "bin" / "python") in done.stderr.decode()
