"""Gamma, digamma, polygamma and beta.

gamma' = gamma digamma, lgamma' = digamma = polygamma(0), polygamma(n)' = polygamma(n+1): closed for every order.
Differences polygamma(n, a+b) - polygamma(n, a), the slopes of beta, are an entry of their own: they cancel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from gradcli.errors import BadArgument
from gradcli.primitives import layouts
from gradcli.primitives.numerics import BERNOULLI, ROOT_2PI, by_regions, each, horner, log1pmx
from gradcli.primitives.table import Kink, Layout, elementwise

GROUP = "special"

EULER_GAMMA = 0.5772156649015329
DIGAMMA_ROOT = (1.4616321449683622, 9.549995429965697e-17)  # the zero of digamma above 0, in two parts


def _is_pole(x: Any) -> Any:
    return (x <= 0) & (x == np.floor(x))


def _gamma_at(x: float) -> float:
    try:
        return math.gamma(x)
    except OverflowError:
        return math.copysign(math.inf, x)
    except ValueError:  # a pole, or -inf
        return math.copysign(math.inf, x) if x == 0 else math.nan


def _lgamma_at(x: float) -> float:
    try:
        return math.lgamma(x)
    except (OverflowError, ValueError):
        return math.inf


gamma_of, _lgamma_far = each(_gamma_at), each(_lgamma_at)


def zeta(s: float, x: Any) -> Any:
    """Hurwitz's zeta function for s > 1, x > 0, by Euler and Maclaurin's sum (DLMF 25.11.5)."""
    x = np.asarray(x, dtype=np.float64)
    count = 12 + int(s)
    total = np.zeros(x.shape)
    for k in range(count):
        total += (x + k) ** -s
    y = x + count
    total += y ** (1.0 - s) / (s - 1.0) + 0.5 * y**-s
    for weight, power in _tail(s):
        total += weight * y**-power
    return total


def _tail(s: float) -> list[tuple[float, float]]:
    """Weights and powers of the terms with Bernoulli numbers: B_2j/(2j)! s (s+1) ... (s+2j-2) y^-(s+2j-1)."""
    terms = []
    rising = s
    for j, bernoulli in enumerate(BERNOULLI, 1):
        terms.append((bernoulli / math.factorial(2 * j) * rising, s + 2 * j - 1))
        rising *= (s + 2 * j - 1) * (s + 2 * j)
    return terms


@cache
def _lgamma_series() -> list[float]:
    """lgamma(1 + x) = -gamma x + sum of zeta(k) (-x)^k/k (DLMF 5.7.3), without the first factor x."""
    return [-EULER_GAMMA, *(float(zeta(k, 1.0)) * (-1) ** k / k for k in range(2, 56))]


def lgamma_beside_1(x: Any) -> Any:
    """lgamma(1 + x) for |x| <= 0.5, relatively exact at its zero x = 0."""
    return x * horner(_lgamma_series(), x)


def lgamma_of(x: Any) -> Any:
    return by_regions(
        (x,),
        (True, _lgamma_far),
        (np.abs(x - 1.0) <= 0.5, lambda x: lgamma_beside_1(x - 1.0)),
        (np.abs(x - 2.0) <= 0.5, lambda x: lgamma_beside_1(x - 2.0) + np.log1p(x - 2.0)),
    )


@cache
def _digamma_series() -> list[float]:
    """Taylor's series at the root: digamma^(k)/k! = (-1)^(k+1) zeta(k+1, root)."""
    return [-((-1.0) ** k) * float(zeta(k + 1.0, DIGAMMA_ROOT[0])) for k in range(1, 40)]


def log_less_digamma(x: Any) -> Any:
    """log(x) - digamma(x) for x >= 10 (DLMF 5.11.2)."""
    square = 1.0 / (x * x)
    return 0.5 / x + horner([b / (2 * k) for k, b in enumerate(BERNOULLI[:9], 1)], square) * square


def _digamma_above_0(x: Any) -> Any:
    y, shift = x.copy(), np.zeros(x.shape)
    for _ in range(10):
        low = y < 10
        shift += np.where(low, 1.0 / y, 0.0)
        y = np.where(low, y + 1.0, y)
    return np.log(y) - log_less_digamma(y) - shift


def _digamma_beside_root(x: Any) -> Any:
    gap = (x - DIGAMMA_ROOT[0]) - DIGAMMA_ROOT[1]
    return gap * horner(_digamma_series(), gap)


def _cot_pi(x: Any) -> Any:
    r = x - np.rint(x)
    beside_half = np.tan(np.pi * (0.5 - np.abs(r)))  # tan near pi/2 knows how far it is from there only to an ulp of pi
    return np.where(np.abs(r) > 0.25, np.sign(r) * beside_half, 1.0 / np.tan(np.pi * r))


