"""What the tests share. Tests that need a real framework are in `live`; they run where one is installed."""

import collections
import importlib.util
import json
import os
import signal
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# No test asks the package index of the machine that runs it; test_index.py has one of its own.
os.environ["DEVICEKIT_OFFLINE"] = "1"

if importlib.util.find_spec("hypothesis"):  # not in every session
    from hypothesis import HealthCheck, settings

    # That a machine is busy is no failure.
    settings.register_profile("devicekit", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("devicekit")

#: Files that other systems cannot even import, the system of their tests, and what only that has.
#: A test says the same with the mark `only_on`. Elsewhere neither is collected, nor counted among what is skipped.
ONLY_ON = {"test_full_disk.py": ("posix", "limits on the size of files (resource)")}
#: The same of tests that use a fixture: the beginning of their file's path, the fixture, and the mark's arguments.
FIXTURES_ONLY_ON = (
    ("selftest/", "harness", "linux", "what a trial leaves behind is looked for in /proc"),
    ("selftest/", "patient", "linux", "the faults are POSIX's"),
    ("test_completion.py", "environ", "posix", "shells of POSIX, and a script that stands for the command"),
    ("probe/test_probe_directml.py", "libraries", "linux", "the simulated libraries are built there"),
)


def is_this_system(name):
    """Whether this is the system that a mark names: linux, posix or windows."""
    return sys.platform.startswith("linux") if name == "linux" else os.name == {"windows": "nt"}.get(name, name)


collect_ignore = [name for name, (system, _) in ONLY_ON.items() if not is_this_system(system)]
if not any(importlib.util.find_spec(name) for name in ("tensorflow", "jax", "torch")):
    collect_ignore.append("live")
# These install broken environments from the package registry; `nox -s environments` asks for them.
if "DEVICEKIT_TEST_ENVIRONMENTS" not in os.environ:
    collect_ignore.append("environments")
# These need a browser, and what draws pages; `nox -s report` asks for them.
if "DEVICEKIT_TEST_BROWSER" not in os.environ:
    collect_ignore.append("browser")
# These run the one file; `nox -s onefile` builds it.
if "DEVICEKIT_TEST_PYZ" not in os.environ:
    collect_ignore.append("onefile")
# These need the library of the Model Context Protocol; `nox -s mcp` installs it.
if "DEVICEKIT_TEST_MCP" not in os.environ:
    collect_ignore.append("protocol")
# These start a cluster of Ray's; `nox -s fleet` asks for them.
if "DEVICEKIT_TEST_RAY" not in os.environ:
    collect_ignore.append("fleet_ray")
# These need Wine and a Windows environment in it; `nox -s windows-directml-3.10 nightly-windows-fix` make one.
if "DEVICEKIT_TEST_WINDOWS" not in os.environ:
    collect_ignore.append("windows")
if "DEVICEKIT_TEST_WINDOWS_FIX" not in os.environ:
    collect_ignore.append("windows_fix")
# These need examples/devicekit-npu installed; `nox -s platform` installs it.
if "DEVICEKIT_TEST_PLATFORM" not in os.environ:
    collect_ignore.append("platform_plugin")

#: What takes minutes and looks at what few changes touch. `pytest` leaves it out, `pytest -m ""` runs everything. Of the tests
#: that need a framework, those marked as smoke tests remain: a short check of the framework that is installed.
SLOW = (
    "distribution/test_launch.py",
    "leasing/test_leasing_crowd.py",
    "leasing/test_leasing_run.py",
    "live/",
    "numerics/",
    "selftest/",
    "plugin/",
    "remedies/",
    "test_docs_shell.py",
    "test_fuzz.py",
    "test_new_finding.py",
    "test_properties.py",
)

#: What depends on the bundled data, the recorded machines and the texts, not on the interpreter: the gate leaves it out on
#: the Pythons between the oldest and the newest.
DATA = (
    "distribution/test_strategy_plan.py",
    "fleet/test_fingerprint.py",
    "numerics/",
    "test_architecture.py",
    "test_choose.py",
    "test_codes.py",
    "test_compatibility.py",
    "test_contradictions.py",
    "test_data.py",
    "test_docs.py",
    "test_docs_shell.py",
    "test_doctor_screen.py",
    "test_explain.py",
    "test_fuzz.py",
    "test_log_fixes.py",
    "test_machine_diff.py",
    "test_machine_folders.py",
    "test_machines.py",
    "test_matrix_row.py",
    "test_projects.py",
    "test_properties.py",
    "test_public_names.py",
    "test_reference.py",
    "test_resolve.py",
    "test_resolve_alternatives.py",
    "test_schemas.py",
    "test_shareable.py",
    "test_signatures.py",
    "test_tools.py",
)


#: Why tests are not collected here, and how many for each reason.
elsewhere = collections.Counter()


@pytest.hookimpl(tryfirst=True)  # before pytest leaves out what is marked
def pytest_collection_modifyitems(config, items):
    here = os.path.dirname(os.path.abspath(__file__))
    left_out = []
    for item in items:
        path = os.path.relpath(str(item.fspath), here).replace(os.sep, "/")
        if path.startswith(SLOW) and item.get_closest_marker("smoke") is None:
            item.add_marker("slow")
        if path.startswith(DATA):
            item.add_marker("data")
        for start, fixture, system, reason in FIXTURES_ONLY_ON:
            if path.startswith(start) and fixture in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.only_on(system, reason=reason))
        marks = [mark for mark in item.iter_markers("only_on") if not is_this_system(mark.args[0])]
        if marks:
            elsewhere["only on %s: %s" % (marks[0].args[0], marks[0].kwargs["reason"])] += 1
            left_out.append(item)
    if left_out:
        items[:] = [item for item in items if item not in set(left_out)]
        config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    """Name Wine's internal error in a failure that it caused: the message has nothing of what a test's processes print.

    The sessions under Wine try such a test again, by its message.
    """
    report = (yield).get_result()
    crash = getattr(report.longrepr, "reprcrash", None)
    if report.failed and crash and "WinError 1359" in report.capstderr:
        crash.message += "\n(a process of the test printed: WinError 1359)"


