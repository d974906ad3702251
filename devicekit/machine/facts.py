"""What is known of a machine: `Fact`, and the frozen `Machine` that consists of them.

A fact has three states, and "could not find out" is never confused with "is not there": reading the value of an unknown
fact raises `UnknownFactError`, which makes a rule "not evaluated, because ..." instead of "clean".
"""

from typing import Any, ClassVar, Dict, Generic, Optional, Tuple, TypeVar

from ..errors import UnknownFactError
from ..records import Plain, Record, ShownAsReport, decode, encode, wrong_data

T = TypeVar("T")


class Fact(Record, Generic[T]):
    """A value with where it was read, or the reason why there is none.

    Attributes
    ----------
    status : {"value", "absent", "unknown"}
        ``absent``: it was looked for and is not there. ``unknown``: it could not be determined.
    content : object or None
        The value as it is; `value` raises where it is unknown.
    source : str
        The file, variable, library or command that was read.
    problem : str
        Why it is unknown, or what was odd about it.
    """

    status: str
    content: Optional[T] = None
    source: str = ""
    problem: str = ""

    @classmethod
    def of(cls, value: T, source: str = "", problem: str = "") -> "Fact[T]":
        """Return a fact that has a value."""
        return cls("value", value, source, problem)

    @classmethod
    def absent(cls, source: str = "", problem: str = "") -> "Fact[T]":
        """Return the fact that there is no such thing."""
        return cls("absent", None, source, problem)

    @classmethod
    def unknown(cls, problem: str, source: str = "") -> "Fact[T]":
        """Return a fact that could not be determined, with the reason."""
        return cls("unknown", None, source, problem)

    @property
    def known(self) -> bool:
        """Whether it was determined: there, or certainly not there."""
        return self.status != "unknown"

    @property
    def present(self) -> bool:
        """Whether there is a value.

        Raises
        ------
        UnknownFactError
            If it could not be determined.
        """
        return self.value is not None

    @property
    def value(self) -> Optional[T]:
        """The value, or None if it is absent.

        Raises
        ------
        UnknownFactError
            If it could not be determined.
        """
        if self.status == "unknown":
            raise UnknownFactError("%s: %s" % (self.source or "unknown", self.problem or "not determined"))
        return self.content

    def to_dict(self) -> Dict[str, Any]:
        """Return the fact as plain data for JSON."""
        data: Dict[str, Any] = {"status": self.status}
        if self.status == "value":
            data["value"] = encode(self.content)
        if self.source:
            data["source"] = self.source
        if self.problem:
            data["problem"] = self.problem
        return data

    @classmethod
    def _decode(cls, arguments: Tuple[Any, ...], data: Any, where: str) -> "Fact[Any]":
        if not isinstance(data, dict) or data.get("status") not in ("value", "absent", "unknown"):
            raise wrong_data(where, "a fact with a status", data)
        source, problem = data.get("source", ""), data.get("problem", "")
        if not isinstance(source, str) or not isinstance(problem, str):
            raise wrong_data(where, "a fact whose source and problem are strings", data)
        content = None
        if data["status"] == "value":
            content = decode(arguments[0] if arguments else Any, data.get("value"), where)
        return cls(data["status"], content, source, problem)

    def or_none(self) -> Optional[T]:
        """Return the value, or None if it is absent or unknown: for display, and if both mean the same."""
        return self.content


# Accelerators: drivers, devices, and the libraries that frameworks open for them.


class Library(Record):
    """A native library that the dynamic linker would find. ``found_via`` names the search step that found it.

    ``target`` is the name of the file that a link leads to, which often says more of its version; "" for a file.
    ``version``: what the file's name, the package that it came with or its toolkit says; "" if nothing does.
    Of CUDA's libraries only: ``needs``: the libraries of its kind that it needs (DT_NEEDED); ``folders`` and ``rpath``: where
    it tells the dynamic linker to look for those (DT_RUNPATH; without one, DT_RPATH); ``unsafe``: why it should not be
    loaded unasked.
    """

    name: str
    path: str
    found_via: str
    target: str = ""
    version: str = ""
    needs: Tuple[str, ...] = ()
    folders: Tuple[str, ...] = ()
    rpath: Tuple[str, ...] = ()
    unsafe: str = ""


