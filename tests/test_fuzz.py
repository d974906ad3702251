"""A short run of the fuzzer (``tools/fuzz.py``); the long one has 200,000 inputs and is made by hand."""

import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FUZZ = os.path.join(ROOT, "tools", "fuzz.py")


def run(*arguments):
    return subprocess.run(
        [sys.executable, FUZZ, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=600,
    )


def test_nothing_raises_and_nothing_is_slow(tmp_path):
    # A pattern that backtracks badly takes minutes; a machine that is busy counts eight times the processor time.
    done = run("--count", "4000", "--seed", "1", "--save", str(tmp_path), "--json", "--patience", "20")
    assert done.stdout, done.stderr.decode("utf-8", "replace")[-2000:]
    found = json.loads(done.stdout.decode("utf-8").splitlines()[-1])
    assert found["wrong"] == []
    assert found["count"] == 4000
    own = {"log", "log_bytes", "metadata", "record", "ld_cache", "elf_header", "host", "machine", "facts"}
    foreign = {
        "json",
        "keras_json",
        "lease_record",
        "interpreter",
        "child_messages",
        "bench_cache",
        "plugin",
        "index_page",
    }
    assert own | foreign <= set(found["slowest"])
    assert done.returncode == 0


def test_a_kind_that_takes_no_time_is_counted(tmp_path):
    code = (
        "import sys, time; sys.path[:0] = [%r, %r]; import fuzz\n"
        "time.process_time = lambda: 1.0\n"
        "assert fuzz.run(1, 0, 20, %r)['slowest']"
    ) % (os.path.dirname(FUZZ), ROOT, str(tmp_path))
    assert subprocess.run([sys.executable, "-c", code], timeout=300).returncode == 0


def test_the_same_seed_makes_the_same_inputs(tmp_path):
    code = (
        "import sys, json; sys.path[:0] = [%r, %r]; import fuzz\n"
        "found = fuzz.Fuzzer(3, %r)\n"
        "print(json.dumps([found.case(number)[:2] for number in range(60)], default=repr))"
    ) % (os.path.dirname(FUZZ), ROOT, str(tmp_path))
    outs = [
        subprocess.run(
            [sys.executable, "-c", code], env=dict(os.environ, PYTHONHASHSEED=seed), stdout=subprocess.PIPE, timeout=300
        )
        for seed in ("1", "2")
    ]
    assert outs[0].returncode == 0
    assert outs[0].stdout == outs[1].stdout


def test_what_goes_wrong_is_told_and_kept(tmp_path):
    """The fuzzer itself: a parser that fails on one of its inputs."""
    code = (
        "import sys; sys.path[:0] = [%r, %r]; import fuzz\n"
        "import devicekit.machine.probe.distributions as tried\n"
        "good = tried.parse_wheel\n"
        "tried.parse_wheel = lambda text: text.index('Wheel-Version') * 0 or good(text) if 'Root-Is' in text else good(text)\n"
        "sys.exit(fuzz.main(['--count', '1500', '--save', %r]))"
    ) % (os.path.dirname(FUZZ), ROOT, str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, timeout=300)
    assert done.returncode == 1
    assert b"wheel" in done.stdout
    assert b"ValueError" in done.stdout
    assert any(name.startswith("wheel-") for name in os.listdir(str(tmp_path)))
