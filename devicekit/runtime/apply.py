"""Carries a Plan out: a trial in a child, variables, the framework's settings, one operation; or the CPU, for real.

Every change is recorded. Whatever fails turns into one finding that names the root cause, and the CPU.
"""

import contextlib
import os
import sys
from types import ModuleType
from typing import Iterator, List, Optional, Tuple

from ..diagnosis.commands import this_shell
from ..diagnosis.findings import Evidence, Finding, Fix, Kind, name_of
from ..diagnosis.frameworks import TITLES
from ..errors import first_line, foreign_code, text_of
from ..machine.facts import Machine
from ..plugins.calls import PluginError
from ..selection.plan import Plan, missing_device, to_cpu, without_unproven
from ..selection.selection import Change, Selection
from .decide import Options
from .frameworks import Adapter, adapter, is_running


def half_imported() -> Tuple[str, ...]:
    """Return the packages that are not loaded, although modules in them are: their import did not end.

    Python removes a package whose import is interrupted, and leaves what it had imported until then. Modules that native code
    has made have no spec, and may have no package.
    """
    packages = set()
    for name, module in list(sys.modules.items()):
        if issubclass(type(module), ModuleType) and module.__dict__.get("__spec__") is not None:
            packages.add(name.partition(".")[0])
    return tuple(sorted(name for name in packages if name not in sys.modules))


def to_restart(plan: Plan, packages: Tuple[str, ...], error: Exception) -> Plan:
    """Return the plan after a framework whose first import was interrupted could not be imported again."""
    name = name_of(plan.framework)
    summary = (
        "%s cannot be used in this process any more: an earlier import was interrupted, and %s %s half imported."
        % (TITLES[name], ", ".join(packages[:5]), "is" if len(packages) == 1 else "are")
    )
    seen = Evidence(first_line(error, 1000), "import %s" % name)
    fixes = (Fix("Restart the process; in a notebook, restart the kernel", changes="code"),)
    cause = Finding("framework-broken", "error", summary, (seen,), fixes, (name, "keras"))
    return to_cpu(plan.replace(importable=False), cause)


@contextlib.contextmanager
def undone_if_interrupted(plan: Plan) -> Iterator[None]:
    """Restore the environment variables if the block is interrupted.

    What the framework's import has set stays if the framework is loaded by then: it is as if the program had imported it.
    """
    before = dict(os.environ)
    try:
        yield
    except Exception:
        raise
    except BaseException:
        loaded = name_of(plan.framework) in sys.modules
        names = dict(plan.environment) if loaded else {**before, **os.environ}
        for name in names:
            if name in before:
                os.environ[name] = before[name]
            else:
                os.environ.pop(name, None)
        raise


def apply_plan(plan: Plan, machine: Machine, options: Options) -> Selection:
    """Apply a plan and return the result. Never raises for a device or a framework that does not work."""
    changes: List[Change] = []
    if not plan.importable:
        return plan.selection(changes, verified=None if plan.device == "auto" else False)
    if plan.verify and options.verify != "never" and not _too_late_to_try(plan):
        from .trial.try_plan import try_first

        plan = try_first(plan, machine, options)
        if not plan.importable:
            _set_environment(plan, changes)
            return plan.selection(changes, verified=False)
    elif options.verify == "never":
        plan = without_unproven(plan)
    from .start_lines import held_back, log_held

    with undone_if_interrupted(plan):
        _set_environment(plan, changes)
        if plan.libraries:
            from .preload import load

            changes += load(plan.libraries)
        with held_back(plan, options.quiet) as lines:
            selection = _start(plan, machine, options, changes)
            lines.show = selection.verified is False or selection.device != plan.device
    log_held(lines.held)
    return selection


def _start(plan: Plan, machine: Machine, options: Options, changes: List[Change]) -> Selection:
    """Import the framework and set it up; what is changed is added to ``changes``."""
    packages = half_imported()
    try:
        if packages and _would_abort(plan, packages, machine):
            raise ImportError("it loads its plug-ins again, and ends the process where they are registered already")
        with foreign_code():
            plan, framework = _adapter(plan, machine)
            selection = _configure(plan, framework, options, changes)
    except Exception as error:  # the import can raise anything; what it imported may be something else, or half gone
        left = to_restart(plan, packages, error) if packages else _unimportable(plan, error)
        return left.selection(changes, verified=False)
    return _finish(selection, framework, options, changes)


def _would_abort(plan: Plan, packages: Tuple[str, ...], machine: Machine) -> bool:
    """Return whether another import could end the process: TensorFlow's, which registers what is in ``tensorflow-plugins``."""
    plugins = machine.python.plugins
    return (
        name_of(plan.framework) == "tensorflow"
        and "tensorflow" in packages
        and bool(plugins.value or not plugins.known)
    )


