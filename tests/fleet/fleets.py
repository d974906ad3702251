"""What the tests of fleets share: the generator of the benchmark, and a small fleet in a folder."""

import importlib.util
import json
import os

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def load_generator():
    """Return ``benchmarks/fleet.py``, which is not a package's."""
    path = os.path.join(os.path.dirname(TESTS), "benchmarks", "fleet.py")
    spec = importlib.util.spec_from_file_location("fleet_benchmark", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def template():
    """Return the data of a server with eight GPUs that has nothing to complain of."""
    return json.loads(load_generator().template())


def write(folder, **snapshots):
    """Write snapshots (data, or text as it is) as files."""
    for name, data in snapshots.items():
        text = data if isinstance(data, str) else json.dumps(data, indent=1)
        (folder / (name + ".json")).write_text(text, encoding="utf-8")
    return str(folder)
