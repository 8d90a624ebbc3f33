"""Bessel functions of whole order, plain, modified and scaled.

The derivatives are closed families (DLMF 10.6.1, 10.29.1): J_n' = (J_{n-1} - J_{n+1})/2 and I_n' = (I_{n-1} +
I_{n+1})/2. For exp(-|x|) I_0 those sums would cancel; its derivatives on x > 0 are Kummer functions (DLMF 13.6.9,
13.3.20), with series of one sign near 0 and far out:

    D_m(x) = (-2)^m (1/2)_m/m! * exp(-2x) M(1/2, m+1, 2x)        D_m' = D_{m+1}
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.primitives.numerics import ROOT_2PI, by_regions, horner
from gradcli.primitives.table import Kink, elementwise

GROUP = "special"

FAR = 25.0  # from here on the asymptotic series in 1/x reach full accuracy: their smallest term is exp(-2x)


def _power_series(x: Any, n: int, sign: float, terms: int) -> Any:
    """(x/2)^n times the sum of (sign x^2/4)^k/(k! (n+k)!) (DLMF 10.2.2, 10.25.2)."""
    coefficients = [1.0 / math.factorial(n)]
    for k in range(1, terms):
        coefficients.append(coefficients[-1] * sign / (k * (n + k)))
    half = 0.5 * x
    return half**n * horner(coefficients, half * half)


def _far_coefficients(n: int, terms: int = 40) -> list[float]:
    """a_k(n) of the asymptotic series (DLMF 10.17.1)."""
    found = [1.0]
    for k in range(1, terms):
        found.append(found[-1] * (4.0 * n * n - (2 * k - 1) ** 2) / (8.0 * k))
    return found


def _scaled_far(x: Any, n: int) -> Any:
    """sqrt(2 pi) exp(-x) I_n(x) for large x (DLMF 10.40.1)."""
    return horner(_far_coefficients(n), -1.0 / x) / np.sqrt(x)


def _bessel_i(x: Any, *, n: int) -> Any:
    def far(x: Any) -> Any:
        size = np.abs(x)
        half = np.exp(0.5 * size)  # in two factors: exp(x) overflows before I_n does
        return np.sign(x) ** n * (half * (_scaled_far(size, n) / ROOT_2PI)) * half

    near = np.abs(x) < FAR
    out = by_regions((x,), (near, lambda x: _power_series(x, n, 1.0, 65)), (np.abs(x) >= FAR, far))
    return np.where(np.isinf(x), np.sign(x) ** n * np.inf, out)


def _scaled(x: Any, n: int) -> Any:
    def near(x: Any) -> Any:
        return np.exp(-np.abs(x)) * _power_series(x, n, 1.0, 65)

    def far(x: Any) -> Any:
        return np.sign(x) ** n * _scaled_far(np.abs(x), n) / ROOT_2PI

    return by_regions((x,), (np.abs(x) < FAR, near), (np.abs(x) >= FAR, far))


def _kummer_slope(x: Any, *, m: int) -> Any:
    """D_m(|x|)."""
    front = (-2.0) ** m * math.prod((k + 0.5) / (k + 1) for k in range(m))

    def near(z: Any) -> Any:
        terms = [1.0]
        for k in range(1, 150):
            terms.append(terms[-1] * (k - 0.5) / ((m + k) * k))
        return front * np.exp(-z) * horner(terms, z)

    def far(z: Any) -> Any:
        terms = [front * math.factorial(m) / math.sqrt(math.pi)]
        for k in range(1, 50):
            terms.append(terms[-1] * (m + k - 0.5) * (k - 0.5) / k)
        return z ** (-m - 0.5) * horner(terms, 1.0 / z)

    z = 2.0 * np.abs(x)
    return by_regions((z,), (z < 2 * FAR, near), (z >= 2 * FAR, far))


def _miller(x: Any, n: int) -> Any:
    """J. C. P. Miller's recurrence downwards, scaled by 1 = J_0 + 2 J_2 + 2 J_4 + ... (DLMF 10.74.iv, 10.12.4)."""
    above, current = np.zeros(x.shape), np.full(x.shape, 1e-300)
    total, found = np.zeros(x.shape), np.zeros(x.shape)
    for k in range(78, 0, -1):
        above, current = current, 2.0 * k / x * current - above
        if k - 1 == n:
            found = current
        if k % 2 == 1:
            total += current if k == 1 else 2.0 * current
    return found / total


