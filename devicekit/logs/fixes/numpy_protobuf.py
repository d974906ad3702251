"""NumPy, ml_dtypes or protobuf is of a release that the framework does not work with."""

import re

from ...matrix.matrix import accepts, version_at_least
from ...matrix.projects import sort_key
from .installations import newest_beside
from .other_packages import importer
from .releases import older_release, repaired
from .situation import Situation
from .steps import Steps


def _exact(about: Situation, steps: Steps, wrong: str) -> bool:
    found = repaired(about, wrong)
    if found is None or not any(item.startswith(wrong + "=") for item in found):
        return _fitting(about, steps, wrong)
    text = "Install the %s that goes with %s on Python %s" % (wrong, about.label, about.python)
    steps.install(text, *found)
    return True


def _fitting(about: Situation, steps: Steps, wrong: str) -> bool:
    """The newest release of a dependency that is known to work with the framework, where Python is not known."""
    works = newest_beside(about, wrong)
    if works:
        steps.install("Install the newest %s that works with %s" % (wrong, about.label), "%s==%s" % (wrong, works))
    return bool(works)


def _bounds(about: Situation, field: str) -> str:
    row = about.row
    return str(getattr(row, field)) if row is not None else ""


#: The NumPy that brought a version of its C API (numpy/core/include/numpy/numpyconfig.h).
_NUMPY_OF_API = {"b": "1.13", "c": "1.14", "d": "1.16", "e": "1.20", "f": "1.22", "10": "1.23", "11": "1.25"}


def _numpy_of_api(about: Situation, steps: Steps) -> None:
    """NumPy is older than a package was compiled for; what was compiled with the headers of NumPy 1 does not run on 2."""
    since = _NUMPY_OF_API.get(about.groups["wanted"].lower().replace("0x", ""), "")
    bounds, steps.fixes = ">=%s,<2" % since, []
    if _exact(about, steps, "numpy"):
        packages = steps.fixes[-1].packages
        pins = [item[7:] for item in packages.install if item.startswith("numpy==")] if packages is not None else []
        if since and pins and not accepts(bounds, pins[0]):
            steps.fixes = []
            text = "%s goes with numpy up to %s: install the other package that the traceback names in an older release"
            steps.say(text % (about.label, pins[0]), changes="packages")
    elif since and about.releases("numpy", bounds, about.platform, about.python):
        steps.install("Install a newer NumPy 1, for which that package was compiled", "numpy" + bounds)
    else:
        steps.upgrade("Install a newer NumPy", "numpy")


def numpy_incompatible(about: Situation, steps: Steps) -> None:
    """NumPy of another generation than the framework was built for."""
    if about.signature == "pip-conflict-wants-numpy":
        rows, steps.fixes = steps.fixes, []
        steps.fixes += () if older_release(about, steps) else rows
        return
    if about.signature == "np-abi-version" and "older than" in about.summary:
        _numpy_of_api(about, steps)
        return
    if steps.fixes and (about.signature.startswith("pip-") or "older than" in about.summary):
        return
    # A name that is gone is in no newer NumPy, and this Python may have no older one.
    gone = about.signature.startswith(("np-removed", "np-former", "np-future")) and not about.may_install("numpy<1.24")
    if not steps.fixes and not gone and _exact(about, steps, "numpy"):
        return
    user = "numba" if "Numba" in about.summary else importer(about)
    text = "Or update the package that uses what NumPy no longer has"
    if user:
        steps.upgrade(text, user, instead=True)
    else:
        steps.say(text, changes="packages", instead=True)


def newer_numpy(about: Situation, steps: Steps) -> None:
    """NumPy is older than what a package was compiled with."""
    bounds = _bounds(about, "numpy")
    if "numpy._core" in about.line and about.is_at_least("2.16") is False and about.may_install("numpy>=1.26,<2"):
        steps.install("NumPy 1.26 is the last NumPy 1, and has numpy._core as well", "numpy==1.26.*")
    elif bounds and about.is_at_least("2.0"):
        steps.install("%s works with this NumPy" % about.label, "numpy%s" % bounds)
    else:
        steps.upgrade("Update NumPy to the newest that the framework supports", "numpy")


#: The protobuf whose descriptors first take, or have, what newer generated code passes to them.
_KEYWORDS = {"serialized_options": "3.6", "create_key": "3.12", "_internal_create_key": "3.12"}


