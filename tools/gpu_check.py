"""Check devicekit on a machine with a GPU: ``python tools/gpu_check.py [--vendor DIR] [--framework NAME]``.

Needs Python, NumPy and whatever of TensorFlow, JAX, PyTorch and Keras is installed there, and runs from a checkout;
--vendor names a folder with packages that the machine lacks. Everything that touches a GPU runs in a process of its own.
Prints one JSON object: ``checks`` with ``name``, ``passed`` (null: does not apply here, ``seen`` says why) and ``seen``.
Exit status 1 where a check failed. Standard library only.
"""

import argparse
import importlib.util
import json
import os
import platform
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FRAMEWORKS = ("tensorflow", "jax", "torch")
#: What devicekit imports, and how it works without them: the first is needed by every diagnosis.
NEEDS = ("packaging", "platformdirs", "resolvelib", "pynvml")
HIDDEN = {"CUDA_VISIBLE_DEVICES": "-1", "HIP_VISIBLE_DEVICES": "-1"}
LIMIT_S = 300

#: For each framework: what it lists; where a new array is; an array of so many MiB; what it says of its memory.
LISTS = {
    "tensorflow": """
import tensorflow as tf
listed = [device.name for device in tf.config.list_physical_devices() if device.device_type != "CPU"]
""",
    "jax": "import jax\nlisted = [str(d) for d in jax.local_devices() if d.platform != 'cpu']",
    "torch": """
import torch
kinds = ["cuda", "xpu"]
listed = ["%s:%d" % (k, n) for k in kinds if hasattr(torch, k) for n in range(getattr(torch, k).device_count())]
listed += ["mps:0"] if torch.backends.mps.is_available() else []
""",
}
TOOLS = {
    "tensorflow": """
import tensorflow as tf
def array(mib): return tf.zeros((mib, 1 << 18)) + 1.0
def place(value):
    inner = getattr(value, "value", value)
    return (value if callable(inner) else inner).device
""",
    "jax": """
import jax
def array(mib): return jax.block_until_ready(jax.numpy.zeros((mib, 1 << 18)) + 1.0)
def place(value): return str(next(iter(getattr(value, "value", value).devices())))
""",
    "torch": """
import torch
def array(mib):
    if keras is not None: return keras.ops.zeros((mib, 1 << 18)) + 1.0
    kind = listed[0].partition(":")[0] if selection.device != "cpu" else "cpu"
    return torch.zeros((mib, 1 << 18), device=kind) + 1.0
def place(value): return str(getattr(value, "value", value).device)
""",
}
#: A program that has called `auto` and says so.
AUTO = """
import json, os, sys, time, warnings
import devicekit
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    selection = devicekit.auto(framework=%(framework)r, **%(options)r)
codes = [w.message.finding.code for w in caught if issubclass(w.category, devicekit.DeviceWarning)]
seen = {"device": selection.device, "platform": selection.platform, "name": selection.name, "verified": selection.verified,
        "fallback": selection.fallback, "reason": selection.reason, "warnings": codes,
        "changes": [str(change) for change in selection.changes], "findings": [f.code for f in selection.findings]}
keras = None
%(keras)s
%(lists)s
seen["listed"] = listed
%(tools)s
def on_gpu(name): return "cpu" not in name.lower()
def done(passed):
    print(json.dumps({"passed": passed, "seen": seen}))
    sys.stdout.flush()
    os._exit(0)
"""
PLACED = """
seen["array"] = place(array(1))
gpu = selection.device != "cpu"
right = on_gpu(seen["array"]) == gpu
if keras is not None:
    import numpy as np
    x, y = np.ones((64, 8), "float32"), np.ones((64, 1), "float32")
    def fit():
        model = keras.Sequential([keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
        model.compile("adam", "mse", jit_compile=False)
        losses = model.fit(x, y, epochs=2, verbose=0).history["loss"]
        slots = model.optimizer.variables
        weights = list(model.weights) + list(slots() if callable(slots) else slots)
        return sorted({place(weight) for weight in weights}), losses
    seen["fit"], seen["losses"] = fit()
    # TensorFlow keeps an optimizer's counters on the CPU.
    right = right and (any if gpu else all)(on_gpu(name) == gpu for name in seen["fit"])
    right = right and seen["losses"][1] < seen["losses"][0]
done(right)
"""
SCOPED = """
def fresh(): return place(array(1))
if keras is None and "torch" in sys.modules:
    def fresh(): return str(torch.ones(2).device)
with devicekit.device_scope("gpu" if listed else "cpu") as outer:
    seen["outer"] = fresh()
    with devicekit.device_scope("cpu") as inner:
        seen["inner"] = fresh()
    seen["back"] = fresh()
seen["scopes"] = [outer.device, inner.device]
done([on_gpu(seen[name]) for name in ("outer", "inner", "back")] == [bool(listed), False, bool(listed)])
"""
#: Memory of the whole GPU in MiB, before and while an array of 256 MiB is held: measured from outside of the framework.
GROWN = """
def used_mib():
    import pynvml
    pynvml.nvmlInit()
    memory = pynvml.nvmlDeviceGetMemoryInfo(pynvml.nvmlDeviceGetHandleByIndex(%d))
    return memory.used >> 20, memory.total >> 20
if not listed: done(None)
held = array(256)
try:
    seen["used_mib"], seen["total_mib"] = used_mib()
    seen["before_mib"] = %r
    done(seen["used_mib"] - (seen["before_mib"] or 0) < seen["total_mib"] // 4)
except Exception as error:
    seen["not measured"] = repr(error)
    if "tensorflow" in sys.modules:
        gpus = tf.config.get_visible_devices("GPU")
        seen["growth"] = [tf.config.experimental.get_memory_growth(gpu) for gpu in gpus]
        done(all(seen["growth"]))
    done(None)
"""
LIMITED = """
if not listed: done(None)
if "setting-invalid" in seen["findings"]:
    seen["limit"] = "cannot be set here, and that is said"
    done(True)
small = array(256)
try:
    large = array(4096)
    seen["4 GiB under a limit of 1 GiB"] = place(large)
    done(False)
except Exception as error:
    seen["4 GiB under a limit of 1 GiB"] = "%s: %s" % (type(error).__name__, str(error)[:200])
    done(True)
"""
#: Takes the GPU's memory until none is left, says how much that was, and holds it until its input is closed.
FILL = {
    "torch": "import torch\ndef take(mib): return torch.ones(mib << 18, device='cuda')",
    "jax": """
import os
os.environ["XLA_PYTHON_CLIENT_ALLOCATOR"] = "platform"
import jax
def take(mib): return jax.block_until_ready(jax.numpy.ones((mib, 1 << 18), "float32"))
""",
    "tensorflow": """
import tensorflow as tf
for device in tf.config.list_physical_devices("GPU"): tf.config.experimental.set_memory_growth(device, True)
def take(mib): return tf.ones((mib, 1 << 18))
""",
}
FILLING = """
import json, sys
held, total = [], 0
for mib in (4096, 1024, 256, 64, 16, 4):
    while total < 1 << 20:
        try: held.append(take(mib))
        except Exception: break
        total += mib
print(json.dumps(total))
sys.stdout.flush()
sys.stdin.read()
"""


