"""The rows of the bundled tables, typed. What a field means and where it comes from is said in each table's file."""

from typing import Tuple

from ..records import Record


class TensorFlowRow(Record):
    """What one minor release of TensorFlow needs. Ranges are version specifiers, "" means nothing is required."""

    minor: str
    python: str
    numpy: str
    protobuf: str
    keras: str
    linux_cuda: str
    linux_cudnn: str
    windows_gpu: bool


class CudaRow(Record):
    """A CUDA release: what TensorFlow opens of it by which name, and the drivers and GPUs that it runs on.

    ``linux_driver`` and ``windows_driver`` are the oldest ones that can run it (minor-version compatibility, CUDA 11 and
    later); the ``own_`` ones came with the toolkit, "" if that is not recorded. Capabilities are those that its compiler
    makes code for.
    """

    cuda: str
    libraries: Tuple[Tuple[str, str], ...]
    windows_libraries: Tuple[Tuple[str, str], ...]
    linux_driver: str
    windows_driver: str
    own_linux_driver: str
    own_windows_driver: str
    oldest_capability: str
    newest_capability: str


class CudnnRow(Record):
    """A line of cuDNN: the file that is opened, the CUDA releases it was made for, the oldest GPUs it has code for."""

    versions: str
    library: str
    windows_library: str
    cuda: Tuple[str, ...]
    oldest_capability: str


class ArchitectureRow(Record):
    """NVIDIA GPUs of a range of compute capabilities, the last branch of the driver that supports them, and the one after it.

    Both are "" where current drivers support them.
    """

    architecture: str
    oldest: str
    newest: str
    last_driver: str
    next_driver: str


class RocmRow(Record):
    """The ROCm that a release of tensorflow-rocm was built for: the kernel drivers and GPU targets that it works with."""

    tensorflow_rocm: str
    rocm: str
    kernel_drivers: Tuple[str, ...]
    gfx: Tuple[str, ...]


class IndexRow(Record):
    """Builds of a project on its makers' own package index.

    ``code`` is what the builds run on (``sm_80``, ``gfx1100``, ``Xe-HPG``), empty where it does not matter.
    """

    project: str
    goal: str
    url: str
    versions: str
    platforms: Tuple[str, ...]
    cuda: str
    code: Tuple[str, ...]

    @property
    def label(self) -> str:
        """The label of the versions there (``2.13.0+cu126``): the last part of the address."""
        return self.url.rpartition("/")[2]


class Hold(Record):
    """What the declared bounds do not say: a release needs more, or does not do for a goal.

    ``seen`` names the environment in which that was seen, or where it is written.
    """

    projects: Tuple[str, ...]
    versions: str
    python: str
    goal: str
    needs: Tuple[str, ...]
    because: str
    seen: str
    code: str


class Companion(Record):
    """With which TensorFlow and JAX a release of another project goes, which its metadata do not say.

    Attributes
    ----------
    tensorflow : str
        The releases of TensorFlow that it was made for, whichever distribution brings them.
    fails : str
        Those with which its import raises an error, "" if none is known.
    jax : str
        The releases of JAX that it goes with, if JAX is there.
    needs : tuple of str
        What has to be there as well.
    because : str
    """

    tensorflow: str
    fails: str
    jax: str
    needs: Tuple[str, ...]
    because: str


class ImportNeed(Record):
    """What a release imports besides NumPy and protobuf, whatever its metadata declare.

    Attributes
    ----------
    needs : tuple of str
        Requirements.
    backend : str
        For Keras: only with this backend; "" for all.
    breaks : {"import", "keras"}
        What fails otherwise: the import of the release, or only a step of training with Keras.
    because : str
        In half a sentence.
    code : str
        The finding code; "" for dependency-incompatible.
    """

    needs: Tuple[str, ...]
    backend: str
    breaks: str
    because: str
    code: str


