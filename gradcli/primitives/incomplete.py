"""The incomplete gamma functions, and their derivatives: in x the density, in the order a a function of its own.

That function has no derivative in a here: asking for a second one is an error, never a silent 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

import numpy as np

from gradcli.errors import NotDifferentiable
from gradcli.primitives.gammas import digamma_of, gamma_of, lgamma_beside_1, log_less_digamma, stirling
from gradcli.primitives.numerics import ROOT_2PI, by_regions, log1pmx
from gradcli.primitives.table import elementwise

GROUP = "special"

LARGE = 20.0  # orders from here on are integrated numerically: series and fraction would need sqrt(a) terms


def _density(a: Any, x: Any) -> Any:
    """x^(a-1) exp(-x)/gamma(a); far out by C. Loader's saddle point form (2000), which keeps the exponent small."""

    def far(a: Any, x: Any) -> Any:
        gap = (x - a) / a
        deviance = np.where(np.abs(gap) < 0.5, -a * log1pmx(gap), x - a - a * np.log(x / a))
        return np.exp(-deviance - stirling(a)) * np.sqrt(a) / (ROOT_2PI * x)

    return by_regions(
        (a, x),
        (x >= 0, lambda a, x: x ** (a - 1.0) * np.exp(-x) / gamma_of(a)),
        ((x > 0) & ((a > 100) | ((x > 600) & (a >= 10))), far),
        ((x >= 0) & (a == 0), lambda a, x: np.zeros(x.shape)),
        (x == np.inf, lambda a, x: np.zeros(x.shape)),
    )


def _series(a: Any, x: Any) -> Any:
    """gammainc for x < a or x < 1 (DLMF 8.11.4)."""
    term = total = np.ones(x.shape)
    for n in range(1, 200):
        term = term * x / (a + n)
        total = total + term
        if np.all(term <= 1e-17 * total):
            break
    return total * _density(a, x) * x / a


def _fraction(a: Any, x: Any) -> Any:
    """gammaincc for x >= 1, x >= a: the continued fraction (DLMF 8.9.2), from where it has converged as
    exp(-4 sqrt(n x)) does.
    """
    steps = 20 + int(100.0 / np.min(x))
    below = x + (2.0 * steps + 1.0) - a
    for n in range(steps, 0, -1):
        below = x + (2.0 * n - 1.0) - a - n * (n - a) / below
    return _density(a, x) * (x / below)


def _small_complement(a: Any, x: Any) -> Any:
    """gammaincc for a, x < 1, from 1 - x^a/gamma(1+a) (1 + a sum of (-x)^n/(n! (a+n))) without its cancellation."""
    series, term = np.zeros(x.shape), np.ones(x.shape)
    for n in range(1, 20):
        term = term * -x / n
        series = series + term / (a + n)
    beside = np.where(a <= 0.5, lgamma_beside_1(np.minimum(a, 0.5)), lgamma_beside_1(a - 1.0) + np.log(a))
    power = a * np.log(x) - beside
    return -np.expm1(power) - a * np.exp(power) * series


@cache
def _nodes() -> list[tuple[float, float]]:
    points, weights = np.polynomial.legendre.leggauss(64)
    return [(float(p + 1.0) / 2.0, float(w) / 2.0) for p, w in zip(points, weights, strict=True)]


def _tail_integral(a: Any, x: Any, side: float, factor: Callable[[Any], Any] = np.ones_like) -> Any:
    """The integral beyond x (side 1) or below it (-1), as a multiple of the density at x: smooth and of one sign.

    With t = x (1 + side u) it is x times that of exp((a-1) log1pmx(side u) + side u (a-1-x)) over u, cut at e^-40; a
    smooth `factor(u)` may stand before it.
    """
    slope = side * (a - 1.0 - x)

    def exponent(u: Any) -> Any:
        return (a - 1.0) * log1pmx(side * u) + slope * u

    # Newton's method on a concave function comes down from the right, whatever side it starts on.
    end = 80.0 / (-slope + np.sqrt(slope * slope + 80.0 * (a - 1.0)))
    end = end if side > 0 else np.minimum(end, 1.0 - 1e-7)
    for _ in range(6):
        end = end - (exponent(end) + 40.0) / (slope - (a - 1.0) * end / (1.0 + side * end))
    total = np.zeros(x.shape)
    for node, weight in _nodes():
        total += weight * np.exp(exponent(end * node)) * factor(end * node)
    return total * end * x * _density(a, x)


