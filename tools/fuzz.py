"""Feeds mutated logs, files and answers to everything that reads such: nothing may raise, nothing may be slow.

``python tools/fuzz.py [--count 200000] [--seed 0] [--jobs 2] [--save FOLDER] [--only KIND ...]``: the same seed makes the same
inputs. What other programs and users wrote is in `fuzz_foreign`.
What raised, or took too much processor time, is reported, and its input is kept in the folder; then the exit status is 1.
"""

import argparse
import copy
import faulthandler
import glob
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
import traceback

import fuzz_foreign

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

#: Seconds of processor time that one input may take; a whole machine is read and diagnosed, and fixes are resolved.
SLOW_S, SLOW_MACHINE_S = 0.25, 1.0

#: So many inputs are made between two signs of life; a slice that is stuck is ended after so many seconds.
BATCH, STUCK_S = 200, 300

ODD = (
    "\0", "\r", "\n", "\r\n", "\t", " ", "\x1b[31m", "\x1b]0;", "\x0c", "\x85", "\u2028", "\ufeff", "\ufffd",
    "\u200b", "\u0663", "\xb2", "\U0001f525", "e\u0301", "'", '"', "\\", "/", ":", ",", "=", ";", "(", ")", "[", "]",
    "{", "}", "{x}", "%s", "%", "-", "..", "9" * 30, "9" * 5000, "-1", "0x", "1.2.3", "nan", "null", "true",
)  # fmt: skip

LINES = (
    "Epoch 1/10", "1875/1875 [==============================] - 3s 2ms/step - loss: 0.2 - accuracy: 0.9", "[]",
    "False", ">>> ", "Traceback (most recent call last):", '  File "train.py", line 1, in <module>',
    "    import tensorflow as tf", "ImportError: ", "OSError: [WinError 126] ", "RuntimeError: CUDA error: ",
    "2024-01-01 10:00:00.000000: W tensorflow/core/x.cc:1] ", "Killed", "Segmentation fault (core dumped)",
    "OS Platform: Windows 11", "GPU model and memory: GTX 1080", "TensorFlow version: 2.10",
    "The above exception was the direct cause of the following exception:", "Num GPUs Available:  0", "loss: nan",
    "pip install x",
)  # fmt: skip

METADATA = (
    "Metadata-Version: 2.1\nName: tensorflow_cpu\nVersion: 2.15.0\nRequires-Python: >=3.9\n"
    "Requires-Dist: numpy<2.0.0,>=1.23.5\nRequires-Dist: keras<2.16,>=2.15.0\n"
    "Requires-Dist: nvidia-cudnn-cu12==8.9.4.25 ; extra == 'and-cuda'\n\nA description.\n"
)
RECORD = (
    "tensorflow/__init__.py,sha256=x,10\ntensorflow/libtensorflow_cc.so.2,sha256=x,826352968\n"
    '"a name, with a comma.py",sha256=x,10\ntensorflow-2.15.0.dist-info/RECORD,,\r\n../../bin/x,sha256=x,7\n'
)
WHEEL = (
    "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n"
    "Tag: cp311-cp311-manylinux_2_17_x86_64\nTag: cp311-cp311-manylinux2014_x86_64\n"
)
BUILD_INFO = (
    "import collections\nbuild_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', 'compute_90']), "
    "('cuda_version', '12.2'), ('cudnn_version', '8'), ('is_cuda_build', True), ('is_rocm_build', False)])\n"
)
CPUINFO = (
    "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Processor @ 2.60GHz\n"
    "flags\t\t: fpu vme sse4_1 avx avx2 fma\n\nprocessor\t: 1\n"
)
TEXTS = {
    "version.h": "#define TF_MAJOR_VERSION 2\n#define TF_MINOR_VERSION 10\n#define TF_PATCH_VERSION 0\n",
    "os-release": 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\n',
    "meminfo": "MemTotal:       24637016 kB\nMemFree: 1 kB\n",
    "proc-version": "Linux version 5.15.153.1-microsoft-standard-WSL2 (root@x) (gcc) #1 SMP\n",
    "nvidia-version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\n",
    "nvidia-information": "Model: \t NVIDIA A100-SXM4-40GB\nGPU UUID: GPU-1\nBus Location: \t 0000:07:00.0\n",
    "kfd": "simd_count 160\ngfx_target_version 90010\nvendor_id 4098\n",
    "flags": "--xla_dump_to=/tmp/x --xla_gpu_cuda_data_dir=/usr/lib/cuda",
    "keras.json": '{"floatx": "float32", "epsilon": 1e-07, "backend": "tensorflow", "image_data_format": "channels_last"}',
    "pyvenv.cfg": "home = /usr/bin\nimplementation = CPython\nuv = 0.5.1\ninclude-system-site-packages = false\n",
}


