"""`auto()` and `device_scope` on the real PyTorch, with Keras on it and alone; devices of host memory stand for GPUs."""

import pytest
from selftest_prelude import stages

ON_TORCH = {"KERAS_BACKEND": "torch"}

START = """
import json, os, sys, threading, warnings
import numpy as np
import devicekit
assert "torch" not in sys.modules
def auto(*arguments, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selection = devicekit.auto(*arguments, **options)
    return selection, [w.message.finding.code for w in caught if issubclass(w.category, devicekit.DeviceWarning)]
"""
KERAS = """
import keras, torch
def where(*tensors): return sorted({str(getattr(tensor, "value", tensor).device) for tensor in tensors})
def here(): return where(keras.ops.ones(2), keras.Variable([1.0]), keras.random.normal((2,)))
def build():
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.layers.Dense(4), keras.layers.BatchNormalization(), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model
x = np.random.RandomState(0).rand(32, 3).astype("float32")
y = x.sum(axis=1, keepdims=True) + 5
def trained(model):
    losses = model.fit(x, y, epochs=2, verbose=0).history["loss"]
    return where(*model.variables, *model.optimizer.variables, model(x)) + [losses[1] < losses[0]]
"""
#: A plan for a device that the facts of a machine do not promise, carried out as `auto` carries out its own.
CARRY_OUT = """
from devicekit.runtime.apply import apply_plan
from devicekit.runtime.decide import Options
from devicekit.selection.plan import Plan
from devicekit.selection.request import parse_request
def carry_out(*indices, **options):
    text = "gpu:" + ",".join(map(str, indices))
    plan = Plan(parse_request(text), "torch", text, "pluggable", "simulated", indices, reason="asked for")
    return apply_plan(plan, devicekit.detect(), Options(**options))
def elsewhere(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]
"""


@pytest.mark.smoke
def test_without_a_gpu_it_trains_on_the_cpu(program):
    code = """
selection, told = auto()
imported = "keras" in sys.modules
%s
print(json.dumps([selection.to_dict(), told, imported, trained(build()), str(selection)]))
"""
    selection, told, imported, found, text = program(START + code % KERAS, env=ON_TORCH)
    assert (selection["device"], selection["framework"], selection["verified"]) == ("cpu", "torch", True)
    assert (selection["changes"], told, found) == ([], [], ["cpu", True])
    assert not imported  # Keras takes two seconds, and nothing had to be set in it
    assert " with torch: " in text


@pytest.mark.smoke
def test_naming_it_tells_keras(program):
    code = """
selection, told = auto(framework="torch")
import keras
print(json.dumps([keras.backend.backend(), [str(change) for change in selection.changes], told]))
"""
    assert program(START + code, env={"KERAS_BACKEND": None}) == ["torch", ["environment: KERAS_BACKEND = torch"], []]


def test_options(program):
    code = """
selection, told = auto("cpu", seed=7, precision="mixed_bfloat16")
%s
values = [float(keras.random.normal((1,))[0]), torch.rand(1).item()]
keras.utils.set_random_seed(7)
same = values == [float(keras.random.normal((1,))[0]), torch.rand(1).item()]
print(json.dumps([[str(change) for change in selection.changes], keras.mixed_precision.dtype_policy().name, same]))
"""
    changes, policy, same = program(START + code % KERAS, env=ON_TORCH)
    assert changes == ["torch: keras dtype policy = mixed_bfloat16", "torch: random seed = 7"]
    assert (policy, same) == ("mixed_bfloat16", True)


