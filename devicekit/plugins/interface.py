"""What a plug-in implements: `Platform`, and the `PlatformView` and `PlatformDevice` that its methods get and return.

It loads nothing but data types, so that a plug-in costs no more than its own imports.
"""

from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..diagnosis.findings import Finding
from ..machine.facts import Machine, PlatformFacts
from ..machine.host import Host
from ..matrix.matrix import minor_of

#: The interface of this devicekit. It is raised where a plug-in that was written for the one before would not work.
API_VERSION = 1


class PlatformDevice(NamedTuple):
    """One device of a platform, as one framework would use it.

    Attributes
    ----------
    name : str
        What people call it.
    memory_bytes, memory_free_bytes : int or None
        None where it is not known.
    uuid : str
        Its maker's identifier, "" where there is none.
    usable : bool or None
        False where it is not; None where only a run can tell, which devicekit then tries in a child process.
    blocked_by : tuple of str
        Codes of findings that stand in the way, in addition to those that block the platform or the device by name.
    remark : str
        What is uncertain about it.
    """

    name: str
    memory_bytes: Optional[int] = None
    memory_free_bytes: Optional[int] = None
    uuid: str = ""
    usable: Optional[bool] = None
    blocked_by: Tuple[str, ...] = ()
    remark: str = ""


class PlatformView:
    """What a plug-in's rules look at: a machine, which may be another one, and what the plug-in's own probe found there.

    Attributes
    ----------
    machine : Machine
        Everything that is known.
    facts : dict
        What `Platform.probe` returned on that machine; empty where it returned None.
    rows : tuple of dict
        The plug-in's own rows of the matrix; see `Platform.rows`.
    """

    def __init__(self, machine: Machine, reported: PlatformFacts, rows: Sequence[Mapping[str, Any]] = ()) -> None:
        self.machine = machine
        self._reported = reported
        content = reported.facts.content
        self.facts: Dict[str, Any] = {} if content is None else content.data
        self.rows: Tuple[Dict[str, Any], ...] = tuple(dict(row) for row in rows)

    @property
    def name(self) -> str:
        """The platform."""
        return self._reported.name

    def version(self, distribution: str) -> Optional[str]:
        """Return the version of an installed distribution, None where it is not installed or devicekit does not look at it.

        It looks at those of the frameworks and what they need, and at those that bring plug-ins for devicekit.

        Raises
        ------
        UnknownFactError
            Where it is installed and its version cannot be read: then the rule counts as not evaluated.
        """
        found = self.machine.python.distribution(distribution)
        return None if found is None else found.version.value

    def env(self, name: str) -> Optional[str]:
        """Return an environment variable of that machine, one of `Platform.variables` or one that devicekit records."""
        return self.machine.process.env(name)

    def fitting_rows(self, framework: Optional[str] = None) -> List[Dict[str, Any]]:
        """Return the rows of the plug-in that are for this machine's Python, system and architecture, and a framework."""
        from .matrix_rows import fits

        python = minor_of(self.machine.python.version)
        native = self.machine.native
        found = [row for row in self.rows if fits(row, python, native.system, native.architecture)]
        return [row for row in found if framework in (None, row["framework"])]


class Platform:
    """A platform that a plug-in adds. Subclass it, and name the subclass in the entry-point group ``devicekit.platforms``.

    Every attribute and method has a harmless default but ``api_version`` and ``name``. The methods `rules`, `devices`,
    `environment` and `rows` are pure: they see only what is handed to them, and run for machines of others as well.
    What raises, hangs, or returns something else than it should becomes a finding ``plugin-broken``.

    Attributes
    ----------
    api_version : int
        The interface that it was written for: 1.
    name : str
        The platform, and the word in device strings (``"npu"`` for ``"npu:0"``): lower-case letters and digits; the same
        as the name of the entry point.
    title : str
        What people call it, as in "Acme NPU".
    url : str
        Where its documentation is.
    frameworks : mapping of str to str
        What each framework that can use it calls its devices: ``{"tensorflow": "NPU", "torch": "npu", "jax": "npu"}``.
    libraries : sequence of str
        Parts of the names of its files in ``tensorflow-plugins``, so that they are not taken for a stranger's.
    variables : sequence of str
        Environment variables that it reads or sets. They are recorded with a machine, and so get into snapshots: none
        that holds a secret.
    """

    api_version: int = 0
    name: str = ""
    title: str = ""
    url: str = ""
    frameworks: Mapping[str, str] = {}
    libraries: Sequence[str] = ()
    variables: Sequence[str] = ()

    def probe(self, host: Host) -> Optional[Mapping[str, Any]]:
        """Look at a machine; return plain data, or None where there is nothing of this platform.

        Parameters
        ----------
        host : Host
            The only door to the machine: ``read_text``, ``list_names``, ``exists``, ``accessible``, ``environ``, ``run``
            (a system tool, by its absolute path, with a time limit) and more. With nothing else a folder can stand in for
            a whole machine. Its reads raise OSError.

        Returns
        -------
        mapping or None
            Strings, numbers, booleans, None, lists and dictionaries with keys that are strings; at most 256 thousand
            characters of JSON. Personal names in it are masked. The result of a self-test is cached for one
            value of ``"identity"``: driver version, serial numbers, nothing that changes by itself.

        Notes
        -----
        It runs in every process that looks at the machine, in a thread, and has two seconds together with all other
        plug-ins. It imports no framework and prints nothing.
        """
        return None

    def rules(self, view: PlatformView) -> Iterable[Finding]:
        """Return what is wrong. Codes of your own begin with the platform's name (``npu-driver-missing``) and have a ``url``.

        A finding blocks what its ``blocks`` name: ``"npu"``, ``"npu:1"``, ``"tensorflow.npu"``. Codes of devicekit may be used
        where they say the same (``device-permission-denied``). Causes come before what follows from them.
        """
        return ()

    def devices(self, view: PlatformView, framework: str) -> Iterable[PlatformDevice]:
        """Return the devices as a framework (a key of ``frameworks``) would list them, in its order.

        None where what the framework needs for them is not installed.
        """
        return ()

    def environment(self, view: PlatformView, framework: str, index: int) -> Mapping[str, str]:
        """Return variables to set before the framework is imported, where a device was chosen.

        Only those that ``variables`` names. What the user has set is left alone.
        """
        return {}

    def prepare(self, framework: str) -> None:
        """Register the devices with a framework where that needs a call; the framework may be imported here.

        Called once in a process, before the framework lists its devices: in the child that tries a device, and after that
        worked in the user's own process. The frameworks load most libraries by themselves; then nothing is needed.
        """

    def rows(self) -> Iterable[Mapping[str, Any]]:
        """Return rows for the matrix: which releases go together. `devicekit resolve NAME` reads them, and so may `rules`.

        Each has ``framework``, ``requirements`` (as pip takes them), ``source`` (an address) and ``date`` (``"2026-11-01"``).
        It may have ``python`` (a list of ``"3.11"``), ``systems`` (``"linux"``, ``"windows"``, ``"macos"``) and
        ``architectures`` (``"x86_64"``, ``"aarch64"``); without, it holds for all. The newest set comes first. Best kept as
        JSON next to the module.
        """
        return ()
