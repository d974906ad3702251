"""Arithmetics for the tests: sums in several orders, and products of rounded factors, as devices compute them."""

import numpy as np

BITS = {"tf32": 10, "bfloat16": 7}


def rounded(values, name, cut=False):
    """Return float32 numbers with as many bits as the arithmetic has, rounded to nearest or cut."""
    lost = 23 - BITS[name]
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
    if not cut:
        bits = bits + (1 << (lost - 1)) - 1 + ((bits >> np.uint64(lost)) & np.uint64(1))
    return ((bits >> np.uint64(lost)) << np.uint64(lost)).astype(np.uint32).view(np.float32)


def one_after_the_other(a, b):
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        total += np.outer(a[:, k], b[k])
    return total


def backwards(a, b):
    return one_after_the_other(a[:, ::-1], b[::-1])


def fused(a, b):
    """With one rounding for a product and its addition."""
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        total = (total + np.outer(a[:, k].astype(np.float64), b[k])).astype(np.float32)
    return total


def in_blocks(a, b, size=32):
    parts = [a[:, k : k + size] @ b[k : k + size] for k in range(0, a.shape[1], size)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def pairwise(a, b):
    return np.stack([(a * column).sum(axis=1, dtype=np.float32) for column in b.T], axis=1)


def library(a, b):
    return a @ b


ORDERS = (one_after_the_other, backwards, fused, in_blocks, pairwise, library)


def factors(rng, rows=12, inner=256, columns=16, kind="normal"):
    def numbers(*shape):
        normal = rng.standard_normal(shape)
        made = {"normal": normal, "positive": np.abs(normal), "heavy": normal * np.exp(2 * rng.standard_normal(shape))}
        return made[kind].astype(np.float32)

    return numbers(rows, inner), numbers(inner, columns)


def exact(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)
