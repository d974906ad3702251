"""The Acme NPU as a platform of devicekit: ``devicekit.auto("npu")``."""

import json
import pkgutil

import devicekit

from .probe import read_npus
from .rules import RULES, visible


class NpuPlatform(devicekit.plugins.Platform):
    """What devicekit asks. The name is also the word in device strings: ``npu``, ``npu:1``."""

    api_version = 1
    name = "npu"
    title = "Acme NPU"
    url = "https://npu.example/docs"
    # What each framework calls its devices; JAX is not in it, because there is nothing for JAX.
    frameworks = {"tensorflow": "NPU", "torch": "npu"}
    # Our file in the folder tensorflow-plugins.
    libraries = ["libnpu_tensorflow"]
    # They are recorded in snapshots, and `environment` may set them.
    variables = ["NPU_VISIBLE_DEVICES", "NPU_ROOT", "NPU_ALLOCATOR"]

    def probe(self, host):
        """Look at the machine."""
        return read_npus(host)

    def rules(self, view):
        """Say what is wrong, causes first."""
        for rule in RULES:
            yield from rule(view)

    def devices(self, view, framework):
        """List the devices in the framework's order: those that the user's variable leaves."""
        for number in visible(view):
            device = view.facts["devices"][number]
            yield devicekit.plugins.PlatformDevice(
                name=device["model"],
                memory_bytes=device["memory_bytes"],
                remark="NPU %d of this machine" % number,  # codespell:ignore remark
            )

    def environment(self, view, framework, index):
        """Name what must be set before the framework is imported."""
        return {"NPU_ALLOCATOR": "grow"} if framework == "tensorflow" else {}

    def prepare(self, framework):
        """Register the devices. TensorFlow loads our library by itself; for PyTorch there is a package."""
        if framework == "torch":
            import torch_npu  # noqa: F401

    def rows(self):
        """Return what goes together."""
        return json.loads(pkgutil.get_data(__name__, "matrix.json").decode("utf-8"))
