"""A comparison of devices, in one line and as a report; and what it found: which device, layer or quantity is wrong."""

import re
import sys
import textwrap
from typing import Any, Dict, List, Sequence, Tuple

from ..measure.numerics.result import VERDICTS, Comparison, Difference, Divergence
from .amounts import count, grouped, relative, worst_first
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


_WRONG = ("differs", "failed")

#: What is recognized in a wrong array (`devicekit.measure.numerics.recognize`), and the same as the rest of a sentence.
_PATTERNS = (
    (r"the right result times (\S+)", r"is the right one times \1"),
    (r"the right result plus (\S+)", r"is the right one plus \1"),
    (r"zeros", "is zero"),
    (r"wrong sign", "has the wrong sign"),
    (r"stale: equal to an input or earlier result", "is stale: it equals an input or an earlier result"),
    (r"((?:NaN|infinity) in \d+ elements?)", r"has \1"),
    (r"infinity of the wrong sign", "has infinities of the wrong sign"),
    (r"(finite numbers where \S+ is right)", r"has \1"),
    (r"(clipped at .+?)(?:;|$)", r"is \1"),
    (r"(shifted by .+?)(?:;|$)", r"is \1"),
    (r"(axes \d+ and \d+ transposed)", r"has \1"),
    (r"(reversed along axis \d+)", r"is \1"),
    (r"(the right numbers in another order)", r"has \1"),
    (r"wrong (only in .+?)(?:;|$)", r"is wrong \1"),
)


def headline(comparison: Comparison) -> str:
    """Return what was found in a sentence without a full stop; the first of several wrong results, by order of computation."""
    wrong = [item for item in comparison.differences if item.verdict == "differs" and item.kind != "model"]
    wrong = wrong or [item for item in comparison.differences if item.verdict == "differs"]
    failed = [item for item in comparison.differences if item.verdict == "failed"]
    astray = [item for item in comparison.divergences if item.verdict in _WRONG]
    if wrong:
        return "%s%s" % (_upper(described(wrong[0])), _more(wrong))
    if failed:
        return "%s could not be computed on %s%s" % (_upper(_subject(failed[0])), failed[0].device, _more(failed))
    if astray:
        return _training(astray)
    judged = [item for item in comparison.differences if item.verdict != "not-compared"]
    judged_training = [item for item in comparison.divergences if item.verdict != "not-compared"]
    if not judged and not judged_training:
        return "Nothing was compared with the reference"
    devices = list(comparison.devices) or ["nothing"]
    missing = [item for item in comparison.divergences if item.verdict == "unsupported"]
    agree = "%s %s with the reference" % (_listed(devices), "agrees" if len(devices) == 1 else "agree")
    if missing:
        return "Training with %s needs an operation that %s does not have" % (_optimizers(missing), missing[0].device)
    return _upper(agree)


def rest_of(comparison: Comparison) -> str:
    """Return what agrees besides, and what helps, in sentences; "" if all agrees."""
    if comparison.agrees:
        return ""
    parts = []
    for device in comparison.devices:
        own = [item for item in comparison.differences if _names(item, device) and item.verdict != "not-compared"]
        trained = [item for item in comparison.divergences if _names(item, device)]
        verdicts = [item.verdict for item in own] + [item.verdict for item in trained]
        if own and not any(verdict in _WRONG for verdict in verdicts):
            parts.append("%s agrees in all %s." % (_upper(device), count(len(own), "comparison")))
    fixes = [fix.text for item in comparison.findings if item.severity == "error" for fix in item.fix]
    if fixes:
        parts.append("What helps: %s." % fixes[0].rstrip("."))
    return " ".join(parts)


def described(item: Difference) -> str:
    """Return what is wrong in a result: ``the filter gradient of conv (Conv2D) on gpu:0 is the right one times 100``."""
    return "%s on %s %s" % (_subject(item), item.device, _pattern(item))


def _subject(item: Difference) -> str:
    """Return which quantity of which layer.

    >>> layer = Difference("gradient", "block/conv", "Conv2D", "gradient of kernel", "gpu:0", "tensorflow", "differs")
    >>> _subject(layer), _subject(layer.replace(what="output"))
    ('the filter gradient of block/conv (Conv2D)', 'the output of block/conv (Conv2D)')
    """
    what, _, call = item.what.partition(", call ")
    if what == "gradient of kernel" and "conv" in item.operation.lower():
        what = "filter gradient"
    else:
        what = re.sub(r"^gradient of (kernel|bias)$", r"\1 gradient", what)
    what += " (call %s)" % call if call else ""
    operation = " (%s)" % item.operation if item.operation and item.operation not in item.name else ""
    if item.kind == "model":
        return "the %s of the whole model" % (what or "result")
    return "the %s of %s%s" % (what, item.name, operation) if what else "%s%s" % (item.name, operation)


def _pattern(item: Difference) -> str:
    for pattern, text in _PATTERNS:
        found = re.search(pattern, item.detail)
        if found:
            return found.expand(text)
    measure = item.measure
    if measure is None:
        return "is wrong" + (": %s" % item.detail if item.detail else "")
    if measure.nonfinite:
        return "is not finite in %s" % count(measure.nonfinite, "element")
    figures = (relative(measure.max_relative_error), relative(measure.tolerance))
    return "is wrong by up to %s of its size, where rounding explains %s" % figures


def _names(item: object, device: str) -> bool:
    """Return whether a device of `Comparison.devices` is meant, which may have a framework in front."""
    own: Tuple[str, str] = (getattr(item, "device", ""), getattr(item, "framework", ""))
    return device in (own[0], "%s %s" % (own[1], own[0]))


def _more(items: Sequence[Difference]) -> str:
    """Return what else is wrong: other quantities of the layer, other layers, other devices."""
    first = items[0]
    same = [item for item in items if item.device == first.device]
    layers = list(dict.fromkeys(item.name for item in same))
    whats = {item.what for item in same if item.name == first.name}
    parts = []
    if len(whats) > 1:
        parts.append("%s of it" % count(len(whats) - 1, "other result"))
    if len(layers) > 1:
        parts.append(count(len(layers) - 1, "other layer"))
    others: Dict[str, None] = dict.fromkeys(item.device for item in items if item.device != first.device)
    parts += ["results on %s" % device for device in others]
    return "; also wrong: %s" % _listed(parts) if parts else ""


def _training(astray: List[Divergence]) -> str:
    device = astray[0].device
    names = _optimizers([item for item in astray if item.device == device])
    if all(item.verdict == "failed" for item in astray):
        return "Training with %s fails on %s" % (names, device)
    first = min((item.first_step for item in astray if item.first_step is not None), default=1)
    text = "Training with %s on %s leaves the CPU's path at step %d, though each layer alone agrees"
    return text % (names, device, first)


def _optimizers(items: Sequence[Divergence]) -> str:
    return _listed(list(dict.fromkeys(item.label for item in items)))


def _listed(texts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def _upper(text: str) -> str:
    return text if re.match(r"(cpu|gpu|tpu)\b", text) else text[:1].upper() + text[1:]
