"""`auto()` and `device_scope` on the real JAX, with Keras on it; arrays say on which of four processors they are."""

import importlib.util
import os

import pytest
from selftest_prelude import stages

FOUR = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "KERAS_BACKEND": "jax", "TF_CPP_MIN_LOG_LEVEL": "3"}
ON_JAX = {"KERAS_BACKEND": "jax"}
has_tensorflow = importlib.util.find_spec("tensorflow") is not None

AUTO = """
import json, os, sys, warnings
import devicekit
assert "jax" not in sys.modules
def auto(*arguments, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selection = devicekit.auto(*arguments, **options)
    told = [w.message.finding.code for w in caught if issubclass(w.category, devicekit.DeviceWarning)]
    return selection, told
"""
WHERE = """
import json, sys, threading
import numpy as np
import jax
import devicekit
def where(*arrays): return sorted({"cpu:%d" % device.id for array in arrays for device in array.devices()})
def here(): return where(jax.numpy.ones(2))[0]
"""
MODEL = """
import keras
def build():
    layers = [keras.layers.Dense(4, activation="relu"), keras.layers.Dropout(0.1), keras.layers.Dense(1)]
    model = keras.Sequential(layers)
    model.compile("adam", "mse")
    return model
x, y = np.ones((32, 3), "float32"), np.ones((32, 1), "float32")
def arrays(model): return [variable.value for variable in model.variables + model.optimizer.variables]
"""


@pytest.mark.smoke
def test_without_a_gpu_it_trains_on_the_cpu(program):
    code = """
selection, told = auto()
import keras, numpy as np
model = keras.Sequential([keras.layers.Dense(4), keras.layers.Dense(1)])
model.compile("sgd", "mse")
losses = model.fit(np.ones((8, 3), "float32"), np.ones((8, 1), "float32"), epochs=2, verbose=0).history["loss"]
print(json.dumps([selection.to_dict(), told, keras.backend.backend(), losses[1] < losses[0], str(selection)]))
"""
    selection, told, backend, learned, text = program(AUTO + code, env=ON_JAX)
    assert (selection["device"], selection["framework"], selection["verified"]) == ("cpu", "jax", True)
    assert (selection["fallback"], selection["changes"], told) == (False, [], [])
    assert "no-gpu" in [finding["code"] for finding in selection["findings"]]
    assert (backend, learned) == ("jax", True)
    assert " with jax: " in text


def test_naming_it_tells_keras(program):
    code = """
selection, told = auto(framework="jax")
import keras
print(json.dumps([keras.backend.backend(), [str(change) for change in selection.changes], told]))
"""
    assert program(AUTO + code, env={"KERAS_BACKEND": None}) == ["jax", ["environment: KERAS_BACKEND = jax"], []]


def test_the_user_s_variable_stays(program):
    code = """
selection, told = auto(framework="jax")
print(json.dumps([os.environ["KERAS_BACKEND"], selection.framework, [str(change) for change in selection.changes], told]))
"""
    found = program(AUTO + code, env={"KERAS_BACKEND": "torch"})
    assert found[:3] == ["torch", "jax", []]
    assert "keras-backend-differs" in found[3]


def test_keras_json_names_it(program, tmp_path):
    (tmp_path / "keras.json").write_text('{"backend": "jax", "floatx": "float32"}')
    code = AUTO + "print(json.dumps(auto()[0].framework))"
    assert program(code, env={"KERAS_BACKEND": None, "KERAS_HOME": str(tmp_path)}) == "jax"


def test_what_is_imported_is_meant(program):
    code = """
import json, keras, devicekit
modules = {module.name: module.backend for module in devicekit.detect().process.modules}
print(json.dumps([modules["keras"], devicekit.select_device().framework, devicekit.auto().framework]))
"""
    assert program(code, env=ON_JAX) == ["jax", "jax", "jax"]


