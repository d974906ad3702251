"""Install what `devicekit resolve cpu` prints, for every Python and TensorFlow minor release, and train a Keras model on it.

    python tools/check_resolve.py                      # the whole table: hours
    python tools/check_resolve.py --sample 6 --seed 3  # some pairs; the seed turns the wheel
    python tools/check_resolve.py --plain              # what "pip install tensorflow-cpu==X" gives instead

Every pair gets a fresh environment, which is removed again. Exit status 1 where one does not work.
"""

import argparse
import datetime
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import devicekit
from devicekit.matrix.matrix import Matrix
from devicekit.matrix.target import PYTHONS, Target
from devicekit.resolver.engine import available

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tests", "hardware"))

import build  # noqa: E402

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
    # The build without GPU code, where there is one: a fraction to download.
    keep = ["tensorflow-cpu==%s.*" % minor]
    answer = devicekit.resolve("cpu", python=python, platform="linux-x86_64", keep=keep)
    if not answer.possible:
        answer = devicekit.resolve("cpu", python=python, platform="linux-x86_64", keep=["tensorflow==%s.*" % minor])
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
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--output", metavar="FILE", help="write the results as JSON lines; pairs that are in it are not tried again"
    )
    options = parser.parse_args()
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
    done = []
    if options.output and os.path.exists(options.output):
        with open(options.output, encoding="utf-8") as stream:
            done = [json.loads(line) for line in stream]
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
            if options.output:
                with open(options.output, "a", encoding="utf-8") as stream:
                    stream.write(json.dumps(result) + "\n")
    good = sum(item["ok"] for item in done)
    print("%d of %d work" % (good, len(done)))
    return 0 if good == len(done) and done else 1


if __name__ == "__main__":
    sys.exit(main())