def test_scopes_place_variables_operations_and_fit(program, simulated_torch):
    code = """
seen = {}
with devicekit.device_scope("gpu:1") as selection:
    seen["there"], model = here(), build()
    seen["fit"] = trained(model)
    with devicekit.device_scope("cpu"):
        seen["cpu"] = here()
        seen["fit on the cpu"] = trained(build())
    seen["back"] = here()
    try:
        with devicekit.device_scope("gpu:0"):
            raise KeyError
    except KeyError:
        seen["after an error"] = here()
seen["outside"] = here()
with devicekit.device_scope("gpu") as first:
    seen["the first"] = here()
with devicekit.device_scope("/GPU:1"):
    seen["by number"] = here()
seen["afterwards"] = trained(build())
print(json.dumps([seen, selection.to_dict(), first.device]))
"""
    seen, selection, first = program(START + KERAS + code, env=simulated_torch)
    assert seen == {
        "there": ["sim:1"], "fit": ["sim:1", True], "cpu": ["cpu"], "fit on the cpu": ["cpu", True], "back": ["sim:1"],
        "after an error": ["sim:1"], "outside": ["cpu"], "the first": ["sim:0"], "by number": ["sim:1"],
        "afterwards": ["cpu", True],
    }  # fmt: skip
    assert (selection["device"], selection["platform"], selection["fallback"]) == ("gpu:1", "pluggable", False)
    assert first == "gpu:0"


def test_a_device_that_is_not_there(program, simulated_torch):
    code = """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with devicekit.device_scope("gpu:5") as selection:
        place = here()
try:
    with devicekit.device_scope("gpu:5", require=True):
        place = "entered"
except devicekit.DeviceUnavailableError as error:
    message = str(error)
print(json.dumps([place, selection.device, selection.fallback, message]))
"""
    place, device, fallback, message = program(START + KERAS + code, env=simulated_torch)
    assert (place, device, fallback) == (["cpu"], "cpu", True)
    assert "'gpu:5' was required" in message


TASKS = """
import asyncio
async def placed(name, device):
    seen = set()
    for _ in range(5):
        with devicekit.device_scope(device):
            seen.update(here())
            await asyncio.sleep(0)
            seen.update(here())
            with devicekit.device_scope("cpu"):
                await asyncio.sleep(0.001)
                assert here() == ["cpu"]
            seen.update(here())
        assert here() == ["cpu"]
    return sorted(seen)
async def unplaced():
    seen = set()
    for _ in range(20):
        seen.update(here())
        await asyncio.sleep(0.0005)
    return sorted(seen)
async def main():
    found = await asyncio.gather(placed(1, "gpu:1"), unplaced(), placed(0, "gpu:0"))
    return found + [here()]
def work(device, seen):
    for _ in range(50):
        with devicekit.device_scope(device):
            seen.update(here())
sets = {"gpu:0": set(), "gpu:1": set(), "cpu": set()}
threads = [threading.Thread(target=work, args=item) for item in sets.items()]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(json.dumps([asyncio.run(main()), here(), {name: sorted(seen) for name, seen in sets.items()}]))
"""
ALONE = "import torch\ndef here(): return [str(torch.ones(2).device)]\n"


@pytest.mark.parametrize("prelude, backend", [(KERAS, "torch"), (ALONE, None)])
def test_tasks_and_threads_keep_their_devices(program, simulated_torch, prelude, backend):
    tasks, after, threads = program(START + prelude + TASKS, env=dict(simulated_torch, KERAS_BACKEND=backend))
    assert tasks == [["sim:1"], ["cpu"], ["sim:0"], ["cpu"]]
    assert after == ["cpu"]
    assert threads == {"gpu:0": ["sim:0"], "gpu:1": ["sim:1"], "cpu": ["cpu"]}


def test_the_default_device_is_set_for_keras_in_all_threads(program, simulated_torch):
    code = """
selection = carry_out(1)
%s
seen = [here(), elsewhere(here), trained(build())]
with devicekit.device_scope("cpu"):
    seen.append(here())
print(json.dumps([seen, [str(change) for change in selection.changes], selection.verified, os.environ["KERAS_TORCH_DEVICE"]]))
"""
    seen, changes, verified, variable = program(START + CARRY_OUT + code % KERAS, env=simulated_torch)
    assert seen == [["sim:1"], ["sim:1"], ["sim:1", True], ["cpu"]]
    assert (changes, verified, variable) == (["torch: default device of Keras = sim:1"], True, "sim:1")


