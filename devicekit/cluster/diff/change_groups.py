"""Differences in words, those together that belong together: a package with its files, a driver with its libraries. Pure.

First, the places at which two machines differ, and machines in which some of them are undone. Whatever is undone, the result
is a machine; with all places undone it is exactly the first one. So every experiment of `causes` ends.
"""

import re
from typing import Any, Callable, Collection, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from ...machine import facts
from ...machine.facts import Fact, Machine
from ...records import Record
from .result import FactChange

Path = Tuple[str, ...]

#: The value in a `Difference` if one of the machines has nothing at that place.
MISSING = None

#: Ends of paths that name no place in the machine: where a fact was read, and the order of a list.
SOURCE, ORDER = "#source", "#order"

#: Records that are taken as they are, because a part of one alone means nothing, and what identifies them in a list.
_NAMED_BY: Dict[type, Tuple[str, ...]] = {
    facts.Distribution: ("name",),
    facts.DeviceNode: ("path",),
    facts.DxAdapter: ("name",),
    facts.FrameworkBuild: ("package",),
    facts.ImportPackage: ("name",),
    facts.Installation: ("path",),
    facts.IntelGpu: ("bus_id",),
    facts.Library: ("name",),
    facts.LoadedModule: ("name",),
    facts.Opener: ("framework",),
    facts.PciDisplay: ("address",),
    facts.PlatformFacts: ("name",),
    facts.PluginLibrary: ("path",),
    facts.Verdict: ("subject",),
    facts.Xid: ("bus_id", "number"),
}

#: By their vendors' identifiers where the two machines have some in common, by their place otherwise.
_BY_UUID = (facts.Gpu, facts.AmdGpu, facts.MigDevice)


class Difference(NamedTuple):
    """One place: its path, and what the two machines have there."""

    path: Path
    before: Any
    after: Any


def differences(before: Any, after: Any, path: Path = ()) -> Iterator[Difference]:
    """Yield the places at which two machines (or parts of them) differ."""
    if _same(before, after):
        return
    if not _are_taken_apart(before, after):
        yield Difference(path, before, after)
    elif isinstance(before, Fact):
        yield from differences(before.content, after.content, path)
        if (before.source, before.problem) != (after.source, after.problem):
            yield Difference((*path, SOURCE), before, after)
    elif isinstance(before, tuple):
        first, second = _by_key(before, after)
        for key in [*first, *(key for key in second if key not in first)]:
            if key not in first or key not in second:
                yield Difference((*path, key), first.get(key, MISSING), second.get(key, MISSING))
            else:
                yield from differences(first[key], second[key], (*path, key))
        if _is_reordered(first, second):
            yield Difference((*path, ORDER), before, after)
    else:
        for name in before._fields:
            yield from differences(getattr(before, name), getattr(after, name), (*path, name))


def with_undone(before: Any, after: Any, back: Collection[Path], path: Path = ()) -> Any:
    """Return the second machine with the values of the first one at some of the places at which they differ."""
    if _same(before, after):
        return after
    if not _are_taken_apart(before, after):
        return before if path in back else after
    if isinstance(before, Fact):
        content = with_undone(before.content, after.content, back, path)
        read = before if (*path, SOURCE) in back else after
        return Fact(after.status, content, read.source, read.problem)
    if isinstance(before, tuple):
        return _list_put_back(before, after, back, path)
    values = {
        name: with_undone(getattr(before, name), getattr(after, name), back, (*path, name)) for name in before._fields
    }
    return type(after)(**values)


def _list_put_back(before: Tuple[Any, ...], after: Tuple[Any, ...], back: Collection[Path], path: Path) -> Any:
    first, second = _by_key(before, after)
    kept: Dict[str, Any] = {}
    for key in {**first, **second}:
        if key in first and key in second:
            kept[key] = with_undone(first[key], second[key], back, (*path, key))
        elif (key in first) == ((*path, key) in back):
            kept[key] = first[key] if key in first else second[key]
    leading, other = (first, second) if (*path, ORDER) in back else (second, first)
    order = [key for key in leading if key in kept]
    previous = None
    for key in other:
        if key not in kept:
            continue
        if key not in leading:
            order.insert(0 if previous is None else order.index(previous) + 1, key)
        previous = key
    return tuple(kept[key] for key in order)


