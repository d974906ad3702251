"""Tests a plan's device in a child before this process touches it, and turns the result into the next plan."""

from typing import Any, Dict, List, Optional, Tuple

from ...diagnosis.findings import Evidence, Finding, Fix, Kind, name_of
from ...diagnosis.frameworks import TITLES
from ...machine.facts import Machine
from ...selection.plan import Plan, next_plan, to_cpu

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .result import Trial


def try_first(plan: Plan, machine: Machine, options: Any) -> Plan:
    """Try the plan's device in a child, and after a failure the next one, until one works or none is left."""
    notes: List[Finding] = []
    plan = _tried(plan, machine, options, notes)
    return plan.replace(findings=plan.findings + tuple(notes))


def recall(plan: Plan, machine: Machine) -> Tuple[Plan, Optional[bool]]:
    """Return a plan as the results of earlier self-tests leave it, and True if its device worked in one. Runs nothing.

    Parameters
    ----------
    plan : Plan
    machine : Machine
        This machine, as it is now.
    """
    from ..settings import cache_folder
    from .findings import judge_trial
    from .once import load_result
    from .result import COMPUTING

    while plan.verify and plan.indices:
        trial = load_result(cache_folder(), _key(plan, machine, grow=True))
        if trial is not None and trial.outcome == "works":
            return plan, True
        if trial is None or trial.stage not in COMPUTING:
            break
        finding = judge_trial(trial, plan)
        plan = next_plan(plan, finding) or to_cpu(plan, finding)
    return plan, None


def _key(plan: Plan, machine: Machine, grow: bool) -> str:
    from .fingerprint import fingerprint

    index = plan.indices[0] if plan.indices else None
    name = name_of(plan.framework)
    return fingerprint(
        machine, index, grow and index is not None, plan.environment, name, plan.libraries, device_type=plan.device_type
    )


def _tried(plan: Plan, machine: Machine, options: Any, notes: List[Finding]) -> Plan:
    from .findings import judge_trial
    from .result import COMPUTING

    while True:
        trial = _trial_of(plan, machine, options, notes)
        if trial.outcome in ("works", "not-run"):
            return plan
        if trial.stage == "prepare":  # a plug-in's own call: its other devices would not do either
            plan, finding = _without_plugin(plan, machine, trial)
        else:
            finding = judge_trial(trial, plan)
        following = next_plan(plan, finding) if trial.stage in (*COMPUTING, "prepare") else None
        if following is None:
            break
        plan = following
    if trial.stage == "import":
        cause = cause_in_files(plan) or finding  # looking at every file may tell why
        if trial.outcome == "hung":  # the program may import it all the same: then without what may have hung
            return _hide(plan, machine, cause).replace(importable=False, fallback=True)
        return to_cpu(plan.replace(importable=False), cause).replace(environment=())
    if trial.stage == "list" and trial.outcome in ("died", "hung"):
        # They must be hidden before the framework looks, and whether that helps can kill the process as well.
        plan = _hide(plan, machine, finding)
        again = _trial_of(plan, machine, options, notes)
        return plan.replace(importable=again.outcome in ("works", "not-run"))
    return to_cpu(plan, finding)


def _trial_of(plan: Plan, machine: Machine, options: Any, notes: List[Finding]) -> "Trial":
    """Look up or run the trial of the plan's first device; of the import alone where it has none."""
    from ...children.progress import Progress
    from ..settings import cache_folder, read_settings
    from .once import find_out
    from .result import DeviceTask

    index = plan.indices[0] if plan.indices else None
    grow = index is not None and options.memory == "grow"
    name = name_of(plan.framework)
    plugins: Dict[str, Any] = {}
    if machine.platforms:
        from ..plugin_devices import task_for

        plugins = task_for(machine, name, plan.platform, plan.device_type)
    key = _key(plan, machine, grow)
    what = "trying %s in a separate process" % (plan.device if plan.indices else TITLES[name])
    with Progress(what, read_settings().quiet) as progress:

        def run() -> "Trial":
            from ..preload import loadable
            from .run import try_device

            task = DeviceTask(index, grow, name, loadable(plan.libraries), plugins)
            return try_device(task, environment=plan.environment, tick=progress.tick)

        cached = options.verify == "cached"
        trial, problem = find_out(cache_folder(), key, run, cached, tick=progress.tick)
    if problem is not None and not notes:
        notes.append(_cache_finding(problem))
    return trial


def _without_plugin(plan: Plan, machine: Machine, trial: "Trial") -> Tuple[Plan, Finding]:
    """The plan without the other devices of a plug-in that fails, and the finding about it."""
    from ..plugin_devices import broken_finding

    problem = "its 'prepare' for %s %s: %s" % (name_of(plan.framework), trial.outcome, trial.detail)
    rest = tuple(item for item in plan.alternatives if item.platform != plan.platform)
    return plan.replace(alternatives=rest), broken_finding(machine, plan.platform, problem)


def _hide(plan: Plan, machine: Machine, finding: Finding) -> Plan:
    """Turn a plan whose devices cannot even be listed into the CPU with the devices hidden."""
    hidden: Tuple[Tuple[str, str], ...] = (("CUDA_VISIBLE_DEVICES", "-1"), ("DML_VISIBLE_DEVICES", "-1"))
    if plan.framework == "jax":
        hidden = (("JAX_PLATFORMS", "cpu"),)  # with no GPU to see, its plug-in raises
    if plan.platform == "rocm" or machine.rocm.kfd.or_none():
        hidden += (("HIP_VISIBLE_DEVICES", "-1"),)
    if plan.platform == "directml" or machine.directml.bundled.or_none():
        # DirectML builds look at the adapters before they look at the variable.
        hidden += (("TF_DIRECTML_PATH", "/nonexistent"),)
    given = {name for name, _ in hidden}
    environment = tuple(pair for pair in plan.environment if pair[0] not in given) + hidden
    changed = to_cpu(plan.replace(environment=environment), finding)
    return changed.replace(fallback=plan.request.kind != "cpu")


def _cache_finding(problem: str) -> Finding:
    return Kind("cache-unwritable", "warning").finding(
        "The self-test result can't be cached, so it will run again at every start.",
        (Evidence(problem, "DEVICEKIT_CACHE_DIR or the user's cache folder"),),
        (Fix("Set DEVICEKIT_CACHE_DIR to a folder that can be written"),),
    )


def cause_in_files(plan: Plan) -> Optional[Finding]:
    """Look at every file of the framework, which takes a while, for what keeps it from being imported."""
    from ...diagnosis.diagnose import diagnose
    from ...machine.detect import look_at_every_file

    errors = (item for item in diagnose(look_at_every_file()).findings if item.severity == "error")
    return next((item for item in errors if name_of(plan.framework) in item.blocks), None)
