"""CUDA's DLLs in random places of a Windows machine: what its loader makes of them, and what devicekit predicts.

Run by a Python for Windows: ``dll_layouts.py POOL WORK SEED COUNT``, where POOL has the DLLs that ``build.build_cuda_dlls``
built. Each layout is laid out, searched with the flags that TensorFlow passes, predicted, and removed again, all in one
process. Prints a line for each difference, and a summary in JSON last. Standard library and devicekit only.
"""

import _ctypes
import ctypes
import itertools
import json
import os
import random
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from build import CUDA_DLLS as NEEDS

#: What TensorFlow 2.10 opens, and what cuDNN opens at its first operations.
PARTS = tuple(name for name in NEEDS if name.startswith(("cudnn_", "zlib")))
NAMES = tuple(name for name in NEEDS if name not in PARTS)

#: LOAD_WITH_ALTERED_SEARCH_PATH (libloaderapi.h), as TensorFlow loads (tensorflow/core/platform/windows/load_library.cc).
TENSORFLOW_FLAGS = 8

_numbers = itertools.count()
_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel.LoadLibraryExW.argtypes = (ctypes.c_wchar_p, ctypes.c_void_p, ctypes.c_uint32)
_kernel.LoadLibraryExW.restype = ctypes.c_void_p
_kernel.GetModuleHandleW.argtypes = (ctypes.c_wchar_p,)
_kernel.GetModuleHandleW.restype = ctypes.c_void_p
_kernel.GetModuleFileNameW.argtypes = (ctypes.c_void_p, ctypes.c_wchar_p, ctypes.c_uint32)


class Loaded:
    """Libraries that are loaded as a framework does it, until the end of a ``with`` block."""

    def __enter__(self):
        self.handles = []
        return self

    def __exit__(self, *exception):
        for handle in reversed(self.handles):
            _ctypes.FreeLibrary(handle)
        # Wine 8 does not give back what a library needed that then failed to load.
        for name in NAMES + PARTS:
            for _ in range(100):
                handle = _kernel.GetModuleHandleW(name)
                if not handle:
                    break
                _ctypes.FreeLibrary(handle)
            else:
                raise RuntimeError("%s cannot be unloaded" % name)

    def open(self, name):
        """Return the path of the file that a name leads to, None if it does not load."""
        handle = _kernel.LoadLibraryExW(name, None, TENSORFLOW_FLAGS)
        if not handle:
            return None
        self.handles.append(handle)
        text = ctypes.create_unicode_buffer(1024)
        _kernel.GetModuleFileNameW(handle, text, len(text))
        return text.value

    def load(self, path):
        """Load a file as `devicekit.runtime.preload` does it."""
        self.handles.append(ctypes.CDLL(path)._handle)


class Layout:
    """One way in which the libraries lie on the machine.

    Parameters
    ----------
    pool, work : str
        Where the libraries come from, and a folder for what is laid out.
    seed : int
        Says which layout it is.
    """

    def __init__(self, pool, work, seed):
        self.pool, self.work = pool, work
        self.chance = random.Random(seed)
        self.put = []
        self.variables = {}
        self.added = []
        self.site = os.path.join(work, "Lib", "site-packages")
        self.removed = os.path.join(work, "removed")
        system = os.environ["SYSTEMROOT"]
        self.places = {
            "program": sys.base_prefix,
            "System32": os.path.join(system, "System32"),
            "System": os.path.join(system, "System"),
            "Windows": system,
            "cwd": os.path.join(work, "cwd"),
            "first": os.path.join(work, "first"),
            "second": os.path.join(work, "Program Files", "CUDA v11.2", "bin"),
            "third": os.path.join(work, "K\u00f6ln \u6771\u4eac"),
            "added": os.path.join(work, "added"),
            "toolkit": os.path.join(work, "toolkit", "bin"),
            "pip": os.path.join(self.site, "nvidia", "cuda_runtime", "bin"),
            "other pip": os.path.join(self.site, "nvidia", "cudnn", "bin"),
        }

    def lay_out(self):
        """Make the files and the environment."""
        chance = self.chance
        names = list(NAMES)
        chance.shuffle(names)
        self.names = names
        #: Some machines have nearly everything, on others half is missing.
        share = chance.choice((0.05, 0.1, 0.2, 0.4))
        rare = ("program", "System32", "System", "Windows", "cwd")
        home = chance.choice([place for place in self.places if place not in rare])
        for folder in (self.places["cwd"], self.removed):
            os.makedirs(folder, exist_ok=True)
        for name in NAMES + PARTS:
            for place, folder in self.places.items():
                odds = 0.85 if place == home else share / 4 if place in rare else share
                if chance.random() < odds:
                    self._put(name, folder)
        self._environment()

    def _put(self, name, folder):
        target = os.path.join(folder, name.upper() if self.chance.random() < 0.05 else name)
        os.makedirs(folder, exist_ok=True)
        shutil.copyfile(os.path.join(self.pool, name), target)
        self.put.append(target)

    def _environment(self):
        chance = self.chance
        path = [part for part in os.environ["PATH"].split(os.pathsep) if chance.random() < 0.9]
        spellings = (
            lambda folder: folder,
            lambda folder: folder + "\\",
            lambda folder: folder.replace("\\", "/"),
            lambda folder: folder.upper(),
            lambda folder: folder + "\\..\\" + os.path.basename(folder),
            lambda folder: '"%s"' % folder,
            lambda folder: os.path.relpath(folder, self.places["cwd"]),
            lambda folder: " " + folder,
            lambda folder: "%DEVICEKIT_TEST_FOLDER%",
        )
        weights = (30, 6, 4, 4, 3, 2, 2, 1, 1)
        for place in ("first", "second", "third", "pip", "toolkit", "gone"):
            if chance.random() < 0.5:
                folder = self.places.get(place, os.path.join(self.work, "gone"))
                path.insert(chance.randrange(len(path) + 1), chance.choices(spellings, weights)[0](folder))
        if chance.random() < 0.1:
            path.insert(chance.randrange(len(path) + 1), chance.choice(("", ".", "..")))
        self.variables = {"PATH": os.pathsep.join(path), "DEVICEKIT_TEST_FOLDER": self.places["first"]}
        if chance.random() < 0.5:
            self.variables["CUDA_PATH"] = os.path.dirname(self.places["toolkit"])

    def __enter__(self):
        self.before = dict(os.environ), os.getcwd(), list(sys.path)
        self.lay_out()
        os.environ.update(self.variables)
        os.chdir(self.places["cwd"])
        sys.path.append(self.site)
        if os.path.isdir(self.places["added"]):
            self.added.append(vars(os)["add_dll_directory"](self.places["added"]))
        return self

    def __exit__(self, *exception):
        for item in self.added:
            item.close()
        environ, cwd, path = self.before
        os.chdir(cwd)
        sys.path[:] = path
        os.environ.clear()
        os.environ.update(environ)
        for target in self.put:
            if os.path.exists(target):
                # Wine 8 keeps the file of a library that did not load: it can be moved away, not removed.
                os.replace(target, os.path.join(self.removed, "%d" % next(_numbers)))


