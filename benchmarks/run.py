"""Measure everything that has a budget, side by side in one run: ``python benchmarks/run.py [--quick] [--json FILE]``.

Machines are noisy, so nothing here is a timed test: every figure is a median of interleaved runs, most are ratios, and a
budget that is missed is shown as missed. Standard library only; what needs TensorFlow is left out if it is not installed.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from statistics import median

import fleet
import scripts

#: What must not be in `sys.modules` after `import devicekit`, unless the bare interpreter has it already.
HEAVY = ("tensorflow", "keras", "jax", "torch", "rich", "click", "ctypes", "subprocess", "importlib.metadata")

#: Numbers of distributions that are installed in addition to those of the environment.
COUNTS = (0, 100, 1000, 3000)


class Children:
    """Starts fresh interpreters, all with the same environment.

    Parameters
    ----------
    folder : str
        A temporary folder. Children run in it: in the repository, ``python -c`` would import the devicekit that is
        there and not the installed one.
    """

    def __init__(self, folder):
        self.folder = folder
        self.cache = os.path.join(folder, "cache")
        self.environ = dict(os.environ)
        # A user's settings are not measured, and byte-code is kept as it is on a user's machine.
        for name in ("PYTHONDONTWRITEBYTECODE", "DEVICEKIT_DEVICE", "DEVICEKIT_VERIFY", "DEVICEKIT_QUIET"):
            self.environ.pop(name, None)
        # Verdicts of earlier runs are not used, so that the first start really is one.
        self.environ["DEVICEKIT_CACHE_DIR"] = self.cache
        self.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        self.path = [os.path.abspath(entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
        self.installed = importlib.util.find_spec("devicekit") is not None
        if not self.installed:
            self.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

    def run(self, arguments, site=None, statuses=(0,)):
        """Return milliseconds and the finished process; raises where it ends with another status."""
        path = self.path + [site] if site is not None else self.path
        environ = dict(self.environ, PYTHONPATH=os.pathsep.join(path))
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable] + arguments,
            cwd=self.folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=600,
        )
        took = 1000 * (time.perf_counter() - started)
        if done.returncode not in statuses:
            raise subprocess.CalledProcessError(done.returncode, arguments, done.stdout, done.stderr)
        return took, done

    def ms(self, code):
        """Return the wall time of a program in milliseconds."""
        return self.run(["-c", code])[0]

    def value(self, code, site=None):
        """Return what a program prints in its last line."""
        return json.loads(self.run(["-c", code], site)[1].stdout.decode().splitlines()[-1])


def row(what, measured, unit, budget, detail):
    """Return one line of the table; ``budget`` is the largest allowed value, None if there is none."""
    met = None if budget is None else measured <= budget
    return {"what": what, "measured": round(measured, 4), "unit": unit, "budget": budget, "met": met, "detail": detail}


def in_turns(repeats, names, measure):
    """Return ``repeats`` measurements of each name; the order turns, so that a machine that slows down slows all."""
    found = {name: [] for name in names}
    for number in range(repeats):
        for name in names if number % 2 else reversed(names):
            found[name].append(measure(name))
    return found


def bootstrap(pairs, statistic, draws=4000):
    """Return the bounds of the 95 % confidence interval of a statistic of pairs (percentile bootstrap)."""
    generator = random.Random(0)
    found = sorted(statistic([generator.choice(pairs) for _ in pairs]) for _ in range(draws))
    return found[int(0.025 * draws)], found[int(0.975 * draws) - 1]


def bench_import(children, quick):
    """`import devicekit` over the bare interpreter."""
    programs = ("pass", "import devicekit")
    in_turns(1, programs, children.ms)  # once for the byte-code and the disk's cache
    found = in_turns(5 if quick else 20, programs, children.ms)
    bare, imported = (median(found[program]) for program in programs)
    detail = "%.1f ms against %.1f ms of the bare interpreter, %d of each" % (imported, bare, len(found["pass"]))
    yield row("import devicekit", imported - bare, "ms", 5.0, detail)
    new = children.value(scripts.MODULES)
    heavy = [name for name in HEAVY if name in new]
    detail = "%s; %d modules in all" % (", ".join(heavy) or "none", len(new))
    yield row("import devicekit: heavy modules", len(heavy), "", 0, detail)


def write(text, *parts):
    """Write a small file."""
    path = os.path.join(*parts)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def make_distributions(folder, count):
    """Make a folder `site-packages` with this many installed distributions in it, and return it."""
    site = os.path.join(folder, str(count), "site-packages")
    os.makedirs(site)
    for number in range(count):
        name, version = "sample_distribution_%d" % number, "1.%d" % number
        info = "%s-%s.dist-info" % (name, version)
        header = ["Metadata-Version: 2.1", "Name: " + name, "Version: " + version, "Requires-Python: >=3.7"]
        header += ["Classifier: Programming Language :: Python :: 3.%d" % minor for minor in range(7, 15)]
        header += ["Requires-Dist: %s (>=1.0)" % other for other in ("six", "requests", "numpy")]
        write("\n".join(header) + "\n\n" + "What this sample would be good for.\n" * 30, site, info, "METADATA")
        files = ["%s/__init__.py" % name] + ["%s/part_%d.py" % (name, part) for part in range(30)]
        write("".join("%s,sha256=%s,100\n" % (path, "x" * 43) for path in files), site, info, "RECORD")
        write("pip\n", site, info, "INSTALLER")
        write("", site, name, "__init__.py")
    return site


def bench_detect(children, quick):
    """`detect()` in a fresh process, its own imports included, with 0 to 3000 more distributions; then repeated."""
    sites = {count: make_distributions(children.folder, count) for count in COUNTS}
    seen = {}

    def measure(code, count):
        took, number = children.value(code, sites[count])
        seen[count] = number
        return took

    in_turns(1, COUNTS, lambda count: measure(scripts.DETECT_COLD, count))
    cold = in_turns(3 if quick else 12, COUNTS, lambda count: measure(scripts.DETECT_COLD, count))
    again = in_turns(1 if quick else 5, COUNTS, lambda count: measure(scripts.DETECT_AGAIN, count))
    for times, what, budget, detail in (
        (cold, "detect(), cold, +%d distributions", 120.0, "imports included, median of %d processes"),
        (again, "detect(refresh=True), +%d", 25.0, "median of 20, median of %d processes"),
    ):
        for count in COUNTS:
            detail_now = (detail + "; %d distributions seen") % (len(times[count]), seen[count])
            if seen[count] - seen[0] != count:  # then this measures nothing
                raise AssertionError("of %d distributions %d were seen" % (count, seen[count] - seen[0]))
            yield row(what % count, median(times[count]), "ms", budget if count == 1000 else None, detail_now)
    most = COUNTS[-1]
    ratio = median(cold[most]) / median(cold[0])
    yield row("detect(), cold, +%d against +0" % most, ratio, "x", 1.25, "independent of how many are installed")
    for times, what in ((cold, "cold"), (again, "repeated")):
        slope = 1000 * (median(times[most]) - median(times[0])) / most
        yield row("detect(), %s, per distribution" % what, slope, "us", None, "slope from +0 to +%d" % most)


def bench_nvidia(children, quick):
    """`detect()` with eight simulated NVIDIA GPUs, and with a driver that hangs."""
    tests = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "hardware", "build.py")
    spec = importlib.util.spec_from_file_location("build", tests)
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    if sys.platform != "linux" or build.compiler() is None or importlib.util.find_spec("pynvml") is None:
        raise AssertionError("this needs Linux, a C compiler and nvidia-ml-py")
    library = build.build_nvml(children.folder)
    gpus = "".join("gpu=NVIDIA A100-SXM4-40GB\n mem=40960/40000\n mig=0\n proc=4242:900\n" for _ in range(8))
    hardware = {"none": None, "eight": gpus, "hung": gpus + "hang=nvmlDeviceGetCount\n"}
    seen = {}

    def measure(name):
        before = dict(children.environ)
        if hardware[name] is not None:
            children.environ.update(LD_LIBRARY_PATH=library, SIM_NVML=hardware[name])
        try:
            took, *seen[name] = children.value(scripts.DETECT_NVIDIA % (name != "none"))
        finally:
            children.environ = before
        return took

    in_turns(1, ("none", "eight"), measure)
    found = in_turns(4 if quick else 20, ("none", "eight"), measure)
    hung = [measure("hung") for _ in range(1 if quick else 3)]
    if seen["eight"] != [8, ""] or "no answer within" not in seen["hung"][1]:  # then this measures nothing
        raise AssertionError("of eight GPUs %s were seen; the driver that hangs: %s" % tuple(seen.values())[1:])
    none, eight = median(found["none"]), median(found["eight"])
    detail = "%.1f ms against %.1f ms, imports included, median of %d processes" % (eight, none, len(found["none"]))
    yield row("detect(), eight simulated GPUs over none", eight - none, "ms", 40.0, detail)
    detail = "%.2f s against %.2f s, median of %d processes" % (median(hung) / 1000, none / 1000, len(hung))
    yield row("detect(), a driver that hangs, over none", (median(hung) - none) / 1000, "s", 2.0, detail)


def bench_diagnose(children, quick):
    """`diagnose()` on a Machine."""
    found = [children.value(scripts.DIAGNOSE) for _ in range(1 if quick else 5)]
    yield row("diagnose(machine)", median(found), "ms", 5.0, "median of 100, median of %d processes" % len(found))


def bench_verdict(children, quick):
    """What a start pays for the verdict of a trial that is known."""
    found = [children.value(scripts.VERDICT) for _ in range(2 if quick else 11)]
    for number, what, detail in (
        (0, "verdict, first look", "fingerprint, no file yet, imports included, median of %d processes"),
        (1, "verdict, known", "fingerprint, file and 300 native files, median of 100, median of %d processes"),
    ):
        yield row(what, median(times[number] for times in found), "ms", 5.0, detail % len(found))


def bench_matrix(children, quick):
    """The first question to the matrix in a process, and a whole resolution."""
    found = [children.value(scripts.QUESTION) for _ in range(2 if quick else 11)]
    yield row("first question to the matrix", median(found), "ms", 5.0, "median of %d processes" % len(found))
    found = [children.value(scripts.RESOLVE) for _ in range(1 if quick else 5)]
    yield row("resolve('cpu')", median(found), "ms", None, "median of 10, median of %d processes" % len(found))
    found = [children.value(scripts.RESOLVE_GPU) for _ in range(1 if quick else 5)]
    yield row(
        "resolve() for a GPU that was not asked for", median(found), "ms", None, "median of %d processes" % len(found)
    )


def make_log(path, size_bytes, different):
    """Write a log of a training, which at its end says why it was on the CPU; or one in which every line is another text."""
    generator = random.Random(0)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(generator.choice(letters) for _ in range(generator.randint(2, 10))) for _ in range(5000)]

    def line():
        number = generator.randrange
        if different:
            text = " ".join(generator.choice(words) for _ in range(10))
            return "2024-01-01 10:00:%02d: I tensorflow/core/%s.cc:%d] GPU %s\n" % (
                number(60), generator.choice(words), number(999), text,
            )  # fmt: skip
        return "%d/1875 [=====>........] - ETA: %ds - loss: %.4f - accuracy: %.4f\n" % (
            number(1875), number(60), generator.random(), generator.random(),
        )  # fmt: skip

    last = (
        "W tensorflow/tsl/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudnn.so.8'; dlerror: "
    )
    last += "libcudnn.so.8: cannot open shared object file: No such file or directory\n"
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        written = 0
        while written < size_bytes:
            written += stream.write("".join(line() for _ in range(2000)))
        stream.write(last * 3)


def bench_explain(children, quick):
    """`explain` of a long log."""
    size = 10 if quick else 100
    for different, what, budget in ((False, "a training log", 10.0), (True, "every line another text", 30.0)):
        path = os.path.join(children.folder, "explain.log")
        make_log(path, size * 1000000, different)
        found = [children.value(scripts.EXPLAIN % path) for _ in range(1 if quick else 3)]
        os.unlink(path)
        if any(codes != ["cudnn-missing"] for _, _, codes in found):  # then this measures nothing
            raise AssertionError("explain found %s" % found[0][2])
        name = "explain, %d MB, %s" % (size, what)
        detail = "median of %d processes; the last lines were found" % len(found)
        yield row(name, median(took for took, _, _ in found), "s", budget, detail)
        if found[0][1] is not None:
            yield row(name + ", memory", max(peak for _, peak, _ in found), "MB", 150.0, "peak of the process")


def bench_crafted(children, quick):
    """`explain` of logs that are made to be slow."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "crafted_logs.py")
    options = ["--megabytes", "0.5"] if quick else ["--megabytes", "4", "--patterns"]
    found = json.loads(children.run([script, *options])[1].stdout.decode())
    kind = max(found, key=lambda name: found[name])
    detail = "the slowest of %d: %s; a training log takes %.2f" % (len(found), kind, found["training"])
    yield row("explain, crafted logs, CPU", found[kind], "s/MB", 0.4, detail)


