"""What the real TensorFlow prints at its start on a terminal, with and without `auto()`."""

import os
import sys

from terminal_tools import shown_on_terminal


def lines_on_a_terminal(code, cache):
    """Run a program on a terminal and return what it shows, line by line."""
    environ = dict(os.environ, DEVICEKIT_CACHE_DIR=str(cache))
    environ.pop("TF_CPP_MIN_LOG_LEVEL", None)
    status, seen = shown_on_terminal([sys.executable, "-W", "ignore", "-c", code], environ)
    assert status == 0, seen
    return [line.rpartition("\r")[2] for line in seen.decode().replace("\r\n", "\n").splitlines() if line.strip()]


def test_auto_adds_no_line_and_takes_the_harmless_ones(tmp_path):
    start = "import tensorflow as tf; tf.config.experimental.list_physical_devices()"
    plain = lines_on_a_terminal(start, tmp_path)
    auto = "import devicekit; devicekit.auto('cpu', quiet=%s); " % False + start
    lines_on_a_terminal(auto, tmp_path)  # the self-test is cached from here on
    assert len(lines_on_a_terminal(auto, tmp_path)) <= len(plain)
    import devicekit

    if devicekit.diagnose().by_code("no-gpu") is not None:
        left = lines_on_a_terminal("import devicekit; devicekit.auto(); " + start, tmp_path)
        # That DirectML's plug-in finds no DirectX here is its own warning, which passes.
        assert [line for line in left if "directml" not in line.lower()] == []
