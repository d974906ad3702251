"""What the loader is said to find, against what the machine's own loader finds: compiled libraries, laid out at random.

Each layout is a folder of libraries with nothing in them but names, needs and search paths. One process asks the real
loader for them on behalf of a library that names folders (as a framework's does); another one predicts. Both see the same
environment. A machine without a C++ compiler, or another system than Linux, cannot make them.
"""

import json
import os
import random
import shutil
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "hardware"))

import build

NAMES = (
    "libcudart.so.12", "libcublasLt.so.12", "libcublas.so.12", "libnvJitLink.so.12", "libcusparse.so.12",
    "libcusolver.so.11", "libcudnn.so.9",
)  # fmt: skip
NEEDS = {
    "libcublas.so.12": ("libcublasLt.so.12",),
    "libcusparse.so.12": ("libnvJitLink.so.12",),
    "libcusolver.so.11": ("libnvJitLink.so.12", "libcusparse.so.12", "libcublas.so.12", "libcublasLt.so.12"),
}

#: A framework's library that opens others by name: the loader then searches on its behalf, as it does for TensorFlow.
OPENER = """
#include <dlfcn.h>
void *open_it(const char *name) { return dlopen(name, RTLD_LAZY); }
"""

REAL = """
import ctypes, json, os, sys
task = json.loads(sys.argv[1])
for path in task["load"]:
    ctypes.CDLL(path)
opener = ctypes.CDLL(task["opener"])
opener.open_it.restype = ctypes.c_void_p
found = {}
for name in task["names"]:
    loads = bool(opener.open_it(name.encode()))
    with open("/proc/self/maps") as stream:
        files = {line.split(None, 5)[5].rstrip("\\n") for line in stream if len(line.split(None, 5)) == 6}
    paths = [path for path in files if os.path.basename(path) == name]
    found[name] = paths[0] if loads and paths else None
print(json.dumps(found))
"""

PREDICTED = """
import json, sys
from devicekit.machine.live_host import LiveHost
from devicekit.diagnosis.dynamic_linker import DynamicLinker, repair
from devicekit.machine.probe.cuda import read_cuda
task = json.loads(sys.argv[1])
host = LiveHost()
cuda = read_cuda(host)
(opener,) = cuda.openers
loader = DynamicLinker(cuda, opener)
attempts = {name: loader.open(name) for name in task["names"]}
repaired = repair(cuda, opener, task["names"])
print(json.dumps({
    "found": {name: host.expand(item.library.path) if not item.lacks else None for name, item in attempts.items()},
    "load": [host.expand(item.path) for item in repaired.load],
    "lacks": list(repaired.lacks),
}))
"""

pytestmark = pytest.mark.only_on("linux", reason="the loader is glibc's")


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    """A folder with every library in the ways in which it can be built, and openers with and without a path of their own."""
    folder = str(tmp_path_factory.mktemp("pool"))
    for kind in ("runpath", "rpath", "plain"):
        for name in NAMES:
            needed = [os.path.join(folder, kind, item) for item in NEEDS.get(name, ())]
            search_path = {} if kind == "plain" else {kind: "$ORIGIN:$ORIGIN/../second:$ORIGIN/../third"}
            build.build_empty_library(os.path.join(folder, kind, name), needed, **search_path)
    source = os.path.join(folder, "opener.c")
    with open(source, "w", encoding="utf-8") as stream:
        stream.write(OPENER)
    for kind in ("runpath", "rpath", "plain"):
        build.build_opener(
            os.path.join(folder, kind, "opener", "libtensorflow_framework.so.2"),
            source,
            kind,
            "$ORIGIN/../../first:$ORIGIN/../../second",
        )
    driver = build.build_cuda_driver(folder)
    return {"folder": folder, "driver": driver}


def lay_out(pool, folder, seed):
    """Lay libraries out as a number says; return the environment, and the libraries of the opener's folder."""
    chance = random.Random(seed)
    opener = os.path.join(folder, "site", "tensorflow")
    shutil.copytree(
        os.path.join(pool["folder"], chance.choice(("runpath", "runpath", "rpath", "plain")), "opener"), opener
    )
    for name in NAMES:
        for place in ("first", "second", "third", "site/nvidia/cuda/lib"):
            if chance.random() < 0.4:
                target = os.path.join(folder, *place.split("/"))
                os.makedirs(target, exist_ok=True)
                kind = chance.choice(("runpath", "runpath", "rpath", "plain"))
                shutil.copy2(os.path.join(pool["folder"], kind, name), target)
    path = [pool["driver"]]
    path += [os.path.join(folder, place) for place in ("third", "first", "gone") if chance.random() < 0.3]
    environment = {"LD_LIBRARY_PATH": ":".join(path), "PYTHONPATH": os.path.join(folder, "site")}
    preload = os.path.join(folder, "third", chance.choice(NAMES))
    if chance.random() < 0.2 and os.path.exists(preload) and os.path.basename(preload) not in NEEDS:
        environment["LD_PRELOAD"] = preload
    names = list(NAMES)
    chance.shuffle(names)
    return environment, os.path.join(opener, "libtensorflow_framework.so.2"), names


@pytest.mark.parametrize("seed", range(20))
def test_it_finds_what_the_real_loader_finds(pool, tmp_path, run_json, seed):
    environment, opener, names = lay_out(pool, str(tmp_path), seed)
    task = {"opener": opener, "names": names, "load": []}
    with_checkout = dict(environment, PYTHONPATH=environment["PYTHONPATH"] + ":" + os.environ.get("PYTHONPATH", ""))
    told = run_json(PREDICTED, json.dumps(task), env=with_checkout)
    assert run_json(REAL, json.dumps(task), env=environment) == told["found"]
    # The repair, for real: what it promises is found, and what it calls missing is not.
    again = run_json(REAL, json.dumps(dict(task, load=told["load"])), env=environment)
    assert [name for name in names if again[name] is None] == told["lacks"]
