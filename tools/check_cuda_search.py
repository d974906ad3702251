"""Compare where TensorFlow's CUDA builds really find each library with what devicekit predicts, and try the repair.

    python tools/check_cuda_search.py                    # one release, another one every day
    python tools/check_cuda_search.py 2.15 2.21          # the newest patches of these
    python tools/check_cuda_search.py --environment VENV # an environment that is there already

Each release is installed into a fresh environment next to a stand-in of NVIDIA's driver. Libraries with nothing in them
but names, needs and search paths like those of NVIDIA's packages are laid out in many ways; TensorFlow says what it
loaded (its memory map), devicekit, in another process, what it would. Exit status 1 where they differ.
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

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, "tests", "hardware"))

import build  # noqa: E402

#: The newest patches, and the one that does not look into pip's packages at all.
RELEASES = ("2.15.1", "2.16.1", "2.16.2", "2.17.1", "2.18.1", "2.19.1", "2.20.0", "2.21.0")

#: Folder of pip's package, name, what it needs, and where it says that this lies: as readelf shows NVIDIA's wheels for
#: CUDA 12.5 (nvidia-cusolver-cu12 11.6.3.83 and its like).
LIBRARIES = (
    ("cuda_runtime", "libcudart.so.12", (), ""),
    ("nvjitlink", "libnvJitLink.so.12", (), ""),
    ("cublas", "libcublasLt.so.12", (), "$ORIGIN"),
    ("cublas", "libcublas.so.12", ("libcublasLt.so.12",), "$ORIGIN"),
    ("cufft", "libcufft.so.11", (), "$ORIGIN:$ORIGIN/../../nvjitlink/lib"),
    ("cusparse", "libcusparse.so.12", ("libnvJitLink.so.12",), "$ORIGIN:$ORIGIN/../../nvjitlink/lib"),
    (
        "cusolver",
        "libcusolver.so.11",
        ("libnvJitLink.so.12", "libcusparse.so.12", "libcublas.so.12", "libcublasLt.so.12"),
        "$ORIGIN:$ORIGIN/../../cublas/lib:$ORIGIN/../../nvjitlink/lib:$ORIGIN/../../cusparse/lib",
    ),
    ("cudnn", "libcudnn.so.{cudnn}", (), "$ORIGIN"),
)

#: The same of neighboring releases of CUDA, which these builds have no use for.
OTHERS = (
    ("cuda_runtime", "libcudart.so.11.0"), ("cuda_runtime", "libcudart.so.13"), ("cublas", "libcublas.so.11"),
    ("cublas", "libcublasLt.so.11"), ("cufft", "libcufft.so.10"), ("cusparse", "libcusparse.so.11"),
    ("cudnn", "libcudnn.so.7"),
)  # fmt: skip

#: What TensorFlow loads. The names that it asks for are in the loader's own report on standard error.
REAL = """
import json, os, sys
late, load = json.loads(sys.argv[1])
os.environ.update(late)
if load:
    from devicekit.runtime.preload import load as preload
    preload(load)
import tensorflow as tf
gpus = [device.name for device in tf.config.list_physical_devices("GPU")]
with open("/proc/self/maps") as stream:
    files = {line.split(None, 5)[5].rstrip("\\n") for line in stream if len(line.split(None, 5)) == 6}
