"""Write the machines of `devicekit.testing` from those of the tests, and the table of them in the documentation.

``python tools/bundle_machines.py`` writes them; ``--check`` only reports what differs. The tests run it.
"""

import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from devicekit import Machine, select_device  # noqa: E402
from devicekit.machine.probe import read_machine  # noqa: E402
from devicekit.machine.simulated import SimulatedHost  # noqa: E402

SOURCE = os.path.join(ROOT, "tests", "machines")
TARGET = os.path.join(ROOT, "devicekit", "testing", "machines.json")
PAGE = os.path.join(ROOT, "docs", "how-to", "test-your-library.md")

#: Public name: the folder in tests/machines, and a sentence about the machine. Released names stay.
BUNDLED = {
    "container-gpu": ("linux-container-with-gpu", "A container that was started with its NVIDIA GPU."),
    "container-no-gpu": ("linux-container-without-gpu", "A container on a machine with a GPU, started without it."),
    "container-cpu-quota": (
        "linux-container-cgroup-v2-quota",
        "A Kubernetes pod that may use half a core of sixteen; no GPU.",
    ),
    "linux-amd-rocm": (
        "linux-amd-rocm",
        "An AMD RX 6900 XT with ROCm and a TensorFlow that runs on it: everything works.",
    ),
    "linux-amd-stock-tf": (
        "linux-amd-stock-tensorflow",
        "An AMD GPU and the TensorFlow from pip, which cannot use it.",
    ),
    "linux-broken-numpy": (
        "linux-numpy-2-under-2.10",
        "TensorFlow 2.10 next to NumPy 2: importing it fails, on the CPU as well.",
    ),
    "linux-cpu": ("linux-no-gpu", "No GPU; TensorFlow works."),
    "linux-cpu-only-build": ("linux-nvidia-tensorflow-cpu", "An NVIDIA GPU and tensorflow-cpu, which cannot use it."),
    "linux-cuda-libraries-missing": (
        "linux-nvidia-no-cuda-libraries",
        "An NVIDIA GPU and its driver, TensorFlow without the CUDA libraries.",
    ),
    "linux-cudnn-missing": ("linux-nvidia-no-cudnn", "An NVIDIA GPU and all CUDA libraries but cuDNN."),
    "linux-driver-missing": ("linux-nvidia-driver-missing", "An NVIDIA GPU without a driver."),
    "linux-driver-too-old": ("linux-nvidia-driver-too-old", "An NVIDIA GPU with a driver from before CUDA 12."),
    "linux-eight-gpus": ("linux-nvidia-server", "Eight A100 of 40 GB: everything works."),
    "linux-gpu-hidden": ("linux-nvidia-hidden", "Two NVIDIA GPUs that CUDA_VISIBLE_DEVICES=-1 hides."),
    "linux-gpu-memory-full": (
        "linux-nvidia-memory-full",
        "Two NVIDIA GPUs; another program has nearly all memory of the first.",
    ),
    "linux-gpu-too-old": (
        "linux-nvidia-maxwell",
        "A Maxwell card with a TensorFlow that has no code for it.",
    ),
    "linux-intel-gpu": ("linux-intel-arc", "An Intel Arc with Intel's extension for TensorFlow: everything works."),
    "linux-jax-nvidia": ("linux-nvidia-jax-cuda12", "Keras on JAX with an NVIDIA GPU: everything works."),
    "linux-mig": ("linux-nvidia-mig", "MIG on one of two A100: CUDA shows a program one slice and nothing else."),
    "linux-no-framework": ("linux-nothing-installed", "No framework is installed."),
    "linux-nvidia": ("linux-nvidia-one-gpu", "One NVIDIA L4 of 24 GB: everything works."),
    "linux-torch-nvidia": ("linux-nvidia-torch-cu126", "Keras on PyTorch with an NVIDIA GPU: everything works."),
    "linux-tpu": ("linux-tpu-jax", "A TPU machine with JAX for TPUs: everything works."),
    "linux-two-kinds-of-gpu": ("linux-nvidia-two-kinds", "Two NVIDIA cards of different kinds."),
    "mac-apple-silicon": ("macos-apple-silicon-metal", "Apple silicon with the Metal plug-in: everything works."),
    "mac-apple-silicon-stock-tf": ("macos-apple-silicon", "Apple silicon and TensorFlow without the Metal plug-in."),
    "mac-intel": ("macos-intel", "A Mac with an Intel processor and no GPU for TensorFlow."),
    "windows-amd-directml": ("windows-amd-directml-plugin", "An AMD GPU with the DirectML plug-in: everything works."),
    "windows-amd-stock-tf": (
        "windows-amd-stock-tensorflow",
        "An AMD GPU and the TensorFlow from pip, which cannot use it.",
    ),
    "windows-cpu": ("windows-processor", "No GPU; the program may use four of sixteen processors."),
    "windows-laptop-three-gpus": (
        "windows-hybrid-directml-plugin",
        "A laptop with three GPUs and the DirectML plug-in: everything works.",
    ),
    "windows-nvidia-stock-tf": (
        "windows-nvidia-tensorflow-2.15",
        "An NVIDIA GPU under a TensorFlow that has no GPU support on Windows.",
    ),
    "windows-nvidia-tf-2.10": (
        "windows-nvidia-tensorflow-2.10",
        "An NVIDIA GPU under the last TensorFlow with GPU support on Windows: everything works.",
    ),
    "wsl2-directml": ("wsl2-with-dxg", "WSL 2 with its GPU and the DirectML plug-in: everything works."),
    "wsl2-no-gpu": ("wsl2-without-dxg", "WSL 2 without its GPU: importing TensorFlow would abort."),
    "wsl2-nvidia": ("wsl2-nvidia", "WSL 2 with an NVIDIA GPU and TensorFlow for CUDA: everything works."),
}

