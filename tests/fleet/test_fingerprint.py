"""Machines with equal fingerprints have the same findings; what only tells one machine from another is left out."""

import copy
import json
import random

import pytest
from checks import for_each
from fleets import load_generator
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_machines import NAMES, load_machine

from devicekit import Machine, diagnose
from devicekit.cluster.fleet.groups import kind_of, plain_machine, shortcut

GENERATOR = load_generator()
BASE = GENERATOR.template()


def said(data):
    """Everything that matters of a diagnosis but the names of devices and processes."""
    found = diagnose(Machine.from_dict(data))
    return (
        [(item.code, item.severity, item.blocks) for item in found.findings],
        [(item.device, item.platform, item.usable, item.blocked_by) for item in found.candidates],
        [item.code for item in found.not_evaluated],
    )


def written(data):
    return (json.dumps(data, indent=1) + "\n").encode("ascii")


@for_each("name", NAMES)
def test_what_is_left_is_a_machine_with_the_same_findings(name):
    data = load_machine(name).to_dict()
    plain = plain_machine(kind_of(copy.deepcopy(data)).text)
    assert Machine.from_dict(plain)
    assert said(plain) == said(data)


def test_nodes_of_one_kind_have_one_fingerprint():
    generator = random.Random(3)
    nodes = [GENERATOR.node(BASE, generator, number) for number in range(60)]
    kinds = {}
    for node in nodes:
        quick = shortcut(written(node))
        kind = kind_of(copy.deepcopy(node)).fingerprint
        assert quick is not None
        kinds.setdefault(kind, []).append((quick, node))
    assert len(kinds) < 30
    for members in kinds.values():
        # The shortcut distinguishes the same ones.
        assert len({quick for quick, _ in members}) == 1
        assert len({json.dumps(said(node)) for _, node in members[:4]}) == 1
    assert len({quick for members in kinds.values() for quick, _ in members}) == len(kinds)


@settings(max_examples=20)
@given(st.data())
def test_equal_fingerprints_mean_equal_findings(data):
    """Two nodes that differ in what is left out, drawn near the bounds of the rules."""

    def drawn():
        node = json.loads(BASE)
        gpu = node["driver"]["gpus"]["value"][data.draw(st.integers(0, 7))]
        total = gpu["memory_bytes"]["value"]
        gpu["memory_free_bytes"]["value"] = data.draw(
            st.sampled_from([0, total // 20 - 1, total // 20, total // 20 + 1, total // 2, total])
        )
        gpu["compute_mode"] = {
            "status": "value",
            "value": data.draw(st.sampled_from(["default", "exclusive-process", "prohibited"])),
        }
        users = st.fixed_dictionaries(
            {
                "pid": st.integers(1, 3),
                "memory_bytes": st.sampled_from([None, 0, total // 2 - 1, total // 2, total]),
                "kind": st.sampled_from(["compute", "graphics", "mps"]),
            }
        )
        gpu["processes"] = {"status": "value", "value": data.draw(st.lists(users, max_size=3)), "source": "NVML"}
        if data.draw(st.booleans()):
            node["process"]["modules"] = [{"name": "tensorflow", "version": "", "initialized": None, "backend": ""}]
        return node

    one, other = drawn(), drawn()
    if kind_of(copy.deepcopy(one)).fingerprint == kind_of(copy.deepcopy(other)).fingerprint:
        assert said(one) == said(other)
    assert said(plain_machine(kind_of(copy.deepcopy(one)).text)) == said(one)


def test_a_variable_with_the_beginning_of_a_serial_number_is_the_same_on_every_node():
    prints, wrong = set(), set()
    for number in range(3):
        node = json.loads(BASE)
        for place, gpu in enumerate(node["driver"]["gpus"]["value"]):
            gpu["uuid"] = "GPU-%d%d000000-0000-0000-0000-000000000000" % (number, place)
        for name, value in (("right", "GPU-%d2" % number), ("wrong", "GPU-%d" % number)):
            data = copy.deepcopy(node)
            data["process"]["environ"] = [["CUDA_VISIBLE_DEVICES", value]]
            (prints if name == "right" else wrong).add(kind_of(data).fingerprint)
    assert len(prints) == 1
    assert len(wrong) == 3  # a beginning that fits all of them says nothing of one


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"{\n}", b'{\n "schema": 1\n}', b"\xff\xfe", b'{\n "driver": {,\n "x": 1\n}', b"[" * 100000],
    ids=range(8),  # Windows takes no variable, as pytest makes of a name, of 100,000 characters
)
def test_what_is_no_snapshot_has_no_shortcut_or_one_of_its_own(content):
    quick = shortcut(content)
    assert quick is None or quick != shortcut(BASE.encode("ascii"))


@pytest.mark.parametrize(
    "data", [None, 3, [], {}, {"driver": 3}, {"driver": {"gpus": {"status": "value", "value": 7}}}]
)
def test_any_data_have_a_fingerprint(data):
    assert len(kind_of(data).fingerprint) == 16