print(json.dumps({"gpus": gpus, "files": sorted(path for path in files if ".so" in path)}))
"""

#: What devicekit says. It is given the GPU: no machine without one has the files that list it.
PREDICTED = """
import json
from devicekit.machine.detect import detect
from devicekit.machine.facts import Fact
from devicekit.machine.facts import Gpu
from devicekit.machine.live_host import LiveHost
from devicekit.matrix.matrix import BUNDLED
from devicekit.diagnosis.rules.libraries import search
from devicekit.diagnosis.view import View
machine = detect()
machine = machine.replace(driver=machine.driver.replace(gpus=Fact.of((Gpu("nvidia", "NVIDIA L4", 0),), "stand-in")))
found = search(View(machine, BUNDLED))
host = LiveHost()
print(json.dumps({
    "found": {name: host.expand(found.attempts[name].library.path) if not found.attempts[name].lacks else None
              for name in found.names},
    "repairable": found.repairable,
    "load": [item.path for item in found.repair.load],
}))
"""


class Layouts:
    """The ways in which libraries can be installed, one at a time, next to an installed TensorFlow."""

    def __init__(self, site, folder, cudnn):
        self.site = site
        self.folder = folder
        self.pool = os.path.join(folder, "pool")
        self.elsewhere = os.path.join(folder, "elsewhere")
        self.flat = os.path.join(folder, "flat")
        self.wrong = os.path.join(folder, "wrong")
        self.libraries = [(package, name.format(cudnn=cudnn), needs, path) for package, name, needs, path in LIBRARIES]
        self.names = [name for _, name, _, _ in self.libraries]
        for _, name, needs, runpath in self.libraries:
            needed = [os.path.join(self.pool, item) for item in needs]
            build.build_empty_library(os.path.join(self.pool, name), needed, runpath)
        for _, name in OTHERS:
            build.build_empty_library(os.path.join(self.pool, name))
        self.driver = build.build_cuda_driver(folder)
        self.only_cuda = build.build_cuda_driver(folder, ("libcuda.so.1",))

    def clear(self):
        """Remove everything that `lay` made."""
        for path in (os.path.join(self.site, "nvidia"), self.elsewhere, self.flat, self.wrong):
            shutil.rmtree(path, ignore_errors=True)
        for name in ("elsewhere.pth",):
            if os.path.exists(os.path.join(self.site, name)):
                os.unlink(os.path.join(self.site, name))

    def lay(self, names, base):
        """Put libraries below ``base`` as pip's packages have them."""
        for package, name in [item[:2] for item in self.libraries] + list(OTHERS):
            if name in names:
                target = os.path.join(base, "nvidia", package, "lib")
                os.makedirs(target, exist_ok=True)
                shutil.copy2(os.path.join(self.pool, name), target)

    def put(self, names, folder):
        """Put libraries into one folder."""
        os.makedirs(folder, exist_ok=True)
        for name in names:
            shutil.copy2(os.path.join(self.pool, name), folder)

    def scenarios(self):
        """Yield (name, environment, variables set too late), with the files in place."""
        everything, wrong = list(self.names), [name for _, name in OTHERS]
        path = {"LD_LIBRARY_PATH": self.driver}

        def with_path(*folders):
            return {"LD_LIBRARY_PATH": os.pathsep.join((self.driver, *folders))}

        yield "nothing", path, {}
        self.lay(everything, self.site)
        yield "next to TensorFlow", path, {}
        yield "next to TensorFlow, no management library", {"LD_LIBRARY_PATH": self.only_cuda}, {}
        for name in everything:
            self.clear()
            self.lay([item for item in everything if item != name], self.site)
            yield "next to TensorFlow without " + name, path, {}
        self.clear()
        self.lay(everything, self.elsewhere)
        yield "on PYTHONPATH", dict(path, PYTHONPATH=self.elsewhere), {}
        with open(os.path.join(self.site, "elsewhere.pth"), "w") as stream:
            stream.write(self.elsewhere + "\n")
        yield "in another folder for packages", path, {}
        self.clear()
        self.lay(everything[:4], self.site)
        self.lay(everything[4:], self.elsewhere)
        yield "in two folders for packages", dict(path, PYTHONPATH=self.elsewhere), {}
        self.clear()
        self.put(everything, self.flat)
        yield "in LD_LIBRARY_PATH", with_path(self.flat), {}
        yield "in LD_LIBRARY_PATH, set too late", path, with_path(self.flat)
        yield "preloaded", dict(path, LD_PRELOAD=" ".join(os.path.join(self.flat, name) for name in everything)), {}
        self.clear()
        self.put(everything[:4], self.flat)
        self.lay(everything[4:], self.site)
        yield "half in LD_LIBRARY_PATH", with_path(self.flat), {}
        self.lay(everything[:4], self.site)
        yield "half in LD_LIBRARY_PATH, all next to TensorFlow", with_path(self.flat), {}
        self.clear()
        self.lay(wrong, self.site)
        yield "other versions next to TensorFlow", path, {}
        self.lay(everything, self.site)
        yield "other versions and the right ones", path, {}
        self.clear()
        self.put(wrong, self.wrong)
        self.lay(everything, self.elsewhere)
        yield (
            "other versions in LD_LIBRARY_PATH, the right ones elsewhere",
            dict(with_path(self.wrong), PYTHONPATH=self.elsewhere),
            {},
        )
        self.clear()


def run(python, code, argument, environment, folder):
    """Return the JSON on the last line that some code prints, and what the loader said."""
    values = {
        name: value for name, value in os.environ.items() if not name.startswith(("LD_", "PYTHON", "CUDA_", "TF_"))
    }
    values.update(environment)
    values["PYTHONPATH"] = os.pathsep.join(filter(None, (environment.get("PYTHONPATH"), ROOT)))
    done = subprocess.run(
        [python, "-c", code, argument], env=values, cwd=folder, capture_output=True, text=True, timeout=600
    )
    try:
        return json.loads(done.stdout.strip().splitlines()[-1]), done.stderr
    except (IndexError, ValueError):
        raise RuntimeError("no answer: %s\n%s" % (done.stdout[-500:], done.stderr[-3000:])) from None