def test_any_stays_with_the_meant_one_where_no_other_is_better(program):
    found = program(
        AUTO + "print(json.dumps([auto(framework='any')[0].framework, os.environ['KERAS_BACKEND']]))", env=ON_JAX
    )
    assert found == ["jax", "jax"]


def test_require_raises_with_the_same_findings(program):
    code = """
fallback, _ = auto("gpu")
try:
    devicekit.auto("gpu", require=True)
except devicekit.DeviceUnavailableError as error:
    print(json.dumps([error.findings == fallback.findings, fallback.fallback, str(error)]))
"""
    same, fallback, message = program(AUTO + code, env=ON_JAX)
    assert same
    assert fallback
    assert "'gpu' was required, only cpu can be used" in message


def test_options(program):
    code = """
selection, told = auto("cpu", seed=7, precision="mixed_bfloat16")
import keras, random
values = [float(keras.random.normal((1,))[0]), random.random()]
print(json.dumps([[str(change) for change in selection.changes], keras.mixed_precision.dtype_policy().name, values]))
"""
    changes, policy, values = program(AUTO + code, env=ON_JAX)
    assert changes == ["jax: keras dtype policy = mixed_bfloat16", "jax: random seed = 7"]
    assert policy == "mixed_bfloat16"
    assert program(AUTO + code, env=ON_JAX)[2] == values


def test_without_a_check_a_program_can_still_set_the_devices_up(program):
    code = """
from jax._src import xla_bridge
selection = devicekit.auto("cpu", verify="never")
print(json.dumps([selection.verified, xla_bridge.backends_are_initialized()]))
"""
    assert program(AUTO.replace("def auto", "import jax\ndef auto") + code, env=ON_JAX) == [None, False]


@pytest.mark.smoke
def test_scope_places_variables_operations_and_fit(program):
    code = """
seen = {}
with devicekit.device_scope("cpu:2") as selection:
    seen["operation"], seen["jit"] = here(), where(jax.jit(lambda v: v @ v)(np.ones((2, 2), "float32")))
    seen["keras"] = where(keras.ops.ones(2), keras.Variable(1.0).value, keras.random.normal((2,)))
    model = build()
    model.fit(x, y, epochs=2, verbose=0)
    seen["fit"] = where(*arrays(model))
    seen["predict"] = where(model(x))
    model.evaluate(x, y, verbose=0)
    seen["afterwards"] = where(*arrays(model))
model = build()
model.fit(x, y, verbose=0)
seen["outside"] = where(*arrays(model))
print(json.dumps([seen, selection.device, selection.framework, selection.fallback]))
"""
    seen, device, framework, fallback = program(WHERE + MODEL + code, env=FOUR)
    assert seen == {
        "operation": "cpu:2", "jit": ["cpu:2"], "keras": ["cpu:2"], "fit": ["cpu:2"], "predict": ["cpu:2"],
        "afterwards": ["cpu:2"], "outside": ["cpu:0"],
    }  # fmt: skip
    assert (device, framework, fallback) == ("cpu:2", "jax", False)


def test_the_training_step_really_runs_there(program):
    """A compiled step asks where it is from inside: a callback gets the device's own arrays."""
    code = """
seen = set()
class Watch(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        seen.update(where(*arrays(self.model)))
with devicekit.device_scope("cpu:3"):
    model = build()
    model.fit(x, y, batch_size=8, epochs=2, verbose=0, callbacks=[Watch()])
    text = jax.jit(lambda v: v @ v).lower(jax.numpy.ones((2, 2))).compile().runtime_executable().local_devices()
print(json.dumps([sorted(seen), [device.id for device in text]]))
"""
    watched, compiled = program(WHERE + MODEL + code, env=FOUR)
    assert set(watched) <= {"cpu:3"}
    assert compiled == [3]


