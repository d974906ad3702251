"""A self-test of a device goes through what training touches: each stage's fault is seen there, in every framework."""

import itertools
import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from fake_frameworks import SOURCES

from devicekit.runtime.trial.result import COMPUTING, DeviceTask
from devicekit.runtime.trial.run import try_device

POSIX = os.name == "posix"

#: A line of Python that is planted, with the outcome.
FAULTS = {
    "raised": "raise RuntimeError('the kernel failed')",
    "wrong": "FOUND = off_by_one(FOUND)",
    "died": "os.kill(os.getpid(), signal.SIGSEGV)",
    "hung": "time.sleep(600)",
}

#: Of each framework: its name, its device, and the variables that make it so.
SETUPS = {
    "TensorFlow": ("tensorflow", "/physical_device:GPU:0", (("PATIENT_DEVICES", "CPU GPU"),)),
    "TensorFlow 1": ("tensorflow", "/physical_device:DML:0", (("PATIENT_DEVICES", "CPU DML"), ("PATIENT_GRAPH", "1"))),
    "JAX": ("jax", "cpu:0", ()),
    "PyTorch": ("torch", "cuda:0", (("PATIENT_DEVICES", "cuda"),)),
}


@pytest.fixture
def tried(tmp_path, monkeypatch):
    """Return a function from a framework and what is planted to the result of a self-test of its device."""
    for name, source in SOURCES.items():
        if name != "keras":
            (tmp_path / name).mkdir()
            (tmp_path / name / "__init__.py").write_text("__version__ = '2.3.0'\n" + source)
    monkeypatch.syspath_prepend(str(tmp_path))

    def run(setup, planted="{}", timeout_s=60.0):
        name, _, variables = SETUPS[setup]
        environment = (*variables, ("PATIENT", planted), ("KERAS_BACKEND", "tensorflow"))
        plugins = {"device_type": "cpu"} if name == "jax" else None
        task = DeviceTask(0, framework=name, plugins=plugins)
        return try_device(task, environment=environment, timeout_s=timeout_s)

    return run


@pytest.mark.parametrize("setup", SETUPS)
def test_a_device_that_works_passes_all_stages(tried, setup):
    trial = tried(setup)
    assert (trial.outcome, trial.stage, trial.detail) == ("works", "train", "")
    assert (trial.device, trial.passed[-5:]) == (SETUPS[setup][1], COMPUTING)


@pytest.mark.only_on("posix", reason="signals are POSIX's")
@pytest.mark.parametrize("setup", SETUPS)
def test_a_fault_is_seen_at_its_stage(tried, setup):
    def run(case):
        outcome, stage = case
        planted = {"%s %s" % (SETUPS[setup][0], stage): FAULTS[outcome]}
        return tried(setup, json.dumps(planted), timeout_s=6.0 if outcome == "hung" else 60.0)

    cases = list(itertools.product(FAULTS, COMPUTING))
    with ThreadPoolExecutor(8) as pool:
        trials = dict(zip(cases, pool.map(run, cases)))

    words = {"raised": "the kernel failed", "died": "SIGSEGV", "hung": "no answer within 6 s", "wrong": "random number"}
    different = []
    for outcome, stage in cases:
        trial = trials[outcome, stage]
        before = ("list", *COMPUTING)[COMPUTING.index(stage)]
        seen = (trial.outcome, trial.stage, trial.device, trial.passed[-1])
        said = words[outcome] in trial.detail or "is off by 1" in trial.detail
        if seen != (outcome, stage, SETUPS[setup][1], before) or not said:
            different.append(((outcome, stage), trial))
    assert different == []


#: A Keras that cannot be used with its framework.
NO_KERAS = """
class Model:
    def __init__(self, inputs, outputs):
        raise AttributeError('no such layer')
tensorflow = sys.modules['tensorflow']
tensorflow.models.Model = tensorflow.keras.models.Model = Model
"""


@pytest.mark.parametrize("setup", ["TensorFlow", "TensorFlow 1"])
def test_a_keras_model_is_trained_on_tensorflow(tried, setup):
    trial = tried(setup, json.dumps({"tensorflow fit": "raise RuntimeError('XLA cannot compile')"}))
    assert (trial.outcome, trial.stage, trial.detail) == ("raised", "train", "XLA cannot compile")


def test_keras_that_does_not_go_with_its_framework_is_no_fault_of_the_device(tried):
    """The step is trained without Keras then, and a fault of the device is still one."""
    planted = {"tensorflow list": NO_KERAS}
    trial = tried("TensorFlow", json.dumps(planted))
    assert (trial.outcome, trial.stage) == ("works", "train")
    planted["tensorflow train"] = "FOUND = off_by_one(FOUND)"
    trial = tried("TensorFlow", json.dumps(planted))
    assert (trial.outcome, trial.stage, trial.error) == ("wrong", "train", "Wrong")
