"""Finding the first NaN of a training with Keras 3 on PyTorch."""

import contextlib
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import keras
import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .replay import Replay, State, Trace, all_variables, as_float


class _Operations(TorchDispatchMode):  # type: ignore[misc]
    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self._trace = trace

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        outputs = func(*args, **(kwargs or {}))
        self._trace.operation(func.overloadpacket.__name__, list(args), outputs)
        return outputs


class TorchReplay(Replay):
    """Keras calls ``train_function([batch])``."""

    framework = "torch"

    def call(self, function: Any, arguments: Tuple[Any, ...], copy: bool) -> Tuple[Any, Optional[List[Any]]]:
        batches = list(arguments[0])
        if copy:
            batches = self.map(lambda item: item.clone() if isinstance(item, torch.Tensor) else item, batches)
        return function(*arguments), batches

    def _tensors(self) -> Dict[str, Any]:
        found = {name: item.value for name, item in all_variables(self.model).items()}
        known = {id(item) for item in found.values()}
        # What a module of PyTorch in a layer has besides.
        found.update({name: item for name, item in self.model.named_buffers() if id(item) not in known})
        return found

    def variable_count(self) -> int:
        return len(self._tensors())

    def state(self, outputs: Any = None, copy: bool = True) -> State:
        found = self._tensors()
        values = tuple(_array(item, copy) for item in found.values())
        random = [torch.get_rng_state()]
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            random += torch.cuda.get_rng_state_all()
        return State(tuple(found), values, tuple(found.values()), random)

    @contextlib.contextmanager
    def restored(self) -> Iterator[None]:
        gradients = [(item, item.grad) for item in self.model.parameters()]
        for item, _ in gradients:
            item.grad = None
        try:
            with super().restored():
                yield
        finally:
            for item, gradient in gradients:
                item.grad = gradient

    def load(self, state: State) -> None:
        with torch.no_grad():
            for tensor, value in zip(state.variables, state.values):
                tensor.copy_(torch.from_numpy(np.array(value)))
        torch.set_rng_state(state.random[0])
        if len(state.random) > 1:
            torch.cuda.set_rng_state_all(state.random[1:])

    def step(self, function: Any, batch: Any) -> Any:
        return function([batch])

    def device(self) -> str:
        names = {str(item.value.device) for item in self.model.trainable_variables}
        return "cpu" if names <= {"cpu"} else sorted(names)[-1]

    def to_array(self, tensor: Any) -> Optional[np.ndarray]:
        if not isinstance(tensor, torch.Tensor) or not tensor.is_floating_point() or tensor.layout != torch.strided:
            return None
        with torch.utils._python_dispatch._disable_current_modes():
            return as_float(_array(tensor.detach(), False)) if tensor.device.type != "meta" else None

    def widened(self, tensor: Any) -> Any:
        return tensor.double() if isinstance(tensor, torch.Tensor) and tensor.is_floating_point() else tensor

    def probe(self, tensor: Any, backward: Callable[[Any], None]) -> Any:
        if not tensor.requires_grad:
            return tensor
        alias = tensor.clone()
        alias.register_hook(lambda gradient: backward(gradient))
        return alias

    @contextlib.contextmanager
    def computing(self, trace: Trace, on_cpu: bool, double: bool) -> Iterator[None]:
        with contextlib.ExitStack() as scopes:
            if double:
                self.double(scopes)
            if on_cpu:
                for item in self._tensors().values():
                    scopes.callback(setattr, item, "data", item.data)
                    item.data = (self.widened(item.data) if double else item.data).to("cpu")
                scopes.enter_context(keras.device("cpu"))
            scopes.enter_context(_Operations(trace))
            yield

    def run_step(self, batch: Any) -> None:
        device = next((item.value.device for item in self.model.trainable_variables), torch.device("cpu"))
        moved = self.map(lambda item: item.to(device) if isinstance(item, torch.Tensor) else item, batch)
        self.model.train()
        try:
            self.model.train_step(moved)
        finally:
            self.model.zero_grad()


def _array(tensor: Any, copy: bool) -> np.ndarray:
    tensor = tensor.detach()
    exact = tensor.float() if tensor.dtype == torch.bfloat16 else tensor
    array: np.ndarray = exact.to("cpu", copy=copy).numpy()
    return array
