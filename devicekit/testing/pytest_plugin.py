"""The plug-in for pytest: markers, fixtures, the option ``--device`` and a line in the header.

pytest loads it in every environment in which devicekit is installed. So it imports only pytest and what pytest imports
anyway, examines the machine only if something of it is used, and yields to an option, marker or fixture of the same name
in the project. Types are strings, because pytest exports their names only from 7.0 on.
"""

import json
import re
import warnings
from typing import TYPE_CHECKING, Any, Generator, Iterator, List, Optional, cast

import pytest

if TYPE_CHECKING:
    from ..selection.selection import Selection
    from .requirements import Requirement, Run


#: The name under which the `Run` is registered.
_RUN = "devicekit-run"

_MARKERS = (
    "requires_device(device, min_memory=None, count=1, framework=None): skip if no such device is usable; "
    'for example requires_device("gpu", min_memory="8GiB")',
    "requires_framework(name, versions=''): skip if the framework is not installed in one of these versions, or cannot be "
    'imported; for example requires_framework("tensorflow", ">=2.10")',
)

_HELP = (
    "a device for the fixtures `device` and `each_device`, such as cpu or gpu:1; repeat it or separate devices with commas; "
    "the run stops if one is not usable"
)


# -- The option ---------------------------------------------------------------------------------------------------------


def pytest_addoption(parser: "pytest.Parser") -> None:
    """Declare the setting; `pytest_load_initial_conftests` adds the option."""
    parser.addini("devicekit_header", "whether the header shows the device that devicekit selected", "bool", True)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: "pytest.Config", parser: "pytest.Parser", args: List[str]
) -> Iterator[None]:
    """Add ``--device`` unless a conftest.py or another plug-in has an option of that name.

    Two options of one name are an error, and the project's own would fail. Whether the project has one is known only after
    its conftest.py was read; until then, ``gpu`` in ``--device gpu`` must not be treated as a path.
    """
    from ..selection.request import parse_request
    from .requirements import split_devices

    paths = getattr(early_config.known_args_namespace, "file_or_dir", None) or []
    for option, value in zip(args, args[1:]):
        if option == "--device" and value in paths:
            try:
                for name in split_devices([value]):
                    parse_request(name)
            except ValueError:  # a path, or an option of another plug-in
                continue
            paths.remove(value)
    yield
    try:
        free = "--device=cpu" in parser.parse_known_and_unknown_args(["--device=cpu"])[1]
    except pytest.UsageError:  # there is one, and it rejects this value
        free = False
    if free:
        group = parser.getgroup("devicekit", "devices")
        group.addoption("--device", action="append", dest="devicekit_devices", metavar="DEVICE", help=_HELP)


# -- The run ------------------------------------------------------------------------------------------------------------


def _run_of(config: "pytest.Config") -> "Run":
    return cast("Run", config.pluginmanager.get_plugin(_RUN))


def pytest_configure(config: "pytest.Config") -> None:
    """Register the markers and the `Run`."""
    from .requirements import Run

    for line in _MARKERS:
        config.addinivalue_line("markers", line)
    config.pluginmanager.register(Run(config), _RUN)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: "pytest.Session") -> None:
    """Stop a run whose ``--device`` cannot be used: skipped tests would look like passed tests."""
    problem = "" if hasattr(session.config, "workerinput") else _run_of(session.config).problem()
    if problem:
        raise pytest.UsageError(problem)


def pytest_report_header(config: "pytest.Config") -> Optional[str]:
    """Return the line that names the device; it never fails, and pytest does not call it with ``-q``."""
    if hasattr(config, "workerinput") or not config.getini("devicekit_header"):
        return None
    from .requirements import why

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = _run_of(config)
            where = " (simulated)" if run.simulated() else ""
            if len(run.asked) > 1:
                return "devicekit: " + ", ".join(run.names()) + where
            selection = run.chosen()
            return " ".join(str(selection.replace(reason=why(selection))).split()) + where
    except Exception as error:  # a line of information must not stop the tests
        from ..errors import one_line, printable

        return "devicekit: no device could be selected (%s)" % printable(one_line(error))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Pass the machine to a worker of pytest-xdist, so that all workers collect the same tests."""
    run = _run_of(node.config)
    spec = node.gateway.spec
    # Another interpreter or machine has other frameworks.
    if run.examined and spec.popen and not spec.python:
        node.workerinput["devicekit_machine"] = json.dumps(run.machine().to_dict())


# -- Markers ------------------------------------------------------------------------------------------------------------


def _requirements(node: Any, config: "pytest.Config") -> "Iterator[Requirement]":
    """Yield what the markers of a test require; raise ValueError if a marker has wrong arguments."""
    from .requirements import REQUIREMENTS, read_marker

    for name in REQUIREMENTS:
        markers = list(node.iter_markers(name))
        if markers and not _is_redefined(config, name):
            for marker in markers:
                yield read_marker(marker)


def _is_redefined(config: "pytest.Config", name: str) -> bool:
    """Return whether the project declares its own marker of the same name."""
    declared = [line for line in config.getini("markers") if re.match(name + r"\b", line)]
    return any(line not in _MARKERS for line in declared)


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: Any) -> "Generator[None, Any, None]":
    """Turn wrong markers into an error of the file or class whose tests have them."""
    outcome = yield
    report = outcome.get_result()
    wrong = []
    for item in report.result or ():
        try:
            for _ in _requirements(item, collector.config):
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
    if defined and defined[-1].func.__module__ != __name__:  # the project's own fixture
        return
    names = _run_of(metafunc.config).names()
    metafunc.parametrize("each_device", names, indirect=True, ids=names)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: "pytest.Config", items: "List[pytest.Item]") -> None:
    """Skip tests that this machine cannot run, with the reason."""
    for item in items:
        reasons = [_run_of(config).missing(requirement) for requirement in _requirements(item, config)]
        for reason in filter(None, reasons):
            item.add_marker(pytest.mark.skip(reason=reason))


# -- Fixtures -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def device(request: "pytest.FixtureRequest") -> "Iterator[Selection]":
    """The device of this run as a devicekit.Selection, active until the run ends: that of --device, or the best one."""
    run = _run_of(request.config)
    selection = run.chosen()
    yield from _active(run, selection, bool(run.asked))


@pytest.fixture
def each_device(request: "pytest.FixtureRequest") -> "Iterator[Selection]":
    """The CPU and every usable accelerator, one test for each: a devicekit.Selection, active during the test."""
    run = _run_of(request.config)
    yield from _active(run, run.select(request.param), True)


def _active(run: "Run", selection: "Selection", require: bool) -> "Iterator[Selection]":
    """Yield a selection once, in a scope; without a framework there is nothing to activate."""
    if selection.framework is None or selection.device == "auto" or run.simulated():
        yield selection
        return
    from ..runtime.current import current_selection
    from ..runtime.scope import device_scope

    chosen = current_selection() is not None and not require
    scope = device_scope(None if chosen else selection.device, require=require and selection.device != "cpu")
    with warnings.catch_warnings():
        # The header says why it is the CPU. Warnings may be errors here, and this imports a framework.
        warnings.simplefilter("ignore")
        active = scope.__enter__()
    try:
        yield active.replace(requested=selection.requested)
    finally:
        scope.__exit__(None, None, None)
