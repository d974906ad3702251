"""Environment variables with a value at which a framework gives up."""

import re
from typing import Dict, Iterable, Iterator, List, Optional, Tuple

from ...matrix.matrix import version_at_least
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind
from ..view import View
from .frameworks import is_there
from .jax_plugins import unavailable_name, unavailable_platform
from .keras import backend, keras_version
from .measured import taken_along, with_taken_along
from .registry import UNLOADABLE, rule
from .several_gpus import wrong_for_nccl

_BROKEN = (
    *UNLOADABLE, "framework-missing", "python-unsupported", "platform-unsupported", "install-corrupt",
    "distributions-conflict", "module-shadowed", "keras-incompatible", "numpy-incompatible", "protobuf-incompatible",
    "dependency-incompatible", "plugin-version-mismatch", "wsl-without-gpu",
)  # fmt: skip


@rule("environment-variable-fatal", hidden_by=_BROKEN)
def environment_variable_fatal(view: View) -> Iterable[Finding]:
    """A variable has a value at which TensorFlow gives up: by an exception, or by killing the process."""
    problem = view.machine.python.problem
    if problem:
        yield Kind("environment-variable-fatal", "error", ("tensorflow", "keras", "jax", "torch")).finding(
            "%s leads Python to a standard library that is not its own: nothing can be imported." % problem,
            (Evidence("%s=%s" % (problem, view.machine.process.env(problem) or ""), "environment"),),
            (view.shell.unset_fix(problem, "Unset it: an environment finds its standard library by itself"),),
        )
        return
    yield from _of_jax(view)
    yield from _of_keras_and_torch(view)
    yield from _of_tensorflow(view)
    for name, what in wrong_for_nccl(view):
        kind = Kind("environment-variable-fatal", "warning", (), pages.NCCL)
        yield _fatal(view, name, "%s %s." % (name, what), kind)


def _of_tensorflow(view: View) -> Iterator[Finding]:
    if not view.has_tensorflow or view.tensorflow_row is None:
        return
    yield from _other_library(view)
    for name, reason, what, blocks in _fatal_values(view):
        severity = "error" if blocks else "warning"
        url = pages.XLA_FLAGS if name == "TF_XLA_FLAGS" else ""
        kind = Kind("environment-variable-fatal", severity, blocks, url)
        yield _fatal(view, name, "%s %s: %s." % (name, reason, what), kind)
        return  # one is enough to stop TensorFlow; the next shows when it is gone


_CORRECT = "Correct its value where you set it (shell profile, Dockerfile, notebook)"


def _fatal(view: View, name: str, summary: str, kind: Kind, other: str = _CORRECT) -> Finding:
    seen = Evidence("%s=%s" % (name, (view.machine.process.env(name) or "")[:120]), "environment")
    fixes = (view.shell.unset_fix(name, "Unset it"), Fix(other, changes="variables", instead=True))
    return kind.finding(summary, (seen,), fixes)


#: What JAX takes at its import, and the variables that it reads so (``jax/_src/config.py``; JAX 0.4.38 and 0.10.2 tried).
_OF_JAX = (
    (
        "true or false",
        "(?i)y|yes|t|true|on|1|n|no|f|false|off|0",
        "ENABLE_X64 DISABLE_JIT DEBUG_NANS DEBUG_INFS LOG_COMPILES ENABLE_COMPILATION_CACHE CHECK_TRACER_LEAKS",
    ),
    (
        "a whole number",
        r"\s*[+-]?\d[\d_]*\s*",
        "COMPILATION_CACHE_MAX_SIZE PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES",
    ),
    (
        "a number",
        r"(?i)\s*[+-]?(?:(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[+-]?\d+)?|inf(?:inity)?|nan)\s*",
        "PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS",
    ),
    # Each release has more names for pairs of types: F32_F32_F32.
    (
        "a precision such as default, high or highest",
        r"default|high(?:est)?|bfloat16(?:_3x)?|(?:tensor)?float32|fastest|[A-Z]+[\dA-Z_]*_[\dA-Z_]+",
        "DEFAULT_MATMUL_PRECISION",
    ),
    ("allow, warn or raise", "allow|warn|raise", "NUMPY_RANK_PROMOTION"),
    ("standard or strict", "standard|strict", "NUMPY_DTYPE_PROMOTION"),
    (
        "off, auto, tracebackhide or remove_frames",
        "off|tracebackhide|(?:quiet_)?remove_frames|auto",
        "TRACEBACK_FILTERING",
    ),
    ("DEBUG, INFO, WARNING, ERROR or CRITICAL", "NOTSET|DEBUG|INFO|WARNING|ERROR|CRITICAL", "LOGGING_LEVEL"),
)


