"""Install what `devicekit resolve cpu` prints, for every Python and TensorFlow minor release, and train a Keras model on it.

    python tools/check_resolve.py                      # the whole table: hours
    python tools/check_resolve.py --sample 6 --seed 3  # some pairs; the seed turns the wheel
    python tools/check_resolve.py --plain              # what "pip install tensorflow-cpu==X" gives instead
    python tools/check_resolve.py --keep-random 100    # with one dependency kept at a random release; or the refusal is right

Every pair gets a fresh environment, which is removed again. Exit status 1 where one does not work.
"""

import argparse
import datetime
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from packaging.specifiers import SpecifierSet
from packaging.version import Version

import devicekit
from devicekit.matrix.bounds import allowed
from devicekit.matrix.matrix import Matrix
from devicekit.matrix.target import PYTHONS, Target
from devicekit.resolver.engine import available

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "tests", "hardware")]

import build  # noqa: E402
import try_bounds  # noqa: E402

#: What has to work: tf.keras, and keras where there is another one; TensorBoard's callback where TensorBoard is required.
with open(os.path.join(HERE, "train_child.py"), encoding="utf-8") as _stream:
    TRAIN = _stream.read()


def pairs():
    """Return (Python, minor release) of every wheel of TensorFlow for this platform, newest first."""
    matrix = Matrix()
    found = []
    for python in PYTHONS:
        target = Target(python, "linux", "x86_64", "2.36")
        minors = []
        for name in ("tensorflow-cpu", "tensorflow"):
            minors += [".".join(release.version.split(".")[:2]) for release, _ in available(matrix, name, target)]
        found += [(python, minor) for minor in dict.fromkeys(minors)]
    return found


def check(python, minor, installer, plain):
    """Make the environment of a pair; return a dict that says how it went."""
    answer = resolve_cpu(python, minor)
    requirements = ["tensorflow-cpu==%s.*" % minor] if plain else list(answer.requirements)
    result = {"python": python, "tensorflow": minor, "requirements": requirements, "ok": False, "problem": ""}
    if not requirements:
        return dict(result, problem="resolve: %s" % "; ".join(answer.obstacles))
    return dict(result, **install_and_run(python, requirements, TRAIN, installer, lambda output: "@TRAINED" in output))