def _lower(a: Any, x: Any) -> Any:
    return by_regions(
        (a, x),
        ((a > 0) & (x >= 1) & (x >= a), lambda a, x: 1.0 - _fraction(a, x)),
        ((a > 0) & (x >= 0) & ((x < 1) | (x < a)), _series),
        ((a >= LARGE) & (x >= a), lambda a, x: 1.0 - _tail_integral(a, x, 1.0)),
        ((a >= LARGE) & (x > 0) & (x < a), lambda a, x: _tail_integral(a, x, -1.0)),
        *_ends(a, x, 0.0),
    )


def _upper(a: Any, x: Any) -> Any:
    return by_regions(
        (a, x),
        ((a > 0) & (x >= 1) & (x >= a), _fraction),
        ((a > 0) & (x >= 0) & ((x < 1) | (x < a)), lambda a, x: 1.0 - _series(a, x)),
        ((a > 0) & (a < 1) & (x > 0) & (x < 1), _small_complement),
        ((a >= LARGE) & (x >= a), lambda a, x: _tail_integral(a, x, 1.0)),
        ((a >= LARGE) & (x > 0) & (x < a), lambda a, x: 1.0 - _tail_integral(a, x, -1.0)),
        *_ends(a, x, 1.0),
    )


def _ends(a: Any, x: Any, at_0: float) -> Any:
    """The limits: x = 0, x = inf, and a = 0, where all of the mass lies at 0."""
    return (
        ((a > 0) & (x == 0), lambda a, x: np.full(x.shape, at_0)),
        (((a > 0) & (x == np.inf)) | ((a == 0) & (x > 0)), lambda a, x: np.full(x.shape, 1.0 - at_0)),
    )


# The derivative of gammainc in a: the integral of the density times log(t) - digamma(a) from 0 to x, or the opposite of
# that from x to infinity. The first has one sign below exp(digamma(a)), which is near a - 1/2, the second above.


def _power(a: Any, x: Any) -> Any:
    """x^a exp(-x)/gamma(a+1)."""
    half = np.exp(-0.5 * x)  # exp(-x) vanishes before the product does
    return x**a * half * half / gamma_of(1.0 + a)


def _order_series(a: Any, x: Any) -> Any:
    """The terms of `_series`, each times log(x) - digamma(a+n+1)."""
    start = np.log(x) - digamma_of(1.0 + a)
    term, steps, total = np.ones(x.shape), np.zeros(x.shape), start
    for n in range(1, 200):
        term, steps = term * x / (a + n), steps + 1.0 / (a + n)
        part = term * (start - steps)
        total = total + part
        if np.all(np.abs(part) <= 1e-18 * np.abs(total)):
            break
    return _power(a, x) * total


def _order_fraction(a: Any, x: Any) -> Any:
    """The fraction of `_fraction`, differentiated step by step."""
    steps = 20 + int(100.0 / np.min(x))
    below, slope = x + (2.0 * steps + 1.0) - a, -np.ones(x.shape)
    for n in range(steps, 0, -1):
        part = n * (n - a) / below
        slope = (n + part * slope) / below - 1.0
        below = x + (2.0 * n - 1.0) - a - part
    return -_power(a, x) * (1.0 + a * (np.log(x) - digamma_of(1.0 + a) - slope / below)) / below


