"""Warnings: structured, filterable by class and by code, once per cause, at the user's line, mirrored to the logger."""

import contextlib
import json
import logging
import warnings

import pytest

from devicekit import CompatibilityWarning, DeviceWarning, FallbackWarning, Finding, select_device
from devicekit.diagnosis import Fix
from devicekit.errors import forget, notify
from devicekit.runtime.notices import unavailable
from devicekit.testing import load

FINDING = Finding(
    "driver-missing", "warning", "There is a GPU without a driver.", (), (Fix("Install it", "apt install x"),)
)


@pytest.fixture(autouse=True)
def _fresh():
    forget()
    yield
    forget()


def test_the_warning_carries_the_finding():
    with pytest.warns(FallbackWarning) as caught:
        notify(FINDING, FallbackWarning)
    message = caught[0].message
    assert message.finding is FINDING
    assert json.loads(json.dumps(message.to_dict())) == {"category": "FallbackWarning", "finding": FINDING.to_dict()}
    assert str(message) == "driver-missing: There is a GPU without a driver. Install it: apt install x"


def test_the_location_is_the_line_outside_of_devicekit():
    with pytest.warns(DeviceWarning) as caught:
        notify(FINDING, FallbackWarning)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("name, given", [("linux-no-framework", "no device"), ("linux-cpu", "only cpu")])
def test_the_error_says_what_can_be_used(name, given):
    error = unavailable(select_device("gpu", machine=load(name)))
    assert "'gpu' was required, %s can be used: " % given in str(error)


def test_once_per_cause():
    with pytest.warns(DeviceWarning) as caught:
        notify(FINDING, FallbackWarning)
        notify(FINDING, FallbackWarning)
        notify(Finding("driver-missing", "warning", "Another."), FallbackWarning)
    assert len(caught) == 2


@pytest.mark.parametrize(
    "filters", [{"category": FallbackWarning}, {"category": DeviceWarning}, {"message": "driver-missing"}]
)
def test_filtered_by_class_and_by_code(filters):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", **filters)
        notify(FINDING, FallbackWarning)
    assert caught == []


def test_another_code_is_not_filtered():
    with pytest.warns(CompatibilityWarning):
        warnings.filterwarnings("ignore", message="no-gpu")
        notify(FINDING, CompatibilityWarning)


def test_the_logger_has_the_finding(caplog):
    with caplog.at_level(logging.INFO, logger="devicekit"), pytest.warns(DeviceWarning):
        notify(FINDING, FallbackWarning)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.finding == FINDING.to_dict()


def test_quiet_tells_the_logger_only(caplog):
    with caplog.at_level(logging.INFO, logger="devicekit"), warnings.catch_warnings():
        warnings.simplefilter("error")
        notify(FINDING, FallbackWarning, quiet=True)
    assert len(caplog.records) == 1


def test_a_quiet_call_leaves_the_warning_to_the_next_one():
    notify(FINDING, FallbackWarning, quiet=True)
    with pytest.warns(FallbackWarning):
        notify(FINDING, FallbackWarning)


def test_each_request_is_answered_once():
    """A second cell of a notebook that asks for a device by its name is not met with silence."""
    with pytest.warns(FallbackWarning) as caught:
        for requested in ("", "gpu", "gpu:1", "gpu", ""):
            notify(FINDING, FallbackWarning, requested=requested)
    assert [" was requested." in str(item.message) for item in caught] == [False, True, True]
    assert "'gpu:1' was requested." in str(caught[2].message)


@pytest.mark.parametrize("action", ["ignore", "error"])
def test_what_a_filter_kept_back_was_not_told(action):
    with warnings.catch_warnings(), contextlib.suppress(FallbackWarning):
        warnings.simplefilter(action)
        notify(FINDING, FallbackWarning, requested="gpu")
    with pytest.warns(FallbackWarning) as caught:
        notify(FINDING, FallbackWarning, requested="gpu")
        notify(FINDING, FallbackWarning, requested="gpu")
        notify(FINDING, FallbackWarning)
    assert len(caught) == 1


def test_a_filter_for_another_module_keeps_nothing_back():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", module="another_program")
        warnings.filterwarnings("ignore", message="no-gpu")
        warnings.filterwarnings("ignore", category=CompatibilityWarning)
        notify(FINDING, FallbackWarning)
        notify(FINDING, FallbackWarning)
    assert len(caught) == 1


def test_nothing_is_printed_without_logging_being_set_up(python):
    code = (
        "import warnings; warnings.simplefilter('ignore');"
        "from devicekit import Finding, FallbackWarning; from devicekit.errors import notify;"
        "notify(Finding('x-y', 'error', 'Bad.'), FallbackWarning); import sys; sys.stderr.flush()"
    )
    assert python(code) == ""