class Opener(Record):
    """A framework's library that opens others while it runs: the dynamic linker searches on its behalf.

    ``needs``, ``folders`` and ``rpath`` are as those of a `Library`; ``own``: the folders from which the framework loads by
    full path, before it leaves anything to the dynamic linker.
    """

    framework: str
    path: str
    folders: Tuple[str, ...]
    rpath: Tuple[str, ...] = ()
    needs: Tuple[str, ...] = ()
    own: Tuple[str, ...] = ()


class PciDisplay(Record):
    """A display or 3D controller on the PCI bus; ids are lower-case hexadecimal without prefix."""

    address: str
    vendor_id: str
    device_id: str
    driver: str


class DeviceNode(Record):
    """A device file and whether this user may open it for reading and writing.

    ``group``: the group that owns one that is not accessible, as its number if that has no name here.
    """

    path: str
    accessible: bool
    group: str = ""


class GpuProcess(Record):
    """A process that uses a GPU. ``kind``: compute, graphics, or mps (NVIDIA's service that shares a GPU)."""

    pid: int
    memory_bytes: Optional[int] = None
    kind: str = "compute"


class MigDevice(Record):
    """A slice of an NVIDIA GPU in MIG mode. ``profile``: ``1g.5gb``; the instances are NVIDIA's numbers."""

    uuid: str
    profile: str
    gpu_instance: Optional[int] = None
    compute_instance: Optional[int] = None
    memory_bytes: Optional[int] = None
    memory_free_bytes: Optional[int] = None


class Xid(Record):
    """An error that NVIDIA's driver wrote into the kernel's log, and how often. ``bus_id`` as in `Gpu`."""

    bus_id: str
    number: int
    count: int = 1


class Gpu(Record):
    """A GPU as its driver describes it.

    What follows ``compute_capability`` is NVIDIA's (NVML). ``ecc_errors``: uncorrectable ones since the driver was loaded,
    ``ecc_errors_total`` ever. ``memory_repair``: none, pending (at the next reset), failed. ``recovery``: what the driver
    says must be done first: none, reset, bus-reset, reboot, drain, drain-and-reset, recover-imex. ``processes``: without
    this one. ``problem``: why the driver cannot describe it, "" if it can. ``pcie_width``: the lanes in use, of the
    ``pcie_width_max`` that the card and its slot have. ``nvlinks``: whether each of its NVLinks is up.
    ``clock_max_mhz``: of its multiprocessors. ``power_limit_w``: what it may take now.
    """

    vendor: str  # "nvidia", "amd", "intel", "apple", "qualcomm", "other"
    name: str
    index: int
    bus_id: str = ""
    uuid: str = ""
    memory_bytes: Fact[int] = Fact.unknown("not asked")
    compute_capability: Fact[str] = Fact.unknown("not asked")
    memory_free_bytes: Fact[int] = Fact.unknown("not asked")
    memory_used_bytes: Fact[int] = Fact.unknown("not asked")
    utilization_percent: Fact[int] = Fact.unknown("not asked")
    mig_enabled: Fact[bool] = Fact.unknown("not asked")
    mig_devices: Fact[Tuple[MigDevice, ...]] = Fact.unknown("not asked")
    ecc_errors: Fact[int] = Fact.unknown("not asked")
    ecc_errors_total: Fact[int] = Fact.unknown("not asked")
    memory_repair: Fact[str] = Fact.unknown("not asked")
    recovery: Fact[str] = Fact.unknown("not asked")
    persistence: Fact[bool] = Fact.unknown("not asked")
    compute_mode: Fact[str] = Fact.unknown("not asked")
    processes: Fact[Tuple[GpuProcess, ...]] = Fact.unknown("not asked")
    problem: str = ""
    pcie_width: Fact[int] = Fact.unknown("not asked")
    pcie_width_max: Fact[int] = Fact.unknown("not asked")
    nvlinks: Fact[Tuple[bool, ...]] = Fact.unknown("not asked")
    clock_max_mhz: Fact[int] = Fact.unknown("not asked")
    power_limit_w: Fact[float] = Fact.unknown("not asked")


class PeerAccess(Record):
    """Whether two GPUs, named by their bus ids, read each other's memory directly, and why not.

    ``state``: works, chipset, gpu, topology, disabled, not-supported, unknown.
    """

    first: str
    second: str
    state: str


class KernelModule(Record):
    """A kernel module that DKMS builds on this machine, and the kernels for which it is built."""

    name: str  # "nvidia", "amdgpu"
    version: str
    kernels: Tuple[str, ...] = ()


