"""``devicekit doctor``: check this machine and show how to fix it."""

import argparse
from typing import Any, Tuple

from ..diagnosis.findings import Diagnosis
from ..machine.facts import Machine
from ..selection.selection import Selection
from .arguments import add_html, examined, json_output
from .explain import print_page
from .inputs import examine
from .output import made_now, print_json, print_text, terminal_style, write_page


def add_doctor(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser = verbs.add_parser(
        "doctor",
        example="devicekit doctor --python .venv/bin/python",
        parents=[json_output(), examined()],
        help="check this machine and show how to fix it",
    )
    add_html(parser)
    parser.add_argument("-v", "--verbose", action="store_true", help="print evidence, exact commands, and every device")
    parser.add_argument("--issue", action="store_true", help="print Markdown for a bug report, without private data")
    parser.add_argument("--explain", metavar="CODE", help="show the page of a finding code instead")
    parser.set_defaults(run=_doctor)


def _doctor(options: argparse.Namespace) -> int:
    from ..report.rendering import doctor_data
    from ..report.screen import doctor_screen
    from ..report.terminal import doctor_text

    if options.explain:
        return print_page(options.explain, options.json)
    if options.issue and options.json:
        raise ValueError("--issue is Markdown: leave --json out")
    machine, diagnosis, selection = decide(options)
    if options.issue:
        from ..report.screen import issue_text

        print_text(issue_text(machine, diagnosis, selection, made_now()))
    elif options.json:
        print_json(doctor_data(machine, diagnosis, selection))
    else:
        text = doctor_text if options.verbose else doctor_screen
        print_text(text(machine, diagnosis, selection, terminal_style()))
    if options.html is not None:
        from ..report.html.diagnosis import doctor_page

        write_page(options.html, doctor_page(machine, diagnosis, selection, made=made_now()))
    return exit_status(options, diagnosis, selection)


def decide(options: argparse.Namespace) -> Tuple[Machine, Diagnosis, Selection]:
    """Return the machine that the options name, what is wrong with it, and the device that would be used."""
    from ..diagnosis.diagnose import diagnose
    from ..runtime.decide import plan_for
    from ..selection.request import parse_request

    # Before the machine is examined, so that wrong use is reported at once; a snapshot may have its own device names.
    request = None if options.machine else parse_request(options.device)
    machine = examine(options.machine, options.python)
    request = request or parse_request(options.device, machine.platforms)
    measured = None
    if request.fastest and not options.machine:
        from ..runtime.speed_cache import cached_speeds

        measured = cached_speeds(machine)
    if getattr(options, "issue", False):
        from ..machine.live_host import LiveHost
        from ..report.shareable import names_of, shareable

        machine = shareable(machine, names_of(LiveHost()))
    plan, verified = plan_for(request, None, machine, measured=measured), None
    if not options.machine:
        from ..runtime.trial.try_plan import recall

        plan, verified = recall(plan, machine)
    selection = plan.selection(verified=verified)
    diagnosis = diagnose(machine)
    # They come from the request or from measurements, not from a rule.
    # Without their fixes, which a comparison would work out.
    known = {(item.code, item.summary) for item in diagnosis.findings}
    further = tuple(item for item in selection.findings if (item.code, item.summary) not in known)
    return machine, diagnosis.replace(findings=further + diagnosis.findings), selection


def exit_status(options: argparse.Namespace, diagnosis: Diagnosis, selection: Selection) -> int:
    """Return 1 if there is an error, or if a device was named that cannot be used."""
    broken = any(finding.severity == "error" for finding in diagnosis.findings)
    return 1 if broken or (options.device not in ("auto", "fastest") and selection.fallback) else 0
