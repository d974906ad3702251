"""Which function makes the fix for a finding code, and how its steps join those of the signature."""

import re
from typing import Any, Callable, Dict, Mapping, Sequence, Tuple

from ...diagnosis.findings import Fix, LazyFixes
from ...matrix.matrix import accepts
from ..scrub import scrub
from . import (
    add_ons,
    builds,
    containers,
    cuda,
    dependencies,
    drivers,
    installations,
    keras_releases,
    memory,
    numpy_protobuf,
    other_packages,
    others,
    plugin_pairs,
    running,
    toolchain,
    wheels,
)
from .situation import Situation
from .steps import Steps

Provider = Callable[[Situation, Steps], None]

#: Maximum number of steps: who reads more?
_STEPS = 7

PROVIDERS: Dict[str, Provider] = {
    "python-unsupported": wheels.python_unsupported, "platform-unsupported": wheels.platform_unsupported,
    "framework-missing": wheels.framework_missing, "install-corrupt": installations.install_corrupt,
    "distributions-conflict": installations.distributions_conflict, "module-shadowed": installations.module_shadowed,
    "rosetta-python": wheels.rosetta_python,
    "numpy-incompatible": numpy_protobuf.numpy_incompatible, "protobuf-incompatible": numpy_protobuf.protobuf_incompatible,
    "keras-incompatible": keras_releases.keras_incompatible, "dependency-incompatible": dependencies.dependency_incompatible,
    "plugin-version-mismatch": plugin_pairs.plugin_version_mismatch, "metal-plugin-missing": plugin_pairs.metal_plugin_missing,
    "driver-missing": drivers.driver_missing, "driver-too-old": drivers.driver_too_old,
    "driver-mismatch": drivers.driver_mismatch, "driver-unhealthy": drivers.driver_unhealthy,
    "driver-shadowed": drivers.driver_shadowed, "container-without-gpu": containers.container_without_gpu,
    "wsl-without-gpu": drivers.wsl_without_gpu, "device-permission-denied": drivers.device_permission_denied,
    "no-gpu": drivers.no_gpu,
    "cuda-library-missing": cuda.cuda_library_missing, "cuda-version-mismatch": cuda.cuda_version_mismatch,
    "cudnn-missing": cuda.cudnn_missing, "cudnn-version-mismatch": cuda.cudnn_version_mismatch,
    "xla-toolchain-missing": toolchain.xla_toolchain_missing, "cuda-toolkit-missing": toolchain.cuda_toolkit_missing,
    "compute-capability-unsupported": builds.compute_capability_unsupported, "known-defect": cuda.known_defect,
    "cpu-only-build": builds.cpu_only_build,
    "rocm-missing": others.rocm_missing, "rocm-version-mismatch": others.rocm_version_mismatch,
    "gfx-unsupported": others.gfx_unsupported, "directml-missing": others.directml_missing,
    "directml-unsupported": others.directml_unsupported, "gpu-vendor-unsupported": builds.gpu_vendor_unsupported,
    "out-of-memory": memory.out_of_memory, "shared-memory-too-small": memory.shared_memory_too_small,
    "host-memory-exhausted": memory.host_memory_exhausted, "device-lost": running.device_lost,
    "device-busy": running.device_busy, "device-hidden": running.device_hidden,
    "runtime-already-initialized": running.runtime_already_initialized, "op-unsupported": running.op_unsupported,
    "numerics-divergent": running.numerics_divergent, "slower-than-cpu": running.slower_than_cpu,
    "cpu-instructions-missing": running.cpu_instructions_missing, "msvc-runtime-missing": running.msvc_runtime_missing,
    "system-library-too-old": running.system_library_too_old, "environment-variable-fatal": running.environment_variable_fatal,
    "framework-broken": running.framework_broken, "blocked-by-policy": running.blocked_by_policy,
    "openmp-duplicated": running.openmp_duplicated, "user-code-error": running.user_code_error,
    "peer-access-unsupported": running.peer_access_unsupported, "cause-unknown": running.cause_unknown,
}  # fmt: skip