class Driver(Record):
    """Graphics hardware and its driver.

    ``nvml``: the version of NVIDIA's management library, which describes the GPUs; ``nvml_error`` is its number for why it
    did not start, ``nvml_silent`` says that it was asked and gave no answer. ``nvidia_version`` and ``cuda_version``: the
    driver's own, and the newest CUDA that it runs, as NVML says. ``xids``: since the machine's start. ``modules``: the drivers
    that DKMS builds for each kernel. ``peers``: each pair of GPUs.
    """

    displays: Fact[Tuple[PciDisplay, ...]]
    gpus: Fact[Tuple[Gpu, ...]]
    nodes: Tuple[DeviceNode, ...]
    nvidia_kernel_version: Fact[str]
    nvidia_library_version: Fact[str]
    libraries: Fact[Tuple[Library, ...]]
    nvml: Fact[str] = Fact.unknown("not asked")
    nvml_error: Fact[int] = Fact.absent(problem="not asked")
    nvml_silent: bool = False
    nvidia_version: Fact[str] = Fact.unknown("not asked")
    cuda_version: Fact[str] = Fact.unknown("not asked")
    xids: Fact[Tuple[Xid, ...]] = Fact.unknown("not asked")
    modules: Fact[Tuple[KernelModule, ...]] = Fact.unknown("not asked")
    peers: Fact[Tuple[PeerAccess, ...]] = Fact.unknown("not asked")


class Cuda(Record):
    """CUDA libraries that could be loaded, wherever they come from.

    ``toolchain``: what compiling for the GPU needs besides, ``ptxas`` and ``libdevice.10.bc``.
    """

    libraries: Fact[Tuple[Library, ...]]
    toolchain: Fact[Tuple[Library, ...]] = Fact.unknown("not asked")
    #: The folders of LD_LIBRARY_PATH as the dynamic linker read it when the process started; on Windows all that it
    #: searches, in its order.
    path: Tuple[str, ...] = ()
    #: Where the interpreter itself tells the dynamic linker to look (DT_RPATH, as conda's have it).
    rpath: Tuple[str, ...] = ()
    openers: Tuple[Opener, ...] = ()


class AmdGpu(Record):
    """An AMD GPU as its kernel's compute driver lists it, which is ROCm's own order.

    ``node``: its number in that list, which has processors as well. ``uuid``: as ROCm writes it (``GPU-`` and 16 digits),
    "" for a GPU without a serial number. ``pcie_atomics`` is None if its link to the processor says nothing of them.
    """

    name: str
    target: str  # "gfx1030"
    bus_id: str = ""
    uuid: str = ""
    render_node: str = ""
    memory_bytes: Optional[int] = None
    memory_used_bytes: Optional[int] = None
    compute_units: int = 0
    integrated: bool = False
    pcie_atomics: Optional[bool] = None
    node: int = 0

    @property
    def memory_free_bytes(self) -> Optional[int]:
        """The memory that was free when it was read."""
        if self.memory_bytes is None or self.memory_used_bytes is None:
            return None
        return max(0, self.memory_bytes - self.memory_used_bytes)


class Installation(Record):
    """One of the places where a vendor's compute stack is installed, and its version there, "" if nothing states it.

    ``found_via``: the variable that names it, "system", "pip", or "library" for what only a library's file shows.
    """

    version: str
    path: str
    found_via: str


class Rocm(Record):
    """AMD's compute stack.

    ``gfx``: the targets of the GPUs (``gfx1030``) that its kernel driver lists; ``withheld``: how many more it keeps from
    this container. ``module``: the kernel module amdgpu, its version if it was built separately, else "in use".
    """

    kfd: Fact[DeviceNode]
    version: Fact[str]
    gfx: Fact[Tuple[str, ...]] = Fact.unknown("not asked")
    gpus: Fact[Tuple[AmdGpu, ...]] = Fact.unknown("not asked")
    withheld: int = 0
    module: Fact[str] = Fact.unknown("not asked")
    libraries: Fact[Tuple[Library, ...]] = Fact.unknown("not asked")
    installations: Tuple[Installation, ...] = ()


class IntelGpu(Record):
    """An Intel GPU that has a render node. ``driver``: the kernel's, i915 or xe."""

    name: str
    bus_id: str
    device_id: str
    driver: str
    render_node: str
    integrated: bool = False


