"""Simulated fleets: ``python benchmarks/fleet.py [NODES]`` writes snapshots and measures ``devicekit fleet`` on them.

Every node has serial numbers, addresses, memory in use and process numbers of its own; some have another driver, another
package, a missing device node, a variable, a full GPU; a few files are cut short. Time and peak memory are those of the whole
command in a fresh process.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MACHINE = os.path.join(ROOT, "tests", "machines", "linux-nvidia-server")

#: What `devicekit.cluster.fleet` may take for ten thousand snapshots.
NODES, SECONDS, MEMORY_MIB = 10000, 20.0, 1024

#: Prints the report's first lines, and what the process took at most of the memory.
COMMAND = """
import resource, sys
from devicekit.cli.main import main
status = main(["fleet", "--from", sys.argv[1], *sys.argv[2:]])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print("\\n%d %d" % (status, peak if sys.platform != "darwin" else peak // 1024))
"""


def template():
    """Return the snapshot of a server with eight GPUs, as JSON."""
    from devicekit.machine.probe import read_machine
    from devicekit.machine.simulated import SimulatedHost

    return json.dumps(read_machine(SimulatedHost(MACHINE), deep=True).to_dict())


def node(base, generator, number):
    """Return the snapshot of one node."""
    data = json.loads(base)
    gpus = data["driver"]["gpus"]["value"]
    buses = sorted(generator.sample(range(1, 255), len(gpus)))
    for gpu, bus in zip(gpus, buses):
        gpu["uuid"] = "GPU-%08x-1111-2222-3333-%012x" % (generator.getrandbits(32), number)
        gpu["bus_id"] = "%s:%02x:00.0" % (gpu["bus_id"].partition(":")[0], bus)
        total = gpu["memory_bytes"].get("value") or 40 << 30
        used = generator.randrange(total // 2)
        gpu["memory_free_bytes"] = {"status": "value", "value": total - used, "source": "NVML"}
        gpu["memory_used_bytes"] = {"status": "value", "value": used, "source": "NVML"}
        gpu["utilization_percent"] = {"status": "value", "value": generator.randrange(100), "source": "NVML"}
        process = {"pid": generator.randrange(1000, 99999), "memory_bytes": used, "kind": "compute"}
        gpu["processes"] = {"status": "value", "value": [process], "source": "NVML"}
    for display, bus in zip(data["driver"]["displays"].get("value") or [], buses):
        display["address"] = "0000:%02x:00.0" % bus
    memory = data["native"]["memory_bytes"]
    if memory.get("value"):
        memory["value"] += 4096 * generator.randrange(4000)
    data["native"]["release"] = generator.choice(["5.15.0-1050", "5.15.0-1051", "5.15.0-1060"])
    if generator.random() < 0.2:
        data["native"]["cpu_model"]["value"] = "AMD EPYC 7763 64-Core Processor"
    _trouble(data, generator)
    return data


def _trouble(data, generator):
    """Give one node in ten something that the others do not have."""
    draw = generator.random()
    driver, packages = data["driver"], data["python"]["distributions"]["value"]
    if draw < 0.025:
        old = generator.choice(["535.104.05", "470.82.01"])
        for name in ("nvidia_kernel_version", "nvidia_library_version", "nvidia_version"):
            if driver[name].get("value"):
                driver[name]["value"] = old
    elif draw < 0.03:
        driver["nodes"] = [item for item in driver["nodes"] if item["path"] != "/dev/nvidia-uvm"]
    elif draw < 0.05:
        numpy = next(item for item in packages if item["name"] == "numpy")
        numpy["version"]["value"] = generator.choice(["1.26.4", "2.0.2", "2.1.2"])
    elif draw < 0.06:
        _set(data, "CUDA_VISIBLE_DEVICES", generator.choice(["-1", "0", "0,1,2,3"]))
    elif draw < 0.07:
        gpu = generator.choice(driver["gpus"]["value"])
        gpu["memory_free_bytes"]["value"] = 1 << 28
    elif draw < 0.08:
        _set(data, "LD_LIBRARY_PATH", "/opt/job-%d/lib" % generator.randrange(50))


def _set(data, name, value):
    """Set a variable."""
    others = [pair for pair in data["process"]["environ"] if pair[0] != name]
    data["process"]["environ"] = sorted([*others, [name, value]])


def write_fleet(folder, count, seed=0):
    """Write the snapshots of a fleet, one file a node; one in a thousand is cut short."""
    base, generator = template(), random.Random(seed)
    for number in range(count):
        text = json.dumps(node(base, generator, number), indent=1)
        if number % 1000 == 999:
            text = text[: len(text) // 2]
        with open(os.path.join(folder, "node%05d.json" % number), "w", encoding="utf-8") as stream:
            stream.write(text)


def measure(folder, *arguments):
    """Return seconds, peak memory in MiB, and what ``devicekit fleet`` printed."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, folder, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(item for item in sys.path if item)),
        timeout=1800,
        check=True,
    )
    took = time.perf_counter() - started
    text, _, last = done.stdout.decode("utf-8").rstrip().rpartition("\n")
    return took, int(last.split()[1]) / 1024, text


def main():
    """Write a fleet, measure, and print both."""
    sys.path.insert(0, ROOT)
    parser = argparse.ArgumentParser(description="measure devicekit fleet on simulated snapshots")
    parser.add_argument("nodes", nargs="?", type=int, default=NODES)
    parser.add_argument("--keep", metavar="DIR", help="write the snapshots there and keep them")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or folder
        os.makedirs(place, exist_ok=True)
        write_fleet(place, options.nodes, options.seed)
        seconds, memory_mib, text = measure(place)
    print(text)
    print("%d snapshots: %.1f s, %.0f MiB at most" % (options.nodes, seconds, memory_mib))


if __name__ == "__main__":
    main()