def _of_jax(view: View) -> Iterator[Finding]:
    """A variable at which JAX raises: at its import, or as soon as it needs a device."""
    if not is_there(view, "jax"):
        return
    env, code = view.machine.process.env, "environment-variable-fatal"
    for good, pattern, names in _OF_JAX:
        for name in ("JAX_" + item for item in names.split()):
            value = env(name)
            if value is not None and not re.fullmatch(pattern, value):
                blocks = ("jax",) + taken_along(view, ("jax",), "ValueError")
                text = "%s is '%s', which is not %s: JAX cannot be imported." % (name, value[:20], good)
                kind = Kind(code, "error", blocks, pages.JAX_VARIABLES)
                yield _fatal(view, name, with_taken_along(text, blocks), kind, "Set it to %s" % good)
    name, reason = "JAX_PLATFORMS", unavailable_platform(view)
    if not reason:
        name, reason = "JAX_PLATFORM_NAME", unavailable_name(view, (env("JAX_PLATFORM_NAME") or "").lower())
    kind = Kind(code, "error", ("jax.devices",), pages.JAX_VARIABLES)
    if reason:
        text = "%s %s: JAX raises an exception as soon as it needs a device." % (name, reason)
        good = "platforms that exist here, such as cpu or cuda,cpu" if name == "JAX_PLATFORMS" else "cpu"
        yield _fatal(view, name, text, kind, "Set it to %s" % good)
    problem = _unknown_flag(view)
    if problem:
        text = "XLA_FLAGS %s: JAX aborts the process as soon as it needs a device." % problem
        yield _fatal(view, "XLA_FLAGS", text, kind, "Correct it: each flag begins with --xla_")


def _unknown_flag(view: View) -> str:
    """What of XLA_FLAGS jaxlib does not take, "" if nothing is known against it (seen with JAX 0.10)."""
    named = dict(view.machine.process.named_files.or_none() or ())
    if named.get("XLA_FLAGS") is False:
        return "does not start with a dash, and is not the name of a file either"
    flags = [flag.partition("=")[0] for flag in split_flags(view.machine.process.env("XLA_FLAGS") or "")]
    unknown = [flag for flag in flags if named.get(flag) is False or flag.startswith("--tf_")]
    return "contains the flag %s, which this jaxlib does not know" % unknown[0][:60] if unknown else ""


