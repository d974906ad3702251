"""Results as pages: one file each, with everything in it. Pure; laid out by Jinja2, which escapes every value.

A page may run one script, its own, and have one style sheet, its own: the content security policy in it names both by their
hashes and allows nothing else, so that what a driver or a file calls itself stays text whatever it is.
"""

import base64
import hashlib
import pkgutil
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .. import __version__
from ..diagnosis.findings import Candidate, Diagnosis, FrameworkStatus
from ..errors import DevicekitError
from ..machine.facts import Machine
from ..measure.benchmark.result import BenchmarkResult
from ..measure.numerics.result import Comparison
from ..measure.tuning.result import Tuning
from ..selection.selection import Selection
from .amounts import count, memory, plain, sign
from .compatibility_table import MatrixRow, matrix_row
from .figures.drawing import require_matplotlib
from .sections import Section, comparison_sections, gain_section, throughput_section

__all__ = ["benchmark_page", "comparison_page", "doctor_page", "require_pages", "tuning_page"]

#: A framework's name in headings.
_NAMES = {"tensorflow": "TensorFlow", "tensorflow1": "TensorFlow", "jax": "JAX", "torch": "PyTorch", "keras": "Keras"}
_COMPUTING = ("tensorflow", "jax", "torch")


def require_pages(plots: bool = True) -> None:
    """See that what pages are made with is installed.

    Raises
    ------
    DevicekitError
        Where Jinja2, or for plots matplotlib, cannot be imported.
    """
    _environment()
    if plots:
        require_matplotlib()


def doctor_page(machine: Machine, diagnosis: Diagnosis, selection: Selection, *, made: str = "") -> str:
    """Return the page of ``devicekit doctor --html``.

    Parameters
    ----------
    machine : Machine
    diagnosis : Diagnosis
    selection : Selection
    made : str, optional
        When, as it is to stand on the page.

    Raises
    ------
    DevicekitError
        Where Jinja2 is not installed.
    """
    framework = " with %s" % _NAMES.get(selection.framework, selection.framework) if selection.framework else ""
    tried = {True: "an operation ran on it", False: "an operation failed on it", None: "nothing was run on it"}
    asked = "%s%s" % (selection.requested, "; that, or a better device, cannot be used" if selection.fallback else "")
    return render_page(
        "doctor.html",
        machine.devicekit_version,
        made,
        title="devicekit doctor: %s" % selection.device,
        eyebrow="devicekit doctor",
        heading="%s%s" % (selection.device, framework),
        selection=selection,
        verdict=_verdict(diagnosis.findings),
        findings=diagnosis.findings,
        chosen=[
            ("Device", "%s %s" % (selection.device, "(%s)" % selection.name if selection.name else "")),
            ("Framework", "%s, %s" % (selection.framework or "none", selection.platform)),
            ("Why", selection.reason or "it is the best that was found"),
            ("Asked for", asked),
            ("Verified", tried[selection.verified]),
        ],
        devices=[
            (item.device, item.name, item.platform or "none", memory(item.memory_bytes) or "not known", _state(item))
            for item in diagnosis.candidates
        ],
        changes=[
            (item.what, item.name, item.value, "not set" if item.before is None else item.before)
            for item in selection.changes
        ],
        rows=_rows(machine, diagnosis, selection),
        machine=_machine(machine),
        frameworks=[_framework(item) for item in diagnosis.frameworks],
        unknown=[(item.code, item.because) for item in diagnosis.not_evaluated]
        + [(text, "it could not be read") for text in machine.python.unreadable],
    )


def benchmark_page(result: BenchmarkResult, *, made: str = "") -> str:
    """Return the page of ``devicekit bench --html``.

    Raises
    ------
    DevicekitError
        Where Jinja2 or matplotlib is not installed.
    """
    fastest = result.fastest
    verdict = _verdict(result.findings, calm="")
    broken = sum(1 for row in result.rows if row.problem)
    if broken:
        verdict.append(tag("error", "%s without figures" % count(broken, "row")))
    if not all(row.steady for row in result.rows):
        verdict.append(tag("warning", "not every row was steady: a longer warm-up would tell more"))
    heading, lead = "Nothing could be measured", "None of the rows has figures."
    if fastest is not None:
        heading = "%s is the fastest" % fastest.device
        lead = "%s, %s: %.3g %s per second with %s." % (
            (fastest.model, fastest.mode, fastest.per_second or 0.0, fastest.unit, fastest.framework)
        )
    lead += " From an earlier measurement." if result.cached else " Measured in %.0f seconds." % result.seconds
    sections = [throughput_section(result)] if result.rows else []
    return _measured("bench", heading, lead, verdict, result.findings, "Nothing to remark.", sections, made)


