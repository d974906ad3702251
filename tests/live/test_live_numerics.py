"""The suite of operations in the real TensorFlow, on the CPU and on simulated accelerators with planted faults."""

import json
import os
import subprocess
import sys

import pytest
from live_prelude import VERSION, only_tf2

from devicekit.cli.main import main

FRAMEWORK = "tensorflow1" if VERSION < (2, 0) else "tensorflow"
#: A matrix product, a convolution, what recurrent layers need, a loss, indices, a reduction, a cast.
SOME = [
    "matmul 64*",
    "conv2d 3x3 same",
    "conv2d*groups",
    "gru 16*",
    "softmax*large*",
    "embedding*3 ids*",
    "variance*",
    "cast*",
]


@pytest.fixture
def verify(tmp_path):
    """Run ``devicekit verify --numerics`` and return its exit status and what it printed."""

    def run(*arguments, env=None):
        environ = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", DEVICEKIT_CACHE_DIR=str(tmp_path / "cache"), **(env or {}))
        # Without byte-code files every import of TensorFlow would take five times as long.
        environ["PYTHONDONTWRITEBYTECODE"] = ""
        done = subprocess.run(
            [sys.executable, "-m", "devicekit", "verify", "--numerics", "--framework", "tensorflow", *arguments],
            cwd=str(tmp_path),
            env=environ,
            capture_output=True,
            text=True,
        )
        assert done.returncode in (0, 1), done.stderr
        return done.returncode, done.stdout

    return run


def found(data, device):
    """What a device made of each output and gradient, in float32."""
    return {
        (item["name"], item["what"]): item
        for item in data["differences"]
        if item["device"] == device and " in " not in item["name"].replace(" in 4 groups", "")
    }


def test_the_cpu_agrees_with_itself(verify):
    status, output = verify("--device", "cpu", "--seed", "7", "--json", "--operations", *SOME)
    data = json.loads(output)
    wrong = [item for item in data["differences"] if item["verdict"] != "agrees"]
    assert (status, wrong, data["findings"]) == (0, [], [])
    assert data["agrees"] is True
    assert (data["devices"], data["seed"], data["subject"]) == (["cpu"], 7, "operations")
    assert data["reference"] == "cpu in float64 with %s" % FRAMEWORK
    names = set(found(data, "cpu"))
    assert ("gru 16 steps", "gradient of recurrent kernel") in names
    assert ("conv2d 3x3 in 4 groups", "gradient of kernel") in names
    assert ("cast to float16", "output") in names
    assert all(item["ran_on"] == "/device:CPU:0" for item in data["differences"])


@only_tf2
def test_a_device_that_computes_wrong_is_named_with_the_operation(verify, simulated_gpu):
    """Products without kernel, a wrong gradient of convolutions, a NaN in softmax: all on one device."""
    # oneDNN, which TensorFlow turns on by itself on some processors, computes gradients of grouped convolutions.
    environ = dict(simulated_gpu, DEVICEKIT_SIM_FAULT="missing,gradient,nan", TF_ENABLE_ONEDNN_OPTS="0")
    status, output = verify(
        "--device", "gpu:0", "--json", "--operations", *SOME[:3], SOME[4], "max_pool2d 2x2", env=environ
    )
    data = json.loads(output)
    assert (status, data["agrees"], data["devices"]) == (1, False, ["gpu:0"])
    device = found(data, "gpu:0")
    product = device["matmul 64x128 by 128x96", "output"]
    assert (product["verdict"], product["ran_on"]) == ("unsupported", "/device:CPU:0")
    assert "MatMul" in product["detail"]
    kernel = device["conv2d 3x3 same", "gradient of kernel"]
    assert (kernel["verdict"], kernel["ran_on"]) == ("differs", "/device:GPU:0")
    assert "1/2" in kernel["detail"]
    assert device["conv2d 3x3 same", "output"]["verdict"] == "agrees"
    assert device["max_pool2d 2x2", "gradient of x"]["verdict"] == "agrees"
    softmax = device["softmax large logits", "output"]
    assert (softmax["verdict"], softmax["measure"]["nonfinite"]) == ("differs", 1)
    # Without oneDNN nothing computes the gradient of a grouped convolution there, nor on the CPU.
    assert device["conv2d 3x3 in 4 groups", "output"]["verdict"] == "unsupported"
    codes = {item["code"] for item in data["findings"]}
    assert codes == {"numerics-divergent", "op-unsupported"}


@only_tf2
def test_a_device_that_crashes_costs_its_operations_only(verify, simulated_gpu):
    environ = dict(simulated_gpu, DEVICEKIT_SIM_FAULT="crash")
    status, output = verify("--device", "gpu:1", "cpu", "--operations", "tanh small*", "--json", env=environ)
    data = json.loads(output)
    assert status == 1
    (crashed,) = found(data, "gpu:1").values()
    assert (crashed["verdict"], crashed["detail"]) == (
        "failed",
        "its process crashed: it was ended by signal SIGSEGV",
    )
    assert {item["verdict"] for item in found(data, "cpu").values()} == {"agrees"}


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--seed", "3"], "--seed needs --numerics"),
        (["--numerics", "--operations", "matmux"], "no operation matches 'matmux'"),
        (["--numerics", "--framework", "keras"], "unknown framework 'keras'; accepted are tensorflow, jax, torch"),
        (["--numerics", "--python", "/other/python"], "run: /other/python -m devicekit verify --numerics"),
        (["--numerics", "--device", "gpx"], "gpx"),
    ],
)
def test_wrong_use_of_the_command_is_told(arguments, message, capsys):
    assert main(["verify", *arguments]) == 2
    assert message in capsys.readouterr().err
