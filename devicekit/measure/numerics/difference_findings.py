"""What follows from differences: findings with their figures and with fixes that help."""

from typing import Dict, Iterable, List, Optional, Sequence, Tuple, TypeVar

from ...diagnosis.commands import this_shell
from ...diagnosis.findings import Evidence, Finding, Fix, Kind
from ...diagnosis.frameworks import TITLES
from ...logs.errors import classify_error
from .result import Difference, Divergence, LeftToCpu, amount

_Item = TypeVar("_Item")

#: Layers or operations that get a finding of their own, for each device; the others are named in one more.
_MOST = 8

#: Lines of evidence in one finding.
_LINES = 8

_NO_TF32 = this_shell().set_fix(
    "Set it in the environment, for every framework on an NVIDIA GPU", "NVIDIA_TF32_OVERRIDE", "0", instead=True
)

#: What turns reduced precision off, by framework.
_FULL_PRECISION: Dict[str, Tuple[Fix, ...]] = {
    "tensorflow": (
        Fix(
            "Compute in full float32, before anything else: tf.config.experimental.enable_tensor_float_32_execution(False)",
            changes="code",
        ),
        _NO_TF32,
    ),
    "tensorflow1": (this_shell().set_fix("Compute in full float32 on an NVIDIA GPU", "NVIDIA_TF32_OVERRIDE", "0"),),
    "torch": (
        Fix(
            "Compute in full float32: torch.set_float32_matmul_precision('highest') for matrix products, "
            "torch.backends.cudnn.allow_tf32 = False for convolutions",
            changes="code",
        ),
        _NO_TF32,
    ),
    "jax": (
        Fix("Compute in full float32: jax.config.update('jax_default_matmul_precision', 'highest')", changes="code"),
        this_shell().set_fix("Set it in the environment", "JAX_DEFAULT_MATMUL_PRECISION", "highest", instead=True),
    ),
}
_ONEDNN = this_shell().unset_all_fix(
    ("ONEDNN_DEFAULT_FPMATH_MODE", "TF_SET_ONEDNN_FPMATH_MODE"),
    "oneDNN computes in a coarser arithmetic because a variable allows it: unset it",
)


def findings(
    differences: Sequence[Difference],
    divergences: Sequence[Divergence] = (),
    left_to_cpu: Sequence[LeftToCpu] = (),
) -> Tuple[Finding, ...]:
    """Return the findings that follow from what was compared, and from what was tried to make it right.

    Returns
    -------
    tuple of Finding
        ``numerics-divergent``: an error for each layer or operation that is wrong on a device, in the order of computation,
        and one for training that goes astray; for reduced precision one for each device and arithmetic.
        ``op-unsupported``: one for each device, with all operations; ``out-of-memory`` if that is why something failed.
    """
    found: List[Finding] = []
    targets = [(item.device, item.framework) for item in differences]
    targets += [(item.device, item.framework) for item in divergences]
    for target in _unique(targets):
        own = [item for item in differences if (item.device, item.framework) == target]
        left = next((item for item in left_to_cpu if (item.device, item.framework) == target), None)
        found += _wrong(target, [item for item in own if item.verdict == "differs"], left)
        found += _training(target, [item for item in divergences if (item.device, item.framework) == target], left)
        found += _cannot(target, [item for item in own if item.verdict in ("unsupported", "failed")], left)
        reduced = [item for item in own if item.verdict == "reduced-precision"]
        if any(item.verdict == "differs" and item.kind != "model" for item in own):
            # What a wrong layer leaves in the whole model may look like any arithmetic.
            reduced = [item for item in reduced if item.kind != "model"]
        for arithmetic in _unique(item.arithmetic for item in reduced):
            found.append(_reduced(target, arithmetic, [item for item in reduced if item.arithmetic == arithmetic]))
    order = ("error", "warning", "info")
    return tuple(sorted(found, key=lambda item: order.index(item.severity)))


def _unique(items: Iterable[_Item]) -> List[_Item]:
    return list(dict.fromkeys(items))


