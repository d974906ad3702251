"""Devices by their vendor's identifier: whole, in part, of slices, and unknown."""

import pytest
from recorded_machines import load_machine
from test_cuda_order import gpu, view  # noqa: F401 - a fixture

from devicekit import device_scope, select_device
from devicekit.diagnosis.findings import Candidate, Diagnosis
from devicekit.selection.choose import choose
from devicekit.selection.request import parse_request


@pytest.mark.parametrize(
    "text, platform, identifiers",
    [
        ("gpu:GPU-5ebe9f43-1234", None, ("GPU-5ebe9f43-1234",)),
        ("GPU-5ebe9f43", None, ("GPU-5ebe9f43",)),
        (" GPU-5EBE ", None, ("GPU-5EBE",)),
        ("cuda:GPU-5,GPU-6", "cuda", ("GPU-5", "GPU-6")),
        ("rocm:GPU-5", "rocm", ("GPU-5",)),
        ("MIG-5ebe", None, ("MIG-5ebe",)),
        ("gpu:MIG-GPU-5ebe/1/0", None, ("MIG-GPU-5ebe/1/0",)),
    ],
)
def test_accepted(text, platform, identifiers):
    request = parse_request(text)
    assert (request.kind, request.platform, request.identifiers) == ("gpu", platform, identifiers)
    assert (request.indices, request.count, request.text) == ((), len(identifiers), text)


@pytest.mark.parametrize(
    "text", ["GPU-", "gpu-1", "cpu:GPU-1", "gpu:GPU-1,2", "gpu:GPU-1,GPU-1", "GPU-1,gpu-1", "GPU-é"]
)
def test_refused(text):
    with pytest.raises(ValueError, match="accepted are|names a device twice"):
        parse_request(text)


SERVER = load_machine("linux-nvidia-server")
UUID = "GPU-11111111-2222-3333-4444-00000000000%d"


def test_an_identifier_is_the_framework_s_number():
    selection = select_device("gpu:" + UUID % 3, machine=SERVER)
    assert (selection.device, selection.fallback, selection.reason) == ("gpu:3", False, "asked for and usable")
    assert selection.requested == "gpu:" + UUID % 3
    assert select_device("%s,%s" % (UUID % 5, UUID % 2), machine=SERVER).device == "gpu:5,2"
    assert select_device(UUID.lower().replace("gpu", "GPU") % 4, machine=SERVER).device == "gpu:4"
    assert select_device("gpu", machine=SERVER, exclude=[UUID % 0]).device == "gpu:1"
    assert select_device("rocm:" + UUID % 3, machine=SERVER).device == "cpu"


CARDS = tuple(Candidate("gpu:%d" % n, "cuda", "L4", True, uuid="GPU-%s-aaaa" % (str(n) * 4)) for n in range(3))
CPU = Candidate("cpu", "cpu", "Xeon", True)


def decide(text, cards=CARDS, machine=SERVER):
    diagnosis = Diagnosis(candidates=(*cards, CPU), by_framework=(("tensorflow", (*cards, CPU)),))
    return choose(machine, diagnosis, parse_request(text))


def test_the_beginning_is_enough_where_no_other_begins_alike():
    assert decide("GPU-2").device == "gpu:2"
    assert decide("GPU-2,GPU-0000").device == "gpu:2,0"
    assert decide("GPU-2222-AAAA").device == "gpu:2"
    assert decide("GPU-2,GPU-2222").reason == "'GPU-2,GPU-2222' was asked for: GPU-2222 names gpu:2 a second time"
    longer = CARDS[1].replace(device="gpu:3", uuid="GPU-1111-aaaab")
    assert (
        decide("GPU-1111-aaaa", (*CARDS, longer)).device == "gpu:1"
    )  # the whole of one is not the beginning of another


def test_an_unknown_one_is_told_with_those_that_are_there():
    plan = decide("gpu:GPU-9", CARDS[:2])
    assert (plan.device, plan.fallback) == ("cpu", True)
    assert plan.reason == (
        "'gpu:GPU-9' was asked for: there is no GPU-9 here; gpu:0 is GPU-0000-aaaa, gpu:1 is GPU-1111-aaaa"
    )
    several = select_device("GPU-1111", machine=SERVER)
    assert "GPU-1111 is the beginning of several identifiers: gpu:0 (%s), gpu:1" % (UUID % 0) in several.reason
    hidden = decide("GPU-11111111-2222-3333-4444-000000000005", CARDS).reason
    assert "000000000005 is here, but this process does not see it" in hidden
    unknown = decide("GPU-1", tuple(item.replace(uuid="") for item in CARDS), load_machine("linux-no-gpu")).reason
    assert "no device of this machine has a known identifier" in unknown
    nothing = select_device("GPU-1", machine=load_machine("linux-no-gpu"))
    assert (nothing.device, nothing.findings[0].code) == ("cpu", "no-gpu")


def test_slices():
    made = load_machine("linux-nvidia-mig-newer-driver")
    assert select_device("MIG-00000002", machine=made).device == "gpu:1"
    assert select_device("gpu:MIG-00000002-aaaa-bbbb-cccc-dddddddddddd", machine=made).device == "gpu:1"
    assert select_device(UUID % 1, machine=made).device == "gpu:2"
    whole = select_device(UUID % 0, machine=made)
    assert whole.device == "cpu"
    assert (
        "is in MIG mode: name one of its slices: MIG-00000000-aaaa-bbbb-cccc-dddddddddddd, MIG-00000001" in whole.reason
    )


def test_a_scope_is_one_device_by_identifier_too():
    with pytest.raises(ValueError, match="a scope is one device"):
        device_scope("GPU-1,GPU-2")


@pytest.mark.parametrize(
    "variables, numbering",
    [
        ({}, "fastest-first"),
        ({"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}, "pci-bus"),
        ({"CUDA_VISIBLE_DEVICES": "1,0"}, "variable"),
        ({"CUDA_VISIBLE_DEVICES": "0"}, ""),
    ],
)
def test_numbers_say_what_they_count(view, variables, numbering):  # noqa: F811
    from devicekit import diagnose
    from devicekit.report.terminal import Style, devices_text

    made = view(gpu(0), gpu(1), **variables).machine
    found = diagnose(made)
    assert {item.numbering for item in found.candidates if item.platform == "cuda"} == {numbering}
    assert found.candidates[0].location == ("0000:08:00.0" if numbering == "variable" else "0000:07:00.0")
    text = devices_text(found, select_device(machine=made), Style(width=200))
    assert ("Numbers" in text) == bool(numbering)
    assert ("as in nvidia-smi" in text) == (numbering == "pci-bus")
