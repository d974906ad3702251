"""The outcome for an environment: fixed, or exactly as it was. Real installers, tiny wheels, no index."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
from fake_frameworks import SOURCES
from tiny import APPLY, BROKEN_NUMPY, FOLDER, GOOD_NUMPY, NEEDED, TENSORFLOW, Patient, ended, numpy_files, wheel

from devicekit.diagnosis.findings import Packages
from devicekit.machine.interpreter import other_interpreter
from devicekit.machine.live_host import LiveHost
from devicekit.machine.probe import read_machine
from devicekit.remedy.installers import find_uv
from devicekit.remedy.journal import Logbook
from devicekit.remedy.layout import Layout, read_layout, unset_at_start
from devicekit.remedy.result import Attempt

INSTALLERS = ("pip", "uv")
GOOD = Packages(install=("numpy==" + GOOD_NUMPY,))

posix = pytest.mark.only_on("posix", reason="signals of POSIX")


def add_numpy(patient, version=GOOD_NUMPY, works=True, more=0, **options):
    wheel(patient.wheels, "numpy", version, numpy_files(version, works, more), **options)


def assert_as_before(patient, files):
    """Nothing is left of a fix: no file differs, and there is nothing to undo."""
    assert patient.files(own=True) == files


@pytest.mark.smoke
@pytest.mark.parametrize("installer", INSTALLERS)
def test_it_works_afterwards_and_undo_restores_every_file(patient_of, installer):
    patient = patient_of(installer)
    add_numpy(patient)
    before, versions = patient.files(), patient.versions()
    remedy, _ = patient.apply(GOOD)
    assert (remedy["outcome"], remedy["attempts"][0]["outcome"]) == ("fixed", "works")
    assert remedy["changes"] == [{"name": "numpy", "before": BROKEN_NUMPY, "after": GOOD_NUMPY}]
    assert [row["works"] for row in remedy["before"]] == [False, False]
    assert [row["works"] for row in remedy["after"]] == [True, True]
    assert patient.works()
    status, undone, _ = patient.fix("--undo", "--yes")
    assert (status, undone["outcome"]) == (0, "undone")
    assert undone["changes"] == [{"name": "numpy", "before": GOOD_NUMPY, "after": BROKEN_NUMPY}]
    assert patient.versions() == versions
    assert_as_before(patient, before)
    status, _, errors = patient.fix("--undo", "--yes")
    assert status == 2
    assert "there is no fix" in errors


@pytest.mark.parametrize("installer", INSTALLERS)
def test_what_does_not_help_is_undone_and_the_next_way_is_taken(patient_of, installer):
    patient = patient_of(installer)
    add_numpy(patient)
    add_numpy(patient, "1.26.3", works=False)
    remedy, _ = patient.apply(Packages(install=("numpy==1.26.3",)), Packages(install=("numpy==9.9",)), GOOD)
    assert [item["outcome"] for item in remedy["attempts"]] == ["not-better", "failed", "works"]
    assert "no attribute 'exceptions'" in remedy["attempts"][0]["detail"]
    assert "numpy==9.9" in remedy["attempts"][1]["detail"]
    assert patient.works()


@pytest.mark.slow
@pytest.mark.parametrize("numpy, outcome", [(GOOD_NUMPY, "fixed"), (BROKEN_NUMPY, "restored")])
def test_a_plan_for_a_new_environment_leaves_the_one_that_is_there_alone(patient, tmp_path, numpy, outcome):
    """Also where that one is a virtual environment, into which devicekit may install."""
    add_numpy(patient)
    before, folder = patient.files(own=True), tmp_path / "new"
    pins = tuple("%s==%s" % item for item in dict(NEEDED, numpy=numpy, **{"tensorflow-cpu": TENSORFLOW}).items())
    python = "%d.%d" % sys.version_info[:2]
    remedy, message = patient.apply(Attempt(Packages(install=pins), "a test", environment=str(folder), python=python))
    assert (remedy["outcome"], folder.exists()) == (outcome, outcome == "fixed"), message
    assert_as_before(patient, before)


@pytest.mark.parametrize("installer", INSTALLERS)
def test_where_nothing_helps_everything_is_as_before(patient_of, installer):
    patient = patient_of(installer)
    add_numpy(patient, "1.26.3", works=False)
    wheel(patient.wheels, "newcomer", "1.0")
    before = patient.files()
    remedy, _ = patient.apply(Packages(remove=("six", "wheel"), install=("numpy==1.26.3", "newcomer")))
    assert remedy["outcome"] == "restored"
    assert remedy["after"] == remedy["changes"] == []
    assert_as_before(patient, before)


@pytest.mark.parametrize("installer", INSTALLERS)
def test_an_installation_that_fails_half_way_is_undone(patient_of, installer):
    patient = patient_of(installer)
    # It removes NumPy, installs other packages, and then finds that there is a folder where a file should be.
    add_numpy(patient, requires=("zoo",))
    wheel(patient.wheels, "zoo", "1.0", {"zoo/__init__.py": "", "tensorflow": ""})
    before = patient.files()
    remedy, _ = patient.apply(Packages(remove=("six",), install=("numpy==" + GOOD_NUMPY, "zoo==1.0")))
    assert (remedy["outcome"], remedy["attempts"][0]["outcome"]) == ("restored", "failed")
    assert_as_before(patient, before)


@pytest.mark.parametrize("installer", INSTALLERS)
def test_damaged_files_are_written_again_and_undo_restores_even_the_damage(patient_of, installer):
    patient = patient_of(installer)
    add_numpy(patient)
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    # uv may have linked the file to its cache: the damage must not be in there, too.
    path = os.path.join(patient.site, "tensorflow", "__init__.py")
    with open(path, "rb") as stream:
        content = stream.read()
    os.unlink(path)
    with open(path, "wb") as stream:
        stream.write(content[: len(content) // 2])
    before = patient.files()
    version = next(version for name, version in patient.versions().items() if name == "tensorflow_cpu")
    remedy, message = patient.apply(Packages(reinstall=("tensorflow-cpu==" + version,)))
    assert remedy is not None, message
    assert remedy["outcome"] == "fixed", remedy["attempts"]
    assert patient.works()
    assert patient.fix("--undo", "--yes")[0] == 0
    assert patient.files() == before


def test_a_copied_environment_is_restored_and_its_original_is_not(patient_of):
    patient = patient_of()
    add_numpy(patient)
    before = patient.files()
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    original, fixed = patient.prefix, patient.files(own=True)
    patient.prefix = original + "-2"
    shutil.copytree(original, patient.prefix, symlinks=True)
    assert patient.fix("--undo", "--yes")[0] == 0
    assert_as_before(patient, before)
    patient.prefix = original
    assert patient.files(own=True) == fixed


def test_what_is_not_kept_any_more_is_named_and_the_rest_is_restored(patient):
    add_numpy(patient)
    before = patient.files()
    assert patient.apply(Packages(remove=("six",), install=GOOD.install))[0]["outcome"] == "fixed"
    own = os.path.join(patient.prefix, ".devicekit", "fix-1")
    six = os.path.join(os.path.relpath(patient.site, patient.prefix), "six", "__init__.py")
    os.unlink(os.path.join(own, "files", six))
    os.unlink(
        os.path.join(own, "files", os.path.relpath(patient.site, patient.prefix), "wrapt", "__init__.py")
    )  # unchanged
    mine = os.path.join(patient.site, "mine.py")
    with open(mine, "w") as stream:
        stream.write("# mine\n")
    status, _, errors = patient.fix("--undo", "--yes")
    assert status == 2
    assert "cannot be restored: %s (1 in all)" % six in errors
    assert "remove the folder %s" % own in errors
    assert patient.fix("--undo", "--yes")[0] == 2
    os.unlink(mine)  # a file of the user's, which is left alone the second time as well
    shutil.rmtree(os.path.join(patient.prefix, ".devicekit"))
    del before[six]
    assert_as_before(patient, before)


def without_rights():
    """Let root be refused what it has no right to, as another user is."""
    import ctypes

    for capability in (1, 2, 3):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


@pytest.mark.only_on("linux", reason="capabilities of Linux")
def test_what_cannot_be_removed_keeps_nothing_else_from_being_restored(patient):
    add_numpy(patient)
    before = patient.files()
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    folder = os.path.join(patient.site, "numpy")
    os.chmod(folder, 0o555)
    status, _, errors = patient.fix("--undo", "--yes", preexec_fn=without_rights)
    os.chmod(folder, 0o755)
    assert status == 2
    assert "could not be restored yet: [Errno 13]" in errors
    now = patient.files()
    left = {os.path.dirname(path) for path in before if now.get(path) != before[path]}
    assert left == {os.path.relpath(folder, patient.prefix)}
    assert patient.fix("--undo", "--yes")[0] == 0
    assert_as_before(patient, before)


@pytest.mark.only_on("linux", reason="capabilities of Linux")
def test_what_was_fixed_and_may_not_be_read_is_not_called_nothing(patient):
    add_numpy(patient)
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    own = os.path.join(patient.prefix, ".devicekit")
    os.chmod(own, 0)
    status, _, errors = patient.fix("--undo", "--yes", preexec_fn=without_rights)
    os.chmod(own, 0o700)
    assert (status, errors.strip()) == (2, "devicekit: %s cannot be read: Permission denied" % own)


@posix
def test_what_is_not_a_folder_of_a_fix_is_left_alone(tmp_path):
    path, precious = str(tmp_path), tmp_path / "precious"
    for folder in (precious, tmp_path / ".devicekit" / "fix-007"):
        folder.mkdir(parents=True)
    (precious / "file").write_text("mine")
    os.symlink(str(precious), str(tmp_path / ".devicekit" / "fix-1"))
    with Logbook(Layout(*[path] * 3, (path,), path, path)) as logbook:
        assert list(logbook.entries()) == []
    assert (precious / "file").read_text() == "mine"


@pytest.mark.parametrize("setting", ["user = true", "target = elsewhere", "no-deps = true\nrequire-virtualenv = true"])
def test_settings_of_pip_do_not_lead_an_installation_elsewhere(patient, setting):
    add_numpy(patient)
    patient.variables["PIP_CONFIG_FILE"] = os.path.join(patient.home, "pip.conf")
    with open(patient.variables["PIP_CONFIG_FILE"], "w") as stream:
        stream.write("[install]\n%s\n" % setting)
    remedy, errors = patient.apply(GOOD)
    assert (remedy["outcome"], patient.works()) == ("fixed", True), (remedy, errors)


def test_metadata_without_record_do_not_keep_an_installer_away(patient):
    add_numpy(patient)
    os.unlink(os.path.join(patient.site, "numpy-%s.dist-info" % BROKEN_NUMPY, "RECORD"))
    before = patient.files()
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    assert patient.versions()["numpy"] == GOOD_NUMPY
    assert patient.fix("--undo", "--yes")[0] == 0
    assert_as_before(patient, before)


def test_what_the_user_has_done_since_is_named_and_files_of_no_distribution_stay(patient):
    add_numpy(patient)
    wheel(patient.wheels, "newcomer", "1.0")
    before = patient.files()
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    subprocess.run(
        [patient.python, "-m", "pip", "install", "-q", "newcomer"], env=patient.variables, cwd=patient.home, check=True
    )
    mine = os.path.join(patient.site, "mine.pth")
    with open(mine, "w") as stream:
        stream.write("# mine\n")
    status, planned, _ = patient.fix("--undo")
    assert (status, planned["outcome"]) == (1, "planned")
    assert "newcomer" in planned["summary"]
    status, undone, _ = patient.fix("--undo", "--yes")
    assert "left alone (1)" in undone["summary"]
    assert "newcomer" not in patient.versions()
    assert os.path.isfile(mine)
    os.unlink(mine)
    assert_as_before(patient, before)


def test_certificates_that_are_appended_in_place_do_not_change_what_is_kept(patient):
    add_numpy(patient)
    certificates = os.path.join(patient.site, "certifi", "cacert.pem")
    os.makedirs(os.path.dirname(certificates), exist_ok=True)
    with open(certificates, "w") as stream:
        stream.write("those of the release\n")
    before = patient.files()
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    with open(certificates, "a") as stream:
        stream.write("that of a proxy\n")
    assert patient.fix("--undo", "--yes")[0] == 0
    assert_as_before(patient, before)


def test_a_file_that_hides_a_package_is_renamed_and_gets_its_name_back(patient):
    add_numpy(patient)
    path = os.path.join(patient.home, "setting.json")
    with open(path, "w") as stream:
        stream.write("{}")
    attempt = {"packages": GOOD.to_dict(), "reason": "a test", "aside": [path]}
    output, errors = ended(patient.start(APPLY, FOLDER, patient.prefix, json.dumps([attempt])))
    assert json.loads(output.decode("utf-8"))["outcome"] == "fixed", errors
    assert not os.path.exists(path)
    assert os.path.isfile(path + ".aside")
    assert patient.fix("--undo", "--yes")[0] == 0
    assert os.path.isfile(path)
    assert not os.path.exists(path + ".aside")


def test_a_variable_is_unset_in_the_environment_and_only_with_its_value(patient_of):
    plant = {"tensorflow import": "if os.environ.get('XLA_FLAGS') == '--%d\\'': raise RuntimeError('unknown flag')"}
    patient = patient_of(PATIENT=json.dumps(plant), XLA_FLAGS="--%d'")
    add_numpy(patient)
    before = patient.files()
    assert patient.apply(GOOD)[0]["outcome"] == "restored"
    attempt = {"packages": GOOD.to_dict(), "reason": "a test", "unset": ["XLA_FLAGS"]}
    output, errors = ended(patient.start(APPLY, FOLDER, patient.prefix, json.dumps([attempt])))
    assert json.loads(output.decode("utf-8"))["outcome"] == "fixed", errors
    assert patient.works()
    show = [patient.python, "-c", "import os; print(os.environ.get('XLA_FLAGS'))"]
    for value, seen in (("--%d'", "None"), ("--other", "--other")):
        variables = dict(patient.variables, XLA_FLAGS=value)
        assert subprocess.check_output(show, env=variables).decode("ascii").strip() == seen
    assert patient.fix("--undo", "--yes")[0] == 0
    assert_as_before(patient, before)


def test_a_variable_that_the_start_of_another_interpreter_unsets_is_not_set_there(patient, monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--x")
    assert LiveHost(other_interpreter(patient.python)).environ()["XLA_FLAGS"] == "--x"
    with open(os.path.join(patient.site, "own.pth"), "w") as stream:
        stream.write("import os; os.environ.pop('XLA_FLAGS', None)\n")
    interpreter = other_interpreter(patient.python)
    assert (interpreter.unset, interpreter.preset) == (("XLA_FLAGS",), ())
    assert "XLA_FLAGS" not in LiveHost(interpreter).environ()


@pytest.mark.parametrize("name", ["zz.pth", "sitecustomize.py"])
def test_a_variable_that_the_start_of_another_interpreter_sets_is_set_there(patient, monkeypatch, name):
    monkeypatch.setenv("TF_XLA_FLAGS", "--y")
    with open(os.path.join(patient.site, name), "w") as stream:
        stream.write("import os; os.environ.update(TF_XLA_FLAGS='--x', SECRET='x')\n")
    interpreter = other_interpreter(patient.python)
    assert (interpreter.unset, interpreter.preset) == ((), (("TF_XLA_FLAGS", "--x"),))
    assert LiveHost(interpreter).environ()["TF_XLA_FLAGS"] == "--x"
    process = read_machine(LiveHost(interpreter)).process
    assert (process.env("TF_XLA_FLAGS"), process.preset) == ("--x", ("TF_XLA_FLAGS",))


def test_what_sitecustomize_sets_is_unset_after_it(patient):
    with open(os.path.join(patient.site, "sitecustomize.py"), "w") as stream:
        stream.write("import os\nos.environ['XLA_FLAGS'] = '--x'\n")
    show = [patient.python, "-c", "import os; print(os.environ.get('XLA_FLAGS'))"]
    interpreter = other_interpreter(patient.python)
    unset_at_start(read_layout(patient.python), ["XLA_FLAGS"], LiveHost(interpreter).environ(), interpreter.preset)
    assert subprocess.check_output(show, env=patient.variables).decode("ascii").strip() == "None"


def test_devicekits_own_dependencies_stay(patient):
    """Where devicekit is installed in the environment that it changes."""
    wheel(patient.wheels, "devicekit", "0.1.0")
    wheel(patient.wheels, "packaging", "25.0")
    subprocess.run(
        [patient.python, "-m", "pip", "install", "-q", "devicekit"], env=patient.variables, cwd=patient.home, check=True
    )
    add_numpy(patient, requires=("packaging",))
    wheel(patient.wheels, "newcomer", "1.0", requires=("packaging>=25",))
    before = patient.files()
    remedy, _ = patient.apply(Packages(install=("newcomer", "numpy==" + GOOD_NUMPY)))
    assert remedy["attempts"][0]["outcome"] == "failed"
    assert_as_before(patient, before)
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    assert patient.versions()["packaging"] == NEEDED["packaging"]
    # Nor is any of it removed, whatever the plan says.
    remedy, message = patient.apply(Packages(remove=("devicekit",)))
    assert remedy is None
    assert "devicekit itself" in message


@posix
@pytest.mark.parametrize("installer", INSTALLERS)
def test_a_killed_fix_is_undone_by_the_next_one(patient_of, installer):
    patient = patient_of(installer)
    add_numpy(patient, more=1500)
    before, versions = patient.files(), patient.versions()
    interrupted, moments = 0, random.Random(7)
    for number in range(6):
        process = patient.start_apply(Packages(remove=("six",), install=("numpy==" + GOOD_NUMPY,)))
        journal = os.path.join(patient.prefix, ".devicekit", "fix-1", "journal.json")
        removed = os.path.join(patient.site, "six-%s.dist-info" % NEEDED["six"])
        deadline = time.monotonic() + 60
        # From the time on at which it records, or from the first change on.
        while process.poll() is None and time.monotonic() < deadline:
            if not os.path.exists(removed) if number % 2 else os.path.exists(journal):
                break
            time.sleep(0.005)
        time.sleep(moments.random() * (1.0 if installer == "pip" else 0.2) if number > 1 else 0)
        process.kill()
        ended(process)
        interrupted += patient.files() != before
        status, _, errors = patient.fix("--undo", "--yes")
        if status:
            # It was killed before it changed anything; the next one removes what it has recorded.
            assert "there is no fix" in errors
            assert patient.files() == before
            shutil.rmtree(os.path.join(patient.prefix, ".devicekit"), ignore_errors=True)
        assert patient.versions() == versions
        assert_as_before(patient, before)
    assert interrupted


@posix
@pytest.mark.smoke
def test_ctrl_c_restores_the_environment(patient):
    add_numpy(patient, more=1500)
    before = patient.files()
    patient.lose_a_dependency()
    broken = patient.files()
    assert broken != before
    process = patient.start_apply(GOOD)
    wait_for_change(patient, process, broken)
    process.send_signal(signal.SIGINT)
    _, errors = ended(process)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors.decode("utf-8", "replace")
    assert_as_before(patient, broken)


def wait_for_change(patient, process, files):
    folder = os.path.join(patient.site, "numpy")
    there = set(os.listdir(folder))
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if not os.path.isdir(folder) or set(os.listdir(folder)) != there:
            return
        time.sleep(0.005)


@posix
def test_a_disk_without_room_is_no_reason_to_leave_it_half_done(patient):
    import resource

    content = {"numpy/large.py": "# " + "x" * (3 << 20)}
    wheel(patient.wheels, "numpy", GOOD_NUMPY, dict(numpy_files(GOOD_NUMPY, True), **content))
    before = patient.files()
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))  # noqa: E731
    remedy, message = patient.apply(Packages(remove=("six",), install=("numpy==" + GOOD_NUMPY,)), preexec_fn=limit)
    assert remedy is not None, message
    assert remedy["attempts"][0]["outcome"] == "failed"
    assert_as_before(patient, before)


@posix
def test_an_undo_that_cannot_write_says_so_and_is_repeated(patient):
    import resource

    add_numpy(patient)
    before = patient.files()
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # noqa: E731
    status, _, errors = patient.fix("--undo", "--yes", preexec_fn=limit)
    assert (status, errors.count("\n")) == (2, 1), errors
    assert "File too large" in errors
    assert patient.fix("--undo", "--yes")[0] == 0
    assert_as_before(patient, before)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 40 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    call = [mount or "mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(folder)]
    if mount is None or subprocess.run(call, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a file system, and not in every container")
    yield folder
    subprocess.run([shutil.which("umount"), "-l", str(folder)], check=True)


@posix
@pytest.mark.parametrize("room", [0, 600 << 10])
def test_a_full_disk(patient_of, small_disk, room):
    """Without room for the journal nothing begins; with too little for the packages, the installer fails half-way."""
    patient = patient_of()
    moved = str(small_disk / "environment")
    shutil.copytree(patient.prefix, moved, symlinks=True)
    patient.prefix, patient.python = moved, patient.python.replace(patient.prefix, moved)
    content = {"numpy/large%d.py" % number: "# " + "x" * (200 << 10) for number in range(20)}
    wheel(patient.wheels, "numpy", GOOD_NUMPY, dict(numpy_files(GOOD_NUMPY, True), **content))
    before = patient.files()
    with open(str(small_disk / "filler"), "wb") as stream:
        stream.write(bytes(shutil.disk_usage(str(small_disk)).free - (2 << 20)))
        stream.flush()
        while shutil.disk_usage(str(small_disk)).free > room + 4096:
            stream.write(bytes(min(1 << 16, shutil.disk_usage(str(small_disk)).free - room)))
            stream.flush()
    remedy, message = patient.apply(Packages(remove=("six",), install=("numpy==" + GOOD_NUMPY,)))
    if remedy is None:
        assert "No space left on device" in message
    else:
        assert (remedy["outcome"], remedy["attempts"][0]["outcome"]) == ("restored", "failed")
    assert (remedy is None) == (room == 0)
    os.unlink(str(small_disk / "filler"))
    assert_as_before(patient, before)


def test_without_network_nothing_changes(patient):
    before = patient.files()
    patient.variables.update(PIP_INDEX_URL="https://127.0.0.1:9/simple", PIP_RETRIES="0")
    del patient.variables["PIP_NO_INDEX"]
    remedy, _ = patient.apply(GOOD)
    assert (remedy["outcome"], remedy["attempts"][0]["outcome"]) == ("restored", "failed")
    assert_as_before(patient, before)


@pytest.mark.smoke
def test_of_two_at_once_the_second_one_says_so(patient):
    add_numpy(patient)
    before = patient.files()
    layout = read_layout(other_interpreter(patient.prefix).executable)
    with Logbook(layout):
        remedy, message = patient.apply(GOOD)
        assert remedy is None
        assert "another devicekit fix is at work on" in message
    assert_as_before(patient, before)
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"


#: Holds a file of Windows as a training does that still runs: open, or loaded as a library.
HOLDS = """
import ctypes, sys
held = open(sys.argv[2]) if sys.argv[1] == "open" else ctypes.WinDLL(sys.argv[2])
print("on", flush=True)
sys.stdin.read()
"""


@pytest.mark.only_on("windows", reason="elsewhere a file that is in use can be removed")
@pytest.mark.parametrize("how", ["open", "loaded"])
def test_a_file_that_is_in_use_costs_nothing(patient, how):
    add_numpy(patient)
    path = os.path.join(patient.site, "numpy", "core.dll")
    shutil.copyfile(os.path.join(sys.base_prefix, "DLLs", "sqlite3.dll"), path)
    with open(os.path.join(patient.site, "numpy-%s.dist-info" % BROKEN_NUMPY, "RECORD"), "a") as stream:
        stream.write("numpy/core.dll,,\n")
    before = patient.files()
    command = [sys.executable, "-c", HOLDS, how, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline().strip() == b"on"
        remedy, message = patient.apply(Packages(remove=("six",), install=GOOD.install))
        # What is loaded may be renamed, and pip does that; what is open may not, though under Wine its folder may.
        done = "pending" if remedy is None else remedy["outcome"]
        assert "devicekit fix --undo tries again" in message or done in ("restored", "fixed"), message
        assert done != "fixed" or patient.works()
        if done == "restored":
            assert_as_before(patient, before)
        holder.stdin.close()
        holder.wait(60)
    if done == "restored":
        assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    assert patient.fix("--undo", "--yes")[0] == 0
    assert_as_before(patient, before)


@pytest.mark.parametrize("how", ["undo", "fix"])
def test_what_pip_moved_and_could_not_remove_goes_later_and_a_file_of_the_user_stays(patient, how):
    """As on Windows, where another process has the file open."""
    add_numpy(patient)
    path = os.path.join(patient.site, "numpy", "__init__.py")
    moved, mine = (os.path.join(patient.site, "~umpy", "core", name) for name in ("__init__.py", "mine.py"))
    kept = os.path.join(patient.home, "kept.py")
    shutil.copy2(path, kept)
    before = patient.files()
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    os.makedirs(os.path.dirname(moved))
    shutil.copy2(kept, moved)
    shutil.copy2(path, mine)
    if how == "fix":
        os.unlink(os.path.join(patient.site, "numpy", "exceptions.py"))
        assert patient.apply(Packages(reinstall=GOOD.install))[0]["outcome"] == "fixed"
    else:
        assert "left alone (1)" in patient.fix("--undo", "--yes")[1]["summary"]
    assert (os.path.exists(moved), os.path.exists(mine)) == (False, True)
    os.unlink(mine)
    os.removedirs(os.path.dirname(mine))
    assert how == "fix" or patient.files(own=True) == before


@pytest.mark.parametrize("installer", INSTALLERS)
def test_a_folder_with_spaces_and_letters_of_several_scripts(tmp_path, environments, wheels, installer):
    if installer == "uv" and find_uv() is None:
        pytest.skip("uv is not installed")
    home = tmp_path / "Łukasz Żółć 東京 & co"
    home.mkdir()
    shutil.copytree(str(environments(installer)), str(home / "environment"), symlinks=True)
    own = tmp_path / "wheels"  # pip splits PIP_FIND_LINKS at spaces
    shutil.copytree(str(wheels), str(own))
    patient = Patient(home / "environment", own, home, UV_CACHE_DIR=str(home / "cache"))
    add_numpy(patient)
    before = patient.files()
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    assert patient.works()
    assert patient.fix("--undo", "--yes")[0] == 0
    assert_as_before(patient, before)


def test_an_environment_that_cannot_be_written(patient):
    add_numpy(patient)
    before = patient.files()
    own = os.path.join(patient.prefix, ".devicekit")
    with open(own, "w") as stream:  # root may write everywhere else
        stream.write("")
    remedy, message = patient.apply(GOOD)
    assert remedy is None
    assert "cannot be changed" in message
    os.unlink(own)
    assert_as_before(patient, before)


def test_nothing_is_installed_into_a_python_of_the_system(patient):
    patient.prefix = sys.base_prefix
    remedy, message = patient.apply(GOOD)
    assert remedy is None
    assert "a Python of the system" in message


def test_conda_base_is_left_alone_and_other_environments_of_conda_are_not(patient):
    add_numpy(patient)
    meta = os.path.join(patient.prefix, "conda-meta")
    os.mkdir(meta)
    with open(os.path.join(meta, "conda-24.1.2-py311.json"), "w") as stream:
        stream.write("{}")
    remedy, message = patient.apply(GOOD)
    assert remedy is None
    assert "base environment of conda" in message
    os.unlink(os.path.join(meta, "conda-24.1.2-py311.json"))
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"


def test_without_hard_links_files_are_copied(patient, monkeypatch):
    """A file system that has none: here the copies are made by the functions alone, without an installer."""
    from devicekit.remedy.snapshot import keep, restore

    layout = read_layout(other_interpreter(patient.prefix).executable)
    before = patient.files()

    def refuse(*arguments):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refuse)
    folder = os.path.join(patient.home, "kept")
    manifest = keep(layout, folder)
    with open(os.path.join(patient.site, "six", "__init__.py"), "a") as stream:
        stream.write("changed = True\n")
    shutil.rmtree(os.path.join(patient.site, "wrapt"))
    with open(os.path.join(patient.site, "new.py"), "w") as stream:
        stream.write("")
    assert restore(layout, folder, manifest) == ((), (), ())
    assert patient.files() == before


@pytest.mark.parametrize("text", ["--index-url=https://example.org", "six; echo", "-r file", "six==1 --pre"])
def test_what_is_no_requirement_never_reaches_an_installer(patient, text):
    before = patient.files()
    remedy, message = patient.apply(Packages(install=(text,)))
    assert remedy is None
    assert "is not a requirement" in message
    assert_as_before(patient, before)


@pytest.mark.skipif(
    sys.version_info < (3, 9), reason="the TensorFlow of this Python has Keras 2, which PyTorch does not run"
)
def test_a_folder_that_an_uninstall_left_beside_what_works_is_moved_aside(patient_of):
    """TensorFlow is gone but for a folder, which Python takes for a package; PyTorch is what is used."""
    patient = patient_of(KERAS_BACKEND="torch")
    shutil.rmtree(os.path.join(patient.site, "tensorflow"))
    shutil.rmtree(os.path.join(patient.site, "tensorflow_cpu-%s.dist-info" % TENSORFLOW))
    os.makedirs(os.path.join(patient.site, "tensorflow", "include"))
    present = ("filelock", "jinja2", "fsspec", "networkx", "sympy", "mpmath", "torch")
    for name in present:
        wheel(patient.wheels, name, "2.2.2", {"%s/__init__.py" % name: SOURCES.get(name, "")})
    patient.install(*present)
    before = patient.files()
    status, remedy, errors = patient.fix("--yes")
    assert (status, remedy["outcome"]) == (0, "fixed"), (remedy, errors)
    assert "This was not predicted" not in remedy["summary"]
    assert [item["framework"] for item in remedy["after"]] == ["keras", "torch"]
    assert os.path.isdir(os.path.join(patient.site, "tensorflow.aside"))
    assert patient.fix("--undo", "--yes")[0] == 0
    assert os.path.isdir(os.path.join(patient.site, "tensorflow", "include"))
    assert_as_before(patient, before)


def test_files_that_no_record_lists_are_missed_by_the_import_and_written_again(patient):
    """TensorFlow's RECORD is gone together with a folder of it: only the import says so."""
    add_numpy(patient)
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    os.unlink(os.path.join(patient.site, "tensorflow_cpu-%s.dist-info" % TENSORFLOW, "RECORD"))
    with open(os.path.join(patient.site, "tensorflow", "__init__.py"), "w") as stream:
        stream.write("import tensorflow.python.framework\n")
    before = patient.files()
    status, remedy, errors = patient.fix("--yes")
    assert (status, remedy["outcome"], patient.works()) == (0, "fixed", True), (remedy, errors)
    assert patient.versions()["tensorflow_cpu"] == TENSORFLOW
    assert patient.fix("--undo", "--yes")[0] == 0
    assert_as_before(patient, before)