class OneApi(Record):
    """Intel's compute stack: the driver's user-space libraries (Level Zero, OpenCL) and the runtime of oneAPI.

    ``installations``: where oneAPI is installed, whether the dynamic linker looks there or not; the newest first.
    """

    gpus: Fact[Tuple[IntelGpu, ...]] = Fact.unknown("not asked")
    libraries: Fact[Tuple[Library, ...]] = Fact.unknown("not asked")
    installations: Tuple[Installation, ...] = ()


class Tpu(Record):
    """Google's TPUs. ``chips``: their generations; ``library``: the file libtpu.so that JAX would load."""

    chips: Fact[Tuple[str, ...]] = Fact.unknown("not asked")
    nodes: Tuple[DeviceNode, ...] = ()
    library: Fact[str] = Fact.unknown("not asked")


class DxAdapter(Record):
    """A DirectX adapter as Windows describes it; ids are lower-case hexadecimal without prefix.

    ``feature_level`` is Direct3D 12's highest (0xC000 is 12_0), None if Windows has not asked the adapter yet.
    ``compute_only``: it draws nothing; ``neural``: it is a neural processor. ``direct3d``: whether it has a Direct3D 12
    device of the level that TensorFlow asks for; ``directml``: whether DirectML then offers all that TensorFlow needs; None
    if that was not asked, and ``problem`` says what is missing.
    """

    name: str
    vendor_id: str
    device_id: str
    driver_version: str = ""
    memory_bytes: Optional[int] = None
    software: bool = False
    feature_level: Optional[int] = None
    compute_only: bool = False
    neural: bool = False
    direct3d: Optional[bool] = None
    directml: Optional[bool] = None
    problem: str = ""