def _wrong(target: Tuple[str, str], items: Sequence[Difference], left: Optional[LeftToCpu]) -> List[Finding]:
    """One finding for each layer or operation; the whole model only where no part of it is wrong."""
    parts = [item for item in items if item.kind != "model"] or list(items)
    places = _unique((item.name, item.operation) for item in parts)
    made = []
    for name, operation in places[:_MOST]:
        own = [item for item in parts if (item.name, item.operation) == (name, operation)]
        summary = "%s computes %s wrong on %s with %s." % ((_label(name, operation), _several(own)) + target)
        evidence = [Evidence(_figures(item), item.ran_on or "measured") for item in _worst_first(own)]
        made.append(
            Kind("numerics-divergent", "error", _blocks(target)).finding(
                summary,
                tuple(evidence[:_LINES]),
                _mend(target, name, own, left),
            )
        )
    rest = places[_MOST:]
    if rest:
        names = ", ".join(_label(*place) for place in rest[:_LINES])
        more = " and %d more" % (len(rest) - _LINES) if len(rest) > _LINES else ""
        summary = "%d more computations are wrong on %s with %s." % ((len(rest),) + target)
        made.append(
            Finding(
                "numerics-divergent",
                "error",
                summary,
                (Evidence(names + more, "measured"),),
                _mend(target, "", items, left),
            )
        )
    return made


def _label(name: str, operation: str) -> str:
    return name if name == operation or not operation else "%s (%s)" % (name, operation)


def _several(items: Sequence[Difference]) -> str:
    whats = _unique(item.what for item in items)
    return ", ".join(whats[:3]) + (" and %d more" % (len(whats) - 3) if len(whats) > 3 else "")


def _worst_first(items: Sequence[Difference]) -> List[Difference]:
    return sorted(items, key=lambda item: -_ratio(item))


def _ratio(item: Difference) -> float:
    """Return an error in tolerances; a wrong shape is worse than any."""
    if item.measure is None:
        return float("inf")
    return item.measure.max_relative_error / max(item.measure.tolerance, 5e-324)


def _figures(item: Difference) -> str:
    measure = item.measure
    if measure is None:
        return "%s: %s" % (item.what, item.detail)
    nonfinite = ", %d elements not finite on one side" % measure.nonfinite if measure.nonfinite else ""
    text = "%s in %s: relative error %.2g at most and %.2g on average, %s ULP, cosine %.6f%s; %.2g is allowed" % (
        item.what,
        measure.dtype,
        measure.max_relative_error,
        measure.mean_relative_error,
        amount(measure.max_ulp),
        measure.cosine,
        nonfinite,
        measure.tolerance,
    )
    return text + (": %s" % item.detail if item.detail else "")


def _blocks(target: Tuple[str, str]) -> Tuple[str, ...]:
    return (target[0],) if target[0].startswith("gpu:") else ()


def _on_cpu(
    target: Tuple[str, str], what: str, items: Sequence[Difference], left: Optional[LeftToCpu]
) -> Tuple[Fix, ...]:
    """Return the fix that leaves something to the CPU; anyone who trains needs the gradient there as well.

    TensorFlow does not place a gradient by the scope of the forward pass (a wrong one stays as wrong, eager and compiled),
    and JAX compiles a training step for one device: `devicekit.on_cpu` moves both, and is advised if the model was right
    with it.
    """
    if target[0] == "cpu":
        return ()
    if left is not None and left.agrees:
        names = ", ".join(left.layers[:_LINES]) + (" and all others" if len(left.layers) > _LINES else "")
        cost = "" if left.slowdown is None else "; a forward and backward pass takes %.2g times as long" % left.slowdown
        text = "Let the CPU compute %s, and its gradient: devicekit.on_cpu(layer) in its place. Compared again, all agrees%s"
        return (Fix(text % (names, cost), changes="code"),)
    if left is not None:
        text = "Meanwhile train this model on the CPU: devicekit.auto('cpu'). devicekit.on_cpu(layer) does not help: %s"
        return (Fix(text % left.detail, changes="code"),)
    if any(item.kind == "function" for item in items):
        text = "Meanwhile let the CPU compute %s: with devicekit.device_scope('cpu') around it, and around its gradient"
        return (Fix(text % what, changes="code"),)
    text = "Meanwhile use the CPU for this model: devicekit.auto('cpu'); a device_scope moves no gradients"
    return (Fix(text, changes="code"),)


