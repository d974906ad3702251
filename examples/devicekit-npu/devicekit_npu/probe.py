"""What the machine says of its NPUs. Everything is read through ``host``, so that a folder can stand in for a machine."""

#: Where the driver shows its devices, below the folder that NPU_ROOT names.
DEVICES = "/sys/class/npu"
DRIVER = "/sys/module/npu/version"


def read_npus(host):
    """Return plain data about the NPUs and their driver; None where this machine has none."""
    root = host.environ().get("NPU_ROOT", "")
    try:
        names = host.list_names(root + DEVICES)
    except OSError:  # no driver, and so nothing that could be used
        return None
    devices = [read_npu(host, root, name) for name in names]
    driver = read(host, root + DRIVER)
    # The value of "identity" decides whether a device has to be tried again.
    return {"devices": devices, "driver": driver, "identity": [driver, names]} if devices else None


def read_npu(host, root, name):
    """Return what is known of one device."""
    folder = host.join(root + DEVICES, name)
    memory = read(host, host.join(folder, "memory_bytes"))
    return {
        "model": read(host, host.join(folder, "model")) or "Acme NPU",
        "memory_bytes": int(memory) if memory.isdigit() else None,
        "node": "/dev/" + name,
        "accessible": host.accessible(root + "/dev/" + name),
    }


def read(host, path):
    """Return the text of a small file, "" where it cannot be read."""
    try:
        return host.read_text(path, 1000).strip()
    except OSError:
        return ""
