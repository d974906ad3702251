"""Device strings: what can be requested. Pure, except that names of plug-ins are looked up on this machine by default."""

import re
from typing import Iterable, Optional, Tuple

from ..errors import did_you_mean
from ..records import Record

# A name that type checkers know: the facts are not loaded for a device string.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..machine.facts import PlatformFacts


#: For messages; next to the parser, which it describes.
ACCEPTED = (
    "'auto', 'fastest', 'cpu', 'gpu', 'gpu:1', 'gpu:0,2', 'cuda:0', 'rocm:0', 'directml:0', 'metal' or 'mps', 'xpu:0', 'tpu', "
    "an identifier such as 'gpu:GPU-5ebe9f43' or 'MIG-...', or TensorFlow's own '/GPU:0' and '/device:DML:0'"
)

#: TensorFlow's device types that are not accelerators: XLA's views of the CPU and GPU (up to 2.4), TPU systems.
NO_ACCELERATOR = ("CPU", "XLA_CPU", "XLA_GPU", "TPU", "TPU_SYSTEM")

_WORDS = ("auto", "fastest", "cpu", "gpu", "cuda", "rocm", "directml", "dml", "metal", "mps", "xpu", "tpu")
_PLAIN = re.compile(r"(%s)(?::(\d+(?:,\d+)*))?$" % "|".join(_WORDS))
_NATIVE = re.compile(
    r"(?:/job:localhost)?(?:/replica:0)?(?:/task:0)?/(?:device:|physical_device:)?(cpu|gpu|dml|xpu|tpu):(\d+)$"
)
#: As in CUDA_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES, in full or only a prefix; drivers before 470 name a slice with two
#: numbers (``MIG-GPU-.../1/0``).
_NAMED = re.compile(r"(?:(gpu|cuda|rocm|GPU|CUDA|ROCM):)?((?:GPU|MIG)-[\w/-]+(?:,(?:GPU|MIG)-[\w/-]+)*)$", re.ASCII)
_PLATFORMS = {
    "cuda": "cuda", "rocm": "rocm", "directml": "directml", "dml": "directml", "metal": "metal", "mps": "metal", "xpu": "xpu",
}  # fmt: skip


class Request(Record):
    """A parsed device string.

    Attributes
    ----------
    text : str
        The device string as given.
    kind : {"auto", "cpu", "gpu", "tpu"}
        ``gpu`` stands for every accelerator but a TPU.
    platform : str or None
        The platform in the string, as in ``cuda:0``.
    indices : tuple of int
        The numbers in the string, in the framework's order; empty if there are none.
    native : bool
        Whether it is TensorFlow's own name, which counts *logical* devices.
    fastest : bool
        Whether to take the fastest of the devices that ``auto`` chooses among.
    identifiers : tuple of str
        The vendor's identifiers, or their beginnings, that were named instead of numbers;
        `devicekit.selection.device_ids` turns them into numbers.
    foreign : bool
        Whether the platform is a plug-in's.
    device_types : tuple of (str, str)
        What each framework calls the devices of such a platform.
    """

    text: str
    kind: str
    platform: Optional[str] = None
    indices: Tuple[int, ...] = ()
    native: bool = False
    fastest: bool = False
    identifiers: Tuple[str, ...] = ()
    foreign: bool = False
    device_types: Tuple[Tuple[str, str], ...] = ()

    @property
    def count(self) -> int:
        """How many devices are named; 0 if any will do."""
        return len(self.identifiers) or len(self.indices)


