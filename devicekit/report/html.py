"""Results as HTML fragments, for notebooks: every value is escaped, and nothing but the standard library is needed.

They take the notebook's own colours, so that they can be read in light and in dark themes: a state is told by a word and a
sign, never by a colour. No style sheets and no scripts, which notebooks that are not trusted take away.
"""

from html import escape
from typing import Iterable, List, Optional, Sequence, Tuple

from ..diagnosis.findings import Candidate, Diagnosis, Finding
from ..measure.benchmark.result import BenchmarkResult
from ..measure.numerics.result import Comparison, Difference, Divergence
from ..measure.tuning.result import Tuning
from ..selection.selection import Selection
from ..selection.throughput import Throughput
from .amounts import count, memory, plain, rate, ratio, relative, sign, worst_first

__all__ = ["benchmark_html", "comparison_html", "diagnosis_html", "selection_html", "tuning_html"]

#: So many lines of a long table; the rest is counted.
_MOST_ROWS = 12

_LINE = "1px solid rgba(128,128,128,.35)"
_BOX = "margin:.4em 0;padding:.6em 1em .7em;border:%s;border-radius:6px;max-width:62em;line-height:1.45" % _LINE
HTML_HEAD = "margin:0 0 .35em"
_TEXT = "margin:.35em 0"
_CELL = "text-align:left;vertical-align:top;padding:.25em 1em .25em 0;border:0;border-bottom:%s;background:none" % _LINE
_NUMBER = _CELL.replace("text-align:left", "text-align:right") + ";font-variant-numeric:tabular-nums;white-space:nowrap"
_CAPTION = "text-align:left;caption-side:top;padding:.3em 0;font-weight:600;color:inherit"
_TABLE = "border-collapse:collapse;border:0;margin:.4em 0;font-size:inherit;color:inherit"
_COMMAND = "margin:.2em 0 .2em;padding:.35em .6em;border:%s;border-radius:4px;background:rgba(128,128,128,.1);" % _LINE
_COMMAND += "color:inherit;white-space:pre-wrap;overflow-wrap:anywhere"
#: A left border whose colour repeats what the word beside it says.
_EDGE = {"error": "#d0453c", "warning": "#c98a1b", "info": "#4a86c5"}


def selection_html(selection: Selection) -> str:
    """Return the device, the reason, what was changed, and the findings."""
    words = [html_strong(selection.device) + (" " + html_text(selection.name) if selection.name else "")]
    words.append("with %s" % html_text(selection.framework) if selection.framework else "no framework")
    if selection.platform not in ("", "cpu"):
        words.append(html_text(selection.platform))
    words.append(
        {True: sign("good") + " verified", False: sign("error") + " the trial failed", None: "not tried"}[
            selection.verified
        ]
    )
    parts = [html_paragraph(" · ".join(words), HTML_HEAD)]
    if selection.fallback:
        parts.append(
            html_paragraph("%s Not what was asked for (%s)." % (sign("warning"), html_text(selection.requested)))
        )
    if selection.reason:
        parts.append(html_paragraph(html_text(selection.reason)))
    parts += html_findings(selection.findings)
    if selection.changes:
        rows = [(html_text(item.what), html_code(item.name), html_code(item.value)) for item in selection.changes]
        parts.append(html_more("%s" % count(len(rows), "change"), html_table("", ("where", "name", "value"), rows)))
    return html_box(parts)


def diagnosis_html(diagnosis: Diagnosis) -> str:
    """Return the findings with their fixes, the devices, and the frameworks."""
    counts = [(name, sum(item.severity == name for item in diagnosis.findings)) for name in ("error", "warning")]
    told = ["%s %s" % (sign(name), count(number, name)) for name, number in counts if number]
    parts = [
        html_paragraph(html_strong(" and ".join(told) if told else sign("good") + " Nothing is wrong."), HTML_HEAD)
    ]
    parts += html_findings(diagnosis.findings)
    if diagnosis.candidates:
        devices = [
            (
                html_text(item.device),
                html_text(item.name),
                html_text(item.platform),
                memory(item.memory_bytes),
                _state(item),
            )
            for item in diagnosis.candidates
        ]
        parts.append(html_table("Devices", ("device", "name", "platform", "memory", "state"), devices, right=(3,)))
    if diagnosis.frameworks:
        states = {True: "%s works" % sign("good"), False: "%s cannot be imported" % sign("error"), None: "? not judged"}
        frameworks = [
            (
                html_text("%s %s" % (item.framework, item.version or "")),
                states[item.will_import] + (": " + html_code(item.cause) if item.cause else ""),
                html_text(", ".join(item.devices)),
            )
            for item in diagnosis.frameworks
        ]
        parts.append(html_table("Frameworks", ("framework", "state", "lists"), frameworks))
    if diagnosis.not_evaluated:
        unknown = [(html_code(item.code), html_text(item.because)) for item in diagnosis.not_evaluated]
        parts.append(
            html_more("%s not judged" % count(len(unknown), "rule"), html_table("", ("rule", "because"), unknown))
        )
    return html_box(parts)


