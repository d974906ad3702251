"""A real Ray cluster on this machine: three raylets, each its own process group with its own environment."""

import os
import time

import pytest

# Before Ray is imported: nothing is sent anywhere, and nothing is asked for.
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_DISABLE_IMPORT_WARNING"] = "1"

#: What the environments of the raylets have beyond this process's; `{bare}` hides devicekit, as if it were not installed.
NODES = {"head": {}, "hidden": {"CUDA_VISIBLE_DEVICES": "-1"}, "bare": {"PYTHONPATH": "{bare}"}}


def processes():
    """Return the processes of Ray that this user has, by number."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/cmdline" % name, "rb") as stream:
                    words = stream.read().replace(b"\0", b" ").decode("utf-8", "replace")
                with open("/proc/%s/status" % name) as stream:
                    zombie = "\nState:\tZ" in stream.read()
            except OSError:  # it has ended
                continue
            if ("raylet" in words or "gcs_server" in words or "ray::" in words) and not zombie:
                found[int(name)] = words[:120]
    return found


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    from ray.cluster_utils import Cluster

    bare = tmp_path_factory.mktemp("bare")
    (bare / "devicekit.py").write_text("raise ModuleNotFoundError(\"No module named 'devicekit'\")\n")
    before = set(processes())
    made = Cluster()
    try:
        for name, variables in NODES.items():
            # Its own name tells a raylet from another one on the same machine.
            own = {key: value.replace("{bare}", str(bare)) for key, value in variables.items()}
            made.add_node(node_name=name, env_vars=dict(os.environ, **own), include_dashboard=False)
        made.wait_for_nodes()
        yield made
    finally:
        made.shutdown()
        deadline = time.monotonic() + 60
        while set(processes()) - before and time.monotonic() < deadline:
            time.sleep(0.2)
        left = {number: words for number, words in processes().items() if number not in before}
        assert not left, left