def test_nesting_restoring_and_names(program):
    code = """
seen = {}
with devicekit.device_scope("cpu:1"):
    with devicekit.device_scope("/CPU:2"):
        seen["nested"] = here()
    seen["restored"] = here()
    with jax.default_device(jax.devices()[3]):
        seen["JAX's own"] = here()
    try:
        with devicekit.device_scope("cpu"):
            raise KeyError
    except KeyError:
        seen["after an error"] = here()
seen["outside"] = here()
scope = devicekit.device_scope("cpu:1")
with scope:
    with scope:
        seen["entered twice"] = here()
    seen["left once"] = here()
seen["left twice"] = here()
with devicekit.device_scope("cpu:9") as selection:
    seen["not there"] = [here(), selection.device, selection.fallback]
print(json.dumps(seen))
"""
    assert program("import warnings; warnings.simplefilter('ignore')" + WHERE + code, env=FOUR) == {
        "nested": "cpu:2", "restored": "cpu:1", "JAX's own": "cpu:3", "after an error": "cpu:1", "outside": "cpu:0",
        "entered twice": "cpu:1", "left once": "cpu:1", "left twice": "cpu:0", "not there": ["cpu:0", "cpu", True],
    }  # fmt: skip


def test_threads_and_decorators(program):
    code = """
import asyncio
shared = devicekit.device_scope("cpu:1")
seen, errors = [set() for _ in range(4)], []
def work(number, scope, repeat):
    try:
        for _ in range(repeat):
            with scope or devicekit.device_scope("cpu:%d" % number):
                seen[number].add(here())
    except Exception as error:
        errors.append(repr(error))
jobs = [(0, None, 200), (2, None, 200), (1, shared, 200), (1, shared, 200)]
threads = [threading.Thread(target=work, args=job) for job in jobs]
[thread.start() for thread in threads]; [thread.join() for thread in threads]
@devicekit.device_scope("cpu:3")
def function(): return here()
@devicekit.device_scope("cpu:3")
def generator():
    got = yield here()
    yield [got, here()]
@devicekit.device_scope("cpu:2")
async def coroutine():
    await asyncio.sleep(0)
    return here()
steps = generator()
decorated = [function(), next(steps), here(), steps.send("sent"), here(), asyncio.run(coroutine()), here()]
print(json.dumps([[sorted(item) for item in seen[:3]], errors, here(), decorated]))
"""
    placed, errors, outside, decorated = program(WHERE + code, env=FOUR)
    assert (placed, errors, outside) == ([["cpu:0"], ["cpu:1"], ["cpu:2"]], [], "cpu:0")
    assert decorated == ["cpu:3", "cpu:3", "cpu:0", ["sent", "cpu:3"], "cpu:0", "cpu:2", "cpu:0"]


def test_tasks_keep_their_devices_across_await(program):
    code = """
import asyncio
async def placed(number, repeat):
    seen = set()
    for _ in range(repeat):
        with devicekit.device_scope("cpu:%d" % number):
            seen.add(here())
            await asyncio.sleep(0)
            seen.add(here())
            with devicekit.device_scope("cpu:0"):
                await asyncio.sleep(0)
                seen.add("inner " + here())
            seen.add(here())
        seen.add("outside " + here())
    return sorted(seen)
async def plain(repeat):
    seen = set()
    for _ in range(repeat):
        await asyncio.sleep(0)
        seen.add(here())
    return sorted(seen)
async def everything():
    return await asyncio.gather(placed(1, 20), plain(60), placed(2, 20), placed(3, 20))
with devicekit.device_scope("cpu:3"):
    inside = asyncio.run(everything())
outside = asyncio.run(everything())
print(json.dumps([inside, outside, here()]))
"""
    inside, outside, after = program(WHERE + code, env=FOUR)
    for found, base in ((inside, "cpu:3"), (outside, "cpu:0")):
        rest = ["inner cpu:0", "outside " + base]
        assert found == [["cpu:1", *rest], [base], ["cpu:2", *rest], ["cpu:3", *rest]]
    assert after == "cpu:0"