class DirectMl(Record):
    """DirectX 12 and DirectML.

    ``ordered``: the adapters are in the order in which DirectML builds number them. ``failure``: what DXCore or DXGI
    answered instead of a list. ``loads``: whether the DirectML library that TensorFlow would open can be opened.
    ``registered``: the adapters that Windows' registry has, where ``adapters`` are DirectX's own.
    """

    dxg: Fact[DeviceNode]
    libraries: Fact[Tuple[Library, ...]]
    bundled: Fact[str]
    adapters: Fact[Tuple[DxAdapter, ...]]
    ordered: bool = False
    failure: str = ""
    loads: Fact[bool] = Fact.unknown("not asked")
    registered: Tuple[DxAdapter, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether DirectX itself named the adapters, not the registry."""
        return self.adapters.known and self.adapters.source in ("DXGI", "DXCore") and not self.failure


class Metal(Record):
    """Apple's GPUs. ``memory_bytes``: of the whole machine, which processor and GPU share."""

    chip: Fact[str]
    rosetta: Fact[bool]
    gpu_cores: Fact[int] = Fact.unknown("not asked")
    memory_bytes: Fact[int] = Fact.unknown("not asked")
    macos: Fact[str] = Fact.unknown("not asked")


# The interpreter and what is installed for it.


class Distribution(Record):
    """An installed distribution that matters to a framework.

    ``missing_files`` lists what its RECORD names and the disk lacks (the first twenty), out of ``missing_count``.
    ``platform_tags`` are those of the wheel that it came from (``manylinux_2_17_x86_64``), if that was read; ``python_tags``
    those of its Python (``cp311-cp311``). ``unreadable_files``: files, or folders with files of it, that this user may not
    read (the first twenty), which belong to ``owner``: "root", "this user" or "another user".
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
    python_tags: Tuple[str, ...] = ()
    unreadable_files: Tuple[str, ...] = ()
    owner: str = ""


class ImportPackage(Record):
    """What ``import NAME`` would load: the first match on the path, and what it hides."""

    name: str
    kind: str  # "package", "module", "namespace"
    location: str
    path_entry: str
    hides: Tuple[str, ...] = ()
    in_site: bool = True


class FrameworkBuild(Record):
    """What the files inside a framework's package, and of JAX its plug-ins', say that it was built for.

    ``cuda_version`` is as precise as they are: of JAX's plug-ins the major number alone. ``missing_files``: what TensorFlow's
    own imports name and the disk lacks, where no RECORD says which files it has.
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
    missing_files: Tuple[str, ...] = ()


class PluginLibrary(Record):
    """A file in a ``tensorflow-plugins`` folder: TensorFlow loads it at import. ``format`` is of its first bytes.

    ``missing_libraries``: what it needs and the dynamic linker would not find.
    """

    path: str
    format: str  # "elf", "pe", "macho", "empty", "other"
    size_bytes: int
    missing_libraries: Tuple[str, ...] = ()


class KerasConfig(Record):
    """``keras.json`` as far as it matters. ``fatal``: a value at which Keras 3 stops (keras/src/backend/config.py)."""

    path: str
    backend: Optional[str]
    problem: str = ""
    fatal: str = ""


class Python(Record):
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
    #: Why it does not start in this environment, "" if it does: ``PYTHONHOME`` leads elsewhere.
    problem: str = ""
    #: Modules of the standard library that it was built without.
    lacking: Tuple[str, ...] = ()
    #: What manages the project that the environment belongs to: "uv", "poetry", "pdm".
    manager: Fact[str] = Fact.unknown("not asked")
    #: The distributions that the project names in its pyproject.toml.
    declared: Tuple[str, ...] = ()
    #: Whether it is the environment in which conda itself is installed.
    conda_base: bool = False
    #: Whether this user may install into it.
    writable: Fact[bool] = Fact.unknown("not asked")

    def distribution(self, *names: str) -> Optional[Distribution]:
        """Return the first installed distribution of these (normalized) names, or None.

        Raises
        ------
        UnknownFactError
            If the installed distributions could not be read.
        """
        installed = self.distributions.value or ()
        return next((item for name in names for item in installed if item.name == name), None)

    def version_of(self, *names: str) -> Optional[str]:
        """Return the version of the first installed distribution of these names, or None."""
        found = self.distribution(*names)
        return found.version.or_none() if found else None

    def package(self, name: str) -> Optional[ImportPackage]:
        """Return what ``import name`` would load, or None."""
        return next((item for item in self.packages if item.name == name), None)

    def build(self, package: str = "tensorflow") -> Optional[FrameworkBuild]:
        """Return what a framework's package was built for, or None."""
        return next((item for item in self.builds if item.package == package), None)


class OsRelease(Record):
    """What ``os-release`` says of a Linux distribution: its ID, the IDs of those that it resembles, and its version."""

    id: str
    like: Tuple[str, ...] = ()
    version: str = ""


class CxxNeed(Record):
    """A framework's library, and the newest version of libstdc++'s symbols that it needs and only the system's has."""

    framework: str
    path: str
    version: str


class CxxLibrary(Record):
    """A libstdc++ that LD_LIBRARY_PATH puts before the system's. ``lacking``: one need of each framework."""

    path: str
    lacking: Tuple[CxxNeed, ...] = ()


class Native(Record):
    """The operating system, processor and C library. ``msvc``: the Visual C++ runtime libraries that Windows finds.

    ``cpu_count`` and ``memory_bytes`` are the machine's. Of its logical processors, this process may run on
    ``cpu_affinity``; in its control groups it gets the time of ``cpu_quota`` cores, which programs cannot see in the
    number of processors; ``cpu_usable`` is the least of all three. ``memory_limit_bytes``: the least limit of its control
    groups; ``address_space_bytes``: what ``ulimit -v`` allows. ``performance_cores``: the fast ones of Apple's chips.
    ``secure_boot``: whether the firmware makes the kernel refuse modules without a known signature.
    ``shared_memory_bytes``: the size of ``/dev/shm``. ``cxx``: a C++ library that comes before the system's, absent if none
    does.
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
    os_release: Fact[OsRelease] = Fact.unknown("not asked")
    secure_boot: Fact[bool] = Fact.unknown("not asked")
    shared_memory_bytes: Fact[int] = Fact.unknown("not asked")
    cxx: Fact[CxxLibrary] = Fact.unknown("not asked")

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


class LoadedModule(Record):
    """A framework that the examined process has imported already. ``backend``: what a Keras 3 computes with, else ""."""

    name: str
    version: str
    initialized: Optional[bool] = None
    backend: str = ""


class Process(Record):
    """The process: its environment variables (only those that frameworks and loaders read) and where it runs.

    ``named_files``: variables that name a file, folder or network interface, and whether that is there; TensorFlow's library
    in LD_LIBRARY_PATH, and whether it is of the release that is imported; flags of XLA (``--xla_...``), and whether
    jaxlib has them. ``root``: whether the user is root. ``preset``: names of variables that Python's own start sets.
    """

    environ: Tuple[Tuple[str, str], ...]
    modules: Tuple[LoadedModule, ...]
    container: Fact[str]
    wsl: Fact[int]
    named_files: Fact[Tuple[Tuple[str, bool], ...]] = Fact.unknown("not asked")
    root: Fact[bool] = Fact.unknown("not asked")
    preset: Tuple[str, ...] = ()

    def env(self, name: str) -> Optional[str]:
        """Return the value of an environment variable, None if it is not set."""
        return next((value for key, value in self.environ if key == name), None)


class Verdict(Record):
    """What a self-test in a child process showed. ``outcome``: works, wrong, raised, died, hung, not-run."""

    subject: str
    outcome: str
    detail: str = ""


class Measured(Record):
    """What was tried, as opposed to read."""

    verdicts: Tuple[Verdict, ...] = ()


# What plug-ins report.


class PlatformFacts(Record):
    """A platform that a plug-in adds. It can be read without the plug-in.

    Attributes
    ----------
    name : str
        The platform, which is also its name in device strings: ``"npu"``.
    distribution, version : str
        What brings it, as installed.
    entry : str
        Where its class is: ``"devicekit_npu:NpuPlatform"``.
    title : str
        Its name for people.
    facts : Fact of Plain
        What its probe found; absent if there is nothing of it on the machine.
    frameworks : tuple of (str, str)
        What each framework that can use it calls its devices: ``("tensorflow", "NPU")``, ``("torch", "npu")``.
    libraries : tuple of str
        Parts of the names of its files in ``tensorflow-plugins``.
    variables : tuple of str
        Environment variables that it reads; they are recorded with the process's.
    problems : tuple of str
        What the plug-in itself did wrong.
    """

    name: str
    distribution: str
    version: str
    entry: str
    title: str = ""
    facts: Fact[Plain] = Fact.unknown("not asked")
    frameworks: Tuple[Tuple[str, str], ...] = ()
    libraries: Tuple[str, ...] = ()
    variables: Tuple[str, ...] = ()
    problems: Tuple[str, ...] = ()

    def device_type(self, framework: str) -> Optional[str]:
        """Return what a framework calls its devices, None if that cannot use them."""
        return dict(self.frameworks).get(framework)

    @property
    def label(self) -> str:
        """The distribution and its version, for messages."""
        return ("%s %s" % (self.distribution, self.version)).strip()

    def summary(self) -> Dict[str, Any]:
        """Return what reports show of it, as plain data for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "distribution": self.distribution,
            "version": self.version,
            "status": self.facts.status,
            "problem": self.facts.problem,
            "frameworks": dict(self.frameworks),
            "problems": list(self.problems),
        }