def comparison_page(comparison: Comparison, *, made: str = "") -> str:
    """Return the page of ``devicekit verify --numerics --html``.

    Raises
    ------
    DevicekitError
        Where Jinja2 or matplotlib is not installed.
    """
    devices = ", ".join(comparison.devices) or "nothing"
    agree = "agrees" if len(comparison.devices) == 1 else "agree"
    heading = "%s %s with the reference" % (devices, agree)
    if not comparison.agrees:
        heading = "%s %s not agree with the reference" % (devices, "does" if len(comparison.devices) == 1 else "do")
    told = {"agrees": "within the tolerance", "reduced-precision": "in reduced precision", "differs": "outside"}
    verdict = []
    for name in ("differs", "failed", "unsupported", "reduced-precision", "agrees"):
        number = sum(item.verdict == name for item in comparison.differences)
        if number:
            verdict.append(tag(name, "%d %s" % (number, told.get(name, name))))
    trainings = [item.verdict for item in comparison.divergences]
    if trainings:
        wrong = sum(item != "agrees" for item in trainings)
        kind = "differs" if wrong else "agrees"
        text = "%d of %d trainings diverge" % (wrong, len(trainings)) if wrong else "training follows the reference"
        verdict.append(tag(kind, text))
    lead = "%s, compared with %s in %.0f seconds; seed %d." % (
        (comparison.subject or "Computations", comparison.reference, comparison.seconds, comparison.seed)
    )
    none = "No device is outside its tolerance."
    sections = comparison_sections(comparison)
    return _measured("numerics", heading, lead, verdict, comparison.findings, none, sections, made)


def tuning_page(tuning: Tuning, *, made: str = "") -> str:
    """Return a page of what tuning tried, kept and gained.

    Raises
    ------
    DevicekitError
        Where Jinja2 or matplotlib is not installed.
    """
    heading = "%s with %s" % (tuning.device, _NAMES.get(tuning.framework, tuning.framework))
    lead = "%s trains %.2f times as fast as with the defaults." % (tuning.model, tuning.gain) if tuning.gain else ""
    kept = tag("good", "%s kept of %d" % (count(len(tuning.kept), "option"), len(tuning.options)))
    sections = [gain_section(tuning)] if tuning.options else []
    verdict = [kept] + _verdict(tuning.findings, calm="")
    return _measured("tune", heading, lead, verdict, tuning.findings, "Nothing to remark.", sections, made)


def _measured(
    name: str,
    heading: str,
    lead: str,
    verdict: Sequence[Dict[str, str]],
    findings: Any,
    none: str,
    sections: Sequence[Section],
    made: str,
) -> str:
    values = {"title": "devicekit %s: %s" % (name, heading), "eyebrow": "devicekit %s" % name, "heading": heading}
    return render_page(
        "measured.html", "", made, lead=lead, verdict=verdict, findings=findings, calm=none, sections=sections, **values
    )


def tag(kind: str, text: str, more: str = "") -> Dict[str, str]:
    return {"kind": kind, "text": text, "more": more}


def _verdict(findings: Any, calm: str = "Nothing is wrong") -> List[Dict[str, str]]:
    found = []
    for name in ("error", "warning"):
        number = sum(item.severity == name for item in findings)
        if number:
            found.append(tag(name, count(number, name)))
    return found or ([tag("good", calm)] if calm else [])


def _state(item: Candidate) -> Dict[str, str]:
    more = item.remark
    if item.usable:
        return tag("ok", "usable", more)
    if item.usable is None:
        return tag("unknown", "only a trial can tell", more)
    return tag("fails", "blocked: %s" % (", ".join(item.blocked_by) or "no build for it"), more)


def _framework(item: FrameworkStatus) -> Tuple[Any, ...]:
    kind = {True: "ok", False: "fails", None: "unknown"}
    state = {True: "works", False: "cannot be imported", None: "not judged"}[item.will_import]
    keras = {True: "trains", False: "does not train", None: "not judged"}[item.will_run_keras]
    cause = ": %s" % item.cause if item.cause else ""
    return (
        "%s %s" % (_NAMES.get(item.framework, item.framework), item.version or ""),
        tag(kind[item.will_import], state + (cause if item.will_import is not True else "")),
        tag(kind[item.will_run_keras], keras),
        ", ".join(item.devices) or "none",
    )


