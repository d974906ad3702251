"""Plug-ins that add a platform: what they tell, what follows from it, and that nothing they do wrong does any harm."""

import json
import os
import re
import sys
import threading

import pytest

import devicekit
from devicekit import Machine, diagnose, select_device
from devicekit.errors import MachineFileError
from devicekit.machine.entry_points import named_in, switched_off
from devicekit.machine.facts import Fact, PlatformFacts
from devicekit.machine.live_host import LiveHost, this_interpreter
from devicekit.machine.probe import read_machine
from devicekit.plugins.calls import PluginError
from devicekit.plugins.loading import parse_entry_points
from devicekit.plugins.matrix_rows import checked_rows, fits
from devicekit.plugins.probes import read_platforms
from devicekit.plugins.simulation import judge, machine_from
from devicekit.records import Plain, plain_data
from devicekit.selection.request import parse_request

ROW = {
    "framework": "tensorflow",
    "requirements": ["tensorflow==2.20.*"],
    "source": "https://npu.example",
    "date": "2026-11-01",
}
INSTALLED_HERE = {
    "torch": "2.9.1", "numpy": "2.1.3", "typing-extensions": "4.12.2", "sympy": "1.13.3", "networkx": "3.4", "jinja2": "3.1.4",
    "fsspec": "2024.10.0", "filelock": "3.16.1", "mpmath": "1.3.0",
}  # fmt: skip
FRAMEWORK = {"installed": INSTALLED_HERE}
JAX = {
    "jax": "0.7.0",
    "jaxlib": "0.7.0",
    "numpy": "2.1.3",
    "ml-dtypes": "0.5.1",
    "opt-einsum": "3.4.0",
    "scipy": "1.14.1",
}


class Npu(devicekit.plugins.Platform):
    """Two devices, of which the second is broken."""

    api_version = 1
    name = "npu"
    title = "Acme NPU"
    frameworks = {"torch": "npu", "tensorflow": "NPU"}
    libraries = ["libnpu"]
    variables = ["NPU_VISIBLE_DEVICES", "NPU_POOL"]

    def probe(self, host):
        return {"devices": ["NPU one", "NPU two"], "path": host.home + "/npu", "identity": [1, 2.5, None, True]}

    def rules(self, view):
        assert view.facts["path"] == "~/npu"
        yield devicekit.Finding(
            "npu-overheated",
            "warning",
            "The second NPU is too hot.",
            (devicekit.diagnosis.Evidence("90 degrees", "/sys/class/npu/npu1"),),
            (devicekit.diagnosis.Fix("Wait"),),
            ("npu:1",),
            "https://npu.example/hot",
        )

    def devices(self, view, framework):
        return [devicekit.plugins.PlatformDevice(name, 1 << 30) for name in view.facts["devices"]]

    def environment(self, view, framework, index):
        return {"NPU_POOL": "grow"}


def probed(make_machine, platform, **host):
    host.setdefault("python", FRAMEWORK)
    return read_machine(make_machine(**dict({"home": "/home/maria", "user": "maria"}, **host)), platforms=[platform])


def npus(diagnosis, framework="torch"):
    found = [item for item in diagnosis.candidates_for(framework) if item.platform == "npu"]
    return [(item.device, item.name, item.usable, item.blocked_by) for item in found]


# What a good plug-in gets


def test_its_facts_rules_and_devices_are_part_of_everything(make_machine):
    machine = probed(make_machine, Npu(), env={"NPU_VISIBLE_DEVICES": "0,1", "OTHER": "secret"})
    assert machine.platform("npu").facts.value.data["devices"] == ["NPU one", "NPU two"]
    assert machine.process.env("NPU_VISIBLE_DEVICES") == "0,1"
    assert "maria" not in json.dumps(machine.to_dict())
    diagnosis = judge(machine, Npu())
    expected = [("npu:0", "NPU one", None, ()), ("npu:1", "NPU two", False, ("npu-overheated",))]
    assert npus(diagnosis) == npus(diagnosis, "tensorflow") == expected
    assert npus(diagnosis, "jax") == []
    assert diagnosis.candidates_for("torch")[-1].device == "cpu"
    assert diagnosis.by_code("npu-overheated").severity == "warning"
    first = diagnosis.candidates_for("torch")[0]
    assert (first.device_type, first.environment) == ("npu", (("NPU_POOL", "grow"),))
    assert diagnosis.candidates_for("tensorflow")[0].device_type == "NPU"


