"""What measures on the best device by default says why a GPU of this machine is not used. No framework runs."""

import pytest

import devicekit
from devicekit import DevicekitError, FallbackWarning
from devicekit.errors import forget
from devicekit.measure.batch_size import find
from devicekit.measure.benchmark import arguments
from devicekit.measure.tuning import tune as tuning
from devicekit.report.benchmark import benchmark_text, tuning_text
from devicekit.report.terminal import Style
from devicekit.testing import load

CODE = {"linux-cudnn-missing": ["cudnn-missing"], "wsl2-no-gpu": ["wsl-without-gpu"], "linux-nvidia": []}


@pytest.fixture(params=sorted(CODE))
def codes(request, monkeypatch):
    """Put a machine in this one's place; the codes of what keeps its GPU from being used."""
    machine = load(request.param)
    for module in (arguments, find, tuning):
        monkeypatch.setattr(module, "real_machine", lambda: machine)
    forget()
    yield CODE[request.param]
    forget()


def test_bench(codes):
    result = devicekit.benchmark("mlp", num_batches=1, num_warmup_batches=0, repeat=1)
    assert [item.code for item in result.findings] == codes
    assert all(code in benchmark_text(result, Style()) for code in codes)
    named = devicekit.benchmark("mlp", devices="cpu", num_batches=1, num_warmup_batches=0, repeat=1)
    assert named.findings == ()


def test_tune(codes):
    result = devicekit.tune("mlp", options=[])
    assert [item.code for item in result.findings] == codes
    assert all(code in tuning_text(result, Style()) for code in codes)


@pytest.mark.parametrize("device", [None, "auto"])
def test_find_batch_size(codes, device, recwarn):
    pytest.importorskip("numpy")
    with pytest.raises(DevicekitError):
        devicekit.find_batch_size("no_such_module:make", {"x": [[1.0]] * 4}, device=device)
    assert [item.message.finding.code for item in recwarn if item.category is FallbackWarning] == codes
