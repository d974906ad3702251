"""What is known of a machine: `Fact` and the frozen `Machine`.

A fact has three states, and "could not find out" is never confused with "is not there": asking an unknown fact for
its value raises `UnknownFactError`, which makes a rule "not evaluated, because ..." instead of "clean".
"""

from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple

from ..errors import MachineFileError
from ..records import decode, encode
from .devices import (
    AmdGpu,
    Cuda,
    DeviceNode,
    DirectMl,
    Driver,
    DxAdapter,
    Gpu,
    GpuProcess,
    Installation,
    IntelGpu,
    Library,
    Metal,
    MigDevice,
    OneApi,
    Opener,
    PciDisplay,
    Rocm,
    Tpu,
    Xid,
)
from .fact import Fact
from .plugin_facts import PlatformFacts

__all__ = [
    "SCHEMA", "AmdGpu", "Cuda", "DeviceNode", "DirectMl", "Distribution", "Driver", "DxAdapter", "Fact",
    "FrameworkBuild", "Gpu", "GpuProcess", "ImportPackage", "Installation", "IntelGpu", "KerasConfig", "Library",
    "LoadedModule", "Machine", "Measured", "Metal", "MigDevice", "Native", "OneApi", "Opener", "PciDisplay", "PlatformFacts",
    "PluginLibrary", "Process", "Python", "Rocm", "Tpu", "Verdict", "Xid",
]  # fmt: skip

#: Version of the JSON form. A reader refuses a newer one.
SCHEMA = 1


@dataclass(frozen=True)
class Distribution:
    """An installed distribution that matters to a framework.

    ``missing_files`` lists what its RECORD names and the disk lacks (the first twenty), out of ``missing_count``.
    ``platform_tags`` are those of the wheel that it came from (``manylinux_2_17_x86_64``), where that was looked at.
    """

    name: str
    version: Fact[str]
    location: str
    requires: Tuple[str, ...] = ()
    requires_python: str = ""
    installer: str = ""
    record: Fact[int] = Fact.unknown("RECORD was not read")
    missing_files: Tuple[str, ...] = ()
    missing_count: int = 0
    damaged_files: Tuple[str, ...] = ()
    platform_tags: Tuple[str, ...] = ()


@dataclass(frozen=True)
class ImportPackage:
    """What ``import NAME`` would load: the first match on the path, and what it hides."""

    name: str
    kind: str  # "package", "module", "namespace"
    location: str
    path_entry: str
    hides: Tuple[str, ...] = ()
    in_site: bool = True


@dataclass(frozen=True)
class FrameworkBuild:
    """What the files inside a framework's package, and of JAX its plug-ins', say that it was built for.

    ``cuda_version`` is as precise as they are: of JAX's plug-ins the major number alone.
    """

    package: str
    location: str
    version: Fact[str]
    cuda: Fact[bool]
    rocm: Fact[bool]
    cuda_version: Fact[str]
    cudnn_version: Fact[str]
    compute_capabilities: Fact[Tuple[str, ...]]
    directml: Fact[bool]
    rocm_version: Fact[str] = Fact.unknown("not asked")
    xpu: Fact[bool] = Fact.unknown("not asked")
    metal: Fact[bool] = Fact.unknown("not asked")


@dataclass(frozen=True)
class PluginLibrary:
    """A file in a ``tensorflow-plugins`` folder: TensorFlow loads it at import. ``format`` is of its first bytes.

    ``missing_libraries``: what it needs and the loader would not find.
    """

    path: str
    format: str  # "elf", "pe", "macho", "empty", "other"
    size_bytes: int
    missing_libraries: Tuple[str, ...] = ()


@dataclass(frozen=True)
class KerasConfig:
    """``keras.json`` as far as it matters. ``fatal``: a value at which Keras 3 stops (keras/src/backend/config.py)."""

    path: str
    backend: Optional[str]
    problem: str = ""
    fatal: str = ""