def test_what_the_user_has_set_is_left_alone(make_machine):
    diagnosis = judge(probed(make_machine, Npu(), env={"NPU_POOL": "fixed"}), Npu())
    assert diagnosis.candidates_for("torch")[0].environment == ()


def plan(machine, device, **options):
    from devicekit.selection.choose import choose
    from devicekit.selection.situation import Criteria

    request = parse_request(device, machine.platforms)
    return choose(machine, judge(machine, Npu()), request, Criteria(**options))


@pytest.mark.parametrize(
    "asked, device, reason",
    [
        ("npu", "npu:0", ""),
        ("NPU:0", "npu:0", ""),
        ("auto", "npu:0", ""),
        ("/device:NPU:0", "npu:0", ""),
        ("npu:0,1", "npu:0", "(not usable: npu:1)"),
        ("npu:1", "cpu", "'npu:1' was asked for: The second NPU is too hot"),
        ("npu:7", "cpu", "'npu:7' was asked for: there is npu:0 (NPU one), npu:1 (NPU two)"),
    ],
)
def test_its_word_in_device_strings(make_machine, asked, device, reason):
    found = plan(probed(make_machine, Npu()), asked)
    assert found.device == device
    assert reason in found.reason
    if device != "cpu":
        assert (found.platform, found.device_type, found.verify) == ("npu", "npu", True)
        assert found.environment == (("NPU_POOL", "grow"),)


def test_a_gpu_is_none_of_them_and_they_can_be_left_out(make_machine):
    machine = probed(make_machine, Npu(), folders=["/sys/bus/pci/devices"], files={"/proc/version": "Linux version 6"})
    found = plan(machine, "gpu")
    assert (found.device, found.cause.code) == ("cpu", "no-gpu")
    assert plan(machine, "auto", exclude=["npu"]).device == "cpu"
    assert plan(machine, "auto", exclude=["npu:0"]).device == "cpu"  # the other one is too hot


def test_a_framework_that_cannot_use_them_is_told(make_machine):
    machine = probed(make_machine, Npu(), python={"installed": JAX})
    found = plan(machine, "npu", framework="jax")
    assert found.device == "cpu"
    assert "has devices for PyTorch, TensorFlow, not for JAX" in found.reason


def test_the_next_device_takes_its_own_variables(make_machine):
    from devicekit.selection.plan import next_plan, to_cpu

    class Numbered(Npu):
        def rules(self, view):
            return ()

        def environment(self, view, framework, index):
            return {"NPU_VISIBLE_DEVICES": str(index)}

    machine = probed(make_machine, Numbered())
    from devicekit.selection.choose import choose

    first = choose(machine, judge(machine, Numbered()), parse_request("npu", machine.platforms))
    assert first.environment == (("NPU_VISIBLE_DEVICES", "0"),)
    cause = devicekit.Finding("device-lost", "warning", "Gone.")
    second = next_plan(first, cause)
    assert (second.device, second.environment) == ("npu:1", (("NPU_VISIBLE_DEVICES", "1"),))
    assert (to_cpu(second, cause).environment, to_cpu(second, cause).device_type) == ((), "")


def test_a_trial_that_fails_is_about_its_own_devices(make_machine):
    from devicekit.runtime.trial.findings import judge_trial
    from devicekit.runtime.trial.result import Trial

    found = judge_trial(
        Trial("died", "product", "it was ended by signal SIGSEGV"), plan(probed(make_machine, Npu()), "npu")
    )
    assert (found.code, found.blocks) == ("device-lost", ("npu:0",))
    assert "npu:0 (NPU one)" in found.summary


