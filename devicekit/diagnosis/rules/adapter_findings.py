"""What keeps a DirectML build of TensorFlow from single adapters: their drivers, what they are, DML_VISIBLE_DEVICES."""

from typing import Iterable, List, Tuple

from ...errors import UnknownFactError
from ...machine.facts import DxAdapter
from ...matrix.target import windows_build, windows_name
from .. import pages
from ..findings import Evidence, Finding, Fix
from ..view import View
from .adapters import (
    MOST_DEVICES,
    AdapterListing,
    adapter_listing,
    known_listing,
    numbered,
    parse_visible,
    why_rejected,
)
from .driver_installs import vendor_driver

_VARIABLE = "DML_VISIBLE_DEVICES"

#: Windows 10 1803, from which on DXGI sorts adapters by performance (IDXGIFactory6).
_SORTING_BUILD = 17134

#: The oldest Windows drivers that reach into WSL (learn.microsoft.com, gpu-tensorflow-wsl): NVIDIA's 460.20 by its number in
#: Windows. AMD's minimum is not in the scheme of Windows' driver versions.
_WSL_DRIVERS = {"10de": (27, 21, 14, 6020), "8086": (28, 20, 100, 8322)}


def unusable_adapters(view: View, name: str) -> Iterable[Finding]:
    """Return why adapters are not used, or not in the expected order; ``name`` is the DirectML distribution's.

    Raises
    ------
    UnknownFactError
        If the adapters are not known.
    """
    listing = adapter_listing(view)
    if listing is None:
        return
    if not (listing.listed or listing.rejected or listing.hidden):
        yield from _no_adapter(view, name)
        return
    if listing.rejected:
        yield _rejected(view, name, listing)
    shown = listing.listed or listing.hidden
    neural = [index for index, item in enumerate(shown) if item.neural]
    if neural:
        yield _finding(
            "info",
            "TensorFlow lists %s as a GPU, but it is a neural processor, which devicekit does not use."
            % shown[neural[0]].name,
            [Evidence("%s is a neural processor" % shown[index].name, _source(view)) for index in neural],
            [Fix("Use a GPU; ONNX Runtime can use neural processors")],
            tuple("tensorflow.gpu:%d" % index for index in neural),
        )
    if view.directml_flavor == "plugin" and len(listing.listed) > MOST_DEVICES:
        yield _finding(
            "warning",
            "%s supports at most %d devices, but this machine has %d: TensorFlow fails when it starts all of them."
            % (name, MOST_DEVICES, len(listing.listed)),
            [Evidence("%d adapters" % len(listing.listed), _source(view))],
            [_set(view, "Make only the first ones visible", ",".join(map(str, range(MOST_DEVICES))))],
            tuple("tensorflow.gpu:%d" % index for index in range(MOST_DEVICES, len(listing.listed))),
        )
    yield from _order(view, name, listing)


def _order(view: View, name: str, listing: AdapterListing) -> Iterable[Finding]:
    build = windows_build(view.machine.native.release) if view.machine.native.system == "windows" else None
    if build is not None and build < _SORTING_BUILD and len(listing.listed) > 1:
        yield _finding(
            "info",
            "Windows before 1803 does not sort adapters by performance: GPU 0 may not be the fastest.",
            [Evidence(windows_name(view.machine.native.release), "the operating system")],
            [_set(view, "Put the number of the fastest one first", "1,0")],
        )
    version = view.machine.python.version_of("tensorflow-directml-plugin") or ""
    if view.directml_flavor == "plugin" and version.startswith("0.0.") and listing.hidden and listing.listed:
        yield _finding(
            "info",
            "%s %s uses only one adapter: %s." % (name, version, listing.listed[0].name),
            [Evidence("%d adapters" % listing.counted, _source(view))],
            [_set(view, "Choose another one by its number", "1")],
        )


def _source(view: View) -> str:
    return view.machine.directml.adapters.source


def _finding(
    severity: str, summary: str, evidence: List[Evidence], fixes: List[Fix], blocks: Tuple[str, ...] = ()
) -> Finding:
    return Finding("directml-unsupported", severity, summary, tuple(evidence), tuple(fixes), blocks, pages.DIRECTML)


def _set(view: View, text: str, value: str) -> Fix:
    return view.shell.set_fix(text, _VARIABLE, value)


