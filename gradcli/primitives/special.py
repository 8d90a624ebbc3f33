"""Entropies, logits, logarithms of sums and differences, and quotients with a removable singularity."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.primitives.choice import unless
from gradcli.primitives.numerics import by_regions, cos_pi, horner, sin_pi
from gradcli.primitives.table import Kink, elementwise

GROUP = "special"

LN2 = float(np.log(2.0))


def _product_with_log(log: Any) -> Any:
    return lambda x, y: np.where((x == 0) & ~np.isnan(y), 0.0, x * log(y))


def _quotient(xp: Any, x: Any, y: Any) -> Any:
    # Only 0/0 is masked: 0/y has a slope in x, which is the mixed second derivative.
    return xp.where(xp.logical_and(x == 0, y == 0), 0.0, x / y)


elementwise(
    "xlogy", "x, y", _product_with_log(np.log),
    lambda xp, _out, _x, y: xp.log(y),
    lambda xp, _out, x, y: _quotient(xp, x, unless(xp, y < 0) * y),
    derivative="d/dx = log(y); d/dy = x/y", group=GROUP, summary="x*log(y), and 0 where x is 0.",
    example="xlogy([0, 2], [0, 3])",
    edge="at (0, 0) the gradient is -inf in x and 0 in y", domain=((0.5, 2.0), (0.5, 2.0)),
    kinks=(Kink(lambda x, y: y == 0, "a pole: the logarithm of 0"),),
)  # fmt: skip
elementwise(
    "xlog1py", "x, y", _product_with_log(np.log1p),
    lambda xp, _out, _x, y: xp.log1p(y),
    lambda xp, _out, x, y: _quotient(xp, x, unless(xp, y < -1) * (1.0 + y)),
    derivative="d/dx = log1p(y); d/dy = x/(1 + y)", group=GROUP, summary="x*log(1 + y), and 0 where x is 0.",
    example="xlog1py([0, 2], [-1, 3])",
    edge="at (0, -1) the gradient is -inf in x and 0 in y", domain=((0.5, 2.0), (-0.5, 2.0)),
    kinks=(Kink(lambda x, y: y == -1, "a pole: the logarithm of 0"),),
)  # fmt: skip
elementwise(
    "entr", "x", lambda x: np.where(x < 0, -np.inf, np.where(x == 0, 0.0, -x * np.log(x))),
    lambda xp, _out, x: -xp.log(x) - 1.0,
    group=GROUP, summary="Entropy -x*log(x), and 0 at 0.", example="entr([0, 0.5])", domain=((0.5, 2.0),),
    edge="at 0 the gradient is inf; below 0 value -inf, gradient nan",
    kinks=(Kink(lambda x: x == 0, "an end with an infinite slope: the entropy at 0"),
           Kink(lambda x: x < 0, "outside of the domain: the value is -inf by convention")),
)  # fmt: skip


def _log_of_quotient(x: Any, y: Any) -> Any:
    ratio = x / y
    safe = (ratio > 1e-300) & (ratio < 1e300)
    return np.where(safe, np.log(ratio), np.log(x) - np.log(y))


def _rel_entr(x: Any, y: Any) -> Any:
    return by_regions(
        (x, y),
        ((x > 0) & (y > 0), lambda x, y: x * _log_of_quotient(x, y)),
        ((x < 0) | (y < 0) | ((x > 0) & (y == 0)), lambda x, y: np.full(x.shape, np.inf)),
        ((x == 0) & (y >= 0), lambda x, y: np.zeros(x.shape)),
    )


elementwise("log_quotient", "x, y", _log_of_quotient,
            lambda xp, _out, x, _y: unless(xp, x < 0) / (x + 0.0),
            lambda xp, _out, _x, y: -unless(xp, y < 0) / (y + 0.0),
            hidden=True, group=GROUP, summary="log(x/y).", domain=((0.5, 2.0), (0.5, 2.0)))  # fmt: skip
elementwise(
    "rel_entr", "x, y", _rel_entr,
    lambda xp, _out, x, y: xp.log_quotient(x, y) + 1.0,
    lambda xp, _out, x, y: -_quotient(xp, unless(xp, x < 0) * x, unless(xp, y < 0) * y),
    derivative="d/dx = log(x/y) + 1; d/dy = -x/y", group=GROUP,
    summary="Relative entropy x*log(x/y), and 0 where x is 0.", example="rel_entr([0, 0.5], 0.25)",
    edge="at x = 0 the gradient in x is -inf; below 0 value inf, gradient nan", domain=((0.5, 2.0), (0.5, 2.0)),
    kinks=(Kink(lambda x, y: (x == 0) | (y == 0), "an end with an infinite slope: the logarithm of 0"),),
)  # fmt: skip


def _logit(x: Any) -> Any:
    return by_regions(
        (x,),
        ((x >= 0) & (x <= 1), lambda x: np.log(x) - np.log1p(-x)),
        (np.abs(x - 0.5) < 0.25, lambda x: 2.0 * np.arctanh(2.0 * x - 1.0)),  # 2 x - 1 is exact here
    )


elementwise(
    "logit", "x", _logit,
    lambda xp, _out, x: unless(xp, xp.logical_or(x < 0, x > 1)) * (1.0 / (x + 0.0) + 1.0 / (1.0 - x)),
    group=GROUP, summary="log(x/(1 - x)), the inverse of sigmoid.", example="logit([0.25, 0.5])",
    domain=((0.1, 0.9),), edge="at 0 and 1: value -inf and inf, gradient inf; nan outside, value and gradient",
    kinks=(Kink(lambda x: (x == 0) | (x == 1), "a pole: the end of the domain"),),
)  # fmt: skip


def _sinc_slope(x: Any, *, n: int) -> Any:
    """The n-th derivative of sin(z)/z at z = pi x: a Taylor series near 0, elsewhere z f_n = sin^(n)(z) - n f_{n-1}."""
    first = (n + 1) // 2
    terms = [(-1.0) ** k / ((2 * k + 1) * math.factorial(2 * k - n)) for k in range(first, first + 14)]

    def near(x: Any) -> Any:
        z = np.pi * x
        return horner(terms, z * z) * z ** (2 * first - n)

    def far(x: Any) -> Any:
        z = np.pi * x
        sine = sin_pi(x)
        cosine = cos_pi(x) if n > 0 else sine
        f = sine / z
        for k in range(1, n + 1):
            f = ((sine, cosine, -sine, -cosine)[k % 4] - k * f) / z
        return f

    size = np.abs(x)
    limit = 0.5 + 0.1 * n
    out = by_regions((x,), (size < np.inf, far), (size < limit, near), (np.isinf(size), np.zeros_like))
    return out + 0.0  # no -0


elementwise("sinc_slope", "x, *, n: integer", _sinc_slope,
            lambda xp, _out, x, *, n: np.pi * xp.sinc_slope(x, n=n + 1),
            hidden=True, group=GROUP, summary="The n-th derivative of sin(z)/z at z = pi*x.")  # fmt: skip
elementwise(
    "sinc", "x", lambda x: _sinc_slope(x, n=0), lambda xp, _out, x: np.pi * xp.sinc_slope(x, n=1),
    derivative="d/dx = (cos(pi*x) - out)/x", group=GROUP,
    summary="sin(pi*x)/(pi*x), and 1 at 0.", example="sinc([0, 0.5])",
)  # fmt: skip


def _exprel_slope(x: Any, *, n: int) -> Any:
    """The integral of s^n exp(x s) over [0, 1]: series of one sign near 0, elsewhere x F_n = exp(x) - n F_{n-1}."""

    def right(x: Any) -> Any:
        return horner([1.0 / (math.factorial(k) * (n + k + 1)) for k in range(40)], x)

    def left(x: Any) -> Any:
        terms = [1.0 / (n + 1)]
        for k in range(1, 40):
            terms.append(terms[-1] / (n + 1 + k))
        return np.exp(x) * horner(terms, -x)

    def far(x: Any) -> Any:
        half = np.exp(0.5 * x)
        top = half / x * half  # exp(x) overflows before the quotient does
        f = top - 1.0 / x
        for k in range(1, n + 1):
            f = top - k * f / x
        return np.where(np.isinf(top), top, f)

    limit = 2.0 + n
    return by_regions(
        (x,), (x > -np.inf, far), ((x >= 0) & (x < limit), right), ((x < 0) & (x > -limit), left),
        (x == -np.inf, np.zeros_like), (x == np.inf, lambda x: x),
    )  # fmt: skip


elementwise("exprel_slope", "x, *, n: integer", _exprel_slope,
            lambda xp, _out, x, *, n: xp.exprel_slope(x, n=n + 1),
            hidden=True, group=GROUP, summary="The n-th derivative of expm1(x)/x.")  # fmt: skip
elementwise(
    "exprel", "x", lambda x: by_regions(
        (x,), (True, lambda x: _exprel_slope(x, n=0)),
        ((np.abs(x) > 1e-300) & (np.abs(x) < 700), lambda x: np.expm1(x) / x)),
    lambda xp, _out, x: xp.exprel_slope(x, n=1),
    derivative="d/dx = (exp(x) - out)/x", group=GROUP, summary="(exp(x) - 1)/x, and 1 at 0.",
    example="exprel([0, 1])",
)  # fmt: skip


def _log1mexp(x: Any) -> Any:
    """M. Maechler's two forms (2012)."""
    return np.where(x < LN2, np.log(-np.expm1(-x)), np.log1p(-np.exp(-x)))


