"""The suite's operations and plain functions on the real PyTorch; devices of host memory stand for GPUs."""

import engines_prelude
import functions_prelude

PLAIN = {"KERAS_BACKEND": "torch"}
FUNCTIONS = 'OTHER = "gpu:1"\n' + functions_prelude.PRELUDE + "import torch\nimport torch.nn.functional as F\n"


def test_every_operation_agrees_with_float64(program):
    code = """
made = engine("torch")
missing = set(KINDS) - set(made.kinds())
print(json.dumps([sorted(missing), *checked(made, select(), "cpu:0")]))
"""
    missing, wrong, largest = program(engines_prelude.PRELUDE + code, env=PLAIN)
    assert (missing, wrong) == ([], [])
    assert 0 < largest < 1


def test_it_says_where_it_ran_and_leaves_switches_alone(program, simulated_torch):
    code = """
import torch
before = torch.backends.cudnn.allow_tf32, torch.get_float32_matmul_precision(), torch.is_warn_always_enabled()
made = engine("torch")
operation = select("matmul odd*")[0]
found = made.run(operation, arrays(operation, 0), "float32", "sim:1", 0)
after = torch.backends.cudnn.allow_tf32, torch.get_float32_matmul_precision(), torch.is_warn_always_enabled()
absent = made.run(operation, arrays(operation, 0), "float32", "meta", 0)
print(json.dumps([made.devices(), made.device_name("gpu:1"), found.ran_on, found.error, before == after, absent.error != ""]))
"""
    devices, name, ran_on, error, same, absent = program(engines_prelude.PRELUDE + code, env=simulated_torch)
    assert devices == ["cpu:0", "sim:0", "sim:1"]
    assert (name, ran_on, error, same, absent) == ("sim:1", "sim:1", "", True, True)


FAULTS = """
def there(tensor): return tensor.device.type == "sim"
class Halved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, y):
        result = torch.tanh(y)
        ctx.save_for_backward(result)
        return result
    @staticmethod
    def backward(ctx, up):
        (result,) = ctx.saved_tensors
        return up * (1 - result**2) * (0.5 if there(up) else 1.0)
class Reduced(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        if not there(a):
            return a @ b
        return torch.from_numpy(rounded(a.cpu().numpy(), 10) @ rounded(b.cpu().numpy(), 10)).to(a.device)
    @staticmethod
    def backward(ctx, up):
        a, b = ctx.saved_tensors
        return up @ b.T, a.T @ up
def padded(a, k):
    a = F.pad(a.permute(0, 3, 1, 2), (2, 0, 2, 0) if there(a) else (1, 1, 1, 1))
    return F.conv2d(a, k.permute(3, 2, 0, 1)).permute(0, 2, 3, 1)
def silent(a):
    a = a.clone()
    if there(a):
        a[3, 5] = float("nan")
    return a
seen = {
    "wrong gradient": found(lambda y: Halved.apply(y), torch.tensor(x, dtype=torch.float32)),
    "reduced precision": found(lambda a, b: Reduced.apply(a, b), x, torch.tensor(w, dtype=torch.float32)),
    "padding": found(padded, torch.tensor(image, dtype=torch.float32), kernel),
    "silent NaN": found(silent, torch.tensor(x, dtype=torch.float32)),
    "clean": found(torch.nn.Sequential(torch.nn.Linear(64, 8), torch.nn.GELU(), torch.nn.Linear(8, 3)), x),
}
print(json.dumps(seen))
"""


def test_planted_faults_are_named(program, simulated_torch):
    seen = program(FUNCTIONS + FAULTS, env=simulated_torch)
    functions_prelude.check_faults(seen, "gpu:1")
    assert "gradient of 0.weight on gpu:1" in seen["clean"]


CLEAN = """
layer = torch.nn.LSTM(16, 8, batch_first=True)
def mlp(a, b): return torch.softmax(torch.relu(a @ b), -1)
def norm(a): return {"mean": a.mean(), "norm": (a - a.mean(0)) / a.std(0)}
def conv(a, k): return F.max_pool2d(F.conv2d(a.permute(0, 3, 1, 2), k.permute(3, 2, 0, 1), stride=2), 2)
def loss(a, i): return F.cross_entropy(30 * a, i, reduction="none")
def half(a): return F.layer_norm(a.bfloat16(), (64,)).float() * 3
wrong = []
for seed in range(5):
    rng = np.random.RandomState(seed)
    x, w = rng.standard_normal((32, 64)), rng.standard_normal((64, 16))
    image, kernel = rng.standard_normal((2, 9, 9, 3)), rng.standard_normal((3, 3, 3, 4))
    sequence = rng.standard_normal((2, 10, 16))
    for function, inputs in ((mlp, (x, w)), (norm, (x + 10,)), (conv, (image, kernel)), (loss, (x, np.arange(32))),
                             (layer, (sequence,)), (torch.fft.rfft, (torch.tensor(x, dtype=torch.float32),))):
        items = examine_function(function, inputs, ["cpu"], "torch", seed).differences
        wrong += [[seed, item.name, item.what, item.verdict, item.detail] for item in items if item.verdict != "agrees"]
print(json.dumps(wrong))
"""


def test_clean_functions_agree(program):
    assert program(FUNCTIONS + CLEAN, env=PLAIN) == []


def test_references_and_random_functions_and_seeds(program):
    code = """
weights, generator = torch.tensor(w, dtype=torch.float32), torch.Generator()
cases = {
    "its own float32": lambda a: a @ weights, "plain": lambda a: torch.tanh(a), "dropout": lambda a: F.dropout(a),
    "its own generator": lambda a: a + torch.randn((), generator=generator), "wrong": lambda a: torch.no_such_function(a),
}
torch.manual_seed(1)
before, said = torch.get_rng_state(), {}
for name, function in cases.items():
    try:
        said[name] = examine_function(function, (torch.tensor(x, dtype=torch.float32),), ["cpu"]).reference
    except (ValueError, AttributeError) as error:
        said[name] = str(error)
print(json.dumps([said, bool((before == torch.get_rng_state()).all())]))
"""
    said, same = program(FUNCTIONS + code, env=PLAIN)
    assert said["its own float32"].startswith("cpu in float32 with torch, for the function does not take float64")
    assert said["plain"] == "cpu in float64 with torch"
    assert "draws random numbers" in said["dropout"]
    assert "gives another result at every call" in said["its own generator"]
    assert "no_such_function" in said["wrong"]
    assert same


def test_a_closure_that_stays_on_the_processor(program, simulated_torch):
    code = """
weights = torch.tensor(w, dtype=torch.float32)
report = examine_function(lambda a: torch.addmm(torch.zeros(16), a, weights), (x,), ["gpu:0"], "torch")
print(json.dumps([[item.verdict, item.detail] for item in report.differences][:1]))
"""
    ((verdict, detail),) = program(FUNCTIONS + code, env=simulated_torch)
    assert verdict in ("failed", "agrees")  # the simulated device computes in host memory and may take both
    assert verdict == "agrees" or detail
