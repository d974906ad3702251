"""JAX, jaxlib and their plug-ins are of releases that do not go together."""

import re
from typing import List, Sequence, Tuple

from ...diagnosis import pages
from ...matrix.gpu_names import relative_of
from ...matrix.matrix import BUNDLED, accepts, version_at_least
from ...matrix.projects import sort_key
from ...resolver.goals import XLA_TARGETS
from .other_packages import importer
from .others import pass_as_relative
from .situation import Situation
from .steps import Steps

#: The first release of JAX without some names, with their module where another has them: 28 from 0.4.13 to 0.9.0 were
#: imported, of other ones the source was read.
_GONE_FROM_JAX = {
    "0.2.21": "jax.api",
    "0.3.2": "index_update index_add jax.ops.index",
    "0.3.16": "tree_multimap jax.experimental.optimizers jax.experimental.stax jax.experimental.loops",
    "0.4.7": "jax.experimental.global_device_array",
    "0.4.11": "DeviceArray jax.experimental.PartitionSpec jax.interpreters.pxla.PartitionSpec jax.interpreters.pxla.Mesh",
    "0.4.14": "jax.ShapedArray",
    "0.4.24": "linear_util KeyArray trapz in1d",
    "0.4.25": "config define_bool_state",
    "0.4.29": "Shape",
    "0.4.31": "NamedShape maps",
    "0.4.34": "xla_computation",
    "0.4.36": "clear_backends ConcreteArray jax.experimental.export",
    "0.6.0": "tree_map tree_leaves Primitive Jaxpr ClosedJaxpr Var jaxpr_as_fun",
    "0.7.0": "pytype_aval_mappings abstractify safe_zip safe_map unzip2 pjit_p PositionalSharding",
    "0.8.0": "host_callback jax.util",
    "0.9.0": "xla_bridge xla_client xla_extension jax.experimental.enable_x64 jax.experimental.disable_x64",
    "0.10.0": "xla_pmap_p",
}

#: Where what is missing is newer than the installed JAX, not older.
_NEW_IN_JAX = re.compile(
    r"jax\.(?:sharding|typing|ffi|export|extend|tree|Array|P|set_mesh|shard_map|make_mesh|typeof|enable_x64|NamedSharding)\b"
    r"|jax\.experimental\.(?:pallas|shard_map|layout)$"
)

#: The first release of JAX with some names, as the wheels of 0.4.16 to 0.7.0 have them.
_SINCE_JAX = {
    "0.4.25": "jax.tree", "0.4.30": "jax.export jax.NamedSharding", "0.4.31": "jax.nn.dot_product_attention",
    "0.4.33": "jax.make_mesh", "0.5.0": "jax.ffi jax.sharding.use_mesh", "0.5.3": "jax.sharding.AxisType",
    "0.6.1": "jax.shard_map",
}  # fmt: skip


def _newer_jax(about: Situation, steps: Steps) -> bool:
    """The first releases that have what the line asks for, not the newest: later ones lack other names."""
    name = "jax%s.%s" % (about.groups.get("sub", ""), about.groups.get("attr") if about.signature == "jax-attr" else "")
    since = next((since for since, names in _SINCE_JAX.items() if name in names.split()), "")
    if not since or about.is_at_least(since):
        return False
    bounds = ">=%s,<0.%d" % (since, int(since.split(".")[1]) + 1)
    if about.python and not about.releases("jax", bounds, "", about.python):
        pythons = [item for item in about.pythons("jax", bounds) if item in ("3.12", "3.11", "3.10")]
        text = "%s came with JAX %s, which is for newer Pythons: make an environment with one"
        steps.new_environment(text % (name, since), pythons[0], ["jax" + bounds])
        return True
    plugin = any(item.startswith("jax-cuda12") for item in about.packages)
    steps.install("%s came with JAX %s: install that" % (name, since), "jax%s%s" % ("[cuda12]" * plugin, bounds))
    return True


def _asked_of_jax(about: Situation) -> str:
    """Return the name that the line asks for, with its module."""
    groups = about.groups
    module = groups.get("module") or "jax%s" % groups.get("sub", "")
    return ".".join(item for item in (module, groups.get("attr") or groups.get("name")) if item)


