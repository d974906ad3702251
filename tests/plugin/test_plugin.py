"""The plug-in for pytest, on simulated machines."""

import os
import re

import pytest

pytest_plugins = ["pytester"]

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

NEEDS = """
import pytest

@pytest.mark.requires_device("gpu")
def test_gpu(): pass

@pytest.mark.requires_device("gpu", min_memory="8GiB")
def test_memory(): pass

@pytest.mark.requires_device("gpu", min_memory="80GiB")
def test_much_memory(): pass

@pytest.mark.requires_device("gpu", count=8)
def test_eight(): pass

@pytest.mark.requires_device("gpu", count=9)
def test_nine(): pass

@pytest.mark.requires_device("directml")
def test_platform(): pass

@pytest.mark.requires_device("cpu")
def test_cpu(): pass
"""


def reasons(result):
    """Return the reasons of the skipped tests."""
    return re.findall(r"^SKIPPED \[1\] test_it\.py:\d+: (.*)$", result.stdout.str(), re.M)


def test_a_skip_has_a_reason_with_the_code(run):
    result = run(NEEDS, machine="linux-cudnn-missing")
    result.assert_outcomes(passed=1, skipped=6)
    found = reasons(result)
    assert len(found) == 6
    assert re.match(r"requires gpu: \[cudnn-missing\] \w.*libcudnn", found[0])
    assert found[1].startswith("requires gpu with 8GiB: [cudnn-missing] ")
    assert found[3].startswith("requires 8 x gpu: [cudnn-missing] ")


def test_a_met_requirement_is_not_skipped(run):
    result = run(NEEDS, machine="linux-eight-gpus")
    result.assert_outcomes(passed=4, skipped=3)
    found = reasons(result)
    assert found[0].startswith("requires gpu with 80GiB: gpu:0 (NVIDIA A100-SXM4-40GB) has 40 GiB, ")
    assert found[0].endswith("gpu:7 (NVIDIA A100-SXM4-40GB) has 40 GiB, and 80 GiB were asked for")
    assert found[1] == "requires 9 x gpu: usable: " + ", ".join("gpu:%d" % number for number in range(8))
    assert found[2].startswith("requires directml: ")


def test_a_run_for_the_cpu_skips_what_needs_a_gpu(run):
    result = run(NEEDS, "--device", "cpu", machine="linux-eight-gpus")
    result.assert_outcomes(passed=1, skipped=6)
    assert reasons(result)[0] == "requires gpu: this run was started with --device cpu"


FRAMEWORKS = """
import pytest

@pytest.mark.requires_framework("tensorflow")
def test_any(): pass

@pytest.mark.requires_framework("tensorflow", ">=2.10")
class TestNew:
    def test_one(self): pass

@pytest.mark.requires_framework("tensorflow", "<2.10")
def test_old(): pass

@pytest.mark.requires_framework("jax")
@pytest.mark.requires_framework("tensorflow")
def test_both(): pass
"""


def test_frameworks(run):
    result = run(FRAMEWORKS, machine="linux-nvidia")
    result.assert_outcomes(passed=2, skipped=2)
    assert reasons(result) == [
        "requires tensorflow<2.10: tensorflow 2.20.0 is installed",
        "requires jax: [framework-missing] jax is not installed for this Python",
    ]


def test_a_framework_that_cannot_be_imported(run):
    result = run(FRAMEWORKS, machine="linux-broken-numpy")
    result.assert_outcomes(skipped=4)
    assert reasons(result)[0].startswith("requires tensorflow: [numpy-incompatible] ")


def test_no_framework(run):
    result = run(FRAMEWORKS, machine="linux-no-framework")
    assert "requires tensorflow: [framework-missing] tensorflow is not installed for this Python" in reasons(result)


WRONG = [
    ('requires_device("gpuu")', "unknown device 'gpuu'; did you mean gpu; accepted are"),
    ("requires_device", "missing 1 required positional argument: 'device'"),
    ("requires_device()", "missing 1 required positional argument: 'device'"),
    ('requires_device("auto")', "every machine meets 'auto'"),
    ('requires_device("gpu", min_memory="a lot")', "min_memory must be a number of bytes or a text such as '8GiB'"),
    ('requires_device("gpu", memory="8GiB")', "unexpected keyword argument 'memory'"),
    ('requires_device("gpu", count=0)', "count must be a number of devices of at least 1, not 0"),
    ('requires_device("gpu:1", count=2)', "count=2 cannot be combined with the device 'gpu:1'"),
    ('requires_framework("tensorflow", "2.10")', "invalid versions '2.10'; use for example '>=2.10,<2.16'"),
    ('requires_framework("theano")', "unknown framework 'theano'; accepted are tensorflow"),
]