#: Codes for which the data may know the exact release.
_EXACT = ("numpy-incompatible", "protobuf-incompatible")

#: Signatures of a name that TensorFlow or Keras does not have.
_NAMES = (*keras_releases.NAMES_IN_KERAS, "tf-v1-api", "tf-contrib", "keras-filename-rule")

#: Signatures whose line says more than their code: another function, by the beginning of the signature's name.
_SPECIAL: Tuple[Tuple[str, Provider], ...] = (
    ("tf-gpu-removed", wheels.tensorflow_gpu_removed), ("tf-gpu-egg-info", wheels.tensorflow_gpu_removed),
    ("np-too-old", numpy_protobuf.newer_numpy), ("xformers-torch-pair", add_ons.xformers_pair),
    ("torch-cuda-home", toolchain.cuda_toolkit_missing), ("nvcc-not-found", toolchain.cuda_toolkit_missing),
    ("mmcv-", add_ons.mmcv), ("pip-conflict-framework", dependencies.moved_tensorflow),
    ("conda-cuda-constraint", drivers.conda_driver_too_old), ("conda-cuda-virtual", drivers.conda_driver_too_old),
)  # fmt: skip


#: Programs that bring their own Python or environment.
_OWN_PYTHON = {
    "python_embeded": r"ComfyUI's portable version has its own Python: type .\python_embeded\python.exe in place of python",
    "webui": "The web UI has its own environment: activate the one in its folder venv first",
}
_BUNDLED = r"This program has its own Python: type %s\python.exe in place of python"


def fixes_for(about: Situation, rows: Sequence[Mapping[str, Any]], alone: bool = False) -> Sequence[Fix]:
    """Return the fixes of one finding, computed when they are read.

    Parameters
    ----------
    about : Situation
    rows : sequence of mapping
        The steps of the signature, which come first.
    alone : bool
        Whether these are all.
    """

    def make() -> Tuple[Fix, ...]:
        steps = Steps(about)
        if about.code.endswith(("-incompatible", "-corrupt", "-broken")) and other_packages.from_user_site(
            about, steps
        ):
            return tuple(steps.fixes)
        if "frozen" in about.words and other_packages.not_bundled(about, steps):
            return tuple(steps.fixes)
        if about.signature == "pip-conflict-other" and dependencies.bounded(about, steps):
            return tuple(steps.fixes)
        if about.code in _EXACT and _decisive(about, steps, rows):
            return tuple(steps.fixes)
        outdated = about.signature.startswith(_NAMES) and keras_releases.outdated_add_on(about, steps)
        for row in rows:
            if "if" in row and not steps.may_hold(row["if"]):
                continue
            if (not outdated or set(row) - {"text"}) and not add_ons.newer_torch(about, steps, row):
                steps.of_signature([row])
        behind = about.words & {"index", "index-pypi"} == {"index"} and " requirement " in about.line
        partial = behind and "index-part" in about.words and _OTHERS.search(about.line) is not None
        if partial:
            _ask_pypi(about, steps)
        behind = behind and not partial and "/whl/" not in about.known.index  # who asks that wants no other build
        if behind and about.code == "dependency-incompatible":
            _ask_pypi(about, steps)
        if not alone or not steps.fixes:
            _add_computed(about, steps)
        if outdated:  # its code is not the reader's
            kept, steps.fixes = [fix for fix in steps.fixes if fix.changes != "code"], []
            steps.add(*kept)
        if behind:
            _ask_pypi(about, steps)
        file = re.search(r"-r ([\w./\\-]{1,80})", about.groups.get("requirement", ""))
        if file and about.signature == "pip-cannot-install-conflict":
            steps.fixes = [_in_file(fix, file.group(1)) for fix in steps.fixes]
        if about.code.endswith(("-incompatible", "-broken", "-unknown")):
            other_packages.unmet_requirements(about, steps)
        _newer_than_tensorflow(about, steps)
        _by_its_own_python(about, steps)
        endings = ("-incompatible", "-corrupt", "-mismatch") if "cell-pip" in about.words else ("-corrupt",)
        if ("cell-pip" in about.words or about.hosted) and about.code.endswith(endings):
            steps.fixes.insert(
                0, Fix("Restart the kernel first, and import again: what is imported stays, whatever pip does")
            )
        return tuple(steps.fixes[:_STEPS])

    return LazyFixes(make)


