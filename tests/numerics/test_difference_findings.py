"""Findings name the layer, the operation, the figures and a fix that fits."""

import os

import numpy as np

from devicekit.measure.numerics.difference_findings import findings
from devicekit.measure.numerics.result import Difference, Divergence, LeftToCpu
from devicekit.measure.numerics.verdict import Expected, failed, judge, unsupported

RIGHT = np.random.default_rng(0).standard_normal((16, 16))
CLEAN = RIGHT.astype(np.float32)
COARSE = (RIGHT * (1 + 3e-4 * np.random.default_rng(1).standard_normal((16, 16)))).astype(np.float32)


def about(name="dense", operation="Dense", what="output", device="gpu:0", framework="tensorflow", kind="layer", **more):
    return Difference(kind, name, operation, what, device, framework, "differs", **more)


def compared(actual, **names):
    return judge(about(**names), actual, Expected(RIGHT, "float32"))


def training(verdict, **more):
    values = {
        "optimizer": "adam",
        "device": "gpu:0",
        "framework": "tensorflow",
        "verdict": verdict,
        "detail": "far off",
    }
    curves = dict.fromkeys(("loss", "reference_loss", "weights", "rounding", "seed"), ())
    return Divergence(**dict(values, **curves, **more))


def test_what_agrees_has_no_finding():
    assert findings([compared(CLEAN)], [training("agrees")]) == ()
    assert findings([]) == ()


def test_one_finding_for_each_layer_with_its_worst_figures_first():
    items = [
        compared(CLEAN * np.float32(1.5)),
        compared(-CLEAN, what="gradient of kernel"),
        compared(-CLEAN, name="last"),
    ]
    first, second = findings(items)
    assert first.code == second.code == "numerics-divergent"
    assert first.severity == "error"
    assert first.summary == "dense (Dense) computes output, gradient of kernel wrong on gpu:0 with tensorflow."
    assert [text.text.partition(":")[0] for text in first.evidence] == [
        "gradient of kernel in float32",
        "output in float32",
    ]
    assert "wrong sign" in first.evidence[0].text
    assert "ULP, cosine -1.0" in first.evidence[0].text
    assert "last" in second.summary
    assert first.blocks == ("gpu:0",)


def test_leaving_a_layer_to_the_cpu_is_advised_only_if_it_was_tried_and_helps():
    wrong = compared(-CLEAN, what="gradient of kernel")
    left = LeftToCpu("gpu:0", "tensorflow", ("dense",), True, 1.71)
    for tried, words in (
        ((), "devicekit.auto('cpu'); a device_scope moves no gradients"),
        ((left,), "devicekit.on_cpu(layer) in its place. Compared again, all agrees; a forward and backward pass takes 1.7"),
        ((left.replace(agrees=False, detail="still wrong"),), "devicekit.on_cpu(layer) does not help: still wrong"),
        ((left.replace(device="gpu:1"),), "a device_scope moves no gradients"),
    ):  # fmt: skip
        (found,) = findings([wrong], (), tried)
        assert words in " ".join(fix.text for fix in found.fix)


def test_what_is_wrong_only_when_it_is_compiled_is_said():
    curves = ((1.0,), (1.0,), (0.5,), (1e-7,), (0.4,))
    eager = Divergence("sgd", "gpu:0", "tensorflow", *curves, "agrees")
    compiled = eager.replace(verdict="differs", first_step=1, compiled_by="XLA")
    (found,) = findings([], [eager, compiled])
    assert found.summary == "Training on gpu:0 with tensorflow is wrong only when XLA compiles the step."
    assert "jit_compile=False" in found.fix[0].text
    (both,) = findings([], [eager.replace(verdict="differs", first_step=1), compiled])
    assert "leaves the CPU's path at step 1" in both.summary


def test_many_wrong_layers_are_counted():
    found = findings([compared(-CLEAN, name="layer_%d" % number) for number in range(30)])
    assert len(found) == 9
    assert found[-1].summary == "22 more computations are wrong on gpu:0 with tensorflow."
    assert "layer_8 (Dense)" in found[-1].evidence[0].text
    assert "14 more" in found[-1].evidence[0].text


def test_the_whole_model_is_named_only_where_no_part_is_wrong():
    whole = compared(-CLEAN, name="model", operation="Model", kind="model")
    assert "model (Model)" in findings([whole])[0].summary
    (found,) = findings([compared(-CLEAN), whole])
    assert "dense" in found.summary