def test_wrong_arguments(run, pytester):
    for number, (marker, _) in enumerate(WRONG):
        pytester.makepyfile(**{"test_%d" % number: "import pytest\n@pytest.mark.%s\ndef test_it(): pass\n" % marker})
    result = run("def test_fine(): pass", "-rf")
    assert result.ret == 2
    assert "Traceback" not in result.stdout.str()
    for number, (marker, message) in enumerate(WRONG):
        words = "test_%d.py::test_it: the marker %s has wrong arguments: " % (number, marker.partition("(")[0])
        found = re.search(re.escape(words) + "(.*)", result.stdout.str())
        assert found, words
        assert message in found.group(1)


def test_classes_of_unittest(run):
    code = """
import unittest
import pytest

class TestOld(unittest.TestCase):
    @pytest.mark.requires_device(%r)
    def test_gpu(self): pass
"""
    run(code % "gpu").assert_outcomes(skipped=1)
    result = run(code % "gpuu")
    assert result.ret == 2
    result.stdout.fnmatch_lines(["test_it.py::TestOld::test_gpu: the marker requires_device has wrong *"])


EACH = """
def test_each(each_device, request):
    assert request.node.name == "test_each[%s]" % each_device.device
    print("each", each_device.device, each_device.framework)

def test_one(device):
    print("one", device.device)
"""


def lines(result, word):
    return re.findall(r"^%s (.*)$" % word, result.stdout.str(), re.M)


def test_each_device(run):
    result = run(EACH, "-rP", machine="linux-two-kinds-of-gpu")
    result.assert_outcomes(passed=4)
    assert lines(result, "each") == ["cpu tensorflow", "gpu:0 tensorflow", "gpu:1 tensorflow"]
    assert lines(result, "one") == ["gpu:0"]


def test_each_device_of_a_list(run):
    result = run(EACH, "-rP", "--device", "gpu:1,3", "--device=cpu,gpu:5", machine="linux-eight-gpus")
    result.assert_outcomes(passed=5)
    assert [line.split()[0] for line in lines(result, "each")] == ["gpu:1", "gpu:3", "cpu", "gpu:5"]
    assert lines(result, "one") == ["gpu:1,3"]
    result.stdout.fnmatch_lines(["devicekit: gpu:1, gpu:3, cpu, gpu:5 (simulated)"])


@pytest.mark.parametrize(
    "device, message",
    [
        ("gpu", "ERROR: --device gpu cannot be used here: [[]driver-missing[]] *"),
        ("tpu9", "ERROR: --device: unknown device 'tpu9'; did you mean tpu; accepted are *"),
    ],
)
def test_a_device_that_cannot_be_used_stops_the_run(run, device, message):
    result = run(EACH, "--device=" + device, machine="linux-driver-missing")
    assert result.ret == 4
    result.stderr.fnmatch_lines([message])


PASSES = "def test_it(): pass"


def test_the_header(run):
    found = run(PASSES, machine="linux-cpu-only-build").stdout.str()
    assert len(re.findall("^devicekit: .*", found, re.M)) == 1
    assert re.search(r"^devicekit: cpu \(.*\) with tensorflow: \[cpu-only-build\] .* \(simulated\)$", found, re.M)


@pytest.mark.parametrize("arguments, ini", [(["-q"], ""), ([], "devicekit_header = false\n")])
def test_no_header(run, arguments, ini):
    result = run(PASSES, *arguments, ini=ini)
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("devicekit:*")


def test_the_header_never_fails(run):
    conftest = "from devicekit.machine.detect import stand_ins\nstand_ins.set(('no machine',))\n"
    result = run(PASSES, machine=None, conftest=conftest)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["devicekit: no device could be selected (TypeError: *"])


def test_the_header_shows_no_control_characters_of_an_error(run):
    conftest = "from devicekit.machine.detect import stand_ins\nstand_ins.set((type('Odd\\x1b[2J', (), {})(),))\n"
    result = run(PASSES, machine=None, conftest=conftest)
    result.stdout.fnmatch_lines(["devicekit: no device could be selected (TypeError: * not a Odd?[[]2J)"])
    assert "\x1b" not in result.stdout.str()


