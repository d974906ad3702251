"""`Verification`: what the diagnosis predicts of each framework, what happened in a trial, and where the two differ. Pure."""

from typing import Any, Dict, List, Optional, Tuple

from ..diagnosis.findings import Finding, FrameworkStatus
from ..machine.facts import Machine
from ..records import Record, Seconds, ShownAsText
from .trial.result import Trial

#: What a trial goes through, in this order.
STAGES = ("import", "list", "product", "elementwise", "random", "convolution", "train")

#: What a stage is, in words, for a sentence that begins with "It ... when".
DOING = {
    "import": "it is imported",
    "list": "it lists its devices",
    "product": "it multiplies matrices",
    "elementwise": "it computes elementwise",
    "random": "it draws random numbers",
    "convolution": "it computes a convolution",
    "train": "a model is trained",
}


#: What the names of accelerators begin with: TensorFlow's, then JAX's and PyTorch's.
_ACCELERATORS = ("GPU:", "DML:", "XPU:", "cuda:", "rocm:", "xpu:", "mps:")

#: Frameworks that an import alone does not start: listing their devices can fail where that works.
_LISTING = ("tensorflow", "jax", "torch", "keras")


class Observation(Record):
    """What a framework did in its trial.

    Attributes
    ----------
    outcome : {"works", "wrong", "raised", "died", "hung", "not-run"}
        ``"wrong"``: a result is not what it must be; ``"not-run"``: the trial could not be started, so nothing is known.
    stage : {"start", "import", "list", "product", "elementwise", "random", "convolution", "train"}
        Where it failed, or the last where it works.
    imports, computes, keras_runs : bool or None
        None where it did not come to that; ``computes``: whether all stages before ``"train"`` were passed;
        ``keras_runs`` also None where Keras does not compute with this framework.
    devices : tuple of str
        What the framework listed.
    error : str
        The exception, the signal or the time limit; "" where it works.
    seconds : float
        How long the trial took, the start of the interpreter included.
    device : str
        The device on which it failed, "" if it works or that is not known.
    passed : tuple of str
        The stages that it completed, on all devices.
    """

    _json = (
        "imports", "keras_runs", "computes", "devices", "outcome", "stage", "device", "passed", "error", "seconds",
    )  # fmt: skip

    outcome: str
    stage: str
    imports: Optional[bool] = None
    computes: Optional[bool] = None
    keras_runs: Optional[bool] = None
    devices: Tuple[str, ...] = ()
    error: str = ""
    seconds: Seconds = 0.0
    device: str = ""
    passed: Tuple[str, ...] = ()

    @classmethod
    def of(cls, trial: Trial, error: str, keras: bool, seconds: float) -> "Observation":
        """Return what follows from how far a trial came.

        Parameters
        ----------
        trial : Trial
            Its outcome.
        error, seconds
            See the class.
        keras : bool
            Whether the stage ``"train"`` trains by Keras.
        """
        outcome, stage, devices = trial.outcome, trial.stage, trial.devices
        if outcome == "not-run" or stage not in STAGES:
            return cls("not-run", stage, devices=devices, error=error, seconds=seconds)
        works, come = outcome == "works", STAGES.index(stage)
        keras_runs: Optional[bool] = None
        if keras and stage in ("import", "train"):
            keras_runs = works
        return cls(
            outcome=outcome,
            stage=stage,
            imports=come > 0,
            computes=works or come > STAGES.index("convolution"),
            keras_runs=keras_runs,
            devices=devices,
            error=error,
            seconds=seconds,
            device="" if works else trial.device,
            passed=tuple(name for name in trial.passed if name in STAGES),
        )


class FrameworkVerification(Record):
    """One framework: predicted and observed.

    Attributes
    ----------
    predicted : FrameworkStatus
        What the diagnosis expects, without having imported it.
    observed : Observation
        What it did in a child process.
    findings : tuple of Finding
        The likeliest causes where it does not work, from what it printed and from the diagnosis.
    undecided_devices : bool
        Whether there are devices of which only a run can tell whether they are usable: a framework that lists them does
        not contradict the prediction.
    """

    _json = ("framework", "version", "works", "predicted", "observed", "agrees", "differences", "findings")

    predicted: FrameworkStatus
    observed: Observation
    findings: Tuple[Finding, ...] = ()
    undecided_devices: bool = False

    @property
    def framework(self) -> str:
        """Its name."""
        return self.predicted.framework

    @property
    def version(self) -> Optional[str]:
        """Its version, as far as it can be read."""
        return self.predicted.version

    @property
    def differences(self) -> Tuple[str, ...]:
        """Where prediction and reality differ, a sentence each."""
        return differences(self.predicted, self.observed, self.undecided_devices)

    @property
    def agrees(self) -> Optional[bool]:
        """Whether the prediction came true; None where there was none, or nothing could be tried."""
        if self.differences:
            return False
        if self.predicted.will_import is None or self.observed.outcome == "not-run":
            return None
        return True

    @property
    def missing(self) -> Tuple[str, ...]:
        """Accelerators that should be there and that the framework did not list."""
        if self.observed.imports is not True or self.observed.stage == "list":
            return ()
        accelerators = [name for name in self.predicted.devices if name.startswith(_ACCELERATORS)]
        return tuple(name for name in accelerators if name not in self.observed.devices)

    @property
    def works(self) -> bool:
        """Whether every stage was passed, on all devices that should be there."""
        return self.observed.outcome == "works" and not self.missing

    def to_dict(self) -> Dict[str, Any]:
        """Return it as plain data for JSON, the framework's name and version once."""
        data = super().to_dict()
        for name in ("framework", "version"):
            del data["predicted"][name]
        return data


