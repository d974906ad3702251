"""Mathematics and data of the suite: reductions, order, elementwise functions; casts, movement, the edges of arithmetic."""

from typing import Any, Tuple

from .input_values import EDGES
from .operation import Input, Operation

_ALL = ("float32", "float16", "bfloat16")
_HALF = ("float32", "float16")


def _reduction(
    name: str,
    kind: str,
    x: Input,
    axes: Tuple[int, ...],
    length: int,
    *,
    scale: str = "absolute",
    depth: int = 1,
    dtypes: Tuple[str, ...] = ("float32",),
) -> Operation:
    return Operation(
        ("%s %s" % (kind, name)).strip(), kind, (x,), (("axes", axes),), length, depth, True, dtypes, scale
    )


def _ordered(name: str, kind: str, x: Input, attributes: Tuple[Tuple[str, Any], ...], **options: Any) -> Operation:
    """What only compares: nothing is rounded."""
    return Operation(("%s %s" % (kind, name)).strip(), kind, (x,), attributes, exact=True, **options)


def _function(
    kind: str,
    x: Input,
    *,
    name: str = "",
    depth: int = 4,
    scale: str = "norm",
    dtypes: Tuple[str, ...] = ("float32",),
    attributes: Tuple[Tuple[str, Any], ...] = (),
) -> Operation:
    """A function of one number; ``depth``: how many roundings a decent implementation has, see docs' numerics.md."""
    return Operation(("%s %s" % (kind, name)).strip(), kind, (x,), attributes, 1, depth, True, dtypes, scale)


def _pair(kind: str, a: Input, b: Input, *, name: str = "", depth: int = 1, **options: Any) -> Operation:
    return Operation(("%s %s" % (kind, name)).strip(), kind, (a, b), (), 1, depth, **options)


def _integers(kind: str, low: int, high: int, second: Tuple[int, int]) -> Operation:
    inputs = (Input("a", (300,), "whole", low, high, "int32"), Input("b", (300,), "whole", *second, "int32"))
    return Operation(kind, kind, inputs, differentiable=False, exact=True)


_X = Input("x", (24, 50), "normal", 0.0, 2.0)
_STANDARD = Input("x", (24, 50))
_DISTINCT = Input("x", (24, 50), "distinct", high=0.125)
_FAR = Input("x", (8, 500), "normal", 100.0, 1.0)
_IMAGES = Input("a", (8, 6, 6, 12))
_A = Input("a", (16, 30))
_POSITIVE = Input("a", (600,), "uniform", 0.1, 8.0)
_TIES = Input("x", (40, 50), "whole", -3, 4)

