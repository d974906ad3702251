"""Another installed framework that could use a GPU that the selected one cannot. Pure."""

from typing import Iterable, List, Mapping, Optional, Sequence, Tuple

from .. import pages
from ..findings import Candidate, Evidence, Finding, Fix, FrameworkStatus, Kind
from ..frameworks import BACKENDS
from ..view import View
from .frameworks import gpu_build, is_there
from .keras import backend, is_keras3, keras_version


def another_could(
    view: View, selected: str, by_framework: Mapping[str, Tuple[Candidate, ...]], statuses: Sequence[FrameworkStatus]
) -> List[Finding]:
    """Return that another framework would use a GPU, if the selected one uses none."""
    mine = _gpus(by_framework[selected])
    hidden = any("device-hidden" in item.blocked_by for item in mine)
    if any(item.usable is not False for item in mine) or hidden or not is_there(view, selected):
        return []
    for name in BACKENDS:
        gpu = _first(by_framework[name])
        imports = [status.will_import for status in statuses if status.framework == name]
        if name == selected or gpu is None or False in imports or not is_there(view, name):
            continue
        other = _label(view, name)
        sure = "can" if gpu.usable else "may"
        return [
            Kind("gpu-vendor-unsupported", "info", (), pages.KERAS_BACKEND).finding(
                "%s cannot use a GPU here, but %s, which is also installed, %s use the %s."
                % (_label(view, selected), other, sure, gpu.name),
                (Evidence("%s: %s" % (gpu.device, gpu.name)), Evidence("%s with %s" % (other, gpu.platform))),
                tuple(_switch(view, name)),
            )
        ]
    return []


def _gpus(candidates: Iterable[Candidate]) -> List[Candidate]:
    return [item for item in candidates if item.platform != "cpu" and not item.device_type]


def _first(candidates: Iterable[Candidate]) -> Optional[Candidate]:
    return next((item for item in _gpus(candidates) if item.usable is not False and item.platform != "tpu"), None)


def _label(view: View, framework: str) -> str:
    build = gpu_build(view, framework) if framework != "tensorflow" else None
    return build.label if build is not None else view.tensorflow_label


def _switch(view: View, framework: str) -> Iterable[Fix]:
    """How Keras comes to compute with the other one; Keras up to 2 supports only TensorFlow."""
    if not is_keras3(keras_version(view)):
        yield view.shell.install_fix("Write your program for it, or install Keras 3, which runs on either", "keras>=3")
        return
    yield view.shell.set_fix("Run Keras on it", "KERAS_BACKEND", framework)
    if backend(view).source != "KERAS_BACKEND":
        code = 'import devicekit; devicekit.auto(framework="any")'
        yield view.shell.program_fix("In your program, before Keras is imported", code, instead=True)