def _by_its_own_python(about: Situation, steps: Steps) -> None:
    """A program that brings a Python, or an environment, is not in the one that "python" starts."""
    own = next((text for word, text in _OWN_PYTHON.items() if word in about.words), "")
    if about.known.bundled:
        own = _BUNDLED % scrub(about.known.bundled)
    if own and any(re.search(r"-m'?,? '?pip", fix.command or "") for fix in steps.fixes):
        steps.fixes.insert(0, Fix(own))


def _newer_than_tensorflow(about: Situation, steps: Steps) -> None:
    """TensorFlow lists a GPU that its builds have no code for, and is reported to fail on it (data/defects.json)."""
    new = (about.compute_capability or (0, 0)) >= (12, 0)
    if new and any("tensorflow[and-cuda]" in (fix.command or "") for fix in steps.fixes):
        text = "It may list this GPU and fail at the first operation (https://github.com/tensorflow/tensorflow/issues/89272): "
        steps.say(text + "Keras on JAX or PyTorch has code for it, and NVIDIA's TensorFlow container", instead=True)


def _in_file(fix: Fix, name: str) -> Fix:
    """A file's requirements exclude each other: what pip installs without it, the file would not take."""
    items = fix.packages.install if fix.packages is not None else ()
    text = "%s: write %s into %s, in place of its line" % (fix.text, " and ".join(items), scrub(name))
    return Fix(text, changes="files", instead=fix.instead) if items else fix


#: A project that PyTorch's indexes, or those of one package, do not have.
_OTHERS = re.compile(r"requirement (?!torch|pytorch|triton)[^(]{1,80}\(from versions: none\)")


def _ask_pypi(about: Situation, steps: Steps) -> None:
    """A mirror may lag behind, or hold a part only."""
    wanted = re.search(r"satisfies the requirement ([^\s(;]{1,80})", about.line)
    name = '"%s"' % wanted.group(1) if wanted and re.match(r"[\w.<>=!~,-]+$", wanted.group(1)) else "NAME"
    command = "python -m pip install --index-url https://pypi.org/simple %s" % name
    steps.run("The index that pip asked may lack releases that PyPI has: ask that", command, instead=bool(steps.fixes))


def _decisive(about: Situation, steps: Steps, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Add the computed steps, and return whether they name exact releases: then those of the signature are only rough.

    They have to be in the signature's bounds: a name that NumPy 1.24 removed is in no newer one, whatever TensorFlow takes.
    """
    if any(about.signature.startswith(name) for name in ("pip-", *(name for name, _ in _SPECIAL))):
        return False
    _add_computed(about, steps)
    first = steps.fixes[0] if steps.fixes else None
    exact = first is not None and first.packages is not None and "==" in "".join(first.packages.install)
    bounds = dict(_name_and_bounds(item) for row in rows for item in row.get("install", ()) if "{" not in item)
    installs = first.packages.install if first is not None and first.packages is not None else ()
    pins = [(name, pin[2:]) for name, pin in map(_name_and_bounds, installs) if pin.startswith("==")]
    outside = any(accepts(bounds[name], pin) is False for name, pin in pins if bounds.get(name))
    if outside or (not exact and about.groups.get("name") != "runtime_version"):
        steps.fixes = []
        return False
    return True


def _name_and_bounds(requirement: str) -> Tuple[str, str]:
    name = re.split(r"[\[<>=!~]", requirement)[0]
    return name, requirement[len(name) :]


def _add_computed(about: Situation, steps: Steps) -> None:
    for name, provider in _SPECIAL:
        if about.signature.startswith(name):
            provider(about, steps)
            return
    PROVIDERS[about.code](about, steps)