@pytest.mark.parametrize("fault, code", [("raise", "driver-unhealthy"), ("wrong", "numerics-divergent")])
def test_a_device_that_fails_falls_back_for_real(program, simulated_torch, fault, code):
    program_text = """
selection = carry_out(0)
%s
print(json.dumps([selection.to_dict(), here(), elsewhere(here), trained(build())]))
"""
    selection, place, other, found = program(
        START + CARRY_OUT + program_text % KERAS, env=dict(simulated_torch, DEVICEKIT_SIM_FAULT=fault)
    )
    assert (selection["device"], selection["fallback"], selection["verified"]) == ("cpu", True, True)
    assert selection["findings"][0]["code"] == code
    assert (place, other, found) == (["cpu"], ["cpu"], ["cpu", True])


#: An operation that a stage of the self-test is the first to run.
FIRST = {
    "product": "mm",
    "elementwise": "tanh",
    "random": "uniform_",
    "convolution": "convolution",
    "train": "tanh_backward",
}
ENDINGS = {"raise": "raised", "wrong": "wrong", "crash": "died", "abort": "died", "hang": "hung"}


def test_a_fault_is_seen_at_its_stage(program, simulated_torch):
    # Wrong values at each stage, the other endings at some: tests/selftest/test_stages.py has all, without a framework.
    # The limit of what hangs leaves time for the import.
    cases = [("wrong", stage) for stage in FIRST] + [("raise", "product"), ("raise", "train"), ("crash", "elementwise")]
    cases += [("crash", "convolution"), ("abort", "random"), ("hang", "convolution")]
    faults = ["%s@%s" % (fault, FIRST[stage]) for fault, stage in cases]
    limits = [(fault, 15.0) if fault.startswith("hang") else fault for fault in faults]
    task = {"framework": "torch", "plugins": {"device_type": "sim"}}
    found = stages(program, "DEVICEKIT_SIM_FAULT", task, ["", "gradient", *limits], env=simulated_torch)
    right = [(fault, ENDINGS[kind], stage, "sim:0") for fault, (kind, stage) in zip(faults, cases)]
    works, gradient = ("", "works", "train", "sim:0"), ("gradient", "wrong", "convolution", "sim:0")
    assert found == [works, gradient, *right]


def test_the_user_s_variable_for_keras_wins(program, simulated_torch):
    code = """
selection = carry_out(1)
%s
said = " ".join(item.text for item in selection.findings[0].evidence)
print(json.dumps([selection.device, "KERAS_TORCH_DEVICE" in said, here(), os.environ["KERAS_TORCH_DEVICE"]]))
"""
    found = program(START + CARRY_OUT + code % KERAS, env=dict(simulated_torch, KERAS_TORCH_DEVICE="cpu"))
    assert found == ["cpu", True, ["cpu"], "cpu"]


def test_memory_limits_are_refused_where_there_are_none(program, simulated_torch):
    code = """
selection = carry_out(0, memory=1 << 20)
print(json.dumps([selection.device, selection.verified, [finding.code for finding in selection.findings]]))
"""
    device, verified, codes = program(START + CARRY_OUT + code, env=simulated_torch)
    assert (device, verified) == ("gpu:0", True)
    assert "setting-invalid" in codes


def test_pytorch_alone_keeps_its_own_default(program, simulated_torch):
    """Its programs name their devices; under another default a shuffled DataLoader would fail."""
    code = """
selection = carry_out(1, seed=3)
import torch
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(8, 2)), batch_size=4, shuffle=True)
batches = [len(batch[0]) for batch in loader]
seen = [str(torch.ones(2).device), str(torch.ones(2, device="sim").device)]
with devicekit.device_scope():
    model = torch.nn.Linear(2, 1)
    seen += [str(model.weight.device), str(model(torch.ones(3, 2)).device)]
    with devicekit.device_scope("cpu"):
        seen.append(str(torch.ones(2).device))
with devicekit.device_scope("gpu:0"):
    seen.append(str(torch.ones(2).device))
print(json.dumps([batches, seen, [str(change) for change in selection.changes], "keras" in sys.modules]))
"""
    batches, seen, changes, imported = program(START + CARRY_OUT + code, env=dict(simulated_torch, KERAS_BACKEND=None))
    assert batches == [4, 4]
    assert seen == ["cpu", "sim:1", "sim:0", "sim:0", "cpu", "sim:0"]
    assert changes == ["torch: sim.set_device = 1", "torch: random seed = 3"]
    assert not imported
