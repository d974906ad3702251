"""What a diagnosis consists of: findings with their evidence and fixes, and candidate devices.

Pure data. The texts in here are what a person reads, so they are complete sentences; renderers only lay them out.
"""

from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ..records import Pairs, Record, ShownAsReport, ShownAsText

#: From worst to mildest. ``error``: a framework or a requested device does not work. ``warning``: it works, but not as
#: one would expect (for example on the CPU next to an idle GPU). ``info``: worth knowing, nothing is wrong.
SEVERITIES = ("error", "warning", "info")

#: What a finding can block of the devices, besides single ones.
PLATFORMS = ("cuda", "rocm", "directml", "metal", "xpu", "tpu", "gpu", "pluggable")


#: Parts of a framework that a finding can leave in doubt, for all NVIDIA GPUs or for one (``"tensorflow.kernels:1"``), with
#: what is said of a device that the framework lists all the same. ``kernels``: its operations are known to fail, or the
#: versions do not say which of them work; ``jit``: the driver has to compile them for a GPU newer than the build.
LISTED_IN_DOUBT = {
    "kernels": "listed, reported to fail",
    "jit": "listed, and only a run can tell whether it works",
}


def name_of(framework: Optional[str]) -> str:
    """Return a framework's name as the rules use it: TensorFlow 1.15 is one of TensorFlow's releases."""
    return "tensorflow" if framework in (None, "tensorflow1") else str(framework)


class Evidence(Record):
    """What was seen, and where.

    Attributes
    ----------
    text : str
        What was seen.
    source : str
        The file, variable, library or command that showed it.
    """

    text: str
    source: str = ""


class Packages(Record):
    """What an installer has to do to an environment, in this order.

    Attributes
    ----------
    remove : tuple of str
        Names of the distributions to uninstall first.
    install : tuple of str
        Requirements to install together, exact where the releases are known.
    reinstall : tuple of str
        Exact requirements whose files are written again, without their dependencies.
    index_url : str
        The package index to install from, "" for the one that the installer is configured for.
    """

    remove: Tuple[str, ...] = ()
    install: Tuple[str, ...] = ()
    reinstall: Tuple[str, ...] = ()
    index_url: str = ""


class Fix(Record):
    """One step to fix a finding. A step follows the one before it, or starts another way (``instead``).

    Attributes
    ----------
    text : str
        What to do, in words.
    command : str or None
        What to type in the shell that the user of the examined machine most likely has open (PowerShell on Windows, a
        POSIX shell elsewhere); None if there is nothing to type.
    commands : tuple of (str, str)
        The same for each shell of the machine, by the shell's name: ``"posix"``; on Windows ``"powershell"`` and ``"cmd"``.
        ``"dockerfile"`` is the line that does it in a container's image, ``"python"`` one for the user's program.
    who : {"devicekit", "user", "admin", "reboot"}
        Who can do it: ``devicekit fix``, exactly where ``packages`` says what to install; else the user, an administrator,
        or only a restart of the machine.
    changes : {"packages", "variables", "files", "driver", "system", "code", ""}
        What it changes; "" if it only shows something.
    undoable : bool
        Whether what it changes can be undone.
    packages : Packages or None
        What it does to the packages of the examined environment, None if it does nothing to them.
    instead : bool
        Whether it starts an alternative to the steps before it. The first way is the shortest that works.
    """

    text: str
    command: Optional[str] = None
    commands: Pairs[str] = ()
    who: str = "user"
    changes: str = ""
    undoable: bool = True
    packages: Optional[Packages] = None
    instead: bool = False


def ways(fixes: Iterable[Fix]) -> List[List[Fix]]:
    """Return the alternatives, each as its steps in their order."""
    found: List[List[Fix]] = []
    for fix in fixes:
        if fix.instead or not found:
            found.append([])
        found[-1].append(fix)
    return found


class LazyFixes(Sequence[Fix]):
    """Fixes that are computed when they are accessed: finding a set of releases costs more than all rules."""

    def __init__(self, make: Callable[[], Tuple[Fix, ...]]) -> None:
        self._make: Optional[Callable[[], Tuple[Fix, ...]]] = make
        self._made: Tuple[Fix, ...] = ()

    def _all(self) -> Tuple[Fix, ...]:
        make = self._make  # another thread may be working it out too: then both do, and nothing is lost
        if make is not None:
            self._made = make()
            self._make = None
        return self._made

    def __getitem__(self, index: Any) -> Any:
        return self._all()[index]

    def __len__(self) -> int:
        return len(self._all())

    def __eq__(self, other: object) -> bool:
        return self._all() == (other._all() if isinstance(other, LazyFixes) else other)

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def __reduce__(self) -> Tuple[object, ...]:
        return (tuple, (self._all(),))


