"""The machines in ``tests/machines``: each is read and diagnosed once in a run of the tests."""

import functools
import json
import os

from devicekit import diagnose
from devicekit.machine import snapshot
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import SimulatedHost

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines")
NAMES = sorted(name for name in os.listdir(FOLDER) if os.path.isdir(os.path.join(FOLDER, name)))
#: Those with ``host.json``; of the others, there is what `devicekit snapshot` wrote on a user's machine.
SIMULATED = [name for name in NAMES if not os.path.exists(os.path.join(FOLDER, name, "snapshot.json"))]


@functools.lru_cache(maxsize=None)
def host(name):
    return SimulatedHost(os.path.join(FOLDER, name))


@functools.lru_cache(maxsize=None)
def load_machine(name):
    """Return a machine as a deep probe sees it."""
    if name not in SIMULATED:
        return snapshot.load_machine(os.path.join(FOLDER, name, "snapshot.json"))
    return read_machine(host(name), deep=True)


@functools.lru_cache(maxsize=None)
def diagnosis(name):
    return diagnose(load_machine(name))


@functools.lru_cache(maxsize=None)
def expected(name):
    """Return what is true of a machine."""
    path = os.path.join(FOLDER, name, "expected.json")
    assert os.path.exists(path), "write it with: python tools/machine_folder.py expected %s" % name
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)