class Verification(ShownAsText, Record):
    """What `verify` found.

    Attributes
    ----------
    machine : Machine
        What was examined; ``to_dict()`` of it is the snapshot to report where the prediction was wrong.
    frameworks : tuple of FrameworkVerification
        One of each framework, in the order of `Diagnosis.frameworks`.
    shadowed : tuple of Finding
        What files in the working folder hide from a program that is started there. The frameworks were tried outside of it:
        nothing in it is run.
    """

    #: Without the machine.
    _json = ("works", "agrees", "frameworks", "shadowed")

    machine: Machine
    frameworks: Tuple[FrameworkVerification, ...] = ()
    shadowed: Tuple[Finding, ...] = ()

    @property
    def works(self) -> bool:
        """Whether every framework works, whatever was predicted."""
        return all(item.works for item in self.frameworks)

    @property
    def agrees(self) -> Optional[bool]:
        """Whether all predictions came true; None where none was wrong but not all could be compared."""
        answers = [item.agrees for item in self.frameworks]
        return False if False in answers else None if None in answers else True

    def framework(self, name: str) -> Optional[FrameworkVerification]:
        """Return what was found of a framework, or None where it was not tried."""
        return next((item for item in self.frameworks if item.framework == name), None)


def differences(predicted: FrameworkStatus, observed: Observation, undecided_devices: bool = False) -> Tuple[str, ...]:
    """Return where a prediction and what happened differ, a sentence each; what was not predicted cannot differ."""
    if predicted.will_import is None or observed.outcome == "not-run":
        return ()
    name, because = predicted.framework, " (%s)" % predicted.cause if predicted.cause else ""
    failed = failure(observed)
    if observed.imports != predicted.will_import:
        if observed.imports:
            return ("It was predicted that %s cannot be imported%s; in fact it can." % (name, because),)
        return ("It was predicted that %s can be imported; in fact it %s." % (name, failed),)
    if not observed.imports:
        return ()
    found: List[str] = []
    unlistable = name in _LISTING and not predicted.devices and predicted.cause is not None
    if observed.outcome != "works" and "import" != observed.stage != "train":
        if not unlistable:
            found.append("It was predicted that %s lists its devices and computes; in fact it %s." % (name, failed))
    elif unlistable and observed.devices:
        found.append("It was predicted that %s cannot list its devices%s; in fact it can." % (name, because))
    if observed.stage != "list" and not unlistable:
        found += _devices(predicted, observed, undecided_devices)
    if observed.keras_runs is not None and predicted.will_run_keras is not None:
        if observed.keras_runs and not predicted.will_run_keras:
            found.append("It was predicted that Keras does not train here%s; in fact it does." % because)
        elif predicted.will_run_keras and not observed.keras_runs:
            found.append("It was predicted that Keras trains; in fact %s %s." % (name, failed))
    elif observed.outcome != "works" and observed.stage == "train" and observed.keras_runs is None:
        found.append("It was predicted that %s works; in fact it %s." % (name, failed))
    return tuple(found)


def _devices(predicted: FrameworkStatus, observed: Observation, undecided: bool) -> List[str]:
    missing = [name for name in predicted.devices if name not in observed.devices]
    more = [name for name in observed.devices if name not in predicted.devices]
    if not predicted.devices or not (missing or (more and not undecided)):
        return []
    return [
        "It was predicted that %s lists %s; in fact it lists %s."
        % (predicted.framework, ", ".join(predicted.devices), ", ".join(observed.devices) or "none")
    ]


def failure(observed: Observation) -> str:
    """Return how a trial failed, and at what: "dies (SIGSEGV) when it computes a convolution on GPU:1"."""
    verbs = {"wrong": "gives a wrong result", "raised": "raises", "died": "dies", "hung": "hangs"}
    verb = verbs.get(observed.outcome, observed.outcome)
    error = " ".join(observed.error.split())
    if error:
        verb += " (%s)" % (error if len(error) <= 200 else error[:197] + "...")
    return "%s when %s%s" % (verb, DOING[observed.stage], " on %s" % observed.device if observed.device else "")