def test_verdicts_depend_on_what_it_calls_its_identity(make_machine):
    from devicekit.runtime.trial.fingerprint import fingerprint

    def of(index=0, device_type="npu", **facts):
        platform = type("Told", (Npu,), {"probe": lambda self, host: dict(Npu.probe(self, host), **facts)})()
        return fingerprint(
            probed(make_machine, platform), index, True, framework="torch", variables={}, device_type=device_type
        )

    assert of() == of(free=1)
    assert len({of(), of(index=1), of(device_type=""), of(identity=["another driver"])}) == 4


def test_unknown_words_list_what_there_is(make_machine):
    machine = probed(make_machine, Npu())
    with pytest.raises(ValueError, match=r"unknown device 'nup'; did you mean npu; accepted are .*'npu' of"):
        parse_request("nup", machine.platforms)
    with pytest.raises(ValueError, match="names a device twice"):
        parse_request("npu:1,1", machine.platforms)
    with pytest.raises(ValueError, match="unknown device"):
        parse_request("npu", ())


def test_its_library_is_no_strangers(make_machine):
    library = "/venv/lib/python3.11/site-packages/tensorflow-plugins/libnpu_tensorflow.so"
    host = {"files": {library: "\x7fELF"}, "python": {"installed": {"tensorflow-cpu": "2.20.0", "numpy": "2.1.0"}}}
    with_plugin = judge(probed(make_machine, Npu(), **host), Npu())
    assert "pluggable" not in [item.platform for item in with_plugin.candidates_for("tensorflow")]
    without = diagnose(read_machine(make_machine(**host)))
    assert "pluggable" in [item.platform for item in without.candidates_for("tensorflow")]


# Snapshots


def test_a_snapshot_is_read_where_the_plug_in_is_not_installed(make_machine):
    machine = probed(make_machine, Npu())
    again = Machine.from_dict(json.loads(json.dumps(machine.to_dict())))
    assert again == machine
    assert hash(again.platforms) == hash(machine.platforms)
    diagnosis = diagnose(again)
    assert npus(diagnosis) == []
    (undecided,) = [item for item in diagnosis.not_evaluated if item.code == "npu"]
    assert "is not installed here" in undecided.because
    selection = select_device("npu:0", machine=again)
    assert (selection.device, selection.fallback) == ("cpu", True)
    assert "is not installed here" in selection.reason
    assert select_device("auto", machine=again, exclude=["npu"]).device == "cpu"


@pytest.mark.parametrize("value", [float("nan"), {1: 2}, {"a": {"b": object()}}, b"bytes", [float("inf")]])
def test_only_plain_data_are_facts(value):
    with pytest.raises(ValueError, match="JSON|plain|string"):
        plain_data(value)


def test_names_are_masked_and_keys_that_are_words_stay():
    masked = plain_data({"maria": "maria", "/home/maria": ["x/maria"]}, lambda text: text.replace("maria", "<user>"))
    assert masked == {"maria": "<user>", "/home/<user>": ["x/<user>"]}


def test_plain_data_cannot_be_changed_and_differ_by_type():
    plain = Plain({"b": [1, 2], "a": "x"})
    plain.data["b"].append(3)
    assert plain.data == {"a": "x", "b": [1, 2]}
    assert plain == Plain({"a": "x", "b": [1, 2]})
    assert Plain({"a": 1}) != Plain({"a": 1.0})
    assert Plain({"a": 1}) != Plain({"a": True})


def test_a_machine_file_with_other_facts_is_refused(make_machine):
    data = probed(make_machine, Npu()).to_dict()
    data["platforms"][0]["frameworks"] = "torch"
    with pytest.raises(MachineFileError, match=r"machine.platforms\[0\].frameworks should be a list"):
        Machine.from_dict(data)


# Rows of the matrix


def test_rows_are_chosen_by_python_system_and_architecture():
    row = dict(ROW, python=["3.11"], systems=["linux"], architectures=["x86_64"])
    assert fits(row, "3.11", "linux", "AMD64")
    assert not fits(row, "3.12", "linux", "x86_64")
    assert not fits(row, "3.11", "windows", "x86_64")
    assert not fits(row, "3.11", "linux", "arm64")
    assert fits(ROW, "3.7", "macos", "arm64")


