"""Files and pipes of Windows: a file in use cannot be replaced, a pipe without a reader is an invalid argument."""

import os
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))

from windows_environment import Windows  # noqa: E402

WRITERS = """
import subprocess, sys, tempfile
code = '''
import os, sys
from devicekit.runtime.cache import JsonCache
cache = JsonCache("bench", 1, 1000.0)
for number in range(300):
    print(cache.write(sys.argv[1], "bench-x.json", "x", {"number": number}))
    print("unread" if cache.read(sys.argv[1], "bench-x.json", "x", dict) is None else None)
'''
folder = tempfile.mkdtemp()
command = [sys.executable, "-c", code, folder]
writers = [subprocess.Popen(command, stdout=subprocess.PIPE, cwd=folder) for _ in range(4)]
lines = [line for writer in writers for line in writer.communicate()[0].decode().splitlines()]
print("ANSWER", len(lines), sorted(set(lines)))
"""

CLOSED_PIPE = """
import subprocess, sys
command = [sys.executable, "-m", "devicekit", "matrix", "tensorflow", "--json"]
process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=sys.prefix)
process.stdout.close()
errors = process.stderr.read().decode()
print("ANSWER", process.wait(), repr(errors))
"""


@pytest.fixture(scope="module")
def windows():
    with Windows(os.environ["DEVICEKIT_TEST_WINDOWS"]) as environment:
        yield environment


@pytest.mark.parametrize("code, answer", [(WRITERS, "ANSWER 2400 ['None']"), (CLOSED_PIPE, "ANSWER 0 ''")])
def test_what_windows_refuses_is_expected(windows, code, answer):
    status, output = windows.run(["-c", code], 300)
    assert status == 0, output[-3000:]
    assert answer in output.splitlines(), output[-3000:]