def differences(python, name, environment, late, folder):
    """Return what TensorFlow and devicekit do not agree on in one layout, as lines."""
    answer, _ = run(python, PREDICTED, "", environment, folder)
    task = json.dumps([late, []])
    real, log = run(python, REAL, task, dict(environment, LD_DEBUG="libs"), folder)
    by_name = {os.path.basename(path): path for path in real["files"]}
    lines, compared = [], 0
    for library, path in answer["found"].items():
        if "find library=%s " % library not in log and library not in by_name:
            if path is not None and real["gpus"]:
                lines.append("%s: never asked for" % library)
            continue
        compared += 1
        if by_name.get(library) != path:
            lines.append("%s: TensorFlow has %s, predicted %s" % (library, by_name.get(library), path))
    complete = all(answer["found"].values())
    management = "libnvidia-ml.so.1" in by_name or "find library=libnvidia-ml.so.1 " not in log
    if bool(real["gpus"]) != (complete and management):
        lines.append("TensorFlow lists %s, predicted %s" % (real["gpus"], "GPUs" if complete else "none"))
    repaired = ""
    if answer["repairable"]:
        again, _ = run(python, REAL, json.dumps([late, answer["load"]]), environment, folder)
        repaired = ", after loading %s: %d GPU" % (
            " ".join(os.path.basename(path) for path in answer["load"]),
            len(again["gpus"]),
        )
        if bool(again["gpus"]) != management:
            lines.append("the repair did not help: %s" % ", ".join(answer["load"]))
    missing = [item for item, path in answer["found"].items() if path is None]
    state = "%d GPU, lacks %s%s" % (len(real["gpus"]), " ".join(missing) or "nothing", repaired)
    print("  %-60s %2d libraries, %s%s" % (name, compared, state, "" if not lines else "  DIFFERENT"), flush=True)
    return ["%s: %s" % (name, line) for line in lines]


def check(python, folder, only=None):
    """Compare in every layout; return the differences."""
    code = "import os, tensorflow; print(os.path.dirname(tensorflow.__file__)); print(tensorflow.__version__)"
    done = subprocess.run([python, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    location, version = done.stdout.strip().splitlines()[-2:]
    cudnn = "8" if tuple(map(int, version.split(".")[:2])) < (2, 18) else "9"
    print("TensorFlow %s" % version, flush=True)
    layouts = Layouts(os.path.dirname(location), folder, cudnn)
    layouts.clear()
    found = []
    try:
        for name, environment, late in layouts.scenarios():
            if only is None or only in name:
                found += differences(python, name, environment, late, folder)
    finally:
        layouts.clear()
    return ["TensorFlow %s: %s" % (version, line) for line in found]


def install(version, folder):
    """Make an environment with a release, and return its interpreter."""
    python = os.path.join(folder, "venv", "bin", "python")
    # The interpreter that every one of them has a wheel for.
    subprocess.run(["uv", "venv", "-q", "--python", "3.11", os.path.dirname(os.path.dirname(python))], check=True)
    wanted = ["tensorflow==%s" % (version if version.count(".") > 1 else version + ".*"), "numpy<2.2", "setuptools<81"]
    subprocess.run(["uv", "pip", "install", "-q", "--no-cache", "--python", python, *wanted], check=True)
    return python


def main():
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("releases", nargs="*", help="releases of TensorFlow (default: one, drawn by the day)")
    parser.add_argument("--all", action="store_true", help="every release: %s" % ", ".join(RELEASES))
    parser.add_argument(
        "--environment", metavar="FOLDER", help="an environment with TensorFlow; files come and go in it"
    )
    parser.add_argument("--only", metavar="TEXT", help="only layouts with this in their name")
    options = parser.parse_args()
    today = random.Random(datetime.date.today().toordinal()).choice(RELEASES)
    found = []
    for release in [None] if options.environment else options.releases or (RELEASES if options.all else [today]):
        folder = tempfile.mkdtemp(prefix="cuda-search-")
        try:
            python = (
                os.path.join(options.environment, "bin", "python") if options.environment else install(release, folder)
            )
            found += check(os.path.abspath(python), folder, options.only)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(found) or "no difference")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
