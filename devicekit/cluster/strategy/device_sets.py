"""Which devices train together: all usable ones of one kind, or the named ones; or the finding that says why not. Pure."""

from typing import List, Sequence, Tuple, Union

from ...diagnosis.findings import Candidate, Diagnosis, Evidence, Finding, Fix, name_of
from ...diagnosis.rules.several_gpus import alike, described
from ...selection.plan import Plan, number_of

#: A device that one of these blocks is broken, not just excluded.
_BROKEN = ("driver-unhealthy", "device-lost", "device-permission-denied")


def set_of_devices(diagnosis: Diagnosis, base: Plan) -> Union[Finding, Tuple[List[Candidate], List[Finding]]]:
    """Return the devices that train together, the first one first, and findings about them; or why there are none."""
    if not base.indices:
        return [], []
    listed = [item for item in diagnosis.candidates_for(base.framework) if item.platform not in ("cpu", "")]
    if base.platform == "pluggable" and base.request.indices:
        # How many devices an unknown plug-in brings shows only when it runs: what is not there is found then.
        return [_device_of(base).replace(device="gpu:%d" % index) for index in base.indices], []
    if base.request.indices:
        asked = [item for item in listed if number_of(item) in base.request.indices]
        asked.sort(key=lambda item: base.request.indices.index(number_of(item)))
        lost = [item for item in asked if item.usable is False]
        missing = set(base.request.indices) - {number_of(item) for item in asked}
        if lost or (missing and len(base.request.indices) > 1):
            return _half_broken(diagnosis, base, lost, sorted(missing))
        if len({item.platform for item in asked}) > 1:
            return _unlike("error", asked, base)
        return asked, [_unlike("warning", asked, base)] if not _alike(asked) else []
    same = [item for item in listed if item.platform == base.platform]
    first = next((item for item in same if number_of(item) == base.indices[0]), None)
    if first is None or first.uuid.startswith("MIG-"):  # CUDA gives a process one slice of a GPU
        return [item for item in same if item is first] or [_device_of(base)], []
    broken = [item for item in same if item.usable is False and set(item.blocked_by) & set(_BROKEN)]
    if broken:
        return _half_broken(diagnosis, base, broken, [])
    usable = [item for item in same if item.usable is not False]
    usable.sort(key=number_of)
    alike = [item for item in usable if _alike([first, item])]
    left = [item for item in usable if item not in alike]
    return alike, [_unlike("warning", [first, *left], base, left_out=left)] if left else []


def _device_of(base: Plan) -> Candidate:
    return Candidate(base.device, base.platform, base.name, None, memory_bytes=base.memory_bytes)


def _alike(devices: Sequence[Candidate]) -> bool:
    return alike((item.name, item.memory_bytes) for item in devices)


def _listed(devices: Sequence[Candidate]) -> str:
    return described((item.device, item.name, item.memory_bytes) for item in devices)


def _unlike(severity: str, devices: Sequence[Candidate], base: Plan, left_out: Sequence[Candidate] = ()) -> Finding:
    fix = Fix("Name devices of one kind", "devicekit.strategy(%r)" % devices[0].device)
    if severity == "error":
        platforms = ", ".join("%s (%s)" % (item.device, item.platform) for item in devices)
        summary = "These devices cannot train together, because they belong to different platforms: %s." % platforms
    elif left_out:
        numbers = ",".join(str(number_of(item)) for item in sorted(devices, key=number_of))
        summary = "Only devices like %s train together; left out: %s." % (devices[0].device, _listed(left_out))
        fix = Fix("Name the devices to use them anyway", "devicekit.strategy('gpu:%s')" % numbers)
    else:
        summary = "The devices differ: the slowest sets the pace, the smallest memory the batch: %s." % _listed(devices)
    evidence = Evidence(_listed(devices), "devices of %s" % base.framework)
    return Finding("devices-unlike", severity, summary, (evidence,), (fix,))


def _half_broken(diagnosis: Diagnosis, base: Plan, lost: List[Candidate], missing: List[int]) -> Finding:
    """Return the finding that blocks some of the devices, with what can be done."""
    listed = diagnosis.candidates_for(base.framework)
    good = [item for item in listed if item.platform == base.platform and item.usable is not False and item not in lost]
    wanted = [number_of(item) for item in good if not base.request.indices or number_of(item) in base.request.indices]
    way: Tuple[Fix, ...] = ()
    if wanted:
        way = (Fix("Train without it", "devicekit.strategy('gpu:%s')" % ",".join(map(str, sorted(wanted)))),)
    for item in lost:
        for code in item.blocked_by:
            found = diagnosis.by_code(code, name_of(base.framework))
            if found is not None:
                summary = "%s cannot be used, so the devices asked for cannot train together: %s" % (
                    item.device, found.summary,
                )  # fmt: skip
                return found.replace(severity="error", summary=summary, fix=way + tuple(found.fix))
    return Finding(
        "no-gpu",
        "error",
        "%s was requested, but there is no %s." % (base.request.text, ", ".join("gpu:%d" % index for index in missing)),
        (Evidence(_listed([item for item in listed if item.platform != "cpu"]) or "no accelerator", "devices"),),
        way,
    )
