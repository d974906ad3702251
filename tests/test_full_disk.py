"""A disk without room: a clear error, nothing half-written, and the old content stays."""

import os
import subprocess
import sys

import pytest

from devicekit.cluster.fleet.files import Reading, keep_snapshot
from devicekit.runtime.scratch import replace_file, scratch_folder

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

resource = pytest.importorskip("resource", reason="a limit on the size of files is what a full disk is to a program")

#: SIGXFSZ is ignored by Python, so that the write fails half-way with EFBIG.
LIMIT = (1000, 1000)


def full():
    resource.setrlimit(resource.RLIMIT_FSIZE, LIMIT)


def environment(path):
    # Byte-code would be cut short as well, and the next import of it would fail.
    return dict(os.environ, PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1")


@pytest.mark.parametrize("there", [None, "old content"])
@pytest.mark.parametrize("arguments", ["snapshot -o FILE", "doctor -q --machine linux-cpu --html FILE"])
def test_a_file_is_written_whole_or_stays(tmp_path, arguments, there):
    path = tmp_path / "out"
    if there is not None:
        path.write_text(there)
    done = subprocess.run(
        [sys.executable, "-m", "devicekit", *arguments.replace("FILE", str(path)).split()],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=120, preexec_fn=full, env=environment(ROOT),
    )  # fmt: skip
    said = done.stderr.decode()
    assert done.returncode == 2, said
    assert (said.count("\n"), str(path) in said, said.endswith(": File too large\n")) == (1, True, True)
    assert [item.read_text() for item in tmp_path.iterdir()] == ([] if there is None else [there])


SAVE = """
import sys
from devicekit.cluster.fleet.files import Reading, keep_snapshot
from devicekit.errors import DevicekitError
try:
    keep_snapshot(sys.argv[1], Reading("node", b"x" * 5000))
except DevicekitError as error:
    print(error)
"""


def test_a_snapshot_of_the_fleet_is_whole_or_stays(tmp_path):
    keep_snapshot(str(tmp_path), Reading("node", b"{}"))
    done = subprocess.run(
        [sys.executable, "-c", SAVE, str(tmp_path)], stdout=subprocess.PIPE, timeout=120, preexec_fn=full,
        env=environment(ROOT),
    )  # fmt: skip
    assert done.stdout.decode() == "%s cannot be written: File too large\n" % tmp_path
    assert {item.name: item.read_bytes() for item in tmp_path.iterdir()} == {"node.json": b"{}"}


def test_permissions_stay_and_names_that_are_none_are_refused(tmp_path):
    path = tmp_path / "file"
    replace_file(str(path), b"one")
    path.chmod(0o640)
    replace_file(str(path), b"two")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"two", 0o640)
    for wrong in (str(tmp_path), "", str(tmp_path / "no" / "where"), "a\0b"):
        with pytest.raises((OSError, ValueError)):
            replace_file(wrong, b"three")


def test_results_that_cannot_be_written_do_not_accuse_the_device():
    pytest.importorskip("numpy")
    code = (
        "from devicekit.errors import DevicekitError\n"
        "from devicekit.measure.numerics.operations.suite import run_suite\n"
        "engines = {'numpy': 'numpy_engine:NumPyEngine'}\n"
        "try:\n"
        "    run_suite([('numpy', 'cpu')], operations=['matmul transposed left'], engines=engines)\n"
        "except DevicekitError as error:\n"
        "    print(error)\n"
    )
    paths = os.pathsep.join((ROOT, os.path.join(ROOT, "tests", "numerics")))
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, timeout=120, preexec_fn=full,
        env=environment(paths),
    )  # fmt: skip
    said = done.stdout.decode()
    assert said.startswith("temporary files cannot be written to ")
    assert said.endswith(": File too large; TMPDIR names another folder\n")


WORK = """
import sys
from devicekit.errors import DevicekitError
from devicekit.runtime.scratch import scratch_folder
try:
    with scratch_folder() as folder:
        try:
            with open(folder + "/file", "wb") as stream:
                stream.write(b"x" * 5000)
        except OSError as error:
            raise ValueError("what a library makes of it") if sys.argv[1] == "inside" else error
except DevicekitError as error:
    print(error)
"""


@pytest.mark.parametrize("raised", ["inside", "as it is"])
def test_work_with_temporary_files_says_where_there_is_no_room(tmp_path, raised):
    done = subprocess.run(
        [sys.executable, "-c", WORK, raised], stdout=subprocess.PIPE, timeout=120, preexec_fn=full,
        env=dict(environment(ROOT), TMPDIR=str(tmp_path)),
    )  # fmt: skip
    said = "temporary files cannot be written to %s: File too large; TMPDIR names another folder\n"
    assert done.stdout.decode() == said % tmp_path
    assert not list(tmp_path.iterdir())


def test_other_errors_leave_the_folder_of_work_as_they_are():
    with pytest.raises(KeyError), scratch_folder() as folder:
        raise KeyError(folder)
    assert not os.path.exists(folder)