def comparison_html(comparison: Comparison) -> str:
    """Return whether the devices agree with the reference, what is furthest from it, and the findings."""
    devices = ", ".join(comparison.devices)
    verdict = "%s %s %s" % (
        sign("good" if comparison.agrees else "error"),
        html_strong(devices),
        "agrees with the reference" if comparison.agrees else "does not agree with the reference",
    )
    parts = [html_paragraph(verdict, HTML_HEAD)]
    parts.append(
        html_paragraph(
            "%s against %s: %s, seed %d, %.1f s"
            % (
                html_text(comparison.subject or "compared"),
                html_text(comparison.reference),
                count(len(comparison.differences), "comparison"),
                comparison.seed,
                comparison.seconds,
            )
        )
    )
    parts += html_findings(comparison.findings)
    if comparison.differences:
        ordered = worst_first(comparison.differences)
        heads = ("verdict", "what", "device", "max. relative error", "tolerance", "ULP", "cosine")
        table = html_table("Furthest from the reference", heads, _cut(ordered, _difference), right=(3, 4, 5, 6))
        parts += [table, _rest(len(ordered))]
    if comparison.divergences:
        trained = ("verdict", "optimizer", "device", "weights, last step", "rounding alone", "another seed")
        table = html_table("Training", trained, _cut(comparison.divergences, _divergence), right=(3, 4, 5))
        parts += [table, _rest(len(comparison.divergences))]
    return html_box(parts)


def benchmark_html(result: BenchmarkResult) -> str:
    """Return the throughput of each row, and the findings."""
    fastest = result.fastest
    if fastest is None:
        head = "%s Nothing could be measured." % sign("error")
    else:
        head = "Fastest: %s with %s, %s %s/s" % (
            html_strong(fastest.device),
            html_text(fastest.framework),
            rate(fastest.per_second),
            html_text(fastest.unit),
        )
    parts = [html_paragraph(head, HTML_HEAD)]
    note = "from an earlier measurement" if result.cached else "measured in %.1f s" % result.seconds
    parts += [html_paragraph(note)] + html_findings(result.findings)
    heads = ("device", "model", "mode", "precision", "batch", "per second", "jitter", "memory peak")
    parts.append(html_table("Throughput", heads, _cut(result.rows, _throughput), right=(4, 5, 6, 7)))
    return html_box(parts + [_rest(len(result.rows))])


def tuning_html(tuning: Tuning) -> str:
    """Return what was tried, what was kept, and by how much it pays."""
    head = "%s with %s: %s" % (html_strong(tuning.device), html_text(tuning.framework), html_text(tuning.model))
    gain = "%s times as fast as the defaults" % ratio(tuning.gain) if tuning.gain else "no gain was measured"
    parts = [html_paragraph("%s · %s" % (head, gain), HTML_HEAD)]
    parts += html_findings(tuning.findings)
    rows = [
        (
            "%s kept" % sign("good") if item.kept else "%s left out" % sign("left out"),
            html_text(item.name),
            html_code(item.setting),
            ratio(item.gain),
            html_text(item.reason),
        )
        for item in tuning.options
    ]
    parts.append(html_table("Options", ("", "option", "setting", "gain", "why"), rows, right=(3,)))
    return html_box(parts)


def _difference(item: Difference) -> Tuple[str, ...]:
    what = "%s: %s" % (html_text(item.name), html_text(item.what))
    found = item.measure
    ran = "ran on %s" % item.ran_on if item.verdict == "unsupported" and item.ran_on else ""
    arithmetic = item.arithmetic if found is None or item.arithmetic != found.dtype else ""
    notes = [note for note in (arithmetic, ran, item.detail) if note]
    what += '<br><span style="opacity:.75">%s</span>' % html_text("; ".join(notes)) if notes else ""
    figures = (
        ("", "", "", "")
        if found is None
        else (
            relative(found.max_relative_error),
            relative(found.tolerance),
            "%.3g" % found.max_ulp,
            "%.6f" % found.cosine,
        )
    )
    return ("%s %s" % (sign(item.verdict), html_text(item.verdict)), what, html_text(item.device), *figures)


