"""Measure everything that has a budget, side by side in one run: ``python benchmarks/run.py [--quick] [--json FILE]``.

Machines are noisy, so nothing here is a timed test: every figure is a median of interleaved runs, most are ratios, and a
budget that is missed is shown as missed. Standard library only; what needs TensorFlow is left out where it is not installed.
"""

import argparse
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import scripts

#: What must not be in `sys.modules` after `import devicekit`.
HEAVY = ("tensorflow", "keras", "jax", "torch", "rich", "click", "ctypes", "subprocess", "importlib.metadata")


def process_ms(code, path=None, flags=()):
    """Return how long a fresh interpreter takes to run some code, in milliseconds."""
    environ = dict(os.environ)
    if path is not None:
        environ["PYTHONPATH"] = os.pathsep.join(filter(None, [environ.get("PYTHONPATH"), path]))
    started = time.perf_counter()
    subprocess.run([sys.executable, *flags, "-c", code], check=True, env=environ, stdout=subprocess.DEVNULL)
    return 1000 * (time.perf_counter() - started)


def printed(code, path=None):
    """Return the JSON that a fresh interpreter prints."""
    environ = dict(os.environ)
    if path is not None:
        environ["PYTHONPATH"] = os.pathsep.join(filter(None, [environ.get("PYTHONPATH"), path]))
    done = subprocess.run([sys.executable, "-c", code], check=True, env=environ, stdout=subprocess.PIPE)
    return json.loads(done.stdout.decode().splitlines()[-1])


def row(what, measured, unit, budget, detail):
    """Return one line of the table; ``budget`` is the largest allowed value, None where there is none."""
    met = None if budget is None else measured <= budget
    return {"what": what, "measured": round(measured, 3), "unit": unit, "budget": budget, "met": met, "detail": detail}


def bench_import(repeats):
    """`import devicekit` over the bare interpreter, interleaved."""
    bare, imported = [], []
    for _ in range(repeats):
        bare.append(process_ms("pass"))
        imported.append(process_ms("import devicekit"))
    extra = statistics.median(imported) - statistics.median(bare)
    code = (
        "import sys; before = set(sys.modules); import devicekit; new = set(sys.modules) - before;"
        "import json; print(json.dumps(sorted(new)))"
    )
    loaded = [name for name in printed(code) if name in HEAVY]
    yield row("import devicekit", extra, "ms", 5.0, "bare interpreter %.1f ms" % statistics.median(bare))
    yield row("heavy modules that it loads", len(loaded), "", 0, ", ".join(loaded) or "none")


def make_distributions(folder, count):
    """Make a folder `site-packages` with so many installed distributions in it, and return it."""
    site = os.path.join(folder, str(count), "site-packages")
    os.makedirs(site)
    for number in range(count):
        name = "sample_distribution_%d" % number
        info = os.path.join(site, "%s-1.%d.dist-info" % (name, number))
        os.makedirs(info)
        os.makedirs(os.path.join(site, name))
        files = {
            os.path.join(site, name, "__init__.py"): "",
            os.path.join(
                info, "METADATA"
            ): "Metadata-Version: 2.1\nName: %s\nVersion: 1.%d\nRequires-Dist: six\n\nText\n" % (name, number),
            os.path.join(info, "RECORD"): "%s/__init__.py,,0\n" % name,
            os.path.join(info, "INSTALLER"): "pip\n",
        }
        for path, text in files.items():
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)
    return site