def _same(before: Any, after: Any) -> bool:
    return before is after or (type(before) is type(after) and bool(before == after))


def _are_taken_apart(before: Any, after: Any) -> bool:
    """Whether the parts of two unlike values are compared one by one."""
    if type(before) is not type(after):
        return False
    if isinstance(before, Fact):
        return before.status == after.status == "value" and (
            _same(before.content, after.content) or _are_taken_apart(before.content, after.content)
        )
    if isinstance(before, tuple):
        return all(_is_pair(item) or type(item) in _NAMED_BY or isinstance(item, _BY_UUID) for item in before + after)
    return isinstance(before, Record) and type(before) not in _NAMED_BY


def _is_pair(item: Any) -> bool:
    """Whether it is a name with a value, as variables are."""
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)


def _by_key(before: Tuple[Any, ...], after: Tuple[Any, ...]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    shared = {getattr(item, "uuid", "") for item in before} & {getattr(item, "uuid", "") for item in after} - {""}
    return _keyed(before, bool(shared)), _keyed(after, bool(shared))


def _keyed(items: Tuple[Any, ...], by_uuid: bool) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    seen: Set[str] = set()
    for place, item in enumerate(items):
        if _is_pair(item):
            key = str(item[0])
        elif isinstance(item, _BY_UUID):
            key = (item.uuid if by_uuid else "") or "%d" % place
        else:
            key = " ".join(str(getattr(item, name)) for name in _NAMED_BY[type(item)])
        number = 1
        unique = key
        while unique in seen:
            number += 1
            unique = "%s (%d)" % (key, number)
        seen.add(unique)
        found[unique] = item
    return found


def _is_reordered(first: Dict[str, Any], second: Dict[str, Any]) -> bool:
    common: List[str] = [key for key in first if key in second]
    return common != [key for key in second if key in first]


#: What changes by itself.
_VOLATILE = (
    "memory_free_bytes", "memory_used_bytes", "utilization_percent", "processes", "ecc_errors_total", "distribution_count",
    "modules",
)  # fmt: skip

#: Kind and name of a subject, and the first one or two parts of the paths that belong to it. The longest that fits counts.
_SUBJECTS = {
    ("python", "Python environment"): "python",
    ("python", "Python"): (
        "python.version python.implementation python.bits python.architecture python.platlib_abi metal.rosetta"
    ),
    ("package", "leftovers of packages"): "python.leftovers",
    ("package", "stale modules"): "python.stale_modules",
    ("other", "what could not be read"): "python.unreadable",
    ("package", "list of packages"): "python.distributions",
    ("package", "number of packages"): "python.distribution_count",
    ("library", "TensorFlow plug-ins"): "python.plugins",
    ("setting", "keras.json"): "python.keras_config",
    ("system", "operating system"): "native metal.macos",
    ("system", "kernel"): "native.release",
    ("system", "C library"): "native.libc",
    ("library", "Visual C++ runtime"): "native.msvc",
    ("processor", "processor"): "native.cpu_model native.cpu_flags native.cpu_count native.performance_cores",
    ("limit", "processor limit"): "native.cpu_affinity native.cpu_quota native.cpu_usable",
    ("processor", "memory"): "native.memory_bytes metal.memory_bytes",
    ("limit", "memory limit"): "native.memory_limit_bytes native.address_space_bytes",
    ("driver", "NVIDIA driver"): "driver",
    ("driver", "NVIDIA driver's errors"): "driver.xids",
    ("gpu", "list of GPUs"): "driver.gpus",
    ("gpu", "list of display controllers"): "driver.displays",
    ("library", "CUDA libraries"): "cuda",
    ("library", "CUDA toolchain"): "cuda.toolchain",
    ("setting", "search path of libraries"): "cuda.path cuda.rpath",
    ("driver", "ROCm"): "rocm",
    ("device node", "/dev/kfd"): "rocm.kfd",
    ("gpu", "AMD GPUs"): "rocm.gfx rocm.withheld",
    ("driver", "DirectX and DirectML"): "directml",
    ("device node", "/dev/dxg"): "directml.dxg",
    ("gpu", "Apple's GPU"): "metal",
    ("driver", "oneAPI"): "oneapi",
    ("gpu", "TPU"): "tpu",
    ("process", "process"): "process",
    ("container", "container"): "process.container",
    ("container", "WSL"): "process.wsl",
    ("process", "imported frameworks"): "process.modules",
    ("other", "trials"): "measured",
    ("other", "devicekit"): "devicekit_version",
    ("driver", "platforms of plug-ins"): "platforms",
}
_SUBJECT_OF = {tuple(path.split(".")): subject for subject, paths in _SUBJECTS.items() for path in paths.split()}

#: Of a subject the detail that says the most stands first.
_FIRST = (
    "version", "nvidia_version", "nvidia_kernel_version", "os_version", "system", "gpus", "cpu_model", "libraries", "kfd",
)  # fmt: skip

_LONGEST = 200

_UNKNOWN = "not known"


class ChangeGroup(NamedTuple):
    """A change in words, and its places."""

    change: FactChange
    paths: Tuple[Path, ...]


def change_groups(before: Machine, after: Machine, found: Sequence[Difference]) -> Tuple[ChangeGroup, ...]:
    """Return the changes that differences come to: those that matter first, each with its own name."""
    groups: Dict[Tuple[str, str, bool], List[Difference]] = {}
    changed = {item.path[2] for item in found if item.path[:2] == ("python", "distributions") and len(item.path) > 2}
    for item in found:
        kind, name = _subject(item, before, after, changed)
        groups.setdefault((kind, name, _is_volatile(item)), []).append(item)
    made = [
        ChangeGroup(
            _change(kind, "use of %s" % name if volatile and kind == "gpu" else name, volatile, items),
            tuple(item.path for item in items),
        )
        for (kind, name, volatile), items in groups.items()
    ]
    order = {"fact": 0, "place": 1, "volatile": 2}
    return tuple(sorted(_unique(made), key=lambda item: order[item.change.weight]))


def _unique(made: Sequence[ChangeGroup]) -> List[ChangeGroup]:
    seen: Dict[str, int] = {}
    found = []
    for item in made:
        number = seen[item.change.name] = seen.get(item.change.name, 0) + 1
        if number > 1:
            item = item._replace(change=item.change.replace(name="%s (%d)" % (item.change.name, number)))
        found.append(item)
    return found


def _is_volatile(item: Difference) -> bool:
    return any(part in _VOLATILE for part in item.path)


# What a place belongs to.


def _subject(item: Difference, before: Machine, after: Machine, changed: Collection[str]) -> Tuple[str, str]:
    path = item.path
    word, field = path[0], path[1] if len(path) > 1 else ""
    key = path[2] if len(path) > 2 and not path[2].startswith("#") else ""
    if key:
        if (word, field) == ("python", "distributions"):
            return "package", key
        if (word, field) in (("python", "packages"), ("python", "builds"), ("cuda", "openers")):
            return "package", _package_of(key.partition(" ")[0], changed)
        if field == "environ" or field == "named_files":
            return "variable", "variable %s" % key
        if field == "nodes":
            return "device node", key
        if field in ("gpus", "displays", "adapters", "registered") and word != "metal":
            return "gpu", _gpu_name(item, before, after)
        if field == "plugins":
            file = re.split(r"[/\\]", key)[-1]
            found = next((name for part, name in _PLUGINS if part in file and name in changed), None)
            return ("package", found) if found else ("library", "plug-in %s" % file)
        if field in ("libraries", "toolchain"):
            return _library(item, key, changed)
        if field == "installations":
            return "driver", {"rocm": "ROCm", "oneapi": "oneAPI"}.get(word, word)
        if field == "verdicts":
            return "other", "trial of %s" % key
        if word == "platforms":
            return "driver", "platform %s" % field
    return _SUBJECT_OF.get(path[:2]) or _SUBJECT_OF.get(path[:1]) or ("other", " ".join(path))


#: The distributions that bring an import package, where their names are not its own.
_BRINGS = {
    "tensorflow": ("tensorflow", "tensorflow-cpu", "tensorflow-intel", "tensorflow-directml", "tensorflow-gpu", "tf-nightly",
                   "tensorflow-rocm", "tensorflow-macos", "intel-tensorflow", "tensorflow-aarch64"),
    "jax": ("jax", "jaxlib"),
    "jaxlib": ("jaxlib", "jax"),
    "keras": ("keras", "keras-nightly"),
    "google.protobuf": ("protobuf",),
}  # fmt: skip


#: The distributions that bring plug-ins of TensorFlow, by a part of the name of the file.
_PLUGINS = (
    ("tfdml", "tensorflow-directml-plugin"),
    ("metal", "tensorflow-metal"),
    ("itex", "intel-extension-for-tensorflow"),
)


def _package_of(package: str, changed: Collection[str]) -> str:
    """Return the distribution with which an import package changed."""
    names = _BRINGS.get(package, (package, package.replace("_", "-")))
    return next((name for name in names if name in changed), names[0])


def _library(item: Difference, key: str, changed: Collection[str]) -> Tuple[str, str]:
    """A library goes with the package that brought it, NVIDIA's own with the driver."""
    if item.path[0] == "driver":
        return "driver", "NVIDIA driver"
    for library in (item.after, item.before):
        path = getattr(library, "path", "")
        inside = re.search(r"[/\\](?:site|dist)-packages[/\\]nvidia[/\\](\w+)[/\\]", path)
        if inside is not None:
            part = inside.group(1).replace("_", "-")
            for name in changed:
                if name.startswith("nvidia-%s" % part):
                    return "package", name
    return "library", key


def _gpu_name(item: Difference, before: Machine, after: Machine) -> str:
    """Name a GPU by its place on the bus, so that what the driver and what the bus say of it go together."""
    place = item.path[2]
    for machine in (after, before):
        listed: Tuple[Fact[Any], ...] = (machine.driver.gpus, machine.rocm.gpus, machine.oneapi.gpus)
        for words in listed:
            for number, gpu in enumerate(words.or_none() or ()):
                uuid, bus = getattr(gpu, "uuid", ""), _bus(getattr(gpu, "bus_id", ""))
                value = item.after if item.after is not None else item.before
                same = value is gpu or place == uuid or (bus and bus == _bus(getattr(value, "address", "")))
                if same or (place == "%d" % number and words is getattr(getattr(machine, item.path[0]), "gpus", None)):
                    return "GPU %d (%s)" % (number, gpu.name)
    for value in (item.after, item.before):
        if isinstance(value, facts.DxAdapter):
            return "adapter %s" % value.name
        if isinstance(value, facts.PciDisplay):
            return "display controller %s" % value.address
    return "GPU %s" % place


def _bus(address: str) -> str:
    """Return a PCI address without its domain, which NVIDIA writes with eight digits and Linux with four."""
    return ":".join(address.lower().split(":")[-2:])


# In words.


def _change(kind: str, name: str, volatile: bool, items: Sequence[Difference]) -> FactChange:
    details = []
    by_name = any(item.path[1:2] == ("distributions",) for item in items)
    for item in sorted(items, key=_rank):
        if item.path[-1].startswith("#"):  # where it was read, or the order: the things themselves are the same
            continue
        if by_name and isinstance(item.after or item.before, facts.ImportPackage) and _in_site(item):
            continue  # its version says it
        old, new = _texts(_of_variable(item, item.before), _of_variable(item, item.after))
        if old != new:
            details.append((_label(item), old, new))
    details.sort(key=lambda item: any((text or "").startswith(_UNKNOWN) for text in item[1:]))
    weight = "volatile" if volatile else "fact" if details else "place"
    if not details:
        return FactChange(name, kind, *_places(items), weight=weight)
    return FactChange(name, kind, details[0][1], details[0][2], weight, tuple(details))


def _in_site(item: Difference) -> bool:
    return all(getattr(value, "in_site", True) for value in (item.before, item.after))


def _of_variable(item: Difference, value: Any) -> Any:
    """Return the value alone of a variable with its name."""
    return value[1] if isinstance(value, tuple) and item.path[1:2] in (("environ",), ("named_files",)) else value


def _rank(item: Difference) -> int:
    if isinstance(item.after if item.after is not None else item.before, facts.Distribution):
        return -1
    return min((place for place, name in enumerate(_FIRST) if name in item.path), default=len(_FIRST))


def _places(items: Sequence[Difference]) -> Tuple[Optional[str], Optional[str]]:
    """What to say of something that is the same, elsewhere."""
    for item in items:
        for name in ("location", "path", "source", "problem"):
            old, new = getattr(item.before, name, ""), getattr(item.after, name, "")
            if old != new:
                return _cut(str(old)), _cut(str(new))
    return "as before", "in another order or place"


def _label(item: Difference) -> str:
    parts = [part for part in item.path[1:] if not part.startswith("#")]
    if parts[:1] in (["distributions"], ["environ"]):
        return {"distributions": "version", "environ": "value"}[parts[0]]
    # The names of fields are words; those of packages, libraries and files stay as they are.
    words = [part.replace("_", " ") if not number else part for number, part in enumerate(parts)]
    return " ".join(words) or item.path[0].replace("_", " ")


def _texts(before: Any, after: Any) -> Tuple[Optional[str], Optional[str]]:
    """Return two values as a person reads them; of two lists what each has alone."""
    old, new = _bare(before), _bare(after)
    if _is_texts(old) and _is_texts(new) and (old or new):
        lost, gained = [item for item in old if item not in new], [item for item in new if item not in old]
        if lost or gained:
            return _cut(", ".join(lost)) or None, _cut(", ".join(gained)) or None
        return _cut(", ".join(old)), _cut(", ".join(new))
    first, second = _text(before), _text(after)
    if first == second and first is not None and isinstance(old, (facts.Distribution, facts.Library)):
        return _told(old, new)
    return first, second


def _told(old: Any, new: Any) -> Tuple[Optional[str], Optional[str]]:
    """What is different of two packages or libraries of one version: whether files are missing."""
    if isinstance(old, facts.Distribution):
        counts = [item.missing_count + len(item.damaged_files) for item in (old, new)]
        if counts[0] != counts[1]:
            version = _text(old)
            first, second = ("%s, %d files missing" % (version, number) if number else version for number in counts)
            return first, second
    return _text(old), _text(new)


def _bare(value: Any) -> Any:
    return value.content if isinstance(value, Fact) else value


def _is_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(item, str) for item in value)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _text(value: Any) -> Optional[str]:
    """Return a value as a person reads it, None if there is nothing."""
    if isinstance(value, Fact):
        if value.status == "unknown":
            return _cut("%s (%s)" % (_UNKNOWN, value.problem or "not determined"))
        return None if value.status == "absent" else _text(value.content)
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and value >= 1 << 24:
        return "%.1f GiB" % (value / (1 << 30))
    if isinstance(value, tuple):
        return _cut(", ".join(_text(item) or "" for item in value)) or "none"
    return _cut(_SHOWN.get(type(value), str)(value))


