"""The package whose file a traceback ends in, what it requires, and those in the user's own folder."""

import re
from typing import Mapping, Sequence, Tuple

from ...machine.host import Host
from ...machine.probe.distributions import normalize, parse_metadata, split_folder_name
from ...matrix.matrix import BUNDLED, accepts
from ...matrix.projects import sort_key
from ...matrix.queries import declared
from .installations import distribution_of
from .situation import Situation
from .steps import Steps

#: A file of an installed package, other than frameworks and what has its own steps.
ADD_ON = re.compile(
    r"(?:site|dist)-packages[\\/](?!tensorflow|keras[\\/]|tf_keras|google|numpy|torch|jax|transformers|object_detection|mrcnn)"
    r"([A-Za-z]\w+)[\\/]"
)


def importer(about: Situation) -> str:
    """The distribution whose file the traceback ends in, "" if that is not known: CuPy has one for each CUDA."""
    # There JAX or NumPy only says that it lacks a name.
    own = r"jax[\\/]_src[\\/]deprecations|-packages[\\/]numpy[\\/]__init__"
    frames = [path for path in about.known.frames if not re.search(own, path)]
    found = ADD_ON.search("".join(frames[-1:]))
    name = distribution_of(found.group(1)) if found else ""
    return next((item for item in about.packages if item.startswith("cupy")), "") if name == "cupy" else name


#: A package other than the framework in the folder of pip's --user; on Windows pip takes that by itself for some Pythons.
_OF_USER = (
    r"(?:/\.local/lib/python[\d.]+/site-packages/(?:google/)?(?!tensorflow|torch(?!vision|audio)|jax)"
    r"|Roaming\\Python\\Python\d+\\site-packages\\(?=torch[va]))(\w+)"
)


def from_user_site(about: Situation, steps: Steps) -> bool:
    """A package in the user's own folder hides the environment's, whose framework imports it; False if not."""
    frames, last = about.known.frames, about.known.frames[-1:]
    if "ctypes" in "".join(last):  # which an add-on of PyTorch loads its library with
        last = [path for path in frames if "extension" in path][-1:]
    found = None if about.jetson else re.search(_OF_USER, " ".join((*last, about.line)))
    outside = " ".join(path for path in frames if not re.search(r"/\.local/|\\Roaming\\", path))
    if not found or not re.search(r"-packages[\\/](?:tensorflow|keras|torch|jax)", outside):
        return False
    name, where = distribution_of(found.group(1)), "AppData\\Roaming" if about.windows else "~/.local"
    text = "%s in %s hides the environment's own: let Python not look there (python -s does the same)"
    steps.set(text % (name, where), "PYTHONNOUSERSITE", "1")
    if about.container or about.words & {"docker", "singularity"}:
        steps.say("Or do not mount the home folder into the container (Apptainer: --no-home)", instead=True)
    steps.install("Or uninstall the one in %s" % where, remove=[name], instead=True)
    return True


def not_bundled(about: Situation, steps: Steps) -> bool:
    """A module that PyInstaller did not pack."""
    found = re.search(r"No module named '?([a-z]\w*)", about.line)
    if found:
        steps.run("PyInstaller left it out: pack all of it", "pyinstaller --collect-all %s app.py" % found.group(1))
        steps.upgrade("Or update PyInstaller and its hooks", "pyinstaller", "pyinstaller-hooks-contrib", instead=True)
    return found is not None


def model_maker(about: Situation, steps: Steps) -> bool:
    """Google's model makers, which have ended; False for others."""
    found = re.search(r"(tflite|mediapipe)[-_]model[-_]maker", about.line + "".join(about.known.frames[-1:]))
    if found is None:
        return False
    # ScaNN's wheels end with Python 3.9, those of tensorflow-text for Windows with 3.10.
    python = "3.9" if found.group(1) == "tflite" else "3.10"
    if about.python and sort_key(about.python) <= sort_key(python):
        return False
    name = found.group(1) + "-model-maker"
    steps.new_environment(
        "What %s needs has wheels for Python %s: make an environment" % (name, python), python, [name]
    )
    return True