def bench_detect(repeats, counts):
    """`detect()` in a fresh process, its own imports included, beside 0 to 3000 more distributions; then repeated."""
    cold_code = (
        "import time; t = time.perf_counter(); import devicekit; devicekit.detect();"
        "print(1000 * (time.perf_counter() - t))"
    )
    again_code = (
        "import statistics, time, devicekit; devicekit.detect(); v = []\n"
        "for _ in range(20):\n"
        "    t = time.perf_counter(); devicekit.detect(refresh=True); v.append(1000 * (time.perf_counter() - t))\n"
        "print(statistics.median(v))"
    )
    cold, again = {count: [] for count in counts}, {count: [] for count in counts}
    with tempfile.TemporaryDirectory() as folder:
        sites = {count: make_distributions(folder, count) for count in counts}
        for _ in range(repeats):
            for count in counts:
                cold[count].append(printed(cold_code, sites[count]))
        for _ in range(max(3, repeats // 4)):
            for count in counts:
                again[count].append(printed(again_code, sites[count]))
    for count in counts:
        budgets = (120.0, 25.0) if count == 1000 else (None, None)
        first, later = statistics.median(cold[count]), statistics.median(again[count])
        yield row(
            "detect(), cold, %d distributions" % count, first, "ms", budgets[0], "imports included, fresh process"
        )
        yield row("detect(refresh=True), %d distributions" % count, later, "ms", budgets[1], "median of 20, repeated")
    most, none = max(counts), min(counts)
    slope = 1000 * (statistics.median(again[most]) - statistics.median(again[none])) / (most - none)
    yield row("detect() per further distribution", slope, "us", None, "from %d to %d" % (none, most))


def bench_diagnose():
    """`diagnose()` on a Machine."""
    code = (
        "import statistics, time, devicekit; m = devicekit.detect(); devicekit.diagnose(m); v = []\n"
        "for _ in range(100):\n"
        "    t = time.perf_counter(); devicekit.diagnose(m); v.append(1000 * (time.perf_counter() - t))\n"
        "print(statistics.median(v))"
    )
    yield row("diagnose(machine)", printed(code), "ms", 5.0, "median of 100")


def bench_auto(pairs):
    """A training script with `auto()` against the same with hand-written tf.config lines, interleaved."""
    hand, auto = [], []
    process_ms(scripts.HAND), process_ms(scripts.AUTO)  # once for the byte-code and the disk's cache
    for number in range(pairs):
        # In turns, so that a machine that slows down slows both.
        for kind in ("hand", "auto") if number % 2 else ("auto", "hand"):
            (hand if kind == "hand" else auto).append(process_ms(scripts.HAND if kind == "hand" else scripts.AUTO))
    ratios = sorted(a / h for a, h in zip(auto, hand))
    low, high = ratios[len(ratios) // 4], ratios[3 * len(ratios) // 4]
    detail = "%.2f s against %.2f s; single pairs, middle half: %.3f to %.3f, %d pairs" % (
        statistics.median(auto) / 1000, statistics.median(hand) / 1000, low, high, pairs,
    )  # fmt: skip
    yield row("script with auto(), wall time", statistics.median(auto) / statistics.median(hand), "x", 1.02, detail)
    yield row("script with auto(), median of pairs", statistics.median(ratios), "x", 1.02, "the same runs")


def bench_scope():
    """`device_scope` enter and leave against `tf.device`."""
    data = printed(scripts.SCOPE)
    for name, (ours, theirs) in data.items():
        yield row("device_scope, %s" % name, ours / theirs, "x", 1.5, "%.2f us against %.2f us" % (ours, theirs))


def bench_doctor(repeats):
    """The whole command."""
    took = statistics.median(
        process_ms("from devicekit.cli import main; main(['doctor', '--json'])") for _ in range(repeats)
    )
    yield row("devicekit doctor --json", took, "ms", None, "every file of the installed frameworks looked at")


def table(rows):
    """Lay the rows out for a terminal."""
    lines = [("what", "measured", "budget", "met", "detail")]
    for item in rows:
        unit = " " + item["unit"] if item["unit"] else ""
        budget = "" if item["budget"] is None else "%g%s" % (item["budget"], unit)
        met = {True: "yes", False: "NO", None: ""}[item["met"]]
        lines.append((item["what"], "%.3g%s" % (item["measured"], unit), budget, met, item["detail"]))
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths)) + "  " + line[4] for line in lines
    )


def main():
    """Run the benchmarks, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repeats: to see that it runs, not to measure")
    parser.add_argument("--json", metavar="FILE", help="where to write the JSON (default: benchmarks/results/...)")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 where a budget is missed")
    options = parser.parse_args()
    quick = options.quick
    rows = list(bench_import(5 if quick else 20))
    rows += bench_detect(3 if quick else 12, (0, 100, 1000) if quick else (0, 100, 1000, 3000))
    rows += bench_diagnose()
    rows += bench_doctor(2 if quick else 7)
    version = None
    if importlib.util.find_spec("tensorflow") is not None:
        version = printed(
            "import json, devicekit; print(json.dumps(devicekit.diagnose().framework('tensorflow').version))"
        )
        rows += bench_scope()
        rows += bench_auto(2 if quick else 11)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    about = {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "tensorflow": version,
        "cores": os.cpu_count(),
        "load": load,
    }
    print("Python %(python)s, TensorFlow %(tensorflow)s, %(cores)s cores, load %(load)s\n" % about)
    print(table(rows))
    name = "%s-python%s.json" % (about["date"], about["python"])
    path = options.json or os.path.join(os.path.dirname(os.path.abspath(__file__)), "results", name)
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        json.dump({"about": about, "rows": rows}, stream, indent=1)
    print("\n%s" % path)
    return 1 if options.strict and any(item["met"] is False for item in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
