"""Layers of the suite: pooling, resizing, normalization, softmax and losses, tables."""

from typing import Any, Tuple

import numpy as np

from .operation import Input, Operation

_ALL = ("float32", "float16", "bfloat16")
_HALF = ("float32", "float16")
_EPSILON = ("epsilon", 0.001)
_PERMUTED = Input("indices", (12,), "permutation", 0, 20, "int32")


def _pool(
    name: str,
    kind: str,
    shape: Tuple[int, ...],
    size: Any,
    strides: Any,
    padding: str,
    taps: int,
    dtypes: Tuple[str, ...] = ("float32",),
) -> Operation:
    largest = kind.startswith("max")
    # Where two are the largest, frameworks and devices may pick either for the gradient.
    x = Input("x", shape, "distinct", high=0.125) if largest else Input("x", shape)
    attributes = (("size", size), ("strides", strides), ("padding", padding))
    return Operation(("%s %s" % (kind, name)).strip(), kind, (x,), attributes, taps, dtypes=dtypes)


def _resized(name: str, shape: Tuple[int, ...], size: Tuple[int, int]) -> Operation:
    x = Input("x", shape, accumulation=16)
    return Operation("resize_bilinear " + name, "resize_bilinear", (x,), (("size", size),), 4, 9)


def _depth(mean: float) -> int:
    """Roundings of a normalization; the mean is rounded as coarsely as it is larger than the deviation."""
    return 16 if mean else 4


def _batch_norm(name: str, shape: Tuple[int, ...], mean: float, dtypes: Tuple[str, ...]) -> Operation:
    count = int(np.prod(shape[:-1]))
    inputs = (
        Input("x", shape, "normal", mean, 1.0),
        Input("scale", shape[-1:], "uniform", 0.5, 1.5),
        Input("offset", shape[-1:]),
    )
    return Operation(
        "batch_norm_training " + name, "batch_norm_training", inputs, (_EPSILON,), count, _depth(mean), dtypes=dtypes
    )


def _norm(
    name: str,
    kind: str,
    shape: Tuple[int, ...],
    count: int,
    rows: int,
    dtypes: Tuple[str, ...],
    attributes: Tuple[Tuple[str, Any], ...] = (),
    mean: float = 0.0,
) -> Operation:
    """``count``: how many are normalized together; ``rows``: over how many the gradients of scale and offset add up."""
    inputs: Tuple[Input, ...] = (
        Input("x", shape, "normal", mean, 1.0),
        Input("scale", shape[-1:], "uniform", 0.5, 1.5, accumulation=rows),
        Input("offset", shape[-1:], accumulation=rows),
    )
    if kind == "rms_norm":
        inputs = inputs[:2]
    return Operation(kind + name, kind, inputs, (_EPSILON, *attributes), count, _depth(mean), dtypes=dtypes)


def _rowwise(name: str, kind: str, rows: int, classes: int, size: float, dtypes: Tuple[str, ...]) -> Operation:
    """Softmax and losses: a sum over the classes, and an exponential or logarithm or two."""
    inputs: Tuple[Input, ...] = (Input("logits", (rows, classes), "normal", 0.0, size),)
    if kind == "softmax_cross_entropy":
        inputs += (Input("labels", (rows, classes), "probabilities", differentiable=False),)
    elif kind == "sparse_softmax_cross_entropy":
        inputs += (_whole("labels", (rows,), classes),)
    elif kind == "sigmoid_cross_entropy":
        inputs += (Input("labels", (rows, classes), "uniform", 0.0, 1.0, differentiable=False),)
    # Most of what exponentials give is next to nothing next to the largest.
    return Operation(("%s %s" % (kind, name)).strip(), kind, inputs, (), classes, 4, dtypes=dtypes, scale="largest")


def _whole(name: str, shape: Tuple[int, ...], most: int) -> Input:
    return Input(name, shape, "whole", 0, most, "int32")


def _summed(name: str, shape: Tuple[int, ...], accumulation: int) -> Input:
    return Input(name, shape, accumulation=accumulation)


def _scattered(shape: Tuple[int, int], indices: Input) -> Tuple[Input, ...]:
    return Input("x", shape), indices, Input("updates", indices.shape + shape[1:])


def _indexed(name: str, kind: str, *inputs: Input, repeats: int = 1, **options: Any) -> Operation:
    """``repeats``: how often one row is read or written."""
    attributes = options.pop("attributes", ())
    return Operation(("%s %s" % (kind, name)).strip(), kind, inputs, attributes, repeats, scale="absolute", **options)


