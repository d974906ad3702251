"""`devicekit resolve --install`: an environment with the right Python, and nothing half-made left behind."""

import base64
import hashlib
import json
import os
import re
import stat
import sys
import zipfile

import pytest
from packaging.version import Version

from devicekit import resolve
from devicekit.cli.main import main
from devicekit.diagnosis.findings import Packages
from devicekit.errors import RemedyError
from devicekit.machine.simulated import SimulatedHost
from devicekit.remedy.installers import Installer, complaint, steps, variables
from devicekit.remedy.layout import read_layout
from devicekit.remedy.new_environment import Order, accepted_versions, find_python, make_environment

HERE = "%d.%d" % sys.version_info[:2]

posix = pytest.mark.only_on("posix", reason="scripts stand for interpreters")


def quiet(text):
    assert text


def write_wheel(folder, name, version, files):
    """Write a wheel of a few modules."""
    info = "%s-%s.dist-info" % (name, version)
    files = dict(files)
    files[info + "/METADATA"] = "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version)
    files[info + "/WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    lines = []
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        lines.append("%s,sha256=%s,%d" % (path, digest, len(text)))
    files[info + "/RECORD"] = "\n".join([*lines, info + "/RECORD,,"]) + "\n"
    with zipfile.ZipFile(os.path.join(str(folder), "%s-%s-py3-none-any.whl" % (name, version)), "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder with one wheel, from which pip and uv install, and no other place: uv has no variable for that."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    write_wheel(folder, "tiny", "1.0", {"tiny.py": "VALUE = 1\n"})
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    for tool in ("PIP", "UV"):
        monkeypatch.setenv(tool + "_FIND_LINKS", str(folder))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("installer", ["uv", "pip"])
def test_an_environment_is_made_and_tried(tmp_path, index, monkeypatch, installer):
    if installer == "pip":
        monkeypatch.setenv("PATH", "/usr/bin:/bin")
        monkeypatch.setattr(sys, "executable", os.path.realpath(sys.executable))  # uv may stand next to it
    folder = tmp_path / "new"
    made = make_environment(Order(str(folder), HERE, ("tiny==1.0",)), quiet)
    assert made.folder == str(folder)
    assert os.path.isfile(made.python)
    assert made.requirements == ("tiny==1.0",)
    # There is no framework in it: that it was tried shows in the answer.
    assert made.works is False
    assert [item.observed.imports for item in made.frameworks] == [False]
    found = [name for _, _, names in os.walk(str(folder)) for name in names]
    assert "tiny.py" in found


@pytest.mark.slow
@pytest.mark.parametrize("installer", ["uv", "pip"])
@pytest.mark.parametrize("variable", [True, False], ids=["variable", "file"])
def test_what_pip_is_configured_to_do_holds_for_a_new_environment(tmp_path, index, monkeypatch, installer, variable):
    """uv reads nothing of it, and it is devicekit that chose uv."""
    write_wheel(index, "tiny", "2.0", {"tiny.py": "VALUE = 2\n"})
    (tmp_path / "caps.txt").write_text("tiny<2\n")
    monkeypatch.delenv("UV_FIND_LINKS")
    if variable:
        monkeypatch.setenv("PIP_CONSTRAINT", str(tmp_path / "caps.txt"))
    else:
        for name in ("PIP_FIND_LINKS", "PIP_NO_INDEX"):
            monkeypatch.delenv(name)
        text = "[global]\nno-index = true\nfind-links = %s\nconstraint = %s\n"
        (tmp_path / "pip.conf").write_text(text % (index, tmp_path / "caps.txt"))
        monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    if installer == "pip":
        monkeypatch.setenv("PATH", "/usr/bin:/bin")
        monkeypatch.setattr(sys, "executable", os.path.realpath(sys.executable))  # uv may stand next to it
    made = make_environment(Order(str(tmp_path / "new"), HERE, ("tiny",)), quiet)
    names = [name for _, folders, _ in os.walk(made.folder) for name in folders if name.startswith("tiny-")]
    assert names == ["tiny-1.0.dist-info"]
    assert accepted_versions() == {"tiny": "<2"}


def test_uv_is_told_what_it_is_told_by_no_variable_of_its_own(tmp_path):
    settings = {"index-url": "https://a.example/simple", "extra-index-url": "https://b.example\n https://c.example"}
    settings.update({"find-links": "/one /two", "trusted-host": "b.example c.example", "cert": "~/ca.pem"})
    text = "[global]\n" + "".join("%s = %s\n" % item for item in settings.items())
    description = {"system": "linux", "home": "/home/me", "files": {"/home/me/.config/pip/pip.conf": text}}
    (tmp_path / "host.json").write_text(json.dumps(description))
    environment = {"UV_FIND_LINKS": "/mine", "PIP_TARGET": "/elsewhere"}
    values = variables(environment, SimulatedHost(str(tmp_path)))
    assert values["UV_INDEX_URL"] == "https://a.example/simple"
    assert values["UV_EXTRA_INDEX_URL"] == "https://b.example https://c.example"
    assert (values["UV_FIND_LINKS"], values["UV_INDEX_STRATEGY"]) == ("/mine", "unsafe-best-match")
    assert (values["UV_INSECURE_HOST"], values["SSL_CERT_FILE"]) == ("b.example c.example", "/home/me/ca.pem")
    assert "PIP_TARGET" not in values


@pytest.mark.parametrize("installer", ["uv", "pip"])
def test_versions_that_have_to_stay_do_not_replace_the_constraints_of_the_user(monkeypatch, tmp_path, installer):
    """An option of uv takes the place of its variable; pip's adds to it."""
    monkeypatch.setenv("UV_CONSTRAINT", "/srv/one.txt /srv/two.txt")
    layout = read_layout(sys.executable)
    ((_, call),) = steps(Installer(installer, (installer,), layout), Packages(install=("tiny",)), "/own.txt")
    files = [after for before, after in zip(call, call[1:]) if before == "--constraint"]
    assert files == ["/own.txt"] + (["/srv/one.txt", "/srv/two.txt"] if installer == "uv" else [])


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("Looking\nERROR: No matching distribution found for tiny==3\nWARNING: pip 19.2\nYou should\nupgrade\n", (1,)),
        (
            "Resolving\n  \u00d7 No solution found:\n  \u2570\u2500\u25b6 Because tiny<3\n      and you require tiny==3\n",
            (1, 2, 3),
        ),
        ("one\ntwo\nthree\n", (1, 2)),
    ],
)
def test_an_installer_s_own_explanation_is_told(printed, said):
    """And not the last lines, where pip offers a newer pip."""
    lines = [line.strip() for line in printed.splitlines()]
    assert complaint(printed) == " ".join(lines[number] for number in said)


