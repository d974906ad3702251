"""What the tests of leases share besides fixtures."""

import json
import os
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def answer_of(process):
    """Return what a program says next."""
    return json.loads(process.stdout.readline().decode() or '{"error": "nothing"}')


def until(condition, seconds=60.0):
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