def make_broken(folder):
    """Make a `site-packages` with a TensorFlow of which only the list of its files is left, and return it."""
    site = os.path.join(folder, "broken", "site-packages")
    info = "tensorflow_cpu-2.16.1.dist-info"
    write("Metadata-Version: 2.1\nName: tensorflow_cpu\nVersion: 2.16.1\n", site, info, "METADATA")
    files = ["tensorflow/__init__.py", "tensorflow/libtensorflow_cc.so.2", "tensorflow/libtensorflow_framework.so.2"]
    files += ["tensorflow/python/part_%d.py" % number for number in range(12000)]
    write("".join("%s,sha256=%s,100\n" % (path, "x" * 43) for path in files), site, info, "RECORD")
    write("raise ImportError('its libraries are gone')\n", site, "tensorflow", "__init__.py")
    return site


def bench_doctor(children, quick):
    """The whole command, in this environment and with a TensorFlow whose files are gone before it on the path."""
    commands = {
        "bare interpreter": (["-c", "pass"], None),
        "devicekit doctor --json": (["-m", "devicekit", "doctor", "--json"], None),
        "doctor, broken TensorFlow": (["-m", "devicekit", "doctor", "--json"], make_broken(children.folder)),
    }
    statuses = {}

    def measure(name):
        arguments, site = commands[name]
        took, done = children.run(arguments, site, statuses=(0, 1))  # 1: it found an error
        statuses[name] = done.returncode
        return took

    names = list(commands)
    in_turns(1, names, measure)
    found = in_turns(2 if quick else 7, names, measure)
    for name, budget in zip(names[1:], (None, 600.0)):
        detail = "bare interpreter %.1f ms; exit status %d" % (median(found[names[0]]), statuses[name])
        if budget is not None:
            detail += " (1 is right)" + ("; looks at this environment's TensorFlow, too" if has_tensorflow() else "")
        yield row(name, median(found[name]), "ms", budget, detail)