@pytest.mark.parametrize(
    "change, problem",
    [
        ({"date": "1.11.2026"}, "the date is"),
        ({"date": None}, "lacks 'date'"),
        ({"source": "a friend"}, "the source is not an address"),
        ({"requirements": "tensorflow"}, "not a list of strings"),
        ({"requirements": []}, "lacks 'requirements'"),
        ({"python": [3.11]}, "not a list of strings"),
    ],
)
def test_rows_without_a_source_or_a_date_are_refused(change, problem):
    with pytest.raises(ValueError, match="row 1.*" + problem):
        checked_rows([ROW, dict(ROW, **change)])


# Mistakes


def broken(diagnosis):
    return [item.evidence[0].text for item in diagnosis.findings if item.code == "plugin-broken"]


def raises(*_):
    raise RuntimeError("out of cheese\nsecond line")


def exits(*_):
    sys.exit(3)


def interrupted(*_):
    raise GeneratorExit


PROBES = {
    "raises": (raises, "its probe raised RuntimeError: out of cheese"),
    "exits": (exits, "its probe raised SystemExit: 3"),
    "another base exception": (interrupted, "its probe raised GeneratorExit"),
    "a list": (lambda *_: [1], "its probe returned a list, not a dictionary or None"),
    "no plain data": (lambda *_: {"a": {1, 2}}, "its probe returned set, which is not plain data"),
    "not a number": (lambda *_: {"a": float("nan")}, "which JSON cannot hold"),
    "numbers for keys": (lambda *_: {1: "a"}, "which is not a string"),
    "too much": (lambda *_: {"a": "x" * 300000}, "characters, and 262144 are allowed"),
}


@pytest.mark.parametrize("name", sorted(PROBES))
def test_a_probe_that_does_wrong_becomes_a_finding(make_machine, name):
    function, problem = PROBES[name]
    platform = type("Bad", (Npu,), {"probe": function})()
    machine = probed(make_machine, platform)
    assert machine.platform("npu").facts.status == "unknown"
    assert Machine.from_dict(json.loads(json.dumps(machine.to_dict()))) == machine
    diagnosis = judge(machine, platform)
    (told,) = broken(diagnosis)
    assert problem in told
    finding = diagnosis.by_code("plugin-broken")
    assert (finding.severity, finding.blocks) == ("warning", ("npu",))
    assert npus(diagnosis) == []
    found = plan_with(machine, platform, "npu")
    assert (found.device, found.cause.code) == ("cpu", "plugin-broken")
    assert plan_with(machine, platform, "auto").device == "cpu"
    assert not plan_with(machine, platform, "auto").fallback


def plan_with(machine, platform, device):
    from devicekit.selection.choose import choose

    return choose(machine, judge(machine, platform), parse_request(device, machine.platforms))


def test_everything_else_is_as_without_it(make_machine):
    platform = type("Bad", (Npu,), {"probe": raises})()
    machine = probed(make_machine, platform)
    without = machine.replace(platforms=())
    found, plain = judge(machine, platform), diagnose(without)
    assert [item for item in found.findings if item.code != "plugin-broken"] == list(plain.findings)
    assert found.by_framework == plain.by_framework
    assert found.frameworks == plain.frameworks


def test_a_probe_that_gives_no_answer_is_left_alone(make_machine):
    gate = threading.Event()
    platform = type("Slow", (Npu,), {"probe": lambda self, host: gate.wait(60)})()
    host = make_machine(python=FRAMEWORK)
    try:
        told = read_platforms(host, read_machine(host).python, [platform, Other()], limit_s=0.3)
    finally:
        gate.set()
    assert told[0].problems == ("it gave no answer within 0.3 s",)
    assert told[1].facts.value.data == {"devices": []}


class Other(devicekit.plugins.Platform):
    api_version = 1
    name = "other"

    def probe(self, host):
        return {"devices": []}