elementwise(
    "log1mexp", "x", _log1mexp,
    lambda xp, _out, x: unless(xp, x < 0) * (xp.exp(-x) / -xp.expm1(-(x + 0.0))),  # + 0.0: -0 is 0
    group=GROUP, summary="log(1 - exp(-x)) for x > 0.", example="log1mexp([1e-10, 50])", domain=((0.5, 2.0),),
    edge="at 0: value -inf, gradient inf; nan below, value and gradient",
    kinks=(Kink(lambda x: x == 0, "a pole: the logarithm of 0"),),
)  # fmt: skip


def _logcosh(x: Any) -> Any:
    size = np.abs(x)
    near = np.log1p(2.0 * np.square(np.sinh(0.5 * np.minimum(size, 2.0))))
    return np.where(size < 1, near, size - LN2 + np.log1p(np.exp(-2.0 * size)))


elementwise("logcosh", "x", _logcosh, lambda xp, _out, x: xp.tanh(x), aliases=("log_cosh",), group=GROUP,
            summary="log(cosh(x)), without overflow.", example="logcosh([0, 1000])")  # fmt: skip


def _preference(a: Any, b: Any, *, base: float) -> Any:
    """base^a/(base^a + base^b). The rounding error of a - b is taken back, it would be magnified by the exponential."""
    gap = a - b
    part = gap - a
    lost = (a - (gap - part)) - (b + part)
    lost = np.where(np.isfinite(lost), lost, 0.0)
    e = np.exp2(-np.abs(gap)) if base == 2.0 else np.exp(-np.abs(gap))
    share = np.where(gap < 0, e, 1.0) / (1.0 + e)
    share = share * (1.0 + lost * np.log(base) * np.where(gap < 0, 1.0, e) / (1.0 + e))
    return np.where(np.isinf(a) & (a == b), np.where(a < 0, 0.0, 0.5), share)