BEGIN, END = "<!-- machines: begin -->", "<!-- machines: end -->"


def machine_of(folder):
    """Return a machine of the tests, as `devicekit.detect` would return it there."""
    return read_machine(SimulatedHost(os.path.join(SOURCE, folder)))


def bundle():
    """Return title and plain data of each bundled machine, by name."""
    return {
        name: {"title": title, "machine": dict(machine_of(folder).to_dict(), devicekit_version="")}
        for name, (folder, title) in BUNDLED.items()
    }


def packed(bundled):
    """Return the text of the file: a machine is a line, as what differs from the one before it that is most like it."""
    lines = []
    for number, name in enumerate(sorted(bundled)):
        entry, machine = bundled[name], bundled[name]["machine"]
        texts = [_compact(entry)]
        for other in sorted(bundled)[:number]:
            texts.append(_compact(dict(entry, like=other, machine=changes(bundled[other]["machine"], machine))))
        lines.append("%s: %s" % (json.dumps(name), min(texts, key=len)))
    return "{\n%s\n}\n" % ",\n".join(lines)


def changes(old, new):
    """Return what `devicekit.testing` makes the new data of the old ones with.

    >>> changes({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 4}, "d": 3})
    {'a': {'b': 4, '-': ['c']}}

    Of distributions, which have names, what differs by name:

    >>> changes({"a": [{"name": "b", "c": 1}, {"name": "d", "c": 1}]}, {"a": [{"name": "b", "c": 2}]})
    {'a': {'b': {'c': 2}, '-': ['d']}}
    """
    result = {}
    for key, value in new.items():
        if key not in old or old[key] != value:
            left, right = by_name(old.get(key)), by_name(value)
            both = isinstance(left, dict) and isinstance(right, dict) and type(old[key]) is type(value)
            result[key] = changes(left, right) if both else value
    gone = sorted(set(old) - set(new))
    return dict(result, **{"-": gone}) if gone else result


def by_name(value):
    """Return a list of records with a name each, in the order of these names, as a dict; anything else as it is."""
    if not isinstance(value, list) or not all(isinstance(item, dict) and "name" in item for item in value):
        return value
    names = [item["name"] for item in value]
    return dict(zip(names, value)) if value and names == sorted(set(names)) else value


def _compact(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def table(bundled):
    """Return the table for the documentation: name, description, selected device, and reason."""
    lines = ["| machine | description | `select_device()` | because of |", "|---|---|---|---|"]
    for name in sorted(BUNDLED):
        selection = select_device(machine=Machine.from_dict(bundled[name]["machine"]))
        cause = "`%s`" % selection.findings[0].code if selection.device == "cpu" and selection.findings else ""
        chosen = selection.device if selection.device == "cpu" else "%s, %s" % (selection.device, selection.platform)
        lines.append("| `%s` | %s | %s | %s |" % (name, BUNDLED[name][1], chosen, cause))
    return "\n".join(lines) + "\n"


def read(path):
    """Return the text of a file, "" if there is none."""
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def main():
    """Write what differs, or only report it with ``--check``."""
    bundled = bundle()
    targets = {TARGET: packed(bundled)}
    page = read(PAGE)
    if BEGIN in page and END in page:
        before, _, rest = page.partition(BEGIN)
        targets[PAGE] = before + BEGIN + "\n\n" + table(bundled) + "\n" + END + rest.partition(END)[2]
    else:
        print("%s has no markers for the table" % os.path.relpath(PAGE, ROOT))
    stale = [path for path, text in sorted(targets.items()) if read(path) != text]
    for path in stale:
        print("%s is outdated" % os.path.relpath(path, ROOT))
    if "--check" in sys.argv[1:]:
        return 1 if stale else 0
    for path in stale:
        with open(path, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(targets[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