def install_and_run(python, requirements, code, installer, works, libraries=""):
    """Install requirements into a fresh environment and run code there; return whether it worked, and the problem."""
    folder = tempfile.mkdtemp(prefix="resolve-")
    environment = os.path.join(folder, "venv")
    interpreter = os.path.join(environment, "bin", "python")
    values = {key: value for key, value in os.environ.items() if key not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")}
    values.update(
        HOME=folder, CUDA_VISIBLE_DEVICES="-1", PIP_DISABLE_PIP_VERSION_CHECK="1", UV_PYTHON_DOWNLOADS="never"
    )
    if libraries:
        values.update(LD_LIBRARY_PATH=libraries, CUDA_VISIBLE_DEVICES="0")
    if installer == "uv":
        steps = [["uv", "venv", "-q", "--python", "python" + python, environment]]
        steps.append(["uv", "pip", "install", "-q", "--no-cache", "--python", interpreter] + requirements)
    else:
        steps = [["python" + python, "-m", "venv", environment]]
        steps.append([interpreter, "-m", "pip", "install", "-q", "--no-cache-dir"] + requirements)
    steps.append([interpreter, "-c", code, "tensorflow"])
    try:
        for step in steps:
            done = subprocess.run(step, env=values, cwd=folder, capture_output=True, text=True, timeout=1500)
            if done.returncode:
                lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
                return {"ok": False, "problem": "%s: %s" % (step[1], " | ".join(lines[-6:])[-900:])}
        worked = works(done.stdout + done.stderr)
        return {"ok": worked, "problem": "" if worked else (done.stdout + done.stderr)[-900:]}
    except subprocess.TimeoutExpired:
        return {"ok": False, "problem": "%s: no answer in time" % step[1]}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


#: Up to where DirectML gets on a machine without DirectX: its library is there and finds no libd3d12.so.
DIRECTML = """
import os, tensorflow as tf
config = tf.config if hasattr(tf.config, "list_physical_devices") else tf.config.experimental
print(config.list_physical_devices())
"""


def check_directml(python, keep):
    """Install the set for DirectML and list devices; return a dict that says whether its library was loaded."""
    answer = devicekit.resolve("directml", python=python, platform="linux-x86_64", keep=keep)
    return install_and_run(python, list(answer.requirements), DIRECTML, "uv", lambda output: "libd3d12.so" in output)


#: Whether a build for CUDA finds all of its libraries: then it lists the stub driver's GPU.
CUDA = """
import tensorflow as tf
config = tf.config if hasattr(tf.config, "list_physical_devices") else tf.config.experimental
print("FOUND", len(config.list_physical_devices("GPU")))
"""


def check_cuda(minor):
    """Install the set for NVIDIA GPUs, and list devices next to a stub driver, as `resolve` says."""
    for python in PYTHONS:
        answer = devicekit.resolve("cuda", python=python, platform="linux-x86_64", keep=["tensorflow==%s.*" % minor])
        if answer.possible:
            break
    folder = tempfile.mkdtemp(prefix="resolve-")
    try:
        stub = build.build_cuda_driver(folder)
        code = CUDA
        path = [need.text for need in answer.needs if "LD_LIBRARY_PATH" in need.text]
        if path:
            # The export that is printed, by the shell that a person would type it into; then the same program again.
            script = os.path.join(folder, "list_gpus.py")
            with open(script, "w", encoding="utf-8") as stream:
                stream.write(code)
            again = "%s; exec python %s" % (path[0].partition(": ")[2], script)
            code = (
                "import os, sys; os.environ['PATH'] = os.path.dirname(sys.executable) + ':' + os.environ['PATH'];"
                "os.execv('/bin/sh', ['sh', '-c', %r])" % again
            )
        result = install_and_run(python, list(answer.requirements), code, "uv", lambda text: "FOUND 1" in text, stub)
        return dict(result, python=python, tensorflow=answer.pin("tensorflow").version)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def random_sets(count, seed, releases):
    """Return (subject, a dependency, a random release of it which should do), by subject."""
    drawn, matrix = random.Random(seed), Matrix()
    table = [item for item in try_bounds.subjects() if item.project == "tensorflow"]
    dependencies = [name for name in try_bounds.FIRST + try_bounds.OTHERS if matrix.project(name) is not None]
    found = []
    while len(found) < count:
        subject, dependency = drawn.choice(table), drawn.choice(dependencies)
        pins = {pin.name: pin.version for pin in resolve_cpu(subject.python, subject.minor).pins}
        used = dependency in pins or (dependency == "tf-keras" and Version(subject.release) >= Version("2.16"))
        bounds = SpecifierSet(allowed(matrix, "tensorflow", subject.release, subject.python, dependency))
        versions = [item for item in releases.versions(dependency, subject.python) if bounds.contains(str(item))]
        if used and versions:
            found.append((subject, dependency, str(drawn.choice(versions))))
    return found


def resolve_cpu(python, minor, *keep):
    """Return the set for the CPU: the build without GPU code where there is one, a fraction to download."""
    for name in ("tensorflow-cpu", "tensorflow"):
        keeps = ["%s==%s.*" % (name, minor), *keep]
        answer = devicekit.resolve("cpu", python=python, platform="linux-x86_64", keep=keeps)
        if answer.possible:
            break
    return answer


def check_kept(environments, subject, dependency, version):
    """Install and train a set with a kept release, or see that what was refused does not work; return a dict."""
    keep = "%s==%s" % (dependency, version)
    answer = resolve_cpu(subject.python, subject.minor, keep)
    result = {"subject": subject.name, "keep": keep, "answer": "resolved" if answer.possible else "refused"}
    child = "tf_keras" if dependency == "tf-keras" else "tensorflow"
    environments.make(subject)
    if answer.possible:
        seen = environments.exactly(subject, answer.requirements) or environments.run(
            subject, child, 3 * try_bounds.SECONDS
        )
        return dict(result, requirements=list(answer.requirements), seen=seen, ok=seen == "ok")
    # Refused rightly: it does not train with that release in the set that it has otherwise, or the installer refuses as well.
    result["obstacles"] = list(answer.obstacles)
    environments.replace(subject, {dependency: version})
    seen = environments.run(subject, child, 3 * try_bounds.SECONDS)
    if seen == "ok" or "no answer in time" in seen:
        exact = "%s==%s" % (subject.distribution, subject.release)
        seen = environments.exactly(subject, [exact, keep]) or "works, and the installer takes it"
    return dict(result, seen=seen, ok=not seen.startswith("works"))


def keep_random(options):
    """Check sets with one kept dependency; return the exit status."""
    done = read_lines(options.output)
    known = {(row["subject"], row["keep"]) for row in done}
    with tempfile.TemporaryDirectory() as folder:
        folder = options.folder or folder
        environments = try_bounds.Environments(folder, try_bounds.Results(folder))
        groups = {}
        for subject, *kept in random_sets(options.keep_random, options.seed, try_bounds.Releases(folder)):
            if (subject.name, "==".join(kept)) not in known:
                groups.setdefault(subject.key, []).append((subject, *kept))

        def check_group(group):
            with environments.hold(group[0][0], 25 if options.folder else math.inf):
                for item in group:
                    result = check_kept(environments, *item)
                    done.append(result)
                    verdict = "right" if result["ok"] else "WRONG"
                    print("%(subject)-20s %(keep)-26s %(answer)s: {}, %(seen)s".format(verdict) % result, flush=True)
                    append_line(options.output, result)

        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(check_group, groups.values()))
    good = sum(item["ok"] for item in done)
    refused = sum(item["answer"] == "refused" for item in done)
    print("%d of %d are right, %d of them refused" % (good, len(done), refused))
    return 0 if done and good == len(done) else 1


