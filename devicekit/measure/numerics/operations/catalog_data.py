"""Data of the suite: casts, movement, and numbers at the edges of arithmetic."""

from typing import Any, Tuple

from .input_values import EDGES
from .operation import Input, Operation

_HALF = ("float32", "float16")
_SQUARE = (len(EDGES), len(EDGES))
_ROWS = Input("a", _SQUARE, "edge rows")
_COLUMNS = Input("b", _SQUARE, "edge columns")
_EDGES = Input("x", (5 * len(EDGES),), "edges")
_WITH_NAN = Input("x", (20, 30), "with NaN", high=3.0)

#: The attributes of a reduction of the second of two axes.
_LAST = {"attributes": (("axes", (1,)),)}


def _moved(name: str, kind: str, inputs: Tuple[Input, ...], length: int = 1, **attributes: Any) -> Operation:
    """Nothing is rounded on the way there; ``length``: what the gradient adds up."""
    given = tuple(sorted(attributes.items()))
    return Operation(("%s %s" % (kind, name)).strip(), kind, inputs, given, length, exact=length == 1, dtypes=_HALF)


def _padded(name: str, shape: Tuple[int, ...], length: int, paddings: Tuple[Any, ...], mode: str) -> Operation:
    return _moved(name, "pad", (Input("x", shape),), length, paddings=paddings, mode=mode)


def _cast(to: str, x: Input, name: str = "") -> Operation:
    title = "cast to %s%s" % (to, name)
    return Operation(title, "cast", (x,), (("to", to),), differentiable=False, exact=True)


def _quantised(kind: str, name: str, x: Input, scale: float) -> Operation:
    title = ("%s %s" % (kind, name)).strip()
    return Operation(title, kind, (x,), (("scale", scale),), differentiable=False, exact=True)


def _edge(kind: str, *inputs: Input, name: str = "edge values", **options: Any) -> Operation:
    """Infinities, NaN, zeros: which result is what counts; finite ones are right to a few roundings."""
    options.setdefault("depth", 4)
    options.setdefault("scale", "element")
    return Operation("%s of %s" % (kind, name), kind, inputs, differentiable=False, **options)


DATA: Tuple[Operation, ...] = (
    _cast("float16", Input("x", (2000,), "signed magnitudes", -4, 4)),
    _cast("float16", Input("x", (2000,), "signed magnitudes", 4, 6), " out of range"),
    _cast("float16", _EDGES, " of edge values"),
    _cast("bfloat16", Input("x", (2000,), "signed magnitudes", -30, 30)),
    _cast("int32", Input("x", (2000,), "signed magnitudes", -2, 9)),
    _quantised("quantise_int8", "saturating", Input("x", (2000,), "normal", 0.0, 10.0), 0.125),
    _quantised("quantise_int8", "halves to even", Input("x", (600,), "distinct", high=0.25), 0.5),
    _quantised("dequantise_int8", "", Input("x", (600,), "whole", -128, 128, "int32"), 0.0625),
    _moved("", "identity", (Input("x", (300, 7)),)),
    _moved("along the last axis", "concat", (Input("a", (4, 5, 6)), Input("b", (4, 5, 9))), axis=2),
    _moved("along the first axis", "concat", (Input("a", (4, 5, 6)), Input("b", (7, 5, 6))), axis=0),
    _moved("in 3", "split", (Input("x", (4, 12, 5)),), count=3, axis=1),
    _padded("with zeros", (2, 5, 6, 3), 1, ((0, 0), (1, 2), (0, 3), (0, 0)), "constant"),
    _padded("by reflection", (2, 7, 6, 3), 4, ((0, 0), (2, 1), (3, 3), (0, 0)), "reflect"),
    _moved("of 4 axes", "transpose", (Input("x", (3, 4, 5, 6)),), permutation=(0, 3, 1, 2)),
    _moved("of a matrix", "transpose", (Input("x", (37, 53)),), permutation=(1, 0)),
    _moved("", "strided_slice", (Input("x", (9, 11, 6)),), begin=(1, 0, 2), end=(9, 11, 6), strides=(2, 3, 1)),
    _moved("2x3", "tile", (Input("x", (7, 5)),), 6, multiples=(2, 3)),
    _moved("", "reverse", (Input("x", (7, 12)),), axis=1),
    _moved("2", "depth_to_space", (Input("x", (2, 4, 5, 12)),), block=2),
    Operation(
        "where",
        "where",
        (Input("mask", (16, 30), "some", 0.0, 0.5, "int32"), Input("a", (16, 30)), Input("b", (16, 30))),
        dtypes=_HALF,
        exact=True,
    ),
    _edge("add", _ROWS, _COLUMNS, dtypes=_HALF),
    _edge("multiply", _ROWS, _COLUMNS, dtypes=_HALF),
    _edge("divide", _ROWS, _COLUMNS, dtypes=_HALF),
    _edge("less", _ROWS, _COLUMNS, exact=True),
    _edge("equal", _ROWS, _COLUMNS, exact=True),
    _edge("exp", _EDGES),
    _edge("log", _EDGES),
    # TensorFlow 1.15's own CPU takes the square root of infinity for NaN, and that of the largest number by half too large;
    # and the hyperbolic tangent of the smallest ones for zero.
    _edge("sqrt", Input("x", (5 * len(EDGES),), "finite edges"), name="finite edge values"),
    _edge("tanh", _EDGES, scale="norm"),
    _edge("sigmoid", _EDGES, scale="norm"),
    _edge("relu", _EDGES, exact=True),
    _edge("is_finite", _EDGES, exact=True),
    _edge("sum", _WITH_NAN, name="rows with NaN", scale="norm", accumulation=30, **_LAST),
    _edge("max", _WITH_NAN, name="rows with NaN", scale="norm", **_LAST),
    _edge("softmax", _WITH_NAN, name="rows with NaN", scale="norm"),
    _edge("maximum", Input("a", (20, 30), "with NaN", high=3.0), Input("b", (20, 30)), name="NaN and numbers"),
    # Devices and libraries may flush subnormal numbers to zero; no other value is allowed.
    _edge("multiply", Input("a", (400,), "subnormal", -126), Input("b", (400,), "constant", 1), name="subnormals by 1"),
    _edge("add", Input("a", (400,), "subnormal", -126), Input("b", (400,), "constant", 0), name="subnormals and 0"),
    _edge("abs", Input("x", (400,), "subnormal", -126), name="subnormals"),
    _edge("exp", Input("x", (400,), "uniform", -104.0, -80.0), name="what underflows"),
    _edge("abs", Input("x", (400,), "subnormal", -14), name="subnormals of float16", dtypes=("float16",)),
)
