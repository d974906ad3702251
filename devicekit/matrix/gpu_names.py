"""Which GPU a person means by a name: the maker, and what code is built for on it. Pure."""

import re
from functools import lru_cache
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from .matrix import Matrix

#: Makers as people write them. A name that begins with one is looked up among its GPUs only.
_MAKERS = {"nvidia": "nvidia", "amd": "amd", "ati": "amd", "radeon": "amd", "intel": "intel", "apple": "apple"}

_TITLES = {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel", "apple": "Apple"}

#: What names carry besides the model: the same chip, or another amount of memory.
_NOISE = re.compile(
    r"(nvidia|grid|amd|ati|intel|apple|corporation|graphics|gpus?|laptop|mobile|notebook|max-?q|series|silicon|card|adapter|"
    r"founders|edition|workstation|server|with|design|accelerator|embedded|hbm\d?e?|\d+\s?gb?|sxm\d?|pcie|nvl|oam|hgx|dgx|dual|kit|"
    r"developer|devkit|module|soc|chip|the)$"
)


class GpuModel(NamedTuple):
    """A GPU that is on the market.

    Attributes
    ----------
    name : str
        With the maker: ``"NVIDIA GeForce RTX 4090"``. For a maker or a capability ("amd", "8.6"), the text itself.
    vendor : {"nvidia", "amd", "intel", "apple"}
    target : str
        What code is built for: a compute capability (``"8.9"``), a target of LLVM (``"gfx1100"``), Intel's architecture
        (``"Xe-HPG"``), "" where only the maker is known.
    platform : str
        The only platform that it is part of (``"linux-aarch64"`` of a Jetson or a GH200), "" of a card.
    """

    name: str
    vendor: str
    target: str = ""
    platform: str = ""

    @property
    def jetson(self) -> bool:
        """Whether it is part of NVIDIA's Jetson, for which the makers of wheels do not build."""
        return "Jetson" in self.name


def gpu_named(text: str, matrix: Matrix) -> GpuModel:
    """Return the GPU that a name stands for.

    Case, spaces, the maker, the family ("GeForce", "Radeon RX") and what vendors add ("Laptop GPU", "80GB PCIe") make no
    difference. A maker, a compute capability (``"8.6"``) and a target (``"gfx1100"``) are taken as well.

    Raises
    ------
    ValueError
        If no GPU has that name, or several different ones have it.

    >>> from .matrix import BUNDLED
    >>> gpu_named("rtx4090", BUNDLED)
    GpuModel(name='NVIDIA GeForce RTX 4090', vendor='nvidia', target='8.9', platform='')
    >>> gpu_named("7900 XTX", BUNDLED).target, gpu_named("Jetson Orin Nano", BUNDLED).platform
    ('gfx1100', 'linux-aarch64')
    """
    models, key, names = _models_named(text, matrix)
    if len({model[1:] for model in models}) == 1:
        return models[0]
    if models:
        meant = "; ".join(map(_described, models))
        raise ValueError(
            "the name %r is ambiguous: %s. Give the whole name, the compute capability or the target" % (text, meant)
        )
    raise ValueError(_unknown(text, key, names))


def find_gpu(text: str, matrix: Matrix) -> Optional[GpuModel]:
    """Return the GPU that a name stands for as `gpu_named` does, None if that is not known, or ambiguous."""
    models = _models_named(text, matrix)[0]
    return models[0] if len({model[1:] for model in models}) == 1 else None


def _models_named(text: str, matrix: Matrix) -> Tuple[Sequence[GpuModel], str, Dict[str, List[GpuModel]]]:
    """Return the GPUs that a name may stand for, what was looked up, and in which names."""
    plain = re.sub(r"\((r|tm|c)\)|[®™]", " ", text.strip().lower())
    plain = re.sub(r"^\d{1,2}(?: ?[x*\xd7] ?| (?=[a-z]))", "", plain)  # "2x RTX 3090"
    words = re.findall(r"[a-z0-9+.]+", plain)
    maker = _MAKERS.get(words[0], "") if words else ""
    names = _names(matrix, maker)
    kept = [word for word in words if not _NOISE.match(word)]
    key = "".join(kept)
    models: Sequence[GpuModel] = names.get(key) or names.get("".join(words)) or []
    # Drivers add what is in no list: "GTX 1650 with Max-Q Design", "A100-SXM4-40GB MIG 1g.5gb", "RX 580 2048SP".
    shorter = (names.get("".join(kept[:end])) for end in range(min(len(kept), 9), 0, -1))
    models = models or next(filter(None, shorter), [])
    if re.match(r"\d{1,2}\.\d$", plain):
        models = [GpuModel(text.strip(), "nvidia", plain)]
    elif re.match(r"gfx[0-9a-f]{3,4}$", plain):
        models = [GpuModel(text.strip(), "amd", plain)]
    elif plain in _MAKERS:
        models = [GpuModel(text.strip(), maker, platform="macos-arm64" if plain == "apple" else "")]
    return models, key, names


@lru_cache(maxsize=16)
def _names(matrix: Matrix, maker: str) -> Dict[str, List[GpuModel]]:
    """Return the GPUs by every way to write their names, in lower case and without spaces."""
    found: Dict[str, List[GpuModel]] = {}
    for row in matrix.gpu_models():
        if maker and row["maker"] != maker:
            continue
        for model in row["models"].split(", "):
            words = [_TITLES[row["maker"]], row["before"], model, row["after"]]
            gpu = GpuModel(" ".join(filter(None, words)), row["maker"], row["target"], row["platform"])
            for before in _some(row["before"].split()):
                for after in _some(row["after"].split()):
                    same = found.setdefault(re.sub("[ -]", "", "".join((*before, model, *after)).lower()), [])
                    if gpu not in same:
                        same.append(gpu)
    return found


def _some(words: Sequence[str]) -> List[Tuple[str, ...]]:
    """Return every choice of words, in their order.

    >>> _some(["GeForce", "RTX"])
    [(), ('GeForce',), ('RTX',), ('GeForce', 'RTX')]
    """
    found: List[Tuple[str, ...]] = [()]
    for word in words:
        found += [choice + (word,) for choice in found]
    return found


def _described(gpu: GpuModel) -> str:
    kind = "compute capability %s" if gpu.vendor == "nvidia" else "%s"
    return "%s (%s)" % (gpu.name, kind % gpu.target) if gpu.target else gpu.name


def _unknown(text: str, key: str, names: Dict[str, List[GpuModel]]) -> str:
    from difflib import get_close_matches

    near = [names[name][0].name for name in get_close_matches(key, names, n=3, cutoff=0.75)] if key else []
    hint = "did you mean %s? " % " or ".join(dict.fromkeys(near)) if near else ""
    return (
        "unknown GPU %r; %saccepted are nvidia, amd, intel, apple, a compute capability as 8.6, a target as gfx1100, or the "
        "name of a product as 'GeForce RTX 3060'" % (text, hint)
    )


def target_named(text: str, matrix: Matrix) -> str:
    """Return what code is built for on a GPU of a name, or a target itself; "" if that is not known, or ambiguous.

    >>> from .matrix import BUNDLED
    >>> target_named("AMD Radeon RX 6700 XT", BUNDLED), target_named("Xe-HPG", BUNDLED), target_named("Voodoo 2", BUNDLED)
    ('gfx1031', 'Xe-HPG', '')
    """
    if any(text == row["target"] for row in matrix.gpu_models()):
        return text
    gpu = find_gpu(text, matrix)
    return gpu.target if gpu is not None else ""


@lru_cache(maxsize=64)  # servers have eight of one name
def capability_of(name: str, matrix: Matrix) -> Optional[str]:
    """Return the compute capability of an NVIDIA GPU by a driver's or a person's name for it, None if that is not known."""
    models = _models_named(name, matrix)[0]
    # Intel's Arc Pro A40 is hardly known by its number alone.
    found = {(model.vendor, model.target) for model in models if model.vendor != "intel"}
    return next((target or None for vendor, target in found if vendor == "nvidia"), None) if len(found) == 1 else None


def target_of(name: str, matrix: Matrix) -> str:
    """Return AMD's target (``gfx1032``) of a GPU by a person's name for it, "" if it is not known."""
    gpu = find_gpu(name, matrix)
    return gpu.target if gpu is not None and gpu.vendor == "amd" else ""


#: A target of the same family whose code a GPU runs, and the value that makes ROCm treat the GPU as it. Users say so
#: (https://github.com/ROCm/ROCm/issues/2353, https://github.com/ROCm/tensorflow-upstream/issues/2488); AMD does not.
_RELATIVES = (("gfx103", "gfx1030", "10.3.0"), ("gfx110", "gfx1100", "11.0.0"), ("gfx90[2c]", "gfx900", "9.0.0"))


def relative_of(target: str) -> Tuple[str, str]:
    """Return the target whose code a GPU of AMD's runs as well, and the value of HSA_OVERRIDE_GFX_VERSION; else "" twice.

    >>> relative_of("gfx1032"), relative_of("gfx1030")
    (('gfx1030', '10.3.0'), ('', ''))
    """
    matching = (row[1:] for row in _RELATIVES if re.match(row[0], target) and target != row[1])
    return next(matching, ("", ""))


#: What drivers' names carry besides the model, and makes no difference to the speed.
_BESIDE_MODEL = re.compile(r"(nvidia|amd|tesla|geforce|instinct|gpu|\d+gb|hbm\d?e?|sxm\d?|pcie|oam)$")


def peak_flops(name: str, precision: str, matrix: Matrix) -> Optional[float]:
    """Return the most floating-point operations per second of a device; None if that is not known.

    Parameters
    ----------
    name : str
        As the driver says.
    precision : {"float32", "tf32", "float16", "bfloat16"}
        TF32 of a device without it is float32.
    matrix : Matrix

    >>> from .matrix import BUNDLED
    >>> peak_flops("NVIDIA A100-SXM4-80GB", "bfloat16", BUNDLED), peak_flops("Tesla T4", "tf32", BUNDLED)
    (312000000000000.0, 8100000000000.0)
    >>> peak_flops("NVIDIA GeForce RTX 4090 Laptop GPU", "float32", BUNDLED), peak_flops("Tesla T4", "bfloat16", BUNDLED)
    (None, None)
    """
    words = re.findall(r"[a-z0-9]+", name.lower())
    best, found = 0, None
    for row in matrix.peaks():
        model = row["name"].lower().split()
        left = [word for word in words if word not in model]
        if (
            all(word in words for word in model)
            and all(_BESIDE_MODEL.match(word) for word in left)
            and len(model) > best
        ):
            best, found = len(model), row
    if found is None:
        return None
    speed = found.get(precision, found["float32"] if precision == "tf32" else None)
    return None if speed is None else float(speed) * 1e12
