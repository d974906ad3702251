"""A snapshot keeps what rules use, and nothing that says who uses the machine, and for what."""

import json
import os
import re

import pytest
from test_streams import leaves

from devicekit import Machine, diagnose
from devicekit.errors import MachineFileError
from devicekit.machine.facts import Fact
from devicekit.machine.probe import read_machine
from devicekit.machine.probe.process import VARIABLES
from devicekit.machine.simulated import SimulatedHost
from devicekit.report.shareable import names_of, shareable
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
    (" acme/otheruser/x.so", "otheruser", "acme"),
    (" x:acme/otheruser/bin", "otheruser", "acme"),
    (" x=acme\\otheruser", "otheruser", "acme"),
    (" ~otheruser/acme", "otheruser", "acme"),
    (" /home/otheruser", "otheruser"),
    (" /home/201812345/x", "201812345"),
    (" /data/3.11-acme/cpython-acme/cp311-acme/x86_64-acme", "acme"),
    (" \\\\acmeserver\\share\\otheruser\\x", "acmeserver", "otheruser"),
    (" /etc/otheruser/acme", "otheruser", "acme"),
    (" /usr/share/otheruser/acme", "otheruser", "acme"),
    (" /dev/mapper/acme-otheruser", "otheruser", "acme"),
    (" /sys/fs/cgroup/system.slice/acme.service/cpu.max", "acme"),
    (" C:\\Users\\Zaphod Beeblebrox\\acme\\x", "zaphod", "beeblebrox", "acme"),
    (" D:\\Data\\Zaphod Beeblebrox\\x", "zaphod", "beeblebrox"),
    (" [Errno 13] denied: 'D:\\\\data\\\\zaphod beeblebrox'", "zaphod", "beeblebrox"),
    (" cannot open C:\\Users\\Zaphod Beeblebrox", "zaphod", "beeblebrox"),
    (" C:\\Users\\Nina Lopez\\x", "nina", "lopez"),
    (" nina@acme.example", "nina", "acme"),
    (" https://conda.anaconda.org/t/ab-12345-tok3n/acme/x", "tok3n", "acme"),
    (" git+https://otheruser:t0ken@github.com/acme-corp/secret-project", "otheruser", "t0ken", "acme", "secret-project"),
    (" https://otheruser:t0/k@en@pypi.org/simple", "otheruser", "t0/k", "en@"),
    (" https://acme.pypi.org/simple", "acme"),
    (" git@github.com:acme-corp/secret-project.git", "acme", "secret-project"),
    (" WANDB_API_KEY=hunter2secret", "hunter2"),
    (" --my_credential=hunter2secret", "hunter2"),
    (" glpat-" + 20 * "q", 16 * "q"),
    (" github_pat_" + 30 * "q", 16 * "q"),
    (" AKIA" + 16 * "Q", 16 * "q"),
    (" %2Fhome%2Fotheruser%2Facmeproject C%3A%5cUsers%5cotheruser", "otheruser", "acme"),
    (" S-1-5-21-3623811015-3361044348-30300820-1013", "3361044348"),
    (" Bearer t0ps3crett0ps3cret", "t0ps3cret"),
    (" Authorization: Basic dDBwczNjcmV0", "ddbwczn"),
    (" --hub-token t0ps3cretvalue", "t0ps3cret"),
    (" AccountKey=t0ps3cretvalue== clientSecret: hunter2secret", "t0ps3cret", "hunter2"),
    (" eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.qqqqqqqqqqqq", "qqqqqq", "eyjzdwi"),
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
    assert re.fullmatch(r"<\d+>", shared["TF_DIRECTML_PATH"])


#: What a variable can have besides what is planted in all facts.
BARE = (
    ("otheruser_env", "otheruser"),
    ("acme/otheruser", "acme", "otheruser"),
    ("/usr/bin:acme/otheruser/bin", "acme", "otheruser"),
    ("C:\\Windows;acme\\otheruser", "acme", "otheruser"),
    ("/etc/otheruser/acme", "acme", "otheruser"),
    ("1,otheruser", "otheruser"),
    ("GPU-otheruser", "otheruser"),
    ("hunter2secret", "hunter2"),
    ("--my_credential=hunter2secret --xla_dump_to=acme/otheruser", "hunter2", "acme", "otheruser"),
    ("--xla_gpu_autotune_level='hunter2 secret' --hunter2", "hunter2"),
    ("-hunter2", "hunter2"),
)


@pytest.mark.parametrize("text, secrets", [(text, secrets) for text, *secrets in BARE + PLANTED])
def test_no_variable_keeps_a_secret(text, secrets):
    shared = with_variables(**dict.fromkeys(VARIABLES, text))
    assert set(shared) == set(VARIABLES)
    assert not [(name, value) for name, value in shared.items() if any(word in value.lower() for word in secrets)]


