"""Tools of the special functions: evaluation by regions, series, and functions whose naive form cancels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

ROOT_PI = np.float64(1.7724538509055160)
ROOT_2 = np.float64(1.4142135623730951)
ROOT_2PI = np.float64(2.5066282746310005)

# Bernoulli numbers B2, B4, ...: Euler-Maclaurin sums and Stirling's series.
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)

Part = tuple[Any, Callable[..., Any]]


def by_regions(operands: Sequence[Any], *parts: Part) -> Any:
    """Each formula where its mask holds, and nowhere else; a later one wins over an earlier one; nan where none holds.

    The operands are broadcast, and a formula sees them as vectors.
    """
    arrays = np.broadcast_arrays(*[np.asarray(x, dtype=np.float64) for x in operands])
    out = np.full(arrays[0].shape, np.nan)
    for mask, formula in parts:
        inside = np.broadcast_to(mask, out.shape)
        if inside.any():
            out[inside] = formula(*[x[inside] for x in arrays])
    return out


def horner(coefficients: Sequence[Any], x: Any) -> Any:
    """c[0] + c[1]*x + c[2]*x**2 + ..."""
    total = np.full(np.shape(x), float(coefficients[-1]))
    for c in coefficients[-2::-1]:
        total *= x
        total += c
    return total


def each(f: Callable[[float], float]) -> Callable[[Any], Any]:
    """A function of one Python float, element by element."""
    every = np.frompyfunc(f, 1, 1)
    return lambda x: np.asarray(every(np.asarray(x, dtype=np.float64)), dtype=np.float64)


def exp_square(x: Any, scale: float) -> Any:
    """exp(scale*x*x) to an ulp or two for scales 1, -1, 0.5, -0.5: x*x rounded would cost x*x ulp.

    The square of the leading 24 bits of x is exact; what is left of it is (x - head)*(x + head), and small.
    """
    x = np.clip(x, -60.0, 60.0)
    head = np.asarray(x, dtype=np.float32).astype(np.float64)
    return np.exp(scale * head * head) * np.exp(scale * (x - head) * (x + head))


def log1pmx(x: Any) -> Any:
    """log(1 + x) - x, by the series of atanh(r) with r = x/(2 + x) near 0: there both terms are nearly equal."""

    def near(x: Any) -> Any:
        r = x / (2.0 + x)
        square = r * r
        return r * (2.0 * square * horner([1.0 / (2 * k + 3) for k in range(18)], square) - x)

    return by_regions((x,), (np.asarray(x) >= -1, lambda x: np.log1p(x) - x), (np.abs(x) <= 0.5, near))


def _half_turns(x: Any) -> tuple[Any, Any]:
    """The exact remainder of x to the nearest whole number, and the sign that the half turn flips."""
    whole = np.rint(x)
    half = 0.5 * whole
    return x - whole, np.where(half == np.floor(half), 1.0, -1.0)


def sin_pi(x: Any) -> Any:
    """sin(pi*x), exactly 0 at whole numbers."""
    rest, sign = _half_turns(x)
    return sign * np.sin(np.pi * rest)


def cos_pi(x: Any) -> Any:
    rest, sign = _half_turns(x)
    return sign * np.where(np.abs(rest) == 0.5, 0.0, np.cos(np.pi * rest))
