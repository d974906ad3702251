"""The machines in ``tests/machines``: each is read and diagnosed once in a run of the tests."""

import functools
import json
import os

from devicekit import diagnose
from devicekit.machine.probe import read_machine
from devicekit.machine.simulated import SimulatedHost

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machines")
NAMES = sorted(name for name in os.listdir(FOLDER) if os.path.isdir(os.path.join(FOLDER, name)))


@functools.lru_cache(maxsize=None)
def host(name):
    return SimulatedHost(os.path.join(FOLDER, name))


@functools.lru_cache(maxsize=None)
def load_machine(name):
    """Return a machine as a deep probe sees it."""
    return read_machine(host(name), deep=True)


@functools.lru_cache(maxsize=None)
def diagnosis(name):
    return diagnose(load_machine(name))


@functools.lru_cache(maxsize=None)
def expected(name):
    """Return what is true of a machine."""
    with open(os.path.join(FOLDER, name, "expected.json"), encoding="utf-8") as stream:
        return json.load(stream)