@pytest.mark.parametrize("given", [["--device", "gpu"], ["--device=gpu"]])
def test_an_option_of_the_project_takes_precedence(run, pytester, given):
    pytester.mkdir("sub").joinpath("conftest.py").write_text(
        "import pytest\n"
        "def pytest_addoption(parser): parser.addoption('--device', default='none')\n"
        "@pytest.fixture\n"
        "def device(request): return request.config.getoption('--device')\n"
    )
    pytester.path.joinpath("sub", "test_sub.py").write_text("def test_sub(device): assert device == 'gpu'\n")
    result = run(PASSES, *given, ini="testpaths = sub\n")
    result.assert_outcomes(passed=1)


def test_the_option_is_in_the_help_and_the_markers_are_listed(run):
    result = run(PASSES, "--help")
    result.stdout.fnmatch_lines(["devices:", "  --device*DEVICE*", "*devicekit_header*"])
    result = run(PASSES, "--markers")
    result.stdout.fnmatch_lines(["@pytest.mark.requires_device(*", "@pytest.mark.requires_framework(*"])


def test_markers_and_fixtures_of_the_project_take_precedence(run):
    code = """
import pytest

@pytest.mark.requires_device(some="thing", of="its own")
def test_marked(): pass

@pytest.fixture(params=["a", "b"])
def each_device(request): return request.param

def test_each(each_device): assert each_device in "ab"

@pytest.mark.parametrize("each_device, device", [("x", 1)])
def test_direct(each_device, device): assert (each_device, device) == ("x", 1)
"""
    run(code, ini="markers = requires_device: of the project\n").assert_outcomes(passed=4)


def test_a_run_that_does_not_use_it_examines_nothing(run):
    code = """
import sys

def test_it():
    found = sorted(name for name in sys.modules if name.partition(".")[0] == "devicekit")
    below = {name[len("devicekit."):] for name in found}
    plug_in = {"", "children", "children.fork_imports", "testing", "testing.requirements", "testing.pytest_plugin"}
    assert below <= plug_in | {"errors", "records", "selection", "selection.request"}, found
"""
    run(code, "-q", machine=None).assert_outcomes(passed=1)


def test_the_plug_in_imports_nothing_else(run_json):
    code = (
        "import pytest, sys, json; before = set(sys.modules); import devicekit.testing.pytest_plugin;"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    own = ["devicekit", "devicekit.children", "devicekit.children.fork_imports"]  # what a fork waits for imports with
    assert run_json(code) == [*own, "devicekit.testing", "devicekit.testing.pytest_plugin"]


def test_the_plug_in_can_be_disabled(run, pytestconfig):
    if not pytestconfig.pluginmanager.hasplugin("devicekit"):
        pytest.skip("devicekit is not installed here, so nothing loads it; `nox -s tests` installs it")
    result = run(PASSES, "-p", "no:devicekit", machine=None)
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("devicekit:*")
    assert run(PASSES, "-p", "no:devicekit", "--device", "cpu", machine=None).ret == 4


def test_the_plug_in_works_with_pytester_in_one_process(run):
    code = """
pytest_plugins = ["pytester"]

def test_inner(pytester):
    pytester.makepyfile("def test_it(each_device): assert each_device.device == 'cpu'")
    pytester.runpytest_inprocess(*%r).assert_outcomes(passed=1)
"""
    run(code % run.loaded).assert_outcomes(passed=1)


def test_the_example_of_the_page(run):
    page = os.path.join(ROOT, "docs", "how-to", "test-your-library.md")
    with open(page, encoding="utf-8") as stream:
        blocks = re.findall(r"```python\n(.*?)```", stream.read(), re.S)
    (code,) = [block for block in blocks if "def test_" in block]
    run(code, machine="linux-two-kinds-of-gpu").assert_outcomes(passed=6)
    result = run(code, machine="linux-cudnn-missing")
    result.assert_outcomes(passed=2, skipped=2)
    with open(page, encoding="utf-8") as stream:
        (line,) = re.findall(r"^SKIPPED \[1\] test_model\.py:\d+: (.*)$", stream.read(), re.M)
    assert line in reasons(result)


def test_a_program_that_has_imported_devicekit_may_start_pytest(python, tmp_path):
    (tmp_path / "test_it.py").write_text(PASSES, encoding="utf-8")
    code = "import sys, devicekit, pytest; sys.exit(pytest.main(['-W', 'error', '-p', 'no:cacheprovider']))"
    assert "1 passed" in python(code, flags=["-W", "error"])
