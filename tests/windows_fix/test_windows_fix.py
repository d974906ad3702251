"""`devicekit fix` from end to end on a Windows Python: a stock TensorFlow on a machine with an AMD GPU.

The GPU is simulated in the registry, and Wine's Direct3D is not enough for DirectML: so the fix installs the set for DirectML,
finds by running it that no GPU is used, and has to restore what was there. A quarter of an hour, most of it pip's.
``DEVICEKIT_TEST_WINDOWS_FIX`` is the folder that ``tools/windows_environment.py`` made.
"""

import hashlib
import json
import os
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tools"), os.path.join(ROOT, "tests", "hardware")]

from windows_environment import CERTIFICATES, Windows, windows_path  # noqa: E402

#: Wine 8 lacks functions of newer ones: so a user who has to keep them says it.
CONSTRAINTS = "h5py==3.7.0\nsetuptools<82\n"

#: What Windows writes into its registry of each adapter.
REGISTER = """
import winreg
key = winreg.CreateKey(winreg.HKEY_LOCAL_MACHINE, "SOFTWARE\\\\Microsoft\\\\DirectX\\\\{11111111-1111-1111-1111-111111111111}")
winreg.SetValueEx(key, "Description", 0, winreg.REG_SZ, "AMD Radeon RX 6700 XT")
for name, value in (("VendorId", 0x1002), ("DeviceId", 0x73DF)):
    winreg.SetValueEx(key, name, 0, winreg.REG_DWORD, value)
for name, value in (("DedicatedVideoMemory", 12 << 30), ("DriverVersion", 0x1F0000002C5E0BEE), ("LastSeen", 1 << 56)):
    winreg.SetValueEx(key, name, 0, winreg.REG_QWORD, value)
"""


class Journey:
    """The environment, and commands of devicekit on it."""

    def __init__(self, windows):
        self._windows = windows
        self.folder = os.path.join(windows.drive, "venv")
        self.python(["-c", REGISTER])
        self.python(["-m", "venv", "C:\\venv"])
        site = os.path.join(self.folder, "Lib", "site-packages")
        windows.install(site, ["tensorflow==2.15.1", "numpy<2", *CONSTRAINTS.split()])
        with open(os.path.join(windows.drive, "constraints.txt"), "w") as stream:
            stream.write(CONSTRAINTS)

    def python(self, arguments, timeout_s=600):
        settings = {"PIP_CONSTRAINT": "C:\\constraints.txt", "PIP_CERT": windows_path(CERTIFICATES)}
        return self._windows.run(arguments, timeout_s, DEVICEKIT_QUIET="1", **settings)

    def devicekit(self, *arguments, timeout_s=600):
        return self.python(["-m", "devicekit", *arguments, "--python", "C:\\venv"], timeout_s)

    def files(self):
        """Return every file with its content, but for what Python compiles."""
        found = {}
        for folder, folders, names in os.walk(self.folder):
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as stream:
                    found[os.path.relpath(path, self.folder)] = hashlib.sha256(stream.read()).hexdigest()
        return found


@pytest.fixture(scope="module")
def journey():
    with Windows(os.environ["DEVICEKIT_TEST_WINDOWS_FIX"]) as windows:
        yield Journey(windows)


def test_a_set_that_does_not_help_is_installed_tried_and_undone(journey):
    before = journey.files()
    status, shown = journey.devicekit("doctor")
    assert (status, "TensorFlow 2.15.1 cannot use the AMD Radeon RX 6700 XT here" in shown) == (0, True), shown
    assert "Fix   devicekit fix" in shown
    status, shown = journey.devicekit("fix", "--yes", "--json", timeout_s=5400)
    remedy = json.loads(shown[shown.index("{") :])
    (attempt,) = remedy["attempts"]
    assert (status, remedy["outcome"], attempt["outcome"]) == (1, "restored", "not-better"), shown
    changes = {item["name"]: (item["before"], item["after"]) for item in attempt["changes"]}
    assert changes["tensorflow-intel"] == ("2.15.1", "2.10.0")
    assert changes["tensorflow-directml-plugin"][1] == "0.4.0.dev230202"
    assert "h5py" not in changes
    assert journey.files() == before