LAYERS: Tuple[Operation, ...] = (
    _pool("2x2", "max_pool2d", (2, 14, 14, 4), (2, 2), (2, 2), "valid", 1, _HALF),
    _pool("2x2 valid, odd size", "max_pool2d", (2, 13, 11, 4), (2, 2), (2, 2), "valid", 1),
    _pool("3x3 stride 2 same", "max_pool2d", (2, 14, 14, 4), (3, 3), (2, 2), "same", 4, _HALF),
    _pool("3x3 stride 2 same, odd size", "max_pool2d", (2, 15, 13, 4), (3, 3), (2, 2), "same", 4),
    _pool("2 stride 2 same, odd size", "max_pool1d", (2, 51, 6), 2, 2, "same", 1),
    _pool("2x2x2 valid", "max_pool3d", (1, 7, 8, 9, 4), (2, 2, 2), (2, 2, 2), "valid", 1),
    _pool("2x2", "average_pool2d", (2, 14, 14, 8), (2, 2), (2, 2), "valid", 4, _ALL),
    _pool("3x3 stride 2 same, odd size", "average_pool2d", (2, 15, 13, 8), (3, 3), (2, 2), "same", 9),
    _pool("3x3 stride 1 same", "average_pool2d", (2, 12, 12, 8), (3, 3), (1, 1), "same", 9),
    _pool("2x2x2 same", "average_pool3d", (1, 7, 8, 9, 4), (2, 2, 2), (2, 2, 2), "same", 8),
    Operation("global_average_pool2d", "global_average_pool2d", (Input("x", (2, 7, 7, 32)),), (), 49, dtypes=_ALL),
    Operation(
        "global_max_pool2d", "global_max_pool2d", (Input("x", (2, 7, 7, 16), "distinct", high=0.125),), dtypes=_HALF
    ),
    Operation(
        "upsample_nearest 2x2", "upsample_nearest", (Input("x", (2, 7, 9, 6)),), (("factor", (2, 2)),), 4, dtypes=_HALF
    ),
    _resized("8x10 to 16x20", (2, 8, 10, 4), (16, 20)),
    _resized("12x9 to 7x13", (1, 12, 9, 4), (7, 13)),
    _batch_norm("of images", (4, 9, 9, 16), 0.0, _ALL),
    _batch_norm("mean 10 times the deviation", (8, 6, 6, 8), 10.0, ("float32",)),
    Operation(
        "batch_norm_inference",
        "batch_norm_inference",
        (
            Input("x", (4, 9, 9, 16)),
            Input("scale", (16,), "uniform", 0.5, 1.5, accumulation=324),
            Input("offset", (16,), accumulation=324),
            Input("mean", (16,), differentiable=False),
            Input("variance", (16,), "uniform", 0.5, 2.0, differentiable=False),
        ),
        (_EPSILON,),
        1,
        4,
        dtypes=_HALF,
    ),
    _norm("", "layer_norm", (24, 256), 256, 24, _ALL),
    _norm(" mean 10 times the deviation", "layer_norm", (24, 128), 128, 24, ("float32",), mean=10.0),
    _norm(" 4 groups", "group_norm", (3, 6, 6, 16), 144, 108, ("float32",), (("groups", 4),)),
    _norm("", "rms_norm", (24, 256), 256, 24, _ALL),
    _rowwise("", "softmax", 32, 50, 1.0, _ALL),
    _rowwise("large logits", "softmax", 16, 100, 50.0, ("float32",)),
    _rowwise("of 5000 classes", "softmax", 4, 5000, 3.0, ("float32",)),
    _rowwise("", "log_softmax", 32, 50, 1.0, _ALL),
    _rowwise("large logits", "log_softmax", 16, 100, 50.0, ("float32",)),
    _rowwise("", "softmax_cross_entropy", 32, 50, 1.0, _HALF),
    _rowwise("large logits", "softmax_cross_entropy", 16, 100, 50.0, ("float32",)),
    _rowwise("", "sparse_softmax_cross_entropy", 32, 50, 1.0, _HALF),
    _rowwise("of 5000 classes", "sparse_softmax_cross_entropy", 8, 5000, 3.0, ("float32",)),
    _rowwise("", "sigmoid_cross_entropy", 16, 20, 2.0, ("float32",)),
    _indexed("ids repeated", "embedding", _summed("table", (40, 16), 20), _whole("ids", (8, 25), 40), dtypes=_HALF),
    _indexed("one of 3 ids 600 times", "embedding", _summed("table", (3, 8), 300), _whole("ids", (600,), 3)),
    _indexed("rows", "gather", _summed("x", (20, 12), 8), _whole("indices", (30,), 20), attributes=(("axis", 0),)),
    _indexed("columns", "gather", _summed("x", (12, 20), 8), _whole("indices", (30,), 20), attributes=(("axis", 1),)),
    _indexed("indices repeated", "scatter_add", *_scattered((10, 8), _whole("indices", (60,), 10)), repeats=15),
    _indexed("", "scatter_update", *_scattered((20, 8), _PERMUTED), exact=True),
    _indexed(
        "",
        "segment_sum",
        _summed("x", (80, 6), 1),
        _whole("segments", (80,), 8),
        repeats=20,
        attributes=(("count", 8),),
    ),
    Operation(
        "one_hot", "one_hot", (_whole("indices", (30,), 12),), (("depth", 12),), differentiable=False, exact=True
    ),
)