def parse_request(text: object, platforms: "Optional[Iterable[PlatformFacts]]" = None) -> Request:
    """Parse a device string.

    Parameters
    ----------
    text : str
        The device string.
    platforms : iterable of PlatformFacts or None
        The platforms of plug-ins, whose names are accepted too; by default those of this machine, which is examined only
        if the string is not one of devicekit's own.

    Raises
    ------
    ValueError
        If it is not a device; the message lists what is accepted.
    """
    if not isinstance(text, str):
        raise ValueError("a device is a string, not %s; accepted are %s" % (type(text).__name__, ACCEPTED))
    named = _NAMED.match(text.strip())
    if named is not None:
        identifiers = tuple(named.group(2).split(","))
        if len({item.lower() for item in identifiers}) != len(identifiers):
            raise ValueError("device %r names a device twice" % text[:80])
        return Request(text, "gpu", _PLATFORMS.get((named.group(1) or "").lower()), identifiers=identifiers)
    name = text.strip().lower()
    match = _NATIVE.match(name)
    native = match is not None
    if match is None:
        match = _PLAIN.match(name)
    if match is None:
        return _plugin_request(text, platforms)
    word, numbers = match.group(1), match.group(2)
    indices = _indices(text, numbers)
    if indices and word in ("auto", "fastest"):
        raise ValueError("'%s' takes no number; accepted are %s" % (word, ACCEPTED))
    if word == "fastest":
        return Request(text, "auto", fastest=True)
    if word in ("auto", "cpu", "tpu"):
        return Request(text, word, None, indices, native)
    return Request(text, "gpu", _PLATFORMS.get(word), indices, native)


_PLUGIN = re.compile(r"([a-z][a-z0-9]*)(?::(\d{1,4}(?:,\d{1,4})*))?$")
_PLUGIN_NATIVE = re.compile(
    r"(?:/job:localhost)?(?:/replica:0)?(?:/task:0)?/(?:device:|physical_device:)?(\w+):(\d{1,4})$"
)


def _plugin_request(text: str, platforms: "Optional[Iterable[PlatformFacts]]") -> Request:
    """Return the request for a platform of a plug-in: ``npu``, ``npu:0,2``, or TensorFlow's ``/device:NPU:0``."""
    name = text.strip().lower()
    match, native = _PLUGIN.match(name), _PLUGIN_NATIVE.match(name)
    installed: "Tuple[PlatformFacts, ...]" = ()
    if match is not None or native is not None:  # only then can it be the name of one
        installed = _installed() if platforms is None else tuple(platforms)
    for item in installed:
        word, numbers = (match or native).groups()  # type: ignore[union-attr]
        own = item.name if match is not None else (item.device_type("tensorflow") or "").lower()
        if own and word == own:
            indices = _indices(text, numbers)
            return Request(text, "gpu", item.name, indices, match is None, foreign=True, device_types=item.frameworks)
    further = "".join(", %r of %s" % (item.name, item.distribution) for item in installed)
    words = (*_WORDS, *(item.name for item in installed))
    near = did_you_mean(name.partition(":")[0], words, "")
    raise ValueError("unknown device %r%s; accepted are %s%s" % (text[:80], near, ACCEPTED, further))


def _installed() -> "Tuple[PlatformFacts, ...]":
    """Return the platforms of the plug-ins of this machine, or of the simulated one."""
    from ..machine.detect import detect_now

    return detect_now().platforms


def _indices(text: str, numbers: Optional[str]) -> Tuple[int, ...]:
    indices = tuple(int(number) for number in numbers.split(",")) if numbers else ()
    if len(set(indices)) != len(indices):
        raise ValueError("device %r names a device twice" % text[:80])
    return indices


_MEMORY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*$", re.I)


def parse_memory(value: object, name: str, others: str = "") -> int:
    """Return a number of bytes from ``8 * 1024**3``, ``"8GiB"`` or ``"8GB"``; ``others``: what the message names too.

    Raises
    ------
    ValueError
        If it is not an amount of memory, or not positive.
    """
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    if isinstance(value, str):
        match = _MEMORY.match(value)
        if match is not None:
            base = 1024 if match.group(3) else 1000
            power = " kmgt".find(match.group(2).lower() or " ")
            amount = int(float(match.group(1)) * base**power)
            if amount > 0:
                return amount
    raise ValueError("%s must be %sa number of bytes or a text such as '8GiB', not %r" % (name, others, value))