def _of_keras_and_torch(view: View) -> Iterator[Finding]:
    """Values at which Keras from 3.10 on, or PyTorch (2.13 and 2.15 tried), gives up."""
    process, code = view.machine.process, "environment-variable-fatal"
    env = process.env
    torch = view.machine.python.version_of("torch")
    for name in ("KERAS_MAX_EPOCHS", "KERAS_MAX_STEPS_PER_EPOCH"):
        value = env(name)
        if value is not None and version_at_least(keras_version(view) or "", "3.10"):
            if not re.fullmatch(r"\s*[+-]?\d+\s*", value):
                blocks = ("keras", "tensorflow") if view.has_tensorflow else ("keras",)
                text = "%s is not a whole number: Keras cannot be imported." % name
                yield _fatal(view, name, text, Kind(code, "error", blocks))
    for name in ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"):
        if (
            torch
            and version_at_least(torch.partition("+")[0], "2.13")
            and re.match(r"\s*[\w<>]+\s*(?:$|[=,])", env(name) or "")  # <1>: a word that a snapshot masks
        ):
            text = "%s does not begin with a setting and its value (expandable_segments:True)" % name
            text += ": PyTorch ends the process at its import."
            yield _fatal(view, name, text, Kind(code, "error", ("torch",)))
    name = "KERAS_TORCH_DEVICE"
    device = env(name) or ""
    if torch and version_at_least(keras_version(view) or "", "3.14") and backend(view).name == "torch":
        kind = Kind(code, "error", ("keras.fit",))
        if device and not re.fullmatch(r"(?:cpu|cuda|mps|xpu|xla|hpu|mtia|privateuseone)(?::\d+)?", device):
            yield _fatal(
                view, name, "%s names '%s', which PyTorch does not know as a device." % (name, device[:20]), kind
            )
        elif device.startswith("cuda") and not (process.wsl.or_none() or view.vendor("nvidia") or view.vendor("amd")):
            yield _fatal(view, name, "%s names '%s', and this machine has no such GPU." % (name, device[:20]), kind)


def _other_library(view: View) -> Iterable[Finding]:
    """LD_LIBRARY_PATH leads to the library of another minor release: seen to fail from 2.10 to 2.21, the same one to work."""
    process = view.machine.process
    for path, same in process.named_files.or_none() or ():
        folder, _, name = path.rpartition("/")
        if same or not name.startswith("libtensorflow") or not version_at_least(view.tensorflow_version or "", "2.10"):
            continue
        kept = [
            part for part in (process.env("LD_LIBRARY_PATH") or "").split(":") if part.rstrip("/") not in ("", folder)
        ]
        text = "Take the folder out of LD_LIBRARY_PATH: TensorFlow finds its own library"
        yield Kind("environment-variable-fatal", "error", ("tensorflow",)).finding(
            "LD_LIBRARY_PATH leads to the %s of another release: TensorFlow's import fails." % name,
            (Evidence(path, "LD_LIBRARY_PATH"), Evidence("undefined symbol")),
            (view.shell.only_folders_fix(text, "LD_LIBRARY_PATH", kept),),
        )


#: Name of the variable, what is wrong with it, what happens then, and what that blocks.
_Fatal = Tuple[str, str, str, Tuple[str, ...]]


def _fatal_values(view: View) -> Iterator[_Fatal]:
    process, version = view.machine.process, view.tensorflow_version or ""
    if optimizes_docstrings(process.env("PYTHONOPTIMIZE")) and version_at_least(version, "2.21") is False:
        reason = "removes the docstrings, which this TensorFlow changes at its import"
        yield "PYTHONOPTIMIZE", reason, "TensorFlow's import fails", ("tensorflow",)
    if warnings_may_fail(view):
        reason = "turns warnings into exceptions"
        yield "PYTHONWARNINGS", reason, "the import of this TensorFlow fails at any that its dependencies give", ()
    named = dict(process.named_files.or_none() or ())  # what is not known to be gone may be there
    # Seen from 2.20 on; 2.10 does not read it.
    if named.get("TF_PLUGGABLE_DEVICE_LIBRARY_PATH") is False and version_at_least(version, "2.20"):
        reason, what = "names a file or folder that does not exist", "TensorFlow's import fails"
        yield "TF_PLUGGABLE_DEVICE_LIBRARY_PATH", reason, what, ("tensorflow",)
    if version_at_least(version, "2.0") is False:
        return  # 1.15 ignores what it does not know
    aborts = "TensorFlow can be imported, but aborts the process when it lists its devices"
    blocks: Tuple[str, ...] = ("tensorflow.devices",)
    if view.machine.python.plugins.or_none():
        aborts, blocks = "TensorFlow aborts the process at its import, when a plug-in is registered", ("tensorflow",)
    for name in ("TF_XLA_FLAGS", "TF_JITRT_FLAGS"):
        value = process.env(name)
        if not value:
            continue
        if not value.strip().startswith("-"):
            if named.get(name) is False:
                yield name, "does not start with a dash, and is not the name of a file either", aborts, blocks
            continue
        problem = _flag_problem(value, view.matrix.flags(name), bool(version_at_least(version, "2.20")))
        if problem and (name == "TF_XLA_FLAGS" or version_at_least(version, "2.10")):
            yield name, problem, aborts, blocks
    value = process.env("TF_DETERMINISTIC_OPS") or "1"
    if value.lower() not in ("0", "1", "true", "false") and version_at_least(version, "2.10"):
        reason = "is neither true nor false"
        yield "TF_DETERMINISTIC_OPS", reason, "TensorFlow aborts the process in training", ("keras.fit",)
    value = process.env("XLA_FLAGS") or ""
    later = "XLA aborts the process when it compiles something (jit_compile=True)"
    if named.get("XLA_FLAGS") is False:
        yield "XLA_FLAGS", "does not start with a dash, and is not the name of a file either", later, ()
    stray = [flag for flag in split_flags(value) if flag.startswith("--tf_")]
    if stray:
        yield "XLA_FLAGS", "contains %s, which belongs in TF_XLA_FLAGS" % stray[0].partition("=")[0], later, ()