def protobuf_incompatible(about: Situation, steps: Steps) -> None:
    """The generated code and protobuf are of different generations."""
    wanted, works = about.groups.get("wanted", ""), newest_beside(about, "protobuf")
    if about.groups.get("name", "").startswith("bases"):
        bounds = "==%s" % works if works else "<3.21"  # the one whose native part is called so
        steps.reinstall("Write protobuf's files again", "protobuf" + bounds)
        steps.say(
            "If it stays, uninstall it, delete what is left in google/protobuf of site-packages, and install again"
        )
        return
    asked = re.match(r"protobuf ?\(?([<>=!~][^ ;)]*)", wanted)
    if asked and about.framework != "tensorflow":
        package = about.groups.get("package", "the other package")
        steps.install("Install a protobuf that %s takes" % package, "protobuf" + asked.group(1))
        steps.upgrade("Or update %s" % package, package, instead=True)
        return
    wanted = re.sub(r"^[a-z]+[ (]*[<>=!~]*", "", wanted)
    newer = about.groups.get("name", "") == "runtime_version" or (wanted and sort_key(wanted) >= (5,))
    if newer:
        _newer_protobuf(about, steps, wanted or "5.26", works)
        return
    rows, steps.fixes = steps.fixes, []
    since = _KEYWORDS.get(about.groups.get("name", ""), "")
    if since and _older_first(about, steps, since):
        return
    if about.signature == "pb-descriptors" and about.framework == "tensorflow" and about.is_at_least("2.12"):
        # Its own code was generated for protobuf 4: another package's was not.
        if about.is_at_least("2.19") is False:
            text = "Install protobuf 3.20.3, which %s takes as well" % about.label
            steps.install(text, "protobuf==3.20.3")
        text = "Update the package whose *_pb2.py is in the traceback: that code was generated for protobuf 3"
        steps.say(text, changes="packages", instead=bool(steps.fixes))
        return
    if not _exact(about, steps, "protobuf"):
        steps.fixes = rows
        if since and about.may_install("protobuf<3.21"):  # newer ones refuse code that is as old
            steps.fixes = []
            steps.install("Install a newer protobuf", "protobuf>=%s,<3.21" % since)
    if not steps.fixes:
        steps.say(
            "Import TensorFlow before other libraries with a protobuf of their own (onnx, sentencepiece, ...), or use a "
            "process for each",
            changes="code",
        )
        if about.named("metal-plugin", "metal_plugin"):
            pair = ("tensorflow==2.14.*", "tensorflow-metal==1.1.0")
            steps.install("On a Mac with the plug-in for Metal: go back to the pair that does not clash", *pair)


def _older_first(about: Situation, steps: Steps, since: str) -> bool:
    """The protobuf that is stated has what the code needs: Python finds another one; False if it is too old, or unknown."""
    stated = about.packages.get("protobuf", "")
    known = bool(stated and version_at_least(stated, since))
    if known:
        text = "protobuf %s has it: another, older one is found first, of another Python or folder; see which"
        command = 'python -c "import google.protobuf as p; print(p.__version__, p.__file__)"'
        steps.run(text % stated, command)
        steps.say("Uninstall protobuf with that Python until none is left, then install %s again" % stated)
    return known


def _newer_protobuf(about: Situation, steps: Steps, wanted: str, works: str) -> None:
    """The code was generated by a newer protoc than protobuf is: not every Python has such a protobuf.

    ``works``: the newest that works with the framework; "" if that is not known.
    """
    if about.python and not about.releases("protobuf", ">=%s" % wanted, "", about.python):
        steps.say(
            "protobuf %s and later need a newer Python than %s: use Python 3.9 or later, or generate "
            "the code (*_pb2.py) again "
            "with an older protoc (package grpcio-tools)" % (wanted, about.python)
        )
        return
    # A protobuf loads code of its own major release and of the one before.
    below = int(wanted.partition(".")[0]) + 2
    if works and version_at_least(works, wanted):
        below = min(below, int(works.partition(".")[0]) + 1)
    bound = "protobuf>=%s,<%d" % (wanted, below)
    steps.install("Install a protobuf that is at least as new as the generated code", bound)
    steps.say("Or generate the code (*_pb2.py) again with the protoc of the installed protobuf (package grpcio-tools)")


def ml_dtypes(about: Situation, steps: Steps) -> None:
    """The type is of a newer ml_dtypes, or of an older one."""
    name = about.groups.get("name", "") or about.line
    if re.search(r"float8_e4m3b11\b(?!fnuz)|float8_e4mb11", name):
        steps.install("ml_dtypes 0.3 renamed it: install one that still has it", "ml_dtypes==0.2.0")
        users = (
            ("jax", "jaxlib")
            if about.framework == "jax"
            else ("tensorflow",)
            if about.framework == "tensorflow"
            else ()
        )
        if users:
            steps.upgrade("Or update %s, which uses the new name" % about.title, *users, instead=True)
        return
    steps.upgrade("Install a newer ml_dtypes", "ml_dtypes")