def _rows(machine: Machine, diagnosis: Diagnosis, selection: Selection) -> List[Dict[str, Any]]:
    """Return the matrix rows of the frameworks that are installed, the chosen one first."""
    installed = [item.framework for item in diagnosis.frameworks if item.framework in _COMPUTING and item.version]
    chosen = {"tensorflow1": "tensorflow"}.get(selection.framework or "", selection.framework or "")
    names = sorted(installed, key=lambda name: name != chosen) or ["tensorflow"]
    made: List[Optional[MatrixRow]] = [matrix_row(machine, diagnosis, name) for name in names]
    return [_row(row, diagnosis) for row in made if row is not None]


def _row(row: MatrixRow, diagnosis: Diagnosis) -> Dict[str, Any]:
    places = {item.code: place for place, item in reversed(list(enumerate(diagnosis.findings, 1)))}
    cells = [dict(vars(cell), number=places.get(cell.code) or 0) for cell in row.cells]
    title = "%s %s" % (_NAMES.get(row.framework, row.framework), row.version)
    return {"title": title, "installed": row.installed, "cells": cells}


def _machine(machine: Machine) -> List[Tuple[str, str]]:
    native, python, driver = machine.native, machine.python, machine.driver
    where = {"venv": "virtual environment", "conda": "conda environment"}.get(python.environment, "system")
    cores, usable = native.cpu_count.or_none(), native.cpu_usable.or_none()
    of_cores = count(cores, "core") if cores else ""
    if cores and usable and native.cpu_limited_by:
        of_cores = "%g of %s (%s)" % (usable, of_cores, native.cpu_limited_by)
    total, usable_bytes = native.memory_bytes.or_none(), native.usable_memory_bytes
    of_memory = memory(total)
    if total and usable_bytes and usable_bytes < total:
        of_memory = "%s of %s (cgroup limit)" % (memory(usable_bytes), of_memory)
    inside = machine.process.container.or_none()
    plugins = ["%s%s" % (item.label, " (broken)" if item.problems else "") for item in machine.platforms]
    rows = [
        ("System", "%s, %s" % (native.os_version.or_none() or native.system, native.architecture)),
        ("Processor", ", ".join(item for item in (native.cpu_model.or_none() or "", of_cores) if item)),
        ("Memory", of_memory),
        ("Python", "%s, %s (%s)" % (python.version, python.executable, where)),
        ("Inside", "container (%s)" % inside if inside else ""),
        ("WSL", "%d" % (machine.process.wsl.or_none() or 0) if machine.process.wsl.or_none() else ""),
        ("NVIDIA driver", driver.nvidia_version.or_none() or driver.nvidia_kernel_version.or_none() or ""),
        ("ROCm", machine.rocm.version.or_none() or ""),
        ("Plug-ins", ", ".join(plugins)),
    ]
    return [(label, text) for label, text in rows if text]


def render_page(template: str, version: str, made: str, **values: Any) -> str:
    environment, markup = _environment()
    style, script = _asset("style.css"), _asset("script.js")
    policy = (
        "default-src 'none'; style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'"
        % ((_hash(style), _hash(script)))
    )
    page = environment.get_template(template).render(
        policy=policy, style=markup(style), script=markup(script), version=version or __version__, made=made, **values
    )
    return str(page)


def _environment() -> Tuple[Any, Any]:
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise DevicekitError(
            'pages need Jinja2, which cannot be imported here (%s): pip install "devicekit[report]"' % error
        ) from error
    environment = Environment(
        loader=FunctionLoader(_asset),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["sign"] = sign
    return environment, Markup


def _finalized(value: Any) -> Any:
    """Return text without control characters; what is marked as HTML stays."""
    return plain(value) if type(value) is str else value


def _asset(name: str) -> str:
    # pkgutil and not importlib.resources, whose interface differs on every Python from 3.7 on.
    content = pkgutil.get_data("devicekit", "report/templates/" + name)
    if content is None:
        raise DevicekitError("devicekit's own report/templates/%s is gone: reinstall devicekit" % name)
    # As a browser reads it before it takes the hash: a checkout on Windows may have other ends of lines.
    return content.decode("utf-8").replace("\r\n", "\n")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
