"""PyTorch tensors."""

import contextlib
import warnings
from typing import Any, Callable, ContextManager, Dict, Iterator, List, Tuple

import numpy as np
import torch

from .tensors import Fallbacks, Function, Pulled, Tensors, Weigh, fallback_operators
from .torch_keras import keras_core


class TorchTensors(Tensors):
    """PyTorch 2. Its switches for TF32 and reduced precision are left as the user has them."""

    framework = "torch"

    def __init__(self) -> None:
        self._device = ""

    def devices(self) -> Tuple[str, ...]:
        from .keras_torch import TorchAdapter

        return ("cpu:0", *TorchAdapter().visible())

    @contextlib.contextmanager
    def on(self, device: str) -> Iterator[None]:
        before, self._device = self._device, "cpu" if device == "cpu:0" else device
        try:
            yield
        finally:
            self._device = before

    def device_of(self, tensor: Any) -> str:
        return "%s:%d" % (tensor.device.type, tensor.device.index or 0)

    @contextlib.contextmanager
    def fallbacks(self) -> Iterator[Fallbacks]:
        """Note operators that fall back; other warnings are shown at the end, as ever.

        PyTorch warns of it once in a process, unless it is told to always.
        """
        always = torch.is_warn_always_enabled()
        torch.set_warn_always(True)
        caught: List[Any] = []
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                yield lambda: fallback_operators(str(item.message) for item in caught)
        finally:
            torch.set_warn_always(always)
            for item in caught:
                if not fallback_operators([str(item.message)]):
                    warnings.warn_explicit(item.message, item.category, item.filename, item.lineno, registry=_shown)

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor)

    def is_traced(self, value: Any) -> bool:
        if not isinstance(value, torch.Tensor):
            return False
        # Inside vmap a tensor stands for many; fake and meta tensors have no values.
        return bool(torch._C._functorch.is_functorch_wrapped_tensor(value)) or value.device.type == "meta"

    def dtype(self, name: str) -> Any:
        return getattr(torch, name)

    def dtype_of(self, tensor: Any) -> str:
        return str(tensor.dtype).rpartition(".")[2]

    def to_tensor(self, array: np.ndarray, dtype: str, copy: bool = True) -> Any:
        # Rounded on the CPU, so that every device sees the same numbers; Metal has no float64 to begin with.
        value = torch.from_numpy(np.array(array)).to(getattr(torch, dtype))
        return value.to(self._device or str(keras_core().get_device()))

    def to_numpy(self, value: Any) -> np.ndarray:
        if not isinstance(value, torch.Tensor):
            other: np.ndarray = np.asarray(value)
            return other
        tensor = value.detach()
        if tensor.layout != torch.strided:
            tensor = tensor.to_dense()
        tensor = tensor.cpu()
        tensor = tensor.float() if tensor.dtype == torch.bfloat16 else tensor
        array: np.ndarray = np.array(tensor.resolve_conj().resolve_neg().numpy())
        return array

    def variable_to_numpy(self, variable: Any) -> np.ndarray:
        return self.to_numpy(getattr(variable, "value", variable))

    def without_gradients(self) -> ContextManager[Any]:
        scope: ContextManager[Any] = torch.no_grad()
        return scope

    def vjp(
        self,
        function: Function,
        values: List[Any],
        others: List[Any],
        weigh: Weigh,
        key: Any = None,
        loops: bool = False,
    ) -> Pulled:
        # Parameters of a module are leaves already, and the module holds them.
        leaves = [value if value.requires_grad else value.detach().requires_grad_(True) for value in values]
        with torch.enable_grad():
            outputs, more = function(leaves, others)
            gradients: List[Any] = [None] * len(leaves)
            try:
                linked = [o if isinstance(o, torch.Tensor) and o.requires_grad else None for o in outputs]
                weights = self._weights(linked, weigh) if leaves else []
                pairs = [(o, w) for o, w in zip(linked, weights) if w is not None]
                if pairs:
                    gradients = list(
                        torch.autograd.grad([o for o, _ in pairs], leaves, [w for _, w in pairs], allow_unused=True)
                    )
            except Exception as error:  # an operation may have none
                return Pulled(outputs, more, [None] * len(leaves), error)
        return Pulled(outputs, more, gradients)

    def on_cpu(self, function: Callable[[List[Any]], List[Any]], values: List[Any]) -> List[Any]:
        core = keras_core()
        home = core.get_device()
        with core.device_scope("cpu"):
            # PyTorch computes gradients where the forward pass was, and takes copies back the way they came.
            results = function([item.to("cpu") for item in values])
        return [item.to(home) for item in results]

    @contextlib.contextmanager
    def seeded(self, seed: int) -> Iterator[None]:
        others = {"cuda": torch.cuda, "xpu": getattr(torch, "xpu", None)}
        started = {name: module for name, module in others.items() if module is not None and module.is_initialized()}
        before = {name: module.get_rng_state_all() for name, module in started.items()}
        mps = torch.mps.get_rng_state() if torch.backends.mps.is_available() else None
        processor = torch.get_rng_state()
        torch.manual_seed(seed)
        try:
            yield
        finally:
            torch.set_rng_state(processor)
            for name, module in started.items():
                module.set_rng_state_all(before[name])
            if mps is not None:
                torch.mps.set_rng_state(mps)

    def precision_settings(self) -> Tuple[str, ...]:
        found = []
        for name, module in (("cuda.matmul", torch.backends.cuda.matmul), ("cudnn", torch.backends.cudnn)):
            try:
                if module.allow_tf32:
                    found.append("torch.backends.%s.allow_tf32 = True" % name)
            except RuntimeError:  # 2.9 and later: set by the newer name, and the older one refuses to answer
                found.append("torch.backends.%s.fp32_precision = %r" % (name, getattr(module, "fp32_precision", "?")))
        return tuple(found)


#: Warnings that were shown already, as a module's own registry would note them.
_shown: Dict[Any, Any] = {}