def test_what_it_prints_is_kept_from_the_output(make_machine, capsys):
    def probe(self, host):
        print("I am here")
        return {"devices": []}

    def rules(self, view):
        print("I have rules")
        return ()

    platform = type("Loud", (Npu,), {"probe": probe, "rules": rules})()
    diagnosis = judge(probed(make_machine, platform), platform)
    assert broken(diagnosis) == ["it prints: I am here", "its rules: it prints: I have rules"]
    print("mine")
    assert capsys.readouterr().out == "mine\n"


def finding(**values):
    known = {"code": "npu-x", "severity": "info", "summary": "X.", "url": "https://npu.example"}
    return devicekit.Finding(**dict(known, **values))


LATER = {
    "rules raise": ({"rules": raises}, "its rules raised RuntimeError"),
    "rules exit": ({"rules": exits}, "its rules raised SystemExit"),
    "rules raise another base exception": ({"rules": interrupted}, "its rules raised GeneratorExit"),
    "rows raise another base exception": ({"rows": interrupted}, "its rows raised GeneratorExit"),
    "rules yield texts": ({"rules": lambda *_: ["x"]}, "yields a str, not a devicekit.Finding"),
    "rules are none": ({"rules": lambda *_: None}, "its rules raised TypeError"),
    "a stranger's code": ({"rules": lambda *_: [finding(code="gpu-x")]}, "does not begin with 'npu-'"),
    "a code that is none": ({"rules": lambda *_: [finding(code="npu-X_")]}, "does not begin with 'npu-'"),
    "no url": ({"rules": lambda *_: [finding(url="")]}, "has no url"),
    "no severity": ({"rules": lambda *_: [finding(severity="bad")]}, "is not of the form"),
    "evidence of text": ({"rules": lambda *_: [finding(evidence=("x",))]}, "the evidence of its finding npu-x"),
    "fixes of text": ({"rules": lambda *_: [finding(fix=("x",))]}, "the fixes of its finding npu-x"),
    "rows without date": ({"rows": lambda *_: [{"framework": "x"}]}, "its rows raised ValueError: row 0"),
}


@pytest.mark.parametrize("name", sorted(LATER))
def test_rules_and_rows_that_do_wrong_become_a_finding(make_machine, name):
    methods, problem = LATER[name]
    platform = type("Bad", (Npu,), methods)()
    diagnosis = judge(probed(make_machine, platform), platform)
    (told,) = broken(diagnosis)
    assert problem in told
    assert [item[0] for item in npus(diagnosis)] == ["npu:0", "npu:1"]  # what is in order is used


DEVICES = {
    "devices raise": ({"devices": raises}, "its devices for tensorflow raised RuntimeError"),
    "devices raise another base exception": (
        {"devices": interrupted},
        "its devices for tensorflow raised GeneratorExit",
    ),
    "environment raises another base exception": ({"environment": interrupted}, "raised GeneratorExit"),
    "devices are texts": ({"devices": lambda *_: ["x"]}, "by a str, not a devicekit.plugins.PlatformDevice"),
    "devices without end": (
        {"devices": lambda *_: iter(lambda: devicekit.plugins.PlatformDevice("x"), None)},
        "it names more than 1024 devices",
    ),
    "memory of text": ({"devices": lambda *_: [devicekit.plugins.PlatformDevice("x", "8 GiB")]}, "is not of the form"),
    "environment raises": ({"environment": raises}, "raised RuntimeError"),
    "environment of a list": ({"environment": lambda *_: ["A=1"]}, "returned a list, not a dictionary"),
    "a variable that it does not name": ({"environment": lambda *_: {"PATH": "/npu"}}, "it sets 'PATH', which"),
    "a number for a variable": ({"environment": lambda *_: {"NPU_POOL": 1}}, "it sets NPU_POOL to 1"),
}


@pytest.mark.parametrize("name", sorted(DEVICES))
def test_devices_that_are_wrong_become_a_finding_and_are_left_out(make_machine, name):
    methods, problem = DEVICES[name]
    platform = type("Bad", (Npu,), methods)()
    diagnosis = judge(probed(make_machine, platform), platform)
    assert problem in broken(diagnosis)[0]
    assert npus(diagnosis) == []
    assert diagnosis.by_code("npu-overheated") is not None
    assert plan_with(probed(make_machine, platform), platform, "npu").cause.code == "plugin-broken"


