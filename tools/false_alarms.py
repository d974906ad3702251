"""Count false alarms of ``devicekit.compare``: right models on the CPU, compared with the CPU, with each framework.

    python tools/false_alarms.py --output results.jsonl [--models NAME ...] [--frameworks NAME ...] [--seeds N ...] [--jobs N]
    python tools/false_alarms.py --output results.jsonl --report

The models are those of ``tools/false_alarm_models.py``; the Python that runs this needs Keras 3 and the frameworks. Each
run is a child process with its own backend and seed (of weights, data and comparison), and a line of the output: a run that
is started again goes on where the last one ended. An alarm is a finding of severity error or warning, or a failed comparison.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import time

FRAMEWORKS = ("tensorflow", "torch", "jax")
LIMIT_S = 1800


def child(name, seed):
    """Compare one model in this process and print the result as a line."""
    import keras
    from false_alarm_models import MODELS, Data

    import devicekit

    keras.utils.set_random_seed(seed)
    model, inputs, targets = MODELS[name](Data(seed))
    started = time.process_time()
    found = devicekit.compare(model, inputs, targets, devices="cpu", seed=seed)
    seconds = time.process_time() - started
    verdicts = collections.Counter(item.verdict for item in (*found.differences, *found.divergences))
    row = {"agrees": found.agrees, "verdicts": verdicts, "cpu_seconds": round(seconds, 2)}
    row["findings"] = [
        {
            "code": item.code,
            "severity": item.severity,
            "summary": item.summary,
            "evidence": [one.text for one in item.evidence],
        }
        for item in found.findings
    ]
    print(json.dumps(row))


def measure(key):
    """Return the line of a run: model, framework and seed."""
    name, framework, seed = key
    row = {"model": name, "framework": framework, "seed": seed}
    environ = dict(os.environ, KERAS_BACKEND=framework, TF_CPP_MIN_LOG_LEVEL="3")
    command = [sys.executable, os.path.abspath(__file__), "--child", name, "--seeds", str(seed)]
    started = time.time()
    try:
        done = subprocess.run(command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S)
        row.update(json.loads(done.stdout.decode("utf-8").splitlines()[-1]))
    except subprocess.TimeoutExpired:
        row["error"] = "no end after %d s" % LIMIT_S
    except (IndexError, ValueError):
        row["error"] = done.stderr.decode("utf-8", "replace")[-1500:] or "ended with status %d" % done.returncode
    row["seconds"] = round(time.time() - started, 1)
    return row


def alarms(row):
    """Return what a run says is wrong, in words."""
    if "error" in row:
        return [row["error"].strip().splitlines()[-1]]
    found = [item["summary"] for item in row["findings"] if item["severity"] in ("error", "warning")]
    return found or ([] if row["agrees"] else ["does not agree"])


def report(rows):
    """Print runs, alarms and seconds by framework, and the alarms by model; return whether there are none."""
    for framework in FRAMEWORKS:
        own = [row for row in rows.values() if row["framework"] == framework]
        if own:
            counts = collections.Counter()
            for row in own:
                counts.update(row.get("verdicts", {}))
            wrong = sum(bool(alarms(row)) for row in own)
            judged = ", ".join("%d %s" % (count, name) for name, count in counts.most_common())
            seconds = sum(row.get("cpu_seconds", 0.0) for row in own)
            text = "%-10s %4d runs of %3d models, %3d with an alarm, %7.0f CPU-seconds; %s"
            print(text % (framework, len(own), len({row["model"] for row in own}), wrong, seconds, judged))
    common = compared_seconds(rows)
    if common:
        print("JAX takes %.1f times the CPU-seconds of TensorFlow (%d runs that both have)" % common)
    wrong = [row for row in rows.values() if alarms(row)]
    for row in sorted(wrong, key=lambda row: (row["model"], row["framework"], row["seed"])):
        print("  %-26s %-10s seed %d: %s" % (row["model"], row["framework"], row["seed"], "; ".join(alarms(row))[:300]))
    return not wrong


def compared_seconds(rows):
    """Return how many times as long JAX takes as TensorFlow for the same model and seed, and of how many runs that is."""
    pairs = [
        (row, rows.get((row["model"], "tensorflow", row["seed"]))) for row in rows.values() if row["framework"] == "jax"
    ]
    times = [(a["cpu_seconds"], b["cpu_seconds"]) for a, b in pairs if b and "cpu_seconds" in a and "cpu_seconds" in b]
    own, other = (sum(item) for item in zip(*times)) if times else (0.0, 0.0)
    return (own / other, len(times)) if other else None


def read(path):
    """Return the lines of an output by model, framework and seed; the last of one counts."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream if line.strip()]
    return {(row["model"], row["framework"], row["seed"]): row for row in rows}


def main():
    """Make the runs that are missing in the output, then print the summary."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default="false_alarms.jsonl")
    parser.add_argument("--models", nargs="*", help="all by default")
    parser.add_argument("--frameworks", nargs="*", choices=FRAMEWORKS, default=FRAMEWORKS)
    parser.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3, 4, 5])
    parser.add_argument("--jobs", type=int, default=1, help="how many runs at a time")
    parser.add_argument("--again", action="store_true", help="also those that the output has")
    parser.add_argument("--report", action="store_true", help="only print the summary")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.seeds[0])
        return 0
    keys = []
    if not options.report:
        from false_alarm_models import MODELS

        done = {} if options.again else read(options.output)
        names = options.models or MODELS
        keys = [(name, framework, seed) for framework in options.frameworks for name in names for seed in options.seeds]
        keys = [key for key in keys if key not in done]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(measure, keys):
            with open(options.output, "a", encoding="utf-8") as stream:
                stream.write(json.dumps(row, sort_keys=True) + "\n")
            what = "; ".join(alarms(row))[:150] or "no alarm"
            key = (row["model"], row["framework"], row["seed"], row["seconds"], what)
            print(time.strftime("%H:%M:%S") + " %s %s %d %.1f s: %s" % key, flush=True)
    return 0 if report(read(options.output)) else 1


if __name__ == "__main__":
    sys.exit(main())