class Machine(ShownAsReport, Record):
    """Everything that devicekit knows of a machine: one frozen value with a lossless JSON form.

    Attributes
    ----------
    python : Python
        The interpreter and what is installed for it.
    native : Native
        The operating system, processor, memory and C library.
    driver, cuda, rocm, directml, metal, oneapi, tpu
        What each area of hardware has: devices, drivers, libraries.
    process : Process
        Environment variables, imported frameworks, container and WSL.
    measured : Measured
        What was tried, as opposed to read.
    devicekit_version : str
        Of the devicekit that looked.
    platforms : tuple of PlatformFacts
        What plug-ins report about platforms that devicekit itself does not know.
    """

    schema: ClassVar[Optional[int]] = 1
    _document = "machine file"
    _made_by = "devicekit snapshot"

    python: Python
    native: Native
    driver: Driver
    cuda: Cuda
    rocm: Rocm
    directml: DirectMl
    metal: Metal
    process: Process
    measured: Measured = Measured()
    devicekit_version: str = ""
    oneapi: OneApi = OneApi()
    tpu: Tpu = Tpu()
    #: What plug-ins report about platforms that devicekit itself does not know.
    platforms: Tuple[PlatformFacts, ...] = ()

    def __repr__(self) -> str:
        # All facts would be 40 kB; `to_dict` has them.
        return "<devicekit.Machine: %s>" % self

    def platform(self, name: Optional[str]) -> Optional[PlatformFacts]:
        """Return what the plug-in for a platform reported, or None if there is none."""
        return next((item for item in self.platforms if item.name == name), None)


def check_machine(machine: object) -> None:
    """Raise TypeError, with what is expected, if what a caller passed is neither a machine nor None."""
    if machine is not None and not isinstance(machine, Machine):
        raise TypeError(
            "machine must be a devicekit.Machine (devicekit.detect(), a snapshot, or devicekit.testing.load(name)), not a %s"
            % type(machine).__name__
        )