def test_a_rule_that_asks_devicekit_is_not_asked_again(make_machine):
    asked = []

    def rules(self, view):
        asked.append(len(diagnose(view.machine).not_evaluated))
        return ()

    platform = type("Curious", (Npu,), {"rules": rules})()
    assert broken(judge(probed(make_machine, platform), platform)) == []
    assert len(asked) == 1


def test_a_fact_that_is_not_known_leaves_its_rules_undecided(make_machine):
    def rules(self, view):
        yield finding()
        view.machine.driver.nvidia_kernel_version.value  # noqa: B018
        raise AssertionError

    platform = type("Curious", (Npu,), {"rules": rules})()
    machine = probed(make_machine, platform)
    driver = machine.driver.replace(nvidia_kernel_version=Fact.unknown("not looked up"))
    diagnosis = judge(machine.replace(driver=driver), platform)
    assert broken(diagnosis) == []
    assert diagnosis.by_code("npu-x") is not None  # what was found before
    assert [item.because for item in diagnosis.not_evaluated if item.code == "npu"] == ["unknown: not looked up"]


def test_who_tests_a_plug_in_gets_its_mistakes_as_exceptions(tmp_path):
    (tmp_path / "host.json").write_text('{"system": "linux"}', encoding="utf-8")
    assert machine_from(str(tmp_path), Npu()).platform("npu").facts.known
    with pytest.raises(PluginError, match="its probe raised RuntimeError"):
        machine_from(str(tmp_path), type("Bad", (Npu,), {"probe": raises})())
    with pytest.raises(PluginError, match="version 2 of the interface, and this devicekit has version 1"):
        machine_from(str(tmp_path), type("Bad", (Npu,), {"api_version": 2})())


# Installed ones, in this process


def install(folder, name, module, source, entry, version="1.0", group="devicekit.platforms"):
    """Put a distribution with an entry point and a module into a folder, as an installer would."""
    info = folder / ("%s-%s.dist-info" % (name.replace("-", "_"), version))
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version), encoding="utf-8")
    (info / "entry_points.txt").write_text("[%s]\n%s\n" % (group, entry), encoding="utf-8")
    if module:
        (folder / (module + ".py")).write_text(source, encoding="utf-8")


GOOD = """
import devicekit
class P(devicekit.plugins.Platform):
    api_version = 1
    name = "npu"
    def probe(self, host):
        return {}
"""

INSTALLED = {
    "no module": ("", "its import raised ModuleNotFoundError: No module named"),
    "a syntax error": ("def", "its import raised SyntaxError"),
    "an import that fails": ("raise OSError('libnpu.so: cannot open')", "its import raised OSError: libnpu.so"),
    "an import that exits": ("import sys; sys.exit(1)", "its import raised SystemExit"),
    "no class": ("", "the module {module} has no P"),
    "another class": ("class P: pass", "it is a P, not a devicekit.plugins.Platform"),
    "a function": ("def P(): pass", "it is a function, not a devicekit.plugins.Platform"),
    "no version": (GOOD.replace("api_version = 1", ""), "it was written for version 0 of the interface"),
    "a later version": (GOOD.replace("= 1", "= 2"), "it was written for version 2 of the interface"),
    "another name": (GOOD.replace('"npu"', '"tpu2"'), "it calls itself 'tpu2', and its entry point 'npu'"),
    "an unknown framework": (GOOD + '    frameworks = {"mxnet": "npu"}', "its 'frameworks' says"),
    "variables of text": (GOOD + '    variables = "NPU"', "its 'variables' is not a list of strings"),
    "a class that raises": (GOOD + "    def __init__(self): 1 / 0", "its import raised ZeroDivisionError"),
}


@pytest.fixture
def look(tmp_path, monkeypatch):
    """Return a function that probes this machine with only a folder as its path."""
    site = tmp_path / "site-packages"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def probe(cwd="", **environ):
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        interpreter = this_interpreter().replace(sys_path=(str(site),), cwd=cwd, modules=())
        return read_machine(LiveHost(interpreter))

    probe.site = site
    return probe


