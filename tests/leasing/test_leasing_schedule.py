"""Who may take what: pure, on data; and what locks are called."""

from hypothesis import given
from hypothesis import strategies as st
from recorded_machines import load_machine

from devicekit import diagnose
from devicekit.cluster.lease.lease import visible
from devicekit.cluster.lease.schedule import Wish, conflict, grant, keys_of, least_changes, pick
from devicekit.diagnosis.findings import Candidate

ALL = ("a", "b", "c", "d")


def wish(number, keys=ALL, wanted=1):
    return Wish(number, tuple(keys), wanted)


def test_first_come_first_served():
    assert grant(wish(1), [], []) == ("a",)
    assert grant(wish(1), [], ["a", "c"]) == ("b",)
    assert grant(wish(1), [], ALL) is None
    assert grant(wish(2), [wish(1)], ["a", "b", "c"]) is None  # the one that is free is the first one's
    assert grant(wish(2), [wish(1)], ["a", "b"]) == ("d",)
    assert grant(wish(2), [wish(3)], ["a", "b", "c"]) == ("d",)  # who came later does not count
    assert grant(wish(1, wanted=2), [], ["a", "b", "c"]) is None


def test_a_wish_for_several_is_not_passed_by_wishes_for_one():
    two = wish(1, wanted=2)
    assert grant(wish(2), [two], ["a", "b", "c"]) is None  # d is kept for it
    assert grant(two, [], ["a", "b"]) == ("c", "d")


def test_who_waits_for_one_certain_device_keeps_nobody_from_the_others():
    assert grant(wish(2), [wish(1, "a")], ["a"]) == ("b",)
    assert grant(wish(2), [wish(1, "b")], []) == ("a",)
    assert grant(wish(2, "b"), [wish(1, "b")], []) is None


def test_a_whole_gpu_and_its_slices_exclude_one_another():
    assert conflict("07", "07+MIG-1")
    assert conflict("07+MIG-1", "07")
    assert not conflict("07+MIG-1", "07+MIG-2")
    assert not conflict("07", "071")
    assert grant(wish(1, ["07"]), [], ["07+MIG-1"]) is None
    assert grant(wish(1, ["07+MIG-1", "07+MIG-2"]), [], ["07+MIG-1"]) == ("07+MIG-2",)
    assert grant(wish(1, ["07+MIG-1"]), [], ["07"]) is None
    assert pick(["07", "07+MIG-1", "08"], 2, ()) == ("07", "08")


KEYS = st.lists(st.sampled_from(ALL), unique=True, min_size=1)
WISHES = st.lists(st.tuples(KEYS, st.integers(1, 4)), min_size=1, max_size=12)


@given(WISHES, st.lists(st.sampled_from(ALL), unique=True))
def test_nothing_is_given_twice_and_the_first_that_can_be_served_is(wishes, held):
    """Anyone who looks, in whatever order: what all are granted together never overlaps, and someone can always go on."""
    queue = [Wish(number + 1, tuple(keys), min(wanted, len(keys))) for number, (keys, wanted) in enumerate(wishes)]
    granted = [found for found in (grant(item, queue, held) for item in queue) if found is not None]
    given_out = [key for found in granted for key in found]
    assert len(given_out) == len(set(given_out))
    assert not set(given_out) & set(held)
    if not held:
        assert grant(queue[0], queue, held) is not None


@given(WISHES, KEYS, st.integers(1, 4), st.randoms())
def test_nobody_waits_for_more_changes_than_it_takes(wishes, keys, wanted, chance):
    """Play a queue to its end: a wish is never granted after fewer changes than it was told to sleep through."""
    queue = [Wish(number + 1, tuple(item), min(count, len(item))) for number, (item, count) in enumerate(wishes)]
    mine = Wish(len(queue) + 1, tuple(keys), min(wanted, len(keys)))
    held, changes = [], 0
    needed = least_changes(mine.keys, queue)
    if grant(mine, queue, held) is not None:
        needed = 0  # it would not sleep
    waiting = [*queue, mine]
    leases = []
    while mine in waiting:
        for item in chance.sample(waiting, len(waiting)):
            found = grant(item, waiting, held)
            if found is not None:
                assert item != mine or changes >= needed
                waiting.remove(item)
                held += found
                leases.append(found)
                changes += 1
        if leases:
            for key in leases.pop(0):
                held.remove(key)
            changes += 1