class Finding(ShownAsText, Record):
    """One root cause.

    Attributes
    ----------
    code : str
        Stable, kebab-case name of the root cause.
    severity : {"error", "warning", "info"}
        See `SEVERITIES`.
    summary : str
        The cause in one sentence.
    evidence : tuple of Evidence
        What was seen and where.
    fix : sequence of Fix
        Steps, the shortest way that works first; some are computed when they are accessed.
    blocks : tuple of str
        What cannot be used because of it: names of frameworks (``"tensorflow"``: its import) or a part of one
        (``"tensorflow.devices"``, ``"tf.keras"``, ``"keras.fit"``); platforms of the candidate devices (``"cuda"``,
        ``"rocm"``, ``"directml"``, ``"metal"``, ``"xpu"``) for every framework, or for the build of one alone
        (``"tensorflow.cuda"``; ``"torch.gpu"``: all of them); or one device (``"gpu:1"``, ``"tensorflow.gpu:1"``). A part
        of `LISTED_IN_DOUBT` blocks nothing: a self-test decides about those devices.
    url : str
        If the fact behind it can be read, "" if it was measured.
    """

    code: str
    severity: str
    summary: str
    evidence: Tuple[Evidence, ...] = ()
    fix: Sequence[Fix] = ()
    blocks: Tuple[str, ...] = ()
    url: str = ""

    def concerns(self, framework: str) -> bool:
        """Return whether what it blocks is not another framework's alone."""
        name = name_of(framework)
        others = [block.partition(".")[0] for block in self.blocks]
        return not self.blocks or any(item == name or item not in ("tensorflow", "jax", "torch") for item in others)

    def keeps_from_gpus(self, framework: str) -> bool:
        """Return whether it keeps a framework (``"tensorflow"``, ``"jax"``, ``"torch"``) from GPUs of a whole platform."""
        return any(
            block in PLATFORMS or (block.startswith(framework + ".") and block.partition(".")[2] in PLATFORMS)
            for block in self.blocks
        )


class Kind(NamedTuple):
    """What a finding is whatever was seen: the fields of that name of `Finding`."""

    code: str
    severity: str
    blocks: Tuple[str, ...] = ()
    url: str = ""

    def finding(self, summary: str, evidence: Tuple[Evidence, ...], fix: Sequence[Fix]) -> Finding:
        """Return the finding of this kind about what was seen."""
        return Finding(self.code, self.severity, summary, evidence, fix, self.blocks, self.url)


class NotEvaluated(Record):
    """A rule that could not say yes or no, because a fact that it needs is unknown (or because the rule failed)."""

    code: str
    because: str


class Candidate(Record):
    """A device that could be chosen.

    Attributes
    ----------
    device : str
        ``"cpu"`` or ``"gpu:N"``; N counts the GPUs of one framework in the framework's own order. Of a plug-in's platform
        its name and a number of its own: ``"npu:0"``.
    platform : str
        ``"cpu"``, ``"cuda"``, ``"rocm"``, ``"directml"``, ``"metal"``, ``"xpu"``, ``"pluggable"`` (a TensorFlow plug-in
        that devicekit does not know), or ``""`` where no installed framework build can drive it.
    name : str
        The product's name as the driver reports it.
    usable : bool or None
        None if only a run can tell.
    blocked_by : tuple of str
        Codes of the findings that block it.
    memory_bytes : int or None
        Total memory of the device, None if it is not known.
    memory_free_bytes : int or None
        How much of it was free when the machine was examined.
    uuid : str
        The vendor's identifier of the device (``GPU-...``, ``MIG-...``), "" if it is not known.
    compute_capability : str
        Of an NVIDIA GPU (``"8.0"``), "" if it is not known.
    remark : str
        What is uncertain about it, such as its number among cards of several kinds; "" if nothing is.
    memory_used_bytes : int or None
        Memory that all programs together used when the machine was examined.
    utilization_percent : int or None
        How busy it was then.
    location : str
        If it sits: its address on the PCI bus (``0000:07:00.0``; of a slice that of the whole GPU), or its number among
        the adapters that DirectX counts (``adapter 1``); "" if that is not known.
    numbering : str
        What the number in ``device`` counts: ``"fastest-first"`` (CUDA's own order), ``"pci-bus"``, ``"variable"`` (the
        order in which a variable of yours names them), ``"driver"`` (ROCm's, Intel's or DirectX's order), ``"plug-in"``
        (what the plug-in of the platform says); "" if there is but one, or no one knows.
    device_type : str
        Of a plug-in's platform: what the framework calls such devices (``"NPU"``); "" for all others.
    environment : tuple of (str, str)
        Of a plug-in's platform: variables to set before the framework is imported.
    """

    device: str
    platform: str
    name: str
    usable: Optional[bool]
    blocked_by: Tuple[str, ...] = ()
    memory_bytes: Optional[int] = None
    memory_free_bytes: Optional[int] = None
    uuid: str = ""
    compute_capability: str = ""
    remark: str = ""
    memory_used_bytes: Optional[int] = None
    utilization_percent: Optional[int] = None
    location: str = ""
    numbering: str = ""
    device_type: str = ""
    environment: Pairs[str] = ()

    @property
    def listed(self) -> bool:
        """Whether the framework lists it, usable or not, as far as is known."""
        return self.usable is True or (self.usable is None and self.remark in LISTED_IN_DOUBT.values())

    @property
    def reported_to_fail(self) -> bool:
        """Whether nothing but reports speak against it: it works here only if a self-test says so."""
        return self.usable is None and self.remark == LISTED_IN_DOUBT["kernels"]


