"""Which adapters DirectML builds list: DML_VISIBLE_DEVICES as the builds read it, and the outcome of each adapter.

What the real wheels do with the same values is asked in tests/live/test_live_directml.py.
"""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devicekit import diagnose
from devicekit.diagnosis.rules.adapters import directml_visible, has_direct3d, numbered, parse_visible, why_rejected
from devicekit.machine.facts import DxAdapter
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import SimulatedHost

MACHINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines")


def card(name, **more):
    return DxAdapter(
        name, "1002", "73df", direct3d=more.pop("direct3d", True), directml=more.pop("directml", True), **more
    )


GOOD, OTHER = card("good"), card("other")
WEAK, NO_TYPES = card("weak", direct3d=False, directml=None), card("no types", directml=False)


@pytest.mark.parametrize(
    "value, fork, plugin",
    [
        (None, (0, 1, 2), (0, 1, 2)), ("", (0, 1, 2), (0, 1, 2)), ("1,0", (1, 0), (1, 0)), ("0,0", (0, 0), (0, 0)),
        ("-1", (), ()), ("a", (), ()), ("GPU-5", (), ()), ("0;2", (), ()), ("0x2", (), ()), (",1", (), ()),
        ("0,-1,2", (0,), (0,)), ("0,9,2", (0,), (0,)), ("0,3", (0,), (0,)), (" 2 ", (2,), (2,)), ("0, 2", (0, 2), (0, 2)),
        ("2,", (2,), (2,)), ("02", (2,), (2,)), ("\t1\v", (1,), (1,)), ("+2", (), (2,)), ("0,+1", (0,), (0, 1)),
        ("+ 2", (), ()), ("++2", (), ()), ("-0", (), ()), ("1 2", (), ()), ("\u00a01", (), ()), ("\u0661", (), ()),
        ("4294967296", (), ()), ("18446744073709551616", (), ()), ("00000000000002", (2,), (2,)), (" ", (), ()),
    ],
)  # fmt: skip
def test_the_variable(value, fork, plugin):
    assert parse_visible(value, 3, "fork").indices == fork
    assert parse_visible(value, 3, "plugin").indices == plugin


def test_where_the_list_ends():
    assert parse_visible("0, x,1", 2, "plugin").stopped_at == " x"
    assert parse_visible("0,1,", 2, "plugin").stopped_at == ""
    assert parse_visible("0,1", 2, "plugin").stopped_at is None
    assert parse_visible(None, 2, "plugin").stopped_at is None


@given(st.text("0123456789+-, ax", max_size=12), st.integers(0, 5))
def test_what_is_left_exists(value, count):
    for flavor in ("fork", "plugin"):
        indices = parse_visible(value, count, flavor).indices
        assert all(0 <= index < count for index in indices)
        assert set(parse_visible(value, count, "fork").indices) <= set(range(count))
        assert parse_visible(value, count + 1, flavor).indices[: len(indices)] == indices or not value


def test_numbers_count_what_directml_leaves_out_later():
    adapters = (GOOD, WEAK, NO_TYPES, OTHER)
    assert numbered(adapters) == (GOOD, NO_TYPES, OTHER)
    assert directml_visible(adapters, None, "plugin") == (GOOD, OTHER)
    assert directml_visible(adapters, "1", "plugin") == ()
    assert directml_visible(adapters, "2,0,2", "fork") == (OTHER, GOOD, OTHER)


@pytest.mark.parametrize(
    "adapter, takes",
    [
        (GOOD, True), (WEAK, False), (NO_TYPES, True), (card("x", software=True), False),
        # As the registry has them, where no one was asked.
        (card("x", direct3d=None), True), (card("x", direct3d=None, feature_level=0xC000), True),
        (card("x", direct3d=None, feature_level=0xA100), False),
        # Direct3D itself knows better than the registry.
        (card("x", feature_level=0xA100), True),
    ],
)  # fmt: skip
def test_direct3d(adapter, takes):
    assert has_direct3d(adapter) is takes


def test_why_not():
    assert (
        why_rejected(card("x", problem="its driver lacks the data type int16"))
        == "its driver lacks the data type int16"
    )
    assert "10_1" in why_rejected(card("x", direct3d=None, feature_level=0xA100))
    assert why_rejected(WEAK)


# What a person reads of it.


def finding(name, code):
    machine = read_machine(SimulatedHost(os.path.join(MACHINES, name)))
    return next(item for item in diagnose(machine).findings if item.code == code)


def test_the_fix_names_the_number_that_works():
    """Not TensorFlow's number of the device, but the one that the variable counts."""
    fix = finding("windows-directml-variable-misses", "device-hidden").fix
    assert fix[0].command == '$env:DML_VISIBLE_DEVICES = "0"'
    assert fix[1].command == "Remove-Item Env:DML_VISIBLE_DEVICES"
    assert finding("wsl2-directml-five-adapters", "directml-unsupported").fix[0].command == (
        "export DML_VISIBLE_DEVICES=0,1,2,3"
    )


def test_an_old_driver_is_named_with_the_oldest_that_would_do():
    found = finding("wsl2-directml-driver-too-old", "directml-unsupported")
    assert "driver 27.20.100.9466; WSL needs 28.20.100.8322 or later" in [item.text for item in found.evidence]


def test_every_rejected_adapter_is_evidence():
    found = finding("windows-directml-variable-misses", "directml-unsupported")
    assert [item.text.partition(":")[0] for item in found.evidence] == [
        "Intel(R) HD Graphics 4000",
        "AMD Radeon HD 6450",
    ]
    assert {item.source for item in found.evidence} == {"DXGI"}


def test_the_pins_of_torch_directml_are_those_of_its_metadata():
    found = finding("windows-torch-directml-other-torch", "plugin-version-mismatch")
    assert found.fix[0].command == "python -m pip install torch==2.4.1 torchvision==0.19.1"
