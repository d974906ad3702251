"""A snapshot keeps what rules use, and nothing that says who uses the machine, and for what."""

import json
import os
import re

import pytest
from test_streams import leaves

from devicekit import Machine, diagnose
from devicekit.errors import MachineFileError
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import SimulatedHost
from devicekit.report.shareable import shareable
from devicekit.testing import load

MACHINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines")

#: What is planted, and what of it must not be left.
PLANTED = (
    (" /home/otheruser/acmeproject/x.so", "otheruser", "acmeproject"),
    (" /Users/otheruser/Acme/venv", "otheruser", "acme"),
    (" C:\\Users\\otheruser\\acme\\lib", "otheruser", "acme"),
    (" git+https://otheruser:t0ps3cret@acme.example/x?sig=5ecret#frag5", "otheruser", "t0ps3cret", "acme", "5ecret"),
    (" https://github.com/x/y?token=t0ps3cret", "t0ps3cret"),
    (" venv_nina NINA-data x.nina nina1", "nina"),
    (" api_key=t0ps3cretvalue", "t0ps3cretvalue"),
    (" hf_abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnop"),
    (" someone@acme.example", "someone"),
)  # fmt: skip


def planted(data, paths, text):
    data = json.loads(json.dumps(data))
    for path in paths:
        inside = data
        for key in path[:-1]:
            inside = inside[key]
        inside[path[-1]] += text
    return data


@pytest.mark.parametrize("name", ["linux-eight-gpus", "windows-nvidia-tf-2.10"])
def test_no_secret_leaves_whatever_fact_it_is_in(name):
    data = load(name).to_dict()
    by_kind, accepted = {}, []
    for path in leaves(data):
        by_kind.setdefault(tuple(key for key in path if isinstance(key, str)), []).append(path)
    for paths in by_kind.values():
        try:
            Machine.from_dict(planted(data, paths[:1], PLANTED[0][0]))
        except MachineFileError:  # one of a few words
            continue
        accepted += paths
    assert len(accepted) > 50
    for text, *secrets in PLANTED:
        shared = json.dumps(shareable(Machine.from_dict(planted(data, accepted, text)), ["nina"]).to_dict()).lower()
        left = [word for word in secrets if word in shared]
        assert not left, (text, shared[shared.index(left[0]) - 200 :][:300])


def with_variables(**variables):
    machine = load("linux-eight-gpus")
    process = machine.process.replace(environ=tuple(sorted(variables.items())))
    return dict(shareable(machine.replace(process=process), ["nina", "jo"]).process.environ)


def test_values_of_variables_are_what_rules_use():
    shared = with_variables(
        PATH="/home/bob/bin:/usr/bin:/opt/acme/bin:/usr/local/cuda-12.4/bin",
        XLA_FLAGS="--xla_gpu_autotune_level=0 --xla_dump_to=/home/bob/dump --key=a;b secret",
        CONDA_PREFIX="/home/bob/miniconda3/envs/jo_env",
        LD_PRELOAD="/home/bob/acme/libjemalloc.so.2",
        CUDA_VISIBLE_DEVICES="0,1",
        JAX_PLATFORMS="cuda,cpu",
        TPU_NAME="acme-tpu",
        KERAS_HOME="/Users/bob/.keras",
        TF_DIRECTML_PATH="{weird} 'value'",
    )
    assert re.sub(r"<\d+>", "<n>", shared["PATH"]) == "/home/<n>/bin:/usr/bin:/opt/<n>/bin:/usr/local/cuda-12.4/bin"
    assert re.sub(r"<\d+>", "<n>", shared["XLA_FLAGS"]) == (
        "--xla_gpu_autotune_level=0 --xla_dump_to=/home/<n>/<n> --key=<value>"
    )
    assert re.sub(r"<\d+>", "<n>", shared["CONDA_PREFIX"]) == "/home/<n>/miniconda3/envs/<n>"
    assert re.sub(r"<\d+>", "<n>", shared["LD_PRELOAD"]) == "/home/<n>/<n>/libjemalloc.so.2"
    assert (shared["CUDA_VISIBLE_DEVICES"], shared["JAX_PLATFORMS"], shared["TPU_NAME"]) == ("0,1", "cuda,cpu", "<set>")
    assert re.sub(r"<\d+>", "<n>", shared["KERAS_HOME"]) == "/Users/<n>/.keras"
    assert shared["TF_DIRECTML_PATH"] == "<set>"


def test_what_is_masked_stays_distinguishable():
    shared = with_variables(PATH="/data/one/bin:/data/two/bin:/data/one/lib")
    first, second, third = shared["PATH"].split(":")
    assert first[: -len("/bin")] == third[: -len("/lib")] != second[: -len("/bin")]


@pytest.mark.slow
def test_every_machine_has_the_same_diagnosis_after_it():
    """Rules look at versions, names of libraries and settings: what is masked decides nothing."""
    differ = []
    for name in sorted(os.listdir(MACHINES)):
        path = os.path.join(MACHINES, name)
        if os.path.isfile(os.path.join(path, "snapshot.json")):
            with open(os.path.join(path, "snapshot.json"), encoding="utf-8") as stream:
                machine = Machine.from_dict(json.load(stream))
        elif os.path.isdir(path):
            machine = read_machine(SimulatedHost(path), deep=True)
        else:
            continue
        before, after = (diagnose(item) for item in (machine, shareable(machine, ["nina"])))
        if conclusions(before) != conclusions(after):
            differ.append(name)
    assert not differ


def conclusions(diagnosis):
    return (
        [(item.code, item.severity, item.blocks) for item in diagnosis.findings],
        [(item.device, item.usable) for item in diagnosis.candidates],
        [(item.framework, item.cause) for item in diagnosis.frameworks],
    )