def _hankel(x: Any, n: int) -> Any:
    """Hankel's expansion (DLMF 10.17.3); the phase x - n pi/2 - pi/4 by the addition theorem, not by rounding it."""
    a = _far_coefficients(n)
    square = -1.0 / (x * x)
    p, q = horner(a[0::2], square), horner(a[1::2], square) / x
    turns = n % 4
    sine, cosine = np.sin(x), np.cos(x)
    along, across = sine + cosine, sine - cosine  # sqrt(2) times cosine and sine of x - pi/4
    c = (along, across, -along, -across)[turns]
    s = (across, -along, -across, along)[turns]
    return (p * c - q * s) / np.sqrt(np.pi * x)


def _bessel_j(x: Any, *, n: int) -> Any:
    size = np.abs(x)
    out = by_regions(
        (size,),
        (size < 2, lambda x: _power_series(x, n, -1.0, 22)),
        ((size >= 2) & (size < FAR), lambda x: _miller(x, n)),
        ((size >= FAR) & (size < np.inf), lambda x: _hankel(x, n)),
        (np.isinf(size), np.zeros_like),
    )
    return out * np.where(x < 0, (-1.0) ** n, 1.0)


def _j_slope(xp: Any, x: Any, n: int) -> Any:
    return -xp.bessel_j(x, n=1) if n == 0 else 0.5 * (xp.bessel_j(x, n=n - 1) - xp.bessel_j(x, n=n + 1))


elementwise("bessel_i", "x, *, n: integer", _bessel_i,
            lambda xp, _out, x, *, n: 0.5 * (xp.bessel_i(x, n=abs(n - 1)) + xp.bessel_i(x, n=n + 1)),
            hidden=True, group=GROUP, summary="Modified Bessel function of the first kind and order n.")  # fmt: skip
elementwise("bessel_j", "x, *, n: integer", _bessel_j,
            lambda xp, _out, x, *, n: _j_slope(xp, x, n),
            hidden=True, group=GROUP, summary="Bessel function of the first kind and order n.")  # fmt: skip
elementwise("i0e_slope", "x, *, m: integer", _kummer_slope,
            lambda xp, _out, x, *, m: xp.sign(x) * xp.i0e_slope(x, m=m + 1),
            hidden=True, group=GROUP, summary="The m-th derivative of exp(-x)*i0(x) at the absolute value of x.",
            domain=((0.5, 2.0),))  # fmt: skip

elementwise("i0", "x", lambda x: _bessel_i(x, n=0), lambda xp, _out, x: xp.i1(x), group=GROUP,
            summary="Modified Bessel function of order 0.", example="i0([0, 1])")  # fmt: skip
elementwise("i1", "x", lambda x: _bessel_i(x, n=1), lambda xp, _out, x: 0.5 * (xp.i0(x) + xp.bessel_i(x, n=2)),
            group=GROUP, derivative="d/dx = i0(x) - out/x", summary="Modified Bessel function of order 1.",
            example="i1([0, 1])")  # fmt: skip
elementwise(
    "i0e", "x", lambda x: _scaled(x, 0), lambda xp, _out, x: xp.sign(x) * xp.i0e_slope(x, m=1),
    group=GROUP, derivative="d/dx = i1e(x) - sign(x)*i0e(x)",
    summary="exp(-abs(x))*i0(x), without overflow.", example="i0e([1, 1000])", domain=((0.5, 2.0),),
    edge="at 0 the gradient is 0",
    kinks=(Kink(lambda x: x == 0, "a corner: the slope is 1 before 0 and -1 after"),),
)  # fmt: skip
elementwise(
    "i1e", "x", lambda x: _scaled(x, 1), lambda xp, _out, x: xp.i0e_slope(x, m=1) + xp.i0e_slope(x, m=2),
    group=GROUP, derivative="d/dx = i0e(x) - out/x - sign(x)*out",
    summary="exp(-abs(x))*i1(x), without overflow.", example="i1e([1, 1000])", domain=((0.5, 2.0),),
)  # fmt: skip
elementwise("j0", "x", lambda x: _bessel_j(x, n=0), lambda xp, _out, x: -xp.j1(x), aliases=("bessel_j0",),
            group=GROUP, summary="Bessel function of order 0.", example="j0([0, 1])")  # fmt: skip
elementwise("j1", "x", lambda x: _bessel_j(x, n=1), lambda xp, _out, x: 0.5 * (xp.j0(x) - xp.bessel_j(x, n=2)),
            aliases=("bessel_j1",), group=GROUP, derivative="d/dx = j0(x) - out/x",
            summary="Bessel function of order 1.", example="j1([0, 1])",
)  # fmt: skip