def _divergence(item: Divergence) -> Tuple[str, ...]:
    last = [relative(values[-1]) if values else "" for values in (item.weights, item.rounding, item.seed)]
    verdict = "%s %s" % (sign(item.verdict), html_text(item.verdict))
    if item.first_step is not None:
        verdict += " from step %d" % item.first_step
    return (verdict, html_text(item.optimizer), html_text(item.device), *last)


def _throughput(item: Throughput) -> Tuple[str, ...]:
    if item.problem or item.per_second is None:
        figure = "%s %s" % (sign("error"), html_text(item.problem or "no figures"))
    else:
        figure = "%s ± %s %s/s" % (rate(item.per_second), rate(item.uncertainty), html_text(item.unit))
    device = "%s %s" % (html_text(item.device), html_text(item.framework))
    compiled = ", XLA" if item.xla else ""
    jitter, peak = rate(item.jitter), memory(item.memory_peak_bytes)
    words = (html_text(item.model), html_text(item.mode), html_text(item.precision) + compiled, str(item.batch_size))
    return (device, *words, figure, jitter, peak)


def _state(item: Candidate) -> str:
    if item.usable:
        return "%s usable" % sign("good")
    if item.usable is None:
        return "? only a trial can tell"
    return "%s blocked: %s" % (sign("error"), html_text(", ".join(item.blocked_by) or "no build for it"))


def html_findings(findings: Sequence[Finding]) -> List[str]:
    return [_finding(item) for item in findings]


def _finding(finding: Finding) -> str:
    edge = _EDGE.get(finding.severity, _EDGE["info"])
    head = "%s %s %s" % (sign(finding.severity), html_text(finding.severity), html_strong(finding.code))
    parts = [html_paragraph(head, _TEXT), html_paragraph(html_text(finding.summary))]
    for fix in finding.fix[:1]:
        parts.append(html_paragraph("Fix: %s" % html_text(fix.text)))
        if fix.command:
            parts.append('<pre style="%s"><code>%s</code></pre>' % (_COMMAND, html_text(fix.command)))
    seen = ["%s%s" % (item.text, " (%s)" % item.source if item.source else "") for item in finding.evidence]
    if seen:
        items = "".join("<li>%s</li>" % html_text(text) for text in seen)
        parts.append(html_more("what was seen", '<ul style="margin:.2em 0">%s</ul>' % items))
    return '<div style="margin:.6em 0;padding-left:.8em;border-left:3px solid %s">%s</div>' % (edge, "".join(parts))


def _cut(items: Sequence[object], row: object) -> List[Tuple[str, ...]]:
    assert callable(row)
    return [row(item) for item in items[:_MOST_ROWS]]


def _rest(number: int) -> str:
    return html_paragraph("and %d more" % (number - _MOST_ROWS)) if number > _MOST_ROWS else ""


def html_table(caption: str, heads: Iterable[str], rows: Iterable[Sequence[str]], right: Tuple[int, ...] = ()) -> str:
    """Return a table; the cells of ``rows`` are HTML already."""
    head = "".join('<th scope="col" style="%s">%s</th>' % (_CELL, html_text(text)) for text in heads)
    body = "".join(
        "<tr>%s</tr>"
        % "".join('<td style="%s">%s</td>' % (_NUMBER if place in right else _CELL, cell) for place, cell in enumerate(row))
        for row in rows
    )  # fmt: skip
    title = '<caption style="%s">%s</caption>' % (_CAPTION, html_text(caption)) if caption else ""
    table = '<table style="%s">%s<thead><tr>%s</tr></thead><tbody>%s</tbody></table>' % (_TABLE, title, head, body)
    return '<div style="overflow-x:auto">%s</div>' % table


def html_box(parts: Iterable[str]) -> str:
    return '<div class="devicekit" style="%s">%s</div>' % (_BOX, "".join(parts))


def html_more(title: str, content: str) -> str:
    return '<details style="%s"><summary>%s</summary>%s</details>' % (_TEXT, html_text(title), content)


def html_paragraph(html: str, style: str = _TEXT) -> str:
    return '<p style="%s">%s</p>' % (style, html)


def html_strong(text: str) -> str:
    return "<strong>%s</strong>" % html_text(text)


def html_code(text: Optional[str]) -> str:
    return "<code>%s</code>" % html_text(text or "")


def html_text(text: str) -> str:
    return escape(plain(text))
