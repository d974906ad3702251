"""The requirements of an installed framework, what is here, and whether the two are compatible.

A cell fails if a finding says so: the diagnosis decides. What only the matrix excludes is unknown, because the rule that
would confirm it may be hidden by a more severe cause.
"""

from typing import List, Optional, Tuple

from ..diagnosis.findings import Candidate, Diagnosis, Finding, name_of
from ..machine.facts import FrameworkBuild, Library, Machine
from ..matrix.gpu_names import capability_of
from ..matrix.matrix import BUNDLED, TENSORFLOW_OWNERS, bare_name, minor_of
from ..matrix.projects import Release
from ..matrix.queries import Answer, driver_runs, goes_with, has_code_for, has_wheel
from ..records import Record
from .amounts import system_name


class Cell(Record):
    """A part that a framework needs, such as ``"NumPy"`` or ``"CUDA"``; ok, fails, unknown, or not needed."""

    part: str
    needs: str  # what the release needs, "" if that is unknown
    here: str  # what is here, "" if nothing was found
    state: str
    code: str = ""  # of the finding that makes it fail, or prevents the check
    because: str = ""  # why it is unknown or not needed


class MatrixRow(Record):
    """The row of one release. If it is not installed, it is the newest known release."""

    framework: str
    version: str
    installed: bool
    cells: Tuple[Cell, ...]


#: The finding codes that make a part fail.
_CODES = {
    "Python": ("python-unsupported",),
    "System": ("platform-unsupported", "system-library-too-old", "msvc-runtime-missing"),
    "Processor": ("cpu-instructions-missing",),
    "NumPy": ("numpy-incompatible",),
    "protobuf": ("protobuf-incompatible",),
    "Keras": ("keras-incompatible",),
    "Dependencies": ("dependency-incompatible", "plugin-version-mismatch"),
    "Build": ("cpu-only-build", "gpu-vendor-unsupported", "metal-plugin-missing"),
    "Driver": ("driver-missing", "driver-too-old", "driver-mismatch", "driver-unhealthy", "driver-shadowed"),
    "CUDA": ("cuda-version-mismatch", "cuda-library-missing", "xla-toolchain-missing"),
    "cuDNN": ("cudnn-missing", "cudnn-version-mismatch"),
    "Compute capability": ("compute-capability-unsupported",),
    "ROCm": ("rocm-missing", "rocm-version-mismatch"),
    "GPU target": ("gfx-unsupported",),
    "DirectML": ("directml-missing", "directml-unsupported"),
}

#: The rule after which nothing is left to be found out about the libraries of a part.
_LAST = {"CUDA": "cuda-library-missing", "cuDNN": "cudnn-version-mismatch"}


def matrix_row(machine: Machine, diagnosis: Diagnosis, framework: Optional[str]) -> Optional[MatrixRow]:
    """Return the row of a framework (None: TensorFlow), of its newest release if it is not installed.

    None if it is unknown.
    """
    name = name_of(framework)
    status = diagnosis.framework(name)
    version = status.version if status is not None else None
    if version:
        return _Reader(machine, diagnosis, name, version).row()
    project = BUNDLED.project(name)
    if project is None or machine.python.build(name) is not None:
        return None  # the version cannot be read
    return _Reader(machine, diagnosis, name, project.versions[-1], installed=False).row()


def _fits(answer: Answer) -> Optional[bool]:
    return {"compatible": True, "incompatible": False}.get(answer.status)