def _gone_from_jax(about: Situation) -> str:
    """Return the release from which on JAX does not have what the line asks for, "" if that is not known."""
    said = re.search(r"removed in JAX v?(\d[\d.]*\d)", about.line)
    full = _asked_of_jax(about)
    name = "define_bool_state" if "'define_bool_state'" in about.line else full.split(".")[-1]
    ours = re.search(r"jax(?!lib)\b|'Config' object", about.line) is not None
    found = (since for since, names in _GONE_FROM_JAX.items() if ours and {name, full} & set(names.split()))
    since = said.group(1) if said else next(found, "")
    return since if since and about.is_at_least(since) is not False else ""


#: Of these, newer releases have names of a newer JAX, and take any by their metadata.
_BEFORE_JAX_04 = {"chex": "<0.1.6", "optax": "<0.1.5"}


def _for_this_jax(about: Situation, names: Sequence[str]) -> List[str]:
    """The newest releases of add-ons that take the installed JAX: with newer ones pip replaces it, without its CUDA."""
    old, jax = about.is_at_least("0.4") is False, about.version.partition("+")[0]
    found = []
    for name in names:
        fit = [
            item.version
            for item in about.releases(name, _BEFORE_JAX_04.get(name, "") if old else "", "", about.python)
            if all(accepts(need[3:], jax) for one in item.builds for need in one.requires if re.match("jax[<>=]", need))
        ]
        fit = fit or ["0.0.9"] * (old and name == "dm-haiku")  # its releases are not in the data
        found += ["%s==%s" % (name, version) for version in fit[-1:] if version != about.packages.get(name)]
    return found


def jax_incompatible(about: Situation, steps: Steps) -> None:
    """JAX and jaxlib are released together."""
    own = "+cuda" in about.packages.get("jaxlib", "")  # from JAX's page: PyPI has no such build
    plugin = any("jax-cuda12" in name for name in about.packages)
    nvidia = about.vendor == "nvidia" and not about.windows and not about.macos
    both = _with_tpu(about, steps) or (("jax[cuda12]",) if own or plugin or nvidia else ("jax", "jaxlib"))
    if _newer_jax(about, steps) or _no_jaxlib(about, steps):
        return
    if about.signature == "jax-jaxlib-old" and own and version_at_least(about.groups["jaxlib"], "0.1.65"):
        _older_jax(about, steps)
        return
    if about.signature == "jax-jaxlib-newer":
        _older_jaxlib(about, steps)
        return
    gone = _gone_from_jax(about)
    users: List[str] = [
        name
        for name in ("flax", "optax", "chex", "dm-haiku", "numpyro", "brax")
        if name in about.packages or name in about.words
    ]
    user = importer(about)
    users = users if not user or user in users else [user]
    # JAX's own modules lack what an add-on asks for: the add-on is older, or newer, than this JAX.
    asks = bool(user) and about.signature in ("py-cannot-import-dep", "jax-no-module")
    asks = asks or bool(users and _asked_of_jax(about).startswith("jax._src."))
    newer = _NEW_IN_JAX.match(_asked_of_jax(about))
    if not gone and (newer or not asks) and (newer or not (users and about.signature == "jax-attr")):
        steps.upgrade("Update JAX with what belongs to it, in one command", *both)
        if newer and users:
            _keep_jax(about, steps, users)
        return
    text = (
        "JAX has it no longer, from %s on: update the package that uses it" % gone if gone else "Update what uses JAX"
    )
    pins = _for_this_jax(about, users) if own or plugin or about.is_at_least("0.4") is False else []
    if pins:
        steps.install("%s, as far as it takes this JAX" % text, *pins)
    elif users:
        steps.upgrade(text, *users)
    else:
        steps.say(text, changes="packages")
    if gone and not own and about.releases("jaxlib", "<" + gone, "", about.python):
        older = ["jax[cuda12]<%s" % gone] if plugin else ["jax<%s" % gone, "jaxlib<%s" % gone]
        steps.install("Or install an older JAX", *older, instead=True)
    elif not gone and not own and not pins:
        steps.upgrade("If JAX is the older one: update both", *users, *both, instead=True)


def _with_tpu(about: Situation, steps: Steps) -> Tuple[str, ...]:
    """JAX with its part for TPUs, if there is one."""
    if "libtpu-nightly" in about.line:
        page = "https://storage.googleapis.com/jax-releases/libtpu_releases.html"
        steps.say("For this JAX, let pip look where its libtpu was: -f %s" % page, changes="packages", instead=True)
    there = "tpu" in about.line or any("libtpu" in name for name in about.packages)
    return ("jax[tpu]",) if there else ()


def _keep_jax(about: Situation, steps: Steps, users: Sequence[str]) -> None:
    pins = _for_this_jax(about, users) if about.version else []
    if pins:
        steps.install("Or keep this JAX, with older releases of what uses it", *pins, instead=True)
    else:
        steps.say("Or keep this JAX, with an older release of %s" % users[0], changes="packages", instead=True)


