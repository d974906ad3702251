"""See which native libraries each release of TensorFlow for Linux really opens, and by which name.

    python tools/trace_libraries.py                 # every minor release with a build for CUDA: some hours
    python tools/trace_libraries.py 2.10 2.18

Each release is installed into a fresh environment (as `devicekit resolve` pins it) and asked for its GPUs next to a stub
driver; the loader says what is looked for (LD_DEBUG=libs). Writes devicekit/matrix/data/libraries.json.
"""

import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import devicekit
from devicekit.matrix.matrix import Matrix
from devicekit.matrix.target import PYTHONS, Target
from devicekit.resolver.engine import available

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tests", "hardware"))

import build  # noqa: E402

DATA = os.path.join(os.path.dirname(HERE), "devicekit", "matrix", "data", "libraries.json")

#: NVIDIA's libraries, as the loader is asked for them.
NAMES = re.compile(
    r"find library=(lib(?:cuda|cudart|cublas|cublasLt|cufft|curand|cusolver|cusparse|cudnn|nccl|nvrtc|cupti|nvinfer"
    r"|nvinfer_plugin|nvidia-ml|nvjitlink|nvJitLink)\.so[.0-9]*) "
)

LIST = """
import tensorflow as tf
config = tf.config if hasattr(tf.config, "list_physical_devices") else tf.config.experimental
print(config.list_physical_devices("GPU"))
"""


def releases():
    """Return (minor release, distribution, version, newest Python) of the newest patch of each build for CUDA on Linux."""
    matrix = Matrix()
    found = {}
    for python in PYTHONS:
        target = Target(python, "linux", "x86_64", "2.36")
        for name in ("tensorflow", "tensorflow-gpu"):
            for release, built in available(matrix, name, target):
                if built.kind == "cuda":
                    minor = ".".join(release.version.split(".")[:2])
                    found.setdefault(minor, (name, release.version, python))
    return found


def trace(distribution, version, python, stub):
    """Return the names that a release asks the loader for, sorted."""
    keep = ["%s==%s" % (distribution, version)]
    answer = devicekit.resolve("cpu", python=python, platform="linux-x86_64", keep=keep)
    folder = tempfile.mkdtemp(prefix="trace-")
    try:
        interpreter = os.path.join(folder, "venv", "bin", "python")
        values = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        subprocess.run(
            ["uv", "venv", "-q", "--python", "python" + python, os.path.dirname(os.path.dirname(interpreter))],
            check=True,
        )
        command = ["uv", "pip", "install", "-q", "--no-cache", "--python", interpreter]
        subprocess.run(command + list(answer.requirements), check=True, env=values)
        values.update(LD_DEBUG="libs", LD_LIBRARY_PATH=stub)
        done = subprocess.run(
            [interpreter, "-c", LIST], env=values, cwd=folder, capture_output=True, text=True, timeout=600
        )
        names = sorted(set(NAMES.findall(done.stderr)))
        if "libcuda.so.1" not in names:
            raise RuntimeError("%s %s did not look for the driver: %s" % (distribution, version, done.stderr[-500:]))
        return names
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def save(rows):
    """Write the rows in the order of the releases."""
    head = {
        "schema": 1,
        "date": datetime.date.today().isoformat(),
        "source": "tools/trace_libraries.py: what the release asks the dynamic linker for next to a stub driver, Linux x86-64",
    }
    rows = sorted(rows.values(), key=lambda row: [int(part) for part in row["tensorflow"].split(".")])
    text = json.dumps(head, indent=1)[:-2] + ',\n "rows": [\n' + ",\n".join("  " + json.dumps(row) for row in rows)
    with open(DATA, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text + "\n ]\n}\n")


def main():
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("minors", nargs="*", help="minor releases (default: all)")
    options = parser.parse_args()
    rows = {}
    if os.path.exists(DATA):
        with open(DATA, encoding="utf-8") as stream:
            rows = {row["tensorflow"]: row for row in json.load(stream)["rows"]}
    found = releases()
    unknown = [minor for minor in options.minors if minor not in found]
    if unknown:
        parser.error("no build for CUDA: %s" % ", ".join(unknown))
    with tempfile.TemporaryDirectory() as folder:
        stub = build.build_cuda_driver(folder)
        for minor in options.minors or list(found):
            distribution, version, python = found[minor]
            names = trace(distribution, version, python, stub)
            rows[minor] = {
                "tensorflow": minor,
                "release": "%s %s" % (distribution, version),
                "python": python,
                "libraries": names,
            }
            print(minor, version, "Python", python, " ".join(names), flush=True)
            save(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
