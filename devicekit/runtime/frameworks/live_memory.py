"""How much memory a program needs at once: the peak of what is alive while a schedule runs. Imports no framework.

`peak_of` replays allocations and frees; `events_of` finds them for a list of operations; `xla_operations` reads such a list
from the text of a program that XLA compiled.
"""

import re
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, NamedTuple, Sequence, Set, Tuple

#: A buffer and what it takes, or minus that where it is freed.
Event = Tuple[str, int]


class Spec(NamedTuple):
    """The shape and dtype of an array."""

    shape: Tuple[int, ...]
    dtype: str


class Step(NamedTuple):
    """A training step.

    Attributes
    ----------
    loss : callable
        From trainable and other variables, inputs and targets to the loss, and to the outputs with the other variables;
        with None for the variables it reads the model's own.
    update : callable or None
        From optimizer variables, gradients and trainable variables to new variables (not on TensorFlow).
    trainable, others, optimizer, inputs, targets : list of Spec
    variables : list
        The model's own, those that are trained.
    """

    loss: Callable[..., Tuple[Any, Any]]
    update: Any
    trainable: List[Spec]
    others: List[Spec]
    optimizer: List[Spec]
    inputs: List[Spec]
    targets: List[Spec]
    variables: List[Any]


class Operation(NamedTuple):
    """One operation of a schedule.

    Attributes
    ----------
    name : str
        Of its result.
    operands : tuple of str
        The results that it reads.
    bytes : int
        What it allocates for its result.
    alias : bool
        Whether its operands are in its result, and so live as long as that.
    reuses : bool
        Whether its result may take the place of an operand of the same size that is read for the last time.
    workspace : int
        What the schedule has for it besides while it runs.
    scratch : int
        What its kernel takes for itself while it runs, which no schedule has.
    backward : bool
        Whether it is a part of the backward pass.
    """

    name: str
    operands: Tuple[str, ...] = ()
    bytes: int = 0
    alias: bool = False
    reuses: bool = False
    workspace: int = 0
    scratch: int = 0
    backward: bool = False


def peak_of(events: Iterable[Event]) -> Dict[str, int]:
    """Return the buffers that are alive when most memory is taken, each with its bytes.

    >>> peak_of([("a", 4), ("b", 8), ("a", -4), ("c", 2), ("b", -8)])
    {'a': 4, 'b': 8}
    """
    events = list(events)
    live = most = until = 0
    for number, (_, size) in enumerate(events):
        live += size
        if live > most:
            most, until = live, number + 1
    alive: Dict[str, int] = {}
    for name, size in events[:until]:
        if size > 0:
            alive[name] = size
        else:
            alive.pop(name, None)
    return alive


def events_of(operations: Sequence[Operation]) -> List[Event]:
    """Return allocations and frees: a result lives until it is read for the last time.

    >>> events_of([Operation("a", (), 4), Operation("b", ("a",), 4, reuses=True), Operation("c", ("b",), 2)])
    [('a', 4), ('a', -4), ('b', 4), ('c', 2), ('b', -4), ('c', -2)]
    """
    held: Dict[str, FrozenSet[str]] = {}  # the buffers that a result consists of
    last: Dict[str, int] = {}
    for number, operation in enumerate(operations):
        read = frozenset().union(*(held.get(name, ()) for name in operation.operands))
        own = frozenset((operation.name,)) if operation.bytes else frozenset()
        held[operation.name] = own | read if operation.alias else own
        last.update(dict.fromkeys(read | own, number))
    ending: Dict[int, List[str]] = {}
    for name, number in last.items():
        ending.setdefault(number, []).append(name)
    sizes = {operation.name: operation.bytes for operation in operations}
    events: List[Event] = []
    for number, operation in enumerate(operations):
        ended = ending.get(number, [])
        if operation.reuses and operation.bytes:
            same = [name for name in ended if sizes[name] == operation.bytes and name != operation.name][:1]
            events += [(name, -sizes[name]) for name in same]
            ended = [name for name in ended if name not in same]
        events += [(operation.name, operation.bytes)] if operation.bytes else []
        if operation.workspace:
            space = operation.name + "/workspace"
            events += [(space, operation.workspace), (space, -operation.workspace)]
        events += [(name, -sizes[name]) for name in ended]
    return events


#: The part of its patches that a convolution of a dilated image holds at once, and the bytes of each group that it holds in
#: any case: 0.3 to 0.94 of the patches were measured.
_PATCHES, _GROUP = 0.3, 600000

_SHAPE = re.compile(r"\b(pred|bf16|f\d+\w*|[su]\d+|c64|c128)\[([\d,]*)\]")
_LINE = re.compile(r"^\s*(ROOT )?%?([\w.-]+) = (\(?.*?[\])}]) ([a-z][\w-]*)\((.*)$")
_HEAD = re.compile(r"^(ENTRY )?%?([\w.-]+) \(.*\{$")
_NAME = re.compile(r"%([\w.-]+)")
_GROUPS = re.compile(r"\bfeature_group_count=(\d+)")
_WINDOW = re.compile(r"\bwindow=\{size=([\dx]+)")
_CALLED = re.compile(r"\b(?:calls|to_apply|body|condition|\w+_computations?)=(%[\w.-]+|\{.*?\})")
_UPDATES = {"dynamic-update-slice", "scatter"}
_ALIASES = {"bitcast", "tuple", "get-tuple-element", "while", "optimization-barrier", "call", "conditional", *_UPDATES}
#: Their results need a buffer that none of their operands can give; a fusion's too if one of these is in it.
_APART = {"dot", "convolution", "transpose", "reduce", "gather", "concatenate", "custom-call", "reduce-window", "pad",
          "copy", "reverse"}  # fmt: skip