def candidates(name):
    return [item for item in diagnose(load_machine(name)).candidates if item.platform != "cpu"]


def test_a_lock_is_called_after_the_hardware_and_not_after_its_number():
    one = keys_of(candidates("linux-nvidia-two-kinds"))
    assert one == {"gpu:0": "0000:08:00.0", "gpu:1": "0000:07:00.0"}
    slices = keys_of(candidates("linux-nvidia-mig-newer-driver"))
    assert slices == {
        "gpu:0": "0000:07:00.0+MIG-00000000-aaaa-bbbb-cccc-dddddddddddd",
        "gpu:1": "0000:07:00.0+MIG-00000002-aaaa-bbbb-cccc-dddddddddddd",
        "gpu:2": "0000:08:00.0",
    }
    # One process sees it as gpu:0, the other as gpu:1 or not at all.
    four = {
        item.uuid: key
        for item, key in zip(candidates("linux-nvidia-restricted-by-uuid"), ("0000:09:00.0", "0000:07:00.0"))
    }
    assert list(keys_of(candidates("linux-nvidia-restricted-by-uuid")).values()) == list(four.values())


def test_keys_of_what_has_no_address():
    gpu = Candidate("gpu:0", "metal", "Apple M2 GPU", True)
    assert keys_of([gpu]) == {"gpu:0": "metal Apple M2 GPU #0"}
    assert keys_of([gpu, gpu.replace(device="gpu:1")])["gpu:1"] == "metal Apple M2 GPU #1"
    assert keys_of([gpu.replace(uuid="GPU-1")]) == {"gpu:0": "GPU-1"}
    # Parts of one GPU at one address; adapters of DirectX are counted by the system.
    parts = [
        Candidate("gpu:%d" % n, "rocm", "MI300X", True, uuid="GPU-%d" % n, location="0000:05:00.0") for n in (0, 1)
    ]
    assert keys_of(parts) == {"gpu:0": "0000:05:00.0+GPU-0", "gpu:1": "0000:05:00.0+GPU-1"}
    adapters = candidates("wsl2-directml-several-adapters")
    assert len(set(keys_of(adapters).values())) == len(adapters)
    assert keys_of(adapters)["gpu:0"].startswith("directx adapter ")


def restricted(name, *devices):
    machine = load_machine(name)
    found = {item.device: item for item in diagnose(machine).candidates}
    return visible(machine, [found[device] for device in devices])


def test_variables_leave_only_what_was_leased():
    uuid = "GPU-11111111-2222-3333-4444-00000000000%d"
    assert restricted("linux-nvidia-server", "gpu:3", "gpu:1")[0] == {
        "CUDA_VISIBLE_DEVICES": "%s,%s" % (uuid % 3, uuid % 1)
    }
    assert restricted("linux-nvidia-mig-newer-driver", "gpu:1")[0] == {
        "CUDA_VISIBLE_DEVICES": "MIG-00000002-aaaa-bbbb-cccc-dddddddddddd"
    }
    assert restricted("linux-amd-instinct", "gpu:0")[0] == {"HIP_VISIBLE_DEVICES": "GPU-4f2a5a1b7c3d9e10"}
    metal, why = restricted("macos-apple-silicon-metal", "gpu:0")
    assert metal == {}
    assert "no variable restricts a process to one device of the platform metal" in why


def test_without_identifiers_numbers_are_taken_as_the_user_s_own_variable_has_them():
    machine = load_machine("linux-nvidia-restricted")
    value = machine.process.env("CUDA_VISIBLE_DEVICES")
    found = [item.replace(uuid="") for item in candidates("linux-nvidia-restricted")]
    left = value.split(",")
    assert visible(machine, found[1:2])[0] == {"CUDA_VISIBLE_DEVICES": left[1]}
    assert visible(machine, found[::-1])[0] == {"CUDA_VISIBLE_DEVICES": ",".join(left[::-1])}
    plain = load_machine("linux-nvidia-server")
    assert visible(plain, [Candidate("gpu:5", "cuda", "A100", True)])[0] == {"CUDA_VISIBLE_DEVICES": "5"}