@dataclass(frozen=True)
class Python:
    """The interpreter and what is installed for it."""

    implementation: str
    version: str
    bits: int
    executable: str
    prefix: str
    environment: str  # "venv", "conda", "system", "unknown"
    externally_managed: bool
    installer: str  # "pip", "uv", "conda": what to type here to install
    architecture: str
    sys_path: Tuple[str, ...]
    distributions: Fact[Tuple[Distribution, ...]]
    distribution_count: Fact[int]
    unreadable: Tuple[str, ...]
    leftovers: Tuple[str, ...]
    packages: Tuple[ImportPackage, ...]
    builds: Tuple[FrameworkBuild, ...]
    plugins: Fact[Tuple[PluginLibrary, ...]]
    keras_config: Fact[KerasConfig]
    platlib_abi: str = ""
    #: Native modules that one distribution of TensorFlow left where another has a Python module of the same name.
    stale_modules: Tuple[str, ...] = ()
    #: Distributions with entry points for devicekit.
    plugin_distributions: Tuple[str, ...] = ()

    def distribution(self, *names: str) -> Optional[Distribution]:
        """Return the first installed distribution of these (normalised) names, or None.

        Raises
        ------
        UnknownFactError
            Where the installed distributions could not be read.
        """
        installed = self.distributions.value or ()
        for name in names:
            for item in installed:
                if item.name == name:
                    return item
        return None

    def version_of(self, *names: str) -> Optional[str]:
        """Return the version of the first installed distribution of these names, or None."""
        found = self.distribution(*names)
        return found.version.or_none() if found else None

    def package(self, name: str) -> Optional[ImportPackage]:
        """Return what ``import name`` would load, or None."""
        for item in self.packages:
            if item.name == name:
                return item
        return None

    def build(self, package: str = "tensorflow") -> Optional[FrameworkBuild]:
        """Return what a framework's package was built for, or None."""
        for item in self.builds:
            if item.package == package:
                return item
        return None


@dataclass(frozen=True)
class Native:
    """The operating system, processor and C library. ``msvc``: the Visual C++ runtime libraries that Windows finds.

    ``cpu_count`` and ``memory_bytes`` are the machine's. Of its logical processors, this process may run on
    ``cpu_affinity``; in its control groups it gets the time of ``cpu_quota`` cores, which programs cannot see in the
    number of processors; ``cpu_usable`` is the least of all three. ``memory_limit_bytes``: the least limit of its control
    groups; ``address_space_bytes``: what ``ulimit -v`` allows. ``performance_cores``: the fast ones of Apple's chips.
    """

    system: str  # "linux", "windows", "macos"
    release: str
    os_version: Fact[str]
    architecture: str
    cpu_model: Fact[str]
    cpu_flags: Fact[Tuple[str, ...]]
    cpu_count: Fact[int]
    memory_bytes: Fact[int]
    libc: Fact[str]
    msvc: Fact[Tuple[Library, ...]] = Fact.unknown("not asked")
    cpu_affinity: Fact[int] = Fact.unknown("not asked")
    cpu_quota: Fact[float] = Fact.unknown("not asked")
    cpu_usable: Fact[float] = Fact.unknown("not asked")
    performance_cores: Fact[int] = Fact.unknown("not asked")
    memory_limit_bytes: Fact[int] = Fact.unknown("not asked")
    address_space_bytes: Fact[int] = Fact.unknown("not asked")

    @property
    def cpu_limited_by(self) -> str:
        """What keeps this process from some of the processors: ``"cgroup quota"``, ``"cpuset"``, ``"affinity"``, or ``""``."""
        usable, count = self.cpu_usable.or_none(), self.cpu_count.or_none()
        if usable is None or count is None or usable >= count:
            return ""
        quota, affinity = self.cpu_quota.or_none(), self.cpu_affinity
        if quota is not None and quota < (affinity.or_none() or count):
            return "cgroup quota"
        return "cpuset" if "cpuset" in affinity.source else "affinity"

    @property
    def usable_memory_bytes(self) -> Optional[int]:
        """The memory that this process can use, None where neither the machine's nor a limit is known."""
        known = [fact.content for fact in (self.memory_bytes, self.memory_limit_bytes) if fact.content is not None]
        return min(known) if known else None