def update_importer(about: Situation, steps: Steps, name: str) -> None:
    """The package in whose file the traceback ends asks for what this release of the framework does not have."""
    title = about.title or "TensorFlow"
    if model_maker(about, steps):
        return
    if ".contrib" in about.line:
        text = "%s was written for TensorFlow 1, which has wheels up to Python 3.7: make an environment for it" % name
        steps.new_environment(text, "3.7", ["tensorflow==1.15.*", "protobuf<3.21", name])
        if name == "stable-baselines":
            steps.install("Or take what replaced it, on PyTorch", "stable-baselines3", instead=True)
        else:
            steps.upgrade("Or update %s, if a newer release is for TensorFlow 2" % name, name, instead=True)
        return
    text = "The traceback ends in a file of %s, which was written for another %s: update it" % (name, title)
    steps.upgrade(text, name)
    have = about.releases("tensorflow", "<2.16", "", about.python) if about.python else ()
    if "layers.experimental" in about.line and have and have[-1].version[:4] != "2.15":
        text = "Or install the newest TensorFlow for Python %s" % about.python
        steps.install(text, "tensorflow==%s" % have[-1].version, instead=True)
    elif "layers.experimental" in about.line and (have or not about.python):
        text = "Or install the last TensorFlow with Keras 2 (Python 3.9 to 3.11)"
        steps.install(text, "tensorflow==2.15.*", instead=True)
    else:
        steps.say("Or install the %s that this %s was released for" % (title, name), changes="packages", instead=True)


#: A file of an installed package; what NumPy, TensorFlow and PyTorch require has rules of its own.
_FILE = re.compile(r"(.*-packages[\\/])(?!numpy|tensorflow[\\/]|tensorflow_core|torch[\\/]|google)([A-Za-z]\w+)")

#: Of a METADATA file: its requirements come before its long description.
_LIMIT_BYTES = 1 << 16

#: What a release requires, and the versions that are there by name.
_Requires = Tuple[Sequence[str], Mapping[str, str]]


def _next_to(path: str, host: Host, name: str) -> _Requires:
    """Return what the metadata next to an installed file say; nothing if this machine has no such file.

    A log may come from another machine: only the file itself is looked for, and nothing over the network.
    """
    path = host.expand(path)
    if path[:2] in ("//", "\\\\") or not host.is_file(path):
        return (), {}
    folder = _FILE.match(path).group(1)  # type: ignore[union-attr]
    entries = [entry for entry in host.names_if_any(folder) if entry.endswith(".dist-info")]
    there = dict(map(split_folder_name, entries))
    own = next((entry for entry in entries if split_folder_name(entry)[0] == name), "")
    text = host.text_or_none(host.join(folder, own, "METADATA"), _LIMIT_BYTES) if own else None
    return parse_metadata(text or "")[2], there


def unmet_requirements(about: Situation, steps: Steps) -> None:
    """Put first what meets the requirements of the last package in the traceback."""
    known = about.known
    path = next((item for item in reversed(known.frames) if _FILE.match(item)), "")
    if not path:
        return
    name = distribution_of(_FILE.match(path).group(2))  # type: ignore[union-attr]
    there: Mapping[str, str] = known.packages
    requires: Sequence[str] = ()
    project, owner = BUNDLED.project(name), known.machine and known.machine.python.distribution(name)
    if known.here:
        from ...machine.live_host import LiveHost

        requires, there = _next_to(path, LiveHost(), name)
    elif owner:
        requires = owner.requires
    elif project is not None and there.get(name):
        release = project.release(there[name])
        requires = release.builds[0].requires if release is not None else ()
    unmet = {}
    for needed, bounds in declared([text for text in requires if about.python or ";" not in text], about.python):
        version, bounds = there.get(normalize(needed), ""), re.sub(r"[ ()]", "", bounds)
        if version and bounds and accepts(bounds, version) is False:
            unmet[needed + bounds] = "%s %s" % (needed, version)
    label = "%s %s" % (name, there.get(name))
    if unmet:
        others, steps.fixes = steps.fixes, []
        text = "In the traceback is a file of %s, which requires %s; there is %s"
        steps.install(text % (label, ", ".join(unmet), ", ".join(unmet.values())), *unmet)
        steps.add(*(fix.replace(instead=True) for fix in others[:1]), *others[1:])
    elif requires and about.code == "cause-unknown":
        steps.say("What %s requires is met: update it, or search its issues for the message" % label)