def _platform(device: str, items: Sequence[Difference]) -> str:
    """Return what drives a device, as far as its name and the framework's name for it say so; "" if they do not."""
    names = " ".join([device] + [item.ran_on for item in items]).lower()
    if "dml" in names or "directml" in names:
        return "directml"
    return "metal" if "metal" in names or "mps" in names else ""


def _mend(
    target: Tuple[str, str], name: str, items: Sequence[Difference], left: Optional[LeftToCpu]
) -> Tuple[Fix, ...]:
    """Return fixes, by what drives the device, as far as that is known."""
    device, platform = target[0], _platform(target[0], items)
    if platform == "directml":
        first = _shown("Update the GPU's driver, and take the releases that go together", "resolve", "directml")
    elif platform == "metal":
        first = _shown("Update macOS, and take the releases that go together", "resolve", "metal")
    elif device == "cpu":
        return (
            this_shell().set_fix(
                "Compute without oneDNN's optimizations, and see whether it is they", "TF_ENABLE_ONEDNN_OPTS", "0"
            ),
            Fix(
                "Update the framework; with overclocked or failing memory results change from run to run", instead=True
            ),
        )
    else:
        # Kernels are part of the framework: until July 2026 PyTorch had a wrong one for NVIDIA (pytorch/pytorch#188344).
        kernels = TITLES.get(target[1], target[1]) + ", whose kernels these are, or else the device's driver"
        first = _shown("Update %s, and see whether the device as a whole is sound" % kernels, "verify")
    on_cpu = _on_cpu(target, name or "these layers", items, left)
    return on_cpu + (first,) if left is not None and left.agrees else (first,) + on_cpu


def _shown(text: str, *words: str) -> Fix:
    return this_shell().run_fix(text, "devicekit", *words)


def _reduced(target: Tuple[str, str], arithmetic: str, items: Sequence[Difference]) -> Finding:
    """Reduced precision is how a device is made or configured, and concerns many layers at once."""
    label = {"tf32": "TF32", "": "a coarser arithmetic"}.get(arithmetic, arithmetic)
    names = _unique(_label(item.name, item.operation) for item in items)
    more = " and %d more" % (len(names) - 4) if len(names) > 4 else ""
    summary = "%s with %s computes %s%s with reduced precision: as coarse as %s." % (
        target + (", ".join(names[:4]), more, label)
    )
    evidence = ["%s, %s" % (_label(item.name, item.operation), _figures(item)) for item in _worst_first(items)]
    # The switches are those of NVIDIA's GPUs, and no one has one for the others.
    fix = () if _platform(target[0], items) else _FULL_PRECISION.get(target[1], ())
    if target[0] == "cpu":
        fix = (_ONEDNN,)
    return Finding(
        "numerics-divergent",
        # TF32 is the default on NVIDIA's GPUs and trains as well as float32; eight bits are a choice to be made knowingly.
        "info" if arithmetic == "tf32" else "warning",
        summary,
        tuple(Evidence(text, "measured") for text in evidence[:_LINES]),
        fix or _on_cpu(target, "these layers", items, None),
    )


def _training(target: Tuple[str, str], items: Sequence[Divergence], left: Optional[LeftToCpu]) -> List[Finding]:
    missing = [item for item in items if item.verdict == "unsupported"]
    astray = [item for item in items if item.verdict in ("differs", "failed")]
    found = _no_kernel(target, missing) if missing else []
    compiled = [item for item in astray if item.compiled_by]
    fine = [item.optimizer for item in items if item.verdict == "agrees" and not item.compiled_by]
    if astray and len(compiled) == len(astray) and all(item.optimizer in fine for item in compiled):
        return found + [_only_compiled(target, compiled)]
    return found + (_astray(target, astray, left) if astray else [])


def _only_compiled(target: Tuple[str, str], items: Sequence[Divergence]) -> Finding:
    """Return the finding of trainings that are right one operation at a time, and wrong when a compiler has joined them."""
    by = items[0].compiled_by
    summary = "Training on %s with %s is wrong only when %s compiles the step." % (target + (by,))
    evidence = tuple(Evidence("%s: %s" % (item.label, item.detail), "measured") for item in items)
    text = (
        "Compile the model without XLA: jit_compile=False" if by == "XLA" else "Compile the model with run_eagerly=True"
    )
    fix = Fix(text + ", and compare again", changes="code")
    return Finding("numerics-divergent", "error", summary, evidence[:_LINES], (fix,), _blocks(target))


