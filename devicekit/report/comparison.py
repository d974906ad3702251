"""A comparison of devices, in one line and as a report."""

import sys
import textwrap
from typing import Any, List, Sequence, Tuple

from ..measure.numerics.result import VERDICTS, Comparison, Difference, Divergence
from .amounts import grouped, worst_first
from .headline import headline, rest_of
from .terminal import Style, findings_lines

_KINDS = {
    "agrees": "good",
    "not-compared": "dim",
    "reduced-precision": "info",
    "unsupported": "warning",
    "failed": "error",
    "differs": "error",
}

#: Rows of one device; the others agree, or are counted in the line above the table.
_ROWS = 20

#: Columns of figures: heading and width.
_FIGURES = (("largest", 8), ("mean", 8), ("allowed", 8), ("ULP", 8), ("cosine", 7))
_VERDICT_WIDTH = max(len(verdict) for verdict in VERDICTS)
_LEAST_NAME = 24


def _amounts(comparison: Comparison) -> str:
    """Return how much was compared, if all of that agrees."""
    everything = comparison.differences + comparison.divergences
    if not comparison.agrees or not everything:
        return ""
    coarse = sum(item.verdict == "reduced-precision" for item in comparison.differences)
    skipped = sum(item.verdict == "not-compared" for item in everything)
    note = ", %d with reduced precision" % coarse if coarse else ""
    note += ", %d not compared" % skipped if skipped else ""
    return " (%d compared%s)" % (len(everything) - skipped, note)


def comparison_report_text(comparison: Comparison) -> str:
    """Return the report without colors, as wide as a page of text: what ``print`` shows of a comparison."""
    return comparison_text(comparison, Style(100, unicode=can_encode(sys.stdout))).rstrip("\n")


def can_encode(stream: Any) -> bool:
    """Return whether a stream takes characters beyond ASCII."""
    return "utf" in (getattr(stream, "encoding", None) or "ascii").lower()


def comparison_text(comparison: Comparison, style: Style) -> str:
    """Return the report of a comparison: for each device the worst first, then training and findings.

    On a terminal of less than 90 columns the figures are on a separate line.
    """
    title = "devicekit: comparison of %s" % comparison.subject if comparison.subject else "devicekit: comparison"
    lines = [style.paint(style.plain(title), "head"), style.rule]
    lines += _verdict(comparison, style)
    lines += style.wrap(rest_of(comparison)) + [""]
    lines += _row(style, "Reference", comparison.reference)
    lines += _row(style, "Devices", ", ".join(comparison.devices))
    lines += _row(style, "Took", "%.1f s, with seed %d" % (comparison.seconds, comparison.seed))
    targets = dict.fromkeys((item.device, item.framework) for item in comparison.differences)
    for target in targets:
        own = [item for item in comparison.differences if (item.device, item.framework) == target]
        lines += [""] + _device(target, own, style)
    targets = dict.fromkeys((item.device, item.framework) for item in comparison.divergences)
    for target in targets:
        trained = [item for item in comparison.divergences if (item.device, item.framework) == target]
        lines += ["", style.paint(style.plain("Training on %s with %s" % target), "head")]
        for divergence in trained:
            lines += _divergence(divergence, style)
    if comparison.findings:
        lines += ["", style.paint("Findings", "head"), *findings_lines(comparison.findings, style)]
    elif lines[-1]:
        lines.append("")
    return "\n".join(lines + [style.rule] + _verdict(comparison, style)) + "\n"


