"""The search for a batch: in which order sizes are tried, what a margin does, and real workers that run out of memory."""

import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devicekit.errors import DevicekitError, DeviceUnavailableError
from devicekit.measure.batch_size.search import RESOLUTION, Limits, larger_size, next_size, rounded, search

LINUX = sys.platform.startswith("linux")


def tried(truth, start=1, least=1, most=4096, share=None):
    """Return which sizes a search tries where all up to the true one fit, and what it finds.

    ``share``: the part of the memory that a size takes, if it is measured.
    """
    fits, failed, sizes = 0, None, []
    while True:
        larger = larger_size([(size, share(size)) for size in sizes]) if share is not None and fits else None
        size = next_size(fits, failed, start, least, most, larger)
        if size is None:
            return sizes, fits
        sizes.append(size)
        if size <= truth:
            fits = size
        else:
            failed = size


def test_it_doubles_and_then_narrows():
    assert tried(100) == ([1, 2, 4, 8, 16, 32, 64, 128, 96, 112, 104], 96)
    assert tried(0) == ([1], 0)
    assert tried(10**9, most=100)[1] == 100
    assert tried(5, start=32) == ([32, 16, 8, 4, 6, 5], 5)
    assert tried(5, start=32, least=8) == ([32, 16, 8], 0)


@pytest.mark.parametrize("fixed", [0.0, 0.02, 0.2, 0.5])
@pytest.mark.parametrize("truth", [90, 500, 3000])
def test_measured_memory_saves_half_of_the_tries(truth, fixed):
    before, found_before = tried(truth)
    sizes, found = tried(truth, share=lambda size: fixed + (1.0 - fixed) * size / (truth + 1))
    assert len(sizes) <= len(before) / 2, (sizes, before)
    assert truth - found <= max(1, int(found * RESOLUTION)), (sizes, found_before)


@pytest.mark.parametrize("part", [0.4, 0.65, 0.9, 1.1])
def test_a_start_near_the_largest_saves_half_of_the_tries(part):
    """Where memory is not measured, on a GPU; by the estimate of it."""
    truths = (24, 60, 200, 500, 1200, 3000)
    before = sum(len(tried(truth)[0]) for truth in truths)
    tries = [tried(truth, start=int(part * truth))[0] for truth in truths]
    assert sum(map(len, tries)) <= before / 2


@given(st.integers(1, 5000), st.floats(0.0, 0.9), st.floats(0.5, 1.5))
def test_memory_that_is_no_straight_line_is_found_as_well(truth, fixed, power):
    sizes, found = tried(truth, share=lambda size: fixed + (1.0 - fixed) * (size / (truth + 1.0)) ** power)
    assert found <= truth
    assert found == 4096 or found >= truth - max(1, int(found * RESOLUTION)) - 8
    assert len(sizes) < 40


@given(st.integers(0, 5000), st.integers(1, 64), st.integers(1, 5000))
def test_what_is_found_fits_and_little_more_does(truth, start, most):
    sizes, found = tried(truth, start, 1, most)
    assert found <= truth
    assert all(1 <= size <= most for size in sizes)
    assert len(sizes) < 30
    assert found == most or found >= truth - max(1, int(found * RESOLUTION)) - 8


@given(st.integers(1, 1 << 20), st.floats(0.0, 0.99), st.integers(1, 1 << 20))
def test_a_margin_never_makes_it_larger(size, margin, most):
    least = 1
    result = rounded(size, margin, least, most)
    assert 1 <= result <= max(most, least)
    assert result <= max(1, size)
    assert result == most or result < 16 or result % 8 == 0


TASKS = "devicekit._batches_of_tests"