#: Values that some variable's reader takes, and some that it does not.
VALUES = (
    "", "0", "1", "-1", "0,1", "1,x", " 1", "1_000", "1e5", "+inf", "3.", "10.3.0", "true", "Nonsense", "foo=bar", "cuda",
    "cpu,cuda", "CUDA", " cuda", "cuda:0", "torch", "jax", "F32_F32_F32", "BF16_BF16_F32_X3", "highest", "DEBUG",
    "expandable_segments:True", "expandable_segments", "error::DeprecationWarning", "ignore,error", "PCI_BUS_ID",
    "GPU-0aa11ebd", "GPU-x", "level_zero:gpu", "flags.txt", "--tf_xla_auto_jit=2", "--tf_xla_auto_jit=single-gpu(2)",
    "--tf_xla_auto_jit=x", "--xla_made_up", "--made_up=1", "--tf_xla_cpu_global_jit=x",
    "--tf_xla_max_cluster_size='1 2'", "/usr/local/cuda/lib64:lib", "python",
)  # fmt: skip


#: One bad value hides the others of these, so that each is set alone.
ALONE = (
    "XLA_FLAGS",
    "TF_XLA_FLAGS",
    "PYTHONWARNINGS",
    "PYTORCH_CUDA_ALLOC_CONF",
    "KERAS_BACKEND",
    "TF_DETERMINISTIC_OPS",
)


@pytest.mark.parametrize("name", ["linux-nvidia-jax-and-torch", "linux-nvidia-tensorflow-2.21"])
def test_a_masked_setting_is_as_good_or_bad_as_before(name):
    # A PyTorch that ends at bad settings.
    data = read_machine(SimulatedHost(os.path.join(MACHINES, name)), deep=True).to_dict()
    for item in data["python"]["distributions"]["value"]:
        if item["name"] == "torch":
            item["version"]["value"] = "2.15.0"
    machine = Machine.from_dict(data)
    others = tuple(variable for variable in VARIABLES if variable not in ALONE)
    differ = []
    for value in VALUES:
        for variables in (others, *((variable,) for variable in ALONE)):
            process = machine.process.replace(environ=tuple((variable, value) for variable in variables))
            before = machine.replace(process=process)
            if conclusions(diagnose(before)) != conclusions(diagnose(shareable(before))):
                differ.append((variables[0], value))
    assert not differ


def test_under_sudo_the_one_who_typed_it_is_masked(tmp_path):
    machine = {
        "system": "linux",
        "home": "/root",
        "user": "root",
        "node": "box7.acme.example",
        "env": {
            "USER": "root",
            "LOGNAME": "root",
            "SUDO_USER": "nina",
            "PYTHONWARNINGS": "nina",
            "PATH": "/opt/nina_x/bin",
        },
    }
    (tmp_path / "host.json").write_text(json.dumps(machine), encoding="utf-8")
    host = SimulatedHost(str(tmp_path))
    assert {"nina", "box7", "box7.acme.example"} <= set(names_of(host))
    machine = read_machine(host)
    driver = machine.driver.replace(gpus=Fact.unknown("nina's group has none on box7"))
    shared = json.dumps(shareable(machine.replace(driver=driver), names_of(host)).to_dict())
    assert "<name>'s group has none on <name>" in shared
    assert "nina" not in shared


def test_what_rules_and_readers_need_of_texts_is_left():
    mask = shareable(load("linux-eight-gpus")).to_dict()
    assert mask == load("linux-eight-gpus").to_dict()
    texts = (
        "libdevice is not in /usr/local/cuda-12.4/nvvm/libdevice, /opt/cuda",
        "Navi 31 [Radeon RX 7900 XT/7900 XTX/7900M]",
        "Debian GNU/Linux 12 (bookworm)",
        "Driver/library version mismatch (NVML error 18)",
        "/dev/accel*, /dev/vfio, /proc/driver/nvidia/gpus, /sys/fs/cgroup/cpu.max, /dev/dri/renderD128, /etc/os-release",
        "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.2\\bin is not there",
        "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\DirectX",
        "torch @ https://download.pytorch.org/whl/nightly",
        'numpy<2; python_version >= "3.8" and platform_machine == "x86_64"',
        "/venv/lib/python3.11/site-packages/tensorflow-2.20.0.dist-info/METADATA has neither name nor version",
        "/venv/lib/python3.11/site-packages/nvidia/cudnn/lib/libcudnn_graph.so.9: cannot open shared object file",
        "the driver's 5.15.153.1-microsoft-standard-WSL2 does not answer within 2 s",
    )  # fmt: skip
    machine = load("linux-eight-gpus")
    for text in texts:
        failed = machine.replace(driver=machine.driver.replace(gpus=Fact.unknown(text)))
        assert shareable(failed).driver.gpus.problem == text


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