MATH: Tuple[Operation, ...] = (
    _reduction("of rows", "sum", Input("x", (16, 300)), (1,), 300, dtypes=_ALL),
    _reduction("of columns", "sum", Input("x", (300, 16)), (0,), 300),
    _reduction("of a million", "sum", Input("x", (1000000,)), (0,), 1000000),
    _reduction("of a million equal ones", "sum", Input("x", (1000000,), "constant", 0.1), (0,), 1000000),
    _reduction("that cancels", "sum", Input("x", (4096,), "canceling", high=0.5), (0,), 4096),
    _reduction("of two axes", "mean", Input("x", (8, 20, 12)), (0, 1), 160, dtypes=_ALL),
    _reduction("of 20000 around 1", "mean", Input("x", (2, 20000), "normal", 1.0, 0.5), (1,), 20000, dtypes=_HALF),
    _reduction("of rows", "variance", Input("x", (16, 300)), (1,), 300, scale="norm", depth=4),
    _reduction("mean 100 times the deviation", "variance", _FAR, (1,), 500, scale="norm", depth=4),
    _reduction("of rows", "prod", Input("x", (16, 12), "uniform", 0.5, 1.5), (1,), 12, scale="element", depth=12),
    _reduction("of rows", "l2_norm", Input("x", (16, 300)), (1,), 300, scale="norm", depth=3),
    _reduction("of rows", "logsumexp", Input("x", (16, 300), "normal", 0.0, 20.0), (1,), 300, scale="norm", depth=4),
    _reduction("of rows", "max", _DISTINCT, (1,), 1, scale="norm", dtypes=_HALF),
    _reduction("of rows", "min", _DISTINCT, (1,), 1, scale="norm"),
    Operation("cumsum of 400", "cumsum", (Input("x", (6, 400)),), (("axis", 1),), 400, scale="absolute"),
    _ordered("with ties", "argmax", _TIES, (("axis", 1),), differentiable=False, dtypes=_HALF),
    _ordered("of columns with ties", "argmax", _TIES, (("axis", 0),), differentiable=False),
    _ordered("with ties", "argmin", _TIES, (("axis", 1),), differentiable=False),
    _ordered("", "sort", _DISTINCT, (("descending", False),), dtypes=_HALF),
    _ordered("descending", "sort", _DISTINCT, (("descending", True),)),
    _ordered("of 5000", "sort", Input("x", (1, 5000), "distinct", high=0.25), (("descending", False),)),
    _ordered("", "top_k", _DISTINCT, (("k", 5),), dtypes=_HALF),
    _function("relu", _X, depth=1, dtypes=_ALL),
    _function("relu6", Input("x", (24, 50), "normal", 2.0, 4.0), depth=1),
    _function("leaky_relu", _X, depth=1, attributes=(("slope", 0.2),)),
    _function("elu", _X),
    _function("gelu", _STANDARD, name="exact", depth=8, attributes=(("approximate", False),)),
    _function("gelu", _STANDARD, name="by tanh", depth=8, attributes=(("approximate", True),), dtypes=_HALF),
    _function("silu", _X, depth=6, dtypes=_HALF),
    _function("softplus", _X, depth=6),
    _function("tanh", _X, dtypes=_ALL),
    _function("tanh", Input("x", (1200,), "signed magnitudes", -6, 2), name="small and large"),
    _function("sigmoid", _X, dtypes=_ALL),
    _function("erf", _X),
    _function("exp", Input("x", (1200,), "uniform", -80.0, 80.0), scale="element"),
    _function("exp", Input("x", (1200,), "uniform", -8.0, 8.0), name="half", scale="element", dtypes=_ALL),
    _function("expm1", Input("x", (1200,), "signed magnitudes", -6, 0), scale="element"),
    _function("log", Input("x", (1200,), "magnitudes", -30, 30)),
    _function("log", Input("x", (1200,), "uniform", 0.5, 2.0), name="near 1", dtypes=_HALF),
    _function("log1p", Input("x", (1200,), "magnitudes", -6, 3), scale="element"),
    _function("sqrt", Input("x", (1200,), "magnitudes", -30, 30), depth=2, scale="element"),
    _function("rsqrt", Input("x", (1200,), "magnitudes", -20, 30), depth=3, scale="element"),
    _function("reciprocal", Input("x", (1200,), "signed magnitudes", -15, 15), depth=3, scale="element"),
    _function("square", _X, depth=1, scale="element"),
    _function("abs", _X, depth=1),
    _function("sin", Input("x", (1200,), "uniform", -30.0, 30.0)),
    _function("cos", Input("x", (1200,), "uniform", -30.0, 30.0)),
    _ordered("", "floor", Input("x", (500,), "normal", 0.0, 20.0), (), differentiable=False),
    _ordered("halves to even", "round", Input("x", (500,), "distinct", high=0.5), (), differentiable=False),
    _pair("add", _A, Input("b", (16, 30)), scale="absolute", dtypes=_ALL),
    _pair("add", _IMAGES, Input("b", (12,), accumulation=288), name="a bias to images", scale="absolute", dtypes=_HALF),
    _pair("subtract", _A, Input("b", (16, 1), accumulation=30)),
    _pair("multiply", _A, Input("b", (16, 30)), scale="element", dtypes=_ALL),
    _pair("divide", _A, Input("b", (16, 30), "uniform", 0.25, 4.0), depth=3, scale="element", dtypes=_HALF),
    _pair("maximum", _A, Input("b", (16, 30))),
    _pair("minimum", _A, Input("b", (16, 30))),
    _pair("power", _POSITIVE, Input("b", (600,), "uniform", -4.0, 4.0), depth=16, scale="element"),
    _integers("integer_add", -(2**31), 2**31 - 1, (-(2**31), 2**31 - 1)),
    _integers("integer_multiply", -46340, 46340, (-46340, 46340)),
    _integers("integer_floor_divide", -1000000, 1000000, (1, 1000)),
    _integers("integer_floor_mod", -1000000, 1000000, (1, 1000)),
)


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