class Machine:
    """Runs programs here, and collects what they say."""

    def __init__(self, vendor):
        self.path = [ROOT] + [os.path.abspath(folder) for folder in vendor]
        self.checks = []
        self.cache = None

    def environ(self, framework=None, extra=()):
        """The environment of a child."""
        given = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
        environ = dict(os.environ, PYTHONPATH=os.pathsep.join(self.path + given), TF_CPP_MIN_LOG_LEVEL="3")
        environ.update(DEVICEKIT_CACHE_DIR=self.cache)
        if framework is not None and has("keras"):
            environ["KERAS_BACKEND"] = framework
        environ.update(extra)
        return environ

    def run(self, arguments, framework=None, extra=()):
        """Run Python with these arguments; return the last line's JSON and None, or None and what went wrong."""
        try:
            done = subprocess.run(
                [sys.executable] + arguments,
                env=self.environ(framework, extra),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=LIMIT_S,
            )
        except subprocess.TimeoutExpired:
            return None, "no end within %d s" % LIMIT_S
        try:
            return json.loads(done.stdout.decode("utf-8", "replace").strip().splitlines()[-1]), None
        except (ValueError, IndexError):
            return None, "status %d: %s" % (done.returncode, done.stderr.decode("utf-8", "replace")[-1500:])

    def note(self, name, passed, seen):
        """Keep the outcome of a check; it says nothing of the GPU where a package is missing that devicekit needs."""
        if passed is False and isinstance(seen, str) and any("No module named '%s" % need in seen for need in NEEDS):
            passed = None
        self.checks.append({"name": name, "passed": passed, "seen": seen})
        print("%-28s %s" % (name, {True: "passed", False: "FAILED", None: "-"}[passed]), file=sys.stderr)
        return passed

    def program(self, name, framework, code, options=(), extra=(), judge=None):
        """Check what a program does that has called `auto`."""
        keras = "import keras" if has("keras") else ""
        start = AUTO % {
            "framework": framework,
            "options": dict(options),
            "keras": keras,
            "lists": LISTS[framework],
            "tools": TOOLS[framework],
        }
        found, problem = self.run(["-c", start + code], framework, extra)
        if found is None:
            self.note("%s: %s" % (framework, name), False, problem)
            return None
        passed = found["passed"] if judge is None else judge(found["seen"])
        self.note("%s: %s" % (framework, name), passed, found["seen"])
        return found["seen"]


def has(name):
    """Return whether a module can be imported, as far as its file tells."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def used_mib(index=0):
    """The memory of a GPU that is in use, None if it is unknown."""
    try:
        import pynvml

        pynvml.nvmlInit()
        return pynvml.nvmlDeviceGetMemoryInfo(pynvml.nvmlDeviceGetHandleByIndex(index)).used >> 20
    except Exception:  # the module, the library or the driver may be missing
        return None


def check_diagnosis(machine):
    """`doctor`, and how long a look takes. Return what doctor says."""
    # Not by the command, which also needs what only `resolve` needs.
    code = """