def cut_short(text, rng):
    """Return a text of a length that is usual for what was mutated."""
    return text[: rng.choice((2000, 20000, 200000))]


def mutate_text(text, rng):
    """Return a text with a few things done to it."""
    for _ in range(rng.choice((0, 1, 1, 2, 3, 6))):
        kind = rng.randrange(9)
        at = rng.randrange(len(text) + 1)
        to = min(len(text), at + rng.choice((1, 3, 20, 200)))
        if kind == 0:
            text = text[:at] + text[to:]
        elif kind == 1:
            text = text[:at] + rng.choice(ODD) + text[at:]
        elif kind == 2:
            text = text[:at] + text[at:to] * rng.choice((2, 5, 50, 500)) + text[to:]
        elif kind == 3:
            text = text[:at] + chr(rng.choice((rng.randrange(128), rng.randrange(0xD800), 0x10FFFF))) + text[at + 1 :]
        elif kind == 4:
            text = text[at:] + text[:at]
        elif kind == 5:
            lines = text.split("\n")
            rng.shuffle(lines)
            text = rng.choice(("\n", "\r\n", "\r", "")).join(lines)
        elif kind == 6:
            text = text[:at] + "".join(chr(rng.randrange(32, 127)) for _ in range(rng.choice((1, 8, 80)))) + text[at:]
        elif kind == 7:
            text = rng.choice((str.upper, str.lower, str.swapcase, str.title))(text)
        else:
            text = text[:at]
    return text if len(text) < 2000 else cut_short(text, rng)


