"""What others wrote: JSON with limits, and code that raises what it likes."""

import json
import math
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import devicekit
from devicekit.children import stderr_filter
from devicekit.children.progress import Progress, is_watched
from devicekit.errors import RemedyError, first_line, foreign_code
from devicekit.records import parse_json
from devicekit.remedy.snapshot import read_manifest, write_manifest
from devicekit.runtime.decide import Options
from devicekit.testing import load

BAD = {
    "deep arrays": "[" * 100000,
    "deep objects": '{"a":' * 100000,
    "deep and closed": "[" * 61 + "]" * 61,
    "digits": '{"since": %s}' % ("9" * 100000),
    "a long fraction": '{"since": 0.%s}' % ("9" * 100000),
    "infinite": '{"since": -Infinity}',
    "not a number": '{"since": NaN}',
    "overflow": '{"since": 1e999}',
    "open string": '"' + '\\"' * 100000,
    "not UTF-8": b'{"a": "\xff"}',
    "nothing": "",
    "many lists": "[%s]" % ",".join(["[]"] * 400000),
    "many numbers": "[%s]" % ",".join(["0"] * 1100000),
    "many keys": "{%s}" % ",".join('"%d":0' % number for number in range(600000)),
    "nothing but quotes": '""' * 1100000,
    "a long string": '["%s"]' % ("a" * (4 << 20)),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_json_is_a_value_error(name):
    with pytest.raises(ValueError):
        parse_json(BAD[name])


def test_a_models_settings_may_be_infinite_and_not_a_number():
    text = json.dumps({"low": -math.inf, "high": math.inf, "mask": math.nan, "rate": 1e-3})
    assert json.dumps(parse_json(text, own=True)) == text


def test_what_devicekit_wrote_itself_may_have_more_in_it():
    assert len(parse_json(BAD["many lists"], own=True)) == 400000
    assert len(parse_json(BAD["a long string"], own=True)[0]) == 4 << 20
    with pytest.raises(ValueError, match="a string of"):
        parse_json('["%s"]' % ("a" * (40 << 20)), own=True)


@pytest.mark.parametrize("content", ['{"a": [Infinity, 1]}', "[" * 100, "[1]", '{"a": [1e400, 1]}'])
def test_a_list_of_files_that_is_none_is_an_error(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(RemedyError, match="manifest.json cannot be read"):
        read_manifest(str(tmp_path / "manifest.json"))


def test_a_list_of_files_has_a_limit_both_ways(tmp_path):
    path = tmp_path / "manifest.json"
    with pytest.raises(RemedyError, match="too many files to restore them: 2"):
        write_manifest(str(path), {"a" * (40 << 20): None, "b" * (40 << 20): None})
    with pytest.raises(RemedyError, match="it is larger than 64 MiB"):
        read_manifest(str(path))
    manifest = {"file%d" % number: (number, 1) for number in range(220000)}  # more than others may write
    path.write_text(json.dumps(manifest))
    assert read_manifest(str(path)) == manifest


def test_the_depth_is_that_of_brackets_outside_of_strings():
    assert parse_json('["%s"]' % ("[" * 1000)) == ["[" * 1000]
    assert parse_json('["\\"%s"]' % ("{" * 1000)) == ['"' + "{" * 1000]
    assert parse_json("[" * 60 + "]" * 60) == json.loads("[" * 60 + "]" * 60)
    assert parse_json("[%s]" % ",".join(["[]"] * 1000)) == [[]] * 1000


def test_the_search_for_depth_takes_time_in_proportion_to_the_length():
    def seconds(count):
        text = ('"' + '\\"' * count) + "[" * 100
        started = time.process_time()
        with pytest.raises(ValueError):
            parse_json(text)
        return time.process_time() - started

    # A hundred times the length: quadratic time would be ten thousand times as much, and a busy machine is not.
    assert seconds(1000000) < 3000 * max(seconds(10000), 1e-3)


@given(st.recursive(st.none() | st.booleans() | st.integers(-(10**298), 10**298) | st.text(), st.lists))
def test_what_is_fine_is_read_as_json_reads_it(value):
    assert parse_json(json.dumps(value)) == value
    assert parse_json(json.dumps(value).encode("utf-8")) == value


class Mute(Exception):
    """Its text raises."""

    def __str__(self):
        raise SystemExit(2)


class Own(BaseException):
    """Of a program that does not want to be caught."""


def test_an_exception_is_shown_whatever_its_text_does():
    assert first_line(Mute()) == "Mute"
    assert first_line(Own("one\ntwo")) == "Own: one"
    assert first_line(ValueError("x" * 1000)) == "ValueError: " + "x" * 300


@pytest.mark.parametrize("raised", [Mute(), Own("mine"), SystemExit(3), GeneratorExit()])
def test_what_code_of_others_raises_can_be_caught(raised):
    with pytest.raises(ImportError, match="it raised " + type(raised).__name__) as caught, foreign_code():
        raise raised
    assert caught.value.__cause__ is raised


@pytest.mark.parametrize("raised", [ValueError(""), RuntimeError("text"), KeyboardInterrupt()])
def test_what_can_be_caught_and_ctrl_c_stay_as_they_are(raised):
    with pytest.raises(type(raised)) as caught, foreign_code():
        raise raised
    assert caught.value is raised


#: A framework whose import misbehaves: found before the installed one, behind the diagnosis' back.
HOOK = """
import importlib.abc, importlib.machinery, sys, types
class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name == "torch" else None
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        exec(BODY, {"sys": sys, "types": types})
sys.meta_path.insert(0, Finder())
import devicekit
from devicekit.machine.facts import Machine
from devicekit.runtime import apply
from devicekit.runtime.decide import plan_for
from devicekit.runtime.decide import Options
from devicekit.selection.request import parse_request
with devicekit.testing.simulated_machine("linux-torch-nvidia"):
    machine = devicekit.detect()
plan = plan_for(parse_request("cpu"), "torch", machine)
for _ in range(2):
    selection = apply.apply_plan(plan, machine, Options().checked())
    print(selection.device, [item.code for item in selection.findings], selection.verified)
"""

MISBEHAVIOR = {
    "mute": "class Mute(ImportError):\n    def __str__(self): raise ValueError('no text')\nraise Mute('x')",
    "attributes": "class M(types.ModuleType):\n    def __getattr__(self, name): raise RuntimeError(name)\n"
    "sys.modules['torch'] = M('torch')",
    "attributes that exit": "class M(types.ModuleType):\n    def __getattr__(self, name): sys.exit(name)\n"
    "sys.modules['torch'] = M('torch')",
    "exit": "raise SystemExit(3)",
    "generator": "raise GeneratorExit()",
    "own": "class Own(BaseException): pass\nraise Own('mine')",
    "recursion": "def again(): again()\nagain()",
    "memory": "raise MemoryError()",
}


@pytest.mark.parametrize("name", MISBEHAVIOR)
def test_a_framework_whose_import_misbehaves_is_broken_and_auto_goes_on(name):
    code = "BODY = %r\n" % MISBEHAVIOR[name] + HOOK
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    # Here it really is not installed, which a look at the files finds.
    codes = ("framework-broken", "framework-missing")
    assert all(line in ["cpu ['%s'] False" % code for code in codes] for line in lines), lines


#: Keras is what misbehaves, which `precision` and `seed` import after the device was set up.
KERAS = """
import devicekit
from devicekit.runtime import apply
from devicekit.runtime.frameworks.interface import Keras3Adapter
from devicekit.runtime.decide import Options
from devicekit.selection.selection import Selection
for asked in ({"precision": "mixed_float16"}, {"seed": 1}):
    changes = []
    try:
        selection = apply._finish(Selection("cpu", "torch", "cpu"), Keras3Adapter(), Options(**asked), changes)
        print([(item.code, item.evidence[0].text) for item in selection.findings], changes)
    except ValueError as error:
        print("ValueError", error)
"""


@pytest.mark.parametrize(
    "body",
    ["sys.exit(3)", "raise GeneratorExit", MISBEHAVIOR["own"], MISBEHAVIOR["mute"], MISBEHAVIOR["attributes that exit"]]
    + ["raise ValueError('Unable to import backend: banana')"],
)
def test_a_keras_whose_import_misbehaves_is_broken_and_the_device_stays(body):
    code = "BODY = %r\n" % body.replace("torch", "keras") + HOOK.partition("import devicekit")[0].replace(
        "torch", "keras"
    )
    done = subprocess.run(
        [sys.executable, "-c", code + KERAS], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [line.partition(",")[0] for line in done.stdout.splitlines()] == ["[('framework-broken'"] * 2


def test_a_policy_that_keras_does_not_know_is_the_callers_error():
    body = "def refuse(name): raise ValueError('no policy ' + name)\nkeras = sys.modules['keras']\n"
    body += "keras.mixed_precision = types.SimpleNamespace(dtype_policy=str, set_dtype_policy=refuse)\n"
    body += "keras.utils = types.SimpleNamespace(set_random_seed=str)"
    code = "BODY = %r\n" % body + HOOK.partition("import devicekit")[0].replace("torch", "keras") + KERAS
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    refused, seeded = done.stdout.splitlines()
    assert refused == "ValueError no policy mixed_float16"
    assert "random seed" in seeded


@pytest.mark.parametrize("seed", [-1, 1 << 32, 1.5, "7"])
def test_a_seed_that_no_generator_takes_is_named_before_anything_is_imported(seed):
    with pytest.raises(ValueError, match="seed must be an integer from 0 to 4294967295, or None, not"):
        Options(seed=seed).checked()


@pytest.mark.parametrize("name", ["attributes", "attributes that exit"])
def test_a_framework_that_is_loaded_and_misbehaves_is_not_running(name):
    """For a GPU it is asked whether it has started its devices already."""
    code = "import sys, types\n%s\nfrom devicekit.runtime.frameworks import is_running\nprint(is_running('torch'))"
    done = subprocess.run(
        [sys.executable, "-c", code % MISBEHAVIOR[name]], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.stdout, done.stderr) == ("False\n", "")


class Raising:
    """A stream of the program, all of whose methods raise."""

    encoding = "utf-8"

    def __init__(self, error):
        self._error = error

    def __getattr__(self, name):
        raise self._error


@pytest.mark.parametrize("error", [ZeroDivisionError(), SystemExit(3), Mute()])
def test_a_stream_that_raises_is_not_watched_and_not_written(error, monkeypatch):
    assert not is_watched(Raising(error))
    monkeypatch.setattr(sys, "stderr", Raising(error))
    stderr_filter._flush()
    with Progress("waiting") as shown:
        shown._stream, shown._started = sys.stderr, 0.0
        shown.tick()
        assert shown._stream is None


def test_a_policy_whose_error_has_no_text_is_named():
    def policy(devices):
        raise Mute

    with pytest.raises(ValueError, match=r"the policy function failed on gpu:0, .*: Mute$"):
        devicekit.select_device("gpu", machine=load("linux-eight-gpus"), policy=policy)


ODD = "sys.stderr = type('Odd', (), dict.fromkeys(('write', 'flush', 'isatty'), lambda *_: %s))()"


@pytest.mark.parametrize(
    "broken",
    ["sys.stderr.close()", "sys.stderr = None", "logging.basicConfig(level=0); sys.stderr.close()", ODD % "1 / 0"]
    + [ODD % "sys.exit(3)", "sys.stderr.close(); logging.basicConfig(level=0, stream=sys.stderr)"],
)
def test_what_cannot_be_written_on_standard_error_is_lost_and_nothing_else(broken):
    code = (
        "import logging, sys, devicekit\n%s\nfrom devicekit.testing import simulated_machine\n"
        "with simulated_machine('linux-cudnn-missing'):\n"
        "    print(devicekit.auto('gpu', verify='never', verbose=True).device)\n" % broken
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, timeout=120, check=False)
    assert done.stdout == "cpu\n"


def test_a_warning_that_the_program_makes_an_error_is_one():
    code = (
        "import warnings, devicekit\nfrom devicekit.testing import simulated_machine\nwarnings.simplefilter('error')\n"
        "with simulated_machine('linux-cudnn-missing'):\n"
        "    try: devicekit.auto('gpu', verify='never')\n    except devicekit.DeviceWarning: print('raised')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, timeout=120, check=False)
    assert done.stdout == "raised\n"
