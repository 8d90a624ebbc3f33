"""The error function and its family.

Two families are closed under differentiation and never cancel:

    E_n(x) = exp(x^2) i^n erfc(x), n-fold integrals of erfc    E_n' = -2 (n+1) E_{n+1}               (DLMF 7.18.4)
    r_n(x) = E_n / E_{n-1}, with E_{-1} = 2/sqrt(pi)            r_n' = 2 r_n (n r_n - (n+1) r_{n+1})

erfcx is E_0, and the slope of log_ndtr is a quotient of them. For x >= 1 the recurrence 2 (n+1) E_{n+1} = E_{n-1} -
2 x E_n is run downwards (W. Gautschi, 1961: upwards it is unstable there), which is the continued fraction of erfc.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.primitives.numerics import ROOT_2, ROOT_2PI, ROOT_PI, by_regions, each, exp_square
from gradcli.primitives.table import Kink, elementwise

GROUP = "special"

_erf, _erfc = each(math.erf), each(math.erfc)


def _gaussian(x: Any, *, scale: float, n: int) -> Any:
    """The n-th derivative is a polynomial times exp(-scale x^2): p' - 2 scale x p comes after p."""
    polynomial = np.array([1.0])
    for _ in range(n):
        slope = np.polynomial.polynomial.polyder(polynomial)
        polynomial = np.polynomial.polynomial.polysub(slope, [0.0, *(2.0 * scale * polynomial)])
    out = exp_square(x, -scale)
    # Beyond 60 the exponential is 0, also where the polynomial is infinite.
    return out if n == 0 else np.polynomial.polynomial.polyval(np.clip(x, -60.0, 60.0), polynomial) * out


elementwise("gaussian", "x, *, scale: number, n: integer", _gaussian,
            lambda xp, _out, x, *, scale, n: xp.gaussian(x, scale=scale, n=n + 1),
            hidden=True, group=GROUP,
            summary="The n-th derivative of exp(-scale*x**2), to the last place; scale is 1 or 0.5.")  # fmt: skip

elementwise(
    "erf", "x", _erf, lambda xp, _out, x: 2.0 / ROOT_PI * xp.gaussian(x, scale=1.0, n=0),
    derivative="d/dx = 2/sqrt(pi)*exp(-x**2)", group=GROUP, summary="Error function.", example="erf([0, 1])",
)  # fmt: skip
elementwise(
    "erfc", "x", _erfc, lambda xp, _out, x: -2.0 / ROOT_PI * xp.gaussian(x, scale=1.0, n=0),
    derivative="d/dx = -2/sqrt(pi)*exp(-x**2)", group=GROUP, summary="1 - erf(x), accurate in the right tail.",
    example="erfc([0, 10])",
)  # fmt: skip


def _ratios_below(x: Any, n: int, steps: int) -> Any:
    """r_n for x > 0 from r_{n+steps} taken as 0, downwards: r_k = 1/(2 x + 2 (k+1) r_{k+1})."""
    r = np.zeros(x.shape)
    for k in range(n + steps, n - 1, -1):
        r = 1.0 / (2.0 * x + 2.0 * (k + 1) * r)
    return r


def _ratio_above(x: Any, n: int) -> Any:
    """r_n for x < 1, upwards: r_k = (1/r_{k-1} - 2 x)/(2 k)."""
    inverse = 2.0 / (ROOT_PI * exp_square(x, 1.0) * _erfc(x))
    for k in range(1, n + 1):
        inverse = 2.0 * k / (inverse - 2.0 * x)
    return 1.0 / inverse


def _erfc_ratio(x: Any, *, n: int) -> Any:
    return by_regions(
        (x,),
        (x < 1, lambda x: _ratio_above(x, n)),
        (x >= 1, lambda x: _ratios_below(x, n, 190)),
        (x >= 3, lambda x: _ratios_below(x, n, 40)),
    )


def _erfc_integral(x: Any, *, n: int) -> Any:
    def downwards(x: Any) -> Any:
        product: Any = 2.0 / ROOT_PI
        for k in range(n + 1):
            product = product * _erfc_ratio(x, n=k)
        return product

    def upwards(x: Any) -> Any:
        before, current = np.full(x.shape, 2.0 / ROOT_PI), exp_square(x, 1.0) * _erfc(x)
        for k in range(1, n + 1):
            before, current = current, (before - 2.0 * x * current) / (2.0 * k)
        return current

    return by_regions((x,), (x < 1, upwards), (x >= 1, downwards))


elementwise(
    "erfc_ratio", "x, *, n: integer", _erfc_ratio,
    lambda xp, out, x, *, n: 2.0 * out * (n * out - (n + 1.0) * xp.erfc_ratio(x, n=n + 1)),
    hidden=True, group=GROUP, summary="The n-fold integral of erfc, divided by the one before.",
)  # fmt: skip
elementwise(
    "erfc_integral", "x, *, n: integer", _erfc_integral,
    lambda xp, _out, x, *, n: -2.0 * (n + 1) * xp.erfc_integral(x, n=n + 1),
    hidden=True, group=GROUP, summary="exp(x**2) times the n-fold integral of erfc.",
)  # fmt: skip
elementwise(
    "erfcx", "x", lambda x: _erfc_integral(x, n=0), lambda xp, _out, x: -2.0 * xp.erfc_integral(x, n=1),
    derivative="d/dx = 2*x*out - 2/sqrt(pi)", group=GROUP,
    summary="exp(x**2)*erfc(x), without overflow on the right.", example="erfcx([0, 100])",
)  # fmt: skip


