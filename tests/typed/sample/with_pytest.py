"""Tests with the fixtures of the plug-in for pytest."""

import pytest

import devicekit


@pytest.mark.requires_device("gpu", min_memory="8GiB")
@pytest.mark.requires_framework("tensorflow", ">=2.10")
def test_one(device: devicekit.Selection) -> None:
    assert device.device != "cpu"


def test_each(each_device: devicekit.Selection) -> None:
    assert not each_device.fallback
