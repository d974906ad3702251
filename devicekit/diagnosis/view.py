"""`View`: what several rules ask of a machine, computed once. Pure."""

from typing import Any, Callable, Dict, Generic, List, Optional, Tuple, TypeVar

from ..errors import UnknownFactError
from ..machine.accelerators import Accelerator, accelerators
from ..machine.facts import Distribution, FrameworkBuild, Machine, PciDisplay
from ..machine.vendors import Vendor
from ..matrix.matrix import TENSORFLOW_OWNERS, TENSORFLOW_REDIRECTS, Matrix
from ..matrix.tables import TensorFlowRow
from ..matrix.target import Target, target_of
from .commands import Shell, place_of

_T = TypeVar("_T")


class _Once(Generic[_T]):
    """A property that is computed at its first use; one that raises is computed again."""

    def __init__(self, make: Callable[[Any], _T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __get__(self, view: Any, owner: Any = None) -> _T:
        if view is None:  # asked of the class, by a tool for documentation
            return self  # type: ignore[return-value]
        # It has no __set__: an entry in the instance's dictionary takes precedence from now on.
        made = view.__dict__[self._make.__name__] = self._make(view)
        return made


class View:
    """A machine and the matrix, with the questions that rules share.

    Every property may raise `UnknownFactError`; then the rule that asked is "not evaluated".
    """

    def __init__(self, machine: Machine, matrix: Matrix) -> None:
        self.machine = machine
        self.matrix = matrix
        #: What `libraries.search` found, by framework: several rules ask.
        self.searches: Dict[str, Any] = {}

    @_Once
    def tensorflow_distributions(self) -> Tuple[Distribution, ...]:
        """The installed distributions that bring files of the import package ``tensorflow``."""
        installed = [item for item in self.machine.python.distributions.value or () if item.name in TENSORFLOW_OWNERS]
        targets = [item for item in installed if item.name in TENSORFLOW_REDIRECTS]
        # tensorflow-cpu of another release is a whole wheel that an upgrade left behind.
        releases = {item.version.or_none() for item in targets if item.name != "tensorflow-macos"}
        return tuple(
            item
            for item in installed
            if not (item.name == "tensorflow" and targets)
            and not (item.name == "tensorflow-cpu" and item.version.or_none() in releases)
        )

    @_Once
    def tensorflow(self) -> Optional[Distribution]:
        """The distribution whose TensorFlow would be imported."""
        owners = self.tensorflow_distributions
        package = self.machine.python.package("tensorflow")
        if package is not None and len(owners) > 1:
            # Python imports from the first folder of the path that has it: what is in others does not matter.
            here = tuple(item for item in owners if item.location.startswith(package.path_entry))
            owners = here or owners
        if len(owners) < 2:
            return owners[0] if owners else None
        # The one installed last wrote over the others' files: the version that the files name tells which it was.
        build = self.machine.python.build("tensorflow")
        version = build.version.or_none() if build else None
        intact = [item for item in owners if not item.missing_count and not item.damaged_files]
        same = [item for item in owners if version and item.version.or_none() == version]
        whole = [item for item in same if item in intact]
        return (whole or same or intact or list(owners))[0]

    @property
    def tensorflow_build(self) -> Optional[FrameworkBuild]:
        """What the files of the imported TensorFlow say."""
        return self.machine.python.build("tensorflow")

    @_Once
    def tensorflow_version(self) -> Optional[str]:
        """The version of TensorFlow, from its metadata or its own files."""
        owner = self.tensorflow
        if owner is not None and owner.version.or_none():
            return owner.version.or_none()
        build = self.tensorflow_build
        return build.version.or_none() if build else None

    @property
    def has_tensorflow(self) -> bool:
        """Whether any TensorFlow is there, with metadata or without."""
        return self.tensorflow is not None or self.tensorflow_build is not None

    @property
    def tensorflow_names(self) -> Tuple[str, ...]:
        """The names of all installed distributions of TensorFlow, the empty ones included: what to uninstall."""
        installed = self.machine.python.distributions.value or ()
        return tuple(item.name for item in installed if item.name in TENSORFLOW_OWNERS)

    @_Once
    def tensorflow_row(self) -> Optional[TensorFlowRow]:
        """The matrix row of the installed TensorFlow."""
        return self.matrix.tensorflow(self.tensorflow_version)

    @property
    def known_row(self) -> Optional[TensorFlowRow]:
        """The matrix row of the installed TensorFlow, None if there is no TensorFlow.

        Raises
        ------
        UnknownFactError
            If its version cannot be read, or the matrix does not know the release.
        """
        row = self.tensorflow_row
        if row is None and self.has_tensorflow:
            version = self.tensorflow_version
            raise UnknownFactError(
                "the compatibility data does not include %s" % self.tensorflow_label
                if version
                else "TensorFlow's version is unknown"
            )
        return row

    def version(self, name: str) -> Optional[str]:
        """The version of an installed distribution, None if it is not installed.

        Raises
        ------
        UnknownFactError
            If it is installed and its version cannot be read.
        """
        found = self.machine.python.distribution(name)
        return found.version.value if found is not None else None

    @_Once
    def tensorflow_label(self) -> str:
        """The name for messages: ``TensorFlow 2.10.1`` or ``tensorflow-directml 1.15.8``."""
        owner = self.tensorflow
        plain = ("tensorflow", "tensorflow-cpu") + TENSORFLOW_REDIRECTS
        name = owner.name if owner is not None and owner.name not in plain else "TensorFlow"
        return ("%s %s" % (name, self.tensorflow_version or "")).strip()

    @_Once
    def directml_flavor(self) -> Optional[str]:
        """``"fork"`` (TensorFlow 1.15 with DirectML), ``"plugin"``, or None."""
        build = self.tensorflow_build
        owner = self.tensorflow
        if (owner and owner.name == "tensorflow-directml") or (build and build.directml.or_none()):
            return "fork"
        plugins = self.machine.python.plugins.value or ()
        if any("tfdml_plugin" in item.path for item in plugins):
            return "plugin"
        return "plugin" if self.machine.python.distribution("tensorflow-directml-plugin") else None

    @property
    def unknown_plugins(self) -> Tuple[str, ...]:
        """Plug-in libraries of TensorFlow that devicekit knows nothing of."""
        known = ["tfdml_plugin", "libmetal_plugin", "libitex"]
        known += [name for item in self.machine.platforms if item.facts.known for name in item.libraries]
        plugins = self.machine.python.plugins.value or ()
        return tuple(item.path for item in plugins if not any(name in item.path for name in known))

    @_Once
    def accelerators(self) -> Tuple[Accelerator, ...]:
        """All graphics hardware that could compute, NVIDIA first, each piece once.

        Raises
        ------
        UnknownFactError
            If no source could be read.
        """
        return accelerators(self.machine)

    def displays(self, vendor: Vendor) -> List[PciDisplay]:
        """The display controllers of a vendor on the PCI bus, none if the bus could not be read."""
        return [item for item in self.machine.driver.displays.or_none() or () if item.vendor_id in vendor.pci_ids]

    def vendor(self, name: str) -> Tuple[Accelerator, ...]:
        """The accelerators of one vendor."""
        return tuple(item for item in self.accelerators if item.vendor == name)

    @property
    def wsl(self) -> Optional[int]:
        """1 or 2 inside the Windows Subsystem for Linux, else None."""
        return self.machine.process.wsl.value

    @_Once
    def target(self) -> Target:
        """What packages are chosen for here; what could not be read counts as not known."""
        return target_of(self.machine, self.matrix)

    @_Once
    def uses_cuda(self) -> bool:
        """Whether the TensorFlow that is there was built for NVIDIA GPUs."""
        build = self.tensorflow_build
        if build is not None and build.cuda.known:
            return bool(build.cuda.value)
        row, owner = self.tensorflow_row, self.tensorflow
        if owner is None or owner.name in (
            "tensorflow-cpu",
            "tensorflow-directml",
            "tensorflow-macos",
            "tensorflow-intel",
        ):
            return False
        system = self.machine.native.system
        if system == "windows":
            return row is not None and row.windows_gpu
        return system == "linux" and self.machine.native.architecture == "x86_64" and owner.name != "tensorflow-rocm"

    @_Once
    def uses_rocm(self) -> bool:
        """Whether the TensorFlow that is there was built for AMD GPUs."""
        build, owner = self.tensorflow_build, self.tensorflow
        if build is not None and build.rocm.known:
            return bool(build.rocm.value)
        return owner is not None and owner.name == "tensorflow-rocm"

    @_Once
    def shell(self) -> Shell:
        """Writes commands for the machine's shell."""
        return Shell(place_of(self.machine))