def test_what_an_interrupted_installation_has_left_is_moved_aside_and_installed(patient):
    """Half of the files, no metadata, and no header that says which release it was."""
    add_numpy(patient)
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    shutil.rmtree(os.path.join(patient.site, "tensorflow_cpu-%s.dist-info" % TENSORFLOW))
    shutil.rmtree(os.path.join(patient.site, "tensorflow", "include"), ignore_errors=True)
    with open(os.path.join(patient.site, "tensorflow", "__init__.py"), "w") as stream:
        stream.write("from tensorflow.python import framework\n")
    before = patient.files()
    status, remedy, errors = patient.fix("--yes")
    assert (status, remedy["outcome"], patient.works()) == (0, "fixed", True), (remedy, errors)
    assert patient.versions()["tensorflow_cpu"] == TENSORFLOW
    assert os.path.isdir(os.path.join(patient.site, "tensorflow.aside"))
    assert patient.fix("--undo", "--yes")[0] == 0
    assert_as_before(patient, before)


def test_what_the_metadata_require_is_tried_where_nothing_was_predicted(patient):
    """No data know this package; TensorFlow declares which release it needs, and its import fails with the older one."""
    add_numpy(patient)
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    for version, source in (("1.0", "raise SyntaxError"), ("1.6", "")):
        wheel(patient.wheels, "astunparse", version, {"astunparse/__init__.py": source})
    patient.install("astunparse==1.0")
    with open(os.path.join(patient.site, "tensorflow", "__init__.py"), "a") as stream:
        stream.write("import astunparse\n")
    info = os.path.join(patient.site, "tensorflow_cpu-%s.dist-info" % TENSORFLOW, "METADATA")
    with open(info) as stream:
        text = stream.read()
    with open(info, "w") as stream:
        stream.write(text.rstrip("\n") + "\nRequires-Dist: astunparse>=1.6\n")
    before = patient.files()
    status, remedy, errors = patient.fix("--yes")
    assert (status, remedy["outcome"], patient.works()) == (0, "fixed", True), (remedy, errors)
    assert patient.versions()["astunparse"].startswith("1.6")
    assert patient.fix("--undo", "--yes")[0] == 0
    assert_as_before(patient, before)