@pytest.mark.parametrize("number, name", list(enumerate(sorted(INSTALLED))))
def test_an_installed_plug_in_that_is_broken_becomes_a_finding(look, number, name):
    source, problem = INSTALLED[name]
    module = "broken_npu_%d" % number
    install(look.site, "devicekit-npu", "" if name == "no module" else module, source, "npu = %s:P" % module)
    machine = look()
    (told,) = machine.platforms
    assert (told.name, told.distribution, told.version, told.facts.status) == ("npu", "devicekit-npu", "1.0", "unknown")
    assert problem.format(module=module) in told.problems[0]
    finding = diagnose(machine).by_code("plugin-broken")
    assert "The plug-in devicekit-npu 1.0 for the platform 'npu' does not work" in finding.summary
    assert "plugin-broken" in [item.code for item in select_device("npu", machine=machine).findings]


@pytest.mark.parametrize(
    "entry, problem",
    [
        ("cuda = good_npu:P", "its name 'cuda' is one of devicekit's own"),
        ("auto = good_npu:P", "its name 'auto' is one of devicekit's own"),
        ("Npu = good_npu:P", "expected lower-case letters and digits"),
        ("n-p-u = good_npu:P", "expected lower-case letters and digits"),
        ("npu = good_npu", "not as in module:Class"),
        ("npu", "not as in module:Class"),
    ],
)
def test_an_entry_point_that_cannot_be_used_stands_for_nothing(look, entry, problem):
    install(look.site, "devicekit-npu", "good_npu", GOOD, entry)
    machine = look()
    (told,) = machine.platforms
    assert told.name == ""
    assert problem in told.problems[0]
    assert diagnose(machine).by_code("plugin-broken").blocks == ()
    assert select_device("cuda", machine=machine).findings[0].code != "plugin-broken"


def test_nobody_waits_twice_for_one_that_gives_no_answer(look):
    install(look.site, "devicekit-npu", "hanging_npu", "import time\ntime.sleep(60)", "npu = hanging_npu:P")
    assert look().platforms[0].problems == ("it gave no answer within 2 s",)
    assert look().platforms[0].problems == ("it gave no answer within 2 s",)
    assert [thread.name for thread in threading.enumerate()].count("devicekit plug-in npu") == 1


def test_of_two_with_one_name_the_first_counts(look):
    install(look.site, "devicekit-aaa", "twice_a", GOOD, "npu = twice_a:P")
    install(look.site, "devicekit-bbb", "twice_b", GOOD, "npu = twice_b:P")
    first, second = look().platforms
    assert (first.name, first.distribution, first.problems) == ("npu", "devicekit-aaa", ())
    assert second.name == ""
    assert "is taken by devicekit-aaa" in second.problems[0]


def test_which_distributions_are_looked_at(look):
    install(look.site, "devicekit-one", "rule_one", GOOD.replace("npu", "one"), "one = rule_one:P")
    install(look.site, "acme-devicekit", "rule_two", GOOD.replace("npu", "two"), "two = rule_two:P")
    install(look.site, "acme.runtime", "rule_three", GOOD.replace("npu", "three"), "three = rule_three:P")
    install(look.site, "acme-other", "rule_four", "", "four = rule_four:main", group="acme.platforms")
    everything = look().platforms
    assert sorted(item.name for item in everything) == ["one", "three", "two"]
    assert all(item.facts.known for item in everything)
    named = look(DEVICEKIT_PLUGINS="acme-runtime, something-else")
    assert [item.name for item in named.platforms] == ["three"]
    for value in ("0", "off", " OFF "):
        assert look(DEVICEKIT_PLUGINS=value).platforms == ()


def test_nothing_is_loaded_from_the_working_folder(look, tmp_path):
    install(look.site, "devicekit-npu", "cwd_npu", "raise SystemExit", "npu = cwd_npu:P")
    assert look(cwd=str(look.site)).platforms == ()
    assert "cwd_npu" not in sys.modules


