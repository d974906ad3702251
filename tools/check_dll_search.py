"""Compare where Windows' loader finds CUDA's DLLs with what devicekit predicts, over random layouts, under Wine.

    python tools/check_dll_search.py FOLDER                          # 1,000 layouts, other ones every day
    python tools/check_dll_search.py FOLDER --layouts 50 --seed 3
    python tools/check_dll_search.py FOLDER --tensorflow             # TensorFlow 2.10.1 itself, in a few layouts: minutes each

FOLDER is an environment of ``tools/windows_environment.py``, for ``--tensorflow`` with ``tensorflow==2.10.1``. The DLLs have
nothing in them but what they need (tests/hardware/build.py); they are loaded with the flags that TensorFlow passes, from the
places and by the spellings of PATH in tests/hardware/dll_layouts.py. Exit status 1 if a layout differs.
"""

import argparse
import datetime
import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(ROOT, "tests", "hardware")]

import build  # noqa: E402
from windows_environment import Windows, windows_path  # noqa: E402

#: How many layouts one process goes through, and how long it may take for them.
BATCH, LIMIT_S = 250, 900

#: What TensorFlow lists, and what devicekit says of it before.
LISTS = """
import json, os
import devicekit
machine = devicekit.detect()
diagnosis = devicekit.diagnose(machine)
from devicekit.diagnosis.rules.libraries import search
from devicekit.diagnosis.view import View
from devicekit.machine.facts import Fact, Gpu
from devicekit.matrix.matrix import BUNDLED
driver = machine.driver.replace(gpus=Fact.of((Gpu("nvidia", "NVIDIA L4", 0),), "stand-in"))
found = search(View(machine.replace(driver=driver), BUNDLED))
if os.environ.get("DEVICEKIT_TEST_REPAIR"):
    from devicekit.runtime.preload import load
    load([item.path for item in found.repair.load])
import tensorflow as tf
gpus = [item.name for item in tf.config.list_physical_devices("GPU")]
print("ANSWER " + json.dumps({"gpus": len(gpus), "missing": list(found.missing), "lacks": list(found.repair.lacks)}))
"""


def check(windows, layouts, seed=None, report=print):
    """Compare in random layouts; return the differences as lines."""
    seed = int(datetime.date.today().strftime("%Y%m%d")) if seed is None else seed
    pool = build.build_cuda_dlls(os.path.join(windows.folder, "built"))
    script = windows_path(os.path.join(ROOT, "tests", "hardware", "dll_layouts.py"))
    differences = []
    for start in range(0, layouts, BATCH):
        count = min(BATCH, layouts - start)
        work = os.path.join(windows.drive, "layouts")
        try:
            arguments = [script, windows_path(pool), "C:\\layouts", str(seed + start), str(count)]
            _, output = windows.run(arguments, LIMIT_S)
        finally:
            shutil.rmtree(work, ignore_errors=True)
            _remove_left_over(windows)
        lines = output.splitlines()
        try:
            summary = json.loads(lines[-1])
        except (IndexError, ValueError):
            raise RuntimeError("no answer:\n%s" % output[-3000:]) from None
        report("seeds %d to %d: %s" % (seed + start, seed + start + count - 1, summary))
        differences += lines[:-1]
    return differences


def _remove_left_over(windows):
    """Remove what a process that was ended left in the folders of the system and of the program."""
    for folder in ("windows/system32", "windows/system", "windows", os.path.basename(windows.python)):
        path = os.path.join(windows.drive, *folder.split("/"))
        for name in os.listdir(path) if os.path.isdir(path) else ():
            if name.lower() in [item.lower() for item in build.CUDA_DLLS]:
                os.unlink(os.path.join(path, name))


def check_tensorflow(windows):
    """Compare with what TensorFlow lists, in a few layouts; return the differences as lines."""
    system = os.path.join(windows.drive, "windows", "system32")
    pool = build.build_cuda_dlls(os.path.join(windows.folder, "built"))
    shutil.copy2(build.build_cuda_driver_dll(os.path.join(windows.folder, "built")), system)
    everything = [name for name in build.CUDA_DLLS if not name.startswith(("cudnn_", "zlib"))]
    program, wheel = windows.python, os.path.join(windows.python, "Lib", "site-packages", "nvidia", "all", "bin")
    folder = os.path.join(windows.drive, "CUDA", "bin")
    scenarios = [
        ("nothing", {}, ""),
        ("on PATH", {folder: everything}, ""),
        ("on PATH without cuDNN", {folder: everything[:-1]}, ""),
        ("on PATH without what cuBLAS needs", {folder: [name for name in everything if "Lt" not in name]}, ""),
        ("next to python.exe, half on PATH", {program: everything[:4], folder: everything[4:]}, ""),
        ("in System32", {system: everything}, ""),
        ("in pip's packages", {wheel: everything}, ""),
        ("in pip's packages, loaded first", {wheel: everything}, "1"),
    ]
    differences = []
    for name, files, repair in scenarios:
        put = []
        try:
            for target, names in files.items():
                os.makedirs(target, exist_ok=True)
                put += [shutil.copy2(os.path.join(pool, item), target) for item in names]
            variables = {"WINEPATH": "C:\\CUDA\\bin", "DEVICEKIT_TEST_REPAIR": repair, "TF_CPP_MIN_LOG_LEVEL": "2"}
            status, output = windows.run(["-c", LISTS], 400, **variables)
        finally:
            for path in put:
                os.unlink(path)
        lines = [line for line in output.splitlines() if line.startswith("ANSWER ")]
        if status != 0 or not lines:
            raise RuntimeError("%s: status %s\n%s" % (name, status, output[-3000:]))
        answer = json.loads(lines[-1][len("ANSWER ") :])
        expected = not (answer["lacks"] if repair else answer["missing"])
        print(
            "  %-40s %d GPU, missing %s" % (name, answer["gpus"], " ".join(answer["missing"]) or "nothing"), flush=True
        )
        if bool(answer["gpus"]) != expected:
            differences.append("%s: TensorFlow lists %d GPU, predicted %s" % (name, answer["gpus"], answer))
    return differences


def main():
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="an environment of tools/windows_environment.py")
    parser.add_argument("--layouts", type=int, default=1000)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--tensorflow", action="store_true", help="ask TensorFlow 2.10.1 instead")
    options = parser.parse_args()
    with Windows(options.folder) as windows:
        if options.tensorflow:
            differences = check_tensorflow(windows)
        else:
            differences = check(windows, options.layouts, options.seed)
    print("\n".join(differences) or "no difference")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