@pytest.mark.slow
def test_resolve_installs_what_constraints_accept(tmp_path, index, monkeypatch, capsys):
    newest = resolve("cpu").pins[0]
    (tmp_path / "caps.txt").write_text("%s<%s\n" % (newest.name, newest.version))
    monkeypatch.setenv("PIP_CONSTRAINT", str(tmp_path / "caps.txt"))
    # Of the set there is no wheel here: the error names the first requirement.
    assert main(["resolve", "cpu", "--offline", "--install", "--into", str(tmp_path / "new")]) == 2
    version = re.search(r"%s==([0-9.]+[0-9])" % newest.name, capsys.readouterr().err).group(1)
    assert Version(version) < Version(newest.version)


@pytest.mark.slow
@pytest.mark.parametrize("existed", [True, False])
def test_nothing_is_left_where_the_installer_fails(tmp_path, index, existed):
    folder = tmp_path / "new"
    if existed:
        folder.mkdir()
    with pytest.raises(RemedyError, match="failed"):
        make_environment(Order(str(folder), HERE, ("tiny==2.0",)), quiet)
    assert folder.exists() is existed
    assert not existed or list(folder.iterdir()) == []


def test_no_folder_above_is_left_where_a_step_fails(tmp_path):
    def fail(text):
        os.makedirs(str(tmp_path / "a" / "b" / "c" / "bin"))
        raise RemedyError(text)

    with pytest.raises(RemedyError):
        make_environment(Order(str(tmp_path / "a" / "b" / "c"), HERE, ("tiny==2.0",)), fail)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_nothing_is_left_where_the_user_interrupts(tmp_path, index):
    folder = tmp_path / "new"

    def interrupt(text):
        if text.startswith("installing"):
            assert folder.exists()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_environment(Order(str(folder), HERE, ("tiny==1.0",)), interrupt)
    assert not folder.exists()


def test_a_folder_with_something_in_it_is_refused(tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(RemedyError, match="is not empty"):
        make_environment(Order(str(tmp_path), HERE, ("tiny==1.0",)), quiet)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_file_is_no_folder(tmp_path):
    path = tmp_path / "file"
    path.write_text("x")
    with pytest.raises(RemedyError, match="cannot be used"):
        make_environment(Order(str(path), HERE, ("tiny==1.0",)), quiet)
    assert path.read_text() == "x"


def script(path, version, status=0):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\necho %s\nexit %d\n" % (version, status))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@posix
def test_a_python_on_the_path_comes_first_then_the_newest_of_pyenv(tmp_path):
    root = tmp_path / "pyenv"
    for patch in ("9", "10"):
        script(root / "versions" / ("3.99." + patch) / "bin" / "python", "3.99")
    script(root / "versions" / "3.99.11-debug" / "bin" / "python", "3.99")
    on_path = script(tmp_path / "bin" / "python3.99", "3.99")
    shims = script(tmp_path / "shims" / "python3.98", "3.98")
    environment = {"PYENV_ROOT": str(root), "PATH": os.pathsep.join((os.path.dirname(shims), str(tmp_path / "bin")))}
    assert find_python("3.99", environment) == on_path
    os.unlink(on_path)
    assert find_python("3.99", environment) == str(root / "versions" / "3.99.10" / "bin" / "python")
    # A shim of pyenv stands for what is selected in a folder.
    assert find_python("3.98", environment) is None


@posix
def test_a_python_that_cannot_make_environments_is_passed_over(tmp_path):
    script(tmp_path / "python3.99", "3.99", status=1)
    assert find_python("3.99", {"PATH": str(tmp_path), "PYENV_ROOT": str(tmp_path)}) is None
    script(tmp_path / "python3.99", "3.98")
    assert find_python("3.99", {"PATH": str(tmp_path), "PYENV_ROOT": str(tmp_path)}) is None


def test_this_python_serves_its_own_version():
    found = find_python(HERE, {"PATH": "", "PYENV_ROOT": os.devnull})
    assert found is not None
    assert os.path.isabs(found)


@pytest.mark.parametrize("arguments", [["--platform", "windows-amd64"], ["--machine", "linux-a100"]])
def test_an_environment_is_made_for_this_machine_only(arguments, capsys, tmp_path):
    status = main(["resolve", "cpu", "--offline", "--install", "--into", str(tmp_path / "new"), *arguments])
    assert status == 2
    assert "is for this machine" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_a_folder_is_named_for_an_installation_only(capsys, tmp_path):
    assert main(["resolve", "cpu", "--offline", "--into", str(tmp_path)]) == 2
    assert "--install" in capsys.readouterr().err