def _device(target: Tuple[str, str], items: Sequence[Difference], style: Style) -> List[str]:
    verdicts = [item.verdict for item in items]
    counted = ", ".join("%s %d" % (verdict, verdicts.count(verdict)) for verdict in VERDICTS if verdict in verdicts)
    lines = style.wrap("%s with %s: %s" % (target + (counted,)), "")
    lines[0] = lines[0].replace(target[0], style.paint(target[0], "head"), 1)
    shown = worst_first(items)
    if len(shown) > _ROWS:
        # Everything that is wrong is shown.
        shown = shown[: max(_ROWS, sum(item.verdict in ("differs", "failed") for item in items))]
    wide = _name_width(style) >= _LEAST_NAME
    if wide and any(item.measure is not None for item in shown):
        heads = " ".join(head.rjust(width) for head, width in _FIGURES)
        start = "  %s %s" % ("verdict".ljust(_VERDICT_WIDTH), "what".ljust(_name_width(style)))
        lines.append(style.paint("%s %s" % (start, heads), "dim"))
    for item in shown:
        lines += _difference(item, style, wide)
    if len(shown) < len(items):
        lines += style.wrap("and %d more, none of them worse" % (len(items) - len(shown)), "  ")
    return lines


def _name_width(style: Style) -> int:
    figures = sum(width + 1 for _, width in _FIGURES)
    return style.width - 2 - _VERDICT_WIDTH - 1 - figures


def _difference(item: Difference, style: Style, wide: bool) -> List[str]:
    name = "%s %s" % (item.name, item.what) if item.what else item.name
    label = style.plain(name if not item.operation or item.operation in name else "%s (%s)" % (name, item.operation))
    verdict = style.paint(item.verdict.ljust(_VERDICT_WIDTH), _KINDS[item.verdict])
    room = _name_width(style) if wide else max(16, style.width - 3 - _VERDICT_WIDTH)
    first, *others = textwrap.wrap(label, room, break_on_hyphens=False) or [""]
    figures = _figures(item) if item.measure is not None else []
    if wide and figures:
        cells = " ".join(text.rjust(width) for text, (_, width) in zip(figures, _FIGURES))
        lines = ["  %s %s %s" % (verdict, first.ljust(room), cells)]
    else:
        lines = ["  %s %s" % (verdict, first)]
    indent = " " * (3 + _VERDICT_WIDTH)
    lines += [indent + other for other in others]
    if figures and not wide:
        lines += style.wrap(", ".join("%s %s" % (head, text) for text, (head, _) in zip(figures, _FIGURES)), "    ")
    if item.detail:
        lines += style.wrap(item.detail[:500], "    ")
    if item.ran_on and item.verdict == "unsupported":
        lines += style.wrap("ran on %s" % item.ran_on, "    ")
    return lines


def _figures(item: Difference) -> List[str]:
    measure = item.measure
    if measure is None:
        return []
    return [
        "%.1e" % measure.max_relative_error,
        "%.1e" % measure.mean_relative_error,
        "%.1e" % measure.tolerance,
        grouped(measure.max_ulp) if measure.max_ulp < 1e6 else "%.1e" % measure.max_ulp,
        "%.5f" % measure.cosine,
    ]


def _divergence(item: Divergence, style: Style) -> List[str]:
    verdict = style.paint(item.verdict.ljust(_VERDICT_WIDTH), _KINDS[item.verdict])
    at = " at step %d" % item.first_step if item.first_step is not None else ""
    lines = ["  %s %s%s" % (verdict, style.plain(item.label), at)]
    curves = (("device", item.weights), ("rounding", item.rounding), ("another seed", item.seed))
    parts = ["%s %.1e to %.1e" % (name, curve[0], curve[-1]) for name, curve in curves if curve]
    if parts:
        lines += style.wrap("distance of the weights, first to last step: " + ", ".join(parts), "    ")
    if item.loss and item.reference_loss:
        text = "last loss %.6g, on the reference %.6g" % (item.loss[-1], item.reference_loss[-1])
        lines += style.wrap(text, "    ")
    return lines + (style.wrap(item.detail, "    ") if item.detail else [])


def _row(style: Style, label: str, text: str) -> List[str]:
    start = label.ljust(11)
    return style.wrap(text or "-", start, " " * len(start))


def _verdict(comparison: Comparison, style: Style) -> List[str]:
    kind = "good" if comparison.agrees else "error"
    line = headline(comparison) + _amounts(comparison) + "."
    return [style.paint(text, kind) for text in style.wrap(line, "")]