def _adapter(plan: Plan, machine: Machine) -> Tuple[Plan, Adapter]:
    """Import the framework with the devices of plug-ins, or without them if a plug-in fails."""
    if not machine.platforms:
        return plan, adapter(plan.framework)
    from .plugin_devices import adapter_for, broken_finding

    try:
        return plan, adapter_for(machine, plan.framework, plan.platform, plan.device_type)
    except PluginError as error:
        plan = to_cpu(plan, broken_finding(machine, plan.platform, str(error)))
        return plan, adapter_for(machine, plan.framework, plan.platform, plan.device_type)


def _too_late_to_try(plan: Plan) -> bool:
    """Whether the framework runs in this process already, so that a self-test in a child decides nothing any more.

    Neither does one within a self-test, where the import of something calls `auto`: that would never end.
    """
    from .settings import read_settings

    if read_settings().in_trial:
        return True
    return name_of(plan.framework) in sys.modules and (not plan.indices or is_running(plan.framework))


def _with(plan: Plan, note: Finding) -> Plan:
    return plan.replace(findings=(*plan.findings, note))


def _set_environment(plan: Plan, changes: List[Change]) -> None:
    for name, value in plan.environment:
        changes.append(Change("environment", name, value, os.environ.get(name)))
        os.environ[name] = value


def _unimportable(plan: Plan, error: Exception) -> Plan:
    """The import raised although no finding blocks it: look at every file for the cause."""
    from .trial.try_plan import cause_in_files

    cause = cause_in_files(plan)
    if cause is None:
        text = first_line(error, 1000)
        said = Evidence(text, "import %s" % name_of(plan.framework))
        cause = _broken(plan, "cannot be imported: %s." % text[:300].rstrip("."), said)
    return to_cpu(plan.replace(importable=False), cause)


def _broken(plan: Plan, what: str, seen: Evidence) -> Finding:
    """Return the finding that the framework itself is broken."""
    name = name_of(plan.framework)
    fixes = (Fix("Reinstall it in a fresh environment", changes="packages"),)
    return Finding("framework-broken", "error", "%s %s" % (TITLES[name], what), (seen,), fixes, (name, "keras"))


def _configure(plan: Plan, framework: Adapter, options: Options, changes: List[Change]) -> Selection:
    """Set what must be set before the devices are initialized, then run one operation."""
    listed = framework.accelerators()
    if listed is not None and plan.indices and max(plan.indices) >= len(listed) and not framework.movable:
        from .trial.findings import nothing_listed

        plan = to_cpu(plan, nothing_listed(plan, listed))
    try:
        _set_visible(plan, framework, changes)
    except RuntimeError as error:
        return _too_late(plan, framework, str(error)).selection(changes)
    try:
        _set_memory(plan, framework, options, changes)
    except RuntimeError as error:
        if not framework.movable:
            return _too_late(plan, framework, str(error)).selection(changes)
        plan = _with(plan, _initialized(framework, "memory=%r has no effect" % (options.memory,), str(error)))
    except LookupError as error:
        plan = _with(plan, _memory_unknown(framework, str(error)))
        changes += framework.set_memory("grow") if not framework.initialized() else []
    try:
        plan, verified = _settle(plan, framework, options, changes)
    except Exception as error:  # kernels and drivers raise exceptions of any type
        if not plan.indices and not framework.movable:
            return _cpu_broken(plan, error).selection(changes, verified=False)
        return _leave(plan, framework, options, changes, error)
    return plan.selection(changes, verified)


def _set_visible(plan: Plan, framework: Adapter, changes: List[Change]) -> None:
    if plan.platform == "tpu":  # one process has all of them, and JAX takes them by itself
        return
    change = framework.set_visible(plan.indices)
    if change is not None:
        changes.append(change)


def _set_memory(plan: Plan, framework: Adapter, options: Options, changes: List[Change]) -> None:
    if plan.indices and plan.platform != "tpu" and options.memory not in ("all", None):
        changes += framework.set_memory(options.memory, plan.memory_bytes)


def _settle(plan: Plan, framework: Adapter, options: Options, changes: List[Change]) -> Tuple[Plan, Optional[bool]]:
    """Make the device the default and run one operation; return the plan in effect and whether the operation worked."""
    number = plan.request.indices[0] if plan.request.kind == "cpu" and plan.request.indices else 0
    try:
        change = framework.set_default(plan.indices, number)
    except LookupError:
        if plan.indices or not number:
            raise
        number, change = 0, framework.set_default(())  # a processor that is not there: the first one will do
    if change is not None:
        changes.append(change)
        if number and not plan.indices:
            plan = plan.replace(device="cpu:%d" % number)
    wanted = plan.request if plan.request.kind == "cpu" and any(plan.request.indices) else None
    if wanted is not None and plan.device == "cpu" and framework.device_name(wanted) is None:
        cause = missing_device(wanted.text, "%s does not list it" % framework.title, framework.title)
        findings = (cause, *plan.findings)
        plan = plan.replace(fallback=True, findings=findings, cause=cause, reason=cause.summary.rstrip("."))
    if options.verify == "never":
        return plan, None
    with foreign_code():
        framework.smoke(bool(plan.indices))
    return plan, True