def pytest_terminal_summary(terminalreporter):
    if os.name == "nt":
        for reason, count in sorted(elsewhere.items()):
            terminalreporter.write_line("%d not collected, %s" % (count, reason))
        for name, (system, reason) in ONLY_ON.items():
            terminalreporter.write_line("%s not collected, only on %s: %s" % (name, system, reason))
        # What tools/windows_environment.py counts.
        terminalreporter.write_line("%d skipped in all" % len(terminalreporter.stats.get("skipped", ())))


@pytest.fixture
def signals():
    """Let signals reach what is started: where tests run in the background or under nohup, children would ignore some."""
    ignored = [
        number
        for number in (getattr(signal, name, None) for name in ("SIGINT", "SIGHUP"))
        if number is not None and signal.getsignal(number) is signal.SIG_IGN
    ]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture
def make_machine(tmp_path):
    """Return a function that makes a simulated machine from the keys of its host.json."""
    from devicekit.machine.simulated import SimulatedHost

    made = []

    def make(**host):
        folder = tmp_path / ("machine-%d" % len(made))
        folder.mkdir()
        made.append(folder)
        (folder / "host.json").write_text(json.dumps(dict({"system": "linux"}, **host)), encoding="utf-8")
        return SimulatedHost(str(folder))

    return make


@pytest.fixture
def python(tmp_path):
    """Return a function that runs Python code in a fresh process outside the checkout and returns what it printed."""

    def run(code, *arguments, **options):
        environ = dict(os.environ, **options.pop("env", {}))
        environ = {name: value for name, value in environ.items() if value is not None}
        if options.pop("from_checkout", False):
            environ["PYTHONPATH"] = ROOT
        done = subprocess.run(
            [options.pop("executable", sys.executable), *options.pop("flags", ()), "-c", code, *arguments],
            cwd=str(options.pop("cwd", tmp_path)),
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=options.pop("timeout", 300),
        )
        out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        status = options.pop("status", 0)
        assert not options, options
        assert done.returncode == status, "status %s\n%s\n%s" % (done.returncode, out, err[-4000:])
        return out if status == 0 else out + err

    return run


@pytest.fixture
def run_json(python):
    """Return a function that runs Python code and returns the JSON object on its last line."""

    def run(code, *arguments, **options):
        return json.loads(python(code, *arguments, **options).strip().splitlines()[-1])

    return run
