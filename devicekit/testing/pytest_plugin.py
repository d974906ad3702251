"""The plug-in for pytest: markers, fixtures, the option ``--device`` and a line in the header.

pytest loads it in every run of everybody who has devicekit installed. So it imports nothing but pytest and what pytest
imports anyway, looks at the machine only where something of it is used, and gives way where a project has an option,
marker or fixture of the same name. Types are strings, for pytest exports their names from 7.0 on.
"""

import json
import re
import warnings
from typing import TYPE_CHECKING, Any, Generator, Iterator, List, Optional, cast

import pytest

if TYPE_CHECKING:
    from ..selection.selection import Selection
    from .pytest_markers import Need, Run

__all__: List[str] = []

#: Under which pytest knows what is known of a run.
_RUN = "devicekit-run"

_MARKERS = (
    "requires_device(device, min_memory=None, count=1, framework=None): skip where devicekit finds no such device to be "
    'usable; for example requires_device("gpu", min_memory="8GiB")',
    "requires_framework(name, versions=''): skip where the framework is not installed, or not one of these versions, or "
    'cannot be imported; for example requires_framework("tensorflow", ">=2.10")',
)

_HELP = (
    "a device for the fixtures `device` and `each_device`, such as cpu or gpu:1; may be repeated, or be a list with commas; "
    "a run stops where it is not usable"
)


# -- The option ---------------------------------------------------------------------------------------------------------


def pytest_addoption(parser: "pytest.Parser") -> None:
    """Declare the setting; `pytest_load_initial_conftests` adds the option."""
    parser.addini("devicekit_header", "whether devicekit says in the header which device it chose", "bool", True)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: "pytest.Config", parser: "pytest.Parser", args: List[str]
) -> Iterator[None]:
    """Add ``--device`` unless a conftest.py or another plug-in has an option of that name.

    Two options of one name are an error, and it would be the project's own that fails. That a project has one is known
    after its conftest.py has been read; so long, ``gpu`` in ``--device gpu`` must not be taken for a path.
    """
    from ..selection.request import parse_request
    from .pytest_markers import split_devices

    paths = getattr(early_config.known_args_namespace, "file_or_dir", None) or []
    for option, value in zip(args, args[1:]):
        if option == "--device" and value in paths:
            try:
                for name in split_devices([value]):
                    parse_request(name)
            except ValueError:  # a path, or something of another plug-in's
                continue
            paths.remove(value)
    yield
    try:
        free = "--device=cpu" in parser.parse_known_and_unknown_args(["--device=cpu"])[1]
    except pytest.UsageError:  # there is one, and it does not take this
        free = False
    if free:
        group = parser.getgroup("devicekit", "devices")
        group.addoption("--device", action="append", dest="devicekit_devices", metavar="DEVICE", help=_HELP)


# -- The run ------------------------------------------------------------------------------------------------------------


def _run_of(config: "pytest.Config") -> "Run":
    return cast("Run", config.pluginmanager.get_plugin(_RUN))


def pytest_configure(config: "pytest.Config") -> None:
    """Register the markers and a place for what is known of the run."""
    from .pytest_markers import Run

    for line in _MARKERS:
        config.addinivalue_line("markers", line)
    config.pluginmanager.register(Run(config), _RUN)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: "pytest.Session") -> None:
    """Stop a run whose ``--device`` cannot be used: skipped tests would look like tests that have passed."""
    problem = "" if hasattr(session.config, "workerinput") else _run_of(session.config).problem()
    if problem:
        raise pytest.UsageError(problem)