def test_the_default_of_the_whole_process(program):
    code = """
selection = devicekit.auto("cpu:2")
seen = []
thread = threading.Thread(target=lambda: seen.append(here()))
thread.start(); thread.join()
model = build()
model.fit(x, y, verbose=0)
with devicekit.device_scope() as inner:
    default = [here(), inner.device]
again = devicekit.auto("cpu")
changes = [str(change) for change in selection.changes + again.changes]
print(json.dumps([selection.device, where(*arrays(model)), seen, default, changes, here()]))
"""
    device, fitted, seen, default, changes, after = program(WHERE + MODEL + code, env=FOUR)
    assert (device, fitted, seen, default, after) == ("cpu:2", ["cpu:2"], ["cpu:2"], ["cpu:2", "cpu:2"], "cpu:0")
    assert [change.partition(" = ")[0] for change in changes] == ["jax: jax_default_device"] * 2
    code = "selection = devicekit.auto('cpu:9')\nprint(json.dumps([selection.device, here(), selection.verified]))"
    assert program(WHERE + code, env=FOUR) == ["cpu", "cpu:0", True]


def test_platforms_that_cannot_start(program):
    """JAX_PLATFORMS asks for CUDA alone, and there is none: every operation of JAX would raise."""
    code = """
selection, told = auto(%s)
import jax, keras, numpy as np
model = keras.Sequential([keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones((4, 3), "float32"), np.ones((4, 1), "float32"), verbose=0)
changes = [str(change) for change in selection.changes]
print(json.dumps([selection.device, selection.verified, selection.fallback, told, changes, jax.default_backend()]))
"""
    environ = {"KERAS_BACKEND": "jax", "JAX_PLATFORMS": "cuda"}
    for request, fallback in (("", True), ("'cpu'", False)):
        device, verified, fell, told, changes, backend = program(AUTO + code % request, env=environ)
        assert (device, verified, fell, backend) == ("cpu", True, fallback, "cpu")
        assert "jax: jax_platforms = cpu" in changes
        assert told == ["environment-variable-fatal"]
    code = """
import warnings
warnings.simplefilter("ignore")
with devicekit.device_scope("cpu") as selection:
    print(json.dumps([here(), selection.device]))
"""
    assert program(WHERE + code, env=environ) == ["cpu:0", "cpu"]


def test_a_broken_jaxlib(program, tmp_path):
    (tmp_path / "jaxlib").mkdir()
    (tmp_path / "jaxlib" / "__init__.py").write_text("raise ImportError('the library is damaged')")
    code = "selection, told = auto()\nprint(json.dumps([selection.to_dict(), told]))"
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    selection, told = program(AUTO + code, env={"KERAS_BACKEND": "jax", "PYTHONPATH": path})
    assert (selection["device"], selection["verified"], selection["framework"]) == ("cpu", False, "jax")
    assert selection["findings"][0]["severity"] == "error"
    assert "jax" in selection["findings"][0]["blocks"]
    assert told


ADAPTER = """
import json, os, sys
import jax
from devicekit.runtime.frameworks import adapter
from devicekit.selection.request import parse_request
tool = adapter("jax")
def tried(function, *arguments):
    try:
        result = function(*arguments)
    except Exception as error:
        return "%s: %s" % (type(error).__name__, error)
    return [str(item) for item in result] if isinstance(result, list) else result and str(result)
"""


