"""`compare` of Keras models on PyTorch, with a device made of host memory."""

from compare_models import CLEAN, DRAWING, FAULTS, TORCH, check_faults


def test_planted_faults_are_named_with_their_layer_and_no_other(program, simulated_torch):
    found = program(TORCH + FAULTS + "print(json.dumps(plant('gpu:0')))", env=simulated_torch)
    assert len(found) == 5
    check_faults(found)


def test_models_without_a_fault_raise_nothing(program):
    code = """
for seed, name in enumerate(("dense", "recurrent", "attention", "subclassed")):
    keras.utils.set_random_seed(seed)
    model = MODELS[name]()
    before = [np.array(item) for item in model.get_weights()]
    comparison = devicekit.compare(model, inputs_of(name, seed), devices="cpu", seed=seed)
    assert all(np.array_equal(a, b) for a, b in zip(before, model.get_weights()))
    # The reference is in float64 indeed: Keras's own rules would make float32 of products.
    errors = [item.measure.max_relative_error for item in comparison.differences if item.operation == "Dense"]
    assert not errors or max(errors) > 0
    assert comparison.agrees and not comparison.findings, (name, named(comparison, "cpu"))
print(json.dumps(comparison.reference))
"""
    assert program(TORCH + FAULTS + CLEAN + code, env={"KERAS_BACKEND": "torch"}).startswith(
        "cpu in float64 with torch"
    )


def test_a_softmax_that_is_sure_of_every_answer_is_not_accused_but_a_wrong_one_is(program):
    code = """
def judged(scale):
    keras.utils.set_random_seed(3)
    last = L.Dense(5, activation="softmax", name="last")
    model = keras.Sequential([keras.Input((16,)), last])
    last.kernel.assign(scale * np.random.RandomState(1).normal(size=(16, 5)))
    inputs = np.random.RandomState(2).normal(size=(3, 16)).astype("float32")
    return [item[0] for item in named(devicekit.compare(model, inputs, devices="cpu", seed=5), "cpu").get("last", [])]

sure = [judged(scale) for scale in (3.0, 4.0, 8.0)]
right = torch.nn.functional.softmax
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(context, x, dim):
        y = right(x, dim=dim)
        context.dim = dim
        context.save_for_backward(y)
        return y
    @staticmethod
    def backward(context, up):
        y, = context.saved_tensors
        return 1.5 * y * (up - (up * y).sum(context.dim, keepdim=True)), None
torch.nn.functional.softmax = lambda x, dim=None, **options: (
    Wrong.apply(x, dim) if x.dtype == torch.float32 else right(x, dim=dim)
)
print(json.dumps([sure, judged(0.3)]))
"""
    sure, wrong = program(TORCH + FAULTS + code, env={"KERAS_BACKEND": "torch"}, timeout=300)
    assert sure == [[], [], []]
    assert wrong == ["gradient of input 0", "gradient of kernel", "gradient of bias"]


def test_a_layer_that_draws_random_numbers_in_inference_is_not_compared(program):
    code = "print(json.dumps([drawing(seed) for seed in ('held', None, 3)]))"
    found = program(TORCH + FAULTS + DRAWING + code, env={"KERAS_BACKEND": "torch"})
    assert found == [[True, "not-compared", "agrees"]] * 3


def test_a_hidden_softmax_that_is_sure_is_not_accused(program):
    code = """
keras.utils.set_random_seed(3)
wide = keras.initializers.RandomNormal(0, 100)
model = keras.Sequential([keras.Input((8,)), L.Dense(8, "softmax", kernel_initializer=wide), L.Dense(5)])
inputs = np.random.RandomState(0).normal(size=(16, 8)).astype("float32")
comparison = devicekit.compare(model, inputs, devices="cpu", seed=3)
print(json.dumps([finding.summary for finding in comparison.findings]))
"""
    assert program(TORCH + FAULTS + code, env={"KERAS_BACKEND": "torch"}, timeout=300) == []


def test_the_reference_of_a_model_takes_its_inputs_in_float64(program):
    code = """
from devicekit.measure.numerics.layers.clone import again_whole
from devicekit.runtime.frameworks.keras_model import keras_of
one, other = keras.Input((3,), name="one"), keras.Input((3,), name="other", dtype="int32")
inner = keras.Sequential([keras.Input((3,)), L.Dense(2)])
model = keras.Model({"one": one, "other": other}, inner(one) + ops.cast(other[:, :2], "float32"))
copy = again_whole(model, keras_of(model), {}, True)
nested = [item.inputs[0].dtype for item in copy.layers if isinstance(item, keras.Sequential)]
print(json.dumps([{name: [item.name, item.dtype] for name, item in copy.input.items()}, nested]))
"""
    inputs, nested = program(TORCH + FAULTS + code, env={"KERAS_BACKEND": "torch"})
    assert inputs == {"one": ["one", "float64"], "other": ["other", "int32"]}
    assert nested == ["float64"]