#: Stands for a framework: a batch of this many megabytes, in a process whose memory is limited.
SOURCE = """
import os, time
from devicekit.measure.batch_size.trial import try_sizes
from devicekit.measure.batch_size.host_memory import Room, limit_memory

def allocate(task, say):
    room = Room(limit_memory(task["memory_bytes"], True))
    def run(size):
        filled = b"x" * (size << 20)
        return 0.001
    return try_sizes(task, run, say, room if task.get("measured") else None)

def fail(task, say):
    def run(size):
        if size >= task["bad"]:
            if task["how"] == "abort":
                os.abort()
            if task["how"] == "hang":
                time.sleep(600)
            raise TypeError("no kernel for this")
        return task.get("seconds", 0.001)
    return try_sizes(task, run, say)

def cannot(task, say):
    from devicekit.errors import DeviceUnavailableError
    raise DeviceUnavailableError("'gpu:7' cannot be used")

def dies_before(task, say):
    os._exit(3)
"""


@pytest.fixture
def run(tmp_path):
    """Return a function that searches with one of the tasks above."""
    import devicekit

    folder = tmp_path / "site" / "devicekit_tasks"
    folder.mkdir(parents=True)
    (folder / "_batches_of_tests.py").write_text(SOURCE, encoding="utf-8")
    hook = tmp_path / "site" / "sitecustomize.py"
    hook.write_text("import devicekit\ndevicekit.__path__.append(%r)\n" % str(folder), encoding="utf-8")
    package = os.path.dirname(os.path.dirname(devicekit.__file__))

    def start(name, task=None, **options):
        environment = [("PYTHONPATH", os.pathsep.join([str(tmp_path / "site"), package]))]
        limits = Limits(1, 1, 4096)
        limits = limits._replace(**{key: options.pop(key) for key in Limits._fields if key in options})
        given = dict({"timeout_s": 120.0, "environment": environment}, **options)
        return search(TASKS + ":" + name, task or {}, limits, **given)

    return start


@pytest.mark.only_on("linux", reason="RLIMIT_DATA and /proc of Linux")
def test_a_process_measures_what_its_batches_take(run):
    found = run("allocate", {"memory_bytes": 200 << 20, "measured": True})
    assert 170 <= found.size <= 200
    # It went up by what it measured, and not by doubling, which would have failed first with 256.
    assert found.failed < 256


@pytest.mark.only_on("linux", reason="RLIMIT_DATA and /proc of Linux")
def test_a_process_cannot_take_more_than_its_limit(run):
    ticks = []
    found = run("allocate", {"memory_bytes": 200 << 20}, tick=ticks.append)
    assert 170 <= found.size <= 200
    assert found.failed <= 220
    assert found.why.endswith("runs out of memory")
    assert all(text.startswith("trying a batch of ") for text in ticks)


def test_whatever_ends_a_larger_batch_limits_it(run):
    found = run("fail", {"bad": 40, "how": "abort"})
    assert (found.size, found.failed) == (36, 40) or 32 <= found.size < 40
    assert "SIGABRT" in found.why or sys.platform == "win32"
    found = run("fail", {"bad": 8, "how": "raise"})
    assert (found.size, found.failed) == (7, 8)
    assert "no kernel for this" in found.why


def test_what_fails_at_once_is_raised_with_its_text(run):
    with pytest.raises(DevicekitError, match="a batch of 1 cannot be computed: TypeError: no kernel for this"):
        run("fail", {"bad": 1, "how": "raise"})
    with pytest.raises(DeviceUnavailableError, match="'gpu:7' cannot be used"):
        run("cannot")
    with pytest.raises(DevicekitError, match="ended before it could"):
        run("dies_before")


def test_when_the_time_is_up_what_is_known_is_returned(run):
    assert run("fail", {"bad": 4, "how": "hang"}, timeout_s=6.0).size == 2
    with pytest.raises(DevicekitError, match="a batch of 1 was not done within 3 s"):
        run("fail", {"bad": 1, "how": "hang"}, timeout_s=3.0)


def test_slow_steps_end_it(run):
    assert run("fail", {"bad": 4000, "how": "raise", "seconds": 9.0}, step_limit_s=5.0).size == 1
    assert run("fail", {"bad": 4000, "how": "raise"}, most=100).size == 100
