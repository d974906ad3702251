"""Installs examples/devicekit-npu into a folder, with a driver of two NPUs that are simulated."""

import os
import shutil

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def install_example(folder):
    """Put the package and its metadata into a folder, as an installer would; return the variables that lead there."""
    site = folder / "site-packages"
    source = os.path.join(ROOT, "examples", "devicekit-npu", "devicekit_npu")
    shutil.copytree(source, str(site / "devicekit_npu"), ignore=shutil.ignore_patterns("__pycache__"))
    info = site / "devicekit_npu-1.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: devicekit-npu\nVersion: 1.0.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[devicekit.platforms]\nnpu = devicekit_npu:NpuPlatform\n", encoding="utf-8")
    root = folder / "npu"
    (root / "dev").mkdir(parents=True)
    for number in range(2):
        device = root / "sys" / "class" / "npu" / ("npu%d" % number)
        device.mkdir(parents=True)
        (device / "model").write_text("Acme NPU 500\n", encoding="utf-8")
        (device / "memory_bytes").write_text("268435456\n", encoding="utf-8")
        (root / "dev" / ("npu%d" % number)).write_text("", encoding="utf-8")
    (root / "sys" / "module" / "npu").mkdir(parents=True)
    (root / "sys" / "module" / "npu" / "version").write_text("2.1.4\n", encoding="utf-8")
    path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(site))))
    return site, {"PYTHONPATH": path, "NPU_ROOT": str(root), "DEVICEKIT_SIM_COUNT": "2"}