def mutate_bytes(data, rng):
    """Return bytes with a few things done to them."""
    found = bytearray(data)
    for _ in range(rng.choice((0, 1, 2, 4, 16))):
        if not found:
            break
        at = rng.randrange(len(found))
        kind = rng.randrange(5)
        if kind == 0:
            found[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            found[at : at + 8] = struct.pack(
                "<Q", rng.choice((0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, rng.randrange(2**16)))
            )
        elif kind == 2:
            del found[at : at + rng.choice((1, 8, 64))]
        elif kind == 3:
            found[at:at] = bytes(rng.getrandbits(8) for _ in range(rng.choice((1, 8, 64))))
        else:
            del found[at:]
    return bytes(found)


def mutate_data(data, rng):
    """Return JSON data with some of its values replaced, gone, or of another kind."""
    data = copy.deepcopy(data)
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        room = data
        while True:
            keys = sorted(room) if isinstance(room, dict) else list(range(len(room)))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(room[key], (dict, list)) and rng.random() < 0.85:
                room = room[key]
                continue
            kind = rng.randrange(5)
            if kind == 0:
                del room[key]
            elif kind == 1 and isinstance(room[key], str):
                room[key] = mutate_text(room[key], rng)[:5000]
            elif kind == 2 and isinstance(room, dict):
                room[rng.choice(("more", "", "schema", "status", "value"))] = odd_value(rng)
            elif kind == 3 and isinstance(room[key], dict) and "status" in room[key]:
                room[key] = {"status": rng.choice(("absent", "unknown", "value")), "problem": "made up"}
            else:
                room[key] = odd_value(rng)
            break
    return data


def odd_value(rng):
    """Return some JSON value."""
    return rng.choice((
        None, True, False, 0, -1, 10**30, 1.5, "", "\0", "x" * 300, [], [None], {}, {"status": "unknown"},
        {"status": "absent"}, {"status": "value", "value": []}, "2.15.0", "not a version", "..", "\u0663",
        "9" * 5000, float("inf"),
    ))  # fmt: skip


class Fuzzer:
    """Makes inputs from numbers and feeds them.

    Parameters
    ----------
    seed : int
    folder : str
        A temporary folder for simulated machines and files.
    only : sequence of str
        The kinds of inputs to make; all by default.
    """

    def __init__(self, seed, folder, only=()):
        from devicekit.machine.facts import Machine
        from devicekit.machine.probe import read_machine
        from devicekit.machine.simulated import SimulatedHost, host_data

        self.seed, self.folder = seed, folder
        self.examples = examples() + list(LINES)
        self.hosts, self.machines = [], []
        for path in sorted(glob.glob(os.path.join(ROOT, "tests", "machines", "*", "host.json"))):
            self.hosts.append(host_data(os.path.dirname(path)))
            machine = read_machine(SimulatedHost(os.path.dirname(path)), deep=True)
            self.machines.append(json.loads(json.dumps(machine.to_dict())))
        assert all(isinstance(Machine.from_dict(item), Machine) for item in self.machines)
        self.elf = elf_file()
        #: What is fed, and how often.
        self.kinds = (
            [self.log] * 40 + [self.log_bytes] * 10 + [self.metadata] * 9 + [self.record] * 6 + [self.wheel] * 3
        )
        self.kinds += [self.build_info] * 5 + [self.text] * 10 + [self.ld_cache] * 4 + [self.elf_header] * 4
        self.kinds += [self.host] * 2 + [self.machine] * 3 + [self.facts] * 4
        readers = fuzz_foreign.readers(min(self.machines, key=lambda item: len(str(item))))
        self.kinds += [self.foreign(name, *readers[name]) for name in sorted(readers)] * 4
        if only:
            self.kinds = [make for make in self.kinds if make.__name__ in only]

    def case(self, number):
        """Return the kind, the input and what takes it."""
        rng = random.Random("%d:%d" % (self.seed, number))
        make = rng.choice(self.kinds)
        data, feed = make(rng)
        return make.__name__, data, feed

    def foreign(self, name, example, feed):
        """Return what makes inputs for a reader of `fuzz_foreign`."""

        def make(rng):
            content = fuzz_foreign.mutated(example, rng, (mutate_data, mutate_text, mutate_bytes))
            return content, lambda data: feed(data, self.folder)

        make.__name__ = name
        return make

    def lines(self, rng):
        """Return some lines of a log."""
        parts = []
        for _ in range(rng.choice((1, 1, 2, 3, 8, 30))):
            line = rng.choice(self.examples)
            if rng.random() < 0.5:
                line = mutate_text(line, rng)
            if rng.random() < 0.1:
                line = line + rng.choice(self.examples)
            parts.append(line)
        text = rng.choice(("\n", "\n", "\n", "\r\n", "\r", " ", "")).join(parts)
        return cut_short(text * rng.choice((1, 1, 1, 1, 2, 1000)), rng)

    def log(self, rng):
        from devicekit.logs.explain import explain

        return self.lines(rng), explain

    def log_bytes(self, rng):
        import io

        from devicekit.logs.explain import explain_log

        text = self.lines(rng).encode(rng.choice(("utf-8", "utf-16", "utf-16-le", "utf-16-be", "latin-1")), "replace")

        def feed(data):
            explain_log(io.BytesIO(data)).to_dict()
            explain_log(data[start : start + 7] for start in range(0, min(len(data), 20000), 7)).to_dict()

        return mutate_bytes(text, rng), feed

    def metadata(self, rng):
        from devicekit.machine.probe.distributions import parse_metadata

        return mutate_text(METADATA, rng), parse_metadata

    def record(self, rng):
        from devicekit.machine.probe.distributions import parse_record

        system = rng.choice(("linux", "windows", "macos", "plan9"))
        return mutate_text(RECORD, rng), lambda text: [parse_record(text, deep, system) for deep in (True, False)]

    def wheel(self, rng):
        from devicekit.machine.probe.distributions import parse_wheel

        return mutate_text(WHEEL, rng), parse_wheel

    def build_info(self, rng):
        from devicekit.machine.probe.builds import parse_build_info

        return mutate_text(BUILD_INFO, rng), parse_build_info

    def text(self, rng):
        """Small files of the system."""
        from devicekit.machine.probe.builds import parse_version_header
        from devicekit.machine.probe.cuda import parse_data_dir
        from devicekit.machine.probe.driver import parse_nvidia_information, parse_nvidia_version
        from devicekit.machine.probe.native import parse_os_release
        from devicekit.machine.probe.process import parse_proc_version
        from devicekit.machine.probe.processor import parse_cpuinfo, parse_meminfo
        from devicekit.machine.probe.rocm import parse_kfd_properties

        name, parse = rng.choice((
            ("version.h", parse_version_header), ("os-release", parse_os_release), ("meminfo", parse_meminfo),
            ("cpuinfo", parse_cpuinfo), ("proc-version", parse_proc_version),
            ("nvidia-version", parse_nvidia_version), ("flags", parse_data_dir),
            ("nvidia-information", parse_nvidia_information), ("kfd", parse_kfd_properties),
        ))  # fmt: skip
        return mutate_text(TEXTS.get(name, CPUINFO), rng), parse

    def ld_cache(self, rng):
        from devicekit.machine.probe.elf import parse_ld_cache

        return mutate_bytes(ld_so_cache(rng), rng), parse_ld_cache

    def elf_header(self, rng):
        from devicekit.machine.probe.elf import missing_libraries, read_dynamic

        def feed(data):
            host = self.simulated({"loader_cache": {"libc.so.6": "/lib/libc.so.6"}}, {"lib/x.so": data})
            read_dynamic(host, "/lib/x.so")
            missing_libraries(host, "/lib/x.so")

        return mutate_bytes(self.elf, rng), feed

    def host(self, rng):
        """A whole machine with mutated files is read and judged."""
        from devicekit import diagnose, select_device
        from devicekit.machine.probe import read_machine

        host = copy.deepcopy(rng.choice(self.hosts))
        files = host.setdefault("files", {})
        windows = host["system"] == "windows"
        site = "C:\\venv\\Lib\\site-packages" if windows else "/venv/lib/python3.11/site-packages"
        prefix, slash = ("C:\\venv", "\\") if windows else ("/venv", "/")
        info = slash.join((site, "tensorflow_cpu-2.15.0.dist-info", ""))
        for path, text in (
            (info + "METADATA", METADATA), (info + "RECORD", RECORD), (info + "WHEEL", WHEEL),
            (slash.join((site, "tensorflow", "python", "platform", "build_info.py")), BUILD_INFO),
            (slash.join((site, "tensorflow", "__init__.py")), ""),
            (prefix + slash + "pyvenv.cfg", TEXTS["pyvenv.cfg"]),
            (slash.join((host.get("home") or "/root", ".keras", "keras.json")), TEXTS["keras.json"]),
            ("/proc/cpuinfo", CPUINFO),
        ):  # fmt: skip
            if rng.random() < 0.4:
                files[path] = text
        for path in sorted(files):
            if rng.random() < 0.3:
                files[path] = mutate_text(files[path], rng).encode("utf-8", "replace").decode("utf-8")
        host["files"] = files

        def feed(data):
            machine = read_machine(self.simulated(data, {}), deep=True)
            judged(diagnose(machine))
            select_device(machine=machine).to_dict()
            json.dumps(machine.to_dict())

        return host, feed

    def machine(self, rng):
        from devicekit import diagnose, select_device
        from devicekit.errors import MachineFileError
        from devicekit.machine.facts import Machine

        def feed(data):
            try:
                machine = Machine.from_dict(data)
            except MachineFileError:
                return
            judged(diagnose(machine))
            select_device(machine=machine).to_dict()

        return mutate_data(rng.choice(self.machines), rng), feed

    def facts(self, rng):
        from devicekit.errors import DevicekitError
        from devicekit.logs.context import known_from_facts
        from devicekit.logs.engine import read_log

        said = {
            "os": rng.choice(("linux", "windows", "macos", "wsl2", "container", "plan 9")), "python": "3.11",
            "arch": "x86_64", "packages": {"tensorflow": "2.15.0", "numpy": None}, "gpu": "NVIDIA GeForce RTX 3060",
            "driver": "550.54", "cuda": "12.2", "cudnn": "8.9", "rocm": "6.0", "env": {"CUDA_VISIBLE_DEVICES": "-1"},
            "cpu": "AMD Ryzen",
        }  # fmt: skip
        text = self.lines(rng)[:20000]

        def feed(data):
            try:
                known = known_from_facts(data)
            except DevicekitError:
                return
            read_log(text, known).to_dict()

        said = mutate_data(said, rng) if rng.random() < 0.95 else odd_value(rng)
        return said, feed

    def simulated(self, host, files):
        """Return a simulated machine made of data and files."""
        from devicekit.machine.simulated import SimulatedHost

        with open(os.path.join(self.folder, "host.json"), "w", encoding="utf-8") as stream:
            json.dump(dict({"system": "linux"}, **host), stream)
        for name, content in files.items():
            path = os.path.join(self.folder, "root", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as stream:
                stream.write(content)
        return SimulatedHost(self.folder)


def judged(diagnosis):
    """See that no rule failed: the engine catches that and goes on."""
    diagnosis.to_dict()
    for item in diagnosis.not_evaluated:
        if "the rule failed" in item.because:
            raise AssertionError("%s: %s" % (item.code, item.because))


def examples():
    """Return the example lines of all signatures, from next to the signatures or from the tests."""
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, "devicekit", "logs", "signatures", "*.json"))):
        with open(path, encoding="utf-8") as stream:
            for row in json.load(stream)["signatures"]:
                found += row.get("examples", []) + row.get("not", [])
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "signatures", "*.json"))):
        with open(path, encoding="utf-8") as stream:
            for row in json.load(stream).values():
                found += row.get("examples", []) + row.get("not", [])
    return found