class Bound(Record):
    """Between which versions of a dependency a release was imported and trained (tools/try_bounds.py).

    Attributes
    ----------
    project, release : str
        ``"tensorflow"`` for every distribution of that import package; the release speaks for its minor release (of JAX 0.4
        for itself).
    python : str
        The Python version on which it was tried.
    dependency : str
    backend : str
        Of Keras 3: what it was tried on; "" for all others.
    oldest, newest : str
        With these versions everything works.
    below, below_fails : str
        The newest older version that fails, and how: ``"import: AttributeError: ..."``; "" if there is none.
    above, above_fails : str
        The oldest newer version that fails, and how.
    import_below, import_below_fails, import_above, import_above_fails : str
        Where those fail at a later stage: the same of the first version that fails at the import.
    imports_below, imports_above : str
        The farthest version that fails, and is imported all the same; "" if that was not tried.
    without : str
        What happens without the dependency: ``"ok"`` or the failure; "" if that was not tried.
    """

    project: str
    release: str
    python: str
    dependency: str
    backend: str
    oldest: str
    newest: str
    below: str
    below_fails: str
    above: str
    above_fails: str
    import_below: str
    import_below_fails: str
    import_above: str
    import_above_fails: str
    imports_below: str
    imports_above: str
    without: str


class DirectMlRow(Record):
    """A distribution that brings DirectML to TensorFlow."""

    distribution: str
    version: str
    python: str
    tensorflow: str
    device_type: str
    systems: Tuple[str, ...]
    windows_build: int
    wsl_build: int


class DriverInstall(Record):
    """How NVIDIA's driver is installed on a Linux distribution.

    Attributes
    ----------
    ids : tuple of str
        The distribution, as os-release names it.
    versions : str
        The range of its versions, "" for all.
    limit : str
        "" for current GPUs, else the branch that is the last one for an old GPU; ``"*"``: any such branch.
    newest : str
        The newest branch that this installs, "" for the newest that there is.
    commands : tuple of tuple of str
        What to run as root. Words may hold ``{version}``, ``{major}``, ``{arch}``, ``{branch}``.
    headers, compat : tuple of str
        The same, for what is needed to build the module for ``{release}``, and for NVIDIA's forward compatibility package for
        ``{cuda}``; empty where there is none.
    mok : str
        The key that Secure Boot has to trust, "" where the packages are signed already.
    needs : str
        What the package manager needs before.
    source, seen : str
        The page, and the day on which it said so.
    """

    ids: Tuple[str, ...]
    versions: str
    limit: str
    newest: str
    commands: Tuple[Tuple[str, ...], ...]
    headers: Tuple[str, ...]
    compat: Tuple[str, ...]
    mok: str
    source: str
    seen: str
    needs: str = ""


class InstructionNeed(Record):
    """Instructions without which a release cannot be imported.

    Attributes
    ----------
    needs : tuple of str
        As Linux names them in ``/proc/cpuinfo``.
    ends : {"kills", "raises"}
        What an import without them comes to.
    instead : tuple of str
        Requirements for a release that does without them; empty where there is none.
    """

    needs: Tuple[str, ...]
    ends: str
    instead: Tuple[str, ...]


class ImportMemory(Record):
    """How much memory the import of a framework and one operation take, as far as it was tried.

    Attributes
    ----------
    tried : str
        With what.
    killed_bytes : int
        The highest limit under which the kernel killed the process; 0 where that was not tried.
    resident_bytes : int
        What it takes where nothing limits it.
    address_space_bytes : int
        The highest limit of the address space under which it failed; 0 where that was not tried.
    """

    tried: str
    killed_bytes: int
    resident_bytes: int
    address_space_bytes: int


class Defect(Record):
    """What is known to compute wrong values, or to fail, although it is installed as it should be.

    A row applies to a framework in one of these versions on one of these platforms, if all other conditions hold; an empty
    condition holds always. The table's note says what the conditions mean.

    Attributes
    ----------
    effect : {"wrong-values", "fails", "refused", "crashes"}
    status : {"confirmed", "reported"}
        By those who make the software, or only by users.
    what : str
        In half a sentence.
    do : str
        What to do about it.
    requirements : tuple of str
        What to install; ``{cuda}`` is the major number of the build's CUDA.
    set : str
        A variable that prevents it, with its value.
    """

    name: str
    effect: str
    status: str
    severity: str
    frameworks: Tuple[Tuple[str, str], ...]
    platforms: Tuple[str, ...]
    what: str
    do: str
    sources: Tuple[str, ...]
    requirements: Tuple[str, ...] = ()
    set: str = ""
    libraries: Tuple[Tuple[str, str], ...] = ()
    capabilities: str = ""
    code: str = ""
    gfx: Tuple[str, ...] = ()
    chips: Tuple[str, ...] = ()
    instructions: Tuple[str, ...] = ()
    gpus: int = 0
    without: Tuple[str, ...] = ()

    @property
    def says(self) -> str:
        """The sentence's beginning: whose word it is."""
        return "known" if self.status == "confirmed" else "reported by users"
