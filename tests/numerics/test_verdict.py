"""Clean float32 agrees in whatever order it adds; coarser arithmetic is named; planted faults differ."""

import numpy as np
import pytest
from rounding import ORDERS, exact, factors, rounded

from devicekit.measure.numerics.result import Difference
from devicekit.measure.numerics.verdict import Expected, failed, judge, unsupported

ABOUT = {"kind": "operation", "name": "matmul", "operation": "matmul", "what": "output", "device": "gpu:0"}


def about(**more):
    return Difference(**dict(ABOUT, framework="tensorflow", verdict="differs", **more))


def verdict(actual, reference, dtype="float32", **more):
    subject = about().replace(operation=more.pop("operation", "matmul"))
    return judge(subject, actual, Expected(reference, dtype, **more))


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.__name__)
def test_clean_sums_agree_for_a_hundred_seeds(order):
    for seed in range(100):
        rng = np.random.default_rng(seed)
        a, b = factors(rng, 6, 100, 8, ("normal", "positive", "heavy")[seed % 3])
        found = verdict(order(a, b), exact(a, b), accumulation=100, baseline=(a @ b) if seed % 2 else None)
        assert (found.verdict, found.arithmetic) == ("agrees", "float32"), (seed, found)


@pytest.mark.parametrize("inner", [16, 256, 4096])
@pytest.mark.parametrize("name", ["tf32", "bfloat16"])
@pytest.mark.parametrize("cut", [False, True], ids=["rounded", "cut"])
def test_coarse_products_are_named(inner, name, cut):
    for seed in range(10 if inner < 1000 else 2):
        rng = np.random.default_rng([seed, inner])
        a, b = factors(rng, 16, inner, 24)
        if seed % 2:
            a = np.maximum(a, 0)  # activations
        found = verdict(rounded(a, name, cut) @ rounded(b, name, cut), exact(a, b), accumulation=inner, baseline=a @ b)
        assert (found.verdict, found.arithmetic) == ("reduced-precision", name), (seed, found)
        assert found.detail


def test_sums_of_one_sign_show_cut_bits_as_a_factor():
    a, b = factors(np.random.default_rng(0), 16, 512, 16, "positive")
    found = verdict(rounded(a, "tf32", True) @ rounded(b, "tf32", True), exact(a, b), accumulation=512)
    assert (found.verdict, found.arithmetic) == ("reduced-precision", "tf32")


def winograd(tiles, kernel):
    """F(4x4, 3x3) in float32: six by six numbers of each tile and channel, three by three of the kernel."""
    into = [[4, 0, -5, 0, 1, 0], [0, -4, -4, 1, 1, 0], [0, 4, -4, -1, 1, 0]]
    into += [[0, -2, -1, 2, 1, 0], [0, 2, -1, -2, 1, 0], [0, 4, 0, -5, 0, 1]]
    weights = [[1 / 4, 0, 0], [-1 / 6, -1 / 6, -1 / 6], [-1 / 6, 1 / 6, -1 / 6]]
    weights += [[1 / 24, 1 / 12, 1 / 6], [1 / 24, -1 / 12, 1 / 6], [0, 0, 1]]
    out = [[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]]
    into, weights, out = (np.array(item, np.float32) for item in (into, weights, out))
    spread = np.einsum("ij,njkc,lk->nilc", into, tiles, into, dtype=np.float32)
    moved = np.einsum("ij,jkco,lk->ilco", weights, kernel, weights, dtype=np.float32)
    total = np.einsum("nilc,ilco->nilo", spread, moved, dtype=np.float32)
    return np.einsum("ij,njko,lk->nilo", out, total, out, dtype=np.float32)