def bench_scope(children, quick, framework="tensorflow"):
    """`device_scope` enter and leave against the framework's own scope."""
    start, own = scripts.OWN_SCOPE[framework]
    on = "" if framework == "tensorflow" else " on %s" % framework
    code = scripts.SCOPE % (start, own, own, own)
    found = [children.value(code) for _ in range(1 if quick else 3)]
    for name in found[0]:
        for word, choose in (("best", min), ("median", median)):
            # Both times of a ratio come from one process; the processes differ in where their memory lies.
            times = sorted((choose(run[name][0]) / choose(run[name][1]), *map(choose, run[name])) for run in found)
            ratio, ours, theirs = times[len(times) // 2]
            detail = "%.2f us against %.2f us, %s of 15, median of %d processes" % (ours, theirs, word, len(found))
            yield row("device_scope%s %s, %s" % (on, name, word), ratio, "x", 1.5, detail)


def compare_programs(children, quick, hand, auto, what):
    """Run two programs in turns: rows with how much longer the second one takes, and the median of the first, in ms."""
    found = in_turns(2 if quick else 11, ["hand", "auto"], lambda name: children.ms({"hand": hand, "auto": auto}[name]))
    pairs = list(zip(found["auto"], found["hand"]))
    medians = "%.2f s against %.2f s" % (median(found["auto"]) / 1000, median(found["hand"]) / 1000)
    rows = []
    for word, statistic in (
        ("medians", lambda drawn: median(a for a, _ in drawn) / median(h for _, h in drawn)),
        ("pairs", lambda drawn: median(a / h for a, h in drawn)),
    ):
        low, high = bootstrap(pairs, statistic)
        detail = "%s; 95 %% interval %.3f to %.3f of %d pairs" % (medians, low, high, len(pairs))
        detail += " (undecided: the interval contains the budget)" if low <= 1.02 < high else ""
        rows.append(row("%s, %s" % (what, word), statistic(pairs), "x", 1.02, detail))
    return rows, median(found["hand"])


def bench_auto(children, quick):
    """A training script with `auto()` against the same with hand-written tf.config lines."""
    children.ms(scripts.HAND)  # once for the byte-code and the disk's cache
    first = children.ms(scripts.AUTO)
    verdicts = files_of(children.cache)
    rows, hand = compare_programs(children, quick, scripts.HAND, scripts.AUTO, "script with auto()")
    yield from rows
    detail = "tries an accelerator in a child" if verdicts else "no accelerator to try"
    yield row("script with auto(), first start", first / hand, "x", None, detail)
    if verdicts:
        again = len(set(files_of(children.cache)) ^ set(verdicts))
        yield row("verdicts written by later starts", again, "", 0, "%d written by the first start" % len(verdicts))
    lines = {"hand": scripts.HAND_ALONE, "auto": scripts.AUTO_ALONE}
    alone = in_turns(2 if quick else 7, list(lines), lambda name: children.value(lines[name]))
    detail = "hand-written lines %.1f ms; TensorFlow imported before" % median(alone["hand"])
    yield row("auto() alone", median(alone["auto"]), "ms", None, detail)


def bench_auto_on(children, quick, framework):
    """A training script with Keras on another framework with `auto()` against the same without."""
    plain, auto = scripts.PLAIN_ON % framework, scripts.AUTO_ON % framework
    children.ms(plain)
    children.ms(auto)
    yield from compare_programs(children, quick, plain, auto, "script on %s with auto()" % framework)[0]


def bench_loop(children, quick):
    """What `devicekit bench --model resnet50` says, against `model.fit` written by hand."""
    arguments = ["1", "3"] if quick else ["3", "30"]
    done = children.run(["-c", scripts.BENCH_LOOP] + arguments)[1]
    found = json.loads(done.stdout.decode().splitlines()[-1])
    pairs = list(zip(found["bench"], found["fit"]))

    def ratio(some):
        return median(ours / theirs for ours, theirs in some)

    low, high = bootstrap(pairs, ratio)
    detail = "%.3f s a step against %.3f s of model.fit: ratio %.3f (95 %%: %.3f to %.3f), %d steps of each in turns" % (
        median(found["bench"]), median(found["fit"]), ratio(pairs), low, high, len(pairs)
    )  # fmt: skip
    yield row("bench --model resnet50 against model.fit, off by", abs(ratio(pairs) - 1), "", 0.05, detail)


def compare_seconds(children, model, framework="tensorflow"):
    """Return the CPU seconds of `compare` for a model, and the number of its judgments."""
    before = dict(children.environ)
    children.environ["KERAS_BACKEND"] = framework
    try:
        done = children.run(["-c", scripts.COMPARE, model])[1]
    finally:
        children.environ = before
    return json.loads(done.stdout.decode().splitlines()[-1])


def bench_compare(children, quick):
    """CPU seconds of `compare`: a deep network, and a recurrent one with 300 steps."""
    for model, budget in (("small", None),) if quick else (("resnet50", 15.0), ("lstm", 20.0)):
        seconds, count = compare_seconds(children, model)
        yield row("compare, %s, CPU" % model, seconds, "s", budget, "without training, %d judgments" % count)


def bench_compare_on(children, quick, framework):
    """CPU seconds of `compare` on a framework against TensorFlow's."""
    model = "small" if quick else "resnet50"
    own, other = (compare_seconds(children, model, name)[0] for name in (framework, "tensorflow"))
    detail = "%.1f s against %.1f s of TensorFlow" % (own, other)
    yield row("compare, %s on %s, CPU" % (model, framework), own / other, "x", 2.0, detail)


def bench_monitor(children, quick, framework="tensorflow", watcher="Monitor", budget=1.01):
    """The processor time that `devicekit.Monitor` or `NanGuard` adds to that of `model.fit`."""
    before = dict(children.environ)
    children.environ["KERAS_BACKEND"] = framework
    try:
        arguments = ["1", "20"] if quick else ["3", "300"]
        done = children.run(["-c", scripts.MONITOR, *arguments, watcher])[1]
    finally:
        children.environ = before
    for kind, fits in json.loads(done.stdout.decode().splitlines()[-1]).items():
        ratios = sorted(1 + fit["each_s"] / fit["fit_s"] for fit in fits)
        each_us = 1e6 * median(fit["each_s"] / fit["steps"] for fit in fits)
        detail = "%.3f to %.3f; %.0f us a step and %.0f ms a fit" % (
            ratios[0], ratios[-1], each_us, 1e3 * median(fit["once_s"] for fit in fits))  # fmt: skip
        yield row("model.fit of %s on %s with %s" % (kind, framework, watcher), median(ratios), "x", budget, detail)


def bench_nan_guard(children, quick, framework="tensorflow"):
    """What `devicekit.NanGuard` adds."""
    yield from bench_monitor(children, quick, framework, "NanGuard", 1.02)


def bench_fleet(children, quick):
    """`devicekit fleet` on the snapshots of a large cluster, the whole command in a fresh process."""
    count = 300 if quick else fleet.NODES
    folder = os.path.join(children.folder, "fleet")
    os.makedirs(folder)
    with on_path(children.path):
        fleet.write_fleet(folder, count)
    done = children.run(["-c", fleet.COMMAND, folder], statuses=(0, 1))
    peak = int(done[1].stdout.decode().split()[-1]) / 1024
    yield row("fleet of %d snapshots" % count, done[0] / 1000, "s", fleet.SECONDS, "the whole command, files read")
    yield row("fleet of %d snapshots, memory" % count, peak, "MiB", fleet.MEMORY_MIB, "at most, of the whole process")


@contextlib.contextmanager
def on_path(entries):
    """Have these folders on the path of this process, too."""
    sys.path[:0] = entries
    try:
        yield
    finally:
        del sys.path[: len(entries)]


class Quota:
    """A control group with the time of one core, if this user may make one; ``file``: what a process joins it by."""

    def __enter__(self):
        self.folder = self.file = None
        first, second = "/sys/fs/cgroup/cpu", "/sys/fs/cgroup"
        name = "devicekit-bench-%d" % os.getpid()
        for parent, limit, value in (
            (first, "cpu.cfs_quota_us", "100000"),
            (first + ",cpuacct", "cpu.cfs_quota_us", "100000"),
            (second, "cpu.max", "100000 100000"),
        ):
            folder = os.path.join(parent, name)
            try:
                os.mkdir(folder)
                self.folder = folder
                with open(os.path.join(folder, limit), "w") as stream:
                    stream.write(value)
                self.file = os.path.join(folder, "cgroup.procs")
                return self
            except OSError:  # another version, not ours to write, or without the controller
                self.__exit__()
        return self

    def __exit__(self, *_):
        for _ in range(50 if self.folder is not None else 0):
            try:
                os.rmdir(self.folder)
                break
            except OSError:  # what was in it has not quite ended
                time.sleep(0.1)
        self.folder = self.file = None


def bench_tune(children, quick):
    """Training with a quota of one core: what `devicekit tune` found against TensorFlow's defaults."""
    what = "a step with a quota of one core, tuned against defaults"
    if (os.cpu_count() or 1) < 2:
        raise AssertionError("with a single core no quota matters")
    with Quota() as quota:
        tuning, usable = children.value(scripts.TUNE % (quota.file, 20 if quick else 150))
    tried = "; ".join("%(setting)s kept=%(kept)s gain=%(gain)s" % item for item in tuning["options"])
    limited = usable <= (os.cpu_count() or 1) / 2
    detail = "the time of %g cores%s; %s" % (usable, "" if limited else ", for no quota could be set", tried)
    yield row(what, 1.0 / (tuning["gain"] or 1.0), "x", 0.97 if limited else None, detail)


def files_of(folder):
    """Return the files below a folder, with the times of their last change."""
    paths = [os.path.join(base, name) for base, _, names in os.walk(folder) for name in names]
    return [(path, os.stat(path).st_mtime) for path in paths]


def collect(rows, bench, *arguments):
    """Add the rows of a benchmark; if it cannot be run, a row that says so, and that counts as missed."""
    print("... %s" % bench.__doc__.partition("\n")[0], file=sys.stderr)
    try:
        for item in bench(*arguments):
            rows.append(item)
    except (subprocess.SubprocessError, AssertionError, ValueError, IndexError) as error:
        said = getattr(error, "stderr", None) or str(error).encode()
        detail = "FAILED: %s" % (said.decode("utf-8", "replace").strip().splitlines() or [type(error).__name__])[-1]
        what = bench.__name__.replace("bench_", "")
        rows.append({"what": what, "measured": None, "unit": "", "budget": None, "met": False, "detail": detail})


def table(rows):
    """Lay the rows out for a terminal."""
    lines = [("what", "measured", "budget", "met", "detail")]
    for item in rows:
        unit = " " + item["unit"] if item["unit"] else ""
        budget = "" if item["budget"] is None else "%g%s" % (item["budget"], unit)
        met = {True: "yes", False: "NO", None: ""}[item["met"]]
        # Ratios have enough digits to see on which side of 1.02 they are.
        form = "%.3f" if unit == " x" else "%.0f" if (item["measured"] or 0) >= 100 else "%.3g"
        measured = "-" if item["measured"] is None else form % item["measured"] + unit
        lines.append((item["what"], measured, budget, met, item["detail"]))
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths)) + "  " + line[4] for line in lines
    )