def _erfinv(p: Any) -> Any:
    """S. Winitzki's approximation (2008), then Halley's steps on erf near 0 and on erfc near the ends."""
    a = 0.147
    log = np.log1p(-p) + np.log1p(p)
    half = 2.0 / (np.pi * a) + log / 2.0
    y = np.copysign(np.sqrt(np.sqrt(half * half - log / a) - half), p)
    y = np.where(np.abs(p) < 1e-3, p * ROOT_PI / 2.0, y)
    for _ in range(3):
        miss = np.where(np.abs(p) < 0.5, _erf(y) - p, np.sign(p) * (1.0 - np.abs(p) - _erfc(np.abs(y))))
        step = miss * exp_square(y, 1.0) * (ROOT_PI / 2.0)
        y = y - step / (1.0 + y * step)
    return y


def _erfinv_slope(p: Any) -> Any:
    # exp(y^2) = erfcx(y)/erfc(y), and erfc(y) = 1 - |p| is known exactly where exp(y^2) would magnify the error of y.
    def inside(p: Any) -> Any:
        return ROOT_PI / 2.0 * _erfc_integral(np.abs(_erfinv(p)), n=0) / (1.0 - np.abs(p))

    return by_regions((p,), (np.abs(p) < 1, inside), (np.abs(p) == 1, lambda p: np.full(p.shape, np.inf)))


elementwise(
    "erfinv", "x", lambda x: by_regions(
        (x,), (np.abs(x) < 1, _erfinv), (np.abs(x) == 1, lambda x: np.copysign(np.inf, x))),
    lambda xp, _out, x: xp.erfinv_slope(x),
    derivative="d/dx = sqrt(pi)/2*exp(out**2)", group=GROUP, summary="Inverse of the error function.",
    example="erfinv([0, 0.5])", domain=((-0.9, 0.9),),
    edge="at -1 and 1: value -inf and inf, gradient inf; nan outside, value and gradient",
    kinks=(Kink(lambda x: np.abs(x) == 1, "a pole: the end of the domain"),),
)  # fmt: skip
elementwise(
    "erfinv_slope", "x", _erfinv_slope, lambda xp, out, x: 2.0 * xp.erfinv(x) * xp.square(out),
    hidden=True, group=GROUP, summary="The derivative of erfinv.", domain=((-0.9, 0.9),),
)  # fmt: skip


def _ndtr(x: Any) -> Any:
    return by_regions(
        (x,),
        (x >= -1, lambda x: 0.5 * _erfc(-x / ROOT_2)),
        (x < -1, lambda x: 0.5 * exp_square(x, -0.5) * _erfc_integral(-x / ROOT_2, n=0)),
    )


def _log_ndtr(x: Any) -> Any:
    return by_regions(
        (x,),
        (x >= -1, lambda x: np.log1p(-_ndtr(-x))),
        (x < -1, lambda x: np.log(0.5 * _erfc_integral(-x / ROOT_2, n=0)) - 0.5 * x * x),
    )


def _hazard(x: Any) -> Any:
    return by_regions(
        (x,),
        (x >= 0, lambda x: exp_square(x, -0.5) / (ROOT_2PI * _ndtr(x))),
        (x < 0, lambda x: 2.0 / (ROOT_2PI * _erfc_integral(-x / ROOT_2, n=0))),
    )


elementwise(
    "ndtr", "x", _ndtr, lambda xp, _out, x: xp.gaussian(x, scale=0.5, n=0) / ROOT_2PI,
    aliases=("normcdf",), derivative="d/dx = exp(-x**2/2)/sqrt(2*pi)", group=GROUP,
    summary="Distribution function of the standard normal distribution.",
    example="ndtr([0, 1.96])", by_result=True,
)  # fmt: skip
elementwise(
    "log_ndtr", "x", _log_ndtr, lambda xp, _out, x: xp.hazard(x),
    derivative="d/dx = exp(-x**2/2)/sqrt(2*pi)/ndtr(x)", group=GROUP,
    summary="Logarithm of ndtr, also far out in the tails.", example="log_ndtr([0, -100])",
)  # fmt: skip
# With h = phi/Phi the slope is -h (x + h), and x + h = sqrt(2) r_1(-x/sqrt(2)): in that form it does not cancel. It is
# 0 to the last digit beyond the bound on the right, -1 beyond that on the left, where h is -x.
elementwise(
    "hazard", "x", _hazard,
    lambda xp, out, x: -ROOT_2 * xp.clip(out, 0.0, 1e150) * xp.erfc_ratio(xp.clip(-x, -50.0, 1e150) / ROOT_2, n=1),
    hidden=True, group=GROUP, summary="The normal density divided by ndtr: the derivative of log_ndtr.",
)  # fmt: skip