def ld_so_cache(rng):
    """Return an ld.so.cache with a few libraries, or with many."""
    count = rng.choice((0, 1, 5, 5, 5, 2000))
    names, entries = b"", b""
    start = 48 + 24 * count
    for number in range(count):
        name = b"lib%d.so.1\0" % number
        path = b"/usr/lib/lib%d.so.1\0" % number
        entries += struct.pack("<iIIIQ", 0x0303, start + len(names), start + len(names) + len(name), 0, 0)
        names += name + path
    head = b"glibc-ld.so.cache1.1" + struct.pack("<II", count, len(names)) + b"\0" * 20
    return (b"ld.so-1.7.0\0\0\0\0\0" if rng.random() < 0.3 else b"") + head + entries + names


def elf_file():
    """Return a small shared library that needs two others."""
    strings = b"\0libc.so.6\0libmissing.so.1\0$ORIGIN/x\0"
    table, dynamic = 64 + 2 * 56, 64 + 2 * 56 + len(strings)
    entries = struct.pack("<qQqQqQqQqQqQ", 1, 1, 1, 11, 29, 27, 5, table, 10, len(strings), 0, 0)
    size = dynamic + len(entries)
    head = b"\x7fELF\x02\x01\x01" + b"\0" * 9 + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, size, size, 4096)
    section = struct.pack("<IIQQQQQQ", 2, 6, dynamic, dynamic, dynamic, len(entries), len(entries), 8)
    return head + load + section + strings + entries


