"""Special functions as mpmath knows them, with their first and second derivatives, and where to try them.

`scale` is the size to which an error is compared where the function or a derivative passes through 0: there the
condition is infinite, and no relative bar can hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import mpmath as mp
import numpy as np

Triple = tuple[Any, Any, Any]


@dataclass(frozen=True)
class Case:
    """`exact(x)` is the value and two derivatives; `bits` the precision that their cancellation needs."""

    exact: Callable[[Any], Triple]
    points: Any
    scale: Callable[[Any, Triple], float] = lambda x, e: 0.0
    bits: int = 250
    params: Mapping[str, Any] = field(default_factory=dict)


def log_even(low: float, high: float, count: int = 25) -> Any:
    return np.exp(np.random.default_rng(21).uniform(np.log(low), np.log(high), count))


def even(low: float, high: float, count: int = 25) -> Any:
    return np.random.default_rng(22).uniform(low, high, count)


def points(*parts: Any) -> Any:
    return np.concatenate(parts)


def both(low: float, high: float) -> Any:
    return points(log_even(low, high), -log_even(low, high))


ROOT_PI = mp.sqrt(mp.pi)


def erf(x: Any, sign: int = 1) -> Triple:
    slope = sign * 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)
    return mp.erf(x) if sign > 0 else mp.erfc(x), slope, -2 * x * slope


def erfcx(x: Any) -> Triple:
    w = mp.exp(x * x) * mp.erfc(x)
    slope = 2 * x * w - 2 / mp.sqrt(mp.pi)
    return w, slope, 2 * w + 2 * x * slope


def erfinv(p: Any) -> Triple:
    y = mp.erfinv(p) if abs(p) < 0.9 else mp.findroot(
        lambda t: mp.log(mp.erfc(t)) - mp.log(1 - abs(p)), mp.sqrt(-mp.log(1 - abs(p))) * 0.9) * mp.sign(p)  # fmt: skip
    slope = mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
    return y, slope, 2 * y * slope**2


def normal(x: Any) -> Any:
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def ncdf(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def log_ndtr(x: Any) -> Triple:
    h = normal(x) / ncdf(x)
    return mp.log(ncdf(x)) if x < 0 else mp.log1p(-ncdf(-x)), h, -h * (x + h)


def gamma(x: Any) -> Triple:
    g, psi = mp.gamma(x), mp.digamma(x)
    return g, g * psi, g * (psi**2 + mp.psi(1, x))


def lgamma(x: Any) -> Triple:
    return mp.log(abs(mp.gamma(x))) if x < 1e6 else mp.loggamma(x), mp.digamma(x), mp.psi(1, x)


def polygamma(n: int) -> Callable[[Any], Triple]:
    return lambda x: (mp.psi(n, x), mp.psi(n + 1, x), mp.psi(n + 2, x))


def bessel(f: Any, n: int, sign: int) -> Callable[[Any], Triple]:
    """Derivatives by the recurrences of J (sign -1) and I (sign 1)."""

    def order(k: int, x: Any) -> Any:
        return f(abs(k), x) * ((-1) ** k if k < 0 and sign < 0 else 1)

    def slope(k: int, x: Any) -> Any:
        return (order(k - 1, x) + sign * order(k + 1, x)) / 2

    return lambda x: (order(n, x), slope(n, x), (slope(n - 1, x) + sign * slope(n + 1, x)) / 2)


def scaled_bessel(n: int) -> Callable[[Any], Triple]:
    def exact(x: Any) -> Triple:
        v, d, c = bessel(mp.besseli, n, 1)(x)
        s, e = mp.sign(x), mp.exp(-abs(x))
        return e * v, e * (d - s * v), e * (c - 2 * s * d + v)

    return exact


def sinc(x: Any) -> Triple:
    z = mp.pi * x
    s, c = mp.sin(z), mp.cos(z)
    return s / z, mp.pi * (c / z - s / z**2), mp.pi**2 * (-s / z - 2 * c / z**2 + 2 * s / z**3)


def exprel(x: Any) -> Triple:
    e = mp.exp(x)
    return (e - 1) / x, e / x - (e - 1) / x**2, e / x - 2 * e / x**2 + 2 * (e - 1) / x**3


def log1mexp(x: Any) -> Triple:
    return mp.log(-mp.expm1(-x)), 1 / mp.expm1(x), -mp.exp(x) / mp.expm1(x) ** 2


def gelu(x: Any) -> Triple:
    return x * ncdf(x), ncdf(x) + x * normal(x), (2 - x * x) * normal(x)


def silu(x: Any) -> Triple:
    s, r = 1 / (1 + mp.exp(-x)), 1 / (1 + mp.exp(x))
    return x * s, s * (1 + x * r), s * r * (2 + x * (r - s))


def mish(x: Any) -> Triple:
    u = mp.log1p(mp.exp(x))
    t, h, s, r = mp.tanh(u), mp.sech(u) ** 2, 1 / (1 + mp.exp(-x)), 1 / (1 + mp.exp(x))
    return x * t, t + x * h * s, 2 * h * s + x * h * s * (r - 2 * t * s)


def near_zero(x: Any, e: Triple) -> float:
    """Of the size of 1 near where the function lives."""
    return min(1.0, float(abs(x)) + 1e-3)


def amplitude(x: Any, e: Triple) -> float:
    return 1.0 / max(1.0, float(abs(x)) ** 0.5)


CASES: dict[str, Case] = {
    "erf": Case(erf, points(both(1e-300, 6), even(-3, 3))),
    "erfc": Case(lambda x: erf(x, -1), points(both(1e-10, 26), even(-3, 26))),
    "erfcx": Case(erfcx, points(log_even(1e-10, 1e8), -log_even(1e-10, 25), even(-5, 12)), bits=700),
    "erfinv": Case(erfinv, points(both(1e-20, 0.9), 1 - log_even(1e-15, 0.5))),
    "ndtr": Case(lambda x: (ncdf(x), normal(x), -x * normal(x)), points(both(1e-10, 37), even(-4, 4))),
    "log_ndtr": Case(log_ndtr, points(-log_even(1e-10, 1e4), log_even(1e-5, 35), even(-4, 4)), bits=500),
    "gamma": Case(gamma, points(log_even(1e-10, 170), even(-20.9, 5)), lambda x, e: float(abs(e[0]))),
    "lgamma": Case(lgamma, points(log_even(1e-10, 1e15), even(-10.9, 5), even(0.9, 2.1)), near_zero),
    "digamma": Case(polygamma(0), points(log_even(1e-10, 1e15), even(-10.9, 5)), near_zero),
    "polygamma": Case(polygamma(1), points(log_even(1e-10, 1e15), even(-5.9, 5)), near_zero, params={"n": 1}),
    "polygamma 4": Case(polygamma(4), points(log_even(1e-10, 1e6), even(-5.9, 5)), near_zero, params={"n": 4}),
    "i0": Case(bessel(mp.besseli, 0, 1), points(both(1e-10, 700), even(-30, 30))),
    "i1": Case(bessel(mp.besseli, 1, 1), points(both(1e-10, 700), even(-30, 30))),
    "i0e": Case(scaled_bessel(0), points(both(1e-10, 1e4), even(-30, 30)), bits=400),
    "i1e": Case(scaled_bessel(1), points(both(1e-10, 1e4), even(-30, 30)),
                lambda x, e: 0.1 * float(abs(e[0])), bits=400),
    "j0": Case(bessel(mp.besselj, 0, -1), points(both(1e-10, 1e4), even(-30, 30)), amplitude),
    "j1": Case(bessel(mp.besselj, 1, -1), points(both(1e-10, 1e4), even(-30, 30)), amplitude),
    "entr": Case(lambda x: (-x * mp.log(x), -mp.log(x) - 1, -1 / x), log_even(1e-300, 1e300), lambda x, e: 1.0),
    "logit": Case(lambda x: (mp.log(x) - mp.log1p(-x), 1 / (x * (1 - x)), (2 * x - 1) / (x * (1 - x)) ** 2),
                  points(log_even(1e-150, 0.99), 1 - log_even(1e-14, 0.5), even(0.4, 0.6)),
                  lambda x, e: float(abs(x - 0.5) < 0.2), bits=1200),
    "sinc": Case(sinc, points(both(1e-8, 1e4), even(-5, 5)), lambda x, e: 1.0 / max(0.1, float(abs(x))), bits=400),
    "exprel": Case(exprel, points(both(1e-10, 700), even(-5, 5)), bits=400),
    "log1mexp": Case(log1mexp, points(log_even(1e-150, 700), even(0.1, 3)), bits=1200),
    "logcosh": Case(lambda x: (mp.log(mp.cosh(x)), mp.tanh(x), mp.sech(x) ** 2), points(both(1e-10, 700), even(-5, 5))),
    "gelu": Case(gelu, points(both(1e-10, 37), even(-4, 4)), lambda x, e: 0.1 * float(abs(e[0]))),
    "silu": Case(silu, points(both(1e-10, 700), even(-4, 4)), lambda x, e: 0.1 * float(abs(e[0]))),
    "mish": Case(mish, points(both(1e-10, 700), even(-4, 4)), lambda x, e: 0.1 * float(abs(e[0])), bits=1300),
    "tanhshrink": Case(
        lambda x: (x - mp.tanh(x), mp.tanh(x) ** 2, 2 * mp.tanh(x) * mp.sech(x) ** 2),
        points(both(1e-10, 300), even(-3, 3)),
    ),
}  # fmt: skip

MEASURED = {
    "acot", "acsc", "asec", "bessel_i", "bessel_j", "beta", "betaln", "celu", "celu_slope", "copysign", "cot",
    "coth", "csc", "csch",
    "cube", "deg2rad", "elu", "erfc_integral", "erfc_ratio", "erfinv_slope", "exp10", "exprel_slope", "fmax", "fmin",
    "fmod", "frac", "gamma_density", "gammainc", "gammainc_order", "gammaincc", "gaussian", "gelu_tanh", "hardshrink",
    "hardsigmoid",
    "hardswish", "hardtanh", "haversine", "hazard", "heaviside", "i0e_slope", "ldexp", "leaky_relu", "lerp",
    "log_quotient", "logaddexp", "logaddexp2", "logsigmoid", "nan_to_num", "nextafter", "polygamma_gap", "preference",
    "prelu", "rad2deg", "rel_entr", "relu6", "rsqrt", "sec", "selu", "sinc_slope", "smoothstep", "softshrink",
    "softsign", "threshold", "xlog1py", "xlogy", *(name.split()[0] for name in CASES),
}  # fmt: skip
"""What `test_special` and `test_elementary` measure or try by hand, the hidden entries through those that use them."""