@pytest.mark.only_on("linux")
def test_what_another_release_left_is_moved_aside(patient_of):
    """TensorFlow loads every library in its core/kernels, also one that no RECORD lists."""
    path = "os.path.dirname(sys.modules['tensorflow'].__file__) + '/core/kernels/libtfkernel.so'"
    plant = "if os.path.exists(%s): raise RuntimeError('undefined symbol')" % path
    patient = patient_of(PATIENT=json.dumps({"tensorflow import": plant}))
    add_numpy(patient)
    assert patient.apply(GOOD)[0]["outcome"] == "fixed"
    library = os.path.join(patient.site, "tensorflow", "core", "kernels", "libtfkernel.so")
    os.makedirs(os.path.dirname(library))
    with open(library, "w") as stream:
        stream.write("")
    before = patient.files()
    assert not patient.works()
    status, remedy, errors = patient.fix("--yes")
    assert (status, remedy["outcome"]) == (0, "fixed"), (remedy, errors)
    assert patient.works()
    assert os.path.isfile(library + ".aside")
    assert patient.fix("--undo", "--yes")[0] == 0
    assert_as_before(patient, before)


@pytest.mark.parametrize("left", ["tensorflow/core/x.txt", "tensorflow/python/__init__.py"])
def test_an_interrupted_installation_is_repeated(patient, left):
    """Pip was killed while it wrote TensorFlow: its metadata, which come last, are not there."""
    folder = os.path.join(patient.site, "tensorflow")
    shutil.rmtree(os.path.join(patient.site, "tensorflow_cpu-%s.dist-info" % TENSORFLOW))
    header = os.path.join(folder, "include", "tensorflow", "core", "public", "version.h")
    os.makedirs(os.path.dirname(header))
    numbers = tuple(zip(("MAJOR", "MINOR", "PATCH"), TENSORFLOW.split(".")))
    with open(header, "w") as stream:
        stream.write("".join("#define TF_%s_VERSION %s\n" % pair for pair in numbers))
    with open(os.path.join(folder, "__init__.py"), "w") as stream:
        stream.write("import tensorflow.python.framework\n")
    with open(os.path.join(patient.site, "numpy", "__init__.py"), "a") as stream:
        stream.write("exceptions = None\n")
    os.makedirs(os.path.dirname(os.path.join(patient.site, *left.split("/"))))
    with open(os.path.join(patient.site, *left.split("/")), "w") as stream:
        stream.write("")
    before = patient.files()
    status, remedy, errors = patient.fix("--yes")
    assert (status, remedy["outcome"]) == (0, "fixed"), (remedy, errors)
    assert patient.versions()["tensorflow_cpu"] == TENSORFLOW
    assert not os.path.exists(header)
    assert patient.fix("--undo", "--yes")[0] == 0
    assert_as_before(patient, before)


@pytest.mark.only_on("posix", reason="the folder of packages has the number of the Python in its name there")
def test_an_environment_whose_python_was_upgraded_has_no_folder_of_packages_yet(patient):
    add_numpy(patient)
    pins = dict(NEEDED, numpy=GOOD_NUMPY, **{"tensorflow-cpu": TENSORFLOW})
    os.rename(os.path.dirname(patient.site), os.path.join(patient.prefix, "lib", "python3.0"))
    remedy, errors = patient.apply(Packages(install=tuple("%s==%s" % item for item in pins.items())))
    assert (remedy["outcome"], remedy["attempts"][0]["outcome"]) == ("fixed", "works"), (remedy, errors)
    assert patient.works()