def digamma_of(x: Any) -> Any:
    return by_regions(
        (x,),
        (x > 0, _digamma_above_0),
        (np.abs(x - DIGAMMA_ROOT[0]) < 0.3, _digamma_beside_root),
        # The reflection (DLMF 5.5.4).
        (x < 0, lambda x: _digamma_above_0(1.0 - x) - np.pi * _cot_pi(x)),
        (x == np.inf, lambda x: x),
        (_is_pole(x), lambda x: np.where(x == 0, -np.inf, np.nan)),
    )


def _cot_derivative(n: int) -> list[float]:
    """The n-th derivative of cot as a polynomial in cot: P' = -(1 + c^2) dP/dc. Its terms have one sign."""
    p = [0.0, 1.0]
    for _ in range(n):
        slope = [k * p[k] for k in range(1, len(p))]
        p = [-(a + b) for a, b in zip([*slope, 0.0, 0.0], [0.0, 0.0, *slope], strict=True)]
    return p


def _polygamma(x: Any, *, n: int) -> Any:
    if n == 0:
        return digamma_of(x)
    sign = -((-1.0) ** n)
    factor = sign * math.gamma(n + 1)

    def reflected(x: Any) -> Any:
        other = (-1.0) ** n * factor * zeta(n + 1.0, 1.0 - x)
        slope: Any = np.sum([c * _cot_pi(x) ** k for k, c in enumerate(_cot_derivative(n)) if c], axis=0)
        return other - np.pi ** (n + 1) * slope

    return by_regions(
        (x,),
        (x > 0, lambda x: factor * zeta(n + 1.0, x)),
        (x < 0, reflected),
        (x == np.inf, lambda x: 0.0 * np.ones(x.shape)),
        (_is_pole(x), lambda x: np.full(x.shape, np.inf if n % 2 == 1 else np.nan)),
        (x == 0, lambda x: np.full(x.shape, sign * np.inf)),
    )


def _of_order(name: str, operands: Sequence[Any], n: int) -> Layout:
    if not 0 <= n <= 100:
        raise BadArgument(f"{name}: the order must be between 0 and 100, not {n}")
    return layouts.broadcasting(name, operands, n=n)


_POLE = Kink(_is_pole, "a pole: 0 or a negative whole number")

elementwise(
    "gamma", "x", gamma_of, lambda xp, out, x: out * xp.digamma(x),
    aliases=("tgamma",), group=GROUP, summary="Gamma function.", example="gamma([0.5, 5])", domain=((0.5, 2.5),),
    edge="at 0: value inf, gradient -inf; nan at negative whole numbers", kinks=(_POLE,),
)  # fmt: skip
elementwise(
    "lgamma", "x", lgamma_of, lambda xp, _out, x: xp.digamma(x),
    aliases=("gammaln", "loggamma"), group=GROUP, summary="Logarithm of the absolute value of gamma.",
    example="lgamma([0.5, 100])", domain=((0.5, 2.5),),
    edge="at 0: value inf, gradient -inf; at negative whole numbers inf and nan", kinks=(_POLE,),
)  # fmt: skip
elementwise(
    "digamma", "x", digamma_of, lambda xp, _out, x: xp.polygamma(x, n=1),
    aliases=("psi",), derivative="d/dx = polygamma(1, x)",
    group=GROUP, summary="Derivative of lgamma.", example="digamma([1, 10])", domain=((0.5, 2.5),),
    edge="at 0: value -inf, gradient inf; at negative whole numbers nan and inf", kinks=(_POLE,),
)  # fmt: skip
elementwise(
    "polygamma", "n: integer, x", _polygamma, lambda xp, _out, x, *, n: xp.polygamma(x, n=n + 1),
    prepare=_of_order, group=GROUP, summary="Derivative of order n of digamma.", example="polygamma(1, [1, 10])",
    about=1, derivative="d/dx = polygamma(n + 1, x)", domain=((0.5, 2.5),),
    edge="at 0 and negative whole numbers infinite, or nan between two signs",
    kinks=(Kink(lambda x, **params: _is_pole(x), "a pole: 0 or a negative whole number"),),
)  # fmt: skip


def _polygamma_gap(a: Any, b: Any, *, n: int) -> Any:
    """polygamma(n, a+b) - polygamma(n, a), each term of the sum a difference v^m - u^m = u^m expm1(m log(v/u))."""
    s = n + 1.0

    def term(y: Any, b: Any, power: float) -> Any:
        return y**-power * np.expm1(-power * np.log1p(b / y))

    def above_0(a: Any, b: Any) -> Any:
        count = 12 + n
        total = np.zeros(a.shape)
        for k in range(count):
            total += term(a + k, b, s)
        y = a + count
        total += -np.log1p(b / y) if n == 0 else term(y, b, s - 1.0) / (s - 1.0)
        total += 0.5 * term(y, b, s)
        for weight, power in _tail(s):
            total += weight * term(y, b, power)
        return -((-1.0) ** n) * math.gamma(s) * total

    def elsewhere(a: Any, b: Any) -> Any:
        return _polygamma(a + b, n=n) - _polygamma(a, n=n)

    return by_regions((a, b), (True, elsewhere), ((a > 0) & (a + b > 0) & np.isfinite(a + b), above_0))