def run(seed, start, count, save, patience=1.0, only=()):
    """Feed the inputs of some numbers and return what was wrong, and the slowest of each kind."""
    wrong, slowest = [], {}
    with tempfile.TemporaryDirectory() as folder:
        fuzzer = Fuzzer(seed, folder, only)
        for number in range(start, start + count):
            if (number - start) % BATCH == 0:
                faulthandler.dump_traceback_later(STUCK_S, exit=True)
            kind, data, feed = fuzzer.case(number)
            problem, took = attempt(feed, data)
            limit = patience * (SLOW_MACHINE_S if kind in ("host", "machine") else SLOW_S)
            if problem is None and took > limit:  # once more: the first of a kind reads files, and machines are busy
                again = [attempt(feed, data)[1] for _ in range(2)]
                took = min([took] + again)
                problem = "slow: %.2f s" % took if took > limit else None
            # From -1: the clock of Windows has steps of 10 ms, so that a kind may take none at all.
            if took > slowest.get(kind, (-1.0, 0))[0]:
                slowest[kind] = (round(took, 4), number)
            if problem is not None:
                wrong.append(
                    {"number": number, "kind": kind, "problem": problem, "input": keep(save, kind, number, data)}
                )
        faulthandler.cancel_dump_traceback_later()
    return {"count": count, "wrong": wrong, "slowest": slowest}


