"""Identifiers of devices (``GPU-5ebe9f43-...``, ``MIG-...``) in a request become the framework's numbers. Pure.

As CUDA does in CUDA_VISIBLE_DEVICES, the beginning of an identifier is enough where no other device's begins alike. The
identifier of a GPU in MIG mode does not stand for one of its slices: which one that would be, the driver decides.
"""

from typing import List, Sequence, Tuple

from ..diagnosis.findings import Candidate
from ..machine.facts import Machine
from .plan import number_of
from .request import Request


def numbered(request: Request, accelerators: Sequence[Candidate], machine: Machine) -> Tuple[Request, str]:
    """Return the request with numbers in the place of identifiers, and what is wrong with one, "" where nothing is.

    Where something is wrong, the request stays as it is: it has no number, and must not be taken for one of any device.
    """
    if not request.identifiers:
        return request, ""
    indices: List[int] = []
    for name in request.identifiers:
        matches = [item for item in accelerators if is_named(request.replace(identifiers=(name,)), item)]
        exact = [item for item in matches if item.uuid.lower() == name.lower()]
        matches = exact or matches
        if len(matches) > 1:
            shown = ", ".join("%s (%s)" % (item.device, item.uuid) for item in matches)
            return request, "%s is the beginning of several identifiers: %s" % (name, shown)
        if not matches:
            return request, _unknown(name, accelerators, machine)
        number = number_of(matches[0])
        if number in indices:
            return request, "%s names %s a second time" % (name, matches[0].device)
        indices.append(number)
    return request.replace(indices=tuple(indices)), ""


def is_named(request: Request, candidate: Candidate) -> bool:
    """Return whether an identifier of a request is the candidate's, or its beginning."""
    own = candidate.uuid.lower()
    return bool(own) and any(own.startswith(name.lower()) for name in request.identifiers)


def _unknown(name: str, accelerators: Sequence[Candidate], machine: Machine) -> str:
    for gpu in machine.driver.gpus.or_none() or ():
        slices = gpu.mig_devices.or_none() or ()
        if gpu.uuid.lower().startswith(name.lower()) and slices and gpu.mig_enabled.or_none():
            shown = ", ".join(item.uuid for item in slices if item.uuid)
            return "%s is in MIG mode: name one of its slices%s" % (name, ": " + shown if shown else "")
        if any(uuid.lower().startswith(name.lower()) for uuid in [gpu.uuid] + [item.uuid for item in slices]):
            return (
                "%s is here, but this process does not see it (CUDA_VISIBLE_DEVICES, or one MIG slice at a time)" % name
            )
    known = ["%s is %s" % (item.device, item.uuid) for item in accelerators if item.uuid]
    if not known:
        return "no device of this machine has a known identifier, so that %s cannot be found" % name
    return "there is no %s here; %s" % (name, ", ".join(known))