elementwise(
    "polygamma_gap", "a, b, *, n: integer", _polygamma_gap,
    lambda xp, _out, a, b, *, n: xp.polygamma_gap(a, b, n=n + 1),
    lambda xp, _out, a, b, *, n: xp.polygamma(a + b, n=n + 1),
    hidden=True, group=GROUP, summary="polygamma(n, a + b) - polygamma(n, a).", domain=((0.5, 2.5),),
)  # fmt: skip


def stirling(x: Any) -> Any:
    """lgamma(x) - (x - 1/2) log(x) + x - log(2 pi)/2 for x >= 10 (DLMF 5.11.1)."""
    series = [b / (2 * k * (2 * k - 1)) for k, b in enumerate(BERNOULLI[:9], 1)]
    return horner(series, 1.0 / (x * x)) / x


def _log_quotient(a: Any, b: Any) -> Any:
    """log(gamma(b)/gamma(a+b)) for b >= 10, without the terms of size b log(b)."""
    ratio = a / b
    return 0.5 * ratio - (b - 0.5) * log1pmx(ratio) - a * np.log(a + b) + stirling(b) - stirling(a + b)


def _log_beta_far(a: Any, b: Any) -> Any:
    """For a, b >= 10 (A. R. DiDonato and A. H. Morris, 1992)."""
    small, large = np.minimum(a, b), np.maximum(a, b)
    ratio = small / large
    body = (small - 0.5) * np.log(ratio / (1.0 + ratio)) - large * np.log1p(ratio)
    return body - 0.5 * np.log(large) + np.log(ROOT_2PI) + stirling(a) + stirling(b) - stirling(a + b)


def _beta_near(a: Any, b: Any) -> Any:
    total = a + b
    # What the sum rounds away counts, for gamma is steep: by the first term of its series.
    part = total - a
    lost = (a - (total - part)) + (b - part)
    steep = np.where(lost == 0, 0.0, lost * digamma_of(total))
    return gamma_of(a) / gamma_of(total) * gamma_of(b) / (1.0 + steep)


def _beta(a: Any, b: Any) -> Any:
    small, large = np.minimum(a, b), np.maximum(a, b)
    return by_regions(
        (small, large),
        (True, _beta_near),
        ((small > 0) & (a + b > 160), lambda a, b: gamma_of(a) * np.exp(_log_quotient(a, b))),
        ((small >= 10) & (a + b > 160), lambda a, b: np.exp(_log_beta_far(a, b))),
    )


def _betaln(a: Any, b: Any) -> Any:
    small, large = np.minimum(a, b), np.maximum(a, b)
    return by_regions(
        (small, large),
        (True, lambda a, b: lgamma_of(a) + lgamma_of(b) - lgamma_of(a + b)),
        ((small > 0) & (large < 10), lambda a, b: np.log(_beta_near(a, b))),
        ((small > 0) & (large >= 10), lambda a, b: lgamma_of(a) + _log_quotient(a, b)),
        (small >= 10, _log_beta_far),
    )


_BETA_POLE = Kink(lambda a, b: _is_pole(a) | _is_pole(b), "a pole: an argument is 0 or a negative whole number")

elementwise(
    "beta", "a, b", _beta,
    lambda xp, out, a, b: -out * xp.polygamma_gap(a, b, n=0),
    lambda xp, out, a, b: -out * xp.polygamma_gap(b, a, n=0),
    derivative="d/da = out*(digamma(a) - digamma(a + b)); d/db = out*(digamma(b) - digamma(a + b))",
    group=GROUP, summary="Beta function, gamma(a)*gamma(b)/gamma(a + b).", example="beta(2, [1, 3])",
    domain=((0.5, 2.5),), edge="at 0 and negative whole numbers infinite or nan", kinks=(_BETA_POLE,),
)  # fmt: skip
elementwise(
    "betaln", "a, b", _betaln,
    lambda xp, _out, a, b: -xp.polygamma_gap(a, b, n=0),
    lambda xp, _out, a, b: -xp.polygamma_gap(b, a, n=0),
    derivative="d/da = digamma(a) - digamma(a + b); d/db = digamma(b) - digamma(a + b)",
    aliases=("lbeta",), group=GROUP, summary="Logarithm of the absolute value of beta.", example="betaln(2, [1, 3])",
    domain=((0.5, 2.5),), edge="at 0 and negative whole numbers infinite or nan", kinks=(_BETA_POLE,),
)  # fmt: skip