def test_what_a_wrong_layer_leaves_in_the_model_is_no_arithmetic():
    whole = compared(COARSE, name="my_model", operation="Functional", kind="model")
    assert whole.verdict == "reduced-precision"
    assert [item.severity for item in findings([compared(-CLEAN), whole])] == ["error"]
    assert len(findings([whole])) == 1


def test_fixes_fit_the_device():
    def commands(**names):
        return [fix.command for fix in findings([compared(-CLEAN, **names)])[0].fix]

    assert commands(ran_on="/device:DML:0")[0] == "devicekit resolve directml"
    assert commands(device="metal")[0] == "devicekit resolve metal"
    assert commands()[0] == "devicekit verify"
    assert commands(device="cpu")[0] == (
        '$env:TF_ENABLE_ONEDNN_OPTS = "0"' if os.name == "nt" else "export TF_ENABLE_ONEDNN_OPTS=0"
    )
    assert findings([compared(-CLEAN, device="cpu")])[0].blocks == ()


def test_reduced_precision_is_one_finding_with_the_frameworks_own_switch():
    switches = {
        "tensorflow": "enable_tensor_float_32_execution(False)",
        "torch": "set_float32_matmul_precision('highest')",
        "jax": "jax_default_matmul_precision",
    }
    for framework, switch in switches.items():
        items = [compared(COARSE, name="layer_%d" % number, framework=framework) for number in range(20)]
        (found,) = findings(items)
        assert (found.code, found.severity) == ("numerics-divergent", "info")
        assert "16 more with reduced precision: as coarse as TF32" in found.summary
        assert switch in found.fix[0].text
    (found,) = findings([compared(COARSE, device="cpu")])
    unset, joint = ("Remove-Item Env:", "; ") if os.name == "nt" else ("unset ", " && ")
    names = ("ONEDNN_DEFAULT_FPMATH_MODE", "TF_SET_ONEDNN_FPMATH_MODE")
    assert found.fix[0].command == joint.join(unset + name for name in names)


def test_bfloat16_that_was_not_asked_for_is_a_warning():
    actual = (RIGHT * (1 + 2.5e-3 * np.random.default_rng(1).standard_normal((16, 16)))).astype(np.float32)
    (found,) = findings([compared(actual)])
    assert (found.severity, "bfloat16" in found.summary) == ("warning", True)


def test_operations_without_a_kernel_are_one_finding_with_where_they_ran():
    items = [
        unsupported(about(name="fft 64", operation="fft", kind="operation"), ran_on="cpu"),
        unsupported(about(name="fft 128", operation="fft", kind="operation"), ran_on="cpu"),
        failed(about(name="sort", operation="sort", kind="operation"), "No OpKernel was registered"),
    ]
    (found,) = findings(items)
    assert (found.code, found.severity) == ("op-unsupported", "warning")
    assert found.summary == (
        "gpu:0 with tensorflow has not every operation: sort could not be computed; fft ran on cpu instead."
    )
    assert [item.source for item in found.evidence] == ["fft 64", "fft 128", "sort"]
    (elsewhere,) = findings(items[:2])
    assert (elsewhere.severity, elsewhere.fix) == ("info", ())


def test_each_device_has_its_own():
    items = [unsupported(about(device=device)) for device in ("gpu:0", "gpu:1")]
    assert [found.summary[:5] for found in findings(items)] == ["gpu:0", "gpu:1"]


def test_memory_that_ran_out_is_named_so():
    (found,) = findings([failed(about(), "RESOURCE_EXHAUSTED: Out of memory while trying to allocate")])
    assert found.code == "out-of-memory"


def test_training_that_goes_astray():
    (found,) = findings([], [training("differs", first_step=3), training("agrees"), training("differs", first_step=2)])
    assert found.summary == (
        "Training with adam on gpu:0 with tensorflow leaves the CPU's path at step 2 by more than rounding explains."
    )
    assert found.evidence[0].text == "adam: far off"
    (found,) = findings([], [training("failed")])
    assert "fails" in found.summary


def test_a_wrong_shape_has_no_figures():
    (found,) = findings([compared(CLEAN[:3])])
    assert found.evidence[0].text == "output: shape (3, 16) for (16, 16)"


def test_errors_come_before_remarks():
    found = findings([compared(COARSE, name="coarse"), compared(-CLEAN, name="wrong")])
    assert [item.severity for item in found] == ["error", "info"]