import json
import devicekit
from devicekit.report.rendering import doctor_data
machine = devicekit.detect()
print(json.dumps(doctor_data(machine, devicekit.diagnose(machine), devicekit.select_device())))
"""
    found, problem = machine.run(["-c", code])
    machine.note("doctor", found is not None, found if found is not None else problem)
    code = """
import json, time
started = time.perf_counter()
import devicekit
times = []
for again in (False, True, True, True):
    devicekit.detect(refresh=again)
    times.append(round(1000 * (time.perf_counter() - started), 1))
    started = time.perf_counter()
machine = devicekit.detect()
print(json.dumps({"cold_ms": times[0], "repeated_ms": min(times[1:]), "cold with its import": True}))
"""
    took, problem = machine.run(["-c", code])
    machine.note("time of detect()", None if took is not None else False, took if took is not None else problem)
    return found


def check_framework(machine, framework, doctor):
    """Everything that concerns one framework."""
    before, problem = machine.run(["-c", LISTS[framework] + "\nimport json\nprint(json.dumps(listed))"], framework)
    if before is None:
        machine.note("%s: import" % framework, None, problem)
        return
    promised = next((item for item in (doctor or {}).get("prediction", []) if item["framework"] == framework), None)
    # Of some devices only a run can tell; then nothing is promised.
    open_ones = [item for item in (promised or {}).get("candidates", ()) if item["usable"] is None]
    agrees = promised is not None and any("cpu" not in str(name).lower() for name in promised["devices"]) == bool(
        before
    )
    machine.note(
        "%s: doctor's prediction" % framework,
        None if promised is None or open_ones else agrees,
        {"framework lists": before, "doctor": promised},
    )
    gpu = bool(before)

    def used(seen):
        return (seen["device"] != "cpu") == gpu and seen["verified"] is True and (not gpu or not seen["fallback"])

    first = machine.program("auto()", framework, "done(None)", judge=used)
    machine.program("placement", framework, PLACED)
    machine.program("device_scope", framework, SCOPED)
    shared = gpu and first is not None and first["platform"] in ("cuda", "rocm")
    machine.program("memory grows", framework, GROWN % (0, used_mib() if shared else None))
    machine.program("memory limit", framework, LIMITED, {"memory": 1 << 30})
    check_fallback(machine, framework, shared)


def check_fallback(machine, framework, shared):
    """A GPU that is hidden, and one whose memory another process has."""
    if not shared:
        for name in ("hidden GPU", "exhausted memory"):
            machine.note("%s: %s" % (framework, name), None, "no GPU of CUDA or ROCm")
        return

    def left(seen):
        return seen["device"] == "cpu" and seen["verified"] is True and not seen["listed"] and bool(seen["findings"])

    machine.program("hidden GPU", framework, "done(None)", extra=HIDDEN, judge=left)
    filler = subprocess.Popen(
        [sys.executable, "-c", FILL[framework] + FILLING],
        env=machine.environ(framework),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        taken = filler.stdout.readline().decode().strip()

        def survived(seen):
            seen["taken_mib"] = taken
            return (seen["device"] == "cpu" and seen["fallback"]) or "out-of-memory" in seen["findings"]

        # Without `listed`: asking the framework would start the very device that has no memory left.
        code = AUTO.partition("%(lists)s")[0] % {"framework": framework, "options": {"verify": "always"}, "keras": ""}
        found, problem = machine.run(["-c", code + "print(json.dumps(seen))"], framework)
        passed = found is not None and survived(found)
        machine.note(
            "%s: exhausted memory" % framework, passed if taken else None, found if found is not None else problem
        )
    finally:
        filler.stdin.close()
        try:
            filler.wait(30)
        except subprocess.TimeoutExpired:
            filler.kill()


def main():
    """Run the checks and print the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--vendor", action="append", default=[], metavar="DIR", help="a folder with further packages")
    parser.add_argument(
        "--framework", action="append", choices=FRAMEWORKS, help="only this one (default: all that are there)"
    )
    options = parser.parse_args()
    import tempfile

    machine = Machine(options.vendor)
    sys.path[:0] = machine.path
    missing = [name for name in NEEDS if not has(name)]
    frameworks = [name for name in options.framework or FRAMEWORKS if has(name)]
    started = time.time()
    with tempfile.TemporaryDirectory() as machine.cache:
        machine.note(
            "packages", None if missing else True, {"missing": missing, "keras": has("keras"), "found": frameworks}
        )
        doctor = check_diagnosis(machine)
        for framework in frameworks:
            check_framework(machine, framework, doctor)
    failed = [check["name"] for check in machine.checks if check["passed"] is False]
    about = {
        "python": platform.python_version(),
        "system": platform.platform(),
        "seconds": round(time.time() - started, 1),
    }
    print(json.dumps(dict(about, failed=failed, checks=machine.checks), indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