def test_a_file_of_the_working_folder_stands_in_for_no_module(look, tmp_path, monkeypatch):
    install(look.site, "devicekit-npu", "shadowed_npu", GOOD, "npu = shadowed_npu:P")
    here = tmp_path / "project"
    here.mkdir()
    (here / "shadowed_npu.py").write_text("raise SystemExit('loaded')", encoding="utf-8")
    monkeypatch.syspath_prepend(str(here))
    (told,) = look(cwd=str(here)).platforms
    assert "a file in the working folder shadows its module shadowed_npu" in told.problems[0]
    assert "shadowed_npu" not in sys.modules


def test_a_plug_in_of_another_interpreter_is_not_loaded(look):
    install(look.site, "devicekit-npu", "foreign_npu", "raise SystemExit", "npu = foreign_npu:P")
    interpreter = this_interpreter().replace(executable="/other/bin/python", sys_path=(str(look.site),), modules=())
    machine = read_machine(LiveHost(interpreter))
    (told,) = machine.platforms
    assert (told.facts.status, told.problems) == ("unknown", ())
    assert "runs in its own interpreter only" in told.facts.problem
    assert "plugin-broken" not in [item.code for item in diagnose(machine).findings]


def test_without_a_plug_in_nothing_of_it_is_loaded(run_json):
    code = """
import json, sys, devicekit
devicekit.select_device("gpu")
print(json.dumps(sorted(name for name in sys.modules if name.startswith("devicekit.platforms"))))
"""
    assert run_json(code, env={"DEVICEKIT_PLUGINS": None}) == []


def test_entry_points_are_read_as_installers_write_them():
    text = "[console_scripts]\nnpu = a:main\n\n[devicekit.platforms]\n# ours\nnpu = b.c:P [extra]\n\n x=d:Q\n[o]\ny = e:F\n"
    assert parse_entry_points(text) == [("npu", "b.c:P"), ("x", "d:Q")]
    assert parse_entry_points("") == parse_entry_points("npu = a:B") == []


def test_the_variable_that_names_them():
    assert named_in("acme-runtime, Other.Thing") == ("acme_runtime", "other_thing")
    assert named_in("") == named_in("0") == ()
    assert [switched_off(value) for value in ("0", "none", "", "1", "x")] == [True, True, False, False, False]


# Reports


def test_reports_list_the_plug_ins(make_machine):
    from devicekit.report.rendering import doctor_data
    from devicekit.report.terminal import Style, doctor_text

    machine = probed(make_machine, Npu())
    elsewhere = PlatformFacts("", "devicekit-odd", "2.0", "odd:P", problems=("it is odd",))
    machine = machine.replace(platforms=(*machine.platforms, elsewhere))
    diagnosis, selection = judge(machine, Npu()), select_device(machine=machine)
    text = doctor_text(machine, diagnosis, selection, Style())
    assert re.search(r"Plug-ins +test_platforms, for npu, works\n +devicekit-odd 2.0, plugin-broken", text)
    assert "warning npu-overheated" in text
    assert "https://npu.example/hot" in text
    data = json.loads(json.dumps(doctor_data(machine, diagnosis, selection)))
    assert [(item["name"], item["version"], item["problems"]) for item in data["plugins"]] == [
        ("npu", "", []),
        ("", "2.0", ["it is odd"]),
    ]


# The example, which the documentation builds

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXAMPLE = os.path.join(ROOT, "examples", "devicekit-npu")
PAGE = os.path.join(ROOT, "docs", "how-to", "add-a-platform.md")


def test_the_page_shows_the_files_of_the_example():
    with open(PAGE, encoding="utf-8") as stream:
        shown = dict(
            re.findall(r'^```\w+ title="examples/devicekit-npu/([^"]+)"\n(.*?)^```', stream.read(), re.S | re.M)
        )
    files = {}
    for folder, _, names in os.walk(EXAMPLE):
        for name in names:
            if name.endswith((".py", ".toml", ".json")):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as stream:
                    files[os.path.relpath(path, EXAMPLE).replace(os.sep, "/")] = stream.read()
    assert shown == files