def shape_bytes(text: str) -> int:
    """Return the size of a value as XLA writes its shape; of a tuple the sum.

    >>> shape_bytes("f32[8,2]{1,0}"), shape_bytes("(s32[], bf16[4], pred[3])"), shape_bytes("s4[3]")
    (64, 15, 3)
    """
    total = 0
    for kind, sizes in _SHAPE.findall(text):
        digits = re.match(r"[a-z]+(\d+)", kind)
        size = max(1, int(digits.group(1)) // 8) if digits else 1
        for length in filter(None, sizes.split(",")):
            size *= int(length)
        total += size
    return total


class _Module:
    """The computations of an HLO module, as lines that are taken apart."""

    def __init__(self, text: str) -> None:
        self.lines: Dict[str, List[Tuple[str, str, str, str]]] = {}
        self.roots: Dict[str, str] = {}
        self.entry = current = ""
        self._needs: Dict[str, int] = {}
        self.sizes: Dict[str, int] = {}
        for line in text.splitlines():
            head, match = _HEAD.match(line), _LINE.match(line)
            if head:
                current = head.group(2)
                self.entry = current if head.group(1) else self.entry
                self.lines[current] = []
            elif match and current:
                root, name, shape, opcode, rest = match.groups()
                self.lines[current].append((name, shape, opcode, rest))
                self.sizes[name] = shape_bytes(shape)
                if root:
                    self.roots[current] = opcode

    def operations(self, computation: str) -> List[Operation]:
        return [self._operation(*line) for line in self.lines[computation]]

    def _operation(self, name: str, shape: str, opcode: str, rest: str) -> Operation:
        names = _NAME.findall(" ".join(_CALLED.findall(rest)))
        called = [item for item in names if item in self.lines]
        alias = opcode in _ALIASES or (opcode == "fusion" and any(self.roots[item] in _UPDATES for item in called))
        allocates = not alias and opcode not in ("parameter", "constant")
        operands = tuple(_NAME.findall(rest.partition("), ")[0]))
        workspace = max([self._need(item) for item in called] or [0]) if opcode != "fusion" else 0
        custom = opcode == "fusion" and "kind=kCustom" in rest
        lines = [(name, shape, opcode, rest)]
        if opcode == "fusion":
            lines = [line for item in called for line in self.lines[item]]
        scratch = sum(self._scratch(*line) for line in lines)
        reuses = not custom and _APART.isdisjoint(line[2] for line in lines)
        backward = "transpose(" in rest.partition("op_name=")[2] or "gradient_tape" in rest
        size = shape_bytes(shape) if allocates else 0
        return Operation(name, operands, size, alias, reuses, workspace, scratch, backward)

    def _scratch(self, name: str, shape: str, opcode: str, rest: str) -> int:
        """Return what the processor's kernel for a convolution takes, as it was measured."""
        if opcode != "convolution":
            return 0
        image, kernel = (self.sizes.get(item, 0) for item in _NAME.findall(rest.partition("), ")[0])[:2])
        window, groups = _WINDOW.search(rest), _GROUPS.search(rest)
        if "lhs_dilate=" in rest and window:  # the gradient of an image from a convolution with strides
            patches = shape_bytes(shape)
            for length in window.group(1).split("x"):
                patches *= int(length)
            return min(patches, max(int(_PATCHES * patches), _GROUP * int(groups.group(1) if groups else 0)))
        if groups:
            return image
        # The padded image, twice from 65 channels on, and the packed kernel.
        channels = int(re.findall(r"\d+(?=\])", shape)[0])
        return image * (1 + (channels > 64)) + kernel

    def _need(self, computation: str) -> int:
        if computation not in self._needs:
            operations = self.operations(computation)
            self._needs[computation] = sum(peak_of(events_of(operations)).values()) + scratch_of(operations)
        return self._needs[computation]


def scratch_of(operations: Sequence[Operation]) -> int:
    """Return the most that kernels take for themselves at once: two in a row run together if one does not read the other.

    >>> scratch_of([Operation("a", scratch=4), Operation("b", scratch=2), Operation("c", ("b",), scratch=3)])
    6
    """
    most = before = 0
    reading: Set[str] = set()
    for operation in operations:
        if not reading.isdisjoint(operation.operands):
            reading.add(operation.name)
        if operation.scratch:
            most = max(most, operation.scratch + (0 if operation.name in reading else before))
            before, reading = operation.scratch, {operation.name}
    return most


def xla_operations(text: str) -> List[Operation]:
    """Return the schedule of a compiled HLO module; what the program returns is the new state, in the place of the old."""
    module = _Module(text)
    if not module.entry:
        return []
    operations = module.operations(module.entry)
    results = set(operations[-1].operands)
    return [item._replace(bytes=0) if item.name in results else item for item in operations]


def xla_parts(operations: Sequence[Operation]) -> Dict[str, int]:
    """Return the bytes at the peak of such a schedule: ``activations``, ``gradients``, ``workspace``.

    XLA has the memory of its schedule until the step ends: what a kernel takes comes on top, whenever it runs.
    """
    results = set(operations[-1].operands)
    by_name = {item.name: item for item in operations}
    read: Set[str] = {name for item in operations if item.name in results for name in item.operands}
    parts = {"activations": 0, "gradients": 0, "workspace": scratch_of(operations)}
    for name, size in peak_of(events_of(operations)).items():
        item = by_name.get(name)
        backward = item is None or item.backward
        parts["activations" if not backward else "gradients" if name in read else "workspace"] += size
    return parts