def _leave(plan: Plan, framework: Adapter, options: Options, changes: List[Change], error: Exception) -> Selection:
    """After a failed operation: reset the runtime, hide the accelerators, and check that the CPU computes."""
    from .trial.findings import judge_error, nothing_listed

    if isinstance(error, LookupError):
        finding = nothing_listed(plan, framework.accelerators() or (), (text_of(error),))
    else:
        finding = judge_error(type(error).__name__, text_of(error), plan, "product")
        finding = next((item for item in plan.findings if item.code == finding.code), finding)  # it was predicted
    plan = to_cpu(plan, finding).replace(fallback=plan.request.kind != "cpu")
    framework.reset()
    changes.append(Change(framework.name, "runtime", "reset after a failed operation"))
    try:
        _set_visible(plan, framework, changes)
        plan, verified = _settle(plan, framework, options, changes)
    except Exception as second:
        if not framework.movable:
            raise
        return _cpu_broken(plan, second).selection(changes, verified=False)
    return plan.selection(changes, verified)


def _cpu_broken(plan: Plan, error: Exception) -> Plan:
    said = Evidence(first_line(error, 1000), "a 2 by 2 matrix product")
    return to_cpu(plan, _broken(plan, "was imported, but cannot multiply two matrices on the CPU.", said))


def _too_late(plan: Plan, framework: Adapter, message: str) -> Plan:
    """The devices are fixed: report what is in effect instead of what was requested."""
    visible = framework.visible()
    wanted = plan.device
    effect = "'%s' cannot be set up any more, visible stay %s" % (wanted, ", ".join(visible) or "no accelerators")
    code = "with devicekit.device_scope(%r): ..." % plan.request.text
    scope = this_shell().program_fix("Place single parts of the program", code, instead=True)
    finding = _initialized(framework, effect, message, scope)
    in_force = "gpu:0" if visible else "cpu"
    return plan.replace(
        device=in_force,
        platform=plan.platform if visible and plan.indices else "pluggable" if visible else "cpu",
        name=visible[0] if visible else "",
        fallback=in_force != wanted,
        findings=(finding,) + plan.findings,
        cause=finding,
        reason=finding.summary.rstrip("."),
    )


def _initialized(framework: Adapter, effect: str, message: str, *further: Fix) -> Finding:
    """Return the finding that the framework was running already, and what that prevents."""
    text = "Call devicekit.auto() before the first operation, best in the first line of the program"
    first = Fix(text, changes="code")
    summary = "%s had initialized its devices before devicekit was called: %s." % (framework.title, effect)
    evidence = (Evidence(message.strip()[:500], framework.title),)
    return Finding("runtime-already-initialized", "warning", summary, evidence, (first, *further), (), framework.url)


def _memory_unknown(framework: Adapter, message: str) -> Finding:
    return Kind("setting-invalid", "warning", (), framework.url).finding(
        "%s cannot be given a limit in bytes on this device: memory grows as it is needed." % framework.title,
        (Evidence(message, framework.title),),
        (
            this_shell().set_fix(
                "Set the part of the device's memory that it may take", "XLA_PYTHON_CLIENT_MEM_FRACTION", "0.5"
            )
            if framework.name == "jax"
            else Fix("Leave the limit out: memory='grow'", changes="code"),
        ),
    )


def _finish(selection: Selection, framework: Adapter, options: Options, changes: List[Change]) -> Selection:
    """Set precision and seed, which can be set at any time."""
    findings = selection.findings
    refused: Optional[ValueError] = None
    try:
        with foreign_code():
            if options.precision is not None:
                framework.keras()
                try:
                    changes.append(framework.set_precision(options.precision))
                except ValueError as error:  # a policy that Keras does not know: its own message explains the wrong use
                    refused = error
            if options.seed is not None:
                changes.append(framework.set_seed(options.seed))
    except Exception as error:  # Keras is imported for this, and may be broken while TensorFlow is not
        text = first_line(error, 1000)
        findings += (
            Kind("framework-broken", "error", ("keras",)).finding(
                "Keras cannot be set up: precision or seed is not set.",
                (Evidence(text, "Keras"),),
                (this_shell().run_fix("Fix what devicekit reports about Keras", "devicekit", "doctor"),),
            ),
        )
    if refused is not None:
        raise refused
    return selection.replace(changes=tuple(changes), findings=findings)