def _no_jaxlib(about: Situation, steps: Steps) -> bool:
    """No jaxlib has a wheel for this Python on this system; False if one has, or it is not known."""
    if not about.platform or not about.python or about.releases("jaxlib", "", about.platform, about.python):
        return False
    pythons = about.pythons("jaxlib", "", about.platform)
    if pythons:
        text = "jaxlib has no wheel for Python %s on this system: make an environment with Python %s"
        steps.new_environment(text % (about.python, pythons[0]), pythons[0], ["jax"])
    return bool(pythons)


JAX_PAGE = "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html"


def _older_jax(about: Situation, steps: Steps) -> None:
    """The JAX of the jaxlib for CUDA that is there, or such a jaxlib: an update would bring PyPI's, for the CPU."""
    jaxlib, wanted = about.groups["jaxlib"], about.groups["wanted"]
    # JAX 0.2.25 requires 0.1.69, 0.2.14 0.1.65 (jax/version.py); a later one takes the jaxlib of its own number.
    jax = "==0.2.25" if version_at_least(jaxlib, "0.1.69") else "==0.2.14"
    jax = "<=" + jaxlib if version_at_least(jaxlib, "0.3") else jax
    steps.install("Keep jaxlib %s, a build for CUDA, with a JAX that takes it" % jaxlib, "jax" + jax)
    if version_at_least(wanted, "0.4.30"):  # from then on CUDA is in a plug-in of its own
        steps.upgrade("Or update JAX with its CUDA libraries", "jax[cuda12]", instead=True)
        return
    text = "Install a newer jaxlib for CUDA (11 or 12), from JAX's own page"
    command = 'python -m pip install "jaxlib==%s" -f %s' % (wanted, JAX_PAGE)
    steps.run(text, command, on="linux", changes="packages", instead=True)


def _older_jaxlib(about: Situation, steps: Steps) -> None:
    """The jaxlib of the JAX that is there, or the JAX of that jaxlib: PyPI has no jaxlib of before 0.4.13 any more."""
    jax, jaxlib = about.groups["jax"], about.groups["jaxlib"]
    data = BUNDLED.project("jax")
    release = data.release(jax) if data is not None else None
    needs = (text for build in (release.builds if release is not None else ()) for text in build.requires)
    bounds = next((text[6:] for text in needs if re.match("jaxlib[<>][^;]*$", text)), "==" + jax)
    found = about.releases("jaxlib", bounds, about.platform, about.python)
    if found:
        steps.install("Install the jaxlib of this JAX", "jaxlib==%s" % found[-1].version)
        linux = about.linux and about.vendor == "nvidia"
        names = ("jax[cuda12]",) if linux else ("jax", "jaxlib")
        steps.upgrade("Or update both, in one command", *names, instead=True)
        return
    if about.releases("jax", "==" + jaxlib, "", about.python):
        steps.install("Install the JAX of this jaxlib", "jax==%s" % jaxlib)
    command = 'python -m pip install "jaxlib==%s" -f %s' % (jax, JAX_PAGE)
    steps.run(
        "Install the jaxlib of this JAX, from JAX's own page", command, on="linux", changes="packages", instead=True
    )


def jax_cuda(about: Situation) -> str:
    """Return JAX with the plug-in for the CUDA that is there, or else for the one that most drivers run."""
    newer = "cuda-13" in about.words or "cuda13" in " ".join((about.line, *about.packages))
    return "jax[cuda13]" if newer else "jax[cuda12]"


def install_jax_cuda(about: Situation, steps: Steps, text: str) -> None:
    """JAX with its plug-in; the last releases for Python 3.8 and 3.7 have their builds on JAX's own page alone."""
    extra = {"3.8": "cuda12_pip", "3.7": "cuda"}.get(about.python)
    if jax_before_maxwell(about, steps):
        return
    if extra is None:
        steps.upgrade(text, jax_cuda(about))
    else:
        command = 'python -m pip install --upgrade "jax[%s]" -f %s' % (extra, JAX_PAGE)
        steps.run(text, command, on="linux", changes="packages")