def _order_integral(a: Any, x: Any, side: float) -> Any:
    gap = (x - a) / a
    start = np.where(np.abs(gap) < 0.5, np.log1p(gap), np.log(x / a)) + log_less_digamma(a)
    return -side * _tail_integral(a, x, side, lambda u: start + np.log1p(side * u))


def _order_slope(a: Any, x: Any) -> Any:
    low = x < np.exp(digamma_of(1.0 + a))
    inside = (a >= 0) & (x > 0)
    return by_regions(
        (a, x),
        (inside & low, _order_series),
        (inside & ~low, _order_fraction),
        ((a >= LARGE) & (x > 0) & (x < a), lambda a, x: _order_integral(a, x, -1.0)),
        ((a >= LARGE) & (x >= a), lambda a, x: _order_integral(a, x, 1.0)),
        (((a > 0) & (x == 0)) | ((a >= 0) & (x == np.inf)), lambda a, x: np.zeros(x.shape)),
    )


def _no_second(xp: Any, _out: Any, _a: Any, _x: Any) -> NoReturn:
    raise NotDifferentiable(
        "the incomplete gamma functions have no second derivative in their first argument here",
        help="differentiate with respect to other variables only (--wrt), or detach(...) the argument",
    )


def _mixed(xp: Any, a: Any, x: Any) -> Any:
    """The derivative of the density in a."""
    flat = xp.logical_or(xp.logical_and(x == 0, a > 1), x == np.inf)
    return xp.where(flat, 0.0, xp.gamma_density(a, x) * (xp.log(x) - xp.digamma(a)))


def _density_slope(xp: Any, out: Any, a: Any, x: Any) -> Any:
    # At x = 0 the quotient is 0/0 for a = 1; there the slope is told by the densities themselves.
    at_0 = xp.gamma_density(a - 1.0, x) - xp.gamma_density(a, x)
    return xp.where(x == 0, at_0, out * xp.where(x == np.inf, -1.0, (a - 1.0 - x) / x))


_ORDER = "the derivative in a is that of the integral, to machine accuracy; a second one in a is an error"
_DOMAIN = ((0.5, 3.0), (0.5, 3.0))

elementwise(
    "gammainc", "a, x", _lower,
    lambda xp, _out, a, x: xp.gammainc_order(a, x),
    lambda xp, _out, a, x: xp.gamma_density(a, x),
    aliases=("igamma",), terms=200, group=GROUP, summary="Regularised lower incomplete gamma function.",
    example="gammainc(2, [1, 3])", edge=_ORDER, domain=_DOMAIN,
    derivative="d/da: the integral of t**(a - 1)*exp(-t)*(log(t) - digamma(a))/gamma(a) from 0 to x; "
               "d/dx = x**(a - 1)*exp(-x)/gamma(a)",
)  # fmt: skip
elementwise(
    "gammaincc", "a, x", _upper,
    lambda xp, _out, a, x: -xp.gammainc_order(a, x),
    lambda xp, _out, a, x: -xp.gamma_density(a, x),
    aliases=("igammac",), terms=200, group=GROUP,
    summary="Regularised upper incomplete gamma function, 1 - gammainc(a, x).",
    example="gammaincc(2, [1, 3])", edge=_ORDER, domain=_DOMAIN,
    derivative="d/da: the integral of t**(a - 1)*exp(-t)*(log(t) - digamma(a))/gamma(a) from x to infinity; "
               "d/dx = -x**(a - 1)*exp(-x)/gamma(a)",
)  # fmt: skip
elementwise("gammainc_order", "a, x", _order_slope, _no_second, lambda xp, _out, a, x: _mixed(xp, a, x), hidden=True,
            group=GROUP, domain=_DOMAIN, summary="The derivative of gammainc in a.")  # fmt: skip
elementwise("gamma_density", "a, x", _density, lambda xp, _out, a, x: _mixed(xp, a, x), _density_slope, hidden=True,
            group=GROUP, domain=_DOMAIN, summary="x**(a-1)*exp(-x)/gamma(a).")  # fmt: skip
