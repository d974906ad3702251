"""Measures one model on one device in this process, which must be a fresh one: the body of a worker."""

import os
import sys
from typing import Any, Callable, Dict, Optional, Tuple

from .models import model_named, resized
from .settings import apply_settings, threads_of
from .step_loop import Job, Loop
from .taking_steps import is_steady, meter_of, take_steps

Say = Callable[..., None]

#: What a task may leave out.
DEFAULTS: Dict[str, Any] = {
    "model": "resnet50",
    "device": "auto",
    "framework": None,
    "mode": "training",
    "precision": "float32",
    "xla": None,
    "batch_size": None,
    "num_batches": 100,
    "num_warmup_batches": 10,
    "input_pipeline": False,
    "seed": 0,
    "settings": None,
    "seconds": None,
    "min_batches": 3,
    "shape": None,
    "classes": None,
    "architecture": None,
    "keras": None,
    "memory": "grow",
}


def measure(task: Dict[str, Any], say: Say) -> Dict[str, Any]:
    """Measure one model on one device, and return the fields of a `devicekit.measure.Throughput` as plain data.

    Parameters
    ----------
    task : dict
        What `DEFAULTS` has; what is left out is taken from there. ``seconds``: after this many seconds of steps, warm-up
        included, no more are begun, but ``min_batches`` are taken in any case. ``settings``: see
        `devicekit.measure.benchmark.settings`. ``shape``, ``classes``: of another input than the model's own.
    say : callable
        Called with the stage, and in the stages "warm-up" and "measure" how many steps are done.

    Raises
    ------
    DeviceUnavailableError
        If the device is not in effect.
    Exception
        Whatever the framework raises.
    """
    task = dict(DEFAULTS, **task)
    selection, keras = set_up(task, say)
    framework = selection.framework or "none"
    say(stage="build")
    network, job, unit = prepare(keras, task)
    loop = loop_for(framework)(keras, network, job)
    taken = take_steps(loop, task, say, meter_of(selection.platform, _uuid(selection)))
    return {
        "model": task["model"],
        "device": selection.device,
        "framework": framework,
        "mode": task["mode"],
        "precision": task["precision"],
        "xla": loop.xla,
        "batch_size": job.batch_size,
        "unit": unit,
        "step_seconds": taken.seconds,
        "warmup_seconds": taken.warmup,
        "input_pipeline": job.input_pipeline,
        "memory_peak_bytes": loop.memory_peak(),
        "steady": is_steady(taken.seconds),
        "platform": selection.platform,
        "name": selection.name,
        "problem": "",
        "parameters": int(network.count_params()),
        "versions": _versions(framework, keras),
        "runs": [len(taken.seconds)],
        "load": taken.load,
        "under_load": taken.under_load,
        "loaded_steps": taken.loaded,
        "threads": threads_of(framework) if selection.platform == "cpu" else None,
        "flops_per_step": loop.flops_per_step(),
        "peak_flops": _peak(selection, task),
        "energy_joules": taken.energy_joules,
    }


def _uuid(selection: Any) -> str:
    """Return the driver's identifier of a device, "" if it is not known."""
    from ...diagnosis.diagnose import diagnose
    from ...machine.detect import real_machine

    candidates = diagnose(real_machine()).candidates_for(selection.framework)
    return next((item.uuid for item in candidates if item.device == selection.device), "")


def _peak(selection: Any, task: Dict[str, Any]) -> Optional[float]:
    """Return what the device can compute at most in the task's precision."""
    from ...matrix.gpu_names import peak_flops
    from ...matrix.matrix import BUNDLED

    precision = task["precision"].replace("mixed_", "")
    full = (task["settings"] or {}).get("tf32") is False or os.environ.get("NVIDIA_TF32_OVERRIDE") == "0"
    if precision == "float32" and not full:
        precision = "tf32"
    return peak_flops(selection.name, precision, BUNDLED)