def jax_for_older_cuda(about: Situation, steps: Steps) -> bool:
    """JAX's last builds for CUDA 10.1 to 11.0, which newer drivers run as well; False if they do not fit."""
    label = {"10.1": "101", "10.2": "102", "11.0": "110"}.get(about.fact("cuda"))
    if label is None or about.python not in ("3.6", "3.7", "3.8", "3.9"):
        return False
    command = 'python -m pip install "jax==0.2.17" "jaxlib==0.1.69+cuda%s" -f %s' % (label, JAX_PAGE)
    text = "Install JAX's last build for CUDA %s, from JAX's own page"
    steps.run(text % about.fact("cuda"), command, on="linux", changes="packages")
    return True


def jax_before_maxwell(about: Situation, steps: Steps) -> bool:
    """JAX's last builds for Kepler (https://github.com/jax-ml/jax/pull/14411); False for a newer GPU, or an unknown one."""
    number = about.compute_capability or (5, 0)
    if number >= (5, 0):
        return False
    if number < (3, 5):
        steps.say(
            "XLA needs compute capability 3.5 or later: with this GPU (%s), JAX computes on the CPU" % about.capability
        )
        return True
    if about.python in ("", "3.8", "3.9", "3.10", "3.11"):
        old = about.packages.get("jax") or ""
        version = old if re.match(r"0\.3\.\d+$|0\.4\.[1-3]$", old) else "0.4.3"
        text = "JAX %s still has code for this GPU (compute capability %s): install its build for CUDA 11, from JAX's own page"
        command = 'python -m pip install "jax[cuda11_cudnn82]==%s" -f %s' % (version, JAX_PAGE)
        steps.run(text % (version, about.capability), command, on="linux", changes="packages")
    else:
        text = "JAX 0.4.3 is the last with code for this GPU (compute capability %s), for Python 3.8 to 3.11 and CUDA 11: %s"
        steps.say(text % (about.capability, JAX_PAGE), changes="packages")
    return True


def jax_metal(about: Situation, steps: Steps) -> None:
    """Apple's plug-in for JAX works with one JAX, and the macOS that it was made for (jax-metal's page on PyPI)."""
    if "unrecognized selector" in about.line and sort_key(about.linux_version or "13") < (14, 4):
        steps.say("Update macOS to 14.4 or later: jax-metal from 0.0.4 on is not for macOS 13", "admin", "system")
        if about.python not in ("3.12", "3.13", "3.14"):
            names = ("jax-metal==0.0.3", "jax==0.4.11", "jaxlib==0.4.10")
            steps.install("Or keep macOS 13 (13.4 or later), with the last set for it", *names, instead=True)
        return
    text = "jax-metal 0.1.1 was made for jax and jaxlib 0.4.26 to 0.5.0, on macOS 14.4 or later"
    steps.install(text, "jax-metal==0.1.1", "jax==0.5.0", "jaxlib==0.5.0")
    if "memory_space" not in about.line:  # which no variable brings back
        steps.set("If JAX is newer on purpose, let it accept the older plug-in", "ENABLE_PJRT_COMPATIBILITY", "1")
    steps.say("Or compute on the CPU: uninstall jax-metal", instead=True)


def jax_rocm(about: Situation, steps: Steps) -> None:
    """AMD's plug-in for JAX: of JAX's own release, and for the installed ROCm."""
    if about.gfx and not {about.gfx, relative_of(about.gfx)[0]} & set(XLA_TARGETS):
        steps.say("JAX's compiler does not run on %s: compute on the CPU" % about.gfx)
        return
    page = pages.ROCM_LINUX + "install/3rd-party/jax-install.html"
    rocm = about.fact("rocm").partition(".")[0]
    if rocm == "6":
        names = ("jax==0.5.0", "jaxlib==0.5.0", "jax-rocm60-plugin==0.5.0", "jax-rocm60-pjrt==0.5.0")
        steps.install("Install JAX with AMD's plug-in for ROCm 6", *names)
        pass_as_relative(steps, about.gfx)
        steps.say("Newer JAX needs ROCm 7, with jax-rocm7-plugin: %s" % page, instead=True)
        return
    have = [item.version for item in about.releases("jax-rocm7-plugin", "", "linux-x86_64", about.python)]
    release = about.version if about.version in have else have[-1] if have else ""
    if not release:
        steps.say("Install AMD's plug-in for JAX: %s" % page)
        return
    names = ("jax==%s", "jaxlib==%s", "jax-rocm7-plugin==%s", "jax-rocm7-pjrt==%s")
    text = "Install JAX with AMD's plug-in for ROCm 7, all of one release"
    steps.install(text, *(name % release for name in names))
    if not rocm:
        steps.say("For ROCm 6 it is jax-rocm60-plugin, with JAX 0.5.0: %s" % page, instead=True)