def optimizes_docstrings(value: Optional[str]) -> bool:
    """Return whether PYTHONOPTIMIZE is 2 or more: any other text counts as 1. Seen to fail: TensorFlow 1.15 to 2.20."""
    return value is not None and value.strip().isdigit() and int(value) >= 2


def warnings_may_fail(view: View) -> bool:
    """Return whether PYTHONWARNINGS makes deprecations exceptions, under a TensorFlow whose import gives some.

    Seen to fail for 1.15 to 2.14, 2.16 and 2.17, and to work for 2.15 and from 2.18 on: up to 2.17 it is a matter of the
    releases of NumPy and others, and of Python.
    """
    value = view.machine.process.env("PYTHONWARNINGS") or ""
    fatal = [part.split(":") for part in value.split(",") if part.strip().startswith("error")]
    about = [item[2] if len(item) > 2 else "" for item in fatal]
    version = view.tensorflow_version or ""
    older = version_at_least(version, "2.18") is False and not version.startswith("2.15.")
    return older and any(name in ("", "Warning", "DeprecationWarning") for name in about)


#: A flag with a quoted value, or any other word.
_FLAG = re.compile(r"""(?:([\w-]+=)(?:'([^']*)'?|"([^"]*)"?)|\S+)\s*""")


def split_flags(value: str) -> List[str]:
    """The flags of a variable as XLA splits them (parse_flags_from_env.cc): up to the first word without a dash."""
    found = []
    rest = value.strip()
    while rest.startswith("-"):
        match = _FLAG.match(rest)
        assert match is not None  # a dash is no white space
        name, single, double = match.groups()
        found.append(match.group().strip() if name is None else name + (single or double or ""))
        rest = rest[match.end() :]
    return found


def _flag_problem(value: str, known: Dict[str, str], strict: bool) -> Optional[str]:
    """What is wrong with a variable's flags; ``strict``: this release also stops at values that do not parse."""
    for flag in split_flags(value):
        name, equals, text = flag[2:].partition("=") if flag.startswith("--") else (flag, "", "")
        takes = known.get(name)
        if takes is None or (takes != "switch" and not equals):
            return "contains the flag %s, which TensorFlow does not know%s" % (
                flag.partition("=")[0][:60],
                "" if takes is None else " without a value",
            )
        if not strict or not equals:
            continue
        if takes == "switch" and text.lower() not in ("true", "false", "1", "0"):
            return "gives %s the value '%s' instead of true or false" % (flag.partition("=")[0], text[:20])
        if takes == "number" and not re.match(r"-?\d+$", text):
            return "gives %s the value '%s', which is not a number" % (flag.partition("=")[0], text[:20])
        if name == "tf_xla_auto_jit" and not re.match(r"-?\d+$|fusible$|single-gpu\(-?\d+\)$", text):
            return "gives %s the value '%s', which does not exist" % (flag.partition("=")[0], text[:20])
    return None
