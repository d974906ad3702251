"""Which of several GPUs: the policies, on data."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded_machines import load_machine
from test_fastest import row

from devicekit import select_device
from devicekit.diagnosis.findings import Candidate, Diagnosis
from devicekit.selection.choose import choose
from devicekit.selection.policies import POLICIES, checked_policy, ordered
from devicekit.selection.request import parse_request
from devicekit.selection.situation import Criteria

GIB = 1 << 30
SERVER = load_machine("linux-nvidia-server")


def gpu(number, used_gib=0.4, busy=0, total_gib=80, usable=True, name="H100"):
    used = None if used_gib is None else int(used_gib * GIB)
    free = None if used is None else int(total_gib * GIB) - used
    return Candidate(
        "gpu:%d" % number, "cuda", name, usable, (), int(total_gib * GIB), free, "GPU-%d" % number,
        memory_used_bytes=used, utilization_percent=busy,
    )  # fmt: skip


def first(policy, *gpus, fastest=()):
    found = ordered(gpus, policy, fastest)
    assert sorted(item.device for item in found.candidates) == sorted(item.device for item in gpus)
    return found.candidates[0].device, found.reason


@pytest.mark.parametrize(
    "gpus, device, reason",
    [
        ([gpu(0)], "gpu:0", ""),
        ([gpu(0, 0.4), gpu(1, 0.0), gpu(2, 0.9)], "gpu:0", ""),  # all of them are free: the first
        ([gpu(0, 40.0), gpu(1, 70), gpu(2, 0.4)], "gpu:2", "gpu:2 has the least used memory: 0.4 of 80.0 GiB"),
        ([gpu(0, 40.0), gpu(1, 0.4), gpu(2, 0.1)], "gpu:1", "gpu:1 has the least used memory: 0.4 of 80.0 GiB"),
        ([gpu(0, 40.0), gpu(1, 30.0)], "gpu:1", "gpu:1 has the least used memory: 30.0 of 80.0 GiB"),
        ([gpu(0, 0.4, 95), gpu(1, 0.4, 3)], "gpu:1", "gpu:1 is the least busy: 3 %"),
        ([gpu(0, 0.4, 9), gpu(1, 0.4, 0)], "gpu:0", ""),
        ([gpu(0), gpu(1, 40.0)], "gpu:0", "gpu:0 has the least used memory: 0.4 of 80.0 GiB"),
        ([gpu(0), gpu(1), gpu(2, 40.0)], "gpu:0", ""),  # it would have been the first anyway
        # A desktop on the large card does not send the work to the small one.
        ([gpu(0, 2.0, 5, 24), gpu(1, 0.0, 0, 2)], "gpu:0", ""),
        # What is not known of one of them is not compared.
        ([gpu(0, 40.0), gpu(1, None, None)], "gpu:0", ""),
        ([gpu(0, 40.0, None), gpu(1, 0.1, None)], "gpu:1", "gpu:1 has the least used memory: 0.1 of 80.0 GiB"),
        # What is known to work comes first.
        ([gpu(0, 0.1, usable=None), gpu(1, 70.0)], "gpu:1", ""),
    ],
)
def test_without_a_policy_the_first_free_one(gpus, device, reason):
    assert first(None, *gpus) == (device, reason)


def test_named_policies():
    gpus = [gpu(0, 0.9, 50), gpu(1, 0.5, 99), gpu(2, 0.7, 1)]
    assert first("index", *gpus) == ("gpu:0", "")
    assert first("least-memory", *gpus) == ("gpu:1", "gpu:1 has the least used memory: 0.5 of 80.0 GiB")
    assert first("least-utilisation", *gpus) == ("gpu:2", "gpu:2 is the least busy: 1 %")
    assert first("fastest", *gpus, fastest=("gpu:2", "gpu:0"))[0] == "gpu:2"
    assert first("fastest", *gpus) == ("gpu:0", "")
    unknown = [gpu(0, None, None), gpu(1, None, None)]
    assert first("least-memory", *unknown) == ("gpu:0", "gpu:0 is the first: how much memory is in use is not known")
    assert first("least-utilisation", gpu(0, 1, None), gpu(1, 1, 80))[0] == "gpu:1"
    assert checked_policy("least-utilization") == "least-utilisation"


def test_of_different_cards_that_are_free_the_one_that_was_measured_to_be_the_fastest():
    cards = (gpu(0, name="T4"), gpu(1, name="L40S"), Candidate("cpu", "cpu", "Xeon", True))
    diagnosis = Diagnosis(candidates=cards, by_framework=(("tensorflow", cards),))

    def plan(measured, policy=None):
        return choose(SERVER, diagnosis, parse_request("gpu"), Criteria(policy=policy, measured=measured))

    rows = (row("gpu:0", 100.0), row("gpu:1", 300.0))
    assert (plan(rows).device, plan(rows).reason) == (
        "gpu:1",
        "gpu:1 is the fastest of the free ones that were measured",
    )
    assert plan(()).device == "gpu:0"
    assert plan(rows, "index").device == "gpu:0"


def test_a_function_gets_the_usable_ones_and_returns_one():
    seen = []

    def last(candidates):
        seen.append([item.device for item in candidates])
        return candidates[-1]

    selection = select_device(machine=SERVER, policy=last, exclude=("gpu:0",))
    assert selection.device == "gpu:7"
    assert "your policy last" in selection.reason
    assert seen == [["gpu:%d" % number for number in range(1, 8)]]
    # An equal one will do, and so will one that works only with several.
    assert select_device(machine=SERVER, policy=lambda items: items[2].replace()).device == "gpu:2"


@pytest.mark.parametrize(
    "policy, message",
    [
        (lambda items: items[99], "the policy function failed on gpu:0, .*: IndexError"),
        (lambda items: None, "returns one of the candidates that it is given .*not None"),
        (lambda items: "gpu:1", "returns one of the candidates that it is given .*not 'gpu:1'"),
        (lambda items: gpu(99), "returns one of the candidates"),
        (lambda: None, "the policy function failed on .*: TypeError"),
        ("best", "unknown policy 'best'; accepted are index, least-memory, least-utilisation, fastest or a function"),
        (3, "unknown policy 3"),
        (int, "unknown policy"),
    ],
)
def test_a_wrong_policy_is_told(policy, message):
    with pytest.raises(ValueError, match=message):
        select_device("gpu", machine=SERVER, policy=policy)


def test_a_policy_is_judged_even_where_there_is_nothing_to_choose():
    with pytest.raises(ValueError, match="unknown policy"):
        select_device(machine=load_machine("linux-no-gpu"), policy="best")


def test_the_selection_says_why_this_one():
    assert select_device("gpu", machine=SERVER).reason == "the first usable accelerator"
    selection = select_device("gpu", machine=SERVER, policy="least-memory")
    assert (selection.device, selection.reason) == ("gpu:0", "gpu:0 has the least used memory: 0.5 of 40.0 GiB")
    assert select_device("gpu:3", machine=SERVER, policy="least-memory").device == "gpu:3"


AMOUNT = st.one_of(st.none(), st.integers(min_value=0, max_value=80))


@given(st.lists(st.tuples(AMOUNT, st.one_of(st.none(), st.integers(0, 100)), st.booleans()), min_size=1, max_size=8))
def test_any_facts_give_one_order_that_does_not_depend_on_chance(facts):
    gpus = [gpu(number, used, busy, usable=sure or None) for number, (used, busy, sure) in enumerate(facts)]
    for policy in (None, *POLICIES):
        once, again = ordered(gpus, policy), ordered(list(gpus), policy)
        assert once == again
        assert sorted(item.device for item in once.candidates) == [item.device for item in gpus]
        assert once.candidates[0].usable or not any(item.usable for item in gpus)


def test_the_free_ones_come_before_those_in_use():
    chance = random.Random(1)
    for _ in range(50):
        gpus = [gpu(number, chance.choice([0.2, 0.5, 9.0, 40.0]), chance.choice([0, 50])) for number in range(6)]
        free = [item.device for item in gpus if item.memory_used_bytes < GIB and not item.utilization_percent]
        assert [item.device for item in ordered(gpus).candidates][: len(free)] == free
