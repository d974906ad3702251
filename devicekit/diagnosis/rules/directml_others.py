"""torch-directml and ONNX Runtime with DirectML: what is installed, what it goes with, what it would use. Reported only."""

import re
from typing import Iterable, List, Optional, Tuple

from .. import pages
from ..findings import Evidence, Finding, FrameworkStatus, Kind
from ..view import View
from .adapters import has_direct3d

#: The one to keep of several comes first.
_RUNTIMES = ("onnxruntime-directml", "onnxruntime-gpu", "onnxruntime")


def _pins(view: View) -> Tuple[str, ...]:
    """The exact releases that the installed torch-directml was built with, as its metadata have them."""
    found = view.machine.python.distribution("torch-directml")
    texts = [re.sub(r"[\s()]", "", text) for text in found.requires] if found is not None else []
    return tuple(text for text in texts if re.match(r"torch(vision)?==[\w.]+$", text))


def _unfitting_torch(view: View) -> Optional[Tuple[str, str]]:
    """The release of torch that torch-directml needs and the one that is there ("" for none), where they differ."""
    pinned = next((text.partition("==")[2] for text in _pins(view) if text.startswith("torch==")), None)
    if pinned is None:
        return None
    torch = view.machine.python.distribution("torch")
    if torch is not None and torch.version.or_none() is None:
        return None
    version = (torch.version.or_none() or "") if torch is not None else ""
    return None if version.partition("+")[0] == pinned else (pinned, version)


def torch_directml_mismatch(view: View) -> Iterable[Finding]:
    """torch-directml with another torch than the one it was built with: its native module does not load."""
    differing = _unfitting_torch(view)
    if differing is None:
        return
    pinned, version = differing
    found = view.machine.python.distribution("torch-directml")
    assert found is not None  # where it comes from
    yield Kind("plugin-version-mismatch", "warning", ("torch.directml",), pages.DIRECTML_TORCH_PINS).finding(
        "torch-directml %s needs torch %s; with %s it cannot be imported."
        % (found.version.or_none() or "", pinned, "torch " + version if version else "no torch"),
        (Evidence("torch==%s" % pinned, found.location), Evidence("torch %s" % (version or "is not installed"))),
        (
            view.shell.install_fix("Install the releases it was built with", *_pins(view)),
            view.shell.uninstall_fix("Remove it", "torch-directml", instead=True),
        ),
    )


def mixed_onnxruntimes(view: View) -> Iterable[Finding]:
    """Several builds of ONNX Runtime in one folder: the one installed last decides which GPUs it uses."""
    found = [view.machine.python.distribution(name) for name in _RUNTIMES]
    owners = [item for item in found if item is not None]
    names = [item.name for item in owners]
    if len(names) < 2:
        return
    labels = ["%s %s" % (item.name, item.version.or_none() or "?") for item in owners]
    yield Kind("distributions-conflict", "warning", (), pages.ONNX_RUNTIME).finding(
        "%s install into the same folder 'onnxruntime', so the last one overwrote the others." % " and ".join(labels),
        tuple(Evidence(label, item.location) for label, item in zip(labels, owners)),
        (view.shell.replace_fix("Uninstall all of them, then install the one for GPUs", names, names[0]),),
    )


def directml_statuses(view: View) -> List[FrameworkStatus]:
    """What torch-directml and ONNX Runtime with DirectML will do, where they are installed."""
    found: List[FrameworkStatus] = []
    python, directml = view.machine.python, view.machine.directml
    torch = python.distribution("torch-directml")
    if torch is not None:
        names = {item.name for item in directml.libraries.or_none() or ()}
        mismatch = _unfitting_torch(view) is not None
        # On Linux its libraries of the system are opened at the import.
        lacks = view.machine.native.system == "linux" and directml.libraries.known and "libd3d12.so" not in names
        usable = [item for item in directml.adapters.or_none() or () if has_direct3d(item) and not item.neural]
        found.append(
            FrameworkStatus(
                "torch-directml",
                torch.version.or_none(),
                False if mismatch or lacks else True if python.distribution("torch") else None,
                None,
                () if mismatch or lacks else tuple("privateuseone:%d" % index for index in range(len(usable))),
                "plugin-version-mismatch" if mismatch else "directml-missing" if lacks else None,
            )
        )
    runtime = python.distribution("onnxruntime-directml")
    if runtime is not None:
        # It lists what it was compiled with, whether there is an adapter or not; and another build may lie over it.
        mixed = any(python.distribution(name) for name in _RUNTIMES if name != "onnxruntime-directml")
        providers = () if mixed else ("DmlExecutionProvider", "CPUExecutionProvider")
        found.append(
            FrameworkStatus(
                "onnxruntime-directml",
                runtime.version.or_none(),
                True,
                None,
                providers,
                "distributions-conflict" if mixed else None,
            )
        )
    return found
