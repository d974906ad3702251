"""The memory of a training step on PyTorch: run with tensors that have no values, whose life is followed."""

import weakref
from typing import Any, Dict, List, Set

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from .live_memory import Event, Spec, Step, peak_of

#: So many times a number is asked for at most: a loop until something is false would never end.
_ANSWERS = 10000


class _Storages(TorchDispatchMode):  # type: ignore[misc]
    """Follows each storage from the operation that makes it to its end; ``stage`` names what is made now."""

    def __init__(self) -> None:
        super().__init__()
        self.events: List[Event] = []
        self.stage = "arguments"
        self._names: Dict[int, str] = {}
        self._answers = _ANSWERS

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten._local_scalar_dense.default and self._answers:
            self._answers -= 1
            # A seed, a learning rate, or whether gradients are finite and applied in this step: nothing has a value here.
            return args[0].dtype == torch.bool or 1
        result = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(result):
            if isinstance(tensor, torch.Tensor):
                self._follow(tensor.untyped_storage())
        return result

    def _follow(self, storage: Any) -> None:
        key = storage._cdata
        if key not in self._names:
            name = "%s %d" % (self.stage, len(self.events))
            self._names[key] = name
            self.events.append((name, storage.nbytes()))
            weakref.finalize(storage, self._freed, key, storage.nbytes())

    def _freed(self, key: int, size: int) -> None:
        self.events.append((self._names.pop(key), -size))

    def names(self, tensors: List[Any]) -> Set[str]:
        return {self._names[item.untyped_storage()._cdata] for item in tensors if item is not None}


def parts(step: Step) -> Dict[str, int]:
    """Return what a step needs next to its arguments."""

    def empty(specs: List[Spec]) -> List[Any]:
        return [torch.empty(spec.shape, dtype=getattr(torch, spec.dtype)) for spec in specs]

    storages = _Storages()
    with FakeTensorMode(allow_non_fake_inputs=True), storages:
        trainable = [torch.nn.Parameter(item) for item in empty(step.trainable)]
        others, optimizer, inputs, targets = map(empty, (step.others, step.optimizer, step.inputs, step.targets))
        storages.stage = "activations"
        loss, kept = step.loss(trainable, others, inputs, targets)
        storages.stage = "workspace"
        loss.backward()
        gradients = [item.grad for item in trainable]
        named = storages.names(gradients)
        with torch.no_grad():
            step.update(optimizer, gradients, trainable)
        events = list(storages.events)
        del loss, kept
    found = {"activations": 0, "gradients": 0, "workspace": 0}
    for name, size in peak_of(events).items():
        part = "gradients" if name in named else name.partition(" ")[0]
        if part in found:
            found[part] += size
    return found
