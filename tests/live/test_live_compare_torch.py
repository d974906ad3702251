"""`compare` of Keras models on PyTorch, with a device made of host memory."""

from compare_models import CLEAN, FAULTS, TORCH, check_faults


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