def pytest_report_header(config: "pytest.Config") -> Optional[str]:
    """Return the line that names the device; it never fails, and pytest does not ask for it under ``-q``."""
    if hasattr(config, "workerinput") or not config.getini("devicekit_header"):
        return None
    from .pytest_markers import why

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = _run_of(config)
            where = " (simulated)" if run.simulated() else ""
            if len(run.asked) > 1:
                return "devicekit: " + ", ".join(run.names()) + where
            selection = run.chosen()
            return " ".join(str(selection.replace(reason=why(selection))).split()) + where
    except Exception as error:  # a line of information must not stop anybody's tests
        return "devicekit: no device could be chosen (%s: %s)" % (type(error).__name__, " ".join(str(error).split()))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist what was found, so that all of them collect the same tests."""
    run = _run_of(node.config)
    spec = node.gateway.spec
    # Another interpreter, and all the more another machine, has other frameworks.
    if run.looked and spec.popen and not spec.python:
        node.workerinput["devicekit_machine"] = json.dumps(run.machine().to_dict())


# -- Markers ------------------------------------------------------------------------------------------------------------


def _needs(node: Any, config: "pytest.Config") -> "Iterator[Need]":
    """Yield what the markers of a test ask for.

    Raises
    ------
    ValueError
        Where a marker has wrong arguments.
    """
    from .pytest_markers import NEEDS, read_marker

    for name in NEEDS:
        markers = list(node.iter_markers(name))
        if markers and not _is_foreign(config, name):
            for marker in markers:
                yield read_marker(marker)


def _is_foreign(config: "pytest.Config", name: str) -> bool:
    """Whether a project has declared a marker of the same name as its own."""
    declared = [line for line in config.getini("markers") if re.match(name + r"\b", line)]
    return any(line not in _MARKERS for line in declared)


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: Any) -> "Generator[None, Any, None]":
    """Make wrong markers an error of the file or class whose tests have them."""
    outcome = yield
    report = outcome.get_result()
    wrong = []
    for item in report.result or ():
        try:
            for _ in _needs(item, collector.config):
                pass
        except ValueError as error:
            wrong.append("%s: %s" % (item.nodeid, error))
    if wrong and report.outcome == "passed":
        report.outcome, report.longrepr, report.result = "failed", "\n".join(wrong), []


def pytest_generate_tests(metafunc: "pytest.Metafunc") -> None:
    """Make one test for each device."""
    if "each_device" not in metafunc.fixturenames:
        return
    own = [marker.args[0] for marker in metafunc.definition.iter_markers("parametrize") if marker.args]
    if any("each_device" in (re.split(r"[\s,]+", names) if isinstance(names, str) else names) for names in own):
        return
    defined = getattr(metafunc, "_arg2fixturedefs", {}).get("each_device", ())
    if defined and defined[-1].func.__module__ != __name__:  # a fixture of the project's own
        return
    names = _run_of(metafunc.config).names()
    metafunc.parametrize("each_device", names, indirect=True, ids=names)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: "pytest.Config", items: "List[pytest.Item]") -> None:
    """Skip what this machine lacks, with the reason."""
    for item in items:
        reasons = [_run_of(config).missing(need) for need in _needs(item, config)]
        for reason in filter(None, reasons):
            item.add_marker(pytest.mark.skip(reason=reason))


# -- Fixtures -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def device(request: "pytest.FixtureRequest") -> "Iterator[Selection]":
    """The device of this run as a devicekit.Selection, in force until the run ends: what --device says, or the best."""
    run = _run_of(request.config)
    selection = run.chosen()
    yield from _in_force(run, selection, bool(run.asked))


@pytest.fixture
def each_device(request: "pytest.FixtureRequest") -> "Iterator[Selection]":
    """The CPU and every usable accelerator, one test for each: a devicekit.Selection, in force during the test."""
    run = _run_of(request.config)
    yield from _in_force(run, run.select(request.param), True)


def _in_force(run: "Run", selection: "Selection", require: bool) -> "Iterator[Selection]":
    """Yield a selection once, in a scope; without a framework there is nothing that could be in force."""
    if selection.framework is None or selection.device == "auto" or run.simulated():
        yield selection
        return
    from ..runtime.current import current_selection
    from ..runtime.scope import device_scope

    chosen = current_selection() is not None and not require
    scope = device_scope(None if chosen else selection.device, require=require and selection.device != "cpu")
    with warnings.catch_warnings():
        # Why it is the CPU stands in the header. A warning may be an error here, and this imports a framework.
        warnings.simplefilter("ignore")
        in_force = scope.__enter__()
    try:
        yield in_force.replace(requested=selection.requested)
    finally:
        scope.__exit__(None, None, None)