class _Reader:
    """Reads the cells of one framework."""

    def __init__(
        self,
        machine: Machine,
        diagnosis: Diagnosis,
        framework: str,
        version: str,
        installed: bool = True,
    ) -> None:
        self.machine = machine
        self.diagnosis = diagnosis
        self.framework = framework
        self.version = version
        self.installed = installed
        self.python = minor_of(machine.python.version)
        owners = [item.name for item in machine.python.distributions.or_none() or () if item.name in TENSORFLOW_OWNERS]
        here = [name for name in owners if machine.python.version_of(name) == version and BUNDLED.project(name)]
        self.project = framework if framework != "tensorflow" else (here or ["tensorflow"])[0]
        # PyTorch's versions name the build as well: 2.7.1+cu126.
        self.plain = version.partition("+")[0]
        project = BUNDLED.project(self.project)
        self.release: Optional[Release] = project.release(self.plain) if project is not None else None
        self.build: Optional[FrameworkBuild] = machine.python.build(framework)

    def row(self) -> MatrixRow:
        """Return the cells that apply here."""
        cells = [*self._wheel(), *self._processor()]
        cells += [self._dependency("NumPy", "numpy"), self._dependency("protobuf", "protobuf"), self._keras()]
        cells.append(self._cell("Dependencies", "", self._package(), None))
        if self.installed:
            cells += self._gpu()
        shown = [cell for cell in cells if cell.needs or cell.here or cell.state == "fails"]
        return MatrixRow(self.framework, self.version, self.installed, tuple(shown))

    def _finding(self, part: str) -> Optional[Finding]:
        for item in self.diagnosis.findings:
            # A finding about a framework other than the target is an "info".
            if item.code in _CODES[part] and item.blocks and item.concerns(self.framework):
                return item
        return None

    def _cell(self, part: str, needs: str, here: str, fits: Optional[bool], because: str = "") -> Cell:
        """Return a cell: decided by a finding, otherwise by the matrix, otherwise unknown."""
        finding = self._finding(part)
        if finding is not None:
            return Cell(part, needs, here, "fails", finding.code, finding.summary)
        for item in self.diagnosis.not_evaluated:
            if item.code in _CODES[part]:
                return Cell(part, needs, here, "unknown", item.code, item.because)
        if fits:
            return Cell(part, needs, here, "ok")
        if fits is None:
            first = next((item for item in self.diagnosis.findings if item.keeps_from_gpus(self.framework)), None)
            if not because and first is not None:
                return Cell(part, needs, here, "unknown", first.code, "unknown until %s is fixed" % first.code)
            return Cell(part, needs, here, "unknown", "", because or "it cannot be checked here")
        return Cell(part, needs, here, "unknown", "", "the matrix excludes it, but no rule confirms it: %s" % because)

    def _package(self) -> str:
        """Return the one package that the finding about dependencies is about, "" if it is about several."""
        finding = self._finding("Dependencies")
        evidence = finding.evidence if finding is not None else ()
        if finding is None or not evidence or (len(evidence) > 1 and finding.code != "plugin-version-mismatch"):
            return ""
        # The first one is about the plug-in itself.
        name = bare_name(evidence[0].text.partition(" ")[0])
        version = self.machine.python.version_of(name)
        return "%s %s" % (name, version) if version else name if evidence[0].text.endswith(" is not installed") else ""

    def _wheel(self) -> List[Cell]:
        """Return the cells of Python and the operating system: what there are wheels for."""
        native = self.machine.native
        row = BUNDLED.tensorflow(self.plain) if self.framework == "tensorflow" else None
        needs = row.python if row is not None else (self.release.requires_python if self.release is not None else "")
        processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(
            native.architecture.lower(), native.architecture.lower()
        )
        wheels = {"windows": "windows-amd64", "macos": "macos-arm64" if processor == "aarch64" else "macos-x86_64"}
        platform = wheels.get(native.system, "linux-aarch64" if processor == "aarch64" else "linux-x86_64")
        answer = has_wheel(self.project, self.plain, self.python, platform, BUNDLED)
        system = system_name(self.machine)
        here = ", ".join(item for item in (system, native.architecture, native.libc.or_none() or "") if item)
        return [
            self._cell("Python", needs, self.machine.python.version, _fits(answer), answer.because),
            self._cell("System", platform, here, True if answer.status == "compatible" else None, answer.because),
        ]

    def _processor(self) -> List[Cell]:
        native = self.machine.native
        project = "jaxlib" if self.framework == "jax" else self.project
        found = BUNDLED.instructions(
            project, self.plain, {"AMD64": "x86_64"}.get(native.architecture, native.architecture)
        )
        needs = tuple(dict.fromkeys(name for item in found for name in item.needs))
        if not needs and self._finding("Processor") is None:
            return []
        flags = native.cpu_flags.or_none()
        here = native.cpu_model.or_none() or native.architecture
        return [self._cell("Processor", ", ".join(needs), here, True if flags and set(needs) <= set(flags) else None)]

    def _dependency(self, part: str, name: str) -> Cell:
        here = self.machine.python.version_of(name) or ""
        row = BUNDLED.tensorflow(self.plain) if self.framework == "tensorflow" else None
        needs = {"numpy": row.numpy, "protobuf": row.protobuf, "keras": row.keras}[name] if row is not None else ""
        if not needs and self.release is not None:
            needs = self._declared(self.release, name)
        if not needs and self.framework != "tensorflow" and self._finding(part) is None:
            return Cell(part, "", "", "not needed")
        if not here:
            return self._cell(part, needs, "", None, "it is not installed")
        answer = goes_with(self.project, self.plain, name, here, self.python, BUNDLED)
        return self._cell(part, needs, here, _fits(answer), answer.because)

    def _keras(self) -> Cell:
        if self.framework == "tensorflow":
            return self._dependency("Keras", "keras")
        here = self.machine.python.version_of("keras")
        status = self.diagnosis.framework("keras")
        fits = True if status is not None and status.will_run_keras else None
        return self._cell("Keras", ">=3" if here else "", here or "", fits)

    @staticmethod
    def _declared(release: Release, name: str) -> str:
        for build in release.builds:
            for text in build.requires:
                plain = text.partition(";")[0].strip()
                if plain.lower().startswith(name) and not plain[len(name) :].lstrip()[:1].isalnum():
                    bounds = plain[len(name) :].strip()
                    if bounds[:1] in "<>=!~":
                        return bounds
        return ""

    def _gpu(self) -> List[Cell]:
        """Return the cells of what the build uses other than the CPU."""
        build = self.build
        cuda, rocm = bool(build and build.cuda.or_none()), bool(build and build.rocm.or_none())
        cells = [self._accelerators(cuda, rocm)]
        if cuda and build is not None:
            cells += self._cuda(build)
        if rocm and build is not None:
            cells += self._rocm(build)
        if self._finding("DirectML") is not None or self._usable("directml") is not None:
            adapters = ", ".join(
                item.name for item in self.machine.directml.adapters.or_none() or () if not item.software
            )
            cells.append(self._cell("DirectML", "DirectX 12 and DirectML", adapters, self._usable("directml")))
        return cells

    def _candidates(self, platform: str = "") -> List[Candidate]:
        """Return the devices of this framework other than the CPU."""
        found = self.diagnosis.candidates_for(self.framework)
        return [item for item in found if item.platform != "cpu" and platform in ("", item.platform)]

    def _usable(self, platform: str) -> Optional[bool]:
        """Return True if a device of a platform is usable, so all it needs is here; None if that is unknown."""
        return True if any(item.usable for item in self._candidates(platform)) else None

    def _accelerators(self, cuda: bool, rocm: bool) -> Cell:
        build = self.build
        kinds = [("CUDA", cuda), ("ROCm", rocm)]
        if build is not None:
            kinds += [(name, bool(fact.or_none())) for name, fact in (
                ("DirectML", build.directml), ("Intel GPUs", build.xpu), ("Metal", build.metal)
            )]  # fmt: skip
        here = " and ".join(name for name, is_so in kinds if is_so) or "CPU only"
        devices = self._candidates()
        needs = " or ".join(dict.fromkeys(item.platform for item in devices if item.platform))
        if not devices and self._finding("Build") is None:
            return Cell("Build", "", here, "not needed", "", "this machine has no device other than the CPU")
        usable = any(item.usable for item in devices)
        if usable and not any(is_so for _, is_so in kinds):
            here += ", and a plug-in"
        return self._cell("Build", needs and "one for %s" % needs, here, True if usable or cuda or rocm else None)

    def _cuda(self, build: FrameworkBuild) -> List[Cell]:
        driver, usable = self.machine.driver, self._usable("cuda")
        cuda, cudnn = build.cuda_version.or_none() or "", build.cudnn_version.or_none() or ""
        libraries = self.machine.cuda.libraries.or_none() or ()
        runtime = _library(libraries, "cudart")
        packages = [
            item for item in self.machine.python.distributions.or_none() or () if "nvidia-cudnn-cu" in item.name
        ]
        package = packages[0].version.or_none() or "" if len(packages) == 1 else ""
        cudnn_here = _library(libraries, "cudnn", package)
        row = BUNDLED.cuda(cuda)
        windows = self.machine.native.system == "windows"
        least = (row.windows_driver if windows else row.linux_driver) if row is not None else ""
        version = driver.nvidia_version.or_none() or driver.nvidia_kernel_version.or_none() or ""
        runs: Optional[bool] = None
        if version and row is not None:
            runs = _fits(driver_runs(cuda, version, "windows" if windows else "linux", BUNDLED))
        capabilities = " ".join(
            build.compute_capabilities.or_none() or BUNDLED.gpu_code(self.framework, self.plain, cuda)
        )
        here = self._capabilities()
        codes = [_fits(has_code_for(self.project, self.plain, item, BUNDLED)) for item in here]
        cells = [
            self._cell("Driver", least and ">=%s" % least, version, usable or runs),
            self._cell("CUDA", cuda, runtime, usable or self._is_whole("CUDA", runtime)),
            self._cell("cuDNN", cudnn, cudnn_here, usable or self._is_whole("cuDNN", cudnn_here)),
            self._cell(
                "Compute capability", capabilities, ", ".join(here), usable or (all(codes) if codes else None) or None
            ),
        ]
        if any(cell.state == "fails" for cell in cells) or here or self._candidates("cuda"):
            return cells
        none = "this machine has no NVIDIA GPU"
        return [Cell(cell.part, cell.needs, cell.here, "not needed", "", none) for cell in cells]

    def _is_whole(self, part: str, here: str) -> Optional[bool]:
        """Return True if libraries are here and the last rule about them ran; `_cell` says what it found.

        None if it did not run, because a finding hides it, or if there is none for this framework.
        """
        from ..diagnosis.diagnose import rules

        fired = {item.code for item in self.diagnosis.findings if item.concerns(self.framework)}
        ran = any(rule.code == _LAST[part] and fired.isdisjoint(rule.hidden_by) for rule in rules())
        return True if here and ran and self.framework in ("tensorflow", "jax") else None

    def _capabilities(self) -> List[str]:
        gpus = [item for item in self.machine.driver.gpus.or_none() or () if item.vendor == "nvidia"]
        found = [item.compute_capability.or_none() or capability_of(item.name, BUNDLED) for item in gpus]
        return list(dict.fromkeys(item for item in found if item))

    def _rocm(self, build: FrameworkBuild) -> List[Cell]:
        rocm, usable = self.machine.rocm, self._usable("rocm")
        row = BUNDLED.rocm(self.version)
        needs = build.rocm_version.or_none() or (row.rocm if row is not None else "")
        targets = " ".join(row.gfx) if row is not None else ""
        return [
            self._cell("ROCm", needs, rocm.version.or_none() or "", usable),
            self._cell("GPU target", targets, ", ".join(rocm.gfx.or_none() or ()), usable),
        ]


def _library(libraries: Tuple[Library, ...], part: str, package: str = "") -> str:
    """Return the library file that would be loaded, with its version if known, and how it was found.

    ``package``: the version of the distribution that has it, if pip installed it.
    """
    for item in libraries:
        plain = item.name.lower()
        if plain.startswith(("lib" + part, part)):
            version = item.version or (package if item.found_via == "pip" else "")
            label = " ".join(text for text in (item.name, version) if text)
            return "%s (%s)" % (label, item.found_via) if item.found_via else label
    return ""
