"""What a comparison found, as a diagnosis: which device, which layer, which quantity, and what is wrong with it."""

import re
from typing import Dict, List, Sequence, Tuple

from ..measure.numerics.result import Comparison, Difference, Divergence
from .amounts import count, relative

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