def predict(names):
    """Return where devicekit expects each name, what to load first, and what is missing all the same."""
    from devicekit.diagnosis.dynamic_linker import DynamicLinker, repair
    from devicekit.machine.facts import Opener
    from devicekit.machine.live_host import LiveHost
    from devicekit.machine.probe.cuda import read_cuda

    host = LiveHost()
    cuda = read_cuda(host)
    opener = Opener("tensorflow", "C:\\site-packages\\tensorflow\\__init__.py", ())
    linker = DynamicLinker(cuda, opener)
    attempts = {name: linker.open(name) for name in names}
    found = {name: None if item.lacks else host.expand(item.library.path) for name, item in attempts.items()}
    repaired = repair(cuda, opener, names)
    return found, [host.expand(item.path) for item in repaired.load], list(repaired.lacks)


def same(real, predicted):
    """Whether two paths lead to one file, or there is none in both."""
    if real is None or predicted is None:
        return real is predicted
    return os.path.normcase(os.path.realpath(real)) == os.path.normcase(os.path.realpath(predicted))


def differences(layout):
    """Return what the loader and devicekit do not agree on, as lines, and how many names load."""
    found, load, lacks = predict(layout.names)
    with Loaded() as process:
        real = {name: process.open(name) for name in layout.names}
    lines = [
        "%s: the loader has %s, predicted %s" % (name, real[name], found[name])
        for name in layout.names
        if not same(real[name], found[name])
    ]
    with Loaded() as process:
        for path in load:
            process.load(path)
        missing = [name for name in layout.names if process.open(name) is None]
        if sorted(missing) != sorted(lacks):
            lines.append("after loading %s, %s are missing, predicted %s" % (load, missing, lacks))
        for path in load:
            # Whatever is next to the cuDNN that was loaded, it must be able to open.
            folder, name = os.path.split(path)
            if name.lower().startswith("cudnn64_"):
                there = [item for item in PARTS if os.path.isfile(os.path.join(folder, item))]
                whole = [item for item in there if set(NEEDS[item]).issubset(there)]
                lines += ["cuDNN cannot open %s" % item for item in whole if process.open(item) is None]
    return lines, sum(path is not None for path in real.values()), bool(load)


def main(pool, work, seed, count):
    """Go through layouts; return the exit status."""
    different = complete = repaired = 0
    for number in range(int(seed), int(seed) + int(count)):
        with Layout(pool, work, number) as layout:
            lines, loads, loaded = differences(layout)
        different += bool(lines)
        complete += loads == len(NAMES)
        repaired += loaded
        for line in lines + ["PATH is " + layout.variables["PATH"]] * bool(lines):
            print(ascii("layout %d: %s" % (number, line)), flush=True)
    summary = {"layouts": int(count), "different": different, "complete": complete, "repaired": repaired}
    print(json.dumps(summary), flush=True)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