def has_tensorflow():
    """Return whether a TensorFlow is installed here, which may be broken."""
    return has("tensorflow")


def has(framework):
    """Return whether a framework is installed here, which may be broken."""
    return importlib.util.find_spec(framework) is not None


def load_average():
    """Return the load of the last minute, None if the system does not tell."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def main():
    """Run the benchmarks, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repeats: to see that it runs, not to measure")
    parser.add_argument("--json", metavar="FILE", help="where to write the JSON (default: benchmarks/results/...)")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 where a budget is missed")
    options = parser.parse_args()
    about = {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "system": platform.system(),
        "cores": os.cpu_count(),
        "quick": options.quick,
        "load_before": load_average(),
        "tensorflow": None,
    }
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        children = Children(folder)
        about["devicekit"] = children.value("import json, devicekit; print(json.dumps(devicekit.__version__))")
        about["installed"] = children.installed
        for bench in (
            bench_import,
            bench_detect,
            bench_nvidia,
            bench_diagnose,
            bench_verdict,
            bench_matrix,
            bench_explain,
            bench_crafted,
            bench_fleet,
            bench_doctor,
        ):
            collect(rows, bench, children, options.quick)
        if has_tensorflow():
            try:
                about["tensorflow"] = children.value(scripts.TENSORFLOW_VERSION)
            except subprocess.SubprocessError:  # installed and broken: the rows below say so
                about["tensorflow"] = "broken"
            for bench in (
                bench_scope,
                bench_auto,
                bench_loop,
                bench_monitor,
                bench_nan_guard,
                bench_tune,
                bench_compare,
            ):
                collect(rows, bench, children, options.quick)
        for framework in scripts.OWN_SCOPE:
            if framework != "tensorflow" and has(framework):
                collect(rows, bench_scope, children, options.quick, framework)
                if has("keras"):
                    collect(rows, bench_auto_on, children, options.quick, framework)
                    if has_tensorflow():
                        collect(rows, bench_compare_on, children, options.quick, framework)
                    collect(rows, bench_monitor, children, options.quick, framework)
                    collect(rows, bench_nan_guard, children, options.quick, framework)
    about["load_after"] = load_average()
    print("devicekit %(devicekit)s, Python %(python)s, TensorFlow %(tensorflow)s, %(system)s, %(cores)s cores" % about)
    print("load average %(load_before)s before, %(load_after)s after\n" % about)
    print(table(rows))
    missed = [item["what"] for item in rows if item["met"] is False]
    print("\n%s" % ("missed: %s" % "; ".join(missed) if missed else "every budget is met"))
    name = "%s-python%s.json" % (about["date"], about["python"])
    path = options.json or os.path.join(os.path.dirname(os.path.abspath(__file__)), "results", name)
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        json.dump({"about": about, "rows": rows}, stream, indent=1)
    print("written to %s" % os.path.relpath(path))
    return 1 if options.strict and missed else 0


if __name__ == "__main__":
    sys.exit(main())
