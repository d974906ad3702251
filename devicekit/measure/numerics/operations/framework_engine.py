"""The engine of each framework."""

from typing import Optional

from .engine import Engine


def engine(framework: Optional[str]) -> Engine:
    """Return the engine of a framework; this imports the framework.

    Raises
    ------
    ImportError
        Or whatever else the framework's import raises.
    """
    if framework == "tensorflow1":
        from .graph_engine import GraphEngine

        return GraphEngine()
    from .eager_engine import JaxEngine, TensorFlowEngine, TorchEngine

    if framework == "jax":
        return JaxEngine()
    return TorchEngine() if framework == "torch" else TensorFlowEngine()
