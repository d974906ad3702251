"""Device strings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devicekit.selection.request import parse_memory, parse_request


@pytest.mark.parametrize(
    "text, kind, platform, indices, native",
    [
        ("auto", "auto", None, (), False),
        ("cpu", "cpu", None, (), False),
        ("CPU", "cpu", None, (), False),
        ("cpu:1", "cpu", None, (1,), False),
        ("gpu", "gpu", None, (), False),
        ("gpu:1", "gpu", None, (1,), False),
        ("gpu:0,2", "gpu", None, (0, 2), False),
        ("cuda:0", "gpu", "cuda", (0,), False),
        ("rocm:0", "gpu", "rocm", (0,), False),
        ("directml:0", "gpu", "directml", (0,), False),
        ("metal", "gpu", "metal", (), False),
        ("mps:0", "gpu", "metal", (0,), False),
        ("xpu:0", "gpu", "xpu", (0,), False),
        ("tpu", "tpu", None, (), False),
        ("/GPU:0", "gpu", None, (0,), True),
        ("/device:DML:0", "gpu", "directml", (0,), True),
        ("/physical_device:GPU:1", "gpu", None, (1,), True),
        ("/job:localhost/replica:0/task:0/device:CPU:1", "cpu", None, (1,), True),
    ],
)
def test_accepted(text, kind, platform, indices, native):
    request = parse_request(text)
    assert (request.kind, request.platform, request.indices, request.native) == (kind, platform, indices, native)
    assert request.text == text


@pytest.mark.parametrize(
    "text",
    ["", "gpus", "gpu:", "gpu:-1", "gpu:0;1", "gpu:0,0", "auto:0", "/GPU", "cuda:a", "DirectML?", None, 0, ["gpu"]],
)
def test_refused_with_what_is_accepted(text):
    with pytest.raises(ValueError, match="accepted are|names a device twice"):
        parse_request(text)


@given(st.text(max_size=200))
def test_any_text_is_parsed_or_refused(text):
    try:
        parse_request(text)
    except ValueError as error:
        assert len(str(error)) < 600


@pytest.mark.parametrize(
    "value, size",
    [
        (1, 1),
        ("8GiB", 8 << 30),
        ("8 GB", 8 * 10**9),
        ("512MiB", 512 << 20),
        ("1.5k", 1500),
        ("100", 100),
        ("2TiB", 2 << 40),
    ],
)
def test_memory(value, size):
    assert parse_memory(value, "memory") == size


@pytest.mark.parametrize("value", ["", "lots", -1, 0, "0GiB", True, 1.5, None])
def test_wrong_memory(value):
    with pytest.raises(ValueError, match="memory must be a number of bytes or a text such as '8GiB'"):
        parse_memory(value, "memory")
