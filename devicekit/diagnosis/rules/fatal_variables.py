"""Environment variables with a value at which a framework gives up."""

import re
from typing import Dict, Iterable, Iterator, List, Optional, Tuple

from ...matrix.matrix import version_at_least
from .. import pages
from ..findings import Evidence, Finding, Fix, Kind
from ..view import View
from .jax_plugins import jax_fatal_variable
from .keras import backend, keras_version
from .registry import UNLOADABLE, rule

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
    yield from jax_fatal_variable(view)
    yield from _of_keras_and_torch(view)
    if not view.has_tensorflow or view.tensorflow_row is None:
        return
    yield from _other_library(view)
    for name, reason, what, blocks in _fatal_values(view):
        severity = "error" if blocks else "warning"
        url = pages.XLA_FLAGS if name == "TF_XLA_FLAGS" else ""
        yield _fatal(view, name, "%s: %s" % (reason, what), Kind("environment-variable-fatal", severity, blocks, url))
        return  # one is enough to stop TensorFlow; the next shows when it is gone


def _fatal(view: View, name: str, problem: str, kind: Kind) -> Finding:
    seen = Evidence("%s=%s" % (name, (view.machine.process.env(name) or "")[:120]), "environment")
    text = "Correct its value where you set it (shell profile, Dockerfile, notebook)"
    fixes = (view.shell.unset_fix(name, "Unset it"), Fix(text, changes="variables", instead=True))
    return kind.finding("%s %s." % (name, problem), (seen,), fixes)


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
                yield _fatal(view, name, "is no whole number: Keras cannot be imported", Kind(code, "error", blocks))
    for name in ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"):
        if (
            torch
            and version_at_least(torch.partition("+")[0], "2.13")
            and re.match(r"\s*\w+\s*(?:$|[=,])", env(name) or "")
        ):
            problem = "does not begin with a setting and its value (expandable_segments:True): PyTorch ends the process"
            yield _fatal(view, name, problem + " at its import", Kind(code, "error", ("torch",)))
    device = env("KERAS_TORCH_DEVICE") or ""
    if torch and version_at_least(keras_version(view) or "", "3.14") and backend(view).name == "torch":
        kind = Kind(code, "error", ("keras.fit",))
        if device and not re.fullmatch(r"(?:cpu|cuda|mps|xpu|xla|hpu|mtia|privateuseone)(?::\d+)?", device):
            yield _fatal(view, "KERAS_TORCH_DEVICE", "names '%s', which is no device of PyTorch" % device[:20], kind)
        elif device.startswith("cuda") and not (process.wsl.or_none() or view.vendor("nvidia") or view.vendor("amd")):
            yield _fatal(view, "KERAS_TORCH_DEVICE", "names '%s', and this machine has no such GPU" % device[:20], kind)


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