def test_winograds_convolution_is_float32():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        tiles = rng.standard_normal((8, 6, 6, 64)).astype(np.float32)
        kernel = rng.standard_normal((3, 3, 64, 8)).astype(np.float32)
        right = np.zeros((8, 4, 4, 8))
        for i in range(3):
            for j in range(3):
                right += tiles[:, i : i + 4, j : j + 4].astype(np.float64) @ kernel[i, j].astype(np.float64)
        fast = winograd(tiles, kernel)
        found = verdict(fast, right, accumulation=576, operation="conv2d")
        assert (found.verdict, found.arithmetic) == ("agrees", "float32"), found.measure
        coarse = winograd(rounded(tiles, "tf32"), rounded(kernel, "tf32"))
        found = verdict(coarse, right, accumulation=576, operation="conv2d")
        assert (found.verdict, found.arithmetic) == ("reduced-precision", "tf32"), found.measure


@pytest.mark.parametrize("dtype, kind", [("float16", np.float16), ("float64", np.float64)])
def test_other_formats_agree_with_themselves(dtype, kind):
    values = np.random.default_rng(0).standard_normal((20, 30)).astype(kind)
    found = verdict(np.tanh(values), np.tanh(values.astype(np.float64)), dtype)
    assert (found.verdict, found.arithmetic) == ("agrees", dtype)


def test_bfloat16_travels_as_float32():
    values = np.random.default_rng(0).standard_normal((20, 30))
    found = verdict(rounded(values, "bfloat16"), values, "bfloat16")
    assert found.verdict == "agrees"
    assert found.measure.max_ulp <= 0.5


def test_sums_in_float16_are_named():
    a, b = (item.astype(np.float16) for item in factors(np.random.default_rng(0), 8, 2048, 8))
    right = exact(a, b)
    total = np.zeros_like(right, dtype=np.float16)
    for k in range(2048):
        total = (total + (a[:, k, None] * b[k])).astype(np.float16)
    assert verdict(right.astype(np.float16), right, "float16", accumulation=2048).verdict == "agrees"
    found = verdict(total, right, "float16", accumulation=2048)
    assert (found.verdict, found.arithmetic, found.detail) == (
        "reduced-precision",
        "float16",
        "sums are rounded to float16",
    )


def faults():
    rng = np.random.default_rng(0)
    a, b = factors(rng, 32, 64, 48)
    right, clean = exact(a, b), a @ b
    silent = clean.copy()
    silent[3, 4] = np.nan
    tile = clean.copy()
    tile[24:] = 0
    small = clean.copy()
    small[:, 7] *= np.float32(1.001)
    return right, clean, {
        "NaN": silent,
        "zeros": tile,
        "wrong sign": -clean,
        "times 1/64": clean / 64,
        "times 1.001": clean * np.float32(1.001),
        "only in 7 of axis 1": small,
        "shifted by": np.roll(clean, 1, 0),
        "clipped": np.clip(clean, -5, 5),
    }  # fmt: skip


@pytest.mark.parametrize("text", sorted(faults()[2]))
def test_planted_faults_differ_and_are_named(text):
    right, clean, wrong = faults()
    found = verdict(wrong[text], right, accumulation=64, baseline=clean)
    assert found.verdict == "differs"
    assert text in found.detail
    assert found.arithmetic == ""


def test_another_shape_is_a_verdict():
    found = verdict(np.ones((2, 3)), np.ones((3, 2)))
    assert (found.verdict, found.detail, found.measure) == ("differs", "shape (2, 3) for (3, 2)", None)


def test_a_badly_conditioned_case_is_judged_by_what_the_cpu_makes_of_it():
    rng = np.random.default_rng(0)
    values = (100 + rng.standard_normal((50, 200))).astype(np.float32)
    exactly = values.astype(np.float64)
    right = (exactly**2).mean(1) - exactly.mean(1) ** 2  # the wrong way to a variance

    def naive(numbers):
        return (numbers**2).mean(1) - numbers.mean(1) ** 2

    cpu, device = naive(values), naive(values[:, ::-1].copy())
    device = device + np.float32(2e-3)
    assert verdict(device, right, accumulation=200).verdict != "agrees"
    found = verdict(device, right, accumulation=200, baseline=cpu)
    assert found.verdict == "agrees"
    assert "badly conditioned" in found.detail
    assert verdict(cpu * 2, right, accumulation=200, baseline=cpu).verdict == "differs"