elementwise(
    "preference", "a, b, *, base: number", _preference,
    lambda xp, out, a, b, *, base: math.log(base) * out * xp.preference(b, a, base=base),
    lambda xp, out, a, b, *, base: -math.log(base) * out * xp.preference(b, a, base=base),
    hidden=True, group=GROUP, summary="base**a/(base**a + base**b).",
)  # fmt: skip
for _name, _forward, _base, _symbol, _summary in (
    ("logaddexp", np.logaddexp, math.e, "e", "log(exp(a) + exp(b)), without overflow."),
    ("logaddexp2", np.logaddexp2, 2.0, "2", "log2(2**a + 2**b), without overflow."),
):
    elementwise(
        _name, "a, b", _forward,
        lambda xp, _out, a, b, *, _base=_base: xp.preference(a, b, base=_base),
        lambda xp, _out, a, b, *, _base=_base: xp.preference(b, a, base=_base),
        derivative=f"d/da = {_symbol}**(a - out); d/db = {_symbol}**(b - out)",
        group=GROUP, summary=_summary, example=f"{_name}([0, 1000], 1000)",
        edge="where both are -inf: value -inf, gradient 0",
        kinks=(Kink(lambda a, b: (a == -np.inf) & (b == -np.inf), "the logarithm of 0: both are -inf"),),
    )  # fmt: skip