def attempt(feed, data):
    """Feed one input; return what it raised, and its seconds of processor time."""
    started = time.process_time()
    try:
        feed(data)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        said = "%s: %s (%s:%d)" % (type(error).__name__, str(error)[:200], os.path.basename(where[0]), where[1])
        return said, time.process_time() - started
    return None, time.process_time() - started


def keep(save, kind, number, data):
    """Write an input to a file, where that is wanted, and return its path."""
    if not save:
        return ""
    os.makedirs(save, exist_ok=True)
    path = os.path.join(save, "%s-%d" % (kind, number))
    if not isinstance(data, (str, bytes)):
        data = json.dumps(data, indent=1)
    with open(path, "wb") as stream:
        stream.write(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
    return path


def in_parallel(options):
    """Run slices in child processes, and return their joined answers."""
    share = -(-options.count // options.jobs)
    children = []
    for start in range(options.start, options.start + options.count, share):
        count = min(share, options.start + options.count - start)
        command = [sys.executable, os.path.abspath(__file__), "--seed", str(options.seed), "--start", str(start)]
        command += ["--count", str(count), "--jobs", "1", "--save", options.save, "--json"]
        command += ["--patience", str(options.patience), "--only", *options.only]
        children.append((start, count, subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)))
    found = {"count": 0, "wrong": [], "slowest": {}}
    for start, count, child in children:
        out = child.communicate()[0].decode("utf-8", "replace").strip()
        try:
            answer = json.loads(out.splitlines()[-1])
        except (ValueError, IndexError):  # it was stuck, or died
            problem = "the slice of %d from number %d on ended with status %s" % (count, start, child.returncode)
            answer = {
                "count": 0,
                "wrong": [{"number": start, "kind": "?", "problem": problem, "input": ""}],
                "slowest": {},
            }
        found["count"] += answer["count"]
        found["wrong"] += answer["wrong"]
        for kind, slowest in answer["slowest"].items():
            found["slowest"][kind] = max([tuple(slowest), tuple(found["slowest"].get(kind, (0.0, 0)))])
    return found


def main(arguments=None):
    """Run, and print what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=200000, help="how many inputs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first one: to run one again")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--patience", type=float, default=1.0, help="so many times the usual limits, on a busy machine")
    parser.add_argument("--save", metavar="FOLDER", default="", help="where to keep the inputs that went wrong")
    parser.add_argument("--only", metavar="KIND", nargs="*", default=[], help="feed these only, such as lease_record")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    if options.jobs > 1:
        found = in_parallel(options)
    else:
        found = run(options.seed, options.start, options.count, options.save, options.patience, options.only)
    if options.json:
        print(json.dumps(found))
    else:
        for item in found["wrong"][:50]:
            print("%(kind)s %(number)d: %(problem)s %(input)s" % item)
        for kind, (took, number) in sorted(found["slowest"].items()):
            print("slowest %s: %.3f s (number %d)" % (kind, took, number))
        print("%d inputs, %d wrong" % (found["count"], len(found["wrong"])))
    return 1 if found["wrong"] else 0


if __name__ == "__main__":
    sys.path.insert(0, ROOT)
    sys.exit(main())