def read_lines(path):
    """Return what is in a file of JSON lines, nothing where there is none."""
    if not path or not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def append_line(path, result):
    """Append a line to a file, if one is named."""
    if path:
        with open(path, "a", encoding="utf-8") as stream:
            stream.write(json.dumps(result) + "\n")


def main():
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, help="only so many pairs")
    parser.add_argument(
        "--seed", type=int, default=datetime.date.today().toordinal(), help="which (default: by the day)"
    )
    parser.add_argument("--only", nargs="*", default=[], metavar="PYTHON/TENSORFLOW", help="only these, as 3.8/2.4")
    parser.add_argument("--installer", choices=("uv", "pip", "both"), default="uv")
    parser.add_argument("--plain", action="store_true", help="install tensorflow-cpu==X.* alone, for comparison")
    parser.add_argument(
        "--directml", action="store_true", help="the sets for DirectML instead, up to its missing library"
    )
    parser.add_argument(
        "--cuda", nargs="+", metavar="TENSORFLOW", help="the sets for NVIDIA GPUs instead, next to a stub driver"
    )
    parser.add_argument(
        "--keep-random", type=int, metavar="N", help="N sets with one dependency kept at a random release instead"
    )
    parser.add_argument(
        "--folder", help="for --keep-random: the folder of tools/try_bounds.py, whose environments it uses"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--output", metavar="FILE", help="write the results as JSON lines; pairs that are in it are not tried again"
    )
    options = parser.parse_args()
    if options.keep_random:
        return keep_random(options)
    if options.directml:
        failed = 0
        for python, keep in (("3.7", []), ("3.7", ["tensorflow==1.15.*"]), ("3.10", [])):
            result = check_directml(python, keep)
            words = "loads DirectML up to the missing libd3d12.so" if result["ok"] else "FAILS: " + result["problem"]
            print("Python %-5s directml %s: %s" % (python, " ".join(keep), words), flush=True)
            failed += not result["ok"]
        return 1 if failed else 0
    if options.cuda:
        failed = 0
        for minor in options.cuda:
            result = check_cuda(minor)
            words = "finds all its libraries" if result["ok"] else "FAILS: " + result["problem"]
            print("Python %s TensorFlow %s cuda: %s" % (result["python"], result["tensorflow"], words), flush=True)
            failed += not result["ok"]
        return 1 if failed else 0
    table = pairs()
    if options.only:
        table = [pair for pair in table if "/".join(pair) in options.only]
    if options.sample:
        table = random.Random(options.seed).sample(table, min(options.sample, len(table)))
    done = read_lines(options.output)
    known = {(item["python"], item["tensorflow"]) for item in done}
    left = [pair for pair in table if pair not in known]
    installers = ["uv", "pip"] if options.installer == "both" else [options.installer]
    with ThreadPoolExecutor(options.jobs) as pool:
        # With both installers every other pair goes to the other one.
        tasks = [
            pool.submit(check, python, minor, installers[number % len(installers)], options.plain)
            for number, (python, minor) in enumerate(left)
        ]
        for task in tasks:
            result = task.result()
            done.append(result)
            words = "works" if result["ok"] else "FAILS: %s" % result["problem"]
            print("Python %-5s TensorFlow %-5s %s" % (result["python"], result["tensorflow"], words), flush=True)
            append_line(options.output, result)
    good = sum(item["ok"] for item in done)
    print("%d of %d work" % (good, len(done)))
    return 0 if good == len(done) and done else 1


if __name__ == "__main__":
    sys.exit(main())
