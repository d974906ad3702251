"""PyTorch in two processes that `devicekit launch` starts, and what Keras has for them: nothing, which is said."""

import os
import subprocess
import sys

SCRIPT = """
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
total = torch.ones(1) * (dist.get_rank() + 1)
dist.all_reduce(total)
print("sum", int(total), "of", dist.get_world_size(), flush=True)
dist.destroy_process_group()
import devicekit
try:
    devicekit.strategy(framework="torch")
except devicekit.DeviceUnavailableError as error:
    print(error.findings[0].code, "DistributedDataParallel" in str(error))
"""

ALONE = """
import devicekit
print(repr(devicekit.strategy("cpu", framework="torch")))
"""


def run(tmp_path, script, *launcher):
    (tmp_path / "train.py").write_text(script)
    done = subprocess.run(
        [sys.executable, *launcher, "train.py"],
        cwd=str(tmp_path),
        env=dict(os.environ, KERAS_BACKEND="torch", DEVICEKIT_CACHE_DIR=str(tmp_path / "cache")),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-4000:]
    return done.stdout.decode("utf-8", "replace")


def test_two_processes_add_up(tmp_path):
    text = run(
        tmp_path, SCRIPT, "-m", "devicekit", "launch", "--workers", "2", "--devices", "cpu", "--framework", "torch"
    )
    for rank in (0, 1):
        assert "[worker %d] sum 3 of 2\n" % rank in text
        assert "[worker %d] framework-unsupported True\n" % rank in text


def test_one_device(tmp_path):
    assert run(tmp_path, ALONE).strip() == "device(type='cpu')"
