"""Random sets of DirectX adapters and values of DML_VISIBLE_DEVICES, and what the real TensorFlow lists of them.

Used by tests/live/test_live_directml.py and tools/check_directml.py. Run as a program this file is the other side: it imports
a DirectML build of TensorFlow once and then lists adapters in a fork for each case, before which nothing was listed.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

LINE = (
    "name", "vendor", "device", "driver", "dedicated", "shared", "hardware", "integrated", "level", "types", "graphics",
    "neural", "directml", "compiles",
)  # fmt: skip

#: Vendor, device and a name for each; the last two are Microsoft's.
CARDS = [
    ("1002", "73df", "AMD Radeon RX 6700 XT"), ("10de", "2684", "NVIDIA GeForce RTX 4090"),
    ("8086", "9a49", "Intel(R) Iris(R) Xe"), ("4d4f4351", "36334330", "Qualcomm(R) Adreno(TM) 690"),
    ("15ad", "405", "VMware SVGA 3D"), ("8086", "7d1d", "Intel(R) AI Boost"), ("1414", "8e", "Microsoft Virtual Render"),
    ("1414", "8c", "Microsoft Basic Render Driver"),
]  # fmt: skip

#: Entries of the variable: numbers in every spelling, and what is none.
ENTRIES = [
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "7",
    "9",
    " 1 ",
    "\t2",
    "1\v",
    "02",
    "000",
    "+1",
    "+0",
    "+ 1",
    "-0",
    "-1",
    "",
    " ",
    "a",
    "1a",
    "0x1",
]
ENTRIES += [
    "1.0",
    "4294967295",
    "4294967296",
    "4294967297",
    "18446744073709551617",
    "GPU-1",
    "1;2",
    "\u00a01",
    "\u0661",
    "++1",
    "1 2",
    "\n3",
    "00000000001",
]


def random_adapter(random):
    """One line of the file of adapters, as a dict; mostly a card that works."""
    vendor, device, name = random.choice(CARDS[:-1] if random.random() < 0.95 else CARDS)
    graphics = random.random() < 0.85
    level = random.choice(["c200", "c100", "c000", "b100", "b000"]) if graphics else "1000"
    if random.random() < 0.15:
        level = random.choice(["a100", "a000", "9300", "1000", "0"])
    types = "1" if random.random() < 0.8 else random.choice(["0", "-%x" % random.randrange(1, 1 << 14)])
    driver = ".".join(str(random.randrange(1 << 16)) for _ in range(4))
    values = [name, vendor, device, driver, random.randrange(1 << 36), random.randrange(1 << 36)]
    values += [
        int(random.random() < 0.94),
        random.randrange(2),
        level,
        types,
        int(graphics),
        random.randrange(2) * (not graphics),
    ]
    values += [int(random.random() < 0.93), int(random.random() < 0.95)]
    return dict(zip(LINE, map(str, values)))


def random_case(random):
    """A set of adapters with different names (or "fail"), and a value of the variable (or None)."""
    if random.random() < 0.02:
        return "fail", None
    adapters = [random_adapter(random) for _ in range(random.choice([0, 1, 2, 2, 3, 3, 4, 5, 6, 8]))]
    if len(adapters) > 1 and random.random() < 0.2:  # one card that is listed twice
        adapters.insert(random.randrange(len(adapters)), dict(random.choice(adapters)))
    for number, adapter in enumerate(adapters):
        adapter["name"] += " #%d" % number
    value = None
    if random.random() < 0.85:
        numbers = [str(number) for number in range(len(adapters))]
        entries = [
            random.choice(numbers if numbers and random.random() < 0.85 else ENTRIES)
            for _ in range(random.randrange(1, 6))
        ]
        value = ",".join(entries) if random.random() < 0.95 else ""
    return adapters, value


def adapter_lines(adapters):
    """The file of adapters."""
    return "\n".join("|".join(adapter[name] for name in LINE) for adapter in adapters) + "\n"


class Lister:
    """A process with a DirectML build of TensorFlow in it, which lists adapters case by case.

    ``python`` is an interpreter with such a build, ``folder`` the folder of the simulated libraries.
    """

    def __init__(self, python, folder):
        self._files = tempfile.TemporaryDirectory()
        environ = dict(os.environ, LD_LIBRARY_PATH=folder, TF_DIRECTML_PATH=folder)
        # The lines that name the adapters: of 1.15's own source file, and of the file through which the plug-in writes.
        environ.update(TF_CPP_VMODULE="dml_device_cache=1,logging=1", TF_CPP_MIN_LOG_LEVEL="0", PYTHONWARNINGS="ignore")
        environ.pop("DML_VISIBLE_DEVICES", None)
        self._process = subprocess.Popen(
            [python, os.path.abspath(__file__), self._files.name],
            env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.flavor = json.loads(self._process.stdout.readline().decode())["flavor"]

    def write(self, adapters):
        """Write the file of adapters; return the value of the variable that names it."""
        if adapters == "fail":
            return "fail"
        path = os.path.join(self._files.name, "adapters.txt")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(adapter_lines(adapters))
        return path

    def names(self, adapters, value):
        """What TensorFlow lists: names in its order, or the number of the signal that ended it."""
        task = {"adapters": self.write(adapters), "visible": value}
        self._process.stdin.write((json.dumps(task) + "\n").encode())
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline().decode())
        if "signal" in answer:
            return answer["signal"]
        assert answer["count"] == len(answer["names"]), answer
        return answer["names"]

    def close(self):
        """End the process."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._files.cleanup()


