"""Tools of the system, and whatever else has their names."""

import os
import socket
import sys

from devicekit.children.tool import run_tool


def test_all_that_a_tool_prints():
    code = "import sys; print('x' * 1000000); print('y', file=sys.stderr); sys.exit(3)"
    status, out, err = run_tool((sys.executable, "-c", code), 60.0)
    assert (status, out.split(), err.split()) == (3, ["x" * 1000000], ["y"])


def test_a_tool_that_prints_without_end():
    for stream in ("stdout", "stderr"):
        code = "import sys\nwhile True: sys.%s.write('x' * 65536)" % stream
        status, out, err = run_tool((sys.executable, "-c", code), 60.0)
        assert (status, out, err) == (None, "", "it printed more than 32 MiB")


def test_a_tool_that_gives_no_answer():
    assert run_tool((sys.executable, "-c", "import time; time.sleep(600)"), 1.0)[::2] == (None, "no answer within 1 s")


#: Starts a process that connects to this one, and both would go on.
STARTS = """
import subprocess, sys, time
code = "import socket, sys, time; held = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); time.sleep(600)"
subprocess.Popen([sys.executable, "-c", code, sys.argv[1]])
time.sleep(600)
"""


def test_what_a_tool_started_ends_with_it():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        server.settimeout(60)
        command = (sys.executable, "-c", STARTS, str(server.getsockname()[1]))
        assert run_tool(command, 4.0 if os.name == "posix" else 20.0).status is None
        connection, _ = server.accept()
        with connection:
            connection.settimeout(60)
            try:
                assert connection.recv(1) == b""  # the end of the process closes it
            except ConnectionResetError:  # so does Windows say that
                pass


def test_a_tool_that_leaves_a_process_with_its_output():
    code = "import os, sys, time\nprint('done', flush=True)\nif os.name == 'posix' and os.fork() == 0: time.sleep(20)"
    status, out, _ = run_tool((sys.executable, "-W", "ignore", "-c", code), 60.0)
    assert (status, out.split()) == (0, ["done"])
