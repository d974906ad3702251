"""What the files of JAX and PyTorch say that they were built for; the texts are those of the real wheels."""

import pytest

from devicekit.machine.probe import read_machine
from devicekit.machine.probe.builds import parse_torch_version

SITE = "/venv/lib/python3.12/site-packages"
OLD = "__version__ = '1.13.1+cu117'\ndebug = False\ncuda = '11.7'\ngit_version = '49444c3e'\nhip = None\n"
NEW = (
    "from typing import Optional\n\n__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip', 'rocm', 'xpu']\n"
    "__version__ = '2.15.0+cu132'\ndebug = False\ncuda: Optional[str] = '13.2'\ngit_version = 'd0f2af8b'\n"
    "hip: Optional[str] = None\nrocm: Optional[str] = None\nxpu: Optional[str] = None\n"
)


def test_version_of_pytorch():
    assert parse_torch_version(OLD) == {"__version__": "1.13.1+cu117", "cuda": "11.7", "hip": None}
    assert parse_torch_version(NEW) == {
        "__version__": "2.15.0+cu132",
        "cuda": "13.2",
        "hip": None,
        "rocm": None,
        "xpu": None,
    }
    assert parse_torch_version("") == {}


def build(make_machine, name, files, **host):
    found = dict(
        {"%s/%s/__init__.py" % (SITE, name): ""}, **{"%s/%s" % (SITE, key): text for key, text in files.items()}
    )
    machine = read_machine(make_machine(files=found, python={"version": "3.12.1"}, **host))
    return machine.python.build(name)


def test_build_of_pytorch(make_machine):
    old = build(make_machine, "torch", {"torch/version.py": OLD})
    assert (old.version.value, old.cuda.value, old.cuda_version.value, old.rocm.value) == (
        "1.13.1+cu117",
        True,
        "11.7",
        False,
    )
    assert old.xpu.value is False
    assert old.metal.value is False
    plain = build(make_machine, "torch", {"torch/version.py": NEW.replace("'13.2'", "None").replace("+cu132", "+cpu")})
    assert (plain.cuda.value, plain.cuda_version.value, plain.rocm_version.value) == (False, None, None)
    rocm = NEW.replace("'13.2'", "None").replace(
        "hip: Optional[str] = None", "hip: Optional[str] = '6.4.43482-0f2d60242'"
    )
    amd = build(make_machine, "torch", {"torch/version.py": rocm})
    assert (amd.cuda.value, amd.rocm.value, amd.rocm_version.value) == (False, True, "6.4.43482-0f2d60242")
    mac = build(make_machine, "torch", {"torch/version.py": NEW}, system="macos", architecture="arm64")
    assert mac.metal.value is True


@pytest.mark.parametrize("text", [None, "print('not what it was')\n"])
def test_a_pytorch_that_does_not_say_is_unknown(make_machine, text):
    found = build(make_machine, "torch", {} if text is None else {"torch/version.py": text})
    assert not found.cuda.known
    assert not found.version.known
    assert not found.xpu.known


def test_build_of_jax(make_machine):
    version = '# Copyright 2018 The JAX Authors.\n_version = "0.7.2"\n_release_version: str | None = None\n'
    found = build(make_machine, "jax", {"jax/version.py": version, "jax_plugins/xla_cuda13/__init__.py": ""})
    assert (found.version.value, found.cuda.value, found.cuda_version.value, found.rocm.value) == (
        "0.7.2",
        True,
        "13",
        False,
    )
    alone = build(make_machine, "jax", {"jax/version.py": version})
    assert (alone.cuda.value, alone.rocm.value, alone.metal.value) == (False, False, False)
    others = build(
        make_machine, "jax", {"jax_plugins/xla_rocm7/__init__.py": "", "jax_plugins/metal_plugin/__init__.py": ""}
    )
    assert (others.rocm_version.value, others.metal.value, others.version.known) == ("7", True, False)
    denied = build(make_machine, "jax", {}, folders=[SITE + "/jax_plugins"], denied=[SITE + "/jax_plugins"])
    assert not denied.cuda.known


def test_a_local_folder_is_no_build(make_machine):
    machine = read_machine(make_machine(files={"/project/torch/__init__.py": "", "/project/torch/version.py": NEW}))
    assert machine.python.build("torch") is None
