"""How far results may lie apart, from the format of the numbers, the length of the sums and the depth.

``u`` is the unit roundoff of a format, half the distance from 1 to the next number. The standard model of rounding
``fl(a op b) = (a op b)(1 + d), |d| <= u`` gives, for a sum of n products in any order, the worst case
``|computed - exact| <= gamma_n * sum |a_i b_i|`` with ``gamma_n = n u / (1 - n u)`` (Higham, *Accuracy and Stability of
Numerical Algorithms*, 2nd edition, sections 3.1 and 4.2). Errors have both signs, so that the worst case is never met:
with independent errors of mean zero ``sqrt(n)`` takes the place of n, up to a constant (Higham and Mary, *A new
approach to probabilistic rounding error analysis*, SIAM J. Sci. Comput. 41(5), 2019). That, with the constant
`CONFIDENCE`, is what is allowed here. `docs/explanation/numerics.md` has the derivation and the measurements behind each
constant.
"""

import math
from typing import Dict, NamedTuple, Optional


class Format(NamedTuple):
    """A binary floating-point format.

    Attributes
    ----------
    precision : int
        Bits of the significand, with the one that is not stored.
    emin, emax : int
        Exponents of the smallest and of the largest normal number, as in IEEE 754.
    """

    precision: int
    emin: int
    emax: int

    @property
    def unit_roundoff(self) -> float:
        """Half the distance from 1 to the next number."""
        return math.ldexp(1.0, -self.precision)

    @property
    def smallest_normal(self) -> float:
        """Below this, numbers have fewer bits, and many devices take them for zero."""
        return math.ldexp(1.0, self.emin)

    @property
    def largest(self) -> float:
        """The largest finite number."""
        return math.ldexp(2.0 - math.ldexp(1.0, 1 - self.precision), self.emax)


#: IEEE 754 binary16, 32, 64; bfloat16 is binary32 cut to 16 bits. TF32 has float32's exponent and float16's significand
#: (NVIDIA A100 Tensor Core GPU Architecture, 2020): 8 and 10 bits.
FORMATS: Dict[str, Format] = {
    "float64": Format(53, -1022, 1023),
    "float32": Format(24, -126, 127),
    "tf32": Format(11, -126, 127),
    "float16": Format(11, -14, 15),
    "bfloat16": Format(8, -126, 127),
}

#: Arithmetics that devices use in place of float32, from fine to coarse. ``float16``: sums are rounded to it as well.
ARITHMETICS = ("tf32", "bfloat16", "float16")

#: Higham and Mary's lambda. Observed largest errors need 1.5; see `docs/explanation/numerics.md`.
CONFIDENCE = 4.0

#: Units of roundoff for what is computed next to the sum: elementary functions (OpenCL's specification allows 3 ULP for exp
#: and log, 4 for sin, 5 for tan and 16 for pow; a ULP is one to two roundoffs), a division, the rounding of the result.
_ELEMENTARY = 16.0

#: Units of roundoff for factors that are rounded before they are multiplied: two factors, cut or rounded, at five
#: standard deviations.
_FACTORS = 8.0

#: Formats whose sums are kept in float32, as cuBLAS, cuDNN, oneDNN and TPUs keep them.
_HALVES = ("float16", "bfloat16")


def unit_roundoff(name: str) -> float:
    """Return the unit roundoff of a format, or of an arithmetic.

    Parameters
    ----------
    name : {"float64", "float32", "tf32", "float16", "bfloat16", "int8"}
        ``int8``: of numbers quantised to 127 steps of the largest and dequantised; relative to the largest.

    Raises
    ------
    ValueError
        For a name that is none of these.
    """
    if name == "int8":
        return 1.0 / 254.0
    try:
        return FORMATS[name].unit_roundoff
    except KeyError:
        raise ValueError("no rounding is known for %r; known are %s and int8" % (name, ", ".join(FORMATS))) from None


def tolerance(dtype: str, *, accumulation: int = 1, depth: int = 1, arithmetic: Optional[str] = None) -> float:
    """Return the largest relative error that rounding explains.

    Relative to the larger of an element and the size of what was summed for it: see `devicekit.measure.numerics.measures`.

    Parameters
    ----------
    dtype : str
        Of the results: ``"float64"``, ``"float32"``, ``"float16"`` or ``"bfloat16"``; for ``"complex64"`` and
        ``"complex128"`` that of their parts. Integers and booleans are exact: 0.
    accumulation : int
        Terms in the longest sum behind one element: ``k`` of a matrix product, ``height * width * channels`` of a
        convolution's kernel; 1 if nothing is summed.
    depth : int
        Operations that follow each other, each with the result of the one before. Their errors are independent, so that
        they grow with the square root.
    arithmetic : {None, "float64", "float32", "tf32", "bfloat16", "float16", "int8"}
        How products and sums are computed. None: as they should be for the dtype, with sums of float16 and bfloat16
        in float32. ``"tf32"``, ``"bfloat16"``, ``"int8"``: factors rounded to it, sums in float32 (or in bfloat16, where
        that is the dtype). ``"float16"``: sums in float16 as well.

    Returns
    -------
    float
        At most 1.

    Raises
    ------
    ValueError
        For an unknown dtype or arithmetic, or lengths below 1.
    """
    if accumulation < 1 or depth < 1:
        raise ValueError("accumulation and depth are at least 1, not %r and %r" % (accumulation, depth))
    name = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
    if name.startswith(("int", "uint", "bool")) and arithmetic is None:
        return 0.0
    stored = unit_roundoff("float32" if name.startswith(("int", "uint", "bool")) else name)
    summed = unit_roundoff("float32") if name in _HALVES else stored
    factors = 0.0
    if arithmetic not in (None, name):
        rounding = unit_roundoff(str(arithmetic))
        if rounding > stored:
            factors = rounding
            # A tensor core cuts what it adds, so that its sums have half of float32's precision (Fasi, Higham, Mikaitis and
            # Pranesh, Numerical behavior of NVIDIA tensor cores, PeerJ Comput. Sci. 7:e330, 2021).
            summed = rounding if arithmetic == "float16" else 2 * unit_roundoff("float32")
    elif arithmetic is not None and name in _HALVES:
        summed = stored
    exponent = CONFIDENCE * math.sqrt(accumulation) * summed + accumulation * summed * summed / (1 - summed)
    relative = _ELEMENTARY * stored + _FACTORS * factors + math.expm1(min(exponent, 1.0))
    return min(1.0, math.sqrt(depth) * relative)