def test_where_everything_cancels_the_size_of_the_terms_counts():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((64, 100))
    right = (values - values.mean(0)).sum(0)  # zero but for float64's rounding
    single = values.astype(np.float32)
    cpu = (single - single.mean(0)).sum(0)
    device = (single - single[::-1].mean(0)).sum(0) * np.float32(1.3)
    assert verdict(device, right, accumulation=64, baseline=cpu).verdict == "agrees"
    assert verdict(device, right, accumulation=64, baseline=np.zeros_like(cpu)).verdict == "agrees"
    assert verdict(np.ones_like(cpu), right, accumulation=64, baseline=cpu).verdict == "differs"


def test_a_jump_in_few_elements_is_no_excuse_for_the_others():
    right = np.linspace(-1, 1, 1000)
    cpu = right.astype(np.float32)
    cpu[7] = 1  # a comparison went the other way
    same = cpu.copy()
    assert verdict(same, right, baseline=cpu).verdict == "agrees"
    assert verdict(right.astype(np.float32), right, baseline=cpu).verdict == "agrees"
    same[100] = 1
    assert verdict(same, right, baseline=cpu).verdict == "differs"


def test_flushed_subnormals_are_named_and_no_fault():
    right = np.array([1e-39, 2e-40, 1e-30, -5e-39])
    found = verdict(np.array([0, 0, 1e-30, 0], np.float32), right)
    assert (found.verdict, found.detail) == ("agrees", "subnormal numbers are flushed to zero")
    assert verdict(right.astype(np.float32), right).detail == ""
    assert verdict(np.zeros(4, np.float32), right).verdict == "differs"


def test_overflow_on_the_way_may_be_as_on_the_cpu():
    right = np.array([1e30, 2.0])
    assert verdict(np.array([np.inf, 2], np.float32), right).verdict == "differs"
    cpu = np.array([np.inf, 2], np.float32)
    assert verdict(cpu, right, baseline=cpu).verdict == "agrees"
    assert verdict(np.array([1e30, 2], np.float32), right, baseline=cpu).verdict == "agrees"
    assert verdict(np.array([1e30, np.nan], np.float32), right, baseline=cpu).verdict == "differs"


def test_integers_are_exact():
    right = np.arange(10)
    assert verdict(right, right, "int32").verdict == "agrees"
    found = verdict(np.where(right == 4, 5, right), right, "int32", baseline=right)
    assert (found.verdict, found.detail) == ("differs", "wrong only at (4)")
    assert found.measure.max_ulp == 1


def test_a_few_slightly_coarse_elements_are_told_from_a_wrong_channel():
    rng = np.random.default_rng(0)
    right = rng.standard_normal((40, 40))
    slight = right.astype(np.float32)
    slight[3, ::5] *= np.float32(1 + 2e-5)
    assert verdict(slight, right).verdict == "reduced-precision"
    right[:, 7] *= 1e-5
    channel = right.astype(np.float32)
    channel[:, 7] *= rng.standard_normal(40)
    assert verdict(channel, right).verdict == "differs"


@pytest.mark.parametrize("dtype", ["float32", "complex64", "int32", "bool"])
@pytest.mark.parametrize("shape", [(), (0, 3), (1,)])
def test_every_shape(dtype, shape):
    values = np.ones(shape, dtype)
    assert (
        verdict(values, values.astype(np.complex128 if dtype == "complex64" else np.float64), dtype).verdict == "agrees"
    )


def test_complex_numbers():
    rng = np.random.default_rng(0)
    right = rng.standard_normal(200) + 1j * rng.standard_normal(200)
    size = np.abs(right)
    assert verdict(right.astype(np.complex64), right, "complex64", magnitude=size).verdict == "agrees"
    found = verdict(right.conj().astype(np.complex64), right, "complex64", magnitude=size)
    assert found.verdict == "differs"
    assert "wrong sign, only in 1 of axis 1" in found.detail
    assert found.measure.shape == (200,)


def test_what_did_not_run():
    assert unsupported(about(), ran_on="cpu").verdict == "unsupported"
    found = failed(about(), "RuntimeError: no")
    assert (found.verdict, found.detail, found.measure) == ("failed", "RuntimeError: no", None)
