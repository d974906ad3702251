"""Score the prediction of ``devicekit doctor --json --python`` against environments in which the truth was recorded.

    python tools/score_zoo.py ZOO --environments FOLDER [--only ID ...] [--output scores.json]
    python tools/score_zoo.py ZOO --build FOLDER --interpreters FOLDER --uv UV

ZOO holds ``spec.json`` (how each environment is made), ``truth.json`` (what really happened in it) and ``build_zoo.py``.
``--environments`` names the work folder of a build with ``--keep``: one folder ``zoo-ID`` each, with ``venv``, ``cwd`` and
``home``. ``--build`` makes them one after another, runs the tool inside each, and deletes them.

Scored are ``will_import``, ``will_run_keras``, ``devices`` (only where the import works) and ``cause``; "unknown" counts as
wrong. The report includes pip's own ``pip check``, as recorded: a broken set is what it should report.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

KEPT = ("PATH", "LANG", "TMPDIR", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
BARS = {"booleans": 0.97, "cause": 0.92}


def doctor(folder, entry):
    """Return what the tool says of a kept environment, run as a user would in its working folder."""
    environ = {name: os.environ[name] for name in KEPT if name in os.environ}
    places = {name: os.path.join(folder, name) for name in ("home", "cwd")}
    site = [
        os.path.join(root, "site-packages")
        for root, names, _ in os.walk(os.path.join(folder, "venv", "lib"))
        if "site-packages" in names
    ]
    environ["HOME"] = places["home"]
    for name, value in entry.get("env", {}).items():
        value = value.replace("{home}", places["home"]).replace("{cwd}", places["cwd"])
        value = value.replace("{site}", site[0] if site else "")
        while "{target:" in value:
            before, _, rest = value.partition("{target:")
            target, _, after = rest.partition("}")
            value = before + os.path.join(folder, target) + after
        environ[name] = value
    command = [sys.executable, "-I", "-m", "devicekit", "doctor", "--json", "--python"]
    command.append(os.path.join(folder, "venv", "bin", "python"))
    done = subprocess.run(command, cwd=places["cwd"], env=environ, capture_output=True, timeout=120)
    return done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def built(options):
    """Build every environment with the tool run inside; return the tool's output by id."""
    truth = os.path.join(tempfile.mkdtemp(prefix="score-zoo-"), "truth.json")
    also = "%s -I -m devicekit doctor --json --python {python}" % sys.executable
    command = [sys.executable, os.path.join(options.zoo, "build_zoo.py"), "--work", options.build, "--truth", truth]
    command += ["--spec", os.path.join(options.zoo, "spec.json"), "--interpreters", options.interpreters]
    command += ["--also", also, "--uv", options.uv] + (["--only", *options.only] if options.only else [])
    subprocess.run(command, check=True)
    with open(truth, encoding="utf-8") as stream:
        return {row["id"]: (row.get("also") or {}).get("stdout", "") for row in json.load(stream)}


def prediction(text, subject):
    """Return the prediction for the framework that an environment is about, None where there is none."""
    try:
        found = json.loads(text)["prediction"]
    except (ValueError, KeyError):
        return None
    return next((item for item in found if item["framework"] == subject), None)


def judge(row, text):
    """Compare a prediction with what happened; return the scores by name, and the prediction."""
    label, subject = row["label"], row["subject"]
    said = prediction(text, subject) or {}
    expected = {str(name).upper().replace("TFRT_CPU_", "CPU:") for name in label["devices"]}
    listed = {str(name).upper().replace("TFRT_CPU_", "CPU:") for name in said.get("devices", ())}
    plain = {name.replace("CPU:0", "CPU") for name in expected}
    cause = said.get("cause")
    # The environment may have healthy imports and a cause for what else fails.
    right_cause = cause is None if label["code"] == "none" else cause in label["accept"]
    if label["code"] == "none" and cause in label["accept"]:
        right_cause = True
    scores = {
        "will_import": said.get("will_import") is not None and said["will_import"] == label["imports"],
        "will_run_keras": said.get("will_run_keras") is not None and said["will_run_keras"] == label["keras_runs"],
        "cause": bool(said) and right_cause,
    }
    if label["imports"]:
        scores["devices"] = plain == {name.replace("CPU:0", "CPU") for name in listed}
    return scores, said


def main():
    """Score all environments and print what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("zoo")
    parser.add_argument("--environments", metavar="FOLDER")
    parser.add_argument("--build", metavar="FOLDER")
    parser.add_argument("--interpreters", metavar="FOLDER")
    parser.add_argument("--uv", default="uv")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--output", metavar="FILE")
    options = parser.parse_args()
    if bool(options.environments) == bool(options.build):
        parser.error("name --environments (kept ones) or --build (with --interpreters)")
    with open(os.path.join(options.zoo, "spec.json"), encoding="utf-8") as stream:
        spec = {entry["id"]: entry for entry in json.load(stream)}
    with open(os.path.join(options.zoo, "truth.json"), encoding="utf-8") as stream:
        truth = [row for row in json.load(stream) if not options.only or row["id"] in options.only]
    if options.build:
        answers = built(options)
    else:

        def ask(row):
            folder = os.path.join(options.environments, "zoo-" + row["id"])
            if not os.path.isdir(folder):
                return row["id"], None
            return row["id"], doctor(folder, spec[row["id"]])[0]

        with ThreadPoolExecutor(2) as pool:
            answers = dict(pool.map(ask, truth))
    counts, results, peer = {}, {}, 0
    for row in truth:
        text = answers.get(row["id"])
        if text is None:
            print("not built: %s" % row["id"])
            continue
        scores, said = judge(row, text)
        results[row["id"]] = {"scores": scores, "said": said}
        peer += (row["pip_check"]["rc"] == 0) == row["label"]["imports"]
        for name, right in scores.items():
            counts.setdefault(name, []).append(right)
        if not all(scores.values()):
            label = row["label"]
            wrong = ", ".join(name for name, right in scores.items() if not right)
            print("%-32s wrong: %s" % (row["id"], wrong))
            print(
                "    said  %s"
                % {name: said.get(name) for name in ("will_import", "will_run_keras", "devices", "cause")}
            )
            print("    truth %s %s %s %s" % (label["imports"], label["keras_runs"], label["devices"], label["accept"]))
            print("    %s" % label["observed"][:150])
    for name, values in sorted(counts.items()):
        print("%-16s %3d of %3d  %.1f %%" % (name, sum(values), len(values), 100.0 * sum(values) / len(values)))
    booleans = counts.get("will_import", []) + counts.get("will_run_keras", [])
    missed = sum(booleans) < BARS["booleans"] * len(booleans) or sum(counts["cause"]) < BARS["cause"] * len(
        counts["cause"]
    )
    print("pip check agrees with the import in %d of %d" % (peer, len(results)))
    if options.output:
        with open(options.output, "w", encoding="utf-8") as stream:
            json.dump(results, stream, indent=1)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
