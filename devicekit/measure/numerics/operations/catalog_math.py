"""Mathematics of the suite: reductions, order, activations and elementwise functions."""

from typing import Any, Tuple

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