def set_up(task: Dict[str, Any], say: Say) -> Tuple[Any, Any]:
    """Put the framework on the device, before anything is computed; return the `devicekit.Selection` and the Keras to take."""
    say(stage="import")
    selection = _put(task)
    framework = selection.framework or "none"
    apply_settings(framework, task["settings"] or {})
    keras = keras_for(framework, task["keras"])
    if task["precision"] != "float32":
        _set_precision(framework, task["precision"])
    return selection, keras


def _put(task: Dict[str, Any]) -> Any:
    from ...diagnosis.findings import name_of
    from ...errors import DeviceUnavailableError
    from ...runtime.decide import Options
    from ...runtime.pipeline import run

    framework = name_of(task["framework"]) if task["framework"] else None
    if framework in ("tensorflow", "jax", "torch") and "keras" not in sys.modules:
        os.environ["KERAS_BACKEND"] = framework
    options = Options(framework, memory=task["memory"], verify="never", seed=task["seed"], verbose=False)
    selection = run(task["device"], options)
    wanted = task["device"]
    if selection.framework is None:
        raise DeviceUnavailableError("no framework is installed here that could be measured", selection.findings)
    if selection.fallback and wanted != "auto":
        raise DeviceUnavailableError(
            "'%s' cannot be used with %s: %s" % (wanted, selection.framework, selection.reason), selection.findings
        )
    return selection


def _set_precision(framework: str, precision: str) -> None:
    from ...runtime.frameworks import adapter

    if framework == "tensorflow1":
        raise ValueError(
            "TensorFlow 1.15 takes no dtype policy for Keras: it can be measured with precision='float32' only"
        )
    adapter(framework).set_precision(precision)


def keras_for(framework: str, name: Any = None) -> Any:
    """The Keras that computes with the framework: of TensorFlow its own, ``tf.keras``."""
    from importlib import import_module

    if name in ("keras", "tf_keras"):
        return import_module(name)
    if framework in ("tensorflow", "tensorflow1"):
        import tensorflow as tf

        return tf.keras
    try:
        return import_module("keras")
    except ImportError as error:
        if error.name != "keras":  # Keras is there, and its backend is not
            raise
        raise ImportError("the models are made of Keras's layers: install it (pip install keras)") from error


def prepare(keras: Any, task: Dict[str, Any]) -> Tuple[Any, Job, str]:
    """Build the model and say what is to be done with it."""
    known = None if task["architecture"] else model_named(task["model"])
    if known is not None:
        from .building import build
        from .data import parts_of

        model = resized(known, task)
        network, logits = build(keras, model)
        parts, unit = parts_of(model), model.unit
        loss, optimizer, default = "logits" if logits else "probabilities", model.optimizer, model.batch_size
    else:
        from .building import load_own, parts_of_network, unit_of

        network = load_own(keras, task)
        parts = parts_of_network(network, task["shape"])
        loss, optimizer, default, unit = "squares", "momentum", 32, unit_of(parts)
    job = Job(
        mode=task["mode"],
        xla=task["xla"],
        batch_size=int(task["batch_size"] or default),
        parts=parts,
        loss=loss,
        optimizer=optimizer,
        input_pipeline=bool(task["input_pipeline"]),
        seed=int(task["seed"]),
        settings=dict(task["settings"] or {}),
    )
    return network, job, unit


def loop_for(framework: str) -> Callable[[Any, Any, Job], Loop]:
    """Return the class of the loop for a framework."""
    if framework == "jax":
        from .step_loop import JaxLoop

        return JaxLoop
    if framework == "torch":
        from .step_loop import TorchLoop

        return TorchLoop
    if framework == "tensorflow1":
        from .loops_tensorflow import TensorFlow1Loop

        return TensorFlow1Loop
    from .loops_tensorflow import TensorFlowLoop

    return TensorFlowLoop


def _versions(framework: str, keras: Any) -> Dict[str, str]:
    """Releases of what computed."""
    import platform

    found = {"python": platform.python_version(), "keras": str(getattr(keras, "__version__", ""))}
    for name in ("tensorflow", "jax", "jaxlib", "torch", "numpy"):
        module = sys.modules.get(name)
        if module is not None and (name == "numpy" or name[:3] == framework[:3]):
            found[name] = str(getattr(module, "__version__", ""))
    return found