def _no_adapter(view: View, name: str) -> Iterable[Finding]:
    directml = view.machine.directml
    every = (directml.adapters.value or ()) + directml.registered
    remote = [item for item in every if "remote display adapter" in item.name.lower()]
    if view.machine.native.system == "windows":
        if remote:
            yield _finding(
                "info",
                "This Remote Desktop session has only a virtual display adapter, so %s finds no GPU." % name,
                [Evidence(remote[0].name, _source(view))],
                [
                    Fix("Run it in a session on the machine itself"),
                    Fix(
                        "Allow hardware graphics in Remote Desktop sessions: in gpedit.msc, Computer Configuration, "
                        "Administrative Templates, Windows Components, Remote Desktop Services, Remote Session Environment",
                        who="admin",
                        changes="system",
                        instead=True,
                    ),
                ],
                ("directml",),
            )
        elif directml.failure and directml.adapters.source == "DXGI":
            yield _finding(
                "warning",
                "%s finds no GPU: DXGI lists no adapter." % name,
                [Evidence(directml.failure, "DXGI")],
                list(vendor_driver("Install the current driver of the GPU's vendor")),
                ("directml",),
            )
        return
    yield _finding(
        "warning",
        "%s finds no GPU: DXCore lists no adapter." % name,
        [Evidence("DXCore lists %s" % (", ".join(item.name for item in every) or "nothing"), _source(view))],
        list(vendor_driver("Install the current driver of the GPU's vendor in Windows: it includes the part for WSL")),
        ("directml",),
    )


def _rejected(view: View, name: str, listing: AdapterListing) -> Finding:
    """Why TensorFlow leaves out adapters that are there."""
    usable = len(listing.listed or listing.hidden)
    rejected = listing.rejected
    reasons = list(dict.fromkeys(why_rejected(item) for item in rejected))
    names = ", ".join(dict.fromkeys(item.name for item in rejected))
    wsl = bool(view.wsl)
    fixes = list(vendor_driver("Install the vendor's current driver for it%s" % (", in Windows" if wsl else "")))
    evidence = [Evidence("%s: %s" % (item.name, why_rejected(item)), _source(view)) for item in rejected]
    for item in rejected if wsl else ():
        least = _WSL_DRIVERS.get(item.vendor_id)
        numbers = tuple(int(part) for part in item.driver_version.split(".") if part)
        if least is not None and numbers and numbers < least:
            words = "driver %s; WSL needs %s or later" % (item.driver_version, ".".join(map(str, least)))
            evidence.append(Evidence(words, _source(view)))
    text = "Use another GPU: older ones lack features that TensorFlow needs, with any driver"
    fixes.append(Fix(text, instead=True))
    return _finding(
        "info" if usable else "warning",
        "%s does not use %s: %s."
        % (name, names, reasons[0] if len(reasons) == 1 else "their drivers lack features it needs"),
        evidence,
        fixes,
        tuple("tensorflow.gpu:%d" % (usable + index) for index in range(len(rejected))) if usable else ("directml",),
    )


def hiding_variable(view: View) -> Iterable[Finding]:
    """Return what DML_VISIBLE_DEVICES hides, or does unintentionally: exactly as the build reads it."""
    flavor, value = view.directml_flavor, view.machine.process.env(_VARIABLE)
    if flavor is None or not value:  # unset and empty mean all
        return
    listing = known_listing(view)
    count = 1 << 32 if listing is None else listing.counted
    if not count:
        return
    visible = parse_visible(value, count, flavor)
    shown = "%s is set to '%s'" % (_VARIABLE, value[:60])
    if not visible.indices:
        deliberate = value.strip() in ("-1", "none", "None", "NoDevFiles")
        yield _hides(view, "info" if deliberate else "warning", "%s, which hides every GPU." % shown, ("directml",))
        return
    if listing is None and not view.machine.directml.adapters.known:
        problem = view.machine.directml.adapters.problem
        raise UnknownFactError("which adapters '%s' names is unknown: %s" % (value[:60], problem))
    if listing is None or not view.machine.directml.ordered:
        return
    hidden = ", ".join(item.name for item in listing.hidden) + (
        " is hidden" if len(listing.hidden) == 1 else " are hidden"
    )
    if not listing.listed and listing.hidden:
        summary = "%s: only adapters that DirectML rejects are left, and %s." % (shown, hidden)
        counted = numbered(view.machine.directml.adapters.value or ())
        yield _hides(view, "warning", summary, ("directml",), _index(counted, listing.hidden[0]))
    elif visible.stopped_at is not None and listing.hidden:
        summary = "%s: everything from '%s' on is ignored, so %s." % (shown, visible.stopped_at[:20], hidden)
        yield _hides(view, "warning", summary)
    elif len(set(visible.indices)) < len(visible.indices):
        yield _hides(view, "info", "%s: an adapter named twice is listed as two devices on one GPU." % shown)


def _index(adapters: Tuple[DxAdapter, ...], wanted: DxAdapter) -> str:
    return next(str(index) for index, item in enumerate(adapters) if item is wanted)


def _hides(view: View, severity: str, summary: str, blocks: Tuple[str, ...] = (), better: str = "") -> Finding:
    fixes = [view.shell.unset_fix(_VARIABLE, instead=bool(better))]
    if better:
        fixes.insert(
            0, _set(view, "Use the number of the other one; every adapter with Direct3D 12 is counted", better)
        )
    evidence = Evidence("%s=%s" % (_VARIABLE, (view.machine.process.env(_VARIABLE) or "")[:60]), "environment")
    return Finding("device-hidden", severity, summary, (evidence,), tuple(fixes), blocks)