class FrameworkStatus(Record):
    """What is expected of one framework, without having imported it.

    Attributes
    ----------
    framework : str
        ``"tensorflow"``, ``"keras"``, ``"jax"`` or ``"torch"``.
    version : str or None
        As far as it can be read.
    will_import, will_run_keras : bool or None
        None if it is not known.
    devices : tuple of str
        What the framework will list, for example ``("CPU:0",)``; empty where it will not import.
    cause : str or None
        Code of the finding that blocks it.
    """

    framework: str
    version: Optional[str]
    will_import: Optional[bool]
    will_run_keras: Optional[bool]
    devices: Tuple[str, ...] = ()
    cause: Optional[str] = None


class Diagnosis(ShownAsReport, Record):
    """Everything that the rules say about one machine.

    Attributes
    ----------
    findings : tuple of Finding
        The blocking ones first; causes without their symptoms.
    candidates : tuple of Candidate
        Every device, usable or blocked by which finding, for the selected framework. The CPU comes last.
    frameworks : tuple of FrameworkStatus
        What each installed framework will do.
    not_evaluated : tuple of NotEvaluated
        Rules that could not be decided.
    by_framework : tuple of (str, tuple of Candidate)
        The same devices for each of ``"tensorflow"``, ``"jax"`` and ``"torch"``; see `candidates_for`.
    libraries : tuple of (str, tuple of str)
        For a framework that would not find all of its libraries although they are installed: the files to load before its
        import, in this order; see `libraries_for`.
    """

    _json = ("findings", "devices", "prediction", "not_evaluated")

    findings: Tuple[Finding, ...] = ()
    candidates: Tuple[Candidate, ...] = ()
    frameworks: Tuple[FrameworkStatus, ...] = ()
    not_evaluated: Tuple[NotEvaluated, ...] = ()
    by_framework: Tuple[Tuple[str, Tuple[Candidate, ...]], ...] = ()
    libraries: Tuple[Tuple[str, Tuple[str, ...]], ...] = ()

    @property
    def devices(self) -> Tuple[Candidate, ...]:
        """`candidates`, as the JSON form calls them."""
        return self.candidates

    @property
    def prediction(self) -> Tuple[Any, ...]:
        """`frameworks` as plain data, each with the devices as that framework would use them."""
        candidates = dict(self.by_framework)
        return tuple(
            dict(item.to_dict(), candidates=[device.to_dict() for device in candidates[item.framework]])
            if item.framework in candidates
            else item.to_dict()
            for item in self.frameworks
        )

    def libraries_for(self, framework: Optional[str]) -> Tuple[str, ...]:
        """Return the files to load by their full path before a framework is imported, in this order; mostly none."""
        return dict(self.libraries).get(name_of(framework) if framework else "", ())

    def candidates_for(self, framework: Optional[str]) -> Tuple[Candidate, ...]:
        """Return every device as one framework would use it, whether it is the selected one or not.

        Parameters
        ----------
        framework : {"tensorflow", "tensorflow1", "jax", "torch"} or None
            None: the selected framework.
        """
        return dict(self.by_framework).get(name_of(framework) if framework else "", self.candidates)

    def by_code(self, code: str, framework: Optional[str] = None) -> Optional[Finding]:
        """Return the first finding with this code, or None; ``framework``: one that concerns it comes before others."""
        found = [finding for finding in self.findings if finding.code == code]
        if framework is not None:
            found.sort(key=lambda finding: not finding.concerns(framework))
        return found[0] if found else None

    def framework(self, name: str) -> Optional[FrameworkStatus]:
        """Return what is expected of a framework, or None if it is not installed."""
        for status in self.frameworks:
            if status.framework == name:
                return status
        return None