@dataclass(frozen=True)
class LoadedModule:
    """A framework that the examined process has imported already. ``backend``: what a Keras 3 computes with, else ""."""

    name: str
    version: str
    initialized: Optional[bool] = None
    backend: str = ""


@dataclass(frozen=True)
class Process:
    """The process: its environment variables (only those that frameworks and loaders read) and where it runs.

    ``named_files``: variables that name a file or folder, and whether that is there.
    """

    environ: Tuple[Tuple[str, str], ...]
    modules: Tuple[LoadedModule, ...]
    container: Fact[str]
    wsl: Fact[int]
    named_files: Fact[Tuple[Tuple[str, bool], ...]] = Fact.unknown("not asked")

    def env(self, name: str) -> Optional[str]:
        """Return the value of an environment variable, None where it is not set."""
        for key, value in self.environ:
            if key == name:
                return value
        return None


@dataclass(frozen=True)
class Verdict:
    """What a trial in a child process showed. ``outcome``: works, raises, dies, hangs, wrong, not-run."""

    subject: str
    outcome: str
    detail: str = ""


@dataclass(frozen=True)
class Measured:
    """What was tried, as opposed to read."""

    verdicts: Tuple[Verdict, ...] = ()


@dataclass(frozen=True)
class Machine:
    """Everything that devicekit knows of a machine: one frozen value with a lossless JSON form.

    Attributes
    ----------
    python : Python
        The interpreter and what is installed for it.
    native : Native
        The operating system, processor, memory and C library.
    driver, cuda, rocm, directml, metal, oneapi, tpu
        What each word of hardware has: devices, drivers, libraries.
    process : Process
        Environment variables, imported frameworks, container and WSL.
    measured : Measured
        What was tried, as opposed to read.
    devicekit_version : str
        Of the devicekit that looked.
    platforms : tuple of PlatformFacts
        What plug-ins tell of platforms that devicekit itself does not know.
    """

    python: Python
    native: Native
    driver: Driver
    cuda: Cuda
    rocm: Rocm
    directml: DirectMl
    metal: Metal
    process: Process
    measured: Measured = field(default_factory=Measured)
    devicekit_version: str = ""
    oneapi: OneApi = field(default_factory=OneApi)
    tpu: Tpu = field(default_factory=Tpu)
    #: What plug-ins tell of platforms that devicekit itself does not know.
    platforms: Tuple[PlatformFacts, ...] = ()

    def platform(self, name: Optional[str]) -> Optional[PlatformFacts]:
        """Return what the plug-in for a platform told, or None where there is none."""
        return next((item for item in self.platforms if item.name == name), None)

    def to_dict(self) -> Dict[str, Any]:
        """Return the machine as plain data for JSON; `from_dict` gives an equal machine back."""
        data = encode(self)
        assert isinstance(data, dict)
        return dict(schema=SCHEMA, **data)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Machine":
        """Return the machine that `to_dict` described.

        Raises
        ------
        MachineFileError
            Where the data are of a newer schema or of the wrong shape; the message names the place.
        """
        if not isinstance(data, Mapping):
            raise MachineFileError("a machine is a JSON object, this is a %s" % type(data).__name__)
        schema = data.get("schema")
        if not isinstance(schema, int) or isinstance(schema, bool):
            raise MachineFileError(
                "this is no machine file: it has no 'schema' number; make one with: devicekit snapshot"
            )
        if schema > SCHEMA:
            raise MachineFileError(
                "the machine file has schema %d, this devicekit reads up to %d: upgrade devicekit to read it"
                % (schema, SCHEMA)
            )
        machine = decode(cls, {key: value for key, value in data.items() if key != "schema"}, "machine")
        assert isinstance(machine, Machine)
        return machine