#: How records are shown.
_SHOWN: Dict[type, Callable[[Any], str]] = {
    facts.Distribution: lambda item: _text(item.version) or "version not known",
    facts.FrameworkBuild: lambda item: "built for %s" % (_versions_of(item) or "processors"),
    facts.ImportPackage: lambda item: (
        "%s in %s" % (item.kind, "the site packages" if item.in_site else item.path_entry)
    ),
    facts.Library: lambda item: item.version or item.target or "found (%s)" % item.found_via,
    facts.DeviceNode: lambda item: "accessible" if item.accessible else "no permission",
    facts.PciDisplay: lambda item: "driver %s" % (item.driver or "none"),
    facts.Installation: lambda item: item.version or "installed",
    facts.Opener: lambda item: "opens libraries itself",
    facts.PluginLibrary: lambda item: "%s, %d bytes" % (item.format, item.size_bytes),
    facts.LoadedModule: lambda item: item.version or "imported",
    facts.Xid: lambda item: "Xid %d, %d times" % (item.number, item.count),
    facts.Verdict: lambda item: item.outcome,
    facts.PlatformFacts: lambda item: "%s %s" % (item.distribution, item.version),
    **dict.fromkeys((facts.Gpu, facts.AmdGpu, facts.IntelGpu, facts.DxAdapter), lambda item: item.name),
}


def _versions_of(build: facts.FrameworkBuild) -> str:
    versions = (("CUDA", build.cuda_version), ("cuDNN", build.cudnn_version), ("ROCm", build.rocm_version))
    return ", ".join("%s %s" % (name, fact.content) for name, fact in versions if fact.content)
