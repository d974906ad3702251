"""Results as a comparison, a benchmark and a tuning return them, for tests of what shows them."""

from devicekit.diagnosis.findings import Candidate, Diagnosis, Evidence, Finding, Fix, FrameworkStatus, NotEvaluated
from devicekit.measure.benchmark.result import BenchmarkResult
from devicekit.measure.numerics.result import Comparison, Difference, Divergence, Measure
from devicekit.measure.tuning.result import TunedOption, Tuning
from devicekit.selection.selection import Change, Selection
from devicekit.selection.throughput import Throughput

#: What a driver, a file or a model may call itself.
HOSTILE = (
    "<script>document.title='ran'</script>",
    '"><img src=x onerror="document.title=\'ran\'">',
    "javascript:document.title='ran'",
    "'; document.title='ran'; //",
    "</style></svg></title><script>document.title='ran'</script>",
    "{{ 7 * 7 }}{% raw %}",
    "$\\frac{1}{2}$ and $",
    "\x1b[31mred\x00\x07 \u202egnp.exe \ud800 \u4e2d\u6587",
)


def finding(text="", url="https://example.org/"):
    return Finding(
        "numerics-divergent",
        "error",
        "The gradient of dense is wrong on gpu:0." + text,
        (Evidence("max. relative error 2e-3" + text, "comparison" + text),),
        (
            Fix("Train on the CPU" + text, "DEVICEKIT_DEVICE=cpu python train.py --note 'a \"b\" & <c>'" + text),
            Fix("Ask."),
        ),
        ("tensorflow.cuda",),
        url,
    )


def selection(text=""):
    return Selection(
        "cpu", "tensorflow", "cpu", "CPU" + text, True, (finding(text),), (Change("environment", "A" + text, "1" + text),),
        None, "the GPU cannot be used" + text, "auto",
    )  # fmt: skip


def diagnosis(text=""):
    return Diagnosis(
        (finding(text, "javascript:document.title='ran'"),),
        (
            Candidate("gpu:0", "cuda", "GPU" + text, False, ("cudnn-missing",), 8 << 30, remark="perhaps" + text),
            Candidate("cpu", "cpu", "CPU" + text, True),
        ),
        (FrameworkStatus("tensorflow", "2.20.0" + text, False, False, ("CPU:0" + text,), "cudnn-missing"),),
        (NotEvaluated("no-gpu", "lspci" + text),),
    )


def benchmark(text=""):
    rows = [
        Throughput(
            "resnet50" + text, device + text, "tensorflow" + text, "training", precision, xla, 32, "images",
            tuple(32 / (rate * (0.97, 1.0, 1.02, 1.01)[step % 4]) for step in range(12)), (3.0, 0.2),
            runs=(4, 4, 4), memory_peak_bytes=3 << 30, steady=rate > 10, platform="cuda", name="GPU" + text,
        )
        for device, precision, xla, rate in (
            ("cpu", "float32", False, 6.2), ("gpu:0", "float32", False, 410.0), ("gpu:0", "mixed_float16", True, 905.0)
        )
    ]  # fmt: skip
    broken = Throughput(
        "lstm", "gpu:1", "tensorflow", "inference", "float32", None, 32, "sequences", problem="no memory" + text
    )
    return BenchmarkResult((*rows, broken), (finding(text),), 81.2)


def measure(error, tolerance=1e-6, nonfinite=0):
    return Measure("float32", (8, 8), error, error / 9, error * 8e6, 1.0 - error, nonfinite, tolerance)


def comparison(text="", layers=6, devices=("gpu:0",), steps=10):
    differences = []
    for device in devices:
        for layer in range(layers):
            name = "encoder/block_%d/dense%s" % (layer, text)
            for what, kind in (("output", "layer"), ("gradient of kernel", "gradient")):
                differences.append(
                    Difference(
                        kind,
                        name,
                        "Dense" + text,
                        what,
                        device,
                        "tensorflow",
                        "agrees",
                        measure(3e-8),
                        device,
                        depth=layer,
                    )
                )
        differences[-1] = Difference(
            "gradient",
            name,
            "Dense",
            "gradient of kernel",
            device,
            "tensorflow",
            "differs",
            measure(2e-3),
            detail="wrong sign" + text,
        )
        nan = float("nan")
        differences += [
            Difference(
                "layer", "silent", "Lambda", "output", device, "tensorflow", "differs", measure(nan, nonfinite=3)
            ),
            Difference(
                "layer",
                "half",
                "Dense",
                "output",
                device,
                "tensorflow",
                "reduced-precision",
                measure(4e-5),
                arithmetic="tf32",
            ),
            Difference("layer", "exact", "Flatten", "output", device, "tensorflow", "agrees", measure(0.0)),
            Difference("layer", "ctc" + text, "CTC", "output", device, "tensorflow", "unsupported", None, "cpu" + text),
            Difference(
                "layer", "died", "Dense", "output", device, "tensorflow", "failed", None, detail="RuntimeError" + text
            ),
        ]
    trainings = [
        Divergence(
            optimizer + text, devices[0] + text, "tensorflow", tuple(2.3 - 0.02 * step for step in range(steps)),
            tuple(2.3 - 0.02 * step for step in range(steps)), tuple(2e-7 * (1 + rate) ** step for step in range(steps)),
            (0.0,) + (1e-7,) * (steps - 1), (3e-2,) * steps, "differs" if first else "agrees", first, "note" + text,
        )
        for optimizer, rate, first in (("sgd", 0.1, None), ("adam", 0.9, 4))
    ]  # fmt: skip
    return Comparison(
        "cpu in float64 with tensorflow",
        tuple(devices),
        tuple(differences),
        tuple(trainings),
        (finding(text),),
        "model" + text,
    )


def tuning(text=""):
    options = (
        TunedOption(
            "threads", "intra=2 inter=1" + text, 1.31, True, "faster" + text, (("OMP_NUM_THREADS", "2" + text),)
        ),
        TunedOption("onednn", "off", 0.87, False, "slower", (("TF_ENABLE_ONEDNN_OPTS", "0"),)),
        TunedOption("tf32", "on", None, False, "this device has none", (), ("tf.config.experimental",)),
    )
    return Tuning("cpu" + text, "tensorflow", "mlp" + text, options, 1.83, (finding(text),), 60.0)