def test_memory_and_visible_devices_are_set_before_the_devices_start(program):
    code = """
seen = [tool.initialized(), tool.accelerators(), tried(tool.set_visible, (1, 2)), tried(tool.set_visible, (0,))]
seen += [tried(tool.set_memory, "grow"), tried(tool.set_memory, 6 << 30, 24 << 30), tried(tool.set_memory, 6 << 30)]
seen += [tried(tool.set_memory, 6 << 30, 24 << 30), tool.initialized()]
names = "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_MEM_FRACTION"
print(json.dumps([seen, [os.environ.get(name) for name in names]]))
"""
    seen, environ = program(ADAPTER + code, env=ON_JAX)
    visible = "jax: jax_cuda_visible_devices, jax_rocm_visible_devices = 1,2"
    grows = "environment: XLA_PYTHON_CLIENT_PREALLOCATE = false"
    limit = "environment: XLA_PYTHON_CLIENT_MEM_FRACTION = 0.2500"
    unknown = "LookupError: JAX takes a part of the device's memory, and how much that has is not known"
    again = visible.replace("1,2", "0")  # what an earlier call has set is not the user's
    assert seen == [False, None, visible, again, [grows], [limit], unknown, [], False]
    assert environ == ["false", "0.2500"]
    kept = "print(json.dumps([tried(tool.set_visible, (0,)), tried(tool.set_memory, 'grow')]))"
    users = {"XLA_PYTHON_CLIENT_PREALLOCATE": "true", "KERAS_BACKEND": "jax"}
    assert program(ADAPTER + "jax.config.update('jax_cuda_visible_devices', '3')\n" + kept, env=users) == [None, []]


def test_what_comes_too_late_says_so(program):
    code = """
jax.devices()
seen = [tried(tool.set_visible, (0,)), tried(tool.set_memory, "grow"), tried(tool.set_default, (0,))]
print(json.dumps(seen + [tried(tool.set_visible, ())]))
"""
    visible, memory, default, hidden = program(ADAPTER + code, env=ON_JAX)
    assert visible.startswith("RuntimeError: JAX was started with ")
    assert memory == "RuntimeError: JAX reads XLA_PYTHON_CLIENT_PREALLOCATE when it starts its devices"
    assert default.startswith("LookupError: JAX lists ")
    assert hidden is None


#: What would be planned on a machine that seems to have a GPU.
PLAN = """
import json, os, sys
import devicekit
from devicekit.runtime.apply import apply_plan
from devicekit.runtime.decide import Options
from devicekit.selection.plan import Plan
def carry_out(**options):
    plan = Plan(parse_request("gpu"), "jax", "gpu:0", "cuda", "L4", (0,))
    selection = apply_plan(plan, devicekit.detect(), Options(**options))
    import jax
    changes = [str(change) for change in selection.changes]
    finding = selection.findings[0]
    place = "cpu:%d" % list(jax.numpy.ones(1).devices())[0].id
    return [selection.device, selection.fallback, selection.verified, finding.code, finding.summary, changes, place]
from devicekit.selection.request import parse_request
"""


def test_a_gpu_that_jax_does_not_list(program):
    code = PLAN + "print(json.dumps(carry_out()))"
    device, fallback, verified, code, summary, changes, place = program(code, env=ON_JAX)
    assert (device, fallback, verified, code, place) == ("cpu", True, True, "driver-unhealthy", "cpu:0")
    assert summary == "JAX does not list the gpu:0 (L4) that this machine seems to have."
    assert changes[0] == "jax: jax_cuda_visible_devices, jax_rocm_visible_devices = 0"
    assert "jax: runtime = reset after a failed operation" in changes


def test_devices_that_were_started_before(program):
    code = (
        PLAN
        + "import jax; jax.devices(); mine = jax.numpy.ones(3)\nprint(json.dumps(carry_out() + [float(mine.sum())]))"
    )
    device, fallback, verified, code, summary, changes, place, kept = program(code, env=ON_JAX)
    assert (device, fallback, verified, code, place) == ("cpu", True, None, "runtime-already-initialized", "cpu:0")
    assert summary.startswith("JAX had initialized its devices before devicekit was called: 'gpu:0' cannot be set up")
    assert (changes, kept) == ([], 3.0)


def test_the_trial_in_a_child(program):
    code = """
import json
from devicekit.runtime.trial.result import DeviceTask
from devicekit.runtime.trial.run import try_device
seen = []
for index, environment in ((None, ()), (0, ()), (None, (("JAX_PLATFORMS", "cuda"),))):
    trial = try_device(DeviceTask(index, framework="jax"), environment=environment)
    seen.append([trial.outcome, trial.stage, trial.error, any("jaxlib" in path for path in trial.files)])
print(json.dumps(seen))
"""
    works, missing, fails = program(code, env=ON_JAX)
    assert works == ["works", "list", "", True]
    assert missing == ["raised", "list", "NoDevice", False]
    assert fails[:2] == ["raised", "list"]