def _no_kernel(target: Tuple[str, str], items: Sequence[Divergence]) -> List[Finding]:
    """Return the finding of trainings that need an operation which the device does not have."""
    names = ", ".join(_unique(item.label for item in items))
    summary = "Training with %s needs an operation that %s does not have with %s." % ((names,) + target)
    evidence = tuple(Evidence("%s: %s" % (item.label, item.detail), "measured") for item in items)
    fix = Fix("Train this model on the CPU: devicekit.auto('cpu')", changes="code")
    return [Finding("op-unsupported", "error", summary, evidence[:_LINES], (fix,), _blocks(target))]


def _astray(target: Tuple[str, str], astray: Sequence[Divergence], left: Optional[LeftToCpu]) -> List[Finding]:
    names = ", ".join(_unique(item.label for item in astray))
    if all(item.verdict == "failed" for item in astray):
        summary = "Training with %s fails on %s with %s." % ((names,) + target)
    else:
        first = min((item.first_step for item in astray if item.first_step is not None), default=1)
        summary = "Training with %s on %s with %s leaves the CPU's path at step %d by more than rounding explains." % (
            (names,) + target + (first,)
        )
    evidence = tuple(Evidence("%s: %s" % (item.label, item.detail), "measured") for item in astray)
    return [
        Finding("numerics-divergent", "error", summary, evidence[:_LINES], _mend(target, "", (), left), _blocks(target))
    ]


def _cannot(target: Tuple[str, str], items: Sequence[Difference], left: Optional[LeftToCpu]) -> List[Finding]:
    """One finding for all that has no kernel or raised; another where memory was what lacked."""
    full = [item for item in items if classify_error(item.detail) == "out-of-memory"]
    missing = [item for item in items if item not in full]
    made = []
    if missing:
        elsewhere = [item for item in missing if item.verdict == "unsupported" and item.ran_on]
        raised = [item for item in missing if item not in elsewhere]
        parts = []
        if raised:
            parts.append("%s could not be computed" % _listed(raised))
        if elsewhere:
            places = ", ".join(_unique(item.ran_on for item in elsewhere))
            parts.append("%s ran on %s instead" % (_listed(elsewhere), places))
        summary = "%s with %s has not every operation: %s." % (target + ("; ".join(parts),))
        fix: Tuple[Fix, ...] = ()
        if raised:
            fix = _on_cpu(target, "these operations", raised, left)
            if target[1] == "tensorflow":
                fix = (Fix("Let TensorFlow place them on the CPU: tf.config.set_soft_device_placement(True)"),) + fix
            if target[1] == "torch" and _platform(target[0], items) == "metal":
                text = "Let PyTorch compute them on the CPU"
                fix = (this_shell().set_fix(text, "PYTORCH_ENABLE_MPS_FALLBACK", "1"),) + fix
        evidence = tuple(Evidence(_where(item), item.name) for item in missing)
        made.append(Finding("op-unsupported", "warning" if raised else "info", summary, evidence[: 2 * _LINES], fix))
    if full:
        summary = "%s has not enough memory for %s with %s." % (target[0], _several(full), target[1])
        evidence = tuple(Evidence(item.detail[:300], item.name) for item in full)
        fix = (Fix("End what else computes on the device, or compare with a smaller batch"),)
        made.append(Finding("out-of-memory", "warning", summary, evidence[:_LINES], fix))
    return made


def _listed(items: Sequence[Difference]) -> str:
    names = _unique(item.operation or item.name for item in items)
    return ", ".join(names[:_LINES]) + (" and %d more" % (len(names) - _LINES) if len(names) > _LINES else "")


def _where(item: Difference) -> str:
    ran = "ran on %s instead" % item.ran_on if item.ran_on and item.verdict == "unsupported" else "did not run"
    return "%s %s%s" % (item.what, ran, ": %s" % item.detail[:300] if item.detail else "")
