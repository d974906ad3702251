"""The suite in workers: what is right, wrong, missing, slow or deadly on a device is reported, and costs no more."""

import tempfile

import pytest

from devicekit.measure.numerics.operations.suite import run_suite
from devicekit.measure.numerics.result import Comparison

ENGINES = {"numpy": "numpy_engine:NumPyEngine"}
OPERATIONS = ["matmul 64x128 by 128x96", "matmul transposed left", "relu of edge values", "sum of rows", "reverse"]


def run(*devices, **options):
    options.setdefault("operations", OPERATIONS)
    return run_suite([("numpy", device) for device in devices], engines=ENGINES, **options)


def verdicts(comparison, device):
    """What is not well on a device, by operation and what of it."""
    return {
        (item.name, item.what): item.verdict
        for item in comparison.differences
        if item.device == device and item.verdict != "agrees"
    }


@pytest.fixture(scope="module")
def several():
    """Devices with one fault each, and sound ones between them."""
    return run("cpu", "gpu:0", "gpu:1", "gpu:2", "gpu:4", "gpu:5", "gpu:6", "gpu:8", "gpu:9")


def test_sound_devices_agree(several):
    assert isinstance(several, Comparison)
    assert several.reference == "cpu in float64 with numpy"
    assert several.devices[:3] == ("cpu", "gpu:0", "gpu:1")
    assert (several.subject, several.seed) == ("operations", 0)
    assert not several.agrees
    for device in ("cpu", "gpu:0"):
        own = [item for item in several.differences if item.device == device]
        assert {item.verdict for item in own} == {"agrees"}
        assert {item.what for item in own} == {"output", "gradient of a", "gradient of b", "gradient of x"}
        assert {item.framework for item in own} == {"numpy"}
        assert all(item.ran_on == device and item.kind == "operation" for item in own)
    # The CPU is judged in float32; a device in float16 as well.
    names = {item.name for item in several.differences if item.device == "cpu"}
    assert not any("float16" in name for name in names)
    assert "reverse in float16" in {item.name for item in several.differences if item.device == "gpu:0"}


def test_a_wrong_gradient_is_named(several):
    wrong = verdicts(several, "gpu:1")
    assert set(wrong.values()) == {"differs"}
    assert {what for _, what in wrong} == {"gradient of b"}
    assert several.first_difference.name == "matmul 64x128 by 128x96"
    assert "1/2" in several.first_difference.detail
    summaries = [item.summary for item in several.findings if item.severity == "error" and "gpu:1" in item.summary]
    assert len(summaries) == 3  # two products, one of them in float16 as well
    assert all("gradient of b wrong on gpu:1" in summary for summary in summaries)


def test_a_crash_costs_the_operation_in_which_it_happens(several):
    found = verdicts(several, "gpu:2")
    assert found == {("relu of edge values", "output"): "failed"}
    (crashed,) = [item for item in several.differences if item.device == "gpu:2" and item.operation == "relu"]
    assert crashed.detail.startswith("its process crashed: ")
    agreeing = {item.name for item in several.differences if item.device == "gpu:2" and item.verdict == "agrees"}
    assert {"matmul transposed left", "sum of rows", "reverse"} <= agreeing


def test_what_has_no_kernel_is_listed_with_where_it_ran(several):
    found = [item for item in several.differences if item.device == "gpu:4" and item.verdict != "agrees"]
    assert {item.verdict for item in found} == {"unsupported"}
    assert {item.operation for item in found} == {"matmul"}
    assert {item.ran_on for item in found} == {"cpu"}
    (finding,) = [item for item in several.findings if item.code == "op-unsupported" and "gpu:4" in item.summary]
    assert "matmul" in finding.summary
    assert any("ran on cpu instead" in item.text for item in finding.evidence)


def test_tf32_is_told_from_wrong(several):
    found = [item for item in several.differences if item.device == "gpu:5" and item.verdict != "agrees"]
    assert {item.verdict for item in found} == {"reduced-precision"}
    assert {item.arithmetic for item in found} == {"tf32"}
    assert {item.what for item in found} == {"output", "gradient of a", "gradient of b"}


def test_moving_data_must_keep_the_last_bit(several):
    found = [item for item in several.differences if item.device == "gpu:6" and item.verdict != "agrees"]
    assert {(item.name, item.what, item.verdict) for item in found} == {
        ("reverse", "output", "differs"),
        ("reverse in float16", "output", "differs"),
    }
    assert all(item.measure.tolerance == 0.0 for item in found)


def test_an_exception_is_a_result(several):
    assert verdicts(several, "gpu:8") == {("relu of edge values", "output"): "failed"}
    assert any(item.detail == "RuntimeError: the kernel failed" for item in several.differences)


def test_a_device_that_is_not_there_is_told_once(several):
    (only,) = [item for item in several.differences if item.device == "gpu:9"]
    assert (only.verdict, only.detail) == ("failed", "LookupError: there is no gpu:9")


def test_a_hang_is_given_up_and_what_follows_is_still_computed(tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    class Line:
        def __init__(self, what):
            started.append(what)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def tick(self):
            started.append("tick")

    found = run(
        "gpu:3",
        operations=["matmul transposed left", "relu of edge values", "sum of rows"],
        watch=Line,
        case_timeout_s=6.0,
    )
    assert verdicts(found, "gpu:3") == {("relu of edge values", "output"): "failed"}
    (hung,) = [item for item in found.differences if item.verdict == "failed"]
    assert hung.detail == "hung: no answer within 6 s"
    assert "sum of rows" in {item.name for item in found.differences if item.verdict == "agrees"}
    assert [item for item in started if item != "tick"] == [
        "computing on cpu with numpy",
        "computing on gpu:3 with numpy",
    ]
    assert "tick" in started
    assert found.devices == ("gpu:3",)
    # Results are gone with the comparison.
    assert not list(tmp_path.glob("devicekit-numerics-*"))


def test_a_device_that_crashes_with_everything_is_given_up():
    found = run("gpu:7")
    assert {item.verdict for item in found.differences} == {"failed"}
    details = [item.detail for item in found.differences]
    assert sum(detail.startswith("its process crashed") for detail in details) == 2
    assert details[-1].startswith(
        "not tried, after 2 operations that ended their process; the last: its process crashed"
    )


def test_seeds_change_the_inputs_and_nothing_else():
    first, second = (run("cpu", seed=seed, operations="matmul transposed left") for seed in (1, 2))
    assert (first.agrees, second.agrees) == (True, True)
    errors = [[item.measure.max_relative_error for item in found.differences] for found in (first, second)]
    assert errors[0] != errors[1]


def test_wrong_use_is_told():
    with pytest.raises(ValueError, match="no device to compare"):
        run_suite([])
    with pytest.raises(ValueError, match="no operation matches"):
        run("cpu", operations="matmux")