#: JAX imports what is in `jax_plugins` when it starts its devices. This one compiles one primitive in its own way.
PLANTED = """
import os, signal, time
def initialize():
    import jax
    from jax.extend.random import threefry2x32_p
    from jax.interpreters import mlir
    kind, _, name = os.environ["PLANTED"].partition("@")
    def compiled(context, *operands, **parameters):
        if kind == "raise":
            raise RuntimeError("XLA cannot compile")
        if kind == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if kind == "hang":
            time.sleep(600)
        return operands[-len(context.avals_out):]  # wrong: what it was given
    if name:
        primitive = threefry2x32_p if name == "threefry2x32" else getattr(jax.lax, name + "_p")
        mlir.register_lowering(primitive, compiled, platform="cpu")
"""


def test_a_fault_is_seen_at_its_stage(program, tmp_path):
    folder = tmp_path / "plugins" / "jax_plugins" / "planted"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(PLANTED)
    first = {"product": "dot_general", "elementwise": "tanh", "random": "threefry2x32", "train": "integer_pow"}
    cases = [(fault, stage, first[stage]) for stage in first for fault in ("raise", "crash", "wrong")]
    # What a convolution is given has another shape than its result.
    cases += [(fault, "convolution", "conv_general_dilated") for fault in ("raise", "crash", "hang")]
    faults = ["%s@%s" % (fault, name) for fault, _, name in cases]
    limits = [(fault, 20.0) if fault.startswith("hang") else fault for fault in faults]
    task = {"framework": "jax", "plugins": {"device_type": "cpu"}}
    path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(tmp_path / "plugins"))))
    found = stages(program, "PLANTED", task, ["", *limits], env=dict(ON_JAX, PYTHONPATH=path))
    endings = {"raise": "raised", "wrong": "wrong", "crash": "died", "hang": "hung"}
    right = [(fault, endings[kind], stage) for fault, (kind, stage, _) in zip(faults, cases)]
    assert [row[:3] for row in found] == [("", "works", "train"), *right]


@pytest.mark.skipif(not has_tensorflow, reason="needs TensorFlow next to JAX")
def test_both_scopes_in_one_event_loop(program):
    code = """
import asyncio
import tensorflow as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration() for _ in range(3)])
def there(): return tf.add(1.0, 1.0).device.rpartition("device:")[2]
async def placed(framework, number, ask):
    seen = set()
    for _ in range(10):
        with devicekit.device_scope("cpu:%d" % number, framework=framework):
            await asyncio.sleep(0)
            seen.add(ask())
    return sorted(seen)
async def everything():
    return await asyncio.gather(placed("jax", 1, here), placed("tensorflow", 2, there), placed("jax", 3, here))
print(json.dumps([asyncio.run(everything()), here(), there()]))
"""
    assert program(WHERE + code, env=FOUR) == [[["cpu:1"], ["CPU:2"], ["cpu:3"]], "cpu:0", "CPU:0"]


@pytest.mark.skipif(not has_tensorflow, reason="needs TensorFlow next to JAX")
def test_tensorflow_stays_out_where_jax_is_meant(program):
    code = "selection, _ = auto(framework='jax')\nprint(json.dumps([selection.framework, 'tensorflow' in sys.modules]))"
    assert program(AUTO + code, env={"KERAS_BACKEND": None}) == ["jax", False]
    # TensorFlow imports JAX, where that is installed (tensorflow/lite): it is the selected one all the same.
    code = "first = auto()[0].framework\nprint(json.dumps([first, devicekit.select_device().framework]))"
    assert program(AUTO + code, env={"KERAS_BACKEND": None}) == ["tensorflow", "tensorflow"]