def predict(setting, value, flavor, folder):
    """What devicekit says of a case: names, or 6 (SIGABRT) where TensorFlow would abort.

    Goes through all that a user's machine does: the process that asks DXCore, the facts that are made of its answer, and the
    function that the rules and the candidates are made with. ``LD_LIBRARY_PATH`` has to name ``folder`` by now.
    """
    import devicekit
    from devicekit.diagnosis.rules.adapters import directml_visible
    from devicekit.machine.driver_query import LiveQuestion
    from devicekit.machine.probe.directml import parse_directx

    child = os.path.join(os.path.dirname(devicekit.__file__), "machine", "probe", "directx_child.py")
    os.environ["DEVICEKIT_SIM_ADAPTERS"] = setting
    task = {"directml": os.path.join(folder, "libdirectml.so")}
    answer = LiveQuestion(child, task, time.monotonic() + 60, 60).answer()
    if answer["failure"]:
        return 6
    return [item.name for item in directml_visible(parse_directx(answer), value, flavor)]


def _serve(folder):
    out = os.dup(1)
    os.dup2(2, 1)  # TensorFlow prints where it likes
    site = next(entry for entry in sys.path if os.path.isdir(os.path.join(entry, "tensorflow")))
    plugin = os.path.join(site, "tensorflow-plugins", "libtfdml_plugin.so")
    if os.path.exists(plugin):
        # TensorFlow loads plug-ins at its import where it is in a folder named site-packages; here each case does that.
        renamed = os.path.join(folder, "packages")
        os.symlink(site, renamed)
        sys.path[:] = [renamed if entry == site else entry for entry in sys.path]
    import tensorflow as tf

    kind = "GPU" if os.path.exists(plugin) else "DML"

    def reply(data):
        os.write(out, (json.dumps(data) + "\n").encode())

    reply({"flavor": "plugin" if kind == "GPU" else "fork"})
    for line in sys.stdin:
        task = json.loads(line)
        log = os.path.join(folder, "log.txt")
        child = os.fork()
        if child == 0:
            stream = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(stream, 2)
            os.environ["DEVICEKIT_SIM_ADAPTERS"] = task["adapters"]
            if task["visible"] is not None:
                os.environ["DML_VISIBLE_DEVICES"] = task["visible"]
            if kind == "GPU":
                from tensorflow.python.framework import load_library

                load_library.load_pluggable_device_library(plugin)
            os._exit(len(tf.config.experimental.list_physical_devices(kind)))
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            reply({"signal": os.WTERMSIG(status)})
            continue
        with open(log, encoding="utf-8") as stream:
            names = re.findall(r"DirectML adapter \d+: (.*?)\0?\n", stream.read())
        reply({"names": names, "count": os.WEXITSTATUS(status)})


if __name__ == "__main__":
    _serve(sys.argv[1])
